// SPDX-License-Identifier: Apache-2.0
#include "tilewright/Layout/AxisFactors.h"

#include <algorithm>

using namespace tilewright::layout;

using Owner = AxisFactor::Owner;

std::optional<std::vector<AxisFactor>> tilewright::layout::axisFactors(const DistributedLayout &layout, unsigned dim) {
  std::vector<AxisFactor> factors;
  auto add = [&](const Bases &bases, Owner owner) {
    for (size_t bit = 0; bit < bases.size(); ++bit) {
      int64_t step = bases[bit][dim];
      if (step == 0)
        continue;
      for (unsigned other = 0; other < layout.rank(); ++other)
        if (other != dim && bases[bit][other] != 0)
          return false;
      if ((step & (step - 1)) != 0)
        return false;
      factors.push_back({owner, 2, step, owner == Owner::Register ? -1 : int(bit)});
    }
    return true;
  };
  for (const Coord &basis : layout.blockBases())
    if (basis[dim] != 0)
      return std::nullopt;
  if (!add(layout.registerBases(), Owner::Register) || !add(layout.laneBases(), Owner::Lane) ||
      !add(layout.warpBases(), Owner::Warp))
    return std::nullopt;
  for (const OuterDigit &digit : layout.digits()) {
    if (digit.dim != dim || digit.stride == 0)
      continue;
    if (digit.place == OuterDigit::Place::Block)
      return std::nullopt;
    factors.push_back(
        {digit.place == OuterDigit::Place::Warp ? Owner::Warp : Owner::Register, digit.radix, digit.stride, -1});
  }
  std::sort(factors.begin(), factors.end(),
            [](const AxisFactor &a, const AxisFactor &b) { return a.stride < b.stride; });
  int64_t reached = 1;
  for (const AxisFactor &factor : factors) {
    if (factor.stride != reached)
      return std::nullopt; // Held twice.
    reached *= factor.radix;
  }
  return factors;
}

bool tilewright::layout::isScannable(const DistributedLayout &layout, unsigned dim) {
  std::optional<std::vector<AxisFactor>> factors = axisFactors(layout, dim);
  if (!factors)
    return false;
  // Warps rise where bits come in order, then digits in order: the number of a warp is made that way.
  int previous = -1;
  bool inWarps = false, inDigits = false;
  int64_t digitStride = 0;
  for (const AxisFactor &factor : *factors) {
    if (factor.owner != Owner::Warp) {
      if (inWarps)
        return false;
      continue;
    }
    inWarps = true;
    if (factor.bit < 0) {
      inDigits = true;
      continue;
    }
    if (inDigits || factor.bit < previous)
      return false;
    previous = factor.bit;
  }
  for (const OuterDigit &digit : layout.digits())
    if (digit.dim == dim && digit.stride != 0 && digit.place == OuterDigit::Place::Warp) {
      if (digit.stride < digitStride)
        return false;
      digitStride = digit.stride;
    }
  return true;
}

std::optional<DistributedLayout> tilewright::layout::tryMakeScannable(const std::vector<int64_t> &shape, unsigned dim,
                                                                      unsigned numWarps, std::string *error) {
  unsigned rank = shape.size();
  auto bitsFor = [](int64_t extent) {
    unsigned bits = 0;
    while ((int64_t(1) << bits) < extent)
      ++bits;
    return bits;
  };
  unsigned warpBits = 0;
  while (numWarps % (2u << warpBits) == 0)
    ++warpBits;
  // Bits of the other dimensions, the last one fastest.
  Bases others;
  for (unsigned other = rank; other-- > 0;) {
    if (other == dim)
      continue;
    for (unsigned bit = 0; bit < bitsFor(shape[other]); ++bit) {
      others.emplace_back(rank, 0);
      others.back()[other] = int64_t(1) << bit;
    }
  }
  // Warps come first: what they share along `dim` goes through memory. Then lanes, which share by shuffles.
  unsigned axisBits = bitsFor(shape[dim]), count = others.size();
  unsigned otherWarps = std::min(count, warpBits), otherLanes = std::min(count - otherWarps, 5u);
  unsigned axisLanes = std::min(axisBits, 5 - otherLanes);
  unsigned axisWarps = std::min(axisBits - axisLanes, warpBits - otherWarps);
  Bases reg, lane, warp;
  auto along = [&](unsigned bit) {
    Coord basis(rank, 0);
    basis[dim] = int64_t(1) << bit;
    return basis;
  };
  unsigned next = 0, other = 0;
  for (; next < axisBits - axisLanes - axisWarps; ++next)
    reg.push_back(along(next));
  for (; lane.size() < axisLanes; ++next)
    lane.push_back(along(next));
  for (; other < otherLanes; ++other)
    lane.push_back(others[other]);
  for (; warp.size() < axisWarps; ++next)
    warp.push_back(along(next));
  for (; other < otherLanes + otherWarps; ++other)
    warp.push_back(others[other]);
  for (; other < count; ++other)
    reg.push_back(others[other]);
  lane.resize(5, Coord(rank, 0));
  warp.resize(warpBits, Coord(rank, 0));
  std::vector<OuterDigit> digits;
  if (int64_t copies = numWarps >> warpBits; copies > 1)
    digits.push_back({0, copies, 0, OuterDigit::Place::Warp});
  return DistributedLayout::create(shape, reg, lane, warp, {}, digits, error);
}
