// SPDX-License-Identifier: Apache-2.0
#include "SIMTToLLVM.h"
#include "tilewright/Conversion/SIMTToLLVM/Passes.h"
#include "tilewright/Dialect/TileGPU/IR/MmaTypes.h"
#include "tilewright/Emulator/Abi.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

namespace tilewright {
#define GEN_PASS_DEF_CONVERTSIMTTOEMULATORPASS
#include "tilewright/Conversion/SIMTToLLVM/Passes.h.inc"
} // namespace tilewright

using namespace mlir;
using namespace tilewright;
using namespace tilewright::simt;
using namespace tilewright::tile_gpu;

namespace {

/// `file:line:col` of an op; the innermost place that has one, callers after it.
std::string describe(Location loc) {
  if (auto file = dyn_cast<FileLineColLoc>(loc))
    return (file.getFilename().getValue() + ":" + Twine(file.getLine()) + ":" + Twine(file.getColumn())).str();
  if (auto call = dyn_cast<CallSiteLoc>(loc)) {
    std::string inner = describe(call.getCallee()), outer = describe(call.getCaller());
    return inner.empty() ? outer : outer.empty() ? inner : inner + ", called from " + outer;
  }
  if (auto name = dyn_cast<NameLoc>(loc))
    return describe(name.getChildLoc());
  if (auto fused = dyn_cast<FusedLoc>(loc))
    for (Location part : fused.getLocations())
      if (std::string text = describe(part); !text.empty())
        return text;
  return "";
}

/// Gives each source place, and each text that a report needs, a number.
class TextTable {
public:
  int32_t number(StringRef text) {
    auto [slot, isNew] = numbers.try_emplace(text, texts.size());
    if (isNew)
      texts.push_back(text.str());
    return slot->second;
  }
  int32_t number(Location loc) {
    std::string text = describe(loc);
    return number(text.empty() ? StringRef("unknown location") : StringRef(text));
  }
  ArrayAttr toAttr(Builder &builder) const {
    SmallVector<Attribute> attrs;
    for (const std::string &text : texts)
      attrs.push_back(builder.getStringAttr(text));
    return builder.getArrayAttr(attrs);
  }

private:
  llvm::StringMap<int32_t> numbers;
  SmallVector<std::string> texts;
};

/// Makes calls of the emulator's interface; declares each function once.
class Calls {
public:
  Calls(ModuleOp module, TextTable &texts) : module(module), texts(texts) {}

  /// `name(thread, arguments...)`; thread is the first argument of the function that `op` is in.
  Value call(OpBuilder &b, Operation *op, StringRef name, Type result, ArrayRef<Value> arguments) {
    SmallVector<Value> operands{threadOf(op)};
    operands.append(arguments.begin(), arguments.end());
    SmallVector<Type> types;
    for (Value operand : operands)
      types.push_back(operand.getType());
    Type returned = result ? result : LLVM::LLVMVoidType::get(b.getContext());
    auto type = LLVM::LLVMFunctionType::get(returned, types);
    auto callee = module.lookupSymbol<LLVM::LLVMFuncOp>(name);
    if (!callee) {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(module.getBody());
      callee = LLVM::LLVMFuncOp::create(b, module.getLoc(), name, type);
      // The x86-64 callee relies on its caller to extend an int8_t.
      for (auto [index, argument] : llvm::enumerate(types))
        if (argument.isInteger(8))
          callee.setArgAttr(index, LLVM::LLVMDialect::getSExtAttrName(), b.getUnitAttr());
    }
    auto call = LLVM::CallOp::create(b, op->getLoc(), type, FlatSymbolRefAttr::get(b.getContext(), name), operands);
    return result ? call.getResult() : Value();
  }

  Value location(OpBuilder &b, Operation *op) {
    return constantOf(b, op->getLoc(), b.getI32Type(), texts.number(op->getLoc()));
  }
  Value text(OpBuilder &b, Operation *op, StringRef text) {
    return constantOf(b, op->getLoc(), b.getI32Type(), texts.number(text));
  }

  /// Where `bytes` bytes may be read or written; does not return if they may not.
  Value access(OpBuilder &b, Operation *op, StringRef name, Value place, int64_t bytes, int64_t align) {
    Value size = constantOf(b, op->getLoc(), b.getI64Type(), bytes);
    Value alignment = constantOf(b, op->getLoc(), b.getI64Type(), align);
    return call(b, op, name, LLVM::LLVMPointerType::get(b.getContext()), {place, size, alignment, location(b, op)});
  }

private:
  static Value threadOf(Operation *op) {
    auto function = op->getParentOfType<FunctionOpInterface>();
    return function.getFunctionBody().front().getArgument(0);
  }
  ModuleOp module;
  TextTable &texts;
};

template <typename OpTy> struct Pattern : public ConvertOpToLLVMPattern<OpTy> {
  Pattern(LLVMTypeConverter &converter, Calls &calls) : ConvertOpToLLVMPattern<OpTy>(converter), calls(calls) {}
  Calls &calls;
};

template <typename OpTy> struct Load : public Pattern<OpTy> {
  using Pattern<OpTy>::Pattern;
  LogicalResult matchAndRewrite(OpTy op, typename OpTy::Adaptor adaptor, ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    Type type = this->getTypeConverter()->convertType(op.getResult().getType()), stored = memoryType(type);
    Value other;
    if constexpr (std::is_same_v<OpTy, LoadGlobalOp>)
      if (adaptor.getOther())
        other = toMemory(b, loc, adaptor.getOther());
    if (op.getPred() && !other)
      other = LLVM::ZeroOp::create(b, loc, stored);
    Value result = guarded(b, loc, adaptor.getPred(), other, [&]() -> Value {
      Value pointer;
      if constexpr (std::is_same_v<OpTy, LoadGlobalOp>)
        pointer = this->calls.access(b, op, "tweGlobalRead", adaptor.getAddress(), bytesOf(stored), op.getAlign());
      else
        pointer = this->calls.access(b, op, "tweSharedRead", adaptor.getOffset(), bytesOf(stored), bytesOf(stored));
      return LLVM::LoadOp::create(b, loc, stored, pointer, /*alignment=*/1);
    });
    b.replaceOp(op, fromMemory(b, loc, result, type));
    return success();
  }
};

template <typename OpTy> struct Store : public Pattern<OpTy> {
  using Pattern<OpTy>::Pattern;
  LogicalResult matchAndRewrite(OpTy op, typename OpTy::Adaptor adaptor, ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    Value value = toMemory(b, loc, adaptor.getValue());
    int64_t bytes = bytesOf(value.getType());
    guarded(b, loc, adaptor.getPred(), Value(), [&]() -> Value {
      Value pointer;
      if constexpr (std::is_same_v<OpTy, StoreGlobalOp>)
        pointer = this->calls.access(b, op, "tweGlobalWrite", adaptor.getAddress(), bytes, op.getAlign());
      else
        pointer = this->calls.access(b, op, "tweSharedWrite", adaptor.getOffset(), bytes, bytes);
      LLVM::StoreOp::create(b, loc, value, pointer, /*alignment=*/1);
      return {};
    });
    b.eraseOp(op);
    return success();
  }
};

/// A scalar as the 64 bits that the interface of the emulator takes, and back.
Value toBits(OpBuilder &b, Location loc, Value value) {
  Type whole = IntegerType::get(b.getContext(), bytesOf(value.getType()) * 8);
  if (value.getType() != whole)
    value = LLVM::BitcastOp::create(b, loc, whole, value);
  return whole.isInteger(64) ? value : LLVM::ZExtOp::create(b, loc, b.getI64Type(), value).getResult();
}
Value fromBits(OpBuilder &b, Location loc, Value bits, Type type) {
  Type whole = IntegerType::get(b.getContext(), bytesOf(type) * 8);
  if (!whole.isInteger(64))
    bits = LLVM::TruncOp::create(b, loc, whole, bits);
  return whole == type ? bits : LLVM::BitcastOp::create(b, loc, type, bits).getResult();
}

struct AtomicRmw : public Pattern<AtomicRmwOp> {
  using Pattern::Pattern;
  LogicalResult matchAndRewrite(AtomicRmwOp op, OpAdaptor adaptor, ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    Type type = adaptor.getValue().getType(), i32 = b.getI32Type();
    // Types of Abi.h.
    int64_t element = type.isInteger(32)   ? TweI32
                      : type.isInteger(64) ? TweI64
                      : type.isF16()       ? TweF16
                      : type.isBF16()      ? TweBF16
                      : type.isF32()       ? TweF32
                                           : TweF64;
    Value result = guarded(b, loc, adaptor.getPred(), LLVM::ZeroOp::create(b, loc, type), [&]() -> Value {
      Value old = calls.call(b, op, "tweAtomicRmw", b.getI64Type(),
                             {constantOf(b, loc, i32, static_cast<int64_t>(op.getKind())),
                              constantOf(b, loc, i32, element), adaptor.getAddress(),
                              toBits(b, loc, adaptor.getValue()), calls.location(b, op)});
      return fromBits(b, loc, old, type);
    });
    b.replaceOp(op, result);
    return success();
  }
};

struct AtomicCas : public Pattern<AtomicCasOp> {
  using Pattern::Pattern;
  LogicalResult matchAndRewrite(AtomicCasOp op, OpAdaptor adaptor, ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    Type type = adaptor.getValue().getType();
    Value result = guarded(b, loc, adaptor.getPred(), LLVM::ZeroOp::create(b, loc, type), [&]() -> Value {
      Value old = calls.call(b, op, "tweAtomicCas", b.getI64Type(),
                             {adaptor.getAddress(), constantOf(b, loc, b.getI64Type(), bytesOf(type)),
                              toBits(b, loc, adaptor.getCompare()), toBits(b, loc, adaptor.getValue()),
                              calls.location(b, op)});
      return fromBits(b, loc, old, type);
    });
    b.replaceOp(op, result);
    return success();
  }
};

struct AtomicLoad : public Pattern<AtomicLoadOp> {
  using Pattern::Pattern;
  LogicalResult matchAndRewrite(AtomicLoadOp op, OpAdaptor adaptor, ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    Type type = getTypeConverter()->convertType(op.getResult().getType()), stored = memoryType(type);
    Value result = guarded(b, loc, adaptor.getPred(), LLVM::ZeroOp::create(b, loc, stored), [&]() -> Value {
      Value bits = calls.call(b, op, "tweAtomicLoad", b.getI64Type(),
                              {adaptor.getAddress(), constantOf(b, loc, b.getI64Type(), bytesOf(stored)),
                               calls.location(b, op)});
      return fromBits(b, loc, bits, stored);
    });
    b.replaceOp(op, fromMemory(b, loc, result, type));
    return success();
  }
};

struct AtomicStore : public Pattern<AtomicStoreOp> {
  using Pattern::Pattern;
  LogicalResult matchAndRewrite(AtomicStoreOp op, OpAdaptor adaptor, ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    Value value = toMemory(b, loc, adaptor.getValue());
    guarded(b, loc, adaptor.getPred(), Value(), [&]() -> Value {
      calls.call(b, op, "tweAtomicStore", Type(),
                 {adaptor.getAddress(), constantOf(b, loc, b.getI64Type(), bytesOf(value.getType())),
                  toBits(b, loc, value), calls.location(b, op)});
      return {};
    });
    b.eraseOp(op);
    return success();
  }
};

struct Barrier : public Pattern<BarrierOp> {
  using Pattern::Pattern;
  LogicalResult matchAndRewrite(BarrierOp op, OpAdaptor, ConversionPatternRewriter &b) const override {
    Value id = constantOf(b, op.getLoc(), b.getI32Type(), op.getId());
    Value threads = constantOf(b, op.getLoc(), b.getI32Type(), op.getThreads());
    calls.call(b, op, "tweBarrier", Type(), {id, threads, calls.location(b, op)});
    b.eraseOp(op);
    return success();
  }
};

/// A place in the frame for `count` 32-bit words; in the entry block, so that a loop does not eat the stack.
Value frameWords(OpBuilder &b, Operation *op, int64_t count) {
  OpBuilder::InsertionGuard guard(b);
  auto function = op->getParentOfType<FunctionOpInterface>();
  b.setInsertionPointToStart(&function.getFunctionBody().front());
  return LLVM::AllocaOp::create(b, op->getLoc(), LLVM::LLVMPointerType::get(b.getContext()), b.getI32Type(),
                                constantOf(b, op->getLoc(), b.getI64Type(), count), 16);
}

struct Shuffle : public Pattern<ShuffleOp> {
  using Pattern::Pattern;
  LogicalResult matchAndRewrite(ShuffleOp op, OpAdaptor adaptor, ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    Type type = adaptor.getValue().getType(), i32 = b.getI32Type();
    auto vector = dyn_cast<VectorType>(type);
    int64_t count = vector ? vector.getNumElements() : 1;
    Value words = frameWords(b, op, count);
    LLVM::StoreOp::create(b, loc, adaptor.getValue(), words, /*alignment=*/4);
    // Modes of Abi.h: 0 is idx, 1 is xor.
    Value mode = constantOf(b, loc, i32, op.getMode() == ShuffleMode::idx ? 0 : 1);
    calls.call(b, op, "tweShuffle", Type(),
               {mode, words, constantOf(b, loc, i32, count), adaptor.getLane(), constantOf(b, loc, i32, 32),
                calls.location(b, op)});
    b.replaceOpWithNewOp<LLVM::LoadOp>(op, type, words, /*alignment=*/4);
    return success();
  }
};

struct LoadMatrix : public Pattern<LoadMatrixOp> {
  using Pattern::Pattern;
  LogicalResult matchAndRewrite(LoadMatrixOp op, OpAdaptor adaptor, ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    Type type = op.getResult().getType(), i32 = b.getI32Type();
    auto vector = dyn_cast<VectorType>(type);
    int64_t count = vector ? vector.getNumElements() : 1;
    Value words = frameWords(b, op, count);
    calls.call(b, op, "tweLoadMatrix", Type(),
               {adaptor.getOffset(), words, constantOf(b, loc, i32, count), constantOf(b, loc, i32, op.getTrans()),
                calls.location(b, op)});
    b.replaceOpWithNewOp<LLVM::LoadOp>(op, type, words, /*alignment=*/4);
    return success();
  }
};

struct Mma : public Pattern<MmaOp> {
  using Pattern::Pattern;
  LogicalResult matchAndRewrite(MmaOp op, OpAdaptor adaptor, ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    auto accType = cast<VectorType>(op.getAcc().getType());
    MmaKind kind = *findMmaKind(op.getLhsType(), op.getRhsType(), accType.getElementType(), op.getLhsUnsigned(),
                                op.getRhsUnsigned());
    // Fragments side by side: left, right, sum.
    Value words = frameWords(b, op, 4 + 2 + 4);
    auto at = [&](int64_t index) -> Value {
      return LLVM::GEPOp::create(b, loc, words.getType(), b.getI32Type(), words,
                                 ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(index)});
    };
    LLVM::StoreOp::create(b, loc, adaptor.getLhs(), words, /*alignment=*/4);
    LLVM::StoreOp::create(b, loc, adaptor.getRhs(), at(4), /*alignment=*/4);
    LLVM::StoreOp::create(b, loc, adaptor.getAcc(), at(6), /*alignment=*/4);
    calls.call(b, op, "tweMma", Type(),
               {constantOf(b, loc, b.getI32Type(), packMmaKind(kind.lhs, kind.rhs, kind.sum)), words,
                calls.location(b, op)});
    b.replaceOpWithNewOp<LLVM::LoadOp>(op, accType, at(6), /*alignment=*/4);
    return success();
  }
};

struct Assume : public Pattern<tile_gpu::AssumeOp> {
  using Pattern::Pattern;
  LogicalResult matchAndRewrite(tile_gpu::AssumeOp op, OpAdaptor adaptor, ConversionPatternRewriter &b) const override {
    Value holds = LLVM::ZExtOp::create(b, op.getLoc(), b.getI8Type(), adaptor.getCondition());
    calls.call(b, op, "tweAssume", Type(), {holds, calls.text(b, op, op.getFact()), calls.location(b, op)});
    b.eraseOp(op);
    return success();
  }
};

template <typename OpTy> struct Identity : public Pattern<OpTy> {
  Identity(LLVMTypeConverter &converter, Calls &calls, StringRef name) : Pattern<OpTy>(converter, calls), name(name) {}
  StringRef name;
  LogicalResult matchAndRewrite(OpTy op, typename OpTy::Adaptor, ConversionPatternRewriter &b) const override {
    Value result;
    if constexpr (std::is_same_v<OpTy, CtaIdOp> || std::is_same_v<OpTy, NumCtasOp>) {
      Value axis = constantOf(b, op.getLoc(), b.getI32Type(), static_cast<int64_t>(op.getAxis()));
      Value wide = this->calls.call(b, op, name, b.getI64Type(), {axis});
      result = LLVM::TruncOp::create(b, op.getLoc(), b.getI32Type(), wide);
    } else {
      result = this->calls.call(b, op, name, b.getI32Type(), {});
    }
    b.replaceOp(op, result);
    return success();
  }
};

/// A fused multiply-add in f16 or bf16 that the host would round twice, through f32. The product is exact in f64. The
/// sum is rounded to odd there: where it is not exact, the last bit is set. A value rounded to odd in 53 bits is on a
/// tie of the narrow type only if the exact one is, so the last step rounds the exact value (Boldo and Melquiond,
/// "Emulation of FMA and correctly rounded sums: proved algorithms using rounding to odd", 2008).
struct NarrowFma : public OpRewritePattern<math::FmaOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::FmaOp op, PatternRewriter &b) const override {
    Location loc = op.getLoc();
    Type type = op.getType(), element = getElementTypeOrSelf(type);
    if (!element.isF16() && !element.isBF16())
      return failure();
    auto shaped = [&](Type scalar) -> Type {
      auto vector = dyn_cast<VectorType>(type);
      return vector ? VectorType::get(vector.getShape(), scalar) : scalar;
    };
    Type wide = shaped(b.getF64Type()), bits = shaped(b.getI64Type());
    auto constant = [&](Type of, TypedAttr scalar) -> Value {
      auto vector = dyn_cast<VectorType>(of);
      return arith::ConstantOp::create(b, loc,
                                       vector ? TypedAttr(DenseElementsAttr::get(vector, Attribute(scalar))) : scalar);
    };
    auto integer = [&](int64_t value) { return constant(bits, b.getI64IntegerAttr(value)); };
    auto add = [&](Value x, Value y) -> Value { return arith::AddFOp::create(b, loc, x, y); };
    auto sub = [&](Value x, Value y) -> Value { return arith::SubFOp::create(b, loc, x, y); };
    auto compare = [&](arith::CmpFPredicate predicate, Value x, Value y) -> Value {
      return arith::CmpFOp::create(b, loc, predicate, x, y);
    };
    auto widen = [&](Value value) -> Value { return arith::ExtFOp::create(b, loc, wide, value); };
    Value x = arith::MulFOp::create(b, loc, widen(op.getA()), widen(op.getB())), y = widen(op.getC());
    // TwoSum (Knuth): x + y = sum + error, exactly.
    Value sum = add(x, y), part = sub(sum, x);
    Value error = add(sub(x, sub(sum, part)), sub(y, part));
    Value zero = constant(wide, b.getF64FloatAttr(0));
    // The even neighbour was taken: step one bit towards the exact value. NaN and infinity have a NaN for an error.
    Value pattern = arith::BitcastOp::create(b, loc, bits, sum);
    Value isEven = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                         arith::AndIOp::create(b, loc, pattern, integer(1)), integer(0));
    Value isInexact = compare(arith::CmpFPredicate::ONE, error, zero);
    Value grows =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, compare(arith::CmpFPredicate::OGT, error, zero),
                              compare(arith::CmpFPredicate::OGT, sum, zero));
    Value step = arith::SelectOp::create(b, loc, grows, integer(1), integer(-1));
    step = arith::SelectOp::create(b, loc, arith::AndIOp::create(b, loc, isEven, isInexact), step, integer(0));
    Value odd = arith::BitcastOp::create(b, loc, wide, arith::AddIOp::create(b, loc, pattern, step));
    b.replaceOpWithNewOp<arith::TruncFOp>(op, type, odd);
    return success();
  }
};

struct ConvertSIMTToEmulator : public tilewright::impl::ConvertSIMTToEmulatorPassBase<ConvertSIMTToEmulator> {
  using ConvertSIMTToEmulatorPassBase::ConvertSIMTToEmulatorPassBase;

  /// Puts the thread in front of a kernel's parameters and reads these from slots.
  static LogicalResult rewriteEntry(func::FuncOp func) {
    MLIRContext *context = func.getContext();
    Type pointer = LLVM::LLVMPointerType::get(context);
    Block &entry = func.front();
    OpBuilder b(&entry, entry.begin());
    Location loc = func.getLoc();
    unsigned count = entry.getNumArguments();
    entry.insertArgument(0u, pointer, loc);
    Value slots = entry.insertArgument(1u, pointer, loc);
    for (unsigned i = 0; i < count; ++i) {
      Value argument = entry.getArgument(2 + i);
      Type type = argument.getType();
      if (!type.isIntOrIndexOrFloat())
        return emitError(func.getLoc(), "expected scalar parameters, found ") << type;
      Type stored = type.isIndex() ? b.getI64Type() : type.isInteger(1) ? b.getI8Type() : type;
      Value place = LLVM::GEPOp::create(b, loc, pointer, b.getI64Type(), slots, ArrayRef<LLVM::GEPArg>{int32_t(i)});
      Value value = LLVM::LoadOp::create(b, loc, stored, place);
      if (type.isIndex())
        value = arith::IndexCastOp::create(b, loc, type, value);
      else if (type.isInteger(1))
        value = arith::TruncIOp::create(b, loc, type, value);
      argument.replaceAllUsesWith(value);
    }
    entry.eraseArguments(2, count);
    func.setType(FunctionType::get(context, {pointer, pointer}, {}));
    return success();
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto kernels = prepareKernels(module);
    if (failed(kernels))
      return signalPassFailure();
    for (auto func : module.getOps<func::FuncOp>())
      if (failed(rewriteEntry(func)))
        return signalPassFailure();
    RewritePatternSet fixes(&getContext());
    fixes.add<NarrowFma>(&getContext());
    walkAndApplyPatterns(module, std::move(fixes));
    TextTable texts;
    Calls calls(module, texts);
    LogicalResult converted = convertModule(module, [&](LLVMTypeConverter &converter, RewritePatternSet &patterns) {
      patterns.add<Load<LoadGlobalOp>, Load<LoadSharedOp>, Store<StoreGlobalOp>, Store<StoreSharedOp>, Barrier, Shuffle,
                   LoadMatrix, Mma,
                   Assume, AtomicRmw, AtomicCas, AtomicLoad, AtomicStore>(converter, calls);
      patterns.add<Identity<LaneIdOp>>(converter, calls, "tweLaneId");
      patterns.add<Identity<WarpIdOp>>(converter, calls, "tweWarpId");
      patterns.add<Identity<CtaIdOp>>(converter, calls, "tweProgramId");
      patterns.add<Identity<NumCtasOp>>(converter, calls, "tweNumPrograms");
    });
    if (failed(converted))
      return signalPassFailure();
    Builder builder(&getContext());
    module->setAttr("tile_gpu.locations", texts.toAttr(builder));
    // What the engine needs to know of each kernel, beside the plan.
    for (auto func : module.getOps<LLVM::LLVMFuncOp>())
      if (auto facts = kernels->find(func.getSymNameAttr()); facts != kernels->end()) {
        func->setAttr("tile_gpu.num_threads", builder.getI32IntegerAttr(facts->second.numThreads));
        func->setAttr("tile_gpu.shared_bytes", builder.getI64IntegerAttr(facts->second.sharedBytes));
      }
  }
};

} // namespace
