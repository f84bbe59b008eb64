// SPDX-License-Identifier: Apache-2.0
#include "tilewright/Dialect/Tile/Transforms/KernelVersions.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace tilewright;

SmallVector<KernelVersions> tilewright::findKernelVersions(ModuleOp module) {
  llvm::MapVector<StringRef, KernelVersions> kernels;
  for (auto func : module.getOps<func::FuncOp>()) {
    if (!func->hasAttr("tile.kernel") || func.isExternal())
      continue;
    auto original = func->getAttrOfType<FlatSymbolRefAttr>("tile.variant_of");
    KernelVersions &versions = kernels[original ? original.getValue() : func.getSymName()];
    if (original)
      versions.all.push_back(func);
    else
      versions.kernel = func;
  }
  SmallVector<KernelVersions> found;
  for (auto &[name, versions] : kernels) {
    if (!versions.kernel)
      continue;
    // The kernel itself is tried last, wherever it stands.
    versions.all.push_back(versions.kernel);
    found.push_back(std::move(versions));
  }
  return found;
}
