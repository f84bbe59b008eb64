// SPDX-License-Identifier: Apache-2.0
// A libcuda.so.1 for tests: one device whose memory is the host's, whose modules are checked by their first bytes and
// whose kernels are functions of this file. Environment variables make it fail: FAKE_CUDA_FAIL=CALL:RESULT lets
// one call fail, FAKE_CUDA_DEVICES=N sets the number of devices.
#include "FakeCuda.h"
#include "tilewright/Runtime/CudaDriver.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>

using namespace tilewright::cuda;

#define EXPORTED extern "C" __attribute__((visibility("default")))

static std::mutex mutex;
static std::map<uintptr_t, size_t> allocations;
static FakeCudaState state;
static thread_local Context current = nullptr;

EXPORTED FakeCudaState *fakeCudaState() {
  state.numAllocations = allocations.size();
  return &state;
}

/// The result that the environment asks of a call; 0 if it asks nothing.
static Result getFailure(const char *call) {
  const char *text = std::getenv("FAKE_CUDA_FAIL");
  size_t size = std::strlen(call);
  return text && std::strncmp(text, call, size) == 0 && text[size] == ':' ? std::atoi(text + size + 1) : 0;
}
#define FAIL_IF_ASKED(call)                                                                                            \
  if (Result failure = getFailure(call))                                                                               \
  return failure

/// Every call that works in a context needs one.
#define NEED_CONTEXT(call)                                                                                             \
  FAIL_IF_ASKED(call);                                                                                                 \
  if (!current)                                                                                                        \
  return 201

static bool isMapped(uintptr_t address, size_t bytes) {
  std::lock_guard<std::mutex> lock(mutex);
  auto it = allocations.upper_bound(address);
  if (it == allocations.begin())
    return false;
  --it;
  return address + bytes <= it->first + it->second;
}

EXPORTED Result cuInit(unsigned) {
  FAIL_IF_ASKED("cuInit");
  return 0;
}
EXPORTED Result cuDriverGetVersion(int *version) {
  *version = 13000;
  return 0;
}
EXPORTED Result cuDeviceGetCount(int *count) {
  const char *text = std::getenv("FAKE_CUDA_DEVICES");
  *count = text ? std::atoi(text) : 1;
  return 0;
}
EXPORTED Result cuDeviceGet(Device *device, int ordinal) {
  *device = ordinal;
  return 0;
}
EXPORTED Result cuDeviceGetName(char *name, int size, Device) {
  std::snprintf(name, size, "Fake GPU");
  return 0;
}
EXPORTED Result cuDeviceGetAttribute(int *value, int attribute, Device) {
  static const std::map<int, int> kValues = {{kMaxThreadsPerBlock, 1024},  {kMultiprocessorCount, 4},
                                             {kL2CacheSize, 1 << 20},      {kComputeCapabilityMajor, 9},
                                             {kComputeCapabilityMinor, 0}, {kMaxSharedBytesPerBlockOptin, 232448}};
  auto it = kValues.find(attribute);
  if (it == kValues.end())
    return 1;
  *value = it->second;
  return 0;
}
EXPORTED Result cuDevicePrimaryCtxRetain(Context *context, Device) {
  FAIL_IF_ASKED("cuDevicePrimaryCtxRetain");
  *context = reinterpret_cast<Context>(&state);
  ++state.numContexts;
  return 0;
}
EXPORTED Result cuDevicePrimaryCtxRelease_v2(Device) {
  --state.numContexts;
  return 0;
}
EXPORTED Result cuCtxGetCurrent(Context *context) {
  *context = current;
  return 0;
}
EXPORTED Result cuCtxSetCurrent(Context context) {
  current = context;
  return 0;
}
EXPORTED Result cuCtxSynchronize() {
  NEED_CONTEXT("cuCtxSynchronize");
  return 0;
}
EXPORTED Result cuModuleLoadDataEx(Module *module, const void *image, unsigned count, int *options, void **values) {
  NEED_CONTEXT("cuModuleLoadDataEx");
  const char *text = static_cast<const char *>(image);
  bool isPtx = std::strncmp(text, ".version", 8) == 0, isElf = std::memcmp(text,
                                                                           "\x7f"
                                                                           "ELF",
                                                                           4) == 0;
  if (!isPtx && !isElf) {
    for (unsigned i = 0; i < count; ++i)
      if (options[i] == kJitErrorLogBuffer)
        std::strcpy(static_cast<char *>(values[i]), "line 1: syntax error");
    return 218;
  }
  ++state.numModules;
  state.wasLastModuleCubin = isElf;
  *module = reinterpret_cast<Module>(&state);
  return 0;
}
EXPORTED Result cuModuleUnload(Module) {
  --state.numModules;
  return 0;
}
EXPORTED Result cuModuleGetFunction(Function *function, Module, const char *name) {
  NEED_CONTEXT("cuModuleGetFunction");
  for (const char *known : {"add", "add_unit"})
    if (std::strcmp(name, known) == 0) {
      *function = reinterpret_cast<Function>(const_cast<char *>(known));
      return 0;
    }
  return 500;
}
EXPORTED Result cuFuncSetAttribute(Function, int attribute, int value) {
  NEED_CONTEXT("cuFuncSetAttribute");
  if (attribute == kFunctionMaxDynamicSharedBytes)
    state.maxDynamicSharedBytes = value;
  if (attribute == kFunctionNonPortableClusterSize)
    state.allowsLargeClusters = value;
  return 0;
}
EXPORTED Result cuOccupancyMaxActiveBlocksPerMultiprocessor(int *count, Function function, int threads, size_t bytes) {
  NEED_CONTEXT("cuOccupancyMaxActiveBlocksPerMultiprocessor");
  ++state.numResidencyQueries;
  state.residentSymbol = reinterpret_cast<const char *>(function);
  state.residentThreads = threads;
  state.residentSharedBytes = bytes;
  *count = state.ctasPerSm;
  return 0;
}
EXPORTED Result cuMemAlloc_v2(DevicePtr *address, size_t bytes) {
  NEED_CONTEXT("cuMemAlloc_v2");
  if (bytes == 0)
    return 1;
  void *memory = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
  if (!memory)
    return 2;
  std::memset(memory, 0xcd, bytes); // What was never copied shows.
  std::lock_guard<std::mutex> lock(mutex);
  allocations[reinterpret_cast<uintptr_t>(memory)] = bytes;
  *address = reinterpret_cast<uintptr_t>(memory);
  return 0;
}
EXPORTED Result cuMemFree_v2(DevicePtr address) {
  std::lock_guard<std::mutex> lock(mutex);
  if (!allocations.erase(address))
    return 1;
  std::free(reinterpret_cast<void *>(address));
  return 0;
}
EXPORTED Result cuMemcpyHtoD_v2(DevicePtr target, const void *source, size_t bytes) {
  NEED_CONTEXT("cuMemcpyHtoD_v2");
  if (!isMapped(target, bytes))
    return 1;
  std::memcpy(reinterpret_cast<void *>(target), source, bytes);
  return 0;
}
EXPORTED Result cuMemcpyDtoH_v2(void *target, DevicePtr source, size_t bytes) {
  NEED_CONTEXT("cuMemcpyDtoH_v2");
  if (!isMapped(source, bytes))
    return 1;
  ++state.numDownloads;
  std::memcpy(target, reinterpret_cast<const void *>(source), bytes);
  return 0;
}
EXPORTED Result cuMemsetD8_v2(DevicePtr target, unsigned char value, size_t bytes) {
  NEED_CONTEXT("cuMemsetD8_v2");
  if (!isMapped(target, bytes))
    return 1;
  std::memset(reinterpret_cast<void *>(target), value, bytes);
  return 0;
}

/// add(a, b, c: base, then size and stride of each): c[i] = a[i] + b[i]. add_unit lacks the strides.
static Result runAdd(bool isUnit, void **params) {
  auto slot = [&](int i) { return *static_cast<int64_t *>(params[i]); };
  int step = isUnit ? 2 : 3;
  auto element = [&](int array, int64_t i) {
    int64_t stride = isUnit ? 1 : slot(array * step + 2);
    return reinterpret_cast<float *>(slot(array * step)) + i * stride;
  };
  for (int64_t i = 0; i < slot(2 * step + 1); ++i) {
    for (int array = 0; array < 3; ++array)
      if (!isMapped(reinterpret_cast<uintptr_t>(element(array, i)), 4))
        return 700;
    *element(2, i) = *element(0, i) + *element(1, i);
  }
  return 0;
}

EXPORTED Result cuLaunchKernelEx(const LaunchConfig *config, Function function, void **params, void **) {
  NEED_CONTEXT("cuLaunchKernelEx");
  ++state.numLaunches;
  std::memcpy(state.grid, config->grid, sizeof(state.grid));
  state.numThreads = config->block[0];
  state.sharedBytes = config->sharedBytes;
  state.stream = config->stream;
  state.clusterX = config->numAttributes ? config->attributes->cluster[0] : 0;
  const char *name = reinterpret_cast<const char *>(function);
  std::snprintf(state.symbol, sizeof(state.symbol), "%s", name);
  return state.skipsKernels ? 0 : runAdd(std::strcmp(name, "add_unit") == 0, params);
}
EXPORTED Result cuLaunchKernel(Function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, Stream,
                               void **, void **) {
  return 801;
}
EXPORTED Result cuEventCreate(Event *event, unsigned) {
  NEED_CONTEXT("cuEventCreate");
  *event = reinterpret_cast<Event>(new float(0));
  ++state.numEvents;
  return 0;
}
EXPORTED Result cuEventDestroy_v2(Event event) {
  delete reinterpret_cast<float *>(event);
  --state.numEvents;
  return 0;
}
EXPORTED Result cuEventRecord(Event event, Stream) {
  *reinterpret_cast<float *>(event) = static_cast<float>(state.numLaunches) * 0.25f;
  return 0;
}
EXPORTED Result cuEventSynchronize(Event) { return 0; }
EXPORTED Result cuEventElapsedTime(float *milliseconds, Event start, Event end) {
  *milliseconds = *reinterpret_cast<float *>(end) - *reinterpret_cast<float *>(start);
  return 0;
}
EXPORTED Result cuGetErrorName(Result result, const char **name) {
  static const std::map<int, const char *> kNames = {
      {1, "CUDA_ERROR_INVALID_VALUE"}, {2, "CUDA_ERROR_OUT_OF_MEMORY"}, {201, "CUDA_ERROR_INVALID_CONTEXT"},
      {218, "CUDA_ERROR_INVALID_PTX"}, {500, "CUDA_ERROR_NOT_FOUND"},   {700, "CUDA_ERROR_ILLEGAL_ADDRESS"},
      {999, "CUDA_ERROR_UNKNOWN"}};
  auto it = kNames.find(result);
  if (it == kNames.end())
    return 1;
  *name = it->second;
  return 0;
}
EXPORTED Result cuGetErrorString(Result result, const char **text) {
  if (result != 700)
    return 1;
  *text = "an illegal memory access was encountered";
  return 0;
}
