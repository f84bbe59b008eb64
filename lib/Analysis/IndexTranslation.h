// SPDX-License-Identifier: Apache-2.0
/// \file
/// Index arithmetic of a kernel and of its grid function as polynomials of SymbolicBounds.h.
#ifndef TILEWRIGHT_LIB_ANALYSIS_INDEXTRANSLATION_H
#define TILEWRIGHT_LIB_ANALYSIS_INDEXTRANSLATION_H

#include "tilewright/Analysis/InBounds.h"
#include "tilewright/Analysis/SymbolicBounds.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

#include <array>

namespace tilewright {

/// Translates values one by one; equal numbers of the two functions become equal polynomials. An op whose result may
/// wrap around, and one that is not known, becomes a leaf with the range and divisor that the analyses found.
class IndexTranslation {
public:
  /// `grid` may be null; `assumes` are those that hold wherever the results are used.
  IndexTranslation(mlir::func::FuncOp kernel, mlir::func::FuncOp grid, const AlignmentAnalysis &alignment,
                   const ExtraFacts &facts, mlir::ArrayRef<tile::AssumeOp> assumes);

  const Polynomial &translate(mlir::Value value);
  /// The size of a view along a dimension.
  Polynomial sizeOf(mlir::Value view, int64_t dim);

  /// What a leaf stands for; nothing where no launcher knows it.
  std::optional<HostNumber> hostNumberOf(unsigned symbol) const;
  /// The loop whose trips a leaf counts.
  mlir::scf::ForOp loopOf(unsigned symbol) const { return loops.lookup(symbol); }
  /// The value that a leaf stands for of which only range and divisor are known; null for other symbols.
  mlir::Value valueOf(unsigned symbol) const { return opaqueValues.lookup(symbol); }
  std::string nameOf(unsigned symbol) const { return names.lookup(symbol); }

  SymbolicBounds bounds;

  /// Names of the ops whose results have a rule, each once.
  static mlir::SmallVector<mlir::StringRef> opsWithRules();
  /// What a result is in terms of its op's operands; nothing where the rule gives up.
  using Rule = std::optional<Polynomial> (IndexTranslation::*)(mlir::OpResult);
  using RuleTable = mlir::SmallVector<std::pair<mlir::StringRef, Rule>>;

private:
  /// Bits of an integer or index; 0 for other types and for those wider than 64 bits.
  static unsigned widthOf(mlir::Type type);
  static const RuleTable &rules();
  struct Origin {
    mlir::Value view;
    int64_t dim;
  };
  Origin originOfSize(mlir::Value view, int64_t dim) const;
  /// The kernel's parameter that `value`, a parameter of the kernel or its grid function, is.
  std::optional<unsigned> parameter(mlir::Value value) const;
  bool isOnHost(mlir::Value value) const;
  /// What the grid function returns for an axis; nothing where it returns none.
  std::optional<mlir::Value> gridResult(tile::Axis axis) const;
  mlir::SmallVector<mlir::Value> operandsOf(mlir::Value value) const;
  mlir::SmallVector<mlir::Value> operandsOfCarried(mlir::scf::ForOp loop, unsigned number) const;
  Polynomial translateStep(mlir::Value value);
  std::optional<Polynomial> translateConstant(mlir::OpResult result);
  std::optional<Polynomial> translateSum(mlir::OpResult result);
  std::optional<Polynomial> translateProduct(mlir::OpResult result);
  std::optional<Polynomial> translateDivision(mlir::OpResult result);
  std::optional<Polynomial> translateExtremum(mlir::OpResult result);
  std::optional<Polynomial> translateSelect(mlir::OpResult result);
  std::optional<Polynomial> translateCast(mlir::OpResult result);
  std::optional<Polynomial> translateAssume(mlir::OpResult result);
  std::optional<Polynomial> translateViewSize(mlir::OpResult result);
  std::optional<Polynomial> translatePrograms(mlir::OpResult result);
  std::optional<Polynomial> translateBranch(mlir::OpResult result);
  std::optional<Polynomial> translateLoopResult(mlir::OpResult result);
  /// The symbol that counts iterations of a loop from 0; nothing where none is known.
  std::optional<unsigned> tripOf(mlir::scf::ForOp loop);
  std::optional<Polynomial> translateLoopVariable(mlir::scf::ForOp loop);
  /// What a loop carries, in an iteration or (`isResult`) behind the loop.
  std::optional<Polynomial> translateCarried(mlir::scf::ForOp loop, unsigned number, bool isResult);
  Polynomial programs(tile::Axis axis);
  Polynomial opaque(mlir::Value value);
  Polynomial hostNumber(HostNumber number, SymbolFacts facts, std::string name);
  void assume(tile::AssumeOp op, const Polynomial &source);
  bool fits(const Polynomial &number, unsigned width) const;
  /// Whether `op`, which would give `number` if it had bits enough, does.
  bool isExact(mlir::Operation *op, const Polynomial &number) const;
  /// `number` where it is.
  std::optional<Polynomial> exactly(mlir::Operation *op, std::optional<Polynomial> number) const;
  const Polynomial &operand(mlir::Operation *op, unsigned number) { return translated[op->getOperand(number)]; }
  unsigned leaf(SymbolFacts facts, std::string name);

  mlir::func::FuncOp kernel, grid;
  const AlignmentAnalysis &alignment;
  ExtraFacts facts;
  /// The assumes that hold; others, which are met where a branch yields their result, say nothing.
  llvm::DenseSet<mlir::Operation *> holding;
  llvm::DenseMap<mlir::Value, Polynomial> translated;
  llvm::DenseMap<std::pair<unsigned, int64_t>, unsigned> hostLeaves;
  llvm::DenseMap<unsigned, HostNumber> hostNumbers;
  llvm::DenseMap<unsigned, mlir::scf::ForOp> loops;
  llvm::DenseMap<mlir::Operation *, std::optional<unsigned>> trips;
  llvm::DenseMap<unsigned, Polynomial> lastTrips;
  std::array<bool, 3> hasGridFacts = {};
  llvm::DenseMap<unsigned, std::string> names;
  llvm::DenseMap<unsigned, mlir::Value> opaqueValues;
  llvm::DenseMap<std::pair<mlir::Value, int64_t>, Polynomial> otherSizes;
};

} // namespace tilewright

#endif // TILEWRIGHT_LIB_ANALYSIS_INDEXTRANSLATION_H
