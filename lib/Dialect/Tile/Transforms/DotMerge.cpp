// SPDX-License-Identifier: Apache-2.0
#include "tilewright/Dialect/Tile/Transforms/DotMerge.h"
#include "DotStack.h"
#include "tilewright/Dialect/Tile/Transforms/DotChoice.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tilewright;

static RankedTensorType tileType(Value value) { return cast<RankedTensorType>(value.getType()); }

/// The type of tiles side by side along `dim`.
static RankedTensorType joinedType(ValueRange parts, int64_t dim) {
  RankedTensorType first = tileType(parts[0]);
  SmallVector<int64_t> shape(first.getShape());
  shape[dim] = 0;
  for (Value part : parts)
    shape[dim] += tileType(part).getDimSize(dim);
  return RankedTensorType::get(shape, first.getElementType());
}

/// The number of the first of `parts` along `dim`, if they are neighbouring blocks of one tile, cut out in their order,
/// that are one block of a coarser cut.
static std::optional<int64_t> findCoarserBlock(ValueRange parts, int64_t dim) {
  auto first = parts[0].getDefiningOp<tile::ExtractOp>();
  if (!first)
    return std::nullopt;
  int64_t count = parts.size(), begin = 0;
  for (auto [place, part] : llvm::enumerate(parts)) {
    auto extract = part.getDefiningOp<tile::ExtractOp>();
    if (!extract || extract.getSource() != first.getSource() || part.getType() != parts[0].getType())
      return std::nullopt;
    for (int64_t other = 0; other < tileType(part).getRank(); ++other)
      if (other != dim && extract.getIndices()[other] != first.getIndices()[other])
        return std::nullopt;
    std::optional<int64_t> number = getConstantIntValue(extract.getIndices()[dim]);
    if (!number || (place != 0 && *number != begin + int64_t(place)))
      return std::nullopt;
    if (place == 0)
      begin = *number;
  }
  int64_t extent = tileType(parts[0]).getDimSize(dim) * count;
  bool isBlock = begin >= 0 && begin % count == 0 && tileType(first.getSource()).getDimSize(dim) % extent == 0;
  return isBlock ? std::optional(begin / count) : std::nullopt;
}

/// Bytes that have to be moved to put `parts` side by side.
static int64_t bytesToJoin(ValueRange parts, int64_t dim) {
  return findSplat(parts) || findCoarserBlock(parts, dim) ? 0 : bytesOfTile(joinedType(parts, dim));
}

static Value join(OpBuilder &builder, Location loc, ValueRange parts, int64_t dim) {
  RankedTensorType type = joinedType(parts, dim);
  if (DenseElementsAttr splat = findSplat(parts))
    return arith::ConstantOp::create(builder, loc, splat.resizeSplat(type));
  if (std::optional<int64_t> number = findCoarserBlock(parts, dim)) {
    auto first = parts[0].getDefiningOp<tile::ExtractOp>();
    if (first.getSource().getType() == type)
      return first.getSource();
    SmallVector<Value> indices(first.getIndices());
    indices[dim] = arith::ConstantIndexOp::create(builder, loc, *number);
    return tile::ExtractOp::create(builder, loc, type, first.getSource(), indices);
  }
  return tile::ConcatOp::create(builder, loc, type, parts, dim);
}

namespace {
/// What is put side by side when products are merged.
struct Sides {
  SmallVector<Value> lhs, rhs, acc;
};
} // namespace

static Sides sidesOf(ArrayRef<tile::DotOp> dots) {
  Sides sides;
  for (tile::DotOp dot : dots) {
    sides.lhs.push_back(dot.getLhs());
    sides.rhs.push_back(dot.getRhs());
    sides.acc.push_back(dot.getAcc());
  }
  return sides;
}

/// Whether two products differ in nothing but operands, and nothing was chosen for them yet.
static bool isSameKind(tile::DotOp a, tile::DotOp b) {
  auto elements = [](tile::DotOp dot) {
    return std::tuple(tileType(dot.getLhs()).getElementType(), tileType(dot.getRhs()).getElementType(),
                      tileType(dot.getAcc()).getElementType());
  };
  return a->getBlock() == b->getBlock() && elements(a) == elements(b) &&
         a->getAttrDictionary() == b->getAttrDictionary() && !a->hasAttr(tile::kDotChoiceAttr);
}

/// Clocks of an SM with the family that `dot` asks for, else with the best. Nothing if the family cannot compute it.
static std::optional<int64_t> clocksOf(tile::DotOp dot, const DotQuery &query, const Target &target) {
  auto wish = dot->getAttrOfType<StringAttr>(tile::kMmaAttr);
  std::optional<MmaFamily> family = wish ? parseMmaFamily(wish.getValue()) : std::nullopt;
  FamilyFit fit = family ? fitFamily(query, target, *family) : planDot(query, target).chosen;
  return fit.canCompute() && fit.isLowered ? std::optional(fit.clocks) : std::nullopt;
}

/// Fills in the costs of a group. False if the family that its products ask for cannot compute all of them.
static bool weigh(DotMerge &merge, const Target &target, unsigned warps) {
  Sides sides = sidesOf(merge.dots);
  int64_t rank = tileType(sides.acc[0]).getRank(), rows = rank - 2, columns = rank - 1, moved = 0;
  bool isAlongK = merge.kind == DotMergeKind::AlongK;
  DotQuery query = describeDot(merge.dots[0], warps);
  unsigned extent = merge.kind == DotMergeKind::AlongM ? 0 : merge.kind == DotMergeKind::AlongN ? 1 : 2;
  query.extents[extent] = 0;
  for (tile::DotOp dot : merge.dots) {
    DotQuery part = describeDot(dot, warps);
    query.extents[extent] += part.extents[extent];
    std::optional<int64_t> clocks = clocksOf(dot, part, target);
    if (!clocks)
      return false;
    merge.clocksApart += *clocks;
  }
  std::optional<int64_t> clocks = clocksOf(merge.dots[0], query, target);
  if (!clocks)
    return false;
  merge.clocksMerged = *clocks;
  if (merge.kind != DotMergeKind::AlongN) {
    moved += bytesToJoin(sides.lhs, isAlongK ? columns : rows);
    merge.operandBytes += bytesOfTile(joinedType(sides.lhs, isAlongK ? columns : rows));
  } else {
    merge.operandBytes += bytesOfTile(tileType(sides.lhs[0]));
  }
  if (merge.kind != DotMergeKind::AlongM) {
    moved += bytesToJoin(sides.rhs, isAlongK ? rows : columns);
    merge.operandBytes += bytesOfTile(joinedType(sides.rhs, isAlongK ? rows : columns));
  } else {
    merge.operandBytes += bytesOfTile(tileType(sides.rhs[0]));
  }
  if (!isAlongK)
    moved += bytesToJoin(sides.acc, merge.kind == DotMergeKind::AlongM ? rows : columns);
  merge.clocksMoved = llvm::divideCeil(2 * moved, Target::kSharedBytesPerClock); // Written and read.
  merge.operandBytesLimit = target.maxSharedBytesPerBlock / kSharedShare;
  return true;
}

/// The product that `dot` adds to, if it could be one with it along K.
static tile::DotOp findPrevious(tile::DotOp dot) {
  auto previous = dot.getAcc().getDefiningOp<tile::DotOp>();
  if (!previous || !previous.getResult().hasOneUse() || !isSameKind(previous, dot))
    return {};
  // Products of the same tile's parts, smallest first, are kept in that order for accuracy.
  if (previous.getLhs() == dot.getLhs() || previous.getRhs() == dot.getRhs())
    return {};
  return previous;
}

static std::vector<DotMerge> findChains(func::FuncOp func) {
  std::vector<DotMerge> merges;
  func.walk([&](tile::DotOp dot) {
    // From the end of a chain backwards.
    if (dot.getResult().hasOneUse())
      if (auto next = dyn_cast<tile::DotOp>(*dot.getResult().user_begin()); next && findPrevious(next) == dot)
        return;
    DotMerge merge;
    for (tile::DotOp member = dot; member; member = findPrevious(member))
      merge.dots.push_back(member);
    if (merge.dots.size() < 2)
      return;
    std::reverse(merge.dots.begin(), merge.dots.end());
    merges.push_back(std::move(merge));
  });
  return merges;
}

static std::vector<DotMerge> findJoinedSums(func::FuncOp func, DotMergeKind kind) {
  std::vector<DotMerge> merges;
  func.walk([&](tile::ConcatOp concat) {
    int64_t dim = tileType(concat.getResult()).getRank() - (kind == DotMergeKind::AlongN ? 1 : 2);
    if (int64_t(concat.getDim()) != dim || concat.getSources().size() < 2)
      return;
    DotMerge merge;
    merge.kind = kind;
    merge.concat = concat;
    for (Value source : concat.getSources()) {
      auto dot = source.getDefiningOp<tile::DotOp>();
      if (!dot || !source.hasOneUse() || dot->getBlock() != concat->getBlock())
        return;
      tile::DotOp first = merge.dots.empty() ? dot : merge.dots[0];
      bool sharesOperand =
          kind == DotMergeKind::AlongN ? dot.getLhs() == first.getLhs() : dot.getRhs() == first.getRhs();
      if (!isSameKind(first, dot) || !sharesOperand)
        return;
      merge.dots.push_back(dot);
    }
    merges.push_back(std::move(merge));
  });
  return merges;
}

std::vector<DotMerge> tilewright::planDotMerges(func::FuncOp func, DotMergeKind kind, const Target &target,
                                                unsigned warps) {
  std::vector<DotMerge> merges = kind == DotMergeKind::AlongK ? findChains(func) : findJoinedSums(func, kind);
  llvm::erase_if(merges, [&](DotMerge &merge) {
    merge.kind = kind;
    return !weigh(merge, target, warps); // The choice of instructions says what is wrong with it.
  });
  return merges;
}

static StringRef nameOf(DotMergeKind kind) {
  return kind == DotMergeKind::AlongK ? "K" : kind == DotMergeKind::AlongN ? "N" : "M";
}

static void explain(const DotMerge &merge, func::FuncOp func, StringRef category) {
  Location loc = merge.dots.back()->getLoc();
  auto options = remark::RemarkOpts::name("MergeDots").category(category).function(func.getSymName());
  if (!merge.fits())
    remark::missed(loc, options) << remark::reason("{0} products side by side along {1} stay apart: operands of one "
                                                   "would take {2} bytes of shared memory, {3} may",
                                                   merge.dots.size(), nameOf(merge.kind), merge.operandBytes,
                                                   merge.operandBytesLimit);
  else if (merge.pays())
    remark::passed(loc, options) << remark::add(
        "{0} products side by side along {1} become one: {2} clocks of an SM, {3} apart; {4} to move operands",
        merge.dots.size(), nameOf(merge.kind), merge.clocksMerged, merge.clocksApart, merge.clocksMoved);
  else
    remark::missed(loc, options) << remark::reason(
        "{0} products side by side along {1} stay apart: {2} clocks of an SM, as one {3} and {4} to move operands",
        merge.dots.size(), nameOf(merge.kind), merge.clocksApart, merge.clocksMerged, merge.clocksMoved);
}

static void rewrite(DotMerge merge) {
  Sides sides = sidesOf(merge.dots);
  Operation *last = merge.concat ? merge.concat.getOperation() : merge.dots.back().getOperation();
  OpBuilder builder(last);
  Location loc = merge.dots.back()->getLoc();
  int64_t rank = tileType(sides.acc[0]).getRank(), rows = rank - 2, columns = rank - 1;
  Value lhs = sides.lhs[0], rhs = sides.rhs[0], acc = sides.acc[0];
  switch (merge.kind) {
  case DotMergeKind::AlongK:
    lhs = join(builder, loc, sides.lhs, columns);
    rhs = join(builder, loc, sides.rhs, rows);
    break;
  case DotMergeKind::AlongN:
    rhs = join(builder, loc, sides.rhs, columns);
    acc = join(builder, loc, sides.acc, columns);
    break;
  case DotMergeKind::AlongM:
    lhs = join(builder, loc, sides.lhs, rows);
    acc = join(builder, loc, sides.acc, rows);
    break;
  }
  Operation *merged = builder.clone(*merge.dots.back().getOperation());
  merged->setOperands({lhs, rhs, acc});
  merged->getResult(0).setType(acc.getType());
  last->getResult(0).replaceAllUsesWith(merged->getResult(0));
  if (merge.concat)
    last->erase();
  SmallVector<Value> operands;
  for (tile::DotOp dot : llvm::reverse(merge.dots)) {
    llvm::append_range(operands, dot->getOperands().take_front(2));
    dot.erase();
  }
  // What was cut out for the parts alone would be moved for nothing.
  llvm::SetVector<Operation *> dead;
  for (Value operand : operands)
    if (Operation *op = operand.getDefiningOp(); op && isOpTriviallyDead(op))
      dead.insert(op);
  for (Operation *op : dead)
    op->erase();
}

void tilewright::mergeDots(func::FuncOp func, const Target &target, unsigned warps, StringRef category) {
  for (DotMergeKind kind : {DotMergeKind::AlongK, DotMergeKind::AlongN, DotMergeKind::AlongM})
    for (const DotMerge &merge : planDotMerges(func, kind, target, warps)) {
      explain(merge, func, category);
      if (merge.fits() && merge.pays())
        rewrite(merge);
    }
}
