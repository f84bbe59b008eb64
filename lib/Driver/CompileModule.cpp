// SPDX-License-Identifier: Apache-2.0
#include "Internal.h"
#include "tilewright/Conversion/HostToPlan/HostToPlan.h"
#include "tilewright/Conversion/TileToTileGPU/LayoutMoves.h"
#include "tilewright/Dialect/Tile/Transforms/DotChoice.h"
#include "tilewright/Dialect/TileGPU/IR/TileGPU.h"

#include "mlir/IR/Builders.h"
#include "llvm/Config/llvm-config.h"

using namespace mlir;
using namespace tilewright;

OwningOpRef<ModuleOp> driver::isolate(func::FuncOp func) {
  OwningOpRef<ModuleOp> module = ModuleOp::create(func->getParentOfType<ModuleOp>().getLoc());
  OpBuilder builder(module->getBodyRegion());
  builder.clone(*func);
  return module;
}

std::string driver::printWithLocations(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream, OpPrintingFlags().enableDebugInfo(/*enable=*/true, /*prettyForm=*/false));
  return text;
}

static int64_t intAttr(Operation *op, StringRef name) {
  auto attr = op->getAttrOfType<IntegerAttr>(name);
  return attr ? attr.getInt() : 0;
}

/// Compiles one kernel of a SIMT-level module.
static FailureOr<CompiledVariant> compileVariant(func::FuncOp func, StringRef kernel, const CompileOptions &options,
                                                 const std::optional<CudaTool> &ptxas, PhaseTimes *times) {
  CompiledVariant variant;
  variant.kernel = kernel.str();
  variant.symbol = variant.module = func.getSymName().str();
  variant.numThreads = intAttr(func, "tile_gpu.num_threads");
  variant.sharedBytes = intAttr(func, "tile_gpu.shared_bytes");
  OwningOpRef<ModuleOp> module = driver::isolate(func);
  variant.simt = driver::printWithLocations(*module);
  if (!options.wantsPtx && !ptxas)
    return variant;
  if (failed(driver::convertToLlvmDialect(*module, options, times)))
    return failure();
  FailureOr<std::string> ptx = driver::compileToPtx(*module, /*wantsLlvmIr=*/false, options, times);
  if (failed(ptx))
    return failure();
  variant.ptx = std::move(*ptx);
  if (!ptxas)
    return variant;
  FailureOr<AssembledPtx> assembled =
      driver::assemble(func->getParentOfType<ModuleOp>(), variant.ptx, options, ptxas, times);
  if (failed(assembled))
    return failure();
  variant.cubin = std::move(assembled->cubin);
  variant.ptxasWarnings = std::move(assembled->warnings);
  if (!assembled->kernels.empty())
    variant.resources = assembled->kernels.front();
  return variant;
}

std::string driver::describePlace(Location loc) {
  std::string text;
  loc->walk([&](Location inner) {
    auto file = dyn_cast<FileLineColLoc>(inner);
    if (!file)
      return WalkResult::advance();
    text = (file.getFilename().getValue() + ":" + Twine(file.getLine()) + ":" + Twine(file.getColumn())).str();
    return WalkResult::interrupt();
  });
  return text;
}

/// How each product is computed, read where products are ops of their family. What variants do alike is one entry.
static std::vector<DotReport> collectDots(ModuleOp module) {
  std::vector<DotReport> dots;
  auto add = [&](Operation *op, const tile::DotRecord &record) {
    DotReport dot{driver::describePlace(op->getLoc()), std::string(mmaFamilyName(record.family)),
                  stringify(record.shape), "", record.reason, {}};
    llvm::raw_string_ostream(dot.type) << cast<RankedTensorType>(op->getResult(0).getType()).getElementType();
    std::string variant = op->getParentOfType<func::FuncOp>().getSymName().str();
    auto known = llvm::find_if(dots, [&](const DotReport &other) {
      auto key = [](const DotReport &of) { return std::tie(of.location, of.family, of.shape, of.type, of.reason); };
      return key(other) == key(dot);
    });
    if (known == dots.end())
      known = dots.insert(dots.end(), std::move(dot));
    if (!llvm::is_contained(known->variants, variant))
      known->variants.push_back(std::move(variant));
  };
  module.walk([&](Operation *op) {
    if (std::optional<tile::DotRecord> record = tile::parseDotRecord(op->getAttr(kKeptDotChoiceAttr)))
      add(op, *record);
  });
  return dots;
}

/// Completes the plan of each kernel by what is known after lowering, and puts the sections beside it.
static LogicalResult fillBundle(ModuleOp source, CompileResult &result, const CompileOptions &options,
                                const std::optional<CudaTool> &ptxas) {
  LaunchPlan &plan = result.bundle.plan;
  plan.target = options.target;
  plan.compilerVersion = "tilewright " TILEWRIGHT_VERSION ", LLVM " LLVM_VERSION_STRING;
  plan.ptxasVersion = ptxas ? ptxas->version : "";
  plan.options = options.toString();
  for (PlanKernel &kernel : plan.kernels)
    for (PlanVariant &entry : kernel.variants) {
      auto compiled =
          llvm::find_if(result.variants, [&](const CompiledVariant &v) { return v.symbol == entry.symbol; });
      assert(compiled != result.variants.end() && "every variant was compiled");
      entry.module = compiled->module;
      entry.numThreads = compiled->numThreads;
      entry.dynamicSharedBytes = compiled->sharedBytes;
      if (!compiled->resources)
        continue;
      const KernelResources &resources = *compiled->resources;
      entry.staticSharedBytes = resources.staticSharedBytes;
      entry.facts.emplace_back("registers", std::to_string(resources.registers));
      entry.facts.emplace_back("spill bytes", std::to_string(resources.spillStoreBytes + resources.spillLoadBytes));
      entry.facts.emplace_back("stack bytes", std::to_string(resources.stackBytes));
    }
  for (const CompiledVariant &variant : result.variants) {
    if (!variant.ptx.empty())
      result.bundle.add(SectionKind::Ptx, variant.module, variant.ptx);
    if (!variant.cubin.empty())
      result.bundle.add(SectionKind::Cubin, variant.module, variant.cubin);
    if (variant.tiles.empty())
      result.bundle.add(SectionKind::Simt, variant.module, variant.simt);
    else
      result.bundle.add(SectionKind::Tile, variant.module, variant.tiles);
  }
  result.report = driver::makeReport(result, options, ptxas);
  result.bundle.add(SectionKind::Report, "", result.report);
  std::string error;
  if (!verifyLaunchPlan(plan, &error))
    return emitError(source.getLoc()) << "the launch plan is not valid: " << error;
  return success();
}

/// A bundle of one thread's programs. There is nothing to lower later, so a lazy one holds their text alone.
static FailureOr<CompileResult> compileThreadPrograms(ModuleOp source, const CompileOptions &options,
                                                      const std::optional<CudaTool> &ptxas, PhaseTimes *times) {
  FailureOr<OwningOpRef<ModuleOp>> module = lowerModule(source, EmitLevel::Simt, options, times);
  if (failed(module))
    return failure();
  CompileOptions codeOptions = options;
  codeOptions.wantsPtx &= !options.isLazy;
  CompileResult result;
  for (auto func : (**module).getOps<func::FuncOp>()) {
    if (!func->hasAttr("tile_gpu.kernel"))
      continue;
    FailureOr<PlanKernel> plan = buildThreadProgramPlan(func);
    if (failed(plan))
      return failure();
    result.bundle.plan.kernels.push_back(std::move(*plan));
    FailureOr<CompiledVariant> variant = compileVariant(func, func.getSymName(), codeOptions, ptxas, times);
    if (failed(variant))
      return failure();
    result.variants.push_back(std::move(*variant));
  }
  if (failed(fillBundle(source, result, options, ptxas)))
    return failure();
  return result;
}

FailureOr<CompileResult> tilewright::compileModule(ModuleOp source, const CompileOptions &options, PhaseTimes *times) {
  // The number of warps depends on layouts, which are attributes of this dialect; a lazy bundle needs the number alone.
  source.getContext()->loadDialect<tile_gpu::TileGPUDialect>();
  std::optional<CudaTool> ptxas;
  if (options.isLazy && options.wantsCubin)
    return emitError(source.getLoc()) << "a bundle of tile programs, for the emulator alone, has no machine code: expected "
                                         "one of the options 'lazy' and 'cubin'";
  if (options.wantsCubin) {
    FailureOr<CudaTool> found = driver::getPtxas(source, options);
    if (failed(found))
      return failure();
    ptxas = *found;
  }
  if (driver::isThreadLevel(source))
    return compileThreadPrograms(source, options, ptxas, times);
  CompileResult result;
  FailureOr<OwningOpRef<ModuleOp>> lowered = lowerModule(source, EmitLevel::Tile, options, times);
  if (failed(lowered))
    return failure();
  ModuleOp module = **lowered;
  // What is on the host is known up here, while parameters are views.
  std::vector<std::pair<std::string, std::string>> kernels; // Entry point, name in the source.
  for (auto func : module.getOps<func::FuncOp>()) {
    if (!func->hasAttr("tile.kernel"))
      continue;
    kernels.emplace_back(func.getSymName().str(), driver::kernelOf(func));
    if (func->hasAttr("tile.variant_of"))
      continue;
    FailureOr<PlanKernel> plan = buildPlanKernel(func);
    if (failed(plan))
      return failure();
    result.bundle.plan.kernels.push_back(std::move(*plan));
  }
  SmallVector<func::FuncOp> hosts;
  for (auto func : module.getOps<func::FuncOp>())
    if (driver::isHostFunction(func))
      hosts.push_back(func);
  std::vector<PlanKernel> sequences;
  for (func::FuncOp host : hosts) {
    FailureOr<PlanKernel> plan = buildPlanHost(host, result.bundle.plan.kernels);
    if (failed(plan))
      return failure();
    sequences.push_back(std::move(*plan));
    host.erase(); // The plan says it all, and nothing below has launches.
  }
  llvm::move(sequences, std::back_inserter(result.bundle.plan.kernels));
  if (options.isLazy) {
    for (const auto &[symbol, kernel] : kernels) {
      FailureOr<CompiledVariant> variant =
          driver::makeTileVariant(module.lookupSymbol<func::FuncOp>(symbol), kernel, options);
      if (failed(variant))
        return failure();
      result.variants.push_back(std::move(*variant));
    }
    if (failed(fillBundle(source, result, options, ptxas)))
      return failure();
    return result;
  }
  if (failed(driver::runStages(module, PipelineStage::Tile, PipelineStage::Gpu, options, times, "tile-to-gpu")))
    return failure();
  result.dots = collectDots(module);
  FailureOr<const Target *> target = driver::getTarget(source, options);
  if (failed(target) || failed(driver::addDescriptors(module, result.bundle.plan, **target)))
    return failure();
  result.conversions = driver::collectConversions(module);
  if (failed(driver::runStages(module, PipelineStage::Gpu, PipelineStage::Simt, options, times, "gpu-to-simt")))
    return failure();
  for (const auto &[symbol, kernel] : kernels) {
    FailureOr<CompiledVariant> variant =
        compileVariant(module.lookupSymbol<func::FuncOp>(symbol), kernel, options, ptxas, times);
    if (failed(variant))
      return failure();
    result.variants.push_back(std::move(*variant));
  }
  if (failed(fillBundle(source, result, options, ptxas)))
    return failure();
  return result;
}
