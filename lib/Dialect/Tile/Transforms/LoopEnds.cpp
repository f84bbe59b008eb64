// SPDX-License-Identifier: Apache-2.0
#include "LoopEnds.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

LogicalResult tilewright::checkEnds(scf::ForOp loop) {
  auto constant = [](Value value) -> std::optional<APInt> {
    APInt number;
    return matchPattern(value, m_ConstantInt(&number)) ? std::optional<APInt>(number) : std::nullopt;
  };
  bool isUnsigned = loop.getUnsignedCmp();
  std::optional<APInt> lower = constant(loop.getLowerBound()), upper = constant(loop.getUpperBound());
  std::optional<APInt> step = constant(loop.getStep());
  if (!step || (lower && upper && (isUnsigned ? lower->uge(*upper) : lower->sge(*upper))))
    return success();
  auto spelt = [&](const APInt &number) { return llvm::toString(number, 10, !isUnsigned); };
  if (isUnsigned ? step->isZero() : !step->isStrictlyPositive())
    return loop.emitOpError() << "expects a positive step, found " << spelt(*step);
  if (!lower || !upper)
    return success();
  // What the variable is behind the last trip, with room for it.
  unsigned width = step->getBitWidth(), wide = 2 * width + 2;
  auto widen = [&](const APInt &number) { return isUnsigned ? number.zext(wide) : number.sext(wide); };
  APInt from = widen(*lower), by = widen(*step);
  APInt trips = (widen(*upper) - from + by - 1).udiv(by);
  APInt last = from + trips * by;
  APInt most = widen(isUnsigned ? APInt::getMaxValue(width) : APInt::getSignedMaxValue(width));
  if (last.sle(most))
    return success();
  return loop.emitOpError() << "expects a variable that does not overflow, found " << spelt(*lower) << " to "
                            << spelt(*upper) << " step " << spelt(*step) << ", behind whose last trip it would be "
                            << llvm::toString(last, 10, /*Signed=*/true) << ", more than "
                            << llvm::toString(most, 10, /*Signed=*/true);
}
