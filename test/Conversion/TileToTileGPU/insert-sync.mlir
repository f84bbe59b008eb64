// RUN: tile-opt %s --tile-insert-sync | FileCheck %s

#l = #tile_gpu.layout<[128], register = [[32], [64]], lane = [[1], [2], [4], [8], [16]]>
#s = #tile_gpu.shared<[128], order = [0], vec = 1, per_phase = 1, max_phase = 1, pad = 0 by 0>
!buf = !tile_gpu.memdesc<128xf32, #s>
!view = !tile.view<?xf32, strides = [1]>

// CHECK-LABEL: func.func @write_then_read
// CHECK:         tile_gpu.local_store
// CHECK-NEXT:    tile_gpu.sync
// CHECK-NEXT:    tile_gpu.local_load
// CHECK-NOT:     tile_gpu.sync
// CHECK:         return
func.func @write_then_read() attributes {tile.kernel} {
  %t = arith.constant dense<1.0> : tensor<128xf32, #l>
  %a = tile_gpu.local_alloc offset 0 : !buf
  tile_gpu.local_store %t, %a : tensor<128xf32, #l>, !buf
  %v = tile_gpu.local_load %a : !buf -> tensor<128xf32, #l>
  %w = tile_gpu.local_load %a : !buf -> tensor<128xf32, #l>
  return
}

// Buffers that share no byte do not wait for each other.
// CHECK-LABEL: func.func @disjoint
// CHECK-NOT:     tile_gpu.sync
// CHECK:         return
func.func @disjoint() attributes {tile.kernel} {
  %t = arith.constant dense<1.0> : tensor<128xf32, #l>
  %a = tile_gpu.local_alloc offset 0 : !buf
  %b = tile_gpu.local_alloc offset 512 : !buf
  tile_gpu.local_store %t, %a : tensor<128xf32, #l>, !buf
  tile_gpu.local_store %t, %b : tensor<128xf32, #l>, !buf
  return
}

// The store of the next trip must wait for the load of this one: two barriers a trip.
// CHECK-LABEL: func.func @loop_carried
// CHECK:         scf.for
// CHECK-NEXT:      tile_gpu.sync
// CHECK-NEXT:      tile_gpu.local_store
// CHECK-NEXT:      tile_gpu.sync
// CHECK-NEXT:      tile_gpu.local_load
// CHECK-NOT:     tile_gpu.sync
// CHECK:         return
func.func @loop_carried(%n: index) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = arith.constant dense<1.0> : tensor<128xf32, #l>
  %a = tile_gpu.local_alloc offset 0 : !buf
  scf.for %i = %c0 to %n step %c1 {
    tile_gpu.local_store %t, %a : tensor<128xf32, #l>, !buf
    %v = tile_gpu.local_load %a : !buf -> tensor<128xf32, #l>
  }
  return
}

// Only one branch stores; the load behind must wait all the same.
// CHECK-LABEL: func.func @branch
// CHECK:         scf.if
// CHECK-NEXT:      tile_gpu.local_store
// CHECK:         }
// CHECK-NEXT:    tile_gpu.sync
// CHECK-NEXT:    tile_gpu.local_load
func.func @branch(%c: i1) attributes {tile.kernel} {
  %t = arith.constant dense<1.0> : tensor<128xf32, #l>
  %a = tile_gpu.local_alloc offset 0 : !buf
  scf.if %c {
    tile_gpu.local_store %t, %a : tensor<128xf32, #l>, !buf
  }
  %v = tile_gpu.local_load %a : !buf -> tensor<128xf32, #l>
  return
}

// %y may be the memory of %x one element further, which another thread has yet to read.
// CHECK-LABEL: func.func @global_may_alias
// CHECK:         tile.load
// CHECK-NEXT:    tile_gpu.sync
// CHECK-NEXT:    tile.store
func.func @global_may_alias(%x: !view, %y: !view) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %v = tile.load %x[%c0] : !view -> tensor<128xf32, #l>
  tile.store %v, %y[%c0] : tensor<128xf32, #l>, !view
  return
}

// CHECK-LABEL: func.func @global_noalias
// CHECK-NOT:     tile_gpu.sync
// CHECK:         return
func.func @global_noalias(%x: !view {tile.noalias}, %y: !view) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %v = tile.load %x[%c0] : !view -> tensor<128xf32, #l>
  tile.store %v, %y[%c0] : tensor<128xf32, #l>, !view
  return
}

// Each thread overwrites just what it has read itself.
// CHECK-LABEL: func.func @in_place
// CHECK-NOT:     tile_gpu.sync
// CHECK:         return
func.func @in_place(%x: !view) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %v = tile.load %x[%c0] : !view -> tensor<128xf32, #l>
  %w = arith.addf %v, %v : tensor<128xf32, #l>
  tile.store %w, %x[%c0] : tensor<128xf32, #l>, !view
  return
}

// The same elements, but held by other threads in the store.
#m = #tile_gpu.layout<[128], register = [[1], [2]], lane = [[4], [8], [16], [32], [64]]>
// CHECK-LABEL: func.func @in_place_other_threads
// CHECK:         tile_gpu.sync
// CHECK-NEXT:    tile.store
func.func @in_place_other_threads(%x: !view) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %v = tile.load %x[%c0] : !view -> tensor<128xf32, #l>
  %w = tile_gpu.convert_layout %v : tensor<128xf32, #l> -> tensor<128xf32, #m>
  tile.store %w, %x[%c0] : tensor<128xf32, #m>, !view
  return
}

// Rows written by some threads are read by others, and rows read are written: indices say nothing about who meets whom.
// CHECK-LABEL: func.func @scatter_gather_scatter
// CHECK:         tile.scatter
// CHECK:         tile_gpu.sync
// CHECK-NEXT:    tile.gather
// CHECK:         tile_gpu.sync
// CHECK-NEXT:    tile.scatter
func.func @scatter_gather_scatter(%x: !tile.view<?x64xf32, strides = [64, 1]>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %i = tile.iota : tensor<4xi32>
  %v = arith.constant dense<1.0> : tensor<4x64xf32>
  tile.scatter %v, %x[%i, %c0] : tensor<4x64xf32>, !tile.view<?x64xf32, strides = [64, 1]>[tensor<4xi32>, index]
  %w = tile.gather %x[%i, %c0] : !tile.view<?x64xf32, strides = [64, 1]>[tensor<4xi32>, index] -> tensor<4x64xf32>
  tile.scatter %w, %x[%i, %c0] : tensor<4x64xf32>, !tile.view<?x64xf32, strides = [64, 1]>[tensor<4xi32>, index]
  return
}
