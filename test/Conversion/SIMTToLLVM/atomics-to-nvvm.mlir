// SPDX-License-Identifier: Apache-2.0
// RUN: tile-opt %s --convert-simt-to-nvvm=target=sm_90a | FileCheck %s --check-prefixes=CHECK,NEW
// RUN: tile-opt %s --convert-simt-to-nvvm=target=sm_80 | FileCheck %s --check-prefixes=CHECK,OLD

// CHECK-LABEL: llvm.func @updates
func.func @updates(%a: i64, %x: i32, %y: f64, %z: f16, %p: i1) attributes
    {tile_gpu.kernel, tile_gpu.num_threads = 32 : i32, tile_gpu.shared_bytes = 0 : i64} {
  // The old value is wanted, or an acquire is: atom. Order and scope are spelled out.
  // CHECK: "@$3 atom.acq_rel.sys.global.min.s32 $0, [$1], $2;", "=r,l,r,b,0,~{memory}"
  %0 = tile_gpu.atomic_rmw smin acq_rel sys %a, %x pred %p : i32
  // CHECK: "atom.relaxed.gpu.global.exch.b32 $0, [$1], $2;", "=r,l,r,~{memory}"
  %1 = tile_gpu.atomic_rmw exch relaxed gpu %a, %0 : i32
  // CHECK: "red.relaxed.gpu.global.add.f64 [$0], $1;", "l,l,~{memory}"
  %2 = tile_gpu.atomic_rmw fadd relaxed gpu %a, %y : f64
  // CHECK: "@$2 red.release.cta.global.add.noftz.f16 [$0], $1;", "l,h,b,~{memory}"
  %3 = tile_gpu.atomic_rmw fadd release cta %a, %z pred %p : f16
  // CHECK: "red.relaxed.gpu.global.max.u32
  %4 = tile_gpu.atomic_rmw umax relaxed gpu %a, %x : i32
  // CHECK: "atom.acquire.gpu.global.xor.b32
  %5 = tile_gpu.atomic_rmw xori acquire gpu %a, %x : i32
  return
}

// CHECK-LABEL: llvm.func @brain
func.func @brain(%a: i64, %x: bf16) attributes
    {tile_gpu.kernel, tile_gpu.num_threads = 32 : i32, tile_gpu.shared_bytes = 0 : i64} {
  // NEW: "red.relaxed.gpu.global.add.noftz.bf16 [$0], $1;"
  // OLD: llvm.atomicrmw fadd %{{.*}}, %{{.*}} syncscope("device") monotonic
  %0 = tile_gpu.atomic_rmw fadd relaxed gpu %a, %x : bf16
  return
}

// CHECK-LABEL: llvm.func @accesses
func.func @accesses(%a: i64, %x: f32, %p: i1) attributes
    {tile_gpu.kernel, tile_gpu.num_threads = 32 : i32, tile_gpu.shared_bytes = 0 : i64} {
  // CHECK: llvm.cmpxchg %{{.*}}, %{{.*}}, %{{.*}} syncscope("device") acq_rel acquire {alignment = 4 : i64} : !llvm.ptr<1>, i32
  %0 = tile_gpu.atomic_cas acq_rel gpu %a, %x, %x : f32
  // CHECK: llvm.cond_br
  // CHECK: llvm.load %{{.*}} atomic acquire {alignment = 4 : i64} : !llvm.ptr<1> -> i32
  %1 = tile_gpu.atomic_load acquire sys %a pred %p : f32
  // CHECK: llvm.load %{{.*}} atomic syncscope("block") monotonic {alignment = 1 : i64} : !llvm.ptr<1> -> i8
  %2 = tile_gpu.atomic_load relaxed cta %a : i1
  // CHECK: llvm.store %{{.*}}, %{{.*}} atomic syncscope("device") release {alignment = 4 : i64} : i32, !llvm.ptr<1>
  tile_gpu.atomic_store release gpu %1, %a : f32
  return
}
