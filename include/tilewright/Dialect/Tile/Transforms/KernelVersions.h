// SPDX-License-Identifier: Apache-2.0
/// \file
/// The kernels of a module together with their variants, for passes that add variants or change all versions alike.
#ifndef TILEWRIGHT_DIALECT_TILE_TRANSFORMS_KERNELVERSIONS_H
#define TILEWRIGHT_DIALECT_TILE_TRANSFORMS_KERNELVERSIONS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace tilewright {

/// A kernel with its variants in the order in which a launcher tries them; the kernel is last.
struct KernelVersions {
  mlir::func::FuncOp kernel;
  llvm::SmallVector<mlir::func::FuncOp> all;
};

/// The versions of each kernel of `module` that has a body, in the order in which the first of them stands.
llvm::SmallVector<KernelVersions> findKernelVersions(mlir::ModuleOp module);

} // namespace tilewright

#endif // TILEWRIGHT_DIALECT_TILE_TRANSFORMS_KERNELVERSIONS_H
