// SPDX-License-Identifier: Apache-2.0
// RUN: tile-opt %s --split-input-file --tile-make-persistent=mode=always | FileCheck %s
// RUN: tile-opt %s --split-input-file --tile-make-persistent | FileCheck %s --check-prefix=AUTO

// CHECK-LABEL: func.func @rows(
// CHECK:         %[[TILES:.*]] = tile.view_size %arg0, 0
// CHECK:         %[[ID:.*]] = tile.program_id x
// CHECK:         %[[PROGRAMS:.*]] = tile.num_programs x
// CHECK:         scf.for %[[TILE:.*]] = %[[ID]] to %[[TILES]] step %[[PROGRAMS]] {
// CHECK-NOT:       tile.program_id
// CHECK:           %[[X:.*]] = tile.load %arg0[%[[TILE]]]
// CHECK:           tile.store %[[X]], %arg1[%[[TILE]]]
// CHECK:         } {tile.independent}
// CHECK-NEXT:    return
// CHECK-LABEL: func.func @rows_grid(
// CHECK:         %[[N:.*]] = tile.view_size %arg0, 0
// CHECK:         %[[SMS:.*]] = tile.device_info sm_count
// CHECK:         %[[HELD:.*]] = tile.device_info max_ctas_per_sm
// CHECK:         %[[PLACES:.*]] = arith.muli %[[SMS]], %[[HELD]]
// CHECK:         %[[LEAST:.*]] = arith.minsi %[[N]], %[[PLACES]]
// CHECK:         return %[[LEAST]]
// Nobody asks for it.
// AUTO-LABEL: func.func @rows(
// AUTO-NOT:     scf.for
!v = !tile.view<?xf32, strides = [1]>
func.func @rows(%a: !v, %b: !v) attributes {tile.kernel, tile.grid = @rows_grid} {
  %p = tile.program_id x
  %x = tile.load %a[%p] : !v -> tensor<16xf32>
  tile.store %x, %b[%p] : tensor<16xf32>, !v
  return
}
func.func @rows_grid(%a: !v, %b: !v) -> index {
  %n = tile.view_size %a, 0 : !v
  return %n : index
}

// -----

// Three axes become one; the extents are those of the old grid, two CTAs are on each SM.
// CHECK-LABEL: func.func @axes(
// CHECK:         %[[T2:.*]] = arith.muli %arg0, %arg1
// CHECK:         %[[T3:.*]] = arith.muli %[[T2]], %arg2
// CHECK:         scf.for %[[TILE:.*]] = %{{.*}} to %[[T3]]
// CHECK:           %[[T:.*]] = arith.index_castui %[[TILE]] : index to i32
// CHECK:           %[[GX:.*]] = arith.index_castui %arg0 : index to i32
// CHECK:           %[[QX:.*]] = arith.divui %[[T]], %[[GX]]
// CHECK:           %[[GY:.*]] = arith.index_castui %arg1 : index to i32
// CHECK:           %[[QY:.*]] = arith.divui %[[QX]], %[[GY]]
// CHECK:           %[[Z:.*]] = arith.index_castui %[[QY]] : i32 to index
// CHECK:           arith.addi %{{.*}}, %[[Z]] : index
// CHECK:           arith.addi %{{.*}}, %arg2 : index
// CHECK-LABEL: func.func @axes_grid(
// CHECK-SAME:    -> index
// CHECK:         %[[SMS:.*]] = tile.device_info sm_count
// CHECK:         %[[TWO:.*]] = arith.constant 2 : index
// CHECK:         %[[PLACES:.*]] = arith.muli %[[SMS]], %[[TWO]]
// CHECK:         arith.minsi %{{.*}}, %[[PLACES]]
// AUTO-LABEL: func.func @axes(
// AUTO:         scf.for
func.func @axes(%gx: index, %gy: index, %gz: index, %p: !tile.ptr<i64>) attributes {tile.kernel, tile.grid = @axes_grid, tile.persistent = true, tile.occupancy = 2} {
  %x = tile.program_id x
  %z = tile.program_id z
  %nz = tile.num_programs z
  %s = arith.addi %x, %z : index
  %t = arith.addi %s, %nz : index
  %v = arith.index_cast %t : index to i64
  tile.store_ptr %v, %p : !tile.ptr<i64>
  return
}
func.func @axes_grid(%gx: index, %gy: index, %gz: index, %p: !tile.ptr<i64>) -> (index, index, index) {
  return %gx, %gy, %gz : index, index, index
}

// -----

// One on each SM, as the author says.
// CHECK-LABEL: func.func @alone_grid(
// CHECK:         %[[SMS:.*]] = tile.device_info sm_count
// CHECK-NEXT:    arith.minsi %arg0, %[[SMS]]
func.func @alone(%n: index) attributes {tile.kernel, tile.grid = @alone_grid, tile.occupancy = 1} {
  return
}
func.func @alone_grid(%n: index) -> index {
  return %n : index
}
