// SPDX-License-Identifier: Apache-2.0
#include "LoopEnds.h"
#include "tilewright/Dialect/Tile/IR/Tile.h"
#include "tilewright/Dialect/Tile/Transforms/Passes.h"

namespace tilewright {
#define GEN_PASS_DEF_CHECKWISHESPASS
#include "tilewright/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilewright

using namespace mlir;
using namespace tilewright;

namespace {
/// An attribute that asks for something, and the pass that does it; none if there is no such pass so far.
struct Wish {
  StringRef attribute, pass;
};
} // namespace

/// `tile.mma`, `tile.tma`, `tile.occupancy` and `tile.num_warps` are obeyed by what cannot be left out.
static constexpr Wish kWishes[] = {
    {"tile.epilogue_parts", "tile-subtile-epilogue"},
    {"tile.grid_group", "tile-order-grid"},
    {"tile.persistent", "tile-make-persistent"},
    {"tile.num_stages", ""},
    {"tile.latency", ""},
    {"tile.flatten", ""},
    {"tile.specialize", ""},
};

/// Whether what is asked for is what happens anyway.
static bool asksForNothing(Attribute value) {
  auto count = dyn_cast<IntegerAttr>(value);
  return count && (count.getType().isInteger(1) ? count.getValue().isZero() : count.getValue().isOne());
}

/// The precisions that a pass makes of others.
static bool isSplit(tile::DotOp dot) {
  tile::Precision precision = dot.getPrecision().value_or(tile::Precision::ieee);
  return precision != tile::Precision::ieee && precision != tile::Precision::tf32;
}

namespace {
struct CheckWishes : public tilewright::impl::CheckWishesPassBase<CheckWishes> {
  using CheckWishesPassBase::CheckWishesPassBase;

  void runOnOperation() override {
    bool hasKernel = false, hasProduct = false;
    for (auto func : getOperation().getOps<func::FuncOp>()) {
      hasKernel |= func->hasAttr("tile.kernel");
      func->walk([&](Operation *op) {
        check(op);
        if (auto loop = dyn_cast<scf::ForOp>(op); loop && failed(checkEnds(loop)))
          signalPassFailure();
        hasProduct |= isa<tile::DotOp>(op);
      });
    }
    if (parts > 1 && hasKernel && !hasProduct) {
      emitError(getOperation().getLoc()) << "option 'epilogue-parts': no kernel has a product that could be stored in "
                                         << unsigned(parts) << " parts";
      signalPassFailure();
    }
  }

private:
  bool isDisabled(StringRef pass) const { return llvm::is_contained(disabled, pass); }

  void check(Operation *op) {
    for (const Wish &wish : kWishes) {
      Attribute value = op->getAttr(wish.attribute);
      if (!value || asksForNothing(value))
        continue;
      if (wish.pass.empty())
        emitWarning(op->getLoc()) << wish.attribute << " has no effect: no pass obeys it so far";
      else if (isDisabled(wish.pass))
        emitWarning(op->getLoc()) << wish.attribute << " has no effect: " << wish.pass << " is disabled";
    }
    if (auto dot = dyn_cast<tile::DotOp>(op); dot && isSplit(dot) && isDisabled("tile-split-precision"))
      emitWarning(op->getLoc()) << "precision " << tile::stringifyPrecision(*dot.getPrecision())
                                << " has no effect: tile-split-precision is disabled, so products are those of f32";
  }
};
} // namespace
