// SPDX-License-Identifier: Apache-2.0
// RUN: tile-opt %s --split-input-file --tile-specialize | FileCheck %s
// RUN: tile-opt %s --split-input-file --tile-specialize=max-variants=2 | FileCheck %s --check-prefix=TWO
// RUN: tile-opt %s --split-input-file --tile-specialize=max-variants=1 | FileCheck %s --check-prefix=ONE --implicit-check-not=variant_of

// A parameter with any strides gets a fast variant, a variant with unit strides, and stays itself. Uses behind a
// transpose follow; the guard asks about the parameters as they are.
// CHECK-LABEL: func.func private @copy__v0_guard(
// CHECK-SAME:    %[[V:.*]]: !tile.view<?x?xf32, strides = [?, ?]>, %[[W:.*]]: !tile.view<?x128xf32, strides = [?, 1]>) -> i1
// CHECK:         %[[S:.*]] = tile.view_stride %[[V]], 1
// CHECK:         arith.cmpi eq, %[[S]], %{{.*}} : index
// CHECK:         %[[B:.*]] = tile.view_base %[[V]]
// CHECK:         %[[A:.*]] = tile.ptr_cast %[[B]] : !tile.ptr<f32> to i64
// CHECK:         %[[R:.*]] = arith.remsi %[[A]], %{{.*}} : i64
// CHECK:         arith.cmpi eq, %[[R]], %{{.*}} : i64
// CHECK:         tile.view_stride %[[V]], 0
// CHECK:         tile.view_size %[[V]], 1
// CHECK:         tile.view_base %[[W]]
// CHECK:         tile.view_stride %[[W]], 0
// The size of dim 1 of %[[W]] is static: nothing to ask.
// CHECK-NOT:     tile.view_size %[[W]]
// CHECK:         return
// CHECK:       func.func @copy__v0(
// CHECK-SAME:    !tile.view<?x?xf32, strides = [?, 1]> {tile.div_by = 16 : i64, tile.name = "v", tile.sizes_div_by = array<i64: 1, 4>, tile.strides_div_by = array<i64: 4, 1>}
// CHECK-SAME:    !tile.view<?x128xf32, strides = [?, 1]> {tile.div_by = 16 : i64, tile.strides_div_by = array<i64: 4, 1>}
// CHECK-SAME:    tile.grid = @copy__v0_grid, tile.guard = @copy__v0_guard, tile.kernel, tile.variant_of = @copy
// CHECK:         %[[T:.*]] = tile.permute_view %{{.*}} [1, 0] : !tile.view<?x?xf32, strides = [?, 1]> to !tile.view<?x?xf32, strides = [1, ?]>
// CHECK:         tile.load %[[T]]
// CHECK:       func.func private @copy__v0_grid(
// CHECK-SAME:    strides = [?, 1]>
// CHECK:       func.func private @copy__v1_guard(
// CHECK-NOT:     view_base
// CHECK:       func.func @copy__v1(%{{.*}}: !tile.view<?x?xf32, strides = [?, 1]> {tile.name = "v"}
// CHECK:       func.func private @copy__v1_grid(
// CHECK:       func.func @copy(%{{.*}}: !tile.view<?x?xf32, strides = [?, ?]> {tile.name = "v"}
// CHECK-SAME:    attributes {tile.grid = @copy_grid, tile.kernel}
// TWO:         @copy__v0(
// TWO-NOT:     @copy__v1
// ONE:         func.func @copy(
!any = !tile.view<?x?xf32, strides = [?, ?]>
!anyT = !tile.view<?x?xf32, strides = [?, ?]>
!row = !tile.view<?x128xf32, strides = [?, 1]>
func.func @copy(%v: !any {tile.name = "v"}, %w: !row) attributes {tile.kernel, tile.grid = @copy_grid} {
  %c0 = arith.constant 0 : index
  %c128 = arith.constant 128 : index
  %i = tile.program_id x
  %o = arith.muli %i, %c128 : index
  %t = tile.permute_view %v [1, 0] : !any to !anyT
  %x = tile.load %t[%o, %c0] : !anyT -> tensor<128x64xf32>
  %y = tile.permute %x [1, 0] : tensor<128x64xf32> -> tensor<64x128xf32>
  tile.store %y, %w[%c0, %c0] : tensor<64x128xf32>, !row
  return
}
func.func @copy_grid(%v: !any, %w: !row) -> index {
  %n = tile.view_size %v, 1 : !any
  return %n : index
}

// -----

// Only what widens an access is promised, and no more of it: 4 dividing %n makes the mask uniform over a vector, %m is not part of an address, and the store of a single element per row needs
// nothing of %q.
// CHECK-LABEL: func.func @pointers__v0(
// CHECK-SAME:    %{{.*}}: !tile.ptr<f32> {tile.div_by = 16 : i64}, %{{.*}}: !tile.ptr<f32>, %{{.*}}: i32 {tile.div_by = 4 : i64}, %{{.*}}: i32)
// CHECK:       func.func @pointers(
// CHECK-SAME:    %{{.*}}: !tile.ptr<f32>, %{{.*}}: !tile.ptr<f32>, %{{.*}}: i32, %{{.*}}: i32)
func.func @pointers(%p: !tile.ptr<f32>, %q: !tile.ptr<f32>, %n: i32, %m: i32) attributes {tile.kernel, tile.grid = @pointers_grid} {
  %iota = tile.iota : tensor<64xi32>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %a = tile.ptr_add %ps, %iota : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %ns = tile.splat %n : i32 -> tensor<64xi32>
  %mask = arith.cmpi slt, %iota, %ns : tensor<64xi32>
  %x = tile.load_ptr %a mask %mask : tensor<64x!tile.ptr<f32>>
  %qs = tile.splat %q : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  tile.store_ptr %x, %qs : tensor<64x!tile.ptr<f32>>
  return
}
func.func @pointers_grid(%p: !tile.ptr<f32>, %q: !tile.ptr<f32>, %n: i32, %m: i32) -> index {
  %c1 = arith.constant 1 : index
  return %c1 : index
}

// -----

// A name that is taken is left alone.
// CHECK-LABEL: func.func @taken__v1(
// CHECK-SAME:    tile.variant_of = @taken
// CHECK:       func.func @taken(
// CHECK:       func.func @taken__v0()
func.func @taken(%p: !tile.ptr<f32>) attributes {tile.kernel, tile.grid = @taken_grid} {
  %iota = tile.iota : tensor<64xi32>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %a = tile.ptr_add %ps, %iota : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %x = tile.load_ptr %a : tensor<64x!tile.ptr<f32>>
  tile.store_ptr %x, %a : tensor<64x!tile.ptr<f32>>
  return
}
func.func @taken_grid(%p: !tile.ptr<f32>) -> index {
  %c1 = arith.constant 1 : index
  return %c1 : index
}
func.func @taken__v0() {
  return
}

// -----

// A part of a parameter, a view made of its base, a distance and its strides, is an access like those of the parameter.
// A stride that becomes that of another dim is no unit stride of this one: nothing is promised of %w.
// CHECK-LABEL: func.func @part__v0(
// CHECK-SAME:    %{{.*}}: !tile.view<?x?xf32, strides = [?, 1]> {tile.div_by = 16 : i64, tile.strides_div_by = array<i64: 4, 1>}
// CHECK-SAME:    %{{.*}}: !tile.view<?x?xf32, strides = [?, ?]>
// CHECK-SAME:    %{{.*}}: index {tile.div_by = 4 : i64}
// CHECK:       func.func @part__v1(
// CHECK-SAME:    %{{.*}}: !tile.view<?x?xf32, strides = [?, 1]>, %{{.*}}: !tile.view<?x?xf32, strides = [?, ?]>, %{{.*}}: index)
!part = !tile.view<?x?xf32, strides = [?, ?]>
!row = !tile.view<8xf32, strides = [?]>
func.func @part(%v: !part, %w: !part, %n: index) attributes {tile.kernel, tile.grid = @part_grid} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %s0 = tile.view_stride %v, 0 : !part
  %s1 = tile.view_stride %v, 1 : !part
  %b = tile.view_base %v : !part -> !tile.ptr<f32>
  %d = arith.muli %n, %s1 overflow<nsw> : index
  %p = tile.ptr_add %b, %d : !tile.ptr<f32>, index
  %u = tile.make_view %p, sizes [%c64, %c64] strides [%s0, %s1] : !part
  %x = tile.load %u[%c0, %c0] pad(zero) : !part -> tensor<8x64xf32>
  %r = tile.view_stride %w, 0 : !part
  %q = tile.view_base %w : !part -> !tile.ptr<f32>
  %y = tile.make_view %q, sizes [] strides [%r] : !row
  %z = tile.load %y[%c0] pad(zero) : !row -> tensor<8xf32>
  tile.store %x, %u[%c0, %c0] : tensor<8x64xf32>, !part
  tile.store %z, %y[%c0] : tensor<8xf32>, !row
  return
}
func.func @part_grid(%v: !part, %w: !part, %n: index) -> index {
  %c1 = arith.constant 1 : index
  return %c1 : index
}

// -----

// A kernel whose author wrote its variants keeps just those.
// CHECK-LABEL: func.func @mine(
// CHECK:       func.func @mine_fast(
// CHECK-NOT:   __v0
// ONE: tile.variant_of = @mine
!u = !tile.view<?xf32, strides = [?]>
!f = !tile.view<?xf32, strides = [1]>
func.func @mine(%v: !u) attributes {tile.kernel, tile.grid = @mine_grid} {
  %c0 = arith.constant 0 : index
  %x = tile.load %v[%c0] : !u -> tensor<64xf32>
  tile.store %x, %v[%c0] : tensor<64xf32>, !u
  return
}
func.func @mine_fast(%v: !f) attributes {tile.kernel, tile.grid = @fast_grid, tile.guard = @fast_guard, tile.variant_of = @mine} {
  %c0 = arith.constant 0 : index
  %x = tile.load %v[%c0] : !f -> tensor<64xf32>
  tile.store %x, %v[%c0] : tensor<64xf32>, !f
  return
}
func.func @fast_guard(%v: !u) -> i1 {
  %s = tile.view_stride %v, 0 : !u
  %c1 = arith.constant 1 : index
  %r = arith.cmpi eq, %s, %c1 : index
  return %r : i1
}
func.func @fast_grid(%v: !f) -> index {
  %c1 = arith.constant 1 : index
  return %c1 : index
}
func.func @mine_grid(%v: !u) -> index {
  %c1 = arith.constant 1 : index
  return %c1 : index
}
