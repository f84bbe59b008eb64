// SPDX-License-Identifier: Apache-2.0
#include "tilewright/Dialect/Tile/Transforms/Passes.h"
#include "tilewright/Target/Target.h"

#include "mlir/Dialect/Math/IR/Math.h"

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
    WalkResult all = func.walk([&](Operation *op) {
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
    if (all.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
