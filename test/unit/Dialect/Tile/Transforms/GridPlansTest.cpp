// SPDX-License-Identifier: Apache-2.0
// The plans of the passes that change the mapping of work: numbers in, numbers out.
#include "tilewright/Dialect/Tile/Transforms/GridOrder.h"
#include "tilewright/Dialect/Tile/Transforms/LaunchBatches.h"
#include "tilewright/Dialect/Tile/Transforms/Persistence.h"

#include "gtest/gtest.h"

#include <numeric>

using namespace tilewright;

TEST(GridOrder, GroupsOfEqualOperandsAreNearlySquare) {
  EXPECT_EQ(gridGroupBytes(1, 16384, 16384, 132), (1 + 132) * 16384);
  EXPECT_EQ(gridGroupBytes(8, 16384, 16384, 132), (8 + 17) * 16384);
  EXPECT_EQ(gridGroupBytes(1000, 16384, 16384, 132), (132 + 1) * 16384);
  EXPECT_EQ(chooseGridGroup(16384, 16384, 132), 8);
}

TEST(GridOrder, TheCheaperOperandGetsMore) {
  EXPECT_EQ(chooseGridGroup(1, 1000, 128), 128);
  EXPECT_EQ(chooseGridGroup(1000, 1, 128), 1);
  EXPECT_EQ(chooseGridGroup(1, 1, 1), 1);
}

TEST(GridOrder, NoPowerOfTwoIsBetterThanTheChosenOne) {
  for (int64_t row = 1; row <= 64; row *= 3)
    for (int64_t column = 1; column <= 64; column *= 5)
      for (int64_t concurrent = 1; concurrent <= 300; concurrent += 13) {
        int64_t best = gridGroupBytes(chooseGridGroup(row, column, concurrent), row, column, concurrent);
        for (int64_t group = 1; group <= concurrent; group *= 2)
          EXPECT_LE(best, gridGroupBytes(group, row, column, concurrent)) << group;
      }
}

TEST(Persistence, Waves) {
  auto expect = [](int64_t tiles, int64_t places, int64_t count, int64_t percent) {
    Waves waves = countWaves(tiles, places);
    EXPECT_EQ(waves.count, count) << tiles;
    EXPECT_EQ(waves.lastPercent, percent) << tiles;
  };
  expect(300, 132, 3, 27);
  expect(264, 132, 2, 100);
  expect(1, 132, 1, 0);
  expect(131, 132, 1, 99);
  expect(0, 132, 0, 0);
  expect(7, 1, 7, 100);
}

TEST(LaunchBatches, ChunksAreEven) {
  EXPECT_EQ(splitEvenly(100, 84), (llvm::SmallVector<size_t>{50, 50}));
  EXPECT_EQ(splitEvenly(7, 3), (llvm::SmallVector<size_t>{3, 2, 2}));
  EXPECT_EQ(splitEvenly(4, 4), (llvm::SmallVector<size_t>{4}));
  for (size_t count = 1; count < 60; ++count)
    for (size_t most = 1; most < 20; ++most) {
      llvm::SmallVector<size_t> chunks = splitEvenly(count, most);
      EXPECT_EQ(std::accumulate(chunks.begin(), chunks.end(), size_t(0)), count);
      EXPECT_EQ(chunks.size(), (count + most - 1) / most);
      for (size_t chunk : chunks) {
        EXPECT_LE(chunk, most);
        EXPECT_LE(chunks.front() - chunk, size_t(1));
      }
    }
}
