// SPDX-License-Identifier: Apache-2.0
#include "tilewright/Runtime/CudaBackend.h"
#include "tilewright/Runtime/CudaDriver.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <mutex>

using namespace tilewright;
using namespace tilewright::cuda;

bool tilewright::isTargetCompatible(const std::string &target, int64_t capability, bool isMachineCode) {
  int64_t number = 0;
  if (target.compare(0, 3, "sm_") != 0)
    return false;
  const char *end = target.data() + target.size();
  auto [stop, status] = std::from_chars(target.data() + 3, end, number);
  if (status != std::errc() || end - stop > 1)
    return false;
  if (stop != end && *stop == 'a')
    return capability == number;
  bool isSameMajor = capability / 10 == number / 10;
  if (stop != end && *stop != 'f')
    return false;
  if (isMachineCode || stop != end)
    return isSameMajor && capability >= number;
  return capability >= number;
}

namespace {
/// A variant that is loaded: the function and everything of its launch that does not change.
struct LoadedVariant {
  const PlanVariant *variant = nullptr;
  Function function = nullptr;
  LaunchAttribute cluster = {};
  unsigned numThreads = 0, sharedBytes = 0, numSlots = 0;
  bool hasCluster = false;
};

class CudaBackend final : public Backend {
public:
  CudaBackend(std::unique_ptr<Driver> driver, Device device) : driver(std::move(driver)), device(device) {}
  ~CudaBackend() override;
  BackendResult initialize();

  std::string name() const override { return "cuda"; }
  std::string describeDevice() const override;
  DeviceInfoValues deviceInfo() const override { return info; }
  bool allocate(uint64_t bytes, const std::string &label, uint64_t *address, std::string *error) override;
  void release(uint64_t address) override;
  bool upload(uint64_t address, const void *source, uint64_t bytes, std::string *error) override;
  bool download(void *target, uint64_t address, uint64_t bytes, std::string *error) override;
  bool fill(uint64_t address, uint8_t byte, uint64_t bytes, std::string *error) override;
  bool load(const Bundle &bundle, std::string *error) override;
  void unload(const Bundle &bundle) override;
  bool launch(const PlanKernel &kernel, const PlanVariant &variant, const uint64_t *slots, const uint64_t grid[3],
              std::string *error) override;
  bool ctasPerSm(const PlanKernel &kernel, const PlanVariant &variant, int64_t *count, std::string *error) override;
  void *prepare(const PlanKernel &kernel, const PlanVariant &variant, std::string *error) override;
  bool launchPrepared(void *prepared, const uint64_t *slots, const uint64_t grid[3], void *stream,
                      std::string *error) override;
  bool synchronize(std::string *error) override;
  bool measure(const PlanKernel &kernel, const PlanVariant &variant, const uint64_t *slots, const uint64_t grid[3],
               unsigned warmups, unsigned repeats, std::vector<double> *seconds, std::string *error) override;

private:
  bool check(Result result, const char *call, std::string *error, const std::string &hint = "") const {
    if (result == 0)
      return true;
    if (error)
      *error = driver->describe(call, result, hint);
    return false;
  }
  /// Makes the context current on this thread if another one is.
  bool enter(std::string *error) const {
    Context current = nullptr;
    if (driver->ctxGetCurrent(&current) == 0 && current == context)
      return true;
    return check(driver->ctxSetCurrent(context), "cuCtxSetCurrent", error);
  }
  bool getAttribute(DeviceAttribute attribute, DeviceInfoKind kind, std::string *error);
  const Bundle *findBundle(const PlanVariant &variant) const;
  Module loadModule(const Bundle &bundle, const std::string &name, std::string *error);
  LoadedVariant *loadVariant(const PlanKernel &kernel, const PlanVariant &variant, std::string *error);

  std::unique_ptr<Driver> driver;
  Device device;
  Context context = nullptr;
  DeviceInfoValues info = {};
  std::string deviceName;
  /// Guards what is below.
  std::mutex mutex;
  std::vector<const Bundle *> bundles;
  std::map<std::pair<const Bundle *, std::string>, Module> modules;
  std::map<const PlanVariant *, std::unique_ptr<LoadedVariant>> variants;
};
} // namespace

//===----------------------------------------------------------------------===//
// Device and memory
//===----------------------------------------------------------------------===//

BackendResult tilewright::createCudaBackend(const BackendOptions &options, const std::string &library) {
  std::string error;
  std::unique_ptr<Driver> driver = Driver::load(library, &error);
  if (!driver)
    return {BackendStatus::NoDevice, nullptr, error};
  auto fail = [&](std::string message) { return BackendResult{BackendStatus::NoDevice, nullptr, std::move(message)}; };
  if (Result result = driver->init(0))
    return fail(driver->describe("cuInit", result));
  int count = 0;
  if (Result result = driver->deviceGetCount(&count))
    return fail(driver->describe("cuDeviceGetCount", result));
  if (options.device < 0 || options.device >= count)
    return fail("there is no CUDA device " + std::to_string(options.device) + "; " +
                (count == 0 ? "none was found" : std::to_string(count) + " found, counted from 0"));
  Device device = 0;
  if (Result result = driver->deviceGet(&device, options.device))
    return fail(driver->describe("cuDeviceGet", result));
  auto backend = std::make_unique<CudaBackend>(std::move(driver), device);
  BackendResult result = backend->initialize();
  if (result.status == BackendStatus::Ok)
    result.backend = std::move(backend);
  return result;
}

bool CudaBackend::getAttribute(DeviceAttribute attribute, DeviceInfoKind kind, std::string *error) {
  int value = 0;
  if (!check(driver->deviceGetAttribute(&value, attribute, device), "cuDeviceGetAttribute", error))
    return false;
  info[static_cast<size_t>(kind)] = value;
  return true;
}

BackendResult CudaBackend::initialize() {
  BackendResult result;
  result.status = BackendStatus::NoDevice;
  int major = 0, minor = 0;
  char text[256] = "";
  bool isOk = check(driver->deviceGetName(text, sizeof(text) - 1, device), "cuDeviceGetName", &result.error) &&
              check(driver->deviceGetAttribute(&major, kComputeCapabilityMajor, device), "cuDeviceGetAttribute",
                    &result.error) &&
              check(driver->deviceGetAttribute(&minor, kComputeCapabilityMinor, device), "cuDeviceGetAttribute",
                    &result.error) &&
              getAttribute(kMultiprocessorCount, DeviceInfoKind::SmCount, &result.error) &&
              getAttribute(kMaxSharedBytesPerBlockOptin, DeviceInfoKind::MaxSharedBytesPerCta, &result.error) &&
              getAttribute(kMaxThreadsPerBlock, DeviceInfoKind::MaxThreadsPerCta, &result.error) &&
              getAttribute(kL2CacheSize, DeviceInfoKind::L2Bytes, &result.error) &&
              check(driver->primaryCtxRetain(&context, device), "cuDevicePrimaryCtxRetain", &result.error);
  if (!isOk)
    return result;
  info[static_cast<size_t>(DeviceInfoKind::ComputeCapability)] = 10 * major + minor;
  deviceName = text;
  result.status = BackendStatus::Ok;
  return result;
}

CudaBackend::~CudaBackend() {
  if (!context)
    return;
  if (enter(nullptr))
    for (const auto &[key, module] : modules)
      driver->moduleUnload(module);
  driver->primaryCtxRelease(device);
}

std::string CudaBackend::describeDevice() const {
  return deviceName + " (sm_" + std::to_string(info[static_cast<size_t>(DeviceInfoKind::ComputeCapability)]) + ")";
}

bool CudaBackend::allocate(uint64_t bytes, const std::string &label, uint64_t *address, std::string *error) {
  DevicePtr pointer = 0;
  if (!enter(error) ||
      !check(driver->memAlloc(&pointer, bytes), "cuMemAlloc", error,
             std::to_string(bytes) + " bytes were asked for" + (label.empty() ? "" : " for '" + label + "'")))
    return false;
  *address = pointer; // The driver aligns to 256 bytes.
  return true;
}

void CudaBackend::release(uint64_t address) {
  if (enter(nullptr))
    driver->memFree(address);
}

bool CudaBackend::upload(uint64_t address, const void *source, uint64_t bytes, std::string *error) {
  return enter(error) && check(driver->memcpyHtoD(address, source, bytes), "cuMemcpyHtoD", error);
}

bool CudaBackend::download(void *target, uint64_t address, uint64_t bytes, std::string *error) {
  return enter(error) && check(driver->memcpyDtoH(target, address, bytes), "cuMemcpyDtoH", error);
}

bool CudaBackend::fill(uint64_t address, uint8_t byte, uint64_t bytes, std::string *error) {
  return enter(error) && check(driver->memsetD8(address, byte, bytes), "cuMemsetD8", error);
}

//===----------------------------------------------------------------------===//
// Code
//===----------------------------------------------------------------------===//

bool CudaBackend::load(const Bundle &bundle, std::string *error) {
  std::lock_guard<std::mutex> lock(mutex);
  if (std::find(bundles.begin(), bundles.end(), &bundle) == bundles.end())
    bundles.push_back(&bundle);
  return true;
}

void CudaBackend::unload(const Bundle &bundle) {
  std::lock_guard<std::mutex> lock(mutex);
  bundles.erase(std::remove(bundles.begin(), bundles.end(), &bundle), bundles.end());
  for (const PlanKernel &kernel : bundle.plan.kernels)
    for (const PlanVariant &variant : kernel.variants)
      variants.erase(&variant);
  bool isCurrent = enter(nullptr);
  for (auto it = modules.begin(); it != modules.end();) {
    if (it->first.first != &bundle) {
      ++it;
      continue;
    }
    if (isCurrent)
      driver->moduleUnload(it->second);
    it = modules.erase(it);
  }
}

const Bundle *CudaBackend::findBundle(const PlanVariant &variant) const {
  for (const Bundle *bundle : bundles)
    for (const PlanKernel &kernel : bundle->plan.kernels)
      if (!kernel.variants.empty() && &variant >= &kernel.variants.front() && &variant <= &kernel.variants.back())
        return bundle;
  return nullptr;
}

Module CudaBackend::loadModule(const Bundle &bundle, const std::string &name, std::string *error) {
  auto known = modules.find({&bundle, name});
  if (known != modules.end())
    return known->second;
  auto fail = [&](std::string message) -> Module {
    if (error)
      *error = std::move(message);
    return nullptr;
  };
  int64_t capability = info[static_cast<size_t>(DeviceInfoKind::ComputeCapability)];
  const std::string &target = bundle.plan.target;
  const BundleSection *cubin = bundle.find(SectionKind::Cubin, name), *ptx = bundle.find(SectionKind::Ptx, name);
  if (!cubin && !ptx)
    return fail("the bundle has neither PTX nor machine code of module '" + name + "'");
  if (cubin && !isTargetCompatible(target, capability, /*isMachineCode=*/true))
    cubin = nullptr;
  if (!cubin && !(ptx && isTargetCompatible(target, capability, /*isMachineCode=*/false)))
    return fail("the bundle was compiled for " + target + ", which does not run on " + describeDevice() +
                "; compile it with --target for this device");
  // std::string ends in a zero, which the driver wants after PTX.
  const BundleSection *image = cubin ? cubin : ptx;
  char log[4096] = "";
  int options[] = {kJitErrorLogBuffer, kJitErrorLogBufferBytes};
  void *values[] = {log, reinterpret_cast<void *>(static_cast<uintptr_t>(sizeof(log) - 1))};
  Module module = nullptr;
  if (Result result = driver->moduleLoadDataEx(&module, image->data.c_str(), 2, options, values)) {
    std::string hint = "module '" + name + "' was given as " + std::string(sectionKindName(image->kind)) + " for " +
                       target + (cubin ? "" : "; a driver that is older than the compiler's PTX version refuses it");
    if (log[0])
      hint += "; the driver says: " + std::string(log);
    return fail(driver->describe("cuModuleLoadDataEx", result, hint));
  }
  modules[{&bundle, name}] = module;
  return module;
}

LoadedVariant *CudaBackend::loadVariant(const PlanKernel &kernel, const PlanVariant &variant, std::string *error) {
  std::lock_guard<std::mutex> lock(mutex);
  if (auto it = variants.find(&variant); it != variants.end())
    return it->second.get();
  auto fail = [&](std::string message) -> LoadedVariant * {
    if (error)
      *error = "kernel '" + kernel.name + "': " + message;
    return nullptr;
  };
  const Bundle *bundle = findBundle(variant);
  if (!bundle)
    return fail("its bundle is not loaded");
  int64_t sharedLimit = info[static_cast<size_t>(DeviceInfoKind::MaxSharedBytesPerCta)];
  int64_t sharedBytes = int64_t(variant.dynamicSharedBytes) + variant.staticSharedBytes;
  if (sharedBytes > sharedLimit)
    return fail("it needs " + std::to_string(sharedBytes) + " bytes of shared memory, " + describeDevice() + " has " +
                std::to_string(sharedLimit));
  std::string message;
  if (!enter(&message))
    return fail(message);
  Module module = loadModule(*bundle, variant.module, &message);
  if (!module)
    return fail(message);
  auto loaded = std::make_unique<LoadedVariant>();
  if (!check(driver->moduleGetFunction(&loaded->function, module, variant.symbol.c_str()), "cuModuleGetFunction",
             &message, "module '" + variant.module + "' should define '" + variant.symbol + "'"))
    return fail(message);
  // Up to 48 KiB need no permission.
  if (variant.dynamicSharedBytes > 48 * 1024 &&
      !check(driver->funcSetAttribute(loaded->function, kFunctionMaxDynamicSharedBytes,
                                      static_cast<int>(variant.dynamicSharedBytes)),
             "cuFuncSetAttribute", &message, std::to_string(variant.dynamicSharedBytes) + " bytes of shared memory"))
    return fail(message);
  uint32_t numCtas = variant.cluster[0] * variant.cluster[1] * variant.cluster[2];
  if (numCtas > 1 && !driver->launchKernelEx)
    return fail("clusters need a driver of CUDA 11.8 or later");
  if (numCtas > 8 && !check(driver->funcSetAttribute(loaded->function, kFunctionNonPortableClusterSize, 1),
                            "cuFuncSetAttribute", &message, "a cluster of " + std::to_string(numCtas) + " CTAs"))
    return fail(message);
  loaded->variant = &variant;
  loaded->numThreads = variant.numThreads;
  loaded->sharedBytes = variant.dynamicSharedBytes;
  loaded->numSlots = static_cast<unsigned>(variant.launchArgs.size());
  loaded->hasCluster = numCtas > 1;
  loaded->cluster.id = LaunchAttribute::kClusterDimension;
  std::copy(variant.cluster.begin(), variant.cluster.end(), loaded->cluster.cluster);
  return (variants[&variant] = std::move(loaded)).get();
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

bool CudaBackend::ctasPerSm(const PlanKernel &kernel, const PlanVariant &variant, int64_t *count, std::string *error) {
  LoadedVariant *loaded = loadVariant(kernel, variant, error);
  int ctas = 0;
  if (!loaded || !enter(error) ||
      !check(driver->occupancyMaxActiveBlocks(&ctas, loaded->function, static_cast<int>(loaded->numThreads),
                                              loaded->sharedBytes),
             "cuOccupancyMaxActiveBlocksPerMultiprocessor", error, "'" + variant.symbol + "'"))
    return false;
  *count = ctas;
  return true;
}

void *CudaBackend::prepare(const PlanKernel &kernel, const PlanVariant &variant, std::string *error) {
  return loadVariant(kernel, variant, error);
}

bool CudaBackend::launchPrepared(void *prepared, const uint64_t *slots, const uint64_t grid[3], void *stream,
                                 std::string *error) {
  LoadedVariant *loaded = static_cast<LoadedVariant *>(prepared);
  if (!enter(error))
    return false;
  void *params[PlanLimits::kLaunchArgs];
  for (unsigned i = 0; i < loaded->numSlots; ++i)
    params[i] = const_cast<uint64_t *>(slots + i);
  unsigned x = static_cast<unsigned>(grid[0]), y = static_cast<unsigned>(grid[1]), z = static_cast<unsigned>(grid[2]);
  Result result = 0;
  if (driver->launchKernelEx) {
    LaunchConfig config;
    config.grid[0] = x;
    config.grid[1] = y;
    config.grid[2] = z;
    config.block[0] = loaded->numThreads;
    config.block[1] = config.block[2] = 1;
    config.sharedBytes = loaded->sharedBytes;
    config.stream = static_cast<Stream>(stream);
    config.attributes = loaded->hasCluster ? &loaded->cluster : nullptr;
    config.numAttributes = loaded->hasCluster;
    result = driver->launchKernelEx(&config, loaded->function, params, nullptr);
  } else {
    result = driver->launchKernel(loaded->function, x, y, z, loaded->numThreads, 1, 1, loaded->sharedBytes,
                                  static_cast<Stream>(stream), params, nullptr);
  }
  if (result == 0)
    return true;
  if (error)
    *error =
        driver->describe("cuLaunchKernelEx", result,
                         "'" + loaded->variant->symbol + "' with grid " + std::to_string(x) + "x" + std::to_string(y) +
                             "x" + std::to_string(z) + ", " + std::to_string(loaded->numThreads) + " threads and " +
                             std::to_string(loaded->sharedBytes) + " bytes of dynamic shared memory");
  return false;
}

bool CudaBackend::synchronize(std::string *error) {
  return enter(error) && check(driver->ctxSynchronize(), "cuCtxSynchronize", error,
                               "a kernel that was launched before failed; compute-sanitizer finds out where");
}

bool CudaBackend::launch(const PlanKernel &kernel, const PlanVariant &variant, const uint64_t *slots,
                         const uint64_t grid[3], std::string *error) {
  void *loaded = prepare(kernel, variant, error);
  return loaded && launchPrepared(loaded, slots, grid, /*stream=*/nullptr, error) &&
         check(driver->ctxSynchronize(), "cuCtxSynchronize", error,
               "kernel '" + variant.symbol + "' did not finish; compute-sanitizer finds out where");
}

bool CudaBackend::measure(const PlanKernel &kernel, const PlanVariant &variant, const uint64_t *slots,
                          const uint64_t grid[3], unsigned warmups, unsigned repeats, std::vector<double> *seconds,
                          std::string *error) {
  void *loaded = prepare(kernel, variant, error);
  if (!loaded)
    return false;
  std::vector<Event> events(2 * repeats);
  bool isOk = true;
  for (Event &event : events)
    isOk = isOk && check(driver->eventCreate(&event, 0), "cuEventCreate", error);
  for (unsigned i = 0; isOk && i < warmups; ++i)
    isOk = launchPrepared(loaded, slots, grid, nullptr, error);
  for (unsigned i = 0; isOk && i < repeats; ++i)
    isOk = check(driver->eventRecord(events[2 * i], nullptr), "cuEventRecord", error) &&
           launchPrepared(loaded, slots, grid, nullptr, error) &&
           check(driver->eventRecord(events[2 * i + 1], nullptr), "cuEventRecord", error);
  isOk = isOk && synchronize(error);
  seconds->clear();
  for (unsigned i = 0; isOk && i < repeats; ++i) {
    float milliseconds = 0;
    isOk =
        check(driver->eventElapsedTime(&milliseconds, events[2 * i], events[2 * i + 1]), "cuEventElapsedTime", error);
    seconds->push_back(milliseconds * 1e-3);
  }
  for (Event event : events)
    if (event)
      driver->eventDestroy(event);
  return isOk;
}
