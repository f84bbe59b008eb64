// SPDX-License-Identifier: Apache-2.0
#include "tilewright/Conversion/TileToSIMT/UnrollLoop.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::simt;

UnrollShape simt::planUnrollShape(std::optional<int64_t> trips, std::optional<APInt> step, unsigned width,
                                  int64_t copies) {
  auto form = [](int64_t count) {
    return count == 0 ? TripForm::Never : count == 1 ? TripForm::Once : TripForm::Loop;
  };
  if (trips) {
    // Fewer trips than copies are as many copies.
    copies = std::clamp<int64_t>(copies, 1, std::max<int64_t>(*trips, 1));
    return {copies, form(*trips / copies), form(*trips % copies)};
  }
  if (copies == 1)
    return {1, TripForm::Loop, TripForm::Never};
  APInt advance = APInt(128, copies);
  if (step)
    advance *= step->zext(128);
  TripForm main = advance.getActiveBits() > width    ? TripForm::Never
                  : advance.getActiveBits() == width ? TripForm::AtMostOnce
                                                     : TripForm::Loop;
  return {copies, main, TripForm::Loop};
}

namespace {
/// Arithmetic on the variable of a loop.
class LoopMath {
public:
  LoopMath(OpBuilder &builder, scf::ForOp loop)
      : builder(builder), loc(loop.getLoc()), type(loop.getInductionVar().getType()) {}

  Value constant(uint64_t value) {
    unsigned width = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
    return arith::ConstantOp::create(builder, loc, type,
                                     IntegerAttr::get(type, APInt(width, value, /*isSigned=*/false, /*implicitTrunc=*/true)));
  }
  template <typename Op>
  Value make(Value lhs, Value rhs) {
    return builder.createOrFold<Op>(loc, lhs, rhs);
  }
  Value less(Value lhs, Value rhs, bool isUnsigned) {
    auto predicate = isUnsigned ? arith::CmpIPredicate::ult : arith::CmpIPredicate::slt;
    return builder.createOrFold<arith::CmpIOp>(loc, predicate, lhs, rhs);
  }

  OpBuilder &builder;
  Location loc;
  Type type;
};
} // namespace

Value simt::emitTrips(OpBuilder &builder, scf::ForOp loop) {
  LoopMath math(builder, loop);
  Value lower = loop.getLowerBound(), upper = loop.getUpperBound(), step = loop.getStep();
  Value one = math.constant(1);
  // A step of 0 never ends, whatever the division gives; it must not trap.
  if (!matchPattern(step, m_Constant()))
    step = math.make<arith::MaxUIOp>(step, one);
  // No overflow: the distance is at least 1 where it is used, and fits as an unsigned number.
  Value distance = math.make<arith::SubIOp>(upper, lower);
  Value before = math.make<arith::DivUIOp>(math.make<arith::SubIOp>(distance, one), step);
  Value trips = math.make<arith::AddIOp>(before, one);
  return builder.createOrFold<arith::SelectOp>(loop.getLoc(), math.less(lower, upper, loop.getUnsignedCmp()), trips,
                                               math.constant(0));
}

/// Appends one trip; gives what it yields.
static SmallVector<Value> emitTrip(OpBuilder &builder, scf::ForOp loop, Value variable, ValueRange carried) {
  IRMapping map;
  map.map(loop.getInductionVar(), variable);
  map.map(loop.getRegionIterArgs(), carried);
  for (Operation &op : loop.getBody()->without_terminator())
    builder.clone(op, map);
  SmallVector<Value> yielded;
  for (Value value : loop.getBody()->getTerminator()->getOperands())
    yielded.push_back(map.lookupOrDefault(value));
  return yielded;
}

/// Appends `copies` trips from `variable` on; gives what the last one yields.
static SmallVector<Value> emitCopies(OpBuilder &builder, scf::ForOp loop, int64_t copies, Value variable,
                                     ValueRange carried) {
  LoopMath math(builder, loop);
  APInt step;
  bool isConstant = matchPattern(loop.getStep(), m_ConstantInt(&step));
  SmallVector<Value> values(carried);
  Value here = variable;
  for (int64_t copy = 0; copy < copies; ++copy) {
    if (copy != 0 && isConstant)
      here = math.make<arith::AddIOp>(variable, math.constant(copy * step.getZExtValue()));
    else if (copy != 0)
      here = math.make<arith::AddIOp>(here, loop.getStep());
    values = emitTrip(builder, loop, here, values);
  }
  return values;
}

/// Marks a loop that is left as it shall stay.
static void settle(RewriterBase &rewriter, scf::ForOp loop) {
  rewriter.modifyOpInPlace(loop, [&] {
    loop->removeAttr("tile.unroll");
    loop->setAttr("tile_gpu.nounroll", rewriter.getUnitAttr());
  });
}

void simt::unrollLoop(RewriterBase &rewriter, scf::ForOp loop, const UnrollShape &shape) {
  if (shape.copies == 1 && shape.main == TripForm::Loop && shape.rest == TripForm::Never)
    return settle(rewriter, loop);
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(loop);
  Location loc = loop.getLoc();
  LoopMath math(rewriter, loop);
  Value lower = loop.getLowerBound(), step = loop.getStep(), copies = math.constant(shape.copies);
  SmallVector<Value> values(loop.getInitArgs());
  if (shape.main == TripForm::Once) {
    values = emitCopies(rewriter, loop, shape.copies, lower, values);
    lower = math.make<arith::AddIOp>(lower, math.make<arith::MulIOp>(copies, step));
  } else if (shape.main != TripForm::Never) {
    Value trips = emitTrips(rewriter, loop);
    Value whole = math.make<arith::SubIOp>(trips, math.make<arith::RemUIOp>(trips, copies));
    Value end = math.make<arith::AddIOp>(lower, math.make<arith::MulIOp>(whole, step));
    if (shape.main == TripForm::Loop) {
      auto body = [&](OpBuilder &builder, Location, Value variable, ValueRange carried) {
        scf::YieldOp::create(builder, loc, emitCopies(builder, loop, shape.copies, variable, carried));
      };
      auto main = scf::ForOp::create(rewriter, loc, lower, end, math.make<arith::MulIOp>(copies, step), values, body,
                                     loop.getUnsignedCmp());
      for (NamedAttribute attr : loop->getDiscardableAttrs())
        main->setAttr(attr.getName(), attr.getValue());
      settle(rewriter, main);
      values.assign(main.result_begin(), main.result_end());
    } else {
      Value runs = rewriter.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::ne, whole, math.constant(0));
      auto branch = scf::IfOp::create(
          rewriter, loc, runs,
          [&](OpBuilder &builder, Location) {
            scf::YieldOp::create(builder, loc, emitCopies(builder, loop, shape.copies, lower, values));
          },
          [&](OpBuilder &builder, Location) { scf::YieldOp::create(builder, loc, values); });
      values.assign(branch.result_begin(), branch.result_end());
    }
    lower = end;
  }
  if (shape.rest == TripForm::Loop) {
    rewriter.modifyOpInPlace(loop, [&] {
      loop.setLowerBound(lower);
      loop.getInitArgsMutable().assign(values);
    });
    return settle(rewriter, loop);
  }
  if (shape.rest == TripForm::Once)
    values = emitTrip(rewriter, loop, lower, values);
  rewriter.replaceOp(loop, values);
}
