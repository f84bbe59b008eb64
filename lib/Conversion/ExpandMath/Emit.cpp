// SPDX-License-Identifier: Apache-2.0
#include "Emit.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::expand;

Type expand::withElement(Type type, Type element) {
  if (auto shaped = dyn_cast<ShapedType>(type))
    return shaped.clone(element);
  return element;
}

static Value makeConstant(const Site &site, TypedAttr element, Type type) {
  if (auto shaped = dyn_cast<ShapedType>(type))
    return arith::ConstantOp::create(site.builder, site.loc, DenseElementsAttr::get(shaped, Attribute(element)));
  return arith::ConstantOp::create(site.builder, site.loc, element);
}

Value Node::makeInt(const APInt &bits, Type type) const {
  return makeConstant(*site, site->builder.getIntegerAttr(mlir::getElementTypeOrSelf(type), bits), type);
}

Value Node::makeFloat(const APFloat &number, Type type) const {
  return makeConstant(*site, site->builder.getFloatAttr(mlir::getElementTypeOrSelf(type), number), type);
}

//===- Bool ---------------------------------------------------------------===//

Bool Bool::operator&(Bool other) const { return {getSite(), make<arith::AndIOp>(get(), other.get())}; }
Bool Bool::operator|(Bool other) const { return {getSite(), make<arith::OrIOp>(get(), other.get())}; }
Bool Bool::operator!() const { return {getSite(), make<arith::XOrIOp>(get(), makeInt(APInt(1, 1), getType()))}; }

//===- Int ----------------------------------------------------------------===//

Int Int::constant(uint64_t bits) const { return {getSite(), makeInt(APInt(64, bits).zextOrTrunc(width()), getType())}; }

Int Int::operator+(Int other) const { return {getSite(), make<arith::AddIOp>(get(), other.get())}; }
Int Int::operator-(Int other) const { return {getSite(), make<arith::SubIOp>(get(), other.get())}; }
Int Int::operator*(Int other) const { return {getSite(), make<arith::MulIOp>(get(), other.get())}; }
Int Int::operator&(Int other) const { return {getSite(), make<arith::AndIOp>(get(), other.get())}; }
Int Int::operator|(Int other) const { return {getSite(), make<arith::OrIOp>(get(), other.get())}; }
Int Int::operator^(Int other) const { return {getSite(), make<arith::XOrIOp>(get(), other.get())}; }
Int Int::shl(Int count) const { return {getSite(), make<arith::ShLIOp>(get(), count.get())}; }
Int Int::shr(Int count) const { return {getSite(), make<arith::ShRUIOp>(get(), count.get())}; }
Int Int::sar(unsigned count) const { return {getSite(), make<arith::ShRSIOp>(get(), constant(count).get())}; }
Int Int::udiv(uint64_t divisor) const { return {getSite(), make<arith::DivUIOp>(get(), constant(divisor).get())}; }

Bool Int::cmp(arith::CmpIPredicate predicate, Int other) const {
  return {getSite(), make<arith::CmpIOp>(predicate, get(), other.get())};
}

static Type intOfWidth(const Node &node, unsigned bits) {
  return withElement(node.getType(), IntegerType::get(node.getType().getContext(), bits));
}

Int Int::resizeUnsigned(unsigned bits) const {
  if (bits == width())
    return *this;
  Type type = intOfWidth(*this, bits);
  return {getSite(), bits < width() ? make<arith::TruncIOp>(type, get()) : make<arith::ExtUIOp>(type, get())};
}

Int Int::resizeSigned(unsigned bits) const {
  if (bits <= width())
    return resizeUnsigned(bits);
  return {getSite(), make<arith::ExtSIOp>(intOfWidth(*this, bits), get())};
}

Flt Int::asFloat(Type element) const {
  return {getSite(), make<arith::BitcastOp>(withElement(getType(), element), get())};
}

Flt Int::signedToFloat(Type element) const {
  return {getSite(), make<arith::SIToFPOp>(withElement(getType(), element), get())};
}

Flt Int::unsignedToFloat(Type element) const {
  return {getSite(), make<arith::UIToFPOp>(withElement(getType(), element), get())};
}

std::pair<Int, Int> Int::mulWide(Int other) const {
  auto op = arith::MulUIExtendedOp::create(getSite().builder, getSite().loc, get(), other.get());
  return {Int(getSite(), op.getLow()), Int(getSite(), op.getHigh())};
}

//===- Flt ----------------------------------------------------------------===//

static const llvm::fltSemantics &semanticsOf(const Flt &x) {
  return cast<FloatType>(x.getElementType()).getFloatSemantics();
}

Flt Flt::constant(double number) const {
  APFloat exact(number);
  bool losesInfo = false;
  exact.convert(semanticsOf(*this), APFloat::rmNearestTiesToEven, &losesInfo);
  return {getSite(), makeFloat(exact, getType())};
}

Flt Flt::infinity(bool negative) const {
  return {getSite(), makeFloat(APFloat::getInf(semanticsOf(*this), negative), getType())};
}

Flt Flt::nan() const { return {getSite(), makeFloat(APFloat::getQNaN(semanticsOf(*this)), getType())}; }

Flt Flt::operator+(Flt other) const { return {getSite(), make<arith::AddFOp>(get(), other.get())}; }
Flt Flt::operator-(Flt other) const { return {getSite(), make<arith::SubFOp>(get(), other.get())}; }
Flt Flt::operator*(Flt other) const { return {getSite(), make<arith::MulFOp>(get(), other.get())}; }
Flt Flt::operator/(Flt other) const { return {getSite(), make<arith::DivFOp>(get(), other.get())}; }
Flt Flt::operator-() const { return {getSite(), make<arith::NegFOp>(get())}; }

Bool Flt::cmp(arith::CmpFPredicate predicate, Flt other) const {
  return {getSite(), make<arith::CmpFOp>(predicate, get(), other.get())};
}

Int Flt::bits() const {
  unsigned width = getElementType().getIntOrFloatBitWidth();
  return {getSite(), make<arith::BitcastOp>(intOfWidth(*this, width), get())};
}

Flt Flt::abs() const { return {getSite(), make<math::AbsFOp>(get())}; }
Flt Flt::copySign(Flt sign) const { return {getSite(), make<math::CopySignOp>(get(), sign.get())}; }
Flt Flt::sqrt() const { return {getSite(), make<math::SqrtOp>(get())}; }
Flt Flt::floor() const { return {getSite(), make<math::FloorOp>(get())}; }
Flt Flt::atLeast(double low) const { return {getSite(), make<arith::MaximumFOp>(get(), constant(low).get())}; }
Flt Flt::atMost(double high) const { return {getSite(), make<arith::MinimumFOp>(get(), constant(high).get())}; }

Int Flt::toSigned(unsigned bits) const { return {getSite(), make<arith::FPToSIOp>(intOfWidth(*this, bits), get())}; }

Flt Flt::extend(Type element) const {
  if (element == getElementType())
    return *this;
  return {getSite(), make<arith::ExtFOp>(withElement(getType(), element), get())};
}

Flt Flt::truncate(Type element) const {
  if (element == getElementType())
    return *this;
  return {getSite(), make<arith::TruncFOp>(withElement(getType(), element), get())};
}

//===- Functions ----------------------------------------------------------===//

Flt expand::fma(Flt a, Flt b, Flt c) {
  const Site &site = a.getSite();
  return {site, math::FmaOp::create(site.builder, site.loc, a.get(), b.get(), c.get())};
}
Flt expand::fma(Flt a, double b, Flt c) { return fma(a, a.constant(b), c); }
Flt expand::fma(Flt a, Flt b, double c) { return fma(a, b, a.constant(c)); }
Flt expand::fma(Flt a, double b, double c) { return fma(a, a.constant(b), a.constant(c)); }

template <typename T> static T makeSelect(Bool condition, T yes, T no) {
  const Site &site = condition.getSite();
  return {site, arith::SelectOp::create(site.builder, site.loc, condition.get(), yes.get(), no.get())};
}

Flt expand::select(Bool condition, Flt yes, Flt no) { return makeSelect(condition, yes, no); }
Flt expand::select(Bool condition, Flt yes, double no) { return makeSelect(condition, yes, yes.constant(no)); }
Flt expand::select(Bool condition, double yes, Flt no) { return makeSelect(condition, no.constant(yes), no); }
Int expand::select(Bool condition, Int yes, Int no) { return makeSelect(condition, yes, no); }
Int expand::select(Bool condition, Int yes, uint64_t no) { return makeSelect(condition, yes, yes.constant(no)); }
Int expand::select(Bool condition, uint64_t yes, Int no) { return makeSelect(condition, no.constant(yes), no); }

Flt expand::polynomial(Flt x, ArrayRef<double> coefficients) {
  assert(!coefficients.empty() && "a polynomial has a coefficient");
  Flt sum = x.constant(coefficients.back());
  for (double coefficient : llvm::reverse(coefficients.drop_back()))
    sum = fma(sum, x, coefficient);
  return sum;
}

Flt expand::polynomial(Flt x, ArrayRef<double> single, ArrayRef<double> dbl) {
  return polynomial(x, x.isDouble() ? dbl : single);
}

Pair expand::fastTwoSum(Flt a, Flt b) {
  Flt sum = a + b;
  return {sum, b - (sum - a)};
}

Pair expand::twoSum(Flt a, Flt b) {
  Flt sum = a + b;
  Flt part = sum - a;
  return {sum, (a - (sum - part)) + (b - part)};
}

Pair expand::twoProduct(Flt a, Flt b) {
  Flt product = a * b;
  return {product, fma(a, b, -product)};
}
