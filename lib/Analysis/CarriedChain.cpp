// SPDX-License-Identifier: Apache-2.0
#include "CarriedChain.h"
#include "tilewright/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace tilewright;

bool tilewright::isCarried(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  auto loop = argument ? dyn_cast_or_null<scf::ForOp>(argument.getOwner()->getParentOp()) : scf::ForOp();
  return loop && argument != loop.getInductionVar();
}

std::optional<SmallVector<ChainLink>> tilewright::findChain(BlockArgument argument, unsigned maxLinks) {
  auto loop = cast<scf::ForOp>(argument.getOwner()->getParentOp());
  Value value = loop.getYieldedValues()[argument.getArgNumber() - loop.getNumInductionVars()];
  SmallVector<ChainLink> links;
  while (value != argument) {
    Operation *op = value.getDefiningOp();
    if (!op || links.size() == maxLinks || !isa<arith::AddIOp, arith::SubIOp, tile::PtrAddOp>(op))
      return std::nullopt;
    // Of a sum either operand may be the one that is carried.
    bool isRight = op->getOperand(1) == argument && isa<arith::AddIOp>(op);
    links.push_back({op, op->getOperand(isRight ? 0 : 1), isa<arith::SubIOp>(op)});
    value = op->getOperand(isRight ? 1 : 0);
  }
  std::reverse(links.begin(), links.end());
  return links;
}
