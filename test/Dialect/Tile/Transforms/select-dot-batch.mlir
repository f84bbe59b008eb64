// SPDX-License-Identifier: Apache-2.0
// Independent products of one shape as one product of several matrices, where that costs less.
// RUN: tile-opt %s --tile-select-dot=target=sm_80 | FileCheck %s
// RUN: tile-opt %s --tile-select-dot=target=sm_80 --remarks-filter=tile-select-dot --remark-policy=all -o /dev/null 2>&1 | grep MergeDots | FileCheck %s --check-prefix=REMARK --implicit-check-not=MergeDots
// RUN: tile-opt %s --tile-select-dot=target=sm_90a --remarks-filter=tile-select-dot --remark-policy=all -o /dev/null 2>&1 | FileCheck %s --check-prefix=WGMMA
// RUN: tile-opt %s --tile-select-dot=target=sm_100a --remarks-filter=tile-select-dot --remark-policy=all -o /dev/null 2>&1 | FileCheck %s --check-prefix=TCGEN05

!single = !tile.view<?x?xf32, strides = [?, 1]>
!half = !tile.view<?x?xf16, strides = [?, 1]>
!s = tensor<16x16xf32>

// Two steps of two products, written one chain after the other: sums of the first step stay stacked.
// CHECK-LABEL: func.func @two_steps
// CHECK:         %[[A:.*]] = tile.concat %{{.*}}, %{{.*}} dim 0 : tensor<1x16x16xf32>, tensor<1x16x16xf32> -> tensor<2x16x16xf32>
// CHECK:         %[[B:.*]] = tile.concat
// CHECK:         %[[FIRST:.*]] = tile.dot %[[A]], %[[B]], %{{.*}} -> tensor<2x16x16xf32>
// CHECK-NOT:     tile.extract
// CHECK:         %[[C:.*]] = tile.concat
// CHECK:         %[[SECOND:.*]] = tile.dot %[[C]], %[[FIRST]], %{{.*}} -> tensor<2x16x16xf32>
// CHECK:         %[[X:.*]] = tile.extract %[[SECOND]][%c0{{.*}}, %c0{{.*}}, %c0{{.*}}] : tensor<2x16x16xf32> -> tensor<1x16x16xf32>
// CHECK:         %[[E0:.*]] = tile.reshape %[[X]]
// CHECK:         tile.extract %[[SECOND]][%c1{{.*}}, %c0{{.*}}, %c0{{.*}}]
// CHECK:         %[[E1:.*]] = tile.reshape
// CHECK-NOT:     tile.dot
// CHECK:         %[[N0:.*]] = arith.negf %[[E0]]
// CHECK:         tile.store %[[N0]]
// CHECK:         tile.store %[[E1]]
// REMARK:        [Passed] MergeDots | {{.*}} Function=two_steps | Remark="2 independent products of 16x16x16 in each of 2 steps become one of several matrices: 1016 clocks of an SM, 1184 apart"
func.func @two_steps(%in: !single, %out: !single) attributes {tile.kernel, tile.num_warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %zero = arith.constant dense<0.0> : !s
  %a0 = tile.load %in[%c0, %c0] : !single -> !s
  %b0 = tile.load %in[%c0, %c16] : !single -> !s
  %c0_ = tile.load %in[%c0, %c32] : !single -> !s
  %d0 = tile.dot %a0, %b0, %zero : !s, !s -> !s
  %e0 = tile.dot %c0_, %d0, %zero : !s, !s -> !s
  %n0 = arith.negf %e0 : !s
  %a1 = tile.load %in[%c16, %c0] : !single -> !s
  %b1 = tile.load %in[%c16, %c16] : !single -> !s
  %c1_ = tile.load %in[%c16, %c32] : !single -> !s
  %d1 = tile.dot %a1, %b1, %zero : !s, !s -> !s
  %e1 = tile.dot %c1_, %d1, %zero : !s, !s -> !s
  tile.store %n0, %out[%c0, %c0] : !s, !single
  tile.store %e1, %out[%c16, %c0] : !s, !single
  return
}

// Four products at once are worth cutting their sums apart. Matrices of a product of matrices are as good.
// CHECK-LABEL: func.func @four
// CHECK:         tile.dot {{.*}} : tensor<8x16x16xf16>, tensor<8x16x16xf16> -> tensor<8x16x16xf32>
// CHECK-COUNT-4: tile.extract {{.*}} : tensor<8x16x16xf32> -> tensor<2x16x16xf32>
// CHECK-NOT:     tile.dot
// REMARK:        [Passed] MergeDots | {{.*}} Function=four | Remark="4 independent products of 2x16x16x16 become one of several matrices
func.func @four(%in: !tile.view<?x?x?xf16, strides = [?, ?, 1]>, %out: !tile.view<?x?x?xf32, strides = [?, ?, 1]>)
    attributes {tile.kernel, tile.num_warps = 8 : i64} {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c6 = arith.constant 6 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant dense<0.0> : tensor<2x16x16xf32>
  %a0 = tile.load %in[%c0, %c0, %c0] : !tile.view<?x?x?xf16, strides = [?, ?, 1]> -> tensor<2x16x16xf16>
  %b0 = tile.load %in[%c0, %c0, %c16] : !tile.view<?x?x?xf16, strides = [?, ?, 1]> -> tensor<2x16x16xf16>
  %a1 = tile.load %in[%c2, %c0, %c0] : !tile.view<?x?x?xf16, strides = [?, ?, 1]> -> tensor<2x16x16xf16>
  %b1 = tile.load %in[%c2, %c0, %c16] : !tile.view<?x?x?xf16, strides = [?, ?, 1]> -> tensor<2x16x16xf16>
  %a2 = tile.load %in[%c4, %c0, %c0] : !tile.view<?x?x?xf16, strides = [?, ?, 1]> -> tensor<2x16x16xf16>
  %b2 = tile.load %in[%c4, %c0, %c16] : !tile.view<?x?x?xf16, strides = [?, ?, 1]> -> tensor<2x16x16xf16>
  %a3 = tile.load %in[%c6, %c0, %c0] : !tile.view<?x?x?xf16, strides = [?, ?, 1]> -> tensor<2x16x16xf16>
  %b3 = tile.load %in[%c6, %c0, %c16] : !tile.view<?x?x?xf16, strides = [?, ?, 1]> -> tensor<2x16x16xf16>
  %p = tile.dot %a0, %b0, %zero : tensor<2x16x16xf16>, tensor<2x16x16xf16> -> tensor<2x16x16xf32>
  %q = tile.dot %a1, %b1, %zero : tensor<2x16x16xf16>, tensor<2x16x16xf16> -> tensor<2x16x16xf32>
  %r = tile.dot %a2, %b2, %zero : tensor<2x16x16xf16>, tensor<2x16x16xf16> -> tensor<2x16x16xf32>
  %s = tile.dot %a3, %b3, %zero : tensor<2x16x16xf16>, tensor<2x16x16xf16> -> tensor<2x16x16xf32>
  tile.store %p, %out[%c0, %c0, %c0] : tensor<2x16x16xf32>, !tile.view<?x?x?xf32, strides = [?, ?, 1]>
  tile.store %q, %out[%c2, %c0, %c0] : tensor<2x16x16xf32>, !tile.view<?x?x?xf32, strides = [?, ?, 1]>
  tile.store %r, %out[%c4, %c0, %c0] : tensor<2x16x16xf32>, !tile.view<?x?x?xf32, strides = [?, ?, 1]>
  tile.store %s, %out[%c6, %c0, %c0] : tensor<2x16x16xf32>, !tile.view<?x?x?xf32, strides = [?, ?, 1]>
  return
}

// Cutting two sums apart costs what one trip of both operands saves.
// CHECK-LABEL: func.func @two
// CHECK-COUNT-2: tile.dot {{.*}} -> tensor<16x16xf32>
// REMARK:        [Missed] MergeDots | {{.*}} Function=two | Reason="2 independent products of 16x16x16 stay apart: 448 clocks of an SM, 472 as one of several matrices"
// TCGEN05:       [Missed] MergeDots | {{.*}} Function=two | Reason="2 independent products of 16x16x16 would be the diagonal blocks of one product of tcgen05, m64n32k16: 380 clocks of an SM, 448 apart, but that is not done yet"
func.func @two(%in: !half, %out: !single) attributes {tile.kernel, tile.num_warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant dense<0.0> : !s
  %a0 = tile.load %in[%c0, %c0] : !half -> tensor<16x16xf16>
  %b0 = tile.load %in[%c0, %c16] : !half -> tensor<16x16xf16>
  %a1 = tile.load %in[%c16, %c0] : !half -> tensor<16x16xf16>
  %b1 = tile.load %in[%c16, %c16] : !half -> tensor<16x16xf16>
  %d0 = tile.dot %a0, %b0, %zero : tensor<16x16xf16>, tensor<16x16xf16> -> !s
  %d1 = tile.dot %a1, %b1, %zero : tensor<16x16xf16>, tensor<16x16xf16> -> !s
  tile.store %d0, %out[%c0, %c0] : !s, !single
  tile.store %d1, %out[%c16, %c0] : !s, !single
  return
}

// What the second product reads may be what the first one wrote.
// CHECK-LABEL: func.func @between
// CHECK-COUNT-4: tile.dot {{.*}} -> tensor<16x16xf32>
// REMARK:        [Missed] MergeDots | {{.*}} Function=between | Reason="2 independent products of 16x16x16 in each of 2 steps stay apart: tile.store between them needs one of the sums and cannot move"
func.func @between(%in: !single, %out: !single) attributes {tile.kernel, tile.num_warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant dense<0.0> : !s
  %a = tile.load %in[%c0, %c0] : !single -> !s
  %b = tile.load %in[%c0, %c16] : !single -> !s
  %d0 = tile.dot %a, %b, %zero : !s, !s -> !s
  %e0 = tile.dot %b, %d0, %zero : !s, !s -> !s
  tile.store %e0, %out[%c0, %c0] : !s, !single
  %a1 = tile.load %out[%c16, %c0] : !single -> !s
  %d1 = tile.dot %a1, %b, %zero : !s, !s -> !s
  %e1 = tile.dot %b, %d1, %zero : !s, !s -> !s
  tile.store %e1, %out[%c16, %c0] : !s, !single
  return
}

// A faster family that multiplies one matrix keeps its products.
// WGMMA:         [Missed] MergeDots | {{.*}} Function=large | Reason="2 independent products of 64x64x16 stay apart: each fits m64n64k16 of wgmma, which multiplies one matrix"
// REMARK:        [Missed] MergeDots | {{.*}} Function=large | Reason="2 independent products of 64x64x16 stay apart: {{[0-9]+}} clocks of an SM, {{[0-9]+}} as one of several matrices"
func.func @large(%in: !half, %out: !single) attributes {tile.kernel, tile.num_warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %a0 = tile.load %in[%c0, %c0] : !half -> tensor<64x16xf16>
  %b0 = tile.load %in[%c0, %c0] : !half -> tensor<16x64xf16>
  %a1 = tile.load %in[%c64, %c0] : !half -> tensor<64x16xf16>
  %b1 = tile.load %in[%c64, %c0] : !half -> tensor<16x64xf16>
  %d0 = tile.dot %a0, %b0, %zero : tensor<64x16xf16>, tensor<16x64xf16> -> tensor<64x64xf32>
  %d1 = tile.dot %a1, %b1, %zero : tensor<64x16xf16>, tensor<16x64xf16> -> tensor<64x64xf32>
  tile.store %d0, %out[%c0, %c0] : tensor<64x64xf32>, !single
  tile.store %d1, %out[%c64, %c0] : tensor<64x64xf32>, !single
  return
}

// What needs a sum in front of an operand of another product moves behind both, with its regions; not where it has effects.
// CHECK-LABEL: func.func @region
// CHECK:         %[[NEG:.*]] = arith.negf
// CHECK:         tile.dot {{.*}} -> tensor<2x16x16xf32>
// CHECK:         %[[LAST:.*]] = tile.dot {{.*}} -> tensor<2x16x16xf32>
// CHECK:         tile.extract %[[LAST]]
// CHECK:         scf.if
// CHECK-NOT:     tile.dot
// REMARK:        [Passed] MergeDots | {{.*}} Function=region | Remark="2 independent products of 16x16x16 in each of 2 steps
func.func @region(%in: !single, %out: !single, %flag: i1) attributes {tile.kernel, tile.num_warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant dense<0.0> : !s
  %a = tile.load %in[%c0, %c0] : !single -> !s
  %b = tile.load %in[%c0, %c16] : !single -> !s
  %d0 = tile.dot %a, %b, %zero : !s, !s -> !s
  %e0 = tile.dot %b, %d0, %zero : !s, !s -> !s
  %f0 = scf.if %flag -> (!s) {
    %n = arith.negf %e0 : !s
    scf.yield %n : !s
  } else {
    scf.yield %e0 : !s
  }
  %bb = arith.negf %b : !s
  %aa = arith.negf %a : !s
  %d1 = tile.dot %bb, %aa, %zero : !s, !s -> !s
  %e1 = tile.dot %aa, %d1, %zero : !s, !s -> !s
  tile.store %f0, %out[%c0, %c0] : !s, !single
  tile.store %e1, %out[%c16, %c0] : !s, !single
  return
}
// CHECK-LABEL: func.func @effects
// CHECK-COUNT-4: tile.dot {{.*}} -> tensor<16x16xf32>
// REMARK:        [Missed] MergeDots | {{.*}} Function=effects | Reason="2 independent products of 16x16x16 in each of 2 steps stay apart: scf.if between them needs one of the sums and cannot move"
func.func @effects(%in: !single, %out: !single, %flag: i1) attributes {tile.kernel, tile.num_warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant dense<0.0> : !s
  %a = tile.load %in[%c0, %c0] : !single -> !s
  %b = tile.load %in[%c0, %c16] : !single -> !s
  %d0 = tile.dot %a, %b, %zero : !s, !s -> !s
  %e0 = tile.dot %b, %d0, %zero : !s, !s -> !s
  scf.if %flag {
    tile.store %e0, %out[%c0, %c0] : !s, !single
  }
  %bb = arith.negf %b : !s
  %aa = arith.negf %a : !s
  %d1 = tile.dot %bb, %aa, %zero : !s, !s -> !s
  %e1 = tile.dot %aa, %d1, %zero : !s, !s -> !s
  tile.store %e1, %out[%c16, %c0] : !s, !single
  return
}

// Casts between two steps are made of all matrices at once.
// CHECK-LABEL: func.func @casts
// CHECK:         %[[FIRST:.*]] = tile.dot {{.*}} : tensor<2x16x16xf16>, tensor<2x16x16xf16> -> tensor<2x16x16xf32>
// CHECK-NOT:     tile.extract
// CHECK:         %[[NEG:.*]] = arith.negf %[[FIRST]] : tensor<2x16x16xf32>
// CHECK:         %[[CAST:.*]] = arith.truncf %[[NEG]] : tensor<2x16x16xf32> to tensor<2x16x16xf16>
// CHECK:         tile.dot %{{.*}}, %[[CAST]], %{{.*}} -> tensor<2x16x16xf32>
// CHECK-COUNT-2: tile.extract
// CHECK-NOT:     tile.dot
// REMARK:        [Passed] MergeDots | {{.*}} Function=casts | Remark="2 independent products of 16x16x16 in each of 2 steps become one of several matrices
// CHECK-LABEL: func.func @unlike_casts
// CHECK-COUNT-4: tile.dot {{.*}} -> tensor<16x16xf32>
// REMARK-COUNT-2: [Missed] MergeDots | {{.*}} Function=unlike_casts | Reason="2 independent products of 16x16x16 stay apart
!h = tensor<16x16xf16>
func.func @casts(%in: !half, %out: !single) attributes {tile.kernel, tile.num_warps = 8 : i64} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant dense<0.0> : !s
  %a = tile.load %in[%c0, %c0] : !half -> !h
  %b = tile.load %in[%c0, %c16] : !half -> !h
  %x = tile.load %in[%c16, %c0] : !half -> !h
  %y = tile.load %in[%c16, %c16] : !half -> !h
  %d0 = tile.dot %a, %b, %zero : !h, !h -> !s
  %n0 = arith.negf %d0 : !s
  %h0 = arith.truncf %n0 : !s to !h
  %e0 = tile.dot %a, %h0, %zero : !h, !h -> !s
  %d1 = tile.dot %x, %y, %zero : !h, !h -> !s
  %n1 = arith.negf %d1 : !s
  %h1 = arith.truncf %n1 : !s to !h
  %e1 = tile.dot %x, %h1, %zero : !h, !h -> !s
  tile.store %e0, %out[%c0, %c0] : !s, !single
  tile.store %e1, %out[%c16, %c0] : !s, !single
  return
}
func.func @unlike_casts(%in: !half, %out: !single) attributes {tile.kernel, tile.num_warps = 8 : i64} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant dense<0.0> : !s
  %a = tile.load %in[%c0, %c0] : !half -> !h
  %b = tile.load %in[%c0, %c16] : !half -> !h
  %x = tile.load %in[%c16, %c0] : !half -> !h
  %y = tile.load %in[%c16, %c16] : !half -> !h
  %d0 = tile.dot %a, %b, %zero : !h, !h -> !s
  %n0 = arith.negf %d0 : !s
  %h0 = arith.truncf %n0 : !s to !h
  %e0 = tile.dot %a, %h0, %zero : !h, !h -> !s
  %d1 = tile.dot %x, %y, %zero : !h, !h -> !s
  %n1 = math.absf %d1 : !s
  %h1 = arith.truncf %n1 : !s to !h
  %e1 = tile.dot %x, %h1, %zero : !h, !h -> !s
  tile.store %e0, %out[%c0, %c0] : !s, !single
  tile.store %e1, %out[%c16, %c0] : !s, !single
  return
}
