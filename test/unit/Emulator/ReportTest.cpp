// SPDX-License-Identifier: Apache-2.0
// Kernels that are wrong: each kind of report, word by word.
#include "EmulatorFixture.h"

using namespace tilewright;

namespace {
class ReportTest : public EmulatorFixture {
protected:
  std::string messageOf(KernelEntry entry, LaunchShape shape, std::vector<uint64_t> slots = {},
                        EngineOptions options = {}) {
    return run(entry, shape, std::move(slots), options).message;
  }
};
} // namespace

/// What every message of thread `t` of program (0, 0, 0) begins with.
static std::string at(const std::string &location, int thread) {
  return location + ": kernel 'k', program (0, 0, 0), thread " + std::to_string(thread) + ": ";
}

// slots: buffer, byte offset for thread 5, bytes, align
static void readAt(void *thread, const uint64_t *slots) {
  if (threadId(thread) == 5)
    tweGlobalRead(thread, int64_t(slots[0] + slots[1]), int64_t(slots[2]), int64_t(slots[3]), 1);
}
static void writeAt(void *thread, const uint64_t *slots) {
  if (threadId(thread) == 5)
    tweGlobalWrite(thread, int64_t(slots[0] + slots[1]), int64_t(slots[2]), int64_t(slots[3]), 1);
}

TEST_F(ReportTest, GlobalOutOfBounds) {
  uint64_t a = make("a", std::vector<float>(16)), b = make("b", std::vector<float>(16));
  LaunchShape shape = makeShape(1, 32);
  ASSERT_EQ(a >> 40, 1u);
  EXPECT_EQ(messageOf(readAt, shape, {a, 60, 4, 4}), "");
  EXPECT_EQ(
      messageOf(readAt, shape, {a, 64, 4, 4}),
      at("k.mlir:2:2", 5) +
          "global read of 4 bytes at 0x18000000040, 0 bytes past the end of buffer 'a' of 64 bytes, is out of bounds");
  EXPECT_EQ(messageOf(writeAt, shape, {a, uint64_t(-4), 4, 4}),
            at("k.mlir:2:2", 5) + "global write of 4 bytes at 0x17ffffffffc, 4 bytes before the start of buffer 'a' of "
                                  "64 bytes, is out of bounds");
  EXPECT_EQ(messageOf(writeAt, shape, {b, 56, 16, 8}),
            at("k.mlir:2:2", 5) +
                "global write of 16 bytes at 0x28000000038, at offset 56, across the end of buffer 'b' of 64 bytes, is "
                "out of bounds");
  // Half way from a to b is still far from both; a null pointer and a wild one belong to no buffer.
  EXPECT_NE(messageOf(readAt, shape, {a, (b - a) / 2 - 4, 4, 4}).find("past the end of buffer 'a'"), std::string::npos);
  EXPECT_EQ(messageOf(readAt, shape, {0, 0, 1, 1}),
            at("k.mlir:2:2", 5) + "global read of 1 byte at 0x0, in no buffer, is out of bounds");
  EXPECT_EQ(messageOf(readAt, shape, {~uint64_t(0), 0, 1, 1}),
            at("k.mlir:2:2", 5) + "global read of 1 byte at 0xffffffffffffffff, in no buffer, is out of bounds");
  EXPECT_TRUE(memory.release(a));
  EXPECT_EQ(
      messageOf(readAt, shape, {a, 0, 4, 4}),
      at("k.mlir:2:2", 5) +
          "global read of 4 bytes at 0x18000000000, in buffer 'a' of 64 bytes, which was freed, is out of bounds");
}

TEST_F(ReportTest, GlobalMisaligned) {
  uint64_t a = make("a", std::vector<float>(16));
  EXPECT_EQ(messageOf(readAt, makeShape(1, 32), {a, 8, 16, 16}),
            at("k.mlir:2:2", 5) + "global read of 16 bytes at 0x18000000008, at offset 8 of buffer 'a' of 64 bytes, is "
                                  "not a multiple of 16");
}

TEST_F(ReportTest, PartsOfAReport) {
  RunReport report = run(readAt, makeShape(2, 32), {0, 0, 1, 1});
  EXPECT_EQ(report.location, "k.mlir:2:2");
  EXPECT_EQ(report.what, "global read of 1 byte at 0x0, in no buffer, is out of bounds");
  EXPECT_EQ(report.thread, 5u);
  EXPECT_EQ(report.program, (std::array<uint64_t, 3>{0, 0, 0}));
}

// slots: offset, bytes, align
static void readSharedAt(void *thread, const uint64_t *slots) {
  tweSharedRead(thread, int32_t(slots[0]), int64_t(slots[1]), int64_t(slots[2]), 0);
}
static void writeSharedAt(void *thread, const uint64_t *slots) {
  if (threadId(thread) == 0) // More than one would race.
    tweSharedWrite(thread, int32_t(slots[0]), int64_t(slots[1]), int64_t(slots[2]), 0);
}

TEST_F(ReportTest, SharedOutOfBounds) {
  LaunchShape shape = makeShape(1, 32, 100);
  EXPECT_EQ(messageOf(writeSharedAt, shape, {96, 4, 4}), "");
  EXPECT_EQ(messageOf(writeSharedAt, shape, {96, 8, 8}),
            at("k.mlir:1:1", 0) +
                "shared memory write of 8 bytes at offset 96 is outside of the 100 bytes that the program has");
  EXPECT_EQ(messageOf(readSharedAt, shape, {uint64_t(-4), 4, 4}),
            at("k.mlir:1:1", 0) +
                "shared memory read of 4 bytes at offset -4 is outside of the 100 bytes that the program has");
  EXPECT_EQ(messageOf(readSharedAt, makeShape(1, 32, 0), {0, 1, 1}),
            at("k.mlir:1:1", 0) +
                "shared memory read of 1 byte at offset 0 is outside of the 0 bytes that the program has");
}

TEST_F(ReportTest, SharedMisaligned) {
  EXPECT_EQ(messageOf(writeSharedAt, makeShape(1, 32, 100), {4, 8, 8}),
            at("k.mlir:1:1", 0) + "shared memory write of 8 bytes at offset 4 is not a multiple of 8");
}

// Rows of 12 bytes in a pitch of 16: the padding is never written. slots: bytes that thread 0 reads
static void readPadding(void *thread, const uint64_t *slots) {
  int32_t id = threadId(thread);
  std::memset(tweSharedWrite(thread, 16 * id, 12, 4, 0), 1, 12);
  tweBarrier(thread, 0, 32, 1);
  if (id == 0)
    tweSharedRead(thread, 16, int64_t(slots[0]), 4, 2);
}

TEST_F(ReportTest, SharedNeverWritten) {
  LaunchShape shape = makeShape(1, 32, 512);
  EXPECT_EQ(messageOf(readPadding, shape, {12}), "");
  EXPECT_EQ(messageOf(readPadding, shape, {16}),
            at("k.mlir:3:3", 0) + "shared memory read of 16 bytes at offset 16 sees byte 28, which nobody has written");
  EXPECT_EQ(messageOf(readPadding, shape, {496}),
            at("k.mlir:3:3", 0) +
                "shared memory read of 496 bytes at offset 16 sees byte 28, which nobody has written");
}

// Program 0 writes what program 1 reads: shared memory does not outlive a program.
static void readLeftover(void *thread, const uint64_t *slots) {
  if (tweProgramId(thread, 0) == 0)
    writeShared<int32_t>(thread, threadId(thread)) = 1;
  else
    readShared<int32_t>(thread, threadId(thread));
}

TEST_F(ReportTest, SharedOfAnotherProgramIsNotSeen) {
  EngineOptions options;
  options.numWorkers = 1;
  EXPECT_EQ(messageOf(readLeftover, makeShape(2, 32, 128), {}, options),
            "k.mlir:1:1: kernel 'k', program (1, 0, 0), thread 0: shared memory read of 4 bytes at offset 0 sees byte "
            "0, which nobody has written");
}

static void exitEarly(void *thread, const uint64_t *slots) {
  if (tweWarpId(thread) == 1)
    return;
  if (tweWarpId(thread) == 2)
    tweBarrier(thread, 3, 64, 1);
  tweBarrier(thread, 0, 96, 0);
}

TEST_F(ReportTest, DeadlockSaysWhoWaitsWhere) {
  std::string expected =
      at("k.mlir:1:1", 0) +
      "deadlock: threads 0-31 wait at barrier 0 (32 of 96 threads arrived) at k.mlir:1:1; threads 32-63 have exited; "
      "threads 64-95 wait at barrier 3 (32 of 64 threads arrived) at k.mlir:2:2";
  for (uint64_t seed = 0; seed < 10; ++seed)
    EXPECT_EQ(messageOf(exitEarly, makeShape(1, 96), {}, {seed}), expected);
}

static void exitInShuffle(void *thread, const uint64_t *slots) {
  int32_t value = 0;
  if (tweLaneId(thread) % 2 == 0 || tweLaneId(thread) > 28)
    tweShuffle(thread, TweShuffleXor, &value, 1, 1, 32, 2);
}

TEST_F(ReportTest, DeadlockInShuffle) {
  EXPECT_EQ(messageOf(exitInShuffle, makeShape(1, 32)),
            at("k.mlir:3:3", 0) +
                "deadlock: threads 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28-31 wait in a shuffle at "
                "k.mlir:3:3; threads 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27 have exited");
}

TEST_F(ReportTest, DivergentShuffle) {
  auto entry = [](void *thread, const uint64_t *) {
    int32_t value = 0;
    tweShuffle(thread, TweShuffleXor, &value, 1, 1, 32, tweLaneId(thread) < 16 ? 0 : 1);
  };
  EXPECT_EQ(messageOf(entry, makeShape(1, 64)),
            at("k.mlir:2:2", 16) +
                "the warp diverges: arrives elsewhere while lanes 0-15 of it wait in a shuffle at k.mlir:1:1");
}

TEST_F(ReportTest, ShuffleOperands) {
  auto badLane = [](void *thread, const uint64_t *) {
    int32_t value = 0;
    tweShuffle(thread, TweShuffleIdx, &value, 1, 32, 32, 0);
  };
  EXPECT_EQ(messageOf(badLane, makeShape(1, 32)),
            at("k.mlir:1:1", 0) + "shuffle of 1 value with mode 0, lane 32 and width 32 expects a value, mode 0 to 3, "
                                  "lane 0 to 31 and width 1, 2, 4, 8, 16 or 32");
  auto badWidth = [](void *thread, const uint64_t *) {
    int32_t value = 0;
    tweShuffle(thread, TweShuffleIdx, &value, 1, 0, 12, 0);
  };
  EXPECT_NE(messageOf(badWidth, makeShape(1, 32)).find("width 12 expects"), std::string::npos);
  auto mismatch = [](void *thread, const uint64_t *) {
    int32_t value = 0;
    tweShuffle(thread, tweLaneId(thread) == 9 ? TweShuffleUp : TweShuffleIdx, &value, 1, 0, 32, 0);
  };
  EXPECT_EQ(messageOf(mismatch, makeShape(1, 32)),
            at("k.mlir:1:1", 9) +
                "arrives with another instruction, mode, width or number of values than the other lanes of its warp");
}

TEST_F(ReportTest, BarrierRules) {
  auto badId = [](void *thread, const uint64_t *) { tweBarrier(thread, 16, 32, 0); };
  EXPECT_EQ(messageOf(badId, makeShape(1, 32)),
            at("k.mlir:1:1", 0) + "barrier 16 does not exist: barriers are 0 to 15");
  auto badCount = [](void *thread, const uint64_t *) { tweBarrier(thread, 0, 96, 0); };
  EXPECT_EQ(messageOf(badCount, makeShape(1, 64)),
            at("k.mlir:1:1", 0) + "barrier 0 expects 96 threads, which is not a multiple of 32 from 32 to 64");
  auto mismatch = [](void *thread, const uint64_t *) {
    tweBarrier(thread, 2, tweWarpId(thread) == 0 ? 128 : 64, tweWarpId(thread));
  };
  EXPECT_EQ(
      messageOf(mismatch, makeShape(1, 128)),
      at("k.mlir:2:2", 32) +
          "arrives at barrier 2 as one of 64 threads while others wait there as some of 128 threads, at k.mlir:1:1");
  auto divergent = [](void *thread, const uint64_t *) { tweBarrier(thread, 0, 32, tweLaneId(thread) == 7 ? 1 : 0); };
  EXPECT_EQ(messageOf(divergent, makeShape(1, 32)),
            at("k.mlir:2:2", 7) +
                "the warp diverges: arrives at barrier 0 while lanes 0-6 of it wait there at k.mlir:1:1");
  auto partial = [](void *thread, const uint64_t *) {
    if (tweLaneId(thread) < 16)
      tweBarrier(thread, 0, 32, 0);
  };
  EXPECT_EQ(messageOf(partial, makeShape(1, 64)),
            at("k.mlir:1:1", 47) + "barrier 0 is complete with a part of warp 0, lanes 0-15: whole warps must arrive");
}

TEST_F(ReportTest, FalseAssumption) {
  auto entry = [](void *thread, const uint64_t *slots) { tweAssume(thread, slots[0] % 4 == 0, int32_t(slots[1])); };
  EXPECT_EQ(messageOf(entry, makeShape(1, 32), {8, 3}), "");
  EXPECT_EQ(messageOf(entry, makeShape(1, 32), {9, 3}),
            at("k.mlir:4:4", 0) + "the assumption does not hold: %n is a multiple of 4");
  EXPECT_EQ(messageOf(entry, makeShape(1, 32), {9, 0}),
            at("k.mlir:1:1", 0) + "the assumption does not hold: unknown fact");
}

TEST_F(ReportTest, Trap) {
  auto entry = [](void *thread, const uint64_t *) {
    if (threadId(thread) == 40)
      tweTrap(thread, 99);
  };
  EXPECT_EQ(messageOf(entry, makeShape(1, 64)), at("unknown location", 40) + "reached a trap");
}

TEST_F(ReportTest, CallLimitEndsEndlessLoops) {
  uint64_t a = make("a", std::vector<float>(4));
  auto entry = [](void *thread, const uint64_t *slots) {
    while (true)
      readGlobal<float>(thread, slots[0], 0, 1);
  };
  EngineOptions options;
  options.maxCallsPerCta = 1000;
  EXPECT_EQ(messageOf(entry, makeShape(1, 32), {a}, options),
            at("k.mlir:2:2", 0) + "the program made more than the allowed 1000 calls");
  auto justEnough = [](void *thread, const uint64_t *slots) { readGlobal<float>(thread, slots[0], 0, 1); };
  options.maxCallsPerCta = 32;
  EXPECT_EQ(messageOf(justEnough, makeShape(5, 32), {a}, options), "");
  options.maxCallsPerCta = 31;
  EXPECT_EQ(messageOf(justEnough, makeShape(5, 32), {a}, options),
            at("k.mlir:2:2", 31) + "the program made more than the allowed 31 calls");
}

__attribute__((noinline)) static int recurse(volatile char *above, int depth) {
  volatile char local[512];
  local[0] = above[0];
  return depth == 0 ? 0 : recurse(local, depth - 1) + local[0];
}

TEST_F(ReportTest, StackOverflow) {
  auto entry = [](void *thread, const uint64_t *slots) {
    tweBarrier(thread, 0, 32, 1);
    volatile char first[1] = {1};
    if (threadId(thread) == 3)
      recurse(first, int(slots[0]));
  };
  EngineOptions options;
  options.stackBytes = 64 * 1024;
  EXPECT_EQ(messageOf(entry, makeShape(1, 32), {20}, options), "");
  for (int again = 0; again < 3; ++again)
    EXPECT_EQ(messageOf(entry, makeShape(1, 32), {1000000}, options),
              at("k.mlir:2:2", 3) + "the emulated thread's stack is full; its last call was here");
}

TEST_F(ReportTest, RefusedLaunches) {
  auto entry = [](void *, const uint64_t *) {};
  EXPECT_EQ(messageOf(entry, makeShape(1, 0)),
            "kernel 'k': expects a multiple of 32 threads per program up to 1024, found 0");
  EXPECT_EQ(messageOf(entry, makeShape(1, 48)),
            "kernel 'k': expects a multiple of 32 threads per program up to 1024, found 48");
  EXPECT_EQ(messageOf(entry, makeShape(1, 1056)),
            "kernel 'k': expects a multiple of 32 threads per program up to 1024, found 1056");
  EXPECT_EQ(messageOf(entry, makeShape(1, 32, 262145)),
            "kernel 'k': expects at most 262144 bytes of shared memory, found 262145");
  LaunchShape shape = makeShape(1, 32);
  shape.grid[1] = 65536;
  EXPECT_EQ(messageOf(entry, shape), "kernel 'k': expects a grid of at most 65535 programs along axis 1, found 65536");
  EXPECT_EQ(messageOf(nullptr, makeShape(1, 32)), "kernel 'k': has no code");
}

// Many programs fail; which is reported does not depend on who is first.
TEST_F(ReportTest, FirstFailingProgramIsReported) {
  auto entry = [](void *thread, const uint64_t *) {
    if (tweProgramId(thread, 0) >= 37)
      tweTrap(thread, 0);
    for (int i = 0; i < 3; ++i)
      tweBarrier(thread, 0, 32, 0);
  };
  for (unsigned numWorkers = 1; numWorkers <= 8; ++numWorkers) {
    RunReport report = run(entry, makeShape(1000, 32), {}, {/*seed=*/0, numWorkers});
    EXPECT_EQ(report.message, "k.mlir:1:1: kernel 'k', program (37, 0, 0), thread 0: reached a trap");
  }
}

TEST_F(ReportTest, EngineWorksAfterAFailure) {
  auto entry = [](void *thread, const uint64_t *slots) {
    tweBarrier(thread, 0, 64, 0);
    if (slots[0])
      tweTrap(thread, 0);
    tweBarrier(thread, 0, 64, 0);
  };
  Engine engine;
  for (uint64_t fails : {0, 1, 0, 1, 0}) {
    RunReport report = engine.run(makeKernel(entry), makeShape(3, 64), &fails, memory);
    EXPECT_EQ(report.isOk(), fails == 0) << report.message;
  }
}
