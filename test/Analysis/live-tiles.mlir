// SPDX-License-Identifier: Apache-2.0
// RUN: test-tile-opt %s --split-input-file --verify-diagnostics --test-print-live-tiles -o /dev/null

// 4096 bytes are carried; the loaded tile lives beside the product, which takes the place of what was carried.
!v = !tile.view<?x?xf32, strides = [?, 1]>
func.func @carried(%v: !v, %n: index) -> tensor<32x32xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  // expected-remark @below {{4096 bytes throughout, 4096 in a trip, 2048 elements}}
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%t = %zero) -> (tensor<32x32xf32>) {
    %x = tile.load %v[%i, %c0] : !v -> tensor<32x32xf32>
    %p = arith.mulf %t, %x : tensor<32x32xf32>
    scf.yield %p : tensor<32x32xf32>
  }
  return %r : tensor<32x32xf32>
}

// -----

// Two loads live at once, the sum takes the place of one; what is made in front and used in the loop or behind it counts
// throughout. Constants, splats and counts count nothing, nor do relabellings beside what they show.
!v = !tile.view<?xf32, strides = [1]>
func.func @around(%v: !v, %n: index, %s: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %behind = tile.load %v[%c0] : !v -> tensor<1024xf32>
  %inside = tile.load %v[%n] : !v -> tensor<512xf32>
  %unused = tile.load %v[%n] : !v -> tensor<256xf32>
  %two = arith.constant dense<2.0> : tensor<512xf32>
  // expected-remark @below {{6144 bytes throughout, 4096 in a trip, 3072 elements}}
  scf.for %i = %c0 to %n step %c1 {
    %x = tile.load %v[%i] : !v -> tensor<512xf32>
    %y = tile.load %v[%n] : !v -> tensor<512xf32>
    %r = tile.reshape %y : tensor<512xf32> -> tensor<1x512xf32>
    %back = tile.reshape %r : tensor<1x512xf32> -> tensor<512xf32>
    %splat = tile.splat %s : f32 -> tensor<512xf32>
    %scaled = arith.mulf %splat, %two : tensor<512xf32>
    %a = arith.addf %x, %back : tensor<512xf32>
    %b = arith.mulf %a, %inside : tensor<512xf32>
    %c = arith.addf %b, %scaled : tensor<512xf32>
    tile.store %c, %v[%i] : tensor<512xf32>, !v
  }
  tile.store %behind, %v[%c0] : tensor<1024xf32>, !v
  return
}

// -----

// What a branch holds counts while it runs, and what a reduction leaves is small.
!v = !tile.view<?xf16, strides = [1]>
func.func @branch(%v: !v, %n: index, %is: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-remark @below {{0 bytes throughout, 1536 in a trip, 1537 elements}}
  scf.for %i = %c0 to %n step %c1 {
    %x = tile.load %v[%i] : !v -> tensor<256xf16>
    %y = scf.if %is -> (tensor<1xf16>) {
      %z = tile.load %v[%c0] : !v -> tensor<512xf16>
      %m = tile.reduce %z dim 0 : tensor<512xf16> -> f16 {
      ^bb0(%a: f16, %e: f16):
        %r = arith.addf %a, %e : f16
        tile.yield %r : f16
      }
      %s = tile.splat %m : f16 -> tensor<1xf16>
      scf.yield %s : tensor<1xf16>
    } else {
      %o = arith.constant dense<1.0> : tensor<1xf16>
      scf.yield %o : tensor<1xf16>
    }
    tile.store %y, %v[%i] : tensor<1xf16>, !v
    tile.store %x, %v[%i] : tensor<256xf16>, !v
  }
  return
}
