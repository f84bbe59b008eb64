// SPDX-License-Identifier: Apache-2.0
#include "tilewright/Layout/GlobalAccess.h"

#include "gtest/gtest.h"

using namespace tilewright::layout;

namespace {

TEST(GlobalAccess, NeighboursFillLines) {
  // 1024 floats, four each: two warps' worth of 512 bytes each, twice.
  DistributedLayout layout = makeBlocked({1024}, {4}, {0}, 2);
  GlobalAccessCost cost = globalAccessCost(layout, 0, 4, 4, /*ownersOnly=*/false);
  EXPECT_EQ(cost.vector, 4);
  EXPECT_EQ(cost.accesses, 8);
  EXPECT_EQ(cost.lines, 4);
  EXPECT_EQ(cost.sectors, 16);
}

TEST(GlobalAccess, NarrowAddressesLimitTheVector) {
  DistributedLayout layout = makeBlocked({1024}, {4}, {0}, 2);
  GlobalAccessCost cost = globalAccessCost(layout, 0, 1, 4, /*ownersOnly=*/false);
  EXPECT_EQ(cost.vector, 1);
  EXPECT_EQ(cost.accesses, 32);
  EXPECT_EQ(cost.lines, 4); // Lanes are 16 bytes apart.
  EXPECT_EQ(cost.sectors, 16);
}

TEST(GlobalAccess, NoAccessIsWiderThanAnInstruction) {
  // Eight floats a thread are two accesses of 16 bytes, which leave half of each sector to the other.
  DistributedLayout layout = makeBlocked({1024}, {8}, {0}, 2);
  GlobalAccessCost cost = globalAccessCost(layout, 0, 8, 4, /*ownersOnly=*/false);
  EXPECT_EQ(cost.vector, 4);
  EXPECT_EQ(cost.accesses, 8);
  EXPECT_EQ(cost.lines, 8);
  EXPECT_EQ(cost.sectors, 32);
  // So the layout of four is the better one for floats, and costs half as much to load.
  GlobalAccessCost four = globalAccessCost(makeBlocked({1024}, {4}, {0}, 2), 0, 8, 4, /*ownersOnly=*/false);
  EXPECT_LT(four.loadCycles(), cost.loadCycles());
  EXPECT_LT(four.storeCycles(), cost.storeCycles());
}

TEST(GlobalAccess, OtherDimensionsAreFarApart) {
  // Lanes along dimension 1, memory along dimension 0, as the registers of a thread: each lane has a line of its own.
  DistributedLayout layout = makeBlocked({32, 32}, {1, 1}, {1, 0}, 1);
  GlobalAccessCost cost = globalAccessCost(layout, 0, 4, 2, /*ownersOnly=*/false);
  EXPECT_EQ(cost.vector, 4);
  EXPECT_EQ(cost.accesses, 8);
  EXPECT_EQ(cost.lines, 32);
}

TEST(GlobalAccess, OwnersAloneStore) {
  // 32 elements for four warps of 32: one warp stores, all load.
  DistributedLayout layout = makeBlocked({32}, {1}, {0}, 4);
  EXPECT_EQ(globalAccessCost(layout, 0, 1, 4, /*ownersOnly=*/true).accesses, 1);
  EXPECT_EQ(globalAccessCost(layout, 0, 1, 4, /*ownersOnly=*/false).accesses, 4);
}

TEST(GlobalAccess, WhatLiesOutsideIsNotTouched) {
  // 17 elements in a core of 32.
  DistributedLayout layout = makeBlocked({17}, {1}, {0}, 1);
  GlobalAccessCost cost = globalAccessCost(layout, 0, 1, 2, /*ownersOnly=*/false);
  EXPECT_EQ(cost.lines, 1);
  EXPECT_EQ(cost.sectors, 2); // 34 bytes.
}

} // namespace
