// SPDX-License-Identifier: Apache-2.0
// Bundles whose variants are lowered when they are first launched: tile programs as text, and the way on from there.
#include "Internal.h"
#include "tilewright/Conversion/TileToTileGPU/LayoutPlan.h"
#include "tilewright/Dialect/Tile/Transforms/DotChoice.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace tilewright;

/// Puts beside the function in `module` the functions of `from` that it calls, directly or not. Only calls that could not
/// be inlined are left, and the lowering says what is wrong with them.
static void addCallees(ModuleOp module, ModuleOp from) {
  OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
  SmallVector<func::FuncOp> work(module.getOps<func::FuncOp>());
  while (!work.empty())
    work.pop_back_val().walk([&](func::CallOp call) {
      auto callee = from.lookupSymbol<func::FuncOp>(call.getCallee());
      if (callee && !module.lookupSymbol(call.getCallee()))
        work.push_back(cast<func::FuncOp>(builder.clone(*callee)));
    });
}

FailureOr<CompiledVariant> driver::makeTileVariant(func::FuncOp func, StringRef kernel, const CompileOptions &options) {
  CompiledVariant variant;
  variant.kernel = kernel.str();
  variant.symbol = variant.module = func.getSymName().str();
  OwningOpRef<ModuleOp> module = isolate(func);
  func::FuncOp copy = *module->getOps<func::FuncOp>().begin();
  // The plan says the number of threads, so the choice is made here and stays with the program.
  if (failed(chooseDots(copy, options.target, options.numWarps, "tile-assign-layouts")))
    return failure();
  unsigned warps = chooseWarps(copy, findAccessShapes(copy), options.numWarps).warps;
  variant.numThreads = warps * kWarpSize;
  copy->setAttr("tile.num_warps", Builder(copy).getI64IntegerAttr(warps));
  // The launcher's business, and names of functions that are not in this module.
  for (StringRef name : {"tile.grid", "tile.guard", "tile.requires", "tile.variant_of"})
    copy->removeAttr(name);
  addCallees(*module, func->getParentOfType<ModuleOp>());
  variant.tiles = driver::printWithLocations(*module);
  return variant;
}

LogicalResult tilewright::lowerTileSection(ModuleOp module, const LaunchPlan &plan) {
  CompileOptions options;
  options.target = plan.target;
  SmallVector<StringRef> pairs;
  StringRef(plan.options).split(pairs, ' ', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (StringRef pair : pairs) {
    auto [key, value] = pair.split('=');
    std::string error;
    if (!setCompileOption(options, key, value, error))
      return emitError(module.getLoc()) << "the plan's options cannot be read: " << error;
  }
  return driver::runStages(module, PipelineStage::Tile, PipelineStage::Simt, options, /*times=*/nullptr,
                           "tile-to-simt");
}
