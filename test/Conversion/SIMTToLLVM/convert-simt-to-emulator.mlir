// RUN: tile-opt %s --convert-simt-to-emulator | FileCheck %s

// Texts that calls refer to by number: places and facts, in the order of their first use.
// CHECK:       module attributes {tile_gpu.locations = [
// CHECK-SAME:    "{{[^"]*}}convert-simt-to-emulator.mlir:{{[0-9]+}}:{{[0-9]+}}",
// CHECK-SAME:    "n is a multiple of 4", "

// A callee relies on its caller to extend an 8-bit argument.
// CHECK-DAG:   llvm.func @tweAssume(!llvm.ptr, i8 {llvm.signext}, i32, i32)
// CHECK-DAG:   llvm.func @tweGlobalRead(!llvm.ptr, i64, i64, i64, i32) -> !llvm.ptr
// CHECK-DAG:   llvm.func @tweGlobalWrite(!llvm.ptr, i64, i64, i64, i32) -> !llvm.ptr
// CHECK-DAG:   llvm.func @tweSharedRead(!llvm.ptr, i32, i64, i64, i32) -> !llvm.ptr
// CHECK-DAG:   llvm.func @tweSharedWrite(!llvm.ptr, i32, i64, i64, i32) -> !llvm.ptr
// CHECK-DAG:   llvm.func @tweBarrier(!llvm.ptr, i32, i32, i32)
// CHECK-DAG:   llvm.func @tweShuffle(!llvm.ptr, i32, !llvm.ptr, i32, i32, i32, i32)
// CHECK-DAG:   llvm.func @tweLaneId(!llvm.ptr) -> i32
// CHECK-DAG:   llvm.func @tweWarpId(!llvm.ptr) -> i32
// CHECK-DAG:   llvm.func @tweProgramId(!llvm.ptr, i32) -> i64
// CHECK-DAG:   llvm.func @tweNumPrograms(!llvm.ptr, i32) -> i64

// A kernel takes its thread and the slots of its parameters, eight bytes each.
// CHECK-LABEL: llvm.func @parameters(
// CHECK-SAME:      %[[THREAD:.*]]: !llvm.ptr, %[[SLOTS:.*]]: !llvm.ptr)
// CHECK-SAME:      tile_gpu.num_threads = 64 : i32, tile_gpu.shared_bytes = 512 : i64
// CHECK:         %[[P1:.*]] = llvm.getelementptr %[[SLOTS]][1] : (!llvm.ptr) -> !llvm.ptr, i64
// CHECK:         llvm.load %[[P1]] : !llvm.ptr -> f16
// CHECK:         %[[P2:.*]] = llvm.getelementptr %[[SLOTS]][2] : (!llvm.ptr) -> !llvm.ptr, i64
// CHECK:         %[[B:.*]] = llvm.load %[[P2]] : !llvm.ptr -> i8
// CHECK:         llvm.trunc %[[B]] : i8 to i1
func.func @parameters(%p: i64, %h: f16, %b: i1, %i: index) attributes {tile_gpu.kernel, tile_gpu.num_threads = 64 : i32, tile_gpu.shared_bytes = 512 : i64} {
  tile_gpu.store_global %h, %p align 2 : f16
  tile_gpu.store_global %b, %p align 1 : i1
  %j = arith.index_cast %i : index to i64
  tile_gpu.store_global %j, %p align 8 : i64
  return
}

// An access is checked by a call that says where the host finds the bytes.
// CHECK-LABEL: llvm.func @accesses(
// CHECK-DAG:     %[[BYTES:.*]] = llvm.mlir.constant(8 : i64) : i64
// CHECK:         %[[FROM:.*]] = llvm.call @tweGlobalRead(%{{.*}}, %{{.*}}, %[[BYTES]]
// CHECK:         llvm.load %[[FROM]] {alignment = 1 : i64} : !llvm.ptr -> vector<4xf16>
// CHECK:         llvm.call @tweSharedWrite
// CHECK:         llvm.store
// CHECK:         llvm.call @tweBarrier
// CHECK:         llvm.call @tweSharedRead
func.func @accesses(%p: i64, %at: i32) attributes {tile_gpu.kernel, tile_gpu.num_threads = 64 : i32, tile_gpu.shared_bytes = 512 : i64} {
  %v = tile_gpu.load_global %p align 8 : vector<4xf16>
  tile_gpu.store_shared %v, %at : vector<4xf16>
  tile_gpu.barrier id 0 threads 64
  %w = tile_gpu.load_shared %at : vector<4xf16>
  tile_gpu.store_global %w, %p align 8 : vector<4xf16>
  return
}

// A predicate is a branch around the call, since the call itself would report the access.
// CHECK-LABEL: llvm.func @predicated(
// CHECK:         llvm.cond_br %{{.*}}, ^[[READ:bb[0-9]+]], ^[[DONE:bb[0-9]+]](%{{.*}} : f32)
// CHECK:       ^[[READ]]:
// CHECK:         llvm.call @tweGlobalRead
// CHECK:         llvm.br ^[[DONE]](%{{.*}} : f32)
func.func @predicated(%p: i64, %in: i1, %other: f32) attributes {tile_gpu.kernel, tile_gpu.num_threads = 32 : i32, tile_gpu.shared_bytes = 0 : i64} {
  %v = tile_gpu.load_global %p pred %in other %other : f32 align 4 : f32
  tile_gpu.store_global %v, %p pred %in align 4 : f32
  return
}

// A shuffle exchanges registers in memory that the entry block owns, so that a loop does not eat the stack.
// CHECK-LABEL: llvm.func @shuffle_in_a_loop(
// CHECK:         llvm.alloca
// CHECK:         llvm.br
// CHECK-NOT:     llvm.alloca
// CHECK:         llvm.call @tweShuffle
func.func @shuffle_in_a_loop(%p: i64, %v: i32, %n: index) attributes {tile_gpu.kernel, tile_gpu.num_threads = 32 : i32, tile_gpu.shared_bytes = 0 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %lane = arith.constant 16 : i32
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%a = %v) -> (i32) {
    %x = tile_gpu.shuffle bfly %a, %lane : i32
    scf.yield %x : i32
  }
  tile_gpu.store_global %s, %p align 4 : i32
  return
}

// CHECK-LABEL: llvm.func @who(
// CHECK:         llvm.call @tweLaneId
// CHECK:         llvm.call @tweWarpId
// CHECK:         llvm.call @tweProgramId
// CHECK:         llvm.call @tweNumPrograms
// CHECK:         llvm.call @tweAssume
func.func @who(%p: i64, %n: i32) attributes {tile_gpu.kernel, tile_gpu.num_threads = 32 : i32, tile_gpu.shared_bytes = 0 : i64} {
  %a = tile_gpu.lane_id
  %b = tile_gpu.warp_id
  %c = tile_gpu.cta_id y
  %d = tile_gpu.num_ctas z
  %v = vector.from_elements %a, %b, %c, %d : vector<4xi32>
  tile_gpu.store_global %v, %p align 16 : vector<4xi32>
  %c4 = arith.constant 4 : i32
  %c0 = arith.constant 0 : i32
  %r = arith.remui %n, %c4 : i32
  %is = arith.cmpi eq, %r, %c0 : i32
  tile_gpu.assume %is, "n is a multiple of 4"
  return
}

// Places outside of a ragged tile may divide by anything: no divisor traps.
// CHECK-LABEL: llvm.func @division(
// CHECK:         llvm.select
// CHECK:         llvm.sdiv
func.func @division(%p: i64, %a: i32, %b: i32) attributes {tile_gpu.kernel, tile_gpu.num_threads = 32 : i32, tile_gpu.shared_bytes = 0 : i64} {
  %q = arith.divsi %a, %b : i32
  tile_gpu.store_global %q, %p align 4 : i32
  return
}

// fma in a narrow type goes through f64 rounded to odd, one rounding in all.
// CHECK-LABEL: llvm.func @narrow_fma(
// CHECK-NOT:     fma
// CHECK:         llvm.fmul %{{.*}}, %{{.*}} : vector<2xf64>
// CHECK:         llvm.fptrunc %{{.*}} : vector<2xf64> to vector<2xbf16>
func.func @narrow_fma(%p: i64) attributes {tile_gpu.kernel, tile_gpu.num_threads = 32 : i32, tile_gpu.shared_bytes = 0 : i64} {
  %a = tile_gpu.load_global %p align 4 : vector<2xbf16>
  %f = math.fma %a, %a, %a : vector<2xbf16>
  tile_gpu.store_global %f, %p align 4 : vector<2xbf16>
  return
}

// Host functions are not part of a thread's program.
// CHECK-NOT: @host
func.func @host(%n: index) -> index {
  return %n : index
}
