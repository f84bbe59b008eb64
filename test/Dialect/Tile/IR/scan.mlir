// RUN: tile-opt %s | tile-opt | FileCheck %s --check-prefix=SAME
// RUN: tile-opt %s -canonicalize | FileCheck %s

// SAME-LABEL: func.func @suffix_sums
// SAME:         tile.scan %{{.*}} dim 1 reverse identity [0.000000e+00 : f32] : tensor<4x8xf32> -> tensor<4x8xf32> {
// CHECK-LABEL: func.func @suffix_sums
// CHECK:         tile.scan
func.func @suffix_sums(%t: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %s = tile.scan %t dim 1 reverse identity [0.0 : f32] : tensor<4x8xf32> -> tensor<4x8xf32> {
  ^bb0(%a: f32, %e: f32):
    %r = arith.addf %a, %e : f32
    tile.yield %r : f32
  }
  return %s : tensor<4x8xf32>
}

// x -> a * x + b, composed: associative, and not commutative.
// SAME-LABEL: func.func @linear_recurrence
// SAME:         tile.scan %{{.*}}, %{{.*}} dim 0 : tensor<8xf32>, tensor<8xf32> -> tensor<8xf32>, tensor<8xf32> {
// SAME-NEXT:    ^bb0(%{{.*}}: f32, %{{.*}}: f32, %{{.*}}: f32, %{{.*}}: f32):
func.func @linear_recurrence(%a: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<8xf32> {
  %s:2 = tile.scan %a, %b dim 0 : tensor<8xf32>, tensor<8xf32> -> tensor<8xf32>, tensor<8xf32> {
  ^bb0(%pa: f32, %pb: f32, %ea: f32, %eb: f32):
    %ra = arith.mulf %pa, %ea : f32
    %t = arith.mulf %ea, %pb : f32
    %rb = arith.addf %t, %eb : f32
    tile.yield %ra, %rb : f32, f32
  }
  return %s#1 : tensor<8xf32>
}

// A prefix of one element is the element.
// CHECK-LABEL: func.func @extent_of_one(
// CHECK-SAME:    %[[T:.*]]: tensor
// CHECK-NEXT:    return %[[T]]
func.func @extent_of_one(%t: tensor<4x1xf32>) -> tensor<4x1xf32> {
  %s = tile.scan %t dim 1 : tensor<4x1xf32> -> tensor<4x1xf32> {
  ^bb0(%a: f32, %e: f32):
    %r = arith.addf %a, %e : f32
    tile.yield %r : f32
  }
  return %s : tensor<4x1xf32>
}
