// SPDX-License-Identifier: Apache-2.0
#include "tilewright/Dialect/Tile/Transforms/EpiloguePlan.h"
#include "tilewright/Dialect/Tile/Transforms/Passes.h"
#include "tilewright/Support/Counted.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/Remarks.h"
#include "llvm/Support/MathExtras.h"

namespace tilewright {
#define GEN_PASS_DEF_SUBTILEEPILOGUEPASS
#include "tilewright/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilewright

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

/// The type of `part` of a tile.
static RankedTensorType cutType(Type type, unsigned dim, const EpiloguePart &part) {
  auto tile = cast<RankedTensorType>(type);
  SmallVector<int64_t> shape(tile.getShape());
  shape[dim] = part.extent;
  return RankedTensorType::get(shape, tile.getElementType());
}

static DenseElementsAttr cutConstant(DenseElementsAttr attr, RankedTensorType type, unsigned dim, int64_t begin) {
  if (attr.isSplat())
    return attr.resizeSplat(type);
  // Rows of what lies within the dimension, of which each block of `before` keeps its own from `begin` on.
  int64_t within = 1, before = attr.getType().getDimSize(dim), kept = type.getDimSize(dim);
  for (unsigned i = dim + 1; i < type.getRank(); ++i)
    within *= type.getDimSize(i);
  SmallVector<Attribute> all(attr.getValues<Attribute>()), values;
  for (int64_t block = 0, end = all.size(); block < end; block += before * within)
    for (int64_t i = begin * within; i < (begin + kept) * within; ++i)
      values.push_back(all[block + i]);
  return DenseElementsAttr::get(type, values);
}

/// Offsets of an access whose tile begins `begin` further along `dim` of the tile.
template <typename AccessOp>
static SmallVector<Value> moveOffsets(OpBuilder &builder, AccessOp access, unsigned dim, int64_t begin) {
  SmallVector<Value> offsets(access.getOffsets());
  if (begin != 0) {
    // It may wrap around where the access ends: such an index is outside of every view either way.
    Value &offset = offsets[access.walkedDims()[dim]];
    Value shift = arith::ConstantIndexOp::create(builder, access.getLoc(), begin);
    offset = arith::AddIOp::create(builder, access.getLoc(), offset, shift);
  }
  return offsets;
}

/// Columns of an accumulator: blocks of the widest power of two that begin and end with them, side by side. Each block is
/// registers of every thread, which no single block of an odd multiple need be.
static Value cutAccumulator(OpBuilder &builder, Value value, unsigned dim, const EpiloguePart &part) {
  Location loc = value.getLoc();
  auto type = cast<RankedTensorType>(value.getType());
  int64_t width = part.begin | part.extent | type.getDimSize(dim);
  width &= -width;
  RankedTensorType blockType = cutType(type, dim, {0, width});
  SmallVector<Value> blocks;
  for (int64_t begin = part.begin; begin < part.begin + part.extent; begin += width) {
    SmallVector<Value> numbers(type.getRank(), arith::ConstantIndexOp::create(builder, loc, 0));
    numbers[dim] = arith::ConstantIndexOp::create(builder, loc, begin / width);
    blocks.push_back(ExtractOp::create(builder, loc, blockType, value, numbers));
  }
  if (blocks.size() == 1)
    return blocks[0];
  return ConcatOp::create(builder, loc, cutType(type, dim, part), blocks, dim);
}

namespace {
/// Makes the slices of one part of one store.
class PartBuilder {
public:
  PartBuilder(OpBuilder &builder, const EpilogueDecision &decision, const EpiloguePart &part)
      : builder(builder), slices(decision.slices), part(part), made(slices.size()) {}

  /// The part of the stored value, at the builder's place.
  Value run() {
    SmallVector<unsigned> work{0};
    while (!work.empty()) {
      unsigned number = work.back();
      auto open = llvm::find_if(slices[number].operands, [&](unsigned operand) { return !made[operand]; });
      if (open != slices[number].operands.end()) {
        work.push_back(*open);
        continue;
      }
      work.pop_back();
      if (!made[number])
        made[number] = make(slices[number]);
    }
    return made[0];
  }

private:
  OpBuilder &builder;
  ArrayRef<EpilogueSlice> slices;
  EpiloguePart part;
  SmallVector<Value> made;

  Value make(const EpilogueSlice &slice) {
    Value value = slice.value;
    Operation *op = value.getDefiningOp();
    Location loc = value.getLoc();
    RankedTensorType type = cutType(value.getType(), slice.dim, part);
    switch (slice.answer) {
    case SliceAnswer::Extract:
      return cutAccumulator(builder, value, slice.dim, part);
    case SliceAnswer::Constant:
      if (isa<ub::PoisonOp>(op))
        return ub::PoisonOp::create(builder, loc, type);
      return arith::ConstantOp::create(
          builder, loc,
          cutConstant(cast<DenseElementsAttr>(cast<arith::ConstantOp>(op).getValue()), type, slice.dim, part.begin));
    case SliceAnswer::Splat:
      return SplatOp::create(builder, loc, type, cast<SplatOp>(op).getSource());
    case SliceAnswer::Iota: {
      int64_t start = cast<IotaOp>(op).getStart().value_or(0) + part.begin;
      return IotaOp::create(builder, loc, type, start == 0 ? IntegerAttr() : builder.getI64IntegerAttr(start));
    }
    case SliceAnswer::Broadcast:
      return BroadcastOp::create(builder, loc, type,
                                 slice.operands.empty() ? cast<BroadcastOp>(op).getSource() : made[slice.operands[0]]);
    case SliceAnswer::Reshape:
      return ReshapeOp::create(builder, loc, type, made[slice.operands[0]]);
    case SliceAnswer::Permute:
      return PermuteOp::create(builder, loc, type, made[slice.operands[0]], cast<PermuteOp>(op).getOrder());
    case SliceAnswer::Load:
      return makeLoad(cast<LoadOp>(op), slice);
    case SliceAnswer::Elementwise: {
      IRMapping mapping;
      const unsigned *operand = slice.operands.begin();
      for (Value old : op->getOperands())
        if (isa<RankedTensorType>(old.getType()))
          mapping.map(old, made[*operand++]);
      Operation *clone = builder.clone(*op, mapping);
      for (Value result : clone->getResults())
        result.setType(cutType(result.getType(), slice.dim, part));
      return clone->getResult(cast<OpResult>(value).getResultNumber());
    }
    }
    llvm_unreachable("an answer");
  }

  Value makeLoad(LoadOp load, const EpilogueSlice &slice) {
    OpBuilder::InsertionGuard guard(builder);
    if (!slice.isSunk)
      builder.setInsertionPoint(load); // Memory is read where it was.
    auto made = LoadOp::create(builder, load.getLoc(), cutType(load.getResult().getType(), slice.dim, part), Type(),
                               load.getView(), moveOffsets(builder, load, slice.dim, part.begin), load.getDimsAttr(),
                               load.getInBoundsAttr(), load.getPadAttr(), SyncOrderAttr(), SyncScopeAttr(), Value());
    made->setDiscardableAttrs(load->getDiscardableAttrDictionary());
    return made.getResult();
  }
};

struct SubtileEpilogue : public tilewright::impl::SubtileEpiloguePassBase<SubtileEpilogue> {
  using SubtileEpiloguePassBase::SubtileEpiloguePassBase;

  void runOnOperation() override {
    func::FuncOp func = getOperation();
    if (!func->hasAttr("tile.kernel") || func.isExternal())
      return;
    std::string error;
    const Target *chosen = findTarget(target, &error);
    if (!chosen) {
      emitError(func.getLoc()) << error;
      return signalPassFailure();
    }
    std::vector<EpilogueDecision> decisions = planEpilogue(func, *chosen, parts, numWarps);
    for (const EpilogueDecision &decision : decisions)
      if (decision.isImpossible()) {
        EpilogueDecision refused = decision; // An op has no methods where it is constant.
        refused.store.emitOpError() << "cannot be done in " << counted(decision.asked, "part") << ", as "
                                    << decision.asker << " asks: " << decision.reason;
        return signalPassFailure();
      }
    if (auto wish = func->getAttrOfType<IntegerAttr>("tile.epilogue_parts");
        wish && wish.getInt() > 1 && decisions.empty()) {
      emitError(func.getLoc()) << "tile.epilogue_parts asks for " << wish.getInt()
                               << " parts of what products make, but the kernel stores no such tile";
      return signalPassFailure();
    }
    for (const EpilogueDecision &decision : decisions)
      explain(decision);
    SmallVector<Operation *> old;
    for (const EpilogueDecision &decision : decisions)
      if (decision.reason.empty())
        cut(decision, old);
    // Behind all stores, since they share values; users before what they use.
    for (bool changed = true; changed;) {
      changed = false;
      for (Operation *&op : old)
        if (op && isOpTriviallyDead(op)) {
          op->erase();
          op = nullptr;
          changed = true;
        }
    }
  }

private:
  /// Replaces a store by those of its parts. What may be dead then goes into `old`.
  static void cut(const EpilogueDecision &decision, SmallVectorImpl<Operation *> &old) {
    StoreOp store = decision.store;
    OpBuilder builder(store);
    for (const EpiloguePart &part : decision.parts) {
      Value value = PartBuilder(builder, decision, part).run();
      auto made = StoreOp::create(builder, store.getLoc(), Type(), value, store.getView(),
                                  moveOffsets(builder, store, decision.dim, part.begin), store.getDimsAttr(),
                                  store.getInBoundsAttr(), SyncOrderAttr(), SyncScopeAttr(), Value());
      made->setDiscardableAttrs(store->getDiscardableAttrDictionary());
      made->removeAttr("tile.epilogue_parts");
    }
    store.erase();
    for (const EpilogueSlice &slice : decision.slices)
      if (slice.answer != SliceAnswer::Extract && !llvm::is_contained(old, slice.value.getDefiningOp()))
        old.push_back(slice.value.getDefiningOp());
  }

  void explain(const EpilogueDecision &decision) {
    auto opts =
        remark::RemarkOpts::name("SubtileEpilogue").category(getArgument()).function(getOperation().getSymName());
    StoreOp store = decision.store;
    Location loc = store.getLoc();
    const EpilogueCost &cost = decision.cost;
    StringRef asAsked = decision.asked > 0 ? ", as asked" : "";
    if (decision.reason.empty()) {
      // Parts of different extents need different things, one behind the other.
      int64_t columns = decision.parts.back().begin + decision.parts.back().extent;
      auto perPart = [&](int64_t all) {
        std::string text;
        for (const EpiloguePart &part : decision.parts)
          text += (text.empty() ? "" : " + ") + std::to_string(part.extent * all / columns);
        return text;
      };
      bool isEven = llvm::all_of(decision.parts,
                                 [&](const EpiloguePart &part) { return part.extent == decision.parts[0].extent; });
      std::string chain = isEven ? std::to_string(cost.chainRegisters / int64_t(decision.parts.size()))
                                 : "(" + perPart(cost.chainRegisters) + ", one after the other)";
      std::string staging = isEven ? std::to_string(cost.stagingBytes / int64_t(decision.parts.size()))
                                   : "(" + perPart(cost.stagingBytes) + ", one after the other)";
      remark::passed(loc, opts) << remark::add(
          "store in {0} parts of {1} columns{2}: {3} + {4} registers of {5} instead of {3} + {6}, {7} bytes of shared "
          "memory to become rows instead of {8}, the products take {9}",
          decision.parts.size(), perPart(columns), asAsked, cost.accumulatorRegisters, chain, cost.registerBudget,
          cost.chainRegisters, staging, cost.stagingBytes, cost.loopBytes);
      if (Operation *load = decision.earlyLoad)
        remark::missed(load->getLoc(), opts)
            << remark::reason("all parts are read in front of the store, because {0}", decision.earlyReason);
      return;
    }
    if (decision.isNeedless) {
      std::string text =
          llvm::formatv("store in one part{0}: {1} + {2} registers of {3}, {4} bytes of shared memory to become "
                        "rows, the products take {5}",
                        asAsked, cost.accumulatorRegisters, cost.chainRegisters, cost.registerBudget, cost.stagingBytes,
                        cost.loopBytes);
      if (decision.asked > 0)
        remark::passed(loc, opts) << remark::add("{0}", text);
      else
        remark::analysis(loc, opts) << remark::add("{0}", text);
      return;
    }
    if (decision.asked > 0)
      remark::passed(loc, opts) << remark::add("store in one part, as asked; it could not be cut: {0}",
                                               decision.reason);
    else
      remark::missed(loc, opts) << remark::reason("store stays whole: {0}", decision.reason);
  }
};
} // namespace
