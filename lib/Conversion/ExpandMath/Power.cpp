// SPDX-License-Identifier: Apache-2.0
// Powers: x^y = e^(y log x), with log x and its product by y as pairs, so that an exponent of hundreds costs no digits.
#include "Functions.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::expand;

/// With s = f/(2 + f): (log((1 + s)/(1 - s)) - 2 s - 2/3 s^3)/s^5 in s^2.
static const double kPow32[] = {0x1.999ap-2, 0x1.24527cp-2, 0x1.dfa252p-3};
static const double kPow64[] = {0x1.9999999999996p-2, 0x1.2492492492f51p-2, 0x1.c71c71c5968fbp-3, 0x1.745d182956451p-3,
                                0x1.3b1364c96e0b3p-3, 0x1.11206f24f166bp-3, 0x1.de3d72a89390dp-4, 0x1.eac5a75bc7605p-4};

/// log x as a pair for positive finite x, with some 10 bits more than the format.
static Pair logAsPair(Flt x) {
  auto [e, f] = splitExponent(x);
  // s = f/(2 + f) as a pair; the denominator is one, too.
  Pair denominator = fastTwoSum(f.constant(2.0), f);
  Flt s = f / denominator.hi;
  Flt rest = fma(-s, denominator.hi, f);
  Flt sLow = fma(-s, denominator.lo, rest) / denominator.hi;
  // s^2 and s^3 as pairs.
  Flt z = s * s;
  Flt zLow = fma(s, s, -z) + (s + s) * sLow;
  Flt cube = z * s;
  Flt cubeLow = fma(z, s, -cube) + fma(z, sLow, zLow * s);
  // 2/3 s^3.
  double thirdHi = f.pick(0x1.555556p-1, 0x1.5555555555555p-1),
         thirdLo = f.pick(-0x1.555556p-26, 0x1.5555555555555p-55);
  Flt third = cube * thirdHi;
  Flt thirdLow = fma(cube, thirdHi, -third) + fma(cube, thirdLo, cubeLow * thirdHi);
  Flt tail = cube * z * polynomial(z, kPow32, kPow64);
  // Sum from large to small: e ln 2, 2 s, 2/3 s^3, the rest.
  LnTwo ln2 = lnTwo(x);
  Pair first = fastTwoSum(e * ln2.hi, s + s);
  Pair second = fastTwoSum(first.hi, third);
  // e * ln2.lo is the largest of the small terms and needs its own error.
  Pair small = twoProduct(e, e.constant(ln2.lo));
  Pair third2 = twoSum(second.hi, small.hi);
  Flt low = first.lo + second.lo + third2.lo + (small.lo + (thirdLow + (sLow + sLow)) + tail);
  return fastTwoSum(third2.hi, low);
}

/// `|x|^(y + yLow)`, without the cases below.
static Flt powMagnitude(Flt a, Flt y, Flt yLow) {
  Pair l = logAsPair(a);
  Flt logHi = select(a < a.infinity(), l.hi, a);
  logHi = select(a == 0.0, a.infinity(/*negative=*/true), logHi);
  Flt hi = y * logHi;
  Flt lo = fma(y, logHi, -hi) + fma(y, l.lo, yLow * logHi);
  return select(a == 1.0, a.constant(1.0), expOfPair({hi, lo}));
}

Flt expand::pow(Flt x, Flt y) {
  Flt a = x.abs();
  Flt value = powMagnitude(a, y, y.constant(0.0));
  Bool whole = y.floor() == y;
  Flt half = y * 0.5;
  Bool odd = whole & (half.floor() != half);
  unsigned top = x.bits().width() - 1;
  Int sign = x.bits() & (uint64_t(1) << top);
  value = (value.bits() | select(odd, sign, 0)).asFloat(x.getElementType());
  value = select((x < 0.0) & (a < a.infinity()) & !whole, x.nan(), value);
  // NaN in, NaN out, but for pow(1, y) and pow(x, 0).
  value = select(x.unordered(y), x + y, value);
  return select((y == 0.0) | (x == 1.0), 1.0, value);
}

Flt expand::powInt(Flt x, Int n) {
  // The exponent as a pair: its leading bits, and the few that the format has no room for.
  unsigned precision = x.mantissa() + 1;
  Int wide = n.width() < 32 ? n.resizeSigned(32) : n;
  uint64_t rest = wide.width() > precision ? (uint64_t(1) << (wide.width() - precision)) - 1 : 0;
  Flt most = (wide & ~rest).signedToFloat(x.getElementType());
  auto [hi, lo] = fastTwoSum(most, (wide & rest).signedToFloat(x.getElementType()));
  Flt a = x.abs();
  Flt value = powMagnitude(a, hi, lo);
  unsigned top = x.bits().width() - 1;
  Int sign = x.bits() & (uint64_t(1) << top);
  value = (value.bits() | select((n & 1) != 0, sign, 0)).asFloat(x.getElementType());
  value = select(x == x, value, x);
  return select(n == 0, 1.0, value);
}

Int expand::ipow(Int x, Int n) {
  const Site &site = x.getSite();
  OpBuilder &b = site.builder;
  unsigned width = x.width();
  Int zero = x.constant(0), one = x.constant(1);
  Bool negative = n.slt(0);
  auto index = [&](int64_t value) { return arith::ConstantIndexOp::create(b, site.loc, value).getResult(); };
  // One round per bit of the exponent but its sign.
  auto loop = scf::ForOp::create(b, site.loc, index(0), index(width - 1), index(1),
                                 ValueRange{one.get(), x.get(), select(negative, zero - n, n).get()});
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Int result(site, loop.getRegionIterArg(0)), base(site, loop.getRegionIterArg(1)),
        left(site, loop.getRegionIterArg(2));
    Int next = select((left & 1) != 0, result * base, result);
    scf::YieldOp::create(b, site.loc, ValueRange{next.get(), (base * base).get(), left.shr(1u).get()});
  }
  Int value(site, loop.getResult(0));
  // 1/x: 1 and -1 are their own inverses, whatever the odd power.
  Bool unit = (x + 1).ult(3) & (x != 0);
  return select(negative & !unit, zero, value);
}
