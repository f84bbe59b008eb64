// SPDX-License-Identifier: Apache-2.0
/// \file
/// Whether one program computes several tiles, apart from the rewriting. A grid of `tiles` programs runs in waves: as
/// many as there are places (SMs times CTAs of each) at a time. Worked example: 300 tiles on 132 places are 3 waves,
/// the last with 36 of them, 27% full. How many CTAs an SM holds, unless the author says it, is known when the kernel is launched.
#ifndef TILEWRIGHT_DIALECT_TILE_TRANSFORMS_PERSISTENCE_H
#define TILEWRIGHT_DIALECT_TILE_TRANSFORMS_PERSISTENCE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <optional>
#include <string>

namespace tilewright {

struct Waves {
  int64_t count = 0;
  /// How much of the last wave's places is used, rounded down; 0 without a wave.
  int64_t lastPercent = 0;
};

/// The waves of `tiles` (at least 0) on `places` (at least 1).
Waves countWaves(int64_t tiles, int64_t places);

/// What to do with one kernel, and why.
struct Persistence {
  bool applies = false;
  /// Why it is impossible; empty if it is not.
  std::string obstacle;
  /// Why it is done or not, in waves where they are known.
  std::string reason;
  /// Tiles of a grid of constants.
  std::optional<int64_t> tiles;
};

/// Decides for `kernel` and its grid function. `asked` is what `who` wants, where anybody wants something; `sms` and `perSm` are
/// the SMs to explain for and the programs of each, where the author says how many. Changes nothing.
Persistence planPersistence(mlir::func::FuncOp kernel, mlir::func::FuncOp grid, std::optional<bool> asked,
                            llvm::StringRef who, int64_t sms, std::optional<int64_t> perSm);

} // namespace tilewright

#endif // TILEWRIGHT_DIALECT_TILE_TRANSFORMS_PERSISTENCE_H
