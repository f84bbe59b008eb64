// SPDX-License-Identifier: Apache-2.0
/// \file
/// Which dimensions of the tiles of a kernel have one extent because ops say so: classes of (tile, dimension), joined
/// through every op that takes tiles. An op that knows the extent as a number, or cuts or joins tiles along a
/// dimension, pins the class.
///
/// Dimensions of extent 1 belong to no class: they stand for broadcasts and are never resized.
#ifndef TILEWRIGHT_LIB_DIALECT_TILE_TRANSFORMS_EXTENTCLASSES_H
#define TILEWRIGHT_LIB_DIALECT_TILE_TRANSFORMS_EXTENTCLASSES_H

#include "tilewright/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <string>

namespace tilewright {

/// Pairs of dimensions, one of each shape, that are the same in row-major order whatever their extents are; all other
/// dimensions of more than one element are torn apart or merged. Shapes have equal element counts.
llvm::SmallVector<std::pair<unsigned, unsigned>> matchReshapedDims(llvm::ArrayRef<int64_t> from,
                                                                   llvm::ArrayRef<int64_t> to);

class TileDims {
public:
  explicit TileDims(mlir::func::FuncOp kernel);

  /// A number for the class of a dimension; -1 for extent 1 and for what is no tile. `unite` changes it.
  int classOf(mlir::Value tile, unsigned dim) const;
  /// The dimension of `tile` that is in class `number`: -1 for none, -2 for several.
  int dimIn(mlir::Value tile, int number) const;
  void unite(int a, int b);
  /// The number that a class has by now.
  int rootOf(int number) const;
  /// `op` keeps the extent of the class what it is.
  void pin(int number, mlir::Operation *op, const llvm::Twine &reason);

  struct Pin {
    int number;
    mlir::Operation *op;
    std::string reason;
  };
  /// The first reason for which the class is pinned; null if there is none.
  const Pin *pinOf(int number) const;
  /// All tiles, in program order.
  llvm::ArrayRef<mlir::Value> getTiles() const { return tiles; }

private:
  llvm::DenseMap<mlir::Value, llvm::SmallVector<int, 2>> dims;
  llvm::SmallVector<int> parents;
  llvm::SmallVector<mlir::Value> tiles;
  std::vector<Pin> pins;

  void add(mlir::Value value);
  void connect(mlir::Operation *op);
  void uniteAll(mlir::Value a, mlir::Value b);
  void pinAll(mlir::Value value, mlir::Operation *op, const llvm::Twine &reason);
};

} // namespace tilewright

#endif // TILEWRIGHT_LIB_DIALECT_TILE_TRANSFORMS_EXTENTCLASSES_H
