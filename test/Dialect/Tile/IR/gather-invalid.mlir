// Each constraint of gather and scatter broken once, beside the nearest legal form in gather.mlir.
// RUN: tile-opt %s -split-input-file -verify-diagnostics

func.func @gather_no_tile(%w: !tile.view<?x128xf32, strides = [128, 1]>, %i: index) {
  // gather_c1
  // expected-error @below {{expects one offset that is a tile, found 0}}
  %0 = tile.gather %w[%i, %i] : !tile.view<?x128xf32, strides = [128, 1]>[index, index] -> tensor<8x4xf32>
  return
}

// -----

func.func @gather_two_tiles(%w: !tile.view<?x128xf32, strides = [128, 1]>, %r: tensor<8xi32>, %c: tensor<4xi32>) {
  // gather_c1
  // expected-error @below {{expects one offset that is a tile, found 2}}
  %0 = tile.gather %w[%r, %c] : !tile.view<?x128xf32, strides = [128, 1]>[tensor<8xi32>, tensor<4xi32>] -> tensor<8x4xf32>
  return
}

// -----

func.func @gather_length(%w: !tile.view<?x128xf32, strides = [128, 1]>, %r: tensor<4xi32>, %i: index) {
  // gather_c2
  // expected-error @below {{expects 8 indices, one per position along dim 0, found 'tensor<4xi32>'}}
  %0 = tile.gather %w[%r, %i] : !tile.view<?x128xf32, strides = [128, 1]>[tensor<4xi32>, index] -> tensor<8x4xf32>
  return
}

// -----

func.func @gather_offsets(%w: !tile.view<?x128xf32, strides = [128, 1]>, %r: tensor<8xi32>) {
  // gather_c3
  // expected-error @below {{expects one offset per view dim and a tile of rank 2, found 1 offsets and 'tensor<8x4xf32>'}}
  %0 = tile.gather %w[%r] : !tile.view<?x128xf32, strides = [128, 1]>[tensor<8xi32>] -> tensor<8x4xf32>
  return
}

// -----

func.func @gather_rank(%w: !tile.view<?x128xf32, strides = [128, 1]>, %r: tensor<8xi32>, %i: index) {
  // gather_c3
  // expected-error @below {{expects one offset per view dim and a tile of rank 2, found 2 offsets and 'tensor<8xf32>'}}
  %0 = tile.gather %w[%r, %i] : !tile.view<?x128xf32, strides = [128, 1]>[tensor<8xi32>, index] -> tensor<8xf32>
  return
}

// -----

func.func @gather_element(%w: !tile.view<?x128xf32, strides = [128, 1]>, %r: tensor<8xi32>, %i: index) {
  // gather_c4
  // expected-error @below {{expects elements of 'f32' as in the view, found 'tensor<8x4xf16>'}}
  %0 = tile.gather %w[%r, %i] : !tile.view<?x128xf32, strides = [128, 1]>[tensor<8xi32>, index] -> tensor<8x4xf16>
  return
}

// -----

func.func @gather_flags(%w: !tile.view<?x128xf32, strides = [128, 1]>, %r: tensor<8xi32>, %i: index) {
  // gather_c5
  // expected-error @below {{expects in_bounds to have one flag per view dim, found 1 for rank 2}}
  %0 = tile.gather %w[%r, %i] in_bounds [true] : !tile.view<?x128xf32, strides = [128, 1]>[tensor<8xi32>, index] -> tensor<8x4xf32>
  return
}

// -----

func.func @scatter_no_tile(%w: !tile.view<?x128xf32, strides = [128, 1]>, %i: index, %x: tensor<8x4xf32>) {
  // scatter_c1
  // expected-error @below {{expects one offset that is a tile, found 0}}
  tile.scatter %x, %w[%i, %i] : tensor<8x4xf32>, !tile.view<?x128xf32, strides = [128, 1]>[index, index]
  return
}

// -----

func.func @scatter_two_tiles(%w: !tile.view<?x128xf32, strides = [128, 1]>, %r: tensor<8xi32>, %c: tensor<4xi32>, %x: tensor<8x4xf32>) {
  // scatter_c1
  // expected-error @below {{expects one offset that is a tile, found 2}}
  tile.scatter %x, %w[%r, %c] : tensor<8x4xf32>, !tile.view<?x128xf32, strides = [128, 1]>[tensor<8xi32>, tensor<4xi32>]
  return
}

// -----

func.func @scatter_length(%w: !tile.view<?x128xf32, strides = [128, 1]>, %r: tensor<4xi32>, %i: index, %x: tensor<8x4xf32>) {
  // scatter_c2
  // expected-error @below {{expects 8 indices, one per position along dim 0, found 'tensor<4xi32>'}}
  tile.scatter %x, %w[%r, %i] : tensor<8x4xf32>, !tile.view<?x128xf32, strides = [128, 1]>[tensor<4xi32>, index]
  return
}

// -----

func.func @scatter_offsets(%w: !tile.view<?x128xf32, strides = [128, 1]>, %r: tensor<8xi32>, %x: tensor<8x4xf32>) {
  // scatter_c3
  // expected-error @below {{expects one offset per view dim and a tile of rank 2, found 1 offsets and 'tensor<8x4xf32>'}}
  tile.scatter %x, %w[%r] : tensor<8x4xf32>, !tile.view<?x128xf32, strides = [128, 1]>[tensor<8xi32>]
  return
}

// -----

func.func @scatter_rank(%w: !tile.view<?x128xf32, strides = [128, 1]>, %r: tensor<8xi32>, %i: index, %x: tensor<8xf32>) {
  // scatter_c3
  // expected-error @below {{expects one offset per view dim and a tile of rank 2, found 2 offsets and 'tensor<8xf32>'}}
  tile.scatter %x, %w[%r, %i] : tensor<8xf32>, !tile.view<?x128xf32, strides = [128, 1]>[tensor<8xi32>, index]
  return
}

// -----

func.func @scatter_element(%w: !tile.view<?x128xf32, strides = [128, 1]>, %r: tensor<8xi32>, %i: index, %x: tensor<8x4xf16>) {
  // scatter_c4
  // expected-error @below {{expects elements of 'f32' as in the view, found 'tensor<8x4xf16>'}}
  tile.scatter %x, %w[%r, %i] : tensor<8x4xf16>, !tile.view<?x128xf32, strides = [128, 1]>[tensor<8xi32>, index]
  return
}

// -----

func.func @scatter_flags(%w: !tile.view<?x128xf32, strides = [128, 1]>, %r: tensor<8xi32>, %i: index, %x: tensor<8x4xf32>) {
  // scatter_c5
  // expected-error @below {{expects in_bounds to have one flag per view dim, found 1 for rank 2}}
  tile.scatter %x, %w[%r, %i] in_bounds [true] : tensor<8x4xf32>, !tile.view<?x128xf32, strides = [128, 1]>[tensor<8xi32>, index]
  return
}

// -----

func.func @gather_pad(%w: !tile.view<?x128xi32, strides = [128, 1]>, %r: tensor<8xi32>, %i: index) {
  // gather_c6
  // expected-error @below {{expects a pad that 'i32' has, found nan}}
  %0 = tile.gather %w[%r, %i] pad(nan) : !tile.view<?x128xi32, strides = [128, 1]>[tensor<8xi32>, index] -> tensor<8x4xi32>
  return
}

// -----

func.func @index_type(%w: !tile.view<?x128xf32, strides = [128, 1]>, %r: tensor<8xi16>, %i: index) {
  // expected-error @below {{must be variadic of index or tile of rank 1 of i32 or i64}}
  %0 = tile.gather %w[%r, %i] : !tile.view<?x128xf32, strides = [128, 1]>[tensor<8xi16>, index] -> tensor<8x4xf32>
  return
}
