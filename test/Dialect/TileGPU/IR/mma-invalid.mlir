// Constraints of products on mma.sync and of the matrix loads that feed them.
// RUN: tile-opt %s -split-input-file -verify-diagnostics

#a = #tile_gpu.layout<[16, 8], register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
#l = #tile_gpu.layout<[16, 16], register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
#r = #tile_gpu.layout<[16, 8], register = [[1, 0], [8, 0]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]]>
func.func @dot_mma_c1(%l: tensor<16x16xf16, #l>, %r: tensor<16x16xf16, #l>, %c: tensor<16x8xf32, #a>) {
  // expected-error @below {{expects ..xMxK, ..xKxN and ..xMxN}}
  %0 = tile_gpu.dot_mma %l, %r, %c : tensor<16x16xf16, #l>, tensor<16x16xf16, #l> -> tensor<16x8xf32, #a>
  return
}

// -----

#a = #tile_gpu.layout<[16, 8], register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
#l = #tile_gpu.layout<[16, 16], register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
#r = #tile_gpu.layout<[16, 8], register = [[1, 0], [8, 0]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]]>
func.func @dot_mma_c2(%l: tensor<16x16xf16, #l>, %r: tensor<16x8xbf16, #r>, %c: tensor<16x8xf32, #a>) {
  // expected-error @below {{has no instruction for 'f16' times 'bf16' with sums in 'f32'}}
  %0 = tile_gpu.dot_mma %l, %r, %c : tensor<16x16xf16, #l>, tensor<16x8xbf16, #r> -> tensor<16x8xf32, #a>
  return
}

// -----

#a = #tile_gpu.layout<[16, 8], register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
#l = #tile_gpu.layout<[16, 16], register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
#r = #tile_gpu.layout<[16, 8], register = [[1, 0], [8, 0]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]]>
func.func @dot_mma_c3(%l: tensor<16x16xf16, #l>, %r: tensor<16x8xf16, #a>, %c: tensor<16x8xf32, #a>) {
  // expected-error @below {{expects the rhs in the layout that belongs to the accumulator's}}
  %0 = tile_gpu.dot_mma %l, %r, %c : tensor<16x16xf16, #l>, tensor<16x8xf16, #a> -> tensor<16x8xf32, #a>
  return
}

// -----

func.func @load_matrix_c1(%offset: i32) {
  // expected-error @below {{expects a result of 1, 2 or 4 words}}
  %0 = tile_gpu.load_matrix %offset : vector<3xi32>
  return
}

// -----

func.func @mma_c1(%l: vector<4xi32>, %r: vector<2xi32>, %c: vector<4xi32>) {
  // expected-error @below {{has no instruction for 'f16' times 'f16' with sums in 'i32'}}
  %0 = tile_gpu.mma %l, %r, %c types f16, f16 : vector<4xi32>
  return
}

// -----

func.func @mma_c2(%l: vector<4xi32>, %r: vector<2xi32>, %c: vector<4xf32>) {
  // expected-error @below {{expects sign flags on integers only}}
  %0 = tile_gpu.mma %l, %r, %c types f16, f16 lhs_unsigned : vector<4xf32>
  return
}
