// SPDX-License-Identifier: Apache-2.0
#include "tilewright/Support/LaunchPlan.h"

#include <set>

using namespace tilewright;

namespace {
/// Walks a plan and stops at the first broken rule.
class PlanVerifier {
public:
  bool verify(const LaunchPlan &plan);
  std::string message;

private:
  bool verifyKernel(const PlanKernel &kernel);
  bool verifyParam(const PlanKernel &kernel, size_t index);
  bool verifyExpr(const PlanKernel &kernel, size_t index);
  bool verifyVariant(const PlanKernel &kernel, size_t index);
  bool verifyDescriptor(const PlanKernel &kernel, const PlanDescriptor &descriptor, const std::string &where);
  bool verifySteps(const LaunchPlan &plan, const PlanKernel &host);
  bool verifyVariantFacts(const PlanKernel &kernel);
  bool verifyText(const std::string &where, const char *field, const std::string &text, bool mayBeEmpty);

  bool fail(const std::string &where, const std::string &what) {
    message = where + ": " + what;
    return false;
  }
  bool failCount(const std::string &where, const char *what, size_t count, size_t limit) {
    return fail(where, std::to_string(count) + " " + what + ", at most " + std::to_string(limit) + " are allowed");
  }
};
} // namespace

static std::string describeKernel(const PlanKernel &kernel) { return "kernel '" + kernel.name + "'"; }

bool PlanVerifier::verifyText(const std::string &where, const char *field, const std::string &text, bool mayBeEmpty) {
  if (text.empty() && !mayBeEmpty)
    return fail(where, std::string(field) + " is empty");
  if (text.size() > PlanLimits::kTextBytes)
    return failCount(where, (std::string("bytes of ") + field).c_str(), text.size(), PlanLimits::kTextBytes);
  return true;
}

bool PlanVerifier::verifyParam(const PlanKernel &kernel, size_t index) {
  const PlanParam &param = kernel.params[index];
  std::string where = describeKernel(kernel) + ", " + describeParam(kernel, index);
  if (!verifyText(where, "name", param.name, /*mayBeEmpty=*/true))
    return false;
  if (param.divBy < 1)
    return fail(where, "div_by is " + std::to_string(param.divBy) + ", expected at least 1");
  size_t rank = param.sizes.size();
  if (param.strides.size() != rank)
    return fail(where, std::to_string(rank) + " sizes but " + std::to_string(param.strides.size()) + " strides");
  if (param.kind == ParamKind::View ? rank < 1 || rank > PlanLimits::kRank : rank != 0)
    return fail(where, "rank " + std::to_string(rank) + " is not possible");
  for (int64_t size : param.sizes)
    if (size < 0 && size != kPlanDynamic)
      return fail(where, "size " + std::to_string(size) + " is negative");
  for (const std::vector<int64_t> *list : {&param.sizesDivBy, &param.stridesDivBy}) {
    if (!list->empty() && list->size() != rank)
      return fail(where, std::to_string(list->size()) + " divisors for rank " + std::to_string(rank));
    for (int64_t divisor : *list)
      if (divisor < 1)
        return fail(where, "divisor " + std::to_string(divisor) + " is below 1");
  }
  bool isIntegerScalar = param.kind == ParamKind::Scalar && isIntegerType(param.type);
  if ((param.min || param.max) && !isIntegerScalar)
    return fail(where, "only an integer scalar has bounds");
  if (param.min && param.max && *param.min > *param.max)
    return fail(where, "min " + std::to_string(*param.min) + " is above max " + std::to_string(*param.max));
  if (param.kind == ParamKind::Scalar && param.divBy != 1 && !isIntegerScalar)
    return fail(where, "only an integer scalar has a divisor");
  return true;
}

bool PlanVerifier::verifyExpr(const PlanKernel &kernel, size_t index) {
  const PlanExpr &expr = kernel.exprs[index];
  std::string where = describeKernel(kernel) + ", expr " + std::to_string(index);
  if (static_cast<unsigned>(expr.op) >= kNumExprOps)
    return fail(where, "unknown operation");
  where += " (" + std::string(exprOpName(expr.op)) + ")";
  const int64_t operands[] = {expr.a, expr.b, expr.c};
  for (unsigned i = 0; i < numExprOperands(expr.op); ++i)
    if (operands[i] < 0 || operands[i] >= static_cast<int64_t>(index))
      return fail(where, "operand " + std::to_string(operands[i]) + " is not an earlier expression");
  switch (expr.op) {
  case ExprOp::ArgScalar:
  case ExprOp::ArgBase:
  case ExprOp::ArgSize:
  case ExprOp::ArgStride: {
    if (expr.a < 0 || expr.a >= static_cast<int64_t>(kernel.params.size()))
      return fail(where, "there is no parameter " + std::to_string(expr.a));
    const PlanParam &param = kernel.params[expr.a];
    std::string name = describeParam(kernel, expr.a);
    if (expr.op == ExprOp::ArgScalar && param.kind != ParamKind::Scalar)
      return fail(where, name + " is not a scalar");
    if (expr.op == ExprOp::ArgBase && param.kind == ParamKind::Scalar)
      return fail(where, name + " has no address");
    bool hasDim = expr.op == ExprOp::ArgSize || expr.op == ExprOp::ArgStride;
    if (hasDim && (expr.b < 0 || expr.b >= static_cast<int64_t>(param.sizes.size())))
      return fail(where, name + " has no dim " + std::to_string(expr.b));
    return true;
  }
  case ExprOp::DeviceInfo:
    if (expr.a < 0 || expr.a >= static_cast<int64_t>(kNumDeviceInfoKinds))
      return fail(where, "unknown device fact " + std::to_string(expr.a));
    return true;
  case ExprOp::SExt:
  case ExprOp::ZExt:
    if (expr.b < 1 || expr.b > 64)
      return fail(where, "width " + std::to_string(expr.b) + " is not in 1..64");
    return true;
  default:
    return true;
  }
}

bool PlanVerifier::verifyDescriptor(const PlanKernel &kernel, const PlanDescriptor &descriptor,
                                    const std::string &where) {
  if (!verifyText(where, "label", descriptor.label, /*mayBeEmpty=*/true))
    return false;
  if (static_cast<unsigned>(descriptor.type) >= kNumScalarTypes ||
      static_cast<unsigned>(descriptor.swizzle) >= kNumTmaSwizzles || descriptor.fill > TmaFill::NaN)
    return fail(where, "unknown type, swizzle or fill");
  size_t rank = descriptor.sizes.size();
  if (descriptor.strides.size() != rank || descriptor.box.size() != rank || descriptor.dims.size() != rank)
    return fail(where, std::to_string(rank) + " sizes, " + std::to_string(descriptor.strides.size()) + " strides, " +
                           std::to_string(descriptor.box.size()) + " box extents and " +
                           std::to_string(descriptor.dims.size()) + " dims, expected as many of each");
  for (const std::vector<uint32_t> &exprs :
       {std::vector<uint32_t>{descriptor.address}, descriptor.sizes, descriptor.strides})
    for (uint32_t expr : exprs)
      if (expr >= kernel.exprs.size())
        return fail(where, std::to_string(expr) + " is not an expression");
  // What no argument can mend.
  TmaTensor tensor;
  tensor.type = descriptor.type;
  tensor.swizzle = descriptor.swizzle;
  tensor.fill = descriptor.fill;
  tensor.rank = static_cast<uint32_t>(rank);
  for (size_t d = 0; d < rank && d < TmaLimits::kRank; ++d) {
    tensor.dims[d].box = descriptor.box[d];
    tensor.dims[d].name = descriptor.dims[d];
    if (descriptor.dims[d] >= PlanLimits::kRank)
      return fail(where, "dim " + std::to_string(descriptor.dims[d]) + " is not one of a view");
  }
  std::string broken;
  checkTma(tensor, [&](const TmaFinding &finding) {
    if (!finding.isUnknown && broken.empty())
      broken = describeTmaFinding(tensor, finding);
  });
  return broken.empty() || fail(where, broken);
}

bool PlanVerifier::verifyVariant(const PlanKernel &kernel, size_t index) {
  const PlanVariant &variant = kernel.variants[index];
  std::string where = describeKernel(kernel) + ", variant " + std::to_string(index);
  auto isExpr = [&](int64_t expr) { return expr >= 0 && expr < static_cast<int64_t>(kernel.exprs.size()); };
  if (!verifyText(where, "symbol", variant.symbol, /*mayBeEmpty=*/false) ||
      !verifyText(where, "module", variant.module, /*mayBeEmpty=*/false))
    return false;
  bool isLast = index + 1 == kernel.variants.size();
  if (isLast && variant.guard != -1)
    return fail(where, "the last variant has a guard");
  if (!isLast && !isExpr(variant.guard))
    return fail(where, "guard " + std::to_string(variant.guard) + " is not an expression");
  if (variant.grid.empty() || variant.grid.size() > 3)
    return fail(where, "the grid has " + std::to_string(variant.grid.size()) + " extents, expected 1 to 3");
  for (uint32_t expr : variant.grid)
    if (!isExpr(expr))
      return fail(where, "grid extent " + std::to_string(expr) + " is not an expression");
  if (variant.numThreads < 1 || variant.numThreads > PlanLimits::kThreads)
    return fail(where, std::to_string(variant.numThreads) + " threads, expected 1 to 1024");
  uint64_t numCtas = 1;
  for (uint32_t extent : variant.cluster) {
    if (extent < 1 || extent > PlanLimits::kClusterCtas)
      return fail(where, "cluster extent " + std::to_string(extent) + " is not in 1..16");
    numCtas *= extent;
  }
  if (numCtas > PlanLimits::kClusterCtas)
    return fail(where, "a cluster of " + std::to_string(numCtas) + " CTAs, expected at most 16");
  for (uint32_t bytes : {variant.dynamicSharedBytes, variant.staticSharedBytes})
    if (bytes > PlanLimits::kSharedBytes)
      return failCount(where, "bytes of shared memory", bytes, PlanLimits::kSharedBytes);
  if (variant.launchArgs.size() > PlanLimits::kLaunchArgs)
    return failCount(where, "launch arguments", variant.launchArgs.size(), PlanLimits::kLaunchArgs);
  for (const PlanLaunchArg &arg : variant.launchArgs)
    if (!isExpr(arg.expr))
      return fail(where, "launch argument " + std::to_string(arg.expr) + " is not an expression");
  if (variant.descriptors.size() > PlanLimits::kDescriptors)
    return failCount(where, "descriptors", variant.descriptors.size(), PlanLimits::kDescriptors);
  for (size_t i = 0; i < variant.descriptors.size(); ++i)
    if (!verifyDescriptor(kernel, variant.descriptors[i], where + ", descriptor " + std::to_string(i)))
      return false;
  if (variant.assumptions.size() > PlanLimits::kNotes || variant.facts.size() > PlanLimits::kNotes)
    return failCount(where, "notes", std::max(variant.assumptions.size(), variant.facts.size()), PlanLimits::kNotes);
  for (const std::string &text : variant.assumptions)
    if (!verifyText(where, "assumption", text, /*mayBeEmpty=*/true))
      return false;
  for (const auto &[key, value] : variant.facts)
    if (!verifyText(where, "fact name", key, /*mayBeEmpty=*/false) ||
        !verifyText(where, "fact", value, /*mayBeEmpty=*/true))
      return false;
  return true;
}

bool PlanVerifier::verifyVariantFacts(const PlanKernel &kernel) {
  // References point backwards, so one walk finds all that depends on the variant.
  std::vector<bool> depends(kernel.exprs.size());
  for (size_t i = 0; i < kernel.exprs.size(); ++i) {
    const PlanExpr &expr = kernel.exprs[i];
    const int64_t operands[] = {expr.a, expr.b, expr.c};
    for (unsigned k = 0; k < numExprOperands(expr.op); ++k)
      depends[i] = depends[i] || depends[operands[k]];
    depends[i] = depends[i] || (expr.op == ExprOp::DeviceInfo &&
                                expr.a == static_cast<int64_t>(DeviceInfoKind::MaxCtasPerSm));
  }
  auto refuse = [&](const std::string &what) {
    return fail(describeKernel(kernel) + ", " + what,
                "it depends on max_ctas_per_sm, which is known of a chosen variant only");
  };
  for (size_t i = 0; i < kernel.checks.size(); ++i)
    if (depends[kernel.checks[i].expr])
      return refuse("check " + std::to_string(i));
  for (size_t i = 0; i < kernel.variants.size(); ++i)
    if (kernel.variants[i].guard >= 0 && depends[kernel.variants[i].guard])
      return refuse("variant " + std::to_string(i) + ", guard");
  for (size_t i = 0; i < kernel.steps.size(); ++i)
    for (const PlanStepArg &arg : kernel.steps[i].args)
      for (const std::vector<uint32_t> &exprs : {std::vector<uint32_t>{arg.value}, arg.sizes, arg.strides})
        for (uint32_t expr : exprs)
          if (depends[expr])
            return refuse("step " + std::to_string(i));
  return true;
}

bool PlanVerifier::verifyKernel(const PlanKernel &kernel) {
  std::string where = describeKernel(kernel);
  if (kernel.params.size() > PlanLimits::kParams)
    return failCount(where, "parameters", kernel.params.size(), PlanLimits::kParams);
  if (kernel.exprs.size() > PlanLimits::kExprs)
    return failCount(where, "expressions", kernel.exprs.size(), PlanLimits::kExprs);
  if (kernel.checks.size() > PlanLimits::kChecks)
    return failCount(where, "checks", kernel.checks.size(), PlanLimits::kChecks);
  if (kernel.variants.size() > PlanLimits::kVariants)
    return failCount(where, "variants", kernel.variants.size(), PlanLimits::kVariants);
  std::set<std::string_view> names;
  for (size_t i = 0; i < kernel.params.size(); ++i) {
    if (!verifyParam(kernel, i))
      return false;
    if (!kernel.params[i].name.empty() && !names.insert(kernel.params[i].name).second)
      return fail(where, "two parameters are called '" + kernel.params[i].name + "'");
  }
  for (size_t i = 0; i < kernel.exprs.size(); ++i)
    if (!verifyExpr(kernel, i))
      return false;
  for (size_t i = 0; i < kernel.checks.size(); ++i) {
    std::string checkWhere = where + ", check " + std::to_string(i);
    if (kernel.checks[i].expr >= kernel.exprs.size())
      return fail(checkWhere, std::to_string(kernel.checks[i].expr) + " is not an expression");
    if (!verifyText(checkWhere, "message", kernel.checks[i].message, /*mayBeEmpty=*/false))
      return false;
  }
  if (kernel.isHostFunction() && !kernel.variants.empty())
    return fail(where, "has variants and steps");
  if (kernel.variants.empty() && !kernel.isHostFunction())
    return fail(where, "has no variant");
  for (size_t i = 0; i < kernel.variants.size(); ++i)
    if (!verifyVariant(kernel, i))
      return false;
  return true;
}

bool PlanVerifier::verifySteps(const LaunchPlan &plan, const PlanKernel &host) {
  if (host.steps.size() > PlanLimits::kSteps)
    return failCount(describeKernel(host), "steps", host.steps.size(), PlanLimits::kSteps);
  for (size_t i = 0; i < host.steps.size(); ++i) {
    const PlanStep &step = host.steps[i];
    std::string where = describeKernel(host) + ", step " + std::to_string(i);
    const PlanKernel *kernel = plan.findKernel(step.kernel);
    if (!kernel || kernel->isHostFunction())
      return fail(where, "there is no kernel '" + step.kernel + "'");
    if (step.args.size() != kernel->params.size())
      return fail(where, std::to_string(step.args.size()) + " arguments for the " +
                             std::to_string(kernel->params.size()) + " parameters of '" + step.kernel + "'");
    for (size_t p = 0; p < step.args.size(); ++p) {
      const PlanStepArg &arg = step.args[p];
      size_t rank = kernel->params[p].sizes.size();
      if (arg.sizes.size() != rank || arg.strides.size() != rank)
        return fail(where, "argument " + std::to_string(p) + " has " + std::to_string(arg.sizes.size()) +
                               " sizes and " + std::to_string(arg.strides.size()) + " strides for rank " +
                               std::to_string(rank));
      for (const std::vector<uint32_t> &exprs : {std::vector<uint32_t>{arg.value}, arg.sizes, arg.strides})
        for (uint32_t expr : exprs)
          if (expr >= host.exprs.size())
            return fail(where, "argument " + std::to_string(p) + ": " + std::to_string(expr) + " is not an expression");
    }
  }
  return true;
}

bool PlanVerifier::verify(const LaunchPlan &plan) {
  if (plan.version != kLaunchPlanVersion)
    return fail("launch plan", "version " + std::to_string(plan.version) + " is not supported, expected " +
                                   std::to_string(kLaunchPlanVersion));
  if (plan.kernels.size() > PlanLimits::kKernels)
    return failCount("launch plan", "kernels", plan.kernels.size(), PlanLimits::kKernels);
  if (!verifyText("launch plan", "target", plan.target, /*mayBeEmpty=*/false) ||
      !verifyText("launch plan", "compiler version", plan.compilerVersion, /*mayBeEmpty=*/true) ||
      !verifyText("launch plan", "ptxas version", plan.ptxasVersion, /*mayBeEmpty=*/true) ||
      !verifyText("launch plan", "options", plan.options, /*mayBeEmpty=*/true))
    return false;
  std::set<std::string_view> names;
  for (const PlanKernel &kernel : plan.kernels) {
    if (!verifyText("launch plan", "kernel name", kernel.name, /*mayBeEmpty=*/false))
      return false;
    if (!names.insert(kernel.name).second)
      return fail("launch plan", "two kernels are called '" + kernel.name + "'");
    if (!verifyKernel(kernel))
      return false;
  }
  for (const PlanKernel &kernel : plan.kernels)
    if (!verifySteps(plan, kernel) || !verifyVariantFacts(kernel))
      return false;
  return true;
}

bool tilewright::verifyLaunchPlan(const LaunchPlan &plan, std::string *error) {
  PlanVerifier verifier;
  if (verifier.verify(plan))
    return true;
  if (error)
    *error = std::move(verifier.message);
  return false;
}
