// SPDX-License-Identifier: Apache-2.0
#include "LayoutFlow.h"
#include "tilewright/Dialect/Tile/IR/Tile.h"
#include "tilewright/Layout/AxisFactors.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tilewright;
using tile_gpu::LayoutAttr;

Flow tilewright::flowOf(OpOperand &use) {
  Operation *op = use.getOwner();
  unsigned index = use.getOperandNumber();
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return {loop.getRegionIterArg(index - loop.getNumControlOperands()), true};
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return {loop.getBeforeArguments()[index], true};
  if (isa<scf::ConditionOp>(op))
    return {op->getParentOp()->getResult(index - 1)};
  if (isa<scf::YieldOp>(op)) {
    if (auto loop = dyn_cast<scf::ForOp>(op->getParentOp()))
      return {loop.getRegionIterArg(index)};
    if (auto loop = dyn_cast<scf::WhileOp>(op->getParentOp()))
      return {loop.getBeforeArguments()[index]};
    return {op->getParentOp()->getResult(index)};
  }
  return {};
}

SmallVector<Value> tilewright::tiedTo(Value value) {
  if (auto result = dyn_cast<OpResult>(value)) {
    if (auto loop = dyn_cast<scf::ForOp>(result.getOwner()))
      return {loop.getRegionIterArg(result.getResultNumber())};
    if (auto loop = dyn_cast<scf::WhileOp>(result.getOwner()))
      return {loop.getAfterArguments()[result.getResultNumber()]};
    return {};
  }
  auto argument = cast<BlockArgument>(value);
  if (auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp()))
    return {loop.getResult(argument.getArgNumber() - 1)};
  if (auto loop = dyn_cast<scf::WhileOp>(argument.getOwner()->getParentOp()))
    if (argument.getOwner() == loop.getAfterBody())
      return {loop.getResult(argument.getArgNumber())};
  return {};
}

LayoutAttr tilewright::carriedLayout(OpOperand &use, OpResult result, LayoutAttr layout) {
  Operation *op = use.getOwner();
  RankedTensorType type = tileType(result), from = tileType(use.get());
  if (auto permute = dyn_cast<tile::PermuteOp>(op))
    return permuteLayout(layout, permute.getOrder());
  if (isa<tile::ReshapeOp>(op))
    return reshapeLayout(layout, type.getShape());
  if (auto reduce = dyn_cast<tile::ReduceOp>(op))
    return dropDim(layout, reduce.getDim());
  if (auto scan = dyn_cast<tile::ScanOp>(op))
    return layout::isScannable(layout.toLayout(), scan.getDim()) ? layout : LayoutAttr();
  if (auto concat = dyn_cast<tile::ConcatOp>(op)) {
    int64_t count = concat.getSources().size();
    bool isEven = type.getDimSize(concat.getDim()) == from.getDimSize(concat.getDim()) * count;
    return isEven ? stackLayout(layout, concat.getDim(), count) : LayoutAttr();
  }
  if (auto extract = dyn_cast<tile::ExtractOp>(op)) {
    bool stays = staysInRegisters(extract.getIndices(), layout, type.getShape());
    return stays ? blockLayout(layout, type.getShape()) : LayoutAttr();
  }
  if (isa<tile::BroadcastOp, tile::DotOp, tile::GatherOp>(op) || op->getNumRegions() != 0)
    return {};
  return from.getShape() == type.getShape() ? layout : LayoutAttr();
}
