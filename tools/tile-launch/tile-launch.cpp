// SPDX-License-Identifier: Apache-2.0
// Runs a kernel of a bundle: the options of tile-run without a compiler, so that it stays small and needs nothing but
// the CUDA driver.
#include "tilewright/Runtime/RunCommand.h"
#include "tilewright/Support/Counted.h"

#include <cstdio>
#include <exception>

using namespace tilewright;

static const char *const kUsage = "usage: tile-launch FILE.bundle [OPTION...]\n"
                                  "Runs a kernel of a bundle that tile-compile --emit=bundle wrote, on a GPU.\n\n"
                                  "Instead of a run:\n"
                                  "  --list                 prints the kernels and their parameters\n"
                                  "  --report               prints the compiler's report as JSON\n"
                                  "  --help, --version      prints this text, or the version\n\n";

static int failWith(const std::string &message, int status) {
  std::fprintf(stderr, "tile-launch: error: %s\n", message.c_str());
  return status;
}

static std::string printDims(const std::vector<int64_t> &dims) {
  std::string text;
  for (size_t i = 0; i < dims.size(); ++i)
    text += (i ? ", " : "") + (dims[i] == kPlanDynamic ? "?" : std::to_string(dims[i]));
  return text;
}

static void listKernels(const LaunchPlan &plan) {
  std::printf("target %s, compiler %s\n", plan.target.c_str(), plan.compilerVersion.c_str());
  for (const PlanKernel &kernel : plan.kernels) {
    if (kernel.isHostFunction())
      std::printf("host function %s, %s\n", kernel.name.c_str(),
                  counted(int64_t(kernel.steps.size()), "launch", "launches").c_str());
    else
      std::printf("kernel %s, %s\n", kernel.name.c_str(), counted(int64_t(kernel.variants.size()), "variant").c_str());
    for (size_t i = 0; i < kernel.params.size(); ++i) {
      const PlanParam &param = kernel.params[i];
      std::string type(scalarTypeName(param.type));
      if (param.kind == ParamKind::View)
        type =
            "view of " + type + ", sizes [" + printDims(param.sizes) + "], strides [" + printDims(param.strides) + "]";
      else if (param.kind == ParamKind::Pointer)
        type = "pointer to " + type;
      std::printf("  %zu %s: %s%s\n", i, param.name.c_str(), type.c_str(), param.isWritten ? "" : ", read only");
    }
  }
}

static int run(int argc, char **argv) {
  CommandLine line(argc, argv);
  RunOptions options;
  std::string file, extra;
  bool isList = false, isReport = false;
  while (!line.isDone()) {
    if (line.takeFlag("help")) {
      std::printf("%s%s", kUsage, getRunOptionHelp().c_str());
      return kRunOk;
    }
    if (line.takeFlag("version")) {
      std::printf("tile-launch %s\n", TILEWRIGHT_VERSION);
      return kRunOk;
    }
    if (line.takeFlag("list"))
      isList = true;
    else if (line.takeFlag("report"))
      isReport = true;
    else if (takeRunOption(line, options))
      continue;
    else if (file.empty() && line.takePositional(file))
      continue;
    else
      line.failUnknown();
  }
  if (!line.getError().empty())
    return failWith(line.getError(), kRunBadInput);
  if (file.empty())
    return failWith("expected a bundle; see --help", kRunBadInput);

  std::string output, error;
  std::optional<Bundle> bundle = readBundleFile(file, &error);
  if (!bundle)
    return failWith(error, kRunBadInput);
  if (isList)
    listKernels(bundle->plan);
  if (isReport) {
    const BundleSection *report = bundle->find(SectionKind::Report, "");
    if (!report)
      return failWith(file + ": the bundle has no report", kRunBadInput);
    std::printf("%s\n", report->data.c_str());
  }
  if (isList || isReport)
    return kRunOk;
  RunStatus status = runBundle(*bundle, options, &output, &error);
  std::fputs(output.c_str(), stdout);
  std::fflush(stdout);
  return status == kRunOk ? kRunOk : failWith(error, status);
}

int main(int argc, char **argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception &exception) {
    return failWith(exception.what(), kRunBadInput);
  }
}
