// SPDX-License-Identifier: Apache-2.0
// RUN: tile-opt %s --split-input-file --tile-batch-launches | FileCheck %s
// RUN: tile-opt %s --split-input-file --tile-batch-launches=max-bytes=72 | FileCheck %s --check-prefix=CHUNKS

// What differs is there three times, `to` once. The new axis is y.
// CHECK-LABEL: func.func @copy_batch3(
// CHECK-SAME:    %arg0: !tile.view<?xf32, strides = [1]> {tile.div_by = 16 : i64, tile.name = "from.0"}
// CHECK-SAME:    %arg1: {{.*}}tile.name = "from.1"}
// CHECK-SAME:    %arg2: {{.*}}tile.name = "from.2"}
// CHECK-SAME:    %arg3: {{.*}}{tile.name = "to", tile.noalias}
// CHECK-SAME:    %arg4: index {tile.name = "offset.0"}, %arg5: index {tile.name = "offset.1"}, %arg6: index
// CHECK-SAME:    tile.grid = @copy_batch3_grid
// CHECK:         %[[LAUNCH:.*]] = tile.program_id y
// CHECK:         %[[C1:.*]] = arith.constant 1 : index
// CHECK:         %[[LOW:.*]] = arith.cmpi slt, %[[LAUNCH]], %[[C1]]
// CHECK:         %[[PARTS:.*]]:3 = scf.if %[[LOW]] -> (!tile.ptr<f32>, index, index) {
// CHECK:           %[[BASE:.*]] = tile.view_base %arg0
// CHECK:           %[[SIZE:.*]] = tile.view_size %arg0, 0
// CHECK:           scf.yield %[[BASE]], %[[SIZE]], %arg4
// CHECK:         } else {
// CHECK:           arith.constant 2
// CHECK:           scf.if
// CHECK:         %[[FROM:.*]] = tile.make_view %[[PARTS]]#0, sizes [%[[PARTS]]#1] strides []
// CHECK:         %[[TILES:.*]] = arith.ceildivsi
// CHECK:         %[[ID:.*]] = tile.program_id x
// CHECK:         %[[EXISTS:.*]] = arith.cmpi slt, %[[ID]], %[[TILES]]
// CHECK:         scf.if %[[EXISTS]] {
// CHECK:           tile.load %[[FROM]]
// CHECK:           tile.store %{{.*}}, %arg3
// CHECK:         }
// CHECK-NEXT:    return
// CHECK-LABEL: func.func private @copy_batch3_grid(
// CHECK-SAME:    -> (index, index)
// CHECK:         arith.maxsi
// CHECK:         %[[LARGEST:.*]] = arith.maxsi
// CHECK:         %[[C3:.*]] = arith.constant 3 : index
// CHECK:         return %[[LARGEST]], %[[C3]]
// CHECK-LABEL: func.func @three(
// CHECK:         tile.launch @copy_batch3(%arg0, %arg1, %arg2, %arg3, %c0, %c5, %arg4) {tile.independent}
// CHECK-NEXT:    return
// CHUNKS-LABEL: func.func @three(
// CHUNKS:         tile.launch @copy_batch2(%arg0, %arg1, %arg3, %c0, %c5)
// CHUNKS:         tile.launch @copy(%arg2, %arg3, %arg4)
!v = !tile.view<?xf32, strides = [1]>
func.func @copy(%from: !v {tile.name = "from", tile.div_by = 16}, %to: !v {tile.name = "to", tile.noalias},
                %offset: index {tile.name = "offset"}) attributes {tile.kernel, tile.grid = @copy_grid} {
  %c16 = arith.constant 16 : index
  %p = tile.program_id x
  %i = arith.muli %p, %c16 : index
  %j = arith.addi %i, %offset : index
  %x = tile.load %from[%i] : !v -> tensor<16xf32>
  tile.store %x, %to[%j] : tensor<16xf32>, !v
  return
}
func.func @copy_grid(%from: !v, %to: !v, %offset: index) -> index {
  %c16 = arith.constant 16 : index
  %n = tile.view_size %from, 0 : !v
  %t = arith.ceildivsi %n, %c16 : index
  return %t : index
}
func.func @three(%a: !v, %b: !v, %c: !v, %to: !v, %last: index) {
  %c0 = arith.constant 0 : index
  %c5 = arith.constant 5 : index
  tile.launch @copy(%a, %to, %c0) {tile.independent} : (!v, !v, index) -> ()
  tile.launch @copy(%b, %to, %c5) {tile.independent} : (!v, !v, index) -> ()
  tile.launch @copy(%c, %to, %last) {tile.independent} : (!v, !v, index) -> ()
  return
}

// -----

// Two axes and the third for the launch; outputs that do not alias need no promise about the launches. A launch of another
// kernel ends a batch.
// CHECK-LABEL: func.func @fill_batch2(
// CHECK-NOT:     tile.noalias
// CHECK:         tile.program_id z
// CHECK:         tile.program_id x
// CHECK:         arith.cmpi slt
// CHECK:         tile.program_id y
// CHECK:         arith.cmpi slt
// CHECK:         arith.andi
// CHECK:         scf.if
// CHECK-NOT:       tile.num_programs
// CHECK-NOT:       tile.program_id z
// CHECK:         return
// CHECK-LABEL: func.func @apart(
// CHECK:         tile.launch @fill_batch2(%arg0, %arg1, %arg2)
// CHECK-NEXT:    tile.launch @other
// CHECK-NEXT:    tile.launch @fill(%arg0, %arg2)
// CHECK-NEXT:    return
!v = !tile.view<?xi64, strides = [1]>
func.func @fill(%to: !v {tile.noalias}, %n: index) attributes {tile.kernel, tile.grid = @fill_grid} {
  %x = tile.program_id x
  %z = tile.program_id z
  %count = tile.num_programs y
  %i = arith.addi %x, %z : index
  %s = arith.addi %i, %count : index
  %w = arith.index_cast %s : index to i64
  %t = tile.splat %w : i64 -> tensor<1xi64>
  tile.store %t, %to[%i] : tensor<1xi64>, !v
  return
}
func.func @fill_grid(%to: !v, %n: index) -> (index, index) {
  return %n, %n : index, index
}
func.func @other() attributes {tile.kernel, tile.grid = @other_grid} {
  return
}
func.func @other_grid() -> index {
  %c1 = arith.constant 1 : index
  return %c1 : index
}
func.func @apart(%a: !v {tile.noalias}, %b: !v, %n: index) {
  tile.launch @fill(%a, %n) : (!v, index) -> ()
  tile.launch @fill(%b, %n) : (!v, index) -> ()
  tile.launch @other() : () -> ()
  tile.launch @fill(%a, %n) : (!v, index) -> ()
  return
}
