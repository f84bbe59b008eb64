// RUN: tile-opt %s -tile-check-target=target=sm_80 -split-input-file -verify-diagnostics

func.func @add_f8() attributes {tile.kernel} {
  %x = arith.constant dense<1.0> : tensor<32xf8E4M3FN>
  // expected-error @below {{'arith.addf' op expects arithmetic on 'f8E4M3FN', which sm_80 and all other targets lack; compute in a wider float between arith.extf and arith.truncf}}
  %0 = arith.addf %x, %x : tensor<32xf8E4M3FN>
  %1 = arith.addf %0, %x : tensor<32xf8E4M3FN>
  return
}

// -----

func.func @compare_f4() attributes {tile.kernel} {
  %x = arith.constant 1.0 : f4E2M1FN
  // expected-error @below {{'arith.cmpf' op expects arithmetic on 'f4E2M1FN'}}
  %0 = arith.cmpf olt, %x, %x : f4E2M1FN
  return
}

// -----

// Not a type of the language: no target has anything for it.
func.func @round_f128() attributes {tile.kernel} {
  %x = arith.constant 1.5 : f128
  // expected-error @below {{'math.floor' op expects arithmetic on 'f128'}}
  %0 = math.floor %x : f128
  return
}

// -----

// What moves and converts is no arithmetic, and a host function none of the target's.
func.func @conversions_and_selects(%flag: i1) attributes {tile.kernel} {
  %x = arith.constant dense<2.0> : tensor<32xf8E5M2>
  %one = arith.constant dense<1.0> : tensor<32xf8E5M2>
  %0 = arith.select %flag, %x, %one : tensor<32xf8E5M2>
  %1 = arith.extf %0 : tensor<32xf8E5M2> to tensor<32xbf16>
  %2 = arith.addf %1, %1 : tensor<32xbf16>
  %3 = arith.truncf %2 : tensor<32xbf16> to tensor<32xf8E5M2>
  %4 = arith.fptosi %3 : tensor<32xf8E5M2> to tensor<32xi8>
  %5 = arith.sitofp %4 : tensor<32xi8> to tensor<32xf8E5M2>
  %6 = arith.bitcast %5 : tensor<32xf8E5M2> to tensor<32xi8>
  return
}

func.func @host(%x: f8E5M2) -> f8E5M2 {
  %0 = arith.negf %x : f8E5M2
  return %0 : f8E5M2
}
