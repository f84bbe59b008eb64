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

namespace {
/// The part of an accumulator that one warp holds side by side, in bits: elements of a thread along N and M, lanes
/// along N.
struct FmaBlock {
  unsigned elementsN = 2, elementsM = 2, lanesN = 3;
};
} // namespace

static std::optional<DistributedLayout> spreadFma(const std::vector<int64_t> &shape, unsigned numWarps,
                                                  const FmaBlock &block, std::string *error) {
  unsigned rank = shape.size(), m = rank - 2, n = rank - 1;
  auto [warpBits, oddWarps] = splitWarps(numWarps);
  std::vector<unsigned> order = {n, m};
  int64_t elements = shape[m] * shape[n];
  for (unsigned dim = m; dim-- > 0;) {
    order.push_back(dim);
    elements *= shape[dim];
  }

  // Elements side by side, N first; no more than all threads together have, or some would idle.
  Spread spread(shape);
  int64_t budget = ceilDiv(elements, int64_t(kWarpSize) * numWarps), held = 1;
  for (auto [dim, bits] : {std::pair(n, block.elementsN), std::pair(m, block.elementsM)})
    for (unsigned bit = 0; bit < bits && spread.canGrow(dim) && held < budget; ++bit, held *= 2)
      spread.grow(spread.registers, dim);

  // Lanes: what one of the two cannot use goes to the other, then to batch dimensions.
  for (unsigned bit = 0; bit < 5; ++bit)
    if (unsigned dim = bit < block.lanesN ? n : m; spread.canGrow(dim))
      spread.grow(spread.lanes, dim);
  for (unsigned dim : order)
    while (spread.lanes.size() < 5 && spread.canGrow(dim))
      spread.grow(spread.lanes, dim);
  while (spread.lanes.size() < 5)
    spread.replicate(spread.lanes);

  // Each warp bit halves the dimension with the most blocks left, which keeps warp tiles square: least to read. Odd
  // numbers of blocks are halved only where there are no even ones, since that pads.
  for (unsigned bit = 0; bit < warpBits; ++bit) {
    unsigned best = m;
    auto rate = [&](unsigned dim) { return std::pair(spread.repeats(dim) % 2 == 0, spread.repeats(dim)); };
    for (unsigned dim : order)
      if (rate(dim) > rate(best))
        best = dim;
    if (spread.canGrow(best))
      spread.grow(spread.warps, best);
    else
      spread.replicate(spread.warps);
  }
  return spread.finish(order, oddWarps, error);
}

/// What one step along K costs a warp: four multiply-adds issue per cycle, and operands are read in vectors of what a
/// thread holds side by side. It only has to rank the accumulators of one tile.
static double fmaStepCost(const DistributedLayout &layout) {
  unsigned m = layout.rank() - 2, n = layout.rank() - 1;
  /// Positions along `dim` that a thread holds.
  auto held = [&](unsigned dim) {
    int64_t count = 1;
    for (const Coord &basis : layout.registerBases())
      count *= basis[dim] != 0 ? 2 : 1;
    for (const OuterDigit &digit : layout.digits())
      if (digit.place == OuterDigit::Place::Register && digit.dim == dim)
        count *= digit.radix;
    return double(count);
  };
  double batch = double(layout.registersPerThread()) / (held(m) * held(n));
  return batch * (held(m) * held(n) / 4 + held(m) / double(layout.contiguousPerThread(m)) +
                  held(n) / double(layout.contiguousPerThread(n)));
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
  std::optional<DistributedLayout> best = spreadFma(shape, numWarps, FmaBlock(), error);
  if (!best || !best->isRagged())
    return best;
  // Smaller blocks may divide the extents where 4x4 elements of 4x8 lanes do not.
  for (unsigned lanesN : {3, 2})
    for (unsigned elementsN : {2, 1})
      for (unsigned elementsM : {2, 1, 0})
        if (std::optional<DistributedLayout> other = spreadFma(shape, numWarps, {elementsN, elementsM, lanesN}, error);
            other && !other->isRagged() && (best->isRagged() || fmaStepCost(*other) < fmaStepCost(*best)))
          best = other;
  return best;
}

DistributedLayout tilewright::layout::makeFmaAccumulator(const std::vector<int64_t> &shape, unsigned numWarps) {
  std::optional<DistributedLayout> layout = tryMakeFmaAccumulator(shape, numWarps);
  assert(layout && "the tile is within the limits");
  return *layout;
}
