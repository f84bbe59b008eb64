// SPDX-License-Identifier: Apache-2.0
#include "Functions.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::expand;

static Int leadingZeros(Int x) {
  const Site &site = x.getSite();
  return {site, math::CountLeadingZerosOp::create(site.builder, site.loc, x.get())};
}

namespace {
/// A finite number but zero as `mantissa * 2^exponent`, in steps of the smallest denormal times 2^(exponent - 1): the
/// mantissa has its highest bit at the place of the implicit one.
struct Parts {
  Int mantissa, exponent;
};
} // namespace

static Parts split(Int magnitude, unsigned places) {
  uint64_t implicit = uint64_t(1) << places;
  Int exponent = magnitude.shr(places), fraction = magnitude & (implicit - 1);
  // Zero has no leading bit; what is made of it is not used.
  Int shift = (leadingZeros(fraction) - (magnitude.width() - 1 - places)) & (magnitude.width() - 1);
  Bool isDenormal = exponent == 0;
  return {select(isDenormal, fraction.shl(shift), fraction | implicit),
          select(isDenormal, exponent.constant(1) - shift, exponent)};
}

/// Long division of mantissas, one bit of the quotient a step, all exact. A vector's elements take as many steps as
/// the one with the most.
Flt expand::remainder(Flt x, Flt y) {
  const Site &site = x.getSite();
  OpBuilder &b = site.builder;
  unsigned places = x.mantissa();
  uint64_t implicit = uint64_t(1) << places;
  Int xBits = x.abs().bits(), yBits = y.abs().bits();
  uint64_t infinity = uint64_t(2 * x.bias() + 1) << places;
  Bool isNan = xBits.uge(infinity) | xBits.constant(infinity).ult(yBits) | (yBits == 0);
  Bool isSmaller = xBits.ult(yBits); // x itself, also where y is infinite.
  Parts dividend = split(xBits, places), divisor = split(yBits, places);
  Int minusOne = xBits.constant(~uint64_t(0));
  Int steps = select(isNan | isSmaller, minusOne, dividend.exponent - divisor.exponent);

  // The most steps of any element.
  Value most = steps.get();
  if (isa<VectorType>(most.getType()))
    most = vector::ReductionOp::create(b, site.loc, vector::CombiningKind::MAXSI, most);
  Type scalar = most.getType();
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(b, site.loc, b.getIntegerAttr(scalar, value));
  };
  Value end = arith::AddIOp::create(b, site.loc, most, constant(1));
  auto loop = scf::ForOp::create(b, site.loc, constant(0), end, constant(1), dividend.mantissa.get());
  Value rest;
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Int step(site, loop.getInductionVar());
    if (auto vector = dyn_cast<VectorType>(steps.getType()))
      step = Int(site, vector::BroadcastOp::create(b, site.loc, vector, step.get()));
    Int current(site, loop.getRegionIterArg(0));
    Int reduced = select(current.ult(divisor.mantissa), current, current - divisor.mantissa);
    Int next = select(step.cmp(arith::CmpIPredicate::eq, steps), reduced, reduced.shl(1));
    Int kept = select(step.cmp(arith::CmpIPredicate::sgt, steps), current, next);
    scf::YieldOp::create(b, site.loc, kept.get());
    rest = loop.getResult(0);
  }

  // Back to a float: normal where the leading bit may move up that far.
  Int mantissa(site, rest);
  unsigned mask = mantissa.width() - 1;
  Int shift = (leadingZeros(mantissa) - (mantissa.width() - 1 - places)) & mask;
  Int exponent = divisor.exponent - shift;
  Int normal = (mantissa.shl(shift) & (implicit - 1)) | exponent.shl(places);
  Int up = (divisor.exponent - 1) & mask, down = (divisor.exponent.constant(1) - divisor.exponent) & mask;
  Int denormal = select(divisor.exponent.slt(1), mantissa.shr(down), mantissa.shl(up));
  Int magnitude = select(exponent.slt(1), denormal, normal);
  magnitude = select(mantissa == 0, 0, magnitude);
  Flt result = magnitude.asFloat(x.getElementType()).copySign(x);
  return select(isNan, x.nan(), select(isSmaller, x, result));
}
