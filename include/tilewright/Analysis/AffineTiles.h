// SPDX-License-Identifier: Apache-2.0
/// \file
/// Tiles of integers and pointers as `uniform + sum over dims of step_d * i_d`, where i_d is the index along dimension
/// d and the other numbers are polynomials over scalar values of the program with coefficients of 64 bits. Changes
/// nothing.
///
/// Integers are exact: an op that may wrap in its own width ends the analysis (for a tile) or is a symbol of its own
/// (for a scalar), unless `nsw` or ranges prove that it does not. Only 64-bit offsets may wrap, since addresses have 64
/// bits; `isExact` is false then.
#ifndef TILEWRIGHT_ANALYSIS_AFFINETILES_H
#define TILEWRIGHT_ANALYSIS_AFFINETILES_H

#include "tilewright/Analysis/Alignment.h"
#include "tilewright/Analysis/Polynomial.h"

#include <memory>
#include <string>

namespace tilewright {

/// `index mod size` where index is `start + i_d`: the step along d counts what that gives less `start`, which is i_d
/// only where the index is below the size.
struct IndexWrap {
  Polynomial start, size;
  bool operator==(const IndexWrap &other) const { return start == other.start && size == other.size; }
};

struct AffineTile {
  /// The scalar pointer that addresses count from; null for integers.
  mlir::Value base;
  Polynomial uniform;
  /// Per dimension of the tile, none for scalars.
  llvm::SmallVector<Polynomial, 2> steps;
  llvm::SmallVector<std::optional<IndexWrap>, 2> wraps;
  bool isExact = true;

  bool isUniform() const {
    return llvm::all_of(steps, [](const Polynomial &step) { return step.isZero(); });
  }
  bool hasWraps() const {
    return llvm::any_of(wraps, [](const std::optional<IndexWrap> &wrap) { return wrap.has_value(); });
  }
};

class AffineTiles {
public:
  explicit AffineTiles(const AlignmentAnalysis &analysis) : analysis(analysis) {}

  /// The form of an integer, an index, a pointer or a tile of these; null where it has none, and `whyNot` says why
  /// then. It lives as long as this object.
  const AffineTile *get(mlir::Value value);
  llvm::StringRef whyNot(mlir::Value value) const;

  /// The scalar behind a symbol.
  mlir::Value getSymbol(unsigned number) const { return symbols[number]; }
  /// Scalars of the program that have exactly this value, in the order in which they were met.
  llvm::ArrayRef<mlir::Value> findScalars(const Polynomial &value) const;
  /// Whether no symbol can be negative, and no coefficient is.
  bool isNonNegative(const Polynomial &value) const;
  /// Whether the value fits 64 bits, signed, and so does every partial sum: by ranges, or because a scalar has it.
  bool fits64Bits(const Polynomial &value) const;
  /// The form of a scalar that has one by being a symbol if by nothing else.
  Polynomial symbolFor(mlir::Value scalar);

  /// Names of the ops whose results have a rule, each once.
  static llvm::SmallVector<llvm::StringRef> opsWithRules();
  /// The form of an op's one result from those of its operands, which are known; nothing, and a reason, where there is
  /// none.
  using Rule = std::optional<AffineTile> (AffineTiles::*)(mlir::Operation *op, std::string &reason);
  using RuleTable = llvm::SmallVector<std::pair<llvm::StringRef, Rule>>;

private:
  struct Entry {
    std::optional<AffineTile> form;
    std::string reason;
  };
  const AlignmentAnalysis &analysis;
  llvm::DenseMap<mlir::Value, std::unique_ptr<Entry>> entries; // Forms that were handed out stay where they are.
  llvm::DenseMap<mlir::Value, unsigned> numbers;
  llvm::SmallVector<mlir::Value> symbols;
  std::map<Polynomial, llvm::SmallVector<mlir::Value, 1>> scalars;

  llvm::SmallVector<mlir::Value> operandsOf(mlir::Value value) const;
  static const RuleTable &rules();
  /// Null for an op without one.
  static Rule findRule(mlir::Operation *op);
  Entry evaluate(mlir::Value value);
  std::optional<AffineTile> evaluateOp(mlir::Operation *op, std::string &reason);
  std::optional<AffineTile> evaluateCarried(mlir::BlockArgument argument, std::string &reason);
  std::optional<AffineTile> evaluateConstant(mlir::Operation *op, std::string &reason);
  std::optional<AffineTile> evaluateIota(mlir::Operation *op, std::string &reason);
  std::optional<AffineTile> evaluateShape(mlir::Operation *op, std::string &reason);
  std::optional<AffineTile> evaluateSum(mlir::Operation *op, std::string &reason);
  std::optional<AffineTile> evaluateProduct(mlir::Operation *op, std::string &reason);
  std::optional<AffineTile> evaluateRemainder(mlir::Operation *op, std::string &reason);
  std::optional<AffineTile> evaluateCast(mlir::Operation *op, std::string &reason);
  const AffineTile *known(mlir::Value value) const;
  bool cannotWrap(mlir::Operation *op) const;
};

} // namespace tilewright

#endif // TILEWRIGHT_ANALYSIS_AFFINETILES_H
