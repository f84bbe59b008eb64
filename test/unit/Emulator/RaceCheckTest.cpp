// SPDX-License-Identifier: Apache-2.0
// Races in shared memory: programs that have one and programs that are just right, and random histories against an
// exhaustive search.
#include "EmulatorFixture.h"
#include "RaceCheck.h"

#include <random>
#include <set>

using namespace tilewright;

namespace {
class RaceCheckTest : public EmulatorFixture {
protected:
  /// The report of a program of one CTA, without kernel and program.
  std::string reportOf(KernelEntry entry, uint32_t numThreads, EngineOptions options = {}) {
    RunReport report = run(entry, makeShape(1, numThreads, 4096), {}, options);
    return report.isOk() ? "" : "thread " + std::to_string(report.thread) + " at " + report.location + ": " + report.what;
  }
};
} // namespace

static void readNeighbour(void *thread, const uint64_t *) {
  int32_t t = threadId(thread);
  writeShared<int32_t>(thread, t, 1) = t;
  if (t == 33) // A neighbour in its own warp, which has run before it.
    readShared<int32_t>(thread, 32, 2);
}

TEST_F(RaceCheckTest, ReadWithoutABarrier) {
  EXPECT_EQ(reportOf(readNeighbour, 64), "thread 33 at k.mlir:3:3: shared memory read at offset 128 races with a write by "
                                         "thread 32 at k.mlir:2:2: no barrier orders them");
  EngineOptions options;
  options.checkRaces = false;
  EXPECT_EQ(reportOf(readNeighbour, 64, options), "");
}

static void writeAfterRead(void *thread, const uint64_t *) {
  int32_t t = threadId(thread);
  writeShared<int32_t>(thread, t, 0) = t;
  tweBarrier(thread, 0, 64, 0);
  readShared<int32_t>(thread, 5, 1);
  if (t == 40)
    writeShared<int32_t>(thread, 5, 2) = 1;
}

TEST_F(RaceCheckTest, WriteAfterReads) {
  EXPECT_EQ(reportOf(writeAfterRead, 64), "thread 40 at k.mlir:3:3: shared memory write at offset 20 races with a read by "
                                          "thread 1 at k.mlir:2:2: no barrier orders them");
}

static void writeTwice(void *thread, const uint64_t *) { writeShared<int16_t>(thread, threadId(thread) / 2, 1) = 1; }

TEST_F(RaceCheckTest, TwoWritesOfEqualValues) {
  EXPECT_EQ(reportOf(writeTwice, 32), "thread 1 at k.mlir:2:2: shared memory write at offset 0 races with a write by "
                                      "thread 0 at k.mlir:2:2: no barrier orders them");
}

// Every thread its own byte; then wide reads of bytes of many; then writes again, by others.
static void inOrder(void *thread, const uint64_t *) {
  int32_t t = threadId(thread);
  writeShared<int8_t>(thread, t) = int8_t(t);
  tweBarrier(thread, 0, 64, 0);
  readShared<int64_t>(thread, t / 8);
  readShared<int64_t>(thread, 7 - t / 8);
  tweBarrier(thread, 0, 64, 0);
  if (t < 16)
    writeShared<int32_t>(thread, 15 - t) = t;
  tweBarrier(thread, 0, 64, 0);
  for (int i = 0; i < 4; ++i) {
    writeShared<int16_t>(thread, t) = int16_t(i);
    readShared<int16_t>(thread, t);
  }
}

TEST_F(RaceCheckTest, BarriersOrder) {
  EXPECT_EQ(reportOf(inOrder, 64), "");
  // One CTA after the other, and other sizes of access than before.
  EXPECT_TRUE(run(inOrder, makeShape(20, 64, 4096), {}).isOk());
}

static void throughShuffle(void *thread, const uint64_t *) {
  int32_t lane = tweLaneId(thread), value = lane;
  writeShared<int32_t>(thread, lane, 0) = lane;
  tweShuffle(thread, 1, &value, 1, 1, 32, 0);
  readShared<int32_t>(thread, lane ^ 1, 1);
}

TEST_F(RaceCheckTest, ShufflesOrderNoMemory) {
  EXPECT_EQ(reportOf(throughShuffle, 32), "thread 0 at k.mlir:2:2: shared memory read at offset 4 races with a write by "
                                          "thread 1 at k.mlir:1:1: no barrier orders them");
}

// Warps 0 and 1 meet, then 1 and 2: what warp 0 wrote has reached warp 2. Warp 3 meets nobody.
static void throughParts(void *thread, const uint64_t *slots) {
  int32_t warp = tweWarpId(thread), lane = tweLaneId(thread);
  if (warp == 0 && lane == 3)
    writeShared<int32_t>(thread, 0, 0) = 1;
  if (warp <= 1)
    tweBarrier(thread, 1, 64, 0);
  if (warp == 1 || warp == 2)
    tweBarrier(thread, 2, 64, 0);
  if (warp == int32_t(slots[0]) && lane == 9)
    readShared<int32_t>(thread, 0, 1);
}

TEST_F(RaceCheckTest, BarriersOfPartsOfTheCta) {
  LaunchShape shape = makeShape(1, 128, 64);
  EXPECT_EQ(run(throughParts, shape, {1}).message, "");
  EXPECT_EQ(run(throughParts, shape, {2}).message, "");
  EXPECT_EQ(run(throughParts, shape, {3}).what, "shared memory read at offset 0 races with a write by thread 3 at "
                                                "k.mlir:1:1: no barrier orders them");
}

namespace {
/// Remembers every access and compares all of them.
class Exhaustive {
public:
  explicit Exhaustive(uint32_t numWarps) : past(numWarps) {}

  bool isRace(uint32_t thread, uint32_t offset, uint32_t bytes, bool isWrite) {
    bool found = false;
    for (size_t i = 0; i < accesses.size(); ++i) {
      const Access &other = accesses[i];
      found |= other.thread != thread && (other.isWrite || isWrite) && other.offset < offset + bytes &&
               offset < other.offset + other.bytes && !past[thread / 32].count(i);
    }
    accesses.push_back({thread, offset, bytes, isWrite});
    return found;
  }
  void passBarrier(uint32_t warps) {
    std::set<size_t> joined;
    for (uint32_t warp = 0; warp < past.size(); ++warp)
      if (warps >> warp & 1) {
        joined.insert(past[warp].begin(), past[warp].end());
        for (size_t i = 0; i < accesses.size(); ++i)
          if (accesses[i].thread / 32 == warp)
            joined.insert(i);
      }
    for (uint32_t warp = 0; warp < past.size(); ++warp)
      if (warps >> warp & 1)
        past[warp] = joined;
  }

private:
  struct Access {
    uint32_t thread, offset, bytes;
    bool isWrite;
  };
  std::vector<Access> accesses;
  /// Per warp, the accesses that came before whatever it does now.
  std::vector<std::set<size_t>> past;
};
} // namespace

/// Runs random histories until each ends in a race; returns how many of them the check missed.
static unsigned countMissed(bool hasParts, unsigned numHistories) {
  constexpr uint32_t kNumWarps = 4, kBytes = 64;
  RaceCheck check;
  unsigned missed = 0;
  for (unsigned seed = 0; seed < numHistories; ++seed) {
    std::mt19937 random(seed);
    Exhaustive reference(kNumWarps);
    check.reset(kNumWarps);
    if (seed % 7 == 0)
      check.coarsen();
    for (unsigned step = 0; step < 200; ++step) {
      if (random() % 3 == 0) {
        uint32_t warps = hasParts ? 1 + random() % 15 : 15;
        check.passBarrier(warps);
        reference.passBarrier(warps);
        continue;
      }
      uint32_t bytes = 1u << random() % 5, offset = random() % (kBytes / bytes) * bytes;
      uint32_t thread = random() % kNumWarps * 32 + random() % 2;
      bool isWrite = random() % 4 == 0;
      RaceCheck::Access other;
      bool isFine = isWrite ? check.write(thread, offset, bytes, 0, &other) : check.read(thread, offset, bytes, 0, &other);
      bool isRace = reference.isRace(thread, offset, bytes, isWrite);
      EXPECT_TRUE(isFine || isRace) << "seed " << seed << ", step " << step << ": no race";
      if (isRace) {
        missed += isFine;
        break;
      }
      if (!isFine)
        break;
    }
  }
  return missed;
}

TEST(RaceCheckHistoryTest, FindsEveryRaceBetweenBarriersOfAll) { EXPECT_EQ(countMissed(/*hasParts=*/false, 3000), 0u); }

TEST(RaceCheckHistoryTest, ReportsOnlyRacesBetweenBarriersOfParts) {
  // A read may be forgotten that alone would race; few are.
  EXPECT_LT(countMissed(/*hasParts=*/true, 3000), 300u);
}
