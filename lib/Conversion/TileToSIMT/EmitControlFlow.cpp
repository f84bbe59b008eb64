// SPDX-License-Identifier: Apache-2.0
// Loops and branches: each tile that they carry becomes the values that hold its parts.
#include "ThreadProgram.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::simt;
using namespace tilewright::tile_gpu;

LogicalResult ThreadProgram::emitControlFlow(Operation *op) {
  Location loc = op->getLoc();
  auto flatten = [&](ValueRange range) {
    SmallVector<Value> flat;
    for (Value value : range)
      llvm::append_range(flat, parts(value));
    return flat;
  };
  // Hands consecutive new values to the old ones that they stand for.
  auto bind = [&](ValueRange from, ValueRange to) {
    size_t next = 0;
    for (Value value : from) {
      SmallVector<Type> types;
      (void)convertType(value.getType(), types);
      SmallVector<Value> own(to.slice(next, types.size()));
      set(value, ArrayRef<Value>(own));
      next += types.size();
    }
  };
  auto types = [&](TypeRange range, SmallVector<Type> &result) -> LogicalResult {
    for (Type type : range)
      if (failed(convertType(type, result)))
        return op->emitOpError("expects tiles with a layout, found ") << type;
    return success();
  };
  auto body = [&](Block &from, Block *to, ValueRange arguments) {
    bind(from.getArguments(), arguments);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(to);
    return emitBlock(from);
  };
  auto keepAttrs = [&](Operation *to) {
    for (NamedAttribute attr : op->getDiscardableAttrs())
      to->setAttr(attr.getName(), attr.getValue());
  };

  if (auto yield = dyn_cast<scf::YieldOp>(op)) {
    scf::YieldOp::create(builder, loc, flatten(yield.getOperands()));
    return success();
  }
  if (auto condition = dyn_cast<scf::ConditionOp>(op)) {
    scf::ConditionOp::create(builder, loc, get(condition.getCondition()), flatten(condition.getArgs()));
    return success();
  }
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    SmallVector<Type> ignored;
    if (failed(types(loop.getResultTypes(), ignored)))
      return failure();
    auto made = scf::ForOp::create(builder, loc, get(loop.getLowerBound()), get(loop.getUpperBound()),
                                   get(loop.getStep()), flatten(loop.getInitArgs()), nullptr,
                                   loop.getUnsignedCmp());
    keepAttrs(made);
    if (!made.getBody()->empty())
      made.getBody()->getTerminator()->erase();
    if (failed(body(*loop.getBody(), made.getBody(), made.getBody()->getArguments())))
      return failure();
    bind(loop.getResults(), made.getResults());
    return success();
  }
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    SmallVector<Type> results;
    if (failed(types(branch.getResultTypes(), results)))
      return failure();
    bool hasElse = !branch.getElseRegion().empty();
    auto made = scf::IfOp::create(builder, loc, results, get(branch.getCondition()), hasElse);
    keepAttrs(made);
    for (auto [from, to] : llvm::zip(branch->getRegions(), made->getRegions())) {
      if (from.empty())
        continue;
      if (to.empty())
        to.emplaceBlock();
      if (!to.front().empty())
        to.front().back().erase();
      if (failed(body(from.front(), &to.front(), {})))
        return failure();
    }
    bind(branch.getResults(), made.getResults());
    return success();
  }
  if (auto choice = dyn_cast<scf::IndexSwitchOp>(op)) {
    SmallVector<Type> results;
    if (failed(types(choice.getResultTypes(), results)))
      return failure();
    auto made = scf::IndexSwitchOp::create(builder, loc, results, get(choice.getArg()), choice.getCases(),
                                           choice.getNumCases());
    keepAttrs(made);
    for (auto [from, to] : llvm::zip(choice->getRegions(), made->getRegions()))
      if (failed(body(from.front(), &to.emplaceBlock(), {})))
        return failure();
    bind(choice.getResults(), made.getResults());
    return success();
  }
  auto loop = cast<scf::WhileOp>(op);
  SmallVector<Type> results, before;
  if (failed(types(loop.getResultTypes(), results)) || failed(types(loop.getInits().getTypes(), before)))
    return failure();
  auto made = scf::WhileOp::create(builder, loc, results, flatten(loop.getInits()));
  keepAttrs(made);
  Block *head = &made.getBefore().emplaceBlock(), *tail = &made.getAfter().emplaceBlock();
  for (Type type : before)
    head->addArgument(type, loc);
  for (Type type : results)
    tail->addArgument(type, loc);
  if (failed(body(*loop.getBeforeBody(), head, head->getArguments())) ||
      failed(body(*loop.getAfterBody(), tail, tail->getArguments())))
    return failure();
  bind(loop.getResults(), made.getResults());
  return success();
}
