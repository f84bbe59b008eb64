// SPDX-License-Identifier: Apache-2.0
#include "tilewright/Dialect/Tile/IR/Tile.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace tilewright::tile;

static RankedTensorType tileOf(Value value) { return cast<RankedTensorType>(value.getType()); }

static LogicalResult verifySameElement(Operation *op) {
  Type from = getElementTypeOrSelf(op->getOperand(0).getType()), to = getElementTypeOrSelf(op->getResult(0).getType());
  if (from != to)
    return op->emitOpError() << "expects equal element types, found " << from << " and " << to;
  return success();
}

LogicalResult SplatOp::verify() { return verifySameElement(*this); } // splat_c1

LogicalResult ToScalarOp::verify() {
  if (tileOf(getSource()).getNumElements() != 1) // to_scalar_c1
    return emitOpError() << "expects a tile of one element, found " << getSource().getType();
  return verifySameElement(*this); // to_scalar_c2
}

ParseResult ToScalarOp::parse(OpAsmParser &parser, OperationState &result) {
  OpAsmParser::UnresolvedOperand source;
  RankedTensorType type;
  if (failed(parser.parseOperand(source)) || failed(parser.parseOptionalAttrDict(result.attributes)) ||
      failed(parser.parseColonType(type)) || failed(parser.resolveOperand(source, type, result.operands)))
    return failure();
  result.addTypes(type.getElementType());
  return success();
}

void ToScalarOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getSource();
  printer.printOptionalAttrDict((*this)->getAttrs());
  printer << " : " << getSource().getType();
}

LogicalResult IotaOp::verify() {
  RankedTensorType type = tileOf(getResult());
  if (type.getRank() != 1) // iota_c1
    return emitOpError() << "expects a tile of rank 1, found " << type;
  int64_t start = getStart().value_or(0);
  unsigned width = type.getElementType().getIntOrFloatBitWidth();
  uint64_t last = static_cast<uint64_t>(start) + type.getDimSize(0) - 1;
  if (start < 0 || (width < 64 && last >= (uint64_t(1) << width))) // iota_c2
    return emitOpError() << "expects values from 0 to what " << type.getElementType() << " holds, found " << start
                         << " to " << static_cast<int64_t>(last);
  return success();
}

LogicalResult BroadcastOp::verify() {
  RankedTensorType from = tileOf(getSource()), to = tileOf(getResult());
  if (from.getRank() != to.getRank()) // broadcast_c1
    return emitOpError() << "expects equal ranks, found " << from << " and " << to;
  for (int64_t dim = 0; dim < from.getRank(); ++dim)
    if (from.getDimSize(dim) != 1 && from.getDimSize(dim) != to.getDimSize(dim)) // broadcast_c1
      return emitOpError() << "expects dim " << dim << " to keep its extent or to grow from 1, found "
                           << from.getDimSize(dim) << " and " << to.getDimSize(dim);
  return verifySameElement(*this);
}

LogicalResult ReshapeOp::verify() {
  if (tileOf(getSource()).getNumElements() != tileOf(getResult()).getNumElements()) // reshape_c1
    return emitOpError() << "expects as many elements before as after, found " << getSource().getType() << " and "
                         << getResult().getType();
  return verifySameElement(*this);
}

LogicalResult PermuteOp::verify() {
  RankedTensorType from = tileOf(getSource()), to = tileOf(getResult());
  if (!isPermutationOf(getOrder(), from.getRank())) // permute_c1
    return emitOpError() << "expects a permutation of the " << from.getRank() << " dims, found [" << getOrder() << "]";
  bool fits = from.getRank() == to.getRank();
  for (auto [i, dim] : llvm::enumerate(getOrder()))
    fits = fits && to.getDimSize(i) == from.getDimSize(dim);
  if (!fits) // permute_c2
    return emitOpError() << "expects the permuted shape of " << from << ", found " << to;
  return verifySameElement(*this);
}

LogicalResult ConcatOp::verify() {
  if (getSources().empty()) // concat_c1
    return emitOpError() << "expects at least one source";
  RankedTensorType to = tileOf(getResult());
  int64_t dim = getDim(), sum = 0;
  if (dim < 0 || dim >= to.getRank()) // concat_c1
    return emitOpError() << "expects dim to be below the rank " << to.getRank() << ", found " << dim;
  for (Value source : getSources()) {
    RankedTensorType from = tileOf(source);
    bool fits = from.getRank() == to.getRank() && from.getElementType() == to.getElementType();
    for (int64_t i = 0; fits && i < to.getRank(); ++i)
      fits = i == dim || from.getDimSize(i) == to.getDimSize(i);
    if (!fits) // concat_c2
      return emitOpError() << "expects sources that differ from the result along dim " << dim << " only, found " << from
                           << " and " << to;
    sum += from.getDimSize(dim);
  }
  if (sum != to.getDimSize(dim)) // concat_c3
    return emitOpError() << "expects extents along dim " << dim << " that add up to " << to.getDimSize(dim)
                         << ", found " << sum;
  return success();
}

/// Constraints C1 and C2 of ops that name one block of `whole`.
static LogicalResult verifyBlockOf(Operation *op, RankedTensorType whole, RankedTensorType block, size_t indices) {
  if (static_cast<int64_t>(indices) != whole.getRank()) // extract_c1, insert_c1
    return op->emitOpError() << "expects " << whole.getRank() << " indices, one per dim, found " << indices;
  bool fits = whole.getRank() == block.getRank() && whole.getElementType() == block.getElementType();
  for (int64_t i = 0; fits && i < whole.getRank(); ++i)
    fits = whole.getDimSize(i) % block.getDimSize(i) == 0;
  if (!fits) // extract_c2, insert_c2
    return op->emitOpError() << "expects a block whose extents divide those of " << whole << ", found " << block;
  return success();
}

LogicalResult ExtractOp::verify() {
  return verifyBlockOf(*this, tileOf(getSource()), tileOf(getResult()), getIndices().size());
}

LogicalResult InsertOp::verify() {
  return verifyBlockOf(*this, tileOf(getDest()), tileOf(getSource()), getIndices().size());
}
