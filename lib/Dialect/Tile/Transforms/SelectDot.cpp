// SPDX-License-Identifier: Apache-2.0
#include "tilewright/Dialect/Tile/Transforms/DotChoice.h"
#include "tilewright/Dialect/Tile/Transforms/Passes.h"

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
    if (failed(chooseDots(func, target, numWarps, getArgument())))
      signalPassFailure();
  }
};
} // namespace
