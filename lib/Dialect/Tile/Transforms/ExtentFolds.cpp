// SPDX-License-Identifier: Apache-2.0
#include "ExtentFolds.h"
#include "HostSlice.h"
#include "tilewright/Analysis/KernelAccess.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilewright;

ExtentFolds::ExtentFolds(func::FuncOp kernel, const TileDims &dims, BlockNumbers &numbers, int number,
                         const BlockWalk &walk)
    : kernel(kernel), dims(dims), numbers(numbers), number(number), walk(walk) {}

void ExtentFolds::pin(Operation *op, const Twine &reason) {
  if (!result->pin)
    result->pin = {op, reason.str()};
}

void ExtentFolds::restrict(Operation *op, const Twine &reason, bool showsEnd) {
  result->showsEnd |= showsEnd;
  if (!result->onlyDivisors)
    result->onlyDivisors = {op, reason.str()};
}

/// Whether `view` is known or required to end where the walk does.
bool ExtentFolds::requireEnd(Operation *op, Value view, unsigned dim) {
  if (numbers.numberOfSize(view, dim) == numbers.numberOf(walk.size))
    return true;
  if (!isHostSize(view, dim) || !isHostNumber(walk.size))
    return false;
  unsigned size = numbers.numberOfSize(view, dim);
  for (const ExtentRequirement &known : result->requirements)
    if (numbers.numberOfSize(known.view, known.dim) == size)
      return true;
  result->requirements.push_back({view, dim, walk.size, walk.isInGrid, op});
  return true;
}

Operation *tilewright::combinerOf(tile::ReduceOp reduce) {
  Block &body = reduce.getBody().front();
  if (reduce.getSources().size() != 1 || !llvm::hasNItems(body, 2))
    return nullptr;
  Operation *op = &body.front();
  bool isWhole = op->getNumOperands() == 2 && op->getNumResults() == 1 &&
                 body.getTerminator()->getOperand(0) == op->getResult(0) &&
                 llvm::is_contained(op->getOperands(), body.getArgument(0)) &&
                 llvm::is_contained(op->getOperands(), body.getArgument(1));
  return isWhole ? op : nullptr;
}

//===----------------------------------------------------------------------===//
// What tiles hold behind the end
//===----------------------------------------------------------------------===//

static Value stripShape(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<tile::BroadcastOp, tile::ReshapeOp, tile::SplatOp>(op))
      break;
    value = op->getOperand(0);
  }
  return value;
}

static std::optional<APFloat> floatOf(Value value) {
  Attribute attr;
  if (!matchPattern(value, m_Constant(&attr)))
    return std::nullopt;
  if (auto splat = dyn_cast<SplatElementsAttr>(attr))
    attr = splat.getSplatValue<Attribute>();
  if (auto number = dyn_cast<FloatAttr>(attr))
    return number.getValue();
  return std::nullopt;
}

/// Whether the value is the same along the class and no element is -inf: a finite number, or the largest of what a loop
/// has seen and a finite number.
static bool isNeverNegInf(Value value) {
  value = stripShape(value);
  if (std::optional<APFloat> constant = floatOf(value))
    return !constant->isInfinity() && !constant->isNaN();
  auto isLargest = [](Operation *op) { return isa_and_nonnull<arith::MaximumFOp, arith::MaxNumFOp>(op); };
  auto isRunning = [&](Value carried) {
    auto argument = dyn_cast<BlockArgument>(carried);
    auto loop = argument ? dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp()) : scf::ForOp();
    if (!loop || argument == loop.getInductionVar())
      return false;
    unsigned place = argument.getArgNumber() - 1;
    std::optional<APFloat> first = floatOf(loop.getInitArgs()[place]);
    Operation *next = loop.getYieldedValues()[place].getDefiningOp();
    return first && first->isFinite() && isLargest(next) && llvm::is_contained(next->getOperands(), carried);
  };
  Operation *op = value.getDefiningOp();
  if (isLargest(op))
    return llvm::any_of(op->getOperands(), isRunning);
  return isRunning(value);
}

OutsideValue ExtentFolds::outsideOfLoad(Operation *op, Value view, OperandRange offsets, Value tile,
                                        ArrayRef<int64_t> walked, tile::Pad pad) {
  int dim = dims.dimIn(tile, number);
  if (dim < 0 || isa<RankedTensorType>(offsets[walked[dim]].getType()))
    return OutsideValue::Unknown;
  const IndexForm *offset = numbers.formOf(offsets[walked[dim]]);
  bool isBase = offset && !offset->cap && offset->constant == 0 && offset->terms.size() == 1 &&
                offset->terms.begin()->first == walk.base && offset->terms.begin()->second == 1;
  OutsideValue value = pad == tile::Pad::zero || pad == tile::Pad::neg_zero ? OutsideValue::Zero
                       : pad == tile::Pad::neg_inf                          ? OutsideValue::NegInf
                       : pad == tile::Pad::pos_inf                          ? OutsideValue::PosInf
                                                                            : OutsideValue::Unknown;
  if (value == OutsideValue::Unknown || !isBase || !requireEnd(op, view, walked[dim]))
    return OutsideValue::Unknown;
  return value;
}

/// `base + p < end` is false behind the end, `base + p >= end` true.
OutsideValue ExtentFolds::outsideOfCompare(Operation *op) {
  auto compare = cast<arith::CmpIOp>(op);
  const IndexForm *lhs = numbers.formOf(compare.getLhs()), *rhs = numbers.formOf(compare.getRhs());
  IndexForm end = numbers.formOfEnd(walk);
  auto predicate = compare.getPredicate();
  if (predicate == arith::CmpIPredicate::sgt || predicate == arith::CmpIPredicate::sle) {
    std::swap(lhs, rhs);
    predicate = predicate == arith::CmpIPredicate::sgt ? arith::CmpIPredicate::slt : arith::CmpIPredicate::sge;
  }
  bool isOrder = predicate == arith::CmpIPredicate::slt || predicate == arith::CmpIPredicate::sge;
  int dim = dims.dimIn(op->getResult(0), number);
  if (!isOrder || !lhs || !rhs || end.cap || lhs->cap || dim < 0)
    return OutsideValue::Unknown;
  // lhs - rhs must be base + p - end.
  std::map<unsigned, int64_t> terms = lhs->terms;
  auto subtract = [&](const IndexForm &form, int64_t sign) {
    for (auto [atom, coefficient] : form.terms)
      terms[atom] -= sign * coefficient;
  };
  subtract(*rhs, 1);
  subtract(end, -1);
  terms[walk.base] -= 1;
  bool fits = lhs->constant - rhs->constant + end.constant == 0 &&
              llvm::all_of(terms, [](const auto &term) { return term.second == 0; });
  for (auto [place, step] : llvm::enumerate(lhs->steps))
    fits &= step - rhs->steps[place] == (int(place) == dim ? 1 : 0) ||
            cast<RankedTensorType>(compare.getLhs().getType()).getDimSize(place) == 1;
  if (!fits)
    return OutsideValue::Unknown;
  return predicate == arith::CmpIPredicate::slt ? OutsideValue::Zero : OutsideValue::True;
}

OutsideValue ExtentFolds::outsideOf(Operation *op) {
  using V = OutsideValue;
  Value result = op->getResult(0);
  auto at = [&](unsigned i) { return get(op->getOperand(i)); };
  auto keepAll = [&](ArrayRef<V> kept) { return llvm::is_contained(kept, at(0)) ? at(0) : V::Unknown; };
  auto bothZero = [&] { return at(0) == V::Zero && at(1) == V::Zero ? V::Zero : V::Unknown; };
  return llvm::TypeSwitch<Operation *, V>(op)
      .Case<arith::ConstantOp>([&](arith::ConstantOp x) {
        auto splat = dyn_cast<SplatElementsAttr>(x.getValue());
        if (!splat)
          return V::Unknown;
        if (auto integer = dyn_cast<IntegerAttr>(splat.getSplatValue<Attribute>()))
          return integer.getValue().isZero()                                        ? V::Zero
                 : integer.getType().isInteger(1) && integer.getValue().isAllOnes() ? V::True
                                                                                    : V::Unknown;
        std::optional<APFloat> number = floatOf(x);
        return !number                 ? V::Unknown
               : number->isZero()      ? V::Zero
               : !number->isInfinity() ? V::Unknown
               : number->isNegative()  ? V::NegInf
                                       : V::PosInf;
      })
      .Case<tile::LoadOp>([&](tile::LoadOp x) {
        return outsideOfLoad(x, x.getView(), x.getOffsets(), x.getResult(), x.walkedDims(), x.getPad());
      })
      .Case<tile::GatherOp>([&](tile::GatherOp x) {
        return outsideOfLoad(x, x.getView(), x.getOffsets(), x.getResult(), x.walkedDims(), x.getPad());
      })
      .Case<tile::LoadPtrOp>([&](tile::LoadPtrOp x) {
        return x.getMask() && x.getOther() && get(x.getMask()) == V::Zero ? get(x.getOther()) : V::Unknown;
      })
      .Case<arith::CmpIOp>([&](auto) { return outsideOfCompare(op); })
      .Case<arith::SelectOp>([&](arith::SelectOp x) {
        V condition = get(x.getCondition()), a = get(x.getTrueValue()), b = get(x.getFalseValue());
        return condition == V::Zero ? b : condition == V::True || a == b ? a : V::Unknown;
      })
      .Case<arith::AndIOp, arith::MulIOp>([&](auto) {
        return at(0) == V::Zero || at(1) == V::Zero ? V::Zero : at(0) == at(1) ? at(0) : V::Unknown;
      })
      .Case<arith::OrIOp>([&](auto) { return at(0) == V::True || at(1) == V::True ? V::True : bothZero(); })
      .Case<arith::AddIOp, arith::SubIOp, arith::XOrIOp, arith::AddFOp>([&](auto) { return bothZero(); })
      .Case<arith::MulFOp>([&](auto) {
        for (unsigned i : {0u, 1u}) {
          std::optional<APFloat> factor = floatOf(stripShape(op->getOperand(1 - i)));
          if (!factor || !factor->isFinite() || factor->isNaN())
            continue;
          if (at(i) == V::Zero || (!factor->isNegative() && !factor->isZero()))
            return at(i);
        }
        return bothZero();
      })
      .Case<arith::SubFOp>(
          [&](auto) { return at(0) == V::NegInf && isNeverNegInf(op->getOperand(1)) ? V::NegInf : bothZero(); })
      .Case<arith::MaximumFOp, arith::MaxNumFOp, arith::MinimumFOp, arith::MinNumFOp, arith::MaxSIOp, arith::MinSIOp>(
          [&](auto) { return at(0) == at(1) ? at(0) : V::Unknown; })
      .Case<arith::NegFOp>([&](auto) {
        return at(0) == V::NegInf ? V::PosInf : at(0) == V::PosInf ? V::NegInf : keepAll({V::Zero});
      })
      .Case<math::ExpOp, math::Exp2Op>([&](auto) { return at(0) == V::NegInf ? V::Zero : V::Unknown; })
      .Case<math::AbsFOp, math::SqrtOp, arith::SIToFPOp, arith::UIToFPOp, arith::FPToSIOp, arith::FPToUIOp,
            arith::ExtSIOp, arith::ExtUIOp>([&](auto) { return keepAll({V::Zero}); })
      .Case<arith::TruncIOp>([&](auto) {
        return keepAll({V::Zero, V::True});
      })
      .Case<arith::ExtFOp, arith::TruncFOp>([&](auto) {
        // Formats without infinities have none to keep.
        auto to = dyn_cast<FloatType>(getElementTypeOrSelf(result.getType()));
        bool hasInf = to && (to.isF16() || to.isBF16() || to.isF32() || to.isF64() || to.isTF32());
        return hasInf ? keepAll({V::Zero, V::NegInf, V::PosInf}) : keepAll({V::Zero});
      })
      .Case<tile::BroadcastOp, tile::ReshapeOp, tile::PermuteOp>([&](auto) {
        // A source that is the same along the class has no outside.
        bool isAlong = dims.dimIn(op->getOperand(0), number) >= 0 ||
                       isa_and_nonnull<arith::ConstantOp>(op->getOperand(0).getDefiningOp());
        return isAlong ? at(0) : V::Unknown;
      })
      .Case<scf::IfOp>([&](scf::IfOp) { return V::Unknown; })
      .Default([](Operation *) { return V::Unknown; });
}

void ExtentFolds::findOutside() {
  // Operands stand in front of their users; what loops carry stays unknown.
  kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op->getNumResults() == 0 || op->getNumRegions() != 0)
      return;
    outside[op->getResult(0)] = outsideOf(op);
  });
}

//===----------------------------------------------------------------------===//
// What depends on the grouping into blocks
//===----------------------------------------------------------------------===//

/// What positions behind the end must hold so that a combiner does not notice them.
static OutsideValue neutralOf(Operation *combiner) {
  return llvm::TypeSwitch<Operation *, OutsideValue>(combiner)
      .Case<arith::AddFOp, arith::AddIOp, arith::OrIOp, arith::XOrIOp, arith::MaxUIOp>(
          [](auto) { return OutsideValue::Zero; })
      .Case<arith::MaximumFOp, arith::MaxNumFOp>([](auto) { return OutsideValue::NegInf; })
      .Case<arith::MinimumFOp, arith::MinNumFOp>([](auto) { return OutsideValue::PosInf; })
      .Case<arith::AndIOp>([](auto) { return OutsideValue::True; })
      .Default([](Operation *) { return OutsideValue::Unknown; });
}

void ExtentFolds::findTotals() {
  kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (auto reduce = dyn_cast<tile::ReduceOp>(op)) {
      if (dims.classOf(reduce.getSources()[0], reduce.getDim()) == number)
        totals.push_back(op);
    } else if (auto dot = dyn_cast<tile::DotOp>(op)) {
      if (dims.classOf(dot.getLhs(), dot.getLhs().getType().getRank() - 1) == number)
        totals.push_back(op);
    }
  });
  for (Operation *total : totals)
    if (!isInside(total))
      return pin(total, "combines one block by itself");
  if (totals.empty())
    return;
  for (Operation *total : totals) {
    if (auto reduce = dyn_cast<tile::ReduceOp>(total)) {
      Operation *combiner = combinerOf(reduce);
      OutsideValue neutral = combiner ? neutralOf(combiner) : OutsideValue::Unknown;
      if (neutral == OutsideValue::Unknown || get(reduce.getSources()[0]) != neutral)
        restrict(total, "combines positions behind the end, which are not known to be neutral", /*showsEnd=*/true);
      continue;
    }
    auto dot = cast<tile::DotOp>(total);
    bool isInteger = dot.getAcc().getType().getElementType().isInteger();
    bool left = get(dot.getLhs()) == OutsideValue::Zero, right = get(dot.getRhs()) == OutsideValue::Zero;
    if (isInteger ? !left && !right : !left || !right)
      restrict(total, "adds products of positions behind the end, which are not known to be zero", /*showsEnd=*/true);
  }
}

void ExtentFolds::spreadTaint() {
  scf::ForOp loop = walk.loop;
  if (!loop)
    return;
  for (Value carried : loop.getRegionIterArgs())
    tainted.insert(carried);
  for (Operation *total : totals)
    tainted.insert(total->result_begin(), total->result_end());
  auto isTainted = [&](Value value) { return tainted.contains(value); };
  for (size_t before = 0; before != tainted.size();) {
    before = tainted.size();
    loop.getBody()->walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (!llvm::any_of(op->getOperands(), isTainted))
        return;
      tainted.insert(op->result_begin(), op->result_end());
      for (Region &region : op->getRegions())
        for (Block &block : region)
          tainted.insert(block.args_begin(), block.args_end());
      Operation *parent = op->getParentOp();
      if (op->hasTrait<OpTrait::IsTerminator>() && parent != loop) {
        tainted.insert(parent->result_begin(), parent->result_end());
        for (Region &region : parent->getRegions())
          for (Block &block : region)
            tainted.insert(block.args_begin(), block.args_end());
      }
    });
  }
}

void ExtentFolds::checkEffects() {
  Block *entry = &kernel.front();
  auto isInScope = [&](Operation *op) { return walk.loop ? isInside(op) : true; };
  auto isTainted = [&](Value value) { return tainted.contains(value); };
  auto addressOf = [](Operation *op) -> Value {
    return llvm::TypeSwitch<Operation *, Value>(op)
        .Case<tile::LoadOp, tile::GatherOp, tile::StoreOp, tile::ScatterOp, tile::ReduceIntoOp>(
            [](auto x) { return x.getView(); })
        .Case<tile::LoadPtrOp, tile::StorePtrOp, tile::AtomicRmwOp, tile::AtomicCasOp>(
            [](auto x) { return x.getPtr(); })
        .Default([](Operation *) { return Value(); });
  };
  /// Where the class is walked in what is written.
  struct Place {
    BlockArgument root;
    Value view;
    unsigned dim;
  };
  SmallVector<Place> written;
  kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (!isInScope(op) || op == kernel)
      return;
    if (op->hasAttr("scope") && !isa<tile::ReduceIntoOp, tile::AtomicRmwOp>(op))
      return pin(op, "orders accesses of several programs");
    if (auto update = dyn_cast<tile::AtomicRmwOp>(op); update && update.getOrder() != tile::SyncOrder::relaxed)
      return pin(op, "orders accesses of several programs");
    if (op->getNumRegions() != 0 && !isa<tile::ReduceOp, tile::ScanOp>(op)) {
      auto loop = dyn_cast<scf::ForOp>(op);
      auto deciding = loop ? op->getOperands().take_front(3) : op->getOperands();
      if (!isa<scf::WhileOp>(op) && llvm::any_of(deciding, isTainted))
        pin(op, "depends on one block by itself");
      return;
    }
    if (auto load = dyn_cast<tile::LoadPtrOp>(op); load && dims.dimIn(load.getResult(), number) != -1)
      if (!load.getMask() || get(load.getMask()) != OutsideValue::Zero)
        restrict(op, "has no mask that is known to be false behind the end", /*showsEnd=*/false);
    if (isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp, arith::CeilDivSIOp, arith::CeilDivUIOp,
            arith::FloorDivSIOp>(op) &&
        dims.dimIn(op->getResult(0), number) != -1 && !matchPattern(op->getOperand(1), m_Constant()))
      restrict(op, "may divide by zero behind the end", /*showsEnd=*/false);
    if (isa<scf::ConditionOp>(op) && llvm::any_of(op->getOperands(), isTainted))
      return pin(op, "depends on one block by itself");
    if (isMemoryEffectFree(op) || isa<tile::LoadOp, tile::GatherOp, tile::LoadPtrOp>(op) ||
        op->hasTrait<OpTrait::IsTerminator>())
      return;
    Value value = llvm::TypeSwitch<Operation *, Value>(op)
                      .Case<tile::StoreOp, tile::ScatterOp, tile::ReduceIntoOp, tile::StorePtrOp, tile::AtomicRmwOp>(
                          [](auto x) { return x.getValue(); })
                      .Default([](Operation *) { return Value(); });
    if (!value)
      return pin(op, "is done once for each block");
    int dim = dims.dimIn(value, number);
    if (dim < 0)
      return pin(op, dim == -1 ? "is done once for each block" : "has two dimensions of this class");
    if (llvm::any_of(op->getOperands(), isTainted))
      return pin(op, "depends on one block by itself");
    written.push_back({parameterOf(addressOf(op), entry), addressOf(op), 0});
    if (isa<tile::StorePtrOp, tile::AtomicRmwOp>(op)) {
      Value mask =
          isa<tile::StorePtrOp>(op) ? cast<tile::StorePtrOp>(op).getMask() : cast<tile::AtomicRmwOp>(op).getMask();
      if (!mask || get(mask) != OutsideValue::Zero)
        pin(op, "has no mask that is known to be false behind the end");
      return;
    }
    if (isa<tile::ScatterOp>(op))
      return; // Along its own rows it is pinned; along others it is a store.
    auto [view, viewDim] = [&]() -> std::pair<Value, unsigned> {
      if (auto store = dyn_cast<tile::StoreOp>(op))
        return {store.getView(), store.walkedDims()[dim]};
      auto update = cast<tile::ReduceIntoOp>(op);
      return {update.getView(), update.walkedDims()[dim]};
    }();
    written.back().dim = viewDim;
    if (!requireEnd(op, view, viewDim))
      restrict(op, "may write behind the end", /*showsEnd=*/true);
  });
  if (written.empty())
    return;
  // What is written must be read at the place where it is written, or another grouping reads other values.
  kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (!isInScope(op) || !isa<tile::LoadOp, tile::GatherOp, tile::LoadPtrOp>(op))
      return;
    BlockArgument root = parameterOf(addressOf(op), entry);
    auto load = dyn_cast<tile::LoadOp>(op);
    int dim = load ? dims.dimIn(load.getResult(), number) : -1;
    unsigned viewDim = dim >= 0 ? load.walkedDims()[dim] : 0;
    const IndexForm *offset = dim >= 0 ? numbers.formOf(load.getOffsets()[viewDim]) : nullptr;
    bool isBase = offset && !offset->cap && offset->constant == 0 && offset->terms.size() == 1 &&
                  offset->terms.begin()->first == walk.base;
    auto conflicts = [&](const Place &other) {
      if (root && other.root && root != other.root)
        return false;
      bool isSamePlace = root && other.root && isBase && isa<tile::ViewType>(other.view.getType()) &&
                         numbers.numberOf(load.getView()) == numbers.numberOf(other.view) && viewDim == other.dim;
      return !isSamePlace;
    };
    if (llvm::any_of(written, conflicts))
      pin(op, "may read what another block has written");
  });
}

//===----------------------------------------------------------------------===//
// What loops carry
//===----------------------------------------------------------------------===//

static bool isFoldOp(Operation *op) {
  return isa<arith::AddFOp, arith::AddIOp, arith::MulIOp, arith::MulFOp, arith::MaximumFOp, arith::MaxNumFOp,
             arith::MinimumFOp, arith::MinNumFOp, arith::MaxSIOp, arith::MaxUIOp, arith::MinSIOp, arith::MinUIOp,
             arith::AndIOp, arith::OrIOp, arith::XOrIOp>(op);
}

static bool isZero(Value value) {
  if (std::optional<APFloat> number = floatOf(value))
    return number->isZero();
  return matchPattern(value, m_Zero());
}

/// Whether `value` combines one block, or what it has of it, by the op of `combiner`. Everything that goes into it must
/// be the same for every grouping, or `mayUse`.
bool ExtentFolds::isTotal(Value value, Operation *combiner, llvm::function_ref<bool(Value)> mayUse) const {
  while (auto reshape = value.getDefiningOp<tile::ReshapeOp>())
    value = reshape.getSource();
  Operation *op = value.getDefiningOp();
  if (!op || !llvm::is_contained(totals, op))
    return false;
  if (auto dot = dyn_cast<tile::DotOp>(op)) {
    bool isClean =
        (mayUse(dot.getLhs()) && this->isClean(dot.getRhs())) || (this->isClean(dot.getLhs()) && mayUse(dot.getRhs()));
    return isa<arith::AddFOp, arith::AddIOp>(combiner) && isZero(dot.getAcc()) && isClean;
  }
  auto reduce = cast<tile::ReduceOp>(op);
  Operation *inner = combinerOf(reduce);
  return inner && inner->getName() == combiner->getName() && mayUse(reduce.getSources()[0]);
}

/// Takes the totals of blocks off `next`, which combines them in any order by one op; gives what is left. Null if the
/// op changes on the way.
static Value takeOffTotals(Value next, Value carried, int number, const TileDims &dims,
                           llvm::function_ref<bool(Value, Operation *)> isTotal,
                           llvm::function_ref<bool(tile::DotOp)> isClean, Operation *&kind) {
  auto isSame = [&](Operation *op) {
    bool isSum = isa<arith::AddFOp, arith::AddIOp, tile::DotOp>(op);
    return !kind || (isSum ? isa<arith::AddFOp, arith::AddIOp, tile::DotOp>(kind) : kind->getName() == op->getName());
  };
  while (next != carried) {
    Operation *op = next.getDefiningOp();
    if (!op || (kind && !isSame(op)))
      return next;
    if (auto dot = dyn_cast<tile::DotOp>(op)) {
      if (dims.classOf(dot.getLhs(), dot.getLhs().getType().getRank() - 1) != number || !isClean(dot))
        return next;
      next = dot.getAcc();
    } else if (isFoldOp(op)) {
      if (isTotal(op->getOperand(1), op))
        next = op->getOperand(0);
      else if (isTotal(op->getOperand(0), op))
        next = op->getOperand(1);
      else
        return next;
    } else {
      return next;
    }
    kind = op;
  }
  return next;
}

bool ExtentFolds::isFold(BlockArgument carried, Value next) {
  if (next == carried || isa<tile::TokenType>(carried.getType()))
    return true;
  Operation *kind = nullptr;
  auto clean = [&](Value value) { return isClean(value); };
  return takeOffTotals(
             next, carried, number, dims, [&](Value value, Operation *op) { return isTotal(value, op, clean); },
             [&](tile::DotOp dot) { return isClean(dot.getLhs()) && isClean(dot.getRhs()); }, kind) == carried;
}

static Value stripCasts(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<arith::ExtFOp, arith::TruncFOp>(op))
      break;
    value = op->getOperand(0);
  }
  return value;
}

/// `exp(a - b)` or `exp2(a - b)` as the op and both sides.
static Operation *matchDecay(Value value, Value &a, Value &b) {
  Operation *op = stripCasts(value).getDefiningOp();
  if (!isa_and_nonnull<math::ExpOp, math::Exp2Op>(op))
    return nullptr;
  auto difference = op->getOperand(0).getDefiningOp<arith::SubFOp>();
  if (!difference)
    return nullptr;
  a = difference.getLhs();
  b = stripShape(difference.getRhs());
  return op;
}

/// `s' = s * exp(m - m') + sum over the block of exp(x - m') * y`, where m is carried, too, and m' is its next value:
/// then s * exp(m) is a plain sum.
bool ExtentFolds::isRescaledFold(BlockArgument carried, Value next) {
  scf::ForOp loop = walk.loop;
  // Find m and m' first: the sums refer to them.
  Value shift, newShift;
  Operation *decay = nullptr;
  auto isDecayed = [&](Value value) {
    Value x, by;
    Operation *op = matchDecay(value, x, by);
    return op && decay && op->getName() == decay->getName() && by == newShift && isClean(x);
  };
  auto findScale = [&](Value scaled) {
    auto product = scaled.getDefiningOp<arith::MulFOp>();
    if (!product || !llvm::is_contained(product->getOperands(), carried))
      return false;
    Value factor = product.getLhs() == carried ? product.getRhs() : product.getLhs();
    decay = matchDecay(stripShape(factor), shift, newShift);
    auto argument = decay ? dyn_cast<BlockArgument>(stripShape(shift)) : BlockArgument();
    if (!argument || argument.getOwner() != loop.getBody() || argument == loop.getInductionVar())
      return false;
    return loop.getYieldedValues()[argument.getArgNumber() - 1] == newShift && isFold(argument, newShift);
  };
  // The scaled sum is the one factor in front of all totals.
  for (Operation *user : carried.getUsers())
    for (Value scaled : user->getResults())
      if (findScale(scaled)) {
        Operation *kind = nullptr;
        auto mayUse = [&](Value value) { return isDecayed(value); };
        Value left = takeOffTotals(
            next, scaled, number, dims, [&](Value value, Operation *op) { return isTotal(value, op, mayUse); },
            [&](tile::DotOp dot) {
              return (isDecayed(dot.getLhs()) && isClean(dot.getRhs())) ||
                     (isClean(dot.getLhs()) && isDecayed(dot.getRhs()));
            },
            kind);
        if (left == scaled && (!kind || isa<arith::AddFOp, tile::DotOp>(kind)))
          return true;
      }
  return false;
}

void ExtentFolds::checkCarried() {
  scf::ForOp loop = walk.loop;
  if (!loop)
    return;
  for (auto [carried, next] : llvm::zip(loop.getRegionIterArgs(), loop.getYieldedValues())) {
    Operation *op = next.getDefiningOp() ? next.getDefiningOp() : loop.getOperation();
    if (dims.dimIn(carried, number) != -1)
      return pin(op, "is carried from block to block, element by element");
    if (!isFold(carried, next) && !isRescaledFold(carried, next))
      return pin(op, "is carried from block to block and is not known to be the same for other blocks");
  }
}

void ExtentFolds::check(ExtentClass &into) {
  result = &into;
  findOutside();
  findTotals();
  // Where nothing notices what a load gives behind the end, nothing is required of it.
  bool hasMasks = false;
  kernel.walk([&](Operation *op) { hasMasks |= isa<tile::LoadPtrOp, tile::StorePtrOp, tile::AtomicRmwOp>(op); });
  if (totals.empty() && !hasMasks)
    into.requirements.clear();
  spreadTaint();
  checkCarried();
  checkEffects();
}
