// RUN: tile-opt %s -tile-expand-math -split-input-file -verify-diagnostics

func.func @f128_has_no_expansion(%x: f128) -> f128 {
  // expected-error @below {{'math.exp' op expected f16, bf16, f32 or f64 elements of static shape, found 'f128'}}
  %0 = math.exp %x : f128
  return %0 : f128
}

// -----

func.func @unknown_size(%x: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error @below {{'math.log' op expected f16, bf16, f32 or f64 elements of static shape, found 'tensor<?xf32>'}}
  %0 = math.log %x : tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

func.func @wide_integer_power(%x: i128) -> i128 {
  // expected-error @below {{'math.ipowi' op expected integers of 4 to 64 bits of static shape, found 'i128'}}
  %0 = math.ipowi %x, %x : i128
  return %0 : i128
}

// -----

// Only the first is reported: the same op stands once in each variant of a kernel.
func.func @directed_rounding(%x: f32) -> (f16, f16) {
  // expected-error @below {{'arith.truncf' op expected to round to_nearest_even, which is all that is lowered yet, found upward}}
  %0 = arith.truncf %x upward : f32 to f16
  %1 = arith.truncf %x toward_zero : f32 to f16
  return %0, %1 : f16, f16
}
