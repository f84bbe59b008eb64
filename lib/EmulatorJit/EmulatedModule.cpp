// SPDX-License-Identifier: Apache-2.0
#include "tilewright/EmulatorJit/EmulatedModule.h"
#include "HostSymbols.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"

#include "llvm/ExecutionEngine/Orc/AbsoluteSymbols.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"

#include <mutex>

using namespace mlir;
using namespace tilewright;

struct EmulatedModule::Impl {
  std::unique_ptr<llvm::orc::LLJIT> jit;
  llvm::StringMap<KernelCode> kernels;
};

EmulatedModule::EmulatedModule(std::unique_ptr<Impl> impl) : impl(std::move(impl)) {}
EmulatedModule::~EmulatedModule() = default;

const KernelCode *EmulatedModule::lookup(StringRef name) const {
  auto it = impl->kernels.find(name);
  return it == impl->kernels.end() ? nullptr : &it->second;
}

void tilewright::registerEmulatedModuleDialects(DialectRegistry &registry) {
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  registry.insert<LLVM::LLVMDialect>();
}

/// The host, without what would make results depend on it: native 16-bit float arithmetic, and conversions to bf16
/// that flush subnormal numbers.
static llvm::Expected<llvm::orc::JITTargetMachineBuilder> describeHost(const HostCodeOptions &options) {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
  });
  auto builder = llvm::orc::JITTargetMachineBuilder::detectHost();
  if (!builder)
    return builder;
  if (builder->getTargetTriple().isX86())
    builder->addFeatures({"-avx512fp16", "-avx512bf16", "-avxneconvert", "-amx-bf16"});
  builder->setCodeGenOptLevel(options.optLevel == 0 ? llvm::CodeGenOptLevel::None : llvm::CodeGenOptLevel::Less);
  return builder;
}

/// Kernels probe each page of a large frame, so that a stack that is too small ends in its guard.
static void prepareFunctions(llvm::Module &module, const llvm::TargetMachine &machine) {
  module.setTargetTriple(machine.getTargetTriple());
  module.setDataLayout(machine.createDataLayout());
  for (llvm::Function &function : module) {
    function.addFnAttr(llvm::Attribute::NoUnwind);
    if (function.isDeclaration())
      continue;
    function.addFnAttr("probe-stack", "inline-asm");
    function.addFnAttr("target-cpu", machine.getTargetCPU());
    function.addFnAttr("target-features", machine.getTargetFeatureString());
  }
}

static void optimize(llvm::Module &module, llvm::TargetMachine &machine) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager sccs;
  llvm::ModuleAnalysisManager modules;
  llvm::PipelineTuningOptions tuning;
  tuning.LoopUnrolling = false; // The kernels' loops are unrolled already where that pays.
  llvm::PassBuilder builder(&machine, tuning);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(sccs);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, sccs, modules);
  builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O1).run(module, modules);
}

static llvm::Error addHostSymbols(llvm::orc::LLJIT &jit) {
  llvm::orc::SymbolMap map;
  for (const auto &[name, address] : getHostSymbols())
    map[jit.mangleAndIntern(name)] = {llvm::orc::ExecutorAddr::fromPtr(address), llvm::JITSymbolFlags::Exported};
  return jit.getMainJITDylib().define(llvm::orc::absoluteSymbols(std::move(map)));
}

/// The number of texts that calls refer to, or an error at the module.
static LogicalResult readLocations(ModuleOp module, std::vector<std::string> &locations) {
  Attribute attr = module->getAttr("tile_gpu.locations");
  if (!attr)
    return success();
  auto array = dyn_cast<ArrayAttr>(attr);
  if (!array || !llvm::all_of(array, [](Attribute text) { return isa<StringAttr>(text); }))
    return emitError(module.getLoc(), "expected 'tile_gpu.locations' to be an array of strings, found ") << attr;
  for (auto text : array.getAsRange<StringAttr>())
    locations.push_back(text.str());
  return success();
}

/// True for `void (ptr, ptr)` with a body.
static bool isEntry(LLVM::LLVMFuncOp function) {
  LLVM::LLVMFunctionType type = function.getFunctionType();
  return !function.isExternal() && isa<LLVM::LLVMVoidType>(type.getReturnType()) && !type.isVarArg() &&
         type.getNumParams() == 2 && isa<LLVM::LLVMPointerType>(type.getParamType(0)) &&
         isa<LLVM::LLVMPointerType>(type.getParamType(1)) && function.getLinkage() == LLVM::Linkage::External;
}

FailureOr<std::unique_ptr<EmulatedModule>> EmulatedModule::compile(ModuleOp module, const HostCodeOptions &options) {
  // What LLVM reports becomes one diagnostic of the module.
  auto fail = [&](llvm::Error error) -> LogicalResult {
    return emitError(module.getLoc(), "cannot compile for the emulator: ") << llvm::toString(std::move(error));
  };
  std::vector<std::string> locations;
  if (failed(readLocations(module, locations)))
    return failure();

  auto context = std::make_unique<llvm::LLVMContext>();
  std::unique_ptr<llvm::Module> code = translateModuleToLLVMIR(module, *context, "kernels");
  if (!code)
    return failure(); // Reported by the translation.
  auto host = describeHost(options);
  if (!host)
    return fail(host.takeError());
  auto machine = host->createTargetMachine();
  if (!machine)
    return fail(machine.takeError());
  prepareFunctions(*code, **machine);
  std::string invalid;
  llvm::raw_string_ostream invalidStream(invalid);
  if (llvm::verifyModule(*code, &invalidStream))
    return emitError(module.getLoc(), "cannot compile for the emulator: ") << invalid;
  if (options.optLevel > 0)
    optimize(*code, **machine);

  std::string reported; // Outlives the session, which may report until its end.
  auto jit = llvm::orc::LLJITBuilder()
                 .setJITTargetMachineBuilder(std::move(*host))
                 .setPlatformSetUp(llvm::orc::setUpInactivePlatform)
                 .setLinkProcessSymbolsByDefault(false)
                 .create();
  if (!jit)
    return fail(jit.takeError());
  // Errors that the session meets on the way, e.g. which symbol is missing; a lookup says only that it failed.
  auto impl = std::make_unique<Impl>();
  (*jit)->getExecutionSession().setErrorReporter(
      [&](llvm::Error error) { reported += (reported.empty() ? "" : "; ") + llvm::toString(std::move(error)); });
  llvm::Error added = addHostSymbols(**jit);
  if (!added)
    added = (*jit)->addIRModule(llvm::orc::ThreadSafeModule(std::move(code), std::move(context)));
  if (added)
    return fail(std::move(added));
  for (auto function : module.getOps<LLVM::LLVMFuncOp>()) {
    if (!isEntry(function))
      continue;
    auto address = (*jit)->lookup(function.getSymName());
    if (!address) {
      std::string why = llvm::toString(address.takeError());
      return emitError(function.getLoc(), "cannot compile for the emulator: ") << (reported.empty() ? why : reported);
    }
    impl->kernels[function.getSymName()] = {function.getSymName().str(), address->toPtr<KernelEntry>(), locations};
  }
  (*jit)->getExecutionSession().setErrorReporter([](llvm::Error error) { llvm::consumeError(std::move(error)); });
  impl->jit = std::move(*jit);
  return std::unique_ptr<EmulatedModule>(new EmulatedModule(std::move(impl)));
}
