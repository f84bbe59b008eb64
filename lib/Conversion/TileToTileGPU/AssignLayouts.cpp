// SPDX-License-Identifier: Apache-2.0
#include "tilewright/Analysis/Alignment.h"
#include "tilewright/Conversion/TileToTileGPU/LayoutPlan.h"
#include "tilewright/Conversion/TileToTileGPU/Passes.h"
#include "tilewright/Dialect/Tile/IR/Tile.h"
#include "tilewright/Dialect/Tile/Transforms/DotChoice.h"
#include "tilewright/Support/Counted.h"

#include "mlir/IR/Remarks.h"
#include "llvm/ADT/TypeSwitch.h"

namespace tilewright {
#define GEN_PASS_DEF_ASSIGNLAYOUTSPASS
#include "tilewright/Conversion/TileToTileGPU/Passes.h.inc"
} // namespace tilewright

using namespace mlir;
using namespace tilewright;
using tile_gpu::LayoutAttr;

/// More would be hundreds of registers of every thread for one value.
static constexpr int64_t kMaxTileElements = int64_t(1) << 18;
/// Widest access of one thread. Source: PTX ISA, ld.global.v4.b32.
static constexpr unsigned kMaxAccessBytes = 16;

namespace {

/// Applies a plan. Dull: every choice is in the plan.
class Rewriter {
public:
  Rewriter(func::FuncOp func, const LayoutPlan &plan, const AccessShapes &access, unsigned numWarps)
      : func(func), plan(plan), access(access), numWarps(numWarps), builder(func.getContext()) {}

  LogicalResult run() {
    SmallVector<Operation *> ops, dead;
    func.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (!isa<tile::ReduceOp, tile::ScanOp>(op->getParentOp()))
        ops.push_back(op);
    });
    for (Operation *op : ops) {
      if (op->getNumResults() == 1 && plan.isFlexible(op->getResult(0))) {
        if (failed(makeCopies(op)))
          return failure();
        dead.push_back(op);
        continue;
      }
      retype(op);
    }
    // Types of all rigid values are set before operands are matched against them.
    for (Operation *op : ops)
      if (!(op->getNumResults() == 1 && plan.isFlexible(op->getResult(0))))
        matchOperands(op);
    for (Operation *op : llvm::reverse(dead))
      op->erase();
    return success();
  }

private:
  func::FuncOp func;
  const LayoutPlan &plan;
  const AccessShapes &access;
  unsigned numWarps;
  OpBuilder builder;
  DenseMap<std::pair<Value, LayoutAttr>, Value> copies;

  LayoutAttr orDefault(LayoutAttr layout, Value value) {
    return layout ? layout : defaultLayout(tileType(value), numWarps);
  }

  LogicalResult makeCopies(Operation *op) {
    auto wished = plan.wantedOf.find(op->getResult(0));
    if (wished == plan.wantedOf.end())
      return success(); // Nobody reads it.
    for (LayoutAttr layout : wished->second) {
      builder.setInsertionPoint(op);
      Operation *copy = builder.clone(*op);
      copy->getResult(0).setType(withLayout(tileType(op->getResult(0)), layout));
      keepWidth(op, copy);
      if (auto constant = dyn_cast<arith::ConstantOp>(copy)) {
        auto type = cast<ShapedType>(copy->getResult(0).getType());
        auto dense = dyn_cast<DenseElementsAttr>(constant.getValue());
        if (!dense)
          return op->emitOpError("expects a dense constant here, found ") << constant.getValue();
        constant.setValueAttr(dense.isSplat() ? dense.resizeSplat(type) : dense.reshape(type));
      }
      for (OpOperand &use : copy->getOpOperands()) {
        if (!isTile(use.get()))
          continue;
        LayoutAttr wish = wantedOperandLayout(op, use.getOperandNumber(), layout, plan, access, numWarps);
        use.set(copies.lookup({use.get(), orDefault(wish, use.get())}));
      }
      copies[{op->getResult(0), layout}] = copy->getResult(0);
    }
    return success();
  }

  void retype(Operation *op) {
    auto set = [&](Value value) {
      if (isTile(value))
        if (LayoutAttr layout = plan.layoutOf.lookup(value))
          value.setType(withLayout(tileType(value), layout));
    };
    for (Value result : op->getResults())
      set(result);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (Value argument : block.getArguments())
          set(argument);
  }

  /// The layout that the value a terminator or loop passes on must have; null for other uses.
  static LayoutAttr passedOn(OpOperand &use) {
    Operation *op = use.getOwner();
    unsigned index = use.getOperandNumber();
    if (auto loop = dyn_cast<scf::ForOp>(op))
      return layoutOf(loop.getRegionIterArg(index - loop.getNumControlOperands()).getType());
    if (auto loop = dyn_cast<scf::WhileOp>(op))
      return layoutOf(loop.getBeforeArguments()[index].getType());
    if (isa<scf::ConditionOp>(op))
      return layoutOf(op->getParentOp()->getResult(index - 1).getType());
    if (!isa<scf::YieldOp>(op))
      return {};
    if (auto loop = dyn_cast<scf::WhileOp>(op->getParentOp()))
      return layoutOf(loop.getBeforeArguments()[index].getType());
    return layoutOf(op->getParentOp()->getResult(index).getType());
  }

  void matchOperands(Operation *op) {
    LayoutAttr result;
    for (Value value : op->getResults())
      if (isTile(value) && !result)
        result = layoutOf(value.getType());
    SmallVector<OpOperand *> uses;
    for (OpOperand &use : op->getOpOperands())
      if (isTile(use.get()))
        uses.push_back(&use);
    // The sum of a product moves before its operands do: it is in registers before and after, they stay in shared memory
    // until the product reads them.
    if (isa<tile::DotOp>(op))
      std::rotate(uses.begin(), uses.end() - 1, uses.end());
    // What an operand must have may follow from another one as it was planned, so all are asked before any is replaced.
    SmallVector<LayoutAttr> wishes;
    for (OpOperand *use : uses) {
      LayoutAttr wish = passedOn(*use);
      if (!wish)
        wish = wantedOperandLayout(op, use->getOperandNumber(), result, plan, access, numWarps);
      wishes.push_back(orDefault(wish, use->get()));
    }
    for (auto [moved, wish] : llvm::zip_equal(uses, wishes)) {
      OpOperand &use = *moved;
      if (plan.isFlexible(use.get())) {
        use.set(copies.lookup({use.get(), wish}));
        continue;
      }
      if (layoutOf(use.get().getType()) == wish)
        continue;
      builder.setInsertionPoint(op);
      use.set(tile_gpu::ConvertLayoutOp::create(builder, op->getLoc(), withLayout(tileType(use.get()), wish),
                                                use.get()));
    }
    keepWidth(op, op);
  }

  /// The step to one thread's program must not access wider than what was found for `op`, which `to` stands for.
  void keepWidth(Operation *op, Operation *to) {
    AccessShape shape = access.lookup(op);
    if (shape.vectorElements > 1) {
      to->setAttr("tile_gpu.vector", builder.getI64IntegerAttr(shape.vectorElements));
      to->setAttr("tile_gpu.contiguous_dim", builder.getI64IntegerAttr(shape.contiguousDim));
    }
  }
};

struct AssignLayouts : public tilewright::impl::AssignLayoutsPassBase<AssignLayouts> {
  using AssignLayoutsPassBase::AssignLayoutsPassBase;

  void runOnOperation() override {
    func::FuncOp func = getOperation();
    if (!func->hasAttr("tile.kernel"))
      return;
    if (failed(checkInput(func)) || failed(chooseDots(func, target, numWarps, getArgument())))
      return signalPassFailure();
    AccessShapes access = findAccessShapes(func);
    WarpChoice choice = chooseWarps(func, access, this->numWarps);
    unsigned numWarps = choice.warps;
    if (numWarps < 1 || numWarps > 32) {
      emitError(func.getLoc(), "expected 1 to 32 warps, found ") << numWarps;
      return signalPassFailure();
    }
    func->setAttr("tile.num_warps", IntegerAttr::get(IntegerType::get(&getContext(), 64), numWarps));
    LayoutPlan plan = planLayouts(func, access, numWarps);
    explain(func, access);
    explain(func, choice);
    explain(func, plan);
    if (failed(Rewriter(func, plan, access, numWarps).run()))
      return signalPassFailure();
  }

  /// Refuses what this pass could not carry through.
  static LogicalResult checkInput(func::FuncOp func) {
    // A variant is a clone of the kernel, which says the same once.
    bool isVariant = func->hasAttr("tile.variant_of");
    WalkResult result = func.walk([&](Operation *op) -> WalkResult {
      auto complain = [&](const Twine &rule, Type found = {}) -> WalkResult {
        if (isVariant)
          return WalkResult::interrupt();
        InFlightDiagnostic diag = op->emitOpError() << rule;
        if (found)
          diag << ", found " << found;
        return diag;
      };
      if (isa<func::CallOp>(op))
        return complain("expects calls in a kernel to be inlined before layouts are assigned; a function that calls "
                        "itself cannot be");
      for (Value value : op->getResults())
        if (auto type = dyn_cast<RankedTensorType>(value.getType())) {
          if (type.getEncoding())
            return complain("expects tiles without a layout", type);
          // Ranks and sizes that no kernel can hold in registers would only take for ever.
          if (!type.hasStaticShape() || type.getRank() == 0)
            return complain("expects tiles of static shape and rank 1 or more", type);
          if (type.getRank() > layout::DistributedLayout::kMaxRank)
            return complain("expects tiles of at most " + Twine(layout::DistributedLayout::kMaxRank) + " dims", type);
          if (type.getNumElements() > kMaxTileElements)
            return complain("expects tiles of at most " + Twine(kMaxTileElements) + " elements", type);
        }
      return WalkResult::advance();
    });
    return failure(result.wasInterrupted());
  }

  void explain(func::FuncOp func, const AccessShapes &access) {
    func.walk([&](Operation *op) {
      auto found = access.find(op);
      if (found == access.end())
        return;
      remark::analysis(op->getLoc(),
                       remark::RemarkOpts::name("AccessWidth").category(getArgument()).function(func.getSymName()))
          << remark::add("accesses of {0} along dim {1} of the tile", counted(found->second.vectorElements, "element"),
                         found->second.contiguousDim);
    });
  }

  void explain(func::FuncOp func, const WarpChoice &choice) {
    if (choice.estimates.empty())
      return;
    std::string compared;
    for (const WarpEstimate &estimate : choice.estimates)
      compared += llvm::formatv("{0}{1} warps {2:F0} cycles and {3} registers", compared.empty() ? "" : ", ",
                                estimate.warps, estimate.cycles, estimate.registers);
    auto options = remark::RemarkOpts::name("Warps").category(getArgument()).function(func.getSymName());
    if (choice.warps != choice.estimates.front().warps)
      remark::passed(func.getLoc(), options)
          << remark::add("{0} warps, since a loop reduces tiles without touching memory: {1}", choice.warps, compared);
    else
      remark::missed(func.getLoc(), options) << remark::reason("{0} warps stay: {1}", choice.warps, compared);
  }

  void explain(func::FuncOp func, const LayoutPlan &plan) {
    auto options = [&](StringRef name) {
      return remark::RemarkOpts::name(name).category(getArgument()).function(func.getSymName());
    };
    for (const LayoutPlan::Change &change : plan.changes)
      remark::passed(change.first.getLoc(), options("LayoutChanged"))
          << remark::metric("tiles", change.numTiles) << remark::metric("cycles saved", llvm::formatv("{0:F0}", change.cyclesSaved).str());
    auto cycles = [](double number) { return llvm::formatv("{0:F0}", number).str(); };
    for (const LayoutPlan::Copies &copies : plan.copies) {
      if (!copies.isKept) {
        remark::missed(copies.value.getLoc(), options("Duplicated"))
            << remark::reason("made in each layout it would cost {0} cycles, converted {1}", cycles(copies.cyclesCopied),
                              cycles(copies.cyclesConverted));
        continue;
      }
      auto wanted = plan.wantedOf.find(copies.value);
      remark::passed(copies.value.getLoc(), options("Duplicated"))
          << remark::add("made in each layout in which it is used")
          << remark::metric("layouts", wanted == plan.wantedOf.end() ? 0 : wanted->second.size())
          << remark::metric("ops", copies.numOps)
          << remark::metric("cycles saved", cycles(copies.cyclesConverted - copies.cyclesCopied));
    }
    remark::analysis(func.getLoc(), options("LayoutCost"))
        << remark::metric("cycles", llvm::formatv("{0:F0}", plan.cyclesAfter).str())
        << remark::metric("cycles of the first plan", llvm::formatv("{0:F0}", plan.cyclesBefore).str());
  }
};

} // namespace

AccessShapes tilewright::findAccessShapes(func::FuncOp func) {
  AccessShapes shapes;
  AlignmentAnalysis alignment(func);
  func.walk([&](Operation *op) {
    llvm::TypeSwitch<Operation *>(op).Case<tile::LoadOp, tile::StoreOp, tile::GatherOp, tile::ScatterOp,
                                         tile::LoadPtrOp, tile::StorePtrOp>([&](auto access) {
          Type type = op->getNumResults() ? op->getResult(0).getType() : op->getOperand(0).getType();
          if (!isa<RankedTensorType>(type))
            return; // One element.
          VectorAccess widest = alignment.maxVectorElements(access, kMaxAccessBytes);
          shapes[op] = {widest.tileDim, widest.elements};
        });
  });
  return shapes;
}
