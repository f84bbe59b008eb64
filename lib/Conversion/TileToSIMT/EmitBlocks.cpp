// SPDX-License-Identifier: Apache-2.0
// Blocks that are whole registers of each thread: registers are picked. All others have gone to shared memory before.
#include "ThreadProgram.h"
#include "tilewright/Layout/Blocks.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::simt;
using namespace tilewright::tile_gpu;

/// Where the block with these constant numbers begins; one that does not exist is taken as the last. Failure if they are
/// no constants.
static FailureOr<layout::Coord> originOf(ValueRange numbers, ArrayRef<int64_t> whole, ArrayRef<int64_t> block) {
  layout::Coord origin;
  for (auto [dim, number] : llvm::enumerate(numbers)) {
    APInt known;
    if (!matchPattern(number, m_ConstantInt(&known)))
      return failure();
    int64_t last = whole[dim] / block[dim] - 1;
    origin.push_back((known.ugt(last) ? last : known.getSExtValue()) * block[dim]);
  }
  return origin;
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
  const LayoutPlace &whole = place(op.getSource().getType()), &block = place(op.getResult().getType());
  FailureOr<layout::Coord> origin = originOf(op.getIndices(), whole.layout.shape(), block.layout.shape());
  if (failed(origin) || !isBlockOf(whole.layout, block.layout))
    return op.emitOpError("expects a block that is registers of the source; run tile-lower-to-buffers first");
  SmallVector<int64_t> lanes;
  for (int64_t reg : layout::shiftedRegisters(whole.layout, block.layout, *origin))
    lanes.push_back(std::max<int64_t>(reg, 0));
  set(op.getResult(), pick(op.getLoc(), get(op.getSource()), lanes));
  return success();
}

LogicalResult ThreadProgram::emitInsert(tile::InsertOp op) {
  Location loc = op.getLoc();
  const LayoutPlace &whole = place(op.getDest().getType()), &block = place(op.getSource().getType());
  FailureOr<layout::Coord> origin = originOf(op.getIndices(), whole.layout.shape(), block.layout.shape());
  if (failed(origin) || !isBlockOf(whole.layout, block.layout))
    return op.emitOpError("expects a block that is registers of dest; run tile-lower-to-buffers first");
  layout::Coord back;
  for (int64_t begin : *origin)
    back.push_back(-begin);
  SmallVector<int64_t> lanes;
  for (auto [reg, from] : llvm::enumerate(layout::shiftedRegisters(block.layout, whole.layout, back)))
    lanes.push_back(from < 0 ? static_cast<int64_t>(reg) : whole.registers() + from);
  set(op.getResult(), pick(loc, concat(loc, {get(op.getDest()), get(op.getSource())}), lanes));
  return success();
}

LogicalResult ThreadProgram::emitMemDescBlock(MemDescBlockOp op) {
  Location loc = op.getLoc();
  SmallVector<Value> coords;
  for (Value origin : op.getOrigin())
    coords.push_back(arith::IndexCastOp::create(builder, loc, builder.getI32Type(), get(origin)));
  set(op.getResult(), sharedOffset(loc, op.getSource().getType(), get(op.getSource()), coords));
  return success();
}
