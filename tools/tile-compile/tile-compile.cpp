// SPDX-License-Identifier: Apache-2.0
// Compiles a file of tile programs: to the text of any level, to PTX, machine code, or a bundle.
#include "tilewright/Codegen/CudaTools.h"
#include "tilewright/Driver/Compile.h"
#include "tilewright/Driver/Remarks.h"
#include "tilewright/InitAll.h"
#include "tilewright/Parser/ParseProgram.h"

#include "mlir/IR/AsmState.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/ToolOutputFile.h"

#include <chrono>

using namespace mlir;
using namespace tilewright;
namespace cl = llvm::cl;

/// Exit statuses of the project's tools.
static constexpr int kFine = 0, kCheckFailed = 1, kBadInput = 2;

static cl::OptionCategory category("tile-compile options");
static cl::opt<std::string> inputFile(cl::Positional, cl::desc("FILE (- reads standard input)"), cl::init("-"),
                                      cl::cat(category));
static cl::opt<std::string> emitText("emit", cl::init("ptx"), cl::cat(category), cl::value_desc("LEVEL"),
                                     cl::desc("tile, gpu, simt, llvm-dialect, llvm, ptx (default), cubin or bundle"));
static cl::opt<std::string> outputFile("o", cl::init("-"), cl::cat(category), cl::value_desc("FILE"),
                                       cl::desc("where to write (- is standard output)"));
static cl::opt<std::string>
    remarksText("remarks", cl::init("none"), cl::cat(category), cl::value_desc("KINDS[:REGEX]"),
                cl::desc("print remarks: all, none, or any of passed,missed,failed,analysis; of "
                         "passes whose name matches REGEX"));
static cl::opt<bool> wantsReport("report", cl::cat(category),
                                 cl::desc("print threads, shared memory, registers, spills, MMA family per dot, "
                                          "cost per layout conversion"));
static cl::opt<bool> wantsAudit("audit", cl::cat(category),
                                cl::desc("check the machine code: no spills, no local memory"));
static cl::opt<std::string> pictureFolder("draw-layouts", cl::cat(category), cl::value_desc("DIR"),
                                          cl::desc("write a picture of each layout and each buffer into DIR, and an "
                                                   "index.html"));
static cl::opt<bool> wantsTimes("time-report", cl::cat(category), cl::desc("print the seconds of each phase"));
// Read by setCompileOption, so that they have one definition for all tools.
static cl::opt<std::string> target("target", cl::cat(category), cl::value_desc("NAME"),
                                   cl::desc("GPU to compile for: sm_80, sm_86, sm_89, sm_90a (default), sm_100a, "
                                            "sm_103a, sm_120a"));
static cl::opt<std::string> numWarps("num-warps", cl::cat(category), cl::value_desc("N"),
                                     cl::desc("warps per program of kernels that do not say"));
static cl::opt<std::string> numStages("num-stages", cl::cat(category), cl::value_desc("N"),
                                      cl::desc("buffers per pipelined load; only 1 so far"));
static cl::opt<std::string> cluster("cluster", cl::cat(category), cl::value_desc("XxY"),
                                    cl::desc("programs per cluster; only 1x1 so far"));
static cl::opt<std::string> extents("extents", cl::cat(category), cl::value_desc("CLASS:N,..."),
                                    cl::desc("resize tile dimensions, e.g. M:128,N:256"));
static cl::opt<std::string> maxVariants("max-variants", cl::cat(category), cl::value_desc("N"),
                                        cl::desc("most variants of one kernel; 1 leaves kernels alone"));
static cl::opt<std::string> gridGroup("grid-group", cl::cat(category), cl::value_desc("N"),
                                      cl::desc("rows of tiles to walk together in kernels that do not say"));
static cl::opt<std::string> epilogueParts("epilogue-parts", cl::cat(category), cl::value_desc("N"),
                                          cl::desc("parts in which products are stored by kernels that do not say"));
static cl::opt<std::string> persistent("persistent", cl::cat(category), cl::value_desc("MODE"),
                                       cl::desc("loops over the tiles in kernels that do not say: auto (default), "
                                                "always or never"));
static cl::opt<std::string> evenK("even-k", cl::cat(category), cl::value_desc("MODE"),
                                  cl::desc("how loops lose bounds checks: auto (default), guard (variants alone) or "
                                           "peel (peeling alone)"));
static cl::opt<std::string> tma("tma", cl::cat(category), cl::value_desc("MODE"),
                                cl::desc("tensor maps: auto (default) where they are proved to be legal, guard also in a "
                                         "variant that tests it"));
static cl::opt<std::string> kernel("kernel", cl::cat(category), cl::value_desc("NAME"),
                                   cl::desc("compile only this kernel"));
static cl::opt<std::string> ptxasPath("ptxas", cl::cat(category), cl::value_desc("PATH"), cl::desc("the ptxas to use"));
static cl::opt<std::string> nvdisasmPath("nvdisasm", cl::cat(category), cl::value_desc("PATH"),
                                         cl::desc("the nvdisasm to use"));
static cl::list<std::string> disabledPasses("disable-pass", cl::cat(category), cl::value_desc("NAME"),
                                            cl::desc("leave an optimisation out; may be given several times"));
static cl::opt<std::string> isLazy("lazy", cl::cat(category), cl::value_desc("BOOL"),
                                   cl::desc("a bundle for the emulator, which lowers a variant at its first launch"));
static cl::opt<bool> bundleCubin("cubin", cl::cat(category), cl::desc("put machine code into a bundle too"));

static int fail(const llvm::Twine &message) {
  llvm::errs() << "tile-compile: error: " << message << '\n';
  return kBadInput;
}

static bool readOptions(CompileOptions &options, std::string &error) {
  for (cl::opt<std::string> *option :
       {&target, &numWarps, &numStages, &cluster, &extents, &maxVariants, &gridGroup, &epilogueParts, &persistent, &evenK,
        &tma, &kernel, &isLazy, &ptxasPath, &nvdisasmPath})
    if (option->getNumOccurrences() && !setCompileOption(options, option->ArgStr, *option, error))
      return false;
  for (const std::string &pass : disabledPasses)
    if (!setCompileOption(options, "disable-pass", pass, error))
      return false;
  options.wantsCubin = bundleCubin;
  return true;
}

/// Returns kCheckFailed if the machine code spills or uses local memory.
static int audit(const CompileResult &result, const CompileOptions &options) {
  llvm::raw_ostream &out = llvm::errs();
  std::string error;
  std::optional<CudaTool> nvdisasm = findCudaTool("nvdisasm", options.nvdisasmPath, error);
  if (!nvdisasm && !options.nvdisasmPath.empty())
    return fail(error);
  if (!nvdisasm)
    out << "audit: instructions are not checked: " << error << '\n';
  int status = kFine;
  for (const CompiledVariant &variant : result.variants) {
    if (!variant.resources)
      continue;
    const KernelResources &r = *variant.resources;
    unsigned spilled = r.spillStoreBytes + r.spillLoadBytes;
    out << "audit: " << variant.symbol << ": " << r.registers << " registers, " << spilled << " bytes spilled, "
        << r.stackBytes << " bytes of stack: " << (spilled || r.stackBytes ? "FAIL" : "ok") << '\n';
    if (spilled || r.stackBytes)
      status = kCheckFailed;
    if (!nvdisasm)
      continue;
    auto counts = auditCubin(variant.cubin, *nvdisasm, error);
    if (!counts)
      return fail(error);
    for (const MachineCodeAudit &c : *counts) {
      bool isLocal = c.localLoads + c.localStores > 0;
      out << "audit: " << c.name << ": " << c.instructions << " instructions, " << c.globalAccesses
          << " global accesses (" << c.wideGlobalAccesses << " of 16 bytes or more), " << c.tensorOps
          << " tensor-core instructions, " << c.barriers << " barriers, " << c.localLoads + c.localStores
          << " local accesses: " << (isLocal ? "FAIL" : "ok") << '\n';
      if (isLocal)
        status = kCheckFailed;
    }
  }
  return status;
}

static int writeFile(StringRef path, StringRef text) {
  std::error_code code;
  llvm::ToolOutputFile file(path, code, llvm::sys::fs::OF_None);
  if (code)
    return fail("cannot write '" + path + "': " + code.message());
  file.os() << text;
  file.os().flush();
  if (file.os().has_error()) {
    code = file.os().error();
    file.os().clear_error();
    return fail("cannot write '" + path + "': " + code.message());
  }
  file.keep();
  return kFine;
}

static int writePictures(ModuleOp module, const CompileOptions &options, PhaseTimes &times) {
  FailureOr<std::vector<LayoutPicture>> pictures = drawLayouts(module, options, &times);
  if (failed(pictures))
    return kBadInput;
  if (std::error_code code = llvm::sys::fs::create_directories(pictureFolder))
    return fail("cannot make the folder '" + pictureFolder + "': " + code.message());
  for (const LayoutPicture &picture : *pictures) {
    llvm::SmallString<128> path(pictureFolder);
    llvm::sys::path::append(path, picture.fileName);
    if (int status = writeFile(path, picture.text))
      return status;
  }
  return kFine;
}

static int compile(ModuleOp module, EmitLevel level, CompileOptions &options, PhaseTimes &times) {
  std::string output, error;
  std::optional<CompileResult> result;
  std::optional<CudaTool> ptxas;
  if (wantsReport || wantsAudit) {
    ptxas = findCudaTool("ptxas", options.ptxasPath, error);
    if (!ptxas && !options.ptxasPath.empty())
      return fail(error);
    if (!ptxas && wantsAudit)
      llvm::errs() << "audit: nothing is checked: " << error << '\n';
    options.wantsCubin |= ptxas && (wantsAudit || !options.isLazy);
    if (ptxas)
      options.ptxasPath = ptxas->path;
  }
  if (level == EmitLevel::Bundle || wantsReport || wantsAudit) {
    FailureOr<CompileResult> compiled = compileModule(module, options, &times);
    if (failed(compiled))
      return kBadInput;
    result = std::move(*compiled);
    if (level == EmitLevel::Bundle) {
      std::optional<std::string> bytes = writeBundle(result->bundle, &error);
      if (!bytes)
        return fail(error);
      output = std::move(*bytes);
    }
  }
  if (level != EmitLevel::Bundle) {
    FailureOr<std::string> text = emitLevel(module, level, options, &times);
    if (failed(text))
      return kBadInput;
    output = std::move(*text);
  }
  if (!pictureFolder.empty())
    if (int status = writePictures(module, options, times))
      return status;
  if (int status = writeFile(outputFile, output))
    return status;
  if (wantsReport)
    printReport(*result, llvm::errs());
  return wantsAudit ? audit(*result, options) : kFine;
}

int main(int argc, char **argv) {
  auto start = std::chrono::steady_clock::now();
  cl::HideUnrelatedOptions(category);
  std::string usage;
  llvm::raw_string_ostream usageStream(usage);
  if (!cl::ParseCommandLineOptions(argc, argv, "Compiles tile programs for NVIDIA GPUs\n", &usageStream)) {
    llvm::errs() << usage;
    return kBadInput;
  }
  CompileOptions options;
  EmitLevel level = EmitLevel::Ptx;
  RemarkFilter filter;
  std::string error;
  if (!parseEmitLevel(emitText, level, error) || !parseRemarkFilter(remarksText, filter, error) ||
      !readOptions(options, error))
    return fail(error);

  DialectRegistry registry;
  registerAllDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.printOpOnDiagnostic(false); // The line in the file is shown; a whole kernel would bury it.
  auto sources = std::make_shared<llvm::SourceMgr>();
  auto buffer = llvm::MemoryBuffer::getFileOrSTDIN(inputFile);
  if (!buffer)
    return fail("cannot read '" + inputFile + "': " + buffer.getError().message());
  sources->AddNewSourceBuffer(std::move(*buffer), llvm::SMLoc());
  SourceMgrDiagnosticHandler diagnostics(*sources, &context);
  PhaseTimes times;
  auto finish = [&, last = start](StringRef phase) mutable {
    auto now = std::chrono::steady_clock::now();
    times.emplace_back(phase.str(), std::chrono::duration<double>(now - last).count());
    last = now;
  };
  finish("start");
  OwningOpRef<ModuleOp> module = parseProgram(sources, &context);
  finish("parse");
  if (!module)
    return kBadInput;

  std::optional<RemarkCollector> collector;
  if (!filter.isEmpty())
    collector.emplace(context);
  int status = compile(*module, level, options, times);
  if (collector)
    printRemarks(collector->take(), filter, llvm::errs(), sources->getMemoryBuffer(sources->getMainFileID()));
  if (wantsTimes) {
    for (const auto &[phase, seconds] : times)
      llvm::errs() << llvm::format("time: %8.1f ms  ", seconds * 1e3) << phase << '\n';
    double total = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    llvm::errs() << llvm::format("time: %8.1f ms  ", total * 1e3) << "total, since main\n";
  }
  return status;
}
