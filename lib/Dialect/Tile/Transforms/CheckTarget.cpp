// SPDX-License-Identifier: Apache-2.0
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

/// Refuses a loop that cannot end, as far as constants tell: one whose step is not positive, or whose variable is not yet at the
/// upper bound when it overflows. A loop that does not run ends.
static LogicalResult checkEnds(scf::ForOp loop) {
  auto constant = [](Value value) -> std::optional<APInt> {
    APInt number;
    return matchPattern(value, m_ConstantInt(&number)) ? std::optional<APInt>(number) : std::nullopt;
  };
  bool isUnsigned = loop.getUnsignedCmp();
  std::optional<APInt> lower = constant(loop.getLowerBound()), upper = constant(loop.getUpperBound());
  std::optional<APInt> step = constant(loop.getStep());
  if (!step || (lower && upper && (isUnsigned ? lower->uge(*upper) : lower->sge(*upper))))
    return success();
  auto spelt = [&](const APInt &number) { return llvm::toString(number, 10, !isUnsigned); };
  if (isUnsigned ? step->isZero() : !step->isStrictlyPositive())
    return loop.emitOpError() << "expects a positive step, found " << spelt(*step);
  if (!lower || !upper)
    return success();
  // What the variable is behind the last trip, with room for it.
  unsigned width = step->getBitWidth(), wide = 2 * width + 2;
  auto widen = [&](const APInt &number) { return isUnsigned ? number.zext(wide) : number.sext(wide); };
  APInt from = widen(*lower), by = widen(*step);
  APInt trips = (widen(*upper) - from + by - 1).udiv(by);
  APInt last = from + trips * by;
  APInt most = widen(isUnsigned ? APInt::getMaxValue(width) : APInt::getSignedMaxValue(width));
  if (last.sle(most))
    return success();
  return loop.emitOpError() << "expects a variable that does not overflow, found " << spelt(*lower) << " to "
                            << spelt(*upper) << " step " << spelt(*step) << ", behind whose last trip it would be "
                            << llvm::toString(last, 10, /*Signed=*/true) << ", more than "
                            << llvm::toString(most, 10, /*Signed=*/true);
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
