// SPDX-License-Identifier: Apache-2.0
// RUN: tile-opt %s --tile-set-in-bounds | FileCheck %s
// RUN: tile-opt %s --tile-set-in-bounds --remarks-filter=tile-set-in-bounds --remark-policy=all -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

!s = !tile.view<128x64xf32, strides = [64, 1]>
!d = !tile.view<?x64xf32, strides = [64, 1]>

// Static sizes hold the whole block.
// CHECK-LABEL: func @interior
// CHECK:         tile.load %{{.*}} in_bounds [true, true]
// CHECK:         tile.store %{{.*}} in_bounds [true, true]
// REMARK: Function=interior | Remark="no bounds check along view dims 0, 1"
func.func @interior(%v: !s) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %x = tile.load %v[%c0, %c0] : !s -> tensor<128x64xf32>
  tile.store %x, %v[%c0, %c0] : tensor<128x64xf32>, !s
  return
}

// A promise that stands is kept, a size that is not known stays checked.
// CHECK-LABEL: func @partly
// CHECK:         tile.load %{{.*}} in_bounds [false, true]
// CHECK:         tile.load %{{.*}} in_bounds [true, true]
func.func @partly(%v: !d, %i: index) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %x = tile.load %v[%i, %c0] : !d -> tensor<8x64xf32>
  %y = tile.load %v[%i, %c0] in_bounds [true, false] : !d -> tensor<8x64xf32>
  %z = arith.addf %x, %y : tensor<8x64xf32>
  tile.store %z, %v[%i, %c0] : tensor<8x64xf32>, !d
  return
}

// One past the end, and one before the start: both checks stay.
// CHECK-LABEL: func @outside
// CHECK:         tile.load %{{.*}}[%{{.*}}, %{{.*}}] : !tile.view
// CHECK-NOT:     in_bounds
func.func @outside(%v: !s) attributes {tile.kernel} {
  %c1 = arith.constant 1 : index
  %cm1 = arith.constant -1 : index
  %x = tile.load %v[%c1, %cm1] : !s -> tensor<128x64xf32>
  tile.store %x, %v[%c1, %cm1] : tensor<128x64xf32>, !s
  return
}

// Each index is looked at by itself; rows of indices that are not known stay checked.
// CHECK-LABEL: func @indexed
// CHECK:         tile.gather %{{.*}} in_bounds [true, true]
// CHECK:         tile.scatter %{{.*}} in_bounds [false, true]
// REMARK: Function=indexed | Remark="no bounds check along view dims 0, 1"
// REMARK: Function=indexed | Remark="no bounds check along view dims 1"
func.func @indexed(%v: !s, %r: !tile.view<?xi32, strides = [1]>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %rows = tile.load %r[%c0] : !tile.view<?xi32, strides = [1]> -> tensor<128xi32>
  %i = tile.iota : tensor<128xi32>
  %x = tile.gather %v[%i, %c0] : !s[tensor<128xi32>, index] -> tensor<128x64xf32>
  tile.scatter %x, %v[%rows, %c0] : tensor<128x64xf32>, !s[tensor<128xi32>, index]
  return
}
