// SPDX-License-Identifier: Apache-2.0
#include "CarriedValues.h"
#include "tilewright/Dialect/Tile/IR/PermutedBlock.h"
#include "tilewright/Dialect/Tile/Transforms/Passes.h"
#include "tilewright/Dialect/Tile/Transforms/TransposePlan.h"
#include "tilewright/Support/Counted.h"

#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace tilewright {
#define GEN_PASS_DEF_FOLDTRANSPOSEPASS
#include "tilewright/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilewright

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

/// The elements of `attr` in another order of dimensions.
static DenseElementsAttr permuteConstant(DenseElementsAttr attr, RankedTensorType type, ArrayRef<int64_t> order) {
  if (attr.isSplat())
    return attr.resizeSplat(type);
  ArrayRef<int64_t> from = attr.getType().getShape();
  SmallVector<Attribute> values(attr.getValues<Attribute>()), permuted;
  SmallVector<int64_t> strides(from.size(), 1), index(from.size(), 0);
  for (size_t dim = from.size() - 1; dim-- > 0;)
    strides[dim] = strides[dim + 1] * from[dim + 1];
  while (static_cast<int64_t>(permuted.size()) < type.getNumElements()) {
    int64_t place = 0;
    for (auto [i, dim] : llvm::enumerate(order))
      place += index[i] * strides[dim];
    permuted.push_back(values[place]);
    for (size_t i = index.size(); i-- > 0 && ++index[i] == type.getDimSize(i);)
      index[i] = 0;
  }
  return DenseElementsAttr::get(type, permuted);
}

namespace {
/// Carries a plan out. A request begins as a `tile.permute` behind its value; each answer replaces one such op by
/// something equal, so the function is valid, and means the same, after every step.
class Rewrite {
public:
  Rewrite(IRRewriter &rewriter, const llvm::DenseSet<Operation *> &erased, const TransposeDecision &decision)
      : rewriter(rewriter), erased(erased), requests(decision.requests), made(requests.size()), decision(decision) {}

  void run() {
    carryThroughLoops();
    returnFromBranches();
    for (const TransposeRoot &root : decision.roots)
      for (unsigned number : root.requests)
        valueOf(number);
    while (!open.empty())
      answer(open.pop_back_val());
    llvm::SetVector<Operation *> old;
    for (const TransposeRequest &request : llvm::reverse(requests))
      if (Operation *op = request.isUsed ? current(request.value).getDefiningOp() : nullptr)
        old.insert(op);
    for (const TransposeRoot &root : decision.roots)
      replaceRoot(root);
    eraseDead(old.getArrayRef());
  }

private:
  IRRewriter &rewriter;
  const llvm::DenseSet<Operation *> &erased;
  ArrayRef<TransposeRequest> requests;
  SmallVector<Value> made;            ///< What each request gave so far.
  SmallVector<unsigned> open;         ///< Requests that are still a permute which is not meant.
  llvm::DenseMap<Value, Value> moved; ///< Results of loops and branches that were built anew.
  llvm::SetVector<Operation *> rebuilt;
  const TransposeDecision &decision;

  Value current(Value value) {
    auto it = moved.find(value);
    return it == moved.end() ? value : it->second;
  }

  Value valueOf(unsigned number) {
    if (made[number])
      return made[number];
    const TransposeRequest &request = requests[number];
    Value value = current(request.value);
    if (request.answer == TransposeAnswer::Same)
      return made[number] = value;
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointAfterValue(value);
    made[number] = PermuteOp::create(rewriter, value.getLoc(), permuteTileType(value.getType(), request.order), value,
                                     request.order);
    if (request.answer != TransposeAnswer::Move)
      open.push_back(number);
    return made[number];
  }

  /// Adds what loops carry. First of all: it makes loops anew.
  void carryThroughLoops() {
    llvm::MapVector<Operation *, SmallVector<unsigned>> carried;
    for (auto [number, request] : llvm::enumerate(requests))
      if (request.isUsed && request.answer == TransposeAnswer::LoopValue)
        carried[cast<BlockArgument>(request.value).getOwner()->getParentOp()].push_back(number);
    for (auto &[op, numbers] : carried) {
      auto loop = cast<scf::ForOp>(op);
      SmallVector<Value> inits(loop.getInitArgs());
      for (unsigned number : numbers)
        inits.push_back(valueOf(requests[number].operands[0]));
      rewriter.setInsertionPoint(loop);
      auto wider = scf::ForOp::create(rewriter, loop.getLoc(), loop.getLowerBound(), loop.getUpperBound(),
                                      loop.getStep(), inits, /*bodyBuilder=*/nullptr, loop.getUnsignedCmp());
      wider->setAttrs(loop->getAttrs());
      wider.getRegion().takeBody(loop.getRegion());
      Block *body = wider.getBody();
      for (unsigned number : numbers)
        settle(number, body->addArgument(permuteTileType(requests[number].value.getType(), requests[number].order),
                                         loop.getLoc()));
      replaceResults(loop, wider);
      // Both ends are there now, so requests in the body may refer to the new argument.
      SmallVector<Value> yielded;
      for (unsigned number : numbers)
        yielded.push_back(valueOf(requests[number].operands[1]));
      auto yield = cast<scf::YieldOp>(body->getTerminator());
      rewriter.modifyOpInPlace(yield, [&] { yield.getResultsMutable().append(yielded); });
      for (auto [number, request] : llvm::enumerate(requests)) {
        if (!request.isUsed || request.answer != TransposeAnswer::LoopResult)
          continue;
        const auto *place = llvm::find(numbers, request.operands[0]);
        if (place == numbers.end())
          continue;
        Value result = wider.getResult(loop->getNumResults() + (place - numbers.begin()));
        settle(number, result);
      }
      rebuilt.insert(wider);
      rewriter.eraseOp(loop);
    }
  }

  void returnFromBranches() {
    llvm::MapVector<Operation *, SmallVector<unsigned>> returned;
    for (auto [number, request] : llvm::enumerate(requests))
      if (request.isUsed && request.answer == TransposeAnswer::IfResult)
        returned[current(request.value).getDefiningOp()].push_back(number);
    for (auto &[op, numbers] : returned) {
      auto branch = cast<scf::IfOp>(op);
      SmallVector<Type> types(branch.getResultTypes());
      for (unsigned number : numbers)
        types.push_back(permuteTileType(requests[number].value.getType(), requests[number].order));
      rewriter.setInsertionPoint(branch);
      auto wider = scf::IfOp::create(rewriter, branch.getLoc(), types, branch.getCondition(), /*addThenBlock=*/false,
                                     /*addElseBlock=*/false);
      wider->setDiscardableAttrs(branch->getDiscardableAttrDictionary());
      wider.getThenRegion().takeBody(branch.getThenRegion());
      wider.getElseRegion().takeBody(branch.getElseRegion());
      replaceResults(branch, wider);
      for (unsigned side : {0u, 1u}) {
        SmallVector<Value> yielded;
        for (unsigned number : numbers)
          yielded.push_back(valueOf(requests[number].operands[side]));
        scf::YieldOp yield = side == 0 ? wider.thenYield() : wider.elseYield();
        rewriter.modifyOpInPlace(yield, [&] { yield.getResultsMutable().append(yielded); });
      }
      for (auto [place, number] : llvm::enumerate(numbers))
        settle(number, wider.getResult(branch->getNumResults() + place));
      rewriter.eraseOp(branch);
    }
  }

  /// `to` has the results of `from` and more.
  void replaceResults(Operation *from, Operation *to) {
    for (auto [old, replacement] : llvm::zip(from->getResults(), to->getResults())) {
      for (auto &entry : moved)
        if (entry.second == old)
          entry.second = replacement;
      for (Value &value : made)
        if (value == old)
          value = replacement;
      moved[old] = replacement;
      rewriter.replaceAllUsesWith(old, replacement);
    }
  }

  /// `value` is what the request asked for; a permute that stands for it goes.
  void settle(unsigned number, Value value) {
    Value standIn = made[number];
    made[number] = value;
    if (!standIn)
      return;
    rewriter.replaceAllUsesWith(standIn, value);
    for (Value &other : made)
      if (other == standIn)
        other = value;
    rewriter.eraseOp(standIn.getDefiningOp());
    llvm::erase(open, number);
  }

  void answer(unsigned number) {
    const TransposeRequest &request = requests[number];
    Value value = current(request.value);
    Operation *op = value.getDefiningOp();
    Type type = made[number].getType();
    Location loc = value.getLoc();
    rewriter.setInsertionPointAfterValue(value);
    Value result;
    switch (request.answer) {
    case TransposeAnswer::Relabel:
      result = ReshapeOp::create(rewriter, loc, type, value);
      break;
    case TransposeAnswer::Constant:
      if (isa<ub::PoisonOp>(op))
        result = ub::PoisonOp::create(rewriter, loc, type);
      else
        result =
            arith::ConstantOp::create(rewriter, loc,
                                      permuteConstant(cast<DenseElementsAttr>(cast<arith::ConstantOp>(op).getValue()),
                                                      cast<RankedTensorType>(type), request.order));
      break;
    case TransposeAnswer::Splat:
      result = SplatOp::create(rewriter, loc, type, cast<SplatOp>(op).getSource());
      break;
    case TransposeAnswer::Load:
      if (auto load = dyn_cast<LoadOp>(op))
        result = createPermutedLoad(rewriter, load, request.order);
      else
        result = createPermutedGather(rewriter, cast<GatherOp>(op), request.order);
      break;
    case TransposeAnswer::Elementwise: {
      IRMapping mapping;
      const unsigned *operand = request.operands.begin();
      for (Value old : op->getOperands())
        if (isa<RankedTensorType>(old.getType()))
          mapping.map(old, valueOf(*operand++));
      rewriter.setInsertionPointAfterValue(value);
      Operation *clone = rewriter.clone(*op, mapping);
      for (Value cloned : clone->getResults())
        cloned.setType(permuteTileType(cloned.getType(), request.order));
      result = clone->getResult(cast<OpResult>(value).getResultNumber());
      break;
    }
    case TransposeAnswer::Shape: {
      Value source = valueOf(request.operands[0]);
      rewriter.setInsertionPointAfterValue(value);
      if (isa<PermuteOp>(op))
        result = source;
      else if (isa<BroadcastOp>(op))
        result = BroadcastOp::create(rewriter, loc, type, source);
      else
        result = ReshapeOp::create(rewriter, loc, type, source);
      break;
    }
    case TransposeAnswer::Same:
    case TransposeAnswer::Move:
    case TransposeAnswer::LoopValue:
    case TransposeAnswer::LoopResult:
    case TransposeAnswer::IfResult:
      return; // Settled already.
    }
    settle(number, result);
  }

  void replaceRoot(const TransposeRoot &root) {
    SmallVector<Value> values;
    for (unsigned number : root.requests)
      values.push_back(made[number]);
    Operation *op = root.op;
    rewriter.setInsertionPoint(op);
    if (isa<PermuteOp>(op)) {
      rewriter.replaceOp(op, values);
      return;
    }
    if (auto store = dyn_cast<StoreOp>(op)) {
      createPermutedStore(rewriter, store, values[0], root.order);
      rewriter.eraseOp(op);
      return;
    }
    rewriter.modifyOpInPlace(op, [&] {
      op->setOperands(values);
      if (auto reduce = dyn_cast<ReduceOp>(op))
        reduce.setDim(llvm::find(root.order, static_cast<int64_t>(reduce.getDim())) - root.order.begin());
    });
  }

  /// Erases old values without uses. What a loop carries for itself alone is carried no longer.
  void eraseDead(ArrayRef<Operation *> old) {
    for (Operation *loop : rebuilt)
      freezeUnusedCarried(rewriter, cast<scf::ForOp>(loop));
    for (bool changed = true; changed;) {
      changed = false;
      for (Operation *op : old)
        if (!erased.contains(op) && op->getNumRegions() == 0 && isOpTriviallyDead(op)) {
          rewriter.eraseOp(op);
          changed = true;
        }
    }
  }
};

/// Notes which permutes are gone.
struct ErasureListener : public RewriterBase::Listener {
  llvm::DenseSet<Operation *> erased;
  void notifyOperationErased(Operation *op) override { erased.insert(op); }
};

struct FoldTranspose : public tilewright::impl::FoldTransposePassBase<FoldTranspose> {
  using FoldTransposePassBase::FoldTransposePassBase;

  void runOnOperation() override {
    func::FuncOp func = getOperation();
    SmallVector<PermuteOp> permutes;
    func.walk([&](PermuteOp op) { permutes.push_back(op); });
    ErasureListener listener;
    IRRewriter rewriter(&getContext(), &listener);
    for (PermuteOp permute : permutes) {
      if (listener.erased.contains(permute))
        continue;
      TransposeDecision decision = planTranspose(permute);
      explain(permute, decision);
      if (decision.outcome == TransposeOutcome::Kept || decision.outcome == TransposeOutcome::OperandOrder)
        continue;
      Rewrite(rewriter, listener.erased, decision).run();
    }
  }

private:
  void explain(PermuteOp permute, const TransposeDecision &decision) {
    auto opts = remark::RemarkOpts::name("FoldTranspose").category(getArgument()).function(getOperation().getSymName());
    Location loc = permute.getLoc();
    switch (decision.outcome) {
    case TransposeOutcome::Folded:
      remark::passed(loc, opts) << remark::add("transpose folded into {0}, of which {1} made a second time",
                                               counted(countLoads(decision), "load"),
                                               counted(decision.countSecondLoads(), "is", "are"));
      return;
    case TransposeOutcome::Sunk:
      remark::passed(loc, opts) << remark::add(
          "transpose undone in front of {0}",
          counted(decision.roots.size(), "store or reduction", "stores and reductions"));
      return;
    case TransposeOutcome::Moved:
      remark::passed(loc, opts) << remark::add(
          "transpose moved to {0}: {1} weighted bytes instead of {2}, stopped by {3}",
          counted(decision.count(TransposeAnswer::Move), "other place"), decision.costBytes, decision.savedBytes,
          firstReason(decision));
      return;
    case TransposeOutcome::OperandOrder:
      remark::analysis(loc, opts) << remark::add(
          "transpose stays as the order of a tile.dot operand, which costs nothing");
      return;
    case TransposeOutcome::Kept:
      if (decision.costBytes != 0)
        remark::missed(loc, opts) << remark::reason("transpose stays: {0}; {1} weighted bytes instead of {2}",
                                                    decision.reason, decision.costBytes, decision.savedBytes);
      else
        remark::missed(loc, opts) << remark::reason("transpose stays: {0}", decision.reason);
      return;
    }
  }

  static unsigned countLoads(const TransposeDecision &decision) {
    return llvm::count_if(decision.requests, [](const TransposeRequest &request) {
      return request.isUsed && request.answer != TransposeAnswer::Move &&
             isa_and_nonnull<LoadOp, GatherOp, LoadPtrOp>(request.value.getDefiningOp());
    });
  }
  static StringRef firstReason(const TransposeDecision &decision) {
    for (const TransposeRequest &request : decision.requests)
      if (request.isUsed && request.answer == TransposeAnswer::Move)
        return request.reason;
    return "";
  }
};
} // namespace
