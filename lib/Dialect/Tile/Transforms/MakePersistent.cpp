// SPDX-License-Identifier: Apache-2.0
#include "GridRewrite.h"
#include "tilewright/Dialect/Tile/Transforms/Passes.h"
#include "tilewright/Dialect/Tile/Transforms/Persistence.h"
#include "tilewright/Support/Counted.h"
#include "tilewright/Target/Target.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Remarks.h"
#include "llvm/Support/FormatVariadic.h"

namespace tilewright {
#define GEN_PASS_DEF_MAKEPERSISTENTPASS
#include "tilewright/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilewright

using namespace mlir;
using namespace tilewright;

Waves tilewright::countWaves(int64_t tiles, int64_t places) {
  Waves waves;
  waves.count = llvm::divideCeil(tiles, places);
  int64_t last = tiles % places;
  waves.lastPercent = tiles == 0 ? 0 : last == 0 ? 100 : 100 * last / places;
  return waves;
}

/// Why the grid of a kernel cannot become a loop; empty if it can.
static std::string findObstacle(func::FuncOp kernel, func::FuncOp grid) {
  if (Operation *query = findDeviceQuery(grid))
    return llvm::formatv("the grid asks the device already, by a {0}", query->getName()).str();
  if (std::string obstacle = findObstacleInBody(kernel); !obstacle.empty())
    return obstacle;
  if (!llvm::hasSingleElement(kernel.getBody()))
    return "the kernel has control flow between blocks";
  return "";
}

Persistence tilewright::planPersistence(func::FuncOp kernel, func::FuncOp grid, std::optional<bool> asked,
                                        StringRef who, int64_t sms, std::optional<int64_t> perSm) {
  Persistence plan;
  plan.obstacle = findObstacle(kernel, grid);
  plan.tiles = staticPrograms(grid);
  std::string size = "the number of tiles is known at the launch only";
  if (plan.tiles) {
    auto inWaves = [&](int64_t ctas) {
      Waves waves = countWaves(*plan.tiles, sms * ctas);
      return llvm::formatv("{0}, the last {1}% full", counted(waves.count, "wave"), waves.lastPercent).str();
    };
    std::string tiles = counted(*plan.tiles, "tile");
    if (perSm)
      size = llvm::formatv("{0} on {1} are {2}", tiles, counted(sms * *perSm, "place"), inWaves(*perSm)).str();
    else
      size = llvm::formatv("{0} on {1} are {2}, where one program fits an SM, and {3}, where two do", tiles,
                           counted(sms, "SM"), inWaves(1), inWaves(2))
                 .str();
  }
  if (!plan.obstacle.empty()) {
    plan.reason = plan.obstacle;
  } else if (asked) {
    plan.applies = *asked;
    plan.reason = llvm::formatv("{0} asks for {1}; {2}", who, *asked ? "it" : "one program per tile", size).str();
  } else {
    // The same tiles run one behind the other on an SM either way. A loop saves the start of programs, and pays for it
    // by the places that it does not use where more CTAs would fit; it wins once an iteration's loads run ahead into
    // the one before, which takes a software pipeline across iterations.
    plan.reason = llvm::formatv("{0}; no iteration would overlap the next without a software pipeline, so a loop saves "
                                "nothing but the start of programs",
                                size)
                      .str();
  }
  return plan;
}

/// The whole grid in one number. Gives 0 if any extent is 0.
static Value multiplyAll(OpBuilder &builder, Location loc, ValueRange extents) {
  Value product = extents.front();
  for (Value extent : extents.drop_front())
    product = arith::MulIOp::create(builder, loc, product, extent);
  return product;
}

/// Puts the body into a loop over the tiles.
static void loopOverTiles(func::FuncOp kernel, func::FuncOp grid) {
  Block &entry = kernel.front();
  SmallVector<Operation *> body;
  for (Operation &op : entry.without_terminator())
    body.push_back(&op);
  OpBuilder builder = OpBuilder::atBlockBegin(&entry);
  Location loc = kernel.getLoc();
  SmallVector<Value> extents = inlineHost(builder, grid, kernel.getArguments());
  Value tiles = multiplyAll(builder, loc, extents);
  auto first = tile::ProgramIdOp::create(builder, loc, tile::Axis::x);
  auto programs = tile::NumProgramsOp::create(builder, loc, tile::Axis::x);
  auto loop = scf::ForOp::create(builder, loc, first, tiles, programs);
  loop->setAttr("tile.independent", builder.getUnitAttr());
  Operation *end = loop.getBody()->getTerminator();
  for (Operation *op : body)
    op->moveBefore(end);

  // Before all else: the coordinates of the tile.
  builder.setInsertionPointToStart(loop.getBody());
  SmallVector<Value> ids{loop.getInductionVar()};
  if (extents.size() > 1) {
    CountBuilder count(builder, loc);
    Value rest = count.narrow(ids.front());
    ids.clear();
    for (Value extent : ArrayRef<Value>(extents).drop_back()) {
      Value size = count.narrow(extent), next = count.div(rest, size);
      ids.push_back(count.widen(count.rem(rest, size, next)));
      rest = next;
    }
    ids.push_back(count.widen(rest));
  }
  // Axes that the grid does not have.
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0), one = arith::ConstantIndexOp::create(builder, loc, 1);
  ids.resize(3, zero);
  extents.resize(3, one);
  loop.walk([&](Operation *op) {
    Value by;
    if (auto id = dyn_cast<tile::ProgramIdOp>(op))
      by = ids[static_cast<size_t>(id.getAxis())];
    else if (auto number = dyn_cast<tile::NumProgramsOp>(op))
      by = extents[static_cast<size_t>(number.getAxis())];
    if (!by)
      return;
    op->getResult(0).replaceAllUsesWith(by);
    op->erase();
  });
}

/// min(tiles, SMs * programs of each). Who does not say how many an SM shall hold gets as many as fit.
static void limitGrid(func::FuncOp grid, std::optional<int64_t> perSm) {
  Operation *end = grid.front().getTerminator();
  OpBuilder builder(end);
  Location loc = end->getLoc();
  Value tiles = multiplyAll(builder, loc, end->getOperands());
  Value places = tile::DeviceInfoOp::create(builder, loc, tile::DeviceFact::sm_count);
  if (!perSm)
    places = arith::MulIOp::create(builder, loc, places,
                                   tile::DeviceInfoOp::create(builder, loc, tile::DeviceFact::max_ctas_per_sm));
  else if (*perSm > 1)
    places = arith::MulIOp::create(builder, loc, places, arith::ConstantIndexOp::create(builder, loc, *perSm));
  end->setOperands(Value(arith::MinSIOp::create(builder, loc, tiles, places)));
  grid.setFunctionType(builder.getFunctionType(grid.getArgumentTypes(), builder.getIndexType()));
}

namespace {
struct MakePersistent : public tilewright::impl::MakePersistentPassBase<MakePersistent> {
  using MakePersistentPassBase::MakePersistentPassBase;

  void runOnOperation() override {
    std::string error;
    const Target *chosen = findTarget(target, &error);
    if (chosen && mode != "auto" && mode != "always" && mode != "never")
      error = "unknown mode '" + mode + "': expected auto, always or never";
    if (!error.empty()) {
      emitError(getOperation().getLoc()) << error;
      return signalPassFailure();
    }
    SymbolTable symbols(getOperation());
    bool isRefused = refuseWithoutGrid(getOperation(), symbols, kWish);
    forEachKernelWithGrid(getOperation(), symbols, [&](func::FuncOp kernel, func::FuncOp grid) {
      isRefused |= failed(makePersistent(kernel, grid, *chosen, symbols));
    });
    if (isRefused)
      signalPassFailure();
  }

private:
  static constexpr StringRef kWish = "tile.persistent";

  LogicalResult makePersistent(func::FuncOp kernel, func::FuncOp grid, const Target &chosen, SymbolTable &symbols) {
    std::optional<bool> asked;
    std::string who = "the option persistent=" + mode;
    if (mode != "auto")
      asked = mode == "always";
    auto pinned = kernel->getAttrOfType<BoolAttr>(kWish);
    if (pinned) {
      asked = pinned.getValue();
      who = kWish.str() + (*asked ? " = true" : " = false");
    }
    auto occupancy = kernel->getAttrOfType<IntegerAttr>("tile.occupancy");
    std::optional<int64_t> perSm;
    if (occupancy)
      perSm = occupancy.getInt();
    Persistence plan = planPersistence(kernel, grid, asked, who, chosen.typicalSms, perSm);

    auto opts = remark::RemarkOpts::name("MakePersistent").category(getArgument()).function(kernel.getSymName());
    if (asked == true && !plan.applies)
      return emitError(kernel.getLoc()) << who
                                        << " asks for a loop over the tiles, which is impossible: " << plan.reason;
    kernel->removeAttr(kWish); // It is done; what is made of it asks the device itself.
    if (!plan.applies) {
      if (asked)
        remark::passed(kernel.getLoc(), opts) << remark::add("one program per tile, as {0} asks", who);
      else
        remark::missed(kernel.getLoc(), opts) << remark::reason("one program per tile: {0}", plan.reason);
      return success();
    }
    remark::passed(kernel.getLoc(), opts)
        << remark::add("a loop over the tiles, {0} on each SM at most: {1}",
                       perSm ? counted(*perSm, "program") : std::string("as many programs as fit"), plan.reason);
    func::FuncOp own = takeGrid(kernel, grid, symbols);
    loopOverTiles(kernel, own);
    limitGrid(own, perSm);
    return success();
  }
};
} // namespace
