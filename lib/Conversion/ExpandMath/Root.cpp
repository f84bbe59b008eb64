// SPDX-License-Identifier: Apache-2.0
#include "Functions.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::expand;

Flt expand::rsqrt(Flt x) { return x.constant(1.0) / x.sqrt(); }

Flt expand::cbrt(Flt x) {
  Flt a = x.abs();
  Bool denormal = a < x.pick(0x1p-126, 0x1p-1022);
  Flt v = select(denormal, a * x.pick(0x1p24, 0x1p54), a);
  // v^(-1/3): a third of the exponent, negated, is right to 3.5 %; each step cubes the error. f32: 2 steps, f64: 3.
  uint64_t start = x.pick<uint64_t>(0x54a237fa, 0x553ef1a9fbe76c00);
  Flt t = (v.bits().constant(start) - v.bits().udiv(3)).asFloat(x.getElementType());
  for (int step = 0, steps = x.pick(2, 3); step < steps; ++step) {
    Flt error = fma(v * t * t, -t, 1.0);
    t = fma(t * error, fma(error, 2.0 / 9, 1.0 / 3), t);
  }
  // One Newton step on y^3 = v with the residual in two parts.
  Flt y = v * t * t;
  auto [square, low] = twoProduct(y, y);
  Flt residual = fma(-y, square, v) - y * low;
  y = fma(residual * t * t, 1.0 / 3, y);
  y = select(denormal, y * x.pick(0x1p-8, 0x1p-18), y).copySign(x);
  return select((a < x.infinity()) & (a > 0.0), y, x);
}
