// SPDX-License-Identifier: Apache-2.0
#include "tilewright/Conversion/TileToSIMT/Passes.h"
#include "ThreadProgram.h"

namespace tilewright {
#define GEN_PASS_DEF_CONVERTTILETOSIMTPASS
#include "tilewright/Conversion/TileToSIMT/Passes.h.inc"
} // namespace tilewright

using namespace mlir;
using namespace tilewright;

namespace {
struct ConvertTileToSIMT : public tilewright::impl::ConvertTileToSIMTPassBase<ConvertTileToSIMT> {
  using ConvertTileToSIMTPassBase::ConvertTileToSIMTPassBase;

  void runOnOperation() override {
    SmallVector<func::FuncOp> kernels, hosts;
    for (auto func : getOperation().getOps<func::FuncOp>()) {
      if (func->hasAttr("tile.kernel"))
        kernels.push_back(func);
      else if (!func.isExternal() && !func.front().getOps<tile::LaunchOp>().empty())
        hosts.push_back(func);
    }
    // What they launch no longer takes views; the launch plan, made before, says what they do.
    for (func::FuncOp host : hosts)
      host.erase();
    for (func::FuncOp kernel : kernels) {
      auto warps = kernel->getAttrOfType<IntegerAttr>("tile.num_warps");
      if (!warps) {
        emitError(kernel.getLoc(), "has no tile.num_warps; run tile-assign-layouts first");
        return signalPassFailure();
      }
      simt::ExecutionScope scope;
      scope.warpCount = warps.getInt();
      if (failed(simt::ThreadProgram(kernel, scope).run()))
        return signalPassFailure();
    }
  }
};
} // namespace
