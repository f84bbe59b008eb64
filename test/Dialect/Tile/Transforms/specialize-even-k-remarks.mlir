// SPDX-License-Identifier: Apache-2.0
// RUN: tile-opt %s --split-input-file --tile-specialize-even-k --remarks-filter=tile-specialize-even-k --remark-policy=all -o /dev/null 2>&1 | FileCheck %s
// RUN: tile-opt %s --split-input-file --tile-specialize-even-k=max-variants=1 --remarks-filter=tile-specialize-even-k --remark-policy=all -o /dev/null 2>&1 | FileCheck %s --check-prefix=ONE
// RUN: tile-opt %s --split-input-file --tile-specialize-even-k=max-growth=1 --remarks-filter=tile-specialize-even-k --remark-policy=all -o /dev/null 2>&1 | FileCheck %s --check-prefix=SMALL
// RUN: tile-opt %s --split-input-file --tile-specialize-even-k=mode=peel --remarks-filter=tile-specialize-even-k --remark-policy=all -o /dev/null 2>&1 | FileCheck %s --check-prefix=PEEL
// RUN: not tile-opt %s --split-input-file --tile-specialize-even-k=mode=both -o /dev/null 2>&1 | FileCheck %s --check-prefix=MODE
// RUN: not tile-opt %s --split-input-file --tile-specialize-even-k=max-growth=0.5 -o /dev/null 2>&1 | FileCheck %s --check-prefix=GROWTH

// MODE: error: tile-specialize-even-k: unknown mode 'both', expected auto, guard or peel
// GROWTH: error: tile-specialize-even-k: expected max-growth from 1 to 1000

// CHECK: [Passed] EvenK | Category:tile-specialize-even-k | Function=row | Remark="variant @row__even assumes v: size of dim 0 is a multiple of 32; w: size of dim 0 is that of dim 0 of v"
// CHECK: Function=row__even | Remark="tile.load along view dim 0 needs no check: 32*trip + 31 < size(v, 0)"
// CHECK: Function=row__even | Remark="tile.store along view dim 0 needs no check: 32*trip + 31 < size(w, 0)"
// ONE: [Missed] {{.*}}Function=row | {{.*}}Reason="no variant for v: size of dim 0 is a multiple of 32; w: size of dim 0 is that of dim 0 of v, which would remove 2 bounds checks: a kernel has at most 1 version"
// ONE: [Missed] {{.*}}Function=row | {{.*}}Reason="tile.load along view dim 0 stays checked: 32*trip + 31 < size(v, 0) is not proved"
// ONE: [Missed] {{.*}}Function=row | {{.*}}Reason="tile.store along view dim 0 stays checked: 32*trip + 31 < size(w, 0) is not proved"
// SMALL: [Missed] {{.*}}Function=row | {{.*}}which would remove 2 bounds checks: all versions together would have {{[0-9]+}} operations, at most {{[0-9]+}} are wanted"
// PEEL: [Passed] {{.*}}Function=row | Remark="last step peeled, so that the loop has whole steps"
// PEEL: [Passed] {{.*}}Function=row | Remark="tile.load along view dim 0 needs no check: 32*trip + 31 < size(v, 0)"
// PEEL: [Missed] {{.*}}Function=row | {{.*}}Reason="tile.store along view dim 0 stays checked: 32*trip + 31 < size(w, 0) is not proved"
!v = !tile.view<?xf32, strides = [1]>
func.func @row(%v: !v {tile.name = "v"}, %w: !v {tile.name = "w"}) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %n = tile.view_size %v, 0 : !v
  scf.for %i = %c0 to %n step %c32 {
    %x = tile.load %v[%i] : !v -> tensor<32xf32>
    tile.store %x, %w[%i] : tensor<32xf32>, !v
  }
  return
}

// -----

// PEEL: [Missed] {{.*}}Function=far | {{.*}}Reason="last step not peeled: the distance between its bounds may overflow"
// PEEL: [Missed] {{.*}}Function=far | {{.*}}stays checked: {{.*}} is not proved"
// SMALL: [Missed] {{.*}}Function=far | {{.*}}no variant for parameter 0 is a multiple of 32
!v = !tile.view<?xf32, strides = [1]>
func.func @far(%n: index, %p: !tile.ptr<f32>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %v = tile.make_view %p, sizes [%n] strides [] : !v
  scf.for %i = %c0 to %n step %c32 {
    %x = tile.load %v[%i] : !v -> tensor<32xf32>
    tile.store %x, %v[%i] : tensor<32xf32>, !v
  }
  return
}

// -----

// PEEL: Function=unsigned | {{.*}}Reason="last step not peeled: the bounds are unsigned"
// PEEL: Function=small | {{.*}}Remark="last step peeled
!v = !tile.view<?xf32, strides = [1]>
func.func @unsigned(%v: !v) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %n = tile.view_size %v, 0 : !v
  scf.for unsigned %i = %c0 to %n step %c32 {
    %x = tile.load %v[%i] : !v -> tensor<32xf32>
    tile.store %x, %v[%i] : tensor<32xf32>, !v
  }
  return
}
func.func @small(%v: !v, %id: i32) attributes {tile.kernel} {
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  %n = tile.view_size %v, 0 : !v
  scf.for %i = %c8 to %n step %c32 {
    %x = tile.load %v[%i] : !v -> tensor<32xf32>
    tile.store %x, %v[%i] : tensor<32xf32>, !v
  }
  return
}
