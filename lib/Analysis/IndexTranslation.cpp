// SPDX-License-Identifier: Apache-2.0
#include "IndexTranslation.h"
#include "AlignmentSolver.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilewright;

static Wide toWide(const APInt &value) { return value.getSExtValue(); }

/// Bits of an integer or index; 0 for other types and for those wider than 64 bits.
static unsigned widthOf(Type type) {
  if (type.isIndex())
    return 64;
  auto integer = dyn_cast<IntegerType>(type);
  return integer && integer.getWidth() <= 64 ? integer.getWidth() : 0;
}

IndexTranslation::IndexTranslation(func::FuncOp kernel, func::FuncOp grid, const AlignmentAnalysis &alignment,
                                   const ExtraFacts &facts, ArrayRef<tile::AssumeOp> assumes)
    : kernel(kernel), grid(grid), alignment(alignment), facts(facts) {
  for (tile::AssumeOp op : assumes)
    holding.insert(op);
  for (tile::AssumeOp op : assumes)
    translate(op.getResult());
}

unsigned IndexTranslation::leaf(SymbolFacts facts, std::string name) {
  unsigned symbol = bounds.addLeaf(std::move(facts));
  names[symbol] = std::move(name);
  return symbol;
}

std::optional<HostNumber> IndexTranslation::hostNumberOf(unsigned symbol) const {
  auto found = hostNumbers.find(symbol);
  return found == hostNumbers.end() ? std::nullopt : std::optional<HostNumber>(found->second);
}

/// Whether the grid function computes `value`.
bool IndexTranslation::isOnHost(Value value) const {
  return grid && grid->isAncestor(value.getParentRegion()->getParentOp());
}

std::optional<unsigned> IndexTranslation::parameter(Value value) const {
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument || !argument.getOwner()->isEntryBlock())
    return std::nullopt;
  Operation *parent = argument.getOwner()->getParentOp();
  if (parent != kernel && (!grid || parent != grid))
    return std::nullopt;
  return argument.getArgNumber();
}

bool IndexTranslation::fits(const Polynomial &number, unsigned width) const {
  Wide limit = Wide(1) << (width - 1);
  return bounds.isAtMost(number, Polynomial::constant(limit - 1)) &&
         bounds.isAtMost(Polynomial::constant(-limit), number);
}

IndexTranslation::Origin IndexTranslation::originOfSize(Value view, int64_t dim) const {
  while (auto permute = view.getDefiningOp<tile::PermuteViewOp>()) {
    dim = permute.getOrder()[dim];
    view = permute.getView();
  }
  return {view, dim};
}

/// The operand of `make` that holds the size, which must not be static.
static Value sizeOperand(tile::MakeViewOp make, int64_t dim) {
  ArrayRef<int64_t> shape = make.getType().getShape();
  return make.getSizes()[llvm::count_if(shape.take_front(dim), ShapedType::isDynamic)];
}

std::optional<Value> IndexTranslation::gridResult(tile::Axis axis) const {
  if (!grid)
    return std::nullopt;
  Operation *end = grid->getRegion(0).front().getTerminator();
  unsigned number = static_cast<unsigned>(axis);
  return number < end->getNumOperands() ? std::optional<Value>(end->getOperand(number)) : std::nullopt;
}

/// Values that must be translated before `value`.
SmallVector<Value> IndexTranslation::operandsOf(Value value) const {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    if (loop && argument == loop.getInductionVar())
      return {loop.getLowerBound(), loop.getUpperBound(), loop.getStep()};
    if (loop)
      return operandsOfCarried(loop, argument.getArgNumber() - loop.getNumInductionVars());
    return {};
  }
  Operation *op = value.getDefiningOp();
  auto programsOn = [&](tile::Axis axis) -> SmallVector<Value> {
    std::optional<Value> count = gridResult(axis);
    return count ? SmallVector<Value>{*count} : SmallVector<Value>();
  };
  if (auto id = dyn_cast<tile::ProgramIdOp>(op))
    return programsOn(id.getAxis());
  if (auto count = dyn_cast<tile::NumProgramsOp>(op))
    return programsOn(count.getAxis());
  if (auto size = dyn_cast<tile::ViewSizeOp>(op)) {
    Origin origin = originOfSize(size.getView(), size.getDim());
    auto make = origin.view.getDefiningOp<tile::MakeViewOp>();
    if (make && ShapedType::isDynamic(make.getType().getShape()[origin.dim]))
      return {sizeOperand(make, origin.dim)};
    return {};
  }
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    unsigned number = cast<OpResult>(value).getResultNumber();
    if (branch.getElseRegion().empty())
      return {};
    return {branch.thenYield().getOperand(number), branch.elseYield().getOperand(number)};
  }
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return operandsOfCarried(loop, cast<OpResult>(value).getResultNumber());
  if (!isa_and_nonnull<arith::ArithDialect>(op->getDialect()) && !isa<tile::AssumeOp>(op))
    return {};
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    if (widthOf(operand.getType()) != 0)
      operands.push_back(operand);
  return operands;
}

const Polynomial &IndexTranslation::translate(Value value) {
  // Operands first, without recursion: chains of arithmetic may be long.
  SmallVector<std::pair<Value, bool>> worklist{{value, false}};
  while (!worklist.empty()) {
    auto [next, isReady] = worklist.pop_back_val();
    if (translated.contains(next))
      continue;
    if (isReady) {
      Polynomial result = translateStep(next);
      translated[next] = std::move(result);
      continue;
    }
    worklist.push_back({next, true});
    for (Value operand : operandsOf(next))
      worklist.push_back({operand, false});
  }
  return translated[value];
}

Polynomial IndexTranslation::hostNumber(HostNumber number, SymbolFacts known, std::string name) {
  // Sizes that are promised to be equal share the leaf of the first of them that is met; it has the facts of both.
  SmallVector<HostNumber> same{number};
  for (size_t i = 0; i < same.size(); ++i)
    for (auto &[a, b] : facts.equal) {
      HostNumber other = a == same[i] ? b : a;
      if ((a == same[i] || b == same[i]) && !llvm::is_contained(same, other))
        same.push_back(other);
    }
  for (const ExtraFacts::Divisor &promise : facts.divisors)
    if (llvm::is_contained(same, promise.number))
      known.divisor = combineDivisors(known.divisor, promise.divisor);
  for (HostNumber other : same) {
    auto found = hostLeaves.find({other.argument, other.dim});
    if (found == hostLeaves.end())
      continue;
    bounds.refine(found->second, known.min, known.max, known.divisor);
    return Polynomial::symbol(found->second);
  }
  unsigned symbol = leaf(std::move(known), std::move(name));
  hostLeaves[{number.argument, number.dim}] = symbol;
  hostNumbers[symbol] = number;
  return Polynomial::symbol(symbol);
}

/// How messages call a parameter.
static std::string parameterName(func::FuncOp kernel, unsigned argument) {
  auto name = kernel.getArgAttrOfType<StringAttr>(argument, "tile.name");
  return name ? name.getValue().str() : "parameter " + std::to_string(argument);
}

Polynomial IndexTranslation::sizeOf(Value view, int64_t dim) {
  Origin origin = originOfSize(view, dim);
  auto type = cast<tile::ViewType>(origin.view.getType());
  if (int64_t size = type.getShape()[origin.dim]; !ShapedType::isDynamic(size))
    return Polynomial::constant(size);
  if (auto make = origin.view.getDefiningOp<tile::MakeViewOp>())
    return translate(sizeOperand(make, origin.dim));
  SymbolFacts known;
  known.min = 0;
  known.max = std::numeric_limits<int64_t>::max();
  std::optional<unsigned> argument = parameter(origin.view);
  if (!argument) {
    auto [place, isNew] = otherSizes.try_emplace({origin.view, origin.dim});
    if (isNew) {
      known.divisor = alignment.getAlignment(origin.view).sizeDivisors[origin.dim];
      place->second = Polynomial::symbol(leaf(std::move(known), "size " + std::to_string(origin.dim) + " of a view"));
    }
    return place->second;
  }
  // The kernel's own parameter has the promises, also where the grid function asks.
  AlignmentFacts promised = argumentAlignment(kernel.getArgument(*argument));
  known.divisor = promised.sizeDivisors[origin.dim];
  if (int64_t size = cast<tile::ViewType>(kernel.getArgument(*argument).getType()).getShape()[origin.dim];
      !ShapedType::isDynamic(size))
    return Polynomial::constant(size);
  return hostNumber({*argument, origin.dim}, std::move(known),
                    "size(" + parameterName(kernel, *argument) + ", " + std::to_string(origin.dim) + ")");
}

Polynomial IndexTranslation::opaque(Value value) {
  SymbolFacts known;
  std::optional<unsigned> argument = parameter(value);
  unsigned width = widthOf(value.getType());
  if (width != 0) {
    known.min = -(Wide(1) << (width - 1));
    known.max = (Wide(1) << (width - 1)) - 1;
  }
  // The grid function's parameters have the promises of the kernel's.
  Value here = argument ? kernel.getArgument(*argument) : value;
  if (width != 0 && (argument || !isOnHost(value))) {
    if (std::optional<ConstantIntRanges> range = alignment.getRange(here);
        range && range->smin().getBitWidth() != 0 && range->smin().getBitWidth() <= 64 && width > 1) {
      known.min = toWide(range->smin());
      known.max = toWide(range->smax());
      if (*known.min == *known.max)
        return Polynomial::constant(*known.min);
    }
    known.divisor = alignment.getAlignment(here).divisor();
  }
  if (argument && width != 0)
    return hostNumber({*argument, -1}, std::move(known), parameterName(kernel, *argument));
  std::string name = "a value";
  if (Operation *op = value.getDefiningOp())
    name = op->getName().getStringRef().str();
  return Polynomial::symbol(leaf(std::move(known), "<" + name + ">"));
}

Polynomial IndexTranslation::translateStep(Value value) {
  std::optional<Polynomial> result;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    if (loop && argument == loop.getInductionVar())
      result = translateLoopVariable(loop);
    else if (loop)
      result = translateCarried(loop, argument.getArgNumber() - loop.getNumInductionVars(), /*isResult=*/false);
  } else if (widthOf(value.getType()) != 0) {
    Operation *op = value.getDefiningOp();
    if (auto branch = dyn_cast<scf::IfOp>(op)) {
      unsigned number = cast<OpResult>(value).getResultNumber();
      if (!branch.getElseRegion().empty())
        result = bounds.oneOf(translated[branch.thenYield().getOperand(number)],
                              translated[branch.elseYield().getOperand(number)]);
    } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
      result = translateCarried(loop, cast<OpResult>(value).getResultNumber(), /*isResult=*/true);
    } else if (op->getNumResults() == 1) {
      result = translateOp(op);
    }
  }
  return result ? *result : opaque(value);
}

Polynomial IndexTranslation::programs(tile::Axis axis) {
  if (std::optional<Value> count = gridResult(axis)) {
    // The kernel runs, so there is a program, and no launch has more than an i32 counts.
    bool &isKnown = hasGridFacts[static_cast<unsigned>(axis)];
    Polynomial number = translated[*count];
    if (!std::exchange(isKnown, true)) {
      if (std::optional<Polynomial> others = subtract(number, Polynomial::constant(1)))
        bounds.assumeNonNegative(*others);
      if (std::optional<Polynomial> more = subtract(Polynomial::constant(std::numeric_limits<int32_t>::max()), number))
        bounds.assumeNonNegative(*more);
    }
    return number;
  }
  // An axis that the grid function does not give has one program.
  if (grid)
    return Polynomial::constant(1);
  SymbolFacts known;
  known.min = 1;
  known.max = std::numeric_limits<int32_t>::max();
  return Polynomial::symbol(leaf(std::move(known), "programs"));
}

void IndexTranslation::assume(tile::AssumeOp op, const Polynomial &source) {
  // Facts are kept of a symbol plus a constant; a divisor of the symbol alone.
  Wide offset = source.constantTerm();
  std::optional<Polynomial> rest = subtract(source, Polynomial::constant(offset));
  std::optional<unsigned> symbol = rest ? rest->asSymbol() : std::nullopt;
  if (!symbol)
    return;
  std::optional<Wide> min, max;
  if (op.getMin())
    min = Wide(static_cast<int64_t>(*op.getMin())) - offset;
  if (op.getMax())
    max = Wide(static_cast<int64_t>(*op.getMax())) - offset;
  bounds.refine(*symbol, min, max, offset == 0 ? static_cast<int64_t>(op.getDivBy().value_or(1)) : 1);
}

/// Division and remainder, shifts to the right and masks, of numbers that are not negative where rounding differs.
std::optional<Polynomial> IndexTranslation::translateDivision(Operation *op) {
  const Polynomial &a = translated[op->getOperand(0)], &b = translated[op->getOperand(1)];
  bool isPositive = bounds.isNonNegative(b); // Division by 0 is undefined.
  bool isPlain = isPositive && bounds.isNonNegative(a);
  auto powerOfTwo = [&]() -> std::optional<Polynomial> {
    Wide amount = b.constantTerm();
    if (!b.isConstant() || amount < 0 || amount > 62)
      return std::nullopt;
    return Polynomial::constant(Wide(1) << static_cast<unsigned>(amount));
  };
  return llvm::TypeSwitch<Operation *, std::optional<Polynomial>>(op)
      .Case<arith::DivSIOp, arith::DivUIOp>([&](auto) { return isPlain ? bounds.floorDiv(a, b) : std::nullopt; })
      .Case([&](arith::FloorDivSIOp) { return isPositive ? bounds.floorDiv(a, b) : std::nullopt; })
      .Case([&](arith::CeilDivSIOp) { return isPositive ? bounds.ceilDiv(a, b) : std::nullopt; })
      .Case([&](arith::CeilDivUIOp) { return isPlain ? bounds.ceilDiv(a, b) : std::nullopt; })
      .Case<arith::RemSIOp, arith::RemUIOp>([&](auto) { return isPlain ? bounds.floorRem(a, b) : std::nullopt; })
      .Case([&](arith::ShRSIOp) {
        std::optional<Polynomial> by = powerOfTwo();
        return by ? bounds.floorDiv(a, *by) : std::nullopt;
      })
      .Case([&](arith::ShRUIOp) {
        std::optional<Polynomial> by = powerOfTwo();
        return by && bounds.isNonNegative(a) ? bounds.floorDiv(a, *by) : std::nullopt;
      })
      .Case([&](arith::AndIOp) -> std::optional<Polynomial> {
        // With 2^n - 1: the remainder, of negative numbers too.
        Wide mask = b.constantTerm();
        if (!b.isConstant() || mask < 0 || (mask & (mask + 1)) != 0)
          return std::nullopt;
        return bounds.floorRem(a, Polynomial::constant(mask + 1));
      })
      .Default([](Operation *) { return std::nullopt; });
}

bool IndexTranslation::isExact(Operation *op, const Polynomial &number) const {
  unsigned width = widthOf(op->getResult(0).getType());
  // The launcher reports an overflow; a device wraps around.
  if (isOnHost(op->getResult(0)) && width == 64)
    return true;
  auto flags = dyn_cast<arith::ArithIntegerOverflowFlagsInterface>(op);
  return (flags && flags.hasNoSignedWrap()) || fits(number, width);
}

std::optional<Polynomial> IndexTranslation::translateSelect(arith::SelectOp op) {
  const Polynomial &a = translated[op.getTrueValue()], &b = translated[op.getFalseValue()];
  // The smaller or the greater of two is often written as a choice.
  using Predicate = arith::CmpIPredicate;
  auto cmp = op.getCondition().getDefiningOp<arith::CmpIOp>();
  if (cmp && widthOf(cmp.getLhs().getType()) > 1) {
    const Polynomial &x = translated[cmp.getLhs()], &y = translated[cmp.getRhs()];
    Predicate predicate = cmp.getPredicate();
    bool isLess = predicate == Predicate::slt || predicate == Predicate::sle;
    bool isGreater = predicate == Predicate::sgt || predicate == Predicate::sge;
    if ((isLess || isGreater) && ((a == x && b == y) || (a == y && b == x)))
      return isLess == (a == x) ? bounds.minimum(a, b) : bounds.maximum(a, b);
  }
  return bounds.oneOf(a, b);
}

std::optional<Polynomial> IndexTranslation::translateOp(Operation *op) {
  Value result = op->getResult(0);
  unsigned width = widthOf(result.getType());
  auto operand = [&](unsigned number) -> const Polynomial & { return translated[op->getOperand(number)]; };
  auto exact = [&](std::optional<Polynomial> number) -> std::optional<Polynomial> {
    return number && isExact(op, *number) ? number : std::nullopt;
  };
  return llvm::TypeSwitch<Operation *, std::optional<Polynomial>>(op)
      .Case([&](arith::ConstantOp constant) -> std::optional<Polynomial> {
        auto value = dyn_cast<IntegerAttr>(constant.getValue());
        return value && width > 1 ? std::optional(Polynomial::constant(toWide(value.getValue()))) : std::nullopt;
      })
      .Case([&](arith::AddIOp) { return exact(add(operand(0), operand(1))); })
      .Case([&](arith::SubIOp) { return exact(subtract(operand(0), operand(1))); })
      .Case([&](arith::MulIOp) { return exact(multiply(operand(0), operand(1))); })
      .Case([&](arith::ShLIOp) -> std::optional<Polynomial> {
        Wide amount = operand(1).constantTerm();
        if (!operand(1).isConstant() || amount < 0 || amount > 62)
          return std::nullopt;
        return exact(multiply(operand(0), Polynomial::constant(Wide(1) << static_cast<unsigned>(amount))));
      })
      .Case<arith::DivSIOp, arith::DivUIOp, arith::FloorDivSIOp, arith::CeilDivSIOp, arith::CeilDivUIOp, arith::RemSIOp,
            arith::RemUIOp, arith::ShRSIOp, arith::ShRUIOp, arith::AndIOp>(
          [&](auto) { return width > 1 ? translateDivision(op) : std::nullopt; })
      .Case([&](arith::MinSIOp) { return std::optional(bounds.minimum(operand(0), operand(1))); })
      .Case([&](arith::MaxSIOp) { return std::optional(bounds.maximum(operand(0), operand(1))); })
      .Case<arith::MinUIOp, arith::MaxUIOp>([&](Operation *) -> std::optional<Polynomial> {
        if (!bounds.isNonNegative(operand(0)) || !bounds.isNonNegative(operand(1)))
          return std::nullopt;
        return isa<arith::MinUIOp>(op) ? bounds.minimum(operand(0), operand(1))
                                       : bounds.maximum(operand(0), operand(1));
      })
      .Case([&](arith::SelectOp select) { return translateSelect(select); })
      .Case<arith::IndexCastOp, arith::ExtSIOp, arith::TruncIOp>([&](Operation *) -> std::optional<Polynomial> {
        // A cast to fewer bits keeps what fits into them. Bits of one alone have no sign.
        if (width <= 1 || widthOf(op->getOperand(0).getType()) <= 1 || !fits(operand(0), width))
          return std::nullopt;
        return operand(0);
      })
      .Case<arith::IndexCastUIOp, arith::ExtUIOp>([&](Operation *) -> std::optional<Polynomial> {
        if (width <= 1 || widthOf(op->getOperand(0).getType()) <= 1 || !bounds.isNonNegative(operand(0)) ||
            !fits(operand(0), width))
          return std::nullopt;
        return operand(0);
      })
      .Case([&](tile::AssumeOp op) {
        bool isInGrid = grid && op->getParentOp() == grid;
        if (isInGrid || holding.contains(op))
          assume(op, operand(0));
        return std::optional(operand(0));
      })
      .Case([&](tile::ViewSizeOp size) { return std::optional(sizeOf(size.getView(), size.getDim())); })
      .Case([&](tile::NumProgramsOp count) { return std::optional(programs(count.getAxis())); })
      .Case([&](tile::ProgramIdOp id) -> std::optional<Polynomial> {
        // Below the number of programs, of which there is one at least where this runs.
        std::optional<Polynomial> last = subtract(programs(id.getAxis()), Polynomial::constant(1));
        SymbolFacts known;
        known.min = 0;
        known.max = std::numeric_limits<int32_t>::max() - 1;
        if (last)
          known.upper.push_back(*last);
        static constexpr char kAxes[] = {'x', 'y', 'z'};
        return Polynomial::symbol(
            leaf(std::move(known), std::string("program_id ") + kAxes[static_cast<unsigned>(id.getAxis())]));
      })
      .Default([](Operation *) { return std::nullopt; });
}
