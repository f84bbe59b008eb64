// SPDX-License-Identifier: Apache-2.0
// Updates are inline PTX: LLVM 22 writes `atomicrmw` without its order and scope. Loads, stores and compare-and-swap, and the
// loop around it that it makes of an update that a target lacks, keep theirs.
#include "SIMTToLLVM.h"

#include "mlir/Transforms/DialectConversion.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::simt;
using namespace tilewright::tile_gpu;

namespace {

/// Address space of global memory. Source: LLVM, NVPTXUsage, address spaces.
constexpr unsigned kGlobalSpace = 1;

/// Source: LLVM, NVPTXUsage, memory scopes.
StringRef scopeName(SyncScope scope) {
  switch (scope) {
  case SyncScope::cta:
    return "block";
  case SyncScope::gpu:
    return "device";
  case SyncScope::sys:
    return "";
  }
  llvm_unreachable("all scopes are handled");
}

LLVM::AtomicOrdering orderingOf(SyncOrder order) {
  switch (order) {
  case SyncOrder::relaxed:
    return LLVM::AtomicOrdering::monotonic;
  case SyncOrder::acquire:
    return LLVM::AtomicOrdering::acquire;
  case SyncOrder::release:
    return LLVM::AtomicOrdering::release;
  case SyncOrder::acq_rel:
    return LLVM::AtomicOrdering::acq_rel;
  }
  llvm_unreachable("all orders are handled");
}

/// The operation and type of PTX, e.g. "add.u32". Source: PTX ISA, atom and red.
std::string instructionOf(AtomicKind kind, Type type) {
  std::string width = std::to_string(type.getIntOrFloatBitWidth());
  switch (kind) {
  case AtomicKind::add:
    return "add.u" + width;
  case AtomicKind::fadd:
    return type.isF16() ? "add.noftz.f16" : type.isBF16() ? "add.noftz.bf16" : "add.f" + width;
  case AtomicKind::smin:
    return "min.s" + width;
  case AtomicKind::smax:
    return "max.s" + width;
  case AtomicKind::umin:
    return "min.u" + width;
  case AtomicKind::umax:
    return "max.u" + width;
  case AtomicKind::andi:
    return "and.b" + width;
  case AtomicKind::ori:
    return "or.b" + width;
  case AtomicKind::xori:
    return "xor.b" + width;
  case AtomicKind::exch:
    return "exch.b" + width;
  }
  llvm_unreachable("all kinds are handled");
}

Value pointerTo(OpBuilder &b, Location loc, Value address) {
  return LLVM::IntToPtrOp::create(b, loc, LLVM::LLVMPointerType::get(b.getContext(), kGlobalSpace), address);
}

/// The integer of a type's bits, and a value as such.
Type bitsType(Type type) { return IntegerType::get(type.getContext(), bytesOf(type) * 8); }
Value cast(OpBuilder &b, Location loc, Value value, Type type) {
  return value.getType() == type ? value : LLVM::BitcastOp::create(b, loc, type, value).getResult();
}

struct AtomicRmw : public ConvertOpToLLVMPattern<AtomicRmwOp> {
  AtomicRmw(LLVMTypeConverter &converter, bool hasBf16Add)
      : ConvertOpToLLVMPattern(converter), hasBf16Add(hasBf16Add) {}
  bool hasBf16Add;

  LogicalResult matchAndRewrite(AtomicRmwOp op, OpAdaptor adaptor, ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    Type type = adaptor.getValue().getType(), bits = bitsType(type);
    Value zero = LLVM::ZeroOp::create(b, loc, type);
    if (type.isBF16() && !hasBf16Add) {
      Value result = guarded(b, loc, adaptor.getPred(), zero, [&]() -> Value {
        return LLVM::AtomicRMWOp::create(b, loc, LLVM::AtomicBinOp::fadd, pointerTo(b, loc, adaptor.getAddress()),
                                         adaptor.getValue(), orderingOf(op.getOrder()), scopeName(op.getScope()),
                                         bytesOf(type));
      });
      b.replaceOp(op, result);
      return success();
    }
    // `red` gives nothing back, and acquires nothing.
    bool isRed = op.getResult().use_empty() && op.getKind() != AtomicKind::exch &&
                 (op.getOrder() == SyncOrder::relaxed || op.getOrder() == SyncOrder::release);
    StringRef constraint = bytesOf(type) == 8 ? "l" : bytesOf(type) == 4 ? "r" : "h";
    SmallVector<Value> operands{adaptor.getAddress(), cast(b, loc, adaptor.getValue(), bits)};
    unsigned first = isRed ? 0 : 1;
    auto number = [](unsigned i) { return "$" + std::to_string(i); };
    std::string text = (isRed ? "red." : "atom.") + stringifySyncOrder(op.getOrder()).str() + "." +
                       stringifySyncScope(op.getScope()).str() + ".global." + instructionOf(op.getKind(), type) +
                       (isRed ? " [" : " $0, [") + number(first) + "], " + number(first + 1) + ";";
    std::string constraints = (isRed ? "l," : "=" + constraint.str() + ",l,") + constraint.str();
    if (adaptor.getPred()) {
      operands.push_back(adaptor.getPred());
      text = "@" + number(first + 2) + " " + text;
      constraints += ",b";
      if (!isRed) { // Tied: what the register holds where nothing is updated.
        operands.push_back(cast(b, loc, zero, bits));
        constraints += ",0";
      }
    }
    constraints += ",~{memory}";
    auto dialect = LLVM::AsmDialectAttr::get(b.getContext(), LLVM::AsmDialect::AD_ATT);
    auto update = LLVM::InlineAsmOp::create(b, loc, isRed ? TypeRange() : TypeRange(bits), operands, text, constraints,
                                            /*has_side_effects=*/true, /*is_align_stack=*/false,
                                            LLVM::TailCallKind::None, dialect, ArrayAttr());
    b.replaceOp(op, isRed ? zero : cast(b, loc, update.getResult(0), type));
    return success();
  }
};

struct AtomicCas : public ConvertOpToLLVMPattern<AtomicCasOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(AtomicCasOp op, OpAdaptor adaptor, ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    Type type = adaptor.getValue().getType(), bits = bitsType(type);
    Value zero = adaptor.getPred() ? LLVM::ZeroOp::create(b, loc, type).getResult() : Value();
    Value result = guarded(b, loc, adaptor.getPred(), zero, [&]() -> Value {
      bool isAcquire = op.getOrder() == SyncOrder::acquire || op.getOrder() == SyncOrder::acq_rel;
      auto otherwise = isAcquire ? LLVM::AtomicOrdering::acquire : LLVM::AtomicOrdering::monotonic;
      Value pair = LLVM::AtomicCmpXchgOp::create(b, loc, pointerTo(b, loc, adaptor.getAddress()),
                                                 cast(b, loc, adaptor.getCompare(), bits),
                                                 cast(b, loc, adaptor.getValue(), bits), orderingOf(op.getOrder()),
                                                 otherwise, scopeName(op.getScope()), bytesOf(type));
      return cast(b, loc, LLVM::ExtractValueOp::create(b, loc, pair, 0), type);
    });
    b.replaceOp(op, result);
    return success();
  }
};

struct AtomicLoad : public ConvertOpToLLVMPattern<AtomicLoadOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(AtomicLoadOp op, OpAdaptor adaptor, ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    Type type = getTypeConverter()->convertType(op.getResult().getType()), stored = memoryType(type);
    Value zero = adaptor.getPred() ? LLVM::ZeroOp::create(b, loc, stored).getResult() : Value();
    Value result = guarded(b, loc, adaptor.getPred(), zero, [&]() -> Value {
      Value bits = LLVM::LoadOp::create(b, loc, bitsType(stored), pointerTo(b, loc, adaptor.getAddress()),
                                        bytesOf(stored), /*isVolatile=*/false, /*isNonTemporal=*/false,
                                        /*isInvariant=*/false, /*isInvariantGroup=*/false, orderingOf(op.getOrder()),
                                        scopeName(op.getScope()));
      return cast(b, loc, bits, stored);
    });
    b.replaceOp(op, fromMemory(b, loc, result, type));
    return success();
  }
};

struct AtomicStore : public ConvertOpToLLVMPattern<AtomicStoreOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(AtomicStoreOp op, OpAdaptor adaptor, ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    Value value = toMemory(b, loc, adaptor.getValue());
    guarded(b, loc, adaptor.getPred(), Value(), [&]() -> Value {
      LLVM::StoreOp::create(b, loc, cast(b, loc, value, bitsType(value.getType())),
                            pointerTo(b, loc, adaptor.getAddress()), bytesOf(value.getType()), /*isVolatile=*/false,
                            /*isNonTemporal=*/false, /*isInvariantGroup=*/false, orderingOf(op.getOrder()),
                            scopeName(op.getScope()));
      return {};
    });
    b.eraseOp(op);
    return success();
  }
};

} // namespace

void tilewright::simt::populateAtomicToNVVMPatterns(LLVMTypeConverter &converter, RewritePatternSet &patterns,
                                                   bool hasBf16Add) {
  patterns.add<AtomicRmw>(converter, hasBf16Add);
  patterns.add<AtomicCas, AtomicLoad, AtomicStore>(converter);
}
