// RUN: tile-opt %s -tile-expand-math -split-input-file | FileCheck %s --implicit-check-not=math.exp --implicit-check-not=math.sin

// What replaces a function is arithmetic of the same shape: clamps, fused multiply-adds, a power of two from bits.
// CHECK-LABEL: func @exp
// CHECK:         arith.maximumf %{{.*}} : vector<8xf32>
// CHECK:         arith.minimumf
// CHECK-COUNT-3: math.fma
// CHECK:         %[[N:.*]] = arith.bitcast %{{.*}} : vector<8xf32> to vector<8xi32>
// CHECK:         arith.shli %[[N]], %{{.*}} : vector<8xi32>
// CHECK:         arith.mulf
// CHECK-NEXT:    arith.mulf
// CHECK-NEXT:    return
func.func @exp(%x: vector<8xf32>) -> vector<8xf32> {
  %0 = math.exp %x fastmath<afn> : vector<8xf32>
  return %0 : vector<8xf32>
}

// -----

// CHECK-LABEL: func @half_goes_through_f32
// CHECK:         arith.extf %{{.*}} : f16 to f32
// CHECK:         %[[R:.*]] = arith.truncf %{{.*}} : f32 to f16
// CHECK-NEXT:    return %[[R]]
func.func @half_goes_through_f32(%x: f16) -> f16 {
  %0 = math.exp2 %x : f16
  return %0 : f16
}

// -----

// A tensor keeps its encoding, and sine has no branch there.
// CHECK-LABEL: func @tensor_with_encoding
// CHECK-NOT:     scf.if
// CHECK:         return %{{.*}} : tensor<4x8xf32, "layout">
func.func @tensor_with_encoding(%x: tensor<4x8xf32, "layout">) -> tensor<4x8xf32, "layout"> {
  %0 = math.sin %x : tensor<4x8xf32, "layout">
  return %0 : tensor<4x8xf32, "layout">
}

// -----

// One branch for all elements: the long reduction runs only where an argument is huge.
// CHECK-LABEL: func @sine_branches_once
// CHECK:         %[[ANY:.*]] = vector.reduction <or>
// CHECK:         scf.if %[[ANY]] -> (vector<2x4xf32>, vector<2x4xi32>)
func.func @sine_branches_once(%x: vector<2x4xf32>) -> vector<2x4xf32> {
  %0 = math.sin %x : vector<2x4xf32>
  return %0 : vector<2x4xf32>
}

// -----

// No LLVM type: only integers of its width remain.
// CHECK-LABEL: func @f8_from_f32
// CHECK-NOT:     arith.truncf
// CHECK:         %[[I:.*]] = arith.trunci %{{.*}} : vector<4xi32> to vector<4xi8>
// CHECK:         arith.bitcast %[[I]] : vector<4xi8> to vector<4xf8E4M3FN>
func.func @f8_from_f32(%x: vector<4xf32>) -> vector<4xf8E4M3FN> {
  %0 = arith.truncf %x : vector<4xf32> to vector<4xf8E4M3FN>
  return %0 : vector<4xf8E4M3FN>
}

// -----

// sqrt has no f16 instruction.
// CHECK-LABEL: func @sqrt_of_half
// CHECK:         math.sqrt %{{.*}} : f32
// CHECK-NEXT:    arith.truncf
func.func @sqrt_of_half(%x: f16) -> f16 {
  %0 = math.sqrt %x : f16
  return %0 : f16
}

// -----

// What LLVM compiles on every target is left alone.
// CHECK-LABEL: func @left_alone
// CHECK-NEXT:    math.absf %{{.*}} : f32
// CHECK-NEXT:    math.floor
// CHECK-NEXT:    math.sqrt
// CHECK-NEXT:    math.fma
// CHECK-NEXT:    math.copysign
// CHECK-NEXT:    arith.truncf %{{.*}} : f32 to bf16
// CHECK-NEXT:    return
func.func @left_alone(%x: f32) -> bf16 {
  %0 = math.absf %x : f32
  %1 = math.floor %0 : f32
  %2 = math.sqrt %1 : f32
  %3 = math.fma %2, %x, %x : f32
  %4 = math.copysign %3, %x : f32
  %5 = arith.truncf %4 : f32 to bf16
  return %5 : bf16
}

// -----

// LLVM would call a library for an op that states its rounding, also where it states the usual one.
// CHECK-LABEL: func @nearest_is_not_stated
// CHECK:         arith.truncf %{{.*}} : f32 to bf16
func.func @nearest_is_not_stated(%x: f32) -> bf16 {
  %0 = arith.truncf %x to_nearest_even : f32 to bf16
  return %0 : bf16
}
