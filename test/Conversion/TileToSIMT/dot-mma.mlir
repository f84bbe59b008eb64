// Products on mma.sync: fragments come by ldmatrix where memory is laid out for it, step by step along K.
// RUN: tile-opt %s --tile-pipeline="target=sm_90a max-variants=1" | FileCheck %s
// RUN: tile-opt %s --tile-pipeline="target=sm_90a max-variants=1 stage=gpu" | FileCheck %s --check-prefix=GPU

!mat = !tile.view<?x?xf16, strides = [?, 1]>
!trans = !tile.view<?x?xf16, strides = [1, ?]>
!out = !tile.view<?x?xf32, strides = [?, 1]>

// B is N-contiguous: transposed loads. Four steps of K in both orders of columns.
// CHECK-LABEL: func.func @nn
// CHECK:         tile_gpu.load_matrix %{{[^ ]*}} : vector<4xi32>
// CHECK:         tile_gpu.load_matrix %{{[^ ]*}} trans : vector<4xi32>
// CHECK:         tile_gpu.mma %{{.*}} types f16, f16 : vector<4xf32>
// CHECK:         return
func.func @nn(%a: !mat {tile.div_by = 16 : i64, tile.strides_div_by = array<i64: 8, 1>, tile.sizes_div_by = array<i64: 64, 64>},
              %b: !mat {tile.div_by = 16 : i64, tile.strides_div_by = array<i64: 8, 1>, tile.sizes_div_by = array<i64: 64, 64>}, %c: !out)
    attributes {tile.kernel, tile.num_warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %x = tile.load %a[%c0, %c0] in_bounds [true, true] : !mat -> tensor<64x64xf16>
  %y = tile.load %b[%c0, %c0] in_bounds [true, true] : !mat -> tensor<64x64xf16>
  %d = tile.dot %x, %y, %zero : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
  tile.store %d, %c[%c0, %c0] : tensor<64x64xf32>, !out
  return
}

// B is K-contiguous: no transposed load.
// CHECK-LABEL: func.func @nt
// CHECK-NOT:     trans
// CHECK:         tile_gpu.mma %{{.*}} types f16, f16 : vector<4xf32>
// CHECK-NOT:     trans
// CHECK:         return
func.func @nt(%a: !mat {tile.div_by = 16 : i64, tile.strides_div_by = array<i64: 8, 1>, tile.sizes_div_by = array<i64: 64, 64>},
              %b: !trans {tile.div_by = 16 : i64, tile.strides_div_by = array<i64: 1, 8>, tile.sizes_div_by = array<i64: 64, 64>}, %c: !out)
    attributes {tile.kernel, tile.num_warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %x = tile.load %a[%c0, %c0] in_bounds [true, true] : !mat -> tensor<64x64xf16>
  %y = tile.load %b[%c0, %c0] in_bounds [true, true] : !trans -> tensor<64x64xf16>
  %d = tile.dot %x, %y, %zero : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
  tile.store %d, %c[%c0, %c0] : tensor<64x64xf32>, !out
  return
}

// The sum of one product is the left operand of the next as it stands: its registers are those of the operand's layout.
// GPU-LABEL: func.func @chain
// GPU:         %[[P:.*]] = tile_gpu.dot_mma
// GPU:         %[[H:.*]] = arith.truncf %[[P]]
// GPU:         tile_gpu.dot_mma %[[H]],
func.func @chain(%a: !mat, %b: !mat, %v: !mat, %c: !out) attributes {tile.kernel, tile.num_warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %x = tile.load %a[%c0, %c0] pad(zero) : !mat -> tensor<64x64xf16>
  %y = tile.load %b[%c0, %c0] pad(zero) : !mat -> tensor<64x64xf16>
  %p = tile.dot %x, %y, %zero : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
  %h = arith.truncf %p : tensor<64x64xf32> to tensor<64x64xf16>
  %w = tile.load %v[%c0, %c0] pad(zero) : !mat -> tensor<64x64xf16>
  %d = tile.dot %h, %w, %zero : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
  tile.store %d, %c[%c0, %c0] : tensor<64x64xf32>, !out
  return
}

// A family can be pinned.
// CHECK-LABEL: func.func @pinned
// CHECK-NOT:     tile_gpu.mma
// CHECK:         math.fma
// CHECK:         return
func.func @pinned(%a: !mat, %b: !mat, %c: !out) attributes {tile.kernel, tile.num_warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %x = tile.load %a[%c0, %c0] pad(zero) : !mat -> tensor<64x64xf16>
  %y = tile.load %b[%c0, %c0] pad(zero) : !mat -> tensor<64x64xf16>
  %d = tile.dot %x, %y, %zero {tile.mma = "fma"} : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
  tile.store %d, %c[%c0, %c0] : tensor<64x64xf32>, !out
  return
}
