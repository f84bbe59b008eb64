// SPDX-License-Identifier: Apache-2.0
/// \file
/// Proves each rule of symbolic bounds by brute force over small leaves: a number that a rule makes of two others has
/// the value of the operation for all leaves that agree with their facts, what is known of its symbols holds, and of
/// the sums of multiples of it and of leaves none is proved to be above its least value. SymbolicBoundsTest.cpp does
/// the same for random expressions of several rules.
#include "SymbolValues.h"

#include "gtest/gtest.h"

using namespace tilewright;
using symboltest::SymbolValues;

namespace {
using Number = std::optional<Polynomial>;
using Value = std::optional<int64_t>;

/// Leaves x (symbol 0) and y (symbol 1).
struct Leaf {
  int64_t min, max, divisor = 1;
};

/// What a rule makes of `a` and `b`, and what it stands for. A rule may add a leaf z, which is z for all its values.
struct Row {
  const char *name;
  std::function<Number(SymbolicBounds &, const Polynomial &a, const Polynomial &b)> rule;
  /// The value for those of `a`, `b` and z; nothing where there is none.
  std::function<Value(int64_t a, int64_t b, int64_t z)> value;
  /// Values of z to try.
  int64_t zMin = 0, zMax = 0;
};
} // namespace

static int64_t floorOf(int64_t a, int64_t b) { return a / b - (a % b != 0 && (a < 0) != (b < 0)); }

/// A leaf from `min` to `max` with bounds.
static Number boundedLeaf(SymbolicBounds &bounds, Value min, Value max, std::vector<Polynomial> upper,
                          std::vector<Polynomial> lower) {
  SymbolFacts facts;
  if (min)
    facts.min = *min;
  if (max)
    facts.max = *max;
  facts.upper = std::move(upper);
  facts.lower = std::move(lower);
  return Polynomial::symbol(bounds.addLeaf(std::move(facts)));
}

/// The value of x where a row is asked for a value.
static int64_t currentX;

static const Row kRows[] = {
    {"sum", [](auto &, auto &a, auto &b) { return add(a, b); },
     [](int64_t a, int64_t b, int64_t) { return Value(a + b); }},
    {"product", [](auto &, auto &a, auto &b) { return multiply(a, b); },
     [](int64_t a, int64_t b, int64_t) { return Value(a * b); }},
    {"floorDiv", [](auto &bounds, auto &a, auto &b) { return bounds.floorDiv(a, b); },
     [](int64_t a, int64_t b, int64_t) { return b > 0 ? Value(floorOf(a, b)) : Value(); }},
    {"ceilDiv", [](auto &bounds, auto &a, auto &b) { return bounds.ceilDiv(a, b); },
     [](int64_t a, int64_t b, int64_t) { return b > 0 ? Value(-floorOf(-a, b)) : Value(); }},
    {"floorRem", [](auto &bounds, auto &a, auto &b) { return bounds.floorRem(a, b); },
     [](int64_t a, int64_t b, int64_t) { return b > 0 ? Value(a - b * floorOf(a, b)) : Value(); }},
    {"minimum", [](auto &bounds, auto &a, auto &b) { return Number(bounds.minimum(a, b)); },
     [](int64_t a, int64_t b, int64_t) { return Value(std::min(a, b)); }},
    {"maximum", [](auto &bounds, auto &a, auto &b) { return Number(bounds.maximum(a, b)); },
     [](int64_t a, int64_t b, int64_t) { return Value(std::max(a, b)); }},
    {"oneOf", [](auto &bounds, auto &a, auto &b) { return Number(bounds.oneOf(a, b)); },
     [](int64_t a, int64_t b, int64_t z) { return Value(z ? a : b); }, 0, 1},
    // Two choices between the same numbers may choose differently.
    {"oneOf twice", [](auto &bounds, auto &a, auto &b) { return subtract(bounds.oneOf(a, b), bounds.oneOf(a, b)); },
     [](int64_t a, int64_t b, int64_t z) { return Value((z & 1 ? a : b) - (z & 2 ? a : b)); }, 0, 3},
    // What is divided is not negative by a relation alone.
    {"floorDiv of a difference",
     [](auto &bounds, auto &a, auto &b) {
       Number rest = subtract(a, *boundedLeaf(bounds, 0, {}, {a}, {}));
       return bounds.floorDiv(*rest, b);
     },
     [](int64_t a, int64_t b, int64_t z) { return z <= a && b > 0 ? Value(floorOf(a - z, b)) : Value(); }, 0, 9},
    // What has been divided by, or assumed, says something of what it is made from.
    {"floorDiv by a minimum",
     [](auto &bounds, auto &a, auto &b) { return bounds.floorDiv(Polynomial::symbol(0), bounds.minimum(a, b)); },
     [](int64_t a, int64_t b, int64_t) { return a > 0 && b > 0 ? Value(floorOf(currentX, std::min(a, b))) : Value(); }},
    {"floorDiv by a maximum",
     [](auto &bounds, auto &a, auto &b) { return bounds.floorDiv(Polynomial::symbol(0), bounds.maximum(a, b)); },
     [](int64_t a, int64_t b, int64_t) { return a > 0 || b > 0 ? Value(floorOf(currentX, std::max(a, b))) : Value(); }},
    {"oneOf a quotient",
     [](auto &bounds, auto &a, auto &b) { return Number(bounds.oneOf(*bounds.floorDiv(Polynomial::symbol(0), b), a)); },
     [](int64_t a, int64_t b, int64_t z) { return z       ? Value(a)
                                                  : b > 0 ? Value(floorOf(currentX, b))
                                                          : Value(); }, 0,
     1},
    {"product of a quotient and a root of what it divides by",
     [](auto &bounds, auto &a, auto &b) {
       Number quotient = bounds.floorDiv(a, *multiply(b, b));
       return quotient ? multiply(*quotient, b) : Number();
     },
     [](int64_t a, int64_t b, int64_t) { return b != 0 ? Value(floorOf(a, b * b) * b) : Value(); }},
    {"a quotient that is assumed to be at least -2",
     [](auto &bounds, auto &a, auto &b) {
       bounds.assumeNonNegative(*add(*bounds.floorDiv(a, b), Polynomial::constant(2)));
       return Number(b);
     },
     [](int64_t a, int64_t b, int64_t) { return b > 0 && floorOf(a, b) >= -2 ? Value(b) : Value(); }},
    {"a quotient that is assumed to be at least 1",
     [](auto &bounds, auto &a, auto &b) {
       bounds.assumeNonNegative(*subtract(*bounds.floorDiv(a, b), Polynomial::constant(1)));
       return Number(b);
     },
     [](int64_t a, int64_t b, int64_t) { return b > 0 && floorOf(a, b) >= 1 ? Value(b) : Value(); }},
    // z with what is said of it.
    {"upper bounds",
     [](auto &bounds, auto &a, auto &b) {
       return boundedLeaf(bounds, 0, {}, {a, b}, {});
     },
     [](int64_t a, int64_t b, int64_t z) { return z <= a && z <= b ? Value(z) : Value(); }, 0, 9},
    {"lower bounds",
     [](auto &bounds, auto &a, auto &b) {
       return boundedLeaf(bounds, {}, 9, {}, {a, b});
     },
     [](int64_t a, int64_t b, int64_t z) { return z >= a && z >= b ? Value(z) : Value(); }, -9, 9},
    {"both bounds", [](auto &bounds, auto &a, auto &b) { return boundedLeaf(bounds, {}, {}, {b}, {a}); },
     [](int64_t a, int64_t b, int64_t z) { return z >= a && z <= b ? Value(z) : Value(); }, -9, 9},
    {"refine",
     [](auto &bounds, auto &a, auto &b) {
       unsigned symbol = *boundedLeaf(bounds, -9, 9, {}, {})->asSymbol();
       bounds.refine(symbol, -6, 7, 2);
       bounds.refine(symbol, -8, 6, 3);
       return add(Polynomial::symbol(symbol), *subtract(a, b));
     },
     [](int64_t a, int64_t b, int64_t z) { return z >= -6 && z <= 6 && z % 6 == 0 ? Value(z + a - b) : Value(); }, -9,
     9},
    {"assumeNonNegative",
     [](auto &bounds, auto &a, auto &b) {
       bounds.assumeNonNegative(a);
       return Number(b);
     },
     [](int64_t a, int64_t b, int64_t) { return a >= 0 ? Value(b) : Value(); }},
};

/// Sums of multiples of x, y and x * y.
struct Form {
  int64_t x, y, xy, constant;
  Polynomial number() const {
    Polynomial sum;
    for (auto [product, coefficient] :
         {std::pair<Polynomial::Product, int64_t>{{}, constant}, {{0}, x}, {{1}, y}, {{0, 1}, xy}})
      if (coefficient != 0)
        sum.terms[product] = coefficient;
    return sum;
  }
  int64_t valueAt(int64_t atX, int64_t atY) const { return constant + x * atX + y * atY + xy * atX * atY; }
};

static const Leaf kLeavesX[] = {{0, 3}, {-2, 2}, {1, 1}, {0, 8, 4}, {-3, 6, 3}};
static const Leaf kLeavesY[] = {{1, 3}, {0, 2}, {-2, 1}, {2, 6, 2}};
static const Form kFirst[] = {{1, 0, 0, 0},  {1, 0, 0, -1}, {-1, 0, 0, 0}, {2, 0, 0, 1},
                              {4, 0, 0, -1}, {1, 1, 0, 0},  {3, -1, 0, 2}, {0, 0, 1, -1}};
static const Form kSecond[] = {{0, 0, 0, 1}, {0, 0, 0, 2}, {0, 0, 0, 3}, {0, 0, 0, 4},
                               {0, 1, 0, 0}, {0, 2, 0, 0}, {0, 1, 0, 1}, {0, 0, 1, 0}};
static const Form kBeside[] = {{0, 0, 0, 0}, {1, 0, 0, 0}, {-1, 0, 0, 0}, {0, 1, 0, 0}, {0, -1, 0, 0}, {-2, 3, 0, 0}};

namespace {
/// Counts what was proved, so that a rule that gives up does not pass for a proof.
struct Counts {
  unsigned values = 0, tight = 0;
};

/// A number that a row makes, with all values that it may have.
class Claim {
public:
  Claim(const Row &row, Leaf x, Leaf y, const Form &a, const Form &b) {
    for (Leaf leaf : {x, y}) {
      SymbolFacts facts;
      facts.min = leaf.min;
      facts.max = leaf.max;
      facts.divisor = leaf.divisor;
      bounds.addLeaf(facts);
    }
    number = row.rule(bounds, a.number(), b.number());
    for (int64_t atX = x.min; atX <= x.max; atX += x.divisor)
      for (int64_t atY = y.min; atY <= y.max; atY += y.divisor)
        for (int64_t z = row.zMin; z <= row.zMax; ++z) {
          currentX = atX;
          if (Value value = row.value(a.valueAt(atX, atY), b.valueAt(atX, atY), z))
            points.push_back({atX, atY, z, *value});
        }
  }

  void checkValues(Counts &counts) {
    if (!number)
      return;
    int64_t divisor = bounds.divisorOf(*number);
    for (auto [x, y, z, value] : points) {
      std::array<Wide, 3> leaves = {x, y, z};
      SymbolValues values(bounds, [&](unsigned leaf) { return leaves[leaf]; });
      ++counts.values;
      EXPECT_TRUE(values.of(*number).count(value)) << print(*number) << " should be " << value << at(x, y, z);
      EXPECT_EQ(values.findBrokenFact(*number), "") << print(*number) << at(x, y, z);
      EXPECT_TRUE(divisor == 0 ? value == 0 : value % divisor == 0)
          << print(*number) << " by " << divisor << at(x, y, z);
      kinds |= kindsIn(*number);
    }
  }

  /// `times` this number plus `beside` and the number that makes the least of it `above`, which is below 0 or 0.
  void checkProof(int64_t times, const Form &beside, Counts &counts) {
    if (!number || points.empty())
      return;
    int64_t least = std::numeric_limits<int64_t>::max();
    for (auto [x, y, z, value] : points)
      least = std::min(least, times * value + beside.valueAt(x, y));
    Polynomial goal = *add(*multiply(*number, Polynomial::constant(times)), beside.number());
    Polynomial atLeast = *subtract(goal, Polynomial::constant(least));
    EXPECT_FALSE(bounds.isNonNegative(*subtract(atLeast, Polynomial::constant(1))))
        << print(goal) << " is " << least << " for some leaves";
    EXPECT_FALSE(bounds.isAtMost(Polynomial::constant(least + 1), goal)) << print(goal);
    bool isProved = bounds.isNonNegative(atLeast);
    counts.tight += isProved;
    auto steps = bounds.explainNonNegative(atLeast);
    EXPECT_EQ(steps.has_value(), isProved);
    if (steps && beside.x == 0 && beside.y == 0)
      for (const auto &[low, high] : *steps)
        checkStep(low, high);
  }

  unsigned kinds = 0;

private:
  struct Point {
    int64_t x, y, z, value;
  };

  /// What a proof says that it uses must hold too.
  void checkStep(const Polynomial &low, const Polynomial &high) {
    Polynomial room = *subtract(high, low);
    for (auto [x, y, z, value] : points) {
      std::array<Wide, 3> leaves = {x, y, z};
      for (Wide least : SymbolValues(bounds, [&](unsigned leaf) { return leaves[leaf]; }).of(room))
        EXPECT_TRUE(least >= 0) << print(low) << " <= " << print(high) << at(x, y, z);
    }
  }

  unsigned kindsIn(const Polynomial &a) {
    unsigned found = 0;
    for (unsigned symbol : bounds.symbolsBehind(a))
      found |= 1u << static_cast<unsigned>(bounds.kindOf(symbol));
    return found;
  }
  std::string print(const Polynomial &a) {
    return bounds.print(a, [](unsigned symbol) { return std::string(1, "xyz"[symbol]); });
  }
  static std::string at(int64_t x, int64_t y, int64_t z) {
    return " at x = " + std::to_string(x) + ", y = " + std::to_string(y) + ", z = " + std::to_string(z);
  }

  SymbolicBounds bounds;
  Number number;
  std::vector<Point> points;
};
} // namespace

TEST(SymbolicRules, ValuesAndProofs) {
  unsigned kinds = 0;
  for (const Row &row : kRows) {
    SCOPED_TRACE(row.name);
    Counts counts;
    for (Leaf x : kLeavesX)
      for (Leaf y : kLeavesY)
        for (const Form &a : kFirst)
          for (const Form &b : kSecond) {
            Claim claim(row, x, y, a, b);
            claim.checkValues(counts);
            for (int64_t times : {-3, -1, 1, 2})
              for (const Form &beside : kBeside)
                claim.checkProof(times, beside, counts);
            kinds |= claim.kinds;
            if (HasFailure())
              return;
          }
    // A rule that gives up would prove anything; one that is right is often the best that there is.
    EXPECT_GT(counts.values, 4000u);
    EXPECT_GT(counts.tight, 10000u);
  }
  EXPECT_EQ(kinds, (1u << kNumSymbolKinds) - 1) << "a kind of symbol has no row";
}
