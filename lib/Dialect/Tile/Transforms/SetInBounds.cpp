// SPDX-License-Identifier: Apache-2.0
#include "tilewright/Analysis/InBounds.h"
#include "tilewright/Dialect/Tile/Transforms/Passes.h"

#include "mlir/IR/Remarks.h"

namespace tilewright {
#define GEN_PASS_DEF_SETINBOUNDSPASS
#include "tilewright/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilewright

using namespace mlir;
using namespace tilewright;

namespace {
/// An access and the view dimensions whose checks go.
struct Decision {
  ViewAccess access;
  SmallVector<unsigned> proved;
};
} // namespace

/// Which checks of `func` cannot fail. Pure.
static SmallVector<Decision> planInBounds(func::FuncOp func) {
  AlignmentAnalysis alignment(func);
  InBoundsAnalysis analysis(func, findGrid(func), alignment);
  SmallVector<Decision> decisions;
  func.walk([&](Operation *op) {
    std::optional<ViewAccess> access = ViewAccess::of(op);
    if (!access)
      return;
    Decision decision{*access, {}};
    for (auto [dim, isProved] : llvm::enumerate(decision.access.inBounds)) {
      if (isProved || !analysis.isInBounds(*access, dim))
        continue;
      isProved = true;
      decision.proved.push_back(dim);
    }
    if (!decision.proved.empty())
      decisions.push_back(std::move(decision));
  });
  return decisions;
}

namespace {
struct SetInBounds : public tilewright::impl::SetInBoundsPassBase<SetInBounds> {
  using SetInBoundsPassBase::SetInBoundsPassBase;

  void runOnOperation() override {
    for (auto func : getOperation().getOps<func::FuncOp>())
      if (!func.isExternal())
        run(func);
  }

private:
  void run(func::FuncOp func) {
    for (const Decision &decision : planInBounds(func)) {
      auto opts = remark::RemarkOpts::name("InBounds").category(getArgument()).function(func.getSymName());
      std::string dims;
      llvm::raw_string_ostream stream(dims);
      llvm::interleaveComma(decision.proved, stream);
      remark::passed(decision.access.op->getLoc(), opts) << remark::add("no bounds check along view dims {0}", dims);
      decision.access.setInBounds(decision.access.inBounds);
    }
  }
};
} // namespace
