// SPDX-License-Identifier: Apache-2.0
#include "tilewright/Analysis/SymbolicBounds.h"
#include "tilewright/Analysis/AlignmentRules.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <tuple>

using namespace tilewright;

/// Substitutions that one proof may try.
static constexpr int kBudget = 256;

static Wide floorDivide(Wide a, Wide b) { return a / b - (a % b != 0 && (a < 0) != (b < 0)); }

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
  symbols.push_back({Kind::Leaf, {}, std::move(facts)});
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

Polynomial SymbolicBounds::intern(Kind kind, std::vector<Polynomial> operands,
                                  const std::function<SymbolFacts()> &facts) {
  Key key{kind, operands};
  // Two choices between the same numbers may choose differently.
  auto found = known.find(key);
  if (found != known.end() && kind != Kind::OneOf)
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
  Polynomial symbol = intern(Kind::Quotient, {rest, b}, [&] {
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

Polynomial SymbolicBounds::choice(Kind kind, const Polynomial &a, const Polynomial &b) {
  if (a == b)
    return a;
  return intern(kind, {std::min(a, b), std::max(a, b)}, [&] {
    SymbolFacts facts;
    facts.divisor = std::gcd(divisorOf(a), divisorOf(b));
    auto pick = [](std::optional<Wide> x, std::optional<Wide> y, bool isOneEnough,
                   auto better) -> std::optional<Wide> {
      if (x && y)
        return better(*x, *y);
      return isOneEnough ? (x ? x : y) : std::nullopt;
    };
    auto least = [](Wide x, Wide y) { return std::min(x, y); };
    auto most = [](Wide x, Wide y) { return std::max(x, y); };
    std::optional<Wide> aMin = lowerLimit(a), bMin = lowerLimit(b), aMax = upperLimit(a), bMax = upperLimit(b);
    facts.min = kind == Kind::Max ? pick(aMin, bMin, true, most) : pick(aMin, bMin, false, least);
    facts.max = kind == Kind::Min ? pick(aMax, bMax, true, least) : pick(aMax, bMax, false, most);
    return facts;
  });
}

Polynomial SymbolicBounds::minimum(const Polynomial &a, const Polynomial &b) { return choice(Kind::Min, a, b); }
Polynomial SymbolicBounds::maximum(const Polynomial &a, const Polynomial &b) { return choice(Kind::Max, a, b); }
Polynomial SymbolicBounds::oneOf(const Polynomial &a, const Polynomial &b) { return choice(Kind::OneOf, a, b); }

std::optional<Wide> SymbolicBounds::lowerLimit(const Polynomial &a) const {
  Wide sum = 0;
  for (const auto &[product, coefficient] : a.terms) {
    // Limits multiply where no factor is negative; a single factor has its own.
    bool isUpper = coefficient < 0;
    Wide value = coefficient;
    for (unsigned symbol : product) {
      const SymbolFacts &facts = symbols[symbol].facts;
      std::optional<Wide> limit = isUpper ? facts.max : facts.min;
      if (!limit || (product.size() > 1 && (!facts.min || *facts.min < 0)) ||
          __builtin_mul_overflow(value, *limit, &value))
        return std::nullopt;
    }
    if (__builtin_add_overflow(sum, value, &sum))
      return std::nullopt;
  }
  return sum;
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

/// The least and largest remainder of `a` by the positive `by`. Only the part of `by` that all terms share is certain.
std::pair<Wide, Wide> SymbolicBounds::remainderRange(const Polynomial &a, Wide by) const {
  if (by > std::numeric_limits<int64_t>::max())
    return {0, by - 1};
  Polynomial varying = a;
  varying.terms.erase(Polynomial::Product());
  int64_t shared = std::gcd(divisorOf(varying), static_cast<int64_t>(by));
  Wide constant = a.constantTerm(), least = constant - floorDivide(constant, shared) * shared;
  return {least, by - shared + least};
}

/// A polynomial that floor(a / b) is never above. Replaces the latest symbols of `a` by upper bounds until `b` divides
/// all terms but the constant.
std::optional<Polynomial> SymbolicBounds::boundQuotient(Polynomial a, const Polynomial &b, int &budget) const {
  while (--budget >= 0) {
    auto [quotient, rest] = splitBy(a, b);
    if (rest.isConstant()) {
      Wide left = rest.constantTerm();
      // b is at least 1: what is left adds at most itself, and -1 takes a whole one away.
      Wide whole = b.isConstant() ? floorDivide(left, b.constantTerm()) : left < 0 ? -1 : left;
      return add(quotient, Polynomial::constant(whole));
    }
    unsigned latest = *rest.latestSymbol();
    const SymbolFacts &facts = symbols[latest].facts;
    auto found = a.terms.find({latest});
    auto hasLatest = [&](const auto &term) {
      return std::find(term.first.begin(), term.first.end(), latest) != term.first.end();
    };
    bool isAlone = found != a.terms.end() && found->second > 0 &&
                   std::count_if(a.terms.begin(), a.terms.end(), hasLatest) == 1;
    if (!isAlone || facts.upper.empty())
      return std::nullopt;
    Wide coefficient = found->second;
    a.terms.erase(found);
    std::optional<Polynomial> bound = multiply(facts.upper.front(), Polynomial::constant(coefficient));
    std::optional<Polynomial> next = bound ? add(a, *bound) : std::nullopt;
    if (!next)
      return std::nullopt;
    a = *next;
  }
  return std::nullopt;
}

bool SymbolicBounds::prove(const Polynomial &a, int &budget) const {
  if (--budget < 0)
    return false;
  if (std::optional<Wide> limit = lowerLimit(a))
    if (*limit >= 0)
      return true;
  std::optional<unsigned> latest = a.latestSymbol();
  if (!latest)
    return false;
  // a = factor * symbol + rest, with earlier symbols in factor and rest.
  Polynomial factor, rest;
  for (const auto &[product, coefficient] : a.terms) {
    if (product.empty() || product.back() != *latest) {
      rest.terms[product] = coefficient;
      continue;
    }
    Polynomial::Product others(product.begin(), product.end() - 1);
    if (!others.empty() && others.back() == *latest)
      return false;
    factor.terms[others] = coefficient;
  }
  std::optional<Polynomial> negated = subtract(Polynomial(), factor);
  bool isPositive = prove(factor, budget);
  if (!isPositive && (!negated || !prove(*negated, budget)))
    return false;

  const Symbol &symbol = symbols[*latest];
  auto holdsWith = [&](const Polynomial &times, const Polynomial &bound, const Polynomial &plus) {
    std::optional<Polynomial> product = multiply(times, bound);
    std::optional<Polynomial> next = product ? add(*product, plus) : std::nullopt;
    return next && prove(*next, budget);
  };
  for (const Polynomial &bound : isPositive ? symbol.facts.lower : symbol.facts.upper)
    if (holdsWith(factor, bound, rest))
      return true;

  switch (symbol.kind) {
  case Kind::Leaf:
    break;
  case Kind::Quotient: {
    const Polynomial &dividend = symbol.operands[0], &divisor = symbol.operands[1];
    // factor * floor(x / b) = factor / b * (x - remainder), where b divides factor.
    if (divisor.isConstant()) {
      // Scaling a polynomial does not change its sign.
      Wide by = divisor.constantTerm(), shared = by;
      for (const auto &[product, coefficient] : factor.terms)
        for (Wide other = coefficient < 0 ? -coefficient : coefficient; other != 0;) {
          shared %= other;
          std::swap(shared, other);
        }
      std::optional<Polynomial> scaled = multiply(factor, Polynomial::constant(by / shared));
      std::optional<Polynomial> scaledRest = multiply(rest, Polynomial::constant(by / shared));
      auto [least, most] = remainderRange(dividend, by);
      std::optional<Polynomial> bound = subtract(dividend, Polynomial::constant(isPositive ? most : least));
      if (scaled && scaledRest && bound && holdsWith(splitBy(*scaled, divisor).first, *bound, *scaledRest))
        return true;
    } else if (auto [quotient, left] = splitBy(factor, divisor); left.terms.empty()) {
      std::optional<Polynomial> bound = dividend;
      if (isPositive)
        if ((bound = subtract(dividend, divisor)))
          bound = add(*bound, Polynomial::constant(1));
      if (bound && holdsWith(quotient, *bound, rest))
        return true;
    }
    if (!isPositive)
      if (std::optional<Polynomial> bound = boundQuotient(dividend, divisor, budget))
        if (holdsWith(factor, *bound, rest))
          return true;
    break;
  }
  case Kind::Min:
  case Kind::Max:
  case Kind::OneOf: {
    // A minimum is below each, a maximum above each; otherwise either may be the one.
    bool isEither = (symbol.kind == Kind::Min && !isPositive) || (symbol.kind == Kind::Max && isPositive);
    bool first = holdsWith(factor, symbol.operands[0], rest);
    if (isEither && first)
      return true;
    if (isEither != first && holdsWith(factor, symbol.operands[1], rest))
      return true;
    break;
  }
  }
  std::optional<Wide> limit = isPositive ? symbol.facts.min : symbol.facts.max;
  return limit && holdsWith(factor, Polynomial::constant(*limit), rest);
}

bool SymbolicBounds::isNonNegative(const Polynomial &a) const {
  int budget = kBudget;
  return prove(a, budget);
}

bool SymbolicBounds::isAtMost(const Polynomial &a, const Polynomial &b) const {
  std::optional<Polynomial> difference = subtract(b, a);
  return difference && isNonNegative(*difference);
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
  if (info.kind != Kind::Quotient || !info.operands[1].isConstant() ||
      info.operands[1].constantTerm() > std::numeric_limits<int64_t>::max())
    return std::nullopt;
  return static_cast<int64_t>(info.operands[1].constantTerm());
}

static std::string printWide(Wide value) {
  bool isNegative = value < 0;
  std::string digits;
  do
    digits.insert(digits.begin(), static_cast<char>('0' + (isNegative ? -(value % 10) : value % 10)));
  while (value /= 10);
  return (isNegative ? "-" : "") + digits;
}

std::string SymbolicBounds::print(const Polynomial &a, const std::function<std::string(unsigned)> &leafName) const {
  // Operands are made from earlier symbols, so names grow from the first to the last.
  std::map<unsigned, std::string> names;
  auto printTerms = [&](const Polynomial &polynomial) {
    std::string text;
    // The constant is first in the map and last in the text.
    auto append = [&](const Polynomial::Product &product, Wide coefficient) {
      std::string term;
      bool isNegative = coefficient < 0;
      Wide size = isNegative ? -coefficient : coefficient;
      if (size != 1 || product.empty())
        term = printWide(size);
      for (unsigned symbol : product)
        term += (term.empty() ? "" : "*") + names[symbol];
      text += text.empty() ? (isNegative ? "-" : "") : isNegative ? " - " : " + ";
      text += term;
    };
    for (const auto &[product, coefficient] : polynomial.terms)
      if (!product.empty())
        append(product, coefficient);
    if (Wide constant = polynomial.constantTerm(); constant != 0 || text.empty())
      append({}, constant);
    return text;
  };
  for (unsigned symbol : symbolsBehind(a)) {
    const Symbol &info = symbols[symbol];
    if (info.kind == Kind::Leaf) {
      names[symbol] = leafName(symbol);
      continue;
    }
    std::string first = printTerms(info.operands[0]), second = printTerms(info.operands[1]);
    names[symbol] = info.kind == Kind::Quotient ? "floor((" + first + ") / " +
                                                      (info.operands[1].terms.size() > 1 ? "(" + second + ")" : second) +
                                                      ")"
                    : info.kind == Kind::Min    ? "min(" + first + ", " + second + ")"
                    : info.kind == Kind::Max    ? "max(" + first + ", " + second + ")"
                                                : "(" + first + " or " + second + ")";
  }
  return printTerms(a);
}
