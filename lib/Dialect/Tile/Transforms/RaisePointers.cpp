// SPDX-License-Identifier: Apache-2.0
#include "CarriedValues.h"
#include "tilewright/Dialect/Tile/Transforms/Passes.h"
#include "tilewright/Dialect/Tile/Transforms/PointerPlan.h"
#include "tilewright/Support/Counted.h"

#include "mlir/IR/Dominance.h"
#include "mlir/IR/Remarks.h"
#include "llvm/Support/FormatVariadic.h"

namespace tilewright {
#define GEN_PASS_DEF_RAISEPOINTERSPASS
#include "tilewright/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilewright

using namespace mlir;
using namespace tilewright;

namespace {
/// A number in the program and the interval that it lies in. 128 bits hold every sum and product of two that fit 64.
struct Emitted {
  Value value;
  __int128 min, max;
};

/// Builds the view access of a decision in front of its op.
class Raise {
public:
  Raise(IRRewriter &rewriter, const PointerDecision &decision, const AlignmentAnalysis &analysis,
        const AffineTiles &tiles, DominanceInfo &dominance)
      : rewriter(rewriter), decision(decision), analysis(analysis), tiles(tiles), dominance(dominance),
        loc(decision.op->getLoc()) {}

  void run() {
    rewriter.setInsertionPoint(decision.op);
    auto load = dyn_cast<tile::LoadPtrOp>(decision.op);
    auto store = dyn_cast<tile::StorePtrOp>(decision.op);
    auto tileType = cast<RankedTensorType>(load ? load.getResult().getType() : store.getValue().getType());
    SmallVector<int64_t> shape, strides;
    SmallVector<Value> sizes, strideValues, offsets;
    SmallVector<bool> inBounds;
    Value condition = emitCondition();
    for (auto [place, dim] : llvm::enumerate(decision.dims)) {
      // A condition for the whole access empties the view's first dimension.
      Value here = place == 0 ? condition : Value();
      inBounds.push_back(!dim.isChecked() && !here);
      offsets.push_back(dim.isChecked() ? emit(dim.start).value : index(0));
      std::optional<int64_t> known = knownSize(dim, tileType.getDimSize(place));
      if (known && !here) {
        shape.push_back(*known);
      } else {
        Value size = known ? index(*known) : emitSize(dim);
        if (here)
          size = arith::SelectOp::create(rewriter, loc, here, size, index(0));
        shape.push_back(ShapedType::kDynamic);
        sizes.push_back(size);
      }
      std::optional<int64_t> stride = dim.stride.asInt64();
      if (stride && !ShapedType::isDynamic(*stride)) {
        strides.push_back(*stride);
      } else {
        strides.push_back(ShapedType::kDynamic);
        strideValues.push_back(emit(dim.stride).value);
      }
    }
    Value base = decision.base;
    if (!decision.offset.isZero())
      base = tile::PtrAddOp::create(rewriter, loc, base.getType(), base, emit(decision.offset).value);
    auto type = tile::ViewType::get(rewriter.getContext(), shape, tileType.getElementType(), strides);
    Value view = tile::MakeViewOp::create(rewriter, loc, type, base, sizes, strideValues);

    auto flags = rewriter.getDenseBoolArrayAttr(inBounds);
    if (!load) {
      auto made = tile::StoreOp::create(rewriter, loc, Type(), store.getValue(), view, offsets, DenseI64ArrayAttr(),
                                        flags, tile::SyncOrderAttr(), tile::SyncScopeAttr(), Value());
      made->setDiscardableAttrs(store->getDiscardableAttrDictionary());
      rewriter.eraseOp(store);
      return;
    }
    auto made = tile::LoadOp::create(rewriter, loc, tileType, Type(), view, offsets, DenseI64ArrayAttr(), flags,
                                     tile::PadAttr::get(rewriter.getContext(), decision.pad), tile::SyncOrderAttr(),
                                     tile::SyncScopeAttr(), Value());
    made->setDiscardableAttrs(load->getDiscardableAttrDictionary());
    Value result = made.getResult();
    if (decision.selectsOther)
      result = arith::SelectOp::create(rewriter, loc, load.getMask(), result, load.getOther());
    rewriter.replaceOp(load, result);
  }

private:
  IRRewriter &rewriter;
  const PointerDecision &decision;
  const AlignmentAnalysis &analysis;
  const AffineTiles &tiles;
  DominanceInfo &dominance;
  Location loc;

  Value index(int64_t value) { return arith::ConstantIndexOp::create(rewriter, loc, value); }

  /// An integer of the program as an index.
  Emitted asIndex(Value value) {
    Emitted result{value, INT64_MIN, INT64_MAX};
    if (std::optional<ConstantIntRanges> range = analysis.getRange(value)) {
      result.min = range->smin().getSExtValue();
      result.max = range->smax().getSExtValue();
    }
    if (!value.getType().isIndex())
      result.value = arith::IndexCastOp::create(rewriter, loc, rewriter.getIndexType(), value);
    return result;
  }

  /// `min` and `max` as those of an op; nsw where they fit 64 bits.
  template <typename OpTy> Emitted combine(const Emitted &a, const Emitted &b, __int128 min, __int128 max) {
    bool isExact = min >= INT64_MIN && max <= INT64_MAX;
    auto flags = isExact ? arith::IntegerOverflowFlags::nsw : arith::IntegerOverflowFlags::none;
    Value value = OpTy::create(rewriter, loc, a.value, b.value, flags);
    return isExact ? Emitted{value, min, max} : Emitted{value, INT64_MIN, INT64_MAX};
  }

  Emitted multiply(const Emitted &a, const Emitted &b) {
    __int128 corners[] = {a.min * b.min, a.min * b.max, a.max * b.min, a.max * b.max};
    return combine<arith::MulIOp>(a, b, *std::min_element(corners, corners + 4),
                                  *std::max_element(corners, corners + 4));
  }

  /// The value of `polynomial`: a scalar that the program has already, or a sum of products of such. Exact modulo 2^64.
  Emitted emit(const Polynomial &polynomial) {
    for (Value scalar : tiles.findScalars(polynomial))
      if (!polynomial.asInt64() && dominance.properlyDominates(scalar, decision.op))
        return asIndex(scalar);
    std::optional<Emitted> sum;
    for (const auto &[product, coefficient] : polynomial.terms) {
      std::optional<Emitted> term;
      for (unsigned number : product) {
        Emitted symbol = asIndex(tiles.getSymbol(number));
        term = term ? multiply(*term, symbol) : symbol;
      }
      if (!term || coefficient != 1) {
        Emitted factor{index(static_cast<int64_t>(coefficient)), coefficient, coefficient};
        term = term ? multiply(*term, factor) : factor;
      }
      sum = sum ? combine<arith::AddIOp>(*sum, *term, sum->min + term->min, sum->max + term->max) : *term;
    }
    return sum ? *sum : Emitted{index(0), 0, 0};
  }

  static std::optional<int64_t> knownSize(const PointerDim &dim, int64_t extent) {
    if (!dim.isChecked())
      return extent;
    if (dim.bounds.size() != 1 || !dim.bounds[0].asInt64())
      return std::nullopt;
    return std::max<int64_t>(0, *dim.bounds[0].asInt64());
  }

  /// The smallest bound; 0 where it is negative, because a view has no negative size.
  Value emitSize(const PointerDim &dim) {
    std::optional<Emitted> smallest;
    for (const Polynomial &bound : dim.bounds) {
      Emitted size = emit(bound);
      if (!smallest)
        smallest = size;
      else
        smallest = Emitted{arith::MinSIOp::create(rewriter, loc, smallest->value, size.value),
                           std::min(smallest->min, size.min), std::min(smallest->max, size.max)};
    }
    if (smallest->min >= 0)
      return smallest->value;
    return arith::MaxSIOp::create(rewriter, loc, smallest->value, index(0));
  }

  Value emitCondition() {
    Value all;
    for (const auto &[low, high] : decision.conditions) {
      Value holds = arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::slt, emit(low).value, emit(high).value);
      all = all ? arith::AndIOp::create(rewriter, loc, all, holds).getResult() : holds;
    }
    return all;
  }
};

struct RaisePointers : public tilewright::impl::RaisePointersPassBase<RaisePointers> {
  using RaisePointersPassBase::RaisePointersPassBase;

  void runOnOperation() override {
    func::FuncOp func = getOperation();
    if (func.isExternal())
      return;
    AlignmentAnalysis analysis(func);
    AffineTiles tiles(analysis);
    std::vector<PointerDecision> decisions = planPointers(func, analysis, tiles);
    DominanceInfo dominance(func);
    IRRewriter rewriter(&getContext());
    bool changed = false;
    for (const PointerDecision &decision : decisions) {
      explain(decision);
      if (!decision.isRaised)
        continue;
      Raise(rewriter, decision, analysis, tiles, dominance).run();
      changed = true;
    }
    if (!changed)
      return;
    // Addresses and masks that nothing needs any longer, also where loops advance them.
    SmallVector<scf::ForOp> loops;
    func.walk([&](scf::ForOp loop) { loops.push_back(loop); });
    eraseDead(rewriter, func);
    for (scf::ForOp loop : loops)
      freezeUnusedCarried(rewriter, loop);
    eraseDead(rewriter, func);
  }

private:
  static void eraseDead(IRRewriter &rewriter, func::FuncOp func) {
    SmallVector<Operation *> ops;
    func.walk([&](Operation *op) {
      if (op->getNumRegions() == 0 && !op->hasTrait<OpTrait::IsTerminator>())
        ops.push_back(op);
    });
    for (Operation *op : llvm::reverse(ops))
      if (isOpTriviallyDead(op))
        rewriter.eraseOp(op);
  }

  void explain(const PointerDecision &decision) {
    auto opts = remark::RemarkOpts::name("RaisePointers").category(getArgument()).function(getOperation().getSymName());
    Location loc = decision.op->getLoc();
    if (!decision.isRaised) {
      remark::missed(loc, opts) << remark::reason("pointers stay: {0}", decision.reason);
      return;
    }
    std::string checked;
    llvm::raw_string_ostream stream(checked);
    for (auto [place, dim] : llvm::enumerate(decision.dims))
      if (dim.isChecked())
        stream << (checked.empty() ? "" : ", ") << place;
    remark::passed(loc, opts) << remark::add("pointers become a view of {0}, checked along [{1}]",
                                             counted(decision.dims.size(), "dim"), checked);
    if (decision.numWraps != 0)
      remark::analysis(loc, opts) << remark::add(
          "indices of {0} are remainders; lanes beyond the size are never stored", counted(decision.numWraps, "dim"));
    if (!decision.conditions.empty())
      remark::analysis(loc, opts) << remark::add(
          "{0} for the whole tile",
          counted(decision.conditions.size(), "part of the mask holds", "parts of the mask hold"));
    if (decision.selectsOther)
      remark::analysis(loc, opts) << remark::add("what masked lanes give is no pad: selected behind the load");
  }
};
} // namespace
