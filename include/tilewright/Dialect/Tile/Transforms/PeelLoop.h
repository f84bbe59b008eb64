// SPDX-License-Identifier: Apache-2.0
/// \file
/// Splits a loop into whole steps and what is left, apart from the decision to do so.
#ifndef TILEWRIGHT_DIALECT_TILE_TRANSFORMS_PEELLOOP_H
#define TILEWRIGHT_DIALECT_TILE_TRANSFORMS_PEELLOOP_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tilewright/Analysis/InBounds.h"

namespace tilewright {

/// Why the last iteration of `loop` cannot be peeled; nothing where it can.
std::optional<std::string> reasonNotToPeel(mlir::scf::ForOp loop, InBoundsAnalysis &analysis);

/// Ends `loop` in front of its last partial step and runs that, if there is one, behind it:
///
///     main = lower + floor((upper - lower) / step) * step
///     for i = lower to main step step
///     if lower < upper and main < upper: the body once, with i = main
///
/// With no trip at all neither runs. The loop must be one that can be peeled.
void peelLastStep(mlir::scf::ForOp loop, InBoundsAnalysis &analysis);

} // namespace tilewright

#endif // TILEWRIGHT_DIALECT_TILE_TRANSFORMS_PEELLOOP_H
