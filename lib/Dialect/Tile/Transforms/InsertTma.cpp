// SPDX-License-Identifier: Apache-2.0
#include "tilewright/Analysis/HostValues.h"
#include "tilewright/Dialect/Tile/Transforms/KernelVersions.h"
#include "tilewright/Dialect/Tile/Transforms/Passes.h"
#include "tilewright/Dialect/Tile/Transforms/TmaPlan.h"
#include "tilewright/Support/Counted.h"
#include "tilewright/Target/Target.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Remarks.h"
#include "mlir/IR/SymbolTable.h"

namespace tilewright {
#define GEN_PASS_DEF_INSERTTMAPASS
#include "tilewright/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilewright

using namespace mlir;
using namespace tilewright;

static constexpr StringRef kMark = "tile.tma";

/// True for each element of the loaded tile whose checked indices lie inside the view, as a tile of i1.
static Value makeInsideMask(OpBuilder &builder, tile::LoadOp load) {
  Location loc = load.getLoc();
  ArrayRef<int64_t> shape = load.getResult().getType().getShape();
  Type i64 = builder.getI64Type(), i1 = builder.getI1Type();
  auto wide = [&](Value index) { return arith::IndexCastOp::create(builder, loc, i64, index).getResult(); };
  // Inside if 0 <= index < size; a size is never negative, so one comparison serves both.
  auto isInside = [&](Value index, Value size) {
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, index, size).getResult();
  };
  SmallVector<int64_t> walked = load.walkedDims();
  Value all;
  auto add = [&](Value mask) { all = all ? arith::AndIOp::create(builder, loc, all, mask).getResult() : mask; };
  for (auto [dim, offset] : llvm::enumerate(load.getOffsets())) {
    if (load.getInBounds() && (*load.getInBounds())[dim])
      continue;
    Value size = wide(tile::ViewSizeOp::create(builder, loc, load.getView(), dim)), start = wide(offset);
    const int64_t *place = llvm::find(walked, static_cast<int64_t>(dim));
    if (place == walked.end()) {
      add(tile::SplatOp::create(builder, loc, RankedTensorType::get(shape, i1), isInside(start, size)));
      continue;
    }
    unsigned t = place - walked.begin();
    auto line = RankedTensorType::get({shape[t]}, i64);
    auto splat = [&](Value value) { return tile::SplatOp::create(builder, loc, line, value).getResult(); };
    Value index = arith::AddIOp::create(builder, loc, splat(start),
                                        tile::IotaOp::create(builder, loc, line, IntegerAttr()));
    Value mask = isInside(index, splat(size));
    SmallVector<int64_t> flat(shape.size(), 1);
    flat[t] = shape[t];
    if (shape.size() > 1)
      mask = tile::ReshapeOp::create(builder, loc, RankedTensorType::get(flat, i1), mask);
    if (ArrayRef<int64_t>(flat) != shape)
      mask = tile::BroadcastOp::create(builder, loc, RankedTensorType::get(shape, i1), mask);
    add(mask);
  }
  return all;
}

static APFloat padValue(tile::Pad pad, const llvm::fltSemantics &semantics) {
  switch (pad) {
  case tile::Pad::neg_zero:
    return APFloat::getZero(semantics, /*Negative=*/true);
  case tile::Pad::nan:
    return APFloat::getNaN(semantics);
  case tile::Pad::pos_inf:
    return APFloat::getInf(semantics);
  case tile::Pad::neg_inf:
    return APFloat::getInf(semantics, /*Negative=*/true);
  default:
    return APFloat::getZero(semantics);
  }
}

/// A tensor map fills with zero; what the program asked for instead is selected behind the load.
static void selectPad(tile::LoadOp load) {
  OpBuilder builder(load);
  RankedTensorType type = load.getResult().getType();
  Value mask = makeInsideMask(builder, load);
  APFloat value = padValue(load.getPad(), cast<FloatType>(type.getElementType()).getFloatSemantics());
  Value pad = arith::ConstantOp::create(builder, load.getLoc(), DenseElementsAttr::get(type, value));
  load.setPad(tile::Pad::zero);
  builder.setInsertionPointAfter(load);
  Value selected = arith::SelectOp::create(builder, load.getLoc(), mask, load.getResult(), pad);
  load.getResult().replaceAllUsesExcept(selected, selected.getDefiningOp());
}

namespace {
struct InsertTma : public tilewright::impl::InsertTmaPassBase<InsertTma> {
  using InsertTmaPassBase::InsertTmaPassBase;

  void runOnOperation() override {
    std::string error;
    const Target *row = findTarget(target, &error);
    if (mode != "auto" && mode != "guard")
      error = "unknown mode '" + mode + "', expected auto or guard";
    if (!error.empty()) {
      emitError(getOperation().getLoc()) << "tile-insert-tma: " << error;
      return signalPassFailure();
    }
    for (KernelVersions &versions : findKernelVersions(getOperation())) {
      if (!row->hasTma) {
        const Target *first = findFirstTarget([](const Target &target) { return target.hasTma; });
        remark::missed(versions.kernel.getLoc(), remarkFor(versions.kernel)) << remark::reason(
            "{0} has no tensor maps; {1} is the first target that has them", row->name, first->name);
        continue;
      }
      insert(versions);
    }
  }

private:
  remark::RemarkOpts remarkFor(func::FuncOp func) {
    return remark::RemarkOpts::name("Tma").category(getArgument()).function(func.getSymName());
  }

  static StringRef nameOf(Operation *access) { return access->getName().getStringRef(); }
  static Value viewOf(Operation *access) {
    auto load = dyn_cast<tile::LoadOp>(access);
    return load ? load.getView() : cast<tile::StoreOp>(access).getView();
  }

  void insert(KernelVersions &versions) {
    bool hasMarks = llvm::any_of(versions.all, [](func::FuncOp func) {
      return func.walk([](Operation *op) { return WalkResult(failure(op->hasAttr(kMark))); }).wasInterrupted();
    });
    bool explainsRest = true;
    if (mode == "guard" && !hasMarks)
      explainsRest = !addVariant(versions);
    for (func::FuncOp func : versions.all) {
      bool isFirst = func == versions.all.front();
      // Cheap to see: without a promise only sizes that types or ranges bound are legal.
      if (!isFirst && !mayBeLegal(func))
        continue;
      markAll(func, planTma(func, findGrid(func), {}), /*explainsRest=*/explainsRest && isFirst);
    }
  }

  /// Whether some access could obey the rules without a promise that only a guard can make.
  static bool mayBeLegal(func::FuncOp func) {
    return func
        .walk([](Operation *op) {
          if (!isa<tile::LoadOp, tile::StoreOp>(op))
            return WalkResult::advance();
          Value origin = ViewOrigin::of(viewOf(op)).view;
          bool isBounded = !isa<BlockArgument>(origin) || !llvm::is_contained(cast<tile::ViewType>(origin.getType()).getShape(),
                                                                               ShapedType::kDynamic);
          return isBounded ? WalkResult::interrupt() : WalkResult::advance();
        })
        .wasInterrupted();
  }

  /// Marks what is legal in `func` and says of the rest why it is not.
  void markAll(func::FuncOp func, ArrayRef<TmaDecision> decisions, bool explainsRest) {
    for (const TmaDecision &decision : decisions) {
      Operation *access = decision.access;
      if (access->hasAttr(kMark))
        continue;
      std::string name = (nameOf(access) + " of " + describeMemory(viewOf(access))).str();
      auto miss = [&](const std::string &reason) {
        if (explainsRest)
          remark::missed(access->getLoc(), remarkFor(func)) << remark::reason("{0}: no tensor map: {1}", name, reason);
      };
      if (!decision.reason.empty()) {
        miss(decision.reason);
      } else if (!decision.needed.empty()) {
        std::string facts;
        for (const Promise &promise : decision.needed)
          facts += (facts.empty() ? "" : "; ") + describePromise(func, promise);
        miss(decision.missing + (mode == "guard" ? "" : "; mode=guard makes a variant that assumes " + facts +
                                                            ", whose code would be the same until bulk copies are lowered"));
      } else if (decision.needsSelect && mode != "guard") {
        auto load = cast<tile::LoadOp>(access);
        miss("the pad " + tile::stringifyPad(load.getPad()).str() +
             " is none that a tensor map fills with; mode=guard selects it behind the load");
      } else {
        access->setAttr(kMark, UnitAttr::get(&getContext()));
        remark::passed(access->getLoc(), remarkFor(func)) << remark::add("{0}: by tensor map", name);
        if (decision.needsSelect)
          selectPad(cast<tile::LoadOp>(access));
      }
    }
  }

  static unsigned countLegal(ArrayRef<TmaDecision> decisions) {
    return llvm::count_if(decisions, [](const TmaDecision &decision) { return decision.isLegal(); });
  }

  /// The promises under which the most accesses of `kernel` are legal. Pure.
  static SmallVector<Promise> planPromises(func::FuncOp kernel, func::FuncOp grid) {
    SmallVector<Promise> units = findUnitStrides(kernel), needed;
    OwningOpRef<func::FuncOp> clone = kernel.clone();
    applyPromises(*clone, units);
    for (const TmaDecision &decision : planTma(*clone, grid, {})) {
      if (!decision.reason.empty())
        continue;
      for (const Promise &promise : decision.needed)
        addPromise(needed, promise);
    }
    // Those that no access needs go again.
    auto countUnder = [&](ArrayRef<Promise> promises) {
      OwningOpRef<func::FuncOp> trial = kernel.clone();
      applyPromises(*trial, promises);
      return countLegal(planTma(*trial, grid, promises));
    };
    SmallVector<Promise> all(units);
    llvm::append_range(all, needed);
    unsigned most = countUnder(all);
    for (const Promise &unit : units) {
      SmallVector<Promise> fewer;
      for (const Promise &promise : all)
        if (promise.kind != Promise::UnitStride || promise.argument != unit.argument)
          fewer.push_back(promise);
      if (countUnder(fewer) == most)
        all = std::move(fewer);
    }
    return all;
  }

  /// Puts a variant in front whose guard makes more accesses legal; false if there is nothing to gain or no room.
  bool addVariant(KernelVersions &versions) {
    func::FuncOp kernel = versions.kernel, grid = findGrid(kernel);
    SmallVector<Promise> promises = planPromises(kernel, grid);
    if (promises.empty())
      return false;
    OwningOpRef<func::FuncOp> trial = kernel.clone();
    applyPromises(*trial, promises);
    unsigned legal = countLegal(planTma(*trial, grid, promises)), before = countLegal(planTma(kernel, grid, {}));
    if (legal <= before)
      return false;
    std::string facts;
    for (const Promise &promise : promises)
      facts += (facts.empty() ? "" : "; ") + describePromise(kernel, promise);
    if (versions.all.size() + 1 > maxVariants) {
      remark::missed(kernel.getLoc(), remarkFor(kernel))
          << remark::reason("no variant for {0}, under which {1} could use tensor maps: a kernel has at most {2}",
                            facts, counted(legal, "access", "accesses"), counted(maxVariants.getValue(), "version"));
      return false;
    }
    SymbolTable symbols(getOperation());
    std::string name = kernel.getSymName().str() + "_tma";
    auto isTaken = [&](StringRef end) { return symbols.lookup(name + end.str()) != nullptr; };
    while (isTaken("") || isTaken("_grid") || isTaken("_guard"))
      name += "_";
    func::FuncOp variant = tilewright::addVariant(kernel, kernel, name, promises, symbols);
    func::FuncOp front = versions.all.front();
    for (StringRef end : {"_guard", "", "_grid"})
      if (Operation *part = symbols.lookup(name + end.str()))
        part->moveBefore(front);
    remark::passed(kernel.getLoc(), remarkFor(kernel)) << remark::add("variant @{0} assumes {1}", name, facts);
    markAll(variant, planTma(variant, findGrid(variant), promises), /*explainsRest=*/true);
    return true;
  }
};
} // namespace
