// SPDX-License-Identifier: Apache-2.0
// Logarithms: x = 2^e (1 + f), log x = e log 2 + log(1 + f). With 1 + f in [sqrt(1/2), sqrt(2)) the sum loses nothing
// near x = 1, where e is 0.
#include "Functions.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::expand;

/// log(1 + f) = f - f^2/2 + f^3 (...), f32.
static const double kLog32[] = {0x1.555546p-2,  -0x1.000002p-2, 0x1.99a546p-3,  -0x1.555e42p-3, 0x1.232f56p-3,
                                -0x1.fbdd4cp-4, 0x1.e71746p-4,  -0x1.dfb96ap-4, 0x1.15c434p-4};
/// With s = f/(2 + f): (log((1 + s)/(1 - s)) - 2 s)/s^3 in s^2, f64.
static const double kLog64[] = {0x1.5555555555592p-1, 0x1.999999997ff1cp-2, 0x1.24924941e1103p-2, 0x1.c71c521498838p-3,
                                0x1.74663cdc6d077p-3, 0x1.39a1eaafcc3e4p-3, 0x1.2f03a571738c8p-3};

LnTwo expand::lnTwo(Flt x) {
  return x.isDouble() ? LnTwo{0x1.62e42fefa38p-1, 0x1.ef35793c7673p-45} : LnTwo{0x1.62e4p-1, 0x1.7f7d1cp-20};
}

/// log10 2 in the same form.
static LnTwo logTenOfTwo(Flt x) {
  return x.isDouble() ? LnTwo{0x1.34413509f78p-2, 0x1.fef311f12b358p-46} : LnTwo{0x1.344p-2, 0x1.3509f8p-18};
}

static Flt isolate(Flt x, Flt &exponent) {
  // sqrt(1/2) as a pattern: subtracting it makes the exponent field count from there.
  uint64_t half = x.pick<uint64_t>(0x3f3504f3, 0x3fe6a09e667f3bcd);
  uint64_t exponentMask = x.pick<uint64_t>(0xff800000, 0xfff0000000000000);
  Int bits = x.bits();
  Int distance = bits - half;
  exponent = distance.sar(x.mantissa()).signedToFloat(x.getElementType());
  return (bits - (distance & exponentMask)).asFloat(x.getElementType()) - 1.0;
}

Split expand::splitExponent(Flt x) {
  double up = x.pick(0x1p24, 0x1p54);
  Bool denormal = x < x.pick(0x1p-126, 0x1p-1022);
  Flt exponent = x;
  Flt fraction = isolate(select(denormal, x * up, x), exponent);
  return {exponent + select(denormal, x.constant(x.pick(-24.0, -54.0)), 0.0), fraction};
}

/// log(1 + f) - f for f of a Split.
static Flt logTail(Flt f) {
  if (!f.isDouble())
    return f * f * fma(f, polynomial(f, kLog32), -0.5);
  Flt s = f / (f + 2.0);
  Flt z = s * s;
  Flt half = f * f * 0.5;
  return fma(s, fma(z, polynomial(z, kLog64), half), -half);
}

/// Puts the results for 0, negative numbers, infinity and NaN in.
static Flt logSpecial(Flt x, Flt value) {
  value = select(x < x.infinity(), value, x);
  value = select(x == 0.0, x.infinity(/*negative=*/true), value);
  return select(x < 0.0, x.nan(), value);
}

static Flt logOfSplit(Flt e, Flt f) {
  LnTwo ln2 = lnTwo(f);
  Flt tail = fma(e, ln2.lo, logTail(f));
  auto [hi, lo] = fastTwoSum(e * ln2.hi, f);
  return hi + (lo + tail);
}

Flt expand::log(Flt x) {
  auto [e, f] = splitExponent(x);
  return logSpecial(x, logOfSplit(e, f));
}

/// `log(1 + f)` times a constant given as a pair, as a pair.
static Pair scaledLog(Flt f, double factorHi, double factorLo) {
  Flt tail = logTail(f);
  Flt hi = f * factorHi;
  Flt lo = fma(f, factorHi, -hi) + fma(f, factorLo, tail * factorHi);
  return {hi, lo};
}

Flt expand::log2(Flt x) {
  auto [e, f] = splitExponent(x);
  Pair part = scaledLog(f, x.pick(0x1.715476p+0, 0x1.71547652b82fep+0), x.pick(0x1.4ae0cp-26, 0x1.777d0ffda0d24p-56));
  auto [hi, lo] = fastTwoSum(e, part.hi);
  return logSpecial(x, hi + (lo + part.lo));
}

Flt expand::log10(Flt x) {
  auto [e, f] = splitExponent(x);
  Pair part = scaledLog(f, x.pick(0x1.bcb7b2p-2, 0x1.bcb7b1526e50ep-2), x.pick(-0x1.5b235ep-27, 0x1.95355baaafad3p-57));
  LnTwo log2 = logTenOfTwo(x);
  auto [hi, lo] = fastTwoSum(e * log2.hi, part.hi);
  return logSpecial(x, hi + (lo + fma(e, log2.lo, part.lo)));
}

Flt expand::log1p(Flt x) {
  Flt sum = x + 1.0;
  // What the addition lost, whichever operand is larger.
  Flt lost = twoSum(x, x.constant(1.0)).lo;
  Flt e = x;
  Flt f = isolate(sum, e);
  // 2^-e; past x = 2^mantissa nothing was lost that matters, so its range is kept small.
  Int exponentBits = sum.bits() - x.pick<uint64_t>(0x3f3504f3, 0x3fe6a09e667f3bcd);
  uint64_t one = x.pick<uint64_t>(0x3f800000, 0x3ff0000000000000);
  uint64_t mask = x.pick<uint64_t>(0xff800000, 0xfff0000000000000);
  Flt scale = (x.bits().constant(one) - (exponentBits & mask)).asFloat(x.getElementType());
  Flt corrected = fma(lost, scale, f);
  f = select(sum < x.pick(0x1p60, 0x1p500), corrected, f);
  Flt value = logSpecial(sum, logOfSplit(e, f));
  return select(x.abs() < x.pick(0x1p-26, 0x1p-55), x, value);
}
