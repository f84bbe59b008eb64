// SPDX-License-Identifier: Apache-2.0
// Softmax of rows of up to 8192 columns, each read once and kept in registers: one program does one row.

!mat = !tile.view<?x?xbf16, strides = [?, ?]>
func.func @softmax(%x: !mat {tile.name = "x"}, %y: !mat {tile.name = "y"}) attributes {tile.kernel, tile.grid = @grid} {
  %c0 = arith.constant 0 : index
  %row = tile.program_id x
  %narrow = tile.load %x[%row, %c0] pad(neg_inf) : !mat -> tensor<1x8192xbf16>
  %block = arith.extf %narrow : tensor<1x8192xbf16> to tensor<1x8192xf32>
  %max = tile.reduce %block dim 1 : tensor<1x8192xf32> -> tensor<1xf32> {
  ^bb0(%a: f32, %e: f32):
    %r = arith.maximumf %a, %e : f32
    tile.yield %r : f32
  }
  %mc = tile.reshape %max : tensor<1xf32> -> tensor<1x1xf32>
  %mb = tile.broadcast %mc : tensor<1x1xf32> -> tensor<1x8192xf32>
  %d = arith.subf %block, %mb : tensor<1x8192xf32>
  %exp = math.exp %d : tensor<1x8192xf32>
  %sum = tile.reduce %exp dim 1 : tensor<1x8192xf32> -> tensor<1xf32> {
  ^bb0(%a: f32, %e: f32):
    %r = arith.addf %a, %e : f32
    tile.yield %r : f32
  }
  %sc = tile.reshape %sum : tensor<1xf32> -> tensor<1x1xf32>
  %one = arith.constant dense<1.0> : tensor<1x1xf32>
  %inv = arith.divf %one, %sc : tensor<1x1xf32>
  %ib = tile.broadcast %inv : tensor<1x1xf32> -> tensor<1x8192xf32>
  %q = arith.mulf %exp, %ib : tensor<1x8192xf32>
  %h = arith.truncf %q : tensor<1x8192xf32> to tensor<1x8192xbf16>
  tile.store %h, %y[%row, %c0] : tensor<1x8192xbf16>, !mat
  return
}
func.func @grid(%x: !mat, %y: !mat) -> index {
  %n = tile.view_size %x, 0 : !mat
  return %n : index
}
