// SPDX-License-Identifier: Apache-2.0
/// \file
/// Which launches of a host function become one, apart from the rewriting. Worked example: 100 launches whose own
/// parameters take 48 bytes each, with 32 more that all share, in 4096 bytes: at most 84 fit, so two chunks of 50 -
/// even chunks need fewer different kernels than full ones.
#ifndef TILEWRIGHT_DIALECT_TILE_TRANSFORMS_LAUNCHBATCHES_H
#define TILEWRIGHT_DIALECT_TILE_TRANSFORMS_LAUNCHBATCHES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/SymbolTable.h"
#include "tilewright/Dialect/Tile/IR/Tile.h"
#include "llvm/ADT/BitVector.h"

#include <string>

namespace tilewright {

/// Splits `count` launches into as few chunks of at most `most` (at least 1) as there can be, equal but for one.
llvm::SmallVector<size_t> splitEvenly(size_t count, size_t most);

/// Neighbouring launches of one kernel, and what becomes of them.
struct LaunchBatch {
  llvm::SmallVector<tile::LaunchOp> launches;
  /// Why they stay as they are; empty if they are merged. What follows is set only then.
  std::string reason;
  /// Parameters of the kernel for which all launches have the same value.
  llvm::BitVector shared;
  int64_t bytesPerLaunch = 0, sharedBytes = 0;
  /// How many launches become one, in order.
  llvm::SmallVector<size_t> chunks;
};

/// The batches of a host function in order; single launches between others are not among them. A kernel may have at
/// most `maxBytes` of parameters. Changes nothing.
llvm::SmallVector<LaunchBatch> planLaunchBatches(mlir::func::FuncOp host, int64_t maxBytes, mlir::SymbolTable &symbols);

} // namespace tilewright

#endif // TILEWRIGHT_DIALECT_TILE_TRANSFORMS_LAUNCHBATCHES_H
