// SPDX-License-Identifier: Apache-2.0
#include "PlanSamples.h"

#include <gtest/gtest.h>

#include <functional>
#include <random>

using namespace tilewright;

static std::string verifyError(const std::function<void(LaunchPlan &)> &breakPlan) {
  LaunchPlan plan = makeSamplePlan();
  breakPlan(plan);
  std::string error;
  EXPECT_FALSE(verifyLaunchPlan(plan, &error));
  // A broken plan must not survive the way through JSON either.
  std::string parseError;
  EXPECT_FALSE(parseLaunchPlan(printLaunchPlan(plan), &parseError)) << error;
  return error;
}

static std::string parseError(const std::string &text) {
  std::string error;
  EXPECT_FALSE(parseLaunchPlan(text, &error)) << text;
  return error;
}

/// The sample's JSON with the first occurrence of `from` replaced.
static std::string editedJson(const std::string &from, const std::string &to) {
  std::string text = printLaunchPlan(makeSamplePlan());
  size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from << " in " << text;
  return text.replace(at, from.size(), to);
}

TEST(ScalarType, NamesRoundTripAndSizesFit) {
  for (unsigned i = 0; i < kNumScalarTypes; ++i) {
    ScalarType type = static_cast<ScalarType>(i);
    EXPECT_EQ(parseScalarType(scalarTypeName(type)), type);
    if (scalarTypeBytes(type) != 0)
      EXPECT_LE(scalarTypeBits(type), 8 * scalarTypeBytes(type));
  }
  EXPECT_FALSE(parseScalarType("f17"));
  EXPECT_FALSE(parseScalarType(""));
}

TEST(LaunchPlan, NamesOfOperationsRoundTrip) {
  for (unsigned i = 0; i < kNumExprOps; ++i)
    EXPECT_EQ(parseExprOp(exprOpName(static_cast<ExprOp>(i))), static_cast<ExprOp>(i));
  for (unsigned i = 0; i < kNumDeviceInfoKinds; ++i)
    EXPECT_EQ(parseDeviceInfo(deviceInfoName(static_cast<DeviceInfoKind>(i))), static_cast<DeviceInfoKind>(i));
  EXPECT_FALSE(parseExprOp("pow"));
  EXPECT_EQ(exprOpName(ExprOp::CeilDivS), "ceildiv_s");
  EXPECT_EQ(exprOpName(ExprOp::CmpUge), "cmp_uge");
  EXPECT_EQ(exprOpName(ExprOp::ZExt), "zext");
}

TEST(LaunchPlan, JsonRoundTripIsExactAndDeterministic) {
  LaunchPlan plan = makeSamplePlan();
  std::string error;
  ASSERT_TRUE(verifyLaunchPlan(plan, &error)) << error;
  std::string text = printLaunchPlan(plan);
  std::optional<LaunchPlan> read = parseLaunchPlan(text, &error);
  ASSERT_TRUE(read) << error;
  EXPECT_EQ(printLaunchPlan(*read), text);
  const PlanKernel &kernel = read->kernels.at(0);
  EXPECT_EQ(kernel.params[0].sizes, plan.kernels[0].params[0].sizes);
  EXPECT_EQ(kernel.params[0].stridesDivBy, plan.kernels[0].params[0].stridesDivBy);
  EXPECT_FALSE(kernel.params[0].isWritten);
  EXPECT_EQ(kernel.params[2].min, -5);
  EXPECT_EQ(kernel.exprs, plan.kernels[0].exprs);
  EXPECT_EQ(kernel.variants[0].facts, plan.kernels[0].variants[0].facts);
  EXPECT_EQ(kernel.variants[0].dynamicSharedBytes, 1024u);
}

TEST(LaunchPlan, TextThatIsNotUtf8IsStillPrintable) {
  LaunchPlan plan = makeSamplePlan();
  plan.options = "\xff\xfe";
  std::string error;
  EXPECT_TRUE(parseLaunchPlan(printLaunchPlan(plan), &error)) << error;
}

TEST(LaunchPlan, EveryRuleOfTheStructureIsChecked) {
  using Plan = LaunchPlan;
  EXPECT_EQ(verifyError([](Plan &p) { p.version = 1; }), "launch plan: version 1 is not supported, expected 4");
  EXPECT_EQ(verifyError([](Plan &p) { p.target = ""; }), "launch plan: target is empty");
  EXPECT_EQ(verifyError([](Plan &p) { p.kernels.push_back(p.kernels[0]); }),
            "launch plan: two kernels are called 'copy'");
  EXPECT_EQ(verifyError([](Plan &p) { p.kernels[0].name = ""; }), "launch plan: kernel name is empty");
  EXPECT_EQ(verifyError([](Plan &p) { p.kernels[0].variants.clear(); }), "kernel 'copy': has no variant");
  EXPECT_EQ(verifyError([](Plan &p) { p.options = std::string(70000, 'x'); }),
            "launch plan: 70000 bytes of options, at most 65536 are allowed");

  auto param = [](const std::function<void(PlanParam &)> &change) {
    return verifyError([&](Plan &p) { change(p.kernels[0].params[0]); });
  };
  const std::string v = "kernel 'copy', parameter 'v': ";
  EXPECT_EQ(param([](PlanParam &p) { p.divBy = 0; }), v + "div_by is 0, expected at least 1");
  EXPECT_EQ(param([](PlanParam &p) { p.strides.pop_back(); }), v + "2 sizes but 1 strides");
  EXPECT_EQ(param([](PlanParam &p) { p.sizes = p.strides = {}; }), v + "rank 0 is not possible");
  EXPECT_EQ(param([](PlanParam &p) { p.kind = ParamKind::Pointer; }), v + "rank 2 is not possible");
  EXPECT_EQ(param([](PlanParam &p) { p.sizes[1] = -1; }), v + "size -1 is negative");
  EXPECT_EQ(param([](PlanParam &p) { p.sizesDivBy = {1}; }), v + "1 divisors for rank 2");
  EXPECT_EQ(param([](PlanParam &p) { p.stridesDivBy[1] = 0; }), v + "divisor 0 is below 1");
  EXPECT_EQ(param([](PlanParam &p) { p.min = 0; }), v + "only an integer scalar has bounds");
  EXPECT_EQ(param([](PlanParam &p) { p.name = "p"; }), "kernel 'copy': two parameters are called 'p'");
  EXPECT_EQ(verifyError([](Plan &p) { p.kernels[0].params[2].min = 2000; }),
            "kernel 'copy', parameter 2: min 2000 is above max 1000");
  EXPECT_EQ(verifyError([](Plan &p) {
              p.kernels[0].params[2] = {"s", ParamKind::Scalar, ScalarType::F32, {}, {}, 4, {}, {}, {}, {}};
            }),
            "kernel 'copy', parameter 's': only an integer scalar has a divisor");

  auto expr = [](PlanExpr bad) { return verifyError([&](Plan &p) { p.kernels[0].exprs[6] = bad; }); };
  const std::string e = "kernel 'copy', expr 6 ";
  EXPECT_EQ(expr({ExprOp::Add, 1, 6}), e + "(add): operand 6 is not an earlier expression");
  EXPECT_EQ(expr({ExprOp::Add, -1, 0}), e + "(add): operand -1 is not an earlier expression");
  EXPECT_EQ(expr({ExprOp::Select, 0, 0, 7}), e + "(select): operand 7 is not an earlier expression");
  EXPECT_EQ(expr({ExprOp::SExt, 9, 8}), e + "(sext): operand 9 is not an earlier expression");
  EXPECT_EQ(expr({ExprOp::SExt, 0, 0}), e + "(sext): width 0 is not in 1..64");
  EXPECT_EQ(expr({ExprOp::ZExt, 0, 65}), e + "(zext): width 65 is not in 1..64");
  EXPECT_EQ(expr({ExprOp::ArgScalar, 3}), e + "(arg_scalar): there is no parameter 3");
  EXPECT_EQ(expr({ExprOp::ArgScalar, -1}), e + "(arg_scalar): there is no parameter -1");
  EXPECT_EQ(expr({ExprOp::ArgScalar, 0}), e + "(arg_scalar): parameter 'v' is not a scalar");
  EXPECT_EQ(expr({ExprOp::ArgBase, 2}), e + "(arg_base): parameter 2 has no address");
  EXPECT_EQ(expr({ExprOp::ArgSize, 0, 2}), e + "(arg_size): parameter 'v' has no dim 2");
  EXPECT_EQ(expr({ExprOp::ArgStride, 1, 0}), e + "(arg_stride): parameter 'p' has no dim 0");

  // What depends on the variant is known once it is chosen.
  auto resident = [](const std::function<void(PlanKernel &, uint32_t)> &use) {
    return verifyError([&](Plan &p) {
      PlanKernel &kernel = p.kernels[0];
      auto next = static_cast<uint32_t>(kernel.exprs.size());
      kernel.exprs.push_back({ExprOp::DeviceInfo, static_cast<int64_t>(DeviceInfoKind::MaxCtasPerSm)});
      kernel.exprs.push_back({ExprOp::Add, next, 0});
      use(kernel, next + 1);
    });
  };
  const std::string known = ": it depends on max_ctas_per_sm, which is known of a chosen variant only";
  EXPECT_EQ(resident([](PlanKernel &k, uint32_t e) { k.checks[0].expr = e; }), "kernel 'copy', check 0" + known);
  EXPECT_EQ(resident([](PlanKernel &k, uint32_t e) { k.variants[0].guard = e; }),
            "kernel 'copy', variant 0, guard" + known);

  EXPECT_EQ(verifyError([](Plan &p) { p.kernels[0].checks[0].expr = 13; }),
            "kernel 'copy', check 0: 13 is not an expression");
  EXPECT_EQ(verifyError([](Plan &p) { p.kernels[0].checks[0].message = ""; }),
            "kernel 'copy', check 0: message is empty");

  auto variant = [](size_t index, const std::function<void(PlanVariant &)> &change) {
    return verifyError([&](Plan &p) { change(p.kernels[0].variants[index]); });
  };
  const std::string v0 = "kernel 'copy', variant 0: ", v1 = "kernel 'copy', variant 1: ";
  EXPECT_EQ(variant(1, [](PlanVariant &x) { x.guard = 0; }), v1 + "the last variant has a guard");
  EXPECT_EQ(variant(0, [](PlanVariant &x) { x.guard = -1; }), v0 + "guard -1 is not an expression");
  EXPECT_EQ(variant(0, [](PlanVariant &x) { x.guard = 13; }), v0 + "guard 13 is not an expression");
  EXPECT_EQ(variant(0, [](PlanVariant &x) { x.symbol = ""; }), v0 + "symbol is empty");
  EXPECT_EQ(variant(0, [](PlanVariant &x) { x.module = ""; }), v0 + "module is empty");
  EXPECT_EQ(variant(0, [](PlanVariant &x) { x.grid = {}; }), v0 + "the grid has 0 extents, expected 1 to 3");
  EXPECT_EQ(variant(0, [](PlanVariant &x) { x.grid = {99}; }), v0 + "grid extent 99 is not an expression");
  EXPECT_EQ(variant(0, [](PlanVariant &x) { x.numThreads = 1025; }), v0 + "1025 threads, expected 1 to 1024");
  EXPECT_EQ(variant(0, [](PlanVariant &x) { x.numThreads = 0; }), v0 + "0 threads, expected 1 to 1024");
  EXPECT_EQ(variant(0, [](PlanVariant &x) { x.cluster = {1, 0, 1}; }), v0 + "cluster extent 0 is not in 1..16");
  EXPECT_EQ(variant(0, [](PlanVariant &x) { x.cluster = {8, 4, 1}; }),
            v0 + "a cluster of 32 CTAs, expected at most 16");
  EXPECT_EQ(variant(0, [](PlanVariant &x) { x.dynamicSharedBytes = 2 << 20; }),
            v0 + "2097152 bytes of shared memory, at most 1048576 are allowed");
  EXPECT_EQ(variant(0, [](PlanVariant &x) { x.launchArgs[0].expr = 13; }),
            v0 + "launch argument 13 is not an expression");
  EXPECT_EQ(variant(0, [](PlanVariant &x) { x.facts[0].first = ""; }), v0 + "fact name is empty");
}

TEST(LaunchPlan, CountsAreCapped) {
  EXPECT_EQ(verifyError([](LaunchPlan &p) { p.kernels[0].exprs.resize(4097); }),
            "kernel 'copy': 4097 expressions, at most 4096 are allowed");
  EXPECT_EQ(verifyError([](LaunchPlan &p) { p.kernels[0].params.resize(257); }),
            "kernel 'copy': 257 parameters, at most 256 are allowed");
  EXPECT_EQ(verifyError([](LaunchPlan &p) { p.kernels[0].variants.resize(65); }),
            "kernel 'copy': 65 variants, at most 64 are allowed");
  EXPECT_EQ(verifyError([](LaunchPlan &p) { p.kernels[0].checks.resize(1025); }),
            "kernel 'copy': 1025 checks, at most 1024 are allowed");
  EXPECT_EQ(verifyError([](LaunchPlan &p) { p.kernels[0].variants[0].launchArgs.resize(1025); }),
            "kernel 'copy', variant 0: 1025 launch arguments, at most 1024 are allowed");
}

TEST(LaunchPlan, JsonErrorsNameTheField) {
  EXPECT_EQ(parseError("[]"), "launch plan, top level: expected an object with a version");
  EXPECT_EQ(parseError("{\"version\":7}"), "launch plan: version 7 is not supported, expected 4");
  EXPECT_NE(parseError("{").find("launch plan: "), std::string::npos);
  EXPECT_EQ(parseError(editedJson("\"div_by\":16", "\"div_by\":\"x\"")),
            "launch plan, top level.kernels[0].params[0].div_by: expected an integer, found \"x\"");
  EXPECT_EQ(parseError(editedJson("\"div_by\":16", "\"div_by\":1.5")),
            "launch plan, top level.kernels[0].params[0].div_by: expected an integer, found 1.5");
  EXPECT_EQ(parseError(editedJson("\"div_by\":16", "\"div_by\":18446744073709551615")),
            "launch plan, top level.kernels[0].params[0].div_by: expected an integer, found 18446744073709551615");
  EXPECT_EQ(parseError(editedJson("\"div_by\":16,", "")),
            "launch plan, top level.kernels[0].params[0]: field 'div_by' is missing");
  EXPECT_EQ(parseError(editedJson("\"div_by\":16", "\"div_by\":16,\"extra\":1")),
            "launch plan, top level.kernels[0].params[0]: unknown field 'extra'");
  EXPECT_EQ(parseError(editedJson("\"kind\":\"view\"", "\"kind\":\"tile\"")),
            "launch plan, top level.kernels[0].params[0].kind: expected view, pointer or scalar, found 'tile'");
  EXPECT_EQ(parseError(editedJson("\"type\":\"f16\"", "\"type\":\"f17\"")),
            "launch plan, top level.kernels[0].params[0].type: unknown type \"f17\"");
  EXPECT_EQ(parseError(editedJson("[\"ceildiv_s\",1,5]", "[\"ceildiv_s\",1]")),
            "launch plan, top level.kernels[0].exprs[6]: ceildiv_s takes 2 operands, found 1");
  EXPECT_EQ(parseError(editedJson("[\"ceildiv_s\",1,5]", "[\"frob\",1]")),
            "launch plan, top level.kernels[0].exprs[6][0]: unknown operation 'frob'");
  EXPECT_EQ(parseError(editedJson("[\"ceildiv_s\",1,5]", "[]")),
            "launch plan, top level.kernels[0].exprs[6]: expected an operation");
  EXPECT_EQ(parseError(editedJson("\"sm_count\"", "\"color\"")),
            "launch plan, top level.kernels[0].exprs[12][1]: unknown device fact 'color'");
  EXPECT_EQ(parseError(editedJson("\"num_threads\":256", "\"num_threads\":-1")),
            "launch plan, top level.kernels[0].variants[0].num_threads: -1 is not in 0..4294967295");
  EXPECT_EQ(parseError(editedJson("\"cluster\":[1,1,1]", "\"cluster\":[1,1]")),
            "launch plan, top level.kernels[0].variants[0].cluster: expected three extents");
  EXPECT_EQ(parseError(editedJson("\"read\":true", "\"read\":1")),
            "launch plan, top level.kernels[0].params[0].read: expected true or false, found 1");
  EXPECT_EQ(parseError(editedJson("\"kernels\":[", "\"kernels\":7,\"x\":[")),
            "launch plan, top level: unknown field 'x'");
}

// Whatever a file holds, the reader answers with a plan that verifies or with a message.
TEST(LaunchPlan, DamagedJsonNeverCrashes) {
  const std::string text = printLaunchPlan(makeSamplePlan());
  std::string error;
  for (size_t size = 0; size < text.size(); size += 3) {
    error.clear();
    EXPECT_FALSE(parseLaunchPlan(text.substr(0, size), &error));
    EXPECT_FALSE(error.empty());
  }
  std::mt19937 random(7);
  const std::string alphabet = "0123456789-,:[]{}\"eE.?x\xff";
  for (int i = 0; i < 3000; ++i) {
    std::string damaged = text;
    for (unsigned k = 0; k <= random() % 3; ++k)
      damaged[random() % damaged.size()] = alphabet[random() % alphabet.size()];
    error.clear();
    std::optional<LaunchPlan> plan = parseLaunchPlan(damaged, &error);
    EXPECT_NE(plan.has_value(), !error.empty());
    if (plan)
      EXPECT_TRUE(verifyLaunchPlan(*plan, &error)) << error;
  }
  EXPECT_FALSE(parseLaunchPlan(std::string(200000, '['), &error));
}

TEST(LaunchPlan, FindsKernelsAndParameters) {
  LaunchPlan plan = makeSamplePlan();
  ASSERT_TRUE(plan.findKernel("copy"));
  EXPECT_FALSE(plan.findKernel("cop"));
  const PlanKernel &kernel = plan.kernels[0];
  EXPECT_EQ(findParam(kernel, "v"), 0u);
  EXPECT_EQ(findParam(kernel, "2"), 2u);
  for (const char *bad : {"", "3", "w", "-1", "1x", " 1", "99999999999999999999999"})
    EXPECT_FALSE(findParam(kernel, bad)) << bad;
  EXPECT_EQ(describeParam(kernel, 0), "parameter 'v'");
  EXPECT_EQ(describeParam(kernel, 2), "parameter 2");
}
