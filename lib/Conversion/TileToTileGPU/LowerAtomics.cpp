// SPDX-License-Identifier: Apache-2.0
#include "LowerToBuffers.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile_gpu;

/// The order of an access that other programs may meet; none for a plain one, or one without result or order to see to.
static std::optional<tile::SyncOrder> orderOf(Operation *op) {
  if (auto update = dyn_cast<tile::AtomicRmwOp>(op))
    return update.getOrder();
  if (auto swap = dyn_cast<tile::AtomicCasOp>(op))
    return swap.getOrder();
  if (auto load = dyn_cast<tile::LoadOp>(op))
    return load.getOrder();
  if (auto store = dyn_cast<tile::StoreOp>(op))
    return store.getOrder();
  if (auto load = dyn_cast<tile::LoadPtrOp>(op))
    return load.getOrder();
  if (auto store = dyn_cast<tile::StorePtrOp>(op))
    return store.getOrder();
  return std::nullopt;
}

bool tilewright::isAtomicAccess(Operation *op) { return orderOf(op).has_value(); }

/// What the access gives, if anything: its first result that is no token.
static Value resultOf(Operation *op) {
  for (Value result : op->getResults())
    if (!isa<tile::TokenType>(result.getType()))
      return result;
  return {};
}

/// `op` on tiles of one element. A pointer and what goes with it are all scalars or all tiles.
static Operation *asTile(Operation *op) {
  auto func = op->getParentOfType<func::FuncOp>();
  auto numWarps = func->getAttrOfType<IntegerAttr>("tile.num_warps");
  OpBuilder builder(op);
  auto tileOf = [&](Type element) {
    auto type = RankedTensorType::get({1}, element);
    return withLayout(type, defaultLayout(type, numWarps ? numWarps.getInt() : 1));
  };
  Operation *tiled = builder.clone(*op);
  builder.setInsertionPoint(tiled);
  for (OpOperand &operand : tiled->getOpOperands())
    if (!isa<tile::TokenType>(operand.get().getType()))
      operand.set(tile::SplatOp::create(builder, op->getLoc(), tileOf(operand.get().getType()), operand.get()));
  builder.setInsertionPointAfter(tiled);
  for (auto [old, made] : llvm::zip(op->getResults(), tiled->getResults())) {
    Value scalar = made;
    if (!isa<tile::TokenType>(old.getType())) {
      made.setType(tileOf(old.getType()));
      if (old.use_empty())
        continue;
      scalar = tile::ToScalarOp::create(builder, op->getLoc(), old.getType(), made);
    }
    old.replaceAllUsesWith(scalar);
  }
  op->erase();
  return tiled;
}

LogicalResult tilewright::lowerAtomic(Operation *op) {
  tile::SyncOrder order = *orderOf(op);
  bool isRelease = order == tile::SyncOrder::release || order == tile::SyncOrder::acq_rel;
  bool isAcquire = order == tile::SyncOrder::acquire || order == tile::SyncOrder::acq_rel;
  if (llvm::none_of(op->getOperandTypes(), llvm::IsaPred<RankedTensorType, tile::ViewType>))
    op = asTile(op);
  Location loc = op->getLoc();
  OpBuilder builder(op);
  if (isRelease)
    SyncOp::create(builder, loc);
  builder.setInsertionPointAfter(op);
  Value result = resultOf(op);
  LayoutAttr layout = result ? layoutOf(result.getType()) : LayoutAttr();
  if (!result || result.use_empty() || !layout || !hasReplicas(layout)) {
    if (isAcquire)
      SyncOp::create(builder, loc);
    return success();
  }
  // Replicas must agree on what the owner was given.
  RankedTensorType type = tileType(result);
  if (!fitsBuffer(type.getElementType()))
    return op->emitOpError() << "cannot move elements of " << type.getElementType() << " between threads yet";
  std::vector<unsigned> fastestFirst;
  for (unsigned dim = type.getRank(); dim-- > 0;)
    fastestFirst.push_back(dim);
  auto shared = layout::SharedLayout::makeRowMajor(type.getShape().vec(), fastestFirst);
  if (!shared)
    return op->emitOpError() << "is too large for shared memory";
  Value buffer = makeBuffer(builder, loc, type, *shared);
  auto store = LocalStoreOp::create(builder, loc, result, buffer);
  if (isAcquire)
    SyncOp::create(builder, loc);
  Value loaded = LocalLoadOp::create(builder, loc, type, buffer);
  explainTrip(op, buffer, "what an atomic access gives its owners goes to all replicas");
  result.replaceAllUsesExcept(loaded, store);
  return success();
}
