// SPDX-License-Identifier: Apache-2.0
// Rotary position embedding in the half-rotation form: of each head, element j of the first half and element j of the
// second half are turned as a pair by the angle of position and j,
//
//   y[.., p, j]        = x[.., p, j] * cos[p, j] - x[.., p, half + j] * sin[p, j]
//   y[.., p, half + j] = x[.., p, half + j] * cos[p, j] + x[.., p, j] * sin[p, j]
//
// for heads of any even width. Views are [batch, head, position, width] and, for the tables, [position, half]: f16 in
// and out, angles and products in f32. y may be x.
//
// From the root of a checkout:
//   build/bin/tile-run examples/rope.mlir --arg 'x=f16[1x4x100x64]:rand(1)' --arg 'cos=f32[100x32]:rand(2)' --arg 'sin=f32[100x32]:rand(3)' --arg 'y=f16[1x4x100x64]:nan' --save y=build/y.npy

!heads = !tile.view<?x?x?x?xf16, strides = [?, ?, ?, ?]>
!table = !tile.view<?x?xf32, strides = [?, ?]>

// One program turns 32 positions of one head.
func.func @rope(%x: !heads {tile.name = "x"}, %cos: !table {tile.name = "cos"}, %sin: !table {tile.name = "sin"},
                %y: !heads {tile.name = "y"}) attributes {tile.kernel, tile.grid = @rope_grid} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %program = tile.program_id x
  %head = tile.program_id y
  %batch = tile.program_id z
  %i = arith.muli %program, %c32 overflow<nsw> : index

  %half = tile.view_size %cos, 1 : !table
  %x1 = func.call @part(%x, %c0, %half) : (!heads, index, index) -> !heads
  %x2 = func.call @part(%x, %half, %half) : (!heads, index, index) -> !heads
  %y1 = func.call @part(%y, %c0, %half) : (!heads, index, index) -> !heads
  %y2 = func.call @part(%y, %half, %half) : (!heads, index, index) -> !heads

  scf.for %j = %c0 to %half step %c64 {
    %a_narrow = tile.load %x1[%batch, %head, %i, %j] dims [2, 3] pad(zero) : !heads -> tensor<32x64xf16>
    %b_narrow = tile.load %x2[%batch, %head, %i, %j] dims [2, 3] pad(zero) : !heads -> tensor<32x64xf16>
    %c = tile.load %cos[%i, %j] pad(zero) : !table -> tensor<32x64xf32>
    %s = tile.load %sin[%i, %j] pad(zero) : !table -> tensor<32x64xf32>
    %a = arith.extf %a_narrow : tensor<32x64xf16> to tensor<32x64xf32>
    %b = arith.extf %b_narrow : tensor<32x64xf16> to tensor<32x64xf32>
    %a_c = arith.mulf %a, %c : tensor<32x64xf32>
    %b_s = arith.mulf %b, %s : tensor<32x64xf32>
    %b_c = arith.mulf %b, %c : tensor<32x64xf32>
    %a_s = arith.mulf %a, %s : tensor<32x64xf32>
    %first = arith.subf %a_c, %b_s : tensor<32x64xf32>
    %second = arith.addf %b_c, %a_s : tensor<32x64xf32>
    %first_narrow = arith.truncf %first : tensor<32x64xf32> to tensor<32x64xf16>
    %second_narrow = arith.truncf %second : tensor<32x64xf32> to tensor<32x64xf16>
    tile.store %first_narrow, %y1[%batch, %head, %i, %j] dims [2, 3] : tensor<32x64xf16>, !heads
    tile.store %second_narrow, %y2[%batch, %head, %i, %j] dims [2, 3] : tensor<32x64xf16>, !heads
  }
  return
}

// The `width` columns of `v` from `start` on: a pointer and a view say what a slice would.
func.func private @part(%v: !heads, %start: index, %width: index) -> !heads {
  %batches = tile.view_size %v, 0 : !heads
  %heads = tile.view_size %v, 1 : !heads
  %positions = tile.view_size %v, 2 : !heads
  %s0 = tile.view_stride %v, 0 : !heads
  %s1 = tile.view_stride %v, 1 : !heads
  %s2 = tile.view_stride %v, 2 : !heads
  %s3 = tile.view_stride %v, 3 : !heads
  %base = tile.view_base %v : !heads -> !tile.ptr<f16>
  %distance = arith.muli %start, %s3 overflow<nsw> : index
  %first = tile.ptr_add %base, %distance : !tile.ptr<f16>, index
  %part = tile.make_view %first, sizes [%batches, %heads, %positions, %width] strides [%s0, %s1, %s2, %s3] : !heads
  return %part : !heads
}

// One program for each 32 positions of each head of each batch.
func.func @rope_grid(%x: !heads, %cos: !table, %sin: !table, %y: !heads) -> (index, index, index) {
  %c32 = arith.constant 32 : index
  %batches = tile.view_size %x, 0 : !heads
  %heads = tile.view_size %x, 1 : !heads
  %positions = tile.view_size %x, 2 : !heads
  %programs = arith.ceildivsi %positions, %c32 : index
  return %programs, %heads, %batches : index, index, index
}
