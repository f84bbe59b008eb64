// SPDX-License-Identifier: Apache-2.0
// Blocks that are whole registers of each thread: registers are picked. All others have gone to shared memory before.
#include "ThreadProgram.h"
#include "tilewright/Layout/Blocks.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::simt;
using namespace tilewright::tile_gpu;

/// Numbers that each of `indices` may name a block by: a constant (the last block where there is none of that number),
/// or all.
static SmallVector<std::pair<int64_t, int64_t>> blockRanges(ValueRange indices, ArrayRef<int64_t> whole,
                                                            ArrayRef<int64_t> block) {
  SmallVector<std::pair<int64_t, int64_t>> ranges;
  for (auto [dim, index] : llvm::enumerate(indices)) {
    int64_t last = whole[dim] / block[dim] - 1;
    APInt known;
    if (!matchPattern(index, m_ConstantInt(&known))) {
      ranges.push_back({0, last});
      continue;
    }
    int64_t number = known.ugt(last) ? last : known.getSExtValue();
    ranges.push_back({number, number});
  }
  return ranges;
}

/// For each block that `indices` may name calls `visit` with its origin and the condition that it is named, null where
/// there is one block only.
void ThreadProgram::forEachBlock(Location loc, ValueRange indices, const layout::DistributedLayout &whole,
                                 const layout::DistributedLayout &block,
                                 llvm::function_ref<void(const layout::Coord &origin, Value isNamed)> visit) {
  auto ranges = blockRanges(indices, whole.shape(), block.shape());
  layout::Coord numbers;
  for (auto [first, last] : ranges)
    numbers.push_back(first);
  while (true) {
    layout::Coord origin;
    Value isNamed;
    for (auto [dim, number] : llvm::enumerate(numbers)) {
      origin.push_back(number * block.shape()[dim]);
      if (ranges[dim].first != ranges[dim].second)
        isNamed =
            both(loc, isNamed,
                 arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, get(indices[dim]), index(loc, number)));
    }
    visit(origin, isNamed);
    size_t dim = 0;
    for (; dim < numbers.size() && numbers[dim] == ranges[dim].second; ++dim)
      numbers[dim] = ranges[dim].first;
    if (dim == numbers.size())
      return;
    ++numbers[dim];
  }
}

/// Whether each block of `whole` with the extents of `block` has the layout `block`, in registers of its own.
static bool isBlockOf(const layout::DistributedLayout &whole, const layout::DistributedLayout &block) {
  return layout::blockOf(whole, block.shape()) == block;
}

LogicalResult ThreadProgram::emitConcat(tile::ConcatOp op) {
  Location loc = op.getLoc();
  const LayoutPlace &whole = place(op.getResult().getType());
  const LayoutPlace &part = place(op.getSources()[0].getType());
  unsigned dim = op.getDim();
  int64_t extent = part.layout.shape()[dim];
  if (!isBlockOf(whole.layout, part.layout))
    return op.emitOpError("expects sources that are registers of the result; run tile-lower-to-buffers first");
  SmallVector<Value> pieces;
  for (Value source : op.getSources()) {
    if (place(source.getType()).layout != part.layout)
      return op.emitOpError("expects sources of one layout; run tile-lower-to-buffers first");
    pieces.push_back(get(source));
  }
  SmallVector<int64_t> lanes(whole.registers(), 0); // Registers that hold nothing may be anything.
  layout::Coord back(whole.layout.rank(), 0);
  for (size_t number = 0; number < pieces.size(); ++number) {
    back[dim] = -static_cast<int64_t>(number) * extent;
    for (auto [reg, from] : llvm::enumerate(layout::shiftedRegisters(part.layout, whole.layout, back)))
      if (from >= 0)
        lanes[reg] = number * part.registers() + from;
  }
  set(op.getResult(), pick(loc, concat(loc, pieces), lanes));
  return success();
}

LogicalResult ThreadProgram::emitExtract(tile::ExtractOp op) {
  Location loc = op.getLoc();
  const LayoutPlace &whole = place(op.getSource().getType()), &block = place(op.getResult().getType());
  if (!isBlockOf(whole.layout, block.layout))
    return op.emitOpError("expects a block that is registers of the source; run tile-lower-to-buffers first");
  Value result;
  forEachBlock(loc, op.getIndices(), whole.layout, block.layout, [&](const layout::Coord &origin, Value isNamed) {
    SmallVector<int64_t> lanes;
    for (int64_t reg : layout::shiftedRegisters(whole.layout, block.layout, origin))
      lanes.push_back(std::max<int64_t>(reg, 0));
    Value part = pick(loc, get(op.getSource()), lanes);
    result = result ? arith::SelectOp::create(builder, loc, isNamed, part, result).getResult() : part;
  });
  set(op.getResult(), result);
  return success();
}

LogicalResult ThreadProgram::emitInsert(tile::InsertOp op) {
  Location loc = op.getLoc();
  const LayoutPlace &whole = place(op.getDest().getType()), &block = place(op.getSource().getType());
  if (!isBlockOf(whole.layout, block.layout))
    return op.emitOpError("expects a block that is registers of dest; run tile-lower-to-buffers first");
  Value result = get(op.getDest());
  forEachBlock(loc, op.getIndices(), whole.layout, block.layout, [&](const layout::Coord &origin, Value isNamed) {
    layout::Coord back;
    for (int64_t begin : origin)
      back.push_back(-begin);
    SmallVector<int64_t> lanes;
    for (auto [reg, from] : llvm::enumerate(layout::shiftedRegisters(block.layout, whole.layout, back)))
      lanes.push_back(from < 0 ? static_cast<int64_t>(reg) : whole.registers() + from);
    Value replaced = pick(loc, concat(loc, {result, get(op.getSource())}), lanes);
    result = isNamed ? arith::SelectOp::create(builder, loc, isNamed, replaced, result).getResult() : replaced;
  });
  set(op.getResult(), result);
  return success();
}

LogicalResult ThreadProgram::emitMemDescBlock(MemDescBlockOp op) {
  Location loc = op.getLoc();
  SmallVector<Value> coords;
  for (int64_t origin : op.getOrigin())
    coords.push_back(i32(loc, origin));
  set(op.getResult(), sharedOffset(loc, op.getSource().getType(), get(op.getSource()), coords));
  return success();
}
