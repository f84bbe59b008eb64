// SPDX-License-Identifier: Apache-2.0
/// \file
/// The elementary functions on f32 and f64 values. Special values as in C's <math.h>; denormals count in full. Error
/// bounds: docs/Numerics.md. Formulas are shared by both formats; only coefficients and magic numbers differ.
#ifndef TILEWRIGHT_LIB_CONVERSION_EXPANDMATH_FUNCTIONS_H
#define TILEWRIGHT_LIB_CONVERSION_EXPANDMATH_FUNCTIONS_H

#include "Emit.h"

namespace tilewright::expand {

// Exponential.cpp
Flt exp(Flt x);
Flt exp2(Flt x);
Flt expm1(Flt x);
/// `exp(x.hi + x.lo) * scale` with one rounding where the result is denormal; `scale` is a power of two near 1.
Flt expOfPair(Pair x, double scale = 1.0);
/// `exp(x)` without denormal results, overflow or NaN: for x in [-80, 80] (f32), [-700, 700] (f64).
Flt expInRange(Flt x);

// Logarithm.cpp
Flt log(Flt x);
Flt log2(Flt x);
Flt log10(Flt x);
Flt log1p(Flt x);
/// `x = (1 + fraction) * 2^exponent` with `1 + fraction` in [sqrt(1/2), sqrt(2)), for positive finite x.
struct Split {
  Flt exponent, fraction;
};
Split splitExponent(Flt x);
/// ln 2 as a pair whose high part has enough trailing zeros that any exponent times it is exact.
struct LnTwo {
  double hi, lo;
};
LnTwo lnTwo(Flt x);

// Trigonometric.cpp
Flt sin(Flt x);
Flt cos(Flt x);
Flt tan(Flt x);
std::pair<Flt, Flt> sinCos(Flt x);

// InverseTrigonometric.cpp
Flt asin(Flt x);
Flt acos(Flt x);
Flt atan(Flt x);
Flt atan2(Flt y, Flt x);

// Hyperbolic.cpp
Flt sinh(Flt x);
Flt cosh(Flt x);
Flt tanh(Flt x);
Flt asinh(Flt x);
Flt acosh(Flt x);
Flt atanh(Flt x);

// ErrorFunction.cpp
Flt erf(Flt x);
Flt erfc(Flt x);

// Power.cpp
Flt pow(Flt x, Flt y);
/// `x` to an integer power of any width.
Flt powInt(Flt x, Int n);
/// Integer power by squaring, modulo two to the width. A negative power gives 1/x rounded towards zero, 0 for x = 0.
Int ipow(Int x, Int n);

// Remainder.cpp
/// `x - n * y` for the quotient rounded towards zero, n, exactly, with the sign of x. On scalars and vectors.
Flt remainder(Flt x, Flt y);

// Root.cpp
Flt rsqrt(Flt x);
Flt cbrt(Flt x);

} // namespace tilewright::expand

#endif // TILEWRIGHT_LIB_CONVERSION_EXPANDMATH_FUNCTIONS_H
