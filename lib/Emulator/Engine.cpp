// SPDX-License-Identifier: Apache-2.0
#include "tilewright/Emulator/Engine.h"

#include "Cta.h"
#include "OverflowSignal.h"

#include <algorithm>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>

using namespace tilewright;

static constexpr uint32_t kMaxThreads = kMaxWarps * kWarpSize;
static constexpr size_t kPageBytes = 4096, kMinStackBytes = 16 * 1024, kMaxStackBytes = size_t(1) << 30;
/// Each stack and its guard are two mappings, and Linux allows a process 65530 of them (vm.max_map_count).
static constexpr unsigned kMaxStacks = 16384;

struct Engine::Impl {
  EngineOptions options;
  std::mutex mutex;
  /// One per host thread, made when first needed.
  std::vector<std::unique_ptr<Cta>> ctas;
};

Engine::Engine(const EngineOptions &options) : impl(std::make_unique<Impl>()) {
  impl->options = options;
  size_t bytes = std::clamp(options.stackBytes, kMinStackBytes, kMaxStackBytes);
  impl->options.stackBytes = (bytes + kPageBytes - 1) / kPageBytes * kPageBytes;
}

Engine::~Engine() = default;

/// The report of a launch that cannot start.
static RunReport refuse(const KernelCode &kernel, const std::string &what) {
  RunReport report;
  report.what = what;
  report.message = "kernel '" + kernel.name + "': " + what;
  return report;
}

static RunReport checkLaunch(const KernelCode &kernel, const LaunchShape &shape) {
  if (!kernel.entry)
    return refuse(kernel, "has no code");
  if (shape.numThreads == 0 || shape.numThreads % kWarpSize != 0 || shape.numThreads > kMaxThreads)
    return refuse(kernel, "expects a multiple of 32 threads per program up to " + std::to_string(kMaxThreads) +
                              ", found " + std::to_string(shape.numThreads));
  if (shape.dynamicSharedBytes > Engine::kMaxSharedBytes)
    return refuse(kernel, "expects at most " + std::to_string(Engine::kMaxSharedBytes) +
                              " bytes of shared memory, found " + std::to_string(shape.dynamicSharedBytes));
  // CUDA C++ Programming Guide, technical specifications per compute capability; keeps the product in 64 bits.
  const uint64_t limits[3] = {2147483647, 65535, 65535};
  for (unsigned axis = 0; axis < 3; ++axis)
    if (shape.grid[axis] > limits[axis])
      return refuse(kernel, "expects a grid of at most " + std::to_string(limits[axis]) + " programs along axis " +
                                std::to_string(axis) + ", found " + std::to_string(shape.grid[axis]));
  return {};
}

namespace {

/// One run: host threads that take CTAs in order and turn to others where one waits.
class Run {
public:
  Run(const EngineOptions &options, std::vector<std::unique_ptr<Cta>> &ctas, RunState &state)
      : options(options), ctas(ctas), state(state) {}

  RunReport execute() {
    unsigned numWorkers = options.numWorkers ? options.numWorkers : std::max(1u, std::thread::hardware_concurrency());
    numWorkers = std::min(numWorkers, std::max(1u, kMaxStacks / state.shape.numThreads));
    numWorkers = unsigned(std::min<uint64_t>(numWorkers, state.numCtas));
    maxResident = std::max(1u, kMaxStacks / state.shape.numThreads / numWorkers);
    std::string error;
    for (unsigned i = 0; i < numWorkers; ++i) {
      if (Cta *cta = makeCta(&error)) {
        freeCtas.push_back(cta);
        continue;
      }
      if (i == 0)
        return refuse(*state.kernel, error);
      numWorkers = i; // Fewer workers do the same.
    }
    idleSince = std::vector<std::atomic<uint64_t>>(numWorkers);
    for (std::atomic<uint64_t> &since : idleSince)
      since.store(kBusy);
    // Not on the caller's thread: its signal stack is its own business.
    std::vector<std::thread> workers;
    workers.reserve(numWorkers);
    try {
      for (unsigned i = 0; i < numWorkers; ++i)
        workers.emplace_back([this, i] { work(i); });
    } catch (const std::exception &) {
      // The host has no more threads: those that there are do the work.
      for (size_t i = workers.size(); i < numWorkers; ++i)
        idleSince[i].store(kDone);
    }
    for (std::thread &worker : workers)
      worker.join();
    if (workers.empty())
      return refuse(*state.kernel, "the host cannot start a thread");
    return report;
  }

private:
  static constexpr uint64_t kBusy = ~uint64_t(0), kDone = ~uint64_t(0) - 1;

  const EngineOptions &options;
  std::vector<std::unique_ptr<Cta>> &ctas;
  RunState &state;
  unsigned maxResident = 1;
  std::atomic<uint64_t> nextCta{0};
  std::mutex mutex; ///< Of what follows.
  RunReport report;
  bool isStarvation = false; ///< What `report` says is that all wait.
  size_t numPrepared = 0;
  std::vector<Cta *> freeCtas;
  /// By worker: the progress of the run since which all its CTAs have waited for as long as they may. That none has looked
  /// before it matters: a CTA that was stopped between its look and this note may have missed what happened since.
  std::vector<std::atomic<uint64_t>> idleSince;

  /// The next CTA of the engine, ready for this run; null and `error` if the host refuses. Needs the mutex, or to be alone.
  Cta *makeCta(std::string *error) {
    if (numPrepared == ctas.size())
      ctas.push_back(std::make_unique<Cta>());
    if (!ctas[numPrepared]->prepare(state, options.stackBytes, error))
      return nullptr;
    return ctas[numPrepared++].get();
  }

  Cta *takeCta() {
    std::lock_guard<std::mutex> lock(mutex);
    std::string ignored;
    if (freeCtas.empty())
      return makeCta(&ignored);
    Cta *cta = freeCtas.back();
    freeCtas.pop_back();
    return cta;
  }
  void giveBack(Cta *cta) {
    std::lock_guard<std::mutex> lock(mutex);
    freeCtas.push_back(cta);
  }

  void keepFirst(uint64_t number, RunReport found, bool starved) {
    std::lock_guard<std::mutex> lock(mutex);
    // That CTAs wait in vain for one that has failed is no news.
    if (starved && !report.isOk() && !isStarvation)
      return;
    if (number < state.firstFailed.load() || (isStarvation && !starved)) {
      isStarvation = starved;
      state.firstFailed.store(number);
      report = std::move(found);
    }
  }

  /// Whether every worker has nothing but CTAs that wait, and nothing has happened since.
  bool doAllWait(uint64_t progress) {
    for (std::atomic<uint64_t> &since : idleSince)
      if (uint64_t seen = since.load(); seen != kDone && seen != progress)
        return false;
    return state.progress.load() == progress;
  }

  void work(unsigned worker) {
    uint64_t number = 0;
    try {
      OverflowGuard guard;
      std::deque<Cta *> parked;
      size_t turns = 0; // Since the last CTA was taken on.
      size_t most = maxResident; // Less where the host has no room for so many.
      bool mayTakeOn = true;
      while (true) {
        Cta *cta = nullptr;
        CtaOutcome outcome;
        if (mayTakeOn && (parked.empty() || (turns >= parked.size() && parked.size() < most))) {
          cta = takeCta();
          if (!cta)
            most = parked.size();
          turns = 0;
          // Numbers are handed out in order, so every CTA before a failed one is executed by somebody.
          if (cta && ((number = nextCta.fetch_add(1)) >= state.numCtas || number > state.firstFailed.load())) {
            giveBack(cta);
            cta = nullptr;
            mayTakeOn = false;
          }
        }
        if (cta) {
          idleSince[worker].store(kBusy);
          guard.watch(*cta);
          outcome = cta->execute(number);
        } else if (!parked.empty()) {
          cta = parked.front();
          parked.pop_front();
          ++turns;
          number = cta->getNumber();
          guard.watch(*cta);
          outcome = cta->resume();
        } else {
          break;
        }
        if (outcome == CtaOutcome::Parked) {
          parked.push_back(cta);
          bool isFull = !mayTakeOn || parked.size() >= most;
          uint64_t progress = state.progress.load();
          auto isStarved = [progress](Cta *one) { return one->isStarvedSince(progress); };
          if (!isFull || !std::all_of(parked.begin(), parked.end(), isStarved)) {
            idleSince[worker].store(kBusy);
            continue;
          }
          idleSince[worker].store(progress);
          if (!doAllWait(progress))
            continue;
          cta = *std::min_element(parked.begin(), parked.end(),
                                  [](Cta *a, Cta *b) { return a->getNumber() < b->getNumber(); });
          cta->failByStarving();
          keepFirst(cta->getNumber(), cta->describeFailure(), /*starved=*/true);
          break;
        }
        if (outcome != CtaOutcome::GivenUp) // Which changes nothing for those that wait.
          state.progress.fetch_add(1);
        if (outcome == CtaOutcome::Failed)
          keepFirst(number, cta->describeFailure(), /*starved=*/false);
        giveBack(cta);
      }
    } catch (const std::exception &exception) {
      // Thrown by this host thread's own work: compiled kernels know no exceptions.
      keepFirst(number, refuse(*state.kernel, std::string("the emulator failed: ") + exception.what()),
                /*starved=*/false);
    }
    idleSince[worker].store(kDone);
  }
};

} // namespace

RunReport Engine::run(const KernelCode &kernel, const LaunchShape &shape, const uint64_t *slots, DeviceMemory &memory) {
  std::lock_guard<std::mutex> lock(impl->mutex);
  try {
    RunReport report = checkLaunch(kernel, shape);
    if (!report.isOk())
      return report;
    RunState state;
    state.kernel = &kernel;
    state.shape = shape;
    state.slots = slots;
    state.memory = &memory;
    state.seed = impl->options.seed;
    state.maxCallsPerCta = impl->options.maxCallsPerCta;
    state.checkRaces = impl->options.checkRaces;
    state.maxIdleAccesses = impl->options.maxIdleAccesses;
    state.numCtas = shape.grid[0] * shape.grid[1] * shape.grid[2];
    return state.numCtas == 0 ? report : Run(impl->options, impl->ctas, state).execute();
  } catch (const std::exception &exception) {
    return refuse(kernel, std::string("the emulator failed: ") + exception.what());
  }
}
