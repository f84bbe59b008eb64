// SPDX-License-Identifier: Apache-2.0
// c[b] = a[b] * b[b] for each matrix b of a batch: f16 in and out, sums kept in f32. A transposed operand is a view
// whose strides are swapped, so this one kernel serves all four combinations; a batch stride of 0 repeats one matrix.
//
// From the root of a checkout:
//   build/bin/tile-run examples/bmm.mlir --arg 'a=f16[3x300x200]:rand(1)' --arg 'b=f16[3x200x100]:rand(2)' --arg 'c=f16[3x300x100]:nan' --save c=build/c.npy

!batch = !tile.view<?x?x?xf16, strides = [?, ?, ?]>

// One program computes one 128x128 tile of one matrix of c and walks along K in steps of 64.
func.func @bmm(%a: !batch {tile.name = "a"}, %b: !batch {tile.name = "b"}, %c: !batch {tile.name = "c"})
    attributes {tile.kernel, tile.grid = @bmm_grid} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %k = tile.view_size %a, 2 : !batch
  %program_m = tile.program_id x
  %program_n = tile.program_id y
  %matrix = tile.program_id z
  %i = arith.muli %program_m, %c128 overflow<nsw> : index
  %j = arith.muli %program_n, %c128 overflow<nsw> : index

  // `dims` are those that a tile walks; the batch dimension contributes one index.
  %sum = scf.for %kk = %c0 to %k step %c64 iter_args(%acc = %zero) -> (tensor<128x128xf32>) {
    %lhs = tile.load %a[%matrix, %i, %kk] dims [1, 2] pad(zero) : !batch -> tensor<128x64xf16>
    %rhs = tile.load %b[%matrix, %kk, %j] dims [1, 2] pad(zero) : !batch -> tensor<64x128xf16>
    %next = tile.dot %lhs, %rhs, %acc : tensor<128x64xf16>, tensor<64x128xf16> -> tensor<128x128xf32>
    scf.yield %next : tensor<128x128xf32>
  }
  %result = arith.truncf %sum : tensor<128x128xf32> to tensor<128x128xf16>
  tile.store %result, %c[%matrix, %i, %j] dims [1, 2] : tensor<128x128xf16>, !batch
  return
}

// One program per tile and matrix of c.
func.func @bmm_grid(%a: !batch, %b: !batch, %c: !batch) -> (index, index, index) {
  %c128 = arith.constant 128 : index
  %matrices = tile.view_size %c, 0 : !batch
  %m = tile.view_size %c, 1 : !batch
  %n = tile.view_size %c, 2 : !batch
  %tiles_m = arith.ceildivsi %m, %c128 : index
  %tiles_n = arith.ceildivsi %n, %c128 : index
  return %tiles_m, %tiles_n, %matrices : index, index, index
}
