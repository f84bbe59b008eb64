// SPDX-License-Identifier: Apache-2.0
// Exponentials: x = n ln 2 + r, e^x = 2^n e^r, with e^r a polynomial. Adding 1.5 * 2^mantissa to a number leaves its
// nearest integer in the low bits of the sum; with the exponent's bias added as well, these bits shifted left are a
// power of two. The result is multiplied by two powers of two, the second of which rounds a denormal result once and
// overflows to infinity.
#include "Functions.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::expand;

/// e^r = 1 + r + r^2 (...) on |r| <= ln 2 (f32).
static const double kExpWide32[] = {0x1.00000cp-1, 0x1.55551p-3,   0x1.5549dep-5,
                                    0x1.1127d4p-7, 0x1.71c416p-10, 0x1.9b7588p-13};
/// The same on |r| <= ln 2 / 2.
static const double kExp32[] = {0x1p-1, 0x1.555556p-3, 0x1.5554f2p-5, 0x1.110fe4p-7, 0x1.6d417ap-10, 0x1.a28aaap-13};
static const double kExp64[] = {0x1p-1,
                                0x1.5555555555559p-3,
                                0x1.5555555555558p-5,
                                0x1.111111110f627p-7,
                                0x1.6c16c16c14f56p-10,
                                0x1.a01a01b02273dp-13,
                                0x1.a01a01adde9f6p-16,
                                0x1.71ddf7a8413cbp-19,
                                0x1.27e4cafa2e2c8p-22,
                                0x1.af60048eda40dp-26,
                                0x1.1f8de5d0372b9p-29};
/// 2^r = 1 + r (...) on |r| <= 1/2.
static const double kExp2In32[] = {0x1.62e43p-1,  0x1.ebfbdcp-3,  0x1.c6af7ap-5,
                                   0x1.3b2dd6p-7, 0x1.5f0952p-10, 0x1.417674p-13};
static const double kExp2In64[] = {0x1.62e42fefa39efp-1,  0x1.ebfbdff82c58ep-3,  0x1.c6b08d704a1abp-5,
                                   0x1.3b2ab6fba5129p-7,  0x1.5d87fe787e913p-10, 0x1.430912f7919fap-13,
                                   0x1.ffcbfd125d7f3p-17, 0x1.62c025ec08de3p-20, 0x1.b523aa0e68312p-24,
                                   0x1.e4c100be89e2dp-28, 0x1.ebb8b5c017be7p-32, 0x1.d8810149b23a3p-36};

static const double kLog2E = 0x1.71547652b82fep+0;
/// ln 2 as the sum of two floats.
static double ln2Hi(Flt x) { return x.pick(0x1.62e43p-1, 0x1.62e42fefa39efp-1); }
static double ln2Lo(Flt x) { return x.pick(-0x1.05c61p-29, 0x1.abc9e3b39803fp-56); }

static double magicRound(Flt x) { return x.pick(0x1.8p23, 0x1.8p52); }

namespace {
/// n as the low bits of `bits`, on top of what the magic number holds, and the remainder.
struct ExpReduced {
  Int bits;
  Flt r;
};
} // namespace

/// Splits x = n ln 2 + r; `bits` ends in n + added.
static ExpReduced reduceExp(Flt x, int added) {
  double magic = magicRound(x) + added;
  Flt shifted = fma(x, kLog2E, magic);
  Flt n = shifted - magic;
  Flt r = fma(n, -ln2Hi(x), x);
  return {shifted.bits(), fma(n, -ln2Lo(x), r)};
}

/// `p * 2^n` for bits that end in n + 2 * bias: halves of n make two powers of two.
static Flt scaleTwice(Flt p, Int bits) {
  Int half = bits.shr(1u);
  Flt first = half.shl(p.mantissa()).asFloat(p.getElementType());
  Flt second = (bits - half).shl(p.mantissa()).asFloat(p.getElementType());
  return p * first * second;
}

/// e^r - 1 on |r| <= ln 2 / 2.
static Flt expm1Polynomial(Flt r) { return fma(r * r, polynomial(r, kExp32, kExp64), r); }

/// Past these e^x is 0, and even e^x / 2 infinity, after rounding.
static Flt clampExp(Flt x) { return x.atLeast(x.pick(-104.0, -746.0)).atMost(x.pick(90.0, 711.0)); }

Flt expand::exp(Flt x) {
  x = clampExp(x);
  if (x.isDouble()) {
    ExpReduced reduced = reduceExp(x, 2 * x.bias());
    return scaleTwice(expm1Polynomial(reduced.r) + 1.0, reduced.bits);
  }
  // For f32, x = 2 m ln 2 + r needs one power of two only, used twice, and one coefficient more: fewer ops.
  double magic = magicRound(x) + x.bias();
  Flt shifted = fma(x, kLog2E * 0.5, magic);
  Flt m = shifted - magic;
  Flt r = fma(m, -2 * ln2Hi(x), x);
  r = fma(m, -2 * ln2Lo(x), r);
  Flt p = fma(r * r, polynomial(r, kExpWide32), r) + 1.0;
  Flt power = shifted.bits().shl(x.mantissa()).asFloat(x.getElementType());
  return p * power * power;
}

Flt expand::expInRange(Flt x) {
  ExpReduced reduced = reduceExp(x, x.bias());
  Flt power = reduced.bits.shl(x.mantissa()).asFloat(x.getElementType());
  return (expm1Polynomial(reduced.r) + 1.0) * power;
}

Flt expand::expOfPair(Pair x, double scale) {
  // A low part beside a clamped or infinite high part is meaningless.
  Flt hi = clampExp(x.hi);
  Flt lo = select(hi == x.hi, x.lo, 0.0);
  ExpReduced reduced = reduceExp(hi, 2 * hi.bias());
  // e^(r + lo) = e^r + e^r lo; lo is below an ulp of x, so r + lo may be formed by one addition after the polynomial.
  Flt p = expm1Polynomial(reduced.r);
  Flt whole = fma(p + 1.0, lo, p) + 1.0;
  return scaleTwice(scale == 1.0 ? whole : whole * scale, reduced.bits);
}

Flt expand::exp2(Flt x) {
  x = x.atLeast(x.pick(-152.0, -1077.0)).atMost(x.pick(129.0, 1025.0));
  double magic = magicRound(x) + 2 * x.bias();
  Flt shifted = x + magic;
  Flt r = x - (shifted - magic);
  Flt p = fma(r, polynomial(r, kExp2In32, kExp2In64), 1.0);
  return scaleTwice(p, shifted.bits());
}

Flt expand::expm1(Flt x) {
  Flt clamped = x.atLeast(x.pick(-30.0, -60.0)).atMost(x.pick(88.875, 709.875));
  // 2^(n-1) stays in range where 2^n does not.
  ExpReduced reduced = reduceExp(clamped, x.bias() - 1);
  Flt power = reduced.bits.shl(x.mantissa()).asFloat(x.getElementType());
  Flt half = fma(power, expm1Polynomial(reduced.r), power - 0.5);
  // Halving may cost a denormal its last bit, and adding to zero a zero its sign.
  return select(x.abs() < x.pick(0x1p-26, 0x1p-55), x, half + half);
}
