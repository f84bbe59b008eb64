// SPDX-License-Identifier: Apache-2.0
#include "tilewright/Target/Target.h"

#include <gtest/gtest.h>
#include <set>

using namespace tilewright;

TEST(Target, EveryNameFindsItsRow) {
  std::set<std::string_view> names;
  for (const Target &target : allTargets()) {
    EXPECT_EQ(findTarget(target.name), &target);
    EXPECT_TRUE(names.insert(target.name).second) << target.name;
  }
  for (const char *name : {"sm_80", "sm_86", "sm_89", "sm_90a", "sm_100a", "sm_103a", "sm_120a"})
    EXPECT_TRUE(names.count(name)) << name;
}

TEST(Target, UnknownNameListsTheKnownOnes) {
  std::string error;
  EXPECT_EQ(findTarget("sm_70", &error), nullptr);
  EXPECT_EQ(error, "unknown target 'sm_70': expected one of sm_80, sm_86, sm_89, sm_90a, sm_100a, sm_103a, sm_120a");
  EXPECT_EQ(findTarget("", nullptr), nullptr);
}

TEST(Target, RowsAreConsistent) {
  for (const Target &t : allTargets()) {
    SCOPED_TRACE(std::string(t.name));
    EXPECT_EQ(t.name, t.llvmCpu);
    EXPECT_EQ(t.llvmFeatures, "+ptx" + std::to_string(t.ptxVersion));
    EXPECT_EQ(t.name, "sm_" + std::to_string(t.computeCapability) + (t.isArchSpecific ? "a" : ""));
    EXPECT_EQ(t.maxSharedBytesPerBlock + Target::kReservedSharedBytesPerBlock, t.maxSharedBytesPerSm);
    EXPECT_EQ(t.maxGlobalAccessBytes, t.computeCapability >= 100 ? 32u : 16u);
    EXPECT_EQ(t.hasTma, t.computeCapability >= 90);
    EXPECT_EQ(t.maxPortableClusterCtas(), t.hasTma ? 8u : 1u);
    EXPECT_FALSE(t.hasWgmma && t.hasTcgen05);
    EXPECT_TRUE(t.hasMmaSync);
  }
  EXPECT_TRUE(findTarget("sm_90a")->hasWgmma);
  EXPECT_TRUE(findTarget("sm_100a")->hasTcgen05);
  EXPECT_FALSE(findTarget("sm_120a")->hasTcgen05);
}

TEST(Target, FirstIsTheOldest) {
  EXPECT_EQ(findFirstTarget([](const Target &) { return true; })->name, "sm_80");
  EXPECT_EQ(findFirstTarget([](const Target &t) { return t.hasWgmma; })->name, "sm_90a");
  EXPECT_EQ(findFirstTarget([](const Target &) { return false; }), nullptr);
}

TEST(Target, SmallFloatsHaveNoArithmetic) {
  for (const Target &t : allTargets())
    for (unsigned i = 0; i < kNumScalarTypes; ++i) {
      auto type = static_cast<ScalarType>(i);
      EXPECT_EQ(t.hasArithmetic(type), type < ScalarType::F8E4M3FN) << t.name << ", type " << i;
    }
}

// Code for an `a` target runs on its own compute capability only, other code on newer ones too.
TEST(Target, DeviceTakesTheNewestTargetThatRuns) {
  EXPECT_EQ(findTargetForDevice(75), nullptr);
  EXPECT_EQ(findTargetForDevice(80)->name, "sm_80");
  EXPECT_EQ(findTargetForDevice(87)->name, "sm_86");
  EXPECT_EQ(findTargetForDevice(90)->name, "sm_90a");
  EXPECT_EQ(findTargetForDevice(100)->name, "sm_100a");
  EXPECT_EQ(findTargetForDevice(121)->name, "sm_89");
}

TEST(Target, OccupancyIsTheTightestLimit) {
  const Target &hopper = *findTarget("sm_90a"), &ada = *findTarget("sm_89");
  EXPECT_EQ(blocksPerSm(hopper, 32, 16, 0), 32u);          // Blocks.
  EXPECT_EQ(blocksPerSm(hopper, 1024, 32, 0), 2u);         // Warps.
  EXPECT_EQ(blocksPerSm(ada, 1024, 32, 0), 1u);            // Warps: 1536 threads.
  EXPECT_EQ(blocksPerSm(hopper, 128, 128, 0), 4u);         // Registers.
  EXPECT_EQ(blocksPerSm(hopper, 128, 129, 0), 3u);         // Registers come in units of 8 per thread.
  EXPECT_EQ(blocksPerSm(hopper, 128, 32, 113 * 1024), 2u); // Shared memory, 1 KiB of each block's is the system's.
  EXPECT_EQ(blocksPerSm(hopper, 128, 32, 114 * 1024), 1u);
  EXPECT_EQ(blocksPerSm(hopper, 128, 32, 228 * 1024), 0u); // More than a block may have.
  EXPECT_EQ(blocksPerSm(hopper, 1024, 255, 0), 0u);
}
