// SPDX-License-Identifier: Apache-2.0
#include "tilewright/Dialect/Tile/Transforms/TmaPlan.h"
#include "tilewright/Analysis/AlignmentRules.h"
#include "tilewright/Analysis/HostValues.h"
#include "tilewright/Support/TmaRules.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace tilewright;

namespace {
/// A number that a launcher passes: what kind of promise can be made about it.
struct Source {
  enum Kind { None, Size, Stride, Value } kind = None;
  unsigned argument = 0;
  unsigned dim = 0;
};

/// A block access, whichever op makes it.
struct BlockAccess {
  Operation *op;
  Value view;
  RankedTensorType tile;
  SmallVector<int64_t> walked;
  SmallVector<Value> offsets;
  SmallVector<bool> inBounds;
  bool isAtomic, isStore;

  template <typename AccessOp> static BlockAccess make(AccessOp op, RankedTensorType tile, bool isStore) {
    BlockAccess access{op, op.getView(), tile, op.walkedDims(), {}, {}, op.getOrder().has_value(), isStore};
    access.offsets.assign(op.getOffsets().begin(), op.getOffsets().end());
    access.inBounds.assign(access.offsets.size(), false);
    if (op.getInBounds())
      access.inBounds.assign(op.getInBounds()->begin(), op.getInBounds()->end());
    return access;
  }

  static std::optional<BlockAccess> of(Operation *op) {
    if (auto load = dyn_cast<tile::LoadOp>(op))
      return make(load, load.getResult().getType(), /*isStore=*/false);
    if (auto store = dyn_cast<tile::StoreOp>(op))
      return make(store, store.getValue().getType(), /*isStore=*/true);
    return std::nullopt;
  }
};

} // namespace

static std::optional<ScalarType> scalarTypeOf(Type type) {
  std::string name;
  llvm::raw_string_ostream(name) << type;
  return parseScalarType(name);
}

/// The dimension of the view that is innermost in memory, a walked one if there is one; nothing if none is known.
static std::optional<unsigned> findUnitDim(const BlockAccess &access, const AlignmentFacts &view) {
  std::optional<unsigned> found;
  for (unsigned t = access.walked.size(); t-- > 0;) {
    unsigned dim = access.walked[t];
    if (view.strides[dim] != 1 || view.sizes[dim] == 1)
      continue;
    if (access.tile.getDimSize(t) > 1)
      return dim;
    if (!found)
      found = dim;
  }
  for (unsigned dim = view.strides.size(); dim-- > 0 && !found;)
    if (view.strides[dim] == 1)
      found = dim;
  return found;
}

std::optional<TmaShape> TmaShape::of(Operation *op, const AlignmentAnalysis &alignment) {
  BlockAccess access = *BlockAccess::of(op);
  std::optional<unsigned> unit = findUnitDim(access, alignment.getAlignment(access.view));
  if (!unit)
    return std::nullopt;
  TmaShape shape{access.view, access.walked, {*unit}};
  for (bool isWalked : {true, false})
    for (unsigned dim = access.offsets.size(); dim-- > 0;)
      if (dim != *unit && llvm::is_contained(access.walked, static_cast<int64_t>(dim)) == isWalked)
        shape.order.push_back(dim);
  return shape;
}

std::string tilewright::whyNoTma(Operation *op) {
  BlockAccess access = *BlockAccess::of(op);
  if (access.isAtomic)
    return "each element is an atomic access";
  if (std::optional<std::string> why = whyNotOnHost(ViewOrigin::of(access.view).view))
    return *why;
  std::optional<ScalarType> type = scalarTypeOf(access.tile.getElementType());
  if (!type) {
    std::string text = "elements of ";
    llvm::raw_string_ostream(text) << access.tile.getElementType() << " are no type of a tensor map";
    return text;
  }
  TmaTensor tensor;
  tensor.type = *type;
  if (scalarTypeBytes(*type) == 0)
    return describeTmaFinding(tensor, {TmaRule::ElementType});
  if (access.offsets.size() > TmaLimits::kRank)
    return describeTmaFinding(tensor, {TmaRule::Rank, 0, false, static_cast<int64_t>(access.offsets.size())});
  return "";
}

namespace {
/// The decisions of one function.
class Planner {
public:
  Planner(func::FuncOp func, func::FuncOp grid, ArrayRef<Promise> assumed)
      : assumed(assumed), alignment(func), inBounds(func, grid, alignment) {}

  TmaDecision decide(const BlockAccess &access) {
    TmaDecision decision;
    decision.access = access.op;
    decision.reason = decideInto(access, decision);
    if (!decision.reason.empty())
      decision.needed.clear();
    return decision;
  }

  /// The rule that `access` breaks whatever a launch brings, with the value; empty if none is known to be broken.
  std::string findBroken(const BlockAccess &access) {
    TmaDecision decision;
    return decideInto(access, decision, /*onlyKnown=*/true);
  }

private:
  ArrayRef<Promise> assumed;
  AlignmentAnalysis alignment;
  InBoundsAnalysis inBounds;

  /// The parameter that is `value`, or whose size or stride it is, also behind facts, widening and a bound by 0.
  Source sourceOf(Value value) {
    while (true) {
      if (auto assume = value.getDefiningOp<tile::AssumeOp>())
        value = assume.getSource();
      else if (auto cast = value.getDefiningOp<arith::IndexCastOp>(); cast && cast.getType().isIndex())
        value = cast.getIn();
      else if (auto extend = value.getDefiningOp<arith::ExtSIOp>())
        value = extend.getIn();
      else if (auto most = value.getDefiningOp<arith::MaxSIOp>(); most && matchPattern(most.getRhs(), m_Zero()))
        value = most.getLhs(); // The same where it is 0 or more, and no promise is about less.
      else if (auto product = value.getDefiningOp<arith::MulIOp>();
               product && alignment.getConstant(product.getRhs()) == 1)
        value = product.getLhs(); // By a stride that is promised to be 1.
      else
        break;
    }
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      Type type = value.getType();
      // A narrower type could not hold the numbers of a guard.
      bool isTestable = type.isIndex() || type.isInteger(32) || type.isInteger(64);
      bool isParameter = argument.getOwner()->isEntryBlock() && isa<func::FuncOp>(argument.getOwner()->getParentOp());
      return isTestable && isParameter ? Source{Source::Value, argument.getArgNumber()} : Source();
    }
    auto query = [](Value view, int64_t dim, Source::Kind kind) {
      ViewOrigin origin = ViewOrigin::of(view);
      auto argument = dyn_cast<BlockArgument>(origin.view);
      return argument && !whyNotOnHost(argument)
                 ? Source{kind, argument.getArgNumber(), static_cast<unsigned>(origin.dims[dim])}
                 : Source();
    };
    if (auto size = value.getDefiningOp<tile::ViewSizeOp>())
      return query(size.getView(), size.getDim(), Source::Size);
    if (auto stride = value.getDefiningOp<tile::ViewStrideOp>())
      return query(stride.getView(), stride.getDim(), Source::Stride);
    return {};
  }

  static std::optional<Promise> promiseDivisor(Source source, int64_t divisor) {
    static constexpr Promise::Kind kinds[] = {Promise::SizeDivisor, Promise::StrideDivisor, Promise::ValueDivisor};
    if (source.kind == Source::None)
      return std::nullopt;
    return Promise{kinds[source.kind - 1], source.argument, source.dim, divisor};
  }

  static std::optional<Promise> promiseRange(Source source, int64_t low, int64_t high) {
    static constexpr Promise::Kind kinds[] = {Promise::SizeRange, Promise::StrideRange, Promise::ValueRange};
    if (source.kind == Source::None)
      return std::nullopt;
    Promise promise{kinds[source.kind - 1], source.argument, source.dim};
    promise.low = low;
    promise.high = high;
    return promise;
  }

  /// A size or stride: `known`, or what `divisor`, the operand that gives it and promises about its source say.
  TmaNumber numberOf(std::optional<int64_t> known, int64_t divisor, Value operand, Source source, bool isSize) {
    if (known)
      return TmaNumber::exact(*known);
    TmaNumber number{divisor, {}, {}};
    if (operand) {
      if (std::optional<ConstantIntRanges> range = alignment.getRange(operand)) {
        number.min = range->smin().getSExtValue();
        number.max = range->smax().getSExtValue();
      }
    } else if (isSize) {
      number.min = 0;
    }
    for (const Promise &promise : assumed) {
      std::optional<Promise> alike = promiseRange(source, 0, 0);
      if (!alike || promise.kind != alike->kind || promise.argument != alike->argument || promise.dim != alike->dim)
        continue;
      number.min = std::max(number.min.value_or(promise.low), promise.low);
      number.max = std::min(number.max.value_or(promise.high), promise.high);
    }
    return number;
  }

  /// Adds what makes the address behind `origin` a multiple of 16 bytes; false where no promise does.
  bool needAlignedBase(Value origin, SmallVectorImpl<Promise> &needed) {
    Value base = origin;
    if (auto make = origin.getDefiningOp<tile::MakeViewOp>())
      base = make.getBase();
    while (true) {
      if (auto argument = dyn_cast<BlockArgument>(base)) {
        if (whyNotOnHost(argument))
          return false;
        addPromise(needed, {Promise::BaseDivisor, argument.getArgNumber(), 0, TmaLimits::kAlignBytes});
        return true;
      }
      if (auto add = base.getDefiningOp<tile::PtrAddOp>()) {
        int64_t bytes = elementBytes(cast<tile::PtrType>(add.getPtr().getType()).getPointee());
        int64_t unit = std::max<int64_t>(TmaLimits::kAlignBytes / std::max<int64_t>(bytes, 1), 1);
        if (alignment.getAlignment(add.getOffset()).divisor() % unit != 0) {
          std::optional<Promise> promise = promiseDivisor(sourceOf(add.getOffset()), unit);
          if (!promise)
            return false;
          addPromise(needed, *promise);
        }
        base = add.getPtr();
      } else if (auto assume = base.getDefiningOp<tile::AssumeOp>()) {
        base = assume.getSource();
      } else if (auto of = base.getDefiningOp<tile::ViewBaseOp>()) {
        base = ViewOrigin::of(of.getView()).view;
        if (!isa<BlockArgument>(base))
          return false;
      } else {
        return false;
      }
      if (isa<tile::PtrType>(base.getType()) && alignment.getAlignment(base).divisor() % TmaLimits::kAlignBytes == 0)
        return true;
    }
  }

  /// Whether the offset along `dim` is proved to be within these limits.
  bool isOffsetWithin(const BlockAccess &access, unsigned dim, int64_t low, int64_t high) {
    if (std::optional<ConstantIntRanges> range = alignment.getRange(access.offsets[dim]))
      if (range->smin().getSExtValue() >= low && range->smax().getSExtValue() <= high)
        return true;
    return inBounds.isWithin(access.offsets[dim], low, high, access.op);
  }

  /// Why there is no map for `access`. With `onlyKnown`, what is open and what is a matter of taste counts for nothing.
  std::string decideInto(const BlockAccess &access, TmaDecision &decision, bool onlyKnown = false) {
    if (std::string why = whyNoTma(access.op); !why.empty())
      return why;
    ViewOrigin origin = ViewOrigin::of(access.view);
    ScalarType type = *scalarTypeOf(access.tile.getElementType());
    TmaTensor tensor;
    tensor.type = type;
    tensor.rank = access.offsets.size();
    AlignmentFacts view = alignment.getAlignment(access.view);
    std::optional<TmaShape> shape = TmaShape::of(access.op, alignment);
    if (!shape) {
      bool isAnyUnknown = llvm::any_of(view.strides, [](std::optional<int64_t> stride) { return !stride; });
      return isAnyUnknown ? "no dim is known to have stride 1" : "no dim has stride 1";
    }
    ArrayRef<unsigned> order = shape->order;
    tensor.address = {view.base, {}, {}};
    auto make = origin.view.getDefiningOp<tile::MakeViewOp>();
    SmallVector<Source> sizes(tensor.rank), strides(tensor.rank);
    int64_t align = std::max<int64_t>(TmaLimits::kAlignBytes / scalarTypeBytes(type), 1);
    int64_t numBoxes = 1;
    for (auto [place, dim] : llvm::enumerate(order)) {
      unsigned from = origin.dims[dim];
      Value size = make ? sizeOperand(make, from) : Value(), stride = make ? strideOperand(make, from) : Value();
      auto parameter = [&](Source::Kind kind) {
        return Source{kind, cast<BlockArgument>(origin.view).getArgNumber(), from};
      };
      sizes[place] = !make ? parameter(Source::Size) : size ? sourceOf(size) : Source();
      strides[place] = !make ? parameter(Source::Stride) : stride ? sourceOf(stride) : Source();
      const int64_t *walked = llvm::find(access.walked, static_cast<int64_t>(dim));
      int64_t extent = walked == access.walked.end() ? 1 : access.tile.getDimSize(walked - access.walked.begin());
      uint32_t box = chooseTmaBoxExtent(extent, place == 0 ? align : 1);
      if (box == 0) // The rule of the inner box says what is wrong.
        box = std::min<int64_t>(extent, TmaLimits::kBoxExtent);
      numBoxes *= llvm::divideCeil(extent, box);
      tensor.dims[place] = {numberOf(view.sizes[dim], view.sizeDivisors[dim], size, sizes[place], /*isSize=*/true),
                            numberOf(view.strides[dim], view.strideDivisors[dim], stride, strides[place],
                                     /*isSize=*/false),
                            box, from};
    }

    std::string broken;
    SmallVector<TmaFinding> unknown;
    checkTma(tensor, [&](const TmaFinding &finding) {
      if (finding.isUnknown)
        unknown.push_back(finding);
      else if (broken.empty())
        broken = describeTmaFinding(tensor, finding);
    });
    if (!broken.empty() || onlyKnown)
      return broken;
    if (numBoxes > TmaLimits::kBoxesPerAccess)
      return "it takes " + std::to_string(numBoxes) + " boxes, at most " + std::to_string(TmaLimits::kBoxesPerAccess) +
             " are wanted";
    if (std::string why = checkOffsets(access, tensor, order, sizes, decision); !why.empty())
      return why;
    for (const TmaFinding &finding : unknown) {
      std::string text = describeTmaFinding(tensor, finding);
      if (!need(finding, tensor, origin.view, sizes, strides, align, decision.needed))
        return text;
      if (decision.missing.empty())
        decision.missing = text;
    }
    if (auto load = dyn_cast<tile::LoadOp>(access.op))
      decision.needsSelect = load.getPad() != tile::Pad::none && load.getPad() != tile::Pad::zero &&
                             llvm::is_contained(access.inBounds, false);
    return "";
  }

  /// Coordinates are signed and have 32 bits, and those of stores must not be negative.
  std::string checkOffsets(const BlockAccess &access, const TmaTensor &tensor, ArrayRef<unsigned> order,
                           ArrayRef<Source> sizes, TmaDecision &decision) {
    for (auto [place, dim] : llvm::enumerate(order)) {
      std::string name = "the offset of dim " + std::to_string(tensor.dims[place].name);
      if (access.isStore && !access.inBounds[dim] && !isOffsetWithin(access, dim, 0, INT64_MAX))
        return name + " is not proved to be 0 or more, which a store needs";
      const TmaNumber &size = tensor.dims[place].size;
      if (size.max && *size.max <= TmaLimits::kCoordinates)
        continue; // What a saturated offset leaves out lies outside.
      if (size.isExact()) {
        if (!isOffsetWithin(access, dim, INT32_MIN, INT32_MAX))
          return name + " is not proved to fit 32 bits, and the size is " + std::to_string(*size.max) + ", more than " +
                 std::to_string(TmaLimits::kCoordinates);
        continue;
      }
      std::optional<Promise> promise = promiseRange(sizes[place], 1, TmaLimits::kCoordinates);
      std::string text = "the size of dim " + std::to_string(tensor.dims[place].name) + " is not known to be 1 to " +
                         std::to_string(TmaLimits::kCoordinates);
      if (!promise)
        return text;
      if (decision.missing.empty())
        decision.missing = text;
      addPromise(decision.needed, *promise);
    }
    return "";
  }

  /// Adds the promise that makes a rule hold; false where there is none.
  bool need(const TmaFinding &finding, const TmaTensor &tensor, Value origin, ArrayRef<Source> sizes,
            ArrayRef<Source> strides, int64_t align, SmallVectorImpl<Promise> &needed) {
    std::optional<Promise> promise;
    switch (finding.rule) {
    case TmaRule::Address:
      return needAlignedBase(origin, needed);
    case TmaRule::Size:
      promise = promiseRange(sizes[finding.dim], 1, TmaLimits::kCoordinates);
      break;
    case TmaRule::StrideRange:
      promise = promiseRange(strides[finding.dim], 1, (TmaLimits::kStrideBytes - 1) / scalarTypeBytes(tensor.type));
      break;
    case TmaRule::StrideDivisor:
      promise = promiseDivisor(strides[finding.dim], align);
      break;
    default: // The others are known, one way or the other.
      return false;
    }
    if (promise)
      addPromise(needed, *promise);
    return promise.has_value();
  }
};
} // namespace

std::vector<TmaDecision> tilewright::planTma(func::FuncOp func, func::FuncOp grid, ArrayRef<Promise> assumed) {
  Planner planner(func, grid, assumed);
  std::vector<TmaDecision> decisions;
  func.walk([&](Operation *op) {
    if (std::optional<BlockAccess> access = BlockAccess::of(op))
      decisions.push_back(planner.decide(*access));
  });
  return decisions;
}

LogicalResult tilewright::checkTmaMarks(func::FuncOp func, const Target &target) {
  SmallVector<Operation *> marked;
  func.walk([&](Operation *op) {
    if (op->hasAttr("tile.tma"))
      marked.push_back(op);
  });
  if (marked.empty())
    return success();
  Planner planner(func, /*grid=*/{}, /*assumed=*/{});
  for (Operation *op : marked) {
    std::string why;
    if (!target.hasTma) {
      const Target *first = findFirstTarget([](const Target &row) { return row.hasTma; });
      why = llvm::formatv("{0} has no tensor maps; {1} is the first target that has them", target.name, first->name);
    } else {
      why = planner.findBroken(*BlockAccess::of(op));
    }
    if (!why.empty())
      return op->emitOpError() << "is marked tile.tma, but " << why;
  }
  return success();
}

SmallVector<Promise> tilewright::findUnitStrides(func::FuncOp func) {
  SmallVector<Promise> promises;
  for (BlockArgument argument : func.getArguments()) {
    auto view = dyn_cast<tile::ViewType>(argument.getType());
    if (!view || llvm::is_contained(view.getStrides(), 1) || !ShapedType::isDynamic(view.getStrides().back()))
      continue;
    unsigned last = view.getRank() - 1;
    Operation *blocker = nullptr;
    if (isDimWalked(argument, last) && canRefineView(argument, blocker))
      promises.push_back({Promise::UnitStride, argument.getArgNumber(), last, 1});
  }
  return promises;
}

void tilewright::addPromise(SmallVectorImpl<Promise> &promises, const Promise &promise) {
  for (Promise &known : promises)
    if (known.kind == promise.kind && known.argument == promise.argument && known.dim == promise.dim) {
      known.divisor = combineDivisors(known.divisor, promise.divisor);
      known.low = std::max(known.low, promise.low);
      known.high = std::min(known.high, promise.high);
      return;
    }
  promises.push_back(promise);
}

std::string tilewright::describeMemory(Value view) {
  Value origin = ViewOrigin::of(view).view;
  if (auto make = origin.getDefiningOp<tile::MakeViewOp>())
    origin = make.getBase();
  while (auto add = origin.getDefiningOp<tile::PtrAddOp>())
    origin = add.getPtr();
  if (auto base = origin.getDefiningOp<tile::ViewBaseOp>())
    origin = ViewOrigin::of(base.getView()).view;
  auto argument = dyn_cast<BlockArgument>(origin);
  auto func = argument ? dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp()) : func::FuncOp();
  return func && argument.getOwner()->isEntryBlock() ? describeParameter(func, argument.getArgNumber()) : "a view";
}
