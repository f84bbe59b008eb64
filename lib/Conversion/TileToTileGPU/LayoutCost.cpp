// SPDX-License-Identifier: Apache-2.0
#include "LayoutCost.h"
#include "LayoutFlow.h"
#include "LowerToBuffers.h"
#include "tilewright/Layout/Conversion.h"
#include "tilewright/Layout/GlobalAccess.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilewright;
using tile_gpu::LayoutAttr;

// Rough cycles of one SM (four schedulers), in the unit of lib/Layout/Conversion.cpp; they only have to rank plans.
static constexpr double kIssue = 0.25;      ///< an instruction of one warp
static constexpr double kFunctionSteps = 8; ///< instructions of exp, log, a division and the like
static constexpr double kShuffle = 1;       ///< a shuffle of one warp
/// A trip through shared memory by blocks: what the algebra counts for its latency, and each byte written and read once.
static constexpr double kTripLatency = layout::kSharedTripLatency, kTripBytesPerCycle = 64;
/// Trips of a loop whose number is not known.
static constexpr double kAssumedTrips = 16;

/// More than any program takes, and finite, so that differences of sums stay numbers.
static constexpr double kImpossible = 1e9;

static int64_t registersOf(LayoutAttr layout) { return layout.toLayout().registersPerThread(); }

double LayoutCost::timesRun(Block *block) {
  double times = 1;
  for (Operation *parent = block->getParentOp(); parent && !isa<func::FuncOp>(parent); parent = parent->getParentOp())
    if (auto loop = dyn_cast<LoopLikeOpInterface>(parent)) {
      std::optional<APInt> trips = loop.getStaticTripCount();
      times *= trips && trips->getActiveBits() < 32 ? std::max<double>(double(trips->getZExtValue()), 1) : kAssumedTrips;
    }
  return times;
}

/// The layouts that `wantedOperandLayout` may look at besides that of the result: the operand's own, and that of the first
/// operand, which leads where several have to agree.
LayoutAttr LayoutCost::wish(OpOperand &use) {
  if (Flow flow = flowOf(use); flow.target)
    if (LayoutAttr target = layoutOf(flow.target))
      return target;
  Operation *op = use.getOwner();
  LayoutAttr result, lead;
  for (Value value : op->getResults())
    if (isTile(value) && !result)
      result = layoutOf(value);
  for (Value value : op->getOperands())
    if (isTile(value) && !lead)
      lead = layoutOf(value);
  auto [known, isNew] = wishes.insert({{&use, result.getAsOpaquePointer(), layoutOf(use.get()).getAsOpaquePointer(),
                                        lead.getAsOpaquePointer()},
                                       LayoutAttr()});
  if (isNew) {
    LayoutAttr wish = wantedOperandLayout(op, use.getOperandNumber(), result, plan, access, numWarps);
    known->second = wish ? wish : defaultLayout(tileType(use.get()), numWarps);
  }
  return known->second;
}

double LayoutCost::conversion(LayoutAttr from, LayoutAttr to, Type element) {
  if (from == to)
    return 0;
  if (!fitsBuffer(element))
    return kImpossible;
  unsigned bytes = std::max<int64_t>(tile_gpu::getElementBytes(element), 1);
  auto [known, isNew] = conversions.insert({{from.getAsOpaquePointer(), to.getAsOpaquePointer(), bytes}, kImpossible});
  if (isNew)
    if (auto way = layout::tryPlanConversion(from.toLayout(), to.toLayout(), bytes))
      known->second = way->cost;
  return known->second;
}

double LayoutCost::ofUse(OpOperand &use) {
  LayoutAttr own = plan.isFlexible(use.get()) ? LayoutAttr() : layoutOf(use.get());
  return own ? conversion(own, wish(use), getElementTypeOrSelf(use.get().getType())) : 0;
}

double LayoutCost::ofAccess(Operation *op, LayoutAttr layout) {
  auto [known, isNew] = accesses.insert({{op, layout.getAsOpaquePointer()}, 0});
  if (isNew) {
    bool isStore = isa<tile::StoreOp, tile::StorePtrOp, tile::ScatterOp>(op);
    Type element = getElementTypeOrSelf((isStore ? op->getOperand(0) : op->getResult(0)).getType());
    AccessShape shape = access.lookup(op);
    unsigned bytes = std::max<int64_t>(tile_gpu::getElementBytes(element), 1);
    layout::GlobalAccessCost cost =
        layout::globalAccessCost(layout.toLayout(), shape.contiguousDim, shape.vectorElements, bytes, isStore);
    known->second = isStore ? cost.storeCycles() : cost.loadCycles();
  }
  return known->second;
}

/// A reduction or scan along `dim` as `tile-lower-to-buffers` does it: registers, then lanes, then warps by way of all
/// registers of all warps.
double LayoutCost::ofFolding(LayoutAttr source, unsigned dim, Type element) {
  unsigned bytes = std::max<int64_t>(tile_gpu::getElementBytes(element), 1);
  auto [known, isNew] = reductions.insert({{source.getAsOpaquePointer(), dim, bytes}, kImpossible});
  LayoutAttr partial = isNew ? partialLayout(source, dim) : LayoutAttr();
  if (!partial)
    return known->second;
  unsigned lanes =
      llvm::count_if(source.toLayout().laneBases(), [&](const layout::Coord &basis) { return basis[dim] != 0; });
  double warps = source.toLayout().numWarps();
  double cost = warps * (kIssue * registersOf(source) + (kShuffle + kIssue) * lanes * registersOf(partial));
  if (partial.getShape()[dim] > 1) {
    LayoutAttr gathered = gatheredLayout(partial, dim);
    cost += conversion(partial, gathered, element) + warps * kIssue * registersOf(gathered);
  }
  return known->second = cost;
}

double LayoutCost::ofReduce(tile::ReduceOp op) {
  LayoutAttr source = wish(op->getOpOperand(0));
  unsigned dim = op.getDim();
  double cost = 0;
  for (Value value : op.getSources())
    cost += ofFolding(source, dim, getElementTypeOrSelf(value.getType()));
  for (Value result : op.getResults())
    if (LayoutAttr own = layoutOf(result))
      cost += conversion(dropDim(source, dim), own, getElementTypeOrSelf(result.getType()));
  return cost;
}

/// Reshapes and blocks: nothing where they stay in registers.
double LayoutCost::ofBlocks(Operation *op) {
  auto trip = [&](Value moved) {
    RankedTensorType type = tileType(moved);
    double bytes = double(type.getNumElements()) * std::max<int64_t>(tile_gpu::getElementBytes(type.getElementType()), 1);
    return kTripLatency + bytes / kTripBytesPerCycle;
  };
  auto same = [&](Value moved, LayoutAttr free, LayoutAttr has) { return free && free == has ? 0 : trip(moved); };
  return llvm::TypeSwitch<Operation *, double>(op)
      .Case([&](tile::ReshapeOp reshape) {
        LayoutAttr from = wish(op->getOpOperand(0));
        return same(reshape.getResult(), reshapeLayout(from, tileType(reshape.getResult()).getShape()),
                    layoutOf(reshape.getResult()));
      })
      .Case([&](tile::ExtractOp extract) {
        LayoutAttr from = wish(op->getOpOperand(0));
        ArrayRef<int64_t> shape = tileType(extract.getResult()).getShape();
        bool stays = staysInRegisters(extract.getIndices(), from, shape);
        return same(extract.getResult(), stays ? blockLayout(from, shape) : LayoutAttr(), layoutOf(extract.getResult()));
      })
      .Case([&](tile::InsertOp insert) {
        LayoutAttr whole = layoutOf(insert.getResult()), block = wish(insert.getSourceMutable());
        ArrayRef<int64_t> shape = tileType(insert.getSource()).getShape();
        bool stays = whole && staysInRegisters(insert.getIndices(), whole, shape);
        return same(insert.getSource(), stays ? blockLayout(whole, shape) : LayoutAttr(), block);
      })
      .Case([&](tile::ConcatOp concat) {
        LayoutAttr whole = layoutOf(concat.getResult());
        bool stays = whole && llvm::all_of(op->getOpOperands(), [&](OpOperand &use) {
                       ArrayRef<int64_t> shape = tileType(use.get()).getShape();
                       return shape == tileType(concat.getSources()[0]).getShape() &&
                              wish(use) == blockLayout(whole, shape);
                     });
        return stays ? 0 : trip(concat.getResult());
      })
      .Default(0.0);
}

double LayoutCost::ofOp(Operation *op) {
  if (auto reduce = dyn_cast<tile::ReduceOp>(op))
    return ofReduce(reduce);
  if (isa<tile::StoreOp, tile::StorePtrOp, tile::ScatterOp>(op)) {
    OpOperand &stored = op->getOpOperand(0);
    return isTile(stored.get()) ? ofAccess(op, wish(stored)) : 0;
  }
  if (auto scan = dyn_cast<tile::ScanOp>(op)) {
    double cost = 0;
    for (Value value : op->getResults())
      cost += ofFolding(layoutOf(value), scan.getDim(), getElementTypeOrSelf(value.getType()));
    return cost;
  }
  LayoutAttr result = op->getNumResults() == 1 ? layoutOf(op->getResult(0)) : LayoutAttr();
  if (!result || plan.isFlexible(op->getResult(0)))
    return 0; // Nothing, or made in each layout that is wanted.
  return isa<tile::ReshapeOp>(op) ? ofBlocks(op) : ofMaking(op, result) + ofBlocks(op);
}

double LayoutCost::ofMaking(Operation *op, LayoutAttr layout) {
  if (isa<tile::LoadOp, tile::LoadPtrOp, tile::GatherOp>(op))
    return ofAccess(op, layout);
  if (auto reshape = dyn_cast<tile::ReshapeOp>(op))
    return reshapeLayout(layout, tileType(reshape.getSource()).getShape()) ? 0 : kImpossible;
  if (!op->hasTrait<OpTrait::Elementwise>())
    return 0;
  bool isFunction = isa<arith::DivFOp, arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp>(op) ||
                    isa_and_present<math::MathDialect>(op->getDialect());
  return kIssue * (isFunction ? kFunctionSteps : 1) * double(registersOf(layout)) * double(numWarps);
}
