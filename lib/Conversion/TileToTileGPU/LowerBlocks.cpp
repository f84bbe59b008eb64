// SPDX-License-Identifier: Apache-2.0
#include "LowerToBuffers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile_gpu;

/// A row-major buffer for `type`; null and an error of `op` where there is none.
static Value makePlainBuffer(OpBuilder &builder, Operation *op, RankedTensorType type) {
  if (!fitsBuffer(type.getElementType())) {
    op->emitOpError() << "cannot move elements of " << type.getElementType() << " between threads yet";
    return {};
  }
  std::vector<unsigned> order;
  for (unsigned dim = type.getRank(); dim-- > 0;)
    order.push_back(dim);
  auto plain = layout::SharedLayout::makeRowMajor(type.getShape().vec(), order);
  if (!plain) {
    op->emitOpError() << "is too large for shared memory";
    return {};
  }
  return makeBuffer(builder, op->getLoc(), type, *plain);
}

static Value constantIndex(OpBuilder &builder, Location loc, int64_t value) {
  return arith::ConstantIndexOp::create(builder, loc, value);
}

/// Where the block with these numbers begins. A number that names no block is taken as the last one: the result is
/// poison then, but memory outside of the buffer must not be touched.
static SmallVector<Value> originOf(OpBuilder &builder, Location loc, ValueRange numbers, RankedTensorType whole,
                                   RankedTensorType block) {
  SmallVector<Value> origin;
  for (auto [dim, number] : llvm::enumerate(numbers)) {
    int64_t extent = block.getDimSize(dim), count = whole.getDimSize(dim) / extent;
    if (count == 1) {
      origin.push_back(constantIndex(builder, loc, 0));
      continue;
    }
    APInt known;
    if (matchPattern(number, m_ConstantInt(&known))) {
      int64_t last = count - 1, block = known.ugt(last) ? last : known.getSExtValue();
      origin.push_back(constantIndex(builder, loc, block * extent));
      continue;
    }
    Value inside = arith::MinUIOp::create(builder, loc, number, constantIndex(builder, loc, count - 1));
    origin.push_back(arith::MulIOp::create(builder, loc, inside, constantIndex(builder, loc, extent)));
  }
  return origin;
}

LogicalResult tilewright::lowerConcat(tile::ConcatOp op) {
  RankedTensorType whole = op.getResult().getType();
  bool inRegisters = llvm::all_of(op.getSources(), [&](Value source) {
    RankedTensorType type = tileType(source);
    return type.getShape() == tileType(op.getSources()[0]).getShape() &&
           layoutOf(type) == blockLayout(layoutOf(whole), type.getShape());
  });
  if (inRegisters)
    return success();
  OpBuilder builder(op);
  Location loc = op.getLoc();
  Value buffer = makePlainBuffer(builder, op, whole);
  if (!buffer)
    return failure();
  int64_t begin = 0;
  for (Value source : op.getSources()) {
    RankedTensorType part = tileType(source);
    SmallVector<int64_t> origin(whole.getRank(), 0);
    origin[op.getDim()] = begin;
    auto type = MemDescType::get(op.getContext(), part.getShape(), part.getElementType(),
                                 cast<MemDescType>(buffer.getType()).getLayout());
    LocalStoreOp::create(builder, loc, source, MemDescBlockOp::create(builder, loc, type, buffer, origin));
    begin += part.getDimSize(op.getDim());
  }
  explainTrip(op, buffer,
              "the parts of a concat are not whole registers of each thread of the result");
  op.getResult().replaceAllUsesWith(LocalLoadOp::create(builder, loc, whole, buffer));
  op.erase();
  return success();
}

/// Why a block does not stay in registers.
static StringRef whyNotRegisters(ValueRange indices) {
  return hasConstantIndices(indices) ? "the block is not whole registers of each thread"
                                     : "which block it is is known at run time only";
}

LogicalResult tilewright::lowerExtract(tile::ExtractOp op) {
  RankedTensorType whole = op.getSource().getType(), block = op.getResult().getType();
  if (staysInRegisters(op.getIndices(), layoutOf(whole), block.getShape()) &&
      layoutOf(block) == blockLayout(layoutOf(whole), block.getShape()))
    return success();
  OpBuilder builder(op);
  Location loc = op.getLoc();
  Value buffer = makePlainBuffer(builder, op, block);
  if (!buffer)
    return failure();
  LocalStoreBlockOp::create(builder, loc, op.getSource(), originOf(builder, loc, op.getIndices(), whole, block),
                            buffer);
  explainTrip(op, buffer, whyNotRegisters(op.getIndices()));
  op.getResult().replaceAllUsesWith(LocalLoadOp::create(builder, loc, block, buffer));
  op.erase();
  return success();
}

LogicalResult tilewright::lowerInsert(tile::InsertOp op) {
  RankedTensorType whole = op.getDest().getType(), block = op.getSource().getType();
  if (staysInRegisters(op.getIndices(), layoutOf(whole), block.getShape()) &&
      layoutOf(block) == blockLayout(layoutOf(whole), block.getShape()))
    return success();
  OpBuilder builder(op);
  Location loc = op.getLoc();
  Value buffer = makePlainBuffer(builder, op, block);
  if (!buffer)
    return failure();
  LocalStoreOp::create(builder, loc, op.getSource(), buffer);
  explainTrip(op, buffer, whyNotRegisters(op.getIndices()));
  op.getResult().replaceAllUsesWith(LocalLoadBlockOp::create(builder, loc, whole, buffer, op.getDest(),
                                                             originOf(builder, loc, op.getIndices(), whole, block)));
  op.erase();
  return success();
}
