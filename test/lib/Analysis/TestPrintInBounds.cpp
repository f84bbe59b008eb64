// SPDX-License-Identifier: Apache-2.0
// `test-print-in-bounds`: what each marked access must keep, dimension by dimension, and whether it is proved.
#include "tilewright/Analysis/InBounds.h"

#include "mlir/Pass/Pass.h"

using namespace mlir;
using namespace tilewright;

namespace {
struct TestPrintInBounds : public PassWrapper<TestPrintInBounds, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TestPrintInBounds)
  StringRef getArgument() const override { return "test-print-in-bounds"; }
  StringRef getDescription() const override { return "Print in-bounds proofs as remarks"; }

  void runOnOperation() override {
    for (auto func : getOperation().getOps<func::FuncOp>())
      print(func);
  }

  static void print(func::FuncOp func) {
    AlignmentAnalysis alignment(func);
    InBoundsAnalysis analysis(func, findGrid(func), alignment);
    func.walk([&](Operation *op) {
      std::optional<ViewAccess> access = ViewAccess::of(op);
      if (!access || !op->hasAttr("test.show"))
        return;
      InFlightDiagnostic remark = op->emitRemark();
      for (unsigned dim = 0; dim < access->offsets.size(); ++dim)
        remark << (dim ? "; " : "") << analysis.describe(*access, dim)
               << (analysis.isInBounds(*access, dim) ? ": proved" : ": open");
    });
  }
};
} // namespace

namespace tilewright::test {
void registerTestPrintInBounds() { PassRegistration<TestPrintInBounds>(); }
} // namespace tilewright::test
