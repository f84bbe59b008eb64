// SPDX-License-Identifier: Apache-2.0
#include "tilewright/Dialect/Tile/Transforms/PointerPlan.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace tilewright;

/// Parts of a mask that are followed.
static constexpr size_t kMaxMaskParts = 256;

namespace {
/// A part of a mask: a tile of truths whose dimension d is dimension `dims[d]` of the access, or none (-1).
struct MaskPart {
  Value mask;
  SmallVector<int64_t> dims;
};

/// One comparison of a mask: `start + i < bound`, or, from below, `start + i >= 0`.
struct Limit {
  int64_t dim = -1;
  Polynomial start, bound;
  bool isLower = false;
  bool isProved = false; ///< That the index is not negative.
};

class Planner {
public:
  Planner(const AlignmentAnalysis &analysis, AffineTiles &tiles) : analysis(analysis), tiles(tiles) {}

  PointerDecision plan(Operation *op) {
    decision = PointerDecision();
    decision.op = op;
    decision.isRaised = succeeded(decide(op));
    return std::move(decision);
  }

private:
  const AlignmentAnalysis &analysis;
  AffineTiles &tiles;
  PointerDecision decision;
  SmallVector<Limit> limits;

  LogicalResult refuse(const Twine &reason) {
    decision.reason = reason.str();
    return failure();
  }

  LogicalResult decide(Operation *op) {
    auto load = dyn_cast<tile::LoadPtrOp>(op);
    auto store = dyn_cast<tile::StorePtrOp>(op);
    Value pointers = load ? load.getPtr() : store.getPtr(), mask = load ? load.getMask() : store.getMask();
    if (load ? (load.getOrder() || load.getAfter() || load.getDone())
             : (store.getOrder() || store.getAfter() || store.getDone()))
      return refuse("the access has its place in an order");
    auto type = cast<RankedTensorType>(pointers.getType());
    Type element = cast<tile::PtrType>(type.getElementType()).getPointee();
    if (type.getEncoding())
      return refuse("layouts are fixed already");
    if (type.getRank() > tile::kMaxViewRank)
      return refuse(
          llvm::formatv("views have at most {0} dimensions, pointers {1}", tile::kMaxViewRank, type.getRank()));
    if (element.getIntOrFloatBitWidth() < 8 && !element.isInteger(1))
      return refuse("elements share bytes");
    const AffineTile *form = tiles.get(pointers);
    if (!form)
      return refuse("the address has no affine form: " + tiles.whyNot(pointers));
    if (!form->base)
      return refuse("the address counts from no one pointer");
    decision.base = form->base;
    decision.dims.resize(type.getRank());
    for (auto [dim, step] : llvm::zip(decision.dims, form->steps))
      dim.stride = step;

    limits.clear();
    if (mask && failed(readMask({mask, llvm::to_vector(llvm::seq<int64_t>(0, type.getRank()))})))
      return failure();
    for (unsigned dim = 0; dim < decision.dims.size(); ++dim)
      if (failed(setLimits(dim)) || failed(unwrap(dim, form->wraps[dim], load)))
        return failure();

    std::optional<Polynomial> offset = form->uniform;
    for (const PointerDim &dim : decision.dims)
      if (dim.isChecked()) {
        std::optional<Polynomial> skipped = multiply(dim.stride, dim.start);
        offset = offset && skipped ? subtract(*offset, *skipped) : std::nullopt;
      }
    if (!offset || !offset->hasInt64Coefficients())
      return refuse("the form of its view is too long");
    decision.offset = *offset;
    if (load)
      choosePad(load, element);
    return success();
  }

  /// Splits a mask into comparisons.
  LogicalResult readMask(MaskPart whole) {
    SmallVector<MaskPart> parts{std::move(whole)};
    for (size_t i = 0; i < parts.size(); ++i) {
      if (parts.size() > kMaxMaskParts)
        return refuse(llvm::formatv("the mask has more than {0} parts", kMaxMaskParts));
      MaskPart part = parts[i]; // A copy: the list grows.
      APInt constant;
      if (matchPattern(part.mask, m_ConstantInt(&constant)) && constant.isOne())
        continue;
      Operation *op = part.mask.getDefiningOp();
      if (!op)
        return refuse("the mask comes from an argument");
      if (isa<arith::AndIOp>(op)) {
        parts.push_back({op->getOperand(0), part.dims});
        parts.push_back({op->getOperand(1), part.dims});
      } else if (auto compare = dyn_cast<arith::CmpIOp>(op)) {
        if (failed(readComparison(compare, part.dims)))
          return failure();
      } else if (isa<tile::SplatOp>(op)) {
        parts.push_back({op->getOperand(0), {}});
      } else if (isa<tile::BroadcastOp>(op)) {
        auto source = cast<RankedTensorType>(op->getOperand(0).getType());
        for (auto [dim, extent] : llvm::enumerate(source.getShape()))
          if (extent == 1)
            part.dims[dim] = -1;
        parts.push_back({op->getOperand(0), part.dims});
      } else if (auto permute = dyn_cast<tile::PermuteOp>(op)) {
        SmallVector<int64_t> dims(part.dims.size());
        for (auto [to, from] : llvm::enumerate(permute.getOrder()))
          dims[from] = part.dims[to];
        parts.push_back({permute.getSource(), dims});
      } else if (isa<tile::ReshapeOp>(op)) {
        auto from = cast<RankedTensorType>(op->getOperand(0).getType());
        auto to = cast<RankedTensorType>(op->getResult(0).getType());
        SmallVector<int64_t> dims;
        SmallVector<std::pair<int64_t, int64_t>> kept; // extent and dim of the access
        for (auto [dim, extent] : llvm::enumerate(to.getShape()))
          if (extent != 1)
            kept.push_back({extent, part.dims[dim]});
        size_t next = 0;
        bool isSame = true;
        for (int64_t extent : from.getShape()) {
          dims.push_back(-1);
          if (extent == 1)
            continue;
          isSame = isSame && next < kept.size() && kept[next].first == extent;
          if (isSame)
            dims.back() = kept[next++].second;
        }
        if (!isSame || next != kept.size())
          return refuse("tile.reshape splits or merges dimensions of the mask");
        parts.push_back({op->getOperand(0), dims});
      } else {
        return refuse(op->getName().getStringRef() + " makes the mask");
      }
    }
    return success();
  }

  /// One comparison, as `low < high`.
  LogicalResult readComparison(arith::CmpIOp compare, ArrayRef<int64_t> dims) {
    using Predicate = arith::CmpIPredicate;
    Predicate predicate = compare.getPredicate();
    Value lowValue = compare.getLhs(), highValue = compare.getRhs();
    bool isEqualAllowed = false;
    switch (predicate) {
    case Predicate::eq:
    case Predicate::ne:
      return refuse("the mask compares for equality");
    case Predicate::slt:
    case Predicate::ult:
      break;
    case Predicate::sle:
    case Predicate::ule:
      isEqualAllowed = true;
      break;
    case Predicate::sgt:
    case Predicate::ugt:
      std::swap(lowValue, highValue);
      break;
    case Predicate::sge:
    case Predicate::uge:
      std::swap(lowValue, highValue);
      isEqualAllowed = true;
      break;
    }
    std::optional<ConstantIntRanges> lowRange = analysis.getRange(lowValue), highRange = analysis.getRange(highValue);
    if (predicate == Predicate::ult || predicate == Predicate::ule || predicate == Predicate::ugt ||
        predicate == Predicate::uge) {
      if (!lowRange || !highRange || lowRange->smin().isNegative() || highRange->smin().isNegative())
        return refuse("the mask compares numbers without a sign that may be negative with one");
    }
    if (lowRange && highRange &&
        (isEqualAllowed ? lowRange->smax().sle(highRange->smin()) : lowRange->smax().slt(highRange->smin())))
      return success(); // Always true.
    const AffineTile *low = tiles.get(lowValue), *high = tiles.get(highValue);
    if (!low || !high)
      return refuse("the mask has no affine form: " + tiles.whyNot(low ? highValue : lowValue));
    if (!low->isExact || !high->isExact)
      return refuse("the mask compares a number that may wrap in 64 bits");
    if (low->hasWraps() || high->hasWraps())
      return refuse("the mask compares a remainder");
    std::optional<Polynomial> bound = add(high->uniform, Polynomial::constant(isEqualAllowed));
    if (!bound)
      return refuse("the form of its mask is too long");
    if (!tiles.fits64Bits(low->uniform) || !tiles.fits64Bits(*bound))
      return refuse("a number of the mask may not fit 64 bits");

    Limit limit;
    int64_t step = 0;
    bool isLowIndex = true; // The index is the low side and nothing else.
    for (unsigned d = 0; d < low->steps.size(); ++d) {
      std::optional<Polynomial> net = subtract(low->steps[d], high->steps[d]);
      if (dims[d] < 0 || (net && net->isZero()))
        continue;
      std::optional<int64_t> constant = net ? net->asInt64() : std::nullopt;
      if (!constant || (*constant != 1 && *constant != -1) || limit.dim >= 0)
        return refuse("the mask compares more than one index, or a multiple of one");
      limit.dim = dims[d];
      step = *constant;
      isLowIndex = high->steps[d].isZero();
    }
    if (limit.dim < 0) {
      decision.conditions.push_back({low->uniform, *bound});
      return success();
    }
    if (step == 1) {
      limit.start = low->uniform;
      limit.bound = *bound;
      bool isProved = (isLowIndex && lowRange && !lowRange->smin().isNegative()) || tiles.isNonNegative(limit.start);
      // Whether it is needed shows when a limit from below is found or not.
      limit.isProved = isProved;
      limits.push_back(limit);
      return success();
    }
    // low < bound + i: the index counts from low + 1.
    std::optional<int64_t> least = low->uniform.asInt64();
    if (!least || *least == INT64_MAX)
      return refuse("the mask bounds an index from below by a number that is not known");
    std::optional<Polynomial> start = subtract(*bound, Polynomial::constant(*least + 1));
    if (!start)
      return refuse("the form of its mask is too long");
    if (!tiles.fits64Bits(*start))
      return refuse("a number of the mask may not fit 64 bits");
    limit.start = *start;
    limit.isLower = true;
    limits.push_back(limit);
    return success();
  }

  /// Start and sizes of one dimension from the limits that were found.
  LogicalResult setLimits(int64_t dim) {
    PointerDim &result = decision.dims[dim];
    const Limit *lower = nullptr;
    for (const Limit &limit : limits)
      if (limit.dim == dim && limit.isLower) {
        if (lower && !(lower->start == limit.start))
          return refuse("the mask bounds an index from below twice");
        lower = &limit;
      }
    bool hasStart = lower != nullptr;
    if (lower)
      result.start = lower->start;
    for (const Limit &limit : limits) {
      if (limit.dim != dim || limit.isLower)
        continue;
      if (!lower && !limit.isProved)
        return refuse(llvm::formatv("the index of dim {0} may be negative, and the mask does not check that", dim));
      Polynomial start = limit.start, bound = limit.bound;
      if (!lower) // i < n - 32 k is 32 k + i < n.
        for (const auto &[product, coefficient] : limit.bound.terms) {
          if (product.empty() || coefficient >= 0)
            continue;
          std::optional<Polynomial> term = Polynomial::constant(-coefficient);
          for (unsigned symbol : product)
            term = term ? multiply(*term, Polynomial::symbol(symbol)) : std::nullopt;
          if (!term || !tiles.isNonNegative(*term))
            continue;
          std::optional<Polynomial> movedStart = add(start, *term), movedBound = add(bound, *term);
          if (movedStart && movedBound && tiles.fits64Bits(*movedStart) && tiles.fits64Bits(*movedBound)) {
            start = *movedStart;
            bound = *movedBound;
          }
        }
      if (!hasStart) {
        hasStart = true;
        result.start = start;
      }
      if (failed(addBound(result, start, bound)))
        return failure();
    }
    if (lower && result.bounds.empty())
      return refuse(llvm::formatv("the mask bounds dim {0} from below only", dim));
    return success();
  }

  /// `start + i < bound` as a limit of an index that counts from `dim.start`.
  LogicalResult addBound(PointerDim &dim, const Polynomial &start, const Polynomial &bound) {
    std::optional<Polynomial> shift = subtract(dim.start, start);
    std::optional<Polynomial> shifted = shift ? add(bound, *shift) : std::nullopt;
    if (!shifted)
      return refuse("the form of its mask is too long");
    if (!tiles.fits64Bits(*shifted))
      return refuse("a number of the mask may not fit 64 bits");
    if (!llvm::is_contained(dim.bounds, *shifted))
      dim.bounds.push_back(*shifted);
    return success();
  }

  /// A remainder counts as the index itself where lanes in which it is not are masked, or never stored.
  LogicalResult unwrap(int64_t dim, const std::optional<IndexWrap> &wrap, tile::LoadPtrOp load) {
    if (!wrap)
      return success();
    PointerDim &result = decision.dims[dim];
    if (result.isChecked()) {
      PointerDim probe;
      probe.start = result.start;
      if (failed(addBound(probe, wrap->start, wrap->size)))
        return failure();
      if (llvm::is_contained(result.bounds, probe.bounds[0]))
        return success();
    }
    if (!load)
      return refuse(llvm::formatv("the index of dim {0} is a remainder, and the mask does not bound it", dim));
    std::string why = findStoredLane(load.getResult(), dim, *wrap);
    if (!why.empty())
      return refuse(llvm::formatv("the index of dim {0} is a remainder, and lanes beyond its size {1}", dim, why));
    if (!result.isChecked())
      result.start = wrap->start;
    ++decision.numWraps;
    return addBound(result, wrap->start, wrap->size);
  }

  /// Empty if every lane of `value` whose index along `dim` is beyond the size of `wrap` ends in masked lanes of
  /// stores; otherwise what else may become of it.
  std::string findStoredLane(Value value, int64_t dim, const IndexWrap &wrap) {
    llvm::SetVector<std::pair<Value, int64_t>> reached;
    reached.insert({value, dim});
    for (size_t i = 0; i < reached.size(); ++i) {
      auto [current, place] = reached[i];
      for (OpOperand &use : current.getUses()) {
        std::string why = followUse(use, place, wrap, reached);
        if (!why.empty())
          return why;
      }
    }
    return "";
  }

  std::string followUse(OpOperand &use, int64_t place, const IndexWrap &wrap,
                        llvm::SetVector<std::pair<Value, int64_t>> &reached) {
    Operation *user = use.getOwner();
    std::string name = user->getName().getStringRef().str();
    if (auto store = dyn_cast<tile::StorePtrOp>(user)) {
      if (use.getOperandNumber() != 0)
        return "reach an address or a mask";
      if (store.getMask() && isBoundedBy(store.getMask(), place, wrap))
        return "";
      return "are stored";
    }
    if (isa<scf::YieldOp>(user)) {
      Operation *parent = user->getParentOp();
      if (auto loop = dyn_cast<scf::ForOp>(parent)) {
        reached.insert({loop.getResult(use.getOperandNumber()), place});
        reached.insert({loop.getRegionIterArg(use.getOperandNumber()), place});
        return "";
      }
      if (isa<scf::IfOp>(parent)) {
        reached.insert({parent->getResult(use.getOperandNumber()), place});
        return "";
      }
      return "reach " + parent->getName().getStringRef().str();
    }
    if (auto loop = dyn_cast<scf::ForOp>(user)) {
      if (use.getOperandNumber() < loop.getNumControlOperands())
        return "reach " + name;
      unsigned number = use.getOperandNumber() - loop.getNumControlOperands();
      reached.insert({loop.getResult(number), place});
      reached.insert({loop.getRegionIterArg(number), place});
      return "";
    }
    if (auto dot = dyn_cast<tile::DotOp>(user)) {
      int64_t rank = cast<RankedTensorType>(use.get().getType()).getRank();
      // Rows of the left operand are rows of the result, columns of the right one its columns.
      if ((use.getOperandNumber() == 0 && place == rank - 1) || (use.getOperandNumber() == 1 && place == rank - 2))
        return "are summed by tile.dot";
      reached.insert({dot.getResult(), place});
      return "";
    }
    if (auto reduce = dyn_cast<tile::ReduceOp>(user)) {
      int64_t dim = reduce.getDim();
      if (place == dim)
        return "are combined by tile.reduce";
      for (Value result : reduce.getResults())
        reached.insert({result, place > dim ? place - 1 : place});
      return "";
    }
    if (auto permute = dyn_cast<tile::PermuteOp>(user)) {
      const int64_t *to = llvm::find(permute.getOrder(), place);
      reached.insert({permute.getResult(), to - permute.getOrder().begin()});
      return "";
    }
    if (isa<tile::BroadcastOp>(user)) {
      reached.insert({user->getResult(0), place});
      return "";
    }
    if (auto reshape = dyn_cast<tile::ReshapeOp>(user)) {
      ArrayRef<int64_t> from = cast<RankedTensorType>(use.get().getType()).getShape();
      ArrayRef<int64_t> to = cast<RankedTensorType>(reshape.getResult().getType()).getShape();
      SmallVector<int64_t> fromDims, toDims;
      for (auto [d, extent] : llvm::enumerate(from))
        if (extent != 1)
          fromDims.push_back(d);
      for (auto [d, extent] : llvm::enumerate(to))
        if (extent != 1)
          toDims.push_back(d);
      bool isSame = fromDims.size() == toDims.size();
      for (size_t d = 0; isSame && d < toDims.size(); ++d)
        isSame = from[fromDims[d]] == to[toDims[d]];
      const int64_t *at = llvm::find(fromDims, place);
      if (!isSame || at == fromDims.end())
        return "reach tile.reshape";
      reached.insert({reshape.getResult(), toDims[at - fromDims.begin()]});
      return "";
    }
    bool isLanewise = user->hasTrait<OpTrait::Elementwise>() && isMemoryEffectFree(user) && isSpeculatable(user);
    if (!isLanewise)
      return "reach " + name;
    for (Value result : user->getResults())
      reached.insert({result, place});
    return "";
  }

  /// Whether `mask` is false in each lane whose index along `dim`, `wrap.start + i`, is not below `wrap.size`.
  bool isBoundedBy(Value mask, int64_t dim, const IndexWrap &wrap) {
    PointerDecision saved = std::move(decision);
    SmallVector<Limit> savedLimits = std::move(limits);
    decision = PointerDecision();
    limits.clear();
    int64_t rank = cast<RankedTensorType>(mask.getType()).getRank();
    bool isBounded = false;
    if (succeeded(readMask({mask, llvm::to_vector(llvm::seq<int64_t>(0, rank))}))) {
      std::optional<Polynomial> gap = subtract(wrap.size, wrap.start);
      for (const Limit &limit : limits) {
        std::optional<Polynomial> other = subtract(limit.bound, limit.start);
        isBounded |= limit.dim == dim && !limit.isLower && gap && other && *gap == *other;
      }
    }
    decision = std::move(saved);
    limits = std::move(savedLimits);
    return isBounded;
  }

  void choosePad(tile::LoadPtrOp load, Type element) {
    bool isChecked = !decision.conditions.empty() ||
                     llvm::any_of(decision.dims, [](const PointerDim &dim) { return dim.isChecked(); });
    if (!load.getOther()) {
      // Lanes that are never stored: zero is better company in a product than what no check gives.
      decision.pad = decision.numWraps != 0 ? tile::Pad::zero : tile::Pad::none;
      return;
    }
    if (!isChecked)
      return; // The mask is true everywhere.
    decision.selectsOther = true;
    decision.pad = tile::Pad::none;
    DenseElementsAttr other;
    if (!matchPattern(load.getOther(), m_Constant(&other)) || !other.isSplat())
      return;
    if (auto integer = dyn_cast<IntegerType>(element)) {
      if (other.getSplatValue<APInt>().isZero())
        decision.pad = tile::Pad::zero;
    } else if (element.isF16() || element.isBF16() || element.isF32() || element.isF64()) {
      APFloat value = other.getSplatValue<APFloat>();
      if (value.isZero())
        decision.pad = value.isNegative() ? tile::Pad::neg_zero : tile::Pad::zero;
      else if (value.isInfinity())
        decision.pad = value.isNegative() ? tile::Pad::neg_inf : tile::Pad::pos_inf;
      else if (value.bitwiseIsEqual(APFloat::getQNaN(value.getSemantics())))
        decision.pad = tile::Pad::nan;
    }
    decision.selectsOther = decision.pad == tile::Pad::none;
  }
};
} // namespace

std::vector<PointerDecision> tilewright::planPointers(func::FuncOp func, const AlignmentAnalysis &analysis,
                                                      AffineTiles &tiles) {
  std::vector<PointerDecision> decisions;
  Planner planner(analysis, tiles);
  func.walk([&](Operation *op) {
    bool isTile = false;
    if (auto load = dyn_cast<tile::LoadPtrOp>(op))
      isTile = isa<RankedTensorType>(load.getPtr().getType());
    else if (auto store = dyn_cast<tile::StorePtrOp>(op))
      isTile = isa<RankedTensorType>(store.getPtr().getType());
    if (isTile)
      decisions.push_back(planner.plan(op));
  });
  return decisions;
}
