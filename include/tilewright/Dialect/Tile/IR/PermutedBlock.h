// SPDX-License-Identifier: Apache-2.0
/// \file
/// A block access with its tile dimensions in another order: the view is permuted and the operands follow. Apart from
/// the ops because canonical forms and the transpose pass both build such accesses.
#ifndef TILEWRIGHT_DIALECT_TILE_IR_PERMUTEDBLOCK_H
#define TILEWRIGHT_DIALECT_TILE_IR_PERMUTEDBLOCK_H

#include "tilewright/Dialect/Tile/IR/Tile.h"

namespace tilewright::tile {

/// Whether `order` leaves every dimension in its place.
bool isIdentityOrder(llvm::ArrayRef<int64_t> order);
/// `inner` then `outer` as one order: dim i of the result is dim `inner[outer[i]]` of the source.
llvm::SmallVector<int64_t> composeOrders(llvm::ArrayRef<int64_t> inner, llvm::ArrayRef<int64_t> outer);
/// The order that undoes `order`.
llvm::SmallVector<int64_t> inverseOrder(llvm::ArrayRef<int64_t> order);
/// `type` with its dimensions re-ordered; a type that is no tensor stays. There must be no encoding.
mlir::Type permuteTileType(mlir::Type type, llvm::ArrayRef<int64_t> order);

/// A load, in front of `load`, of the same block through a permuted view: dim i of its tile is dim `order[i]` of the
/// old tile. The load must have no sync, no `after` and no token. The old load stays.
mlir::Value createPermutedLoad(mlir::RewriterBase &rewriter, LoadOp load, llvm::ArrayRef<int64_t> order);
mlir::Value createPermutedGather(mlir::RewriterBase &rewriter, GatherOp gather, llvm::ArrayRef<int64_t> order);

/// A store in front of `store`, of `value`, to the same block through a permuted view: dim i of `value` is dim
/// `order[i]` of the value stored before. The store must have no sync, no `after` and no token. The old store stays.
void createPermutedStore(mlir::RewriterBase &rewriter, StoreOp store, mlir::Value value, llvm::ArrayRef<int64_t> order);

} // namespace tilewright::tile

#endif // TILEWRIGHT_DIALECT_TILE_IR_PERMUTEDBLOCK_H
