// SPDX-License-Identifier: Apache-2.0
#include "tilewright/Dialect/Tile/Transforms/DotMerge.h"
#include "ParsedModule.h"

#include <gtest/gtest.h>

using namespace tilewright;
using plantest::ParsedModule;

/// Two products of 64x64 sums with a K of 8 each; of operands that were cut out of one tile, or that were not.
static DotMerge planChain(bool isCut, const char *target) {
  std::string parts = isCut ? R"(%a0 = tile.extract %a[%c0, %c0] : tensor<64x16xf16> -> tensor<64x8xf16>
      %a1 = tile.extract %a[%c0, %c1] : tensor<64x16xf16> -> tensor<64x8xf16>
      %b0 = tile.extract %b[%c0, %c0] : tensor<16x64xf16> -> tensor<8x64xf16>
      %b1 = tile.extract %b[%c1, %c0] : tensor<16x64xf16> -> tensor<8x64xf16>)"
                            : R"(%a0 = tile.extract %a[%c0, %c1] : tensor<64x16xf16> -> tensor<64x8xf16>
      %a1 = tile.extract %a[%c0, %c0] : tensor<64x16xf16> -> tensor<64x8xf16>
      %b0 = tile.extract %b[%c1, %c0] : tensor<16x64xf16> -> tensor<8x64xf16>
      %b1 = tile.extract %b[%c0, %c0] : tensor<16x64xf16> -> tensor<8x64xf16>)";
  ParsedModule parsed(
      "func.func @f(%a: tensor<64x16xf16>, %b: tensor<16x64xf16>, %c: tensor<64x64xf32>) -> tensor<64x64xf32> {\n"
      "  %c0 = arith.constant 0 : index\n  %c1 = arith.constant 1 : index\n" +
      parts + R"(
      %d0 = tile.dot %a0, %b0, %c : tensor<64x8xf16>, tensor<8x64xf16> -> tensor<64x64xf32>
      %d1 = tile.dot %a1, %b1, %d0 : tensor<64x8xf16>, tensor<8x64xf16> -> tensor<64x64xf32>
      return %d1 : tensor<64x64xf32>
    })");
  std::vector<DotMerge> merges = planDotMerges(parsed.func(), DotMergeKind::AlongK, *findTarget(target), 4);
  EXPECT_EQ(merges.size(), 1u);
  DotMerge merge = merges.empty() ? DotMerge() : merges[0];
  EXPECT_EQ(merge.dots.size(), 2u);
  merge.dots.clear(); // They end with the module.
  return merge;
}

// The example of the header: blocks in the wrong order are neighbours of nobody.
TEST(DotMerge, NeighboursAreJoinedForNothing) {
  DotMerge cut = planChain(true, "sm_80"), moved = planChain(false, "sm_80");
  EXPECT_EQ(cut.clocksApart, 128);
  EXPECT_EQ(cut.clocksMerged, 64);
  EXPECT_EQ(cut.clocksMoved, 0);
  EXPECT_EQ(cut.operandBytes, 4096);
  EXPECT_EQ(cut.operandBytesLimit, 163 * 1024 / 2);
  EXPECT_TRUE(cut.fits());
  EXPECT_TRUE(cut.pays());
  EXPECT_EQ(moved.clocksMoved, 64);
  EXPECT_FALSE(moved.pays());
}

// Moving is worth it only where it costs less than is saved, and fewer products at the same cost only where nothing
// moves.
TEST(DotMerge, Pays) {
  auto pays = [](int64_t apart, int64_t merged, int64_t moved) {
    DotMerge merge;
    merge.clocksApart = apart;
    merge.clocksMerged = merged;
    merge.clocksMoved = moved;
    return merge.pays();
  };
  EXPECT_TRUE(pays(64, 64, 0));
  EXPECT_FALSE(pays(64, 64, 1));
  EXPECT_FALSE(pays(64, 65, 0));
  EXPECT_TRUE(pays(64, 32, 31));
  EXPECT_FALSE(pays(64, 32, 32));
}
