// SPDX-License-Identifier: Apache-2.0
/// \file
/// The runtime's backend that executes bundles on the CPU: it compiles a bundle's SIMT sections for the host on first
/// launch and runs them by the emulator's engine. Where a bundle has tile sections instead, they are lowered first, by a
/// function that whoever makes the backend gives: the passes are in a room further down.
#ifndef TILEWRIGHT_EMULATORJIT_EMULATORBACKEND_H
#define TILEWRIGHT_EMULATORJIT_EMULATORBACKEND_H

#include "tilewright/Emulator/Engine.h"
#include "tilewright/EmulatorJit/EmulatedModule.h"
#include "tilewright/Runtime/Backend.h"

#include <functional>
#include <memory>

namespace tilewright {

struct EmulatorBackendOptions {
  EngineOptions engine;
  HostCodeOptions hostCode;
  /// What `device_info` pretends where a bundle's target does not decide: an H100's.
  int64_t smCount = 132;
  /// CTAs that an SM holds; 0: as many as the row of the bundle's target allows for the threads and shared memory of a
  /// kernel. Registers do not count, since nobody has allocated any.
  int64_t ctasPerSm = 0;
  int64_t l2Bytes = int64_t(50) << 20;
  /// From a tile section's module to one thread's programs, in place, for a bundle with that plan; reports errors by
  /// diagnostics. Without it such bundles are refused at their launch.
  std::function<mlir::LogicalResult(mlir::ModuleOp, const LaunchPlan &)> lowerTiles;
};

/// Makes the backend. Reports of the emulator are its launch errors. It pretends to be a GPU of the target that the
/// bundle loaded last was compiled for, an sm_90a before that.
std::unique_ptr<Backend> createEmulatorBackend(const EmulatorBackendOptions &options = {});

/// Makes "emulator" known to the runtime; the seed comes from each BackendOptions. Safe to call twice.
void registerEmulatorBackend(const EmulatorBackendOptions &options = {});

} // namespace tilewright

#endif // TILEWRIGHT_EMULATORJIT_EMULATORBACKEND_H
