// SPDX-License-Identifier: Apache-2.0
// What a launch costs on the host besides the driver: plan evaluation alone, and whole prepared launches through the
// C++ and C interfaces over a driver that returns at once. LAUNCH_OVERHEAD_DRIVER=libcuda.so.1 takes the real one
// instead. The budget is 0.5 us over the bare call.
#include "../unit/Runtime/FakeCuda.h"
#include "tilewright-c/Runtime.h"
#include "tilewright/Runtime/CudaBackend.h"
#include "tilewright/Runtime/CudaDriver.h"
#include "tilewright/Runtime/Launcher.h"

#include <benchmark/benchmark.h>

#include <chrono>
#include <cstdlib>

using namespace tilewright;

static constexpr DeviceInfoValues kDevice = {132, 232448, 1024, 90, 50 << 20};

/// `@matmul(%a, %b, %c: !tile.view<?x?xf16, strides = [?, ?]>)` with guards for unit stride and 16-byte alignment.
static Bundle makeMatmulBundle() {
  Bundle bundle = makeAddBundle();
  PlanKernel kernel;
  kernel.name = "matmul";
  for (int64_t i = 0; i < 3; ++i) {
    PlanParam param;
    param.name = std::string(1, "abc"[i]);
    param.kind = ParamKind::View;
    param.type = ScalarType::F16;
    param.sizes = param.strides = {kPlanDynamic, kPlanDynamic};
    kernel.params.push_back(param);
    kernel.exprs.push_back({ExprOp::ArgBase, i});
    for (int64_t d = 0; d < 2; ++d)
      kernel.exprs.push_back({ExprOp::ArgSize, i, d});
    for (int64_t d = 0; d < 2; ++d)
      kernel.exprs.push_back({ExprOp::ArgStride, i, d});
  }
  auto add = [&](PlanExpr expr) {
    kernel.exprs.push_back(expr);
    return static_cast<int64_t>(kernel.exprs.size()) - 1;
  };
  int64_t one = add({ExprOp::Constant, 1}), sixteen = add({ExprOp::Constant, 16}), eight = add({ExprOp::Constant, 8});
  int64_t zero = add({ExprOp::Constant, 0}), extent = add({ExprOp::Constant, 128});
  int64_t guard = one;
  for (int64_t i = 0; i < 3; ++i) {
    guard = add({ExprOp::And, guard, add({ExprOp::CmpEq, 5 * i + 4, one})});
    guard = add({ExprOp::And, guard, add({ExprOp::CmpEq, add({ExprOp::RemU, 5 * i, sixteen}), zero})});
    guard = add({ExprOp::And, guard, add({ExprOp::CmpEq, add({ExprOp::RemS, 5 * i + 3, eight}), zero})});
  }
  PlanVariant fast, general;
  fast.symbol = "add_unit";
  general.symbol = "add";
  fast.module = general.module = "m";
  fast.guard = guard;
  fast.grid = general.grid = {static_cast<uint32_t>(add({ExprOp::CeilDivS, 11, extent})),
                              static_cast<uint32_t>(add({ExprOp::CeilDivS, 12, extent}))};
  for (uint32_t i = 0; i < 15; ++i) {
    general.launchArgs.push_back({i, ScalarType::I64});
    if (i % 5 != 4)
      fast.launchArgs.push_back({i, ScalarType::I64});
  }
  kernel.variants = {fast, general};
  bundle.plan.kernels = {kernel};
  bundle.plan.target = "sm_80";
  // A kernel with the fast variant's parameters that does nothing.
  std::string ptx = ".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry add_unit(";
  for (int i = 0; i < 12; ++i)
    ptx += (i ? ", .param .u64 p" : ".param .u64 p") + std::to_string(i);
  bundle.sections[0].data = ptx + ") { ret; }\n";
  return bundle;
}

static const char *getDriver() {
  const char *driver = std::getenv("LAUNCH_OVERHEAD_DRIVER");
  return driver ? driver : FAKE_CUDA_LIBRARY;
}

/// Times `launch` in batches that fit the driver's queue, waiting in between: otherwise the device's speed is measured.
template <typename Launch, typename Wait>
static void timeBatches(benchmark::State &state, Launch &&launch, Wait &&wait) {
  constexpr int kBatch = 256;
  if (!std::getenv("LAUNCH_OVERHEAD_DRIVER"))
    getFakeCuda().skipsKernels = true;
  for (auto _ : state) {
    auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < kBatch; ++i)
      launch();
    std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    state.SetIterationTime(elapsed.count() / kBatch);
    wait();
  }
}

namespace {
struct MatmulArgs {
  int64_t sizes[2] = {4096, 4096}, strides[2] = {4096, 1};
  PlanArg args[3];
  MatmulArgs() {
    for (PlanArg &arg : args)
      arg = {ParamKind::View, ScalarType::F16, 2, 1 << 20, sizes, strides};
  }
};
} // namespace

static void evaluatePlan(benchmark::State &state) {
  Bundle bundle = makeMatmulBundle();
  PlanEvaluator evaluator(bundle.plan.kernels[0], kDevice);
  MatmulArgs matmul;
  matmul.strides[1] = state.range(0);
  PlanDecision decision;
  uint64_t slots[16];
  std::string error;
  for (auto _ : state) {
    if (!evaluator.evaluate(matmul.args, 3, &decision, slots, &error))
      state.SkipWithError(error.c_str());
    benchmark::DoNotOptimize(slots);
  }
}
BENCHMARK(evaluatePlan)->ArgName("stride")->Arg(1)->Arg(2);

/// The driver call alone, for comparison.
static void bareDriverCall(benchmark::State &state) {
  std::string error;
  Bundle bundle = makeMatmulBundle();
  std::unique_ptr<cuda::Driver> driver = cuda::Driver::load(getDriver(), &error);
  cuda::Context context = nullptr;
  cuda::Module module = nullptr;
  cuda::Function function = nullptr;
  driver->init(0);
  driver->primaryCtxRetain(&context, 0);
  driver->ctxSetCurrent(context);
  if (driver->moduleLoadDataEx(&module, bundle.sections[0].data.c_str(), 0, nullptr, nullptr) ||
      driver->moduleGetFunction(&function, module, "add_unit"))
    return state.SkipWithError("the module cannot be loaded");
  cuda::LaunchConfig config = {{32, 32, 1}, {128, 1, 1}, 0, nullptr, nullptr, 0};
  uint64_t slots[12] = {};
  void *params[12];
  for (int i = 0; i < 12; ++i)
    params[i] = &slots[i];
  timeBatches(
      state, [&] { driver->launchKernelEx(&config, function, params, nullptr); }, [&] { driver->ctxSynchronize(); });
  driver->moduleUnload(module);
  driver->primaryCtxRelease(0);
}
BENCHMARK(bareDriverCall)->UseManualTime()->Iterations(400);

static void launchPrepared(benchmark::State &state) {
  Bundle bundle = makeMatmulBundle();
  BackendResult made = createCudaBackend({}, getDriver());
  std::string error;
  made.backend->load(bundle, &error);
  KernelLauncher launcher(*made.backend, bundle.plan.kernels[0]);
  MatmulArgs matmul;
  if (!launcher.launchPrepared(matmul.args, 3, nullptr, &error))
    return state.SkipWithError(error.c_str());
  timeBatches(
      state, [&] { launcher.launchPrepared(matmul.args, 3, nullptr, &error); },
      [&] { made.backend->synchronize(&error); });
}
BENCHMARK(launchPrepared)->UseManualTime()->Iterations(400);

static void launchPreparedFromC(benchmark::State &state) {
  registerBackendFactory("fake", [](const BackendOptions &options) { return createCudaBackend(options, getDriver()); });
  std::string bytes = writeBundle(makeMatmulBundle(), nullptr).value();
  TwBundle *bundle = twBundleOpen(bytes.data(), bytes.size(), nullptr);
  TwBackend *backend = twBackendCreate("fake", 0, 0, nullptr);
  TwKernel *kernel = twKernelLookup(backend, bundle, nullptr, nullptr);
  MatmulArgs matmul;
  TwArg args[3] = {};
  for (TwArg &arg : args) {
    arg.kind = TW_ARG_DEVICE;
    arg.dtype = TW_F16;
    arg.address = 1 << 20;
    arg.rank = 2;
    arg.shape = matmul.sizes;
    arg.strides = matmul.strides;
  }
  if (twLaunchPrepared(kernel, args, 3, nullptr, nullptr) != TW_OK)
    state.SkipWithError("the launch failed");
  timeBatches(
      state, [&] { twLaunchPrepared(kernel, args, 3, nullptr, nullptr); }, [&] { twSynchronize(backend, nullptr); });
  twKernelDestroy(kernel);
  twBackendDestroy(backend);
  twBundleDestroy(bundle);
}
BENCHMARK(launchPreparedFromC)->UseManualTime()->Iterations(400);

BENCHMARK_MAIN();
