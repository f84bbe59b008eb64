// SPDX-License-Identifier: Apache-2.0
#include "tilewright/Analysis/UnrollWish.h"
#include "tilewright/Dialect/Tile/Transforms/Passes.h"
#include "tilewright/Dialect/Tile/Transforms/UnrollPlan.h"
#include "tilewright/Support/Counted.h"

#include "mlir/IR/Remarks.h"
#include "llvm/Support/FormatVariadic.h"

namespace tilewright {
#define GEN_PASS_DEF_CONTROLUNROLLPASS
#include "tilewright/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilewright

using namespace mlir;
using namespace tilewright;

namespace {
struct ControlUnroll : public tilewright::impl::ControlUnrollPassBase<ControlUnroll> {
  using ControlUnrollPassBase::ControlUnrollPassBase;

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
    bool isPossible = true;
    func.walk([&](LoopLikeOpInterface loop) { isPossible &= succeeded(copiesAsked(loop)); });
    if (!isPossible)
      return signalPassFailure();
    UnrollLimits limits = unrollLimits(func, *chosen, numWarps);
    limits.instructions = maxInstructions;
    for (const UnrollDecision &decision : planUnroll(func, limits)) {
      explain(decision, limits);
      if (decision.outcome != UnrollOutcome::Chosen)
        continue;
      Operation *loop = scf::ForOp(decision.loop);
      Builder builder(&getContext());
      if (decision.trips && decision.copies == *decision.trips && decision.copies > 1)
        loop->setAttr("tile.unroll", builder.getStringAttr("full"));
      else
        loop->setAttr("tile.unroll", builder.getI64IntegerAttr(decision.copies));
    }
  }

private:
  void explain(const UnrollDecision &decision, const UnrollLimits &limits) {
    auto opts = remark::RemarkOpts::name("ControlUnroll").category(getArgument()).function(getOperation().getSymName());
    Location loc = scf::ForOp(decision.loop).getLoc();
    const LiveTiles &tiles = decision.tiles;
    std::string trips = decision.trips ? counted(*decision.trips, "trip") : "unknown trips";
    auto copies = [](int64_t count) { return counted(count, "copy", "copies") + " of the body"; };
    auto values = [&](int64_t copies) {
      return llvm::formatv("{0} registers of {1}, {2} instructions of {3}", tiles.registers(copies, limits.threads),
                           limits.registers, tiles.instructions(copies, limits.threads), limits.instructions)
          .str();
    };
    UnrollFit fit = fitOfTrips(decision.copies, decision.trips);
    std::string rest;
    if (fit == UnrollFit::Rest)
      rest = "; behind them a rolled loop for " +
             (decision.trips ? "the other " + std::to_string(*decision.trips % decision.copies) : "what is left of trips");
    switch (decision.outcome) {
    case UnrollOutcome::Asked:
      if (fit == UnrollFit::Beyond)
        remark::passed(loc, opts) << remark::add("{0}, which are all trips; {1} were asked for: {2}",
                                                 copies(*decision.trips), decision.copies, values(*decision.trips));
      else
        remark::passed(loc, opts) << remark::add("{0}, as asked, {1}: {2}{3}", copies(decision.copies), trips,
                                                 values(decision.copies), rest);
      return;
    case UnrollOutcome::Pipeline:
      remark::analysis(loc, opts) << remark::add("left to the software pipeline, which overlaps the trips of a loop of "
                                                 "products and loads");
      return;
    case UnrollOutcome::Nested:
      remark::analysis(loc, opts) << remark::add("not repeated, because there is a loop in it");
      return;
    case UnrollOutcome::Unknown:
      remark::analysis(loc, opts) << remark::add("left to ptxas, because the number of trips is known at run time only; two "
                                                 "copies would take {0}", values(2));
      return;
    case UnrollOutcome::Chosen:
      if (decision.copies > 1)
        remark::passed(loc, opts) << remark::add("{0} of {1}: {2}{3}", copies(decision.copies), trips,
                                                 values(decision.copies), rest);
      else
        remark::missed(loc, opts) << remark::reason("stays rolled: {0}; two copies would take {1}", trips, values(2));
      return;
    }
  }
};
} // namespace
