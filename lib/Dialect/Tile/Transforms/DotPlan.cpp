// SPDX-License-Identifier: Apache-2.0
#include "tilewright/Dialect/Tile/Transforms/DotPlan.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace tilewright;

std::string tilewright::stringify(const MmaShape &shape) {
  return llvm::formatv("m{0}n{1}k{2}", shape[0], shape[1], shape[2]);
}

std::string FamilyFit::obstacle() const { return gates.empty() ? costGate : llvm::join(gates, ", and "); }

/// The row of `family` for these types. Null where there is none on `target`, and `gate` says why.
static const MmaRow *findRow(const DotQuery &query, const Target &target, MmaFamily family, std::string &gate) {
  const MmaRow *other = nullptr;
  for (const MmaRow &row : allMmaRows()) {
    if (row.family != family || !row.takes(query.lhs, query.rhs) || !row.sumsUpIn(query.sum))
      continue;
    if (row.isAvailable(target))
      return &row;
    other = &row;
  }
  if (query.lhs == ScalarType::F32)
    gate = "f32 operands keep all their bits unless the product allows tf32";
  else if (!other)
    gate = llvm::formatv("it has no instruction for {0} times {1} with sums in {2}", scalarTypeName(query.lhs),
                         scalarTypeName(query.rhs), scalarTypeName(query.sum));
  else
    gate = llvm::formatv("the target {0} has none for {1}, {2} is the first that has", target.name,
                         scalarTypeName(query.lhs), other->firstTarget());
  return nullptr;
}

/// The widest instruction of `extents` whose columns divide `columns` and are a multiple of `step`; 0 if there is none.
static int64_t widestDivisor(const MmaExtents &extents, int64_t columns, int64_t step) {
  for (int64_t n = std::min<int64_t>(extents.most, columns); n >= 1; --n)
    if (columns % n == 0 && n % step == 0 && extents.contains(n))
      return n;
  return 0;
}

/// How `warps` share a product: as many groups along M as its rows go round for, the others along N.
static int64_t groupsAlongN(int64_t blocksOfRows, const MmaFamilyRow &family, unsigned warps) {
  if (warps == 0 || family.warpUnit == 1 || family.sums != "registers")
    return 1; // No instruction is wider than one group, and tensor memory is everybody's.
  int64_t groups = warps / family.warpUnit;
  return groups / std::gcd(groups, blocksOfRows);
}

/// Tries one shape of `row` and keeps it in `fit` if it takes fewer clocks than what is there. Otherwise says why not.
static void tryShape(const DotQuery &query, const Target &target, const MmaRow &row, const MmaRow::Shape &shape,
                     FamilyFit &fit, std::vector<std::string> &gates) {
  auto [m, n, k] = query.extents;
  int64_t step = query.rhsMajor == MmaMajor::MN ? row.nMajorStep : 1;
  int64_t unit = std::lcm<int64_t>(shape.n.step, step);
  if (!row.pads) {
    using Rule = std::tuple<const char *, int64_t, int64_t>;
    for (auto [name, extent, divisor] : {Rule{"M", m, shape.m}, Rule{"N", n, unit}, Rule{"K", k, row.k}})
      if (extent % divisor != 0)
        gates.push_back(llvm::formatv("{0} is {1}, not a multiple of {2}", name, extent, divisor));
    if (!gates.empty())
      return;
  }
  MmaShape padded{int64_t(llvm::alignTo(m, shape.m)), int64_t(llvm::alignTo(n, unit)), int64_t(llvm::alignTo(k, row.k))};
  int64_t groups = groupsAlongN(padded[0] / shape.m, familyRow(row.family), query.warps);
  if (padded[1] % groups != 0) {
    gates.push_back(llvm::formatv("{0} warps would cut N, which is {1}, in {2}", query.warps, n, groups));
    return;
  }
  int64_t width = widestDivisor(shape.n, padded[1] / groups, step);
  if (width == 0) {
    gates.push_back(groups == 1 ? llvm::formatv("no instruction has a width that divides N, which is {0}", n).str()
                                : llvm::formatv("{0} warps would cut N, which is {1}, in {2}", query.warps, n, groups).str());
    return;
  }
  int64_t steps = query.batch * padded[0] * padded[1] * padded[2];
  int64_t clocks = llvm::divideCeil(steps, multiplyAddsPerClock(target, row.family, query.lhs, shape.m));
  // Of two that are equally fast the one that pads less; else the larger, which comes later, since it reads less.
  auto volume = [](const MmaShape &of) { return of[0] * of[1] * of[2]; };
  if (fit.clocks != 0 && std::pair(clocks, volume(padded)) > std::pair(fit.clocks, volume(fit.padded)))
    return;
  fit.shape = {shape.m, width, row.k};
  fit.padded = padded;
  fit.clocks = clocks;
}

/// The majorness that an instruction is given: what it wants, else what is there, else K.
static MmaMajor giveMajor(MmaMajor wanted, MmaMajor there) {
  if (wanted != MmaMajor::Any)
    return wanted;
  return there == MmaMajor::Any ? MmaMajor::K : there;
}

FamilyFit tilewright::fitFamily(const DotQuery &query, const Target &target, MmaFamily family) {
  FamilyFit fit;
  fit.family = family;
  const MmaFamilyRow &rules = familyRow(family);
  if (!hasMmaFamily(target, family)) {
    const Target *first = findFirstTarget([&](const Target &row) { return hasMmaFamily(row, family); });
    fit.gates.push_back(llvm::formatv("the target {0} has no {1}, {2} is the first that has", target.name, rules.name,
                                      first ? first->name : "none"));
    return fit;
  }
  std::string typeGate;
  const MmaRow *row = findRow(query, target, family, typeGate);
  if (!row) {
    fit.gates.push_back(typeGate);
    return fit;
  }
  fit.isLowered = row->isLowered;
  if (query.batch > 1 && !rules.takesBatches)
    fit.gates.push_back(llvm::formatv("the product is of {0} matrices, it multiplies one", query.batch));
  bool areWarpsLegal = query.warps == 0 || rules.allowsWarps(query.warps);
  if (!areWarpsLegal)
    fit.gates.push_back(llvm::formatv("{0} warps are not {1}", query.warps, rules.legalWarps()));

  DotQuery shared = query;
  if (!areWarpsLegal)
    shared.warps = 0; // Said once.
  std::vector<std::string> shapeGates;
  for (const MmaRow::Shape &shape : row->shapes) {
    shapeGates.clear();
    tryShape(shared, target, *row, shape, fit, shapeGates);
  }
  if (fit.clocks == 0)
    llvm::append_range(fit.gates, shapeGates);

  // A computed left operand is written where the family wants it, in the order that it wants.
  auto checkMajor = [&](const char *name, const char *outer, MmaMajor wanted, MmaMajor there, ScalarType type) {
    if (wanted == MmaMajor::Any || there == MmaMajor::Any || wanted == there)
      return;
    std::string text = llvm::formatv("{0} is contiguous along {1}, {2} wants {3} along {4}", name,
                                     there == MmaMajor::K ? "K" : outer, rules.name, scalarTypeName(type),
                                     wanted == MmaMajor::K ? "K" : outer);
    (rules.readsInPlace ? fit.gates : fit.turned).push_back(std::move(text));
  };
  MmaMajor lhsThere = query.isLhsComputed ? MmaMajor::Any : query.lhsMajor;
  MmaMajor rhsThere = query.isRhsComputed ? MmaMajor::Any : query.rhsMajor;
  checkMajor("lhs", "M", row->lhs, lhsThere, query.lhs);
  checkMajor("rhs", "N", row->rhs, rhsThere, query.rhs);
  fit.lhsMajor = giveMajor(row->lhs, lhsThere);
  fit.rhsMajor = giveMajor(row->rhs, rhsThere);
  fit.lhsSource = query.isLhsComputed ? rules.computedLhs : rules.loadedOperands;
  fit.rhsSource = rules.loadedOperands;
  fit.sumPlace = rules.sums;
  return fit;
}

/// Weighs a small or padded product against the best slower family that can compute it.
static void weigh(const DotQuery &query, FamilyFit &fit, const FamilyFit &slower) {
  int64_t paysFrom = familyRow(fit.family).paysFrom;
  if (paysFrom == 1)
    return;
  if (fit.padded != query.extents && fit.clocks > slower.clocks) {
    fit.costGate = llvm::formatv("padded to {0} it takes {1} clocks, {2} takes {3}", stringify(fit.padded), fit.clocks,
                                 mmaFamilyName(slower.family), slower.clocks);
    return;
  }
  for (auto [name, extent] : {std::pair("M", query.extents[0]), std::pair("N", query.extents[1])})
    if (extent < paysFrom)
      fit.costGate = llvm::formatv("{0} is {1}, it pays from {2} on", name, extent, paysFrom);
}

DotPlan tilewright::planDot(const DotQuery &query, const Target &target) {
  std::vector<FamilyFit> fits; // Slowest first.
  for (const MmaFamilyRow &row : allMmaFamilies()) {
    if (!hasMmaFamily(target, row.family))
      continue;
    FamilyFit fit = fitFamily(query, target, row.family);
    auto slower = llvm::find_if(llvm::reverse(fits), [](const FamilyFit &other) { return other.obstacle().empty(); });
    if (fit.canCompute() && slower != fits.rend())
      weigh(query, fit, *slower);
    fits.push_back(std::move(fit));
  }
  DotPlan plan;
  std::vector<std::string> reasons, names;
  std::string last;
  auto flush = [&] {
    if (!names.empty())
      reasons.push_back("no " + llvm::join(names, " or ") + ": " + last);
    names.clear();
  };
  for (FamilyFit &fit : llvm::reverse(fits)) {
    std::string name(mmaFamilyName(fit.family)), obstacle = fit.obstacle();
    if (obstacle.empty() && fit.isLowered) {
      flush();
      plan.chosen = std::move(fit);
      plan.reason = llvm::join(reasons, "; ");
      return plan;
    }
    if (obstacle.empty()) {
      flush();
      std::string padding = fit.padded == query.extents ? "" : ", padded to " + stringify(fit.padded);
      reasons.push_back(name + " " + stringify(fit.shape) + " fits" + padding + ", but is not lowered yet");
      if (!plan.wanted)
        plan.wanted = fit;
      continue;
    }
    // What stops several families is said once.
    if (!names.empty() && obstacle != last)
      flush();
    names.push_back(std::move(name));
    last = std::move(obstacle);
  }
  assert(false && "fma computes every product of the language");
  return plan;
}
