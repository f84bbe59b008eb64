// SPDX-License-Identifier: Apache-2.0
/// \file
/// What the verifiers of accesses to memory share.
#ifndef TILEWRIGHT_LIB_DIALECT_TILE_IR_TILEACCESS_H
#define TILEWRIGHT_LIB_DIALECT_TILE_IR_TILEACCESS_H

#include "tilewright/Dialect/Tile/IR/Tile.h"

namespace tilewright::tile {
/// Constraints C1 to C4 of a block access. One diagnostic and failure where one is broken.
mlir::LogicalResult verifyBlock(mlir::Operation *op, ViewType view, mlir::RankedTensorType tile, size_t offsets,
                                std::optional<llvm::ArrayRef<int64_t>> dims,
                                std::optional<llvm::ArrayRef<bool>> inBounds);
/// The view dims that a tile walks: `dims`, or all of them.
llvm::SmallVector<int64_t> walkedDimsOf(std::optional<llvm::ArrayRef<int64_t>> dims, ViewType view);
/// The type of what a pointer, or a tile of pointers, points at; null if `type` is no such thing.
mlir::Type pointeeOf(mlir::Type type);
/// The type of a mask for such pointers.
mlir::Type maskOf(mlir::Type pointers);
} // namespace tilewright::tile

#endif // TILEWRIGHT_LIB_DIALECT_TILE_IR_TILEACCESS_H
