// SPDX-License-Identifier: Apache-2.0
// The sums of tensor cores: against results that an H200 gave, and against a slow model that shares no code with the
// emulator: it computes in long double what the emulator computes in integers.
#include "Mma.h"
#include "tilewright/Support/MmaElement.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <optional>
#include <random>

using namespace tilewright;

namespace {
/// One instruction: rows of the left operand and columns of the right one, 32 bytes each as 8 words, and the sums, bits
/// of f32, f16 or i32.
struct Fragments {
  uint32_t lhs[16][8] = {}, rhs[8][8] = {};
  uint32_t sums[16][8] = {};

  /// Runs the instruction. Places by PTX ISA 9.1, 9.7.14.5.
  void multiply(int32_t kind) {
    bool isHalf = MmaSum(kind >> 8) == MmaSum::F16;
    int32_t words[32][10];
    std::array<int32_t *, kWarpSize> places;
    for (int lane = 0; lane < 32; ++lane) {
      int g = lane / 4, t = lane % 4;
      for (int r = 0; r < 4; ++r)
        words[lane][r] = int32_t(lhs[g + 8 * (r % 2)][t + 4 * (r / 2)]);
      for (int r = 0; r < 2; ++r)
        words[lane][4 + r] = int32_t(rhs[g][t + 4 * r]);
      for (int i = 0; i < 4; ++i)
        std::memcpy(reinterpret_cast<char *>(&words[lane][6]) + (isHalf ? 2 : 4) * i,
                    &sums[g + 8 * (i / 2)][2 * t + i % 2], isHalf ? 2 : 4);
      places[size_t(lane)] = words[lane];
    }
    multiplyFragments(kind, places);
    for (int lane = 0; lane < 32; ++lane)
      for (int i = 0; i < 4; ++i)
        std::memcpy(&sums[lane / 4 + 8 * (i / 2)][2 * (lane % 4) + i % 2],
                    reinterpret_cast<char *>(&words[lane][6]) + (isHalf ? 2 : 4) * i, isHalf ? 2 : 4);
  }
};
} // namespace

static int32_t kindOf(MmaElement lhs, MmaElement rhs, MmaSum sum) { return packMmaKind(lhs, rhs, sum); }

static const int32_t kF16F32 = kindOf(MmaElement::F16, MmaElement::F16, MmaSum::F32),
                     kF16F16 = kindOf(MmaElement::F16, MmaElement::F16, MmaSum::F16),
                     kBF16F32 = kindOf(MmaElement::BF16, MmaElement::BF16, MmaSum::F32),
                     kTF32F32 = kindOf(MmaElement::TF32, MmaElement::TF32, MmaSum::F32),
                     kE4M3E5M2F32 = kindOf(MmaElement::E4M3, MmaElement::E5M2, MmaSum::F32),
                     kE5M2E4M3F16 = kindOf(MmaElement::E5M2, MmaElement::E4M3, MmaSum::F16);

/// The sum that the emulator gives for one row and one column.
static uint32_t sumOf(int32_t kind, const std::array<uint32_t, 8> &row, const std::array<uint32_t, 8> &column,
                      uint32_t start) {
  Fragments fragments;
  std::copy(row.begin(), row.end(), fragments.lhs[11]);
  std::copy(column.begin(), column.end(), fragments.rhs[3]);
  fragments.sums[11][3] = start;
  fragments.multiply(kind);
  return fragments.sums[11][3];
}

//===----------------------------------------------------------------------===//
// What an H200 gave
//===----------------------------------------------------------------------===//

namespace {
struct Recorded {
  int32_t kind;
  std::array<uint32_t, 8> row, column;
  uint32_t start, sum;
};
} // namespace

// From the record that test/device/mma_sums.py makes, 30 November 2026; chosen so that each parameter of the model
// counts: 24 or 26 places, exponents of normalised products, a cut downwards, steps of 4 or 8, another split of 8-bit
// elements, other roundings all give other bits in at least one.
TEST(MmaTest, GivesTheBitsOfAnH200) {
  const Recorded all[] = {
      {kF16F32,
       {0xc77339ac, 0x4342bb0b, 0xb90c42cc, 0x30b83cb3, 0x42a73de6, 0x3b433c37, 0x3fa6cb54, 0xc26247fe},
       {0xb75a4038, 0x3c48c8c6, 0xc0cabc8b, 0x4260b301, 0x342ccb3e, 0x461db2d6, 0x4739b8b4, 0x3ef6c593},
       0x3e1fe664,
       0xc1dcf116},
      {kF16F16,
       {0x3bafbe8e, 0xc17f4062, 0xc4303939, 0xc46a4468, 0xbc9bb7fc, 0xb030346d, 0xbeeacbe9, 0x30c238b7},
       {0xbaa2c240, 0x4791b191, 0xcaadb15b, 0x45384827, 0x3991b2a8, 0x4bc0305d, 0x46da422d, 0x404a4b9f},
       0x3fc4,
       0x35e6},
      {kF16F16,
       {0x3fba4115, 0xc05a4105, 0x3816c047, 0xc3513c52, 0x3a47baf0, 0xc14340e5, 0x3bc439ab, 0xc0a93acf},
       {0x410bbb5f, 0xbb14c1d6, 0xbf64c1db, 0xc1d24227, 0x3a59c213, 0xbbefc287, 0x394ebb4d, 0x4067c36f},
       0xeef9,
       0xeef7},
      {kF16F16,
       {0x45fc42de, 0x41ae3d93, 0x43a8446e, 0x3b184210, 0x3b683998, 0x44593d08, 0x3fda4659, 0x415041a6},
       {0x3cbe425d, 0x460f47f6, 0x38e13609, 0x3a5a3684, 0x40b93430, 0x39273ae4, 0x36c93ceb, 0x357c35dc},
       0x3d3d,
       0x5467},
      {kBF16F32,
       {0x40e94028, 0x3c83426b, 0xc204c27a, 0x3fd1be4a, 0x41d54096, 0xc223bd6a, 0x40e1bd5f, 0xc047c114},
       {0xbf20404c, 0xc135c295, 0xc25abfdf, 0xbece3dd4, 0x3f66be44, 0xc2bc3d58, 0x40f53c84, 0xc00ec194},
       0xbf0cbb31,
       0x44ca4981},
      {kTF32F32,
       {0x41402000, 0x3e6e6000, 0xbe76e000, 0x40890000, 0xc1600000, 0x40c50000, 0xbee12000, 0x3fb74000},
       {0xc16b8000, 0xc14d6000, 0x3e2f0000, 0xbe49e000, 0xc061a000, 0x41566000, 0x3f62a000, 0x4103c000},
       0xc012afea,
       0xc21eaa37},
      {kE4M3E5M2F32,
       {0x604aaf0a, 0xbe498bcb, 0x0ebbe7be, 0x1bd7952f, 0xd1661c37, 0xe766c009, 0x4c9924c4, 0x4e9a905d},
       {0x53a9a8bf, 0x353d2c30, 0x3539d53b, 0xc544c42a, 0xc0c82f2d, 0x25d65639, 0x4d27b124, 0xbf2f2ece},
       0xbfab9092,
       0x4186a497},
      {kE5M2E4M3F16,
       {0xb6c53744, 0x43b2b4b5, 0x49c43348, 0x33cb40c7, 0x4439be40, 0x43b23347, 0x45c1bfb3, 0xcbb63b43},
       {0x5044374a, 0x4bc7cb3e, 0x37cab8d4, 0x4e2eb2b1, 0x2c50bcc3, 0x43c2d136, 0x364435af, 0xc638beb3},
       0xbf13,
       0x4938},
  };
  for (const Recorded &one : all)
    EXPECT_EQ(sumOf(one.kind, one.row, one.column, one.start), one.sum)
        << "kind " << one.kind << ", start " << one.start;
}

/// Two rows of f16 products at k = 0, 1, 8, 9; zeros elsewhere.
static uint32_t sumOfFour(MmaSum sum, std::array<uint16_t, 4> a, std::array<uint16_t, 4> b, uint32_t start) {
  std::array<uint32_t, 8> row = {a[0] | uint32_t(a[1]) << 16, 0, 0, 0, a[2] | uint32_t(a[3]) << 16};
  std::array<uint32_t, 8> column = {b[0] | uint32_t(b[1]) << 16, 0, 0, 0, b[2] | uint32_t(b[3]) << 16};
  return sumOf(kindOf(MmaElement::F16, MmaElement::F16, sum), row, column, start);
}

// Recorded on an H200 on 30 November 2026.
TEST(MmaTest, TreatsSpecialValuesAsAnH200) {
  const uint16_t one = 0x3c00, minus = 0xbc00, infinity = 0x7c00, nan = 0x7e00, least = 1, largest = 0x7bff;
  const uint32_t kNan32 = 0x7fffffff, kNan16 = 0x7fff;
  struct {
    const char *what;
    std::array<uint16_t, 4> a, b;
    uint32_t start32, sum32, start16, sum16;
  } all[] = {
      {"infinity * 0", {infinity}, {0}, 0, kNan32, 0, kNan16},
      {"infinity - infinity", {infinity, infinity}, {one, minus}, 0, kNan32, 0, kNan16},
      {"infinity", {infinity}, {one}, 0, 0x7f800000, 0, 0x7c00},
      {"start - infinity", {infinity}, {minus}, 0x7f800000, kNan32, 0x7c00, kNan16},
      {"NaN", {nan}, {one}, 0, kNan32, 0, kNan16},
      {"start NaN", {0}, {0}, 0x7fc00000, kNan32, 0x7e00, kNan16},
      {"start -NaN", {0}, {0}, 0xffc00000, kNan32, 0xfe00, kNan16},
      {"start of the largest f32", {largest}, {largest}, 0x7f7fffff, 0x7f7fffff, largest, 0x7c00},
      {"start of the least f32", {largest}, {0xfbff}, 0xff7fffff, 0xff7fffff, 0xfbff, 0xfc00},
      {"-0 and -0 * 0", {0x8000}, {0}, 0x80000000, 0, 0x8000, 0},
      {"1 - 1", {one, one}, {one, minus}, 0, 0, 0, 0},
      {"-0 and 1 - 1", {one, one}, {one, minus}, 0x80000000, 0, 0x8000, 0},
      {"product of denormals", {least}, {least}, 0, 0x27800000, 0, 0},
      {"denormal start", {0}, {0}, 1, 1, 1, 1},
      {"65504 + 16", {largest, 0x4c00}, {one, one}, 0, 0x477ff000, 0, 0x7c00},
      {"65504 + 8", {largest, 0x4800}, {one, one}, 0, 0x477fe800, 0, 0x7bff},
      {"start 65504 + 16", {0x4c00}, {one}, 0x477fe000, 0x477ff000, 0x7bff, 0x7c00},
  };
  for (const auto &of : all) {
    EXPECT_EQ(sumOfFour(MmaSum::F32, of.a, of.b, of.start32), of.sum32) << of.what << ", f32";
    EXPECT_EQ(sumOfFour(MmaSum::F16, of.a, of.b, of.start16), of.sum16) << of.what << ", f16";
  }
}

//===----------------------------------------------------------------------===//
// The slow model
//===----------------------------------------------------------------------===//

namespace {
struct Type {
  int bits, mantissa, bias;
};
constexpr Type kF32{32, 23, 127}, kF16{16, 10, 15}, kBF16{16, 7, 127}, kTF32{19, 10, 127}, kE4M3{8, 3, 7},
    kE5M2{8, 2, 15};
} // namespace

static Type typeOf(MmaElement element) {
  switch (element) {
  case MmaElement::F16:
    return kF16;
  case MmaElement::BF16:
    return kBF16;
  case MmaElement::TF32:
    return kTF32;
  case MmaElement::E4M3:
    return kE4M3;
  default:
    return kE5M2;
  }
}

static long double valueOf(uint32_t code, Type type) {
  int exponentBits = type.bits - 1 - type.mantissa;
  int exponent = int(code >> type.mantissa) & ((1 << exponentBits) - 1);
  long double fraction = code & ((uint32_t(1) << type.mantissa) - 1), sign = code >> (type.bits - 1) & 1 ? -1 : 1;
  bool isTop = exponent == (1 << exponentBits) - 1, isE4M3 = type.bits == 8 && type.mantissa == 3;
  if (isE4M3 ? isTop && fraction == 7 : isTop && fraction != 0)
    return std::nanl("");
  if (isTop && !isE4M3)
    return sign * INFINITY;
  if (exponent)
    return sign * std::ldexp(fraction + std::ldexp(1.0L, type.mantissa), exponent - type.bias - type.mantissa);
  return sign * std::ldexp(fraction, 1 - type.bias - type.mantissa);
}

/// Exponent of a number in its type, or nothing for zero.
static std::optional<int> exponentOf(long double value, Type type) {
  if (value == 0)
    return std::nullopt;
  return std::max(std::ilogb(value), 1 - type.bias);
}

/// The nearest f16 by search; of two that are equally near the even one.
static uint32_t nearestF16(long double value) {
  uint32_t sign = std::signbit(value) ? 0x8000 : 0;
  long double magnitude = std::fabs(value);
  uint32_t low = 0, high = 0x7c00; // As if infinity were the next number, 65536.
  auto at = [](uint32_t code) { return code == 0x7c00 ? 65536.0L : valueOf(code, kF16); };
  if (magnitude >= at(high))
    return sign | high;
  while (high - low > 1) {
    uint32_t middle = (low + high) / 2;
    (at(middle) <= magnitude ? low : high) = middle;
  }
  long double below = magnitude - at(low), above = at(high) - magnitude;
  return sign | (below < above || (below == above && low % 2 == 0) ? low : high);
}

/// f32 toward zero; infinity from 2^128 on.
static uint32_t cutF32(long double value) {
  float result = float(value);
  if (std::fabs(value) < std::ldexp(1.0L, 128) && std::fabs((long double)(result)) > std::fabs(value))
    result = std::nextafter(result, 0.0f);
  if (value == 0)
    result = 0;
  uint32_t code;
  std::memcpy(&code, &result, sizeof(code));
  return code;
}

/// Zero is +0, whatever it was cut from.
static uint32_t roundSum(long double sum, bool isF16) {
  if (std::isnan(sum))
    return isF16 ? 0x7fff : 0x7fffffff;
  uint32_t code = isF16 ? nearestF16(sum) : cutF32(sum);
  return code == (isF16 ? 0x8000 : 0x80000000) ? 0 : code;
}

/// One step: products of elements as f16, bf16 or tf32 of `type` to a sum.
static uint32_t addStep(const std::vector<uint32_t> &row, const std::vector<uint32_t> &column, Type type,
                        uint32_t start, bool isF16) {
  Type total = isF16 ? kF16 : kF32;
  std::vector<std::pair<long double, std::optional<int>>> terms;
  long double plain = valueOf(start, total);
  terms.push_back({plain, exponentOf(plain, total)});
  for (size_t k = 0; k < row.size(); ++k) {
    long double a = valueOf(row[k], type), b = valueOf(column[k], type);
    plain += a * b;
    std::optional<int> exponent;
    if (a != 0 && b != 0 && std::isfinite(a * b))
      exponent = *exponentOf(a, type) + *exponentOf(b, type);
    terms.push_back({a * b, exponent});
  }
  if (!std::isfinite(plain))
    return roundSum(plain, isF16);
  std::optional<int> top;
  for (auto [value, exponent] : terms)
    if (exponent && (!top || *exponent > *top))
      top = exponent;
  if (!top)
    return 0;
  top = std::max(*top, -133);
  long double sum = 0;
  for (auto [value, exponent] : terms)
    sum += std::trunc(std::ldexp(value, 25 - *top));
  return roundSum(std::ldexp(sum, *top - 25), isF16);
}

static std::vector<uint32_t> elementsOf(const uint32_t *words, MmaElement element) {
  std::vector<uint32_t> elements;
  int bytes = int(bytesOf(element));
  for (int i = 0; i < 32 / bytes; ++i) {
    uint32_t code = words[i * bytes / 4] >> 8 * (i * bytes % 4);
    elements.push_back(bytes == 4 ? code >> 13 : code & ((1u << 8 * bytes) - 1));
  }
  return elements;
}

/// The f16 of each element of 8 bits.
static std::vector<uint32_t> widenAll(Type type) {
  std::vector<uint32_t> all;
  for (uint32_t code = 0; code < 256; ++code) {
    long double value = valueOf(code, type);
    all.push_back(std::isnan(value) ? 0x7e00 : nearestF16(value));
  }
  return all;
}

static uint32_t referenceSum(int32_t kind, const uint32_t *row, const uint32_t *column, uint32_t start) {
  auto lhs = MmaElement(kind & 15), rhs = MmaElement(kind >> 4 & 15);
  bool isF16 = MmaSum(kind >> 8) == MmaSum::F16;
  std::vector<uint32_t> left = elementsOf(row, lhs), right = elementsOf(column, rhs);
  if (!isFp8(lhs))
    return addStep(left, right, typeOf(lhs), start, isF16);
  auto widen = [](uint32_t code, MmaElement element) {
    static const std::vector<uint32_t> e4m3 = widenAll(kE4M3), e5m2 = widenAll(kE5M2);
    return (element == MmaElement::E4M3 ? e4m3 : e5m2)[code];
  };
  uint32_t sum = 0;
  for (int half = 0; half < 2; ++half) {
    std::vector<uint32_t> a, b;
    for (int word = 0; word < 8; ++word)
      for (int i = 0; i < 2; ++i) {
        size_t k = size_t(4 * word + 2 * half + i);
        a.push_back(widen(left[k], lhs));
        b.push_back(widen(right[k], rhs));
      }
    sum = addStep(a, b, kF16, sum, isF16);
  }
  Type total = isF16 ? kF16 : kF32;
  long double exact = valueOf(start, total) + valueOf(sum, total);
  if (isF16 || std::isnan(exact)) {
    if (exact == 0)
      return std::signbit(exact) ? 0x8000 : 0;
    return roundSum(exact, isF16);
  }
  // The sum of two f32 in double, which is wide enough for a second rounding to do no harm.
  float rounded = float(double(valueOf(start, total)) + double(valueOf(sum, total)));
  uint32_t code;
  std::memcpy(&code, &rounded, sizeof(code));
  return code;
}

namespace {
enum class Data { Near, Spread, AnyBits, Denormal, Sparse, Special, Cancelling };
} // namespace

/// An element of `type`.
static uint32_t makeElement(std::mt19937 &random, Type type, Data data) {
  auto below = [&](uint32_t limit) { return uint32_t(random() % limit); };
  uint32_t fraction = below(1u << type.mantissa), sign = below(2) << (type.bits - 1);
  int exponentBits = type.bits - 1 - type.mantissa, top = (1 << exponentBits) - 2;
  auto from = [&](int exponent) { return uint32_t(std::clamp(exponent, 0, top)) << type.mantissa; };
  switch (data) {
  case Data::Near:
    return sign | from(type.bias + int(below(3)) - 1) | fraction;
  case Data::Cancelling:
  case Data::Spread:
    return sign | from(type.bias + int(below(15)) - 7) | fraction;
  case Data::AnyBits:
    return sign | from(int(below(uint32_t(top) + 1))) | fraction;
  case Data::Denormal:
    return sign | from(int(below(3))) | fraction;
  case Data::Sparse:
    return below(2) ? sign : sign | from(int(below(uint32_t(top) + 1))) | fraction;
  case Data::Special:
    if (below(64) == 0)
      return sign | (uint32_t(top + 1) << type.mantissa) | (below(2) ? fraction : 0);
    return sign | from(int(below(uint32_t(top) + 1))) | fraction;
  }
  return 0;
}

static const int32_t kFloatKinds[] = {
    kF16F32,
    kF16F16,
    kBF16F32,
    kTF32F32,
    kE4M3E5M2F32,
    kE5M2E4M3F16,
    kindOf(MmaElement::E4M3, MmaElement::E4M3, MmaSum::F32),
    kindOf(MmaElement::E4M3, MmaElement::E4M3, MmaSum::F16),
    kindOf(MmaElement::E4M3, MmaElement::E5M2, MmaSum::F16),
    kindOf(MmaElement::E5M2, MmaElement::E4M3, MmaSum::F32),
    kindOf(MmaElement::E5M2, MmaElement::E5M2, MmaSum::F32),
    kindOf(MmaElement::E5M2, MmaElement::E5M2, MmaSum::F16),
};

static void fill(std::mt19937 &random, uint32_t *words, MmaElement element, Data data) {
  int bytes = int(bytesOf(element));
  std::fill(words, words + 8, 0);
  for (int i = 0; i < 32 / bytes; ++i) {
    uint32_t code = makeElement(random, typeOf(element), data);
    // The low bits of tf32 are not read.
    words[i * bytes / 4] |= bytes == 4 ? code << 13 | (random() & 0x1fff) : code << 8 * (i * bytes % 4);
  }
}

TEST(MmaTest, AgreesWithTheSlowModel) {
  std::mt19937 random(20261130);
  for (int32_t kind : kFloatKinds) {
    auto lhs = MmaElement(kind & 15), rhs = MmaElement(kind >> 4 & 15);
    Type total = MmaSum(kind >> 8) == MmaSum::F16 ? kF16 : kF32;
    for (Data data :
         {Data::Near, Data::Spread, Data::AnyBits, Data::Denormal, Data::Sparse, Data::Special, Data::Cancelling})
      for (int repeat = 0; repeat < 6; ++repeat) {
        Fragments fragments;
        for (auto &row : fragments.lhs)
          fill(random, row, lhs, data);
        for (auto &column : fragments.rhs)
          fill(random, column, rhs, repeat % 2 ? data : Data::Spread);
        Data ofSum = repeat % 3 == 0 ? Data::Near : repeat % 3 == 1 ? data : Data::AnyBits;
        for (auto &row : fragments.sums)
          for (uint32_t &sum : row)
            sum = makeElement(random, total, ofSum);
        // The start is what the products leave, with the other sign.
        if (data == Data::Cancelling) {
          Fragments zeroStart = fragments;
          std::memset(zeroStart.sums, 0, sizeof(zeroStart.sums));
          zeroStart.multiply(kind);
          for (int i = 0; i < 16; ++i)
            for (int j = 0; j < 8; ++j)
              fragments.sums[i][j] = zeroStart.sums[i][j] ^ 1u << (total.bits - 1);
        }
        Fragments before = fragments;
        fragments.multiply(kind);
        for (int i = 0; i < 16; ++i)
          for (int j = 0; j < 8; ++j)
            ASSERT_EQ(fragments.sums[i][j], referenceSum(kind, before.lhs[i], before.rhs[j], before.sums[i][j]))
                << "kind " << kind << ", data " << int(data) << ", repeat " << repeat << ", row " << i << ", column "
                << j;
      }
  }
}

//===----------------------------------------------------------------------===//
// The ends of the range
//===----------------------------------------------------------------------===//

static uint32_t bf16Pair(uint32_t a, uint32_t b) { return a | b << 16; }

TEST(MmaTest, CutsOverflowAndUnderflow) {
  // 2^127 * 1 + 2^127 * 1 is 2^128.
  EXPECT_EQ(sumOf(kBF16F32, {bf16Pair(0x7f00, 0x7f00)}, {bf16Pair(0x3f80, 0x3f80)}, 0), 0x7f800000u);
  EXPECT_EQ(sumOf(kBF16F32, {bf16Pair(0x7f00, 0x7f00)}, {bf16Pair(0xbf80, 0xbf80)}, 0), 0xff800000u);
  // Products beyond the range that cancel are numbers.
  EXPECT_EQ(sumOf(kBF16F32, {bf16Pair(0x7f00, 0x7f00)}, {bf16Pair(0x7f00, 0xff00)}, 0), 0u);
  // 2^-126 * 2^-24 is below the least f32; twice it is the least one.
  EXPECT_EQ(sumOf(kBF16F32, {bf16Pair(0x0080, 0)}, {bf16Pair(0x3380, 0)}, 0), 0u);
  EXPECT_EQ(sumOf(kBF16F32, {bf16Pair(0x0080, 0x0080)}, {bf16Pair(0x3380, 0x3380)}, 0), 1u);
  // 2^-149 - 2^-158 is cut to zero. Of 2^-149 - 2^-159 the second term is cut first: places end at 2^-158.
  EXPECT_EQ(sumOf(kBF16F32, {bf16Pair(0x1a00, 0x9800)}, {bf16Pair(0x1a80, 0x1800)}, 0), 0u);
  EXPECT_EQ(sumOf(kBF16F32, {bf16Pair(0x1a00, 0x9800)}, {bf16Pair(0x1a80, 0x1780)}, 0), 1u);
}

TEST(MmaTest, KeepsOneRoundedAdditionOfNarrowElements) {
  // The products of 8-bit elements are summed first: 1 + 2^-24 is a tie, which goes to the even neighbour, 1.
  std::array<uint32_t, 8> least = {0x01}, scale = {0x04}; // e5m2: 2^-16 and 2^-14
  int32_t kind = kindOf(MmaElement::E5M2, MmaElement::E5M2, MmaSum::F32);
  EXPECT_EQ(sumOf(kind, least, scale, 0), 0x30800000u);                        // 2^-30
  EXPECT_EQ(sumOf(kind, {0x18}, {0x18}, 0x3f800000), 0x3f800000u + (1u << 5)); // 1 + 2^-18
  EXPECT_EQ(sumOf(kind, {0x0c}, {0x0c}, 0x3f800000), 0x3f800000u);             // 1 + 2^-24
  EXPECT_EQ(sumOf(kind, {0x0c}, {0x0c}, 0x3f800001), 0x3f800002u);             // A tie at an odd number goes up.
  // -0 and products that are zero: their sum is +0. So is what rounds to zero from below.
  EXPECT_EQ(sumOf(kind, {0}, {0}, 0x80000000), 0u);
  int32_t half = kindOf(MmaElement::E5M2, MmaElement::E5M2, MmaSum::F16);
  EXPECT_EQ(sumOf(half, {0}, {0}, 0x8000), 0u);
  EXPECT_EQ(sumOf(half, {0x01}, {0x81}, 0x8000), 0u); // -2^-32 in the first step
  EXPECT_EQ(sumOf(half, {0x010000}, {0x810000}, 0x8000), 0u);
  EXPECT_EQ(sumOf(half, {0x010000}, {0x810000}, 0), 0u);
}

TEST(MmaTest, WrapsIntegersAround) {
  std::array<uint32_t, 8> all;
  all.fill(0xffffffff);
  EXPECT_EQ(sumOf(kindOf(MmaElement::S8, MmaElement::S8, MmaSum::S32), all, all, 0x7fffffff), 0x8000001fu);
  EXPECT_EQ(sumOf(kindOf(MmaElement::U8, MmaElement::S8, MmaSum::S32), all, all, 5), uint32_t(5 - 32 * 255));
  EXPECT_EQ(sumOf(kindOf(MmaElement::U8, MmaElement::U8, MmaSum::S32), all, all, 0), uint32_t(32 * 255 * 255));
}
