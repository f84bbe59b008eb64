// One remark per product: passed for the fastest family of the target, missed with every rule that a product breaks and its value.
// RUN: tile-opt %s --tile-select-dot=target=sm_80 --remarks-filter=tile-select-dot --remark-policy=all -o /dev/null 2>&1 | FileCheck %s --check-prefix=SM80
// RUN: tile-opt %s --tile-select-dot=target=sm_89 --remarks-filter=tile-select-dot --remark-policy=all -o /dev/null 2>&1 | FileCheck %s --check-prefix=SM89
// RUN: tile-opt %s --tile-select-dot=target=sm_90a --remarks-filter=tile-select-dot --remark-policy=all -o /dev/null 2>&1 | FileCheck %s --check-prefix=SM90
// RUN: tile-opt %s --tile-select-dot=target=sm_100a --remarks-filter=tile-select-dot --remark-policy=all -o /dev/null 2>&1 | FileCheck %s --check-prefix=SM100
// RUN: tile-opt %s --tile-select-dot=target=sm_103a --remarks-filter=tile-select-dot --remark-policy=all -o /dev/null 2>&1 | FileCheck %s --check-prefix=SM103

!half = !tile.view<?x?xf16, strides = [?, 1]>
!single = !tile.view<?x?xf32, strides = [?, 1]>
!fp8 = !tile.view<?x?xf8E4M3FN, strides = [?, 1]>
!byte = !tile.view<?x?xi8, strides = [?, 1]>
!int = !tile.view<?x?xi32, strides = [?, 1]>
!halves = !tile.view<?x?x?xf16, strides = [?, ?, 1]>

// SM80:  remark: [Passed] DotFamily | {{.*}} | Function=fits | family=mma.sync, lhs="registers k", rhs="registers n", shape=m16n8k16, sum=registers
// SM90:  remark: [Missed] DotFamily | {{.*}} | Function=fits | Reason="wgmma m64n208k16 fits, but is not lowered yet", family=mma.sync
// SM100: remark: [Missed] DotFamily | {{.*}} | Function=fits | Reason="tcgen05 m128n208k16 fits, but is not lowered yet", family=mma.sync
func.func @fits(%a: !half, %b: !half, %c: !single) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %x = tile.load %a[%c0, %c0] : !half -> tensor<128x64xf16>
  %y = tile.load %b[%c0, %c0] : !half -> tensor<64x208xf16>
  %z = arith.constant dense<0.0> : tensor<128x208xf32>
  %d = tile.dot %x, %y, %z : tensor<128x64xf16>, tensor<64x208xf16> -> tensor<128x208xf32>
  tile.store %d, %c[%c0, %c0] : tensor<128x208xf32>, !single
  return
}

// Twice 256 columns are two instructions.
// SM90:  Function=wide | Reason="wgmma m64n256k16 fits, but is not lowered yet"
func.func @wide(%a: !half, %b: !half, %c: !single) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %x = tile.load %a[%c0, %c0] : !half -> tensor<64x16xf16>
  %y = tile.load %b[%c0, %c0] : !half -> tensor<16x512xf16>
  %z = arith.constant dense<0.0> : tensor<64x512xf32>
  %d = tile.dot %x, %y, %z : tensor<64x16xf16>, tensor<16x512xf16> -> tensor<64x512xf32>
  tile.store %d, %c[%c0, %c0] : tensor<64x512xf32>, !single
  return
}

// SM90:  Function=odd | Reason="no wgmma: 6 warps are not 4, 8 or 12, and M is 48, not a multiple of 64, and N is 20, not a multiple of 8, and K is 40, not a multiple of 16", family=mma.sync
// SM100: Function=odd | Reason="no tcgen05: 6 warps are not 4, 8, 12 or 16", family=mma.sync
func.func @odd(%a: !half, %b: !half, %c: !single) attributes {tile.kernel, tile.num_warps = 6 : i64} {
  %c0 = arith.constant 0 : index
  %x = tile.load %a[%c0, %c0] : !half -> tensor<48x40xf16>
  %y = tile.load %b[%c0, %c0] : !half -> tensor<40x20xf16>
  %z = arith.constant dense<0.0> : tensor<48x20xf32>
  %d = tile.dot %x, %y, %z : tensor<48x40xf16>, tensor<40x20xf16> -> tensor<48x20xf32>
  tile.store %d, %c[%c0, %c0] : tensor<48x20xf32>, !single
  return
}

// Two warpgroups that share 64 rows would take four columns each.
// SM90:  Function=narrow | Reason="no wgmma: 8 warps would cut N, which is 8, in 2"
func.func @narrow(%a: !half, %b: !half, %c: !single) attributes {tile.kernel, tile.num_warps = 8 : i64} {
  %c0 = arith.constant 0 : index
  %x = tile.load %a[%c0, %c0] : !half -> tensor<64x16xf16>
  %y = tile.load %b[%c0, %c0] : !half -> tensor<16x8xf16>
  %z = arith.constant dense<0.0> : tensor<64x8xf32>
  %d = tile.dot %x, %y, %z : tensor<64x16xf16>, tensor<16x8xf16> -> tensor<64x8xf32>
  tile.store %d, %c[%c0, %c0] : tensor<64x8xf32>, !single
  return
}

// SM90:  Function=batch | Reason="no wgmma: the product is of 2 matrices, it multiplies one"
func.func @batch(%a: !halves, %b: !halves, %c: !halves) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %x = tile.load %a[%c0, %c0, %c0] : !halves -> tensor<2x64x16xf16>
  %y = tile.load %b[%c0, %c0, %c0] : !halves -> tensor<2x16x64xf16>
  %z = arith.constant dense<0.0> : tensor<2x64x64xf16>
  %d = tile.dot %x, %y, %z : tensor<2x64x16xf16>, tensor<2x16x64xf16> -> tensor<2x64x64xf16>
  tile.store %d, %c[%c0, %c0, %c0] : tensor<2x64x64xf16>, !halves
  return
}

// Rows on the right side are N-major: wrong for fp8 on wgmma, turned for mma.sync, fine for tcgen05.
// SM80:  Function=fp8 | Reason="no mma.sync: the target sm_80 has none for f8E4M3FN, sm_89 is the first that has", family=fma
// SM89:  [Passed] DotFamily | {{.*}} Function=fp8 | family=mma.sync, lhs="registers k", rhs="registers k", shape=m16n8k32
// SM89:  [Missed] DotMajorness | {{.*}} Function=fp8 | Reason="rhs is contiguous along N, mma.sync wants f8E4M3FN along K: it is turned in shared memory"
// SM90:  Function=fp8 | Reason="no wgmma: rhs is contiguous along N, wgmma wants f8E4M3FN along K", family=mma.sync
// SM100: Function=fp8 | Reason="tcgen05 m64n64k32 fits, but is not lowered yet"
func.func @fp8(%a: !fp8, %b: !fp8, %c: !single) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %x = tile.load %a[%c0, %c0] : !fp8 -> tensor<64x32xf8E4M3FN>
  %y = tile.load %b[%c0, %c0] : !fp8 -> tensor<32x64xf8E4M3FN>
  %z = arith.constant dense<0.0> : tensor<64x64xf32>
  %d = tile.dot %x, %y, %z : tensor<64x32xf8E4M3FN>, tensor<32x64xf8E4M3FN> -> tensor<64x64xf32>
  tile.store %d, %c[%c0, %c0] : tensor<64x64xf32>, !single
  return
}

// SM90:  Function=sums_in_f16 | Reason="wgmma m64n64k32 fits, but is not lowered yet"
// SM100: Function=sums_in_f16 | Reason="no tcgen05: it has no instruction for f8E5M2 times f8E5M2 with sums in f16", family=mma.sync
func.func @sums_in_f16(%c: !half) attributes {tile.kernel} {
  %x = arith.constant dense<1.0> : tensor<64x32xf8E5M2>
  %y = arith.constant dense<1.0> : tensor<32x64xf8E5M2>
  %c0 = arith.constant 0 : index
  %z = arith.constant dense<0.0> : tensor<64x64xf16>
  %d = tile.dot %x, %y, %z : tensor<64x32xf8E5M2>, tensor<32x64xf8E5M2> -> tensor<64x64xf16>
  tile.store %d, %c[%c0, %c0] : tensor<64x64xf16>, !half
  return
}

// SM100: Function=tf32 | Reason="no tcgen05: rhs is contiguous along N, tcgen05 wants tf32 along K", family=mma.sync
func.func @tf32(%a: !single, %c: !single) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %x = tile.load %a[%c0, %c0] : !single -> tensor<64x64xf32>
  %z = arith.constant dense<0.0> : tensor<64x64xf32>
  %d = tile.dot %x, %x, %z precision tf32 : tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>
  tile.store %d, %c[%c0, %c0] : tensor<64x64xf32>, !single
  return
}

// The same reason for two families is said once; multiply-add units want rows of the left side turned.
// SM90:  [Missed] DotFamily | {{.*}} Function=ieee | Reason="no wgmma or mma.sync: f32 operands keep all their bits unless the product allows tf32", family=fma, lhs="shared m", rhs="shared n", shape=m1n1k1
// SM90:  [Missed] DotMajorness | {{.*}} Function=ieee | Reason="lhs is contiguous along K, fma wants f32 along M: it is turned in shared memory"
func.func @ieee(%a: !single, %c: !single) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %x = tile.load %a[%c0, %c0] : !single -> tensor<64x64xf32>
  %z = arith.constant dense<0.0> : tensor<64x64xf32>
  %d = tile.dot %x, %x, %z : tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>
  tile.store %d, %c[%c0, %c0] : tensor<64x64xf32>, !single
  return
}

// Instructions for f64 exist and are not lowered yet.
// SM80:  Function=f64 | Reason="mma.sync m8n8k4 fits, but is not lowered yet", family=fma
// SM100: Function=f64 | Reason="no tcgen05: it has no instruction for f64 times f64 with sums in f64; mma.sync m8n8k4 fits, but is not lowered yet", family=fma
func.func @f64(%c: !tile.view<?x?xf64, strides = [?, 1]>) attributes {tile.kernel} {
  %x = arith.constant dense<1.0> : tensor<16x16xf64>
  %c0 = arith.constant 0 : index
  %z = arith.constant dense<0.0> : tensor<16x16xf64>
  %d = tile.dot %x, %x, %z : tensor<16x16xf64>, tensor<16x16xf64> -> tensor<16x16xf64>
  tile.store %d, %c[%c0, %c0] : tensor<16x16xf64>, !tile.view<?x?xf64, strides = [?, 1]>
  return
}

// SM100: Function=bytes | Reason="tcgen05 m64n64k32 fits, but is not lowered yet"
// SM103: Function=bytes | Reason="no tcgen05: the target sm_103a has none for i8, sm_100a is the first that has", family=mma.sync
func.func @bytes(%c: !int) attributes {tile.kernel} {
  %x = arith.constant dense<1> : tensor<64x32xi8>
  %y = arith.constant dense<1> : tensor<32x64xi8>
  %c0 = arith.constant 0 : index
  %z = arith.constant dense<0> : tensor<64x64xi32>
  %d = tile.dot %x, %y, %z : tensor<64x32xi8>, tensor<32x64xi8> -> tensor<64x64xi32>
  tile.store %d, %c[%c0, %c0] : tensor<64x64xi32>, !int
  return
}

// A computed left operand needs no majorness; its rows fill half of what tensor memory has.
// SM100: Function=padded | Reason="tcgen05 m64n32k16 fits, padded to m64n32k16, but is not lowered yet"
func.func @padded(%c: !single) attributes {tile.kernel} {
  %x = arith.constant dense<1.0> : tensor<32x16xf16>
  %y = arith.constant dense<1.0> : tensor<16x32xf16>
  %c0 = arith.constant 0 : index
  %z = arith.constant dense<0.0> : tensor<32x32xf32>
  %d = tile.dot %x, %y, %z : tensor<32x16xf16>, tensor<16x32xf16> -> tensor<32x32xf32>
  tile.store %d, %c[%c0, %c0] : tensor<32x32xf32>, !single
  return
}

// Padding 16 rows to 64 costs more than it wins.
// SM100: Function=too_small | Reason="no tcgen05: padded to m64n16k16 it takes 8 clocks, mma.sync takes 4"
func.func @too_small(%c: !single) attributes {tile.kernel} {
  %x = arith.constant dense<1.0> : tensor<16x16xf16>
  %c0 = arith.constant 0 : index
  %z = arith.constant dense<0.0> : tensor<16x16xf32>
  %d = tile.dot %x, %x, %z : tensor<16x16xf16>, tensor<16x16xf16> -> tensor<16x16xf32>
  tile.store %d, %c[%c0, %c0] : tensor<16x16xf32>, !single
  return
}

// Nothing is padded here, but 16 columns are few for a round trip.
// SM100: Function=too_narrow | Reason="no tcgen05: N is 16, it pays from 32 on"
func.func @too_narrow(%c: !single) attributes {tile.kernel} {
  %x = arith.constant dense<1.0> : tensor<64x16xf16>
  %y = arith.constant dense<1.0> : tensor<16x16xf16>
  %c0 = arith.constant 0 : index
  %z = arith.constant dense<0.0> : tensor<64x16xf32>
  %d = tile.dot %x, %y, %z : tensor<64x16xf16>, tensor<16x16xf16> -> tensor<64x16xf32>
  tile.store %d, %c[%c0, %c0] : tensor<64x16xf32>, !single
  return
}
