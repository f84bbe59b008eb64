// SPDX-License-Identifier: Apache-2.0
// RUN: tile-opt %s --tile-fold-transpose | FileCheck %s

!m = !tile.view<?x?xf32, strides = [?, 1]>

// A cast and an addition take permuted operands; the loads read through permuted views.
// CHECK-LABEL: func @through_casts
// CHECK-NOT:     tile.permute %
// CHECK:         %[[V:.*]] = tile.permute_view %{{.*}} [1, 0]
// CHECK:         tile.load %[[V]][%arg2, %arg1] in_bounds [false, true] pad(zero) : {{.*}} -> tensor<64x32xf32>
// CHECK:         arith.addf %{{.*}} : tensor<64x32xf32>
// CHECK:         arith.truncf %{{.*}} : tensor<64x32xf32> to tensor<64x32xf16>
// CHECK-NOT:     tile.permute %
func.func @through_casts(%v: !m, %i: index, %j: index) -> tensor<64x32xf16> {
  %c = arith.constant dense<1.0> : tensor<32x64xf32>
  %x = tile.load %v[%i, %j] in_bounds [true, false] pad(zero) : !m -> tensor<32x64xf32>
  %y = arith.addf %x, %c : tensor<32x64xf32>
  %h = arith.truncf %y : tensor<32x64xf32> to tensor<32x64xf16>
  %t = tile.permute %h [1, 0] : tensor<32x64xf16> -> tensor<64x32xf16>
  return %t : tensor<64x32xf16>
}

// The mask of a select comes from indices: columns become rows.
// CHECK-LABEL: func @through_masks
// CHECK:         tile.iota : tensor<64xi32>
// CHECK:         tile.reshape %{{.*}} : tensor<1x64xi32> -> tensor<64x1xi32>
// CHECK:         tile.broadcast %{{.*}} : tensor<64x1xi32> -> tensor<64x32xi32>
// CHECK:         arith.cmpi slt, %{{.*}} : tensor<64x32xi32>
// CHECK:         %[[R:.*]] = arith.select %{{.*}} : tensor<64x32xi1>, tensor<64x32xf32>
// CHECK-NEXT:    return %[[R]]
func.func @through_masks(%v: !m, %i: index, %n: i32) -> tensor<64x32xf32> {
  %zero = arith.constant dense<0.0> : tensor<32x64xf32>
  %x = tile.load %v[%i, %i] : !m -> tensor<32x64xf32>
  %iota = tile.iota : tensor<64xi32>
  %row = tile.reshape %iota : tensor<64xi32> -> tensor<1x64xi32>
  %columns = tile.broadcast %row : tensor<1x64xi32> -> tensor<32x64xi32>
  %bound = tile.splat %n : i32 -> tensor<32x64xi32>
  %mask = arith.cmpi slt, %columns, %bound : tensor<32x64xi32>
  %s = arith.select %mask, %x, %zero : tensor<32x64xi1>, tensor<32x64xf32>
  %t = tile.permute %s [1, 0] : tensor<32x64xf32> -> tensor<64x32xf32>
  return %t : tensor<64x32xf32>
}

// A loop that loads for the next iteration carries the permuted tile.
// CHECK-LABEL: func @carried
// CHECK:         %[[FIRST:.*]] = tile.load %{{.*}} -> tensor<64x32xf32>
// CHECK:         scf.for {{.*}} -> (tensor<32x64xf32>, tensor<64x32xf32>, tensor<64x32xf32>)
// CHECK-NOT:     tile.permute %
// CHECK:         arith.addf {{.*}} : tensor<64x32xf32>
// CHECK:         %[[NEXT:.*]] = tile.load %{{.*}} -> tensor<64x32xf32>
// CHECK:         scf.yield %{{.*}}, %{{.*}}, %[[NEXT]]
func.func @carried(%v: !m, %n: index) -> tensor<64x32xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : tensor<64x32xf32>
  %first = tile.load %v[%c0, %c0] : !m -> tensor<32x64xf32>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %first, %acc = %zero) -> (tensor<32x64xf32>, tensor<64x32xf32>) {
    %t = tile.permute %x [1, 0] : tensor<32x64xf32> -> tensor<64x32xf32>
    %sum = arith.addf %acc, %t : tensor<64x32xf32>
    %next = tile.load %v[%i, %c0] : !m -> tensor<32x64xf32>
    scf.yield %next, %sum : tensor<32x64xf32>, tensor<64x32xf32>
  }
  return %r#1 : tensor<64x32xf32>
}

// What a branch gives.
// CHECK-LABEL: func @branch
// CHECK:         scf.if %{{.*}} -> (tensor<32x64xf32>, tensor<64x32xf32>)
// CHECK-NOT:     tile.permute %
// CHECK:         return
func.func @branch(%v: !m, %c: i1) -> tensor<64x32xf32> {
  %c0 = arith.constant 0 : index
  %x = scf.if %c -> tensor<32x64xf32> {
    %y = tile.load %v[%c0, %c0] : !m -> tensor<32x64xf32>
    scf.yield %y : tensor<32x64xf32>
  } else {
    %z = arith.constant dense<1.0> : tensor<32x64xf32>
    scf.yield %z : tensor<32x64xf32>
  }
  %t = tile.permute %x [1, 0] : tensor<32x64xf32> -> tensor<64x32xf32>
  return %t : tensor<64x32xf32>
}

// The transpose of a sum of products goes into the store, and the bias is read transposed.
// CHECK-LABEL: func @epilogue
// CHECK-NOT:     tile.permute %
// CHECK:         %[[B:.*]] = tile.load %{{.*}} -> tensor<32x64xf32>
// CHECK:         %[[S:.*]] = arith.addf %{{.*}}, %[[B]] : tensor<32x64xf32>
// CHECK:         %[[V:.*]] = tile.permute_view %arg1 [1, 0]
// CHECK:         tile.store %[[S]], %[[V]]
func.func @epilogue(%v: !m, %o: !m, %a: tensor<32x16xf32>, %b: tensor<16x64xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<32x64xf32>
  %d = tile.dot %a, %b, %zero : tensor<32x16xf32>, tensor<16x64xf32> -> tensor<32x64xf32>
  %t = tile.permute %d [1, 0] : tensor<32x64xf32> -> tensor<64x32xf32>
  %bias = tile.load %v[%c0, %c0] : !m -> tensor<64x32xf32>
  %s = arith.addf %t, %bias : tensor<64x32xf32>
  tile.store %s, %o[%c0, %c0] : tensor<64x32xf32>, !m
  return
}

// The loop sums in the product's order; the store behind it undoes the transpose.
// CHECK-LABEL: func @sum_in_loop
// CHECK:         scf.for
// CHECK-NOT:     tile.permute %
// CHECK:         return
func.func @sum_in_loop(%o: !m, %a: tensor<32x16xf32>, %b: tensor<16x64xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : tensor<32x64xf32>
  %zerot = arith.constant dense<0.0> : tensor<64x32xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zerot) -> (tensor<64x32xf32>) {
    %d = tile.dot %a, %b, %zero : tensor<32x16xf32>, tensor<16x64xf32> -> tensor<32x64xf32>
    %t = tile.permute %d [1, 0] : tensor<32x64xf32> -> tensor<64x32xf32>
    %s = arith.addf %acc, %t : tensor<64x32xf32>
    scf.yield %s : tensor<64x32xf32>
  }
  tile.store %r, %o[%c0, %c0] : tensor<64x32xf32>, !m
  return
}

// A sum along columns is a sum along rows of what was there before.
// CHECK-LABEL: func @reduction
// CHECK-NOT:     tile.permute %
// CHECK:         tile.reduce %{{.*}} dim 1 : tensor<32x64xf32> -> tensor<32xf32>
func.func @reduction(%a: tensor<32x16xf32>, %b: tensor<16x64xf32>) -> tensor<32xf32> {
  %zero = arith.constant dense<0.0> : tensor<32x64xf32>
  %d = tile.dot %a, %b, %zero : tensor<32x16xf32>, tensor<16x64xf32> -> tensor<32x64xf32>
  %t = tile.permute %d [1, 0] : tensor<32x64xf32> -> tensor<64x32xf32>
  %r = tile.reduce %t dim 0 : tensor<64x32xf32> -> tensor<32xf32> {
  ^bb0(%x: f32, %y: f32):
    %s = arith.addf %x, %y : f32
    tile.yield %s : f32
  }
  return %r : tensor<32xf32>
}

// One load, used in both orders: two loads at one place, before the store.
// CHECK-LABEL: func @both_orders
// CHECK:         tile.load %{{.*}} -> tensor<32x32xf32>
// CHECK-NEXT:    tile.load %{{.*}} -> tensor<32x32xf32>
// CHECK-NEXT:    tile.store
// CHECK-NOT:     tile.permute %
// CHECK:         return
func.func @both_orders(%v: !m, %z: tensor<32x32xf32>) -> tensor<32x32xf32> {
  %c0 = arith.constant 0 : index
  %x = tile.load %v[%c0, %c0] : !m -> tensor<32x32xf32>
  tile.store %z, %v[%c0, %c0] : tensor<32x32xf32>, !m
  %t = tile.permute %x [1, 0] : tensor<32x32xf32> -> tensor<32x32xf32>
  %s = arith.addf %x, %t : tensor<32x32xf32>
  return %s : tensor<32x32xf32>
}

// A product reads its operand in either order: the transposed copy of one load stays a permute.
// CHECK-LABEL: func @gram
// CHECK:         %[[X:.*]] = tile.load
// CHECK-NOT:     tile.load
// CHECK:         %[[T:.*]] = tile.permute %[[X]] [1, 0]
// CHECK:         tile.dot %[[X]], %[[T]]
func.func @gram(%v: !m, %acc: tensor<32x32xf32>) -> tensor<32x32xf32> {
  %c0 = arith.constant 0 : index
  %x = tile.load %v[%c0, %c0] : !m -> tensor<32x64xf32>
  %t = tile.permute %x [1, 0] : tensor<32x64xf32> -> tensor<64x32xf32>
  %d = tile.dot %x, %t, %acc : tensor<32x64xf32>, tensor<64x32xf32> -> tensor<32x32xf32>
  return %d : tensor<32x32xf32>
}

// A product made outside of the loop is transposed there, once.
// CHECK-LABEL: func @once_outside
// CHECK:         tile.dot
// CHECK-NEXT:    tile.permute
// CHECK:         scf.for
// CHECK-NOT:     tile.permute %
// CHECK:         return
func.func @once_outside(%a: tensor<32x16xf32>, %b: tensor<16x64xf32>, %n: index) -> tensor<64x32xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : tensor<32x64xf32>
  %zerot = arith.constant dense<0.0> : tensor<64x32xf32>
  %d = tile.dot %a, %b, %zero : tensor<32x16xf32>, tensor<16x64xf32> -> tensor<32x64xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zerot) -> (tensor<64x32xf32>) {
    %t = tile.permute %d [1, 0] : tensor<32x64xf32> -> tensor<64x32xf32>
    %s = arith.addf %acc, %t : tensor<64x32xf32>
    scf.yield %s : tensor<64x32xf32>
  }
  return %r : tensor<64x32xf32>
}

// A value that the loop doubles is carried transposed: one move in front of the loop instead of one in each iteration.
// CHECK-LABEL: func @carried_product
// CHECK:         tile.permute
// CHECK:         scf.for
// CHECK-NOT:     tile.permute %
// CHECK:         return
func.func @carried_product(%a: tensor<32x32xf32>, %n: index) -> tensor<32x32xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %d = tile.dot %a, %a, %zero : tensor<32x32xf32>, tensor<32x32xf32> -> tensor<32x32xf32>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %d, %acc = %zero) -> (tensor<32x32xf32>, tensor<32x32xf32>) {
    %t = tile.permute %x [1, 0] : tensor<32x32xf32> -> tensor<32x32xf32>
    %s = arith.addf %acc, %t : tensor<32x32xf32>
    %twice = arith.addf %x, %x : tensor<32x32xf32>
    scf.yield %twice, %s : tensor<32x32xf32>, tensor<32x32xf32>
  }
  return %r#1 : tensor<32x32xf32>
}

// A transpose of each value by the next iteration cannot go away.
// CHECK-LABEL: func @turns
// CHECK:         scf.for
// CHECK:           tile.permute
// CHECK:         return
func.func @turns(%a: tensor<32x32xf32>, %b: tensor<32x32xf32>, %n: index) -> tensor<32x32xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %a) -> (tensor<32x32xf32>) {
    %d = tile.dot %x, %b, %x : tensor<32x32xf32>, tensor<32x32xf32> -> tensor<32x32xf32>
    %t = tile.permute %d [1, 0] : tensor<32x32xf32> -> tensor<32x32xf32>
    scf.yield %t : tensor<32x32xf32>
  }
  return %r : tensor<32x32xf32>
}

// Only an extent of 1 moves: a reshape.
// CHECK-LABEL: func @relabel
// CHECK-NEXT:    tile.reshape %{{.*}} : tensor<1x64xf32> -> tensor<64x1xf32>
func.func @relabel(%x: tensor<1x64xf32>) -> tensor<64x1xf32> {
  %t = tile.permute %x [1, 0] : tensor<1x64xf32> -> tensor<64x1xf32>
  return %t : tensor<64x1xf32>
}

// Heads are split off and brought to the front: the reshape keeps them together.
// CHECK-LABEL: func @heads
// CHECK-NOT:     tile.permute %
// CHECK:         tile.load %{{.*}} -> tensor<64x32xf32>
// CHECK:         tile.reshape %{{.*}} : tensor<64x32xf32> -> tensor<4x16x32xf32>
func.func @heads(%v: !m) -> tensor<4x16x32xf32> {
  %c0 = arith.constant 0 : index
  %x = tile.load %v[%c0, %c0] : !m -> tensor<32x64xf32>
  %h = tile.reshape %x : tensor<32x64xf32> -> tensor<32x4x16xf32>
  %t = tile.permute %h [1, 2, 0] : tensor<32x4x16xf32> -> tensor<4x16x32xf32>
  return %t : tensor<4x16x32xf32>
}

// A constant is made transposed; its elements follow.
// CHECK-LABEL: func @constants
// CHECK:         dense<{{\[\[}}1, 4], [2, 5], [3, 6]]> : tensor<3x2xi32>
// CHECK-NOT:     tile.permute %
// CHECK:         return
func.func @constants(%n: tensor<2x3xi32>, %v: !tile.view<?x?xi32, strides = [?, 1]>) -> tensor<3x2xi32> {
  %c0 = arith.constant 0 : index
  %c = arith.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %x = tile.load %v[%c0, %c0] : !tile.view<?x?xi32, strides = [?, 1]> -> tensor<2x3xi32>
  %s = arith.addi %x, %c : tensor<2x3xi32>
  %t = tile.permute %s [1, 0] : tensor<2x3xi32> -> tensor<3x2xi32>
  return %t : tensor<3x2xi32>
}

// Pointers are permuted with their mask, at the place of the load.
// CHECK-LABEL: func @pointers
// CHECK-NOT:     tile.permute %
// CHECK:         tile.load_ptr %{{.*}} mask %{{.*}} : tensor<16x8x!tile.ptr<f32>>
// CHECK-NOT:     tile.permute %
// CHECK:         return
func.func @pointers(%p: !tile.ptr<f32>, %n: i32) -> tensor<16x8xf32> {
  %iota = tile.iota : tensor<16xi32>
  %row = tile.reshape %iota : tensor<16xi32> -> tensor<1x16xi32>
  %i = tile.broadcast %row : tensor<1x16xi32> -> tensor<8x16xi32>
  %ns = tile.splat %n : i32 -> tensor<8x16xi32>
  %m = arith.cmpi slt, %i, %ns : tensor<8x16xi32>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<8x16x!tile.ptr<f32>>
  %q = tile.ptr_add %ps, %i : tensor<8x16x!tile.ptr<f32>>, tensor<8x16xi32>
  %x = tile.load_ptr %q mask %m : tensor<8x16x!tile.ptr<f32>>
  %t = tile.permute %x [1, 0] : tensor<8x16xf32> -> tensor<16x8xf32>
  return %t : tensor<16x8xf32>
}

// A gather of rows becomes a gather of columns of the permuted view.
// CHECK-LABEL: func @gather
// CHECK-NOT:     tile.permute %
// CHECK:         tile.gather %{{.*}}[%c0, %{{.*}}] in_bounds [true, false] : {{.*}} -> tensor<32x8xf32>
// CHECK-NOT:     tile.permute %
// CHECK:         return
func.func @gather(%v: !m, %rows: tensor<8xi32>) -> tensor<32x8xf32> {
  %c0 = arith.constant 0 : index
  %x = tile.gather %v[%rows, %c0] in_bounds [false, true] : !m[tensor<8xi32>, index] -> tensor<8x32xf32>
  %t = tile.permute %x [1, 0] : tensor<8x32xf32> -> tensor<32x8xf32>
  return %t : tensor<32x8xf32>
}

// An access that has its place in an order stays.
// CHECK-LABEL: func @ordered
// CHECK:         tile.load %{{.*}} sync(acquire, gpu)
// CHECK-NEXT:    tile.permute
func.func @ordered(%v: !m) -> tensor<8x4xf32> {
  %c0 = arith.constant 0 : index
  %x = tile.load %v[%c0, %c0] sync(acquire, gpu) : !m -> tensor<4x8xf32>
  %t = tile.permute %x [1, 0] : tensor<4x8xf32> -> tensor<8x4xf32>
  return %t : tensor<8x4xf32>
}
