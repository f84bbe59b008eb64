// SPDX-License-Identifier: Apache-2.0
// out = x + y, written twice: over views, which carry their sizes and strides, and over raw pointers with a mask,
// as Triton kernels are. One program adds 1024 elements.
//
// From the root of a checkout:
//   build/bin/tile-run examples/vector_add.mlir --kernel=vector_add --arg 'x=f32[5000]:iota' --arg 'y=f32[5000]:ones' --arg 'out=f32[5000]:nan' --save out=build/out.npy

!vec = !tile.view<?xf32, strides = [?]>

// By views. The launcher fills base, size and stride from the caller's array.
func.func @vector_add(%x: !vec {tile.name = "x"}, %y: !vec {tile.name = "y"}, %out: !vec {tile.name = "out"})
    attributes {tile.kernel, tile.grid = @vector_add_grid} {
  %c1024 = arith.constant 1024 : index
  %program = tile.program_id x
  %start = arith.muli %program, %c1024 overflow<nsw> : index

  // No in_bounds: each access is checked. The last block reads zeros past the end, and the store skips them.
  %a = tile.load %x[%start] pad(zero) : !vec -> tensor<1024xf32>
  %b = tile.load %y[%start] pad(zero) : !vec -> tensor<1024xf32>
  %sum = arith.addf %a, %b : tensor<1024xf32>
  tile.store %sum, %out[%start] : tensor<1024xf32>, !vec
  return
}

// The grid of @vector_add, evaluated on the host: one program for each 1024 elements of the output.
func.func @vector_add_grid(%x: !vec, %y: !vec, %out: !vec) -> index {
  %c1024 = arith.constant 1024 : index
  %n = tile.view_size %out, 0 : !vec
  %programs = arith.ceildivsi %n, %c1024 : index
  return %programs : index
}

// By pointers: n contiguous elements each. A mask says which of the 1024 addresses exist.
func.func @vector_add_ptr(%x: !tile.ptr<f32> {tile.name = "x"}, %y: !tile.ptr<f32> {tile.name = "y"},
                          %out: !tile.ptr<f32> {tile.name = "out"}, %n: i64 {tile.name = "n"})
    attributes {tile.kernel, tile.grid = @vector_add_ptr_grid} {
  %c1024 = arith.constant 1024 : i64
  %program = tile.program_id x
  %program64 = arith.index_cast %program : index to i64
  %start = arith.muli %program64, %c1024 overflow<nsw> : i64

  // The element numbers of this program: start, start + 1, ..., start + 1023.
  %starts = tile.splat %start : i64 -> tensor<1024xi64>
  %iota = tile.iota : tensor<1024xi64>
  %element = arith.addi %starts, %iota overflow<nsw> : tensor<1024xi64>
  %ns = tile.splat %n : i64 -> tensor<1024xi64>
  %exists = arith.cmpi slt, %element, %ns : tensor<1024xi64>

  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %ys = tile.splat %y : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %outs = tile.splat %out : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %px = tile.ptr_add %xs, %element : tensor<1024x!tile.ptr<f32>>, tensor<1024xi64>
  %py = tile.ptr_add %ys, %element : tensor<1024x!tile.ptr<f32>>, tensor<1024xi64>
  %pout = tile.ptr_add %outs, %element : tensor<1024x!tile.ptr<f32>>, tensor<1024xi64>

  %a = tile.load_ptr %px mask %exists : tensor<1024x!tile.ptr<f32>>
  %b = tile.load_ptr %py mask %exists : tensor<1024x!tile.ptr<f32>>
  %sum = arith.addf %a, %b : tensor<1024xf32>
  tile.store_ptr %sum, %pout mask %exists : tensor<1024x!tile.ptr<f32>>
  return
}

func.func @vector_add_ptr_grid(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %out: !tile.ptr<f32>, %n: i64) -> index {
  %c1024 = arith.constant 1024 : index
  %size = arith.index_cast %n : i64 to index
  %programs = arith.ceildivsi %size, %c1024 : index
  return %programs : index
}
