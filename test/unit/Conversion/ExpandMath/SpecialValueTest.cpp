// SPDX-License-Identifier: Apache-2.0
// Zeros, infinities, NaN, and the edges of range, for the functions of two operands, where samples seldom fall on them,
// and huge arguments of the periodic ones.
#include "Jit.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

using namespace expandtest;

template <typename F> static bool isSame(F got, F want) {
  if (std::isnan(want) || std::isnan(got))
    return std::isnan(want) && std::isnan(got);
  if (want == 0 || std::isinf(want))
    return got == want && std::signbit(got) == std::signbit(want);
  return std::fabs(got - want) <=
         4 * std::numeric_limits<F>::epsilon() * std::fabs(want) + std::numeric_limits<F>::denorm_min();
}

template <typename F> static std::vector<F> specials() {
  using L = std::numeric_limits<F>;
  std::vector<F> values = {0,
                           L::denorm_min(),
                           L::min(),
                           F(0.5),
                           1 - L::epsilon() / 2,
                           1,
                           1 + L::epsilon(),
                           2,
                           3,
                           F(3.5),
                           F(1 / L::epsilon()) - 1,
                           F(2 / L::epsilon()) - 1,
                           F(2 / L::epsilon()),
                           F(4 / L::epsilon()),
                           L::max(),
                           L::infinity(),
                           L::quiet_NaN()};
  for (size_t i = 0, size = values.size(); i < size; ++i)
    values.push_back(-values[i]);
  return values;
}

template <typename F> static void checkPairs(const char *op, const std::string &type, F (*reference)(F, F)) {
  Kernel kernel("math." + std::string(op) + " %x, %y : $V{" + type + "}", type, type, type);
  std::vector<F> x, y;
  for (F a : specials<F>())
    for (F b : specials<F>()) {
      x.push_back(a);
      y.push_back(b);
    }
  std::vector<F> got = kernel.template map<F>(x, y);
  for (size_t i = 0; i < x.size(); ++i)
    EXPECT_TRUE(isSame(got[i], reference(x[i], y[i]))) << op << "(" << x[i] << ", " << y[i] << ") = " << got[i];
}

TEST(ExpandMath, PowOfSpecialValues) {
  checkPairs<float>("powf", "f32", [](float x, float y) { return float(::powl(x, y)); });
  checkPairs<double>("powf", "f64", [](double x, double y) { return double(::powl(x, y)); });
}

TEST(ExpandMath, Atan2OfSpecialValues) {
  checkPairs<float>("atan2", "f32", [](float y, float x) { return float(::atan2l(y, x)); });
  checkPairs<double>("atan2", "f64", [](double y, double x) { return double(::atan2l(y, x)); });
}

// 2^k is exact, as are its logarithms.
TEST(ExpandMath, PowersOfTwoAreExact) {
  Kernel exp2("math.exp2 %x : $V{f32}", "f32", "", "f32"), log2("math.log2 %x : $V{f32}", "f32", "", "f32");
  Kernel exp2d("math.exp2 %x : $V{f64}", "f64", "", "f64"), log2d("math.log2 %x : $V{f64}", "f64", "", "f64");
  for (int k = -149; k < 128; ++k) {
    EXPECT_EQ(exp2.map<float>(std::vector<float>{float(k)})[0], std::ldexp(1.0f, k));
    EXPECT_EQ(log2.map<float>(std::vector<float>{std::ldexp(1.0f, k)})[0], float(k));
  }
  for (int k = -1074; k < 1024; ++k) {
    EXPECT_EQ(exp2d.map<double>(std::vector<double>{double(k)})[0], std::ldexp(1.0, k));
    EXPECT_EQ(log2d.map<double>(std::vector<double>{std::ldexp(1.0, k)})[0], double(k));
  }
}

// The doubles and floats nearest to multiples of pi/2: the reduced argument is as small as it gets.
TEST(ExpandMath, SineNearMultiplesOfHalfPi) {
  std::vector<double> x = {0x1.921fb54442d18p+0, 0x1.921fb54442d18p+1, 6381956970095103.0 * 0x1p797,
                           0x1.fffffffffffffp+1023};
  Kernel sine("math.sin %x : $V{f64}", "f64", "", "f64"), cosine("math.cos %x : $V{f64}", "f64", "", "f64");
  std::vector<double> s = sine.map<double>(x), c = cosine.map<double>(x);
  for (size_t i = 0; i < x.size(); ++i) {
    EXPECT_NEAR(s[i], double(sinl(x[i])), 2.3e-16 * std::fabs(sinl(x[i]))) << x[i];
    EXPECT_NEAR(c[i], double(cosl(x[i])), 2.3e-16 * std::fabs(cosl(x[i]))) << x[i];
  }
  std::vector<float> f = {0x1.921fb6p+0f, 16367173.0f * 0x1p72f, 0x1.fffffep127f, 32768.0f, 32767.998f};
  Kernel sineF("math.sin %x : $V{f32}", "f32", "", "f32");
  std::vector<float> sf = sineF.map<float>(f);
  for (size_t i = 0; i < f.size(); ++i)
    EXPECT_NEAR(sf[i], std::sin(double(f[i])), 1.2e-7 * std::fabs(std::sin(double(f[i])))) << f[i];
}

TEST(ExpandMath, SineAndCosineTogetherEqualThemApart) {
  // sincos has two results: its sum tells them.
  std::vector<float> x;
  for (int i = -4000; i < 4000; ++i)
    x.push_back(float(i) * 31.7f);
  Kernel sine("math.sin %x : $V{f32}", "f32", "", "f32"), cosine("math.cos %x : $V{f32}", "f32", "", "f32");
  Kernel sum("arith.addf %s, %c : $V{f32}", "f32", "", "f32", "%s, %c = math.sincos %x : $V{f32}");
  std::vector<float> s = sine.map<float>(x), c = cosine.map<float>(x), both = sum.map<float>(x);
  for (size_t i = 0; i < x.size(); ++i)
    EXPECT_EQ(both[i], s[i] + c[i]);
}

template <typename I> static void checkIntegerPowers(const std::string &type) {
  Kernel kernel("math.ipowi %x, %y : $V{" + type + "}", type, type, type);
  std::vector<I> x, n;
  for (int a = -12; a <= 12; ++a)
    for (int b = -5; b <= 70; ++b) {
      x.push_back(I(a));
      n.push_back(I(b));
    }
  x.push_back(-1), n.push_back(std::numeric_limits<I>::min());
  x.push_back(3), n.push_back(std::numeric_limits<I>::min());
  std::vector<I> got = kernel.template map<I>(x, n);
  for (size_t i = 0; i < x.size(); ++i) {
    uint64_t want = 1;
    if (n[i] < 0)
      want = x[i] == 1 || (x[i] == -1 && n[i] % 2 == 0) ? 1 : x[i] == -1 ? uint64_t(-1) : 0;
    for (int64_t k = 0; k < n[i]; ++k)
      want *= uint64_t(int64_t(x[i]));
    EXPECT_EQ(got[i], I(want)) << int64_t(x[i]) << "^" << int64_t(n[i]);
  }
}

TEST(ExpandMath, IntegerPowersWrap) {
  checkIntegerPowers<int8_t>("i8");
  checkIntegerPowers<int16_t>("i16");
  checkIntegerPowers<int32_t>("i32");
  checkIntegerPowers<int64_t>("i64");
}

TEST(ExpandMath, ClassifiesAndClamps) {
  std::vector<float> x = specials<float>();
  std::vector<int32_t> nan, inf, finite, normal;
  auto classify = [&](const std::string &op) {
    return Kernel("arith.extui %c : $V{i1} to $V{i32}", "f32", "", "i32", "%c = math." + op + " %x : $V{f32}")
        .map<int32_t>(x);
  };
  nan = classify("isnan"), inf = classify("isinf"), finite = classify("isfinite"), normal = classify("isnormal");
  std::vector<float> clamped = Kernel("math.clampf %x to [%one, %three] : $V{f32}", "f32", "", "f32",
                                      "%one = arith.constant dense<1.0> : $V{f32}\n"
                                      "%three = arith.constant dense<3.0> : $V{f32}")
                                   .map<float>(x);
  for (size_t i = 0; i < x.size(); ++i) {
    EXPECT_EQ(nan[i], std::isnan(x[i])) << x[i];
    EXPECT_EQ(inf[i], std::isinf(x[i])) << x[i];
    EXPECT_EQ(finite[i], std::isfinite(x[i])) << x[i];
    EXPECT_EQ(normal[i], std::isnormal(x[i])) << x[i];
    EXPECT_TRUE(std::isnan(x[i]) ? std::isnan(clamped[i]) : clamped[i] == std::fmin(std::fmax(x[i], 1.0f), 3.0f))
        << x[i];
  }
}
