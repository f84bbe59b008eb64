// SPDX-License-Identifier: Apache-2.0
#include "tilewright/Layout/ElementPlaces.h"
#include "RandomLayout.h"
#include "tilewright/Layout/SharedLayout.h"

#include <gtest/gtest.h>

#include <map>

using namespace tilewright::layout;
using namespace tilewright::layout::test;

namespace {

TEST(PlaceFinder, FindsTheWorkedExample) {
  auto layout = DistributedLayout::create({64}, {}, {{1}, {2}, {4}, {8}, {16}}, {{32}, {0}}, {}, {});
  ASSERT_TRUE(layout);
  PlaceFinder finder(*layout);
  ElementPlace place = finder.ownerOf({37});
  EXPECT_EQ(place.lane, 5u);
  EXPECT_EQ(place.warp, 1u);
  EXPECT_EQ(place.reg, 0);
  EXPECT_EQ(finder.copies(), 2);
}

// The owner of each place's element is the place that isOwner() names, and each element has as many places as said.
TEST(PlaceFinder, UndoesRandomLayouts) {
  RandomLayouts random(11);
  for (unsigned blockBits : {0u, 1u})
    for (int round = 0; round < 40; ++round) {
      RandomOptions options;
      options.maxRank = 5;
      options.maxCoreBits = 8;
      options.blockBits = blockBits;
      DistributedLayout layout = random.make(options);
      PlaceFinder finder(layout);
      std::map<Coord, int64_t> places;
      forEachPlace(layout, [&](int64_t reg, unsigned lane, unsigned warp, unsigned block) {
        Coord coord = layout.coordinates(reg, lane, warp, block);
        ++places[coord];
        ElementPlace owner = finder.ownerOf(coord);
        EXPECT_EQ(layout.coordinates(owner.reg, owner.lane, owner.warp, owner.block), coord) << layout.str();
        EXPECT_TRUE(layout.isOwner(owner.reg, owner.lane, owner.warp, owner.block)) << layout.str();
        bool same = owner.reg == reg && owner.lane == lane && owner.warp == warp && owner.block == block;
        EXPECT_EQ(layout.isOwner(reg, lane, warp, block), same) << layout.str();
      });
      for (const auto &[coord, count] : places)
        EXPECT_EQ(count, finder.copies()) << layout.str();
      if (::testing::Test::HasFailure())
        return;
    }
}

TEST(PlaceFinder, TakesRankZero) {
  auto layout = DistributedLayout::create({}, {}, {{}, {}, {}, {}, {}}, {}, {}, {});
  ASSERT_TRUE(layout);
  PlaceFinder finder(*layout);
  EXPECT_EQ(finder.ownerOf({}).lane, 0u);
  EXPECT_EQ(finder.copies(), 32);
}

// elementAt() undoes offsetOf(), and names nothing in the gaps.
TEST(SharedLayoutInverse, UndoesOffsets) {
  LinearMap reverse(5, 5);
  for (unsigned bit = 0; bit < 5; ++bit)
    reverse.setColumn(bit, uint64_t(3) << bit & 31);
  std::vector<std::optional<SharedLayout>> layouts = {
      SharedLayout::makeRowMajor({5, 7}, {1, 0}),
      SharedLayout::makeRowMajor({5, 7, 2}, {1, 2, 0}),
      SharedLayout::create({8, 60}, {8, 64}, {1, 0}, {8, 1, 8}),
      SharedLayout::create({16, 24}, {16, 24}, {0, 1}, {2, 2, 4}),
      SharedLayout::create({8, 16}, {8, 16}, {1, 0}, {}, reverse),
      SharedLayout::create({8, 16}, {8, 16}, {1, 0}, {}, std::nullopt, {16, 3}),
      SharedLayout::create({8, 16}, {8, 16}, {1, 0}, {4, 1, 4}, std::nullopt, {5, 2}),
      SharedLayout::create({}, {}, {}),
  };
  for (const std::optional<SharedLayout> &layout : layouts) {
    ASSERT_TRUE(layout);
    int64_t elements = 1, found = 0;
    for (int64_t extent : layout->allocatedShape())
      elements *= extent;
    for (int64_t offset = 0; offset < layout->allocatedElements(); ++offset)
      if (std::optional<Coord> coord = layout->elementAt(offset)) {
        ++found;
        EXPECT_EQ(layout->offsetOf(*coord), offset) << layout->str();
      }
    EXPECT_EQ(found, elements) << layout->str();
    EXPECT_FALSE(layout->elementAt(-1));
    EXPECT_FALSE(layout->elementAt(layout->allocatedElements()));
  }
}

} // namespace
