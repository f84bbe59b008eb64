// SPDX-License-Identifier: Apache-2.0
// Attention, forward: o = softmax(scale * q k^T) v for each batch and head, of f16 in and out with f32 between. Views
// are [batch, head, position, 64]. A group of query heads may share one head of k and v: query head h reads head
// h / (query heads / key heads), which is multi-query attention where there is one key head. Both sequences have any
// length.
//
// From the root of a checkout:
//   build/bin/tile-run examples/attention.mlir --kernel=attention --arg 'q=f16[1x4x100x64]:rand(1)' --arg 'k=f16[1x2x130x64]:rand(2)' --arg 'v=f16[1x2x130x64]:rand(3)' --arg 'o=f16[1x4x100x64]:nan' --arg scale=f32:0.125 --save o=build/o.npy

!heads = !tile.view<?x?x?x64xf16, strides = [?, ?, ?, ?]>
!heads_t = !tile.view<?x?x64x?xf16, strides = [?, ?, ?, ?]>

!q_tile = tensor<128x64xf16>   // queries x head dimension
!k_tile = tensor<64x64xf16>    // head dimension x keys
!v_tile = tensor<64x64xf16>    // keys x head dimension
!s_tile = tensor<128x64xf32>   // scores: queries x keys
!p_tile = tensor<128x64xf16>   // the same as an operand
!o_tile = tensor<128x64xf32>   // queries x head dimension

// Every query attends to every key.
func.func @attention(%q: !heads {tile.name = "q"}, %k: !heads {tile.name = "k"}, %v: !heads {tile.name = "v"},
                     %o: !heads {tile.name = "o"}, %scale: f32 {tile.name = "scale"})
    attributes {tile.kernel, tile.grid = @attention_grid, tile.num_warps = 8 : i64} {
  %false = arith.constant false
  func.call @attend(%q, %k, %v, %o, %scale, %false) : (!heads, !heads, !heads, !heads, f32, i1) -> ()
  return
}

// Query i attends to the keys up to i. Where there are more keys than queries the ends are aligned: the last query
// attends to all keys.
func.func @attention_causal(%q: !heads {tile.name = "q"}, %k: !heads {tile.name = "k"}, %v: !heads {tile.name = "v"},
                            %o: !heads {tile.name = "o"}, %scale: f32 {tile.name = "scale"})
    attributes {tile.kernel, tile.grid = @attention_grid, tile.num_warps = 8 : i64} {
  %true = arith.constant true
  func.call @attend(%q, %k, %v, %o, %scale, %true) : (!heads, !heads, !heads, !heads, f32, i1) -> ()
  return
}

// The body of both, inlined into them. One program does 128 queries of one head. It walks over the keys in steps of 64
// and keeps, for each query, the largest score so far, the sum of exp(score - largest) and the sum of
// exp(score - largest) * v. Where a block raises the largest score, both sums are scaled down to it. Scores are kept as
// multiples of log(2), so that exp is exp2.
func.func private @attend(%q: !heads, %k: !heads, %v: !heads, %o: !heads, %scale: f32, %causal: i1) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %queries = tile.view_size %q, 2 : !heads
  %keys = tile.view_size %k, 2 : !heads
  %program = tile.program_id x
  %head = tile.program_id y
  %batch = tile.program_id z
  %i = arith.muli %program, %c128 overflow<nsw> : index
  %query_heads = tile.view_size %q, 1 : !heads
  %key_heads = tile.view_size %k, 1 : !heads
  %group = arith.divsi %query_heads, %key_heads : index
  %key_head = arith.divsi %head, %group : index
  %kt = tile.permute_view %k [0, 1, 3, 2] : !heads to !heads_t

  // Key j is seen by query i if j <= i + shift, so no query of this program sees keys from i + 128 + shift on.
  %shift = arith.subi %keys, %queries : index
  %next_i = arith.addi %i, %c128 : index
  %horizon = arith.addi %next_i, %shift : index
  %seen = arith.minsi %keys, %horizon : index
  %end = arith.select %causal, %seen, %keys : index

  %log2e = arith.constant 1.44269504 : f32
  %scale_log2 = arith.mulf %scale, %log2e : f32
  %scales = tile.splat %scale_log2 : f32 -> !s_tile
  // The lowest finite number, not -inf: where a query sees no key of a block, (-inf) - (-inf) would be NaN.
  %lowest = arith.constant dense<-3.40282347E+38> : tensor<128xf32>
  %zero = arith.constant dense<0.0> : tensor<128xf32>
  %zero_s = arith.constant dense<0.0> : !s_tile
  %zero_o = arith.constant dense<0.0> : !o_tile
  %minus_inf = arith.constant dense<0xFF800000> : !s_tile

  %x = tile.load %q[%batch, %head, %i, %c0] dims [2, 3] pad(zero) : !heads -> !q_tile
  %max, %sum, %acc = scf.for %j = %c0 to %end step %c64 iter_args(%m = %lowest, %s = %zero, %a = %zero_o)
      -> (tensor<128xf32>, tensor<128xf32>, !o_tile) {
    %y = tile.load %kt[%batch, %key_head, %c0, %j] dims [2, 3] pad(zero) : !heads_t -> !k_tile
    %products = tile.dot %x, %y, %zero_s : !q_tile, !k_tile -> !s_tile
    %scaled = arith.mulf %products, %scales : !s_tile

    // -inf for keys that do not exist or are not seen.
    %column = tile.iota : tensor<64xi32>
    %column_row = tile.reshape %column : tensor<64xi32> -> tensor<1x64xi32>
    %left = arith.subi %keys, %j : index
    %left_i = arith.index_cast %left : index to i32
    %lefts = tile.splat %left_i : i32 -> tensor<1x64xi32>
    %exists_row = arith.cmpi slt, %column_row, %lefts : tensor<1x64xi32>
    %exists = tile.broadcast %exists_row : tensor<1x64xi1> -> tensor<128x64xi1>
    %existing = arith.select %exists, %scaled, %minus_inf : tensor<128x64xi1>, !s_tile
    %scores = scf.if %causal -> (!s_tile) {
      // j + column <= i + row + shift
      %row = tile.iota : tensor<128xi32>
      %i_shift = arith.addi %i, %shift : index
      %ahead = arith.subi %i_shift, %j : index
      %ahead_i = arith.index_cast %ahead : index to i32
      %aheads = tile.splat %ahead_i : i32 -> tensor<128xi32>
      %last = arith.addi %row, %aheads : tensor<128xi32>
      %last_column = tile.reshape %last : tensor<128xi32> -> tensor<128x1xi32>
      %last_block = tile.broadcast %last_column : tensor<128x1xi32> -> tensor<128x64xi32>
      %column_block = tile.broadcast %column_row : tensor<1x64xi32> -> tensor<128x64xi32>
      %sees = arith.cmpi sle, %column_block, %last_block : tensor<128x64xi32>
      %masked = arith.select %sees, %existing, %minus_inf : tensor<128x64xi1>, !s_tile
      scf.yield %masked : !s_tile
    } else {
      scf.yield %existing : !s_tile
    }

    %block_max = tile.reduce %scores dim 1 : !s_tile -> tensor<128xf32> {
    ^bb0(%p: f32, %e: f32):
      %r = arith.maximumf %p, %e : f32
      tile.yield %r : f32
    }
    %m_new = arith.maximumf %m, %block_max : tensor<128xf32>
    %m_column = tile.reshape %m_new : tensor<128xf32> -> tensor<128x1xf32>
    %m_block = tile.broadcast %m_column : tensor<128x1xf32> -> !s_tile
    %shifted = arith.subf %scores, %m_block : !s_tile
    %p_wide = math.exp2 %shifted : !s_tile
    %block_sum = tile.reduce %p_wide dim 1 : !s_tile -> tensor<128xf32> {
    ^bb0(%p: f32, %e: f32):
      %r = arith.addf %p, %e : f32
      tile.yield %r : f32
    }

    %fall = arith.subf %m, %m_new : tensor<128xf32>
    %shrink = math.exp2 %fall : tensor<128xf32>
    %s_shrunk = arith.mulf %s, %shrink : tensor<128xf32>
    %s_new = arith.addf %s_shrunk, %block_sum : tensor<128xf32>
    %shrink_column = tile.reshape %shrink : tensor<128xf32> -> tensor<128x1xf32>
    %shrink_block = tile.broadcast %shrink_column : tensor<128x1xf32> -> !o_tile
    %a_shrunk = arith.mulf %a, %shrink_block : !o_tile
    %p_narrow = arith.truncf %p_wide : !s_tile to !p_tile
    %z = tile.load %v[%batch, %key_head, %j, %c0] dims [2, 3] pad(zero) : !heads -> !v_tile
    %a_new = tile.dot %p_narrow, %z, %a_shrunk : !p_tile, !v_tile -> !o_tile
    scf.yield %m_new, %s_new, %a_new : tensor<128xf32>, tensor<128xf32>, !o_tile
  }

  // A query that sees no key has a sum of zero and gets zeros.
  %one = arith.constant dense<1.0> : tensor<128xf32>
  %none = arith.cmpf oeq, %sum, %zero : tensor<128xf32>
  %divisor = arith.select %none, %one, %sum : tensor<128xi1>, tensor<128xf32>
  %divisor_column = tile.reshape %divisor : tensor<128xf32> -> tensor<128x1xf32>
  %divisor_block = tile.broadcast %divisor_column : tensor<128x1xf32> -> !o_tile
  %quotient = arith.divf %acc, %divisor_block : !o_tile
  %result = arith.truncf %quotient : !o_tile to !q_tile
  tile.store %result, %o[%batch, %head, %i, %c0] dims [2, 3] : !q_tile, !heads
  return
}

// One program for each 128 queries of each head of each batch.
func.func @attention_grid(%q: !heads, %k: !heads, %v: !heads, %o: !heads, %scale: f32) -> (index, index, index) {
  %c128 = arith.constant 128 : index
  %batches = tile.view_size %q, 0 : !heads
  %heads = tile.view_size %q, 1 : !heads
  %queries = tile.view_size %q, 2 : !heads
  %programs = arith.ceildivsi %queries, %c128 : index
  return %programs, %heads, %batches : index, index, index
}
