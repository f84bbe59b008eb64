// SPDX-License-Identifier: Apache-2.0
// RUN: tile-opt %s --split-input-file --tile-order-grid --remarks-filter=tile-order-grid --remark-policy=all -o /dev/null 2>&1 | FileCheck %s
// RUN: tile-opt %s --split-input-file --tile-order-grid=target=sm_80 --remarks-filter=tile-order-grid --remark-policy=all -o /dev/null 2>&1 | FileCheck %s --check-prefix=SM80
// RUN: not tile-opt %s --split-input-file --tile-order-grid=target=sm_70 -o /dev/null 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: unknown target 'sm_70': expected one of sm_80

// The loads in the loop count, the one behind it does not.
// CHECK: [Passed] {{.*}}OrderGrid{{.*}}Function=tall | {{.*}}groups of 16 rows of tiles: 132 programs at a time read 16 x 2048 + 9 x 4096 = 69632 bytes for each step, instead of 274432 in the grid's own order
// SM80:  groups of 16 rows of tiles: 108 programs at a time read 16 x 2048 + 7 x 4096 = 61440 bytes
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

// -----

// CHECK: [Passed] {{.*}}Function=pinned | {{.*}}groups of 6 rows of tiles, as asked: 264 programs at a time read 6 x 64 + 44 x 64
!v = !tile.view<?xf32, strides = [1]>
func.func @pinned(%a: !v, %b: !v) attributes {tile.kernel, tile.grid = @grid, tile.grid_group = 6, tile.occupancy = 2} {
  %pm = tile.program_id x
  %pn = tile.program_id y
  %x = tile.load %a[%pm] : !v -> tensor<16xf32>
  %y = tile.load %b[%pn] : !v -> tensor<16xf32>
  return
}
func.func @grid(%a: !v, %b: !v) -> (index, index) {
  %m = tile.view_size %a, 0 : !v
  return %m, %m : index, index
}

// -----

// CHECK: [Missed] {{.*}}Function=one_axis | {{.*}}Reason="the grid has one axis"
!v = !tile.view<?xf32, strides = [1]>
func.func @one_axis(%a: !v) attributes {tile.kernel, tile.grid = @grid} {
  return
}
func.func @grid(%a: !v) -> index {
  %m = tile.view_size %a, 0 : !v
  return %m : index
}

// -----

// The kernel has an order of its own.
// CHECK: [Missed] {{.*}}Function=own_order | {{.*}}Reason="rows and columns come from one axis already, by arith.divui and arith.remui"
!mat = !tile.view<?x?xf32, strides = [?, 1]>
func.func @own_order(%a: !mat, %b: !mat) attributes {tile.kernel, tile.grid = @grid} {
  %c0 = arith.constant 0 : index
  %id = tile.program_id x
  %n = tile.view_size %b, 1 : !mat
  %row = arith.divui %id, %n : index
  %column = arith.remui %id, %n : index
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

// The same with the remainder spelled out.
// CHECK: [Missed] {{.*}}Function=spelled | {{.*}}Reason="rows and columns come from one axis already, by arith.divsi and arith.subi"
!mat = !tile.view<?x?xf32, strides = [?, 1]>
func.func @spelled(%a: !mat, %b: !mat) attributes {tile.kernel, tile.grid = @grid} {
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

// In groups of rows, in a loop over the tiles of a program.
// CHECK: [Missed] {{.*}}Function=grouped | {{.*}}Reason="rows and columns come from one axis already, by arith.remui and arith.divui"
!mat = !tile.view<?x?xf32, strides = [?, 1]>
func.func @grouped(%a: !mat, %b: !mat) attributes {tile.kernel, tile.grid = @grid} {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %start = tile.program_id x
  %count = tile.num_programs x
  %m = tile.view_size %a, 0 : !mat
  %n = tile.view_size %b, 1 : !mat
  %programs = arith.muli %m, %n : index
  %perGroup = arith.muli %c8, %n : index
  scf.for %id = %start to %programs step %count {
    %group = arith.divui %id, %perGroup : index
    %within = arith.remui %id, %perGroup : index
    %first = arith.muli %group, %c8 : index
    %left = arith.subi %m, %first : index
    %height = arith.minui %left, %c8 : index
    %inner = arith.remui %within, %height : index
    %row = arith.addi %first, %inner : index
    %column = arith.divui %within, %height : index
    %x = tile.load %a[%row, %c0] : !mat -> tensor<16x16xf32>
    %y = tile.load %b[%c0, %column] : !mat -> tensor<16x16xf32>
  }
  return
}
func.func @grid(%a: !mat, %b: !mat) -> index {
  %m = tile.view_size %a, 0 : !mat
  %n = tile.view_size %b, 1 : !mat
  %programs = arith.muli %m, %n : index
  return %programs : index
}

// -----

// Parts that one load depends on beside those of the other are no rows and columns.
// CHECK: [Missed] {{.*}}Function=batch_and_head | {{.*}}Reason="the grid has one axis"
!mat = !tile.view<?x?xf32, strides = [?, 1]>
func.func @batch_and_head(%a: !mat, %b: !mat) attributes {tile.kernel, tile.grid = @grid} {
  %c0 = arith.constant 0 : index
  %id = tile.program_id x
  %n = tile.view_size %b, 1 : !mat
  %c4 = arith.constant 4 : index
  %batch = arith.divui %id, %n : index
  %head = arith.remui %id, %n : index
  %shared = arith.divui %head, %c4 : index
  %x = tile.load %a[%batch, %head] : !mat -> tensor<16x16xf32>
  %y = tile.load %b[%batch, %shared] : !mat -> tensor<16x16xf32>
  return
}
func.func @grid(%a: !mat, %b: !mat) -> index {
  %m = tile.view_size %a, 0 : !mat
  %n = tile.view_size %b, 1 : !mat
  %programs = arith.muli %m, %n : index
  return %programs : index
}

// -----

// Nor are parts of numbers that no program id is in.
// CHECK: [Missed] {{.*}}Function=other_parts | {{.*}}Reason="the grid has one axis"
!mat = !tile.view<?x?xf32, strides = [?, 1]>
func.func @other_parts(%a: !mat, %b: !mat) attributes {tile.kernel, tile.grid = @grid} {
  %c0 = arith.constant 0 : index
  %id = tile.program_id x
  %n = tile.view_size %b, 1 : !mat
  %c4 = arith.constant 4 : index
  %quarter = arith.divui %n, %c4 : index
  %rest = arith.remui %n, %c4 : index
  %r = arith.addi %quarter, %id : index
  %c = arith.addi %rest, %id : index
  %x = tile.load %a[%r, %c0] : !mat -> tensor<16x16xf32>
  %y = tile.load %b[%c0, %c] : !mat -> tensor<16x16xf32>
  return
}
func.func @grid(%a: !mat, %b: !mat) -> index {
  %m = tile.view_size %a, 0 : !mat
  %n = tile.view_size %b, 1 : !mat
  %programs = arith.muli %m, %n : index
  return %programs : index
}

// -----

// CHECK: [Missed] {{.*}}Function=small | {{.*}}Reason="120 programs all run at once, on 132 places"
!v = !tile.view<?xf32, strides = [1]>
func.func @small(%a: !v, %b: !v) attributes {tile.kernel, tile.grid = @grid} {
  %pm = tile.program_id x
  %pn = tile.program_id y
  %x = tile.load %a[%pm] : !v -> tensor<16xf32>
  %y = tile.load %b[%pn] : !v -> tensor<16xf32>
  return
}
func.func @grid(%a: !v, %b: !v) -> (index, index) {
  %c10 = arith.constant 10 : index
  %c12 = arith.constant 12 : index
  return %c10, %c12 : index, index
}

// -----

// CHECK: [Missed] {{.*}}Function=lock | {{.*}}Reason="programs may wait for one another: there is a tile.atomic_cas that orders or spins"
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

// CHECK: [Missed] {{.*}}Function=asks | {{.*}}Reason="the kernel cannot evaluate its grid, which has a tile.device_info"
func.func @asks(%p: !tile.ptr<i32>) attributes {tile.kernel, tile.grid = @grid} {
  return
}
func.func @grid(%p: !tile.ptr<i32>) -> (index, index) {
  %n = tile.device_info sm_count
  return %n, %n : index, index
}
