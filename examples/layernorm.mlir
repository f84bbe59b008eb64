// SPDX-License-Identifier: Apache-2.0
// y[i, j] = (x[i, j] - mean_i) * weight[j] / sqrt(variance_i + epsilon) + bias[j], with mean and variance over the
// columns of row i, for rows of any width: f16 in and out, sums in f32.
//
// One program does two rows. Rows of up to 1024 columns are read once and stay in registers; wider rows are read
// twice, in blocks of 1024 columns. The variance is summed from differences to the mean, never as
// mean(x^2) - mean(x)^2, which cancels where the mean is large.
//
// From the root of a checkout:
//   build/bin/tile-run examples/layernorm.mlir --arg 'x=f16[100x1000]:rand(1)' --arg 'weight=f16[1000]:rand(2)' --arg 'bias=f16[1000]:rand(3)' --arg 'y=f16[100x1000]:nan' --arg epsilon=f32:1e-5 --save y=build/y.npy

!mat = !tile.view<?x?xf16, strides = [?, ?]>
!vec = !tile.view<?xf16, strides = [?]>

func.func @layernorm(%x: !mat {tile.name = "x"}, %weight: !vec {tile.name = "weight"}, %bias: !vec {tile.name = "bias"},
                     %y: !mat {tile.name = "y"}, %epsilon: f32 {tile.name = "epsilon"})
    attributes {tile.kernel, tile.grid = @layernorm_grid} {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c1024 = arith.constant 1024 : index
  %columns = tile.view_size %x, 1 : !mat
  %program = tile.program_id x
  %row = arith.muli %program, %c2 overflow<nsw> : index

  %fits = arith.cmpi sle, %columns, %c1024 : index
  scf.if %fits {
    %block = tile.load %x[%row, %c0] pad(zero) : !mat -> tensor<2x1024xf16>
    %mean, %squares = func.call @moments(%block, %columns)
        : (tensor<2x1024xf16>, index) -> (tensor<2xf32>, tensor<2xf32>)
    func.call @write_block(%block, %mean, %squares, %columns, %epsilon, %weight, %bias, %y, %row, %c0)
        : (tensor<2x1024xf16>, tensor<2xf32>, tensor<2xf32>, index, f32, !vec, !vec, !mat, index, index) -> ()
  } else {
    %zero = arith.constant dense<0.0> : tensor<2xf32>
    %mean, %squares = scf.for %column = %c0 to %columns step %c1024
        iter_args(%m = %zero, %s = %zero) -> (tensor<2xf32>, tensor<2xf32>) {
      %block = tile.load %x[%row, %column] pad(zero) : !mat -> tensor<2x1024xf16>
      %left = arith.subi %columns, %column : index
      %count = arith.minsi %left, %c1024 : index
      %block_mean, %block_squares = func.call @moments(%block, %count)
          : (tensor<2x1024xf16>, index) -> (tensor<2xf32>, tensor<2xf32>)

      // The moments of what was seen (`column` numbers) and of this block (`count` numbers) become those of both:
      // mean + d * count / total, squares + block_squares + d^2 * column * count / total, d = block_mean - mean.
      %total = arith.addi %column, %count : index
      %count_f = func.call @to_float(%count) : (index) -> f32
      %seen_f = func.call @to_float(%column) : (index) -> f32
      %total_f = func.call @to_float(%total) : (index) -> f32
      %share = arith.divf %count_f, %total_f : f32
      %shares = tile.splat %share : f32 -> tensor<2xf32>
      %seen = tile.splat %seen_f : f32 -> tensor<2xf32>
      %d = arith.subf %block_mean, %m : tensor<2xf32>
      %d_share = arith.mulf %d, %shares : tensor<2xf32>
      %m_new = arith.addf %m, %d_share : tensor<2xf32>
      %d_squared = arith.mulf %d, %d_share : tensor<2xf32>
      %between = arith.mulf %d_squared, %seen : tensor<2xf32>
      %within = arith.addf %s, %block_squares : tensor<2xf32>
      %s_new = arith.addf %within, %between : tensor<2xf32>
      scf.yield %m_new, %s_new : tensor<2xf32>, tensor<2xf32>
    }
    scf.for %column = %c0 to %columns step %c1024 {
      %block = tile.load %x[%row, %column] pad(zero) : !mat -> tensor<2x1024xf16>
      func.call @write_block(%block, %mean, %squares, %columns, %epsilon, %weight, %bias, %y, %row, %column)
          : (tensor<2x1024xf16>, tensor<2xf32>, tensor<2xf32>, index, f32, !vec, !vec, !mat, index, index) -> ()
    }
  }
  return
}

// Functions without tile.kernel are parts of kernels: calls of them are inlined.

func.func private @to_float(%n: index) -> f32 {
  %i = arith.index_cast %n : index to i64
  %f = arith.sitofp %i : i64 to f32
  return %f : f32
}

// The mean of the first `count` columns, and the sum of the squares of their differences to it.
func.func private @moments(%block: tensor<2x1024xf16>, %count: index) -> (tensor<2xf32>, tensor<2xf32>) {
  %wide = arith.extf %block : tensor<2x1024xf16> to tensor<2x1024xf32>
  %sum = tile.reduce %wide dim 1 : tensor<2x1024xf32> -> tensor<2xf32> {
  ^bb0(%a: f32, %e: f32):
    %r = arith.addf %a, %e : f32
    tile.yield %r : f32
  }
  %count_f = func.call @to_float(%count) : (index) -> f32
  %counts = tile.splat %count_f : f32 -> tensor<2xf32>
  %mean = arith.divf %sum, %counts : tensor<2xf32>

  %mean_column = tile.reshape %mean : tensor<2xf32> -> tensor<2x1xf32>
  %mean_block = tile.broadcast %mean_column : tensor<2x1xf32> -> tensor<2x1024xf32>
  %difference = arith.subf %wide, %mean_block : tensor<2x1024xf32>
  %square = arith.mulf %difference, %difference : tensor<2x1024xf32>
  // Columns past the end were read as zero, whose difference to the mean must not count.
  %i = tile.iota : tensor<1024xi32>
  %i_row = tile.reshape %i : tensor<1024xi32> -> tensor<1x1024xi32>
  %count_i = arith.index_cast %count : index to i32
  %count_row = tile.splat %count_i : i32 -> tensor<1x1024xi32>
  %exists_row = arith.cmpi slt, %i_row, %count_row : tensor<1x1024xi32>
  %exists = tile.broadcast %exists_row : tensor<1x1024xi1> -> tensor<2x1024xi1>
  %zero = arith.constant dense<0.0> : tensor<2x1024xf32>
  %counted = arith.select %exists, %square, %zero : tensor<2x1024xi1>, tensor<2x1024xf32>
  %squares = tile.reduce %counted dim 1 : tensor<2x1024xf32> -> tensor<2xf32> {
  ^bb0(%a: f32, %e: f32):
    %r = arith.addf %a, %e : f32
    tile.yield %r : f32
  }
  return %mean, %squares : tensor<2xf32>, tensor<2xf32>
}

func.func private @write_block(%block: tensor<2x1024xf16>, %mean: tensor<2xf32>, %squares: tensor<2xf32>,
                               %columns: index, %epsilon: f32, %weight: !vec, %bias: !vec, %y: !mat, %row: index,
                               %column: index) {
  %columns_f = func.call @to_float(%columns) : (index) -> f32
  %divisors = tile.splat %columns_f : f32 -> tensor<2xf32>
  %epsilons = tile.splat %epsilon : f32 -> tensor<2xf32>
  %variance = arith.divf %squares, %divisors : tensor<2xf32>
  %shifted = arith.addf %variance, %epsilons : tensor<2xf32>
  %scale = math.rsqrt %shifted : tensor<2xf32>

  %mean_column = tile.reshape %mean : tensor<2xf32> -> tensor<2x1xf32>
  %mean_block = tile.broadcast %mean_column : tensor<2x1xf32> -> tensor<2x1024xf32>
  %scale_column = tile.reshape %scale : tensor<2xf32> -> tensor<2x1xf32>
  %scale_block = tile.broadcast %scale_column : tensor<2x1xf32> -> tensor<2x1024xf32>
  %w = tile.load %weight[%column] pad(zero) : !vec -> tensor<1024xf16>
  %w_wide = arith.extf %w : tensor<1024xf16> to tensor<1024xf32>
  %w_row = tile.reshape %w_wide : tensor<1024xf32> -> tensor<1x1024xf32>
  %w_block = tile.broadcast %w_row : tensor<1x1024xf32> -> tensor<2x1024xf32>
  %b = tile.load %bias[%column] pad(zero) : !vec -> tensor<1024xf16>
  %b_wide = arith.extf %b : tensor<1024xf16> to tensor<1024xf32>
  %b_row = tile.reshape %b_wide : tensor<1024xf32> -> tensor<1x1024xf32>
  %b_block = tile.broadcast %b_row : tensor<1x1024xf32> -> tensor<2x1024xf32>

  %wide = arith.extf %block : tensor<2x1024xf16> to tensor<2x1024xf32>
  %centred = arith.subf %wide, %mean_block : tensor<2x1024xf32>
  %scaled = arith.mulf %centred, %scale_block : tensor<2x1024xf32>
  %weighted = arith.mulf %scaled, %w_block : tensor<2x1024xf32>
  %sum = arith.addf %weighted, %b_block : tensor<2x1024xf32>
  %result = arith.truncf %sum : tensor<2x1024xf32> to tensor<2x1024xf16>
  tile.store %result, %y[%row, %column] : tensor<2x1024xf16>, !mat
  return
}

// One program for each two rows.
func.func @layernorm_grid(%x: !mat, %weight: !vec, %bias: !vec, %y: !mat, %epsilon: f32) -> index {
  %c2 = arith.constant 2 : index
  %rows = tile.view_size %x, 0 : !mat
  %programs = arith.ceildivsi %rows, %c2 : index
  return %programs : index
}
