// SPDX-License-Identifier: Apache-2.0
/// \file
/// What the engine's tests share: buffers with values, and kernels written by hand against the ABI.
#ifndef TILEWRIGHT_TEST_UNIT_EMULATOR_EMULATORFIXTURE_H
#define TILEWRIGHT_TEST_UNIT_EMULATOR_EMULATORFIXTURE_H

#include "tilewright/Emulator/Abi.h"
#include "tilewright/Emulator/Engine.h"

#include <gtest/gtest.h>

#include <cstring>

namespace tilewright {

class EmulatorFixture : public ::testing::Test {
protected:
  /// A buffer that holds these values.
  template <typename T> uint64_t make(const std::string &label, const std::vector<T> &values) {
    std::string error;
    uint64_t address = memory.allocate(values.size() * sizeof(T), label, &error);
    EXPECT_NE(address, 0u) << error;
    std::memcpy(memory.find(address, values.size() * sizeof(T)), values.data(), values.size() * sizeof(T));
    return address;
  }
  template <typename T> std::vector<T> read(uint64_t address, size_t count) {
    std::vector<T> values(count);
    std::memcpy(values.data(), memory.find(address, count * sizeof(T)), count * sizeof(T));
    return values;
  }

  RunReport run(KernelEntry entry, LaunchShape shape, std::vector<uint64_t> slots, EngineOptions options = {}) {
    return Engine(options).run(makeKernel(entry), shape, slots.data(), memory);
  }

  static KernelCode makeKernel(KernelEntry entry) {
    return {"k", entry, {"k.mlir:1:1", "k.mlir:2:2", "k.mlir:3:3", "k.mlir:4:4\t%n is a multiple of 4"}};
  }

  static LaunchShape makeShape(uint64_t numCtas, uint32_t numThreads, uint32_t sharedBytes = 0) {
    LaunchShape shape;
    shape.grid = {numCtas, 1, 1};
    shape.numThreads = numThreads;
    shape.dynamicSharedBytes = sharedBytes;
    return shape;
  }

  DeviceMemory memory;
};

inline int32_t threadId(void *thread) { return tweWarpId(thread) * 32 + tweLaneId(thread); }

template <typename T> T &readGlobal(void *thread, uint64_t base, int64_t index, int32_t loc = 0) {
  return *static_cast<T *>(
      tweGlobalRead(thread, int64_t(base) + index * int64_t(sizeof(T)), sizeof(T), sizeof(T), loc));
}
template <typename T> T &writeGlobal(void *thread, uint64_t base, int64_t index, int32_t loc = 0) {
  return *static_cast<T *>(
      tweGlobalWrite(thread, int64_t(base) + index * int64_t(sizeof(T)), sizeof(T), sizeof(T), loc));
}
template <typename T> T &readShared(void *thread, int32_t index, int32_t loc = 0) {
  return *static_cast<T *>(tweSharedRead(thread, index * int32_t(sizeof(T)), sizeof(T), sizeof(T), loc));
}
template <typename T> T &writeShared(void *thread, int32_t index, int32_t loc = 0) {
  return *static_cast<T *>(tweSharedWrite(thread, index * int32_t(sizeof(T)), sizeof(T), sizeof(T), loc));
}

} // namespace tilewright

#endif // TILEWRIGHT_TEST_UNIT_EMULATOR_EMULATORFIXTURE_H
