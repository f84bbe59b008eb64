// SPDX-License-Identifier: Apache-2.0
#include "Mma.h"
#include "tilewright/Support/MmaElement.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

using namespace tilewright;

/// M, N and bytes of K of one instruction; words of its fragments. Source: PTX ISA 9.1, 9.7.14.5.
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

/// Value of a float of `bits` bits with `mantissa` of them behind the point and an exponent bias of `bias`. `finite`:
/// the all-ones exponent is an ordinary one, and only all ones is NaN (f8E4M3FN).
static double decode(uint32_t code, int bits, int mantissa, int bias, bool finite) {
  int exponentBits = bits - 1 - mantissa;
  uint32_t exponent = code >> mantissa & ((1u << exponentBits) - 1), fraction = code & ((1u << mantissa) - 1);
  double sign = code >> (bits - 1) & 1 ? -1 : 1;
  bool isTop = exponent == (1u << exponentBits) - 1;
  if (finite ? isTop && fraction == (1u << mantissa) - 1 : isTop && fraction != 0)
    return std::numeric_limits<double>::quiet_NaN();
  if (!finite && isTop)
    return sign * std::numeric_limits<double>::infinity();
  if (exponent == 0)
    return sign * std::ldexp(fraction, 1 - bias - mantissa);
  return sign * std::ldexp((1u << mantissa) + fraction, int(exponent) - bias - mantissa);
}

/// All values of a type of at most 16 bits.
static std::vector<double> decodeAll(int bits, int mantissa, int bias, bool finite) {
  std::vector<double> values;
  for (uint32_t code = 0; code < 1u << bits; ++code)
    values.push_back(decode(code, bits, mantissa, bias, finite));
  return values;
}

static double valueOf(MmaElement element, uint32_t code) {
  static const std::vector<double> f16 = decodeAll(16, 10, 15, false), e4m3 = decodeAll(8, 3, 7, true),
                                   e5m2 = decodeAll(8, 2, 15, false);
  auto f32 = [](uint32_t bits) {
    float value;
    std::memcpy(&value, &bits, sizeof(value));
    return double(value);
  };
  switch (element) {
  case MmaElement::F16:
    return f16[code];
  case MmaElement::BF16:
    return f32(code << 16);
  case MmaElement::TF32:
    return f32(code & ~uint32_t(0x1fff)); // The low 13 bits are not read.
  case MmaElement::S8:
    return int8_t(code);
  case MmaElement::U8:
    return uint8_t(code);
  case MmaElement::E4M3:
    return e4m3[code];
  case MmaElement::E5M2:
    return e5m2[code];
  }
  return 0;
}

/// Nearest f16, ties to even; one NaN.
static uint16_t toF16(double value) {
  constexpr int kMantissa = 10, kMinExponent = -14, kBias = 15;
  constexpr uint16_t kInfinity = 0x7c00, kNan = 0x7fff;
  if (std::isnan(value))
    return kNan;
  uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  value = std::fabs(value);
  if (value == 0 || std::isinf(value))
    return sign | (value == 0 ? 0 : kInfinity);
  int exponent = std::max(std::ilogb(value), kMinExponent);
  double steps = std::nearbyint(std::ldexp(value, kMantissa - exponent));
  // A carry into the next power of two runs into the exponent by itself.
  int64_t code = int64_t(exponent + kBias - 1) * (1 << kMantissa) + int64_t(steps);
  return sign | uint16_t(std::min<int64_t>(code, kInfinity));
}

namespace {
/// The operands of one instruction as matrices.
struct Operands {
  double lhs[kM][kKBytes], rhs[kN][kKBytes]; ///< [row or column][k]
};
} // namespace

static void gather(MmaElement lhs, MmaElement rhs, const std::array<int32_t *, kWarpSize> &words, Operands &to) {
  int bytes = int(bytesOf(lhs)), perWord = kWordBytes / bytes;
  uint32_t mask = bytes == 4 ? ~0u : (1u << 8 * bytes) - 1;
  for (int lane = 0; lane < int(kWarpSize); ++lane) {
    int g = lane / 4, t = lane % 4;
    for (int word = 0; word < kLhsWords + kRhsWords; ++word) {
      bool isLhs = word < kLhsWords;
      int r = isLhs ? word : word - kLhsWords;
      double *row = isLhs ? to.lhs[g + 8 * (r & 1)] : to.rhs[g];
      int first = (4 * t + 16 * (isLhs ? r >> 1 : r)) / bytes;
      for (int i = 0; i < perWord; ++i)
        row[first + i] = valueOf(isLhs ? lhs : rhs, uint32_t(words[lane][word]) >> 8 * bytes * i & mask);
    }
  }
}

void tilewright::multiplyFragments(int32_t kind, const std::array<int32_t *, kWarpSize> &words) {
  auto lhs = MmaElement(kind & 15), rhs = MmaElement(kind >> 4 & 15);
  auto sumType = MmaSum(kind >> 8);
  Operands operands;
  gather(lhs, rhs, words, operands);
  int extentK = kKBytes / int(bytesOf(lhs));
  for (int lane = 0; lane < int(kWarpSize); ++lane) {
    int g = lane / 4, t = lane % 4;
    int32_t *sums = words[lane] + kLhsWords + kRhsWords;
    for (int i = 0; i < 4; ++i) {
      const double *row = operands.lhs[g + 8 * (i >> 1)], *column = operands.rhs[2 * t + (i & 1)];
      double product = 0;
      for (int k = 0; k < extentK; ++k)
        product += row[k] * column[k];
      switch (sumType) {
      case MmaSum::S32: // Exact: far below 2^53. Wraps around.
        sums[i] = int32_t(uint32_t(sums[i]) + uint32_t(int64_t(product)));
        break;
      case MmaSum::F32: {
        float sum;
        std::memcpy(&sum, &sums[i], sizeof(sum));
        sum = float(double(sum) + product);
        std::memcpy(&sums[i], &sum, sizeof(sum));
        break;
      }
      case MmaSum::F16: {
        uint16_t sum;
        char *place = reinterpret_cast<char *>(sums) + 2 * i;
        std::memcpy(&sum, place, sizeof(sum));
        sum = toF16(valueOf(MmaElement::F16, sum) + product);
        std::memcpy(place, &sum, sizeof(sum));
        break;
      }
      }
    }
  }
}
