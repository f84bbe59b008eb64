// SPDX-License-Identifier: Apache-2.0
/// \file
/// Where control flow passes tiles on, and what the layout of an operand makes of a result: the connections along which
/// layouts travel.
#ifndef TILEWRIGHT_LIB_CONVERSION_TILETOTILEGPU_LAYOUTFLOW_H
#define TILEWRIGHT_LIB_CONVERSION_TILETOTILEGPU_LAYOUTFLOW_H

#include "tilewright/Conversion/TileToTileGPU/LayoutPlan.h"

namespace tilewright {

/// Where a tile goes when control flow passes it on. `loopEntry` marks the values that enter a loop from outside: they
/// have the least say, since a conversion there runs once.
struct Flow {
  mlir::Value target;
  bool loopEntry = false;
};

/// What `use`, of a tile, is passed on as; no target for operands of other ops.
Flow flowOf(mlir::OpOperand &use);
/// Values that are one value seen from several places, so that their layouts must agree.
llvm::SmallVector<mlir::Value> tiedTo(mlir::Value value);

/// The layout in which `result` of the owner of `use` costs nothing where the operand has `layout`; null where the operand's
/// layout does not say, or where no layout does. Only for operands that control flow does not pass on.
tile_gpu::LayoutAttr carriedLayout(mlir::OpOperand &use, mlir::OpResult result, tile_gpu::LayoutAttr layout);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_CONVERSION_TILETOTILEGPU_LAYOUTFLOW_H
