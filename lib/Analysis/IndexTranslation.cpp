// SPDX-License-Identifier: Apache-2.0
#include "IndexTranslation.h"
#include "AlignmentSolver.h"

using namespace mlir;
using namespace tilewright;

static Wide toWide(const APInt &value) { return value.getSExtValue(); }

unsigned IndexTranslation::widthOf(Type type) {
  if (type.isIndex())
    return 64;
  auto integer = dyn_cast<IntegerType>(type);
  return integer && integer.getWidth() <= 64 ? integer.getWidth() : 0;
}

IndexTranslation::IndexTranslation(func::FuncOp kernel, func::FuncOp grid, const AlignmentAnalysis &alignment,
                                   const ExtraFacts &facts, ArrayRef<tile::AssumeOp> assumes)
    : kernel(kernel), grid(grid), alignment(alignment), facts(facts) {
  for (tile::AssumeOp op : assumes)
    holding.insert(op);
  for (tile::AssumeOp op : assumes)
    translate(op.getResult());
}

unsigned IndexTranslation::leaf(SymbolFacts facts, std::string name) {
  unsigned symbol = bounds.addLeaf(std::move(facts));
  names[symbol] = std::move(name);
  return symbol;
}

std::optional<HostNumber> IndexTranslation::hostNumberOf(unsigned symbol) const {
  auto found = hostNumbers.find(symbol);
  return found == hostNumbers.end() ? std::nullopt : std::optional<HostNumber>(found->second);
}

/// Whether the grid function computes `value`.
bool IndexTranslation::isOnHost(Value value) const {
  return grid && grid->isAncestor(value.getParentRegion()->getParentOp());
}

std::optional<unsigned> IndexTranslation::parameter(Value value) const {
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument || !argument.getOwner()->isEntryBlock())
    return std::nullopt;
  Operation *parent = argument.getOwner()->getParentOp();
  if (parent != kernel && (!grid || parent != grid))
    return std::nullopt;
  return argument.getArgNumber();
}

bool IndexTranslation::fits(const Polynomial &number, unsigned width) const {
  Wide limit = Wide(1) << (width - 1);
  return bounds.isAtMost(number, Polynomial::constant(limit - 1)) &&
         bounds.isAtMost(Polynomial::constant(-limit), number);
}

IndexTranslation::Origin IndexTranslation::originOfSize(Value view, int64_t dim) const {
  while (auto permute = view.getDefiningOp<tile::PermuteViewOp>()) {
    dim = permute.getOrder()[dim];
    view = permute.getView();
  }
  return {view, dim};
}

/// The operand of `make` that holds the size, which must not be static.
static Value sizeOperand(tile::MakeViewOp make, int64_t dim) {
  ArrayRef<int64_t> shape = make.getType().getShape();
  return make.getSizes()[llvm::count_if(shape.take_front(dim), ShapedType::isDynamic)];
}

std::optional<Value> IndexTranslation::gridResult(tile::Axis axis) const {
  if (!grid)
    return std::nullopt;
  Operation *end = grid->getRegion(0).front().getTerminator();
  unsigned number = static_cast<unsigned>(axis);
  return number < end->getNumOperands() ? std::optional<Value>(end->getOperand(number)) : std::nullopt;
}

/// Values that must be translated before `value`.
SmallVector<Value> IndexTranslation::operandsOf(Value value) const {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    if (loop && argument == loop.getInductionVar())
      return {loop.getLowerBound(), loop.getUpperBound(), loop.getStep()};
    if (loop)
      return operandsOfCarried(loop, argument.getArgNumber() - loop.getNumInductionVars());
    return {};
  }
  Operation *op = value.getDefiningOp();
  auto programsOn = [&](tile::Axis axis) -> SmallVector<Value> {
    std::optional<Value> count = gridResult(axis);
    return count ? SmallVector<Value>{*count} : SmallVector<Value>();
  };
  if (auto id = dyn_cast<tile::ProgramIdOp>(op))
    return programsOn(id.getAxis());
  if (auto count = dyn_cast<tile::NumProgramsOp>(op))
    return programsOn(count.getAxis());
  if (auto size = dyn_cast<tile::ViewSizeOp>(op)) {
    Origin origin = originOfSize(size.getView(), size.getDim());
    auto make = origin.view.getDefiningOp<tile::MakeViewOp>();
    if (make && ShapedType::isDynamic(make.getType().getShape()[origin.dim]))
      return {sizeOperand(make, origin.dim)};
    return {};
  }
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    unsigned number = cast<OpResult>(value).getResultNumber();
    if (branch.getElseRegion().empty())
      return {};
    return {branch.thenYield().getOperand(number), branch.elseYield().getOperand(number)};
  }
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return operandsOfCarried(loop, cast<OpResult>(value).getResultNumber());
  if (!isa_and_nonnull<arith::ArithDialect>(op->getDialect()) && !isa<tile::AssumeOp>(op))
    return {};
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    if (widthOf(operand.getType()) != 0)
      operands.push_back(operand);
  return operands;
}

const Polynomial &IndexTranslation::translate(Value value) {
  // Operands first, without recursion: chains of arithmetic may be long.
  SmallVector<std::pair<Value, bool>> worklist{{value, false}};
  while (!worklist.empty()) {
    auto [next, isReady] = worklist.pop_back_val();
    if (translated.contains(next))
      continue;
    if (isReady) {
      Polynomial result = translateStep(next);
      translated[next] = std::move(result);
      continue;
    }
    worklist.push_back({next, true});
    for (Value operand : operandsOf(next))
      worklist.push_back({operand, false});
  }
  return translated[value];
}

Polynomial IndexTranslation::hostNumber(HostNumber number, SymbolFacts known, std::string name) {
  // Sizes that are promised to be equal share the leaf of the first of them that is met; it has the facts of both.
  SmallVector<HostNumber> same{number};
  for (size_t i = 0; i < same.size(); ++i)
    for (auto &[a, b] : facts.equal) {
      HostNumber other = a == same[i] ? b : a;
      if ((a == same[i] || b == same[i]) && !llvm::is_contained(same, other))
        same.push_back(other);
    }
  for (const ExtraFacts::Divisor &promise : facts.divisors)
    if (llvm::is_contained(same, promise.number))
      known.divisor = combineDivisors(known.divisor, promise.divisor);
  for (HostNumber other : same) {
    auto found = hostLeaves.find({other.argument, other.dim});
    if (found == hostLeaves.end())
      continue;
    bounds.refine(found->second, known.min, known.max, known.divisor);
    return Polynomial::symbol(found->second);
  }
  unsigned symbol = leaf(std::move(known), std::move(name));
  hostLeaves[{number.argument, number.dim}] = symbol;
  hostNumbers[symbol] = number;
  return Polynomial::symbol(symbol);
}

/// How messages call a parameter.
static std::string parameterName(func::FuncOp kernel, unsigned argument) {
  auto name = kernel.getArgAttrOfType<StringAttr>(argument, "tile.name");
  return name ? name.getValue().str() : "parameter " + std::to_string(argument);
}

Polynomial IndexTranslation::sizeOf(Value view, int64_t dim) {
  Origin origin = originOfSize(view, dim);
  auto type = cast<tile::ViewType>(origin.view.getType());
  if (int64_t size = type.getShape()[origin.dim]; !ShapedType::isDynamic(size))
    return Polynomial::constant(size);
  if (auto make = origin.view.getDefiningOp<tile::MakeViewOp>())
    return translate(sizeOperand(make, origin.dim));
  SymbolFacts known;
  known.min = 0;
  known.max = std::numeric_limits<int64_t>::max();
  std::optional<unsigned> argument = parameter(origin.view);
  if (!argument) {
    auto [place, isNew] = otherSizes.try_emplace({origin.view, origin.dim});
    if (isNew) {
      known.divisor = alignment.getAlignment(origin.view).sizeDivisors[origin.dim];
      place->second = Polynomial::symbol(leaf(std::move(known), "size " + std::to_string(origin.dim) + " of a view"));
    }
    return place->second;
  }
  // The kernel's own parameter has the promises, also where the grid function asks.
  AlignmentFacts promised = argumentAlignment(kernel.getArgument(*argument));
  known.divisor = promised.sizeDivisors[origin.dim];
  if (int64_t size = cast<tile::ViewType>(kernel.getArgument(*argument).getType()).getShape()[origin.dim];
      !ShapedType::isDynamic(size))
    return Polynomial::constant(size);
  return hostNumber({*argument, origin.dim}, std::move(known),
                    "size(" + parameterName(kernel, *argument) + ", " + std::to_string(origin.dim) + ")");
}

Polynomial IndexTranslation::opaque(Value value) {
  SymbolFacts known;
  std::optional<unsigned> argument = parameter(value);
  unsigned width = widthOf(value.getType());
  if (width != 0) {
    known.min = -(Wide(1) << (width - 1));
    known.max = (Wide(1) << (width - 1)) - 1;
  }
  // The grid function's parameters have the promises of the kernel's.
  Value here = argument ? kernel.getArgument(*argument) : value;
  if (width != 0 && (argument || !isOnHost(value))) {
    if (std::optional<ConstantIntRanges> range = alignment.getRange(here);
        range && range->smin().getBitWidth() != 0 && range->smin().getBitWidth() <= 64 && width > 1) {
      known.min = toWide(range->smin());
      known.max = toWide(range->smax());
      if (*known.min == *known.max)
        return Polynomial::constant(*known.min);
    }
    known.divisor = alignment.getAlignment(here).divisor();
  }
  if (argument && width != 0)
    return hostNumber({*argument, -1}, std::move(known), parameterName(kernel, *argument));
  std::string name = "a value";
  if (Operation *op = value.getDefiningOp())
    name = op->getName().getStringRef().str();
  unsigned symbol = leaf(std::move(known), "<" + name + ">");
  opaqueValues[symbol] = value;
  return Polynomial::symbol(symbol);
}

SmallVector<StringRef> IndexTranslation::opsWithRules() {
  return llvm::map_to_vector(rules(), [](const auto &row) { return row.first; });
}

Polynomial IndexTranslation::translateStep(Value value) {
  std::optional<Polynomial> number;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    if (loop && argument == loop.getInductionVar())
      number = translateLoopVariable(loop);
    else if (loop)
      number = translateCarried(loop, argument.getArgNumber() - loop.getNumInductionVars(), /*isResult=*/false);
  } else if (widthOf(value.getType()) != 0) {
    auto result = cast<OpResult>(value);
    StringRef name = result.getOwner()->getName().getStringRef();
    const auto *row = llvm::find_if(rules(), [&](const auto &row) { return row.first == name; });
    if (row != rules().end())
      number = (this->*row->second)(result);
  }
  return number ? *number : opaque(value);
}
