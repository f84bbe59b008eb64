// SPDX-License-Identifier: Apache-2.0
// RUN: tile-opt %s --split-input-file --tile-insert-tma --remarks-filter=tile-insert-tma --remark-policy=all -o /dev/null 2>&1 | FileCheck %s
// RUN: tile-opt %s --split-input-file --tile-insert-tma=mode=guard --remarks-filter=tile-insert-tma --remark-policy=all -o /dev/null 2>&1 | FileCheck %s --check-prefix=GUARD
// RUN: tile-opt %s --split-input-file "--tile-insert-tma=mode=guard max-variants=1" --remarks-filter=tile-insert-tma --remark-policy=all -o /dev/null 2>&1 | FileCheck %s --check-prefix=ONE
// RUN: tile-opt %s --split-input-file --tile-insert-tma=target=sm_89 --remarks-filter=tile-insert-tma --remark-policy=all -o /dev/null 2>&1 | FileCheck %s --check-prefix=OLD
// RUN: not tile-opt %s --split-input-file --tile-insert-tma=mode=always -o /dev/null 2>&1 | FileCheck %s --check-prefix=MODE
// RUN: not tile-opt %s --split-input-file --tile-insert-tma=target=sm_1 -o /dev/null 2>&1 | FileCheck %s --check-prefix=TARGET

// OLD: [Missed] {{.*}}Function=rules | {{.*}}Reason="sm_89 has no tensor maps; sm_90a is the first target that has them"
// MODE: error: tile-insert-tma: unknown mode 'always', expected auto or guard
// TARGET: error: tile-insert-tma: unknown target 'sm_1': expected one of sm_80,

// One line for each rule that types alone break.
// CHECK: Function=rules | {{.*}}Reason="tile.load of odd: no tensor map: the stride of dim 0 is 1022 bytes, needs a multiple of 16"
// CHECK: Function=rules | {{.*}}Reason="tile.load of back: no tensor map: the stride of dim 0 is -1024 bytes, needs 1 to 1099511627775"
// CHECK: Function=rules | {{.*}}Reason="tile.load of same: no tensor map: the stride of dim 0 is 0 bytes, needs 1 to 1099511627775"
// CHECK: Function=rules | {{.*}}Reason="tile.load of steps: no tensor map: no dim has stride 1"
// CHECK: Function=rules | {{.*}}Reason="tile.load of good: no tensor map: the inner box is 24 bytes, needs a multiple of 16"
// CHECK: Function=rules | {{.*}}Reason="tile.load of good: no tensor map: the inner box is 2 bytes, needs a multiple of 16"
// CHECK: Function=rules | {{.*}}Reason="tile.load of good: no tensor map: it takes 257 boxes, at most 64 are wanted"
// CHECK: Function=rules | {{.*}}Reason="tile.load of six: no tensor map: the rank is 6, needs 1 to 5"
// CHECK: Function=rules | {{.*}}Reason="tile.load of none: no tensor map: the size of dim 0 is 0, needs 1 to 4294967296"
// CHECK: Function=rules | {{.*}}Reason="tile.load of good: no tensor map: each element is an atomic access"
// CHECK: [Passed] {{.*}}Function=rules | {{.*}}Remark="tile.load of good: by tensor map"
!good = !tile.view<300x512xf16, strides = [512, 1]>
!odd = !tile.view<300x511xf16, strides = [511, 1]>
!back = !tile.view<300x512xf16, strides = [-512, 1]>
!same = !tile.view<300x512xf16, strides = [0, 1]>
!steps = !tile.view<300x512xf16, strides = [1024, 2]>
!six = !tile.view<2x2x2x2x16x16xf16, strides = [2048, 1024, 512, 256, 16, 1]>
!none = !tile.view<0x512xf16, strides = [512, 1]>
func.func @rules(%good: !good {tile.name = "good", tile.div_by = 16 : i64}, %odd: !odd {tile.name = "odd", tile.div_by = 16 : i64},
                 %back: !back {tile.name = "back", tile.div_by = 16 : i64}, %same: !same {tile.name = "same", tile.div_by = 16 : i64},
                 %steps: !steps {tile.name = "steps", tile.div_by = 16 : i64}, %six: !six {tile.name = "six", tile.div_by = 16 : i64},
                 %none: !none {tile.name = "none", tile.div_by = 16 : i64}) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %1 = tile.load %odd[%c0, %c0] : !odd -> tensor<16x64xf16>
  %2 = tile.load %back[%c0, %c0] : !back -> tensor<16x64xf16>
  %3 = tile.load %same[%c0, %c0] : !same -> tensor<16x64xf16>
  %4 = tile.load %steps[%c0, %c0] : !steps -> tensor<16x64xf16>
  %5 = tile.load %good[%c0, %c0] : !good -> tensor<16x12xf16>
  %6 = tile.load %good[%c0, %c0] dims [0] : !good -> tensor<16xf16>
  %7 = tile.load %good[%c0, %c0] : !good -> tensor<257x8xf16>
  %8 = tile.load %six[%c0, %c0, %c0, %c0, %c0, %c0] dims [4, 5] : !six -> tensor<16x16xf16>
  %9 = tile.load %none[%c0, %c0] : !none -> tensor<16x64xf16>
  %10 = tile.load %good[%c0, %c0] sync(relaxed, gpu) : !good -> tensor<16x64xf16>
  %11 = tile.load %good[%c0, %c0] : !good -> tensor<300x512xf16>
  return
}

// -----

// What only the caller knows, and what no promise says.
// CHECK: Function=caller | {{.*}}Reason="tile.load of v: no tensor map: the size of dim 0 is not known to be 1 to 2147483647; mode=guard makes a variant that assumes v: size of dim 0 is from 1 to 2147483647; v: address is a multiple of 16 bytes; v: stride of dim 0 is from 1 to 549755813887; v: stride of dim 0 is a multiple of 8, whose code would be the same until bulk copies are lowered"
// CHECK: Function=caller | {{.*}}Reason="tile.load of a view: no tensor map: the view is chosen by a branch or carried by a loop"
// CHECK: Function=caller | {{.*}}Reason="tile.load of p: no tensor map: the view is made from tile.program_id, which no host knows before the launch"
// CHECK: Function=caller | {{.*}}Reason="tile.load of p: no tensor map: the view is made from arith.divsi inside of a branch or a loop, which need not be run"
// CHECK: Function=caller | {{.*}}Reason="tile.load of w: no tensor map: no dim is known to have stride 1"
// CHECK: Function=caller | {{.*}}Reason="tile.load of x: no tensor map: the stride of dim 0 is not known to be a multiple of 16 bytes"
// CHECK: Function=caller | {{.*}}Reason="tile.store of s: no tensor map: the offset of dim 0 is not proved to be 0 or more, which a store needs"
// CHECK: Function=caller | {{.*}}Reason="tile.load of far: no tensor map: the offset of dim 0 is not proved to fit 32 bits, and the size is 4294967296, more than 2147483647"
// CHECK: Function=caller | {{.*}}Reason="tile.load of s: no tensor map: the pad neg_inf is none that a tensor map fills with; mode=guard selects it behind the load"
// GUARD: [Passed] {{.*}}Function=caller | {{.*}}Remark="variant @caller_tma assumes v: size of dim 0 is from 1 to 2147483647; v: address is a multiple of 16 bytes; v: stride of dim 0 is from 1 to 549755813887; v: stride of dim 0 is a multiple of 8"
// GUARD: [Passed] {{.*}}Function=caller_tma | {{.*}}Remark="tile.load of v: by tensor map"
// GUARD: Function=caller_tma | {{.*}}Reason="tile.load of w: no tensor map: no dim is known to have stride 1"
// GUARD: Function=caller_tma | {{.*}}Remark="tile.load of s: by tensor map"
// ONE: [Missed] {{.*}}Function=caller | {{.*}}Reason="no variant for v: size of dim 0 is from 1 to 2147483647; v: address is a multiple of 16 bytes; v: stride of dim 0 is from 1 to 549755813887; v: stride of dim 0 is a multiple of 8, under which {{.*}} accesses could use tensor maps: a kernel has at most 1 version"
!v = !tile.view<?x64xf16, strides = [?, 1]>
!w = !tile.view<?x64xf16, strides = [1, ?]>
!x = !tile.view<64x64xf16, strides = [?, 1]>
!s = !tile.view<64x64xf16, strides = [64, 1]>
!far = !tile.view<4294967296x64xf16, strides = [64, 1]>
!u = !tile.view<?x?xf16, strides = [?, ?]>
func.func @caller(%v: !v {tile.name = "v"}, %p: !tile.ptr<f16> {tile.name = "p", tile.div_by = 16 : i64}, %w: !u {tile.name = "w"},
                  %s: !s {tile.name = "s", tile.div_by = 16 : i64}, %x: !tile.ptr<f16> {tile.name = "x", tile.div_by = 16 : i64},
                  %far: !far {tile.name = "far", tile.div_by = 16 : i64}, %n: index {tile.min = 1, tile.max = 4096}, %i: index, %k: index)
    attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %1 = tile.load %v[%c0, %c0] : !v -> tensor<16x64xf16>
  %end = scf.for %j = %c0 to %c8 step %c1 iter_args(%moving = %v) -> (!v) {
    %2 = tile.load %moving[%c0, %c0] : !v -> tensor<16x64xf16>
    scf.yield %moving : !v
  }
  %id = tile.program_id x
  %q = tile.ptr_add %p, %id : !tile.ptr<f16>, index
  %made = tile.make_view %q, sizes [] strides [] : !s
  %3 = tile.load %made[%c0, %c0] : !s -> tensor<16x64xf16>
  scf.for %j = %c0 to %c8 step %c1 {
    %quotient = arith.divsi %n, %k : index
    %inner = tile.make_view %p, sizes [%quotient] strides [%c8] : !v
    %4 = tile.load %inner[%c0, %c0] : !v -> tensor<16x64xf16>
  }
  %5 = tile.load %w[%c0, %c0] dims [0] : !u -> tensor<16xf16>
  %product = arith.muli %n, %n : index
  %sized = tile.make_view %x, sizes [] strides [%product] : !x
  %6 = tile.load %sized[%c0, %c0] : !x -> tensor<16x64xf16>
  %zero = arith.constant dense<0.0> : tensor<16x64xf16>
  tile.store %zero, %s[%i, %c0] : tensor<16x64xf16>, !s
  %7 = tile.load %far[%i, %c0] : !far -> tensor<16x64xf16>
  %8 = tile.load %s[%i, %c0] pad(neg_inf) : !s -> tensor<16x64xf16>
  return
}

// -----

// Boxes of whole parts, and what lies behind the last coordinate: legal.
// CHECK: [Passed] {{.*}}Function=legal | {{.*}}Remark="tile.load of a: by tensor map"
// CHECK: [Passed] {{.*}}Function=legal | {{.*}}Remark="tile.load of b: by tensor map"
// CHECK: [Passed] {{.*}}Function=legal | {{.*}}Remark="tile.store of a: by tensor map"
// CHECK: [Passed] {{.*}}Function=legal | {{.*}}Remark="tile.load of far: by tensor map"
!a = !tile.view<4096xf32, strides = [1]>
!b = !tile.view<2x1x300x512xf16, strides = [153600, 3, 512, 1]>
!far = !tile.view<4294967296x64xf16, strides = [64, 1]>
func.func @legal(%a: !a {tile.name = "a", tile.div_by = 16 : i64}, %b: !b {tile.name = "b", tile.div_by = 16 : i64}, %i: index,
                 %far: !far {tile.name = "far", tile.div_by = 16 : i64}, %j: index {tile.min = 0, tile.max = 2147483647}) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %1 = tile.load %a[%i] : !a -> tensor<1024xf32>
  %2 = tile.load %b[%i, %i, %c0, %i] dims [2, 3] : !b -> tensor<300x520xf16>
  tile.store %1, %a[%c0] : tensor<1024xf32>, !a
  %3 = tile.load %far[%j, %c0] : !far -> tensor<16x64xf16>
  return
}
