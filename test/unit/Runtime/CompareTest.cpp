// SPDX-License-Identifier: Apache-2.0
#include "tilewright/Runtime/Compare.h"
#include "tilewright/Runtime/ScalarConvert.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace tilewright;

static HostArray makeArray(ScalarType type, std::vector<int64_t> shape, const std::vector<double> &values) {
  HostArray array = *HostArray::create(type, std::move(shape), nullptr);
  for (size_t i = 0; i < values.size(); ++i)
    storeFromDouble(type, array.element(int64_t(i)), values[i]);
  return array;
}

static std::string compare(const HostArray &got, const HostArray &expected, Tolerance tolerance = {}) {
  std::string error;
  std::optional<CompareResult> result = compareArrays(got, expected, tolerance, &error);
  return result ? describeComparison(*result, got) : error;
}

TEST(Compare, ReportsFirstMismatchAndLargestError) {
  HostArray got = makeArray(ScalarType::F16, {2, 2}, {1, 2, 3.5, 9});
  HostArray expected = makeArray(ScalarType::F32, {2, 2}, {1, 2, 3, 4});
  EXPECT_EQ(compare(got, expected),
            "2 of 4 elements differ, first at [1, 0]: got 3.5, expected 3; largest error 5 at [1, 1]");
  EXPECT_EQ(compare(got, expected, {0, 5}), "4 elements agree; largest error 5 at [1, 1]");
  EXPECT_EQ(compare(got, got), "4 elements agree; largest error 0");
}

TEST(Compare, ToleranceIsAbsolutePlusRelative) {
  HostArray expected = makeArray(ScalarType::F64, {1}, {100});
  auto isOk = [&](double got, Tolerance tolerance) {
    return compareArrays(makeArray(ScalarType::F64, {1}, {got}), expected, tolerance, nullptr)->isOk();
  };
  EXPECT_TRUE(isOk(103, {0.02, 1}));
  EXPECT_FALSE(isOk(103.01, {0.02, 1}));
  EXPECT_TRUE(isOk(97, {0.02, 1}));
  EXPECT_FALSE(isOk(96.99, {0.02, 1}));
}

TEST(Compare, NanAndInfinityAgreeWithThemselvesOnly) {
  auto isOk = [](double a, double b) {
    return compareArrays(makeArray(ScalarType::F32, {1}, {a}), makeArray(ScalarType::F32, {1}, {b}), {1e9, 1e9},
                         nullptr)
        ->isOk();
  };
  EXPECT_TRUE(isOk(NAN, NAN));
  EXPECT_FALSE(isOk(NAN, 1));
  EXPECT_FALSE(isOk(1, NAN));
  EXPECT_TRUE(isOk(INFINITY, INFINITY));
  EXPECT_FALSE(isOk(INFINITY, -INFINITY));
  EXPECT_FALSE(isOk(1, INFINITY));
  EXPECT_FALSE(isOk(INFINITY, 1));
  EXPECT_TRUE(isOk(0.0, -0.0));
  EXPECT_EQ(compare(makeArray(ScalarType::F32, {2}, {1, NAN}), makeArray(ScalarType::F32, {2}, {1, 2})),
            "1 of 2 elements differs, first at [1]: got nan, expected 2; largest error inf at [1]");
}

// 2^53 + 1 has no double, but is told from 2^53.
TEST(Compare, IntegersAreExact) {
  HostArray got = *HostArray::create(ScalarType::I64, {1}, nullptr),
            expected = *HostArray::create(ScalarType::I64, {1}, nullptr);
  storeFromInteger(ScalarType::I64, got.data, (int64_t(1) << 53) + 1);
  storeFromInteger(ScalarType::I64, expected.data, int64_t(1) << 53);
  EXPECT_FALSE(compareArrays(got, expected, {}, nullptr)->isOk());
  storeFromInteger(ScalarType::I64, got.data, -1);
  storeFromInteger(ScalarType::I64, expected.data, -1);
  expected.isUnsigned = true; // 2^64 - 1
  EXPECT_FALSE(compareArrays(got, expected, {}, nullptr)->isOk());
}

TEST(Compare, ShapesMustBeEqual) {
  EXPECT_EQ(compare(makeArray(ScalarType::F32, {2, 1}, {}), makeArray(ScalarType::F32, {2}, {})),
            "the shape is [2, 1], but the reference has [2]");
  EXPECT_EQ(compare(makeArray(ScalarType::F32, {0, 3}, {}), makeArray(ScalarType::F32, {0, 3}, {})),
            "0 elements agree; largest error 0");
}

TEST(Compare, StridesOfBothSidesAreRespected) {
  HostArray got = makeArray(ScalarType::F32, {2, 3}, {0, 1, 2, 3, 4, 5});
  HostArray expected = makeArray(ScalarType::F32, {2, 3}, {5, 4, 3, 2, 1, 0});
  expected.data = expected.element(5);
  expected.strides = {-3, -1};
  EXPECT_EQ(compare(got, expected), "6 elements agree; largest error 0");
}
