// Each op of the language, in the form that hands, tests and translators write, parses and prints as it was; the
// generic form means the same.
// RUN: tile-opt %s | FileCheck %s
// RUN: tile-opt %s | tile-opt | FileCheck %s
// RUN: tile-opt %s --mlir-print-op-generic | tile-opt | FileCheck %s

!mat  = !tile.view<?x?xf16, strides = [?, 1]>
!matT = !tile.view<?x?xf16, strides = [1, ?]>

// CHECK-LABEL: func.func @matmul_nt(
// CHECK-SAME:    !tile.ptr<f16> {tile.div_by = 16 : i64, tile.noalias}
// CHECK-SAME:    attributes {tile.kernel}
func.func @matmul_nt(%a: !tile.ptr<f16> {tile.div_by = 16 : i64, tile.noalias}, %b: !tile.ptr<f16> {tile.div_by = 16 : i64},
                     %c: !tile.ptr<f16>, %m: index, %n: index, %k: index) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  // CHECK: %[[KE:.*]] = tile.assume %{{.*}} div_by 64 min 0 : index
  %ke = tile.assume %k div_by 64 min 0 : index
  // CHECK: tile.make_view %{{.*}}, sizes [%{{.*}}, %[[KE]]] strides [%[[KE]]] : !tile.view<?x?xf16, strides = [?, 1]>
  %A = tile.make_view %a, sizes [%m, %ke] strides [%ke] : !mat
  // CHECK: %[[B:.*]] = tile.make_view
  %B = tile.make_view %b, sizes [%n, %ke] strides [%ke] : !mat
  // CHECK: tile.permute_view %[[B]] [1, 0] : !tile.view<?x?xf16, strides = [?, 1]> to !tile.view<?x?xf16, strides = [1, ?]>
  %Bt = tile.permute_view %B [1, 0] : !mat to !matT
  %C = tile.make_view %c, sizes [%m, %n] strides [%n] : !mat
  // CHECK: tile.program_id x
  %pm = tile.program_id x
  // CHECK: tile.program_id y
  %pn = tile.program_id y
  %i = arith.muli %pm, %c128 overflow<nsw> : index
  %j = arith.muli %pn, %c128 overflow<nsw> : index
  %acc = scf.for %kk = %c0 to %ke step %c64 iter_args(%s = %zero) -> (tensor<128x128xf32>) {
    // CHECK: tile.load %{{.*}}[%{{.*}}, %{{.*}}] in_bounds [false, true] pad(zero) : !tile.view<?x?xf16, strides = [?, 1]> -> tensor<128x64xf16>
    %x = tile.load %A[%i, %kk] in_bounds [false, true] pad(zero) : !mat -> tensor<128x64xf16>
    %y = tile.load %Bt[%kk, %j] in_bounds [true, false] pad(zero) : !matT -> tensor<64x128xf16>
    // CHECK: tile.dot %{{.*}}, %{{.*}}, %{{.*}} : tensor<128x64xf16>, tensor<64x128xf16> -> tensor<128x128xf32>
    %d = tile.dot %x, %y, %s : tensor<128x64xf16>, tensor<64x128xf16> -> tensor<128x128xf32>
    scf.yield %d : tensor<128x128xf32>
  }
  %h = arith.truncf %acc : tensor<128x128xf32> to tensor<128x128xf16>
  // CHECK: tile.store %{{.*}}, %{{.*}}[%{{.*}}, %{{.*}}] : tensor<128x128xf16>, !tile.view<?x?xf16, strides = [?, 1]>
  tile.store %h, %C[%i, %j] : tensor<128x128xf16>, !mat
  return
}

// CHECK-LABEL: func.func @facts
func.func @facts(%n: i32, %p: !tile.ptr<f32>, %i: tensor<64x16xi32>) -> (i32, tensor<64x16xi32>, !tile.ptr<f32>, i64) {
  // CHECK: tile.assume %{{.*}} div_by 8 min 0 : i32
  %0 = tile.assume %n div_by 8 min 0 : i32
  // CHECK: tile.assume %{{.*}} div_by 16 every [1, 16] contiguous [1, 16] : tensor<64x16xi32>
  %1 = tile.assume %i div_by 16 every [1, 16] contiguous [1, 16] : tensor<64x16xi32>
  // CHECK: tile.ptr_add %{{.*}}, %{{.*}} : !tile.ptr<f32>, i32
  %2 = tile.ptr_add %p, %0 : !tile.ptr<f32>, i32
  // CHECK: tile.ptr_cast %{{.*}} : !tile.ptr<f32> to i64
  %3 = tile.ptr_cast %2 : !tile.ptr<f32> to i64
  return %0, %1, %2, %3 : i32, tensor<64x16xi32>, !tile.ptr<f32>, i64
}

// CHECK-LABEL: func.func @more_facts
func.func @more_facts(%n: i64, %t: tensor<8xi32>, %p: !tile.ptr<f32>) -> (i64, tensor<8xi32>, !tile.ptr<f32>, index, index) {
  // CHECK: tile.assume %{{.*}} min -4 max 4 {note = "kept"} : i64
  %0 = tile.assume %n min -4 max 4 {note = "kept"} : i64
  // CHECK: tile.assume %{{.*}} same [8] : tensor<8xi32>
  %1 = tile.assume %t same [8] : tensor<8xi32>
  // CHECK: tile.assume %{{.*}} div_by 16 : !tile.ptr<f32>
  %2 = tile.assume %p div_by 16 : !tile.ptr<f32>
  // CHECK: tile.num_programs z
  %3 = tile.num_programs z
  // CHECK: tile.device_info sm_count
  %4 = tile.device_info sm_count
  // CHECK: tile.device_info max_ctas_per_sm
  %5 = tile.device_info max_ctas_per_sm
  return %0, %1, %2, %3, %4 : i64, tensor<8xi32>, !tile.ptr<f32>, index, index
}

!q = !tile.view<?x?x?x64xf16, strides = [?, ?, 64, 1]>

// CHECK-LABEL: func.func @blocks
func.func @blocks(%q: !q, %b: index, %h: index, %s: index) -> (index, index, !tile.ptr<f16>) {
  %c0 = arith.constant 0 : index
  // CHECK: %[[X:.*]] = tile.load %{{.*}}[%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}] dims [2, 3] in_bounds [true, true, false, true] pad(neg_inf) : !tile.view<?x?x?x64xf16, strides = [?, ?, 64, 1]> -> tensor<128x64xf16>
  %x = tile.load %q[%b, %h, %s, %c0] dims [2, 3] in_bounds [true, true, false, true] pad(neg_inf) : !q -> tensor<128x64xf16>
  // CHECK: tile.load %{{.*}} dims [3] : {{.*}} -> tensor<1xf16>
  %one = tile.load %q[%b, %h, %s, %c0] dims [3] : !q -> tensor<1xf16>
  // CHECK: tile.store %[[X]], %{{.*}}[%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}] dims [2, 3] in_bounds [false, false, true, true] : tensor<128x64xf16>, !tile.view<
  tile.store %x, %q[%b, %h, %s, %c0] dims [2, 3] in_bounds [false, false, true, true] : tensor<128x64xf16>, !q
  // CHECK: tile.view_size %{{.*}}, 2 : !tile.view<
  %0 = tile.view_size %q, 2 : !q
  // CHECK: tile.view_stride %{{.*}}, 0 : !tile.view<
  %1 = tile.view_stride %q, 0 : !q
  // CHECK: tile.view_base %{{.*}} : !tile.view<?x?x?x64xf16, strides = [?, ?, 64, 1]> -> !tile.ptr<f16>
  %2 = tile.view_base %q : !q -> !tile.ptr<f16>
  return %0, %1, %2 : index, index, !tile.ptr<f16>
}

// CHECK-LABEL: func.func @static_view
func.func @static_view(%p: !tile.ptr<i8>) -> !tile.view<0x4xi8, strides = [-4, 0]> {
  // CHECK: tile.make_view %{{.*}}, sizes [] strides [] : !tile.view<0x4xi8, strides = [-4, 0]>
  %v = tile.make_view %p, sizes [] strides [] : !tile.view<0x4xi8, strides = [-4, 0]>
  return %v : !tile.view<0x4xi8, strides = [-4, 0]>
}

// CHECK-LABEL: func.func @pointers
func.func @pointers(%p: !tile.ptr<f32>, %n: i32) {
  // CHECK: tile.iota : tensor<256xi32>
  %i = tile.iota : tensor<256xi32>
  // CHECK: tile.iota start 7 : tensor<3xi8>
  %i7 = tile.iota start 7 : tensor<3xi8>
  // CHECK: tile.splat %{{.*}} : i32 -> tensor<256xi32>
  %nn = tile.splat %n : i32 -> tensor<256xi32>
  %m = arith.cmpi slt, %i, %nn : tensor<256xi32>
  // CHECK: tile.splat %{{.*}} : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>>
  // CHECK: tile.ptr_add %{{.*}}, %{{.*}} : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  %q = tile.ptr_add %ps, %i : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  %o = arith.constant dense<0xFF800000> : tensor<256xf32>
  // CHECK: tile.load_ptr %{{.*}} mask %{{.*}} other %{{.*}} : tensor<256x!tile.ptr<f32>>
  %v = tile.load_ptr %q mask %m other %o : tensor<256x!tile.ptr<f32>>
  // CHECK: tile.load_ptr %{{.*}} mask %{{.*}} : tensor<256x!tile.ptr<f32>>
  %w = tile.load_ptr %q mask %m : tensor<256x!tile.ptr<f32>>
  // CHECK: tile.load_ptr %{{.*}} {note = 1 : i64} : !tile.ptr<f32>
  %s = tile.load_ptr %p {note = 1 : i64} : !tile.ptr<f32>
  // CHECK: tile.store_ptr %{{.*}}, %{{.*}} mask %{{.*}} : tensor<256x!tile.ptr<f32>>
  tile.store_ptr %v, %q mask %m : tensor<256x!tile.ptr<f32>>
  // CHECK: tile.store_ptr %{{.*}}, %{{.*}} : !tile.ptr<f32>
  tile.store_ptr %s, %p : !tile.ptr<f32>
  return
}

// Upstream ops take pointers, tiles of pointers and views.
// CHECK-LABEL: func.func @upstream_ops_on_pointers
func.func @upstream_ops_on_pointers(%c: i1, %m: tensor<4xi1>, %p: !tile.ptr<f32>, %q: tensor<4x!tile.ptr<f32>>,
                                    %v: !tile.view<4xf32, strides = [1]>) -> tensor<4x!tile.ptr<f32>> {
  // CHECK: arith.select %{{.*}}, %{{.*}}, %{{.*}} : !tile.ptr<f32>
  %0 = arith.select %c, %p, %p : !tile.ptr<f32>
  // CHECK: arith.select %{{.*}}, %{{.*}}, %{{.*}} : tensor<4xi1>, tensor<4x!tile.ptr<f32>>
  %1 = arith.select %m, %q, %q : tensor<4xi1>, tensor<4x!tile.ptr<f32>>
  // CHECK: ub.poison : tensor<4x!tile.ptr<f32>>
  %2 = ub.poison : tensor<4x!tile.ptr<f32>>
  // CHECK: scf.if %{{.*}} -> (!tile.view<4xf32, strides = [1]>)
  %3 = scf.if %c -> !tile.view<4xf32, strides = [1]> {
    scf.yield %v : !tile.view<4xf32, strides = [1]>
  } else {
    scf.yield %v : !tile.view<4xf32, strides = [1]>
  }
  return %1 : tensor<4x!tile.ptr<f32>>
}

// CHECK-LABEL: func.func @shapes
func.func @shapes(%t: tensor<192xf32>, %s: tensor<1x1xf32>) -> (tensor<64x3xf32>, f32) {
  // CHECK: tile.reshape %{{.*}} : tensor<192xf32> -> tensor<3x64x1xf32>
  %0 = tile.reshape %t : tensor<192xf32> -> tensor<3x64x1xf32>
  // CHECK: tile.broadcast %{{.*}} : tensor<3x64x1xf32> -> tensor<3x64x5xf32>
  %1 = tile.broadcast %0 : tensor<3x64x1xf32> -> tensor<3x64x5xf32>
  %2 = tile.reshape %t : tensor<192xf32> -> tensor<3x64xf32>
  // CHECK: tile.permute %{{.*}} [1, 0] : tensor<3x64xf32> -> tensor<64x3xf32>
  %3 = tile.permute %2 [1, 0] : tensor<3x64xf32> -> tensor<64x3xf32>
  // CHECK: tile.to_scalar %{{.*}} : tensor<1x1xf32>
  %4 = tile.to_scalar %s : tensor<1x1xf32>
  return %3, %4 : tensor<64x3xf32>, f32
}

// CHECK-LABEL: func.func @argmax
func.func @argmax(%s: tensor<64x128xf32>, %i: tensor<64x128xi32>) -> (tensor<64xf32>, tensor<64xi32>) {
  // CHECK: tile.reduce %{{.*}}, %{{.*}} dim 1 : tensor<64x128xf32>, tensor<64x128xi32> -> tensor<64xf32>, tensor<64xi32> {
  // CHECK-NEXT: ^bb0(%{{.*}}: f32, %{{.*}}: i32, %{{.*}}: f32, %{{.*}}: i32):
  %v, %k = tile.reduce %s, %i dim 1 : tensor<64x128xf32>, tensor<64x128xi32> -> tensor<64xf32>, tensor<64xi32> {
  ^bb0(%a: f32, %ai: i32, %e: f32, %ei: i32):
    %gt = arith.cmpf ogt, %a, %e : f32
    %r = arith.select %gt, %a, %e : f32
    %ri = arith.select %gt, %ai, %ei : i32
    // CHECK: tile.yield %{{.*}}, %{{.*}} : f32, i32
    tile.yield %r, %ri : f32, i32
  }
  return %v, %k : tensor<64xf32>, tensor<64xi32>
}

// CHECK-LABEL: func.func @sum_of_all
func.func @sum_of_all(%t: tensor<100xf64>) -> f64 {
  // CHECK: tile.reduce %{{.*}} dim 0 identity [0.000000e+00] : tensor<100xf64> -> f64 {
  %0 = tile.reduce %t dim 0 identity [0.0 : f64] : tensor<100xf64> -> f64 {
  ^bb0(%a: f64, %e: f64):
    %r = arith.addf %a, %e : f64
    tile.yield %r : f64
  }
  return %0 : f64
}

// CHECK-LABEL: func.func @dots
func.func @dots(%f: tensor<2x16x8xf32>, %g: tensor<2x8x4xf32>, %h: tensor<2x16x4xf32>, %a: tensor<16x8xi8>,
                %b: tensor<8x4xi8>, %c: tensor<16x4xi32>, %x: tensor<16x32xf8E4M3FN>, %y: tensor<32x4xf8E5M2>,
                %z: tensor<16x4xf32>) {
  // CHECK: tile.dot %{{.*}} precision tf32x3 : tensor<2x16x8xf32>, tensor<2x8x4xf32> -> tensor<2x16x4xf32>
  %0 = tile.dot %f, %g, %h precision tf32x3 : tensor<2x16x8xf32>, tensor<2x8x4xf32> -> tensor<2x16x4xf32>
  // CHECK: tile.dot %{{.*}} lhs_unsigned rhs_unsigned : tensor<16x8xi8>, tensor<8x4xi8> -> tensor<16x4xi32>
  %1 = tile.dot %a, %b, %c lhs_unsigned rhs_unsigned : tensor<16x8xi8>, tensor<8x4xi8> -> tensor<16x4xi32>
  // CHECK: tile.dot %{{.*}} imprecise_k 128 : tensor<16x32xf8E4M3FN>, tensor<32x4xf8E5M2> -> tensor<16x4xf32>
  %2 = tile.dot %x, %y, %z imprecise_k 128 : tensor<16x32xf8E4M3FN>, tensor<32x4xf8E5M2> -> tensor<16x4xf32>
  return
}
