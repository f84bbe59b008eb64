// SPDX-License-Identifier: Apache-2.0
// What each op with a rule makes of the numbers that it is given. IndexRulesTest.cpp proves every row of the table by
// brute force and fails for a row that it does not know.
#include "AlignmentSolver.h"
#include "IndexTranslation.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilewright;

template <typename... OpTypes> static void addRules(IndexTranslation::RuleTable &table, IndexTranslation::Rule rule) {
  (table.push_back({OpTypes::getOperationName(), rule}), ...);
}

const IndexTranslation::RuleTable &IndexTranslation::rules() {
  static const RuleTable table = [] {
    RuleTable rows;
    addRules<arith::ConstantOp>(rows, &IndexTranslation::translateConstant);
    addRules<arith::AddIOp, arith::SubIOp>(rows, &IndexTranslation::translateSum);
    addRules<arith::MulIOp, arith::ShLIOp>(rows, &IndexTranslation::translateProduct);
    addRules<arith::DivSIOp, arith::DivUIOp, arith::FloorDivSIOp, arith::CeilDivSIOp, arith::CeilDivUIOp,
             arith::RemSIOp, arith::RemUIOp, arith::ShRSIOp, arith::ShRUIOp, arith::AndIOp>(
        rows, &IndexTranslation::translateDivision);
    addRules<arith::MinSIOp, arith::MaxSIOp, arith::MinUIOp, arith::MaxUIOp>(rows,
                                                                             &IndexTranslation::translateExtremum);
    addRules<arith::SelectOp>(rows, &IndexTranslation::translateSelect);
    addRules<arith::IndexCastOp, arith::ExtSIOp, arith::TruncIOp, arith::IndexCastUIOp, arith::ExtUIOp>(
        rows, &IndexTranslation::translateCast);
    addRules<tile::AssumeOp>(rows, &IndexTranslation::translateAssume);
    addRules<tile::ViewSizeOp>(rows, &IndexTranslation::translateViewSize);
    addRules<tile::NumProgramsOp, tile::ProgramIdOp>(rows, &IndexTranslation::translatePrograms);
    addRules<scf::IfOp>(rows, &IndexTranslation::translateBranch);
    addRules<scf::ForOp>(rows, &IndexTranslation::translateLoopResult);
    return rows;
  }();
  return table;
}

std::optional<Polynomial> IndexTranslation::translateConstant(OpResult result) {
  auto value = dyn_cast<IntegerAttr>(cast<arith::ConstantOp>(result.getOwner()).getValue());
  // One bit alone has no sign.
  if (!value || widthOf(result.getType()) <= 1)
    return std::nullopt;
  return Polynomial::constant(value.getValue().getSExtValue());
}

/// Bits of the result of `op`; the launcher reports an overflow of 64 bits, a device wraps around.
bool IndexTranslation::isExact(Operation *op, const Polynomial &number) const {
  unsigned width = widthOf(op->getResult(0).getType());
  if (isOnHost(op->getResult(0)) && width == 64)
    return true;
  auto flags = dyn_cast<arith::ArithIntegerOverflowFlagsInterface>(op);
  return (flags && flags.hasNoSignedWrap()) || fits(number, width);
}

std::optional<Polynomial> IndexTranslation::exactly(Operation *op, std::optional<Polynomial> number) const {
  return number && isExact(op, *number) ? number : std::nullopt;
}

std::optional<Polynomial> IndexTranslation::translateSum(OpResult result) {
  Operation *op = result.getOwner();
  const Polynomial &a = operand(op, 0), &b = operand(op, 1);
  return exactly(op, isa<arith::SubIOp>(op) ? subtract(a, b) : add(a, b));
}

/// 2 to the power of a constant from 0 to 62.
static std::optional<Polynomial> powerOfTwo(const Polynomial &amount) {
  std::optional<int64_t> bits = amount.asInt64();
  if (!bits || *bits < 0 || *bits > 62)
    return std::nullopt;
  return Polynomial::constant(Wide(1) << static_cast<unsigned>(*bits));
}

std::optional<Polynomial> IndexTranslation::translateProduct(OpResult result) {
  Operation *op = result.getOwner();
  if (isa<arith::MulIOp>(op))
    return exactly(op, multiply(operand(op, 0), operand(op, 1)));
  std::optional<Polynomial> factor = powerOfTwo(operand(op, 1));
  return factor ? exactly(op, multiply(operand(op, 0), *factor)) : std::nullopt;
}

/// Division and remainder, shifts to the right and masks, of numbers that are not negative where rounding differs.
std::optional<Polynomial> IndexTranslation::translateDivision(OpResult result) {
  Operation *op = result.getOwner();
  if (widthOf(result.getType()) <= 1)
    return std::nullopt;
  const Polynomial &a = operand(op, 0), &b = operand(op, 1);
  bool isPositive = bounds.isNonNegative(b); // Division by 0 is undefined.
  bool isPlain = isPositive && bounds.isNonNegative(a);
  return llvm::TypeSwitch<Operation *, std::optional<Polynomial>>(op)
      .Case<arith::DivSIOp, arith::DivUIOp>([&](auto) { return isPlain ? bounds.floorDiv(a, b) : std::nullopt; })
      .Case([&](arith::FloorDivSIOp) { return isPositive ? bounds.floorDiv(a, b) : std::nullopt; })
      .Case([&](arith::CeilDivSIOp) { return isPositive ? bounds.ceilDiv(a, b) : std::nullopt; })
      .Case([&](arith::CeilDivUIOp) { return isPlain ? bounds.ceilDiv(a, b) : std::nullopt; })
      .Case<arith::RemSIOp, arith::RemUIOp>([&](auto) { return isPlain ? bounds.floorRem(a, b) : std::nullopt; })
      .Case([&](arith::ShRSIOp) {
        std::optional<Polynomial> by = powerOfTwo(b);
        return by ? bounds.floorDiv(a, *by) : std::nullopt;
      })
      .Case([&](arith::ShRUIOp) {
        std::optional<Polynomial> by = powerOfTwo(b);
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

std::optional<Polynomial> IndexTranslation::translateExtremum(OpResult result) {
  Operation *op = result.getOwner();
  const Polynomial &a = operand(op, 0), &b = operand(op, 1);
  bool isUnsigned = isa<arith::MinUIOp, arith::MaxUIOp>(op);
  if (isUnsigned && (!bounds.isNonNegative(a) || !bounds.isNonNegative(b)))
    return std::nullopt;
  return isa<arith::MinSIOp, arith::MinUIOp>(op) ? bounds.minimum(a, b) : bounds.maximum(a, b);
}

std::optional<Polynomial> IndexTranslation::translateSelect(OpResult result) {
  auto op = cast<arith::SelectOp>(result.getOwner());
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

/// A cast to fewer bits keeps what fits into them, one to more bits what it reads as negative or not. One bit alone has
/// no sign.
std::optional<Polynomial> IndexTranslation::translateCast(OpResult result) {
  Operation *op = result.getOwner();
  unsigned width = widthOf(result.getType());
  const Polynomial &source = operand(op, 0);
  if (width <= 1 || widthOf(op->getOperand(0).getType()) <= 1 || !fits(source, width))
    return std::nullopt;
  if (isa<arith::IndexCastUIOp, arith::ExtUIOp>(op) && !bounds.isNonNegative(source))
    return std::nullopt;
  return source;
}

std::optional<Polynomial> IndexTranslation::translateAssume(OpResult result) {
  auto op = cast<tile::AssumeOp>(result.getOwner());
  const Polynomial &source = operand(op, 0);
  bool isInGrid = grid && op->getParentOp() == grid;
  if (isInGrid || holding.contains(op))
    assume(op, source);
  return source;
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

std::optional<Polynomial> IndexTranslation::translateViewSize(OpResult result) {
  auto size = cast<tile::ViewSizeOp>(result.getOwner());
  return sizeOf(size.getView(), size.getDim());
}

std::optional<Polynomial> IndexTranslation::translatePrograms(OpResult result) {
  if (auto count = dyn_cast<tile::NumProgramsOp>(result.getOwner()))
    return programs(count.getAxis());
  // Below the number of programs, of which there is one at least where this runs.
  auto id = cast<tile::ProgramIdOp>(result.getOwner());
  std::optional<Polynomial> last = subtract(programs(id.getAxis()), Polynomial::constant(1));
  SymbolFacts known;
  known.min = 0;
  known.max = std::numeric_limits<int32_t>::max() - 1;
  if (last)
    known.upper.push_back(*last);
  static constexpr char kAxes[] = {'x', 'y', 'z'};
  return Polynomial::symbol(
      leaf(std::move(known), std::string("program_id ") + kAxes[static_cast<unsigned>(id.getAxis())]));
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

std::optional<Polynomial> IndexTranslation::translateBranch(OpResult result) {
  auto branch = cast<scf::IfOp>(result.getOwner());
  unsigned number = result.getResultNumber();
  return bounds.oneOf(translated[branch.thenYield().getOperand(number)],
                      translated[branch.elseYield().getOperand(number)]);
}

std::optional<Polynomial> IndexTranslation::translateLoopResult(OpResult result) {
  return translateCarried(cast<scf::ForOp>(result.getOwner()), result.getResultNumber(), /*isResult=*/true);
}
