// Each instruction op as PTX text, and the whole file through ptxas for each target.
// RUN: tile-compile %s --target=sm_80 --emit=ptx -o %t.ptx
// RUN: FileCheck %s --input-file=%t.ptx
// RUN: tile-compile %s --target=sm_100a --emit=ptx | FileCheck %s --check-prefix=WIDE
// RUN: tile-compile %s --target=sm_80 --emit=ptx -o - | cmp - %t.ptx
// RUN: %if ptxas %{ tile-compile %s --target=sm_80 --emit=cubin -o %t.cubin %}
// RUN: %if ptxas %{ tile-compile %s --target=sm_89 --emit=cubin -o %t.cubin %}
// RUN: %if ptxas %{ tile-compile %s --target=sm_90a --emit=cubin -o %t.cubin %}
// RUN: %if ptxas %{ tile-compile %s --target=sm_100a --emit=cubin -o %t.cubin %}
// RUN: %if ptxas %{ tile-compile %s --target=sm_120a --emit=cubin -o %t.cubin %}

// CHECK:     .version 8.0
// CHECK:     .target sm_80
// WIDE:      .version 8.6
// WIDE:      .target sm_100a
// CHECK:     .extern .shared .align 1024 .b8 tilewright_shared[];

// Plain accesses keep their width; each is one instruction.
// CHECK-LABEL: .entry plain_global(
// CHECK:         .reqntid 128
// CHECK:         ld.global.b8
// CHECK:         ld.global.b16
// CHECK:         ld.global.v4.b32
// CHECK:         st.global.v4.b32
func.func @plain_global(%p: i64, %q: i64) attributes {tile_gpu.kernel, tile_gpu.num_threads = 128 : i32, tile_gpu.shared_bytes = 0 : i64} {
  %a = tile_gpu.load_global %p align 1 : i8
  %b = tile_gpu.load_global %p align 2 : f16
  %c = tile_gpu.load_global %p align 16 : vector<4xf32>
  %at1 = arith.constant 32 : i64
  %q1 = arith.addi %q, %at1 overflow<nsw> : i64
  tile_gpu.store_global %a, %q1 align 1 : i8
  %at2 = arith.constant 64 : i64
  %q2 = arith.addi %q, %at2 overflow<nsw> : i64
  tile_gpu.store_global %b, %q2 align 2 : f16
  %at3 = arith.constant 96 : i64
  %q3 = arith.addi %q, %at3 overflow<nsw> : i64
  tile_gpu.store_global %c, %q3 align 16 : vector<4xf32>
  return
}

// Where the predicate is false the register keeps what it was tied to.
// CHECK-LABEL: .entry predicated_load(
// CHECK:         @%p{{[0-9]+}} ld.global.b8
// CHECK:         @%p{{[0-9]+}} ld.global.b16
// CHECK:         @%p{{[0-9]+}} ld.global.b32
// CHECK:         @%p{{[0-9]+}} ld.global.b64
// CHECK:         @%p{{[0-9]+}} ld.global.v4.b32
func.func @predicated_load(%p: i64, %q: i64, %n: i32, %o: f32) attributes {tile_gpu.kernel, tile_gpu.num_threads = 128 : i32, tile_gpu.shared_bytes = 0 : i64} {
  %lane = tile_gpu.lane_id
  %in = arith.cmpi slt, %lane, %n : i32
  %a = tile_gpu.load_global %p pred %in align 1 : i8
  %b = tile_gpu.load_global %p pred %in align 2 : bf16
  %c = tile_gpu.load_global %p pred %in other %o : f32 align 4 : f32
  %d = tile_gpu.load_global %p pred %in align 8 : vector<4xf16>
  %e = tile_gpu.load_global %p pred %in align 16 : vector<8xf16>
  %at1 = arith.constant 32 : i64
  %q1 = arith.addi %q, %at1 overflow<nsw> : i64
  tile_gpu.store_global %a, %q1 align 1 : i8
  %at2 = arith.constant 64 : i64
  %q2 = arith.addi %q, %at2 overflow<nsw> : i64
  tile_gpu.store_global %b, %q2 align 2 : bf16
  %at3 = arith.constant 96 : i64
  %q3 = arith.addi %q, %at3 overflow<nsw> : i64
  tile_gpu.store_global %c, %q3 align 4 : f32
  %at4 = arith.constant 128 : i64
  %q4 = arith.addi %q, %at4 overflow<nsw> : i64
  tile_gpu.store_global %d, %q4 align 8 : vector<4xf16>
  %at5 = arith.constant 160 : i64
  %q5 = arith.addi %q, %at5 overflow<nsw> : i64
  tile_gpu.store_global %e, %q5 align 16 : vector<8xf16>
  return
}

// CHECK-LABEL: .entry predicated_store(
// CHECK:         @%p{{[0-9]+}} st.global.b8
// CHECK:         @%p{{[0-9]+}} st.global.b16
// CHECK:         @%p{{[0-9]+}} st.global.b32
// CHECK:         @%p{{[0-9]+}} st.global.b64
// CHECK:         @%p{{[0-9]+}} st.global.v4.b32
func.func @predicated_store(%q: i64, %n: i32, %a: i8, %b: f16, %c: i32, %d: f64) attributes {tile_gpu.kernel, tile_gpu.num_threads = 128 : i32, tile_gpu.shared_bytes = 0 : i64} {
  %lane = tile_gpu.lane_id
  %in = arith.cmpi slt, %lane, %n : i32
  %e = vector.broadcast %d : f64 to vector<2xf64>
  tile_gpu.store_global %a, %q pred %in align 1 : i8
  tile_gpu.store_global %b, %q pred %in align 2 : f16
  tile_gpu.store_global %c, %q pred %in align 4 : i32
  tile_gpu.store_global %d, %q pred %in align 8 : f64
  tile_gpu.store_global %e, %q pred %in align 16 : vector<2xf64>
  return
}

// An i1 takes one byte in memory: not zero when loaded, 0 or 1 when stored.
// CHECK-LABEL: .entry booleans(
// CHECK:         ld.global{{.*}}b8
// CHECK:         setp.{{eq|ne}}
// CHECK:         selp{{.*}} 1, 0
// CHECK:         st.global.b8
func.func @booleans(%p: i64, %q: i64) attributes {tile_gpu.kernel, tile_gpu.num_threads = 32 : i32, tile_gpu.shared_bytes = 0 : i64} {
  %a = tile_gpu.load_global %p align 1 : i1
  tile_gpu.store_global %a, %q align 1 : i1
  return
}

// 32 bytes are two accesses of 16 before sm_100 and one since.
// CHECK-LABEL: .entry thirty_two_bytes(
// CHECK-COUNT-2: ld.global.v4.b32
// CHECK-COUNT-2: st.global.v4.b32
// WIDE-LABEL:  .entry thirty_two_bytes(
func.func @thirty_two_bytes(%p: i64, %q: i64) attributes {tile_gpu.kernel, tile_gpu.num_threads = 32 : i32, tile_gpu.shared_bytes = 0 : i64} {
  %a = tile_gpu.load_global %p align 32 : vector<8xf32>
  tile_gpu.store_global %a, %q align 32 : vector<8xf32>
  return
}

// CHECK-LABEL: .entry shared(
// CHECK:         st.shared.v4.b32
// CHECK:         bar.sync 1, 64
// CHECK:         ld.shared.b16
// CHECK:         @%p{{[0-9]+}} ld.shared.b32
// CHECK:         @%p{{[0-9]+}} st.shared.b32
func.func @shared(%q: i64, %v: i32, %in: i1, %at: i32) attributes {tile_gpu.kernel, tile_gpu.num_threads = 64 : i32, tile_gpu.shared_bytes = 2048 : i64} {
  %x = vector.broadcast %v : i32 to vector<4xi32>
  tile_gpu.store_shared %x, %at : vector<4xi32>
  tile_gpu.barrier id 1 threads 64
  %a = tile_gpu.load_shared %at : f16
  %b = tile_gpu.load_shared %at pred %in : f32
  tile_gpu.store_shared %v, %at pred %in : i32
  %at1 = arith.constant 32 : i64
  %q1 = arith.addi %q, %at1 overflow<nsw> : i64
  tile_gpu.store_global %a, %q1 align 2 : f16
  %at2 = arith.constant 64 : i64
  %q2 = arith.addi %q, %at2 overflow<nsw> : i64
  tile_gpu.store_global %b, %q2 align 4 : f32
  return
}

// One shuffle per element, all lanes taking part.
// CHECK-LABEL: .entry shuffles(
// CHECK:         shfl.sync.bfly.b32 {{.*}}, 16, 31, -1
// CHECK-COUNT-3: shfl.sync.idx.b32 {{.*}}, 31, -1
func.func @shuffles(%q: i64, %v: i32, %lane: i32) attributes {tile_gpu.kernel, tile_gpu.num_threads = 32 : i32, tile_gpu.shared_bytes = 0 : i64} {
  %c16 = arith.constant 16 : i32
  %a = tile_gpu.shuffle bfly %v, %c16 : i32
  %x = vector.broadcast %a : i32 to vector<3xi32>
  %c1 = arith.constant 7 : i32
  %y = vector.insert %c1, %x [1] : i32 into vector<3xi32>
  %z = vector.insert %v, %y [2] : i32 into vector<3xi32>
  %b = tile_gpu.shuffle idx %z, %lane : vector<3xi32>
  %b0 = vector.extract %b[0] : i32 from vector<3xi32>
  %b1 = vector.extract %b[1] : i32 from vector<3xi32>
  %b2 = vector.extract %b[2] : i32 from vector<3xi32>
  %s = arith.addi %b0, %b1 : i32
  %t = arith.addi %s, %b2 : i32
  tile_gpu.store_global %t, %q align 4 : i32
  return
}

// CHECK-LABEL: .entry coordinates(
// CHECK-DAG:     %ctaid.x
// CHECK-DAG:     %ctaid.y
// CHECK-DAG:     %ctaid.z
// CHECK-DAG:     %nctaid.x
// CHECK-DAG:     %nctaid.y
// CHECK-DAG:     %nctaid.z
// CHECK-DAG:     %tid.x
func.func @coordinates(%q: i64) attributes {tile_gpu.kernel, tile_gpu.num_threads = 32 : i32, tile_gpu.shared_bytes = 0 : i64} {
  %a = tile_gpu.cta_id x
  %b = tile_gpu.cta_id y
  %c = tile_gpu.cta_id z
  %d = tile_gpu.num_ctas x
  %e = tile_gpu.num_ctas y
  %f = tile_gpu.num_ctas z
  %g = tile_gpu.lane_id
  %h = tile_gpu.warp_id
  %v = vector.from_elements %a, %b, %c, %d : vector<4xi32>
  %w = vector.from_elements %e, %f, %g, %h : vector<4xi32>
  tile_gpu.store_global %v, %q align 16 : vector<4xi32>
  %c16 = arith.constant 16 : i64
  %r = arith.addi %q, %c16 : i64
  tile_gpu.store_global %w, %r align 16 : vector<4xi32>
  return
}

// A promised fact costs nothing.
// CHECK-LABEL: .entry facts(
// CHECK-NOT:     setp
// CHECK:         ret
func.func @facts(%q: i64, %n: i32) attributes {tile_gpu.kernel, tile_gpu.num_threads = 32 : i32, tile_gpu.shared_bytes = 0 : i64} {
  %c0 = arith.constant 0 : i32
  %is = arith.cmpi sge, %n, %c0 : i32
  tile_gpu.assume %is, "n is not negative"
  tile_gpu.store_global %n, %q align 4 : i32
  return
}

// Products and sums stay apart unless the program says fma; division is exact.
// CHECK-LABEL: .entry floats(
// CHECK:         mul.rn.f32
// CHECK:         add.rn.f32
// CHECK:         fma.rn.f32
// CHECK:         div.rn.f32
// CHECK-NOT:     approx
// CHECK:         ret
func.func @floats(%q: i64, %a: f32, %b: f32, %c: f32) attributes {tile_gpu.kernel, tile_gpu.num_threads = 32 : i32, tile_gpu.shared_bytes = 0 : i64} {
  %p = arith.mulf %a, %b : f32
  %s = arith.addf %p, %c : f32
  %f = math.fma %s, %b, %c : f32
  %d = arith.divf %f, %a : f32
  tile_gpu.store_global %d, %q align 4 : f32
  return
}

// Loops that are marked stay rolled, down to ptxas.
// CHECK-LABEL: .entry rolled(
// CHECK:         .pragma "nounroll";
func.func @rolled(%p: i64, %n: index) attributes {tile_gpu.kernel, tile_gpu.num_threads = 32 : i32, tile_gpu.shared_bytes = 0 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%a = %zero) -> (f32) {
    %x = tile_gpu.load_global %p align 4 : f32
    %y = arith.addf %a, %x : f32
    scf.yield %y : f32
  } {tile_gpu.nounroll}
  tile_gpu.store_global %s, %p align 4 : f32
  return
}
// CHECK-LABEL: .entry rolled_while(
// CHECK:         .pragma "nounroll";
func.func @rolled_while(%p: i64, %end: f32) attributes {tile_gpu.kernel, tile_gpu.num_threads = 32 : i32, tile_gpu.shared_bytes = 0 : i64} {
  %zero = arith.constant 0.0 : f32
  %s = scf.while (%a = %zero) : (f32) -> f32 {
    %c = arith.cmpf olt, %a, %end : f32
    scf.condition(%c) %a : f32
  } do {
  ^bb0(%a: f32):
    %x = tile_gpu.load_global %p align 4 : f32
    %y = arith.addf %a, %x : f32
    scf.yield %y : f32
  } attributes {tile_gpu.nounroll}
  tile_gpu.store_global %s, %p align 4 : f32
  return
}
