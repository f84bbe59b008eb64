// RUN: tile-opt %s --convert-simt-to-nvvm -split-input-file -verify-diagnostics
// RUN: tile-opt %s --convert-simt-to-emulator -split-input-file -verify-diagnostics

// expected-error @below {{expected tile_gpu.num_threads, a multiple of 32 up to 1024, and tile_gpu.shared_bytes; run convert-tile-to-simt first}}
func.func @no_threads() attributes {tile_gpu.kernel} {
  return
}

// -----

// expected-error @below {{expected tile_gpu.num_threads, a multiple of 32 up to 1024}}
func.func @odd_threads() attributes {tile_gpu.kernel, tile_gpu.num_threads = 33 : i32, tile_gpu.shared_bytes = 0 : i64} {
  return
}

// -----

func.func @copies(%p: i64, %n: index) attributes {tile_gpu.kernel, tile_gpu.num_threads = 32 : i32, tile_gpu.shared_bytes = 0 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = arith.constant 1.0 : f32
  // expected-error @below {{has tile.unroll; run tile-unroll-loops first}}
  scf.for %i = %c0 to %n step %c1 {
    tile_gpu.store_global %v, %p align 4 : f32
  } {tile.unroll = 4 : i64}
  return
}
