// RUN: tile-opt %s --tile-assign-layouts=num-warps=4 | FileCheck %s

!row = !tile.view<?xf32, strides = [1]>
!mat = !tile.view<?x?xf16, strides = [?, 1]>
!matT = !tile.view<?x?xf16, strides = [1, ?]>

// Neighbouring lanes read neighbouring elements; the store takes the value as it is.
// CHECK-LABEL: func.func @neighbours
// CHECK:         %[[X:.*]] = tile.load {{.*}} -> tensor<1024xf32, #tile_gpu.layout<[1024], {{.*}}lane = {{\[\[}}1], [2], [4], [8], [16]]
// CHECK-NOT:     convert_layout
// CHECK:         tile.store %[[X]]
func.func @neighbours(%x: !row, %y: !row) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %v = tile.load %x[%c0] : !row -> tensor<1024xf32>
  tile.store %v, %y[%c0] : tensor<1024xf32>, !row
  return
}

// Lanes walk the dimension of unit stride, here the first.
// CHECK-LABEL: func.func @first_dim_is_contiguous
// CHECK:         tile.load {{.*}} -> tensor<64x64xf16, #tile_gpu.layout<[64, 64], {{.*}}lane = {{\[\[}}1, 0], [2, 0], [4, 0]
func.func @first_dim_is_contiguous(%x: !matT, %y: !matT) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %v = tile.load %x[%c0, %c0] : !matT -> tensor<64x64xf16>
  tile.store %v, %y[%c0, %c0] : tensor<64x64xf16>, !matT
  return
}

// A constant is made in the layout of each user; it is never converted.
// CHECK-LABEL: func.func @constants_are_flexible
// CHECK:         %[[C:.*]] = arith.constant dense<1.000000e+00> : tensor<1024xf32, #tile_gpu.layout
// CHECK:         arith.addf %{{.*}}, %[[C]]
// CHECK-NOT:     convert_layout
// CHECK:         return
func.func @constants_are_flexible(%x: !row) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %one = arith.constant dense<1.0> : tensor<1024xf32>
  %v = tile.load %x[%c0] : !row -> tensor<1024xf32>
  %w = arith.addf %v, %one : tensor<1024xf32>
  tile.store %w, %x[%c0] : tensor<1024xf32>, !row
  return
}

// The accumulator has the product's layout through the whole loop.
// CHECK-LABEL: func.func @loop_keeps_the_accumulator
// CHECK:         %[[Z:.*]] = arith.constant dense<0.000000e+00> : tensor<64x64xf32, [[ACC:#tile_gpu.layout<.*>]]>
// CHECK:         scf.for {{.*}} iter_args(%[[ARG:.*]] = %[[Z]]) -> (tensor<64x64xf32, [[ACC]]>)
// CHECK:         %[[X:.*]] = tile_gpu.convert_layout %{{.*}} : tensor<64x32xf16
// CHECK:         %[[Y:.*]] = tile_gpu.convert_layout %{{.*}} : tensor<32x64xf16
// CHECK-NOT:     convert_layout
// CHECK:         %[[D:.*]] = tile.dot %[[X]], %[[Y]], %[[ARG]] {tile.dot_choice = {family = "mma.sync", {{.*}} : {{.*}} -> tensor<64x64xf32, [[ACC]]>
// CHECK-NOT:     convert_layout
// CHECK:         scf.yield %[[D]]
func.func @loop_keeps_the_accumulator(%a: !mat, %b: !mat, %c: !tile.view<?x?xf32, strides = [?, 1]>, %n: index)
    attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %r = scf.for %k = %c0 to %n step %c32 iter_args(%acc = %zero) -> (tensor<64x64xf32>) {
    %x = tile.load %a[%c0, %k] pad(zero) : !mat -> tensor<64x32xf16>
    %y = tile.load %b[%k, %c0] pad(zero) : !mat -> tensor<32x64xf16>
    %d = tile.dot %x, %y, %acc : tensor<64x32xf16>, tensor<32x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tile.store %r, %c[%c0, %c0] : tensor<64x64xf32>, !tile.view<?x?xf32, strides = [?, 1]>
  return
}

// The row maximum goes back to where the rows are: reshape and broadcast move nothing.
// CHECK-LABEL: func.func @broadcast_is_free
// CHECK-NOT:     convert_layout
// CHECK:         tile.store
func.func @broadcast_is_free(%a: !tile.view<?x?xf32, strides = [?, 1]>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %x = tile.load %a[%c0, %c0] pad(zero) : !tile.view<?x?xf32, strides = [?, 1]> -> tensor<32x128xf32>
  %m = tile.reduce %x dim 1 : tensor<32x128xf32> -> tensor<32xf32> {
  ^bb0(%p: f32, %q: f32):
    %s = arith.maximumf %p, %q : f32
    tile.yield %s : f32
  }
  %r = tile.reshape %m : tensor<32xf32> -> tensor<32x1xf32>
  %b = tile.broadcast %r : tensor<32x1xf32> -> tensor<32x128xf32>
  %d = arith.subf %x, %b : tensor<32x128xf32>
  tile.store %d, %a[%c0, %c0] : tensor<32x128xf32>, !tile.view<?x?xf32, strides = [?, 1]>
  return
}

// The warp count of a kernel outranks the option.
// CHECK-LABEL: func.func @own_warp_count
// CHECK-SAME:    tile.num_warps = 2
// CHECK:         warp = {{\[\[[0-9]+\]\]}}>>
func.func @own_warp_count(%x: !row) attributes {tile.kernel, tile.num_warps = 2 : i64} {
  %c0 = arith.constant 0 : index
  %v = tile.load %x[%c0] : !row -> tensor<1024xf32>
  tile.store %v, %x[%c0] : tensor<1024xf32>, !row
  return
}
