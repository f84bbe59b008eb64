// SPDX-License-Identifier: Apache-2.0
#include "tilewright/Conversion/TileToTileGPU/LayoutPlan.h"
#include "tilewright/Conversion/TileToTileGPU/Passes.h"
#include "tilewright/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

namespace tilewright {
#define GEN_PASS_DEF_SINKCHEAPTILESPASS
#include "tilewright/Conversion/TileToTileGPU/Passes.h.inc"
} // namespace tilewright

using namespace mlir;
using namespace tilewright;

namespace {

/// True if making the tile again costs about one instruction per element: positions, constants, comparisons of positions
/// and what integer arithmetic makes of them.
bool isCheapOp(Operation *op) {
  if (op->getNumResults() != 1 || !isTile(op->getResult(0)) || op->getNumRegions() != 0 || !isMemoryEffectFree(op))
    return false;
  if (isa<arith::ConstantOp, tile::SplatOp, tile::IotaOp, tile::BroadcastOp, tile::ReshapeOp, tile::PermuteOp,
          arith::SelectOp>(op))
    return true;
  if (isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp, arith::CeilDivSIOp, arith::CeilDivUIOp,
          arith::FloorDivSIOp>(op))
    return false;
  bool isInteger = tileType(op->getResult(0)).getElementType().isSignlessIntOrIndex();
  for (Value operand : op->getOperands())
    isInteger &= getElementTypeOrSelf(operand.getType()).isSignlessIntOrIndex();
  return isInteger && op->hasTrait<OpTrait::Elementwise>();
}

struct SinkCheapTiles : public tilewright::impl::SinkCheapTilesPassBase<SinkCheapTiles> {
  using SinkCheapTilesPassBase::SinkCheapTilesPassBase;

  void runOnOperation() override {
    func::FuncOp func = getOperation();
    if (!func->hasAttr("tile.kernel"))
      return;
    llvm::DenseSet<Operation *> cheap;
    SmallVector<Operation *> inOrder;
    func.walk<WalkOrder::PreOrder>([&](Operation *op) {
      bool isCheap = isCheapOp(op) && llvm::all_of(op->getOperands(), [&](Value operand) {
                       return !isTile(operand) || (operand.getDefiningOp() && cheap.contains(operand.getDefiningOp()));
                     });
      if (isCheap) {
        cheap.insert(op);
        inOrder.push_back(op);
      }
    });
    // Users before what they use, so that a chain moves as a whole.
    for (Operation *op : llvm::reverse(inOrder))
      sink(op);
  }

private:
  /// True if `user` is in a loop that `op` is not in, so that its value would have to live through that loop.
  static bool crossesLoop(Operation *op, Operation *user) {
    for (Operation *parent = user->getParentOp(); parent && !parent->isAncestor(op); parent = parent->getParentOp())
      if (isa<LoopLikeOpInterface>(parent))
        return true;
    return false;
  }

  void sink(Operation *op) {
    llvm::MapVector<Block *, SmallVector<OpOperand *>> uses;
    for (OpOperand &use : op->getResult(0).getUses())
      if (crossesLoop(op, use.getOwner()))
        uses[use.getOwner()->getBlock()].push_back(&use);
    for (auto &[block, operands] : uses) {
      Operation *first = operands.front()->getOwner();
      for (OpOperand *use : operands)
        if (use->getOwner()->isBeforeInBlock(first))
          first = use->getOwner();
      OpBuilder builder(first);
      Value copy = builder.clone(*op)->getResult(0);
      for (OpOperand *use : operands)
        use->set(copy);
    }
    if (uses.empty())
      return;
    remark::passed(op->getLoc(), remark::RemarkOpts::name("Rematerialized").category(getArgument()).function(
                                     op->getParentOfType<func::FuncOp>().getSymName()))
        << remark::reason("made again inside of {0} loop bodies: a few instructions instead of registers that stay "
                          "occupied through the loop",
                          uses.size());
    if (op->use_empty())
      op->erase();
  }
};

} // namespace
