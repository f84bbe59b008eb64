// SPDX-License-Identifier: Apache-2.0
/// \file
/// One CTA while it is executed by one host thread: its threads, who of them may run, who waits where. A thread runs
/// until it waits or ends, then picks the next one and switches to its stack directly. A thread that ends lends its
/// stack to the next one that has not begun, so a kernel without rendezvous runs on a single stack.
#ifndef TILEWRIGHT_EMULATOR_CTA_H
#define TILEWRIGHT_EMULATOR_CTA_H

#include "Fiber.h"
#include "RaceCheck.h"
#include "SharedMemory.h"
#include "tilewright/Emulator/Engine.h"
#include "tilewright/Target/Target.h"

#include <array>
#include <atomic>
#include <string>
#include <unordered_map>
#include <vector>

namespace tilewright {

class Cta;

inline constexpr unsigned kMaxWarps = Target::kMaxThreadsPerBlock / kWarpSize, kNumBarriers = Target::kNamedBarriers;
inline constexpr uint32_t kFullWarp = 0xffffffffu;

/// Where a thread stands.
enum class ThreadState : uint8_t { NotStarted, Running, InBarrier, InMeeting, Exited };

/// An instruction that all lanes of a warp execute together: what they must agree on.
struct WarpCall {
  enum Op : int32_t {
    Shuffle,    ///< mode: TweShuffleMode; width: of a segment
    LoadMatrix, ///< mode: 1 with `.trans`
    Mma,        ///< mode: kind, see MmaElement.h
  };
  Op op = Shuffle;
  int32_t mode = 0, numValues = 0, width = 0;

  bool operator==(const WarpCall &other) const {
    return op == other.op && mode == other.mode && numValues == other.numValues && width == other.width;
  }
};

/// The opaque `thread` of the ABI.
struct CudaThread {
  Cta *cta = nullptr;
  uint32_t lane = 0, warp = 0;
  /// Source of the last call that has one.
  int32_t loc = -1;
  ThreadState state = ThreadState::NotStarted;
  uint32_t barrier = 0; ///< InBarrier: which
  unsigned stack = 0;
  ExecutionContext context;

  uint32_t index() const { return warp * kWarpSize + lane; }
};

/// A broken rule, as plain numbers: it is described on another stack than that of the thread that broke it.
struct Failure {
  enum Kind : uint8_t {
    None,
    GlobalRead,       ///< a: address, b: bytes, c: align
    GlobalWrite,      ///< as GlobalRead
    SharedRead,       ///< a: offset, b: bytes, c: align
    SharedWrite,      ///< as SharedRead
    SharedUnwritten,  ///< a: offset, b: bytes
    SharedReadRace,   ///< a: offset, c: thread that wrote, d: where
    SharedWriteRace,  ///< a: offset, b: whether the other one wrote too, c: its thread, d: where
    BarrierId,        ///< a: id
    BarrierCount,     ///< a: id, b: count
    BarrierMismatch,  ///< a: id, b: count, c: count of those that wait, d: location of one of those
    BarrierDivergent, ///< a: id, d: location of the other lanes
    BarrierPartial,   ///< a: id, b: warp, c: lanes that arrived
    WarpDivergent,    ///< d: location of the other lanes
    WarpOperand,      ///< a: mode, b: values, c: lane, d: width
    WarpMismatch,     ///< Same location, but another instruction, mode, width or number of values
    Assumption,
    Trap,
    Deadlock,
    Starved, ///< a: accesses in a row that found and changed nothing
    StackOverflow,
    CallLimit, ///< a: limit
    NumKinds,
  };
  Kind kind = None;
  uint32_t thread = 0;
  int32_t loc = -1;
  int64_t a = 0, b = 0, c = 0, d = 0;
};

/// What is the same for all CTAs of a run.
struct RunState {
  const KernelCode *kernel = nullptr;
  LaunchShape shape;
  const uint64_t *slots = nullptr;
  DeviceMemory *memory = nullptr;
  uint64_t seed = 0, maxCallsPerCta = 0, numCtas = 0, maxIdleAccesses = 0;
  bool checkRaces = true;
  /// Counts, after each, atomic accesses that changed memory, plain writes between waits, and CTAs that ended.
  std::atomic<uint64_t> progress{0};
  /// First CTA that failed so far; those after it are given up.
  std::atomic<uint64_t> firstFailed{~uint64_t(0)};
};

/// How a CTA came to give the host thread back. GivenUp: an earlier CTA has failed. Parked: it waits for others.
enum class CtaOutcome : uint8_t { Finished, Failed, GivenUp, Parked };

/// Reused for one CTA after the other.
class Cta {
public:
  Cta();

  /// Prepares stacks and mappings for CTAs of this run. Returns false and sets `error` if the host refuses.
  bool prepare(RunState &run, size_t stackBytes, std::string *error);

  /// Executes the CTA with this number, x running fastest, until all threads have ended, one has failed, or it parks.
  CtaOutcome execute(uint64_t number);
  /// Goes on with a parked one, on the host thread that it was parked by.
  CtaOutcome resume();
  uint64_t getNumber() const { return number; }
  /// Whether the parked CTA has waited for as long as a program may, and all of that after the run's progress was this.
  bool isStarvedSince(uint64_t progress) const {
    return idleAccesses >= run->maxIdleAccesses && idleSince == progress;
  }
  /// Makes that its failure.
  void failByStarving();

  const Failure &getFailure() const { return failure; }
  /// The failure as a report. Valid until the next CTA.
  RunReport describeFailure() const;

  //===--------------------------------------------------------------------===//
  // Called by threads
  //===--------------------------------------------------------------------===//

  /// Records the failure and stops the CTA; the calling stack is abandoned.
  [[noreturn]] void fail(CudaThread &thread, Failure found);
  /// The same for a thread whose stack has overflowed; runs on another stack.
  [[noreturn]] void failByOverflow();

  void waitAtBarrier(CudaThread &thread, int32_t id, int32_t numThreads, int32_t loc);
  void shuffle(CudaThread &thread, int32_t mode, int32_t *values, int32_t numValues, int32_t laneArg, int32_t width,
               int32_t loc);
  /// `offset` was checked by its lane.
  void loadMatrix(CudaThread &thread, int32_t offset, int32_t *words, int32_t numWords, bool isTransposed, int32_t loc);
  void mma(CudaThread &thread, int32_t kind, int32_t *words, int32_t loc);

  /// Takes note of an atomic access. A CTA that finds what it found before and changes nothing waits for others, most likely,
  /// so it parks now and then.
  void noteShared(CudaThread &thread, uint64_t address, uint64_t value, bool isChange);
  /// A plain write: the CTA gets on by itself.
  void noteWrite() {
    idleAccesses = 0;
    hasWritten = true;
  }

  /// Counts a call against the limit.
  void countCall(CudaThread &thread, int32_t loc) {
    thread.loc = loc;
    if (--callsLeft == 0)
      failByLimit(thread);
  }

  RunState &getRun() const { return *run; }
  DeviceMemory &getMemory() const { return *run->memory; }
  SharedMemory &getShared() { return shared; }
  /// Stops the CTA if this access, which lies inside shared memory, races with an earlier one.
  void checkSharedRead(CudaThread &thread, uint32_t offset, uint32_t bytes, int32_t loc) {
    RaceCheck::Access other;
    if (run->checkRaces && !races.read(thread.index(), offset, bytes, loc, &other))
      failByRace(thread, Failure::SharedReadRace, other, loc);
  }
  void checkSharedWrite(CudaThread &thread, uint32_t offset, uint32_t bytes, int32_t loc) {
    RaceCheck::Access other;
    if (run->checkRaces && !races.write(thread.index(), offset, bytes, loc, &other))
      failByRace(thread, Failure::SharedWriteRace, other, loc);
  }
  const std::array<uint64_t, 3> &getProgram() const { return program; }
  const StackPool &getStacks() const { return stacks; }

private:
  struct Barrier {
    uint32_t numArrived = 0;
    int32_t expected = 0, firstLoc = -1;
    uint32_t warps = 0; ///< Which warps have lanes here
    std::array<uint32_t, kMaxWarps> lanes{};
    std::array<int32_t, kMaxWarps> locs{};
  };
  struct Meeting {
    uint32_t lanes = 0;
    int32_t loc = -1;
    WarpCall call;
    std::array<int32_t *, kWarpSize> values{};
    std::array<int32_t, kWarpSize> laneArgs{};
  };

  /// Runs threads until the host is switched back to.
  CtaOutcome runThreads(CudaThread *first);
  void park(CudaThread &thread);
  /// Whether an atomic access that changed nothing found what was found there before.
  bool isKnown(uint64_t address, uint64_t value);
  static void runFiber(boost::context::detail::transfer_t transfer);
  [[noreturn]] void failByLimit(CudaThread &thread);
  [[noreturn]] void failByRace(CudaThread &thread, Failure::Kind kind, const RaceCheck::Access &other, int32_t loc);
  /// Checks that the lanes agree, waits for all of them, and performs the call once.
  void meet(CudaThread &thread, const WarpCall &call, int32_t *values, int32_t laneArg, int32_t loc);
  void exchange(Meeting &group);
  void readMatrices(Meeting &group);
  void makeReady(uint32_t warp, uint32_t lanes) {
    ready[warp] |= lanes;
    readyWarps |= 1u << warp;
  }
  /// The next thread to run, or null if none can.
  CudaThread *pickNext();
  uint32_t pickWarp();
  uint64_t nextRandom();
  /// Gives the host thread to others until the scheduler picks `thread` again.
  void suspend(CudaThread &thread);
  void switchTo(ExecutionContext *from, CudaThread *next);
  void arrive(ExecutionContext *self, boost::context::detail::transfer_t transfer);
  [[noreturn]] void leaveFor(CudaThread *next);
  std::string describeWhat() const;
  std::string describeWaiting() const;
  /// The location of that number, and what an assumption at it says.
  std::string describeLocation(int64_t loc) const;
  std::string describeFact(int64_t loc) const;

  RunState *run = nullptr;
  std::array<uint64_t, 3> program = {0, 0, 0};
  uint64_t number = 0, random = 0, callsLeft = 0;
  uint32_t numThreads = 0, numExited = 0;

  // Scheduling: a warp is picked, then its lanes that were ready at that moment run in an order of their own.
  std::array<uint32_t, kMaxWarps> ready{};
  uint32_t readyWarps = 0, currentWarp = 0;
  /// Lanes of `currentWarp` still to run; bit i stands for lane i ^ laneOrder.
  uint32_t pending = 0, laneOrder = 0;

  CudaThread *running = nullptr;
  ExecutionContext host;
  /// Who is being switched away from, to be filled in on arrival; null if it never runs again.
  ExecutionContext *leaving = nullptr;
  bool isGivenUp = false, isParked = false;
  /// Atomic accesses in a row that found and changed nothing new, and the run's progress before the first of them.
  uint64_t idleAccesses = 0, idleSince = 0;
  /// Atomic accesses since the CTA last let others run.
  uint64_t accessesOfTurn = 0;
  /// A plain write that the run's progress does not count yet.
  bool hasWritten = false;
  /// What atomic accesses that changed nothing found last, by address.
  std::unordered_map<uint64_t, uint64_t> lastFound;
  CudaThread *parkedThread = nullptr;
  Failure failure;

  std::vector<CudaThread> threads;
  std::vector<unsigned> freeStacks;
  StackPool stacks;
  SharedMemory shared;
  RaceCheck races;
  std::array<Barrier, kNumBarriers> barriers;
  std::array<Meeting, kMaxWarps> meetings;
};

} // namespace tilewright

#endif // TILEWRIGHT_EMULATOR_CTA_H
