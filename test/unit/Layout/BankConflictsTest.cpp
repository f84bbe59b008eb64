// SPDX-License-Identifier: Apache-2.0
#include "tilewright/Layout/BankConflicts.h"

#include <gtest/gtest.h>

using namespace tilewright::layout;

/// Conflicts of 32 lanes at `stride` bytes.
static unsigned strided(int64_t stride, unsigned accessBytes) {
  std::vector<int64_t> offsets;
  for (int64_t lane = 0; lane < 32; ++lane)
    offsets.push_back(lane * stride);
  return countBankConflicts(offsets, accessBytes);
}

TEST(BankConflicts, FourBytes) {
  EXPECT_EQ(strided(0, 4), 0u) << "broadcast";
  EXPECT_EQ(strided(4, 4), 0u);
  EXPECT_EQ(strided(8, 4), 1u);
  EXPECT_EQ(strided(16, 4), 3u);
  EXPECT_EQ(strided(128, 4), 31u) << "a column of 32 words";
  EXPECT_EQ(strided(132, 4), 0u) << "the same padded by a word";
}

TEST(BankConflicts, NarrowAccessesShareWords) {
  EXPECT_EQ(strided(1, 1), 0u);
  EXPECT_EQ(strided(2, 2), 0u);
  EXPECT_EQ(strided(64, 2), 15u);
}

TEST(BankConflicts, WideAccessesGoInPhases) {
  EXPECT_EQ(strided(8, 8), 0u);
  EXPECT_EQ(strided(16, 8), 2u) << "two phases of 16 lanes over 256 bytes each";
  EXPECT_EQ(strided(16, 16), 0u);
  EXPECT_EQ(strided(128, 16), 28u) << "eight-way in each of four phases";
  EXPECT_EQ(strided(144, 16), 0u) << "the pitch is an odd multiple of 16 bytes";
  EXPECT_EQ(countPhases(2), 1u);
  EXPECT_EQ(countPhases(8), 2u);
  EXPECT_EQ(countPhases(16), 4u);
}

TEST(BankConflicts, LanesMayStandAside) {
  std::vector<int64_t> offsets(32, -1);
  EXPECT_EQ(countBankConflicts(offsets, 4), 0u);
  offsets[3] = 0;
  offsets[9] = 128;
  EXPECT_EQ(countBankConflicts(offsets, 4), 1u);
  EXPECT_EQ(countBankConflicts({0, 128, 256}, 4), 2u) << "fewer than 32 offsets";
}
