// SPDX-License-Identifier: Apache-2.0
// Builders: how lanes, warps and registers are spread over a tile.
#include "tilewright/Layout/DistributedLayout.h"

#include <algorithm>
#include <cassert>

using namespace tilewright::layout;

using Place = OuterDigit::Place;

static int64_t ceilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

namespace {
/// Builds a layout from its lowest coordinate bits upwards. `unit[d]` is the extent that has been given to places so
/// far; whatever is assigned next steps by it.
class Spread {
public:
  explicit Spread(const std::vector<int64_t> &shape) : shape(shape), unit(shape.size(), 1) {}

  /// Units needed to cover dimension `dim`.
  int64_t repeats(unsigned dim) const { return ceilDiv(shape[dim], unit[dim]); }
  /// True if one more bit in `dim` lowers the units that remain.
  bool canGrow(unsigned dim) const { return repeats(dim) > 1; }

  /// Gives the next bit of `bases` to `dim`.
  void grow(Bases &bases, unsigned dim) {
    bases.emplace_back(shape.size(), 0);
    bases.back()[dim] = unit[dim];
    unit[dim] *= 2;
  }
  void replicate(Bases &bases) { bases.emplace_back(shape.size(), 0); }

  /// Gives `count` bits to the dimensions in `order`, as many as possible to the first, without wasting more than an
  /// eighth; then, as idle threads are the greater waste, to whichever dimension is padded least by it.
  void spread(Bases &bases, unsigned count, const std::vector<unsigned> &order) {
    for (unsigned dim : order) {
      unsigned bits = count;
      while (bits > 0 && !isThrifty(dim, bits))
        --bits;
      for (count -= bits; bits > 0; --bits)
        grow(bases, dim);
    }
    for (; count > 0; --count) {
      int best = -1;
      double bestWaste = 0;
      for (unsigned dim : order) {
        if (!canGrow(dim))
          continue;
        double waste = double(ceilDiv(shape[dim], 2 * unit[dim]) * 2) / double(repeats(dim));
        if (best < 0 || waste < bestWaste) {
          best = dim;
          bestWaste = waste;
        }
      }
      if (best < 0)
        replicate(bases);
      else
        grow(bases, best);
    }
  }

  /// Gives what is left to registers and an odd factor of the warps to a digit, then makes the layout.
  std::optional<DistributedLayout> finish(const std::vector<unsigned> &order, int64_t oddWarps, std::string *error) {
    int warpDim = -1;
    double bestRatio = 1;
    if (oddWarps > 1)
      for (unsigned dim : order) {
        double ratio = double(ceilDiv(repeats(dim), oddWarps)) / double(repeats(dim));
        if (ratio < bestRatio) {
          warpDim = dim;
          bestRatio = ratio;
        }
      }
    std::vector<OuterDigit> digits;
    for (unsigned dim : order) {
      int64_t count = repeats(dim);
      if (int(dim) == warpDim)
        count = ceilDiv(count, oddWarps);
      for (; count % 2 == 0; count /= 2)
        grow(registers, dim);
      int64_t stride = unit[dim];
      if (int(dim) == warpDim) {
        digits.push_back({dim, oddWarps, stride, Place::Warp});
        stride *= oddWarps;
      }
      if (count > 1)
        digits.push_back({dim, count, stride, Place::Register});
    }
    if (oddWarps > 1 && warpDim < 0)
      digits.push_back({0, oddWarps, 0, Place::Warp});
    return DistributedLayout::create(shape, registers, lanes, warps, {}, digits, error);
  }

  Bases registers, lanes, warps;

private:
  /// True if `bits` more bits in `dim` are all of use and pad it by at most an eighth.
  bool isThrifty(unsigned dim, unsigned bits) const {
    int64_t half = unit[dim] << (bits - 1), whole = 2 * half;
    int64_t padded = ceilDiv(shape[dim], whole) * whole;
    return half < shape[dim] && padded * 8 <= shape[dim] * 9;
  }

  std::vector<int64_t> shape, unit;
};
} // namespace

/// Splits a warp count into the number of bits and the odd rest.
static std::pair<unsigned, int64_t> splitWarps(unsigned numWarps) {
  unsigned bits = 0;
  for (; numWarps % 2 == 0; numWarps /= 2)
    ++bits;
  return {bits, numWarps};
}

/// Checks what the builders rely on before they count anything; returns what is wrong, empty if nothing.
static std::string checkRequest(const std::vector<int64_t> &shape, unsigned numWarps) {
  if (numWarps < 1 || numWarps > DistributedLayout::kMaxWarps)
    return "layout expects 1 to 32 warps, found " + std::to_string(numWarps);
  int64_t elements = 1;
  for (int64_t extent : shape) {
    if (extent < 1)
      return "layout expects extents of at least 1, found " + std::to_string(extent);
    if (extent > DistributedLayout::kMaxElements / elements)
      return "layout expects at most 2^31 elements";
    elements *= extent;
  }
  return "";
}

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
