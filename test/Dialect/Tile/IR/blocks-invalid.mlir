// Each constraint of concat, extract and insert broken once, beside the nearest legal form in blocks.mlir.
// RUN: tile-opt %s -split-input-file -verify-diagnostics

func.func @no_source() {
  // concat_c1
  // expected-error @below {{expects at least one source}}
  %0 = "tile.concat"() <{dim = 0 : i64}> : () -> tensor<4xf32>
  return
}

// -----

func.func @dim_too_large(%a: tensor<4xf32>) {
  // concat_c1
  // expected-error @below {{expects dim to be below the rank 1, found 1}}
  %0 = tile.concat %a, %a dim 1 : tensor<4xf32>, tensor<4xf32> -> tensor<8xf32>
  return
}

// -----

func.func @other_extent(%a: tensor<4x2xf32>, %b: tensor<4x3xf32>) {
  // concat_c2
  // expected-error @below {{expects sources that differ from the result along dim 0 only, found 'tensor<4x3xf32>' and 'tensor<8x2xf32>'}}
  %0 = tile.concat %a, %b dim 0 : tensor<4x2xf32>, tensor<4x3xf32> -> tensor<8x2xf32>
  return
}

// -----

func.func @other_element(%a: tensor<4xf32>, %b: tensor<4xf16>) {
  // concat_c2
  // expected-error @below {{expects sources that differ from the result along dim 0 only}}
  %0 = tile.concat %a, %b dim 0 : tensor<4xf32>, tensor<4xf16> -> tensor<8xf32>
  return
}

// -----

func.func @sum(%a: tensor<4xf32>, %b: tensor<3xf32>) {
  // concat_c3
  // expected-error @below {{expects extents along dim 0 that add up to 8, found 7}}
  %0 = tile.concat %a, %b dim 0 : tensor<4xf32>, tensor<3xf32> -> tensor<8xf32>
  return
}

// -----

func.func @extract_indices(%t: tensor<4x8xf32>, %i: index) {
  // extract_c1
  // expected-error @below {{expects 2 indices, one per dim, found 1}}
  %0 = tile.extract %t[%i] : tensor<4x8xf32> -> tensor<4x2xf32>
  return
}

// -----

func.func @extract_extent(%t: tensor<4x8xf32>, %i: index) {
  // extract_c2
  // expected-error @below {{expects a block whose extents divide those of 'tensor<4x8xf32>', found 'tensor<4x3xf32>'}}
  %0 = tile.extract %t[%i, %i] : tensor<4x8xf32> -> tensor<4x3xf32>
  return
}

// -----

func.func @extract_rank(%t: tensor<4x8xf32>, %i: index) {
  // extract_c2
  // expected-error @below {{expects a block whose extents divide those of}}
  %0 = tile.extract %t[%i, %i] : tensor<4x8xf32> -> tensor<8xf32>
  return
}

// -----

func.func @insert_indices(%s: tensor<2xf32>, %t: tensor<4xf32>) {
  // insert_c1
  // expected-error @below {{expects 1 indices, one per dim, found 0}}
  %0 = tile.insert %s, %t[] : tensor<2xf32>, tensor<4xf32>
  return
}

// -----

func.func @insert_extent(%s: tensor<3xf32>, %t: tensor<4xf32>, %i: index) {
  // insert_c2
  // expected-error @below {{expects a block whose extents divide those of 'tensor<4xf32>', found 'tensor<3xf32>'}}
  %0 = tile.insert %s, %t[%i] : tensor<3xf32>, tensor<4xf32>
  return
}

// -----

func.func @insert_element(%s: tensor<2xf16>, %t: tensor<4xf32>, %i: index) {
  // insert_c2
  // expected-error @below {{expects a block whose extents divide those of}}
  %0 = tile.insert %s, %t[%i] : tensor<2xf16>, tensor<4xf32>
  return
}
