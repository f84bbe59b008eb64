// RUN: tile-opt %s --tile-sink-cheap-tiles | FileCheck %s

#l = #tile_gpu.layout<[64], register = [[32]], lane = [[1], [2], [4], [8], [16]]>

// The mask is made where it is used, from positions that are made there too; nothing of it is left in front of the loop. What
// costs more than a few instructions, the exponentials, stays.
// CHECK-LABEL: func.func @causal_mask
// CHECK-NOT:     tile.iota
// CHECK:         math.exp
// CHECK:         scf.for
// CHECK-DAG:       %[[P:.*]] = tile.iota
// CHECK-DAG:       %[[L:.*]] = tile.splat %{{.*}} : i32
// CHECK:           %[[M:.*]] = arith.cmpi slt, %[[P]], %[[L]]
// CHECK:           arith.select %[[M]]
func.func @causal_mask(%f: f32, %q: !tile.ptr<f32>, %n: i32, %k: index) attributes {tile.kernel} {
  %x = tile.splat %f : f32 -> tensor<64xf32, #l>
  %p = tile.splat %q : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>, #l>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : tensor<64xf32, #l>
  %positions = tile.iota : tensor<64xi32, #l>
  %limit = tile.splat %n : i32 -> tensor<64xi32, #l>
  %mask = arith.cmpi slt, %positions, %limit : tensor<64xi32, #l>
  %e = math.exp %x : tensor<64xf32, #l>
  scf.for %i = %c0 to %k step %c1 {
    %v = arith.select %mask, %e, %zero : tensor<64xi1, #l>, tensor<64xf32, #l>
    tile.store_ptr %v, %p : tensor<64x!tile.ptr<f32>, #l>
  }
  return
}

// Outside of loops nothing moves.
// CHECK-LABEL: func.func @no_loop
// CHECK:         tile.iota
// CHECK-NOT:     tile.iota
// CHECK:         return
func.func @no_loop(%q: !tile.ptr<i32>, %c: i1) attributes {tile.kernel} {
  %p = tile.splat %q : !tile.ptr<i32> -> tensor<64x!tile.ptr<i32>, #l>
  %positions = tile.iota : tensor<64xi32, #l>
  scf.if %c {
    tile.store_ptr %positions, %p : tensor<64x!tile.ptr<i32>, #l>
  }
  return
}
