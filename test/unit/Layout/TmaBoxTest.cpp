// SPDX-License-Identifier: Apache-2.0
#include "tilewright/Layout/TmaBox.h"

#include <gtest/gtest.h>

#include <set>

using namespace tilewright;
using namespace tilewright::layout;

// Every element has a place of its own, whatever the boxes and the swizzle.
TEST(TmaBox, OffsetsAreDistinct) {
  for (unsigned s = 0; s < kNumTmaSwizzles; ++s) {
    TmaSwizzle swizzle = TmaSwizzle(s);
    for (unsigned bytes : {1u, 2u, 4u}) {
      uint32_t inner = swizzle == TmaSwizzle::None ? 64 : tmaSwizzleSpanBytes(swizzle) / bytes;
      std::vector<int64_t> shape = {24, int64_t(inner) * 3};
      std::set<int64_t> seen;
      for (int64_t i = 0; i < shape[0]; ++i)
        for (int64_t j = 0; j < shape[1]; ++j) {
          int64_t offset = tmaOffsetBytes({i, j}, shape, {8, inner}, {1, 0}, swizzle, bytes);
          EXPECT_EQ(offset % bytes, 0);
          EXPECT_TRUE(seen.insert(offset).second) << i << " " << j;
        }
    }
  }
}

// By hand: row 3 of the second column of boxes, 16-byte unit 5 of 8: unit 5 ^ 3 = 6.
TEST(TmaBox, OffsetIsThatOfThePattern) {
  EXPECT_EQ(tmaOffsetBytes({3, 64 + 40}, {16, 128}, {16, 64}, {1, 0}, TmaSwizzle::Bytes128, 2), 2048 + 3 * 128 + 6 * 16);
  // With 64 bytes a row is half a line of 128: rows 2 and 3 are line 1, which flips the lowest unit.
  EXPECT_EQ(tmaOffsetBytes({3, 0}, {16, 32}, {16, 32}, {1, 0}, TmaSwizzle::Bytes64, 2), 3 * 64 + 16);
  EXPECT_EQ(tmaOffsetBytes({3, 9}, {16, 32}, {16, 32}, {1, 0}, TmaSwizzle::None, 2), 3 * 64 + 18);
  // A tile whose first dimension is innermost in memory.
  EXPECT_EQ(tmaOffsetBytes({9, 3}, {32, 16}, {32, 16}, {0, 1}, TmaSwizzle::None, 2), 3 * 64 + 18);
}

/// Fragments of a 128x64 f16 operand: lane l holds row l / 4 and the two columns from 2 * (l % 4) on.
static DistributedLayout makeFragments() {
  std::optional<DistributedLayout> layout =
      DistributedLayout::create({128, 64}, {{0, 1}, {8, 0}, {0, 8}, {0, 16}, {0, 32}}, {{0, 2}, {0, 4}, {1, 0}, {2, 0}, {4, 0}},
                                {{16, 0}, {32, 0}, {64, 0}}, {}, {});
  return *layout;
}

TEST(TmaBox, FragmentsWantTheWidestSwizzle) {
  std::optional<TmaBoxChoice> choice = chooseTmaBox({makeFragments()}, {1, 0}, 2);
  ASSERT_TRUE(choice);
  EXPECT_EQ(choice->swizzle, TmaSwizzle::Bytes128);
  EXPECT_EQ(choice->box, (std::vector<uint32_t>{128, 64}));
  EXPECT_EQ(choice->numBoxes, 1);
  EXPECT_EQ(choice->conflicts, 0);
}

TEST(TmaBox, RowsNeedNone) {
  // Each lane reads 16 bytes, eight lanes a row.
  DistributedLayout rows = makeBlocked({128, 64}, {1, 8}, {1, 0}, 4);
  std::optional<TmaBoxChoice> choice = chooseTmaBox({rows}, {1, 0}, 2);
  ASSERT_TRUE(choice);
  EXPECT_EQ(choice->swizzle, TmaSwizzle::None);
  EXPECT_EQ(choice->conflicts, 0);
}

TEST(TmaBox, WideTilesAreCut) {
  std::optional<TmaBoxChoice> choice = chooseTmaBox({makeBlocked({1024}, {4}, {0}, 4)}, {0}, 4);
  ASSERT_TRUE(choice);
  EXPECT_EQ(choice->box, (std::vector<uint32_t>{256}));
  EXPECT_EQ(choice->numBoxes, 4);
}

TEST(TmaBox, NoBoxOfOddBytes) { EXPECT_FALSE(chooseTmaBox({makeBlocked({8, 7}, {1, 1}, {1, 0}, 1)}, {1, 0}, 2)); }

// Whatever is chosen is legal, over extents of every kind.
TEST(TmaBox, ChoicesAreLegal) {
  for (int64_t rows : {1, 3, 16, 100, 257, 300})
    for (int64_t columns : {8, 16, 24, 48, 64, 96, 192, 256, 520})
      for (unsigned bytes : {1u, 2u, 4u, 8u}) {
        std::optional<TmaBoxChoice> choice = chooseTmaBox({makeBlocked({rows, columns}, {1, 1}, {1, 0}, 4)}, {1, 0}, bytes);
        if (!choice) {
          EXPECT_NE(columns * bytes % 16, 0);
          continue;
        }
        TmaTensor tensor;
        tensor.type = bytes == 1 ? ScalarType::I8 : bytes == 2 ? ScalarType::I16 : bytes == 4 ? ScalarType::I32 : ScalarType::I64;
        tensor.address = TmaNumber::exact(0);
        tensor.rank = 2;
        tensor.dims[0] = {TmaNumber::exact(columns), TmaNumber::exact(1), choice->box[1], 1};
        tensor.dims[1] = {TmaNumber::exact(rows), TmaNumber::exact(1 << 10), choice->box[0], 0};
        tensor.swizzle = choice->swizzle;
        EXPECT_EQ(explainTma(tensor), "");
        EXPECT_EQ(choice->numBoxes, rows / choice->box[0] * (columns / choice->box[1]));
      }
}
