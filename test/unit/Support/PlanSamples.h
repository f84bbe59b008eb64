// SPDX-License-Identifier: Apache-2.0
/// \file
/// Plans that several test files start from.
#ifndef TILEWRIGHT_UNIT_SUPPORT_PLANSAMPLES_H
#define TILEWRIGHT_UNIT_SUPPORT_PLANSAMPLES_H

#include "tilewright/Support/LaunchPlan.h"

namespace tilewright {

/// `@copy(%v: !tile.view<?x64xf16, strides = [?, 1]>, %p: !tile.ptr<f32>, %n: index)`: a fast variant for row strides
/// that are multiples of 8, a general one, grid ceildiv(size of v in dim 0, 128), and the check n > 0.
inline LaunchPlan makeSamplePlan() {
  PlanParam view;
  view.name = "v";
  view.kind = ParamKind::View;
  view.type = ScalarType::F16;
  view.sizes = {kPlanDynamic, 64};
  view.strides = {kPlanDynamic, 1};
  view.divBy = 16;
  view.sizesDivBy = {4, 1};
  view.stridesDivBy = {2, 1};
  view.isWritten = false;
  PlanParam pointer;
  pointer.name = "p";
  pointer.kind = ParamKind::Pointer;
  pointer.type = ScalarType::F32;
  PlanParam scalar;
  scalar.kind = ParamKind::Scalar;
  scalar.type = ScalarType::Index;
  scalar.min = -5;
  scalar.max = 1000;

  PlanKernel kernel;
  kernel.name = "copy";
  kernel.params = {view, pointer, scalar};
  kernel.exprs = {{ExprOp::ArgBase, 0},   {ExprOp::ArgSize, 0, 0}, {ExprOp::ArgStride, 0, 0}, {ExprOp::ArgBase, 1},
                  {ExprOp::ArgScalar, 2}, {ExprOp::Constant, 128}, {ExprOp::CeilDivS, 1, 5},  {ExprOp::Constant, 8},
                  {ExprOp::RemS, 2, 7},   {ExprOp::Constant, 0},   {ExprOp::CmpEq, 8, 9},     {ExprOp::CmpSgt, 4, 9},
                  {ExprOp::DeviceInfo, 0}};
  kernel.checks = {{11, "parameter 2 must be positive"}};
  PlanVariant fast;
  fast.symbol = "copy_fast";
  fast.module = "m";
  fast.guard = 10;
  fast.grid = {6, 12};
  fast.numThreads = 256;
  fast.dynamicSharedBytes = 1024;
  fast.launchArgs = {{0, ScalarType::I64},
                     {1, ScalarType::Index},
                     {2, ScalarType::Index},
                     {3, ScalarType::I64},
                     {4, ScalarType::Index}};
  fast.assumptions = {"v: stride of dim 0 is a multiple of 8"};
  fast.facts = {{"registers", "32"}, {"spill bytes", "0"}};
  PlanVariant general = fast;
  general.symbol = "copy";
  general.guard = -1;
  general.assumptions.clear();
  kernel.variants = {fast, general};

  LaunchPlan plan;
  plan.target = "sm_90a";
  plan.compilerVersion = "0.1.0";
  plan.ptxasVersion = "13.0";
  plan.options = "--num-warps=8";
  plan.kernels = {kernel};
  return plan;
}

} // namespace tilewright

#endif // TILEWRIGHT_UNIT_SUPPORT_PLANSAMPLES_H
