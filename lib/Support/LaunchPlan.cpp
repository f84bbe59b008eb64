// SPDX-License-Identifier: Apache-2.0
#include "tilewright/Support/LaunchPlan.h"

#include <algorithm>
#include <charconv>
#include <iterator>

using namespace tilewright;

/// In the order of the enumerators.
static constexpr std::string_view kExprOpNames[] = {
    "constant", "arg_scalar", "arg_base", "arg_size", "arg_stride", "device_info", "add",       "sub",
    "mul",      "div_s",      "div_u",    "rem_s",    "rem_u",      "floordiv_s",  "ceildiv_s", "ceildiv_u",
    "min_s",    "max_s",      "min_u",    "max_u",    "and",        "or",          "xor",       "shl",
    "shr_s",    "shr_u",      "cmp_eq",   "cmp_ne",   "cmp_slt",    "cmp_sle",     "cmp_sgt",   "cmp_sge",
    "cmp_ult",  "cmp_ule",    "cmp_ugt",  "cmp_uge",  "select",     "sext",        "zext",
};
static_assert(std::size(kExprOpNames) == kNumExprOps);

static constexpr std::string_view kDeviceInfoNames[] = {
    "sm_count", "max_shared_bytes_per_cta", "max_threads_per_cta", "compute_capability", "l2_bytes",
    "max_ctas_per_sm",
};
static_assert(std::size(kDeviceInfoNames) == kNumDeviceInfoKinds);

template <typename Enum, size_t size>
static std::optional<Enum> findName(const std::string_view (&names)[size], std::string_view name) {
  const std::string_view *it = std::find(std::begin(names), std::end(names), name);
  if (it == std::end(names))
    return std::nullopt;
  return static_cast<Enum>(it - std::begin(names));
}

std::string_view tilewright::exprOpName(ExprOp op) { return kExprOpNames[static_cast<unsigned>(op)]; }
std::optional<ExprOp> tilewright::parseExprOp(std::string_view name) { return findName<ExprOp>(kExprOpNames, name); }

std::string_view tilewright::deviceInfoName(DeviceInfoKind kind) {
  return kDeviceInfoNames[static_cast<unsigned>(kind)];
}
std::optional<DeviceInfoKind> tilewright::parseDeviceInfo(std::string_view name) {
  return findName<DeviceInfoKind>(kDeviceInfoNames, name);
}

unsigned tilewright::numExprOperands(ExprOp op) {
  if (op <= ExprOp::DeviceInfo)
    return 0;
  if (op == ExprOp::Select)
    return 3;
  return op >= ExprOp::SExt ? 1 : 2;
}

uint64_t PlanDescriptor::boxBytes() const {
  uint64_t bytes = scalarTypeBytes(type);
  for (uint32_t extent : box)
    bytes *= extent;
  return bytes;
}

const PlanKernel *LaunchPlan::findKernel(std::string_view name) const {
  for (const PlanKernel &kernel : kernels)
    if (kernel.name == name)
      return &kernel;
  return nullptr;
}

std::string tilewright::describeParam(const PlanKernel &kernel, size_t index) {
  if (index < kernel.params.size() && !kernel.params[index].name.empty())
    return "parameter '" + kernel.params[index].name + "'";
  return "parameter " + std::to_string(index);
}

std::optional<size_t> tilewright::findParam(const PlanKernel &kernel, std::string_view nameOrPosition) {
  for (size_t i = 0; i < kernel.params.size(); ++i)
    if (!nameOrPosition.empty() && kernel.params[i].name == nameOrPosition)
      return i;
  size_t position = 0;
  const char *end = nameOrPosition.data() + nameOrPosition.size();
  auto [stop, status] = std::from_chars(nameOrPosition.data(), end, position);
  if (nameOrPosition.empty() || status != std::errc() || stop != end || position >= kernel.params.size())
    return std::nullopt;
  return position;
}
