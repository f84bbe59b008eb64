// RUN: tile-opt %s --pass-pipeline="builtin.module(func.func(tile-assign-layouts{num-warps=4},tile-lower-to-buffers,tile-allocate-shared,tile-insert-sync))" | FileCheck %s
// RUN: tile-opt %s --pass-pipeline="builtin.module(func.func(tile-assign-layouts{num-warps=4},tile-lower-to-buffers))" --remarks-filter=tile-lower-to-buffers --remark-policy=all -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

!row = !tile.view<?xf32, strides = [1]>
!mat = !tile.view<?x?xf32, strides = [?, 1]>

// Parts side by side in registers, and taken out again: nothing moves.
// CHECK-LABEL: func.func @registers
// CHECK-NOT:     local_alloc
// CHECK:         tile.concat
// CHECK-NOT:     local_alloc
// CHECK:         tile.extract
// CHECK-NOT:     local_alloc
// CHECK:         tile.insert
// CHECK-NOT:     local_alloc
// CHECK:         return
func.func @registers(%x: !row, %y: !row) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c256 = arith.constant 256 : index
  %a = tile.load %x[%c0] : !row -> tensor<256xf32>
  %b = tile.load %x[%c256] : !row -> tensor<256xf32>
  %c = tile.concat %a, %b, %a, %b dim 0
      : tensor<256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256xf32> -> tensor<1024xf32>
  %d = arith.addf %c, %c : tensor<1024xf32>
  %e = tile.extract %d[%c1] : tensor<1024xf32> -> tensor<256xf32>
  %f = tile.insert %e, %d[%c2] : tensor<256xf32>, tensor<1024xf32>
  %g = tile.extract %f[%c1] : tensor<1024xf32> -> tensor<512xf32>
  tile.store %g, %y[%c0] : tensor<512xf32>, !row
  return
}

// One of few blocks, each whole registers, is chosen by selects.
// CHECK-LABEL: func.func @one_of_few
// CHECK-NOT:     local_alloc
// CHECK:         return
func.func @one_of_few(%x: !row, %y: !row, %i: index) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %a = tile.load %x[%c0] : !row -> tensor<1024xf32>
  %e = tile.extract %a[%i] : tensor<1024xf32> -> tensor<256xf32>
  tile.store %e, %y[%c0] : tensor<256xf32>, !row
  return
}

// Two parts of different extents: each is written to its place in one buffer, without a barrier between them.
// REMARK: Function=unequal | {{.*}}the parts of a concat are not whole registers of each thread of the result
// CHECK-LABEL: func.func @unequal
// CHECK:         %[[M:.*]] = tile_gpu.local_alloc
// CHECK:         %[[A:.*]] = tile_gpu.memdesc_block %[[M]] [0, 0] : <6x8xf32, {{.*}}> -> <2x8xf32
// CHECK:         tile_gpu.local_store %{{.*}}, %[[A]]
// CHECK-NOT:     tile_gpu.sync
// CHECK:         tile_gpu.local_store
// CHECK:         tile_gpu.sync
// CHECK:         tile_gpu.local_load %[[M]]
func.func @unequal(%x: !mat, %y: !mat) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %a = tile.load %x[%c0, %c0] : !mat -> tensor<2x8xf32>
  %b = tile.load %x[%c0, %c0] : !mat -> tensor<4x8xf32>
  %c = tile.concat %a, %b dim 0 : tensor<2x8xf32>, tensor<4x8xf32> -> tensor<6x8xf32>
  tile.store %c, %y[%c0, %c0] : tensor<6x8xf32>, !mat
  return
}

// The block is written to a buffer of its size; its number is kept inside the tile, whatever it is.
// REMARK: Function=dynamic | {{.*}}which block it is is known at run time only
// CHECK-LABEL: func.func @dynamic(
// CHECK-DAG:     %[[M:.*]] = tile_gpu.local_alloc {{.*}} : <8xf32
// CHECK-DAG:     %[[N:.*]] = arith.minui %{{.*}}, %{{.*}} : index
// CHECK-DAG:     %[[O:.*]] = arith.muli %[[N]], %{{.*}} : index
// CHECK:         tile_gpu.local_store_block %{{.*}}[%[[O]]], %[[M]]
// CHECK:         tile_gpu.sync
// CHECK:         tile_gpu.local_load %[[M]]
func.func @dynamic(%x: !row, %y: !row, %i: index) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %a = tile.load %x[%c0] : !row -> tensor<1024xf32>
  %e = tile.extract %a[%i] : tensor<1024xf32> -> tensor<8xf32>
  tile.store %e, %y[%c0] : tensor<8xf32>, !row
  return
}

// Lanes hold what is cut: the block through memory, and into the registers of those that hold its place.
// REMARK: Function=lanes | {{.*}}the block is not whole registers of each thread
// CHECK-LABEL: func.func @lanes
// CHECK:         %[[M:.*]] = tile_gpu.local_alloc {{.*}} : <8xf32
// CHECK:         tile_gpu.local_store %{{.*}}, %[[M]]
// CHECK:         tile_gpu.sync
// CHECK:         tile_gpu.local_load_block %[[M]], %{{.*}}[%{{.*}}]
func.func @lanes(%x: !row, %y: !row) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %a = tile.load %x[%c0] : !row -> tensor<128xf32>
  %b = tile.load %y[%c0] : !row -> tensor<8xf32>
  %r = tile.insert %b, %a[%c3] : tensor<8xf32>, tensor<128xf32>
  tile.store %r, %y[%c0] : tensor<128xf32>, !row
  return
}
