// RUN: tile-opt %s --convert-simt-to-nvvm | FileCheck %s

// CHECK-DAG: #[[OFF:loop_unroll[0-9]*]] = #llvm.loop_unroll<disable = true>

// All shared memory is one array, aligned for every swizzle.
// CHECK: llvm.mlir.global external @tilewright_shared() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x i8>

// CHECK-LABEL: llvm.func @kernel(
// CHECK-SAME:      %{{.*}}: i64, %{{.*}}: f16, %{{.*}}: i64)
// CHECK-SAME:      attributes {{.*}}nvvm.kernel{{.*}}nvvm.reqntid = array<i32: 128, 1, 1>
// CHECK:         llvm.inttoptr %{{.*}} : i64 to !llvm.ptr<1>
// CHECK:         llvm.store %{{.*}}, %{{.*}} {alignment = 8 : i64} : f16, !llvm.ptr<1>
func.func @kernel(%p: i64, %h: f16, %i: index) attributes {tile_gpu.kernel, tile_gpu.num_threads = 128 : i32, tile_gpu.shared_bytes = 0 : i64} {
  tile_gpu.store_global %h, %p align 8 : f16
  return
}

// A predicate that is a constant costs nothing.
// CHECK-LABEL: llvm.func @constant_predicates(
// CHECK-NOT:     llvm.inline_asm
// CHECK:         llvm.load
// CHECK-NOT:     llvm.inline_asm
// CHECK:         llvm.return
func.func @constant_predicates(%p: i64) attributes {tile_gpu.kernel, tile_gpu.num_threads = 32 : i32, tile_gpu.shared_bytes = 0 : i64} {
  %true = arith.constant true
  %false = arith.constant false
  %a = tile_gpu.load_global %p pred %true align 4 : f32
  %b = tile_gpu.load_global %p pred %false align 4 : f32
  %s = arith.addf %a, %b : f32
  tile_gpu.store_global %s, %p pred %true align 4 : f32
  tile_gpu.store_global %s, %p pred %false align 4 : f32
  return
}

// CHECK-LABEL: llvm.func @predicated(
// CHECK:         llvm.inline_asm has_side_effects asm_dialect = att "@$2 ld.global.b32 $0, [$1];", "=r,l,b,0,~{memory}"
// CHECK:         llvm.inline_asm has_side_effects asm_dialect = att "@$5 st.global.v4.b32 [$4], {$0, $1, $2, $3};", "r,r,r,r,l,b,~{memory}"
func.func @predicated(%p: i64, %in: i1, %other: f32) attributes {tile_gpu.kernel, tile_gpu.num_threads = 32 : i32, tile_gpu.shared_bytes = 0 : i64} {
  %v = tile_gpu.load_global %p pred %in other %other : f32 align 4 : f32
  %w = vector.broadcast %v : f32 to vector<4xf32>
  tile_gpu.store_global %w, %p pred %in align 16 : vector<4xf32>
  return
}

// The mark of a loop reaches the branch that closes it; a loop without one has none.
// CHECK-LABEL: llvm.func @loops(
// CHECK-COUNT-2: llvm.br {{.*}} {loop_annotation = #loop_annotation}
// CHECK-NOT:     loop_annotation
func.func @loops(%p: i64, %n: index) attributes {tile_gpu.kernel, tile_gpu.num_threads = 32 : i32, tile_gpu.shared_bytes = 0 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = arith.constant 1.0 : f32
  scf.for %i = %c0 to %n step %c1 {
    tile_gpu.store_global %v, %p align 4 : f32
  } {tile_gpu.nounroll}
  %r:2 = scf.while (%i = %n, %j = %c0) : (index, index) -> (index, index) {
    %c = arith.cmpi sgt, %i, %c0 : index
    scf.condition(%c) %i, %j : index, index
  } do {
  ^bb0(%i: index, %j: index):
    tile_gpu.store_global %v, %p align 4 : f32
    %k = arith.subi %i, %c1 : index
    scf.yield %k, %i : index, index
  } attributes {tile_gpu.nounroll}
  scf.for %i = %c0 to %r#1 step %c1 {
    tile_gpu.store_global %v, %p align 4 : f32
  }
  return
}
