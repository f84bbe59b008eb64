// RUN: tile-opt %s --pass-pipeline="builtin.module(func.func(tile-assign-layouts{num-warps=4},tile-lower-to-buffers))" | FileCheck %s

!mat = !tile.view<?x?xf32, strides = [?, 1]>
!row = !tile.view<?xf32, strides = [1]>

// Each row lies within a warp, so one step is all.
// CHECK-LABEL: func.func @row_sum
// CHECK-NOT:     local_alloc
// CHECK:         tile_gpu.partial_reduce {{.*}} dim 1 {{.*}} -> tensor<32x1xf32
// CHECK-NOT:     partial_reduce
// CHECK:         tile.store
func.func @row_sum(%x: !mat, %y: !row) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %v = tile.load %x[%c0, %c0] : !mat -> tensor<32x32xf32>
  %s = tile.reduce %v dim 1 : tensor<32x32xf32> -> tensor<32xf32> {
  ^bb0(%a: f32, %b: f32):
    %r = arith.addf %a, %b : f32
    tile.yield %r : f32
  }
  tile.store %s, %y[%c0] : tensor<32xf32>, !row
  return
}

// Four warps share the one row: a sum per warp, through shared memory, and once more in registers.
// CHECK-LABEL: func.func @across_warps
// CHECK:         tile_gpu.partial_reduce {{.*}} -> tensor<4xf32
// CHECK:         tile_gpu.local_alloc
// CHECK:         tile_gpu.local_store
// CHECK:         tile_gpu.local_load
// CHECK:         tile_gpu.partial_reduce {{.*}} -> tensor<1xf32
// CHECK:         tile.to_scalar
func.func @across_warps(%x: !row, %p: !tile.ptr<f32>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %v = tile.load %x[%c0] : !row -> tensor<1024xf32>
  %s = tile.reduce %v dim 0 : tensor<1024xf32> -> f32 {
  ^bb0(%a: f32, %b: f32):
    %r = arith.addf %a, %b : f32
    tile.yield %r : f32
  }
  tile.store_ptr %s, %p : !tile.ptr<f32>
  return
}

// Both operands are staged with the dimension fastest that a thread reads several neighbours of: M and N.
// CHECK-LABEL: func.func @product
// CHECK:         tile_gpu.local_alloc {tile_gpu.reason = "an operand of a product on the multiply-add units"} : <64x32xf32, #tile_gpu.shared<[64, 32], order = [0, 1]
// CHECK:         tile_gpu.local_alloc {tile_gpu.reason = "an operand of a product on the multiply-add units"} : <32x64xf32, #tile_gpu.shared<[32, 64], order = [1, 0]
// CHECK:         tile_gpu.dot_fma
// CHECK-NOT:     tile.dot
func.func @product(%a: !mat, %b: !mat, %c: !mat) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %x = tile.load %a[%c0, %c0] : !mat -> tensor<64x32xf32>
  %y = tile.load %b[%c0, %c0] : !mat -> tensor<32x64xf32>
  %z = arith.constant dense<0.0> : tensor<64x64xf32>
  %d = tile.dot %x, %y, %z : tensor<64x32xf32>, tensor<32x64xf32> -> tensor<64x64xf32>
  tile.store %d, %c[%c0, %c0] : tensor<64x64xf32>, !mat
  return
}

// 17 rows are a multiple of nothing: the reshape keeps row-major order in memory, where it is free.
// CHECK-LABEL: func.func @odd_reshape
// CHECK:         %[[M:.*]] = tile_gpu.local_alloc {tile_gpu.reason = "a reshape that is not linear over the layout's bits"} : <17x6xf32
// CHECK:         tile_gpu.local_store
// CHECK:         %[[V:.*]] = tile_gpu.memdesc_view %[[M]] : {{.*}} -> <34x3xf32
// CHECK:         tile_gpu.local_load %[[V]]
func.func @odd_reshape(%a: !mat, %b: !mat) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %x = tile.load %a[%c0, %c0] : !mat -> tensor<17x6xf32>
  %y = tile.reshape %x : tensor<17x6xf32> -> tensor<34x3xf32>
  tile.store %y, %b[%c0, %c0] : tensor<34x3xf32>, !mat
  return
}
