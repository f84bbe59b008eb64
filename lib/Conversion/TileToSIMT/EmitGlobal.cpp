// SPDX-License-Identifier: Apache-2.0
#include "ThreadProgram.h"

#include <numeric>

using namespace mlir;
using namespace tilewright;
using namespace tilewright::simt;
using namespace tilewright::tile_gpu;

/// Largest single access. Source: PTX ISA, ld.global.v4.b32.
static constexpr int64_t kMaxAccessBytes = 16;

LogicalResult ThreadProgram::checkMemoryElement(Operation *op, Type element) {
  int64_t bytes = getElementBytes(element);
  if (bytes >= 1 && bytes <= 8)
    return success();
  return op->emitOpError("is not lowered for elements of ") << element << " yet";
}

/// Elements of one access: what the analysis allows, what the layout holds side by side, and a divisor of the extent, so
/// that a vector is inside or outside as a whole.
int64_t ThreadProgram::vectorWidth(Operation *op, const LayoutPlace &where, int64_t bytes) {
  auto allowed = op->getAttrOfType<IntegerAttr>("tile_gpu.vector");
  auto along = op->getAttrOfType<IntegerAttr>("tile_gpu.contiguous_dim");
  if (!allowed || !along)
    return 1;
  unsigned dim = along.getInt();
  int64_t width = allowed.getInt();
  width = std::min({width, where.layout.contiguousPerThread(dim), std::max<int64_t>(kMaxAccessBytes / bytes, 1)});
  return std::max<int64_t>(std::gcd(width, where.layout.shape()[dim]), 1);
}

/// What every element of one block access shares: the index of each dimension and whether it holds. An offset of a register in
/// one dimension recurs in many registers, so each is computed once.
struct ThreadProgram::Reach {
  ThreadProgram &program;
  Location loc;
  const LayoutPlace &where;
  ViewParts view;
  SmallVector<int64_t> viewDimOf; ///< View dimension of each tile dimension.
  SmallVector<Value> start;       ///< Per view dimension: index of this thread's register 0 or the plain offset.
  SmallVector<bool> checked;
  SmallVector<Value> strideBytes; ///< i64, per view dimension.
  Value origin, fixedPred;        ///< Base, and what the dimensions contribute that the tile does not walk.
  int64_t indexedDim = -1;          ///< View dimension whose index a tile gives; `start` has its vector.
  std::map<int64_t, int64_t> indexRegister; ///< Register offset along that dimension to register of that vector.
  std::vector<std::map<int64_t, std::pair<Value, Value>>> perDim; ///< Register offset to (bytes, holds); dim 0 has the origin.
  std::vector<std::optional<std::pair<int64_t, Value>>> first; ///< Of each, the offset that came first and its bytes.

  Reach(ThreadProgram &program, Location loc, const LayoutPlace &where, ViewParts view, ArrayRef<int64_t> viewDimOf,
        ArrayRef<Value> offsets, ArrayRef<bool> inBounds, int64_t elementBytes)
      : program(program), loc(loc), where(where), view(std::move(view)), viewDimOf(viewDimOf), perDim(viewDimOf.size()),
        first(viewDimOf.size()) {
    OpBuilder &b = program.builder;
    origin = this->view.base;
    Value scale = arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(elementBytes));
    for (Value stride : this->view.strides)
      strideBytes.push_back(arith::MulIOp::create(b, loc, wide(stride), scale));
    for (size_t dim = 0; dim < offsets.size(); ++dim) {
      checked.push_back(inBounds.empty() || !inBounds[dim]);
      start.push_back(offsets[dim]);
      if (llvm::is_contained(viewDimOf, static_cast<int64_t>(dim)))
        continue;
      origin = arith::AddIOp::create(b, loc, origin,
                                     arith::MulIOp::create(b, loc, wide(offsets[dim]), strideBytes[dim]));
      if (checked.back())
        fixedPred = program.both(loc, fixedPred, holds(offsets[dim], dim));
    }
  }

  /// Says that the offset of `dim`, an operand of `op`, is a tile of indices: that of each register along `dim`.
  template <typename OpTy> LogicalResult setIndices(OpTy op, int64_t dim) {
    indexedDim = dim;
    const LayoutPlace &rows = program.place(op.getOffsets()[dim].getType());
    layout::DistributedLayout expected = where.layout;
    for (unsigned other = expected.rank(); other-- > 0;)
      if (other != dim)
        expected = expected.dropDim(other);
    if (rows.layout != expected)
      return op.emitOpError("expects indices in the layout of the tile without its other dims, found ")
             << op.getOffsets()[dim].getType();
    for (int64_t reg = 0; reg < rows.registers(); ++reg)
      indexRegister.try_emplace(rows.registerOffset[reg][0], reg);
    return success();
  }

  Value wide(Value index) {
    return arith::IndexCastOp::create(program.builder, loc, program.builder.getI64Type(), index);
  }

  /// 0 <= index < size, also where a size is negative: then nothing holds.
  Value holds(Value index, unsigned viewDim) {
    OpBuilder &b = program.builder;
    Value size = arith::MaxSIOp::create(b, loc, view.sizes[viewDim], program.index(loc, 0));
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, index, size);
  }

  /// Index along a dimension of the element at `coord` (`offset` and the thread's part).
  Value indexAt(unsigned dim, int64_t offset, Value coord) {
    OpBuilder &b = program.builder;
    Value first = start[viewDimOf[dim]];
    if (static_cast<int64_t>(viewDimOf[dim]) != indexedDim)
      return arith::AddIOp::create(b, loc, first, program.toIndex(loc, coord));
    return arith::IndexCastOp::create(b, loc, b.getIndexType(),
                                      program.slice(loc, first, indexRegister.at(offset), 1));
  }

  const std::pair<Value, Value> &along(unsigned dim, int64_t offset) {
    auto [slot, isNew] = perDim[dim].try_emplace(offset);
    if (!isNew)
      return slot->second;
    OpBuilder &b = program.builder;
    unsigned viewDim = viewDimOf[dim];
    Value coord = program.coordinate(loc, where, dim, offset);
    Value index = indexAt(dim, offset, coord);
    // From the first one on: what is added is the same in all threads, and one more product of a thread's own would be one
    // more pair of registers in loops that do not change it.
    Value bytes;
    if (first[dim] && where.layout.registersAddTo(dim) && static_cast<int64_t>(viewDim) != indexedDim) {
      Value between = arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(offset - first[dim]->first));
      bytes = arith::AddIOp::create(b, loc, first[dim]->second,
                                    arith::MulIOp::create(b, loc, strideBytes[viewDim], between));
    } else {
      bytes = arith::MulIOp::create(b, loc, wide(index), strideBytes[viewDim]);
      if (dim == 0)
        bytes = arith::AddIOp::create(b, loc, origin, bytes);
      first[dim] = {offset, bytes};
    }
    Value pred;
    if (checked[viewDim])
      pred = holds(index, viewDim);
    if (where.layout.isRagged(dim)) {
      Value extent = program.i32(loc, where.layout.shape()[dim]);
      pred = program.both(loc, pred, arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, coord, extent));
    }
    slot->second = {bytes, pred};
    return slot->second;
  }

  /// Byte address and predicate (null: always) of the element that `reg` holds.
  std::pair<Value, Value> at(int64_t reg) {
    Value address, pred = fixedPred;
    const layout::Coord &offset = where.registerOffset[reg];
    for (unsigned dim = 0; dim < offset.size(); ++dim) {
      const auto &[bytes, holds] = along(dim, offset[dim]);
      address = address ? arith::AddIOp::create(program.builder, loc, address, bytes).getResult() : bytes;
      pred = program.both(loc, pred, holds);
    }
    return {address, pred};
  }
};

LogicalResult ThreadProgram::emitMakeView(tile::MakeViewOp op) {
  SmallVector<Value> all{get(op.getBase())};
  for (Value size : op.getSizes())
    all.push_back(get(size));
  for (Value stride : op.getStrides())
    all.push_back(get(stride));
  set(op.getResult(), all);
  return success();
}

/// What a load gives where a check fails: the pad, or zero for `none`, whose value is unspecified but fixed.
static TypedAttr padValue(tile::Pad pad, Type element, OpBuilder &builder) {
  auto type = dyn_cast<FloatType>(element);
  if (!type)
    return builder.getZeroAttr(element);
  const llvm::fltSemantics &semantics = type.getFloatSemantics();
  switch (pad) {
  case tile::Pad::neg_zero:
    return builder.getFloatAttr(type, APFloat::getZero(semantics, /*Negative=*/true));
  case tile::Pad::nan:
    return builder.getFloatAttr(type, APFloat::getNaN(semantics));
  case tile::Pad::pos_inf:
    return builder.getFloatAttr(type, APFloat::getInf(semantics));
  case tile::Pad::neg_inf:
    return builder.getFloatAttr(type, APFloat::getInf(semantics, /*Negative=*/true));
  case tile::Pad::none:
  case tile::Pad::zero:
    break;
  }
  return builder.getZeroAttr(element);
}

/// Accesses whose index along one dimension a tile gives.
template <typename OpTy>
static constexpr bool isIndexed = std::is_same_v<OpTy, tile::GatherOp> || std::is_same_v<OpTy, tile::ScatterOp>;

template <typename OpTy> LogicalResult ThreadProgram::emitBlockLoad(OpTy op) {
  Location loc = op.getLoc();
  auto tile = cast<RankedTensorType>(op.getResult().getType());
  if (failed(checkMemoryElement(op, tile.getElementType())))
    return failure();
  int64_t bytes = getElementBytes(tile.getElementType());
  Type element = elementOf(tile.getElementType());
  const LayoutPlace &where = place(tile);
  SmallVector<int64_t> walked(op.walkedDims());
  SmallVector<Value> offsets;
  for (Value offset : op.getOffsets())
    offsets.push_back(get(offset));
  Reach reach(*this, loc, where, viewParts(op.getView()), walked, offsets,
              op.getInBounds() ? *op.getInBounds() : ArrayRef<bool>(), bytes);
  if constexpr (isIndexed<OpTy>)
    if (failed(reach.setIndices(op, op.indexedDim())))
      return failure();
  int64_t width = vectorWidth(op, where, bytes);
  if constexpr (std::is_same_v<OpTy, tile::LoadOp>)
    if (op.getOrder())
      width = 1;
  TypedAttr pad = padValue(op.getPad(), element, builder);
  Type type = width == 1 ? element : VectorType::get({width}, element);
  Value other;
  bool padIsZero = pad == builder.getZeroAttr(element);
  if (!padIsZero)
    other = arith::ConstantOp::create(
        builder, loc, width == 1 ? pad : cast<TypedAttr>(DenseElementsAttr::get(cast<VectorType>(type), Attribute(pad))));
  SmallVector<Value> pieces;
  for (int64_t reg = 0; reg < where.registers(); reg += width) {
    auto [address, pred] = reach.at(reg);
    if constexpr (std::is_same_v<OpTy, tile::LoadOp>) {
      if (op.getOrder()) { // Replicas take what the owner was given.
        if (std::optional<int64_t> first = firstReplica(where, reg)) {
          pieces.push_back(pieces[*first]);
          continue;
        }
        pieces.push_back(AtomicLoadOp::create(builder, loc, type, static_cast<SyncOrder>(*op.getOrder()),
                                              static_cast<SyncScope>(*op.getScope()), address,
                                              both(loc, pred, where.isOwner)));
        if (pred && other)
          pieces.back() = arith::SelectOp::create(builder, loc, pred, pieces.back(), other);
        continue;
      }
    }
    pieces.push_back(
        LoadGlobalOp::create(builder, loc, type, address, pred, pred ? other : Value(), width * bytes));
  }
  set(op.getResult(), concat(loc, pieces));
  return success();
}

template <typename OpTy> LogicalResult ThreadProgram::emitBlockStore(OpTy op) {
  Location loc = op.getLoc();
  auto tile = cast<RankedTensorType>(op.getValue().getType());
  if (failed(checkMemoryElement(op, tile.getElementType())))
    return failure();
  int64_t bytes = getElementBytes(tile.getElementType());
  const LayoutPlace &where = place(tile);
  SmallVector<int64_t> walked(op.walkedDims());
  SmallVector<Value> offsets;
  for (Value offset : op.getOffsets())
    offsets.push_back(get(offset));
  Reach reach(*this, loc, where, viewParts(op.getView()), walked, offsets,
              op.getInBounds() ? *op.getInBounds() : ArrayRef<bool>(), bytes);
  if constexpr (isIndexed<OpTy>)
    if (failed(reach.setIndices(op, op.indexedDim())))
      return failure();
  int64_t width = vectorWidth(op, where, bytes);
  if constexpr (std::is_same_v<OpTy, tile::StoreOp>)
    if (op.getOrder())
      width = 1;
  Value vector = get(op.getValue());
  for (int64_t reg = 0; reg < where.registers(); reg += width) {
    auto [address, pred] = reach.at(reg);
    if constexpr (std::is_same_v<OpTy, tile::ReduceIntoOp>) {
      if (firstReplica(where, reg))
        continue;
      Value value = slice(loc, vector, reg, 1);
      AtomicRmwOp::create(builder, loc, value.getType(), static_cast<AtomicKind>(op.getKind()), SyncOrder::relaxed,
                          static_cast<SyncScope>(op.getScope()), address, value, both(loc, pred, where.isOwner));
      continue;
    }
    if constexpr (std::is_same_v<OpTy, tile::StoreOp>) {
      if (op.getOrder()) {
        AtomicStoreOp::create(builder, loc, static_cast<SyncOrder>(*op.getOrder()),
                              static_cast<SyncScope>(*op.getScope()), slice(loc, vector, reg, 1), address,
                              both(loc, pred, where.isOwner));
        continue;
      }
    }
    StoreGlobalOp::create(builder, loc, slice(loc, vector, reg, width), address, both(loc, pred, where.isOwner),
                          width * bytes);
  }
  return success();
}

LogicalResult ThreadProgram::emitLoad(tile::LoadOp op) { return emitBlockLoad(op); }
LogicalResult ThreadProgram::emitStore(tile::StoreOp op) { return emitBlockStore(op); }
LogicalResult ThreadProgram::emitReduceInto(tile::ReduceIntoOp op) { return emitBlockStore(op); }
LogicalResult ThreadProgram::emitGather(tile::GatherOp op) {
  return emitBlockLoad(op);
}
LogicalResult ThreadProgram::emitScatter(tile::ScatterOp op) {
  return emitBlockStore(op);
}

LogicalResult ThreadProgram::emitPtrAdd(tile::PtrAddOp op) {
  Location loc = op.getLoc();
  Value pointer = get(op.getPtr()), offset = get(op.getOffset());
  Type type = pointer.getType();
  auto pointee = cast<tile::PtrType>(getElementTypeOrSelf(op.getPtr().getType())).getPointee();
  int64_t bytes = getElementBytes(pointee);
  if (bytes == 0)
    return op.emitOpError("is not lowered for elements of ") << pointee << " yet";
  if (getElementTypeOrSelf(offset.getType()).isIndex())
    offset = arith::IndexCastOp::create(builder, loc, type, offset);
  else if (getElementTypeOrSelf(offset.getType()).getIntOrFloatBitWidth() < 64)
    offset = arith::ExtSIOp::create(builder, loc, type, offset);
  TypedAttr scale = builder.getI64IntegerAttr(bytes);
  if (auto vector = dyn_cast<VectorType>(type))
    scale = DenseElementsAttr::get(vector, Attribute(scale));
  Value step = arith::MulIOp::create(builder, loc, offset, arith::ConstantOp::create(builder, loc, scale));
  set(op.getResult(), arith::AddIOp::create(builder, loc, pointer, step));
  return success();
}

LogicalResult ThreadProgram::emitLoadPtr(tile::LoadPtrOp op) {
  Location loc = op.getLoc();
  Type resultElement = getElementTypeOrSelf(op.getResult().getType());
  if (failed(checkMemoryElement(op, resultElement)))
    return failure();
  int64_t bytes = getElementBytes(resultElement);
  Type element = elementOf(resultElement);
  Value pointer = get(op.getPtr());
  Value mask = op.getMask() ? get(op.getMask()) : Value();
  Value other = op.getOther() ? get(op.getOther()) : Value();
  auto tile = dyn_cast<RankedTensorType>(op.getResult().getType());
  if (!tile && op.getOrder())
    return op.emitOpError("with an order, on scalars, expects tile-lower-to-buffers to be run first");
  if (!tile) {
    set(op.getResult(), LoadGlobalOp::create(builder, loc, element, pointer, mask, other, bytes));
    return success();
  }
  const LayoutPlace &where = place(tile);
  if (op.getOrder()) {
    auto read = [&](int64_t reg, Value pred) -> Value {
      Value value = AtomicLoadOp::create(builder, loc, element, static_cast<SyncOrder>(*op.getOrder()),
                                         static_cast<SyncScope>(*op.getScope()), slice(loc, pointer, reg, 1), pred);
      return other ? arith::SelectOp::create(builder, loc, slice(loc, mask, reg, 1), value, slice(loc, other, reg, 1))
                   : value;
    };
    set(op.getResult(), emitForOwners(loc, where, mask, read));
    return success();
  }
  int64_t width = vectorWidth(op, where, bytes);
  SmallVector<Value> pieces;
  for (int64_t reg = 0; reg < where.registers(); reg += width) {
    Value pred = mask ? slice(loc, mask, reg, 1) : Value();
    // A place outside of a ragged tile has no element: its address means nothing.
    pred = both(loc, pred, inside(loc, where, where.registerOffset[reg]));
    Value instead = other && pred ? slice(loc, other, reg, width) : Value();
    Type type = width == 1 ? element : VectorType::get({width}, element);
    pieces.push_back(LoadGlobalOp::create(builder, loc, type, slice(loc, pointer, reg, 1), pred, instead, width * bytes));
  }
  set(op.getResult(), concat(loc, pieces));
  return success();
}

LogicalResult ThreadProgram::emitStorePtr(tile::StorePtrOp op) {
  Location loc = op.getLoc();
  Type valueElement = getElementTypeOrSelf(op.getValue().getType());
  if (failed(checkMemoryElement(op, valueElement)))
    return failure();
  int64_t bytes = getElementBytes(valueElement);
  Value pointer = get(op.getPtr()), value = get(op.getValue());
  Value mask = op.getMask() ? get(op.getMask()) : Value();
  auto tile = dyn_cast<RankedTensorType>(op.getValue().getType());
  if (!tile && op.getOrder())
    return op.emitOpError("with an order, on scalars, expects tile-lower-to-buffers to be run first");
  if (!tile) {
    // One thread of the program writes.
    Value first = arith::OrIOp::create(builder, loc, lane, warp);
    first = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, first, i32(loc, 0));
    StoreGlobalOp::create(builder, loc, value, pointer, both(loc, mask, first), bytes);
    return success();
  }
  const LayoutPlace &where = place(tile);
  if (op.getOrder()) {
    emitForOwners(loc, where, mask, [&](int64_t reg, Value pred) -> Value {
      AtomicStoreOp::create(builder, loc, static_cast<SyncOrder>(*op.getOrder()),
                            static_cast<SyncScope>(*op.getScope()), slice(loc, value, reg, 1),
                            slice(loc, pointer, reg, 1), pred);
      return {};
    });
    return success();
  }
  int64_t width = vectorWidth(op, where, bytes);
  for (int64_t reg = 0; reg < where.registers(); reg += width) {
    Value pred = mask ? slice(loc, mask, reg, 1) : Value();
    pred = both(loc, pred, inside(loc, where, where.registerOffset[reg]));
    StoreGlobalOp::create(builder, loc, slice(loc, value, reg, width), slice(loc, pointer, reg, 1),
                          both(loc, pred, where.isOwner), width * bytes);
  }
  return success();
}
