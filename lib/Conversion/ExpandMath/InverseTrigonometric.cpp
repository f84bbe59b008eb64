// SPDX-License-Identifier: Apache-2.0
// Inverse trigonometric functions: odd polynomials on [0, 1] (arc tangent) and [0, 1/2] (arc sine), and their
// complements.
#include "Functions.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::expand;

/// (atan x - x)/x^3 in x^2, |x| <= 1.
static const double kAtan32[] = {-0x1.55553ep-2, 0x1.9991e4p-3,  -0x1.242086p-3, 0x1.c08c5p-4,   -0x1.5808fp-4,
                                 0x1.da27e2p-5,  -0x1.fd74f8p-6, 0x1.641478p-7,  -0x1.d32f0ap-10};
static const double kAtan64[] = {
    -0x1.5555555555522p-2, 0x1.9999999995143p-3,  -0x1.2492492370b8ep-3, 0x1.c71c717ca9991p-4,   -0x1.745d11798135cp-4,
    0x1.3b13644881f45p-4,  -0x1.110e3ed2c4c1bp-4, 0x1.e1bad2421ccc9p-5,  -0x1.ae5ad7b3d6a0ap-5,  0x1.82ced62722daep-5,
    -0x1.59850c0232996p-5, 0x1.2bf035c2357dbp-5,  -0x1.e937678d435d4p-6, 0x1.67502bee1ebbfp-6,   -0x1.c5d61bb00570ep-7,
    0x1.d54c88cce7e38p-8,  -0x1.77bee8cc171ccp-9, 0x1.b07f5c0aa9dc1p-11, -0x1.3c35cad1aaec4p-13, 0x1.b72386e4ac66fp-17};
/// (asin x - x)/x^3 in x^2, |x| <= 1/2.
static const double kAsin32[] = {0x1.5555c8p-3, 0x1.330204p-4, 0x1.747bb8p-5, 0x1.8c3e54p-6, 0x1.595c58p-5};
static const double kAsin64[] = {0x1.555555555539p-3,  0x1.333333336e834p-4,  0x1.6db6db4277dacp-5,
                                 0x1.f1c72c39fcf13p-6, 0x1.6e89f4240fdc9p-6,  0x1.1c6be37cc1186p-6,
                                 0x1.c6fd9a47cde06p-7, 0x1.8ec4111853dc4p-7,  0x1.abc57b164c0e6p-8,
                                 0x1.3ffbc2c83bc9ep-6, -0x1.09dec8ec518e5p-6, 0x1.057190970e58bp-5};

static double halfPiHi(Flt x) { return x.pick(0x1.921fb6p+0, 0x1.921fb54442d18p+0); }
static double halfPiLo(Flt x) { return x.pick(-0x1.777a5cp-25, 0x1.1a62633145c07p-54); }

/// `k pi/2 - value` with pi/2 in two parts; k is 1 or 2.
static Flt complement(double k, Flt value) {
  return value.constant(k * halfPiHi(value)) - (value - k * halfPiLo(value));
}

/// atan t for t in [0, 1].
static Flt atanUnit(Flt t) {
  Flt z = t * t;
  return fma(t * z, polynomial(z, kAtan32, kAtan64), t);
}

Flt expand::atan(Flt x) {
  Flt a = x.abs();
  Bool large = a > 1.0;
  Flt p = atanUnit(select(large, a.constant(1.0) / a, a));
  return select(large, complement(1, p), p).copySign(x);
}

Flt expand::atan2(Flt y, Flt x) {
  Flt ay = y.abs(), ax = x.abs();
  Bool steep = ay > ax;
  Flt low = select(steep, ax, ay), high = select(steep, ay, ax);
  Flt ratio = low / high;
  // 0/0 and inf/inf have directions of their own.
  ratio = select(high == 0.0, x.constant(0.0), ratio);
  ratio = select(low == x.infinity(), x.constant(1.0), ratio);
  Flt angle = atanUnit(ratio);
  angle = select(steep, complement(1, angle), angle);
  angle = select(x.bits().slt(0), complement(2, angle), angle);
  // Also where the comparison above dropped a NaN.
  return select(x.unordered(y), x + y, angle.copySign(y));
}

namespace {
/// asin s = s + tail for s = |x|, or for s = sqrt((1 - |x|)/2) where |x| > 1/2: then |x|'s is pi/2 - 2 asin s.
struct AsinPart {
  Bool large;
  Flt s, tail;
};
} // namespace

static AsinPart asinPart(Flt a) {
  Bool large = a > 0.5;
  // fma is exact here: 1 - a is, and so is its half.
  Flt rest = fma(a, -0.5, 0.5);
  Flt z = select(large, rest, a * a);
  Flt s = select(large, rest.sqrt(), a);
  return {large, s, s * z * polynomial(z, kAsin32, kAsin64)};
}

Flt expand::asin(Flt x) {
  auto [large, s, tail] = asinPart(x.abs());
  // pi/2 - 2 s - 2 tail by way of pi/4 - 2 s, which is small or exact: three roundings near 1 would show.
  Flt quarter = x.constant(halfPiHi(x) * 0.5);
  Flt twice = tail + tail;
  Flt small = (quarter - (s + s)) - (twice - halfPiLo(x));
  return select(large, quarter + small, s + tail).copySign(x);
}

Flt expand::acos(Flt x) {
  auto [large, s, tail] = asinPart(x.abs());
  Bool negative = x < 0.0;
  Flt p = s + tail;
  Flt twice = p + p;
  Flt nearOne = select(negative, complement(2, twice), twice);
  Flt middle = complement(1, select(negative, -p, p));
  return select(large, nearOne, middle);
}
