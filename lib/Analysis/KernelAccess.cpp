// SPDX-License-Identifier: Apache-2.0
#include "tilewright/Analysis/KernelAccess.h"
#include "tilewright/Dialect/Tile/IR/Tile.h"

using namespace mlir;
using namespace tilewright;

BlockArgument tilewright::parameterOf(Value value, Block *entry) {
  while (true) {
    if (auto argument = dyn_cast<BlockArgument>(value))
      return argument.getOwner() == entry ? argument : BlockArgument();
    Operation *op = value.getDefiningOp();
    if (!isa<tile::PermuteViewOp, tile::MakeViewOp, tile::PtrAddOp, tile::SplatOp, tile::BroadcastOp, tile::ReshapeOp,
             tile::PermuteOp, tile::ViewBaseOp, tile::AssumeOp>(op))
      return {};
    value = op->getOperand(0);
  }
}

SmallVector<ParameterAccess> tilewright::findParameterAccesses(func::FuncOp kernel) {
  SmallVector<ParameterAccess> accesses(kernel.getNumArguments());
  auto mark = [&](Value place, bool ParameterAccess::*flag) {
    if (BlockArgument argument = parameterOf(place, &kernel.front()))
      accesses[argument.getArgNumber()].*flag = true;
    else
      for (ParameterAccess &access : accesses)
        access.*flag = true;
  };
  kernel.walk([&](Operation *op) {
    if (auto load = dyn_cast<tile::LoadOp>(op))
      mark(load.getView(), &ParameterAccess::isRead);
    else if (auto store = dyn_cast<tile::StoreOp>(op))
      mark(store.getView(), &ParameterAccess::isWritten);
    else if (auto gather = dyn_cast<tile::GatherOp>(op))
      mark(gather.getView(), &ParameterAccess::isRead);
    else if (auto scatter = dyn_cast<tile::ScatterOp>(op))
      mark(scatter.getView(), &ParameterAccess::isWritten);
    else if (auto load = dyn_cast<tile::LoadPtrOp>(op))
      mark(load.getPtr(), &ParameterAccess::isRead);
    else if (auto store = dyn_cast<tile::StorePtrOp>(op))
      mark(store.getPtr(), &ParameterAccess::isWritten);
    else if (isa<tile::AtomicRmwOp, tile::AtomicCasOp, tile::ReduceIntoOp>(op)) {
      auto into = dyn_cast<tile::ReduceIntoOp>(op);
      auto update = dyn_cast<tile::AtomicRmwOp>(op);
      Value place = into ? Value(into.getView()) : update ? update.getPtr() : cast<tile::AtomicCasOp>(op).getPtr();
      mark(place, &ParameterAccess::isRead);
      mark(place, &ParameterAccess::isWritten);
    }
  });
  return accesses;
}
