// SPDX-License-Identifier: Apache-2.0
/// \file
/// The emulator's engine: executes compiled kernels on the CPU, one fiber per CUDA thread, and reports what
/// hardware hides. A CTA runs on one host thread; CTAs are spread over the host's cores.
///
/// CTAs may wait for one another with atomic accesses. One that finds nothing new is parked, and its host thread goes on
/// with others, also with CTAs that have not begun, as long as there are stacks for their threads: more CTAs than a GPU
/// would hold at a time may wait for one another here. Where all CTAs wait, the first is reported as a deadlock.
///
/// A run is deterministic: which thread runs next is decided by a generator that is seeded with the seed and the number
/// of the CTA, and where several CTAs fail, the first of them is reported. Neither results nor reports depend on the
/// number of host threads, provided that CTAs do not race for global memory. Seed 0 runs threads in order.
#ifndef TILEWRIGHT_EMULATOR_ENGINE_H
#define TILEWRIGHT_EMULATOR_ENGINE_H

#include "tilewright/Emulator/DeviceMemory.h"

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace tilewright {

/// The program of one CUDA thread; see Abi.h.
using KernelEntry = void (*)(void *thread, const uint64_t *slots);

/// A compiled kernel. `locations` holds the source locations that its calls refer to by index; behind a tab, what an
/// assumption says.
struct KernelCode {
  std::string name;
  KernelEntry entry = nullptr;
  std::vector<std::string> locations;
};

/// How one launch looks.
struct LaunchShape {
  std::array<uint64_t, 3> grid = {1, 1, 1};
  /// Threads per CTA, a multiple of 32 up to 1024.
  uint32_t numThreads = 128;
  uint32_t dynamicSharedBytes = 0;
};

struct EngineOptions {
  uint64_t seed = 0;
  /// Host threads; 0 is one per core.
  unsigned numWorkers = 0;
  /// Stack of one CUDA thread, rounded up to pages. Register tiles that the host cannot keep in registers live on it.
  size_t stackBytes = 256 * 1024;
  /// Calls of the ABI that one CTA may make, to end runaway loops; 0 is no limit. Counts the same on each host.
  uint64_t maxCallsPerCta = 0;
  /// Report two threads of a CTA that touch a byte of shared memory, one of them writing, with no barrier between them.
  bool checkRaces = true;
  /// Atomic accesses in a row that a CTA may make that find and change nothing new while no other CTA gets on either. Then it
  /// counts as waiting for ever.
  uint64_t maxIdleAccesses = uint64_t(1) << 20;
};

/// What a run found. `message` is empty if all went well, else one line with all of the below, e.g.
/// "k.mlir:7:10: kernel 'k', program (1, 0, 0), thread 5: global read of 4 bytes ..."
struct RunReport {
  std::string message;
  /// The parts of it, for tools. Without a failing thread, as for a launch that is refused, `location` is empty.
  std::string what, location;
  std::array<uint64_t, 3> program = {0, 0, 0};
  uint32_t thread = 0;

  bool isOk() const { return message.empty(); }
};

/// Runs kernels. Keeps stacks and mappings from run to run. Thread-safe; runs follow one another. Never throws.
class Engine {
public:
  explicit Engine(const EngineOptions &options = {});
  ~Engine();
  Engine(const Engine &) = delete;
  Engine &operator=(const Engine &) = delete;

  /// Executes every CTA of the grid and waits for the end. A grid with a zero runs nothing. Stops at the first error.
  RunReport run(const KernelCode &kernel, const LaunchShape &shape, const uint64_t *slots, DeviceMemory &memory);

  /// Largest dynamic shared memory of a CTA that `run` accepts: the window that addresses of shared memory have.
  static constexpr uint32_t kMaxSharedBytes = 256 * 1024;

private:
  struct Impl;
  std::unique_ptr<Impl> impl;
};

} // namespace tilewright

#endif // TILEWRIGHT_EMULATOR_ENGINE_H
