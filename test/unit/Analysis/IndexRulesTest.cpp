// SPDX-License-Identifier: Apache-2.0
/// \file
/// Proves each rule of the translation of index arithmetic by brute force: for all intervals of small operands, of a
/// narrow type, where results wrap around, and near the ends of 64 bits, the number that the rule makes of an op has
/// the value that the op gives, for all operands in the intervals; what is known of each symbol in it holds; and no
/// bound is proved that a run breaks. The table has a row for each op with a rule.
#include "IndexInterpreter.h"
#include "IndexTranslation.h"
#include "SymbolValues.h"

#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace tilewright;
using indextest::IndexInterpreter;
using symboltest::SymbolValues;

namespace {
/// Ops on the parameters %a and %b of type $T, %c (a condition) and %v (a view of ? x 4 elements). What is probed is %r
/// of type $T unless the text has probes. $S is the type behind the bounds of a loop.
struct Body {
  std::string text;
  /// Ops of the grid function in front of its one result, %n; empty: there is none.
  std::string grid = "";
  /// The only type to try; empty: all.
  std::string type = "";
  /// Whether the loop ends after the last iteration that has a whole step in front of the bound.
  bool isWholeLoop = false;
};

struct Row {
  std::string op;
  std::vector<Body> bodies;
};

/// What a parameter promises, and values that it has then: all of them unless the interval is too long.
struct Domain {
  int64_t min, max, divisor = 1;
  std::vector<int64_t> values;
};
} // namespace

static std::vector<Body> binary(const std::string &name, bool hasFlags = false) {
  std::vector<Body> bodies{{"%r = arith." + name + " %a, %b : $T"}};
  if (hasFlags)
    bodies.push_back({"%r = arith." + name + " %a, %b overflow<nsw> : $T"});
  return bodies;
}

/// Also in the grid function, where the launcher reports an overflow.
static std::vector<Body> binaryOnHost(const std::string &name) {
  std::vector<Body> bodies = binary(name, /*hasFlags=*/true);
  bodies.push_back({"%r = tile.num_programs x", "%n = arith." + name + " %a, %b : index", "index"});
  return bodies;
}

static std::vector<Body> selects() {
  std::vector<Body> bodies{{"%r = arith.select %c, %a, %b : $T"}};
  for (const char *predicate : {"eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"})
    for (const char *operands : {"%a, %b", "%b, %a"})
      bodies.push_back(
          {std::string("%d = arith.cmpi ") + predicate + ", %a, %b : $T\n%r = arith.select %d, " + operands + " : $T"});
  return bodies;
}

/// A cast from $T to `to` and of %c, whose one bit has no sign.
static Body cast(const std::string &name, const std::string &from, const std::string &to) {
  return {"%r = arith." + name + " %a : " + from + " to " + to + "\n\"test.probe\"(%r) : (" + to + ") -> ()", "", from};
}
static Body castOfBit(const std::string &name, const std::string &to) {
  return {"%r = arith." + name + " %c : i1 to " + to, "", to};
}

/// A loop that carries %x from %a on; `advance` makes %y of it.
static Body loop(const std::string &bounds, const std::string &advance, const std::string &kind = "",
                 bool isWhole = false) {
  return {"%one = arith.constant 1 : $T\n%two = arith.constant 2 : $T\n%three = arith.constant 3 : $T\n"
          "%r = scf.for " +
              kind + "%i = " + bounds + " iter_args(%x = %a) -> ($T)$S {\n\"test.probe\"(%i, %x) : ($T, $T) -> ()\n" +
              advance + "\nscf.yield %y : $T\n}\n\"test.probe\"(%r) : ($T) -> ()",
          "", "", isWhole};
}

static std::vector<Row> rows() {
  return {
      {"arith.constant",
       {{"%r = arith.constant -2 : $T"}, {"%r = arith.constant 0 : $T"}, {"%r = arith.constant 3 : $T"}}},
      {"arith.addi", binaryOnHost("addi")},
      {"arith.subi", binaryOnHost("subi")},
      {"arith.muli", binaryOnHost("muli")},
      {"arith.shli", binary("shli", true)},
      {"arith.divsi", binary("divsi")},
      {"arith.divui", binary("divui")},
      {"arith.floordivsi", binary("floordivsi")},
      {"arith.ceildivsi", binary("ceildivsi")},
      {"arith.ceildivui", binary("ceildivui")},
      {"arith.remsi", binary("remsi")},
      {"arith.remui", binary("remui")},
      {"arith.shrsi", binary("shrsi")},
      {"arith.shrui", binary("shrui")},
      {"arith.andi", binary("andi")},
      {"arith.minsi", binary("minsi")},
      {"arith.maxsi", binary("maxsi")},
      {"arith.minui", binary("minui")},
      {"arith.maxui", binary("maxui")},
      {"arith.select", selects()},
      {"arith.index_cast",
       {cast("index_cast", "i3", "index"), cast("index_cast", "index", "i3"), castOfBit("index_cast", "index")}},
      {"arith.index_castui",
       {cast("index_castui", "i3", "index"), cast("index_castui", "index", "i3"), castOfBit("index_castui", "index")}},
      {"arith.extsi", {cast("extsi", "i3", "i5"), castOfBit("extsi", "i3")}},
      {"arith.extui", {cast("extui", "i3", "i5"), castOfBit("extui", "i3")}},
      {"arith.trunci", {cast("trunci", "i3", "i2"), cast("trunci", "i64", "i3"), cast("trunci", "i3", "i1")}},
      {"tile.assume",
       {{"%r = tile.assume %a min -1 : $T"},
        {"%r = tile.assume %a max 1 : $T"},
        {"%r = tile.assume %a div_by 2 : $T"},
        // Of a symbol with a number: bounds move with it, a divisor does not.
        {"%one = arith.constant 1 : $T\n%x = arith.addi %a, %one overflow<nsw> : $T\n%r = tile.assume %x min 1 max 2 : "
         "$T"},
        {"%one = arith.constant 1 : $T\n%x = arith.addi %a, %one overflow<nsw> : $T\n%r = tile.assume %x div_by 2 : "
         "$T"},
        {"%x = arith.addi %a, %b overflow<nsw> : $T\n%r = tile.assume %x div_by 2 min 1 max 2 : $T"}}},
      {"tile.view_size",
       {{"%r = tile.view_size %v, 0 : !v", "", "index"},
        {"%r = tile.view_size %v, 1 : !v", "", "index"},
        {"%t = tile.permute_view %v [1, 0] : !v to !t\n%r = tile.view_size %t, 1 : !t", "", "index"},
        {"%p = tile.view_base %v : !v -> !tile.ptr<f16>\n%m = tile.make_view %p, sizes [%a, %b] strides [%b] : !m\n"
         "%t = tile.permute_view %m [1, 0] : !m to !n\n%r = tile.view_size %t, 0 : !n",
         "", "index"}}},
      {"tile.num_programs",
       {{"%r = tile.num_programs x", "", "index"},
        {"%r = tile.num_programs y", "%n = arith.constant 2 : index", "index"},
        {"%r = tile.num_programs x", "%n = arith.ceildivsi %a, %b : index", "index"}}},
      {"tile.program_id",
       {{"%r = tile.program_id x", "", "index"},
        {"%r = tile.program_id x", "%n = arith.addi %a, %b : index", "index"},
        {"%r = tile.program_id x", "%n = arith.muli %a, %b : index", "index"},
        {"%r = tile.program_id x", "%n = arith.minsi %a, %b : index", "index"},
        {"%r = tile.program_id x", "%n = arith.divsi %a, %b : index", "index"}}},
      {"scf.if", {{"%r = scf.if %c -> ($T) {\nscf.yield %a : $T\n} else {\nscf.yield %b : $T\n}"}}},
      {"scf.for",
       {loop("%a to %b step %one", "%y = arith.addi %x, %two overflow<nsw> : $T"),
        loop("%a to %b step %two", "%y = arith.addi %x, %one : $T"),
        loop("%a to %b step %three", "%y = arith.subi %x, %one : $T"),
        loop("%one to %b step %two", "%y = arith.addi %b, %x : $T"),
        loop("%a to %three step %b", "%y = arith.addi %x, %a : $T"),
        loop("%a to %b step %two", "%z = arith.addi %x, %three : $T\n%y = arith.subi %z, %two : $T"),
        loop("%a to %b step %two", "%y = arith.muli %x, %two : $T"),
        loop("%a to %b step %two", "%y = arith.subi %three, %x : $T"),
        loop("%a to %b step %two", "%y = arith.addi %x, %i : $T"),
        loop("%a to %b step %two", "%y = arith.addi %x, %one : $T", "unsigned "),
        loop("%a to %b step %two", "%y = arith.addi %x, %one : $T", "", /*isWhole=*/true),
        loop("%a to %three step %b", "%y = arith.addi %x, %one : $T", "", /*isWhole=*/true)}},
  };
}

static std::vector<Domain> domainsOf(const std::string &type) {
  bool isNarrow = type == "i3";
  std::vector<Domain> domains;
  auto add = [&](int64_t min, int64_t max, int64_t divisor) {
    Domain domain{min, max, divisor, {}};
    for (int64_t v = min; v <= max; ++v)
      if (v % divisor == 0)
        domain.values.push_back(v);
    domains.push_back(domain);
  };
  const std::vector<int64_t> ends =
      isNarrow ? std::vector<int64_t>{-4, -1, 0, 1, 3} : std::vector<int64_t>{-2, 0, 1, 3};
  for (int64_t min : ends)
    for (int64_t max : ends)
      if (min <= max)
        add(min, max, 1);
  add(2, 2, 1);
  add(-4, 3, 2);
  add(0, 3, 3);
  if (isNarrow)
    return domains;
  add(0, 8, 4);
  constexpr int64_t least = std::numeric_limits<int64_t>::min(), most = std::numeric_limits<int64_t>::max();
  domains.push_back({least, least + 1, 1, {least, least + 1}});
  domains.push_back({most - 1, most, 1, {most - 1, most}});
  domains.push_back({least, most, 1, {least, least + 1, -1, 0, 1, 2, most - 1, most}});
  domains.push_back({0, most, 2, {0, 2, 4, most - 1}});
  return domains;
}

static std::string replaceAll(std::string text, const std::string &from, const std::string &to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

static std::string moduleOf(const Body &body, const std::string &type) {
  std::string parameters = "(%a: $T, %b: $T, %c: i1, %v: !v)";
  std::string text = "!v = !tile.view<?x4xf16, strides = [4, 1]>\n!t = !tile.view<4x?xf16, strides = [1, 4]>\n"
                     "!m = !tile.view<?x?xf16, strides = [?, 1]>\n!n = !tile.view<?x?xf16, strides = [1, ?]>\n"
                     "func.func @k" +
                     parameters + " {\n" + body.text + "\n";
  if (body.text.find("test.probe") == std::string::npos)
    text += "\"test.probe\"(%r) : ($T) -> ()\n";
  text += "return\n}\n";
  if (!body.grid.empty())
    text += "func.func @g" + parameters + " -> index {\n" + body.grid + "\nreturn %n : index\n}\n";
  text = replaceAll(text, "$S", type == "index" ? "" : " : " + type);
  return replaceAll(text, "$T", type);
}

namespace {
/// One body with one promise for each parameter.
class Proof {
public:
  Proof(const Body &body, func::FuncOp kernel, func::FuncOp grid)
      : body(body), kernel(kernel), grid(grid), alignment(kernel) {
    SmallVector<tile::AssumeOp> assumes(kernel.getOps<tile::AssumeOp>());
    ExtraFacts facts;
    if (body.isWholeLoop)
      kernel.walk([&](scf::ForOp loop) { facts.wholeLoops.push_back(loop); });
    translation.emplace(kernel, grid, alignment, facts, assumes);
    kernel.walk([&](Operation *op) {
      if (op->getName().getStringRef() == "test.probe")
        for (Value operand : op->getOperands())
          numbers[operand] = translation->translate(operand);
    });
    device.probe = [this](Operation *op) {
      for (Value operand : op->getOperands())
        check(operand, op);
    };
    host.probe = [](Operation *) {};
    host.reportsOverflow = true;
  }

  /// Runs all programs for these arguments.
  void run(int64_t a, int64_t b, bool c, int64_t size) {
    device.scalars[0] = a;
    device.scalars[1] = b;
    device.scalars[2] = c ? -1 : 0;
    device.sizes[{3, 0}] = size;
    device.sizes[{3, 1}] = 4;
    device.programs[0] = 3;
    if (grid) {
      host.scalars = device.scalars;
      host.sizes = device.sizes;
      if (!host.run(grid) || !host.results[0] || *host.results[0] < 1)
        return;
      device.programs[0] = *host.results[0];
      if (device.programs[0] > std::numeric_limits<int32_t>::max())
        return;
    }
    int64_t count = device.programs[0];
    // Of many the first and the last.
    for (int64_t id : {int64_t(0), int64_t(1), count - 1})
      if (id < count) {
        device.id[0] = id;
        device.run(kernel);
      }
  }

  /// No bound may be proved that a run has broken.
  void checkBounds() {
    for (auto &[value, range] : seen) {
      const Polynomial &number = numbers[value];
      EXPECT_FALSE(translation->bounds.isAtMost(Polynomial::constant(Wide(range.first) + 1), number)) << print(number);
      EXPECT_FALSE(translation->bounds.isAtMost(number, Polynomial::constant(Wide(range.second) - 1))) << print(number);
    }
  }

  unsigned numTranslated = 0;

private:
  void check(Value value, Operation *at) {
    std::optional<int64_t> actual = device.valueOf(value);
    if (!actual) // Poison is any number.
      return;
    if (body.isWholeLoop && isBehindLastWholeStep(at))
      return;
    const Polynomial &number = numbers[value];
    std::optional<unsigned> symbol = number.asSymbol();
    numTranslated += !(symbol && translation->valueOf(*symbol) == value);
    SymbolValues values(translation->bounds, [&](unsigned leaf) { return valueOf(leaf); });
    EXPECT_TRUE(values.of(number).count(*actual)) << print(number) << " should be " << *actual;
    EXPECT_EQ(values.findBrokenFact(number), "") << print(number) << " is " << *actual;
    auto [found, isNew] = seen.try_emplace(value, *actual, *actual);
    found->second = {std::min(found->second.first, *actual), std::max(found->second.second, *actual)};
  }

  /// Whether `at` would not be run, or with other numbers, if the loop ended after the last whole step.
  bool isBehindLastWholeStep(Operation *at) {
    scf::ForOp loop = *kernel.getOps<scf::ForOp>().begin();
    Wide lower = *device.valueOf(loop.getLowerBound()), upper = *device.valueOf(loop.getUpperBound()),
         step = *device.valueOf(loop.getStep());
    if (at->getParentOp() != loop)
      return lower < upper && (upper - lower) % step != 0;
    return *device.valueOf(loop.getInductionVar()) + step > upper;
  }

  std::optional<Wide> valueOf(unsigned leaf) {
    if (std::optional<HostNumber> number = translation->hostNumberOf(leaf))
      return number->dim < 0 ? device.scalars.lookup(number->argument)
                             : device.sizes.lookup({number->argument, number->dim});
    if (Value value = translation->valueOf(leaf))
      return grid && grid->isAncestor(value.getParentRegion()->getParentOp()) ? host.valueOf(value)
                                                                              : device.valueOf(value);
    if (scf::ForOp loop = translation->loopOf(leaf)) {
      std::optional<int64_t> here = device.valueOf(loop.getInductionVar());
      if (!here)
        return std::nullopt;
      return (Wide(*here) - *device.valueOf(loop.getLowerBound())) / *device.valueOf(loop.getStep());
    }
    return translation->nameOf(leaf) == "programs" ? device.programs[0] : device.id[0];
  }

  std::string print(const Polynomial &number) {
    std::string text = translation->bounds.print(number, [&](unsigned leaf) { return translation->nameOf(leaf); });
    for (auto [argument, value] : device.scalars)
      text += ", argument " + std::to_string(argument) + " = " + std::to_string(value);
    return text;
  }

  const Body &body;
  func::FuncOp kernel, grid;
  AlignmentAnalysis alignment;
  std::optional<IndexTranslation> translation;
  llvm::DenseMap<Value, Polynomial> numbers;
  llvm::MapVector<Value, std::pair<int64_t, int64_t>> seen;
  IndexInterpreter host, device;
};

class IndexRules : public testing::Test {
protected:
  IndexRules() {
    context.allowUnregisteredDialects();
    context.loadDialect<arith::ArithDialect, func::FuncDialect, scf::SCFDialect, tile::TileDialect>();
  }

  /// How many values of runs the rule has translated.
  unsigned prove(const Body &body, const std::string &type) {
    std::string text = moduleOf(body, type);
    SCOPED_TRACE(text);
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
    if (!module) {
      ADD_FAILURE() << "not a program";
      return 0;
    }
    auto kernel = module->lookupSymbol<func::FuncOp>("k"), grid = module->lookupSymbol<func::FuncOp>("g");
    auto uses = [&](const char *name) { return (body.text + body.grid).find(name) != std::string::npos; };
    std::vector<Domain> unused{{0, 0, 1, {0}}};
    unsigned numTranslated = 0;
    for (const Domain &a : uses("%a") ? domainsOf(type) : unused)
      for (const Domain &b : uses("%b") ? domainsOf(type) : unused) {
        promise(kernel, 0, a);
        promise(kernel, 1, b);
        Proof proof(body, kernel, grid);
        for (int64_t x : a.values)
          for (int64_t y : b.values)
            for (int c = 0; c < (uses("%c") ? 2 : 1); ++c)
              for (int64_t size = 0; size < (uses("%v") ? 4 : 1); ++size)
                proof.run(x, y, c, size);
        proof.checkBounds();
        numTranslated += proof.numTranslated;
        if (testing::Test::HasFailure())
          return numTranslated;
      }
    return numTranslated;
  }

  void promise(func::FuncOp kernel, unsigned argument, const Domain &domain) {
    Builder builder(&context);
    kernel.setArgAttr(argument, "tile.min", builder.getI64IntegerAttr(domain.min));
    kernel.setArgAttr(argument, "tile.max", builder.getI64IntegerAttr(domain.max));
    kernel.setArgAttr(argument, "tile.div_by", builder.getI64IntegerAttr(domain.divisor));
  }

  MLIRContext context;
};
} // namespace

// A new rule needs a row.
TEST_F(IndexRules, TableIsComplete) {
  std::set<std::string> inTable, withRules;
  for (const Row &row : rows())
    EXPECT_TRUE(inTable.insert(row.op).second) << row.op << " has two rows";
  for (StringRef name : IndexTranslation::opsWithRules())
    EXPECT_TRUE(withRules.insert(name.str()).second) << name.str() << " has two rules";
  EXPECT_EQ(inTable, withRules);
}

TEST_F(IndexRules, NumbersHaveTheValuesOfRuns) {
  for (const Row &row : rows()) {
    SCOPED_TRACE(row.op);
    unsigned numTranslated = 0;
    for (const Body &body : row.bodies)
      for (const char *type : {"i3", "i64", "index"}) {
        bool isTried = body.type.empty() ? std::string(type) != "i64" : body.type == type;
        if (isTried && !HasFailure())
          numTranslated += prove(body, type);
      }
    // A rule that never applies would prove anything.
    EXPECT_GT(numTranslated, 0u);
  }
}
