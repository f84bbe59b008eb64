// SPDX-License-Identifier: Apache-2.0
/// \file
/// The backend that runs kernels on an NVIDIA GPU. It uses the device's primary context, so memory and streams of the
/// CUDA runtime (and of frameworks built on it) can be passed to kernels.
#ifndef TILEWRIGHT_RUNTIME_CUDABACKEND_H
#define TILEWRIGHT_RUNTIME_CUDABACKEND_H

#include "tilewright/Runtime/Backend.h"

namespace tilewright {

/// Makes the backend for `options.device`. NoDevice where there is no driver, no GPU or no GPU of that number.
BackendResult createCudaBackend(const BackendOptions &options, const std::string &library = "libcuda.so.1");

/// Whether code compiled for `target` (e.g. "sm_90a") runs on a device of compute capability `capability` (e.g. 90).
/// Machine code needs the same major and at least the same minor version; PTX at least the same version; a target
/// with the suffix "a" runs on exactly its own, one with "f" on its own major version from its minor on.
/// Source: CUDA C++ Programming Guide, binary and PTX compatibility, architecture- and family-specific features.
bool isTargetCompatible(const std::string &target, int64_t capability, bool isMachineCode);

} // namespace tilewright

#endif // TILEWRIGHT_RUNTIME_CUDABACKEND_H
