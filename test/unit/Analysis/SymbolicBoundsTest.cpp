// SPDX-License-Identifier: Apache-2.0
/// \file
/// Proves the rules of symbolic bounds by brute force: whatever is claimed of an expression holds for all values of
/// its leaves that agree with their facts. The values are computed by plain integer arithmetic that shares nothing with
/// the rules.
#include "tilewright/Analysis/SymbolicBounds.h"

#include "gtest/gtest.h"

#include <random>

using namespace tilewright;

namespace {
/// A tree of operations beside the polynomial that the rules made of it.
struct Expression {
  Polynomial number;
  std::function<std::optional<int64_t>(const std::vector<int64_t> &)> value;
};
} // namespace

static int64_t floorDivide(int64_t a, int64_t b) { return a / b - (a % b != 0 && (a < 0) != (b < 0)); }

/// Makes random expressions over three leaves and checks each claim about them on all values of the leaves.
class RandomExpressions {
public:
  explicit RandomExpressions(unsigned seed) : random(seed) {}

  void run() {
    addLeaves();
    std::vector<Expression> all = leaves;
    for (int step = 0; step < 12; ++step)
      if (std::optional<Expression> next = combine(pick(all), pick(all)))
        all.push_back(*next);
    for (const Expression &e : all)
      check(e);
    for (int pair = 0; pair < 40; ++pair)
      checkOrder(pick(all), pick(all));
  }

  unsigned numProofs = 0;

private:
  int64_t draw(int64_t low, int64_t high) { return std::uniform_int_distribution<int64_t>(low, high)(random); }
  const Expression &pick(const std::vector<Expression> &from) { return from[draw(0, from.size() - 1)]; }

  void addLeaves() {
    for (unsigned i = 0; i < 3; ++i) {
      SymbolFacts facts;
      int64_t low = draw(-6, 2), high = low + draw(0, 12), divisor = draw(0, 3) ? 1 : draw(2, 4);
      facts.min = low;
      facts.max = high;
      facts.divisor = divisor;
      std::vector<int64_t> values;
      for (int64_t v = low; v <= high; ++v)
        if (v % divisor == 0)
          values.push_back(v);
      // A later leaf may be bounded by what was made before, with the same rules.
      std::function<bool(const std::vector<int64_t> &)> agrees = [](const std::vector<int64_t> &) { return true; };
      if (i > 0 && draw(0, 1)) {
        const Expression &a = pick(leaves), &b = pick(leaves);
        if (std::optional<Expression> bound = combine(a, b)) {
          bool isUpper = draw(0, 1);
          (isUpper ? facts.upper : facts.lower).push_back(bound->number);
          if (draw(0, 1))
            (isUpper ? facts.max : facts.min) = std::nullopt;
          agrees = [=](const std::vector<int64_t> &leaf) {
            std::optional<int64_t> limit = bound->value(leaf);
            return limit && (isUpper ? leaf[i] <= *limit : leaf[i] >= *limit);
          };
        }
      }
      domains.push_back(values);
      conditions.push_back(agrees);
      unsigned symbol = bounds.addLeaf(facts);
      leaves.push_back({Polynomial::symbol(symbol), [i](const std::vector<int64_t> &leaf) { return leaf[i]; }});
    }
    for (int64_t constant : {draw(-3, 3), draw(1, 5), draw(2, 8)})
      leaves.push_back({Polynomial::constant(constant), [constant](const std::vector<int64_t> &) { return constant; }});
  }

  /// An expression of two; nothing where the rules give up.
  std::optional<Expression> combine(Expression a, Expression b) {
    auto make = [&](std::optional<Polynomial> number, auto op) -> std::optional<Expression> {
      if (!number)
        return std::nullopt;
      auto value = [a, b, op](const std::vector<int64_t> &leaf) -> std::optional<int64_t> {
        std::optional<int64_t> x = a.value(leaf), y = b.value(leaf);
        return x && y ? op(*x, *y) : std::nullopt;
      };
      return Expression{*number, value};
    };
    using Result = std::optional<int64_t>;
    switch (draw(0, 9)) {
    case 0:
      return make(add(a.number, b.number), [](int64_t x, int64_t y) -> Result { return x + y; });
    case 1:
      return make(subtract(a.number, b.number), [](int64_t x, int64_t y) -> Result { return x - y; });
    case 2:
      return make(multiply(a.number, b.number), [](int64_t x, int64_t y) -> Result { return x * y; });
    case 3:
      return make(bounds.minimum(a.number, b.number), [](int64_t x, int64_t y) -> Result { return std::min(x, y); });
    case 4:
      return make(bounds.maximum(a.number, b.number), [](int64_t x, int64_t y) -> Result { return std::max(x, y); });
    case 5: {
      // What is not chosen need not have a value.
      Expression chosen = draw(0, 1) ? a : b;
      return Expression{bounds.oneOf(a.number, b.number), chosen.value};
    }
    case 6:
      return make(bounds.ceilDiv(a.number, b.number),
                  [](int64_t x, int64_t y) { return y > 0 ? Result(-floorDivide(-x, y)) : Result(); });
    case 7:
      return make(bounds.floorRem(a.number, b.number),
                  [](int64_t x, int64_t y) { return y > 0 ? Result(x - y * floorDivide(x, y)) : Result(); });
    default:
      return make(bounds.floorDiv(a.number, b.number),
                  [](int64_t x, int64_t y) { return y > 0 ? Result(floorDivide(x, y)) : Result(); });
    }
  }

  /// Calls `visit` with all values of the leaves that agree with their facts.
  void forAll(const std::function<void(const std::vector<int64_t> &)> &visit) {
    std::vector<int64_t> leaf(3);
    for (int64_t x : domains[0])
      for (int64_t y : domains[1])
        for (int64_t z : domains[2]) {
          leaf = {x, y, z};
          if (conditions[0](leaf) && conditions[1](leaf) && conditions[2](leaf))
            visit(leaf);
        }
  }

  /// Claims are about values for which every division in `a` is by a positive number; others have none here.
  void check(const Expression &a) {
    int64_t divisor = bounds.divisorOf(a.number);
    bool isNonNegative = bounds.isNonNegative(a.number);
    numProofs += isNonNegative;
    forAll([&](const std::vector<int64_t> &leaf) {
      std::optional<int64_t> value = a.value(leaf);
      if (!value)
        return;
      if (isNonNegative)
        EXPECT_GE(*value, 0) << print(a.number);
      if (divisor == 0)
        EXPECT_EQ(*value, 0) << print(a.number);
      else
        EXPECT_EQ(*value % divisor, 0) << print(a.number) << " by " << divisor;
    });
  }

  void checkOrder(const Expression &a, const Expression &b) {
    if (!bounds.isAtMost(a.number, b.number))
      return;
    ++numProofs;
    forAll([&](const std::vector<int64_t> &leaf) {
      std::optional<int64_t> x = a.value(leaf), y = b.value(leaf);
      if (x && y)
        EXPECT_LE(*x, *y) << print(a.number) << " against " << print(b.number);
    });
  }

  std::string print(const Polynomial &a) {
    return bounds.print(a, [](unsigned symbol) { return "s" + std::to_string(symbol); });
  }

  std::mt19937 random;
  SymbolicBounds bounds;
  std::vector<Expression> leaves;
  std::vector<std::vector<int64_t>> domains;
  std::vector<std::function<bool(const std::vector<int64_t> &)>> conditions;
};

TEST(SymbolicBounds, ClaimsHoldForAllValues) {
  unsigned numProofs = 0;
  for (unsigned seed = 0; seed < 4000 && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomExpressions expressions(seed);
    expressions.run();
    numProofs += expressions.numProofs;
  }
  // Enough claims that the test says something.
  EXPECT_GT(numProofs, 20000u);
}

/// A number that is not negative and that `divisor` divides.
static Polynomial size(SymbolicBounds &bounds, int64_t divisor = 1) {
  SymbolFacts facts;
  facts.min = 0;
  facts.max = std::numeric_limits<int64_t>::max();
  facts.divisor = divisor;
  return Polynomial::symbol(bounds.addLeaf(facts));
}

/// A number from 0 to `last`.
static Polynomial upTo(SymbolicBounds &bounds, const Polynomial &last) {
  SymbolFacts facts;
  facts.min = 0;
  facts.upper.push_back(last);
  return Polynomial::symbol(bounds.addLeaf(facts));
}

static Polynomial times(const Polynomial &a, int64_t factor) { return *multiply(a, Polynomial::constant(factor)); }
static Polynomial plus(const Polynomial &a, int64_t summand) { return *add(a, Polynomial::constant(summand)); }

/// A variable from 0 to below `end` in steps of `step`.
static Polynomial loopVariable(SymbolicBounds &bounds, const Polynomial &end, int64_t step) {
  return times(upTo(bounds, *bounds.floorDiv(plus(end, -1), Polynomial::constant(step))), step);
}

TEST(SymbolicBounds, LoopBelowMultipleOfItsStep) {
  for (int64_t divisor : {1, 2, 32, 64, 128, 192}) {
    SymbolicBounds bounds;
    Polynomial k = size(bounds, divisor), kk = loopVariable(bounds, k, 64);
    EXPECT_EQ(bounds.isAtMost(plus(kk, 64), k), divisor % 64 == 0) << divisor;
    // The last trip starts at least the shared divisor below the end.
    EXPECT_TRUE(bounds.isAtMost(plus(kk, divisor < 64 ? divisor : 64 / (divisor % 64 ? 2 : 1)), k)) << divisor;
    EXPECT_TRUE(bounds.isNonNegative(kk));
    EXPECT_FALSE(bounds.isAtMost(plus(kk, 65), k)) << divisor;
  }
}

TEST(SymbolicBounds, LoopBelowRoundedEnd) {
  // for kk < floor(k / 64) * 64
  SymbolicBounds bounds;
  Polynomial k = size(bounds), whole = times(*bounds.floorDiv(k, Polynomial::constant(64)), 64);
  EXPECT_TRUE(bounds.isAtMost(plus(loopVariable(bounds, whole, 64), 64), k));
  Polynomial other = *subtract(k, *bounds.floorRem(k, Polynomial::constant(64)));
  EXPECT_TRUE(whole == other);
}

TEST(SymbolicBounds, ProgramBelowGrid) {
  for (int64_t divisor : {1, 64, 128, 256}) {
    SymbolicBounds bounds;
    Polynomial n = size(bounds, divisor);
    Polynomial id = upTo(bounds, plus(*bounds.ceilDiv(n, Polynomial::constant(128)), -1));
    EXPECT_EQ(bounds.isAtMost(plus(times(id, 128), 128), n), divisor % 128 == 0) << divisor;
    // An exact division leaves the last part out.
    Polynomial whole = upTo(bounds, plus(*bounds.floorDiv(n, Polynomial::constant(128)), -1));
    EXPECT_TRUE(bounds.isAtMost(plus(times(whole, 128), 128), n)) << divisor;
  }
}

TEST(SymbolicBounds, FlattenedGrid) {
  // id / tiles_n and id % tiles_n of id below tiles_m * tiles_n.
  SymbolicBounds bounds;
  Polynomial m = size(bounds, 16), n = size(bounds, 128);
  Polynomial tilesM = *bounds.ceilDiv(m, Polynomial::constant(16)), tilesN = *bounds.ceilDiv(n, Polynomial::constant(128));
  Polynomial id = upTo(bounds, plus(*multiply(tilesM, tilesN), -1));
  EXPECT_TRUE(bounds.isAtMost(plus(times(*bounds.floorDiv(id, tilesN), 16), 16), m));
  EXPECT_TRUE(bounds.isAtMost(plus(times(*bounds.floorRem(id, tilesN), 128), 128), n));
  EXPECT_TRUE(bounds.isNonNegative(*bounds.floorRem(id, tilesN)));
  EXPECT_FALSE(bounds.isAtMost(plus(times(*bounds.floorRem(id, tilesN), 128), 129), n));
}

/// A grid whose programs go in groups of `group` rows, the last of them lower, first down then right.
struct GroupedGrid {
  Polynomial row, column;
  bool isHeightPositive;

  GroupedGrid(SymbolicBounds &bounds, const Polynomial &id, const Polynomial &rows, const Polynomial &columns,
              int64_t group) {
    Polynomial perGroup = times(columns, group);
    Polynomial first = times(*bounds.floorDiv(id, perGroup), group), in = *bounds.floorRem(id, perGroup);
    Polynomial height = bounds.minimum(*subtract(rows, first), Polynomial::constant(group));
    // The translation asks before it divides.
    isHeightPositive = bounds.isNonNegative(height);
    row = *add(first, *bounds.floorRem(in, height));
    column = *bounds.floorDiv(in, height);
  }
};

TEST(SymbolicBounds, GroupedGrid) {
  for (int64_t group : {1, 3, 8})
    for (int64_t divisor : {1, 128}) {
      SymbolicBounds bounds;
      Polynomial batch = size(bounds), m = size(bounds, divisor), n = size(bounds, divisor);
      Polynomial rows = *bounds.ceilDiv(m, Polynomial::constant(128));
      Polynomial columns = *bounds.ceilDiv(n, Polynomial::constant(128)), matrix = *multiply(rows, columns);
      // Alone on its axis, and with a batch on the same one.
      Polynomial id = upTo(bounds, plus(matrix, -1)), both = upTo(bounds, plus(*multiply(batch, matrix), -1));
      EXPECT_TRUE(bounds.isAtMost(plus(*bounds.floorDiv(both, matrix), 1), batch));
      for (const Polynomial &number : {id, *bounds.floorRem(both, matrix)}) {
        GroupedGrid grid(bounds, number, rows, columns, group);
        EXPECT_TRUE(grid.isHeightPositive);
        EXPECT_TRUE(bounds.isNonNegative(grid.row));
        EXPECT_TRUE(bounds.isNonNegative(grid.column));
        EXPECT_TRUE(bounds.isAtMost(plus(grid.row, 1), rows));
        EXPECT_TRUE(bounds.isAtMost(plus(grid.column, 1), columns));
        EXPECT_FALSE(bounds.isAtMost(plus(grid.row, 2), rows));
        EXPECT_FALSE(bounds.isAtMost(plus(grid.column, 2), columns));
        EXPECT_EQ(bounds.isAtMost(plus(times(grid.row, 128), 128), m), divisor == 128);
        EXPECT_EQ(bounds.isAtMost(plus(times(grid.column, 128), 128), n), divisor == 128);
      }
    }
}

TEST(SymbolicBounds, ThreeLevels) {
  // id = (matrix * rows + row) * columns + column, taken apart from either end.
  SymbolicBounds bounds;
  Polynomial matrices = size(bounds), rows = size(bounds), columns = size(bounds);
  Polynomial id = upTo(bounds, plus(*multiply(*multiply(matrices, rows), columns), -1));
  Polynomial rest = *bounds.floorDiv(id, columns);
  EXPECT_TRUE(bounds.isAtMost(plus(*bounds.floorRem(id, columns), 1), columns));
  EXPECT_TRUE(bounds.isAtMost(plus(*bounds.floorRem(rest, rows), 1), rows));
  EXPECT_TRUE(bounds.isAtMost(plus(*bounds.floorDiv(rest, rows), 1), matrices));
  EXPECT_FALSE(bounds.isAtMost(plus(*bounds.floorDiv(rest, rows), 2), matrices));
  Polynomial within = *bounds.floorRem(id, *multiply(rows, columns));
  EXPECT_TRUE(bounds.isAtMost(plus(*bounds.floorDiv(within, columns), 1), rows));
}

TEST(SymbolicBounds, WhatIsDividedByIsPositive) {
  // 0 <= b - 1 wherever a / b has a value, and only there.
  SymbolicBounds bounds;
  Polynomial a = size(bounds), b = size(bounds), below = plus(b, -1);
  Polynomial quotient = *bounds.floorDiv(a, b);
  EXPECT_FALSE(bounds.isNonNegative(below));
  EXPECT_TRUE(bounds.isNonNegative(*add(quotient, below)));
  // A choice may leave the quotient out.
  EXPECT_FALSE(bounds.isNonNegative(*add(bounds.oneOf(quotient, a), below)));
  // A program shows that there is one; two negative numbers of programs would have a positive product.
  EXPECT_TRUE(bounds.isNonNegative(*add(upTo(bounds, below), below)));
  SymbolFacts unknown;
  Polynomial x = Polynomial::symbol(bounds.addLeaf(unknown)), y = Polynomial::symbol(bounds.addLeaf(unknown));
  Polynomial id = upTo(bounds, plus(*multiply(x, y), -1));
  EXPECT_FALSE(bounds.isNonNegative(*add(id, plus(x, -1))));
}

TEST(SymbolicBounds, PersistentLoop) {
  // for tile = id to total step programs
  SymbolicBounds bounds;
  SymbolFacts positive;
  positive.min = 1;
  Polynomial total = size(bounds), programs = Polynomial::symbol(bounds.addLeaf(positive)), id = upTo(bounds, plus(programs, -1));
  Polynomial last = *bounds.floorDiv(plus(*subtract(total, id), -1), programs);
  Polynomial tile = *add(id, *multiply(programs, upTo(bounds, last)));
  EXPECT_TRUE(bounds.isAtMost(plus(tile, 1), total));
  EXPECT_TRUE(bounds.isNonNegative(tile));
}

TEST(SymbolicBounds, MinimumAsEnd) {
  // for kk < min(k, 128 * id + 128)
  SymbolicBounds bounds;
  Polynomial k = size(bounds, 64), id = size(bounds);
  Polynomial kk = loopVariable(bounds, bounds.minimum(k, plus(times(id, 128), 128)), 64);
  EXPECT_TRUE(bounds.isAtMost(plus(kk, 64), k));
  EXPECT_FALSE(bounds.isAtMost(plus(kk, 65), k));
}

TEST(SymbolicBounds, LargeNumbersGiveUp) {
  SymbolicBounds bounds;
  Polynomial big = Polynomial::constant(Wide(1) << 62), a = size(bounds);
  std::optional<Polynomial> product = multiply(big, big);
  EXPECT_FALSE(product);
  Polynomial power = a;
  for (int i = 0; i < 7; ++i)
    power = *multiply(power, a);
  EXPECT_FALSE(multiply(power, a));
  EXPECT_FALSE(bounds.floorDiv(a, Polynomial::constant(0)));
  EXPECT_FALSE(bounds.floorDiv(a, Polynomial::constant(-4)));
}
