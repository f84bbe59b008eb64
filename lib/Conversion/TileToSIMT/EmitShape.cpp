// SPDX-License-Identifier: Apache-2.0
#include "ThreadProgram.h"

#include "tilewright/Layout/Conversion.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::simt;
using namespace tilewright::tile_gpu;

/// Most elements of a constant that is not one value throughout: each costs a comparison and a select per register.
static constexpr int64_t kMaxListedElements = 256;

LogicalResult ThreadProgram::emitConstant(arith::ConstantOp op) {
  Location loc = op.getLoc();
  auto tile = dyn_cast<RankedTensorType>(op.getType());
  if (!tile) {
    if (op.getType().isTF32()) {
      APFloat value = cast<FloatAttr>(op.getValue()).getValue();
      set(op.getResult(),
          arith::ConstantOp::create(builder, loc, builder.getF32FloatAttr(static_cast<float>(value.convertToDouble()))));
      return success();
    }
    set(op.getResult(), arith::ConstantOp::create(builder, loc, op.getValue()));
    return success();
  }
  auto dense = dyn_cast<DenseElementsAttr>(op.getValue());
  if (!dense)
    return op.emitOpError("expects a dense constant, found ") << op.getValue();
  const LayoutPlace &where = place(tile);
  VectorType type = vectorType(tile);
  auto element = [&](Attribute value) -> TypedAttr {
    if (auto number = dyn_cast<FloatAttr>(value); number && number.getType().isTF32())
      return builder.getF32FloatAttr(static_cast<float>(number.getValueAsDouble()));
    return cast<TypedAttr>(value);
  };
  if (dense.isSplat()) {
    auto value = DenseElementsAttr::get(type, Attribute(element(dense.getSplatValue<Attribute>())));
    set(op.getResult(), arith::ConstantOp::create(builder, loc, value));
    return success();
  }
  if (dense.getNumElements() > kMaxListedElements)
    return op.emitOpError("expects at most ")
           << kMaxListedElements << " elements in a constant that is not one value throughout, found "
           << dense.getNumElements();
  // Row-major number of each register's element, then one select per listed element.
  SmallVector<Value> numbers;
  for (const layout::Coord &offset : where.registerOffset) {
    Value number;
    for (unsigned dim = 0; dim < offset.size(); ++dim) {
      Value coord = coordinate(loc, where, dim, offset[dim]);
      number = number ? arith::MulIOp::create(builder, loc, number, i32(loc, tile.getDimSize(dim))).getResult() : number;
      number = number ? arith::AddIOp::create(builder, loc, number, coord).getResult() : coord;
    }
    numbers.push_back(number);
  }
  Value number = concat(loc, numbers);
  Value result;
  for (auto [i, attr] : llvm::enumerate(dense.getValues<Attribute>())) {
    Value value = arith::ConstantOp::create(builder, loc, DenseElementsAttr::get(type, Attribute(element(attr))));
    if (!result) {
      result = value;
      continue;
    }
    Value hit = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, number,
                                      splat(loc, i32(loc, i), where.registers()));
    result = arith::SelectOp::create(builder, loc, hit, value, result);
  }
  set(op.getResult(), result);
  return success();
}

LogicalResult ThreadProgram::emitIota(tile::IotaOp op) {
  Location loc = op.getLoc();
  auto tile = cast<RankedTensorType>(op.getResult().getType());
  const LayoutPlace &where = place(tile);
  auto element = cast<IntegerType>(tile.getElementType());
  // In i32, and then to the element's width: the verifier has made sure that the last value fits.
  SmallVector<int32_t> offsets;
  SmallVector<Value> coords;
  for (const layout::Coord &offset : where.registerOffset) {
    offsets.push_back(offset[0]);
    if (!where.layout.registersAddTo(0))
      coords.push_back(coordinate(loc, where, 0, offset[0]));
  }
  auto type = VectorType::get({where.registers()}, builder.getI32Type());
  Value coord;
  if (coords.empty()) { // One addition of vectors instead of one per register.
    Value constant = arith::ConstantOp::create(builder, loc, DenseElementsAttr::get(type, ArrayRef<int32_t>(offsets)));
    coord = arith::AddIOp::create(builder, loc, splat(loc, where.threadCoord[0], where.registers()), constant);
  } else {
    coord = concat(loc, coords);
  }
  auto result = VectorType::get({where.registers()}, element);
  if (element.getWidth() > 32)
    coord = arith::ExtUIOp::create(builder, loc, result, coord);
  else if (element.getWidth() < 32)
    coord = arith::TruncIOp::create(builder, loc, result, coord);
  if (auto start = op.getStart(); start && *start != 0) {
    auto first = DenseElementsAttr::get(
        result, Attribute(builder.getIntegerAttr(element, APInt(element.getWidth(), *start, /*isSigned=*/true,
                                                                /*implicitTrunc=*/true))));
    coord = arith::AddIOp::create(builder, loc, coord, arith::ConstantOp::create(builder, loc, first));
  }
  set(op.getResult(), coord);
  return success();
}

LogicalResult ThreadProgram::emitBroadcast(tile::BroadcastOp op) {
  auto source = cast<RankedTensorType>(op.getSource().getType());
  auto result = cast<RankedTensorType>(op.getResult().getType());
  layout::RegisterMap registers;
  auto restricted = place(result).layout.restrictTo(source.getShape().vec(), &registers);
  if (!restricted || LayoutAttr::get(op.getContext(), *restricted) != source.getEncoding())
    return op.emitOpError("expects the source in the layout of the result restricted to its shape, found ") << source;
  set(op.getResult(), pick(op.getLoc(), get(op.getSource()), registers.oldToNew));
  return success();
}

LogicalResult ThreadProgram::emitReshape(tile::ReshapeOp op) {
  auto source = cast<RankedTensorType>(op.getSource().getType());
  auto result = cast<RankedTensorType>(op.getResult().getType());
  auto free = place(source).layout.reshape(result.getShape().vec());
  if (!free || LayoutAttr::get(op.getContext(), *free) != result.getEncoding())
    return op.emitOpError("expects the result in the source's layout, reshaped; run tile-lower-to-buffers first");
  set(op.getResult(), parts(op.getSource()));
  return success();
}

LogicalResult ThreadProgram::emitPermute(tile::PermuteOp op) {
  auto source = cast<RankedTensorType>(op.getSource().getType());
  std::vector<unsigned> order(op.getOrder().begin(), op.getOrder().end());
  if (LayoutAttr::get(op.getContext(), place(source).layout.permute(order)) !=
      cast<RankedTensorType>(op.getResult().getType()).getEncoding())
    return op.emitOpError("expects the result in the source's layout, permuted");
  set(op.getResult(), parts(op.getSource()));
  return success();
}

LogicalResult ThreadProgram::emitConvertLayout(ConvertLayoutOp op) {
  Location loc = op.getLoc();
  auto from = cast<RankedTensorType>(op.getSource().getType()), to = cast<RankedTensorType>(op.getResult().getType());
  int64_t bytes = std::max<int64_t>(getElementBytes(from.getElementType()), 1);
  const LayoutPlace &source = place(from), &target = place(to);
  std::string error;
  std::optional<layout::ConversionPlan> planned =
      layout::tryPlanConversion(source.layout, target.layout, bytes, &error);
  if (!planned)
    return op.emitOpError("has no conversion: ") << error;
  layout::ConversionPlan &plan = *planned;
  Value value = get(op.getSource());
  switch (plan.kind) {
  case layout::ConversionPlan::Kind::None:
    set(op.getResult(), value);
    return success();
  case layout::ConversionPlan::Kind::Registers:
    for (int64_t &reg : plan.sourceRegister)
      reg = std::max<int64_t>(reg, 0); // Outside of the tile: any value will do.
    set(op.getResult(), pick(loc, value, plan.sourceRegister));
    return success();
  case layout::ConversionPlan::Kind::Shuffle:
    set(op.getResult(), emitShuffles(loc, value, plan.shuffle));
    return success();
  case layout::ConversionPlan::Kind::Shared:
    break;
  }
  return op.emitOpError("needs shared memory; run tile-lower-to-buffers first");
}

/// The three steps of `layout::ShufflePlan`: arrange what each lane sends, exchange, arrange what it received.
Value ThreadProgram::emitShuffles(Location loc, Value value, const layout::ShufflePlan &plan) {
  auto laneBit = [&](unsigned bit) -> Value {
    Value own = arith::AndIOp::create(builder, loc, lane, i32(loc, int64_t(1) << bit));
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, own, i32(loc, 0));
  };
  auto arrange = [&](Value vector, const std::array<int64_t, 5> &masks) {
    int64_t count = cast<VectorType>(vector.getType()).getNumElements();
    for (unsigned bit = 0; bit < masks.size(); ++bit) {
      if (masks[bit] == 0)
        continue;
      SmallVector<int64_t> swapped;
      for (int64_t reg = 0; reg < count; ++reg)
        swapped.push_back(reg ^ masks[bit]);
      vector = arith::SelectOp::create(builder, loc, laneBit(bit), pick(loc, vector, swapped), vector);
    }
    return vector;
  };
  Value sent = arrange(value, plan.sendXor);
  Value varying; // The part of the source lane that depends on this lane.
  for (unsigned bit = 0; bit < plan.laneXor.size(); ++bit) {
    if (plan.laneXor[bit] == 0)
      continue;
    Value term = arith::SelectOp::create(builder, loc, laneBit(bit), i32(loc, plan.laneXor[bit]), i32(loc, 0));
    varying = varying ? arith::XOrIOp::create(builder, loc, varying, term).getResult() : term;
  }
  if (!varying)
    varying = i32(loc, 0);
  // Rounds that read from the same lane share one op, whose elements are one instruction each.
  std::map<uint32_t, std::vector<const layout::ShufflePlan::Round *>> byLane;
  for (const layout::ShufflePlan::Round &round : plan.rounds)
    byLane[round.laneConst].push_back(&round);
  SmallVector<Value> pieces;
  SmallVector<int64_t> received(plan.rounds.size());
  int64_t next = 0;
  for (auto &[laneConst, rounds] : byLane) {
    SmallVector<int64_t> registers;
    for (const layout::ShufflePlan::Round *round : rounds) {
      registers.push_back(round->srcRegister);
      received[round->dstRegister] = next++;
    }
    Value from = arith::XOrIOp::create(builder, loc, varying, i32(loc, laneConst));
    pieces.push_back(shuffleBits(loc, ShuffleMode::idx, pick(loc, sent, registers), from));
  }
  return arrange(pick(loc, concat(loc, pieces), received), plan.receiveXor);
}

LogicalResult ThreadProgram::emitAssume(tile::AssumeOp op) {
  Location loc = op.getLoc();
  set(op.getResult(), parts(op.getSource()));
  // Facts about scalars become checks of the emulator. Those about tiles are taken on trust: see docs/Status.md.
  if (isa<RankedTensorType>(op.getSource().getType()))
    return success();
  Value value = get(op.getSource());
  Type type = value.getType();
  auto constant = [&](int64_t number) -> Value {
    return arith::ConstantOp::create(builder, loc, type, builder.getIntegerAttr(type, number));
  };
  auto check = [&](arith::CmpIPredicate predicate, Value left, int64_t right, const Twine &fact) {
    Value holds = arith::CmpIOp::create(builder, loc, predicate, left, constant(right));
    tile_gpu::AssumeOp::create(builder, loc, holds, builder.getStringAttr(fact));
  };
  if (auto divisor = op.getDivBy(); divisor && *divisor > 1)
    check(arith::CmpIPredicate::eq, arith::RemSIOp::create(builder, loc, value, constant(*divisor)), 0,
          "div_by " + Twine(*divisor));
  if (auto least = op.getMin())
    check(arith::CmpIPredicate::sge, value, *least, "min " + Twine(*least));
  if (auto most = op.getMax())
    check(arith::CmpIPredicate::sle, value, *most, "max " + Twine(*most));
  return success();
}

/// f32 to and from tf32. A tf32 value is kept as the f32 that it equals, so widening is nothing, and narrowing rounds away the
/// low 13 bits of the significand, to nearest, ties to even; NaN stays NaN.
LogicalResult ThreadProgram::emitTf32(Operation *op) {
  Location loc = op->getLoc();
  Value value = get(op->getOperand(0));
  Type toElement = getElementTypeOrSelf(op->getResult(0).getType());
  SmallVector<Type> resultTypes;
  if (failed(convertType(op->getResult(0).getType(), resultTypes)))
    return failure();
  Type fromType = value.getType(), f32Type = resultTypes[0];
  if (isa<arith::ExtFOp>(op)) {
    if (getElementTypeOrSelf(fromType) == toElement || toElement.isF32())
      set(op->getResult(0), value);
    else // From tf32 to f64, or from f16 or bf16 to tf32, both exact through f32.
      set(op->getResult(0), arith::ExtFOp::create(builder, loc, resultTypes[0], value));
    return success();
  }
  if (!toElement.isTF32()) { // tf32 to something narrower: an f32 truncation.
    set(op->getResult(0), arith::TruncFOp::create(builder, loc, resultTypes[0], value));
    return success();
  }
  if (getElementTypeOrSelf(fromType).isF64())
    return op->emitOpError("rounds f64 to tf32 twice if done through f32; not lowered yet");
  Type intType = IntegerType::get(op->getContext(), 32);
  if (auto vector = dyn_cast<VectorType>(f32Type))
    intType = VectorType::get(vector.getShape(), intType);
  auto constant = [&](int64_t number) -> Value {
    TypedAttr attr = builder.getI32IntegerAttr(static_cast<int32_t>(number));
    if (auto vector = dyn_cast<VectorType>(intType))
      attr = DenseElementsAttr::get(vector, Attribute(attr));
    return arith::ConstantOp::create(builder, loc, attr);
  };
  Value bits = arith::BitcastOp::create(builder, loc, intType, value);
  Value odd = arith::AndIOp::create(builder, loc, arith::ShRUIOp::create(builder, loc, bits, constant(13)), constant(1));
  Value up = arith::AddIOp::create(builder, loc, arith::AddIOp::create(builder, loc, bits, constant(0xFFF)), odd);
  Value rounded = arith::AndIOp::create(builder, loc, up, constant(static_cast<int32_t>(0xFFFFE000)));
  Value isNan = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::UNO, value, value);
  Value asFloat = arith::BitcastOp::create(builder, loc, f32Type, rounded);
  set(op->getResult(0), arith::SelectOp::create(builder, loc, isNan, value, asFloat));
  return success();
}
