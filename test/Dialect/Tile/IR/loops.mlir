// Loops whose trips upstream counts wrongly keep their trips in canonical form.
// RUN: tile-opt %s -canonicalize="test-convergence" | FileCheck %s

// 200 trips, which are no signed number of eight bits.
// CHECK-LABEL: func.func @wide_distance
func.func @wide_distance(%p: !tile.ptr<i8>) {
  // CHECK-DAG: %[[ZERO:.*]] = arith.constant 0 : i8
  // CHECK-DAG: %[[DISTANCE:.*]] = arith.constant -56 : i8
  // CHECK-DAG: %[[LOW:.*]] = arith.constant -100 : i8
  // CHECK-DAG: %[[STEP:.*]] = arith.constant 1 : i8
  %low = arith.constant -100 : i8
  %high = arith.constant 100 : i8
  %step = arith.constant 1 : i8
  // CHECK: scf.for unsigned %[[I:.*]] = %[[ZERO]] to %[[DISTANCE]] step %[[STEP]]
  // CHECK-NEXT: %[[AT:.*]] = arith.addi %[[I]], %[[LOW]] : i8
  // CHECK-NEXT: tile.store_ptr %[[AT]]
  scf.for %i = %low to %high step %step : i8 {
    tile.store_ptr %i, %p : !tile.ptr<i8>
  } {tile.unroll = 3}
  // CHECK-NEXT: } {tile.unroll = 3
  return
}

// The largest distance that is a signed number stays; beside it, one that does not run.
// CHECK-LABEL: func.func @signed_distance
func.func @signed_distance(%p: !tile.ptr<i8>) {
  %low = arith.constant -27 : i8
  %high = arith.constant 100 : i8
  %step = arith.constant 1 : i8
  // CHECK: scf.for %[[I:.*]] = %c-27_i8 to %c100_i8
  // CHECK-NEXT: tile.store_ptr %[[I]]
  scf.for %i = %low to %high step %step : i8 {
    tile.store_ptr %i, %p : !tile.ptr<i8>
  }
  // CHECK-NOT: scf.for
  scf.for %i = %high to %low step %step : i8 {
    tile.store_ptr %i, %p : !tile.ptr<i8>
  }
  return
}

// A step of the upper half is a positive number, and walks once or not at all.
// CHECK-LABEL: func.func @wide_step
// CHECK-SAME: (%[[P:.*]]: !tile.ptr<i8>, %[[FROM:.*]]: i8, %[[TO:.*]]: i8)
func.func @wide_step(%p: !tile.ptr<i8>, %from: i8, %to: i8) -> i8 {
  %step = arith.constant -56 : i8
  // CHECK: %[[RUNS:.*]] = arith.cmpi ult, %[[FROM]], %[[TO]] : i8
  // CHECK: %[[SUM:.*]] = scf.if %[[RUNS]] -> (i8) {
  // CHECK-NEXT: tile.store_ptr %[[FROM]], %[[P]]
  // CHECK-NEXT: %[[NEXT:.*]] = arith.addi %[[TO]], %[[FROM]] : i8
  // CHECK-NEXT: scf.yield %[[NEXT]]
  // CHECK-NEXT: } else {
  // CHECK-NEXT: scf.yield %[[TO]]
  %sum = scf.for unsigned %i = %from to %to step %step iter_args(%s = %to) -> (i8) : i8 {
    tile.store_ptr %i, %p : !tile.ptr<i8>
    %next = arith.addi %s, %i : i8
    scf.yield %next : i8
  }
  // CHECK: return %[[SUM]]
  return %sum : i8
}
