// Where nothing says how many warps a kernel has: four, or fewer where a loop that touches no memory would exchange tiles
// between warps.
// RUN: tile-opt %s --tile-assign-layouts=target=sm_90a | FileCheck %s
// RUN: tile-opt %s --tile-assign-layouts=target=sm_90a --remarks-filter=tile-assign-layouts --remark-policy=all -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

!mat = !tile.view<?x?xf32, strides = [?, 1]>

// Rows and columns are summed in turn: each of four warps would wait for the others twice a trip.
// CHECK-LABEL: func.func @sums_in_turn
// CHECK-SAME:    tile.num_warps = 1
// REMARK: remark: [Passed] Warps | {{.*}} | Function=sums_in_turn | {{.*}}1 warps, since a loop reduces tiles without touching memory: 4 warps {{[0-9]+}} cycles and {{[0-9]+}} registers, 2 warps {{.*}}, 1 warps
func.func @sums_in_turn(%a: !mat) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %x = tile.load %a[%c0, %c0] pad(zero) : !mat -> tensor<32x32xf32>
  %y = scf.for %i = %c0 to %c16 step %c1 iter_args(%t = %x) -> (tensor<32x32xf32>) {
    %r = tile.reduce %t dim 0 : tensor<32x32xf32> -> tensor<32xf32> {
    ^bb0(%p: f32, %e: f32):
      %q = arith.addf %p, %e : f32
      tile.yield %q : f32
    }
    %row = tile.reshape %r : tensor<32xf32> -> tensor<1x32xf32>
    %rows = tile.broadcast %row : tensor<1x32xf32> -> tensor<32x32xf32>
    %u = arith.subf %t, %rows : tensor<32x32xf32>
    %s = tile.reduce %u dim 1 : tensor<32x32xf32> -> tensor<32xf32> {
    ^bb0(%p: f32, %e: f32):
      %q = arith.addf %p, %e : f32
      tile.yield %q : f32
    }
    %column = tile.reshape %s : tensor<32xf32> -> tensor<32x1xf32>
    %columns = tile.broadcast %column : tensor<32x1xf32> -> tensor<32x32xf32>
    %v = arith.subf %u, %columns : tensor<32x32xf32>
    scf.yield %v : tensor<32x32xf32>
  }
  tile.store %y, %a[%c0, %c0] : tensor<32x32xf32>, !mat
  return
}

// The same with 128x128 elements: 512 registers in one warp.
// CHECK-LABEL: func.func @too_large
// CHECK-SAME:    tile.num_warps = 4
// REMARK: remark: [Missed] Warps | {{.*}} | Function=too_large | Reason="4 warps stay: 4 warps
func.func @too_large(%a: !mat) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %x = tile.load %a[%c0, %c0] pad(zero) : !mat -> tensor<128x128xf32>
  %y = scf.for %i = %c0 to %c16 step %c1 iter_args(%t = %x) -> (tensor<128x128xf32>) {
    %r = tile.reduce %t dim 0 : tensor<128x128xf32> -> tensor<128xf32> {
    ^bb0(%p: f32, %e: f32):
      %q = arith.addf %p, %e : f32
      tile.yield %q : f32
    }
    %row = tile.reshape %r : tensor<128xf32> -> tensor<1x128xf32>
    %rows = tile.broadcast %row : tensor<1x128xf32> -> tensor<128x128xf32>
    %u = arith.subf %t, %rows : tensor<128x128xf32>
    scf.yield %u : tensor<128x128xf32>
  }
  tile.store %y, %a[%c0, %c0] : tensor<128x128xf32>, !mat
  return
}

// A loop that loads waits for memory, and more warps have more loads under way.
// CHECK-LABEL: func.func @sums_of_memory
// CHECK-SAME:    tile.num_warps = 4
// REMARK-NOT: Warps | {{.*}} | Function=sums_of_memory
func.func @sums_of_memory(%a: !mat, %n: index) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %zero = arith.constant dense<0.0> : tensor<32xf32>
  %y = scf.for %i = %c0 to %n step %c32 iter_args(%t = %zero) -> (tensor<32xf32>) {
    %x = tile.load %a[%i, %c0] pad(zero) : !mat -> tensor<32x32xf32>
    %r = tile.reduce %x dim 0 : tensor<32x32xf32> -> tensor<32xf32> {
    ^bb0(%p: f32, %e: f32):
      %q = arith.addf %p, %e : f32
      tile.yield %q : f32
    }
    %u = arith.addf %t, %r : tensor<32xf32>
    scf.yield %u : tensor<32xf32>
  }
  %row = tile.reshape %y : tensor<32xf32> -> tensor<1x32xf32>
  tile.store %row, %a[%c0, %c0] : tensor<1x32xf32>, !mat
  return
}
