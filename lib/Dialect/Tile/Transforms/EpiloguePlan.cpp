// SPDX-License-Identifier: Apache-2.0
#include "tilewright/Dialect/Tile/Transforms/EpiloguePlan.h"
#include "tilewright/Analysis/Alignment.h"
#include "tilewright/Analysis/KernelAccess.h"
#include "tilewright/Analysis/LiveTiles.h"
#include "tilewright/Support/Counted.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

/// Registers of addresses, bounds and counters beside tiles; what `ptxas -v` reports for examples/matmul.mlir beyond
/// its 128 sums and its operands is about that.
static constexpr int64_t kOtherRegisters = 32;
/// A line of L2. Source: CUDA Programming Guide, device memory accesses.
static constexpr int64_t kLineBytes = 128;
/// The widest row of neighbours that a thread of a product holds, and what of it is worth storing as it is: half of 16
/// bytes. Source: MmaLayout.h; `storesWell` of the layouts decides alike.
static constexpr int64_t kHeldColumns = 2, kDirectBytes = 8;

static constexpr StringRef kPartsAttr = "tile.epilogue_parts";

static RankedTensorType tileType(Value value) { return dyn_cast<RankedTensorType>(value.getType()); }

static int64_t tileBytes(Value value) {
  RankedTensorType type = tileType(value);
  return std::max<int64_t>(elementBytes(type.getElementType()), 1) * type.getNumElements();
}

/// The values from which `value` follows directly; of what control flow passes on, all that may be it.
static void addSources(Value value, llvm::SetVector<Value> &into) {
  Operation *op = value.getDefiningOp();
  unsigned number = 0;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    op = argument.getOwner()->getParentOp();
    if (!isa<scf::ForOp>(op) || argument.getArgNumber() == 0)
      return;
    number = argument.getArgNumber() - 1;
  } else {
    number = cast<OpResult>(value).getResultNumber();
  }
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    into.insert(loop.getInitArgs()[number]);
    into.insert(loop.getYieldedValues()[number]);
  } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
    into.insert(branch.thenYield().getOperand(number));
    into.insert(branch.elseYield().getOperand(number));
  } else {
    for (Value operand : op->getOperands())
      if (tileType(operand))
        into.insert(operand);
  }
}

static bool comesFromProduct(Value value) {
  llvm::SetVector<Value> seen;
  seen.insert(value);
  for (size_t i = 0; i < seen.size(); ++i) { // Grows while it is walked.
    if (seen[i].getDefiningOp<DotOp>())
      return true;
    addSources(seen[i], seen);
  }
  return false;
}

namespace {
/// The slices behind one store along one dimension.
class Slicer {
public:
  Slicer(StoreOp store, unsigned dim) {
    request(store.getValue(), dim);
    for (size_t i = 0; i < slices.size() && reason.empty(); ++i) // Grows while it is walked.
      answer(i);
    // Operands mostly come behind what asks for them, so until nothing changes.
    for (bool changed = true; changed;) {
      changed = false;
      for (EpilogueSlice &slice : slices) {
        bool isSource = slice.answer == SliceAnswer::Load || slice.answer == SliceAnswer::Extract;
        bool isFree = !isSource && llvm::all_of(slice.operands, [&](unsigned i) { return slices[i].isFree; });
        changed |= isFree != slice.isFree;
        slice.isFree = isFree;
      }
    }
  }

  SmallVector<EpilogueSlice> slices;
  /// Why not; empty if the store can be cut.
  std::string reason;
  /// Whether a product is behind the store.
  bool hasProduct = false;
  /// Whether `reason` is that rows of a product are asked for.
  bool isAcross = false;

private:
  DenseMap<std::pair<Value, unsigned>, unsigned> known;

  unsigned request(Value value, unsigned dim) {
    auto [it, isNew] = known.try_emplace({value, dim}, slices.size());
    if (isNew) {
      slices.push_back({});
      slices.back().value = value;
      slices.back().dim = dim;
    }
    return it->second;
  }

  void refuse(Value value, StringRef why) {
    Operation *op = value.getDefiningOp();
    reason = llvm::formatv("{0} {1}", op ? op->getName().getStringRef() : StringRef("what a loop carries"), why).str();
    hasProduct |= comesFromProduct(value);
  }

  void settle(unsigned number, SliceAnswer answer, ArrayRef<unsigned> operands = {}) {
    slices[number].answer = answer;
    slices[number].operands.assign(operands.begin(), operands.end());
  }

  void answer(unsigned number) {
    Value value = slices[number].value;
    unsigned dim = slices[number].dim;
    RankedTensorType type = tileType(value);
    Operation *op = value.getDefiningOp();
    if (!op || isa<DotOp, scf::ForOp, scf::IfOp, scf::WhileOp>(op)) {
      if (!comesFromProduct(value))
        return refuse(value, "carries a tile that no product makes");
      hasProduct = true;
      if (dim + 1 != type.getRank()) {
        isAcross = true;
        return refuse(value, "would be cut along its rows");
      }
      return settle(number, SliceAnswer::Extract);
    }
    if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
      if (!isa<DenseElementsAttr>(constant.getValue()))
        return refuse(value, "has elements that are not listed");
      return settle(number, SliceAnswer::Constant);
    }
    if (isa<ub::PoisonOp>(op))
      return settle(number, SliceAnswer::Constant);
    if (isa<SplatOp>(op))
      return settle(number, SliceAnswer::Splat);
    if (isa<IotaOp>(op))
      return settle(number, SliceAnswer::Iota);
    if (auto broadcast = dyn_cast<BroadcastOp>(op)) {
      Value source = broadcast.getSource();
      if (tileType(source).getDimSize(dim) == 1)
        return settle(number, SliceAnswer::Broadcast);
      return settle(number, SliceAnswer::Broadcast, request(source, dim));
    }
    if (auto permute = dyn_cast<PermuteOp>(op))
      return settle(number, SliceAnswer::Permute, request(permute.getSource(), permute.getOrder()[dim]));
    if (auto reshape = dyn_cast<ReshapeOp>(op)) {
      std::optional<unsigned> from = sameDim(reshape, dim);
      if (!from)
        return refuse(value, "splits or joins the dimension that would be cut");
      return settle(number, SliceAnswer::Reshape, request(reshape.getSource(), *from));
    }
    if (auto load = dyn_cast<LoadOp>(op)) {
      if (load.getOrder() || load.getAfter() || load.getDone())
        return refuse(value, "has its place in an order");
      return settle(number, SliceAnswer::Load);
    }
    if (op->hasTrait<OpTrait::Elementwise>() && isMemoryEffectFree(op)) {
      SmallVector<unsigned> operands;
      for (Value operand : op->getOperands())
        if (tileType(operand))
          operands.push_back(request(operand, dim));
      return settle(number, SliceAnswer::Elementwise, operands);
    }
    refuse(value, "needs all columns");
  }

  /// The dimension of the source that dimension `dim` of the result is, where only dimensions of extent 1 differ.
  static std::optional<unsigned> sameDim(ReshapeOp reshape, unsigned dim) {
    ArrayRef<int64_t> from = tileType(reshape.getSource()).getShape(), to = reshape.getResult().getType().getShape();
    SmallVector<unsigned> wideFrom, wideTo;
    for (auto [shape, wide] : {std::pair(from, &wideFrom), std::pair(to, &wideTo)})
      for (unsigned i = 0; i < shape.size(); ++i)
        if (shape[i] != 1)
          wide->push_back(i);
    if (wideFrom.size() != wideTo.size())
      return std::nullopt;
    std::optional<unsigned> result;
    for (auto [source, target] : llvm::zip(wideFrom, wideTo)) {
      if (from[source] != to[target])
        return std::nullopt;
      if (target == dim)
        result = source;
    }
    return result;
  }
};
} // namespace

/// The count that a store, its kernel or the option `parts` asks for, and what asks; 0 for none.
static std::pair<int64_t, std::string> askedParts(StoreOp store, func::FuncOp kernel, unsigned parts) {
  for (Operation *op : {store.getOperation(), kernel.getOperation()})
    if (auto attr = op->getAttrOfType<IntegerAttr>(kPartsAttr))
      return {attr.getInt(), kPartsAttr.str()};
  return {parts, "the option epilogue-parts"};
}

/// Slices `store`; nothing if no product is behind it.
static std::optional<EpilogueDecision> sliceStore(StoreOp store) {
  RankedTensorType type = tileType(store.getValue());
  if (type.getRank() < 2)
    return std::nullopt;
  EpilogueDecision decision;
  decision.store = store;
  decision.dim = type.getRank() - 1;
  Slicer slicer(store, decision.dim);
  if (slicer.isAcross) // The tile was turned.
    slicer = Slicer(store, decision.dim = type.getRank() - 2);
  if (!slicer.hasProduct)
    return std::nullopt;
  decision.slices = slicer.slices;
  decision.reason = slicer.reason;
  if (store.getOrder() || store.getAfter() || store.getDone())
    decision.reason = "the store has its place in an order";
  return decision;
}

/// Refuses stores with values that something needs whole, until no more are refused.
static void refuseShared(std::vector<EpilogueDecision> &decisions) {
  for (bool changed = true; changed;) {
    changed = false;
    llvm::DenseSet<Operation *> cut;
    for (const EpilogueDecision &decision : decisions) {
      if (!decision.reason.empty())
        continue;
      cut.insert(decision.store);
      for (const EpilogueSlice &slice : decision.slices)
        if (slice.answer != SliceAnswer::Extract)
          cut.insert(slice.value.getDefiningOp());
    }
    for (EpilogueDecision &decision : decisions) {
      if (!decision.reason.empty())
        continue;
      for (const EpilogueSlice &slice : decision.slices) {
        if (slice.isFree)
          continue;
        auto whole = llvm::find_if(slice.value.getUsers(), [&](Operation *user) { return !cut.contains(user); });
        if (whole == slice.value.getUsers().end())
          continue;
        Operation *op = slice.value.getDefiningOp();
        decision.reason = llvm::formatv("{0} needs all of what {1} gives", (*whole)->getName(),
                                        op ? op->getName().getStringRef() : StringRef("a loop"));
        changed = true;
        break;
      }
    }
  }
}

/// Why memory behind `view` may be written by the ops from `load` to `store`, or by parts of `store` itself; empty if it
/// may not.
static std::string findWriter(LoadOp load, StoreOp store, func::FuncOp kernel) {
  if (load->getBlock() != store->getBlock())
    return "it is not in the block of the store";
  auto isApart = [&](Value view) {
    BlockArgument a = parameterOf(load.getView(), &kernel.front()), b = parameterOf(view, &kernel.front());
    return a && b && a != b &&
           (kernel.getArgAttr(a.getArgNumber(), "tile.noalias") || kernel.getArgAttr(b.getArgNumber(), "tile.noalias"));
  };
  for (Operation *op = load->getNextNode(); op; op = op->getNextNode()) {
    if (auto other = dyn_cast<StoreOp>(op)) {
      if (other.getOrder())
        return "a tile.store with an order comes between";
      if (!isApart(other.getView()))
        return op == store ? "the store may write what it reads" : "a tile.store before may write what it reads";
    } else if (auto effects = getEffectsRecursively(op);
               !effects || llvm::any_of(*effects, [](const MemoryEffects::EffectInstance &effect) {
                 return !isa<MemoryEffects::Read>(effect.getEffect());
               })) {
      return llvm::formatv("{0} comes between", op->getName()).str();
    }
    if (op == store)
      return "";
  }
  return "it stands behind the store"; // It cannot.
}

/// Decides which loads are read part by part, just before their use.
static void placeLoads(std::vector<EpilogueDecision> &decisions, func::FuncOp kernel) {
  DenseMap<Value, unsigned> stores;
  for (EpilogueDecision &decision : decisions) {
    llvm::DenseSet<Value> loads;
    for (EpilogueSlice &slice : decision.slices)
      if (decision.reason.empty() && slice.answer == SliceAnswer::Load && loads.insert(slice.value).second)
        ++stores[slice.value];
  }
  for (EpilogueDecision &decision : decisions) {
    for (EpilogueSlice &slice : decision.slices) {
      if (!decision.reason.empty() || slice.answer != SliceAnswer::Load)
        continue;
      auto load = slice.value.getDefiningOp<LoadOp>();
      std::string why = stores.lookup(slice.value) > 1 ? "several stores use it" : findWriter(load, decision.store, kernel);
      slice.isSunk = why.empty();
      if (!slice.isSunk && !decision.earlyLoad) {
        decision.earlyLoad = load;
        decision.earlyReason = why;
      }
    }
  }
}

static int64_t countOf(func::FuncOp kernel, StringRef name) {
  auto attr = kernel->getAttrOfType<IntegerAttr>(name);
  return attr ? attr.getInt() : 0;
}

/// What one group of stores that share values costs.
static EpilogueCost measure(ArrayRef<EpilogueDecision *> group, func::FuncOp kernel, const Target &target,
                            unsigned numWarps) {
  EpilogueCost cost;
  int64_t sumBytes = 0, chainBytes = 0;
  llvm::DenseSet<Value> counted;
  for (EpilogueDecision *decision : group) {
    StoreOp store = decision->store;
    RankedTensorType type = tileType(store.getValue());
    int64_t bytes = std::max<int64_t>(elementBytes(type.getElementType()), 1);
    int64_t columns = type.getDimSize(decision->dim);
    cost.columns = cost.columns == 0 ? columns : std::min(cost.columns, columns);
    ArrayRef<int64_t> strides = store.getView().getType().getStrides();
    SmallVector<int64_t> walked = store.walkedDims();
    bool isRow = strides[walked[decision->dim]] == 1;
    bool isColumn = !isRow && llvm::any_of(walked, [&](int64_t dim) { return strides[dim] == 1; });
    if (!isColumn)
      cost.leastColumns = std::max(cost.leastColumns, kLineBytes / bytes);
    if (!isRow || kHeldColumns * bytes < kDirectBytes)
      cost.stagingBytes = std::max(cost.stagingBytes, tileBytes(store.getValue()));
    chainBytes += tileBytes(store.getValue());
    for (const EpilogueSlice &slice : decision->slices) {
      if (slice.answer == SliceAnswer::Load && counted.insert(slice.value).second)
        chainBytes += tileBytes(slice.value);
      if (slice.answer == SliceAnswer::Extract && counted.insert(slice.value).second)
        sumBytes += tileBytes(slice.value);
    }
  }
  kernel.walk([&](DotOp dot) {
    cost.loopBytes = std::max(cost.loopBytes, tileBytes(dot.getLhs()) + tileBytes(dot.getRhs()));
  });
  int64_t threads = expectedWarps(kernel, numWarps) * kWarpSize, ctas = std::max<int64_t>(countOf(kernel, "tile.occupancy"), 1);
  cost.accumulatorRegisters = sumBytes / 4 / threads;
  cost.chainRegisters = chainBytes / 4 / threads;
  cost.registerBudget = std::min<int64_t>(target.kMaxRegistersPerThread, target.kRegistersPerSm / (threads * ctas)) -
                        kOtherRegisters;
  return cost;
}

std::vector<EpilogueDecision> tilewright::planEpilogue(func::FuncOp kernel, const Target &target, unsigned parts,
                                                       unsigned numWarps) {
  std::vector<EpilogueDecision> decisions;
  kernel.walk([&](StoreOp store) {
    std::optional<EpilogueDecision> decision = sliceStore(store);
    if (!decision && !store->hasAttr(kPartsAttr))
      return;
    if (!decision) {
      decision.emplace();
      decision->store = store;
      decision->reason = "no product makes what is stored";
    }
    std::tie(decision->asked, decision->asker) = askedParts(store, kernel, parts);
    decisions.push_back(std::move(*decision));
  });
  refuseShared(decisions);

  // Stores that share what is not free are cut alike.
  llvm::EquivalenceClasses<size_t> groups;
  DenseMap<Value, size_t> firstUse;
  for (size_t i = 0; i < decisions.size(); ++i) {
    if (!decisions[i].reason.empty())
      continue;
    groups.insert(i);
    for (const EpilogueSlice &slice : decisions[i].slices)
      if (!slice.isFree)
        groups.unionSets(i, firstUse.try_emplace(slice.value, i).first->second);
  }
  for (const auto *leader : groups) {
    if (!leader->isLeader())
      continue;
    SmallVector<EpilogueDecision *> group;
    int64_t count = 0;
    for (size_t member : llvm::make_range(groups.member_begin(*leader), groups.member_end())) {
      group.push_back(&decisions[member]);
      count = std::max(count, decisions[member].asked);
    }
    EpilogueCost cost = measure(group, kernel, target, numWarps);
    if (count == 0)
      count = chooseEpilogueParts(cost);
    for (EpilogueDecision *decision : group) {
      decision->cost = cost;
      int64_t columns = tileType(decision->store.getValue()).getDimSize(decision->dim);
      decision->parts = cutColumns(columns, count);
      decision->isNeedless = count == 1;
      if (decision->parts.empty())
        decision->reason = columns % kEpilogueUnit != 0
                               ? llvm::formatv("{0} columns are no multiple of {1}", columns, kEpilogueUnit).str()
                               : llvm::formatv("{0} columns are fewer than {1} of {2} parts", columns,
                                               kEpilogueUnit * count, count).str();
      else if (decision->asked != 0 && decision->asked != count)
        decision->reason = llvm::formatv("another store of the same tile asks for {0}", counted(count, "part")).str();
      else if (count == 1)
        decision->reason = "whole";
    }
    // One that cannot be cut leaves the others without what they share.
    if (llvm::any_of(group, [](EpilogueDecision *decision) { return decision->parts.empty(); }))
      for (EpilogueDecision *decision : group)
        if (decision->reason.empty())
          decision->reason = "another store of the same tile cannot be cut";
  }
  placeLoads(decisions, kernel);
  return decisions;
}
