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

def UnrollLoopsPass : Pass<"tile-unroll-loops", "::mlir::func::FuncOp"> {
  let summary = "Repeat the bodies of loops as often as tile.unroll says";
  let description = [{
    Works on the program of one thread, where barriers and buffers are in place. Any number of trips is right: what is left over runs in
    a rolled loop behind. Loops that are left are marked `tile_gpu.nounroll`, so that neither LLVM nor ptxas repeats them again; loops without
    `tile.unroll` are left to ptxas. `"full"` where trips are known at run time only, more than one copy of an scf.while,
    and more than `max-instructions` in the copies of one body are errors. See `UnrollLoop.h`.
    Example: test/Conversion/TileToSIMT/unroll-loops.mlir#runtime_trips
  }];
  let options = [Option<"maxInstructions", "max-instructions", "int64_t", /*default=*/"32768",
                        "Most instructions of a thread in the copies of one body: compile time grows with them">];
  let dependentDialects = ["::mlir::scf::SCFDialect", "::mlir::arith::ArithDialect"];
}

#endif
