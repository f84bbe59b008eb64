// SPDX-License-Identifier: Apache-2.0
#include "tilewright/Dialect/Tile/IR/PermutedBlock.h"

using namespace mlir;
using namespace tilewright::tile;

bool tilewright::tile::isIdentityOrder(ArrayRef<int64_t> order) {
  for (auto [i, dim] : llvm::enumerate(order))
    if (dim != static_cast<int64_t>(i))
      return false;
  return true;
}

SmallVector<int64_t> tilewright::tile::composeOrders(ArrayRef<int64_t> inner, ArrayRef<int64_t> outer) {
  SmallVector<int64_t> result;
  for (int64_t dim : outer)
    result.push_back(inner[dim]);
  return result;
}

SmallVector<int64_t> tilewright::tile::inverseOrder(ArrayRef<int64_t> order) {
  SmallVector<int64_t> result(order.size());
  for (auto [i, dim] : llvm::enumerate(order))
    result[dim] = i;
  return result;
}

Type tilewright::tile::permuteTileType(Type type, ArrayRef<int64_t> order) {
  auto tile = dyn_cast<RankedTensorType>(type);
  if (!tile)
    return type;
  return RankedTensorType::get(composeOrders(tile.getShape(), order), tile.getElementType());
}

namespace {
/// What an access takes besides its tile.
struct PermutedBlock {
  Value view;
  SmallVector<Value> offsets;
  DenseBoolArrayAttr inBounds;
};
} // namespace

/// The block of `access` whose walked dims change places among themselves by `order`; the others stay.
template <typename AccessOp>
static PermutedBlock permuteBlock(RewriterBase &rewriter, AccessOp access, ArrayRef<int64_t> order) {
  ViewType view = access.getView().getType();
  SmallVector<int64_t> walked = access.walkedDims();
  SmallVector<int64_t> viewOrder = llvm::to_vector(llvm::seq<int64_t>(0, view.getRank()));
  for (auto [i, dim] : llvm::enumerate(order))
    viewOrder[walked[i]] = walked[dim];
  PermutedBlock block;
  SmallVector<bool> inBounds;
  for (int64_t dim : viewOrder) {
    block.offsets.push_back(access.getOffsets()[dim]);
    if (access.getInBounds())
      inBounds.push_back((*access.getInBounds())[dim]);
  }
  if (access.getInBounds())
    block.inBounds = rewriter.getDenseBoolArrayAttr(inBounds);
  auto type = ViewType::get(rewriter.getContext(), composeOrders(view.getShape(), viewOrder), view.getElementType(),
                            composeOrders(view.getStrides(), viewOrder));
  block.view = PermuteViewOp::create(rewriter, access.getLoc(), type, access.getView(), viewOrder);
  return block;
}

Value tilewright::tile::createPermutedLoad(RewriterBase &rewriter, LoadOp load, ArrayRef<int64_t> order) {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(load); // Memory is read where it was.
  PermutedBlock block = permuteBlock(rewriter, load, order);
  auto made = LoadOp::create(rewriter, load.getLoc(), permuteTileType(load.getResult().getType(), order), Type(),
                             block.view, block.offsets, load.getDimsAttr(), block.inBounds, load.getPadAttr(),
                             SyncOrderAttr(), SyncScopeAttr(), Value());
  made->setDiscardableAttrs(load->getDiscardableAttrDictionary());
  return made.getResult();
}

Value tilewright::tile::createPermutedGather(RewriterBase &rewriter, GatherOp gather, ArrayRef<int64_t> order) {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(gather);
  PermutedBlock block = permuteBlock(rewriter, gather, order);
  auto made = GatherOp::create(rewriter, gather.getLoc(), permuteTileType(gather.getResult().getType(), order), Type(),
                               block.view, block.offsets, block.inBounds, gather.getPadAttr(), Value());
  made->setDiscardableAttrs(gather->getDiscardableAttrDictionary());
  return made.getResult();
}

void tilewright::tile::createPermutedStore(RewriterBase &rewriter, StoreOp store, Value value,
                                           ArrayRef<int64_t> order) {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(store);
  PermutedBlock block = permuteBlock(rewriter, store, order);
  auto made = StoreOp::create(rewriter, store.getLoc(), Type(), value, block.view, block.offsets, store.getDimsAttr(),
                              block.inBounds, SyncOrderAttr(), SyncScopeAttr(), Value());
  made->setDiscardableAttrs(store->getDiscardableAttrDictionary());
}
