// SPDX-License-Identifier: Apache-2.0
// RUN: tile-opt %s --verify-diagnostics -o /dev/null --tile-check-wishes=disabled=tile-split-precision
// RUN: tile-opt %s -o /dev/null --tile-check-wishes=disabled=tile-order-grid 2>&1 | not grep 'warning: precision'
// RUN: tile-opt %s -o /dev/null --tile-check-wishes=parts=2 2>&1 | not grep 'warning: precision'

func.func @precision(%a: !tile.view<64x64xf32, strides = [64, 1]>) attributes {tile.kernel} {
  %x = arith.constant dense<1.0> : tensor<64x64xf32>
  %0 = tile.dot %x, %x, %x precision tf32 : tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>
  // expected-warning @below {{precision bf16x3 has no effect: tile-split-precision is disabled, so products are those of f32}}
  %1 = tile.dot %x, %x, %0 precision bf16x3 : tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>
  return
}
