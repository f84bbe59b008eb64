// SPDX-License-Identifier: Apache-2.0
// y[i, j] = x[i, 0] + .. + x[i, j], and the same from the right end: running sums of rows of any width.
//
// One program does four rows. A row may be wider than a tile, so it is walked in blocks of 256 columns, and the sum of
// all that came before is carried from block to block. A scan gives the running sums within a block; the carried sum is
// added to all of them, and the one that the walk ends on is carried on.
//
// From the root of a checkout:
//   build/bin/tile-run examples/cumsum.mlir --kernel=cumsum --arg 'x=f32[100x1000]:rand(1)' --arg 'y=f32[100x1000]:nan' --save y=build/y.npy

!mat = !tile.view<?x?xf32, strides = [?, ?]>
!half = !tile.view<?x?xf16, strides = [?, ?]>

func.func @cumsum(%x: !mat {tile.name = "x"}, %y: !mat {tile.name = "y"})
    attributes {tile.kernel, tile.grid = @rows_grid} {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c255 = arith.constant 255 : index
  %c256 = arith.constant 256 : index
  %columns = tile.view_size %x, 1 : !mat
  %program = tile.program_id x
  %row = arith.muli %program, %c4 overflow<nsw> : index
  %zero = arith.constant dense<0.0> : tensor<4x1xf32>
  %total = scf.for %column = %c0 to %columns step %c256 iter_args(%carry = %zero) -> (tensor<4x1xf32>) {
    // Elements past the end of a row read as 0 and change no sum.
    %block = tile.load %x[%row, %column] pad(zero) : !mat -> tensor<4x256xf32>
    %sums = tile.scan %block dim 1 identity [0.0 : f32] : tensor<4x256xf32> -> tensor<4x256xf32> {
    ^bb0(%before: f32, %element: f32):
      %r = arith.addf %before, %element : f32
      tile.yield %r : f32
    }
    %carried = tile.broadcast %carry : tensor<4x1xf32> -> tensor<4x256xf32>
    %all = arith.addf %carried, %sums : tensor<4x256xf32>
    tile.store %all, %y[%row, %column] : tensor<4x256xf32>, !mat
    // The last column: all of the row up to here. In the last block, what is past the end has added nothing.
    %last = tile.extract %all[%c0, %c255] : tensor<4x256xf32> -> tensor<4x1xf32>
    scf.yield %last : tensor<4x1xf32>
  }
  return
}

// From the right end: blocks from the last to the first, each scanned from its high end.
func.func @cumsum_reverse(%x: !mat {tile.name = "x"}, %y: !mat {tile.name = "y"})
    attributes {tile.kernel, tile.grid = @rows_grid} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c256 = arith.constant 256 : index
  %columns = tile.view_size %x, 1 : !mat
  %program = tile.program_id x
  %row = arith.muli %program, %c4 overflow<nsw> : index
  %zero = arith.constant dense<0.0> : tensor<4x1xf32>
  %blocks = arith.ceildivsi %columns, %c256 : index
  %last = arith.subi %blocks, %c1 : index
  %total = scf.for %i = %c0 to %blocks step %c1 iter_args(%carry = %zero) -> (tensor<4x1xf32>) {
    %left = arith.subi %last, %i : index
    %column = arith.muli %left, %c256 overflow<nsw> : index
    %block = tile.load %x[%row, %column] pad(zero) : !mat -> tensor<4x256xf32>
    %sums = tile.scan %block dim 1 reverse identity [0.0 : f32] : tensor<4x256xf32> -> tensor<4x256xf32> {
    ^bb0(%before: f32, %element: f32):
      %r = arith.addf %before, %element : f32
      tile.yield %r : f32
    }
    %carried = tile.broadcast %carry : tensor<4x1xf32> -> tensor<4x256xf32>
    %all = arith.addf %carried, %sums : tensor<4x256xf32>
    tile.store %all, %y[%row, %column] : tensor<4x256xf32>, !mat
    %first = tile.extract %all[%c0, %c0] : tensor<4x256xf32> -> tensor<4x1xf32>
    scf.yield %first : tensor<4x1xf32>
  }
  return
}

// Elements of half the width, sums in f32: rounded once, when they are stored.
func.func @cumsum_half(%x: !half {tile.name = "x"}, %y: !half {tile.name = "y"})
    attributes {tile.kernel, tile.grid = @half_grid} {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c255 = arith.constant 255 : index
  %c256 = arith.constant 256 : index
  %columns = tile.view_size %x, 1 : !half
  %program = tile.program_id x
  %row = arith.muli %program, %c4 overflow<nsw> : index
  %zero = arith.constant dense<0.0> : tensor<4x1xf32>
  %total = scf.for %column = %c0 to %columns step %c256 iter_args(%carry = %zero) -> (tensor<4x1xf32>) {
    %block = tile.load %x[%row, %column] pad(zero) : !half -> tensor<4x256xf16>
    %wide = arith.extf %block : tensor<4x256xf16> to tensor<4x256xf32>
    %sums = tile.scan %wide dim 1 identity [0.0 : f32] : tensor<4x256xf32> -> tensor<4x256xf32> {
    ^bb0(%before: f32, %element: f32):
      %r = arith.addf %before, %element : f32
      tile.yield %r : f32
    }
    %carried = tile.broadcast %carry : tensor<4x1xf32> -> tensor<4x256xf32>
    %all = arith.addf %carried, %sums : tensor<4x256xf32>
    %narrow = arith.truncf %all : tensor<4x256xf32> to tensor<4x256xf16>
    tile.store %narrow, %y[%row, %column] : tensor<4x256xf16>, !half
    %last = tile.extract %all[%c0, %c255] : tensor<4x256xf32> -> tensor<4x1xf32>
    scf.yield %last : tensor<4x1xf32>
  }
  return
}

func.func @cumsum_half_reverse(%x: !half {tile.name = "x"}, %y: !half {tile.name = "y"})
    attributes {tile.kernel, tile.grid = @half_grid} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c256 = arith.constant 256 : index
  %columns = tile.view_size %x, 1 : !half
  %program = tile.program_id x
  %row = arith.muli %program, %c4 overflow<nsw> : index
  %zero = arith.constant dense<0.0> : tensor<4x1xf32>
  %blocks = arith.ceildivsi %columns, %c256 : index
  %last = arith.subi %blocks, %c1 : index
  %total = scf.for %i = %c0 to %blocks step %c1 iter_args(%carry = %zero) -> (tensor<4x1xf32>) {
    %left = arith.subi %last, %i : index
    %column = arith.muli %left, %c256 overflow<nsw> : index
    %block = tile.load %x[%row, %column] pad(zero) : !half -> tensor<4x256xf16>
    %wide = arith.extf %block : tensor<4x256xf16> to tensor<4x256xf32>
    %sums = tile.scan %wide dim 1 reverse identity [0.0 : f32] : tensor<4x256xf32> -> tensor<4x256xf32> {
    ^bb0(%before: f32, %element: f32):
      %r = arith.addf %before, %element : f32
      tile.yield %r : f32
    }
    %carried = tile.broadcast %carry : tensor<4x1xf32> -> tensor<4x256xf32>
    %all = arith.addf %carried, %sums : tensor<4x256xf32>
    %narrow = arith.truncf %all : tensor<4x256xf32> to tensor<4x256xf16>
    tile.store %narrow, %y[%row, %column] : tensor<4x256xf16>, !half
    %first = tile.extract %all[%c0, %c0] : tensor<4x256xf32> -> tensor<4x1xf32>
    scf.yield %first : tensor<4x1xf32>
  }
  return
}

// One program for each four rows.
func.func @rows_grid(%x: !mat, %y: !mat) -> index {
  %c4 = arith.constant 4 : index
  %rows = tile.view_size %x, 0 : !mat
  %programs = arith.ceildivsi %rows, %c4 : index
  return %programs : index
}

func.func @half_grid(%x: !half, %y: !half) -> index {
  %c4 = arith.constant 4 : index
  %rows = tile.view_size %x, 0 : !half
  %programs = arith.ceildivsi %rows, %c4 : index
  return %programs : index
}
