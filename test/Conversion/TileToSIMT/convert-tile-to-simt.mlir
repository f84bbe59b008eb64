// RUN: tile-opt %s --pass-pipeline="builtin.module(func.func(tile-assign-layouts{num-warps=4},tile-lower-to-buffers,tile-allocate-shared,tile-insert-sync),convert-tile-to-simt,canonicalize,cse)" | FileCheck %s

!row = !tile.view<?xf32, strides = [1]>
!any = !tile.view<?xf32, strides = [?]>

// A view is its base, its dynamic sizes and its dynamic strides, in this order; 1024 elements are 8 for each of 128 threads.
// CHECK-LABEL: func.func @vector_add(
// CHECK-SAME:    %[[XBASE:.*]]: i64, %[[XSIZE:.*]]: index, %[[YBASE:.*]]: i64, %[[YSIZE:.*]]: index, %[[YSTRIDE:.*]]: index)
// CHECK-SAME:    tile_gpu.kernel, tile_gpu.num_threads = 128 : i32, tile_gpu.shared_bytes = 0 : i64
// CHECK-COUNT-8: tile_gpu.load_global {{.*}} pred {{.*}} align 4 : f32
// CHECK:         arith.addf {{.*}} : vector<8xf32>
// CHECK-COUNT-8: tile_gpu.store_global {{.*}} pred {{.*}} align 4 : f32
func.func @vector_add(%x: !row, %y: !any) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %v = tile.load %x[%c0] : !row -> tensor<1024xf32>
  %w = arith.addf %v, %v : tensor<1024xf32>
  tile.store %w, %y[%c0] : tensor<1024xf32>, !any
  return
}

// In bounds, so no access is predicated.
// CHECK-LABEL: func.func @in_bounds(
// CHECK-NOT:     pred
// CHECK:         return
func.func @in_bounds(%x: !row) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %v = tile.load %x[%c0] in_bounds [true] : !row -> tensor<1024xf32>
  tile.store %v, %x[%c0] in_bounds [true] : tensor<1024xf32>, !row
  return
}

// 16 elements for 128 threads: half of each warp and three of the warps hold copies, and one copy alone is stored.
// CHECK-LABEL: func.func @copies_do_not_store(
// CHECK:         arith.andi {{.*}} : i1
// CHECK:         tile_gpu.store_global {{.*}} pred
func.func @copies_do_not_store(%x: !row) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %v = tile.load %x[%c0] in_bounds [true] : !row -> tensor<16xf32>
  tile.store %v, %x[%c0] in_bounds [true] : tensor<16xf32>, !row
  return
}

// A scalar store is one thread's.
// CHECK-LABEL: func.func @scalar_store(
// CHECK:         tile_gpu.store_global {{.*}} pred {{.*}} align 4 : f32
func.func @scalar_store(%p: !tile.ptr<f32>, %v: f32) attributes {tile.kernel} {
  tile.store_ptr %v, %p : !tile.ptr<f32>
  return
}

// The facts of an assume are checked at run time by the emulator.
// CHECK-LABEL: func.func @facts(
// CHECK:         arith.remsi
// CHECK:         tile_gpu.assume {{.*}}, "div_by 8"
// CHECK:         tile_gpu.assume {{.*}}, "min 0"
func.func @facts(%p: !tile.ptr<i32>, %n: i32) attributes {tile.kernel} {
  %m = tile.assume %n div_by 8 min 0 : i32
  tile.store_ptr %m, %p : !tile.ptr<i32>
  return
}

// One step of the product per trip; each thread's accumulators stay in one vector.
// CHECK-LABEL: func.func @product(
// CHECK:         scf.for {{.*}} iter_args({{.*}}) -> (vector<32xf32>)
// CHECK:           tile_gpu.load_shared
// CHECK:           math.fma {{.*}} : vector<32xf32>
// CHECK:         } {tile_gpu.nounroll}
func.func @product(%a: !tile.view<?x?xf32, strides = [?, 1]>, %c: !tile.view<?x?xf32, strides = [?, 1]>)
    attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %x = tile.load %a[%c0, %c0] : !tile.view<?x?xf32, strides = [?, 1]> -> tensor<64x64xf32>
  %z = arith.constant dense<0.0> : tensor<64x64xf32>
  %d = tile.dot %x, %x, %z : tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>
  tile.store %d, %c[%c0, %c0] : tensor<64x64xf32>, !tile.view<?x?xf32, strides = [?, 1]>
  return
}

// A chosen view is a chosen base, size and stride.
// CHECK-LABEL: func.func @select_of_views(
// CHECK-DAG:     arith.select %{{.*}} : i64
// CHECK-DAG:     arith.select %{{.*}} : index
// CHECK:         tile_gpu.load_global
func.func @select_of_views(%a: !row, %b: !row, %c: i1) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %w = arith.select %c, %a, %b : !row
  %x = tile.load %w[%c0] : !row -> tensor<128xf32>
  tile.store %x, %a[%c0] : tensor<128xf32>, !row
  return
}

// A row of 128 is four neighbours in each lane: three additions in order, then five exchanges of totals.
// CHECK-LABEL: func.func @scan_row(
// CHECK-COUNT-3: arith.addf {{.*}} : vector<1xf32>
// CHECK-COUNT-5: tile_gpu.shuffle bfly
// CHECK-NOT:     tile_gpu.shuffle
// CHECK:         return
func.func @scan_row(%x: !tile.view<?x?xf32, strides = [?, 1]>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %i = tile.iota : tensor<128xi32>
  %f = arith.sitofp %i : tensor<128xi32> to tensor<128xf32>
  %v = tile.reshape %f : tensor<128xf32> -> tensor<1x128xf32>
  %w = tile.broadcast %v : tensor<1x128xf32> -> tensor<4x128xf32>
  %s = tile.scan %w dim 1 : tensor<4x128xf32> -> tensor<4x128xf32> {
  ^bb0(%a: f32, %b: f32):
    %r = arith.addf %a, %b : f32
    tile.yield %r : f32
  }
  tile.store %s, %x[%c0, %c0] : tensor<4x128xf32>, !tile.view<?x?xf32, strides = [?, 1]>
  return
}

// Each row has its own index, loaded where its row is and checked like every other.
// CHECK-LABEL: func.func @gather_rows(
// CHECK:         %[[I:.*]] = tile_gpu.load_global {{.*}} : i32
// CHECK:         %[[ROW:.*]] = arith.index_cast %[[I]] : i32 to index
// CHECK:         arith.cmpi ult, %[[ROW]]
// CHECK:         tile_gpu.load_global {{.*}} pred {{.*}} : f32
func.func @gather_rows(%x: !tile.view<?x?xf32, strides = [?, 1]>, %r: !tile.view<?xi32, strides = [1]>,
                       %y: !tile.view<?x?xf32, strides = [?, 1]>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %rows = tile.load %r[%c0] : !tile.view<?xi32, strides = [1]> -> tensor<4xi32>
  %v = tile.gather %x[%rows, %c0] pad(zero)
      : !tile.view<?x?xf32, strides = [?, 1]>[tensor<4xi32>, index] -> tensor<4x32xf32>
  tile.store %v, %y[%c0, %c0] : tensor<4x32xf32>, !tile.view<?x?xf32, strides = [?, 1]>
  return
}

// A combiner that branches is applied to one element after the other; what it takes from outside it finds there too.
// CHECK-LABEL: func.func @branching_combiner(
// CHECK-SAME:    %{{.*}}, %[[LIMIT:[a-z0-9]*]]: i32)
// CHECK:         scf.if
// CHECK-NEXT:      arith.remsi %{{.*}}, %[[LIMIT]] : i32
// CHECK:         scf.if
func.func @branching_combiner(%x: !tile.view<?xi32, strides = [1]>, %limit: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %v = tile.load %x[%c0] : !tile.view<?xi32, strides = [1]> -> tensor<256xi32>
  %s = tile.scan %v dim 0 : tensor<256xi32> -> tensor<256xi32> {
  ^bb0(%a: i32, %b: i32):
    %sum = arith.addi %a, %b : i32
    %c = arith.cmpi sgt, %sum, %limit : i32
    %r = scf.if %c -> i32 {
      %m = arith.remsi %sum, %limit : i32
      scf.yield %m : i32
    } else {
      scf.yield %sum : i32
    }
    tile.yield %r : i32
  }
  tile.store %s, %x[%c0] : tensor<256xi32>, !tile.view<?xi32, strides = [1]>
  return
}
