// SPDX-License-Identifier: Apache-2.0
// RUN: tile-opt %s -split-input-file -verify-diagnostics

func.func @legal(%a: i64, %x: i32, %y: bf16, %p: i1) {
  %0 = tile_gpu.atomic_rmw add acq_rel gpu %a, %x pred %p : i32
  %1 = tile_gpu.atomic_rmw fadd relaxed cta %a, %y : bf16
  %2 = tile_gpu.atomic_cas release sys %a, %x, %x pred %p : i32
  %3 = tile_gpu.atomic_load acquire gpu %a pred %p : i1
  tile_gpu.atomic_store release gpu %y, %a pred %p : bf16
  return
}

// -----

func.func @tile_gpu_atomic_rmw_c1(%a: i64, %x: f32) {
  // expected-error @below {{expects a type that smin can update, found 'f32'}}
  %0 = tile_gpu.atomic_rmw smin relaxed gpu %a, %x : f32
  return
}

// -----

func.func @tile_gpu_atomic_cas_c1(%a: i64, %x: i16) {
  // expected-error @below {{expects 32 or 64 bits, found 'i16'}}
  %0 = tile_gpu.atomic_cas relaxed gpu %a, %x, %x : i16
  return
}

// -----

func.func @atomic_load_c1(%a: i64) {
  // expected-error @below {{expects the order relaxed or acquire, found release}}
  %0 = tile_gpu.atomic_load release gpu %a : i32
  return
}

// -----

func.func @atomic_load_c2(%a: i64) {
  // expected-error @below {{expects 1, 2, 4 or 8 bytes, found 'i128'}}
  %0 = tile_gpu.atomic_load relaxed gpu %a : i128
  return
}

// -----

func.func @atomic_store_c1(%a: i64, %x: i32) {
  // expected-error @below {{expects the order relaxed or release, found acquire}}
  tile_gpu.atomic_store acquire gpu %x, %a : i32
  return
}

// -----

func.func @atomic_store_c2(%a: i64, %x: i128) {
  // expected-error @below {{expects 1, 2, 4 or 8 bytes, found 'i128'}}
  tile_gpu.atomic_store relaxed gpu %x, %a : i128
  return
}
