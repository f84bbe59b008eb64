// SPDX-License-Identifier: Apache-2.0
#include "Functions.h"
#include "SmallFloat.h"
#include "tilewright/Conversion/ExpandMath/Passes.h"

#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace tilewright {
#define GEN_PASS_DEF_EXPANDMATHPASS
#include "tilewright/Conversion/ExpandMath/Passes.h.inc"
} // namespace tilewright

using namespace mlir;
using namespace tilewright;
using namespace tilewright::expand;

static bool isHalf(Type element) { return element.isF16() || element.isBF16(); }

/// f16, bf16, f32 or f64, all sizes known: what a formula can be built for.
static LogicalResult checkType(PatternRewriter &rewriter, Operation *op, Type type) {
  Type element = getElementTypeOrSelf(type);
  if (!isHalf(element) && !element.isF32() && !element.isF64())
    return rewriter.notifyMatchFailure(op, "no expansion for this element type");
  if (auto shaped = dyn_cast<ShapedType>(type); shaped && !isa<VectorType>(type) && !shaped.hasStaticShape())
    return rewriter.notifyMatchFailure(op, "constants need a static shape");
  return success();
}

/// An operand in the format of the computation: f32 for f16 and bf16.
static Flt widen(const Site &site, Value value) {
  Flt x(site, value);
  return isHalf(x.getElementType()) ? x.extend(site.builder.getF32Type()) : x;
}

static Value narrow(Flt x, Type type) { return x.truncate(getElementTypeOrSelf(type)).get(); }

namespace {

using Unary = Flt (*)(Flt);
using Binary = Flt (*)(Flt, Flt);

template <typename OpT, Unary function> struct ExpandUnary : public OpRewritePattern<OpT> {
  using OpRewritePattern<OpT>::OpRewritePattern;
  LogicalResult matchAndRewrite(OpT op, PatternRewriter &rewriter) const override {
    if (failed(checkType(rewriter, op, op.getType())))
      return failure();
    Site site{rewriter, op.getLoc()};
    rewriter.replaceOp(op, narrow(function(widen(site, op.getOperand())), op.getType()));
    return success();
  }
};

template <typename OpT, Binary function> struct ExpandBinary : public OpRewritePattern<OpT> {
  using OpRewritePattern<OpT>::OpRewritePattern;
  LogicalResult matchAndRewrite(OpT op, PatternRewriter &rewriter) const override {
    if (failed(checkType(rewriter, op, op.getType())))
      return failure();
    Site site{rewriter, op.getLoc()};
    Flt result = function(widen(site, op->getOperand(0)), widen(site, op->getOperand(1)));
    rewriter.replaceOp(op, narrow(result, op.getType()));
    return success();
  }
};

/// Back ends compute `x - trunc(x / y) * y`, which is wrong where the quotient is rounded.
struct ExpandRemF : public OpRewritePattern<arith::RemFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::RemFOp op, PatternRewriter &rewriter) const override {
    if (failed(checkType(rewriter, op, op.getType())) || isa<TensorType>(op.getType()))
      return rewriter.notifyMatchFailure(op, "needs a scalar or a vector");
    Site site{rewriter, op.getLoc()};
    Flt result = expand::remainder(widen(site, op.getLhs()), widen(site, op.getRhs()));
    rewriter.replaceOp(op, narrow(result, op.getType())); // Exact: a remainder has no more digits than its operands.
    return success();
  }
};

struct ExpandSinCos : public OpRewritePattern<math::SincosOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::SincosOp op, PatternRewriter &rewriter) const override {
    Type type = op.getOperand().getType();
    if (failed(checkType(rewriter, op, type)))
      return failure();
    Site site{rewriter, op.getLoc()};
    auto [sine, cosine] = sinCos(widen(site, op.getOperand()));
    rewriter.replaceOp(op, {narrow(sine, type), narrow(cosine, type)});
    return success();
  }
};

/// Classification by the magnitude's bits; `OpT` says of what.
template <typename OpT> struct ExpandClassification : public OpRewritePattern<OpT> {
  using OpRewritePattern<OpT>::OpRewritePattern;
  LogicalResult matchAndRewrite(OpT op, PatternRewriter &rewriter) const override {
    Type type = op.getOperand().getType();
    if (failed(checkType(rewriter, op, type)))
      return failure();
    Site site{rewriter, op.getLoc()};
    auto element = cast<FloatType>(getElementTypeOrSelf(type));
    APInt infinity = APFloat::getInf(element.getFloatSemantics()).bitcastToAPInt();
    APInt smallest = APFloat::getSmallestNormalized(element.getFloatSemantics()).bitcastToAPInt();
    Int bits = Flt(site, op.getOperand()).bits();
    Int magnitude = bits & (~APInt::getSignMask(bits.width())).getZExtValue();
    uint64_t top = infinity.getZExtValue(), low = smallest.getZExtValue();
    Bool result = magnitude.ult(top);
    if constexpr (std::is_same_v<OpT, math::IsNaNOp>)
      result = magnitude.ugt(top);
    else if constexpr (std::is_same_v<OpT, math::IsInfOp>)
      result = magnitude == top;
    else if constexpr (std::is_same_v<OpT, math::IsNormalOp>)
      result = (magnitude - low).ult(top - low);
    rewriter.replaceOp(op, result.get());
    return success();
  }
};

struct ExpandClamp : public OpRewritePattern<math::ClampFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::ClampFOp op, PatternRewriter &rewriter) const override {
    Value low = arith::MinimumFOp::create(rewriter, op.getLoc(), op.getValue(), op.getMax());
    rewriter.replaceOpWithNewOp<arith::MaximumFOp>(op, low, op.getMin());
    return success();
  }
};

struct ExpandFPowI : public OpRewritePattern<math::FPowIOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::FPowIOp op, PatternRewriter &rewriter) const override {
    if (failed(checkType(rewriter, op, op.getType())))
      return failure();
    unsigned width = getElementTypeOrSelf(op.getRhs().getType()).getIntOrFloatBitWidth();
    if (width > 64)
      return rewriter.notifyMatchFailure(op, "exponent wider than 64 bits");
    Site site{rewriter, op.getLoc()};
    rewriter.replaceOp(op, narrow(powInt(widen(site, op.getLhs()), Int(site, op.getRhs())), op.getType()));
    return success();
  }
};

struct ExpandIPowI : public OpRewritePattern<math::IPowIOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::IPowIOp op, PatternRewriter &rewriter) const override {
    auto element = dyn_cast<IntegerType>(getElementTypeOrSelf(op.getType()));
    if (!element || element.getWidth() < 4 || element.getWidth() > 64)
      return rewriter.notifyMatchFailure(op, "needs integers of 4 to 64 bits");
    if (auto shaped = dyn_cast<ShapedType>(op.getType());
        shaped && !isa<VectorType>(shaped) && !shaped.hasStaticShape())
      return rewriter.notifyMatchFailure(op, "constants need a static shape");
    Site site{rewriter, op.getLoc()};
    rewriter.replaceOp(op, ipow(Int(site, op.getLhs()), Int(site, op.getRhs())).get());
    return success();
  }
};

/// f8, f6, f4 to any wider float.
struct ExpandExtF : public OpRewritePattern<arith::ExtFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::ExtFOp op, PatternRewriter &rewriter) const override {
    Type to = getElementTypeOrSelf(op.getType());
    if (!isSmallFloat(getElementTypeOrSelf(op.getIn().getType())) || failed(checkType(rewriter, op, op.getType())))
      return rewriter.notifyMatchFailure(op, "operand is a float that LLVM has, or result one without an expansion");
    Site site{rewriter, op.getLoc()};
    Flt wide = extendSmall(Flt(site, op.getIn()));
    // Exact: but for f8E8M0FNU to f16, where a number beyond it is rounded.
    rewriter.replaceOp(op, (to.isF64() ? wide.extend(to) : wide.truncate(to)).get());
    return success();
  }
};

struct ExpandTruncF : public OpRewritePattern<arith::TruncFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::TruncFOp op, PatternRewriter &rewriter) const override {
    Type from = getElementTypeOrSelf(op.getIn().getType()), to = getElementTypeOrSelf(op.getType());
    if (failed(checkType(rewriter, op, op.getIn().getType())))
      return failure();
    if (auto mode = op.getRoundingmode(); mode && *mode != arith::RoundingMode::to_nearest_even)
      return rewriter.notifyMatchFailure(op, "rounds otherwise than to nearest even");
    bool small = isSmallFloat(to);
    if (op.getRoundingmode()) { // It says what is so anyway; back ends take the attribute for a call of a library.
      rewriter.modifyOpInPlace(op, [&] { op.removeRoundingmodeAttr(); });
      return success();
    }
    // f64 to half has no instruction everywhere, and by f32 it would round twice.
    if (!small && !(from.isF64() && isHalf(to)))
      return rewriter.notifyMatchFailure(op, "LLVM compiles this conversion");
    Site site{rewriter, op.getLoc()};
    Flt x(site, op.getIn());
    // Towards zero, the exponent of f8E8M0FNU does not change with the nearest f32's rounding to odd.
    Flt single = from.isF64() ? truncateToOdd(x) : x.extend(site.builder.getF32Type());
    rewriter.replaceOp(op, (small ? truncateSmall(single, to) : single.truncate(to)).get());
    return success();
  }
};

/// Integer to small float through f32: what f32 rounds is beyond the small float's range.
template <typename OpT> struct ExpandIntToSmall : public OpRewritePattern<OpT> {
  using OpRewritePattern<OpT>::OpRewritePattern;
  LogicalResult matchAndRewrite(OpT op, PatternRewriter &rewriter) const override {
    Type to = getElementTypeOrSelf(op.getType());
    if (!isSmallFloat(to))
      return rewriter.notifyMatchFailure(op, "LLVM has the result type");
    Value wide = OpT::create(rewriter, op.getLoc(), withElement(op.getType(), rewriter.getF32Type()), op.getIn());
    rewriter.replaceOpWithNewOp<arith::TruncFOp>(op, op.getType(), wide);
    return success();
  }
};

/// i32 and i64 to bf16, which back ends round twice, through f32: through f64 and odd roundings instead.
template <typename OpT> struct ExpandIntToBrain : public OpRewritePattern<OpT> {
  using OpRewritePattern<OpT>::OpRewritePattern;
  LogicalResult matchAndRewrite(OpT op, PatternRewriter &rewriter) const override {
    Type from = op.getIn().getType();
    auto element = dyn_cast<IntegerType>(getElementTypeOrSelf(from));
    if (!getElementTypeOrSelf(op.getType()).isBF16() || !element || element.getWidth() <= 24 || element.getWidth() > 64)
      return rewriter.notifyMatchFailure(op, "exact in f32 or not to bf16");
    Site site{rewriter, op.getLoc()};
    Int bits(site, op.getIn());
    if (element.getWidth() > 53) {
      // The bits that f64 would round away become one sticky bit where the number is that large.
      Int sign = std::is_same_v<OpT, arith::SIToFPOp> ? bits.sar(element.getWidth() - 1) : bits.constant(0);
      Bool large = (bits ^ sign).uge(uint64_t(1) << 53);
      Int sticky = select((bits & 0x7ff) != 0, 0x400, bits.constant(0));
      bits = select(large, (bits & ~uint64_t(0x7ff)) | sticky, bits);
    }
    Value wide = OpT::create(rewriter, op.getLoc(), withElement(op.getType(), rewriter.getF64Type()), bits.get());
    rewriter.replaceOp(op, narrow(truncateToOdd(Flt(site, wide)), op.getType()));
    return success();
  }
};

/// Small float to integer through f32, exact on the way.
template <typename OpT> struct ExpandSmallToInt : public OpRewritePattern<OpT> {
  using OpRewritePattern<OpT>::OpRewritePattern;
  LogicalResult matchAndRewrite(OpT op, PatternRewriter &rewriter) const override {
    Type from = op.getIn().getType();
    if (!isSmallFloat(getElementTypeOrSelf(from)))
      return rewriter.notifyMatchFailure(op, "LLVM has the operand type");
    Value wide = arith::ExtFOp::create(rewriter, op.getLoc(), withElement(from, rewriter.getF32Type()), op.getIn());
    rewriter.replaceOpWithNewOp<OpT>(op, op.getType(), wide);
    return success();
  }
};

/// Ops that exist for f32 and f64 everywhere, but for f16 or bf16 not on every target: computed in f32, which is exact
/// or rounds a second time without harm (f32 has more than twice their digits and two more).
template <typename OpT> struct WidenHalf : public OpRewritePattern<OpT> {
  using OpRewritePattern<OpT>::OpRewritePattern;
  LogicalResult matchAndRewrite(OpT op, PatternRewriter &rewriter) const override {
    Type type = op.getType();
    if (!isHalf(getElementTypeOrSelf(type)))
      return rewriter.notifyMatchFailure(op, "not f16 or bf16");
    Site site{rewriter, op.getLoc()};
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(widen(site, operand).get());
    Value wide = OpT::create(rewriter, op.getLoc(), withElement(type, rewriter.getF32Type()), operands);
    rewriter.replaceOp(op, narrow(Flt(site, wide), type));
    return success();
  }
};

struct ExpandMath : public tilewright::impl::ExpandMathPassBase<ExpandMath> {
  using ExpandMathPassBase::ExpandMathPassBase;

  void runOnOperation() override {
    if (failed(expandMath(getOperation())))
      signalPassFailure();
  }
};
} // namespace

/// Reports a function without an expansion; returns whether `op` is one.
static bool reportLeft(Operation *op) {
  if (isa<math::AcosOp, math::AcoshOp, math::AsinOp, math::AsinhOp, math::AtanOp, math::Atan2Op, math::AtanhOp,
          math::CbrtOp, math::CosOp, math::CoshOp, math::ErfOp, math::ErfcOp, math::ExpOp, math::Exp2Op,
          math::ExpM1Op, math::FPowIOp, math::IsFiniteOp, math::IsInfOp, math::IsNaNOp, math::IsNormalOp, math::LogOp,
          math::Log10Op, math::Log1pOp, math::Log2Op, math::PowFOp, math::RsqrtOp, math::SinOp, math::SincosOp,
          math::SinhOp, math::TanOp, math::TanhOp>(op)) {
    op->emitOpError() << "expected f16, bf16, f32 or f64 elements of static shape, found "
                      << op->getOperand(0).getType();
    return true;
  }
  if (isa<math::IPowIOp>(op)) {
    op->emitOpError() << "expected integers of 4 to 64 bits of static shape, found " << op->getOperand(0).getType();
    return true;
  }
  if (auto truncate = dyn_cast<arith::TruncFOp>(op); truncate && truncate.getRoundingmode()) {
    op->emitOpError() << "expected to round to_nearest_even, which is all that is lowered yet, found "
                      << stringifyRoundingMode(*truncate.getRoundingmode());
    return true;
  }
  return false;
}

LogicalResult tilewright::expandMath(Operation *root) {
  RewritePatternSet patterns(root->getContext());
  populateExpandMathPatterns(patterns);
  // Without folding: it would evaluate functions of constants by the compiler's own library.
  GreedyRewriteConfig config;
  config.enableFolding(false).setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
  if (failed(applyPatternsGreedily(root, std::move(patterns), config)))
    return failure();
  // One message: the same op stands once in each variant of a kernel.
  WalkResult all = root->walk(
      [](Operation *op) { return reportLeft(op) ? WalkResult::interrupt() : WalkResult::advance(); });
  return failure(all.wasInterrupted());
}

void tilewright::populateExpandMathPatterns(RewritePatternSet &patterns) {
  patterns.add<ExpandUnary<math::AcosOp, expand::acos>, ExpandUnary<math::AcoshOp, expand::acosh>,
               ExpandUnary<math::AsinOp, expand::asin>, ExpandUnary<math::AsinhOp, expand::asinh>,
               ExpandUnary<math::AtanOp, expand::atan>, ExpandUnary<math::AtanhOp, expand::atanh>,
               ExpandUnary<math::CbrtOp, expand::cbrt>, ExpandUnary<math::CosOp, expand::cos>,
               ExpandUnary<math::CoshOp, expand::cosh>, ExpandUnary<math::ErfOp, expand::erf>,
               ExpandUnary<math::ErfcOp, expand::erfc>, ExpandUnary<math::ExpOp, expand::exp>,
               ExpandUnary<math::Exp2Op, expand::exp2>, ExpandUnary<math::ExpM1Op, expand::expm1>,
               ExpandUnary<math::LogOp, expand::log>, ExpandUnary<math::Log10Op, expand::log10>,
               ExpandUnary<math::Log1pOp, expand::log1p>, ExpandUnary<math::Log2Op, expand::log2>,
               ExpandUnary<math::RsqrtOp, expand::rsqrt>, ExpandUnary<math::SinOp, expand::sin>,
               ExpandUnary<math::SinhOp, expand::sinh>, ExpandUnary<math::TanOp, expand::tan>,
               ExpandUnary<math::TanhOp, expand::tanh>, ExpandBinary<math::Atan2Op, expand::atan2>,
               ExpandBinary<math::PowFOp, expand::pow>, ExpandSinCos, ExpandRemF, ExpandFPowI, ExpandIPowI>(patterns.getContext());
  patterns.add<ExpandExtF, ExpandTruncF, ExpandIntToSmall<arith::SIToFPOp>, ExpandIntToSmall<arith::UIToFPOp>,
               ExpandIntToBrain<arith::SIToFPOp>, ExpandIntToBrain<arith::UIToFPOp>, ExpandSmallToInt<arith::FPToSIOp>,
               ExpandSmallToInt<arith::FPToUIOp>>(patterns.getContext());
  patterns.add<ExpandClassification<math::IsFiniteOp>, ExpandClassification<math::IsInfOp>,
               ExpandClassification<math::IsNaNOp>, ExpandClassification<math::IsNormalOp>, ExpandClamp>(
      patterns.getContext());
  patterns.add<WidenHalf<math::SqrtOp>>(patterns.getContext());
}
