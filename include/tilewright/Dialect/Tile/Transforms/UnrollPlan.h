// SPDX-License-Identifier: Apache-2.0
/// \file
/// How often the body of a loop is repeated, as a decision apart from the rewrite.
///
/// Repeating a body hides latency and folds what depends on the trip, and costs registers (values of several trips
/// live at once), instructions, and with them compile time. Small iterative kernels gain from it on Hopper as long as nothing
/// spills, so no number of trips alone decides: the registers do first, per target and wanted occupancy, then the
/// instructions.
#ifndef TILEWRIGHT_DIALECT_TILE_TRANSFORMS_UNROLLPLAN_H
#define TILEWRIGHT_DIALECT_TILE_TRANSFORMS_UNROLLPLAN_H

#include "tilewright/Analysis/LiveTiles.h"
#include "tilewright/Target/Target.h"

#include <optional>
#include <string>

namespace tilewright {

/// What a loop may use.
struct UnrollLimits {
  int64_t threads = 128;
  /// Registers of one thread, less what addresses and counters take.
  int64_t registers = 223;
  /// Instructions of one thread in all copies together.
  int64_t instructions = 2048;
};

/// The limits of `kernel` on `target`: registers follow from its warps and the occupancy that it wants.
UnrollLimits unrollLimits(mlir::func::FuncOp kernel, const Target &target, unsigned numWarps);

/// Whether so many copies of a body keep the limits.
bool fitsUnrolled(const LiveTiles &tiles, int64_t copies, const UnrollLimits &limits);

/// The number of copies of a body: `trips` (all of them, at most 32), a divisor of it of at most 8, or without one 4 or 2 and a
/// rest; the most that `limits` allow, at least 1.
int64_t chooseUnroll(const LiveTiles &tiles, int64_t trips, const UnrollLimits &limits);

enum class UnrollOutcome {
  Asked,    ///< The loop says it.
  Pipeline, ///< Left to the software pipeline.
  Nested,   ///< There is a loop in it.
  Unknown,  ///< Trips are known at run time only and nothing forbids copies: left to ptxas.
  Chosen,   ///< `copies` of the body.
};

struct UnrollDecision {
  mlir::scf::ForOp loop;
  UnrollOutcome outcome = UnrollOutcome::Chosen;
  int64_t copies = 1;
  std::optional<int64_t> trips;
  LiveTiles tiles;
};

/// How a number of copies goes with the trips of a loop.
enum class UnrollFit {
  Exact,  ///< Copies divide trips, or there is one copy.
  Rest,   ///< Trips are left over, or may be since their number is known at run time only: a rolled loop runs them.
  Beyond, ///< There are fewer trips than copies: as many copies as trips.
};
UnrollFit fitOfTrips(int64_t copies, std::optional<int64_t> trips);

/// Decides for each loop of `kernel` that has tiles in it or asks, in program order. Changes nothing. What loops ask for must be
/// possible (copiesAsked).
std::vector<UnrollDecision> planUnroll(mlir::func::FuncOp kernel, const UnrollLimits &limits);

} // namespace tilewright

#endif // TILEWRIGHT_DIALECT_TILE_TRANSFORMS_UNROLLPLAN_H
