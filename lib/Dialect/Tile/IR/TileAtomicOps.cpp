// SPDX-License-Identifier: Apache-2.0
#include "TileAccess.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace tilewright::tile;

using Effects = SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>;

static bool isWord(Type element) {
  return element.isSignlessInteger(32) || element.isSignlessInteger(64) || element.isF32() || element.isF64();
}

/// Whether elements of `element` may be updated by `kind`.
static bool hasUpdate(AtomicKind kind, Type element) {
  switch (kind) {
  case AtomicKind::fadd:
    return element.isF16() || element.isBF16() || element.isF32() || element.isF64();
  case AtomicKind::exch:
    return isWord(element);
  default:
    return element.isSignlessInteger(32) || element.isSignlessInteger(64);
  }
}

/// Constraint C1 of an atomic access through pointers.
template <typename OpTy> static LogicalResult verifyShapes(OpTy op) {
  Type pointers = op.getPtr().getType();
  if (op.getValue().getType() != pointeeOf(pointers)) // atomic_rmw_c1, atomic_cas_c1
    return op.emitOpError() << "expects a value of " << pointeeOf(pointers) << ", found " << op.getValue().getType();
  if (op.getMask() && op.getMask().getType() != maskOf(pointers)) // atomic_rmw_c1, atomic_cas_c1
    return op.emitOpError() << "expects a mask of " << maskOf(pointers) << ", found " << op.getMask().getType();
  return success();
}

static void addEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), GlobalMemoryResource::get());
  effects.emplace_back(MemoryEffects::Write::get(), GlobalMemoryResource::get());
}

LogicalResult AtomicRmwOp::verify() {
  if (failed(verifyShapes(*this)))
    return failure();
  Type element = getElementTypeOrSelf(getValue().getType());
  if (!hasUpdate(getKind(), element)) // atomic_rmw_c2
    return emitOpError() << "expects a type that " << stringifyAtomicKind(getKind()) << " can update, found "
                         << element;
  return success();
}
void AtomicRmwOp::getEffects(Effects &effects) { addEffects(effects); }

LogicalResult AtomicCasOp::verify() {
  if (failed(verifyShapes(*this)))
    return failure();
  Type element = getElementTypeOrSelf(getValue().getType());
  if (!isWord(element)) // atomic_cas_c2
    return emitOpError() << "expects elements of i32, i64, f32 or f64, found " << element;
  return success();
}
void AtomicCasOp::getEffects(Effects &effects) { addEffects(effects); }

LogicalResult ReduceIntoOp::verify() {
  auto tile = cast<RankedTensorType>(getValue().getType());
  if (failed(verifyBlock(*this, getView().getType(), tile, getOffsets().size(), getDims(), getInBounds())))
    return failure();
  if (getKind() == AtomicKind::exch || !hasUpdate(getKind(), tile.getElementType())) // reduce_into_c5
    return emitOpError() << "expects a type that " << stringifyAtomicKind(getKind())
                         << " can update without its old value, found " << tile.getElementType();
  return success();
}
SmallVector<int64_t> ReduceIntoOp::walkedDims() { return walkedDimsOf(getDims(), getView().getType()); }
void ReduceIntoOp::getEffects(Effects &effects) { addEffects(effects); }
