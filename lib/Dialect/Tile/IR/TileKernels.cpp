// SPDX-License-Identifier: Apache-2.0
// What holds between a kernel and its host functions. The checks look at several functions, so they run when the
// module is verified, through an interface that is attached to `func.func`: a verifier of one function may run
// while another thread rewrites the other one.
#include "TileKernels.h"
#include "tilewright/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace tilewright::tile;

/// Most axes of a grid.
static constexpr size_t kMaxGridRank = 3;

static LogicalResult verifyParameters(func::FuncOp kernel) {
  if (kernel.getNumResults() != 0)
    return emitError(kernel.getLoc(), "expected a kernel to return nothing, found ") << kernel.getFunctionType();
  llvm::StringSet<> names;
  for (auto [i, type] : llvm::enumerate(kernel.getArgumentTypes())) {
    if (!type.isIndex() && !isElementType(type) && !isa<ViewType>(type))
      return emitError(kernel.getLoc(), "expected kernel parameter ")
             << i << " to be a scalar, a pointer or a view, found " << type;
    auto name = kernel.getArgAttrOfType<StringAttr>(i, "tile.name");
    if (name && !names.insert(name.getValue()).second)
      return emitError(kernel.getLoc(), "expected parameter names to differ, found '") << name.getValue() << "' twice";
  }
  return success();
}

/// What a host can evaluate: integer arithmetic on what the launcher knows.
static bool isHostOp(Operation &op) {
  auto isHostType = [](Type type) { return type.isSignlessIntOrIndex() || isa<PtrType, ViewType>(type); };
  return (isa_and_nonnull<arith::ArithDialect>(op.getDialect()) ||
          isa<ViewSizeOp, ViewStrideOp, ViewBaseOp, PtrCastOp, PtrAddOp, DeviceInfoOp, func::ReturnOp>(op)) &&
         llvm::all_of(op.getOperandTypes(), isHostType) && llvm::all_of(op.getResultTypes(), isHostType);
}

/// The function that `symbol` names beside `kernel`, checked to be one block of host operations; null after an error.
static func::FuncOp lookupHostFunction(func::FuncOp kernel, StringRef name, FlatSymbolRefAttr symbol,
                                       SymbolTableCollection &symbols) {
  auto host = symbols.lookupNearestSymbolFrom<func::FuncOp>(kernel, symbol);
  if (!host) {
    emitError(kernel.getLoc()) << "expected " << name << " to name a function, found no @" << symbol.getValue();
    return {};
  }
  if (host.isExternal() || !llvm::hasSingleElement(host.getBody())) {
    emitError(host.getLoc()) << "expected " << name << " to be one block of host operations";
    return {};
  }
  for (Operation &op : host.front())
    if (!isHostOp(op)) {
      emitError(op.getLoc()) << "expected only what a host evaluates in @" << symbol.getValue() << ", found "
                             << op.getName();
      return {};
    }
  for (auto info : host.front().getOps<DeviceInfoOp>())
    if (info.getFact() == DeviceFact::max_ctas_per_sm && name != "tile.grid") {
      emitError(info.getLoc()) << "expected max_ctas_per_sm in a function of tile.grid only, found it in @"
                               << symbol.getValue() << " of " << name
                               << ": which version is launched is not known before";
      return {};
    }
  return host;
}

/// Whether a launcher that has checked an argument against `original` may pass it as `type`: the same, or a view with
/// more known about it.
static bool refines(Type type, Type original) {
  if (type == original)
    return true;
  auto view = dyn_cast<ViewType>(type), from = dyn_cast<ViewType>(original);
  if (!view || !from || view.getRank() != from.getRank() || view.getElementType() != from.getElementType())
    return false;
  auto fits = [](ArrayRef<int64_t> extents, ArrayRef<int64_t> originals) {
    return llvm::all_of(llvm::zip(extents, originals), [](auto pair) {
      return std::get<0>(pair) == std::get<1>(pair) || ShapedType::isDynamic(std::get<1>(pair));
    });
  };
  return fits(view.getShape(), from.getShape()) && fits(view.getStrides(), from.getStrides());
}

static LogicalResult verifyTakesParametersOf(func::FuncOp host, StringRef name, func::FuncOp kernel) {
  if (host.getArgumentTypes() == kernel.getArgumentTypes())
    return success();
  InFlightDiagnostic diag = emitError(host.getLoc())
                            << "expected " << name << " to take the kernel's parameters, found "
                            << host.getFunctionType();
  diag.attachNote(kernel.getLoc()) << "the kernel takes " << kernel.getFunctionType();
  return diag;
}

static LogicalResult verifyReturns(func::FuncOp host, bool fits, StringRef name, StringRef what, func::FuncOp kernel) {
  if (fits)
    return success();
  InFlightDiagnostic diag = emitError(host.getLoc())
                            << "expected " << name << " to return " << what << ", found " << host.getFunctionType();
  diag.attachNote(kernel.getLoc()) << "it belongs to this kernel";
  return diag;
}

/// The kernel itself, or the one that it is a variant of; null after an error.
static func::FuncOp lookupOriginal(func::FuncOp kernel, SymbolTableCollection &symbols) {
  auto symbol = kernel->getAttrOfType<FlatSymbolRefAttr>("tile.variant_of");
  if (!symbol)
    return kernel;
  auto original = symbols.lookupNearestSymbolFrom<func::FuncOp>(kernel, symbol);
  if (!original || !original->hasAttr("tile.kernel") || original->hasAttr("tile.variant_of")) {
    emitError(kernel.getLoc()) << "expected tile.variant_of to name a kernel that is no variant, found @"
                               << symbol.getValue();
    return {};
  }
  bool fits = kernel.getNumArguments() == original.getNumArguments() &&
              llvm::all_of(llvm::zip(kernel.getArgumentTypes(), original.getArgumentTypes()),
                           [](auto pair) { return refines(std::get<0>(pair), std::get<1>(pair)); });
  if (!fits) {
    InFlightDiagnostic diag =
        emitError(kernel.getLoc())
        << "expected a variant to take the kernel's parameters, views with more of them static at most, found "
        << kernel.getFunctionType();
    diag.attachNote(original.getLoc()) << "the kernel takes " << original.getFunctionType();
    return {};
  }
  return original;
}

static LogicalResult verifyKernel(func::FuncOp kernel, SymbolTableCollection &symbols) {
  if (failed(verifyParameters(kernel)))
    return failure();
  func::FuncOp original = lookupOriginal(kernel, symbols);
  if (!original)
    return failure();
  if (auto symbol = kernel->getAttrOfType<FlatSymbolRefAttr>("tile.grid")) {
    func::FuncOp grid = lookupHostFunction(kernel, "tile.grid", symbol, symbols);
    if (!grid)
      return failure();
    TypeRange results = grid.getResultTypes();
    bool fits = !results.empty() && results.size() <= kMaxGridRank &&
                llvm::all_of(results, [](Type type) { return type.isIndex(); });
    if (failed(verifyReturns(grid, fits, "tile.grid", "one to three index values", kernel)))
      return failure();
    // A variant may share the grid of its kernel.
    if (grid.getArgumentTypes() != original.getArgumentTypes() &&
        failed(verifyTakesParametersOf(grid, "tile.grid", kernel)))
      return failure();
  }
  if (auto symbol = kernel->getAttrOfType<FlatSymbolRefAttr>("tile.requires")) {
    func::FuncOp host = lookupHostFunction(kernel, "tile.requires", symbol, symbols);
    if (!host)
      return failure();
    auto messages = host->getAttrOfType<ArrayAttr>("tile.messages");
    bool fits = messages && messages.size() == host.getNumResults() &&
                llvm::all_of(host.getResultTypes(), [](Type type) { return type.isSignlessInteger(1); });
    if (failed(verifyReturns(host, fits, "tile.requires", "one i1 for each text of its tile.messages", kernel)) ||
        failed(verifyTakesParametersOf(host, "tile.requires", original)))
      return failure();
  }
  if (auto symbol = kernel->getAttrOfType<FlatSymbolRefAttr>("tile.guard")) {
    if (original == kernel)
      return emitError(kernel.getLoc(), "expected tile.guard on a function with tile.variant_of only");
    func::FuncOp guard = lookupHostFunction(kernel, "tile.guard", symbol, symbols);
    if (!guard)
      return failure();
    bool fits = guard.getNumResults() == 1 && guard.getResultTypes()[0].isSignlessInteger(1);
    // The guard decides whether the variant's parameters hold, so it sees those of the kernel.
    if (failed(verifyReturns(guard, fits, "tile.guard", "one i1", kernel)) ||
        failed(verifyTakesParametersOf(guard, "tile.guard", original)))
      return failure();
  }
  return success();
}

namespace {
/// Makes the verifier of a symbol table ask us about its functions.
struct KernelSymbolUses : public SymbolUserOpInterface::ExternalModel<KernelSymbolUses, func::FuncOp> {
  LogicalResult verifySymbolUses(Operation *op, SymbolTableCollection &symbols) const {
    return op->hasAttr("tile.kernel") ? verifyKernel(cast<func::FuncOp>(op), symbols) : success();
  }
};
} // namespace

void tilewright::tile::attachKernelVerifier(MLIRContext *context) {
  func::FuncOp::attachInterface<KernelSymbolUses>(*context);
}
