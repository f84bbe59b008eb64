// SPDX-License-Identifier: Apache-2.0
#include "tilewright/Analysis/Alignment.h"
#include "tilewright/Analysis/InBounds.h"
#include "AlignmentSolver.h"
#include "TileRanges.h"

#include "mlir/Analysis/DataFlow/Utils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/TypeUtilities.h"
#include <numeric>

using namespace mlir;
using namespace tilewright;

int64_t tilewright::elementBytes(Type elementType) {
  if (elementType.isInteger(1))
    return 1;
  if (elementType.isIndex() || isa<tile::PtrType>(elementType))
    return 8;
  if (isa<FloatTF32Type>(elementType))
    return 4;
  unsigned bits = elementType.isIntOrFloat() ? elementType.getIntOrFloatBitWidth() : 0;
  return bits % 8 == 0 ? bits / 8 : 0;
}

AlignmentFacts AlignmentFacts::ofType(Type type) {
  AlignmentFacts facts;
  facts.isReached = true;
  if (auto view = dyn_cast<tile::ViewType>(type)) {
    auto add = [](int64_t number, auto &divisors, auto &values) {
      bool isKnown = !ShapedType::isDynamic(number);
      divisors.push_back(isKnown ? divisorOfConstant(number) : 1);
      values.push_back(isKnown ? std::optional<int64_t>(number) : std::nullopt);
    };
    for (int64_t size : view.getShape())
      add(size, facts.sizeDivisors, facts.sizes);
    for (int64_t stride : view.getStrides())
      add(stride, facts.strideDivisors, facts.strides);
    return facts;
  }
  Type element = getElementTypeOrSelf(type);
  auto pointer = dyn_cast<tile::PtrType>(element);
  if (!pointer && !element.isIntOrIndex())
    return facts;
  // Pointers to elements below a byte have no steps: they count in bytes and are never contiguous.
  if (pointer)
    facts.unit = std::max<int64_t>(elementBytes(pointer.getPointee()), 1);
  auto tensor = dyn_cast<RankedTensorType>(type);
  facts.dims.assign(tensor ? tensor.getRank() : 1, DimFacts());
  return facts;
}

AlignmentFacts AlignmentFacts::join(const AlignmentFacts &a, const AlignmentFacts &b) {
  if (!a.isReached)
    return b;
  if (!b.isReached)
    return a;
  AlignmentFacts both = a;
  for (auto [mine, theirs] : llvm::zip(both.dims, b.dims))
    mine = joinFacts(mine, theirs, a.unit);
  both.base = std::gcd(a.base, b.base);
  for (auto [mine, theirs] : llvm::zip(both.sizeDivisors, b.sizeDivisors))
    mine = std::gcd(mine, theirs);
  for (auto [mine, theirs] : llvm::zip(both.strideDivisors, b.strideDivisors))
    mine = std::gcd(mine, theirs);
  auto keepEqual = [](std::optional<int64_t> &mine, const std::optional<int64_t> &theirs) {
    if (mine != theirs)
      mine = std::nullopt;
  };
  for (auto [mine, theirs] : llvm::zip(both.sizes, b.sizes))
    keepEqual(mine, theirs);
  for (auto [mine, theirs] : llvm::zip(both.strides, b.strides))
    keepEqual(mine, theirs);
  return both;
}

bool AlignmentFacts::operator==(const AlignmentFacts &other) const {
  return isReached == other.isReached && dims == other.dims && unit == other.unit && base == other.base &&
         sizeDivisors == other.sizeDivisors && strideDivisors == other.strideDivisors && sizes == other.sizes &&
         strides == other.strides;
}

int64_t AlignmentFacts::divisor() const {
  int64_t all = 1;
  for (const DimFacts &dim : dims)
    all = combineDivisors(all, divisorAt(dim, 1, unit));
  return all;
}

void AlignmentFacts::print(raw_ostream &os) const {
  if (!isReached) {
    os << "unreached";
    return;
  }
  auto list = [&](StringRef name, auto &&values, auto printOne) {
    os << name << " [";
    llvm::interleaveComma(values, os, printOne);
    os << "]";
  };
  if (!dims.empty()) {
    list("contiguity", dims, [&](const DimFacts &dim) { os << dim.contiguity; });
    list(", divisor", dims, [&](const DimFacts &dim) { os << dim.divisor; });
    list(", constancy", dims, [&](const DimFacts &dim) { os << dim.constancy; });
    return;
  }
  if (sizeDivisors.empty()) {
    os << "no facts";
    return;
  }
  os << "base " << base;
  list(", sizes", llvm::zip(sizes, sizeDivisors), [&](auto pair) {
    auto [value, divisor] = pair;
    value ? os << *value : os << "?*" << divisor;
  });
  list(", strides", llvm::zip(strides, strideDivisors), [&](auto pair) {
    auto [value, divisor] = pair;
    value ? os << *value : os << "?*" << divisor;
  });
}

std::optional<int64_t> tilewright::constantIn(const std::optional<ConstantIntRanges> &range) {
  if (!range)
    return std::nullopt;
  std::optional<APInt> value = range->getConstantValue();
  if (!value || value->getBitWidth() == 0 || value->getBitWidth() > 64)
    return std::nullopt;
  return value->getBitWidth() == 1 ? static_cast<int64_t>(value->getZExtValue()) : value->getSExtValue();
}

AlignmentFacts tilewright::constantAlignment(Type type, int64_t value) {
  AlignmentFacts facts = AlignmentFacts::ofType(type);
  auto tensor = dyn_cast<RankedTensorType>(type);
  for (auto [i, dim] : llvm::enumerate(facts.dims))
    dim = uniformFacts(divisorOfConstant(value), tensor ? tensor.getDimSize(i) : 1);
  return facts;
}

AlignmentFacts tilewright::argumentAlignment(Value argument) {
  AlignmentFacts facts = AlignmentFacts::ofType(argument.getType());
  if (auto divBy = dyn_cast_or_null<IntegerAttr>(argumentAttribute(argument, "tile.div_by"))) {
    facts.base = divBy.getInt();
    if (!isa<RankedTensorType>(argument.getType()))
      for (DimFacts &dim : facts.dims)
        dim.divisor = divBy.getInt();
  }
  auto strengthen = [&](StringRef name, MutableArrayRef<int64_t> divisors) {
    if (auto list = dyn_cast_or_null<DenseI64ArrayAttr>(argumentAttribute(argument, name)))
      for (auto [mine, promised] : llvm::zip(divisors, list.asArrayRef()))
        mine = combineDivisors(mine, promised);
  };
  strengthen("tile.sizes_div_by", facts.sizeDivisors);
  strengthen("tile.strides_div_by", facts.strideDivisors);
  return facts;
}

void AlignmentDataFlow::setToEntryState(AlignmentLattice *lattice) {
  propagateIfChanged(lattice, lattice->join(argumentAlignment(lattice->getAnchor())));
}

LogicalResult AlignmentDataFlow::visitOperation(Operation *op, ArrayRef<const AlignmentLattice *> operands,
                                                ArrayRef<AlignmentLattice *> results) {
  SmallVector<AlignmentFacts, 0> facts;
  for (const AlignmentLattice *operand : operands) {
    // Not reached yet; the operand's change brings us back.
    if (!operand->getValue().isReached)
      return success();
    facts.push_back(operand->getValue());
  }
  for (auto [i, lattice] : llvm::enumerate(results)) {
    Value result = op->getResult(i);
    AlignmentFacts next = AlignmentFacts::ofType(result.getType());
    if (std::optional<int64_t> value = constantIn(ranges(result)))
      next = constantAlignment(result.getType(), *value);
    else if (i == 0)
      next = transferAlignment(op, facts, ranges);
    propagateIfChanged(lattice, lattice->join(next));
  }
  return success();
}

void AlignmentDataFlow::visitNonControlFlowArguments(Operation *op, const RegionSuccessor &successor,
                                                     ArrayRef<AlignmentLattice *> arguments, unsigned firstIndex) {
  // The induction variable is the only argument of scf.for that control flow does not set.
  auto loop = dyn_cast<scf::ForOp>(op);
  if (!loop)
    return SparseForwardDataFlowAnalysis::visitNonControlFlowArguments(op, successor, arguments, firstIndex);
  ProgramPoint *point = getProgramPointBefore(loop.getBody());
  const AlignmentFacts &lower = getLatticeElementFor(point, loop.getLowerBound())->getValue();
  const AlignmentFacts &step = getLatticeElementFor(point, loop.getStep())->getValue();
  if (!lower.isReached || !step.isReached)
    return;
  // lower + n * step, which stays below the upper bound and so does not wrap. An unsigned loop may pass the largest
  // signed number on its way.
  AlignmentFacts facts = AlignmentFacts::ofType(loop.getInductionVar().getType());
  facts.dims[0].divisor = std::gcd(lower.divisor(), step.divisor());
  if (loop.getUnsignedCmp())
    facts.dims[0] = wrapFacts(facts.dims[0], loop.getInductionVar().getType().isIndex()
                                                 ? 64
                                                 : loop.getInductionVar().getType().getIntOrFloatBitWidth());
  propagateIfChanged(arguments[0], arguments[0]->join(facts));
}

struct AlignmentAnalysis::Solvers {
  static DataFlowConfig config() { return DataFlowConfig().setInterprocedural(false); }
  DataFlowSolver ranges{config()}, alignment{config()};
  /// Proofs about the functions that were asked about.
  llvm::DenseMap<Operation *, InBoundsAnalysis> inBounds;
};

AlignmentAnalysis::AlignmentAnalysis(Operation *root) : solvers(std::make_unique<Solvers>()) {
  // Ranges first: they prove that sums do not wrap and that dividends are not negative.
  dataflow::loadBaselineAnalyses(solvers->ranges);
  solvers->ranges.load<TileRangeAnalysis>();
  // A failure would come from an op that an analysis refuses; ours and upstream's refuse none.
  (void)solvers->ranges.initializeAndRun(root);
  dataflow::loadBaselineAnalyses(solvers->alignment);
  solvers->alignment.load<AlignmentDataFlow>([this](Value value) { return getRange(value); });
  (void)solvers->alignment.initializeAndRun(root);
}

AlignmentAnalysis::~AlignmentAnalysis() = default;
AlignmentAnalysis::AlignmentAnalysis(AlignmentAnalysis &&other) : solvers(std::move(other.solvers)) {
  solvers->inBounds.clear(); // They refer to the other.
}

bool AlignmentAnalysis::provablyInBounds(Operation *op, unsigned dim) const {
  auto func = op->getParentOfType<func::FuncOp>();
  std::optional<ViewAccess> access = ViewAccess::of(op);
  if (!func || !access)
    return false;
  return solvers->inBounds.try_emplace(func, func, /*grid=*/func::FuncOp(), *this).first->second.isInBounds(*access, dim);
}

AlignmentFacts AlignmentAnalysis::getAlignment(Value value) const {
  auto *lattice = solvers->alignment.lookupState<AlignmentLattice>(value);
  return lattice && lattice->getValue().isReached ? lattice->getValue() : AlignmentFacts::ofType(value.getType());
}

std::optional<ConstantIntRanges> AlignmentAnalysis::getRange(Value value) const {
  auto *lattice = solvers->ranges.lookupState<dataflow::IntegerValueRangeLattice>(value);
  if (!lattice || lattice->getValue().isUninitialized() || !getElementTypeOrSelf(value.getType()).isIntOrIndex())
    return std::nullopt;
  return lattice->getValue().getValue();
}

std::optional<int64_t> AlignmentAnalysis::getConstant(Value value) const { return constantIn(getRange(value)); }
