// SPDX-License-Identifier: Apache-2.0
#include "CarriedValues.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tilewright;

/// Whether all that follows from `argument` within one iteration is what the loop yields for it.
static bool servesItselfAlone(scf::ForOp loop, BlockArgument argument) {
  unsigned place = argument.getArgNumber() - loop.getNumInductionVars();
  Operation *yield = loop.getBody()->getTerminator();
  llvm::SetVector<Value> reached;
  reached.insert(argument);
  for (size_t i = 0; i < reached.size(); ++i)
    for (OpOperand &use : reached[i].getUses()) {
      Operation *user = use.getOwner();
      if (user == yield && use.getOperandNumber() == place)
        continue;
      if (user == yield || user->getBlock() != loop.getBody() || user->getNumRegions() != 0 ||
          !isMemoryEffectFree(user))
        return false;
      reached.insert(user->result_begin(), user->result_end());
    }
  return true;
}

void tilewright::freezeUnusedCarried(RewriterBase &rewriter, scf::ForOp loop) {
  Operation *yield = loop.getBody()->getTerminator();
  for (auto [place, argument] : llvm::enumerate(loop.getRegionIterArgs()))
    if (loop.getResult(place).use_empty() && yield->getOperand(place) != argument && servesItselfAlone(loop, argument))
      rewriter.modifyOpInPlace(yield, [&, at = place, carried = argument] { yield->setOperand(at, carried); });
}
