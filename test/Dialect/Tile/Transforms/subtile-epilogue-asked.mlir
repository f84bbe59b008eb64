// SPDX-License-Identifier: Apache-2.0
// RUN: tile-opt %s --split-input-file --tile-subtile-epilogue=parts=2 --remarks-filter=tile-subtile-epilogue --remark-policy=all -o /dev/null 2>&1 | FileCheck %s
// RUN: tile-opt %s --split-input-file --tile-subtile-epilogue=parts=1 --remarks-filter=tile-subtile-epilogue --remark-policy=all -o /dev/null 2>&1 | FileCheck %s --check-prefix=ONE

// What is asked for and possible is done, whether it pays or not.
// CHECK: [Passed] {{.*}}Function=square | {{.*}}store in 2 parts of 64 + 64 columns, as asked: 128 + 32 registers of 223 instead of 128 + 64, 16384 bytes of shared memory to become rows instead of 32768, the products take 32768
// ONE:   [Passed] {{.*}}Function=square | {{.*}}store in one part, as asked: 128 + 64 registers of 223, 32768 bytes
!m = !tile.view<?x?xf16, strides = [?, 1]>
func.func @square(%c: !m, %i: index, %j: index) attributes {tile.kernel} {
  %x = arith.constant dense<1.0> : tensor<128x64xf16>
  %y = arith.constant dense<1.0> : tensor<64x128xf16>
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %d = tile.dot %x, %y, %zero : tensor<128x64xf16>, tensor<64x128xf16> -> tensor<128x128xf32>
  %h = arith.truncf %d : tensor<128x128xf32> to tensor<128x128xf16>
  tile.store %h, %c[%i, %j] : tensor<128x128xf16>, !m
  return
}

// -----

// Two stores share a residual.
// CHECK: [Passed] {{.*}}Function=two_stores | {{.*}}store in 2 parts of 32 + 32 columns
// CHECK: [Missed] {{.*}}Function=two_stores | {{.*}}Reason="all parts are read in front of the store, because several stores use it"
!m = !tile.view<?x?xf32, strides = [?, 1]>
func.func @two_stores(%c: !m, %o: !m, %i: index, %j: index) attributes {tile.kernel} {
  %x = arith.constant dense<1.0> : tensor<16x16xf16>
  %y = arith.constant dense<1.0> : tensor<16x64xf16>
  %zero = arith.constant dense<0.0> : tensor<16x64xf32>
  %d = tile.dot %x, %y, %zero : tensor<16x16xf16>, tensor<16x64xf16> -> tensor<16x64xf32>
  %old = tile.load %o[%i, %j] : !m -> tensor<16x64xf32>
  %p = arith.addf %d, %old : tensor<16x64xf32>
  tile.store %p, %c[%i, %j] : tensor<16x64xf32>, !m
  %q = arith.mulf %d, %old : tensor<16x64xf32>
  tile.store %q, %c[%j, %i] : tensor<16x64xf32>, !m
  return
}

// -----

// Parts of different extents: each has its own figures. A store that cannot be cut is in one part, which is what it asks for.
// CHECK: [Passed] {{.*}}Function=unequal | {{.*}}store in 2 parts of 48 + 32 columns, as asked: 40 + (12 + 8, one after the other) registers of 223 instead of 40 + 20, (6144 + 4096, one after the other) bytes of shared memory to become rows instead of 10240, the products take 18432
// CHECK: [Passed] {{.*}}Function=unequal | {{.*}}store in one part, as asked; it could not be cut: no product makes what is stored
!m = !tile.view<?x?xf16, strides = [?, 1]>
func.func @unequal(%c: !m, %i: index, %j: index) attributes {tile.kernel} {
  %x = arith.constant dense<1.0> : tensor<64x64xf16>
  %y = arith.constant dense<1.0> : tensor<64x80xf16>
  %zero = arith.constant dense<0.0> : tensor<64x80xf32>
  %d = tile.dot %x, %y, %zero : tensor<64x64xf16>, tensor<64x80xf16> -> tensor<64x80xf32>
  %h = arith.truncf %d : tensor<64x80xf32> to tensor<64x80xf16>
  tile.store %h, %c[%i, %j] : tensor<64x80xf16>, !m
  tile.store %x, %c[%i, %j] {tile.epilogue_parts = 1} : tensor<64x64xf16>, !m
  return
}
