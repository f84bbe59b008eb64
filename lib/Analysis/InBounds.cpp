// SPDX-License-Identifier: Apache-2.0
#include "tilewright/Analysis/InBounds.h"
#include "IndexTranslation.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilewright;

template <typename AccessOp> static ViewAccess describeAccess(AccessOp op, RankedTensorType tile) {
  ViewAccess access;
  access.op = op;
  access.view = op.getView();
  access.offsets.assign(op.getOffsets().begin(), op.getOffsets().end());
  access.extents.assign(access.offsets.size(), 1);
  // Each row of a gather has its own index; other dimensions that the tile walks have its extent.
  for (auto [extent, dim] : llvm::zip(tile.getShape(), op.walkedDims()))
    if (!isa<RankedTensorType>(access.offsets[dim].getType()))
      access.extents[dim] = extent;
  access.inBounds.assign(access.offsets.size(), false);
  if (op.getInBounds())
    access.inBounds.assign(op.getInBounds()->begin(), op.getInBounds()->end());
  return access;
}

std::optional<ViewAccess> ViewAccess::of(Operation *op) {
  return llvm::TypeSwitch<Operation *, std::optional<ViewAccess>>(op)
      .Case<tile::LoadOp, tile::GatherOp>([](auto load) { return describeAccess(load, load.getResult().getType()); })
      .Case<tile::StoreOp, tile::ScatterOp, tile::ReduceIntoOp>(
          [](auto store) { return describeAccess(store, store.getValue().getType()); })
      .Default([](Operation *) { return std::nullopt; });
}

void ViewAccess::setInBounds(ArrayRef<bool> flags) const {
  auto attr = DenseBoolArrayAttr::get(op->getContext(), flags);
  llvm::TypeSwitch<Operation *>(op)
      .Case<tile::LoadOp, tile::GatherOp, tile::StoreOp, tile::ScatterOp, tile::ReduceIntoOp>(
          [&](auto access) { access.setInBoundsAttr(attr); });
}

struct InBoundsAnalysis::Impl {
  func::FuncOp func, grid;
  const AlignmentAnalysis &alignment;
  ExtraFacts facts;
  SmallVector<tile::AssumeOp> assumes;
  /// What was translated under the promises that hold at an access; most accesses share one.
  std::map<std::vector<Operation *>, std::unique_ptr<IndexTranslation>> translations;

  Impl(func::FuncOp func, func::FuncOp grid, const AlignmentAnalysis &alignment, ExtraFacts facts)
      : func(func), grid(grid), alignment(alignment), facts(std::move(facts)) {
    func.walk([&](tile::AssumeOp op) {
      if (op.getType().isIntOrIndex())
        assumes.push_back(op);
    });
  }

  IndexTranslation &translationAt(Operation *op) {
    std::vector<Operation *> key;
    SmallVector<tile::AssumeOp> holding;
    for (tile::AssumeOp assume : assumes) {
      Operation *ancestor = assume->getBlock()->findAncestorOpInBlock(*op);
      if (!ancestor || !assume->isBeforeInBlock(ancestor))
        continue;
      key.push_back(assume);
      holding.push_back(assume);
    }
    std::unique_ptr<IndexTranslation> &place = translations[key];
    if (!place)
      place = std::make_unique<IndexTranslation>(func, grid, alignment, facts, holding);
    return *place;
  }

  Polynomial offset(IndexTranslation &translation, const ViewAccess &access, unsigned dim) {
    Value value = access.offsets[dim];
    if (!isa<RankedTensorType>(value.getType()))
      return translation.translate(value);
    // A tile of indices: any of them.
    SymbolFacts any;
    if (std::optional<ConstantIntRanges> range = alignment.getRange(value)) {
      any.min = range->smin().getSExtValue();
      any.max = range->smax().getSExtValue();
    }
    return Polynomial::symbol(translation.bounds.addLeaf(std::move(any)));
  }

  static std::string print(const IndexTranslation &translation, const Polynomial &number) {
    return translation.bounds.print(number, [&](unsigned symbol) {
      std::string known = translation.nameOf(symbol);
      return known.empty() ? std::string("<index tile>") : known;
    });
  }
};

func::FuncOp tilewright::findGrid(func::FuncOp kernel) {
  auto name = kernel->getAttrOfType<FlatSymbolRefAttr>("tile.grid");
  auto module = kernel->getParentOfType<ModuleOp>();
  auto grid = name && module ? module.lookupSymbol<func::FuncOp>(name.getValue()) : func::FuncOp();
  bool isUsable = grid && grid.getBody().hasOneBlock() && grid.getNumArguments() == kernel.getNumArguments();
  return isUsable ? grid : func::FuncOp();
}

InBoundsAnalysis::InBoundsAnalysis(func::FuncOp func, func::FuncOp grid, const AlignmentAnalysis &alignment,
                                   ExtraFacts facts)
    : impl(std::make_unique<Impl>(func, grid, alignment, std::move(facts))) {}
InBoundsAnalysis::~InBoundsAnalysis() = default;
InBoundsAnalysis::InBoundsAnalysis(InBoundsAnalysis &&) = default;

bool InBoundsAnalysis::isInBounds(const ViewAccess &access, unsigned dim) {
  IndexTranslation &translation = impl->translationAt(access.op);
  Polynomial offset = impl->offset(translation, access, dim), size = translation.sizeOf(access.view, dim);
  std::optional<Polynomial> end = add(offset, Polynomial::constant(access.extents[dim]));
  return end && translation.bounds.isNonNegative(offset) && translation.bounds.isAtMost(*end, size);
}

bool InBoundsAnalysis::isNonNegative(const ViewAccess &access, unsigned dim) {
  IndexTranslation &translation = impl->translationAt(access.op);
  return translation.bounds.isNonNegative(impl->offset(translation, access, dim));
}

bool InBoundsAnalysis::isAtMost(Value a, Value b, Operation *at) {
  IndexTranslation &translation = impl->translationAt(at);
  Polynomial first = translation.translate(a);
  return translation.bounds.isAtMost(first, translation.translate(b));
}

bool InBoundsAnalysis::isWithin(Value a, int64_t low, int64_t high, Operation *at) {
  IndexTranslation &translation = impl->translationAt(at);
  Polynomial number = translation.translate(a);
  return translation.bounds.isAtMost(Polynomial::constant(low), number) &&
         translation.bounds.isAtMost(number, Polynomial::constant(high));
}

bool InBoundsAnalysis::isLoopVariant(const ViewAccess &access, unsigned dim) {
  IndexTranslation &translation = impl->translationAt(access.op);
  for (unsigned symbol : translation.bounds.symbolsBehind(impl->offset(translation, access, dim)))
    if (scf::ForOp loop = translation.loopOf(symbol); loop && loop->isAncestor(access.op))
      return true;
  return false;
}

std::string InBoundsAnalysis::describe(const ViewAccess &access, unsigned dim) {
  IndexTranslation &translation = impl->translationAt(access.op);
  Polynomial offset = impl->offset(translation, access, dim), size = translation.sizeOf(access.view, dim);
  Polynomial last = add(offset, Polynomial::constant(access.extents[dim] - 1)).value_or(offset);
  return Impl::print(translation, last) + " < " + Impl::print(translation, size);
}

std::string InBoundsAnalysis::describeOffset(const ViewAccess &access, unsigned dim) {
  IndexTranslation &translation = impl->translationAt(access.op);
  return Impl::print(translation, impl->offset(translation, access, dim));
}

SmallVector<std::string> InBoundsAnalysis::describeProof(const ViewAccess &access, unsigned dim) {
  IndexTranslation &translation = impl->translationAt(access.op);
  Polynomial offset = impl->offset(translation, access, dim), size = translation.sizeOf(access.view, dim);
  std::optional<Polynomial> end = add(offset, Polynomial::constant(access.extents[dim]));
  std::optional<Polynomial> room = end ? subtract(size, *end) : std::nullopt;
  auto steps = room ? translation.bounds.explainNonNegative(*room) : std::nullopt;
  SmallVector<std::string> texts;
  if (steps)
    for (const auto &[low, high] : *steps)
      texts.push_back(Impl::print(translation, low) + " <= " + Impl::print(translation, high));
  return texts;
}

ExtraFacts InBoundsAnalysis::findUsefulFacts(const ViewAccess &access, unsigned dim) {
  IndexTranslation &translation = impl->translationAt(access.op);
  Polynomial offset = impl->offset(translation, access, dim), size = translation.sizeOf(access.view, dim);
  ExtraFacts useful;
  SmallVector<HostNumber> numbers;
  SmallVector<int64_t> divisors;
  for (unsigned symbol : translation.bounds.symbolsBehind(offset)) {
    if (std::optional<HostNumber> number = translation.hostNumberOf(symbol))
      numbers.push_back(*number);
    if (std::optional<int64_t> divisor = translation.bounds.quotientBy(symbol);
        divisor && *divisor > 1 && !llvm::is_contained(divisors, *divisor))
      divisors.push_back(*divisor);
  }
  std::optional<unsigned> limit = size.asSymbol();
  std::optional<HostNumber> limitNumber = limit ? translation.hostNumberOf(*limit) : std::nullopt;
  for (HostNumber number : numbers) {
    for (int64_t divisor : divisors)
      useful.divisors.push_back({number, divisor});
    if (limitNumber && limitNumber->dim >= 0 && number.dim >= 0 && !(number == *limitNumber))
      useful.equal.push_back({number, *limitNumber});
  }
  return useful;
}
