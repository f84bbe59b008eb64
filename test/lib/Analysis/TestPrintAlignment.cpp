// SPDX-License-Identifier: Apache-2.0
// `test-print-alignment`: the facts of each value as remarks, so that a test reads like a table.
#include "tilewright/Analysis/Alignment.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;
using namespace tilewright;

namespace {
struct TestPrintAlignment : public PassWrapper<TestPrintAlignment, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TestPrintAlignment)
  StringRef getArgument() const override { return "test-print-alignment"; }
  StringRef getDescription() const override { return "Print alignment facts and access widths as remarks"; }

  static std::string describe(const AlignmentFacts &facts) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    facts.print(stream);
    return text;
  }

  template <typename AccessOp> static void describeAccess(AccessOp op, const AlignmentAnalysis &analysis) {
    VectorAccess access = analysis.maxVectorElements(op, /*maxBytes=*/16);
    InFlightDiagnostic remark = op.emitRemark("vector of ") << access.elements << " along dim " << access.tileDim;
    if constexpr (!std::is_same_v<AccessOp, tile::LoadPtrOp> && !std::is_same_v<AccessOp, tile::StorePtrOp>) {
      remark << ", in bounds [";
      for (unsigned d = 0; d < op.getOffsets().size(); ++d)
        remark << (d ? ", " : "") << (analysis.provablyInBounds(op, d) ? "yes" : "no");
      remark << "]";
    }
  }

  void runOnOperation() override {
    AlignmentAnalysis analysis(getOperation());
    // Only values and accesses that ask for it: the others would drown a test.
    getOperation().walk([&](Operation *op) {
      if (!op->hasAttr("test.show"))
        return;
      if (auto load = dyn_cast<tile::LoadOp>(op))
        describeAccess(load, analysis);
      else if (auto store = dyn_cast<tile::StoreOp>(op))
        describeAccess(store, analysis);
      else if (auto gather = dyn_cast<tile::GatherOp>(op))
        describeAccess(gather, analysis);
      else if (auto scatter = dyn_cast<tile::ScatterOp>(op))
        describeAccess(scatter, analysis);
      else if (auto load = dyn_cast<tile::LoadPtrOp>(op))
        describeAccess(load, analysis);
      else if (auto store = dyn_cast<tile::StorePtrOp>(op))
        describeAccess(store, analysis);
      else if (auto loop = dyn_cast<scf::ForOp>(op))
        for (BlockArgument argument : loop.getBody()->getArguments()) {
          std::string range = "none";
          if (std::optional<ConstantIntRanges> found = analysis.getRange(argument))
            range = ("[" + llvm::Twine(found->smin().getSExtValue()) + ", " +
                     llvm::Twine(found->smax().getSExtValue()) + "]")
                        .str();
          op->emitRemark("argument ") << argument.getArgNumber() << ": " << describe(analysis.getAlignment(argument))
                                      << ", range " << range;
        }
      else
        for (Value result : op->getResults())
          op->emitRemark(describe(analysis.getAlignment(result)));
    });
  }
};
} // namespace

namespace tilewright::test {
void registerTestPrintAlignment() { PassRegistration<TestPrintAlignment>(); }
} // namespace tilewright::test
