// SPDX-License-Identifier: Apache-2.0
// Conversions from and to floats of eight bits and less, over all small patterns and all of f16, against LLVM's
// APFloat.
#include "Jit.h"

#include "llvm/ADT/APFloat.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>

using namespace expandtest;
using llvm::APFloat;
using llvm::APInt;

namespace {
struct Format {
  const char *type;
  unsigned width;
  const llvm::fltSemantics &semantics;
  bool hasNan;
};
} // namespace

static const Format kFormats[] = {{"f8E4M3FN", 8, APFloat::Float8E4M3FN(), true},
                                  {"f8E5M2", 8, APFloat::Float8E5M2(), true},
                                  {"f6E2M3FN", 6, APFloat::Float6E2M3FN(), false},
                                  {"f6E3M2FN", 6, APFloat::Float6E3M2FN(), false},
                                  {"f4E2M1FN", 4, APFloat::Float4E2M1FN(), false}};

static double decode(const Format &format, uint8_t bits) {
  APFloat value(format.semantics, APInt(format.width, bits));
  bool loses;
  value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &loses);
  return value.convertToDouble();
}

/// The nearest by search over all patterns, ties to the even pattern; no rule of arithmetic is shared with the code.
static uint8_t nearest(const Format &format, double x) {
  unsigned signBit = 1u << (format.width - 1);
  unsigned sign = std::signbit(x) ? signBit : 0;
  double a = std::fabs(x), previous = 0;
  unsigned largest = 0;
  for (unsigned bits = 0; bits < signBit; ++bits) {
    double value = decode(format, uint8_t(bits));
    if (std::isfinite(value))
      largest = bits;
  }
  unsigned nan = format.hasNan ? 0x7f : largest;
  if (std::isnan(x))
    return uint8_t(format.hasNan ? nan : sign | nan);
  double top = decode(format, uint8_t(largest)), step = top - decode(format, uint8_t(largest - 1));
  bool topIsEven = (largest & 1) == 0;
  if (a > top + step / 2 || (a == top + step / 2 && !topIsEven))
    return uint8_t(sign | (std::string(format.type) == "f8E5M2" ? 0x7c : nan));
  for (unsigned bits = 0; bits <= largest; ++bits) {
    double value = decode(format, uint8_t(bits));
    if (value >= a) {
      if (bits == 0 || value == a || value - a < a - previous || (value - a == a - previous && (bits & 1) == 0))
        return uint8_t(sign | bits);
      return uint8_t(sign | (bits - 1));
    }
    previous = value;
  }
  return uint8_t(sign | largest);
}

TEST(SmallFloat, WidensExactly) {
  for (const Format &format : kFormats) {
    std::vector<uint8_t> x(size_t(1) << format.width);
    for (size_t i = 0; i < x.size(); ++i)
      x[i] = uint8_t(i);
    std::string from = "arith.extf %x : $V{" + std::string(format.type) + "} to ";
    std::vector<float> single = Kernel(from + "$V{f32}", format.type, "", "f32").map<float>(x);
    std::vector<double> dbl = Kernel(from + "$V{f64}", format.type, "", "f64").map<double>(x);
    for (size_t i = 0; i < x.size(); ++i) {
      double want = decode(format, x[i]);
      if (std::isnan(want)) {
        EXPECT_TRUE(std::isnan(single[i]) && std::isnan(dbl[i])) << format.type << " " << i;
        continue;
      }
      EXPECT_TRUE(single[i] == float(want) && std::signbit(single[i]) == std::signbit(want)) << format.type << " " << i;
      EXPECT_EQ(dbl[i], want) << format.type << " " << i;
    }
  }
}

/// Neighbourhoods of every number and every midpoint, of overflow, and special values.
template <typename F> static std::vector<F> edges(const Format &format) {
  std::vector<F> x = {0,
                      std::numeric_limits<F>::denorm_min(),
                      std::numeric_limits<F>::max(),
                      std::numeric_limits<F>::infinity(),
                      std::numeric_limits<F>::quiet_NaN(),
                      1e30f};
  double previous = 0;
  for (unsigned bits = 0; bits < 1u << (format.width - 1); ++bits) {
    double value = decode(format, uint8_t(bits));
    if (!std::isfinite(value))
      continue;
    double step = value - previous;
    for (double centre : {value, (value + previous) / 2, value + step / 2, value + step})
      for (F near : {F(centre), std::nextafter(F(centre), F(0)), std::nextafter(F(centre), F(1e30))})
        x.push_back(near);
    previous = value;
  }
  for (size_t i = 0, size = x.size(); i < size; ++i)
    x.push_back(-x[i]);
  return x;
}

template <typename F> static void checkNarrow(const Format &format, const char *type) {
  std::vector<F> x = edges<F>(format);
  Kernel kernel("arith.truncf %x : $V{" + std::string(type) + "} to $V{" + format.type + "}", type, "", format.type);
  std::vector<uint8_t> got = kernel.map<uint8_t>(x);
  for (size_t i = 0; i < x.size(); ++i) {
    uint8_t want = nearest(format, x[i]);
    // f6 and f4 have no NaN; the sign of what they give instead is free.
    unsigned mask = std::isnan(x[i]) && !format.hasNan ? (1u << (format.width - 1)) - 1 : 0xff;
    EXPECT_EQ(got[i] & mask, want & mask) << format.type << " of " << std::hexfloat << x[i];
  }
}

TEST(SmallFloat, NarrowsToNearestEven) {
  for (const Format &format : kFormats) {
    checkNarrow<float>(format, "f32");
    // One rounding, though the way is through f32.
    checkNarrow<double>(format, "f64");
  }
}

TEST(SmallFloat, NarrowsAllOfF16) {
  for (const Format &format : kFormats) {
    std::vector<uint16_t> x(65536);
    for (size_t i = 0; i < x.size(); ++i)
      x[i] = uint16_t(i);
    Kernel kernel("arith.truncf %x : $V{f16} to $V{" + std::string(format.type) + "}", "f16", "", format.type);
    std::vector<uint8_t> got = kernel.map<uint8_t>(x);
    for (size_t i = 0; i < x.size(); ++i) {
      APFloat value(APFloat::IEEEhalf(), APInt(16, i));
      bool loses;
      value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &loses);
      double wide = value.convertToDouble();
      // As above of NaN in f6 and f4.
      unsigned mask = std::isnan(wide) && !format.hasNan ? (1u << (format.width - 1)) - 1 : 0xff;
      EXPECT_EQ(got[i] & mask, nearest(format, wide) & mask) << format.type << " of pattern " << i;
    }
  }
}

TEST(SmallFloat, ScalesAreExponents) {
  std::vector<uint8_t> x(256);
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = uint8_t(i);
  std::vector<float> wide = Kernel("arith.extf %x : $V{f8E8M0FNU} to $V{f32}", "f8E8M0FNU", "", "f32").map<float>(x);
  std::vector<uint8_t> back =
      Kernel("arith.truncf %x : $V{f32} to $V{f8E8M0FNU}", "f32", "", "f8E8M0FNU").map<uint8_t>(wide);
  for (int i = 0; i < 255; ++i) {
    EXPECT_EQ(wide[i], std::ldexp(1.0f, i - 127));
    EXPECT_EQ(back[i], i);
  }
  EXPECT_TRUE(std::isnan(wide[255]));
  EXPECT_EQ(back[255], 255);
}

// 1 + 2^-11 + 2^-40 is above the middle of two f16 numbers; f32 would round it to the middle, and that to even: 1.
TEST(SmallFloat, DoubleToHalfRoundsOnce) {
  std::vector<double> x = {1 + 0x1p-11 + 0x1p-40,
                           1 + 0x1p-11 - 0x1p-40,
                           1 + 0x1p-11,
                           65519.99999999,
                           65520,
                           1e300,
                           0x1p-25,
                           0x1.0000000001p-25,
                           -0x1.8p-24,
                           NAN,
                           INFINITY};
  std::vector<uint16_t> got = Kernel("arith.truncf %x : $V{f64} to $V{f16}", "f64", "", "f16").map<uint16_t>(x);
  for (size_t i = 0; i < x.size(); ++i) {
    APFloat value(x[i]);
    bool loses;
    value.convert(APFloat::IEEEhalf(), APFloat::rmNearestTiesToEven, &loses);
    EXPECT_EQ(got[i], uint16_t(value.bitcastToAPInt().getZExtValue())) << x[i];
  }
  std::vector<double> y = {
      1 + 0x1p-8 + 0x1p-40, 1 + 0x1p-8 - 0x1p-40, 1 + 0x1p-8, 0x1p-134, 0x1.0000000001p-134, 1e300, INFINITY};
  got = Kernel("arith.truncf %x : $V{f64} to $V{bf16}", "f64", "", "bf16").map<uint16_t>(y);
  for (size_t i = 0; i < y.size(); ++i) {
    APFloat value(y[i]);
    bool loses;
    value.convert(APFloat::BFloat(), APFloat::rmNearestTiesToEven, &loses);
    EXPECT_EQ(got[i], uint16_t(value.bitcastToAPInt().getZExtValue())) << y[i];
  }
}

TEST(SmallFloat, ConvertsIntegers) {
  std::vector<int32_t> x;
  for (int i = -600; i < 600; ++i)
    x.push_back(i);
  x.push_back(1 << 30);
  const Format &format = kFormats[0];
  std::vector<uint8_t> got = Kernel("arith.sitofp %x : $V{i32} to $V{f8E4M3FN}", "i32", "", "f8E4M3FN").map<uint8_t>(x);
  for (size_t i = 0; i < x.size(); ++i)
    EXPECT_EQ(unsigned(got[i]), unsigned(nearest(format, x[i]))) << x[i];
  std::vector<uint8_t> y;
  for (int i = 0; i < 256; ++i)
    if ((i & 0x7f) != 0x7f)
      y.push_back(uint8_t(i));
  std::vector<int32_t> back =
      Kernel("arith.fptosi %x : $V{f8E4M3FN} to $V{i32}", "f8E4M3FN", "", "i32").map<int32_t>(y);
  for (size_t i = 0; i < y.size(); ++i)
    EXPECT_EQ(back[i], int32_t(decode(format, y[i])));
}

// Just above the middle of two bf16 numbers by a bit that f32, or f64, has no room for.
TEST(SmallFloat, IntegersToBrainRoundOnce) {
  std::vector<int64_t> x = {(int64_t(0x101) << 54) + 1,
                            (int64_t(0x101) << 54),
                            (int64_t(0x101) << 23) + 1,
                            (int64_t(0x101) << 40) - 1,
                            INT64_MAX,
                            INT64_MIN,
                            -((int64_t(0x101) << 54) + 1),
                            0,
                            257,
                            259,
                            (int64_t(0x103) << 54) - 1,
                            (int64_t(1) << 53) + 1};
  std::vector<uint16_t> got = Kernel("arith.sitofp %x : $V{i64} to $V{bf16}", "i64", "", "bf16").map<uint16_t>(x);
  std::vector<uint16_t> gotUnsigned =
      Kernel("arith.uitofp %x : $V{i64} to $V{bf16}", "i64", "", "bf16").map<uint16_t>(x);
  for (size_t i = 0; i < x.size(); ++i) {
    APFloat value(APFloat::BFloat()), valueUnsigned(APFloat::BFloat());
    APInt bits(64, uint64_t(x[i]));
    value.convertFromAPInt(bits, /*IsSigned=*/true, APFloat::rmNearestTiesToEven);
    valueUnsigned.convertFromAPInt(bits, /*IsSigned=*/false, APFloat::rmNearestTiesToEven);
    EXPECT_EQ(got[i], uint16_t(value.bitcastToAPInt().getZExtValue())) << x[i];
    EXPECT_EQ(gotUnsigned[i], uint16_t(valueUnsigned.bitcastToAPInt().getZExtValue())) << x[i];
  }
}
