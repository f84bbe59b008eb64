// SPDX-License-Identifier: Apache-2.0
/// \file
/// Several products that one product can compute, as `tile-select-dot` merges them before it chooses instructions.
///
/// Three identities hold up to the order of sums, which a product leaves open:
///   - along K: `dot(a1, b1, dot(a0, b0, c))` is `dot([a0 a1], [b0; b1], c)`;
///   - along N: `[dot(a, b0, c0) dot(a, b1, c1)]` is `dot(a, [b0 b1], [c0 c1])`;
///   - along M: the same for a common right operand.
/// Operands that stand side by side already - neighbouring blocks that were cut out of one tile, or equal constants -
/// are joined for nothing; others are moved through shared memory, which is weighed against what whole instructions
/// save. Worked example, sm_80, f16, 64x64 sums: two products with a K of 8 take 64 clocks of an SM each, as
/// instructions have a K of 16, one with a K of 16 takes 64; moving two operands of 2 KiB there and back takes 64 more,
/// so only neighbours are worth it.
#ifndef TILEWRIGHT_DIALECT_TILE_TRANSFORMS_DOTMERGE_H
#define TILEWRIGHT_DIALECT_TILE_TRANSFORMS_DOTMERGE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "tilewright/Dialect/Tile/IR/Tile.h"
#include "tilewright/Target/Target.h"

#include <string>
#include <vector>

namespace tilewright {

enum class DotMergeKind { AlongK, AlongN, AlongM };

/// Products that could be one, and whether they should be.
struct DotMerge {
  DotMergeKind kind = DotMergeKind::AlongK;
  /// At least two, all of one block, in the order of what is joined.
  llvm::SmallVector<tile::DotOp> dots;
  /// Along N and M: the op that joins the sums.
  tile::ConcatOp concat;
  /// Clocks of an SM: of all products as they are, of the one, and of moving what has to be moved.
  int64_t clocksApart = 0, clocksMerged = 0, clocksMoved = 0;
  /// Bytes of both operands of the one product, which lie in shared memory at the same time, where those of several
  /// follow one another; and how many may.
  int64_t operandBytes = 0, operandBytesLimit = 0;

  bool fits() const { return operandBytes <= operandBytesLimit; }
  /// True if fewer products cost no more: nothing is moved, or less than what is saved.
  bool pays() const {
    return clocksMerged + clocksMoved < clocksApart || (clocksMoved == 0 && clocksMerged == clocksApart);
  }
};

/// All groups of one kind, in program order; no product is in two. `warps` as for `describeDot`. Changes nothing.
std::vector<DotMerge> planDotMerges(mlir::func::FuncOp func, DotMergeKind kind, const Target &target, unsigned warps);

/// Merges the groups of `func` that pay, along K, then N, then M, with a remark of `category` for each group.
void mergeDots(mlir::func::FuncOp func, const Target &target, unsigned warps, llvm::StringRef category);

} // namespace tilewright

#endif // TILEWRIGHT_DIALECT_TILE_TRANSFORMS_DOTMERGE_H
