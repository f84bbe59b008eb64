// SPDX-License-Identifier: Apache-2.0
// RUN: not tile-opt %s --tile-choose-extents=extents=Q:48 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not tile-opt %s --tile-choose-extents=extents=x.0:0 2>&1 | FileCheck %s --check-prefix=NUMBER
// RUN: not tile-opt %s --tile-choose-extents=extents=x.0 2>&1 | FileCheck %s --check-prefix=FORM
// RUN: not tile-opt %s --tile-choose-extents=extents=y.0:16,x.0:8 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not tile-opt %s --tile-choose-extents=extents=row.0:8 2>&1 | FileCheck %s --check-prefix=PINNED
// RUN: not tile-opt %s --tile-choose-extents=extents=z.0:48 2>&1 | FileCheck %s --check-prefix=DIVISOR
// RUN: tile-opt %s --tile-choose-extents=extents=row.0:32,z.0:16,x.0:16,y.0:16 | FileCheck %s

// UNKNOWN: error: option 'extents': no kernel has a class of tile dimensions called 'Q'; expected one of x.0, y.0, row.0, z.0
// NUMBER:  error: option 'extents': expected CLASS:N with N from 1 to 65536, found 'x.0:0'
// FORM:    error: option 'extents': expected CLASS:N with N from 1 to 65536, found 'x.0'
// TWICE:   choose-extents-invalid.mlir:[[@LINE+4]]:1: error: option 'extents': y.0 and x.0 are one class, but 16 and 8 were asked for
// CHECK-LABEL: func @copy(
// CHECK:         tile.store {{.*}} : tensor<16xf32>
!v = !tile.view<?xf32, strides = [1]>
func.func @copy(%x: !v {tile.name = "x"}, %y: !v {tile.name = "y"}) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %n = tile.view_size %x, 0 : !v
  scf.for %i = %c0 to %n step %c32 {
    %v = tile.load %x[%i] : !v -> tensor<32xf32>
    tile.store %v, %y[%i] : tensor<32xf32>, !v
  }
  return
}

func.func @fixed(%x: !v {tile.name = "row"}) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  // PINNED: choose-extents-invalid.mlir:[[@LINE+1]]:8: error: extent 8 was asked for row.0 of kernel 'fixed', but only 32 can be: tile.load reads or writes 32 elements at the fixed offset 0 of view dim 0
  %v = tile.load %x[%c0] : !v -> tensor<32xf32>
  return
}

// CHECK-LABEL: func @sum(
// CHECK:         tile.load {{.*}} -> tensor<16xf32>
func.func @sum(%x: !v {tile.name = "z"}, %p: !tile.ptr<f32>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %n = tile.view_size %x, 0 : !v
  %zero = arith.constant 0.0 : f32
  %s = scf.for %i = %c0 to %n step %c32 iter_args(%acc = %zero) -> (f32) {
    %v = tile.load %x[%i] : !v -> tensor<32xf32>
    // DIVISOR: choose-extents-invalid.mlir:[[@LINE+1]]:10: error: extent 48 was asked for z.0 of kernel 'sum', but only divisors of 32 can be: tile.reduce combines positions behind the end, which are not known to be neutral
    %t = tile.reduce %v dim 0 : tensor<32xf32> -> f32 {
    ^bb0(%a: f32, %b: f32):
      %q = arith.addf %a, %b : f32
      tile.yield %q : f32
    }
    %next = arith.addf %acc, %t : f32
    scf.yield %next : f32
  }
  tile.store_ptr %s, %p : !tile.ptr<f32>
  return
}
