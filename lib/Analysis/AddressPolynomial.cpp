// SPDX-License-Identifier: Apache-2.0
#include "tilewright/Analysis/AddressPolynomial.h"

#include <algorithm>

using namespace tilewright;

/// More terms than any sensible address has.
static constexpr size_t kMaxTerms = 64;

AddressPolynomial AddressPolynomial::constant(int64_t value) {
  AddressPolynomial result;
  if (value != 0)
    result.terms[{}] = value;
  return result;
}

AddressPolynomial AddressPolynomial::symbol(unsigned number) {
  AddressPolynomial result;
  result.terms[{number}] = 1;
  return result;
}

bool AddressPolynomial::addTerm(const Monomial &product, int64_t coefficient) {
  int64_t &sum = terms[product];
  if (__builtin_add_overflow(sum, coefficient, &sum))
    return false;
  if (sum == 0)
    terms.erase(product);
  return terms.size() <= kMaxTerms;
}

std::optional<AddressPolynomial> AddressPolynomial::add(const AddressPolynomial &a, const AddressPolynomial &b) {
  AddressPolynomial result = a;
  for (const auto &[product, coefficient] : b.terms)
    if (!result.addTerm(product, coefficient))
      return std::nullopt;
  return result;
}

std::optional<AddressPolynomial> AddressPolynomial::subtract(const AddressPolynomial &a, const AddressPolynomial &b) {
  std::optional<AddressPolynomial> negative = multiply(b, constant(-1));
  return negative ? add(a, *negative) : std::nullopt;
}

std::optional<AddressPolynomial> AddressPolynomial::multiply(const AddressPolynomial &a, const AddressPolynomial &b) {
  AddressPolynomial result;
  for (const auto &[left, leftCoefficient] : a.terms)
    for (const auto &[right, rightCoefficient] : b.terms) {
      Monomial product(left);
      product.insert(product.end(), right.begin(), right.end());
      std::sort(product.begin(), product.end());
      int64_t coefficient = 0;
      if (__builtin_mul_overflow(leftCoefficient, rightCoefficient, &coefficient) ||
          !result.addTerm(product, coefficient))
        return std::nullopt;
    }
  return result;
}

std::optional<AddressPolynomial> AddressPolynomial::divide(const AddressPolynomial &a, int64_t divisor) {
  AddressPolynomial result;
  for (const auto &[product, coefficient] : a.terms) {
    // The one quotient that leaves 64 bits.
    if (divisor == -1 && coefficient == INT64_MIN)
      return std::nullopt;
    if (coefficient % divisor != 0)
      return std::nullopt;
    result.terms[product] = coefficient / divisor;
  }
  return result;
}

std::optional<int64_t> AddressPolynomial::getConstant() const {
  if (terms.empty())
    return 0;
  if (terms.size() == 1 && terms.begin()->first.empty())
    return terms.begin()->second;
  return std::nullopt;
}
