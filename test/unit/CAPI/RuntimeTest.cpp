// SPDX-License-Identifier: Apache-2.0
// The runtime's C interface over the fake CUDA driver.
#include "tilewright-c/Runtime.h"
#include "../Runtime/FakeCuda.h"
#include "../Support/PlanSamples.h"
#include "tilewright/Runtime/CudaBackend.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <thread>

using namespace tilewright;

extern "C" int runAddInC(const void *bundleBytes, size_t bundleSize, const char *backendName, char *message,
                         size_t messageSize);

namespace {
class RuntimeCApiTest : public testing::Test {
protected:
  RuntimeCApiTest() {
    registerBackendFactory("fake",
                           [](const BackendOptions &options) { return createCudaBackend(options, FAKE_CUDA_LIBRARY); });
    bytes = writeBundle(makeAddBundle(), nullptr).value();
    bundle = twBundleOpen(bytes.data(), bytes.size(), nullptr);
    backend = twBackendCreate("fake", 0, 0, nullptr);
    kernel = twKernelLookup(backend, bundle, nullptr, nullptr);
    float *data[] = {a, b, c};
    for (int i = 0; i < 3; ++i) {
      args[i] = TwArg();
      args[i].kind = TW_ARG_HOST;
      args[i].dtype = TW_F32;
      args[i].rank = 1;
      args[i].shape = &size;
      args[i].strides = &stride;
      args[i].data = data[i];
    }
  }
  ~RuntimeCApiTest() override {
    unsetenv("FAKE_CUDA_FAIL");
    twKernelDestroy(kernel);
    twBackendDestroy(backend);
    twBundleDestroy(bundle);
    EXPECT_EQ(getFakeCuda().numAllocations, 0u);
    EXPECT_EQ(getFakeCuda().numModules, 0);
    EXPECT_EQ(getFakeCuda().numContexts, 0);
  }

  /// The message of the error that `call(&error)` makes, and checks its status.
  template <typename Call> std::string errorOf(Call &&call, TwStatus status = TW_BAD_INPUT) {
    TwError *error = nullptr;
    call(&error);
    if (!error)
      return "no error";
    EXPECT_EQ(twErrorStatus(error), status);
    std::string message = twErrorMessage(error);
    twErrorDestroy(error);
    return message;
  }
  std::string launchError() {
    return errorOf([&](TwError **error) {
      TwStatus status = twLaunch(kernel, args, 3, error);
      EXPECT_EQ(status == TW_OK, *error == nullptr);
    });
  }

  std::string bytes;
  TwBundle *bundle = nullptr;
  TwBackend *backend = nullptr;
  TwKernel *kernel = nullptr;
  TwArg args[3];
  int64_t size = 4, stride = 1;
  float a[4] = {1, 2, 3, 4}, b[4] = {10, 20, 30, 40}, c[4] = {};
};
} // namespace

TEST_F(RuntimeCApiTest, LaunchesFromC) {
  char message[256];
  EXPECT_EQ(runAddInC(bytes.data(), bytes.size(), "fake", message, sizeof(message)), 0) << message;
  EXPECT_EQ(runAddInC(bytes.data(), 50, "fake", message, sizeof(message)), TW_BAD_INPUT);
  EXPECT_EQ(std::string(message).substr(0, 16), "truncated bundle");
  EXPECT_EQ(runAddInC(bytes.data(), bytes.size(), "tpu", message, sizeof(message)), TW_BAD_INPUT);
}

TEST_F(RuntimeCApiTest, DescribesTypesBundlesAndParameters) {
  EXPECT_STREQ(twDtypeName(TW_F8E4M3FN), "f8E4M3FN");
  EXPECT_EQ(twDtypeName(18), nullptr);
  EXPECT_EQ(twDtypeBytes(TW_BF16), 2u);
  EXPECT_EQ(twDtypeBytes(TW_I4), 0u);
  EXPECT_STREQ(twBundleTarget(bundle), "sm_90a");
  EXPECT_EQ(twBundleKernelCount(bundle), 1u);
  EXPECT_STREQ(twBundleKernelName(bundle, 0), "add");
  EXPECT_EQ(twBundleKernelName(bundle, 1), nullptr);
  EXPECT_EQ(twBundlePlan(bundle), printLaunchPlan(makeAddBundle().plan));
  EXPECT_STREQ(twBackendName(backend), "cuda");
  EXPECT_STREQ(twBackendDescription(backend), "Fake GPU (sm_90)");
  EXPECT_STREQ(twKernelName(kernel), "add");
  EXPECT_EQ(twKernelParamCount(kernel), 3u);

  std::string sample;
  Bundle other;
  other.plan = makeSamplePlan();
  sample = writeBundle(other, nullptr).value();
  TwBundle *opened = twBundleOpen(sample.data(), sample.size(), nullptr);
  ASSERT_TRUE(opened);
  EXPECT_EQ(twBundleParamCount(opened, 0), 3u);
  EXPECT_EQ(twBundleParamCount(opened, 1), 0u);
  TwParamInfo info;
  ASSERT_EQ(twBundleParam(opened, 0, 0, &info), TW_OK);
  EXPECT_STREQ(info.name, "v");
  EXPECT_EQ(info.kind, TW_PARAM_VIEW);
  EXPECT_EQ(info.dtype, TW_F16);
  ASSERT_EQ(info.rank, 2u);
  EXPECT_EQ(info.sizes[0], TW_DYNAMIC);
  EXPECT_EQ(info.sizes[1], 64);
  EXPECT_EQ(info.strides[1], 1);
  EXPECT_EQ(info.divBy, 16);
  EXPECT_TRUE(info.isRead);
  EXPECT_FALSE(info.isWritten);
  ASSERT_EQ(twBundleParam(opened, 0, 2, &info), TW_OK);
  EXPECT_STREQ(info.name, "");
  EXPECT_EQ(info.kind, TW_PARAM_SCALAR);
  EXPECT_EQ(twBundleParam(opened, 0, 3, &info), TW_BAD_INPUT);
  EXPECT_EQ(twBundleParam(opened, 1, 0, &info), TW_BAD_INPUT);
  twBundleDestroy(opened);
}

TEST_F(RuntimeCApiTest, OpeningAndLookingUpFailWithReasons) {
  EXPECT_EQ(errorOf([](TwError **e) { EXPECT_FALSE(twBundleOpen("MLIR", 4, e)); }),
            "not a bundle: it does not begin with TILEWRGT");
  EXPECT_EQ(errorOf([](TwError **e) { EXPECT_FALSE(twBundleOpen(nullptr, 4, e)); }),
            "not a bundle: it does not begin with TILEWRGT");
  EXPECT_EQ(errorOf([](TwError **e) { EXPECT_FALSE(twBundleOpenFile("/nonexistent", e)); }),
            "/nonexistent: No such file or directory");
  EXPECT_EQ(errorOf([](TwError **e) { EXPECT_FALSE(twBackendCreate("fake", 3, 0, e)); }, TW_NO_DEVICE),
            "there is no CUDA device 3; 1 found, counted from 0");
  EXPECT_EQ(errorOf([&](TwError **e) { EXPECT_FALSE(twKernelLookup(backend, bundle, "sub", e)); }),
            "there is no kernel 'sub' in the bundle; it has: add");
  // Nobody has to ask for the reason.
  EXPECT_FALSE(twBundleOpen("MLIR", 4, nullptr));
}

TEST_F(RuntimeCApiTest, ArgumentsAreChecked) {
  EXPECT_EQ(launchError(), "no error");
  EXPECT_EQ(c[3], 44);
  args[1].dtype = TW_F16;
  EXPECT_EQ(launchError(), "kernel 'add': parameter 'b' expects an array of f32 with rank 1, got an array of f16");
  args[1].dtype = 99;
  EXPECT_EQ(launchError(), "kernel 'add': parameter 'b' has the unknown type 99");
  args[1].dtype = TW_F32;
  args[1].rank = 9;
  EXPECT_EQ(launchError(), "kernel 'add': parameter 'b' is an array of rank 9, at most 8 is possible");
  args[1].rank = 1;
  args[1].shape = nullptr;
  EXPECT_EQ(launchError(), "kernel 'add': parameter 'b' has no shape or no strides");
  args[1].kind = TW_ARG_SCALAR;
  args[1].dtype = TW_I8;
  args[1].integer = 300;
  EXPECT_EQ(launchError(), "kernel 'add': parameter 'b': 300 does not fit i8");
  args[1].kind = 7;
  EXPECT_EQ(launchError(), "kernel 'add': parameter 'b' is of the unknown kind 7");
  EXPECT_EQ(errorOf([&](TwError **e) { twLaunch(kernel, nullptr, 3, e); }), "kernel 'add': there are no arguments");
  EXPECT_EQ(errorOf([&](TwError **e) { twLaunch(kernel, args, 1, e); }), "kernel 'add': expected 3 arguments, got 1");
}

TEST_F(RuntimeCApiTest, DeviceMemoryAndPreparedLaunches) {
  for (TwArg &arg : args) {
    arg.kind = TW_ARG_DEVICE;
    arg.address = twDeviceAllocate(backend, sizeof(a), nullptr);
    ASSERT_NE(arg.address, 0u);
  }
  EXPECT_EQ(twDeviceUpload(backend, args[0].address, a, sizeof(a), nullptr), TW_OK);
  EXPECT_EQ(twDeviceUpload(backend, args[1].address, b, sizeof(b), nullptr), TW_OK);
  EXPECT_EQ(twKernelPrepare(kernel, nullptr), TW_OK);
  EXPECT_EQ(twLaunchPrepared(kernel, args, 3, nullptr, nullptr), TW_OK);
  EXPECT_EQ(twSynchronize(backend, nullptr), TW_OK);
  EXPECT_EQ(twDeviceDownload(backend, c, args[2].address, sizeof(c), nullptr), TW_OK);
  EXPECT_EQ(c[1], 22);
  EXPECT_EQ(twLaunch(kernel, args, 3, nullptr), TW_OK); // device arrays are welcome there too
  args[0].kind = TW_ARG_HOST;
  EXPECT_EQ(errorOf([&](TwError **e) { twLaunchPrepared(kernel, args, 3, nullptr, e); }),
            "kernel 'add': parameter 'a' is a host array, which this call does not copy");
  args[0].kind = TW_ARG_DEVICE;
  args[0].rank = 0;
  EXPECT_EQ(errorOf([&](TwError **e) { twLaunchPrepared(kernel, args, 3, nullptr, e); }),
            "kernel 'add': parameter 'a' expects an array of f32 with rank 1, got a pointer");
  for (TwArg &arg : args)
    twDeviceRelease(backend, arg.address);
  twDeviceRelease(backend, 0);
  setenv("FAKE_CUDA_FAIL", "cuMemAlloc_v2:2", 1);
  EXPECT_EQ(errorOf([&](TwError **e) { EXPECT_EQ(twDeviceAllocate(backend, 64, e), 0u); }),
            "cuMemAlloc failed: CUDA_ERROR_OUT_OF_MEMORY; 64 bytes were asked for");
}

TEST_F(RuntimeCApiTest, MeasuresAndSelects) {
  double seconds[3];
  EXPECT_EQ(twBenchmark(kernel, args, 3, 1, 3, seconds, nullptr), TW_OK);
  EXPECT_NEAR(seconds[2], 0.25e-3, 1e-9);
  size_t variant = 9;
  uint64_t grid[3];
  EXPECT_EQ(twSelectVariant(kernel, args, 3, &variant, grid, nullptr), TW_OK);
  EXPECT_EQ(variant, 0u);
  EXPECT_EQ(grid[0], 1u);
  stride = 0;
  EXPECT_EQ(twSelectVariant(kernel, args, 3, &variant, grid, nullptr), TW_OK);
  EXPECT_EQ(variant, 1u);
  size = 0;
  EXPECT_EQ(twBenchmark(kernel, args, 3, 1, 3, seconds, nullptr), TW_OK);
  EXPECT_EQ(seconds[0], 0);
}

// A second kernel of the same bundle shares its modules; the last one to go unloads them.
TEST_F(RuntimeCApiTest, KernelsKeepWhatTheyNeed) {
  EXPECT_EQ(launchError(), "no error");
  EXPECT_EQ(getFakeCuda().numModules, 1);
  TwKernel *second = twKernelLookup(backend, bundle, "add", nullptr);
  twBundleDestroy(bundle);
  bundle = nullptr;
  twBackendDestroy(backend);
  backend = nullptr;
  EXPECT_EQ(twLaunch(second, args, 3, nullptr), TW_OK);
  EXPECT_EQ(getFakeCuda().numModules, 1);
  twKernelDestroy(second);
  EXPECT_EQ(launchError(), "no error");
  twKernelDestroy(kernel);
  kernel = nullptr;
  EXPECT_EQ(getFakeCuda().numModules, 0);
  EXPECT_EQ(getFakeCuda().numContexts, 0);
}

TEST_F(RuntimeCApiTest, ThreadsTakeTurns) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      float mine[4] = {};
      TwArg copy[3] = {args[0], args[1], args[2]};
      copy[2].data = mine;
      for (int k = 0; k < 100; ++k) {
        EXPECT_EQ(twLaunch(kernel, copy, 3, nullptr), TW_OK);
        TwKernel *other = twKernelLookup(backend, bundle, "add", nullptr);
        twKernelDestroy(other);
      }
      EXPECT_EQ(mine[3], 44);
    });
  for (std::thread &thread : threads)
    thread.join();
}
