// SPDX-License-Identifier: Apache-2.0
/// \file
/// Values with operators: a formula written on these classes builds the ops that compute it. Apart from the formulas
/// so that they read as mathematics. All element-wise: a value is a scalar, a vector or a tensor, and a constant is
/// splat.
#ifndef TILEWRIGHT_LIB_CONVERSION_EXPANDMATH_EMIT_H
#define TILEWRIGHT_LIB_CONVERSION_EXPANDMATH_EMIT_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/PatternMatch.h"

namespace tilewright::expand {

/// Returns `type` with its element type, or itself when it is a scalar, replaced; shape and encoding stay.
mlir::Type withElement(mlir::Type type, mlir::Type element);

/// Where a formula is built: builder and location.
struct Site {
  mlir::OpBuilder &builder;
  mlir::Location loc;
};

/// What all three kinds of value share.
class Node {
public:
  Node(const Site &site, mlir::Value value) : site(&site), value(value) {}
  const Site &getSite() const { return *site; }
  mlir::Value get() const { return value; }
  mlir::Type getType() const { return value.getType(); }
  mlir::Type getElementType() const { return mlir::getElementTypeOrSelf(value.getType()); }

protected:
  template <typename OpT, typename... Args> mlir::Value make(Args &&...args) const {
    return OpT::create(site->builder, site->loc, std::forward<Args>(args)...);
  }
  mlir::Value makeInt(const mlir::APInt &bits, mlir::Type type) const;
  mlir::Value makeFloat(const mlir::APFloat &number, mlir::Type type) const;

private:
  const Site *site;
  mlir::Value value;
};

/// Truth values, `i1` per element.
class Bool : public Node {
public:
  using Node::Node;
  Bool operator&(Bool other) const;
  Bool operator|(Bool other) const;
  Bool operator!() const;
};

class Flt;

/// Signless integers; the operation says how they are read.
class Int : public Node {
public:
  using Node::Node;
  unsigned width() const { return getElementType().getIntOrFloatBitWidth(); }
  /// The constant of this type; bits beyond the width are dropped.
  Int constant(uint64_t bits) const;

  Int operator+(Int other) const;
  Int operator-(Int other) const;
  Int operator*(Int other) const;
  Int operator&(Int other) const;
  Int operator|(Int other) const;
  Int operator^(Int other) const;
  Int operator+(uint64_t other) const { return *this + constant(other); }
  Int operator-(uint64_t other) const { return *this - constant(other); }
  Int operator*(uint64_t other) const { return *this * constant(other); }
  Int operator&(uint64_t other) const { return *this & constant(other); }
  Int operator|(uint64_t other) const { return *this | constant(other); }
  Int operator^(uint64_t other) const { return *this ^ constant(other); }
  /// Shifts: left, right with zeros, right with copies of the sign. A shift by the width or more is poison.
  Int shl(Int count) const;
  Int shr(Int count) const;
  Int shl(unsigned count) const { return shl(constant(count)); }
  Int shr(unsigned count) const { return shr(constant(count)); }
  Int sar(unsigned count) const;
  Int udiv(uint64_t divisor) const;

  Bool cmp(mlir::arith::CmpIPredicate predicate, Int other) const;
  Bool operator==(uint64_t other) const { return cmp(mlir::arith::CmpIPredicate::eq, constant(other)); }
  Bool operator!=(uint64_t other) const { return cmp(mlir::arith::CmpIPredicate::ne, constant(other)); }
  Bool ult(Int other) const { return cmp(mlir::arith::CmpIPredicate::ult, other); }
  Bool ult(uint64_t other) const { return ult(constant(other)); }
  Bool uge(uint64_t other) const { return cmp(mlir::arith::CmpIPredicate::uge, constant(other)); }
  Bool ugt(uint64_t other) const { return cmp(mlir::arith::CmpIPredicate::ugt, constant(other)); }
  Bool slt(int64_t other) const { return cmp(mlir::arith::CmpIPredicate::slt, constant(other)); }

  /// The low `bits` bits, or zero-extended.
  Int resizeUnsigned(unsigned bits) const;
  Int resizeSigned(unsigned bits) const;
  /// The pattern read as a float of element type `element`, of the same width.
  Flt asFloat(mlir::Type element) const;
  Flt signedToFloat(mlir::Type element) const;
  Flt unsignedToFloat(mlir::Type element) const;
  /// The low and high halves of the unsigned product.
  std::pair<Int, Int> mulWide(Int other) const;
};

/// f32 or f64 in formulas, any float in conversions.
class Flt : public Node {
public:
  using Node::Node;
  /// The constant of this type nearest to `number`.
  Flt constant(double number) const;
  Flt infinity(bool negative = false) const;
  Flt nan() const;
  bool isDouble() const { return getElementType().isF64(); }
  /// Explicit mantissa bits: 23 or 52.
  unsigned mantissa() const { return isDouble() ? 52 : 23; }
  /// Exponent bias: 127 or 1023.
  int bias() const { return isDouble() ? 1023 : 127; }
  /// Picks the parameter of this format.
  template <typename T> T pick(T single, T dbl) const { return isDouble() ? dbl : single; }

  Flt operator+(Flt other) const;
  Flt operator-(Flt other) const;
  Flt operator*(Flt other) const;
  Flt operator/(Flt other) const;
  Flt operator+(double other) const { return *this + constant(other); }
  Flt operator-(double other) const { return *this - constant(other); }
  Flt operator*(double other) const { return *this * constant(other); }
  Flt operator/(double other) const { return *this / constant(other); }
  Flt operator-() const;

  /// Comparisons; all are false when an operand is NaN, but for `unordered` and `!=`.
  Bool cmp(mlir::arith::CmpFPredicate predicate, Flt other) const;
  Bool operator<(Flt other) const { return cmp(mlir::arith::CmpFPredicate::OLT, other); }
  Bool operator>(Flt other) const { return cmp(mlir::arith::CmpFPredicate::OGT, other); }
  Bool operator>=(Flt other) const { return cmp(mlir::arith::CmpFPredicate::OGE, other); }
  Bool operator==(Flt other) const { return cmp(mlir::arith::CmpFPredicate::OEQ, other); }
  Bool operator!=(Flt other) const { return cmp(mlir::arith::CmpFPredicate::UNE, other); }
  Bool operator<(double other) const { return *this < constant(other); }
  Bool operator>(double other) const { return *this > constant(other); }
  Bool operator>=(double other) const { return *this >= constant(other); }
  Bool operator==(double other) const { return *this == constant(other); }
  Bool unordered(Flt other) const { return cmp(mlir::arith::CmpFPredicate::UNO, other); }

  /// The pattern as an integer of the same width.
  Int bits() const;
  Flt abs() const;
  /// This magnitude with the sign of `sign`.
  Flt copySign(Flt sign) const;
  Flt sqrt() const;
  Flt floor() const;
  /// Clamp that keeps NaN.
  Flt atLeast(double low) const;
  Flt atMost(double high) const;
  /// Truncated towards zero; out of range is poison.
  Int toSigned(unsigned bits) const;
  Flt extend(mlir::Type element) const;
  Flt truncate(mlir::Type element) const;
};

/// `a * b + c`, rounded once.
Flt fma(Flt a, Flt b, Flt c);
Flt fma(Flt a, double b, Flt c);
Flt fma(Flt a, Flt b, double c);
Flt fma(Flt a, double b, double c);

Flt select(Bool condition, Flt yes, Flt no);
Flt select(Bool condition, Flt yes, double no);
Flt select(Bool condition, double yes, Flt no);
Int select(Bool condition, Int yes, Int no);
Int select(Bool condition, Int yes, uint64_t no);
Int select(Bool condition, uint64_t yes, Int no);

/// `c[0] + c[1] x + ...` by Horner's rule, one fma per coefficient after the last.
Flt polynomial(Flt x, llvm::ArrayRef<double> coefficients);

/// The polynomial of x's own format.
Flt polynomial(Flt x, llvm::ArrayRef<double> single, llvm::ArrayRef<double> dbl);

/// A number as the unevaluated sum of two floats, `|lo|` at most half an ulp of `hi`.
struct Pair {
  Flt hi, lo;
};
/// `a + b` exactly, when `|a| >= |b|` or `a == 0`.
Pair fastTwoSum(Flt a, Flt b);
/// `a + b` exactly.
Pair twoSum(Flt a, Flt b);
/// `a * b` exactly, barring underflow.
Pair twoProduct(Flt a, Flt b);

} // namespace tilewright::expand

#endif // TILEWRIGHT_LIB_CONVERSION_EXPANDMATH_EMIT_H
