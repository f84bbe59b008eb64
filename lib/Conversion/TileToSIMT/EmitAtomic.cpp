// SPDX-License-Identifier: Apache-2.0
#include "ThreadProgram.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::simt;
using namespace tilewright::tile_gpu;

std::optional<int64_t> ThreadProgram::firstReplica(const LayoutPlace &where, int64_t reg) {
  if ((reg & static_cast<int64_t>(where.layout.freeRegisterMask())) == 0)
    return std::nullopt;
  for (int64_t first = 0; first < reg; ++first)
    if (where.registerOffset[first] == where.registerOffset[reg])
      return first;
  return std::nullopt;
}

Value ThreadProgram::emitForOwners(Location loc, const LayoutPlace &where, Value mask,
                                   llvm::function_ref<Value(int64_t, Value)> one) {
  SmallVector<Value> pieces;
  for (int64_t reg = 0; reg < where.registers(); ++reg) {
    if (std::optional<int64_t> first = firstReplica(where, reg)) {
      if (!pieces.empty())
        pieces.push_back(pieces[*first]);
      continue;
    }
    Value pred = mask ? slice(loc, mask, reg, 1) : Value();
    pred = both(loc, pred, inside(loc, where, where.registerOffset[reg]));
    if (Value piece = one(reg, both(loc, pred, where.isOwner)))
      pieces.push_back(piece);
  }
  return pieces.empty() ? Value() : concat(loc, pieces);
}

LogicalResult ThreadProgram::emitAtomicRmw(tile::AtomicRmwOp op) {
  auto tile = dyn_cast<RankedTensorType>(op.getResult().getType());
  if (!tile)
    return op.emitOpError("on scalars expects tile-lower-to-buffers to be run first");
  Location loc = op.getLoc();
  Value pointer = get(op.getPtr()), value = get(op.getValue());
  Value mask = op.getMask() ? get(op.getMask()) : Value();
  set(op.getResult(), emitForOwners(loc, place(tile), mask, [&](int64_t reg, Value pred) -> Value {
        Value piece = slice(loc, value, reg, 1);
        return AtomicRmwOp::create(builder, loc, piece.getType(), static_cast<AtomicKind>(op.getKind()),
                                   static_cast<SyncOrder>(op.getOrder()), static_cast<SyncScope>(op.getScope()),
                                   slice(loc, pointer, reg, 1), piece, pred);
      }));
  return success();
}

LogicalResult ThreadProgram::emitAtomicCas(tile::AtomicCasOp op) {
  auto tile = dyn_cast<RankedTensorType>(op.getResult().getType());
  if (!tile)
    return op.emitOpError("on scalars expects tile-lower-to-buffers to be run first");
  Location loc = op.getLoc();
  Value pointer = get(op.getPtr()), compare = get(op.getCompare()), value = get(op.getValue());
  Value mask = op.getMask() ? get(op.getMask()) : Value();
  set(op.getResult(), emitForOwners(loc, place(tile), mask, [&](int64_t reg, Value pred) -> Value {
        Value piece = slice(loc, value, reg, 1);
        return AtomicCasOp::create(builder, loc, piece.getType(), static_cast<SyncOrder>(op.getOrder()),
                                   static_cast<SyncScope>(op.getScope()), slice(loc, pointer, reg, 1),
                                   slice(loc, compare, reg, 1), piece, pred);
      }));
  return success();
}
