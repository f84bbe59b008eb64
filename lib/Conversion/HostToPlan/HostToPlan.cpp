// SPDX-License-Identifier: Apache-2.0
#include "tilewright/Conversion/HostToPlan/HostToPlan.h"
#include "tilewright/Analysis/Alignment.h"
#include "tilewright/Analysis/HostValues.h"
#include "tilewright/Analysis/KernelAccess.h"
#include "tilewright/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

#include <map>
#include <tuple>

using namespace mlir;
using namespace tilewright;

namespace {

std::optional<ScalarType> scalarTypeOf(Type type) {
  if (type.isIndex())
    return ScalarType::Index;
  std::string name;
  llvm::raw_string_ostream(name) << type;
  return parseScalarType(name);
}

unsigned widthOf(Type type) { return type.isIndex() || !type.isInteger() ? 64 : type.getIntOrFloatBitWidth(); }

/// Turns host functions into expressions. A value of n bits is kept sign-extended in 64 bits (i1 as 0 or 1), which addition,
/// comparison and the like respect; what does not is mended on the way.
class ExpressionBuilder {
public:
  /// Goes on from the expressions that `plan` has.
  explicit ExpressionBuilder(PlanKernel &plan) : plan(plan) {
    for (auto [i, expr] : llvm::enumerate(plan.exprs))
      known.try_emplace({expr.op, expr.a, expr.b, expr.c}, i);
  }

  uint32_t add(ExprOp op, int64_t a = 0, int64_t b = 0, int64_t c = 0) {
    auto [slot, isNew] = known.try_emplace({op, a, b, c}, plan.exprs.size());
    if (isNew)
      plan.exprs.push_back({op, a, b, c});
    return slot->second;
  }

  /// Makes expressions for everything in `host`.
  LogicalResult visitAll(func::FuncOp host) {
    values.clear();
    for (BlockArgument argument : host.getArguments())
      if (!isa<tile::ViewType>(argument.getType()))
        values[argument] = add(isa<tile::PtrType>(argument.getType()) ? ExprOp::ArgBase : ExprOp::ArgScalar,
                               argument.getArgNumber());
    for (Operation &op : host.front().without_terminator())
      if (failed(visit(&op)))
        return failure();
    return success();
  }

  /// Makes expressions for base, sizes and strides of a view of a kernel, and for what they are computed from.
  FailureOr<PlanStepArg> expressionsOf(Value view, Operation *user) {
    SmallVector<Value> stack;
    if (auto make = ViewOrigin::of(view).view.getDefiningOp<tile::MakeViewOp>())
      stack.assign(make->operand_begin(), make->operand_end());
    while (!stack.empty()) {
      Value value = stack.back();
      if (values.contains(value)) {
        stack.pop_back();
        continue;
      }
      if (auto argument = dyn_cast<BlockArgument>(value)) {
        if (!isa<func::FuncOp>(argument.getOwner()->getParentOp()))
          return refuse(user, "expected a view that the host knows, found one made from what a loop carries");
        values[value] = add(isa<tile::PtrType>(value.getType()) ? ExprOp::ArgBase : ExprOp::ArgScalar,
                            argument.getArgNumber());
        continue;
      }
      Operation *op = value.getDefiningOp();
      if (!hasHostExpression(op))
        return refuse(user, "expected a view that the host knows, found one made from " +
                                op->getName().getStringRef().str());
      size_t before = stack.size();
      for (Value operand : op->getOperands())
        if (!isa<tile::ViewType>(operand.getType()) && !values.contains(operand))
          stack.push_back(operand);
      if (stack.size() == before && failed(visit(op)))
        return failure();
    }
    PlanStepArg arg;
    if (failed(expandView(view, user, arg)))
      return failure();
    return arg;
  }

  /// What a launch passes for `value`, after `visitAll`.
  FailureOr<PlanStepArg> argumentFor(Value value, Operation *launch) {
    PlanStepArg arg;
    if (!isa<tile::ViewType>(value.getType())) {
      arg.value = get(value);
      return arg;
    }
    if (failed(expandView(value, launch, arg)))
      return failure();
    return arg;
  }

  /// The values that `host` returns.
  FailureOr<SmallVector<uint32_t>> evaluate(func::FuncOp host) {
    if (failed(visitAll(host)))
      return failure();
    SmallVector<uint32_t> results;
    for (Value value : host.front().getTerminator()->getOperands())
      results.push_back(values.lookup(value));
    return results;
  }

private:
  PlanKernel &plan;
  std::map<std::tuple<ExprOp, int64_t, int64_t, int64_t>, uint32_t> known;
  DenseMap<Value, uint32_t> values;

  uint32_t get(Value value) { return values.lookup(value); }
  uint32_t constant(int64_t value) { return add(ExprOp::Constant, value); }
  /// The low bits of `expr`, as this class keeps a value of `type`.
  uint32_t wrap(uint32_t expr, Type type) {
    unsigned width = widthOf(type);
    if (width == 1)
      return add(ExprOp::And, expr, constant(1));
    return width == 64 ? expr : add(ExprOp::SExt, expr, width);
  }
  uint32_t asUnsigned(Value value) {
    unsigned width = widthOf(value.getType());
    return width == 64 || width == 1 ? get(value) : add(ExprOp::ZExt, get(value), width);
  }

  LogicalResult refuse(Operation *op, StringRef why) {
    return op->emitOpError() << "cannot be part of a launch plan: " << why;
  }

  /// Base, sizes and strides of a view: a parameter, or made from values that are expressions.
  LogicalResult expandView(Value view, Operation *user, PlanStepArg &into) {
    SmallVector<ArrayRef<int64_t>> orders; // From the view to where it comes from.
    while (auto permute = view.getDefiningOp<tile::PermuteViewOp>()) {
      orders.push_back(permute.getOrder());
      view = permute.getView();
    }
    auto type = cast<tile::ViewType>(view.getType());
    auto argument = dyn_cast<BlockArgument>(view);
    auto make = view.getDefiningOp<tile::MakeViewOp>();
    if (!argument && !make)
      return refuse(user, "expected a view that is a parameter or made by tile.make_view");
    into.value = argument ? add(ExprOp::ArgBase, argument.getArgNumber()) : get(make.getBase());
    auto fill = [&](ArrayRef<int64_t> extents, ExprOp query, auto operands, std::vector<uint32_t> &exprs) {
      size_t next = 0;
      for (auto [dim, extent] : llvm::enumerate(extents))
        exprs.push_back(!ShapedType::isDynamic(extent) ? constant(extent)
                        : argument                     ? add(query, argument.getArgNumber(), dim)
                                                       : get(operands[next++]));
    };
    fill(type.getShape(), ExprOp::ArgSize, make ? make.getSizes() : ValueRange(), into.sizes);
    fill(type.getStrides(), ExprOp::ArgStride, make ? make.getStrides() : ValueRange(), into.strides);
    for (ArrayRef<int64_t> order : llvm::reverse(orders)) {
      std::vector<uint32_t> sizes, strides;
      for (int64_t dim : order) {
        sizes.push_back(into.sizes[dim]);
        strides.push_back(into.strides[dim]);
      }
      into.sizes = std::move(sizes);
      into.strides = std::move(strides);
    }
    return success();
  }

  /// A query of a view: an extent that the type knows is a constant.
  LogicalResult query(Operation *op, ExprOp kind, Value view, int64_t dim, ArrayRef<int64_t> extents) {
    while (auto permute = view.getDefiningOp<tile::PermuteViewOp>()) {
      dim = permute.getOrder()[dim];
      view = permute.getView();
    }
    auto argument = dyn_cast<BlockArgument>(view);
    if (!argument)
      return refuse(op, "expected a view that is a parameter");
    values[op->getResult(0)] = ShapedType::isDynamic(extents[dim]) ? add(kind, argument.getArgNumber(), dim)
                                                                    : constant(extents[dim]);
    return success();
  }

  LogicalResult binary(Operation *op, ExprOp kind, bool isUnsigned = false) {
    Value left = op->getOperand(0), right = op->getOperand(1);
    uint32_t a = isUnsigned ? asUnsigned(left) : get(left), b = isUnsigned ? asUnsigned(right) : get(right);
    values[op->getResult(0)] = wrap(add(kind, a, b), op->getResult(0).getType());
    return success();
  }

  LogicalResult compare(arith::CmpIOp op) {
    static constexpr ExprOp kinds[] = {ExprOp::CmpEq,  ExprOp::CmpNe,  ExprOp::CmpSlt, ExprOp::CmpSle, ExprOp::CmpSgt,
                                       ExprOp::CmpSge, ExprOp::CmpUlt, ExprOp::CmpUle, ExprOp::CmpUgt, ExprOp::CmpUge};
    auto predicate = static_cast<unsigned>(op.getPredicate());
    bool isSigned = predicate >= 2 && predicate <= 5;
    if (isSigned && op.getLhs().getType().isInteger(1))
      return refuse(op, "a signed comparison of i1");
    values[op.getResult()] = add(kinds[predicate], get(op.getLhs()), get(op.getRhs()));
    return success();
  }

  LogicalResult visit(Operation *op) {
    return llvm::TypeSwitch<Operation *, LogicalResult>(op)
        .Case<arith::ConstantOp>([&](arith::ConstantOp x) -> LogicalResult {
          auto value = dyn_cast<IntegerAttr>(x.getValue());
          if (!value)
            return refuse(op, "a constant that is no integer");
          values[x.getResult()] =
              constant(x.getType().isInteger(1) ? value.getValue().getZExtValue() : value.getValue().getSExtValue());
          return success();
        })
        .Case<tile::ViewSizeOp>([&](tile::ViewSizeOp x) {
          return query(op, ExprOp::ArgSize, x.getView(), x.getDim(), rootType(x.getView()).getShape());
        })
        .Case<tile::ViewStrideOp>([&](tile::ViewStrideOp x) {
          return query(op, ExprOp::ArgStride, x.getView(), x.getDim(), rootType(x.getView()).getStrides());
        })
        .Case<tile::ViewBaseOp>([&](tile::ViewBaseOp x) -> LogicalResult {
          Value view = x.getView();
          while (auto permute = view.getDefiningOp<tile::PermuteViewOp>())
            view = permute.getView();
          auto argument = dyn_cast<BlockArgument>(view);
          if (!argument)
            return refuse(op, "expected a view that is a parameter");
          values[x.getResult()] = add(ExprOp::ArgBase, argument.getArgNumber());
          return success();
        })
        // Looked through where they are used.
        .Case<tile::PermuteViewOp, tile::MakeViewOp, tile::LaunchOp>([&](auto) { return success(); })
        .Case<tile::PtrAddOp>([&](tile::PtrAddOp x) -> LogicalResult {
          auto pointer = dyn_cast<tile::PtrType>(x.getPtr().getType());
          int64_t bytes = pointer ? elementBytes(pointer.getPointee()) : 0;
          if (bytes == 0)
            return refuse(op, "expected a pointer to elements of whole bytes");
          uint32_t distance = get(x.getOffset());
          if (bytes != 1)
            distance = add(ExprOp::Mul, distance, constant(bytes));
          values[x.getResult()] = add(ExprOp::Add, get(x.getPtr()), distance);
          return success();
        })
        .Case<tile::AssumeOp>([&](tile::AssumeOp x) {
          values[x.getResult()] = get(x.getSource());
          return success();
        })
        .Case<tile::PtrCastOp>([&](tile::PtrCastOp x) {
          values[x.getResult()] = get(x.getSource());
          return success();
        })
        .Case<tile::DeviceInfoOp>([&](tile::DeviceInfoOp x) {
          DeviceInfoKind kind = DeviceInfoKind::SmCount;
          switch (x.getFact()) {
          case tile::DeviceFact::sm_count:
            break;
          case tile::DeviceFact::max_shared_bytes:
            kind = DeviceInfoKind::MaxSharedBytesPerCta;
            break;
          case tile::DeviceFact::l2_bytes:
            kind = DeviceInfoKind::L2Bytes;
            break;
          case tile::DeviceFact::max_ctas_per_sm:
            kind = DeviceInfoKind::MaxCtasPerSm;
            break;
          }
          values[x.getResult()] = add(ExprOp::DeviceInfo, static_cast<int64_t>(kind));
          return success();
        })
        .Case<arith::AddIOp>([&](auto) { return binary(op, ExprOp::Add); })
        .Case<arith::SubIOp>([&](auto) { return binary(op, ExprOp::Sub); })
        .Case<arith::MulIOp>([&](auto) { return binary(op, ExprOp::Mul); })
        .Case<arith::DivSIOp>([&](auto) { return binary(op, ExprOp::DivS); })
        .Case<arith::DivUIOp>([&](auto) { return binary(op, ExprOp::DivU, true); })
        .Case<arith::RemSIOp>([&](auto) { return binary(op, ExprOp::RemS); })
        .Case<arith::RemUIOp>([&](auto) { return binary(op, ExprOp::RemU, true); })
        .Case<arith::FloorDivSIOp>([&](auto) { return binary(op, ExprOp::FloorDivS); })
        .Case<arith::CeilDivSIOp>([&](auto) { return binary(op, ExprOp::CeilDivS); })
        .Case<arith::CeilDivUIOp>([&](auto) { return binary(op, ExprOp::CeilDivU, true); })
        .Case<arith::MinSIOp>([&](auto) { return binary(op, ExprOp::MinS); })
        .Case<arith::MaxSIOp>([&](auto) { return binary(op, ExprOp::MaxS); })
        .Case<arith::MinUIOp>([&](auto) { return binary(op, ExprOp::MinU); })
        .Case<arith::MaxUIOp>([&](auto) { return binary(op, ExprOp::MaxU); })
        .Case<arith::AndIOp>([&](auto) { return binary(op, ExprOp::And); })
        .Case<arith::OrIOp>([&](auto) { return binary(op, ExprOp::Or); })
        .Case<arith::XOrIOp>([&](auto) { return binary(op, ExprOp::Xor); })
        .Case<arith::ShLIOp>([&](auto) { return binary(op, ExprOp::Shl); })
        .Case<arith::ShRSIOp>([&](auto) { return binary(op, ExprOp::ShrS); })
        .Case<arith::ShRUIOp>([&](auto) { return binary(op, ExprOp::ShrU, true); })
        .Case<arith::CmpIOp>([&](auto x) { return compare(x); })
        .Case<arith::SelectOp>([&](arith::SelectOp x) {
          values[x.getResult()] = add(ExprOp::Select, get(x.getCondition()), get(x.getTrueValue()), get(x.getFalseValue()));
          return success();
        })
        .Case<arith::ExtSIOp>([&](arith::ExtSIOp x) {
          uint32_t value = get(x.getIn());
          values[x.getResult()] = x.getIn().getType().isInteger(1) ? add(ExprOp::Sub, constant(0), value) : value;
          return success();
        })
        .Case<arith::ExtUIOp>([&](arith::ExtUIOp x) {
          values[x.getResult()] = asUnsigned(x.getIn());
          return success();
        })
        .Case<arith::TruncIOp>([&](arith::TruncIOp x) {
          values[x.getResult()] = wrap(get(x.getIn()), x.getType());
          return success();
        })
        .Case<arith::IndexCastOp>([&](arith::IndexCastOp x) {
          uint32_t value = get(x.getIn());
          if (x.getIn().getType().isInteger(1))
            value = add(ExprOp::Sub, constant(0), value);
          values[x.getResult()] = wrap(value, x.getType());
          return success();
        })
        .Case<arith::IndexCastUIOp>([&](arith::IndexCastUIOp x) {
          values[x.getResult()] = wrap(asUnsigned(x.getIn()), x.getType());
          return success();
        })
        .Default([&](Operation *) { return refuse(op, "it has no expression"); });
  }

  static tile::ViewType rootType(Value view) {
    while (auto permute = view.getDefiningOp<tile::PermuteViewOp>())
      view = permute.getView();
    return cast<tile::ViewType>(view.getType());
  }
};

LogicalResult describeParameters(func::FuncOp kernel, PlanKernel &plan) {
  for (auto [i, type] : llvm::enumerate(kernel.getArgumentTypes())) {
    PlanParam param;
    if (auto name = kernel.getArgAttrOfType<StringAttr>(i, "tile.name"))
      param.name = name.getValue().str();
    auto number = [&](StringRef attr) -> std::optional<int64_t> {
      auto value = kernel.getArgAttrOfType<IntegerAttr>(i, attr);
      return value ? std::optional<int64_t>(value.getInt()) : std::nullopt;
    };
    auto list = [&](StringRef attr) -> std::vector<int64_t> {
      auto value = kernel.getArgAttrOfType<DenseI64ArrayAttr>(i, attr);
      return value ? value.asArrayRef().vec() : std::vector<int64_t>();
    };
    Type element = type;
    if (auto view = dyn_cast<tile::ViewType>(type)) {
      param.kind = ParamKind::View;
      element = view.getElementType();
      auto extents = [](ArrayRef<int64_t> from) {
        std::vector<int64_t> result;
        for (int64_t extent : from)
          result.push_back(ShapedType::isDynamic(extent) ? kPlanDynamic : extent);
        return result;
      };
      param.sizes = extents(view.getShape());
      param.strides = extents(view.getStrides());
      param.sizesDivBy = list("tile.sizes_div_by");
      param.stridesDivBy = list("tile.strides_div_by");
    } else if (auto pointer = dyn_cast<tile::PtrType>(type)) {
      param.kind = ParamKind::Pointer;
      element = pointer.getPointee();
    }
    std::optional<ScalarType> scalar = scalarTypeOf(element);
    if (!scalar)
      return emitError(kernel.getLoc()) << "parameter " << i << " has elements of " << element
                                << ", which no launch can pass yet";
    param.type = *scalar;
    param.divBy = number("tile.div_by").value_or(1);
    param.min = number("tile.min");
    param.max = number("tile.max");
    plan.params.push_back(std::move(param));
  }
  for (auto [param, access] : llvm::zip(plan.params, findParameterAccesses(kernel))) {
    param.isRead = access.isRead;
    param.isWritten = access.isWritten;
  }
  return success();
}

void addLaunchArgs(func::FuncOp kernel, ExpressionBuilder &exprs, PlanVariant &variant) {
  auto push = [&](ExprOp op, int64_t a, int64_t b, ScalarType type) {
    variant.launchArgs.push_back({exprs.add(op, a, b), type});
  };
  for (auto [i, type] : llvm::enumerate(kernel.getArgumentTypes())) {
    if (auto view = dyn_cast<tile::ViewType>(type)) {
      push(ExprOp::ArgBase, i, 0, ScalarType::I64);
      for (auto [dim, size] : llvm::enumerate(view.getShape()))
        if (ShapedType::isDynamic(size))
          push(ExprOp::ArgSize, i, dim, ScalarType::I64);
      for (auto [dim, stride] : llvm::enumerate(view.getStrides()))
        if (ShapedType::isDynamic(stride))
          push(ExprOp::ArgStride, i, dim, ScalarType::I64);
    } else if (isa<tile::PtrType>(type)) {
      push(ExprOp::ArgBase, i, 0, ScalarType::I64);
    } else {
      push(ExprOp::ArgScalar, i, 0, *scalarTypeOf(type));
    }
  }
}

} // namespace

FailureOr<PlanKernel> tilewright::buildPlanKernel(func::FuncOp kernel) {
  PlanKernel plan;
  plan.name = kernel.getSymName().str();
  if (failed(describeParameters(kernel, plan)))
    return failure();
  auto module = kernel->getParentOfType<ModuleOp>();
  SmallVector<func::FuncOp> versions;
  for (auto func : module.getOps<func::FuncOp>())
    if (auto original = func->getAttrOfType<FlatSymbolRefAttr>("tile.variant_of");
        original && original.getValue() == plan.name)
      versions.push_back(func);
  versions.push_back(kernel);
  // What a variant lacks because the kernel lacks it is said of the kernel, whose name its author knows.
  if (!kernel->hasAttr("tile.grid"))
    versions.assign({kernel});

  ExpressionBuilder exprs(plan);
  if (auto name = kernel->getAttrOfType<FlatSymbolRefAttr>("tile.requires")) {
    auto host = module.lookupSymbol<func::FuncOp>(name.getValue());
    FailureOr<SmallVector<uint32_t>> conditions = exprs.evaluate(host);
    if (failed(conditions))
      return failure();
    for (auto [condition, message] : llvm::zip(*conditions, host->getAttrOfType<ArrayAttr>("tile.messages")))
      plan.checks.push_back({condition, cast<StringAttr>(message).getValue().str()});
  }
  for (func::FuncOp version : versions) {
    PlanVariant variant;
    variant.symbol = variant.module = version.getSymName().str();
    auto gridName = version->getAttrOfType<FlatSymbolRefAttr>("tile.grid");
    if (!gridName)
      return emitError(version.getLoc()) << "kernel '" << version.getSymName()
                                 << "' has no grid; expected tile.grid = @f, a function of its parameters";
    auto guardName = version->getAttrOfType<FlatSymbolRefAttr>("tile.guard");
    if ((version == kernel) != !guardName)
      return emitError(version.getLoc())
             << (guardName ? "expected the kernel itself, which is tried last, to have no guard"
                           : "expected a variant to have tile.guard = @g");
    if (guardName) {
      auto guard = module.lookupSymbol<func::FuncOp>(guardName.getValue());
      FailureOr<SmallVector<uint32_t>> value = exprs.evaluate(guard);
      if (failed(value))
        return failure();
      variant.guard = (*value)[0];
    }
    FailureOr<SmallVector<uint32_t>> grid = exprs.evaluate(module.lookupSymbol<func::FuncOp>(gridName.getValue()));
    if (failed(grid))
      return failure();
    variant.grid.assign(grid->begin(), grid->end());
    addLaunchArgs(version, exprs, variant);
    plan.variants.push_back(std::move(variant));
  }
  return plan;
}

FailureOr<PlanDescriptor> tilewright::buildPlanDescriptor(PlanKernel &plan, const DescriptorSpec &spec) {
  FailureOr<PlanStepArg> view = ExpressionBuilder(plan).expressionsOf(spec.view, spec.access);
  if (failed(view))
    return failure();
  PlanDescriptor descriptor;
  descriptor.type = *scalarTypeOf(cast<tile::ViewType>(spec.view.getType()).getElementType());
  descriptor.address = view->value;
  ViewOrigin origin = ViewOrigin::of(spec.view);
  for (auto [dim, box] : llvm::zip(spec.order, spec.box)) {
    descriptor.sizes.push_back(view->sizes[dim]);
    descriptor.strides.push_back(view->strides[dim]);
    descriptor.box.push_back(box);
    descriptor.dims.push_back(origin.dims[dim]);
  }
  descriptor.swizzle = spec.swizzle;
  return descriptor;
}

FailureOr<PlanKernel> tilewright::buildPlanHost(func::FuncOp host, ArrayRef<PlanKernel> kernels) {
  if (!llvm::hasSingleElement(host.getBody()) || host.getNumResults() != 0)
    return emitError(host.getLoc()) << "expected a host function to be one block and to return nothing, found "
                                    << host.getFunctionType();
  PlanKernel plan;
  plan.name = host.getSymName().str();
  if (failed(describeParameters(host, plan)))
    return failure();
  for (PlanParam &param : plan.params)
    param.isRead = param.isWritten = false;
  for (auto info : host.front().getOps<tile::DeviceInfoOp>())
    if (info.getFact() == tile::DeviceFact::max_ctas_per_sm)
      return info.emitOpError() << "expects a function of tile.grid to ask for max_ctas_per_sm, found the host function @"
                                << host.getSymName() << ", which launches several kernels or versions";
  ExpressionBuilder exprs(plan);
  if (failed(exprs.visitAll(host)))
    return failure();
  for (auto launch : host.front().getOps<tile::LaunchOp>()) {
    const PlanKernel *kernel = llvm::find_if(
        kernels, [&](const PlanKernel &known) { return StringRef(known.name) == launch.getKernel(); });
    if (kernel == kernels.end())
      return launch.emitOpError() << "expects a kernel that has a plan, found @" << launch.getKernel();
    PlanStep step;
    step.kernel = kernel->name;
    for (auto [value, target] : llvm::zip(launch.getArgs(), kernel->params)) {
      FailureOr<PlanStepArg> arg = exprs.argumentFor(value, launch);
      if (failed(arg))
        return failure();
      step.args.push_back(std::move(*arg));
      if (!isa<tile::ViewType, tile::PtrType>(value.getType()))
        continue;
      BlockArgument root = parameterOf(value, &host.front());
      for (auto [p, param] : llvm::enumerate(plan.params))
        if (!root || root.getArgNumber() == p) {
          param.isRead |= target.isRead;
          param.isWritten |= target.isWritten;
        }
    }
    plan.steps.push_back(std::move(step));
  }
  return plan;
}
