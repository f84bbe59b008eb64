// SPDX-License-Identifier: Apache-2.0
// RUN: tile-opt %s --split-input-file --tile-fold-transpose --remarks-filter=tile-fold-transpose --remark-policy=all -o /dev/null 2>&1 | FileCheck %s

!m = !tile.view<?x?xf32, strides = [?, 1]>

// CHECK: Function=second_load | Remark="transpose folded into 1 load, of which 1 is made a second time"
func.func @second_load(%v: !m) -> (tensor<8x4xf32>, tensor<4x8xf32>) {
  %c0 = arith.constant 0 : index
  %x = tile.load %v[%c0, %c0] : !m -> tensor<4x8xf32>
  %t = tile.permute %x [1, 0] : tensor<4x8xf32> -> tensor<8x4xf32>
  return %t, %x : tensor<8x4xf32>, tensor<4x8xf32>
}

// -----

// CHECK: Function=sunk | Remark="transpose undone in front of 1 store or reduction"
!m = !tile.view<?x?xf32, strides = [?, 1]>
func.func @sunk(%v: !m, %x: tensor<4x8xf32>) {
  %c0 = arith.constant 0 : index
  %t = tile.permute %x [1, 0] : tensor<4x8xf32> -> tensor<8x4xf32>
  %s = arith.addf %t, %t : tensor<8x4xf32>
  tile.store %s, %v[%c0, %c0] : tensor<8x4xf32>, !m
  return
}

// -----

// CHECK: Function=moved | Remark="transpose moved to 1 other place: 128 weighted bytes instead of 2048, stopped by an argument of a block"
func.func @moved(%x: tensor<4x8xf32>, %n: index) -> tensor<8x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : tensor<8x4xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<8x4xf32>) {
    %t = tile.permute %x [1, 0] : tensor<4x8xf32> -> tensor<8x4xf32>
    %s = arith.addf %acc, %t : tensor<8x4xf32>
    scf.yield %s : tensor<8x4xf32>
  }
  return %r : tensor<8x4xf32>
}

// -----

// CHECK: Function=operand | {{.*}}transpose stays as the order of a tile.dot operand, which costs nothing
func.func @operand(%x: tensor<16x32xf32>, %acc: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %t = tile.permute %x [1, 0] : tensor<16x32xf32> -> tensor<32x16xf32>
  %d = tile.dot %x, %t, %acc : tensor<16x32xf32>, tensor<32x16xf32> -> tensor<16x16xf32>
  return %d : tensor<16x16xf32>
}

// -----

// CHECK: Function=kept | {{.*}}Reason="transpose stays: stopped by an argument of a block; 128 weighted bytes instead of 128"
func.func @kept(%x: tensor<4x8xf32>) -> tensor<8x4xf32> {
  %t = tile.permute %x [1, 0] : tensor<4x8xf32> -> tensor<8x4xf32>
  return %t : tensor<8x4xf32>
}

// -----

// CHECK: Function=ordered | {{.*}}Reason="transpose stays: stopped by tile.load has its place in an order
!m = !tile.view<?x?xf32, strides = [?, 1]>
func.func @ordered(%v: !m) -> tensor<8x4xf32> {
  %c0 = arith.constant 0 : index
  %x = tile.load %v[%c0, %c0] sync(relaxed, gpu) : !m -> tensor<4x8xf32>
  %t = tile.permute %x [1, 0] : tensor<4x8xf32> -> tensor<8x4xf32>
  return %t : tensor<8x4xf32>
}

// -----

// A reshape that splits the transposed dimensions.
// CHECK: Function=torn | {{.*}}Reason="transpose stays: stopped by tile.reshape splits or merges dimensions that change places
!m = !tile.view<?x?xf32, strides = [?, 1]>
func.func @torn(%v: !m) -> tensor<8x4xf32> {
  %c0 = arith.constant 0 : index
  %x = tile.load %v[%c0, %c0] : !m -> tensor<2x16xf32>
  %y = tile.reshape %x : tensor<2x16xf32> -> tensor<4x8xf32>
  %t = tile.permute %y [1, 0] : tensor<4x8xf32> -> tensor<8x4xf32>
  return %t : tensor<8x4xf32>
}
