// SPDX-License-Identifier: Apache-2.0
// Compiles a tile program if it is not a bundle yet, runs it here, checks and times it.
#include "tilewright/Driver/Compile.h"
#include "tilewright/Driver/Remarks.h"
#include "tilewright/EmulatorJit/EmulatorBackend.h"
#include "tilewright/InitAll.h"
#include "tilewright/Parser/ParseProgram.h"
#include "tilewright/Runtime/RunCommand.h"

#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace tilewright;

static int failWith(const std::string &message, int status) {
  llvm::errs() << "tile-run: error: " << message << '\n';
  return status;
}

static void printHelp() {
  llvm::outs() << "usage: tile-run FILE.mlir|FILE.bundle [OPTION...]\n"
                  "Compiles if needed, runs a kernel, checks its results, times it.\n\n"
               << getRunOptionHelp() << "\nHow to compile:\n";
  for (const CompileOptionHelp &help : compileOptionHelp())
    llvm::outs() << llvm::formatv("  {0,-22} {1}\n", std::string("--") + help.key + "=" + help.value, help.help);
  llvm::outs() << "  --remarks=KINDS        prints remarks, as tile-compile does\n"
                  "  --report               prints the compiler's report\n";
}

/// Takes one option of a compilation. False if the current word is none.
static bool takeCompileOption(CommandLine &line, CompileOptions &options, bool &hasTarget) {
  for (const CompileOptionHelp &help : compileOptionHelp()) {
    StringRef key = help.key;
    if (key == "kernel")
      continue; // An option of the run as well.
    std::string value, error;
    std::vector<std::string> values;
    if (key == "disable-pass" ? line.takeListOption(help.key, values) : line.takeOption(help.key, value)) {
      if (key == "disable-pass")
        value = values.back();
      if (!setCompileOption(options, key, value, error))
        line.fail(error);
      hasTarget |= key == "target";
      return true;
    }
  }
  return false;
}

/// Compiles `buffer` for `backend`. Diagnostics have been printed where that fails.
static std::optional<CompileResult> compile(std::unique_ptr<llvm::MemoryBuffer> buffer, const CompileOptions &options,
                                            const RemarkFilter &filter) {
  DialectRegistry registry;
  registerAllDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.printOpOnDiagnostic(false); // The line in the file is shown; a whole kernel would bury it.
  auto sources = std::make_shared<llvm::SourceMgr>();
  sources->AddNewSourceBuffer(std::move(buffer), llvm::SMLoc());
  SourceMgrDiagnosticHandler diagnostics(*sources, &context);
  OwningOpRef<ModuleOp> module = parseProgram(sources, &context);
  if (!module)
    return std::nullopt;
  std::optional<RemarkCollector> collector;
  if (!filter.isEmpty())
    collector.emplace(context);
  FailureOr<CompileResult> result = compileModule(*module, options);
  if (collector)
    printRemarks(collector->take(), filter, llvm::errs(), sources->getMemoryBuffer(sources->getMainFileID()));
  if (failed(result))
    return std::nullopt;
  return std::move(*result);
}

/// Compiles for the device that the options name, and runs.
static int compileAndRun(std::unique_ptr<llvm::MemoryBuffer> buffer, CompileOptions options, bool hasTarget,
                         const RemarkFilter &filter, bool wantsReport, const RunOptions &run) {
  BackendResult made = createRunBackend(run);
  if (made.status != BackendStatus::Ok)
    return failWith(made.error, made.status == BackendStatus::NoDevice ? kRunNoDevice : kRunBadInput);
  bool isEmulated = made.backend->name() == "emulator";
  if (!isEmulated && !hasTarget) {
    int64_t capability = made.backend->deviceInfo()[size_t(DeviceInfoKind::ComputeCapability)];
    const Target *target = findTargetForDevice(static_cast<unsigned>(capability));
    if (!target)
      return failWith("no target fits " + made.backend->describeDevice() + "; name one by --target", kRunBadInput);
    options.target = std::string(target->name);
  }
  options.kernel = run.kernel;
  options.wantsPtx = !isEmulated;
  // The emulator lowers the one variant that the arguments select; remarks and a report are about all.
  if (isEmulated && filter.isEmpty() && !wantsReport && !options.wantsCubin)
    options.isLazy = true;
  std::optional<CompileResult> result = compile(std::move(buffer), options, filter);
  if (!result)
    return kRunBadInput;
  std::string output, error;
  int status = kRunBadInput;
  const PlanKernel *kernel = selectKernel(result->bundle.plan, run, &error);
  std::optional<RunInputs> inputs;
  if (kernel)
    inputs = makeRunInputs(*kernel, run, &error);
  if (inputs && made.backend->load(result->bundle, &error))
    status = runKernel(result->bundle.plan, *kernel, *made.backend, run, *inputs, &output, &error);
  llvm::outs() << output;
  llvm::outs().flush();
  if (wantsReport)
    printReport(*result, llvm::errs());
  return status == kRunOk ? status : failWith(error, status);
}

int main(int argc, char **argv) {
  EmulatorBackendOptions emulator;
  emulator.lowerTiles = lowerTileSection;
  registerEmulatorBackend(emulator);
  CommandLine line(argc, argv);
  RunOptions run;
  CompileOptions options;
  std::string file, remarks, error;
  bool hasTarget = false, wantsReport = false;
  while (!line.isDone()) {
    if (line.takeFlag("help")) {
      printHelp();
      return kRunOk;
    }
    if (line.takeFlag("report"))
      wantsReport = true;
    else if (takeRunOption(line, run) || takeCompileOption(line, options, hasTarget) ||
             line.takeOption("remarks", remarks) || (file.empty() && line.takePositional(file)))
      continue;
    else
      line.failUnknown();
  }
  if (!line.getError().empty())
    return failWith(line.getError(), kRunBadInput);
  if (file.empty())
    return failWith("expected a file; see --help", kRunBadInput);
  RemarkFilter filter;
  if (!remarks.empty() && !parseRemarkFilter(remarks, filter, error))
    return failWith(error, kRunBadInput);

  auto buffer = llvm::MemoryBuffer::getFileOrSTDIN(file);
  if (!buffer)
    return failWith("cannot read '" + file + "': " + buffer.getError().message(), kRunBadInput);
  StringRef bytes = (*buffer)->getBuffer();
  if (!looksLikeBundle(std::string_view(bytes.data(), bytes.size())))
    return compileAndRun(std::move(*buffer), options, hasTarget, filter, wantsReport, run);

  std::optional<Bundle> bundle = readBundle(std::string_view(bytes.data(), bytes.size()), &error);
  if (!bundle)
    return failWith(file + ": " + error, kRunBadInput);
  std::string output;
  RunStatus status = runBundle(*bundle, run, &output, &error);
  llvm::outs() << output;
  llvm::outs().flush();
  return status == kRunOk ? kRunOk : failWith(error, status);
}
