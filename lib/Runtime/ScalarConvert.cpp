// SPDX-License-Identifier: Apache-2.0
#include "tilewright/Runtime/ScalarConvert.h"

#include <cmath>
#include <cstring>

using namespace tilewright;

namespace {
enum class Special : uint8_t { Ieee, NanOnly, None };

/// A float format that fits 16 bits.
struct FloatFormat {
  unsigned exponentBits, mantissaBits;
  int bias;
  Special special;

  uint32_t signBit() const { return 1u << (exponentBits + mantissaBits); }
  /// The largest finite magnitude.
  uint32_t maxFinite() const {
    uint32_t all = signBit() - 1;
    return special == Special::Ieee ? all - (1u << mantissaBits) : special == Special::NanOnly ? all - 1 : all;
  }
  uint32_t nan() const {
    // The quiet NaN with an empty payload; the one NaN of f8E4M3FN has all bits set.
    return special == Special::Ieee ? maxFinite() + 1 + (1u << (mantissaBits - 1)) : signBit() - 1;
  }
};
} // namespace

/// The formats that are no type of C++. tf32 is handled as a 19-bit format whose bits are the high ones of f32.
static FloatFormat getFormat(ScalarType type) {
  switch (type) {
  case ScalarType::F16:
    return {5, 10, 15, Special::Ieee};
  case ScalarType::BF16:
    return {8, 7, 127, Special::Ieee};
  case ScalarType::TF32:
    return {8, 10, 127, Special::Ieee};
  case ScalarType::F8E4M3FN:
    return {4, 3, 7, Special::NanOnly};
  case ScalarType::F8E5M2:
    return {5, 2, 15, Special::Ieee};
  case ScalarType::F6E2M3FN:
    return {2, 3, 1, Special::None};
  case ScalarType::F6E3M2FN:
    return {3, 2, 3, Special::None};
  default: // F4E2M1FN
    return {2, 1, 1, Special::None};
  }
}

static double decode(const FloatFormat &format, uint32_t bits) {
  uint32_t magnitude = bits & (format.signBit() - 1);
  double sign = bits & format.signBit() ? -1.0 : 1.0;
  if (magnitude > format.maxFinite()) {
    bool isInfinity = format.special == Special::Ieee && magnitude == format.maxFinite() + 1;
    return std::copysign(isInfinity ? INFINITY : NAN, sign);
  }
  uint32_t mantissa = magnitude & ((1u << format.mantissaBits) - 1);
  int exponent = static_cast<int>(magnitude >> format.mantissaBits);
  if (exponent == 0)
    exponent = 1;
  else
    mantissa |= 1u << format.mantissaBits;
  return sign * std::ldexp(mantissa, exponent - format.bias - static_cast<int>(format.mantissaBits));
}

static uint32_t encode(const FloatFormat &format, double value) {
  uint32_t sign = std::signbit(value) ? format.signBit() : 0;
  if (std::isnan(value))
    return format.special == Special::None ? format.maxFinite() : sign | format.nan();
  uint32_t overflow = format.special == Special::Ieee      ? format.maxFinite() + 1
                      : format.special == Special::NanOnly ? format.nan()
                                                           : format.maxFinite();
  double magnitude = std::fabs(value);
  if (std::isinf(magnitude))
    return sign | overflow;
  if (magnitude == 0)
    return sign;
  int exponent = 0;
  std::frexp(magnitude, &exponent); // magnitude = f * 2^exponent with f in [0.5, 1)
  int biased = std::max(exponent - 1 + format.bias, 1);
  // One unit in the last place becomes 1. The scaling is exact except for values far below half a unit.
  double scaled = std::ldexp(magnitude, static_cast<int>(format.mantissaBits) + format.bias - biased);
  if (scaled > 1e6)
    return sign | overflow;
  uint32_t rounded = static_cast<uint32_t>(std::nearbyint(scaled));
  // A normal number's hidden bit adds 1 to the exponent field, so the field starts one below.
  uint64_t bits = (static_cast<uint64_t>(biased - 1) << format.mantissaBits) + rounded;
  return sign | (bits > format.maxFinite() ? overflow : static_cast<uint32_t>(bits));
}

template <typename T> static T loadBits(const void *source) {
  T value;
  std::memcpy(&value, source, sizeof(T));
  return value;
}
template <typename T> static void storeBits(void *target, T value) { std::memcpy(target, &value, sizeof(T)); }

int64_t tilewright::loadAsInteger(ScalarType type, const void *element, bool isUnsigned) {
  switch (type) {
  case ScalarType::I1:
    return loadBits<uint8_t>(element) != 0;
  case ScalarType::I4: {
    int64_t low = loadBits<uint8_t>(element) & 15;
    return isUnsigned || low < 8 ? low : low - 16;
  }
  case ScalarType::I8:
    return isUnsigned ? int64_t(loadBits<uint8_t>(element)) : loadBits<int8_t>(element);
  case ScalarType::I16:
    return isUnsigned ? int64_t(loadBits<uint16_t>(element)) : loadBits<int16_t>(element);
  case ScalarType::I32:
    return isUnsigned ? int64_t(loadBits<uint32_t>(element)) : loadBits<int32_t>(element);
  default:
    return loadBits<int64_t>(element);
  }
}

double tilewright::loadAsDouble(ScalarType type, const void *element, bool isUnsigned) {
  switch (type) {
  case ScalarType::I64:
  case ScalarType::Index:
    return isUnsigned ? double(loadBits<uint64_t>(element)) : double(loadBits<int64_t>(element));
  case ScalarType::F64:
    return loadBits<double>(element);
  case ScalarType::F32:
  case ScalarType::TF32:
    return loadBits<float>(element);
  case ScalarType::F16:
  case ScalarType::BF16:
    return decode(getFormat(type), loadBits<uint16_t>(element));
  case ScalarType::F8E8M0FNU: {
    int exponent = loadBits<uint8_t>(element);
    return exponent == 255 ? NAN : std::ldexp(1.0, exponent - 127);
  }
  case ScalarType::F6E2M3FN:
  case ScalarType::F6E3M2FN:
    return decode(getFormat(type), loadBits<uint8_t>(element) & 63);
  case ScalarType::F4E2M1FN:
    return decode(getFormat(type), loadBits<uint8_t>(element) & 15);
  case ScalarType::F8E4M3FN:
  case ScalarType::F8E5M2:
    return decode(getFormat(type), loadBits<uint8_t>(element));
  default:
    return static_cast<double>(loadAsInteger(type, element, isUnsigned));
  }
}

/// 2^n nearest to the value, ties to the larger exponent's even field; NaN for what has no logarithm.
static uint8_t encodeE8M0(double value) {
  if (std::isnan(value) || value < 0 || std::isinf(value))
    return 255;
  if (value < std::ldexp(1.0, -127))
    return 0;
  int exponent = 0;
  double fraction = std::frexp(value, &exponent); // [0.5, 1)
  int field = exponent - 1 + 127;
  // Between 2^n and 2^(n+1) the middle is 1.5 * 2^n, i.e. the fraction 0.75.
  if (fraction > 0.75 || (fraction == 0.75 && field % 2 != 0))
    ++field;
  return static_cast<uint8_t>(std::min(field, 255));
}

void tilewright::storeFromInteger(ScalarType type, void *element, int64_t value) {
  switch (type) {
  case ScalarType::I1:
    return storeBits<uint8_t>(element, value & 1);
  case ScalarType::I4:
    return storeBits<uint8_t>(element, value & 15);
  case ScalarType::I8:
    return storeBits(element, static_cast<uint8_t>(value));
  case ScalarType::I16:
    return storeBits(element, static_cast<uint16_t>(value));
  case ScalarType::I32:
    return storeBits(element, static_cast<uint32_t>(value));
  case ScalarType::I64:
  case ScalarType::Index:
    return storeBits(element, value);
  default:
    return storeFromDouble(type, element, static_cast<double>(value));
  }
}

void tilewright::storeFromDouble(ScalarType type, void *element, double value) {
  if (isIntegerType(type)) {
    if (std::isnan(value))
      value = 0;
    if (type == ScalarType::I1)
      return storeFromInteger(type, element, value != 0);
    double limit = std::ldexp(1.0, static_cast<int>(scalarTypeBits(type)) - 1);
    int64_t largest = static_cast<int64_t>((uint64_t(1) << (scalarTypeBits(type) - 1)) - 1);
    int64_t integer = value >= limit ? largest : value < -limit ? -largest - 1 : static_cast<int64_t>(value);
    return storeFromInteger(type, element, integer);
  }
  switch (type) {
  case ScalarType::F64:
    return storeBits(element, value);
  case ScalarType::F32:
    return storeBits(element, static_cast<float>(value));
  case ScalarType::TF32:
    return storeBits(element, encode(getFormat(type), value) << 13);
  case ScalarType::F16:
  case ScalarType::BF16:
    return storeBits(element, static_cast<uint16_t>(encode(getFormat(type), value)));
  case ScalarType::F8E8M0FNU:
    return storeBits(element, encodeE8M0(value));
  default:
    return storeBits(element, static_cast<uint8_t>(encode(getFormat(type), value)));
  }
}

bool tilewright::hasNan(ScalarType type) {
  return isFloatType(type) && type != ScalarType::F6E2M3FN && type != ScalarType::F6E3M2FN &&
         type != ScalarType::F4E2M1FN;
}

bool tilewright::canonicalizeInteger(ScalarType type, int64_t value, uint64_t *result, std::string *error) {
  unsigned bits = scalarTypeBits(type);
  bool fits = bits == 64 || (value >= -(int64_t(1) << (bits - 1)) && value < (int64_t(1) << bits));
  if (!fits) {
    if (error)
      *error = std::to_string(value) + " does not fit " + std::string(scalarTypeName(type));
    return false;
  }
  if (type == ScalarType::I1)
    *result = value != 0;
  else
    *result = static_cast<uint64_t>(static_cast<int64_t>(static_cast<uint64_t>(value) << (64 - bits)) >> (64 - bits));
  return true;
}

uint64_t tilewright::encodeFloat(ScalarType type, double value) {
  uint64_t bits = 0;
  storeFromDouble(type, &bits, value);
  return bits;
}
