// SPDX-License-Identifier: Apache-2.0
#include "tilewright/Analysis/LiveTiles.h"
#include "tilewright/Analysis/Alignment.h"
#include "tilewright/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

/// Sums of a product that a thread gets; `chooseWarps` of the layouts has its source.
static constexpr int64_t kSumsPerThread = 128;

static RankedTensorType tileType(Value value) { return dyn_cast<RankedTensorType>(value.getType()); }

/// The tile whose registers hold `value`: itself, or what a relabelling shows. Null for scalars.
static Value holderOf(Value value) {
  if (!tileType(value))
    return {};
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<BroadcastOp, ReshapeOp, PermuteOp>(op))
      break;
    value = op->getOperand(0);
  }
  return value;
}

namespace {
/// Walks one loop.
class Measure {
public:
  explicit Measure(scf::ForOp loop) : loop(loop) { findFree(); }

  LiveTiles run() {
    llvm::SetVector<Value> throughout;
    auto add = [&](Value value) {
      if (Value holder = holderOf(value); holder && !isFree(holder))
        throughout.insert(holder);
    };
    for (Value argument : loop.getRegionIterArgs())
      add(argument);
    loop.walk([&](Operation *op) {
      for (Value operand : op->getOperands())
        if (!loop->isProperAncestor(operand.getParentRegion()->getParentOp()) &&
            operand.getParentRegion() != &loop.getRegion())
          if (op != loop) // First values are the carried ones by then.
            add(operand);
    });
    // What is made in front of the loop and used behind it.
    for (Operation *before = loop->getPrevNode(); before; before = before->getPrevNode())
      for (Value result : before->getResults())
        if (llvm::any_of(result.getUsers(), [&](Operation *user) {
              Operation *here = loop->getBlock()->findAncestorOpInBlock(*user);
              return here && loop->isBeforeInBlock(here);
            }))
          add(result);
    LiveTiles tiles;
    for (Value value : throughout)
      tiles.throughoutBytes += bytesOf(value);
    outside = std::move(throughout);
    int64_t peak = measureBlock(*loop.getBody(), {});
    tiles.tripBytes = peak;
    tiles.tripElements = elements;
    tiles.tripOps = ops;
    return tiles;
  }

private:
  scf::ForOp loop;
  llvm::DenseSet<Value> freeValues;
  llvm::SetVector<Value> outside;
  int64_t elements = 0, ops = 0;

  static int64_t bytesOf(Value value) {
    RankedTensorType type = tileType(value);
    return std::max<int64_t>(elementBytes(type.getElementType()), 1) * type.getNumElements();
  }

  /// What is made again rather than kept. In program order, operands before their users.
  void findFree() {
    func::FuncOp func = loop->getParentOfType<func::FuncOp>();
    Operation *top = func ? func.getOperation() : loop.getOperation();
    top->walk<WalkOrder::PreOrder>([&](Operation *op) {
      bool isKnown = isa<arith::ConstantOp, ub::PoisonOp, SplatOp, IotaOp, BroadcastOp, ReshapeOp, PermuteOp>(op) ||
                     (op->hasTrait<OpTrait::Elementwise>() && isMemoryEffectFree(op));
      bool isCheap = isKnown && op->getNumRegions() == 0 && llvm::all_of(op->getOperands(), [&](Value operand) {
                       return !tileType(operand) || freeValues.contains(operand);
                     });
      if (isCheap)
        freeValues.insert(op->result_begin(), op->result_end());
    });
  }
  bool isFree(Value value) const { return freeValues.contains(value); }

  /// The most bytes that are live at once in `block`, without what lives throughout, given what lives behind it.
  int64_t measureBlock(Block &block, llvm::SetVector<Value> live) {
    int64_t bytes = 0, peak = 0;
    for (Value value : live)
      bytes += bytesOf(value);
    for (Operation &op : llvm::reverse(block)) {
      for (Value result : op.getResults()) {
        if (live.remove(result))
          bytes -= bytesOf(result);
      }
      // Results exist beside what is live behind the op, operands beside what is live in front of it.
      int64_t results = 0, work = 0;
      for (Value result : op.getResults())
        if (tileType(result) && !isFree(result) && holderOf(result) == result) {
          results += bytesOf(result);
          if (op.getNumRegions() == 0)
            work += tileType(result).getNumElements();
        }
      for (Value operand : op.getOperands()) {
        Value holder = holderOf(operand);
        if (!holder || isFree(holder))
          continue;
        bool takesSources = isa<ReduceOp, ScanOp>(op) || op.getNumResults() == 0;
        if (takesSources && !op.hasTrait<OpTrait::IsTerminator>())
          work += tileType(holder).getNumElements();
        if (!outside.contains(holder) && live.insert(holder))
          bytes += bytesOf(holder);
      }
      if (auto dot = dyn_cast<DotOp>(op)) // Sixteen steps along K at once, at least.
        work *= std::max<int64_t>(tileType(dot.getLhs()).getShape().back() / 16, 1);
      elements += work;
      ops += work != 0;
      if (op.getNumRegions() == 0 || isa<ReduceOp, ScanOp>(op)) {
        // An element-wise result takes the place of an operand that dies, so the larger side counts.
        peak = std::max(peak, bytes);
        int64_t behind = results;
        for (Value value : live)
          if (!llvm::is_contained(llvm::map_range(op.getOperands(), holderOf), value))
            behind += bytesOf(value);
        peak = std::max(peak, behind);
        continue;
      }
      for (Region &region : op.getRegions())
        for (Block &inner : region)
          peak = std::max(peak, measureBlock(inner, live));
    }
    return peak;
  }
};
} // namespace

LiveTiles tilewright::measureLiveTiles(scf::ForOp loop) { return Measure(loop).run(); }

int64_t tilewright::expectedWarps(func::FuncOp kernel, unsigned numWarps) {
  if (auto pinned = kernel->getAttrOfType<IntegerAttr>("tile.num_warps"))
    return pinned.getInt();
  if (numWarps != 0)
    return numWarps;
  int64_t warps = 4;
  kernel.walk([&](DotOp dot) {
    while (warps < 16 && tileType(dot.getAcc()).getNumElements() > warps * 32 * kSumsPerThread)
      warps *= 2;
  });
  return warps;
}
