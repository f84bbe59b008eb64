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
    if (findRule(op))
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
  if (isCarried(value)) {
    entry.form = evaluateCarried(cast<BlockArgument>(value), entry.reason);
  } else if (Operation *op = value.getDefiningOp()) {
    entry.form = evaluateOp(op, entry.reason);
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

SmallVector<StringRef> AffineTiles::opsWithRules() {
  return llvm::map_to_vector(rules(), [](const auto &row) { return row.first; });
}

AffineTiles::Rule AffineTiles::findRule(Operation *op) {
  StringRef name = op->getName().getStringRef();
  const auto *row = llvm::find_if(rules(), [&](const auto &row) { return row.first == name; });
  return row == rules().end() ? nullptr : row->second;
}

std::optional<AffineTile> AffineTiles::evaluateOp(Operation *op, std::string &reason) {
  Rule rule = findRule(op);
  if (!rule) {
    reason = (op->getName().getStringRef() + " gives it").str();
    return std::nullopt;
  }
  for (Value operand : operandsOf(op->getResult(0)))
    if (!known(operand)) {
      reason = whyNot(operand).str();
      if (reason.empty())
        reason = "it depends on itself";
      return std::nullopt;
    }
  return (this->*rule)(op, reason);
}
