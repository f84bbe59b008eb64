// SPDX-License-Identifier: Apache-2.0
#include "tilewright/Runtime/Launcher.h"
#include "tilewright/Runtime/HostArray.h"

#include <algorithm>
#include <tuple>

using namespace tilewright;

//===----------------------------------------------------------------------===//
// Host arrays on the device
//===----------------------------------------------------------------------===//

namespace {
/// Host memory that one device buffer mirrors: [begin, end).
struct Mirror {
  uintptr_t begin, end;
  uint64_t address = 0;
  bool isWritten = false;
  std::string label;
  /// True if the backend uses the host's memory itself: nothing is copied.
  bool isShared = false;
};

/// The device buffers of one launch; releases them at its end.
class MirrorSet {
public:
  /// With `mayShare`, a backend that can uses the host's memory itself.
  MirrorSet(Backend &backend, bool mayShare) : backend(backend), mayShare(mayShare) {}
  ~MirrorSet() {
    for (const Mirror &mirror : mirrors)
      if (mirror.address)
        backend.release(mirror.address);
  }
  MirrorSet(const MirrorSet &) = delete;
  MirrorSet &operator=(const MirrorSet &) = delete;

  /// Plans buffers for the host arrays among the arguments and rewrites `planArgs` to device arguments. With
  /// `isDry`, nothing is allocated and addresses are made up.
  bool place(const PlanKernel &kernel, const LaunchArg *args, size_t count, std::vector<PlanArg> &planArgs, bool isDry,
             std::string *error);
  bool upload(std::string *error);
  bool download(std::string *error);

private:
  Backend &backend;
  bool mayShare;
  std::vector<Mirror> mirrors;
};
} // namespace

static PlanArg toPlanArg(const LaunchArg &arg) {
  PlanArg planArg;
  planArg.kind = arg.kind == LaunchArg::Kind::Scalar          ? ParamKind::Scalar
                 : arg.kind == LaunchArg::Kind::DevicePointer ? ParamKind::Pointer
                                                              : ParamKind::View;
  planArg.type = arg.type;
  planArg.rank = arg.rank;
  planArg.value = arg.value;
  planArg.sizes = arg.sizes;
  planArg.strides = arg.strides;
  return planArg;
}

bool MirrorSet::place(const PlanKernel &kernel, const LaunchArg *args, size_t count, std::vector<PlanArg> &planArgs,
                      bool isDry, std::string *error) {
  auto fail = [&](size_t index, const std::string &what) {
    if (error)
      *error = "kernel '" + kernel.name + "': " + describeParam(kernel, index) + " " + what;
    return false;
  };
  std::vector<Mirror> wanted;
  for (size_t i = 0; i < count; ++i) {
    planArgs.push_back(toPlanArg(args[i]));
    if (args[i].kind != LaunchArg::Kind::HostArray)
      continue;
    unsigned bytes = scalarTypeBytes(args[i].type);
    if (bytes == 0)
      return fail(i, "is an array of " + std::string(scalarTypeName(args[i].type)) +
                         ", which is packed two per byte and cannot be copied from the host");
    std::optional<ByteRange> range = computeByteRange(args[i].sizes, args[i].strides, args[i].rank, bytes);
    if (!range)
      return fail(i, "has a shape and strides that are not possible");
    uintptr_t element = reinterpret_cast<uintptr_t>(args[i].data);
    if (range->size() != 0 && !args[i].data)
      return fail(i, "has a null address");
    uintptr_t begin = element + static_cast<uintptr_t>(range->begin);
    uintptr_t end = element + static_cast<uintptr_t>(range->end);
    if (begin > end)
      return fail(i, "leaves the address space");
    bool isWritten = i < kernel.params.size() && kernel.params[i].isWritten;
    std::string label =
        i < kernel.params.size() && !kernel.params[i].name.empty() ? kernel.params[i].name : std::to_string(i);
    wanted.push_back({begin, end, 0, isWritten, std::move(label)});
  }
  // Merge what overlaps. Empty ranges overlap nothing, but each gets an address of its own.
  std::vector<Mirror> sorted = wanted;
  std::sort(sorted.begin(), sorted.end(), [](const Mirror &a, const Mirror &b) {
    return std::tie(a.begin, a.end, a.label) < std::tie(b.begin, b.end, b.label);
  });
  for (const Mirror &next : sorted) {
    Mirror *last = mirrors.empty() ? nullptr : &mirrors.back();
    if (last && next.begin < last->end && next.begin < next.end) {
      last->end = std::max(last->end, next.end);
      last->isWritten |= next.isWritten;
      last->label += "+" + next.label;
    } else if (next.begin < next.end) {
      mirrors.push_back(next);
    }
  }
  for (const Mirror &next : sorted)
    if (next.begin == next.end)
      mirrors.push_back(next);
  uint64_t madeUp = 1 << 20;
  for (Mirror &mirror : mirrors) {
    uint64_t bytes = std::max<uint64_t>(mirror.end - mirror.begin, 1);
    if (isDry) {
      mirror.address = madeUp;
      madeUp += (bytes + 255) / 256 * 256;
    } else if (mayShare && mirror.begin < mirror.end &&
               backend.mapHost(reinterpret_cast<void *>(mirror.begin), bytes, mirror.label, mirror.isWritten,
                               &mirror.address)) {
      mirror.isShared = true;
    } else if (!backend.allocate(bytes, mirror.label, &mirror.address, error)) {
      return false;
    }
  }
  for (size_t i = 0, next = 0; i < count; ++i) {
    if (args[i].kind != LaunchArg::Kind::HostArray)
      continue;
    const Mirror &range = wanted[next++];
    auto holds = [&](const Mirror &mirror) {
      return range.begin == range.end ? mirror.begin == range.begin && mirror.end == range.end
                                      : mirror.begin <= range.begin && range.end <= mirror.end;
    };
    const Mirror &mirror = *std::find_if(mirrors.begin(), mirrors.end(), holds);
    planArgs[i].value = mirror.address + (reinterpret_cast<uintptr_t>(args[i].data) - mirror.begin);
  }
  if (isDry)
    mirrors.clear();
  return true;
}

bool MirrorSet::upload(std::string *error) {
  for (const Mirror &mirror : mirrors)
    if (mirror.begin < mirror.end && !mirror.isShared &&
        !backend.upload(mirror.address, reinterpret_cast<const void *>(mirror.begin), mirror.end - mirror.begin, error))
      return false;
  return true;
}

bool MirrorSet::download(std::string *error) {
  for (const Mirror &mirror : mirrors)
    if (mirror.isWritten && mirror.begin < mirror.end && !mirror.isShared &&
        !backend.download(reinterpret_cast<void *>(mirror.begin), mirror.address, mirror.end - mirror.begin, error))
      return false;
  return true;
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

KernelLauncher::KernelLauncher(Backend &backend, const PlanKernel &kernel)
    : backend(backend), evaluator(kernel, backend.deviceInfo(),
                                  [this](size_t variant, int64_t *ctas, std::string *error) {
                                    return findResidency(variant, ctas, error);
                                  }),
      handles(new std::atomic<void *>[kernel.variants.size()]()),
      residencies(new std::atomic<int64_t>[kernel.variants.size()]()) {}

KernelLauncher::KernelLauncher(Backend &backend, const LaunchPlan &plan, const PlanKernel &kernel)
    : KernelLauncher(backend, kernel) {
  for (const PlanStep &step : kernel.steps) {
    KernelLauncher *found = nullptr;
    for (const std::unique_ptr<KernelLauncher> &known : kernels)
      if (known->getKernel().name == step.kernel)
        found = known.get();
    if (!found) {
      kernels.push_back(std::make_unique<KernelLauncher>(backend, *plan.findKernel(step.kernel)));
      found = kernels.back().get();
    }
    stepKernels.push_back(found);
  }
}

KernelLauncher::~KernelLauncher() = default;

void *KernelLauncher::getHandle(size_t variant, std::string *error) {
  void *handle = handles[variant].load(std::memory_order_acquire);
  if (handle)
    return handle;
  handle = backend.prepare(getKernel(), getKernel().variants[variant], error);
  if (handle)
    handles[variant].store(handle, std::memory_order_release);
  return handle;
}

bool KernelLauncher::findResidency(size_t variant, int64_t *ctas, std::string *error) {
  *ctas = residencies[variant].load(std::memory_order_acquire);
  if (*ctas == 0 && !backend.ctasPerSm(getKernel(), getKernel().variants[variant], ctas, error))
    return false;
  residencies[variant].store(*ctas, std::memory_order_release);
  return true;
}

bool KernelLauncher::computeSteps(const PlanArg *args, size_t count, std::vector<StepArgs> *steps,
                                  std::string *error) const {
  const PlanKernel &host = getKernel();
  if (stepKernels.size() != host.steps.size()) {
    if (error)
      *error = "host function '" + host.name + "' is launched without the plan that has its kernels";
    return false;
  }
  std::vector<int64_t> values(host.exprs.size());
  if (!evaluator.evaluateSteps(args, count, values.data(), error))
    return false;
  steps->resize(host.steps.size());
  for (size_t i = 0; i < host.steps.size(); ++i) {
    const PlanKernel &kernel = stepKernels[i]->getKernel();
    StepArgs &step = (*steps)[i];
    step.args.resize(kernel.params.size());
    for (const PlanStepArg &arg : host.steps[i].args)
      for (const std::vector<uint32_t> *exprs : {&arg.sizes, &arg.strides})
        for (uint32_t expr : *exprs)
          step.extents.push_back(values[expr]);
    const int64_t *next = step.extents.data();
    for (size_t p = 0; p < step.args.size(); ++p) {
      PlanArg &arg = step.args[p];
      size_t rank = kernel.params[p].sizes.size();
      arg.kind = kernel.params[p].kind;
      arg.type = kernel.params[p].type;
      arg.rank = static_cast<uint32_t>(rank);
      arg.value = static_cast<uint64_t>(values[host.steps[i].args[p].value]);
      arg.sizes = next;
      arg.strides = next + rank;
      next += 2 * rank;
    }
  }
  return true;
}

template <typename Body>
bool KernelLauncher::forEachStep(const std::vector<PlanArg> &args, PlanDecision *decision, std::string *error,
                                 Body body) {
  *decision = PlanDecision();
  std::vector<StepArgs> steps;
  if (!getKernel().isHostFunction()) {
    std::vector<uint64_t> slots(evaluator.getMaxSlots());
    return evaluator.evaluate(args.data(), args.size(), decision, slots.data(), error) &&
           (decision->isEmpty || body(*this, *decision, slots.data()));
  }
  if (!computeSteps(args.data(), args.size(), &steps, error))
    return false;
  decision->isEmpty = true;
  for (size_t i = 0; i < steps.size(); ++i) {
    PlanDecision own;
    std::vector<uint64_t> slots(stepKernels[i]->evaluator.getMaxSlots());
    if (!stepKernels[i]->evaluator.evaluate(steps[i].args.data(), steps[i].args.size(), &own, slots.data(), error))
      return false;
    decision->isEmpty &= own.isEmpty;
    if (!own.isEmpty && !body(*stepKernels[i], own, slots.data()))
      return false;
  }
  return true;
}

bool KernelLauncher::prepareAll(std::string *error) {
  for (const std::unique_ptr<KernelLauncher> &kernel : kernels)
    if (!kernel->prepareAll(error))
      return false;
  for (size_t i = 0; i < getKernel().variants.size(); ++i)
    if (int64_t ctas = 0; !getHandle(i, error) || (evaluator.asksResidency(i) && !findResidency(i, &ctas, error)))
      return false;
  return true;
}

bool KernelLauncher::launchPrepared(const PlanArg *args, size_t count, void *stream, std::string *error) {
  if (getKernel().isHostFunction()) {
    std::vector<StepArgs> steps;
    if (!computeSteps(args, count, &steps, error))
      return false;
    for (size_t i = 0; i < steps.size(); ++i)
      if (!stepKernels[i]->launchPrepared(steps[i].args.data(), steps[i].args.size(), stream, error))
        return false;
    return true;
  }
  PlanDecision decision;
  uint64_t slots[PlanLimits::kLaunchArgs];
  if (!evaluator.evaluate(args, count, &decision, slots, error))
    return false;
  if (decision.isEmpty)
    return true;
  void *handle = getHandle(decision.variant, error);
  return handle && backend.launchPrepared(handle, slots, decision.grid, stream, error);
}

bool KernelLauncher::select(const LaunchArg *args, size_t count, PlanDecision *decision, std::string *error) {
  MirrorSet mirrors(backend, /*mayShare=*/false);
  std::vector<PlanArg> planArgs;
  return mirrors.place(getKernel(), args, count, planArgs, /*isDry=*/true, error) &&
         forEachStep(planArgs, decision, error,
                     [](const KernelLauncher &, const PlanDecision &, const uint64_t *) { return true; });
}

bool KernelLauncher::launch(const LaunchArg *args, size_t count, PlanDecision *decision, std::string *error) {
  // Wrong arguments are refused before anything is allocated.
  if (!select(args, count, decision, error))
    return false;
  if (decision->isEmpty)
    return true;
  MirrorSet mirrors(backend, /*mayShare=*/true);
  std::vector<PlanArg> planArgs;
  auto run = [&](const KernelLauncher &launcher, const PlanDecision &own, const uint64_t *slots) {
    const PlanKernel &kernel = launcher.getKernel();
    return backend.launch(kernel, kernel.variants[own.variant], slots, own.grid, error);
  };
  return mirrors.place(getKernel(), args, count, planArgs, /*isDry=*/false, error) && mirrors.upload(error) &&
         forEachStep(planArgs, decision, error, run) && mirrors.download(error);
}

bool KernelLauncher::measure(const LaunchArg *args, size_t count, unsigned warmups, unsigned repeats,
                             std::vector<double> *seconds, PlanDecision *decision, std::string *error) {
  seconds->clear();
  if (!select(args, count, decision, error))
    return false;
  if (decision->isEmpty)
    return true;
  MirrorSet mirrors(backend, /*mayShare=*/false); // What it leaves is not the caller's to see.
  std::vector<PlanArg> planArgs;
  seconds->assign(repeats, 0);
  auto run = [&](const KernelLauncher &launcher, const PlanDecision &own, const uint64_t *slots) {
    const PlanKernel &kernel = launcher.getKernel();
    std::vector<double> times;
    if (!backend.measure(kernel, kernel.variants[own.variant], slots, own.grid, warmups, repeats, &times, error))
      return false;
    for (size_t i = 0; i < repeats; ++i)
      (*seconds)[i] += times[i];
    return true;
  };
  return mirrors.place(getKernel(), args, count, planArgs, /*isDry=*/false, error) && mirrors.upload(error) &&
         forEachStep(planArgs, decision, error, run);
}
