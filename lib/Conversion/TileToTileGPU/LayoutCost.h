// SPDX-License-Identifier: Apache-2.0
/// \file
/// What a program costs under a layout plan: the numbers that `improveLayouts` compares. They are estimated cycles of one
/// SM for all warps of one program, as those of the layout algebra; work that no layout changes is left out.
#ifndef TILEWRIGHT_LIB_CONVERSION_TILETOTILEGPU_LAYOUTCOST_H
#define TILEWRIGHT_LIB_CONVERSION_TILETOTILEGPU_LAYOUTCOST_H

#include "tilewright/Conversion/TileToTileGPU/LayoutPlan.h"

#include <map>

namespace tilewright {

class LayoutCost {
public:
  /// All three outlive this.
  LayoutCost(const LayoutPlan &plan, const AccessShapes &access, unsigned numWarps)
      : plan(plan), access(access), numWarps(numWarps) {}

  /// The layout in which `use`, of a tile, is needed. Never null.
  tile_gpu::LayoutAttr wish(mlir::OpOperand &use);
  /// What bringing the operand into that layout costs; 0 for flexible values, which are made in it.
  double ofUse(mlir::OpOperand &use);
  /// What of `op` itself depends on layouts: accesses to memory, steps of a reduction that cross lanes and warps, blocks and
  /// reshapes that leave the registers, and element-wise work, of which copies make more.
  double ofOp(mlir::Operation *op);
  /// What `op`, a load, a reshape or an element-wise op, costs when it makes its tile in `layout` from operands that are in the
  /// layouts that it then wants; more than any program takes where there are none.
  double ofMaking(mlir::Operation *op, tile_gpu::LayoutAttr layout);
  /// The access to memory of `op`, a load or store, from or to registers of `layout`.
  double ofAccess(mlir::Operation *op, tile_gpu::LayoutAttr layout);
  /// One conversion; more than any program takes where there is none.
  double conversion(tile_gpu::LayoutAttr from, tile_gpu::LayoutAttr to, mlir::Type element);

  /// How often `block` runs: trips of the loops around it, an assumed number where it is not known.
  static double timesRun(mlir::Block *block);

private:
  double ofReduce(tile::ReduceOp op);
  double ofFolding(tile_gpu::LayoutAttr source, unsigned dim, mlir::Type element);
  double ofBlocks(mlir::Operation *op);
  tile_gpu::LayoutAttr layoutOf(mlir::Value value) const { return plan.layoutOf.lookup(value); }

  const LayoutPlan &plan;
  const AccessShapes &access;
  unsigned numWarps;
  // Looked up only, never walked: pointers do not order anything.
  std::map<std::tuple<const void *, const void *, unsigned>, double> conversions;
  std::map<std::pair<mlir::Operation *, const void *>, double> accesses;
  std::map<std::tuple<const void *, unsigned, unsigned>, double> reductions;
  std::map<std::tuple<mlir::OpOperand *, const void *, const void *, const void *>, tile_gpu::LayoutAttr> wishes;
};

} // namespace tilewright

#endif // TILEWRIGHT_LIB_CONVERSION_TILETOTILEGPU_LAYOUTCOST_H
