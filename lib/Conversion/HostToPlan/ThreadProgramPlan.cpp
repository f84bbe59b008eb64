// SPDX-License-Identifier: Apache-2.0
#include "tilewright/Conversion/HostToPlan/HostToPlan.h"

#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;
using namespace tilewright;

static std::optional<ScalarType> scalarTypeOf(Type type) {
  std::string name;
  llvm::raw_string_ostream(name) << type;
  return parseScalarType(name);
}

/// The numbers of CTAs that a thread program's attribute gives; one where there is none.
static FailureOr<SmallVector<int64_t>> readGrid(func::FuncOp kernel) {
  Attribute attr = kernel->getAttr("tile_gpu.grid");
  if (!attr)
    return SmallVector<int64_t>{1};
  auto grid = dyn_cast<DenseI64ArrayAttr>(attr);
  if (!grid || grid.empty() || grid.size() > 3 || llvm::any_of(grid.asArrayRef(), [](int64_t n) { return n < 0; }))
    return emitError(kernel.getLoc(), "expected tile_gpu.grid to be one to three numbers of CTAs, found ") << attr;
  return SmallVector<int64_t>(grid.asArrayRef());
}

FailureOr<PlanKernel> tilewright::buildThreadProgramPlan(func::FuncOp kernel) {
  PlanKernel plan;
  plan.name = kernel.getSymName().str();
  PlanVariant variant;
  variant.symbol = variant.module = plan.name;
  FailureOr<SmallVector<int64_t>> grid = readGrid(kernel);
  if (failed(grid))
    return failure();
  for (auto [i, type] : llvm::enumerate(kernel.getArgumentTypes())) {
    PlanParam param;
    if (auto name = kernel.getArgAttrOfType<StringAttr>(i, "tile.name"))
      param.name = name.getValue().str();
    auto pointee = kernel.getArgAttrOfType<TypeAttr>(i, "tile_gpu.points_to");
    if (pointee && !type.isInteger(64))
      return emitError(kernel.getLoc(), "expected parameter ")
             << i << ", which points to memory, to be i64, found " << type;
    Type element = pointee ? pointee.getValue() : type;
    std::optional<ScalarType> scalar = scalarTypeOf(element);
    if (!scalar)
      return emitError(kernel.getLoc(), "parameter ")
             << i << (pointee ? " has elements of " : " is of ") << element << ", which no launch can pass";
    param.kind = pointee ? ParamKind::Pointer : ParamKind::Scalar;
    param.type = *scalar;
    plan.params.push_back(std::move(param));
    plan.exprs.push_back({pointee ? ExprOp::ArgBase : ExprOp::ArgScalar, static_cast<int64_t>(i)});
    variant.launchArgs.push_back({static_cast<uint32_t>(i), pointee ? ScalarType::I64 : *scalar});
  }
  for (int64_t extent : *grid) {
    variant.grid.push_back(plan.exprs.size());
    plan.exprs.push_back({ExprOp::Constant, extent});
  }
  plan.variants.push_back(std::move(variant));
  return plan;
}
