// SPDX-License-Identifier: Apache-2.0
#include "tilewright/Runtime/CudaDriver.h"

#include <dlfcn.h>

using namespace tilewright;
using namespace tilewright::cuda;

std::unique_ptr<Driver> Driver::load(const std::string &library, std::string *error) {
  auto fail = [&](const std::string &message) {
    if (error)
      *error = message;
    return nullptr;
  };
  void *handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    return fail("the CUDA driver cannot be loaded: " + std::string(dlerror()));
  auto driver = std::make_unique<Driver>();
  const char *missing = nullptr;
  auto find = [&](auto &function, const char *name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(handle, name));
    if (!function && !missing)
      missing = name;
  };
  find(driver->init, "cuInit");
  find(driver->driverGetVersion, "cuDriverGetVersion");
  find(driver->deviceGetCount, "cuDeviceGetCount");
  find(driver->deviceGet, "cuDeviceGet");
  find(driver->deviceGetName, "cuDeviceGetName");
  find(driver->deviceGetAttribute, "cuDeviceGetAttribute");
  find(driver->primaryCtxRetain, "cuDevicePrimaryCtxRetain");
  find(driver->primaryCtxRelease, "cuDevicePrimaryCtxRelease_v2");
  find(driver->ctxGetCurrent, "cuCtxGetCurrent");
  find(driver->ctxSetCurrent, "cuCtxSetCurrent");
  find(driver->ctxSynchronize, "cuCtxSynchronize");
  find(driver->moduleLoadDataEx, "cuModuleLoadDataEx");
  find(driver->moduleUnload, "cuModuleUnload");
  find(driver->moduleGetFunction, "cuModuleGetFunction");
  find(driver->funcSetAttribute, "cuFuncSetAttribute");
  find(driver->occupancyMaxActiveBlocks, "cuOccupancyMaxActiveBlocksPerMultiprocessor");
  find(driver->memAlloc, "cuMemAlloc_v2");
  find(driver->memFree, "cuMemFree_v2");
  find(driver->memcpyHtoD, "cuMemcpyHtoD_v2");
  find(driver->memcpyDtoH, "cuMemcpyDtoH_v2");
  find(driver->memsetD8, "cuMemsetD8_v2");
  find(driver->launchKernel, "cuLaunchKernel");
  find(driver->eventCreate, "cuEventCreate");
  find(driver->eventDestroy, "cuEventDestroy_v2");
  find(driver->eventRecord, "cuEventRecord");
  find(driver->eventSynchronize, "cuEventSynchronize");
  find(driver->eventElapsedTime, "cuEventElapsedTime");
  find(driver->getErrorName, "cuGetErrorName");
  find(driver->getErrorString, "cuGetErrorString");
  if (missing)
    return fail("the CUDA driver " + library + " has no function " + missing + "; install a newer driver");
  find(driver->launchKernelEx, "cuLaunchKernelEx");
  return driver;
}

std::string Driver::describe(const char *call, Result result, const std::string &hint) const {
  const char *name = nullptr, *text = nullptr;
  std::string message = std::string(call) + " failed: ";
  if (getErrorName(result, &name) == 0 && name)
    message += name;
  else
    message += "error " + std::to_string(result);
  if (getErrorString(result, &text) == 0 && text)
    message += " (" + std::string(text) + ")";
  if (!hint.empty())
    message += "; " + hint;
  return message;
}
