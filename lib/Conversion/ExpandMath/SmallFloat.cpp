// SPDX-License-Identifier: Apache-2.0
#include "SmallFloat.h"

#include "llvm/ADT/TypeSwitch.h"
#include <cmath>

using namespace mlir;
using namespace tilewright;
using namespace tilewright::expand;

namespace {
/// A format: sign, exponent and mantissa bits, bias, and which patterns are special.
struct SmallFormat {
  unsigned width, mantissa;
  int bias;
  /// The pattern without sign of the largest finite number.
  unsigned largest;
  bool hasInfinity, hasNan;
};
} // namespace

static SmallFormat formatOf(Type type) {
  return TypeSwitch<Type, SmallFormat>(type)
      .Case<Float8E4M3FNType>([](auto) { return SmallFormat{8, 3, 7, 0x7e, false, true}; })
      .Case<Float8E5M2Type>([](auto) { return SmallFormat{8, 2, 15, 0x7b, true, true}; })
      .Case<Float6E2M3FNType>([](auto) { return SmallFormat{6, 3, 1, 0x1f, false, false}; })
      .Case<Float6E3M2FNType>([](auto) { return SmallFormat{6, 2, 3, 0x1f, false, false}; })
      .Case<Float4E2M1FNType>([](auto) { return SmallFormat{4, 1, 1, 0x7, false, false}; })
      .Default([](Type) { return SmallFormat{0, 0, 0, 0, false, false}; });
}

bool expand::isSmallFloat(Type type) { return isa<Float8E8M0FNUType>(type) || formatOf(type).width != 0; }

/// The f32 power of two.
static double powerOfTwo(int exponent) { return std::ldexp(1.0, exponent); }

Flt expand::extendSmall(Flt x) {
  Type f32 = Float32Type::get(x.getType().getContext());
  Int bits = x.bits().resizeUnsigned(32);
  if (isa<Float8E8M0FNUType>(x.getElementType())) {
    // 2^(b - 127); the smallest is denormal in f32.
    Int pattern = select(bits == 0, 0x400000, bits.shl(23u));
    return select(bits == 0xff, 0x7fc00000, pattern).asFloat(f32);
  }
  SmallFormat format = formatOf(x.getElementType());
  uint64_t signBit = uint64_t(1) << (format.width - 1);
  Int magnitude = bits & (signBit - 1);
  Int sign = (bits & signBit).shl(32 - format.width);
  // The fields moved to their place in f32 give the value but for the bias, denormals included.
  Flt value = magnitude.shl(23 - format.mantissa).asFloat(f32) * powerOfTwo(127 - format.bias);
  Int pattern = value.bits();
  if (format.hasInfinity)
    pattern = select(magnitude == format.largest + 1, 0x7f800000, pattern);
  if (format.hasNan)
    pattern = select(magnitude.ugt(format.largest + (format.hasInfinity ? 1 : 0)), 0x7fc00000, pattern);
  return (pattern | sign).asFloat(f32);
}

Flt expand::truncateSmall(Flt x, Type element) {
  Int bits = x.bits();
  if (isa<Float8E8M0FNUType>(element))
    return (bits.shr(23u)).resizeUnsigned(8).asFloat(element);
  SmallFormat format = formatOf(element);
  Int magnitude = bits & 0x7fffffff;
  // Normal results: add half of the last place, less one where it is even, and drop what is below.
  unsigned drop = 23 - format.mantissa;
  Int rebiased = magnitude - (uint64_t(127 - format.bias) << 23);
  Int normal = (rebiased + (rebiased.shr(drop) & 1) + ((uint64_t(1) << (drop - 1)) - 1)).shr(drop);
  // Denormal results: a float addition whose last place is that of the result.
  double anchor = powerOfTwo(1 - format.bias - int(format.mantissa) + 23);
  Flt absolute = magnitude.asFloat(x.getElementType());
  Int anchorBits = absolute.constant(anchor).bits();
  Int denormal = (absolute + anchor).bits() - anchorBits;
  Int result = select(absolute < powerOfTwo(1 - format.bias), denormal, normal);
  // The largest f32 that rounds to a finite number: half a place above the largest, included as that one is even or the
  // format has no even neighbour above.
  uint64_t limit =
      ((uint64_t(format.largest) << drop) + (uint64_t(127 - format.bias) << 23)) + (uint64_t(1) << (drop - 1));
  bool largestIsEven = (format.largest & 1) == 0;
  Bool overflows = magnitude.ugt(largestIsEven ? limit : limit - 1);
  uint64_t beyond = format.hasInfinity ? format.largest + 1 : format.hasNan ? 0x7f : format.largest;
  result = select(overflows, beyond, result);
  result = result | (bits.shr(32 - format.width) & (uint64_t(1) << (format.width - 1)));
  // One NaN, as by the GPU's conversions. Its widening of f16 loses the sign of a NaN before this.
  if (format.hasNan)
    result = select(magnitude.ugt(0x7f800000), 0x7f, result);
  return result.resizeUnsigned(format.width).asFloat(element);
}

Flt expand::truncateToOdd(Flt x) {
  Flt nearest = x.truncate(Float32Type::get(x.getType().getContext()));
  Flt back = nearest.extend(x.getElementType());
  Int bits = nearest.bits();
  Int tooLarge = select(back.abs() > x.abs(), 1, bits.constant(0));
  // Ordered, so that NaN stays as it is.
  Bool inexact = back.cmp(arith::CmpFPredicate::ONE, x);
  return select(inexact, (bits - tooLarge) | 1, bits).asFloat(nearest.getElementType());
}
