// RUN: tile-opt %s --tile-unroll-loops | FileCheck %s
// RUN: tile-opt %s --tile-unroll-loops --remarks-filter=tile-unroll-loops --remark-policy=all -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// Trips known at run time only: three at a time, and what is left one by one. Each copy keeps its barriers; both loops stay
// as they are, and keep what else was said of them.
// CHECK-LABEL: func @runtime_trips
// CHECK-SAME:    %[[P:[^:]*]]: i64, %[[N:[^:]*]]: index)
// CHECK-DAG:     %[[ZERO:.*]] = arith.constant 0 : index
// CHECK-DAG:     %[[START:.*]] = arith.constant 0.000000e+00 : f32
// CHECK:         %[[LESS:.*]] = arith.cmpi sgt, %[[N]], %[[ZERO]] : index
// CHECK:         %[[TRIPS:.*]] = arith.select %[[LESS]], %[[N]], %{{.*}} : index
// CHECK:         %[[REST:.*]] = arith.remui %[[TRIPS]], %{{.*}} : index
// CHECK:         %[[END:.*]] = arith.subi %[[TRIPS]], %[[REST]] : index
// CHECK:         %[[MAIN:.*]] = scf.for %[[I:.*]] = %[[ZERO]] to %[[END]] step %{{.*}} iter_args(%[[A:.*]] = %[[START]]) -> (f32) {
// CHECK:           arith.index_cast %[[I]]
// CHECK:           tile_gpu.barrier
// CHECK:           %[[I1:.*]] = arith.addi %[[I]], %{{.*}} : index
// CHECK:           arith.index_cast %[[I1]]
// CHECK:           tile_gpu.barrier
// CHECK:           %[[I2:.*]] = arith.addi %[[I]], %{{.*}} : index
// CHECK:           arith.index_cast %[[I2]]
// CHECK:           tile_gpu.barrier
// CHECK:           %[[A3:.*]] = arith.addf
// CHECK-NEXT:      scf.yield %[[A3]]
// CHECK-NEXT:    } {tile.independent, tile_gpu.nounroll}
// CHECK-NEXT:    %[[ALL:.*]] = scf.for %{{.*}} = %[[END]] to %[[N]] step %{{.*}} iter_args(%{{.*}} = %[[MAIN]]) -> (f32) {
// CHECK-COUNT-1:   tile_gpu.barrier
// CHECK-NOT:       tile_gpu.barrier
// CHECK:         } {tile.independent, tile_gpu.nounroll}
// CHECK:         tile_gpu.store_global %[[ALL]]
// REMARK: [Passed] {{.*}}Function=runtime_trips | {{.*}}3 copies of the body, and a rolled loop for the rest of the trips
func.func @runtime_trips(%p: i64, %n: index) attributes {tile_gpu.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%a = %zero) -> (f32) {
    %at = arith.index_cast %i : index to i32
    %x = tile_gpu.load_shared %at : f32
    tile_gpu.barrier id 1 threads 64
    %y = arith.addf %a, %x : f32
    scf.yield %y : f32
  } {tile.unroll = 3 : i64, tile.independent}
  tile_gpu.store_global %s, %p align 4 : f32
  return
}

// Constant trips: 0, 3, 6, 9, 12 two at a time, and the last one without a loop.
// CHECK-LABEL: func @constant_trips
// CHECK:         scf.for %[[I:.*]] = %{{.*}} to %[[END:.*]] step %{{.*}} {
// CHECK-NEXT:      arith.index_cast %[[I]]
// CHECK:           arith.addi %[[I]], %{{.*}} : index
// CHECK:         } {tile_gpu.nounroll}
// CHECK-NEXT:    arith.index_cast %[[END]]
// CHECK-NEXT:    tile_gpu.store_shared
// CHECK-NEXT:    return
// REMARK: [Passed] {{.*}}Function=constant_trips | {{.*}}2 copies of the body, and one more for the last trip
func.func @constant_trips(%v: f32) attributes {tile_gpu.kernel} {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %c13 = arith.constant 13 : index
  scf.for %i = %c0 to %c13 step %c3 {
    %at = arith.index_cast %i : index to i32
    tile_gpu.store_shared %v, %at : f32
  } {tile.unroll = 2 : i64}
  return
}

// All of them, and more than there are: no loop is left.
// CHECK-LABEL: func @no_loop
// CHECK-NOT:     scf.for
// CHECK-COUNT-7: tile_gpu.store_shared
// CHECK-NOT:     tile_gpu.store_shared
// CHECK:         return
// REMARK: [Passed] {{.*}}Function=no_loop | {{.*}}4 copies of the body without a loop
// REMARK: [Passed] {{.*}}Function=no_loop | {{.*}}3 copies of the body without a loop
func.func @no_loop(%v: f32) attributes {tile_gpu.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c3 = arith.constant 3 : i32
  %c4 = arith.constant 4 : i32
  scf.for %i = %c0 to %c4 step %c1 : i32 {
    tile_gpu.store_shared %v, %i : f32
  } {tile.unroll = "full"}
  scf.for %i = %c0 to %c3 step %c1 : i32 {
    tile_gpu.store_shared %v, %i : f32
  } {tile.unroll = 8 : i64}
  scf.for %i = %c4 to %c3 step %c1 : i32 {
    tile_gpu.store_shared %v, %i : f32
  } {tile.unroll = "full"}
  return
}

// A copy of an outer loop holds the copies of the inner one.
// CHECK-LABEL: func @nested
// CHECK:         scf.for
// CHECK-COUNT-2:   scf.for
// CHECK:         } {tile_gpu.nounroll}
// CHECK:         scf.for
// CHECK:           scf.for
// CHECK-COUNT-2:     tile_gpu.store_shared
// CHECK-NOT:         tile_gpu.store_shared
// CHECK:           } {tile_gpu.nounroll}
// CHECK-NEXT:    } {tile_gpu.nounroll}
func.func @nested(%v: f32, %n: i32) attributes {tile_gpu.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    scf.for %j = %c0 to %c4 step %c1 : i32 {
      tile_gpu.store_shared %v, %j : f32
    } {tile.unroll = 2 : i64}
  } {tile.unroll = 2 : i64}
  return
}

// Loops that shall stay rolled are marked, a while as well; who says nothing is left to ptxas.
// CHECK-LABEL: func @rolled
// CHECK:         } {tile_gpu.nounroll}
// CHECK:         } attributes {tile_gpu.nounroll}
// CHECK:         }{{$}}
// CHECK-NEXT:    return
func.func @rolled(%v: f32, %n: i32) attributes {tile_gpu.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    tile_gpu.store_shared %v, %i : f32
  } {tile.unroll = 1 : i64}
  %r = scf.while (%i = %n) : (i32) -> i32 {
    %c = arith.cmpi sgt, %i, %c0 : i32
    scf.condition(%c) %i : i32
  } do {
  ^bb0(%i: i32):
    tile_gpu.store_shared %v, %i : f32
    %k = arith.subi %i, %c1 : i32
    scf.yield %k : i32
  } attributes {tile.unroll = 1 : i64}
  scf.for %i = %r to %n step %c1 : i32 {
    tile_gpu.store_shared %v, %i : f32
  }
  return
}

// 8 bits have no room for 4 trips of 64, which would be 256; and 2 trips of 64 are the most there are.
// CHECK-LABEL: func @narrow
// CHECK:         scf.for
// CHECK-COUNT-1:   tile_gpu.store_shared
// CHECK:         } {tile_gpu.nounroll}
// CHECK:         %[[RUNS:.*]] = arith.cmpi ne
// CHECK:         scf.if %[[RUNS]] {
// CHECK-COUNT-2:   tile_gpu.store_shared
// CHECK:         scf.for
// CHECK-COUNT-1:   tile_gpu.store_shared
// CHECK:         } {tile_gpu.nounroll}
// REMARK: [Passed] {{.*}}Function=narrow | {{.*}}no copies, because the type of the variable has no room for so many trips
// REMARK: [Passed] {{.*}}Function=narrow | {{.*}}2 copies of the body, and a rolled loop
func.func @narrow(%v: f32, %from: i8, %to: i8) attributes {tile_gpu.kernel} {
  %c64 = arith.constant 64 : i8
  scf.for %i = %from to %to step %c64 : i8 {
    %at = arith.extui %i : i8 to i32
    tile_gpu.store_shared %v, %at : f32
  } {tile.unroll = 4 : i64}
  scf.for %i = %from to %to step %c64 : i8 {
    %at = arith.extui %i : i8 to i32
    tile_gpu.store_shared %v, %at : f32
  } {tile.unroll = 2 : i64}
  return
}
