// SPDX-License-Identifier: Apache-2.0
#include "tilewright/Analysis/InBounds.h"
#include "tilewright/Dialect/Tile/Transforms/KernelVersions.h"
#include "tilewright/Dialect/Tile/Transforms/Passes.h"
#include "tilewright/Dialect/Tile/Transforms/PeelLoop.h"
#include "tilewright/Dialect/Tile/Transforms/Promise.h"
#include "tilewright/Support/Counted.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Remarks.h"
#include "mlir/IR/SymbolTable.h"

namespace tilewright {
#define GEN_PASS_DEF_SPECIALIZEEVENKPASS
#include "tilewright/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilewright

using namespace mlir;
using namespace tilewright;

namespace {
/// A view dimension that an access checks; `number` counts the accesses of a function in walk order.
struct Check {
  ViewAccess access;
  unsigned number;
  unsigned dim;
  bool isInLoop;
  bool isLoopVariant;
};

/// Facts for a variant and the checks that they remove.
struct GuardPlan {
  ExtraFacts facts;
  SmallVector<Check> removed;
};

/// Checks that facts remove, in any version by the access's number and in the fastest one by the access.
struct Guarded {
  SmallVector<std::pair<unsigned, unsigned>> numbers;
  SmallVector<std::pair<Operation *, unsigned>> ops;
};
} // namespace

static bool isInLoop(Operation *op) { return op->getParentOfType<LoopLikeOpInterface>() != nullptr; }

/// The checks of `func` that `analysis` does not prove needless, in walk order.
static SmallVector<Check> findChecks(func::FuncOp func, InBoundsAnalysis &analysis) {
  SmallVector<Check> checks;
  unsigned number = 0;
  func.walk([&](Operation *op) {
    std::optional<ViewAccess> access = ViewAccess::of(op);
    if (!access)
      return;
    for (unsigned dim = 0; dim < access->offsets.size(); ++dim)
      if (!access->inBounds[dim] && !analysis.isInBounds(*access, dim))
        checks.push_back({*access, number, dim, isInLoop(op), analysis.isLoopVariant(*access, dim)});
    ++number;
  });
  return checks;
}

/// The checks that go under `facts`.
static SmallVector<Check> findRemoved(func::FuncOp func, const AlignmentAnalysis &alignment, ArrayRef<Check> checks,
                                      const ExtraFacts &facts) {
  InBoundsAnalysis analysis(func, findGrid(func), alignment, facts);
  SmallVector<Check> removed;
  for (const Check &check : checks)
    if (analysis.isInBounds(check.access, check.dim))
      removed.push_back(check);
  return removed;
}

/// Whether a guard can test divisors of the number: narrower integers could not hold them.
static bool isTestable(func::FuncOp func, HostNumber number) {
  Type type = func.getArgument(number.argument).getType();
  return number.dim >= 0 || type.isIndex() || type.isInteger(32) || type.isInteger(64);
}

/// The fewest facts about the parameters that remove as many of `checks` as facts can. Pure.
static GuardPlan planGuard(func::FuncOp func, const AlignmentAnalysis &alignment, ArrayRef<Check> checks) {
  InBoundsAnalysis plain(func, findGrid(func), alignment);
  GuardPlan plan;
  SmallVector<std::pair<HostNumber, HostNumber>> equal;
  for (const Check &check : checks) {
    ExtraFacts useful = plain.findUsefulFacts(check.access, check.dim);
    for (const ExtraFacts::Divisor &fact : useful.divisors) {
      auto isSame = [&](const ExtraFacts::Divisor &other) {
        return other.number == fact.number && other.divisor == fact.divisor;
      };
      if (isTestable(func, fact.number) && llvm::none_of(plan.facts.divisors, isSame))
        plan.facts.divisors.push_back(fact);
    }
    for (auto pair : useful.equal)
      if (!llvm::is_contained(equal, pair))
        equal.push_back(pair);
  }
  // All divisors at first; an equality only where it removes a check.
  plan.removed = findRemoved(func, alignment, checks, plan.facts);
  for (auto pair : equal) {
    ExtraFacts more = plan.facts;
    more.equal.push_back(pair);
    SmallVector<Check> removed = findRemoved(func, alignment, checks, more);
    if (removed.size() <= plan.removed.size())
      continue;
    plan.facts = std::move(more);
    plan.removed = std::move(removed);
  }
  // What is not needed goes.
  auto isEnough = [&](const ExtraFacts &fewer) {
    return findRemoved(func, alignment, plan.removed, fewer).size() == plan.removed.size();
  };
  for (size_t i = 0; i < plan.facts.divisors.size();) {
    ExtraFacts fewer = plan.facts;
    fewer.divisors.erase(fewer.divisors.begin() + i);
    if (isEnough(fewer))
      plan.facts = std::move(fewer);
    else
      ++i;
  }
  for (size_t i = 0; i < plan.facts.equal.size();) {
    ExtraFacts fewer = plan.facts;
    fewer.equal.erase(fewer.equal.begin() + i);
    if (isEnough(fewer))
      plan.facts = std::move(fewer);
    else
      ++i;
  }
  return plan;
}

static SmallVector<Promise> promisesOf(const ExtraFacts &facts) {
  SmallVector<Promise> promises;
  for (const ExtraFacts::Divisor &fact : facts.divisors) {
    bool isSize = fact.number.dim >= 0;
    promises.push_back({isSize ? Promise::SizeDivisor : Promise::ValueDivisor, fact.number.argument,
                        isSize ? static_cast<unsigned>(fact.number.dim) : 0, fact.divisor});
  }
  for (auto [a, b] : facts.equal)
    promises.push_back({Promise::EqualSizes, b.argument, static_cast<unsigned>(b.dim), 1, a.argument,
                        static_cast<unsigned>(a.dim)});
  return promises;
}

static unsigned countOps(Operation *root) {
  unsigned count = 0;
  root->walk([&](Operation *) { ++count; });
  return count;
}

namespace {
/// Loops to peel, inner ones first, and loops that keep checks since they cannot be.
struct PeelPlan {
  SmallVector<scf::ForOp> loops;
  SmallVector<std::pair<scf::ForOp, std::string>> refused;
};
} // namespace

/// The loops whose last step, peeled, removes some of `checks`; `analysis` knows no extra facts. Pure.
static PeelPlan planPeels(func::FuncOp func, const AlignmentAnalysis &alignment, ArrayRef<Check> checks,
                          InBoundsAnalysis &analysis) {
  PeelPlan plan;
  ExtraFacts facts;
  size_t removed = 0;
  func.walk<WalkOrder::PostOrder>([&](scf::ForOp loop) {
    auto isInside = [&](const Check &check) { return loop->isAncestor(check.access.op); };
    if (llvm::none_of(checks, isInside))
      return;
    facts.wholeLoops.push_back(loop);
    size_t now = findRemoved(func, alignment, checks, facts).size();
    std::optional<std::string> reason = reasonNotToPeel(loop, analysis);
    if (now <= removed || reason) {
      facts.wholeLoops.pop_back();
      if (now > removed)
        plan.refused.push_back({loop, *reason});
      return;
    }
    removed = now;
    plan.loops.push_back(loop);
  });
  return plan;
}

namespace {
struct SpecializeEvenK : public tilewright::impl::SpecializeEvenKPassBase<SpecializeEvenK> {
  using SpecializeEvenKPassBase::SpecializeEvenKPassBase;

  void runOnOperation() override {
    if (mode != "auto" && mode != "guard" && mode != "peel") {
      emitError(getOperation().getLoc()) << "tile-specialize-even-k: unknown mode '" << mode
                                         << "', expected auto, guard or peel";
      return signalPassFailure();
    }
    if (!(maxGrowth >= 1 && maxGrowth <= 1000)) {
      emitError(getOperation().getLoc()) << "tile-specialize-even-k: expected max-growth from 1 to 1000";
      return signalPassFailure();
    }
    for (KernelVersions &versions : findKernelVersions(getOperation()))
      specialize(versions);
  }

private:
  remark::RemarkOpts remarkFor(func::FuncOp func) {
    return remark::RemarkOpts::name("EvenK").category(getArgument()).function(func.getSymName());
  }

  static std::string nameDims(const ViewAccess &access, unsigned dim) {
    return (access.op->getName().getStringRef() + " along view dim " + Twine(dim)).str();
  }

  void specialize(KernelVersions &versions) {
    func::FuncOp fastest = versions.all.front();
    budget = 0;
    for (func::FuncOp func : versions.all)
      budget += countOps(func);
    numOps = budget;
    budget = static_cast<unsigned>(numOps * maxGrowth);

    // Variants, planned on the fastest version, which they are clones of.
    SmallVector<func::FuncOp> added;
    Guarded guarded;
    {
      AlignmentAnalysis alignment(fastest);
      InBoundsAnalysis plain(fastest, findGrid(fastest), alignment);
      SmallVector<Check> checks = findChecks(fastest, plain);
      if (llvm::none_of(checks, [](const Check &check) { return check.isInLoop; })) {
        setProved(versions.all);
        return;
      }
      if (mode != "peel")
        added = addVariants(versions, fastest, alignment, plain, checks, guarded);
    }

    // Checks that no guard can remove, in every version, fastest first.
    SmallVector<func::FuncOp> all(added);
    llvm::append_range(all, versions.all);
    if (mode != "guard")
      for (func::FuncOp func : all)
        peel(func, guarded);
    setProved(all);
    explainRest(fastest, guarded, added.empty());
  }

  SmallVector<func::FuncOp> addVariants(KernelVersions &versions, func::FuncOp fastest,
                                        const AlignmentAnalysis &alignment, InBoundsAnalysis &plain,
                                        ArrayRef<Check> checks, Guarded &guarded) {
    SmallVector<Check> inLoops, walked;
    for (const Check &check : checks) {
      if (check.isInLoop)
        inLoops.push_back(check);
      if (check.isInLoop && check.isLoopVariant)
        walked.push_back(check);
    }
    SmallVector<std::pair<StringRef, GuardPlan>, 2> plans;
    GuardPlan everything = planGuard(fastest, alignment, checks), steps = planGuard(fastest, alignment, walked);
    auto isAnyInLoop = [](const GuardPlan &plan) {
      return llvm::any_of(plan.removed, [](const Check &check) { return check.isInLoop; });
    };
    for (const Check &check : everything.removed) {
      guarded.numbers.push_back({check.number, check.dim});
      guarded.ops.push_back({check.access.op, check.dim});
    }
    if (everything.removed.size() > steps.removed.size() && isAnyInLoop(everything))
      plans.push_back({"_even", everything});
    if (!steps.removed.empty())
      plans.push_back({plans.empty() ? "_even" : "_even_steps", steps});

    SmallVector<func::FuncOp> added;
    SymbolTable symbols(getOperation());
    auto guardName = fastest->getAttrOfType<FlatSymbolRefAttr>("tile.guard");
    auto guard = guardName ? symbols.lookup<func::FuncOp>(guardName.getValue()) : func::FuncOp();
    unsigned size = countOps(fastest);
    for (auto &entry : plans) {
      const GuardPlan &plan = entry.second;
      std::string facts;
      SmallVector<Promise> promises = promisesOf(plan.facts);
      for (const Promise &promise : promises)
        facts += (facts.empty() ? "" : "; ") + describePromise(versions.kernel, promise);
      auto miss = [&](const std::string &reason) {
        remark::missed(fastest.getLoc(), remarkFor(fastest))
            << remark::reason("no variant for {0}, which would remove {1}: {2}", facts,
                              counted(plan.removed.size(), "bounds check"), reason);
      };
      if (versions.all.size() + added.size() + 1 > maxVariants) {
        miss("a kernel has at most " + counted(maxVariants, "version"));
        continue;
      }
      if (numOps + size > budget) {
        miss("all versions together would have " + std::to_string(numOps + size) + " operations, at most " +
             std::to_string(budget) + " are wanted");
        continue;
      }
      if (guard && !guard.getBody().hasOneBlock()) {
        miss("guard @" + guard.getSymName().str() + " has branches");
        continue;
      }
      numOps += size;
      std::string name = fastest == versions.kernel ? fastest.getSymName().str() + "_" : fastest.getSymName().str();
      name += entry.first.str();
      auto isTaken = [&](StringRef end) { return symbols.lookup(name + end.str()) != nullptr; };
      while (isTaken("") || isTaken("_grid") || isTaken("_guard"))
        name += "_";
      func::FuncOp variant = addVariant(versions.kernel, fastest, name, promises, symbols);
      remark::passed(fastest.getLoc(), remarkFor(fastest))
          << remark::add("variant @{0} assumes {1}", name, facts);
      keepRegisters(variant);
      remove(variant, plan.removed, plain);
      added.push_back(variant);
    }
    return added;
  }

  /// Loads without predicates are scheduled earlier and hold more registers. Where nobody says how many programs an SM is
  /// to hold, ptxas 13.0 spills some of them to reach two; a kernel with products needs its registers more.
  static void keepRegisters(func::FuncOp variant) {
    bool hasProducts = variant.walk([](tile::DotOp) { return WalkResult::interrupt(); }).wasInterrupted();
    if (hasProducts && !variant->hasAttr("tile.occupancy"))
      variant->setAttr("tile.occupancy", IntegerAttr::get(IntegerType::get(variant.getContext(), 64), 1));
  }

  /// Sets the flags of a clone; `analysis` is that of the original, whose accesses `checks` names.
  void remove(func::FuncOp clone, ArrayRef<Check> checks, InBoundsAnalysis &analysis) {
    SmallVector<ViewAccess> accesses;
    clone.walk([&](Operation *op) {
      if (std::optional<ViewAccess> access = ViewAccess::of(op))
        accesses.push_back(*access);
    });
    for (const Check &check : checks) {
      ViewAccess &access = accesses[check.number];
      access.inBounds[check.dim] = true;
      access.setInBounds(access.inBounds);
      remark::passed(access.op->getLoc(), remarkFor(clone))
          << remark::add("{0} needs no check: {1}", nameDims(access, check.dim),
                         analysis.describe(check.access, check.dim));
    }
  }

  /// Sets the flags of accesses in loops whose checks cannot fail.
  void setProved(ArrayRef<func::FuncOp> funcs) {
    for (func::FuncOp func : funcs) {
      AlignmentAnalysis alignment(func);
      InBoundsAnalysis analysis(func, findGrid(func), alignment);
      func.walk([&](Operation *op) {
        std::optional<ViewAccess> access = ViewAccess::of(op);
        if (!access || !isInLoop(op))
          return;
        bool isAny = false;
        for (auto [dim, flag] : llvm::enumerate(access->inBounds)) {
          if (flag || !analysis.isInBounds(*access, dim))
            continue;
          isAny = flag = true;
          remark::passed(op->getLoc(), remarkFor(func)) << remark::add(
              "{0} needs no check: {1}", nameDims(*access, dim), analysis.describe(*access, dim));
        }
        if (isAny)
          access->setInBounds(access->inBounds);
      });
    }
  }

  void peel(func::FuncOp func, const Guarded &guarded) {
    AlignmentAnalysis alignment(func);
    InBoundsAnalysis analysis(func, findGrid(func), alignment);
    SmallVector<Check> checks = findChecks(func, analysis);
    llvm::erase_if(checks, [&](const Check &check) {
      return llvm::is_contained(guarded.numbers, std::pair(check.number, check.dim));
    });
    PeelPlan plan = planPeels(func, alignment, checks, analysis);
    for (auto &[loop, reason] : plan.refused)
      remark::missed(loop->getLoc(), remarkFor(func)) << remark::reason("last step not peeled: {0}", reason);
    for (scf::ForOp loop : plan.loops) {
      unsigned size = countOps(loop);
      if (numOps + size > budget) {
        remark::missed(loop.getLoc(), remarkFor(func)) << remark::reason(
            "last step not peeled: all versions together would have {0} operations, at most {1} are wanted",
            numOps + size, budget);
        continue;
      }
      numOps += size;
      remark::passed(loop.getLoc(), remarkFor(func)) << remark::add("last step peeled, so that the loop has whole steps");
      peelLastStep(loop, analysis);
    }
  }

  /// Says of each access in a loop of the fastest version that was there before why it is still checked.
  void explainRest(func::FuncOp func, const Guarded &guarded, bool hasNoVariant) {
    AlignmentAnalysis alignment(func);
    InBoundsAnalysis analysis(func, findGrid(func), alignment);
    for (const Check &check : findChecks(func, analysis)) {
      if (!check.isInLoop)
        continue;
      if (!hasNoVariant && llvm::is_contained(guarded.ops, std::pair(check.access.op, check.dim)))
        continue; // A variant in front of this one has no such check.
      remark::missed(check.access.op->getLoc(), remarkFor(func))
          << remark::reason("{0} stays checked: {1} is not proved", nameDims(check.access, check.dim),
                            analysis.describe(check.access, check.dim));
    }
  }

  /// Operations of all versions of the kernel at hand, and how many there may be.
  unsigned numOps = 0, budget = 0;
};
} // namespace
