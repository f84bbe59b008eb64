// SPDX-License-Identifier: Apache-2.0
// Linear attention by the gated delta rule, forward, in chunks of 64 positions. Each head keeps a 64x64 state S, which
// maps keys to values. With gate g (the log of the decay, at most 0) and step size beta, position t does
//
//   S = exp(g_t) * S
//   S = S + k_t (beta_t * (v_t - k_t^T S))^T        the value found under k_t moves towards v_t
//   o_t = scale * q_t^T S
//
// A chunk does 64 such steps by products of matrices. Let G be the running sum of g within the chunk and
// D[i, j] = exp(G_i - G_j) for i >= j, else 0. What the positions write, U, solves a triangular system:
//
//   T = (I + A)^-1,  A[i, j] = beta_i * (k_i . k_j) * D[i, j] for i > j, else 0
//   U = T (beta * V) - T (beta * exp(G) * K) S
//   O = scale * ((exp(G) * Q) S + (Q K^T * D) U)
//   S = exp(G_63) * S + (exp(G_63 - G) * K)^T U
//
// where a column of numbers times a matrix scales its rows. f16 in and out, S and sums in f32. Views are
// [batch, head, position, 64], gates and steps [batch, head, position], states [batch, head, key, value]. Sequences
// have any length. `last` may be `first`.
//
// From the root of a checkout:
//   build/bin/tile-run examples/gated_delta_rule.mlir --arg 'q=f16[1x2x100x64]:rand(1)' --arg 'k=f16[1x2x100x64]:rand(2)' --arg 'v=f16[1x2x100x64]:rand(3)' --arg 'g=f32[1x2x100]:zeros' --arg 'beta=f32[1x2x100]:zeros' --arg 'first=f32[1x2x64x64]:zeros' --arg 'o=f16[1x2x100x64]:nan' --arg 'last=f32[1x2x64x64]:nan' --arg scale=f32:0.125 --save o=build/o.npy

!heads = !tile.view<?x?x?x64xf16, strides = [?, ?, ?, ?]>
!heads_t = !tile.view<?x?x64x?xf16, strides = [?, ?, ?, ?]>
!steps = !tile.view<?x?x?xf32, strides = [?, ?, ?]>
!states = !tile.view<?x?x64x64xf32, strides = [?, ?, ?, ?]>

// One program walks along the positions of one head of one batch, and keeps 32 columns of its state: columns do not depend on
// each other, and the whole state with all that is computed from it would fill the registers.
func.func @gated_delta_rule(%q: !heads {tile.name = "q"}, %k: !heads {tile.name = "k"}, %v: !heads {tile.name = "v"},
                            %g: !steps {tile.name = "g"}, %beta: !steps {tile.name = "beta"},
                            %first: !states {tile.name = "first"}, %o: !heads {tile.name = "o"},
                            %last: !states {tile.name = "last"}, %scale: f32 {tile.name = "scale"})
    attributes {tile.kernel, tile.grid = @gated_delta_rule_grid, tile.num_warps = 8 : i64} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %positions = tile.view_size %q, 2 : !heads
  %head = tile.program_id x
  %batch = tile.program_id y
  %half = tile.program_id z
  %c32 = arith.constant 32 : index
  %column_0 = arith.muli %half, %c32 overflow<nsw> : index
  %kt = tile.permute_view %k [0, 1, 3, 2] : !heads to !heads_t
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %zero_half = arith.constant dense<0.0> : tensor<64x32xf32>
  %minus_inf = arith.constant dense<0xFF800000> : tensor<64x64xf32>
  %scales = tile.splat %scale : f32 -> tensor<64x32xf32>

  %iota = tile.iota : tensor<64xi32>
  %iota_column = tile.reshape %iota : tensor<64xi32> -> tensor<64x1xi32>
  %iota_row = tile.reshape %iota : tensor<64xi32> -> tensor<1x64xi32>
  %row = tile.broadcast %iota_column : tensor<64x1xi32> -> tensor<64x64xi32>
  %column = tile.broadcast %iota_row : tensor<1x64xi32> -> tensor<64x64xi32>
  %is_below = arith.cmpi slt, %column, %row : tensor<64x64xi32>
  %is_seen = arith.cmpi sle, %column, %row : tensor<64x64xi32>

  %s_first = tile.load %first[%batch, %head, %c0, %column_0] dims [2, 3] pad(zero) : !states -> tensor<64x32xf32>
  %s_last = scf.for %i = %c0 to %positions step %c64 iter_args(%s = %s_first) -> (tensor<64x32xf32>) {
    // Positions past the end read a gate of 0, which is no decay, and a step of 0, which writes nothing.
    %gates = tile.load %g[%batch, %head, %i] dims [2] pad(zero) : !steps -> tensor<64xf32>
    %sizes = tile.load %beta[%batch, %head, %i] dims [2] pad(zero) : !steps -> tensor<64xf32>
    %ks = tile.load %k[%batch, %head, %i, %c0] dims [2, 3] pad(zero) : !heads -> tensor<64x64xf16>
    %kts = tile.load %kt[%batch, %head, %c0, %i] dims [2, 3] pad(zero) : !heads_t -> tensor<64x64xf16>

    %sum = tile.scan %gates dim 0 : tensor<64xf32> -> tensor<64xf32> {
    ^bb0(%a: f32, %e: f32):
      %r = arith.addf %a, %e : f32
      tile.yield %r : f32
    }
    %total = tile.reduce %gates dim 0 : tensor<64xf32> -> f32 {
    ^bb0(%a: f32, %e: f32):
      %r = arith.addf %a, %e : f32
      tile.yield %r : f32
    }
    %sum_column = tile.reshape %sum : tensor<64xf32> -> tensor<64x1xf32>
    %sum_row = tile.reshape %sum : tensor<64xf32> -> tensor<1x64xf32>
    %sum_i = tile.broadcast %sum_column : tensor<64x1xf32> -> tensor<64x64xf32>
    %sum_j = tile.broadcast %sum_row : tensor<1x64xf32> -> tensor<64x64xf32>
    %distance = arith.subf %sum_i, %sum_j : tensor<64x64xf32>
    %seen = arith.select %is_seen, %distance, %minus_inf : tensor<64x64xi1>, tensor<64x64xf32>
    %decay = math.exp %seen : tensor<64x64xf32>
    %since_start_column = math.exp %sum_column : tensor<64x1xf32>
    %since_start = tile.broadcast %since_start_column : tensor<64x1xf32> -> tensor<64x64xf32>
    %size_column = tile.reshape %sizes : tensor<64xf32> -> tensor<64x1xf32>
    %size = tile.broadcast %size_column : tensor<64x1xf32> -> tensor<64x64xf32>

    // T
    %kk = tile.dot %ks, %kts, %zero : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
    %kk_decayed = arith.mulf %kk, %decay : tensor<64x64xf32>
    %kk_sized = arith.mulf %kk_decayed, %size : tensor<64x64xf32>
    %below = arith.select %is_below, %kk_sized, %zero : tensor<64x64xi1>, tensor<64x64xf32>
    %inverse = func.call @invert_64(%below) : (tensor<64x64xf32>) -> tensor<64x64xf32>
    %t = arith.truncf %inverse : tensor<64x64xf32> to tensor<64x64xf16>

    // U
    %ks_wide = arith.extf %ks : tensor<64x64xf16> to tensor<64x64xf32>
    %ks_decayed = arith.mulf %ks_wide, %since_start : tensor<64x64xf32>
    %ks_sized = arith.mulf %ks_decayed, %size : tensor<64x64xf32>
    %ks_narrow = arith.truncf %ks_sized : tensor<64x64xf32> to tensor<64x64xf16>
    %w = tile.dot %t, %ks_narrow, %zero : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
    %w_minus = arith.negf %w : tensor<64x64xf32>
    %w_narrow = arith.truncf %w_minus : tensor<64x64xf32> to tensor<64x64xf16>
    %vs = tile.load %v[%batch, %head, %i, %column_0] dims [2, 3] pad(zero) : !heads -> tensor<64x32xf16>
    %vs_wide = arith.extf %vs : tensor<64x32xf16> to tensor<64x32xf32>
    %size_half = tile.broadcast %size_column : tensor<64x1xf32> -> tensor<64x32xf32>
    %vs_sized = arith.mulf %vs_wide, %size_half : tensor<64x32xf32>
    %vs_narrow = arith.truncf %vs_sized : tensor<64x32xf32> to tensor<64x32xf16>
    %towards = tile.dot %t, %vs_narrow, %zero_half : tensor<64x64xf16>, tensor<64x32xf16> -> tensor<64x32xf32>
    %s_narrow = arith.truncf %s : tensor<64x32xf32> to tensor<64x32xf16>
    %u_wide = tile.dot %w_narrow, %s_narrow, %towards : tensor<64x64xf16>, tensor<64x32xf16> -> tensor<64x32xf32>
    %u = arith.truncf %u_wide : tensor<64x32xf32> to tensor<64x32xf16>

    // O
    %qs = tile.load %q[%batch, %head, %i, %c0] dims [2, 3] pad(zero) : !heads -> tensor<64x64xf16>
    %qs_wide = arith.extf %qs : tensor<64x64xf16> to tensor<64x64xf32>
    %qs_decayed = arith.mulf %qs_wide, %since_start : tensor<64x64xf32>
    %qs_narrow = arith.truncf %qs_decayed : tensor<64x64xf32> to tensor<64x64xf16>
    %from_state = tile.dot %qs_narrow, %s_narrow, %zero_half : tensor<64x64xf16>, tensor<64x32xf16> -> tensor<64x32xf32>
    %qk = tile.dot %qs, %kts, %zero : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
    %qk_decayed = arith.mulf %qk, %decay : tensor<64x64xf32>
    %qk_narrow = arith.truncf %qk_decayed : tensor<64x64xf32> to tensor<64x64xf16>
    %from_both = tile.dot %qk_narrow, %u, %from_state : tensor<64x64xf16>, tensor<64x32xf16> -> tensor<64x32xf32>
    %scaled = arith.mulf %from_both, %scales : tensor<64x32xf32>
    %result = arith.truncf %scaled : tensor<64x32xf32> to tensor<64x32xf16>
    tile.store %result, %o[%batch, %head, %i, %column_0] dims [2, 3] : tensor<64x32xf16>, !heads

    // S
    %totals = tile.splat %total : f32 -> tensor<1x64xf32>
    %until_end_row = arith.subf %totals, %sum_row : tensor<1x64xf32>
    %left_row = math.exp %until_end_row : tensor<1x64xf32>
    %left = tile.broadcast %left_row : tensor<1x64xf32> -> tensor<64x64xf32>
    %kts_wide = arith.extf %kts : tensor<64x64xf16> to tensor<64x64xf32>
    %kts_decayed = arith.mulf %kts_wide, %left : tensor<64x64xf32>
    %kts_narrow = arith.truncf %kts_decayed : tensor<64x64xf32> to tensor<64x64xf16>
    %total_decay = math.exp %total : f32
    %total_decays = tile.splat %total_decay : f32 -> tensor<64x32xf32>
    %s_decayed = arith.mulf %s, %total_decays : tensor<64x32xf32>
    %s_next = tile.dot %kts_narrow, %u, %s_decayed : tensor<64x64xf16>, tensor<64x32xf16> -> tensor<64x32xf32>
    scf.yield %s_next : tensor<64x32xf32>
  }
  tile.store %s_last, %last[%batch, %head, %c0, %column_0] dims [2, 3] : tensor<64x32xf32>, !states
  return
}

// Two programs for each head of each batch.
func.func @gated_delta_rule_grid(%q: !heads, %k: !heads, %v: !heads, %g: !steps, %beta: !steps, %first: !states,
                                 %o: !heads, %last: !states, %scale: f32) -> (index, index, index) {
  %batches = tile.view_size %q, 0 : !heads
  %heads = tile.view_size %q, 1 : !heads
  %halves = arith.constant 2 : index
  return %heads, %batches, %halves : index, index, index
}

// Functions without tile.kernel are parts of kernels: calls of them are inlined. The inverse is that of
// triangular_inverse.mlir.

// Inverts four lower triangular blocks with ones on the diagonal, given what is below the diagonal (zeros elsewhere).
// Row i of T = A^-1 follows from the rows above it: T[i, :] = e_i - sum over j < i of A[i, j] * T[j, :].
func.func private @invert_16(%below: tensor<4x16x16xf32>) -> tensor<4x16x16xf32> {
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant dense<0.0> : tensor<4x16x16xf32>
  %one = arith.constant dense<1.0> : tensor<4x16x16xf32>
  %iota = tile.iota : tensor<16xi32>
  %iota_column = tile.reshape %iota : tensor<16xi32> -> tensor<1x16x1xi32>
  %iota_row = tile.reshape %iota : tensor<16xi32> -> tensor<1x1x16xi32>
  %row = tile.broadcast %iota_column : tensor<1x16x1xi32> -> tensor<4x16x16xi32>
  %column = tile.broadcast %iota_row : tensor<1x1x16xi32> -> tensor<4x16x16xi32>
  %diagonal = arith.cmpi eq, %row, %column : tensor<4x16x16xi32>
  %identity = arith.select %diagonal, %one, %zero : tensor<4x16x16xi1>, tensor<4x16x16xf32>

  %inverse = scf.for %i = %c1 to %c16 step %c1 iter_args(%t = %identity) -> (tensor<4x16x16xf32>) {
    %i32 = arith.index_cast %i : index to i32
    %is = tile.splat %i32 : i32 -> tensor<4x16x16xi32>
    %in_row = arith.cmpi eq, %row, %is : tensor<4x16x16xi32>
    %only_row = arith.select %in_row, %below, %zero : tensor<4x16x16xi1>, tensor<4x16x16xf32>
    %factors = tile.reduce %only_row dim 1 : tensor<4x16x16xf32> -> tensor<4x16xf32> {
    ^bb0(%a: f32, %e: f32):
      %r = arith.addf %a, %e : f32
      tile.yield %r : f32
    }
    %factor_column = tile.reshape %factors : tensor<4x16xf32> -> tensor<4x16x1xf32>
    %factor_block = tile.broadcast %factor_column : tensor<4x16x1xf32> -> tensor<4x16x16xf32>
    %products = arith.mulf %factor_block, %t : tensor<4x16x16xf32>
    %sums = tile.reduce %products dim 1 : tensor<4x16x16xf32> -> tensor<4x16xf32> {
    ^bb0(%a: f32, %e: f32):
      %r = arith.addf %a, %e : f32
      tile.yield %r : f32
    }
    %sum_row = tile.reshape %sums : tensor<4x16xf32> -> tensor<4x1x16xf32>
    %sum_block = tile.broadcast %sum_row : tensor<4x1x16xf32> -> tensor<4x16x16xf32>
    %less = arith.subf %t, %sum_block : tensor<4x16x16xf32>
    %next = arith.select %in_row, %less, %t : tensor<4x16x16xi1>, tensor<4x16x16xf32>
    scf.yield %next : tensor<4x16x16xf32>
  }
  return %inverse : tensor<4x16x16xf32>
}

// Inverts a 64x64 block of that kind: the four blocks on its diagonal by rows, then 16 -> 32 -> 64 by products.
func.func private @invert_64(%below: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %d0 = tile.extract %below[%c0, %c0] : tensor<64x64xf32> -> tensor<16x16xf32>
  %d1 = tile.extract %below[%c1, %c1] : tensor<64x64xf32> -> tensor<16x16xf32>
  %d2 = tile.extract %below[%c2, %c2] : tensor<64x64xf32> -> tensor<16x16xf32>
  %d3 = tile.extract %below[%c3, %c3] : tensor<64x64xf32> -> tensor<16x16xf32>
  %b0 = tile.reshape %d0 : tensor<16x16xf32> -> tensor<1x16x16xf32>
  %b1 = tile.reshape %d1 : tensor<16x16xf32> -> tensor<1x16x16xf32>
  %b2 = tile.reshape %d2 : tensor<16x16xf32> -> tensor<1x16x16xf32>
  %b3 = tile.reshape %d3 : tensor<16x16xf32> -> tensor<1x16x16xf32>
  %blocks = tile.concat %b0, %b1, %b2, %b3 dim 0
      : tensor<1x16x16xf32>, tensor<1x16x16xf32>, tensor<1x16x16xf32>, tensor<1x16x16xf32> -> tensor<4x16x16xf32>
  %inverses = func.call @invert_16(%blocks) : (tensor<4x16x16xf32>) -> tensor<4x16x16xf32>
  %i0 = tile.extract %inverses[%c0, %c0, %c0] : tensor<4x16x16xf32> -> tensor<1x16x16xf32>
  %i1 = tile.extract %inverses[%c1, %c0, %c0] : tensor<4x16x16xf32> -> tensor<1x16x16xf32>
  %i2 = tile.extract %inverses[%c2, %c0, %c0] : tensor<4x16x16xf32> -> tensor<1x16x16xf32>
  %i3 = tile.extract %inverses[%c3, %c0, %c0] : tensor<4x16x16xf32> -> tensor<1x16x16xf32>
  %t0 = tile.reshape %i0 : tensor<1x16x16xf32> -> tensor<16x16xf32>
  %t1 = tile.reshape %i1 : tensor<1x16x16xf32> -> tensor<16x16xf32>
  %t2 = tile.reshape %i2 : tensor<1x16x16xf32> -> tensor<16x16xf32>
  %t3 = tile.reshape %i3 : tensor<1x16x16xf32> -> tensor<16x16xf32>

  %a10 = tile.extract %below[%c1, %c0] : tensor<64x64xf32> -> tensor<16x16xf32>
  %a32 = tile.extract %below[%c3, %c2] : tensor<64x64xf32> -> tensor<16x16xf32>
  %upper = func.call @join_16(%t0, %a10, %t1)
      : (tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<32x32xf32>
  %lower = func.call @join_16(%t2, %a32, %t3)
      : (tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<32x32xf32>
  %corner = tile.extract %below[%c1, %c0] : tensor<64x64xf32> -> tensor<32x32xf32>
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %right = tile.dot %corner, %upper, %zero : tensor<32x32xf32>, tensor<32x32xf32> -> tensor<32x32xf32>
  %both = tile.dot %lower, %right, %zero : tensor<32x32xf32>, tensor<32x32xf32> -> tensor<32x32xf32>
  %filled = arith.negf %both : tensor<32x32xf32>
  %top = tile.concat %upper, %zero dim 1 : tensor<32x32xf32>, tensor<32x32xf32> -> tensor<32x64xf32>
  %bottom = tile.concat %filled, %lower dim 1 : tensor<32x32xf32>, tensor<32x32xf32> -> tensor<32x64xf32>
  %inverse = tile.concat %top, %bottom dim 0 : tensor<32x64xf32>, tensor<32x64xf32> -> tensor<64x64xf32>
  return %inverse : tensor<64x64xf32>
}

// The inverse of [[A0, 0], [A10, A1]], given A0^-1, A10, A1^-1: [[A0^-1, 0], [-A1^-1 A10 A0^-1, A1^-1]].
func.func private @join_16(%t0: tensor<16x16xf32>, %a10: tensor<16x16xf32>, %t1: tensor<16x16xf32>)
    -> tensor<32x32xf32> {
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %right = tile.dot %a10, %t0, %zero : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
  %both = tile.dot %t1, %right, %zero : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
  %filled = arith.negf %both : tensor<16x16xf32>
  %top = tile.concat %t0, %zero dim 1 : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x32xf32>
  %bottom = tile.concat %filled, %t1 dim 1 : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x32xf32>
  %inverse = tile.concat %top, %bottom dim 0 : tensor<16x32xf32>, tensor<16x32xf32> -> tensor<32x32xf32>
  return %inverse : tensor<32x32xf32>
}
