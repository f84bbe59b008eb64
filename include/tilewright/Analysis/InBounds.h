// SPDX-License-Identifier: Apache-2.0
/// \file
/// Proofs that an access stays inside its view, from ranges and from relations: a loop variable below its bound, a
/// program below its grid. Changes nothing.
#ifndef TILEWRIGHT_ANALYSIS_INBOUNDS_H
#define TILEWRIGHT_ANALYSIS_INBOUNDS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "tilewright/Analysis/Alignment.h"

#include <memory>

namespace tilewright {

/// A block, gather or scatter access to a view, whichever op makes it.
struct ViewAccess {
  mlir::Operation *op = nullptr;
  mlir::Value view;
  /// One per view dimension; a tile for the dimension that is indexed.
  llvm::SmallVector<mlir::Value, 4> offsets;
  /// Per view dimension, how many indices from the offset on are touched.
  llvm::SmallVector<int64_t, 4> extents;
  /// Per view dimension, whether the program promises that no check is needed.
  llvm::SmallVector<bool, 4> inBounds;

  /// Nothing for an op that is no such access.
  static std::optional<ViewAccess> of(mlir::Operation *op);
  /// Sets the flags of the op.
  void setInBounds(llvm::ArrayRef<bool> flags) const;
};

/// A number that a launcher knows: the size of a dimension of a view parameter, or an integer parameter.
struct HostNumber {
  unsigned argument = 0;
  /// -1 for an integer parameter.
  int64_t dim = -1;
  bool operator==(const HostNumber &other) const { return argument == other.argument && dim == other.dim; }
};

/// Facts that a proof may use beside what the program says: about parameters, or what a rewrite would make true.
struct ExtraFacts {
  struct Divisor {
    HostNumber number;
    int64_t divisor;
  };
  llvm::SmallVector<Divisor> divisors;
  /// Sizes that are equal.
  llvm::SmallVector<std::pair<HostNumber, HostNumber>> equal;
  /// Loops that are taken to end after the last iteration that has a whole step in front of the bound.
  llvm::SmallVector<mlir::Operation *> wholeLoops;
};

/// The grid function of a kernel in a module, if it is one block over the kernel's parameters; else null. Reads other
/// functions than `kernel`: for passes on modules.
mlir::func::FuncOp findGrid(mlir::func::FuncOp kernel);

/// Proofs about the accesses of one function.
class InBoundsAnalysis {
public:
  /// With `grid`, which may be null, programs are known to be below what it returns.
  InBoundsAnalysis(mlir::func::FuncOp func, mlir::func::FuncOp grid, const AlignmentAnalysis &alignment,
                   ExtraFacts facts = {});
  ~InBoundsAnalysis();
  InBoundsAnalysis(InBoundsAnalysis &&);

  /// Whether every index that the access makes along view dimension `dim` is proved to lie inside the view.
  bool isInBounds(const ViewAccess &access, unsigned dim);
  /// Whether `a`, an integer, is proved to be at most `b`, another of its type, wherever `at` is run.
  bool isAtMost(mlir::Value a, mlir::Value b, mlir::Operation *at);
  /// Whether `a` is proved to be from `low` to `high` wherever `at` is run.
  bool isWithin(mlir::Value a, int64_t low, int64_t high, mlir::Operation *at);
  /// Whether the offset along `dim` is made from a variable of a loop around the access.
  bool isLoopVariant(const ViewAccess &access, unsigned dim);
  /// What had to be proved, e.g. "64*trip + 63 < size(a, 1)".
  std::string describe(const ViewAccess &access, unsigned dim);
  /// The offset, e.g. "64*trip".
  std::string describeOffset(const ViewAccess &access, unsigned dim);
  /// Whether no offset is proved to be negative: half of what `isInBounds` proves.
  bool isNonNegative(const ViewAccess &access, unsigned dim);
  /// The relations that prove the upper bound, e.g. "trip <= floor((size(a, 1) - 1) / 64)"; none where ranges do.
  llvm::SmallVector<std::string> describeProof(const ViewAccess &access, unsigned dim);

  /// Facts from which a proof could follow: multiples of what quotients divide by, and a size that is equal to the one
  /// that the access must stay below.
  ExtraFacts findUsefulFacts(const ViewAccess &access, unsigned dim);

private:
  struct Impl;
  std::unique_ptr<Impl> impl;
};

} // namespace tilewright

#endif // TILEWRIGHT_ANALYSIS_INBOUNDS_H
