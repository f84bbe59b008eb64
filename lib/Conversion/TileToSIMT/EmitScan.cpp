// SPDX-License-Identifier: Apache-2.0
// Scans inside a warp, and the step across warps.
//
// The coordinate along the dimension is a mixed radix number whose places belong to registers or lanes
// (layout::axisFactors). Going up, after each run of places every element is the inclusive prefix of its block of the
// places so far, and the total of each block is known in all lanes that share the block. Registers are then added in
// order, lanes by exchanging totals pairwise. What comes before is always the left operand, so the combiner need not
// commute.
#include "ThreadProgram.h"
#include "tilewright/Layout/AxisFactors.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::simt;
using namespace tilewright::tile_gpu;

using Owner = layout::AxisFactor::Owner;

/// One vector per scanned tile; `exists` is null where the run has elements in every thread.
struct ThreadProgram::Part {
  SmallVector<Value> values;
  Value exists;
};

/// The parts in order as one; where one has no elements it is the other.
ThreadProgram::Part ThreadProgram::joinParts(Location loc, Block &body, const Part &before, const Part &after,
                                             int64_t count) {
  Part result;
  result.values = combine(body, before.values, after.values, count);
  for (auto [i, value] : llvm::enumerate(result.values)) {
    if (after.exists)
      value = arith::SelectOp::create(builder, loc, after.exists, value, before.values[i]);
    if (before.exists)
      value = arith::SelectOp::create(builder, loc, before.exists, value, after.values[i]);
  }
  if (before.exists && after.exists)
    result.exists = arith::OrIOp::create(builder, loc, before.exists, after.exists);
  return result;
}

ThreadProgram::Part ThreadProgram::choosePart(Location loc, Value condition, const Part &yes, const Part &no) {
  Part result;
  for (auto [a, b] : llvm::zip(yes.values, no.values))
    result.values.push_back(arith::SelectOp::create(builder, loc, condition, a, b));
  if (!yes.exists && !no.exists)
    return result;
  Value always = boolean(loc, true);
  result.exists = arith::SelectOp::create(builder, loc, condition, yes.exists ? yes.exists : always,
                                          no.exists ? no.exists : always);
  return result;
}

namespace {
/// Registers of a tile as a table: `registers` of one row differ along the dimension only, in rising order.
struct RegisterTable {
  std::vector<layout::Coord> keys;                  ///< Offsets with the dimension's set to 0, one per row.
  std::vector<int64_t> steps;                       ///< Offsets along the dimension, rising.
  std::vector<std::vector<int64_t>> registers;      ///< [step][row]
  std::vector<std::pair<int64_t, int64_t>> placeOf; ///< Step and row of each register.

  RegisterTable(const LayoutPlace &place, unsigned dim) {
    std::map<layout::Coord, int64_t> rowOf;
    std::map<int64_t, int64_t> stepOf;
    auto keyOf = [&](layout::Coord offset) {
      offset[dim] = 0;
      return offset;
    };
    for (const layout::Coord &offset : place.registerOffset) {
      if (rowOf.try_emplace(keyOf(offset), keys.size()).second)
        keys.push_back(keyOf(offset));
      stepOf.try_emplace(offset[dim], 0);
    }
    for (auto &[offset, number] : stepOf) {
      number = steps.size();
      steps.push_back(offset);
    }
    registers.assign(steps.size(), std::vector<int64_t>(keys.size(), 0));
    for (auto [reg, offset] : llvm::enumerate(place.registerOffset)) {
      placeOf.push_back({stepOf[offset[dim]], rowOf[keyOf(offset)]});
      registers[placeOf.back().first][placeOf.back().second] = reg;
    }
  }
};
} // namespace

LogicalResult ThreadProgram::emitPartialScan(PartialScanOp op) {
  Location loc = op.getLoc();
  unsigned dim = op.getDim();
  size_t tiles = op.getSources().size();
  bool reverse = op.getReverse();
  Block &body = op.getBody().front();
  if (failed(checkCombiner(op)))
    return failure();
  for (Value source : op.getSources())
    if (getElementBytes(getElementTypeOrSelf(source.getType())) == 0)
      return op.emitOpError("is not lowered for elements of ") << source.getType() << " yet";
  const LayoutPlace &from = place(op.getSources()[0].getType()), &to = place(op.getResults()[tiles].getType());
  if (!layout::isScannable(from.layout, dim))
    return op.emitOpError("expects each warp to hold neighbours along dim ") << dim << ", warps in rising order";
  std::vector<layout::AxisFactor> factors = *layout::axisFactors(from.layout, dim);
  RegisterTable table(from, dim);
  int64_t rows = table.keys.size();
  SmallVector<int64_t> totalRows; // Row of each register of the totals.
  for (const layout::Coord &offset : to.registerOffset) {
    layout::Coord key = offset;
    key[dim] = 0;
    auto found = llvm::find(table.keys, key);
    if (found == table.keys.end() || offset[dim] != 0)
      return op.emitOpError("expects totals in the registers of the source without dim ") << dim;
    totalRows.push_back(found - table.keys.begin());
  }

  // Element by element along `dim`, in the order of the scan. Places outside of a ragged tile come last in forward
  // order, where nothing follows that exists; in reverse they come first, and must be told apart.
  std::vector<Part> parts;
  SmallVector<int64_t> order = llvm::to_vector(llvm::seq<int64_t>(0, table.steps.size()));
  if (reverse)
    std::reverse(order.begin(), order.end());
  for (int64_t step : order) {
    Part part;
    for (Value source : op.getSources())
      part.values.push_back(
          pick(loc, get(source), SmallVector<int64_t>(table.registers[step].begin(), table.registers[step].end())));
    if (reverse && from.layout.isRagged(dim)) {
      part.exists =
          arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, coordinate(loc, from, dim, table.steps[step]),
                                i32(loc, from.layout.shape()[dim]));
      if (ArrayAttr identity = op.getIdentityAttr()) {
        for (auto [value, neutral] : llvm::zip(part.values, identity)) {
          auto type = cast<VectorType>(value.getType());
          Value other = arith::ConstantOp::create(builder, loc, DenseElementsAttr::get(type, Attribute(neutral)));
          value = arith::SelectOp::create(builder, loc, part.exists, value, other);
        }
        part.exists = {};
      }
    }
    parts.push_back(part);
  }

  auto join = [&](const Part &before, const Part &after) { return joinParts(loc, body, before, after, rows); };
  /// Puts `prefix` in front of the elements of block `block`.
  auto extend = [&](const Part &prefix, size_t block, size_t size) {
    for (size_t i = block * size; i < (block + 1) * size; ++i)
      parts[i] = join(prefix, parts[i]);
  };
  std::vector<Part> totals = parts; // One per block of registers.
  bool areElements = true;          // Each total is an element still.
  for (size_t next = 0; next < factors.size() && factors[next].owner != Owner::Warp;) {
    size_t first = next;
    while (next < factors.size() && factors[next].owner == factors[first].owner)
      ++next;
    size_t size = parts.size() / totals.size();
    if (factors[first].owner == Owner::Register) {
      size_t radix = 1;
      for (size_t i = first; i < next; ++i)
        radix *= factors[i].radix;
      std::vector<Part> merged;
      for (size_t block = 0; block < totals.size(); ++block) {
        if (block % radix == 0) {
          merged.push_back(totals[block]);
          continue;
        }
        Part sum = join(merged.back(), totals[block]);
        if (areElements)
          parts[block] = sum;
        else
          extend(merged.back(), block, size);
        merged.back() = sum;
      }
      totals = std::move(merged);
    } else {
      for (size_t block = 0; block < totals.size(); ++block) {
        Part prefix; // What comes before in lower lanes; no values where nothing does.
        for (size_t i = first; i < next; ++i) {
          Value bit = i32(loc, int64_t(1) << factors[i].bit);
          Part other;
          for (Value value : totals[block].values)
            other.values.push_back(shuffleBits(loc, ShuffleMode::bfly, value, bit));
          if (Value exists = totals[block].exists)
            other.exists = slice(loc, shuffleBits(loc, ShuffleMode::bfly, splat(loc, exists, 1), bit), 0, 1);
          Value isLate =
              arith::CmpIOp::create(builder, loc, reverse ? arith::CmpIPredicate::eq : arith::CmpIPredicate::ne,
                                    arith::AndIOp::create(builder, loc, lane, bit), i32(loc, 0));
          Part longer = prefix.values.empty() ? other : join(other, prefix);
          if (prefix.values.empty()) {
            prefix = other;
            prefix.exists = both(loc, isLate, other.exists);
          } else {
            prefix = choosePart(loc, isLate, longer, prefix);
          }
          totals[block] =
              join(choosePart(loc, isLate, other, totals[block]), choosePart(loc, isLate, totals[block], other));
        }
        extend(prefix, block, size);
      }
    }
    areElements = false;
  }

  // Back into registers: all steps side by side, and each register picks its own.
  for (size_t i = 0; i < tiles; ++i) {
    SmallVector<Value> pieces;
    for (const Part &part : parts)
      pieces.push_back(part.values[i]);
    SmallVector<int64_t> lanes;
    for (auto [step, row] : table.placeOf)
      lanes.push_back((reverse ? static_cast<int64_t>(parts.size()) - 1 - step : step) * rows + row);
    set(op.getResults()[i], pick(loc, concat(loc, pieces), lanes));
    // A warp's own totals: above the factors of registers and lanes there is one block.
    set(op.getResults()[tiles + i], pick(loc, totals[0].values[i], totalRows));
  }
  return success();
}

LogicalResult ThreadProgram::emitAddPrefix(AddPrefixOp op) {
  Location loc = op.getLoc();
  unsigned dim = op.getDim();
  size_t tiles = op.getResults().size();
  Block &body = op.getBody().front();
  ValueRange sources = op.getSources().take_front(tiles), sums = op.getSources().drop_front(tiles);
  const LayoutPlace &whole = place(sources[0].getType()), &gathered = place(sums[0].getType());
  RegisterTable table(whole, dim), totals(gathered, dim);
  int64_t rows = table.keys.size(), positions = gathered.layout.shape()[dim];
  // Number of this warp's position: what its coordinate has above the factors of registers and lanes.
  int64_t held = 1;
  std::optional<std::vector<layout::AxisFactor>> factors = layout::axisFactors(whole.layout, dim);
  if (!factors || !layout::isScannable(whole.layout, dim) || table.keys != totals.keys ||
      static_cast<int64_t>(totals.steps.size()) < positions)
    return op.emitOpError("expects what partial_scan gave, with the totals of all warps in registers");
  for (const layout::AxisFactor &factor : *factors)
    if (factor.owner != Owner::Warp)
      held *= factor.radix;
  Value own = arith::DivUIOp::create(builder, loc, whole.threadCoord[dim], i32(loc, held));

  Part prefix;
  for (int64_t i = 0; i + 1 < positions; ++i) {
    int64_t position = op.getReverse() ? positions - 1 - i : i;
    Part total;
    for (Value sum : sums)
      total.values.push_back(pick(
          loc, get(sum), SmallVector<int64_t>(totals.registers[position].begin(), totals.registers[position].end())));
    Value isEarlier = arith::CmpIOp::create(
        builder, loc, op.getReverse() ? arith::CmpIPredicate::ult : arith::CmpIPredicate::ugt, own, i32(loc, position));
    if (prefix.values.empty()) {
      prefix = total;
      prefix.exists = isEarlier;
    } else {
      Part longer = joinParts(loc, body, prefix, total, rows);
      prefix.values = choosePart(loc, isEarlier, longer, prefix).values;
    }
  }
  std::vector<Part> parts(table.steps.size());
  for (size_t step = 0; step < parts.size(); ++step) {
    for (Value source : sources)
      parts[step].values.push_back(
          pick(loc, get(source), SmallVector<int64_t>(table.registers[step].begin(), table.registers[step].end())));
    if (!prefix.values.empty())
      parts[step] = joinParts(loc, body, prefix, parts[step], rows);
  }
  for (size_t i = 0; i < tiles; ++i) {
    SmallVector<Value> pieces;
    for (const Part &part : parts)
      pieces.push_back(part.values[i]);
    SmallVector<int64_t> lanes;
    for (auto [step, row] : table.placeOf)
      lanes.push_back(step * rows + row);
    set(op.getResults()[i], pick(loc, concat(loc, pieces), lanes));
  }
  return success();
}
