// SPDX-License-Identifier: Apache-2.0
// How messages show numbers of SymbolicBounds.h.
#include "SymbolicProof.h"

using namespace tilewright;

/// `text` of one word or one pair of parentheses, or put into a pair.
static std::string inParentheses(const std::string &text) {
  int depth = 0;
  bool isSum = false;
  for (size_t i = 0; i < text.size(); ++i) {
    depth += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
    // Names of programs have a space: "program_id x".
    isSum |=
        depth == 0 && (text[i] == '*' || (i > 0 && i + 1 < text.size() && text[i - 1] == ' ' && text[i + 1] == ' '));
  }
  return isSum ? "(" + text + ")" : text;
}

std::string SymbolicBounds::print(const Polynomial &a, const std::function<std::string(unsigned)> &leafName) const {
  // Operands are made from earlier symbols, so names grow from the first to the last.
  std::map<unsigned, std::string> names;
  // c * x - c * b * floor(x / b) is c times a remainder, which is a symbol of its own for the text.
  unsigned next = symbols.size();
  std::map<unsigned, std::string> remainders;
  auto printed = [&](Polynomial rest) {
    std::set<unsigned> here;
    for (const auto &[product, coefficient] : rest.terms)
      here.insert(product.begin(), product.end());
    for (auto it = here.rbegin(); it != here.rend(); ++it) {
      if (*it >= symbols.size() || symbols[*it].kind != SymbolKind::Quotient)
        continue;
      SymbolicProof::Split split = SymbolicProof::splitAt(rest, *it);
      const Polynomial &x = symbols[*it].operands[0], &b = symbols[*it].operands[1];
      std::optional<Polynomial> times =
          split.factor.terms.empty() ? std::nullopt : SymbolicProof::findFactor(split.factor, b);
      std::optional<Polynomial> moved = times ? multiply(*times, x) : std::nullopt;
      std::optional<Polynomial> left = moved ? add(split.rest, *moved) : std::nullopt;
      if (!left || left->terms.size() >= split.rest.terms.size())
        continue;
      std::optional<Polynomial> whole = subtract(*left, *multiply(*times, Polynomial::symbol(next)));
      if (!whole)
        continue;
      names[next++] = remainders[*it];
      rest = *whole;
    }
    return tilewright::print(rest, [&](unsigned symbol) { return names.at(symbol); });
  };
  for (unsigned symbol : symbolsBehind(a)) {
    const Symbol &info = symbols[symbol];
    if (info.kind == SymbolKind::Leaf) {
      names[symbol] = leafName(symbol);
      continue;
    }
    const Polynomial &first = info.operands[0], &second = info.operands[1];
    std::string one = printed(first), other = printed(second);
    if (info.kind == SymbolKind::Quotient) {
      std::string dividend = inParentheses(one), divisor = inParentheses(other);
      names[symbol] = "floor(" + dividend + " / " + divisor + ")";
      remainders[symbol] = "(" + dividend + " mod " + divisor + ")";
    } else {
      names[symbol] = info.kind == SymbolKind::Min   ? "min(" + one + ", " + other + ")"
                      : info.kind == SymbolKind::Max ? "max(" + one + ", " + other + ")"
                                                     : "(" + one + " or " + other + ")";
    }
  }
  return printed(a);
}
