// SPDX-License-Identifier: Apache-2.0
// The attributes that the dialect puts on functions, arguments and loops. Each has one meaning, and a name that is not
// known is an error: a misspelt hint must not be a silent one.
#include "tilewright/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace tilewright::tile;

/// Most warps of a CTA. Source: CUDA Programming Guide, compute capabilities (1024 threads).
static constexpr int64_t kMaxWarps = 32;

static LogicalResult verifyKernel(func::FuncOp func) {
  if (func.getNumResults() != 0)
    return func.emitError("expected a kernel to return nothing, found ") << func.getFunctionType();
  for (auto [i, type] : llvm::enumerate(func.getArgumentTypes()))
    if (!type.isIndex() && !isElementType(type) && !isa<ViewType>(type))
      return func.emitError("expected kernel parameter ")
             << i << " to be a scalar, a pointer or a view, found " << type;
  llvm::StringSet<> names;
  for (unsigned i = 0; i < func.getNumArguments(); ++i)
    if (auto name = func.getArgAttrOfType<StringAttr>(i, "tile.name"); name && !names.insert(name.getValue()).second)
      return func.emitError("expected parameter names to differ, found '") << name.getValue() << "' twice";
  return success();
}

/// What a host can evaluate: see docs/Architecture.md, launch plan.
static bool isHostOp(Operation *op) {
  return isa<arith::ArithDialect>(op->getDialect()) ||
         isa<ViewSizeOp, ViewStrideOp, ViewBaseOp, PtrCastOp, PtrAddOp, DeviceInfoOp, func::ReturnOp>(op);
}

/// `name` is the attribute that refers to the host function. With `symbols`, the function is looked up and checked.
static LogicalResult verifyHostFunction(func::FuncOp kernel, StringRef name, FlatSymbolRefAttr symbol, bool isGuard) {
  auto host = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(kernel, symbol);
  if (!host)
    return kernel.emitError() << "expected " << name << " to name a function, found no @" << symbol.getValue();
  TypeRange results = host.getResultTypes();
  bool fits = isGuard ? results.size() == 1 && results[0].isInteger(1)
                      : results.size() >= 1 && results.size() <= 3 &&
                            llvm::all_of(results, [](Type type) { return type.isIndex(); });
  if (!fits) {
    InFlightDiagnostic diag = host.emitError() << "expected " << name << " to return "
                                               << (isGuard ? "one i1" : "one to three index values") << ", found "
                                               << host.getFunctionType();
    diag.attachNote(kernel.getLoc()) << "it belongs to this kernel";
    return diag;
  }
  if (!isGuard && host.getArgumentTypes() != kernel.getArgumentTypes()) {
    InFlightDiagnostic diag = host.emitError() << "expected " << name << " to take the kernel's parameters, found "
                                               << host.getFunctionType();
    diag.attachNote(kernel.getLoc()) << "the kernel takes " << kernel.getFunctionType();
    return diag;
  }
  if (host.isExternal() || !llvm::hasSingleElement(host.getBody()))
    return host.emitError() << "expected " << name << " to be one block of host operations";
  for (Operation &op : host.front()) {
    bool integers = llvm::all_of(op.getResultTypes(), [](Type type) {
      return type.isIntOrIndex() || isa<PtrType>(type);
    });
    if (!isHostOp(&op) || !integers)
      return op.emitError() << "expected only what a host evaluates in a " << (isGuard ? "guard" : "grid")
                            << " function, found " << op.getName();
  }
  return success();
}

static LogicalResult verifyPositive(Operation *op, NamedAttribute attr, int64_t most) {
  auto value = dyn_cast<IntegerAttr>(attr.getValue());
  if (!value || !value.getValue().isSignedIntN(64) || value.getInt() < 1 || value.getInt() > most)
    return op->emitError() << "expected " << attr.getName() << " to be an integer of 1 to " << most << ", found "
                           << attr.getValue();
  return success();
}

LogicalResult TileDialect::verifyOperationAttribute(Operation *op, NamedAttribute attr) {
  StringRef name = attr.getName();
  auto func = dyn_cast<func::FuncOp>(op);
  auto onKernel = [&]() -> LogicalResult {
    if (func && func->hasAttr("tile.kernel"))
      return success();
    return op->emitError() << "expected " << name << " on a function with tile.kernel only";
  };
  if (name == "tile.kernel") {
    if (!func || !isa<UnitAttr>(attr.getValue()))
      return op->emitError() << "expected tile.kernel to be a unit attribute on a function";
    return verifyKernel(func);
  }
  if (name == "tile.grid" || name == "tile.guard" || name == "tile.variant_of") {
    if (failed(onKernel()))
      return failure();
    auto symbol = dyn_cast<FlatSymbolRefAttr>(attr.getValue());
    if (!symbol)
      return op->emitError() << "expected " << name << " to name a function, found " << attr.getValue();
    if (name != "tile.variant_of")
      return verifyHostFunction(func, name, symbol, name == "tile.guard");
    auto original = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(func, symbol);
    if (!original || !original->hasAttr("tile.kernel") || original->hasAttr("tile.variant_of"))
      return op->emitError() << "expected tile.variant_of to name a kernel that is no variant, found @"
                             << symbol.getValue();
    return success();
  }
  if (name == "tile.num_warps")
    return failed(onKernel()) ? failure() : verifyPositive(op, attr, kMaxWarps);
  if (name == "tile.unroll") {
    if (!isa<LoopLikeOpInterface>(op))
      return op->emitError("expected tile.unroll on a loop only");
    if (auto text = dyn_cast<StringAttr>(attr.getValue()); text && text.getValue() == "full")
      return success();
    return verifyPositive(op, attr, 1 << 16);
  }
  if (name == "tile.num_stages" || name == "tile.latency" || name == "tile.occupancy")
    return verifyPositive(op, attr, 64);
  if (name == "tile.ftz" || name == "tile.flatten" || name == "tile.specialize" || name == "tile.independent") {
    if (!isa<UnitAttr>(attr.getValue()))
      return op->emitError() << "expected " << name << " to be a unit attribute, found " << attr.getValue();
    return success();
  }
  return op->emitError() << "does not know the attribute " << name;
}

LogicalResult TileDialect::verifyRegionArgAttribute(Operation *op, unsigned, unsigned argIndex, NamedAttribute attr) {
  StringRef name = attr.getName();
  auto func = dyn_cast<FunctionOpInterface>(op);
  if (!func)
    return op->emitError() << "expected " << name << " on arguments of functions only";
  Type type = func.getArgumentTypes()[argIndex];
  auto view = dyn_cast<ViewType>(type);
  auto complain = [&]() -> InFlightDiagnostic {
    return op->emitError() << "expected " << name << " of argument " << argIndex << " ";
  };
  if (name == "tile.name") {
    auto text = dyn_cast<StringAttr>(attr.getValue());
    if (!text || text.getValue().empty())
      return complain() << "to be a name, found " << attr.getValue();
    return success();
  }
  if (name == "tile.noalias") {
    if (!isa<UnitAttr>(attr.getValue()) || !isa<PtrType, ViewType>(type))
      return complain() << "to be a unit attribute on a pointer or view";
    return success();
  }
  if (name == "tile.div_by" || name == "tile.min" || name == "tile.max") {
    auto value = dyn_cast<IntegerAttr>(attr.getValue());
    bool fits = value && value.getValue().isSignedIntN(64) && (name != "tile.div_by" || value.getInt() >= 1);
    bool typeFits = type.isSignlessInteger() || type.isIndex() || (name == "tile.div_by" && isa<PtrType, ViewType>(type));
    if (!fits || !typeFits)
      return complain() << "to be an integer" << (name == "tile.div_by" ? " of 1 or more" : "")
                        << " that makes sense for " << type << ", found " << attr.getValue();
    return success();
  }
  if (name == "tile.sizes_div_by" || name == "tile.strides_div_by") {
    auto list = dyn_cast<DenseI64ArrayAttr>(attr.getValue());
    if (!list || !view || list.size() != view.getRank() ||
        llvm::any_of(list.asArrayRef(), [](int64_t x) { return x < 1; }))
      return complain() << "to be an array of one number of 1 or more per dim of a view, found " << attr.getValue();
    return success();
  }
  return op->emitError() << "does not know the argument attribute " << name;
}
