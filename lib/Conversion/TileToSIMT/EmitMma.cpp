// SPDX-License-Identifier: Apache-2.0
// Products on tensor cores, and the matrix loads that feed them.
#include "ThreadProgram.h"
#include "tilewright/Layout/MmaLayout.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::simt;
using namespace tilewright::tile_gpu;

/// 32-bit words of one instruction's operands. Source: MmaLayout.h.
static constexpr int64_t kLhsWords = 4, kRhsWords = 2, kWordBytes = 4;

Value ThreadProgram::emitLoadMatrix(LocalLoadOp op, const layout::MatrixAccess &access, int64_t group) {
  Location loc = op.getLoc();
  MemDescType type = op.getBuffer().getType();
  const LayoutPlace &rows = place(LayoutAttr::get(op.getContext(), access.rows));
  int64_t run = layout::kMatrixRowBytes / type.getElementBytes();
  auto word = builder.getI32Type();
  Type words = access.words == 1 ? Type(word) : VectorType::get({access.words}, word);
  Value offset = sharedOffset(loc, type, get(op.getBuffer()), rows, rows.registerOffset[group * run]);
  Value loaded = LoadMatrixOp::create(builder, loc, words, offset, access.isTransposed);
  if (access.words == 1)
    loaded = vector::BroadcastOp::create(builder, loc, VectorType::get({1}, word), loaded);
  return loaded;
}

void ThreadProgram::emitLoadMatrices(LocalLoadOp op, const layout::MatrixAccess &access) {
  auto tile = cast<RankedTensorType>(op.getResult().getType());
  int64_t bytes = op.getBuffer().getType().getElementBytes(), run = layout::kMatrixRowBytes / bytes;
  auto piece = VectorType::get({access.words * kWordBytes / bytes}, elementOf(tile.getElementType()));
  // A truth value is a byte in memory, and one bit of it here.
  bool isNarrow = piece.getElementType().isInteger() && piece.getElementTypeBitWidth() < bytes * 8;
  VectorType stored = isNarrow ? VectorType::get(piece.getShape(), builder.getIntegerType(bytes * 8)) : piece;
  SmallVector<Value> pieces;
  for (int64_t group = 0, end = access.rows.registersPerThread() / run; group < end; ++group) {
    Value loaded = vector::BitCastOp::create(builder, op.getLoc(), stored, emitLoadMatrix(op, access, group));
    pieces.push_back(isNarrow ? Value(arith::TruncIOp::create(builder, op.getLoc(), piece, loaded)) : loaded);
  }
  set(op.getResult(), concat(op.getLoc(), pieces));
}

/// True if nothing between a load from a buffer and the product that alone reads it as left or right operand writes memory
/// or waits, so that the product may read the buffer itself, piece by piece. Sums are needed whole.
static bool canDefer(LocalLoadOp load) {
  if (!load->hasOneUse())
    return false;
  auto user = dyn_cast<DotMmaOp>(*load->user_begin());
  if (!user || user.getAcc() == load.getResult() || user->getBlock() != load->getBlock())
    return false;
  for (Operation *op = load->getNextNode(); op != user; op = op->getNextNode())
    if (!isMemoryEffectFree(op) && !isa<LocalLoadOp>(op))
      return false;
  return true;
}

void ThreadProgram::deferOrLoadMatrices(LocalLoadOp op, const layout::MatrixAccess &access) {
  if (canDefer(op))
    deferredLoads.insert({op.getResult(), access});
  else
    emitLoadMatrices(op, access);
}

namespace {
/// Finds registers by what they add to the coordinates of a thread.
class RegisterIndex {
public:
  explicit RegisterIndex(const LayoutPlace &place) {
    for (auto [reg, offset] : llvm::enumerate(place.registerOffset))
      registers.try_emplace(offset, reg);
  }
  int64_t at(const layout::Coord &offset) const { return registers.at(offset); }

private:
  std::map<layout::Coord, int64_t> registers;
};
} // namespace

/// What registers add along `dim`, multiples of `unit` only, once each, ascending.
static SmallVector<int64_t> offsetsAlong(const LayoutPlace &place, unsigned dim, int64_t unit) {
  llvm::SmallVector<int64_t> found;
  for (const layout::Coord &offset : place.registerOffset)
    if (offset[dim] % unit == 0)
      found.push_back(offset[dim]);
  llvm::sort(found);
  found.erase(llvm::unique(found), found.end());
  return found;
}

/// Replaces what lies outside of the tile along dimension `dim` by zeros, which add nothing to a product.
Value ThreadProgram::zeroOutside(Location loc, Value vector, const LayoutPlace &where, unsigned dim) {
  if (!where.layout.isRagged(dim))
    return vector;
  auto type = cast<VectorType>(vector.getType());
  Value zero = arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
  Value extent = i32(loc, where.layout.shape()[dim]);
  SmallVector<Value> valid;
  for (const layout::Coord &offset : where.registerOffset)
    valid.push_back(arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult,
                                          coordinate(loc, where, dim, offset[dim]), extent));
  Value mask = vector::FromElementsOp::create(builder, loc, VectorType::get(type.getShape(), builder.getI1Type()), valid);
  return arith::SelectOp::create(builder, loc, mask, vector, zero);
}

LogicalResult ThreadProgram::emitDotMma(DotMmaOp op) {
  Location loc = op.getLoc();
  auto accTile = cast<RankedTensorType>(op.getAcc().getType());
  unsigned rank = accTile.getRank(), m = rank - 2, n = rank - 1;
  const LayoutPlace &acc = place(accTile), &lhs = place(op.getLhs().getType()), &rhs = place(op.getRhs().getType());
  RegisterIndex accIndex(acc), lhsIndex(lhs), rhsIndex(rhs);

  struct Operand {
    const LayoutPlace &place;
    const RegisterIndex &index;
    unsigned space, reduce; ///< Dimensions: M or N, and K.
    Type type;
    int64_t words;
    Value vector;                               ///< All registers; null where matrices are loaded at need.
    LocalLoadOp load;                           ///< What loads them then, how, and what has been loaded.
    std::optional<layout::MatrixAccess> access;
    std::map<int64_t, Value> loaded;
    std::map<layout::Coord, Value> fragments; ///< By the place of the instruction's block.
  };
  auto make = [&](const LayoutPlace &where, const RegisterIndex &index, unsigned space, unsigned reduce, Value tile,
                  int64_t words) {
    Type type = cast<RankedTensorType>(tile.getType()).getElementType();
    if (type.isF32())
      type = FloatTF32Type::get(type.getContext());
    Operand operand{where, index, space, reduce, type, words, {}, {}, {}, {}, {}};
    if (auto found = deferredLoads.find(tile); found != deferredLoads.end()) {
      operand.load = cast<LocalLoadOp>(tile.getDefiningOp());
      operand.access = found->second;
    } else {
      operand.vector = zeroOutside(loc, get(tile), where, reduce);
    }
    return operand;
  };
  Operand left = make(lhs, lhsIndex, m, n, op.getLhs(), kLhsWords);
  Operand right = make(rhs, rhsIndex, n, m, op.getRhs(), kRhsWords);
  int64_t bytes = getElementBytes(cast<RankedTensorType>(op.getLhs().getType()).getElementType());
  int64_t perWord = kWordBytes / bytes, unitK = layout::kMmaKBytes / bytes;

  // One instruction's words of an operand, of the block that begins at `origin`.
  auto fragment = [&](Operand &operand, const layout::Coord &origin) -> Value {
    Value &slot = operand.fragments[origin];
    if (slot)
      return slot;
    SmallVector<int64_t> registers;
    for (int64_t word = 0; word < operand.words; ++word)
      for (int64_t i = 0; i < perWord; ++i) {
        // The left operand has two halves of eight rows, the right one has not.
        int64_t half = operand.words == kLhsWords ? word % 2 : 0, step = operand.words == kLhsWords ? word / 2 : word;
        layout::Coord offset = origin;
        offset[operand.space] += 8 * half;
        offset[operand.reduce] += 4 * perWord * step + i;
        registers.push_back(operand.index.at(offset));
      }
    if (!operand.vector) {
      SmallVector<Value> words;
      for (int64_t word = 0; word < operand.words; ++word) {
        int64_t number = registers[word * perWord] / perWord, group = number / operand.access->words;
        Value &loaded = operand.loaded[group];
        if (!loaded)
          loaded = emitLoadMatrix(operand.load, *operand.access, group);
        words.push_back(slice(loc, loaded, number % operand.access->words, 1));
      }
      return slot = concat(loc, words);
    }
    Value picked = pick(loc, operand.vector, registers);
    return slot = vector::BitCastOp::create(builder, loc, VectorType::get({operand.words}, builder.getI32Type()), picked);
  };

  // The accumulator's blocks of 16x8, and of each the registers of its four elements.
  struct Block {
    layout::Coord origin;
    SmallVector<int64_t> registers;
    Value sum;
  };
  SmallVector<Block> blocks;
  for (const layout::Coord &origin : acc.registerOffset) {
    if (origin[m] % layout::kMmaM != 0 || origin[n] % layout::kMmaN != 0)
      continue;
    Block block{origin, {}, {}};
    for (int64_t i = 0; i < 4; ++i) {
      layout::Coord offset = origin;
      offset[m] += 8 * (i / 2);
      offset[n] += i % 2;
      block.registers.push_back(accIndex.at(offset));
    }
    block.sum = pick(loc, get(op.getAcc()), block.registers);
    blocks.push_back(std::move(block));
  }

  // Steps along K outside: the operands of one step are used up before those of the next are needed.
  for (int64_t k : offsetsAlong(lhs, n, unitK))
    for (Block &block : blocks) {
      layout::Coord lhsOrigin = block.origin, rhsOrigin = block.origin;
      lhsOrigin[n] = k;
      rhsOrigin[m] = k;
      Value a = fragment(left, lhsOrigin), b = fragment(right, rhsOrigin);
      block.sum = MmaOp::create(builder, loc, block.sum.getType(), a, b, block.sum, left.type, right.type,
                                op.getLhsUnsigned(), op.getRhsUnsigned());
    }

  SmallVector<Value> sums;
  SmallVector<int64_t> order(acc.registers());
  for (Block &block : blocks) {
    for (auto [i, reg] : llvm::enumerate(block.registers))
      order[reg] = int64_t(sums.size()) * 4 + i;
    sums.push_back(block.sum);
  }
  set(op.getResult(), pick(loc, concat(loc, sums), order));
  return success();
}
