// SPDX-License-Identifier: Apache-2.0
#include "tilewright/Layout/Blocks.h"
#include "RandomLayout.h"

#include <gtest/gtest.h>

using namespace tilewright::layout;
using namespace tilewright::layout::test;

/// Checks that register r of the block at `origin` holds in every thread what register `registers[r]` of the whole
/// holds.
static void checkRegisters(const DistributedLayout &whole, const DistributedLayout &block, const Coord &origin) {
  std::vector<int64_t> registers = shiftedRegisters(whole, block, origin);
  forEachPlace(block, [&](int64_t reg, unsigned lane, unsigned warp, unsigned ctaOfCluster) {
    Coord coord = block.coordinates(reg, lane, warp, ctaOfCluster);
    if (!block.isInside(coord))
      return;
    for (size_t dim = 0; dim < coord.size(); ++dim)
      coord[dim] += origin[dim];
    ASSERT_GE(registers[reg], 0) << whole.str() << " / " << block.str();
    ASSERT_EQ(whole.coordinates(registers[reg], lane, warp, ctaOfCluster), coord)
        << whole.str() << " / " << block.str();
  });
}

TEST(Blocks, NamedCase) {
  DistributedLayout whole = *DistributedLayout::create(
      {8, 64}, {{0, 1}, {4, 0}}, {{0, 2}, {0, 4}, {0, 8}, {0, 16}, {0, 32}}, {{1, 0}, {2, 0}}, {}, {});
  std::optional<DistributedLayout> block = blockOf(whole, {4, 64});
  ASSERT_TRUE(block);
  EXPECT_EQ(block->registersPerThread(), 2);
  EXPECT_EQ(shiftedRegisters(whole, *block, {4, 0}), (std::vector<int64_t>{2, 3}));
  EXPECT_FALSE(blockOf(whole, {2, 64})) << "rows 0, 1 and rows 2, 3 are of different warps";
  EXPECT_FALSE(blockOf(whole, {8, 32})) << "lanes hold the columns";
}

TEST(Blocks, DigitIsCut) {
  // 48 = 8 x 6: blocks of 16 and of 24 cut the digit, blocks of 32 do not divide.
  DistributedLayout whole =
      *DistributedLayout::create({48}, {}, {{1}, {2}, {4}, {0}, {0}}, {}, {}, {{0, 6, 8, OuterDigit::Place::Register}});
  for (int64_t extent : {8, 16, 24}) {
    std::optional<DistributedLayout> block = blockOf(whole, {extent});
    ASSERT_TRUE(block) << extent;
    for (int64_t origin = 0; origin < 48; origin += extent)
      checkRegisters(whole, *block, {origin});
  }
  EXPECT_FALSE(blockOf(whole, {32}));
  EXPECT_FALSE(blockOf(whole, {4}));
}

TEST(Blocks, EachBlockIsRegistersOfTheWhole) {
  RandomLayouts random(11);
  RandomOptions options;
  options.blockBits = 1;
  int found = 0;
  for (int i = 0; i < 4000; ++i) {
    DistributedLayout whole = random.make(options);
    std::vector<int64_t> shape = whole.shape();
    for (int64_t &extent : shape) {
      int64_t parts = 1 + random.below(4);
      if (extent % parts == 0)
        extent /= parts;
    }
    std::optional<DistributedLayout> block = blockOf(whole, shape);
    if (!block || shape == whole.shape())
      continue;
    ++found;
    ASSERT_TRUE(isValid(*block));
    Coord origin(shape.size());
    for (size_t dim = 0; dim < shape.size(); ++dim)
      origin[dim] = random.below(whole.shape()[dim] / shape[dim]) * shape[dim];
    checkRegisters(whole, *block, origin);
  }
  EXPECT_GT(found, 100);
}

TEST(Blocks, StackIsUndoneByBlock) {
  RandomLayouts random(12);
  int found = 0;
  for (int i = 0; i < 2000; ++i) {
    DistributedLayout part = random.make({});
    unsigned dim = random.below(part.rank());
    int64_t count = 1 + random.below(7);
    std::optional<DistributedLayout> whole = stackBlocks(part, dim, count);
    if (!whole) {
      ASSERT_TRUE(part.isRagged(dim)) << part.str();
      continue;
    }
    ++found;
    ASSERT_TRUE(isValid(*whole));
    ASSERT_EQ(whole->registersPerThread(), part.registersPerThread() * count);
    std::optional<DistributedLayout> block = blockOf(*whole, part.shape());
    ASSERT_TRUE(block) << whole->str();
    ASSERT_EQ(*block, part);
    Coord origin(part.rank());
    for (int64_t number = 0; number < count; ++number) {
      origin[dim] = number * part.shape()[dim];
      checkRegisters(*whole, part, origin);
    }
  }
  EXPECT_GT(found, 500);
}
