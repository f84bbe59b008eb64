// What range analysis learns from each op.
// RUN: tile-opt %s -int-range-optimizations | FileCheck %s

// CHECK-LABEL: func.func @program
func.func @program() -> (i1, i1, i1) {
  // CHECK-DAG: %[[YES:.*]] = arith.constant true
  // CHECK-DAG: %[[NO:.*]] = arith.constant false
  // CHECK: return %[[YES]], %[[NO]], %[[YES]]
  %c0 = arith.constant 0 : index
  %max = arith.constant 2147483647 : index
  %id = tile.program_id z
  %n = tile.num_programs x
  %0 = arith.cmpi sge, %id, %c0 : index
  %1 = arith.cmpi sge, %id, %max : index
  %2 = arith.cmpi sgt, %n, %c0 : index
  return %0, %1, %2 : i1, i1, i1
}

// CHECK-LABEL: func.func @facts
func.func @facts(%n: i32, %v: !tile.view<?x8xf32, strides = [?, 1]>) -> (i1, i1, i1) {
  // CHECK-DAG: %[[YES:.*]] = arith.constant true
  // CHECK: %[[OPEN:.*]] = arith.cmpi slt
  // CHECK: return %[[YES]], %[[YES]], %[[OPEN]]
  %c0 = arith.constant 0 : index
  %m1 = arith.constant -1 : i32
  %m4 = arith.constant -4 : i32
  %a = tile.assume %n min -4 max 4 : i32
  %s = tile.view_size %v, 0 : !tile.view<?x8xf32, strides = [?, 1]>
  %0 = arith.cmpi sge, %a, %m4 : i32
  %1 = arith.cmpi sge, %s, %c0 : index
  %2 = arith.cmpi slt, %a, %m1 : i32
  return %0, %1, %2 : i1, i1, i1
}

// CHECK-LABEL: func.func @tiles
func.func @tiles() -> (tensor<8x4xi1>, tensor<8x4xi1>) {
  // CHECK-DAG: arith.constant dense<true> : tensor<8x4xi1>
  // CHECK-DAG: arith.cmpi ult
  %limit = arith.constant dense<12> : tensor<8x4xi8>
  %less = arith.constant dense<11> : tensor<8x4xi8>
  %i = tile.iota start 8 : tensor<4xi8>
  %r = tile.reshape %i : tensor<4xi8> -> tensor<1x4xi8>
  %b = tile.broadcast %r : tensor<1x4xi8> -> tensor<8x4xi8>
  %0 = arith.cmpi ult, %b, %limit : tensor<8x4xi8>
  %1 = arith.cmpi ult, %b, %less : tensor<8x4xi8>
  return %0, %1 : tensor<8x4xi1>, tensor<8x4xi1>
}

// Facts that contradict each other are no reason to crash.
// CHECK-LABEL: func.func @contradiction
func.func @contradiction(%n: i32) -> i32 {
  %a = tile.assume %n min 4 : i32
  %b = tile.assume %a max 3 : i32
  return %b : i32
}
