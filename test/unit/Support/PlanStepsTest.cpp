// SPDX-License-Identifier: Apache-2.0
// Host functions in launch plans: structure, JSON, evaluation.
#include "PlanSamples.h"
#include "tilewright/Support/PlanEvaluator.h"

#include <gtest/gtest.h>

#include <functional>

using namespace tilewright;

/// The sample, and `@host(%v: view like copy's, %p: pointer, %n: index)`, which launches copy on rows n and on of v:
/// address v + 2 * n * stride, size - n rows.
static LaunchPlan makeHostPlan() {
  LaunchPlan plan = makeSamplePlan();
  PlanKernel host;
  host.name = "host";
  host.params = plan.kernels[0].params;
  host.exprs = {{ExprOp::ArgBase, 0},   {ExprOp::ArgSize, 0, 0}, {ExprOp::ArgStride, 0, 0}, {ExprOp::ArgBase, 1},
                {ExprOp::ArgScalar, 2}, {ExprOp::Constant, 64},  {ExprOp::Constant, 1},     {ExprOp::Constant, 2},
                {ExprOp::Mul, 4, 2},    {ExprOp::Mul, 8, 7},     {ExprOp::Add, 0, 9},       {ExprOp::Sub, 1, 4}};
  host.steps = {{"copy", {{10, {11, 5}, {2, 6}}, {3, {}, {}}, {4, {}, {}}}}};
  plan.kernels.push_back(host);
  return plan;
}

static std::string verifyError(const std::function<void(LaunchPlan &)> &breakPlan) {
  LaunchPlan plan = makeHostPlan();
  breakPlan(plan);
  std::string error, parseError;
  EXPECT_FALSE(verifyLaunchPlan(plan, &error));
  EXPECT_FALSE(parseLaunchPlan(printLaunchPlan(plan), &parseError)) << error;
  return error;
}

TEST(PlanSteps, JsonRoundTrip) {
  LaunchPlan plan = makeHostPlan();
  std::string error, text = printLaunchPlan(plan);
  std::optional<LaunchPlan> read = parseLaunchPlan(text, &error);
  ASSERT_TRUE(read) << error;
  EXPECT_EQ(printLaunchPlan(*read), text);
  EXPECT_TRUE(read->kernels[1].isHostFunction());
  EXPECT_FALSE(read->kernels[0].isHostFunction());
  EXPECT_EQ(read->kernels[1].steps[0].args[0].sizes, (std::vector<uint32_t>{11, 5}));
}

TEST(PlanSteps, EveryRuleIsChecked) {
  auto step = [](const std::function<void(PlanStep &)> &change) {
    return verifyError([&](LaunchPlan &p) { change(p.kernels[1].steps[0]); });
  };
  const std::string where = "kernel 'host', step 0: ";
  EXPECT_EQ(step([](PlanStep &s) { s.kernel = "none"; }), where + "there is no kernel 'none'");
  EXPECT_EQ(step([](PlanStep &s) { s.kernel = "host"; }), where + "there is no kernel 'host'");
  EXPECT_EQ(step([](PlanStep &s) { s.args.pop_back(); }), where + "2 arguments for the 3 parameters of 'copy'");
  EXPECT_EQ(step([](PlanStep &s) { s.args[0].strides.pop_back(); }),
            where + "argument 0 has 2 sizes and 1 strides for rank 2");
  EXPECT_EQ(step([](PlanStep &s) { s.args[2].value = 12; }), where + "argument 2: 12 is not an expression");
  EXPECT_EQ(step([](PlanStep &s) { s.args[0].sizes[1] = 99; }), where + "argument 0: 99 is not an expression");
  EXPECT_EQ(verifyError([](LaunchPlan &p) { p.kernels[1].variants = p.kernels[0].variants; }),
            "kernel 'host': has variants and steps");
}

TEST(PlanSteps, ArgumentsAreComputed) {
  LaunchPlan plan = makeHostPlan();
  PlanEvaluator evaluator(plan.kernels[1], {132, 0, 0, 0, 0});
  const int64_t sizes[] = {8, 64}, strides[] = {66, 1};
  PlanArg args[3];
  args[0] = {ParamKind::View, ScalarType::F16, 2, 4096, sizes, strides};
  args[1] = {ParamKind::Pointer, ScalarType::F32, 0, 8192, nullptr, nullptr};
  args[2] = {ParamKind::Scalar, ScalarType::Index, 0, 3, nullptr, nullptr};
  std::vector<int64_t> values(plan.kernels[1].exprs.size());
  std::string error;
  ASSERT_TRUE(evaluator.evaluateSteps(args, 3, values.data(), &error)) << error;
  EXPECT_EQ(values[10], 4096 + 2 * 3 * 66);
  EXPECT_EQ(values[11], 5);
  EXPECT_EQ(values[3], 8192);
  // The promises of the parameters are checked as for a kernel.
  args[2].value = 5000;
  EXPECT_FALSE(evaluator.evaluateSteps(args, 3, values.data(), &error));
  EXPECT_NE(error.find("kernel 'host': parameter 2"), std::string::npos) << error;
}

TEST(PlanSteps, TroubleIsLocated) {
  LaunchPlan plan = makeHostPlan();
  plan.kernels[1].exprs[11] = {ExprOp::DivS, 1, 4};
  PlanEvaluator evaluator(plan.kernels[1], {132, 0, 0, 0, 0});
  const int64_t sizes[] = {8, 64}, strides[] = {66, 1};
  PlanArg args[3];
  args[0] = {ParamKind::View, ScalarType::F16, 2, 4096, sizes, strides};
  args[1] = {ParamKind::Pointer, ScalarType::F32, 0, 8192, nullptr, nullptr};
  args[2] = {ParamKind::Scalar, ScalarType::Index, 0, 0, nullptr, nullptr};
  std::vector<int64_t> values(plan.kernels[1].exprs.size());
  std::string error;
  EXPECT_FALSE(evaluator.evaluateSteps(args, 3, values.data(), &error));
  EXPECT_EQ(error, "kernel 'host': argument 0 of launch 0 cannot be computed: division by zero in div_s, from "
                   "parameter 'v' size 0 = 8, parameter 2 = 0");
}
