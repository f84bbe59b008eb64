// SPDX-License-Identifier: Apache-2.0
#include "tilewright/Dialect/Tile/Transforms/DotBatch.h"
#include "tilewright/Dialect/Tile/Transforms/DotChoice.h"
#include "tilewright/Dialect/Tile/Transforms/DotMerge.h"
#include "tilewright/Dialect/Tile/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace tilewright {
#define GEN_PASS_DEF_SELECTDOTPASS
#include "tilewright/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilewright

using namespace mlir;
using namespace tilewright;

namespace {
struct SelectDot : public tilewright::impl::SelectDotPassBase<SelectDot> {
  using SelectDotPassBase::SelectDotPassBase;

  void runOnOperation() override {
    func::FuncOp func = getOperation();
    if (!func->hasAttr("tile.kernel"))
      return;
    auto pinned = func->getAttrOfType<IntegerAttr>("tile.num_warps");
    unsigned warps = pinned ? pinned.getInt() : numWarps;
    // An unknown target and too many warps are the choice's errors.
    const Target *chosen = findTarget(target);
    if (chosen && merge && warps <= Target::kMaxThreadsPerBlock / kWarpSize) {
      mergeDots(func, *chosen, warps, getArgument());
      batchDots(func, *chosen, warps, getArgument());
    }
    if (failed(chooseDots(func, target, numWarps, getArgument())))
      signalPassFailure();
  }
};
} // namespace
