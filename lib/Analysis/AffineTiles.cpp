// SPDX-License-Identifier: Apache-2.0
#include "tilewright/Analysis/AffineTiles.h"
#include "CarriedChain.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace tilewright;

static bool isPointer(Value value) { return isa<tile::PtrType>(getElementTypeOrSelf(value.getType())); }
static bool isNumber(Value value) { return getElementTypeOrSelf(value.getType()).isIntOrIndex(); }
static unsigned rankOf(Value value) {
  auto tile = dyn_cast<RankedTensorType>(value.getType());
  return tile ? tile.getRank() : 0;
}
static unsigned widthOf(Value value) {
  Type type = getElementTypeOrSelf(value.getType());
  return type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
}
static AffineTile zeroOf(Value value) {
  AffineTile form;
  form.steps.resize(rankOf(value));
  form.wraps.resize(rankOf(value));
  return form;
}

const AffineTile *AffineTiles::known(Value value) const {
  auto it = entries.find(value);
  return it != entries.end() && it->second->form ? &*it->second->form : nullptr;
}

StringRef AffineTiles::whyNot(Value value) const {
  auto it = entries.find(value);
  return it == entries.end() ? StringRef() : StringRef(it->second->reason);
}

Polynomial AffineTiles::symbolFor(Value scalar) {
  auto [it, isNew] = numbers.try_emplace(scalar, symbols.size());
  if (isNew)
    symbols.push_back(scalar);
  return Polynomial::symbol(it->second);
}

ArrayRef<Value> AffineTiles::findScalars(const Polynomial &value) const {
  auto it = scalars.find(value);
  return it == scalars.end() ? ArrayRef<Value>() : ArrayRef<Value>(it->second);
}

bool AffineTiles::isNonNegative(const Polynomial &value) const {
  for (const auto &[product, coefficient] : value.terms) {
    if (coefficient < 0)
      return false;
    for (unsigned number : product) {
      std::optional<ConstantIntRanges> range = analysis.getRange(symbols[number]);
      if (!range || range->smin().isNegative())
        return false;
    }
  }
  return true;
}

bool AffineTiles::fits64Bits(const Polynomial &value) const {
  if (!findScalars(value).empty())
    return true;
  // 128 bits hold the product of two numbers of 64 bits.
  auto isSmall = [](Wide min, Wide max) { return min >= INT64_MIN && max <= INT64_MAX; };
  Wide min = 0, max = 0;
  for (const auto &[product, coefficient] : value.terms) {
    Wide termMin = coefficient, termMax = coefficient;
    if (!isSmall(termMin, termMax))
      return false;
    for (unsigned number : product) {
      std::optional<ConstantIntRanges> range = analysis.getRange(symbols[number]);
      if (!range)
        return false;
      Wide low = range->smin().getSExtValue(), high = range->smax().getSExtValue();
      Wide corners[] = {termMin * low, termMin * high, termMax * low, termMax * high};
      termMin = *std::min_element(corners, corners + 4);
      termMax = *std::max_element(corners, corners + 4);
      if (!isSmall(termMin, termMax))
        return false;
    }
    min += termMin;
    max += termMax;
    if (!isSmall(min, max))
      return false;
  }
  return true;
}

const AffineTile *AffineTiles::get(Value root) {
  // Operands first, without recursion. What is asked for while it is being computed depends on itself.
  SmallVector<Value> stack{root};
  llvm::DenseSet<Value> isOpen;
  while (!stack.empty()) {
    Value value = stack.back();
    if (entries.count(value)) {
      stack.pop_back();
      continue;
    }
    bool isReady = true;
    if (isOpen.insert(value).second)
      for (Value operand : operandsOf(value))
        if (!entries.count(operand) && !isOpen.contains(operand)) {
          stack.push_back(operand);
          isReady = false;
        }
    if (!isReady)
      continue;
    auto entry = std::make_unique<Entry>(evaluate(value));
    entries[value] = std::move(entry);
    stack.pop_back();
  }
  return known(root);
}

SmallVector<Value> AffineTiles::operandsOf(Value value) const {
  SmallVector<Value> operands;
  if (Operation *op = value.getDefiningOp()) {
    if (isa<tile::SplatOp, tile::BroadcastOp, tile::ReshapeOp, tile::PermuteOp, tile::PtrAddOp, arith::AddIOp,
            arith::SubIOp, arith::MulIOp, arith::ShLIOp, arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp,
            arith::IndexCastOp, arith::IndexCastUIOp, arith::RemSIOp, arith::RemUIOp>(op))
      llvm::append_range(operands, op->getOperands());
  } else if (isCarried(value)) {
    auto argument = cast<BlockArgument>(value);
    auto loop = cast<scf::ForOp>(argument.getOwner()->getParentOp());
    if (std::optional<SmallVector<ChainLink>> chain = findChain(argument)) {
      operands = {loop.getTiedLoopInit(argument)->get(), loop.getLowerBound()};
      for (const ChainLink &link : *chain)
        operands.push_back(link.addend);
    }
  }
  llvm::erase_if(operands, [](Value operand) { return !isNumber(operand) && !isPointer(operand); });
  return operands;
}

AffineTiles::Entry AffineTiles::evaluate(Value value) {
  Entry entry;
  if (!isNumber(value) && !isPointer(value)) {
    entry.reason = "it is no integer and no pointer";
    return entry;
  }
  APInt constant;
  if (isNumber(value) && matchPattern(value, m_ConstantInt(&constant))) {
    entry.form = zeroOf(value);
    entry.form->uniform = Polynomial::constant(constant.getSExtValue());
  } else if (isCarried(value)) {
    entry.form = evaluateCarried(cast<BlockArgument>(value), entry.reason);
  } else if (Operation *op = value.getDefiningOp()) {
    entry.form = evaluateOp(op, value, entry.reason);
  } else {
    entry.reason = "an argument holds it";
  }
  auto hasInt64Coefficients = [](const Polynomial &part) { return part.hasInt64Coefficients(); };
  if (entry.form &&
      !(hasInt64Coefficients(entry.form->uniform) && llvm::all_of(entry.form->steps, hasInt64Coefficients))) {
    entry.form = std::nullopt;
    entry.reason = "a factor in its form has more than 64 bits";
  }
  if (rankOf(value) == 0) {
    if (!entry.form || (isNumber(value) && !entry.form->isExact)) {
      entry.form = AffineTile();
      if (isPointer(value))
        entry.form->base = value;
      else
        entry.form->uniform = symbolFor(value);
    }
    if (isNumber(value))
      scalars[entry.form->uniform].push_back(value);
  }
  return entry;
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

std::optional<AffineTile> AffineTiles::evaluateOp(Operation *op, Value value, std::string &reason) {
  for (Value operand : operandsOf(value))
    if (!known(operand)) {
      reason = whyNot(operand).str();
      if (reason.empty())
        reason = "it depends on itself";
      return std::nullopt;
    }
  if (isa<tile::IotaOp, tile::SplatOp, tile::BroadcastOp, tile::ReshapeOp, tile::PermuteOp>(op))
    return evaluateShape(op, reason);
  if (isa<arith::AddIOp, tile::PtrAddOp>(op))
    return evaluateSum(op, /*isDifference=*/false, reason);
  if (isa<arith::SubIOp>(op))
    return evaluateSum(op, /*isDifference=*/true, reason);
  if (isa<arith::MulIOp, arith::ShLIOp>(op))
    return evaluateProduct(op, reason);
  if (isa<arith::RemSIOp, arith::RemUIOp>(op))
    return evaluateRemainder(op, reason);
  if (isa<arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp, arith::IndexCastOp, arith::IndexCastUIOp>(op)) {
    Value source = op->getOperand(0);
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
  reason = (op->getName().getStringRef() + " gives it").str();
  return std::nullopt;
}

std::optional<AffineTile> AffineTiles::evaluateShape(Operation *op, std::string &reason) {
  Value value = op->getResult(0);
  AffineTile form = zeroOf(value);
  if (auto iota = dyn_cast<tile::IotaOp>(op)) {
    int64_t start = iota.getStart().value_or(0);
    int64_t extent = iota.getResult().getType().getNumElements();
    if (!fits(start, static_cast<Wide>(start) + extent - 1, widthOf(value))) {
      reason = llvm::formatv("tile.iota leaves {0} signed bits", widthOf(value)).str();
      return std::nullopt;
    }
    form.uniform = Polynomial::constant(start);
    form.steps[0] = Polynomial::constant(1);
    return form;
  }
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

std::optional<AffineTile> AffineTiles::evaluateSum(Operation *op, bool isDifference, std::string &reason) {
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
  auto combine = isDifference ? subtract : add;
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
