// SPDX-License-Identifier: Apache-2.0
#include "TilePads.h"
#include "tilewright/Dialect/Tile/IR/Tile.h"

using namespace mlir;
using namespace tilewright::tile;

using Effects = SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>;

/// Constraints C1 to C5 of an indexed access.
template <typename OpTy> static LogicalResult verifyIndexed(OpTy op, RankedTensorType tile) {
  ViewType view = op.getView().getType();
  int64_t rank = view.getRank();
  auto isTile = [](Value offset) { return isa<RankedTensorType>(offset.getType()); };
  int64_t tiles = llvm::count_if(op.getOffsets(), isTile);
  if (tiles != 1) // gather_c1, scatter_c1
    return op.emitOpError() << "expects one offset that is a tile, found " << tiles;
  if (static_cast<int64_t>(op.getOffsets().size()) != rank || tile.getRank() != rank) // gather_c3, scatter_c3
    return op.emitOpError() << "expects one offset per view dim and a tile of rank " << rank << ", found "
                            << op.getOffsets().size() << " offsets and " << tile;
  int64_t dim = op.indexedDim();
  auto rows = cast<RankedTensorType>(op.getOffsets()[dim].getType());
  if (rows.getDimSize(0) != tile.getDimSize(dim)) // gather_c2, scatter_c2
    return op.emitOpError() << "expects " << tile.getDimSize(dim) << " indices, one per position along dim " << dim
                            << ", found " << rows;
  if (tile.getElementType() != view.getElementType()) // gather_c4, scatter_c4
    return op.emitOpError() << "expects elements of " << view.getElementType() << " as in the view, found " << tile;
  if (op.getInBounds() && static_cast<int64_t>(op.getInBounds()->size()) != rank) // gather_c5, scatter_c5
    return op.emitOpError() << "expects in_bounds to have one flag per view dim, found " << op.getInBounds()->size()
                            << " for rank " << rank;
  return success();
}

template <typename OpTy> static int64_t findIndexedDim(OpTy op) {
  for (auto [dim, offset] : llvm::enumerate(op.getOffsets()))
    if (isa<RankedTensorType>(offset.getType()))
      return dim;
  llvm_unreachable("the verifier has made sure that one offset is a tile");
}
int64_t GatherOp::indexedDim() { return findIndexedDim(*this); }
int64_t ScatterOp::indexedDim() { return findIndexedDim(*this); }

SmallVector<int64_t> GatherOp::walkedDims() {
  return llvm::to_vector(llvm::seq<int64_t>(0, getView().getType().getRank()));
}
SmallVector<int64_t> ScatterOp::walkedDims() {
  return llvm::to_vector(llvm::seq<int64_t>(0, getView().getType().getRank()));
}

LogicalResult GatherOp::verify() {
  auto tile = cast<RankedTensorType>(getResult().getType());
  if (failed(verifyIndexed(*this, tile)))
    return failure();
  if (!hasPad(tile.getElementType(), getPad())) // gather_c6
    return emitOpError() << "expects a pad that " << tile.getElementType() << " has, found " << stringifyPad(getPad());
  return success();
}

LogicalResult ScatterOp::verify() { return verifyIndexed(*this, cast<RankedTensorType>(getValue().getType())); }

void GatherOp::getEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), GlobalMemoryResource::get());
}
void ScatterOp::getEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Write::get(), GlobalMemoryResource::get());
}

namespace {
/// Each access has one form: no flags where all are false, no pad where all are true.
template <typename OpTy> struct DropDefaults : public OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;
  LogicalResult matchAndRewrite(OpTy op, PatternRewriter &rewriter) const override {
    if (!op.getInBounds())
      return rewriter.notifyMatchFailure(op, "has no flags");
    auto isSet = [](bool flag) { return flag; };
    if (llvm::none_of(*op.getInBounds(), isSet)) {
      rewriter.modifyOpInPlace(op, [&] { op.removeInBoundsAttr(); });
      return success();
    }
    if constexpr (std::is_same_v<OpTy, GatherOp>) {
      if (op.getPad() != Pad::none && llvm::all_of(*op.getInBounds(), isSet)) {
        rewriter.modifyOpInPlace(op, [&] { op.setPad(Pad::none); });
        return success();
      }
    }
    return rewriter.notifyMatchFailure(op, "the flags and the pad say something");
  }
};
} // namespace

void GatherOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<DropDefaults<GatherOp>>(context);
}
void ScatterOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<DropDefaults<ScatterOp>>(context);
}
