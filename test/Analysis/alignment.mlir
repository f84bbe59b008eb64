// SPDX-License-Identifier: Apache-2.0
// RUN: test-tile-opt %s --split-input-file --verify-diagnostics --pass-pipeline="builtin.module(func.func(test-print-alignment))" -o /dev/null

// Offsets of the usual pointer kernel in 32 bits without nsw: runs of 1024 that begin at multiples of 1024 never
// straddle 2^31, so the sign extension keeps them. The mask is uniform over 16 because 16 divides %n.
func.func @pointer_kernel(%p: !tile.ptr<f32> {tile.div_by = 16 : i64}, %n: i32 {tile.div_by = 16 : i64}, %id: i32) {
  %c1024 = arith.constant 1024 : i32
  // expected-remark @below {{contiguity [1], divisor [1024], constancy [1]}}
  %start = arith.muli %id, %c1024 {test.show} : i32
  %s = tile.splat %start : i32 -> tensor<1024xi32>
  // expected-remark @below {{contiguity [1024], divisor [0], constancy [1]}}
  %iota = tile.iota {test.show} : tensor<1024xi32>
  // expected-remark @below {{contiguity [1024], divisor [1024], constancy [1]}}
  %i = arith.addi %s, %iota {test.show} : tensor<1024xi32>
  %nn = tile.splat %n : i32 -> tensor<1024xi32>
  // expected-remark @below {{contiguity [1], divisor [1], constancy [16]}}
  %m = arith.cmpi slt, %i, %nn {test.show} : tensor<1024xi32>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  // expected-remark @below {{contiguity [1024], divisor [16], constancy [1]}}
  %q = tile.ptr_add %ps, %i {test.show} : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  // expected-remark @below {{vector of 4 along dim 0}}
  %v = tile.load_ptr %q mask %m {test.show} : tensor<1024x!tile.ptr<f32>>
  // expected-remark @below {{vector of 4 along dim 0}}
  tile.store_ptr %v, %q mask %m {test.show} : tensor<1024x!tile.ptr<f32>>
  return
}

// -----

// An unknown 32-bit start may wrap inside a run, so nothing is contiguous; nsw says that it does not.
func.func @unknown_start(%id: i32) {
  %s = tile.splat %id : i32 -> tensor<64xi32>
  %iota = tile.iota : tensor<64xi32>
  // expected-remark @below {{contiguity [1], divisor [1], constancy [1]}}
  %a = arith.addi %s, %iota {test.show} : tensor<64xi32>
  // expected-remark @below {{contiguity [64], divisor [1], constancy [1]}}
  %b = arith.addi %s, %iota overflow<nsw> {test.show} : tensor<64xi32>
  return
}

// -----

// A product that may wrap keeps the power of two alone; the range of a program id proves that this one does not wrap.
func.func @wrapping_product(%x: index) {
  %c192 = arith.constant 192 : index
  %pid = tile.program_id x
  // expected-remark @below {{divisor [64]}}
  %a = arith.muli %x, %c192 {test.show} : index
  // expected-remark @below {{divisor [192]}}
  %b = arith.muli %pid, %c192 {test.show} : index
  return
}

// -----

// Division and remainder of runs; the dividend must not be negative where the rounding is towards zero.
func.func @division(%x: i32) {
  %iota = tile.iota : tensor<64xi32>
  %c4 = arith.constant dense<4> : tensor<64xi32>
  // expected-remark @below {{contiguity [1], divisor [1], constancy [4]}}
  %a = arith.divsi %iota, %c4 {test.show} : tensor<64xi32>
  // expected-remark @below {{contiguity [4], divisor [0], constancy [1]}}
  %b = arith.remsi %iota, %c4 {test.show} : tensor<64xi32>
  %c16 = arith.constant 16 : i32
  %y = arith.muli %x, %c16 : i32
  %s = tile.splat %y : i32 -> tensor<64xi32>
  %i = arith.addi %s, %iota : tensor<64xi32>
  // expected-remark @below {{constancy [1]}}
  %c = arith.divsi %i, %c4 {test.show} : tensor<64xi32>
  // expected-remark @below {{constancy [4]}}
  %d = arith.floordivsi %i, %c4 {test.show} : tensor<64xi32>
  // expected-remark @below {{constancy [4]}}
  %e = arith.divui %i, %c4 {test.show} : tensor<64xi32>
  return
}

// -----

// Loop variables are multiples of what divides start and step; carried values meet in a greatest common divisor.
func.func @loops(%n: index) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c12 = arith.constant 12 : index
  // expected-remark @below {{argument 0: contiguity [1], divisor [4], constancy [1]}}
  // expected-remark @below {{argument 1: contiguity [1], divisor [4], constancy [1]}}
  %r = scf.for %i = %c8 to %n step %c12 iter_args(%v = %c0) -> (index) {
    %w = arith.addi %v, %i : index
    scf.yield %w : index
  } {test.show}
  return
}

// -----

// Shape ops carry facts along.
func.func @shapes() {
  %iota = tile.iota : tensor<64xi32>
  // expected-remark @below {{contiguity [1, 64], divisor [1, 0], constancy [1, 1]}}
  %row = tile.reshape %iota {test.show} : tensor<64xi32> -> tensor<1x64xi32>
  // expected-remark @below {{contiguity [1, 64], divisor [1, 0], constancy [32, 1]}}
  %rows = tile.broadcast %row {test.show} : tensor<1x64xi32> -> tensor<32x64xi32>
  // expected-remark @below {{contiguity [64, 1], divisor [0, 1], constancy [1, 32]}}
  %cols = tile.permute %rows [1, 0] {test.show} : tensor<32x64xi32> -> tensor<64x32xi32>
  // expected-remark @below {{contiguity [1, 16], divisor [1, 16], constancy [1, 1]}}
  %split = tile.reshape %iota {test.show} : tensor<64xi32> -> tensor<4x16xi32>
  return
}

// -----

// What `assume` says of tiles.
func.func @assumed(%x: tensor<8x64xi32>) {
  // expected-remark @below {{contiguity [1, 16], divisor [1, 8], constancy [1, 1]}}
  %a = tile.assume %x div_by 8 every [1, 16] contiguous [1, 16] {test.show} : tensor<8x64xi32>
  // expected-remark @below {{contiguity [1, 1], divisor [4, 4], constancy [8, 1]}}
  %b = tile.assume %x div_by 4 same [8, 1] {test.show} : tensor<8x64xi32>
  return
}

// -----

// Views: base, sizes and strides from type, promises and operands, through permutation.
func.func @views(%v: !tile.view<?x?xf16, strides = [?, 1]> {tile.div_by = 16 : i64, tile.sizes_div_by = array<i64: 1, 8>,
                 tile.strides_div_by = array<i64: 8, 1>}, %p: !tile.ptr<f32> {tile.div_by = 32 : i64}, %n: index) {
  // expected-remark @below {{base 16, sizes [?*8, ?*1], strides [1, ?*8]}}
  %t = tile.permute_view %v [1, 0] {test.show} : !tile.view<?x?xf16, strides = [?, 1]> to !tile.view<?x?xf16, strides = [1, ?]>
  %n8 = tile.assume %n div_by 8 : index
  // expected-remark @below {{base 32, sizes [?*8, 64], strides [64, 1]}}
  %w = tile.make_view %p, sizes [%n8] strides [] {test.show} : !tile.view<?x64xf32, strides = [64, 1]>
  return
}
