// SPDX-License-Identifier: Apache-2.0
/// \file
/// How lanes, warps and registers are spread over a tile: what all builders of layouts share.
#ifndef TILEWRIGHT_LIB_LAYOUT_SPREAD_H
#define TILEWRIGHT_LIB_LAYOUT_SPREAD_H

#include "tilewright/Layout/DistributedLayout.h"

#include <algorithm>

namespace tilewright::layout {

inline int64_t ceilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

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
  /// eighth; one bit less there where all bits then divide the extents, since padding costs every later op a compare;
  /// then, as idle threads are the greater waste, to whichever dimension is padded least by it.
  void spread(Bases &bases, unsigned count, const std::vector<unsigned> &order) {
    std::vector<unsigned> thrifty(shape.size(), 0), exact = thrifty;
    unsigned left = count, leftExact = count;
    for (unsigned dim : order) {
      thrifty[dim] = left;
      while (thrifty[dim] > 0 && !isThrifty(dim, thrifty[dim]))
        --thrifty[dim];
      left -= thrifty[dim];
      while (exact[dim] < leftExact && shape[dim] % (unit[dim] << (exact[dim] + 1)) == 0)
        ++exact[dim];
      leftExact -= exact[dim];
    }
    bool isExact = leftExact == 0 && !order.empty() && exact[order[0]] + 1 >= thrifty[order[0]];
    for (unsigned dim : order)
      for (unsigned bits = isExact ? exact[dim] : thrifty[dim]; bits > 0; --bits, --count)
        grow(bases, dim);
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
        digits.push_back({dim, oddWarps, stride, OuterDigit::Place::Warp});
        stride *= oddWarps;
      }
      if (count > 1)
        digits.push_back({dim, count, stride, OuterDigit::Place::Register});
    }
    if (oddWarps > 1 && warpDim < 0)
      digits.push_back({0, oddWarps, 0, OuterDigit::Place::Warp});
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

/// Splits a warp count into the number of bits and the odd rest.
inline std::pair<unsigned, int64_t> splitWarps(unsigned numWarps) {
  unsigned bits = 0;
  for (; numWarps % 2 == 0; numWarps /= 2)
    ++bits;
  return {bits, numWarps};
}

/// Checks what the builders rely on before they count anything; returns what is wrong, empty if nothing.
inline std::string checkRequest(const std::vector<int64_t> &shape, unsigned numWarps) {
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

} // namespace tilewright::layout

#endif // TILEWRIGHT_LIB_LAYOUT_SPREAD_H
