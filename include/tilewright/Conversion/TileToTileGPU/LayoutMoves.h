// SPDX-License-Identifier: Apache-2.0
/// \file
/// Which tiles change their layout in a program that `tile-lower-to-buffers` has made, how, and at what cost: facts for
/// reports and pictures, read off the program itself so that they cannot differ from what is emitted.
#ifndef TILEWRIGHT_CONVERSION_TILETOTILEGPU_LAYOUTMOVES_H
#define TILEWRIGHT_CONVERSION_TILETOTILEGPU_LAYOUTMOVES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "tilewright/Dialect/TileGPU/IR/TileGPU.h"
#include "tilewright/Layout/Conversion.h"

namespace tilewright {

/// Discardable attribute of a `tile_gpu.local_alloc`: why a tile goes through this buffer.
inline constexpr llvm::StringLiteral kReasonAttr = "tile_gpu.reason";

/// Discardable attribute of the ops that compute products: `tile.dot_choice` of the `tile.dot` that they stand for.
inline constexpr llvm::StringLiteral kKeptDotChoiceAttr = "tile_gpu.dot_choice";

/// One tile that other threads or registers hold afterwards.
struct LayoutMove {
  /// A `tile_gpu.convert_layout`, or the `tile_gpu.local_alloc` of the buffer that the tile goes through.
  mlir::Operation *op;
  layout::ConversionPlan::Kind kind;
  /// Estimated issue cycles of one SM for all warps of one program, each time that it is done.
  double cycles = 0;
  int64_t sharedBytes = 0;
  /// Shared memory only: all writers of the buffer together, and all readers.
  layout::SharedAccessCost writes, reads;
  /// Set where a reader uses `ldmatrix`; `reads` counts its rows then.
  bool readsMatrices = false;
  std::string reason;

  /// "64x32xf16".
  std::string tileStr() const;
  /// "registers", "shuffles" or "shared memory".
  const char *kindStr() const;
};

/// All moves in program order; those that change nothing in any thread are left out.
std::vector<LayoutMove> collectLayoutMoves(mlir::func::FuncOp func);

} // namespace tilewright

#endif // TILEWRIGHT_CONVERSION_TILETOTILEGPU_LAYOUTMOVES_H
