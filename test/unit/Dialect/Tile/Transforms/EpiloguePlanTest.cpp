// SPDX-License-Identifier: Apache-2.0
#include "tilewright/Dialect/Tile/Transforms/EpiloguePlan.h"
#include "ParsedModule.h"

#include <gtest/gtest.h>

using namespace tilewright;
using plantest::ParsedModule;

static std::vector<int64_t> extents(int64_t columns, int64_t count) {
  std::vector<int64_t> result;
  for (const EpiloguePart &part : cutColumns(columns, count))
    result.push_back(part.extent);
  return result;
}

TEST(EpilogueParts, CutsIntoMultiplesOf16) {
  EXPECT_EQ(extents(208, 2), (std::vector<int64_t>{112, 96}));
  EXPECT_EQ(extents(48, 2), (std::vector<int64_t>{32, 16}));
  EXPECT_EQ(extents(192, 4), (std::vector<int64_t>{64, 64, 32, 32}));
  EXPECT_EQ(extents(256, 4), (std::vector<int64_t>{64, 64, 64, 64}));
  EXPECT_EQ(extents(32, 2), (std::vector<int64_t>{16, 16}));
  EXPECT_TRUE(extents(16, 2).empty());
  EXPECT_TRUE(extents(40, 2).empty());
  EXPECT_TRUE(extents(64, 0).empty());
}

TEST(EpilogueParts, CoverAllColumnsOnce) {
  for (int64_t columns = 1; columns <= 320; ++columns)
    for (int64_t count = 1; count <= 16; ++count) {
      llvm::SmallVector<EpiloguePart> parts = cutColumns(columns, count);
      EXPECT_EQ(!parts.empty(), columns % 16 == 0 && columns >= 16 * count) << columns << " in " << count;
      int64_t begin = 0;
      for (const EpiloguePart &part : parts) {
        EXPECT_EQ(part.begin, begin);
        EXPECT_EQ(part.extent % 16, 0);
        EXPECT_GT(part.extent, 0);
        EXPECT_LE(part.extent, parts.front().extent);
        EXPECT_LE(parts.front().extent - part.extent, 32);
        begin += part.extent;
      }
      if (!parts.empty()) {
        EXPECT_EQ(begin, columns);
        EXPECT_EQ(static_cast<int64_t>(parts.size()), count);
      }
    }
}

/// 128x256 sums in 8 warps that are stored in f16.
static EpilogueCost wideTile() {
  EpilogueCost cost;
  cost.columns = 256;
  cost.leastColumns = 64;
  cost.accumulatorRegisters = 128;
  cost.chainRegisters = 64;
  cost.registerBudget = 223;
  cost.stagingBytes = 65536;
  cost.loopBytes = 49152;
  return cost;
}

TEST(EpilogueParts, TakesTheFewestThatFit) {
  EpilogueCost cost = wideTile();
  EXPECT_EQ(chooseEpilogueParts(cost), 2);
  cost.loopBytes = 65536;
  EXPECT_EQ(chooseEpilogueParts(cost), 1);
  cost.loopBytes = 16384;
  EXPECT_EQ(chooseEpilogueParts(cost), 4);
  cost.loopBytes = 65536;
  cost.registerBudget = 144;
  EXPECT_EQ(chooseEpilogueParts(cost), 4);
  cost.registerBudget = 160;
  EXPECT_EQ(chooseEpilogueParts(cost), 2);
}

TEST(EpilogueParts, RowsStayWholeLines) {
  EpilogueCost cost = wideTile();
  cost.loopBytes = 0; // Nothing is enough.
  EXPECT_EQ(chooseEpilogueParts(cost), 4);
  cost.leastColumns = 128;
  EXPECT_EQ(chooseEpilogueParts(cost), 2);
  cost.leastColumns = 256;
  EXPECT_EQ(chooseEpilogueParts(cost), 1);
  cost.leastColumns = 16;
  cost.columns = 16;
  EXPECT_EQ(chooseEpilogueParts(cost), 1);
  cost.columns = 40;
  EXPECT_EQ(chooseEpilogueParts(cost), 1);
}

TEST(EpiloguePlan, AsksForNothingThatIsNotCut) {
  ParsedModule parsed(R"(
    func.func @f(%c: !tile.view<?x?xf16, strides = [?, 1]>, %i: index, %h: f16) attributes {tile.kernel} {
      %x = tile.splat %h : f16 -> tensor<16x16xf16>
      %y = tile.splat %h : f16 -> tensor<16x64xf16>
      %z = arith.constant dense<0.0> : tensor<16x64xf16>
      %rows = tile.splat %h : f16 -> tensor<16x1xf16>
      %r = tile.broadcast %rows : tensor<16x1xf16> -> tensor<16x64xf16>
      %d = tile.dot %x, %y, %z : tensor<16x16xf16>, tensor<16x64xf16> -> tensor<16x64xf16>
      %s = arith.mulf %d, %r : tensor<16x64xf16>
      tile.store %s, %c[%i, %i] : tensor<16x64xf16>, !tile.view<?x?xf16, strides = [?, 1]>
      return
    })");
  std::vector<EpilogueDecision> decisions = planEpilogue(parsed.func(), *findTarget("sm_90a"), /*parts=*/2, /*numWarps=*/0);
  ASSERT_EQ(decisions.size(), 1u);
  const EpilogueDecision &decision = decisions[0];
  EXPECT_EQ(decision.reason, "");
  EXPECT_EQ(decision.dim, 1u);
  ASSERT_EQ(decision.slices.size(), 3u); // The product of the chain, the sums, the factors; not the factors' column.
  EXPECT_EQ(decision.slices[0].answer, SliceAnswer::Elementwise);
  EXPECT_EQ(decision.slices[1].answer, SliceAnswer::Extract);
  EXPECT_EQ(decision.slices[2].answer, SliceAnswer::Broadcast);
  EXPECT_FALSE(decision.slices[0].isFree);
  EXPECT_TRUE(decision.slices[2].isFree);
}
