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
  /// What the driver says that an SM holds, the kernel that was asked for last, and how often.
  int ctasPerSm = 2, numResidencyQueries = 0;
  const char *residentSymbol = "";
  int residentThreads = 0;
  size_t residentSharedBytes = 0;
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

/// PTX of the two variants of `@add`, for real devices; the fake driver reads its first word only.
inline const char *const kAddPtx = R"(.version 7.0
.target sm_80
.address_size 64
.visible .entry add(.param .u64 add_0, .param .u64 add_1, .param .u64 add_2, .param .u64 add_3, .param .u64 add_4, .param .u64 add_5, .param .u64 add_6, .param .u64 add_7, .param .u64 add_8) {
  .reg .u64 %rd<16>;
  .reg .u32 %r<4>;
  .reg .f32 %f<4>;
  .reg .pred %p;
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  mul.wide.u32 %rd1, %r1, %r2;
  cvt.u64.u32 %rd2, %r3;
  add.u64 %rd1, %rd1, %rd2;
  ld.param.u64 %rd3, [add_7];
  setp.ge.s64 %p, %rd1, %rd3;
  @%p bra DONE;
  ld.param.u64 %rd4, [add_0];
  cvta.to.global.u64 %rd4, %rd4;
  ld.param.u64 %rd8, [add_2];
  mul.lo.s64 %rd8, %rd8, %rd1;
  shl.b64 %rd8, %rd8, 2;
  add.u64 %rd4, %rd4, %rd8;
  ld.param.u64 %rd5, [add_3];
  cvta.to.global.u64 %rd5, %rd5;
  ld.param.u64 %rd9, [add_5];
  mul.lo.s64 %rd9, %rd9, %rd1;
  shl.b64 %rd9, %rd9, 2;
  add.u64 %rd5, %rd5, %rd9;
  ld.param.u64 %rd6, [add_6];
  cvta.to.global.u64 %rd6, %rd6;
  ld.param.u64 %rd10, [add_8];
  mul.lo.s64 %rd10, %rd10, %rd1;
  shl.b64 %rd10, %rd10, 2;
  add.u64 %rd6, %rd6, %rd10;
  ld.global.f32 %f1, [%rd4];
  ld.global.f32 %f2, [%rd5];
  add.f32 %f3, %f1, %f2;
  st.global.f32 [%rd6], %f3;
DONE:
  ret;
}
.visible .entry add_unit(.param .u64 add_unit_0, .param .u64 add_unit_1, .param .u64 add_unit_2, .param .u64 add_unit_3, .param .u64 add_unit_4, .param .u64 add_unit_5) {
  .reg .u64 %rd<16>;
  .reg .u32 %r<4>;
  .reg .f32 %f<4>;
  .reg .pred %p;
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  mul.wide.u32 %rd1, %r1, %r2;
  cvt.u64.u32 %rd2, %r3;
  add.u64 %rd1, %rd1, %rd2;
  ld.param.u64 %rd3, [add_unit_5];
  setp.ge.s64 %p, %rd1, %rd3;
  @%p bra DONE;
  ld.param.u64 %rd4, [add_unit_0];
  cvta.to.global.u64 %rd4, %rd4;
  shl.b64 %rd8, %rd1, 2;
  add.u64 %rd4, %rd4, %rd8;
  ld.param.u64 %rd5, [add_unit_2];
  cvta.to.global.u64 %rd5, %rd5;
  shl.b64 %rd9, %rd1, 2;
  add.u64 %rd5, %rd5, %rd9;
  ld.param.u64 %rd6, [add_unit_4];
  cvta.to.global.u64 %rd6, %rd6;
  shl.b64 %rd10, %rd1, 2;
  add.u64 %rd6, %rd6, %rd10;
  ld.global.f32 %f1, [%rd4];
  ld.global.f32 %f2, [%rd5];
  add.f32 %f3, %f1, %f2;
  st.global.f32 [%rd6], %f3;
DONE:
  ret;
}
)";

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
  bundle.add(SectionKind::Ptx, "m", kAddPtx);
  return bundle;
}

} // namespace tilewright

#endif // TILEWRIGHT_UNIT_RUNTIME_FAKECUDA_H
