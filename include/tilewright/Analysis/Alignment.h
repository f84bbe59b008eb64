// SPDX-License-Identifier: Apache-2.0
/// \file
/// Divisibility, contiguity and constancy of every value of a function, and the widest vector accesses that follow.
/// The arithmetic is in AlignmentRules.h; here it meets the IR. Changes nothing.
#ifndef TILEWRIGHT_ANALYSIS_ALIGNMENT_H
#define TILEWRIGHT_ANALYSIS_ALIGNMENT_H

#include "mlir/Analysis/DataFlowFramework.h"
#include "mlir/Interfaces/InferIntRangeInterface.h"
#include "tilewright/Analysis/AlignmentRules.h"
#include "tilewright/Dialect/Tile/IR/Tile.h"

#include <memory>
#include <optional>

namespace tilewright {

/// The facts of one value. What is set depends on its type: `dims` for integers, indices, pointers and tiles of these
/// (one pseudo dimension of extent 1 for scalars), the rest for views. Other types have no facts.
struct AlignmentFacts {
  /// False until the analysis has reached the value.
  bool isReached = false;
  /// Per dimension of a tile; pointers count in bytes.
  llvm::SmallVector<DimFacts, 2> dims;
  /// What one step of contiguity adds: 1, or the bytes of an element behind a pointer.
  int64_t unit = 1;
  /// Views: bytes that divide the base address, and numbers that divide sizes and strides (in elements).
  int64_t base = 1;
  llvm::SmallVector<int64_t, 4> sizeDivisors, strideDivisors;
  /// Views: sizes and strides that are known, by type or by the operands of make_view.
  llvm::SmallVector<std::optional<int64_t>, 4> sizes, strides;

  /// What follows from the type alone.
  static AlignmentFacts ofType(mlir::Type type);
  static AlignmentFacts join(const AlignmentFacts &a, const AlignmentFacts &b);
  bool operator==(const AlignmentFacts &other) const;
  void print(llvm::raw_ostream &os) const;

  /// A number that divides every element (0: all are 0).
  int64_t divisor() const;
};

/// The widest access of a memory op: `elements` (a power of two that divides the tile's extent) neighbours of the tile
/// along dimension `tileDim` lie side by side in memory, aligned to their size, under one mask. `elements` is 1 where
/// nothing is known.
struct VectorAccess {
  unsigned tileDim = 0;
  unsigned elements = 1;
};

/// Bytes of one element in memory; 0 for elements below a byte.
int64_t elementBytes(mlir::Type elementType);

/// The analysis of one function (or of a module; calls are not followed). Arguments are worth what their `tile.div_by`,
/// `tile.sizes_div_by`, `tile.strides_div_by`, `tile.min` and `tile.max` promise.
class AlignmentAnalysis {
public:
  explicit AlignmentAnalysis(mlir::Operation *root);
  ~AlignmentAnalysis();
  AlignmentAnalysis(AlignmentAnalysis &&);

  /// The facts of `value`; those of its type where it is never reached.
  AlignmentFacts getAlignment(mlir::Value value) const;
  /// The signed and unsigned range of each element of an integer or index; nothing for other types.
  std::optional<mlir::ConstantIntRanges> getRange(mlir::Value value) const;
  /// The one value that all elements have, sign-extended.
  std::optional<int64_t> getConstant(mlir::Value value) const;

  /// The widest legal accesses of at most `maxBytes`.
  VectorAccess maxVectorElements(tile::LoadOp op, unsigned maxBytes) const;
  VectorAccess maxVectorElements(tile::StoreOp op, unsigned maxBytes) const;
  VectorAccess maxVectorElements(tile::GatherOp op, unsigned maxBytes) const;
  VectorAccess maxVectorElements(tile::ScatterOp op, unsigned maxBytes) const;
  VectorAccess maxVectorElements(tile::LoadPtrOp op, unsigned maxBytes) const;
  VectorAccess maxVectorElements(tile::StorePtrOp op, unsigned maxBytes) const;

  /// Whether every index that the access makes along view dimension `dim` is proved to lie inside the view, by
  /// what stands in this function alone. False for an op that is no access to a view.
  bool provablyInBounds(mlir::Operation *op, unsigned dim) const;

private:
  struct Solvers;
  std::unique_ptr<Solvers> solvers;
};

/// The dimension whose index a tile gives, -1 for an access that has none.
template <typename AccessOp> int64_t indexedDimOf(AccessOp op) {
  if constexpr (std::is_same_v<AccessOp, tile::GatherOp> || std::is_same_v<AccessOp, tile::ScatterOp>)
    return op.indexedDim();
  return -1;
}

} // namespace tilewright

#endif // TILEWRIGHT_ANALYSIS_ALIGNMENT_H
