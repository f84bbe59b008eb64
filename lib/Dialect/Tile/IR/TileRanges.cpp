// SPDX-License-Identifier: Apache-2.0
// What is known about integer results without looking at their operands' definitions; range analysis asks.
#include "tilewright/Dialect/Tile/IR/Tile.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace tilewright::tile;

/// Most programs along an axis. Source: CUDA Programming Guide, compute capabilities. y and z have at most 65535 there,
/// but a launcher may flatten the grid, so no more than this is promised.
static constexpr int64_t kMaxPrograms = 0x7fffffff;

/// Most programs that an SM holds. Source: LaunchPlan.h, PlanLimits, which a launch checks.
static constexpr int64_t kMaxCtasPerSm = 64;

static ConstantIntRanges signedRange(unsigned width, int64_t first, int64_t last) {
  return ConstantIntRanges::fromSigned(APInt(width, first, /*isSigned=*/true), APInt(width, last, /*isSigned=*/true));
}
static ConstantIntRanges indexRange(int64_t first, int64_t last = std::numeric_limits<int64_t>::max()) {
  return signedRange(IndexType::kInternalStorageBitWidth, first, last);
}

void ProgramIdOp::inferResultRanges(ArrayRef<ConstantIntRanges>, SetIntRangeFn set) {
  set(getResult(), indexRange(0, kMaxPrograms - 1));
}
void NumProgramsOp::inferResultRanges(ArrayRef<ConstantIntRanges>, SetIntRangeFn set) {
  set(getResult(), indexRange(1, kMaxPrograms));
}
void DeviceInfoOp::inferResultRanges(ArrayRef<ConstantIntRanges>, SetIntRangeFn set) {
  // A program fits an SM, or there is no launch; a warp is the least that one takes.
  set(getResult(), getFact() == DeviceFact::max_ctas_per_sm ? indexRange(1, kMaxCtasPerSm) : indexRange(0));
}

void AssumeOp::inferResultRanges(ArrayRef<ConstantIntRanges> ranges, SetIntRangeFn set) {
  unsigned width = ConstantIntRanges::getStorageBitwidth(getResult().getType());
  if (width == 0)
    return; // a pointer
  ConstantIntRanges known = ranges.front();
  APInt min = getMin() ? APInt(width, *getMin(), /*isSigned=*/true) : APInt::getSignedMinValue(width);
  APInt max = getMax() ? APInt(width, *getMax(), /*isSigned=*/true) : APInt::getSignedMaxValue(width);
  ConstantIntRanges facts = ConstantIntRanges::fromSigned(min, max);
  // Facts that contradict each other make the code unreachable, not the range empty.
  bool meet = !known.smin().sgt(facts.smax()) && !facts.smin().sgt(known.smax()) && !known.umin().ugt(facts.umax()) &&
              !facts.umin().ugt(known.umax());
  set(getResult(), meet ? known.intersection(facts) : known);
}

void ViewSizeOp::inferResultRanges(ArrayRef<ConstantIntRanges>, SetIntRangeFn set) {
  int64_t size = getView().getType().getShape()[getDim()];
  set(getResult(), ShapedType::isDynamic(size) ? indexRange(0) : indexRange(size, size));
}
void ViewStrideOp::inferResultRanges(ArrayRef<ConstantIntRanges>, SetIntRangeFn set) {
  int64_t stride = getView().getType().getStrides()[getDim()];
  set(getResult(),
      ShapedType::isDynamic(stride) ? indexRange(std::numeric_limits<int64_t>::min()) : indexRange(stride, stride));
}

void IotaOp::inferResultRanges(ArrayRef<ConstantIntRanges>, SetIntRangeFn set) {
  auto type = cast<RankedTensorType>(getResult().getType());
  unsigned width = type.getElementType().getIntOrFloatBitWidth();
  APInt first(width, getStart().value_or(0));
  set(getResult(), ConstantIntRanges::fromUnsigned(first, first + APInt(width, type.getDimSize(0) - 1)));
}

/// Ops that move elements keep their range.
template <typename OpTy> static void keepRange(OpTy op, ArrayRef<ConstantIntRanges> ranges, SetIntRangeFn set) {
  if (getElementTypeOrSelf(op.getResult().getType()).isSignlessInteger())
    set(op.getResult(), ranges.front());
}
void SplatOp::inferResultRanges(ArrayRef<ConstantIntRanges> ranges, SetIntRangeFn set) {
  keepRange(*this, ranges, set);
}
void ToScalarOp::inferResultRanges(ArrayRef<ConstantIntRanges> ranges, SetIntRangeFn set) {
  keepRange(*this, ranges, set);
}
void BroadcastOp::inferResultRanges(ArrayRef<ConstantIntRanges> ranges, SetIntRangeFn set) {
  keepRange(*this, ranges, set);
}
void ReshapeOp::inferResultRanges(ArrayRef<ConstantIntRanges> ranges, SetIntRangeFn set) {
  keepRange(*this, ranges, set);
}
void PermuteOp::inferResultRanges(ArrayRef<ConstantIntRanges> ranges, SetIntRangeFn set) {
  keepRange(*this, ranges, set);
}
void ExtractOp::inferResultRanges(ArrayRef<ConstantIntRanges> ranges, SetIntRangeFn set) {
  keepRange(*this, ranges, set);
}

/// What is put together from tiles is within the range of one of them.
static void joinRanges(Value result, ArrayRef<ConstantIntRanges> ranges, SetIntRangeFn set) {
  if (!getElementTypeOrSelf(result.getType()).isSignlessInteger())
    return;
  ConstantIntRanges all = ranges.front();
  for (const ConstantIntRanges &range : ranges.drop_front())
    all = all.rangeUnion(range);
  set(result, all);
}
void ConcatOp::inferResultRanges(ArrayRef<ConstantIntRanges> ranges, SetIntRangeFn set) {
  joinRanges(getResult(), ranges, set);
}
void InsertOp::inferResultRanges(ArrayRef<ConstantIntRanges> ranges, SetIntRangeFn set) {
  joinRanges(getResult(), ranges.take_front(2), set); // Not the indices.
}
