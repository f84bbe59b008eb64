// SPDX-License-Identifier: Apache-2.0
#include "tilewright/Dialect/TileGPU/IR/TileGPU.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile_gpu;

using Effects = SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>;

static bool isWord(Type type) {
  return type.isIntOrFloat() && (type.getIntOrFloatBitWidth() == 32 || type.getIntOrFloatBitWidth() == 64);
}

/// Threads of other CTAs may be on the other side, so nothing is moved past such an access, merged or removed.
static void addEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), GlobalMemoryResource::get());
  effects.emplace_back(MemoryEffects::Write::get(), GlobalMemoryResource::get());
}

LogicalResult AtomicRmwOp::verify() {
  Type type = getValue().getType();
  bool fits = isWord(type);
  if (getKind() == AtomicKind::fadd)
    fits = type.isF16() || type.isBF16() || type.isF32() || type.isF64();
  else if (getKind() != AtomicKind::exch)
    fits = fits && type.isSignlessInteger();
  if (!fits) // tile_gpu_atomic_rmw_c1
    return emitOpError() << "expects a type that " << stringifyAtomicKind(getKind()) << " can update, found " << type;
  return success();
}
void AtomicRmwOp::getEffects(Effects &effects) { addEffects(effects); }

LogicalResult AtomicCasOp::verify() {
  if (!isWord(getValue().getType())) // tile_gpu_atomic_cas_c1
    return emitOpError() << "expects 32 or 64 bits, found " << getValue().getType();
  return success();
}
void AtomicCasOp::getEffects(Effects &effects) { addEffects(effects); }

template <typename OpTy> static LogicalResult verifyAccess(OpTy op, SyncOrder strongest, Type type) {
  if (op.getOrder() != SyncOrder::relaxed && op.getOrder() != strongest) // atomic_load_c1, atomic_store_c1
    return op.emitOpError() << "expects the order relaxed or " << stringifySyncOrder(strongest) << ", found "
                            << stringifySyncOrder(op.getOrder());
  int64_t bytes = getElementBytes(type);
  if (bytes < 1 || bytes > 8) // atomic_load_c2, atomic_store_c2
    return op.emitOpError() << "expects 1, 2, 4 or 8 bytes, found " << type;
  return success();
}
LogicalResult AtomicLoadOp::verify() { return verifyAccess(*this, SyncOrder::acquire, getResult().getType()); }
void AtomicLoadOp::getEffects(Effects &effects) { addEffects(effects); }
LogicalResult AtomicStoreOp::verify() { return verifyAccess(*this, SyncOrder::release, getValue().getType()); }
void AtomicStoreOp::getEffects(Effects &effects) { addEffects(effects); }
