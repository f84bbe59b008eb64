// SPDX-License-Identifier: Apache-2.0
#include "tilewright/EmulatorJit/EmulatorBackend.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>

using namespace tilewright;

// Doubles n floats, after a round through shared memory: one thread's program as the compiler leaves it.
static const char *simtText = R"mlir(
#loc = loc("scale.mlir":9:5)
func.func @scale(%base: i64, %n: index) attributes {tile_gpu.kernel, tile_gpu.num_threads = 64 : i32, tile_gpu.shared_bytes = 256 : i64} {
  %lane = tile_gpu.lane_id
  %warp = tile_gpu.warp_id
  %cta = tile_gpu.cta_id x
  %c32 = arith.constant 32 : i32
  %c64 = arith.constant 64 : i32
  %c4 = arith.constant 4 : i32
  %c63 = arith.constant 63 : i32
  %first = arith.muli %warp, %c32 : i32
  %t = arith.addi %first, %lane : i32
  %start = arith.muli %cta, %c64 : i32
  %i = arith.addi %start, %t : i32
  %wide = arith.extsi %i : i32 to i64
  %c4w = arith.constant 4 : i64
  %offset = arith.muli %wide, %c4w : i64
  %address = arith.addi %base, %offset : i64
  %limit = arith.index_cast %n : index to i64
  %inside = arith.cmpi slt, %wide, %limit : i64
  %value = tile_gpu.load_global %address pred %inside align 4 : f32
  %sum = arith.addf %value, %value : f32
  %mine = arith.muli %t, %c4 : i32
  tile_gpu.store_shared %sum, %mine : f32
  tile_gpu.barrier id 0 threads 64
  %other = arith.subi %c63, %t : i32
  %place = arith.muli %other, %c4 : i32
  %reversed = tile_gpu.load_shared %place : f32
  tile_gpu.barrier id 0 threads 64
  tile_gpu.store_shared %reversed, %place : f32
  tile_gpu.barrier id 0 threads 64
  %again = tile_gpu.load_shared %mine : f32
  %true = arith.constant true
  tile_gpu.store_global %again, %address pred %inside align 4 : f32 loc(#loc)
  return
})mlir";

namespace {
class EmulatorBackendTest : public ::testing::Test {
protected:
  EmulatorBackendTest() {
    PlanKernel kernel;
    kernel.name = "scale";
    PlanVariant variant;
    variant.symbol = variant.module = "scale";
    variant.numThreads = 64;
    variant.dynamicSharedBytes = 256;
    kernel.variants.push_back(variant);
    bundle.plan.target = "sm_80";
    bundle.plan.kernels.push_back(kernel);
    bundle.add(SectionKind::Simt, "scale", simtText);
  }
  bool launch(std::vector<uint64_t> slots, uint64_t numCtas) {
    const uint64_t grid[3] = {numCtas, 1, 1};
    const PlanKernel &kernel = bundle.plan.kernels[0];
    return backend->launch(kernel, kernel.variants[0], slots.data(), grid, &error);
  }

  Bundle bundle;
  std::unique_ptr<Backend> backend = createEmulatorBackend();
  std::string error;
};
} // namespace

TEST_F(EmulatorBackendTest, RunsABundle) {
  EXPECT_EQ(backend->name(), "emulator");
  ASSERT_TRUE(backend->load(bundle, &error)) << error;
  std::vector<float> values(100), result(100);
  for (size_t i = 0; i < 100; ++i)
    values[i] = float(i) - 3;
  uint64_t address = 0;
  ASSERT_TRUE(backend->allocate(400, "x", &address, &error)) << error;
  for (int again = 0; again < 2; ++again) {
    ASSERT_TRUE(backend->upload(address, values.data(), 400, &error)) << error;
    ASSERT_TRUE(launch({address, 100}, 2)) << error;
    ASSERT_TRUE(backend->download(result.data(), address, 400, &error)) << error;
    for (size_t i = 0; i < 100; ++i)
      EXPECT_EQ(result[i], 2 * values[i]);
  }
  // A handle works like launch.
  const uint64_t grid[3] = {1, 1, 1}, slots[2] = {address, 0};
  void *handle = backend->prepare(bundle.plan.kernels[0], bundle.plan.kernels[0].variants[0], &error);
  EXPECT_TRUE(backend->launchPrepared(handle, slots, grid, nullptr, &error)) << error;
}

TEST_F(EmulatorBackendTest, ReportsWhatTheEngineFinds) {
  ASSERT_TRUE(backend->load(bundle, &error)) << error;
  uint64_t address = 0;
  ASSERT_TRUE(backend->allocate(4 * 64, "x", &address, &error)) << error;
  EXPECT_FALSE(launch({address, 65}, 2));
  EXPECT_NE(error.find("kernel 'scale', program (1, 0, 0), thread 0: global read of 4 bytes"), std::string::npos)
      << error;
  EXPECT_NE(error.find("0 bytes past the end of buffer 'x' of 256 bytes"), std::string::npos) << error;
  EXPECT_TRUE(launch({address, 64}, 2)) << error;
}

TEST_F(EmulatorBackendTest, UsesLargeArraysInPlace) {
  ASSERT_TRUE(backend->load(bundle, &error)) << error;
  uint64_t address = 0;
  std::vector<float> small(64);
  EXPECT_FALSE(backend->mapHost(small.data(), 256, "x", true, &address));
  size_t bytes = size_t(64) << 20;
  std::unique_ptr<void, decltype(&std::free)> memory(std::aligned_alloc(4096, bytes + 4096), &std::free);
  ASSERT_TRUE(memory);
  auto *values = static_cast<float *>(memory.get());
  EXPECT_FALSE(backend->mapHost(values + 1, bytes, "x", true, &address));
  values[63] = 3;
  ASSERT_TRUE(backend->mapHost(values, bytes, "x", /*isWritten=*/true, &address));
  ASSERT_TRUE(launch({address, 64}, 1)) << error;
  EXPECT_EQ(values[63], 6);
  backend->release(address);
  // A kernel that writes what its plan says that it reads is stopped.
  ASSERT_TRUE(backend->mapHost(values, bytes, "x", /*isWritten=*/false, &address));
  EXPECT_FALSE(launch({address, 64}, 1));
  EXPECT_NE(error.find("at offset 0 of buffer 'x' of 67108864 bytes, which the kernel promised only to read"),
            std::string::npos)
      << error;
  EXPECT_EQ(values[63], 6);
}

TEST_F(EmulatorBackendTest, PretendsToBeTheTargetOfTheBundle) {
  EXPECT_EQ(backend->deviceInfo()[size_t(DeviceInfoKind::ComputeCapability)], 90);
  EXPECT_EQ(backend->deviceInfo()[size_t(DeviceInfoKind::SmCount)], 132);
  ASSERT_TRUE(backend->load(bundle, &error)) << error;
  EXPECT_EQ(backend->deviceInfo()[size_t(DeviceInfoKind::ComputeCapability)], 80);
  EXPECT_EQ(backend->describeDevice(), "emulator (sm_80)");
}

TEST_F(EmulatorBackendTest, AnSmHoldsWhatItsThreadsAndSharedMemoryAllow) {
  ASSERT_TRUE(backend->load(bundle, &error)) << error;
  const PlanKernel &kernel = bundle.plan.kernels[0];
  PlanVariant &variant = bundle.plan.kernels[0].variants[0];
  auto held = [&](uint32_t threads, uint32_t sharedBytes) {
    variant.numThreads = threads;
    variant.dynamicSharedBytes = sharedBytes;
    int64_t count = 0;
    EXPECT_TRUE(backend->ctasPerSm(kernel, variant, &count, &error)) << error;
    return count;
  };
  // The row of sm_80: 2048 threads, 32 CTAs, 164 KiB of which each CTA takes 1 KiB more.
  EXPECT_EQ(held(128, 0), 16);
  EXPECT_EQ(held(1024, 0), 2);
  EXPECT_EQ(held(32, 0), 32);
  EXPECT_EQ(held(128, 80 * 1024), 2);
  // The caller's SMs are for one CTA each.
  registerEmulatorBackend();
  BackendResult small = createBackend("emulator", {0, 0, /*smCount=*/3});
  ASSERT_TRUE(small.backend) << small.error;
  int64_t count = 0;
  EXPECT_TRUE(small.backend->ctasPerSm(kernel, variant, &count, &error)) << error;
  EXPECT_EQ(count, 1);
}

TEST_F(EmulatorBackendTest, BadBundles) {
  EXPECT_FALSE(launch({0, 0}, 1));
  EXPECT_EQ(error, "kernel 'scale' is of no bundle that is loaded");
  bundle.plan.target = "sm_1";
  EXPECT_FALSE(backend->load(bundle, &error));
  EXPECT_EQ(error.rfind("cannot emulate a bundle for sm_1: ", 0), 0u) << error;
  bundle.plan.target = "sm_80";
  ASSERT_TRUE(backend->load(bundle, &error)) << error;
  bundle.sections[0].data = "func.func @scale(";
  EXPECT_FALSE(launch({0, 0}, 1));
  EXPECT_EQ(error.rfind("scale:1:17: ", 0), 0u) << error;
  EXPECT_NE(error.find(" (module 'scale')"), std::string::npos) << error;
  bundle.sections[0].data = "func.func @other() attributes {tile_gpu.kernel, tile_gpu.num_threads = 32 : i32, "
                            "tile_gpu.shared_bytes = 0 : i64} { return }";
  EXPECT_FALSE(launch({0, 0}, 1));
  EXPECT_EQ(error, "module 'scale' has no kernel 'scale'");
  backend->unload(bundle);
  EXPECT_FALSE(launch({0, 0}, 1));
  EXPECT_EQ(error, "kernel 'scale' is of no bundle that is loaded");
  bundle.sections.clear();
  ASSERT_TRUE(backend->load(bundle, &error)) << error;
  EXPECT_FALSE(launch({0, 0}, 1));
  EXPECT_EQ(error, "the bundle has no SIMT section 'scale', which the emulator needs");
}

// A variant without SIMT text is lowered when it is first launched, and the others are not.
TEST_F(EmulatorBackendTest, LowersTilesAtTheFirstLaunch) {
  PlanKernel &kernel = bundle.plan.kernels[0];
  kernel.variants.push_back(kernel.variants[0]);
  kernel.variants[1].symbol = kernel.variants[1].module = "other";
  kernel.variants[0].dynamicSharedBytes = 0; // Known after lowering only.
  bundle.sections[0].kind = SectionKind::Tile;
  bundle.add(SectionKind::Tile, "other", "not lowered, so never read");
  ASSERT_TRUE(backend->load(bundle, &error)) << error;
  EXPECT_FALSE(launch({0, 0}, 1));
  EXPECT_EQ(error, "the bundle has no SIMT section 'scale', which the emulator needs: this program cannot lower tiles");

  unsigned numLowered = 0;
  EmulatorBackendOptions options;
  options.lowerTiles = [&](mlir::ModuleOp, const LaunchPlan &plan) {
    EXPECT_EQ(&plan, &bundle.plan);
    ++numLowered;
    return mlir::success(); // The text is one thread's program already.
  };
  backend = createEmulatorBackend(options);
  ASSERT_TRUE(backend->load(bundle, &error)) << error;
  EXPECT_EQ(numLowered, 0u);
  EXPECT_TRUE(launch({0, 0}, 1)) << error;
  EXPECT_TRUE(launch({0, 0}, 1)) << error;
  EXPECT_EQ(numLowered, 1u);

  options.lowerTiles = [](mlir::ModuleOp module, const LaunchPlan &) -> mlir::LogicalResult {
    return mlir::emitError(mlir::FileLineColLoc::get(module.getContext(), "k.mlir", 3, 7)) << "no such way";
  };
  backend = createEmulatorBackend(options);
  ASSERT_TRUE(backend->load(bundle, &error)) << error;
  EXPECT_FALSE(launch({0, 0}, 1));
  EXPECT_EQ(error, "k.mlir:3:7: no such way (module 'scale')");
}

TEST_F(EmulatorBackendTest, MemoryErrors) {
  uint64_t address = 0;
  char byte = 0;
  ASSERT_TRUE(backend->allocate(16, "x", &address, &error)) << error;
  EXPECT_FALSE(backend->upload(address + 16, &byte, 1, &error));
  EXPECT_EQ(error, "cannot upload 1 bytes 0 bytes past the end of buffer 'x' of 16 bytes");
  EXPECT_FALSE(backend->download(&byte, 0, 1, &error));
  EXPECT_EQ(error, "cannot download 1 bytes in no buffer");
  EXPECT_TRUE(backend->fill(address, 7, 16, &error)) << error;
  EXPECT_TRUE(backend->download(&byte, address + 15, 1, &error)) << error;
  EXPECT_EQ(byte, 7);
  backend->release(address);
  EXPECT_FALSE(backend->download(&byte, address, 1, &error));
}

TEST_F(EmulatorBackendTest, IsKnownByName) {
  registerEmulatorBackend();
  registerEmulatorBackend();
  BackendOptions options;
  options.seed = 5;
  BackendResult result = createBackend("emulator", options);
  ASSERT_EQ(result.status, BackendStatus::Ok) << result.error;
  EXPECT_EQ(result.backend->name(), "emulator");
}
