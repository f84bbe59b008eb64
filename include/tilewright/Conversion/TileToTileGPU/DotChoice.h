// SPDX-License-Identifier: Apache-2.0
/// \file
/// Which instructions compute a product.
#ifndef TILEWRIGHT_CONVERSION_TILETOTILEGPU_DOTCHOICE_H
#define TILEWRIGHT_CONVERSION_TILETOTILEGPU_DOTCHOICE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "tilewright/Dialect/Tile/IR/Tile.h"
#include "tilewright/Target/Target.h"

namespace tilewright {

/// Families of instructions, slowest first.
enum class DotFamily { Fma, MmaSync };

/// "fma", "mma.sync": what the attribute `tile.mma` of a product and the report say.
llvm::StringRef stringify(DotFamily family);
/// The attribute that pins, and after the choice records, the family of a product.
inline constexpr llvm::StringLiteral kDotFamilyAttr = "tile.mma";

struct DotChoice {
  DotFamily family;
  /// Why not a faster family; empty for the fastest.
  std::string reason;
};

/// The family that has instructions for `dot` on `target`: the one that its attribute `tile.mma` names, else the fastest.
/// An impossible wish is an error that is emitted at the product.
llvm::FailureOr<DotChoice> chooseDot(tile::DotOp dot, const Target &target);

/// Chooses and records the family of each product of `func`, with a remark of `category` for each. One diagnostic and failure
/// for an unknown target or an impossible wish.
llvm::LogicalResult chooseDots(mlir::func::FuncOp func, llvm::StringRef target, llvm::StringRef category);

/// The recorded family of a product; Fma where nothing is recorded.
DotFamily recordedFamily(tile::DotOp dot);

} // namespace tilewright

#endif // TILEWRIGHT_CONVERSION_TILETOTILEGPU_DOTCHOICE_H
