// SPDX-License-Identifier: Apache-2.0
#include "tilewright/Analysis/Alignment.h"
#include "tilewright/Dialect/Tile/Transforms/Passes.h"

#include "mlir/IR/Remarks.h"
#include "llvm/ADT/TypeSwitch.h"

namespace tilewright {
#define GEN_PASS_DEF_SETINBOUNDSPASS
#include "tilewright/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilewright

using namespace mlir;
using namespace tilewright;

namespace {
/// An access and the view dimensions whose checks go.
struct Decision {
  Operation *access;
  SmallVector<bool> inBounds;
  SmallVector<unsigned> proved;
};
} // namespace

template <typename AccessOp>
static void planAccess(AccessOp op, const AlignmentAnalysis &analysis, SmallVector<Decision> &decisions) {
  Decision decision{op, SmallVector<bool>(op.getOffsets().size(), false), {}};
  if (op.getInBounds())
    decision.inBounds.assign(op.getInBounds()->begin(), op.getInBounds()->end());
  for (auto [dim, isProved] : llvm::enumerate(decision.inBounds)) {
    if (isProved || !analysis.provablyInBounds(op, dim))
      continue;
    isProved = true;
    decision.proved.push_back(dim);
  }
  if (!decision.proved.empty())
    decisions.push_back(std::move(decision));
}

/// Which checks of `func` cannot fail. Pure.
static SmallVector<Decision> planInBounds(func::FuncOp func) {
  AlignmentAnalysis analysis(func);
  SmallVector<Decision> decisions;
  func.walk([&](Operation *op) {
    if (auto load = dyn_cast<tile::LoadOp>(op))
      planAccess(load, analysis, decisions);
    else if (auto store = dyn_cast<tile::StoreOp>(op))
      planAccess(store, analysis, decisions);
    else if (auto gather = dyn_cast<tile::GatherOp>(op))
      planAccess(gather, analysis, decisions);
    else if (auto scatter = dyn_cast<tile::ScatterOp>(op))
      planAccess(scatter, analysis, decisions);
  });
  return decisions;
}

namespace {
struct SetInBounds : public tilewright::impl::SetInBoundsPassBase<SetInBounds> {
  using SetInBoundsPassBase::SetInBoundsPassBase;

  void runOnOperation() override {
    func::FuncOp func = getOperation();
    if (func.isExternal())
      return;
    for (const Decision &decision : planInBounds(func)) {
      auto opts = remark::RemarkOpts::name("InBounds").category(getArgument()).function(func.getSymName());
      std::string dims;
      llvm::raw_string_ostream stream(dims);
      llvm::interleaveComma(decision.proved, stream);
      remark::passed(decision.access->getLoc(), opts) << remark::add("no bounds check along view dims {0}", dims);
      auto flags = DenseBoolArrayAttr::get(&getContext(), decision.inBounds);
      llvm::TypeSwitch<Operation *>(decision.access)
          .Case<tile::LoadOp, tile::StoreOp, tile::GatherOp, tile::ScatterOp>(
              [&](auto access) { access.setInBoundsAttr(flags); });
    }
  }
};
} // namespace
