// SPDX-License-Identifier: Apache-2.0
#include "tilewright/Dialect/TileGPU/IR/MmaTypes.h"
#include "tilewright/Dialect/TileGPU/IR/TileGPU.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile_gpu;

using Effects = SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>;

/// Bytes of one access, or 0 where elements are not whole bytes or there are more than any access has.
static int64_t accessBytes(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  if (!vector)
    return getElementBytes(type);
  // Extents of any size may be written, whose product may not be computed.
  constexpr int64_t kMostElements = 1024;
  int64_t count = 1;
  for (int64_t extent : vector.getShape())
    if (extent > kMostElements || (count *= extent) > kMostElements)
      return 0;
  return getElementBytes(vector.getElementType()) * count;
}

static LogicalResult verifyBytes(Operation *op, Type type, int64_t most) {
  int64_t bytes = accessBytes(type);
  if (!llvm::isPowerOf2_64(bytes) || bytes > most)
    return op->emitOpError() << "expects an access of a power of two up to " << most << " bytes, found " << type;
  return success();
}

static LogicalResult verifyGlobal(Operation *op, Type type, int64_t align) {
  if (failed(verifyBytes(op, type, 32))) // load_global_c1, store_global_c1
    return failure();
  if (!llvm::isPowerOf2_64(align) || align < accessBytes(type)) // load_global_c2, store_global_c2
    return op->emitOpError() << "expects the alignment to be a power of two of at least " << accessBytes(type)
                             << ", found " << align;
  return success();
}

LogicalResult LoadGlobalOp::verify() {
  if (failed(verifyGlobal(*this, getResult().getType(), getAlign())))
    return failure();
  if (getOther() && (!getPred() || getOther().getType() != getResult().getType())) // load_global_c3
    return emitOpError() << "expects `other` only with `pred` and of type " << getResult().getType();
  return success();
}
void LoadGlobalOp::getEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), GlobalMemoryResource::get());
}

LogicalResult StoreGlobalOp::verify() { return verifyGlobal(*this, getValue().getType(), getAlign()); }
void StoreGlobalOp::getEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Write::get(), GlobalMemoryResource::get());
}

LogicalResult LoadSharedOp::verify() { return verifyBytes(*this, getResult().getType(), 16); } // load_shared_c1
void LoadSharedOp::getEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), SharedMemoryResource::get());
}

LogicalResult StoreSharedOp::verify() { return verifyBytes(*this, getValue().getType(), 16); } // store_shared_c1
void StoreSharedOp::getEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Write::get(), SharedMemoryResource::get());
}

LogicalResult LoadMatrixOp::verify() {
  auto vector = dyn_cast<VectorType>(getResult().getType());
  if (vector && vector.getNumElements() != 2 && vector.getNumElements() != 4) // load_matrix_c1
    return emitOpError() << "expects a result of 1, 2 or 4 words, found " << vector;
  return success();
}
void LoadMatrixOp::getEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), SharedMemoryResource::get());
}

LogicalResult MmaOp::verify() {
  Type sum = cast<VectorType>(getAcc().getType()).getElementType();
  std::optional<MmaKind> kind = findMmaKind(getLhsType(), getRhsType(), sum, getLhsUnsigned(), getRhsUnsigned());
  if (!kind) // mma_c1
    return emitOpError() << "has no instruction for " << getLhsType() << " times " << getRhsType()
                         << " with sums in " << sum;
  if ((getLhsUnsigned() && !isInteger(kind->lhs)) || (getRhsUnsigned() && !isInteger(kind->rhs))) // mma_c2
    return emitOpError() << "expects sign flags on integers only, found " << getLhsType() << " and " << getRhsType();
  return success();
}

LogicalResult BarrierOp::verify() {
  if (getId() > 15) // barrier_c1
    return emitOpError() << "expects a barrier id of 0 to 15, found " << getId();
  if (getThreads() == 0 || getThreads() > 1024 || getThreads() % 32 != 0) // barrier_c2
    return emitOpError() << "expects a multiple of 32 threads up to 1024, found " << getThreads();
  return success();
}
void BarrierOp::getEffects(Effects &effects) {
  for (SideEffects::Resource *resource : {static_cast<SideEffects::Resource *>(SharedMemoryResource::get()),
                                          static_cast<SideEffects::Resource *>(GlobalMemoryResource::get())}) {
    effects.emplace_back(MemoryEffects::Read::get(), resource);
    effects.emplace_back(MemoryEffects::Write::get(), resource);
  }
}

// A shuffle meets the other lanes, so it must neither be removed on some paths nor moved; a write says so.
void ShuffleOp::getEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Write::get(), ExecutionResource::get());
}
void AssumeOp::getEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Write::get(), ExecutionResource::get());
}

static void setRange(Value result, SetIntRangeFn set, uint64_t last) {
  set(result, ConstantIntRanges::fromUnsigned(APInt(32, 0), APInt(32, last)));
}
void LaneIdOp::inferResultRanges(ArrayRef<ConstantIntRanges>, SetIntRangeFn set) { setRange(getResult(), set, 31); }
void WarpIdOp::inferResultRanges(ArrayRef<ConstantIntRanges>, SetIntRangeFn set) { setRange(getResult(), set, 31); }
// A grid has at most 2^31 - 1 CTAs along x and 65535 along y and z (CUDA Programming Guide, compute capabilities).
void CtaIdOp::inferResultRanges(ArrayRef<ConstantIntRanges>, SetIntRangeFn set) {
  setRange(getResult(), set, getAxis() == Axis::x ? 0x7ffffffe : 65534);
}
void NumCtasOp::inferResultRanges(ArrayRef<ConstantIntRanges>, SetIntRangeFn set) {
  setRange(getResult(), set, getAxis() == Axis::x ? 0x7fffffff : 65535);
}
