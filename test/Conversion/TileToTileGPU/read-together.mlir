// Tiles that are written side by side share one barrier and are read behind it, while they are few bytes together. The
// sum of a product moves before the operands do, so that a large one is out of shared memory when they come.
// RUN: tile-opt %s --tile-assign-layouts="target=sm_90a num-warps=8" --tile-lower-to-buffers \
// RUN:   --tile-allocate-shared="limit-bytes=232448" --tile-insert-sync | FileCheck %s

!operand = !tile.view<?x?xf16, strides = [?, 1]>
!sum = !tile.view<?x?xf32, strides = [?, 1]>

// CHECK-LABEL: func.func @small_sum
// CHECK-COUNT-3: tile_gpu.local_store
// CHECK:         tile_gpu.sync
// CHECK-COUNT-3: tile_gpu.local_load
// CHECK-NOT:     tile_gpu.sync
// CHECK:         tile_gpu.dot_mma
func.func @small_sum(%a: !operand, %b: !operand, %c: !sum) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %x = tile.load %a[%c0, %c0] : !operand -> tensor<64x64xf16>
  %y = tile.load %b[%c0, %c0] : !operand -> tensor<64x64xf16>
  %z = tile.load %c[%c0, %c0] : !sum -> tensor<64x64xf32>
  %d = tile.dot %x, %y, %z : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
  tile.store %d, %c[%c0, %c0] : tensor<64x64xf32>, !sum
  return
}

// All three together are 241136 bytes, more than a program may have.
// CHECK-LABEL: func.func @large_sum
// CHECK:         %[[SUMS:.*]] = tile_gpu.local_alloc {{.*}} : <192x208xf32
// CHECK:         tile_gpu.local_store %{{.*}}, %[[SUMS]]
// CHECK-NEXT:    tile_gpu.sync
// CHECK-NEXT:    tile_gpu.local_load %[[SUMS]]
// CHECK-COUNT-2: tile_gpu.local_store
// CHECK:         tile_gpu.sync
// CHECK-COUNT-2: tile_gpu.local_load
// CHECK:         tile_gpu.dot_mma
func.func @large_sum(%a: !operand, %b: !operand, %c: !sum) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %x = tile.load %a[%c0, %c0] : !operand -> tensor<192x96xf16>
  %y = tile.load %b[%c0, %c0] : !operand -> tensor<96x208xf16>
  %z = tile.load %c[%c0, %c0] : !sum -> tensor<192x208xf32>
  %d = tile.dot %x, %y, %z : tensor<192x96xf16>, tensor<96x208xf16> -> tensor<192x208xf32>
  tile.store %d, %c[%c0, %c0] : tensor<192x208xf32>, !sum
  return
}
