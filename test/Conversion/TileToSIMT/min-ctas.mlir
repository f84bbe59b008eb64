// SPDX-License-Identifier: Apache-2.0
// What ptxas is told of how many CTAs an SM shall hold: what the kernel says, else one for large CTAs with products.
// RUN: tile-opt %s --tile-pipeline="target=sm_90a max-variants=1" | FileCheck %s

!half = !tile.view<?x?xf16, strides = [?, 1]>
!full = !tile.view<?x?xf32, strides = [?, 1]>

// CHECK-LABEL: func.func @mma(
// CHECK-SAME:    tile_gpu.min_ctas = 1 : i32, tile_gpu.num_threads = 256 : i32
func.func @mma(%a: !half, %b: !half, %c: !full) attributes {tile.kernel, tile.num_warps = 8 : i64} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %x = tile.load %a[%c0, %c0] : !half -> tensor<64x64xf16>
  %y = tile.load %b[%c0, %c0] : !half -> tensor<64x64xf16>
  %d = tile.dot %x, %y, %zero : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
  tile.store %d, %c[%c0, %c0] : tensor<64x64xf32>, !full
  return
}

// A product on multiply-add units, in a loop.
// CHECK-LABEL: func.func @fma(
// CHECK-SAME:    tile_gpu.min_ctas = 1 : i32, tile_gpu.num_threads = 512 : i32
func.func @fma(%a: !full, %b: !full, %c: !full, %n: index) attributes {tile.kernel, tile.num_warps = 16 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %d = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) {
    %x = tile.load %a[%c0, %k] : !full -> tensor<64x64xf32>
    %y = tile.load %b[%k, %c0] : !full -> tensor<64x64xf32>
    %next = tile.dot %x, %y, %acc : tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  tile.store %d, %c[%c0, %c0] : tensor<64x64xf32>, !full
  return
}

// CHECK-LABEL: func.func @asked(
// CHECK-SAME:    tile_gpu.min_ctas = 2 : i32, tile_gpu.num_threads = 512 : i32
func.func @asked(%a: !half, %b: !half, %c: !full) attributes {tile.kernel, tile.num_warps = 16 : i64, tile.occupancy = 2 : i64} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %x = tile.load %a[%c0, %c0] : !half -> tensor<64x64xf16>
  %y = tile.load %b[%c0, %c0] : !half -> tensor<64x64xf16>
  %d = tile.dot %x, %y, %zero : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
  tile.store %d, %c[%c0, %c0] : tensor<64x64xf32>, !full
  return
}

// CHECK-LABEL: func.func @small(
// CHECK-SAME:    attributes {tile_gpu.kernel, tile_gpu.num_threads = 128 : i32
func.func @small(%a: !half, %b: !half, %c: !full) attributes {tile.kernel, tile.num_warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %x = tile.load %a[%c0, %c0] : !half -> tensor<64x64xf16>
  %y = tile.load %b[%c0, %c0] : !half -> tensor<64x64xf16>
  %d = tile.dot %x, %y, %zero : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
  tile.store %d, %c[%c0, %c0] : tensor<64x64xf32>, !full
  return
}

// CHECK-LABEL: func.func @no_product(
// CHECK-SAME:    attributes {tile_gpu.kernel, tile_gpu.num_threads = 512 : i32
func.func @no_product(%a: !full, %c: !full) attributes {tile.kernel, tile.num_warps = 16 : i64} {
  %c0 = arith.constant 0 : index
  %x = tile.load %a[%c0, %c0] : !full -> tensor<64x64xf32>
  tile.store %x, %c[%c0, %c0] : tensor<64x64xf32>, !full
  return
}
