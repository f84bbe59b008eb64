// SPDX-License-Identifier: Apache-2.0
#include "DotStack.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
using namespace tilewright;

static RankedTensorType tileType(Value value) { return cast<RankedTensorType>(value.getType()); }

int64_t tilewright::bytesOfTile(RankedTensorType type) {
  return llvm::divideCeil(type.getNumElements() * type.getElementTypeBitWidth(), 8);
}

DenseElementsAttr tilewright::findSplat(ValueRange parts) {
  DenseElementsAttr splat;
  for (Value part : parts) {
    DenseElementsAttr value;
    if (!matchPattern(part, m_Constant(&value)) || !value.isSplat())
      return {};
    if (splat && splat.getSplatValue<Attribute>() != value.getSplatValue<Attribute>())
      return {};
    splat = value;
  }
  return splat;
}

Operation *tilewright::stripElementwise(SmallVectorImpl<Value> &values) {
  Operation *first = values[0].getDefiningOp();
  if (!first || !OpTrait::hasElementwiseMappableTraits(first) || first->getNumOperands() != 1 ||
      first->getNumResults() != 1 || !isMemoryEffectFree(first))
    return nullptr;
  auto isAlike = [&](Value value) {
    Operation *op = value.getDefiningOp();
    return op && op->getName() == first->getName() && op->getOperandTypes() == first->getOperandTypes() &&
           op->getResultTypes() == first->getResultTypes() && op->getAttrDictionary() == first->getAttrDictionary();
  };
  if (!isa<RankedTensorType>(first->getOperand(0).getType()) || !llvm::all_of(values, isAlike))
    return nullptr;
  for (Value &value : values)
    value = value.getDefiningOp()->getOperand(0);
  return first;
}

//===----------------------------------------------------------------------===//
// Where products can be computed together
//===----------------------------------------------------------------------===//

namespace {
/// The last op of the block that gives an operand, null for none, and the ops in front of it that need a sum.
struct Place {
  Operation *behind = nullptr;
  SmallVector<Operation *> moved;
  Operation *pinned = nullptr;
};
} // namespace

static Place findPlace(ArrayRef<tile::DotOp> dots) {
  Place place;
  Block *block = dots[0]->getBlock();
  for (tile::DotOp dot : dots)
    for (Value operand : dot->getOperands())
      if (Operation *op = operand.getDefiningOp(); op && op->getBlock() == block)
        if (!place.behind || place.behind->isBeforeInBlock(op))
          place.behind = op;
  if (!place.behind)
    return place;
  llvm::SmallPtrSet<Operation *, 16> members(dots.begin(), dots.end()), later(dots.begin(), dots.end());
  for (Operation *op = dots[0]; op && !place.behind->isBeforeInBlock(op); op = op->getNextNode()) {
    if (members.contains(op))
      continue;
    bool needsSum = false;
    op->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        needsSum |= operand.getDefiningOp() && later.contains(operand.getDefiningOp());
    });
    if (!needsSum)
      continue;
    if (!place.pinned && (op == place.behind || !isMemoryEffectFree(op)))
      place.pinned = op;
    later.insert(op);
    place.moved.push_back(op);
  }
  return place;
}

Operation *tilewright::findPinned(ArrayRef<tile::DotOp> dots) { return findPlace(dots).pinned; }

//===----------------------------------------------------------------------===//
// The rewrite
//===----------------------------------------------------------------------===//

/// `type` behind a first dimension of 1, unless it has three dimensions already.
static RankedTensorType matrixType(RankedTensorType type) {
  if (type.getRank() == 3)
    return type;
  SmallVector<int64_t> shape{1};
  llvm::append_range(shape, type.getShape());
  return RankedTensorType::get(shape, type.getElementType());
}

/// The part with three dimensions.
static Value asMatrix(OpBuilder &builder, Location loc, Value part) {
  RankedTensorType type = matrixType(tileType(part));
  if (type == part.getType())
    return part;
  if (auto reshape = part.getDefiningOp<tile::ReshapeOp>(); reshape && reshape.getSource().getType() == type)
    return reshape.getSource();
  return tile::ReshapeOp::create(builder, loc, type, part);
}

/// The tile that `parts` were cut out of, if they are all of it in their order.
static Value findStack(ValueRange parts, RankedTensorType stacked) {
  Value source;
  for (auto [place, part] : llvm::enumerate(parts)) {
    auto reshape = part.getDefiningOp<tile::ReshapeOp>();
    auto extract = (reshape ? reshape.getSource() : part).getDefiningOp<tile::ExtractOp>();
    if (!extract || extract.getType() != matrixType(tileType(part)) || extract.getSource().getType() != stacked ||
        (source && extract.getSource() != source))
      return {};
    for (auto [dim, index] : llvm::enumerate(extract.getIndices()))
      if (getConstantIntValue(index) != (dim == 0 ? int64_t(place) : 0))
        return {};
    source = extract.getSource();
  }
  return source;
}

static RankedTensorType stackedType(ValueRange parts) {
  RankedTensorType matrix = matrixType(tileType(parts[0]));
  SmallVector<int64_t> shape(matrix.getShape());
  shape[0] *= parts.size();
  return RankedTensorType::get(shape, matrix.getElementType());
}

static Value stack(OpBuilder &builder, Location loc, ValueRange parts) {
  RankedTensorType type = stackedType(parts);
  if (DenseElementsAttr splat = findSplat(parts))
    return arith::ConstantOp::create(builder, loc, splat.resizeSplat(type));
  // What was made of each matrix of a stack is made of the stack.
  SmallVector<Value> inner(parts);
  SmallVector<Operation *> ops;
  do {
    if (Value whole = findStack(inner, stackedType(inner))) {
      for (Operation *op : llvm::reverse(ops)) {
        Operation *copy = builder.clone(*op);
        copy->setOperand(0, whole);
        whole = copy->getResult(0);
        whole.setType(tileType(whole).clone(type.getShape()));
      }
      return whole;
    }
    ops.push_back(stripElementwise(inner));
  } while (ops.back());
  SmallVector<Value> matrices;
  for (Value part : parts)
    matrices.push_back(asMatrix(builder, loc, part));
  return tile::ConcatOp::create(builder, loc, type, matrices, 0);
}

void tilewright::stackDots(ArrayRef<tile::DotOp> dots) {
  Place place = findPlace(dots);
  if (place.pinned)
    return;
  SmallVector<Operation *> members(dots.begin(), dots.end());
  Location loc = members.back()->getLoc();
  Block *block = members[0]->getBlock();
  OpBuilder builder(members[0]->getContext());
  if (place.behind)
    builder.setInsertionPointAfter(place.behind);
  else
    builder.setInsertionPointToStart(block);
  SmallVector<Value> operands;
  for (unsigned operand = 0; operand < 3; ++operand) {
    SmallVector<Value> parts;
    for (Operation *member : members)
      parts.push_back(member->getOperand(operand));
    operands.push_back(stack(builder, loc, parts));
  }
  Operation *stacked = builder.clone(*members.back());
  stacked->setOperands(operands);
  stacked->getResult(0).setType(operands[2].getType());
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Operation *last = stacked;
  SmallVector<Operation *> perhapsDead;
  for (auto [number, member] : llvm::enumerate(members)) {
    tile::DotOp dot = cast<tile::DotOp>(member);
    Value index = arith::ConstantIndexOp::create(builder, loc, number);
    RankedTensorType type = tileType(dot.getResult());
    Value sum = tile::ExtractOp::create(builder, dot.getLoc(), matrixType(type), stacked->getResult(0),
                                        ValueRange{index, zero, zero});
    if (sum.getType() != type)
      sum = tile::ReshapeOp::create(builder, dot.getLoc(), type, sum);
    last = sum.getDefiningOp();
    dot.getResult().replaceAllUsesWith(sum);
    for (Value operand : dot->getOperands())
      if (Operation *op = operand.getDefiningOp())
        perhapsDead.push_back(op);
  }
  for (Operation *op : place.moved) {
    op->moveAfter(last);
    last = op;
  }
  for (Operation *member : members)
    member->erase();
  // What was cut out for one product alone would be moved for nothing.
  llvm::SmallPtrSet<Operation *, 16> erased;
  while (!perhapsDead.empty()) {
    Operation *op = perhapsDead.pop_back_val();
    if (erased.contains(op) || !isOpTriviallyDead(op))
      continue;
    for (Value operand : op->getOperands())
      if (Operation *source = operand.getDefiningOp())
        perhapsDead.push_back(source);
    erased.insert(op);
    op->erase();
  }
}
