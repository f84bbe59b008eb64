// SPDX-License-Identifier: Apache-2.0
// What loops count and carry, as polynomials over the number of the iteration.
#include "CarriedChain.h"
#include "IndexTranslation.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tilewright;

std::optional<unsigned> IndexTranslation::tripOf(scf::ForOp loop) {
  if (auto found = trips.find(loop); found != trips.end())
    return found->second;
  std::optional<unsigned> &trip = trips[loop];
  const Polynomial &lower = translated[loop.getLowerBound()], &upper = translated[loop.getUpperBound()],
                   &step = translated[loop.getStep()];
  // An unsigned loop over numbers that are not negative is a signed one. The step is positive by definition.
  if (loop.getUnsignedCmp() && (!bounds.isNonNegative(lower) || !bounds.isNonNegative(upper)))
    return trip;
  // The variable is lower + step * trip and below upper, so that trip <= (upper - lower - 1) / step.
  bool isWhole = llvm::is_contained(facts.wholeLoops, loop.getOperation());
  std::optional<Polynomial> distance = subtract(upper, lower);
  if (distance)
    distance = subtract(*distance, isWhole ? step : Polynomial::constant(1));
  std::optional<Polynomial> lastTrip = distance ? bounds.floorDiv(*distance, step) : std::nullopt;
  if (!lastTrip)
    return trip;
  SymbolFacts known;
  known.min = 0;
  known.upper.push_back(*lastTrip);
  if (lastTrip->isConstant())
    known.max = lastTrip->constantTerm();
  trip = leaf(std::move(known), "trip");
  lastTrips[*trip] = *lastTrip;
  loops[*trip] = loop;
  return trip;
}

std::optional<Polynomial> IndexTranslation::translateLoopVariable(scf::ForOp loop) {
  std::optional<unsigned> trip = tripOf(loop);
  std::optional<Polynomial> walked =
      trip ? multiply(translated[loop.getStep()], Polynomial::symbol(*trip)) : std::nullopt;
  return walked ? add(translated[loop.getLowerBound()], *walked) : std::nullopt;
}

/// Whether a value is the same in all iterations of a loop.
static bool isInvariant(scf::ForOp loop, Value value) {
  return loop.isDefinedOutsideOfLoop(value) || matchPattern(value, m_Constant());
}

/// The links by which a loop advances an integer by numbers that do not change.
static std::optional<SmallVector<ChainLink>> findInvariantChain(scf::ForOp loop, unsigned number) {
  BlockArgument argument = loop.getRegionIterArg(number);
  if (!argument.getType().isIntOrIndex())
    return std::nullopt;
  std::optional<SmallVector<ChainLink>> chain = findChain(argument);
  if (!chain || llvm::any_of(*chain, [&](const ChainLink &link) { return !isInvariant(loop, link.addend); }))
    return std::nullopt;
  return chain;
}

SmallVector<Value> IndexTranslation::operandsOfCarried(scf::ForOp loop, unsigned number) const {
  std::optional<SmallVector<ChainLink>> chain = findInvariantChain(loop, number);
  if (!chain)
    return {};
  SmallVector<Value> operands{loop.getInitArgs()[number], loop.getLowerBound(), loop.getUpperBound(), loop.getStep()};
  for (const ChainLink &link : *chain)
    operands.push_back(link.addend);
  return operands;
}

std::optional<Polynomial> IndexTranslation::translateCarried(scf::ForOp loop, unsigned number, bool isResult) {
  std::optional<SmallVector<ChainLink>> chain = findInvariantChain(loop, number);
  std::optional<unsigned> trip = chain ? tripOf(loop) : std::nullopt;
  if (!trip)
    return std::nullopt;
  Polynomial perTrip;
  SmallVector<Polynomial> partialSums;
  for (const ChainLink &link : *chain) {
    const Polynomial &addend = translated[link.addend];
    std::optional<Polynomial> sum = link.isSubtracted ? subtract(perTrip, addend) : add(perTrip, addend);
    if (!sum)
      return std::nullopt;
    perTrip = *sum;
    partialSums.push_back(perTrip);
  }
  const Polynomial &init = translated[loop.getInitArgs()[number]];
  auto after = [&](const Polynomial &trips) -> std::optional<Polynomial> {
    std::optional<Polynomial> moved = multiply(trips, perTrip);
    return moved ? add(init, *moved) : std::nullopt;
  };
  // By induction: if what an iteration begins with is exact and no sum of it wraps around, so is what the next begins
  // with.
  std::optional<Polynomial> here = after(Polynomial::symbol(*trip));
  for (auto [link, partial] : llvm::zip(*chain, partialSums)) {
    std::optional<Polynomial> sum = here ? add(*here, partial) : std::nullopt;
    if (!sum || !isExact(link.op, *sum))
      return std::nullopt;
  }
  if (!isResult)
    return here;
  // No iteration where the last would have a number below 0.
  std::optional<Polynomial> count = add(lastTrips[*trip], Polynomial::constant(1));
  return count ? after(bounds.maximum(*count, Polynomial())) : std::nullopt;
}
