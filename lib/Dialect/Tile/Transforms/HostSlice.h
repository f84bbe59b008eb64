// SPDX-License-Identifier: Apache-2.0
/// \file
/// Numbers of a kernel that its launcher can compute, too: integer arithmetic over parameters and sizes of views.
#ifndef TILEWRIGHT_LIB_DIALECT_TILE_TRANSFORMS_HOSTSLICE_H
#define TILEWRIGHT_LIB_DIALECT_TILE_TRANSFORMS_HOSTSLICE_H

#include "BlockNumbers.h"

#include "mlir/IR/Builders.h"

namespace tilewright {

/// Whether a host can compute `value`, of a kernel or a host function.
bool isHostNumber(mlir::Value value);
bool isHostSize(mlir::Value view, unsigned dim);

/// Computes a host number where `builder` stands, in a host function with `arguments` for those of the kernel.
mlir::Value cloneHostNumber(mlir::OpBuilder &builder, mlir::Value value, mlir::ValueRange arguments);
mlir::Value cloneHostSize(mlir::OpBuilder &builder, mlir::Value view, unsigned dim, mlir::ValueRange arguments);

/// Host numbers whose signed sum leaves the same as another number when both are divided.
struct HostResidue {
  struct Term {
    mlir::Value value;
    bool isSubtracted = false;
  };
  llvm::SmallVector<Term> terms;
  /// Whether the sum is the number itself: no multiple of the divisor was left out.
  bool isNumber = true;

  /// Whether the divisor divides the number in every launch.
  bool isAlwaysZero() const { return terms.empty(); }
};

/// What `end - begin` (a null `begin` is 0) leaves when divided by `divisor`: one residue for each number that `end` is the
/// minimum of, so that all zero means that whole blocks are walked, in every program. Multiples of the divisor, such as
/// `program_id * 128` for 64, may be known to the device alone. Nothing where a host cannot compute the rest.
///
/// Worked example, attention with a causal mask: `end = min(keys, program_id * 128 + 128 + keys - queries)` in blocks of 64
/// is whole where `keys` and `keys - queries` are multiples of 64.
std::optional<llvm::SmallVector<HostResidue>> residuesOfWalk(mlir::Value begin, mlir::Value end, int64_t divisor);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_DIALECT_TILE_TRANSFORMS_HOSTSLICE_H
