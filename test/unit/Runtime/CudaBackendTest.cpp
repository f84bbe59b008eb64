// SPDX-License-Identifier: Apache-2.0
// The CUDA backend against the fake driver of FakeCuda.cpp.
#include "tilewright/Runtime/CudaBackend.h"
#include "FakeCuda.h"
#include "tilewright/Runtime/Launcher.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <thread>

using namespace tilewright;

namespace {
class CudaBackendTest : public testing::Test {
protected:
  CudaBackendTest() : bundle(makeAddBundle()) {}

  /// Makes backend and launcher of the bundle as it is now.
  void start() {
    BackendResult result = createCudaBackend({}, FAKE_CUDA_LIBRARY);
    ASSERT_EQ(result.status, BackendStatus::Ok) << result.error;
    backend = std::move(result.backend);
    ASSERT_TRUE(backend->load(bundle, &error)) << error;
    launcher = std::make_unique<KernelLauncher>(*backend, bundle.plan.kernels[0]);
  }

  void TearDown() override {
    unsetenv("FAKE_CUDA_FAIL");
    unsetenv("FAKE_CUDA_DEVICES");
    launcher.reset();
    backend.reset();
    EXPECT_EQ(getFakeCuda().numAllocations, 0u);
    EXPECT_EQ(getFakeCuda().numModules, 0);
    EXPECT_EQ(getFakeCuda().numContexts, 0);
    EXPECT_EQ(getFakeCuda().numEvents, 0);
  }

  LaunchArg view(float *element, const int64_t &size, const int64_t &stride) {
    LaunchArg arg;
    arg.kind = LaunchArg::Kind::HostArray;
    arg.type = ScalarType::F32;
    arg.rank = 1;
    arg.data = element;
    arg.sizes = &size;
    arg.strides = &stride;
    return arg;
  }

  /// Launches and returns the message.
  std::string launchError() {
    LaunchArg args[] = {view(a, size, strideA), view(b, size, strideB), view(c, sizeC, strideC)};
    error.clear();
    EXPECT_EQ(launcher->launch(args, 3, &decision, &error), error.empty());
    return error;
  }

  Bundle bundle;
  std::unique_ptr<Backend> backend;
  std::unique_ptr<KernelLauncher> launcher;
  PlanDecision decision;
  std::string error;
  float a[8] = {1, 2, 3, 4, 5, 6, 7, 8}, b[8] = {10, 20, 30, 40, 50, 60, 70, 80}, c[8] = {};
  int64_t size = 4, sizeC = 4, strideA = 1, strideB = 1, strideC = 1;
};
} // namespace

TEST_F(CudaBackendTest, LaunchesTheVariantThatTheArgumentsSelect) {
  start();
  EXPECT_EQ(backend->describeDevice(), "Fake GPU (sm_90)");
  EXPECT_EQ(launchError(), "");
  EXPECT_STREQ(getFakeCuda().symbol, "add_unit");
  EXPECT_EQ(std::vector<float>(c, c + 5), (std::vector<float>{11, 22, 33, 44, 0}));
  EXPECT_EQ(getFakeCuda().grid[0], 1u);
  EXPECT_EQ(getFakeCuda().numThreads, 128u);
  EXPECT_EQ(getFakeCuda().clusterX, 0u);
  strideA = 2;
  EXPECT_EQ(launchError(), "");
  EXPECT_STREQ(getFakeCuda().symbol, "add");
  EXPECT_EQ(std::vector<float>(c, c + 4), (std::vector<float>{11, 23, 35, 47}));
}

TEST_F(CudaBackendTest, NegativeAndZeroStridesReachTheRightElements) {
  start();
  strideA = -1;
  strideB = 0;
  strideC = -2;
  LaunchArg args[] = {view(a + 3, size, strideA), view(b + 5, size, strideB), view(c + 6, size, strideC)};
  ASSERT_TRUE(launcher->launch(args, 3, &decision, &error)) << error;
  // c[6], c[4], c[2], c[0] = a[3], a[2], a[1], a[0] + b[5]; the gaps stay.
  EXPECT_EQ(std::vector<float>(c, c + 8), (std::vector<float>{61, 0, 62, 0, 63, 0, 64, 0}));
}

TEST_F(CudaBackendTest, OverlappingHostArraysShareOneBuffer) {
  start();
  // c[1..4] = a[0..3] + a[1..4] in one array: the kernel sees its own writes, as it would on the device.
  LaunchArg args[] = {view(a, size, strideA), view(b, size, strideB), view(a + 1, size, strideC)};
  ASSERT_TRUE(launcher->launch(args, 3, &decision, &error)) << error;
  EXPECT_EQ(std::vector<float>(a, a + 6), (std::vector<float>{1, 11, 31, 61, 101, 6}));
  LaunchArg same[] = {view(b, size, strideA), view(b, size, strideB), view(b, size, strideC)};
  ASSERT_TRUE(launcher->launch(same, 3, &decision, &error)) << error;
  EXPECT_EQ(b[3], 80);
}

TEST_F(CudaBackendTest, OnlyWrittenArraysAreCopiedBack) {
  start();
  int before = getFakeCuda().numDownloads;
  EXPECT_EQ(launchError(), "");
  EXPECT_EQ(getFakeCuda().numDownloads, before + 1);
}

TEST_F(CudaBackendTest, AnEmptyGridLaunchesNothing) {
  start();
  int before = getFakeCuda().numLaunches;
  size = sizeC = 0;
  EXPECT_EQ(launchError(), "");
  EXPECT_TRUE(decision.isEmpty);
  EXPECT_EQ(getFakeCuda().numLaunches, before);
}

TEST_F(CudaBackendTest, WrongArgumentsAreRefusedBeforeAnythingIsAllocated) {
  start();
  setenv("FAKE_CUDA_FAIL", "cuMemAlloc_v2:999", 1);
  sizeC = 5;
  EXPECT_EQ(launchError(), "kernel 'add': parameters 'a' and 'c' must have one size, from parameter 'a' size 0 = 4, "
                           "parameter 'c' size 0 = 5");
  sizeC = size = int64_t(1) << 61;
  EXPECT_EQ(launchError(), "kernel 'add': parameter 'a' has a shape and strides that are not possible");
  sizeC = size = -1;
  EXPECT_EQ(launchError(), "kernel 'add': parameter 'a' has a shape and strides that are not possible");
  size = sizeC = 4;
  LaunchArg args[] = {view(nullptr, size, strideA), view(b, size, strideB), view(c, sizeC, strideC)};
  EXPECT_FALSE(launcher->launch(args, 3, &decision, &error));
  EXPECT_EQ(error, "kernel 'add': parameter 'a' has a null address");
  args[0].type = ScalarType::I4;
  EXPECT_FALSE(launcher->launch(args, 3, &decision, &error));
  EXPECT_EQ(error, "kernel 'add': parameter 'a' is an array of i4, which is packed two per byte and cannot be copied "
                   "from the host");
}

TEST_F(CudaBackendTest, DriverErrorsNameCallCodeAndNextStep) {
  start();
  setenv("FAKE_CUDA_FAIL", "cuMemAlloc_v2:2", 1);
  EXPECT_EQ(launchError(), "cuMemAlloc failed: CUDA_ERROR_OUT_OF_MEMORY; 16 bytes were asked for for 'a'");
  setenv("FAKE_CUDA_FAIL", "cuMemcpyHtoD_v2:999", 1);
  EXPECT_EQ(launchError(), "cuMemcpyHtoD failed: CUDA_ERROR_UNKNOWN");
  setenv("FAKE_CUDA_FAIL", "cuMemcpyDtoH_v2:12345", 1);
  EXPECT_EQ(launchError(), "cuMemcpyDtoH failed: error 12345");
  setenv("FAKE_CUDA_FAIL", "cuCtxSynchronize:700", 1);
  EXPECT_EQ(launchError(), "cuCtxSynchronize failed: CUDA_ERROR_ILLEGAL_ADDRESS (an illegal memory access was "
                           "encountered); kernel 'add_unit' did not finish; compute-sanitizer finds out where");
  setenv("FAKE_CUDA_FAIL", "cuLaunchKernelEx:1", 1);
  EXPECT_EQ(launchError(), "cuLaunchKernelEx failed: CUDA_ERROR_INVALID_VALUE; 'add_unit' with grid 1x1x1, 128 threads "
                           "and 0 bytes of dynamic shared memory");
}

TEST_F(CudaBackendTest, CodeThatCannotBeLoadedIsExplained) {
  bundle.sections[0].data = "garbage";
  start();
  EXPECT_EQ(launchError(),
            "kernel 'add': cuModuleLoadDataEx failed: CUDA_ERROR_INVALID_PTX; module 'm' was given as PTX "
            "for sm_90a; a driver that is older than the compiler's PTX version refuses it; the driver "
            "says: line 1: syntax error");
  bundle.sections[0].data = ".version";
  bundle.plan.kernels[0].variants[0].symbol = "sub";
  EXPECT_EQ(launchError(),
            "kernel 'add': cuModuleGetFunction failed: CUDA_ERROR_NOT_FOUND; module 'm' should define 'sub'");
  bundle.plan.kernels[0].variants[0].module = "n";
  EXPECT_EQ(launchError(), "kernel 'add': the bundle has neither PTX nor machine code of module 'n'");
  bundle.plan.kernels[0].variants[0].staticSharedBytes = 300000;
  EXPECT_EQ(launchError(), "kernel 'add': it needs 300000 bytes of shared memory, Fake GPU (sm_90) has 232448");
  backend->unload(bundle);
  EXPECT_EQ(launchError(), "kernel 'add': its bundle is not loaded");
}

TEST_F(CudaBackendTest, MachineCodeIsPreferredWhereItRuns) {
  bundle.add(SectionKind::Cubin, "m",
             "\x7f"
             "ELF");
  start();
  EXPECT_EQ(launchError(), "");
  EXPECT_TRUE(getFakeCuda().wasLastModuleCubin);
  launcher.reset();
  backend.reset();
  bundle.plan.target = "sm_80";
  start();
  EXPECT_EQ(launchError(), "");
  EXPECT_FALSE(getFakeCuda().wasLastModuleCubin);
  launcher.reset();
  backend.reset();
  bundle.plan.target = "sm_100a";
  start();
  EXPECT_EQ(launchError(), "kernel 'add': the bundle was compiled for sm_100a, which does not run on Fake GPU (sm_90); "
                           "compile it with --target for this device");
}

TEST(CudaTarget, Compatibility) {
  EXPECT_TRUE(isTargetCompatible("sm_80", 80, true));
  EXPECT_TRUE(isTargetCompatible("sm_80", 89, true));
  EXPECT_FALSE(isTargetCompatible("sm_89", 80, true));
  EXPECT_FALSE(isTargetCompatible("sm_80", 90, true));
  EXPECT_TRUE(isTargetCompatible("sm_80", 90, false));
  EXPECT_FALSE(isTargetCompatible("sm_90", 89, false));
  for (bool isMachineCode : {false, true}) {
    EXPECT_TRUE(isTargetCompatible("sm_90a", 90, isMachineCode));
    EXPECT_FALSE(isTargetCompatible("sm_90a", 100, isMachineCode));
    EXPECT_TRUE(isTargetCompatible("sm_100f", 103, isMachineCode));
    EXPECT_FALSE(isTargetCompatible("sm_100f", 120, isMachineCode));
    for (const char *bad : {"", "sm_", "sm_90x", "sm_90ab", "gfx90", "sm_999999999999999999999"})
      EXPECT_FALSE(isTargetCompatible(bad, 90, isMachineCode)) << bad;
  }
}

TEST_F(CudaBackendTest, SharedMemoryAndClustersAreSetUp) {
  PlanVariant &variant = bundle.plan.kernels[0].variants[0];
  variant.dynamicSharedBytes = 100000;
  variant.cluster = {16, 1, 1};
  bundle.plan.kernels[0].exprs[15].a = 4;
  bundle.plan.kernels[0].exprs[16].op = ExprOp::Mul;
  start();
  EXPECT_EQ(launchError(), "");
  EXPECT_EQ(getFakeCuda().maxDynamicSharedBytes, 100000);
  EXPECT_EQ(getFakeCuda().sharedBytes, 100000u);
  EXPECT_EQ(getFakeCuda().clusterX, 16u);
  EXPECT_EQ(getFakeCuda().allowsLargeClusters, 1);
  EXPECT_EQ(getFakeCuda().grid[0], 16u);
}

TEST_F(CudaBackendTest, PreparedLaunchesRunOnDeviceMemoryFromAnyThread) {
  start();
  uint64_t address[3];
  for (uint64_t &buffer : address)
    ASSERT_TRUE(backend->allocate(sizeof(a), "", &buffer, &error)) << error;
  ASSERT_TRUE(backend->upload(address[0], a, sizeof(a), &error) && backend->upload(address[1], b, sizeof(b), &error));
  ASSERT_TRUE(backend->fill(address[2], 0, sizeof(c), &error));
  PlanArg args[3];
  for (int i = 0; i < 3; ++i)
    args[i] = {ParamKind::View, ScalarType::F32, 1, address[i], &size, &strideA};
  ASSERT_TRUE(launcher->prepareAll(&error)) << error;
  int stream = 0;
  std::thread([&] { EXPECT_TRUE(launcher->launchPrepared(args, 3, &stream, &error)) << error; }).join();
  EXPECT_EQ(getFakeCuda().stream, &stream);
  ASSERT_TRUE(backend->synchronize(&error)) << error;
  ASSERT_TRUE(backend->download(c, address[2], sizeof(c), &error)) << error;
  EXPECT_EQ(c[3], 44);
  EXPECT_FALSE(launcher->launchPrepared(args, 2, nullptr, &error));
  EXPECT_EQ(error, "kernel 'add': expected 3 arguments, got 2");
  for (uint64_t buffer : address)
    backend->release(buffer);
}

TEST_F(CudaBackendTest, MeasuresWithEvents) {
  start();
  LaunchArg args[] = {view(a, size, strideA), view(b, size, strideB), view(c, sizeC, strideC)};
  std::vector<double> seconds;
  int before = getFakeCuda().numLaunches;
  ASSERT_TRUE(launcher->measure(args, 3, /*warmups=*/2, /*repeats=*/5, &seconds, &decision, &error)) << error;
  EXPECT_EQ(getFakeCuda().numLaunches, before + 7);
  ASSERT_EQ(seconds.size(), 5u);
  EXPECT_NEAR(seconds[0], 0.25e-3, 1e-9);
  EXPECT_EQ(c[0], 0); // nothing is copied back
}

TEST_F(CudaBackendTest, MissingDriversAndDevicesAreNoDevice) {
  auto create = [](int device, const char *library) {
    BackendOptions options;
    options.device = device;
    BackendResult result = createCudaBackend(options, library);
    EXPECT_EQ(result.status, BackendStatus::NoDevice);
    EXPECT_FALSE(result.backend);
    return result.error;
  };
  EXPECT_NE(create(0, "libno-such-driver.so.1").find("the CUDA driver cannot be loaded: libno-such-driver.so.1"),
            std::string::npos);
  EXPECT_EQ(create(0, "libm.so.6"), "the CUDA driver libm.so.6 has no function cuInit; install a newer driver");
  EXPECT_EQ(create(1, FAKE_CUDA_LIBRARY), "there is no CUDA device 1; 1 found, counted from 0");
  setenv("FAKE_CUDA_DEVICES", "0", 1);
  EXPECT_EQ(create(0, FAKE_CUDA_LIBRARY), "there is no CUDA device 0; none was found");
  setenv("FAKE_CUDA_FAIL", "cuInit:999", 1);
  EXPECT_EQ(create(0, FAKE_CUDA_LIBRARY), "cuInit failed: CUDA_ERROR_UNKNOWN");
}

TEST(BackendRegistry, UnknownNamesListTheKnownOnes) {
  BackendResult result = createBackend("tpu");
  EXPECT_EQ(result.status, BackendStatus::Failed);
  EXPECT_EQ(result.error.substr(0, 61), "there is no backend 'tpu' in this program; it has: cuda");
  EXPECT_TRUE(hasBackendFactory("cuda"));
  EXPECT_FALSE(hasBackendFactory("tpu"));
  registerBackendFactory("tpu", [](const BackendOptions &options) {
    return BackendResult{BackendStatus::NoDevice, nullptr, "seed " + std::to_string(options.seed)};
  });
  BackendOptions options;
  options.seed = 5;
  EXPECT_EQ(createBackend("tpu", options).error, "seed 5");
}

TEST_F(CudaBackendTest, GridsAskTheDriverHowManyCtasAnSmHolds) {
  PlanKernel &kernel = bundle.plan.kernels[0];
  auto next = static_cast<uint32_t>(kernel.exprs.size());
  kernel.exprs.push_back({ExprOp::DeviceInfo, static_cast<int64_t>(DeviceInfoKind::MaxCtasPerSm)});
  kernel.exprs.push_back({ExprOp::Constant, 5});
  kernel.exprs.push_back({ExprOp::Mul, next, next + 1});
  kernel.variants[0].grid = {next + 2};
  kernel.variants[0].dynamicSharedBytes = 4096;
  start();
  getFakeCuda().skipsKernels = true;
  getFakeCuda().numResidencyQueries = 0;
  getFakeCuda().ctasPerSm = 3;
  EXPECT_EQ(launchError(), "");
  EXPECT_EQ(getFakeCuda().grid[0], 15u);
  EXPECT_STREQ(getFakeCuda().residentSymbol, "add_unit");
  EXPECT_EQ(getFakeCuda().residentThreads, 128);
  EXPECT_EQ(getFakeCuda().residentSharedBytes, 4096u);
  // Once for each variant.
  EXPECT_EQ(launchError(), "");
  EXPECT_EQ(getFakeCuda().numResidencyQueries, 1);
  // The other variant does not ask, and nobody asks for it.
  strideA = 2;
  EXPECT_EQ(launchError(), "");
  EXPECT_EQ(getFakeCuda().numResidencyQueries, 1);
  getFakeCuda().skipsKernels = false;
  getFakeCuda().ctasPerSm = 2;
}

TEST_F(CudaBackendTest, WhatDoesNotFitAnSmIsNotLaunched) {
  PlanKernel &kernel = bundle.plan.kernels[0];
  kernel.variants[0].grid = {static_cast<uint32_t>(kernel.exprs.size())};
  kernel.exprs.push_back({ExprOp::DeviceInfo, static_cast<int64_t>(DeviceInfoKind::MaxCtasPerSm)});
  start();
  getFakeCuda().ctasPerSm = 0;
  EXPECT_EQ(launchError(), "kernel '" + kernel.name + "': an SM is said to hold 0 CTAs of 'add_unit', expected 1 to 64");
  getFakeCuda().ctasPerSm = 2;
  setenv("FAKE_CUDA_FAIL", "cuOccupancyMaxActiveBlocksPerMultiprocessor:1", 1);
  EXPECT_EQ(launchError(),
            "cuOccupancyMaxActiveBlocksPerMultiprocessor failed: CUDA_ERROR_INVALID_VALUE; 'add_unit'");
}
