// A module's own block has no order, so ops in it may use each other's results; folds must not walk in circles.
// RUN: tile-opt %s -canonicalize -allow-unregistered-dialect | FileCheck %s

// CHECK: "nobody.uses"
%c0 = arith.constant 0 : index
%a = tile.permute %b [1, 0] : tensor<4x4xf32> -> tensor<4x4xf32>
%b = tile.permute %c [1, 0] : tensor<4x4xf32> -> tensor<4x4xf32>
%c = tile.permute %a [0, 1] : tensor<4x4xf32> -> tensor<4x4xf32>
%d = tile.reshape %d : tensor<4x4xf32> -> tensor<4x4xf32>
%e = tile.broadcast %e : tensor<4x4xf32> -> tensor<4x4xf32>
%p = tile.ptr_add %p, %c0 : !tile.ptr<f32>, index
%q = tile.ptr_cast %r : i64 to !tile.ptr<f32>
%r = tile.ptr_cast %q : !tile.ptr<f32> to i64
%v = tile.make_view %p, sizes [%s] strides [%s] : !tile.view<?xf32, strides = [?]>
%s = tile.view_size %v, 0 : !tile.view<?xf32, strides = [?]>
%w = tile.permute_view %w [0] : !tile.view<?xf32, strides = [?]> to !tile.view<?xf32, strides = [?]>
%t = tile.view_size %w, 0 : !tile.view<?xf32, strides = [?]>
%x = tile.to_scalar %y : tensor<1xf32>
%y = tile.splat %x : f32 -> tensor<1xf32>
%f = tile.concat %g dim 0 : tensor<4x4xf32> -> tensor<4x4xf32>
%g = tile.extract %f[%c0, %c0] : tensor<4x4xf32> -> tensor<4x4xf32>
%h = tile.insert %i, %h[%c0, %c0] : tensor<2x2xf32>, tensor<4x4xf32>
%i = tile.extract %h[%c0, %c0] : tensor<4x4xf32> -> tensor<2x2xf32>
%j = tile.scan %j dim 0 : tensor<1xf32> -> tensor<1xf32> {
^bb0(%before: f32, %element: f32):
  tile.yield %element : f32
}
"nobody.uses"(%f, %g, %h, %i, %j) : (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<2x2xf32>, tensor<1xf32>) -> ()
"nobody.uses"(%a, %b, %c, %d, %e, %p, %q, %r, %s, %t, %x) : (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, !tile.ptr<f32>, !tile.ptr<f32>, i64, index, index, f32) -> ()

// Nothing reaches the second block.
// CHECK-LABEL: func.func @unreachable
func.func @unreachable() {
  return
^bb1:
  %0 = tile.permute %1 [1, 0] : tensor<4x4xf32> -> tensor<4x4xf32>
  cf.br ^bb2
^bb2:
  %1 = tile.permute %0 [1, 0] : tensor<4x4xf32> -> tensor<4x4xf32>
  cf.br ^bb1
}
