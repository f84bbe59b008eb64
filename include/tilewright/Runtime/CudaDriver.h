// SPDX-License-Identifier: Apache-2.0
/// \file
/// The few functions of the CUDA driver that the runtime needs, found in `libcuda.so.1` when the program runs, so that
/// neither building nor starting it needs CUDA. Types and numbers follow the driver's stable binary interface.
/// Source: CUDA driver API reference, and cuda.h of CUDA 12.
#ifndef TILEWRIGHT_RUNTIME_CUDADRIVER_H
#define TILEWRIGHT_RUNTIME_CUDADRIVER_H

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace tilewright::cuda {

/// CUresult; 0 is success.
using Result = int;
using Device = int;
using DevicePtr = unsigned long long;
using Context = struct CUctx_st *;
using Module = struct CUmod_st *;
using Function = struct CUfunc_st *;
using Stream = struct CUstream_st *;
using Event = struct CUevent_st *;

/// CUdevice_attribute.
enum DeviceAttribute : int {
  kMaxThreadsPerBlock = 1,
  kMultiprocessorCount = 16,
  kL2CacheSize = 38,
  kComputeCapabilityMajor = 75,
  kComputeCapabilityMinor = 76,
  kMaxSharedBytesPerBlockOptin = 97,
};

/// CUfunction_attribute.
enum FunctionAttribute : int {
  kFunctionMaxDynamicSharedBytes = 8,
  kFunctionNonPortableClusterSize = 14,
};

/// CUjit_option.
enum JitOption : int { kJitErrorLogBuffer = 5, kJitErrorLogBufferBytes = 6 };

/// CUlaunchAttribute: an id and a union of 64 bytes; the cluster's extents are its only use here.
struct LaunchAttribute {
  static constexpr int kClusterDimension = 4;
  int id;
  char padding[4];
  union {
    char bytes[64];
    unsigned cluster[3];
  };
};
static_assert(sizeof(LaunchAttribute) == 72);

/// CUlaunchConfig.
struct LaunchConfig {
  unsigned grid[3], block[3];
  unsigned sharedBytes;
  Stream stream;
  LaunchAttribute *attributes;
  unsigned numAttributes;
};
static_assert(sizeof(LaunchConfig) == 56);

/// The driver's entry points. `load` fills all of them but those that are said to be optional.
struct Driver {
  Result (*init)(unsigned flags);
  Result (*driverGetVersion)(int *version);
  Result (*deviceGetCount)(int *count);
  Result (*deviceGet)(Device *device, int ordinal);
  Result (*deviceGetName)(char *name, int size, Device device);
  Result (*deviceGetAttribute)(int *value, int attribute, Device device);
  Result (*primaryCtxRetain)(Context *context, Device device);
  Result (*primaryCtxRelease)(Device device);
  Result (*ctxGetCurrent)(Context *context);
  Result (*ctxSetCurrent)(Context context);
  Result (*ctxSynchronize)();
  Result (*moduleLoadDataEx)(Module *module, const void *image, unsigned count, int *options, void **values);
  Result (*moduleUnload)(Module module);
  Result (*moduleGetFunction)(Function *function, Module module, const char *name);
  Result (*funcSetAttribute)(Function function, int attribute, int value);
  Result (*occupancyMaxActiveBlocks)(int *count, Function function, int blockSize, size_t dynamicSharedBytes);
  Result (*memAlloc)(DevicePtr *address, size_t bytes);
  Result (*memFree)(DevicePtr address);
  Result (*memcpyHtoD)(DevicePtr target, const void *source, size_t bytes);
  Result (*memcpyDtoH)(void *target, DevicePtr source, size_t bytes);
  Result (*memsetD8)(DevicePtr target, unsigned char value, size_t bytes);
  Result (*launchKernel)(Function function, unsigned gridX, unsigned gridY, unsigned gridZ, unsigned blockX,
                         unsigned blockY, unsigned blockZ, unsigned sharedBytes, Stream stream, void **params,
                         void **extra);
  /// Optional: drivers before 11.8 lack it, and then clusters.
  Result (*launchKernelEx)(const LaunchConfig *config, Function function, void **params, void **extra);
  Result (*eventCreate)(Event *event, unsigned flags);
  Result (*eventDestroy)(Event event);
  Result (*eventRecord)(Event event, Stream stream);
  Result (*eventSynchronize)(Event event);
  Result (*eventElapsedTime)(float *milliseconds, Event start, Event end);
  Result (*getErrorName)(Result result, const char **name);
  Result (*getErrorString)(Result result, const char **text);

  /// Opens the driver. Null, with `error`, where it or one of its functions is missing. The library stays open.
  static std::unique_ptr<Driver> load(const std::string &library, std::string *error);

  /// "cuMemAlloc failed: CUDA_ERROR_OUT_OF_MEMORY (out of memory)", then "; HINT" if there is one.
  std::string describe(const char *call, Result result, const std::string &hint = "") const;
};

} // namespace tilewright::cuda

#endif // TILEWRIGHT_RUNTIME_CUDADRIVER_H
