// SPDX-License-Identifier: Apache-2.0
#include "../../../lib/EmulatorJit/HostSymbols.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

using namespace tilewright;

// The value of a narrow float by its definition.
static double valueOf(uint16_t bits, int exponentBits, int mantissaBits) {
  int exponent = bits >> mantissaBits & ((1 << exponentBits) - 1), bias = (1 << (exponentBits - 1)) - 1;
  int mantissa = bits & ((1 << mantissaBits) - 1);
  double magnitude;
  if (exponent == (1 << exponentBits) - 1)
    magnitude = mantissa ? std::nan("") : HUGE_VAL;
  else if (exponent == 0)
    magnitude = std::ldexp(mantissa, 1 - bias - mantissaBits);
  else
    magnitude = std::ldexp((1 << mantissaBits) + mantissa, exponent - bias - mantissaBits);
  return bits >> 15 ? -magnitude : magnitude;
}

// Each value, each tie between neighbours and the doubles next to each tie.
static void checkFormat(int exponentBits, int mantissaBits) {
  auto narrow = [&](double value) { return narrowFloat(value, unsigned(exponentBits), unsigned(mantissaBits)); };
  uint16_t infinity = uint16_t(((1 << exponentBits) - 1) << mantissaBits);
  for (uint16_t bits = 0; bits < infinity; ++bits) {
    double value = valueOf(bits, exponentBits, mantissaBits);
    ASSERT_EQ(narrow(value), bits);
    ASSERT_EQ(narrow(-value), bits | 0x8000);
    // The largest finite value and the one that would follow it, 2^n, have a tie too: from it on all is infinity.
    double next = bits + 1 < infinity ? valueOf(uint16_t(bits + 1), exponentBits, mantissaBits)
                                      : 2 * value - valueOf(uint16_t(bits - 1), exponentBits, mantissaBits);
    double tie = (value + next) / 2;
    ASSERT_EQ(narrow(tie), bits & 1 ? bits + 1 : bits);
    ASSERT_EQ(narrow(std::nextafter(tie, 0.0)), bits);
    ASSERT_EQ(narrow(std::nextafter(tie, HUGE_VAL)), bits + 1);
    ASSERT_EQ(narrow(-std::nextafter(tie, HUGE_VAL)), (bits + 1) | 0x8000);
  }
  EXPECT_EQ(narrow(HUGE_VAL), infinity);
  EXPECT_EQ(narrow(-HUGE_VAL), infinity | 0x8000);
  EXPECT_EQ(narrow(1e300), infinity);
  EXPECT_EQ(narrow(5e-324), 0);
  EXPECT_EQ(narrow(std::nan("")) & 0x7fff & ~((1 << (mantissaBits - 1)) - 1), infinity | 1 << (mantissaBits - 1));
}

TEST(HostSymbolsTest, Float16) { checkFormat(5, 10); }
TEST(HostSymbolsTest, Bfloat16) { checkFormat(8, 7); }

// What LLVM does with a bf16 that lives in several blocks: to f32 by a shift, and back.
TEST(HostSymbolsTest, BfloatThereAndBackKeepsEveryBit) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    uint32_t wide = bits << 16;
    float value;
    std::memcpy(&value, &wide, sizeof value);
    ASSERT_EQ(narrowToBfloat(value), bits);
  }
}

TEST(HostSymbolsTest, BfloatOfSingleIsThatOfDouble) {
  for (uint64_t high = 0; high < 0x10000; ++high)
    for (uint32_t low : {0x0001u, 0x7fffu, 0x8000u, 0x8001u, 0xffffu}) {
      uint32_t wide = uint32_t(high << 16) | low;
      float value;
      std::memcpy(&value, &wide, sizeof value);
      uint16_t found = narrowToBfloat(value);
      if (std::isnan(value))
        ASSERT_TRUE((found & 0x7fff) > 0x7f80 && (found ^ wide >> 16) >> 15 == 0) << std::hex << wide;
      else
        ASSERT_EQ(found, narrowFloat(value, 8, 7)) << std::hex << wide;
    }
}

TEST(HostSymbolsTest, WidenEveryHalf) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    double expected = valueOf(uint16_t(bits), 5, 10);
    float found = widenHalf(uint16_t(bits));
    if (std::isnan(expected)) {
      ASSERT_TRUE(std::isnan(found));
    } else {
      ASSERT_EQ(double(found), expected);
      ASSERT_EQ(std::signbit(found), std::signbit(expected));
    }
  }
}
