/* SPDX-License-Identifier: Apache-2.0 */
/**
 * \file
 * The runtime's C interface: opens bundles, checks arguments and launches kernels, on a GPU through the CUDA driver
 * (backend "cuda") or on the CPU (backend "emulator", where the program contains it). Plain C, and apart from
 * Compiler.h because it needs no compiler: libTilewrightRuntime.so is this header alone, for machines without LLVM.
 *
 *     TwError *error = NULL;
 *     TwBundle *bundle = twBundleOpenFile("matmul.bundle", &error);
 *     TwBackend *backend = twBackendCreate("cuda", 0, 0, &error);
 *     TwKernel *kernel = twKernelLookup(backend, bundle, "matmul", &error);
 *     TwArg args[3] = {...};
 *     if (twLaunch(kernel, args, 3, &error) != TW_OK) { puts(twErrorMessage(error)); twErrorDestroy(error); }
 *
 * A function that may fail returns NULL or a status other than TW_OK, and if `error` is not NULL it stores a new
 * error in `*error`, which the caller destroys; on success `*error` is left alone. Each Create, Open and Lookup has
 * a Destroy that accepts NULL, and handles may be destroyed in any order: a kernel keeps its bundle and backend alive.
 * Text that is returned lives as long as the handle that it was asked of. Calls are safe from any thread; those that
 * use one backend take turns, except twLaunchPrepared, which runs freely.
 */
#ifndef TILEWRIGHT_C_RUNTIME_H
#define TILEWRIGHT_C_RUNTIME_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifndef TW_EXPORTED
#define TW_EXPORTED __attribute__((visibility("default")))
#endif

/** How a call ended; the tools' exit statuses are the same numbers. */
typedef enum TwStatus {
  TW_OK = 0,
  /** Something ran and its result is wrong; no function of this header returns it. */
  TW_CHECK_FAILED = 1,
  /** The arguments, the bundle, the launch itself: the message says which. */
  TW_BAD_INPUT = 2,
  /** No such device, or no driver. */
  TW_NO_DEVICE = 3
} TwStatus;

/** The version of this library, e.g. "0.1.0". */
TW_EXPORTED const char *twVersion(void);

typedef struct TwError TwError;
/** One sentence that names what was expected and what was found. Never NULL. */
TW_EXPORTED const char *twErrorMessage(const TwError *error);
TW_EXPORTED TwStatus twErrorStatus(const TwError *error);
TW_EXPORTED void twErrorDestroy(TwError *error);

/** Element types. An array of i4 or f4E2M1FN (two elements per byte) can be passed for a pointer only. */
typedef enum TwDtype {
  TW_I1 = 0,
  TW_I4 = 1,
  TW_I8 = 2,
  TW_I16 = 3,
  TW_I32 = 4,
  TW_I64 = 5,
  TW_INDEX = 6,
  TW_F16 = 7,
  TW_BF16 = 8,
  TW_TF32 = 9,
  TW_F32 = 10,
  TW_F64 = 11,
  TW_F8E4M3FN = 12,
  TW_F8E5M2 = 13,
  TW_F8E8M0FNU = 14,
  TW_F6E2M3FN = 15,
  TW_F6E3M2FN = 16,
  TW_F4E2M1FN = 17
} TwDtype;

/** The type's name in MLIR, e.g. "f8E4M3FN"; NULL for a number that is no type. */
TW_EXPORTED const char *twDtypeName(int dtype);
/** Bytes per element in memory; 0 for the two packed types and for numbers that are no type. */
TW_EXPORTED size_t twDtypeBytes(int dtype);

/* ---- Bundles ---- */

typedef struct TwBundle TwBundle;
/** Reads a bundle from memory, which may be released afterwards. */
TW_EXPORTED TwBundle *twBundleOpen(const void *data, size_t size, TwError **error);
TW_EXPORTED TwBundle *twBundleOpenFile(const char *path, TwError **error);
TW_EXPORTED void twBundleDestroy(TwBundle *bundle);
/** What the bundle was compiled for, e.g. "sm_90a". */
TW_EXPORTED const char *twBundleTarget(const TwBundle *bundle);
TW_EXPORTED size_t twBundleKernelCount(const TwBundle *bundle);
/** NULL if there is no kernel of that number. */
TW_EXPORTED const char *twBundleKernelName(const TwBundle *bundle, size_t index);
/** The launch plan as JSON. */
TW_EXPORTED const char *twBundlePlan(const TwBundle *bundle);

/* ---- Parameters ---- */

typedef enum TwParamKind { TW_PARAM_VIEW = 0, TW_PARAM_POINTER = 1, TW_PARAM_SCALAR = 2 } TwParamKind;

/** Stands for a size or stride that the caller decides. */
#define TW_DYNAMIC INT64_MIN

/** What a kernel says about one of its parameters. */
typedef struct TwParamInfo {
  /** Empty if the parameter is known by its position only. Never NULL. */
  const char *name;
  TwParamKind kind;
  TwDtype dtype;
  /** Views: `rank` sizes and strides (in elements), TW_DYNAMIC where the caller decides. */
  size_t rank;
  const int64_t *sizes, *strides;
  /** What divides the address in bytes, or the value of a scalar. */
  int64_t divBy;
  /** Whether the kernel may read, and may write, the memory. */
  int isRead, isWritten;
} TwParamInfo;

/** The number of parameters of a kernel, and one of them; the latter gives TW_BAD_INPUT if there is no such. */
TW_EXPORTED size_t twBundleParamCount(const TwBundle *bundle, size_t kernelIndex);
TW_EXPORTED TwStatus twBundleParam(const TwBundle *bundle, size_t kernelIndex, size_t index, TwParamInfo *info);

/* ---- Backends ---- */

typedef struct TwBackend TwBackend;
/** Makes a backend: "cuda" or "emulator". `device` says which GPU; `seed` orders the emulator's schedule. */
TW_EXPORTED TwBackend *twBackendCreate(const char *name, int device, uint64_t seed, TwError **error);
/** The emulator as if it had `smCount` SMs with room for one CTA each, which is what loops over the grid are shared by; 0 stands
    for its own number, that of an H100, with as many CTAs as threads and shared memory allow. */
TW_EXPORTED TwBackend *twEmulatorCreate(uint64_t seed, int smCount, TwError **error);
TW_EXPORTED void twBackendDestroy(TwBackend *backend);
TW_EXPORTED const char *twBackendName(const TwBackend *backend);
/** The device in words, e.g. "NVIDIA H200 (sm_90)". */
TW_EXPORTED const char *twBackendDescription(const TwBackend *backend);

/** Device memory, aligned to 256 bytes, for TW_ARG_DEVICE arguments. 0 on failure. `bytes` may be 0. */
TW_EXPORTED uint64_t twDeviceAllocate(TwBackend *backend, size_t bytes, TwError **error);
TW_EXPORTED void twDeviceRelease(TwBackend *backend, uint64_t address);
TW_EXPORTED TwStatus twDeviceUpload(TwBackend *backend, uint64_t address, const void *source, size_t bytes,
                                    TwError **error);
TW_EXPORTED TwStatus twDeviceDownload(TwBackend *backend, void *target, uint64_t address, size_t bytes,
                                      TwError **error);
/** Waits for everything launched so far and reports what failed since. */
TW_EXPORTED TwStatus twSynchronize(TwBackend *backend, TwError **error);

/* ---- Kernels ---- */

typedef struct TwKernel TwKernel;
/** Finds a kernel or host function of a bundle and makes it ready to run on a backend: both have parameters and are launched
 * alike. `name` may be NULL if there is only one. */
TW_EXPORTED TwKernel *twKernelLookup(TwBackend *backend, TwBundle *bundle, const char *name, TwError **error);
TW_EXPORTED void twKernelDestroy(TwKernel *kernel);
TW_EXPORTED const char *twKernelName(const TwKernel *kernel);
TW_EXPORTED size_t twKernelParamCount(const TwKernel *kernel);
TW_EXPORTED TwStatus twKernelParam(const TwKernel *kernel, size_t index, TwParamInfo *info);

typedef enum TwArgKind {
  /** An array in host memory: copied to the device, and back if the kernel may write it. */
  TW_ARG_HOST = 0,
  /** An array (for a view) or plain memory (for a pointer, with rank 0) at a device address. */
  TW_ARG_DEVICE = 1,
  TW_ARG_SCALAR = 2
} TwArgKind;

/** One argument. Nothing in it is kept after the call. */
typedef struct TwArg {
  /** A TwArgKind; and a TwDtype: the element type, or the scalar's type. Integers, so that any value may be checked. */
  int32_t kind, dtype;
  /** TW_ARG_HOST: the address of element 0, which is not the lowest one if a stride is negative. */
  void *data;
  /** TW_ARG_DEVICE: the address of element 0. */
  uint64_t address;
  /** Arrays: `rank` sizes and strides. Strides are in elements, of any sign; 0 repeats. */
  size_t rank;
  const int64_t *shape, *strides;
  /** Scalars: `integer` if the type is one (it must fit the type, signed or unsigned), else `number`. */
  int64_t integer;
  double number;
} TwArg;

/**
 * Checks the arguments, launches, and waits for the end. Two host arrays that overlap in memory share one device
 * buffer. A grid without programs launches nothing, which is no error.
 */
TW_EXPORTED TwStatus twLaunch(TwKernel *kernel, const TwArg *args, size_t count, TwError **error);

/**
 * The cheap path: no host arrays, no waiting, nothing allocated. `stream` is a CUstream or NULL. The code of a variant
 * is loaded at its first launch unless twKernelPrepare did it before.
 */
TW_EXPORTED TwStatus twLaunchPrepared(TwKernel *kernel, const TwArg *args, size_t count, void *stream, TwError **error);
/** Loads the code of every variant now. */
TW_EXPORTED TwStatus twKernelPrepare(TwKernel *kernel, TwError **error);

/**
 * Times a launch on the device: `warmups` launches that are not counted, then `repeats` that are; their times go to
 * `seconds[0..repeats)`. Host arrays are copied to the device once, and not copied back.
 */
TW_EXPORTED TwStatus twBenchmark(TwKernel *kernel, const TwArg *args, size_t count, unsigned warmups, unsigned repeats,
                                 double *seconds, TwError **error);

/** The number of the variant that these arguments select and the grid that they give; launches nothing. */
TW_EXPORTED TwStatus twSelectVariant(TwKernel *kernel, const TwArg *args, size_t count, size_t *variant,
                                     uint64_t grid[3], TwError **error);

#ifdef __cplusplus
}
#endif

#endif /* TILEWRIGHT_C_RUNTIME_H */
