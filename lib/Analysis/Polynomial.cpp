// SPDX-License-Identifier: Apache-2.0
#include "tilewright/Analysis/Polynomial.h"

#include <algorithm>
#include <iterator>
#include <limits>

using namespace tilewright;

/// Limits that keep a proof quick; what grows past them is given up.
static constexpr size_t kMaxTerms = 64;
static constexpr size_t kMaxDegree = 8;

Polynomial Polynomial::constant(Wide value) {
  Polynomial result;
  if (value != 0)
    result.terms[{}] = value;
  return result;
}

Polynomial Polynomial::symbol(unsigned symbol) {
  Polynomial result;
  result.terms[{symbol}] = 1;
  return result;
}

bool Polynomial::isConstant() const { return terms.empty() || (terms.size() == 1 && terms.begin()->first.empty()); }

Wide Polynomial::constantTerm() const {
  auto found = terms.find({});
  return found == terms.end() ? 0 : found->second;
}

static bool isInt64(Wide value) {
  return value >= std::numeric_limits<int64_t>::min() && value <= std::numeric_limits<int64_t>::max();
}

std::optional<int64_t> Polynomial::asInt64() const {
  Wide value = constantTerm();
  return isConstant() && isInt64(value) ? std::optional<int64_t>(static_cast<int64_t>(value)) : std::nullopt;
}

bool Polynomial::hasInt64Coefficients() const {
  return std::all_of(terms.begin(), terms.end(), [](const auto &term) { return isInt64(term.second); });
}

std::optional<unsigned> Polynomial::asSymbol() const {
  if (terms.size() != 1 || terms.begin()->first.size() != 1 || terms.begin()->second != 1)
    return std::nullopt;
  return terms.begin()->first.front();
}

std::optional<unsigned> Polynomial::latestSymbol() const {
  std::optional<unsigned> latest;
  for (const auto &[product, coefficient] : terms)
    if (!product.empty())
      latest = std::max(latest.value_or(0), product.back());
  return latest;
}

/// The sum of two such numbers has 128 bits.
static bool isInLimits(Wide coefficient) { return coefficient <= kMaxCoefficient && coefficient >= -kMaxCoefficient; }

/// Adds a term; false where it grows too large.
static bool addTerm(Polynomial &to, const Polynomial::Product &product, Wide coefficient) {
  Wide &sum = to.terms[product];
  if (!isInLimits(sum) || !isInLimits(coefficient) || !isInLimits(sum += coefficient))
    return false;
  if (sum == 0)
    to.terms.erase(product);
  return to.terms.size() <= kMaxTerms;
}

std::optional<Polynomial> tilewright::add(const Polynomial &a, const Polynomial &b) {
  Polynomial sum = a;
  for (const auto &[product, coefficient] : b.terms)
    if (!addTerm(sum, product, coefficient))
      return std::nullopt;
  return sum;
}

std::optional<Polynomial> tilewright::subtract(const Polynomial &a, const Polynomial &b) {
  Polynomial difference = a;
  for (const auto &[product, coefficient] : b.terms)
    if (!addTerm(difference, product, -coefficient))
      return std::nullopt;
  return difference;
}

std::optional<Polynomial> tilewright::multiply(const Polynomial &a, const Polynomial &b) {
  Polynomial result;
  for (const auto &[aProduct, aCoefficient] : a.terms) {
    for (const auto &[bProduct, bCoefficient] : b.terms) {
      Polynomial::Product product;
      std::merge(aProduct.begin(), aProduct.end(), bProduct.begin(), bProduct.end(), std::back_inserter(product));
      Wide coefficient;
      if (product.size() > kMaxDegree || __builtin_mul_overflow(aCoefficient, bCoefficient, &coefficient) ||
          !addTerm(result, product, coefficient))
        return std::nullopt;
    }
  }
  return result;
}

std::optional<Polynomial> tilewright::divide(const Polynomial &a, Wide divisor) {
  Polynomial quotient;
  for (const auto &[product, coefficient] : a.terms) {
    if (coefficient % divisor != 0)
      return std::nullopt;
    quotient.terms[product] = coefficient / divisor;
  }
  return quotient;
}

Wide tilewright::evaluate(const Polynomial &polynomial, const std::function<Wide(unsigned)> &valueOf) {
  Wide sum = 0;
  for (const auto &[product, coefficient] : polynomial.terms) {
    Wide value = coefficient;
    for (unsigned symbol : product)
      value *= valueOf(symbol);
    sum += value;
  }
  return sum;
}

static std::string printWide(Wide value) {
  bool isNegative = value < 0;
  std::string digits;
  do
    digits.insert(digits.begin(), static_cast<char>('0' + (isNegative ? -(value % 10) : value % 10)));
  while (value /= 10);
  return (isNegative ? "-" : "") + digits;
}

std::string tilewright::print(const Polynomial &polynomial, const std::function<std::string(unsigned)> &nameOf) {
  std::string text;
  // The constant is first in the map and last in the text.
  auto append = [&](const Polynomial::Product &product, Wide coefficient) {
    std::string term;
    bool isNegative = coefficient < 0;
    Wide size = isNegative ? -coefficient : coefficient;
    if (size != 1 || product.empty())
      term = printWide(size);
    for (unsigned symbol : product)
      term += (term.empty() ? "" : "*") + nameOf(symbol);
    text += text.empty() ? (isNegative ? "-" : "") : isNegative ? " - " : " + ";
    text += term;
  };
  for (const auto &[product, coefficient] : polynomial.terms)
    if (!product.empty())
      append(product, coefficient);
  if (Wide constant = polynomial.constantTerm(); constant != 0 || text.empty())
    append({}, constant);
  return text;
}
