// RUN: tile-opt %s | tile-opt | FileCheck %s --check-prefix=SAME
// RUN: tile-opt %s -canonicalize | FileCheck %s

!w = !tile.view<?x128xf32, strides = [128, 1]>

// SAME-LABEL: func.func @round_trip
// SAME:         tile.gather %{{.*}}[%{{.*}}, %{{.*}}] pad(neg_inf) : !tile.view<?x128xf32, strides = [128, 1]>[tensor<64xi32>, index] -> tensor<64x128xf32>
// SAME:         tile.gather %{{.*}}[%{{.*}}, %{{.*}}] in_bounds [false, true] after(%{{.*}}) : !tile.view<{{.*}}>[index, tensor<4xi64>] -> tensor<8x4xf32>, !tile.token
// SAME:         tile.scatter %{{.*}}, %{{.*}}[%{{.*}}, %{{.*}}] : tensor<64x128xf32>, !tile.view<{{.*}}>[tensor<64xi32>, index]
// SAME-NEXT:    tile.scatter %{{.*}}, %{{.*}}[%{{.*}}, %{{.*}}] in_bounds [true, false] after(%{{.*}}) : tensor<64x128xf32>, !tile.view<{{.*}}>[tensor<64xi32>, index] -> !tile.token
func.func @round_trip(%w: !w, %rows: tensor<64xi32>, %columns: tensor<4xi64>, %t: !tile.token) -> tensor<8x4xf32> {
  %c0 = arith.constant 0 : index
  %g = tile.gather %w[%rows, %c0] pad(neg_inf) : !w[tensor<64xi32>, index] -> tensor<64x128xf32>
  %h, %u = tile.gather %w[%c0, %columns] in_bounds [false, true] after(%t)
      : !w[index, tensor<4xi64>] -> tensor<8x4xf32>, !tile.token
  tile.scatter %g, %w[%rows, %c0] : tensor<64x128xf32>, !w[tensor<64xi32>, index]
  %v = tile.scatter %g, %w[%rows, %c0] in_bounds [true, false] after(%u)
      : tensor<64x128xf32>, !w[tensor<64xi32>, index] -> !tile.token
  return %h : tensor<8x4xf32>
}

// No flags where they say nothing, and no pad where nothing is checked.
// CHECK-LABEL: func.func @defaults
// CHECK:         tile.gather %{{.*}}[%{{.*}}, %{{.*}}] pad(zero) :
// CHECK:         tile.gather %{{.*}}[%{{.*}}, %{{.*}}] in_bounds [true, true] :
// CHECK:         tile.gather %{{.*}}[%{{.*}}, %{{.*}}] in_bounds [true, false] pad(zero) :
// CHECK:         tile.scatter %{{.*}}, %{{.*}}[%{{.*}}, %{{.*}}] :
func.func @defaults(%w: !w, %rows: tensor<8xi32>) -> (tensor<8x2xf32>, tensor<8x2xf32>) {
  %c0 = arith.constant 0 : index
  %a = tile.gather %w[%rows, %c0] in_bounds [false, false] pad(zero) : !w[tensor<8xi32>, index] -> tensor<8x2xf32>
  %b = tile.gather %w[%rows, %c0] in_bounds [true, true] pad(zero) : !w[tensor<8xi32>, index] -> tensor<8x2xf32>
  %c = tile.gather %w[%rows, %c0] in_bounds [true, false] pad(zero) : !w[tensor<8xi32>, index] -> tensor<8x2xf32>
  tile.scatter %a, %w[%rows, %c0] in_bounds [false, false] : tensor<8x2xf32>, !w[tensor<8xi32>, index]
  return %b, %c : tensor<8x2xf32>, tensor<8x2xf32>
}
