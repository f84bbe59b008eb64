// SPDX-License-Identifier: Apache-2.0
#include "RaceCheck.h"

#include <algorithm>
#include <new>

using namespace tilewright;

RaceCheck::RaceCheck()
    : granules(static_cast<Granule *>(std::calloc(kMaxBytes, sizeof(Granule)))),
      granuleBits(kMaxBytes >> kRegionBits, kMaxGranuleBits) {
  if (!granules)
    throw std::bad_alloc();
}

void RaceCheck::coarsen() { std::fill(granuleBits.begin(), granuleBits.end(), kMaxGranuleBits); }

int32_t RaceCheck::locOf(Stamp stamp) {
  constexpr uint32_t unknown = (1u << kLocBits) - 1;
  auto loc = uint32_t(stamp >> (kThreadBits + kEpochBits));
  return loc == unknown ? -1 : int32_t(loc);
}

void RaceCheck::forget() {
  std::fill_n(granules.get(), kMaxBytes, Granule());
  firstEpoch = 1;
}

void RaceCheck::reset(uint32_t warps) {
  // Epochs go on counting, so that what earlier CTAs left is old instead of being erased.
  firstEpoch = *std::max_element(epochs.begin(), epochs.end()) + 1;
  if (firstEpoch > kMaxEpoch / 2)
    forget();
  numWarps = warps;
  hasParts = false;
  epochs.fill(firstEpoch);
  for (auto &row : known)
    row.fill(firstEpoch - 1);
  knownOfAll.fill(firstEpoch - 1);
}

void RaceCheck::passBarrier(uint32_t warps) {
  // Once in half a billion barriers everything before counts as ordered, which misses races at most.
  if (epochs[uint32_t(__builtin_ctz(warps))] + 1 >= kMaxEpoch)
    return reset(numWarps);
  hasParts |= uint32_t(__builtin_popcount(warps)) != numWarps;
  std::array<uint32_t, kMaxWarps> joined{};
  for (uint32_t left = warps; left; left &= left - 1) {
    auto warp = uint32_t(__builtin_ctz(left));
    for (uint32_t i = 0; i < numWarps; ++i)
      joined[i] = std::max(joined[i], known[warp][i]);
    joined[warp] = epochs[warp];
  }
  for (uint32_t left = warps; left; left &= left - 1) {
    auto warp = uint32_t(__builtin_ctz(left));
    known[warp] = joined;
    knownOfAll[warp] = *std::min_element(joined.begin(), joined.begin() + numWarps);
    ++epochs[warp];
  }
}

/// Makes the granules of a region as small as an access needs. What was known of a granule holds for each part of it.
void RaceCheck::refine(uint32_t region, unsigned bits) {
  Granule *first = &granules[region << kRegionBits];
  unsigned shift = granuleBits[region] - bits;
  for (uint32_t part = 1u << (kRegionBits - bits); part-- > 0;)
    first[part] = first[part >> shift];
  granuleBits[region] = uint8_t(bits);
}

template <bool isWrite>
bool RaceCheck::accessSlowly(uint32_t thread, uint32_t offset, uint32_t bytes, Stamp now, Access *other) {
  // Granules are never larger than what one access covers, from a multiple of their size.
  auto fit = unsigned(__builtin_ctz(offset | bytes | 1u << kMaxGranuleBits));
  for (uint32_t place = offset, end = offset + bytes; place < end;) {
    uint32_t region = place >> kRegionBits;
    if (granuleBits[region] > fit)
      refine(region, fit);
    Granule &granule = at(place);
    if (!touch<isWrite>(granule, thread, now)) {
      bool wasWrite = !isOrdered(granule.write, thread);
      Stamp earlier = wasWrite ? granule.write : isOrdered(granule.read, thread) ? granule.otherRead : granule.read;
      *other = {threadOf(earlier), locOf(earlier), wasWrite, place};
      return false;
    }
    place += 1u << granuleBits[region];
  }
  return true;
}

template bool RaceCheck::accessSlowly<false>(uint32_t, uint32_t, uint32_t, Stamp, Access *);
template bool RaceCheck::accessSlowly<true>(uint32_t, uint32_t, uint32_t, Stamp, Access *);
