// SPDX-License-Identifier: Apache-2.0
/// \file
/// Polynomials with integer coefficients over numbered symbols, on plain integers, apart from any IR. Index arithmetic
/// multiplies numbers that are not known (`row * stride`), so sums of constants times symbols do not do; equal numbers
/// must compare equal however they were written, so there is one form: a sorted sum of products.
///
/// Worked example: with k = symbol 0 and s = symbol 1, `(k + 1) * s - s` is stored as the one term {[0, 1]: 1}.
#ifndef TILEWRIGHT_ANALYSIS_ADDRESSPOLYNOMIAL_H
#define TILEWRIGHT_ANALYSIS_ADDRESSPOLYNOMIAL_H

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace tilewright {

class AddressPolynomial {
public:
  /// A product of symbols, in rising order; empty for the constant term.
  using Monomial = std::vector<unsigned>;

  AddressPolynomial() = default; ///< 0.
  static AddressPolynomial constant(int64_t value);
  static AddressPolynomial symbol(unsigned number);

  /// Exact; nothing where a coefficient leaves 64 bits or the result has more than 64 terms.
  static std::optional<AddressPolynomial> add(const AddressPolynomial &a, const AddressPolynomial &b);
  static std::optional<AddressPolynomial> subtract(const AddressPolynomial &a, const AddressPolynomial &b);
  static std::optional<AddressPolynomial> multiply(const AddressPolynomial &a, const AddressPolynomial &b);
  /// Nothing unless every coefficient is a multiple of `divisor`, which is not 0.
  static std::optional<AddressPolynomial> divide(const AddressPolynomial &a, int64_t divisor);

  bool isZero() const { return terms.empty(); }
  /// The value, if no symbol occurs.
  std::optional<int64_t> getConstant() const;
  /// Coefficient of each product, none of them 0.
  const std::map<Monomial, int64_t> &getTerms() const { return terms; }
  bool operator==(const AddressPolynomial &other) const { return terms == other.terms; }
  bool operator!=(const AddressPolynomial &other) const { return terms != other.terms; }
  bool operator<(const AddressPolynomial &other) const { return terms < other.terms; }

private:
  std::map<Monomial, int64_t> terms;

  bool addTerm(const Monomial &product, int64_t coefficient);
};

} // namespace tilewright

#endif // TILEWRIGHT_ANALYSIS_ADDRESSPOLYNOMIAL_H
