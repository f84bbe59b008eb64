// SPDX-License-Identifier: Apache-2.0
#include "tilewright/Dialect/Tile/Transforms/UnrollPlan.h"
#include "tilewright/Analysis/UnrollWish.h"
#include "tilewright/Dialect/Tile/IR/Tile.h"

using namespace mlir;
using namespace tilewright;

/// Registers of addresses, bounds and counters beside tiles.
static constexpr int64_t kOtherRegisters = 32;
/// Most copies of a body of which some trips are left to the loop; more give little beyond this and grow the code.
static constexpr int64_t kMostCopies = 8;
/// Most trips of a loop that goes away; the estimate of instructions is too coarse for longer ones.
static constexpr int64_t kMostTrips = 32;

UnrollLimits tilewright::unrollLimits(func::FuncOp kernel, const Target &target, unsigned numWarps) {
  auto occupancy = kernel->getAttrOfType<IntegerAttr>("tile.occupancy");
  int64_t ctas = occupancy ? occupancy.getInt() : 1;
  UnrollLimits limits;
  limits.threads = expectedWarps(kernel, numWarps) * kWarpSize;
  limits.registers = std::min<int64_t>(target.kMaxRegistersPerThread, target.kRegistersPerSm / (limits.threads * ctas)) -
                     kOtherRegisters;
  return limits;
}

bool tilewright::fitsUnrolled(const LiveTiles &tiles, int64_t copies, const UnrollLimits &limits) {
  return tiles.registers(copies, limits.threads) <= limits.registers &&
         tiles.instructions(copies, limits.threads) <= limits.instructions;
}

int64_t tilewright::chooseUnroll(const LiveTiles &tiles, int64_t trips, const UnrollLimits &limits) {
  auto fits = [&](int64_t copies) { return fitsUnrolled(tiles, copies, limits); };
  if (trips <= 1 || (trips <= kMostTrips && fits(trips)))
    return std::max<int64_t>(trips, 1);
  for (int64_t copies = std::min(kMostCopies, trips); copies > 1; --copies)
    if (trips % copies == 0 && fits(copies))
      return copies;
  for (int64_t copies : {4, 2})
    if (copies < trips && fits(copies))
      return copies;
  return 1;
}

UnrollFit tilewright::fitOfTrips(int64_t copies, std::optional<int64_t> trips) {
  if (copies <= 1)
    return UnrollFit::Exact;
  if (trips && *trips < copies)
    return UnrollFit::Beyond;
  return trips && *trips % copies == 0 ? UnrollFit::Exact : UnrollFit::Rest;
}

std::vector<UnrollDecision> tilewright::planUnroll(func::FuncOp kernel, const UnrollLimits &limits) {
  std::vector<UnrollDecision> decisions;
  kernel.walk<WalkOrder::PreOrder>([&](scf::ForOp loop) {
    bool hasTiles = false, hasLoop = false, hasProduct = false, hasLoad = false;
    loop.walk([&](Operation *op) {
      auto isTile = [](Type type) { return isa<RankedTensorType>(type); };
      hasTiles |= llvm::any_of(op->getResultTypes(), isTile) || llvm::any_of(op->getOperandTypes(), isTile);
      hasLoop |= op != loop && isa<LoopLikeOpInterface>(op);
      hasProduct |= isa<tile::DotOp>(op);
      hasLoad |= isa<tile::LoadOp, tile::GatherOp, tile::LoadPtrOp>(op);
    });
    Attribute asked = loop->getAttr("tile.unroll");
    if (!hasTiles && !asked)
      return;
    UnrollDecision decision{loop, UnrollOutcome::Chosen, 1, staticTrips(loop), measureLiveTiles(loop)};
    if (asked) {
      auto count = dyn_cast<IntegerAttr>(asked);
      decision.outcome = UnrollOutcome::Asked;
      decision.copies = count ? count.getInt() : decision.trips.value_or(1);
    } else if (hasLoop) {
      decision.outcome = UnrollOutcome::Nested;
    } else if (hasProduct && hasLoad) {
      decision.outcome = UnrollOutcome::Pipeline;
    } else if (decision.trips) {
      decision.copies = chooseUnroll(decision.tiles, *decision.trips, limits);
    } else if (fitsUnrolled(decision.tiles, 2, limits)) {
      decision.outcome = UnrollOutcome::Unknown;
    }
    decisions.push_back(decision);
  });
  return decisions;
}
