// SPDX-License-Identifier: Apache-2.0
// The runtime's C interface. Handles are C++ objects behind opaque names; exceptions (memory, in effect) stop here.
#include "tilewright-c/Runtime.h"
#include "tilewright/Runtime/Bundle.h"
#include "tilewright/Runtime/Launcher.h"
#include "tilewright/Runtime/ScalarConvert.h"

#include <algorithm>
#include <exception>
#include <mutex>
#include <new>

using namespace tilewright;

//===----------------------------------------------------------------------===//
// Handles
//===----------------------------------------------------------------------===//

struct TwError {
  TwStatus status;
  std::string message;
};

struct TwBundle {
  std::shared_ptr<const Bundle> bundle;
  std::string planJson;
};

namespace {
struct SharedBackend {
  std::unique_ptr<Backend> backend;
  std::string name, description;
  /// Held by every call but launchPrepared: a backend serves one thread at a time.
  std::mutex mutex;
  /// Bundles that are loaded, each as long as a kernel of it exists.
  std::vector<std::weak_ptr<struct LoadedBundle>> loaded;
};

/// A bundle in a backend; unloads it when the last kernel goes.
struct LoadedBundle {
  std::shared_ptr<SharedBackend> backend;
  std::shared_ptr<const Bundle> bundle;
  LoadedBundle(std::shared_ptr<SharedBackend> backend, std::shared_ptr<const Bundle> bundle)
      : backend(std::move(backend)), bundle(std::move(bundle)) {}
  ~LoadedBundle() {
    std::lock_guard<std::mutex> lock(backend->mutex);
    backend->backend->unload(*bundle);
  }
};
} // namespace

struct TwBackend {
  std::shared_ptr<SharedBackend> shared;
};

struct TwKernel {
  std::shared_ptr<LoadedBundle> loaded;
  const PlanKernel *kernel;
  std::unique_ptr<KernelLauncher> launcher;
  SharedBackend &shared() { return *loaded->backend; }
};

static TwStatus fail(TwError **error, TwStatus status, std::string message) {
  if (error)
    *error = new TwError{status, std::move(message)};
  return status;
}

/// Runs a body that returns a TwStatus; whatever it throws becomes an error.
template <typename Body> static TwStatus guarded(TwError **error, Body &&body) {
  try {
    return body();
  } catch (const std::bad_alloc &) {
    return fail(error, TW_BAD_INPUT, "out of memory");
  } catch (const std::exception &exception) {
    return fail(error, TW_BAD_INPUT, exception.what());
  }
}

const char *twVersion(void) { return TILEWRIGHT_VERSION; }

const char *twErrorMessage(const TwError *error) { return error ? error->message.c_str() : ""; }
TwStatus twErrorStatus(const TwError *error) { return error ? error->status : TW_OK; }
void twErrorDestroy(TwError *error) { delete error; }

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

static_assert(int(TW_F4E2M1FN) + 1 == int(kNumScalarTypes) && int(TW_F4E2M1FN) == int(ScalarType::F4E2M1FN) &&
              int(TW_F32) == int(ScalarType::F32) && int(TW_INDEX) == int(ScalarType::Index));
static_assert(int(TW_PARAM_VIEW) == int(ParamKind::View) && int(TW_PARAM_POINTER) == int(ParamKind::Pointer) &&
              int(TW_PARAM_SCALAR) == int(ParamKind::Scalar));
static_assert(TW_DYNAMIC == kPlanDynamic);

static bool isDtype(int dtype) { return static_cast<unsigned>(dtype) < kNumScalarTypes; }

const char *twDtypeName(int dtype) {
  // The names are literals, so their views end in a zero.
  return isDtype(dtype) ? scalarTypeName(static_cast<ScalarType>(dtype)).data() : nullptr;
}

size_t twDtypeBytes(int dtype) { return isDtype(dtype) ? scalarTypeBytes(static_cast<ScalarType>(dtype)) : 0; }

//===----------------------------------------------------------------------===//
// Bundles
//===----------------------------------------------------------------------===//

static TwBundle *makeBundle(std::optional<Bundle> bundle, const std::string &message, TwError **error) {
  if (!bundle) {
    fail(error, TW_BAD_INPUT, message);
    return nullptr;
  }
  auto result = std::make_unique<TwBundle>();
  result->planJson = printLaunchPlan(bundle->plan);
  result->bundle = std::make_shared<const Bundle>(std::move(*bundle));
  return result.release();
}

TwBundle *twBundleOpen(const void *data, size_t size, TwError **error) {
  TwBundle *result = nullptr;
  guarded(error, [&] {
    std::string message;
    std::string_view bytes(static_cast<const char *>(data), data ? size : 0);
    result = makeBundle(readBundle(bytes, &message), message, error);
    return TW_OK;
  });
  return result;
}

TwBundle *twBundleOpenFile(const char *path, TwError **error) {
  TwBundle *result = nullptr;
  guarded(error, [&] {
    std::string message;
    result = makeBundle(readBundleFile(path ? path : "", &message), message, error);
    return TW_OK;
  });
  return result;
}

void twBundleDestroy(TwBundle *bundle) { delete bundle; }
const char *twBundleTarget(const TwBundle *bundle) { return bundle->bundle->plan.target.c_str(); }
size_t twBundleKernelCount(const TwBundle *bundle) { return bundle->bundle->plan.kernels.size(); }
const char *twBundlePlan(const TwBundle *bundle) { return bundle->planJson.c_str(); }

const char *twBundleKernelName(const TwBundle *bundle, size_t index) {
  const std::vector<PlanKernel> &kernels = bundle->bundle->plan.kernels;
  return index < kernels.size() ? kernels[index].name.c_str() : nullptr;
}

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

static TwStatus describeParam(const PlanKernel &kernel, size_t index, TwParamInfo *info) {
  if (index >= kernel.params.size() || !info)
    return TW_BAD_INPUT;
  const PlanParam &param = kernel.params[index];
  *info = {param.name.c_str(),
           static_cast<TwParamKind>(param.kind),
           static_cast<TwDtype>(param.type),
           param.sizes.size(),
           param.sizes.data(),
           param.strides.data(),
           param.divBy,
           param.isRead,
           param.isWritten};
  return TW_OK;
}

size_t twBundleParamCount(const TwBundle *bundle, size_t kernelIndex) {
  const std::vector<PlanKernel> &kernels = bundle->bundle->plan.kernels;
  return kernelIndex < kernels.size() ? kernels[kernelIndex].params.size() : 0;
}

TwStatus twBundleParam(const TwBundle *bundle, size_t kernelIndex, size_t index, TwParamInfo *info) {
  const std::vector<PlanKernel> &kernels = bundle->bundle->plan.kernels;
  return kernelIndex < kernels.size() ? describeParam(kernels[kernelIndex], index, info) : TW_BAD_INPUT;
}

size_t twKernelParamCount(const TwKernel *kernel) { return kernel->kernel->params.size(); }
TwStatus twKernelParam(const TwKernel *kernel, size_t index, TwParamInfo *info) {
  return describeParam(*kernel->kernel, index, info);
}

//===----------------------------------------------------------------------===//
// Backends
//===----------------------------------------------------------------------===//

static TwBackend *makeBackend(const char *name, const BackendOptions &options, TwError **error) {
  TwBackend *result = nullptr;
  guarded(error, [&] {
    BackendResult made = createBackend(name, options);
    if (made.status != BackendStatus::Ok)
      return fail(error, made.status == BackendStatus::NoDevice ? TW_NO_DEVICE : TW_BAD_INPUT, made.error);
    auto shared = std::make_shared<SharedBackend>();
    shared->backend = std::move(made.backend);
    shared->name = shared->backend->name();
    shared->description = shared->backend->describeDevice();
    result = new TwBackend{std::move(shared)};
    return TW_OK;
  });
  return result;
}

TwBackend *twBackendCreate(const char *name, int device, uint64_t seed, TwError **error) {
  return makeBackend(name ? name : "", {device, seed, /*smCount=*/0}, error);
}

TwBackend *twEmulatorCreate(uint64_t seed, int smCount, TwError **error) {
  return makeBackend("emulator", {/*device=*/0, seed, smCount}, error);
}

void twBackendDestroy(TwBackend *backend) { delete backend; }
const char *twBackendName(const TwBackend *backend) { return backend->shared->name.c_str(); }
const char *twBackendDescription(const TwBackend *backend) { return backend->shared->description.c_str(); }

/// Runs `body(backend, &message)`, which returns false on failure, while no other thread uses the backend.
template <typename Body> static TwStatus withBackend(SharedBackend &shared, TwError **error, Body &&body) {
  return guarded(error, [&] {
    std::lock_guard<std::mutex> lock(shared.mutex);
    std::string message;
    return body(*shared.backend, &message) ? TW_OK : fail(error, TW_BAD_INPUT, message);
  });
}

uint64_t twDeviceAllocate(TwBackend *backend, size_t bytes, TwError **error) {
  uint64_t address = 0;
  TwStatus status = withBackend(*backend->shared, error, [&](Backend &b, std::string *message) {
    return b.allocate(bytes ? bytes : 1, "", &address, message);
  });
  return status == TW_OK ? address : 0;
}

void twDeviceRelease(TwBackend *backend, uint64_t address) {
  if (address)
    withBackend(*backend->shared, nullptr, [&](Backend &b, std::string *) {
      b.release(address);
      return true;
    });
}

TwStatus twDeviceUpload(TwBackend *backend, uint64_t address, const void *source, size_t bytes, TwError **error) {
  return withBackend(*backend->shared, error, [&](Backend &b, std::string *message) {
    return bytes == 0 || b.upload(address, source, bytes, message);
  });
}

TwStatus twDeviceDownload(TwBackend *backend, void *target, uint64_t address, size_t bytes, TwError **error) {
  return withBackend(*backend->shared, error, [&](Backend &b, std::string *message) {
    return bytes == 0 || b.download(target, address, bytes, message);
  });
}

TwStatus twSynchronize(TwBackend *backend, TwError **error) {
  return withBackend(*backend->shared, error, [](Backend &b, std::string *message) { return b.synchronize(message); });
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// The bundle in the backend: the one that is loaded already, or a new one. Null with `message`.
static std::shared_ptr<LoadedBundle> loadBundle(const std::shared_ptr<SharedBackend> &backend,
                                                const std::shared_ptr<const Bundle> &bundle, std::string *message) {
  // Released after the mutex: if one of these is the last reference, its destructor takes the mutex.
  std::vector<std::shared_ptr<LoadedBundle>> alive;
  std::lock_guard<std::mutex> lock(backend->mutex);
  for (const std::weak_ptr<LoadedBundle> &weak : backend->loaded)
    if (std::shared_ptr<LoadedBundle> loaded = weak.lock())
      alive.push_back(std::move(loaded));
  backend->loaded.assign(alive.begin(), alive.end());
  for (const std::shared_ptr<LoadedBundle> &loaded : alive)
    if (loaded->bundle == bundle)
      return loaded;
  if (!backend->backend->load(*bundle, message))
    return nullptr;
  alive.push_back(std::make_shared<LoadedBundle>(backend, bundle));
  backend->loaded.push_back(alive.back());
  return alive.back();
}

TwKernel *twKernelLookup(TwBackend *backend, TwBundle *bundle, const char *name, TwError **error) {
  TwKernel *result = nullptr;
  guarded(error, [&] {
    const std::vector<PlanKernel> &kernels = bundle->bundle->plan.kernels;
    const PlanKernel *kernel = name ? bundle->bundle->plan.findKernel(name) : nullptr;
    if (!name && kernels.size() == 1)
      kernel = &kernels.front();
    if (!kernel) {
      std::string known;
      for (const PlanKernel &other : kernels)
        known += (known.empty() ? "" : ", ") + other.name;
      return fail(error, TW_BAD_INPUT,
                  (name ? "there is no kernel '" + std::string(name) + "' in the bundle; it has: "
                        : std::string("the bundle has not exactly one kernel, so one must be named; it has: ")) +
                      known);
    }
    std::string message;
    std::shared_ptr<LoadedBundle> loaded = loadBundle(backend->shared, bundle->bundle, &message);
    if (!loaded)
      return fail(error, TW_BAD_INPUT, message);
    auto made = std::make_unique<TwKernel>();
    made->launcher = std::make_unique<KernelLauncher>(*backend->shared->backend, bundle->bundle->plan, *kernel);
    made->kernel = kernel;
    made->loaded = std::move(loaded);
    result = made.release();
    return TW_OK;
  });
  return result;
}

void twKernelDestroy(TwKernel *kernel) {
  if (kernel)
    kernel->launcher.reset(); // before its backend
  delete kernel;
}
const char *twKernelName(const TwKernel *kernel) { return kernel->kernel->name.c_str(); }

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

/// Checks what the C types cannot say and brings a scalar into the plan's form. Empty if all is well.
static std::string checkArg(const TwArg &arg, uint64_t *scalar) {
  if (!isDtype(arg.dtype))
    return "has the unknown type " + std::to_string(arg.dtype);
  ScalarType type = static_cast<ScalarType>(arg.dtype);
  switch (arg.kind) {
  case TW_ARG_SCALAR: {
    std::string reason;
    if (isFloatType(type))
      *scalar = encodeFloat(type, arg.number);
    else if (!canonicalizeInteger(type, arg.integer, scalar, &reason))
      return ": " + reason;
    return "";
  }
  case TW_ARG_HOST:
  case TW_ARG_DEVICE:
    if (arg.rank > PlanLimits::kRank)
      return "is an array of rank " + std::to_string(arg.rank) + ", at most 8 is possible";
    if (arg.rank > 0 && (!arg.shape || !arg.strides))
      return "has no shape or no strides";
    return "";
  }
  return "is of the unknown kind " + std::to_string(arg.kind);
}

static std::string describeArg(const TwKernel &kernel, size_t index, const std::string &reason) {
  return "kernel '" + kernel.kernel->name + "': " + tilewright::describeParam(*kernel.kernel, index) +
         (reason[0] == ':' ? "" : " ") + reason;
}

static bool convertArgs(const TwKernel &kernel, const TwArg *args, size_t count, std::vector<LaunchArg> &result,
                        std::string *message) {
  if (count > 0 && !args)
    return *message = "kernel '" + kernel.kernel->name + "': there are no arguments", false;
  for (size_t i = 0; i < count; ++i) {
    LaunchArg arg;
    if (std::string reason = checkArg(args[i], &arg.value); !reason.empty())
      return *message = describeArg(kernel, i, reason), false;
    arg.type = static_cast<ScalarType>(args[i].dtype);
    if (args[i].kind != TW_ARG_SCALAR) {
      arg.rank = static_cast<uint32_t>(args[i].rank);
      arg.sizes = args[i].shape;
      arg.strides = args[i].strides;
      arg.data = args[i].data;
      arg.value = args[i].address;
      arg.kind = args[i].kind == TW_ARG_HOST ? LaunchArg::Kind::HostArray
                 : arg.rank == 0             ? LaunchArg::Kind::DevicePointer
                                             : LaunchArg::Kind::DeviceArray;
    }
    result.push_back(arg);
  }
  return true;
}

TwStatus twLaunch(TwKernel *kernel, const TwArg *args, size_t count, TwError **error) {
  return withBackend(kernel->shared(), error, [&](Backend &, std::string *message) {
    std::vector<LaunchArg> launchArgs;
    PlanDecision decision;
    return convertArgs(*kernel, args, count, launchArgs, message) &&
           kernel->launcher->launch(launchArgs.data(), count, &decision, message);
  });
}

TwStatus twBenchmark(TwKernel *kernel, const TwArg *args, size_t count, unsigned warmups, unsigned repeats,
                     double *seconds, TwError **error) {
  return withBackend(kernel->shared(), error, [&](Backend &, std::string *message) {
    std::vector<LaunchArg> launchArgs;
    PlanDecision decision;
    std::vector<double> times;
    if (!convertArgs(*kernel, args, count, launchArgs, message) ||
        !kernel->launcher->measure(launchArgs.data(), count, warmups, repeats, &times, &decision, message))
      return false;
    times.resize(repeats, 0.0); // An empty grid takes no time.
    std::copy(times.begin(), times.end(), seconds);
    return true;
  });
}

TwStatus twSelectVariant(TwKernel *kernel, const TwArg *args, size_t count, size_t *variant, uint64_t grid[3],
                         TwError **error) {
  return withBackend(kernel->shared(), error, [&](Backend &, std::string *message) {
    std::vector<LaunchArg> launchArgs;
    PlanDecision decision;
    if (!convertArgs(*kernel, args, count, launchArgs, message) ||
        !kernel->launcher->select(launchArgs.data(), count, &decision, message))
      return false;
    *variant = decision.variant;
    std::copy(decision.grid, decision.grid + 3, grid);
    return true;
  });
}

TwStatus twKernelPrepare(TwKernel *kernel, TwError **error) {
  return withBackend(kernel->shared(), error,
                     [&](Backend &, std::string *message) { return kernel->launcher->prepareAll(message); });
}

TwStatus twLaunchPrepared(TwKernel *kernel, const TwArg *args, size_t count, void *stream, TwError **error) {
  // Raw memory: initializing room for every possible argument would cost more than the launch.
  alignas(PlanArg) char storage[sizeof(PlanArg) * PlanLimits::kParams];
  PlanArg *planArgs = reinterpret_cast<PlanArg *>(storage);
  size_t expected = kernel->kernel->params.size();
  for (size_t i = 0; i < count && i < expected; ++i) {
    const TwArg &arg = args[i];
    PlanArg &planArg = *new (&planArgs[i]) PlanArg;
    uint64_t scalar = 0;
    std::string reason =
        arg.kind == TW_ARG_HOST ? "is a host array, which this call does not copy" : checkArg(arg, &scalar);
    if (!reason.empty())
      return guarded(error, [&] { return fail(error, TW_BAD_INPUT, describeArg(*kernel, i, reason)); });
    bool isScalar = arg.kind == TW_ARG_SCALAR;
    planArg.kind = isScalar ? ParamKind::Scalar : arg.rank == 0 ? ParamKind::Pointer : ParamKind::View;
    planArg.type = static_cast<ScalarType>(arg.dtype);
    planArg.rank = static_cast<uint32_t>(arg.rank);
    planArg.value = isScalar ? scalar : arg.address;
    planArg.sizes = arg.shape;
    planArg.strides = arg.strides;
  }
  std::string message;
  if (kernel->launcher->launchPrepared(planArgs, count, stream, &message))
    return TW_OK;
  return guarded(error, [&] { return fail(error, TW_BAD_INPUT, message); });
}
