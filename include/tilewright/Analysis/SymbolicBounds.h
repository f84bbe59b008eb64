// SPDX-License-Identifier: Apache-2.0
/// \file
/// Bounds of integer expressions that relate to each other, apart from any IR so that a unit test can prove every rule
/// by brute force over small ranges.
///
/// A number is a polynomial with exact integer coefficients over symbols. A symbol is a leaf, of which only facts are
/// known, or a function (quotient, minimum, maximum, one of two) of polynomials over earlier symbols. A proof that a
/// polynomial is not negative replaces its latest symbol by a bound of it, which leaves earlier symbols only, until
/// constants are left.
///
/// Worked example: a loop variable that starts at 0 and steps by 64 below k is 64 * j with j at most
/// floor((k - 1) / 64). If 64 divides k, the remainder of k - 1 is exactly 63, so that 64 * j <= k - 1 - 63 and the last
/// of 64 indices, 64 * j + 63, is at most k - 1. The same rule serves id * 128 + 127 below a size when there are
/// ceildiv(size, 128) programs, since that is floor((size + 127) / 128).
#ifndef TILEWRIGHT_ANALYSIS_SYMBOLICBOUNDS_H
#define TILEWRIGHT_ANALYSIS_SYMBOLICBOUNDS_H

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace tilewright {

/// Wide enough for sums and products of a few 64-bit numbers; operations check for overflow.
__extension__ typedef __int128 Wide;

/// A sum of products of symbols with coefficients; no coefficient is 0.
struct Polynomial {
  /// The symbols of one product, sorted, each as often as it is a factor; empty for the constant.
  using Product = std::vector<unsigned>;
  std::map<Product, Wide> terms;

  static Polynomial constant(Wide value);
  static Polynomial symbol(unsigned symbol);
  bool isConstant() const;
  Wide constantTerm() const;
  /// The symbol that this is, alone and once.
  std::optional<unsigned> asSymbol() const;
  /// The latest symbol in it; nothing for a constant.
  std::optional<unsigned> latestSymbol() const;

  bool operator==(const Polynomial &other) const { return terms == other.terms; }
  bool operator<(const Polynomial &other) const { return terms < other.terms; }
};

/// Exact arithmetic; nothing where a coefficient or the number of terms grows too large.
std::optional<Polynomial> add(const Polynomial &a, const Polynomial &b);
std::optional<Polynomial> subtract(const Polynomial &a, const Polynomial &b);
std::optional<Polynomial> multiply(const Polynomial &a, const Polynomial &b);

/// The values of the symbols of a polynomial put in; for tests and for constants.
Wide evaluate(const Polynomial &polynomial, const std::function<Wide(unsigned)> &valueOf);

/// What is known about a symbol: limits, a divisor (0: the symbol is 0), and polynomials over earlier symbols that it
/// is never above (`upper`) or below (`lower`).
struct SymbolFacts {
  std::optional<Wide> min, max;
  int64_t divisor = 1;
  std::vector<Polynomial> upper, lower;
};

class SymbolicBounds {
public:
  unsigned addLeaf(SymbolFacts facts);
  /// Adds what else is known about a symbol. Polynomials made before do not become simpler by it.
  void refine(unsigned symbol, std::optional<Wide> min, std::optional<Wide> max, int64_t divisor);

  /// Quotients rounded to minus and plus infinity. `b` must be positive: a constant that is not gives nothing, of any
  /// other number the caller knows it, e.g. because its code divides by it and it is not negative.
  std::optional<Polynomial> floorDiv(const Polynomial &a, const Polynomial &b);
  std::optional<Polynomial> ceilDiv(const Polynomial &a, const Polynomial &b);
  /// a - b * floorDiv(a, b).
  std::optional<Polynomial> floorRem(const Polynomial &a, const Polynomial &b);
  Polynomial minimum(const Polynomial &a, const Polynomial &b);
  Polynomial maximum(const Polynomial &a, const Polynomial &b);
  /// A number that is `a` or `b`, who knows which.
  Polynomial oneOf(const Polynomial &a, const Polynomial &b);

  /// Whether the facts prove that `a` is never negative, or never above `b`. False proves nothing.
  bool isNonNegative(const Polynomial &a) const;
  bool isAtMost(const Polynomial &a, const Polynomial &b) const;
  /// A number that divides `a` (0: `a` is 0).
  int64_t divisorOf(const Polynomial &a) const;

  /// The symbols that `a` and the bounds of its symbols are made from.
  std::set<unsigned> symbolsBehind(const Polynomial &a) const;
  /// The constant that a quotient divides by; nothing for other symbols.
  std::optional<int64_t> quotientBy(unsigned symbol) const;
  std::string print(const Polynomial &a, const std::function<std::string(unsigned)> &leafName) const;

private:
  enum class Kind { Leaf, Quotient, Min, Max, OneOf };
  struct Symbol {
    Kind kind;
    std::vector<Polynomial> operands;
    SymbolFacts facts;
  };
  using Key = std::pair<Kind, std::vector<Polynomial>>;

  Polynomial intern(Kind kind, std::vector<Polynomial> operands, const std::function<SymbolFacts()> &facts);
  Polynomial choice(Kind kind, const Polynomial &a, const Polynomial &b);
  std::optional<Wide> lowerLimit(const Polynomial &a) const;
  std::optional<Wide> upperLimit(const Polynomial &a) const;
  std::pair<Wide, Wide> remainderRange(const Polynomial &a, Wide by) const;
  std::optional<Polynomial> boundQuotient(Polynomial a, const Polynomial &b, int &budget) const;
  bool prove(const Polynomial &a, int &budget) const;

  std::vector<Symbol> symbols;
  std::map<Key, unsigned> known;
};

} // namespace tilewright

#endif // TILEWRIGHT_ANALYSIS_SYMBOLICBOUNDS_H
