// SPDX-License-Identifier: Apache-2.0
// `test-print-access`: the structure of each marked memory op as remarks. Of an access to a view one remark per
// dimension: the index, the stride, whether it is checked, and what proves that it is inside or which fact is missing.
// Of an access through pointers the affine form of the address and what its mask bounds.
#include "tilewright/Analysis/InBounds.h"
#include "tilewright/Dialect/Tile/Transforms/PointerPlan.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Pass/Pass.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilewright;

namespace {
/// Describes the accesses of one function.
class Describe {
public:
  explicit Describe(func::FuncOp func)
      : func(func), alignment(func), tiles(alignment), inBounds(func, findGrid(func), alignment),
        decisions(planPointers(func, alignment, tiles)) {}

  void run() {
    func.walk([&](Operation *op) {
      if (!op->hasAttr("test.show"))
        return;
      if (std::optional<ViewAccess> access = ViewAccess::of(op))
        describeView(*access);
      else
        llvm::TypeSwitch<Operation *>(op).Case<tile::LoadPtrOp, tile::StorePtrOp, tile::AtomicRmwOp, tile::AtomicCasOp>(
            [&](auto access) { describePointers(access, access.getPtr()); });
    });
  }

private:
  func::FuncOp func;
  AlignmentAnalysis alignment;
  AffineTiles tiles;
  InBoundsAnalysis inBounds;
  std::vector<PointerDecision> decisions;

  static SmallVector<int64_t> walkedDims(Operation *op) {
    return llvm::TypeSwitch<Operation *, SmallVector<int64_t>>(op)
        .Case<tile::LoadOp, tile::GatherOp, tile::StoreOp, tile::ScatterOp, tile::ReduceIntoOp>(
            [](auto access) { return llvm::to_vector(access.walkedDims()); });
  }

  void describeView(const ViewAccess &access) {
    AlignmentFacts view = alignment.getAlignment(access.view);
    SmallVector<int64_t> walked = walkedDims(access.op);
    for (unsigned dim = 0; dim < access.offsets.size(); ++dim) {
      InFlightDiagnostic remark = access.op->emitRemark("dim ")
                                  << dim << ": index " << inBounds.describeOffset(access, dim);
      const int64_t *place = llvm::find(walked, int64_t(dim));
      if (place != walked.end() && access.extents[dim] > 1)
        remark << " + i" << (place - walked.begin());
      int64_t divisor = alignment.getAlignment(access.offsets[dim]).divisor();
      if (divisor > 1)
        remark << ", from a multiple of " << divisor;
      if (view.strides[dim])
        remark << ", stride " << *view.strides[dim];
      else if (view.strideDivisors[dim] > 1)
        remark << ", stride a multiple of " << view.strideDivisors[dim];
      else
        remark << ", any stride";
      remark << (access.inBounds[dim] ? "; not checked, " : "; checked, ") << proofOf(access, dim);
    }
  }

  /// What proves that a dimension is in bounds, or what is missing.
  std::string proofOf(const ViewAccess &access, unsigned dim) {
    if (inBounds.isInBounds(access, dim)) {
      SmallVector<std::string> steps = inBounds.describeProof(access, dim);
      return steps.empty() ? "proved by ranges" : "proved by " + llvm::join(steps, ", ");
    }
    std::string text = inBounds.isNonNegative(access, dim) ? "open: " : "open: may be negative, ";
    ExtraFacts useful = inBounds.findUsefulFacts(access, dim);
    SmallVector<std::string> needed;
    auto tryFact = [&](ExtraFacts facts, const std::string &name) {
      if (InBoundsAnalysis(func, findGrid(func), alignment, std::move(facts)).isInBounds(access, dim))
        needed.push_back(name);
    };
    for (const ExtraFacts::Divisor &fact : useful.divisors) {
      ExtraFacts facts;
      facts.divisors.push_back(fact);
      tryFact(facts, nameOf(fact.number) + " a multiple of " + std::to_string(fact.divisor));
    }
    for (const auto &[a, b] : useful.equal) {
      ExtraFacts facts;
      facts.equal.push_back({a, b});
      tryFact(facts, nameOf(a) + " = " + nameOf(b));
    }
    if (needed.empty())
      tryFact(useful, "several facts at once");
    return text +
           (needed.empty() ? "no promise about parameters is known to help" : "needs " + llvm::join(needed, " or "));
  }

  std::string nameOf(HostNumber number) {
    std::string name = nameOf(func.getArgument(number.argument));
    return number.dim < 0 ? name : "size(" + name + ", " + std::to_string(number.dim) + ")";
  }

  std::string nameOf(Value value) {
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      if (argument.getOwner() != &func.front())
        return "iv";
      auto name = func.getArgAttrOfType<StringAttr>(argument.getArgNumber(), "tile.name");
      return name ? name.str() : "argument " + std::to_string(argument.getArgNumber());
    }
    if (auto id = value.getDefiningOp<tile::ProgramIdOp>())
      return "program_id " + stringifyAxis(id.getAxis()).str();
    return "<" + value.getDefiningOp()->getName().getStringRef().str() + ">";
  }

  std::string print(const Polynomial &number) {
    return tilewright::print(number, [&](unsigned symbol) { return nameOf(tiles.getSymbol(symbol)); });
  }

  void describePointers(Operation *op, Value pointers) {
    const AffineTile *form = tiles.get(pointers);
    if (!form || !form->base) {
      op->emitRemark("address not affine: ") << tiles.whyNot(pointers);
      return;
    }
    {
      InFlightDiagnostic remark = op->emitRemark("address ") << nameOf(form->base) << " + " << print(form->uniform);
      for (auto [dim, step] : llvm::enumerate(form->steps))
        if (!step.isZero()) {
          remark << ", dim " << dim << " in steps of " << print(step);
          if (const std::optional<IndexWrap> &wrap = form->wraps[dim])
            remark << " modulo " << print(wrap->size) << " from " << print(wrap->start);
        }
      remark << "; bytes a multiple of " << alignment.getAlignment(pointers).divisor();
    }
    auto decision = llvm::find_if(decisions, [&](const PointerDecision &other) { return other.op == op; });
    if (decision == decisions.end()) // Atomics and scalars.
      return;
    if (!decision->isRaised) {
      op->emitRemark("no view: ") << decision->reason;
      return;
    }
    for (auto [number, dim] : llvm::enumerate(decision->dims)) {
      InFlightDiagnostic remark = op->emitRemark("dim ") << number << ": ";
      if (!dim.isChecked()) {
        remark << "not checked";
        continue;
      }
      remark << "checked, index " << print(dim.start) << " + i" << number << " < ";
      for (auto [place, bound] : llvm::enumerate(dim.bounds))
        remark << (place ? ", " : "") << print(bound);
    }
    for (const auto &[low, high] : decision->conditions)
      op->emitRemark("nothing unless ") << print(low) << " < " << print(high);
  }
};

struct TestPrintAccess : public PassWrapper<TestPrintAccess, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TestPrintAccess)
  StringRef getArgument() const override { return "test-print-access"; }
  StringRef getDescription() const override { return "Print the structure of memory accesses as remarks"; }

  void runOnOperation() override {
    for (auto func : getOperation().getOps<func::FuncOp>())
      if (!func.isExternal())
        Describe(func).run();
  }
};
} // namespace

namespace tilewright::test {
void registerTestPrintAccess() { PassRegistration<TestPrintAccess>(); }
} // namespace tilewright::test
