// SPDX-License-Identifier: Apache-2.0
// The part of the plan that is numbers alone.
#include "tilewright/Dialect/Tile/Transforms/EpiloguePlan.h"

using namespace tilewright;

/// Parts that are tried where nobody asks; more are smaller than what a warp stores at once.
static constexpr int64_t kPartCounts[] = {1, 2, 4};

llvm::SmallVector<EpiloguePart> tilewright::cutColumns(int64_t columns, int64_t count) {
  if (count < 1)
    return {};
  int64_t unit = columns % (2 * kEpilogueUnit) == 0 && columns >= count * 2 * kEpilogueUnit ? 2 * kEpilogueUnit
                                                                                          : kEpilogueUnit;
  int64_t units = columns / unit;
  if (columns % unit != 0 || units < count)
    return {};
  llvm::SmallVector<EpiloguePart> parts;
  int64_t begin = 0;
  for (int64_t i = 0; i < count; ++i) {
    int64_t extent = (units / count + (i < units % count ? 1 : 0)) * unit;
    parts.push_back({begin, extent});
    begin += extent;
  }
  return parts;
}

int64_t tilewright::chooseEpilogueParts(const EpilogueCost &cost) {
  int64_t chosen = 1;
  for (int64_t count : kPartCounts) {
    llvm::SmallVector<EpiloguePart> parts = cutColumns(cost.columns, count);
    if (count > 1 && (parts.empty() || parts.back().extent < cost.leastColumns))
      break;
    chosen = count;
    bool fitsRegisters = cost.accumulatorRegisters + cost.chainRegisters / count <= cost.registerBudget;
    bool fitsShared = cost.stagingBytes / count <= cost.loopBytes;
    if (fitsRegisters && fitsShared)
      break;
  }
  return chosen;
}
