// RUN: tile-opt %s -split-input-file -verify-diagnostics --tile-lower-to-buffers

func.func @no_layouts(%x: !tile.view<?xf32, strides = [1]>, %p: !tile.ptr<f32>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  // expected-error @below {{has a tile without a layout; run tile-assign-layouts first}}
  %v = tile.load %x[%c0] : !tile.view<?xf32, strides = [1]> -> tensor<1024xf32>
  %s = tile.reduce %v dim 0 : tensor<1024xf32> -> f32 {
  ^bb0(%a: f32, %b: f32):
    %r = arith.addf %a, %b : f32
    tile.yield %r : f32
  }
  tile.store_ptr %s, %p : !tile.ptr<f32>
  return
}
