// SPDX-License-Identifier: Apache-2.0
/// \file
/// Pieces of `tile-lower-to-buffers`: the lowering of each op family has its own source file.
#ifndef TILEWRIGHT_LIB_CONVERSION_TILETOTILEGPU_LOWERTOBUFFERS_H
#define TILEWRIGHT_LIB_CONVERSION_TILETOTILEGPU_LOWERTOBUFFERS_H

#include "tilewright/Conversion/TileToTileGPU/LayoutPlan.h"
#include "tilewright/Dialect/Tile/IR/Tile.h"

namespace tilewright {

/// Whether shared memory can hold elements of this type: tf32 and i1 take their memory form, pointers are addresses.
bool fitsBuffer(mlir::Type element);
/// A new buffer for `tile`, laid out as `shared`.
mlir::Value makeBuffer(mlir::OpBuilder &builder, mlir::Location loc, mlir::RankedTensorType tile,
                       const layout::SharedLayout &shared);
/// Says in a remark that `op` goes through `buffer`, a new one, and why; the buffer keeps the reason for reports.
void explainTrip(mlir::Operation *op, mlir::Value buffer, llvm::StringRef why);

/// The layout after each warp has reduced what it holds along `dim`: what differs by lane or register there is gone, what
/// differs by warp becomes position 0, 1, 2... Null where padding would lie between positions that have elements.
tile_gpu::LayoutAttr partialLayout(tile_gpu::LayoutAttr layout, unsigned dim);
/// `partial` with the warps' positions along `dim` side by side in the registers of every warp.
tile_gpu::LayoutAttr gatheredLayout(tile_gpu::LayoutAttr partial, unsigned dim);

/// Which parts of a layout change places with registers.
struct RegisterExchange {
  bool ofLanes;      ///< those of lanes, or those of warps
  unsigned count;    ///< how many, each a factor of two
  bool highestFirst; ///< registers: the lowest are what one access to memory moves, the highest what accesses repeat
};
/// `layout` with lanes or warps that differ along `dim` given to other dimensions, so that more of a reduction along `dim` is
/// done inside of a thread. Null where there are fewer of them, or of registers that do not differ along `dim`.
tile_gpu::LayoutAttr exchangedLayout(tile_gpu::LayoutAttr layout, unsigned dim, RegisterExchange exchange);

/// A scan: within warps, then with what earlier warps hold in front. Leaves layout conversions behind.
mlir::LogicalResult lowerScan(tile::ScanOp op);

/// An access to memory that programs share: owners of elements perform it, what it gives goes to every replica through
/// shared memory, and barriers make its order that of the whole program. A scalar becomes a tile of one element.
mlir::LogicalResult lowerAtomic(mlir::Operation *op);
/// Whether `op` is such an access, and an acquire or a release.
bool isAtomicAccess(mlir::Operation *op);

/// Blocks of tiles: nothing to do where they are whole registers of each thread, a trip through shared memory elsewhere.
mlir::LogicalResult lowerConcat(tile::ConcatOp op);
mlir::LogicalResult lowerExtract(tile::ExtractOp op);
mlir::LogicalResult lowerInsert(tile::InsertOp op);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_CONVERSION_TILETOTILEGPU_LOWERTOBUFFERS_H
