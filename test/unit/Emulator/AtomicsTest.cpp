// SPDX-License-Identifier: Apache-2.0
// Atomic accesses: what they compute, that host threads do not lose updates, and programs that wait for one another.
#include "EmulatorFixture.h"

#include <chrono>
#include <cmath>
#include <limits>
#include <thread>

using namespace tilewright;

namespace {
class AtomicsTest : public EmulatorFixture {};

template <typename To, typename From> To bitsAs(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  std::memcpy(&to, &from, sizeof(to));
  return to;
}
} // namespace

// slots: memory, kind, type, operand, old
static void updateOnce(void *thread, const uint64_t *slots) {
  if (threadId(thread) == 0)
    writeGlobal<int64_t>(thread, slots[4], 0) =
        tweAtomicRmw(thread, int32_t(slots[1]), int32_t(slots[2]), int64_t(slots[0]), int64_t(slots[3]), 0);
}

TEST_F(AtomicsTest, KindsOfIntegers) {
  struct Case {
    TweAtomicKind kind;
    int32_t old, operand, result;
  };
  const int32_t least = std::numeric_limits<int32_t>::min(), most = std::numeric_limits<int32_t>::max();
  for (Case c : {Case{TweAtomicAdd, most, 1, least}, Case{TweAtomicSMin, 3, -1, -1}, Case{TweAtomicSMax, 3, -1, 3},
                 Case{TweAtomicUMin, 3, -1, 3}, Case{TweAtomicUMax, 3, -1, -1}, Case{TweAtomicAnd, 12, 10, 8},
                 Case{TweAtomicOr, 12, 10, 14}, Case{TweAtomicXor, 12, 10, 6}, Case{TweAtomicExch, 12, 10, 10}}) {
    uint64_t narrow = make<int32_t>("narrow", {c.old}), wide = make<int64_t>("wide", {c.old});
    uint64_t old = make<int64_t>("old", {0});
    EXPECT_TRUE(run(updateOnce, makeShape(1, 32),
                    {narrow, uint64_t(c.kind), TweI32, uint64_t(int64_t(c.operand)), old})
                    .isOk());
    EXPECT_EQ(read<int32_t>(narrow, 1)[0], c.result) << c.kind;
    EXPECT_EQ(read<int64_t>(old, 1)[0], int64_t(uint32_t(c.old))) << c.kind;
    if (c.kind == TweAtomicAdd)
      continue; // Wraps only in 32 bits.
    EXPECT_TRUE(run(updateOnce, makeShape(1, 32),
                    {wide, uint64_t(c.kind), TweI64, uint64_t(int64_t(c.operand)), old})
                    .isOk());
    EXPECT_EQ(read<int64_t>(wide, 1)[0], c.result) << c.kind;
  }
}

TEST_F(AtomicsTest, SumsOfFloats) {
  auto sum = [&](TweAtomicType type, auto a, auto b) {
    uint64_t place = make<decltype(a)>("place", {a}), old = make<int64_t>("old", {0});
    EXPECT_TRUE(run(updateOnce, makeShape(1, 32), {place, TweAtomicFAdd, uint64_t(type), uint64_t(b), old}).isOk());
    return read<decltype(a)>(place, 1)[0];
  };
  EXPECT_EQ(bitsAs<float>(sum(TweF32, bitsAs<uint32_t>(1.5f), bitsAs<uint32_t>(-4.0f))), -2.5f);
  EXPECT_EQ(bitsAs<double>(sum(TweF64, bitsAs<uint64_t>(0.1), bitsAs<uint64_t>(0.2))), 0.1 + 0.2);
  // 1 + 2^-11 is halfway between 1 and its neighbour and goes to the even one; 1 + 2^-10 is that neighbour.
  EXPECT_EQ(sum(TweF16, uint16_t(0x3c00), uint16_t(0x1000)), 0x3c00);
  EXPECT_EQ(sum(TweF16, uint16_t(0x3c01), uint16_t(0x1000)), 0x3c02);
  EXPECT_EQ(sum(TweF16, uint16_t(0x7bff), uint16_t(0x7bff)), 0x7c00);
  // bf16: 1 + 2^-8 is halfway.
  EXPECT_EQ(sum(TweBF16, uint16_t(0x3f80), uint16_t(0x3b80)), 0x3f80);
  EXPECT_EQ(sum(TweBF16, uint16_t(0x3f81), uint16_t(0x3b80)), 0x3f82);
  EXPECT_EQ(sum(TweBF16, uint16_t(0x7f80), uint16_t(0xff80)) & 0x7fc0, 0x7fc0) << "inf - inf is NaN";
}

// slots: counter
static void countThreads(void *thread, const uint64_t *slots) {
  for (int i = 0; i < 20; ++i)
    tweAtomicRmw(thread, TweAtomicAdd, TweI64, int64_t(slots[0]), 1, 0);
}

TEST_F(AtomicsTest, NoUpdateIsLost) {
  for (unsigned workers : {1u, 4u}) {
    EngineOptions options;
    options.numWorkers = workers;
    uint64_t counter = make<int64_t>("counter", {0});
    EXPECT_TRUE(run(countThreads, makeShape(50, 64), {counter}, options).isOk());
    EXPECT_EQ(read<int64_t>(counter, 1)[0], 50 * 64 * 20);
  }
}

// slots: flags. Each program waits for the flag of the next one; that of the end is set.
static void waitForNext(void *thread, const uint64_t *slots) {
  int64_t mine = int64_t(slots[0]) + 4 * tweProgramId(thread, 0);
  if (threadId(thread) == 0)
    while (tweAtomicLoad(thread, mine + 4, 4, 1) == 0)
      ;
  tweBarrier(thread, 0, 64, 2);
  if (threadId(thread) == 0)
    tweAtomicStore(thread, mine, 4, 1, 0);
}

TEST_F(AtomicsTest, WaitsForProgramsThatHaveNotBegun) {
  for (unsigned workers : {1u, 3u}) {
    EngineOptions options;
    options.numWorkers = workers;
    std::vector<int32_t> flags(41);
    flags.back() = 1;
    uint64_t address = make("flags", flags);
    RunReport report = run(waitForNext, makeShape(40, 64), {address}, options);
    EXPECT_TRUE(report.isOk()) << report.message;
    EXPECT_EQ(read<int32_t>(address, 41), std::vector<int32_t>(41, 1));
  }
}

TEST_F(AtomicsTest, AllWaitIsADeadlock) {
  for (unsigned workers : {1u, 3u}) {
    EngineOptions options;
    options.numWorkers = workers;
    options.maxIdleAccesses = 10000;
    uint64_t address = make("flags", std::vector<int32_t>(11));
    RunReport report = run(waitForNext, makeShape(10, 64), {address}, options);
    EXPECT_EQ(report.location, "k.mlir:2:2");
    EXPECT_EQ(report.program[0], 0u);
    EXPECT_EQ(report.what.substr(0, 41), "deadlock: waits here for other programs, ") << report.message;
  }
}

// slots: flag, microseconds. Program 0 waits; program 1 lets it wait for so long.
static void waitForASlowOne(void *thread, const uint64_t *slots) {
  if (threadId(thread) != 0)
    return;
  if (tweProgramId(thread, 0) == 0) {
    while (tweAtomicLoad(thread, int64_t(slots[0]), 4, 0) == 0)
      ;
    return;
  }
  std::this_thread::sleep_for(std::chrono::microseconds(slots[1]));
  tweAtomicStore(thread, int64_t(slots[0]), 4, 1, 1);
}

// The one that waits has looked often enough to count as waiting for ever when the other one ends.
TEST_F(AtomicsTest, ProgramsThatWorkAreNoDeadlock) {
  EngineOptions options;
  options.numWorkers = 2;
  options.maxIdleAccesses = 64;
  Engine engine(options);
  for (uint64_t run = 0; run < 400; ++run) {
    uint64_t slots[] = {make<int32_t>("flag", {0}), 50 + run % 16};
    RunReport report = engine.run(makeKernel(waitForASlowOne), makeShape(2, 32), slots, memory);
    ASSERT_TRUE(report.isOk()) << "run " << run << ": " << report.message;
    EXPECT_TRUE(memory.release(slots[0]));
  }
}

// slots: flags, n. Each thread of program 0 waits for n flags of its own, which program 1 sets.
static void waitForMany(void *thread, const uint64_t *slots) {
  int64_t t = threadId(thread), n = int64_t(slots[1]);
  auto addressOf = [&](int64_t i) { return int64_t(slots[0]) + 4 * (t * n + i); };
  auto areSet = [&] {
    bool all = true;
    for (int64_t i = 0; i < n; ++i)
      all &= tweAtomicLoad(thread, addressOf(i), 4, 0) != 0;
    return all;
  };
  if (tweProgramId(thread, 0) == 0)
    while (!areSet())
      ;
  else
    for (int64_t i = 0; i < n; ++i)
      tweAtomicStore(thread, addressOf(i), 4, 1, 1);
}

TEST_F(AtomicsTest, WaitsForManyPlacesAtATime) {
  constexpr uint32_t kThreads = 32;
  for (uint64_t n : {1, 40, 1500}) {
    EngineOptions options;
    options.numWorkers = 1;
    options.maxCallsPerCta = 10'000'000; // Ends the test where the program would never park.
    uint64_t address = make("flags", std::vector<int32_t>(kThreads * n));
    RunReport report = run(waitForMany, makeShape(2, kThreads), {address, n}, options);
    EXPECT_TRUE(report.isOk()) << report.message;
    // With nobody to set them it is a deadlock.
    address = make("flags", std::vector<int32_t>(kThreads * n));
    options.maxIdleAccesses = 100'000;
    EXPECT_EQ(run(waitForMany, makeShape(1, kThreads), {address, n}, options).what.substr(0, 41),
              "deadlock: waits here for other programs, ");
  }
}

// slots: counter, goal, plain. Asks by changing: adds to the counter, or writes a note of its own, until the goal is reached.
static void waitBusily(void *thread, const uint64_t *slots) {
  if (threadId(thread) != 0)
    return;
  auto counter = int64_t(slots[0]);
  if (tweProgramId(thread, 0) == 1) {
    tweAtomicRmw(thread, TweAtomicOr, TweI32, counter, 1 << 30, 0);
    return;
  }
  while (tweAtomicRmw(thread, slots[1] ? TweAtomicAdd : TweAtomicOr, TweI32, counter, int64_t(slots[1]), 1) < 1 << 30)
    writeGlobal<int32_t>(thread, slots[2], 0) += 1;
}

TEST_F(AtomicsTest, ProgramsThatChangeThingsWhileTheyWaitLetOthersRun) {
  for (uint64_t step : {0, 1}) {
    EngineOptions options;
    options.numWorkers = 1;
    options.maxCallsPerCta = 10'000'000;
    RunReport report = run(waitBusily, makeShape(2, 32), {make<int32_t>("counter", {0}), step, make<int32_t>("note", {0})},
                           options);
    EXPECT_TRUE(report.isOk()) << report.message;
  }
}

// slots: flags. Program 3 fails; the others wait for it.
static void failInOne(void *thread, const uint64_t *slots) {
  if (tweProgramId(thread, 0) == 3)
    tweTrap(thread, 2);
  waitForNext(thread, slots);
}

TEST_F(AtomicsTest, AFailureIsReportedRatherThanThatOthersWaitForIt) {
  EngineOptions options;
  options.maxIdleAccesses = 10000;
  uint64_t address = make("flags", std::vector<int32_t>(11));
  RunReport report = run(failInOne, makeShape(10, 64), {address}, options);
  EXPECT_EQ(report.program[0], 3u) << report.message;
  EXPECT_EQ(report.what, "reached a trap");
}

static void misaligned(void *thread, const uint64_t *slots) {
  tweAtomicRmw(thread, TweAtomicAdd, TweI64, int64_t(slots[0]) + 4, 1, 0);
}

TEST_F(AtomicsTest, PlacesAreChecked) {
  uint64_t address = make("pair", std::vector<int64_t>(2));
  EXPECT_NE(run(misaligned, makeShape(1, 32), {address}).what.find("is not a multiple of 8"), std::string::npos);
  EXPECT_NE(run(misaligned, makeShape(1, 32), {address + 12}).what.find("is out of bounds"), std::string::npos);
}
