// SPDX-License-Identifier: Apache-2.0
// Tiles that are made in each layout in which they are used, since that costs less than converting them: what is
// loaded, and what is computed from it element by element. The copies stand where the original stands, so nothing is
// written between them.
#include "LayoutCost.h"
#include "LayoutFlow.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

#include <set>

using namespace mlir;
using namespace tilewright;
using tile_gpu::LayoutAttr;

namespace {

/// Most ops that are made again together.
constexpr unsigned kMaxChain = 8;
/// A saving below this share of what is being changed, or below so many cycles, is within the error of the estimates.
constexpr double kLeastGain = 0.25, kLeastCycles = 8;

/// Whether `op` may be done twice: it reads without order, on no token, and no tensor map brings it.
bool mayRepeat(Operation *op) {
  if (op->getNumResults() != 1 || !isTile(op->getResult(0)) || op->getNumRegions() != 0)
    return false;
  if (auto load = dyn_cast<tile::LoadOp>(op))
    return !load.getOrder() && !load.getAfter() && !op->hasAttr("tile.tma");
  if (auto load = dyn_cast<tile::LoadPtrOp>(op))
    return !load.getOrder() && !load.getAfter();
  return isMemoryEffectFree(op) &&
         (op->hasTrait<OpTrait::Elementwise>() || isa<tile::BroadcastOp, tile::PermuteOp, tile::ReshapeOp>(op));
}

class Duplicates {
public:
  Duplicates(func::FuncOp func, LayoutPlan &plan, const AccessShapes &access, unsigned numWarps)
      : plan(plan), access(access), numWarps(numWarps), cost(plan, access, numWarps) {
    func.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (!isa<tile::ReduceOp, tile::ScanOp>(op->getParentOp())) {
        number[op] = ops.size();
        ops.push_back(op);
      }
    });
  }

  void run() {
    for (Operation *op : ops) {
      // A reshape that leaves the registers is a conversion, too.
      if (isa<tile::ReshapeOp>(op) && cost.ofOp(op) > 0 && tried.insert(op->getResult(0)).second)
        attempt(op->getResult(0));
      for (OpOperand &use : op->getOpOperands()) {
        Value value = use.get();
        if (isTile(value) && plan.layoutOf.contains(value) && !plan.isFlexible(value) && cost.ofUse(use) > 0 &&
            tried.insert(value).second)
          attempt(value);
      }
    }
  }

private:
  LayoutPlan &plan;
  const AccessShapes &access;
  unsigned numWarps;
  LayoutCost cost;
  std::vector<Operation *> ops;
  DenseMap<Operation *, unsigned> number;
  DenseSet<Value> tried;

  /// The ops behind `value` that would be made again, in program order; empty where one of them may not.
  SmallVector<Operation *> chainOf(Value value) const {
    std::set<unsigned> found;
    SmallVector<Value> work{value};
    while (!work.empty()) {
      Value next = work.pop_back_val();
      if (plan.isFlexible(next) && !plan.layoutOf.contains(next))
        continue; // Made in any layout.
      Operation *op = next.getDefiningOp();
      if (!op || !mayRepeat(op))
        return {};
      if (found.insert(number.lookup(op)).second)
        llvm::append_range(work, llvm::make_filter_range(op->getOperands(), isTile));
      if (found.size() > kMaxChain)
        return {};
    }
    return llvm::map_to_vector(found, [&](unsigned index) { return ops[index]; });
  }

  double measureUser(Operation *op) {
    double times = LayoutCost::timesRun(op->getBlock()), sum = times * cost.ofOp(op);
    for (OpOperand &use : op->getOpOperands())
      if (isTile(use.get()) && plan.layoutOf.contains(use.get()))
        sum += std::min(times, LayoutCost::timesRun(use.get().getParentBlock())) * cost.ofUse(use);
    return sum;
  }

  /// What the ops of `chain` and their users cost, each op of the chain that is flexible in all layouts that are wanted
  /// of it.
  double measure(ArrayRef<Operation *> chain, const std::set<unsigned> &users) {
    double sum = 0;
    for (unsigned index : users)
      sum += measureUser(ops[index]);
    DenseMap<Value, llvm::SetVector<LayoutAttr>> wishes;
    for (Operation *op : llvm::reverse(chain)) {
      Value made = op->getResult(0);
      if (!plan.isFlexible(made)) {
        if (!users.count(number.lookup(op)))
          sum += measureUser(op);
        continue;
      }
      llvm::SetVector<LayoutAttr> own;
      for (OpOperand &use : made.getUses()) {
        Operation *user = use.getOwner();
        if (user->getNumResults() != 1 || !plan.isFlexible(user->getResult(0))) {
          own.insert(cost.wish(use));
          continue;
        }
        for (LayoutAttr layout : wishes[user->getResult(0)]) {
          LayoutAttr wish = wantedOperandLayout(user, use.getOperandNumber(), layout, plan, access, numWarps);
          own.insert(wish ? wish : defaultLayout(tileType(made), numWarps));
        }
      }
      for (LayoutAttr layout : own)
        sum += LayoutCost::timesRun(op->getBlock()) * cost.ofMaking(op, layout);
      wishes[made] = std::move(own);
    }
    return sum;
  }

  void attempt(Value value) {
    SmallVector<Operation *> chain = chainOf(value);
    if (chain.empty())
      return;
    std::set<unsigned> users;
    SmallVector<Value> made;
    for (Operation *op : chain) {
      for (Operation *user : op->getResult(0).getUsers())
        users.insert(number.lookup(user));
      if (!plan.isFlexible(op->getResult(0)))
        made.push_back(op->getResult(0));
    }
    // What uses a copied tile and is copied itself is measured with the chain, or as it was.
    for (Operation *op : chain)
      users.erase(number.lookup(op));
    double before = measure(chain, users);
    for (Value each : made)
      plan.flexible.insert(each);
    double after = measure(chain, users);
    LayoutPlan::Copies copies{value, unsigned(made.size()), before, after, false};
    copies.isKept = before - after >= std::max(kLeastCycles, kLeastGain * before);
    if (!copies.isKept)
      for (Value each : made)
        plan.flexible.erase(each);
    else
      plan.cyclesAfter -= before - after;
    plan.copies.push_back(copies);
  }
};

} // namespace

void tilewright::duplicateTiles(func::FuncOp func, LayoutPlan &plan, const AccessShapes &access, unsigned numWarps) {
  Duplicates(func, plan, access, numWarps).run();
}
