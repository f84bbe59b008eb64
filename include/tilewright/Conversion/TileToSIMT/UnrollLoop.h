// SPDX-License-Identifier: Apache-2.0
/// \file
/// Copies of a loop's body, as a decision apart from the rewrite.
///
/// With `trips = whole * copies + rest`, a loop over `lower + step * t` becomes one of `whole` trips that holds `copies` bodies
/// and takes steps of `copies * step`, and behind it the loop itself for the rest. Both run the bodies in the order in which
/// the loop ran them, all threads alike, so barriers, shuffles and shared memory in them mean what they did. It is
/// done to the program of one thread, where these are in place: copies of a tile program would each get buffers of their own.
///
/// Worked example: 0 to 11 step 3, two copies. trips = ceil(11 / 3) = 4, whole = 2, rest = 0: `0 to 12 step 6` with bodies at i and
/// i + 3, and `12 to 11 step 3`, which does not run.
///
/// Why not upstream's loopUnrollByFactor: for trips that are known at run time only it asks for positive bounds,
/// computes them with a sum that may overflow, and knows nothing of types that are too narrow for the number of copies.
#ifndef TILEWRIGHT_CONVERSION_TILETOSIMT_UNROLLLOOP_H
#define TILEWRIGHT_CONVERSION_TILETOSIMT_UNROLLLOOP_H

#include "mlir/Dialect/SCF/IR/SCF.h"

#include <optional>

namespace tilewright::simt {

/// How often a part of an unrolled loop runs.
enum class TripForm {
  Never,   ///< It does not: nothing is there.
  Once,    ///< It does, always: no loop.
  AtMostOnce, ///< A branch.
  Loop,    ///< A loop that stays as it is.
};

/// An unrolled loop: `copies` bodies in `main`, one in `rest`.
struct UnrollShape {
  int64_t copies = 1;
  TripForm main = TripForm::Loop;
  TripForm rest = TripForm::Never;
};

/// Decides for a loop whose variable has `width` bits. `trips` and `step` are what is known at compile time of them. `copies` is
/// 1 or more. Relies on what the language promises: `upper + step - 1` fits the type, so `trips * step < 2^width`. Where
/// `copies * step` is no positive number of the type, there is at most one whole trip.
UnrollShape planUnrollShape(std::optional<int64_t> trips, std::optional<llvm::APInt> step, unsigned width, int64_t copies);

/// The trips of a loop: `ceil((upper - lower) / step)`, or 0 where `lower` is not below `upper`. In its variable's type, to be
/// read as unsigned. Folds what is constant.
mlir::Value emitTrips(mlir::OpBuilder &builder, mlir::scf::ForOp loop);

/// Gives `loop` the `shape`. Loops that are left carry `tile_gpu.nounroll` and what the loop carried but for `tile.unroll`. The loop
/// is gone, or is the one for the rest.
void unrollLoop(mlir::RewriterBase &rewriter, mlir::scf::ForOp loop, const UnrollShape &shape);

} // namespace tilewright::simt

#endif // TILEWRIGHT_CONVERSION_TILETOSIMT_UNROLLLOOP_H
