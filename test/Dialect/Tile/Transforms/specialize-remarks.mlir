// SPDX-License-Identifier: Apache-2.0
// RUN: tile-opt %s --split-input-file --tile-specialize --remarks-filter=tile-specialize --remark-policy=all -o /dev/null 2>&1 | FileCheck %s

// CHECK: Specialize | Category:tile-specialize | Function=row | Remark="variant @row__v0 assumes v: stride of dim 0 is 1; parameter 1: stride of dim 0 is 1; v: address is a multiple of 16 bytes; v: size of dim 0 is a multiple of 8;
// CHECK: Remark="variant @row__v1 assumes v: stride of dim 0 is 1; parameter 1: stride of dim 0 is 1"
!v = !tile.view<?xf16, strides = [?]>
func.func @row(%v: !v {tile.name = "v"}, %w: !v) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %x = tile.load %v[%c0] : !v -> tensor<64xf16>
  tile.store %x, %w[%c0] : tensor<64xf16>, !v
  return
}

// -----

// Nothing is gained where accesses are single elements.
// CHECK: Function=single | {{.*}}Reason="no promise about the arguments widens any of 2 accesses"
!s = !tile.view<?xf32, strides = [1]>
func.func @single(%v: !s) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %x = tile.load %v[%c0] : !s -> tensor<1xf32>
  tile.store %x, %v[%c0] : tensor<1xf32>, !s
  return
}

// -----

// A view that a loop carries keeps its type.
// CHECK: Function=carried | {{.*}}Reason="view parameter 0 keeps its strides unknown: scf.for carries it"
!c = !tile.view<?xf32, strides = [?]>
func.func @carried(%v: !c) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %x = tile.load %v[%c0] : !c -> tensor<64xf32>
  %r = scf.for %i = %c0 to %c1 step %c1 iter_args(%w = %v) -> (!c) {
    tile.store %x, %w[%c0] : tensor<64xf32>, !c
    scf.yield %w : !c
  }
  return
}
