// SPDX-License-Identifier: Apache-2.0
/// \file
/// Polynomials with exact integer coefficients over numbered symbols, apart from any IR. Index arithmetic multiplies
/// numbers that are not known (`row * stride`), so sums of constants times symbols do not do; equal numbers must
/// compare equal however they were written, so there is one form: a sorted sum of products.
///
/// Overflow: a sum, difference, product or quotient is exact or there is none. There is none where a coefficient, also
/// one on the way to the result, lies outside -2^100 to 2^100: room for products of a few 64-bit numbers, and sums of
/// two such fit 128 bits. Code that puts coefficients into a program of 64 bits asks `hasInt64Coefficients` first.
///
/// Worked example: with k = symbol 0 and s = symbol 1, `(k + 1) * s - s` is stored as the one term {[0, 1]: 1}.
#ifndef TILEWRIGHT_ANALYSIS_POLYNOMIAL_H
#define TILEWRIGHT_ANALYSIS_POLYNOMIAL_H

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tilewright {

/// Wide enough for sums and products of a few 64-bit numbers; operations check for overflow.
__extension__ typedef __int128 Wide;

/// The largest size of a coefficient, a power of two.
constexpr Wide kMaxCoefficient = Wide(1) << 100;

/// The quotient rounded to minus infinity.
inline Wide floorDivide(Wide a, Wide b) { return a / b - (a % b != 0 && (a < 0) != (b < 0)); }

/// A sum of products of symbols with coefficients; no coefficient is 0.
struct Polynomial {
  /// The symbols of one product, sorted, each as often as it is a factor; empty for the constant.
  using Product = std::vector<unsigned>;
  std::map<Product, Wide> terms;

  static Polynomial constant(Wide value);
  static Polynomial symbol(unsigned symbol);
  bool isZero() const { return terms.empty(); }
  bool isConstant() const;
  Wide constantTerm() const;
  /// The value, if no symbol occurs and it has 64 bits, signed.
  std::optional<int64_t> asInt64() const;
  /// Whether every coefficient has 64 bits, signed.
  bool hasInt64Coefficients() const;
  /// The symbol that this is, alone and once.
  std::optional<unsigned> asSymbol() const;
  /// The latest symbol in it; nothing for a constant.
  std::optional<unsigned> latestSymbol() const;

  bool operator==(const Polynomial &other) const { return terms == other.terms; }
  bool operator!=(const Polynomial &other) const { return terms != other.terms; }
  bool operator<(const Polynomial &other) const { return terms < other.terms; }
};

/// Exact arithmetic; nothing where a coefficient leaves its limits, a product has more than 8 symbols or the result
/// more than 64 terms.
std::optional<Polynomial> add(const Polynomial &a, const Polynomial &b);
std::optional<Polynomial> subtract(const Polynomial &a, const Polynomial &b);
std::optional<Polynomial> multiply(const Polynomial &a, const Polynomial &b);
/// Nothing unless every coefficient is a multiple of `divisor`, which is not 0.
std::optional<Polynomial> divide(const Polynomial &a, Wide divisor);

/// The values of the symbols of a polynomial put in; for tests and for constants.
Wide evaluate(const Polynomial &polynomial, const std::function<Wide(unsigned)> &valueOf);

/// For messages, e.g. "64*trip + 63"; the constant comes last.
std::string print(const Polynomial &polynomial, const std::function<std::string(unsigned)> &nameOf);

} // namespace tilewright

#endif // TILEWRIGHT_ANALYSIS_POLYNOMIAL_H
