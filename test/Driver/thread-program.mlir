// One thread's programs become a bundle, too: attributes say what a launch passes and how many CTAs there are.
// RUN: tile-compile %s --emit=bundle -o %t.bundle
// RUN: tile-launch %t.bundle --list | FileCheck %s --check-prefix=LIST
// RUN: tile-run %s --kernel=number --backend=emulator --arg out=i32[6]:zeros --arg first=i32:0 --expect out=i32[6]:iota
// RUN: split-file %S/Inputs/thread-programs.txt %t
// RUN: not tile-compile %t/grid.mlir --emit=bundle -o %t.no 2>&1 | FileCheck %s --check-prefix=GRID
// RUN: not tile-compile %t/pointer.mlir --emit=bundle -o %t.no 2>&1 | FileCheck %s --check-prefix=POINTER
// RUN: not tile-compile %t/elements.mlir --emit=bundle -o %t.no 2>&1 | FileCheck %s --check-prefix=ELEMENTS
// RUN: not tile-compile %t/scalar.mlir --emit=bundle -o %t.no 2>&1 | FileCheck %s --check-prefix=SCALAR

// LIST:     kernel number
// LIST:     out: pointer to i32
// LIST:     first: i32
// GRID:     grid.mlir:1:1: error: expected tile_gpu.grid to be one to three numbers of CTAs, found array<i64: 1, -1>
// POINTER:  pointer.mlir:1:1: error: expected parameter 0, which points to memory, to be i64, found 'i32'
// ELEMENTS: elements.mlir:1:1: error: parameter 0 has elements of 'i3', which no launch can pass
// SCALAR:   scalar.mlir:1:1: error: parameter 0 is of 'vector<2xi32>', which no launch can pass
func.func @number(%out: i64 {tile.name = "out", tile_gpu.points_to = i32}, %first: i32 {tile.name = "first"})
    attributes {tile_gpu.kernel, tile_gpu.num_threads = 32 : i32, tile_gpu.shared_bytes = 0 : i64,
                tile_gpu.grid = array<i64: 3, 2>} {
  %x = tile_gpu.cta_id x
  %y = tile_gpu.cta_id y
  %nx = tile_gpu.num_ctas x
  %row = arith.muli %y, %nx : i32
  %i = arith.addi %row, %x : i32
  %value = arith.addi %i, %first : i32
  %wide = arith.extui %i : i32 to i64
  %c4 = arith.constant 4 : i64
  %offset = arith.muli %wide, %c4 : i64
  %at = arith.addi %out, %offset : i64
  tile_gpu.store_global %value, %at align 4 : i32
  return
}
