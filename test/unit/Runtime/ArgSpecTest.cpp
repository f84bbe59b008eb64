// SPDX-License-Identifier: Apache-2.0
#include "tilewright/Runtime/ArgSpec.h"
#include "tilewright/Runtime/Npy.h"
#include "tilewright/Runtime/ScalarConvert.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

using namespace tilewright;

static std::string specError(std::string_view text) {
  std::string error;
  std::optional<ArgSpec> spec = parseArgSpec(text, &error);
  EXPECT_FALSE(spec) << text;
  std::string quoted = "bad argument spec '" + std::string(text) + "': ";
  EXPECT_EQ(error.substr(0, quoted.size()), quoted);
  return error.substr(std::min(error.size(), quoted.size()));
}

static HostArg make(std::string_view text) {
  std::string error;
  std::optional<ArgSpec> spec = parseArgSpec(text, &error);
  EXPECT_TRUE(spec) << error;
  if (!spec)
    return {};
  std::optional<HostArg> arg = makeHostArg(*spec, &error);
  EXPECT_TRUE(arg) << error;
  return arg.value_or(HostArg{});
}

static std::vector<double> values(const HostArg &arg) {
  std::vector<double> result;
  forEachElement(arg.array, [&](const uint8_t *element) { result.push_back(loadAsDouble(arg.type, element)); });
  return result;
}

TEST(ArgSpec, Scalars) {
  EXPECT_EQ(make("i32:42").value, 42u);
  EXPECT_EQ(make("i32:-1").value, UINT64_MAX);
  EXPECT_EQ(make("i32:0xffffffff").value, UINT64_MAX);
  EXPECT_EQ(make("index:-7").value, uint64_t(-7));
  EXPECT_EQ(make("i64:18446744073709551615").value, UINT64_MAX);
  EXPECT_EQ(make("i1:true").value, 1u);
  EXPECT_EQ(make("i1:0").value, 0u);
  EXPECT_EQ(make("f32:0.5").value, 0x3f000000u);
  EXPECT_EQ(make("f32:-inf").value, 0xff800000u);
  EXPECT_EQ(make("f64:nan").value & 0x7ff8000000000000u, 0x7ff8000000000000u);
  EXPECT_EQ(make("f16:1e-3").value, 0x1419u);
  EXPECT_EQ(make("bf16:1").value, 0x3f80u);
  EXPECT_TRUE(make("f8E4M3FN:2").isScalar);
}

TEST(ArgSpec, Fills) {
  EXPECT_EQ(values(make("f16[2x3]:zeros")), std::vector<double>(6, 0));
  EXPECT_EQ(values(make("f8E5M2[3]:ones")), std::vector<double>(3, 1));
  EXPECT_EQ(values(make("bf16[2x2]:iota")), (std::vector<double>{0, 1, 2, 3}));
  EXPECT_EQ(values(make("i8[258]:iota"))[257], 1);
  for (double value : values(make("f32[4]:nan")))
    EXPECT_TRUE(std::isnan(value));
  EXPECT_EQ(values(make("i32[1]:nan")), std::vector<double>{0x55555555});
  EXPECT_EQ(make("f32[0x4]:rand(1)").array.numElements(), 0);
  EXPECT_EQ(make("f32[2x0]:nan").array.shape, (std::vector<int64_t>{2, 0}));
  EXPECT_EQ(make("f16[2x3]:zeros").array.strides, (std::vector<int64_t>{3, 1}));
}

TEST(ArgSpec, RandomNumbersAreWhatTheHeaderSays) {
  std::vector<double> numbers = values(make("f64[200x200]:rand(7)"));
  double sum = 0, squares = 0;
  for (double x : numbers) {
    EXPECT_LT(std::fabs(x), 3.47);
    sum += x;
    squares += x * x;
  }
  EXPECT_NEAR(sum / numbers.size(), 0, 0.02);
  EXPECT_NEAR(squares / numbers.size(), 1, 0.03);
  EXPECT_EQ(numbers, values(make("f64[40000]:rand(7)")));
  EXPECT_NE(numbers, values(make("f64[40000]:rand(8)")));
  // h(0) of seed 0 is the first output of SplitMix64, 0xe220a8397b1dcdaf.
  double first = (0xe220 + 0xa839 + 0x7b1d + 0xcdaf - 131070.0) / std::sqrt((65536.0 * 65536.0 - 1) / 3);
  EXPECT_EQ(values(make("f64[1]:rand(0)"))[0], first);
  EXPECT_EQ(values(make("i32[1]:randint(0,0,1000)"))[0], 883); // 0xe220a8397b1dcdaf / 2^64 = 0.8833
}

TEST(ArgSpec, RandintCoversItsRange) {
  std::vector<int> counts(5);
  for (double x : values(make("i8[1000]:randint(3, -2, 3)"))) {
    ASSERT_GE(x, -2);
    ASSERT_LE(x, 2);
    ++counts[int(x) + 2];
  }
  for (int count : counts)
    EXPECT_NEAR(count, 200, 60);
  for (double x : values(make("f16[50]:randint(1,0,4)")))
    EXPECT_EQ(x, std::floor(x));
}

TEST(ArgSpec, Files) {
  std::string path = testing::TempDir() + "tilewright-spec-test.npy", error;
  HostArg bits = make("i16[2x2]:iota");
  bits.array.isUnsigned = true;
  ASSERT_TRUE(writeNpyFile(path, bits.array, &error)) << error;
  EXPECT_EQ(make("@" + path).type, ScalarType::I16);
  EXPECT_EQ(make("bf16:@" + path).type, ScalarType::BF16);
  std::optional<ArgSpec> spec = parseArgSpec("f32:@" + path, &error);
  ASSERT_TRUE(spec);
  EXPECT_FALSE(makeHostArg(*spec, &error));
  EXPECT_EQ(error, path + ": elements of type i16 (2 bytes) cannot be read as the bits of f32");
  std::remove(path.c_str());
}

TEST(ArgSpec, BadSpecsAreExplained) {
  EXPECT_EQ(specError(""), "expected @FILE, TYPE:@FILE, TYPE[SHAPE]:FILL or TYPE:VALUE");
  EXPECT_EQ(specError("a.npy"), "expected @FILE, TYPE:@FILE, TYPE[SHAPE]:FILL or TYPE:VALUE");
  EXPECT_EQ(specError("@"), "the file's name is missing");
  EXPECT_EQ(specError("bf16:@"), "the file's name is missing");
  EXPECT_EQ(specError("f17:1"), "unknown type 'f17'");
  EXPECT_EQ(specError("f16[4:ones"), "the shape's closing bracket is missing");
  EXPECT_EQ(specError("f16[]:ones"), "'' is not a size");
  EXPECT_EQ(specError("f16[4x]:ones"), "'' is not a size");
  EXPECT_EQ(specError("f16[-4]:ones"), "'-4' is not a size");
  EXPECT_EQ(specError("f16[4,4]:ones"), "'4,4' is not a size");
  EXPECT_EQ(specError("f16[99999999999999999999]:ones"), "'99999999999999999999' is not a size");
  EXPECT_EQ(specError("f16[1x1x1x1x1x1x1x1x1]:ones"), "more than 8 dimensions");
  const std::string noFill = " is no fill; expected zeros, ones, iota, nan, rand(SEED) or randint(SEED,LO,HI)";
  EXPECT_EQ(specError("f16[4]:twos"), "'twos'" + noFill);
  EXPECT_EQ(specError("f16[4]:"), "''" + noFill);
  EXPECT_EQ(specError("f16[4]:rand"), "'rand'" + noFill);
  EXPECT_EQ(specError("f16[4]:rand(1"), "'rand(1'" + noFill);
  EXPECT_EQ(specError("f16[4]:zeros(1)"), "'zeros(1)'" + noFill);
  EXPECT_EQ(specError("f16[4]:rand()"), "'' is no seed");
  EXPECT_EQ(specError("f16[4]:rand(-1)"), "'-1' is no seed");
  EXPECT_EQ(specError("f16[4]:rand(1,2)"), "rand takes a seed");
  EXPECT_EQ(specError("i8[4]:rand(1)"), "rand makes floats; use randint(SEED,LO,HI) for integers");
  EXPECT_EQ(specError("i8[4]:randint(1)"), "randint takes a seed, a low and a high bound");
  EXPECT_EQ(specError("i8[4]:randint(1,a,4)"), "'a' is no bound");
  EXPECT_EQ(specError("i8[4]:randint(1,4,4)"), "randint needs a low bound below the high one");
  EXPECT_EQ(specError("i32:"), "'' is no value of type i32");
  EXPECT_EQ(specError("i32:0.5"), "'0.5' is no value of type i32");
  EXPECT_EQ(specError("i32:true"), "'true' is no value of type i32");
  EXPECT_EQ(specError("i32:4294967296"), "4294967296 does not fit i32");
  EXPECT_EQ(specError("i8:-129"), "-129 does not fit i8");
  EXPECT_EQ(specError("i64:18446744073709551616"), "'18446744073709551616' is no value of type i64");
  EXPECT_EQ(specError("f32:abc"), "'abc' is no value of type f32");
  EXPECT_EQ(specError("f32:1x"), "'1x' is no value of type f32");
  EXPECT_EQ(specError("f32:0x"), "'0x' is no value of type f32");
}

TEST(ArgSpec, ImpossibleArraysAreExplained) {
  std::string error;
  std::optional<ArgSpec> spec = parseArgSpec("f16[1000000x1000000]:zeros", &error);
  ASSERT_TRUE(spec);
  EXPECT_FALSE(makeHostArg(*spec, &error));
  EXPECT_EQ(error, "an array of f16 with shape [1000000, 1000000] is larger than 2^40 bytes");
  spec = parseArgSpec("i8[4]:randint(1,0,300)", &error);
  ASSERT_TRUE(spec);
  EXPECT_FALSE(makeHostArg(*spec, &error));
  EXPECT_EQ(error, "randint: 299 does not fit i8");
}

TEST(ArgSpec, NamesAreSplitOff) {
  std::string error;
  auto split = splitNamedSpec("a=f32[2]:ones", "--arg", &error);
  ASSERT_TRUE(split);
  EXPECT_EQ(split->first, "a");
  EXPECT_EQ(split->second, "f32[2]:ones");
  EXPECT_EQ(splitNamedSpec("a=@x=y.npy", "--arg", &error)->second, "@x=y.npy");
  for (const char *bad : {"", "a", "=x", "a="}) {
    EXPECT_FALSE(splitNamedSpec(bad, "--arg", &error));
    EXPECT_EQ(error, "--arg expects NAME=SPEC, got '" + std::string(bad) + "'");
  }
}
