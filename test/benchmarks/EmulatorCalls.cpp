// SPDX-License-Identifier: Apache-2.0
// What the calls of the emulator cost, in processor time per thread and call, on one host thread. Run EmulatorCalls.
#include "tilewright/Emulator/Abi.h"
#include "tilewright/Emulator/Engine.h"

#include <benchmark/benchmark.h>

using namespace tilewright;

static constexpr int64_t kCalls = 1000;
static constexpr uint32_t kThreads = 128;

static void runKernel(benchmark::State &state, KernelEntry entry, int64_t callsPerThread) {
  DeviceMemory memory;
  std::string error;
  uint64_t slot = memory.allocate(4096, "x", &error);
  EngineOptions options;
  options.numWorkers = 1;
  options.seed = uint64_t(state.range(0));
  Engine engine(options);
  KernelCode kernel{"k", entry, {}};
  LaunchShape shape;
  shape.numThreads = kThreads;
  shape.dynamicSharedBytes = 4096;
  for (auto step : state) {
    RunReport report = engine.run(kernel, shape, &slot, memory);
    if (!report.isOk())
      state.SkipWithError(report.message.c_str());
  }
  state.counters["per_call"] = benchmark::Counter(double(state.iterations()) * kThreads * double(callsPerThread),
                                                  benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

static void barriers(benchmark::State &state) {
  auto entry = [](void *thread, const uint64_t *) {
    for (int64_t i = 0; i < kCalls; ++i)
      tweBarrier(thread, 0, kThreads, 0);
  };
  runKernel(state, entry, kCalls);
}
BENCHMARK(barriers)->Arg(0)->Arg(1)->MeasureProcessCPUTime();

static void shuffles(benchmark::State &state) {
  auto entry = [](void *thread, const uint64_t *) {
    int32_t value = 1;
    for (int64_t i = 0; i < kCalls; ++i)
      tweShuffle(thread, TweShuffleXor, &value, 1, 16, 32, 0);
  };
  runKernel(state, entry, kCalls);
}
BENCHMARK(shuffles)->Arg(0)->MeasureProcessCPUTime();

static void globalReads(benchmark::State &state) {
  auto entry = [](void *thread, const uint64_t *slots) {
    for (int64_t i = 0; i < kCalls; ++i)
      benchmark::DoNotOptimize(tweGlobalRead(thread, int64_t(slots[0]) + (i & 255) * 16, 16, 16, 0));
  };
  runKernel(state, entry, kCalls);
}
BENCHMARK(globalReads)->Arg(0)->MeasureProcessCPUTime();

static void sharedWritesAndReads(benchmark::State &state) {
  auto entry = [](void *thread, const uint64_t *) {
    for (int32_t i = 0; i < kCalls / 2; ++i) {
      benchmark::DoNotOptimize(tweSharedWrite(thread, (i & 255) * 16, 16, 16, 0));
      benchmark::DoNotOptimize(tweSharedRead(thread, (i & 255) * 16, 16, 16, 0));
    }
  };
  runKernel(state, entry, kCalls);
}
BENCHMARK(sharedWritesAndReads)->Arg(0)->MeasureProcessCPUTime();

// A launch whose threads do nothing: what a thread costs at all.
static void emptyThreads(benchmark::State &state) {
  runKernel(state, [](void *, const uint64_t *) {}, 1);
}
BENCHMARK(emptyThreads)->Arg(0)->MeasureProcessCPUTime();

BENCHMARK_MAIN();
