// SPDX-License-Identifier: Apache-2.0
/// \file
/// How many registers the tiles of a loop take, estimated before there are layouts: the bytes of the tiles that are live
/// at the point of most pressure, spread evenly over the threads.
///
/// A tile lives from the op that makes it to its last use; what comes from outside the loop and is used in it, or
/// behind it, lives throughout, and so does what the loop carries. What costs nothing to make again (constants, splats,
/// counts and element-wise ops on these alone) takes no registers, and a broadcast, reshape or permute shares those of its
/// source. Unrolled copies may overlap, so what one trip makes for itself counts once per copy.
///
/// Worked example, 128 threads: a loop carries 64x64xf32 (16384 bytes, 32 registers) and multiplies it by a loaded tile of
/// the same type: 32 registers throughout, and 32 more for the loaded tile. The product takes the place of what was
/// carried. Four copies: 32 + 4 * 32.
#ifndef TILEWRIGHT_ANALYSIS_LIVETILES_H
#define TILEWRIGHT_ANALYSIS_LIVETILES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tilewright {

/// Tiles of one loop, in bytes of all threads together.
struct LiveTiles {
  /// Live throughout: carried, or made outside and used in the loop or behind it.
  int64_t throughoutBytes = 0;
  /// What one trip adds at its point of most pressure.
  int64_t tripBytes = 0;
  /// Elements that the ops of one trip compute, load or store: a measure of instructions.
  int64_t tripElements = 0;
  /// Those ops: each costs an instruction for addresses or bounds, however small its tile.
  int64_t tripOps = 0;

  /// 32-bit registers of one thread with that many copies of the body.
  int64_t registers(int64_t copies, int64_t threads) const {
    return (throughoutBytes + copies * tripBytes + 4 * threads - 1) / (4 * threads);
  }
  /// Instructions of one thread in that many copies.
  int64_t instructions(int64_t copies, int64_t threads) const {
    return copies * tripOps + (copies * tripElements + threads - 1) / threads;
  }
};

/// Measures the body of `loop`, what is nested in it included. Changes nothing.
LiveTiles measureLiveTiles(mlir::scf::ForOp loop);

/// Warps that a kernel will have: those that it asks for, else `numWarps` where that is not 0, else as many as give each
/// thread at most 128 sums of its largest product, from 4 to 16, as the choice of layouts has it.
int64_t expectedWarps(mlir::func::FuncOp kernel, unsigned numWarps);

} // namespace tilewright

#endif // TILEWRIGHT_ANALYSIS_LIVETILES_H
