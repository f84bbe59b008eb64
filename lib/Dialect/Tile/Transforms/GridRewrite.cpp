// SPDX-License-Identifier: Apache-2.0
#include "GridRewrite.h"
#include "tilewright/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace tilewright;

func::FuncOp tilewright::lookupGrid(func::FuncOp kernel, SymbolTable &symbols) {
  auto name = kernel->getAttrOfType<FlatSymbolRefAttr>("tile.grid");
  return name ? symbols.lookup<func::FuncOp>(name.getValue()) : func::FuncOp();
}

void tilewright::forEachKernelWithGrid(ModuleOp module, SymbolTable &symbols,
                                       llvm::function_ref<void(func::FuncOp, func::FuncOp)> rewrite) {
  // Collected first: rewrites add functions.
  SmallVector<func::FuncOp> kernels;
  for (auto func : module.getOps<func::FuncOp>())
    if (func->hasAttr("tile.kernel") && !func.isExternal())
      kernels.push_back(func);
  for (func::FuncOp kernel : kernels)
    if (func::FuncOp grid = lookupGrid(kernel, symbols))
      rewrite(kernel, grid);
}

bool tilewright::refuseWithoutGrid(ModuleOp module, SymbolTable &symbols, StringRef wish) {
  bool isRefused = false;
  for (auto func : module.getOps<func::FuncOp>())
    if (func->hasAttr("tile.kernel") && !func.isExternal() && func->hasAttr(wish) &&
        func->getAttr(wish) != BoolAttr::get(module.getContext(), false) && !lookupGrid(func, symbols)) {
      emitError(func.getLoc()) << wish << " asks for another grid, but the kernel has no tile.grid";
      isRefused = true;
    }
  return isRefused;
}

std::string tilewright::freeName(StringRef stem, SymbolTable &symbols) {
  std::string name = stem.str();
  for (unsigned number = 0; symbols.lookup(name); ++number)
    name = (stem + "_" + Twine(number)).str();
  return name;
}

func::FuncOp tilewright::takeGrid(func::FuncOp kernel, func::FuncOp grid, SymbolTable &symbols) {
  auto module = kernel->getParentOfType<ModuleOp>();
  std::optional<SymbolTable::UseRange> uses = SymbolTable::getSymbolUses(grid, module);
  if (uses && llvm::hasSingleElement(*uses))
    return grid;
  func::FuncOp copy = grid.clone();
  copy.setSymName(freeName((kernel.getSymName() + "_grid").str(), symbols));
  copy.setPrivate();
  kernel->getBlock()->getOperations().insert(kernel->getIterator(), copy);
  symbols.insert(copy);
  kernel->setAttr("tile.grid", FlatSymbolRefAttr::get(copy.getSymNameAttr()));
  return copy;
}

SmallVector<Value> tilewright::inlineHost(OpBuilder &builder, func::FuncOp host, ValueRange arguments) {
  IRMapping map;
  map.map(host.getArguments(), arguments);
  for (Operation &op : host.front().without_terminator())
    builder.clone(op, map);
  SmallVector<Value> results;
  for (Value value : host.front().getTerminator()->getOperands())
    results.push_back(map.lookup(value));
  return results;
}

Operation *tilewright::findDeviceQuery(func::FuncOp host) {
  for (Operation &op : host.front())
    if (isa<tile::DeviceInfoOp>(op))
      return &op;
  return nullptr;
}

/// True if programs may wait for one another by `op`.
static bool mayWait(Operation *op) {
  if (isa<tile::LoadOp, tile::StoreOp, tile::LoadPtrOp, tile::StorePtrOp>(op))
    return op->hasAttr("scope");
  bool isUpdate = isa<tile::AtomicRmwOp, tile::AtomicCasOp, tile::ReduceIntoOp>(op);
  if (isUpdate && op->getParentOfType<scf::WhileOp>())
    return true;
  if (auto update = dyn_cast<tile::AtomicRmwOp>(op))
    return update.getOrder() != tile::SyncOrder::relaxed;
  if (auto exchange = dyn_cast<tile::AtomicCasOp>(op))
    return exchange.getOrder() != tile::SyncOrder::relaxed;
  return false;
}

std::string tilewright::findObstacleInBody(func::FuncOp kernel) {
  std::string obstacle;
  kernel.walk([&](Operation *op) {
    if (mayWait(op))
      obstacle =
          llvm::formatv("programs may wait for one another: there is a {0} that orders or spins", op->getName()).str();
    else if (isa<CallOpInterface>(op))
      obstacle =
          llvm::formatv("there is a {0}, and what it calls may ask for its place in the grid", op->getName()).str();
    return obstacle.empty() ? WalkResult::advance() : WalkResult::interrupt();
  });
  return obstacle;
}

void tilewright::replaceGridOps(func::FuncOp kernel, ArrayRef<Value> ids, ArrayRef<Value> extents, Operation *keep) {
  SmallVector<Operation *> replaced;
  kernel.walk([&](Operation *op) {
    auto replace = [&](tile::Axis axis, ArrayRef<Value> values) {
      if (op == keep || static_cast<size_t>(axis) >= values.size())
        return;
      op->getResult(0).replaceAllUsesWith(values[static_cast<size_t>(axis)]);
      replaced.push_back(op);
    };
    if (auto id = dyn_cast<tile::ProgramIdOp>(op))
      replace(id.getAxis(), ids);
    else if (auto count = dyn_cast<tile::NumProgramsOp>(op))
      replace(count.getAxis(), extents);
  });
  for (Operation *op : replaced)
    op->erase();
}

std::optional<int64_t> tilewright::staticPrograms(func::FuncOp grid) {
  APInt extent;
  int64_t product = 1;
  for (Value value : grid.front().getTerminator()->getOperands())
    if (!matchPattern(value, m_ConstantInt(&extent)) || extent.getSExtValue() < 0 ||
        __builtin_mul_overflow(product, extent.getSExtValue(), &product))
      return std::nullopt;
  return product;
}

Value CountBuilder::narrow(Value index) {
  return arith::IndexCastUIOp::create(builder, loc, builder.getI32Type(), index);
}
Value CountBuilder::widen(Value count) {
  return arith::IndexCastUIOp::create(builder, loc, builder.getIndexType(), count);
}
Value CountBuilder::constant(int64_t value) {
  return arith::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(value));
}
Value CountBuilder::add(Value a, Value b) {
  return arith::AddIOp::create(builder, loc, a, b, arith::IntegerOverflowFlags::nsw);
}
Value CountBuilder::sub(Value a, Value b) {
  return arith::SubIOp::create(builder, loc, a, b, arith::IntegerOverflowFlags::nsw);
}
Value CountBuilder::mul(Value a, Value b) {
  return arith::MulIOp::create(builder, loc, a, b, arith::IntegerOverflowFlags::nsw);
}
Value CountBuilder::div(Value a, Value b) { return arith::DivUIOp::create(builder, loc, a, b); }
Value CountBuilder::min(Value a, Value b) { return arith::MinUIOp::create(builder, loc, a, b); }
