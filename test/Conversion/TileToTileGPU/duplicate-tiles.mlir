// A tile that is used in two layouts is made in both where that costs less than a conversion: loads without order, and what
// is computed from them element by element.
// RUN: tile-opt %s --tile-assign-layouts="target=sm_90a num-warps=4" | FileCheck %s
// RUN: tile-opt %s --tile-assign-layouts="target=sm_90a num-warps=4" --remarks-filter=tile-assign-layouts --remark-policy=all -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

!row = !tile.view<?xf32, strides = [1]>
!mat = !tile.view<?x?xf32, strides = [?, 1]>

// One vector as a row and as a column.
// CHECK-LABEL: func.func @row_and_column
// CHECK-COUNT-2: tile.load
// CHECK-NOT:     tile_gpu.convert_layout
// CHECK:         tile.store
// REMARK: remark: [Passed] Duplicated | {{.*}} | Function=row_and_column | {{.*}}made in each layout in which it is used{{.*}}layouts=
func.func @row_and_column(%a: !row, %c: !mat) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %w = tile.load %a[%c0] pad(zero) : !row -> tensor<16xf32>
  %d = arith.addf %w, %w : tensor<16xf32>
  %r = tile.reshape %d : tensor<16xf32> -> tensor<1x16xf32>
  %rows = tile.broadcast %r : tensor<1x16xf32> -> tensor<16x16xf32>
  %q = tile.reshape %d : tensor<16xf32> -> tensor<16x1xf32>
  %columns = tile.broadcast %q : tensor<16x1xf32> -> tensor<16x16xf32>
  %p = arith.mulf %rows, %columns : tensor<16x16xf32>
  tile.store %p, %c[%c0, %c0] : tensor<16x16xf32>, !mat
  return
}

// Each element of this load is one atomic access: it is done once, whatever a conversion costs.
// CHECK-LABEL: func.func @ordered
// CHECK:         tile.load
// CHECK-NOT:     tile.load
// CHECK:         tile.store
// REMARK-NOT: Duplicated | {{.*}} | Function=ordered
func.func @ordered(%a: !row, %c: !mat) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %w = tile.load %a[%c0] pad(zero) sync(relaxed, gpu) : !row -> tensor<16xf32>
  %r = tile.reshape %w : tensor<16xf32> -> tensor<1x16xf32>
  %rows = tile.broadcast %r : tensor<1x16xf32> -> tensor<16x16xf32>
  %q = tile.reshape %w : tensor<16xf32> -> tensor<16x1xf32>
  %columns = tile.broadcast %q : tensor<16x1xf32> -> tensor<16x16xf32>
  %p = arith.mulf %rows, %columns : tensor<16x16xf32>
  tile.store %p, %c[%c0, %c0] : tensor<16x16xf32>, !mat
  return
}

// A whole matrix and its transpose: the second load would touch 64 lines for each access, more than a trip through shared
// memory costs.
// CHECK-LABEL: func.func @transpose
// CHECK:         tile.load
// CHECK-NOT:     tile.load
// CHECK:         tile_gpu.convert_layout
// REMARK: remark: [Missed] Duplicated | {{.*}} | Function=transpose | Reason="made in each layout it would cost {{[0-9]+}} cycles, converted {{[0-9]+}}"
func.func @transpose(%a: !mat, %c: !mat) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %x = tile.load %a[%c0, %c0] pad(zero) : !mat -> tensor<64x64xf32>
  %t = tile.permute %x [1, 0] : tensor<64x64xf32> -> tensor<64x64xf32>
  %s = arith.addf %x, %t : tensor<64x64xf32>
  tile.store %s, %c[%c0, %c0] : tensor<64x64xf32>, !mat
  return
}
