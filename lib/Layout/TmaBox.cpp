// SPDX-License-Identifier: Apache-2.0
#include "tilewright/Layout/TmaBox.h"
#include "tilewright/Layout/BankConflicts.h"

#include <algorithm>
#include <tuple>

using namespace tilewright;
using namespace tilewright::layout;

/// Multiple of the period of every swizzle. Source: PTX ISA 9.0, 5.5.7.
static constexpr int64_t kBoxAlignBytes = 1024;
/// Accesses that are looked at per layout: those of a warp repeat.
static constexpr int64_t kMaxAccesses = 64;

int64_t tilewright::layout::tmaOffsetBytes(const Coord &coord, const std::vector<int64_t> &shape,
                                           const std::vector<uint32_t> &box, const std::vector<unsigned> &order,
                                           TmaSwizzle swizzle, unsigned elementBytes) {
  int64_t boxNumber = 0, numBoxes = 1, inside = 0, boxElements = 1;
  for (unsigned dim : order) {
    boxNumber += coord[dim] / box[dim] * numBoxes;
    numBoxes *= shape[dim] / box[dim];
    inside += coord[dim] % box[dim] * boxElements;
    boxElements *= box[dim];
  }
  int64_t boxBytes = (boxElements * elementBytes + kBoxAlignBytes - 1) / kBoxAlignBytes * kBoxAlignBytes;
  int64_t offset = inside * elementBytes;
  if (uint32_t span = tmaSwizzleSpanBytes(swizzle))
    offset ^= ((offset >> 7) & (span / 16 - 1)) << 4;
  return boxNumber * boxBytes + offset;
}

/// Conflicts and accesses of the first warp.
static std::pair<int64_t, int64_t> countConflicts(const DistributedLayout &layout, const TmaBoxChoice &choice,
                                                  const std::vector<unsigned> &order, unsigned elementBytes) {
  unsigned inner = order[0];
  int64_t width = std::min<int64_t>(layout.contiguousPerThread(inner), std::max(16u / elementBytes, 1u));
  int64_t conflicts = 0, accesses = 0;
  for (int64_t reg = 0; reg < layout.registersPerThread() && accesses < kMaxAccesses; ++reg) {
    if (layout.registerOffset(reg)[inner] % width != 0)
      continue;
    std::vector<int64_t> offsets;
    for (unsigned lane = 0; lane < layout::kWarpSize; ++lane) {
      Coord coord = layout.coordinates(reg, lane, /*warp=*/0);
      int64_t offset = -1;
      if (layout.isInside(coord)) {
        coord[inner] = coord[inner] / width * width;
        offset = tmaOffsetBytes(coord, layout.shape(), choice.box, order, choice.swizzle, elementBytes);
      }
      offsets.push_back(offset);
    }
    conflicts += countBankConflicts(offsets, static_cast<unsigned>(width) * elementBytes);
    ++accesses;
  }
  return {conflicts, accesses};
}

std::optional<TmaBoxChoice> tilewright::layout::chooseTmaBox(const std::vector<DistributedLayout> &layouts,
                                                             const std::vector<unsigned> &order,
                                                             unsigned elementBytes) {
  const std::vector<int64_t> &shape = layouts.front().shape();
  int64_t unit = std::max<int64_t>(TmaLimits::kAlignBytes / elementBytes, 1);
  std::optional<TmaBoxChoice> best;
  for (unsigned s = 0; s < kNumTmaSwizzles; ++s) {
    TmaBoxChoice choice;
    choice.swizzle = static_cast<TmaSwizzle>(s);
    choice.box.resize(shape.size());
    bool isLegal = true;
    for (unsigned place = 0; place < order.size(); ++place) {
      unsigned dim = order[place];
      uint32_t span = place == 0 ? tmaSwizzleSpanBytes(choice.swizzle) / elementBytes : 0;
      uint32_t box = chooseTmaBoxExtent(shape[dim], place == 0 ? unit : 1, span ? span : TmaLimits::kBoxExtent);
      isLegal &= box != 0 && (span == 0 || box == span);
      choice.box[dim] = box;
      choice.numBoxes *= box ? shape[dim] / box : 1;
    }
    if (!isLegal)
      continue;
    int64_t conflicts = 0, accesses = 0;
    for (const DistributedLayout &layout : layouts) {
      auto [more, count] = countConflicts(layout, choice, order, elementBytes);
      conflicts += more;
      accesses += count;
    }
    choice.conflicts = accesses ? double(conflicts) / double(accesses) : 0;
    if (!best || std::tie(choice.conflicts, choice.numBoxes) < std::tie(best->conflicts, best->numBoxes))
      best = choice;
  }
  return best;
}
