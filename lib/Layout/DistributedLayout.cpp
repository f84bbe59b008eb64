// SPDX-License-Identifier: Apache-2.0
#include "tilewright/Layout/DistributedLayout.h"

#include <algorithm>
#include <cassert>

using namespace tilewright::layout;

using Place = OuterDigit::Place;

static unsigned log2Ceil(int64_t x) {
  unsigned bits = 0;
  while ((int64_t(1) << bits) < x)
    ++bits;
  return bits;
}

static std::string listStr(const std::vector<int64_t> &values) {
  std::string text = "[";
  for (size_t i = 0; i < values.size(); ++i)
    text += (i ? ", " : "") + std::to_string(values[i]);
  return text + "]";
}

static std::string basesStr(const Bases &bases) {
  std::string text = "[";
  for (size_t i = 0; i < bases.size(); ++i)
    text += (i ? ", " : "") + listStr(bases[i]);
  return text + "]";
}

static const char *placeName(Place place) {
  switch (place) {
  case Place::Register:
    return "register";
  case Place::Warp:
    return "warp";
  case Place::Block:
    return "block";
  }
  return "";
}

//===----------------------------------------------------------------------===//
// Creation
//===----------------------------------------------------------------------===//

/// Checks shape, bases and digits one by one; returns what is wrong, empty if nothing.
static std::string checkParts(const std::vector<int64_t> &shape, const Bases *const (&all)[4],
                              const std::vector<OuterDigit> &digits) {
  static const char *const names[] = {"register", "lane", "warp", "block"};
  static const unsigned maxBits[] = {DistributedLayout::kMaxRegisterBits, 5, 5, 5};
  if (shape.size() > DistributedLayout::kMaxRank)
    return "layout expects a rank of at most " + std::to_string(DistributedLayout::kMaxRank) + ", found " +
           std::to_string(shape.size());
  int64_t elements = 1;
  for (int64_t extent : shape) {
    if (extent < 1)
      return "layout expects extents of at least 1, found " + std::to_string(extent);
    if (extent > DistributedLayout::kMaxElements / elements)
      return "layout expects at most 2^31 elements, found shape " + listStr(shape);
    elements *= extent;
  }
  if (all[1]->size() != 5)
    return "layout expects 5 lane bases, found " + std::to_string(all[1]->size());
  for (unsigned place = 0; place < 4; ++place) {
    if (all[place]->size() > maxBits[place])
      return std::string("layout expects at most ") + std::to_string(maxBits[place]) + " " + names[place] +
             " bases, found " + std::to_string(all[place]->size());
    for (const std::vector<int64_t> &basis : *all[place]) {
      if (basis.size() != shape.size())
        return std::string("layout expects ") + names[place] + " bases of rank " + std::to_string(shape.size()) +
               ", found " + listStr(basis);
      for (int64_t coordinate : basis)
        if (coordinate < 0 || coordinate >= DistributedLayout::kMaxElements)
          return std::string("layout expects ") + names[place] + " bases with entries from 0 to 2^31 - 1, found " +
                 listStr(basis);
    }
  }
  int64_t counts[3] = {int64_t(1) << all[0]->size(), int64_t(1) << all[2]->size(), int64_t(1) << all[3]->size()};
  const int64_t limits[3] = {DistributedLayout::kMaxRegisters, DistributedLayout::kMaxWarps,
                             DistributedLayout::kMaxBlocks};
  for (const OuterDigit &digit : digits) {
    if (digit.radix < 2 || digit.radix > DistributedLayout::kMaxRegisters)
      return "layout expects digits with a radix from 2 to 65536, found " + std::to_string(digit.radix);
    if (digit.stride == 0 ? digit.dim != 0 : digit.dim >= shape.size())
      return "layout expects digits in one of " + std::to_string(shape.size()) + " dimensions, found dimension " +
             std::to_string(digit.dim) + (digit.stride == 0 ? " with stride 0" : "");
    if (digit.stride == 0 && digit.place == Place::Register)
      return "layout expects register digits with a stride other than 0";
    unsigned index = digit.place == Place::Register ? 0 : digit.place == Place::Warp ? 1 : 2;
    if (counts[index] > limits[index] / digit.radix)
      return std::string("layout expects at most ") + std::to_string(limits[index]) + " " + placeName(digit.place) +
             "s, found more";
    counts[index] *= digit.radix;
  }
  return "";
}

std::optional<DistributedLayout> DistributedLayout::create(std::vector<int64_t> shape, Bases reg, Bases lane,
                                                           Bases warp, Bases block, std::vector<OuterDigit> digits,
                                                           std::string *error) {
  auto fail = [&](const std::string &text) -> std::optional<DistributedLayout> {
    if (error)
      *error = text;
    return std::nullopt;
  };
  const Bases *const all[4] = {&reg, &lane, &warp, &block};
  std::string wrong = checkParts(shape, all, digits);
  if (!wrong.empty())
    return fail(wrong);

  DistributedLayout layout;
  layout.coreBits.assign(shape.size(), 0);
  unsigned totalBits = 0;
  for (unsigned dim = 0; dim < shape.size(); ++dim) {
    int64_t reached = 0;
    for (const Bases *bases : all)
      for (const std::vector<int64_t> &basis : *bases)
        reached |= basis[dim];
    layout.coreBits[dim] = log2Ceil(reached + 1);
    totalBits += layout.coreBits[dim];

    // The digits of a dimension continue its core as a mixed radix number: no gap, no overlap.
    std::vector<std::pair<int64_t, int64_t>> strides;
    for (const OuterDigit &digit : digits)
      if (digit.dim == dim && digit.stride != 0)
        strides.push_back({digit.stride, digit.radix});
    std::sort(strides.begin(), strides.end());
    int64_t extent = int64_t(1) << layout.coreBits[dim];
    for (auto [stride, radix] : strides) {
      if (stride != extent)
        return fail("layout expects a digit of dimension " + std::to_string(dim) + " to have stride " +
                    std::to_string(extent) + ", found " + std::to_string(stride));
      if (radix > kMaxElements / extent)
        return fail("layout expects at most 2^31 elements in dimension " + std::to_string(dim));
      extent *= radix;
    }
    if (extent < shape[dim])
      return fail("layout expects to cover extent " + std::to_string(shape[dim]) + " of dimension " +
                  std::to_string(dim) + ", covers " + std::to_string(extent));
  }
  layout.tileShape = std::move(shape);
  layout.regBases = std::move(reg);
  layout.lnBases = std::move(lane);
  layout.wpBases = std::move(warp);
  layout.blBases = std::move(block);
  layout.outerDigits = std::move(digits);
  size_t inBits = layout.regBases.size() + 5 + layout.wpBases.size() + layout.blBases.size();
  if (totalBits > inBits)
    return fail("layout expects at least " + std::to_string(totalBits) + " bases to cover its core, found " +
                std::to_string(inBits));
  unsigned rank = layout.coreMap().rank();
  if (rank != totalBits)
    return fail("layout expects " + std::to_string(totalBits) + " independent bases to cover its core, found " +
                std::to_string(rank));
  return layout;
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

static int64_t countOf(const Bases &bases, const std::vector<OuterDigit> &digits, Place place) {
  int64_t count = int64_t(1) << bases.size();
  for (const OuterDigit &digit : digits)
    if (digit.place == place)
      count *= digit.radix;
  return count;
}

unsigned DistributedLayout::numWarps() const { return countOf(wpBases, outerDigits, Place::Warp); }
unsigned DistributedLayout::numBlocks() const { return countOf(blBases, outerDigits, Place::Block); }
int64_t DistributedLayout::registersPerThread() const { return countOf(regBases, outerDigits, Place::Register); }

static void addBits(Coord &coord, const Bases &bases, int64_t index) {
  for (size_t bit = 0; bit < bases.size(); ++bit)
    if (index >> bit & 1)
      for (size_t dim = 0; dim < coord.size(); ++dim)
        coord[dim] ^= bases[bit][dim];
}

Coord DistributedLayout::coordinates(int64_t reg, unsigned lane, unsigned warp, unsigned block) const {
  assert(reg >= 0 && reg < registersPerThread() && "register exists");
  assert(lane < kWarpSize && warp < numWarps() && block < numBlocks() && "thread exists");
  Coord coord(rank(), 0);
  addBits(coord, regBases, reg);
  addBits(coord, lnBases, lane);
  addBits(coord, wpBases, warp);
  addBits(coord, blBases, block);
  int64_t rest[3] = {reg >> regBases.size(), int64_t(warp) >> wpBases.size(), int64_t(block) >> blBases.size()};
  for (const OuterDigit &digit : outerDigits) {
    int64_t &index = rest[digit.place == Place::Register ? 0 : digit.place == Place::Warp ? 1 : 2];
    if (digit.stride != 0)
      coord[digit.dim] += index % digit.radix * digit.stride;
    index /= digit.radix;
  }
  return coord;
}

Coord DistributedLayout::registerOffset(int64_t reg) const { return coordinates(reg, 0, 0, 0); }

bool DistributedLayout::isInside(const Coord &coord) const {
  for (unsigned dim = 0; dim < rank(); ++dim)
    if (coord[dim] < 0 || coord[dim] >= tileShape[dim])
      return false;
  return true;
}

int64_t DistributedLayout::coreExtent(unsigned dim) const { return int64_t(1) << coreBits[dim]; }

int64_t DistributedLayout::paddedExtent(unsigned dim) const {
  int64_t extent = coreExtent(dim);
  for (const OuterDigit &digit : outerDigits)
    if (digit.dim == dim && digit.stride != 0)
      extent *= digit.radix;
  return extent;
}

bool DistributedLayout::isRagged(unsigned dim) const { return paddedExtent(dim) != tileShape[dim]; }

bool DistributedLayout::isRagged() const {
  for (unsigned dim = 0; dim < rank(); ++dim)
    if (isRagged(dim))
      return true;
  return false;
}

//===----------------------------------------------------------------------===//
// What the bases say
//===----------------------------------------------------------------------===//

bool DistributedLayout::registersAddTo(unsigned dim) const {
  int64_t own = 0, others = 0;
  for (const std::vector<int64_t> &basis : regBases)
    own |= basis[dim];
  for (const Bases *bases : {&lnBases, &wpBases, &blBases})
    for (const std::vector<int64_t> &basis : *bases)
      others |= basis[dim];
  return (own & others) == 0;
}

int64_t DistributedLayout::contiguousPerThread(unsigned dim) const {
  // Register bit i is coordinate bit i and nothing else, for i below the answer ...
  unsigned run = 0;
  for (; run < regBases.size(); ++run) {
    std::vector<int64_t> expected(rank(), 0);
    expected[dim] = int64_t(1) << run;
    if (regBases[run] != expected)
      break;
  }
  // ... and no other bit touches these coordinate bits. Digits are multiples of the core extent.
  for (unsigned place = 0; place < 4; ++place) {
    const Bases &all = bases(place);
    for (size_t bit = place == 0 ? run : 0; bit < all.size(); ++bit)
      while (all[bit][dim] & ((int64_t(1) << run) - 1))
        --run;
  }
  return int64_t(1) << run;
}

bool DistributedLayout::separates(unsigned dim) const {
  for (unsigned place = 0; place < 4; ++place)
    for (const std::vector<int64_t> &basis : bases(place)) {
      bool across = false;
      for (unsigned other = 0; other < rank(); ++other)
        across |= other != dim && basis[other] != 0;
      if (across && basis[dim] != 0)
        return false;
    }
  return true;
}

const Bases &DistributedLayout::bases(unsigned place) const {
  const Bases *all[] = {&regBases, &lnBases, &wpBases, &blBases};
  return *all[place];
}

LinearMap DistributedLayout::coreMap() const {
  unsigned outBits = 0, inBits = 0;
  for (unsigned bits : coreBits)
    outBits += bits;
  for (unsigned place = 0; place < 4; ++place)
    inBits += bases(place).size();
  LinearMap map(inBits, outBits);
  unsigned column = 0;
  for (unsigned place = 0; place < 4; ++place)
    for (const std::vector<int64_t> &basis : bases(place)) {
      uint64_t image = 0;
      for (unsigned dim = 0; dim < rank(); ++dim)
        image = image << coreBits[dim] | uint64_t(basis[dim]);
      map.setColumn(column++, image);
    }
  return map;
}

uint64_t DistributedLayout::redundantBits() const { return coreMap().redundantInputs(); }

static uint64_t bitField(uint64_t mask, size_t first, size_t count) {
  return mask >> first & ((uint64_t(1) << count) - 1);
}

uint64_t DistributedLayout::freeRegisterMask() const { return bitField(redundantBits(), 0, regBases.size()); }
uint32_t DistributedLayout::freeLaneMask() const { return bitField(redundantBits(), regBases.size(), 5); }
uint32_t DistributedLayout::freeWarpMask() const {
  return bitField(redundantBits(), regBases.size() + 5, wpBases.size());
}
uint32_t DistributedLayout::freeBlockMask() const {
  return bitField(redundantBits(), regBases.size() + 5 + wpBases.size(), blBases.size());
}

/// Bit i is set if index i has no redundant core bit and the value 0 in each replicating digit of `place`.
static uint32_t ownersOf(unsigned count, uint32_t freeMask, size_t coreBits, const std::vector<OuterDigit> &digits,
                         Place place) {
  uint32_t owners = 0;
  for (unsigned index = 0; index < count; ++index) {
    bool owner = (index & freeMask) == 0;
    int64_t rest = index >> coreBits;
    for (const OuterDigit &digit : digits)
      if (digit.place == place) {
        owner &= digit.stride != 0 || rest % digit.radix == 0;
        rest /= digit.radix;
      }
    owners |= uint32_t(owner) << index;
  }
  return owners;
}

uint32_t DistributedLayout::ownerLanes() const { return ownersOf(kWarpSize, freeLaneMask(), 5, {}, Place::Warp); }
uint32_t DistributedLayout::ownerWarps() const {
  return ownersOf(numWarps(), freeWarpMask(), wpBases.size(), outerDigits, Place::Warp);
}
uint32_t DistributedLayout::ownerBlocks() const {
  return ownersOf(numBlocks(), freeBlockMask(), blBases.size(), outerDigits, Place::Block);
}

bool DistributedLayout::isOwner(int64_t reg, unsigned lane, unsigned warp, unsigned block) const {
  return (reg & freeRegisterMask()) == 0 && (ownerLanes() >> lane & 1) && (ownerWarps() >> warp & 1) &&
         (ownerBlocks() >> block & 1);
}

//===----------------------------------------------------------------------===//
// Identity
//===----------------------------------------------------------------------===//

bool DistributedLayout::operator==(const DistributedLayout &other) const {
  return tileShape == other.tileShape && regBases == other.regBases && lnBases == other.lnBases &&
         wpBases == other.wpBases && blBases == other.blBases && outerDigits == other.outerDigits;
}

size_t DistributedLayout::hash() const {
  uint64_t state = 0xcbf29ce484222325u;
  auto mix = [&](int64_t value) { state = (state ^ uint64_t(value)) * 0x100000001b3u ^ state >> 29; };
  for (int64_t extent : tileShape)
    mix(extent);
  for (unsigned place = 0; place < 4; ++place) {
    mix(bases(place).size());
    for (const std::vector<int64_t> &basis : bases(place))
      for (int64_t coordinate : basis)
        mix(coordinate);
  }
  for (const OuterDigit &digit : outerDigits) {
    mix(digit.dim);
    mix(digit.radix);
    mix(digit.stride);
    mix(int64_t(digit.place));
  }
  return state;
}

std::string DistributedLayout::str() const {
  std::string text = listStr(tileShape) + " reg=" + basesStr(regBases) + " lane=" + basesStr(lnBases) +
                     " warp=" + basesStr(wpBases) + " block=" + basesStr(blBases) + " digits=[";
  for (size_t i = 0; i < outerDigits.size(); ++i) {
    const OuterDigit &digit = outerDigits[i];
    text += (i ? ", " : "") + std::to_string(digit.dim) + ": " + std::to_string(digit.radix) + " x " +
            std::to_string(digit.stride) + " " + placeName(digit.place);
  }
  return text + "]";
}
