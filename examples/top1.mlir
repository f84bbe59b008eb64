// SPDX-License-Identifier: Apache-2.0
// value[i] = largest x[i, j], index[i] = the first j at which it is, for rows of any width.
//
// One program does four rows, in blocks of 256 columns. A reduction over two tiles, elements and their column numbers, finds
// the best of a block; putting it beside the best so far and reducing the two gives the best up to here.
//
// From the root of a checkout:
//   build/bin/tile-run examples/top1.mlir --arg 'x=f32[100x1000]:rand(1)' --arg 'value=f32[100]:nan' --arg 'index=i32[100]:zeros' --save index=build/index.npy

!mat = !tile.view<?x?xf32, strides = [?, ?]>
!values = !tile.view<?xf32, strides = [?]>
!indices = !tile.view<?xi32, strides = [?]>

func.func @top1(%x: !mat {tile.name = "x"}, %value: !values {tile.name = "value"}, %index: !indices {tile.name = "index"})
    attributes {tile.kernel, tile.grid = @top1_grid} {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c256 = arith.constant 256 : index
  %columns = tile.view_size %x, 1 : !mat
  %program = tile.program_id x
  %row = arith.muli %program, %c4 overflow<nsw> : index

  %lowest = arith.constant dense<0xFF800000> : tensor<4x1xf32>
  %none = arith.constant dense<0> : tensor<4x1xi32>
  %iota = tile.iota : tensor<256xi32>
  %best, %at = scf.for %column = %c0 to %columns step %c256
      iter_args(%b = %lowest, %a = %none) -> (tensor<4x1xf32>, tensor<4x1xi32>) {
    // Elements past the end of a row read as -inf and come after all that are equal to them.
    %block = tile.load %x[%row, %column] pad(neg_inf) : !mat -> tensor<4x256xf32>
    %column32 = arith.index_cast %column : index to i32
    %start = tile.splat %column32 : i32 -> tensor<256xi32>
    %number = arith.addi %iota, %start : tensor<256xi32>
    %number_row = tile.reshape %number : tensor<256xi32> -> tensor<1x256xi32>
    %numbers = tile.broadcast %number_row : tensor<1x256xi32> -> tensor<4x256xi32>
    %block_best, %block_at = tile.reduce %block, %numbers dim 1
        : tensor<4x256xf32>, tensor<4x256xi32> -> tensor<4xf32>, tensor<4xi32> {
    ^bb0(%p: f32, %pi: i32, %q: f32, %qi: i32):
      // NaN counts as larger than every number.
      %gt = arith.cmpf ogt, %p, %q : f32
      %eq = arith.cmpf oeq, %p, %q : f32
      %pn = arith.cmpf uno, %p, %p : f32
      %qn = arith.cmpf uno, %q, %q : f32
      %only = arith.cmpi ugt, %pn, %qn : i1
      %both = arith.andi %pn, %qn : i1
      %better = arith.ori %gt, %only : i1
      %same = arith.ori %eq, %both : i1
      // Of equals the one that comes first, whichever way the elements were combined.
      %first = arith.cmpi slt, %pi, %qi : i32
      %tie = arith.andi %same, %first : i1
      %take = arith.ori %better, %tie : i1
      %r = arith.select %take, %p, %q : f32
      %ri = arith.select %take, %pi, %qi : i32
      tile.yield %r, %ri : f32, i32
    }
    %column_best = tile.reshape %block_best : tensor<4xf32> -> tensor<4x1xf32>
    %column_at = tile.reshape %block_at : tensor<4xi32> -> tensor<4x1xi32>
    %two = tile.concat %b, %column_best dim 1 : tensor<4x1xf32>, tensor<4x1xf32> -> tensor<4x2xf32>
    %two_at = tile.concat %a, %column_at dim 1 : tensor<4x1xi32>, tensor<4x1xi32> -> tensor<4x2xi32>
    %new, %new_at = tile.reduce %two, %two_at dim 1
        : tensor<4x2xf32>, tensor<4x2xi32> -> tensor<4xf32>, tensor<4xi32> {
    ^bb0(%p: f32, %pi: i32, %q: f32, %qi: i32):
      %gt = arith.cmpf ogt, %p, %q : f32
      %eq = arith.cmpf oeq, %p, %q : f32
      %pn = arith.cmpf uno, %p, %p : f32
      %qn = arith.cmpf uno, %q, %q : f32
      %only = arith.cmpi ugt, %pn, %qn : i1
      %both = arith.andi %pn, %qn : i1
      %better = arith.ori %gt, %only : i1
      %same = arith.ori %eq, %both : i1
      %first = arith.cmpi slt, %pi, %qi : i32
      %tie = arith.andi %same, %first : i1
      %take = arith.ori %better, %tie : i1
      %r = arith.select %take, %p, %q : f32
      %ri = arith.select %take, %pi, %qi : i32
      tile.yield %r, %ri : f32, i32
    }
    %next = tile.reshape %new : tensor<4xf32> -> tensor<4x1xf32>
    %next_at = tile.reshape %new_at : tensor<4xi32> -> tensor<4x1xi32>
    scf.yield %next, %next_at : tensor<4x1xf32>, tensor<4x1xi32>
  }
  %values = tile.reshape %best : tensor<4x1xf32> -> tensor<4xf32>
  %indices = tile.reshape %at : tensor<4x1xi32> -> tensor<4xi32>
  tile.store %values, %value[%row] : tensor<4xf32>, !values
  tile.store %indices, %index[%row] : tensor<4xi32>, !indices
  return
}

// One program for each four rows.
func.func @top1_grid(%x: !mat, %value: !values, %index: !indices) -> index {
  %c4 = arith.constant 4 : index
  %rows = tile.view_size %x, 0 : !mat
  %programs = arith.ceildivsi %rows, %c4 : index
  return %programs : index
}
