// SPDX-License-Identifier: Apache-2.0
#include "GridRewrite.h"
#include "tilewright/Dialect/Tile/Transforms/GridOrder.h"
#include "tilewright/Dialect/Tile/Transforms/Passes.h"
#include "tilewright/Support/Counted.h"
#include "tilewright/Target/Target.h"

#include "mlir/IR/Remarks.h"

namespace tilewright {
#define GEN_PASS_DEF_ORDERGRIDPASS
#include "tilewright/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilewright

using namespace mlir;
using namespace tilewright;

/// Most rows of a group, as of tile.grid_group; more do not fit the numbers in which tiles are counted.
static constexpr unsigned kMostRows = 1 << 16;

/// The value of a count attribute; 0 without it.
static int64_t countOf(func::FuncOp kernel, StringRef name) {
  auto attr = kernel->getAttrOfType<IntegerAttr>(name);
  return attr ? attr.getInt() : 0;
}

/// One axis for all: rows times columns, times the batch.
static void flattenGrid(func::FuncOp grid, const GridOrder &order) {
  Operation *end = grid.front().getTerminator();
  OpBuilder builder(end);
  Value product =
      arith::MulIOp::create(builder, end->getLoc(), end->getOperand(order.rowAxis), end->getOperand(order.columnAxis));
  if (order.batchAxis)
    product = arith::MulIOp::create(builder, end->getLoc(), product, end->getOperand(*order.batchAxis));
  end->setOperands(product);
  grid.setFunctionType(builder.getFunctionType(grid.getArgumentTypes(), builder.getIndexType()));
}

/// Computes the coordinates of a program from its number. A launch needs rows, columns and their product to be 1 to
/// 2^31 - 1.
static void orderPrograms(func::FuncOp kernel, func::FuncOp grid, const GridOrder &order) {
  OpBuilder builder = OpBuilder::atBlockBegin(&kernel.front());
  Location loc = kernel.getLoc();
  SmallVector<Value> extents = inlineHost(builder, grid, kernel.getArguments());
  auto number = tile::ProgramIdOp::create(builder, loc, tile::Axis::x);
  CountBuilder count(builder, loc);
  Value rows = count.narrow(extents[order.rowAxis]), columns = count.narrow(extents[order.columnAxis]);
  Value rest = count.narrow(number), batch;
  if (order.batchAxis) {
    Value perMatrix = count.mul(rows, columns);
    batch = count.div(rest, perMatrix);
    rest = count.rem(rest, perMatrix, batch);
  }
  // The last group has fewer rows where the group does not divide them; no group has more rows than there are, so that
  // a group's tiles can be counted too.
  Value height = count.min(count.constant(order.group), rows);
  Value perGroup = count.mul(height, columns);
  Value group = count.div(rest, perGroup);
  Value within = count.rem(rest, perGroup, group);
  Value first = count.mul(group, height);
  Value here = count.min(count.sub(rows, first), height);
  Value column = count.div(within, here);
  Value row = count.add(first, count.rem(within, here, column));

  SmallVector<Value> ids(extents.size());
  ids[order.rowAxis] = count.widen(row);
  ids[order.columnAxis] = count.widen(column);
  if (order.batchAxis)
    ids[*order.batchAxis] = count.widen(batch);
  replaceGridOps(kernel, ids, extents, number);
}

namespace {
struct OrderGrid : public tilewright::impl::OrderGridPassBase<OrderGrid> {
  using OrderGridPassBase::OrderGridPassBase;

  void runOnOperation() override {
    std::string error;
    const Target *chosen = findTarget(target, &error);
    if (chosen && group > kMostRows)
      error = "option 'group': expected 0 to " + std::to_string(kMostRows) + ", found " + std::to_string(group);
    if (!error.empty()) {
      emitError(getOperation().getLoc()) << error;
      return signalPassFailure();
    }
    SymbolTable symbols(getOperation());
    bool isRefused = refuseWithoutGrid(getOperation(), symbols, kWish);
    // The first kernel that the option is not about, and whether it is about another one.
    std::pair<func::FuncOp, std::string> without;
    bool isUsed = false;
    forEachKernelWithGrid(getOperation(), symbols, [&](func::FuncOp kernel, func::FuncOp grid) {
      GridOrder order = plan(kernel, grid, *chosen);
      bool isAsked = kernel->hasAttr(kWish), isLeftOut = !isAsked && order.hasNoRows;
      isUsed |= !isAsked && !isLeftOut;
      if (isLeftOut && !without.first)
        without = {kernel, order.reason};
      if (!order.reason.empty() && (isAsked || (group != 0 && !isLeftOut))) {
        emitError(kernel.getLoc()) << (isAsked ? kWish : "the option grid-group") << " asks for groups of "
                                   << counted(isAsked ? countOf(kernel, kWish) : int64_t(group), "row")
                                   << " of tiles, which is impossible: " << order.reason;
        isRefused = true;
      } else {
        orderGrid(kernel, grid, order, *chosen, symbols);
      }
    });
    if (group != 0 && without.first && !isUsed) {
      emitError(without.first.getLoc()) << "the option grid-group asks for groups of " << counted(group, "row")
                                        << " of tiles, which no kernel has: " << without.second;
      isRefused = true;
    }
    if (isRefused)
      signalPassFailure();
  }

private:
  static constexpr StringRef kWish = "tile.grid_group";

  GridOrder plan(func::FuncOp kernel, func::FuncOp grid, const Target &chosen) {
    int64_t asked = countOf(kernel, kWish);
    return planGridOrder(kernel, grid, countConcurrent(kernel, chosen), asked > 0 ? asked : int64_t(group));
  }

  static int64_t countConcurrent(func::FuncOp kernel, const Target &chosen) {
    return int64_t(chosen.typicalSms) * std::max<int64_t>(countOf(kernel, "tile.occupancy"), 1);
  }

  void orderGrid(func::FuncOp kernel, func::FuncOp grid, const GridOrder &order, const Target &chosen,
                 SymbolTable &symbols) {
    int64_t concurrent = countConcurrent(kernel, chosen);
    bool isPinned = group != 0 || kernel->hasAttr(kWish);
    auto opts = remark::RemarkOpts::name("OrderGrid").category(getArgument()).function(kernel.getSymName());
    if (!order.reason.empty()) {
      remark::missed(kernel.getLoc(), opts) << remark::reason("{0}", order.reason);
      return;
    }
    int64_t rows = std::min(order.group, concurrent), columns = llvm::divideCeil(concurrent, rows);
    remark::passed(kernel.getLoc(), opts) << remark::add(
        "groups of {0} of tiles{1}: {2} at a time read {3} x {4} + {5} x {6} = {7} bytes for each step, "
        "instead of {8} in the grid's own order",
        counted(order.group, "row"), isPinned ? ", as asked" : "", counted(concurrent, "program"), rows, order.rowBytes,
        columns, order.columnBytes, gridGroupBytes(order.group, order.rowBytes, order.columnBytes, concurrent),
        gridGroupBytes(concurrent, order.rowBytes, order.columnBytes, concurrent));
    func::FuncOp own = takeGrid(kernel, grid, symbols);
    kernel->removeAttr(kWish); // It is done; what is made of it has no rows and columns any more.
    orderPrograms(kernel, own, order);
    flattenGrid(own, order);
  }
};
} // namespace
