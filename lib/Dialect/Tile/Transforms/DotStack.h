// SPDX-License-Identifier: Apache-2.0
/// \file
/// Putting tiles side by side for products that become one, or on each other, and cutting them apart again.
#ifndef TILEWRIGHT_LIB_DIALECT_TILE_TRANSFORMS_DOTSTACK_H
#define TILEWRIGHT_LIB_DIALECT_TILE_TRANSFORMS_DOTSTACK_H

#include "tilewright/Dialect/Tile/IR/Tile.h"

namespace tilewright {

/// Part of a program's shared memory that the operands of one merged product may take: the rest is for padding, sums
/// and what else lives there.
constexpr int64_t kSharedShare = 2;

int64_t bytesOfTile(mlir::RankedTensorType type);

/// The one value of equal constants; null for anything else.
mlir::DenseElementsAttr findSplat(mlir::ValueRange parts);

/// Replaces values by the operands of the ops that give them, if those are one elementwise op of one operand, such as a
/// cast, with equal attributes and types. Gives the first of the ops; null where nothing was replaced.
mlir::Operation *stripElementwise(llvm::SmallVectorImpl<mlir::Value> &values);

/// The first op that keeps independent products of one block from being computed in one place, behind the last of their
/// operands: it stands in front of that, needs one of the sums and has effects. Null if there is none.
mlir::Operation *findPinned(llvm::ArrayRef<tile::DotOp> dots);

/// Makes independent products of one block and kind one product of several matrices, behind the last of their operands.
/// Does nothing where `findPinned` finds something.
void stackDots(llvm::ArrayRef<tile::DotOp> dots);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_DIALECT_TILE_TRANSFORMS_DOTSTACK_H
