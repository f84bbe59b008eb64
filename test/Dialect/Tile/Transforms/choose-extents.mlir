// SPDX-License-Identifier: Apache-2.0
// RUN: tile-opt %s --split-input-file --tile-choose-extents=extents=x.0:48 | FileCheck %s
// RUN: tile-opt %s --split-input-file --tile-choose-extents=extents=x.0:8 | FileCheck %s --check-prefix=DIVISOR
// RUN: tile-opt %s --split-input-file --tile-choose-extents | FileCheck %s --check-prefix=SAME --implicit-check-not=48

// Rows alone: %c128 is the extent of the columns, too, and stays there. The grid and all tiles follow.
// CHECK-LABEL: func @matmul(
// CHECK-DAG:     %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : tensor<48x128xf32>
// CHECK-DAG:     %[[C128:.*]] = arith.constant 128
// CHECK-DAG:     %[[C64:.*]] = arith.constant 64
// CHECK:         %[[C48:.*]] = arith.constant 48
// CHECK:         %[[I:.*]] = arith.muli %{{.*}}, %[[C48]] overflow<nsw>
// CHECK:         %[[J:.*]] = arith.muli %{{.*}}, %[[C128]] overflow<nsw>
// CHECK:         scf.for {{.*}} step %[[C64]] iter_args(%{{.*}} = %[[ZERO]]) -> (tensor<48x128xf32>)
// CHECK:           tile.load %{{.*}}[%[[I]], %{{.*}}] pad(zero) : {{.*}} -> tensor<48x64xf16>
// CHECK:           tile.load %{{.*}}[%{{.*}}, %[[J]]] pad(zero) : {{.*}} -> tensor<64x128xf16>
// CHECK:           tile.dot {{.*}} : tensor<48x64xf16>, tensor<64x128xf16> -> tensor<48x128xf32>
// CHECK:         tile.store {{.*}} : tensor<48x128xf32>
// CHECK-LABEL: func @matmul_grid(
// CHECK:         %[[C128:.*]] = arith.constant 128
// CHECK:         %[[M:.*]] = tile.view_size %{{.*}}, 0
// CHECK:         %[[N:.*]] = tile.view_size %{{.*}}, 1
// CHECK:         %[[TILES_N:.*]] = arith.ceildivsi %[[N]], %[[C128]]
// CHECK:         %[[C48:.*]] = arith.constant 48
// CHECK:         %[[TILES_M:.*]] = arith.ceildivsi %[[M]], %[[C48]]
// CHECK:         return %[[TILES_M]], %[[TILES_N]]
// SAME-LABEL:  func @matmul(
// SAME:          dense<0.000000e+00> : tensor<128x128xf32>
!mat = !tile.view<?x?xf16, strides = [?, ?]>
!out = !tile.view<?x?xf32, strides = [?, ?]>
func.func @matmul(%a: !mat {tile.name = "x"}, %b: !mat, %c: !out) attributes {tile.kernel, tile.grid = @matmul_grid} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %k = tile.view_size %a, 1 : !mat
  %pm = tile.program_id x
  %pn = tile.program_id y
  %i = arith.muli %pm, %c128 overflow<nsw> : index
  %j = arith.muli %pn, %c128 overflow<nsw> : index
  %sum = scf.for %kk = %c0 to %k step %c64 iter_args(%acc = %zero) -> (tensor<128x128xf32>) {
    %x = tile.load %a[%i, %kk] pad(zero) : !mat -> tensor<128x64xf16>
    %y = tile.load %b[%kk, %j] pad(zero) : !mat -> tensor<64x128xf16>
    %d = tile.dot %x, %y, %acc : tensor<128x64xf16>, tensor<64x128xf16> -> tensor<128x128xf32>
    scf.yield %d : tensor<128x128xf32>
  }
  tile.store %sum, %c[%i, %j] : tensor<128x128xf32>, !out
  return
}
func.func @matmul_grid(%a: !mat, %b: !mat, %c: !out) -> (index, index) {
  %c128 = arith.constant 128 : index
  %m = tile.view_size %c, 0 : !out
  %n = tile.view_size %c, 1 : !out
  %tm = arith.ceildivsi %m, %c128 : index
  %tn = arith.ceildivsi %n, %c128 : index
  return %tm, %tn : index, index
}

// -----

// Programs numbered by hand, with one number of tiles for both dimensions: each factor is one dimension's.
// CHECK-LABEL: func @flat(
// CHECK:         %[[T:.*]] = arith.ceildivsi %{{.*}}, %c16
// CHECK:         %[[Q:.*]] = arith.divsi %{{.*}}, %[[T]]
// CHECK:         %[[R:.*]] = arith.remsi %{{.*}}, %[[T]]
// CHECK:         arith.muli %[[Q]], %c48
// CHECK:         arith.muli %[[R]], %c16
// CHECK:         tile.load {{.*}} -> tensor<48x16xf32>
// CHECK-LABEL: func @flat_grid(
// CHECK:         %[[OLD:.*]] = arith.ceildivsi %[[N:.*]], %c16
// CHECK:         %[[NEW:.*]] = arith.ceildivsi %[[N]], %c48
// CHECK:         %[[P:.*]] = arith.muli %[[NEW]], %[[OLD]]
// CHECK:         return %[[P]]
!mat = !tile.view<?x?xf32, strides = [?, ?]>
func.func @flat(%x: !mat {tile.name = "x"}) attributes {tile.kernel, tile.grid = @flat_grid} {
  %c16 = arith.constant 16 : index
  %n = tile.view_size %x, 0 : !mat
  %p = tile.program_id x
  %t = arith.ceildivsi %n, %c16 : index
  %q = arith.divsi %p, %t : index
  %r = arith.remsi %p, %t : index
  %i = arith.muli %q, %c16 : index
  %j = arith.muli %r, %c16 : index
  %v = tile.load %x[%i, %j] : !mat -> tensor<16x16xf32>
  tile.store %v, %x[%i, %j] : tensor<16x16xf32>, !mat
  return
}
func.func @flat_grid(%x: !mat) -> index {
  %c16 = arith.constant 16 : index
  %n = tile.view_size %x, 0 : !mat
  %t = arith.ceildivsi %n, %c16 : index
  %p = arith.muli %t, %t : index
  return %p : index
}

// -----

// A promise of the author holds for the old extent alone, so the access is checked again; a store whose view could be
// longer than what is walked becomes a requirement on the launch. The grid function of two kernels is copied.
// CHECK-LABEL: func private @promised_grid(
// CHECK:         arith.ceildivsi %{{.*}}, %c48
// CHECK-LABEL: func @promised(
// CHECK-SAME:    tile.grid = @promised_grid, tile.kernel, tile.requires = @promised_requires
// CHECK:         arith.cmpi slt, %{{.*}}, %{{.*}} : tensor<48xi32>
// CHECK:         tile.load %{{.*}}[%{{.*}}] in_bounds [false] pad(zero) : {{.*}} -> tensor<48xf32>
// CHECK:         tile.store %{{.*}} in_bounds [false] : tensor<48xf32>
// CHECK-LABEL: func private @promised_requires(
// CHECK-SAME:    tile.messages = ["the size of dim 0 of parameter 1 must be at most what is walked along x.0, whose extent was set to 48"]
// CHECK:         %[[Y:.*]] = tile.view_size %arg1, 0
// CHECK:         %[[X:.*]] = tile.view_size %arg0, 0
// CHECK:         %[[FITS:.*]] = arith.cmpi sle, %[[Y]], %[[X]]
// CHECK:         return %[[FITS]]
// With a divisor whole blocks of the old extent will do, too, and the promise still holds.
// DIVISOR-LABEL: func @promised(
// DIVISOR:         tile.load %{{.*}}[%{{.*}}] in_bounds [true] pad(zero) : {{.*}} -> tensor<8xf32>
// DIVISOR-LABEL: func private @promised_requires(
// DIVISOR-SAME:    tile.messages = ["the size of dim 0 of parameter 1 must be at most what is walked along x.0, or that a multiple of 64, whose extent was set to 8"]
// DIVISOR:         %[[LEFT:.*]] = arith.remsi %{{.*}}, %c64
// DIVISOR:         %[[WHOLE:.*]] = arith.cmpi eq, %[[LEFT]], %{{.*}}
// DIVISOR:         %[[FITS:.*]] = arith.cmpi sle
// DIVISOR:         %[[EITHER:.*]] = arith.ori %[[FITS]], %[[WHOLE]]
// DIVISOR:         return %[[EITHER]]
// CHECK-LABEL: func @other(
// CHECK-SAME:    tile.grid = @grid
// CHECK-LABEL: func @grid(
// CHECK:         arith.ceildivsi %{{.*}}, %c64
!v = !tile.view<?xf32, strides = [1]>
func.func @promised(%x: !v {tile.name = "x"}, %y: !v) attributes {tile.kernel, tile.grid = @grid} {
  %c64 = arith.constant 64 : index
  %p = tile.program_id x
  %i = arith.muli %p, %c64 : index
  %n = tile.view_size %x, 0 : !v
  %left = arith.subi %n, %i : index
  %most = arith.minsi %left, %c64 : index
  %most32 = arith.index_cast %most : index to i32
  %ends = tile.splat %most32 : i32 -> tensor<64xi32>
  %iota = tile.iota : tensor<64xi32>
  %exists = arith.cmpi slt, %iota, %ends : tensor<64xi32>
  %zero = arith.constant dense<0.0> : tensor<64xf32>
  %v = tile.load %x[%i] in_bounds [true] pad(zero) : !v -> tensor<64xf32>
  %w = arith.select %exists, %v, %zero : tensor<64xi1>, tensor<64xf32>
  tile.store %w, %y[%i] in_bounds [true] : tensor<64xf32>, !v
  return
}
func.func @other(%x: !v, %y: !v) attributes {tile.kernel, tile.grid = @grid} {
  return
}
func.func @grid(%x: !v, %y: !v) -> index {
  %c64 = arith.constant 64 : index
  %n = tile.view_size %x, 0 : !v
  %t = arith.ceildivsi %n, %c64 : index
  return %t : index
}

// -----

// The sum of exp(x - m), kept relative to the largest x so far.
// CHECK-LABEL: func @online(
// CHECK:         scf.for %{{.*}} step %c48
// CHECK:           tile.load {{.*}} -> tensor<48xf32>
!v = !tile.view<?xf32, strides = [1]>
func.func @online(%x: !v {tile.name = "x"}, %p: !tile.ptr<f32>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %n = tile.view_size %x, 0 : !v
  %lowest = arith.constant -3.0e+38 : f32
  %zero = arith.constant 0.0 : f32
  %r:2 = scf.for %i = %c0 to %n step %c64 iter_args(%m = %lowest, %s = %zero) -> (f32, f32) {
    %v = tile.load %x[%i] pad(neg_inf) : !v -> tensor<64xf32>
    %most = tile.reduce %v dim 0 : tensor<64xf32> -> f32 {
    ^bb0(%a: f32, %e: f32):
      %q = arith.maximumf %a, %e : f32
      tile.yield %q : f32
    }
    %m_new = arith.maximumf %m, %most : f32
    %m_all = tile.splat %m_new : f32 -> tensor<64xf32>
    %d = arith.subf %v, %m_all : tensor<64xf32>
    %e = math.exp %d : tensor<64xf32>
    %t = tile.reduce %e dim 0 : tensor<64xf32> -> f32 {
    ^bb0(%a: f32, %b: f32):
      %q = arith.addf %a, %b : f32
      tile.yield %q : f32
    }
    %fall = arith.subf %m, %m_new : f32
    %scale = math.exp %fall : f32
    %kept = arith.mulf %s, %scale : f32
    %s_new = arith.addf %kept, %t : f32
    scf.yield %m_new, %s_new : f32, f32
  }
  tile.store_ptr %r#1, %p : !tile.ptr<f32>
  return
}

// -----

// A loop over numbers of blocks.
// CHECK-LABEL: func @blocks(
// CHECK:         %[[T:.*]] = arith.ceildivsi %{{.*}}, %c48
// CHECK:         scf.for %[[B:.*]] = %c0 to %[[T]] step %c1
// CHECK:           arith.muli %[[B]], %c48
// CHECK:           tile.load {{.*}} -> tensor<48xi32>
!v = !tile.view<?xi32, strides = [1]>
func.func @blocks(%x: !v {tile.name = "x"}) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %n = tile.view_size %x, 0 : !v
  %t = arith.ceildivsi %n, %c64 : index
  scf.for %b = %c0 to %t step %c1 {
    %i = arith.muli %b, %c64 : index
    %v = tile.load %x[%i] : !v -> tensor<64xi32>
    %w = arith.addi %v, %v : tensor<64xi32>
    tile.store %w, %x[%i] : tensor<64xi32>, !v
  }
  return
}
