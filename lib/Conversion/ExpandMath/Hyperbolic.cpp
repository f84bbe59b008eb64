// SPDX-License-Identifier: Apache-2.0
// Hyperbolic functions through e^|x|, or by an odd polynomial where that would cancel.
#include "Functions.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::expand;

/// (sinh x - x)/x^3 in x^2, |x| <= 1.
static const double kSinh32[] = {0x1.555556p-3, 0x1.1110ep-7, 0x1.a022bcp-13, 0x1.756c1ep-19};
static const double kSinh64[] = {0x1.5555555555555p-3,  0x1.111111111119bp-7,  0x1.a01a01a00735bp-13,
                                 0x1.71de3a68d0375p-19, 0x1.ae64412285d54p-26, 0x1.61314d67e848fp-33,
                                 0x1.a6653f3251b64p-41, 0x1.d2a07a3792488p-48};
/// (tanh x - x)/x^3 in x^2, |x| <= 0.62.
static const double kTanh32[] = {-0x1.555536p-2, 0x1.1107d2p-3, -0x1.b85328p-5, 0x1.52bfc8p-6, -0x1.78a444p-8};

/// e^a / 2 for a >= 0, infinite only where the half is.
static Flt halfExp(Flt a) { return expOfPair({a, a.constant(0.0)}, 0.5); }

Flt expand::sinh(Flt x) {
  Flt a = x.abs();
  Flt e = halfExp(a);
  Flt z = x * x;
  Flt small = fma(a * z, polynomial(z, kSinh32, kSinh64), a);
  return select(a < 1.0, small, e - a.constant(0.25) / e).copySign(x);
}

Flt expand::cosh(Flt x) {
  Flt e = halfExp(x.abs());
  return e + x.constant(0.25) / e;
}

Flt expand::tanh(Flt x) {
  Flt a = x.abs();
  Flt one = x.constant(1.0);
  if (x.isDouble()) {
    Flt e = expm1(a.atMost(22.0) * 2.0);
    return (e / (e + 2.0)).copySign(x);
  }
  Flt e = expInRange(a.atMost(10.0) * 2.0);
  Flt large = one - one.constant(2.0) / (e + 1.0);
  Flt z = x * x;
  Flt small = fma(a * z, polynomial(z, kTanh32), a);
  return select(a < 0.609375, small, large).copySign(x);
}

/// Beyond this the terms that differ from log(2a) are below rounding.
static double largeLimit(Flt x) { return x.pick(0x1p26, 0x1p55); }

/// `log1p(small)`, or `log1p(large) + ln 2` where `useLarge`.
static Flt logEither(Bool useLarge, Flt small, Flt large) {
  Flt value = log1p(select(useLarge, large, small));
  return value + select(useLarge, value.constant(0x1.62e42fefa39efp-1), 0.0);
}

Flt expand::asinh(Flt x) {
  Flt a = x.abs();
  Bool large = a > largeLimit(x);
  Flt square = a * a;
  Flt small = a + square / ((square + 1.0).sqrt() + 1.0);
  return logEither(large, small, a).copySign(x);
}

Flt expand::acosh(Flt x) {
  Bool large = x > largeLimit(x);
  Flt t = x - 1.0;
  Flt small = t + fma(t, t, t + t).sqrt();
  return select(x < 1.0, x.nan(), logEither(large, small, t));
}

Flt expand::atanh(Flt x) {
  Flt a = x.abs();
  return (log1p((a + a) / (a.constant(1.0) - a)) * 0.5).copySign(x);
}
