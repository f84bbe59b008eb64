// SPDX-License-Identifier: Apache-2.0
/// \file
/// What `tile.unroll` asks of a loop, read once for the pass that decides and for the one that makes copies.
#ifndef TILEWRIGHT_ANALYSIS_UNROLLWISH_H
#define TILEWRIGHT_ANALYSIS_UNROLLWISH_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

#include <optional>

namespace tilewright {

/// Trips of a loop whose bounds and step are constants, or whose bounds differ by one; else nothing.
std::optional<int64_t> staticTrips(mlir::scf::ForOp loop);

/// The copies of its body that `loop` asks for; nothing where it has no `tile.unroll`. `"full"` is one for each trip, at
/// least 1. What cannot be had is an error at the loop: `"full"` of trips that are known at run time only or are more than
/// kMaxUnroll, and more than one copy of a loop that is no scf.for and so does not count its trips.
mlir::FailureOr<std::optional<int64_t>> copiesAsked(mlir::LoopLikeOpInterface loop);

} // namespace tilewright

#endif // TILEWRIGHT_ANALYSIS_UNROLLWISH_H
