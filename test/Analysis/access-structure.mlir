// SPDX-License-Identifier: Apache-2.0
// RUN: test-tile-opt %s --split-input-file --verify-diagnostics --test-print-access -o /dev/null

// A loop along the second dimension; its size is a multiple of the step in one view only.
!v = !tile.view<?x?xf16, strides = [?, 1]>
func.func @loads(%a: !v {tile.name = "a", tile.sizes_div_by = array<i64: 1, 64>, tile.strides_div_by = array<i64: 8, 1>},
                 %b: !v {tile.name = "b"}, %row: index {tile.name = "row"}) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %ka = tile.view_size %a, 1 : !v
  %kb = tile.view_size %b, 1 : !v
  scf.for %k = %c0 to %ka step %c64 {
    // expected-remark @below {{dim 0: index row + i0, stride a multiple of 8; checked, open: may be negative, no promise about parameters is known to help}}
    // expected-remark @below {{dim 1: index 64*trip + i1, from a multiple of 64, stride 1; checked, proved by trip <= floor((size(a, 1) + 63) / 64) - 1, 64*floor((size(a, 1) + 63) / 64) <= size(a, 1)}}
    %x = tile.load %a[%row, %k] {test.show} : !v -> tensor<16x64xf16>
    // expected-remark @below {{dim 0: index 0 + i0, any stride; not checked, open: no promise about parameters is known to help}}
    // expected-remark @below {{dim 1: index 64*trip + i1, from a multiple of 64, stride 1; checked, open: needs size(a, 1) = size(b, 1)}}
    %y = tile.load %b[%c0, %k] in_bounds [true, false] {test.show} : !v -> tensor<16x64xf16>
  }
  scf.for %k = %c0 to %kb step %c64 {
    // expected-remark @below {{dim 0: index 0 + i0, any stride; checked, open: no promise about parameters is known to help}}
    // expected-remark @below {{dim 1: index 64*trip + i1, from a multiple of 64, stride 1; checked, open: needs size(b, 1) a multiple of 64}}
    %y = tile.load %b[%c0, %k] {test.show} : !v -> tensor<16x64xf16>
  }
  return
}

// -----

// Programs of a grid that divides the view: the proof needs the size to be a multiple of the tile.
!v = !tile.view<?x?xf32, strides = [?, 1]>
func.func @stores(%o: !v {tile.name = "o", tile.sizes_div_by = array<i64: 128, 1>})
    attributes {tile.kernel, tile.grid = @stores_grid} {
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %x = arith.constant dense<0.0> : tensor<128x64xf32>
  %i = tile.program_id x
  %j = tile.program_id y
  %r = arith.muli %i, %c128 : index
  %c = arith.muli %j, %c64 : index
  // expected-remark @below {{dim 0: index 128*program_id x + i0, from a multiple of 128, any stride; checked, proved by program_id x <= floor((size(o, 0) + 127) / 128) - 1, 128*floor((size(o, 0) + 127) / 128) <= size(o, 0)}}
  // expected-remark @below {{dim 1: index 64*program_id y + i1, from a multiple of 64, stride 1; checked, open: needs size(o, 1) a multiple of 64}}
  tile.store %x, %o[%r, %c] {test.show} : tensor<128x64xf32>, !v
  return
}
func.func @stores_grid(%o: !v) -> (index, index) {
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %m = tile.view_size %o, 0 : !v
  %n = tile.view_size %o, 1 : !v
  %rows = arith.ceildivsi %m, %c128 : index
  %columns = arith.ceildivsi %n, %c64 : index
  return %rows, %columns : index, index
}

// -----

// Rows by a tile of indices.
!v = !tile.view<32x64xf16, strides = [64, 1]>
func.func @indexed(%v: !v {tile.name = "v"}, %rows: tensor<8xi32>, %t: tensor<8xi32>, %s: !tile.view<?xi32, strides = [1]> {tile.name = "s"}) {
  %c0 = arith.constant 0 : index
  // expected-remark @below {{dim 0: index <index tile>, stride 64; checked, open: may be negative, no promise about parameters is known to help}}
  // expected-remark @below {{dim 1: index 0 + i1, stride 1; checked, proved by ranges}}
  %x = tile.gather %v[%rows, %c0] {test.show} : !v[tensor<8xi32>, index] -> tensor<8x64xf16>
  %c31 = arith.constant dense<31> : tensor<8xi32>
  %k = arith.andi %rows, %c31 : tensor<8xi32>
  // expected-remark @below {{dim 0: index <index tile>, stride 64; checked, proved by ranges}}
  // expected-remark @below {{dim 1: index 0 + i1, stride 1; checked, proved by ranges}}
  tile.scatter %x, %v[%k, %c0] {test.show} : tensor<8x64xf16>, !v[tensor<8xi32>, index]
  // expected-remark @below {{dim 0: index 0 + i0, stride 1; checked, open: no promise about parameters is known to help}}
  tile.reduce_into add gpu %t, %s[%c0] {test.show} : tensor<8xi32>, !tile.view<?xi32, strides = [1]>
  return
}

// -----

// Pointers: rows of a matrix under a mask.
func.func @pointers(%p: !tile.ptr<f32> {tile.name = "p", tile.div_by = 16 : i64}, %n: i32 {tile.name = "n"},
                    %s: i64 {tile.name = "stride", tile.div_by = 4 : i64}, %x: tensor<16x32xf32>) {
  %c16 = arith.constant 16 : i64
  %id = tile.program_id x
  %first = arith.index_cast %id : index to i64
  %start = arith.muli %first, %c16 : i64
  %starts = tile.splat %start : i64 -> tensor<16xi64>
  %r = tile.iota : tensor<16xi64>
  %rows = arith.addi %r, %starts : tensor<16xi64>
  %r1 = tile.reshape %rows : tensor<16xi64> -> tensor<16x1xi64>
  %s1 = tile.splat %s : i64 -> tensor<16x1xi64>
  %r2 = arith.muli %r1, %s1 : tensor<16x1xi64>
  %r3 = tile.broadcast %r2 : tensor<16x1xi64> -> tensor<16x32xi64>
  %c = tile.iota : tensor<32xi64>
  %c1 = tile.reshape %c : tensor<32xi64> -> tensor<1x32xi64>
  %c2 = tile.broadcast %c1 : tensor<1x32xi64> -> tensor<16x32xi64>
  %o = arith.addi %r3, %c2 : tensor<16x32xi64>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<16x32x!tile.ptr<f32>>
  %q = tile.ptr_add %ps, %o : tensor<16x32x!tile.ptr<f32>>, tensor<16x32xi64>
  %wide = arith.extsi %n : i32 to i64
  %ns = tile.splat %wide : i64 -> tensor<1x32xi64>
  %m1 = arith.cmpi slt, %c1, %ns : tensor<1x32xi64>
  %m = tile.broadcast %m1 : tensor<1x32xi1> -> tensor<16x32xi1>
  // expected-remark @below {{address p + 16*stride*program_id x, dim 0 in steps of stride, dim 1 in steps of 1; bytes a multiple of 4}}
  // expected-remark @below {{dim 0: not checked}}
  // expected-remark @below {{dim 1: checked, index 0 + i1 < n}}
  %y = tile.load_ptr %q mask %m {test.show} : tensor<16x32x!tile.ptr<f32>>
  // expected-remark @below {{address p + 16*stride*program_id x, dim 0 in steps of stride, dim 1 in steps of 1; bytes a multiple of 4}}
  // expected-remark @below {{dim 0: not checked}}
  // expected-remark @below {{dim 1: not checked}}
  tile.store_ptr %x, %q {test.show} : tensor<16x32x!tile.ptr<f32>>
  return
}

// -----

// Wrapped rows, an advanced pointer, and a mask that says nothing of an index.
func.func @advanced(%p: !tile.ptr<f32> {tile.name = "p"}, %n: i32 {tile.name = "n"}, %go: i1, %x: tensor<64xf32>) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c256 = arith.constant 256 : index
  %step = arith.constant dense<32> : tensor<64xi32>
  %i = tile.iota : tensor<64xi32>
  %ns = tile.splat %n : i32 -> tensor<64xi32>
  %w = arith.remsi %i, %ns : tensor<64xi32>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %q = tile.ptr_add %ps, %w : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  // expected-remark @below {{address p + 0, dim 0 in steps of 1 modulo n from 0; bytes a multiple of 1}}
  // expected-remark @below {{no view: the index of dim 0 is a remainder, and the mask does not bound it}}
  tile.store_ptr %x, %q {test.show} : tensor<64x!tile.ptr<f32>>
  %q0 = tile.ptr_add %ps, %i : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %m = tile.splat %go : i1 -> tensor<64xi1>
  %end = scf.for %k = %c0 to %c256 step %c32 iter_args(%r = %q0) -> (tensor<64x!tile.ptr<f32>>) {
    // expected-remark @below {{address p + iv, dim 0 in steps of 1; bytes a multiple of 1}}
    // expected-remark @below {{dim 0: not checked}}
    tile.store_ptr %x, %r {test.show} : tensor<64x!tile.ptr<f32>>
    // expected-remark @below {{address p + iv, dim 0 in steps of 1; bytes a multiple of 1}}
    // expected-remark @below {{no view: the mask comes from an argument}}
    tile.store_ptr %x, %r mask %m {test.show} : tensor<64x!tile.ptr<f32>>
    %next = tile.ptr_add %r, %step : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
    scf.yield %next : tensor<64x!tile.ptr<f32>>
  }
  return
}

// -----

// Addresses that have no form, and atomics, which are no views.
func.func @others(%p: !tile.ptr<i32> {tile.name = "p"}, %any: tensor<64xi32>, %x: tensor<64xi32>, %one: i32) {
  %ps = tile.splat %p : !tile.ptr<i32> -> tensor<64x!tile.ptr<i32>>
  %q = tile.ptr_add %ps, %any : tensor<64x!tile.ptr<i32>>, tensor<64xi32>
  // expected-remark @below {{address not affine: an argument holds it}}
  %y = tile.load_ptr %q {test.show} : tensor<64x!tile.ptr<i32>>
  %i = tile.iota : tensor<64xi32>
  %i2 = arith.muli %i, %i : tensor<64xi32>
  %q2 = tile.ptr_add %ps, %i2 : tensor<64x!tile.ptr<i32>>, tensor<64xi32>
  // expected-remark @below {{address not affine: arith.muli of two indices}}
  tile.store_ptr %x, %q2 {test.show} : tensor<64x!tile.ptr<i32>>
  %q3 = tile.ptr_add %ps, %i : tensor<64x!tile.ptr<i32>>, tensor<64xi32>
  // expected-remark @below {{address p + 0, dim 0 in steps of 1; bytes a multiple of 1}}
  %old = tile.atomic_rmw add relaxed gpu %q3, %x {test.show} : tensor<64x!tile.ptr<i32>>
  // expected-remark @below {{address p + 0; bytes a multiple of 1}}
  %was = tile.atomic_cas acq_rel gpu %p, %one, %one {test.show} : !tile.ptr<i32>
  return
}
