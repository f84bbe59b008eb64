// SPDX-License-Identifier: Apache-2.0
#include "tilewright/Analysis/AlignmentRules.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace tilewright {

static constexpr int64_t kLargestPower = int64_t(1) << 62;

int64_t divisorOfConstant(int64_t value) {
  if (value == std::numeric_limits<int64_t>::min())
    return kLargestPower;
  return value < 0 ? -value : value;
}

int64_t powerOfTwoPart(int64_t divisor) { return divisor == 0 ? kLargestPower : divisor & -divisor; }

int64_t multiplyDivisors(int64_t a, int64_t b) {
  int64_t product;
  if (!__builtin_mul_overflow(a, b, &product))
    return product;
  // Neither is 0 here. The powers of two multiply to at most 2^124, of which 2^62 is kept.
  int64_t pa = powerOfTwoPart(a), pb = powerOfTwoPart(b);
  return pa > kLargestPower / pb ? kLargestPower : pa * pb;
}

int64_t combineDivisors(int64_t a, int64_t b) {
  if (a == 0 || b == 0)
    return 0;
  int64_t multiple;
  if (__builtin_mul_overflow(a / std::gcd(a, b), b, &multiple))
    return std::max(a, b);
  return multiple;
}

int64_t divisorAt(const DimFacts &facts, int64_t step, int64_t unit) {
  // An index i that is a multiple of `step` lies (i mod c) steps above the first element of its group, and i mod c
  // is a multiple of gcd(step, c); it is 0 for all such i exactly where c divides `step`.
  int64_t distance = std::gcd(step, facts.contiguity);
  if (distance == facts.contiguity)
    return facts.divisor;
  return std::gcd(facts.divisor, multiplyDivisors(distance, unit));
}

DimFacts uniformFacts(int64_t divisor, int64_t extent) { return {1, divisor, extent}; }

DimFacts iotaFacts(int64_t start, int64_t extent, unsigned width) {
  // Starts are given as unsigned numbers; the upper half of them reads as negative.
  if (width < 64 && start >= (int64_t(1) << (width - 1)))
    start -= int64_t(1) << width;
  DimFacts exact{extent, divisorOfConstant(start), 1};
  int64_t half = width >= 64 ? std::numeric_limits<int64_t>::max() : (int64_t(1) << (width - 1)) - 1;
  // Neither side overflows: each adds numbers of opposite signs.
  bool fits = start < 0 ? start >= -half - 1 && start + (extent - 1) <= half : extent - 1 <= half - start;
  return fits ? exact : wrapFacts(exact, width);
}

DimFacts joinFacts(const DimFacts &a, const DimFacts &b, int64_t unit) {
  int64_t contiguity = std::gcd(a.contiguity, b.contiguity);
  return {contiguity, std::gcd(divisorAt(a, contiguity, unit), divisorAt(b, contiguity, unit)),
          std::gcd(a.constancy, b.constancy)};
}

DimFacts meetFacts(const DimFacts &a, const DimFacts &b, int64_t unit) {
  // Groups of 2 and of 3 that both are runs chain up to runs of 6; both divide the extent, so 6 does.
  int64_t contiguity = combineDivisors(a.contiguity, b.contiguity);
  return {contiguity, combineDivisors(divisorAt(a, contiguity, unit), divisorAt(b, contiguity, unit)),
          combineDivisors(a.constancy, b.constancy)};
}

DimFacts wrapFacts(const DimFacts &facts, unsigned width) {
  int64_t half = width >= 64 ? kLargestPower : int64_t(1) << (width - 1);
  int64_t run = std::gcd(std::gcd(facts.contiguity, facts.divisor), half);
  int64_t divisor = divisorAt(facts, run);
  // 0 is not changed by wrapping; other values move by multiples of 2^width.
  if (divisor != 0)
    divisor = std::min(powerOfTwoPart(divisor), half);
  return {run, divisor, facts.constancy};
}

DimFacts addFacts(const DimFacts &a, const DimFacts &b, int64_t unit) {
  auto sumWithRun = [&](int64_t run) {
    return DimFacts{run, std::gcd(divisorAt(a, run, unit), divisorAt(b, run, unit)),
                    std::gcd(a.constancy, b.constancy)};
  };
  DimFacts left = sumWithRun(std::gcd(a.contiguity, b.constancy));
  DimFacts right = sumWithRun(std::gcd(a.constancy, b.contiguity));
  if (left.contiguity != right.contiguity)
    return left.contiguity > right.contiguity ? left : right;
  return left;
}

DimFacts subFacts(const DimFacts &a, const DimFacts &b) {
  int64_t run = std::gcd(a.contiguity, b.constancy);
  return {run, std::gcd(divisorAt(a, run), divisorAt(b, run)), std::gcd(a.constancy, b.constancy)};
}

DimFacts mulFacts(const DimFacts &a, const DimFacts &b, std::optional<int64_t> aValue, std::optional<int64_t> bValue) {
  if (bValue == 1)
    return a;
  if (aValue == 1)
    return b;
  return {1, multiplyDivisors(divisorAt(a, 1), divisorAt(b, 1)), std::gcd(a.constancy, b.constancy)};
}

DimFacts scaleFacts(const DimFacts &facts, int64_t factor) {
  return {facts.contiguity, multiplyDivisors(facts.divisor, factor), facts.constancy};
}

/// The divisor of quotients of multiples of `dividend` by `value`: known only where every division is exact.
static int64_t divideDivisor(int64_t dividend, std::optional<int64_t> value) {
  if (!value || *value == 0)
    return 1;
  int64_t by = divisorOfConstant(*value);
  return dividend % by == 0 ? dividend / by : 1;
}

DimFacts roundedDivFacts(const DimFacts &a, const DimFacts &b, std::optional<int64_t> bValue) {
  if (bValue == 1)
    return a;
  return {1, divideDivisor(divisorAt(a, 1), bValue), std::gcd(a.constancy, b.constancy)};
}

DimFacts floorDivFacts(const DimFacts &a, const DimFacts &b, std::optional<int64_t> bValue) {
  DimFacts result = roundedDivFacts(a, b, bValue);
  if (!bValue || *bValue <= 1)
    return result;
  // Runs of g that start at multiples of g have one quotient if g divides the divisor n:
  // floor((g * m + r) / n) = floor(m / (n / g)) for 0 <= r < g.
  int64_t run = std::gcd(std::gcd(a.contiguity, a.divisor), *bValue);
  if (run > result.constancy) {
    result.constancy = run;
    // Each element equals the first of its group, so the firsts decide.
    result.divisor = combineDivisors(result.divisor, divideDivisor(divisorAt(a, run), bValue));
  }
  return result;
}

DimFacts truncRemFacts(const DimFacts &a, const DimFacts &b) {
  // a - b * q for whatever q.
  return {1, std::gcd(divisorAt(a, 1), divisorAt(b, 1)), std::gcd(a.constancy, b.constancy)};
}

DimFacts floorRemFacts(const DimFacts &a, const DimFacts &b, std::optional<int64_t> bValue) {
  if (!bValue || *bValue <= 0)
    return truncRemFacts(a, b);
  // A run of g that starts at a multiple of g stays one if g divides the divisor n: it ends before a multiple of n.
  int64_t run = std::gcd(std::gcd(a.contiguity, a.divisor), *bValue);
  int64_t first = divisorAt(a, run);
  return {run, first % *bValue == 0 ? 0 : std::gcd(first, *bValue), std::gcd(a.constancy, b.constancy)};
}

DimFacts andFacts(const DimFacts &a, const DimFacts &b, std::optional<int64_t> bValue) {
  if (bValue && *bValue >= 0 && *bValue < kLargestPower && (*bValue & (*bValue + 1)) == 0) {
    // The low bits: the remainder by a power of two.
    int64_t modulus = *bValue + 1;
    return floorRemFacts(a, uniformFacts(modulus, b.constancy), modulus);
  }
  int64_t divisor = std::max(powerOfTwoPart(divisorAt(a, 1)), powerOfTwoPart(divisorAt(b, 1)));
  if (divisorAt(a, 1) == 0 || divisorAt(b, 1) == 0)
    divisor = 0;
  DimFacts result{1, divisor, std::gcd(a.constancy, b.constancy)};
  if (bValue && *bValue < 0 && *bValue > -kLargestPower && (-*bValue & (-*bValue - 1)) == 0) {
    // All but the low bits: rounding down to a multiple of a power of two.
    result.constancy = std::max(result.constancy, std::gcd(std::gcd(a.contiguity, a.divisor), -*bValue));
  }
  return result;
}

DimFacts orXorFacts(const DimFacts &a, const DimFacts &b) {
  int64_t divisor = std::gcd(divisorAt(a, 1), divisorAt(b, 1));
  return {1, divisor == 0 ? 0 : powerOfTwoPart(divisor), std::gcd(a.constancy, b.constancy)};
}

DimFacts shiftLeftFacts(const DimFacts &a, const DimFacts &b) {
  return {1, divisorAt(a, 1), std::gcd(a.constancy, b.constancy)};
}

DimFacts minMaxFacts(const DimFacts &a, const DimFacts &b) {
  return {1, std::gcd(divisorAt(a, 1), divisorAt(b, 1)), std::gcd(a.constancy, b.constancy)};
}

DimFacts selectFacts(const DimFacts &condition, const DimFacts &a, const DimFacts &b, int64_t unit) {
  int64_t run = std::gcd(std::gcd(a.contiguity, b.contiguity), condition.constancy);
  return {run, std::gcd(divisorAt(a, run, unit), divisorAt(b, run, unit)),
          std::gcd(std::gcd(a.constancy, b.constancy), condition.constancy)};
}

DimFacts orderFacts(OrderPredicate predicate, const DimFacts &a, const DimFacts &b) {
  DimFacts result = elementwiseFacts(a, b);
  // g * m + r < g * n for 0 <= r < g means m < n: one answer for the whole run. `<=` has no such rule: r = 0 may hold
  // and r = 1 fail.
  auto uniformRun = [](const DimFacts &runs, const DimFacts &bound) {
    int64_t run = std::gcd(runs.contiguity, bound.constancy);
    return std::gcd(std::gcd(run, runs.divisor), divisorAt(bound, 1));
  };
  bool leftRuns = predicate == OrderPredicate::LessThan || predicate == OrderPredicate::GreaterEqual;
  result.constancy = std::max(result.constancy, leftRuns ? uniformRun(a, b) : uniformRun(b, a));
  return result;
}

DimFacts elementwiseFacts(const DimFacts &a, const DimFacts &b) { return {1, 1, std::gcd(a.constancy, b.constancy)}; }

DimFacts blockFacts(const DimFacts &facts, int64_t extent, int64_t unit) {
  int64_t run = std::gcd(facts.contiguity, extent);
  return {run, divisorAt(facts, run, unit), std::gcd(facts.constancy, extent)};
}

} // namespace tilewright
