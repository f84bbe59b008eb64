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

// Pointers and mask lie as the stored value, also where a copy of it is stored.
// CHECK-LABEL: func.func @stored_by_pointers(
// CHECK:         %[[COPY:.*]] = tile.load %{{.*}} -> tensor<16x6xi8, #[[LAYOUT:.*]]>{{$}}
// CHECK:         tile.load %{{.*}} -> tensor<16x6xi8,
// CHECK:         tile.store_ptr %[[COPY]], %{{.*}} mask %{{.*}} : tensor<16x6x!tile.ptr<i8>, #[[LAYOUT]]>{{$}}
!turned = !tile.view<?x?xi8, strides = [1, ?]>
!sums = !tile.view<?x?xi32, strides = [?, 1]>
func.func @stored_by_pointers(%x: !turned, %rhs: !turned, %y: !sums, %to: !tile.ptr<i8>) attributes {tile.kernel, tile.num_warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0> : tensor<16x8xi32>
  %six = arith.constant dense<6> : tensor<16xi32>
  %end = arith.constant dense<6> : tensor<1x6xi32>
  %a = tile.load %x[%c0, %c0] pad(zero) : !turned -> tensor<16x6xi8>
  %b = tile.load %rhs[%c0, %c0] pad(zero) : !turned -> tensor<6x8xi8>
  %sum = tile.dot %a, %b, %zero : tensor<16x6xi8>, tensor<6x8xi8> -> tensor<16x8xi32>
  tile.store %sum, %y[%c0, %c0] : tensor<16x8xi32>, !sums
  %columns = tile.iota : tensor<6xi32>
  %column = tile.reshape %columns : tensor<6xi32> -> tensor<1x6xi32>
  %inside = arith.cmpi slt, %column, %end : tensor<1x6xi32>
  %mask = tile.broadcast %inside : tensor<1x6xi1> -> tensor<16x6xi1>
  %rows = tile.iota : tensor<16xi32>
  %starts = arith.muli %rows, %six overflow<nsw> : tensor<16xi32>
  %start = tile.reshape %starts : tensor<16xi32> -> tensor<16x1xi32>
  %of_row = tile.broadcast %start : tensor<16x1xi32> -> tensor<16x6xi32>
  %of_column = tile.broadcast %column : tensor<1x6xi32> -> tensor<16x6xi32>
  %offsets = arith.addi %of_row, %of_column overflow<nsw> : tensor<16x6xi32>
  %base = tile.splat %to : !tile.ptr<i8> -> tensor<16x6x!tile.ptr<i8>>
  %pointers = tile.ptr_add %base, %offsets : tensor<16x6x!tile.ptr<i8>>, tensor<16x6xi32>
  tile.store_ptr %a, %pointers mask %mask : tensor<16x6x!tile.ptr<i8>>
  return
}
