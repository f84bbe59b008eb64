// SPDX-License-Identifier: Apache-2.0
/// \file
/// Which accesses through pointers are accesses of views, as decisions apart from the rewrite.
///
/// An address `base + u + sum(step_d * i_d)` is element `start_d + i_d` of a view with strides `step_d` whose base is
/// `base + u - sum(step_d * start_d)`, whatever the starts. A mask `start_d + i_d < bound_d` is the check of a view of
/// size bound_d then, if `start_d + i_d` is not negative, because a view checks that too. A mask from below, `c <= x_d
/// + i_d`, is that check with `start_d = x_d - c`. A dimension without a mask is in bounds: start 0, size as large as
/// the tile.
///
/// Worked example: p + (32 k + i) * s under i < n - 32 k. Moving 32 k to the left, which needs k not negative, gives
/// start 32 k, size n, and the base p + 32 k s - 32 k s = p: a view that does not change with k.
#ifndef TILEWRIGHT_DIALECT_TILE_TRANSFORMS_POINTERPLAN_H
#define TILEWRIGHT_DIALECT_TILE_TRANSFORMS_POINTERPLAN_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "tilewright/Analysis/AffineTiles.h"

#include <vector>

namespace tilewright {

/// One dimension of the view.
struct PointerDim {
  Polynomial stride, start;
  /// The size is the smallest of these; none: in bounds.
  llvm::SmallVector<Polynomial, 1> bounds;
  bool isChecked() const { return !bounds.empty(); }
};

/// Coefficients have 64 bits.
struct PointerDecision {
  /// A load_ptr or store_ptr on tiles.
  mlir::Operation *op = nullptr;
  bool isRaised = false;
  /// Why not.
  std::string reason;
  mlir::Value base;
  /// Elements from `base` to the view's first.
  Polynomial offset;
  llvm::SmallVector<PointerDim> dims;
  /// Pairs (a, b): nothing is accessed unless a < b in each.
  llvm::SmallVector<std::pair<Polynomial, Polynomial>, 1> conditions;
  tile::Pad pad = tile::Pad::none;
  /// Whether `other` is no pad and is chosen by the mask behind the load.
  bool selectsOther = false;
  /// Dimensions whose index is taken modulo a size that no stored lane reaches.
  unsigned numWraps = 0;
};

/// A decision for each tile access through pointers, in program order. Pure; `tiles` knows the symbols.
std::vector<PointerDecision> planPointers(mlir::func::FuncOp func, const AlignmentAnalysis &analysis,
                                          AffineTiles &tiles);

} // namespace tilewright

#endif // TILEWRIGHT_DIALECT_TILE_TRANSFORMS_POINTERPLAN_H
