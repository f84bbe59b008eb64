// SPDX-License-Identifier: Apache-2.0
/// \file
/// One search for a proof that a number of SymbolicBounds.h is never negative. The number is replaced by others that
/// are not negative only if it is not, until constants are left.
#ifndef TILEWRIGHT_LIB_ANALYSIS_SYMBOLICPROOF_H
#define TILEWRIGHT_LIB_ANALYSIS_SYMBOLICPROOF_H

#include "tilewright/Analysis/SymbolicBounds.h"

namespace tilewright {

class SymbolicProof {
public:
  /// What is proved must be made of symbols behind `goal`: that these have values is what `learn` takes for granted.
  /// Steps are kept only where they are asked for: most proofs need none.
  SymbolicProof(const SymbolicBounds &bounds, const Polynomial &goal, bool keepsSteps = false)
      : bounds(bounds), goal(goal), keepsSteps(keepsSteps) {}

  bool prove();

  /// What a proof may use: `low` is at most `high`.
  struct Step {
    Polynomial low, high;
  };
  /// The steps of a proof in their order; empty if `prove` gave none, or where limits of the symbols do.
  const std::vector<Step> &getSteps() const { return steps; }

  /// What a proof step may replace: number = factor * symbol + rest, where one factor `symbol` is taken out of each
  /// product that has it.
  struct Split {
    unsigned symbol;
    Polynomial factor, rest;
  };
  static Split splitAt(const Polynomial &a, unsigned symbol);
  /// The single term t with a = t * b, if there is one; `b` is not 0.
  static std::optional<Polynomial> findFactor(const Polynomial &a, const Polynomial &b);

private:
  bool isNonNegative(const Polynomial &a);
  bool search(const Polynomial &a);
  bool searchSteps(const Polynomial &a);
  /// Whether times * bound + plus is proved not to be negative, where `times` stands with `replaced` in what is to be
  /// proved, which is at least (`isBelow`) or at most `bound`.
  bool holdsWith(const Polynomial &times, const Polynomial &bound, const Polynomial &plus, const Polynomial &replaced,
                 bool isBelow);
  bool holdsForQuotient(const Split &split, bool isPositive);
  bool holdsForEither(const Polynomial &a, const Split &split, std::optional<bool> isPositive);
  std::optional<Polynomial> tighten(const Polynomial &a) const;
  std::pair<Wide, Wide> remainderRange(const Polynomial &a, Wide by) const;
  void learnAll();
  void learn(const Polynomial &a, Wide least);

  const SymbolicBounds &bounds;
  const Polynomial &goal;
  const bool keepsSteps;
  SymbolicBounds::Limits limits;
  bool hasLearnt = false;
  std::vector<Step> steps;
  /// What was looked at: nothing where there is no proof, else its steps.
  std::map<Polynomial, std::optional<std::vector<Step>>> tried;
  /// Numbers that one proof may look at, and how deep replacements may be nested.
  int budget = 400;
  int depth = 0;
};

} // namespace tilewright

#endif // TILEWRIGHT_LIB_ANALYSIS_SYMBOLICPROOF_H
