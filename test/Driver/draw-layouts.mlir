// A picture of each layout and each buffer, in a folder with an index.
// RUN: rm -rf %t.1 %t.2
// RUN: tile-compile %s --draw-layouts=%t.1/new -o /dev/null && %python %S/Inputs/check_pictures.py %t.1/new | FileCheck %s --check-prefix=COUNT
// RUN: ls %t.1/new | FileCheck %s --check-prefix=NAMES
// RUN: FileCheck %s --check-prefix=INDEX --input-file=%t.1/new/index.html
// RUN: FileCheck %s --check-prefix=BUFFER --input-file=%t.1/new/turn__v0.02-buffer.svg
// The same input gives the same bytes.
// RUN: tile-compile %s --draw-layouts=%t.2 -o /dev/null && diff -r %t.1/new %t.2

// Other options go on as ever: one kernel of two, and its report.
// RUN: rm -rf %t.3 && tile-compile %s --kernel=slices --draw-layouts=%t.3 --report -o %t.ptx 2>&1 | FileCheck %s --check-prefix=REPORT
// RUN: ls %t.3 | FileCheck %s --check-prefix=ONE --implicit-check-not=turn
// RUN: grep -q visible %t.ptx

// A folder that cannot be made, and a program without tiles.
// RUN: touch %t.file && not tile-compile %s --draw-layouts=%t.file/x -o /dev/null 2>&1 | FileCheck %s --check-prefix=FOLDER
// RUN: tile-compile %s --emit=simt -o %t.simt.mlir && not tile-compile %t.simt.mlir --draw-layouts=%t.4 -o /dev/null 2>&1 | FileCheck %s --check-prefix=SIMT

// COUNT: {{[0-9]+}} layouts, {{[1-9]}} buffers
// NAMES: slices.01-
// NAMES: turn__v0.01-load.svg
// NAMES: turn__v0.02-
// INDEX: <h1>turn</h1>
// INDEX: <a href="turn__v0.01-load.svg">turn__v0.01-load.svg</a></td><td>tile.load: 32x64xf32 at {{.*}}draw-layouts.mlir:[[# @LINE + 12]]:8 (turn__v0
// BUFFER: buffer of a 32x64xf32 tile
// REPORT: report: kernel slices
// ONE: index.html
// ONE: slices.01-
// FOLDER: tile-compile: error: cannot make the folder '{{.*}}': Not a directory
// SIMT: expected a tile program, found one thread's program, which has no level above

!deep = !tile.view<3x2x5x4x8xf32, strides = [320, 160, 32, 8, 1]>
!mat = !tile.view<?x?xf32, strides = [?, ?]>
func.func @turn(%x: !mat {tile.name = "x"}, %y: !mat {tile.name = "y"}) attributes {tile.kernel, tile.grid = @one, tile.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : index
  %v = tile.load %x[%c0, %c0] pad(zero) : !mat -> tensor<64x32xf32>
  %t = tile.permute %v [1, 0] : tensor<64x32xf32> -> tensor<32x64xf32>
  tile.store %t, %y[%c0, %c0] : tensor<32x64xf32>, !mat
  return
}
func.func @one(%x: !mat, %y: !mat) -> index {
  %c1 = arith.constant 1 : index
  return %c1 : index
}

func.func @one_deep(%x: !deep, %y: !deep) -> index {
  %c1 = arith.constant 1 : index
  return %c1 : index
}

// Rank 5: slices.
func.func @slices(%x: !deep, %y: !deep) attributes {tile.kernel, tile.grid = @one_deep, tile.num_warps = 2 : i32} {
  %c0 = arith.constant 0 : index
  %v = tile.load %x[%c0, %c0, %c0, %c0, %c0] : !deep -> tensor<4x2x8x4x8xf32>
  tile.store %v, %y[%c0, %c0, %c0, %c0, %c0] : tensor<4x2x8x4x8xf32>, !deep
  return
}
