// SPDX-License-Identifier: Apache-2.0
// RUN: tile-opt %s --split-input-file --tile-specialize-even-k | FileCheck %s
// RUN: tile-opt %s --split-input-file --tile-specialize-even-k="mode=peel" | FileCheck %s --check-prefix=PEEL
// RUN: tile-opt %s --split-input-file --tile-specialize-even-k="mode=guard max-variants=2" | FileCheck %s --check-prefix=GUARD
// RUN: tile-opt %s --split-input-file --tile-specialize-even-k="mode=peel" --tile-specialize-even-k="mode=peel" | FileCheck %s --check-prefix=PEEL

// Two variants: whole tiles along all dimensions, and whole steps along K. The first asks for what the second asks, and
// for more.
// CHECK-LABEL: func.func private @matmul__even_guard(
// CHECK-SAME:    %[[A:.*]]: !tile.view<?x?xf16, strides = [?, 1]>, %[[B:.*]]: !tile.view<?x?xf16, strides = [?, 1]>, %[[C:.*]]: !tile.view<?x?xf16, strides = [?, 1]>) -> i1
// CHECK-DAG:     %[[MC:.*]] = tile.view_size %[[C]], 0
// CHECK-DAG:     arith.remsi %[[MC]], %c128
// CHECK-DAG:     %[[K:.*]] = tile.view_size %[[A]], 1
// CHECK-DAG:     arith.remsi %[[K]], %c64
// CHECK:         %[[MA:.*]] = tile.view_size %[[A]], 0
// CHECK:         arith.cmpi eq
// CHECK:         return
// CHECK:       func.func @matmul__even(
// CHECK-SAME:    tile.sizes_div_by = array<i64: 1, 64>
// CHECK-SAME:    tile.sizes_div_by = array<i64: 128, 128>
// CHECK-SAME:    tile.grid = @matmul__even_grid, tile.guard = @matmul__even_guard, tile.kernel, tile.occupancy = 1 : i64, tile.variant_of = @matmul
// CHECK:         tile.load %{{.*}} in_bounds [true, true]
// CHECK:         tile.load %{{.*}} in_bounds [true, true]
// CHECK:         tile.store %{{.*}} in_bounds [true, true]
// CHECK:       func.func private @matmul__even_grid(
// CHECK:       func.func private @matmul__even_steps_guard(
// CHECK-NOT:     arith.constant 128
// CHECK:       func.func @matmul__even_steps(
// CHECK:         tile.load %{{.*}} in_bounds [false, true]
// CHECK:         tile.load %{{.*}} in_bounds [true, false]
// CHECK:         tile.store %{{.*}}] : tensor
// The kernel itself stays.
// CHECK:       func.func @matmul(
// CHECK-NOT:     in_bounds
// CHECK-NOT:     scf.if
// CHECK:       func.func @matmul_grid
// GUARD:       func.func @matmul__even(
// GUARD-NOT:   func.func @matmul__even_steps(
//
// Or the last step, which may be partial, behind whole ones.
// PEEL-NOT:    matmul__even
// PEEL-LABEL:  func.func @matmul(
// PEEL:          %[[K:.*]] = tile.view_size %{{.*}}, 1
// PEEL:          %[[STEPS:.*]] = arith.divsi %[[K]], %[[S:.*]] : index
// PEEL:          %[[MAIN:.*]] = arith.muli %[[STEPS]], %[[S]] overflow<nsw>
// PEEL:          %[[SUM:.*]] = scf.for %{{.*}} to %[[MAIN]] step %[[S]]
// PEEL:            tile.load %{{.*}} in_bounds [false, true]
// PEEL:            tile.load %{{.*}}] pad(zero)
// PEEL:          %[[LEFT:.*]] = arith.cmpi slt, %[[MAIN]], %[[K]]
// PEEL:          %[[ALL:.*]] = scf.if %[[LEFT]]
// PEEL:            tile.load %{{.*}}[%{{.*}}, %[[MAIN]]] pad(zero)
// PEEL:            tile.load %{{.*}}[%[[MAIN]], %{{.*}}] pad(zero)
// PEEL:            tile.dot %{{.*}}, %{{.*}}, %[[SUM]]
// PEEL:          } else {
// PEEL:            scf.yield %[[SUM]]
// PEEL:          arith.truncf %[[ALL]]
!mat = !tile.view<?x?xf16, strides = [?, 1]>
func.func @matmul(%a: !mat {tile.name = "a"}, %b: !mat {tile.name = "b"}, %c: !mat {tile.name = "c"})
    attributes {tile.kernel, tile.grid = @matmul_grid} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %k = tile.view_size %a, 1 : !mat
  %x = tile.program_id x
  %y = tile.program_id y
  %i = arith.muli %x, %c128 overflow<nsw> : index
  %j = arith.muli %y, %c128 overflow<nsw> : index
  %sum = scf.for %kk = %c0 to %k step %c64 iter_args(%acc = %zero) -> (tensor<128x128xf32>) {
    %lhs = tile.load %a[%i, %kk] pad(zero) : !mat -> tensor<128x64xf16>
    %rhs = tile.load %b[%kk, %j] pad(zero) : !mat -> tensor<64x128xf16>
    %next = tile.dot %lhs, %rhs, %acc : tensor<128x64xf16>, tensor<64x128xf16> -> tensor<128x128xf32>
    scf.yield %next : tensor<128x128xf32>
  }
  %result = arith.truncf %sum : tensor<128x128xf32> to tensor<128x128xf16>
  tile.store %result, %c[%i, %j] : tensor<128x128xf16>, !mat
  return
}
func.func @matmul_grid(%a: !mat, %b: !mat, %c: !mat) -> (index, index) {
  %c128 = arith.constant 128 : index
  %m = tile.view_size %c, 0 : !mat
  %n = tile.view_size %c, 1 : !mat
  %x = arith.ceildivsi %m, %c128 : index
  %y = arith.ceildivsi %n, %c128 : index
  return %x, %y : index, index
}

// -----

// A variant is refined by a clone of it: unit strides stay, and its guard is part of the new one. The launcher finds the
// better one first.
// CHECK-LABEL: func.func private @given__fast_even_guard(
// CHECK-SAME:    strides = [?]>
// CHECK:         tile.view_stride
// CHECK:         arith.remsi
// CHECK:         arith.andi
// CHECK:       func.func @given__fast_even(%{{.*}}: !tile.view<?xf32, strides = [1]> {tile.sizes_div_by = array<i64: 32>}
// CHECK-SAME:    tile.variant_of = @given
// CHECK:         tile.load %{{.*}} in_bounds [true]
// CHECK:       func.func @given__fast(
// CHECK:         tile.load
// CHECK-NOT:     in_bounds
// CHECK:       func.func @given(
!any = !tile.view<?xf32, strides = [?]>
!row = !tile.view<?xf32, strides = [1]>
func.func private @given_guard(%v: !any) -> i1 {
  %c1 = arith.constant 1 : index
  %s = tile.view_stride %v, 0 : !any
  %is = arith.cmpi eq, %s, %c1 : index
  return %is : i1
}
func.func @given__fast(%v: !row) attributes {tile.kernel, tile.variant_of = @given, tile.guard = @given_guard} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %n = tile.view_size %v, 0 : !row
  scf.for %i = %c0 to %n step %c32 {
    %x = tile.load %v[%i] : !row -> tensor<32xf32>
    %y = arith.addf %x, %x : tensor<32xf32>
    tile.store %y, %v[%i] : tensor<32xf32>, !row
  }
  return
}
func.func @given(%v: !any) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %n = tile.view_size %v, 0 : !any
  scf.for %i = %c0 to %n step %c32 {
    %x = tile.load %v[%i] : !any -> tensor<32xf32>
    %y = arith.addf %x, %x : tensor<32xf32>
    tile.store %y, %v[%i] : tensor<32xf32>, !any
  }
  return
}

// -----

// What is proved needs neither; a bound that memory gives cannot be tested by a host, so that the loop is peeled.
// CHECK-NOT:   proved__even
// CHECK-LABEL: func.func @proved(
// CHECK:         tile.load %{{.*}} in_bounds [true]
// CHECK-NOT:     scf.if
// CHECK-LABEL: func.func @from_memory(
// CHECK:         %[[D:.*]] = arith.index_cast
// CHECK:         %[[Q:.*]] = arith.floordivsi %[[D]], %[[S:.*]] : index
// CHECK:         %[[MAIN:.*]] = arith.muli %[[Q]], %[[S]] overflow<nsw>
// CHECK:         scf.for %{{.*}} to %[[MAIN]] step
// CHECK:           tile.load %{{.*}} in_bounds [true]
// CHECK:         %[[P:.*]] = arith.cmpi slt, %[[MAIN]], %[[D]]
// CHECK:         %[[O:.*]] = arith.cmpi slt, %{{.*}}, %[[D]]
// CHECK:         %[[LEFT:.*]] = arith.andi %[[P]], %[[O]]
// CHECK:         scf.if %[[LEFT]]
// CHECK:           tile.load %{{.*}}[%[[MAIN]]] : !tile.view
!s = !tile.view<1024xf32, strides = [1]>
!d = !tile.view<?xi32, strides = [1]>
func.func @proved(%v: !s) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c1024 = arith.constant 1024 : index
  scf.for %i = %c0 to %c1024 step %c32 {
    %x = tile.load %v[%i] : !s -> tensor<32xf32>
    tile.store %x, %v[%i] : tensor<32xf32>, !s
  }
  return
}
func.func @from_memory(%lengths: !d, %p: !tile.ptr<f32>, %out: !s) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %zero = arith.constant dense<0.0> : tensor<32xf32>
  %t = tile.load %lengths[%c0] : !d -> tensor<1xi32>
  %l = tile.to_scalar %t : tensor<1xi32>
  %n = arith.index_cast %l : i32 to index
  %v = tile.make_view %p, sizes [%n] strides [] : !tile.view<?xf32, strides = [1]>
  %sum = scf.for %i = %c0 to %n step %c32 iter_args(%acc = %zero) -> (tensor<32xf32>) {
    %x = tile.load %v[%i] : !tile.view<?xf32, strides = [1]> -> tensor<32xf32>
    %next = arith.addf %acc, %x : tensor<32xf32>
    scf.yield %next : tensor<32xf32>
  }
  tile.store %sum, %out[%c0] : tensor<32xf32>, !s
  return
}

// -----

// Nested loops, both peeled: the outer rest holds the inner loop and its rest.
// PEEL-LABEL:  func.func @nested(
// PEEL:          scf.for
// PEEL:            scf.for
// PEEL:              tile.load %{{.*}} in_bounds [true, true]
// PEEL:            scf.if
// PEEL:              tile.load %{{.*}} in_bounds [true, false]
// PEEL:          scf.if
// PEEL:            scf.for
// PEEL:              tile.load %{{.*}} in_bounds [false, true]
// PEEL:            scf.if
// PEEL:              tile.load
// PEEL-NOT:          in_bounds
// PEEL:            }
!m = !tile.view<?x?xf32, strides = [?, 1]>
func.func @nested(%v: !m, %w: !m) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  %m = tile.view_size %v, 0 : !m
  %n = tile.view_size %v, 1 : !m
  scf.for %i = %c0 to %m step %c8 {
    scf.for %j = %c0 to %n step %c32 {
      %x = tile.load %v[%i, %j] : !m -> tensor<8x32xf32>
      tile.store %x, %w[%i, %j] : tensor<8x32xf32>, !m
    }
  }
  return
}

// -----

// Left alone: no loop, a step that is no constant, a block that no fact keeps inside.
// CHECK-LABEL: func.func @no_loop(
// CHECK-LABEL: func.func @any_step(
// CHECK-NOT:     in_bounds
// CHECK-LABEL: func.func @any_offset(
// CHECK-NOT:     in_bounds
// CHECK-NOT:   func.func
!v = !tile.view<?xf32, strides = [1]>
func.func @no_loop(%v: !v) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %x = tile.load %v[%c0] : !v -> tensor<32xf32>
  tile.store %x, %v[%c0] : tensor<32xf32>, !v
  return
}
func.func @any_step(%v: !v, %s: index {tile.min = 1 : i64}) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %n = tile.view_size %v, 0 : !v
  scf.for %i = %c0 to %n step %s {
    %x = tile.load %v[%i] : !v -> tensor<32xf32>
    tile.store %x, %v[%i] : tensor<32xf32>, !v
  }
  return
}
func.func @any_offset(%v: !v, %o: index) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tile.view_size %v, 0 : !v
  scf.for %i = %c0 to %n step %c1 {
    %x = tile.load %v[%o] : !v -> tensor<32xf32>
    tile.store %x, %v[%o] : tensor<32xf32>, !v
  }
  return
}
