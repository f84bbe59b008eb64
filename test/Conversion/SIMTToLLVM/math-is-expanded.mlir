// Both ways out expand math themselves, so that they compute alike, and what has no expansion is an error of either.
// RUN: split-file %s %t
// RUN: tile-opt %t/fine.mlir -convert-simt-to-nvvm | FileCheck %t/fine.mlir
// RUN: tile-opt %t/fine.mlir -convert-simt-to-emulator | FileCheck %t/fine.mlir
// RUN: tile-opt %t/refused.mlir -convert-simt-to-nvvm -verify-diagnostics
// RUN: tile-opt %t/refused.mlir -convert-simt-to-emulator -verify-diagnostics

//--- fine.mlir
// CHECK-LABEL: llvm.func @exponential
// CHECK-NOT:     exp
// CHECK:         llvm.fmul
func.func @exponential(%p: i64, %x: f32) attributes {tile_gpu.kernel, tile_gpu.num_threads = 32 : i32, tile_gpu.shared_bytes = 0 : i64} {
  %e = math.exp %x : f32
  tile_gpu.store_global %e, %p align 4 : f32
  return
}

//--- refused.mlir
func.func @narrow_power(%p: i64, %x: i2) attributes {tile_gpu.kernel, tile_gpu.num_threads = 32 : i32, tile_gpu.shared_bytes = 0 : i64} {
  // expected-error @below {{'math.ipowi' op expected integers of 4 to 64 bits of static shape, found 'i2'}}
  %e = math.ipowi %x, %x : i2
  %w = arith.extui %e : i2 to i8
  tile_gpu.store_global %w, %p align 1 : i8
  return
}
