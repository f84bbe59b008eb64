// SPDX-License-Identifier: Apache-2.0
/// \file
/// In which order the tiles of a product are walked, apart from the rewriting: which axes of a grid select rows and
/// columns, and how many rows of tiles go together.
///
/// Programs that run at the same time share what they read through the L2 cache. With G rows of tiles walked together,
/// column by column, W programs cover G rows and W / G columns, so they read `G * rowBytes + ceil(W / G) * columnBytes`
/// for each step along K, where `rowBytes` is what all tiles of a row share (a part of the left operand) and
/// `columnBytes` what all tiles of a column share. Worked example: 128x64 and 64x128 tiles of f16 are 16 KiB each; on
/// 132 SMs the grid's own order (x fastest, one column) reads 132 + 1 of them, groups of 8 rows read 8 + 17.
#ifndef TILEWRIGHT_DIALECT_TILE_TRANSFORMS_GRIDORDER_H
#define TILEWRIGHT_DIALECT_TILE_TRANSFORMS_GRIDORDER_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <optional>
#include <string>

namespace tilewright {

/// Bytes that `concurrent` programs read for one step when `group` rows of tiles are walked together.
int64_t gridGroupBytes(int64_t group, int64_t rowBytes, int64_t columnBytes, int64_t concurrent);

/// The power of two of at most `concurrent` with which `gridGroupBytes` is least; the smaller of two that are equal.
int64_t chooseGridGroup(int64_t rowBytes, int64_t columnBytes, int64_t concurrent);

/// What to do with the grid of one kernel, and why.
struct GridOrder {
  /// Empty if the order is to be changed; else why not, with values. Nothing below is set then.
  std::string reason;
  /// Whether `reason` is that there are no rows and columns of tiles that share operands.
  bool hasNoRows = false;
  /// Axes (0 to 2) that select rows and columns; the remaining axis of a grid of three.
  unsigned rowAxis = 0, columnAxis = 1;
  std::optional<unsigned> batchAxis;
  /// Rows of tiles that are walked together.
  int64_t group = 1;
  int64_t rowBytes = 0, columnBytes = 0;
};

/// Decides for `kernel` and its grid function when `concurrent` programs run at a time. `pinned` is the group size that
/// was asked for, 0 for none; it overrides what only weighs gain. Changes nothing.
GridOrder planGridOrder(mlir::func::FuncOp kernel, mlir::func::FuncOp grid, int64_t concurrent, int64_t pinned);

} // namespace tilewright

#endif // TILEWRIGHT_DIALECT_TILE_TRANSFORMS_GRIDORDER_H
