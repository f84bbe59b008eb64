// SPDX-License-Identifier: Apache-2.0
// Compiles a tile program if it is not a bundle yet, runs it here, checks and times it.
#include "tilewright/Driver/Compile.h"
#include "tilewright/Driver/Remarks.h"
#include "tilewright/EmulatorJit/EmulatorBackend.h"
#include "tilewright/InitAll.h"
#include "tilewright/Parser/ParseProgram.h"
#include "tilewright/Parser/PlacelessErrors.h"
#include "tilewright/Runtime/RunCommand.h"

#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace tilewright;

static int failWith(const std::string &message, int status) {
  llvm::errs() << "tile-run: error: " << message << '\n';
  return status;
}

namespace {
/// What the command line says about compiling.
struct CompileWords {
  CompileOptions options;
  RemarkFilter remarks;
  bool wantsReport = false;
  /// The names of the options that were given, but `target`.
  std::vector<std::string> given;
  bool hasTarget = false;
};
} // namespace

static void printHelp() {
  llvm::outs() << "usage: tile-run FILE.mlir|FILE.bundle [OPTION...]\n"
                  "Compiles if needed, runs a kernel, checks its results, times it.\n\n"
               << getRunOptionHelp() << "\nThe rest is about compiling a .mlir file.\n";
  StringRef group;
  for (const CompileOptionHelp &help : compileOptionHelp()) {
    if (StringRef(help.key) == "kernel") // An option of the run as well.
      continue;
    if (group != help.group)
      llvm::outs() << '\n' << (group = help.group) << ":\n";
    llvm::outs() << llvm::formatv("  {0,-22} {1}\n", std::string("--") + help.key + "=" + help.value, help.help);
  }
  llvm::outs() << "\nWhat to print of the compilation:\n"
                  "  --remarks=KINDS[:REGEX] what was decided and why: all, none, or any of\n"
                  "                         passed,missed,failed,analysis; of passes whose name matches REGEX\n"
                  "  --report               threads, shared memory, registers, how products are computed\n"
                  "\n  --help                 prints this text\n";
}

/// Takes one option of a compilation. False if the current word is none.
static bool takeCompileOption(CommandLine &line, CompileWords &words) {
  std::string value, error;
  if (line.takeFlag("report")) {
    words.wantsReport = true;
    words.given.push_back("report");
    return true;
  }
  if (line.takeOption("remarks", value)) {
    if (line.getError().empty() && !parseRemarkFilter(value, words.remarks, error))
      line.fail(error);
    words.given.push_back("remarks");
    return true;
  }
  for (const CompileOptionHelp &help : compileOptionHelp()) {
    StringRef key = help.key;
    if (key == "kernel")
      continue;
    std::vector<std::string> values;
    if (key == "disable-pass" ? line.takeListOption(help.key, values) : line.takeOption(help.key, value)) {
      if (!values.empty())
        value = values.back();
      if (line.getError().empty() && !setCompileOption(words.options, key, value, error))
        line.fail(error);
      if (key == "target")
        words.hasTarget = true;
      else
        words.given.push_back(key.str());
      return true;
    }
  }
  return false;
}

/// Why the options cannot be about a bundle, which is compiled already; empty if they can.
static std::string findMisplaced(const CompileWords &words, const LaunchPlan &plan) {
  if (!words.given.empty())
    return "--" + words.given.front() + " is about compiling, and a bundle is compiled already" +
           (words.given.front() == "report" ? "; tile-launch FILE.bundle --report prints its report" : "");
  if (words.hasTarget && words.options.target != plan.target)
    return "--target=" + words.options.target + ": the bundle is compiled for " + plan.target;
  return "";
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
  printPlacelessErrors(context, "tile-run");
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
static int compileAndRun(std::unique_ptr<llvm::MemoryBuffer> buffer, const CompileWords &words, const RunOptions &run) {
  CompileOptions options = words.options;
  BackendResult made = createRunBackend(run);
  if (made.status != BackendStatus::Ok)
    return failWith(made.error, made.status == BackendStatus::NoDevice ? kRunNoDevice : kRunBadInput);
  bool isEmulated = made.backend->name() == "emulator";
  if (!isEmulated && !words.hasTarget) {
    int64_t capability = made.backend->deviceInfo()[size_t(DeviceInfoKind::ComputeCapability)];
    const Target *target = findTargetForDevice(static_cast<unsigned>(capability));
    if (!target)
      return failWith("no target fits " + made.backend->describeDevice() + "; name one by --target", kRunBadInput);
    options.target = std::string(target->name);
  }
  options.kernel = run.kernel;
  options.wantsPtx = !isEmulated;
  // The emulator lowers the one variant that the arguments select; remarks and a report are about all.
  if (isEmulated && words.remarks.isEmpty() && !words.wantsReport && !options.wantsCubin)
    options.isLazy = true;
  std::optional<CompileResult> result = compile(std::move(buffer), options, words.remarks);
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
  if (words.wantsReport)
    printReport(*result, llvm::errs());
  return status == kRunOk ? status : failWith(error, status);
}

int main(int argc, char **argv) {
  EmulatorBackendOptions emulator;
  emulator.lowerTiles = lowerTileSection;
  registerEmulatorBackend(emulator);
  CommandLine line(argc, argv);
  RunOptions run;
  CompileWords words;
  std::string file, error;
  while (!line.isDone()) {
    if (line.takeFlag("help")) {
      printHelp();
      return kRunOk;
    }
    if (!takeRunOption(line, run) && !takeCompileOption(line, words) && !(file.empty() && line.takePositional(file)))
      line.failUnknown();
  }
  if (!line.getError().empty())
    return failWith(line.getError(), kRunBadInput);
  if (file.empty())
    return failWith("expected a file; see --help", kRunBadInput);
  auto buffer = llvm::MemoryBuffer::getFileOrSTDIN(file);
  if (!buffer)
    return failWith("cannot read '" + file + "': " + buffer.getError().message(), kRunBadInput);
  StringRef bytes = (*buffer)->getBuffer();
  if (!looksLikeBundle(std::string_view(bytes.data(), bytes.size())))
    return compileAndRun(std::move(*buffer), words, run);

  std::optional<Bundle> bundle = readBundle(std::string_view(bytes.data(), bytes.size()), &error);
  if (!bundle)
    return failWith(file + ": " + error, kRunBadInput);
  if (std::string misplaced = findMisplaced(words, bundle->plan); !misplaced.empty())
    return failWith(misplaced, kRunBadInput);
  std::string output;
  RunStatus status = runBundle(*bundle, run, &output, &error);
  llvm::outs() << output;
  llvm::outs().flush();
  return status == kRunOk ? kRunOk : failWith(error, status);
}
