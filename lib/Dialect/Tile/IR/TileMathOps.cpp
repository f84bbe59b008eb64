// SPDX-License-Identifier: Apache-2.0
#include "tilewright/Dialect/Tile/IR/Tile.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace tilewright::tile;

/// Most leading batch dims of a product.
static constexpr int64_t kMaxBatchDims = 3;

static bool isF8(Type type) { return isa<Float8E4M3FNType, Float8E5M2Type>(type); }

static bool isDotRow(Type lhs, Type rhs, Type acc) {
  if (isF8(lhs) && isF8(rhs))
    return acc.isF16() || acc.isF32();
  if (lhs != rhs)
    return false;
  if (lhs.isF16())
    return acc.isF16() || acc.isF32();
  if (lhs.isBF16() || lhs.isTF32() || lhs.isF32())
    return acc.isF32();
  if (lhs.isF64())
    return acc.isF64();
  return lhs.isInteger(8) && acc.isInteger(32);
}

LogicalResult DotOp::verify() {
  auto lhs = cast<RankedTensorType>(getLhs().getType()), rhs = cast<RankedTensorType>(getRhs().getType()),
       acc = cast<RankedTensorType>(getAcc().getType());
  int64_t rank = acc.getRank();
  if (rank < 2 || rank > 2 + kMaxBatchDims || lhs.getRank() != rank || rhs.getRank() != rank) // dot_c1
    return emitOpError() << "expects three tiles of one rank, 2 to " << 2 + kMaxBatchDims << ", found " << lhs << ", "
                         << rhs << " and " << acc;
  auto equal = [&](StringRef a, RankedTensorType ta, int64_t da, StringRef b, RankedTensorType tb,
                   int64_t db) -> LogicalResult {
    if (ta.getDimSize(da) != tb.getDimSize(db)) // dot_c1
      return emitOpError() << "expects " << a << " dim " << da << " (" << ta.getDimSize(da) << ") to equal " << b
                           << " dim " << db << " (" << tb.getDimSize(db) << ")";
    return success();
  };
  for (int64_t dim = 0; dim + 2 < rank; ++dim)
    if (failed(equal("lhs", lhs, dim, "acc", acc, dim)) || failed(equal("rhs", rhs, dim, "acc", acc, dim)))
      return failure();
  if (failed(equal("lhs", lhs, rank - 1, "rhs", rhs, rank - 2)) ||
      failed(equal("lhs", lhs, rank - 2, "acc", acc, rank - 2)) ||
      failed(equal("rhs", rhs, rank - 1, "acc", acc, rank - 1)))
    return failure();
  Type left = lhs.getElementType(), right = rhs.getElementType();
  if (!isDotRow(left, right, acc.getElementType())) // dot_c2
    return emitOpError() << "has no product of " << left << " and " << right << " with sums in "
                         << acc.getElementType();
  if ((getLhsUnsigned() || getRhsUnsigned()) && !left.isInteger(8)) // dot_c3
    return emitOpError() << "expects sign flags on integers only, found " << left;
  if (getPrecision() && !left.isF32()) // dot_c3
    return emitOpError() << "expects precision on f32 only, found " << left;
  if (getImpreciseK() && (!isF8(left) || *getImpreciseK() < 1)) // dot_c3
    return emitOpError() << "expects imprecise_k of 1 or more, on f8 only, found " << *getImpreciseK() << " on "
                         << left;
  return success();
}

/// Sources of a reduction or scan: at least one, as many results, one shape, `dim` below the rank.
template <typename OpTy> static LogicalResult verifySources(OpTy op) {
  size_t count = op.getSources().size();
  if (count == 0 || op.getResults().size() != count) // reduce_c1, scan_c1
    return op.emitOpError() << "expects as many results as sources, at least one, found " << count << " and "
                            << op.getResults().size();
  auto first = cast<RankedTensorType>(op.getSources()[0].getType());
  int64_t dim = op.getDim();
  if (dim < 0 || dim >= first.getRank()) // reduce_c1, scan_c1
    return op.emitOpError() << "expects dim to be below the rank " << first.getRank() << ", found " << dim;
  for (Value source : op.getSources()) {
    auto tile = cast<RankedTensorType>(source.getType());
    if (tile.getShape() != first.getShape()) // reduce_c1, scan_c1
      return op.emitOpError() << "expects sources of one shape, found " << first << " and " << tile;
  }
  return success();
}

template <typename OpTy> static LogicalResult verifyIdentity(OpTy op) {
  if (!op.getIdentity())
    return success();
  size_t count = op.getSources().size();
  if (op.getIdentity()->size() != count) // reduce_c4, scan_c4
    return op.emitOpError() << "expects " << count << " identities, found " << op.getIdentity()->size();
  for (size_t i = 0; i < count; ++i) {
    auto value = dyn_cast<TypedAttr>((*op.getIdentity())[i]);
    Type element = getElementTypeOrSelf(op.getSources()[i].getType());
    if (!value || value.getType() != element || !isa<IntegerAttr, FloatAttr>(value)) // reduce_c4, scan_c4
      return op.emitOpError() << "expects identity " << i << " to be " << element << ", found "
                              << (*op.getIdentity())[i];
  }
  return success();
}

LogicalResult ReduceOp::verify() {
  if (failed(verifySources(*this)))
    return failure();
  int64_t dim = getDim();
  SmallVector<int64_t> shape(cast<RankedTensorType>(getSources()[0].getType()).getShape());
  shape.erase(shape.begin() + dim);
  for (auto [source, result] : llvm::zip(getSources(), getResults())) {
    auto tile = cast<RankedTensorType>(source.getType());
    auto reduced = dyn_cast<RankedTensorType>(result.getType());
    bool fits = shape.empty() ? result.getType() == tile.getElementType()
                              : reduced && reduced.getShape() == ArrayRef<int64_t>(shape) &&
                                    reduced.getElementType() == tile.getElementType();
    if (!fits) // reduce_c1
      return emitOpError() << "expects a result of " << tile << " without dim " << dim << ", found "
                           << result.getType();
  }
  return verifyIdentity(*this);
}

LogicalResult ScanOp::verify() {
  if (failed(verifySources(*this)))
    return failure();
  for (auto [source, result] : llvm::zip(getSources(), getResults())) {
    auto from = cast<RankedTensorType>(source.getType()), to = cast<RankedTensorType>(result.getType());
    if (from.getShape() != to.getShape() || from.getElementType() != to.getElementType()) // scan_c1
      return emitOpError() << "expects a result of shape and element type of " << from << ", found " << to;
  }
  return verifyIdentity(*this);
}

// The body has been verified by itself when this runs.
template <typename OpTy> static LogicalResult verifyCombiner(OpTy op) {
  size_t count = op.getSources().size();
  Block &body = op.getBody().front();
  if (body.getNumArguments() != 2 * count) // reduce_c2, scan_c2
    return op.emitOpError() << "expects a body of " << 2 * count << " arguments, accumulators then elements, found "
                         << body.getNumArguments();
  for (size_t i = 0; i < 2 * count; ++i) {
    Type element = getElementTypeOrSelf(op.getSources()[i % count].getType());
    if (body.getArgument(i).getType() != element) // reduce_c2, scan_c2
      return op.emitOpError() << "expects body argument " << i << " to be " << element << ", found "
                           << body.getArgument(i).getType();
  }
  auto yield = dyn_cast<YieldOp>(body.back());
  if (!yield || yield.getValues().size() != count) // reduce_c2, scan_c2
    return op.emitOpError() << "expects the body to yield " << count << " values";
  for (size_t i = 0; i < count; ++i)
    if (yield.getValues()[i].getType() != body.getArgument(i).getType()) // reduce_c2, scan_c2
      return op.emitOpError() << "expects yielded value " << i << " to be " << body.getArgument(i).getType() << ", found "
                           << yield.getValues()[i].getType();
  for (Operation &inner : body.without_terminator()) {
    if (!isMemoryEffectFree(&inner)) // reduce_c3, scan_c3
      return op.emitOpError() << "expects a body without memory effects, found " << inner.getName();
    auto isTile = [](Type type) { return isa<TensorType>(type); };
    WalkResult result = inner.walk([&](Operation *nested) {
      bool has = llvm::any_of(nested->getOperandTypes(), isTile) || llvm::any_of(nested->getResultTypes(), isTile);
      return has ? WalkResult::interrupt() : WalkResult::advance();
    });
    if (result.wasInterrupted()) // reduce_c2, scan_c2
      return op.emitOpError() << "expects scalars in the body, found a tile in " << inner.getName();
  }
  return success();
}
LogicalResult ReduceOp::verifyRegions() { return verifyCombiner(*this); }
LogicalResult ScanOp::verifyRegions() { return verifyCombiner(*this); }
