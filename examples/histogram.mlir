// SPDX-License-Identifier: Apache-2.0
// counts[v] += the number of elements of x that are v, for 0 <= v < bins; other values are ignored. Counts add to what is
// there, so start from zeros.
//
// Two ways. @histogram updates the count of each element where it is: fast where values differ, slow where many programs
// hit one bin at a time. @histogram_private lets each program count in registers, 64 bins at a time, by comparing every
// element with every bin, and adds its counts once: more work, but one update per bin and program.
//
// From the root of a checkout:
//   build/bin/tile-run examples/histogram.mlir --kernel=histogram --arg 'x=i32[10000]:randint(1,0,100)' --arg 'counts=i32[100]:zeros' --save counts=build/counts.npy

!vec = !tile.view<?xi32, strides = [?]>

func.func @histogram(%x: !vec {tile.name = "x"}, %counts: !vec {tile.name = "counts"})
    attributes {tile.kernel, tile.grid = @histogram_grid} {
  %c0 = arith.constant 0 : index
  %c1024 = arith.constant 1024 : index
  %one = arith.constant dense<1> : tensor<1024xi32>
  %program = tile.program_id x
  %start = arith.muli %program, %c1024 overflow<nsw> : index
  %values = tile.load %x[%start] pad(zero) : !vec -> tensor<1024xi32>

  // Places past the end of x have no value to count.
  %n = tile.view_size %x, 0 : !vec
  %left = arith.subi %n, %start : index
  %left_capped = arith.minsi %left, %c1024 : index
  %left_i32 = arith.index_cast %left_capped : index to i32
  %left_tile = tile.splat %left_i32 : i32 -> tensor<1024xi32>
  %place = tile.iota : tensor<1024xi32>
  %exists = arith.cmpi slt, %place, %left_tile : tensor<1024xi32>

  // Seen as unsigned, a negative value is a large one. No i32 reaches 2^31 bins.
  %most = arith.constant 2147483647 : index
  %bins = tile.view_size %counts, 0 : !vec
  %bins_capped = arith.minsi %bins, %most : index
  %bins_i32 = arith.index_cast %bins_capped : index to i32
  %bins_tile = tile.splat %bins_i32 : i32 -> tensor<1024xi32>
  %has_bin = arith.cmpi ult, %values, %bins_tile : tensor<1024xi32>
  %mask = arith.andi %exists, %has_bin : tensor<1024xi1>

  %base = tile.view_base %counts : !vec -> !tile.ptr<i32>
  %stride = tile.view_stride %counts, 0 : !vec
  %stride_i64 = arith.index_cast %stride : index to i64
  %stride_tile = tile.splat %stride_i64 : i64 -> tensor<1024xi64>
  %values_i64 = arith.extsi %values : tensor<1024xi32> to tensor<1024xi64>
  %offset = arith.muli %values_i64, %stride_tile : tensor<1024xi64>
  %bases = tile.splat %base : !tile.ptr<i32> -> tensor<1024x!tile.ptr<i32>>
  %where = tile.ptr_add %bases, %offset : tensor<1024x!tile.ptr<i32>>, tensor<1024xi64>
  %old = tile.atomic_rmw add relaxed gpu %where, %one mask %mask : tensor<1024x!tile.ptr<i32>>
  return
}

func.func @histogram_grid(%x: !vec, %counts: !vec) -> index {
  %c1024 = arith.constant 1024 : index
  %n = tile.view_size %x, 0 : !vec
  %programs = arith.ceildivsi %n, %c1024 : index
  return %programs : index
}

// One program counts 64 bins in 4096 values.
func.func @histogram_private(%x: !vec {tile.name = "x"}, %counts: !vec {tile.name = "counts"})
    attributes {tile.kernel, tile.grid = @histogram_private_grid} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c4096 = arith.constant 4096 : index
  %zero = arith.constant dense<0> : tensor<64xi32>
  %one = arith.constant dense<1> : tensor<64x64xi32>
  %zeros = arith.constant dense<0> : tensor<64x64xi32>
  %px = tile.program_id x
  %py = tile.program_id y
  %first = arith.muli %px, %c4096 overflow<nsw> : index
  %bin = arith.muli %py, %c64 overflow<nsw> : index

  // The number of each bin, one per row.
  %bin_i32 = arith.index_cast %bin : index to i32
  %bin_tile = tile.splat %bin_i32 : i32 -> tensor<64xi32>
  %place = tile.iota : tensor<64xi32>
  %bins = arith.addi %bin_tile, %place : tensor<64xi32>
  %bins_column = tile.reshape %bins : tensor<64xi32> -> tensor<64x1xi32>
  %bins_all = tile.broadcast %bins_column : tensor<64x1xi32> -> tensor<64x64xi32>

  %n = tile.view_size %x, 0 : !vec
  %end_full = arith.addi %first, %c4096 overflow<nsw> : index
  %end = arith.minsi %end_full, %n : index
  %sums = scf.for %start = %first to %end step %c64 iter_args(%sum = %zero) -> (tensor<64xi32>) {
    %values = tile.load %x[%start] pad(zero) : !vec -> tensor<64xi32>
    %left = arith.subi %end, %start : index
    %left_capped = arith.minsi %left, %c64 : index
    %left_i32 = arith.index_cast %left_capped : index to i32
    %left_tile = tile.splat %left_i32 : i32 -> tensor<64xi32>
    %exists = arith.cmpi slt, %place, %left_tile : tensor<64xi32>
    %exists_row = tile.reshape %exists : tensor<64xi1> -> tensor<1x64xi1>
    %exists_all = tile.broadcast %exists_row : tensor<1x64xi1> -> tensor<64x64xi1>
    %values_row = tile.reshape %values : tensor<64xi32> -> tensor<1x64xi32>
    %values_all = tile.broadcast %values_row : tensor<1x64xi32> -> tensor<64x64xi32>
    %same = arith.cmpi eq, %values_all, %bins_all : tensor<64x64xi32>
    %hit = arith.andi %same, %exists_all : tensor<64x64xi1>
    %ones = arith.select %hit, %one, %zeros : tensor<64x64xi1>, tensor<64x64xi32>
    %hits = tile.reduce %ones dim 1 : tensor<64x64xi32> -> tensor<64xi32> {
    ^bb0(%a: i32, %e: i32):
      %r = arith.addi %a, %e : i32
      tile.yield %r : i32
    }
    %next = arith.addi %sum, %hits : tensor<64xi32>
    scf.yield %next : tensor<64xi32>
  }
  tile.reduce_into add gpu %sums, %counts[%bin] : tensor<64xi32>, !vec
  return
}

func.func @histogram_private_grid(%x: !vec, %counts: !vec) -> (index, index) {
  %c64 = arith.constant 64 : index
  %c4096 = arith.constant 4096 : index
  %n = tile.view_size %x, 0 : !vec
  %bins = tile.view_size %counts, 0 : !vec
  %px = arith.ceildivsi %n, %c4096 : index
  %py = arith.ceildivsi %bins, %c64 : index
  return %px, %py : index, index
}
