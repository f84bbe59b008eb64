// RUN: tile-opt %s --tile-control-unroll -split-input-file -verify-diagnostics

!v = !tile.view<?xf32, strides = [1]>

func.func @unknown(%v: !v, %n: index) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @below {{expected a number of trips that is known at compile time for tile.unroll = "full", found bounds or a step that are known at run time only}}
  scf.for %i = %c0 to %n step %c1 {
    %x = tile.load %v[%i] : !v -> tensor<512xf32>
    tile.store %x, %v[%i] : tensor<512xf32>, !v
  } {tile.unroll = "full"}
  return
}

// -----

func.func @uncounted(%n: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // expected-error @below {{expected tile.unroll = 1 on scf.while, whose trips nobody counts, found "full"}}
  %r = scf.while (%i = %n) : (i32) -> i32 {
    %c = arith.cmpi sgt, %i, %c0 : i32
    scf.condition(%c) %i : i32
  } do {
  ^bb0(%i: i32):
    %k = arith.subi %i, %c1 : i32
    scf.yield %k : i32
  } attributes {tile.unroll = "full"}
  return
}
