// SPDX-License-Identifier: Apache-2.0
/// \file
/// The decision behind `tile-assign-layouts`: which thread and register holds each element of each tile.
///
/// Some ops have an opinion: a load wants neighbouring lanes on neighbouring addresses, a product wants its
/// accumulator spread in two dimensions. These *anchors* start, and their layouts flow along element-wise ops,
/// reductions, loops and branches. Values that cost nothing to make - constants, `splat`, `iota` and what is
/// computed from these alone - are *flexible*: they have no layout of their own but are made once for each layout
/// in which they are wanted. Where what an op needs differs from what its operand has, a conversion is planned. That first
/// plan is then improved by a search that knows what conversions and accesses cost.
#ifndef TILEWRIGHT_CONVERSION_TILETOTILEGPU_LAYOUTPLAN_H
#define TILEWRIGHT_CONVERSION_TILETOTILEGPU_LAYOUTPLAN_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "tilewright/Dialect/Tile/IR/Tile.h"
#include "tilewright/Dialect/TileGPU/IR/TileGPU.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace tilewright {

/// How one memory op touches memory: which dimension of the tile is contiguous there, and how many elements
/// along it one access may move (1: element by element).
struct AccessShape {
  unsigned contiguousDim = 0;
  int64_t vectorElements = 1;
};

/// Answers for each load and store of a function; filled from the alignment analysis.
using AccessShapes = llvm::DenseMap<mlir::Operation *, AccessShape>;

/// What the alignment analysis finds for each memory op of `func`.
AccessShapes findAccessShapes(mlir::func::FuncOp func);

struct LayoutPlan {
  /// The one layout of each value that is not flexible.
  llvm::DenseMap<mlir::Value, tile_gpu::LayoutAttr> layoutOf;
  /// The layouts in which each flexible value is wanted, in the order in which the wishes were met.
  llvm::DenseMap<mlir::Value, llvm::SetVector<tile_gpu::LayoutAttr>> wantedOf;

  /// Flexible values that have a layout in `layoutOf` too are those that `duplicateTiles` made so: it is the one that they had.
  bool isFlexible(mlir::Value value) const { return flexible.contains(value); }
  llvm::DenseSet<mlir::Value> flexible;

  /// Tiles that together got another layout than the first plan gave them, since it saves conversions or accesses.
  struct Change {
    mlir::Value first;    ///< the tile that it began with
    unsigned numTiles;    ///< tiles that got another layout, values that a loop ties counted once
    double cyclesSaved;   ///< estimated, of one SM for all runs in one program
  };
  std::vector<Change> changes;
  /// Tiles that were considered to be made in each layout in which they are used.
  struct Copies {
    mlir::Value value;
    unsigned numOps;                      ///< that make it, those before it included
    double cyclesConverted, cyclesCopied; ///< of these ops and what uses their tiles, as it was and with copies
    bool isKept;
  };
  std::vector<Copies> copies;
  /// Estimated cycles of what depends on layouts, under the first plan and under this one.
  double cyclesBefore = 0, cyclesAfter = 0;
};

/// The layout in which `op`, whose first tile result has `result` (null for ops without one), wants its operand
/// `index`. Null: any layout is fine.
tile_gpu::LayoutAttr wantedOperandLayout(mlir::Operation *op, unsigned index, tile_gpu::LayoutAttr result,
                                         const LayoutPlan &plan, const AccessShapes &access, unsigned numWarps);

/// Plans the layouts of all tiles of `func` for programs of `numWarps` warps. Pure: `func` is not changed.
LayoutPlan planLayouts(mlir::func::FuncOp func, const AccessShapes &access, unsigned numWarps);

/// Changes the layouts that `plan` gives to values until no change that is tried makes the program cheaper: conversions,
/// accesses to memory, reductions and element-wise work, each counted as often as the loops around it run it.
/// Deterministic; does not look at what flexible values cost. LayoutCost.h has the numbers, ImproveLayouts.cpp the way.
void improveLayouts(mlir::func::FuncOp func, LayoutPlan &plan, const AccessShapes &access, unsigned numWarps);

/// Makes tiles flexible that are converted for some user, where making them in each layout is cheaper: loads without order
/// and what is computed from them element by element. `func` is not changed.
void duplicateTiles(mlir::func::FuncOp func, LayoutPlan &plan, const AccessShapes &access, unsigned numWarps);

/// The layout of the sum of a product, by the family that is recorded on it. With `rowsInWarps` a row of it stays in one
/// warp where the instructions allow that. Null if the tile exceeds what a layout can say.
tile_gpu::LayoutAttr accumulatorLayout(tile::DotOp dot, unsigned numWarps, bool rowsInWarps);
/// Whether products of `func` should keep rows of their sums in one warp: some sum, or what is computed from it
/// element by element, is reduced along its rows or is the left operand of another product.
bool wantsRowsInWarps(mlir::func::FuncOp func);

/// What a kernel is estimated to be with some number of warps: cycles of one SM for all warps of a program, as far as
/// layouts tell (LayoutCost.h), and 32-bit registers of a thread for the tiles of its loops.
struct WarpEstimate {
  unsigned warps;
  double cycles;
  int64_t registers;
};
/// The warps of the first of `estimates`, which are the usual ones, unless others save an eighth of its cycles and their tiles
/// fit into registers: then those with the fewest cycles, of equals the first.
unsigned pickWarps(llvm::ArrayRef<WarpEstimate> estimates);

/// How many warps a kernel gets, and what was compared; nothing where it follows from an attribute, an option or a product.
struct WarpChoice {
  unsigned warps;
  std::vector<WarpEstimate> estimates;
};
/// Warps of a kernel: its `tile.num_warps`, else `wanted` where that is not 0, else four, or as many up to sixteen as keep the
/// accumulator of its largest product to 64 registers a thread (128 on tensor cores, and with what is loaded beside it 200), so
/// that operands and addresses find room. Where four do and a loop reduces or scans tiles without touching memory, fewer may
/// be cheaper (`pickWarps`): what they exchange moves in registers. Families of products are recorded before.
WarpChoice chooseWarps(mlir::func::FuncOp func, const AccessShapes &access, unsigned wanted);

/// The layout of a tile that nothing has an opinion on: last dimension fastest, `vector` elements a thread.
tile_gpu::LayoutAttr defaultLayout(mlir::RankedTensorType type, unsigned numWarps);
/// The layout that puts neighbouring lanes on neighbouring addresses of `access`.
tile_gpu::LayoutAttr coalescedLayout(mlir::RankedTensorType type, const AccessShape &access, unsigned numWarps);

/// Tile values only: ranked tensors.
inline bool isTile(mlir::Value value) { return mlir::isa<mlir::RankedTensorType>(value.getType()); }
inline mlir::RankedTensorType tileType(mlir::Value value) { return mlir::cast<mlir::RankedTensorType>(value.getType()); }
inline tile_gpu::LayoutAttr layoutOf(mlir::Type type) {
  auto tile = mlir::dyn_cast<mlir::RankedTensorType>(type);
  return tile ? mlir::dyn_cast_or_null<tile_gpu::LayoutAttr>(tile.getEncoding()) : tile_gpu::LayoutAttr();
}
inline mlir::RankedTensorType withLayout(mlir::RankedTensorType type, tile_gpu::LayoutAttr layout) {
  return mlir::RankedTensorType::get(type.getShape(), type.getElementType(), layout);
}
/// Whether some thread holds an element that another one owns.
bool hasReplicas(tile_gpu::LayoutAttr layout);
/// The layout algebra on attributes; null where the algebra has no answer.
tile_gpu::LayoutAttr dropDim(tile_gpu::LayoutAttr layout, unsigned dim);
tile_gpu::LayoutAttr permuteLayout(tile_gpu::LayoutAttr layout, llvm::ArrayRef<int64_t> order);
tile_gpu::LayoutAttr reshapeLayout(tile_gpu::LayoutAttr layout, llvm::ArrayRef<int64_t> shape);
tile_gpu::LayoutAttr restrictLayout(tile_gpu::LayoutAttr layout, llvm::ArrayRef<int64_t> shape);
/// The layout without all dims but `dim`.
tile_gpu::LayoutAttr keepDim(tile_gpu::LayoutAttr layout, unsigned dim);
/// The layout of a block of `shape` where blocks are whole registers of each thread (`layout::blockOf`), and the way back.
tile_gpu::LayoutAttr blockLayout(tile_gpu::LayoutAttr layout, llvm::ArrayRef<int64_t> shape);
tile_gpu::LayoutAttr stackLayout(tile_gpu::LayoutAttr layout, unsigned dim, int64_t count);
/// The layout for a scan along `dim` of a tile that is in `layout` (`layout::tryMakeScannable`).
tile_gpu::LayoutAttr scannableLayout(tile_gpu::LayoutAttr layout, unsigned dim, std::string *error = nullptr);
/// Whether each of `indices` is a constant.
bool hasConstantIndices(mlir::ValueRange indices);
/// Whether taking the block of `shape` that `indices` name out of a tile in `layout`, or putting it in, is done in registers:
/// blocks are whole registers, and the block is known or one of few.
bool staysInRegisters(mlir::ValueRange indices, tile_gpu::LayoutAttr layout, llvm::ArrayRef<int64_t> shape);

} // namespace tilewright

#endif // TILEWRIGHT_CONVERSION_TILETOTILEGPU_LAYOUTPLAN_H
