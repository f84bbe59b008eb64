// SPDX-License-Identifier: Apache-2.0
// The widest vector of a memory op. A vector of n elements is legal where its first address is a multiple of its size,
// its elements follow each other, and one mask serves all of them.
#include "tilewright/Analysis/Alignment.h"

#include "mlir/IR/TypeUtilities.h"

#include <numeric>

using namespace mlir;
using namespace tilewright;

/// Whether `n` divides what `divisor` divides; everything divides 0.
static bool divides(int64_t n, int64_t divisor) { return divisor % n == 0; }

/// Whether vectors of `n` elements along view dimension `unit`, which has stride 1, are legal.
template <typename AccessOp>
static bool isLegalVector(AccessOp op, const AlignmentAnalysis &analysis, const AlignmentFacts &view,
                          ArrayRef<int64_t> walked, RankedTensorType tile, unsigned unit, int64_t n, int64_t bytes) {
  int64_t vectorBytes = n * bytes;
  if (!divides(vectorBytes, view.base))
    return false;
  for (unsigned d = 0; d < view.sizes.size(); ++d) {
    int64_t offset = analysis.getAlignment(op.getOffsets()[d]).divisor();
    if (d == unit) {
      // One mask: with offset and size multiples of n, a vector lies wholly inside or wholly outside.
      bool isChecked = !op.getInBounds() || !(*op.getInBounds())[d];
      if (!divides(n, offset) || (isChecked && !divides(n, view.sizeDivisors[d]) && !analysis.provablyInBounds(op, d)))
        return false;
      continue;
    }
    // A dimension of size 1 contributes index 0 to every access that takes place.
    if (view.sizes[d] == 1)
      continue;
    const auto *dim = llvm::find(walked, static_cast<int64_t>(d));
    bool moves = dim != walked.end() && tile.getDimSize(dim - walked.begin()) > 1;
    bool isIndexed = static_cast<int64_t>(d) == indexedDimOf(op); // What a tile of indices holds, whatever it is.
    int64_t index = moves && !isIndexed ? 1 : offset;
    if (!divides(vectorBytes, multiplyDivisors(multiplyDivisors(index, view.strideDivisors[d]), bytes)))
      return false;
  }
  return true;
}

template <typename AccessOp>
static VectorAccess widestAccess(AccessOp op, RankedTensorType tile, const AlignmentAnalysis &analysis,
                                 unsigned maxBytes) {
  AlignmentFacts view = analysis.getAlignment(op.getView());
  SmallVector<int64_t> walked = op.walkedDims();
  VectorAccess best;
  best.tileDim = tile.getRank() - 1;
  int64_t bytes = elementBytes(tile.getElementType());
  // Later dimensions win: row-major is the common case. A dimension whose stride is 1 is contiguous even where no
  // vector is legal: neighbouring lanes still share cache lines.
  bool hasUnit = false;
  for (unsigned t = tile.getRank(); t-- > 0;) {
    unsigned unit = walked[t];
    if (view.strides[unit] != 1 || view.sizes[unit] == 1 || unit == indexedDimOf(op))
      continue;
    if (!hasUnit && tile.getDimSize(t) > 1) {
      best.tileDim = t;
      hasUnit = true;
    }
    if (bytes == 0)
      continue;
    for (int64_t n = 2; n * bytes <= maxBytes && tile.getDimSize(t) % n == 0; n *= 2) {
      if (!isLegalVector(op, analysis, view, walked, tile, unit, n, bytes))
        break;
      if (n > best.elements)
        best = {t, static_cast<unsigned>(n)};
    }
  }
  return best;
}

static VectorAccess widestPointerAccess(Value pointers, Value mask, const AlignmentAnalysis &analysis,
                                        unsigned maxBytes) {
  auto tile = dyn_cast<RankedTensorType>(pointers.getType());
  VectorAccess best;
  if (!tile)
    return best;
  best.tileDim = tile.getRank() - 1;
  int64_t bytes = elementBytes(cast<tile::PtrType>(tile.getElementType()).getPointee());
  if (bytes == 0)
    return best;
  AlignmentFacts address = analysis.getAlignment(pointers);
  std::optional<AlignmentFacts> uniform;
  if (mask)
    uniform = analysis.getAlignment(mask);
  int64_t longestRun = 1;
  for (unsigned d = tile.getRank(); d-- > 0;) {
    const DimFacts &dim = address.dims[d];
    if (dim.contiguity > longestRun) {
      longestRun = dim.contiguity;
      if (best.elements == 1)
        best.tileDim = d;
    }
    for (int64_t n = 2; n * bytes <= maxBytes && dim.contiguity % n == 0; n *= 2) {
      if (!divides(n * bytes, divisorAt(dim, n, bytes)) || (uniform && uniform->dims[d].constancy % n != 0))
        break;
      if (n > best.elements)
        best = {d, static_cast<unsigned>(n)};
    }
  }
  return best;
}

VectorAccess AlignmentAnalysis::maxVectorElements(tile::LoadOp op, unsigned maxBytes) const {
  return widestAccess(op, op.getResult().getType(), *this, maxBytes);
}
VectorAccess AlignmentAnalysis::maxVectorElements(tile::StoreOp op, unsigned maxBytes) const {
  return widestAccess(op, op.getValue().getType(), *this, maxBytes);
}
VectorAccess AlignmentAnalysis::maxVectorElements(tile::GatherOp op, unsigned maxBytes) const {
  return widestAccess(op, op.getResult().getType(), *this, maxBytes);
}
VectorAccess AlignmentAnalysis::maxVectorElements(tile::ScatterOp op, unsigned maxBytes) const {
  return widestAccess(op, op.getValue().getType(), *this, maxBytes);
}
VectorAccess AlignmentAnalysis::maxVectorElements(tile::LoadPtrOp op, unsigned maxBytes) const {
  return widestPointerAccess(op.getPtr(), op.getMask(), *this, maxBytes);
}
VectorAccess AlignmentAnalysis::maxVectorElements(tile::StorePtrOp op, unsigned maxBytes) const {
  return widestPointerAccess(op.getPtr(), op.getMask(), *this, maxBytes);
}
