// SPDX-License-Identifier: Apache-2.0
// RUN: test-tile-opt %s --split-input-file --verify-diagnostics --pass-pipeline="builtin.module(func.func(test-print-alignment))" -o /dev/null

// Everything is promised: 16-byte vectors along the unit stride, also through a transpose.
!v = !tile.view<?x?xf16, strides = [?, 1]>
!t = !tile.view<?x?xf16, strides = [1, ?]>
func.func @aligned(%v: !v {tile.div_by = 16 : i64, tile.sizes_div_by = array<i64: 1, 8>, tile.strides_div_by = array<i64: 8, 1>},
                   %i: index, %j: index) {
  %c64 = arith.constant 64 : index
  %o = arith.muli %j, %c64 : index
  // expected-remark @below {{vector of 8 along dim 1, in bounds [no, no]}}
  %x = tile.load %v[%i, %o] {test.show} : !v -> tensor<16x64xf16>
  %vt = tile.permute_view %v [1, 0] : !v to !t
  // expected-remark @below {{vector of 8 along dim 0, in bounds [no, no]}}
  %y = tile.load %vt[%o, %i] {test.show} : !t -> tensor<64x16xf16>
  // An offset that may be odd.
  // expected-remark @below {{vector of 1 along dim 1}}
  %z = tile.load %v[%i, %j] {test.show} : !v -> tensor<16x64xf16>
  // 20 elements hold vectors of 4.
  // expected-remark @below {{vector of 4 along dim 1}}
  %w = tile.load %v[%i, %o] {test.show} : !v -> tensor<16x20xf16>
  return
}

// -----

// One promise short of it: the mask is not uniform over a vector unless the dimension is unchecked.
!v = !tile.view<?x?xf16, strides = [?, 1]>
func.func @ragged_size(%v: !v {tile.div_by = 16 : i64, tile.strides_div_by = array<i64: 8, 1>}, %i: index) {
  %c0 = arith.constant 0 : index
  // expected-remark @below {{vector of 1 along dim 1}}
  %x = tile.load %v[%i, %c0] {test.show} : !v -> tensor<16x64xf16>
  // expected-remark @below {{vector of 8 along dim 1}}
  %y = tile.load %v[%i, %c0] in_bounds [false, true] {test.show} : !v -> tensor<16x64xf16>
  return
}

// -----

// The base and the other strides limit the vector.
!v = !tile.view<?x64xf16, strides = [?, 1]>
func.func @base_and_stride(%v: !v {tile.div_by = 8 : i64, tile.strides_div_by = array<i64: 8, 1>},
                           %w: !v {tile.div_by = 16 : i64, tile.strides_div_by = array<i64: 2, 1>},
                           %u: !tile.view<?x?xf32, strides = [?, ?]> {tile.div_by = 16 : i64}, %i: index) {
  %c0 = arith.constant 0 : index
  // expected-remark @below {{vector of 4 along dim 1, in bounds [no, yes]}}
  %x = tile.load %v[%i, %c0] {test.show} : !v -> tensor<16x64xf16>
  // expected-remark @below {{vector of 2 along dim 1, in bounds [no, yes]}}
  %y = tile.load %w[%i, %c0] {test.show} : !v -> tensor<16x64xf16>
  // One row: its index, not every row's stride, decides.
  // expected-remark @below {{vector of 8 along dim 1, in bounds [no, yes]}}
  %z = tile.load %w[%c0, %c0] in_bounds [true, true] {test.show} : !v -> tensor<1x64xf16>
  // No stride is known to be 1.
  // expected-remark @below {{vector of 1 along dim 1}}
  %a = tile.load %u[%i, %i] {test.show} : !tile.view<?x?xf32, strides = [?, ?]> -> tensor<16x16xf32>
  return
}

// -----

// In bounds: a loop below a bound that is the size, where both are multiples of the extent.
!m = !tile.view<?x?xf16, strides = [?, 1]>
func.func @loop_to_size(%p: !tile.ptr<f16>, %m: index, %k: index) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %ke = tile.assume %k div_by 64 min 0 : index
  %v = tile.make_view %p, sizes [%m, %ke] strides [%ke] : !m
  scf.for %kk = %c0 to %ke step %c64 {
    // expected-remark @below {{in bounds [no, yes]}}
    %x = tile.load %v[%c0, %kk] {test.show} : !m -> tensor<16x64xf16>
    // A wider block than the step does not fit at the end.
    // expected-remark @below {{in bounds [no, no]}}
    %y = tile.load %v[%c0, %kk] {test.show} : !m -> tensor<16x128xf16>
  }
  // Nothing is known of %k itself here.
  %w = tile.make_view %p, sizes [%m, %m] strides [%m] : !m
  scf.for %kk = %c0 to %m step %c64 {
    // expected-remark @below {{in bounds [no, no]}}
    %x = tile.load %w[%c0, %kk] {test.show} : !m -> tensor<16x64xf16>
    // expected-remark @below {{in bounds [no, yes]}}
    %y = tile.load %w[%c0, %kk] {test.show} : !m -> tensor<16x1xf16>
  }
  return
}

// -----

// Static sizes, constant offsets and constant loop bounds; a negative offset; a view parameter's own size.
!s = !tile.view<256x64xf32, strides = [64, 1]>
!d = !tile.view<?x64xf32, strides = [64, 1]>
func.func @static_sizes(%v: !s, %w: !d {tile.sizes_div_by = array<i64: 32, 1>}, %i: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c256 = arith.constant 256 : index
  %cm1 = arith.constant -1 : index
  scf.for %r = %c0 to %c256 step %c32 {
    // expected-remark @below {{in bounds [yes, yes]}}
    %x = tile.load %v[%r, %c32] {test.show} : !s -> tensor<32x32xf32>
    // expected-remark @below {{in bounds [no, no]}}
    %y = tile.load %v[%cm1, %c1] {test.show} : !s -> tensor<32x64xf32>
  }
  %n = tile.view_size %w, 0 : !d
  scf.for %r = %c0 to %n step %c32 {
    // expected-remark @below {{in bounds [yes, yes]}}
    %x = tile.load %w[%r, %c0] {test.show} : !d -> tensor<32x64xf32>
  }
  return
}

// -----

// Rows anywhere, columns side by side: vectors along the columns, if rows begin on them.
!v = !tile.view<?x64xf16, strides = [64, 1]>
!u = !tile.view<?x64xf16, strides = [?, 1]>
func.func @gathers(%v: !v {tile.div_by = 16 : i64}, %u: !u {tile.div_by = 16 : i64}, %rows: tensor<8xi32>) {
  %c0 = arith.constant 0 : index
  // expected-remark @below {{vector of 8 along dim 1, in bounds [no, yes]}}
  %x = tile.gather %v[%rows, %c0] {test.show} : !v[tensor<8xi32>, index] -> tensor<8x64xf16>
  // expected-remark @below {{vector of 8 along dim 1, in bounds [no, yes]}}
  tile.scatter %x, %v[%rows, %c0] {test.show} : tensor<8x64xf16>, !v[tensor<8xi32>, index]
  // Rows may begin on any element.
  // expected-remark @below {{vector of 1 along dim 1, in bounds [no, yes]}}
  %y = tile.gather %u[%rows, %c0] {test.show} : !u[tensor<8xi32>, index] -> tensor<8x64xf16>
  // Columns anywhere: no two are known to be neighbours.
  // expected-remark @below {{vector of 1 along dim 1, in bounds [no, no]}}
  %z = tile.gather %v[%c0, %rows] {test.show} : !v[index, tensor<8xi32>] -> tensor<4x8xf16>
  return
}

// -----

// Indices that are known to lie inside, and one that may be negative.
!v = !tile.view<32x64xf16, strides = [64, 1]>
func.func @indices_in_bounds(%v: !v, %any: tensor<32xi32>) {
  %c0 = arith.constant 0 : index
  %i = tile.iota : tensor<32xi32>
  // expected-remark @below {{in bounds [yes, yes]}}
  %x = tile.gather %v[%i, %c0] {test.show} : !v[tensor<32xi32>, index] -> tensor<32x64xf16>
  %j = tile.iota start 1 : tensor<32xi32>
  // expected-remark @below {{in bounds [no, yes]}}
  %y = tile.gather %v[%j, %c0] {test.show} : !v[tensor<32xi32>, index] -> tensor<32x64xf16>
  %c31 = arith.constant dense<31> : tensor<32xi32>
  %k = arith.andi %any, %c31 : tensor<32xi32>
  // expected-remark @below {{in bounds [yes, yes]}}
  tile.scatter %x, %v[%k, %c0] {test.show} : tensor<32x64xf16>, !v[tensor<32xi32>, index]
  return
}
