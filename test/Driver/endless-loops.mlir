// SPDX-License-Identifier: Apache-2.0
// RUN: not tile-compile %s --emit=ptx -o - 2>&1 | FileCheck %s --implicit-check-not=error:

// Canonicalization would take each of these for a loop without a trip, or without an end, and leave an empty kernel.
!v = !tile.view<?xi32, strides = [1]>
// CHECK: endless-loops.mlir:[[#@LINE+5]]:3: error: 'scf.for' op expects a positive step, found -1
func.func @backwards(%y: !v, %from: i32, %to: i32) attributes {tile.kernel, tile.grid = @one} {
  %c0 = arith.constant 0 : index
  %one = arith.constant dense<1> : tensor<32xi32>
  %step = arith.constant -1 : i32
  scf.for %i = %from to %to step %step : i32 {
    tile.store %one, %y[%c0] : tensor<32xi32>, !v
  }
  return
}
// CHECK: endless-loops.mlir:[[#@LINE+5]]:3: error: 'scf.for' op expects a positive step, found 0
func.func @standing(%y: !v, %from: i32, %to: i32) attributes {tile.kernel, tile.grid = @one} {
  %c0 = arith.constant 0 : index
  %one = arith.constant dense<1> : tensor<32xi32>
  %step = arith.constant 0 : i32
  scf.for %i = %from to %to step %step : i32 {
    tile.store %one, %y[%c0] : tensor<32xi32>, !v
  }
  return
}
// CHECK: endless-loops.mlir:[[#@LINE+7]]:3: error: 'scf.for' op expects a variable that does not overflow, found -100 to 127 step 50
func.func @beyond(%y: !v, %from: i32, %to: i32) attributes {tile.kernel, tile.grid = @one} {
  %c0 = arith.constant 0 : index
  %one = arith.constant dense<1> : tensor<32xi32>
  %lower = arith.constant -100 : i8
  %upper = arith.constant 127 : i8
  %step = arith.constant 50 : i8
  scf.for %i = %lower to %upper step %step : i8 {
    tile.store %one, %y[%c0] : tensor<32xi32>, !v
  }
  return
}
func.func @one(%y: !v, %from: i32, %to: i32) -> index {
  %c1 = arith.constant 1 : index
  return %c1 : index
}
