// SPDX-License-Identifier: Apache-2.0
// Parts that cannot be had are an error, whoever asks for them.
// RUN: tile-opt %s --split-input-file --tile-subtile-epilogue=parts=2 --verify-diagnostics -o /dev/null

!m = !tile.view<?x?xf32, strides = [?, 1]>
func.func @row_sum(%c: !m, %i: index, %j: index) attributes {tile.kernel} {
  %x = arith.constant dense<1.0> : tensor<16x16xf16>
  %y = arith.constant dense<1.0> : tensor<16x64xf16>
  %zero = arith.constant dense<0.0> : tensor<16x64xf32>
  %d = tile.dot %x, %y, %zero : tensor<16x16xf16>, tensor<16x64xf16> -> tensor<16x64xf32>
  %sum = tile.reduce %d dim 1 : tensor<16x64xf32> -> tensor<16xf32> {
  ^bb0(%a: f32, %e: f32):
    %r = arith.addf %a, %e : f32
    tile.yield %r : f32
  }
  %column = tile.reshape %sum : tensor<16xf32> -> tensor<16x1xf32>
  %sums = tile.broadcast %column : tensor<16x1xf32> -> tensor<16x64xf32>
  %q = arith.divf %d, %sums : tensor<16x64xf32>
  // expected-error @below {{cannot be done in 2 parts, as the option epilogue-parts asks: tile.reduce needs all of what tile.dot gives}}
  tile.store %q, %c[%i, %j] : tensor<16x64xf32>, !m
  return
}

// -----

!m = !tile.view<?x?xf32, strides = [?, 1]>
func.func @asked(%c: !m, %i: index, %j: index) attributes {tile.kernel, tile.epilogue_parts = 4} {
  %x = arith.constant dense<1.0> : tensor<16x16xf16>
  %y = arith.constant dense<1.0> : tensor<16x48xf16>
  %zero = arith.constant dense<0.0> : tensor<16x48xf32>
  %d = tile.dot %x, %y, %zero : tensor<16x16xf16>, tensor<16x48xf16> -> tensor<16x48xf32>
  // expected-error @below {{cannot be done in 4 parts, as tile.epilogue_parts asks: 48 columns are fewer than 64 of 4 parts}}
  tile.store %d, %c[%i, %j] : tensor<16x48xf32>, !m
  return
}

// -----

!m = !tile.view<?x?xf32, strides = [?, 1]>
func.func @two_minds(%c: !m, %o: !m, %i: index, %j: index) attributes {tile.kernel} {
  %x = arith.constant dense<1.0> : tensor<16x16xf16>
  %y = arith.constant dense<1.0> : tensor<16x64xf16>
  %zero = arith.constant dense<0.0> : tensor<16x64xf32>
  %d = tile.dot %x, %y, %zero : tensor<16x16xf16>, tensor<16x64xf16> -> tensor<16x64xf32>
  %old = tile.load %o[%i, %j] : !m -> tensor<16x64xf32>
  %p = arith.addf %d, %old : tensor<16x64xf32>
  // expected-error @below {{cannot be done in 3 parts, as tile.epilogue_parts asks: another store of the same tile asks for 4 parts}}
  tile.store %p, %c[%i, %j] {tile.epilogue_parts = 3} : tensor<16x64xf32>, !m
  %q = arith.mulf %d, %old : tensor<16x64xf32>
  tile.store %q, %c[%j, %i] {tile.epilogue_parts = 4} : tensor<16x64xf32>, !m
  return
}

// -----

!m = !tile.view<?x?xf32, strides = [?, 1]>
func.func @no_product(%c: !m, %i: index, %j: index) attributes {tile.kernel} {
  %zero = arith.constant dense<0.0> : tensor<16x64xf32>
  // expected-error @below {{cannot be done in 2 parts, as tile.epilogue_parts asks: no product makes what is stored}}
  tile.store %zero, %c[%i, %j] {tile.epilogue_parts = 2} : tensor<16x64xf32>, !m
  return
}

// -----

!m = !tile.view<?x?xf32, strides = [?, 1]>
// expected-error @below {{tile.epilogue_parts asks for 2 parts of what products make, but the kernel stores no such tile}}
func.func @no_store(%c: !m, %i: index, %j: index) attributes {tile.kernel, tile.epilogue_parts = 2} {
  %zero = arith.constant dense<0.0> : tensor<16x64xf32>
  tile.store %zero, %c[%i, %j] : tensor<16x64xf32>, !m
  return
}

// -----

!m = !tile.view<?x?xf32, strides = [?, 1]>
func.func @odd(%c: !m, %i: index, %j: index) attributes {tile.kernel} {
  %x = arith.constant dense<1.0> : tensor<16x16xf16>
  %y = arith.constant dense<1.0> : tensor<16x40xf16>
  %zero = arith.constant dense<0.0> : tensor<16x40xf32>
  %d = tile.dot %x, %y, %zero : tensor<16x16xf16>, tensor<16x40xf16> -> tensor<16x40xf32>
  // expected-error @below {{cannot be done in 2 parts, as the option epilogue-parts asks: 40 columns are no multiple of 16}}
  tile.store %d, %c[%i, %j] : tensor<16x40xf32>, !m
  return
}
