// RUN: tile-opt %s -split-input-file -verify-diagnostics --tile-assign-layouts

func.func @rank_nine(%x: !tile.view<?xi32, strides = [1]>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %v = tile.load %x[%c0] : !tile.view<?xi32, strides = [1]> -> tensor<2xi32>
  // expected-error @below {{expects tiles of at most 8 dims}}
  %w = tile.reshape %v : tensor<2xi32> -> tensor<2x1x1x1x1x1x1x1x1xi32>
  %y = tile.reshape %w : tensor<2x1x1x1x1x1x1x1x1xi32> -> tensor<2xi32>
  tile.store %y, %x[%c0] : tensor<2xi32>, !tile.view<?xi32, strides = [1]>
  return
}

// -----

func.func @too_large(%x: !tile.view<?xi32, strides = [1]>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  // expected-error @below {{expects tiles of at most 262144 elements}}
  %v = tile.load %x[%c0] : !tile.view<?xi32, strides = [1]> -> tensor<1048576xi32>
  tile.store %v, %x[%c0] : tensor<1048576xi32>, !tile.view<?xi32, strides = [1]>
  return
}

// -----

func.func @callee() {
  return
}

func.func @calls() attributes {tile.kernel} {
  // expected-error @below {{expects calls in a kernel to be inlined before layouts are assigned}}
  func.call @callee() : () -> ()
  return
}
