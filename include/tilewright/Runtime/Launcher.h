// SPDX-License-Identifier: Apache-2.0
/// \file
/// Launches one kernel of a loaded bundle on one backend: the checks and choices of the plan, the copies between host
/// and device, and the cheap path for arguments that are on the device already.
#ifndef TILEWRIGHT_RUNTIME_LAUNCHER_H
#define TILEWRIGHT_RUNTIME_LAUNCHER_H

#include "tilewright/Runtime/Backend.h"
#include "tilewright/Support/PlanEvaluator.h"

#include <atomic>
#include <memory>
#include <vector>

namespace tilewright {

/// One argument of a launch. Nothing is owned.
struct LaunchArg {
  enum class Kind : uint8_t {
    HostArray,     ///< `data`, `rank`, `sizes`, `strides`: copied to the device, and back if the kernel may write it
    DeviceArray,   ///< `value` is the address of element 0; `rank`, `sizes`, `strides`
    DevicePointer, ///< `value` is the address
    Scalar,        ///< `value` in the form of ExprOp::ArgScalar
  };
  Kind kind = Kind::Scalar;
  ScalarType type = ScalarType::I32;
  uint32_t rank = 0;
  uint64_t value = 0;
  /// Address of element 0 in host memory.
  void *data = nullptr;
  /// `rank` entries each; strides in elements, of any sign.
  const int64_t *sizes = nullptr, *strides = nullptr;
};

/// A kernel or a host function on a backend. The backend and the bundle, which is loaded in it, outlive the launcher.
class KernelLauncher {
public:
  KernelLauncher(Backend &backend, const PlanKernel &kernel);
  /// The same for a host function too, whose kernels are in `plan`.
  KernelLauncher(Backend &backend, const LaunchPlan &plan, const PlanKernel &kernel);
  ~KernelLauncher();
  KernelLauncher(const KernelLauncher &) = delete;
  KernelLauncher &operator=(const KernelLauncher &) = delete;

  const PlanKernel &getKernel() const { return evaluator.getKernel(); }

  /// Copies host arrays to the device, launches, waits, and copies back what the kernel may have written. Host arrays
  /// that overlap in memory share one device buffer, in which they overlap likewise. The buffers are aligned to 256
  /// bytes. An empty grid launches nothing. A backend that can use large arrays where they are (`Backend::mapHost`)
  /// does so: nothing of them is copied, and a launch that fails may have written parts of them.
  bool launch(const LaunchArg *args, size_t count, PlanDecision *decision, std::string *error);

  /// As `launch`, but runs it `warmups + repeats` times and copies nothing back. No times for an empty grid. The launches
  /// of a host function are timed one by one and their times added.
  bool measure(const LaunchArg *args, size_t count, unsigned warmups, unsigned repeats, std::vector<double> *seconds,
               PlanDecision *decision, std::string *error);

  /// Checks the arguments and picks the variant and grid; launches nothing. Host arrays count as perfectly aligned.
  bool select(const LaunchArg *args, size_t count, PlanDecision *decision, std::string *error);

  /// The cheap path: device arguments and scalars only. Does not wait. Safe from several threads at once.
  bool launchPrepared(const PlanArg *args, size_t count, void *stream, std::string *error);

  /// Loads the code of every variant now instead of at its first launch.
  bool prepareAll(std::string *error);

private:
  /// The arguments of one launch of a host function.
  struct StepArgs {
    std::vector<PlanArg> args;
    /// Sizes and strides of all of them.
    std::vector<int64_t> extents;
  };
  bool computeSteps(const PlanArg *args, size_t count, std::vector<StepArgs> *steps, std::string *error) const;
  /// Calls `body` with the launcher, the arguments, the decision and the slots of each launch that is not empty.
  template <typename Body>
  bool forEachStep(const std::vector<PlanArg> &args, PlanDecision *decision, std::string *error, Body body);
  void *getHandle(size_t variant, std::string *error);
  bool findResidency(size_t variant, int64_t *ctas, std::string *error);

  Backend &backend;
  PlanEvaluator evaluator;
  /// The backend's handle of each variant; null until it is needed.
  std::unique_ptr<std::atomic<void *>[]> handles;
  /// How many CTAs of each variant an SM holds; 0 until it is needed.
  std::unique_ptr<std::atomic<int64_t>[]> residencies;
  /// Of a host function: the launchers of its kernels, and which of them each step uses.
  std::vector<std::unique_ptr<KernelLauncher>> kernels;
  std::vector<KernelLauncher *> stepKernels;
};

} // namespace tilewright

#endif // TILEWRIGHT_RUNTIME_LAUNCHER_H
