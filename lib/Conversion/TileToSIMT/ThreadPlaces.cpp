// SPDX-License-Identifier: Apache-2.0
// Where a thread is in the tiles of a layout: the coordinates of its elements.
#include "ThreadProgram.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::simt;
using namespace tilewright::tile_gpu;

/// The coordinate that the bits of `index` (a lane or warp number) contribute in `dim`. Runs of neighbouring bits that map to neighbouring
/// coordinate bits move together.
Value ThreadProgram::bitsToCoord(OpBuilder &at, Location loc, Value number, const layout::Bases &bases, unsigned dim) {
  Value result;
  Type type = at.getI32Type();
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(at, loc, at.getIntegerAttr(type, value));
  };
  for (size_t bit = 0; bit < bases.size();) {
    int64_t first = bases[bit][dim];
    if (first == 0) {
      ++bit;
      continue;
    }
    size_t run = 1;
    while (bit + run < bases.size() && bases[bit + run][dim] == first << run)
      ++run;
    Value part = number;
    if (bit)
      part = arith::ShRUIOp::create(at, loc, part, constant(bit));
    part = arith::AndIOp::create(at, loc, part, constant((int64_t(1) << run) - 1));
    if (first != 1)
      part = arith::MulIOp::create(at, loc, part, constant(first));
    result = result ? arith::XOrIOp::create(at, loc, result, part).getResult() : part;
    bit += run;
  }
  return result;
}

const LayoutPlace &ThreadProgram::place(Type tile) {
  return place(cast<LayoutAttr>(cast<RankedTensorType>(tile).getEncoding()));
}

/// Most layouts whose coordinates are held in registers through the whole kernel.
static constexpr size_t kMaxHeldPlaces = 8;

bool ThreadProgram::holdsPlaces() {
  if (!arePlacesHeld) {
    llvm::DenseSet<Attribute> layouts;
    kernel.walk([&](Operation *op) {
      for (Value result : op->getResults())
        if (auto tile = dyn_cast<RankedTensorType>(result.getType()))
          layouts.insert(tile.getEncoding());
    });
    arePlacesHeld = layouts.size() <= kMaxHeldPlaces;
  }
  return *arePlacesHeld;
}

const LayoutPlace &ThreadProgram::place(LayoutAttr attr) {
  // With many layouts each block computes again what it needs: a few cheap instructions, but no register in between.
  bool isHeld = holdsPlaces();
  OpBuilder &at = isHeld ? entry : builder;
  std::unique_ptr<LayoutPlace> &slot =
      places[{attr.getAsOpaquePointer(), isHeld ? nullptr : builder.getInsertionBlock()}];
  if (slot)
    return *slot;
  slot = std::make_unique<LayoutPlace>(attr.toLayout());
  const layout::DistributedLayout &layout = slot->layout;
  Location loc = kernel.getLoc();
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(at, loc, at.getI32IntegerAttr(value));
  };
  for (unsigned dim = 0; dim < layout.shape().size(); ++dim) {
    Value fromLane = bitsToCoord(at, loc, lane, layout.laneBases(), dim);
    Value fromWarp = bitsToCoord(at, loc, warp, layout.warpBases(), dim);
    Value coord = fromLane ? fromLane : constant(0);
    if (fromWarp)
      coord = fromLane ? arith::XOrIOp::create(at, loc, fromLane, fromWarp).getResult() : fromWarp;
    // Digits that warps hold follow the warp bits: number the warps by (bits, digit, digit, ...).
    int64_t below = int64_t(1) << layout.warpBases().size();
    for (const layout::OuterDigit &digit : layout.digits()) {
      if (digit.place != layout::OuterDigit::Place::Warp)
        continue;
      if (digit.dim == dim) {
        Value value = arith::DivUIOp::create(at, loc, warp, constant(below));
        value = arith::RemUIOp::create(at, loc, value, constant(digit.radix));
        value = arith::MulIOp::create(at, loc, value, constant(digit.stride));
        coord = arith::AddIOp::create(at, loc, coord, value);
      }
      below *= digit.radix;
    }
    slot->threadCoord.push_back(coord);
  }
  for (int64_t reg = 0, end = layout.registersPerThread(); reg < end; ++reg)
    slot->registerOffset.push_back(layout.registerOffset(reg));

  // One replica owns each element.
  auto require = [&](Value number, uint32_t owners, unsigned count) {
    uint32_t all = count >= 32 ? ~0u : (1u << count) - 1;
    if ((owners & all) == all)
      return;
    Value bit = arith::ShRUIOp::create(at, loc, constant(static_cast<int32_t>(owners)), number);
    Value owns = arith::TruncIOp::create(at, loc, at.getI1Type(), bit);
    slot->isOwner = slot->isOwner ? arith::AndIOp::create(at, loc, slot->isOwner, owns).getResult() : owns;
  };
  require(lane, layout.ownerLanes(), 32);
  require(warp, layout.ownerWarps(), scope.warpCount);
  return *slot;
}

Value ThreadProgram::coordinate(Location loc, const LayoutPlace &place, unsigned dim, int64_t offset) {
  Value thread = place.threadCoord[dim];
  if (offset == 0)
    return thread;
  if (place.layout.registersAddTo(dim))
    return arith::AddIOp::create(builder, loc, thread, i32(loc, offset));
  // Bits of the core combine by exclusive or; digits come on top.
  int64_t core = offset % place.layout.coreExtent(dim), digits = offset - core;
  Value coord = core ? arith::XOrIOp::create(builder, loc, thread, i32(loc, core)).getResult() : thread;
  return digits ? arith::AddIOp::create(builder, loc, coord, i32(loc, digits)).getResult() : coord;
}

Value ThreadProgram::inside(Location loc, const LayoutPlace &place, const layout::Coord &offset) {
  Value result;
  for (unsigned dim = 0; dim < offset.size(); ++dim) {
    if (!place.layout.isRagged(dim))
      continue;
    Value coord = coordinate(loc, place, dim, offset[dim]);
    Value extent = i32(loc, place.layout.shape()[dim]);
    result = both(loc, result, arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, coord, extent));
  }
  return result;
}
