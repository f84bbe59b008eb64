// SPDX-License-Identifier: Apache-2.0
/// \file
/// Claims about random programs of index arithmetic, with narrow integers that wrap around, against all their runs:
/// first the programs are run for all sizes, parameters and programs of the grid; then no claim may be stronger than
/// what was seen.
#include "IndexInterpreter.h"
#include "tilewright/Analysis/InBounds.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Parser/Parser.h"

#include "gtest/gtest.h"

#include <random>

using namespace mlir;
using namespace tilewright;
using indextest::IndexInterpreter;

namespace {
struct Range {
  int64_t min = 0, max = 0, divisor = 1;
  SmallVector<int64_t> values() const {
    SmallVector<int64_t> all;
    for (int64_t v = min; v <= max; ++v)
      if (v % divisor == 0)
        all.push_back(v);
    return all;
  }
};

/// A random program as text. Arguments are two views with one size each, a narrow number and an index.
class Generator {
public:
  explicit Generator(unsigned seed) : random(seed) {}

  Range sizes[2], scalars[2];
  bool areSizesEqual = false;

  std::string run() {
    narrow = pick({"i5", "i6", "i8", "i32"});
    parameter = narrow == "i32" ? "i32" : "i8";
    for (Range &size : sizes)
      size = {0, draw(3, 6), draw(0, 2) ? 1 : 2};
    // Near the ends of 32 bits too, where the narrow number is that.
    int64_t low = narrow == "i32" ? pickNumber({-3, 0, 0, 2147483640, -2147483648}) : draw(-6, 3);
    scalars[0] = {low, low + draw(0, 4), 1};
    low = draw(-2, 2);
    scalars[1] = {low, low + draw(0, 3), draw(0, 2) ? 1 : 2};
    areSizesEqual = draw(0, 3) == 0;
    std::string arguments = "%v: !v {tile.name = \"v\"}, %w: !v {tile.name = \"w\"}, %p: " + parameter +
                            " {tile.name = \"p\"" + attributes(scalars[0]) + "}, %q: index {tile.name = \"q\"" +
                            attributes(scalars[1]) + "}";
    text = "!v = !tile.view<?xf16, strides = [1]>\nfunc.func @k(" + arguments +
           ") attributes {tile.kernel, tile.grid = @g} {\n";
    openScope();
    body(14, 0);
    text += "  return\n}\nfunc.func @g(%v: !v, %w: !v, %p: " + parameter + ", %q: index) -> index {\n";
    scopes.clear();
    openScope();
    isGrid = true;
    // Often a number of tiles in two directions.
    std::string count;
    if (draw(0, 2)) {
      std::string rows = tilesOf(0), columns = tilesOf(1);
      count = op("index", "muli", rows, columns);
    } else {
      for (int i = 0; i < 4; ++i)
        arithmetic("index");
      count = any("index");
    }
    text += "  return " + count + " : index\n}\n";
    return text;
  }

private:
  struct Scope {
    std::map<std::string, std::vector<std::string>> names;
  };

  int64_t draw(int64_t low, int64_t high) { return std::uniform_int_distribution<int64_t>(low, high)(random); }
  std::string pick(std::vector<std::string> from) { return from[draw(0, from.size() - 1)]; }
  int64_t pickNumber(std::vector<int64_t> from) { return from[draw(0, from.size() - 1)]; }
  static std::string attributes(const Range &range) {
    return ", tile.min = " + std::to_string(range.min) + " : i64, tile.max = " + std::to_string(range.max) +
           " : i64, tile.div_by = " + std::to_string(range.divisor) + " : i64";
  }
  std::string fresh() { return "%t" + std::to_string(number++); }
  std::string add(const std::string &type, const std::string &line) {
    std::string name = fresh();
    text += "  " + name + " = " + line + "\n";
    scopes.back().names[type].push_back(name);
    return name;
  }
  std::string any(const std::string &type) {
    // The latest more often than others.
    const auto &from = scopes.back().names[type];
    return draw(0, 1) ? from[draw(std::max<int64_t>(0, int64_t(from.size()) - 5), from.size() - 1)]
                      : from[draw(0, from.size() - 1)];
  }
  std::string constant(const std::string &type, int64_t value) {
    return add(type, "arith.constant " + std::to_string(value) + " : " + type);
  }
  std::string op(const std::string &type, const std::string &name, const std::string &a, const std::string &b) {
    bool mayHaveFlag = name == "addi" || name == "subi" || name == "muli";
    return add(type, "arith." + name + " " + a + ", " + b + (mayHaveFlag && draw(0, 2) == 0 ? " overflow<nsw>" : "") +
                         " : " + type);
  }

  void openScope() {
    scopes.push_back(scopes.empty() ? Scope() : scopes.back());
    if (scopes.size() > 1)
      return;
    scopes.back().names["index"].push_back("%q");
    for (const char *view : {"%v", "%w"})
      add("index", std::string("tile.view_size ") + view + ", 0 : !v");
    if (parameter == narrow)
      scopes.back().names[narrow].push_back("%p");
    else
      add(narrow, "arith.trunci %p : " + parameter + " to " + narrow);
    for (int64_t value : {int64_t(0), int64_t(1), draw(2, 5)}) {
      constant("index", value);
      constant(narrow, value);
    }
  }

  std::string tilesOf(int view) {
    // The first names are %q and the two sizes.
    std::string size = scopes.back().names["index"][1 + view], extent = constant("index", tile[view]);
    return op("index", pick({"ceildivsi", "ceildivsi", "divsi"}), size, extent);
  }

  void arithmetic(const std::string &type) {
    std::string other = type == "index" ? narrow : "index";
    switch (draw(0, 9)) {
    case 0:
      add(type, std::string("arith.") + pick({"index_cast", "index_cast", "index_castui"}) + " " + any(other) + " : " +
                    other + " to " + type);
      return;
    case 1: {
      std::string condition = add("i1", "arith.cmpi " + pick({"slt", "sle", "sgt", "sge", "ult", "ne"}) + ", " +
                                            any(type) + ", " + any(type) + " : " + type);
      std::string a = any(type), b = any(type);
      add(type, "arith.select " + condition + ", " + a + ", " + b + " : " + type);
      return;
    }
    case 2:
      op(type, pick({"shli", "shrsi", "shrui"}), any(type), constant(type, draw(0, 3)));
      return;
    case 3:
      op(type, "andi", any(type), constant(type, pickNumber({1, 3, 7, 6, -1})));
      return;
    case 4:
      op(type, pick({"divsi", "remsi", "floordivsi", "ceildivsi", "divui", "remui", "ceildivui"}), any(type),
         draw(0, 1) ? any(type) : constant(type, draw(1, 5)));
      return;
    case 5: {
      // To more bits and back.
      if (type == "index")
        return;
      std::string wide = fresh();
      text += "  " + wide + " = arith." + pick({"extsi", "extui"}) + " " + any(type) + " : " + type + " to i40\n";
      std::string next = fresh();
      text += "  " + next + " = arith." + pick({"addi", "muli"}) + " " + wide + ", " + wide + " : i40\n";
      add(type, "arith.trunci " + next + " : i40 to " + type);
      return;
    }
    default:
      op(type, pick({"addi", "addi", "subi", "muli", "minsi", "maxsi", "minui", "maxui", "divsi", "remsi"}), any(type),
         any(type));
    }
  }

  /// Rows and columns of a program, perhaps in groups, as kernels take them from one axis.
  void place() {
    std::string id = add("index", "tile.program_id x"), columns = tilesOf(1);
    if (draw(0, 1)) {
      op("index", "divsi", id, columns);
      op("index", "remsi", id, columns);
      return;
    }
    std::string rows = tilesOf(0), group = constant("index", draw(1, 3));
    std::string perGroup = op("index", "muli", columns, group), number = op("index", "divsi", id, perGroup);
    std::string first = op("index", "muli", number, group), in = op("index", "remsi", id, perGroup);
    std::string height = op("index", "minsi", op("index", "subi", rows, first), group);
    op("index", "addi", first, op("index", "remsi", in, height));
    op("index", "divsi", in, height);
  }

  void access() {
    int view = draw(0, 1);
    int64_t extent = pickNumber({1, 1, 2, tile[view]});
    std::string offset = any("index");
    if (draw(0, 1))
      offset = op("index", "muli", offset, constant("index", tile[view]));
    text += "  %x" + fresh().substr(1) + " = tile.load " + (view ? "%w" : "%v") + "[" + offset + "] : !v -> tensor<" +
            std::to_string(extent) + "xf16>\n";
  }

  void probe() {
    std::string type = draw(0, 2) ? "index" : narrow;
    text += "  \"test.probe\"(" + any(type) + ", " + any(type) + ", " + any(type) + ") : (" + type + ", " + type +
            ", " + type + ") -> ()\n";
  }

  void loop(int depth) {
    std::string type = draw(0, 2) ? "index" : narrow, carriedType = draw(0, 2) ? "index" : narrow;
    std::string step = draw(0, 3) ? constant(type, draw(1, 3)) : any(type);
    std::string lower = any(type), upper = any(type), init = any(carriedType), addend = any(carriedType);
    std::string result = fresh(), variable = fresh(), carried = fresh();
    text += "  " + result + " = scf.for " + (draw(0, 5) ? "" : "unsigned ") + variable + " = " + lower + " to " +
            upper + " step " + step + " iter_args(" + carried + " = " + init + ") -> (" + carriedType + ")" +
            (type == "index" ? "" : " : " + type) + " {\n";
    scopes.push_back(scopes.back());
    scopes.back().names[type].push_back(variable);
    scopes.back().names[carriedType].push_back(carried);
    body(4, depth + 1);
    // Mostly advanced by a number that does not change.
    std::string next = carried;
    for (int i = draw(0, 2); i > 0; --i)
      next = op(carriedType, pick({"addi", "addi", "subi"}), next,
                draw(0, 3) ? (draw(0, 1) ? addend : constant(carriedType, draw(-2, 3))) : any(carriedType));
    text += "  scf.yield " + next + " : " + carriedType + "\n  }\n";
    scopes.pop_back();
    scopes.back().names[carriedType].push_back(result);
  }

  void whileLoop(int depth) {
    std::string init = any("index"), limit = any("index"), result = fresh(), before = fresh(), after = fresh();
    text += "  " + result + " = scf.while (" + before + " = " + init + ") : (index) -> index {\n";
    std::string condition = fresh();
    text += "  " + condition + " = arith.cmpi slt, " + before + ", " + limit + " : index\n  scf.condition(" +
            condition + ") " + before + " : index\n  } do {\n  ^bb0(" + after + ": index):\n";
    scopes.push_back(scopes.back());
    scopes.back().names["index"].push_back(after);
    body(3, depth + 1);
    std::string next = op("index", "addi", after, constant("index", draw(1, 3)));
    text += "  scf.yield " + next + " : index\n  }\n";
    scopes.pop_back();
    scopes.back().names["index"].push_back(result);
  }

  void branch(int depth) {
    std::string condition = add("i1", "arith.cmpi sgt, " + any("index") + ", " + any("index") + " : index");
    std::string result = fresh();
    text += "  " + result + " = scf.if " + condition + " -> (index) {\n";
    for (int side = 0; side < 2; ++side) {
      scopes.push_back(scopes.back());
      body(3, depth + 1);
      text += "  scf.yield " + any("index") + " : index\n  }" + (side ? "\n" : " else {\n");
      scopes.pop_back();
    }
    scopes.back().names["index"].push_back(result);
  }

  void body(int length, int depth) {
    if (depth == 0 && draw(0, 2))
      place();
    for (int i = 0; i < length; ++i) {
      int64_t kind = draw(0, 15);
      if (kind < 2 && depth < 2)
        loop(depth);
      else if (kind == 2 && depth < 2)
        branch(depth);
      else if (kind == 3 && depth < 2 && !draw(0, 2))
        whileLoop(depth);
      else if (kind == 4)
        add("index", pick({"tile.program_id x", "tile.num_programs x"}));
      else if (kind == 5)
        add("index",
            "tile.assume " + any("index") + pick({" min 0", " div_by 2", " max 6", " min 1 max 9"}) + " : index");
      else if (kind < 8)
        access();
      else
        arithmetic(draw(0, 2) ? "index" : narrow);
    }
    probe();
    access();
  }

  std::mt19937 random;
  std::string narrow, parameter, text;
  std::vector<Scope> scopes;
  int number = 0;
  int64_t tile[2] = {2, 3};
  bool isGrid = false;
};

/// What was seen of the operands of a probe, and whether an access stayed inside.
struct Seen {
  bool isRun = false, isInside = true;
  SmallVector<std::pair<int64_t, int64_t>> ranges;
  /// isAbove[i][j]: operand i was above operand j once. Poison is never compared.
  bool isAbove[3][3] = {};
};

struct Counts {
  unsigned proofs = 0, probes = 0, runs = 0;
};
} // namespace

/// Runs all of the program and fills in what its probes saw.
static void runAll(func::FuncOp kernel, func::FuncOp grid, const Generator &program, const ExtraFacts &facts,
                   llvm::MapVector<Operation *, Seen> &seen, Counts &counts) {
  IndexInterpreter host, device;
  host.probe = [](Operation *) {};
  device.probe = [&](Operation *op) {
    Seen &here = seen[op];
    if (auto access = ViewAccess::of(op)) {
      std::optional<int64_t> offset = device.valueOf(access->offsets[0]);
      int64_t size = device.sizes.lookup({cast<BlockArgument>(access->view).getArgNumber(), 0});
      here.isRun = true;
      here.isInside &= !offset || (*offset >= 0 && *offset + access->extents[0] <= size);
      return;
    }
    here.ranges.resize(op->getNumOperands(), {INT64_MAX, INT64_MIN});
    for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
      std::optional<int64_t> value = device.valueOf(operand);
      if (!value)
        continue;
      here.isRun = true;
      here.ranges[i] = {std::min(here.ranges[i].first, *value), std::max(here.ranges[i].second, *value)};
      for (auto [j, other] : llvm::enumerate(op->getOperands()))
        if (std::optional<int64_t> second = device.valueOf(other))
          here.isAbove[i][j] |= *value > *second;
    }
  };
  auto agrees = [&](HostNumber number, int64_t value) {
    return llvm::all_of(facts.divisors, [&](const ExtraFacts::Divisor &fact) {
      return !(fact.number == number) || value % fact.divisor == 0;
    });
  };
  for (int64_t v : program.sizes[0].values())
    for (int64_t w : program.sizes[1].values()) {
      if (!agrees({0, 0}, v) || !agrees({1, 0}, w) || (!facts.equal.empty() && v != w))
        continue;
      for (int64_t p : program.scalars[0].values())
        for (int64_t q : program.scalars[1].values()) {
          if (!agrees({2, -1}, p) || !agrees({3, -1}, q))
            continue;
          host.scalars[2] = p;
          host.scalars[3] = q;
          host.sizes[{0, 0}] = v;
          host.sizes[{1, 0}] = w;
          if (!host.run(grid) || !host.results[0] || *host.results[0] < 1)
            continue;
          device.scalars = host.scalars;
          device.sizes = host.sizes;
          device.programs[0] = *host.results[0];
          // Of many programs the first and the last.
          int64_t count = device.programs[0];
          for (int64_t id = 0; id < count && count <= INT32_MAX; id += count > 24 && id == 11 ? count - 23 : 1) {
            device.id[0] = id;
            device.run(kernel);
            ++counts.runs;
          }
        }
    }
}

/// Checks the claims about one program.
static void check(unsigned seed, Counts &counts) {
  Generator program(seed);
  std::string text = program.run();
  SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + text);
  MLIRContext context;
  context.allowUnregisteredDialects();
  context.loadDialect<arith::ArithDialect, func::FuncDialect, scf::SCFDialect, tile::TileDialect>();
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
  ASSERT_TRUE(module);
  auto kernel = module->lookupSymbol<func::FuncOp>("k"), grid = module->lookupSymbol<func::FuncOp>("g");
  ExtraFacts facts;
  for (auto [view, size] : llvm::enumerate(program.sizes))
    if (size.divisor != 1)
      facts.divisors.push_back({{static_cast<unsigned>(view), 0}, size.divisor});
  if (program.areSizesEqual)
    facts.equal.push_back({{0, 0}, {1, 0}});

  llvm::MapVector<Operation *, Seen> seen;
  runAll(kernel, grid, program, facts, seen, counts);
  AlignmentAnalysis alignment(kernel);
  InBoundsAnalysis analysis(kernel, grid, alignment, facts);
  for (auto &[op, here] : seen) {
    if (!here.isRun)
      continue;
    ++counts.probes;
    if (auto access = ViewAccess::of(op)) {
      bool isProved = analysis.isInBounds(*access, 0);
      counts.proofs += isProved;
      EXPECT_TRUE(here.isInside || !isProved) << "access " << analysis.describe(*access, 0);
      continue;
    }
    std::string where;
    llvm::raw_string_ostream(where) << *op;
    SCOPED_TRACE(where);
    for (auto [i, range] : llvm::enumerate(here.ranges)) {
      auto [low, high] = range;
      if (low > high)
        continue;
      Value value = op->getOperand(i);
      counts.proofs += analysis.isWithin(value, low, high, op);
      EXPECT_FALSE(low < INT64_MAX && low < high && analysis.isWithin(value, low + 1, high, op)) << "operand " << i;
      EXPECT_FALSE(low < high && analysis.isWithin(value, low, high - 1, op)) << "operand " << i;
      // The empty range above and the one below.
      EXPECT_FALSE(high < INT64_MAX && analysis.isWithin(value, high + 1, INT64_MAX, op)) << "operand " << i;
      EXPECT_FALSE(low > INT64_MIN && analysis.isWithin(value, INT64_MIN, low - 1, op)) << "operand " << i;
      for (unsigned j = 0; j < op->getNumOperands(); ++j) {
        bool isProved = analysis.isAtMost(value, op->getOperand(j), op);
        counts.proofs += isProved && value != op->getOperand(j);
        EXPECT_FALSE(isProved && here.isAbove[i][j]) << "operands " << i << " and " << j;
      }
      int64_t divisor = alignment.getAlignment(value).divisor();
      EXPECT_TRUE(divisor == 0 ? low == 0 && high == 0 : low % divisor == 0 && high % divisor == 0)
          << "operand " << i << " and divisor " << divisor;
    }
  }
}

TEST(IndexTranslation, ClaimsHoldForAllRuns) {
  Counts counts;
  for (unsigned seed = 0; seed < 800 && !::testing::Test::HasFailure(); ++seed)
    check(seed, counts);
  // Enough claims that the test says something.
  EXPECT_GT(counts.proofs, 2000u);
  EXPECT_GT(counts.runs, 50000u);
  std::printf("%u proofs at %u probes in %u runs\n", counts.proofs, counts.probes, counts.runs);
}
