// SPDX-License-Identifier: Apache-2.0
#include "tilewright/Dialect/Tile/Transforms/Promise.h"
#include "tilewright/Analysis/AlignmentRules.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tilewright;

bool tilewright::canRefineView(Value view, Operation *&blocker) {
  SmallVector<Value> worklist{view};
  while (!worklist.empty()) {
    for (Operation *user : worklist.pop_back_val().getUsers()) {
      if (auto permute = dyn_cast<tile::PermuteViewOp>(user)) {
        worklist.push_back(permute.getResult());
        continue;
      }
      if (isa<tile::LoadOp, tile::StoreOp, tile::ReduceIntoOp, tile::GatherOp, tile::ScatterOp, tile::ViewSizeOp,
              tile::ViewStrideOp, tile::ViewBaseOp>(user))
        continue;
      blocker = user;
      return false;
    }
  }
  return true;
}

/// `value` and what it may become through selections and branches.
static llvm::SetVector<Value> followSelections(Value value) {
  llvm::SetVector<Value> names;
  names.insert(value);
  for (size_t i = 0; i < names.size(); ++i) // Grows while it is walked.
    for (OpOperand &use : names[i].getUses()) {
      Operation *user = use.getOwner();
      if (isa<arith::SelectOp>(user) && use.getOperandNumber() > 0)
        names.insert(user->getResult(0));
      else if (isa<scf::YieldOp>(user) && isa<scf::IfOp>(user->getParentOp()))
        names.insert(user->getParentOp()->getResult(use.getOperandNumber()));
    }
  return names;
}

/// The dims of the views made with `stride`, a stride of another view, as theirs: how part of a view is written.
static SmallVector<std::pair<Value, int64_t>> findDimsWithStride(tile::ViewStrideOp stride) {
  SmallVector<std::pair<Value, int64_t>> dims;
  for (Value name : followSelections(stride.getResult()))
    for (Operation *user : name.getUsers()) {
      auto make = dyn_cast<tile::MakeViewOp>(user);
      if (!make)
        continue;
      size_t operand = 0;
      for (auto [dim, known] : llvm::enumerate(make.getType().getStrides()))
        if (ShapedType::isDynamic(known) && make.getStrides()[operand++] == name)
          dims.push_back({make.getResult(), dim});
    }
  return dims;
}

bool tilewright::isDimWalked(Value view, int64_t dim) {
  SmallVector<std::pair<Value, int64_t>> worklist{{view, dim}};
  while (!worklist.empty()) {
    auto [value, place] = worklist.pop_back_val();
    auto walks = [place = place](ArrayRef<int64_t> walked, RankedTensorType tile) {
      return llvm::any_of(llvm::zip(walked, tile.getShape()),
                          [&](auto pair) { return std::get<0>(pair) == place && std::get<1>(pair) > 1; });
    };
    for (Operation *user : value.getUsers()) {
      if (auto permute = dyn_cast<tile::PermuteViewOp>(user)) {
        const int64_t *to = llvm::find(permute.getOrder(), place);
        worklist.push_back({permute.getResult(), to - permute.getOrder().begin()});
      } else if (auto stride = dyn_cast<tile::ViewStrideOp>(user);
                 stride && static_cast<int64_t>(stride.getDim()) == place) {
        llvm::append_range(worklist, findDimsWithStride(stride));
      } else if (auto load = dyn_cast<tile::LoadOp>(user);
                 load && walks(load.walkedDims(), load.getResult().getType())) {
        return true;
      } else if (auto store = dyn_cast<tile::StoreOp>(user);
                 store && walks(store.walkedDims(), store.getValue().getType())) {
        return true;
      } else if (auto gather = dyn_cast<tile::GatherOp>(user);
                 gather && walks(gather.walkedDims(), gather.getResult().getType())) {
        return true;
      } else if (auto scatter = dyn_cast<tile::ScatterOp>(user);
                 scatter && walks(scatter.walkedDims(), scatter.getValue().getType())) {
        return true;
      } else if (auto into = dyn_cast<tile::ReduceIntoOp>(user);
                 into && walks(into.walkedDims(), into.getValue().getType())) {
        return true;
      }
    }
  }
  return false;
}

/// Gives `view` another type and all views made from it theirs.
static void retypeView(Value view, tile::ViewType type) {
  SmallVector<std::pair<Value, tile::ViewType>> worklist{{view, type}};
  while (!worklist.empty()) {
    auto [value, refined] = worklist.pop_back_val();
    value.setType(refined);
    for (Operation *user : value.getUsers()) {
      auto permute = dyn_cast<tile::PermuteViewOp>(user);
      if (!permute)
        continue;
      SmallVector<int64_t> sizes, strides;
      for (int64_t dim : permute.getOrder()) {
        sizes.push_back(refined.getShape()[dim]);
        strides.push_back(refined.getStrides()[dim]);
      }
      worklist.push_back(
          {permute.getResult(), tile::ViewType::get(type.getContext(), sizes, type.getElementType(), strides)});
    }
  }
}

/// Multiplies a divisor attribute so that `divisor` divides it too.
static void strengthen(func::FuncOp func, unsigned argument, StringRef name, int64_t divisor) {
  auto present = func.getArgAttrOfType<IntegerAttr>(argument, name);
  int64_t all = combineDivisors(present ? present.getInt() : 1, divisor);
  func.setArgAttr(argument, name, IntegerAttr::get(IntegerType::get(func.getContext(), 64), all));
}

static void strengthenDim(func::FuncOp func, unsigned argument, StringRef name, unsigned dim, int64_t divisor) {
  SmallVector<int64_t> divisors(cast<tile::ViewType>(func.getArgument(argument).getType()).getRank(), 1);
  if (auto present = func.getArgAttrOfType<DenseI64ArrayAttr>(argument, name))
    divisors.assign(present.asArrayRef().begin(), present.asArrayRef().end());
  divisors[dim] = combineDivisors(divisors[dim], divisor);
  func.setArgAttr(argument, name, DenseI64ArrayAttr::get(func.getContext(), divisors));
}

/// Narrows the range attributes of an integer.
static void limit(func::FuncOp func, unsigned argument, int64_t low, int64_t high) {
  Type i64 = IntegerType::get(func.getContext(), 64);
  if (auto present = func.getArgAttrOfType<IntegerAttr>(argument, "tile.min"))
    low = std::max(low, present.getInt());
  if (auto present = func.getArgAttrOfType<IntegerAttr>(argument, "tile.max"))
    high = std::min(high, present.getInt());
  // What the type excludes anyway has no attribute, and a promise that nothing keeps makes none.
  if (unsigned width = func.getArgument(argument).getType().isIndex() ? 64 : func.getArgument(argument).getType().getIntOrFloatBitWidth();
      width < 64) {
    low = std::max(low, llvm::minIntN(width));
    high = std::min(high, llvm::maxIntN(width));
  }
  if (low > high)
    return;
  func.setArgAttr(argument, "tile.min", IntegerAttr::get(i64, low));
  func.setArgAttr(argument, "tile.max", IntegerAttr::get(i64, high));
}

void tilewright::applyPromises(func::FuncOp func, ArrayRef<Promise> promises) {
  for (const Promise &promise : promises) {
    switch (promise.kind) {
    case Promise::UnitStride: {
      BlockArgument argument = func.getArgument(promise.argument);
      auto type = cast<tile::ViewType>(argument.getType());
      SmallVector<int64_t> strides(type.getStrides());
      strides[promise.dim] = 1;
      retypeView(argument, tile::ViewType::get(type.getContext(), type.getShape(), type.getElementType(), strides));
      break;
    }
    case Promise::BaseDivisor:
    case Promise::ValueDivisor:
      strengthen(func, promise.argument, "tile.div_by", promise.divisor);
      break;
    case Promise::StrideDivisor:
      strengthenDim(func, promise.argument, "tile.strides_div_by", promise.dim, promise.divisor);
      break;
    case Promise::EqualSizes:
    case Promise::SizeRange:
    case Promise::StrideRange:
      break;
    case Promise::ValueRange:
      limit(func, promise.argument, promise.low, promise.high);
      break;
    case Promise::SizeDivisor:
      strengthenDim(func, promise.argument, "tile.sizes_div_by", promise.dim, promise.divisor);
      break;
    }
  }
  func.setFunctionType(FunctionType::get(func.getContext(), func.front().getArgumentTypes(), func.getResultTypes()));
}

func::FuncOp tilewright::createGuard(func::FuncOp kernel, StringRef name, ArrayRef<Promise> promises,
                                     func::FuncOp base) {
  OpBuilder builder(kernel);
  Location loc = kernel.getLoc();
  auto guard =
      func::FuncOp::create(builder, loc, name, builder.getFunctionType(kernel.getArgumentTypes(), builder.getI1Type()));
  guard.setPrivate();
  builder.setInsertionPointToStart(guard.addEntryBlock());
  auto constant = [&](Type type, int64_t value) -> Value {
    return arith::ConstantOp::create(builder, loc, builder.getIntegerAttr(type, value));
  };
  auto equals = [&](Value value, int64_t expected) -> Value {
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, value, constant(value.getType(), expected));
  };
  // A remainder is 0 for negative multiples too.
  auto isMultiple = [&](Value value, int64_t divisor) {
    return equals(arith::RemSIOp::create(builder, loc, value, constant(value.getType(), divisor)), 0);
  };
  auto isWithin = [&](Value value, int64_t low, int64_t high) -> Value {
    // Limits that a narrower type cannot hold are no limits.
    if (unsigned width = value.getType().isIndex() ? 64 : value.getType().getIntOrFloatBitWidth(); width < 64) {
      low = std::max(low, llvm::minIntN(width));
      high = std::min(high, llvm::maxIntN(width));
    }
    Value isAbove = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sge, value, constant(value.getType(), low));
    Value isBelow = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sle, value, constant(value.getType(), high));
    return arith::AndIOp::create(builder, loc, isAbove, isBelow);
  };
  Value all;
  if (base) {
    IRMapping mapping;
    mapping.map(base.getArguments(), guard.getArguments());
    for (Operation &op : base.front().without_terminator())
      builder.clone(op, mapping);
    all = mapping.lookup(base.front().getTerminator()->getOperand(0));
  }
  for (const Promise &promise : promises) {
    Value argument = guard.getArgument(promise.argument), holds;
    auto size = [&] { return tile::ViewSizeOp::create(builder, loc, argument, promise.dim).getResult(); };
    auto stride = [&] { return tile::ViewStrideOp::create(builder, loc, argument, promise.dim).getResult(); };
    switch (promise.kind) {
    case Promise::UnitStride:
      holds = equals(stride(), 1);
      break;
    case Promise::BaseDivisor: {
      Value base = argument;
      if (auto view = dyn_cast<tile::ViewType>(argument.getType()))
        base = tile::ViewBaseOp::create(builder, loc, tile::PtrType::get(builder.getContext(), view.getElementType()),
                                        argument);
      // Powers of two divide an address alike as signed and as unsigned number.
      holds = isMultiple(tile::PtrCastOp::create(builder, loc, builder.getI64Type(), base), promise.divisor);
      break;
    }
    case Promise::StrideDivisor:
      holds = isMultiple(stride(), promise.divisor);
      break;
    case Promise::SizeDivisor:
      holds = isMultiple(size(), promise.divisor);
      break;
    case Promise::ValueDivisor:
      holds = isMultiple(argument, promise.divisor);
      break;
    case Promise::SizeRange:
      holds = isWithin(size(), promise.low, promise.high);
      break;
    case Promise::StrideRange:
      holds = isWithin(stride(), promise.low, promise.high);
      break;
    case Promise::ValueRange:
      holds = isWithin(argument, promise.low, promise.high);
      break;
    case Promise::EqualSizes: {
      Value other =
          tile::ViewSizeOp::create(builder, loc, guard.getArgument(promise.otherArgument), promise.otherDim);
      holds = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, size(), other);
      break;
    }
    }
    all = all ? arith::AndIOp::create(builder, loc, all, holds).getResult() : holds;
  }
  if (!all)
    all = constant(builder.getI1Type(), 1);
  func::ReturnOp::create(builder, loc, all);
  return guard;
}

func::FuncOp tilewright::addVariant(func::FuncOp kernel, func::FuncOp base, StringRef name, ArrayRef<Promise> promises,
                                    SymbolTable &symbols) {
  MLIRContext *context = kernel.getContext();
  func::FuncOp baseGuard;
  if (auto guardName = base->getAttrOfType<FlatSymbolRefAttr>("tile.guard"))
    baseGuard = symbols.lookup<func::FuncOp>(guardName.getValue());
  func::FuncOp guard = createGuard(kernel, (name + "_guard").str(), promises, baseGuard);
  guard->moveBefore(base);
  symbols.insert(guard);
  auto insertClone = [&](func::FuncOp original, StringRef symbol) {
    func::FuncOp clone = original.clone();
    clone.setSymName(symbol);
    base->getBlock()->getOperations().insert(base->getIterator(), clone);
    applyPromises(clone, promises);
    symbols.insert(clone);
    return clone;
  };
  func::FuncOp variant = insertClone(base, name);
  variant->setAttr("tile.variant_of", FlatSymbolRefAttr::get(context, kernel.getSymName()));
  variant->setAttr("tile.guard", FlatSymbolRefAttr::get(guard.getSymNameAttr()));
  if (auto gridName = base->getAttrOfType<FlatSymbolRefAttr>("tile.grid")) {
    func::FuncOp grid = insertClone(symbols.lookup<func::FuncOp>(gridName.getValue()), (name + "_grid").str());
    grid.setPrivate();
    variant->setAttr("tile.grid", FlatSymbolRefAttr::get(grid.getSymNameAttr()));
  }
  return variant;
}

std::string tilewright::describeParameter(func::FuncOp kernel, unsigned argument) {
  auto name = kernel.getArgAttrOfType<StringAttr>(argument, "tile.name");
  return name ? name.getValue().str() : "parameter " + std::to_string(argument);
}

std::string tilewright::describePromise(func::FuncOp kernel, const Promise &promise) {
  std::string text = describeParameter(kernel, promise.argument);
  std::string dim = std::to_string(promise.dim), multiple = " is a multiple of " + std::to_string(promise.divisor);
  std::string range = " is from " + std::to_string(promise.low) + " to " + std::to_string(promise.high);
  switch (promise.kind) {
  case Promise::UnitStride:
    return text + ": stride of dim " + dim + " is 1";
  case Promise::BaseDivisor:
    return text + ": address" + multiple + " bytes";
  case Promise::StrideDivisor:
    return text + ": stride of dim " + dim + multiple;
  case Promise::SizeDivisor:
    return text + ": size of dim " + dim + multiple;
  case Promise::ValueDivisor:
    return text + multiple;
  case Promise::SizeRange:
    return text + ": size of dim " + dim + range;
  case Promise::StrideRange:
    return text + ": stride of dim " + dim + range;
  case Promise::ValueRange:
    return text + range;
  case Promise::EqualSizes:
    return text + ": size of dim " + dim + " is that of dim " + std::to_string(promise.otherDim) + " of " +
           describeParameter(kernel, promise.otherArgument);
  }
  llvm_unreachable("all kinds are above");
}
