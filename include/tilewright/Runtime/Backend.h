// SPDX-License-Identifier: Apache-2.0
/// \file
/// What executes compiled kernels: the CUDA driver, or the emulator. The runtime sees both through this one
/// interface and finds them by name in a registry, so that it never links LLVM, which the emulator needs.
#ifndef TILEWRIGHT_RUNTIME_BACKEND_H
#define TILEWRIGHT_RUNTIME_BACKEND_H

#include "tilewright/Runtime/Bundle.h"
#include "tilewright/Support/LaunchPlan.h"

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace tilewright {

/// A device that holds memory and runs the kernels of one loaded bundle. Functions that may fail return false (or
/// null) and set `*error` to one message; none throws. One thread at a time, except `launchPrepared`.
class Backend {
public:
  virtual ~Backend();

  /// "cuda" or "emulator".
  virtual std::string name() const = 0;
  /// The device in words, e.g. "NVIDIA H200 (sm_90)".
  virtual std::string describeDevice() const = 0;
  virtual DeviceInfoValues deviceInfo() const = 0;

  /// Memory of `bytes` bytes (never 0), aligned to 256 bytes. Addresses within it are valid in launches. `label`
  /// is what reports call it, e.g. "a". The content is unspecified.
  virtual bool allocate(uint64_t bytes, const std::string &label, uint64_t *address, std::string *error) = 0;
  /// Makes the host's memory [host, host + bytes) addressable by launches where it is, without a copy, until `release`;
  /// the kernel writes it only if `isWritten`. Returns false, without a message, where that cannot be done: the caller
  /// then allocates and copies. The default cannot. The emulator maps arrays of 64 MiB and more that are aligned to 16
  /// bytes, and touches only what kernels touch, so an array may be sparse and larger than the host's memory.
  virtual bool mapHost(void *host, uint64_t bytes, const std::string &label, bool isWritten, uint64_t *address);
  virtual void release(uint64_t address) = 0;
  virtual bool upload(uint64_t address, const void *source, uint64_t bytes, std::string *error) = 0;
  virtual bool download(void *target, uint64_t address, uint64_t bytes, std::string *error) = 0;
  /// Fills with one byte value; the default uploads.
  virtual bool fill(uint64_t address, uint8_t byte, uint64_t bytes, std::string *error);

  /// Takes the code of a bundle, which stays where it is until `unload`. Several bundles may be loaded at a time;
  /// kernels and variants are told apart by their addresses in a bundle's plan, because names repeat between bundles.
  /// The code of a single module may be loaded on first launch.
  virtual bool load(const Bundle &bundle, std::string *error) = 0;
  /// Forgets a bundle and all prepared handles of its variants. Nothing of it is running.
  virtual void unload(const Bundle &bundle);

  /// Runs one variant of a kernel of the loaded bundle and waits for its end. `slots` are the launch arguments, one
  /// 64-bit slot each, in order. No extent of `grid` is 0.
  virtual bool launch(const PlanKernel &kernel, const PlanVariant &variant, const uint64_t *slots,
                      const uint64_t grid[3], std::string *error) = 0;

  /// How many CTAs of a variant one SM holds at a time, as its registers, threads and shared memory allow. Loads its code.
  /// As safe from several threads as `prepare`. The default does not know.
  virtual bool ctasPerSm(const PlanKernel &kernel, const PlanVariant &variant, int64_t *count, std::string *error);

  /// Resolves a variant once for launches that must be cheap. The handle lives as long as the backend. The default
  /// makes a handle whose launches go through `launch`.
  virtual void *prepare(const PlanKernel &kernel, const PlanVariant &variant, std::string *error);
  /// Launches on `stream` (a CUstream; null is the default stream) and does not wait for the end.
  virtual bool launchPrepared(void *prepared, const uint64_t *slots, const uint64_t grid[3], void *stream,
                              std::string *error);
  /// Waits for everything launched so far, and reports what failed since.
  virtual bool synchronize(std::string *error);

  /// Time in seconds that each of `repeats` launches took on the device, after `warmups` launches that are not
  /// counted. The default measures `launch` by the host's clock.
  virtual bool measure(const PlanKernel &kernel, const PlanVariant &variant, const uint64_t *slots,
                       const uint64_t grid[3], unsigned warmups, unsigned repeats, std::vector<double> *seconds,
                       std::string *error);

private:
  /// Handles that the default `prepare` gave out: kernel and variant.
  struct DefaultHandle {
    const PlanKernel *kernel;
    const PlanVariant *variant;
  };
  std::mutex handleMutex;
  std::vector<std::unique_ptr<DefaultHandle>> defaultHandles;
};

/// How a backend is made.
struct BackendOptions {
  /// Which device, where there are several.
  int device = 0;
  /// Seed of the emulator's schedule.
  uint64_t seed = 0;
  /// SMs that the emulator pretends to have, each with room for one CTA; 0 for its default, an H100's 132 with as many CTAs as
  /// threads and shared memory allow.
  int smCount = 0;
};

/// Why there is no backend: a caller maps `NoDevice` to exit status 3 and `Failed` to 2.
enum class BackendStatus { Ok, NoDevice, Failed };

struct BackendResult {
  BackendStatus status = BackendStatus::Failed;
  std::unique_ptr<Backend> backend;
  std::string error;
};

using BackendFactory = std::function<BackendResult(const BackendOptions &)>;

/// Makes a backend known by name; the last registration of a name wins. Safe from any thread.
void registerBackendFactory(const std::string &name, BackendFactory factory);

/// Makes a backend. An unknown name gives Failed and a message that lists the known ones. "cuda" is always known.
BackendResult createBackend(const std::string &name, const BackendOptions &options = {});

/// True if a factory of that name is registered.
bool hasBackendFactory(const std::string &name);

} // namespace tilewright

#endif // TILEWRIGHT_RUNTIME_BACKEND_H
