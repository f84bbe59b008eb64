// SPDX-License-Identifier: Apache-2.0
// The checks of a launch's arguments: a fast predicate per argument, and the message when it does not hold. The
// message function is the reference: it finds the rule that is broken, or none.
#include "tilewright/Support/PlanEvaluator.h"

#include <algorithm>
#include <cstdio>

using namespace tilewright;

static bool isEmptyArray(const PlanArg &arg) {
  return std::any_of(arg.sizes, arg.sizes + arg.rank, [](int64_t size) { return size == 0; });
}

static std::string printHex(uint64_t value) {
  char text[32];
  std::snprintf(text, sizeof(text), "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

static std::string describeKind(ParamKind kind) {
  return kind == ParamKind::View ? "an array" : kind == ParamKind::Pointer ? "a pointer" : "a scalar";
}

static std::string describeExpected(const PlanParam &param) {
  std::string type(scalarTypeName(param.type));
  switch (param.kind) {
  case ParamKind::View:
    return "an array of " + type + " with rank " + std::to_string(param.sizes.size());
  case ParamKind::Pointer:
    return "an array of or pointer to " + type;
  case ParamKind::Scalar:
    break;
  }
  return "a scalar of type " + type;
}

/// The broken rule of a view's sizes and strides, in words that follow the parameter's name; empty if there is none.
static std::string explainDims(const PlanParam &param, const PlanArg &arg) {
  for (uint32_t d = 0; d < arg.rank; ++d) {
    int64_t size = arg.sizes[d];
    std::string dim = " dim " + std::to_string(d);
    if (size < 0)
      return dim + " has the negative size " + std::to_string(size);
    if (param.sizes[d] != kPlanDynamic && size != param.sizes[d])
      return dim + " has the static size " + std::to_string(param.sizes[d]) + ", got " + std::to_string(size);
    if (!param.sizesDivBy.empty() && size % param.sizesDivBy[d] != 0)
      return dim + " promises a size that is a multiple of " + std::to_string(param.sizesDivBy[d]) + ", got " +
             std::to_string(size);
  }
  if (isEmptyArray(arg))
    return "";
  for (uint32_t d = 0; d < arg.rank; ++d) {
    int64_t stride = arg.strides[d];
    std::string dim = " dim " + std::to_string(d);
    if (arg.sizes[d] < 2)
      continue;
    if (param.strides[d] != kPlanDynamic && stride != param.strides[d])
      return dim + " has the static stride " + std::to_string(param.strides[d]) + ", got " + std::to_string(stride);
    if (!param.stridesDivBy.empty() && stride % param.stridesDivBy[d] != 0)
      return dim + " promises a stride that is a multiple of " + std::to_string(param.stridesDivBy[d]) +
             " elements, got " + std::to_string(stride);
  }
  return "";
}

static std::string explainScalar(const PlanParam &param, int64_t value) {
  if (param.divBy != 1 && value % param.divBy != 0)
    return " promises a multiple of " + std::to_string(param.divBy) + ", got " + std::to_string(value);
  if (param.min && value < *param.min)
    return " promises a value of at least " + std::to_string(*param.min) + ", got " + std::to_string(value);
  if (param.max && value > *param.max)
    return " promises a value of at most " + std::to_string(*param.max) + ", got " + std::to_string(value);
  return "";
}

static std::string explainBase(const PlanParam &param, const PlanArg &arg) {
  if (arg.value == 0)
    return " has a null address";
  if (uint64_t bytes = scalarTypeBytes(param.type); bytes > 1 && arg.value % bytes != 0)
    return " has the address " + printHex(arg.value) + ", which is not a multiple of the " + std::to_string(bytes) +
           " bytes of " + std::string(scalarTypeName(param.type));
  if (arg.value % static_cast<uint64_t>(param.divBy) != 0)
    return " promises an address that is a multiple of " + std::to_string(param.divBy) + " bytes, got " +
           printHex(arg.value);
  return "";
}

static std::string explainArg(const PlanParam &param, const PlanArg &arg) {
  bool isKindOk = arg.kind == param.kind || (param.kind == ParamKind::Pointer && arg.kind == ParamKind::View);
  if (!isKindOk)
    return " expects " + describeExpected(param) + ", got " + describeKind(arg.kind);
  if (arg.type != param.type)
    return " expects " + describeExpected(param) + ", got " + describeKind(arg.kind) +
           (arg.kind == ParamKind::Scalar ? " of type " : " of ") + std::string(scalarTypeName(arg.type));
  if (param.kind == ParamKind::Scalar)
    return isIntegerType(param.type) ? explainScalar(param, static_cast<int64_t>(arg.value)) : "";
  if (param.kind == ParamKind::View) {
    if (arg.rank != param.sizes.size())
      return " expects " + describeExpected(param) + ", got rank " + std::to_string(arg.rank);
    if (std::string reason = explainDims(param, arg); !reason.empty())
      return reason;
  }
  // An empty array has no address worth checking; a bare pointer is checked always.
  return arg.kind == ParamKind::View && isEmptyArray(arg) ? "" : explainBase(param, arg);
}

bool PlanEvaluator::isArgOk(const PlanParam &param, const PlanArg &arg) const {
  if (arg.kind != param.kind || arg.type != param.type)
    return false;
  if (param.kind == ParamKind::Scalar) {
    int64_t value = static_cast<int64_t>(arg.value);
    return (param.divBy == 1 || value % param.divBy == 0) && !(param.min && value < *param.min) &&
           !(param.max && value > *param.max);
  }
  uint64_t bytes = scalarTypeBytes(param.type);
  bool isOk = arg.value != 0 && (bytes == 0 || (arg.value & (bytes - 1)) == 0);
  isOk &= param.divBy == 1 || arg.value % static_cast<uint64_t>(param.divBy) == 0;
  if (param.kind == ParamKind::Pointer)
    return isOk;
  if (arg.rank != param.sizes.size())
    return false;
  for (uint32_t d = 0; d < arg.rank; ++d) {
    int64_t size = arg.sizes[d], stride = arg.strides[d];
    isOk &= size >= 0 && (param.sizes[d] == kPlanDynamic || param.sizes[d] == size);
    isOk &= param.strides[d] == kPlanDynamic || param.strides[d] == stride;
  }
  if (!param.sizesDivBy.empty())
    for (uint32_t d = 0; d < arg.rank; ++d)
      isOk &= arg.sizes[d] % param.sizesDivBy[d] == 0;
  if (!param.stridesDivBy.empty())
    for (uint32_t d = 0; d < arg.rank; ++d)
      isOk &= arg.strides[d] % param.stridesDivBy[d] == 0;
  return isOk;
}

bool PlanEvaluator::checkArgs(const PlanArg *args, size_t count, std::string *error) const {
  auto fail = [&](std::string message) {
    if (error)
      *error = "kernel '" + kernel.name + "': " + message;
    return false;
  };
  if (count != kernel.params.size())
    return fail("expected " + std::to_string(kernel.params.size()) + " arguments, got " + std::to_string(count));
  for (size_t i = 0; i < count; ++i) {
    // The predicate is stricter than the rules (it looks at strides that mean nothing), never laxer.
    if (isArgOk(kernel.params[i], args[i]))
      continue;
    if (std::string reason = explainArg(kernel.params[i], args[i]); !reason.empty())
      return fail(describeParam(kernel, i) + reason);
  }
  return true;
}
