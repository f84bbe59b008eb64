// RUN: tile-opt %s -split-input-file -verify-diagnostics

func.func @dim_too_large(%t: tensor<4x8xf32>) {
  // reduce_c1
  // expected-error @below {{expects dim to be below the rank 2, found 2}}
  %0 = tile.reduce %t dim 2 : tensor<4x8xf32> -> tensor<4xf32> {
  ^bb0(%a: f32, %e: f32):
    tile.yield %a : f32
  }
  return
}

// -----

func.func @dim_negative(%t: tensor<4x8xf32>) {
  // reduce_c1
  // expected-error @below {{expects dim to be below the rank 2, found -1}}
  %0 = tile.reduce %t dim -1 : tensor<4x8xf32> -> tensor<4xf32> {
  ^bb0(%a: f32, %e: f32):
    tile.yield %a : f32
  }
  return
}

// -----

func.func @result_shape(%t: tensor<4x8xf32>) {
  // reduce_c1
  // expected-error @below {{expects a result of 'tensor<4x8xf32>' without dim 1, found 'tensor<8xf32>'}}
  %0 = tile.reduce %t dim 1 : tensor<4x8xf32> -> tensor<8xf32> {
  ^bb0(%a: f32, %e: f32):
    tile.yield %a : f32
  }
  return
}

// -----

func.func @scalar_result(%t: tensor<8xf32>) {
  // reduce_c1
  // expected-error @below {{expects a result of 'tensor<8xf32>' without dim 0, found 'f16'}}
  %0 = tile.reduce %t dim 0 : tensor<8xf32> -> f16 {
  ^bb0(%a: f32, %e: f32):
    tile.yield %a : f32
  }
  return
}

// -----

func.func @no_sources() {
  // reduce_c1
  // expected-error @below {{expects as many results as sources, at least one, found 0 and 0}}
  "tile.reduce"() <{dim = 0 : i64}> ({
    "tile.yield"() : () -> ()
  }) : () -> ()
  return
}

// -----

func.func @result_count(%t: tensor<8xf32>) {
  // reduce_c1
  // expected-error @below {{expects as many results as sources, at least one, found 1 and 2}}
  %0:2 = tile.reduce %t dim 0 : tensor<8xf32> -> f32, f32 {
  ^bb0(%a: f32, %e: f32):
    tile.yield %a : f32
  }
  return
}

// -----

func.func @source_shapes(%t: tensor<8xf32>, %u: tensor<4xf32>) {
  // reduce_c1
  // expected-error @below {{expects sources of one shape, found 'tensor<8xf32>' and 'tensor<4xf32>'}}
  %0:2 = tile.reduce %t, %u dim 0 : tensor<8xf32>, tensor<4xf32> -> f32, f32 {
  ^bb0(%a: f32, %b: f32, %e: f32, %f: f32):
    tile.yield %a, %b : f32, f32
  }
  return
}

// -----

func.func @argument_count(%t: tensor<8xf32>) {
  // reduce_c2
  // expected-error @below {{expects a body of 2 arguments, accumulators then elements, found 1}}
  %0 = tile.reduce %t dim 0 : tensor<8xf32> -> f32 {
  ^bb0(%a: f32):
    tile.yield %a : f32
  }
  return
}

// -----

func.func @argument_type(%t: tensor<8xf32>) {
  // reduce_c2
  // expected-error @below {{expects body argument 1 to be 'f32', found 'f16'}}
  %0 = tile.reduce %t dim 0 : tensor<8xf32> -> f32 {
  ^bb0(%a: f32, %e: f16):
    tile.yield %a : f32
  }
  return
}

// -----

func.func @yield_count(%t: tensor<8xf32>) {
  // reduce_c2
  // expected-error @below {{expects the body to yield 1 values}}
  %0 = tile.reduce %t dim 0 : tensor<8xf32> -> f32 {
  ^bb0(%a: f32, %e: f32):
    tile.yield %a, %e : f32, f32
  }
  return
}

// -----

func.func @yield_type(%t: tensor<8xf32>, %x: f16) {
  // reduce_c2
  // expected-error @below {{expects yielded value 0 to be 'f32', found 'f16'}}
  %0 = tile.reduce %t dim 0 : tensor<8xf32> -> f32 {
  ^bb0(%a: f32, %e: f32):
    tile.yield %x : f16
  }
  return
}

// -----

func.func @other_terminator(%t: tensor<8xf32>) {
  // reduce_c2
  // expected-error @below {{expects the body to yield 1 values}}
  %0 = tile.reduce %t dim 0 : tensor<8xf32> -> f32 {
  ^bb0(%a: f32, %e: f32):
    ub.unreachable
  }
  return
}

// -----

func.func @tile_in_body(%t: tensor<8xf32>, %x: tensor<1xf32>) {
  // reduce_c2
  // expected-error @below {{expects scalars in the body, found a tile in tile.to_scalar}}
  %0 = tile.reduce %t dim 0 : tensor<8xf32> -> f32 {
  ^bb0(%a: f32, %e: f32):
    %r = tile.to_scalar %x : tensor<1xf32>
    tile.yield %r : f32
  }
  return
}

// -----

func.func @load_in_body(%t: tensor<8xf32>, %p: !tile.ptr<f32>) {
  // reduce_c3
  // expected-error @below {{expects a body without memory effects, found tile.load_ptr}}
  %0 = tile.reduce %t dim 0 : tensor<8xf32> -> f32 {
  ^bb0(%a: f32, %e: f32):
    %r = tile.load_ptr %p : !tile.ptr<f32>
    tile.yield %r : f32
  }
  return
}

// -----

func.func @store_in_nested_region(%t: tensor<8xf32>, %p: !tile.ptr<f32>, %c: i1) {
  // reduce_c3
  // expected-error @below {{expects a body without memory effects, found scf.if}}
  %0 = tile.reduce %t dim 0 : tensor<8xf32> -> f32 {
  ^bb0(%a: f32, %e: f32):
    scf.if %c {
      tile.store_ptr %a, %p : !tile.ptr<f32>
    }
    tile.yield %a : f32
  }
  return
}

// -----

func.func @identity_count(%t: tensor<8xf32>) {
  // reduce_c4
  // expected-error @below {{expects 1 identities, found 2}}
  %0 = tile.reduce %t dim 0 identity [0.0 : f32, 0.0 : f32] : tensor<8xf32> -> f32 {
  ^bb0(%a: f32, %e: f32):
    tile.yield %a : f32
  }
  return
}

// -----

func.func @identity_type(%t: tensor<8xf32>) {
  // reduce_c4
  // expected-error @below {{expects identity 0 to be 'f32', found 0.000000e+00 : f64}}
  %0 = tile.reduce %t dim 0 identity [0.0] : tensor<8xf32> -> f32 {
  ^bb0(%a: f32, %e: f32):
    tile.yield %a : f32
  }
  return
}

// -----

func.func @identity_string(%t: tensor<8xf32>) {
  // reduce_c4
  // expected-error @below {{expects identity 0 to be 'f32', found "zero"}}
  %0 = tile.reduce %t dim 0 identity ["zero"] : tensor<8xf32> -> f32 {
  ^bb0(%a: f32, %e: f32):
    tile.yield %a : f32
  }
  return
}

// -----

func.func @yield_outside(%x: f32) {
  // expected-error @below {{expects parent op to be one of 'tile.reduce, tile.scan'}}
  tile.yield %x : f32
}
