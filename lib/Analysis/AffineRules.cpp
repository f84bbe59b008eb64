// SPDX-License-Identifier: Apache-2.0
// What each op with a rule makes of the forms of its operands, and what a loop makes of what it carries.
// AffineRulesTest.cpp proves every row of the table by brute force and fails for a row that it does not know.
#include "CarriedChain.h"
#include "tilewright/Analysis/AffineTiles.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace tilewright;

template <typename... OpTypes> static void addRules(AffineTiles::RuleTable &table, AffineTiles::Rule rule) {
  (table.push_back({OpTypes::getOperationName(), rule}), ...);
}

const AffineTiles::RuleTable &AffineTiles::rules() {
  static const RuleTable table = [] {
    RuleTable rows;
    addRules<arith::ConstantOp>(rows, &AffineTiles::evaluateConstant);
    addRules<tile::IotaOp>(rows, &AffineTiles::evaluateIota);
    addRules<tile::SplatOp, tile::BroadcastOp, tile::ReshapeOp, tile::PermuteOp>(rows, &AffineTiles::evaluateShape);
    addRules<arith::AddIOp, arith::SubIOp, tile::PtrAddOp>(rows, &AffineTiles::evaluateSum);
    addRules<arith::MulIOp, arith::ShLIOp>(rows, &AffineTiles::evaluateProduct);
    addRules<arith::RemSIOp, arith::RemUIOp>(rows, &AffineTiles::evaluateRemainder);
    addRules<arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp, arith::IndexCastOp, arith::IndexCastUIOp>(
        rows, &AffineTiles::evaluateCast);
    return rows;
  }();
  return table;
}

static unsigned widthOf(Value value) {
  Type type = getElementTypeOrSelf(value.getType());
  return type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
}

/// A tile of zeros.
static AffineTile zeroOf(Value value) {
  auto tile = dyn_cast<RankedTensorType>(value.getType());
  AffineTile form;
  form.steps.resize(tile ? tile.getRank() : 0);
  form.wraps.resize(form.steps.size());
  return form;
}

/// Smallest and largest element, signed.
static std::optional<std::pair<Wide, Wide>> signedRange(const AlignmentAnalysis &analysis, Value value) {
  std::optional<ConstantIntRanges> range = analysis.getRange(value);
  if (!range || range->smin().getBitWidth() > 64 || range->smin().getBitWidth() == 0)
    return std::nullopt;
  return std::pair<Wide, Wide>(range->smin().getSExtValue(), range->smax().getSExtValue());
}

/// Whether all of [min, max] is an integer of `width` bits, signed.
static bool fits(Wide min, Wide max, unsigned width) {
  Wide limit = static_cast<Wide>(1) << (width - 1);
  return min >= -limit && max < limit;
}

bool AffineTiles::cannotWrap(Operation *op) const {
  if (auto flags = dyn_cast<arith::ArithIntegerOverflowFlagsInterface>(op); flags && flags.hasNoSignedWrap())
    return true;
  auto left = signedRange(analysis, op->getOperand(0)), right = signedRange(analysis, op->getOperand(1));
  if (!left || !right)
    return false;
  unsigned width = widthOf(op->getResult(0));
  if (isa<arith::AddIOp>(op))
    return fits(left->first + right->first, left->second + right->second, width);
  if (isa<arith::SubIOp>(op))
    return fits(left->first - right->second, left->second - right->first, width);
  if (isa<arith::ShLIOp>(op)) {
    if (right->first < 0 || right->second >= static_cast<Wide>(width))
      return false;
    Wide factor = static_cast<Wide>(1) << static_cast<int>(right->second);
    right = {1, factor};
  }
  Wide corners[] = {left->first * right->first, left->first * right->second, left->second * right->first,
                    left->second * right->second};
  return fits(*std::min_element(corners, corners + 4), *std::max_element(corners, corners + 4), width);
}

std::optional<AffineTile> AffineTiles::evaluateConstant(Operation *op, std::string &reason) {
  APInt constant;
  if (!matchPattern(op, m_ConstantInt(&constant)) || constant.getBitWidth() > 64) {
    reason = "arith.constant gives it";
    return std::nullopt;
  }
  AffineTile form = zeroOf(op->getResult(0));
  form.uniform = Polynomial::constant(constant.getSExtValue());
  return form;
}

std::optional<AffineTile> AffineTiles::evaluateIota(Operation *op, std::string &reason) {
  auto iota = cast<tile::IotaOp>(op);
  Value value = iota.getResult();
  int64_t start = iota.getStart().value_or(0), extent = iota.getResult().getType().getNumElements();
  if (!fits(start, static_cast<Wide>(start) + extent - 1, widthOf(value))) {
    reason = llvm::formatv("tile.iota leaves {0} signed bits", widthOf(value)).str();
    return std::nullopt;
  }
  AffineTile form = zeroOf(value);
  form.uniform = Polynomial::constant(start);
  form.steps[0] = Polynomial::constant(1);
  return form;
}

std::optional<AffineTile> AffineTiles::evaluateCast(Operation *op, std::string &reason) {
  Value value = op->getResult(0), source = op->getOperand(0);
  const AffineTile *form = known(source);
  auto range = signedRange(analysis, source);
  bool isUnsigned = isa<arith::ExtUIOp, arith::IndexCastUIOp>(op);
  unsigned width = widthOf(value);
  if (isUnsigned && width > widthOf(source) && (!range || range->first < 0)) {
    reason = "a zero extension of a number that may be negative";
    return std::nullopt;
  }
  if (width < widthOf(source) && (!form->isExact || !range || !fits(range->first, range->second, width))) {
    reason = llvm::formatv("a number that may not fit {0} bits is cut", width).str();
    return std::nullopt;
  }
  return *form;
}

std::optional<AffineTile> AffineTiles::evaluateShape(Operation *op, std::string &reason) {
  Value value = op->getResult(0);
  AffineTile form = zeroOf(value);
  const AffineTile &source = *known(op->getOperand(0));
  form.base = source.base;
  form.uniform = source.uniform;
  form.isExact = source.isExact;
  if (isa<tile::SplatOp>(op))
    return form;
  auto take = [&](unsigned to, unsigned from) {
    form.steps[to] = source.steps[from];
    form.wraps[to] = source.wraps[from];
  };
  auto from = cast<RankedTensorType>(op->getOperand(0).getType()), to = cast<RankedTensorType>(value.getType());
  if (auto permute = dyn_cast<tile::PermuteOp>(op)) {
    for (auto [dim, other] : llvm::enumerate(permute.getOrder()))
      take(dim, other);
    return form;
  }
  if (isa<tile::BroadcastOp>(op)) {
    for (int64_t dim = 0; dim < to.getRank(); ++dim)
      if (from.getDimSize(dim) != 1)
        take(dim, dim);
    return form;
  }
  // A reshape that adds or drops extents of 1.
  int64_t next = 0;
  for (int64_t dim = 0; dim < to.getRank(); ++dim) {
    if (to.getDimSize(dim) == 1)
      continue;
    while (next < from.getRank() && from.getDimSize(next) == 1)
      ++next;
    if (next == from.getRank() || from.getDimSize(next) != to.getDimSize(dim)) {
      reason = "tile.reshape splits or merges dimensions";
      return std::nullopt;
    }
    take(dim, next++);
  }
  return form;
}

std::optional<AffineTile> AffineTiles::evaluateSum(Operation *op, std::string &reason) {
  Value value = op->getResult(0);
  const AffineTile &left = *known(op->getOperand(0)), &right = *known(op->getOperand(1));
  AffineTile form = zeroOf(value);
  form.base = left.base;
  form.isExact = left.isExact && right.isExact;
  if (!isa<tile::PtrAddOp>(op) && !cannotWrap(op)) {
    if (widthOf(value) < 64) {
      reason = llvm::formatv("{0} may wrap in {1} bits", op->getName().getStringRef(), widthOf(value)).str();
      return std::nullopt;
    }
    form.isExact = false;
  }
  auto combine = isa<arith::SubIOp>(op) ? subtract : add;
  std::optional<Polynomial> uniform = combine(left.uniform, right.uniform);
  reason = "its form is too long";
  if (!uniform)
    return std::nullopt;
  form.uniform = *uniform;
  for (unsigned dim = 0; dim < form.steps.size(); ++dim) {
    std::optional<Polynomial> step = combine(left.steps[dim], right.steps[dim]);
    if (!step)
      return std::nullopt;
    form.steps[dim] = *step;
    bool isMixed = (left.wraps[dim] && !right.wraps[dim] && !right.steps[dim].isZero()) ||
                   (right.wraps[dim] && !left.wraps[dim] && !left.steps[dim].isZero()) ||
                   (left.wraps[dim] && right.wraps[dim] && !(*left.wraps[dim] == *right.wraps[dim]));
    if (isMixed) {
      reason = "it mixes an index with its remainder";
      return std::nullopt;
    }
    form.wraps[dim] = left.wraps[dim] ? left.wraps[dim] : right.wraps[dim];
  }
  return form;
}

std::optional<AffineTile> AffineTiles::evaluateProduct(Operation *op, std::string &reason) {
  Value value = op->getResult(0);
  const AffineTile *left = known(op->getOperand(0)), *right = known(op->getOperand(1));
  bool canWrap = !cannotWrap(op);
  if (canWrap && widthOf(value) < 64) {
    reason = llvm::formatv("{0} may wrap in {1} bits", op->getName().getStringRef(), widthOf(value)).str();
    return std::nullopt;
  }
  AffineTile shifted;
  if (isa<arith::ShLIOp>(op)) {
    std::optional<int64_t> bits = right->isUniform() ? right->uniform.asInt64() : std::nullopt;
    if (!bits || *bits < 0 || *bits >= std::min<int64_t>(widthOf(value), 63)) {
      reason = "arith.shli by an unknown number";
      return std::nullopt;
    }
    shifted = *right;
    shifted.uniform = Polynomial::constant(int64_t(1) << *bits);
    right = &shifted;
  }
  if (left->isUniform() && !left->hasWraps())
    std::swap(left, right);
  if (!right->isUniform() || right->hasWraps()) {
    reason = "arith.muli of two indices";
    return std::nullopt;
  }
  AffineTile form = *left;
  form.isExact = left->isExact && right->isExact && !canWrap;
  reason = "its form is too long";
  std::optional<Polynomial> uniform = multiply(left->uniform, right->uniform);
  if (!uniform)
    return std::nullopt;
  form.uniform = *uniform;
  for (Polynomial &step : form.steps) {
    std::optional<Polynomial> scaled = multiply(step, right->uniform);
    if (!scaled)
      return std::nullopt;
    step = *scaled;
  }
  return form;
}

std::optional<AffineTile> AffineTiles::evaluateRemainder(Operation *op, std::string &reason) {
  const AffineTile &index = *known(op->getOperand(0)), &size = *known(op->getOperand(1));
  auto indices = signedRange(analysis, op->getOperand(0)), sizes = signedRange(analysis, op->getOperand(1));
  reason = (op->getName().getStringRef() + " of more than one masked index").str();
  if (!index.isExact || !size.isExact || !size.isUniform() || index.hasWraps() || size.hasWraps())
    return std::nullopt;
  if (!indices || indices->first < 0) {
    reason = (op->getName().getStringRef() + " of an index that may be negative").str();
    return std::nullopt;
  }
  if (isa<arith::RemUIOp>(op) && (!sizes || sizes->first < 0)) {
    reason = "arith.remui by a number that may be negative";
    return std::nullopt;
  }
  if (sizes && indices->second < sizes->first)
    return index;
  if (index.steps.empty())
    return std::nullopt; // a scalar
  AffineTile form = index;
  unsigned count = 0;
  for (auto [dim, step] : llvm::enumerate(index.steps)) {
    if (step.isZero())
      continue;
    if (step != Polynomial::constant(1) || ++count > 1)
      return std::nullopt;
    form.wraps[dim] = IndexWrap{index.uniform, size.uniform};
  }
  if (count == 0)
    return std::nullopt;
  return form;
}

std::optional<AffineTile> AffineTiles::evaluateCarried(BlockArgument argument, std::string &reason) {
  auto loop = cast<scf::ForOp>(argument.getOwner()->getParentOp());
  std::optional<SmallVector<ChainLink>> chain = findChain(argument);
  if (!chain) {
    reason = "a loop carries it and does not only advance it";
    return std::nullopt;
  }
  const AffineTile *first = known(loop.getTiedLoopInit(argument)->get()), *lower = known(loop.getLowerBound());
  if (!first || !lower) {
    reason = first ? "its loop begins at no known number" : whyNot(loop.getTiedLoopInit(argument)->get()).str();
    return std::nullopt;
  }
  APInt step;
  if (loop.getUnsignedCmp() || !matchPattern(loop.getStep(), m_ConstantInt(&step)) || !step.isStrictlyPositive()) {
    reason = "a loop carries it whose step is not a positive constant";
    return std::nullopt;
  }
  Polynomial perTrip;
  for (auto [op, addend, isSubtracted] : *chain) {
    const AffineTile *form = known(addend);
    if (!form || !form->isUniform() || form->base || !form->isExact) {
      reason = "a loop advances it by different numbers";
      return std::nullopt;
    }
    for (const auto &[product, coefficient] : form->uniform.terms)
      for (unsigned number : product)
        if (!loop.isDefinedOutsideOfLoop(symbols[number])) {
          reason = "a loop advances it by a number that changes";
          return std::nullopt;
        }
    if (!isa<tile::PtrAddOp>(op) && !cannotWrap(op)) {
      reason = llvm::formatv("{0} may wrap in {1} bits", op->getName().getStringRef(), widthOf(argument)).str();
      return std::nullopt;
    }
    std::optional<Polynomial> sum = isSubtracted ? subtract(perTrip, form->uniform) : add(perTrip, form->uniform);
    if (!sum)
      return std::nullopt;
    perTrip = *sum;
  }
  AffineTile form = *first;
  std::optional<Polynomial> perUnit = divide(perTrip, step.getSExtValue());
  if (!perUnit) {
    reason =
        llvm::formatv("the step of its loop, {0}, does not divide what it is advanced by", step.getSExtValue()).str();
    return std::nullopt;
  }
  std::optional<Polynomial> distance = subtract(symbolFor(loop.getInductionVar()), lower->uniform);
  std::optional<Polynomial> moved = distance ? multiply(*distance, *perUnit) : std::nullopt;
  std::optional<Polynomial> uniform = moved ? add(form.uniform, *moved) : std::nullopt;
  reason = "its form is too long";
  if (!uniform)
    return std::nullopt;
  form.uniform = *uniform;
  return form;
}
