// RUN: tile-opt %s --convert-simt-to-nvvm | FileCheck %s

// CHECK-DAG: #[[OFF:loop_unroll[0-9]*]] = #llvm.loop_unroll<disable = true>
// CHECK-DAG: #[[FOUR:loop_unroll[0-9]*]] = #llvm.loop_unroll<disable = false, count = 4 : i32>
// CHECK-DAG: #[[FULL:loop_unroll[0-9]*]] = #llvm.loop_unroll<disable = false, full = true>

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

// Attributes of loops reach the branch that closes the loop.
// CHECK-LABEL: llvm.func @loops(
// CHECK-COUNT-3: llvm.br {{.*}} {loop_annotation = #
func.func @loops(%p: i64, %n: index) attributes {tile_gpu.kernel, tile_gpu.num_threads = 32 : i32, tile_gpu.shared_bytes = 0 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = arith.constant 1.0 : f32
  scf.for %i = %c0 to %n step %c1 {
    tile_gpu.store_global %v, %p align 4 : f32
  } {tile_gpu.nounroll}
  scf.for %i = %c0 to %n step %c1 {
    tile_gpu.store_global %v, %p align 4 : f32
  } {tile.unroll = 4 : i64}
  scf.for %i = %c0 to %n step %c1 {
    tile_gpu.store_global %v, %p align 4 : f32
  } {tile.unroll = "full"}
  return
}
