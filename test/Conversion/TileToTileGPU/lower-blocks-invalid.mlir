// RUN: tile-opt %s -split-input-file -verify-diagnostics --pass-pipeline="builtin.module(func.func(tile-assign-layouts,tile-lower-to-buffers))"

// Half a byte has no place of its own in shared memory.
!v = !tile.view<64xi4, strides = [1]>
func.func @half_bytes(%x: !v, %y: !tile.view<4xi4, strides = [1]>, %i: index) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %v = tile.load %x[%c0] : !v -> tensor<64xi4>
  // expected-error @below {{cannot move elements of 'i4' between threads yet}}
  %e = tile.extract %v[%i] : tensor<64xi4> -> tensor<4xi4>
  tile.store %e, %y[%c0] : tensor<4xi4>, !tile.view<4xi4, strides = [1]>
  return
}
