// Broken input of every kind ends in a message, never in a crash or a hang.
// RUN: tile-opt %s -split-input-file -verify-diagnostics -allow-unregistered-dialect

// A function without a type: the kernel attribute is looked at first.
// expected-error @below {{requires attribute 'function_type'}}
"func.func"() <{sym_name = "typeless"}> ({
}) {tile.kernel, tile.num_warps = 4 : i64} : () -> ()

// -----

// Fewer lists of argument attributes than arguments.
// expected-error @below {{expects argument attribute array to have the same number of elements as the number of function arguments, got 0, but expected 1}}
"func.func"() <{sym_name = "attributes", function_type = (f32) -> (), arg_attrs = []}> ({
^bb0(%x: f32):
  "func.return"() : () -> ()
}) {tile.kernel} : () -> ()

// -----

func.func @grid_with_unknown_op() attributes {tile.kernel, tile.grid = @unknown} {
  return
}
func.func @unknown() -> index {
  // expected-error @below {{expected only what a host evaluates in @unknown, found nobody.knows}}
  %0 = "nobody.knows"() : () -> index
  return %0 : index
}

// -----

func.func @body_without_terminator(%t: tensor<8xf32>) {
  %0 = "tile.reduce"(%t) <{dim = 0 : i64}> ({
  ^bb0(%a: f32, %e: f32):
    // expected-error @below {{block with no terminator}}
    %1 = "arith.addf"(%a, %e) : (f32, f32) -> f32
  }) : (tensor<8xf32>) -> f32
  return
}

// -----

func.func @body_without_ops(%t: tensor<8xf32>) {
  // expected-error @below {{expects a non-empty block}}
  %0 = "tile.reduce"(%t) <{dim = 0 : i64}> ({
  ^bb0(%a: f32, %e: f32):
  }) : (tensor<8xf32>) -> f32
  return
}

// -----

func.func @body_without_block(%t: tensor<8xf32>) {
  // expected-error @below {{region #0 ('body') failed to verify constraint: region with 1 blocks}}
  %0 = "tile.reduce"(%t) <{dim = 0 : i64}> ({
  }) : (tensor<8xf32>) -> f32
  return
}

// -----

func.func @no_operands() {
  // expected-error @below {{expected 2 or more operands, but found 0}}
  "tile.store"() : () -> ()
  return
}

// -----

func.func @no_dim(%v: !tile.view<4xf32, strides = [1]>) {
  // expected-error @below {{requires attribute 'dim'}}
  %0 = "tile.view_size"(%v) : (!tile.view<4xf32, strides = [1]>) -> index
  return
}

// -----

func.func @segments(%p: !tile.ptr<f32>) {
  // expected-error @below {{operand count (1) does not match with the total size (6)}}
  %0 = "tile.make_view"(%p) <{operandSegmentSizes = array<i32: 1, 2, 3>}> : (!tile.ptr<f32>) -> !tile.view<4xf32, strides = [1]>
  return
}

// -----

func.func @wrong_types(%x: f32) {
  // expected-error @below {{operand #0 must be view, but got 'f32'}}
  %0 = "tile.load"(%x) <{operandSegmentSizes = array<i32: 1, 0, 0>}> : (f32) -> tensor<4xf32>
  return
}

// -----

func.func @pad_out_of_range(%v: !tile.view<4xf32, strides = [1]>, %i: index) {
  // expected-error @below {{Invalid attribute `pad` in property conversion: 17 : i32}}
  %0 = "tile.load"(%v, %i) <{pad = 17 : i32}> : (!tile.view<4xf32, strides = [1]>, index) -> tensor<4xf32>
  return
}

// -----

