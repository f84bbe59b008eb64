// SPDX-License-Identifier: Apache-2.0
#include "tilewright/Layout/GlobalAccess.h"

#include <algorithm>
#include <set>

using namespace tilewright::layout;

// Rough cycles of one SM, in the unit of Conversion.cpp; they only have to rank the ways.
constexpr double kAccessIssue = 2; ///< a warp-wide access with its address and its predicate: about eight instructions

/// Widest access of one thread. Source: PTX ISA, ld.global.v4.b32.
constexpr int64_t kMaxAccessBytes = 16;

double GlobalAccessCost::loadCycles() const { return double(accesses) * (kAccessIssue + lines); }
double GlobalAccessCost::storeCycles() const { return double(accesses) * (kAccessIssue + std::max(lines, sectors / 2)); }

static int64_t countBits(uint64_t mask) {
  int64_t count = 0;
  for (; mask; mask &= mask - 1)
    ++count;
  return count;
}

GlobalAccessCost tilewright::layout::globalAccessCost(const DistributedLayout &layout, unsigned contiguousDim,
                                                      int64_t vectorElements, unsigned elementBytes, bool ownersOnly) {
  constexpr int64_t kLineBytes = 128, kSectorBytes = 32;
  GlobalAccessCost cost;
  int64_t widest = std::max<int64_t>(kMaxAccessBytes / elementBytes, 1);
  cost.vector = std::max<int64_t>(
      std::min({layout.contiguousPerThread(contiguousDim), vectorElements, widest}), 1);
  int64_t registers = layout.registersPerThread(), warps = layout.numWarps();
  uint32_t lanes = ~0u;
  if (ownersOnly) {
    uint32_t allWarps = warps >= 32 ? ~0u : (1u << warps) - 1;
    registers >>= countBits(layout.freeRegisterMask());
    lanes = layout.ownerLanes();
    warps = countBits(layout.ownerWarps() & allWarps);
  }
  cost.accesses = std::max<int64_t>(registers / cost.vector, 1) * warps;
  std::set<std::pair<Coord, int64_t>> lines, sectors;
  for (unsigned warp = 0; warp < layout.numWarps() && sectors.empty(); ++warp)
    for (unsigned lane = 0; lane < kWarpSize; ++lane) {
      Coord row = layout.coordinates(0, lane, warp);
      if (!(lanes >> lane & 1) || !layout.isInside(row))
        continue;
      int64_t begin = row[contiguousDim] * elementBytes, end = begin + cost.vector * elementBytes;
      row[contiguousDim] = 0;
      for (int64_t byte = begin - begin % kSectorBytes; byte < end; byte += kSectorBytes) {
        sectors.insert({row, byte / kSectorBytes});
        lines.insert({row, byte / kLineBytes});
      }
    }
  cost.lines = double(lines.size());
  cost.sectors = double(sectors.size());
  return cost;
}
