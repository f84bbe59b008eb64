// SPDX-License-Identifier: Apache-2.0
// RUN: tile-opt %s --tile-choose-extents=extents=x.0:8 | FileCheck %s
// RUN: not tile-opt %s --tile-choose-extents=extents=y.0:8 2>&1 | FileCheck %s --check-prefix=LOADED
// Kernels whose results show what is behind the end of a walk, so that blocks of 8 are the same as blocks of 32 only where
// each program walks whole blocks of 32.

!v = !tile.view<?xf32, strides = [1]>
!i = !tile.view<?xi32, strides = [1]>

// A minimum is whole if its numbers are: what multiples of 64 leave is known, the rest is checked at launch.
// CHECK-LABEL: func @minimum(
// CHECK-SAME:    tile.requires = @minimum_requires
// CHECK-LABEL: func private @minimum_requires(
// CHECK-SAME:    %[[X:.*]]: !tile.view{{.*}}, %[[SHIFT:.*]]: index)
// CHECK-SAME:    tile.messages = ["what is walked along x.0 must be a multiple of 32, whose extent was set to 8"]
// CHECK:         %[[N:.*]] = tile.view_size %[[X]], 0
// CHECK:         %[[N_SUM:.*]] = arith.subi %[[N]], %[[FROM:c5.*]]
// CHECK:         %[[WALKED:.*]] = arith.maxsi %[[N_SUM]]
// CHECK:         %[[N_LEFT:.*]] = arith.remsi %[[WALKED]], %c32
// CHECK:         %[[N_FITS:.*]] = arith.cmpi eq, %[[N_LEFT]]
// CHECK:         %[[ALL:.*]] = arith.andi %[[N_FITS]], %{{.*}}
// CHECK-NEXT:    return %[[ALL]]
func.func @minimum(%x: !v {tile.name = "x"}, %shift: index) attributes {tile.kernel} {
  %c5 = arith.constant 5 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %n = tile.view_size %x, 0 : !v
  %pid = tile.program_id x
  %first = arith.muli %pid, %c64 : index
  %next = arith.addi %first, %c64 : index
  %horizon = arith.addi %next, %shift : index
  %end = arith.minsi %n, %horizon : index
  %one = arith.constant dense<1.0> : tensor<32xf32>
  scf.for %i = %c5 to %end step %c32 {
    tile.store %one, %x[%i] : tensor<32xf32>, !v
  }
  return
}

// Nothing to check: every program walks whole blocks. The variable of a loop is a multiple where its step is one.
// CHECK-LABEL: func @always(
// CHECK-NOT:     tile.requires
// CHECK:         tensor<8xf32>
func.func @always(%x: !v {tile.name = "x"}) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %c96 = arith.constant 96 : index
  %c960 = arith.constant 960 : index
  %pid = tile.program_id x
  %first = arith.muli %pid, %c64 : index
  %one = arith.constant dense<1.0> : tensor<32xf32>
  scf.for %outer = %c0 to %c960 step %c96 {
    %end = arith.subi %outer, %first : index
    scf.for %i = %c0 to %end step %c32 {
      tile.store %one, %x[%i] : tensor<32xf32>, !v
    }
  }
  return
}

// A length in memory, and a multiple that is none of 32.
// LOADED: choose-extents-whole.mlir:[[@LINE+13]]:5: error: extent 8 was asked for y.0 of kernel 'loaded', but only 32 can be: tile.store may write behind the end, and only the device knows whether whole blocks of 32 are walked
func.func @loaded(%y: !v {tile.name = "y"}, %ends: !i) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c48 = arith.constant 48 : index
  %pid = tile.program_id x
  %t = tile.load %ends[%pid] : !i -> tensor<1xi32>
  %e = tile.to_scalar %t : tensor<1xi32>
  %loaded = arith.index_cast %e : i32 to index
  %multiple = arith.muli %pid, %c48 : index
  %end = arith.addi %loaded, %multiple : index
  %one = arith.constant dense<1.0> : tensor<32xf32>
  scf.for %i = %c0 to %end step %c32 {
    tile.store %one, %y[%i] : tensor<32xf32>, !v
  }
  return
}
