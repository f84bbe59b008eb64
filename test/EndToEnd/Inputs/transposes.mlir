// SPDX-License-Identifier: Apache-2.0
// Transposes written out, in every place that a fold looks at. Integers, so that every order of summation is exact.

!f = !tile.view<?x?xf16, strides = [?, ?]>
!m = !tile.view<?x?xf32, strides = [?, ?]>

func.func @one(%x: !m, %y: !m, %out: !m) -> index {
  %c1 = arith.constant 1 : index
  return %c1 : index
}

// out = (2 x + y^T)^T, with what is past the edges as 3.
func.func @chain(%x: !m {tile.name = "x"}, %y: !m {tile.name = "y"}, %out: !m {tile.name = "out"})
    attributes {tile.kernel, tile.grid = @one} {
  %c0 = arith.constant 0 : index
  %x0 = tile.load %x[%c0, %c0] pad(zero) : !m -> tensor<32x64xf32>
  %y0 = tile.load %y[%c0, %c0] pad(zero) : !m -> tensor<64x32xf32>
  %two = arith.addf %x0, %x0 : tensor<32x64xf32>
  %yt = tile.permute %y0 [1, 0] : tensor<64x32xf32> -> tensor<32x64xf32>
  %sum = arith.addf %two, %yt : tensor<32x64xf32>
  %columns = tile.view_size %x, 1 : !m
  %n = arith.index_cast %columns : index to i32
  %iota = tile.iota : tensor<64xi32>
  %row = tile.reshape %iota : tensor<64xi32> -> tensor<1x64xi32>
  %ns = tile.splat %n : i32 -> tensor<1x64xi32>
  %in = arith.cmpi slt, %row, %ns : tensor<1x64xi32>
  %mask = tile.broadcast %in : tensor<1x64xi1> -> tensor<32x64xi1>
  %three = arith.constant dense<3.0> : tensor<32x64xf32>
  %chosen = arith.select %mask, %sum, %three : tensor<32x64xi1>, tensor<32x64xf32>
  %t = tile.permute %chosen [1, 0] : tensor<32x64xf32> -> tensor<64x32xf32>
  tile.store %t, %out[%c0, %c0] : tensor<64x32xf32>, !m
  return
}

// out = sum over blocks of x of (block + block^T), each block loaded one iteration ahead.
func.func @ahead(%x: !m {tile.name = "x"}, %y: !m {tile.name = "y"}, %out: !m {tile.name = "out"})
    attributes {tile.kernel, tile.grid = @one} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %n = tile.view_size %x, 0 : !m
  %first = tile.load %x[%c0, %c0] pad(zero) : !m -> tensor<32x32xf32>
  %r:2 = scf.for %i = %c0 to %n step %c32 iter_args(%acc = %zero, %block = %first) -> (tensor<32x32xf32>, tensor<32x32xf32>) {
    %t = tile.permute %block [1, 0] : tensor<32x32xf32> -> tensor<32x32xf32>
    %both = arith.addf %block, %t : tensor<32x32xf32>
    %sum = arith.addf %acc, %both : tensor<32x32xf32>
    %at = arith.addi %i, %c32 : index
    %next = tile.load %x[%at, %c0] pad(zero) : !m -> tensor<32x32xf32>
    scf.yield %sum, %next : tensor<32x32xf32>, tensor<32x32xf32>
  }
  tile.store %r#0, %out[%c0, %c0] : tensor<32x32xf32>, !m
  return
}

// In place: x = x + x^T, where the second load must not see what the store wrote.
func.func @in_place(%x: !m {tile.name = "x"}, %y: !m {tile.name = "y"}, %out: !m {tile.name = "out"})
    attributes {tile.kernel, tile.grid = @one} {
  %c0 = arith.constant 0 : index
  %x0 = tile.load %x[%c0, %c0] pad(zero) : !m -> tensor<32x32xf32>
  %y0 = tile.load %y[%c0, %c0] pad(zero) : !m -> tensor<32x32xf32>
  tile.store %y0, %x[%c0, %c0] : tensor<32x32xf32>, !m
  %t = tile.permute %x0 [1, 0] : tensor<32x32xf32> -> tensor<32x32xf32>
  %sum = arith.addf %x0, %t : tensor<32x32xf32>
  tile.store %sum, %out[%c0, %c0] : tensor<32x32xf32>, !m
  return
}

// out = (f(x) f(y))^T with a bias that is read in the order of out, added in a loop that doubles it.
func.func @product(%x: !m {tile.name = "x"}, %y: !m {tile.name = "y"}, %out: !m {tile.name = "out"})
    attributes {tile.kernel, tile.grid = @one} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %zero = arith.constant dense<0.0> : tensor<32x64xf32>
  %x0 = tile.load %x[%c0, %c0] pad(zero) : !m -> tensor<32x32xf32>
  %y0 = tile.load %y[%c0, %c0] pad(zero) : !m -> tensor<64x32xf32>
  %a = arith.truncf %x0 : tensor<32x32xf32> to tensor<32x32xf16>
  %b0 = arith.truncf %y0 : tensor<64x32xf32> to tensor<64x32xf16>
  %b = tile.permute %b0 [1, 0] : tensor<64x32xf16> -> tensor<32x64xf16>
  %d = tile.dot %a, %b, %zero : tensor<32x32xf16>, tensor<32x64xf16> -> tensor<32x64xf32>
  %r:2 = scf.for %i = %c0 to %c3 step %c1 iter_args(%p = %d, %acc = %y0) -> (tensor<32x64xf32>, tensor<64x32xf32>) {
    %t = tile.permute %p [1, 0] : tensor<32x64xf32> -> tensor<64x32xf32>
    %s = arith.addf %acc, %t : tensor<64x32xf32>
    %twice = arith.addf %p, %p : tensor<32x64xf32>
    scf.yield %twice, %s : tensor<32x64xf32>, tensor<64x32xf32>
  }
  tile.store %r#1, %out[%c0, %c0] : tensor<64x32xf32>, !m
  return
}

// Columns of a transposed product summed up; out is one column.
func.func @sums(%x: !m {tile.name = "x"}, %y: !m {tile.name = "y"}, %out: !m {tile.name = "out"})
    attributes {tile.kernel, tile.grid = @one} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<32x64xf32>
  %x0 = tile.load %x[%c0, %c0] pad(zero) : !m -> tensor<32x32xf32>
  %y0 = tile.load %y[%c0, %c0] pad(zero) : !m -> tensor<32x64xf32>
  %a = arith.truncf %x0 : tensor<32x32xf32> to tensor<32x32xf16>
  %b = arith.truncf %y0 : tensor<32x64xf32> to tensor<32x64xf16>
  %d = tile.dot %a, %b, %zero : tensor<32x32xf16>, tensor<32x64xf16> -> tensor<32x64xf32>
  %t = tile.permute %d [1, 0] : tensor<32x64xf32> -> tensor<64x32xf32>
  %r = tile.reduce %t dim 0 : tensor<64x32xf32> -> tensor<32xf32> {
  ^bb0(%p: f32, %q: f32):
    %s = arith.addf %p, %q : f32
    tile.yield %s : f32
  }
  %column = tile.reshape %r : tensor<32xf32> -> tensor<32x1xf32>
  tile.store %column, %out[%c0, %c0] : tensor<32x1xf32>, !m
  return
}
