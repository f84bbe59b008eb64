// The pass by its own option, on tiles whose layouts are written here.
// RUN: tile-opt %s --tile-lower-to-buffers | FileCheck %s

#low = #tile_gpu.layout<[128], register = [[32]], lane = [[1], [2], [4], [8], [16]], warp = [[64]]>
#high = #tile_gpu.layout<[128], register = [[64]], lane = [[1], [2], [4], [8], [16]], warp = [[32]]>
#swapped = #tile_gpu.layout<[128], register = [[32]], lane = [[2], [1], [4], [8], [16]], warp = [[64]]>

// Half of the elements change their warp: a buffer.
// CHECK-LABEL: func.func @across_warps
// CHECK:         %[[T:.*]] = arith.constant
// CHECK:         %[[B:.*]] = tile_gpu.local_alloc
// CHECK:         tile_gpu.local_store %[[T]], %[[B]]
// CHECK:         tile_gpu.local_load %[[B]]
// CHECK-NOT:     tile_gpu.convert_layout
// CHECK:         return
func.func @across_warps() attributes {tile.kernel, tile.num_warps = 2 : i64} {
  %t = arith.constant dense<1.0> : tensor<128xf32, #low>
  %c = tile_gpu.convert_layout %t : tensor<128xf32, #low> -> tensor<128xf32, #high>
  return
}

// Lanes of one warp exchange by shuffles: it stays as it is.
// CHECK-LABEL: func.func @inside_warps
// CHECK-NOT:     tile_gpu.local_alloc
// CHECK:         tile_gpu.convert_layout
func.func @inside_warps() attributes {tile.kernel, tile.num_warps = 2 : i64} {
  %t = arith.constant dense<1.0> : tensor<128xf32, #low>
  %c = tile_gpu.convert_layout %t : tensor<128xf32, #low> -> tensor<128xf32, #swapped>
  return
}
