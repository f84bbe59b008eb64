// Each level of one kernel.
// RUN: tile-compile %s --emit=tile | FileCheck %s --check-prefix=TILE
// RUN: tile-compile %s --emit=gpu | FileCheck %s --check-prefix=GPU
// RUN: tile-compile %s --emit=simt | FileCheck %s --check-prefix=SIMT
// RUN: tile-compile %s --emit=llvm-dialect | FileCheck %s --check-prefix=DIALECT
// RUN: tile-compile %s --emit=llvm | FileCheck %s --check-prefix=LLVM
// RUN: tile-compile %s --emit=ptx -o %t.ptx && FileCheck %s --check-prefix=PTX --input-file=%t.ptx
// RUN: tile-compile %s --target=sm_120a | FileCheck %s --check-prefix=NEWER

// The same input gives the same bytes.
// RUN: tile-compile %s --emit=bundle -o %t.1.bundle && tile-compile %s --emit=bundle -o %t.2.bundle
// RUN: cmp %t.1.bundle %t.2.bundle
// RUN: tile-launch %t.1.bundle --list | FileCheck %s --check-prefix=LIST
// RUN: tile-launch %t.1.bundle --report | FileCheck %s --check-prefix=REPORT

// TILE:    tile.load
// GPU:     #tile_gpu.layout
// SIMT:    func.func @double(%{{.*}}: i64, %{{.*}}: index, %{{.*}}: index)
// SIMT-SAME: tile_gpu.num_threads = 64 : i32
// SIMT:    tile_gpu.load_global
// DIALECT: llvm.func @double({{.*}}nvvm.kernel
// LLVM:    target triple = "nvptx64-nvidia-cuda"
// LLVM:    define ptx_kernel void @double(
// PTX:     .version 8.0
// PTX:     .target sm_90a
// PTX:     .visible .entry double(
// NEWER:   .version 8.7
// NEWER:   .target sm_120a
// LIST:    target sm_90a
// LIST:    kernel double, 3 variants
// LIST:      0 v: view of f32, sizes [?], strides [?]
// REPORT:  "symbol": "double"
// REPORT:  "threads": 64

func.func @double(%v: !tile.view<?xf32, strides = [?]> {tile.name = "v"}) attributes {tile.kernel, tile.grid = @grid, tile.num_warps = 2 : i32} {
  %c256 = arith.constant 256 : index
  %p = tile.program_id x
  %i = arith.muli %p, %c256 overflow<nsw> : index
  %x = tile.load %v[%i] pad(zero) : !tile.view<?xf32, strides = [?]> -> tensor<256xf32>
  %y = arith.addf %x, %x : tensor<256xf32>
  tile.store %y, %v[%i] : tensor<256xf32>, !tile.view<?xf32, strides = [?]>
  return
}
func.func @grid(%v: !tile.view<?xf32, strides = [?]>) -> index {
  %c256 = arith.constant 256 : index
  %n = tile.view_size %v, 0 : !tile.view<?xf32, strides = [?]>
  %g = arith.ceildivsi %n, %c256 : index
  return %g : index
}
