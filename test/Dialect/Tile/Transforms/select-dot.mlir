// What is recorded for each product. The two columns of targets: what each has as its fastest family.
// RUN: tile-opt %s --tile-select-dot=target=sm_80 | FileCheck %s --check-prefixes=CHECK,SM80
// RUN: tile-opt %s --tile-select-dot=target=sm_89 | FileCheck %s --check-prefixes=CHECK,SM80
// RUN: tile-opt %s --tile-select-dot=target=sm_90a | FileCheck %s --check-prefixes=CHECK,SM90
// RUN: tile-opt %s --tile-select-dot=target=sm_100a | FileCheck %s --check-prefixes=CHECK,SM100
// RUN: tile-opt %s --tile-select-dot=target=sm_120a | FileCheck %s --check-prefixes=CHECK,SM80

!half = !tile.view<?x?xf16, strides = [?, 1]>
!half_columns = !tile.view<?x?xf16, strides = [1, ?]>
!single = !tile.view<?x?xf32, strides = [?, 1]>

// Rows on both sides: the left one is contiguous along K, the right one along N. What is recorded last is why no
// faster family of the target computes it.
// CHECK-LABEL: func.func @plain_f16
// SM80:        tile.dot {{.*}} {tile.dot_choice = {family = "mma.sync", lhs = "registers k", rhs = "registers n", shape = array<i64: 16, 8, 16>, sum = "registers"}}
// SM90:        {family = "mma.sync", {{.*}} reason = "wgmma m64n256k16 fits, but is not lowered yet"
// SM100:       {family = "mma.sync", {{.*}} reason = "tcgen05 m128n256k16 fits, but is not lowered yet"
func.func @plain_f16(%a: !half, %b: !half, %c: !single) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %x = tile.load %a[%c0, %c0] : !half -> tensor<128x64xf16>
  %y = tile.load %b[%c0, %c0] : !half -> tensor<64x256xf16>
  %z = arith.constant dense<0.0> : tensor<128x256xf32>
  %d = tile.dot %x, %y, %z : tensor<128x64xf16>, tensor<64x256xf16> -> tensor<128x256xf32>
  tile.store %d, %c[%c0, %c0] : tensor<128x256xf32>, !single
  return
}

// Through views of columns, and with a transpose in between, it is the other way round.
// CHECK-LABEL: func.func @columns
// CHECK:       lhs = "registers m"
// CHECK-SAME:  rhs = "registers k"
func.func @columns(%a: !half_columns, %b: !half, %c: !single) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %x = tile.load %a[%c0, %c0] : !half_columns -> tensor<64x32xf16>
  %t = tile.load %b[%c0, %c0] : !half -> tensor<64x32xf16>
  %y = tile.permute %t [1, 0] : tensor<64x32xf16> -> tensor<32x64xf16>
  %z = arith.constant dense<0.0> : tensor<64x64xf32>
  %d = tile.dot %x, %y, %z : tensor<64x32xf16>, tensor<32x64xf16> -> tensor<64x64xf32>
  tile.store %d, %c[%c0, %c0] : tensor<64x64xf32>, !single
  return
}

// Extents that no instruction divides: the tile in whole instructions is recorded.
// CHECK-LABEL: func.func @ragged
// CHECK:       padded = array<i64: 48, 24, 32>
func.func @ragged(%a: !half, %b: !half, %c: !single) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %x = tile.load %a[%c0, %c0] : !half -> tensor<33x20xf16>
  %y = tile.load %b[%c0, %c0] : !half -> tensor<20x17xf16>
  %z = arith.constant dense<0.0> : tensor<33x17xf32>
  %d = tile.dot %x, %y, %z : tensor<33x20xf16>, tensor<20x17xf16> -> tensor<33x17xf32>
  tile.store %d, %c[%c0, %c0] : tensor<33x17xf32>, !single
  return
}

// The multiply-add units want neighbours along M and N.
// CHECK-LABEL: func.func @exact_f32
// CHECK:       {family = "fma", lhs = "shared m", {{.*}} rhs = "shared n", shape = array<i64: 1, 1, 1>
func.func @exact_f32(%a: !single, %b: !single, %c: !single) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %x = tile.load %a[%c0, %c0] : !single -> tensor<32x32xf32>
  %y = tile.load %b[%c0, %c0] : !single -> tensor<32x32xf32>
  %z = arith.constant dense<0.0> : tensor<32x32xf32>
  %d = tile.dot %x, %y, %z : tensor<32x32xf32>, tensor<32x32xf32> -> tensor<32x32xf32>
  tile.store %d, %c[%c0, %c0] : tensor<32x32xf32>, !single
  return
}

// The wish of the author stays beside the choice.
// CHECK-LABEL: func.func @pinned
// CHECK:       {tile.dot_choice = {family = "fma", {{.*}} reason = "the attribute tile.mma asks for it"{{.*}}, tile.mma = "fma"}
func.func @pinned(%a: !half, %c: !single) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %x = tile.load %a[%c0, %c0] : !half -> tensor<32x32xf16>
  %z = arith.constant dense<0.0> : tensor<32x32xf32>
  %d = tile.dot %x, %x, %z {tile.mma = "fma"} : tensor<32x32xf16>, tensor<32x32xf16> -> tensor<32x32xf32>
  tile.store %d, %c[%c0, %c0] : tensor<32x32xf32>, !single
  return
}

// A choice that is there and possible stays.
// CHECK-LABEL: func.func @chosen_before
// CHECK:       {tile.dot_choice = {family = "fma", shape = array<i64: 1, 1, 1>}}
func.func @chosen_before(%a: !half, %c: !single) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %x = tile.load %a[%c0, %c0] : !half -> tensor<32x32xf16>
  %z = arith.constant dense<0.0> : tensor<32x32xf32>
  %d = tile.dot %x, %x, %z {tile.dot_choice = {family = "fma", shape = array<i64: 1, 1, 1>}} : tensor<32x32xf16>, tensor<32x32xf16> -> tensor<32x32xf32>
  tile.store %d, %c[%c0, %c0] : tensor<32x32xf32>, !single
  return
}

// Not a kernel.
// CHECK-LABEL: func.func private @part
// CHECK-NOT:   tile.dot_choice
func.func private @part(%x: tensor<32x32xf16>, %z: tensor<32x32xf32>) -> tensor<32x32xf32> {
  %d = tile.dot %x, %x, %z : tensor<32x32xf16>, tensor<32x32xf16> -> tensor<32x32xf32>
  return %d : tensor<32x32xf32>
}
