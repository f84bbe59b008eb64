// RUN: tile-opt %s -split-input-file -verify-diagnostics --pass-pipeline="builtin.module(func.func(tile-assign-layouts,tile-lower-to-buffers,tile-allocate-shared),convert-tile-to-simt)"

!v = !tile.view<64xi32, strides = [1]>
func.func @combiner(%x: !v) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %v = tile.load %x[%c0] : !v -> tensor<64xi32>
  %s = tile.scan %v dim 0 : tensor<64xi32> -> tensor<64xi32> {
  ^bb0(%a: i32, %b: i32):
    // expected-error @below {{is not lowered in a combiner yet, only arith, math and scf ops are}}
    %n = tile.program_id x
    %i = arith.index_cast %n : index to i32
    %r = arith.addi %a, %i : i32
    tile.yield %r : i32
  }
  tile.store %s, %x[%c0] : tensor<64xi32>, !v
  return
}
