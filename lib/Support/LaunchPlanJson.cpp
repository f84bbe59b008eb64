// SPDX-License-Identifier: Apache-2.0
#include "tilewright/Support/LaunchPlan.h"

#include <nlohmann/json.hpp>

using namespace tilewright;

/// Keeps the order in which fields are added, so that the same plan gives the same bytes.
using Json = nlohmann::ordered_json;

namespace {
/// What the reader throws; it never leaves this file.
struct ParseFailure {
  std::string message;
};

/// One JSON value and the path to it, for messages.
class Node {
public:
  Node(const Json &value, std::string where) : value(value), where(std::move(where)) {}

  [[noreturn]] void fail(const std::string &what) const { throw ParseFailure{"launch plan, " + where + ": " + what}; }

  int64_t getInt(int64_t low, int64_t high) const {
    bool isHuge = value.is_number_unsigned() && value.get<uint64_t>() > static_cast<uint64_t>(INT64_MAX);
    if (!value.is_number_integer() || isHuge)
      fail("expected an integer, found " + print());
    int64_t number = value.get<int64_t>();
    if (number < low || number > high)
      fail(std::to_string(number) + " is not in " + std::to_string(low) + ".." + std::to_string(high));
    return number;
  }
  int64_t getInt() const { return getInt(INT64_MIN, INT64_MAX); }
  uint32_t getU32() const { return static_cast<uint32_t>(getInt(0, UINT32_MAX)); }
  bool getBool() const {
    if (!value.is_boolean())
      fail("expected true or false, found " + print());
    return value.get<bool>();
  }
  const std::string &getString() const {
    if (!value.is_string())
      fail("expected a string, found " + print());
    return value.get_ref<const std::string &>();
  }
  /// Sizes and strides: an integer, or "?" where only the caller knows.
  int64_t getIntOrDynamic() const {
    return value.is_string() && value.get_ref<const std::string &>() == "?" ? kPlanDynamic : getInt();
  }
  ScalarType getType() const {
    if (std::optional<ScalarType> type = parseScalarType(getString()))
      return *type;
    fail("unknown type " + print());
  }
  std::vector<Node> getList(size_t limit) const {
    if (!value.is_array())
      fail("expected a list, found " + print());
    if (value.size() > limit)
      fail(std::to_string(value.size()) + " entries, at most " + std::to_string(limit) + " are allowed");
    std::vector<Node> nodes;
    nodes.reserve(value.size());
    for (size_t i = 0; i < value.size(); ++i)
      nodes.emplace_back(value[i], where + "[" + std::to_string(i) + "]");
    return nodes;
  }

  /// The fields of an object in the order of `names`; each must be there unless its name ends in '?', which stands
  /// for an optional field and gives null. No other field may be there.
  std::vector<Node> getFields(std::initializer_list<std::string_view> names) const {
    static const Json kNull;
    if (!value.is_object())
      fail("expected an object, found " + print());
    std::vector<Node> nodes;
    size_t numFound = 0;
    for (std::string_view name : names) {
      bool isOptional = name.back() == '?';
      if (isOptional)
        name.remove_suffix(1);
      auto it = value.find(std::string(name));
      if (it == value.end() && !isOptional)
        fail("field '" + std::string(name) + "' is missing");
      numFound += it != value.end();
      nodes.emplace_back(it == value.end() ? kNull : *it, where + "." + std::string(name));
    }
    if (numFound != value.size())
      for (const auto &item : value.items())
        if (!isListed(item.key(), names))
          fail("unknown field '" + item.key() + "'");
    return nodes;
  }

  bool isNull() const { return value.is_null(); }

private:
  static bool isListed(std::string_view key, std::initializer_list<std::string_view> names) {
    for (std::string_view name : names)
      if (key == name || (name.back() == '?' && key == name.substr(0, name.size() - 1)))
        return true;
    return false;
  }
  std::string print() const {
    std::string text = value.dump(-1, ' ', false, Json::error_handler_t::replace);
    return text.size() <= 40 ? text : text.substr(0, 37) + "...";
  }

  const Json &value;
  std::string where;
};
} // namespace

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

static Json printDims(const std::vector<int64_t> &dims) {
  Json list = Json::array();
  for (int64_t dim : dims)
    list.push_back(dim == kPlanDynamic ? Json("?") : Json(dim));
  return list;
}

static const char *kParamKindNames[] = {"view", "pointer", "scalar"};

static Json printParam(const PlanParam &param) {
  Json json = {{"name", param.name},
               {"kind", kParamKindNames[static_cast<unsigned>(param.kind)]},
               {"type", scalarTypeName(param.type)},
               {"sizes", printDims(param.sizes)},
               {"strides", printDims(param.strides)},
               {"div_by", param.divBy},
               {"sizes_div_by", param.sizesDivBy},
               {"strides_div_by", param.stridesDivBy}};
  if (param.min)
    json["min"] = *param.min;
  if (param.max)
    json["max"] = *param.max;
  json["read"] = param.isRead;
  json["written"] = param.isWritten;
  return json;
}

/// How many of a, b and c an operation uses in JSON.
static unsigned numFields(ExprOp op) {
  switch (op) {
  case ExprOp::Constant:
  case ExprOp::ArgScalar:
  case ExprOp::ArgBase:
  case ExprOp::DeviceInfo:
    return 1;
  case ExprOp::Select:
    return 3;
  default:
    return 2;
  }
}

static Json printExpr(const PlanExpr &expr) {
  Json list = Json::array({exprOpName(expr.op)});
  if (expr.op == ExprOp::DeviceInfo) {
    list.push_back(deviceInfoName(static_cast<DeviceInfoKind>(expr.a)));
    return list;
  }
  const int64_t fields[] = {expr.a, expr.b, expr.c};
  for (unsigned i = 0; i < numFields(expr.op); ++i)
    list.push_back(fields[i]);
  return list;
}

static Json printDescriptor(const PlanDescriptor &descriptor) {
  return {{"label", descriptor.label},
          {"type", scalarTypeName(descriptor.type)},
          {"address", descriptor.address},
          {"sizes", descriptor.sizes},
          {"strides", descriptor.strides},
          {"box", descriptor.box},
          {"dims", descriptor.dims},
          {"swizzle", tmaSwizzleName(descriptor.swizzle)},
          {"fill", tmaFillName(descriptor.fill)}};
}

static Json printVariant(const PlanVariant &variant) {
  Json args = Json::array(), facts = Json::array(), descriptors = Json::array();
  for (const PlanDescriptor &descriptor : variant.descriptors)
    descriptors.push_back(printDescriptor(descriptor));
  for (const PlanLaunchArg &arg : variant.launchArgs)
    args.push_back(Json::array({arg.expr, scalarTypeName(arg.type)}));
  for (const auto &[key, value] : variant.facts)
    facts.push_back(Json::array({key, value}));
  return {{"symbol", variant.symbol},
          {"module", variant.module},
          {"guard", variant.guard},
          {"grid", variant.grid},
          {"num_threads", variant.numThreads},
          {"cluster", variant.cluster},
          {"dynamic_shared_bytes", variant.dynamicSharedBytes},
          {"static_shared_bytes", variant.staticSharedBytes},
          {"args", std::move(args)},
          {"descriptors", std::move(descriptors)},
          {"assumptions", variant.assumptions},
          {"facts", std::move(facts)}};
}

static Json printStep(const PlanStep &step) {
  Json args = Json::array();
  for (const PlanStepArg &arg : step.args)
    args.push_back(Json::array({arg.value, arg.sizes, arg.strides}));
  return {{"kernel", step.kernel}, {"args", std::move(args)}};
}

static Json printKernel(const PlanKernel &kernel) {
  Json params = Json::array(), exprs = Json::array(), checks = Json::array(), variants = Json::array();
  Json steps = Json::array();
  for (const PlanParam &param : kernel.params)
    params.push_back(printParam(param));
  for (const PlanExpr &expr : kernel.exprs)
    exprs.push_back(printExpr(expr));
  for (const PlanCheck &check : kernel.checks)
    checks.push_back(Json::array({check.expr, check.message}));
  for (const PlanVariant &variant : kernel.variants)
    variants.push_back(printVariant(variant));
  for (const PlanStep &step : kernel.steps)
    steps.push_back(printStep(step));
  return {{"name", kernel.name},
          {"params", std::move(params)},
          {"exprs", std::move(exprs)},
          {"checks", std::move(checks)},
          {"variants", std::move(variants)},
          {"steps", std::move(steps)}};
}

std::string tilewright::printLaunchPlan(const LaunchPlan &plan) {
  Json kernels = Json::array();
  for (const PlanKernel &kernel : plan.kernels)
    kernels.push_back(printKernel(kernel));
  Json json = {{"version", plan.version},
               {"target", plan.target},
               {"compiler_version", plan.compilerVersion},
               {"ptxas_version", plan.ptxasVersion},
               {"options", plan.options},
               {"kernels", std::move(kernels)}};
  // Text that is not UTF-8 cannot be JSON; it is only ever shown to people, so it is replaced.
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

//===----------------------------------------------------------------------===//
// Parsing
//===----------------------------------------------------------------------===//

static std::vector<int64_t> parseDims(const Node &node, bool mayBeDynamic) {
  std::vector<int64_t> dims;
  for (const Node &dim : node.getList(PlanLimits::kRank))
    dims.push_back(mayBeDynamic ? dim.getIntOrDynamic() : dim.getInt());
  return dims;
}

static PlanParam parseParam(const Node &node) {
  std::vector<Node> fields = node.getFields({"name", "kind", "type", "sizes", "strides", "div_by", "sizes_div_by",
                                             "strides_div_by", "min?", "max?", "read", "written"});
  PlanParam param;
  param.name = fields[0].getString();
  unsigned kind = 0;
  while (kind < 3 && fields[1].getString() != kParamKindNames[kind])
    ++kind;
  if (kind == 3)
    fields[1].fail("expected view, pointer or scalar, found '" + fields[1].getString() + "'");
  param.kind = static_cast<ParamKind>(kind);
  param.type = fields[2].getType();
  param.sizes = parseDims(fields[3], /*mayBeDynamic=*/true);
  param.strides = parseDims(fields[4], /*mayBeDynamic=*/true);
  param.divBy = fields[5].getInt();
  param.sizesDivBy = parseDims(fields[6], /*mayBeDynamic=*/false);
  param.stridesDivBy = parseDims(fields[7], /*mayBeDynamic=*/false);
  if (!fields[8].isNull())
    param.min = fields[8].getInt();
  if (!fields[9].isNull())
    param.max = fields[9].getInt();
  param.isRead = fields[10].getBool();
  param.isWritten = fields[11].getBool();
  return param;
}

static PlanExpr parseExpr(const Node &node) {
  std::vector<Node> parts = node.getList(4);
  if (parts.empty())
    node.fail("expected an operation");
  std::optional<ExprOp> op = parseExprOp(parts[0].getString());
  if (!op)
    parts[0].fail("unknown operation '" + parts[0].getString() + "'");
  unsigned numParts = numFields(*op);
  if (parts.size() != numParts + 1)
    node.fail(std::string(exprOpName(*op)) + " takes " + std::to_string(numParts) + " operands, found " +
              std::to_string(parts.size() - 1));
  PlanExpr expr;
  expr.op = *op;
  if (*op == ExprOp::DeviceInfo) {
    std::optional<DeviceInfoKind> kind = parseDeviceInfo(parts[1].getString());
    if (!kind)
      parts[1].fail("unknown device fact '" + parts[1].getString() + "'");
    expr.a = static_cast<int64_t>(*kind);
    return expr;
  }
  int64_t *fields[] = {&expr.a, &expr.b, &expr.c};
  for (unsigned i = 0; i < numParts; ++i)
    *fields[i] = parts[i + 1].getInt();
  return expr;
}

static std::vector<Node> getPair(const Node &node) {
  std::vector<Node> pair = node.getList(2);
  if (pair.size() != 2)
    node.fail("expected two entries");
  return pair;
}

static PlanDescriptor parseDescriptor(const Node &node) {
  std::vector<Node> fields =
      node.getFields({"label", "type", "address", "sizes", "strides", "box", "dims", "swizzle", "fill"});
  PlanDescriptor descriptor;
  descriptor.label = fields[0].getString();
  descriptor.type = fields[1].getType();
  descriptor.address = fields[2].getU32();
  std::vector<uint32_t> *lists[] = {&descriptor.sizes, &descriptor.strides, &descriptor.box, &descriptor.dims};
  for (unsigned i = 0; i < 4; ++i)
    for (const Node &entry : fields[3 + i].getList(TmaLimits::kRank))
      lists[i]->push_back(entry.getU32());
  std::optional<TmaSwizzle> swizzle = parseTmaSwizzle(fields[7].getString());
  if (!swizzle)
    fields[7].fail("expected none, 32B, 64B or 128B, found '" + fields[7].getString() + "'");
  descriptor.swizzle = *swizzle;
  std::optional<TmaFill> fill = parseTmaFill(fields[8].getString());
  if (!fill)
    fields[8].fail("expected zero or nan, found '" + fields[8].getString() + "'");
  descriptor.fill = *fill;
  return descriptor;
}

static PlanVariant parseVariant(const Node &node) {
  std::vector<Node> fields =
      node.getFields({"symbol", "module", "guard", "grid", "num_threads", "cluster", "dynamic_shared_bytes",
                      "static_shared_bytes", "args", "descriptors", "assumptions", "facts"});
  PlanVariant variant;
  variant.symbol = fields[0].getString();
  variant.module = fields[1].getString();
  variant.guard = fields[2].getInt();
  for (const Node &extent : fields[3].getList(3))
    variant.grid.push_back(extent.getU32());
  variant.numThreads = fields[4].getU32();
  std::vector<Node> cluster = fields[5].getList(3);
  if (cluster.size() != 3)
    fields[5].fail("expected three extents");
  for (unsigned i = 0; i < 3; ++i)
    variant.cluster[i] = cluster[i].getU32();
  variant.dynamicSharedBytes = fields[6].getU32();
  variant.staticSharedBytes = fields[7].getU32();
  for (const Node &arg : fields[8].getList(PlanLimits::kLaunchArgs)) {
    std::vector<Node> pair = getPair(arg);
    variant.launchArgs.push_back({pair[0].getU32(), pair[1].getType()});
  }
  for (const Node &descriptor : fields[9].getList(PlanLimits::kDescriptors))
    variant.descriptors.push_back(parseDescriptor(descriptor));
  for (const Node &text : fields[10].getList(PlanLimits::kNotes))
    variant.assumptions.push_back(text.getString());
  for (const Node &fact : fields[11].getList(PlanLimits::kNotes)) {
    std::vector<Node> pair = getPair(fact);
    variant.facts.emplace_back(pair[0].getString(), pair[1].getString());
  }
  return variant;
}

static PlanStep parseStep(const Node &node) {
  std::vector<Node> fields = node.getFields({"kernel", "args"});
  PlanStep step;
  step.kernel = fields[0].getString();
  for (const Node &arg : fields[1].getList(PlanLimits::kParams)) {
    std::vector<Node> parts = arg.getList(3);
    if (parts.size() != 3)
      arg.fail("expected three entries");
    PlanStepArg made;
    made.value = parts[0].getU32();
    for (const Node &size : parts[1].getList(PlanLimits::kRank))
      made.sizes.push_back(size.getU32());
    for (const Node &stride : parts[2].getList(PlanLimits::kRank))
      made.strides.push_back(stride.getU32());
    step.args.push_back(std::move(made));
  }
  return step;
}

static PlanKernel parseKernel(const Node &node) {
  std::vector<Node> fields = node.getFields({"name", "params", "exprs", "checks", "variants", "steps"});
  PlanKernel kernel;
  kernel.name = fields[0].getString();
  for (const Node &param : fields[1].getList(PlanLimits::kParams))
    kernel.params.push_back(parseParam(param));
  for (const Node &expr : fields[2].getList(PlanLimits::kExprs))
    kernel.exprs.push_back(parseExpr(expr));
  for (const Node &check : fields[3].getList(PlanLimits::kChecks)) {
    std::vector<Node> pair = getPair(check);
    kernel.checks.push_back({pair[0].getU32(), pair[1].getString()});
  }
  for (const Node &variant : fields[4].getList(PlanLimits::kVariants))
    kernel.variants.push_back(parseVariant(variant));
  for (const Node &step : fields[5].getList(PlanLimits::kSteps))
    kernel.steps.push_back(parseStep(step));
  return kernel;
}

std::optional<LaunchPlan> tilewright::parseLaunchPlan(std::string_view text, std::string *error) {
  auto fail = [&](std::string message) {
    if (error)
      *error = std::move(message);
    return std::nullopt;
  };
  if (text.size() > PlanLimits::kJsonBytes)
    return fail("launch plan: " + std::to_string(text.size()) + " bytes of JSON are more than the limit of 64 MiB");
  try {
    Json json = Json::parse(text);
    Node root(json, "top level");
    // The version comes first: a plan of another version has other fields, and the reader should say so.
    if (!json.is_object() || !json.contains("version"))
      root.fail("expected an object with a version");
    if (int64_t version = Node(json["version"], "version").getInt(); version != kLaunchPlanVersion)
      return fail("launch plan: version " + std::to_string(version) + " is not supported, expected " +
                  std::to_string(kLaunchPlanVersion));
    std::vector<Node> fields =
        root.getFields({"version", "target", "compiler_version", "ptxas_version", "options", "kernels"});
    LaunchPlan plan;
    plan.target = fields[1].getString();
    plan.compilerVersion = fields[2].getString();
    plan.ptxasVersion = fields[3].getString();
    plan.options = fields[4].getString();
    for (const Node &kernel : fields[5].getList(PlanLimits::kKernels))
      plan.kernels.push_back(parseKernel(kernel));
    if (!verifyLaunchPlan(plan, error))
      return std::nullopt;
    return plan;
  } catch (const ParseFailure &failure) {
    return fail(failure.message);
  } catch (const std::exception &exception) {
    return fail(std::string("launch plan: ") + exception.what());
  }
}
