// SPDX-License-Identifier: Apache-2.0
/// \file
/// Values of the symbols of SymbolicBounds.h by the definitions of their kinds, and whether what is known about a
/// symbol holds of them. Shares nothing with the rules that it checks.
#ifndef TILEWRIGHT_TEST_UNIT_ANALYSIS_SYMBOLVALUES_H
#define TILEWRIGHT_TEST_UNIT_ANALYSIS_SYMBOLVALUES_H

#include "tilewright/Analysis/SymbolicBounds.h"

namespace symboltest {

using tilewright::Polynomial;
using tilewright::SymbolicBounds;
using tilewright::SymbolKind;
using tilewright::Wide;

class SymbolValues {
public:
  /// `leaf` gives the value of a leaf; nothing where it has none.
  SymbolValues(const SymbolicBounds &bounds, std::function<std::optional<Wide>(unsigned)> leaf)
      : bounds(bounds), leaf(std::move(leaf)) {}

  /// All values that `a` has: one for each way to take the choices behind it. None where its code would divide by a
  /// number that is not positive.
  std::set<Wide> of(const Polynomial &a) {
    std::set<Wide> values;
    forAllChoices(a, [&] {
      if (std::optional<Wide> value = evaluate(a))
        values.insert(*value);
    });
    return values;
  }

  /// What is known of a symbol behind `a` and does not hold; empty if all holds.
  std::string findBrokenFact(const Polynomial &a) {
    std::string broken;
    forAllChoices(a, [&] {
      for (unsigned symbol : bounds.symbolsBehind(a)) {
        const tilewright::SymbolFacts &facts = bounds.factsOf(symbol);
        std::optional<Wide> value = evaluateSymbol(symbol);
        if (!value)
          continue;
        auto check = [&](bool holds, const char *fact) {
          if (!holds)
            broken = std::string(fact) + " of symbol " + std::to_string(symbol) + " with value " +
                     std::to_string(static_cast<int64_t>(*value));
        };
        check(!facts.min || *value >= *facts.min, "the least value");
        check(!facts.max || *value <= *facts.max, "the greatest value");
        check(facts.divisor == 0 ? *value == 0 : *value % facts.divisor == 0, "the divisor");
        for (const Polynomial &bound : facts.upper)
          if (std::optional<Wide> limit = evaluate(bound))
            check(*value <= *limit, "an upper bound");
        for (const Polynomial &bound : facts.lower)
          if (std::optional<Wide> limit = evaluate(bound))
            check(*value >= *limit, "a lower bound");
      }
    });
    return broken;
  }

private:
  void forAllChoices(const Polynomial &a, const std::function<void()> &visit) {
    std::vector<unsigned> open;
    for (unsigned symbol : bounds.symbolsBehind(a))
      if (bounds.kindOf(symbol) == SymbolKind::OneOf)
        open.push_back(symbol);
    for (size_t code = 0; code < size_t(1) << open.size(); ++code) {
      for (size_t i = 0; i < open.size(); ++i)
        chosen[open[i]] = code >> i & 1;
      visit();
    }
  }

  std::optional<Wide> evaluate(const Polynomial &a) {
    Wide sum = 0;
    for (const auto &[product, coefficient] : a.terms) {
      Wide term = coefficient;
      for (unsigned symbol : product) {
        std::optional<Wide> value = evaluateSymbol(symbol);
        if (!value)
          return std::nullopt;
        term *= *value;
      }
      sum += term;
    }
    return sum;
  }

  std::optional<Wide> evaluateSymbol(unsigned symbol) {
    SymbolKind kind = bounds.kindOf(symbol);
    if (kind == SymbolKind::Leaf)
      return leaf(symbol);
    const std::vector<Polynomial> &operands = bounds.operandsOf(symbol);
    if (kind == SymbolKind::OneOf) // What is not chosen need not have a value.
      return evaluate(operands[chosen.at(symbol)]);
    std::optional<Wide> a = evaluate(operands[0]), b = evaluate(operands[1]);
    if (!a || !b)
      return std::nullopt;
    switch (kind) {
    case SymbolKind::Quotient:
      if (*b <= 0)
        return std::nullopt;
      return *a >= 0 ? *a / *b : -((-*a + *b - 1) / *b);
    case SymbolKind::Min:
      return *a < *b ? *a : *b;
    case SymbolKind::Max:
      return *a > *b ? *a : *b;
    case SymbolKind::Leaf:
    case SymbolKind::OneOf:
      break;
    }
    return std::nullopt;
  }

  const SymbolicBounds &bounds;
  std::function<std::optional<Wide>(unsigned)> leaf;
  std::map<unsigned, size_t> chosen;
};

} // namespace symboltest

#endif // TILEWRIGHT_TEST_UNIT_ANALYSIS_SYMBOLVALUES_H
