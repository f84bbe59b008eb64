// SPDX-License-Identifier: Apache-2.0
#include "TileLoops.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tilewright::tile;

/// Above those of upstream's patterns, which would take the loops for loops without a trip.
static constexpr unsigned kBenefit = 100;

namespace {
/// A signed loop between constants whose distance is no signed number of their type, e.g. from -100 to 100 in i8, walks
/// the distance as an unsigned number: from 0 to 200, and adds -100.
struct WideDistance : public OpRewritePattern<scf::ForOp> {
  explicit WideDistance(MLIRContext *context) : OpRewritePattern(context, kBenefit) {}

  LogicalResult matchAndRewrite(scf::ForOp loop, PatternRewriter &rewriter) const override {
    APInt lower, upper;
    if (loop.getUnsignedCmp() || !matchPattern(loop.getLowerBound(), m_ConstantInt(&lower)) ||
        !matchPattern(loop.getUpperBound(), m_ConstantInt(&upper)))
      return rewriter.notifyMatchFailure(loop, "unsigned, or a bound is no constant");
    APInt distance = upper - lower;
    if (lower.sge(upper) || distance.isNonNegative())
      return rewriter.notifyMatchFailure(loop, "the distance is a signed number of the type");
    Type type = loop.getInductionVar().getType();
    auto constant = [&](const APInt &value) {
      return arith::ConstantOp::create(rewriter, loop.getLoc(), type, IntegerAttr::get(type, value));
    };
    Value zero = constant(APInt::getZero(distance.getBitWidth())), end = constant(distance),
          from = loop.getLowerBound();
    rewriter.modifyOpInPlace(loop, [&] {
      loop.setLowerBound(zero);
      loop.setUpperBound(end);
      loop.setUnsignedCmp(true);
    });
    rewriter.setInsertionPointToStart(loop.getBody());
    auto variable = arith::AddIOp::create(rewriter, loop.getLoc(), loop.getInductionVar(), from);
    rewriter.replaceAllUsesExcept(loop.getInductionVar(), variable, variable);
    return success();
  }
};

/// An unsigned step of the upper half of the type leaves room for one trip: a second one would overflow.
struct WideStep : public OpRewritePattern<scf::ForOp> {
  explicit WideStep(MLIRContext *context) : OpRewritePattern(context, kBenefit) {}

  LogicalResult matchAndRewrite(scf::ForOp loop, PatternRewriter &rewriter) const override {
    APInt step;
    if (!loop.getUnsignedCmp() || !matchPattern(loop.getStep(), m_ConstantInt(&step)) || step.isNonNegative())
      return rewriter.notifyMatchFailure(loop, "signed, or the step is no constant of the upper half");
    Location loc = loop.getLoc();
    Value runs =
        arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::ult, loop.getLowerBound(), loop.getUpperBound());
    auto branch =
        scf::IfOp::create(rewriter, loc, loop.getResultTypes(), runs, /*addThenBlock=*/true, /*addElseBlock=*/true);
    SmallVector<Value> arguments{loop.getLowerBound()};
    llvm::append_range(arguments, loop.getInitArgs());
    rewriter.inlineBlockBefore(loop.getBody(), branch.thenBlock(), branch.thenBlock()->end(), arguments);
    rewriter.setInsertionPointToEnd(branch.elseBlock());
    scf::YieldOp::create(rewriter, loc, loop.getInitArgs());
    rewriter.replaceOp(loop, branch);
    return success();
  }
};
} // namespace

void tilewright::tile::populateLoopPatterns(RewritePatternSet &patterns) {
  patterns.add<WideDistance, WideStep>(patterns.getContext());
}
