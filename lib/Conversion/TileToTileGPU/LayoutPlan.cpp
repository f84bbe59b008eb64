// SPDX-License-Identifier: Apache-2.0
#include "LayoutFlow.h"
#include "tilewright/Dialect/Tile/IR/Tile.h"
#include "tilewright/Dialect/Tile/Transforms/DotChoice.h"
#include "tilewright/Layout/AxisFactors.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tilewright;
using tile_gpu::LayoutAttr;

namespace {

class Planner {
public:
  Planner(func::FuncOp func, const AccessShapes &access, unsigned numWarps)
      : func(func), access(access), numWarps(numWarps) {}

  LayoutPlan run() {
    collect();
    do {
      do
        flowForward(/*enterLoops=*/false);
      while (changed);
      flowForward(/*enterLoops=*/true);
      if (!changed)
        flowBackward();
      if (!changed)
        settleOne();
    } while (changed);
    improveLayouts(func, plan, access, numWarps);
    duplicateTiles(func, plan, access, numWarps);
    collectWishes();
    return std::move(plan);
  }

private:
  func::FuncOp func;
  const AccessShapes &access;
  unsigned numWarps;
  bool rowsInWarps = wantsRowsInWarps(func);
  LayoutPlan plan;
  SmallVector<Operation *> ops; ///< Ops that touch tiles, in program order.
  SmallVector<Value> rigid;     ///< Tiles that are not flexible, in program order.
  bool changed = false;

  static bool touchesTiles(Operation *op) {
    return llvm::any_of(op->getOperands(), isTile) || llvm::any_of(op->getResults(), isTile);
  }

  /// An op whose result costs nothing to make again from operands that cost nothing.
  bool isFlexibleOp(Operation *op) {
    if (op->getNumRegions() != 0 || op->getNumResults() != 1 || !isMemoryEffectFree(op))
      return false;
    if (isa<tile::DotOp, tile::ToScalarOp>(op))
      return false;
    bool known = isa<arith::ConstantOp, tile::SplatOp, tile::IotaOp, tile::BroadcastOp, tile::ReshapeOp,
                     tile::PermuteOp, tile::PtrAddOp, tile::PtrCastOp, ub::PoisonOp>(op) ||
                 op->hasTrait<OpTrait::Elementwise>();
    return known && llvm::all_of(op->getOperands(), [&](Value operand) {
             return !isTile(operand) || plan.flexible.contains(operand);
           });
  }

  void collect() {
    func.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (isa<tile::ReduceOp, tile::ScanOp>(op->getParentOp()))
        return;
      bool flexible = isFlexibleOp(op);
      if (touchesTiles(op))
        ops.push_back(op);
      for (Value result : op->getResults())
        if (isTile(result)) {
          if (flexible)
            plan.flexible.insert(result);
          else
            rigid.push_back(result);
        }
      for (Region &region : op->getRegions())
        for (Block &block : region)
          for (Value argument : block.getArguments())
            if (isTile(argument))
              rigid.push_back(argument);
    });
  }

  LayoutAttr has(Value value) { return plan.layoutOf.lookup(value); }

  void give(Value value, LayoutAttr layout) {
    if (!layout || plan.flexible.contains(value) || has(value))
      return;
    plan.layoutOf[value] = layout;
    changed = true;
    for (Value same : tiedTo(value))
      plan.layoutOf.try_emplace(same, layout);
  }

  /// What the result of `op` is, given what its operands are; null while nothing is known.
  LayoutAttr resultLayout(Operation *op, RankedTensorType type) {
    if (isa<tile::LoadOp, tile::GatherOp>(op))
      return coalescedLayout(type, access.lookup(op), numWarps);
    if (auto load = dyn_cast<tile::LoadPtrOp>(op)) {
      LayoutAttr own = has(load.getPtr());
      return own ? own : coalescedLayout(type, access.lookup(op), numWarps);
    }
    if (isa<tile::AtomicRmwOp, tile::AtomicCasOp>(op)) {
      for (Value operand : op->getOperands())
        if (LayoutAttr own = isTile(operand) ? has(operand) : LayoutAttr())
          return own;
      return coalescedLayout(type, AccessShape{static_cast<unsigned>(type.getRank() - 1), 1}, numWarps);
    }
    if (auto dot = dyn_cast<tile::DotOp>(op))
      return accumulatorLayout(dot, numWarps, rowsInWarps);
    if (auto reduce = dyn_cast<tile::ReduceOp>(op)) {
      LayoutAttr source = wantedOperandLayout(op, 0, {}, plan, access, numWarps);
      for (Value value : reduce.getSources())
        if (!plan.flexible.contains(value) && !has(value))
          return {}; // Not yet.
      return dropDim(source, reduce.getDim());
    }
    if (auto scan = dyn_cast<tile::ScanOp>(op)) {
      LayoutAttr source;
      bool isFree = true; // All sources can be made in any layout.
      for (Value value : scan.getSources()) {
        source = source ? source : has(value);
        isFree = isFree && plan.flexible.contains(value);
      }
      if (!source && !isFree)
        return {}; // Not yet.
      if (source && layout::isScannable(source.toLayout(), scan.getDim()))
        return source;
      source = source ? source : defaultLayout(type, numWarps);
      LayoutAttr other = scannableLayout(source, scan.getDim());
      return other ? other : source; // Where there is none, the lowering says so.
    }
    if (auto concat = dyn_cast<tile::ConcatOp>(op)) {
      for (Value value : concat.getSources()) {
        LayoutAttr source = has(value);
        if (!source)
          continue;
        int64_t extent = tileType(value).getDimSize(concat.getDim()), count = concat.getSources().size();
        bool isEven = type.getDimSize(concat.getDim()) == extent * count;
        LayoutAttr stacked = isEven ? stackLayout(source, concat.getDim(), count) : LayoutAttr();
        return stacked ? stacked : defaultLayout(type, numWarps);
      }
      return {};
    }
    if (auto extract = dyn_cast<tile::ExtractOp>(op)) {
      LayoutAttr source = has(extract.getSource());
      if (!source)
        return {};
      bool stays = staysInRegisters(extract.getIndices(), source, type.getShape());
      return stays ? blockLayout(source, type.getShape()) : defaultLayout(type, numWarps);
    }
    if (auto insert = dyn_cast<tile::InsertOp>(op))
      return has(insert.getDest());
    if (auto permute = dyn_cast<tile::PermuteOp>(op)) {
      LayoutAttr source = has(permute.getSource());
      return source ? permuteLayout(source, permute.getOrder()) : LayoutAttr();
    }
    if (auto reshape = dyn_cast<tile::ReshapeOp>(op)) {
      LayoutAttr source = has(reshape.getSource());
      if (!source)
        return {};
      LayoutAttr free = reshapeLayout(source, type.getShape());
      return free ? free : defaultLayout(type, numWarps);
    }
    if (isa<tile::BroadcastOp>(op) || op->getNumRegions() != 0)
      return {}; // A broadcast takes what its users want; regions flow through their terminators.
    // Element-wise: the first operand that has an opinion decides.
    for (Value operand : op->getOperands())
      if (isTile(operand) && tileType(operand).getShape() == type.getShape())
        if (LayoutAttr layout = has(operand))
          return layout;
    return {};
  }

  void flowForward(bool enterLoops) {
    changed = false;
    for (Operation *op : ops) {
      for (Value result : op->getResults())
        if (isTile(result) && !plan.flexible.contains(result) && !has(result))
          give(result, resultLayout(op, tileType(result)));
      for (OpOperand &use : op->getOpOperands())
        if (isTile(use.get()))
          if (Flow flow = flowOf(use); flow.target && (enterLoops || !flow.loopEntry))
            give(flow.target, has(use.get()));
    }
  }

  LayoutAttr wanted(OpOperand &use) {
    if (Flow flow = flowOf(use); flow.target)
      return has(flow.target);
    LayoutAttr result;
    for (Value value : use.getOwner()->getResults())
      if (isTile(value) && !result)
        result = has(value);
    return wantedOperandLayout(use.getOwner(), use.getOperandNumber(), result, plan, access, numWarps);
  }

  /// Whether the user asks for a layout, rather than taking what there is.
  static bool hasOpinion(OpOperand &use) {
    Operation *op = use.getOwner();
    if (isa<tile::DotOp>(op))
      return use.getOperandNumber() == 2;
    if (isa<tile::InsertOp>(op))
      return use.getOperandNumber() == 1;
    return !isa<tile::ReduceOp, tile::ToScalarOp, tile::ConcatOp, tile::ExtractOp>(op);
  }

  /// Values that nothing has reached take the first wish of a user.
  void flowBackward() {
    for (Operation *op : llvm::reverse(ops))
      for (OpOperand &use : op->getOpOperands())
        if (isTile(use.get()) && !plan.flexible.contains(use.get()) && !has(use.get()))
          if (hasOpinion(use))
            give(use.get(), wanted(use));
  }

  void settleOne() {
    for (Value value : rigid)
      if (!has(value)) {
        give(value, defaultLayout(tileType(value), numWarps));
        return;
      }
  }

  /// Walks backwards, so that the wishes for a value are complete before its own operands are asked.
  void collectWishes() {
    for (Operation *op : llvm::reverse(ops)) {
      bool flexible = op->getNumResults() == 1 && plan.flexible.contains(op->getResult(0));
      for (OpOperand &use : op->getOpOperands()) {
        if (!isTile(use.get()) || !plan.flexible.contains(use.get()))
          continue;
        llvm::SetVector<LayoutAttr> &wishes = plan.wantedOf[use.get()];
        if (!flexible) {
          LayoutAttr wish = wanted(use);
          wishes.insert(wish ? wish : defaultLayout(tileType(use.get()), numWarps));
          continue;
        }
        // No reference into the map may be held while it grows.
        SmallVector<LayoutAttr> own(plan.wantedOf[op->getResult(0)].begin(), plan.wantedOf[op->getResult(0)].end());
        for (LayoutAttr layout : own) {
          LayoutAttr wish = wantedOperandLayout(op, use.getOperandNumber(), layout, plan, access, numWarps);
          plan.wantedOf[use.get()].insert(wish ? wish : defaultLayout(tileType(use.get()), numWarps));
        }
      }
    }
  }
};

} // namespace

bool tilewright::wantsRowsInWarps(func::FuncOp func) {
  WalkResult found = func.walk([](tile::DotOp dot) {
    SmallVector<Value> work{dot.getResult()};
    llvm::DenseSet<Value> seen;
    while (!work.empty()) {
      Value value = work.pop_back_val();
      if (!seen.insert(value).second)
        continue;
      for (OpOperand &use : value.getUses()) {
        Operation *user = use.getOwner();
        auto reduce = dyn_cast<tile::ReduceOp>(user);
        if (reduce && reduce.getDim() + 1 == uint64_t(tileType(value).getRank()))
          return WalkResult::interrupt();
        if (isa<tile::DotOp>(user) && use.getOperandNumber() == 0)
          return WalkResult::interrupt();
        if (user->hasTrait<OpTrait::Elementwise>())
          llvm::append_range(work, user->getResults());
      }
    }
    return WalkResult::advance();
  });
  return found.wasInterrupted();
}

LayoutPlan tilewright::planLayouts(func::FuncOp func, const AccessShapes &access, unsigned numWarps) {
  return Planner(func, access, numWarps).run();
}
