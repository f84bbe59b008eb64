// SPDX-License-Identifier: Apache-2.0
#include "Internal.h"
#include "tilewright/Dialect/TileGPU/IR/TileGPU.h"

#include "mlir/IR/Builders.h"
#include "llvm/Support/JSON.h"

using namespace mlir;
using namespace tilewright;

/// One function of a module as a module of its own.
static OwningOpRef<ModuleOp> isolate(func::FuncOp func) {
  OwningOpRef<ModuleOp> module = ModuleOp::create(func->getParentOfType<ModuleOp>().getLoc());
  OpBuilder builder(module->getBodyRegion());
  builder.clone(*func);
  return module;
}

/// The text keeps source locations: the emulator reports them.
static std::string printWithLocations(ModuleOp module) {
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
  OwningOpRef<ModuleOp> module = isolate(func);
  variant.simt = printWithLocations(*module);
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

static std::string describePlace(Location loc) {
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

/// How each product is computed, read where products are ops of their family.
static std::vector<DotReport> collectDots(ModuleOp module) {
  std::vector<DotReport> dots;
  module.walk([&](tile_gpu::DotFmaOp op) {
    std::string shape;
    llvm::raw_string_ostream(shape) << cast<RankedTensorType>(op->getResult(0).getType()).getElementType();
    dots.push_back({describePlace(op.getLoc()), "fma", shape});
  });
  return dots;
}

FailureOr<CompileResult> tilewright::compileModule(ModuleOp source, const CompileOptions &options, PhaseTimes *times) {
  std::optional<CudaTool> ptxas;
  if (options.wantsCubin) {
    FailureOr<CudaTool> found = driver::getPtxas(source, options);
    if (failed(found))
      return failure();
    ptxas = *found;
  }
  CompileResult result;
  FailureOr<OwningOpRef<ModuleOp>> module = lowerModule(source, EmitLevel::Tile, options, times);
  if (failed(module))
    return failure();
  // What is on the host is known up here, while parameters are views.
  std::vector<std::pair<std::string, std::string>> kernels; // Entry point, name in the source.
  for (auto func : (*module)->getOps<func::FuncOp>())
    if (func->hasAttr("tile.kernel"))
      kernels.emplace_back(func.getSymName().str(), driver::kernelOf(func));
  if (failed(driver::runStages(**module, PipelineStage::Tile, PipelineStage::Gpu, options, times, "tile-to-gpu")))
    return failure();
  result.dots = collectDots(**module);
  if (failed(driver::runStages(**module, PipelineStage::Gpu, PipelineStage::Simt, options, times, "gpu-to-simt")))
    return failure();
  for (const auto &[symbol, kernel] : kernels) {
    auto func = (*module)->lookupSymbol<func::FuncOp>(symbol);
    FailureOr<CompiledVariant> variant = compileVariant(func, kernel, options, ptxas, times);
    if (failed(variant))
      return failure();
    result.variants.push_back(std::move(*variant));
  }
  result.report = driver::makeReport(result, options, ptxas);
  return result;
}

std::string driver::makeReport(const CompileResult &result, const CompileOptions &options,
                               const std::optional<CudaTool> &ptxas) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  llvm::json::OStream json(stream, /*IndentSize=*/2);
  json.object([&] {
    json.attribute("target", options.target);
    json.attribute("options", options.toString());
    if (ptxas) {
      json.attribute("ptxas", ptxas->version);
    }
    json.attributeArray("dots", [&] {
      for (const DotReport &dot : result.dots)
        json.object([&] {
          json.attribute("location", dot.location);
          json.attribute("family", dot.family);
          json.attribute("type", dot.shape);
        });
    });
    json.attributeArray("variants", [&] {
      for (const CompiledVariant &variant : result.variants)
        json.object([&] {
          json.attribute("kernel", variant.kernel);
          json.attribute("symbol", variant.symbol);
          json.attribute("threads", variant.numThreads);
          json.attribute("shared_bytes", variant.sharedBytes);
          json.attribute("stages", 1);
          if (variant.resources) {
            json.attribute("registers", variant.resources->registers);
            json.attribute("spill_store_bytes", variant.resources->spillStoreBytes);
            json.attribute("spill_load_bytes", variant.resources->spillLoadBytes);
            json.attribute("stack_bytes", variant.resources->stackBytes);
            json.attribute("barriers", variant.resources->barriers);
          }
          json.attributeArray("ptxas_warnings", [&] {
            for (const std::string &warning : variant.ptxasWarnings)
              json.value(warning);
          });
        });
    });
  });
  return text;
}
