// SPDX-License-Identifier: Apache-2.0
#include "tilewright/Conversion/TileToTileGPU/LayoutPlan.h"
#include "tilewright/Conversion/TileToTileGPU/Passes.h"
#include "tilewright/Dialect/Tile/IR/Tile.h"

#include "mlir/IR/Remarks.h"

namespace tilewright {
#define GEN_PASS_DEF_INSERTSYNCPASS
#include "tilewright/Conversion/TileToTileGPU/Passes.h.inc"
} // namespace tilewright

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile_gpu;

namespace {

/// One access to memory that other threads of the CTA may meet.
struct MemoryAccess {
  bool isWrite = false;
  bool isShared = false;
  /// Shared memory: the bytes [first, last) touched, a whole buffer.
  int64_t first = 0, last = 0;
  /// Global memory: the `tile.noalias` argument that it derives from, or null.
  Value root;
  /// The op, to compare a load and a store of the same elements by the same threads.
  Operation *op = nullptr;

  bool operator==(const MemoryAccess &other) const { return op == other.op && isWrite == other.isWrite && first == other.first; }
};

/// The argument with `tile.noalias` that an address or view comes from; null where there is none or it is not known.
Value noaliasRoot(Value value) {
  while (true) {
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      auto func = dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp());
      bool own = func && func.getArgAttr(argument.getArgNumber(), "tile.noalias");
      return own ? value : Value();
    }
    Operation *op = value.getDefiningOp();
    if (isa<tile::PermuteViewOp, tile::MakeViewOp, tile::PtrAddOp, tile::SplatOp, tile::BroadcastOp, tile::ReshapeOp,
            tile::PermuteOp, tile::ViewBaseOp, tile::AssumeOp, ConvertLayoutOp>(op))
      value = op->getOperand(0);
    else
      return {};
  }
}

/// The buffer behind views of it.
LocalAllocOp allocOf(Value buffer) {
  while (isa_and_nonnull<MemDescViewOp, MemDescBlockOp>(buffer.getDefiningOp()))
    buffer = buffer.getDefiningOp()->getOperand(0);
  return buffer.getDefiningOp<LocalAllocOp>();
}

SmallVector<MemoryAccess> accessesOf(Operation *op) {
  SmallVector<MemoryAccess> result;
  auto shared = [&](Value buffer, bool isWrite) {
    MemoryAccess access;
    access.isWrite = isWrite;
    access.isShared = true;
    access.op = op;
    LocalAllocOp alloc = allocOf(buffer);
    if (alloc && alloc.getOffset()) {
      access.first = *alloc.getOffset();
      access.last = access.first + alloc.getResult().getType().getSizeInBytes();
    } else {
      access.last = std::numeric_limits<int64_t>::max(); // Not placed: it may be anywhere.
    }
    result.push_back(access);
  };
  auto global = [&](Value place, bool isWrite) {
    MemoryAccess access;
    access.isWrite = isWrite;
    access.root = noaliasRoot(place);
    access.op = op;
    result.push_back(access);
  };
  if (auto store = dyn_cast<LocalStoreOp>(op)) {
    shared(store.getBuffer(), true);
  } else if (auto load = dyn_cast<LocalLoadOp>(op)) {
    shared(load.getBuffer(), false);
  } else if (auto store = dyn_cast<LocalStoreBlockOp>(op)) {
    shared(store.getBuffer(), true);
  } else if (auto load = dyn_cast<LocalLoadBlockOp>(op)) {
    shared(load.getBuffer(), false);
  } else if (auto dot = dyn_cast<DotFmaOp>(op)) {
    shared(dot.getLhs(), false);
    shared(dot.getRhs(), false);
  } else if (auto load = dyn_cast<tile::LoadOp>(op)) {
    global(load.getView(), false);
  } else if (auto store = dyn_cast<tile::StoreOp>(op)) {
    global(store.getView(), true);
  } else if (auto gather = dyn_cast<tile::GatherOp>(op)) {
    global(gather.getView(), false);
  } else if (auto scatter = dyn_cast<tile::ScatterOp>(op)) {
    global(scatter.getView(), true);
  } else if (auto load = dyn_cast<tile::LoadPtrOp>(op)) {
    global(load.getPtr(), false);
  } else if (auto store = dyn_cast<tile::StorePtrOp>(op)) {
    global(store.getPtr(), true);
  } else if (auto update = dyn_cast<tile::AtomicRmwOp>(op)) {
    global(update.getPtr(), true);
  } else if (auto swap = dyn_cast<tile::AtomicCasOp>(op)) {
    global(swap.getPtr(), true);
  } else if (auto update = dyn_cast<tile::ReduceIntoOp>(op)) {
    global(update.getView(), true);
  }
  return result;
}

/// Whether every thread touches in `a` just the elements that it touches in `b`, so that its own program order is enough.
bool sameThreadsSameElements(Operation *a, Operation *b) {
  auto tileOf = [](Operation *op) -> RankedTensorType {
    if (auto load = dyn_cast<tile::LoadOp>(op))
      return cast<RankedTensorType>(load.getResult().getType());
    if (auto store = dyn_cast<tile::StoreOp>(op))
      return tileType(store.getValue());
    return {};
  };
  RankedTensorType tileA = tileOf(a), tileB = tileOf(b);
  if (!tileA || !tileB || tileA != tileB)
    return false;
  LayoutAttr layout = layoutOf(tileA);
  if (!layout || hasReplicas(layout))
    return false; // A replica reads what another thread writes.
  auto viewOf = [](Operation *op) {
    return isa<tile::LoadOp>(op) ? cast<tile::LoadOp>(op).getView() : cast<tile::StoreOp>(op).getView();
  };
  auto offsetsOf = [](Operation *op) -> OperandRange {
    return isa<tile::LoadOp>(op) ? cast<tile::LoadOp>(op).getOffsets() : cast<tile::StoreOp>(op).getOffsets();
  };
  // Values may change between iterations, so both must sit in one block, where a value is one value - and a view that
  // overlaps itself may map two elements to one address.
  if (a->getBlock() != b->getBlock() || viewOf(a) != viewOf(b) || a->getAttr("dims") != b->getAttr("dims"))
    return false;
  auto view = cast<tile::ViewType>(viewOf(a).getType());
  auto offsetsA = offsetsOf(a), offsetsB = offsetsOf(b);
  if (!std::equal(offsetsA.begin(), offsetsA.end(), offsetsB.begin(), offsetsB.end()))
    return false;
  // Unit stride alone does not exclude overlap between rows; only rank one is certain.
  return view.getShape().size() == 1 && view.getStrides()[0] != 0 && view.getStrides()[0] != ShapedType::kDynamic;
}

/// Whether two ops write parts of one buffer that have no element in common.
bool areOtherBlocks(Operation *a, Operation *b) {
  auto blockOf = [](Operation *op) {
    auto store = dyn_cast<LocalStoreOp>(op);
    return store ? store.getBuffer().getDefiningOp<MemDescBlockOp>() : MemDescBlockOp();
  };
  MemDescBlockOp first = blockOf(a), second = blockOf(b);
  if (!first || !second || first.getSource() != second.getSource())
    return false;
  for (size_t dim = 0; dim < first.getOrigin().size(); ++dim) {
    int64_t beginA = first.getOrigin()[dim], beginB = second.getOrigin()[dim];
    if (beginA + first.getType().getShape()[dim] <= beginB || beginB + second.getType().getShape()[dim] <= beginA)
      return true;
  }
  return false;
}

/// What an update does whose old values nobody sees, and to which elements: updates that agree in this give the same in any order.
std::pair<Type, std::optional<tile::AtomicKind>> accumulationOf(Operation *op) {
  if (auto update = dyn_cast<tile::ReduceIntoOp>(op))
    return {getElementTypeOrSelf(update.getValue().getType()), update.getKind()};
  auto update = dyn_cast<tile::AtomicRmwOp>(op);
  if (update && update.getResult().use_empty() && update.getKind() != tile::AtomicKind::exch &&
      update.getOrder() == tile::SyncOrder::relaxed)
    return {getElementTypeOrSelf(update.getValue().getType()), update.getKind()};
  return {Type(), std::nullopt};
}

bool mayMeet(const MemoryAccess &before, const MemoryAccess &now) {
  if ((!before.isWrite && !now.isWrite) || before.isShared != now.isShared)
    return false;
  if (before.isShared)
    return before.first < now.last && now.first < before.last && !areOtherBlocks(before.op, now.op);
  if (before.root != now.root)
    return false; // One of them derives from a noalias argument and the other does not.
  if (auto sum = accumulationOf(now.op); sum.second && sum == accumulationOf(before.op))
    return false;
  return !(before.op->isBeforeInBlock(now.op) && sameThreadsSameElements(before.op, now.op));
}

class SyncPlanner {
public:
  using State = SmallVector<MemoryAccess>;
  /// Ops that need a barrier in front, with the op that they must wait for.
  llvm::MapVector<Operation *, Operation *> syncBefore;

  void run(Block &block, State &state) {
    for (Operation &op : block)
      visit(&op, state);
  }

private:
  static void merge(State &into, const State &from) {
    for (const MemoryAccess &access : from)
      if (!llvm::is_contained(into, access))
        into.push_back(access);
  }

  void visit(Operation *op, State &state) {
    if (isa<SyncOp>(op)) {
      state.clear();
      return;
    }
    if (op->getNumRegions() != 0 && !isa<PartialReduceOp, PartialScanOp, AddPrefixOp, tile::ReduceOp, tile::ScanOp>(op)) {
      visitRegions(op, state);
      return;
    }
    SmallVector<MemoryAccess> own = accessesOf(op);
    if (syncBefore.count(op))
      state.clear();
    for (const MemoryAccess &now : own)
      for (const MemoryAccess &before : state)
        if (mayMeet(before, now) && syncBefore.insert({op, before.op}).second)
          break;
    if (syncBefore.count(op))
      state.clear();
    merge(state, own);
  }

  /// Loops and branches: every region may run after any other and after itself, unless the op is a plain branch.
  void visitRegions(Operation *op, State &state) {
    if (isa<scf::IfOp, scf::IndexSwitchOp>(op)) {
      State merged;
      bool complete = isa<scf::IndexSwitchOp>(op) || (op->getNumRegions() == 2 && !op->getRegion(1).empty());
      for (Region &region : op->getRegions()) {
        if (region.empty())
          continue;
        State branch = state;
        run(region.front(), branch);
        merge(merged, branch);
      }
      if (!complete)
        merge(merged, state);
      state = merged;
      return;
    }
    // States only grow, and barriers only become more, so this ends.
    while (true) {
      State after = state;
      size_t barriers = syncBefore.size();
      for (Region &region : op->getRegions())
        for (Block &block : region)
          run(block, after);
      size_t size = state.size();
      merge(state, after); // Also the state of a loop that runs no trip.
      if (state.size() == size && syncBefore.size() == barriers)
        return;
    }
  }
};

struct InsertSync : public tilewright::impl::InsertSyncPassBase<InsertSync> {
  using InsertSyncPassBase::InsertSyncPassBase;

  void runOnOperation() override {
    func::FuncOp func = getOperation();
    if (!func->hasAttr("tile.kernel"))
      return;
    if (!llvm::hasSingleElement(func.getBody())) {
      emitError(func.getLoc(), "expected structured control flow; run lift-cf-to-scf first");
      return signalPassFailure();
    }
    SyncPlanner planner;
    SyncPlanner::State state;
    planner.run(func.front(), state);
    for (auto [op, reason] : planner.syncBefore) {
      remark::analysis(op->getLoc(),
                       remark::RemarkOpts::name("Barrier").category(getArgument()).function(func.getSymName()))
          << remark::reason("a barrier in front: {0}", hasEffect<MemoryEffects::Write>(reason)
                                                       ? "it reads or replaces what other threads wrote"
                                                       : "it replaces what other threads read");
      OpBuilder builder(op);
      SyncOp::create(builder, op->getLoc());
    }
  }
};

} // namespace
