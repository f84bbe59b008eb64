// SPDX-License-Identifier: Apache-2.0
#include "tilewright/Analysis/UnrollWish.h"
#include "tilewright/Dialect/Tile/IR/UnrollLimit.h"

using namespace mlir;
using namespace tilewright;

std::optional<int64_t> tilewright::staticTrips(scf::ForOp loop) {
  std::optional<APInt> trips = loop.getStaticTripCount();
  if (!trips || trips->getActiveBits() > 62)
    return std::nullopt;
  return static_cast<int64_t>(trips->getZExtValue());
}

FailureOr<std::optional<int64_t>> tilewright::copiesAsked(LoopLikeOpInterface loop) {
  Attribute asked = loop->getAttr("tile.unroll");
  if (!asked)
    return std::optional<int64_t>();
  auto number = dyn_cast<IntegerAttr>(asked);
  auto counted = dyn_cast<scf::ForOp>(loop.getOperation());
  if (!counted) {
    if (number && number.getInt() == 1)
      return std::optional<int64_t>(1);
    return emitError(loop.getLoc()) << "expected tile.unroll = 1 on " << loop->getName().getStringRef()
                                    << ", whose trips nobody counts, found " << asked;
  }
  if (number)
    return std::optional<int64_t>(number.getInt());
  std::optional<int64_t> trips = staticTrips(counted);
  if (!trips)
    return emitError(loop.getLoc()) << "expected a number of trips that is known at compile time for tile.unroll = "
                                       "\"full\", found bounds or a step that are known at run time only";
  if (*trips > tile::kMaxUnroll)
    return emitError(loop.getLoc()) << "expected at most " << tile::kMaxUnroll
                                    << " trips for tile.unroll = \"full\", found " << *trips;
  return std::optional<int64_t>(std::max<int64_t>(*trips, 1));
}
