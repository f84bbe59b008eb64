// SPDX-License-Identifier: Apache-2.0
/// \file
/// Which instructions compute the products of a kernel: asks `planDot` for each `tile.dot`, honours wishes, records and explains
/// the answer. `tile-select-dot` does this, and `tile-assign-layouts` for the products that have no record yet.
#ifndef TILEWRIGHT_DIALECT_TILE_TRANSFORMS_DOTCHOICE_H
#define TILEWRIGHT_DIALECT_TILE_TRANSFORMS_DOTCHOICE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "tilewright/Dialect/Tile/IR/DotRecord.h"
#include "tilewright/Dialect/Tile/IR/Tile.h"
#include "tilewright/Dialect/Tile/Transforms/DotPlan.h"

namespace tilewright {

/// What `dot` asks of instructions in a program of `warps` warps (0: not known yet). An operand that is not a load, or a
/// transpose of one, is computed; the majorness of a load is where its view has stride 1.
DotQuery describeDot(tile::DotOp dot, unsigned warps);

/// Records the choice for each product of `func` as its attribute `tile.dot_choice`: the family that its attribute `tile.mma`
/// names, else what `planDot` says. Explains each with remarks of `category`. A product that has a record keeps it, without a remark, if the target can compute it so. `warps` holds for a kernel without
/// `tile.num_warps`; 0: not known yet. One diagnostic and failure for an unknown target and an impossible wish or record.
llvm::LogicalResult chooseDots(mlir::func::FuncOp func, llvm::StringRef target, unsigned warps, llvm::StringRef category);

/// The recorded family of a product; Fma where nothing is recorded.
MmaFamily recordedFamily(tile::DotOp dot);

} // namespace tilewright

#endif // TILEWRIGHT_DIALECT_TILE_TRANSFORMS_DOTCHOICE_H
