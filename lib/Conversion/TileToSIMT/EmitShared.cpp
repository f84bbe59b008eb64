// SPDX-License-Identifier: Apache-2.0
#include "ThreadProgram.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

#include <numeric>

using namespace mlir;
using namespace tilewright;
using namespace tilewright::simt;
using namespace tilewright::tile_gpu;

/// Largest single access. Source: PTX ISA, ld.shared.v4.b32.
static constexpr int64_t kMaxAccessBytes = 16;

/// Byte offset in the CTA's shared memory of the element at `coords` (i32 each) of a buffer at `base`: the formula of
/// `#tile_gpu.shared`, as arithmetic.
Value ThreadProgram::sharedOffset(Location loc, MemDescType type, Value base, ArrayRef<Value> coords) {
  SharedAttr layout = type.getLayout();
  ArrayRef<unsigned> order = layout.getOrder();
  auto add = [&](Value a, Value b) -> Value { return a ? arith::AddIOp::create(builder, loc, a, b).getResult() : b; };
  auto mul = [&](Value a, int64_t factor) -> Value {
    return factor == 1 ? a : arith::MulIOp::create(builder, loc, a, i32(loc, factor)).getResult();
  };
  int64_t rowLength = layout.getAllocatedShape()[order[0]];
  Value row; // Number of the row: all dimensions but the fastest.
  int64_t scale = 1;
  for (unsigned dim : order.drop_front()) {
    row = add(row, mul(coords[dim], scale));
    scale *= layout.getAllocatedShape()[dim];
  }
  Value column = coords[order[0]];
  if (row && layout.getMaxPhase() > 1) {
    Value phase = row;
    if (layout.getPerPhase() > 1)
      phase = arith::DivUIOp::create(builder, loc, phase, i32(loc, layout.getPerPhase()));
    phase = arith::RemUIOp::create(builder, loc, phase, i32(loc, layout.getMaxPhase()));
    column = arith::XOrIOp::create(builder, loc, column, mul(phase, layout.getVec()));
  }
  Value offset;
  if (layout.getPadAmount() != 0 && layout.getPadInterval() == rowLength) {
    // Padding after each row: just a longer pitch.
    offset = row ? add(mul(row, rowLength + layout.getPadAmount()), column) : column;
  } else {
    offset = row ? add(mul(row, rowLength), column) : column;
    if (layout.getPadAmount() != 0) {
      Value gaps = arith::DivUIOp::create(builder, loc, offset, i32(loc, layout.getPadInterval()));
      offset = add(offset, mul(gaps, layout.getPadAmount()));
    }
  }
  return arith::AddIOp::create(builder, loc, base, mul(offset, type.getElementBytes()));
}

Value ThreadProgram::sharedOffset(Location loc, MemDescType type, Value base, const LayoutPlace &where,
                                  const layout::Coord &offset) {
  if (std::optional<Value> split = splitSharedOffset(loc, type, base, where, offset))
    return *split;
  SmallVector<Value> coords;
  for (unsigned dim = 0; dim < offset.size(); ++dim)
    coords.push_back(coordinate(loc, where, dim, offset[dim]));
  return sharedOffset(loc, type, base, coords);
}

/// Elements that one access to `buffer` may move for a tile that is spread as `where`.
static int64_t sharedWidth(Value buffer, const LayoutPlace &where) {
  auto type = cast<MemDescType>(buffer.getType());
  unsigned fastest = type.getLayout().getOrder()[0];
  int64_t width = std::min({where.layout.contiguousPerThread(fastest),
                            type.getLayout().toLayout().contiguous(fastest),
                            std::max<int64_t>(kMaxAccessBytes / type.getElementBytes(), 1)});
  // A block of a buffer may begin inside a vector.
  if (auto block = buffer.getDefiningOp<MemDescBlockOp>())
    width = std::gcd(width, block.getOrigin()[fastest]);
  return std::max<int64_t>(std::gcd(width, type.getShape()[fastest]), 1);
}

LogicalResult ThreadProgram::emitLocalStore(LocalStoreOp op) {
  Location loc = op.getLoc();
  MemDescType type = op.getBuffer().getType();
  const LayoutPlace &where = place(op.getValue().getType());
  Value base = get(op.getBuffer()), vector = get(op.getValue());
  int64_t width = sharedWidth(op.getBuffer(), where);
  for (int64_t reg = 0; reg < where.registers(); reg += width) {
    const layout::Coord &offset = where.registerOffset[reg];
    Value pred = both(loc, inside(loc, where, offset), where.isOwner);
    StoreSharedOp::create(builder, loc, slice(loc, vector, reg, width), sharedOffset(loc, type, base, where, offset),
                          pred);
  }
  return success();
}

LogicalResult ThreadProgram::emitLocalLoad(LocalLoadOp op) {
  Location loc = op.getLoc();
  MemDescType type = op.getBuffer().getType();
  auto tile = cast<RankedTensorType>(op.getResult().getType());
  const LayoutPlace &where = place(tile);
  if (std::optional<layout::MatrixAccess> access = layout::findMatrixAccess(
          where.layout, type.getLayout().toLayout(), type.getElementBytes())) {
    deferOrLoadMatrices(op, *access);
    return success();
  }
  Value base = get(op.getBuffer());
  Type element = elementOf(tile.getElementType());
  int64_t width = sharedWidth(op.getBuffer(), where);
  SmallVector<Value> pieces;
  for (int64_t reg = 0; reg < where.registers(); reg += width) {
    const layout::Coord &offset = where.registerOffset[reg];
    Type piece = width == 1 ? element : VectorType::get({width}, element);
    pieces.push_back(LoadSharedOp::create(builder, loc, piece, sharedOffset(loc, type, base, where, offset),
                                          inside(loc, where, offset)));
  }
  set(op.getResult(), concat(loc, pieces));
  return success();
}

/// The registers of a tile that is spread as `where`, seen from a buffer for the block of it that begins at `origin`.
struct ThreadProgram::BlockReach {
  ThreadProgram &program;
  Location loc;
  Value buffer;
  const LayoutPlace &where;
  SmallVector<Value> origin; ///< i32, per dimension.
  int64_t width;             ///< Elements of one access.

  BlockReach(ThreadProgram &program, Location loc, Value buffer, const LayoutPlace &where, ValueRange numbers)
      : program(program), loc(loc), buffer(buffer), where(where), width(sharedWidth(buffer, where)) {
    unsigned fastest = cast<MemDescType>(buffer.getType()).getLayout().getOrder()[0];
    for (auto [dim, number] : llvm::enumerate(numbers)) {
      // An origin that is no constant is a multiple of the block's extent, which the width divides.
      APInt begin;
      if (dim == fastest && matchPattern(number, m_ConstantInt(&begin)))
        width = std::gcd(width, begin.getSExtValue());
      origin.push_back(
          arith::IndexCastOp::create(program.builder, loc, program.builder.getI32Type(), program.get(number)));
    }
  }

  /// Byte offset of the element of `reg`, and whether it lies in the block (null: it does).
  std::pair<Value, Value> at(int64_t reg) {
    OpBuilder &b = program.builder;
    auto type = cast<MemDescType>(buffer.getType());
    SmallVector<Value> coords;
    Value pred;
    for (unsigned dim = 0; dim < origin.size(); ++dim) {
      Value coord = program.coordinate(loc, where, dim, where.registerOffset[reg][dim]);
      coords.push_back(arith::SubIOp::create(b, loc, coord, origin[dim]));
      int64_t extent = type.getShape()[dim];
      if (extent < where.layout.paddedExtent(dim)) // Places outside of the tile are outside of its blocks too.
        pred = program.both(loc, pred, arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, coords.back(),
                                                             program.i32(loc, extent)));
    }
    return {program.sharedOffset(loc, type, program.get(buffer), coords), pred};
  }
};

LogicalResult ThreadProgram::emitLocalStoreBlock(LocalStoreBlockOp op) {
  Location loc = op.getLoc();
  const LayoutPlace &where = place(op.getValue().getType());
  BlockReach reach(*this, loc, op.getBuffer(), where, op.getOrigin());
  for (int64_t reg = 0; reg < where.registers(); reg += reach.width) {
    auto [offset, pred] = reach.at(reg);
    StoreSharedOp::create(builder, loc, slice(loc, get(op.getValue()), reg, reach.width), offset,
                          both(loc, pred, where.isOwner));
  }
  return success();
}

LogicalResult ThreadProgram::emitLocalLoadBlock(LocalLoadBlockOp op) {
  Location loc = op.getLoc();
  auto tile = cast<RankedTensorType>(op.getResult().getType());
  const LayoutPlace &where = place(tile);
  BlockReach reach(*this, loc, op.getBuffer(), where, op.getOrigin());
  Type element = elementOf(tile.getElementType());
  Type type = reach.width == 1 ? element : VectorType::get({reach.width}, element);
  SmallVector<Value> pieces;
  for (int64_t reg = 0; reg < where.registers(); reg += reach.width) {
    auto [offset, pred] = reach.at(reg);
    Value piece = LoadSharedOp::create(builder, loc, type, offset, pred);
    if (pred)
      piece = arith::SelectOp::create(builder, loc, pred, piece, slice(loc, get(op.getDest()), reg, reach.width));
    pieces.push_back(piece);
  }
  set(op.getResult(), concat(loc, pieces));
  return success();
}

//===- Products --------------------------------------------------------------------------------------------------===//

namespace {
/// One side of a product as one thread needs it: the distinct positions that its accumulators name, cut into runs that one
/// access can move.
struct Side {
  std::vector<layout::Coord> positions;  ///< Distinct (batch..., m or n) offsets, ascending.
  std::vector<int64_t> positionOf;       ///< Per register of the accumulator.
  int64_t width = 1;                     ///< Positions per access.
};
} // namespace

/// Largest power of two that divides what lanes and warps add to coordinate `dim`; `limit` where they add nothing.
static int64_t threadAlignment(const layout::DistributedLayout &layout, unsigned dim, int64_t limit) {
  int64_t align = limit;
  for (const layout::Bases *bases : {&layout.laneBases(), &layout.warpBases()})
    for (const layout::Coord &basis : *bases)
      if (basis[dim] != 0)
        align = std::gcd(align, basis[dim]);
  for (const layout::OuterDigit &digit : layout.digits())
    if (digit.dim == dim && digit.place == layout::OuterDigit::Place::Warp)
      align = std::gcd(align, digit.stride);
  return align;
}

static Side findSide(const LayoutPlace &acc, unsigned dim, int64_t extent, int64_t most) {
  Side side;
  unsigned rank = acc.layout.shape().size();
  std::map<layout::Coord, int64_t> seen;
  auto key = [&](const layout::Coord &offset) {
    layout::Coord position(offset.begin(), offset.end() - 2);
    position.push_back(offset[dim]);
    return position;
  };
  for (const layout::Coord &offset : acc.registerOffset)
    seen.try_emplace(key(offset), 0);
  for (auto &[position, number] : seen) {
    number = side.positions.size();
    side.positions.push_back(position);
  }
  for (const layout::Coord &offset : acc.registerOffset)
    side.positionOf.push_back(seen[key(offset)]);
  // A width fits if positions come in aligned runs of it, and the thread's own part keeps the alignment.
  int64_t limit = std::gcd(threadAlignment(acc.layout, dim, most), extent);
  for (int64_t width = 1; width <= std::min(most, limit); width *= 2) {
    if (limit % width != 0 || side.positions.size() % width != 0)
      break;
    bool runs = true;
    for (size_t i = 0; i < side.positions.size(); ++i) {
      const layout::Coord &first = side.positions[i - i % width];
      layout::Coord expected = first;
      expected.back() += i % width;
      runs &= first.back() % width == 0 && side.positions[i] == expected;
    }
    if (runs)
      side.width = width;
  }
  (void)rank;
  return side;
}

LogicalResult ThreadProgram::emitDotFma(DotFmaOp op) {
  Location loc = op.getLoc();
  auto tile = cast<RankedTensorType>(op.getAcc().getType());
  unsigned rank = tile.getRank();
  const LayoutPlace &acc = place(tile);
  Type accElement = tile.getElementType();
  bool isInteger = isa<IntegerType>(accElement);
  MemDescType lhsType = op.getLhs().getType(), rhsType = op.getRhs().getType();
  int64_t extentK = lhsType.getShape()[rank - 1];

  struct Operand {
    MemDescType type;
    Value base;
    unsigned spaceDim, reduceDim;
    bool isUnsigned;
    Side side;
  };
  auto operand = [&](MemDescType type, Value base, unsigned spaceDim, unsigned reduceDim, bool isUnsigned) {
    int64_t bytes = type.getElementBytes();
    int64_t most = type.getLayout().getOrder()[0] == spaceDim
                       ? std::min(kMaxAccessBytes / bytes, type.getLayout().toLayout().contiguous(spaceDim))
                       : 1;
    return Operand{type, base, spaceDim, reduceDim, isUnsigned,
                   findSide(acc, spaceDim, type.getShape()[spaceDim], std::max<int64_t>(most, 1))};
  };
  Operand lhs = operand(lhsType, get(op.getLhs()), rank - 2, rank - 1, op.getLhsUnsigned());
  Operand rhs = operand(rhsType, get(op.getRhs()), rank - 1, rank - 2, op.getRhsUnsigned());

  auto loop = scf::ForOp::create(builder, loc, i32(loc, 0), i32(loc, extentK), i32(loc, 1), get(op.getAcc()));
  // Every trip is a full step already; unrolling it is for tile-control-unroll to decide.
  loop->setAttr("tile_gpu.nounroll", builder.getUnitAttr());
  OpBuilder::InsertionGuard guard(builder);
  if (!loop.getBody()->empty())
    loop.getBody()->getTerminator()->erase();
  builder.setInsertionPointToEnd(loop.getBody());
  Value k = loop.getInductionVar();

  // The operand's values at this k, one per accumulator register, in the accumulator's type.
  auto fetch = [&](const Operand &side) -> Value {
    Type element = elementOf(side.type.getElementType());
    int64_t width = side.side.width;
    SmallVector<Value> pieces;
    for (size_t first = 0; first < side.side.positions.size(); first += width) {
      const layout::Coord &position = side.side.positions[first];
      SmallVector<Value> coords(rank);
      Value pred;
      auto need = [&](unsigned accDim, int64_t offset) {
        Value coord = coordinate(loc, acc, accDim, offset);
        if (acc.layout.isRagged(accDim))
          pred = both(loc, pred,
                      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, coord,
                                            i32(loc, acc.layout.shape()[accDim])));
        return coord;
      };
      for (unsigned dim = 0; dim + 2 < rank; ++dim)
        coords[dim] = need(dim, position[dim]);
      coords[side.spaceDim] = need(side.spaceDim, position.back());
      coords[side.reduceDim] = k;
      Type piece = width == 1 ? element : VectorType::get({width}, element);
      pieces.push_back(
          LoadSharedOp::create(builder, loc, piece, sharedOffset(loc, side.type, side.base, coords), pred));
    }
    Value values = concat(loc, pieces);
    if (element != accElement) {
      Type wide = VectorType::get({static_cast<int64_t>(side.side.positions.size())}, accElement);
      if (!isInteger)
        values = arith::ExtFOp::create(builder, loc, wide, values);
      else if (side.isUnsigned)
        values = arith::ExtUIOp::create(builder, loc, wide, values);
      else
        values = arith::ExtSIOp::create(builder, loc, wide, values);
    }
    return pick(loc, values, side.side.positionOf);
  };
  Value left = fetch(lhs), right = fetch(rhs), sum = loop.getRegionIterArgs()[0];
  if (isInteger)
    sum = arith::AddIOp::create(builder, loc, sum, arith::MulIOp::create(builder, loc, left, right));
  else
    sum = math::FmaOp::create(builder, loc, left, right, sum);
  scf::YieldOp::create(builder, loc, sum);
  set(op.getResult(), loop.getResult(0));
  return success();
}
