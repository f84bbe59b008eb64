// SPDX-License-Identifier: Apache-2.0
#include "SIMTToLLVM.h"
#include "tilewright/Conversion/SIMTToLLVM/Passes.h"
#include "tilewright/Dialect/TileGPU/IR/MmaTypes.h"
#include "tilewright/Target/Target.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Transforms/DialectConversion.h"

namespace tilewright {
#define GEN_PASS_DEF_CONVERTSIMTTONVVMPASS
#include "tilewright/Conversion/SIMTToLLVM/Passes.h.inc"
} // namespace tilewright

using namespace mlir;
using namespace tilewright;
using namespace tilewright::simt;
using namespace tilewright::tile_gpu;

namespace {

/// Address spaces of the NVPTX backend. Source: LLVM, NVPTXUsage, address spaces.
constexpr unsigned kGlobalSpace = 1, kSharedSpace = 3;
/// The one dynamic array that all shared memory is in; ptxas places it behind static data and aligns it as declared.
constexpr StringLiteral kSharedArray = "tilewright_shared";
constexpr unsigned kSharedAlignBytes = 1024;
constexpr int32_t kAllLanes = -1;
/// Most bytes of one access before sm_100; from there on the backend joins the halves of a plain access.
constexpr int64_t kHalfBytes = 16;

/// How the bytes of one access travel through inline PTX: `count` registers of `bits` bits.
struct Words {
  unsigned bits = 32, count = 1;
  Type type;             ///< Type of one register's LLVM value.
  char constraint = 'r'; ///< LLVM constraint letter.
  std::string suffix;    ///< e.g. ".v4.b32".
};

Words wordsOf(int64_t bytes, MLIRContext *context) {
  Words words;
  words.bits = bytes >= 4 ? (bytes == 8 ? 64 : 32) : bytes * 8;
  words.count = bytes > 8 ? bytes / 4 : 1;
  // There is no 8-bit register: ld.b8 fills a 16-bit one.
  words.type = IntegerType::get(context, std::max(words.bits, 16u));
  words.constraint = words.bits == 64 ? 'l' : words.bits == 32 ? 'r' : 'h';
  words.suffix =
      (words.count > 1 ? ".v" + std::to_string(words.count) : std::string()) + ".b" + std::to_string(words.bits);
  return words;
}

/// Cuts a value into the registers of `words`.
SmallVector<Value> cut(OpBuilder &b, Location loc, Value value, const Words &words) {
  MLIRContext *context = b.getContext();
  int64_t bytes = bytesOf(value.getType());
  if (words.count > 1) {
    auto vector = VectorType::get({static_cast<int64_t>(words.count)}, words.type);
    Value cast = LLVM::BitcastOp::create(b, loc, vector, value);
    SmallVector<Value> pieces;
    for (unsigned i = 0; i < words.count; ++i)
      pieces.push_back(LLVM::ExtractElementOp::create(b, loc, cast, constantOf(b, loc, b.getI32Type(), i)));
    return pieces;
  }
  Type whole = IntegerType::get(context, bytes * 8);
  if (value.getType() != whole)
    value = LLVM::BitcastOp::create(b, loc, whole, value);
  if (whole != words.type)
    value = LLVM::ZExtOp::create(b, loc, words.type, value);
  return {value};
}

/// The inverse of `cut`.
Value join(OpBuilder &b, Location loc, ArrayRef<Value> pieces, const Words &words, Type type) {
  if (words.count > 1) {
    auto vector = VectorType::get({static_cast<int64_t>(words.count)}, words.type);
    Value whole = LLVM::PoisonOp::create(b, loc, vector);
    for (unsigned i = 0; i < words.count; ++i)
      whole = LLVM::InsertElementOp::create(b, loc, whole, pieces[i], constantOf(b, loc, b.getI32Type(), i));
    return whole.getType() == type ? whole : LLVM::BitcastOp::create(b, loc, type, whole).getResult();
  }
  Value value = pieces[0];
  Type whole = IntegerType::get(b.getContext(), bytesOf(type) * 8);
  if (value.getType() != whole)
    value = LLVM::TruncOp::create(b, loc, whole, value);
  return whole == type ? value : LLVM::BitcastOp::create(b, loc, type, value).getResult();
}

/// `@pred ld.SPACE...`: reads `type` where `pred` is true, else gives `other`.
Value predicatedLoad(OpBuilder &b, Location loc, StringRef space, Value address, Value pred, Value other, Type type) {
  Words words = wordsOf(bytesOf(type), b.getContext());
  std::string registers, constraints;
  for (unsigned i = 0; i < words.count; ++i) {
    registers += (i ? ", $" : "$") + std::to_string(i);
    constraints += std::string(i ? "," : "") + "=" + words.constraint;
  }
  if (words.count > 1)
    registers = "{" + registers + "}";
  std::string text = "@$" + std::to_string(words.count + 1) + " ld." + space.str() + words.suffix + " " + registers +
                     ", [$" + std::to_string(words.count) + "];";
  constraints += address.getType().isInteger(32) ? ",r,b" : ",l,b";
  SmallVector<Value> operands{address, pred};
  for (auto [i, piece] : llvm::enumerate(cut(b, loc, other, words))) {
    operands.push_back(piece);
    constraints += "," + std::to_string(i); // Tied: what the register holds where nothing is read.
  }
  constraints += ",~{memory}";
  SmallVector<Type> types(words.count, words.type);
  Type result = words.count == 1 ? words.type : LLVM::LLVMStructType::getLiteral(b.getContext(), types);
  auto dialect = LLVM::AsmDialectAttr::get(b.getContext(), LLVM::AsmDialect::AD_ATT);
  auto asmOp = LLVM::InlineAsmOp::create(b, loc, result, operands, text, constraints, /*has_side_effects=*/true,
                                         /*is_align_stack=*/false, LLVM::TailCallKind::None, dialect, ArrayAttr());
  SmallVector<Value> pieces;
  for (unsigned i = 0; i < words.count; ++i)
    pieces.push_back(words.count == 1 ? asmOp.getResult(0)
                                      : LLVM::ExtractValueOp::create(b, loc, asmOp.getResult(0), i).getResult());
  return join(b, loc, pieces, words, type);
}

void predicatedStore(OpBuilder &b, Location loc, StringRef space, Value address, Value pred, Value value) {
  Words words = wordsOf(bytesOf(value.getType()), b.getContext());
  SmallVector<Value> operands = cut(b, loc, value, words);
  std::string registers, constraints;
  for (unsigned i = 0; i < words.count; ++i) {
    registers += (i ? ", $" : "$") + std::to_string(i);
    constraints += std::string(1, words.constraint) + ",";
  }
  if (words.count > 1)
    registers = "{" + registers + "}";
  std::string text = "@$" + std::to_string(words.count + 1) + " st." + space.str() + words.suffix + " [$" +
                     std::to_string(words.count) + "], " + registers + ";";
  constraints += address.getType().isInteger(32) ? "r,b,~{memory}" : "l,b,~{memory}";
  operands.push_back(address);
  operands.push_back(pred);
  auto dialect = LLVM::AsmDialectAttr::get(b.getContext(), LLVM::AsmDialect::AD_ATT);
  LLVM::InlineAsmOp::create(b, loc, TypeRange{}, operands, text, constraints, /*has_side_effects=*/true,
                            /*is_align_stack=*/false, LLVM::TailCallKind::None, dialect, ArrayAttr());
}

Value zeroOf(OpBuilder &b, Location loc, Type type) { return LLVM::ZeroOp::create(b, loc, type); }

Value globalPointer(OpBuilder &b, Location loc, Value address) {
  return LLVM::IntToPtrOp::create(b, loc, LLVM::LLVMPointerType::get(b.getContext(), kGlobalSpace), address);
}

Value sharedPointer(OpBuilder &b, Location loc, Value offset) {
  auto type = LLVM::LLVMPointerType::get(b.getContext(), kSharedSpace);
  Value base = LLVM::AddressOfOp::create(b, loc, type, kSharedArray);
  return LLVM::GEPOp::create(b, loc, type, b.getI8Type(), base, ValueRange{offset});
}

struct LoadGlobal : public ConvertOpToLLVMPattern<LoadGlobalOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(LoadGlobalOp op, OpAdaptor adaptor, ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    Type type = getTypeConverter()->convertType(op.getResult().getType()), stored = memoryType(type);
    std::optional<bool> known = constantBool(op.getPred());
    Value other = adaptor.getOther() ? toMemory(b, loc, adaptor.getOther()) : Value();
    auto half = [&](Value address, Type part, Value instead, int64_t align) -> Value {
      if (!op.getPred() || known == true)
        return LLVM::LoadOp::create(b, loc, part, globalPointer(b, loc, address), align);
      if (!instead)
        instead = zeroOf(b, loc, part);
      return known == false ? instead : predicatedLoad(b, loc, "global", address, adaptor.getPred(), instead, part);
    };
    Value result;
    if (bytesOf(stored) <= 16) {
      result = half(adaptor.getAddress(), stored, other, op.getAlign());
    } else { // Two halves: one access moves at most 16 bytes before sm_100.
      auto vector = cast<VectorType>(stored);
      int64_t count = vector.getNumElements() / 2;
      auto part = VectorType::get({count}, vector.getElementType());
      SmallVector<int32_t> low, high, all;
      for (int64_t i = 0; i < count; ++i) {
        low.push_back(i);
        high.push_back(count + i);
      }
      for (int64_t i = 0; i < 2 * count; ++i)
        all.push_back(i);
      auto pick = [&](ArrayRef<int32_t> lanes) -> Value {
        return other ? LLVM::ShuffleVectorOp::create(b, loc, other, other, lanes).getResult() : Value();
      };
      Value next = LLVM::AddOp::create(b, loc, adaptor.getAddress(), constantOf(b, loc, b.getI64Type(), kHalfBytes));
      Value first = half(adaptor.getAddress(), part, pick(low), op.getAlign());
      Value second = half(next, part, pick(high), kHalfBytes);
      result = LLVM::ShuffleVectorOp::create(b, loc, first, second, all);
    }
    b.replaceOp(op, fromMemory(b, loc, result, type));
    return success();
  }
};

struct StoreGlobal : public ConvertOpToLLVMPattern<StoreGlobalOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(StoreGlobalOp op, OpAdaptor adaptor, ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    Value value = toMemory(b, loc, adaptor.getValue());
    std::optional<bool> known = constantBool(op.getPred());
    auto half = [&](Value address, Value part, int64_t align) {
      if (!op.getPred() || known == true)
        LLVM::StoreOp::create(b, loc, part, globalPointer(b, loc, address), align);
      else if (known != false)
        predicatedStore(b, loc, "global", address, adaptor.getPred(), part);
    };
    if (bytesOf(value.getType()) <= 16) {
      half(adaptor.getAddress(), value, op.getAlign());
    } else {
      int64_t count = cast<VectorType>(value.getType()).getNumElements() / 2;
      SmallVector<int32_t> low, high;
      for (int64_t i = 0; i < count; ++i) {
        low.push_back(i);
        high.push_back(count + i);
      }
      half(adaptor.getAddress(), LLVM::ShuffleVectorOp::create(b, loc, value, value, low), op.getAlign());
      half(LLVM::AddOp::create(b, loc, adaptor.getAddress(), constantOf(b, loc, b.getI64Type(), 16)),
           LLVM::ShuffleVectorOp::create(b, loc, value, value, high), kHalfBytes);
    }
    b.eraseOp(op);
    return success();
  }
};

struct LoadShared : public ConvertOpToLLVMPattern<LoadSharedOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(LoadSharedOp op, OpAdaptor adaptor, ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    Type type = getTypeConverter()->convertType(op.getResult().getType()), stored = memoryType(type);
    std::optional<bool> known = constantBool(op.getPred());
    Value pointer = sharedPointer(b, loc, adaptor.getOffset()), result;
    if (!op.getPred() || known == true)
      result = LLVM::LoadOp::create(b, loc, stored, pointer, bytesOf(stored));
    else if (known == false)
      result = zeroOf(b, loc, stored);
    else
      result = predicatedLoad(b, loc, "shared", LLVM::PtrToIntOp::create(b, loc, b.getI32Type(), pointer),
                              adaptor.getPred(), zeroOf(b, loc, stored), stored);
    b.replaceOp(op, fromMemory(b, loc, result, type));
    return success();
  }
};

struct StoreShared : public ConvertOpToLLVMPattern<StoreSharedOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(StoreSharedOp op, OpAdaptor adaptor, ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    Value value = toMemory(b, loc, adaptor.getValue());
    std::optional<bool> known = constantBool(op.getPred());
    Value pointer = sharedPointer(b, loc, adaptor.getOffset());
    if (!op.getPred() || known == true)
      LLVM::StoreOp::create(b, loc, value, pointer, bytesOf(value.getType()));
    else if (known != false)
      predicatedStore(b, loc, "shared", LLVM::PtrToIntOp::create(b, loc, b.getI32Type(), pointer), adaptor.getPred(),
                      value);
    b.eraseOp(op);
    return success();
  }
};

struct Barrier : public ConvertOpToLLVMPattern<BarrierOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(BarrierOp op, OpAdaptor, ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    Value id = constantOf(b, loc, b.getI32Type(), op.getId()),
          threads = constantOf(b, loc, b.getI32Type(), op.getThreads());
    b.replaceOpWithNewOp<LLVM::CallIntrinsicOp>(op, b.getStringAttr("llvm.nvvm.barrier.cta.sync.aligned.count"),
                                                ValueRange{id, threads});
    return success();
  }
};

struct Shuffle : public ConvertOpToLLVMPattern<ShuffleOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(ShuffleOp op, OpAdaptor adaptor, ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    Type i32 = b.getI32Type();
    auto kind = op.getMode() == ShuffleMode::idx ? NVVM::ShflKind::idx : NVVM::ShflKind::bfly;
    auto exchange = [&](Value word) -> Value {
      return NVVM::ShflOp::create(b, loc, i32, constantOf(b, loc, i32, kAllLanes), word, adaptor.getLane(),
                                  constantOf(b, loc, i32, 31), kind, UnitAttr());
    };
    auto vector = dyn_cast<VectorType>(adaptor.getValue().getType());
    if (!vector) {
      b.replaceOp(op, exchange(adaptor.getValue()));
      return success();
    }
    Value result = LLVM::PoisonOp::create(b, loc, vector);
    for (int64_t i = 0; i < vector.getNumElements(); ++i) {
      Value at = constantOf(b, loc, i32, i);
      Value word = exchange(LLVM::ExtractElementOp::create(b, loc, adaptor.getValue(), at));
      result = LLVM::InsertElementOp::create(b, loc, result, word, at);
    }
    b.replaceOp(op, result);
    return success();
  }
};

struct LoadMatrix : public ConvertOpToLLVMPattern<LoadMatrixOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(LoadMatrixOp op, OpAdaptor adaptor, ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    Type i32 = b.getI32Type();
    auto vector = dyn_cast<VectorType>(op.getResult().getType());
    int64_t words = vector ? vector.getNumElements() : 1;
    std::string name = "llvm.nvvm.ldmatrix.sync.aligned.m8n8.x" + std::to_string(words) +
                       (op.getTrans() ? ".trans" : "") + ".b16.p3";
    SmallVector<Type> types(words, i32);
    Type result = vector ? LLVM::LLVMStructType::getLiteral(b.getContext(), types) : i32;
    Value loaded = LLVM::CallIntrinsicOp::create(b, loc, result, b.getStringAttr(name),
                                                 ValueRange{sharedPointer(b, loc, adaptor.getOffset())})
                       .getResults();
    if (!vector) {
      b.replaceOp(op, loaded);
      return success();
    }
    Value whole = LLVM::PoisonOp::create(b, loc, vector);
    for (int64_t i = 0; i < words; ++i)
      whole = LLVM::InsertElementOp::create(b, loc, whole, LLVM::ExtractValueOp::create(b, loc, loaded, i),
                                            constantOf(b, loc, i32, i));
    b.replaceOp(op, whole);
    return success();
  }
};

/// Inline PTX for every kind alike: `nvvm.mma.sync` of LLVM 22 has no fp8, and its operands' types differ by kind. It has no
/// side effects, and no branch is divergent where tiles are multiplied.
struct Mma : public ConvertOpToLLVMPattern<MmaOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(MmaOp op, OpAdaptor adaptor, ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    auto accType = cast<VectorType>(op.getAcc().getType());
    MmaKind kind = *findMmaKind(op.getLhsType(), op.getRhsType(), accType.getElementType(), op.getLhsUnsigned(),
                                op.getRhsUnsigned());
    // Sums in f16 are pairs in two registers.
    bool isPacked = kind.sum == MmaSum::F16;
    Type word = kind.sum == MmaSum::F32 ? Type(b.getF32Type()) : Type(b.getI32Type());
    int64_t sums = isPacked ? 2 : 4;
    char constraint = kind.sum == MmaSum::F32 ? 'f' : 'r';
    auto pieces = [&](Value vector, int64_t count, Type type) {
      auto wanted = VectorType::get({count}, type);
      if (vector.getType() != wanted)
        vector = LLVM::BitcastOp::create(b, loc, wanted, vector);
      SmallVector<Value> out;
      for (int64_t i = 0; i < count; ++i)
        out.push_back(LLVM::ExtractElementOp::create(b, loc, vector, constantOf(b, loc, b.getI32Type(), i)));
      return out;
    };
    int64_t next = 0;
    auto registers = [&](int64_t count) {
      std::string text = "{";
      for (int64_t i = 0; i < count; ++i)
        text += (i ? ", $" : "$") + std::to_string(next++);
      return text + "}";
    };
    std::string text = "mma.sync.aligned." + kind.ptxSuffix() + " " + registers(sums);
    text += ", " + registers(4);
    text += ", " + registers(2);
    text += ", " + registers(sums) + ";";
    std::string constraints;
    for (int64_t i = 0; i < sums; ++i)
      constraints += std::string("=") + constraint + ",";
    constraints += "r,r,r,r,r,r";
    for (int64_t i = 0; i < sums; ++i)
      constraints += "," + std::to_string(i); // Tied: the sum stays where it is.
    SmallVector<Value> operands = pieces(adaptor.getLhs(), 4, b.getI32Type());
    operands.append(pieces(adaptor.getRhs(), 2, b.getI32Type()));
    operands.append(pieces(adaptor.getAcc(), sums, word));
    SmallVector<Type> types(sums, word);
    auto dialect = LLVM::AsmDialectAttr::get(b.getContext(), LLVM::AsmDialect::AD_ATT);
    auto made = LLVM::InlineAsmOp::create(b, loc, LLVM::LLVMStructType::getLiteral(b.getContext(), types), operands,
                                          text, constraints, /*has_side_effects=*/false, /*is_align_stack=*/false,
                                          LLVM::TailCallKind::None, dialect, ArrayAttr());
    Value result = LLVM::PoisonOp::create(b, loc, VectorType::get({sums}, word));
    for (int64_t i = 0; i < sums; ++i)
      result = LLVM::InsertElementOp::create(b, loc, result, LLVM::ExtractValueOp::create(b, loc, made.getResult(0), i),
                                             constantOf(b, loc, b.getI32Type(), i));
    if (result.getType() != accType)
      result = LLVM::BitcastOp::create(b, loc, accType, result);
    b.replaceOp(op, result);
    return success();
  }
};

/// Facts are for the emulator; here the optimiser may use them.
struct Assume : public ConvertOpToLLVMPattern<tile_gpu::AssumeOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(tile_gpu::AssumeOp op, OpAdaptor adaptor, ConversionPatternRewriter &b) const override {
    b.replaceOpWithNewOp<LLVM::AssumeOp>(op, adaptor.getCondition());
    return success();
  }
};

/// Ops that read one special register.
template <typename OpTy, typename X, typename Y, typename Z> struct GridRegister : public ConvertOpToLLVMPattern<OpTy> {
  using ConvertOpToLLVMPattern<OpTy>::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(OpTy op, typename OpTy::Adaptor, ConversionPatternRewriter &b) const override {
    Type i32 = b.getI32Type();
    switch (op.getAxis()) {
    case Axis::x:
      b.replaceOpWithNewOp<X>(op, i32);
      break;
    case Axis::y:
      b.replaceOpWithNewOp<Y>(op, i32);
      break;
    case Axis::z:
      b.replaceOpWithNewOp<Z>(op, i32);
      break;
    }
    return success();
  }
};

struct LaneId : public ConvertOpToLLVMPattern<LaneIdOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(LaneIdOp op, OpAdaptor, ConversionPatternRewriter &b) const override {
    Value thread = NVVM::ThreadIdXOp::create(b, op.getLoc(), b.getI32Type());
    b.replaceOpWithNewOp<LLVM::AndOp>(op, thread, constantOf(b, op.getLoc(), b.getI32Type(), 31));
    return success();
  }
};

struct WarpId : public ConvertOpToLLVMPattern<WarpIdOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(WarpIdOp op, OpAdaptor, ConversionPatternRewriter &b) const override {
    Value thread = NVVM::ThreadIdXOp::create(b, op.getLoc(), b.getI32Type());
    b.replaceOpWithNewOp<LLVM::LShrOp>(op, thread, constantOf(b, op.getLoc(), b.getI32Type(), 5));
    return success();
  }
};

struct ConvertSIMTToNVVM : public tilewright::impl::ConvertSIMTToNVVMPassBase<ConvertSIMTToNVVM> {
  using ConvertSIMTToNVVMPassBase::ConvertSIMTToNVVMPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    std::string error;
    const Target *gpu = findTarget(target, &error);
    if (!gpu) {
      module.emitError() << error;
      return signalPassFailure();
    }
    // Source: PTX ISA, atom: .bf16 needs sm_90.
    bool hasBf16Add = gpu->computeCapability >= 90;
    auto kernels = prepareKernels(module);
    if (failed(kernels))
      return signalPassFailure();
    OpBuilder builder(module.getBodyRegion());
    unsigned ptxVersion = gpu->ptxVersion;
    module.walk([&](MmaOp op) {
      std::optional<MmaKind> kind = findMmaKind(op.getLhsType(), op.getRhsType(),
                                                cast<VectorType>(op.getAcc().getType()).getElementType(),
                                                op.getLhsUnsigned(), op.getRhsUnsigned());
      ptxVersion = std::max(ptxVersion, kind->firstPtxVersion());
    });
    if (ptxVersion > gpu->ptxVersion)
      module->setAttr("tile_gpu.ptx_version", builder.getI32IntegerAttr(ptxVersion));
    LLVM::GlobalOp::create(builder, module.getLoc(), LLVM::LLVMArrayType::get(builder.getI8Type(), 0),
                           /*isConstant=*/false, LLVM::Linkage::External, kSharedArray, Attribute(), kSharedAlignBytes,
                           kSharedSpace);
    LogicalResult converted = convertModule(module, [&](LLVMTypeConverter &converter, RewritePatternSet &patterns) {
      patterns.add<LoadGlobal, StoreGlobal, LoadShared, StoreShared, Barrier, Shuffle, LoadMatrix, Mma, Assume,
                   LaneId, WarpId,
                   GridRegister<CtaIdOp, NVVM::BlockIdXOp, NVVM::BlockIdYOp, NVVM::BlockIdZOp>,
                   GridRegister<NumCtasOp, NVVM::GridDimXOp, NVVM::GridDimYOp, NVVM::GridDimZOp>>(converter);
      populateAtomicToNVVMPatterns(converter, patterns, hasBf16Add);
    });
    if (failed(converted))
      return signalPassFailure();
    for (auto func : module.getOps<LLVM::LLVMFuncOp>()) {
      auto facts = kernels->find(func.getSymNameAttr());
      if (facts == kernels->end())
        continue;
      func->setAttr(NVVM::NVVMDialect::getKernelFuncAttrName(), builder.getUnitAttr());
      func->setAttr(NVVM::NVVMDialect::getReqntidAttrName(),
                    builder.getDenseI32ArrayAttr({facts->second.numThreads, 1, 1}));
      if (facts->second.minCtas)
        func->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(), builder.getI32IntegerAttr(facts->second.minCtas));
    }
  }
};

} // namespace
