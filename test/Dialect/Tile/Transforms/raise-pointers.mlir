// SPDX-License-Identifier: Apache-2.0
// RUN: tile-opt %s --tile-raise-pointers --canonicalize --cse | FileCheck %s

// A vector under a mask: the mask is the check, the bound the size. A negative bound is a size of 0.
// CHECK-LABEL: func @vector
// CHECK-SAME:    %[[P:[a-z0-9]*]]: !tile.ptr<f32>, %[[N:[a-z0-9]*]]: i32
// CHECK-DAG:     %[[START:.*]] = arith.index_cast %{{.*}} : i32 to index
// CHECK-DAG:     %[[BOUND:.*]] = arith.index_cast %[[N]] : i32 to index
// CHECK-DAG:     %[[SIZE:.*]] = arith.maxsi %[[BOUND]], %c0
// CHECK-DAG:     %[[V:.*]] = tile.make_view %[[P]], sizes [%[[SIZE]]] strides [] : !tile.view<?xf32, strides = [1]>
// CHECK:         %[[X:.*]] = tile.load %[[V]][%[[START]]] pad(zero) : {{.*}} -> tensor<256xf32>
// CHECK:         tile.store %[[X]], %[[V]][%[[START]]] : tensor<256xf32>
// CHECK-NOT:     _ptr
func.func @vector(%p: !tile.ptr<f32>, %n: i32) attributes {tile.kernel} {
  %c256 = arith.constant 256 : i32
  %zero = arith.constant dense<0.0> : tensor<256xf32>
  %program = tile.program_id x
  %pid = arith.index_cast %program : index to i32
  %start = arith.muli %pid, %c256 overflow<nsw> : i32
  %starts = tile.splat %start : i32 -> tensor<256xi32>
  %iota = tile.iota : tensor<256xi32>
  %i = arith.addi %starts, %iota overflow<nsw> : tensor<256xi32>
  %ns = tile.splat %n : i32 -> tensor<256xi32>
  %m = arith.cmpi slt, %i, %ns : tensor<256xi32>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>>
  %q = tile.ptr_add %ps, %i : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  %x = tile.load_ptr %q mask %m other %zero : tensor<256x!tile.ptr<f32>>
  tile.store_ptr %x, %q mask %m : tensor<256x!tile.ptr<f32>>
  return
}

// Without a mask: as large as the tile, in bounds, behind an offset base.
// CHECK-LABEL: func @no_mask
// CHECK:         %[[Q:.*]] = tile.ptr_add %arg0, %{{.*}} : !tile.ptr<f16>, index
// CHECK:         %[[V:.*]] = tile.make_view %[[Q]], sizes [] strides [%{{.*}}] : !tile.view<16x32xf16, strides = [?, 1]>
// CHECK:         tile.load %[[V]][%c0, %c0] in_bounds [true, true]
func.func @no_mask(%p: !tile.ptr<f16>, %stride: i64, %skip: i64) -> tensor<16x32xf16> {
  %r = tile.iota : tensor<16xi64>
  %c = tile.iota : tensor<32xi64>
  %r1 = tile.reshape %r : tensor<16xi64> -> tensor<16x1xi64>
  %c1 = tile.reshape %c : tensor<32xi64> -> tensor<1x32xi64>
  %s = tile.splat %stride : i64 -> tensor<16x1xi64>
  %r2 = arith.muli %r1, %s : tensor<16x1xi64>
  %r3 = tile.broadcast %r2 : tensor<16x1xi64> -> tensor<16x32xi64>
  %c3 = tile.broadcast %c1 : tensor<1x32xi64> -> tensor<16x32xi64>
  %i = arith.addi %r3, %c3 : tensor<16x32xi64>
  %q0 = tile.ptr_add %p, %skip : !tile.ptr<f16>, i64
  %ps = tile.splat %q0 : !tile.ptr<f16> -> tensor<16x32x!tile.ptr<f16>>
  %q = tile.ptr_add %ps, %i : tensor<16x32x!tile.ptr<f16>>, tensor<16x32xi64>
  %x = tile.load_ptr %q : tensor<16x32x!tile.ptr<f16>>
  return %x : tensor<16x32xf16>
}

// A pointer that a loop advances, under a mask of what is left: one view for all iterations, of the whole row, from p.
// CHECK-LABEL: func @advanced
// CHECK-SAME:    %[[P:[a-z0-9]*]]: !tile.ptr<f32>, %[[N:[a-z0-9]*]]: i32
// CHECK:         scf.for %[[K:[a-z0-9]*]] = %{{.*}} iter_args(%{{.*}} = %{{[a-z0-9_]*}}) -> (tensor<64xf32>)
// CHECK-DAG:       %[[DONE:.*]] = arith.muli %[[K]]
// CHECK-DAG:       %[[AT:.*]] = arith.index_cast %[[DONE]] : i32 to index
// CHECK-DAG:       %[[V:.*]] = tile.make_view %[[P]],
// CHECK:           tile.load %[[V]][%[[AT]]] pad(zero)
func.func @advanced(%p: !tile.ptr<f32>, %n: i32) -> tensor<64xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<64xf32>
  %step = arith.constant dense<64> : tensor<64xi32>
  %i = tile.iota : tensor<64xi32>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %q0 = tile.ptr_add %ps, %i : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %trips = arith.ceildivsi %n, %c64 : i32
  %r:2 = scf.for %k = %c0 to %trips step %c1 iter_args(%acc = %zero, %q = %q0) -> (tensor<64xf32>, tensor<64x!tile.ptr<f32>>) : i32 {
    %done = arith.muli %k, %c64 overflow<nsw> : i32
    %left = arith.subi %n, %done overflow<nsw> : i32
    %ls = tile.splat %left : i32 -> tensor<64xi32>
    %m = arith.cmpi sgt, %ls, %i : tensor<64xi32>
    %x = tile.load_ptr %q mask %m other %zero : tensor<64x!tile.ptr<f32>>
    %s = arith.addf %acc, %x : tensor<64xf32>
    %next = tile.ptr_add %q, %step : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
    scf.yield %s, %next : tensor<64xf32>, tensor<64x!tile.ptr<f32>>
  }
  return %r#0 : tensor<64xf32>
}

// Masks in any nesting, one index bounded twice, and from below: the index counts from the lower limit.
// CHECK-LABEL: func @halo
// CHECK:         %[[A:.*]] = arith.index_cast %arg1 : i32 to index
// CHECK:         %[[B:.*]] = arith.index_cast %arg2 : i32 to index
// CHECK:         %[[MIN:.*]] = arith.minsi %[[A]], %[[B]]
// CHECK:         %[[SIZE:.*]] = arith.maxsi %[[MIN]], %c0
// CHECK:         %[[V:.*]] = tile.make_view %arg0, sizes [%[[SIZE]]]
// CHECK:         tile.load %[[V]][%c-1] pad(zero)
func.func @halo(%p: !tile.ptr<f32>, %n: i32, %k: i32) -> tensor<64xf32> {
  %zero = arith.constant dense<0.0> : tensor<64xf32>
  %one = arith.constant dense<1> : tensor<64xi32>
  %least = arith.constant dense<0> : tensor<64xi32>
  %iota = tile.iota : tensor<64xi32>
  %i = arith.subi %iota, %one overflow<nsw> : tensor<64xi32>
  %ns = tile.splat %n : i32 -> tensor<64xi32>
  %ks = tile.splat %k : i32 -> tensor<64xi32>
  %m0 = arith.cmpi slt, %i, %ns : tensor<64xi32>
  %m1 = arith.cmpi sge, %i, %least : tensor<64xi32>
  %m2 = arith.cmpi slt, %i, %ks : tensor<64xi32>
  %m3 = arith.andi %m1, %m2 : tensor<64xi1>
  %m = arith.andi %m0, %m3 : tensor<64xi1>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %q = tile.ptr_add %ps, %i : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %x = tile.load_ptr %q mask %m other %zero : tensor<64x!tile.ptr<f32>>
  return %x : tensor<64xf32>
}

// A condition for the whole tile empties the view.
// CHECK-LABEL: func @whole
// CHECK:         %[[C:.*]] = arith.cmpi slt
// CHECK:         %[[SIZE:.*]] = arith.select %[[C]], %c64, %c0 : index
// CHECK:         tile.make_view %arg0, sizes [%[[SIZE]]]
// CHECK:         tile.store
func.func @whole(%p: !tile.ptr<f32>, %a: i32, %b: i32, %x: tensor<64xf32>) {
  %c = arith.cmpi slt, %a, %b : i32
  %m = tile.splat %c : i1 -> tensor<64xi1>
  %i = tile.iota : tensor<64xi32>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %q = tile.ptr_add %ps, %i : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  tile.store_ptr %x, %q mask %m : tensor<64x!tile.ptr<f32>>
  return
}

// What masked lanes give is no pad.
// CHECK-LABEL: func @other
// CHECK:         %[[X:.*]] = tile.load
// CHECK:         arith.select %{{.*}}, %[[X]], %{{.*}} : tensor<64xi1>, tensor<64xf32>
func.func @other(%p: !tile.ptr<f32>, %n: i32) -> tensor<64xf32> {
  %seven = arith.constant dense<7.0> : tensor<64xf32>
  %i = tile.iota : tensor<64xi32>
  %ns = tile.splat %n : i32 -> tensor<64xi32>
  %m = arith.cmpi slt, %i, %ns : tensor<64xi32>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %q = tile.ptr_add %ps, %i : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %x = tile.load_ptr %q mask %m other %seven : tensor<64x!tile.ptr<f32>>
  return %x : tensor<64xf32>
}

// Rows modulo their number, stored under a mask of the rows themselves: lanes beyond are never stored.
// CHECK-LABEL: func @wrapped
// CHECK:         tile.load %{{.*}} pad(zero) : !tile.view<?xf32, strides = [1]> -> tensor<64xf32>
// CHECK:         tile.store
func.func @wrapped(%p: !tile.ptr<f32>, %o: !tile.ptr<f32>, %n: i32) {
  %i = tile.iota : tensor<64xi32>
  %ns = tile.splat %n : i32 -> tensor<64xi32>
  %w = arith.remsi %i, %ns : tensor<64xi32>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %q = tile.ptr_add %ps, %w : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %x = tile.load_ptr %q : tensor<64x!tile.ptr<f32>>
  %y = math.exp %x : tensor<64xf32>
  %m = arith.cmpi slt, %i, %ns : tensor<64xi32>
  %os = tile.splat %o : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %oq = tile.ptr_add %os, %i : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  tile.store_ptr %y, %oq mask %m : tensor<64x!tile.ptr<f32>>
  return
}
