// SPDX-License-Identifier: Apache-2.0
// `test-print-live-tiles`: what the tiles of each loop take, as remarks on the loops.
#include "tilewright/Analysis/LiveTiles.h"

#include "mlir/Pass/Pass.h"

using namespace mlir;
using namespace tilewright;

namespace {
struct TestPrintLiveTiles : public PassWrapper<TestPrintLiveTiles, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TestPrintLiveTiles)
  StringRef getArgument() const override { return "test-print-live-tiles"; }
  StringRef getDescription() const override { return "Print the live tiles of loops as remarks"; }

  void runOnOperation() override {
    getOperation().walk([](scf::ForOp loop) {
      LiveTiles tiles = measureLiveTiles(loop);
      loop.emitRemark() << tiles.throughoutBytes << " bytes throughout, " << tiles.tripBytes << " in a trip, "
                        << tiles.tripElements << " elements";
    });
  }
};
} // namespace

namespace tilewright::test {
void registerTestPrintLiveTiles() { PassRegistration<TestPrintLiveTiles>(); }
} // namespace tilewright::test
