// SPDX-License-Identifier: Apache-2.0
#include "tilewright/Analysis/SymbolicBounds.h"
#include "SymbolicProof.h"
#include "tilewright/Analysis/AlignmentRules.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <tuple>

using namespace tilewright;

/// What is divided: all terms that the one term of `b` divides, and what is left over.
static std::pair<Polynomial, Polynomial> splitBy(const Polynomial &a, const Polynomial &b) {
  Polynomial quotient, rest;
  const auto &[by, factor] = *b.terms.begin();
  for (const auto &[product, coefficient] : a.terms) {
    bool divides = b.terms.size() == 1 && coefficient % factor == 0 &&
                   std::includes(product.begin(), product.end(), by.begin(), by.end());
    if (!divides) {
      rest.terms[product] = coefficient;
      continue;
    }
    Polynomial::Product left;
    std::set_difference(product.begin(), product.end(), by.begin(), by.end(), std::back_inserter(left));
    quotient.terms[left] = coefficient / factor;
  }
  return {quotient, rest};
}

unsigned SymbolicBounds::addLeaf(SymbolFacts facts) {
  symbols.push_back({SymbolKind::Leaf, {}, std::move(facts)});
  return symbols.size() - 1;
}

void SymbolicBounds::refine(unsigned symbol, std::optional<Wide> min, std::optional<Wide> max, int64_t divisor) {
  SymbolFacts &facts = symbols[symbol].facts;
  if (min)
    facts.min = facts.min ? std::max(*facts.min, *min) : *min;
  if (max)
    facts.max = facts.max ? std::min(*facts.max, *max) : *max;
  facts.divisor = combineDivisors(facts.divisor, divisor);
}

Polynomial SymbolicBounds::intern(SymbolKind kind, std::vector<Polynomial> operands,
                                  const std::function<SymbolFacts()> &facts) {
  Key key{kind, operands};
  // Two choices between the same numbers may choose differently.
  auto found = known.find(key);
  if (found != known.end() && kind != SymbolKind::OneOf)
    return Polynomial::symbol(found->second);
  symbols.push_back({kind, std::move(operands), facts()});
  known[key] = symbols.size() - 1;
  return Polynomial::symbol(symbols.size() - 1);
}

std::optional<Polynomial> SymbolicBounds::floorDiv(const Polynomial &a, const Polynomial &b) {
  if (b.isConstant() && (b.constantTerm() <= 0 || b.constantTerm() > std::numeric_limits<int64_t>::max()))
    return std::nullopt;
  // Multiples of the divisor come out exactly.
  Polynomial quotient, rest;
  std::tie(quotient, rest) = splitBy(a, b);
  if (b.isConstant()) {
    Wide by = b.constantTerm(), whole = floorDivide(rest.constantTerm(), by);
    if (rest.isConstant())
      return add(quotient, Polynomial::constant(whole));
    // A constant from 0 to the divisor is left, so that equal quotients look equal.
    std::optional<Polynomial> sum = add(quotient, Polynomial::constant(whole));
    std::optional<Polynomial> left = subtract(rest, Polynomial::constant(whole * by));
    if (!sum || !left)
      return std::nullopt;
    quotient = *sum;
    rest = *left;
  } else if (rest.terms.empty()) {
    return quotient;
  }
  Polynomial symbol = intern(SymbolKind::Quotient, {rest, b}, [&] {
    SymbolFacts facts;
    std::optional<Wide> min = lowerLimit(rest), max = upperLimit(rest);
    if (isNonNegative(rest))
      min = std::max<Wide>(min.value_or(0), 0);
    if (b.isConstant()) {
      Wide by = b.constantTerm();
      if (min)
        facts.min = floorDivide(*min, by);
      if (max)
        facts.max = floorDivide(*max, by);
      if (int64_t divisor = divisorOf(rest); divisor == 0 || divisor % by == 0)
        facts.divisor = divisor / static_cast<int64_t>(by);
    } else {
      // Towards 0, and at -1 from below.
      if (min)
        facts.min = std::min<Wide>(*min, 0);
      if (max)
        facts.max = std::max<Wide>(*max, -1);
    }
    return facts;
  });
  return add(quotient, symbol);
}

std::optional<Polynomial> SymbolicBounds::ceilDiv(const Polynomial &a, const Polynomial &b) {
  std::optional<Polynomial> sum = add(a, b);
  std::optional<Polynomial> raised = sum ? subtract(*sum, Polynomial::constant(1)) : std::nullopt;
  return raised ? floorDiv(*raised, b) : std::nullopt;
}

std::optional<Polynomial> SymbolicBounds::floorRem(const Polynomial &a, const Polynomial &b) {
  std::optional<Polynomial> quotient = floorDiv(a, b);
  std::optional<Polynomial> multiple = quotient ? multiply(*quotient, b) : std::nullopt;
  return multiple ? subtract(a, *multiple) : std::nullopt;
}

Polynomial SymbolicBounds::choice(SymbolKind kind, const Polynomial &a, const Polynomial &b) {
  if (a == b)
    return a;
  return intern(kind, {std::min(a, b), std::max(a, b)}, [&] {
    SymbolFacts facts;
    facts.divisor = std::gcd(divisorOf(a), divisorOf(b));
    auto pick = [](std::optional<Wide> x, std::optional<Wide> y, bool isOneEnough, auto better) -> std::optional<Wide> {
      if (x && y)
        return better(*x, *y);
      return isOneEnough ? (x ? x : y) : std::nullopt;
    };
    auto least = [](Wide x, Wide y) { return std::min(x, y); };
    auto most = [](Wide x, Wide y) { return std::max(x, y); };
    std::optional<Wide> aMin = lowerLimit(a), bMin = lowerLimit(b), aMax = upperLimit(a), bMax = upperLimit(b);
    facts.min = kind == SymbolKind::Max ? pick(aMin, bMin, true, most) : pick(aMin, bMin, false, least);
    facts.max = kind == SymbolKind::Min ? pick(aMax, bMax, true, least) : pick(aMax, bMax, false, most);
    return facts;
  });
}

Polynomial SymbolicBounds::minimum(const Polynomial &a, const Polynomial &b) { return choice(SymbolKind::Min, a, b); }
Polynomial SymbolicBounds::maximum(const Polynomial &a, const Polynomial &b) { return choice(SymbolKind::Max, a, b); }
Polynomial SymbolicBounds::oneOf(const Polynomial &a, const Polynomial &b) { return choice(SymbolKind::OneOf, a, b); }

bool SymbolicBounds::isNonNegative(const Polynomial &a) const { return SymbolicProof(*this, a).prove(); }

std::optional<std::vector<std::pair<Polynomial, Polynomial>>>
SymbolicBounds::explainNonNegative(const Polynomial &a) const {
  SymbolicProof proof(*this, a, /*keepsSteps=*/true);
  if (!proof.prove())
    return std::nullopt;
  std::vector<std::pair<Polynomial, Polynomial>> steps;
  for (const SymbolicProof::Step &step : proof.getSteps())
    steps.push_back({step.low, step.high});
  return steps;
}

bool SymbolicBounds::isAtMost(const Polynomial &a, const Polynomial &b) const {
  std::optional<Polynomial> difference = subtract(b, a);
  return difference && isNonNegative(*difference);
}

std::optional<Wide> SymbolicBounds::lowerLimit(const Polynomial &a, const Limits *limits) const {
  auto minOf = [&](unsigned symbol) {
    auto found = limits ? limits->find(symbol) : Limits::const_iterator();
    return limits && found != limits->end() ? std::optional<Wide>(found->second) : symbols[symbol].facts.min;
  };
  Wide sum = 0;
  for (const auto &[product, coefficient] : a.terms) {
    // Limits multiply where no factor is negative; a single factor has its own.
    bool isUpper = coefficient < 0;
    Wide value = coefficient;
    for (unsigned symbol : product) {
      std::optional<Wide> min = minOf(symbol), limit = isUpper ? symbols[symbol].facts.max : min;
      if (!limit || (product.size() > 1 && (!min || *min < 0)) || __builtin_mul_overflow(value, *limit, &value))
        return std::nullopt;
    }
    if (__builtin_add_overflow(sum, value, &sum))
      return std::nullopt;
  }
  // What polynomials can have as a constant.
  return sum <= kMaxCoefficient && sum >= -kMaxCoefficient ? std::optional<Wide>(sum) : std::nullopt;
}

std::optional<Wide> SymbolicBounds::upperLimit(const Polynomial &a) const {
  std::optional<Polynomial> negated = subtract(Polynomial(), a);
  std::optional<Wide> limit = negated ? lowerLimit(*negated) : std::nullopt;
  if (!limit)
    return std::nullopt;
  return -*limit;
}

/// Divisor of a product of symbols and a coefficient.
static int64_t divisorOfCoefficient(Wide coefficient) {
  if (coefficient > std::numeric_limits<int64_t>::max() || coefficient < -std::numeric_limits<int64_t>::max())
    return 1;
  return divisorOfConstant(static_cast<int64_t>(coefficient));
}

int64_t SymbolicBounds::divisorOf(const Polynomial &a) const {
  int64_t all = 0;
  for (const auto &[product, coefficient] : a.terms) {
    int64_t divisor = divisorOfCoefficient(coefficient);
    for (unsigned symbol : product)
      divisor = multiplyDivisors(divisor, symbols[symbol].facts.divisor);
    all = std::gcd(all, divisor);
  }
  return all;
}

std::set<unsigned> SymbolicBounds::symbolsBehind(const Polynomial &a) const {
  std::set<unsigned> found;
  std::vector<const Polynomial *> worklist{&a};
  while (!worklist.empty()) {
    const Polynomial *next = worklist.back();
    worklist.pop_back();
    for (const auto &[product, coefficient] : next->terms)
      for (unsigned symbol : product) {
        if (!found.insert(symbol).second)
          continue;
        const Symbol &info = symbols[symbol];
        for (const auto *list : {&info.operands, &info.facts.upper, &info.facts.lower})
          for (const Polynomial &polynomial : *list)
            worklist.push_back(&polynomial);
      }
  }
  return found;
}

std::optional<int64_t> SymbolicBounds::quotientBy(unsigned symbol) const {
  const Symbol &info = symbols[symbol];
  if (info.kind != SymbolKind::Quotient || !info.operands[1].isConstant() ||
      info.operands[1].constantTerm() > std::numeric_limits<int64_t>::max())
    return std::nullopt;
  return static_cast<int64_t>(info.operands[1].constantTerm());
}
