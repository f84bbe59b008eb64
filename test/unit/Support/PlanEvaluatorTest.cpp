// SPDX-License-Identifier: Apache-2.0
#include "tilewright/Support/PlanEvaluator.h"
#include "PlanSamples.h"

#include <gtest/gtest.h>

#include <functional>

using namespace tilewright;

static constexpr DeviceInfoValues kDevice = {132, 232448, 1024, 90, 50 << 20};

namespace {
/// Arguments that the sample plan accepts; tests change one thing each.
struct SampleArgs {
  int64_t sizes[3] = {256, 64, 1}, strides[3] = {72, 1, 1};
  PlanArg args[3];
  SampleArgs() {
    args[0] = {ParamKind::View, ScalarType::F16, 2, 0x1000, sizes, strides};
    args[1] = {ParamKind::Pointer, ScalarType::F32, 0, 0x2004, nullptr, nullptr};
    args[2] = {ParamKind::Scalar, ScalarType::Index, 0, 7, nullptr, nullptr};
  }
};

/// A kernel `@k(%a: i64, %b: i64, %c: i64)` whose grid is 1 and whose only launch argument is `expr` over them.
struct ExprKernel {
  PlanKernel kernel;
  explicit ExprKernel(std::vector<PlanExpr> extra) {
    kernel.name = "k";
    for (const char *name : {"a", "b", "c"}) {
      PlanParam param;
      param.name = name;
      param.type = ScalarType::I64;
      kernel.params.push_back(param);
    }
    kernel.exprs = {{ExprOp::ArgScalar, 0}, {ExprOp::ArgScalar, 1}, {ExprOp::ArgScalar, 2}, {ExprOp::Constant, 1}};
    kernel.exprs.insert(kernel.exprs.end(), extra.begin(), extra.end());
    PlanVariant variant;
    variant.symbol = variant.module = "k";
    variant.grid = {3};
    variant.launchArgs = {{static_cast<uint32_t>(kernel.exprs.size() - 1), ScalarType::I64}};
    kernel.variants = {variant};
  }
  /// Value of the last expression, or the message.
  std::pair<int64_t, std::string> run(int64_t a, int64_t b, int64_t c = 0) const {
    PlanEvaluator evaluator(kernel, kDevice);
    PlanArg args[3];
    const int64_t values[] = {a, b, c};
    for (int i = 0; i < 3; ++i)
      args[i] = {ParamKind::Scalar, ScalarType::I64, 0, static_cast<uint64_t>(values[i]), nullptr, nullptr};
    PlanDecision decision;
    uint64_t slot = 0;
    std::string error;
    evaluator.evaluate(args, 3, &decision, &slot, &error);
    return {static_cast<int64_t>(slot), error};
  }
};
} // namespace

static std::string checkError(const std::function<void(SampleArgs &)> &change) {
  LaunchPlan plan = makeSamplePlan();
  PlanEvaluator evaluator(plan.kernels[0], kDevice);
  SampleArgs sample;
  change(sample);
  std::string error;
  PlanDecision decision;
  uint64_t slots[8];
  bool isOk = evaluator.evaluate(sample.args, 3, &decision, slots, &error);
  EXPECT_EQ(isOk, error.empty());
  return error;
}

// Every operation against arithmetic in 128 bits, over the small values and the edges of the range.
TEST(PlanEvaluator, ArithmeticIsExact) {
  using Wide = __int128;
  std::vector<int64_t> values = {INT64_MIN, INT64_MIN + 1, INT64_MAX, INT64_MAX - 1, 63, 64};
  for (int64_t i = -9; i <= 9; ++i)
    values.push_back(i);
  auto floorDiv = [](Wide x, Wide y) { return x / y - ((x % y != 0) && ((x < 0) != (y < 0))); };
  for (unsigned op = static_cast<unsigned>(ExprOp::Add); op < static_cast<unsigned>(ExprOp::Select); ++op) {
    ExprOp kind = static_cast<ExprOp>(op);
    ExprKernel expr({{kind, 0, 1}});
    bool isUnsigned = exprOpName(kind).find("_u") != std::string_view::npos;
    bool isDivision = kind >= ExprOp::DivS && kind <= ExprOp::CeilDivU;
    bool isShift = kind >= ExprOp::Shl && kind <= ExprOp::ShrU;
    for (int64_t a : values) {
      for (int64_t b : values) {
        auto [result, error] = expr.run(a, b);
        if (isDivision && b == 0) {
          EXPECT_NE(error.find("division by zero in " + std::string(exprOpName(kind))), std::string::npos);
          continue;
        }
        if (isShift && (b < 0 || b > 63)) {
          EXPECT_NE(error.find("a shift by less than 0 or more than 63 bits"), std::string::npos);
          continue;
        }
        Wide x = isUnsigned ? Wide(uint64_t(a)) : Wide(a), y = isUnsigned ? Wide(uint64_t(b)) : Wide(b);
        Wide expected = 0;
        bool mayOverflow = !isUnsigned && (kind <= ExprOp::Mul || isDivision);
        switch (kind) {
        case ExprOp::Add:
          expected = x + y;
          break;
        case ExprOp::Sub:
          expected = x - y;
          break;
        case ExprOp::Mul:
          expected = x * y;
          break;
        case ExprOp::DivS:
        case ExprOp::DivU:
          expected = x / y;
          break;
        case ExprOp::RemS:
        case ExprOp::RemU:
          expected = x % y;
          break;
        case ExprOp::FloorDivS:
          expected = floorDiv(x, y);
          break;
        case ExprOp::CeilDivS:
        case ExprOp::CeilDivU:
          expected = -floorDiv(-x, y);
          break;
        case ExprOp::MinS:
        case ExprOp::MinU:
          expected = x < y ? x : y;
          break;
        case ExprOp::MaxS:
        case ExprOp::MaxU:
          expected = x > y ? x : y;
          break;
        case ExprOp::And:
          expected = a & b;
          break;
        case ExprOp::Or:
          expected = a | b;
          break;
        case ExprOp::Xor:
          expected = a ^ b;
          break;
        case ExprOp::Shl:
          expected = int64_t(uint64_t(a) << b);
          break;
        case ExprOp::ShrS:
          expected = floorDiv(Wide(a), Wide(1) << b);
          break;
        case ExprOp::ShrU:
          expected = Wide(uint64_t(a)) / (Wide(1) << b);
          break;
        case ExprOp::CmpEq:
          expected = x == y;
          break;
        case ExprOp::CmpNe:
          expected = x != y;
          break;
        case ExprOp::CmpSlt:
        case ExprOp::CmpUlt:
          expected = x < y;
          break;
        case ExprOp::CmpSle:
        case ExprOp::CmpUle:
          expected = x <= y;
          break;
        case ExprOp::CmpSgt:
        case ExprOp::CmpUgt:
          expected = x > y;
          break;
        case ExprOp::CmpSge:
        case ExprOp::CmpUge:
          expected = x >= y;
          break;
        default:
          FAIL();
        }
        if (mayOverflow && (expected < INT64_MIN || expected > INT64_MAX)) {
          EXPECT_NE(error.find("64-bit overflow"), std::string::npos) << exprOpName(kind) << " " << a << " " << b;
          continue;
        }
        EXPECT_EQ(error, "");
        EXPECT_EQ(result, int64_t(expected)) << exprOpName(kind) << " " << a << " " << b;
      }
    }
  }
}

TEST(PlanEvaluator, ExtensionsKeepTheLowBits) {
  EXPECT_EQ(ExprKernel({{ExprOp::SExt, 0, 8}}).run(0x1ff, 0).first, -1);
  EXPECT_EQ(ExprKernel({{ExprOp::ZExt, 0, 8}}).run(-1, 0).first, 255);
  EXPECT_EQ(ExprKernel({{ExprOp::SExt, 0, 1}}).run(1, 0).first, -1);
  EXPECT_EQ(ExprKernel({{ExprOp::SExt, 0, 64}}).run(-5, 0).first, -5);
  EXPECT_EQ(ExprKernel({{ExprOp::ZExt, 0, 64}}).run(-5, 0).first, -5);
}

TEST(PlanEvaluator, SelectIgnoresTheTroubleOfTheOtherSide) {
  ExprKernel expr({{ExprOp::DivS, 0, 1}, {ExprOp::Select, 1, 4, 2}});
  EXPECT_EQ(expr.run(12, 3, 99).first, 4);
  EXPECT_EQ(expr.run(12, 0, 99), std::make_pair(int64_t(99), std::string()));
  ExprKernel bad({{ExprOp::DivS, 0, 1}, {ExprOp::Select, 4, 2, 2}});
  EXPECT_EQ(bad.run(12, 0, 99).second, "kernel 'k': launch argument 0 cannot be computed: division by zero in div_s, "
                                       "from parameter 'a' = 12, parameter 'b' = 0");
}

TEST(PlanEvaluator, PicksTheFirstVariantWhoseGuardHolds) {
  LaunchPlan plan = makeSamplePlan();
  PlanEvaluator evaluator(plan.kernels[0], kDevice);
  EXPECT_EQ(evaluator.getMaxSlots(), 5u);
  SampleArgs sample;
  PlanDecision decision;
  uint64_t slots[5];
  std::string error;
  ASSERT_TRUE(evaluator.evaluate(sample.args, 3, &decision, slots, &error)) << error;
  EXPECT_EQ(decision.variant, 0u);
  EXPECT_EQ(decision.grid[0], 2u);
  EXPECT_EQ(decision.grid[1], 132u);
  EXPECT_EQ(decision.grid[2], 1u);
  EXPECT_FALSE(decision.isEmpty);
  EXPECT_EQ(std::vector<uint64_t>(slots, slots + 5), (std::vector<uint64_t>{0x1000, 256, 72, 0x2004, 7}));
  sample.strides[0] = 66;
  ASSERT_TRUE(evaluator.evaluate(sample.args, 3, &decision, slots, &error)) << error;
  EXPECT_EQ(decision.variant, 1u);
}

// A guard that cannot be computed does not hold; the general variant is always right.
TEST(PlanEvaluator, AFailingGuardDoesNotHold) {
  LaunchPlan plan = makeSamplePlan();
  plan.kernels[0].exprs[7].a = 0; // stride % 0
  PlanEvaluator evaluator(plan.kernels[0], kDevice);
  SampleArgs sample;
  PlanDecision decision;
  uint64_t slots[5];
  std::string error;
  ASSERT_TRUE(evaluator.evaluate(sample.args, 3, &decision, slots, &error)) << error;
  EXPECT_EQ(decision.variant, 1u);
  EXPECT_EQ(slots[4], 7u);
}

TEST(PlanEvaluator, AnEmptyGridIsNoError) {
  LaunchPlan plan = makeSamplePlan();
  plan.kernels[0].exprs.push_back({ExprOp::DivS, 5, 1}); // 128 / size: fails for an empty array
  plan.kernels[0].variants[1].launchArgs[4].expr = 13;
  PlanEvaluator evaluator(plan.kernels[0], kDevice);
  SampleArgs sample;
  sample.sizes[0] = 0;
  sample.strides[0] = 3; // means nothing in an empty array, though 2 must divide it
  sample.args[0].value = 0;
  PlanDecision decision;
  uint64_t slots[5];
  std::string error;
  ASSERT_TRUE(evaluator.evaluate(sample.args, 3, &decision, slots, &error)) << error;
  EXPECT_TRUE(decision.isEmpty);
  EXPECT_EQ(decision.variant, 1u);
}

TEST(PlanEvaluator, ArgumentsAreChecked) {
  using Args = SampleArgs;
  const std::string k = "kernel 'copy': ";
  EXPECT_EQ(checkError([](Args &) {}), "");
  EXPECT_EQ(checkError([](Args &s) { s.args[0].kind = ParamKind::Scalar; }),
            k + "parameter 'v' expects an array of f16 with rank 2, got a scalar");
  EXPECT_EQ(checkError([](Args &s) { s.args[0].kind = ParamKind::Pointer; }),
            k + "parameter 'v' expects an array of f16 with rank 2, got a pointer");
  EXPECT_EQ(checkError([](Args &s) { s.args[0].type = ScalarType::F32; }),
            k + "parameter 'v' expects an array of f16 with rank 2, got an array of f32");
  EXPECT_EQ(checkError([](Args &s) { s.args[0].rank = 3; }),
            k + "parameter 'v' expects an array of f16 with rank 2, got rank 3");
  EXPECT_EQ(checkError([](Args &s) { s.args[0].rank = 1; }),
            k + "parameter 'v' expects an array of f16 with rank 2, got rank 1");
  EXPECT_EQ(checkError([](Args &s) { s.sizes[1] = 63; }), k + "parameter 'v' dim 1 has the static size 64, got 63");
  EXPECT_EQ(checkError([](Args &s) { s.sizes[0] = -4; }), k + "parameter 'v' dim 0 has the negative size -4");
  EXPECT_EQ(checkError([](Args &s) { s.sizes[0] = 255; }),
            k + "parameter 'v' dim 0 promises a size that is a multiple of 4, got 255");
  EXPECT_EQ(checkError([](Args &s) { s.strides[1] = 2; }), k + "parameter 'v' dim 1 has the static stride 1, got 2");
  EXPECT_EQ(checkError([](Args &s) { s.strides[0] = -73; }),
            k + "parameter 'v' dim 0 promises a stride that is a multiple of 2 elements, got -73");
  EXPECT_EQ(checkError([](Args &s) { s.args[0].value = 0x1008; }),
            k + "parameter 'v' promises an address that is a multiple of 16 bytes, got 0x1008");
  EXPECT_EQ(checkError([](Args &s) { s.args[0].value = 0; }), k + "parameter 'v' has a null address");
  EXPECT_EQ(checkError([](Args &s) { s.args[1].value = 0x2002; }),
            k + "parameter 'p' has the address 0x2002, which is not a multiple of the 4 bytes of f32");
  EXPECT_EQ(checkError([](Args &s) { s.args[1].kind = ParamKind::Scalar; }),
            k + "parameter 'p' expects an array of or pointer to f32, got a scalar");
  EXPECT_EQ(checkError([](Args &s) { s.args[2].type = ScalarType::I32; }),
            k + "parameter 2 expects a scalar of type index, got a scalar of type i32");
  EXPECT_EQ(checkError([](Args &s) { s.args[2].kind = ParamKind::View; }),
            k + "parameter 2 expects a scalar of type index, got an array");
  EXPECT_EQ(checkError([](Args &s) { s.args[2].value = uint64_t(-6); }),
            k + "parameter 2 promises a value of at least -5, got -6");
  EXPECT_EQ(checkError([](Args &s) { s.args[2].value = 1001; }),
            k + "parameter 2 promises a value of at most 1000, got 1001");
  // The plan's own check, with the values that broke it.
  EXPECT_EQ(checkError([](Args &s) { s.args[2].value = 0; }), k + "parameter 2 must be positive, from parameter 2 = 0");
}

TEST(PlanEvaluator, ScalarDivisorIsChecked) {
  ExprKernel expr({{ExprOp::Add, 0, 1}});
  expr.kernel.params[1].divBy = 8;
  EXPECT_EQ(expr.run(1, 16).second, "");
  EXPECT_EQ(expr.run(1, -12).second, "kernel 'k': parameter 'b' promises a multiple of 8, got -12");
}

TEST(PlanEvaluator, CountOfArgumentsIsChecked) {
  LaunchPlan plan = makeSamplePlan();
  PlanEvaluator evaluator(plan.kernels[0], kDevice);
  SampleArgs sample;
  std::string error;
  EXPECT_FALSE(evaluator.checkArgs(sample.args, 2, &error));
  EXPECT_EQ(error, "kernel 'copy': expected 3 arguments, got 2");
}

// Strides say nothing where there are less than two elements; an array may stand for a pointer.
TEST(PlanEvaluator, WhatMeansNothingIsNotChecked) {
  EXPECT_EQ(checkError([](SampleArgs &s) {
              s.sizes[0] = 0;
              s.strides[0] = 3;
              s.strides[1] = 17;
            }),
            "");
  LaunchPlan plan = makeSamplePlan();
  plan.kernels[0].params[0].sizesDivBy.clear();
  PlanEvaluator evaluator(plan.kernels[0], kDevice);
  SampleArgs sample;
  sample.sizes[0] = 1;
  sample.strides[0] = 3;
  sample.args[1].kind = ParamKind::View;
  sample.args[1].rank = 1;
  sample.args[1].sizes = sample.sizes;
  sample.args[1].strides = sample.strides;
  std::string error;
  EXPECT_TRUE(evaluator.checkArgs(sample.args, 3, &error)) << error;
}

TEST(PlanEvaluator, GridLimitsAreChecked) {
  auto gridError = [](size_t dims, int64_t a, int64_t b, int64_t c, std::array<uint32_t, 3> cluster = {1, 1, 1}) {
    ExprKernel expr({});
    expr.kernel.variants[0].grid = {0, 1, 2};
    expr.kernel.variants[0].grid.resize(dims);
    expr.kernel.variants[0].cluster = cluster;
    return expr.run(a, b, c).second;
  };
  EXPECT_EQ(gridError(3, 2147483647, 65535, 65535), "");
  EXPECT_EQ(gridError(1, 2147483648, 0, 0), "kernel 'k': grid x is 2147483648, which is over the device's limit of "
                                            "2147483647, from parameter 'a' = 2147483648");
  EXPECT_EQ(gridError(2, 1, 65536, 0), "kernel 'k': grid y is 65536, which is over the device's limit of 65535, from "
                                       "parameter 'b' = 65536");
  EXPECT_EQ(gridError(3, 1, 1, 65536), "kernel 'k': grid z is 65536, which is over the device's limit of 65535, from "
                                       "parameter 'c' = 65536");
  EXPECT_EQ(gridError(3, 1, -1, 1), "kernel 'k': grid y is -1, expected at least 0, from parameter 'b' = -1");
  EXPECT_EQ(gridError(1, 7, 0, 0, {2, 1, 1}),
            "kernel 'k': grid x is 7, expected a multiple of the cluster's 2, from parameter 'a' = 7");
  EXPECT_EQ(gridError(1, 8, 0, 0, {2, 2, 1}), "kernel 'k': grid y is 1, expected a multiple of the cluster's 2");
  EXPECT_EQ(gridError(2, 8, 4, 0, {2, 2, 1}), "");
}

TEST(PlanEvaluator, GridTroubleIsLocated) {
  ExprKernel expr({{ExprOp::CeilDivS, 0, 1}});
  expr.kernel.variants[0].grid = {4};
  EXPECT_EQ(expr.run(5, 0).second, "kernel 'k': grid x cannot be computed: division by zero in ceildiv_s, from "
                                   "parameter 'a' = 5, parameter 'b' = 0");
  expr.kernel.checks = {{4, "a must be a multiple"}};
  EXPECT_EQ(expr.run(5, 0).second, "kernel 'k': the check \"a must be a multiple\" cannot be computed: division by "
                                   "zero in ceildiv_s, from parameter 'a' = 5, parameter 'b' = 0");
}

/// The sample plan with `min(its grid, SMs * CTAs of each)` in the first variant.
static LaunchPlan makeResidentPlan() {
  LaunchPlan plan = makeSamplePlan();
  PlanKernel &kernel = plan.kernels[0];
  auto next = static_cast<uint32_t>(kernel.exprs.size());
  kernel.exprs.push_back({ExprOp::DeviceInfo, static_cast<int64_t>(DeviceInfoKind::MaxCtasPerSm)});
  kernel.exprs.push_back({ExprOp::DeviceInfo, static_cast<int64_t>(DeviceInfoKind::SmCount)});
  kernel.exprs.push_back({ExprOp::Mul, next, next + 1});
  kernel.variants[0].grid = {next + 2};
  return plan;
}

TEST(PlanEvaluator, AVariantLearnsHowManyOfItAnSmHolds) {
  LaunchPlan plan = makeResidentPlan();
  std::string error;
  ASSERT_TRUE(verifyLaunchPlan(plan, &error)) << error;
  std::vector<size_t> asked;
  PlanEvaluator evaluator(plan.kernels[0], kDevice, [&](size_t variant, int64_t *ctas, std::string *) {
    asked.push_back(variant);
    *ctas = 3;
    return true;
  });
  EXPECT_TRUE(evaluator.asksResidency(0));
  EXPECT_FALSE(evaluator.asksResidency(1));
  SampleArgs sample;
  PlanDecision decision;
  uint64_t slots[8];
  ASSERT_TRUE(evaluator.evaluate(sample.args, 3, &decision, slots, &error)) << error;
  EXPECT_EQ(decision.grid[0], 396u);
  EXPECT_EQ(asked, std::vector<size_t>{0});
  // The other variant does not ask.
  sample.strides[0] = 66;
  ASSERT_TRUE(evaluator.evaluate(sample.args, 3, &decision, slots, &error)) << error;
  EXPECT_EQ(decision.variant, 1u);
  EXPECT_EQ(decision.grid[0], 2u);
  EXPECT_EQ(asked.size(), 1u);
}

TEST(PlanEvaluator, HowManyAnSmHoldsIsNotTakenOnTrust) {
  LaunchPlan plan = makeResidentPlan();
  SampleArgs sample;
  PlanDecision decision;
  uint64_t slots[8];
  auto run = [&](const ResidencyQuery &query) {
    std::string error;
    EXPECT_FALSE(PlanEvaluator(plan.kernels[0], kDevice, query).evaluate(sample.args, 3, &decision, slots, &error));
    return error;
  };
  for (int64_t count : {-1, 0, 65})
    EXPECT_EQ(run([&](size_t, int64_t *ctas, std::string *) {
                *ctas = count;
                return true;
              }),
              "kernel 'copy': an SM is said to hold " + std::to_string(count) + " CTAs of 'copy_fast', expected 1 to 64");
  EXPECT_EQ(run({}), "kernel 'copy': an SM is said to hold 0 CTAs of 'copy_fast', expected 1 to 64");
  EXPECT_EQ(run([](size_t, int64_t *, std::string *error) {
              *error = "no driver";
              return false;
            }),
            "no driver");
}

TEST(PlanEvaluator, HowManyAnSmHoldsReachesTheSlowWay) {
  // The grid divides by it less 3: without a value for 3.
  LaunchPlan plan = makeResidentPlan();
  PlanKernel &kernel = plan.kernels[0];
  auto next = static_cast<uint32_t>(kernel.exprs.size());
  kernel.exprs.push_back({ExprOp::Constant, 3});
  kernel.exprs.push_back({ExprOp::Sub, next - 3, next});
  kernel.exprs.push_back({ExprOp::DivS, next, next + 1});
  kernel.variants[0].grid = {next + 2};
  SampleArgs sample;
  PlanDecision decision;
  uint64_t slots[8];
  std::string error;
  PlanEvaluator evaluator(kernel, kDevice, [](size_t, int64_t *ctas, std::string *) {
    *ctas = 3;
    return true;
  });
  EXPECT_FALSE(evaluator.evaluate(sample.args, 3, &decision, slots, &error));
  EXPECT_EQ(error, "kernel 'copy': grid x cannot be computed: division by zero in div_s");
}
