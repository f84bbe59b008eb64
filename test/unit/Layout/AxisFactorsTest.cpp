// SPDX-License-Identifier: Apache-2.0
#include "tilewright/Layout/AxisFactors.h"
#include "RandomLayout.h"

#include <gtest/gtest.h>

#include <map>

using namespace tilewright::layout;
using namespace tilewright::layout::test;

using Owner = AxisFactor::Owner;

TEST(AxisFactors, NamedCase) {
  DistributedLayout layout =
      *DistributedLayout::create({256}, {{1}, {2}}, {{4}, {8}, {16}, {32}, {64}}, {{128}}, {}, {});
  std::optional<std::vector<AxisFactor>> factors = axisFactors(layout, 0);
  ASSERT_TRUE(factors);
  ASSERT_EQ(factors->size(), 8u);
  for (size_t i = 0; i < 8; ++i) {
    EXPECT_EQ((*factors)[i].stride, 1 << i);
    EXPECT_EQ((*factors)[i].owner, i < 2 ? Owner::Register : i < 7 ? Owner::Lane : Owner::Warp);
  }
  EXPECT_TRUE(isScannable(layout, 0));
}

TEST(AxisFactors, Refusals) {
  Bases lanes = {{4}, {8}, {16}, {32}, {64}};
  // Warps between registers; warps in falling order; a bit held twice; a basis of two bits.
  EXPECT_FALSE(
      isScannable(*DistributedLayout::create({256}, {{1}, {128}}, {{2}, {4}, {8}, {16}, {32}}, {{64}}, {}, {}), 0));
  EXPECT_FALSE(isScannable(*DistributedLayout::create({512}, {{1}, {2}}, lanes, {{256}, {128}}, {}, {}), 0));
  EXPECT_FALSE(axisFactors(*DistributedLayout::create({128}, {{1}, {2}, {1}}, lanes, {}, {}, {}), 0));
  EXPECT_FALSE(axisFactors(*DistributedLayout::create({128}, {{1}, {3}}, lanes, {}, {}, {}), 0));
}

/// Coordinates along `dim` that the warp holds for one choice of the others are neighbours, and warps rise.
static void checkScannable(const DistributedLayout &layout, unsigned dim) {
  std::map<Coord, std::map<unsigned, std::pair<int64_t, int64_t>>> ranges; // others -> warp -> [first, last]
  forEachPlace(layout, [&](int64_t reg, unsigned lane, unsigned warp, unsigned block) {
    Coord key = layout.coordinates(reg, lane, warp, block);
    int64_t at = key[dim];
    key[dim] = 0;
    auto [slot, isNew] = ranges[key].try_emplace(warp, at, at);
    slot->second = {std::min(slot->second.first, at), std::max(slot->second.second, at)};
  });
  for (const auto &[key, warps] : ranges) {
    std::pair<int64_t, int64_t> previous{-1, -1};
    for (const auto &[warp, range] : warps) {
      if (range == previous)
        continue; // A copy.
      ASSERT_TRUE(range.first > previous.second || range.second < previous.first) << layout.str();
      previous = range;
    }
  }
}

TEST(AxisFactors, RandomLayouts) {
  RandomLayouts random(7);
  RandomOptions options;
  options.warpBits = 2;
  options.maxRank = 2;
  int found = 0;
  for (int i = 0; i < 3000; ++i) {
    DistributedLayout layout = random.make(options);
    unsigned dim = random.below(layout.rank());
    if (!isScannable(layout, dim))
      continue;
    ++found;
    checkScannable(layout, dim);
    if (HasFatalFailure())
      return;
  }
  EXPECT_GT(found, 50);
}

TEST(AxisFactors, ScannableOfAnyShape) {
  for (unsigned numWarps = 1; numWarps <= 8; ++numWarps)
    for (const std::vector<int64_t> &shape :
         std::vector<std::vector<int64_t>>{{1}, {7}, {1000}, {3, 5}, {64, 1}, {1, 300}, {5, 6, 7}, {2, 2, 2, 2}})
      for (unsigned dim = 0; dim < shape.size(); ++dim) {
        std::string error;
        std::optional<DistributedLayout> layout = tryMakeScannable(shape, dim, numWarps, &error);
        ASSERT_TRUE(layout) << error;
        EXPECT_TRUE(isValid(*layout));
        EXPECT_EQ(layout->numWarps(), numWarps);
        EXPECT_TRUE(isScannable(*layout, dim)) << layout->str();
        checkScannable(*layout, dim);
        if (HasFatalFailure())
          return;
      }
}

TEST(AxisFactors, TooManyRegisters) {
  std::string error;
  EXPECT_FALSE(tryMakeScannable({1 << 22}, 0, 1, &error));
  EXPECT_FALSE(error.empty());
}
