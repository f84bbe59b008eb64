// SPDX-License-Identifier: Apache-2.0
#include "tilewright/Pipelines/TilePipeline.h"
#include "tilewright/Conversion/TileToSIMT/Passes.h"
#include "tilewright/Conversion/TileToTileGPU/Passes.h"
#include "tilewright/Dialect/Tile/Transforms/Passes.h"
#include "tilewright/Target/Target.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace tilewright;

static constexpr StringRef kOptionalPasses[] = {"tile-raise-pointers",
                                                "tile-fold-transpose",
                                                "tile-choose-extents",
                                                "tile-split-precision",
                                                "tile-batch-launches",
                                                "tile-specialize",
                                                "tile-specialize-even-k",
                                                "tile-set-in-bounds",
                                                "tile-order-grid",
                                                "tile-make-persistent",
                                                "tile-subtile-epilogue",
                                                "tile-insert-tma",
                                                "tile-select-dot",
                                                "tile-control-unroll",
                                                "canonicalize",
                                                "cse",
                                                "loop-invariant-code-motion",
                                                "tile-sink-cheap-tiles"};

ArrayRef<StringRef> tilewright::optionalPasses() { return kOptionalPasses; }

/// Which options ask for what cannot be had at all, beside each other or on the target; empty if none do. What a pass
/// decides from the program is its own to refuse.
static std::string findContradiction(const PipelineOptions &options, const Target &target) {
  const std::tuple<const char *, unsigned, unsigned> numbers[] = {{"num-warps", options.numWarps, 32},
                                                                  {"max-variants", options.maxVariants, 64},
                                                                  {"grid-group", options.gridGroup, 1 << 16},
                                                                  {"epilogue-parts", options.epilogueParts, 16}};
  for (auto [name, value, most] : numbers)
    if (value > most)
      return std::string("option '") + name + "': expected 0 to " + std::to_string(most) + ", found " +
             std::to_string(value);
  struct Wish {
    const char *option, *pass;
    std::string value;
    bool isAsked;
  };
  std::string extents;
  for (const std::string &extent : options.extents)
    extents += (extents.empty() ? "" : ",") + extent;
  const Wish wishes[] = {
      {"extents", "tile-choose-extents", extents, !options.extents.empty()},
      {"grid-group", "tile-order-grid", std::to_string(options.gridGroup), options.gridGroup != 0},
      {"persistent", "tile-make-persistent", options.persistent, options.persistent == "always"},
      {"even-k", "tile-specialize-even-k", options.evenK, options.evenK != "auto"},
      {"epilogue-parts", "tile-subtile-epilogue", std::to_string(options.epilogueParts), options.epilogueParts > 1},
      {"tma", "tile-insert-tma", options.tma, options.tma == "guard"},
  };
  for (const Wish &wish : wishes)
    if (wish.isAsked && llvm::is_contained(options.disabledPasses, wish.pass))
      return std::string("the options '") + wish.option + "=" + wish.value + "' and 'disable-pass=" + wish.pass +
             "' contradict each other: only that pass does it";
  if (options.tma == "guard" && !target.hasTma) {
    const Target *first = findFirstTarget([](const Target &row) { return row.hasTma; });
    return "option 'tma=guard': " + std::string(target.name) + " has no tensor maps; " + std::string(first->name) +
           " is the first target that has them";
  }
  if (options.tma == "guard" && options.maxVariants == 1)
    return "the options 'tma=guard' and 'max-variants=1' contradict each other: a guard makes a variant";
  return "";
}

bool tilewright::buildTilePipeline(OpPassManager &manager, const PipelineOptions &options, std::string &error) {
  const Target *target = findTarget(options.target, &error);
  if (!target)
    return false;
  llvm::StringSet<> disabled;
  for (const std::string &name : options.disabledPasses) {
    if (!llvm::is_contained(kOptionalPasses, name)) {
      error = "cannot disable '" + name + "': expected one of";
      for (StringRef known : kOptionalPasses)
        error += (known == kOptionalPasses[0] ? " " : ", ") + known.str();
      return false;
    }
    disabled.insert(name);
  }
  error = findContradiction(options, *target);
  if (!error.empty())
    return false;
  auto add = [&](StringRef flag, std::unique_ptr<Pass> pass, bool onFunctions) {
    if (disabled.contains(flag))
      return;
    if (onFunctions)
      manager.addNestedPass<func::FuncOp>(std::move(pass));
    else
      manager.addPass(std::move(pass));
  };
  auto clean = [&] {
    add("canonicalize", createCanonicalizerPass(), false);
    add("cse", createCSEPass(), false);
  };

  auto reaches = [&](PipelineStage stage) { return options.from < stage && stage <= options.stage; };

  if (reaches(PipelineStage::Tile)) {
    // What was asked for, while it is as it was written.
    CheckWishesPassOptions wishes;
    wishes.disabled.assign(options.disabledPasses.begin(), options.disabledPasses.end());
    wishes.parts = options.epilogueParts;
    manager.addPass(createCheckWishesPass(wishes));
    // Calls between tile functions and unstructured control flow go first.
    manager.addPass(createInlinerPass());
    manager.addPass(createLiftControlFlowToSCFPass());
    clean();
    // Before there are variants, so that each refusal comes once; behind the folds, so that what goes away is no matter.
    CheckTargetPassOptions check;
    check.target = options.target;
    check.numWarps = options.numWarps;
    manager.addNestedPass<func::FuncOp>(createCheckTargetPass(check));
    // Pointers become views first: transposes and bounds are those of views.
    add("tile-raise-pointers", createRaisePointersPass(), true);
    clean();
    // Before the kernel is cloned, since which stride is 1 decides a variant.
    add("tile-fold-transpose", createFoldTransposePass(), true);
    clean();
    // Behind what makes accesses to views of all that can be, in front of all that depends on extents.
    ChooseExtentsPassOptions extents;
    extents.extents.assign(options.extents.begin(), options.extents.end());
    add("tile-choose-extents", createChooseExtentsPass(extents), false);
    add("tile-split-precision", createSplitPrecisionPass(), true);
    // The new kernels are specialised like others.
    add("tile-batch-launches", createBatchLaunchesPass(), false);
    clean();
    SpecializePassOptions specialize;
    if (options.maxVariants != 0)
      specialize.maxVariants = options.maxVariants;
    add("tile-specialize", createSpecializePass(specialize), false);
    // Behind the variants that it refines.
    SpecializeEvenKPassOptions evenK;
    if (options.maxVariants != 0)
      evenK.maxVariants = options.maxVariants;
    evenK.mode = options.evenK;
    add("tile-specialize-even-k", createSpecializeEvenKPass(evenK), false);
    add("tile-set-in-bounds", createSetInBoundsPass(), false);
    // Behind everything that learns from `program_id` and the grid function, which are no longer what the author wrote.
    OrderGridPassOptions order;
    order.target = options.target;
    order.group = options.gridGroup;
    add("tile-order-grid", createOrderGridPass(order), false);
    MakePersistentPassOptions persistent;
    persistent.target = options.target;
    persistent.mode = options.persistent;
    add("tile-make-persistent", createMakePersistentPass(persistent), false);
    // Behind bounds and variants: the parts have the checks of the whole, which are proved once.
    SubtileEpiloguePassOptions epilogue;
    epilogue.target = options.target;
    epilogue.numWarps = options.numWarps;
    epilogue.parts = options.epilogueParts;
    add("tile-subtile-epilogue", createSubtileEpiloguePass(epilogue), true);
    // Behind all variants, whose promises it uses, and behind every rewrite of accesses.
    if (target->hasTma) {
      InsertTmaPassOptions tma;
      tma.target = options.target;
      tma.mode = options.tma;
      if (options.maxVariants != 0)
        tma.maxVariants = options.maxVariants;
      add("tile-insert-tma", createInsertTmaPass(tma), false);
    }
    clean();
    // Behind everything that makes, splits or copies products, so that each has its own record.
    SelectDotPassOptions select;
    select.target = options.target;
    select.numWarps = options.numWarps;
    add("tile-select-dot", createSelectDotPass(select), true);
    // Last: it counts what the others leave, and its hints stay on the loops down to PTX.
    ControlUnrollPassOptions unroll;
    unroll.target = options.target;
    unroll.numWarps = options.numWarps;
    add("tile-control-unroll", createControlUnrollPass(unroll), true);
  }
  if (reaches(PipelineStage::Gpu)) {
    AssignLayoutsPassOptions layouts;
    layouts.numWarps = options.numWarps;
    layouts.target = options.target;
    manager.addNestedPass<func::FuncOp>(createAssignLayoutsPass(layouts));
    clean();
    add("loop-invariant-code-motion", createLoopInvariantCodeMotionPass(), true);
    add("tile-sink-cheap-tiles", createSinkCheapTilesPass(), true);
    manager.addNestedPass<func::FuncOp>(createLowerToBuffersPass());
    AllocateSharedPassOptions shared;
    shared.limitBytes = target->maxSharedBytesPerBlock;
    manager.addNestedPass<func::FuncOp>(createAllocateSharedPass(shared));
    manager.addNestedPass<func::FuncOp>(createInsertSyncPass());
  }
  if (reaches(PipelineStage::Simt)) {
    manager.addPass(createConvertTileToSIMTPass());
    clean(); // Nothing is hoisted here: the addresses of a loop's accesses would fill the registers.
    manager.addNestedPass<func::FuncOp>(createUnrollLoopsPass());
  }
  return true;
}

namespace {
/// The options of `--tile-pipeline`, as text.
struct TilePipelineCliOptions : public PassPipelineOptions<TilePipelineCliOptions> {
  Option<std::string> target{*this, "target", llvm::cl::desc("GPU to compile for"), llvm::cl::init("sm_90a")};
  Option<unsigned> numWarps{*this, "num-warps", llvm::cl::desc("Warps of a kernel that does not say; 0: chosen"),
                            llvm::cl::init(0)};
  Option<unsigned> maxVariants{*this, "max-variants", llvm::cl::desc("Variants of a kernel; 1: itself alone"),
                               llvm::cl::init(0)};
  Option<unsigned> gridGroup{*this, "grid-group", llvm::cl::desc("Rows of tiles to walk together; 0: chosen"),
                             llvm::cl::init(0)};
  Option<unsigned> epilogueParts{*this, "epilogue-parts", llvm::cl::desc("Parts in which products are stored; 0: chosen"),
                                 llvm::cl::init(0)};
  Option<std::string> persistent{*this, "persistent", llvm::cl::desc("auto, always or never"), llvm::cl::init("auto")};
  Option<std::string> evenK{*this, "even-k", llvm::cl::desc("auto, guard or peel"), llvm::cl::init("auto")};
  Option<std::string> tma{*this, "tma", llvm::cl::desc("auto, or guard: a variant that tests the rules of tensor maps"),
                          llvm::cl::init("auto")};
  ListOption<std::string> extents{*this, "extents", llvm::cl::desc("Classes of tile dimensions and their extents, CLASS:N")};
  ListOption<std::string> disable{*this, "disable-pass", llvm::cl::desc("Optimisations to leave out")};
  Option<std::string> stage{*this, "stage", llvm::cl::desc("tile, gpu or simt"), llvm::cl::init("simt")};
};
} // namespace

/// Adds the passes that `text` asks for; says what is wrong with it otherwise.
static LogicalResult addTilePipeline(OpPassManager &manager, StringRef text,
                                     function_ref<LogicalResult(const Twine &)> complain) {
  TilePipelineCliOptions cli;
  std::string error;
  llvm::raw_string_ostream stream(error);
  if (failed(cli.parseFromString(text, stream))) {
    StringRef message = StringRef(error).trim();
    message.consume_front("<Pass-Options-Parser>: ");
    // Which value is wrong has been said by the parser of numbers, which takes no stream.
    return complain("tile-pipeline: " + (message.empty() ? "a value is none of its option's" : message));
  }
  PipelineOptions options;
  options.target = cli.target;
  options.numWarps = cli.numWarps;
  options.maxVariants = cli.maxVariants;
  options.gridGroup = cli.gridGroup;
  options.epilogueParts = cli.epilogueParts;
  options.persistent = cli.persistent;
  options.evenK = cli.evenK;
  options.tma = cli.tma;
  options.extents.assign(cli.extents.begin(), cli.extents.end());
  options.disabledPasses.assign(cli.disable.begin(), cli.disable.end());
  options.stage = cli.stage == "tile"  ? PipelineStage::Tile
                  : cli.stage == "gpu" ? PipelineStage::Gpu
                                       : PipelineStage::Simt;
  if (cli.stage != "tile" && cli.stage != "gpu" && cli.stage != "simt")
    return complain("tile-pipeline: unknown stage '" + Twine(cli.stage) + "': expected tile, gpu or simt");
  if (!buildTilePipeline(manager, options, error))
    return complain("tile-pipeline: " + Twine(error));
  return success();
}

void tilewright::registerTilePipeline() {
  registerPassPipeline(
      "tile-pipeline", "The whole list from a tile program to one thread's program", addTilePipeline,
      [](function_ref<void(const mlir::detail::PassOptions &)> describe) { describe(TilePipelineCliOptions()); });
}
