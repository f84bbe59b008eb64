// Folds and canonical forms, and what they leave alone.
// RUN: tile-opt %s -canonicalize="test-convergence" | FileCheck %s

// CHECK-LABEL: func.func @splat_of_constant
func.func @splat_of_constant() -> (tensor<3xf32>, tensor<3xf8E5M2>, tensor<3xi1>, tensor<3xi4>, tensor<3xtf32>) {
  // CHECK-DAG: arith.constant dense<-0.000000e+00> : tensor<3xf32>
  // CHECK-DAG: arith.constant dense<1.500000e+00> : tensor<3xf8E5M2>
  // CHECK-DAG: arith.constant dense<true> : tensor<3xi1>
  // CHECK-DAG: arith.constant dense<-3> : tensor<3xi4>
  // CHECK-DAG: arith.constant dense<2.000000e+00> : tensor<3xtf32>
  // CHECK-NOT: tile.splat
  %a = arith.constant -0.0 : f32
  %b = arith.constant 1.5 : f8E5M2
  %c = arith.constant true
  %d = arith.constant -3 : i4
  %e = arith.constant 2.0 : tf32
  %0 = tile.splat %a : f32 -> tensor<3xf32>
  %1 = tile.splat %b : f8E5M2 -> tensor<3xf8E5M2>
  %2 = tile.splat %c : i1 -> tensor<3xi1>
  %3 = tile.splat %d : i4 -> tensor<3xi4>
  %4 = tile.splat %e : tf32 -> tensor<3xtf32>
  return %0, %1, %2, %3, %4 : tensor<3xf32>, tensor<3xf8E5M2>, tensor<3xi1>, tensor<3xi4>, tensor<3xtf32>
}

// CHECK-LABEL: func.func @shapes_of_splat
// CHECK-SAME:    %[[S:.*]]: f32
func.func @shapes_of_splat(%s: f32) -> (tensor<4x8xf32>, tensor<4xf32>, tensor<1x4xf32>, f32) {
  // CHECK-DAG: %[[B:.*]] = tile.splat %[[S]] : f32 -> tensor<4x8xf32>
  // CHECK-DAG: %[[R:.*]] = tile.splat %[[S]] : f32 -> tensor<4xf32>
  // CHECK-DAG: %[[P:.*]] = tile.splat %[[S]] : f32 -> tensor<1x4xf32>
  // CHECK: return %[[B]], %[[R]], %[[P]], %[[S]]
  %0 = tile.splat %s : f32 -> tensor<4x1xf32>
  %1 = tile.broadcast %0 : tensor<4x1xf32> -> tensor<4x8xf32>
  %2 = tile.reshape %0 : tensor<4x1xf32> -> tensor<4xf32>
  %3 = tile.permute %0 [1, 0] : tensor<4x1xf32> -> tensor<1x4xf32>
  %4 = tile.splat %s : f32 -> tensor<1x1xf32>
  %5 = tile.to_scalar %4 : tensor<1x1xf32>
  return %1, %2, %3, %5 : tensor<4x8xf32>, tensor<4xf32>, tensor<1x4xf32>, f32
}

// CHECK-LABEL: func.func @shapes_of_constant
func.func @shapes_of_constant() -> (tensor<4x8xi32>, tensor<4xi32>, tensor<1x4xi32>, i32) {
  // CHECK-DAG: arith.constant dense<7> : tensor<4x8xi32>
  // CHECK-DAG: arith.constant dense<7> : tensor<4xi32>
  // CHECK-DAG: arith.constant dense<7> : tensor<1x4xi32>
  // CHECK-DAG: arith.constant 9 : i32
  // CHECK-NOT: tile.
  %0 = arith.constant dense<7> : tensor<4x1xi32>
  %1 = tile.broadcast %0 : tensor<4x1xi32> -> tensor<4x8xi32>
  %2 = tile.reshape %0 : tensor<4x1xi32> -> tensor<4xi32>
  %3 = tile.permute %0 [1, 0] : tensor<4x1xi32> -> tensor<1x4xi32>
  %4 = arith.constant dense<9> : tensor<1xi32>
  %5 = tile.to_scalar %4 : tensor<1xi32>
  return %1, %2, %3, %5 : tensor<4x8xi32>, tensor<4xi32>, tensor<1x4xi32>, i32
}

// A constant that is no splat stays: its permuted copy would cost memory for every use.
// CHECK-LABEL: func.func @no_splat
func.func @no_splat() -> tensor<2x1xi32> {
  // CHECK: tile.permute
  %0 = arith.constant dense<[[1, 2]]> : tensor<1x2xi32>
  %1 = tile.permute %0 [1, 0] : tensor<1x2xi32> -> tensor<2x1xi32>
  return %1 : tensor<2x1xi32>
}

// CHECK-LABEL: func.func @chains
// CHECK-SAME:    %[[T:.*]]: tensor<2x3x4xf32>, %[[U:.*]]: tensor<1x1xf32>
func.func @chains(%t: tensor<2x3x4xf32>, %u: tensor<1x1xf32>)
    -> (tensor<24xf32>, tensor<2x3x4xf32>, tensor<4x3x2xf32>, tensor<2x3x4xf32>, tensor<4x5xf32>) {
  // CHECK-DAG: %[[R:.*]] = tile.reshape %[[T]] : tensor<2x3x4xf32> -> tensor<24xf32>
  // CHECK-DAG: %[[P:.*]] = tile.permute %[[T]] [2, 1, 0] : tensor<2x3x4xf32> -> tensor<4x3x2xf32>
  // CHECK-DAG: %[[B:.*]] = tile.broadcast %[[U]] : tensor<1x1xf32> -> tensor<4x5xf32>
  // CHECK: return %[[R]], %[[T]], %[[P]], %[[T]], %[[B]]
  %0 = tile.reshape %t : tensor<2x3x4xf32> -> tensor<6x4xf32>
  %1 = tile.reshape %0 : tensor<6x4xf32> -> tensor<24xf32>
  %2 = tile.reshape %1 : tensor<24xf32> -> tensor<2x3x4xf32>
  %3 = tile.permute %t [1, 2, 0] : tensor<2x3x4xf32> -> tensor<3x4x2xf32>
  %4 = tile.permute %3 [1, 0, 2] : tensor<3x4x2xf32> -> tensor<4x3x2xf32>
  %5 = tile.permute %4 [2, 1, 0] : tensor<4x3x2xf32> -> tensor<2x3x4xf32>
  %6 = tile.broadcast %u : tensor<1x1xf32> -> tensor<4x1xf32>
  %7 = tile.broadcast %6 : tensor<4x1xf32> -> tensor<4x5xf32>
  return %1, %2, %4, %5, %7 : tensor<24xf32>, tensor<2x3x4xf32>, tensor<4x3x2xf32>, tensor<2x3x4xf32>, tensor<4x5xf32>
}

// CHECK-LABEL: func.func @pointers
// CHECK-SAME:    %[[P:.*]]: !tile.ptr<f32>, %[[Q:.*]]: tensor<4x!tile.ptr<f32>>
func.func @pointers(%p: !tile.ptr<f32>, %q: tensor<4x!tile.ptr<f32>>)
    -> (!tile.ptr<f32>, tensor<4x!tile.ptr<f32>>, !tile.ptr<f32>, !tile.ptr<i32>) {
  // CHECK-NEXT: %[[C:.*]] = tile.ptr_cast %[[P]] : !tile.ptr<f32> to !tile.ptr<i32>
  // CHECK-NEXT: return %[[P]], %[[Q]], %[[P]], %[[C]]
  %c0 = arith.constant 0 : index
  %z = arith.constant dense<0> : tensor<4xi32>
  %0 = tile.ptr_add %p, %c0 : !tile.ptr<f32>, index
  %1 = tile.ptr_add %q, %z : tensor<4x!tile.ptr<f32>>, tensor<4xi32>
  %2 = tile.ptr_cast %p : !tile.ptr<f32> to i64
  %3 = tile.ptr_cast %2 : i64 to !tile.ptr<f32>
  %4 = tile.ptr_cast %2 : i64 to !tile.ptr<i32>
  return %0, %1, %3, %4 : !tile.ptr<f32>, tensor<4x!tile.ptr<f32>>, !tile.ptr<f32>, !tile.ptr<i32>
}

// A store does not let a pointer through an integer fold away the integer itself.
// CHECK-LABEL: func.func @integer_through_pointer
// CHECK-SAME:    %[[I:.*]]: i64
func.func @integer_through_pointer(%i: i64) -> i64 {
  // CHECK-NEXT: return %[[I]]
  %0 = tile.ptr_cast %i : i64 to !tile.ptr<f32>
  %1 = tile.ptr_cast %0 : !tile.ptr<f32> to i64
  return %1 : i64
}

!v = !tile.view<?x8x?xf32, strides = [?, 3, 1]>
!w = !tile.view<?x?x8xf32, strides = [1, ?, 3]>
!w2 = !tile.view<8x?x?xf32, strides = [3, ?, 1]>

// CHECK-LABEL: func.func @view_queries
// CHECK-SAME:    %[[P:.*]]: !tile.ptr<f32>, %[[M:.*]]: index, %[[N:.*]]: index, %[[S:.*]]: index, %[[V:.*]]: !tile.view<
func.func @view_queries(%p: !tile.ptr<f32>, %m: index, %n: index, %s: index, %arg: !v)
    -> (index, index, index, index, index, !tile.ptr<f32>, index) {
  // CHECK-DAG: %[[C3:.*]] = arith.constant 3 : index
  // CHECK-DAG: %[[C8:.*]] = arith.constant 8 : index
  // CHECK-DAG: %[[SIZE:.*]] = tile.view_size %[[V]], 2
  // CHECK: return %[[N]], %[[C8]], %[[M]], %[[S]], %[[C3]], %[[P]], %[[SIZE]]
  %v = tile.make_view %p, sizes [%m, %n] strides [%s] : !v
  %w = tile.permute_view %v [2, 0, 1] : !v to !w
  %0 = tile.view_size %w, 0 : !w
  %1 = tile.view_size %arg, 1 : !v
  %2 = tile.view_size %w, 1 : !w
  %3 = tile.view_stride %w, 1 : !w
  %4 = tile.view_stride %w, 2 : !w
  %5 = tile.view_base %w : !w -> !tile.ptr<f32>
  %6 = tile.permute_view %arg [2, 0, 1] : !v to !w
  %7 = tile.view_size %6, 0 : !w
  // The query looks through the permutation, but an argument's size is not known.
  %8 = tile.view_size %arg, 2 : !v
  return %0, %1, %2, %3, %4, %5, %8 : index, index, index, index, index, !tile.ptr<f32>, index
}

// CHECK-LABEL: func.func @views
// CHECK-SAME:    %[[P:.*]]: !tile.ptr<f32>, %[[M:.*]]: index, %[[N:.*]]: index, %[[S:.*]]: index, %[[V:.*]]: !tile.view<
func.func @views(%p: !tile.ptr<f32>, %m: index, %n: index, %s: index, %arg: !v) -> (!w, !v, !w2) {
  // CHECK-DAG: %[[W:.*]] = tile.make_view %[[P]], sizes [%[[N]], %[[M]]] strides [%[[S]]] : !tile.view<?x?x8xf32, strides = [1, ?, 3]>
  // CHECK-DAG: %[[W2:.*]] = tile.permute_view %[[V]] [1, 0, 2] : {{.*}} to !tile.view<8x?x?xf32, strides = [3, ?, 1]>
  // CHECK: return %[[W]], %[[V]], %[[W2]]
  %v = tile.make_view %p, sizes [%m, %n] strides [%s] : !v
  %w = tile.permute_view %v [2, 0, 1] : !v to !w
  %0 = tile.permute_view %arg [2, 0, 1] : !v to !w
  %1 = tile.permute_view %0 [1, 2, 0] : !w to !v
  %2 = tile.permute_view %0 [2, 1, 0] : !w to !w2
  return %w, %1, %2 : !w, !v, !w2
}

!q = !tile.view<?x?x?x?xf16, strides = [?, ?, ?, 1]>

// CHECK-LABEL: func.func @permute_of_load
// CHECK-SAME:    %[[Q:.*]]: !tile.view<?x?x?x?xf16, strides = [?, ?, ?, 1]>, %[[A:.*]]: index, %[[B:.*]]: index, %[[C:.*]]: index, %[[D:.*]]: index
func.func @permute_of_load(%q: !q, %a: index, %b: index, %c: index, %d: index) -> tensor<8x2x4xf16> {
  // CHECK: %[[V:.*]] = tile.permute_view %[[Q]] [3, 1, 0, 2] : {{.*}} to !tile.view<?x?x?x?xf16, strides = [1, ?, ?, ?]>
  // CHECK: %[[L:.*]] = tile.load %[[V]][%[[D]], %[[B]], %[[A]], %[[C]]] dims [0, 2, 3] in_bounds [true, true, false, false] pad(nan) {tile.latency = 2 : i64}
  // CHECK-SAME: -> tensor<8x2x4xf16>
  // CHECK-NEXT: return %[[L]]
  %0 = tile.load %q[%a, %b, %c, %d] dims [0, 2, 3] in_bounds [false, true, false, true] pad(nan) {tile.latency = 2} : !q -> tensor<2x4x8xf16>
  %1 = tile.permute %0 [2, 0, 1] : tensor<2x4x8xf16> -> tensor<8x2x4xf16>
  return %1 : tensor<8x2x4xf16>
}

// The memory is read where it was, before the store.
!m = !tile.view<?x?xf16, strides = [?, 1]>
// CHECK-LABEL: func.func @load_keeps_its_place
func.func @load_keeps_its_place(%m: !m, %a: index, %t: tensor<4x8xf16>) -> tensor<8x4xf16> {
  // CHECK: tile.load
  // CHECK-NEXT: tile.store
  // CHECK-NEXT: return
  %0 = tile.load %m[%a, %a] : !m -> tensor<4x8xf16>
  tile.store %t, %m[%a, %a] : tensor<4x8xf16>, !m
  %1 = tile.permute %0 [1, 0] : tensor<4x8xf16> -> tensor<8x4xf16>
  return %1 : tensor<8x4xf16>
}

// Two uses of the load: a second load would read memory twice.
// CHECK-LABEL: func.func @load_with_two_uses
func.func @load_with_two_uses(%m: !m, %a: index) -> (tensor<4x8xf16>, tensor<8x4xf16>) {
  // CHECK: tile.load
  // CHECK-NEXT: tile.permute
  // CHECK-NEXT: return
  %0 = tile.load %m[%a, %a] : !m -> tensor<4x8xf16>
  %1 = tile.permute %0 [1, 0] : tensor<4x8xf16> -> tensor<8x4xf16>
  return %0, %1 : tensor<4x8xf16>, tensor<8x4xf16>
}

// Element (i, j, k) of the tile goes to [c + i of dim 2, a + j of dim 0, d + k of dim 3].
// CHECK-LABEL: func.func @store_of_permute
// CHECK-SAME:    %[[Q:.*]]: !tile.view<?x?x?x?xf16, strides = [?, ?, ?, 1]>, %[[A:.*]]: index, %[[B:.*]]: index, %[[C:.*]]: index, %[[D:.*]]: index, %[[T:.*]]: tensor
func.func @store_of_permute(%q: !q, %a: index, %b: index, %c: index, %d: index, %t: tensor<4x8x2xf16>) {
  // CHECK: %[[V:.*]] = tile.permute_view %[[Q]] [2, 1, 3, 0]
  // CHECK: tile.store %[[T]], %[[V]][%[[C]], %[[B]], %[[D]], %[[A]]] dims [0, 2, 3] in_bounds [true, false, false, false] : tensor<4x8x2xf16>
  %0 = tile.permute %t [2, 0, 1] : tensor<4x8x2xf16> -> tensor<2x4x8xf16>
  tile.store %0, %q[%a, %b, %c, %d] dims [0, 2, 3] in_bounds [false, false, true, false] : tensor<2x4x8xf16>, !q
  return
}

// CHECK-LABEL: func.func @one_form
func.func @one_form(%m: !m, %a: index) -> (tensor<4x8xf16>, tensor<4xf16>) {
  // CHECK: tile.load %{{.*}}[%{{.*}}, %{{.*}}] in_bounds [true, true] : !tile.view
  %0 = tile.load %m[%a, %a] dims [0, 1] in_bounds [true, true] pad(zero) : !m -> tensor<4x8xf16>
  // The index along dim 0 is still checked, so the pad stays.
  // CHECK: tile.load %{{.*}}[%{{.*}}, %{{.*}}] dims [1] in_bounds [false, true] pad(zero) : !tile.view
  %1 = tile.load %m[%a, %a] dims [1] in_bounds [false, true] pad(zero) : !m -> tensor<4xf16>
  // CHECK: tile.store %{{.*}}, %{{.*}}[%{{.*}}, %{{.*}}] : tensor
  tile.store %0, %m[%a, %a] dims [0, 1] in_bounds [false, false] : tensor<4x8xf16>, !m
  return %0, %1 : tensor<4x8xf16>, tensor<4xf16>
}

// CHECK-LABEL: func.func @constant_masks
func.func @constant_masks(%p: !tile.ptr<f32>, %q: tensor<4x!tile.ptr<f32>>, %x: tensor<4xf32>) -> (f32, f32) {
  %yes = arith.constant true
  %no = arith.constant false
  %none = arith.constant dense<false> : tensor<4xi1>
  %some = arith.constant dense<[true, false, true, true]> : tensor<4xi1>
  %o = arith.constant 1.0 : f32
  // CHECK: tile.load_ptr %{{.*}} : !tile.ptr<f32>
  %0 = tile.load_ptr %p mask %yes other %o : !tile.ptr<f32>
  // CHECK: tile.load_ptr %{{.*}} mask %{{.*}} : !tile.ptr<f32>
  %1 = tile.load_ptr %p mask %no : !tile.ptr<f32>
  // CHECK-NEXT: tile.store_ptr %{{.*}}, %{{.*}} mask %{{.*}} : tensor<4x!tile.ptr<f32>>
  // CHECK-NEXT: return
  tile.store_ptr %x, %q mask %none : tensor<4x!tile.ptr<f32>>
  tile.store_ptr %x, %q mask %some : tensor<4x!tile.ptr<f32>>
  return %0, %1 : f32, f32
}

// A promise may be false where it does not run, so it does not move; nobody needs an unused one.
// CHECK-LABEL: func.func @unused_assume
func.func @unused_assume(%n: index) -> index {
  // CHECK-NEXT: return
  %0 = tile.assume %n min 0 : index
  return %n : index
}
