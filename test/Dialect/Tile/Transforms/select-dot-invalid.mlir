// Wishes and records that cannot be had.
// RUN: tile-opt %s -split-input-file --tile-select-dot=target=sm_90a -verify-diagnostics

func.func @not_lowered_yet() attributes {tile.kernel} {
  %x = arith.constant dense<1.0> : tensor<64x64xf16>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  // expected-error @below {{expects a product that wgmma can compute, as tile.mma asks: m64n64k16 fits, but is not lowered yet}}
  %d = tile.dot %x, %x, %zero {tile.mma = "wgmma"} : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
  return
}

// -----

func.func @too_few_rows() attributes {tile.kernel} {
  %x = arith.constant dense<1.0> : tensor<16x16xf16>
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  // expected-error @below {{as tile.mma asks: M is 16, not a multiple of 64}}
  %d = tile.dot %x, %x, %zero {tile.mma = "wgmma"} : tensor<16x16xf16>, tensor<16x16xf16> -> tensor<16x16xf32>
  return
}

// -----

func.func @other_target() attributes {tile.kernel} {
  %x = arith.constant dense<1.0> : tensor<64x64xf16>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  // expected-error @below {{as tile.mma asks: the target sm_90a has no tcgen05, sm_100a is the first that has}}
  %d = tile.dot %x, %x, %zero {tile.mma = "tcgen05"} : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
  return
}

// -----

// The warps are wrong for wgmma, which is said before it is said that it is not lowered.
func.func @warps() attributes {tile.kernel, tile.num_warps = 16 : i64} {
  %x = arith.constant dense<1.0> : tensor<64x64xf16>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  // expected-error @below {{as tile.mma asks: 16 warps are not 4, 8 or 12}}
  %d = tile.dot %x, %x, %zero {tile.mma = "wgmma"} : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
  return
}

// -----

func.func @recorded_for_another_target() attributes {tile.kernel} {
  %x = arith.constant dense<1.0> : tensor<64x64xf16>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  // expected-error @below {{expects a product that tcgen05 can compute, as tile.dot_choice says: the target sm_90a has no tcgen05}}
  %d = tile.dot %x, %x, %zero {tile.dot_choice = {family = "tcgen05", shape = array<i64: 64, 64, 16>}} : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
  return
}

// -----

func.func @record_against_wish() attributes {tile.kernel} {
  %x = arith.constant dense<1.0> : tensor<64x64xf16>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  // expected-error @below {{expects tile.dot_choice to take "fma", as tile.mma asks, found "mma.sync"}}
  %d = tile.dot %x, %x, %zero {tile.mma = "fma", tile.dot_choice = {family = "mma.sync", shape = array<i64: 16, 8, 16>}} : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
  return
}

// -----

func.func @no_dictionary() attributes {tile.kernel} {
  %x = arith.constant dense<1.0> : tensor<64x64xf16>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  // expected-error @below {{expected tile.dot_choice to be a dictionary, found "fma"}}
  %d = tile.dot %x, %x, %zero {tile.dot_choice = "fma"} : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
  return
}

// -----

func.func @no_family() attributes {tile.kernel} {
  %x = arith.constant dense<1.0> : tensor<64x64xf16>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  // expected-error @below {{a dictionary whose family is one of "fma", "mma.sync", "wgmma", "tcgen05", found}}
  %d = tile.dot %x, %x, %zero {tile.dot_choice = {family = "hmma"}} : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
  return
}

// -----

func.func @no_shape() attributes {tile.kernel} {
  %x = arith.constant dense<1.0> : tensor<64x64xf16>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  // expected-error @below {{a dictionary whose shape is an array of three positive i64, found}}
  %d = tile.dot %x, %x, %zero {tile.dot_choice = {family = "fma", shape = array<i64: 1, 0, 1>}} : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
  return
}

// -----

func.func @odd_padding() attributes {tile.kernel} {
  %x = arith.constant dense<1.0> : tensor<64x64xf16>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  // expected-error @below {{a dictionary whose padded is an array of three positive i64, found}}
  %d = tile.dot %x, %x, %zero {tile.dot_choice = {family = "fma", shape = array<i64: 1, 1, 1>, padded = 64 : i64}} : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
  return
}

// -----

func.func @unknown_entry() attributes {tile.kernel} {
  %x = arith.constant dense<1.0> : tensor<64x64xf16>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  // expected-error @below {{which has no stages, found}}
  %d = tile.dot %x, %x, %zero {tile.dot_choice = {family = "fma", shape = array<i64: 1, 1, 1>, stages = 3 : i64}} : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
  return
}

// -----

func.func @number_for_text() attributes {tile.kernel} {
  %x = arith.constant dense<1.0> : tensor<64x64xf16>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  // expected-error @below {{a dictionary whose sum is a string, found}}
  %d = tile.dot %x, %x, %zero {tile.dot_choice = {family = "fma", shape = array<i64: 1, 1, 1>, sum = 3 : i64}} : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
  return
}

// -----

func.func @elsewhere() attributes {tile.kernel} {
  // expected-error @below {{expected tile.dot_choice on tile.dot only}}
  %zero = arith.constant {tile.dot_choice = {family = "fma"}} dense<0.0> : tensor<16x16xf32>
  return
}
