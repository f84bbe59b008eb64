// SPDX-License-Identifier: Apache-2.0
/// \file
/// Which block accesses tensor maps can serve, as decisions apart from the rewrite. The rules are in TmaRules.h; here they meet
/// what is proved about a view, and what is missing becomes facts about parameters that a guard can test.
#ifndef TILEWRIGHT_DIALECT_TILE_TRANSFORMS_TMAPLAN_H
#define TILEWRIGHT_DIALECT_TILE_TRANSFORMS_TMAPLAN_H

#include "tilewright/Analysis/Alignment.h"
#include "tilewright/Analysis/InBounds.h"
#include "tilewright/Dialect/Tile/Transforms/Promise.h"
#include "tilewright/Target/Target.h"

namespace tilewright {

/// What one `tile.load` or `tile.store` comes to.
struct TmaDecision {
  mlir::Operation *access = nullptr;
  /// What keeps a tensor map away, whatever is promised, with the value; empty if nothing does.
  std::string reason;
  /// Facts about parameters from which the rules would follow; none where they do.
  llvm::SmallVector<Promise> needed;
  /// The first rule that `needed` is for, in words.
  std::string missing;
  /// Whether the load has a pad that no fill is, and bounds that may fail: what is outside must be selected behind it.
  bool needsSelect = false;

  bool isLegal() const { return reason.empty() && needed.empty(); }
};

/// How a tensor map sees the view of an access.
struct TmaShape {
  mlir::Value view;
  /// View dimensions that the tile walks, in its order.
  llvm::SmallVector<int64_t> walked;
  /// All view dimensions, innermost first: the one of stride 1, then what the tile walks, then what it takes one index of, each
  /// from the last.
  llvm::SmallVector<unsigned> order;

  /// Nothing where no dimension is known to have stride 1. `access` is a load or a store.
  static std::optional<TmaShape> of(mlir::Operation *access, const AlignmentAnalysis &alignment);
};

/// Why no tensor map can serve a load or store, by what it is and where its view comes from: the rules that need no proof. Empty
/// if nothing speaks against it.
std::string whyNoTma(mlir::Operation *access);

/// Checks the accesses of `func` that are marked `tile.tma` against what is known without a launch: that the target has
/// tensor maps, that a host can make the view, and the rules that types and promises break for certain. What is only
/// not proved is the launcher's to check. One located diagnostic and failure for the first mark that no map can serve.
mlir::LogicalResult checkTmaMarks(mlir::func::FuncOp func, const Target &target);

/// Decides for each `tile.load` and `tile.store` of `func`, in walk order. `assumed` holds promises that types and attributes
/// cannot say. `grid` may be null. Pure.
std::vector<TmaDecision> planTma(mlir::func::FuncOp func, mlir::func::FuncOp grid, mlir::ArrayRef<Promise> assumed);

/// Unit strides worth promising: of each view parameter without a dimension of stride 1 the last one, where loads and stores walk
/// it and every use can follow.
llvm::SmallVector<Promise> findUnitStrides(mlir::func::FuncOp func);

/// Adds `promise`, joined with one about the same number.
void addPromise(llvm::SmallVectorImpl<Promise> &promises, const Promise &promise);

/// How remarks and reports call the memory of a view: the name or position of the parameter, or that it is made.
std::string describeMemory(mlir::Value view);

} // namespace tilewright

#endif // TILEWRIGHT_DIALECT_TILE_TRANSFORMS_TMAPLAN_H
