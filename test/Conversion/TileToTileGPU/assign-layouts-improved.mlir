// RUN: tile-opt %s --tile-pipeline="stage=gpu max-variants=2" | FileCheck %s --implicit-check-not=convert_layout --implicit-check-not=local_alloc
// RUN: tile-opt %s --tile-pipeline="stage=gpu max-variants=2" -o %t.1
// RUN: tile-opt %s --tile-pipeline="stage=gpu max-variants=2" -o %t.2
// RUN: cmp %t.1 %t.2
// RUN: tile-opt %s --tile-pipeline="stage=gpu max-variants=2" --remarks-filter=tile-assign-layouts --remark-policy=all -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// The first plan gives each load its widest access and meets a conversion where two of them come together. No program
// here keeps one: one load takes the layout of the other, or both take a third.

!half = !tile.view<?x?xf16, strides = [?, ?]>
!full = !tile.view<?x?xf32, strides = [?, ?]>
!row = !tile.view<?xf16, strides = [?]>

func.func @one_program(%a: !half, %b: !full, %c: !full) -> index {
  %c1 = arith.constant 1 : index
  return %c1 : index
}

// Eight halves fill an access and so do four floats: four of each are moved, 8 bytes and 16.
// CHECK-LABEL: func.func @mixed_widths__v0
// CHECK:         tile.load {{.*}} {tile_gpu.contiguous_dim = 1 : i64, tile_gpu.vector = 8 : i64} {{.*}} -> tensor<64x64xf16, [[WIDE:#tile_gpu.layout<.*register = \[\[0, 1\], \[0, 2\], \[8, 0\].*>]]>
// CHECK:         tile.load {{.*}} -> tensor<64x64xf32, [[WIDE]]>
// CHECK:         tile.store {{.*}} : tensor<64x64xf32, [[WIDE]]>
func.func @mixed_widths(%a: !half, %b: !full, %c: !full) attributes {tile.kernel, tile.grid = @one_program} {
  %c0 = arith.constant 0 : index
  %x = tile.load %a[%c0, %c0] pad(zero) : !half -> tensor<64x64xf16>
  %y = tile.load %b[%c0, %c0] pad(zero) : !full -> tensor<64x64xf32>
  %w = arith.extf %x : tensor<64x64xf16> to tensor<64x64xf32>
  %s = arith.addf %w, %y : tensor<64x64xf32>
  tile.store %s, %c[%c0, %c0] : tensor<64x64xf32>, !full
  return
}

// The other order of operands ends the same way.
// CHECK-LABEL: func.func @mixed_widths_turned__v0
// CHECK:         tile.load {{.*}} -> tensor<64x64xf16, [[TURNED:#tile_gpu.layout<.*register = \[\[0, 1\], \[0, 2\], \[8, 0\].*>]]>
// CHECK:         tile.load {{.*}} -> tensor<64x64xf32, [[TURNED]]>
// REMARK: [[# @LINE + 9]]:8: remark: [Passed] LayoutChanged | {{.*}} | Function=mixed_widths_turned__v0 | cycles saved={{[0-9]+}}, tiles=2
// REMARK: remark: [Analysis] LayoutCost | {{.*}} | Function=mixed_widths_turned__v0 | cycles={{[0-9]+}}, cycles of the first plan={{[0-9]+}}
// Element by element there is nothing to give up and nothing to change.
// REMARK-NOT: LayoutChanged
// REMARK: LayoutCost | {{.*}} | Function=mixed_widths_turned | cycles=[[SAME:[0-9]+]], cycles of the first plan=[[SAME]]
func.func @mixed_widths_turned(%a: !half, %b: !full, %c: !full) attributes {tile.kernel, tile.grid = @one_program} {
  %c0 = arith.constant 0 : index
  %x = tile.load %a[%c0, %c0] pad(zero) : !half -> tensor<64x64xf16>
  %y = tile.load %b[%c0, %c0] pad(zero) : !full -> tensor<64x64xf32>
  %w = arith.extf %x : tensor<64x64xf16> to tensor<64x64xf32>
  %s = arith.addf %y, %w : tensor<64x64xf32>
  tile.store %s, %c[%c0, %c0] : tensor<64x64xf32>, !full
  return
}

// Both branches load what they yield in one layout.
// CHECK-LABEL: func.func @branches__v0
// CHECK:         scf.if {{.*}} -> (tensor<64x64xf32, [[YIELDED:#tile_gpu.layout<.*>]]>)
// CHECK:           tile.load {{.*}} -> tensor<64x64xf16, [[YIELDED]]>
// CHECK:         } else {
// CHECK:           tile.load {{.*}} -> tensor<64x64xf32, [[YIELDED]]>
func.func @branches(%a: !half, %b: !full, %c: !full) attributes {tile.kernel, tile.grid = @one_program} {
  %c0 = arith.constant 0 : index
  %n = tile.view_size %a, 0 : !half
  %p = arith.cmpi sgt, %n, %c0 : index
  %d = scf.if %p -> tensor<64x64xf32> {
    %x = tile.load %a[%c0, %c0] pad(zero) : !half -> tensor<64x64xf16>
    %w = arith.extf %x : tensor<64x64xf16> to tensor<64x64xf32>
    scf.yield %w : tensor<64x64xf32>
  } else {
    %y = tile.load %b[%c0, %c0] pad(zero) : !full -> tensor<64x64xf32>
    scf.yield %y : tensor<64x64xf32>
  }
  tile.store %d, %c[%c0, %c0] : tensor<64x64xf32>, !full
  return
}

// Four rows for four warps: each warp takes one, so that no warp needs what another one summed. What the loop carries
// follows, and so does the second loop.
// CHECK-LABEL: func.func @rows_by_warps__v0
// CHECK:         scf.for {{.*}} -> (tensor<4xf32, [[ROWS:#tile_gpu.layout<\[4\].*warp = \[\[2\], \[1\]\]>]]>)
// CHECK:           tile.load {{.*}}warp = {{\[\[}}2, 0], [1, 0]]>>
// CHECK:         scf.for
// CHECK:           tile.load {{.*}}warp = {{\[\[}}2, 0], [1, 0]]>>
func.func @rows_by_warps(%a: !half, %b: !full, %c: !full) attributes {tile.kernel, tile.grid = @one_program} {
  %c0 = arith.constant 0 : index
  %c256 = arith.constant 256 : index
  %n = tile.view_size %b, 1 : !full
  %zero = arith.constant dense<0.0> : tensor<4xf32>
  %sum = scf.for %j = %c0 to %n step %c256 iter_args(%s = %zero) -> (tensor<4xf32>) {
    %x = tile.load %b[%c0, %j] pad(zero) : !full -> tensor<4x256xf32>
    %r = tile.reduce %x dim 1 : tensor<4x256xf32> -> tensor<4xf32> {
    ^bb0(%p: f32, %e: f32):
      %q = arith.addf %p, %e : f32
      tile.yield %q : f32
    }
    %t = arith.addf %s, %r : tensor<4xf32>
    scf.yield %t : tensor<4xf32>
  }
  %column = tile.reshape %sum : tensor<4xf32> -> tensor<4x1xf32>
  %block = tile.broadcast %column : tensor<4x1xf32> -> tensor<4x256xf32>
  scf.for %j = %c0 to %n step %c256 {
    %x = tile.load %b[%c0, %j] pad(zero) : !full -> tensor<4x256xf32>
    %d = arith.divf %x, %block : tensor<4x256xf32>
    tile.store %d, %c[%c0, %j] : tensor<4x256xf32>, !full
  }
  return
}

// A norm: weights of halves, one row of them for all rows of floats.
func.func @norm_grid(%a: !half, %b: !row, %c: !full) -> index {
  %c1 = arith.constant 1 : index
  return %c1 : index
}
// CHECK-LABEL: func.func @weights__v0
// CHECK:         tile.load {{.*}} : !tile.view<?xf16, strides = [1]> -> tensor<512xf16
// CHECK:         tile.store
func.func @weights(%a: !half, %b: !row, %c: !full) attributes {tile.kernel, tile.grid = @norm_grid} {
  %c0 = arith.constant 0 : index
  %x = tile.load %c[%c0, %c0] pad(zero) : !full -> tensor<8x512xf32>
  %w = tile.load %b[%c0] pad(zero) : !row -> tensor<512xf16>
  %wide = arith.extf %w : tensor<512xf16> to tensor<512xf32>
  %row = tile.reshape %wide : tensor<512xf32> -> tensor<1x512xf32>
  %block = tile.broadcast %row : tensor<1x512xf32> -> tensor<8x512xf32>
  %y = arith.mulf %x, %block : tensor<8x512xf32>
  tile.store %y, %c[%c0, %c0] : tensor<8x512xf32>, !full
  return
}

// Rows are reduced in a loop of 15 steps. The wide load puts them into lanes, where each step would take four shuffles of
// all eight registers; reduced over registers it takes one shuffle of one. Loaded element by element, once, the tile is
// where the loop wants it.
!blocks = !tile.view<?x16x16xf16, strides = [?, ?, ?]>
!sums = !tile.view<?x16x16xf32, strides = [?, ?, ?]>
!sum = !tile.view<?xf32, strides = [?]>
func.func @one_program_of_blocks(%a: !blocks, %c: !sums) -> index {
  %c1 = arith.constant 1 : index
  return %c1 : index
}
// CHECK-LABEL: func.func @rows_in_registers__v0
// CHECK:         scf.for {{.*}} -> (tensor<4x16x16xf32, #tile_gpu.layout<[4, 16, 16], register = {{\[\[}}0, 4, 0], [0, 2, 0], [0, 1, 0]], lane = {{.*}}, warp = {{\[\[}}1, 0, 0], [2, 0, 0]]>>)
func.func @rows_in_registers(%a: !blocks, %c: !sums) attributes {tile.kernel, tile.grid = @one_program_of_blocks,
                                                                     tile.num_warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %x = tile.load %a[%c0, %c0, %c0] pad(zero) : !blocks -> tensor<4x16x16xf16>
  %w = arith.extf %x : tensor<4x16x16xf16> to tensor<4x16x16xf32>
  %t = scf.for %i = %c1 to %c16 step %c1 iter_args(%s = %w) -> (tensor<4x16x16xf32>) {
    %r = tile.reduce %s dim 1 : tensor<4x16x16xf32> -> tensor<4x16xf32> {
    ^bb0(%p: f32, %e: f32):
      %q = arith.addf %p, %e : f32
      tile.yield %q : f32
    }
    %row = tile.reshape %r : tensor<4x16xf32> -> tensor<4x1x16xf32>
    %block = tile.broadcast %row : tensor<4x1x16xf32> -> tensor<4x16x16xf32>
    %d = arith.subf %s, %block : tensor<4x16x16xf32>
    scf.yield %d : tensor<4x16x16xf32>
  }
  tile.store %t, %c[%c0, %c0, %c0] : tensor<4x16x16xf32>, !sums
  return
}

// Reduced once, rows take two of the three registers: two neighbours are still loaded together.
// CHECK-LABEL: func.func @rows_reduced_once__v0
// CHECK:         tile.load {{.*}} -> tensor<4x16x16xf16, #tile_gpu.layout<[4, 16, 16], register = {{\[\[}}0, 0, 1], [0, 2, 0], [0, 1, 0]],
func.func @rows_reduced_once(%a: !blocks, %c: !full) attributes {tile.kernel, tile.grid = @one_program_of_rows} {
  %c0 = arith.constant 0 : index
  %x = tile.load %a[%c0, %c0, %c0] pad(zero) : !blocks -> tensor<4x16x16xf16>
  %w = arith.extf %x : tensor<4x16x16xf16> to tensor<4x16x16xf32>
  %r = tile.reduce %w dim 1 : tensor<4x16x16xf32> -> tensor<4x16xf32> {
  ^bb0(%p: f32, %e: f32):
    %q = arith.addf %p, %e : f32
    tile.yield %q : f32
  }
  tile.store %r, %c[%c0, %c0] : tensor<4x16xf32>, !full
  return
}
func.func @one_program_of_rows(%a: !blocks, %c: !full) -> index {
  %c1 = arith.constant 1 : index
  return %c1 : index
}

// Here the load would lose more than the shuffles of one reduction cost: rows stay in the lanes of the wide load.
// CHECK-LABEL: func.func @rows_in_lanes__v0
// CHECK:         tile.load {{.*}} -> tensor<64x64xf32, #tile_gpu.layout<[64, 64], register = {{\[\[}}0, 1], [0, 2],
func.func @rows_in_lanes(%a: !full, %b: !sum) attributes {tile.kernel, tile.grid = @one_program_of_sums} {
  %c0 = arith.constant 0 : index
  %x = tile.load %a[%c0, %c0] pad(zero) : !full -> tensor<64x64xf32>
  %r = tile.reduce %x dim 1 : tensor<64x64xf32> -> tensor<64xf32> {
  ^bb0(%p: f32, %e: f32):
    %q = arith.addf %p, %e : f32
    tile.yield %q : f32
  }
  tile.store %r, %b[%c0] : tensor<64xf32>, !sum
  return
}
func.func @one_program_of_sums(%a: !full, %b: !sum) -> index {
  %c1 = arith.constant 1 : index
  return %c1 : index
}
