// SPDX-License-Identifier: Apache-2.0
// RUN: tile-opt %s --split-input-file --tile-raise-pointers --remarks-filter=tile-raise-pointers --remark-policy=all 2>&1 | FileCheck %s

// CHECK: Function=raised | Remark="pointers become a view of 1 dim, checked along [0]"
// CHECK: Function=raised | {{.*}}what masked lanes give is no pad: selected behind the load
func.func @raised(%p: !tile.ptr<f32>, %n: i32) -> tensor<64xf32> {
  %seven = arith.constant dense<7.0> : tensor<64xf32>
  %i = tile.iota : tensor<64xi32>
  %ns = tile.splat %n : i32 -> tensor<64xi32>
  %m = arith.cmpi slt, %i, %ns : tensor<64xi32>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %q = tile.ptr_add %ps, %i : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %x = tile.load_ptr %q mask %m other %seven : tensor<64x!tile.ptr<f32>>
  return %x : tensor<64xf32>
}

// -----

// CHECK: Function=wraps | {{.*}}Reason="pointers stay: the address has no affine form: arith.addi may wrap in 32 bits"
// CHECK: tile.load_ptr
func.func @wraps(%p: !tile.ptr<f32>, %start: i32) -> tensor<64xf32> {
  %iota = tile.iota : tensor<64xi32>
  %s = tile.splat %start : i32 -> tensor<64xi32>
  %i = arith.addi %iota, %s : tensor<64xi32>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %q = tile.ptr_add %ps, %i : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %x = tile.load_ptr %q : tensor<64x!tile.ptr<f32>>
  return %x : tensor<64xf32>
}

// -----

// CHECK: Function=below | {{.*}}Reason="pointers stay: the index of dim 0 may be negative, and the mask does not check that"
func.func @below(%p: !tile.ptr<f32>, %start: i32, %n: i32) -> tensor<64xf32> {
  %iota = tile.iota : tensor<64xi32>
  %s = tile.splat %start : i32 -> tensor<64xi32>
  %i = arith.addi %iota, %s overflow<nsw> : tensor<64xi32>
  %ns = tile.splat %n : i32 -> tensor<64xi32>
  %m = arith.cmpi slt, %i, %ns : tensor<64xi32>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %q = tile.ptr_add %ps, %i : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %x = tile.load_ptr %q mask %m : tensor<64x!tile.ptr<f32>>
  return %x : tensor<64xf32>
}

// -----

// CHECK: Function=remainder | {{.*}}Reason="pointers stay: the index of dim 0 is a remainder, and lanes beyond its size reach func.return"
func.func @remainder(%p: !tile.ptr<f32>, %n: i32) -> tensor<64xf32> {
  %i = tile.iota : tensor<64xi32>
  %ns = tile.splat %n : i32 -> tensor<64xi32>
  %w = arith.remsi %i, %ns : tensor<64xi32>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %q = tile.ptr_add %ps, %w : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %x = tile.load_ptr %q : tensor<64x!tile.ptr<f32>>
  return %x : tensor<64xf32>
}

// -----

// A store under another bound than the remainder's size.
// CHECK: Function=stored | {{.*}}Reason="pointers stay: the index of dim 0 is a remainder, and lanes beyond its size are stored"
// CHECK: Function=stored | Remark="pointers become a view of 1 dim, checked along [0]"
func.func @stored(%p: !tile.ptr<f32>, %o: !tile.ptr<f32>, %n: i32, %k: i32) {
  %i = tile.iota : tensor<64xi32>
  %ns = tile.splat %n : i32 -> tensor<64xi32>
  %ks = tile.splat %k : i32 -> tensor<64xi32>
  %w = arith.remsi %i, %ns : tensor<64xi32>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %q = tile.ptr_add %ps, %w : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %x = tile.load_ptr %q : tensor<64x!tile.ptr<f32>>
  %m = arith.cmpi slt, %i, %ks : tensor<64xi32>
  %os = tile.splat %o : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %oq = tile.ptr_add %os, %i : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  tile.store_ptr %x, %oq mask %m : tensor<64x!tile.ptr<f32>>
  return
}

// -----

// CHECK: Function=summed | {{.*}}Reason="pointers stay: the index of dim 0 is a remainder, and lanes beyond its size are combined by tile.reduce"
func.func @summed(%p: !tile.ptr<f32>, %n: i32) -> f32 {
  %i = tile.iota : tensor<64xi32>
  %ns = tile.splat %n : i32 -> tensor<64xi32>
  %w = arith.remsi %i, %ns : tensor<64xi32>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %q = tile.ptr_add %ps, %w : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %x = tile.load_ptr %q : tensor<64x!tile.ptr<f32>>
  %r = tile.reduce %x dim 0 : tensor<64xf32> -> f32 {
  ^bb0(%a: f32, %e: f32):
    %s = arith.addf %a, %e : f32
    tile.yield %s : f32
  }
  return %r : f32
}

// -----

// CHECK: Function=gathered | {{.*}}Reason="pointers stay: the address has no affine form: an argument holds it"
func.func @gathered(%p: !tile.ptr<f32>, %i: tensor<64xi32>) -> tensor<64xf32> {
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %q = tile.ptr_add %ps, %i : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %x = tile.load_ptr %q : tensor<64x!tile.ptr<f32>>
  return %x : tensor<64xf32>
}

// -----

// CHECK: Function=equal | {{.*}}Reason="pointers stay: the mask compares for equality"
func.func @equal(%p: !tile.ptr<f32>, %n: i32) -> tensor<64xf32> {
  %i = tile.iota : tensor<64xi32>
  %ns = tile.splat %n : i32 -> tensor<64xi32>
  %m = arith.cmpi ne, %i, %ns : tensor<64xi32>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %q = tile.ptr_add %ps, %i : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %x = tile.load_ptr %q mask %m : tensor<64x!tile.ptr<f32>>
  return %x : tensor<64xf32>
}

// -----

// CHECK: Function=unsigned | {{.*}}Reason="pointers stay: the mask compares numbers without a sign that may be negative with one"
func.func @unsigned(%p: !tile.ptr<f32>, %n: i32) -> tensor<64xf32> {
  %i = tile.iota : tensor<64xi32>
  %ns = tile.splat %n : i32 -> tensor<64xi32>
  %m = arith.cmpi ult, %i, %ns : tensor<64xi32>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %q = tile.ptr_add %ps, %i : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %x = tile.load_ptr %q mask %m : tensor<64x!tile.ptr<f32>>
  return %x : tensor<64xf32>
}

// -----

// CHECK: Function=halved | {{.*}}Reason="pointers stay: the mask compares more than one index, or a multiple of one"
func.func @halved(%p: !tile.ptr<f32>, %n: i32) -> tensor<64xf32> {
  %two = arith.constant dense<2> : tensor<64xi32>
  %i = tile.iota : tensor<64xi32>
  %j = arith.muli %i, %two : tensor<64xi32>
  %ns = tile.splat %n : i32 -> tensor<64xi32>
  %m = arith.cmpi slt, %j, %ns : tensor<64xi32>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %q = tile.ptr_add %ps, %i : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %x = tile.load_ptr %q mask %m : tensor<64x!tile.ptr<f32>>
  return %x : tensor<64xf32>
}

// -----

// CHECK: Function=ordered | {{.*}}Reason="pointers stay: the access has its place in an order"
func.func @ordered(%p: !tile.ptr<f32>) -> tensor<64xf32> {
  %i = tile.iota : tensor<64xi32>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %q = tile.ptr_add %ps, %i : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %x = tile.load_ptr %q sync(acquire, gpu) : tensor<64x!tile.ptr<f32>>
  return %x : tensor<64xf32>
}

// -----

// CHECK: Function=changing | {{.*}}Reason="pointers stay: the address has no affine form: a loop advances it by a number that changes"
func.func @changing(%p: !tile.ptr<f32>, %n: index) -> tensor<64xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : tensor<64xf32>
  %i = tile.iota : tensor<64xi64>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %q0 = tile.ptr_add %ps, %i : tensor<64x!tile.ptr<f32>>, tensor<64xi64>
  %r:2 = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero, %q = %q0) -> (tensor<64xf32>, tensor<64x!tile.ptr<f32>>) {
    %x = tile.load_ptr %q : tensor<64x!tile.ptr<f32>>
    %s = arith.addf %acc, %x : tensor<64xf32>
    %k64 = arith.index_cast %k : index to i64
    %step = tile.splat %k64 : i64 -> tensor<64xi64>
    %next = tile.ptr_add %q, %step : tensor<64x!tile.ptr<f32>>, tensor<64xi64>
    scf.yield %s, %next : tensor<64xf32>, tensor<64x!tile.ptr<f32>>
  }
  return %r#0 : tensor<64xf32>
}

// -----

// 2^65 for each index is 0 for addresses of 64 bits, but no factor that a program could have.
// CHECK: Function=huge_step | {{.*}}Reason="pointers stay: the address has no affine form: a factor in its form has more than 64 bits"
func.func @huge_step(%p: !tile.ptr<f32>) -> tensor<64xf32> {
  %i = tile.iota : tensor<64xi64>
  %a = arith.constant dense<4611686018427387904> : tensor<64xi64>
  %b = arith.constant dense<8> : tensor<64xi64>
  %x = arith.muli %i, %a : tensor<64xi64>
  %y = arith.muli %x, %b : tensor<64xi64>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %q = tile.ptr_add %ps, %y : tensor<64x!tile.ptr<f32>>, tensor<64xi64>
  %r = tile.load_ptr %q : tensor<64x!tile.ptr<f32>>
  return %r : tensor<64xf32>
}

// -----

// The view would begin 2 * 2^62 elements behind the pointer.
// CHECK: Function=huge_offset | {{.*}}Reason="pointers stay: the form of its view is too long"
func.func @huge_offset(%p: !tile.ptr<f32>, %size: i32) -> tensor<64xf32> {
  %n = arith.extsi %size : i32 to i64
  %i = tile.iota : tensor<64xi64>
  %a = arith.constant dense<4611686018427387904> : tensor<64xi64>
  %two = arith.constant dense<2> : tensor<64xi64>
  %ns = tile.splat %n : i64 -> tensor<64xi64>
  %low = arith.cmpi sge, %i, %two : tensor<64xi64>
  %high = arith.cmpi slt, %i, %ns : tensor<64xi64>
  %m = arith.andi %low, %high : tensor<64xi1>
  %x = arith.muli %i, %a : tensor<64xi64>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %q = tile.ptr_add %ps, %x : tensor<64x!tile.ptr<f32>>, tensor<64xi64>
  %r = tile.load_ptr %q mask %m : tensor<64x!tile.ptr<f32>>
  return %r : tensor<64xf32>
}
