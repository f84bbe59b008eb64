// SPDX-License-Identifier: Apache-2.0
#include "tilewright/Analysis/AddressPolynomial.h"

#include <gtest/gtest.h>

#include <random>

using namespace tilewright;

static int64_t evaluate(const AddressPolynomial &polynomial, const std::vector<int64_t> &values) {
  int64_t sum = 0;
  for (const auto &[product, coefficient] : polynomial.getTerms()) {
    int64_t term = coefficient;
    for (unsigned symbol : product)
      term *= values[symbol];
    sum += term;
  }
  return sum;
}

static AddressPolynomial random(std::mt19937 &engine) {
  AddressPolynomial sum;
  for (int i = engine() % 4; i > 0; --i) {
    AddressPolynomial term = AddressPolynomial::constant(int(engine() % 7) - 3);
    for (int j = engine() % 3; j > 0; --j)
      term = *AddressPolynomial::multiply(term, AddressPolynomial::symbol(engine() % 3));
    sum = *AddressPolynomial::add(sum, term);
  }
  return sum;
}

// The operations are those of the numbers that the polynomials stand for.
TEST(AddressPolynomial, ComputesWithValues) {
  std::mt19937 engine(1);
  for (int i = 0; i < 2000; ++i) {
    AddressPolynomial a = random(engine), b = random(engine);
    std::vector<int64_t> values{int(engine() % 9) - 4, int(engine() % 9) - 4, int(engine() % 9) - 4};
    int64_t x = evaluate(a, values), y = evaluate(b, values);
    EXPECT_EQ(evaluate(*AddressPolynomial::add(a, b), values), x + y);
    EXPECT_EQ(evaluate(*AddressPolynomial::subtract(a, b), values), x - y);
    EXPECT_EQ(evaluate(*AddressPolynomial::multiply(a, b), values), x * y);
    EXPECT_TRUE(AddressPolynomial::subtract(a, a)->isZero());
    EXPECT_EQ(*AddressPolynomial::add(a, b), *AddressPolynomial::add(b, a));
    EXPECT_EQ(*AddressPolynomial::multiply(a, b), *AddressPolynomial::multiply(b, a));
  }
}

// The example of the header.
TEST(AddressPolynomial, HasOneForm) {
  AddressPolynomial k = AddressPolynomial::symbol(0), s = AddressPolynomial::symbol(1);
  AddressPolynomial sum = *AddressPolynomial::multiply(*AddressPolynomial::add(k, AddressPolynomial::constant(1)), s);
  AddressPolynomial rest = *AddressPolynomial::subtract(sum, s);
  EXPECT_EQ(rest, *AddressPolynomial::multiply(s, k));
  EXPECT_EQ(rest.getTerms().size(), 1u);
  EXPECT_EQ(rest.getConstant(), std::nullopt);
  EXPECT_EQ(AddressPolynomial::constant(-5).getConstant(), -5);
  EXPECT_EQ(AddressPolynomial().getConstant(), 0);
}

TEST(AddressPolynomial, DividesExactlyOrNotAtAll) {
  AddressPolynomial k = AddressPolynomial::symbol(0);
  AddressPolynomial a = *AddressPolynomial::add(*AddressPolynomial::multiply(k, AddressPolynomial::constant(6)),
                                                AddressPolynomial::constant(-4));
  EXPECT_EQ(*AddressPolynomial::multiply(*AddressPolynomial::divide(a, 2), AddressPolynomial::constant(2)), a);
  EXPECT_EQ(AddressPolynomial::divide(a, 3), std::nullopt);
  EXPECT_EQ(AddressPolynomial::divide(AddressPolynomial::constant(INT64_MIN), -1), std::nullopt);
}

TEST(AddressPolynomial, RefusesWhatLeaves64Bits) {
  AddressPolynomial most = AddressPolynomial::constant(INT64_MAX);
  EXPECT_EQ(AddressPolynomial::add(most, AddressPolynomial::constant(1)), std::nullopt);
  EXPECT_EQ(AddressPolynomial::multiply(most, AddressPolynomial::constant(2)), std::nullopt);
  EXPECT_EQ(AddressPolynomial::subtract(AddressPolynomial(), AddressPolynomial::constant(INT64_MIN)), std::nullopt);
  AddressPolynomial sum;
  for (unsigned i = 0; i < 64; ++i)
    sum = *AddressPolynomial::add(sum, AddressPolynomial::symbol(i));
  EXPECT_EQ(AddressPolynomial::add(sum, AddressPolynomial::symbol(64)), std::nullopt);
}
