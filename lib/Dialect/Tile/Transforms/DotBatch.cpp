// SPDX-License-Identifier: Apache-2.0
#include "tilewright/Dialect/Tile/Transforms/DotBatch.h"
#include "DotStack.h"
#include "tilewright/Dialect/Tile/Transforms/DotChoice.h"
#include "tilewright/Layout/Conversion.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <map>

using namespace mlir;
using namespace tilewright;

static RankedTensorType tileType(Value value) { return cast<RankedTensorType>(value.getType()); }

//===----------------------------------------------------------------------===//
// Costs
//===----------------------------------------------------------------------===//

/// A trip through shared memory: written, a barrier, read.
static int64_t tripClocks(int64_t bytes) {
  return int64_t(layout::kSharedTripLatency) + llvm::divideCeil(2 * bytes, Target::kSharedBytesPerClock);
}

int64_t tilewright::clocksWithIdleWarps(const DotQuery &query, const FamilyFit &fit) {
  if (query.warps == 0 || familyRow(fit.family).warpUnit != 1)
    return fit.clocks;
  int64_t instructions = query.batch * (fit.padded[0] / fit.shape[0]) * (fit.padded[1] / fit.shape[1]);
  if (fit.family == MmaFamily::Fma)
    instructions = llvm::divideCeil(instructions, kWarpSize); // Each lane has its own.
  int64_t warps = query.warps, busy = std::min<int64_t>(instructions, warps);
  return llvm::divideCeil(fit.clocks * std::max<int64_t>(warps, Target::kSchedulersPerSm), busy);
}

static int64_t clocksApart(const BatchQuery &query, const FamilyFit &fit) {
  return query.count * clocksWithIdleWarps(query.dot, fit) + query.lhsCount * tripClocks(query.lhsBytes) +
         query.rhsCount * tripClocks(query.rhsBytes);
}

std::optional<BatchCost> tilewright::weighBatch(const BatchQuery &query, const FamilyFit &fit, const Target &target) {
  DotQuery all = query.dot;
  all.batch *= query.count;
  FamilyFit stacked = fitFamily(all, target, fit.family);
  if (!stacked.canCompute() || !stacked.isLowered)
    return std::nullopt;
  int64_t count = query.count;
  BatchCost cost;
  cost.apart = clocksApart(query, fit);
  cost.together = clocksWithIdleWarps(all, stacked) + tripClocks(count * query.lhsBytes) +
                  tripClocks(count * query.rhsBytes);
  if (query.joinsSums)
    cost.together += tripClocks(count * query.sumBytes);
  if (query.splitsSums)
    cost.together += count * tripClocks(query.sumBytes);
  return cost;
}

std::optional<DiagonalProduct> tilewright::planDiagonal(const BatchQuery &query, const FamilyFit &single,
                                                        const Target &target) {
  for (const MmaFamilyRow &row : llvm::reverse(allMmaFamilies())) {
    if (row.family <= single.family || !hasMmaFamily(target, row.family))
      return std::nullopt;
    auto [m, n, k] = query.dot.extents;
    if (m >= row.paysFrom && n >= row.paysFrom)
      continue;
    DotQuery all = query.dot;
    all.extents = {m * query.count, n * query.count, k};
    FamilyFit fit = fitFamily(all, target, row.family);
    if (!fit.canCompute() || all.extents[0] < row.paysFrom || all.extents[1] < row.paysFrom)
      continue;
    int64_t count = query.count;
    BatchCost cost;
    cost.apart = clocksApart(query, single);
    // The blocks beside the diagonal stay where they are.
    cost.together = fit.clocks + tripClocks(count * query.lhsBytes) + tripClocks(count * query.rhsBytes) +
                    tripClocks(count * query.sumBytes);
    return DiagonalProduct{std::move(fit), cost};
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

/// Whether two products differ in nothing but operands, and nothing was chosen for them yet.
static bool isSameKind(tile::DotOp a, tile::DotOp b) {
  return a->getOperandTypes() == b->getOperandTypes() && a->getAttrDictionary() == b->getAttrDictionary();
}

/// For each product, how many products of its block must be computed one after the other in front of it. Those of one
/// depth do not need each other.
static void findDepths(Block &block, llvm::MapVector<tile::DotOp, unsigned> &depths) {
  llvm::DenseMap<Operation *, unsigned> behind;
  for (Operation &op : block) {
    unsigned depth = 0;
    op.walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        if (Operation *source = operand.getDefiningOp(); source && source->getBlock() == &block)
          depth = std::max(depth, behind.lookup(source));
    });
    auto dot = dyn_cast<tile::DotOp>(op);
    if (dot)
      depths[dot] = depth;
    behind[&op] = depth + (dot ? 1 : 0);
  }
}

namespace {
/// Products that can be stacked, and the group that takes their sums as they are.
struct Group {
  SmallVector<tile::DotOp> dots;
  unsigned depth = 0;
  int next = -1;
};
} // namespace

static std::vector<Group> findGroups(func::FuncOp func) {
  std::vector<Group> groups;
  func.walk<WalkOrder::PreOrder>([&](Block *block) {
    size_t first = groups.size();
    llvm::MapVector<tile::DotOp, unsigned> depths;
    findDepths(*block, depths);
    for (auto &entry : depths) {
      tile::DotOp dot = entry.first;
      unsigned depth = entry.second;
      if (dot->hasAttr(tile::kDotChoiceAttr))
        continue;
      auto fits = [&](const Group &group) { return group.depth == depth && isSameKind(group.dots[0], dot); };
      auto known = std::find_if(groups.begin() + first, groups.end(), fits);
      if (known == groups.end())
        groups.push_back({{dot}, depth, -1});
      else
        known->dots.push_back(dot);
    }
  });
  llvm::erase_if(groups, [](const Group &group) { return group.dots.size() < 2; });
  return groups;
}

/// Finds the group that uses each sum of `group`, or what elementwise ops make of it, and nothing else does, as one operand
/// of the product in the same place.
static void findNext(Group &group, ArrayRef<Group> groups) {
  auto isOwn = [&](ArrayRef<Value> values) {
    for (auto [dot, value] : llvm::zip(group.dots, values))
      if (value.getDefiningOp() != dot)
        return false;
    return true;
  };
  auto isUsedOnce = [](Value value) { return value.hasOneUse(); };
  for (auto [number, other] : llvm::enumerate(groups))
    for (unsigned operand = 0; operand < 3 && other.dots.size() == group.dots.size(); ++operand) {
      SmallVector<Value> values;
      for (tile::DotOp dot : other.dots)
        values.push_back(dot->getOperand(operand));
      while (llvm::all_of(values, isUsedOnce)) {
        if (isOwn(values))
          group.next = number;
        if (group.next >= 0 || !stripElementwise(values))
          break;
      }
    }
}

static bool isSplat(ArrayRef<tile::DotOp> dots) {
  SmallVector<Value> sums;
  for (tile::DotOp dot : dots)
    sums.push_back(dot.getAcc());
  return bool(findSplat(sums));
}

static unsigned countOperands(ArrayRef<tile::DotOp> dots, unsigned operand) {
  llvm::SmallDenseSet<Value> values;
  for (tile::DotOp dot : dots)
    values.insert(dot->getOperand(operand));
  return values.size();
}

static BatchQuery describeGroup(const Group &group, ArrayRef<Group> groups, unsigned warps) {
  tile::DotOp dot = group.dots[0];
  BatchQuery query;
  query.dot = describeDot(dot, warps);
  query.count = group.dots.size();
  query.lhsCount = countOperands(group.dots, 0);
  query.rhsCount = countOperands(group.dots, 1);
  query.lhsBytes = bytesOfTile(tileType(dot.getLhs()));
  query.rhsBytes = bytesOfTile(tileType(dot.getRhs()));
  query.sumBytes = bytesOfTile(tileType(dot.getAcc()));
  auto comesStacked = [&](const Group &other) {
    return other.next >= 0 && &groups[other.next] == &group && dot.getAcc() == other.dots[0]->getResult(0);
  };
  query.joinsSums = !isSplat(group.dots) && llvm::none_of(groups, comesStacked);
  query.splitsSums = group.next < 0;
  return query;
}

/// What computes one product of the group; nothing where the wish of its author is impossible, which is the choice's error.
static std::optional<DotPlan> planSingle(tile::DotOp dot, const DotQuery &query, const Target &target) {
  DotPlan plan = planDot(query, target);
  auto wish = dot->getAttrOfType<StringAttr>(tile::kMmaAttr);
  std::optional<MmaFamily> family = wish ? parseMmaFamily(wish.getValue()) : std::nullopt;
  if (!family)
    return plan;
  plan.wanted.reset();
  plan.chosen = fitFamily(query, target, *family);
  return plan.chosen.canCompute() && plan.chosen.isLowered ? std::optional(plan) : std::nullopt;
}

std::vector<DotBatch> tilewright::planDotBatches(func::FuncOp func, const Target &target, unsigned warps) {
  std::vector<Group> groups = findGroups(func);
  for (Group &group : groups)
    findNext(group, groups);
  std::map<int, DotBatch> batches; // by the number of the last group
  llvm::SmallSet<int, 4> refused;
  for (auto [number, group] : llvm::enumerate(groups)) {
    int last = number;
    while (groups[last].next >= 0)
      last = groups[last].next;
    DotBatch &batch = batches[last];
    BatchQuery query = describeGroup(group, groups, warps);
    std::optional<DotPlan> single = planSingle(group.dots[0], query.dot, target);
    if (!single) {
      refused.insert(last);
      continue;
    }
    batch.steps.push_back(group.dots);
    batch.operandBytes = std::max(batch.operandBytes, query.count * (query.lhsBytes + query.rhsBytes));
    batch.operandBytesLimit = target.maxSharedBytesPerBlock / kSharedShare;
    if (std::optional<BatchCost> cost = weighBatch(query, single->chosen, target)) {
      batch.cost.apart += cost->apart;
      batch.cost.together += cost->together;
    } else {
      batch.obstacle = llvm::formatv("{0} multiplies one matrix", mmaFamilyName(single->chosen.family));
    }
    if (single->wanted && !familyRow(single->wanted->family).takesBatches)
      batch.obstacle = llvm::formatv("each fits {0} of {1}, which multiplies one matrix", stringify(single->wanted->shape),
                                     mmaFamilyName(single->wanted->family));
    else if (std::optional<DiagonalProduct> diagonal = planDiagonal(query, single->chosen, target); !batch.diagonal)
      batch.diagonal = std::move(diagonal);
    if (Operation *op = findPinned(group.dots); op && batch.obstacle.empty())
      batch.obstacle = llvm::formatv("{0} between them needs one of the sums and cannot move", op->getName());
  }
  std::vector<DotBatch> found;
  for (auto &[last, batch] : batches)
    if (!refused.contains(last))
      found.push_back(std::move(batch));
  return found;
}

//===----------------------------------------------------------------------===//
// Remarks and rewrite
//===----------------------------------------------------------------------===//

static void explain(const DotBatch &batch, func::FuncOp func, StringRef category) {
  tile::DotOp first = batch.steps[0].front();
  Location loc = first.getLoc();
  auto options = remark::RemarkOpts::name("MergeDots").category(category).function(func.getSymName());
  int64_t k = tileType(first.getLhs()).getShape().back();
  std::string what = llvm::formatv("{0} independent products of {1}x{2}", batch.steps[0].size(),
                                   llvm::join(llvm::map_range(tileType(first.getAcc()).getShape(),
                                                              [](int64_t extent) { return std::to_string(extent); }),
                                              "x"),
                                   k);
  if (batch.steps.size() > 1)
    what += llvm::formatv(" in each of {0} steps", batch.steps.size()).str();
  if (!batch.obstacle.empty())
    remark::missed(loc, options) << remark::reason("{0} stay apart: {1}", what, batch.obstacle);
  else if (!batch.fits())
    remark::missed(loc, options) << remark::reason(
        "{0} stay apart: operands of one would take {1} bytes of shared memory, {2} may", what, batch.operandBytes,
        batch.operandBytesLimit);
  else if (batch.pays())
    remark::passed(loc, options) << remark::add("{0} become one of several matrices: {1} clocks of an SM, {2} apart",
                                                what, batch.cost.together, batch.cost.apart);
  else
    remark::missed(loc, options) << remark::reason("{0} stay apart: {1} clocks of an SM, {2} as one of several matrices",
                                                   what, batch.cost.apart, batch.cost.together);
  if (!batch.diagonal)
    return;
  const FamilyFit &fit = batch.diagonal->fit;
  remark::missed(loc, options) << remark::reason(
      "{0} would be the diagonal blocks of one product of {1}, {2}: {3} clocks of an SM, {4} apart, but that is not "
      "done yet",
      what, mmaFamilyName(fit.family), stringify(fit.padded), batch.diagonal->cost.together, batch.diagonal->cost.apart);
}

void tilewright::batchDots(func::FuncOp func, const Target &target, unsigned warps, StringRef category) {
  for (const DotBatch &batch : planDotBatches(func, target, warps)) {
    explain(batch, func, category);
    if (batch.obstacle.empty() && batch.fits() && batch.pays())
      for (ArrayRef<tile::DotOp> step : batch.steps)
        stackDots(step);
  }
}
