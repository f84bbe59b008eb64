// SPDX-License-Identifier: Apache-2.0
// RUN: tile-opt %s --convert-simt-to-nvvm=target=sm_90a --canonicalize | FileCheck %s
// RUN: tile-opt %s --convert-simt-to-emulator --canonicalize | FileCheck %s

// What arith leaves undefined for one element changes nothing else.

// To LLVM a division by zero never happens, nor one of the least number by -1. A divisor that is known needs no care.
// CHECK-LABEL: llvm.func @{{.*}}divided
// CHECK:         %[[IS_ZERO:.*]] = llvm.icmp "eq" %[[D:.*]], %{{.*}} : i32
// CHECK:         %[[ONE:.*]] = llvm.select %[[IS_ZERO]], %{{.*}}, %[[D]]
// CHECK:         %[[IS_MINUS_ONE:.*]] = llvm.icmp "eq" %[[D]], %{{.*}} : i32
// CHECK:         %[[SAFE:.*]] = llvm.select %[[IS_MINUS_ONE]], %{{.*}}, %[[ONE]]
// CHECK:         llvm.sdiv %{{.*}}, %[[SAFE]]
// CHECK:         llvm.select %[[IS_MINUS_ONE]]
// CHECK-NOT:     llvm.select
// CHECK:         llvm.sdiv
// CHECK-NOT:     llvm.select
// CHECK:         llvm.return
func.func @divided(%p: i64, %a: i32, %d: i32) attributes {tile_gpu.kernel, tile_gpu.num_threads = 32 : i32, tile_gpu.shared_bytes = 0 : i64} {
  %c7 = arith.constant 7 : i32
  %q = arith.divsi %a, %d : i32
  tile_gpu.store_global %q, %p align 4 : i32
  %k = arith.divsi %a, %c7 : i32
  tile_gpu.store_global %k, %p align 4 : i32
  return
}

// Narrow integers are cut out of 32 bits, and frozen where they share a word.
// CHECK-LABEL: llvm.func @{{.*}}packed
// CHECK:         %[[WIDE:.*]] = llvm.fptoui %{{.*}} : vector<4xf32> to vector<4xi32>
// CHECK:         %[[NARROW:.*]] = llvm.trunc %[[WIDE]] : vector<4xi32> to vector<4xi8>
// CHECK:         %[[SHIFTED:.*]] = llvm.shl %[[NARROW]]
// CHECK:         %[[FROZEN:.*]] = llvm.freeze %[[SHIFTED]] : vector<4xi8>
// CHECK:         llvm.bitcast %[[FROZEN]] : vector<4xi8> to vector<1xi32>
func.func @packed(%p: i64) attributes {tile_gpu.kernel, tile_gpu.num_threads = 32 : i32, tile_gpu.shared_bytes = 0 : i64} {
  %x = tile_gpu.load_global %p align 16 : vector<4xf32>
  %amount = tile_gpu.load_global %p align 4 : vector<4xi8>
  %n = arith.fptoui %x : vector<4xf32> to vector<4xi8>
  %s = arith.shli %n, %amount : vector<4xi8>
  %w = vector.bitcast %s : vector<4xi8> to vector<1xi32>
  %e = vector.extract %w[0] : i32 from vector<1xi32>
  tile_gpu.store_global %e, %p align 4 : i32
  return
}
