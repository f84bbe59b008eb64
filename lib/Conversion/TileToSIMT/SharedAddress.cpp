// SPDX-License-Identifier: Apache-2.0
// Where an element of a buffer lies, as arithmetic: a part that each thread computes once, and a constant per register.
#include "ThreadProgram.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::simt;
using namespace tilewright::tile_gpu;

/// Bits that what lanes and warps add to coordinate `dim` may have.
static int64_t threadBits(const layout::DistributedLayout &layout, unsigned dim) {
  int64_t bits = 0;
  for (const layout::Bases *bases : {&layout.laneBases(), &layout.warpBases()})
    for (const layout::Coord &basis : *bases)
      bits |= basis[dim];
  for (const layout::OuterDigit &digit : layout.digits())
    if (digit.dim == dim && digit.place == layout::OuterDigit::Place::Warp && digit.stride != 0)
      bits |= -(digit.stride & -digit.stride); // Multiples of the stride.
  return bits;
}

namespace {
/// The formula of `#tile_gpu.shared` for a row and a column of a buffer: the fastest dimension is the column, all
/// others number the row.
struct Rows {
  explicit Rows(SharedAttr layout) : layout(layout) {
    int64_t scale = 1;
    for (unsigned dim : layout.getOrder().drop_front()) {
      scales.push_back({dim, scale});
      scale *= layout.getAllocatedShape()[dim];
    }
    length = layout.getAllocatedShape()[layout.getOrder()[0]];
    pitch = length + (layout.getPadInterval() == length ? layout.getPadAmount() : 0);
  }
  /// Other paddings have gaps inside of rows.
  bool isRegular() const { return layout.getPadAmount() == 0 || layout.getPadInterval() == length; }
  int64_t period() const { return layout.getPerPhase() * layout.getMaxPhase(); }
  int64_t rowOf(const layout::Coord &coord) const {
    int64_t row = 0;
    for (auto [dim, scale] : scales)
      row += coord[dim] * scale;
    return row;
  }
  /// What the swizzle exclusive-ors into the column of that row.
  int64_t swizzleOf(int64_t row) const {
    return row / layout.getPerPhase() % layout.getMaxPhase() * layout.getVec();
  }

  SharedAttr layout;
  SmallVector<std::pair<unsigned, int64_t>> scales; ///< (dimension, rows per step)
  int64_t length, pitch;
};
} // namespace

/// A register adds (row, column) to what its thread has. Swizzles are exclusive ors of low bits: where the thread's
/// and the register's bits do not overlap, the thread's offset, exclusive-ored with one constant and with another one added, is the
/// register's. So each thread computes an offset once, and most registers are immediates of an instruction.
std::optional<Value> ThreadProgram::splitSharedOffset(Location loc, MemDescType type, Value base,
                                                      const LayoutPlace &where, const layout::Coord &offset) {
  Rows rows(type.getLayout());
  if (!rows.isRegular())
    return std::nullopt;
  const layout::DistributedLayout &layout = where.layout;
  for (unsigned dim = 0; dim < offset.size(); ++dim)
    if (offset[dim] != 0 && !layout.registersAddTo(dim))
      return std::nullopt;
  unsigned fastest = type.getLayout().getOrder()[0];
  int64_t bytes = type.getElementBytes(), period = rows.period();
  bool isSwizzled = type.getLayout().getMaxPhase() > 1;

  // Bits of the row number that the thread's part may have, as far as the swizzle looks at them.
  int64_t threadRowBits = 0;
  for (auto [dim, scale] : rows.scales)
    threadRowBits |= llvm::isPowerOf2_64(scale) || scale % period == 0 ? threadBits(layout, dim) * scale
                     : threadBits(layout, dim) == 0                    ? 0
                                                                       : -1;
  int64_t row = rows.rowOf(offset), low = row & (period - 1);
  if (isSwizzled && (threadRowBits & low) != 0)
    return std::nullopt;

  int64_t span = isSwizzled ? type.getLayout().getVec() * type.getLayout().getMaxPhase() : 1;
  int64_t column = offset[fastest], columnLow = column & (span - 1);
  // Digits of warps and registers are added, with carries; only bits that the thread's part lacks are exclusive-ored.
  if (isSwizzled && (threadBits(layout, fastest) & columnLow) != 0)
    return std::nullopt;
  int64_t flip = isSwizzled ? columnLow ^ rows.swizzleOf(low) : 0;
  int64_t added = row * rows.pitch + column - (isSwizzled ? columnLow : 0);
  // Bits of the column that the thread's part and its swizzle may have.
  int64_t swizzleBits = (threadRowBits & (period - 1)) != 0 ? span - type.getLayout().getVec() : 0;
  if ((flip & (threadBits(layout, fastest) | swizzleBits)) == 0) {
    added += flip;
    flip = 0;
  }
  Value address = threadSharedOffset(type, where);
  if (flip)
    address = arith::XOrIOp::create(builder, loc, address, i32(loc, flip * bytes));
  // Both constants in one: the instruction's immediate.
  if (added)
    base = arith::AddIOp::create(builder, loc, base, i32(loc, added * bytes));
  return arith::AddIOp::create(builder, loc, address, base);
}

/// Most registers that offsets of shared memory may hold through the whole kernel.
static constexpr unsigned kMaxHeldOffsets = 12;

bool ThreadProgram::holdsSharedOffsets() {
  if (!holdsOffsets) {
    llvm::DenseSet<std::pair<Type, Type>> pairs; // Layouts are parts of both types.
    kernel.walk([&](Operation *op) {
      if (auto store = dyn_cast<LocalStoreOp>(op))
        pairs.insert({store.getValue().getType(), store.getBuffer().getType()});
      else if (auto load = dyn_cast<LocalLoadOp>(op))
        pairs.insert({load.getResult().getType(), load.getBuffer().getType()});
    });
    holdsOffsets = pairs.size() <= kMaxHeldOffsets;
  }
  return *holdsOffsets;
}

/// Byte offset, from the start of a buffer, of the element that register 0 of this thread stands for. Computed at the entry
/// where few of them are wanted, else in each block that wants one, since every offset held is a register less.
Value ThreadProgram::threadSharedOffset(MemDescType type, const LayoutPlace &where) {
  bool isHeld = holdsSharedOffsets() && holdsPlaces();
  Block *block = isHeld ? nullptr : builder.getInsertionBlock();
  Value &slot = sharedOffsets[{{block, &where}, {type.getLayout(), type.getElementBytes()}}];
  if (slot)
    return slot;
  Location loc = kernel.getLoc();
  OpBuilder::InsertionGuard guard(builder);
  if (isHeld)
    builder.restoreInsertionPoint(entry.saveInsertionPoint());
  Rows rows(type.getLayout());
  auto scaled = [&](Value value, int64_t factor) -> Value {
    return factor == 1 ? value : arith::MulIOp::create(builder, loc, value, i32(loc, factor)).getResult();
  };
  Value row;
  for (auto [dim, scale] : rows.scales) {
    Value part = scaled(where.threadCoord[dim], scale);
    row = row ? arith::AddIOp::create(builder, loc, row, part).getResult() : part;
  }
  Value offset = where.threadCoord[type.getLayout().getOrder()[0]];
  if (row) {
    if (int64_t phases = type.getLayout().getMaxPhase(); phases > 1) {
      Value phase = row;
      if (int64_t perPhase = type.getLayout().getPerPhase(); perPhase > 1)
        phase = arith::DivUIOp::create(builder, loc, phase, i32(loc, perPhase));
      phase = arith::RemUIOp::create(builder, loc, phase, i32(loc, phases));
      offset = arith::XOrIOp::create(builder, loc, offset, scaled(phase, type.getLayout().getVec()));
    }
    offset = arith::AddIOp::create(builder, loc, scaled(row, rows.pitch), offset);
  }
  return slot = scaled(offset, type.getElementBytes());
}
