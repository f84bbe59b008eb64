// SPDX-License-Identifier: Apache-2.0
#include "tilewright/Dialect/Tile/Transforms/GridOrder.h"
#include "GridRewrite.h"
#include "tilewright/Analysis/Alignment.h"
#include "tilewright/Dialect/Tile/IR/Tile.h"
#include "tilewright/Support/Counted.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
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
  Operation *op;
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
    reads.push_back({op, findAxes(op->getOperands()), bytes, depth});
  });
  // What is read once counts for nothing beside what is read in the innermost loop.
  llvm::erase_if(reads, [&](const Read &read) { return read.depth < deepest; });
  return reads;
}

/// The dividend and the divisor of a remainder in the form `a - a / b * b`; nothing for any other op.
static SmallVector<Value, 2> matchSpelledRemainder(Operation *op) {
  auto difference = dyn_cast<arith::SubIOp>(op);
  auto product = difference ? difference.getRhs().getDefiningOp<arith::MulIOp>() : nullptr;
  if (!product)
    return {};
  for (unsigned i : {0u, 1u}) {
    Operation *quotient = product->getOperand(i).getDefiningOp();
    if (isa_and_present<arith::DivSIOp, arith::DivUIOp, arith::FloorDivSIOp>(quotient) &&
        quotient->getOperands() == ValueRange{difference.getLhs(), product->getOperand(1 - i)})
      return {quotient->getOperand(0), quotient->getOperand(1)};
  }
  return {};
}

/// The quotients and remainders of program ids, or of numbers that come from them, on which any of `values` depends.
static llvm::SetVector<Operation *> findPartsOfIds(ValueRange values) {
  llvm::SetVector<Value> seen(values.begin(), values.end());
  llvm::SetVector<Operation *> parts;
  for (size_t i = 0; i < seen.size(); ++i) { // Grows while it is walked.
    Operation *op = seen[i].getDefiningOp();
    SmallVector<Value, 2> spelled = op ? matchSpelledRemainder(op) : SmallVector<Value, 2>();
    bool isPart = isa_and_present<arith::DivSIOp, arith::DivUIOp, arith::FloorDivSIOp, arith::RemSIOp, arith::RemUIOp,
                                  arith::ShRSIOp, arith::ShRUIOp>(op);
    // Of tiles they wrap positions, within what the program has.
    if ((isPart || !spelled.empty()) && seen[i].getType().isIntOrIndex() && findAxes(op->getOperands()) != 0)
      parts.insert(op);
    if (spelled.empty())
      addSources(seen[i], seen);
    else
      seen.insert(spelled.begin(), spelled.end()); // A remainder does not depend on the quotient.
  }
  return parts;
}

/// Why a grid of one axis stays as it is: often the kernel has rows and columns of its own, which two loads show that
/// depend on different parts of the program's number.
static std::string explainOneAxis(ArrayRef<Read> reads) {
  SmallVector<llvm::SetVector<Operation *>> parts;
  for (const Read &read : reads)
    parts.push_back(findPartsOfIds(read.op->getOperands()));
  auto findOwn = [](const llvm::SetVector<Operation *> &of, const llvm::SetVector<Operation *> &other) {
    auto own = llvm::find_if(of, [&](Operation *part) { return !other.contains(part); });
    return own == of.end() ? nullptr : *own;
  };
  for (size_t i = 0; i < parts.size(); ++i)
    for (size_t j = 0; j < i; ++j) {
      Operation *first = findOwn(parts[j], parts[i]), *second = findOwn(parts[i], parts[j]);
      if (first && second)
        return llvm::formatv("rows and columns come from one axis already, by {0} and {1}", first->getName(),
                             second->getName())
            .str();
    }
  return "the grid has one axis";
}

GridOrder tilewright::planGridOrder(func::FuncOp kernel, func::FuncOp grid, int64_t concurrent, int64_t pinned) {
  GridOrder order;
  unsigned rank = grid.getNumResults();
  if (rank < 2) {
    order.reason = explainOneAxis(findReads(kernel));
    order.hasNoRows = true;
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
    order.hasNoRows = true;
    order.reason = llvm::formatv("no two axes of the grid share operands: of {0}, none depends on one axis "
                                 "of a pair while another depends on the other",
                                 counted(reads.size(), "load that counts", "loads that count"))
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
    order.reason = llvm::formatv("{0} at once, on {1}", counted(*programs, "program runs", "programs all run"),
                                 counted(concurrent, "place"))
                       .str();
    return order;
  }
  order.group = chooseGridGroup(order.rowBytes, order.columnBytes, concurrent);
  return order;
}
