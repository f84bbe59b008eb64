// SPDX-License-Identifier: Apache-2.0
#include "ThreadProgram.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::simt;
using namespace tilewright::tile_gpu;

/// Whether each op of a combiner can be applied to whole vectors.
static bool isElementwise(Block &body) {
  for (Operation &op : body.without_terminator())
    if (op.getNumRegions() != 0 || !isa<arith::ArithDialect, math::MathDialect>(op.getDialect()))
      return false;
  return true;
}

/// Applies a combiner element by element: its control flow may differ from one to the next.
SmallVector<Value> ThreadProgram::combineEach(Block &body, ArrayRef<Value> accs, ArrayRef<Value> elems, int64_t count) {
  Location loc = body.getParentOp()->getLoc();
  SmallVector<SmallVector<Value>> columns(accs.size());
  for (int64_t i = 0; i < count; ++i) {
    IRMapping mapping;
    for (auto [number, argument] : llvm::enumerate(body.getArguments()))
      mapping.map(argument, slice(loc, number < accs.size() ? accs[number] : elems[number - accs.size()], i, 1));
    // What the combiner takes from outside, also within its regions.
    body.walk([&](Operation *op) {
      for (Value operand : op->getOperands())
        if (!mapping.contains(operand) && !body.getParent()->isAncestor(operand.getParentRegion()))
          mapping.map(operand, get(operand));
    });
    for (Operation &op : body.without_terminator())
      builder.clone(op, mapping);
    for (auto [column, value] : llvm::zip(columns, body.getTerminator()->getOperands()))
      column.push_back(mapping.lookupOrDefault(value));
  }
  SmallVector<Value> results;
  for (ArrayRef<Value> column : columns)
    results.push_back(concat(loc, column));
  return results;
}

/// Applies a combiner to whole vectors of `count` elements: each of its ops treats elements alike.
SmallVector<Value> ThreadProgram::combine(Block &body, ArrayRef<Value> accs, ArrayRef<Value> elems, int64_t count) {
  if (!isElementwise(body))
    return combineEach(body, accs, elems, count);
  IRMapping mapping;
  for (auto [i, argument] : llvm::enumerate(body.getArguments()))
    mapping.map(argument, i < accs.size() ? accs[i] : elems[i - accs.size()]);
  auto lookup = [&](Value value) -> Value {
    if (Value mapped = mapping.lookupOrNull(value))
      return mapped;
    Value wide = splat(value.getLoc(), get(value), count); // Defined outside of the combiner.
    mapping.map(value, wide);
    return wide;
  };
  for (Operation &op : body.without_terminator()) {
    OperationState state(op.getLoc(), op.getName());
    state.attributes.append(op.getDiscardableAttrs().begin(), op.getDiscardableAttrs().end());
    if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
      auto type = VectorType::get({count}, constant.getType());
      Value wide = arith::ConstantOp::create(builder, op.getLoc(),
                                             DenseElementsAttr::get(type, Attribute(constant.getValue())));
      mapping.map(constant.getResult(), wide);
      continue;
    }
    if (op.getPropertiesStorageSize())
      state.propertiesAttr = op.getPropertiesAsAttribute();
    for (Value operand : op.getOperands())
      state.operands.push_back(lookup(operand));
    for (Type type : op.getResultTypes())
      state.types.push_back(VectorType::get({count}, type));
    Operation *copy = builder.create(state);
    mapping.map(op.getResults(), copy->getResults());
  }
  SmallVector<Value> results;
  for (Value value : body.getTerminator()->getOperands())
    results.push_back(lookup(value));
  return results;
}

/// Moves a vector between lanes, whatever its element type, as 32-bit words.
Value ThreadProgram::shuffleBits(Location loc, ShuffleMode mode, Value vector, Value source) {
  auto type = cast<VectorType>(vector.getType());
  int64_t count = type.getNumElements();
  Type element = type.getElementType(), i32Type = builder.getI32Type();
  auto shuffle = [&](Value words) -> Value {
    return ShuffleOp::create(builder, loc, words.getType(), mode, words, source);
  };
  if (element.isIndex()) {
    auto wide = VectorType::get({count}, builder.getI64Type());
    Value bits = arith::IndexCastOp::create(builder, loc, wide, vector);
    return arith::IndexCastOp::create(builder, loc, type, shuffleBits(loc, mode, bits, source));
  }
  unsigned width = element.getIntOrFloatBitWidth();
  auto ints = VectorType::get({count}, builder.getIntegerType(width));
  Value bits = isa<FloatType>(element) ? arith::BitcastOp::create(builder, loc, ints, vector).getResult() : vector;
  if (width == 32) {
    bits = shuffle(bits);
  } else if (width == 64) {
    auto words = VectorType::get({2 * count}, i32Type);
    bits = vector::BitCastOp::create(builder, loc, words, bits);
    bits = vector::BitCastOp::create(builder, loc, ints, shuffle(bits));
  } else if (width < 32 && (width * count) % 32 == 0 && 32 % width == 0 && width > 1) {
    auto words = VectorType::get({width * count / 32}, i32Type);
    bits = vector::BitCastOp::create(builder, loc, words, bits);
    bits = vector::BitCastOp::create(builder, loc, ints, shuffle(bits));
  } else {
    auto words = VectorType::get({count}, i32Type);
    bits = shuffle(arith::ExtUIOp::create(builder, loc, words, bits));
    bits = arith::TruncIOp::create(builder, loc, ints, bits);
  }
  return isa<FloatType>(element) ? arith::BitcastOp::create(builder, loc, type, bits).getResult() : bits;
}

/// Whether swapping the two sides gives the same bits: one commutative op on (accumulator, element).
static bool isBitwiseCommutative(Block &body) {
  if (body.getNumArguments() != 2 || !llvm::hasSingleElement(body.without_terminator()))
    return false;
  Operation &op = body.front();
  return op.hasTrait<OpTrait::IsCommutative>() && op.getNumOperands() == 2 && op.getNumResults() == 1 &&
         op.getOperand(0) != op.getOperand(1) && llvm::is_contained(body.getArguments(), op.getOperand(0)) &&
         llvm::is_contained(body.getArguments(), op.getOperand(1)) &&
         body.getTerminator()->getOperand(0) == op.getResult(0);
}

LogicalResult ThreadProgram::checkCombiner(Operation *op) {
  Operation *other = nullptr;
  op->getRegion(0).walk([&](Operation *inner) {
    if (!isa<arith::ArithDialect, math::MathDialect, scf::SCFDialect, ub::UBDialect>(inner->getDialect()) &&
        !isa<YieldOp>(inner))
      other = other ? other : inner;
  });
  if (!other)
    return success();
  return other->emitOpError("is not lowered in a combiner yet, only arith, math and scf ops are");
}

LogicalResult ThreadProgram::emitPartialReduce(PartialReduceOp op) {
  Location loc = op.getLoc();
  unsigned dim = op.getDim();
  auto sourceType = cast<RankedTensorType>(op.getSources()[0].getType());
  auto resultType = cast<RankedTensorType>(op.getResults()[0].getType());
  const LayoutPlace &from = place(sourceType), &to = place(resultType);
  Block &body = op.getBody().front();
  if (failed(checkCombiner(op)))
    return failure();
  for (Value source : op.getSources())
    if (getElementBytes(getElementTypeOrSelf(source.getType())) == 0)
      return op.emitOpError("is not lowered for elements of ") << source.getType() << " yet";

  // Bits that move along `dim` must move along nothing else, or a lane's partners would differ in other coordinates.
  auto separable = [&](const layout::Bases &bases) {
    return llvm::all_of(bases, [&](const layout::Coord &basis) {
      return basis[dim] == 0 || llvm::count_if(basis, [](int64_t x) { return x != 0; }) == 1;
    });
  };
  const layout::DistributedLayout &layout = from.layout;
  if (!separable(layout.registerBases()) || !separable(layout.laneBases()) || !separable(layout.warpBases()))
    return op.emitOpError("expects a layout whose bits along dim ") << dim << " do not touch other dims";

  // Registers that end in one result, in ascending order along `dim`.
  std::map<layout::Coord, std::vector<int64_t>> groups;
  for (int64_t reg = 0; reg < from.registers(); ++reg) {
    layout::Coord key = from.registerOffset[reg];
    key[dim] = 0;
    groups[key].push_back(reg);
  }
  size_t depth = groups.begin()->second.size();
  int64_t count = to.registers();
  std::vector<std::vector<int64_t>> members;
  for (int64_t reg = 0; reg < count; ++reg) {
    layout::Coord key = to.registerOffset[reg];
    key[dim] = 0;
    auto found = groups.find(key);
    if (found == groups.end() || found->second.size() != depth)
      return op.emitOpError("expects the result's registers to be those of the source without dim ") << dim;
    llvm::stable_sort(found->second, [&](int64_t a, int64_t b) {
      return from.registerOffset[a][dim] < from.registerOffset[b][dim];
    });
    members.push_back(found->second);
  }

  // One vector per step along `dim`; where the layout is ragged there, also which of its elements exist.
  struct Step {
    SmallVector<Value> values;
    Value exists; ///< vector of i1; null: all.
  };
  std::vector<Step> steps(depth);
  bool ragged = layout.isRagged(dim);
  for (size_t step = 0; step < depth; ++step) {
    SmallVector<int64_t> lanes;
    for (int64_t reg = 0; reg < count; ++reg)
      lanes.push_back(members[reg][step]);
    for (Value source : op.getSources())
      steps[step].values.push_back(pick(loc, get(source), lanes));
    if (!ragged)
      continue;
    SmallVector<Value> flags;
    for (int64_t reg : lanes) {
      Value coord = coordinate(loc, from, dim, from.registerOffset[reg][dim]);
      flags.push_back(arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, coord,
                                            i32(loc, layout.shape()[dim])));
    }
    steps[step].exists = concat(loc, flags);
    if (ArrayAttr identity = op.getIdentityAttr()) {
      for (auto [value, neutral] : llvm::zip(steps[step].values, identity)) {
        auto type = cast<VectorType>(value.getType());
        Value other = arith::ConstantOp::create(builder, loc, DenseElementsAttr::get(type, Attribute(neutral)));
        value = arith::SelectOp::create(builder, loc, steps[step].exists, value, other);
      }
      steps[step].exists = {};
    }
  }

  auto join = [&](const Step &a, const Step &b) {
    Step result;
    result.values = combine(body, a.values, b.values, count);
    if (!a.exists)
      return result;
    // Without an identity none may be invented: the one that exists stands for both.
    for (size_t i = 0; i < result.values.size(); ++i) {
      Value one = arith::SelectOp::create(builder, loc, b.exists, result.values[i], a.values[i]);
      result.values[i] = arith::SelectOp::create(builder, loc, a.exists, one, b.values[i]);
    }
    result.exists = arith::OrIOp::create(builder, loc, a.exists, b.exists);
    return result;
  };
  while (steps.size() > 1) { // Pairwise, so that neighbours do not wait for each other.
    std::vector<Step> next;
    for (size_t i = 0; i + 1 < steps.size(); i += 2)
      next.push_back(join(steps[i], steps[i + 1]));
    if (steps.size() % 2)
      next.push_back(steps.back());
    steps = std::move(next);
  }
  Step total = steps[0];
  for (auto [bit, basis] : llvm::enumerate(layout.laneBases())) {
    if (basis[dim] == 0)
      continue;
    Step other;
    for (Value value : total.values)
      other.values.push_back(shuffleBits(loc, ShuffleMode::bfly, value, i32(loc, int64_t(1) << bit)));
    if (total.exists)
      other.exists = shuffleBits(loc, ShuffleMode::bfly, total.exists, i32(loc, int64_t(1) << bit));
    if (!total.exists && isBitwiseCommutative(body)) {
      total = join(total, other);
      continue;
    }
    // All lanes must agree bit for bit, so the lane with the lower number is always on the left.
    Value own = arith::AndIOp::create(builder, loc, lane, i32(loc, int64_t(1) << bit));
    Value isLow = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, own, i32(loc, 0));
    Step low, high;
    for (auto [mine, theirs] : llvm::zip(total.values, other.values)) {
      low.values.push_back(arith::SelectOp::create(builder, loc, isLow, mine, theirs));
      high.values.push_back(arith::SelectOp::create(builder, loc, isLow, theirs, mine));
    }
    if (total.exists) {
      low.exists = arith::SelectOp::create(builder, loc, isLow, total.exists, other.exists);
      high.exists = arith::SelectOp::create(builder, loc, isLow, other.exists, total.exists);
    }
    total = join(low, high);
  }
  for (auto [result, value] : llvm::zip(op.getResults(), total.values))
    set(result, value);
  return success();
}
