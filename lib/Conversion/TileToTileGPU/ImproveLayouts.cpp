// SPDX-License-Identifier: Apache-2.0
// Local search: a tile that must be converted, or that is reduced across warps or lanes, is tried in another layout, which
// then grows over the tiles around it wherever they would meet it in a conversion. The best extent on the way is kept if the
// program gets cheaper by it. What may be changed is one entry of the plan for each value (values that a loop ties are
// one); every such plan is a program, since conversions are put wherever a layout is not the one that is needed.
#include "LayoutCost.h"
#include "LayoutFlow.h"
#include "LowerToBuffers.h"
#include "tilewright/Layout/AxisFactors.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

#include <set>

using namespace mlir;
using namespace tilewright;
using tile_gpu::LayoutAttr;

namespace {

/// Most tiles that one attempt gives another layout; most attempts and rounds. Programs far beyond the examples keep
/// their first plan for the rest, so that compile time stays bounded.
constexpr unsigned kMaxTiles = 64, kMaxAttempts = 600, kMaxRounds = 4;
/// An improvement below this share of what is being changed, or below so many cycles, is within the error of the estimates.
constexpr double kLeastGain = 0.125, kLeastCycles = 8;

class Search {
public:
  Search(func::FuncOp func, LayoutPlan &plan, const AccessShapes &access, unsigned numWarps)
      : plan(plan), cost(plan, access, numWarps) {
    func.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (isa<tile::ReduceOp, tile::ScanOp>(op->getParentOp()))
        return;
      if (llvm::none_of(op->getOperands(), isTile) && llvm::none_of(op->getResults(), isTile))
        return;
      unsigned index = nodes.size();
      nodes.push_back({op, LayoutCost::timesRun(op->getBlock()), {}, 0});
      for (OpOperand &use : op->getOpOperands()) // A conversion moves out of loops as far as its operand allows.
        nodes.back().useTimes.push_back(
            isTile(use.get()) ? std::min(nodes.back().times, LayoutCost::timesRun(use.get().getParentBlock())) : 0);
      auto touches = [&](Value value) {
        if (isTile(value) && plan.layoutOf.contains(value) &&
            (touched[value].empty() || touched[value].back() != index))
          touched[value].push_back(index);
      };
      for (OpOperand &use : op->getOpOperands()) {
        if (!isTile(use.get()))
          continue;
        touches(use.get());
        if (Value target = flowOf(use).target)
          for (Value value : tiedAnd(target))
            touches(value);
      }
      for (Value result : op->getResults())
        touches(result);
    });
    for (Node &node : nodes) {
      node.cost = measure(node);
      for (Value value : node.op->getResults())
        if (LayoutAttr has = isTile(value) ? plan.layoutOf.lookup(value) : LayoutAttr())
          known[tileType(value).getShape()].insert(has);
    }
  }

  void run() {
    plan.cyclesBefore = total();
    for (unsigned round = 0; round < kMaxRounds && improveOnce(); ++round)
      ;
    plan.cyclesAfter = total();
  }

private:
  struct Node {
    Operation *op;
    double times;                    ///< that it runs
    SmallVector<double, 3> useTimes; ///< that a conversion of each operand would run
    double cost;                     ///< under the plan as it stands, all its runs together
  };
  /// A layout that a value could have.
  struct Proposal {
    Value value;
    LayoutAttr layout;
    double urgency = 0; ///< cycles of the conversion that it answers
  };

  LayoutPlan &plan;
  LayoutCost cost;
  std::vector<Node> nodes; ///< ops that touch tiles, in program order
  DenseMap<Value, SmallVector<unsigned>> touched;
  /// Layouts that tiles of a shape have had so far: where a broadcast or reduction does not say, one of these may fit.
  std::map<std::vector<int64_t>, llvm::SetVector<LayoutAttr>> known;
  unsigned attempts = 0;
  std::set<std::pair<const void *, const void *>> failed; ///< looked up only

  double total() const {
    double sum = 0;
    for (const Node &node : nodes)
      sum += node.cost;
    return sum;
  }

  double measure(const Node &node) {
    double sum = node.times * cost.ofOp(node.op);
    for (OpOperand &use : node.op->getOpOperands())
      if (isTile(use.get()) && plan.layoutOf.contains(use.get()))
        sum += node.useTimes[use.getOperandNumber()] * cost.ofUse(use);
    return sum;
  }

  static SmallVector<Value> tiedAnd(Value value) {
    SmallVector<Value> all = tiedTo(value);
    all.push_back(value);
    return all;
  }

  /// Products say where their sums are; scans need rows in order.
  bool mayHave(Value value, LayoutAttr layout) {
    if (!plan.layoutOf.contains(value))
      return false;
    Operation *op = value.getDefiningOp();
    if (op && isa<tile::DotOp>(op))
      return false;
    auto scan = dyn_cast_or_null<tile::ScanOp>(op);
    return !scan || layout::isScannable(layout.toLayout(), scan.getDim());
  }

  //===- Attempts ------------------------------------------------------------------------------------------------===//

  struct Step {
    SmallVector<std::pair<Value, LayoutAttr>, 2> layouts;   ///< as they were
    SmallVector<std::pair<unsigned, double>, 4> costs; ///< as they were
  };

  Step give(Value value, LayoutAttr layout) {
    Step step;
    std::set<unsigned> affected;
    known[tileType(value).getShape()].insert(layout);
    for (Value each : tiedAnd(value))
      if (auto known = plan.layoutOf.find(each); known != plan.layoutOf.end()) {
        step.layouts.push_back({each, known->second});
        known->second = layout;
        affected.insert(touched[each].begin(), touched[each].end());
      }
    for (unsigned index : affected) {
      step.costs.push_back({index, nodes[index].cost});
      nodes[index].cost = measure(nodes[index]);
    }
    return step;
  }

  void undo(const Step &step) {
    for (auto [value, layout] : step.layouts)
      plan.layoutOf[value] = layout;
    for (auto [index, before] : step.costs)
      nodes[index].cost = before;
  }

  /// The cycles that a step adds.
  double difference(const Step &step) const {
    double sum = 0;
    for (auto [index, before] : step.costs)
      sum += nodes[index].cost - before;
    return sum;
  }

  /// Ops that go through shared memory themselves where layouts do not fit.
  static bool movesItself(Operation *op) {
    return isa<tile::ReshapeOp, tile::ExtractOp, tile::InsertOp, tile::ConcatOp>(op);
  }

  /// The layout of `result` that costs nothing, given the operand's.
  LayoutAttr resultLayout(OpOperand &use, OpResult result) {
    LayoutAttr has = plan.layoutOf.lookup(use.get());
    if (!isa<tile::BroadcastOp>(use.getOwner()))
      return carriedLayout(use, result, has);
    for (LayoutAttr layout : known[tileType(result).getShape()])
      if (restrictLayout(layout, tileType(use.get()).getShape()) == has)
        return layout;
    return {};
  }

  /// The layout of an operand that costs nothing, given the result's.
  LayoutAttr operandLayout(OpOperand &use) {
    Operation *op = use.getOwner();
    ArrayRef<int64_t> shape = tileType(use.get()).getShape();
    LayoutAttr has = plan.layoutOf.lookup(op->getResult(0));
    if (!has)
      return {};
    if (isa<tile::ReshapeOp>(op))
      return reshapeLayout(has, shape);
    if (isa<tile::ConcatOp>(op) || (isa<tile::InsertOp>(op) && use.getOperandNumber() == 0))
      return blockLayout(has, shape);
    for (LayoutAttr layout : known[shape])
      if (carriedLayout(use, op->getOpResult(0), layout) == has)
        return layout;
    return {};
  }

  /// What would bring op `index` and the values in `changed` together again, if something does.
  Proposal answer(unsigned index, const DenseSet<Value> &changed) {
    Proposal best;
    auto propose = [&](Value value, LayoutAttr layout, double urgency) {
      if (layout && urgency > best.urgency && !changed.contains(value) && mayHave(value, layout) &&
          plan.layoutOf.lookup(value) != layout)
        best = {value, layout, urgency};
    };
    Operation *op = nodes[index].op;
    double times = nodes[index].times;
    double own = movesItself(op) || isa<tile::ReduceOp>(op) ? times * cost.ofOp(op) : 0;
    for (OpOperand &use : op->getOpOperands()) {
      Value value = use.get();
      if (!isTile(value) || !plan.layoutOf.contains(value))
        continue;
      Value target = flowOf(use).target;
      double paid = nodes[index].useTimes[use.getOperandNumber()] * cost.ofUse(use);
      LayoutAttr has = plan.layoutOf.lookup(value);
      if (!changed.contains(value)) {
        if (paid > 0)
          propose(value, cost.wish(use), paid);
        if (own > 0 && llvm::any_of(op->getResults(), [&](Value result) { return changed.contains(result); }))
          propose(value, operandLayout(use), own);
        continue;
      }
      if (target) {
        if (paid > 0)
          propose(target, has, paid);
        continue;
      }
      if (paid + own > 0)
        for (OpResult result : op->getResults())
          if (isTile(result))
            propose(result, resultLayout(use, result), paid + own);
    }
    return best;
  }

  /// Tries `seed` and what follows from it; keeps the best extent if it pays.
  bool attempt(const Proposal &seed) { return explore(seed, /*keeps=*/true) > 0; }

  /// Tries all of `seeds` from where the plan stands, and keeps the one that pays most if one does.
  bool attemptBest(ArrayRef<Proposal> seeds) {
    double most = 0;
    Proposal best;
    for (const Proposal &seed : seeds)
      if (double saved = explore(seed, /*keeps=*/false); saved > most) {
        most = saved;
        best = seed;
      }
    return best.value && attempt(best);
  }

  /// The cycles that `seed` and what follows from it save; 0 if it does not pay. Without `keeps` the plan stays as it was.
  double explore(const Proposal &seed, bool keeps) {
    std::pair<const void *, const void *> key{seed.value.getAsOpaquePointer(), seed.layout.getAsOpaquePointer()};
    if (!seed.layout || !mayHave(seed.value, seed.layout) || plan.layoutOf.lookup(seed.value) == seed.layout ||
        attempts >= kMaxAttempts || failed.count(key))
      return 0;
    ++attempts;
    SmallVector<Step> steps;
    DenseSet<Value> changed;
    std::map<unsigned, Proposal> open; // By op, in program order.
    DenseSet<unsigned> met;            // Ops of which `concerned` has what they cost before the first step.
    double sum = 0, least = 0, concerned = 0;
    size_t keep = 0;
    Proposal next = seed;
    while (true) {
      for (Value value : tiedAnd(next.value))
        changed.insert(value);
      steps.push_back(give(next.value, next.layout));
      sum += difference(steps.back());
      for (auto [index, before] : steps.back().costs) {
        if (met.insert(index).second)
          concerned += before;
        open[index] = answer(index, changed);
      }
      if (sum < least) {
        least = sum;
        keep = steps.size();
      }
      if (steps.size() == kMaxTiles)
        break;
      next = {};
      for (auto &[index, proposal] : open) {
        if (proposal.value && changed.contains(proposal.value))
          proposal = answer(index, changed);
        if (proposal.urgency > next.urgency)
          next = proposal;
      }
      if (!next.value)
        break;
    }
    bool pays = keep != 0 && -least >= kLeastCycles && -least >= kLeastGain * concerned;
    while (steps.size() > (pays && keeps ? keep : 0)) {
      undo(steps.back());
      steps.pop_back();
    }
    if (!pays)
      failed.insert(key);
    else if (keeps)
      plan.changes.push_back({seed.value, unsigned(steps.size()), -least});
    return pays ? -least : 0;
  }

  //===- Where to begin ------------------------------------------------------------------------------------------===//

  /// Where a reduction or scan would go over registers instead of warps or lanes, tries it.
  bool foldRegisters(Operation *op) {
    auto reduce = dyn_cast<tile::ReduceOp>(op);
    auto scan = dyn_cast<tile::ScanOp>(op);
    if (!reduce && !scan)
      return false;
    Value at = reduce ? reduce.getSources()[0] : op->getResult(0);
    unsigned dim = reduce ? reduce.getDim() : scan.getDim();
    bool improved = false;
    for (bool ofLanes : {false, true}) {
      LayoutAttr has = plan.layoutOf.lookup(at);
      if (!has)
        continue;
      SmallVector<Proposal> seeds;
      for (unsigned count = 1; count <= llvm::Log2_32(layout::kWarpSize); ++count)
        for (bool highestFirst : {true, false})
          if (LayoutAttr other = exchangedLayout(has, dim, {ofLanes, count, highestFirst}))
            seeds.push_back({at, other});
      improved |= attemptBest(seeds);
    }
    return improved;
  }

  /// Where a load or store would do better in a layout that some tile of the shape had, tries it: what a plan gave up for
  /// one neighbour may be worth more to all.
  bool widenAccess(Operation *op) {
    bool isStore = isa<tile::StoreOp, tile::StorePtrOp>(op);
    if (!isStore && !isa<tile::LoadOp, tile::LoadPtrOp>(op))
      return false;
    Value moved = isStore ? op->getOperand(0) : op->getResult(0);
    LayoutAttr has = isTile(moved) ? plan.layoutOf.lookup(moved) : LayoutAttr();
    if (!has)
      return false;
    SmallVector<LayoutAttr> others(known[tileType(moved).getShape()].getArrayRef()); // Attempts add to them.
    for (LayoutAttr other : others)
      if (cost.ofAccess(op, other) < cost.ofAccess(op, has) && attempt({moved, other}))
        return true;
    return false;
  }

  bool improveOnce() {
    bool improved = false;
    failed.clear();
    for (Node &node : nodes) {
      Operation *op = node.op;
      improved |= foldRegisters(op);
      improved |= widenAccess(op);
      bool moves = movesItself(op) && cost.ofOp(op) > 0;
      for (OpOperand &use : op->getOpOperands()) {
        LayoutAttr has = isTile(use.get()) ? plan.layoutOf.lookup(use.get()) : LayoutAttr();
        if (has && moves)
          improved |= attempt({use.get(), operandLayout(use)}) || attempt({op->getResult(0), resultLayout(use, op->getOpResult(0))});
        has = isTile(use.get()) ? plan.layoutOf.lookup(use.get()) : LayoutAttr();
        if (!has || cost.ofUse(use) == 0)
          continue;
        // The operand as it is needed, or the result as the operand is.
        if (attempt({use.get(), cost.wish(use)})) {
          improved = true;
          continue;
        }
        if (Value target = flowOf(use).target) {
          improved |= attempt({target, has});
          continue;
        }
        for (OpResult result : op->getResults())
          if (isTile(result))
            improved |= attempt({result, resultLayout(use, result)});
      }
    }
    return improved;
  }
};

} // namespace

void tilewright::improveLayouts(func::FuncOp func, LayoutPlan &plan, const AccessShapes &access, unsigned numWarps) {
  Search(func, plan, access, numWarps).run();
}
