// SPDX-License-Identifier: Apache-2.0
/// \file
/// Proves the arithmetic of polynomials against that of the numbers that they stand for, and the overflow rule against
/// integers of 512 bits: a result is exact, or there is none and a coefficient had left the limits.
#include "tilewright/Analysis/Polynomial.h"

#include "llvm/ADT/APInt.h"
#include "llvm/ADT/StringExtras.h"
#include "gtest/gtest.h"

#include <limits>
#include <random>

using namespace tilewright;

/// All polynomials c0 + c1 * x + c2 * x * y + c3 * y with coefficients from -1 to 1, and some longer ones.
static std::vector<Polynomial> smallPolynomials() {
  std::vector<Polynomial> all;
  for (int code = 0; code < 81; ++code) {
    Polynomial sum;
    int rest = code;
    for (const Polynomial::Product &product : {Polynomial::Product{}, {0}, {0, 1}, {1}}) {
      if (int coefficient = rest % 3 - 1)
        sum.terms[product] = coefficient;
      rest /= 3;
    }
    all.push_back(sum);
  }
  Polynomial longer;
  longer.terms = {{{}, -6}, {{0}, 4}, {{0, 0}, 2}, {{0, 1, 1}, -8}, {{1, 1}, 10}};
  all.push_back(longer);
  return all;
}

static Wide valueOf(const Polynomial &polynomial, int x, int y) {
  return evaluate(polynomial, [&](unsigned symbol) { return symbol == 0 ? x : y; });
}

// The operations are those of the numbers that the polynomials stand for. A polynomial of degree 3 that is 0 on a grid
// of 7 by 7 points is 0.
TEST(Polynomial, ComputesWithValues) {
  const std::vector<Polynomial> all = smallPolynomials();
  for (const Polynomial &a : all)
    for (const Polynomial &b : all) {
      Polynomial sum = *add(a, b), difference = *subtract(a, b), product = *multiply(a, b);
      for (const Polynomial *result : {&sum, &difference, &product})
        for (const auto &[symbols, coefficient] : result->terms)
          ASSERT_TRUE(coefficient != 0 && std::is_sorted(symbols.begin(), symbols.end()));
      ASSERT_EQ(sum, *add(b, a));
      ASSERT_EQ(product, *multiply(b, a));
      ASSERT_EQ(difference.isZero(), a == b);
      ASSERT_EQ(a == b, !(a != b));
      for (int x = -3; x <= 3; ++x)
        for (int y = -3; y <= 3; ++y) {
          Wide u = valueOf(a, x, y), v = valueOf(b, x, y);
          ASSERT_TRUE(valueOf(sum, x, y) == u + v && valueOf(difference, x, y) == u - v &&
                      valueOf(product, x, y) == u * v);
        }
    }
}

TEST(Polynomial, DividesExactlyOrNotAtAll) {
  for (const Polynomial &a : smallPolynomials())
    for (int factor = -6; factor <= 6; ++factor)
      for (int divisor = -6; divisor <= 6; ++divisor) {
        if (divisor == 0)
          continue;
        Polynomial scaled = *multiply(a, Polynomial::constant(factor));
        bool divides = std::all_of(scaled.terms.begin(), scaled.terms.end(),
                                   [&](const auto &term) { return term.second % divisor == 0; });
        std::optional<Polynomial> quotient = divide(scaled, divisor);
        ASSERT_EQ(quotient.has_value(), divides);
        if (quotient)
          ASSERT_EQ(*multiply(*quotient, Polynomial::constant(divisor)), scaled);
      }
}

// The example of the header.
TEST(Polynomial, HasOneForm) {
  Polynomial k = Polynomial::symbol(0), s = Polynomial::symbol(1);
  Polynomial sum = *multiply(*add(k, Polynomial::constant(1)), s);
  Polynomial rest = *subtract(sum, s);
  EXPECT_EQ(rest, *multiply(s, k));
  EXPECT_EQ(rest.terms.size(), 1u);
}

TEST(Polynomial, SaysWhatItIs) {
  Polynomial k = Polynomial::symbol(3), two = Polynomial::constant(2);
  EXPECT_EQ(k.asSymbol(), 3u);
  EXPECT_EQ(multiply(k, two)->asSymbol(), std::nullopt);
  EXPECT_EQ(multiply(k, k)->asSymbol(), std::nullopt);
  EXPECT_EQ(add(k, two)->asSymbol(), std::nullopt);
  EXPECT_EQ(Polynomial().asInt64(), 0);
  EXPECT_EQ(Polynomial::constant(-5).asInt64(), -5);
  EXPECT_EQ(add(k, two)->asInt64(), std::nullopt);
  EXPECT_EQ(k.asInt64(), std::nullopt);
  EXPECT_TRUE(add(k, two)->constantTerm() == 2 && k.constantTerm() == 0);
  EXPECT_EQ(multiply(*add(k, Polynomial::symbol(1)), two)->latestSymbol(), 3u);
  EXPECT_EQ(two.latestSymbol(), std::nullopt);
}

static llvm::APInt wide(Wide value) {
  uint64_t words[] = {static_cast<uint64_t>(value), static_cast<uint64_t>(value >> 64)};
  return llvm::APInt(128, words).sext(512);
}

/// Numbers around every limit.
static std::vector<Wide> numbersAtLimits() {
  std::vector<Wide> numbers;
  for (int bits : {0, 1, 31, 32, 49, 50, 51, 62, 63, 64, 98, 99, 100})
    for (Wide around : {-1, 0, 1})
      for (Wide sign : {-1, 1})
        if (Wide number = sign * ((Wide(1) << bits) + around);
            number != 0 && number <= kMaxCoefficient && number >= -kMaxCoefficient)
          numbers.push_back(number);
  return numbers;
}

// Of one term each, so that a coefficient is the exact result and nothing comes on the way to it.
TEST(Polynomial, RefusesExactlyWhatLeavesTheLimits) {
  const llvm::APInt limit = wide(kMaxCoefficient);
  auto check = [&](const std::optional<Polynomial> &result, const llvm::APInt &exact, const Polynomial::Product &at) {
    bool fits = exact.sle(limit) && exact.sge(-limit);
    ASSERT_EQ(result.has_value(), fits);
    if (!result)
      return;
    auto found = result->terms.find(at);
    ASSERT_EQ(found == result->terms.end() ? wide(0) : wide(found->second), exact);
  };
  for (Wide x : numbersAtLimits())
    for (Wide y : numbersAtLimits())
      for (const Polynomial::Product &product : {Polynomial::Product{}, {0}}) {
        Polynomial a, b;
        a.terms[product] = x;
        b.terms[product] = y;
        Polynomial::Product both = product;
        both.insert(both.end(), product.begin(), product.end());
        check(add(a, b), wide(x) + wide(y), product);
        check(subtract(a, b), wide(x) - wide(y), product);
        check(multiply(a, b), wide(x) * wide(y), both);
      }
}

// Two products meet in one term: each of them and the sum must lie inside.
TEST(Polynomial, RefusesWhatLeavesTheLimitsOnTheWay) {
  for (Wide x : numbersAtLimits())
    for (Wide y : numbersAtLimits()) {
      // (x + y * s) * (y - x * s) has x * y, (y * y - x * x) * s and -x * y * s * s.
      Polynomial a, b;
      a.terms = {{{}, x}, {{0}, y}};
      b.terms = {{{}, y}, {{0}, -x}};
      llvm::APInt limit = wide(kMaxCoefficient), exact = wide(y) * wide(y) - wide(x) * wide(x);
      std::optional<Polynomial> product = multiply(a, b);
      bool fits = (wide(x) * wide(y)).abs().sle(limit) && (wide(x) * wide(x)).sle(limit) &&
                  (wide(y) * wide(y)).sle(limit) && exact.abs().sle(limit);
      ASSERT_EQ(product.has_value(), fits)
          << llvm::toString(wide(x), 10, true) << ' ' << llvm::toString(wide(y), 10, true);
      if (product) {
        auto found = product->terms.find({0});
        ASSERT_EQ(found == product->terms.end() ? wide(0) : wide(found->second), exact);
      }
    }
}

TEST(Polynomial, KnowsWhatHas64Bits) {
  for (Wide x : numbersAtLimits()) {
    bool has64Bits = wide(x).isSignedIntN(64);
    Polynomial term;
    term.terms[{0}] = x;
    EXPECT_EQ(term.hasInt64Coefficients(), has64Bits);
    EXPECT_EQ(Polynomial::constant(x).hasInt64Coefficients(), has64Bits);
    EXPECT_EQ(add(term, Polynomial::constant(1))->hasInt64Coefficients(), has64Bits);
    EXPECT_EQ(Polynomial::constant(x).asInt64(),
              has64Bits ? std::optional<int64_t>(static_cast<int64_t>(x)) : std::nullopt);
  }
  EXPECT_TRUE(Polynomial().hasInt64Coefficients());
}

TEST(Polynomial, RefusesLongOnes) {
  Polynomial sum;
  for (unsigned i = 0; i < 64; ++i)
    sum = *add(sum, Polynomial::symbol(i));
  EXPECT_FALSE(add(sum, Polynomial::symbol(64)));
  EXPECT_TRUE(add(sum, Polynomial::symbol(63)));
  Polynomial power = Polynomial::symbol(0);
  for (int i = 0; i < 7; ++i)
    power = *multiply(power, Polynomial::symbol(0));
  EXPECT_FALSE(multiply(power, Polynomial::symbol(0)));
}
