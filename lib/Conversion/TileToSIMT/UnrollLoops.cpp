// SPDX-License-Identifier: Apache-2.0
#include "tilewright/Analysis/UnrollWish.h"
#include "tilewright/Conversion/TileToSIMT/Passes.h"
#include "tilewright/Conversion/TileToSIMT/UnrollLoop.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Remarks.h"
#include "llvm/Support/FormatVariadic.h"

namespace tilewright {
#define GEN_PASS_DEF_UNROLLLOOPSPASS
#include "tilewright/Conversion/TileToSIMT/Passes.h.inc"
} // namespace tilewright

using namespace mlir;
using namespace tilewright;

/// Elements that the ops of `loop` compute or move in one thread, as a measure of instructions.
static int64_t measureBody(scf::ForOp loop) {
  int64_t size = 0;
  loop.getBody()->walk([&](Operation *op) {
    int64_t most = op->hasTrait<OpTrait::IsTerminator>() ? 0 : 1;
    auto count = [&](TypeRange types) {
      for (Type type : types)
        if (auto vector = dyn_cast<VectorType>(type); vector && most != 0)
          most = std::max(most, vector.getNumElements());
    };
    count(op->getOperandTypes());
    count(op->getResultTypes());
    size += most;
  });
  return size;
}

/// In words.
static std::string describe(const simt::UnrollShape &shape) {
  std::string text = llvm::formatv("{0} {1} of the body", shape.copies, shape.copies == 1 ? "copy" : "copies").str();
  if (shape.main == simt::TripForm::Once)
    text += " without a loop";
  else if (shape.main == simt::TripForm::Never)
    text = "no copies, because the type of the variable has no room for so many trips";
  if (shape.rest == simt::TripForm::Once)
    text += ", and one more for the last trip";
  else if (shape.rest == simt::TripForm::Loop)
    text += ", and a rolled loop for the rest of the trips";
  return text;
}

namespace {
struct UnrollLoops : public tilewright::impl::UnrollLoopsPassBase<UnrollLoops> {
  using UnrollLoopsPassBase::UnrollLoopsPassBase;

  void runOnOperation() override {
    func::FuncOp func = getOperation();
    if (!func->hasAttr("tile_gpu.kernel"))
      return;
    // Inner loops first: a copy of an outer one then holds their copies.
    SmallVector<LoopLikeOpInterface> loops;
    func.walk([&](LoopLikeOpInterface loop) {
      if (loop->hasAttr("tile.unroll"))
        loops.push_back(loop);
    });
    IRRewriter rewriter(&getContext());
    for (LoopLikeOpInterface loop : loops)
      if (failed(unroll(rewriter, loop)))
        return signalPassFailure();
    // What folded bounds leave behind.
    func.walk([](arith::ConstantOp constant) {
      if (constant.use_empty())
        constant.erase();
    });
  }

private:
  LogicalResult unroll(RewriterBase &rewriter, LoopLikeOpInterface op) {
    FailureOr<std::optional<int64_t>> asked = copiesAsked(op);
    if (failed(asked))
      return failure();
    auto loop = dyn_cast<scf::ForOp>(op.getOperation());
    if (!loop) {
      op->removeAttr("tile.unroll");
      op->setAttr("tile_gpu.nounroll", rewriter.getUnitAttr());
      return success();
    }
    Type type = loop.getInductionVar().getType();
    APInt constant;
    std::optional<APInt> step;
    if (matchPattern(loop.getStep(), m_ConstantInt(&constant)))
      step = constant;
    simt::UnrollShape shape = simt::planUnrollShape(staticTrips(loop), step,
                                                    type.isIndex() ? 64 : type.getIntOrFloatBitWidth(), **asked);
    int64_t size = measureBody(loop);
    bool isCopied = shape.copies > 1 && shape.main != simt::TripForm::Never;
    if (isCopied && size > maxInstructions / shape.copies)
      return emitError(loop.getLoc()) << "expected at most " << int64_t(maxInstructions)
                                      << " instructions of a thread in all copies of a loop's body, found " << shape.copies
                                      << " copies of " << size << "; ask for fewer by tile.unroll";
    auto opts = remark::RemarkOpts::name("UnrollLoop").category(getArgument()).function(getOperation().getSymName());
    if (shape.copies > 1)
      remark::passed(loop.getLoc(), opts) << remark::add("{0}", describe(shape));
    simt::unrollLoop(rewriter, loop, shape);
    return success();
  }
};
} // namespace
