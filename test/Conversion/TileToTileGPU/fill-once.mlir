// A buffer that each trip of a loop would fill with the same tile is filled in front of it, so that the tile needs no
// registers in the loop. RUN lines: room for both buffers, and room for one at a time.
// RUN: tile-opt %s --tile-allocate-shared=limit-bytes=4096 | FileCheck %s
// RUN: tile-opt %s --tile-allocate-shared=limit-bytes=512 | FileCheck %s --check-prefix=TIGHT
// RUN: tile-opt %s --tile-allocate-shared=limit-bytes=4096 --remarks-filter=tile-allocate-shared --remark-policy=all -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: tile-opt %s --tile-allocate-shared=limit-bytes=512 --remarks-filter=tile-allocate-shared --remark-policy=all -o /dev/null 2>&1 | FileCheck %s --check-prefix=MISSED

#l = #tile_gpu.layout<[128], register = [[32], [64]], lane = [[1], [2], [4], [8], [16]]>
#s = #tile_gpu.shared<[128], order = [0], vec = 1, per_phase = 1, max_phase = 1, pad = 0 by 0>
!buf = !tile_gpu.memdesc<128xf32, #s>

// Two loops around it, and one more that holds another buffer.
// CHECK-LABEL: func.func @same_tile
// CHECK-SAME:    tile_gpu.shared_bytes = 1024
// CHECK:         %[[A:.*]] = tile_gpu.local_alloc offset 0
// CHECK-NEXT:    tile_gpu.local_store %{{.*}}, %[[A]]
// CHECK-NEXT:    scf.for
// CHECK-NEXT:      scf.for
// CHECK-NEXT:        tile_gpu.local_load %[[A]]
// CHECK-NEXT:        tile_gpu.local_alloc offset 512
// TIGHT-LABEL: func.func @same_tile
// TIGHT-SAME:    tile_gpu.shared_bytes = 512
// TIGHT:         scf.for
// TIGHT:           scf.for
// TIGHT-NEXT:        tile_gpu.local_alloc offset 0
// REMARK-COUNT-2: remark: [Passed] FilledOnce | {{.*}} | Function=same_tile | Reason="every trip of a loop would fill it with the same tile", bytes=1024, bytes before={{512|1024}}
// REMARK-NOT:     FilledOnce
// MISSED: remark: [Missed] FilledOnce | {{.*}} | Function=same_tile | Reason="filled again by every trip of a loop: kept through it, 1024 bytes instead of 512 would be needed, of 512"
func.func @same_tile(%n: index) attributes {tile.kernel, tile.num_warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = arith.constant dense<1.0> : tensor<128xf32, #l>
  scf.for %i = %c0 to %n step %c1 {
    scf.for %j = %c0 to %n step %c1 {
      %a = tile_gpu.local_alloc : !buf
      tile_gpu.local_store %t, %a : tensor<128xf32, #l>, !buf
      %v = tile_gpu.local_load %a : !buf -> tensor<128xf32, #l>
      %b = tile_gpu.local_alloc : !buf
      tile_gpu.local_store %v, %b : tensor<128xf32, #l>, !buf
    }
  }
  return
}

// What the loop makes itself stays in it, and so does what is written twice, or under a condition.
// CHECK-LABEL: func.func @other_tiles
// CHECK:         scf.for
// CHECK-COUNT-3:   tile_gpu.local_alloc
func.func @other_tiles(%n: index, %p: i1) attributes {tile.kernel, tile.num_warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = arith.constant dense<1.0> : tensor<128xf32, #l>
  scf.for %i = %c0 to %n step %c1 {
    %d = arith.addf %t, %t : tensor<128xf32, #l>
    %a = tile_gpu.local_alloc : !buf
    tile_gpu.local_store %d, %a : tensor<128xf32, #l>, !buf
    %v = tile_gpu.local_load %a : !buf -> tensor<128xf32, #l>
    %b = tile_gpu.local_alloc : !buf
    tile_gpu.local_store %t, %b : tensor<128xf32, #l>, !buf
    tile_gpu.local_store %v, %b : tensor<128xf32, #l>, !buf
    %c = tile_gpu.local_alloc : !buf
    scf.if %p {
      tile_gpu.local_store %t, %c : tensor<128xf32, #l>, !buf
    }
  }
  return
}
