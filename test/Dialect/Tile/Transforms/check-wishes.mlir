// SPDX-License-Identifier: Apache-2.0
// RUN: tile-opt %s --verify-diagnostics -o /dev/null "--tile-check-wishes=disabled=tile-subtile-epilogue,tile-order-grid,tile-make-persistent,tile-split-precision"
// RUN: not tile-opt %s --tile-check-wishes=parts=2 -o /dev/null 2>&1 | FileCheck %s
// CHECK-NOT: disabled
// CHECK: option 'epilogue-parts'

!v = !tile.view<64x64xf32, strides = [64, 1]>
// expected-warning @below {{tile.epilogue_parts has no effect: tile-subtile-epilogue is disabled}}
// expected-warning @below {{tile.grid_group has no effect: tile-order-grid is disabled}}
// expected-warning @below {{tile.persistent has no effect: tile-make-persistent is disabled}}
// expected-warning @below {{tile.num_stages has no effect: no pass obeys it so far}}
func.func @all_of_them(%v: !v) attributes {tile.kernel, tile.epilogue_parts = 2, tile.grid_group = 4, tile.persistent = true,
                                           tile.num_stages = 3} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-warning @below {{tile.latency has no effect: no pass obeys it so far}}
  %x = tile.load %v[%c0, %c0] {tile.latency = 4} : !v -> tensor<64x64xf32>
  // expected-warning @below {{tile.flatten has no effect: no pass obeys it so far}}
  // expected-warning @below {{tile.specialize has no effect: no pass obeys it so far}}
  scf.for %i = %c0 to %c1 step %c1 {
  } {tile.flatten, tile.specialize}
  // expected-warning @below {{tile.epilogue_parts has no effect: tile-subtile-epilogue is disabled}}
  tile.store %x, %v[%c0, %c0] {tile.epilogue_parts = 2} : tensor<64x64xf32>, !v
  return
}

// What is asked for is what happens anyway.
func.func @nothing(%v: !v) attributes {tile.kernel, tile.epilogue_parts = 1, tile.persistent = false, tile.num_stages = 1,
                                       tile.occupancy = 2} {
  return
}
