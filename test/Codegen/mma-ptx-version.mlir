// A module asks for the PTX version that its products need, and for no later one.
// RUN: tile-compile %s --kernel=halves --target=sm_89 --emit=ptx | FileCheck %s --check-prefix=HALVES
// RUN: tile-compile %s --kernel=bytes --target=sm_90a --emit=ptx | FileCheck %s --check-prefix=BYTES
// RUN: tile-compile %s --kernel=bytes_in_halves --target=sm_89 --emit=ptx | FileCheck %s --check-prefix=SUMS
// RUN: tile-compile %s --kernel=bytes_in_halves --target=sm_103a --emit=ptx | FileCheck %s --check-prefix=NEWER
// RUN: %if ptxas %{ tile-compile %s --target=sm_89 --emit=cubin -o %t.cubin %}
// RUN: %if ptxas %{ tile-compile %s --target=sm_90a --emit=cubin -o %t.cubin %}
// RUN: %if ptxas %{ tile-compile %s --target=sm_120a --emit=cubin -o %t.cubin %}

// HALVES: .version 8.0
// BYTES:  .version 8.4
// SUMS:   .version 8.7
// NEWER:  .version 8.8

func.func @halves(%p: i64) attributes {tile_gpu.kernel, tile_gpu.num_threads = 32 : i32, tile_gpu.shared_bytes = 0 : i64} {
  %a = tile_gpu.load_global %p align 16 : vector<4xi32>
  %b = tile_gpu.load_global %p align 8 : vector<2xi32>
  %c = tile_gpu.load_global %p align 16 : vector<4xf32>
  %d = tile_gpu.mma %a, %b, %c types f16, f16 : vector<4xf32>
  tile_gpu.store_global %d, %p align 16 : vector<4xf32>
  return
}

func.func @bytes(%p: i64) attributes {tile_gpu.kernel, tile_gpu.num_threads = 32 : i32, tile_gpu.shared_bytes = 0 : i64} {
  %a = tile_gpu.load_global %p align 16 : vector<4xi32>
  %b = tile_gpu.load_global %p align 8 : vector<2xi32>
  %c = tile_gpu.load_global %p align 16 : vector<4xf32>
  %d = tile_gpu.mma %a, %b, %c types f8E4M3FN, f8E5M2 : vector<4xf32>
  tile_gpu.store_global %d, %p align 16 : vector<4xf32>
  return
}

func.func @bytes_in_halves(%p: i64) attributes {tile_gpu.kernel, tile_gpu.num_threads = 32 : i32, tile_gpu.shared_bytes = 0 : i64} {
  %a = tile_gpu.load_global %p align 16 : vector<4xi32>
  %b = tile_gpu.load_global %p align 8 : vector<2xi32>
  %c = tile_gpu.load_global %p align 8 : vector<4xf16>
  %d = tile_gpu.mma %a, %b, %c types f8E5M2, f8E5M2 : vector<4xf16>
  tile_gpu.store_global %d, %p align 8 : vector<4xf16>
  return
}
