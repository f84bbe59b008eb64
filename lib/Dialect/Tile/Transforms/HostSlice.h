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

} // namespace tilewright

#endif // TILEWRIGHT_LIB_DIALECT_TILE_TRANSFORMS_HOSTSLICE_H
