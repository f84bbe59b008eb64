// SPDX-License-Identifier: Apache-2.0
#include "tilewright/Dialect/Tile/Transforms/GridOrder.h"
#include "GridRewrite.h"
#include "tilewright/Analysis/Alignment.h"
#include "tilewright/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilewright;

int64_t tilewright::gridGroupBytes(int64_t group, int64_t rowBytes, int64_t columnBytes, int64_t concurrent) {
  int64_t rows = std::min(group, concurrent);
  return rows * rowBytes + llvm::divideCeil(concurrent, rows) * columnBytes;
}

int64_t tilewright::chooseGridGroup(int64_t rowBytes, int64_t columnBytes, int64_t concurrent) {
  int64_t best = 1;
  for (int64_t group = 2; group <= concurrent; group *= 2)
    if (gridGroupBytes(group, rowBytes, columnBytes, concurrent) <
        gridGroupBytes(best, rowBytes, columnBytes, concurrent))
      best = group;
  return best;
}

/// Adds what decides the value of `value`: of a loop's variable and results only what goes into that one.
static void addSources(Value value, llvm::SetVector<Value> &into) {
  auto add = [&](Value source) { into.insert(source); };
  auto addAll = [&](Operation *op) {
    into.insert(op->operand_begin(), op->operand_end());
    for (Region &region : op->getRegions())
      for (Block &block : region)
        if (!block.empty())
          into.insert(block.back().operand_begin(), block.back().operand_end());
  };
  Operation *op = value.getDefiningOp();
  auto argument = dyn_cast<BlockArgument>(value);
  if (argument)
    op = argument.getOwner()->getParentOp();
  if (isa<func::FuncOp>(op))
    return;
  auto loop = dyn_cast<scf::ForOp>(op);
  if (!loop) {
    addAll(op);
    return;
  }
  if (argument && argument == loop.getInductionVar()) {
    add(loop.getLowerBound());
    add(loop.getStep());
    return;
  }
  unsigned number = argument ? argument.getArgNumber() - 1 : cast<OpResult>(value).getResultNumber();
  add(loop.getInitArgs()[number]);
  add(loop.getYieldedValues()[number]);
}

/// The axes of the grid on which any of `values` depends, as bits.
static unsigned findAxes(ValueRange values) {
  llvm::SetVector<Value> seen(values.begin(), values.end());
  unsigned axes = 0;
  for (size_t i = 0; i < seen.size(); ++i) { // Grows while it is walked.
    if (auto id = seen[i].getDefiningOp<tile::ProgramIdOp>())
      axes |= 1u << static_cast<unsigned>(id.getAxis());
    else
      addSources(seen[i], seen);
  }
  return axes;
}

namespace {
/// A load of a tile from global memory.
struct Read {
  unsigned axes;
  int64_t bytes;
  unsigned depth;
};
} // namespace

static SmallVector<Read> findReads(func::FuncOp kernel) {
  SmallVector<Read> reads;
  unsigned deepest = 0;
  kernel.walk([&](Operation *op) {
    if (!isa<tile::LoadOp, tile::GatherOp, tile::LoadPtrOp>(op))
      return;
    auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
    if (!type)
      return;
    unsigned depth = 0;
    for (Operation *parent = op->getParentOp(); parent != kernel; parent = parent->getParentOp())
      depth += isa<LoopLikeOpInterface>(parent);
    deepest = std::max(deepest, depth);
    int64_t bytes = std::max<int64_t>(elementBytes(type.getElementType()), 1) * type.getNumElements();
    reads.push_back({findAxes(op->getOperands()), bytes, depth});
  });
  // What is read once counts for nothing beside what is read in the innermost loop.
  llvm::erase_if(reads, [&](const Read &read) { return read.depth < deepest; });
  return reads;
}

GridOrder tilewright::planGridOrder(func::FuncOp kernel, func::FuncOp grid, int64_t concurrent, int64_t pinned) {
  GridOrder order;
  unsigned rank = grid.getNumResults();
  if (rank < 2) {
    order.reason = "the grid has one axis";
    return order;
  }
  if (Operation *query = findDeviceQuery(grid)) {
    order.reason = llvm::formatv("the kernel cannot evaluate its grid, which has a {0}", query->getName()).str();
    return order;
  }
  order.reason = findObstacleInBody(kernel);
  if (!order.reason.empty())
    return order;
  SmallVector<Read> reads = findReads(kernel);
  auto sum = [&](unsigned with, unsigned without) {
    int64_t bytes = 0;
    for (const Read &read : reads)
      if ((read.axes >> with & 1) && !(read.axes >> without & 1))
        bytes += read.bytes;
    return bytes;
  };
  for (unsigned row = 0; row < rank && order.rowBytes == 0; ++row)
    for (unsigned column = row + 1; column < rank; ++column) {
      int64_t rowBytes = sum(row, column), columnBytes = sum(column, row);
      if (rowBytes == 0 || columnBytes == 0)
        continue;
      order.rowAxis = row;
      order.columnAxis = column;
      order.rowBytes = rowBytes;
      order.columnBytes = columnBytes;
      break;
    }
  if (order.rowBytes == 0) {
    order.reason =
        llvm::formatv("no two axes of the grid share operands: of {0} loads that count, none depends on one axis "
                      "of a pair while another depends on the other",
                      reads.size())
            .str();
    return order;
  }
  if (rank == 3)
    order.batchAxis = 3 - order.rowAxis - order.columnAxis;
  if (pinned > 0) {
    order.group = pinned;
    return order;
  }
  if (std::optional<int64_t> programs = staticPrograms(grid); programs && *programs <= concurrent) {
    order.reason = llvm::formatv("all {0} programs run at once, on {1} places", *programs, concurrent).str();
    return order;
  }
  order.group = chooseGridGroup(order.rowBytes, order.columnBytes, concurrent);
  return order;
}
