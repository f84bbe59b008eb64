// SPDX-License-Identifier: Apache-2.0
#include "tilewright/Layout/LinearMap.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

using namespace tilewright::layout;

/// Map from `in` to `out` bits number `index` in an enumeration of all of them.
static LinearMap nthMap(unsigned in, unsigned out, uint64_t index) {
  LinearMap map(in, out);
  for (unsigned bit = 0; bit < in; ++bit)
    map.setColumn(bit, index >> (bit * out) & ((1u << out) - 1));
  return map;
}

template <typename Fn> static void forAllMaps(unsigned maxBits, Fn fn) {
  for (unsigned in = 0; in <= maxBits; ++in)
    for (unsigned out = 0; out <= maxBits; ++out)
      for (uint64_t index = 0; index < uint64_t(1) << (in * out); ++index)
        fn(nthMap(in, out, index));
}

TEST(LinearMap, ApplyIsLinear) {
  forAllMaps(3, [](const LinearMap &map) {
    for (uint64_t x = 0; x < 1u << map.inBits(); ++x)
      for (uint64_t y = 0; y < 1u << map.inBits(); ++y)
        ASSERT_EQ(map.apply(x ^ y), map.apply(x) ^ map.apply(y)) << map.str();
  });
}

TEST(LinearMap, RankCountsTheImage) {
  forAllMaps(3, [](const LinearMap &map) {
    std::set<uint64_t> image;
    for (uint64_t x = 0; x < 1u << map.inBits(); ++x)
      image.insert(map.apply(x));
    ASSERT_EQ(image.size(), size_t(1) << map.rank()) << map.str();
    ASSERT_EQ(map.isInjective(), image.size() == size_t(1) << map.inBits()) << map.str();
    ASSERT_EQ(map.isSurjective(), image.size() == size_t(1) << map.outBits()) << map.str();
  });
}

TEST(LinearMap, InverseUndoesAndExistsWhenRegular) {
  unsigned regular = 0;
  forAllMaps(3, [&](const LinearMap &map) {
    std::optional<LinearMap> inverse = map.inverse();
    ASSERT_EQ(inverse.has_value(), map.isInjective() && map.isSurjective()) << map.str();
    if (!inverse)
      return;
    ASSERT_TRUE(inverse->compose(map).isIdentity()) << map.str();
    ASSERT_TRUE(map.compose(*inverse).isIdentity()) << map.str();
    regular += map.inBits() == 3;
  });
  EXPECT_EQ(regular, 168u) << "the order of GL(3, 2)";
}

TEST(LinearMap, RightInverseExistsWhenSurjective) {
  forAllMaps(3, [](const LinearMap &map) {
    std::optional<LinearMap> right = map.rightInverse();
    ASSERT_EQ(right.has_value(), map.isSurjective()) << map.str();
    if (right)
      ASSERT_TRUE(map.compose(*right).isIdentity()) << map.str();
  });
}

TEST(LinearMap, SolveFindsExactlyTheImage) {
  forAllMaps(3, [](const LinearMap &map) {
    for (uint64_t y = 0; y < 1u << map.outBits(); ++y) {
      bool reachable = false;
      for (uint64_t x = 0; x < 1u << map.inBits(); ++x)
        reachable |= map.apply(x) == y;
      std::optional<uint64_t> x = map.solve(y);
      ASSERT_EQ(x.has_value(), reachable) << map.str();
      if (x)
        ASSERT_EQ(map.apply(*x), y) << map.str();
    }
  });
}

TEST(LinearMap, KernelBasisSpansTheKernel) {
  forAllMaps(3, [](const LinearMap &map) {
    std::vector<uint64_t> basis = map.kernelBasis();
    ASSERT_EQ(basis.size(), map.inBits() - map.rank()) << map.str();
    std::set<uint64_t> span = {0};
    for (uint64_t vector : basis) {
      ASSERT_EQ(map.apply(vector), 0u) << map.str();
      for (uint64_t other : std::set<uint64_t>(span))
        span.insert(other ^ vector);
    }
    ASSERT_EQ(span.size(), size_t(1) << basis.size()) << map.str();
  });
}

TEST(LinearMap, RedundantInputsLeaveEachImageOnce) {
  forAllMaps(3, [](const LinearMap &map) {
    std::set<uint64_t> image;
    for (uint64_t x = 0; x < 1u << map.inBits(); ++x)
      if (!(x & map.redundantInputs()))
        ASSERT_TRUE(image.insert(map.apply(x)).second) << map.str();
    ASSERT_EQ(image.size(), size_t(1) << map.rank()) << map.str();
  });
}

TEST(LinearMap, ComposeAppliesInnerFirst) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 500; ++i) {
    unsigned a = random() % 5, b = random() % 5, c = random() % 5;
    LinearMap inner = nthMap(a, b, random()), outer = nthMap(b, c, random());
    LinearMap both = outer.compose(inner);
    for (uint64_t x = 0; x < 1u << a; ++x)
      ASSERT_EQ(both.apply(x), outer.apply(inner.apply(x)));
  }
}

TEST(LinearMap, DivideLeftUndoesProduct) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 500; ++i) {
    LinearMap low = nthMap(random() % 5, random() % 5, random());
    LinearMap high = nthMap(random() % 5, random() % 5, random());
    LinearMap both = low.product(high);
    for (uint64_t x = 0; x < 1u << both.inBits(); ++x) {
      uint64_t xLow = x & ((1u << low.inBits()) - 1), xHigh = x >> low.inBits();
      ASSERT_EQ(both.apply(x), low.apply(xLow) | high.apply(xHigh) << low.outBits());
    }
    std::optional<LinearMap> quotient = both.divideLeft(low);
    ASSERT_TRUE(quotient);
    ASSERT_EQ(*quotient, high);
  }
}

TEST(LinearMap, DivideLeftRejectsWhatIsNoProduct) {
  LinearMap map = LinearMap::identity(3);
  EXPECT_FALSE(map.divideLeft(LinearMap::identity(4))) << "tile is larger";
  LinearMap swapped(1, 1);
  EXPECT_FALSE(map.divideLeft(swapped)) << "low columns differ";
  map.setColumn(2, 5);
  EXPECT_FALSE(map.divideLeft(LinearMap::identity(1))) << "a high input reaches a low output";
}

TEST(LinearMap, WidestMaps) {
  LinearMap map = LinearMap::identity(64);
  EXPECT_EQ(map.rank(), 64u);
  EXPECT_EQ(map.inverse()->apply(~uint64_t(0)), ~uint64_t(0));
  EXPECT_EQ(map.product(LinearMap(0, 0)), map);
  EXPECT_EQ(*map.divideLeft(map), LinearMap(0, 0));
}

TEST(LinearMap, GrayCodeOfTheHeader) {
  LinearMap gray(2, 2);
  gray.setColumn(0, 1);
  gray.setColumn(1, 3);
  EXPECT_EQ(gray.apply(2), 3u);
  EXPECT_EQ(gray.apply(3), 2u);
  EXPECT_EQ(*gray.inverse(), gray);
  EXPECT_EQ(gray.str(), "[1, 3] -> 2 bits");
}
