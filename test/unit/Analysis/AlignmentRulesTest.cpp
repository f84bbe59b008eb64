// SPDX-License-Identifier: Apache-2.0
/// \file
/// Proves the alignment rules by brute force: for all facts over a small extent and all tiles that satisfy them, the
/// facts that a rule states hold of the tile that the operation computes. The checker of facts shares nothing with
/// the rules.
#include "tilewright/Analysis/AlignmentRules.h"

#include "gtest/gtest.h"

#include <array>
#include <functional>
#include <map>
#include <string>
#include <vector>

using namespace tilewright;

using Tile = std::vector<int64_t>;
using Value = std::optional<int64_t>;

static std::string describe(const DimFacts &f) {
  return "(c " + std::to_string(f.contiguity) + ", d " + std::to_string(f.divisor) + ", k " +
         std::to_string(f.constancy) + ")";
}

static std::string describe(const Tile &tile) {
  std::string text = "[";
  for (int64_t value : tile)
    text += " " + std::to_string(value);
  return text + " ]";
}

/// The definition in AlignmentRules.h, word by word.
static bool holds(const DimFacts &f, const Tile &x, int64_t unit = 1) {
  int64_t extent = x.size();
  if (f.contiguity < 1 || f.constancy < 1 || f.divisor < 0 || extent % f.contiguity || extent % f.constancy)
    return false;
  for (int64_t i = 0; i < extent; ++i) {
    if (x[i] != x[i - i % f.contiguity] + (i % f.contiguity) * unit || x[i] != x[i - i % f.constancy])
      return false;
    if (i % f.contiguity == 0 && (f.divisor == 0 ? x[i] != 0 : x[i] % f.divisor != 0))
      return false;
  }
  return true;
}

/// All tiles of `extent` with values in lo..hi that satisfy `f`.
static std::vector<Tile> tilesOf(const DimFacts &f, int64_t extent, int64_t lo, int64_t hi, int64_t unit = 1) {
  std::vector<Tile> tiles;
  Tile tile(extent, lo);
  while (true) {
    if (holds(f, tile, unit))
      tiles.push_back(tile);
    int64_t i = 0;
    while (i < extent && tile[i] == hi)
      tile[i++] = lo;
    if (i == extent)
      return tiles;
    ++tile[i];
  }
}

/// A set of facts with all tiles that satisfy it.
struct FactsAndTiles {
  DimFacts facts;
  std::vector<Tile> tiles;
};

static const std::vector<FactsAndTiles> &allFacts(int64_t extent, int64_t lo, int64_t hi, int64_t unit = 1) {
  static std::map<std::array<int64_t, 4>, std::vector<FactsAndTiles>> cache;
  std::vector<FactsAndTiles> &all = cache[{extent, lo, hi, unit}];
  if (!all.empty())
    return all;
  for (int64_t c = 1; c <= extent; ++c)
    for (int64_t k = 1; k <= extent; ++k)
      for (int64_t d : {0, 1, 2, 3, 4, 6, 8}) {
        if (extent % c || extent % k)
          continue;
        FactsAndTiles entry{{c, d, k}, tilesOf({c, d, k}, extent, lo, hi, unit)};
        if (!entry.tiles.empty())
          all.push_back(std::move(entry));
      }
  return all;
}

/// Extents and value ranges small enough to visit all pairs of tiles. Extent 2 shows every pairing of neighbours, 4
/// groups within groups, 3 what is not a power of two.
struct Space {
  int64_t extent, lo, hi;
};
static const Space kPairSpaces[] = {{1, -8, 7}, {2, -4, 4}, {3, -3, 3}, {4, -2, 2}};
static const Space kSingleSpaces[] = {{1, -16, 15}, {2, -8, 8}, {3, -8, 8}, {4, -4, 4}, {6, -2, 2}};

static int64_t floorDiv(int64_t a, int64_t b) { return a / b - ((a % b != 0 && (a < 0) != (b < 0)) ? 1 : 0); }
static int64_t ceilDiv(int64_t a, int64_t b) { return -floorDiv(-a, b); }
static int64_t wrapSigned(int64_t value, unsigned width) {
  int64_t low = value & ((int64_t(1) << width) - 1);
  return low >= (int64_t(1) << (width - 1)) ? low - (int64_t(1) << width) : low;
}
static int64_t wrapUnsigned(int64_t value, unsigned width) { return value & ((int64_t(1) << width) - 1); }

using UnaryRule = std::function<DimFacts(const DimFacts &)>;
using BinaryRule = std::function<DimFacts(const DimFacts &, const DimFacts &)>;
using Unary = std::function<int64_t(int64_t)>;
/// The value of an operation; nothing where it is undefined.
using Binary = std::function<Value(int64_t, int64_t)>;

static Tile map(const Tile &a, const Unary &op) {
  Tile result;
  for (int64_t value : a)
    result.push_back(op(value));
  return result;
}

static bool map(const Tile &a, const Tile &b, const Binary &op, Tile &result) {
  result.clear();
  for (size_t i = 0; i < a.size(); ++i) {
    Value value = op(a[i], b[i]);
    if (!value)
      return false;
    result.push_back(*value);
  }
  return true;
}

static void proveUnary(const char *name, const UnaryRule &rule, const Unary &op, int64_t lowest = INT64_MIN) {
  for (const Space &space : kSingleSpaces)
    for (const FactsAndTiles &a : allFacts(space.extent, std::max(space.lo, lowest), space.hi)) {
      DimFacts claimed = rule(a.facts);
      for (const Tile &x : a.tiles)
        ASSERT_TRUE(holds(claimed, map(x, op)))
            << name << " of " << describe(x) << " with " << describe(a.facts) << " is claimed " << describe(claimed);
    }
}

static void proveBinary(const char *name, const BinaryRule &rule, const Binary &op, int64_t lowest = INT64_MIN) {
  for (const Space &space : kPairSpaces) {
    const std::vector<FactsAndTiles> &all = allFacts(space.extent, std::max(space.lo, lowest), space.hi);
    Tile result;
    for (const FactsAndTiles &a : all)
      for (const FactsAndTiles &b : all) {
        DimFacts claimed = rule(a.facts, b.facts);
        for (const Tile &x : a.tiles)
          for (const Tile &y : b.tiles)
            if (map(x, y, op, result) && !holds(claimed, result)) {
              FAIL() << name << " of " << describe(x) << " with " << describe(a.facts) << " and " << describe(y)
                     << " with " << describe(b.facts) << " is claimed " << describe(claimed) << " but is "
                     << describe(result);
            }
      }
  }
}

TEST(AlignmentRules, Divisors) {
  EXPECT_EQ(divisorOfConstant(-12), 12);
  EXPECT_EQ(divisorOfConstant(0), 0);
  EXPECT_EQ(divisorOfConstant(INT64_MIN), int64_t(1) << 62);
  EXPECT_EQ(powerOfTwoPart(48), 16);
  EXPECT_EQ(powerOfTwoPart(0), int64_t(1) << 62);
  EXPECT_EQ(multiplyDivisors(12, 10), 120);
  EXPECT_EQ(multiplyDivisors(0, INT64_MAX), 0);
  // 3 * 2^40 times 2^40 does not fit; the power of two that does is kept.
  EXPECT_EQ(multiplyDivisors(int64_t(3) << 40, int64_t(1) << 40), int64_t(1) << 62);
  EXPECT_EQ(combineDivisors(4, 6), 12);
  EXPECT_EQ(combineDivisors(0, 6), 0);
}

// The worked example of the header.
TEST(AlignmentRules, WorkedExample) {
  DimFacts sum = addFacts(iotaFacts(0, 8, 32), uniformFacts(16, 8));
  EXPECT_EQ(sum, (DimFacts{8, 16, 1}));
  EXPECT_EQ(divisorAt(sum, 4), 4);
}

TEST(AlignmentRules, DivisorAtEachStep) {
  for (int64_t unit : {1, 2, 4})
    for (const Space &space : kSingleSpaces)
      for (const FactsAndTiles &a : allFacts(space.extent, space.lo, space.hi, unit))
        for (int64_t step = 1; step <= space.extent; ++step) {
          int64_t divisor = divisorAt(a.facts, step, unit);
          for (const Tile &x : a.tiles)
            for (int64_t i = 0; i < space.extent; i += step)
              ASSERT_TRUE(divisor == 0 ? x[i] == 0 : x[i] % divisor == 0)
                  << describe(x) << describe(a.facts) << " step " << step;
        }
}

TEST(AlignmentRules, Iota) {
  for (unsigned width : {1, 2, 3, 4})
    for (int64_t extent = 1; extent <= (1 << width); ++extent)
      for (int64_t start = -(1 << (width - 1)); start + extent - 1 < (1 << width); ++start) {
        Tile x;
        for (int64_t i = 0; i < extent; ++i)
          x.push_back(wrapSigned(start + i, width));
        DimFacts claimed = iotaFacts(start, extent, width);
        ASSERT_TRUE(holds(claimed, x)) << describe(x) << describe(claimed) << " width " << width;
        if (x.back() == x.front() + extent - 1)
          ASSERT_EQ(claimed.contiguity, extent) << "a run that does not wrap is one run";
      }
  EXPECT_EQ(iotaFacts(0, 192, 32), (DimFacts{192, 0, 1}));
}

TEST(AlignmentRules, JoinAndMeet) {
  for (int64_t unit : {1, 2})
    for (const Space &space : kSingleSpaces) {
      const std::vector<FactsAndTiles> &all = allFacts(space.extent, space.lo, space.hi, unit);
      for (const FactsAndTiles &a : all)
        for (const FactsAndTiles &b : all) {
          DimFacts either = joinFacts(a.facts, b.facts, unit), both = meetFacts(a.facts, b.facts, unit);
          ASSERT_EQ(either, joinFacts(b.facts, a.facts, unit));
          for (const Tile &x : a.tiles) {
            ASSERT_TRUE(holds(either, x, unit)) << describe(x) << describe(a.facts) << describe(b.facts);
            if (holds(b.facts, x, unit))
              ASSERT_TRUE(holds(both, x, unit)) << describe(x) << describe(a.facts) << describe(b.facts);
          }
        }
    }
}

TEST(AlignmentRules, Wrap) {
  for (unsigned width : {1, 2, 3, 4}) {
    auto rule = [&](const DimFacts &f) { return wrapFacts(f, width); };
    proveUnary("signed wrap", rule, [&](int64_t x) { return wrapSigned(x, width); });
    proveUnary("unsigned wrap", rule, [&](int64_t x) { return wrapUnsigned(x, width); });
  }
  // An aligned run of a power of two survives.
  EXPECT_EQ(wrapFacts({1024, 1024, 1}, 32), (DimFacts{1024, 1024, 1}));
  EXPECT_EQ(wrapFacts({1024, 24, 1}, 32), (DimFacts{8, 8, 1}));
  EXPECT_EQ(wrapFacts({1024, 1, 1}, 32), (DimFacts{1, 1, 1}));
}

TEST(AlignmentRules, SumDifferenceProduct) {
  proveBinary("sum", [](auto &a, auto &b) { return addFacts(a, b); }, [](int64_t a, int64_t b) { return a + b; });
  proveBinary("difference", subFacts, [](int64_t a, int64_t b) { return a - b; });
  proveBinary(
      "product", [](auto &a, auto &b) { return mulFacts(a, b, Value(), Value()); },
      [](int64_t a, int64_t b) { return a * b; });
  proveBinary("shift left", shiftLeftFacts, [](int64_t a, int64_t b) { return b < 0 ? Value() : Value(a * (int64_t(1) << b)); });
  for (int64_t n = -4; n <= 4; ++n)
    proveUnary(
        "product with a constant",
        [&](const DimFacts &f) { return mulFacts(f, uniformFacts(divisorOfConstant(n), 12), Value(), n); },
        [&](int64_t x) { return x * n; });
}

// A sum in 3 bits that wraps.
TEST(AlignmentRules, WrappingSum) {
  proveBinary(
      "wrapping sum", [](auto &a, auto &b) { return wrapFacts(addFacts(a, b), 3); },
      [](int64_t a, int64_t b) { return wrapSigned(a + b, 3); });
  proveBinary(
      "wrapping product", [](auto &a, auto &b) { return wrapFacts(mulFacts(a, b, Value(), Value()), 3); },
      [](int64_t a, int64_t b) { return wrapSigned(a * b, 3); });
}

// Pointer arithmetic: indices are scaled to bytes and added to an address whose runs rise by the element size.
TEST(AlignmentRules, PointerSum) {
  for (int64_t bytes : {1, 2, 4})
    for (const Space &space : kPairSpaces)
      for (const FactsAndTiles &p : allFacts(space.extent, 0, 6, bytes))
        for (const FactsAndTiles &i : allFacts(space.extent, space.lo, space.hi)) {
          if (p.tiles.size() * i.tiles.size() > 20000)
            continue;
          DimFacts claimed = addFacts(p.facts, scaleFacts(i.facts, bytes), bytes);
          Tile result;
          for (const Tile &x : p.tiles)
            for (const Tile &y : i.tiles) {
              map(x, y, [&](int64_t a, int64_t b) { return a + bytes * b; }, result);
              ASSERT_TRUE(holds(claimed, result, bytes)) << describe(x) << describe(y) << describe(claimed);
            }
        }
}

TEST(AlignmentRules, Division) {
  auto unknown = [](auto rule) { return [rule](auto &a, auto &b) { return rule(a, b, Value()); }; };
  auto guarded = [](auto op) { return [op](int64_t a, int64_t b) { return b == 0 ? Value() : Value(op(a, b)); }; };
  auto trunc = [](int64_t a, int64_t b) { return a / b; };
  proveBinary("floor division", unknown(floorDivFacts), guarded(floorDiv));
  proveBinary("division", unknown(roundedDivFacts), guarded(trunc));
  proveBinary("ceiling division", unknown(roundedDivFacts), guarded(ceilDiv));
  proveBinary("remainder", truncRemFacts, guarded([](int64_t a, int64_t b) { return a % b; }));
  proveBinary("floor remainder", unknown(floorRemFacts),
              guarded([](int64_t a, int64_t b) { return a - floorDiv(a, b) * b; }));
  for (int64_t n = -8; n <= 8; ++n) {
    if (n == 0)
      continue;
    auto known = [n](auto rule) {
      return [rule, n](const DimFacts &f) { return rule(f, uniformFacts(divisorOfConstant(n), 12), Value(n)); };
    };
    proveUnary("floor division by a constant", known(floorDivFacts), [&](int64_t x) { return floorDiv(x, n); });
    proveUnary("division by a constant", known(roundedDivFacts), [&](int64_t x) { return x / n; });
    proveUnary("ceiling division by a constant", known(roundedDivFacts), [&](int64_t x) { return ceilDiv(x, n); });
    proveUnary("floor remainder by a constant", known(floorRemFacts),
               [&](int64_t x) { return x - floorDiv(x, n) * n; });
  }
  // iota / 4 is constant over groups of 4, iota % 4 runs within them.
  EXPECT_EQ(floorDivFacts(iotaFacts(0, 16, 32), uniformFacts(4, 16), 4), (DimFacts{1, 1, 4}));
  EXPECT_EQ(floorRemFacts(iotaFacts(0, 16, 32), uniformFacts(4, 16), 4), (DimFacts{4, 0, 1}));
}

// Unsigned division of possibly negative numbers: their bits are read as unsigned first.
TEST(AlignmentRules, UnsignedDivision) {
  for (int64_t n = 1; n <= 7; ++n) {
    DimFacts by = uniformFacts(n, 12);
    proveUnary(
        "unsigned division", [&](const DimFacts &f) { return wrapFacts(floorDivFacts(wrapFacts(f, 4), by, n), 4); },
        [&](int64_t x) { return wrapSigned(wrapUnsigned(x, 4) / n, 4); });
    proveUnary(
        "unsigned remainder", [&](const DimFacts &f) { return wrapFacts(floorRemFacts(wrapFacts(f, 4), by, n), 4); },
        [&](int64_t x) { return wrapSigned(wrapUnsigned(x, 4) % n, 4); });
  }
}

TEST(AlignmentRules, Bits) {
  proveBinary(
      "and", [](auto &a, auto &b) { return andFacts(a, b, Value()); }, [](int64_t a, int64_t b) { return a & b; });
  proveBinary("or", orXorFacts, [](int64_t a, int64_t b) { return a | b; });
  proveBinary("xor", orXorFacts, [](int64_t a, int64_t b) { return a ^ b; });
  for (int64_t n = -9; n <= 9; ++n)
    proveUnary(
        "and with a constant",
        [&](const DimFacts &f) { return andFacts(f, uniformFacts(divisorOfConstant(n), 12), n); },
        [&](int64_t x) { return x & n; });
  EXPECT_EQ(andFacts(iotaFacts(0, 16, 32), uniformFacts(3, 16), 3), (DimFacts{4, 0, 1}));
  EXPECT_EQ(andFacts(iotaFacts(0, 16, 32), uniformFacts(4, 16), -4), (DimFacts{1, 4, 4}));
}

TEST(AlignmentRules, MinimumMaximumOrder) {
  proveBinary("minimum", minMaxFacts, [](int64_t a, int64_t b) { return std::min(a, b); });
  proveBinary("maximum", minMaxFacts, [](int64_t a, int64_t b) { return std::max(a, b); });
  auto order = [](OrderPredicate predicate) {
    return [predicate](auto &a, auto &b) { return orderFacts(predicate, a, b); };
  };
  proveBinary("<", order(OrderPredicate::LessThan), [](int64_t a, int64_t b) { return int64_t(a < b); });
  proveBinary("<=", order(OrderPredicate::LessEqual), [](int64_t a, int64_t b) { return int64_t(a <= b); });
  proveBinary(">", order(OrderPredicate::GreaterThan), [](int64_t a, int64_t b) { return int64_t(a > b); });
  proveBinary(">=", order(OrderPredicate::GreaterEqual), [](int64_t a, int64_t b) { return int64_t(a >= b); });
  // The mask of a tail that 16 divides is uniform over groups of 16.
  EXPECT_EQ(orderFacts(OrderPredicate::LessThan, iotaFacts(0, 64, 32), uniformFacts(16, 64)).constancy, 16);
  EXPECT_EQ(orderFacts(OrderPredicate::LessEqual, iotaFacts(0, 64, 32), uniformFacts(16, 64)).constancy, 1);
}

TEST(AlignmentRules, Select) {
  for (const Space &space : {Space{1, -4, 4}, Space{2, -2, 3}, Space{4, -1, 1}})
    for (const FactsAndTiles &condition : allFacts(space.extent, 0, 1)) {
      const std::vector<FactsAndTiles> &all = allFacts(space.extent, space.lo, space.hi);
      for (const FactsAndTiles &a : all)
        for (const FactsAndTiles &b : all) {
          DimFacts claimed = selectFacts(condition.facts, a.facts, b.facts);
          for (const Tile &c : condition.tiles)
            for (const Tile &x : a.tiles)
              for (const Tile &y : b.tiles) {
                Tile result;
                for (size_t i = 0; i < c.size(); ++i)
                  result.push_back(c[i] ? x[i] : y[i]);
                ASSERT_TRUE(holds(claimed, result)) << describe(c) << describe(x) << describe(y);
              }
        }
    }
}

TEST(AlignmentRules, Blocks) {
  for (const FactsAndTiles &a : allFacts(6, -2, 3))
    for (int64_t extent : {1, 2, 3, 6}) {
      DimFacts claimed = blockFacts(a.facts, extent);
      for (const Tile &x : a.tiles)
        for (int64_t block = 0; block < 6 / extent; ++block)
          ASSERT_TRUE(holds(claimed, Tile(x.begin() + block * extent, x.begin() + (block + 1) * extent)))
              << describe(x) << describe(a.facts) << " cut to " << extent;
    }
}
