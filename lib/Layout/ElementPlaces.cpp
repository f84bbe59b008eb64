// SPDX-License-Identifier: Apache-2.0
#include "tilewright/Layout/ElementPlaces.h"

#include <cassert>

using namespace tilewright::layout;

using Place = OuterDigit::Place;

PlaceFinder::PlaceFinder(const DistributedLayout &layout)
    : layout(layout), inverse(*layout.coreMap().rightInverse()) {} // create() has made sure that the core is covered.

ElementPlace PlaceFinder::ownerOf(const Coord &coord) const {
  assert(coord.size() == layout.rank() && "one coordinate per dimension");
  uint64_t core = 0;
  for (unsigned dim = 0; dim < layout.rank(); ++dim) {
    assert(coord[dim] >= 0 && coord[dim] < layout.paddedExtent(dim) && "inside the padded extents");
    core = core * uint64_t(layout.coreExtent(dim)) + uint64_t(coord[dim] % layout.coreExtent(dim));
  }
  uint64_t bits = inverse.apply(core);
  auto take = [&](size_t count) {
    int64_t field = int64_t(bits & ((uint64_t(1) << count) - 1));
    bits >>= count;
    return field;
  };
  int64_t reg = take(layout.registerBases().size()), lane = take(5), warp = take(layout.warpBases().size()),
          block = take(layout.blockBases().size());
  int64_t regWeight = int64_t(1) << layout.registerBases().size(), warpWeight = int64_t(1) << layout.warpBases().size(),
          blockWeight = int64_t(1) << layout.blockBases().size();
  for (const OuterDigit &digit : layout.digits()) {
    int64_t value = digit.stride == 0 ? 0 : coord[digit.dim] / digit.stride % digit.radix;
    int64_t &weight = digit.place == Place::Register ? regWeight
                      : digit.place == Place::Warp   ? warpWeight
                                                     : blockWeight;
    (digit.place == Place::Register ? reg : digit.place == Place::Warp ? warp : block) += value * weight;
    weight *= digit.radix;
  }
  return {reg, unsigned(lane), unsigned(warp), unsigned(block)};
}

int64_t PlaceFinder::copies() const {
  int64_t copies = int64_t(1) << (inverse.outBits() - inverse.inBits());
  for (const OuterDigit &digit : layout.digits())
    if (digit.stride == 0)
      copies *= digit.radix;
  return copies;
}
