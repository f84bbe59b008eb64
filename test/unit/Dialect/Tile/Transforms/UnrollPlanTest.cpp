// SPDX-License-Identifier: Apache-2.0
#include "tilewright/Dialect/Tile/Transforms/UnrollPlan.h"
#include "ParsedModule.h"

#include <gtest/gtest.h>

using namespace tilewright;
using plantest::ParsedModule;

/// 32 registers throughout and 16 for each copy, 100 instructions, with 128 threads.
static LiveTiles body() {
  LiveTiles tiles;
  tiles.throughoutBytes = 32 * 4 * 128;
  tiles.tripBytes = 16 * 4 * 128;
  tiles.tripElements = 100 * 128;
  return tiles;
}

TEST(UnrollPlan, EstimateIsLinearInCopies) {
  EXPECT_EQ(body().registers(1, 128), 48);
  EXPECT_EQ(body().registers(4, 128), 96);
  EXPECT_EQ(body().registers(4, 256), 48);
  EXPECT_EQ(body().instructions(3, 128), 300);
  LiveTiles one;
  one.tripBytes = 1;
  EXPECT_EQ(one.registers(1, 128), 1); // Begun is counted.
}

TEST(UnrollPlan, RegistersAndInstructionsBound) {
  UnrollLimits limits;
  EXPECT_EQ(chooseUnroll(body(), 8, limits), 8);   // 160 registers, 800 instructions.
  EXPECT_EQ(chooseUnroll(body(), 16, limits), 8);  // 288 would not fit.
  EXPECT_EQ(chooseUnroll(body(), 15, limits), 5);
  EXPECT_EQ(chooseUnroll(body(), 17, limits), 4);  // No divisor: four and a rest of one.
  limits.registers = 95;
  EXPECT_EQ(chooseUnroll(body(), 17, limits), 2);
  EXPECT_EQ(chooseUnroll(body(), 15, limits), 3);
  limits.instructions = 199;
  EXPECT_EQ(chooseUnroll(body(), 15, limits), 1);
  limits = UnrollLimits();
  limits.registers = 1;
  EXPECT_EQ(chooseUnroll(body(), 1, limits), 1);
  EXPECT_EQ(chooseUnroll(body(), 0, limits), 1);
}

TEST(UnrollPlan, TheChosenNumberFits) {
  for (int64_t trips = 0; trips < 70; ++trips)
    for (int64_t registers = 40; registers < 260; registers += 7) {
      UnrollLimits limits;
      limits.registers = registers;
      int64_t copies = chooseUnroll(body(), trips, limits);
      EXPECT_GE(copies, 1);
      EXPECT_LE(copies, std::max<int64_t>(trips, 1));
      if (copies > 1 && trips > 1) {
        EXPECT_LE(body().registers(copies, limits.threads), limits.registers);
        EXPECT_LE(body().instructions(copies, limits.threads), limits.instructions);
      }
    }
}

TEST(UnrollPlan, CopiesDivideTripsOrLeaveARest) {
  EXPECT_EQ(fitOfTrips(3, 42), UnrollFit::Exact);
  EXPECT_EQ(fitOfTrips(15, 15), UnrollFit::Exact);
  EXPECT_EQ(fitOfTrips(4, 42), UnrollFit::Rest);
  EXPECT_EQ(fitOfTrips(4, std::nullopt), UnrollFit::Rest);
  EXPECT_EQ(fitOfTrips(7, 3), UnrollFit::Beyond);
  EXPECT_EQ(fitOfTrips(2, 0), UnrollFit::Beyond);
  EXPECT_EQ(fitOfTrips(1, std::nullopt), UnrollFit::Exact);
  EXPECT_EQ(fitOfTrips(1, 0), UnrollFit::Exact);
}

TEST(UnrollPlan, LimitsFollowWarpsAndOccupancy) {
  const Target &target = *findTarget("sm_90a");
  ParsedModule plain("func.func @f() attributes {tile.kernel} { return }");
  EXPECT_EQ(unrollLimits(plain.func(), target, 0).threads, 128);
  EXPECT_EQ(unrollLimits(plain.func(), target, 0).registers, 223);
  EXPECT_EQ(unrollLimits(plain.func(), target, 16).threads, 512);
  EXPECT_EQ(unrollLimits(plain.func(), target, 16).registers, 96);
  ParsedModule crowded("func.func @f() attributes {tile.kernel, tile.num_warps = 8, tile.occupancy = 2} { return }");
  EXPECT_EQ(unrollLimits(crowded.func(), target, 16).threads, 256);
  EXPECT_EQ(unrollLimits(crowded.func(), target, 16).registers, 96);
}
