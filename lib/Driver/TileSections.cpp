// SPDX-License-Identifier: Apache-2.0
// Bundles whose variants are lowered when they are first launched: tile programs as text, and the way on from there.
#include "Internal.h"
#include "tilewright/Conversion/TileToTileGPU/LayoutPlan.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace tilewright;

CompiledVariant driver::makeTileVariant(func::FuncOp func, StringRef kernel, const CompileOptions &options) {
  CompiledVariant variant;
  variant.kernel = kernel.str();
  variant.symbol = variant.module = func.getSymName().str();
  // The plan says the number of threads, so the choice is made here and stays with the program.
  unsigned warps = chooseNumWarps(func, options.numWarps);
  variant.numThreads = warps * kWarpSize;
  OwningOpRef<ModuleOp> module = isolate(func);
  func::FuncOp copy = *module->getOps<func::FuncOp>().begin();
  copy->setAttr("tile.num_warps", Builder(copy).getI64IntegerAttr(warps));
  // The launcher's business, and names of functions that are not in this module.
  for (StringRef name : {"tile.grid", "tile.guard", "tile.variant_of"})
    copy->removeAttr(name);
  variant.tiles = printWithLocations(*module);
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
