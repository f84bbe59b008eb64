// SPDX-License-Identifier: Apache-2.0
// Kernels that are right: what they compute, for every seed and number of host threads.
#include "EmulatorFixture.h"

#include <numeric>

using namespace tilewright;

namespace {
class EngineTest : public EmulatorFixture {};
} // namespace

// slots: a, b, c, n
static void addVectors(void *thread, const uint64_t *slots) {
  int64_t i = tweProgramId(thread, 0) * 128 + threadId(thread);
  if (i < int64_t(slots[3]))
    writeGlobal<float>(thread, slots[2], i) =
        readGlobal<float>(thread, slots[0], i) + readGlobal<float>(thread, slots[1], i);
}

TEST_F(EngineTest, VectorAdd) {
  std::vector<float> a(1000), b(1000);
  std::iota(a.begin(), a.end(), 0.0f);
  std::iota(b.begin(), b.end(), 5.0f);
  uint64_t c = make("c", std::vector<float>(1000, -1.0f));
  RunReport report = run(addVectors, makeShape(8, 128), {make("a", a), make("b", b), c, 1000});
  EXPECT_TRUE(report.isOk()) << report.message;
  std::vector<float> result = read<float>(c, 1000);
  for (int i = 0; i < 1000; ++i)
    EXPECT_EQ(result[size_t(i)], float(2 * i + 5));
}

TEST_F(EngineTest, EmptyGridRunsNothing) {
  uint64_t c = make<float>("c", {7.0f});
  for (unsigned axis = 0; axis < 3; ++axis) {
    LaunchShape shape = makeShape(4, 128);
    shape.grid[axis] = 0;
    EXPECT_TRUE(run(addVectors, shape, {0, 0, 0, 1000}).isOk());
  }
  EXPECT_EQ(read<float>(c, 1)[0], 7.0f);
}

// slots: out (one u32 per program)
static void countProgram(void *thread, const uint64_t *slots) {
  if (threadId(thread) != 0)
    return;
  int64_t index =
      (tweProgramId(thread, 2) * tweNumPrograms(thread, 1) + tweProgramId(thread, 1)) * tweNumPrograms(thread, 0) +
      tweProgramId(thread, 0);
  writeGlobal<uint32_t>(thread, slots[0], index) += uint32_t(index);
}

TEST_F(EngineTest, EachOfTenThousandProgramsRunsOnce) {
  uint64_t out = make("out", std::vector<uint32_t>(10000, 1));
  LaunchShape shape = makeShape(0, 64);
  shape.grid = {25, 40, 10};
  RunReport report = run(countProgram, shape, {out});
  EXPECT_TRUE(report.isOk()) << report.message;
  std::vector<uint32_t> counts = read<uint32_t>(out, 10000);
  for (uint32_t i = 0; i < 10000; ++i)
    ASSERT_EQ(counts[i], i + 1);
}

TEST_F(EngineTest, AxesOutsideTheGridAreOne) {
  static int64_t seen[2];
  auto entry = [](void *thread, const uint64_t *) {
    seen[0] = tweProgramId(thread, 3);
    seen[1] = tweNumPrograms(thread, -1);
  };
  EXPECT_TRUE(run(entry, makeShape(1, 32), {}).isOk());
  EXPECT_EQ(seen[0], 0);
  EXPECT_EQ(seen[1], 1);
}

// Sum of a warp by a butterfly. slots: in, out
static void sumByShuffles(void *thread, const uint64_t *slots) {
  int32_t i = threadId(thread);
  int32_t values[2] = {readGlobal<int32_t>(thread, slots[0], i), i};
  for (int32_t step = 16; step > 0; step /= 2) {
    int32_t received[2] = {values[0], values[1]};
    tweShuffle(thread, TweShuffleXor, received, 2, step, 32, step);
    values[0] += received[0];
    values[1] += received[1];
  }
  writeGlobal<int32_t>(thread, slots[1], 2 * i) = values[0];
  writeGlobal<int32_t>(thread, slots[1], 2 * i + 1) = values[1];
}

TEST_F(EngineTest, ButterflySums) {
  std::vector<int32_t> in(64);
  for (int32_t i = 0; i < 64; ++i)
    in[size_t(i)] = i * i - 7;
  uint64_t out = make("out", std::vector<int32_t>(128, 0));
  RunReport report = run(sumByShuffles, makeShape(1, 64), {make("in", in), out}, {/*seed=*/3});
  EXPECT_TRUE(report.isOk()) << report.message;
  std::vector<int32_t> sums = read<int32_t>(out, 128);
  for (int32_t i = 0; i < 64; ++i) {
    auto first = in.begin() + i / 32 * 32;
    EXPECT_EQ(sums[size_t(2 * i)], std::accumulate(first, first + 32, 0));
    EXPECT_EQ(sums[size_t(2 * i + 1)], i < 32 ? 31 * 16 : 31 * 16 + 32 * 32);
  }
}

// slots: out, mode, lane argument, width
static void shuffleOnce(void *thread, const uint64_t *slots) {
  int32_t value = 100 + tweLaneId(thread);
  tweShuffle(thread, int32_t(slots[1]), &value, 1, int32_t(slots[2]), int32_t(slots[3]), 0);
  writeGlobal<int32_t>(thread, slots[0], tweLaneId(thread)) = value;
}

// PTX ISA, shfl.sync, with the segment mask and clamp that CUDA's __shfl_*_sync make from a width.
static int32_t expectedLane(int32_t mode, int32_t lane, int32_t arg, int32_t width) {
  int32_t segmentMask = 32 - width, maxLane = (lane & segmentMask) | (31 & ~segmentMask), minLane = lane & segmentMask;
  int32_t j = mode == 0   ? (minLane | (arg & ~segmentMask))
              : mode == 1 ? (lane ^ arg)
              : mode == 2 ? lane - arg
                          : lane + arg;
  bool isInside = mode == 2 ? j >= minLane : j <= maxLane;
  return isInside ? j : lane;
}

TEST_F(EngineTest, EveryShuffle) {
  uint64_t out = make("out", std::vector<int32_t>(32, 0));
  Engine engine;
  for (int32_t mode = 0; mode < 4; ++mode)
    for (int32_t width = 1; width <= 32; width *= 2)
      for (int32_t arg = 0; arg < 32; ++arg) {
        std::vector<uint64_t> slots = {out, uint64_t(mode), uint64_t(arg), uint64_t(width)};
        RunReport report = engine.run(makeKernel(shuffleOnce), makeShape(1, 32), slots.data(), memory);
        ASSERT_TRUE(report.isOk()) << report.message;
        std::vector<int32_t> values = read<int32_t>(out, 32);
        for (int32_t lane = 0; lane < 32; ++lane)
          ASSERT_EQ(values[size_t(lane)] - 100, expectedLane(mode, lane, arg, width))
              << "mode " << mode << " lane " << lane << " arg " << arg << " width " << width;
      }
}

// Threads pass values round a ring through shared memory, with a barrier before and after each read.
// slots: out, threads
static void passAround(void *thread, const uint64_t *slots) {
  int32_t id = threadId(thread), numThreads = int32_t(slots[1]), value = id;
  for (int32_t step = 0; step < 5; ++step) {
    writeShared<int32_t>(thread, id) = value;
    tweBarrier(thread, 0, numThreads, 0);
    value = readShared<int32_t>(thread, (id + 33) % numThreads) + 1;
    tweBarrier(thread, 0, numThreads, 1);
  }
  writeGlobal<int32_t>(thread, slots[0], tweProgramId(thread, 0) * numThreads + id) = value;
}

TEST_F(EngineTest, BarriersOrderSharedMemoryForOneToEightWarps) {
  for (int32_t numThreads = 32; numThreads <= 256; numThreads += 32)
    for (uint64_t seed = 0; seed < 4; ++seed) {
      uint64_t out = make("out", std::vector<int32_t>(size_t(3 * numThreads), 0));
      RunReport report = run(passAround, makeShape(3, uint32_t(numThreads), uint32_t(4 * numThreads)),
                             {out, uint64_t(numThreads)}, {seed});
      ASSERT_TRUE(report.isOk()) << report.message;
      std::vector<int32_t> values = read<int32_t>(out, size_t(3 * numThreads));
      for (int32_t i = 0; i < 3 * numThreads; ++i)
        ASSERT_EQ(values[size_t(i)], (i % numThreads + 5 * 33) % numThreads + 5);
    }
}

TEST_F(EngineTest, LargestProgram) {
  uint64_t out = make("out", std::vector<int32_t>(1024, 0));
  RunReport report = run(passAround, makeShape(1, 1024, Engine::kMaxSharedBytes), {out, 1024});
  EXPECT_TRUE(report.isOk()) << report.message;
}

// Warps 0 and 1 (producers) fill a buffer for warps 2 and 3 (consumers): named barriers, on each of which some arrive
// from one place and some from another. slots: out
static void produceAndConsume(void *thread, const uint64_t *slots) {
  int32_t id = threadId(thread);
  bool isProducer = tweWarpId(thread) < 2;
  for (int32_t step = 0; step < 10; ++step) {
    if (isProducer) {
      writeShared<int32_t>(thread, id) = step * 1000 + id;
      tweBarrier(thread, 1, 128, 0);
      tweBarrier(thread, 2, 128, 1);
    } else {
      tweBarrier(thread, 1, 128, 2);
      int32_t sum = readShared<int32_t>(thread, id - 64);
      tweBarrier(thread, 15, 64, 1); // The consumers among themselves.
      writeGlobal<int32_t>(thread, slots[0], step * 64 + id - 64) = sum;
      tweBarrier(thread, 2, 128, 0);
    }
  }
}

TEST_F(EngineTest, NamedBarriersOfSubsets) {
  for (uint64_t seed = 0; seed < 8; ++seed) {
    uint64_t out = make("out", std::vector<int32_t>(640, 0));
    RunReport report = run(produceAndConsume, makeShape(1, 128, 256), {out}, {seed});
    ASSERT_TRUE(report.isOk()) << report.message;
    std::vector<int32_t> values = read<int32_t>(out, 640);
    for (int32_t i = 0; i < 640; ++i)
      ASSERT_EQ(values[size_t(i)], i / 64 * 1000 + i % 64);
  }
}

// Host addresses of shared memory carry their offset. slots: out
static void observeShared(void *thread, const uint64_t *slots) {
  if (threadId(thread) == 0)
    writeGlobal<uint64_t>(thread, slots[0], tweProgramId(thread, 0)) =
        reinterpret_cast<uintptr_t>(tweSharedWrite(thread, 48, 16, 16, 0));
}

TEST_F(EngineTest, SharedMemoryIsBelow4GiB) {
  uint64_t out = make("out", std::vector<uint64_t>(16, 0));
  EXPECT_TRUE(run(observeShared, makeShape(16, 32, 64), {out}).isOk());
  for (uint64_t address : read<uint64_t>(out, 16)) {
    EXPECT_NE(address, 0u);
    EXPECT_LT(address, uint64_t(1) << 32);
    EXPECT_EQ(address % (256 * 1024), 48u);
  }
}

// The order of execution, observed by a race on purpose. slots: out (order of each program), counter (its own)
static void observeOrder(void *thread, const uint64_t *slots) {
  int64_t program = tweProgramId(thread, 0);
  for (int32_t round = 0; round < 2; ++round) {
    int32_t place = writeGlobal<int32_t>(thread, slots[1], program)++;
    writeGlobal<int32_t>(thread, slots[0], program * 192 + place) = threadId(thread);
    tweBarrier(thread, 0, 96, 0);
  }
}

TEST_F(EngineTest, SeedAloneDecidesTheOrder) {
  auto observe = [&](uint64_t seed, unsigned numWorkers) {
    uint64_t out = make("out", std::vector<int32_t>(4 * 192, -1)), counter = make("n", std::vector<int32_t>(4, 0));
    RunReport report = run(observeOrder, makeShape(4, 96), {out, counter}, {seed, numWorkers});
    EXPECT_TRUE(report.isOk()) << report.message;
    return read<int32_t>(out, 4 * 192);
  };
  std::vector<int32_t> inOrder = observe(0, 1);
  for (int32_t i = 0; i < 4 * 192; ++i)
    EXPECT_EQ(inOrder[size_t(i)], i % 96);
  EXPECT_EQ(observe(0, 3), inOrder);
  for (uint64_t seed = 1; seed < 5; ++seed) {
    std::vector<int32_t> order = observe(seed, 1);
    EXPECT_EQ(observe(seed, 4), order);
    EXPECT_NE(order, inOrder);
    EXPECT_NE(order, observe(seed + 100, 1));
    // Programs have orders of their own, and each thread runs.
    EXPECT_FALSE(std::equal(order.begin(), order.begin() + 192, order.begin() + 192));
    std::vector<int32_t> sorted(order.begin(), order.begin() + 96);
    std::sort(sorted.begin(), sorted.end());
    for (int32_t i = 0; i < 96; ++i)
      EXPECT_EQ(sorted[size_t(i)], i);
  }
}

TEST_F(EngineTest, EngineIsReusedAcrossShapes) {
  Engine engine;
  for (uint32_t numThreads : {64u, 32u, 256u, 128u}) {
    uint64_t out = make("out", std::vector<int32_t>(3 * numThreads, 0));
    std::vector<uint64_t> slots = {out, numThreads};
    RunReport report =
        engine.run(makeKernel(passAround), makeShape(3, numThreads, 4 * numThreads), slots.data(), memory);
    EXPECT_TRUE(report.isOk()) << report.message;
  }
}
