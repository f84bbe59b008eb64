// SPDX-License-Identifier: Apache-2.0
// c = a * b: f16 in and out, sums kept in f32. The sizes come with the arrays and need not divide the tile; the
// strides are any that NumPy can make (C order, Fortran order, slices).
//
// From the root of a checkout:
//   build/bin/tile-run examples/matmul.mlir --arg 'a=f16[300x200]:rand(1)' --arg 'b=f16[200x100]:rand(2)' --arg 'c=f16[300x100]:nan' --save c=build/c.npy

!mat = !tile.view<?x?xf16, strides = [?, ?]>

// One program computes one 128x128 tile of c and walks along K in steps of 64.
func.func @matmul(%a: !mat {tile.name = "a"}, %b: !mat {tile.name = "b"}, %c: !mat {tile.name = "c"})
    attributes {tile.kernel, tile.grid = @matmul_grid} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %k = tile.view_size %a, 1 : !mat
  %program_m = tile.program_id x
  %program_n = tile.program_id y
  %i = arith.muli %program_m, %c128 overflow<nsw> : index
  %j = arith.muli %program_n, %c128 overflow<nsw> : index

  // Elements outside a or b read as zero and add nothing to the sum. With K = 0 the loop runs zero times and the
  // tile stays zero.
  %sum = scf.for %kk = %c0 to %k step %c64 iter_args(%acc = %zero) -> (tensor<128x128xf32>) {
    %lhs = tile.load %a[%i, %kk] pad(zero) : !mat -> tensor<128x64xf16>
    %rhs = tile.load %b[%kk, %j] pad(zero) : !mat -> tensor<64x128xf16>
    %next = tile.dot %lhs, %rhs, %acc : tensor<128x64xf16>, tensor<64x128xf16> -> tensor<128x128xf32>
    scf.yield %next : tensor<128x128xf32>
  }

  // Elements outside c are not written.
  %result = arith.truncf %sum : tensor<128x128xf32> to tensor<128x128xf16>
  tile.store %result, %c[%i, %j] : tensor<128x128xf16>, !mat
  return
}

// The grid of @matmul, evaluated on the host from the same arguments: one program per tile of c.
func.func @matmul_grid(%a: !mat, %b: !mat, %c: !mat) -> (index, index) {
  %c128 = arith.constant 128 : index
  %m = tile.view_size %c, 0 : !mat
  %n = tile.view_size %c, 1 : !mat
  %tiles_m = arith.ceildivsi %m, %c128 : index
  %tiles_n = arith.ceildivsi %n, %c128 : index
  return %tiles_m, %tiles_n : index, index
}
