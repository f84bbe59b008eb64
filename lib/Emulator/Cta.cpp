// SPDX-License-Identifier: Apache-2.0
#include "Cta.h"
#include "Mma.h"

#include <cassert>
#include <cstring>

using namespace tilewright;
using boost::context::detail::make_fcontext;
using boost::context::detail::transfer_t;

Cta::Cta() : threads(kMaxWarps * kWarpSize) {
  for (uint32_t i = 0; i < threads.size(); ++i) {
    threads[i].cta = this;
    threads[i].lane = i % kWarpSize;
    threads[i].warp = i / kWarpSize;
  }
}

bool Cta::prepare(RunState &state, size_t stackBytes, std::string *error) {
  run = &state;
  numThreads = state.shape.numThreads;
  races.coarsen();
  return stacks.reserve(numThreads, stackBytes, error) && shared.map(error);
}

/// One step of splitmix64: good enough to shuffle with, and the same everywhere.
static uint64_t mix(uint64_t value) {
  value += 0x9e3779b97f4a7c15u;
  value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9u;
  value = (value ^ value >> 27) * 0x94d049bb133111ebu;
  return value ^ value >> 31;
}

uint64_t Cta::nextRandom() { return random = mix(random); }

CtaOutcome Cta::execute(uint64_t ctaNumber) {
  number = ctaNumber;
  const std::array<uint64_t, 3> &grid = run->shape.grid;
  program = {number % grid[0], number / grid[0] % grid[1], number / grid[0] / grid[1]};
  random = mix(run->seed ^ mix(number));
  callsLeft = run->maxCallsPerCta; // 0 counts down from 2^64.
  if (callsLeft)
    ++callsLeft;
  numExited = 0;
  isGivenUp = false;
  isParked = false;
  idleAccesses = accessesOfTurn = 0;
  hasWritten = false;
  if (!lastFound.empty())
    lastFound.clear();
  failure = {};
  shared.reset(run->shape.dynamicSharedBytes);
  races.reset(numThreads / kWarpSize);

  for (uint32_t i = 0; i < numThreads; ++i) {
    threads[i].state = ThreadState::NotStarted;
    threads[i].loc = -1;
    threads[i].context = {};
  }
  freeStacks.clear();
  for (uint32_t i = numThreads; i > 0; --i)
    freeStacks.push_back(i - 1);
  for (Barrier &barrier : barriers)
    if (barrier.warps)
      barrier = {};
  ready.fill(0);
  readyWarps = 0;
  for (uint32_t warp = 0; warp < numThreads / kWarpSize; ++warp) {
    meetings[warp].lanes = 0;
    makeReady(warp, kFullWarp);
  }
  pending = 0;
  currentWarp = numThreads / kWarpSize - 1; // So that warp 0 is first.

  return runThreads(pickNext());
}

CtaOutcome Cta::resume() {
  isParked = false;
  return runThreads(pickNext());
}

CtaOutcome Cta::runThreads(CudaThread *first) {
  if (!first)
    return CtaOutcome::GivenUp; // An earlier CTA has failed just now.
  switchTo(&host, first);
  running = nullptr;
  if (isParked)
    return CtaOutcome::Parked;
  if (failure.kind == Failure::None && !isGivenUp && numExited < numThreads) {
    failure.kind = Failure::Deadlock;
    for (uint32_t i = numThreads; i > 0; --i)
      if (threads[i - 1].state != ThreadState::Exited)
        failure.thread = i - 1;
    failure.loc = threads[failure.thread].loc;
  }
  return failure.kind != Failure::None ? CtaOutcome::Failed : isGivenUp ? CtaOutcome::GivenUp : CtaOutcome::Finished;
}

//===----------------------------------------------------------------------===//
// Waiting for other CTAs
//===----------------------------------------------------------------------===//

/// A CTA lets others run after so many idle accesses, or after so many of any kind: it may wait while it changes things.
static constexpr uint64_t kIdleAccessesPerTurn = 64, kAccessesPerTurn = 1 << 16;
/// Places that a CTA remembers at most.
static constexpr size_t kMaxFound = 1 << 16;

bool Cta::isKnown(uint64_t address, uint64_t value) {
  if (lastFound.size() >= kMaxFound)
    lastFound.clear();
  auto [place, isNew] = lastFound.try_emplace(address, value);
  if (!isNew && place->second == value)
    return true;
  place->second = value;
  return false;
}

void Cta::noteShared(CudaThread &thread, uint64_t address, uint64_t value, bool isChange) {
  if (isChange)
    run->progress.fetch_add(1, std::memory_order_release);
  bool isIdle = !isChange && isKnown(address, value);
  if (!isIdle) {
    idleAccesses = 0;
  } else if (idleAccesses++ == 0) {
    // Read before any of the accesses that are to count: they see whatever it counts.
    if (hasWritten)
      run->progress.fetch_add(1, std::memory_order_release);
    hasWritten = false;
    idleSince = run->progress.load(std::memory_order_acquire);
  }
  ++accessesOfTurn;
  if ((isIdle && idleAccesses % kIdleAccessesPerTurn == 0) || accessesOfTurn == kAccessesPerTurn)
    park(thread);
}

void Cta::park(CudaThread &thread) {
  // Another CTA got on meanwhile, so that this one may wait anew.
  if (idleAccesses && idleSince != run->progress.load(std::memory_order_acquire))
    idleAccesses = 0;
  accessesOfTurn = 0;
  isParked = true;
  parkedThread = &thread;
  makeReady(thread.warp, 1u << thread.lane);
  switchTo(&thread.context, nullptr);
  thread.state = ThreadState::Running;
}

void Cta::failByStarving() {
  isParked = false;
  failure = {};
  failure.kind = Failure::Starved;
  failure.thread = parkedThread->index();
  failure.loc = parkedThread->loc;
  failure.a = int64_t(idleAccesses);
}

//===----------------------------------------------------------------------===//
// Scheduling
//===----------------------------------------------------------------------===//

uint32_t Cta::pickWarp() {
  if (run->seed == 0) {
    // Round robin: no warp waits for ever.
    uint32_t after = readyWarps & (currentWarp == 31 ? 0 : kFullWarp << (currentWarp + 1));
    return uint32_t(__builtin_ctz(after ? after : readyWarps));
  }
  uint32_t left = readyWarps;
  for (uint64_t skip = nextRandom() % uint64_t(__builtin_popcount(left)); skip > 0; --skip)
    left &= left - 1;
  return uint32_t(__builtin_ctz(left));
}

/// Moves bit i to bit i ^ order.
static uint32_t permuteLanes(uint32_t lanes, uint32_t order) {
  static const uint32_t masks[5] = {0x55555555u, 0x33333333u, 0x0f0f0f0fu, 0x00ff00ffu, 0x0000ffffu};
  for (uint32_t bit = 0; bit < 5; ++bit)
    if (order >> bit & 1)
      lanes = (lanes & masks[bit]) << (1u << bit) | (lanes >> (1u << bit) & masks[bit]);
  return lanes;
}

CudaThread *Cta::pickNext() {
  if (!pending) {
    if (!readyWarps)
      return nullptr;
    if (run->firstFailed.load(std::memory_order_relaxed) < number) {
      isGivenUp = true;
      return nullptr;
    }
    currentWarp = pickWarp();
    laneOrder = run->seed == 0 ? 0 : uint32_t(nextRandom() % kWarpSize);
    pending = permuteLanes(ready[currentWarp], laneOrder);
    ready[currentWarp] = 0;
    readyWarps &= ~(1u << currentWarp);
  }
  uint32_t lane = uint32_t(__builtin_ctz(pending)) ^ laneOrder;
  pending &= pending - 1;
  return &threads[currentWarp * kWarpSize + lane];
}

void Cta::arrive(ExecutionContext *self, transfer_t transfer) {
  if (leaving)
    leaving->saved = transfer.fctx;
  // The bounds of the host's own stack are learnt on the first switch away from it.
  finishSwitch(self, leaving == &host ? &host : nullptr);
}

void Cta::switchTo(ExecutionContext *from, CudaThread *next) {
  if (next && next->state == ThreadState::NotStarted) {
    assert(!freeStacks.empty() && "one stack per thread");
    next->stack = freeStacks.back();
    freeStacks.pop_back();
    char *bottom = stacks.bottom(next->stack);
    size_t size = stacks.size(next->stack);
    forgetFrames(bottom, size);
    next->context = {make_fcontext(stacks.top(next->stack), size, &Cta::runFiber), bottom, size, nullptr};
  }
  running = next;
  leaving = from;
  transfer_t transfer = switchContext(from, next ? next->context : host, this);
  arrive(from, transfer);
}

void Cta::leaveFor(CudaThread *next) {
  switchTo(/*from=*/nullptr, next);
  __builtin_unreachable();
}

void Cta::suspend(CudaThread &thread) {
  CudaThread *next = pickNext();
  if (next != &thread)
    switchTo(&thread.context, next);
}

void Cta::runFiber(transfer_t transfer) {
  Cta *cta = static_cast<Cta *>(transfer.data);
  cta->arrive(/*self=*/nullptr, transfer);
  while (true) {
    CudaThread *thread = cta->running;
    thread->state = ThreadState::Running;
    cta->run->kernel->entry(thread, cta->run->slots);
    thread->state = ThreadState::Exited;
    ++cta->numExited;
    CudaThread *next = cta->pickNext();
    if (!next || next->state != ThreadState::NotStarted) {
      cta->freeStacks.push_back(thread->stack);
      cta->leaveFor(next);
    }
    next->stack = thread->stack;
    next->context = {nullptr, thread->context.stackBottom, thread->context.stackSize, nullptr};
    cta->running = next;
  }
}

void Cta::fail(CudaThread &thread, Failure found) {
  failure = found;
  failure.thread = thread.index();
  leaveFor(nullptr);
}

void Cta::failByOverflow() {
  Failure found;
  found.kind = Failure::StackOverflow;
  found.loc = running->loc;
  fail(*running, found);
}

void Cta::failByRace(CudaThread &thread, Failure::Kind kind, const RaceCheck::Access &other, int32_t loc) {
  Failure found;
  found.kind = kind;
  found.loc = loc;
  found.a = other.offset;
  found.b = other.isWrite;
  found.c = other.thread;
  found.d = other.loc;
  fail(thread, found);
}

void Cta::failByLimit(CudaThread &thread) {
  Failure found;
  found.kind = Failure::CallLimit;
  found.loc = thread.loc;
  found.a = int64_t(run->maxCallsPerCta);
  fail(thread, found);
}

//===----------------------------------------------------------------------===//
// Rendezvous
//===----------------------------------------------------------------------===//

void Cta::waitAtBarrier(CudaThread &thread, int32_t id, int32_t expected, int32_t loc) {
  countCall(thread, loc);
  Failure found;
  found.loc = loc;
  found.a = id;
  found.b = expected;
  if (id < 0 || id >= int32_t(kNumBarriers)) {
    found.kind = Failure::BarrierId;
    fail(thread, found);
  }
  if (expected <= 0 || expected % int32_t(kWarpSize) != 0 || expected > int32_t(numThreads)) {
    found.kind = Failure::BarrierCount;
    fail(thread, found);
  }
  Barrier &barrier = barriers[uint32_t(id)];
  uint32_t warp = thread.warp;
  if (barrier.numArrived == 0) {
    barrier.expected = expected;
    barrier.firstLoc = loc;
  } else if (barrier.expected != expected) {
    found.kind = Failure::BarrierMismatch;
    found.c = barrier.expected;
    found.d = barrier.firstLoc;
    fail(thread, found);
  }
  if (barrier.lanes[warp] && barrier.locs[warp] != loc) {
    found.kind = Failure::BarrierDivergent;
    found.d = barrier.locs[warp];
    fail(thread, found);
  }
  barrier.lanes[warp] |= 1u << thread.lane;
  barrier.locs[warp] = loc;
  barrier.warps |= 1u << warp;
  thread.state = ThreadState::InBarrier;
  thread.barrier = uint32_t(id);
  if (++barrier.numArrived == uint32_t(expected)) {
    for (uint32_t left = barrier.warps; left; left &= left - 1) {
      uint32_t other = uint32_t(__builtin_ctz(left));
      if (barrier.lanes[other] != kFullWarp) {
        found.kind = Failure::BarrierPartial;
        found.b = other;
        found.c = barrier.lanes[other];
        fail(thread, found);
      }
      makeReady(other, kFullWarp);
      barrier.lanes[other] = 0;
    }
    races.passBarrier(barrier.warps);
    barrier.warps = 0;
    barrier.numArrived = 0;
  }
  suspend(thread);
  thread.state = ThreadState::Running;
}

void Cta::shuffle(CudaThread &thread, int32_t mode, int32_t *values, int32_t numValues, int32_t laneArg, int32_t width,
                  int32_t loc) {
  countCall(thread, loc);
  Failure found;
  found.loc = loc;
  bool isWidth = width > 0 && width <= int32_t(kWarpSize) && (width & (width - 1)) == 0;
  if (mode < 0 || mode > 3 || numValues <= 0 || laneArg < 0 || laneArg >= int32_t(kWarpSize) || !isWidth) {
    found.kind = Failure::WarpOperand;
    found.a = mode;
    found.b = numValues;
    found.c = laneArg;
    found.d = width;
    fail(thread, found);
  }
  meet(thread, {WarpCall::Shuffle, mode, numValues, width}, values, laneArg, loc);
}

void Cta::loadMatrix(CudaThread &thread, int32_t offset, int32_t *words, int32_t numWords, bool isTransposed,
                     int32_t loc) {
  meet(thread, {WarpCall::LoadMatrix, isTransposed, numWords, 0}, words, offset, loc);
}

void Cta::mma(CudaThread &thread, int32_t kind, int32_t *words, int32_t loc) {
  countCall(thread, loc);
  if (!isMmaKind(kind)) {
    Failure found;
    found.kind = Failure::WarpOperand;
    found.loc = loc;
    found.a = kind;
    fail(thread, found);
  }
  meet(thread, {WarpCall::Mma, kind, 0, 0}, words, 0, loc);
}

void Cta::meet(CudaThread &thread, const WarpCall &call, int32_t *values, int32_t laneArg, int32_t loc) {
  Failure found;
  found.loc = loc;
  Meeting &group = meetings[thread.warp];
  if (!group.lanes) {
    group.loc = loc;
    group.call = call;
  } else if (group.loc != loc) {
    found.kind = Failure::WarpDivergent;
    found.d = group.loc;
    fail(thread, found);
  } else if (!(group.call == call)) {
    found.kind = Failure::WarpMismatch;
    fail(thread, found);
  }
  group.lanes |= 1u << thread.lane;
  group.values[thread.lane] = values;
  group.laneArgs[thread.lane] = laneArg;
  thread.state = ThreadState::InMeeting;
  if (group.lanes == kFullWarp) {
    switch (call.op) {
    case WarpCall::Shuffle:
      exchange(group);
      break;
    case WarpCall::LoadMatrix:
      readMatrices(group);
      break;
    case WarpCall::Mma:
      multiplyFragments(call.mode, group.values);
      break;
    }
    group.lanes = 0;
    makeReady(thread.warp, kFullWarp);
  }
  suspend(thread);
  thread.state = ThreadState::Running;
}

void Cta::readMatrices(Meeting &group) {
  // What the lanes name may be written over by their own results' owners only after all have read.
  constexpr uint32_t kRows = 8, kHalves = 8; // of one matrix; 16-bit elements of a row
  for (uint32_t matrix = 0; matrix < uint32_t(group.call.numValues); ++matrix) {
    uint16_t elements[kRows][kHalves];
    for (uint32_t row = 0; row < kRows; ++row)
      std::memcpy(elements[row], shared.host(uint32_t(group.laneArgs[matrix * kRows + row])), sizeof(elements[row]));
    for (uint32_t lane = 0; lane < kWarpSize; ++lane) {
      uint32_t g = lane / 4, t = lane % 4;
      uint32_t low = group.call.mode ? elements[2 * t][g] : elements[g][2 * t];
      uint32_t high = group.call.mode ? elements[2 * t + 1][g] : elements[g][2 * t + 1];
      group.values[lane][matrix] = int32_t(low | high << 16);
    }
  }
}

void Cta::exchange(Meeting &group) {
  std::array<uint32_t, kWarpSize> sources;
  uint32_t within = uint32_t(group.call.width) - 1;
  for (uint32_t lane = 0; lane < kWarpSize; ++lane) {
    uint32_t arg = uint32_t(group.laneArgs[lane]), segment = lane & ~within, source = lane;
    switch (group.call.mode) {
    case 0:
      source = segment | (arg & within);
      break;
    case 1:
      source = (lane ^ arg) < segment + uint32_t(group.call.width) ? lane ^ arg : lane;
      break;
    case 2:
      source = lane >= segment + arg ? lane - arg : lane;
      break;
    case 3:
      source = lane + arg <= segment + within ? lane + arg : lane;
      break;
    }
    sources[lane] = source;
  }
  for (int32_t i = 0; i < group.call.numValues; ++i) {
    std::array<int32_t, kWarpSize> old;
    for (uint32_t lane = 0; lane < kWarpSize; ++lane)
      old[lane] = group.values[lane][i];
    for (uint32_t lane = 0; lane < kWarpSize; ++lane)
      group.values[lane][i] = old[sources[lane]];
  }
}
