// SPDX-License-Identifier: Apache-2.0
// RUN: tile-opt %s --split-input-file --tile-subtile-epilogue --remarks-filter=tile-subtile-epilogue --remark-policy=all -o /dev/null 2>&1 | FileCheck %s
// RUN: not tile-opt %s --split-input-file --tile-subtile-epilogue=target=sm_70 -o /dev/null 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: unknown target 'sm_70': expected one of sm_80

// Rows of 128 columns in f16 go through 32 KiB where the operands of the product take 32 KiB: nothing is gained.
// CHECK: [Analysis] {{.*}}SubtileEpilogue{{.*}}Function=square | {{.*}}store in one part: 128 + 64 registers of 223, 32768 bytes of shared memory to become rows, the products take 32768
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

// Twice as many columns: 64 KiB beside 48 KiB, so two parts. The load may read what the store of the first part writes.
// CHECK: [Passed] {{.*}}Function=wide | {{.*}}store in 2 parts of 128 + 128 columns: 128 + 64 registers of 223 instead of 128 + 128, 32768 bytes of shared memory to become rows instead of 65536, the products take 49152
// CHECK: [Missed] {{.*}}Function=wide | {{.*}}Reason="all parts are read in front of the store, because the store may write what it reads"
!m = !tile.view<?x?xf16, strides = [?, 1]>
func.func @wide(%c: !m {tile.noalias}, %i: index, %j: index) attributes {tile.kernel} {
  %x = arith.constant dense<1.0> : tensor<128x64xf16>
  %y = arith.constant dense<1.0> : tensor<64x256xf16>
  %zero = arith.constant dense<0.0> : tensor<128x256xf32>
  %d = tile.dot %x, %y, %zero : tensor<128x64xf16>, tensor<64x256xf16> -> tensor<128x256xf32>
  %h = arith.truncf %d : tensor<128x256xf32> to tensor<128x256xf16>
  %o = tile.load %c[%i, %j] pad(zero) : !m -> tensor<128x256xf16>
  %s = arith.addf %h, %o : tensor<128x256xf16>
  tile.store %s, %c[%i, %j] : tensor<128x256xf16>, !m
  return
}

// -----

// f32 sums are stored as each thread holds them, so shared memory asks for nothing. Four CTAs of 4 warps leave each thread 128
// registers, too few for 64 sums, 64 that are read and 64 that are stored.
// CHECK: [Analysis] {{.*}}Function=direct | {{.*}}store in one part: 64 + 64 registers of 223, 0 bytes of shared memory
// CHECK: [Analysis] {{.*}}Function=crowded | {{.*}}store in one part
// CHECK: [Passed] {{.*}}Function=crowded | {{.*}}store in 4 parts of 32 + 32 + 32 + 32 columns: 64 + 32 registers of 96 instead of 64 + 128, 0 bytes of shared memory
// CHECK: [Missed] {{.*}}Function=crowded | {{.*}}Reason="all parts are read in front of the store, because a tile.store before may write what it reads"
!m = !tile.view<?x?xf32, strides = [?, 1]>
func.func @direct(%c: !m, %i: index, %j: index) attributes {tile.kernel} {
  %x = arith.constant dense<1.0> : tensor<64x64xf16>
  %y = arith.constant dense<1.0> : tensor<64x128xf16>
  %zero = arith.constant dense<0.0> : tensor<64x128xf32>
  %d = tile.dot %x, %y, %zero : tensor<64x64xf16>, tensor<64x128xf16> -> tensor<64x128xf32>
  tile.store %d, %c[%i, %j] : tensor<64x128xf32>, !m
  return
}
func.func @crowded(%c: !m, %i: index, %j: index) attributes {tile.kernel, tile.occupancy = 4} {
  %x = arith.constant dense<1.0> : tensor<64x64xf16>
  %y = arith.constant dense<1.0> : tensor<64x128xf16>
  %z = arith.constant dense<1.0> : tensor<64x16xf16>
  %zero = arith.constant dense<0.0> : tensor<64x128xf32>
  %zero2 = arith.constant dense<0.0> : tensor<64x16xf32>
  %small = tile.dot %x, %z, %zero2 : tensor<64x64xf16>, tensor<64x16xf16> -> tensor<64x16xf32>
  %d = tile.dot %x, %y, %zero : tensor<64x64xf16>, tensor<64x128xf16> -> tensor<64x128xf32>
  %o = tile.load %c[%i, %j] pad(zero) : !m -> tensor<64x128xf32>
  tile.store %small, %c[%i, %j] : tensor<64x16xf32>, !m
  %s = arith.addf %d, %o : tensor<64x128xf32>
  tile.store %s, %c[%i, %j] : tensor<64x128xf32>, !m
  return
}

// -----

// CHECK: [Missed] {{.*}}Function=row_sum | {{.*}}Reason="store stays whole: tile.reduce needs all of what tile.dot gives"
// CHECK: [Analysis] {{.*}}Function=odd | {{.*}}store in one part
// CHECK: [Missed] {{.*}}Function=ordered | {{.*}}Reason="store stays whole: the store has its place in an order"
// CHECK: [Missed] {{.*}}Function=split_columns | {{.*}}Reason="store stays whole: tile.reshape splits or joins the dimension that would be cut"
// CHECK: [Missed] {{.*}}Function=scanned | {{.*}}Reason="store stays whole: tile.scan needs all columns"
// CHECK: [Passed] {{.*}}Function=one | {{.*}}Remark="store in one part, as asked: 8 + 8 registers of 223, 0 bytes of shared memory to become rows, the products take 2560"
!m = !tile.view<?x?xf32, strides = [?, 1]>
!v = !tile.view<?xf32, strides = [1]>
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
  tile.store %q, %c[%i, %j] : tensor<16x64xf32>, !m
  return
}
func.func @odd(%c: !m, %i: index, %j: index) attributes {tile.kernel} {
  %x = arith.constant dense<1.0> : tensor<16x16xf16>
  %y = arith.constant dense<1.0> : tensor<16x40xf16>
  %zero = arith.constant dense<0.0> : tensor<16x40xf32>
  %d = tile.dot %x, %y, %zero : tensor<16x16xf16>, tensor<16x40xf16> -> tensor<16x40xf32>
  tile.store %d, %c[%i, %j] : tensor<16x40xf32>, !m
  return
}
func.func @ordered(%c: !m, %i: index, %j: index) attributes {tile.kernel} {
  %x = arith.constant dense<1.0> : tensor<16x16xf16>
  %y = arith.constant dense<1.0> : tensor<16x64xf16>
  %zero = arith.constant dense<0.0> : tensor<16x64xf32>
  %d = tile.dot %x, %y, %zero : tensor<16x16xf16>, tensor<16x64xf16> -> tensor<16x64xf32>
  tile.store %d, %c[%i, %j] sync(release, gpu) : tensor<16x64xf32>, !m
  return
}
func.func @split_columns(%c: !tile.view<?x?x?xf32, strides = [?, ?, 1]>, %i: index, %j: index) attributes {tile.kernel} {
  %x = arith.constant dense<1.0> : tensor<16x16xf16>
  %y = arith.constant dense<1.0> : tensor<16x64xf16>
  %zero = arith.constant dense<0.0> : tensor<16x64xf32>
  %d = tile.dot %x, %y, %zero : tensor<16x16xf16>, tensor<16x64xf16> -> tensor<16x64xf32>
  %r = tile.reshape %d : tensor<16x64xf32> -> tensor<16x2x32xf32>
  tile.store %r, %c[%i, %j, %j] : tensor<16x2x32xf32>, !tile.view<?x?x?xf32, strides = [?, ?, 1]>
  return
}
func.func @scanned(%c: !m, %i: index, %j: index) attributes {tile.kernel} {
  %x = arith.constant dense<1.0> : tensor<16x16xf16>
  %y = arith.constant dense<1.0> : tensor<16x64xf16>
  %zero = arith.constant dense<0.0> : tensor<16x64xf32>
  %d = tile.dot %x, %y, %zero : tensor<16x16xf16>, tensor<16x64xf16> -> tensor<16x64xf32>
  %s = tile.scan %d dim 1 : tensor<16x64xf32> -> tensor<16x64xf32> {
  ^bb0(%a: f32, %e: f32):
    %r = arith.addf %a, %e : f32
    tile.yield %r : f32
  }
  tile.store %s, %c[%i, %j] : tensor<16x64xf32>, !m
  return
}
func.func @one(%c: !m, %i: index, %j: index) attributes {tile.kernel} {
  %x = arith.constant dense<1.0> : tensor<16x16xf16>
  %y = arith.constant dense<1.0> : tensor<16x64xf16>
  %zero = arith.constant dense<0.0> : tensor<16x64xf32>
  %d = tile.dot %x, %y, %zero : tensor<16x16xf16>, tensor<16x64xf16> -> tensor<16x64xf32>
  tile.store %d, %c[%i, %j] {tile.epilogue_parts = 1} : tensor<16x64xf32>, !m
  return
}

// -----

// What one store of a sum cannot have in parts, the other has not either; a loaded tile that something else needs is not
// read twice; a tile that a loop carries without a product has no columns in registers.
// CHECK: [Missed] {{.*}}Function=shared_load | {{.*}}Reason="store stays whole: tile.reduce needs all of what tile.load gives"
// CHECK: [Missed] {{.*}}Function=carried | {{.*}}Reason="store stays whole: scf.for carries a tile that no product makes"
// CHECK: [Missed] {{.*}}Function=in_loop | {{.*}}Reason="store stays whole: scf.yield needs all of what tile.dot gives"
!m = !tile.view<?x?xf32, strides = [?, 1]>
!v = !tile.view<?xf32, strides = [1]>
func.func @shared_load(%c: !m, %o: !m, %v: !v, %i: index, %j: index) attributes {tile.kernel} {
  %x = arith.constant dense<1.0> : tensor<16x16xf16>
  %y = arith.constant dense<1.0> : tensor<16x64xf16>
  %zero = arith.constant dense<0.0> : tensor<16x64xf32>
  %d = tile.dot %x, %y, %zero : tensor<16x16xf16>, tensor<16x64xf16> -> tensor<16x64xf32>
  %old = tile.load %o[%i, %j] : !m -> tensor<16x64xf32>
  %sum = tile.reduce %old dim 1 : tensor<16x64xf32> -> tensor<16xf32> {
  ^bb0(%a: f32, %e: f32):
    %r = arith.addf %a, %e : f32
    tile.yield %r : f32
  }
  tile.store %sum, %v[%i] : tensor<16xf32>, !v
  %q = arith.addf %d, %old : tensor<16x64xf32>
  tile.store %q, %c[%i, %j] : tensor<16x64xf32>, !m
  return
}
func.func @carried(%c: !m, %o: !m, %i: index, %j: index) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %x = arith.constant dense<1.0> : tensor<16x16xf16>
  %y = arith.constant dense<1.0> : tensor<16x64xf16>
  %zero = arith.constant dense<0.0> : tensor<16x64xf32>
  %other = scf.for %k = %c0 to %i step %c1 iter_args(%t = %zero) -> (tensor<16x64xf32>) {
    %old = tile.load %o[%k, %j] : !m -> tensor<16x64xf32>
    %n = arith.addf %t, %old : tensor<16x64xf32>
    scf.yield %n : tensor<16x64xf32>
  }
  %d = tile.dot %x, %y, %zero : tensor<16x16xf16>, tensor<16x64xf16> -> tensor<16x64xf32>
  %q = arith.addf %d, %other : tensor<16x64xf32>
  tile.store %q, %c[%i, %j] : tensor<16x64xf32>, !m
  return
}
func.func @in_loop(%c: !m, %i: index, %j: index) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %x = arith.constant dense<1.0> : tensor<16x16xf16>
  %y = arith.constant dense<1.0> : tensor<16x64xf16>
  %zero = arith.constant dense<0.0> : tensor<16x64xf32>
  %s = scf.for %k = %c0 to %i step %c1 iter_args(%t = %zero) -> (tensor<16x64xf32>) {
    %d = tile.dot %x, %y, %t : tensor<16x16xf16>, tensor<16x64xf16> -> tensor<16x64xf32>
    tile.store %d, %c[%k, %j] : tensor<16x64xf32>, !m
    scf.yield %d : tensor<16x64xf32>
  }
  return
}
