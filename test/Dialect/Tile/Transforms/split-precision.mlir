// RUN: tile-opt %s --tile-split-precision | FileCheck %s

// Three products of tf32 parts with one sum, the smallest first.
// CHECK-LABEL: func.func @tf32x3
// CHECK:         %[[A0:.*]] = arith.truncf %{{.*}} : tensor<16x16xf32> to tensor<16x16xtf32>
// CHECK:         %[[A1:.*]] = arith.truncf %{{.*}} : tensor<16x16xf32> to tensor<16x16xtf32>
// CHECK:         %[[B0:.*]] = arith.truncf %{{.*}} : tensor<16x16xf32> to tensor<16x16xtf32>
// CHECK:         %[[B1:.*]] = arith.truncf %{{.*}} : tensor<16x16xf32> to tensor<16x16xtf32>
// CHECK:         %[[S0:.*]] = tile.dot %[[A1]], %[[B0]], %arg2
// CHECK:         %[[S1:.*]] = tile.dot %[[A0]], %[[B1]], %[[S0]]
// CHECK:         %[[S2:.*]] = tile.dot %[[A0]], %[[B0]], %[[S1]]
// CHECK:         return %[[S2]]
func.func @tf32x3(%a: tensor<16x16xf32>, %b: tensor<16x16xf32>, %c: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %d = tile.dot %a, %b, %c precision tf32x3 : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
  return %d : tensor<16x16xf32>
}

// CHECK-LABEL: func.func @bf16x6
// CHECK-COUNT-6: tile.dot {{.*}} {tile.mma = "mma.sync"} : tensor<16x16xbf16>, tensor<16x16xbf16> -> tensor<16x16xf32>
// CHECK-NOT:     tile.dot
// CHECK:         return
func.func @bf16x6(%a: tensor<16x16xf32>, %b: tensor<16x16xf32>, %c: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %d = tile.dot %a, %b, %c precision bf16x6 {tile.mma = "mma.sync"} : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
  return %d : tensor<16x16xf32>
}

// Exact products and single tf32 ones are one product.
// CHECK-LABEL: func.func @others
// CHECK:         tile.dot %arg0, %arg1, %arg2 precision tf32 :
// CHECK:         tile.dot %arg0, %arg1, %{{.*}} : tensor<16x16xf32>
func.func @others(%a: tensor<16x16xf32>, %b: tensor<16x16xf32>, %c: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %d = tile.dot %a, %b, %c precision tf32 : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
  %e = tile.dot %a, %b, %d : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
  return %e : tensor<16x16xf32>
}
