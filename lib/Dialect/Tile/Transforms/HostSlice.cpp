// SPDX-License-Identifier: Apache-2.0
#include "HostSlice.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tilewright;

/// Most operations of one number; a longer computation is left to the device.
static constexpr size_t kMaxOps = 64;

static bool isEntryArgument(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  return argument && isa<func::FuncOp>(argument.getOwner()->getParentOp()) && argument.getOwner()->isEntryBlock();
}

/// The values that `value` is computed from on a host; nothing if a host cannot compute it.
static std::optional<SmallVector<Value>> sourcesOf(Value value) {
  if (isEntryArgument(value))
    return SmallVector<Value>();
  Operation *op = value.getDefiningOp();
  if (!op || !value.getType().isSignlessIntOrIndex())
    return std::nullopt;
  if (auto query = dyn_cast<tile::ViewSizeOp>(op)) {
    ViewSize size = resolveViewSize(query.getView(), query.getDim());
    if (size.scalar)
      return SmallVector<Value>{size.scalar};
    return size.constant >= 0 || isEntryArgument(size.view) ? std::optional(SmallVector<Value>()) : std::nullopt;
  }
  if (!isa<arith::ArithDialect>(op->getDialect()) && !isa<tile::AssumeOp>(op))
    return std::nullopt;
  auto isInteger = [](Type type) { return type.isSignlessIntOrIndex(); };
  if (!llvm::all_of(op->getOperandTypes(), isInteger) || op->getNumResults() != 1)
    return std::nullopt;
  return SmallVector<Value>(op->getOperands());
}

/// Everything that goes into `value`, sources in front of what uses them; nothing if a host cannot compute it.
static std::optional<SmallVector<Value>> sliceOf(Value value) {
  SmallVector<Value> order;
  llvm::SmallDenseSet<Value> done;
  SmallVector<std::pair<Value, bool>> stack{{value, false}};
  while (!stack.empty()) {
    auto [next, isReady] = stack.pop_back_val();
    if (done.contains(next))
      continue;
    if (isReady) {
      done.insert(next);
      order.push_back(next);
      continue;
    }
    std::optional<SmallVector<Value>> sources = sourcesOf(next);
    if (!sources || order.size() + stack.size() > kMaxOps)
      return std::nullopt;
    stack.push_back({next, true});
    for (Value source : *sources)
      stack.push_back({source, false});
  }
  return order;
}

bool tilewright::isHostNumber(Value value) { return sliceOf(value).has_value(); }

bool tilewright::isHostSize(Value view, unsigned dim) {
  ViewSize size = resolveViewSize(view, dim);
  return size.scalar ? isHostNumber(size.scalar) : size.constant >= 0 || isEntryArgument(size.view);
}

static Value createSize(OpBuilder &builder, Location loc, const ViewSize &size, ValueRange arguments) {
  if (size.constant >= 0)
    return arith::ConstantIndexOp::create(builder, loc, size.constant);
  return tile::ViewSizeOp::create(builder, loc, arguments[cast<BlockArgument>(size.view).getArgNumber()], size.dim);
}

Value tilewright::cloneHostNumber(OpBuilder &builder, Value value, ValueRange arguments) {
  IRMapping map;
  std::optional<SmallVector<Value>> slice = sliceOf(value);
  for (Value next : *slice) {
    if (auto argument = dyn_cast<BlockArgument>(next)) {
      map.map(next, arguments[argument.getArgNumber()]);
      continue;
    }
    Operation *op = next.getDefiningOp();
    if (auto query = dyn_cast<tile::ViewSizeOp>(op)) {
      ViewSize size = resolveViewSize(query.getView(), query.getDim());
      map.map(next, size.scalar ? map.lookup(size.scalar) : createSize(builder, op->getLoc(), size, arguments));
    } else if (isa<tile::AssumeOp>(op)) {
      map.map(next, map.lookup(op->getOperand(0)));
    } else {
      builder.clone(*op, map);
    }
  }
  return map.lookup(value);
}

Value tilewright::cloneHostSize(OpBuilder &builder, Value view, unsigned dim, ValueRange arguments) {
  ViewSize size = resolveViewSize(view, dim);
  return size.scalar ? cloneHostNumber(builder, size.scalar, arguments)
                     : createSize(builder, view.getLoc(), size, arguments);
}

static std::optional<int64_t> constantOf(Value value) {
  APInt number;
  if (matchPattern(value, m_ConstantInt(&number)) && number.isSignedIntN(64))
    return number.getSExtValue();
  return std::nullopt;
}

static bool isMultiple(Value value, int64_t divisor) {
  std::optional<int64_t> constant = constantOf(value);
  return constant && *constant % divisor == 0;
}

/// Adds what `value` leaves to `into`; false where a host cannot compute it.
static bool addResidue(HostResidue &into, Value value, bool isSubtracted, int64_t divisor) {
  SmallVector<HostResidue::Term> left{{value, isSubtracted}};
  for (size_t steps = 0; !left.empty(); ++steps) {
    auto [next, isMinus] = left.pop_back_val();
    if (steps > kMaxOps)
      return false;
    if (isHostNumber(next)) {
      if (!isMultiple(next, divisor))
        into.terms.push_back({next, isMinus});
      continue;
    }
    if (auto argument = dyn_cast<BlockArgument>(next)) {
      auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
      if (!loop || next != loop.getInductionVar() || !isMultiple(loop.getStep(), divisor))
        return false;
      into.isNumber = false;
      left.push_back({loop.getLowerBound(), isMinus});
      continue;
    }
    Operation *op = next.getDefiningOp();
    if (isa<arith::AddIOp, arith::SubIOp>(op)) {
      left.push_back({op->getOperand(0), isMinus});
      left.push_back({op->getOperand(1), isMinus != isa<arith::SubIOp>(op)});
    } else if (isa<arith::MulIOp>(op) &&
               (isMultiple(op->getOperand(0), divisor) || isMultiple(op->getOperand(1), divisor))) {
      into.isNumber = false;
    } else if (isa<tile::AssumeOp>(op)) {
      left.push_back({op->getOperand(0), isMinus});
    } else {
      return false;
    }
  }
  return true;
}

std::optional<SmallVector<HostResidue>> tilewright::residuesOfWalk(Value begin, Value end, int64_t divisor) {
  SmallVector<HostResidue> residues;
  SmallVector<Value> numbers{end};
  for (size_t i = 0; i < numbers.size(); ++i) {
    if (numbers.size() > kMaxOps)
      return std::nullopt;
    auto minimum = numbers[i].getDefiningOp<arith::MinSIOp>();
    if (minimum && !isHostNumber(numbers[i])) {
      numbers.push_back(minimum.getLhs());
      numbers.push_back(minimum.getRhs());
      continue;
    }
    HostResidue &residue = residues.emplace_back();
    if (!addResidue(residue, numbers[i], /*isSubtracted=*/false, divisor) ||
        (begin && !addResidue(residue, begin, /*isSubtracted=*/true, divisor)))
      return std::nullopt;
  }
  return residues;
}
