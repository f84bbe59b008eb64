// SPDX-License-Identifier: Apache-2.0
// What each op asks of, and gives to, the layouts of its tiles.
#include "tilewright/Conversion/TileToTileGPU/LayoutPlan.h"
#include "tilewright/Dialect/Tile/IR/Tile.h"
#include "tilewright/Dialect/Tile/Transforms/DotChoice.h"
#include "tilewright/Layout/AxisFactors.h"
#include "tilewright/Layout/Blocks.h"
#include "tilewright/Layout/Conversion.h"
#include "tilewright/Layout/GlobalAccess.h"
#include "tilewright/Layout/MmaLayout.h"
#include "llvm/ADT/TypeSwitch.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tilewright;
using tile_gpu::LayoutAttr;

/// Bytes that one thread should move at once, where the addresses allow it. Source: PTX ISA, vector accesses.
static constexpr int64_t kAccessBytes = 16;

/// Most blocks that one is chosen from by a select for each: beyond, shared memory costs less.
static constexpr int64_t kMaxBlocksToChooseFrom = 8;

LayoutAttr tilewright::coalescedLayout(RankedTensorType type, const AccessShape &access, unsigned numWarps) {
  unsigned rank = type.getRank();
  std::vector<unsigned> order{access.contiguousDim};
  for (unsigned dim = rank; dim-- > 0;)
    if (dim != access.contiguousDim)
      order.push_back(dim);
  std::vector<int64_t> perThread(rank, 1);
  perThread[access.contiguousDim] = std::max<int64_t>(access.vectorElements, 1);
  return LayoutAttr::get(type.getContext(),
                         layout::makeBlocked(type.getShape().vec(), perThread, order, numWarps));
}

LayoutAttr tilewright::defaultLayout(RankedTensorType type, unsigned numWarps) {
  AccessShape access{static_cast<unsigned>(type.getRank() - 1), 1};
  // As wide as a register pair, but never so wide that warps run dry.
  int64_t bytes = std::max<int64_t>(tile_gpu::getElementBytes(type.getElementType()), 1);
  int64_t most = std::max<int64_t>(type.getNumElements() / (32 * numWarps), 1);
  while (access.vectorElements * 2 * bytes <= kAccessBytes && access.vectorElements * 2 <= most &&
         type.getShape().back() % (access.vectorElements * 2) == 0)
    access.vectorElements *= 2;
  return coalescedLayout(type, access, numWarps);
}

bool tilewright::hasReplicas(LayoutAttr attr) {
  layout::DistributedLayout layout = attr.toLayout();
  uint32_t allWarps = layout.numWarps() >= 32 ? ~0u : (1u << layout.numWarps()) - 1;
  return layout.ownerLanes() != ~0u || (layout.ownerWarps() & allWarps) != allWarps;
}

LayoutAttr tilewright::dropDim(LayoutAttr layout, unsigned dim) {
  return LayoutAttr::get(layout.getContext(), layout.toLayout().dropDim(dim));
}
LayoutAttr tilewright::permuteLayout(LayoutAttr layout, ArrayRef<int64_t> order) {
  std::vector<unsigned> dims(order.begin(), order.end());
  return LayoutAttr::get(layout.getContext(), layout.toLayout().permute(dims));
}
LayoutAttr tilewright::reshapeLayout(LayoutAttr layout, ArrayRef<int64_t> shape) {
  if (layout.getShape() == shape)
    return layout;
  std::optional<layout::DistributedLayout> result = layout.toLayout().reshape(shape.vec());
  return result ? LayoutAttr::get(layout.getContext(), *result) : LayoutAttr();
}
LayoutAttr tilewright::restrictLayout(LayoutAttr layout, ArrayRef<int64_t> shape) {
  std::optional<layout::DistributedLayout> result = layout.toLayout().restrictTo(shape.vec());
  return result ? LayoutAttr::get(layout.getContext(), *result) : LayoutAttr();
}

LayoutAttr tilewright::keepDim(LayoutAttr layout, unsigned dim) {
  layout::DistributedLayout result = layout.toLayout();
  for (unsigned other = result.rank(); other-- > 0;)
    if (other != dim)
      result = result.dropDim(other);
  return LayoutAttr::get(layout.getContext(), result);
}
LayoutAttr tilewright::blockLayout(LayoutAttr layout, ArrayRef<int64_t> shape) {
  std::optional<layout::DistributedLayout> result = layout::blockOf(layout.toLayout(), shape.vec());
  return result ? LayoutAttr::get(layout.getContext(), *result) : LayoutAttr();
}
LayoutAttr tilewright::stackLayout(LayoutAttr layout, unsigned dim, int64_t count) {
  std::optional<layout::DistributedLayout> result = layout::stackBlocks(layout.toLayout(), dim, count);
  return result ? LayoutAttr::get(layout.getContext(), *result) : LayoutAttr();
}
LayoutAttr tilewright::scannableLayout(LayoutAttr layout, unsigned dim, std::string *error) {
  layout::DistributedLayout from = layout.toLayout();
  std::optional<layout::DistributedLayout> result =
      layout::tryMakeScannable(from.shape(), dim, from.numWarps(), error);
  return result ? LayoutAttr::get(layout.getContext(), *result) : LayoutAttr();
}

bool tilewright::hasConstantIndices(ValueRange indices) {
  return llvm::all_of(indices, [](Value index) { return matchPattern(index, m_Constant()); });
}

bool tilewright::staysInRegisters(ValueRange indices, LayoutAttr layout, ArrayRef<int64_t> shape) {
  if (!blockLayout(layout, shape))
    return false;
  int64_t count = ShapedType::getNumElements(layout.getShape()) / ShapedType::getNumElements(shape);
  return hasConstantIndices(indices) || count <= kMaxBlocksToChooseFrom;
}

/// Estimates err: a conversion in front of a store has to save so many times its own cost.
static constexpr double kSureGain = 1.25;

/// Whether storing from `layout` as it stands costs about as little as converting to the `coalesced` layout first.
static bool storesWell(LayoutAttr layout, LayoutAttr coalesced, RankedTensorType type, const AccessShape &access) {
  unsigned bytes = std::max<int64_t>(tile_gpu::getElementBytes(type.getElementType()), 1);
  layout::DistributedLayout from = layout.toLayout(), to = coalesced.toLayout();
  auto cyclesOf = [&](const layout::DistributedLayout &stored) {
    return layout::globalAccessCost(stored, access.contiguousDim, access.vectorElements, bytes, /*ownersOnly=*/true)
        .storeCycles();
  };
  // Element by element, addresses count more than lines: a thread needs fewest where it stores to few rows, and lanes
  // side by side fill a sector between them.
  auto isAlong = [&](const layout::Coord &basis) { return basis[access.contiguousDim] != 0; };
  if (access.vectorElements == 1 && llvm::any_of(from.laneBases(), isAlong))
    return true;
  double saved = cyclesOf(from) - cyclesOf(to);
  if (saved <= 0)
    return true;
  std::optional<layout::ConversionPlan> conversion = layout::tryPlanConversion(from, to, bytes);
  return !conversion || saved <= kSureGain * conversion->cost;
}

LayoutAttr tilewright::accumulatorLayout(tile::DotOp dot, unsigned numWarps, bool rowsInWarps) {
  std::vector<int64_t> shape = tileType(dot.getAcc()).getShape().vec();
  std::optional<layout::DistributedLayout> sums =
      recordedFamily(dot) == MmaFamily::MmaSync ? layout::tryMakeMmaAccumulator(shape, numWarps, rowsInWarps)
                                                : layout::tryMakeFmaAccumulator(shape, numWarps);
  return sums ? LayoutAttr::get(dot.getContext(), *sums) : LayoutAttr();
}

/// The layout of operand `index` of a product on `mma.sync` whose sum has the layout `sums`.
static LayoutAttr operandLayout(tile::DotOp dot, unsigned index, LayoutAttr sums) {
  RankedTensorType type = tileType(dot->getOperand(index));
  std::optional<layout::DistributedLayout> operand =
      layout::tryMakeMmaOperand(sums.toLayout(), index, tileType(dot.getLhs()).getShape().back(),
                                tile_gpu::getElementBytes(type.getElementType()));
  return operand ? LayoutAttr::get(dot.getContext(), *operand) : LayoutAttr();
}

LayoutAttr tilewright::wantedOperandLayout(Operation *op, unsigned index, LayoutAttr result, const LayoutPlan &plan,
                                           const AccessShapes &access, unsigned numWarps) {
  Value operand = op->getOperand(index);
  RankedTensorType type = tileType(operand);
  auto has = [&](Value value) { return plan.layoutOf.lookup(value); };
  auto memory = [&](Value stored) -> LayoutAttr {
    AccessShape shape = access.lookup(op);
    LayoutAttr own = has(stored), coalesced = coalescedLayout(tileType(stored), shape, numWarps);
    return own && storesWell(own, coalesced, tileType(stored), shape) ? own : coalesced;
  };
  auto ownOrDefault = [&] {
    LayoutAttr own = has(operand);
    return own ? own : defaultLayout(type, numWarps);
  };
  return llvm::TypeSwitch<Operation *, LayoutAttr>(op)
      .Case<tile::StoreOp>([&](auto store) { return memory(store.getValue()); })
      .Case<tile::LoadPtrOp>([&](auto) { return result; })
      .Case<tile::StorePtrOp>([&](auto store) { return memory(store.getValue()); })
      .Case<tile::ReduceOp>([&](tile::ReduceOp reduce) -> LayoutAttr {
        // All sources share one layout: the first that has one decides.
        for (Value source : reduce.getSources())
          if (LayoutAttr own = has(source))
            return own;
        return defaultLayout(type, numWarps);
      })
      .Case<tile::DotOp>([&](auto dot) -> LayoutAttr {
        if (operand == dot.getAcc() && index == 2)
          return result;
        if (result && recordedFamily(dot) == MmaFamily::MmaSync)
          return operandLayout(dot, index, result);
        LayoutAttr own = has(operand);
        return own ? own : defaultLayout(type, numWarps); // It goes to shared memory from wherever it is.
      })
      .Case<tile::PermuteOp>([&](tile::PermuteOp permute) -> LayoutAttr {
        if (!result)
          return {};
        SmallVector<int64_t> inverse(type.getRank());
        for (auto [to, from] : llvm::enumerate(permute.getOrder()))
          inverse[from] = to;
        return permuteLayout(result, inverse);
      })
      .Case<tile::ReshapeOp>([&](auto) -> LayoutAttr {
        LayoutAttr free = result ? reshapeLayout(result, type.getShape()) : LayoutAttr();
        LayoutAttr own = plan.isFlexible(operand) ? LayoutAttr() : has(operand);
        if (free && (!own || free == own))
          return free;
        return own ? own : defaultLayout(type, numWarps);
      })
      .Case<tile::BroadcastOp>([&](auto) { return result ? restrictLayout(result, type.getShape()) : LayoutAttr(); })
      .Case<tile::ToScalarOp>([&](auto) { return ownOrDefault(); })
      .Case<tile::ConcatOp>([&](tile::ConcatOp concat) -> LayoutAttr {
        LayoutAttr block = result ? blockLayout(result, type.getShape()) : LayoutAttr();
        return block ? block : ownOrDefault();
      })
      .Case<tile::ExtractOp>([&](auto) { return ownOrDefault(); })
      .Case<tile::InsertOp>([&](tile::InsertOp insert) -> LayoutAttr {
        if (index != 0)
          return result;
        bool stays = result && staysInRegisters(insert.getIndices(), result, type.getShape());
        return stays ? blockLayout(result, type.getShape()) : ownOrDefault();
      })
      .Case<tile::GatherOp>([&](tile::GatherOp gather) {
        return result ? keepDim(result, gather.indexedDim()) : LayoutAttr();
      })
      .Case<tile::ScatterOp>([&](tile::ScatterOp scatter) {
        LayoutAttr stored = memory(scatter.getValue());
        return index == 0 ? stored : keepDim(stored, scatter.indexedDim());
      })
      .Case<tile::ReduceIntoOp>([&](auto) {
        // Element by element from wherever it is; neighbouring lanes on neighbouring addresses where it is nowhere yet.
        LayoutAttr own = has(operand);
        return own ? own : coalescedLayout(type, AccessShape{static_cast<unsigned>(type.getRank() - 1), 1}, numWarps);
      })
      .Case<scf::YieldOp, scf::ConditionOp>([&](auto) { return LayoutAttr(); })
      .Default([&](Operation *) { return result; });
}
