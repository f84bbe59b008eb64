// SPDX-License-Identifier: Apache-2.0
#include "tilewright/Emulator/Engine.h"

#include "Cta.h"
#include "OverflowSignal.h"

#include <algorithm>
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

static RunReport runCtas(const EngineOptions &options, std::vector<std::unique_ptr<Cta>> &ctas, RunState &state) {
  unsigned numWorkers = options.numWorkers ? options.numWorkers : std::max(1u, std::thread::hardware_concurrency());
  numWorkers = std::min(numWorkers, std::max(1u, kMaxStacks / state.shape.numThreads));
  numWorkers = unsigned(std::min<uint64_t>(numWorkers, state.numCtas));
  while (ctas.size() < numWorkers)
    ctas.push_back(std::make_unique<Cta>());

  std::string error;
  for (unsigned i = 0; i < numWorkers; ++i) {
    if (ctas[i]->prepare(state, options.stackBytes, &error))
      continue;
    if (i == 0)
      return refuse(*state.kernel, error);
    numWorkers = i; // Fewer workers do the same.
  }

  std::atomic<uint64_t> nextCta{0};
  std::mutex reportMutex;
  RunReport report;
  auto keepFirst = [&](uint64_t number, RunReport found) {
    std::lock_guard<std::mutex> lock(reportMutex);
    if (number < state.firstFailed.load()) {
      state.firstFailed.store(number);
      report = std::move(found);
    }
  };
  auto work = [&](unsigned worker) {
    uint64_t number = 0;
    try {
      Cta &cta = *ctas[worker];
      OverflowGuard guard(cta);
      while (true) {
        // Numbers are handed out in order, so every CTA before a failed one is executed by somebody.
        number = nextCta.fetch_add(1);
        if (number >= state.numCtas || number > state.firstFailed.load())
          return;
        if (!cta.execute(number) && cta.getFailure().kind != Failure::None)
          keepFirst(number, cta.describeFailure());
      }
    } catch (const std::exception &exception) {
      // Thrown by this host thread's own work: compiled kernels know no exceptions.
      keepFirst(number, refuse(*state.kernel, std::string("the emulator failed: ") + exception.what()));
    }
  };
  // Not on the caller's thread: its signal stack is its own business.
  std::vector<std::thread> workers;
  workers.reserve(numWorkers);
  try {
    for (unsigned i = 0; i < numWorkers; ++i)
      workers.emplace_back(work, i);
  } catch (const std::exception &) {
    // The host has no more threads: those that there are do the work.
  }
  for (std::thread &worker : workers)
    worker.join();
  if (workers.empty())
    return refuse(*state.kernel, "the host cannot start a thread");
  return report;
}

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
    state.numCtas = shape.grid[0] * shape.grid[1] * shape.grid[2];
    return state.numCtas == 0 ? report : runCtas(impl->options, impl->ctas, state);
  } catch (const std::exception &exception) {
    return refuse(kernel, std::string("the emulator failed: ") + exception.what());
  }
}
