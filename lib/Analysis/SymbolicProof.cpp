// SPDX-License-Identifier: Apache-2.0
#include "SymbolicProof.h"

#include <algorithm>
#include <limits>
#include <numeric>

using namespace tilewright;

/// Replacements inside each other; more than any proof needs.
static constexpr int kMaxDepth = 48;

static Wide greatestCommonDivisor(Wide a, Wide b) {
  a = a < 0 ? -a : a;
  b = b < 0 ? -b : b;
  while (b != 0) {
    a %= b;
    std::swap(a, b);
  }
  return a;
}

/// The greatest number and product that divide all terms of `a` and the term `with`.
static void shareTerms(const Polynomial &a, Polynomial::Product &product, Wide &coefficient) {
  for (const auto &[other, factor] : a.terms) {
    Polynomial::Product both;
    std::set_intersection(product.begin(), product.end(), other.begin(), other.end(), std::back_inserter(both));
    product = both;
    coefficient = greatestCommonDivisor(coefficient, factor);
  }
}

/// `a` divided by a term that divides all of its own.
static Polynomial divideByTerm(const Polynomial &a, const Polynomial::Product &product, Wide coefficient) {
  Polynomial result;
  for (const auto &[other, factor] : a.terms) {
    Polynomial::Product left;
    std::set_difference(other.begin(), other.end(), product.begin(), product.end(), std::back_inserter(left));
    result.terms[left] = factor / coefficient;
  }
  return result;
}

std::optional<Polynomial> SymbolicProof::findFactor(const Polynomial &a, const Polynomial &b) {
  const auto &[by, divisor] = *b.terms.begin();
  for (const auto &[product, coefficient] : a.terms) {
    if (coefficient % divisor != 0 || !std::includes(product.begin(), product.end(), by.begin(), by.end()))
      continue;
    Polynomial::Product left;
    std::set_difference(product.begin(), product.end(), by.begin(), by.end(), std::back_inserter(left));
    Polynomial factor;
    factor.terms[left] = coefficient / divisor;
    if (std::optional<Polynomial> whole = multiply(factor, b); whole && *whole == a)
      return factor;
  }
  return std::nullopt;
}

/// `a` with each `symbol` replaced.
static std::optional<Polynomial> replace(const Polynomial &a, unsigned symbol, const Polynomial &by) {
  Polynomial result;
  for (const auto &[product, coefficient] : a.terms) {
    Polynomial others;
    Polynomial::Product left;
    std::remove_copy(product.begin(), product.end(), std::back_inserter(left), symbol);
    others.terms[left] = coefficient;
    std::optional<Polynomial> term = others;
    for (size_t i = left.size(); term && i < product.size(); ++i)
      term = multiply(*term, by);
    std::optional<Polynomial> sum = term ? add(result, *term) : std::nullopt;
    if (!sum)
      return std::nullopt;
    result = std::move(*sum);
  }
  return result;
}

SymbolicProof::Split SymbolicProof::splitAt(const Polynomial &a, unsigned symbol) {
  Split split{symbol, {}, {}};
  for (const auto &[product, coefficient] : a.terms) {
    auto found = std::find(product.begin(), product.end(), symbol);
    if (found == product.end()) {
      split.rest.terms[product] = coefficient;
      continue;
    }
    Polynomial::Product others(product.begin(), found);
    others.insert(others.end(), found + 1, product.end());
    split.factor.terms[others] = coefficient;
  }
  return split;
}

/// The largest number that is not negative exactly where `a` is not, with the smallest coefficients: with `d` dividing
/// all that varies, d * v + c >= 0 if and only if v + floor(c / d) >= 0.
std::optional<Polynomial> SymbolicProof::tighten(const Polynomial &a) const {
  Polynomial varying = a;
  varying.terms.erase(Polynomial::Product());
  Wide constant = a.constantTerm();
  int64_t divisor = bounds.divisorOf(varying);
  if (divisor == 0)
    return Polynomial::constant(constant);
  constant = floorDivide(constant, divisor) * divisor + divisor - 1;
  Wide shared = 0;
  for (const auto &[product, coefficient] : varying.terms)
    shared = greatestCommonDivisor(shared, coefficient);
  for (auto &[product, coefficient] : varying.terms)
    coefficient /= shared;
  return add(varying, Polynomial::constant(floorDivide(constant, shared)));
}

bool SymbolicProof::prove() {
  if (isNonNegative(goal))
    return true;
  // With what is taken for granted: a sum of two numbers that are not negative is not.
  return std::any_of(bounds.assumed.begin(), bounds.assumed.end(), [&](const Polynomial &known) {
    std::optional<Polynomial> rest = subtract(goal, known);
    if (keepsSteps)
      steps = {Step{Polynomial(), known}};
    return rest && isNonNegative(*rest);
  });
}

bool SymbolicProof::isNonNegative(const Polynomial &a) {
  if (--budget < 0 || depth > kMaxDepth)
    return false;
  std::optional<Polynomial> tight = tighten(a);
  if (!tight)
    return false;
  auto isAboveLimit = [&] {
    std::optional<Wide> limit = bounds.lowerLimit(*tight, &limits);
    return limit && *limit >= 0;
  };
  if (isAboveLimit())
    return true;
  if (tight->isConstant())
    return false;
  if (!hasLearnt) {
    hasLearnt = true;
    learnAll();
    if (isAboveLimit())
      return true;
  }
  if (auto found = tried.find(*tight); found != tried.end()) {
    if (found->second)
      steps.insert(steps.end(), found->second->begin(), found->second->end());
    return found->second.has_value();
  }
  ++depth;
  size_t before = steps.size();
  bool isProved = search(*tight);
  --depth;
  if (budget >= 0)
    tried[*tight] = isProved ? std::optional(std::vector<Step>(steps.begin() + before, steps.end())) : std::nullopt;
  return isProved;
}

bool SymbolicProof::holdsWith(const Polynomial &times, const Polynomial &bound, const Polynomial &plus,
                              const Polynomial &replaced, bool isBelow) {
  std::optional<Polynomial> product = multiply(times, bound);
  std::optional<Polynomial> next = product ? add(*product, plus) : std::nullopt;
  if (!next)
    return false;
  size_t before = steps.size();
  if (keepsSteps)
    steps.push_back(isBelow ? Step{bound, replaced} : Step{replaced, bound});
  if (isNonNegative(*next))
    return true;
  steps.resize(before);
  return false;
}

/// Steps that led nowhere are forgotten.
bool SymbolicProof::search(const Polynomial &a) {
  size_t before = steps.size();
  bool isProved = searchSteps(a);
  if (!isProved)
    steps.resize(before);
  return isProved;
}

bool SymbolicProof::searchSteps(const Polynomial &a) {
  Split split = splitAt(a, *a.latestSymbol());
  std::optional<bool> isPositive;
  if (isNonNegative(split.factor)) {
    isPositive = true;
  } else if (std::optional<Polynomial> negated = subtract(Polynomial(), split.factor);
             negated && isNonNegative(*negated)) {
    isPositive = false;
  }
  const SymbolicBounds::Symbol &symbol = bounds.symbols[split.symbol];
  bool isChoice = symbol.kind != SymbolKind::Leaf && symbol.kind != SymbolKind::Quotient;
  if (isChoice && holdsForEither(a, split, isPositive))
    return true;
  if (!isPositive)
    return false;
  Polynomial self = Polynomial::symbol(split.symbol);
  for (const Polynomial &bound : *isPositive ? symbol.facts.lower : symbol.facts.upper)
    if (holdsWith(split.factor, bound, split.rest, self, *isPositive))
      return true;
  if (symbol.kind == SymbolKind::Quotient && holdsForQuotient(split, *isPositive))
    return true;
  std::optional<Wide> limit = *isPositive ? symbol.facts.min : symbol.facts.max;
  if (auto known = limits.find(split.symbol); *isPositive && known != limits.end())
    limit = known->second;
  return limit && holdsWith(split.factor, Polynomial::constant(*limit), split.rest, self, *isPositive);
}

/// The least and largest remainder of `a` by the positive `by`. Only the part of `by` that all terms share is certain.
std::pair<Wide, Wide> SymbolicProof::remainderRange(const Polynomial &a, Wide by) const {
  if (by > std::numeric_limits<int64_t>::max())
    return {0, by - 1};
  Polynomial varying = a;
  varying.terms.erase(Polynomial::Product());
  int64_t shared = std::gcd(bounds.divisorOf(varying), static_cast<int64_t>(by));
  Wide constant = a.constantTerm(), least = constant - floorDivide(constant, shared) * shared;
  return {least, by - shared + least};
}

/// With q = floor(x / b): b * q is x less a remainder from 0 to b - 1. For whatever m above 0 turns `factor` into a
/// multiple f * b, the number is not negative exactly where m times it is above -m, that is where
/// f * (x - remainder) + m * rest + m - 1 is not negative.
bool SymbolicProof::holdsForQuotient(const Split &split, bool isPositive) {
  const std::vector<Polynomial> &operands = bounds.symbols[split.symbol].operands;
  const Polynomial &x = operands[0], &b = operands[1];
  std::optional<Polynomial> f = findFactor(split.factor, b);
  Polynomial m = Polynomial::constant(1);
  if (!f) {
    // What b and the factor share need not be multiplied; it must not be negative, as b is not, for m to be above 0.
    Polynomial::Product product = b.terms.begin()->first;
    Wide coefficient = 0;
    shareTerms(b, product, coefficient);
    shareTerms(split.factor, product, coefficient);
    auto mayBeNegative = [&](unsigned symbol) {
      std::optional<Wide> least = bounds.lowerLimit(Polynomial::symbol(symbol), &limits);
      return !least || *least < 0;
    };
    product.erase(std::remove_if(product.begin(), product.end(), mayBeNegative), product.end());
    m = divideByTerm(b, product, coefficient);
    f = divideByTerm(split.factor, product, coefficient);
  }
  std::optional<Polynomial> bound;
  if (b.isConstant()) {
    auto [least, most] = remainderRange(x, b.constantTerm());
    bound = subtract(x, Polynomial::constant(isPositive ? most : least));
  } else if (isPositive) {
    bound = subtract(x, b);
    bound = bound ? add(*bound, Polynomial::constant(1)) : std::nullopt;
  } else {
    bound = x;
  }
  std::optional<Polynomial> scaled = multiply(m, split.rest);
  std::optional<Polynomial> slack = subtract(m, Polynomial::constant(1));
  std::optional<Polynomial> plus = scaled && slack ? add(*scaled, *slack) : std::nullopt;
  Polynomial self = Polynomial::symbol(split.symbol);
  Polynomial multiple = multiply(b, self).value_or(self);
  return bound && plus && holdsWith(*f, *bound, *plus, multiple, isPositive);
}

/// A minimum is below each, a maximum above each, so that one of them can be enough; otherwise either may be the one.
bool SymbolicProof::holdsForEither(const Polynomial &a, const Split &split, std::optional<bool> isPositive) {
  const SymbolicBounds::Symbol &symbol = bounds.symbols[split.symbol];
  const Polynomial &first = symbol.operands[0], &second = symbol.operands[1];
  Polynomial self = Polynomial::symbol(split.symbol);
  if (isPositive && symbol.kind == (*isPositive ? SymbolKind::Max : SymbolKind::Min)) {
    return holdsWith(split.factor, first, split.rest, self, *isPositive) ||
           holdsWith(split.factor, second, split.rest, self, *isPositive);
  }
  auto holdsAs = [&](const Polynomial &operand) {
    std::optional<Polynomial> next = replace(a, split.symbol, operand);
    return next && isNonNegative(*next);
  };
  size_t before = steps.size();
  bool holds = holdsAs(first) && holdsAs(second);
  if (!holds)
    steps.resize(before);
  return holds;
}

/// What the symbols behind the goal being there says: their code divides by no 0, and what lies below an upper bound
/// shows that the bound is not too low. The operands of a choice by a condition need not have been computed.
void SymbolicProof::learnAll() {
  for (const Polynomial &known : bounds.assumed)
    learn(known, 0);
  std::set<unsigned> seen;
  std::vector<const Polynomial *> worklist{&goal};
  while (!worklist.empty()) {
    const Polynomial *next = worklist.back();
    worklist.pop_back();
    for (const auto &[product, coefficient] : next->terms)
      for (unsigned number : product) {
        if (!seen.insert(number).second)
          continue;
        const SymbolicBounds::Symbol &symbol = bounds.symbols[number];
        if (symbol.kind == SymbolKind::Quotient)
          learn(symbol.operands[1], 1);
        if (symbol.facts.min)
          for (const Polynomial &bound : symbol.facts.upper)
            learn(bound, *symbol.facts.min);
        if (symbol.kind != SymbolKind::OneOf)
          for (const Polynomial &operand : symbol.operands)
            worklist.push_back(&operand);
        for (const auto *list : {&symbol.facts.upper, &symbol.facts.lower})
          for (const Polynomial &bound : *list)
            worklist.push_back(&bound);
      }
  }
}

/// `a` is known to be at least `least`.
void SymbolicProof::learn(const Polynomial &a, Wide least) {
  std::vector<std::pair<Polynomial, Wide>> worklist{{a, least}};
  while (!worklist.empty()) {
    auto [known, low] = std::move(worklist.back());
    worklist.pop_back();
    low -= known.constantTerm();
    known.terms.erase(Polynomial::Product());
    if (known.terms.size() != 1 || known.terms.begin()->second <= 0)
      continue;
    const auto &[product, coefficient] = *known.terms.begin();
    low = -floorDivide(-low, coefficient);
    // A product of numbers that are not negative is above 0 only if each is.
    bool isProduct = product.size() > 1;
    if (isProduct && (low < 1 || std::any_of(product.begin(), product.end(), [&](unsigned number) {
                        return !bounds.symbols[number].facts.min || *bounds.symbols[number].facts.min < 0;
                      })))
      continue;
    for (unsigned number : product) {
      const SymbolicBounds::Symbol &symbol = bounds.symbols[number];
      Wide here = isProduct ? 1 : low;
      auto found = limits.find(number);
      std::optional<Wide> before = found != limits.end() ? std::optional<Wide>(found->second) : symbol.facts.min;
      if (before && *before >= here)
        continue;
      limits[number] = here;
      if (symbol.kind == SymbolKind::Min) {
        for (const Polynomial &operand : symbol.operands)
          worklist.push_back({operand, here});
      } else if (symbol.kind == SymbolKind::Quotient && (symbol.operands[1].isConstant() || here >= 0)) {
        // x >= here * b, and b is at least 1.
        Wide by = symbol.operands[1].isConstant() ? symbol.operands[1].constantTerm() : 1, limit;
        if (!__builtin_mul_overflow(here, by, &limit))
          worklist.push_back({symbol.operands[0], limit});
      }
    }
  }
}
