// RUN: tile-opt %s --tile-unroll-loops=max-instructions=100 -split-input-file -verify-diagnostics

func.func @unknown(%v: f32, %n: i32) attributes {tile_gpu.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // expected-error @below {{expected a number of trips that is known at compile time for tile.unroll = "full", found bounds or a step that are known at run time only}}
  scf.for %i = %c0 to %n step %c1 : i32 {
    tile_gpu.store_shared %v, %i : f32
  } {tile.unroll = "full"}
  return
}

// -----

func.func @many(%v: f32) attributes {tile_gpu.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %n = arith.constant 65537 : i32
  // expected-error @below {{expected at most 65536 trips for tile.unroll = "full", found 65537}}
  scf.for %i = %c0 to %n step %c1 : i32 {
    tile_gpu.store_shared %v, %i : f32
  } {tile.unroll = "full"}
  return
}

// -----

// 16 elements a trip.
func.func @large(%v: vector<16xf32>, %n: i32) attributes {tile_gpu.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %w = arith.negf %v : vector<16xf32>
  } {tile.unroll = 6 : i64}
  // expected-error @below {{expected at most 100 instructions of a thread in all copies of a loop's body, found 7 copies of 16; ask for fewer by tile.unroll}}
  scf.for %i = %c0 to %n step %c1 : i32 {
    %w = arith.negf %v : vector<16xf32>
  } {tile.unroll = 7 : i64}
  return
}

// -----

func.func @uncounted(%n: i32) attributes {tile_gpu.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // expected-error @below {{expected tile.unroll = 1 on scf.while, whose trips nobody counts, found 2 : i64}}
  %r = scf.while (%i = %n) : (i32) -> i32 {
    %c = arith.cmpi sgt, %i, %c0 : i32
    scf.condition(%c) %i : i32
  } do {
  ^bb0(%i: i32):
    %k = arith.subi %i, %c1 : i32
    scf.yield %k : i32
  } attributes {tile.unroll = 2 : i64}
  return
}

// -----

// No room in the type for so many trips: none are made, so none are too many.
func.func @no_room(%v: f32, %n: i8) attributes {tile_gpu.kernel} {
  %c0 = arith.constant 0 : i8
  %c1 = arith.constant 1 : i8
  scf.for %i = %c0 to %n step %c1 : i8 {
    %at = arith.extui %i : i8 to i32
    tile_gpu.store_shared %v, %at : f32
  } {tile.unroll = 300 : i64}
  return
}
