// SPDX-License-Identifier: Apache-2.0
#ifndef TILEWRIGHT_CONVERSION_TILETOSIMT_PASSES_TD
#define TILEWRIGHT_CONVERSION_TILETOSIMT_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConvertTileToSIMTPass : Pass<"convert-tile-to-simt", "::mlir::ModuleOp"> {
  let summary = "Rewrite each kernel as the program of one of its threads";
  let description = [{
    `tensor<128x64xf32, #layout>` becomes the `vector<64xf32>` of the elements that one thread holds, in the order of the layout's
    registers. Element-wise ops keep their op and change type. Views become their base, dynamic sizes and dynamic strides, in
    this order, also as kernel parameters; pointers become `i64`. Loads and stores become
    `tile_gpu.load_global` and the like, as wide as the layout and the op's `tile_gpu.vector` allow. Host functions are left alone;
    the function is marked `tile_gpu.kernel`, with `tile_gpu.num_threads` and `tile_gpu.shared_bytes`.
    Needs layouts on all tiles and offsets on all buffers.
    Example: test/Conversion/TileToSIMT/convert-tile-to-simt.mlir#vector_add
  }];
  let dependentDialects = ["::tilewright::tile_gpu::TileGPUDialect", "::mlir::vector::VectorDialect",
                           "::mlir::scf::SCFDialect", "::mlir::math::MathDialect", "::mlir::arith::ArithDialect"];
}

#endif
