// SPDX-License-Identifier: Apache-2.0
// Describes failures in words: location, kernel, program, thread, the rule and the values that break it.
#include "Cta.h"
#include "tilewright/Support/Counted.h"

#include <map>
#include <tuple>

using namespace tilewright;

static std::string quote(const std::string &text) { return "'" + text + "'"; }

static std::string hex(uint64_t value) {
  static const char digits[] = "0123456789abcdef";
  std::string text;
  do
    text.insert(text.begin(), digits[value & 15]);
  while (value >>= 4);
  return "0x" + text;
}

/// "0-31, 40": the set bits, shifted by `first`; appended to `text`.
static void appendRange(std::string &text, uint32_t first, uint32_t last) {
  if (!text.empty())
    text += ", ";
  text += std::to_string(first);
  if (last != first)
    text += "-" + std::to_string(last);
}

static std::string describeNumbers(const std::vector<uint32_t> &sorted) {
  std::string text;
  for (size_t i = 0; i < sorted.size();) {
    size_t end = i + 1;
    while (end < sorted.size() && sorted[end] == sorted[end - 1] + 1)
      ++end;
    appendRange(text, sorted[i], sorted[end - 1]);
    i = end;
  }
  return text;
}

static std::string describeThreads(const std::vector<uint32_t> &sorted) {
  return (sorted.size() == 1 ? "thread " : "threads ") + describeNumbers(sorted);
}

static std::string describeLanes(uint32_t lanes) {
  std::vector<uint32_t> numbers;
  for (uint32_t lane = 0; lane < kWarpSize; ++lane)
    if (lanes >> lane & 1)
      numbers.push_back(lane);
  return (numbers.size() == 1 ? "lane " : "lanes ") + describeNumbers(numbers);
}

std::string Cta::describeLocation(int64_t loc) const {
  const std::vector<std::string> &locations = run->kernel->locations;
  if (loc < 0 || uint64_t(loc) >= locations.size())
    return "unknown location";
  const std::string &text = locations[size_t(loc)];
  return text.substr(0, text.find('\t'));
}

std::string Cta::describeFact(int64_t loc) const {
  const std::vector<std::string> &locations = run->kernel->locations;
  size_t tab = loc >= 0 && uint64_t(loc) < locations.size() ? locations[size_t(loc)].find('\t') : std::string::npos;
  return tab == std::string::npos ? "unknown fact" : locations[size_t(loc)].substr(tab + 1);
}

static const char *name(WarpCall::Op op) {
  switch (op) {
  case WarpCall::Shuffle:
    return "a shuffle";
  case WarpCall::LoadMatrix:
    return "a matrix load";
  case WarpCall::Mma:
    return "a product";
  }
  return "an instruction of the whole warp";
}

/// Who waits where, in the order of the first thread of each group.
std::string Cta::describeWaiting() const {
  using Key = std::tuple<ThreadState, uint32_t, int32_t>;
  std::map<Key, std::vector<uint32_t>> groups;
  std::vector<Key> order;
  for (uint32_t i = 0; i < numThreads; ++i) {
    const CudaThread &thread = threads[i];
    bool isBarrier = thread.state == ThreadState::InBarrier, isExited = thread.state == ThreadState::Exited;
    Key key(thread.state, isBarrier ? thread.barrier : 0, isExited ? -1 : thread.loc);
    std::vector<uint32_t> &members = groups[key];
    if (members.empty())
      order.push_back(key);
    members.push_back(i);
  }
  std::string text;
  for (const Key &key : order) {
    const std::vector<uint32_t> &members = groups[key];
    text += (text.empty() ? "" : "; ") + describeThreads(members);
    const char *verb = members.size() == 1 ? " waits" : " wait";
    switch (std::get<0>(key)) {
    case ThreadState::InBarrier: {
      const Barrier &barrier = barriers[std::get<1>(key)];
      text += verb + std::string(" at barrier ") + std::to_string(std::get<1>(key)) + " (" +
              std::to_string(barrier.numArrived) + " of " + std::to_string(barrier.expected) + " threads arrived) at " +
              describeLocation(std::get<2>(key));
      break;
    }
    case ThreadState::InMeeting:
      text += verb + std::string(" in ") + name(meetings[members[0] / kWarpSize].call.op) + " at " +
              describeLocation(std::get<2>(key));
      break;
    default:
      text += members.size() == 1 ? " has exited" : " have exited";
    }
  }
  return text;
}

std::string Cta::describeWhat() const {
  const Failure &f = failure;
  switch (f.kind) {
  case Failure::GlobalRead:
  case Failure::GlobalWrite: {
    uint64_t address = uint64_t(f.a);
    std::string text = std::string("global ") + (f.kind == Failure::GlobalRead ? "read" : "write") + " of " +
                       counted(f.b, "byte") + " at " + hex(address) + ", " +
                       run->memory->describe(address, uint64_t(f.b));
    if (f.b > 0 && !run->memory->find(address, uint64_t(f.b)))
      return text + ", is out of bounds";
    if (f.kind == Failure::GlobalWrite && !run->memory->findWritable(address, uint64_t(f.b)))
      return text + ", which the kernel promised only to read";
    return text + ", is not a multiple of " + std::to_string(f.c);
  }
  case Failure::SharedRead:
  case Failure::SharedWrite: {
    std::string text = std::string("shared memory ") + (f.kind == Failure::SharedRead ? "read" : "write") + " of " +
                       counted(f.b, "byte") + " at offset " + std::to_string(f.a);
    if (!shared.contains(f.a, f.b))
      return text + " is outside of the " + counted(shared.size(), "byte") + " that the program has";
    return text + " is not a multiple of " + std::to_string(f.c);
  }
  case Failure::SharedUnwritten:
    return "shared memory read of " + counted(f.b, "byte") + " at offset " + std::to_string(f.a) + " sees byte " +
           std::to_string(shared.findUnwritten(uint32_t(f.a), uint32_t(f.b))) + ", which nobody has written";
  case Failure::SharedReadRace:
  case Failure::SharedWriteRace:
    return std::string("shared memory ") + (f.kind == Failure::SharedReadRace ? "read" : "write") + " at offset " +
           std::to_string(f.a) + " races with a " + (f.b ? "write" : "read") + " by thread " + std::to_string(f.c) +
           " at " + describeLocation(f.d) + ": no barrier orders them";
  case Failure::BarrierId:
    return "barrier " + std::to_string(f.a) + " does not exist: barriers are 0 to 15";
  case Failure::BarrierCount:
    return "barrier " + std::to_string(f.a) + " expects " + counted(f.b, "thread") +
           ", which is not a multiple of 32 from 32 to " + std::to_string(numThreads);
  case Failure::BarrierMismatch:
    return "arrives at barrier " + std::to_string(f.a) + " as one of " + counted(f.b, "thread") +
           " while others wait there as some of " + counted(f.c, "thread") + ", at " + describeLocation(f.d);
  case Failure::BarrierDivergent:
    return "the warp diverges: arrives at barrier " + std::to_string(f.a) + " while " +
           describeLanes(barriers[size_t(f.a)].lanes[f.thread / kWarpSize]) + " of it wait there at " +
           describeLocation(f.d);
  case Failure::BarrierPartial:
    return "barrier " + std::to_string(f.a) + " is complete with a part of warp " + std::to_string(f.b) + ", " +
           describeLanes(uint32_t(f.c)) + ": whole warps must arrive";
  case Failure::WarpDivergent:
    return "the warp diverges: arrives elsewhere while " + describeLanes(meetings[f.thread / kWarpSize].lanes) +
           " of it wait in " + name(meetings[f.thread / kWarpSize].call.op) + " at " + describeLocation(f.d);
  case Failure::WarpOperand:
    return "shuffle of " + counted(f.b, "value") + " with mode " + std::to_string(f.a) + ", lane " +
           std::to_string(f.c) + " and width " + std::to_string(f.d) +
           " expects a value, mode 0 to 3, lane 0 to 31 and width 1, 2, 4, 8, 16 or 32";
  case Failure::WarpMismatch:
    return "arrives with another instruction, mode, width or number of values than the other lanes of its warp";
  case Failure::Assumption:
    return "the assumption does not hold: " + describeFact(f.loc);
  case Failure::Trap:
    return "reached a trap";
  case Failure::Deadlock:
    return "deadlock: " + describeWaiting();
  case Failure::Starved:
    return "deadlock: waits here for other programs, all of which have ended or wait too; its last " +
           std::to_string(f.a) + " atomic accesses found and changed nothing new";
  case Failure::StackOverflow:
    return "the emulated thread's stack is full; its last call was here";
  case Failure::CallLimit:
    return "the program made more than the allowed " + counted(f.a, "call");
  case Failure::None:
  case Failure::NumKinds:
    break;
  }
  return "nothing failed";
}

RunReport Cta::describeFailure() const {
  RunReport report;
  report.what = describeWhat();
  report.location = describeLocation(failure.loc);
  report.program = program;
  report.thread = failure.thread;
  report.message = report.location + ": kernel " + quote(run->kernel->name) + ", program (" +
                   std::to_string(program[0]) + ", " + std::to_string(program[1]) + ", " + std::to_string(program[2]) +
                   "), thread " + std::to_string(failure.thread) + ": " + report.what;
  return report;
}
