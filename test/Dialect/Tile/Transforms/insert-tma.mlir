// SPDX-License-Identifier: Apache-2.0
// RUN: tile-opt %s --split-input-file --tile-insert-tma | FileCheck %s --check-prefix=AUTO --implicit-check-not=variant_of
// RUN: tile-opt %s --split-input-file --tile-insert-tma=mode=guard | FileCheck %s
// RUN: tile-opt %s --split-input-file --tile-insert-tma=mode=guard --tile-insert-tma=mode=guard | FileCheck %s
// RUN: tile-opt %s --split-input-file --tile-insert-tma=target=sm_80 | FileCheck %s --check-prefix=OLD --implicit-check-not=tile.tma
// OLD: @static

// Everything is known: no guard in either mode.
// AUTO-LABEL:  func.func @static(
// AUTO:        tile.load %{{.*}} pad(zero) {tile.tma}
// AUTO:        tile.store %{{.*}} {tile.tma}
// CHECK-NOT:   variant_of
// CHECK-LABEL: func.func @static(
// CHECK:       tile.load %{{.*}} pad(zero) {tile.tma}
// CHECK:       tile.store %{{.*}} {tile.tma}
!s = !tile.view<300x512xf16, strides = [512, 1]>
func.func @static(%a: !s {tile.div_by = 16 : i64}, %b: !s {tile.div_by = 32 : i64}) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %c128 = arith.constant 128 : index
  %p = tile.program_id x
  %i = arith.muli %p, %c128 overflow<nsw> : index
  %x = tile.load %a[%i, %c0] pad(zero) : !s -> tensor<128x64xf16>
  tile.store %x, %b[%i, %c0] : tensor<128x64xf16>, !s
  return
}

// -----

// What only the caller knows is the guard of one variant, in front of those that are there. The grid is its own.
// AUTO-LABEL:  func.func @copy(
// AUTO-NOT:    tile.tma
// CHECK-LABEL: func.func private @copy_tma_guard(
// CHECK-SAME:    %[[V:.*]]: !tile.view<?x?xf32, strides = [?, ?]>, %[[W:.*]]: !tile.view<?x?xf32, strides = [?, ?]>) -> i1
// CHECK:         %[[S:.*]] = tile.view_stride %[[V]], 1
// CHECK:         arith.cmpi eq, %[[S]], %{{.*}} : index
// CHECK:         %[[N:.*]] = tile.view_size %[[V]], 1
// CHECK:         arith.cmpi sge, %[[N]], %c1{{.*}} : index
// CHECK:         arith.cmpi sle, %[[N]], %c2147483647{{.*}} : index
// CHECK:         %[[B:.*]] = tile.view_base %[[V]]
// CHECK:         %[[A:.*]] = tile.ptr_cast %[[B]]
// CHECK:         arith.remsi %[[A]], %c16_i64
// CHECK:         %[[R:.*]] = tile.view_stride %[[V]], 0
// CHECK:         arith.cmpi sge, %[[R]], %c1{{.*}} : index
// CHECK:         arith.cmpi sle, %[[R]], %c274877906943{{.*}} : index
// CHECK:         %[[R2:.*]] = tile.view_stride %[[V]], 0
// CHECK:         arith.remsi %[[R2]], %c4{{.*}} : index
// CHECK:         tile.view_size %[[W]], 1
// CHECK:       func.func @copy_tma(
// CHECK-SAME:    !tile.view<?x?xf32, strides = [?, 1]> {tile.div_by = 16 : i64, tile.strides_div_by = array<i64: 4, 1>}
// CHECK-SAME:    tile.grid = @copy_tma_grid, tile.guard = @copy_tma_guard, tile.kernel, tile.variant_of = @copy
// CHECK:         tile.load %{{.*}} {tile.tma}
// CHECK:         tile.store %{{.*}} {tile.tma}
// CHECK:       func.func private @copy_tma_grid(
// CHECK-NOT:   _tma
// CHECK:       func.func @copy(
// CHECK-NOT:   tile.tma
!v = !tile.view<?x?xf32, strides = [?, ?]>
func.func @copy(%v: !v, %w: !v) attributes {tile.kernel, tile.grid = @grid} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %p = tile.program_id x
  %i = arith.muli %p, %c64 overflow<nsw> : index
  %x = tile.load %v[%i, %c0] : !v -> tensor<64x64xf32>
  tile.store %x, %w[%i, %c0] : tensor<64x64xf32>, !v
  return
}
func.func @grid(%v: !v, %w: !v) -> index {
  %c64 = arith.constant 64 : index
  %n = tile.view_size %v, 0 : !v
  %g = arith.ceildivsi %n, %c64 : index
  return %g : index
}

// -----

// A view made from pointers and integers; the guard tests those. The offset of the pointer keeps 16 bytes.
// CHECK-LABEL: func.func private @made_tma_guard(
// CHECK-SAME:    %[[P:.*]]: !tile.ptr<f32>, %[[M:.*]]: i32, %[[S:.*]]: index, %[[K:.*]]: index)
// CHECK-DAG:     arith.cmpi sge, %[[M]], %{{.*}} : i32
// CHECK-DAG:     arith.cmpi sge, %[[S]], %{{.*}} : index
// CHECK-DAG:     arith.remsi %[[S]], %c4{{.*}} : index
// CHECK-DAG:     arith.remsi %[[K]], %c4{{.*}} : index
// CHECK-DAG:     tile.ptr_cast %[[P]]
// CHECK:       func.func @made_tma(
// CHECK-SAME:    %{{.*}}: i32 {tile.max = 2147483647 : i64, tile.min = 1 : i64}
// CHECK:         tile.load %{{.*}} {tile.tma}
!v = !tile.view<?x64xf32, strides = [?, 1]>
func.func @made(%p: !tile.ptr<f32>, %m: i32, %s: index, %k: index) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %n = arith.index_cast %m : i32 to index
  %rows = arith.maxsi %n, %c0 : index
  %q = tile.ptr_add %p, %k : !tile.ptr<f32>, index
  %v = tile.make_view %q, sizes [%rows] strides [%s] : !v
  %x = tile.load %v[%c0, %c0] pad(zero) : !v -> tensor<16x64xf32>
  tile.store %x, %v[%c0, %c0] : tensor<16x64xf32>, !v
  return
}

// -----

// Another pad is selected behind the load, by the indices that are checked: one that the tile walks, one that it does not.
// AUTO-LABEL:  func.func @pad(
// AUTO:        tile.load %{{.*}} pad(neg_inf) :
// CHECK-LABEL: func.func @pad(
// CHECK:       %[[O:.*]] = arith.index_cast %arg1 : index to i64
// CHECK:       %[[ONE:.*]] = arith.cmpi ult, %[[O]], %{{.*}} : i64
// CHECK:       %[[M0:.*]] = tile.splat %[[ONE]] : i1 -> tensor<8x64xi1>
// CHECK:       %[[I:.*]] = tile.iota : tensor<8xi64>
// CHECK:       %[[X:.*]] = arith.addi %{{.*}}, %[[I]] : tensor<8xi64>
// CHECK:       %[[C:.*]] = arith.cmpi ult, %[[X]], %{{.*}} : tensor<8xi64>
// CHECK:       %[[R:.*]] = tile.reshape %[[C]] : tensor<8xi1> -> tensor<8x1xi1>
// CHECK:       %[[M1:.*]] = tile.broadcast %[[R]] : tensor<8x1xi1> -> tensor<8x64xi1>
// CHECK:       %[[M:.*]] = arith.andi %[[M0]], %[[M1]]
// CHECK:       %[[PAD:.*]] = arith.constant dense<0xFF800000> : tensor<8x64xf32>
// CHECK:       %[[L:.*]] = tile.load %{{.*}} pad(zero) {tile.tma}
// CHECK:       %[[SEL:.*]] = arith.select %[[M]], %[[L]], %[[PAD]]
// CHECK:       tile.store %[[SEL]]
// Nothing is outside here, so the pad is no matter.
// CHECK:       %[[IN:.*]] = tile.load %{{.*}} in_bounds [true, true, true] pad(nan) {tile.tma}
// CHECK-NEXT:  tile.store %[[IN]]
!t = !tile.view<4x300x64xf32, strides = [19200, 64, 1]>
func.func @pad(%v: !t {tile.div_by = 16 : i64}, %b: index, %w: !t {tile.div_by = 16 : i64}) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %p = tile.program_id x
  %x = tile.load %v[%b, %p, %c0] dims [1, 2] in_bounds [false, false, true] pad(neg_inf) : !t -> tensor<8x64xf32>
  tile.store %x, %w[%c0, %p, %c0] dims [1, 2] : tensor<8x64xf32>, !t
  %y = tile.load %v[%b, %p, %c0] dims [1, 2] in_bounds [true, true, true] pad(nan) : !t -> tensor<8x64xf32>
  tile.store %y, %w[%c0, %p, %c0] dims [1, 2] : tensor<8x64xf32>, !t
  return
}

// -----

// A transposed read is a tensor map of the same memory: the dimension of stride 1 is the innermost.
// AUTO-LABEL: func.func @transposed(
// AUTO:       tile.load %{{.*}} {tile.tma} : !tile.view<512x300xf16, strides = [1, 512]>
!s = !tile.view<300x512xf16, strides = [512, 1]>
!st = !tile.view<512x300xf16, strides = [1, 512]>
func.func @transposed(%a: !s {tile.div_by = 16 : i64}, %b: !tile.view<64x16xf16, strides = [16, 1]>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %t = tile.permute_view %a [1, 0] : !s to !st
  %x = tile.load %t[%c0, %c0] : !st -> tensor<64x16xf16>
  tile.store %x, %b[%c0, %c0] : tensor<64x16xf16>, !tile.view<64x16xf16, strides = [16, 1]>
  return
}
