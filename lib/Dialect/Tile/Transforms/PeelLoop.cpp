// SPDX-License-Identifier: Apache-2.0
#include "tilewright/Dialect/Tile/Transforms/PeelLoop.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tilewright;

std::optional<std::string> tilewright::reasonNotToPeel(scf::ForOp loop, InBoundsAnalysis &analysis) {
  APInt step;
  if (!matchPattern(loop.getStep(), m_ConstantInt(&step)))
    return "the step is no constant";
  if (!step.isStrictlyPositive())
    return "the step is not positive";
  if (step.isOne())
    return "a step of 1 is always whole";
  if (loop.getUnsignedCmp())
    return "the bounds are unsigned";
  // The difference of the bounds, rounded down to whole steps, must not overflow, whichever way they are ordered.
  Type type = loop.getInductionVar().getType();
  unsigned width = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  if (width > 64 || width < 8)
    return "the bounds are neither indices nor integers of 8 to 64 bits";
  int64_t far = int64_t(1) << (width - 3), largest = llvm::maxIntN(width);
  bool isOrdered = analysis.isWithin(loop.getLowerBound(), 0, largest, loop) &&
                   analysis.isAtMost(loop.getLowerBound(), loop.getUpperBound(), loop);
  bool isNear = analysis.isWithin(loop.getLowerBound(), 0, far, loop) &&
                analysis.isWithin(loop.getUpperBound(), -far, largest, loop);
  if (step.sgt(far) || (!isOrdered && !isNear))
    return "the distance between its bounds may overflow";
  return std::nullopt;
}

void tilewright::peelLastStep(scf::ForOp loop, InBoundsAnalysis &analysis) {
  OpBuilder builder(loop);
  Location loc = loop.getLoc();
  Value lower = loop.getLowerBound(), upper = loop.getUpperBound(), step = loop.getStep();
  auto exact = arith::IntegerOverflowFlags::nsw;
  bool isOrdered = analysis.isAtMost(lower, upper, loop);
  bool startsAtZero = matchPattern(lower, m_Zero());
  Value distance = startsAtZero ? upper : arith::SubIOp::create(builder, loc, upper, lower, exact).getResult();
  // Rounded down, so that bounds out of order give no trip; those need their own test in front of the rest.
  Value steps = isOrdered ? arith::DivSIOp::create(builder, loc, distance, step).getResult()
                          : arith::FloorDivSIOp::create(builder, loc, distance, step).getResult();
  Value whole = arith::MulIOp::create(builder, loc, steps, step, exact);
  Value main = startsAtZero ? whole : arith::AddIOp::create(builder, loc, lower, whole, exact).getResult();
  loop.getUpperBoundMutable().assign(main);

  builder.setInsertionPointAfter(loop);
  Value isLeft = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, main, upper);
  if (!isOrdered) {
    Value isAny = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, lower, upper);
    isLeft = arith::AndIOp::create(builder, loc, isLeft, isAny);
  }
  bool hasResults = loop.getNumResults() != 0;
  auto rest = scf::IfOp::create(builder, loc, loop.getResultTypes(), isLeft, /*withElseRegion=*/hasResults);
  // Uses of the results from here on; the rest, still empty, begins with what the loop gives.
  loop.replaceAllUsesWith(rest.getResults());
  builder.setInsertionPointToStart(rest.thenBlock());
  IRMapping mapping;
  mapping.map(loop.getInductionVar(), main);
  mapping.map(loop.getRegionIterArgs(), loop.getResults());
  for (Operation &op : loop.getBody()->without_terminator())
    builder.clone(op, mapping);
  if (!hasResults)
    return;
  SmallVector<Value> yielded;
  for (Value value : loop.getYieldedValues())
    yielded.push_back(mapping.lookupOrDefault(value));
  scf::YieldOp::create(builder, loc, yielded);
  builder.setInsertionPointToStart(rest.elseBlock());
  scf::YieldOp::create(builder, loc, loop.getResults());
}
