// SPDX-License-Identifier: Apache-2.0
/// \file
/// What tile-run and tile-launch have in common: the options that describe one run of one kernel, and the run itself.
/// Results go to text buffers instead of streams, so that a tool prints them where it wants and a test reads them.
#ifndef TILEWRIGHT_RUNTIME_RUNCOMMAND_H
#define TILEWRIGHT_RUNTIME_RUNCOMMAND_H

#include "tilewright/Runtime/ArgSpec.h"
#include "tilewright/Runtime/Backend.h"
#include "tilewright/Runtime/CommandLine.h"
#include "tilewright/Runtime/Compare.h"

namespace tilewright {

/// Exit statuses of the tools.
enum RunStatus : int { kRunOk = 0, kRunCheckFailed = 1, kRunBadInput = 2, kRunNoDevice = 3 };

/// The options of one run.
struct RunOptions {
  /// Empty: the only kernel there is.
  std::string kernel;
  /// "auto" is cuda where there is a device, else the emulator where the program contains it.
  std::string backend = "auto";
  BackendOptions backendOptions;
  /// NAME=SPEC, NAME=FILE, NAME=SPEC as they were given.
  std::vector<std::string> args, saves, expects;
  Tolerance tolerance;
  bool isBench = false;
  unsigned numWarmups = 3, numRepeats = 20;
};

/// Takes one option of a run from a command line. False if the current word is none of them. What is about
/// the emulator alone is an error where the program does not contain it.
bool takeRunOption(CommandLine &line, RunOptions &options);

/// The help text of these options in groups, of those that the program has.
std::string getRunOptionHelp();

/// The arguments of a run, made from its options: one per parameter, in order.
struct RunInputs {
  std::vector<HostArg> args;
  /// Index of a parameter, and what its array is compared with or saved to after the run.
  std::vector<std::pair<size_t, HostArray>> expects;
  std::vector<std::pair<size_t, std::string>> saves;
};

/// Picks the kernel that the options name. Null and `error` if there is none.
const PlanKernel *selectKernel(const LaunchPlan &plan, const RunOptions &options, std::string *error);

/// Makes the arguments and reads the references: every name must be a parameter, every parameter must have an argument.
std::optional<RunInputs> makeRunInputs(const PlanKernel &kernel, const RunOptions &options, std::string *error);

/// Makes the backend that the options name.
BackendResult createRunBackend(const RunOptions &options);

/// Runs one kernel or host function of the bundle with that plan, which is loaded in `backend`; checks, saves and times as
/// the options say. `output` receives what to print, also if the result is an error, whose message goes to `error`.
RunStatus runKernel(const LaunchPlan &plan, const PlanKernel &kernel, Backend &backend, const RunOptions &options,
                    RunInputs &inputs, std::string *output, std::string *error);

/// All of it: picks the kernel, makes inputs and backend, loads the bundle and runs.
RunStatus runBundle(const Bundle &bundle, const RunOptions &options, std::string *output, std::string *error);

} // namespace tilewright

#endif // TILEWRIGHT_RUNTIME_RUNCOMMAND_H
