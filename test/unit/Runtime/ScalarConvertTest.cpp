// SPDX-License-Identifier: Apache-2.0
#include "tilewright/Runtime/ScalarConvert.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <map>

using namespace tilewright;

static constexpr ScalarType kNarrowFloats[] = {ScalarType::F16,      ScalarType::BF16,     ScalarType::F8E4M3FN,
                                               ScalarType::F8E5M2,   ScalarType::F6E2M3FN, ScalarType::F6E3M2FN,
                                               ScalarType::F4E2M1FN, ScalarType::F8E8M0FNU};

static double decode(ScalarType type, uint64_t bits) { return loadAsDouble(type, &bits); }

static uint64_t encode(ScalarType type, double value) { return encodeFloat(type, value); }

TEST(ScalarConvert, KnownValues) {
  EXPECT_EQ(decode(ScalarType::F16, 0x3c00), 1.0);
  EXPECT_EQ(decode(ScalarType::F16, 0x7bff), 65504.0);
  EXPECT_EQ(decode(ScalarType::F16, 0x0001), std::ldexp(1.0, -24));
  EXPECT_EQ(decode(ScalarType::F16, 0xfc00), -INFINITY);
  EXPECT_EQ(decode(ScalarType::BF16, 0x3f80), 1.0);
  EXPECT_EQ(decode(ScalarType::BF16, 0xc040), -3.0);
  EXPECT_EQ(decode(ScalarType::F8E4M3FN, 0x7e), 448.0);
  EXPECT_TRUE(std::isnan(decode(ScalarType::F8E4M3FN, 0x7f)));
  EXPECT_EQ(decode(ScalarType::F8E4M3FN, 0x01), std::ldexp(1.0, -9));
  EXPECT_EQ(decode(ScalarType::F8E5M2, 0x7b), 57344.0);
  EXPECT_EQ(decode(ScalarType::F8E5M2, 0x7c), INFINITY);
  EXPECT_EQ(decode(ScalarType::F8E8M0FNU, 127), 1.0);
  EXPECT_EQ(decode(ScalarType::F8E8M0FNU, 0), std::ldexp(1.0, -127));
  EXPECT_TRUE(std::isnan(decode(ScalarType::F8E8M0FNU, 255)));
  EXPECT_EQ(decode(ScalarType::F6E2M3FN, 0x1f), 7.5);
  EXPECT_EQ(decode(ScalarType::F6E3M2FN, 0x1f), 28.0);
  EXPECT_EQ(decode(ScalarType::F4E2M1FN, 0x7), 6.0);
  EXPECT_EQ(decode(ScalarType::F4E2M1FN, 0x9), -0.5);
  // The example of the header.
  EXPECT_EQ(encode(ScalarType::F8E4M3FN, 0.3), 0x2au);
}

// Decoding and encoding give every bit pattern back.
TEST(ScalarConvert, EveryPatternRoundTrips) {
  for (ScalarType type : kNarrowFloats) {
    for (uint64_t bits = 0; bits < (uint64_t(1) << scalarTypeBits(type)); ++bits) {
      double value = decode(type, bits);
      uint64_t again = encode(type, value);
      if (std::isnan(value))
        EXPECT_TRUE(std::isnan(decode(type, again))) << scalarTypeName(type) << " " << bits;
      else
        EXPECT_EQ(again, bits) << scalarTypeName(type) << " " << bits;
    }
  }
}

// Between two neighbours the nearer one is taken, and in the middle the one whose last bit is 0.
TEST(ScalarConvert, RoundsToNearestEven) {
  for (ScalarType type : kNarrowFloats) {
    uint64_t step = scalarTypeBits(type) > 8 ? 7 : 1; // a sample of the 16-bit types
    uint64_t count = uint64_t(1) << (scalarTypeBits(type) - (type == ScalarType::F8E8M0FNU ? 0 : 1));
    for (uint64_t bits = 0; bits + 1 < count; bits += step) {
      double low = decode(type, bits), high = decode(type, bits + 1);
      if (!std::isfinite(low) || !std::isfinite(high))
        break;
      double middle = low + (high - low) / 2;
      double below = std::nextafter(middle, low), above = std::nextafter(middle, high);
      EXPECT_EQ(encode(type, middle), bits + (bits & 1)) << scalarTypeName(type) << " " << bits;
      EXPECT_EQ(encode(type, below), bits) << scalarTypeName(type) << " " << bits;
      EXPECT_EQ(encode(type, above), bits + 1) << scalarTypeName(type) << " " << bits;
      if (type != ScalarType::F8E8M0FNU)
        EXPECT_EQ(encode(type, -above), (bits + 1) | count);
    }
  }
}

TEST(ScalarConvert, OutOfRange) {
  EXPECT_EQ(encode(ScalarType::F16, 65519.9), 0x7bffu);
  EXPECT_EQ(encode(ScalarType::F16, 65520.0), 0x7c00u);
  EXPECT_EQ(encode(ScalarType::F16, -1e300), 0xfc00u);
  EXPECT_EQ(encode(ScalarType::BF16, INFINITY), 0x7f80u);
  EXPECT_EQ(encode(ScalarType::F8E4M3FN, 464.0), 0x7eu);
  EXPECT_EQ(encode(ScalarType::F8E4M3FN, 465.0), 0x7fu);
  EXPECT_EQ(encode(ScalarType::F8E4M3FN, -INFINITY), 0xffu);
  EXPECT_EQ(encode(ScalarType::F6E2M3FN, 100.0), 0x1fu);
  EXPECT_EQ(encode(ScalarType::F4E2M1FN, -INFINITY), 0xfu);
  EXPECT_EQ(encode(ScalarType::F4E2M1FN, NAN), 0x7u);
  EXPECT_EQ(encode(ScalarType::F16, 1e-300), 0u);
  EXPECT_EQ(encode(ScalarType::F16, -0.0), 0x8000u);
  EXPECT_EQ(encode(ScalarType::F8E8M0FNU, -1.0), 255u);
  EXPECT_EQ(encode(ScalarType::F8E8M0FNU, 1e300), 255u);
  EXPECT_EQ(encode(ScalarType::F8E8M0FNU, 0.0), 0u);
}

TEST(ScalarConvert, Tf32KeepsTenBits) {
  EXPECT_EQ(encode(ScalarType::TF32, 1.0), 0x3f800000u);
  EXPECT_EQ(encode(ScalarType::TF32, 1.0 + std::ldexp(1.0, -11)), 0x3f800000u);
  EXPECT_EQ(encode(ScalarType::TF32, 1.0 + 3 * std::ldexp(1.0, -11)), 0x3f804000u);
  EXPECT_EQ(encode(ScalarType::F32, 0.1), 0x3dcccccdu);
}

TEST(ScalarConvert, Integers) {
  int8_t byte = -1;
  EXPECT_EQ(loadAsInteger(ScalarType::I8, &byte), -1);
  EXPECT_EQ(loadAsInteger(ScalarType::I8, &byte, /*isUnsigned=*/true), 255);
  uint64_t large = UINT64_MAX;
  EXPECT_EQ(loadAsDouble(ScalarType::I64, &large, true), 18446744073709551616.0);
  EXPECT_EQ(loadAsDouble(ScalarType::I64, &large), -1.0);
  uint8_t truth = 0x40;
  EXPECT_EQ(loadAsDouble(ScalarType::I1, &truth), 1.0);
  int32_t word = 0;
  storeFromDouble(ScalarType::I32, &word, 1e20);
  EXPECT_EQ(word, INT32_MAX);
  storeFromDouble(ScalarType::I32, &word, -1e20);
  EXPECT_EQ(word, INT32_MIN);
  storeFromDouble(ScalarType::I32, &word, -2.9);
  EXPECT_EQ(word, -2);
  storeFromDouble(ScalarType::I32, &word, NAN);
  EXPECT_EQ(word, 0);
  int64_t wide = 0;
  storeFromDouble(ScalarType::I64, &wide, 9.3e18);
  EXPECT_EQ(wide, INT64_MAX);
}

TEST(ScalarConvert, ScalarsMustFit) {
  auto canonical = [](ScalarType type, int64_t value) {
    uint64_t result = 0;
    std::string error;
    return canonicalizeInteger(type, value, &result, &error) ? std::to_string(int64_t(result)) : error;
  };
  EXPECT_EQ(canonical(ScalarType::I8, -128), "-128");
  EXPECT_EQ(canonical(ScalarType::I8, 255), "-1");
  EXPECT_EQ(canonical(ScalarType::I8, 256), "256 does not fit i8");
  EXPECT_EQ(canonical(ScalarType::I8, -129), "-129 does not fit i8");
  EXPECT_EQ(canonical(ScalarType::I1, 1), "1");
  EXPECT_EQ(canonical(ScalarType::I1, -1), "1");
  EXPECT_EQ(canonical(ScalarType::I1, 2), "2 does not fit i1");
  EXPECT_EQ(canonical(ScalarType::I32, 4294967295), "-1");
  EXPECT_EQ(canonical(ScalarType::I32, 4294967296), "4294967296 does not fit i32");
  EXPECT_EQ(canonical(ScalarType::Index, INT64_MIN), std::to_string(INT64_MIN));
}
