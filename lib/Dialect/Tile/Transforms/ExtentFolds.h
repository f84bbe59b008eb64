// SPDX-License-Identifier: Apache-2.0
/// \file
/// Whether what a kernel makes of the blocks of one class is the same for blocks of any extent: what loops carry from
/// block to block, and what tiles hold behind the end of what is walked.
#ifndef TILEWRIGHT_LIB_DIALECT_TILE_TRANSFORMS_EXTENTFOLDS_H
#define TILEWRIGHT_LIB_DIALECT_TILE_TRANSFORMS_EXTENTFOLDS_H

#include "BlockNumbers.h"
#include "ExtentClasses.h"
#include "tilewright/Dialect/Tile/Transforms/ExtentPlan.h"

namespace tilewright {

/// What a tile holds at all positions behind the end of what is walked.
enum class OutsideValue { Unknown, Zero, True, NegInf, PosInf };

/// Looks at one class, walked by one walk.
class ExtentFolds {
public:
  ExtentFolds(mlir::func::FuncOp kernel, const TileDims &dims, BlockNumbers &numbers, int number,
              const BlockWalk &walk);

  /// Sets `pin`, `onlyDivisors` and `requirements` of the class.
  void check(ExtentClass &into);

private:
  mlir::func::FuncOp kernel;
  const TileDims &dims;
  BlockNumbers &numbers;
  int number;
  const BlockWalk &walk;
  llvm::DenseMap<mlir::Value, OutsideValue> outside;
  llvm::DenseSet<mlir::Value> tainted;         ///< Depends on how indices are grouped into blocks.
  llvm::SmallVector<mlir::Operation *> totals; ///< Reductions and products over the class.
  ExtentClass *result = nullptr;

  void pin(mlir::Operation *op, const llvm::Twine &reason);
  void restrict(mlir::Operation *op, const llvm::Twine &reason, bool showsEnd);
  bool isInside(mlir::Operation *op) const { return walk.loop && walk.loop->isProperAncestor(op); }
  bool requireEnd(mlir::Operation *op, mlir::Value view, unsigned dim);

  void findOutside();
  OutsideValue outsideOf(mlir::Operation *op);
  OutsideValue get(mlir::Value value) const { return outside.lookup(value); }
  OutsideValue outsideOfLoad(mlir::Operation *op, mlir::Value view, mlir::OperandRange offsets, mlir::Value tile,
                             llvm::ArrayRef<int64_t> walked, tile::Pad pad);
  OutsideValue outsideOfCompare(mlir::Operation *op);

  void findTotals();
  void spreadTaint();
  void checkEffects();
  void checkCarried();
  bool isFold(mlir::BlockArgument carried, mlir::Value next);
  bool isRescaledFold(mlir::BlockArgument carried, mlir::Value next);
  bool isTotal(mlir::Value value, mlir::Operation *combiner, llvm::function_ref<bool(mlir::Value)> mayUse) const;
  bool isClean(mlir::Value value) const { return !tainted.contains(value); }
};

/// The one op of a combiner that takes both of its arguments and gives its result; null for any other combiner.
mlir::Operation *combinerOf(tile::ReduceOp reduce);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_DIALECT_TILE_TRANSFORMS_EXTENTFOLDS_H
