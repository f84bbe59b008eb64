// SPDX-License-Identifier: Apache-2.0
/// \file
/// Evaluates launch plans: checks the caller's arguments against what the kernel promises, picks the variant, and
/// computes grid and kernel arguments. Apart from LaunchPlan.h because it is on the path of every launch: it neither
/// allocates nor compares strings unless it has an error to report.
///
/// The expressions of a kernel are cut once into segments (the checks, then each guard, then each variant's grid and
/// arguments), each holding what no earlier needed segment has computed, so a launch computes only what its variant
/// needs. When an operation fails (overflow, division by zero), the launch is evaluated again the slow way, in
/// which a failure is a value that only matters where it is used.
#ifndef TILEWRIGHT_SUPPORT_PLANEVALUATOR_H
#define TILEWRIGHT_SUPPORT_PLANEVALUATOR_H

#include "tilewright/Support/LaunchPlan.h"

#include <functional>

namespace tilewright {

/// One argument of a launch, in the order of the parameters. Nothing is owned.
struct PlanArg {
  ParamKind kind = ParamKind::Scalar;
  /// Element type of a view or pointer, type of a scalar. A pointer parameter takes an array argument (kind View) too.
  ScalarType type = ScalarType::I32;
  uint32_t rank = 0;
  /// Address of element 0 (views, pointers), or the scalar's value in the form of ExprOp::ArgScalar.
  uint64_t value = 0;
  /// `rank` entries each; strides in elements.
  const int64_t *sizes = nullptr, *strides = nullptr;
};

/// What a launch comes to.
struct PlanDecision {
  /// Index into `PlanKernel::variants`.
  size_t variant = 0;
  uint64_t grid[3] = {1, 1, 1};
  /// True if some grid extent is 0: there is nothing to launch, and that is no error. The slots are not written then.
  bool isEmpty = false;
};

/// How messages call a tensor map of a variant: "descriptor 0 (a, tile.load at k.mlir:7:10)".
std::string describeDescriptor(const PlanVariant &variant, size_t index);

/// Finds out how many CTAs of a variant, by its index, one SM holds at a time: at least 1. False with a message where that fails.
using ResidencyQuery = std::function<bool(size_t variant, int64_t *ctas, std::string *error)>;

/// A kernel of a verified plan, ready to be evaluated many times and from several threads at once. Refers to the
/// kernel, which must stay where it is.
class PlanEvaluator {
public:
  /// `residency` is asked at each launch of a variant that wants to know; without it such a launch is refused.
  PlanEvaluator(const PlanKernel &kernel, const DeviceInfoValues &device, ResidencyQuery residency = {});

  const PlanKernel &getKernel() const { return kernel; }
  /// Number of slots that `evaluate` may write: the most launch arguments of any variant.
  size_t getMaxSlots() const { return maxSlots; }
  /// Whether launches of that variant depend on how many of its CTAs an SM holds.
  bool asksResidency(size_t variant) const { return asksFor[variant]; }

  /// Checks count, kind, type, rank, static sizes and strides, promised alignment and divisibility, and bounds.
  /// On failure `error` names the parameter, the rule and the value. Strides are not checked in dimensions of
  /// less than two elements nor in empty arrays, where they mean nothing.
  bool checkArgs(const PlanArg *args, size_t count, std::string *error) const;

  /// Checks the arguments, then picks the variant, computes its grid and argument slots and checks each rule of TMA for its
  /// descriptors. `slots` has room for `getMaxSlots()` values.
  bool evaluate(const PlanArg *args, size_t count, PlanDecision *decision, uint64_t *slots, std::string *error) const;

  /// For a host function: checks the arguments and computes what the steps pass. `values`, which has room for one value
  /// per expression of the kernel, is written where a step refers to it.
  bool evaluateSteps(const PlanArg *args, size_t count, int64_t *values, std::string *error) const;

private:
  /// An expression with its index as the target; device facts have become constants.
  struct Step {
    ExprOp op;
    uint16_t target;
    int64_t a, b, c;
  };
  using Segment = std::vector<Step>;

  void addSteps(const std::vector<uint32_t> &roots, std::vector<bool> &done, Segment &segment) const;
  bool isArgOk(const PlanParam &param, const PlanArg &arg) const;
  bool findResidency(size_t variant, int64_t *ctas, std::string *error) const;
  bool runSegment(const Segment &segment, const PlanArg *args, int64_t *values) const;
  bool evaluateStepsSlowly(const PlanArg *args, int64_t *values, std::string *error) const;
  bool failAt(const std::string &message, uint32_t expr, const PlanArg *args, std::string *error) const;
  bool evaluateSlowly(const PlanArg *args, PlanDecision *decision, uint64_t *slots, std::string *error) const;
  bool checkDescriptors(const PlanArg *args, const int64_t *values, size_t variant, std::string *error) const;
  bool finishGrid(const PlanArg *args, const int64_t *values, PlanDecision *decision, std::string *error) const;
  std::string describeInputs(uint32_t expr, const PlanArg *args) const;

  const PlanKernel &kernel;
  DeviceInfoValues device;
  ResidencyQuery residency;
  /// The expressions that stand for MaxCtasPerSm, and which variants depend on one.
  std::vector<uint32_t> residencyExprs;
  std::vector<bool> asksFor;
  size_t maxSlots = 0;
  Segment checkSegment, stepSegment;
  std::vector<Segment> guardSegments, variantSegments;
};

} // namespace tilewright

#endif // TILEWRIGHT_SUPPORT_PLANEVALUATOR_H
