// SPDX-License-Identifier: Apache-2.0
// Accesses that a program marks itself.
!v = !tile.view<?x64xf32, strides = [?, 1]>
!u = !tile.view<?x64xf32, strides = [?, 2]>
func.func @by_branch(%v: !v, %w: !v, %c: i1) attributes {tile.kernel, tile.grid = @by_branch_grid} {
  %c0 = arith.constant 0 : index
  %a = scf.if %c -> (!v) {
    scf.yield %v : !v
  } else {
    scf.yield %w : !v
  }
  %x = scf.if %c -> (tensor<16x64xf32>) {
    %y = tile.load %a[%c0, %c0] {tile.tma} : !v -> tensor<16x64xf32>
    scf.yield %y : tensor<16x64xf32>
  } else {
    %z = arith.constant dense<0.0> : tensor<16x64xf32>
    scf.yield %z : tensor<16x64xf32>
  }
  tile.store %x, %w[%c0, %c0] : tensor<16x64xf32>, !v
  return
}
func.func @by_branch_grid(%v: !v, %w: !v, %c: i1) -> index {
  %c1 = arith.constant 1 : index
  return %c1 : index
}
func.func @no_unit(%u: !u, %w: !v) attributes {tile.kernel, tile.grid = @no_unit_grid} {
  %c0 = arith.constant 0 : index
  %x = tile.load %u[%c0, %c0] {tile.tma} : !u -> tensor<16x64xf32>
  tile.store %x, %w[%c0, %c0] : tensor<16x64xf32>, !v
  return
}
func.func @no_unit_grid(%u: !u, %w: !v) -> index {
  %c1 = arith.constant 1 : index
  return %c1 : index
}
func.func @narrow(%v: !v {tile.name = "v"}, %w: !v {tile.name = "w"}) attributes {tile.kernel, tile.grid = @narrow_grid} {
  %c0 = arith.constant 0 : index
  %x = tile.load %v[%c0, %c0] {tile.tma} : !v -> tensor<16x2xf32>
  tile.store %x, %w[%c0, %c0] : tensor<16x2xf32>, !v
  return
}
func.func @narrow_grid(%v: !v, %w: !v) -> index {
  %c1 = arith.constant 1 : index
  return %c1 : index
}
func.func @peeled(%v: !v {tile.name = "v"}, %w: !v) attributes {tile.kernel, tile.grid = @narrow_grid} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %x = tile.load %v[%c0, %c0] {tile.tma} : !v -> tensor<16x64xf32>
  %y = tile.load %v[%c16, %c0] {tile.tma} : !v -> tensor<16x64xf32>
  %z = tile.load %v[%c0, %c0] {tile.tma} : !v -> tensor<32x64xf32>
  %s = arith.addf %x, %y : tensor<16x64xf32>
  tile.store %s, %w[%c0, %c0] : tensor<16x64xf32>, !v
  tile.store %z, %w[%c16, %c0] : tensor<32x64xf32>, !v
  return
}
