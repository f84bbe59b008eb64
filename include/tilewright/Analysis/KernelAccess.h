// SPDX-License-Identifier: Apache-2.0
/// \file
/// Which parameters of a kernel lead to memory that it reads or writes. The launch plan records it, and launches that
/// share no written memory may run at the same time.
#ifndef TILEWRIGHT_ANALYSIS_KERNELACCESS_H
#define TILEWRIGHT_ANALYSIS_KERNELACCESS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tilewright {

/// The argument of `entry` that an address or view comes from; null if it is not known.
mlir::BlockArgument parameterOf(mlir::Value value, mlir::Block *entry);

/// What a kernel does with the memory behind one parameter.
struct ParameterAccess {
  bool isRead = false, isWritten = false;
};

/// One entry per parameter. An access whose address comes from nowhere known counts for every parameter.
llvm::SmallVector<ParameterAccess> findParameterAccesses(mlir::func::FuncOp kernel);

/// Whether the kernel writes memory and touches some of which it is not known which parameter leads there, such as that
/// behind an address in an i64 or in memory: what is said of parameters then says nothing of what launches share.
bool writesBesideParameters(mlir::func::FuncOp kernel);

} // namespace tilewright

#endif // TILEWRIGHT_ANALYSIS_KERNELACCESS_H
