// SPDX-License-Identifier: Apache-2.0
// RUN: tile-opt %s | tile-opt | FileCheck %s

!v = !tile.view<?xf32, strides = [1]>
func.func @kernel(%v: !v, %n: i32) attributes {tile.kernel} {
  return
}
func.func @nothing() attributes {tile.kernel} {
  return
}

// CHECK-LABEL: func.func @host
func.func @host(%v: !v, %p: !tile.ptr<f32>, %n: i32, %size: index) {
  // CHECK: tile.launch @kernel(%arg0, %arg2) {tile.independent} : (!tile.view<?xf32, strides = [1]>, i32) -> ()
  tile.launch @kernel(%v, %n) {tile.independent} : (!v, i32) -> ()
  // CHECK: tile.launch @nothing() : () -> ()
  tile.launch @nothing() : () -> ()
  // CHECK: %[[V:.*]] = tile.make_view
  // CHECK: tile.launch @kernel(%[[V]], %arg2)
  %w = tile.make_view %p, sizes [%size] strides [] : !v
  tile.launch @kernel(%w, %n) : (!v, i32) -> ()
  return
}
