// Products that one product can compute, and the costs that say whether it should.
// RUN: tile-opt %s --tile-select-dot=target=sm_80 | FileCheck %s
// RUN: tile-opt %s --tile-select-dot=target=sm_80 --remarks-filter=tile-select-dot --remark-policy=all -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

!half = !tile.view<?x?xf16, strides = [?, 1]>
!single = !tile.view<?x?xf32, strides = [?, 1]>

// Neighbouring blocks along K, cut out of the tiles that they are all of: the tiles themselves are multiplied.
// CHECK-LABEL: func.func @neighbours_along_k
// CHECK:         %[[X:.*]] = tile.load {{.*}} -> tensor<64x64xf16>
// CHECK:         %[[Y:.*]] = tile.load {{.*}} -> tensor<64x32xf16>
// CHECK:         %[[Z:.*]] = tile.load {{.*}} -> tensor<64x32xf32>
// CHECK-NOT:     tile.extract
// CHECK:         tile.dot %[[X]], %[[Y]], %[[Z]] {{.*}} : tensor<64x64xf16>, tensor<64x32xf16> -> tensor<64x32xf32>
// CHECK-NOT:     tile.dot
// CHECK:         tile.store
// REMARK:        [Passed] MergeDots | {{.*}} Function=neighbours_along_k | Remark="4 products side by side along K become one: 128 clocks of an SM, 128 apart; 0 to move operands"
func.func @neighbours_along_k(%a: !half, %b: !half, %c: !single) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %x = tile.load %a[%c0, %c0] : !half -> tensor<64x64xf16>
  %y = tile.load %b[%c0, %c0] : !half -> tensor<64x32xf16>
  %z = tile.load %c[%c0, %c0] : !single -> tensor<64x32xf32>
  %x0 = tile.extract %x[%c0, %c0] : tensor<64x64xf16> -> tensor<64x16xf16>
  %x1 = tile.extract %x[%c0, %c1] : tensor<64x64xf16> -> tensor<64x16xf16>
  %x2 = tile.extract %x[%c0, %c2] : tensor<64x64xf16> -> tensor<64x16xf16>
  %x3 = tile.extract %x[%c0, %c3] : tensor<64x64xf16> -> tensor<64x16xf16>
  %y0 = tile.extract %y[%c0, %c0] : tensor<64x32xf16> -> tensor<16x32xf16>
  %y1 = tile.extract %y[%c1, %c0] : tensor<64x32xf16> -> tensor<16x32xf16>
  %y2 = tile.extract %y[%c2, %c0] : tensor<64x32xf16> -> tensor<16x32xf16>
  %y3 = tile.extract %y[%c3, %c0] : tensor<64x32xf16> -> tensor<16x32xf16>
  %d0 = tile.dot %x0, %y0, %z : tensor<64x16xf16>, tensor<16x32xf16> -> tensor<64x32xf32>
  %d1 = tile.dot %x1, %y1, %d0 : tensor<64x16xf16>, tensor<16x32xf16> -> tensor<64x32xf32>
  %d2 = tile.dot %x2, %y2, %d1 : tensor<64x16xf16>, tensor<16x32xf16> -> tensor<64x32xf32>
  %d3 = tile.dot %x3, %y3, %d2 : tensor<64x16xf16>, tensor<16x32xf16> -> tensor<64x32xf32>
  tile.store %d3, %c[%c0, %c0] : tensor<64x32xf32>, !single
  return
}

// The third and fourth quarter are the second half: a coarser cut.
// CHECK-LABEL: func.func @second_half
// CHECK:         arith.constant dense
// CHECK-NEXT:    %[[HALF:.*]] = arith.constant 1 : index
// CHECK-NEXT:    tile.extract %{{.*}}[%c0, %[[HALF]]] : tensor<64x64xf16> -> tensor<64x32xf16>
// CHECK-NOT:     tensor<64x16xf16>
// CHECK:         tile.dot {{.*}} : tensor<64x32xf16>, tensor<32x32xf16> -> tensor<64x32xf32>
func.func @second_half(%a: !half, %b: !half, %c: !single) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %x = tile.load %a[%c0, %c0] : !half -> tensor<64x64xf16>
  %y = tile.load %b[%c0, %c0] : !half -> tensor<32x32xf16>
  %z = arith.constant dense<0.0> : tensor<64x32xf32>
  %x2 = tile.extract %x[%c0, %c2] : tensor<64x64xf16> -> tensor<64x16xf16>
  %x3 = tile.extract %x[%c0, %c3] : tensor<64x64xf16> -> tensor<64x16xf16>
  %y0 = tile.extract %y[%c0, %c0] : tensor<32x32xf16> -> tensor<16x32xf16>
  %y1 = tile.extract %y[%c1, %c0] : tensor<32x32xf16> -> tensor<16x32xf16>
  %d0 = tile.dot %x2, %y0, %z : tensor<64x16xf16>, tensor<16x32xf16> -> tensor<64x32xf32>
  %d1 = tile.dot %x3, %y1, %d0 : tensor<64x16xf16>, tensor<16x32xf16> -> tensor<64x32xf32>
  tile.store %d1, %c[%c0, %c0] : tensor<64x32xf32>, !single
  return
}

// The second and third are no block of a coarser cut; moving them costs more than one product less saves.
// CHECK-LABEL: func.func @across_halves
// CHECK-COUNT-2: tile.dot
// REMARK:        [Missed] MergeDots | {{.*}} Function=across_halves | Reason="2 products side by side along K stay apart: 64 clocks of an SM, as one 64 and 64 to move operands"
func.func @across_halves(%a: !half, %b: !half, %c: !single) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %x = tile.load %a[%c0, %c0] : !half -> tensor<64x64xf16>
  %y = tile.load %b[%c0, %c0] : !half -> tensor<32x32xf16>
  %z = arith.constant dense<0.0> : tensor<64x32xf32>
  %x1 = tile.extract %x[%c0, %c1] : tensor<64x64xf16> -> tensor<64x16xf16>
  %x2 = tile.extract %x[%c0, %c2] : tensor<64x64xf16> -> tensor<64x16xf16>
  %y0 = tile.extract %y[%c0, %c0] : tensor<32x32xf16> -> tensor<16x32xf16>
  %y1 = tile.extract %y[%c1, %c0] : tensor<32x32xf16> -> tensor<16x32xf16>
  %d0 = tile.dot %x1, %y0, %z : tensor<64x16xf16>, tensor<16x32xf16> -> tensor<64x32xf32>
  %d1 = tile.dot %x2, %y1, %d0 : tensor<64x16xf16>, tensor<16x32xf16> -> tensor<64x32xf32>
  tile.store %d1, %c[%c0, %c0] : tensor<64x32xf32>, !single
  return
}

// Half of each instruction's K would be empty: now it pays to move them.
// CHECK-LABEL: func.func @half_empty
// CHECK:         tile.concat {{.*}} dim 1 {{.*}} -> tensor<128x16xf16>
// CHECK:         tile.concat {{.*}} dim 0 {{.*}} -> tensor<16x128xf16>
// CHECK:         tile.dot {{.*}} -> tensor<128x128xf32>
// CHECK-NOT:     tile.dot
// CHECK:         tile.store
// REMARK:        [Passed] MergeDots | {{.*}} Function=half_empty | Remark="2 products side by side along K become one: 256 clocks of an SM, 512 apart; 128 to move operands"
func.func @half_empty(%a: !half, %b: !half, %c: !single) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %c5 = arith.constant 5 : index
  %x0 = tile.load %a[%c0, %c0] : !half -> tensor<128x8xf16>
  %x1 = tile.load %a[%c5, %c0] : !half -> tensor<128x8xf16>
  %y0 = tile.load %b[%c0, %c0] : !half -> tensor<8x128xf16>
  %y1 = tile.load %b[%c5, %c0] : !half -> tensor<8x128xf16>
  %z = arith.constant dense<0.0> : tensor<128x128xf32>
  %d0 = tile.dot %x0, %y0, %z : tensor<128x8xf16>, tensor<8x128xf16> -> tensor<128x128xf32>
  %d1 = tile.dot %x1, %y1, %d0 : tensor<128x8xf16>, tensor<8x128xf16> -> tensor<128x128xf32>
  tile.store %d1, %c[%c0, %c0] : tensor<128x128xf32>, !single
  return
}

// Sums that are joined, of one left operand and neighbouring right ones, and the same for rows.
// CHECK-LABEL: func.func @joined_sums
// CHECK:         %[[X:.*]] = tile.load {{.*}} -> tensor<32x32xf16>
// CHECK:         %[[Y:.*]] = tile.load {{.*}} -> tensor<32x64xf16>
// CHECK:         %[[D:.*]] = tile.dot %[[X]], %[[Y]], %{{.*}} : tensor<32x32xf16>, tensor<32x64xf16> -> tensor<32x64xf32>
// CHECK-NOT:     tile.concat
// CHECK:         %[[V:.*]] = tile.load {{.*}} -> tensor<64x32xf16>
// CHECK:         %[[E:.*]] = tile.dot %[[V]], %[[X]], %{{.*}} : tensor<64x32xf16>, tensor<32x32xf16> -> tensor<64x32xf32>
// CHECK-NOT:     tile.concat
// CHECK:         tile.store %[[E]]
// REMARK:        [Passed] MergeDots | {{.*}} Function=joined_sums | Remark="2 products side by side along N become one: 64 clocks of an SM, 64 apart; 0 to move operands"
// REMARK:        [Passed] MergeDots | {{.*}} Function=joined_sums | Remark="2 products side by side along M become one
func.func @joined_sums(%a: !half, %b: !half, %c: !single) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant dense<0.0> : tensor<32x32xf32>
  %x = tile.load %a[%c0, %c0] : !half -> tensor<32x32xf16>
  %y = tile.load %b[%c0, %c0] : !half -> tensor<32x64xf16>
  %y0 = tile.extract %y[%c0, %c0] : tensor<32x64xf16> -> tensor<32x32xf16>
  %y1 = tile.extract %y[%c0, %c1] : tensor<32x64xf16> -> tensor<32x32xf16>
  %d0 = tile.dot %x, %y0, %z : tensor<32x32xf16>, tensor<32x32xf16> -> tensor<32x32xf32>
  %d1 = tile.dot %x, %y1, %z : tensor<32x32xf16>, tensor<32x32xf16> -> tensor<32x32xf32>
  %d = tile.concat %d0, %d1 dim 1 : tensor<32x32xf32>, tensor<32x32xf32> -> tensor<32x64xf32>
  tile.store %d, %c[%c0, %c0] : tensor<32x64xf32>, !single
  %v = tile.load %b[%c0, %c0] : !half -> tensor<64x32xf16>
  %v0 = tile.extract %v[%c0, %c0] : tensor<64x32xf16> -> tensor<32x32xf16>
  %v1 = tile.extract %v[%c1, %c0] : tensor<64x32xf16> -> tensor<32x32xf16>
  %e0 = tile.dot %v0, %x, %z : tensor<32x32xf16>, tensor<32x32xf16> -> tensor<32x32xf32>
  %e1 = tile.dot %v1, %x, %z : tensor<32x32xf16>, tensor<32x32xf16> -> tensor<32x32xf32>
  %e = tile.concat %e0, %e1 dim 0 : tensor<32x32xf32>, tensor<32x32xf32> -> tensor<64x32xf32>
  tile.store %e, %c[%c0, %c0] : tensor<64x32xf32>, !single
  return
}

// Operands that follow one another in shared memory, and would not fit there together.
// CHECK-LABEL: func.func @too_large
// CHECK-COUNT-2: tile.dot
// REMARK:        [Missed] MergeDots | {{.*}} Function=too_large | Reason="2 products side by side along K stay apart: operands of one would take 131072 bytes of shared memory, 83456 may"
func.func @too_large(%a: !half, %b: !half, %c: !single) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %x = tile.load %a[%c0, %c0] : !half -> tensor<128x256xf16>
  %y = tile.load %b[%c0, %c0] : !half -> tensor<256x128xf16>
  %z = arith.constant dense<0.0> : tensor<128x128xf32>
  %x0 = tile.extract %x[%c0, %c0] : tensor<128x256xf16> -> tensor<128x128xf16>
  %x1 = tile.extract %x[%c0, %c1] : tensor<128x256xf16> -> tensor<128x128xf16>
  %y0 = tile.extract %y[%c0, %c0] : tensor<256x128xf16> -> tensor<128x128xf16>
  %y1 = tile.extract %y[%c1, %c0] : tensor<256x128xf16> -> tensor<128x128xf16>
  %d0 = tile.dot %x0, %y0, %z : tensor<128x128xf16>, tensor<128x128xf16> -> tensor<128x128xf32>
  %d1 = tile.dot %x1, %y1, %d0 : tensor<128x128xf16>, tensor<128x128xf16> -> tensor<128x128xf32>
  tile.store %d1, %c[%c0, %c0] : tensor<128x128xf32>, !single
  return
}

// Products that ask for a family are weighed with it, and the one product asks for it too.
// CHECK-LABEL: func.func @asks_for_fma
// CHECK:         tile.dot {{.*}}tile.mma = "fma"{{.*}} : tensor<16x32xf16>, tensor<32x16xf16> -> tensor<16x16xf32>
// CHECK-NOT:     tile.dot
// CHECK:         tile.store
// REMARK:        [Passed] MergeDots | {{.*}} Function=asks_for_fma | Remark="2 products side by side along K become one: 128 clocks of an SM, 128 apart; 0 to move operands"
func.func @asks_for_fma(%a: !half, %b: !half, %c: !single) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %x = tile.load %a[%c0, %c0] : !half -> tensor<16x32xf16>
  %y = tile.load %b[%c0, %c0] : !half -> tensor<32x16xf16>
  %z = arith.constant dense<0.0> : tensor<16x16xf32>
  %x0 = tile.extract %x[%c0, %c0] : tensor<16x32xf16> -> tensor<16x16xf16>
  %x1 = tile.extract %x[%c0, %c1] : tensor<16x32xf16> -> tensor<16x16xf16>
  %y0 = tile.extract %y[%c0, %c0] : tensor<32x16xf16> -> tensor<16x16xf16>
  %y1 = tile.extract %y[%c1, %c0] : tensor<32x16xf16> -> tensor<16x16xf16>
  %d0 = tile.dot %x0, %y0, %z {tile.mma = "fma"} : tensor<16x16xf16>, tensor<16x16xf16> -> tensor<16x16xf32>
  %d1 = tile.dot %x1, %y1, %d0 {tile.mma = "fma"} : tensor<16x16xf16>, tensor<16x16xf16> -> tensor<16x16xf32>
  tile.store %d1, %c[%c0, %c0] : tensor<16x16xf32>, !single
  return
}

// Parts of one tile that are summed smallest first for accuracy, a sum with a second user, unlike precision, and
// sums of unlike products that are joined: no group. Those of one shape are none of several matrices either, as they share
// operands.
// CHECK-LABEL: func.func @left_alone
// CHECK-COUNT-8: tile.dot
// CHECK:         tile.concat
// REMARK-NOT:    MergeDots {{.*}} Function=left_alone {{.*}}side by side
// REMARK:        [Missed] MergeDots | {{.*}} Function=left_alone | Reason="5 independent products of 16x16x16 stay apart: 784 clocks of an SM, 1260 as one of several matrices"
func.func @left_alone(%a: !single, %c: !single) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %x = tile.load %a[%c0, %c0] : !single -> tensor<16x16xf32>
  %y = arith.negf %x : tensor<16x16xf32>
  %w = arith.addf %x, %x : tensor<16x16xf32>
  %z = arith.constant dense<0.0> : tensor<16x16xf32>
  %p0 = tile.dot %x, %y, %z : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
  %p1 = tile.dot %x, %w, %p0 : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
  tile.store %p1, %c[%c0, %c0] : tensor<16x16xf32>, !single
  %q0 = tile.dot %x, %y, %z : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
  %q1 = tile.dot %y, %w, %q0 : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
  %q = arith.addf %q0, %q1 : tensor<16x16xf32>
  tile.store %q, %c[%c0, %c0] : tensor<16x16xf32>, !single
  %r0 = tile.dot %x, %y, %z : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
  %r1 = tile.dot %y, %w, %r0 precision tf32 : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
  tile.store %r1, %c[%c0, %c0] : tensor<16x16xf32>, !single
  %s0 = tile.dot %x, %y, %z : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
  %s1 = tile.dot %y, %w, %z : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
  %s = tile.concat %s0, %s1 dim 1 : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x32xf32>
  tile.store %s, %c[%c0, %c0] : tensor<16x32xf32>, !single
  return
}
