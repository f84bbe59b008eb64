// RUN: tile-opt %s -split-input-file -verify-diagnostics

#a = #tile_gpu.layout<[128], register = [[32], [64]], lane = [[1], [2], [4], [8], [16]]>
#b = #tile_gpu.layout<[128], register = [[1], [2]], lane = [[4], [8], [16], [32], [64]]>
func.func @convert_legal(%t: tensor<128xf32, #a>) {
  %0 = tile_gpu.convert_layout %t : tensor<128xf32, #a> -> tensor<128xf32, #b>
  return
}

// -----

#a = #tile_gpu.layout<[128], register = [[32], [64]], lane = [[1], [2], [4], [8], [16]]>
func.func @convert_layout_c1(%t: tensor<128xf32, #a>) {
  // expected-error @below {{expects source and result to differ in layout only}}
  %0 = tile_gpu.convert_layout %t : tensor<128xf32, #a> -> tensor<128xf16, #a>
  return
}

// -----

#a = #tile_gpu.layout<[128], register = [[32], [64]], lane = [[1], [2], [4], [8], [16]]>
func.func @convert_layout_c2(%t: tensor<128xf32, #a>) {
  // expected-error @below {{expects a tile with a #tile_gpu.layout, found 'tensor<128xf32>'}}
  %0 = tile_gpu.convert_layout %t : tensor<128xf32, #a> -> tensor<128xf32>
  return
}

// -----

#s = #tile_gpu.shared<[128], order = [0], vec = 1, per_phase = 1, max_phase = 1, pad = 0 by 0>
func.func @local_alloc_c1() {
  // expected-error @below {{expects an offset that is a multiple of 16, found 24}}
  %0 = tile_gpu.local_alloc offset 24 : !tile_gpu.memdesc<128xf32, #s>
  return
}

// -----

#a = #tile_gpu.layout<[128], register = [[32], [64]], lane = [[1], [2], [4], [8], [16]]>
#s = #tile_gpu.shared<[64], order = [0], vec = 1, per_phase = 1, max_phase = 1, pad = 0 by 0>
func.func @local_store_c1(%t: tensor<128xf32, #a>, %m: !tile_gpu.memdesc<64xf32, #s>) {
  // expected-error @below {{expects tile and buffer of one shape and element type}}
  tile_gpu.local_store %t, %m : tensor<128xf32, #a>, !tile_gpu.memdesc<64xf32, #s>
  return
}

// -----

#s = #tile_gpu.shared<[128], order = [0], vec = 1, per_phase = 1, max_phase = 1, pad = 0 by 0>
func.func @local_store_c2(%t: tensor<128xf32>, %m: !tile_gpu.memdesc<128xf32, #s>) {
  // expected-error @below {{expects a tile with a #tile_gpu.layout}}
  tile_gpu.local_store %t, %m : tensor<128xf32>, !tile_gpu.memdesc<128xf32, #s>
  return
}

// -----

#a = #tile_gpu.layout<[128], register = [[32], [64]], lane = [[1], [2], [4], [8], [16]]>
#s = #tile_gpu.shared<[128], order = [0], vec = 1, per_phase = 1, max_phase = 1, pad = 0 by 0>
func.func @local_load_c1(%m: !tile_gpu.memdesc<128xf32, #s>) {
  // expected-error @below {{expects tile and buffer of one shape and element type}}
  %0 = tile_gpu.local_load %m : !tile_gpu.memdesc<128xf32, #s> -> tensor<128xf16, #a>
  return
}

// -----

#s = #tile_gpu.shared<[128], order = [0], vec = 1, per_phase = 1, max_phase = 1, pad = 0 by 0>
func.func @local_load_c2(%m: !tile_gpu.memdesc<128xf32, #s>) {
  // expected-error @below {{expects a tile with a #tile_gpu.layout}}
  %0 = tile_gpu.local_load %m : !tile_gpu.memdesc<128xf32, #s> -> tensor<128xf32>
  return
}

// -----

#s = #tile_gpu.shared<[128], order = [0], vec = 1, per_phase = 1, max_phase = 1, pad = 0 by 0>
#t = #tile_gpu.shared<[8, 16], order = [1, 0], vec = 1, per_phase = 1, max_phase = 1, pad = 0 by 0>
func.func @memdesc_view_legal(%m: !tile_gpu.memdesc<128xf32, #s>) {
  %0 = tile_gpu.memdesc_view %m : !tile_gpu.memdesc<128xf32, #s> -> !tile_gpu.memdesc<8x16xf32, #t>
  return
}

// -----

#s = #tile_gpu.shared<[128], order = [0], vec = 1, per_phase = 1, max_phase = 1, pad = 0 by 0>
#t = #tile_gpu.shared<[8, 8], order = [1, 0], vec = 1, per_phase = 1, max_phase = 1, pad = 0 by 0>
func.func @memdesc_view_c1(%m: !tile_gpu.memdesc<128xf32, #s>) {
  // expected-error @below {{expects the same elements on both sides}}
  %0 = tile_gpu.memdesc_view %m : !tile_gpu.memdesc<128xf32, #s> -> !tile_gpu.memdesc<8x8xf32, #t>
  return
}

// -----

#s = #tile_gpu.shared<[128], order = [0], vec = 1, per_phase = 1, max_phase = 1, pad = 0 by 0>
#t = #tile_gpu.shared<[8, 16], order = [0, 1], vec = 1, per_phase = 1, max_phase = 1, pad = 0 by 0>
func.func @memdesc_view_c2(%m: !tile_gpu.memdesc<128xf32, #s>) {
  // expected-error @below {{expects plain row-major buffers}}
  %0 = tile_gpu.memdesc_view %m : !tile_gpu.memdesc<128xf32, #s> -> !tile_gpu.memdesc<8x16xf32, #t>
  return
}

// -----

// expected-error @below {{not a layout}}
func.func @layout_of_two_lanes(%t: tensor<4xf32, #tile_gpu.layout<[4], lane = [[1], [2]]>>) {
  return
}

// -----

// expected-error @below {{expected 2 numbers, found 1}}
func.func @layout_rank(%t: tensor<4x4xf32, #tile_gpu.layout<[4, 4], lane = [[1]]>>) {
  return
}

// -----

// expected-error @below {{expected the extent of dim 0 to be 1 to the allocated 64, found 128}}
func.func @memdesc_too_small(%m: !tile_gpu.memdesc<128xf32, #tile_gpu.shared<[64], order = [0], vec = 1, per_phase = 1, max_phase = 1, pad = 0 by 0>>) {
  return
}

// -----

func.func @load_global_c1(%a: i64) {
  // expected-error @below {{expects an access of a power of two up to 32 bytes, found 'vector<3xf32>'}}
  %0 = tile_gpu.load_global %a align 16 : vector<3xf32>
  return
}

// -----

func.func @load_global_c2(%a: i64) {
  // expected-error @below {{expects the alignment to be a power of two of at least 16, found 8}}
  %0 = tile_gpu.load_global %a align 8 : vector<4xf32>
  return
}

// -----

func.func @load_global_c3(%a: i64, %o: f32) {
  // expected-error @below {{expects `other` only with `pred` and of type 'f32'}}
  %0 = tile_gpu.load_global %a other %o : f32 align 4 : f32
  return
}

// -----

func.func @store_global_c1(%a: i64, %v: vector<16xf32>) {
  // expected-error @below {{expects an access of a power of two up to 32 bytes}}
  tile_gpu.store_global %v, %a align 64 : vector<16xf32>
  return
}

// -----

func.func @store_global_c2(%a: i64, %v: f32) {
  // expected-error @below {{expects the alignment to be a power of two of at least 4, found 3}}
  tile_gpu.store_global %v, %a align 3 : f32
  return
}

// -----

func.func @load_shared_c1(%o: i32) {
  // expected-error @below {{expects an access of a power of two up to 16 bytes}}
  %0 = tile_gpu.load_shared %o : vector<8xf32>
  return
}

// -----

// The bytes are more than 64 bits count.
func.func @store_shared_c1_endless(%o: i32, %v: vector<9223372036854775807xf32>) {
  // expected-error @below {{expects an access of a power of two up to 16 bytes, found 'vector<9223372036854775807xf32>'}}
  tile_gpu.store_shared %v, %o : vector<9223372036854775807xf32>
  return
}

// -----

func.func @store_shared_c1(%o: i32, %v: vector<8xf32>) {
  // expected-error @below {{expects an access of a power of two up to 16 bytes}}
  tile_gpu.store_shared %v, %o : vector<8xf32>
  return
}

// -----

func.func @barrier_c1() {
  // expected-error @below {{expects a barrier id of 0 to 15, found 16}}
  tile_gpu.barrier id 16 threads 32
  return
}

// -----

func.func @barrier_c2() {
  // expected-error @below {{expects a multiple of 32 threads up to 1024, found 33}}
  tile_gpu.barrier id 0 threads 33
  return
}

// -----

#a = #tile_gpu.layout<[16, 16], register = [[0, 1], [0, 2], [8, 0]], lane = [[0, 4], [0, 8], [1, 0], [2, 0], [4, 0]]>
#s = #tile_gpu.shared<[16, 8], order = [0, 1], vec = 1, per_phase = 1, max_phase = 1, pad = 0 by 0>
#t = #tile_gpu.shared<[4, 16], order = [1, 0], vec = 1, per_phase = 1, max_phase = 1, pad = 0 by 0>
func.func @dot_fma_c1(%l: !tile_gpu.memdesc<16x8xf16, #s>, %r: !tile_gpu.memdesc<4x16xf16, #t>, %c: tensor<16x16xf32, #a>) {
  // expected-error @below {{expects ..xMxK, ..xKxN and ..xMxN}}
  %0 = tile_gpu.dot_fma %l, %r, %c : !tile_gpu.memdesc<16x8xf16, #s>, !tile_gpu.memdesc<4x16xf16, #t> -> tensor<16x16xf32, #a>
  return
}

// -----

#s = #tile_gpu.shared<[16, 8], order = [0, 1], vec = 1, per_phase = 1, max_phase = 1, pad = 0 by 0>
#t = #tile_gpu.shared<[8, 16], order = [1, 0], vec = 1, per_phase = 1, max_phase = 1, pad = 0 by 0>
func.func @dot_fma_c2(%l: !tile_gpu.memdesc<16x8xf16, #s>, %r: !tile_gpu.memdesc<8x16xf16, #t>, %c: tensor<16x16xf32>) {
  // expected-error @below {{expects a tile with a #tile_gpu.layout}}
  %0 = tile_gpu.dot_fma %l, %r, %c : !tile_gpu.memdesc<16x8xf16, #s>, !tile_gpu.memdesc<8x16xf16, #t> -> tensor<16x16xf32>
  return
}

// -----

#s = #tile_gpu.shared<[16, 8], order = [1, 0], vec = 1, per_phase = 1, max_phase = 1, pad = 0 by 0>
func.func @block_legal(%b: !tile_gpu.memdesc<16x8xf16, #s>) {
  %0 = tile_gpu.memdesc_block %b [12, 3] : <16x8xf16, #s> -> <4x5xf16, #s>
  return
}

// -----

#s = #tile_gpu.shared<[16, 8], order = [1, 0], vec = 1, per_phase = 1, max_phase = 1, pad = 0 by 0>
func.func @memdesc_block_c1(%b: !tile_gpu.memdesc<16x8xf16, #s>) {
  // expected-error @below {{expects one origin per dim (2), found 1}}
  %0 = tile_gpu.memdesc_block %b [0] : <16x8xf16, #s> -> <4x2xf16, #s>
  return
}

// -----

#s = #tile_gpu.shared<[16, 8], order = [1, 0], vec = 1, per_phase = 1, max_phase = 1, pad = 0 by 0>
func.func @memdesc_block_c2(%b: !tile_gpu.memdesc<16x8xf16, #s>) {
  // expected-error @below {{expects a block inside the source}}
  %0 = tile_gpu.memdesc_block %b [13, 3] : <16x8xf16, #s> -> <4x5xf16, #s>
  return
}

// -----

#s = #tile_gpu.shared<[16, 8], order = [0, 1], vec = 1, per_phase = 1, max_phase = 1, pad = 0 by 0>
func.func @memdesc_block_c3(%b: !tile_gpu.memdesc<16x8xf16, #s>) {
  // expected-error @below {{expects a plain row-major buffer}}
  %0 = tile_gpu.memdesc_block %b [0, 0] : <16x8xf16, #s> -> <4x2xf16, #s>
  return
}

// -----

#a = #tile_gpu.layout<[128], register = [[32], [64]], lane = [[1], [2], [4], [8], [16]]>
#o = #tile_gpu.layout<[1], register = [], lane = [[0], [0], [0], [0], [0]]>
func.func @scan_legal(%t: tensor<128xf32, #a>) {
  %0:2 = tile_gpu.partial_scan %t dim 0 reverse identity [0.0 : f32] : tensor<128xf32, #a> -> tensor<128xf32, #a>, tensor<1xf32, #o> {
  ^bb0(%p: f32, %e: f32):
    tile_gpu.yield %p : f32
  }
  %1 = tile_gpu.add_prefix %0#0, %0#1 dim 0 : tensor<128xf32, #a>, tensor<1xf32, #o> -> tensor<128xf32, #a> {
  ^bb0(%p: f32, %e: f32):
    tile_gpu.yield %p : f32
  }
  return
}

// -----

#a = #tile_gpu.layout<[128], register = [[32], [64]], lane = [[1], [2], [4], [8], [16]]>
func.func @scan_totals(%t: tensor<128xf32, #a>) {
  // expected-error @below {{expects two results for each source, at least one, found 1 and 1}}
  %0 = tile_gpu.partial_scan %t dim 0 : tensor<128xf32, #a> -> tensor<128xf32, #a> {
  ^bb0(%p: f32, %e: f32):
    tile_gpu.yield %p : f32
  }
  return
}

// -----

#a = #tile_gpu.layout<[128], register = [[32], [64]], lane = [[1], [2], [4], [8], [16]]>
#b = #tile_gpu.layout<[128], register = [[1], [2]], lane = [[4], [8], [16], [32], [64]]>
#o = #tile_gpu.layout<[1], register = [], lane = [[0], [0], [0], [0], [0]]>
func.func @scan_layout(%t: tensor<128xf32, #a>) {
  // expected-error @below {{expects result 0 to be of its source's type}}
  %0:2 = tile_gpu.partial_scan %t dim 0 : tensor<128xf32, #a> -> tensor<128xf32, #b>, tensor<1xf32, #o> {
  ^bb0(%p: f32, %e: f32):
    tile_gpu.yield %p : f32
  }
  return
}

// -----

#a = #tile_gpu.layout<[128], register = [[32], [64]], lane = [[1], [2], [4], [8], [16]]>
func.func @prefix_totals(%t: tensor<128xf32, #a>) {
  // expected-error @below {{expects two sources for each result, at least one, found 1 and 1}}
  %0 = tile_gpu.add_prefix %t dim 0 : tensor<128xf32, #a> -> tensor<128xf32, #a> {
  ^bb0(%p: f32, %e: f32):
    tile_gpu.yield %p : f32
  }
  return
}

// -----

#a = #tile_gpu.layout<[16, 16], register = [[0, 1], [0, 2], [8, 0]], lane = [[0, 4], [0, 8], [1, 0], [2, 0], [4, 0]]>
#s = #tile_gpu.shared<[4, 2], order = [1, 0], vec = 1, per_phase = 1, max_phase = 1, pad = 0 by 0>
func.func @local_store_block_legal(%t: tensor<16x16xf16, #a>, %b: !tile_gpu.memdesc<4x2xf16, #s>, %i: index) {
  tile_gpu.local_store_block %t[%i, %i], %b : tensor<16x16xf16, #a>, <4x2xf16, #s>
  return
}

// -----

#a = #tile_gpu.layout<[16, 16], register = [[0, 1], [0, 2], [8, 0]], lane = [[0, 4], [0, 8], [1, 0], [2, 0], [4, 0]]>
#s = #tile_gpu.shared<[4, 2], order = [1, 0], vec = 1, per_phase = 1, max_phase = 1, pad = 0 by 0>
func.func @local_store_block_c1(%t: tensor<16x16xf16, #a>, %b: !tile_gpu.memdesc<4x2xf16, #s>, %i: index) {
  // expected-error @below {{expects one origin per dim (2), found 1}}
  tile_gpu.local_store_block %t[%i], %b : tensor<16x16xf16, #a>, <4x2xf16, #s>
  return
}

// -----

#a = #tile_gpu.layout<[16, 16], register = [[0, 1], [0, 2], [8, 0]], lane = [[0, 4], [0, 8], [1, 0], [2, 0], [4, 0]]>
#s = #tile_gpu.shared<[4, 32], order = [1, 0], vec = 1, per_phase = 1, max_phase = 1, pad = 0 by 0>
func.func @local_store_block_c2(%t: tensor<16x16xf16, #a>, %b: !tile_gpu.memdesc<4x32xf16, #s>, %i: index) {
  // expected-error @below {{expects a buffer for a block of the tile}}
  tile_gpu.local_store_block %t[%i, %i], %b : tensor<16x16xf16, #a>, <4x32xf16, #s>
  return
}

// -----

#a = #tile_gpu.layout<[16, 16], register = [[0, 1], [0, 2], [8, 0]], lane = [[0, 4], [0, 8], [1, 0], [2, 0], [4, 0]]>
#s = #tile_gpu.shared<[4, 2], order = [1, 0], vec = 1, per_phase = 1, max_phase = 1, pad = 0 by 0>
func.func @local_store_block_c3(%t: tensor<16x16xf16>, %b: !tile_gpu.memdesc<4x2xf16, #s>, %i: index) {
  // expected-error @below {{expects a tile with a #tile_gpu.layout}}
  tile_gpu.local_store_block %t[%i, %i], %b : tensor<16x16xf16>, <4x2xf16, #s>
  return
}

// -----

#a = #tile_gpu.layout<[16, 16], register = [[0, 1], [0, 2], [8, 0]], lane = [[0, 4], [0, 8], [1, 0], [2, 0], [4, 0]]>
#s = #tile_gpu.shared<[4, 2], order = [1, 0], vec = 1, per_phase = 1, max_phase = 1, pad = 0 by 0>
func.func @local_load_block_legal(%t: tensor<16x16xf16, #a>, %b: !tile_gpu.memdesc<4x2xf16, #s>, %i: index) {
  %0 = tile_gpu.local_load_block %b, %t[%i, %i] : <4x2xf16, #s>, tensor<16x16xf16, #a>
  return
}

// -----

#a = #tile_gpu.layout<[16, 16], register = [[0, 1], [0, 2], [8, 0]], lane = [[0, 4], [0, 8], [1, 0], [2, 0], [4, 0]]>
#s = #tile_gpu.shared<[4, 2], order = [1, 0], vec = 1, per_phase = 1, max_phase = 1, pad = 0 by 0>
func.func @local_load_block_c1(%t: tensor<16x16xf16, #a>, %b: !tile_gpu.memdesc<4x2xf16, #s>, %i: index) {
  // expected-error @below {{expects one origin per dim (2), found 1}}
  %0 = tile_gpu.local_load_block %b, %t[%i] : <4x2xf16, #s>, tensor<16x16xf16, #a>
  return
}

// -----

#a = #tile_gpu.layout<[16, 16], register = [[0, 1], [0, 2], [8, 0]], lane = [[0, 4], [0, 8], [1, 0], [2, 0], [4, 0]]>
#s = #tile_gpu.shared<[4, 32], order = [1, 0], vec = 1, per_phase = 1, max_phase = 1, pad = 0 by 0>
func.func @local_load_block_c2(%t: tensor<16x16xf16, #a>, %b: !tile_gpu.memdesc<4x32xf16, #s>, %i: index) {
  // expected-error @below {{expects a buffer for a block of the tile}}
  %0 = tile_gpu.local_load_block %b, %t[%i, %i] : <4x32xf16, #s>, tensor<16x16xf16, #a>
  return
}

// -----

#a = #tile_gpu.layout<[16, 16], register = [[0, 1], [0, 2], [8, 0]], lane = [[0, 4], [0, 8], [1, 0], [2, 0], [4, 0]]>
#s = #tile_gpu.shared<[4, 2], order = [1, 0], vec = 1, per_phase = 1, max_phase = 1, pad = 0 by 0>
func.func @local_load_block_c3(%t: tensor<16x16xf16>, %b: !tile_gpu.memdesc<4x2xf16, #s>, %i: index) {
  // expected-error @below {{expects a tile with a #tile_gpu.layout}}
  %0 = tile_gpu.local_load_block %b, %t[%i, %i] : <4x2xf16, #s>, tensor<16x16xf16>
  return
}
