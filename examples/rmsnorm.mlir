// SPDX-License-Identifier: Apache-2.0
// y[i, j] = x[i, j] * weight[j] / sqrt(epsilon + mean over j of x[i, j]^2), for rows of any width: f16 in and out, sums
// in f32.
//
// One program does two rows. Rows of up to 1024 columns are read once and stay in registers; wider rows are read
// twice, in blocks of 1024 columns.
//
// From the root of a checkout:
//   build/bin/tile-run examples/rmsnorm.mlir --arg 'x=f16[100x1000]:rand(1)' --arg 'weight=f16[1000]:rand(2)' --arg 'y=f16[100x1000]:nan' --arg epsilon=f32:1e-6 --save y=build/y.npy

!mat = !tile.view<?x?xf16, strides = [?, ?]>
!vec = !tile.view<?xf16, strides = [?]>

func.func @rmsnorm(%x: !mat {tile.name = "x"}, %weight: !vec {tile.name = "weight"}, %y: !mat {tile.name = "y"},
                   %epsilon: f32 {tile.name = "epsilon"}) attributes {tile.kernel, tile.grid = @rmsnorm_grid} {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c1024 = arith.constant 1024 : index
  %columns = tile.view_size %x, 1 : !mat
  %program = tile.program_id x
  %row = arith.muli %program, %c2 overflow<nsw> : index

  %fits = arith.cmpi sle, %columns, %c1024 : index
  scf.if %fits {
    // Columns past the end of a row read as zero and add nothing to the sum.
    %block = tile.load %x[%row, %c0] pad(zero) : !mat -> tensor<2x1024xf16>
    %sum = func.call @sum_of_squares(%block) : (tensor<2x1024xf16>) -> tensor<2xf32>
    %scale = func.call @scale_of(%sum, %columns, %epsilon) : (tensor<2xf32>, index, f32) -> tensor<2xf32>
    func.call @write_block(%block, %scale, %weight, %y, %row, %c0)
        : (tensor<2x1024xf16>, tensor<2xf32>, !vec, !mat, index, index) -> ()
  } else {
    %zero = arith.constant dense<0.0> : tensor<2xf32>
    %sum = scf.for %column = %c0 to %columns step %c1024 iter_args(%s = %zero) -> (tensor<2xf32>) {
      %block = tile.load %x[%row, %column] pad(zero) : !mat -> tensor<2x1024xf16>
      %block_sum = func.call @sum_of_squares(%block) : (tensor<2x1024xf16>) -> tensor<2xf32>
      %next = arith.addf %s, %block_sum : tensor<2xf32>
      scf.yield %next : tensor<2xf32>
    }
    %scale = func.call @scale_of(%sum, %columns, %epsilon) : (tensor<2xf32>, index, f32) -> tensor<2xf32>
    scf.for %column = %c0 to %columns step %c1024 {
      %block = tile.load %x[%row, %column] pad(zero) : !mat -> tensor<2x1024xf16>
      func.call @write_block(%block, %scale, %weight, %y, %row, %column)
          : (tensor<2x1024xf16>, tensor<2xf32>, !vec, !mat, index, index) -> ()
    }
  }
  return
}

// Functions without tile.kernel are parts of kernels: calls of them are inlined.

func.func private @sum_of_squares(%block: tensor<2x1024xf16>) -> tensor<2xf32> {
  %wide = arith.extf %block : tensor<2x1024xf16> to tensor<2x1024xf32>
  %square = arith.mulf %wide, %wide : tensor<2x1024xf32>
  %sum = tile.reduce %square dim 1 : tensor<2x1024xf32> -> tensor<2xf32> {
  ^bb0(%a: f32, %e: f32):
    %r = arith.addf %a, %e : f32
    tile.yield %r : f32
  }
  return %sum : tensor<2xf32>
}

// 1 / sqrt(sum / columns + epsilon)
func.func private @scale_of(%sum: tensor<2xf32>, %columns: index, %epsilon: f32) -> tensor<2xf32> {
  %count = arith.index_cast %columns : index to i64
  %divisor = arith.sitofp %count : i64 to f32
  %divisors = tile.splat %divisor : f32 -> tensor<2xf32>
  %epsilons = tile.splat %epsilon : f32 -> tensor<2xf32>
  %mean = arith.divf %sum, %divisors : tensor<2xf32>
  %shifted = arith.addf %mean, %epsilons : tensor<2xf32>
  %scale = math.rsqrt %shifted : tensor<2xf32>
  return %scale : tensor<2xf32>
}

func.func private @write_block(%block: tensor<2x1024xf16>, %scale: tensor<2xf32>, %weight: !vec, %y: !mat, %row: index,
                               %column: index) {
  %w = tile.load %weight[%column] pad(zero) : !vec -> tensor<1024xf16>
  %w_wide = arith.extf %w : tensor<1024xf16> to tensor<1024xf32>
  %w_row = tile.reshape %w_wide : tensor<1024xf32> -> tensor<1x1024xf32>
  %w_block = tile.broadcast %w_row : tensor<1x1024xf32> -> tensor<2x1024xf32>
  %scale_column = tile.reshape %scale : tensor<2xf32> -> tensor<2x1xf32>
  %scale_block = tile.broadcast %scale_column : tensor<2x1xf32> -> tensor<2x1024xf32>
  %wide = arith.extf %block : tensor<2x1024xf16> to tensor<2x1024xf32>
  %scaled = arith.mulf %wide, %scale_block : tensor<2x1024xf32>
  %weighted = arith.mulf %scaled, %w_block : tensor<2x1024xf32>
  %result = arith.truncf %weighted : tensor<2x1024xf32> to tensor<2x1024xf16>
  tile.store %result, %y[%row, %column] : tensor<2x1024xf16>, !mat
  return
}

// One program for each two rows.
func.func @rmsnorm_grid(%x: !mat, %weight: !vec, %y: !mat, %epsilon: f32) -> index {
  %c2 = arith.constant 2 : index
  %rows = tile.view_size %x, 0 : !mat
  %programs = arith.ceildivsi %rows, %c2 : index
  return %programs : index
}
