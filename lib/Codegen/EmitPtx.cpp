// SPDX-License-Identifier: Apache-2.0
#include "tilewright/Codegen/EmitPtx.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Scalar/DCE.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/GVN.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/LoopRotation.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"

#include <chrono>
#include <mutex>

using namespace mlir;
using namespace tilewright;

static constexpr StringLiteral kTriple = "nvptx64-nvidia-cuda";

void tilewright::registerLlvmTranslations(DialectRegistry &registry) {
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  registerNVVMDialectTranslation(registry);
}

static void initializeBackend() {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
  });
}

/// PTX ISA section 4.4: a letter and then letters, digits, `_`, `$`; or one of `_`, `$`, `%` and at least one of these.
static bool isPtxIdentifier(StringRef name) {
  auto follows = [](char c) { return llvm::isAlnum(c) || c == '_' || c == '$'; };
  if (name.empty() || !llvm::all_of(name.drop_front(), follows))
    return false;
  return llvm::isAlpha(name[0]) || ((name[0] == '_' || name[0] == '$' || name[0] == '%') && name.size() > 1);
}

static LogicalResult checkNames(ModuleOp module) {
  for (auto func : module.getOps<LLVM::LLVMFuncOp>())
    if (!func.isExternal() && !isPtxIdentifier(func.getSymName()))
      return emitError(func.getLoc(), "expected a name that PTX can spell (letters, digits, '_' and '$'), found '")
             << func.getSymName() << "'";
  return success();
}

/// The op that a message of the backend is about: it says "In function: name".
static Location locationOf(ModuleOp module, StringRef message) {
  static constexpr StringLiteral kMark = "In function: ";
  if (size_t at = message.find(kMark); at != StringRef::npos) {
    StringRef name = message.drop_front(at + kMark.size()).take_until([](char c) { return llvm::isSpace(c); });
    if (auto func = module.lookupSymbol<LLVM::LLVMFuncOp>(name))
      return func.getLoc();
  }
  for (auto func : module.getOps<LLVM::LLVMFuncOp>())
    if (!func.isExternal())
      return func.getLoc();
  return module.getLoc();
}

/// The first line of a message without addresses of LLVM's objects, which differ from run to run.
static std::string tidy(StringRef message) {
  message = message.trim().take_until([](char c) { return c == '\n'; });
  std::string text;
  for (size_t i = 0; i < message.size(); ++i) {
    if (message.substr(i).starts_with("0x")) {
      i = std::min(message.find_first_not_of("0123456789abcdef", i + 2), message.size());
      if (message.substr(i).starts_with(": ") || message.substr(i).starts_with(", "))
        ++i;
      else
        --i;
      continue;
    }
    text += message[i];
  }
  return text;
}

namespace {
/// Keeps the first error that LLVM reports without ending the process.
struct DiagnosticSink {
  std::string error;
  static void handle(const llvm::DiagnosticInfo *info, void *self) {
    auto *sink = static_cast<DiagnosticSink *>(self);
    if (info->getSeverity() != llvm::DS_Error || !sink->error.empty())
      return;
    llvm::raw_string_ostream stream(sink->error);
    llvm::DiagnosticPrinterRawOStream printer(stream);
    info->print(printer);
  }
};

/// Measures phases, one after another.
class Stopwatch {
public:
  explicit Stopwatch(llvm::function_ref<void(StringRef, double)> onPhase) : onPhase(onPhase) {}
  void finish(StringRef phase) {
    auto now = std::chrono::steady_clock::now();
    if (onPhase)
      onPhase(phase, std::chrono::duration<double>(now - start).count());
    start = now;
  }

private:
  llvm::function_ref<void(StringRef, double)> onPhase;
  std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
};
} // namespace

/// A short list instead of LLVM's -O2. Nothing here moves code out of loops: the addresses and predicates of a tile's
/// elements are hundreds of loop-invariant values, cheap to compute where they are used and ruinous to keep in
/// registers. (examples/matmul.mlir for sm_90a, ptxas 13.0: 170 registers this way, 255 and 336 bytes of spills at
/// -O2; InstCombine costs sm_120a 60 registers.) The vectorisers have nothing to find: tiles are vectors already.
static void optimize(llvm::Module &module, llvm::TargetMachine &machine) {
  llvm::PassBuilder builder(&machine);
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager callGraph;
  llvm::ModuleAnalysisManager modules;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(callGraph);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, callGraph, modules);
  llvm::FunctionPassManager list;
  list.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  // The test of a loop belongs at its end: one branch per trip, which also carries the loop's annotation.
  list.addPass(llvm::createFunctionToLoopPassAdaptor(llvm::LoopRotatePass()));
  list.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/true));
  list.addPass(llvm::SimplifyCFGPass());
  // Without partial redundancies: positions that a store behind a loop shares with loads in it would live through the loop
  // (bmm of fp8 for sm_90a, strides of any kind: 255 registers and 16 bytes of spills with them, 224 without).
  list.addPass(llvm::GVNPass(llvm::GVNOptions().setPRE(false)));
  list.addPass(llvm::SimplifyCFGPass());
  list.addPass(llvm::DCEPass());
  llvm::ModulePassManager manager;
  manager.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(list)));
  manager.run(module, modules);
}

/// The target's features with the PTX version that the module's instructions need, where that is a later one.
static std::string chooseFeatures(ModuleOp module, const Target &target) {
  auto version = module->getAttrOfType<IntegerAttr>("tile_gpu.ptx_version");
  if (!version || version.getInt() <= target.ptxVersion)
    return std::string(target.llvmFeatures);
  return "+ptx" + std::to_string(version.getInt());
}

FailureOr<std::string> tilewright::emitPtx(ModuleOp module, const EmitPtxOptions &options) {
  assert(options.target && "a target was promised");
  if (failed(checkNames(module)))
    return failure();
  initializeBackend();
  DialectRegistry registry;
  registerLlvmTranslations(registry);
  module.getContext()->appendDialectRegistry(registry);

  Stopwatch watch(options.onPhase);
  std::string output, fatal;
  auto *context = new llvm::LLVMContext(); // Leaks with the module where LLVM gave up half-way.
  DiagnosticSink sink;
  context->setDiagnosticHandlerCallBack(DiagnosticSink::handle, &sink);
  bool isTranslated = false;
  auto compile = [&] {
    std::unique_ptr<llvm::Module> llvmModule = translateModuleToLLVMIR(module, *context, "tilewright");
    if (!llvmModule)
      return; // With a diagnostic.
    isTranslated = true;
    std::string error;
    llvm::Triple triple(kTriple);
    const llvm::Target *backend = llvm::TargetRegistry::lookupTarget(triple, error);
    if (!backend) {
      sink.error = error;
      return;
    }
    // Fusing only where the program allows it; see docs/Rationale.md.
    llvm::TargetOptions targetOptions;
    targetOptions.AllowFPOpFusion = llvm::FPOpFusion::Strict;
    std::unique_ptr<llvm::TargetMachine> machine(
        backend->createTargetMachine(triple, options.target->llvmCpu, chooseFeatures(module, *options.target), targetOptions,
                                     std::nullopt, std::nullopt, llvm::CodeGenOptLevel::Default));
    llvmModule->setTargetTriple(triple);
    llvmModule->setDataLayout(machine->createDataLayout());
    watch.finish("translate");
    optimize(*llvmModule, *machine);
    watch.finish("optimize");
    if (options.wantsLlvmIr) {
      llvm::raw_string_ostream stream(output);
      llvmModule->print(stream, nullptr);
      return;
    }
    llvm::SmallString<0> buffer;
    llvm::raw_svector_ostream stream(buffer);
    llvm::legacy::PassManager passes;
    if (machine->addPassesToEmitFile(passes, stream, nullptr, llvm::CodeGenFileType::AssemblyFile,
                                     /*DisableVerify=*/true)) {
      sink.error = "the NVPTX backend cannot write PTX";
      return;
    }
    passes.run(*llvmModule);
    output = buffer.str().str();
    watch.finish("codegen");
  };
  if (!runCatchingFatalErrors(compile, fatal))
    return emitError(locationOf(module, fatal))
           << "LLVM cannot compile this for " << options.target->name << ": " << tidy(fatal);
  delete context;
  if (!sink.error.empty())
    return emitError(locationOf(module, sink.error))
           << "LLVM cannot compile this for " << options.target->name << ": " << tidy(sink.error);
  if (!isTranslated)
    return failure();
  return output;
}
