// SPDX-License-Identifier: Apache-2.0
#include "Mma.h"
#include "tilewright/Support/MmaElement.h"

#include <algorithm>
#include <cmath>
#include <cstring>

using namespace tilewright;

/// M, N and bytes of K of one instruction; words of its fragments. Source: PTX
/// ISA 9.1, 9.7.14.5.
static constexpr int kM = 16, kN = 8, kKBytes = 32, kLhsWords = 4, kRhsWords = 2, kWordBytes = 4;

bool tilewright::isMmaKind(int32_t kind) {
  int32_t lhs = kind & 15, rhs = kind >> 4 & 15, sum = kind >> 8;
  if (kind < 0 || lhs > int32_t(MmaElement::E5M2) || rhs > int32_t(MmaElement::E5M2) || sum > int32_t(MmaSum::S32))
    return false;
  auto left = MmaElement(lhs), right = MmaElement(rhs);
  if (isInteger(left))
    return isInteger(right) && MmaSum(sum) == MmaSum::S32;
  if (isFp8(left))
    return isFp8(right) && MmaSum(sum) != MmaSum::S32;
  return left == right && (MmaSum(sum) == MmaSum::F32 || (MmaSum(sum) == MmaSum::F16 && left == MmaElement::F16));
}

//===----------------------------------------------------------------------===//
// Formats
//===----------------------------------------------------------------------===//

namespace {
/// A float type: sign, exponent with its bias, `mantissa` bits. `hasInfinity`:
/// the largest exponent is that of infinity and NaN; else only all ones is NaN.
struct Format {
  int bits, mantissa, bias;
  bool hasInfinity = true;
};

/// A finite number: significand * 2^(exponent - mantissa) with the mantissa of
/// its format. A denormal number has the least exponent of its format, and zero
/// none.
struct Number {
  int32_t significand, exponent;
};
} // namespace

static constexpr Format kF32{32, 23, 127}, kF16{16, 10, 15}, kBF16{16, 7, 127}, kTF32{19, 10, 127},
    kE4M3{8, 3, 7, false}, kE5M2{8, 2, 15};
/// The exponent of zero: below every other one, also in a sum of two.
static constexpr int16_t kNoExponent = -10000;
static constexpr uint32_t kF32Infinity = 0x7f800000, kF32Nan = 0x7fffffff;
static constexpr uint16_t kF16Infinity = 0x7c00, kF16Nan = 0x7fff;

static bool isFinite(uint32_t code, const Format &format) {
  uint32_t magnitude = code & ((uint32_t(1) << (format.bits - 1)) - 1);
  uint32_t exponents = (uint32_t(1) << (format.bits - 1 - format.mantissa)) - 1;
  return format.hasInfinity ? magnitude >> format.mantissa != exponents
                            : magnitude != (uint32_t(1) << (format.bits - 1)) - 1;
}

static bool isNan(uint32_t code, const Format &format) {
  return !isFinite(code, format) && (!format.hasInfinity || (code & ((uint32_t(1) << format.mantissa) - 1)));
}

static bool isNegative(uint32_t code, const Format &format) { return code >> (format.bits - 1) & 1; }

static Number decode(uint32_t code, const Format &format) {
  int32_t magnitude = int32_t(code & ((uint32_t(1) << (format.bits - 1)) - 1));
  int32_t exponent = magnitude >> format.mantissa, one = int32_t(1) << format.mantissa;
  int32_t significand = (magnitude & (one - 1)) | (exponent ? one : 0);
  int32_t known = std::max(exponent, 1) - format.bias;
  return {isNegative(code, format) ? -significand : significand, significand ? known : kNoExponent};
}

/// The f64 power of two; `exponent` is far from the ends of its range.
static double powerOfTwo(int exponent) {
  uint64_t bits = uint64_t(exponent + 1023) << 52;
  double value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

static double valueOf(const Number &number, const Format &format) {
  return number.significand ? number.significand * powerOfTwo(number.exponent - format.mantissa) : 0;
}

/// Place of the leading bit, counted from 0; of a number that is not zero.
static int leadingPlace(uint64_t number) { return 63 - __builtin_clzll(number); }

/// `sum` * 2^`exponent` as f32, cut toward zero. What is too large for f32 is
/// infinity; what is cut to zero is +0.
static uint32_t cutToF32(int64_t sum, int exponent) {
  if (!sum)
    return 0;
  uint32_t sign = sum < 0 ? uint32_t(1) << 31 : 0;
  uint64_t magnitude = uint64_t(sum < 0 ? -sum : sum);
  int leading = leadingPlace(magnitude) + exponent;
  if (leading > kF32.bias)
    return sign | kF32Infinity;
  int last = std::max(leading, 1 - kF32.bias) - kF32.mantissa; // Exponent of the last place that is kept.
  uint64_t kept = last <= exponent ? magnitude << (exponent - last) : magnitude >> std::min(last - exponent, 63);
  if (!kept)
    return 0;
  // The leading bit of a normal number adds one to the exponent.
  return sign | ((uint32_t(std::max(leading, 1 - kF32.bias) + kF32.bias - 1) << kF32.mantissa) + uint32_t(kept));
}

/// `sum` * 2^`exponent` as f16, to the nearest, ties to even. What rounds to zero is +0.
static uint16_t roundToF16(int64_t sum, int exponent) {
  if (!sum)
    return 0;
  uint16_t sign = sum < 0 ? 0x8000 : 0;
  uint64_t magnitude = uint64_t(sum < 0 ? -sum : sum);
  int leading = std::max(leadingPlace(magnitude) + exponent, 1 - kF16.bias);
  if (leading > kF16.bias)
    return sign | kF16Infinity;
  int drop = leading - kF16.mantissa - exponent;
  uint64_t kept;
  if (drop <= 0) {
    kept = magnitude << -drop;
  } else if (drop > 62) {
    kept = 0; // Less than half of the smallest number: sums have fewer bits.
  } else {
    uint64_t half = uint64_t(1) << (drop - 1), rest = magnitude & (2 * half - 1);
    kept = magnitude >> drop;
    kept += rest > half || (rest == half && (kept & 1));
  }
  if (!kept)
    return 0;
  // A carry into the next power of two runs into the exponent by itself, up to
  // infinity.
  return sign | uint16_t((uint64_t(leading + kF16.bias - 1) << kF16.mantissa) + kept);
}

/// The f16 that has the value of an element of 8 bits, for each.
static std::array<uint16_t, 256> widenFp8(const Format &format) {
  std::array<uint16_t, 256> all;
  for (uint32_t code = 0; code < all.size(); ++code) {
    uint16_t sign = isNegative(code, format) ? 0x8000 : 0;
    Number number = decode(code, format);
    all[code] = isNan(code, format) ? kF16Nan
                : !isFinite(code, format)
                    ? sign | kF16Infinity
                    : sign | roundToF16(std::abs(number.significand), number.exponent - format.mantissa);
  }
  return all;
}

//===----------------------------------------------------------------------===//
// Fragments
//===----------------------------------------------------------------------===//

/// Products of one step, and steps of one instruction at most.
static constexpr int kStep = 16, kMaxSteps = 2;

namespace {
/// Rows of the left operand or columns of the right one, in steps. `codes` are
/// elements as `format` has them; where they are finite, `values` and
/// `exponents` tell the same.
template <int kRows> struct Operand {
  Format format;
  uint32_t codes[kMaxSteps][kRows][kStep];
  double values[kMaxSteps][kRows][kStep];
  int16_t exponents[kMaxSteps][kRows][kStep];
  bool isAllFinite[kMaxSteps][kRows];

  /// Derives the rest from `extent` codes of each step, and fills up with
  /// zeros.
  void decodeAll(int numSteps, int extent) {
    for (int step = 0; step < numSteps; ++step)
      for (int row = 0; row < kRows; ++row) {
        bool isAll = true;
        std::fill(codes[step][row] + extent, codes[step][row] + kStep, 0);
        for (int k = 0; k < kStep; ++k) {
          uint32_t code = codes[step][row][k];
          Number number = decode(code, format);
          values[step][row][k] = valueOf(number, format);
          exponents[step][row][k] = int16_t(number.exponent);
          isAll &= isFinite(code, format);
        }
        isAllFinite[step][row] = isAll;
      }
  }
};
} // namespace

/// Calls `put(row, k, code)` for each element of the left operand (`isLhs`) or
/// the right one.
template <typename Put>
static void forEachElement(MmaElement element, bool isLhs, const std::array<int32_t *, kWarpSize> &words, Put put) {
  int bytes = int(bytesOf(element)), perWord = kWordBytes / bytes;
  uint32_t mask = bytes == 4 ? ~0u : (1u << 8 * bytes) - 1;
  for (int lane = 0; lane < int(kWarpSize); ++lane) {
    int g = lane / 4, t = lane % 4;
    for (int r = 0; r < (isLhs ? kLhsWords : kRhsWords); ++r) {
      uint32_t word = uint32_t(words[lane][isLhs ? r : kLhsWords + r]);
      int row = isLhs ? g + 8 * (r & 1) : g;
      int first = (4 * t + 16 * (isLhs ? r >> 1 : r)) / bytes;
      for (int i = 0; i < perWord; ++i)
        put(row, first + i, word >> 8 * bytes * i & mask);
    }
  }
}

template <int kRows>
static void gather(MmaElement element, bool isLhs, const std::array<int32_t *, kWarpSize> &words,
                   Operand<kRows> &operand) {
  static const std::array<uint16_t, 256> e4m3 = widenFp8(kE4M3), e5m2 = widenFp8(kE5M2);
  auto gatherAs = [&](const Format &format, auto convert) {
    operand.format = format;
    forEachElement(element, isLhs, words,
                   [&](int row, int k, uint32_t code) { operand.codes[0][row][k] = convert(code); });
  };
  // The elements of 8 bits become f16. A word holds four: the lower two belong
  // to the first step, the others to the second.
  auto gatherFp8 = [&](const std::array<uint16_t, 256> &widened) {
    operand.format = kF16;
    forEachElement(element, isLhs, words, [&](int row, int k, uint32_t code) {
      operand.codes[k % 4 / 2][row][k / 4 * 2 + k % 2] = widened[code];
    });
  };
  switch (element) {
  case MmaElement::F16:
    gatherAs(kF16, [](uint32_t code) { return code; });
    break;
  case MmaElement::BF16:
    gatherAs(kBF16, [](uint32_t code) { return code; });
    break;
  case MmaElement::TF32:
    gatherAs(kTF32, [](uint32_t code) { return code >> 13; }); // The low bits are not read.
    break;
  case MmaElement::E4M3:
    gatherFp8(e4m3);
    break;
  case MmaElement::E5M2:
    gatherFp8(e5m2);
    break;
  case MmaElement::S8:
  case MmaElement::U8:
    return;
  }
  operand.decodeAll(isFp8(element) ? kMaxSteps : 1, isFp8(element) ? kStep : kKBytes / int(bytesOf(element)));
}

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

/// Places behind the point of the largest term that are kept.
static constexpr int kPlaces = 25;
/// The exponent that terms are aligned to where all of them have lower ones.
static constexpr int kLeastTop = -133;

namespace {
/// The step of a tensor core: adds products to the sum so far.
struct Step {
  const Operand<kM> &lhs;
  const Operand<kN> &rhs;
  bool isF16; ///< Type of the sum: f16, else f32.

  uint32_t add(int step, int row, int column, uint32_t sum) const {
    const Format &total = isF16 ? kF16 : kF32;
    if (!lhs.isAllFinite[step][row] || !rhs.isAllFinite[step][column] || !isFinite(sum, total))
      return addNonFinite(step, row, column, sum);
    const double *left = lhs.values[step][row], *right = rhs.values[step][column];
    const int16_t *leftExponents = lhs.exponents[step][row], *rightExponents = rhs.exponents[step][column];
    Number start = decode(sum, total);
    int16_t topProduct = 2 * kNoExponent;
    for (int k = 0; k < kStep; ++k)
      topProduct = std::max(topProduct, int16_t(leftExponents[k] + rightExponents[k]));
    int top = std::max<int>(start.exponent, topProduct);
    if (top < kNoExponent / 2)
      return 0; // All are zeros.
    top = std::max(top, kLeastTop);
    // Products are exact in f64, and so is a product with a power of two; a
    // conversion to an integer cuts toward zero. A product is below 4, so that
    // it has 27 bits then, and four of them fit a partial sum.
    double scale = powerOfTwo(kPlaces - top);
    int32_t sums[4] = {};
    for (int k = 0; k < kStep; k += 4)
      for (int i = 0; i < 4; ++i)
        sums[i] += int32_t(left[k + i] * right[k + i] * scale);
    int64_t aligned = int64_t(sums[0]) + sums[1] + sums[2] + sums[3] + int32_t(valueOf(start, total) * scale);
    return isF16 ? roundToF16(aligned, top - kPlaces) : cutToF32(aligned, top - kPlaces);
  }

private:
  /// One term at least is an infinity or NaN, and so is the sum.
  uint32_t addNonFinite(int step, int row, int column, uint32_t sum) const {
    const Format &total = isF16 ? kF16 : kF32;
    bool isInvalid = isNan(sum, total), isPositive = false, isBelow = false;
    auto addInfinity = [&](bool isMinus) { (isMinus ? isBelow : isPositive) = true; };
    if (!isFinite(sum, total))
      addInfinity(isNegative(sum, total));
    for (int k = 0; k < kStep; ++k) {
      uint32_t a = lhs.codes[step][row][k], b = rhs.codes[step][column][k];
      bool isFiniteA = isFinite(a, lhs.format), isFiniteB = isFinite(b, rhs.format);
      if (isFiniteA && isFiniteB)
        continue;
      isInvalid |= isNan(a, lhs.format) || isNan(b, rhs.format);
      isInvalid |=
          (isFiniteA && !decode(a, lhs.format).significand) || (isFiniteB && !decode(b, rhs.format).significand);
      addInfinity(isNegative(a, lhs.format) != isNegative(b, rhs.format));
    }
    if (isInvalid || (isPositive && isBelow))
      return isF16 ? kF16Nan : kF32Nan;
    return (isF16 ? kF16Infinity : kF32Infinity) | uint32_t(isBelow) << (total.bits - 1);
  }
};
} // namespace

/// The rounded sum of two f32, with the NaN of the device.
static uint32_t addF32(uint32_t a, uint32_t b) {
  float left, right, sum;
  std::memcpy(&left, &a, sizeof(left));
  std::memcpy(&right, &b, sizeof(right));
  sum = left + right;
  uint32_t code;
  std::memcpy(&code, &sum, sizeof(code));
  return std::isnan(sum) ? kF32Nan : code;
}

/// The rounded sum of two f16, with the NaN of the device.
static uint32_t addF16(uint32_t a, uint32_t b) {
  if (!isFinite(a, kF16) || !isFinite(b, kF16)) {
    bool isInvalid = isNan(a, kF16) || isNan(b, kF16) || (!isFinite(a, kF16) && !isFinite(b, kF16) && a != b);
    return isInvalid ? kF16Nan : isFinite(a, kF16) ? b : a;
  }
  if (!((a | b) & 0x7fff))
    return a & b; // The sum of two zeros is -0 if both are.
  auto exact = [](uint32_t code) {
    Number number = decode(code, kF16);
    return number.significand ? int64_t(number.significand) * (int64_t(1) << (number.exponent + kF16.bias - 1)) : 0;
  };
  return roundToF16(exact(a) + exact(b), 1 - kF16.bias - kF16.mantissa);
}

static void multiplyIntegers(MmaElement lhs, MmaElement rhs, const std::array<int32_t *, kWarpSize> &words) {
  int32_t left[kM][kKBytes], right[kN][kKBytes];
  auto value = [](MmaElement element, uint32_t code) {
    return element == MmaElement::S8 ? int8_t(code) : int32_t(code);
  };
  forEachElement(lhs, true, words, [&](int row, int k, uint32_t code) { left[row][k] = value(lhs, code); });
  forEachElement(rhs, false, words, [&](int row, int k, uint32_t code) { right[row][k] = value(rhs, code); });
  for (int lane = 0; lane < int(kWarpSize); ++lane) {
    int32_t *sums = words[lane] + kLhsWords + kRhsWords;
    for (int i = 0; i < 4; ++i) {
      const int32_t *row = left[lane / 4 + 8 * (i >> 1)], *column = right[lane % 4 * 2 + (i & 1)];
      int32_t products = 0;
      for (int k = 0; k < kKBytes; ++k)
        products += row[k] * column[k];
      sums[i] = int32_t(uint32_t(sums[i]) + uint32_t(products)); // Wraps around.
    }
  }
}

void tilewright::multiplyFragments(int32_t kind, const std::array<int32_t *, kWarpSize> &words) {
  auto lhsElement = MmaElement(kind & 15), rhsElement = MmaElement(kind >> 4 & 15);
  auto sumType = MmaSum(kind >> 8);
  if (sumType == MmaSum::S32)
    return multiplyIntegers(lhsElement, rhsElement, words);
  Operand<kM> lhs;
  Operand<kN> rhs;
  gather(lhsElement, true, words, lhs);
  gather(rhsElement, false, words, rhs);
  bool isNarrow = isFp8(lhsElement), isF16 = sumType == MmaSum::F16;
  Step step{lhs, rhs, isF16};
  int sumBytes = isF16 ? 2 : 4;
  for (int lane = 0; lane < int(kWarpSize); ++lane) {
    char *sums = reinterpret_cast<char *>(words[lane] + kLhsWords + kRhsWords);
    for (int i = 0; i < 4; ++i) {
      int row = lane / 4 + 8 * (i >> 1), column = lane % 4 * 2 + (i & 1);
      uint32_t sum = 0; // Little-endian, as the host is.
      std::memcpy(&sum, sums + sumBytes * i, size_t(sumBytes));
      if (isNarrow) {
        uint32_t products = step.add(1, row, column, step.add(0, row, column, 0));
        sum = isF16 ? addF16(sum, products) : addF32(sum, products);
      } else {
        sum = step.add(0, row, column, sum);
      }
      std::memcpy(sums + sumBytes * i, &sum, size_t(sumBytes));
    }
  }
}
