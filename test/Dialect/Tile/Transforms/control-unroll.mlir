// SPDX-License-Identifier: Apache-2.0
// RUN: tile-opt %s --tile-control-unroll | FileCheck %s
// RUN: tile-opt %s --tile-control-unroll=max-instructions=40 | FileCheck %s --check-prefix=FEW
// RUN: tile-opt %s --tile-control-unroll --remarks-filter=tile-control-unroll --remark-policy=all -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: not tile-opt %s --tile-control-unroll=target=sm_70 -o /dev/null 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: unknown target 'sm_70': expected one of sm_80

!v = !tile.view<?xf32, strides = [1]>
!m = !tile.view<?x?xf16, strides = [?, 1]>

// 12 trips with 4 elements for each of 128 threads: all of them. With few instructions 4, which divides 12.
// CHECK-LABEL: func @small
// CHECK:       } {tile.unroll = "full"}
// FEW-LABEL:   func @small
// FEW:         } {tile.unroll = 4 : i64}
// REMARK: [Passed] {{.*}}Function=small | {{.*}}12 copies of the body of 12 trips: 48 registers of 223, 120 instructions of 2048
func.func @small(%v: !v) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c12 = arith.constant 12 : index
  scf.for %i = %c0 to %c12 step %c1 {
    %x = tile.load %v[%i] : !v -> tensor<512xf32>
    tile.store %x, %v[%i] : tensor<512xf32>, !v
  }
  return
}

// 64 registers a trip: three copies fit into 223, of 15 trips.
// CHECK-LABEL: func @pressure
// CHECK:       } {tile.unroll = 3 : i64}
// REMARK: [Passed] {{.*}}Function=pressure | {{.*}}3 copies of the body of 15 trips: 192 registers of 223, 390 instructions of 2048
func.func @pressure(%v: !v) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c15 = arith.constant 15 : index
  scf.for %i = %c0 to %c15 step %c1 {
    %x = tile.load %v[%i] : !v -> tensor<8192xf32>
    tile.store %x, %v[%i] : tensor<8192xf32>, !v
  }
  return
}

// The same where four CTAs share an SM leaves 96 registers: one copy. 8 warps halve what a thread holds.
// CHECK-LABEL: func @crowded
// CHECK:       } {tile.unroll = 1 : i64}
// REMARK: [Missed] {{.*}}Function=crowded | {{.*}}Reason="stays rolled: 15 trips; two copies would take 128 registers of 96, 260 instructions of 2048"
// CHECK-LABEL: func @more_warps
// CHECK:       } {tile.unroll = 5 : i64}
func.func @crowded(%v: !v) attributes {tile.kernel, tile.occupancy = 4} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c15 = arith.constant 15 : index
  scf.for %i = %c0 to %c15 step %c1 {
    %x = tile.load %v[%i] : !v -> tensor<8192xf32>
    tile.store %x, %v[%i] : tensor<8192xf32>, !v
  }
  return
}
func.func @more_warps(%v: !v) attributes {tile.kernel, tile.num_warps = 8} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c15 = arith.constant 15 : index
  scf.for %i = %c0 to %c15 step %c1 {
    %x = tile.load %v[%i] : !v -> tensor<8192xf32>
    tile.store %x, %v[%i] : tensor<8192xf32>, !v
  }
  return
}

// Trips that are known at run time only are left to ptxas, unless two copies do not fit. A prime number: four and a rest.
// CHECK-LABEL: func @unknown
// CHECK:         tile.store
// CHECK-NEXT:  }{{$}}
// CHECK:       } {tile.unroll = 4 : i64}
// CHECK:       } {tile.unroll = 1 : i64}
// REMARK: [Analysis] {{.*}}Function=unknown | {{.*}}left to ptxas, because the number of trips is known at run time only; two copies would take 8 registers of 223, 20 instructions
// REMARK: [Passed] {{.*}}Function=unknown | {{.*}}4 copies of the body of 997 trips: {{.*}}; behind them a rolled loop for the other 1"
// REMARK: [Missed] {{.*}}Function=unknown | {{.*}}Reason="stays rolled: unknown trips; two copies would take 256 registers of 223
func.func @unknown(%v: !v, %n: index) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c997 = arith.constant 997 : index
  scf.for %i = %c0 to %n step %c1 {
    %x = tile.load %v[%i] : !v -> tensor<512xf32>
    tile.store %x, %v[%i] : tensor<512xf32>, !v
  }
  scf.for %i = %c0 to %c997 step %c1 {
    %x = tile.load %v[%i] : !v -> tensor<512xf32>
    tile.store %x, %v[%i] : tensor<512xf32>, !v
  }
  scf.for %i = %c0 to %n step %c1 {
    %x = tile.load %v[%i] : !v -> tensor<16384xf32>
    tile.store %x, %v[%i] : tensor<16384xf32>, !v
  }
  return
}

// What the author says stays; a loop around a loop, a loop of products and loads and one without tiles are left alone.
// CHECK-LABEL: func @left_alone
// CHECK:       } {tile.unroll = 7 : i64}
// CHECK-NOT:   tile.unroll
// REMARK: [Passed] {{.*}}Function=left_alone | {{.*}}3 copies of the body, which are all trips; 7 were asked for: 12 registers of 223
// REMARK: [Analysis] {{.*}}Function=left_alone | {{.*}}not repeated, because there is a loop in it
// REMARK: [Analysis] {{.*}}Function=left_alone | {{.*}}left to the software pipeline
func.func @left_alone(%v: !v, %a: !m, %n: index) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  scf.for %i = %c0 to %c3 step %c1 {
    %x = tile.load %v[%i] : !v -> tensor<512xf32>
    tile.store %x, %v[%i] : tensor<512xf32>, !v
  } {tile.unroll = 7}
  %sum = scf.for %k = %c0 to %n step %c1 iter_args(%s = %c0) -> (index) {
    %next = arith.addi %s, %k : index
    scf.yield %next : index
  }
  scf.for %i = %c0 to %c3 step %c1 {
    %d = scf.for %k = %c0 to %c3 step %c1 iter_args(%acc = %zero) -> (tensor<32x32xf32>) {
      %x = tile.load %a[%i, %k] : !m -> tensor<32x32xf16>
      %y = tile.load %a[%k, %sum] : !m -> tensor<32x32xf16>
      %p = tile.dot %x, %y, %acc : tensor<32x32xf16>, tensor<32x32xf16> -> tensor<32x32xf32>
      scf.yield %p : tensor<32x32xf32>
    }
    %h = arith.truncf %d : tensor<32x32xf32> to tensor<32x32xf16>
    tile.store %h, %a[%i, %i] : tensor<32x32xf16>, !m
  }
  return
}

// Copies that the author asked for are made whatever the trips are; the others run behind.
// CHECK-LABEL: func @asked
// REMARK: [Passed] {{.*}}Function=asked | {{.*}}4 copies of the body, as asked, 12 trips: 16 registers of 223, 40 instructions of 2048"
// REMARK: [Passed] {{.*}}Function=asked | {{.*}}5 copies of the body, as asked, 12 trips: {{.*}} instructions of 2048; behind them a rolled loop for the other 2"
// REMARK: [Passed] {{.*}}Function=asked | {{.*}}4 copies of the body, as asked, unknown trips: {{.*}} instructions of 2048; behind them a rolled loop for what is left of trips"
// REMARK: [Passed] {{.*}}Function=asked | {{.*}}1 copy of the body, as asked, unknown trips: {{.*}} instructions of 2048"
func.func @asked(%v: !v, %n: index) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c12 = arith.constant 12 : index
  scf.for %i = %c0 to %c12 step %c1 {
    %x = tile.load %v[%i] : !v -> tensor<512xf32>
    tile.store %x, %v[%i] : tensor<512xf32>, !v
  } {tile.unroll = 4}
  scf.for %i = %c0 to %c12 step %c1 {
    %x = tile.load %v[%i] : !v -> tensor<512xf32>
    tile.store %x, %v[%i] : tensor<512xf32>, !v
  } {tile.unroll = 5}
  scf.for %i = %c0 to %n step %c1 {
    %x = tile.load %v[%i] : !v -> tensor<512xf32>
    tile.store %x, %v[%i] : tensor<512xf32>, !v
  } {tile.unroll = 4}
  scf.for %i = %c0 to %n step %c1 {
    %x = tile.load %v[%i] : !v -> tensor<512xf32>
    tile.store %x, %v[%i] : tensor<512xf32>, !v
  } {tile.unroll = 1}
  return
}

// No kernel.
// CHECK-LABEL: func @part
// CHECK-NOT:   tile.unroll
func.func @part(%v: !v) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  scf.for %i = %c0 to %c3 step %c1 {
    %x = tile.load %v[%i] : !v -> tensor<512xf32>
    tile.store %x, %v[%i] : tensor<512xf32>, !v
  }
  return
}
