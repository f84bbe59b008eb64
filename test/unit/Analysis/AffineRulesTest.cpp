// SPDX-License-Identifier: Apache-2.0
/// \file
/// Proves each rule for affine forms of tiles by brute force: for small operands, and such near the ends of their type,
/// the form gives each element of the tile that the op makes. Ranges and alignment facts of the same tiles are checked
/// with it. The table has a row for each op with a rule.
#include "tilewright/Analysis/AffineTiles.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

#include <set>

using namespace mlir;
using namespace tilewright;

namespace {
/// Elements in row-major order, sign-extended; one for a scalar. Pointers count elements from the parameter.
using Elements = std::vector<int64_t>;

/// Runs the ops of the test by their definitions. A tile with poison in it has no value.
class TileRunner {
public:
  llvm::DenseMap<Value, std::optional<Elements>> values;
  std::function<void(Operation *)> probe;

  /// False where the program divides by 0, has a step below 1 or runs too long.
  bool runBlock(Block &block);

private:
  bool runOp(Operation &op);
  std::optional<Elements> compute(Operation &op);
};

struct Row {
  std::string op;
  /// Ops on the scalars %s and %t of type $T and the pointer %p that make %r, after some tiles.
  std::vector<std::string> bodies;
  /// The only type to try; empty: all.
  std::string type = "";
};
} // namespace

static unsigned widthOf(Value value) {
  Type element = getElementTypeOrSelf(value.getType());
  return element.isInteger() ? element.getIntOrFloatBitWidth() : 64;
}
static SmallVector<int64_t> shapeOf(Value value) {
  auto tile = dyn_cast<RankedTensorType>(value.getType());
  return tile ? llvm::to_vector(tile.getShape()) : SmallVector<int64_t>();
}
static int64_t countOf(Value value) {
  int64_t count = 1;
  for (int64_t extent : shapeOf(value))
    count *= extent;
  return count;
}
/// The index along each dimension of element `number`.
static SmallVector<int64_t> indexOf(int64_t number, ArrayRef<int64_t> shape) {
  SmallVector<int64_t> index(shape.size());
  for (size_t d = shape.size(); d-- > 0; number /= shape[d])
    index[d] = number % shape[d];
  return index;
}
static int64_t numberOf(ArrayRef<int64_t> index, ArrayRef<int64_t> shape) {
  int64_t number = 0;
  for (size_t d = 0; d < shape.size(); ++d)
    number = number * shape[d] + index[d];
  return number;
}
static Wide modulo(Wide value, unsigned width) {
  Wide modulus = Wide(1) << width;
  return ((value % modulus) + modulus) % modulus;
}
static int64_t readSigned(Wide value, unsigned width) {
  Wide low = modulo(value, width);
  return static_cast<int64_t>(low >= Wide(1) << (width - 1) ? low - (Wide(1) << width) : low);
}

bool TileRunner::runBlock(Block &block) {
  for (Operation &op : block.without_terminator())
    if (!runOp(op))
      return false;
  return true;
}

bool TileRunner::runOp(Operation &op) {
  if (op.getName().getStringRef() == "test.probe") {
    probe(&op);
    return true;
  }
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    int64_t lower = values[loop.getLowerBound()]->front(), upper = values[loop.getUpperBound()]->front();
    int64_t step = values[loop.getStep()]->front();
    SmallVector<std::optional<Elements>> carried;
    for (Value init : loop.getInitArgs())
      carried.push_back(values[init]);
    if (step < 1)
      return false;
    int trips = 0;
    for (Wide i = lower; i < upper; i += step) {
      if (++trips > 20) // What was probed before holds all the same.
        return false;
      values[loop.getInductionVar()] = Elements{static_cast<int64_t>(i)};
      for (auto [argument, value] : llvm::zip(loop.getRegionIterArgs(), carried))
        values[argument] = value;
      if (!runBlock(*loop.getBody()))
        return false;
      for (auto [value, yielded] : llvm::zip(carried, loop.getYieldedValues()))
        value = values[yielded];
    }
    for (auto [result, value] : llvm::zip(loop.getResults(), carried))
      values[result] = value;
    return true;
  }
  if (isa<arith::RemSIOp, arith::RemUIOp>(op)) {
    const std::optional<Elements> &by = values[op.getOperand(1)];
    if (!by || llvm::is_contained(*by, 0))
      return false;
  }
  for (Value operand : op.getOperands())
    if (!values[operand]) {
      values[op.getResult(0)] = std::nullopt;
      return true;
    }
  std::optional<Elements> result = compute(op); // The map grows.
  values[op.getResult(0)] = std::move(result);
  return true;
}

std::optional<Elements> TileRunner::compute(Operation &op) {
  Value result = op.getResult(0);
  SmallVector<int64_t> shape = shapeOf(result);
  Elements elements(countOf(result));
  unsigned width = widthOf(result);
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    if (auto dense = dyn_cast<DenseIntElementsAttr>(constant.getValue()))
      for (auto [element, value] : llvm::zip(elements, dense.getValues<APInt>()))
        element = value.getSExtValue();
    else
      elements[0] = cast<IntegerAttr>(constant.getValue()).getValue().getSExtValue();
    return elements;
  }
  if (auto iota = dyn_cast<tile::IotaOp>(op)) {
    for (size_t i = 0; i < elements.size(); ++i)
      elements[i] = readSigned(Wide(iota.getStart().value_or(0)) + i, width);
    return elements;
  }
  const Elements &a = *values[op.getOperand(0)];
  if (isa<tile::SplatOp>(op))
    return Elements(elements.size(), a[0]);
  if (isa<tile::ReshapeOp>(op))
    return a;
  SmallVector<int64_t> from = shapeOf(op.getOperand(0));
  if (isa<tile::BroadcastOp, tile::PermuteOp>(op)) {
    for (size_t i = 0; i < elements.size(); ++i) {
      SmallVector<int64_t> index = indexOf(i, shape), source(from.size());
      for (size_t d = 0; d < shape.size(); ++d)
        if (auto permute = dyn_cast<tile::PermuteOp>(op))
          source[permute.getOrder()[d]] = index[d];
        else
          source[d] = from[d] == 1 ? 0 : index[d];
      elements[i] = a[numberOf(source, from)];
    }
    return elements;
  }
  bool isPoison = false;
  for (size_t i = 0; i < elements.size(); ++i) {
    Wide x = a[i], y = op.getNumOperands() > 1 ? (*values[op.getOperand(1)])[i] : 0;
    unsigned source = widthOf(op.getOperand(0));
    Wide exact = 0;
    if (isa<arith::AddIOp, tile::PtrAddOp>(op))
      exact = x + y;
    else if (isa<arith::SubIOp>(op))
      exact = x - y;
    else if (isa<arith::MulIOp>(op))
      exact = x * y;
    else if (isa<arith::ShLIOp>(op)) {
      isPoison |= modulo(y, width) >= width;
      exact = isPoison ? 0 : x * (Wide(1) << static_cast<unsigned>(modulo(y, width)));
    } else if (isa<arith::RemSIOp>(op))
      exact = x % y;
    else if (isa<arith::RemUIOp>(op))
      exact = modulo(x, width) % modulo(y, width);
    else if (isa<arith::ExtSIOp, arith::TruncIOp, arith::IndexCastOp>(op))
      exact = x;
    else if (isa<arith::ExtUIOp, arith::IndexCastUIOp>(op))
      exact = modulo(x, source);
    else
      llvm_unreachable("an op that the test does not know");
    elements[i] = readSigned(exact, width);
    auto flags = dyn_cast<arith::ArithIntegerOverflowFlagsInterface>(op);
    isPoison |= flags && flags.hasNoSignedWrap() && elements[i] != exact;
  }
  return isPoison ? std::nullopt : std::optional<Elements>(elements);
}

/// %i: 0..3; %ss and %ts: %s and %t four times; %row and %column: %i along the second and the first dimension of 4x4;
/// %s2: %s in 4x4.
static const char *kTiles = R"(
  %i = tile.iota : tensor<4x$T>
  %ss = tile.splat %s : $T -> tensor<4x$T>
  %ts = tile.splat %t : $T -> tensor<4x$T>
  %i1 = tile.reshape %i : tensor<4x$T> -> tensor<1x4x$T>
  %i2 = tile.reshape %i : tensor<4x$T> -> tensor<4x1x$T>
  %row = tile.broadcast %i1 : tensor<1x4x$T> -> tensor<4x4x$T>
  %column = tile.broadcast %i2 : tensor<4x1x$T> -> tensor<4x4x$T>
  %s2 = tile.splat %s : $T -> tensor<4x4x$T>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<4x!tile.ptr<f32>>
)";

static std::vector<std::string> binary(const std::string &name, std::vector<std::string> suffixes = {""}) {
  std::vector<std::string> bodies;
  for (const std::string &suffix : suffixes) {
    bodies.push_back("%r = arith." + name + " %s, %t" + suffix + " : $T");
    for (const char *operands : {"%i, %ss", "%ss, %i", "%ss, %ts", "%i, %i"})
      bodies.push_back("%r = arith." + name + " " + operands + suffix + " : tensor<4x$T>");
    for (const char *operands : {"%row, %column", "%column, %s2"})
      bodies.push_back("%r = arith." + name + " " + operands + suffix + " : tensor<4x4x$T>");
    // Of a sum, and of a remainder with one that is none and with itself.
    bodies.push_back("%a = arith.addi %i, %ts overflow<nsw> : tensor<4x$T>\n%r = arith." + name + " %a, %ss" + suffix +
                     " : tensor<4x$T>");
    bodies.push_back("%a = arith.addi %i, %ts overflow<nsw> : tensor<4x$T>\n%b = arith.remsi %a, %ss : tensor<4x$T>\n"
                     "%c = arith." +
                     name + " %b, %ts" + suffix +
                     " : tensor<4x$T>\n"
                     "%r = arith." +
                     name + " %c, %b" + suffix + " : tensor<4x$T>");
    bodies.push_back("%a = arith.remsi %i, %ss : tensor<4x$T>\n%r = arith." + name + " %a, %i" + suffix +
                     " : tensor<4x$T>");
  }
  return bodies;
}

/// By numbers that are known, which alone have a form.
static std::vector<std::string> shifts(const std::vector<std::string> &flags) {
  std::vector<std::string> bodies = binary("shli", flags);
  for (const std::string &flag : flags)
    for (int bits : {0, 1, 3, 7, 62, 63, 64})
      for (const char *operand : {"%i", "%ss"})
        bodies.push_back("%a = arith.constant dense<" + std::to_string(bits) + "> : tensor<4x$T>\n%r = arith.shli " +
                         operand + ", %a" + flag + " : tensor<4x$T>");
  return bodies;
}

/// Of multiples of an index too.
static std::vector<std::string> remainders(const std::string &name) {
  std::vector<std::string> bodies = binary(name);
  bodies.push_back("%a = arith.constant dense<2> : tensor<4x$T>\n%b = arith.muli %i, %a : tensor<4x$T>\n%r = arith." +
                   name + " %b, %ss : tensor<4x$T>");
  bodies.push_back("%a = arith.muli %i, %ts overflow<nsw> : tensor<4x$T>\n%r = arith." + name +
                   " %a, %ss : tensor<4x$T>");
  return bodies;
}

static std::string castTo(const std::string &name, const std::string &to) {
  return "%a = arith.addi %i, %ss overflow<nsw> : tensor<4x$T>\n%r = arith." + name +
         " %a : tensor<4x$T> to tensor<4x" + to + ">";
}

static std::string carried(const std::string &bounds, const std::string &type, const std::string &init,
                           const std::string &advance) {
  return "%c0 = arith.constant 0 : $T\n%c1 = arith.constant 1 : $T\n%c2 = arith.constant 2 : $T\n%c4 = arith.constant "
         "4 : "
         "$T\n%two = arith.constant dense<2> : tensor<4x$T>\n%l = scf.for %k = " +
         bounds + " iter_args(%x = " + init + ") -> (" + type + ") : $T {\n\"test.probe\"(%x) : (" + type +
         ") -> ()\n" + advance + "\nscf.yield %y : " + type + "\n}";
}

static std::vector<Row> rows() {
  const std::vector<std::string> flags = {"", " overflow<nsw>"};
  return {
      {"arith.constant",
       {"%r = arith.constant -3 : $T", "%r = arith.constant dense<5> : tensor<4x$T>",
        "%r = arith.constant dense<[1, 2, 3, 5]> : tensor<4x$T>"}},
      {"tile.iota",
       {"%r = tile.iota start 5 : tensor<4x$T>", "%r = tile.iota start 124 : tensor<4x$T>",
        "%r = tile.iota start 125 : tensor<4x$T>", "%r = tile.iota start 254 : tensor<2x$T>"}},
      {"tile.splat",
       {"%r = tile.splat %s : $T -> tensor<3x2x$T>",
        "%r = tile.splat %p : !tile.ptr<f32> -> tensor<3x!tile.ptr<f32>>"}},
      {"tile.broadcast",
       {"%r = tile.broadcast %i1 : tensor<1x4x$T> -> tensor<3x4x$T>",
        "%r = tile.broadcast %i2 : tensor<4x1x$T> -> tensor<4x3x$T>",
        "%a = tile.iota start 5 : tensor<1x$T>\n%r = tile.broadcast %a : tensor<1x$T> -> tensor<4x$T>",
        "%a = tile.splat %s : $T -> tensor<1x1x$T>\n%r = tile.broadcast %a : tensor<1x1x$T> -> tensor<2x3x$T>"}},
      {"tile.reshape",
       {"%r = tile.reshape %row : tensor<4x4x$T> -> tensor<4x1x4x1x$T>",
        "%r = tile.reshape %column : tensor<4x4x$T> -> tensor<1x4x4x$T>",
        "%r = tile.reshape %i2 : tensor<4x1x$T> -> tensor<4x$T>",
        "%r = tile.reshape %i : tensor<4x$T> -> tensor<2x2x$T>",
        "%r = tile.reshape %column : tensor<4x4x$T> -> tensor<16x$T>"}},
      {"tile.permute",
       {"%a = arith.muli %row, %s2 overflow<nsw> : tensor<4x4x$T>\n%b = arith.addi %a, %column overflow<nsw> : "
        "tensor<4x4x$T>\n"
        "%r = tile.permute %b [1, 0] : tensor<4x4x$T> -> tensor<4x4x$T>",
        "%a = tile.reshape %column : tensor<4x4x$T> -> tensor<4x1x4x$T>\n"
        "%r = tile.permute %a [2, 0, 1] : tensor<4x1x4x$T> -> tensor<4x4x1x$T>"}},
      {"arith.addi", binary("addi", flags)},
      {"arith.subi", binary("subi", flags)},
      {"tile.ptr_add",
       {"%a = arith.addi %i, %ss : tensor<4x$T>\n%r = tile.ptr_add %ps, %a : tensor<4x!tile.ptr<f32>>, tensor<4x$T>",
        "%a = arith.muli %i, %ss : tensor<4x$T>\n%r = tile.ptr_add %ps, %a : tensor<4x!tile.ptr<f32>>, tensor<4x$T>",
        "%r = tile.ptr_add %p, %s : !tile.ptr<f32>, $T",
        "%q = tile.ptr_add %p, %s : !tile.ptr<f32>, $T\n%qs = tile.splat %q : !tile.ptr<f32> -> "
        "tensor<4x!tile.ptr<f32>>\n"
        "%a = tile.ptr_add %qs, %i : tensor<4x!tile.ptr<f32>>, tensor<4x$T>\n"
        "%r = tile.ptr_add %a, %ts : tensor<4x!tile.ptr<f32>>, tensor<4x$T>"}},
      {"arith.muli", binary("muli", flags)},
      {"arith.shli", shifts(flags)},
      {"arith.remsi", remainders("remsi")},
      {"arith.remui", remainders("remui")},
      {"arith.extsi", {castTo("extsi", "i16"), "%r = arith.extsi %s : $T to i16"}, "i8"},
      {"arith.extui", {castTo("extui", "i16"), "%r = arith.extui %s : $T to i16"}, "i8"},
      {"arith.trunci", {castTo("trunci", "i8"), "%r = arith.trunci %s : $T to i8"}, "i64"},
      {"arith.index_cast", {"%r = arith.index_cast %s : $T to index"}},
      {"arith.index_castui", {"%r = arith.index_castui %s : $T to index"}},
      // No op: what a loop carries.
      {"",
       {carried("%s to %t step %c1", "$T", "%s", "%y = arith.addi %x, %c2 overflow<nsw> : $T"),
        carried("%c1 to %t step %c2", "tensor<4x$T>", "%i", "%y = arith.addi %x, %two : tensor<4x$T>"),
        carried("%s to %c4 step %c2", "tensor<4x$T>", "%i", "%y = arith.addi %x, %ts overflow<nsw> : tensor<4x$T>"),
        carried("%c0 to %c4 step %c1", "tensor<4x$T>", "%ts", "%y = arith.subi %x, %ss overflow<nsw> : tensor<4x$T>"),
        carried("%s to %c4 step %c1", "tensor<4x!tile.ptr<f32>>", "%ps",
                "%y = tile.ptr_add %x, %ts : tensor<4x!tile.ptr<f32>>, tensor<4x$T>"),
        carried("%c0 to %c4 step %c1", "tensor<4x$T>", "%i", "%y = arith.addi %x, %i : tensor<4x$T>"),
        carried("%c0 to %c4 step %s", "tensor<4x$T>", "%i", "%y = arith.addi %x, %two : tensor<4x$T>")}},
  };
}

namespace {
struct Domain {
  int64_t min, max, divisor;
};

class AffineRules : public testing::Test {
protected:
  AffineRules() {
    context.allowUnregisteredDialects();
    context.loadDialect<arith::ArithDialect, func::FuncDialect, scf::SCFDialect, tile::TileDialect>();
  }

  unsigned prove(const std::string &body, const std::string &type);
  MLIRContext context;
};

/// Claims about the probed values of one program, before it is run.
class Claims {
public:
  explicit Claims(func::FuncOp kernel) : analysis(kernel), tiles(analysis), kernel(kernel) {
    kernel.walk([&](Operation *op) {
      if (op->getName().getStringRef() == "test.probe")
        tiles.get(op->getOperand(0));
    });
    runner.probe = [this](Operation *op) { check(op->getOperand(0)); };
  }

  void run(int64_t s, int64_t t) {
    runner.values.clear();
    runner.values[kernel.getArgument(0)] = Elements{s};
    runner.values[kernel.getArgument(1)] = Elements{t};
    runner.values[kernel.getArgument(2)] = Elements{0};
    runner.runBlock(kernel.front());
  }

  unsigned numForms = 0;

private:
  /// Nothing where a symbol has no value.
  std::optional<Wide> evaluate(const Polynomial &number) {
    bool hasValue = true;
    Wide value = tilewright::evaluate(number, [&](unsigned symbol) -> Wide {
      const std::optional<Elements> &scalar = runner.values[tiles.getSymbol(symbol)];
      hasValue &= scalar.has_value();
      return scalar ? scalar->front() : 0;
    });
    return hasValue ? std::optional<Wide>(value) : std::nullopt;
  }

  void check(Value value) {
    const std::optional<Elements> elements = runner.values[value];
    if (!elements)
      return;
    checkFacts(value, *elements);
    const AffineTile *form = tiles.get(value);
    if (!form)
      return;
    bool isSymbol =
        form->steps.empty() && form->uniform.asSymbol() && tiles.getSymbol(*form->uniform.asSymbol()) == value;
    numForms += !isSymbol;
    Wide base = form->base ? runner.values[form->base]->front() : 0;
    std::optional<Wide> uniform = evaluate(form->uniform);
    if (!uniform)
      return;
    checkUniform(*form, *uniform);
    SmallVector<int64_t> shape = shapeOf(value);
    for (size_t i = 0; i < elements->size(); ++i) {
      SmallVector<int64_t> index = indexOf(i, shape);
      Wide sum = base + *uniform;
      for (size_t d = 0; d < shape.size(); ++d) {
        Wide along = index[d];
        // The index that the remainder gives, as a distance from the first.
        if (const std::optional<IndexWrap> &wrap = form->wraps[d]) {
          Wide start = *evaluate(wrap->start);
          along = (start + index[d]) % *evaluate(wrap->size) - start;
        }
        sum += *evaluate(form->steps[d]) * along;
      }
      if (form->isExact && !form->base)
        EXPECT_TRUE(sum == (*elements)[i]) << "element " << i << " is " << (*elements)[i];
      EXPECT_TRUE(modulo(sum, 64) == modulo((*elements)[i], 64)) << "element " << i << " is " << (*elements)[i];
    }
  }

  void checkUniform(const AffineTile &form, Wide value) {
    if (tiles.isNonNegative(form.uniform))
      EXPECT_TRUE(value >= 0);
    if (tiles.fits64Bits(form.uniform))
      EXPECT_TRUE(value == static_cast<int64_t>(value));
    for (Value scalar : tiles.findScalars(form.uniform))
      if (const std::optional<Elements> &same = runner.values[scalar])
        EXPECT_TRUE(value == same->front());
  }

  /// Ranges and alignment facts by their definitions.
  void checkFacts(Value value, const Elements &elements) {
    if (std::optional<ConstantIntRanges> range = analysis.getRange(value))
      for (int64_t element : elements)
        EXPECT_TRUE(element >= range->smin().getSExtValue() && element <= range->smax().getSExtValue()) << element;
    AlignmentFacts facts = analysis.getAlignment(value);
    SmallVector<int64_t> shape = shapeOf(value);
    int64_t bytes = isa<tile::PtrType>(getElementTypeOrSelf(value.getType())) ? 4 : 1;
    for (auto [d, dim] : llvm::enumerate(facts.dims))
      for (size_t i = 0; i < elements.size(); ++i) {
        SmallVector<int64_t> index = shape.empty() ? SmallVector<int64_t>{0} : indexOf(i, shape);
        auto back = [&](int64_t group) {
          SmallVector<int64_t> first = index;
          first[d] -= index[d] % group;
          return elements[shape.empty() ? 0 : numberOf(first, shape)];
        };
        int64_t element = elements[i];
        EXPECT_EQ(element, back(dim.contiguity) + index[d] % dim.contiguity) << "run along dim " << d;
        EXPECT_EQ(element, back(dim.constancy)) << "same along dim " << d;
        if (index[d] % dim.contiguity == 0)
          EXPECT_TRUE(dim.divisor == 0 ? element == 0 : Wide(element) * bytes % dim.divisor == 0)
              << element << " by " << dim.divisor << " along dim " << d;
      }
  }

  AlignmentAnalysis analysis;
  AffineTiles tiles;
  func::FuncOp kernel;
  TileRunner runner;
};
} // namespace

static std::string replaceAll(std::string text, const std::string &from, const std::string &to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

/// How often a form gave the elements of a run.
unsigned AffineRules::prove(const std::string &body, const std::string &type) {
  std::string text = "func.func @k(%s: $T, %t: $T, %p: !tile.ptr<f32> {tile.div_by = 16 : i64}) {" +
                     std::string(kTiles) + body + "\nreturn\n}";
  text = replaceAll(text, "$T", type);
  SCOPED_TRACE(text);
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
  if (!module) {
    ADD_FAILURE() << "not a program";
    return 0;
  }
  func::FuncOp kernel = *module->getOps<func::FuncOp>().begin();
  // What makes %r is probed behind it.
  kernel.walk([&](Operation *op) {
    if (op->getNextNode() == kernel.front().getTerminator() && op->getNumRegions() == 0 && op->getNumResults() == 1) {
      OpBuilder builder(kernel.front().getTerminator());
      OperationState state(op->getLoc(), "test.probe");
      state.addOperands(op->getResult(0));
      builder.create(state);
    }
  });
  int64_t most = type == "i8" ? 127 : std::numeric_limits<int64_t>::max(), least = -most - 1;
  std::vector<Domain> domains = {
      {least, least + 1, 1}, {most - 1, most, 1}, {-2, 1, 1}, {0, 3, 1}, {2, 2, 1}, {1, 5, 1}, {0, 8, 4},
      {-1, -1, 1},           {0, 0, 1},           {60, 65, 1}};
  if (type != "i8") // Not in 8 bits.
    domains.push_back({100, 200, 50});
  unsigned numForms = 0;
  Builder builder(&context);
  for (const Domain &s : domains)
    for (const Domain &t : domains) {
      for (auto [argument, domain] : llvm::enumerate(std::array<Domain, 2>{s, t})) {
        kernel.setArgAttr(argument, "tile.min", builder.getI64IntegerAttr(domain.min));
        kernel.setArgAttr(argument, "tile.max", builder.getI64IntegerAttr(domain.max));
        kernel.setArgAttr(argument, "tile.div_by", builder.getI64IntegerAttr(domain.divisor));
      }
      SCOPED_TRACE("%s from " + std::to_string(s.min) + " to " + std::to_string(s.max) + ", %t from " +
                   std::to_string(t.min) + " to " + std::to_string(t.max));
      Claims claims(kernel);
      for (Wide x = s.min; x <= s.max; x += s.divisor)
        for (Wide y = t.min; y <= t.max; y += t.divisor)
          claims.run(static_cast<int64_t>(x), static_cast<int64_t>(y));
      numForms += claims.numForms;
      if (HasFailure())
        return numForms;
    }
  return numForms;
}

// A new rule needs a row.
TEST_F(AffineRules, TableIsComplete) {
  std::set<std::string> inTable, withRules;
  for (const Row &row : rows())
    EXPECT_TRUE(inTable.insert(row.op).second) << row.op << " has two rows";
  inTable.erase("");
  for (StringRef name : AffineTiles::opsWithRules())
    EXPECT_TRUE(withRules.insert(name.str()).second) << name.str() << " has two rules";
  EXPECT_EQ(inTable, withRules);
}

TEST_F(AffineRules, FormsGiveTheElementsOfRuns) {
  for (const Row &row : rows()) {
    SCOPED_TRACE(row.op);
    unsigned numForms = 0;
    for (const std::string &body : row.bodies)
      for (const char *type : {"i8", "i64"})
        if ((row.type.empty() || row.type == type) && !HasFailure())
          numForms += prove(body, type);
    // A rule that never applies would prove anything.
    EXPECT_GT(numForms, 0u);
  }
}
