// SPDX-License-Identifier: Apache-2.0
/// \file
/// What tests may ask the fake CUDA driver, and the plan of the kernels that it knows.
#ifndef TILEWRIGHT_UNIT_RUNTIME_FAKECUDA_H
#define TILEWRIGHT_UNIT_RUNTIME_FAKECUDA_H

#include "tilewright/Runtime/Bundle.h"

#include <dlfcn.h>

/// Counters and the last launch; one per process.
struct FakeCudaState {
  size_t numAllocations = 0;
  int numContexts = 0, numModules = 0, numEvents = 0, numLaunches = 0, numDownloads = 0;
  bool wasLastModuleCubin = false;
  int maxDynamicSharedBytes = 0, allowsLargeClusters = 0;
  unsigned grid[3] = {}, numThreads = 0, sharedBytes = 0, clusterX = 0;
  void *stream = nullptr;
  char symbol[64] = "";
  /// Set by tests that only measure.
  bool skipsKernels = false;
};

namespace tilewright {

#ifdef FAKE_CUDA_LIBRARY // not while the driver itself is built
/// The state inside the driver that tests load from FAKE_CUDA_LIBRARY.
inline FakeCudaState &getFakeCuda() {
  void *handle = dlopen(FAKE_CUDA_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  return *reinterpret_cast<FakeCudaState *(*)()>(dlsym(handle, "fakeCudaState"))();
}
#endif

/// `@add(%a, %b, %c: !tile.view<?xf32, strides = [?]>)`, c = a + b with equal sizes, and its variant for unit strides.
inline Bundle makeAddBundle() {
  PlanKernel kernel;
  kernel.name = "add";
  for (const char *name : {"a", "b", "c"}) {
    PlanParam param;
    param.name = name;
    param.kind = ParamKind::View;
    param.type = ScalarType::F32;
    param.sizes = param.strides = {kPlanDynamic};
    param.isWritten = name[0] == 'c';
    kernel.params.push_back(param);
  }
  for (int64_t i = 0; i < 3; ++i) {
    kernel.exprs.push_back({ExprOp::ArgBase, i});
    kernel.exprs.push_back({ExprOp::ArgSize, i, 0});
    kernel.exprs.push_back({ExprOp::ArgStride, i, 0});
  }
  // 9: 1, 10-12: unit strides, 13-14: all of them, 15: 128, 16: grid, 17-18: sizes are equal
  kernel.exprs.insert(kernel.exprs.end(), {{ExprOp::Constant, 1},
                                           {ExprOp::CmpEq, 2, 9},
                                           {ExprOp::CmpEq, 5, 9},
                                           {ExprOp::CmpEq, 8, 9},
                                           {ExprOp::And, 10, 11},
                                           {ExprOp::And, 12, 13},
                                           {ExprOp::Constant, 128},
                                           {ExprOp::CeilDivS, 7, 15},
                                           {ExprOp::CmpEq, 1, 7},
                                           {ExprOp::CmpEq, 4, 7}});
  kernel.checks = {{17, "parameters 'a' and 'c' must have one size"},
                   {18, "parameters 'b' and 'c' must have one size"}};
  PlanVariant unit, general;
  unit.symbol = "add_unit";
  unit.module = general.module = "m";
  unit.guard = 14;
  unit.grid = general.grid = {16};
  unit.assumptions = {"unit strides"};
  general.symbol = "add";
  for (uint32_t i = 0; i < 9; ++i) {
    general.launchArgs.push_back({i, i % 3 == 0 ? ScalarType::I64 : ScalarType::Index});
    if (i % 3 != 2)
      unit.launchArgs.push_back(general.launchArgs.back());
  }
  kernel.variants = {unit, general};
  Bundle bundle;
  bundle.plan.target = "sm_90a";
  bundle.plan.kernels = {kernel};
  bundle.add(SectionKind::Ptx, "m", ".version 8.0\n");
  return bundle;
}

} // namespace tilewright

#endif // TILEWRIGHT_UNIT_RUNTIME_FAKECUDA_H
