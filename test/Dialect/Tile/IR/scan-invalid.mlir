// Each constraint of scan broken once, beside the nearest legal form in scan.mlir.
// RUN: tile-opt %s -split-input-file -verify-diagnostics

func.func @dim_too_large(%t: tensor<4x8xf32>) {
  // scan_c1
  // expected-error @below {{expects dim to be below the rank 2, found 2}}
  %0 = tile.scan %t dim 2 : tensor<4x8xf32> -> tensor<4x8xf32> {
  ^bb0(%a: f32, %e: f32):
    tile.yield %a : f32
  }
  return
}

// -----

func.func @result_shape(%t: tensor<4x8xf32>) {
  // scan_c1
  // expected-error @below {{expects a result of shape and element type of 'tensor<4x8xf32>', found 'tensor<4xf32>'}}
  %0 = tile.scan %t dim 1 : tensor<4x8xf32> -> tensor<4xf32> {
  ^bb0(%a: f32, %e: f32):
    tile.yield %a : f32
  }
  return
}

// -----

func.func @result_count(%t: tensor<8xf32>) {
  // scan_c1
  // expected-error @below {{expects as many results as sources, at least one, found 1 and 2}}
  %0:2 = tile.scan %t dim 0 : tensor<8xf32> -> tensor<8xf32>, tensor<8xf32> {
  ^bb0(%a: f32, %e: f32):
    tile.yield %a : f32
  }
  return
}

// -----

func.func @source_shapes(%t: tensor<8xf32>, %u: tensor<4xf32>) {
  // scan_c1
  // expected-error @below {{expects sources of one shape, found 'tensor<8xf32>' and 'tensor<4xf32>'}}
  %0:2 = tile.scan %t, %u dim 0 : tensor<8xf32>, tensor<4xf32> -> tensor<8xf32>, tensor<4xf32> {
  ^bb0(%a: f32, %b: f32, %e: f32, %f: f32):
    tile.yield %a, %b : f32, f32
  }
  return
}

// -----

func.func @arguments(%t: tensor<8xf32>) {
  // scan_c2
  // expected-error @below {{expects a body of 2 arguments, accumulators then elements, found 1}}
  %0 = tile.scan %t dim 0 : tensor<8xf32> -> tensor<8xf32> {
  ^bb0(%a: f32):
    tile.yield %a : f32
  }
  return
}

// -----

func.func @yielded(%t: tensor<8xf32>) {
  // scan_c2
  // expected-error @below {{expects yielded value 0 to be 'f32', found 'i1'}}
  %0 = tile.scan %t dim 0 : tensor<8xf32> -> tensor<8xf32> {
  ^bb0(%a: f32, %e: f32):
    %r = arith.cmpf ogt, %a, %e : f32
    tile.yield %r : i1
  }
  return
}

// -----

func.func @effects(%t: tensor<8xf32>, %p: !tile.ptr<f32>) {
  // scan_c3
  // expected-error @below {{expects a body without memory effects, found tile.store_ptr}}
  %0 = tile.scan %t dim 0 : tensor<8xf32> -> tensor<8xf32> {
  ^bb0(%a: f32, %e: f32):
    tile.store_ptr %a, %p : !tile.ptr<f32>
    tile.yield %a : f32
  }
  return
}

// -----

func.func @identity_count(%t: tensor<8xf32>) {
  // scan_c4
  // expected-error @below {{expects 1 identities, found 2}}
  %0 = tile.scan %t dim 0 identity [0.0 : f32, 0.0 : f32] : tensor<8xf32> -> tensor<8xf32> {
  ^bb0(%a: f32, %e: f32):
    tile.yield %a : f32
  }
  return
}

// -----

func.func @identity_type(%t: tensor<8xf32>) {
  // scan_c4
  // expected-error @below {{expects identity 0 to be 'f32', found 0.000000e+00 : f64}}
  %0 = tile.scan %t dim 0 identity [0.0 : f64] : tensor<8xf32> -> tensor<8xf32> {
  ^bb0(%a: f32, %e: f32):
    tile.yield %a : f32
  }
  return
}
