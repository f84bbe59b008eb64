// SPDX-License-Identifier: Apache-2.0
#include "tilewright/Support/TmaRules.h"
#include "PlanSamples.h"
#include "tilewright/Support/PlanEvaluator.h"

#include <gtest/gtest.h>

#include <functional>
#include <vector>

using namespace tilewright;

/// 300x512 f16 in rows of 512, boxes of 64x100 with the swizzle of 128 bytes: legal, all numbers known.
static TmaTensor makeTensor() {
  TmaTensor tensor;
  tensor.type = ScalarType::F16;
  tensor.address = TmaNumber::exact(0x1000);
  tensor.rank = 2;
  tensor.dims[0] = {TmaNumber::exact(512), TmaNumber::exact(1), 64, 1};
  tensor.dims[1] = {TmaNumber::exact(300), TmaNumber::exact(512), 100, 0};
  tensor.swizzle = TmaSwizzle::Bytes128;
  return tensor;
}

static std::string explain(const std::function<void(TmaTensor &)> &change) {
  TmaTensor tensor = makeTensor();
  change(tensor);
  return explainTma(tensor);
}

static std::vector<std::pair<TmaRule, bool>> find(const std::function<void(TmaTensor &)> &change) {
  TmaTensor tensor = makeTensor();
  change(tensor);
  std::vector<std::pair<TmaRule, bool>> found;
  bool isLegal = checkTma(tensor, [&](const TmaFinding &f) { found.emplace_back(f.rule, f.isUnknown); });
  EXPECT_EQ(isLegal, found.empty());
  return found;
}

// One row per limit: the last legal value, and the first illegal one with its message.
TEST(TmaRules, EachLimitAndTheValueBehindIt) {
  using T = TmaTensor;
  EXPECT_EQ(explain([](T &) {}), "");
  auto address = [](int64_t value) { return explain([&](T &t) { t.address = TmaNumber::exact(value); }); };
  EXPECT_EQ(address(0x1010), "");
  EXPECT_EQ(address(-16), ""); // The upper half of the address space.
  EXPECT_EQ(address(0x1008), "the address is 0x1008, needs a multiple of 16");
  EXPECT_EQ(address(0x100f), "the address is 0x100f, needs a multiple of 16");

  auto size = [](int64_t value) { return explain([&](T &t) { t.dims[1].size = TmaNumber::exact(value); }); };
  EXPECT_EQ(size(1), "");
  EXPECT_EQ(size(0), "the size of dim 0 is 0, needs 1 to 4294967296");
  EXPECT_EQ(size(-1), "the size of dim 0 is -1, needs 1 to 4294967296");
  EXPECT_EQ(size(int64_t(1) << 32), "");
  EXPECT_EQ(size((int64_t(1) << 32) + 1), "the size of dim 0 is 4294967297, needs 1 to 4294967296");

  auto unit = [](int64_t value) { return explain([&](T &t) { t.dims[0].stride = TmaNumber::exact(value); }); };
  EXPECT_EQ(unit(2), "the stride of dim 1 is 2, needs 1");
  EXPECT_EQ(unit(0), "the stride of dim 1 is 0, needs 1");
  EXPECT_EQ(unit(-1), "the stride of dim 1 is -1, needs 1");

  auto stride = [](int64_t value) { return explain([&](T &t) { t.dims[1].stride = TmaNumber::exact(value); }); };
  EXPECT_EQ(stride(8), "");
  EXPECT_EQ(stride(511), "the stride of dim 0 is 1022 bytes, needs a multiple of 16");
  EXPECT_EQ(stride(0), "the stride of dim 0 is 0 bytes, needs 1 to 1099511627775");
  EXPECT_EQ(stride(-512), "the stride of dim 0 is -1024 bytes, needs 1 to 1099511627775");
  EXPECT_EQ(stride((int64_t(1) << 39) - 8), "");
  EXPECT_EQ(stride(int64_t(1) << 39), "the stride of dim 0 is 1099511627776 bytes, needs 1 to 1099511627775");
  EXPECT_EQ(stride(INT64_MAX - 7), "the stride of dim 0 is 9223372036854775800 elements, needs 1 to 1099511627775");

  auto box = [](uint32_t inner, uint32_t outer, TmaSwizzle swizzle) {
    return explain([&](T &t) {
      t.dims[0].box = inner;
      t.dims[1].box = outer;
      t.swizzle = swizzle;
    });
  };
  EXPECT_EQ(box(64, 256, TmaSwizzle::None), "");
  EXPECT_EQ(box(64, 257, TmaSwizzle::None), "the box extent of dim 0 is 257, needs 1 to 256");
  EXPECT_EQ(box(64, 0, TmaSwizzle::None), "the box extent of dim 0 is 0, needs 1 to 256");
  EXPECT_EQ(box(256, 1, TmaSwizzle::None), "");
  EXPECT_EQ(box(264, 1, TmaSwizzle::None), "the box extent of dim 1 is 264, needs 1 to 256");
  EXPECT_EQ(box(8, 1, TmaSwizzle::None), "");
  EXPECT_EQ(box(7, 1, TmaSwizzle::None), "the inner box is 14 bytes, needs a multiple of 16");
  EXPECT_EQ(box(16, 1, TmaSwizzle::Bytes32), "");
  EXPECT_EQ(box(24, 1, TmaSwizzle::Bytes32), "the inner box is 48 bytes, needs at most the 32 of its swizzle");
  EXPECT_EQ(box(32, 1, TmaSwizzle::Bytes64), "");
  EXPECT_EQ(box(40, 1, TmaSwizzle::Bytes64), "the inner box is 80 bytes, needs at most the 64 of its swizzle");
  EXPECT_EQ(box(72, 1, TmaSwizzle::Bytes128), "the inner box is 144 bytes, needs at most the 128 of its swizzle");

  EXPECT_EQ(explain([](T &t) { t.rank = 0; }), "the rank is 0, needs 1 to 5");
  EXPECT_EQ(explain([](T &t) { t.rank = 6; }), "the rank is 6, needs 1 to 5");
  EXPECT_EQ(explain([](T &t) { t.type = ScalarType::I4; }), "elements of i4 are packed two per byte, needs whole bytes");
  EXPECT_EQ(explain([](T &t) { t.fill = TmaFill::NaN; }), "");
  EXPECT_EQ(explain([](T &t) {
              t.type = ScalarType::I16;
              t.fill = TmaFill::NaN;
            }),
            "the fill is nan, needs a float type, found i16");
}

TEST(TmaRules, TheFifthDimensionIsCheckedToo) {
  auto fifth = [](int64_t stride) {
    return explain([&](TmaTensor &t) {
      t.rank = 5;
      for (uint32_t d = 2; d < 5; ++d)
        t.dims[d] = {TmaNumber::exact(2), TmaNumber::exact(1 << 20), 1, d};
      t.dims[4].stride = TmaNumber::exact(stride);
    });
  };
  EXPECT_EQ(fifth(1 << 21), "");
  EXPECT_EQ(fifth(4), "the stride of dim 4 is 8 bytes, needs a multiple of 16");
}

// The stride of a dimension with one element means nothing.
TEST(TmaRules, OneElementHasAnyStride) {
  for (int64_t stride : {INT64_MIN, int64_t(-1), int64_t(0), int64_t(3)})
    for (uint32_t d : {0u, 1u})
      EXPECT_EQ(explain([&](TmaTensor &t) { t.dims[d].size = TmaNumber::exact(1), t.dims[d].stride = TmaNumber::exact(stride); }), "");
}

// An element of 16 bytes or more never breaks the divisor; the smaller it is, the more elements it takes.
TEST(TmaRules, StridesCountInBytesOfEachType) {
  for (ScalarType type : {ScalarType::I8, ScalarType::F16, ScalarType::F32, ScalarType::F64}) {
    int64_t unit = 16 / scalarTypeBytes(type);
    for (int64_t stride = 1; stride <= 64; ++stride) {
      std::string text = explain([&](TmaTensor &t) {
        t.type = type;
        t.swizzle = TmaSwizzle::None;
        t.dims[1].stride = TmaNumber::exact(stride);
      });
      EXPECT_EQ(text.empty(), stride % unit == 0) << text;
    }
  }
}

TEST(TmaRules, FactsHoldAreUnknownOrAreBroken) {
  using Found = std::vector<std::pair<TmaRule, bool>>;
  constexpr bool unknown = true, broken = false;
  EXPECT_EQ(find([](TmaTensor &t) { t.address = {16, {}, {}}; }), Found{});
  EXPECT_EQ(find([](TmaTensor &t) { t.address = {8, {}, {}}; }), (Found{{TmaRule::Address, unknown}}));
  EXPECT_EQ(find([](TmaTensor &t) { t.dims[1].size = {1, 1, 4096}; }), Found{});
  EXPECT_EQ(find([](TmaTensor &t) { t.dims[1].size = {1, 0, 4096}; }), (Found{{TmaRule::Size, unknown}}));
  EXPECT_EQ(find([](TmaTensor &t) { t.dims[1].size = {1, -9, 0}; }), (Found{{TmaRule::Size, broken}}));
  EXPECT_EQ(find([](TmaTensor &t) { t.dims[1].size = {1, 1, {}}; }), (Found{{TmaRule::Size, unknown}}));
  EXPECT_EQ(find([](TmaTensor &t) { t.dims[0].stride = {}; }), (Found{{TmaRule::UnitStride, unknown}}));
  EXPECT_EQ(find([](TmaTensor &t) { t.dims[1].stride = {8, 1, 1 << 20}; }), Found{});
  EXPECT_EQ(find([](TmaTensor &t) { t.dims[1].stride = {4, 1, 1 << 20}; }), (Found{{TmaRule::StrideDivisor, unknown}}));
  EXPECT_EQ(find([](TmaTensor &t) { t.dims[1].stride = {}; }),
            (Found{{TmaRule::StrideRange, unknown}, {TmaRule::StrideDivisor, unknown}}));
  EXPECT_EQ(find([](TmaTensor &t) { t.dims[1].stride = {8, -9, -8}; }), (Found{{TmaRule::StrideRange, broken}}));
  EXPECT_EQ(explain([](TmaTensor &t) { t.address = {8, {}, {}}; }), "the address is not known to be a multiple of 16");
  EXPECT_EQ(explain([](TmaTensor &t) { t.dims[1].stride = {4, 1, 9}; }),
            "the stride of dim 0 is not known to be a multiple of 16 bytes");
  EXPECT_EQ(explain([](TmaTensor &t) { t.dims[1].size = {}; }), "the size of dim 0 is not known to be 1 to 4294967296");
}

// What facts promise, each number that they allow keeps: a proof is never worth less than the check at a launch.
TEST(TmaRules, ProofsHoldForEveryNumberThatTheyCover) {
  for (int64_t divisor : {1, 2, 8, 16})
    for (int64_t min : {-8, 0, 1, 8})
      for (int64_t max : {0, 1, 8, 64}) {
        auto isLegal = [](TmaNumber stride) { return explain([&](TmaTensor &t) { t.dims[1].stride = stride; }).empty(); };
        if (min > max)
          continue;
        bool isProof = isLegal({divisor, min, max}), isAll = true;
        for (int64_t value = min; value <= max; ++value)
          if (value % divisor == 0)
            isAll &= isLegal(TmaNumber::exact(value));
        EXPECT_TRUE(!isProof || isAll) << divisor << " " << min << " " << max;
      }
}

TEST(TmaRules, BoxesCoverATileWithoutARest) {
  EXPECT_EQ(chooseTmaBoxExtent(128, 8), 128u);
  EXPECT_EQ(chooseTmaBoxExtent(1024, 4), 256u);
  EXPECT_EQ(chooseTmaBoxExtent(300, 1), 150u);
  EXPECT_EQ(chooseTmaBoxExtent(384, 8, 64), 64u);
  EXPECT_EQ(chooseTmaBoxExtent(257, 1), 1u);
  EXPECT_EQ(chooseTmaBoxExtent(4, 8), 0u);
  EXPECT_EQ(chooseTmaBoxExtent(12, 8), 0u);
  for (int64_t extent = 1; extent <= 700; ++extent)
    for (int64_t unit : {1, 2, 8})
      if (uint32_t box = chooseTmaBoxExtent(extent, unit))
        EXPECT_TRUE(extent % box == 0 && box % unit == 0 && box <= 256) << extent;
}

TEST(TmaRules, NamesRoundTrip) {
  for (unsigned i = 0; i < kNumTmaSwizzles; ++i)
    EXPECT_EQ(parseTmaSwizzle(tmaSwizzleName(TmaSwizzle(i))), TmaSwizzle(i));
  EXPECT_FALSE(parseTmaSwizzle("256B"));
  EXPECT_EQ(tmaSwizzleSpanBytes(TmaSwizzle::Bytes32), 32u);
  EXPECT_EQ(tmaSwizzleSpanBytes(TmaSwizzle::Bytes128), 128u);
  for (TmaFill fill : {TmaFill::Zero, TmaFill::NaN})
    EXPECT_EQ(parseTmaFill(tmaFillName(fill)), fill);
}

//===- Descriptors in plans --------------------------------------------------------------------------------------===//

/// The sample plan whose first variant has a tensor map of v (see PlanSamples.h): rows of `stride` elements.
static LaunchPlan makePlan() {
  LaunchPlan plan = makeSamplePlan();
  PlanKernel &kernel = plan.kernels[0];
  kernel.exprs.push_back({ExprOp::Constant, 64}); // 13
  kernel.exprs.push_back({ExprOp::Constant, 1});  // 14
  PlanDescriptor map;
  map.label = "v, tile.load at k.mlir:7:10";
  map.type = ScalarType::F16;
  map.address = 0;
  map.sizes = {13, 1};
  map.strides = {14, 2};
  map.box = {64, 128};
  map.dims = {1, 0};
  map.swizzle = TmaSwizzle::Bytes128;
  kernel.variants[0].descriptors = {map};
  return plan;
}

static std::string verifyError(const std::function<void(PlanDescriptor &)> &change) {
  LaunchPlan plan = makePlan();
  change(plan.kernels[0].variants[0].descriptors[0]);
  std::string error, parsed;
  bool isOk = verifyLaunchPlan(plan, &error);
  EXPECT_EQ(isOk, error.empty());
  // The reader refuses what the verifier refuses, by one message or the other.
  EXPECT_EQ(parseLaunchPlan(printLaunchPlan(plan), &parsed).has_value(), isOk) << error;
  return error;
}

TEST(PlanDescriptors, SurviveJson) {
  LaunchPlan plan = makePlan();
  std::string error, text = printLaunchPlan(plan);
  std::optional<LaunchPlan> read = parseLaunchPlan(text, &error);
  ASSERT_TRUE(read) << error;
  EXPECT_EQ(printLaunchPlan(*read), text);
  const PlanDescriptor &map = read->kernels[0].variants[0].descriptors.at(0);
  EXPECT_EQ(map.label, "v, tile.load at k.mlir:7:10");
  EXPECT_EQ(map.sizes, (std::vector<uint32_t>{13, 1}));
  EXPECT_EQ(map.strides, (std::vector<uint32_t>{14, 2}));
  EXPECT_EQ(map.box, (std::vector<uint32_t>{64, 128}));
  EXPECT_EQ(map.dims, (std::vector<uint32_t>{1, 0}));
  EXPECT_EQ(map.swizzle, TmaSwizzle::Bytes128);
  EXPECT_EQ(map.boxBytes(), 16384u);
  EXPECT_TRUE(read->kernels[0].variants[1].descriptors.empty());
}

TEST(PlanDescriptors, EveryRuleOfTheStructureIsChecked) {
  using D = PlanDescriptor;
  const std::string where = "kernel 'copy', variant 0, descriptor 0: ";
  EXPECT_EQ(verifyError([](D &) {}), "");
  EXPECT_EQ(verifyError([](D &d) { d.address = 15; }), where + "15 is not an expression");
  EXPECT_EQ(verifyError([](D &d) { d.sizes[1] = UINT32_MAX; }), where + "4294967295 is not an expression");
  EXPECT_EQ(verifyError([](D &d) { d.strides[0] = 99; }), where + "99 is not an expression");
  EXPECT_EQ(verifyError([](D &d) { d.strides.pop_back(); }),
            where + "2 sizes, 1 strides, 2 box extents and 2 dims, expected as many of each");
  EXPECT_EQ(verifyError([](D &d) { d.sizes = d.strides = d.box = d.dims = {}; }), where + "the rank is 0, needs 1 to 5");
  EXPECT_EQ(verifyError([](D &d) { d.sizes = d.strides = d.box = d.dims = {0, 0, 0, 0, 0, 0}; }),
            where + "the rank is 6, needs 1 to 5");
  EXPECT_EQ(verifyError([](D &d) { d.dims[1] = 8; }), where + "dim 8 is not one of a view");
  EXPECT_EQ(verifyError([](D &d) { d.box[1] = UINT32_MAX; }),
            where + "the box extent of dim 0 is 4294967295, needs 1 to 256");
  EXPECT_EQ(verifyError([](D &d) { d.box[0] = 128; }),
            where + "the inner box is 256 bytes, needs at most the 128 of its swizzle");
  EXPECT_EQ(verifyError([](D &d) { d.type = ScalarType::F4E2M1FN; }),
            where + "elements of f4E2M1FN are packed two per byte, needs whole bytes");
  EXPECT_EQ(verifyError([](D &d) { d.label = std::string(70000, 'x'); }),
            where + "70000 bytes of label, at most 65536 are allowed");
  LaunchPlan plan = makePlan();
  plan.kernels[0].variants[0].descriptors.resize(65, plan.kernels[0].variants[0].descriptors[0]);
  std::string error;
  EXPECT_FALSE(verifyLaunchPlan(plan, &error));
  EXPECT_EQ(error, "kernel 'copy', variant 0: 65 descriptors, at most 64 are allowed");
  plan = makePlan();
  plan.kernels[0].variants[0].descriptors[0].swizzle = TmaSwizzle(9);
  EXPECT_FALSE(verifyLaunchPlan(plan, &error));
  EXPECT_EQ(error, where + "unknown type, swizzle or fill");
}

TEST(PlanDescriptors, JsonErrorsNameTheField) {
  auto parseError = [](const std::string &from, const std::string &to) {
    std::string text = printLaunchPlan(makePlan()), error;
    size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    text.replace(at, from.size(), to);
    EXPECT_FALSE(parseLaunchPlan(text, &error));
    return error;
  };
  const std::string where = "launch plan, top level.kernels[0].variants[0].descriptors";
  EXPECT_EQ(parseError("\"128B\"", "\"256B\""), where + "[0].swizzle: expected none, 32B, 64B or 128B, found '256B'");
  EXPECT_EQ(parseError("\"zero\"", "\"one\""), where + "[0].fill: expected zero or nan, found 'one'");
  EXPECT_EQ(parseError("\"box\":[64,128]", "\"box\":[64,-1]"), where + "[0].box[1]: -1 is not in 0..4294967295");
  EXPECT_EQ(parseError("\"box\":[64,128]", "\"box\":[1,1,1,1,1,1]"), where + "[0].box: 6 entries, at most 5 are allowed");
  EXPECT_EQ(parseError("\"box\":[64,128],", ""), where + "[0]: field 'box' is missing");
  EXPECT_EQ(parseError("\"fill\"", "\"fil\""), where + "[0]: field 'fill' is missing");
}

namespace {
struct Launch {
  int64_t sizes[2] = {256, 64}, strides[2] = {72, 1};
  uint64_t address = 0x1000;
  std::string variant; ///< Of what ran.

  /// Whether the fast variant's guard, which asks for strides of whole multiples of 8, is left out.
  std::string run(bool isForced) {
    LaunchPlan plan = makePlan();
    PlanKernel &kernel = plan.kernels[0];
    kernel.params[0].divBy = 2;
    kernel.params[0].sizesDivBy = kernel.params[0].stridesDivBy = {};
    if (isForced) {
      kernel.variants.erase(kernel.variants.begin() + 1);
      kernel.variants[0].guard = -1;
    }
    static constexpr DeviceInfoValues device = {132, 232448, 1024, 90, 50 << 20};
    PlanEvaluator evaluator(kernel, device);
    PlanArg args[3] = {{ParamKind::View, ScalarType::F16, 2, address, sizes, strides},
                       {ParamKind::Pointer, ScalarType::F32, 0, 0x2004, nullptr, nullptr},
                       {ParamKind::Scalar, ScalarType::Index, 0, 7, nullptr, nullptr}};
    PlanDecision decision;
    uint64_t slots[8];
    std::string error;
    bool isOk = evaluator.evaluate(args, 3, &decision, slots, &error);
    EXPECT_EQ(isOk, error.empty());
    variant = isOk ? kernel.variants[decision.variant].symbol : "";
    return error;
  }
};
} // namespace

TEST(PlanDescriptors, AnIllegalOneOfTheChosenVariantIsRefused) {
  const std::string where = "kernel 'copy': descriptor 0 (v, tile.load at k.mlir:7:10): ";
  Launch launch;
  EXPECT_EQ(launch.run(true), "");
  launch.strides[0] = 511;
  EXPECT_EQ(launch.run(true), where + "the stride of dim 0 is 1022 bytes, needs a multiple of 16, from parameter 'v' "
                                      "stride 0 = 511");
  // The variant whose guard excludes it is not asked.
  EXPECT_EQ(launch.run(false), "");
  EXPECT_EQ(launch.variant, "copy");
  launch = Launch();
  launch.address = 0x1008;
  EXPECT_EQ(launch.run(true),
            where + "the address is 0x1008, needs a multiple of 16, from parameter 'v' address = 4104");
  launch = Launch();
  launch.sizes[0] = (int64_t(1) << 32) + 1;
  EXPECT_EQ(launch.run(true), where + "the size of dim 0 is 4294967297, needs 1 to 4294967296, from parameter 'v' size "
                                      "0 = 4294967297");
  // A grid of nothing needs no descriptor.
  launch = Launch();
  launch.sizes[0] = 0;
  EXPECT_EQ(launch.run(true), "");
}

TEST(PlanDescriptors, ANumberThatCannotBeComputedIsRefused) {
  LaunchPlan plan = makePlan();
  PlanKernel &kernel = plan.kernels[0];
  kernel.exprs.push_back({ExprOp::Mul, 1, 2}); // 15: rows * stride
  kernel.variants[0].descriptors[0].sizes[1] = 15;
  kernel.params[0].sizesDivBy = kernel.params[0].stridesDivBy = {};
  std::string error;
  ASSERT_TRUE(verifyLaunchPlan(plan, &error)) << error;
  PlanEvaluator evaluator(kernel, DeviceInfoValues{132, 232448, 1024, 90, 50 << 20});
  int64_t sizes[2] = {256, 64}, strides[2] = {int64_t(1) << 60, 1};
  PlanArg args[3] = {{ParamKind::View, ScalarType::F16, 2, 0x1000, sizes, strides},
                     {ParamKind::Pointer, ScalarType::F32, 0, 0x2004, nullptr, nullptr},
                     {ParamKind::Scalar, ScalarType::Index, 0, 7, nullptr, nullptr}};
  PlanDecision decision;
  uint64_t slots[8];
  EXPECT_FALSE(evaluator.evaluate(args, 3, &decision, slots, &error));
  EXPECT_EQ(error, "kernel 'copy': descriptor 0 (v, tile.load at k.mlir:7:10) cannot be computed: 64-bit overflow in mul, "
                   "from parameter 'v' size 0 = 256, parameter 'v' stride 0 = 1152921504606846976");
}
