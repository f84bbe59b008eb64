// SPDX-License-Identifier: Apache-2.0
// RUN: tile-opt %s --split-input-file --tile-order-grid | FileCheck %s
// RUN: tile-opt %s --split-input-file --tile-order-grid=group=3 | FileCheck %s --check-prefix=THREE

// Rows along x, columns along y: groups of 8 rows of tiles, the last one with what is left.
// CHECK-LABEL: func.func @matmul(
// CHECK-DAG:     %[[M:.*]] = tile.view_size %arg2, 0
// CHECK-DAG:     %[[N:.*]] = tile.view_size %arg2, 1
// CHECK:         %[[ROWS:.*]] = arith.ceildivsi %[[M]]
// CHECK:         %[[COLUMNS:.*]] = arith.ceildivsi %[[N]]
// CHECK:         %[[ID:.*]] = tile.program_id x
// CHECK:         %[[R:.*]] = arith.index_castui %[[ROWS]] : index to i32
// CHECK:         %[[C:.*]] = arith.index_castui %[[COLUMNS]] : index to i32
// CHECK:         %[[P:.*]] = arith.index_castui %[[ID]] : index to i32
// CHECK:         %[[G:.*]] = arith.constant 8 : i32
// CHECK:         %[[HEIGHT:.*]] = arith.minui %[[G]], %[[R]]
// CHECK:         %[[SIZE:.*]] = arith.muli %[[HEIGHT]], %[[C]]
// CHECK:         %[[GROUP:.*]] = arith.divui %[[P]], %[[SIZE]]
// CHECK:         %[[BEFORE:.*]] = arith.muli %[[GROUP]], %[[SIZE]]
// CHECK:         %[[WITHIN:.*]] = arith.subi %[[P]], %[[BEFORE]]
// CHECK:         %[[FIRST:.*]] = arith.muli %[[GROUP]], %[[HEIGHT]]
// CHECK:         %[[LEFT:.*]] = arith.subi %[[R]], %[[FIRST]]
// CHECK:         %[[HERE:.*]] = arith.minui %[[LEFT]], %[[HEIGHT]]
// CHECK:         %[[COLUMN:.*]] = arith.divui %[[WITHIN]], %[[HERE]]
// CHECK:         %[[OVER:.*]] = arith.muli %[[COLUMN]], %[[HERE]]
// CHECK:         %[[REST:.*]] = arith.subi %[[WITHIN]], %[[OVER]]
// CHECK:         %[[ROW:.*]] = arith.addi %[[FIRST]], %[[REST]]
// CHECK:         %[[PM:.*]] = arith.index_castui %[[ROW]] : i32 to index
// CHECK:         %[[PN:.*]] = arith.index_castui %[[COLUMN]] : i32 to index
// CHECK-NOT:     tile.program_id
// CHECK:         arith.muli %[[PM]], %c128
// CHECK:         arith.muli %[[PN]], %c128
// CHECK-LABEL: func.func @matmul_grid(
// CHECK-SAME:    -> index
// CHECK:         %[[PRODUCT:.*]] = arith.muli
// CHECK:         return %[[PRODUCT]] : index
// THREE-LABEL: func.func @matmul(
// THREE:         arith.constant 3 : i32
!mat = !tile.view<?x?xf16, strides = [?, 1]>
func.func @matmul(%a: !mat, %b: !mat, %c: !mat) attributes {tile.kernel, tile.grid = @matmul_grid} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %k = tile.view_size %a, 1 : !mat
  %pm = tile.program_id x
  %pn = tile.program_id y
  %i = arith.muli %pm, %c128 : index
  %j = arith.muli %pn, %c128 : index
  %s = scf.for %kk = %c0 to %k step %c64 iter_args(%acc = %zero) -> (tensor<128x128xf32>) {
    %x = tile.load %a[%i, %kk] pad(zero) : !mat -> tensor<128x64xf16>
    %y = tile.load %b[%kk, %j] pad(zero) : !mat -> tensor<64x128xf16>
    %d = tile.dot %x, %y, %acc : tensor<128x64xf16>, tensor<64x128xf16> -> tensor<128x128xf32>
    scf.yield %d : tensor<128x128xf32>
  }
  %h = arith.truncf %s : tensor<128x128xf32> to tensor<128x128xf16>
  tile.store %h, %c[%i, %j] : tensor<128x128xf16>, !mat
  return
}
func.func @matmul_grid(%a: !mat, %b: !mat, %c: !mat) -> (index, index) {
  %c128 = arith.constant 128 : index
  %m = tile.view_size %c, 0 : !mat
  %n = tile.view_size %c, 1 : !mat
  %tm = arith.ceildivsi %m, %c128 : index
  %tn = arith.ceildivsi %n, %c128 : index
  return %tm, %tn : index, index
}

// -----

// The batch is outermost, on whichever axis it was: here x, with rows along z and columns along y. Extents that the kernel asks
// for are those of the old grid.
// CHECK-LABEL: func.func @batch_first(
// CHECK:         %[[ID:.*]] = tile.program_id x
// CHECK:         %[[PER:.*]] = arith.muli
// CHECK:         %[[BATCH:.*]] = arith.divui %{{.*}}, %[[PER]]
// CHECK:         %[[B:.*]] = arith.index_castui %[[BATCH]] : i32 to index
// CHECK-NOT:     tile.num_programs
// CHECK:         tile.load %arg0[%[[B]],
// CHECK-LABEL: func.func private @batch_first_grid_own
!batch = !tile.view<?x?x?xf16, strides = [?, ?, 1]>
func.func @batch_first(%a: !batch, %b: !batch, %c: !batch) attributes {tile.kernel, tile.grid = @batch_first_grid_own, tile.grid_group = 5} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %p = tile.program_id x
  %pn = tile.program_id y
  %pm = tile.program_id z
  %count = tile.num_programs z
  %i = arith.muli %pm, %c64 : index
  %j = arith.muli %pn, %c64 : index
  %s = scf.for %kk = %c0 to %count step %c64 iter_args(%acc = %zero) -> (tensor<64x64xf32>) {
    %x = tile.load %a[%p, %i, %kk] dims [1, 2] pad(zero) : !batch -> tensor<64x64xf16>
    %y = tile.load %b[%p, %kk, %j] dims [1, 2] pad(zero) : !batch -> tensor<64x64xf16>
    %d = tile.dot %x, %y, %acc : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  %h = arith.truncf %s : tensor<64x64xf32> to tensor<64x64xf16>
  tile.store %h, %c[%p, %i, %j] dims [1, 2] : tensor<64x64xf16>, !batch
  return
}
func.func private @batch_first_grid_own(%a: !batch, %b: !batch, %c: !batch) -> (index, index, index) {
  %n = tile.view_size %c, 0 : !batch
  return %n, %n, %n : index, index, index
}

// -----

// A grid function that two kernels name stays as it is for the one that is left alone.
// CHECK-LABEL: func.func private @outer_grid(
// CHECK-SAME:    -> index
// CHECK-LABEL: func.func @outer(
// CHECK-SAME:    tile.grid = @outer_grid
// CHECK-LABEL: func.func @fill(
// CHECK-SAME:    tile.grid = @both
// CHECK:         tile.program_id x
// CHECK:         tile.program_id y
// CHECK-LABEL: func.func @both(
// CHECK-SAME:    -> (index, index)
!v = !tile.view<?xf32, strides = [1]>
func.func @outer(%a: !v, %b: !v) attributes {tile.kernel, tile.grid = @both} {
  %c0 = arith.constant 0 : index
  %pm = tile.program_id x
  %pn = tile.program_id y
  %x = tile.load %a[%pm] : !v -> tensor<16xf32>
  %y = tile.load %b[%pn] : !v -> tensor<16xf32>
  %z = arith.addf %x, %y : tensor<16xf32>
  tile.store %z, %a[%c0] : tensor<16xf32>, !v
  return
}
func.func @fill(%a: !v, %b: !v) attributes {tile.kernel, tile.grid = @both} {
  %pm = tile.program_id x
  %pn = tile.program_id y
  %i = arith.addi %pm, %pn : index
  %x = tile.load %a[%i] : !v -> tensor<16xf32>
  tile.store %x, %b[%i] : tensor<16xf32>, !v
  return
}
func.func @both(%a: !v, %b: !v) -> (index, index) {
  %n = tile.view_size %a, 0 : !v
  return %n, %n : index, index
}
