// SPDX-License-Identifier: Apache-2.0
#include "SIMTToLLVM.h"
#include "tilewright/Conversion/ExpandMath/Passes.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/IndexToLLVM/IndexToLLVM.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/DialectConversion.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::simt;

FailureOr<llvm::MapVector<StringAttr, KernelFacts>> simt::prepareKernels(ModuleOp module) {
  llvm::MapVector<StringAttr, KernelFacts> kernels;
  SmallVector<Operation *> host;
  for (auto func : module.getOps<func::FuncOp>()) {
    if (!func->hasAttr("tile_gpu.kernel")) {
      host.push_back(func);
      continue;
    }
    auto threads = func->getAttrOfType<IntegerAttr>("tile_gpu.num_threads");
    auto shared = func->getAttrOfType<IntegerAttr>("tile_gpu.shared_bytes");
    if (!threads || !shared || threads.getInt() < 32 || threads.getInt() > 1024 || threads.getInt() % 32 != 0 ||
        shared.getInt() < 0)
      return emitError(func.getLoc(), "expected tile_gpu.num_threads, a multiple of 32 up to 1024, and "
                                      "tile_gpu.shared_bytes; run convert-tile-to-simt first");
    auto ctas = func->getAttrOfType<IntegerAttr>("tile_gpu.min_ctas");
    kernels[func.getSymNameAttr()] = {static_cast<int32_t>(threads.getInt()), shared.getInt(),
                                      ctas ? static_cast<int32_t>(ctas.getInt()) : 0};
    for (NamedAttribute attr : llvm::to_vector(func->getDiscardableAttrs()))
      func->removeDiscardableAttr(attr.getName());
    func.removeArgAttrsAttr();
  }
  for (Operation *func : host)
    func->erase();
  if (failed(expandMath(module)))
    return failure();
  containUndefined(module);
  // The expansions of neighbouring calls share their constants and more.
  IRRewriter rewriter(module.getContext());
  DominanceInfo dominance(module);
  eliminateCommonSubExpressions(rewriter, dominance, module);
  return kernels;
}

/// Carries the wish of a loop from scf.for to the branch that closes it.
static constexpr StringLiteral kLoopAnnotation = "llvm.loop_annotation";

/// Loops that must stay rolled say so to LLVM, which tells ptxas: the branch that closes the loop carries the wish.
static LLVM::LoopAnnotationAttr rolledLoop(MLIRContext *context) {
  auto wish = LLVM::LoopUnrollAttr::get(context, /*disable=*/BoolAttr::get(context, true), {}, {}, {}, {}, {}, {});
  return LLVM::LoopAnnotationAttr::get(context, {}, {}, {}, wish, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {});
}

/// Turns the marks of loops into annotations. The upstream lowering of scf.for hands these to the branch.
static LogicalResult markLoops(ModuleOp module) {
  WalkResult result = module.walk([](LoopLikeOpInterface loop) {
    if (loop->hasAttr("tile.unroll")) {
      emitError(loop.getLoc(), "has tile.unroll; run tile-unroll-loops first");
      return WalkResult::interrupt();
    }
    if (loop->removeAttr("tile_gpu.nounroll"))
      loop->setAttr(kLoopAnnotation, rolledLoop(loop.getContext()));
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

namespace {
/// An scf.while with an annotation, which the upstream lowering would drop.
struct LowerAnnotatedWhile : public OpRewritePattern<scf::WhileOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(scf::WhileOp loop, PatternRewriter &rewriter) const override {
    Attribute annotation = loop->getAttr(kLoopAnnotation);
    if (!annotation)
      return rewriter.notifyMatchFailure(loop, "has no annotation");
    Location loc = loop.getLoc();
    Block *entry = rewriter.getInsertionBlock();
    Block *exit = rewriter.splitBlock(entry, rewriter.getInsertionPoint());
    Block *before = loop.getBeforeBody(), *after = loop.getAfterBody();
    scf::ConditionOp condition = loop.getConditionOp();
    scf::YieldOp yield = loop.getYieldOp();
    for (Type type : loop.getResultTypes())
      exit->addArgument(type, loc);
    rewriter.inlineRegionBefore(loop.getAfter(), exit);
    rewriter.inlineRegionBefore(loop.getBefore(), after);
    rewriter.setInsertionPointToEnd(entry);
    cf::BranchOp::create(rewriter, loc, before, loop.getInits());
    rewriter.setInsertionPoint(condition);
    rewriter.replaceOpWithNewOp<cf::CondBranchOp>(condition, condition.getCondition(), after, condition.getArgs(), exit,
                                                  condition.getArgs());
    rewriter.setInsertionPoint(yield);
    auto branch = rewriter.replaceOpWithNewOp<cf::BranchOp>(yield, before, yield.getResults());
    branch->setAttr(kLoopAnnotation, annotation);
    rewriter.replaceOp(loop, exit->getArguments());
    return success();
  }
};
} // namespace

LogicalResult simt::convertModule(ModuleOp module,
                                  llvm::function_ref<void(LLVMTypeConverter &, RewritePatternSet &)> addPatterns) {
  MLIRContext *context = module.getContext();
  if (failed(markLoops(module)))
    return failure();
  {
    RewritePatternSet patterns(context);
    populateSCFToControlFlowConversionPatterns(patterns);
    patterns.add<LowerAnnotatedWhile>(context, /*benefit=*/2);
    ConversionTarget target(*context);
    target.addIllegalOp<scf::ForOp, scf::IfOp, scf::WhileOp, scf::ExecuteRegionOp, scf::IndexSwitchOp>();
    target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
    if (failed(applyPartialConversion(module, target, std::move(patterns))))
      return failure();
  }
  LowerToLLVMOptions options(context);
  LLVMTypeConverter converter(context, options);
  RewritePatternSet patterns(context);
  arith::populateArithToLLVMConversionPatterns(converter, patterns);
  populateMathToLLVMConversionPatterns(converter, patterns);
  populateVectorToLLVMConversionPatterns(converter, patterns);
  cf::populateControlFlowToLLVMConversionPatterns(converter, patterns);
  ub::populateUBToLLVMConversionPatterns(converter, patterns);
  index::populateIndexToLLVMConversionPatterns(converter, patterns);
  populateFuncToLLVMConversionPatterns(converter, patterns);
  addPatterns(converter, patterns);
  LLVMConversionTarget target(*context);
  target.addLegalDialect<LLVM::LLVMDialect, NVVM::NVVMDialect>();
  target.addIllegalDialect<tile_gpu::TileGPUDialect>();
  target.addLegalOp<ModuleOp>();
  if (failed(applyFullConversion(module, target, std::move(patterns))))
    return failure();
  // The lowering of cf carries the annotation along without knowing it; the branch knows one of its own.
  module.walk([](LLVM::BrOp branch) {
    if (auto annotation = branch->getAttrOfType<LLVM::LoopAnnotationAttr>(kLoopAnnotation)) {
      branch->removeDiscardableAttr(kLoopAnnotation);
      branch.setLoopAnnotationAttr(annotation);
    }
  });
  freezePackedElements(module);
  return success();
}

Type simt::memoryType(Type type) {
  Type i1 = IntegerType::get(type.getContext(), 1), i8 = IntegerType::get(type.getContext(), 8);
  if (type == i1)
    return i8;
  if (auto vector = dyn_cast<VectorType>(type); vector && vector.getElementType() == i1)
    return VectorType::get(vector.getShape(), i8);
  return type;
}

Value simt::constantOf(OpBuilder &builder, Location loc, Type type, int64_t value) {
  if (auto vector = dyn_cast<VectorType>(type))
    return LLVM::ConstantOp::create(
        builder, loc, type,
        DenseElementsAttr::get(vector, Attribute(builder.getIntegerAttr(vector.getElementType(), value))));
  return LLVM::ConstantOp::create(builder, loc, type, builder.getIntegerAttr(type, value));
}

Value simt::fromMemory(OpBuilder &builder, Location loc, Value value, Type type) {
  if (value.getType() == type)
    return value;
  return LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::ne, value,
                              constantOf(builder, loc, value.getType(), 0));
}

Value simt::toMemory(OpBuilder &builder, Location loc, Value value) {
  Type type = memoryType(value.getType());
  return type == value.getType() ? value : LLVM::ZExtOp::create(builder, loc, type, value).getResult();
}

int64_t simt::bytesOf(Type type) {
  auto bits = [](Type element) -> int64_t {
    return isa<LLVM::LLVMPointerType>(element) ? 64 : std::max(element.getIntOrFloatBitWidth(), 8u);
  };
  if (auto vector = dyn_cast<VectorType>(type))
    return vector.getNumElements() * bits(vector.getElementType()) / 8;
  return bits(type) / 8;
}

std::optional<bool> simt::constantBool(Value value) {
  APInt constant;
  if (value && matchPattern(value, m_ConstantInt(&constant)))
    return !constant.isZero();
  return std::nullopt;
}

Value tilewright::simt::guarded(ConversionPatternRewriter &b, Location loc, Value pred, Value other,
                                llvm::function_ref<Value()> then) {
  if (!pred)
    return then();
  Block *before = b.getInsertionBlock();
  Block *after = b.splitBlock(before, b.getInsertionPoint());
  if (other)
    after->addArgument(other.getType(), loc);
  Block *inside = b.createBlock(after);
  b.setInsertionPointToEnd(before);
  LLVM::CondBrOp::create(b, loc, pred, inside, ValueRange{}, after, other ? ValueRange{other} : ValueRange{});
  b.setInsertionPointToEnd(inside);
  Value value = then();
  LLVM::BrOp::create(b, loc, other ? ValueRange{value} : ValueRange{}, after);
  b.setInsertionPointToStart(after);
  return other ? after->getArgument(0) : Value();
}
