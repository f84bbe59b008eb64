// SPDX-License-Identifier: Apache-2.0
// RUN: tile-opt %s --canonicalize --cse | FileCheck %s

!v = !tile.view<?x?xf32, strides = [?, ?]>

// Two ordered loads of one place are two loads, also where nobody reads them.
// CHECK-LABEL: func @ordered_loads_stay
// CHECK-COUNT-2: tile.load_ptr
func.func @ordered_loads_stay(%p: !tile.ptr<f32>) {
  %a = tile.load_ptr %p sync(relaxed, sys) : !tile.ptr<f32>
  %b = tile.load_ptr %p sync(relaxed, sys) : !tile.ptr<f32>
  return
}

// CHECK-LABEL: func @atomics_stay
// CHECK: tile.atomic_rmw
// CHECK: tile.atomic_cas
func.func @atomics_stay(%p: !tile.ptr<i32>, %x: i32) {
  %a = tile.atomic_rmw add relaxed gpu %p, %x : !tile.ptr<i32>
  %b = tile.atomic_cas relaxed gpu %p, %x, %x : !tile.ptr<i32>
  return
}

// A transpose does not sink into a load whose place others name.
// CHECK-LABEL: func @ordered_load_keeps_its_view
// CHECK: tile.load %arg0
// CHECK: tile.permute
func.func @ordered_load_keeps_its_view(%v: !v, %i: index) -> tensor<8x4xf32> {
  %x, %t = tile.load %v[%i, %i] : !v -> tensor<4x8xf32>, !tile.token
  %y = tile.permute %x [1, 0] : tensor<4x8xf32> -> tensor<8x4xf32>
  tile.store %x, %v[%i, %i] after(%t) : tensor<4x8xf32>, !v
  return %y : tensor<8x4xf32>
}

// A store that writes nothing still releases.
// CHECK-LABEL: func @empty_release_stays
// CHECK: tile.store_ptr {{.*}} sync(release, gpu)
// CHECK-NOT: tile.store_ptr
func.func @empty_release_stays(%p: !tile.ptr<f32>, %x: f32) {
  %false = arith.constant false
  tile.store_ptr %x, %p mask %false sync(release, gpu) : !tile.ptr<f32>
  tile.store_ptr %x, %p mask %false : !tile.ptr<f32>
  return
}

// CHECK-LABEL: func @default_lists_go
// CHECK: tile.reduce_into fadd gpu %{{.*}}, %{{.*}}[%{{.*}}, %{{.*}}] : tensor
func.func @default_lists_go(%v: !v, %i: index, %x: tensor<4x8xf32>) {
  tile.reduce_into fadd gpu %x, %v[%i, %i] dims [0, 1] in_bounds [false, false] : tensor<4x8xf32>, !v
  return
}
