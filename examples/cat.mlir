// SPDX-License-Identifier: Apache-2.0
// One part of a concatenation: to[i, offset + j] = from[i, j]. Concatenating N tensors along any dimension is one
// launch per tensor, with all dimensions before it collapsed into the rows, and it with all behind it into the columns.
//
// From the root of a checkout:
//   build/bin/tile-run examples/cat.mlir --arg 'from=f16[100x30]:rand(1)' --arg 'to=f16[100x80]:zeros' --arg offset=index:50 --save to=build/to.npy

!mat = !tile.view<?x?xf16, strides = [?, ?]>

// One program copies 16x128 elements.
func.func @cat(%from: !mat {tile.name = "from"}, %to: !mat {tile.name = "to"}, %offset: index {tile.name = "offset"})
    attributes {tile.kernel, tile.grid = @cat_grid} {
  %c16 = arith.constant 16 : index
  %c128 = arith.constant 128 : index
  %rows = tile.view_size %from, 0 : !mat
  %columns = tile.view_size %from, 1 : !mat
  %program = tile.program_id x
  %tiles = arith.ceildivsi %columns, %c128 : index
  %tile_row = arith.divsi %program, %tiles : index
  %tile_column = arith.remsi %program, %tiles : index
  %i = arith.muli %tile_row, %c16 overflow<nsw> : index
  %j = arith.muli %tile_column, %c128 overflow<nsw> : index

  // The columns of `to` that this part fills, as a view of its own: its bounds keep the neighbours safe.
  %row_stride = tile.view_stride %to, 0 : !mat
  %column_stride = tile.view_stride %to, 1 : !mat
  %base = tile.view_base %to : !mat -> !tile.ptr<f16>
  %distance = arith.muli %offset, %column_stride overflow<nsw> : index
  %first = tile.ptr_add %base, %distance : !tile.ptr<f16>, index
  %part = tile.make_view %first, sizes [%rows, %columns] strides [%row_stride, %column_stride] : !mat

  %block = tile.load %from[%i, %j] : !mat -> tensor<16x128xf16>
  tile.store %block, %part[%i, %j] : tensor<16x128xf16>, !mat
  return
}

// One program per tile, along x alone: the other axes end at 65535.
func.func @cat_grid(%from: !mat, %to: !mat, %offset: index) -> index {
  %c16 = arith.constant 16 : index
  %c128 = arith.constant 128 : index
  %rows = tile.view_size %from, 0 : !mat
  %columns = tile.view_size %from, 1 : !mat
  %tiles_m = arith.ceildivsi %rows, %c16 : index
  %tiles_n = arith.ceildivsi %columns, %c128 : index
  %programs = arith.muli %tiles_m, %tiles_n : index
  return %programs : index
}
