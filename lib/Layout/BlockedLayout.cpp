// SPDX-License-Identifier: Apache-2.0
// Builders for tiles in memory order and for products on FMA units.
#include "Spread.h"

#include <cassert>

using namespace tilewright::layout;

std::optional<DistributedLayout> tilewright::layout::tryMakeBlocked(const std::vector<int64_t> &shape,
                                                                    const std::vector<int64_t> &sizePerThread,
                                                                    const std::vector<unsigned> &order,
                                                                    unsigned numWarps, std::string *error) {
  assert(sizePerThread.size() == shape.size() && order.size() == shape.size() && "one entry per dimension");
  if (std::string wrong = checkRequest(shape, numWarps); !wrong.empty()) {
    if (error)
      *error = wrong;
    return std::nullopt;
  }
  Spread spread(shape);
  for (unsigned dim : order)
    for (int64_t size = 1; size < sizePerThread[dim] && shape[dim] % (2 * size) == 0; size *= 2)
      spread.grow(spread.registers, dim);
  auto [warpBits, oddWarps] = splitWarps(numWarps);
  spread.spread(spread.lanes, 5, order);
  spread.spread(spread.warps, warpBits, order);
  return spread.finish(order, oddWarps, error);
}

DistributedLayout tilewright::layout::makeBlocked(const std::vector<int64_t> &shape,
                                                  const std::vector<int64_t> &sizePerThread,
                                                  const std::vector<unsigned> &order, unsigned numWarps) {
  std::optional<DistributedLayout> layout = tryMakeBlocked(shape, sizePerThread, order, numWarps);
  assert(layout && "the tile is within the limits");
  return *layout;
}

std::optional<DistributedLayout> tilewright::layout::tryMakeFmaAccumulator(const std::vector<int64_t> &shape,
                                                                           unsigned numWarps, std::string *error) {
  std::string wrong = checkRequest(shape, numWarps);
  if (wrong.empty() && shape.size() < 2)
    wrong = "accumulator expects a rank of at least 2, found " + std::to_string(shape.size());
  if (!wrong.empty()) {
    if (error)
      *error = wrong;
    return std::nullopt;
  }
  unsigned rank = shape.size(), m = rank - 2, n = rank - 1;
  auto [warpBits, oddWarps] = splitWarps(numWarps);
  std::vector<unsigned> order = {n, m};
  int64_t elements = shape[m] * shape[n];
  for (unsigned dim = m; dim-- > 0;) {
    order.push_back(dim);
    elements *= shape[dim];
  }

  // Up to 4x4 elements side by side, N first; no more than all threads together have, or some would idle.
  Spread spread(shape);
  int64_t budget = ceilDiv(elements, int64_t(kWarpSize) * numWarps), held = 1;
  for (unsigned dim : {n, m})
    for (int64_t size = 1; size < 4 && spread.canGrow(dim) && held < budget; size *= 2, held *= 2)
      spread.grow(spread.registers, dim);

  // Lanes 4 (M) x 8 (N); what one of the two cannot use goes to the other, then to batch dimensions.
  for (unsigned dim : {n, n, n, m, m})
    if (spread.canGrow(dim))
      spread.grow(spread.lanes, dim);
  for (unsigned dim : order)
    while (spread.lanes.size() < 5 && spread.canGrow(dim))
      spread.grow(spread.lanes, dim);
  while (spread.lanes.size() < 5)
    spread.replicate(spread.lanes);

  // Each warp bit halves the dimension with the most blocks left, which keeps warp tiles square: least to read.
  for (unsigned bit = 0; bit < warpBits; ++bit) {
    unsigned best = m;
    for (unsigned dim : order)
      if (spread.repeats(dim) > spread.repeats(best))
        best = dim;
    if (spread.canGrow(best))
      spread.grow(spread.warps, best);
    else
      spread.replicate(spread.warps);
  }
  return spread.finish(order, oddWarps, error);
}

DistributedLayout tilewright::layout::makeFmaAccumulator(const std::vector<int64_t> &shape, unsigned numWarps) {
  std::optional<DistributedLayout> layout = tryMakeFmaAccumulator(shape, numWarps);
  assert(layout && "the tile is within the limits");
  return *layout;
}
