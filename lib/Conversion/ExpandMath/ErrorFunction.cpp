// SPDX-License-Identifier: Apache-2.0
// Error function and its complement. erfc a = e^(-a^2) erfcx a for a >= 0, and (1 + 2a) erfcx a is smooth enough for a
// polynomial in (a - k)/(a + k), which maps all of a >= 0 to [-1, 1).
#include "Functions.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::expand;

/// erf x / x - 1 in x^2, |x| <= 0.93 (f32), 1 (f64).
static const double kErf32[] = {0x1.06eba6p-3,  -0x1.8126e2p-2, 0x1.ce1986p-4,
                                -0x1.b67c02p-6, 0x1.46d9dp-8,   -0x1.3873ccp-11};
static const double kErf64[] = {0x1.06eba8214db69p-3,   -0x1.812746b037a08p-2,  0x1.ce2f21a043eeep-4,
                                -0x1.b82ce312d4356p-6,  0x1.565bcd187fd3cp-8,   -0x1.c02db59ff61f2p-11,
                                0x1.f9a351d735e2cp-14,  -0x1.f4d545d9e8978p-17, 0x1.ba0840efe2b56p-20,
                                -0x1.606ab9da44afcp-23, 0x1.0285f2af4e636p-26,  -0x1.60318fc78c91cp-30,
                                0x1.6d1389a0d1e9cp-34};
/// log(erfc a) on [0.9, 4], f32.
static const double kLogErfc32[] = {0x1.635aa6p-13, -0x1.21263cp+0, -0x1.444cc2p-1, -0x1.bb48b2p-4,
                                    0x1.9af52cp-6,  -0x1.1071c4p-8, 0x1.c48faep-12, -0x1.5dc286p-16};
/// (1 + 2a) erfcx a in q = (a - k)/(a + k): k = 2, a <= 11 (f32); k = 4, a <= 28 (f64).
static const double kErfcx32[] = {0x1.46e80ep+0,   -0x1.7bf5ecp-4, -0x1.54079ep-3, 0x1.4ffa12p-3,
                                  -0x1.bc2ea2p-5,  -0x1.0734dep-7, 0x1.1dd808p-7,  0x1.4a482ap-10,
                                  -0x1.7ad344p-10, -0x1.b3cadp-12, 0x1.83b77ep-13, 0x1.7bc504p-14};
static const double kErfcx64[] = {
    0x1.3ba5916e9fd7fp+0,   -0x1.1df1ad154a28fp-3,  0x1.f7f5df66fcb63p-7,   0x1.16ecefcfa58a5p-4,
    -0x1.9ddb23c3e5c96p-4,  0x1.7fee004e02784p-4,   -0x1.0fb06dfe806ebp-4,  0x1.3079edf8dace7p-5,
    -0x1.0962387be394fp-6,  0x1.49c671d050797p-8,   -0x1.8d4aa25ad71bep-11, -0x1.a1dea5bae2023p-13,
    0x1.3be0ea41da6edp-13,  -0x1.9966e6d68094ap-16, -0x1.78aa307c37921p-17, 0x1.7f99a728be266p-18,
    0x1.443b246a642b4p-22,  -0x1.bf2d223bdd3e9p-21, 0x1.0d27e3987b2d9p-24,  0x1.e8a4fd8d00f72p-24,
    -0x1.1589d82bc76f6p-27, -0x1.c50f4c242fe6ep-27, -0x1.bc83b5b7493bep-30};

/// erfc a for a >= 0.
static Flt erfcOfPositive(Flt a) {
  a = a.atMost(a.pick(11.0, 28.0));
  double k = a.pick(2.0, 4.0);
  Flt q = (a - k) / (a + k);
  auto [square, low] = twoProduct(a, a);
  // The low part of the square counts: e to its power is off by 100 ulp without it where a is 10.
  Flt smooth = polynomial(q, kErfcx32, kErfcx64) / fma(a, 2.0, 1.0);
  return expOfPair({-square, -low}) * smooth;
}

static Flt erfOfSmall(Flt x) {
  Flt z = x * x;
  return fma(x, polynomial(z, kErf32, kErf64), x);
}

Flt expand::erf(Flt x) {
  Flt a = x.abs();
  Flt one = x.constant(1.0);
  if (x.isDouble()) {
    Flt large = one - erfcOfPositive(a.atMost(6.0));
    return select(a < 1.0, erfOfSmall(a), large).copySign(x);
  }
  Flt large = one - expInRange(polynomial(a.atMost(4.0), kLogErfc32));
  return select(a < 0.921875, erfOfSmall(a), large).copySign(x);
}

Flt expand::erfc(Flt x) {
  Flt a = x.abs();
  Flt tail = erfcOfPositive(a);
  Flt value = select(x < 0.0, x.constant(2.0) - tail, tail);
  return select(a < 0.5, x.constant(1.0) - erfOfSmall(x), value);
}
