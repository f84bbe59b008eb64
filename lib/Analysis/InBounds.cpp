// SPDX-License-Identifier: Apache-2.0
// Proofs that an access stays inside its view, from ranges and from one relation: a loop variable below its bound.
#include "tilewright/Analysis/Alignment.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <numeric>

using namespace mlir;
using namespace tilewright;

namespace {
/// What a number is, apart from facts promised about it: an SSA value, or a size of a view that no op made.
struct Origin {
  Value value;
  int64_t dim = -1;
  bool operator==(const Origin &other) const { return value == other.value && dim == other.dim; }
};
} // namespace

static Origin originOfSize(Value view, int64_t dim);

/// Walks from a number to where it comes from. Each step moves to an operand, so it ends.
static Origin originOf(Value number) {
  while (true) {
    if (auto assume = number.getDefiningOp<tile::AssumeOp>()) {
      number = assume.getSource();
      continue;
    }
    auto size = number.getDefiningOp<tile::ViewSizeOp>();
    if (!size)
      return {number};
    Origin origin = originOfSize(size.getView(), size.getDim());
    if (origin.dim >= 0 || !origin.value)
      return origin;
    number = origin.value;
  }
}

/// The operand of make_view that holds the size, or the view that has it; null for a static size.
static Origin originOfSize(Value view, int64_t dim) {
  while (auto permute = view.getDefiningOp<tile::PermuteViewOp>()) {
    dim = permute.getOrder()[dim];
    view = permute.getView();
  }
  auto make = view.getDefiningOp<tile::MakeViewOp>();
  if (!make)
    return {view, dim};
  ArrayRef<int64_t> shape = make.getType().getShape();
  if (!ShapedType::isDynamic(shape[dim]))
    return {};
  unsigned operand = llvm::count_if(shape.take_front(dim), [](int64_t size) { return ShapedType::isDynamic(size); });
  return {make.getSizes()[operand]};
}

/// Whether `number` is at most the size with origin `size`: it is that size, or a minimum of it and something.
static bool isAtMostSize(Value number, const Origin &size) {
  if (!size.value)
    return false;
  Origin sizeOrigin = size.dim >= 0 ? size : originOf(size.value);
  if (originOf(number) == sizeOrigin)
    return true;
  auto min = originOf(number).value.getDefiningOp<arith::MinSIOp>();
  return min && (originOf(min.getLhs()) == sizeOrigin || originOf(min.getRhs()) == sizeOrigin);
}

/// Extent of the block along view dimension `dim`: 1 where the tile does not walk it, or each index is given.
template <typename AccessOp> static int64_t blockExtent(AccessOp op, RankedTensorType tile, unsigned dim) {
  if (static_cast<int64_t>(dim) == indexedDimOf(op))
    return 1;
  for (auto [t, walked] : llvm::enumerate(op.walkedDims()))
    if (walked == static_cast<int64_t>(dim))
      return tile.getDimSize(t);
  return 1;
}

template <typename AccessOp>
static bool proveInBounds(AccessOp op, RankedTensorType tile, unsigned dim, const AlignmentAnalysis &analysis) {
  Value offset = op.getOffsets()[dim];
  int64_t extent = blockExtent(op, tile, dim);
  std::optional<ConstantIntRanges> range = analysis.getRange(offset);
  if (!range || range->smin().isNegative())
    return false;

  // Intervals: the largest last index against the smallest size.
  AlignmentFacts view = analysis.getAlignment(op.getView());
  Origin size = originOfSize(op.getView(), dim);
  std::optional<int64_t> smallest = view.sizes[dim];
  if (!smallest && size.value && size.dim < 0)
    if (std::optional<ConstantIntRanges> sizes = analysis.getRange(size.value))
      smallest = sizes->smin().getSExtValue();
  if (smallest && *smallest >= extent && range->smax().getSExtValue() <= *smallest - extent)
    return true;

  // Relation: iv < bound <= size, and g divides iv and bound, so that iv <= bound - g; a block of at most g fits.
  auto argument = dyn_cast<BlockArgument>(offset);
  auto loop = argument ? dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp()) : scf::ForOp();
  if (!loop || argument != loop.getInductionVar() || loop.getUnsignedCmp())
    return false;
  Value bound = loop.getUpperBound();
  bool isBelowSize = isAtMostSize(bound, size);
  if (!isBelowSize && smallest)
    if (std::optional<ConstantIntRanges> bounds = analysis.getRange(bound))
      isBelowSize = bounds->smax().getSExtValue() <= *smallest;
  if (!isBelowSize)
    return false;
  int64_t divisor = analysis.getAlignment(bound).divisor();
  if (originOf(bound) == (size.value && size.dim < 0 ? originOf(size.value) : size))
    divisor = combineDivisors(divisor, view.sizeDivisors[dim]);
  int64_t gap = std::gcd(analysis.getAlignment(offset).divisor(), divisor);
  return gap == 0 || extent <= gap;
}

bool AlignmentAnalysis::provablyInBounds(tile::LoadOp op, unsigned dim) const {
  return proveInBounds(op, op.getResult().getType(), dim, *this);
}
bool AlignmentAnalysis::provablyInBounds(tile::StoreOp op, unsigned dim) const {
  return proveInBounds(op, op.getValue().getType(), dim, *this);
}
bool AlignmentAnalysis::provablyInBounds(tile::GatherOp op, unsigned dim) const {
  return proveInBounds(op, op.getResult().getType(), dim, *this);
}
bool AlignmentAnalysis::provablyInBounds(tile::ScatterOp op, unsigned dim) const {
  return proveInBounds(op, op.getValue().getType(), dim, *this);
}
