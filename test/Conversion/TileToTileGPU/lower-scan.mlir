// RUN: tile-opt %s --pass-pipeline="builtin.module(func.func(tile-assign-layouts{num-warps=4},tile-lower-to-buffers))" | FileCheck %s

!mat = !tile.view<?x?xf32, strides = [?, 1]>
!row = !tile.view<?xf32, strides = [1]>

// Each row lies within a warp: one step, in the layout of the load.
// CHECK-LABEL: func.func @rows
// CHECK-NOT:     local_alloc
// CHECK:         tile_gpu.partial_scan %{{.*}} dim 1 reverse identity [0.000000e+00 : f32] : tensor<32x32xf32, #[[L:.*]]> -> tensor<32x32xf32, #[[L]]>, tensor<32x1xf32
// CHECK-NOT:     tile_gpu.add_prefix
// CHECK:         tile.store
func.func @rows(%x: !mat, %y: !mat) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %v = tile.load %x[%c0, %c0] : !mat -> tensor<32x32xf32>
  %s = tile.scan %v dim 1 reverse identity [0.0 : f32] : tensor<32x32xf32> -> tensor<32x32xf32> {
  ^bb0(%a: f32, %b: f32):
    %r = arith.addf %a, %b : f32
    tile.yield %r : f32
  }
  tile.store %s, %y[%c0, %c0] : tensor<32x32xf32>, !mat
  return
}

// Four warps share the one row: each scans its quarter, and all see the four totals.
// CHECK-LABEL: func.func @across_warps
// CHECK:         %[[S:.*]]:2 = tile_gpu.partial_scan {{.*}} -> tensor<512xf32, {{.*}}>, tensor<4xf32
// CHECK:         tile_gpu.local_store %[[S]]#1
// CHECK:         %[[T:.*]] = tile_gpu.local_load
// CHECK:         tile_gpu.add_prefix %[[S]]#0, %[[T]] dim 0
func.func @across_warps(%x: !row, %y: !row) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %v = tile.load %x[%c0] : !row -> tensor<512xf32>
  %s = tile.scan %v dim 0 : tensor<512xf32> -> tensor<512xf32> {
  ^bb0(%a: f32, %b: f32):
    %r = arith.addf %a, %b : f32
    tile.yield %r : f32
  }
  tile.store %s, %y[%c0] : tensor<512xf32>, !row
  return
}
