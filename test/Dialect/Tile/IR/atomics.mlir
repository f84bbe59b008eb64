// SPDX-License-Identifier: Apache-2.0
// RUN: tile-opt %s | FileCheck %s
// RUN: tile-opt %s | tile-opt | FileCheck %s
// RUN: tile-opt %s --mlir-print-op-generic | tile-opt | FileCheck %s

!q = !tile.view<?x?x?x64xf16, strides = [?, ?, 64, 1]>
!w = !tile.view<?x128xf32, strides = [128, 1]>

// CHECK-LABEL: func @views
func.func @views(%q: !q, %b: index, %h: index, %s: index, %w: !w, %g: tensor<64x128xf32>, %z: tensor<128x64xf16>,
                 %p0: !tile.ptr<i32>) {
  %c0 = arith.constant 0 : index
  // CHECK: tile.reduce_into fadd gpu %{{.*}}, %{{.*}}[%{{.*}}, %{{.*}}] in_bounds [false, true] : tensor<64x128xf32>, !tile.view
  tile.reduce_into fadd gpu %g, %w[%s, %c0] in_bounds [false, true] : tensor<64x128xf32>, !w
  // CHECK: %[[NONE:.*]] = tile.join_tokens()
  %t = tile.join_tokens()
  // CHECK: %{{.*}}, %[[DONE:.*]] = tile.load %{{.*}} dims [2, 3] pad(zero) sync(acquire, gpu) after(%[[NONE]]) : !tile.view<{{.*}}> -> tensor<128x64xf16>, !tile.token
  %y, %done = tile.load %q[%b, %h, %s, %c0] dims [2, 3] pad(zero) sync(acquire, gpu) after(%t) : !q -> tensor<128x64xf16>, !tile.token
  // CHECK: %[[STORED:.*]] = tile.store %{{.*}} dims [2, 3] sync(release, sys) after(%[[DONE]]) : tensor<128x64xf16>, !tile.view<{{.*}}> -> !tile.token
  %stored = tile.store %z, %q[%b, %h, %s, %c0] dims [2, 3] sync(release, sys) after(%done) : tensor<128x64xf16>, !q -> !tile.token
  // CHECK: %[[BOTH:.*]] = tile.join_tokens(%[[DONE]], %[[STORED]])
  %both = tile.join_tokens(%done, %stored)
  // CHECK: tile.reduce_into smax cta %{{.*}} after(%[[BOTH]]) : tensor<8xi32>, !tile.view<?xi32, strides = [1]> -> !tile.token
  %i = arith.constant dense<1> : tensor<8xi32>
  %v = tile.make_view %p0, sizes [%s] strides [] : !tile.view<?xi32, strides = [1]>
  %last = tile.reduce_into smax cta %i, %v[%s] after(%both) : tensor<8xi32>, !tile.view<?xi32, strides = [1]> -> !tile.token
  return
}

// CHECK-LABEL: func @pointers
func.func @pointers(%q: tensor<256x!tile.ptr<f32>>, %m: tensor<256xi1>, %v: tensor<256xf32>, %lock: !tile.ptr<i32>,
                    %wide: !tile.ptr<i64>, %x: i64) {
  // CHECK: %[[OLD:.*]] = tile.atomic_rmw fadd relaxed gpu %{{.*}}, %{{.*}} mask %{{.*}} : tensor<256x!tile.ptr<f32>>
  %old = tile.atomic_rmw fadd relaxed gpu %q, %v mask %m : tensor<256x!tile.ptr<f32>>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // CHECK: %{{.*}}, %[[T:.*]] = tile.atomic_cas acq_rel gpu %{{.*}}, %{{.*}}, %{{.*}} : !tile.ptr<i32>, !tile.token
  %was, %t = tile.atomic_cas acq_rel gpu %lock, %c0, %c1 : !tile.ptr<i32>, !tile.token
  // CHECK: tile.atomic_rmw umin release sys %{{.*}}, %{{.*}} after(%[[T]]) : !tile.ptr<i64>
  %min = tile.atomic_rmw umin release sys %wide, %x after(%t) : !tile.ptr<i64>
  // CHECK: tile.load_ptr %{{.*}} mask %{{.*}} other %[[OLD]] sync(relaxed, sys) after(%[[T]]) : tensor<256x!tile.ptr<f32>>, !tile.token
  %y, %t1 = tile.load_ptr %q mask %m other %old sync(relaxed, sys) after(%t) : tensor<256x!tile.ptr<f32>>, !tile.token
  // CHECK: tile.store_ptr %{{.*}}, %{{.*}} mask %{{.*}} sync(release, cta) after(%{{.*}}) : tensor<256x!tile.ptr<f32>> -> !tile.token
  %t2 = tile.store_ptr %y, %q mask %m sync(release, cta) after(%t1) : tensor<256x!tile.ptr<f32>> -> !tile.token
  // CHECK: tile.store_ptr %{{.*}}, %{{.*}} : !tile.ptr<i32>
  tile.store_ptr %c1, %lock : !tile.ptr<i32>
  return
}
