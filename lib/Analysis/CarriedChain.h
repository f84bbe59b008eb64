// SPDX-License-Identifier: Apache-2.0
/// \file
/// How a loop advances what it carries from one iteration to the next by additions.
#ifndef TILEWRIGHT_LIB_ANALYSIS_CARRIEDCHAIN_H
#define TILEWRIGHT_LIB_ANALYSIS_CARRIEDCHAIN_H

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tilewright {

/// One addition (`arith.addi`, `tile.ptr_add`) or subtraction (`arith.subi`) of `addend`.
struct ChainLink {
  mlir::Operation *op;
  mlir::Value addend;
  bool isSubtracted;
};

/// Whether `value` is what a loop carries.
bool isCarried(mlir::Value value);

/// The links from `argument`, which an `scf.for` carries, to what the loop yields for it, first to last; nothing where
/// the loop does something else with it. Only the last `maxLinks` are looked at.
std::optional<llvm::SmallVector<ChainLink>> findChain(mlir::BlockArgument argument, unsigned maxLinks = 16);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_ANALYSIS_CARRIEDCHAIN_H
