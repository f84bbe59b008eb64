// SPDX-License-Identifier: Apache-2.0
// Launch plans: the input is a stream of choices from which a kernel, its expressions and a launch are built. A plan that
// the verifier accepts survives JSON, and is evaluated: nothing may crash, and both copies must decide alike. Input that
// begins with '{' is taken for the JSON itself.
#include "Require.h"
#include "tilewright/Support/PlanEvaluator.h"

#include <fuzzer/FuzzedDataProvider.h>

using namespace tilewright;

namespace {
class PlanBuilder {
public:
  explicit PlanBuilder(FuzzedDataProvider &choices) : choices(choices) {}

  LaunchPlan build() {
    LaunchPlan plan;
    plan.target = "sm_90a";
    PlanKernel kernel;
    kernel.name = "k";
    for (unsigned i = 0, count = upTo(4); i < count; ++i)
      kernel.params.push_back(buildParam());
    for (unsigned i = 0, count = 1 + upTo(40); i < count; ++i)
      kernel.exprs.push_back(buildExpr(i, unsigned(kernel.params.size())));
    for (unsigned i = 0, count = upTo(2); i < count; ++i)
      kernel.checks.push_back({expr(kernel), "must hold"});
    for (unsigned i = 0, count = 1 + upTo(3); i < count; ++i) {
      PlanVariant variant;
      variant.symbol = variant.module = "v" + std::to_string(i);
      variant.guard = i + 1 == count ? -1 : int64_t(expr(kernel));
      for (unsigned axis = 0, axes = 1 + upTo(2); axis < axes; ++axis)
        variant.grid.push_back(expr(kernel));
      for (unsigned slot = 0, slots = upTo(8); slot < slots; ++slot)
        variant.launchArgs.push_back({expr(kernel), type()});
      for (unsigned map = 0, maps = upTo(2); map < maps; ++map)
        variant.descriptors.push_back(buildDescriptor(kernel));
      kernel.variants.push_back(std::move(variant));
    }
    plan.kernels.push_back(std::move(kernel));
    return plan;
  }

  /// An argument that mostly fits the parameter; sizes and strides stay in `storage`.
  PlanArg buildArg(const PlanParam &param, std::vector<std::vector<int64_t>> &storage) {
    PlanArg arg;
    arg.kind = rarely() ? ParamKind(upTo(2)) : param.kind;
    arg.type = rarely() ? type() : param.type;
    arg.rank = rarely() ? upTo(8) : uint32_t(param.sizes.size());
    arg.value = uint64_t(number());
    for (int which = 0; which < 2; ++which) {
      const std::vector<int64_t> &known = which == 0 ? param.sizes : param.strides;
      std::vector<int64_t> values(arg.rank);
      for (size_t d = 0; d < values.size(); ++d)
        values[d] = d < known.size() && known[d] != kPlanDynamic && !rarely() ? known[d] : number();
      storage.push_back(std::move(values));
    }
    arg.sizes = storage[storage.size() - 2].data();
    arg.strides = storage.back().data();
    return arg;
  }

  int64_t number() {
    switch (upTo(3)) {
    case 0:
      return choices.ConsumeIntegralInRange<int64_t>(-4, 130);
    case 1:
      return int64_t((uint64_t(1) << upTo(63)) - choices.ConsumeIntegralInRange<uint64_t>(0, 2));
    case 2:
      return choices.ConsumeIntegralInRange<int64_t>(0, 16) * 16;
    default:
      return choices.ConsumeIntegral<int64_t>();
    }
  }

private:
  uint32_t upTo(uint32_t most) { return choices.ConsumeIntegralInRange<uint32_t>(0, most); }
  bool rarely() { return choices.ConsumeIntegral<uint8_t>() > 250; }
  ScalarType type() { return ScalarType(upTo(kNumScalarTypes - 1)); }
  uint32_t expr(const PlanKernel &kernel) {
    return upTo(uint32_t(kernel.exprs.size()) - (rarely() ? 0 : 1));
  }

  PlanDescriptor buildDescriptor(const PlanKernel &kernel) {
    PlanDescriptor descriptor;
    descriptor.label = "d";
    descriptor.type = type();
    descriptor.address = expr(kernel);
    unsigned rank = rarely() ? upTo(7) : 1 + upTo(4);
    for (unsigned d = 0; d < rank; ++d) {
      descriptor.sizes.push_back(expr(kernel));
      descriptor.strides.push_back(expr(kernel));
      descriptor.box.push_back(rarely() ? choices.ConsumeIntegral<uint32_t>() : 16 * (1 + upTo(3)));
      descriptor.dims.push_back(rarely() ? choices.ConsumeIntegral<uint32_t>() : upTo(7));
    }
    if (rarely() && rank)
      descriptor.box.pop_back();
    descriptor.swizzle = TmaSwizzle(upTo(kNumTmaSwizzles - (rarely() ? 0 : 1)));
    descriptor.fill = TmaFill(upTo(rarely() ? 2 : 1));
    return descriptor;
  }

  PlanParam buildParam() {
    PlanParam param;
    param.kind = ParamKind(upTo(2));
    param.type = type();
    if (param.kind == ParamKind::View) {
      for (unsigned d = 0, rank = 1 + upTo(3); d < rank; ++d) {
        param.sizes.push_back(choices.ConsumeBool() ? kPlanDynamic : number());
        param.strides.push_back(choices.ConsumeBool() ? kPlanDynamic : number());
        if (choices.ConsumeBool()) {
          param.sizesDivBy.resize(d + 1, 1);
          param.sizesDivBy[d] = number();
        }
        if (choices.ConsumeBool()) {
          param.stridesDivBy.resize(d + 1, 1);
          param.stridesDivBy[d] = number();
        }
      }
      if (!param.sizesDivBy.empty() && !rarely())
        param.sizesDivBy.resize(param.sizes.size(), 1);
      if (!param.stridesDivBy.empty() && !rarely())
        param.stridesDivBy.resize(param.sizes.size(), 1);
    }
    if (choices.ConsumeBool())
      param.divBy = number();
    if (choices.ConsumeBool())
      param.min = number();
    if (choices.ConsumeBool())
      param.max = number();
    return param;
  }

  PlanExpr buildExpr(unsigned index, unsigned numParams) {
    PlanExpr expr;
    expr.op = ExprOp(upTo(kNumExprOps - 1));
    unsigned operands = numExprOperands(expr.op);
    int64_t *fields[3] = {&expr.a, &expr.b, &expr.c};
    for (unsigned i = 0; i < 3; ++i)
      *fields[i] = i < operands && !rarely() ? int64_t(upTo(index ? index - 1 : 0)) : 0;
    if (expr.op == ExprOp::Constant) {
      expr.a = number();
    } else if (expr.op == ExprOp::DeviceInfo) {
      expr.a = int64_t(upTo(kNumDeviceInfoKinds));
    } else if (operands == 0) {
      expr.a = int64_t(upTo(numParams));
      expr.b = expr.op == ExprOp::ArgSize || expr.op == ExprOp::ArgStride ? int64_t(upTo(3)) : 0;
    } else if (expr.op == ExprOp::SExt || expr.op == ExprOp::ZExt) {
      expr.b = int64_t(upTo(65));
    }
    return expr;
  }

  FuzzedDataProvider &choices;
};
} // namespace

/// Parses again what was printed; both must be the same text.
static LaunchPlan throughJson(const LaunchPlan &plan) {
  std::string error, json = printLaunchPlan(plan);
  std::optional<LaunchPlan> again = parseLaunchPlan(json, &error);
  require(again.has_value(), "a valid plan survives JSON: " + error);
  require(printLaunchPlan(*again) == json, "the same plan gives the same JSON");
  return std::move(*again);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string error;
  if (size && data[0] == '{') {
    std::optional<LaunchPlan> plan = parseLaunchPlan(std::string_view(reinterpret_cast<const char *>(data), size), &error);
    if (plan)
      throughJson(*plan);
    else
      requireMessage(error);
    return 0;
  }
  FuzzedDataProvider choices(data, size);
  PlanBuilder builder(choices);
  LaunchPlan plan = builder.build();
  if (!verifyLaunchPlan(plan, &error)) {
    requireMessage(error);
    return 0;
  }
  LaunchPlan copy = throughJson(plan);
  const DeviceInfoValues device = {132, 232448, 1024, 90, 50 << 20};
  const PlanKernel &kernel = plan.kernels[0];
  // One of the variants is said to hold more than is believed.
  ResidencyQuery residency = [](size_t variant, int64_t *ctas, std::string *) {
    *ctas = variant == 2 ? 1000 : 2 + int64_t(variant);
    return true;
  };
  PlanEvaluator evaluator(kernel, device, residency), copied(copy.kernels[0], device, residency);
  for (int launch = 0; launch < 3; ++launch) {
    std::vector<std::vector<int64_t>> storage;
    std::vector<PlanArg> args;
    for (const PlanParam &param : kernel.params)
      args.push_back(builder.buildArg(param, storage));
    PlanDecision decision, other;
    std::vector<uint64_t> slots(evaluator.getMaxSlots(), 7), otherSlots(evaluator.getMaxSlots(), 7);
    std::string why, whyOther;
    bool isOk = evaluator.evaluate(args.data(), args.size(), &decision, slots.data(), &why);
    bool isOtherOk = copied.evaluate(args.data(), args.size(), &other, otherSlots.data(), &whyOther);
    require(isOk == isOtherOk && why == whyOther, "a plan decides as its copy does");
    require(isOk || evaluator.checkArgs(args.data(), args.size(), &error) || !error.empty(), "a refusal has a message");
    if (!isOk) {
      requireMessage(why);
      continue;
    }
    require(decision.variant == other.variant && slots == otherSlots, "a plan computes what its copy does");
    require(decision.variant < kernel.variants.size(), "the variant exists");
    for (const PlanDescriptor &descriptor : kernel.variants[decision.variant].descriptors)
      require(descriptor.boxBytes() >= 16, "a box of a valid plan has bytes");
    require(decision.grid[0] <= uint64_t(PlanLimits::kGridX) && decision.grid[1] <= uint64_t(PlanLimits::kGridY) &&
                decision.grid[2] <= uint64_t(PlanLimits::kGridZ),
            "the grid is within the limits");
  }
  return 0;
}
