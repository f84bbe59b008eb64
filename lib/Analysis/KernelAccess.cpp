// SPDX-License-Identifier: Apache-2.0
#include "tilewright/Analysis/KernelAccess.h"
#include "tilewright/Dialect/Tile/IR/Tile.h"

#include "llvm/ADT/TypeSwitch.h"

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

/// Calls `visit` with the address or view of each access, and whether it reads and writes.
static void walkAccesses(func::FuncOp kernel, llvm::function_ref<void(Value, bool, bool)> visit) {
  kernel.walk([&](Operation *op) {
    llvm::TypeSwitch<Operation *>(op)
        .Case<tile::LoadOp, tile::GatherOp>([&](auto x) { visit(x.getView(), true, false); })
        .Case<tile::StoreOp, tile::ScatterOp>([&](auto x) { visit(x.getView(), false, true); })
        .Case<tile::LoadPtrOp>([&](auto x) { visit(x.getPtr(), true, false); })
        .Case<tile::StorePtrOp>([&](auto x) { visit(x.getPtr(), false, true); })
        .Case<tile::ReduceIntoOp>([&](auto x) { visit(x.getView(), true, true); })
        .Case<tile::AtomicRmwOp, tile::AtomicCasOp>([&](auto x) { visit(x.getPtr(), true, true); });
  });
}

SmallVector<ParameterAccess> tilewright::findParameterAccesses(func::FuncOp kernel) {
  SmallVector<ParameterAccess> accesses(kernel.getNumArguments());
  walkAccesses(kernel, [&](Value place, bool isRead, bool isWritten) {
    BlockArgument argument = parameterOf(place, &kernel.front());
    for (auto [number, access] : llvm::enumerate(accesses)) {
      bool isHere = !argument || argument.getArgNumber() == number;
      access.isRead |= isHere && isRead;
      access.isWritten |= isHere && isWritten;
    }
  });
  return accesses;
}

bool tilewright::writesBesideParameters(func::FuncOp kernel) {
  bool writes = false, isBeside = false;
  walkAccesses(kernel, [&](Value place, bool, bool isWritten) {
    writes |= isWritten;
    isBeside |= !parameterOf(place, &kernel.front());
  });
  return writes && isBeside;
}
