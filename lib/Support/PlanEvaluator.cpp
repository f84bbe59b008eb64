// SPDX-License-Identifier: Apache-2.0
#include "tilewright/Support/PlanEvaluator.h"

#include <algorithm>

using namespace tilewright;

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

/// Why an operation has no value.
enum class Trouble : uint8_t { None, Overflow, DivisionByZero, ShiftRange };

static const char *describeTrouble(Trouble trouble) {
  return trouble == Trouble::Overflow         ? "64-bit overflow"
         : trouble == Trouble::DivisionByZero ? "division by zero"
                                              : "a shift by less than 0 or more than 63 bits";
}

static int64_t signExtend(int64_t value, int64_t bits) {
  unsigned shift = 64 - static_cast<unsigned>(bits);
  return static_cast<int64_t>(static_cast<uint64_t>(value) << shift) >> shift;
}

static int64_t zeroExtend(int64_t value, int64_t bits) {
  unsigned shift = 64 - static_cast<unsigned>(bits);
  return static_cast<int64_t>(static_cast<uint64_t>(value) << shift >> shift);
}

/// Division by 2^k. Almost every division of a plan is by a tile's extent or an alignment, and a hardware division costs
/// as much as ten other operations.
static int64_t divideByPowerOfTwo(ExprOp op, int64_t x, int64_t y) {
  unsigned shift = __builtin_ctzll(static_cast<uint64_t>(y));
  int64_t low = x & (y - 1), floor = x >> shift;
  uint64_t unsignedFloor = static_cast<uint64_t>(x) >> shift;
  switch (op) {
  case ExprOp::DivU:
    return static_cast<int64_t>(unsignedFloor);
  case ExprOp::RemU:
    return low;
  case ExprOp::CeilDivU:
    return static_cast<int64_t>(unsignedFloor + (low != 0));
  case ExprOp::FloorDivS:
    return floor;
  case ExprOp::CeilDivS:
    return floor + (low != 0);
  case ExprOp::RemS:
    return x < 0 && low != 0 ? low - y : low;
  default: // DivS: towards zero.
    return floor + (x < 0 && low != 0);
  }
}

static Trouble applyDivision(ExprOp op, int64_t x, int64_t y, int64_t *result) {
  uint64_t ux = static_cast<uint64_t>(x), uy = static_cast<uint64_t>(y);
  if (y == 0)
    return Trouble::DivisionByZero;
  if (y > 0 && (y & (y - 1)) == 0) {
    *result = divideByPowerOfTwo(op, x, y);
    return Trouble::None;
  }
  switch (op) {
  case ExprOp::DivU:
    *result = static_cast<int64_t>(ux / uy);
    return Trouble::None;
  case ExprOp::RemU:
    *result = static_cast<int64_t>(ux % uy);
    return Trouble::None;
  case ExprOp::CeilDivU:
    *result = static_cast<int64_t>(ux / uy + (ux % uy != 0));
    return Trouble::None;
  default:
    break;
  }
  if (y == -1) {
    // The one quotient that does not fit; a remainder by -1 is 0 all the same.
    if (op == ExprOp::RemS) {
      *result = 0;
      return Trouble::None;
    }
    return __builtin_sub_overflow(int64_t(0), x, result) ? Trouble::Overflow : Trouble::None;
  }
  int64_t quotient = x / y, remainder = x % y;
  bool isNegative = (x < 0) != (y < 0);
  *result = quotient;
  if (op == ExprOp::RemS)
    *result = remainder;
  else if (op == ExprOp::FloorDivS && remainder != 0 && isNegative)
    *result = quotient - 1;
  else if (op == ExprOp::CeilDivS && remainder != 0 && !isNegative)
    *result = quotient + 1;
  return Trouble::None;
}

/// Computes an operation of two operands; SExt and ZExt take the width as `y`.
static inline Trouble applyBinary(ExprOp op, int64_t x, int64_t y, int64_t *result) {
  uint64_t ux = static_cast<uint64_t>(x), uy = static_cast<uint64_t>(y);
  switch (op) {
  case ExprOp::Add:
    return __builtin_add_overflow(x, y, result) ? Trouble::Overflow : Trouble::None;
  case ExprOp::Sub:
    return __builtin_sub_overflow(x, y, result) ? Trouble::Overflow : Trouble::None;
  case ExprOp::Mul:
    return __builtin_mul_overflow(x, y, result) ? Trouble::Overflow : Trouble::None;
  case ExprOp::DivS:
  case ExprOp::DivU:
  case ExprOp::RemS:
  case ExprOp::RemU:
  case ExprOp::FloorDivS:
  case ExprOp::CeilDivS:
  case ExprOp::CeilDivU:
    return applyDivision(op, x, y, result);
  case ExprOp::MinS:
    *result = std::min(x, y);
    return Trouble::None;
  case ExprOp::MaxS:
    *result = std::max(x, y);
    return Trouble::None;
  case ExprOp::MinU:
    *result = ux < uy ? x : y;
    return Trouble::None;
  case ExprOp::MaxU:
    *result = ux < uy ? y : x;
    return Trouble::None;
  case ExprOp::And:
    *result = x & y;
    return Trouble::None;
  case ExprOp::Or:
    *result = x | y;
    return Trouble::None;
  case ExprOp::Xor:
    *result = x ^ y;
    return Trouble::None;
  case ExprOp::Shl:
  case ExprOp::ShrS:
  case ExprOp::ShrU:
    if (uy > 63)
      return Trouble::ShiftRange;
    *result = op == ExprOp::ShrS ? x >> y : static_cast<int64_t>(op == ExprOp::Shl ? ux << uy : ux >> uy);
    return Trouble::None;
  case ExprOp::CmpEq:
    *result = x == y;
    return Trouble::None;
  case ExprOp::CmpNe:
    *result = x != y;
    return Trouble::None;
  case ExprOp::CmpSlt:
    *result = x < y;
    return Trouble::None;
  case ExprOp::CmpSle:
    *result = x <= y;
    return Trouble::None;
  case ExprOp::CmpSgt:
    *result = x > y;
    return Trouble::None;
  case ExprOp::CmpSge:
    *result = x >= y;
    return Trouble::None;
  case ExprOp::CmpUlt:
    *result = ux < uy;
    return Trouble::None;
  case ExprOp::CmpUle:
    *result = ux <= uy;
    return Trouble::None;
  case ExprOp::CmpUgt:
    *result = ux > uy;
    return Trouble::None;
  case ExprOp::CmpUge:
    *result = ux >= uy;
    return Trouble::None;
  case ExprOp::SExt:
    *result = signExtend(x, y);
    return Trouble::None;
  case ExprOp::ZExt:
    *result = zeroExtend(x, y);
    return Trouble::None;
  default:
    *result = 0;
    return Trouble::None;
  }
}

/// The value of an operation without expression operands.
static inline int64_t evaluateLeaf(ExprOp op, int64_t a, int64_t b, const PlanArg *args) {
  switch (op) {
  case ExprOp::ArgScalar:
  case ExprOp::ArgBase:
    return static_cast<int64_t>(args[a].value);
  case ExprOp::ArgSize:
    return args[a].sizes[b];
  case ExprOp::ArgStride:
    return args[a].strides[b];
  default:
    return a;
  }
}

//===----------------------------------------------------------------------===//
// Preparation
//===----------------------------------------------------------------------===//

static bool isResidency(const PlanExpr &expr) {
  return expr.op == ExprOp::DeviceInfo && expr.a == static_cast<int64_t>(DeviceInfoKind::MaxCtasPerSm);
}

void PlanEvaluator::addSteps(const std::vector<uint32_t> &roots, std::vector<bool> &done, Segment &segment) const {
  std::vector<bool> isNeeded(kernel.exprs.size());
  for (uint32_t root : roots)
    isNeeded[root] = true;
  // References point backwards, so one walk from the end finds everything that is reachable.
  for (size_t i = kernel.exprs.size(); i-- > 0;) {
    const PlanExpr &expr = kernel.exprs[i];
    if (!isNeeded[i])
      continue;
    const int64_t operands[] = {expr.a, expr.b, expr.c};
    for (unsigned k = 0; k < numExprOperands(expr.op); ++k)
      isNeeded[operands[k]] = true;
  }
  for (size_t i = 0; i < kernel.exprs.size(); ++i) {
    if (!isNeeded[i] || done[i])
      continue;
    done[i] = true;
    PlanExpr expr = kernel.exprs[i];
    if (isResidency(expr))
      continue; // Written before the segment runs.
    if (expr.op == ExprOp::DeviceInfo)
      expr = {ExprOp::Constant, device[expr.a], 0, 0};
    segment.push_back({expr.op, static_cast<uint16_t>(i), expr.a, expr.b, expr.c});
  }
}

PlanEvaluator::PlanEvaluator(const PlanKernel &kernel, const DeviceInfoValues &device, ResidencyQuery residency)
    : kernel(kernel), device(device), residency(std::move(residency)) {
  static_assert(PlanLimits::kExprs <= UINT16_MAX);
  for (size_t i = 0; i < kernel.exprs.size(); ++i)
    if (isResidency(kernel.exprs[i]))
      residencyExprs.push_back(static_cast<uint32_t>(i));
  std::vector<bool> done(kernel.exprs.size());
  std::vector<uint32_t> roots;
  for (const PlanCheck &check : kernel.checks)
    roots.push_back(check.expr);
  addSteps(roots, done, checkSegment);
  if (kernel.isHostFunction()) {
    roots.clear();
    for (const PlanStep &step : kernel.steps)
      for (const PlanStepArg &arg : step.args) {
        roots.push_back(arg.value);
        roots.insert(roots.end(), arg.sizes.begin(), arg.sizes.end());
        roots.insert(roots.end(), arg.strides.begin(), arg.strides.end());
      }
    addSteps(roots, done, stepSegment);
  }
  for (const PlanVariant &variant : kernel.variants) {
    Segment guard, body;
    if (variant.guard >= 0)
      addSteps({static_cast<uint32_t>(variant.guard)}, done, guard);
    roots = variant.grid;
    for (const PlanLaunchArg &arg : variant.launchArgs)
      roots.push_back(arg.expr);
    for (const PlanDescriptor &descriptor : variant.descriptors) {
      roots.push_back(descriptor.address);
      roots.insert(roots.end(), descriptor.sizes.begin(), descriptor.sizes.end());
      roots.insert(roots.end(), descriptor.strides.begin(), descriptor.strides.end());
    }
    // The next variant's guard is not evaluated after this body, so the body starts from a copy.
    std::vector<bool> doneWithBody = done;
    addSteps(roots, doneWithBody, body);
    asksFor.push_back(std::any_of(residencyExprs.begin(), residencyExprs.end(),
                                  [&](uint32_t expr) { return doneWithBody[expr]; }));
    guardSegments.push_back(std::move(guard));
    variantSegments.push_back(std::move(body));
    maxSlots = std::max(maxSlots, variant.launchArgs.size());
  }
}

//===----------------------------------------------------------------------===//
// Evaluation
//===----------------------------------------------------------------------===//

bool PlanEvaluator::runSegment(const Segment &segment, const PlanArg *args, int64_t *values) const {
  for (const Step &step : segment) {
    int64_t *target = values + step.target;
    if (step.op <= ExprOp::DeviceInfo) {
      *target = evaluateLeaf(step.op, step.a, step.b, args);
    } else if (step.op == ExprOp::Select) {
      *target = values[step.a] ? values[step.b] : values[step.c];
    } else {
      int64_t y = step.op >= ExprOp::SExt ? step.b : values[step.b];
      if (applyBinary(step.op, values[step.a], y, target) != Trouble::None)
        return false;
    }
  }
  return true;
}

bool PlanEvaluator::findResidency(size_t variant, int64_t *ctas, std::string *error) const {
  *ctas = 0;
  if (residency && !residency(variant, ctas, error))
    return false;
  if (*ctas >= 1 && *ctas <= PlanLimits::kCtasPerSm)
    return true;
  if (error)
    *error = "kernel '" + kernel.name + "': an SM is said to hold " + std::to_string(*ctas) + " CTAs of '" +
             kernel.variants[variant].symbol + "', expected 1 to " + std::to_string(PlanLimits::kCtasPerSm);
  return false;
}

/// Lists the arguments that an expression depends on, with their values: ", from parameter 'n' = 17".
std::string PlanEvaluator::describeInputs(uint32_t root, const PlanArg *args) const {
  std::vector<bool> done(kernel.exprs.size());
  Segment segment;
  addSteps({root}, done, segment);
  std::string text;
  unsigned count = 0;
  for (const Step &step : segment) {
    if (step.op == ExprOp::Constant || step.op > ExprOp::ArgStride)
      continue;
    if (++count > 4)
      return text + ", ...";
    text += (text.empty() ? ", from " : ", ") + describeParam(kernel, step.a);
    if (step.op == ExprOp::ArgSize)
      text += " size " + std::to_string(step.b);
    if (step.op == ExprOp::ArgStride)
      text += " stride " + std::to_string(step.b);
    if (step.op == ExprOp::ArgBase)
      text += " address";
    text += " = " + std::to_string(evaluateLeaf(step.op, step.a, step.b, args));
  }
  return text;
}

bool PlanEvaluator::finishGrid(const PlanArg *args, const int64_t *values, PlanDecision *decision,
                               std::string *error) const {
  static constexpr int64_t kLimits[] = {PlanLimits::kGridX, PlanLimits::kGridY, PlanLimits::kGridZ};
  const PlanVariant &variant = kernel.variants[decision->variant];
  decision->isEmpty = false;
  for (size_t i = 0; i < 3; ++i) {
    int64_t extent = i < variant.grid.size() ? values[variant.grid[i]] : 1;
    decision->grid[i] = static_cast<uint64_t>(extent);
    decision->isEmpty |= extent == 0;
    const char *reason = extent < 0            ? ", expected at least 0"
                         : extent > kLimits[i] ? ", which is over the device's limit of "
                                               : nullptr;
    bool isRagged = !reason && extent % variant.cluster[i] != 0;
    if (!reason && !isRagged)
      continue;
    if (error) {
      *error = "kernel '" + kernel.name + "': grid " + "xyz"[i] + " is " + std::to_string(extent);
      if (isRagged)
        *error += ", expected a multiple of the cluster's " + std::to_string(variant.cluster[i]);
      else
        *error += reason + (extent < 0 ? std::string() : std::to_string(kLimits[i]));
      if (i < variant.grid.size())
        *error += describeInputs(variant.grid[i], args);
    }
    return false;
  }
  return true;
}

bool PlanEvaluator::evaluate(const PlanArg *args, size_t count, PlanDecision *decision, uint64_t *slots,
                             std::string *error) const {
  if (!checkArgs(args, count, error))
    return false;
  int64_t values[PlanLimits::kExprs]; // Only what a segment writes is ever read.
  if (!runSegment(checkSegment, args, values))
    return evaluateSlowly(args, decision, slots, error);
  for (const PlanCheck &check : kernel.checks)
    if (!values[check.expr])
      return evaluateSlowly(args, decision, slots, error);
  size_t index = 0;
  for (size_t last = kernel.variants.size() - 1; index < last; ++index) {
    if (!runSegment(guardSegments[index], args, values))
      return evaluateSlowly(args, decision, slots, error);
    if (values[kernel.variants[index].guard])
      break;
  }
  if (asksFor[index]) {
    int64_t ctas = 0;
    if (!findResidency(index, &ctas, error))
      return false;
    for (uint32_t expr : residencyExprs)
      values[expr] = ctas;
  }
  if (!runSegment(variantSegments[index], args, values))
    return evaluateSlowly(args, decision, slots, error);
  decision->variant = index;
  if (!finishGrid(args, values, decision, error))
    return false;
  if (decision->isEmpty)
    return true;
  if (!checkDescriptors(args, values, index, error))
    return false;
  for (const PlanLaunchArg &arg : kernel.variants[index].launchArgs)
    *slots++ = static_cast<uint64_t>(values[arg.expr]);
  return true;
}

namespace {
/// Every expression of a kernel, those included that have no value.
struct SlowValues {
  std::vector<int64_t> values;
  /// Of each expression that has no value: what went wrong, and in which expression first.
  std::vector<Trouble> troubles;
  std::vector<uint32_t> origins;

  std::string describe(const PlanKernel &kernel, uint32_t expr) const {
    return std::string(describeTrouble(troubles[expr])) + " in " +
           std::string(exprOpName(kernel.exprs[origins[expr]].op));
  }
};
} // namespace

static SlowValues computeSlowly(const PlanKernel &kernel, const DeviceInfoValues &device, const PlanArg *args) {
  size_t numExprs = kernel.exprs.size();
  SlowValues slow{std::vector<int64_t>(numExprs), std::vector<Trouble>(numExprs, Trouble::None),
                  std::vector<uint32_t>(numExprs)};
  auto &[values, troubles, origins] = slow;
  for (size_t i = 0; i < numExprs; ++i) {
    const PlanExpr &expr = kernel.exprs[i];
    auto copyFrom = [&](int64_t source) {
      values[i] = values[source];
      troubles[i] = troubles[source];
      origins[i] = origins[source];
    };
    if (expr.op == ExprOp::DeviceInfo) {
      values[i] = device[expr.a];
    } else if (expr.op < ExprOp::DeviceInfo) {
      values[i] = evaluateLeaf(expr.op, expr.a, expr.b, args);
    } else if (troubles[expr.a] != Trouble::None) {
      copyFrom(expr.a);
    } else if (expr.op == ExprOp::Select) {
      copyFrom(values[expr.a] ? expr.b : expr.c);
    } else if (expr.op < ExprOp::Select && troubles[expr.b] != Trouble::None) {
      copyFrom(expr.b);
    } else {
      int64_t y = expr.op >= ExprOp::SExt ? expr.b : values[expr.b];
      troubles[i] = applyBinary(expr.op, values[expr.a], y, &values[i]);
      origins[i] = static_cast<uint32_t>(i);
    }
  }
  return slow;
}

bool PlanEvaluator::failAt(const std::string &message, uint32_t expr, const PlanArg *args, std::string *error) const {
  if (error)
    *error = "kernel '" + kernel.name + "': " + message + describeInputs(expr, args);
  return false;
}

bool PlanEvaluator::evaluateSlowly(const PlanArg *args, PlanDecision *decision, uint64_t *slots,
                                   std::string *error) const {
  SlowValues slow = computeSlowly(kernel, device, args);
  std::vector<int64_t> &values = slow.values;
  std::vector<Trouble> &troubles = slow.troubles;
  auto failWith = [&](const std::string &what, uint32_t expr) {
    return failAt(what + " cannot be computed: " + slow.describe(kernel, expr), slow.origins[expr], args, error);
  };
  for (const PlanCheck &check : kernel.checks) {
    if (troubles[check.expr] != Trouble::None)
      return failWith("the check \"" + check.message + "\"", check.expr);
    if (!values[check.expr])
      return failAt(check.message, check.expr, args, error);
  }
  size_t index = 0;
  for (size_t last = kernel.variants.size() - 1; index < last; ++index) {
    int64_t guard = kernel.variants[index].guard;
    if (troubles[guard] == Trouble::None && values[guard])
      break;
  }
  if (asksFor[index]) {
    // Nothing above depends on it.
    DeviceInfoValues known = device;
    if (!findResidency(index, &known[static_cast<size_t>(DeviceInfoKind::MaxCtasPerSm)], error))
      return false;
    slow = computeSlowly(kernel, known, args);
  }
  const PlanVariant &variant = kernel.variants[index];
  decision->variant = index;
  for (size_t i = 0; i < variant.grid.size(); ++i)
    if (troubles[variant.grid[i]] != Trouble::None)
      return failWith(std::string("grid ") + "xyz"[i], variant.grid[i]);
  if (!finishGrid(args, values.data(), decision, error))
    return false;
  if (decision->isEmpty)
    return true;
  for (size_t i = 0; i < variant.descriptors.size(); ++i) {
    const PlanDescriptor &descriptor = variant.descriptors[i];
    std::vector<uint32_t> exprs{descriptor.address};
    exprs.insert(exprs.end(), descriptor.sizes.begin(), descriptor.sizes.end());
    exprs.insert(exprs.end(), descriptor.strides.begin(), descriptor.strides.end());
    for (uint32_t expr : exprs)
      if (troubles[expr] != Trouble::None)
        return failWith(describeDescriptor(variant, i), expr);
  }
  if (!checkDescriptors(args, values.data(), index, error))
    return false;
  for (size_t i = 0; i < variant.launchArgs.size(); ++i) {
    uint32_t expr = variant.launchArgs[i].expr;
    if (troubles[expr] != Trouble::None)
      return failWith("launch argument " + std::to_string(i), expr);
    slots[i] = static_cast<uint64_t>(values[expr]);
  }
  return true;
}

bool PlanEvaluator::evaluateSteps(const PlanArg *args, size_t count, int64_t *values, std::string *error) const {
  if (!checkArgs(args, count, error))
    return false;
  if (!runSegment(checkSegment, args, values))
    return evaluateStepsSlowly(args, values, error);
  for (const PlanCheck &check : kernel.checks)
    if (!values[check.expr])
      return evaluateStepsSlowly(args, values, error);
  return runSegment(stepSegment, args, values) || evaluateStepsSlowly(args, values, error);
}

bool PlanEvaluator::evaluateStepsSlowly(const PlanArg *args, int64_t *values, std::string *error) const {
  SlowValues slow = computeSlowly(kernel, device, args);
  auto failWith = [&](const std::string &what, uint32_t expr) {
    return failAt(what + " cannot be computed: " + slow.describe(kernel, expr), slow.origins[expr], args, error);
  };
  for (const PlanCheck &check : kernel.checks) {
    if (slow.troubles[check.expr] != Trouble::None)
      return failWith("the check \"" + check.message + "\"", check.expr);
    if (!slow.values[check.expr])
      return failAt(check.message, check.expr, args, error);
  }
  for (size_t i = 0; i < kernel.steps.size(); ++i)
    for (size_t p = 0; p < kernel.steps[i].args.size(); ++p) {
      const PlanStepArg &arg = kernel.steps[i].args[p];
      std::vector<uint32_t> exprs{arg.value};
      exprs.insert(exprs.end(), arg.sizes.begin(), arg.sizes.end());
      exprs.insert(exprs.end(), arg.strides.begin(), arg.strides.end());
      for (uint32_t expr : exprs)
        if (slow.troubles[expr] != Trouble::None)
          return failWith("argument " + std::to_string(p) + " of launch " + std::to_string(i), expr);
    }
  std::copy(slow.values.begin(), slow.values.end(), values);
  return true;
}
