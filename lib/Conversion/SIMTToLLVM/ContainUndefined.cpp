// SPDX-License-Identifier: Apache-2.0
#include "SIMTToLLVM.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

using namespace mlir;
using namespace tilewright;

/// Bits of a register, into which narrower elements are packed.
static constexpr unsigned kRegisterBits = 32;

namespace {
/// A division by zero, or of the least number by -1, gives some value. To LLVM it never happens, which would let it drop
/// `select(divisor == 0, ..)` around it; on the host it traps.
template <typename OpTy> struct SafeDivision : public OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;
  LogicalResult matchAndRewrite(OpTy op, PatternRewriter &b) const override {
    if (op->hasAttr("tile_gpu.safe"))
      return failure();
    Location loc = op.getLoc();
    Type type = op.getType();
    auto constant = [&](int64_t value) -> Value {
      TypedAttr attr = b.getIntegerAttr(getElementTypeOrSelf(type), value);
      if (auto vector = dyn_cast<VectorType>(type))
        attr = DenseElementsAttr::get(vector, Attribute(attr));
      return arith::ConstantOp::create(b, loc, attr);
    };
    constexpr bool isSigned = std::is_same_v<OpTy, arith::DivSIOp> || std::is_same_v<OpTy, arith::RemSIOp>;
    APInt known;
    Value divisor = op.getRhs();
    b.modifyOpInPlace(op, [&] { op->setAttr("tile_gpu.safe", b.getUnitAttr()); });
    if (matchPattern(divisor, m_ConstantInt(&known)) && !known.isZero() && !known.isAllOnes())
      return success();
    Value isZero = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, divisor, constant(0));
    Value safe = arith::SelectOp::create(b, loc, isZero, constant(1), divisor);
    if constexpr (!isSigned) {
      b.modifyOpInPlace(op, [&] { op.getRhsMutable().assign(safe); });
      return success();
    }
    // x / -1 is -x and x % -1 is 0, also where the quotient overflows.
    Value isMinusOne = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, divisor, constant(-1));
    safe = arith::SelectOp::create(b, loc, isMinusOne, constant(1), safe);
    b.modifyOpInPlace(op, [&] { op.getRhsMutable().assign(safe); });
    b.setInsertionPointAfter(op);
    Value special = constant(0);
    if constexpr (std::is_same_v<OpTy, arith::DivSIOp>)
      special = arith::SubIOp::create(b, loc, constant(0), op.getLhs());
    auto fixed = arith::SelectOp::create(b, loc, isMinusOne, special, op.getResult());
    b.replaceAllUsesExcept(op.getResult(), fixed.getResult(), fixed);
    return success();
  }
};

/// A float that is no number of a narrow integer type. LLVM takes the upper bits of the register for zero (or copies of
/// the sign), so what lies there would reach the neighbours that share a word. The number is cut out of 32 bits instead.
template <typename OpTy> struct WidenToInt : public OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;
  LogicalResult matchAndRewrite(OpTy op, PatternRewriter &b) const override {
    Type type = op.getType(), wide = b.getIntegerType(kRegisterBits);
    if (getElementTypeOrSelf(type).getIntOrFloatBitWidth() >= kRegisterBits)
      return failure();
    if (auto vector = dyn_cast<VectorType>(type))
      wide = vector.clone(wide);
    Value number = OpTy::create(b, op.getLoc(), wide, op.getIn());
    b.replaceOpWithNewOp<arith::TruncIOp>(op, type, number);
    return success();
  }
};
} // namespace

void simt::containUndefined(ModuleOp module) {
  MLIRContext *context = module.getContext();
  // arith.ceildivsi and its kind are divisions too.
  RewritePatternSet expansions(context);
  arith::populateCeilFloorDivExpandOpsPatterns(expansions);
  walkAndApplyPatterns(module, std::move(expansions));
  RewritePatternSet patterns(context);
  patterns.add<SafeDivision<arith::DivSIOp>, SafeDivision<arith::DivUIOp>, SafeDivision<arith::RemSIOp>,
               SafeDivision<arith::RemUIOp>, WidenToInt<arith::FPToSIOp>, WidenToInt<arith::FPToUIOp>>(context);
  walkAndApplyPatterns(module, std::move(patterns));
}

void simt::freezePackedElements(ModuleOp module) {
  module.walk([](LLVM::BitcastOp cast) {
    Value source = cast.getArg();
    auto from = dyn_cast<IntegerType>(getElementTypeOrSelf(source.getType()));
    Type to = getElementTypeOrSelf(cast.getType());
    if (!from || from.getWidth() >= kRegisterBits || from == to)
      return;
    OpBuilder builder(cast);
    cast.getArgMutable().assign(LLVM::FreezeOp::create(builder, cast.getLoc(), source));
  });
}
