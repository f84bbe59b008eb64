// RUN: tile-opt %s -split-input-file -verify-diagnostics --tile-allocate-shared=limit-bytes=4096 | FileCheck %s

#l = #tile_gpu.layout<[128], register = [[32], [64]], lane = [[1], [2], [4], [8], [16]]>
#s = #tile_gpu.shared<[128], order = [0], vec = 1, per_phase = 1, max_phase = 1, pad = 0 by 0>
!buf = !tile_gpu.memdesc<128xf32, #s>

// The second buffer is born after the last use of the first, so it takes the same bytes.
// CHECK-LABEL: func.func @reuse
// CHECK-SAME:    tile_gpu.shared_bytes = 512
// CHECK:         tile_gpu.local_alloc offset 0
// CHECK:         tile_gpu.local_alloc offset 0
func.func @reuse(%x: index) attributes {tile.kernel} {
  %t = arith.constant dense<1.0> : tensor<128xf32, #l>
  %a = tile_gpu.local_alloc : !buf
  tile_gpu.local_store %t, %a : tensor<128xf32, #l>, !buf
  %v = tile_gpu.local_load %a : !buf -> tensor<128xf32, #l>
  %b = tile_gpu.local_alloc : !buf
  tile_gpu.local_store %v, %b : tensor<128xf32, #l>, !buf
  %w = tile_gpu.local_load %b : !buf -> tensor<128xf32, #l>
  return
}

// -----

#l = #tile_gpu.layout<[128], register = [[32], [64]], lane = [[1], [2], [4], [8], [16]]>
#s = #tile_gpu.shared<[128], order = [0], vec = 1, per_phase = 1, max_phase = 1, pad = 0 by 0>
!buf = !tile_gpu.memdesc<128xf32, #s>

// A buffer that a loop reads lives for the whole loop, also beyond its last use in a trip.
// CHECK-LABEL: func.func @loop_keeps_alive
// CHECK-SAME:    tile_gpu.shared_bytes = 1024
// CHECK:         tile_gpu.local_alloc offset [[A:[0-9]+]]
// CHECK:         scf.for
// CHECK-NOT:     tile_gpu.local_alloc offset [[A]] :
// CHECK:         tile_gpu.local_alloc
func.func @loop_keeps_alive(%n: index) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = arith.constant dense<1.0> : tensor<128xf32, #l>
  %a = tile_gpu.local_alloc : !buf
  tile_gpu.local_store %t, %a : tensor<128xf32, #l>, !buf
  scf.for %i = %c0 to %n step %c1 {
    %v = tile_gpu.local_load %a : !buf -> tensor<128xf32, #l>
    %b = tile_gpu.local_alloc : !buf
    tile_gpu.local_store %v, %b : tensor<128xf32, #l>, !buf
  }
  return
}

// -----

#l = #tile_gpu.layout<[2048], register = [[32], [64], [128], [256], [512], [1024]], lane = [[1], [2], [4], [8], [16]]>
#s = #tile_gpu.shared<[2048], order = [0], vec = 1, per_phase = 1, max_phase = 1, pad = 0 by 0>
!buf = !tile_gpu.memdesc<2048xf32, #s>

// expected-error @below {{kernel needs 8192 bytes of shared memory, the target has 4096; sm_80 is the first target that has as much}}
func.func @too_much() attributes {tile.kernel} {
  %t = arith.constant dense<1.0> : tensor<2048xf32, #l>
  // expected-note @below {{a buffer of 8192 bytes is needed here}}
  %a = tile_gpu.local_alloc : !buf
  tile_gpu.local_store %t, %a : tensor<2048xf32, #l>, !buf
  return
}

// -----

#l = #tile_gpu.layout<[512], register = [[32], [64], [128], [256]], lane = [[1], [2], [4], [8], [16]]>
#s = #tile_gpu.shared<[512], order = [0], vec = 1, per_phase = 1, max_phase = 1, pad = 0 by 0>
!buf = !tile_gpu.memdesc<512xf32, #s>

// expected-error @below {{tile.occupancy asks for 3 programs on an SM, each of which needs 2048 bytes of shared memory and 1024 for the system, but an SM has 5120}}
func.func @crowded() attributes {tile.kernel, tile.occupancy = 3} {
  %t = arith.constant dense<1.0> : tensor<512xf32, #l>
  %a = tile_gpu.local_alloc : !buf
  tile_gpu.local_store %t, %a : tensor<512xf32, #l>, !buf
  return
}
