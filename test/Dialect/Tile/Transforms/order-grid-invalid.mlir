// SPDX-License-Identifier: Apache-2.0
// Groups that cannot be walked are an error, whoever asks for them.
// RUN: tile-opt %s --split-input-file --tile-order-grid=group=3 --verify-diagnostics -o /dev/null

!mat = !tile.view<?x?xf32, strides = [?, 1]>
// expected-error @below {{tile.grid_group asks for groups of 4 rows of tiles, which is impossible: rows and columns come from one axis already, by arith.divsi and arith.subi}}
func.func @spelled(%a: !mat, %b: !mat) attributes {tile.kernel, tile.grid = @grid, tile.grid_group = 4} {
  %c0 = arith.constant 0 : index
  %id = tile.program_id x
  %n = tile.view_size %b, 1 : !mat
  %row = arith.divsi %id, %n : index
  %before = arith.muli %row, %n : index
  %column = arith.subi %id, %before : index
  %x = tile.load %a[%row, %c0] : !mat -> tensor<16x16xf32>
  %y = tile.load %b[%c0, %column] : !mat -> tensor<16x16xf32>
  return
}
func.func @grid(%a: !mat, %b: !mat) -> index {
  %m = tile.view_size %a, 0 : !mat
  %n = tile.view_size %b, 1 : !mat
  %programs = arith.muli %m, %n : index
  return %programs : index
}

// -----

!v = !tile.view<?xf32, strides = [1]>
// expected-error @below {{tile.grid_group asks for groups of 4 rows of tiles, which is impossible: no two axes of the grid share operands: of 1 load that counts, none depends on one axis of a pair while another depends on the other}}
func.func @alone(%a: !v) attributes {tile.kernel, tile.grid = @grid, tile.grid_group = 4} {
  %pm = tile.program_id x
  %x = tile.load %a[%pm] : !v -> tensor<16xf32>
  return
}
func.func @grid(%a: !v) -> (index, index) {
  %m = tile.view_size %a, 0 : !v
  return %m, %m : index, index
}

// -----

!v = !tile.view<?xf32, strides = [1]>
// expected-error @below {{the option grid-group asks for groups of 3 rows of tiles, which no kernel has: the grid has one axis}}
func.func @one_axis(%a: !v) attributes {tile.kernel, tile.grid = @grid} {
  return
}
func.func @grid(%a: !v) -> index {
  %m = tile.view_size %a, 0 : !v
  return %m : index
}

// -----

// expected-error @below {{the option grid-group asks for groups of 3 rows of tiles, which is impossible: programs may wait for one another}}
func.func @lock(%p: !tile.ptr<i32>) attributes {tile.kernel, tile.grid = @grid} {
  %c0 = arith.constant 0 : i32
  %was = tile.atomic_cas acquire gpu %p, %c0, %c0 : !tile.ptr<i32>
  return
}
func.func @grid(%p: !tile.ptr<i32>) -> (index, index) {
  %c100 = arith.constant 100 : index
  return %c100, %c100 : index, index
}

// -----

// The option is about kernels with rows and columns; where there is one, the others keep their order.
!mat = !tile.view<?x?xf32, strides = [?, 1]>
func.func @tall(%a: !mat, %b: !mat) attributes {tile.kernel, tile.grid = @grid} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : tensor<16x32xf32>
  %pm = tile.program_id x
  %pn = tile.program_id y
  %n = tile.view_size %a, 1 : !mat
  %s:2 = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero, %row = %pm) -> (tensor<16x32xf32>, index) {
    %x = tile.load %a[%row, %k] : !mat -> tensor<16x32xf32>
    %y = tile.load %b[%k, %pn] : !mat -> tensor<32x32xf32>
    %d = tile.dot %x, %y, %acc : tensor<16x32xf32>, tensor<32x32xf32> -> tensor<16x32xf32>
    %next = arith.addi %row, %c0 : index
    scf.yield %d, %next : tensor<16x32xf32>, index
  }
  %bias = tile.load %b[%pm, %pn] : !mat -> tensor<16x32xf32>
  %r = arith.addf %s#0, %bias : tensor<16x32xf32>
  tile.store %r, %a[%pm, %pn] : tensor<16x32xf32>, !mat
  return
}
func.func @grid(%a: !mat, %b: !mat) -> (index, index) {
  %m = tile.view_size %a, 0 : !mat
  return %m, %m : index, index
}
func.func @one_axis(%a: !tile.view<?xf32, strides = [1]>) attributes {tile.kernel, tile.grid = @line} {
  return
}
func.func @line(%a: !tile.view<?xf32, strides = [1]>) -> index {
  %m = tile.view_size %a, 0 : !tile.view<?xf32, strides = [1]>
  return %m : index
}

// -----

// expected-error @below {{tile.grid_group asks for another grid, but the kernel has no tile.grid}}
func.func @no_grid() attributes {tile.kernel, tile.grid_group = 2} {
  return
}
