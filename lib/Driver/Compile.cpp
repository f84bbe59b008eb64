// SPDX-License-Identifier: Apache-2.0
#include "tilewright/Driver/Compile.h"
#include "Internal.h"
#include "tilewright/Codegen/EmitPtx.h"
#include "tilewright/Conversion/SIMTToLLVM/Passes.h"
#include "tilewright/Dialect/Tile/IR/Tile.h"
#include "tilewright/Pipelines/TilePipeline.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"

#include "llvm/ADT/StringSet.h"

#include <chrono>

using namespace mlir;
using namespace tilewright;

namespace {
/// Adds the time between its construction and its end to a table.
class PhaseTimer {
public:
  PhaseTimer(PhaseTimes *times, StringRef name) : times(times), name(name) {}
  ~PhaseTimer() {
    if (times)
      times->emplace_back(name.str(), std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }

private:
  PhaseTimes *times;
  StringRef name;
  std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
};
} // namespace

static bool isKernel(func::FuncOp func) { return func->hasAttr("tile.kernel") || func->hasAttr("tile_gpu.kernel"); }

std::string driver::kernelOf(func::FuncOp func) {
  if (auto original = func->getAttrOfType<FlatSymbolRefAttr>("tile.variant_of"))
    return original.getValue().str();
  return func.getSymName().str();
}

bool driver::isThreadLevel(ModuleOp module) {
  return llvm::any_of(module.getOps<func::FuncOp>(), [](func::FuncOp f) { return f->hasAttr("tile_gpu.kernel"); });
}

bool driver::isHostFunction(func::FuncOp func) {
  return !func.isExternal() && !isKernel(func) && !func.front().getOps<tile::LaunchOp>().empty();
}

/// Drops what was not asked for: of kernels and host functions all but the one called `wanted`, with the kernels that
/// it launches. An error where none is left, or one that is asked for is not there.
static LogicalResult selectKernels(ModuleOp module, StringRef wanted) {
  SmallVector<func::FuncOp> kernels, others;
  llvm::StringSet<> launched;
  for (auto func : module.getOps<func::FuncOp>()) {
    bool isHost = driver::isHostFunction(func);
    if (!isHost && !isKernel(func))
      continue;
    bool isWanted = wanted.empty() || driver::kernelOf(func) == wanted;
    (isWanted ? kernels : others).push_back(func);
    if (isHost && isWanted)
      for (auto launch : func.front().getOps<tile::LaunchOp>())
        launched.insert(launch.getKernel());
  }
  if (kernels.empty()) {
    InFlightDiagnostic error = emitError(module.getLoc());
    if (wanted.empty() || others.empty())
      return error << "expected at least one kernel: a func.func with tile.kernel";
    error << "expected a kernel called '" << wanted << "', found ";
    llvm::interleaveComma(others, error, [&](func::FuncOp func) { error << "'" << func.getSymName() << "'"; });
    return error;
  }
  for (func::FuncOp func : others)
    if (!launched.contains(driver::kernelOf(func)))
      func.erase();
  return success();
}

namespace {
/// Variants of a kernel fail alike: drops an error that was reported with the same words at the same place.
class OneErrorPerPlace : public ScopedDiagnosticHandler {
public:
  explicit OneErrorPerPlace(MLIRContext *context) : ScopedDiagnosticHandler(context) {
    setHandler([this](Diagnostic &diagnostic) {
      std::string text;
      llvm::raw_string_ostream stream(text);
      stream << diagnostic.getLocation() << ' ' << diagnostic;
      bool isRepeated = diagnostic.getSeverity() == DiagnosticSeverity::Error && !seen.insert(text).second;
      return success(isRepeated); // Success ends its way to the handlers further out.
    });
  }

private:
  llvm::StringSet<> seen;
};
} // namespace

LogicalResult driver::runStages(ModuleOp module, PipelineStage from, PipelineStage to, const CompileOptions &options,
                                PhaseTimes *times, StringRef phase) {
  PhaseTimer timer(times, phase);
  PipelineOptions pipeline;
  pipeline.target = options.target;
  pipeline.numWarps = options.numWarps;
  pipeline.maxVariants = options.maxVariants;
  pipeline.gridGroup = options.gridGroup;
  pipeline.epilogueParts = options.epilogueParts;
  pipeline.persistent = options.persistent;
  pipeline.evenK = options.evenK;
  pipeline.tma = options.tma;
  pipeline.extents = options.extents;
  pipeline.disabledPasses = options.disabledPasses;
  pipeline.from = from;
  pipeline.stage = to;
  PassManager manager(module.getContext());
  std::string error;
  if (!buildTilePipeline(manager, pipeline, error))
    return emitError(module.getLoc()) << error;
  OneErrorPerPlace handler(module.getContext());
  return manager.run(module);
}

FailureOr<const Target *> driver::getTarget(ModuleOp module, const CompileOptions &options) {
  std::string error;
  const Target *target = findTarget(options.target, &error);
  if (!target)
    return emitError(module.getLoc()) << error;
  return target;
}

/// What the passes cannot know of a module that begins at the SIMT level.
static LogicalResult checkLimits(ModuleOp module, const Target &target) {
  for (auto func : module.getOps<func::FuncOp>())
    if (auto shared = func->getAttrOfType<IntegerAttr>("tile_gpu.shared_bytes");
        shared && shared.getInt() > target.maxSharedBytesPerBlock) {
      InFlightDiagnostic error = emitError(func.getLoc(), "needs ")
                                 << shared.getInt() << " bytes of shared memory, but " << target.name << " has "
                                 << target.maxSharedBytesPerBlock;
      if (const Target *first =
              findFirstTarget([&](const Target &row) { return row.maxSharedBytesPerBlock >= shared.getInt(); }))
        error << "; " << first->name << " is the first target that has as much";
      return error;
    }
  return success();
}

LogicalResult driver::convertToLlvmDialect(ModuleOp module, const CompileOptions &options, PhaseTimes *times) {
  PhaseTimer timer(times, "simt-to-llvm-dialect");
  FailureOr<const Target *> target = getTarget(module, options);
  if (failed(target) || failed(checkLimits(module, **target)))
    return failure();
  PassManager manager(module.getContext());
  ConvertSIMTToNVVMPassOptions conversion;
  conversion.target = std::string((*target)->name);
  manager.addPass(createConvertSIMTToNVVMPass(conversion));
  return manager.run(module);
}

FailureOr<OwningOpRef<ModuleOp>> tilewright::lowerModule(ModuleOp source, EmitLevel level,
                                                         const CompileOptions &options, PhaseTimes *times) {
  assert(level <= EmitLevel::LlvmDialect && "not a level of MLIR");
  if (failed(driver::getTarget(source, options)))
    return failure();
  OwningOpRef<ModuleOp> module = source.clone();
  if (failed(selectKernels(*module, options.kernel)))
    return failure();
  if (!driver::isThreadLevel(*module)) {
    PipelineStage stage = level == EmitLevel::Tile  ? PipelineStage::Tile
                          : level == EmitLevel::Gpu ? PipelineStage::Gpu
                                                    : PipelineStage::Simt;
    if (failed(driver::runStages(*module, PipelineStage::Source, stage, options, times, "tile-to-simt")))
      return failure();
  } else if (level < EmitLevel::Simt) {
    return emitError(source.getLoc())
           << "expected a tile program, found one thread's program, which has no level above";
  }
  if (level == EmitLevel::LlvmDialect && failed(driver::convertToLlvmDialect(*module, options, times)))
    return failure();
  return module;
}

FailureOr<std::string> driver::compileToPtx(ModuleOp llvmModule, bool wantsLlvmIr, const CompileOptions &options,
                                            PhaseTimes *times) {
  FailureOr<const Target *> target = getTarget(llvmModule, options);
  if (failed(target))
    return failure();
  EmitPtxOptions emit;
  emit.target = *target;
  emit.wantsLlvmIr = wantsLlvmIr;
  auto onPhase = [&](StringRef phase, double seconds) {
    if (times)
      times->emplace_back(phase.str(), seconds);
  };
  emit.onPhase = onPhase;
  return emitPtx(llvmModule, emit);
}

FailureOr<AssembledPtx> driver::assemble(ModuleOp module, StringRef ptx, const CompileOptions &options,
                                         const std::optional<CudaTool> &ptxas, PhaseTimes *times) {
  PhaseTimer timer(times, "ptxas");
  FailureOr<const Target *> target = getTarget(module, options);
  if (failed(target))
    return failure();
  std::string error;
  std::optional<AssembledPtx> assembled = assemblePtx(ptx, **target, *ptxas, error);
  Location loc = module.getLoc();
  for (auto func : module.getOps<func::FuncOp>())
    loc = func.getLoc();
  if (!assembled)
    return emitError(loc) << error;
  return *assembled;
}

FailureOr<CudaTool> driver::getPtxas(ModuleOp module, const CompileOptions &options) {
  std::string error;
  std::optional<CudaTool> ptxas = findCudaTool("ptxas", options.ptxasPath, error);
  if (!ptxas)
    return emitError(module.getLoc()) << "machine code needs ptxas: " << error;
  return *ptxas;
}

FailureOr<std::string> tilewright::emitLevel(ModuleOp module, EmitLevel level, const CompileOptions &options,
                                             PhaseTimes *times) {
  assert(level != EmitLevel::Bundle && "compileModule makes bundles");
  std::optional<CudaTool> ptxas;
  if (level == EmitLevel::Cubin) { // Before the work, so that a missing tool shows at once.
    FailureOr<CudaTool> found = driver::getPtxas(module, options);
    if (failed(found))
      return failure();
    ptxas = *found;
  }
  FailureOr<OwningOpRef<ModuleOp>> lowered =
      lowerModule(module, std::min(level, EmitLevel::LlvmDialect), options, times);
  if (failed(lowered))
    return failure();
  if (level <= EmitLevel::LlvmDialect) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    (*lowered)->print(stream);
    stream << '\n';
    return text;
  }
  FailureOr<std::string> ptx = driver::compileToPtx(**lowered, level == EmitLevel::Llvm, options, times);
  if (failed(ptx) || level != EmitLevel::Cubin)
    return ptx;
  FailureOr<AssembledPtx> assembled = driver::assemble(module, *ptx, options, ptxas, times);
  if (failed(assembled))
    return failure();
  return assembled->cubin;
}
