// SPDX-License-Identifier: Apache-2.0
#include "RandomLayout.h"

#include <gtest/gtest.h>

#include <set>

using namespace tilewright::layout;
using namespace tilewright::layout::test;

/// Checks coverage, the warp count and that little is padded.
static void checkCovers(const DistributedLayout &layout, const std::vector<int64_t> &shape, unsigned numWarps) {
  SCOPED_TRACE(layout.str());
  ASSERT_TRUE(isValid(layout));
  EXPECT_EQ(layout.numWarps(), numWarps);
  EXPECT_EQ(layout.freeRegisterMask(), 0u) << "registers never replicate";
  std::vector<bool> held;
  int64_t elements = 1;
  for (int64_t extent : shape)
    elements *= extent;
  held.assign(elements, false);
  forEachPlace(layout, [&](int64_t reg, unsigned lane, unsigned warp, unsigned block) {
    Coord coord = layout.coordinates(reg, lane, warp, block);
    if (layout.isInside(coord))
      held[rowMajor(coord, shape)] = true;
  });
  for (int64_t element = 0; element < elements; ++element)
    ASSERT_TRUE(held[element]) << element;
}

TEST(BlockedLayout, CoversAllExtents) {
  for (unsigned numWarps : {1, 2, 3, 4, 6, 8})
    for (int64_t rows = 1; rows <= 40; ++rows)
      for (int64_t columns = 1; columns <= 40; columns += rows % 13 == 0 ? 1 : 9)
        for (unsigned fast : {0, 1}) {
          std::vector<unsigned> order = {fast, 1 - fast};
          std::vector<int64_t> size = {1, 1};
          size[fast] = 1 << rows % 4;
          checkCovers(makeBlocked({rows, columns}, size, order, numWarps), {rows, columns}, numWarps);
          if (HasFatalFailure())
            return;
        }
}

TEST(BlockedLayout, CoversRankOneAndThree) {
  for (unsigned numWarps : {1, 2, 3, 4, 5, 8, 12, 32})
    for (int64_t extent = 1; extent <= 40; ++extent) {
      checkCovers(makeBlocked({extent}, {4}, {0}, numWarps), {extent}, numWarps);
      checkCovers(makeBlocked({3, extent, 6}, {1, 1, 2}, {2, 1, 0}, numWarps), {3, extent, 6}, numWarps);
    }
  checkCovers(makeBlocked({}, {}, {}, 3), {}, 3);
}

TEST(BlockedLayout, CoalescesTheFastDimension) {
  DistributedLayout layout = makeBlocked({128, 64}, {1, 8}, {1, 0}, 4);
  EXPECT_EQ(layout.contiguousPerThread(1), 8);
  EXPECT_EQ(layout.registersPerThread(), 64);
  EXPECT_EQ(layout.coordinates(0, 7, 0), (Coord{0, 56})) << "eight lanes make a row of 64";
  EXPECT_EQ(layout.coordinates(0, 8, 0), (Coord{1, 0}));
  EXPECT_EQ(layout.coordinates(0, 0, 1), (Coord{4, 0}));
  EXPECT_EQ(layout.coordinates(8, 0, 0), (Coord{16, 0})) << "then registers";
  EXPECT_TRUE(layout.registersAddTo(0) && layout.registersAddTo(1));
  EXPECT_EQ(layout.freeLaneMask() | layout.freeWarpMask(), 0u);
}

TEST(BlockedLayout, ExtentsThatAreNoPowersOfTwo) {
  // 192 = 3 x 64 and 96 = 3 x 32: nothing is padded, nothing is idle.
  for (std::vector<int64_t> shape : {std::vector<int64_t>{192, 64}, {64, 192}, {96, 96}, {160, 224}, {208, 64}}) {
    DistributedLayout layout = makeBlocked(shape, {1, 8}, {1, 0}, 4);
    EXPECT_FALSE(layout.isRagged()) << layout.str();
    EXPECT_EQ(layout.registersPerThread() * 128, shape[0] * shape[1]) << layout.str();
    EXPECT_EQ(layout.contiguousPerThread(1), 8) << layout.str();
  }
  DistributedLayout hundred = makeBlocked({100, 100}, {1, 8}, {1, 0}, 4);
  EXPECT_TRUE(hundred.isRagged());
  EXPECT_EQ(hundred.contiguousPerThread(1), 4) << "what divides the extent, so that no vector is half inside";
  EXPECT_LE(hundred.paddedExtent(0) * hundred.paddedExtent(1), 100 * 100 * 3 / 2);
  DistributedLayout prime = makeBlocked({17}, {4}, {0}, 1);
  EXPECT_EQ(prime.registersPerThread(), 1);
  EXPECT_EQ(prime.paddedExtent(0), 32);
}

TEST(BlockedLayout, NoThreadIdlesWhileAnotherHoldsMore) {
  for (int64_t rows = 1; rows <= 40; ++rows)
    for (int64_t columns = 1; columns <= 40; ++columns) {
      DistributedLayout layout = makeBlocked({rows, columns}, {1, 1}, {1, 0}, 2);
      if (layout.freeLaneMask() || layout.freeWarpMask())
        EXPECT_EQ(layout.registersPerThread(), 1) << layout.str();
    }
}

TEST(BlockedLayout, SmallTilesReplicate) {
  DistributedLayout layout = makeBlocked({2, 4}, {1, 1}, {1, 0}, 4);
  EXPECT_EQ(layout.registersPerThread(), 1);
  EXPECT_EQ(layout.freeLaneMask(), 0x18u);
  EXPECT_EQ(layout.freeWarpMask(), 3u);
  EXPECT_EQ(layout.ownerLanes(), 0xffu);
  EXPECT_EQ(layout.ownerWarps(), 1u);
}

TEST(BlockedLayout, OddWarpCounts) {
  DistributedLayout three = makeBlocked({96, 32}, {1, 1}, {1, 0}, 3);
  EXPECT_EQ(three.numWarps(), 3u);
  EXPECT_EQ(three.registersPerThread(), 32) << "the warps share the tile";
  EXPECT_EQ(three.ownerWarps(), 7u);
  DistributedLayout small = makeBlocked({4}, {1}, {0}, 6);
  EXPECT_EQ(small.numWarps(), 6u);
  EXPECT_EQ(small.ownerWarps(), 1u) << "all others are replicas";
}

TEST(BlockedLayout, RefusesWhatExceedsTheLimits) {
  std::string error;
  EXPECT_FALSE(tryMakeBlocked({1 << 22}, {1}, {0}, 1, &error));
  EXPECT_EQ(error, "layout expects at most 16 register bases, found 17");
  EXPECT_FALSE(tryMakeBlocked({4}, {1}, {0}, 0, &error));
  EXPECT_EQ(error, "layout expects 1 to 32 warps, found 0");
  EXPECT_FALSE(tryMakeBlocked({4}, {1}, {0}, 33, &error));
  EXPECT_FALSE(tryMakeBlocked({0}, {1}, {0}, 1, &error));
  EXPECT_EQ(error, "layout expects extents of at least 1, found 0");
  EXPECT_FALSE(tryMakeBlocked({int64_t(1) << 62, 16}, {1, 1}, {0, 1}, 1, &error));
  EXPECT_EQ(error, "layout expects at most 2^31 elements");
  EXPECT_FALSE(tryMakeFmaAccumulator({4}, 1, &error));
  EXPECT_EQ(error, "accumulator expects a rank of at least 2, found 1");
  EXPECT_FALSE(tryMakeFmaAccumulator({4, 4}, 0, &error));
  EXPECT_FALSE(tryMakeFmaAccumulator({4, 0}, 1));
}

TEST(FmaAccumulator, CoversAllExtents) {
  for (unsigned numWarps : {1, 2, 3, 4, 8})
    for (int64_t rows = 1; rows <= 40; rows += 1)
      for (int64_t columns = 1; columns <= 40; columns += 3) {
        checkCovers(makeFmaAccumulator({rows, columns}, numWarps), {rows, columns}, numWarps);
        if (HasFatalFailure())
          return;
      }
  checkCovers(makeFmaAccumulator({3, 16, 20}, 4), {3, 16, 20}, 4);
  checkCovers(makeFmaAccumulator({2, 3, 8, 8}, 2), {2, 3, 8, 8}, 2);
}

TEST(FmaAccumulator, LargeTilesHoldSquareBlocks) {
  DistributedLayout layout = makeFmaAccumulator({128, 128}, 8);
  EXPECT_EQ(layout.registersPerThread(), 64);
  EXPECT_EQ(layout.contiguousPerThread(1), 4);
  std::set<int64_t> rows, columns;
  for (int64_t reg = 0; reg < 64; ++reg) {
    rows.insert(layout.registerOffset(reg)[0]);
    columns.insert(layout.registerOffset(reg)[1]);
  }
  EXPECT_EQ(rows.size(), 8u);
  EXPECT_EQ(columns.size(), 8u);
  EXPECT_TRUE(rows.count(1) && rows.count(3) && columns.count(3)) << "4x4 side by side";
  std::set<int64_t> laneColumns;
  for (unsigned lane = 0; lane < 32; ++lane)
    laneColumns.insert(layout.coordinates(0, lane, 0)[1]);
  EXPECT_EQ(laneColumns.size(), 8u);
  EXPECT_FALSE(makeFmaAccumulator({192, 160}, 4).isRagged());
}
