// SPDX-License-Identifier: Apache-2.0
/// \file
/// Bounds of integer expressions that relate to each other, apart from any IR so that a unit test can prove every rule
/// by brute force over small ranges.
///
/// A number is a polynomial with exact integer coefficients over symbols. A symbol is a leaf, of which only facts are
/// known, or a function (quotient, minimum, maximum, one of two) of polynomials over earlier symbols. A proof that a
/// polynomial is not negative replaces its latest symbol by a bound of it, or by each number that it can be, which
/// leaves earlier symbols only, until constants are left. A quotient floor(x / b) that nothing multiplies by b is no
/// obstacle: a number is not negative exactly where b times it is above -b.
///
/// Worked example: a loop variable that starts at 0 and steps by 64 below k is 64 * j with j at most
/// floor((k - 1) / 64). If 64 divides k, the remainder of k - 1 is exactly 63, so that 64 * j <= k - 1 - 63 and the
/// last of 64 indices, 64 * j + 63, is at most k - 1. The same rule serves id * 128 + 127 below a size when there are
/// ceildiv(size, 128) programs, since that is floor((size + 127) / 128).
///
/// The column of a program in a grid of `rows * columns` is floor(id / rows), and id <= rows * columns - 1. Is
/// columns - 1 - floor(id / rows) negative? Times rows, with rows - 1 added, it is at least rows * columns - 1 - id,
/// which is not. That rows is positive is known, since the program has divided by it.
#ifndef TILEWRIGHT_ANALYSIS_SYMBOLICBOUNDS_H
#define TILEWRIGHT_ANALYSIS_SYMBOLICBOUNDS_H

#include "tilewright/Analysis/Polynomial.h"

#include <functional>
#include <set>
#include <string>

namespace tilewright {

/// What is known about a symbol: limits, a divisor (0: the symbol is 0), and polynomials over earlier symbols that it
/// is never above (`upper`) or below (`lower`).
struct SymbolFacts {
  std::optional<Wide> min, max;
  int64_t divisor = 1;
  std::vector<Polynomial> upper, lower;
};

/// A leaf, or how a symbol is made from its operands; which one `OneOf` is, is not known.
enum class SymbolKind { Leaf, Quotient, Min, Max, OneOf };
constexpr unsigned kNumSymbolKinds = static_cast<unsigned>(SymbolKind::OneOf) + 1;

class SymbolicBounds {
public:
  unsigned addLeaf(SymbolFacts facts);
  /// Adds what else is known about a symbol. Polynomials made before do not become simpler by it.
  void refine(unsigned symbol, std::optional<Wide> min, std::optional<Wide> max, int64_t divisor);

  /// Proofs may use that `a` is not negative.
  void assumeNonNegative(const Polynomial &a) { assumed.push_back(a); }

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

  /// Whether the facts prove that `a` is never negative, or never above `b`, where all that they are made of has been
  /// computed: what a quotient divides by is positive there. False proves nothing.
  bool isNonNegative(const Polynomial &a) const;
  bool isAtMost(const Polynomial &a, const Polynomial &b) const;
  /// Inequalities (the first is at most the second) by which `isNonNegative` proves `a`, in the order in which they are
  /// used; none where limits of its symbols are enough, and nothing where it proves nothing.
  std::optional<std::vector<std::pair<Polynomial, Polynomial>>> explainNonNegative(const Polynomial &a) const;
  /// A number that divides `a` (0: `a` is 0).
  int64_t divisorOf(const Polynomial &a) const;

  /// What a symbol is, what it is made from (a quotient: what is divided, then by what), and what is known about it.
  SymbolKind kindOf(unsigned symbol) const { return symbols[symbol].kind; }
  const std::vector<Polynomial> &operandsOf(unsigned symbol) const { return symbols[symbol].operands; }
  const SymbolFacts &factsOf(unsigned symbol) const { return symbols[symbol].facts; }
  /// The symbols that `a` and the bounds of its symbols are made from.
  std::set<unsigned> symbolsBehind(const Polynomial &a) const;
  /// The constant that a quotient divides by; nothing for other symbols.
  std::optional<int64_t> quotientBy(unsigned symbol) const;
  std::string print(const Polynomial &a, const std::function<std::string(unsigned)> &leafName) const;

private:
  friend class SymbolicProof;
  struct Symbol {
    SymbolKind kind;
    std::vector<Polynomial> operands;
    SymbolFacts facts;
  };
  using Key = std::pair<SymbolKind, std::vector<Polynomial>>;
  /// Lower limits of symbols beside their facts.
  using Limits = std::map<unsigned, Wide>;

  Polynomial intern(SymbolKind kind, std::vector<Polynomial> operands, const std::function<SymbolFacts()> &facts);
  Polynomial choice(SymbolKind kind, const Polynomial &a, const Polynomial &b);
  std::optional<Wide> lowerLimit(const Polynomial &a, const Limits *limits = nullptr) const;
  std::optional<Wide> upperLimit(const Polynomial &a) const;

  std::vector<Symbol> symbols;
  std::map<Key, unsigned> known;
  std::vector<Polynomial> assumed;
};

} // namespace tilewright

#endif // TILEWRIGHT_ANALYSIS_SYMBOLICBOUNDS_H
