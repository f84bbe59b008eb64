// SPDX-License-Identifier: Apache-2.0
#include "tilewright/Emulator/DeviceMemory.h"

#include <gtest/gtest.h>

#include <set>

using namespace tilewright;

TEST(DeviceMemoryTest, FindsExactlyTheBytesOfABuffer) {
  DeviceMemory memory;
  std::string error;
  uint64_t address = memory.allocate(100, "a", &error);
  ASSERT_NE(address, 0u) << error;
  EXPECT_EQ(address % 256, 0u);
  char *host = memory.find(address, 100);
  ASSERT_NE(host, nullptr);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(host) % 256, 0u);
  EXPECT_EQ(memory.find(address + 99, 1), host + 99);
  EXPECT_EQ(memory.find(address + 100, 1), nullptr);
  EXPECT_EQ(memory.find(address + 99, 2), nullptr);
  EXPECT_EQ(memory.find(address - 1, 1), nullptr);
  EXPECT_EQ(memory.find(address, 101), nullptr);
  EXPECT_EQ(memory.find(address, ~uint64_t(0)), nullptr);
}

TEST(DeviceMemoryTest, BuffersAreFarApart) {
  DeviceMemory memory;
  std::string error;
  std::set<uint64_t> addresses;
  for (int i = 0; i < 3000; ++i)
    addresses.insert(memory.allocate(8, "x", &error));
  ASSERT_EQ(addresses.size(), 3000u);
  uint64_t before = 0;
  for (uint64_t address : addresses) {
    EXPECT_GE(address - before, uint64_t(1) << 39);
    EXPECT_NE(memory.find(address, 8), nullptr);
    before = address;
  }
}

TEST(DeviceMemoryTest, MoreThanTwoToThe31Elements) {
  DeviceMemory memory;
  std::string error;
  uint64_t bytes = (uint64_t(1) << 32) + 4096; // More f16 elements than an i32 counts.
  uint64_t address = memory.allocate(bytes, "huge", &error);
  ASSERT_NE(address, 0u) << error;
  *memory.find(address + bytes - 1, 1) = 42;
  EXPECT_EQ(*memory.find(address + bytes - 1, 1), 42);
  EXPECT_EQ(memory.describe(address + bytes, 1), "0 bytes past the end of buffer 'huge' of 4294971392 bytes");
  EXPECT_TRUE(memory.release(address));
}

TEST(DeviceMemoryTest, RefusesWhatItCannotHold) {
  DeviceMemory memory;
  std::string error;
  EXPECT_EQ(memory.allocate(0, "a", &error), 0u);
  EXPECT_EQ(error, "cannot allocate 0 bytes for buffer 'a': a buffer has at least one byte");
  EXPECT_EQ(memory.allocate(~uint64_t(0), "a", &error), 0u);
  EXPECT_EQ(error,
            "cannot allocate 18446744073709551615 bytes for buffer 'a': the emulator's buffers end at 2^39 bytes");
}

TEST(DeviceMemoryTest, ReleasesOnceAndOnlyStarts) {
  DeviceMemory memory;
  std::string error;
  uint64_t address = memory.allocate(64, "a", &error);
  EXPECT_FALSE(memory.release(address + 1));
  EXPECT_FALSE(memory.release(0));
  EXPECT_FALSE(memory.release(~uint64_t(0)));
  EXPECT_TRUE(memory.release(address));
  EXPECT_FALSE(memory.release(address));
  EXPECT_EQ(memory.find(address, 1), nullptr);
  EXPECT_NE(memory.allocate(64, "b", &error), address);
}

TEST(DeviceMemoryTest, UsesTheHostsMemoryAsItIs) {
  DeviceMemory memory;
  std::string error;
  alignas(256) char host[1024] = {};
  uint64_t address = memory.adopt(host + 16, 100, /*isWritable=*/true, "a", &error);
  ASSERT_NE(address, 0u) << error;
  EXPECT_EQ(address % 256, 16u);
  EXPECT_EQ(memory.find(address, 100), host + 16);
  EXPECT_EQ(memory.findWritable(address + 99, 1), host + 115);
  EXPECT_EQ(memory.find(address - 1, 1), nullptr);
  EXPECT_EQ(memory.find(address + 100, 1), nullptr);
  EXPECT_EQ(memory.describe(address - 4, 4), "4 bytes before the start of buffer 'a' of 100 bytes");
  EXPECT_EQ(memory.describe(address + 104, 4), "4 bytes past the end of buffer 'a' of 100 bytes");
  EXPECT_TRUE(memory.release(address));
  EXPECT_FALSE(memory.release(address));
  EXPECT_EQ(memory.find(address, 1), nullptr);
  EXPECT_EQ(memory.adopt(host, 0, true, "a", &error), 0u);
}

TEST(DeviceMemoryTest, ReadOnlyMemoryIsNotForWriting) {
  DeviceMemory memory;
  std::string error;
  static const char host[64] = {};
  uint64_t address = memory.adopt(const_cast<char *>(host), 64, /*isWritable=*/false, "a", &error);
  ASSERT_NE(address, 0u) << error;
  EXPECT_EQ(memory.find(address, 64), host);
  EXPECT_EQ(memory.findWritable(address, 1), nullptr);
}
