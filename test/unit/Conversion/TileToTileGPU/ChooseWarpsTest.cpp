// SPDX-License-Identifier: Apache-2.0
#include "tilewright/Conversion/TileToTileGPU/LayoutPlan.h"

#include <gtest/gtest.h>

using namespace tilewright;

TEST(PickWarps, FewerMustSaveAnEighth) {
  EXPECT_EQ(pickWarps({{4, 1000, 16}, {2, 876, 32}, {1, 880, 64}}), 4u);
  EXPECT_EQ(pickWarps({{4, 1000, 16}, {2, 875, 32}, {1, 880, 64}}), 2u);
}

TEST(PickWarps, TheCheapestOfThose) {
  EXPECT_EQ(pickWarps({{4, 1000, 16}, {2, 850, 32}, {1, 800, 64}}), 1u);
  EXPECT_EQ(pickWarps({{4, 1000, 16}, {2, 800, 32}, {1, 850, 64}}), 2u);
  EXPECT_EQ(pickWarps({{4, 1000, 16}, {2, 800, 32}, {1, 800, 64}}), 2u); // Of equals the first.
}

TEST(PickWarps, TilesMustFit) {
  EXPECT_EQ(pickWarps({{4, 1000, 60}, {2, 800, 120}, {1, 500, 201}}), 2u);
  EXPECT_EQ(pickWarps({{4, 1000, 60}, {2, 800, 120}, {1, 500, 200}}), 1u);
  EXPECT_EQ(pickWarps({{4, 1000, 110}, {2, 800, 220}, {1, 500, 440}}), 4u);
  EXPECT_EQ(pickWarps({{4, 1000, 300}}), 4u); // The usual ones stay, whatever they need.
}

TEST(PickWarps, NothingToSave) {
  EXPECT_EQ(pickWarps({{4, 0, 0}, {2, 0, 0}, {1, 0, 0}}), 4u);
  EXPECT_EQ(pickWarps({{4, 100, 0}, {2, 100, 0}}), 4u);
}
