// One line of the report per layout conversion that remains: where, what, how, what it costs, why.
// RUN: tile-compile %s --max-variants=1 --report -o /dev/null 2>&1 | grep -v "report: target" | FileCheck %s --implicit-check-not="report: conversion"
// RUN: tile-compile %s --max-variants=1 --kernel=turn --emit=bundle -o %t.bundle && tile-launch %t.bundle --report | FileCheck %s --check-prefix=JSON
// What variants do alike is one line; what only one does names it.
// RUN: tile-compile %s --kernel=two_sums --report -o /dev/null 2>&1 | FileCheck %s --check-prefix=ALIKE
// RUN: tile-compile %s --kernel=both_ways --disable-pass=tile-fold-transpose --report -o /dev/null 2>&1 | FileCheck %s --check-prefix=WARP
// A lazy bundle has lowered nothing yet.
// RUN: tile-compile %s --emit=bundle --lazy=true --report -o /dev/null 2>&1 | FileCheck %s --check-prefix=LAZY --implicit-check-not=conversion

!mat = !tile.view<?x?xf32, strides = [?, 1]>
!row = !tile.view<?xf32, strides = [1]>
func.func @one(%x: !mat, %y: !mat) -> index {
  %c1 = arith.constant 1 : index
  return %c1 : index
}
func.func @one_row(%x: !mat, %y: !row) -> index {
  %c1 = arith.constant 1 : index
  return %c1 : index
}

// Nothing moves from a load to a store of the same shape.
func.func @copy(%x: !mat, %y: !mat) attributes {tile.kernel, tile.grid = @one, tile.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : index
  %v = tile.load %x[%c0, %c0] : !mat -> tensor<64x32xf32>
  tile.store %v, %y[%c0, %c0] : tensor<64x32xf32>, !mat
  return
}

// CHECK: report: conversion of 32x64xf32 at {{.*}}conversions.mlir:[[# @LINE + 17]]:3 (turn): by shared memory, about {{[0-9]+}} cycles, 8192 bytes, {{[0-9.]+}} bank conflicts per write, {{[0-9.]+}} per read; elements cross warps, or padding and digits differ
// JSON:      "conversions": [
// JSON:        "location": "{{.*}}conversions.mlir:[[# @LINE + 15]]:3",
// JSON-NEXT:   "tile": "32x64xf32",
// JSON-NEXT:   "kind": "shared memory",
// JSON-NEXT:   "cycles": {{[0-9.]+}},
// JSON-NEXT:   "shared_bytes": 8192,
// JSON-NEXT:   "write_conflicts": {{[0-9.]+}},
// JSON-NEXT:   "read_conflicts": {{[0-9.]+}},
// JSON-NEXT:   "ldmatrix": false,
// JSON-NEXT:   "reason": "elements cross warps, or padding and digits differ",
// JSON-NEXT:   "count": 1,
// JSON-NEXT:   "variants": [
func.func @turn(%x: !mat, %y: !mat) attributes {tile.kernel, tile.grid = @one, tile.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : index
  %v = tile.load %x[%c0, %c0] : !mat -> tensor<64x32xf32>
  %t = tile.permute %v [1, 0] : tensor<64x32xf32> -> tensor<32x64xf32>
  tile.store %t, %y[%c0, %c0] : tensor<32x64xf32>, !mat
  return
}

// In one warp no memory is needed. What a loop makes is not made again.
// WARP: report: conversion of 8x8xf32 at {{.*}}conversions.mlir:[[# @LINE + 11]]:8 (both_ways__v0): by shuffles, about {{[0-9]+}} cycles; each element stays in its warp
func.func @both_ways(%x: !mat, %y: !mat) attributes {tile.kernel, tile.grid = @one, tile.num_warps = 1 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tile.view_size %x, 0 : !mat
  %l = tile.load %x[%c0, %c0] : !mat -> tensor<8x8xf32>
  %v = scf.for %i = %c0 to %n step %c1 iter_args(%u = %l) -> (tensor<8x8xf32>) {
    %d = arith.addf %u, %u : tensor<8x8xf32>
    scf.yield %d : tensor<8x8xf32>
  }
  %t = tile.permute %v [1, 0] : tensor<8x8xf32> -> tensor<8x8xf32>
  %s = arith.addf %v, %t : tensor<8x8xf32>
  tile.store %s, %y[%c0, %c0] : tensor<8x8xf32>, !mat
  return
}

// The store takes the sums from where they are.
func.func @row_sum(%x: !mat, %y: !row) attributes {tile.kernel, tile.grid = @one_row, tile.num_warps = 1 : i32} {
  %c0 = arith.constant 0 : index
  %v = tile.load %x[%c0, %c0] : !mat -> tensor<32x32xf32>
  %s = tile.reduce %v dim 1 : tensor<32x32xf32> -> tensor<32xf32> {
  ^bb0(%a: f32, %b: f32):
    %t = arith.addf %a, %b : f32
    tile.yield %t : f32
  }
  tile.store %s, %y[%c0] : tensor<32xf32>, !row
  return
}

// Warps exchange what they reduced: sum and product alike, so they are counted.
// CHECK: report: 2 conversions, each of {{.*}}xf32 at {{.*}}conversions.mlir:[[# @LINE + 6]]:10 (two_sums): by shared memory, about {{[0-9]+}} cycles, 16 bytes, 0 bank conflicts per write, 0 per read; {{.*}}
// ALIKE: report: 2 conversions, each of {{.*}} (two_sums__v0, two_sums): by shared memory
func.func @two_sums(%x: !row, %y: !row) attributes {tile.kernel, tile.grid = @one_rows, tile.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : index
  %v = tile.load %x[%c0] : !row -> tensor<1024xf32>
  %w = tile.load %y[%c0] : !row -> tensor<1024xf32>
  %s:2 = tile.reduce %v, %w dim 0 : tensor<1024xf32>, tensor<1024xf32> -> f32, f32 {
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32):
    %t = arith.addf %a, %c : f32
    %u = arith.mulf %b, %d : f32
    tile.yield %t, %u : f32, f32
  }
  %z = arith.addf %s#0, %s#1 : f32
  %splat = tile.splat %z : f32 -> tensor<1xf32>
  tile.store %splat, %y[%c0] : tensor<1xf32>, !row
  return
}
func.func @one_rows(%x: !row, %y: !row) -> index {
  %c1 = arith.constant 1 : index
  return %c1 : index
}

// The operands of a product that is computed on the multiply-add units: f64 has no other way.
// CHECK: report: conversion of 32x16xf64 at {{.*}}conversions.mlir:[[# @LINE + 8]]:8 (product): by shared memory, about {{[0-9]+}} cycles, {{[0-9]+}} bytes, {{.*}} per write, {{.*}} per read; an operand of a product on the multiply-add units
// CHECK: report: conversion of 16x32xf64 at {{.*}}conversions.mlir:[[# @LINE + 7]]:8 (product): by shared memory, about {{[0-9]+}} cycles, {{[0-9]+}} bytes, {{.*}} per write, {{.*}} per read; an operand of a product on the multiply-add units
!f64 = !tile.view<?x?xf64, strides = [?, 1]>
func.func @product(%x: !f64, %y: !f64, %z: !f64) attributes {tile.kernel, tile.grid = @one_f64, tile.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : index
  %a = tile.load %x[%c0, %c0] : !f64 -> tensor<32x16xf64>
  %b = tile.load %y[%c0, %c0] : !f64 -> tensor<16x32xf64>
  %c = arith.constant dense<0.0> : tensor<32x32xf64>
  %d = tile.dot %a, %b, %c : tensor<32x16xf64>, tensor<16x32xf64> -> tensor<32x32xf64>
  tile.store %d, %z[%c0, %c0] : tensor<32x32xf64>, !f64
  return
}
func.func @one_f64(%x: !f64, %y: !f64, %z: !f64) -> index {
  %c1 = arith.constant 1 : index
  return %c1 : index
}

// A row of a tile, by threads that hold parts of it: only the row goes through memory.
// CHECK: report: conversion of 1x64xf32 at {{.*}}conversions.mlir:[[# @LINE + 5]]:8 (row): by shared memory, about {{[0-9]+}} cycles, 256 bytes, {{.*}}; the block is not whole registers of each thread
func.func @row(%x: !mat, %y: !mat) attributes {tile.kernel, tile.grid = @one, tile.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : index
  %c5 = arith.constant 5 : index
  %v = tile.load %x[%c0, %c0] : !mat -> tensor<32x64xf32>
  %t = tile.extract %v[%c5, %c0] : tensor<32x64xf32> -> tensor<1x64xf32>
  tile.store %t, %y[%c0, %c0] : tensor<1x64xf32>, !mat
  return
}

// LAZY: lowered at its first launch
