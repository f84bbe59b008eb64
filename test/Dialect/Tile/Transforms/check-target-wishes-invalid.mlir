// SPDX-License-Identifier: Apache-2.0
// What a program asks for and the target cannot give, whatever else is decided.
// RUN: tile-opt %s -tile-check-target=target=sm_90a -split-input-file -verify-diagnostics -o /dev/null

// Four times 16 warps are 2048 threads, which is what sm_90a holds and more than sm_89 does.
func.func @just_fits() attributes {tile.kernel, tile.num_warps = 16, tile.occupancy = 4} {
  return
}

// expected-error @below {{tile.occupancy asks for 5 programs on an SM, which are 2560 threads of 512 each, but sm_90a holds 2048}}
func.func @too_many_threads() attributes {tile.kernel, tile.num_warps = 16, tile.occupancy = 5} {
  return
}

// -----

// expected-error @below {{tile.occupancy asks for 33 programs on an SM, sm_90a holds 32 CTAs}}
func.func @too_many_programs() attributes {tile.kernel, tile.num_warps = 1, tile.occupancy = 33} {
  return
}

// -----

!v = !tile.view<?x64xf32, strides = [?, 2]>
func.func @marked(%v: !v) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  // expected-error @below {{is marked tile.tma, but no dim is known to have stride 1}}
  %x = tile.load %v[%c0, %c0] {tile.tma} : !v -> tensor<16x64xf32>
  return
}

// -----

// Not proved is not broken: the launcher checks it.
!v = !tile.view<?x64xf32, strides = [?, 1]>
func.func @unproved(%v: !v, %i: index) attributes {tile.kernel} {
  %x = tile.load %v[%i, %i] {tile.tma} : !v -> tensor<16x64xf32>
  tile.store %x, %v[%i, %i] {tile.tma} : tensor<16x64xf32>, !v
  return
}

// -----

!v = !tile.view<64x64xf32, strides = [64, 1]>
func.func @atomic(%v: !v) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  // expected-error @below {{is marked tile.tma, but each element is an atomic access}}
  %x = tile.load %v[%c0, %c0] sync(relaxed, gpu) {tile.tma} : !v -> tensor<16x64xf32>
  return
}
