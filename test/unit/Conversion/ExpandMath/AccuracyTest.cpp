// SPDX-License-Identifier: Apache-2.0
// Each function over a dense sample of its format against the C library one precision up. The bounds are those of
// docs/Numerics.md; TILEWRIGHT_PRINT_ULP=1 prints what is reached.
#include "Jit.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>

using namespace expandtest;

template <typename To, typename From> static To bitCast(From from) {
  static_assert(sizeof(To) == sizeof(From), "same size");
  To to;
  std::memcpy(&to, &from, sizeof to);
  return to;
}

/// The error of `got` in units of the last place of the exact value, or infinity when one is NaN or infinite and not
/// both alike. Values that round to infinity count as infinite.
template <typename F> static double ulpError(F got, long double want) {
  if (std::isnan(want) || std::isnan(got))
    return std::isnan(want) && std::isnan(got) ? 0 : INFINITY;
  F rounded = F(want);
  if (std::isinf(rounded) || std::isinf(got)) {
    if (got == rounded)
      return 0;
    // One of the two just below overflow is an ordinary error.
    long double top = std::numeric_limits<F>::max();
    long double gotWide = std::isinf(got) ? (got > 0 ? 2 * top : -2 * top) : (long double)(got);
    if (std::isinf(want) || std::fabs(want) > 1.0001L * top || std::fabs(gotWide) < 0.9999L * top)
      return INFINITY;
    return 1;
  }
  if (got == 0 && rounded == 0)
    return std::signbit(got) == std::signbit(rounded) ? 0 : INFINITY;
  int exponent = want == 0 ? std::numeric_limits<F>::min_exponent : std::ilogb(want) + 1;
  exponent = std::max(exponent, std::numeric_limits<F>::min_exponent);
  long double unit = std::ldexp(1.0L, exponent - std::numeric_limits<F>::digits);
  return double(std::fabs((long double)(got)-want) / unit);
}

template <typename F> struct Case {
  const char *op;
  long double (*reference)(long double);
  double bound;
};

static std::ostream &operator<<(std::ostream &out, const Case<float> &c) { return out << c.op; }
static std::ostream &operator<<(std::ostream &out, const Case<double> &c) { return out << c.op; }

static void report(const char *op, const char *type, double worst, double at) {
  if (std::getenv("TILEWRIGHT_PRINT_ULP"))
    std::printf("ULP %-12s %s %.3f at %a\n", op, type, worst, at);
}

template <typename F>
static void expectWithin(const char *op, const char *type, const std::vector<F> &x, const std::vector<F> &got,
                         long double (*reference)(long double), double bound) {
  double worst = 0;
  F at = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    double error = ulpError(got[i], reference(x[i]));
    if (error > worst) {
      worst = error;
      at = x[i];
    }
  }
  report(op, type, worst, at);
  EXPECT_LE(worst, bound) << op << " " << type << " of " << std::hexfloat << at;
}

// f32 is checked against double where that has the function to well below a hundredth of an ulp of f32.
template <double (*function)(double)> static long double viaDouble(long double x) { return function(double(x)); }

static double rsqrtDouble(double x) { return 1 / std::sqrt(x); }
static long double rsqrtLong(long double x) { return 1 / sqrtl(x); }

static const Case<float> kSingle[] = {
    {"acos", viaDouble<::acos>, 2},       {"acosh", viaDouble<::acosh>, 3}, {"asin", viaDouble<::asin>, 2},
    {"asinh", viaDouble<::asinh>, 3},     {"atan", viaDouble<::atan>, 2},   {"atanh", viaDouble<::atanh>, 3},
    {"cbrt", viaDouble<::cbrt>, 1},       {"cos", viaDouble<::cos>, 2},     {"cosh", viaDouble<::cosh>, 2},
    {"erf", viaDouble<::erf>, 2},         {"erfc", viaDouble<::erfc>, 4},   {"exp", viaDouble<::exp>, 2},
    {"exp2", viaDouble<::exp2>, 2},       {"expm1", viaDouble<::expm1>, 2}, {"log", viaDouble<::log>, 1},
    {"log10", viaDouble<::log10>, 2},     {"log1p", viaDouble<::log1p>, 2}, {"log2", viaDouble<::log2>, 1},
    {"rsqrt", viaDouble<rsqrtDouble>, 2}, {"sin", viaDouble<::sin>, 2},     {"sinh", viaDouble<::sinh>, 2},
    {"tan", viaDouble<::tan>, 4},         {"tanh", viaDouble<::tanh>, 2}};

static const Case<double> kDouble[] = {
    {"acos", acosl, 2},   {"acosh", acoshl, 4}, {"asin", asinl, 2}, {"asinh", asinhl, 4},    {"atan", atanl, 2},
    {"atanh", atanhl, 4}, {"cbrt", cbrtl, 1},   {"cos", cosl, 2},   {"cosh", coshl, 2},      {"erf", erfl, 2},
    {"erfc", erfcl, 4},   {"exp", expl, 2},     {"exp2", exp2l, 2}, {"expm1", expm1l, 2},    {"log", logl, 2},
    {"log10", log10l, 2}, {"log1p", log1pl, 2}, {"log2", log2l, 2}, {"rsqrt", rsqrtLong, 2}, {"sin", sinl, 2},
    {"sinh", sinhl, 2},   {"tan", tanl, 4},     {"tanh", tanhl, 4}};

namespace {
class Single : public testing::TestWithParam<Case<float>> {};
class Double : public testing::TestWithParam<Case<double>> {};
} // namespace

/// Every 2^10-th pattern, all exponents and signs; a shift of the last bits avoids round numbers only.
static std::vector<float> sampleSingle() {
  std::vector<float> x;
  uint32_t jitter = 1;
  for (uint64_t bits = 0; bits < (uint64_t(1) << 32); bits += 1024) {
    jitter = jitter * 1664525 + 1013904223;
    x.push_back(bitCast<float>(uint32_t(bits + (jitter >> 22))));
  }
  return x;
}

/// Random patterns of all exponents, and denser where functions are not trivial.
static std::vector<double> sampleDouble() {
  std::vector<double> x;
  uint64_t state = 1;
  auto next = [&] {
    state = state * 6364136223846793005 + 1442695040888963407;
    return state ^ (state >> 29);
  };
  for (int i = 0; i < 100000; ++i)
    x.push_back(bitCast<double>(next()));
  for (double scale : {1e-3, 0.1, 1.0, 2.0, 10.0, 30.0, 750.0, 1100.0, 1e6})
    for (int i = 0; i < 20000; ++i)
      x.push_back((double(next() >> 11) * 0x1p-52 - 1) * scale);
  for (int i = 0; i < 20000; ++i)
    x.push_back(1 + (double(next() >> 11) * 0x1p-52 - 1) * 0x1p-5);
  return x;
}

TEST_P(Single, StaysWithinItsBound) {
  const Case<float> &c = GetParam();
  static const std::vector<float> x = sampleSingle();
  Kernel kernel("math." + std::string(c.op) + " %x : $V{f32}", "f32", "", "f32");
  expectWithin<float>(c.op, "f32", x, kernel.map<float>(x), c.reference, c.bound);
}

TEST_P(Double, StaysWithinItsBound) {
  const Case<double> &c = GetParam();
  static const std::vector<double> x = sampleDouble();
  Kernel kernel("math." + std::string(c.op) + " %x : $V{f64}", "f64", "", "f64");
  expectWithin<double>(c.op, "f64", x, kernel.map<double>(x), c.reference, c.bound);
}

INSTANTIATE_TEST_SUITE_P(ExpandMath, Single, testing::ValuesIn(kSingle),
                         [](const auto &info) { return std::string(info.param.op); });
INSTANTIATE_TEST_SUITE_P(ExpandMath, Double, testing::ValuesIn(kDouble),
                         [](const auto &info) { return std::string(info.param.op); });

template <typename F>
static void checkBinary(const char *op, const char *type, long double (*reference)(long double, long double),
                        const std::vector<F> &x, const std::vector<F> &y, double bound) {
  std::string t = type;
  Kernel kernel("math." + std::string(op) + " %x, %y : $V{" + t + "}", t, t, t);
  std::vector<F> got = kernel.template map<F>(x, y);
  double worst = 0;
  size_t at = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    double error = ulpError(got[i], reference(x[i], y[i]));
    if (error > worst) {
      worst = error;
      at = i;
    }
  }
  report(op, type, worst, x[at]);
  EXPECT_LE(worst, bound) << op << " " << type << " of " << std::hexfloat << x[at] << ", " << y[at] << " gives "
                          << got[at];
}

/// Pairs for powers: exponents that keep the result in range, and some that do not.
template <typename F> static void powSamples(std::vector<F> &x, std::vector<F> &y) {
  uint64_t state = 7;
  auto next = [&] {
    state = state * 6364136223846793005 + 1442695040888963407;
    return double((state ^ (state >> 29)) >> 11) * 0x1p-53;
  };
  double range = std::numeric_limits<F>::max_exponent;
  for (int i = 0; i < 400000; ++i) {
    double logX = (next() * 2 - 1) * (i % 4 == 0 ? range : i % 4 == 1 ? 1.0 : i % 4 == 2 ? 0.01 : 8.0);
    F base = F(std::exp2(logX));
    x.push_back(base);
    double exactLog = std::log2(double(base));
    y.push_back(exactLog == 0 ? F(3) : F((next() * 2 - 1) * range * 1.1 / exactLog));
  }
}

static long double powDouble(long double x, long double y) { return powl(x, y); }

TEST(ExpandMath, PowStaysWithinItsBound) {
  std::vector<float> x, y;
  powSamples(x, y);
  checkBinary<float>("powf", "f32", powDouble, x, y, 2);
  std::vector<double> xd, yd;
  powSamples(xd, yd);
  checkBinary<double>("powf", "f64", powDouble, xd, yd, 2);
}

template <typename F> static void atan2Samples(std::vector<F> &x, std::vector<F> &y) {
  uint64_t state = 9;
  auto next = [&] {
    state = state * 6364136223846793005 + 1442695040888963407;
    return double((state ^ (state >> 29)) >> 11) * 0x1p-52 - 1;
  };
  for (int i = 0; i < 300000; ++i) {
    x.push_back(F(next() * std::exp2(i % 40 - 20)));
    y.push_back(F(next() * std::exp2(i % 37 - 18)));
  }
}

TEST(ExpandMath, Atan2StaysWithinItsBound) {
  std::vector<float> x, y;
  atan2Samples(x, y);
  checkBinary<float>("atan2", "f32", atan2l, x, y, 3);
  std::vector<double> xd, yd;
  atan2Samples(xd, yd);
  checkBinary<double>("atan2", "f64", atan2l, xd, yd, 3);
}

// Large integer exponents have more digits than the float format.
TEST(ExpandMath, IntegerPowersStayWithinTheirBound) {
  std::vector<float> x;
  std::vector<int32_t> n;
  for (int i = 0; i < 200000; ++i) {
    int power = (i * 7919) % 2000003 - 1000001;
    if (i % 3 == 0)
      power = power % 40;
    double logX = (i % 1001 - 500) / 500.0 * 100 / std::max(1, std::abs(power));
    x.push_back(float(std::exp2(logX)) * (i % 2 ? 1 : -1));
    n.push_back(power);
  }
  x.push_back(1 + 0x1p-23f);
  n.push_back((1 << 25) + 1);
  Kernel kernel("math.fpowi %x, %y : $V{f32}, $V{i32}", "f32", "i32", "f32");
  std::vector<float> got = kernel.map<float>(x, n);
  double worst = 0;
  for (size_t i = 0; i < x.size(); ++i)
    worst = std::max(worst, ulpError(got[i], powl(x[i], n[i])));
  report("fpowi", "f32", worst, 0);
  EXPECT_LE(worst, 2);
}

static float fromHalf(uint16_t bits) {
  int exponent = (bits >> 10) & 31, mantissa = bits & 1023;
  float sign = bits & 0x8000 ? -1.0f : 1.0f;
  if (exponent == 31)
    return mantissa ? NAN : sign * INFINITY;
  return sign * (exponent ? std::ldexp(float(1024 + mantissa), exponent - 25) : std::ldexp(float(mantissa), -24));
}
static float fromBrain(uint16_t bits) { return bitCast<float>(uint32_t(bits) << 16); }

/// All 65536 inputs: within a half place and what f32's error can move.
static void checkHalf(const char *op, const char *type, float (*decode)(uint16_t), int digits, int minExponent,
                      long double (*reference)(long double)) {
  std::vector<uint16_t> x(65536);
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = uint16_t(i);
  std::string t = type;
  Kernel kernel("math." + std::string(op) + " %x : $V{" + t + "}", t, "", t);
  std::vector<uint16_t> got = kernel.map<uint16_t>(x);
  double worst = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    long double want = reference(decode(x[i]));
    float value = decode(got[i]);
    if (std::isnan(want) || std::isnan(value)) {
      EXPECT_TRUE(std::isnan(want) && std::isnan(value)) << op << " " << type << " of pattern " << i;
      continue;
    }
    if (std::isinf(value) || std::isinf(want)) {
      long double top = digits == 11 ? 65504.0L : 0x1.fep127L;
      EXPECT_TRUE((value > 0) == (want > 0) && std::fabs(want) > top) << op << " " << type << " of pattern " << i;
      continue;
    }
    int exponent = std::max(want == 0 ? minExponent : std::ilogb(want) + 1, minExponent);
    worst = std::max(worst, double(std::fabs(value - want) / std::ldexp(1.0L, exponent - digits)));
  }
  report(op, type, worst, 0);
  EXPECT_LE(worst, 0.51) << op << " " << type;
}

TEST(ExpandMath, HalvesAreComputedInSingle) {
  for (const Case<float> &c : kSingle) {
    if (std::string("exp log sin tanh erf rsqrt").find(c.op) == std::string::npos)
      continue;
    checkHalf(c.op, "f16", fromHalf, 11, -13, c.reference);
    checkHalf(c.op, "bf16", fromBrain, 8, -125, c.reference);
  }
}
