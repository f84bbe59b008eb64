// SPDX-License-Identifier: Apache-2.0
// LLVM has atomic accesses of its own, which its backend writes as PTX, with a loop of compare-and-swap where a target lacks the
// instruction (fadd of bf16 before sm_90). ptxas makes `red` of an update whose result nobody reads.
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

LLVM::AtomicBinOp binOpOf(AtomicKind kind) {
  switch (kind) {
  case AtomicKind::add:
    return LLVM::AtomicBinOp::add;
  case AtomicKind::fadd:
    return LLVM::AtomicBinOp::fadd;
  case AtomicKind::smin:
    return LLVM::AtomicBinOp::min;
  case AtomicKind::smax:
    return LLVM::AtomicBinOp::max;
  case AtomicKind::umin:
    return LLVM::AtomicBinOp::umin;
  case AtomicKind::umax:
    return LLVM::AtomicBinOp::umax;
  case AtomicKind::andi:
    return LLVM::AtomicBinOp::_and;
  case AtomicKind::ori:
    return LLVM::AtomicBinOp::_or;
  case AtomicKind::xori:
    return LLVM::AtomicBinOp::_xor;
  case AtomicKind::exch:
    return LLVM::AtomicBinOp::xchg;
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
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(AtomicRmwOp op, OpAdaptor adaptor, ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    Type type = adaptor.getValue().getType();
    Value zero = adaptor.getPred() ? LLVM::ZeroOp::create(b, loc, type).getResult() : Value();
    Value result = guarded(b, loc, adaptor.getPred(), zero, [&]() -> Value {
      // Only fadd has a type of its own; the others move bits.
      Type moved = op.getKind() == AtomicKind::fadd ? type : bitsType(type);
      Value old = LLVM::AtomicRMWOp::create(b, loc, binOpOf(op.getKind()), pointerTo(b, loc, adaptor.getAddress()),
                                            cast(b, loc, adaptor.getValue(), moved), orderingOf(op.getOrder()),
                                            scopeName(op.getScope()), bytesOf(type));
      return cast(b, loc, old, type);
    });
    b.replaceOp(op, result);
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

void tilewright::simt::populateAtomicToNVVMPatterns(LLVMTypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<AtomicRmw, AtomicCas, AtomicLoad, AtomicStore>(converter);
}
