// SPDX-License-Identifier: Apache-2.0
// Compiles a file of tile programs: to the text of any level, to PTX, machine code, or a bundle.
#include "tilewright/Codegen/CudaTools.h"
#include "tilewright/Driver/Compile.h"
#include "tilewright/Driver/Remarks.h"
#include "tilewright/InitAll.h"
#include "tilewright/Parser/ParseProgram.h"
#include "tilewright/Parser/PlacelessErrors.h"
#include "tilewright/Support/Counted.h"

#include "mlir/IR/AsmState.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/ToolOutputFile.h"

#include <chrono>
#include <map>
#include <memory>

using namespace mlir;
using namespace tilewright;
namespace cl = llvm::cl;

/// Exit statuses of the project's tools.
static constexpr int kFine = 0, kCheckFailed = 1, kBadInput = 2;

static cl::OptionCategory inOut("Input and output"), printing("What to print");
static cl::opt<std::string> inputFile(cl::Positional, cl::desc("FILE (- reads standard input)"), cl::init("-"),
                                      cl::cat(inOut));
static cl::opt<std::string> emitText("emit", cl::init("ptx"), cl::cat(inOut), cl::value_desc("LEVEL"),
                                     cl::desc("tile, gpu, simt, llvm-dialect, llvm, ptx (default), cubin or bundle"));
static cl::opt<std::string> outputFile("o", cl::init("-"), cl::cat(inOut), cl::value_desc("FILE"),
                                       cl::desc("where to write (- is standard output)"));
static cl::opt<std::string> pictureFolder("draw-layouts", cl::cat(inOut), cl::value_desc("DIR"),
                                          cl::desc("write a picture of each layout and each buffer into DIR, and an "
                                                   "index.html"));
static cl::opt<std::string>
    remarksText("remarks", cl::init("none"), cl::cat(printing), cl::value_desc("KINDS[:REGEX]"),
                cl::desc("what was decided and why: all, none (default), or any of passed,missed,failed,analysis; of "
                         "passes whose name matches REGEX"));
static cl::opt<bool> wantsReport("report", cl::cat(printing),
                                 cl::desc("threads, shared memory, registers, spills, MMA family per dot, "
                                          "cost per layout conversion"));
static cl::opt<bool> wantsAudit("audit", cl::cat(printing),
                                cl::desc("check the machine code: no spills, no local memory"));
static cl::opt<bool> wantsTimes("time-report", cl::cat(printing), cl::desc("the seconds of each phase"));

namespace {
/// What setCompileOption knows, as options of this tool.
class CompileLine {
public:
  CompileLine() {
    for (const CompileOptionHelp &help : compileOptionHelp()) {
      auto &group = groups[help.group];
      if (!group)
        group = std::make_unique<cl::OptionCategory>(help.group);
      StringRef key = help.key;
      if (key == "disable-pass")
        lists.push_back(std::make_unique<cl::list<std::string>>(key, cl::desc(help.help), cl::value_desc(help.value),
                                                                cl::cat(*group)));
      else if (key == "cubin") // Also without a value.
        texts.push_back(std::make_unique<cl::opt<std::string>>(key, cl::desc(help.help), cl::value_desc(help.value),
                                                               cl::ValueOptional, cl::cat(*group)));
      else
        texts.push_back(std::make_unique<cl::opt<std::string>>(key, cl::desc(help.help), cl::value_desc(help.value),
                                                               cl::cat(*group)));
    }
    SmallVector<const cl::OptionCategory *> known{&inOut, &printing};
    for (const auto &[name, group] : groups)
      known.push_back(group.get());
    cl::HideUnrelatedOptions(known);
  }

  bool read(CompileOptions &options, std::string &error) const {
    for (const auto &text : texts) {
      bool isFlag = text->ArgStr == "cubin" && text->empty();
      if (text->getNumOccurrences() &&
          !setCompileOption(options, text->ArgStr, isFlag ? StringRef("true") : StringRef(*text), error))
        return false;
    }
    for (const auto &list : lists)
      for (const std::string &value : *list)
        if (!setCompileOption(options, list->ArgStr, value, error))
          return false;
    return true;
  }

private:
  std::map<std::string, std::unique_ptr<cl::OptionCategory>> groups;
  std::vector<std::unique_ptr<cl::opt<std::string>>> texts;
  std::vector<std::unique_ptr<cl::list<std::string>>> lists;
};
} // namespace

static int fail(const llvm::Twine &message) {
  llvm::errs() << "tile-compile: error: " << message << '\n';
  return kBadInput;
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
      out << "audit: " << c.name << ": " << counted(c.instructions, "instruction") << ", "
          << counted(c.globalAccesses, "global access", "global accesses") << " (" << c.wideGlobalAccesses
          << " of 16 bytes or more), " << counted(c.tensorOps, "tensor-core instruction") << ", "
          << counted(c.barriers, "barrier") << ", "
          << counted(c.localLoads + c.localStores, "local access", "local accesses") << ": "
          << (isLocal ? "FAIL" : "ok") << '\n';
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
  CompileLine line;
  std::string usage;
  llvm::raw_string_ostream usageStream(usage);
  if (!cl::ParseCommandLineOptions(argc, argv, "Compiles tile programs for NVIDIA GPUs\n", &usageStream)) {
    llvm::errs() << usage;
    return kBadInput;
  }
  for (const auto &[name, option] : cl::getRegisteredOptions())
    if (option->getNumOccurrences() > 1 && name != "disable-pass")
      return fail("--" + name + " is given twice");
  CompileOptions options;
  EmitLevel level = EmitLevel::Ptx;
  RemarkFilter filter;
  std::string error;
  if (!parseEmitLevel(emitText, level, error) || !parseRemarkFilter(remarksText, filter, error) ||
      !line.read(options, error))
    return fail(error);
  if (level != EmitLevel::Bundle && !wantsReport && !wantsAudit && (options.wantsCubin || options.isLazy))
    return fail(llvm::Twine(options.isLazy ? "--lazy" : "--cubin") + " is about bundles, and --emit=" + emitText +
                " makes none");

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
  printPlacelessErrors(context, "tile-compile");
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
