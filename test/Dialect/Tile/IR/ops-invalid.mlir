// Each constraint broken once, beside the nearest legal form in ops.mlir. Shape, program and product ops.
// RUN: tile-opt %s -split-input-file -verify-diagnostics

func.func @no_fact(%n: i32) {
  // assume_c1
  // expected-error @below {{expects at least one fact}}
  %0 = tile.assume %n : i32
  return
}

// -----

func.func @fact_about_float(%n: tensor<4xf32>) {
  // expected-error @below {{expects integers or pointers, found 'tensor<4xf32>'}}
  %0 = tile.assume %n min 0 : tensor<4xf32>
  return
}

// -----

func.func @div_by_zero(%n: i32) {
  // assume_c2
  // expected-error @below {{expects div_by to be 1 or more and to fit 'i32', found 0}}
  %0 = tile.assume %n div_by 0 : i32
  return
}

// -----

func.func @min_above_max(%n: i32) {
  // assume_c2
  // expected-error @below {{expects min to be at most max, found 4 and 3}}
  %0 = tile.assume %n min 4 max 3 : i32
  return
}

// -----

func.func @max_too_large(%n: i8) {
  // assume_c2
  // expected-error @below {{expects max to fit 'i8', found 128}}
  %0 = tile.assume %n max 128 : i8
  return
}

// -----

func.func @list_too_short(%n: tensor<4x8xi32>) {
  // assume_c3
  // expected-error @below {{expects same to have one entry per dim of a tile, found 1}}
  %0 = tile.assume %n same [8] : tensor<4x8xi32>
  return
}

// -----

func.func @list_of_scalar(%n: i32) {
  // assume_c3
  // expected-error @below {{expects contiguous to have one entry per dim of a tile, found 0}}
  %0 = tile.assume %n contiguous [] : i32
  return
}

// -----

func.func @list_does_not_divide(%n: tensor<4x8xi32>) {
  // assume_c3
  // expected-error @below {{expects each entry of same to divide its extent, found 3 for 8}}
  %0 = tile.assume %n same [4, 3] : tensor<4x8xi32>
  return
}

// -----

func.func @list_zero(%n: tensor<4x8xi32>) {
  // assume_c3
  // expected-error @below {{expects each entry of same to divide its extent, found 0 for 8}}
  %0 = tile.assume %n same [4, 0] : tensor<4x8xi32>
  return
}

// -----

func.func @every_alone(%n: tensor<4x8xi32>) {
  // assume_c3
  // expected-error @below {{expects div_by beside every}}
  %0 = tile.assume %n every [4, 8] : tensor<4x8xi32>
  return
}

// -----

func.func @add_tile_to_scalar(%p: !tile.ptr<f32>, %i: tensor<4xi32>) {
  // ptr_add_c1
  // expected-error @below {{expects pointer and offset to be scalars or tiles of one shape, found '!tile.ptr<f32>' and 'tensor<4xi32>'}}
  %0 = tile.ptr_add %p, %i : !tile.ptr<f32>, tensor<4xi32>
  return
}

// -----

func.func @add_other_shape(%p: tensor<8x!tile.ptr<f32>>, %i: tensor<4xi32>) {
  // ptr_add_c1
  // expected-error @below {{expects pointer and offset to be scalars or tiles of one shape}}
  %0 = tile.ptr_add %p, %i : tensor<8x!tile.ptr<f32>>, tensor<4xi32>
  return
}

// -----

func.func @add_float(%p: !tile.ptr<f32>, %i: f32) {
  // expected-error @below {{operand #1 must be signless integer or index or tile of integers, but got 'f32'}}
  %0 = tile.ptr_add %p, %i : !tile.ptr<f32>, f32
  return
}

// -----

func.func @cast_integers(%p: i64) {
  // ptr_cast_c1
  // expected-error @below {{expects a pointer on one side and a pointer or i64 on the other, found 'i64' and 'i64'}}
  %0 = tile.ptr_cast %p : i64 to i64
  return
}

// -----

func.func @cast_narrow(%p: tensor<4x!tile.ptr<f32>>) {
  // ptr_cast_c1
  // expected-error @below {{expects a pointer on one side and a pointer or i64 on the other, found 'tensor<4x!tile.ptr<f32>>' and 'tensor<4xi32>'}}
  %0 = tile.ptr_cast %p : tensor<4x!tile.ptr<f32>> to tensor<4xi32>
  return
}

// -----

func.func @cast_shape(%p: tensor<4x!tile.ptr<f32>>) {
  // ptr_cast_c2
  // expected-error @below {{expects scalars or tiles of one shape, found 'tensor<4x!tile.ptr<f32>>' and 'tensor<2x2xi64>'}}
  %0 = tile.ptr_cast %p : tensor<4x!tile.ptr<f32>> to tensor<2x2xi64>
  return
}

// -----

func.func @axis() {
  // expected-error @below {{expected string or keyword containing one of the following enum values for attribute 'axis' [x, y, z]}}
  %0 = tile.program_id w
  return
}

// -----

func.func @splat_type(%s: f32) {
  // splat_c1
  // expected-error @below {{expects equal element types, found 'f32' and 'f16'}}
  %0 = tile.splat %s : f32 -> tensor<4xf16>
  return
}

// -----

func.func @to_scalar_many(%t: tensor<1x2xf32>) {
  // to_scalar_c1
  // expected-error @below {{expects a tile of one element, found 'tensor<1x2xf32>'}}
  %0 = tile.to_scalar %t : tensor<1x2xf32>
  return
}

// -----

func.func @to_scalar_type(%t: tensor<1xf32>) {
  // to_scalar_c2
  // expected-error @below {{expects equal element types, found 'f32' and 'f16'}}
  %0 = "tile.to_scalar"(%t) : (tensor<1xf32>) -> f16
  return
}

// -----

func.func @iota_rank() {
  // iota_c1
  // expected-error @below {{expects a tile of rank 1, found 'tensor<4x4xi32>'}}
  %0 = tile.iota : tensor<4x4xi32>
  return
}

// -----

func.func @iota_too_long() {
  // iota_c2
  // expected-error @below {{expects values from 0 to what 'i8' holds, found 1 to 256}}
  %0 = tile.iota start 1 : tensor<256xi8>
  return
}

// -----

func.func @iota_negative() {
  // iota_c2
  // expected-error @below {{expects values from 0 to what 'i32' holds, found -1 to 2}}
  %0 = tile.iota start -1 : tensor<4xi32>
  return
}

// -----

func.func @iota_float() {
  // expected-error @below {{result #0 must be tile of integers, but got 'tensor<4xf32>'}}
  %0 = tile.iota : tensor<4xf32>
  return
}

// -----

func.func @broadcast_rank(%t: tensor<4xf32>) {
  // broadcast_c1
  // expected-error @below {{expects equal ranks, found 'tensor<4xf32>' and 'tensor<4x4xf32>'}}
  %0 = tile.broadcast %t : tensor<4xf32> -> tensor<4x4xf32>
  return
}

// -----

func.func @broadcast_extent(%t: tensor<1x4xf32>) {
  // broadcast_c1
  // expected-error @below {{expects dim 1 to keep its extent or to grow from 1, found 4 and 8}}
  %0 = tile.broadcast %t : tensor<1x4xf32> -> tensor<2x8xf32>
  return
}

// -----

func.func @broadcast_type(%t: tensor<1x4xf32>) {
  // broadcast_c1
  // expected-error @below {{expects equal element types, found 'f32' and 'i32'}}
  %0 = tile.broadcast %t : tensor<1x4xf32> -> tensor<2x4xi32>
  return
}

// -----

func.func @reshape_count(%t: tensor<4x4xf32>) {
  // reshape_c1
  // expected-error @below {{expects as many elements before as after, found 'tensor<4x4xf32>' and 'tensor<15xf32>'}}
  %0 = tile.reshape %t : tensor<4x4xf32> -> tensor<15xf32>
  return
}

// -----

func.func @permute_twice(%t: tensor<4x8xf32>) {
  // permute_c1
  // expected-error @below {{expects a permutation of the 2 dims, found [1, 1]}}
  %0 = tile.permute %t [1, 1] : tensor<4x8xf32> -> tensor<8x8xf32>
  return
}

// -----

func.func @permute_short(%t: tensor<4x8xf32>) {
  // permute_c1
  // expected-error @below {{expects a permutation of the 2 dims, found [1]}}
  %0 = tile.permute %t [1] : tensor<4x8xf32> -> tensor<8x4xf32>
  return
}

// -----

func.func @permute_negative(%t: tensor<4x8xf32>) {
  // permute_c1
  // expected-error @below {{expects a permutation of the 2 dims, found [0, -1]}}
  %0 = tile.permute %t [0, -1] : tensor<4x8xf32> -> tensor<4x8xf32>
  return
}

// -----

func.func @permute_result(%t: tensor<4x8xf32>) {
  // permute_c2
  // expected-error @below {{expects the permuted shape of 'tensor<4x8xf32>', found 'tensor<4x8xf32>'}}
  %0 = tile.permute %t [1, 0] : tensor<4x8xf32> -> tensor<4x8xf32>
  return
}

// -----

func.func @permute_result_rank(%t: tensor<4x8xf32>) {
  // permute_c2
  // expected-error @below {{expects the permuted shape of 'tensor<4x8xf32>', found 'tensor<8xf32>'}}
  %0 = tile.permute %t [1, 0] : tensor<4x8xf32> -> tensor<8xf32>
  return
}

// -----

func.func @dot_rank(%l: tensor<4xf32>, %r: tensor<4xf32>, %a: tensor<4x4xf32>) {
  // dot_c1
  // expected-error @below {{expects three tiles of one rank, 2 to 5, found 'tensor<4xf32>', 'tensor<4xf32>' and 'tensor<4x4xf32>'}}
  %0 = tile.dot %l, %r, %a : tensor<4xf32>, tensor<4xf32> -> tensor<4x4xf32>
  return
}

// -----

func.func @dot_inner(%l: tensor<16x64xf32>, %r: tensor<32x8xf32>, %a: tensor<16x8xf32>) {
  // dot_c1
  // expected-error @below {{expects lhs dim 1 (64) to equal rhs dim 0 (32)}}
  %0 = tile.dot %l, %r, %a : tensor<16x64xf32>, tensor<32x8xf32> -> tensor<16x8xf32>
  return
}

// -----

func.func @dot_rows(%l: tensor<16x32xf32>, %r: tensor<32x8xf32>, %a: tensor<17x8xf32>) {
  // dot_c1
  // expected-error @below {{expects lhs dim 0 (16) to equal acc dim 0 (17)}}
  %0 = tile.dot %l, %r, %a : tensor<16x32xf32>, tensor<32x8xf32> -> tensor<17x8xf32>
  return
}

// -----

func.func @dot_batch(%l: tensor<2x16x32xf32>, %r: tensor<3x32x8xf32>, %a: tensor<2x16x8xf32>) {
  // dot_c1
  // expected-error @below {{expects rhs dim 0 (3) to equal acc dim 0 (2)}}
  %0 = tile.dot %l, %r, %a : tensor<2x16x32xf32>, tensor<3x32x8xf32> -> tensor<2x16x8xf32>
  return
}

// -----

func.func @dot_types(%l: tensor<16x32xbf16>, %r: tensor<32x8xbf16>, %a: tensor<16x8xf16>) {
  // dot_c2
  // expected-error @below {{has no product of 'bf16' and 'bf16' with sums in 'f16'}}
  %0 = tile.dot %l, %r, %a : tensor<16x32xbf16>, tensor<32x8xbf16> -> tensor<16x8xf16>
  return
}

// -----

func.func @dot_mixed(%l: tensor<16x32xbf16>, %r: tensor<32x8xf16>, %a: tensor<16x8xf32>) {
  // dot_c2
  // expected-error @below {{has no product of 'bf16' and 'f16' with sums in 'f32'}}
  %0 = tile.dot %l, %r, %a : tensor<16x32xbf16>, tensor<32x8xf16> -> tensor<16x8xf32>
  return
}

// -----

func.func @dot_sign(%l: tensor<16x32xf16>, %r: tensor<32x8xf16>, %a: tensor<16x8xf32>) {
  // dot_c3
  // expected-error @below {{expects sign flags on integers only, found 'f16'}}
  %0 = tile.dot %l, %r, %a rhs_unsigned : tensor<16x32xf16>, tensor<32x8xf16> -> tensor<16x8xf32>
  return
}

// -----

func.func @dot_precision(%l: tensor<16x32xf16>, %r: tensor<32x8xf16>, %a: tensor<16x8xf32>) {
  // dot_c3
  // expected-error @below {{expects precision on f32 only, found 'f16'}}
  %0 = tile.dot %l, %r, %a precision tf32 : tensor<16x32xf16>, tensor<32x8xf16> -> tensor<16x8xf32>
  return
}

// -----

func.func @dot_imprecise(%l: tensor<16x32xf16>, %r: tensor<32x8xf16>, %a: tensor<16x8xf32>) {
  // dot_c3
  // expected-error @below {{expects imprecise_k of 1 or more, on f8 only, found 32 on 'f16'}}
  %0 = tile.dot %l, %r, %a imprecise_k 32 : tensor<16x32xf16>, tensor<32x8xf16> -> tensor<16x8xf32>
  return
}

// -----

func.func @dot_imprecise_zero(%l: tensor<16x32xf8E5M2>, %r: tensor<32x8xf8E5M2>, %a: tensor<16x8xf32>) {
  // dot_c3
  // expected-error @below {{expects imprecise_k of 1 or more, on f8 only, found 0 on 'f8E5M2'}}
  %0 = tile.dot %l, %r, %a imprecise_k 0 : tensor<16x32xf8E5M2>, tensor<32x8xf8E5M2> -> tensor<16x8xf32>
  return
}

// -----

func.func @tile_dynamic(%t: tensor<?xf32>) {
  // expected-error @below {{operand #0 must be tile of static shape, rank 1 or more and extents of 1 or more, but got 'tensor<?xf32>'}}
  %0 = tile.reshape %t : tensor<?xf32> -> tensor<4xf32>
  return
}

// -----

func.func @tile_rank_0(%t: tensor<1xf32>) {
  // expected-error @below {{result #0 must be tile of static shape, rank 1 or more and extents of 1 or more, but got 'tensor<f32>'}}
  %0 = tile.reshape %t : tensor<1xf32> -> tensor<f32>
  return
}

// -----

func.func @tile_empty(%t: tensor<0xf32>) {
  // expected-error @below {{operand #0 must be tile of static shape, rank 1 or more and extents of 1 or more, but got 'tensor<0xf32>'}}
  %0 = tile.reshape %t : tensor<0xf32> -> tensor<0x1xf32>
  return
}

// -----

func.func @tile_element(%t: tensor<4xi7>) {
  // expected-error @below {{operand #0 must be tile of static shape, rank 1 or more and extents of 1 or more, but got 'tensor<4xi7>'}}
  %0 = tile.reshape %t : tensor<4xi7> -> tensor<4x1xi7>
  return
}

// -----

// The product of the extents does not fit 64 bits.
func.func @tile_overflow(%t: tensor<4294967296x4294967296xi8>) {
  // expected-error @below {{operand #0 must be tile of static shape}}
  %0 = tile.reshape %t : tensor<4294967296x4294967296xi8> -> tensor<1xi8>
  return
}
