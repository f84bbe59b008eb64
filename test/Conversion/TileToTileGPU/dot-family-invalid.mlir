// A wish for a family that has no instruction is an error, as is one for a family that does not exist.
// RUN: tile-opt %s -split-input-file --tile-assign-layouts="target=sm_80" -verify-diagnostics

func.func @exact_f32() attributes {tile.kernel} {
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  // expected-error @below {{expects a product that mma.sync can compute, as tile.mma asks: f32 operands keep all their bits unless the product allows tf32}}
  %d = tile.dot %zero, %zero, %zero {tile.mma = "mma.sync"} : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
  return
}

// -----

func.func @fp8_before_sm_89() attributes {tile.kernel} {
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %x = arith.constant dense<1.0> : tensor<16x16xf8E4M3FN>
  // expected-error @below {{as tile.mma asks: the target sm_80 has none for f8E4M3FN, sm_89 is the first that has}}
  %d = tile.dot %x, %x, %zero {tile.mma = "mma.sync"} : tensor<16x16xf8E4M3FN>, tensor<16x16xf8E4M3FN> -> tensor<16x16xf32>
  return
}

// -----

func.func @unknown_family() attributes {tile.kernel} {
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  // expected-error @below {{expected tile.mma to be one of "fma", "mma.sync", "wgmma", "tcgen05", found "wmma"}}
  %d = tile.dot %zero, %zero, %zero {tile.mma = "wmma"} : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
  return
}

// -----

func.func @elsewhere() attributes {tile.kernel} {
  // expected-error @below {{expected tile.mma on tile.dot only}}
  %zero = arith.constant {tile.mma = "fma"} dense<0.0> : tensor<16x16xf32>
  return
}
