// The pass by its own option, on a kernel with layouts, buffers and barriers that are written here.
// RUN: tile-opt %s --convert-tile-to-simt | FileCheck %s

#l = #tile_gpu.layout<[128], register = [[32]], lane = [[1], [2], [4], [8], [16]], warp = [[64]]>
#s = #tile_gpu.shared<[128], order = [0], vec = 1, per_phase = 1, max_phase = 1, pad = 0 by 0>
!buf = !tile_gpu.memdesc<128xf32, #s>

// Two elements a thread, each stored on its own, since neighbours lie in different lanes.
// CHECK-LABEL: func.func @through_shared
// CHECK-SAME:    tile_gpu.kernel
// CHECK-SAME:    tile_gpu.num_threads = 64 : i32
// CHECK-SAME:    tile_gpu.shared_bytes = 512
// CHECK:         arith.constant dense<1.000000e+00> : vector<2xf32>
// CHECK-COUNT-2: tile_gpu.store_shared {{.*}} : f32
// CHECK:         tile_gpu.barrier id 0 threads 64
// One ldmatrix reads both: lane l holds word l % 4 of row l / 4.
// CHECK:         tile_gpu.load_matrix {{.*}} : vector<2xi32>
// CHECK-NOT:     tensor
// CHECK:         return
func.func @through_shared() attributes {tile.kernel, tile.num_warps = 2 : i64, tile_gpu.shared_bytes = 512 : i64} {
  %t = arith.constant dense<1.0> : tensor<128xf32, #l>
  %b = tile_gpu.local_alloc offset 0 : !buf
  tile_gpu.local_store %t, %b : tensor<128xf32, #l>, !buf
  tile_gpu.sync
  %v = tile_gpu.local_load %b : !buf -> tensor<128xf32, #l>
  return
}

// No kernel: left alone.
// CHECK-LABEL: func.func @host(%{{.*}}: index) -> index
func.func @host(%n: index) -> index {
  return %n : index
}
