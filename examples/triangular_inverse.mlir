// SPDX-License-Identifier: Apache-2.0
// y = a^-1 for lower triangular blocks with ones on the diagonal, 16x16 and 64x64: f16 in and out, f32 between. Only
// what is below the diagonal of a is looked at.
//
// From the root of a checkout:
//   build/bin/tile-run examples/triangular_inverse.mlir --kernel=triangular_inverse_64 --arg 'a=f16[10x64x64]:rand(1)' --arg 'y=f16[10x64x64]:nan' --save y=build/y.npy

!blocks_16 = !tile.view<?x16x16xf16, strides = [?, ?, ?]>
!blocks_64 = !tile.view<?x64x64xf16, strides = [?, ?, ?]>

// One program inverts four blocks of 16x16.
func.func @triangular_inverse_16(%a: !blocks_16 {tile.name = "a"}, %y: !blocks_16 {tile.name = "y"})
    attributes {tile.kernel, tile.grid = @triangular_inverse_16_grid} {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %program = tile.program_id x
  %block = arith.muli %program, %c4 overflow<nsw> : index
  %narrow = tile.load %a[%block, %c0, %c0] pad(zero) : !blocks_16 -> tensor<4x16x16xf16>
  %wide = arith.extf %narrow : tensor<4x16x16xf16> to tensor<4x16x16xf32>
  %iota = tile.iota : tensor<16xi32>
  %iota_column = tile.reshape %iota : tensor<16xi32> -> tensor<1x16x1xi32>
  %iota_row = tile.reshape %iota : tensor<16xi32> -> tensor<1x1x16xi32>
  %row = tile.broadcast %iota_column : tensor<1x16x1xi32> -> tensor<4x16x16xi32>
  %column = tile.broadcast %iota_row : tensor<1x1x16xi32> -> tensor<4x16x16xi32>
  %is_below = arith.cmpi slt, %column, %row : tensor<4x16x16xi32>
  %zero = arith.constant dense<0.0> : tensor<4x16x16xf32>
  %below = arith.select %is_below, %wide, %zero : tensor<4x16x16xi1>, tensor<4x16x16xf32>
  %inverse = func.call @invert_16(%below) : (tensor<4x16x16xf32>) -> tensor<4x16x16xf32>
  %result = arith.truncf %inverse : tensor<4x16x16xf32> to tensor<4x16x16xf16>
  tile.store %result, %y[%block, %c0, %c0] : tensor<4x16x16xf16>, !blocks_16
  return
}

func.func @triangular_inverse_16_grid(%a: !blocks_16, %y: !blocks_16) -> index {
  %c4 = arith.constant 4 : index
  %blocks = tile.view_size %a, 0 : !blocks_16
  %programs = arith.ceildivsi %blocks, %c4 : index
  return %programs : index
}

// One program inverts one block of 64x64.
func.func @triangular_inverse_64(%a: !blocks_64 {tile.name = "a"}, %y: !blocks_64 {tile.name = "y"})
    attributes {tile.kernel, tile.grid = @triangular_inverse_64_grid} {
  %c0 = arith.constant 0 : index
  %block = tile.program_id x
  %narrow = tile.load %a[%block, %c0, %c0] dims [1, 2] pad(zero) : !blocks_64 -> tensor<64x64xf16>
  %wide = arith.extf %narrow : tensor<64x64xf16> to tensor<64x64xf32>
  %iota = tile.iota : tensor<64xi32>
  %iota_column = tile.reshape %iota : tensor<64xi32> -> tensor<64x1xi32>
  %iota_row = tile.reshape %iota : tensor<64xi32> -> tensor<1x64xi32>
  %row = tile.broadcast %iota_column : tensor<64x1xi32> -> tensor<64x64xi32>
  %column = tile.broadcast %iota_row : tensor<1x64xi32> -> tensor<64x64xi32>
  %is_below = arith.cmpi slt, %column, %row : tensor<64x64xi32>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %below = arith.select %is_below, %wide, %zero : tensor<64x64xi1>, tensor<64x64xf32>
  %inverse = func.call @invert_64(%below) : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %result = arith.truncf %inverse : tensor<64x64xf32> to tensor<64x64xf16>
  tile.store %result, %y[%block, %c0, %c0] dims [1, 2] : tensor<64x64xf16>, !blocks_64
  return
}

func.func @triangular_inverse_64_grid(%a: !blocks_64, %y: !blocks_64) -> index {
  %blocks = tile.view_size %a, 0 : !blocks_64
  return %blocks : index
}

// Functions without tile.kernel are parts of kernels: calls of them are inlined.

// Inverts four lower triangular blocks with ones on the diagonal, given what is below the diagonal (zeros elsewhere).
// Row i of T = A^-1 follows from the rows above it: T[i, :] = e_i - sum over j < i of A[i, j] * T[j, :].
func.func private @invert_16(%below: tensor<4x16x16xf32>) -> tensor<4x16x16xf32> {
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant dense<0.0> : tensor<4x16x16xf32>
  %one = arith.constant dense<1.0> : tensor<4x16x16xf32>
  %iota = tile.iota : tensor<16xi32>
  %iota_column = tile.reshape %iota : tensor<16xi32> -> tensor<1x16x1xi32>
  %iota_row = tile.reshape %iota : tensor<16xi32> -> tensor<1x1x16xi32>
  %row = tile.broadcast %iota_column : tensor<1x16x1xi32> -> tensor<4x16x16xi32>
  %column = tile.broadcast %iota_row : tensor<1x1x16xi32> -> tensor<4x16x16xi32>
  %diagonal = arith.cmpi eq, %row, %column : tensor<4x16x16xi32>
  %identity = arith.select %diagonal, %one, %zero : tensor<4x16x16xi1>, tensor<4x16x16xf32>

  %inverse = scf.for %i = %c1 to %c16 step %c1 iter_args(%t = %identity) -> (tensor<4x16x16xf32>) {
    %i32 = arith.index_cast %i : index to i32
    %is = tile.splat %i32 : i32 -> tensor<4x16x16xi32>
    %in_row = arith.cmpi eq, %row, %is : tensor<4x16x16xi32>
    %only_row = arith.select %in_row, %below, %zero : tensor<4x16x16xi1>, tensor<4x16x16xf32>
    %factors = tile.reduce %only_row dim 1 : tensor<4x16x16xf32> -> tensor<4x16xf32> {
    ^bb0(%a: f32, %e: f32):
      %r = arith.addf %a, %e : f32
      tile.yield %r : f32
    }
    %factor_column = tile.reshape %factors : tensor<4x16xf32> -> tensor<4x16x1xf32>
    %factor_block = tile.broadcast %factor_column : tensor<4x16x1xf32> -> tensor<4x16x16xf32>
    %products = arith.mulf %factor_block, %t : tensor<4x16x16xf32>
    %sums = tile.reduce %products dim 1 : tensor<4x16x16xf32> -> tensor<4x16xf32> {
    ^bb0(%a: f32, %e: f32):
      %r = arith.addf %a, %e : f32
      tile.yield %r : f32
    }
    %sum_row = tile.reshape %sums : tensor<4x16xf32> -> tensor<4x1x16xf32>
    %sum_block = tile.broadcast %sum_row : tensor<4x1x16xf32> -> tensor<4x16x16xf32>
    %less = arith.subf %t, %sum_block : tensor<4x16x16xf32>
    %next = arith.select %in_row, %less, %t : tensor<4x16x16xi1>, tensor<4x16x16xf32>
    scf.yield %next : tensor<4x16x16xf32>
  }
  return %inverse : tensor<4x16x16xf32>
}

// Inverts a 64x64 block of that kind: the four blocks on its diagonal by rows, then 16 -> 32 -> 64 by products.
func.func private @invert_64(%below: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %d0 = tile.extract %below[%c0, %c0] : tensor<64x64xf32> -> tensor<16x16xf32>
  %d1 = tile.extract %below[%c1, %c1] : tensor<64x64xf32> -> tensor<16x16xf32>
  %d2 = tile.extract %below[%c2, %c2] : tensor<64x64xf32> -> tensor<16x16xf32>
  %d3 = tile.extract %below[%c3, %c3] : tensor<64x64xf32> -> tensor<16x16xf32>
  %b0 = tile.reshape %d0 : tensor<16x16xf32> -> tensor<1x16x16xf32>
  %b1 = tile.reshape %d1 : tensor<16x16xf32> -> tensor<1x16x16xf32>
  %b2 = tile.reshape %d2 : tensor<16x16xf32> -> tensor<1x16x16xf32>
  %b3 = tile.reshape %d3 : tensor<16x16xf32> -> tensor<1x16x16xf32>
  %blocks = tile.concat %b0, %b1, %b2, %b3 dim 0
      : tensor<1x16x16xf32>, tensor<1x16x16xf32>, tensor<1x16x16xf32>, tensor<1x16x16xf32> -> tensor<4x16x16xf32>
  %inverses = func.call @invert_16(%blocks) : (tensor<4x16x16xf32>) -> tensor<4x16x16xf32>
  %i0 = tile.extract %inverses[%c0, %c0, %c0] : tensor<4x16x16xf32> -> tensor<1x16x16xf32>
  %i1 = tile.extract %inverses[%c1, %c0, %c0] : tensor<4x16x16xf32> -> tensor<1x16x16xf32>
  %i2 = tile.extract %inverses[%c2, %c0, %c0] : tensor<4x16x16xf32> -> tensor<1x16x16xf32>
  %i3 = tile.extract %inverses[%c3, %c0, %c0] : tensor<4x16x16xf32> -> tensor<1x16x16xf32>
  %t0 = tile.reshape %i0 : tensor<1x16x16xf32> -> tensor<16x16xf32>
  %t1 = tile.reshape %i1 : tensor<1x16x16xf32> -> tensor<16x16xf32>
  %t2 = tile.reshape %i2 : tensor<1x16x16xf32> -> tensor<16x16xf32>
  %t3 = tile.reshape %i3 : tensor<1x16x16xf32> -> tensor<16x16xf32>

  %a10 = tile.extract %below[%c1, %c0] : tensor<64x64xf32> -> tensor<16x16xf32>
  %a32 = tile.extract %below[%c3, %c2] : tensor<64x64xf32> -> tensor<16x16xf32>
  %upper = func.call @join_16(%t0, %a10, %t1)
      : (tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<32x32xf32>
  %lower = func.call @join_16(%t2, %a32, %t3)
      : (tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<32x32xf32>
  %corner = tile.extract %below[%c1, %c0] : tensor<64x64xf32> -> tensor<32x32xf32>
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %right = tile.dot %corner, %upper, %zero : tensor<32x32xf32>, tensor<32x32xf32> -> tensor<32x32xf32>
  %both = tile.dot %lower, %right, %zero : tensor<32x32xf32>, tensor<32x32xf32> -> tensor<32x32xf32>
  %filled = arith.negf %both : tensor<32x32xf32>
  %top = tile.concat %upper, %zero dim 1 : tensor<32x32xf32>, tensor<32x32xf32> -> tensor<32x64xf32>
  %bottom = tile.concat %filled, %lower dim 1 : tensor<32x32xf32>, tensor<32x32xf32> -> tensor<32x64xf32>
  %inverse = tile.concat %top, %bottom dim 0 : tensor<32x64xf32>, tensor<32x64xf32> -> tensor<64x64xf32>
  return %inverse : tensor<64x64xf32>
}

// The inverse of [[A0, 0], [A10, A1]], given A0^-1, A10, A1^-1: [[A0^-1, 0], [-A1^-1 A10 A0^-1, A1^-1]].
func.func private @join_16(%t0: tensor<16x16xf32>, %a10: tensor<16x16xf32>, %t1: tensor<16x16xf32>)
    -> tensor<32x32xf32> {
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %right = tile.dot %a10, %t0, %zero : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
  %both = tile.dot %t1, %right, %zero : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
  %filled = arith.negf %both : tensor<16x16xf32>
  %top = tile.concat %t0, %zero dim 1 : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x32xf32>
  %bottom = tile.concat %filled, %t1 dim 1 : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x32xf32>
  %inverse = tile.concat %top, %bottom dim 0 : tensor<16x32xf32>, tensor<16x32xf32> -> tensor<32x32xf32>
  return %inverse : tensor<32x32xf32>
}
