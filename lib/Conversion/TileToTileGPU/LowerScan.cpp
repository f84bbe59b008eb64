// SPDX-License-Identifier: Apache-2.0
#include "LowerToBuffers.h"
#include "tilewright/Layout/AxisFactors.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile_gpu;

/// Copies the combiner of `op` into `body`, with the terminator of the buffer level.
static void copyCombiner(tile::ScanOp op, Region &body) {
  IRMapping mapping;
  op.getBody().cloneInto(&body, mapping);
  Operation *yield = body.front().getTerminator();
  OpBuilder inner(yield);
  YieldOp::create(inner, yield->getLoc(), yield->getOperands());
  yield->erase();
}

LogicalResult tilewright::lowerScan(tile::ScanOp op) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  unsigned dim = op.getDim(), count = op.getSources().size();
  RankedTensorType first = tileType(op.getSources()[0]);
  LayoutAttr layout = layoutOf(first);
  std::string error;
  if (!layout::isScannable(layout.toLayout(), dim)) {
    layout = scannableLayout(layout, dim, &error);
    if (!layout)
      return op.emitOpError() << "has no layout to scan in: " << error;
  }
  auto convert = [&](Value value, LayoutAttr to) -> Value {
    RankedTensorType type = withLayout(tileType(value), to);
    return type == value.getType() ? value : ConvertLayoutOp::create(builder, loc, type, value).getResult();
  };
  SmallVector<Value> values;
  for (Value source : op.getSources())
    values.push_back(convert(source, layout));

  LayoutAttr partial = partialLayout(layout, dim);
  if (!partial)
    return op.emitOpError() << "expects warps in rising order along dim " << dim << " of a ragged layout, found "
                            << layout;
  SmallVector<Type> types(ValueRange(values).getTypes());
  for (unsigned i = 0; i < count; ++i)
    types.push_back(RankedTensorType::get(partial.getShape(), tileType(values[i]).getElementType(), partial));
  auto within = PartialScanOp::create(builder, loc, types, values, op.getDim(), op.getReverse(), op.getIdentityAttr());
  copyCombiner(op, within.getBody());
  values.assign(within.getResults().begin(), within.getResults().begin() + count);

  if (partial.getShape()[dim] > 1) {
    // All warps see the totals of all, side by side in registers.
    LayoutAttr gathered = gatheredLayout(partial, dim);
    SmallVector<Value> operands = values;
    for (Value total : within.getResults().drop_front(count))
      operands.push_back(convert(total, gathered));
    auto whole = AddPrefixOp::create(builder, loc, TypeRange(ValueRange(values).getTypes()), operands, op.getDim(),
                                     op.getReverse());
    copyCombiner(op, whole.getBody());
    values.assign(whole.getResults().begin(), whole.getResults().end());
  }
  for (auto [result, value] : llvm::zip(op.getResults(), values))
    result.replaceAllUsesWith(convert(value, layoutOf(result.getType())));
  op.erase();
  return success();
}
