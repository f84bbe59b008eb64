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

// -----

func.func @overflows(%p: !tile.ptr<i8>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i8
  %c120 = arith.constant 120 : i8
  %c100 = arith.constant 100 : i8
  // expected-error @below {{'scf.for' op expects a variable that does not overflow, found 0 to 120 step 100, behind whose last trip it would be 200, more than 127}}
  scf.for %i = %c0 to %c120 step %c100 : i8 {
    tile.store_ptr %i, %p : !tile.ptr<i8>
  }
  return
}

// -----

func.func @overflows_index(%p: !tile.ptr<i64>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %most = arith.constant 9223372036854775807 : index
  // expected-error @below {{found 0 to 9223372036854775807 step 2, behind whose last trip it would be 9223372036854775808, more than 9223372036854775807}}
  scf.for %i = %c0 to %most step %c2 {
    %v = arith.index_cast %i : index to i64
    tile.store_ptr %v, %p : !tile.ptr<i64>
  }
  return
}

// -----

func.func @unsigned(%p: !tile.ptr<i8>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i8
  %end = arith.constant -6 : i8
  %c100 = arith.constant 100 : i8
  // expected-error @below {{found 0 to 250 step 100, behind whose last trip it would be 300, more than 255}}
  scf.for unsigned %i = %c0 to %end step %c100 : i8 {
    tile.store_ptr %i, %p : !tile.ptr<i8>
  }
  return
}

// -----

func.func @no_step(%p: !tile.ptr<i8>, %from: i8, %to: i8) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i8
  // expected-error @below {{'scf.for' op expects a positive step, found 0}}
  scf.for %i = %from to %to step %c0 : i8 {
    tile.store_ptr %i, %p : !tile.ptr<i8>
  }
  return
}

// -----

func.func @backwards(%p: !tile.ptr<i8>, %from: i8, %to: i8) attributes {tile.kernel} {
  %c = arith.constant -1 : i8
  // expected-error @below {{'scf.for' op expects a positive step, found -1}}
  scf.for %i = %from to %to step %c : i8 {
    tile.store_ptr %i, %p : !tile.ptr<i8>
  }
  return
}

// -----

// The nearest that end: at the last number of the type, without a trip, unsigned with a step of the upper half.
func.func @ends(%p: !tile.ptr<i8>) attributes {tile.kernel} {
  %low = arith.constant 1 : i8
  %c2 = arith.constant 2 : i8
  %most = arith.constant 127 : i8
  %c0 = arith.constant 0 : i8
  %c200 = arith.constant -56 : i8
  scf.for %i = %low to %most step %c2 : i8 {
    tile.store_ptr %i, %p : !tile.ptr<i8>
  }
  scf.for %i = %most to %low step %c0 : i8 {
    tile.store_ptr %i, %p : !tile.ptr<i8>
  }
  scf.for unsigned %i = %c0 to %c200 step %c200 : i8 {
    tile.store_ptr %i, %p : !tile.ptr<i8>
  }
  return
}
