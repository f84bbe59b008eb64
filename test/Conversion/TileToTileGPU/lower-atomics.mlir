// SPDX-License-Identifier: Apache-2.0
// RUN: tile-opt %s --tile-assign-layouts=num-warps=2 --tile-lower-to-buffers --tile-allocate-shared --tile-insert-sync | FileCheck %s

// One thread updates, all are told; an acquire holds back the whole program until it has been done.
// CHECK-LABEL: func @scalar
// CHECK-NOT:   tile_gpu.sync
// CHECK:       %[[OLD:.*]] = tile.atomic_rmw add acquire gpu {{.*}} : tensor<1x!tile.ptr<i32>
// CHECK:       tile_gpu.local_store %[[OLD]]
// CHECK-NEXT:  tile_gpu.sync
// CHECK-NEXT:  %[[ALL:.*]] = tile_gpu.local_load
// CHECK:       tile.to_scalar %[[ALL]]
func.func @scalar(%p: !tile.ptr<i32>, %x: i32, %q: !tile.ptr<i32>) attributes {tile.kernel} {
  %old = tile.atomic_rmw add acquire gpu %p, %x : !tile.ptr<i32>
  tile.store_ptr %old, %q : !tile.ptr<i32>
  return
}

// Each element has one thread here: nothing travels. A release waits for all.
// CHECK-LABEL: func @tile
// CHECK:       tile_gpu.sync
// CHECK:       tile.atomic_rmw add release gpu
// CHECK-NOT:   tile_gpu.local_store
// CHECK-NOT:   tile_gpu.sync
func.func @tile(%p: !tile.ptr<i32>, %q: !tile.ptr<i32> {tile.noalias}) attributes {tile.kernel} {
  %i = tile.iota : tensor<64xi32>
  %ps = tile.splat %p : !tile.ptr<i32> -> tensor<64x!tile.ptr<i32>>
  %pi = tile.ptr_add %ps, %i : tensor<64x!tile.ptr<i32>>, tensor<64xi32>
  %qs = tile.splat %q : !tile.ptr<i32> -> tensor<64x!tile.ptr<i32>>
  %qi = tile.ptr_add %qs, %i : tensor<64x!tile.ptr<i32>>, tensor<64xi32>
  %old = tile.atomic_rmw add release gpu %pi, %i : tensor<64x!tile.ptr<i32>>
  tile.store_ptr %old, %qi : tensor<64x!tile.ptr<i32>>
  return
}

// Sums of one kind may be made in any order; a maximum must not come between.
// CHECK-LABEL: func @order
// CHECK:       tile.load
// CHECK:       tile.reduce_into add
// CHECK-NOT:   tile_gpu.sync
// CHECK:       tile.reduce_into add
// CHECK-NEXT:  tile_gpu.sync
// CHECK-NEXT:  tile.reduce_into smax
// CHECK-NEXT:  tile_gpu.sync
// CHECK-NEXT:  tile.load
func.func @order(%v: !tile.view<?xi32, strides = [1]>, %w: !tile.view<?xi32, strides = [1]> {tile.noalias}, %i: index)
    attributes {tile.kernel} {
  %x = tile.load %w[%i] : !tile.view<?xi32, strides = [1]> -> tensor<64xi32>
  tile.reduce_into add gpu %x, %v[%i] : tensor<64xi32>, !tile.view<?xi32, strides = [1]>
  tile.reduce_into add gpu %x, %v[%i] : tensor<64xi32>, !tile.view<?xi32, strides = [1]>
  tile.reduce_into smax gpu %x, %v[%i] : tensor<64xi32>, !tile.view<?xi32, strides = [1]>
  %y = tile.load %v[%i] : !tile.view<?xi32, strides = [1]> -> tensor<64xi32>
  tile.store %y, %w[%i] : tensor<64xi32>, !tile.view<?xi32, strides = [1]>
  return
}

// A flag is read by one thread, so that all go the same way.
// CHECK-LABEL: func @flag
// CHECK:       scf.while
// CHECK:       tile.load_ptr {{.*}} sync(acquire, gpu) : tensor<1x!tile.ptr<i32>
// CHECK:       tile_gpu.local_store
// CHECK-NEXT:  tile_gpu.sync
// CHECK-NEXT:  tile_gpu.local_load
// CHECK:       scf.condition
func.func @flag(%p: !tile.ptr<i32>) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  scf.while : () -> () {
    %f = tile.load_ptr %p sync(acquire, gpu) : !tile.ptr<i32>
    %unset = arith.cmpi eq, %f, %zero : i32
    scf.condition(%unset)
  } do {
    scf.yield
  }
  return
}
