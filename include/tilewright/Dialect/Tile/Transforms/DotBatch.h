// SPDX-License-Identifier: Apache-2.0
/// \file
/// Products that have nothing in common but their shape, as one product of several matrices.
///
/// Small products of block algorithms leave warps idle and pay for each operand's way through shared memory. `dot(a0, b0, c0)`
/// and `dot(a1, b1, c1)`, neither of which needs the other, are the two matrices of `dot([a0, a1], [b0, b1], [c0, c1])`, stacked
/// along a new first dimension. No element of one ever meets the other, so each keeps its bits, whatever infinities the other
/// holds; a product of the block diagonal would multiply them by its zeros. Sums that go to the next such product matrix by
/// matrix, or through casts and other elementwise ops of one operand, stay stacked; others are cut out again, which moves them. Worked example, four warps, f32 on multiply-add units,
/// the two steps of 16 -> 32 twice: four products of 16x16x16 take 32 clocks of an SM each and move two operands of 1 KiB at
/// 116; two products of two matrices take 64 and move two operands of 2 KiB at 132, and two sums are cut out at 116, so 1056
/// clocks become 888.
///
/// Families that multiply one matrix but want more rows than a small product has can compute several at once: operands side
/// by side along M and N, of whose product the blocks on the diagonal are used and the others are thrown away. That is planned
/// and explained; nothing is rewritten before such a family is lowered.
#ifndef TILEWRIGHT_DIALECT_TILE_TRANSFORMS_DOTBATCH_H
#define TILEWRIGHT_DIALECT_TILE_TRANSFORMS_DOTBATCH_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "tilewright/Dialect/Tile/IR/Tile.h"
#include "tilewright/Dialect/Tile/Transforms/DotPlan.h"

#include <optional>
#include <string>
#include <vector>

namespace tilewright {

/// Several equal products and what is moved for them.
struct BatchQuery {
  /// One of the products.
  DotQuery dot;
  unsigned count = 2;
  /// Left and right operands that differ: one that several products have is moved once for all of them, but stacked for each.
  unsigned lhsCount = 2, rhsCount = 2;
  /// Bytes of each operand and of the sum of one product.
  int64_t lhsBytes = 0, rhsBytes = 0, sumBytes = 0;
  /// Whether sums that are added to must be stacked, and whether the stacked sums are cut apart.
  bool joinsSums = false, splitsSums = true;
};

/// Clocks of an SM, with what moves through shared memory and warps that repeat what others do.
struct BatchCost {
  int64_t apart = 0, together = 0;
};

/// Clocks of an SM that `fit` takes in a program of `query.warps` warps, of which those that find no instruction of their own
/// repeat another's, on schedulers of which some may have no warp.
int64_t clocksWithIdleWarps(const DotQuery &query, const FamilyFit &fit);

/// Weighs the family of `fit`, which computes `query.dot`, against its product of all matrices. Nothing if it takes no batches.
std::optional<BatchCost> weighBatch(const BatchQuery &query, const FamilyFit &fit, const Target &target);

/// One product of the family that wants more rows or columns than `query.dot` has.
struct DiagonalProduct {
  FamilyFit fit;
  BatchCost cost;
};

/// The block diagonal of all products in a family of `target` that pays for larger products only; nothing if there is none,
/// or each product is large enough by itself.
std::optional<DiagonalProduct> planDiagonal(const BatchQuery &query, const FamilyFit &single, const Target &target);

/// Products that could be one of several matrices, with those that take their sums in the same order.
struct DotBatch {
  /// Each at least two products of one block, independent of each other, in program order. All sums of a step but the last
  /// go to one operand of a later step, matrix by matrix, through equal elementwise ops at most.
  std::vector<llvm::SmallVector<tile::DotOp>> steps;
  BatchCost cost;
  /// Bytes of both operands of the largest stacked product, and how many may lie in shared memory.
  int64_t operandBytes = 0, operandBytesLimit = 0;
  /// Why the products cannot be moved to one place, or should not be; empty if they can.
  std::string obstacle;
  std::optional<DiagonalProduct> diagonal;

  bool fits() const { return operandBytes <= operandBytesLimit; }
  bool pays() const { return cost.together < cost.apart; }
};

/// All groups of `func`, in program order; no product is in two. `warps` as for `describeDot`. Changes nothing.
std::vector<DotBatch> planDotBatches(mlir::func::FuncOp func, const Target &target, unsigned warps);

/// Stacks the groups of `func` that pay, with remarks of `category` for each group.
void batchDots(mlir::func::FuncOp func, const Target &target, unsigned warps, llvm::StringRef category);

} // namespace tilewright

#endif // TILEWRIGHT_DIALECT_TILE_TRANSFORMS_DOTBATCH_H
