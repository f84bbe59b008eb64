// SPDX-License-Identifier: Apache-2.0
/// \file
/// Which values of a kernel a host knows before the launch: those computed from the parameters by integer arithmetic that a
/// launch plan can express, and views made from such. Changes nothing.
#ifndef TILEWRIGHT_ANALYSIS_HOSTVALUES_H
#define TILEWRIGHT_ANALYSIS_HOSTVALUES_H

#include "tilewright/Dialect/Tile/IR/Tile.h"

#include <optional>
#include <string>

namespace tilewright {

/// A view behind the permutations that it was taken through: a parameter, or made by `tile.make_view`, or whatever gives a view.
struct ViewOrigin {
  mlir::Value view;
  /// Its dimension that each dimension of the permuted view is.
  llvm::SmallVector<int64_t> dims;

  static ViewOrigin of(mlir::Value view);
};

/// Whether a launch plan has an expression for the result of `op`, given expressions for its operands (ExprOp).
bool hasHostExpression(mlir::Operation *op);

/// Why a host does not know base, sizes and strides of `origin`, which comes from a ViewOrigin, or does not know them whatever
/// path the kernel takes; nothing if it does. A promise or a division inside of a branch or a loop is no such number: it need
/// not hold where it is not run.
std::optional<std::string> whyNotOnHost(mlir::Value origin);

/// The size or stride of a dimension of a view, as the operand of `make` that gives it; null if the type says it.
mlir::Value sizeOperand(tile::MakeViewOp make, int64_t dim);
mlir::Value strideOperand(tile::MakeViewOp make, int64_t dim);

} // namespace tilewright

#endif // TILEWRIGHT_ANALYSIS_HOSTVALUES_H
