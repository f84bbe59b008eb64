// SPDX-License-Identifier: Apache-2.0
// y[i, j] = exp(x[i, j]) / sum over j of exp(x[i, j]), for rows of any width.
//
// One program does four rows. A row may be wider than a tile, so the first pass walks it in blocks of 256 columns
// and carries the largest element so far and the sum of exp(x - largest) so far. Where a block raises the largest
// element, the old sum is scaled down to it: this is the "online" softmax, one read of x for both numbers. The
// second pass reads x again and writes the quotients.
//
// From the root of a checkout:
//   build/bin/tile-run examples/softmax.mlir --arg 'x=f32[100x1000]:rand(1)' --arg 'y=f32[100x1000]:nan' --save y=build/y.npy

!mat = !tile.view<?x?xf32, strides = [?, ?]>

func.func @softmax(%x: !mat {tile.name = "x"}, %y: !mat {tile.name = "y"})
    attributes {tile.kernel, tile.grid = @softmax_grid} {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c256 = arith.constant 256 : index
  %columns = tile.view_size %x, 1 : !mat
  %program = tile.program_id x
  %row = arith.muli %program, %c4 overflow<nsw> : index

  // The lowest finite number, not -inf: were a whole block -inf, (-inf) - (-inf) would be NaN.
  %lowest = arith.constant dense<-3.40282347E+38> : tensor<4xf32>
  %zero = arith.constant dense<0.0> : tensor<4xf32>
  %max, %sum = scf.for %column = %c0 to %columns step %c256
      iter_args(%m = %lowest, %s = %zero) -> (tensor<4xf32>, tensor<4xf32>) {
    // Elements past the end of a row read as -inf: they raise no maximum and add exp(-inf) = 0 to the sum.
    %block = tile.load %x[%row, %column] pad(neg_inf) : !mat -> tensor<4x256xf32>
    %block_max = tile.reduce %block dim 1 : tensor<4x256xf32> -> tensor<4xf32> {
    ^bb0(%a: f32, %e: f32):
      %r = arith.maximumf %a, %e : f32
      tile.yield %r : f32
    }
    %m_new = arith.maximumf %m, %block_max : tensor<4xf32>

    %m_column = tile.reshape %m_new : tensor<4xf32> -> tensor<4x1xf32>
    %m_block = tile.broadcast %m_column : tensor<4x1xf32> -> tensor<4x256xf32>
    %shifted = arith.subf %block, %m_block : tensor<4x256xf32>
    %exp = math.exp %shifted : tensor<4x256xf32>
    %block_sum = tile.reduce %exp dim 1 : tensor<4x256xf32> -> tensor<4xf32> {
    ^bb0(%a: f32, %e: f32):
      %r = arith.addf %a, %e : f32
      tile.yield %r : f32
    }

    %fall = arith.subf %m, %m_new : tensor<4xf32>
    %scale = math.exp %fall : tensor<4xf32>
    %s_scaled = arith.mulf %s, %scale : tensor<4xf32>
    %s_new = arith.addf %s_scaled, %block_sum : tensor<4xf32>
    scf.yield %m_new, %s_new : tensor<4xf32>, tensor<4xf32>
  }

  %max_column = tile.reshape %max : tensor<4xf32> -> tensor<4x1xf32>
  %max_block = tile.broadcast %max_column : tensor<4x1xf32> -> tensor<4x256xf32>
  %sum_column = tile.reshape %sum : tensor<4xf32> -> tensor<4x1xf32>
  %sum_block = tile.broadcast %sum_column : tensor<4x1xf32> -> tensor<4x256xf32>
  scf.for %column = %c0 to %columns step %c256 {
    %block = tile.load %x[%row, %column] pad(neg_inf) : !mat -> tensor<4x256xf32>
    %shifted = arith.subf %block, %max_block : tensor<4x256xf32>
    %exp = math.exp %shifted : tensor<4x256xf32>
    %quotient = arith.divf %exp, %sum_block : tensor<4x256xf32>
    tile.store %quotient, %y[%row, %column] : tensor<4x256xf32>, !mat
  }
  return
}

// One program for each four rows.
func.func @softmax_grid(%x: !mat, %y: !mat) -> index {
  %c4 = arith.constant 4 : index
  %rows = tile.view_size %x, 0 : !mat
  %programs = arith.ceildivsi %rows, %c4 : index
  return %programs : index
}
