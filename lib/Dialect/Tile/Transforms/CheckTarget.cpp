// SPDX-License-Identifier: Apache-2.0
#include "LoopEnds.h"
#include "tilewright/Analysis/LiveTiles.h"
#include "tilewright/Dialect/Tile/Transforms/Passes.h"
#include "tilewright/Dialect/Tile/Transforms/TmaPlan.h"
#include "tilewright/Support/Counted.h"
#include "tilewright/Target/Target.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

namespace tilewright {
#define GEN_PASS_DEF_CHECKTARGETPASS
#include "tilewright/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilewright

using namespace mlir;
using namespace tilewright;

/// True for the ops of `arith` and `math` that need instructions for the element types of their operands and results. The
/// others move bits or convert, which is done in integer arithmetic where nothing else is there.
static bool isArithmetic(Operation *op) {
  if (isa<arith::ConstantOp, arith::SelectOp, arith::BitcastOp, arith::ExtFOp, arith::TruncFOp, arith::SIToFPOp,
          arith::UIToFPOp, arith::FPToSIOp, arith::FPToUIOp>(op))
    return false;
  return isa_and_nonnull<arith::ArithDialect, math::MathDialect>(op->getDialect());
}

static std::string spell(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

/// True if `target` computes with elements of that type. Of integers all: they are widened.
static bool hasArithmetic(const Target &target, Type element) {
  if (!isa<FloatType>(element))
    return true;
  std::optional<ScalarType> scalar = parseScalarType(spell(element));
  return scalar && target.hasArithmetic(*scalar);
}

/// The first type that `op` needs and `target` lacks, or null.
static Type findMissing(Operation *op, const Target &target) {
  if (!isArithmetic(op))
    return {};
  for (TypeRange types : {TypeRange(op->getOperandTypes()), TypeRange(op->getResultTypes())})
    for (Type type : types)
      if (!hasArithmetic(target, getElementTypeOrSelf(type)))
        return getElementTypeOrSelf(type);
  return {};
}

namespace {
struct CheckTarget : public tilewright::impl::CheckTargetPassBase<CheckTarget> {
  using CheckTargetPassBase::CheckTargetPassBase;

  void runOnOperation() override {
    func::FuncOp func = getOperation();
    if (!func->hasAttr("tile.kernel"))
      return;
    std::string error;
    const Target *chosen = findTarget(target, &error);
    if (!chosen) {
      emitError(func.getLoc()) << error;
      return signalPassFailure();
    }
    WalkResult all = func.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (auto loop = dyn_cast<scf::ForOp>(op); loop && failed(checkEnds(loop)))
        return WalkResult::interrupt();
      Type missing = findMissing(op, *chosen);
      if (!missing)
        return WalkResult::advance();
      InFlightDiagnostic error = op->emitOpError() << "expects arithmetic on " << missing << ", which ";
      const Target *first = findFirstTarget([&](const Target &row) { return hasArithmetic(row, missing); });
      if (first)
        error << chosen->name << " lacks; " << first->name << " is the first target that has it";
      else
        error << chosen->name << " and all other targets lack; compute in a wider float between arith.extf and "
              << "arith.truncf";
      return WalkResult::interrupt();
    });
    if (all.wasInterrupted() || failed(checkTmaMarks(func, *chosen)) || failed(checkOccupancy(func, *chosen)))
      signalPassFailure();
  }

private:
  /// As far as threads and programs go; registers and shared memory are known later.
  LogicalResult checkOccupancy(func::FuncOp kernel, const Target &chosen) {
    auto wish = kernel->getAttrOfType<IntegerAttr>("tile.occupancy");
    int64_t programs = wish ? wish.getInt() : 1, threads = expectedWarps(kernel, numWarps) * kWarpSize;
    if (programs > chosen.maxBlocksPerSm)
      return emitError(kernel.getLoc()) << "tile.occupancy asks for " << programs << " programs on an SM, "
                                        << chosen.name << " holds " << counted(chosen.maxBlocksPerSm, "CTA");
    if (programs > 1 && programs * threads > chosen.maxThreadsPerSm)
      return emitError(kernel.getLoc()) << "tile.occupancy asks for " << programs << " programs on an SM, which are "
                                        << programs * threads << " threads of " << threads << " each, but "
                                        << chosen.name << " holds " << chosen.maxThreadsPerSm;
    return success();
  }
};
} // namespace
