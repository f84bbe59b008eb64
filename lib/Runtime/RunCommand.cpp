// SPDX-License-Identifier: Apache-2.0
#include "tilewright/Runtime/RunCommand.h"
#include "tilewright/Runtime/Launcher.h"
#include "tilewright/Runtime/Npy.h"
#include "tilewright/Support/Counted.h"

#include <algorithm>
#include <cstdio>

using namespace tilewright;

//===----------------------------------------------------------------------===//
// Options
//===----------------------------------------------------------------------===//

bool tilewright::takeRunOption(CommandLine &line, RunOptions &options) {
  int64_t number = 0;
  std::string text;
  if (line.takeOption("kernel", options.kernel) || line.takeOption("backend", options.backend) ||
      line.takeListOption("arg", options.args) || line.takeListOption("save", options.saves) ||
      line.takeListOption("expect", options.expects) || line.takeNonNegative("rtol", options.tolerance.rtol) ||
      line.takeNonNegative("atol", options.tolerance.atol))
    return true;
  if (line.takeFlag("bench")) {
    options.isBench = true;
    return true;
  }
  if (line.takeInteger("warmups", 0, 1000000, number)) {
    options.numWarmups = static_cast<unsigned>(number);
    return true;
  }
  if (line.takeInteger("repeats", 1, 100000, number)) {
    options.numRepeats = static_cast<unsigned>(number);
    return true;
  }
  if (line.takeInteger("device", 0, 1023, number)) {
    options.backendOptions.device = static_cast<int>(number);
    return true;
  }
  const char *emulated = nullptr;
  if (line.takeInteger("sm-count", 1, 1000000, number)) {
    options.backendOptions.smCount = static_cast<int>(number);
    emulated = "--sm-count";
  } else if (line.takeInteger("seed", 0, INT64_MAX, number)) {
    options.backendOptions.seed = static_cast<uint64_t>(number);
    emulated = "--seed";
  }
  if (emulated && !hasBackendFactory("emulator"))
    line.fail(std::string(emulated) + " is about the emulator, which this program does not have");
  return emulated != nullptr;
}

std::string tilewright::getRunOptionHelp() {
  bool isEmulated = hasBackendFactory("emulator");
  std::string text = "Which kernel, where:\n"
                     "  --kernel=NAME          the kernel to run, where the file has several\n";
  text +=
      isEmulated
          ? "  --backend=NAME         auto (default: a GPU where there is one, else the emulator), cuda or emulator\n"
          : "  --backend=NAME         auto (default) or cuda, which are the same here\n";
  text += "  --device=N             which GPU, counted from 0\n";
  if (isEmulated)
    text += "  --seed=N               orders the emulator's schedule\n"
            "  --sm-count=N           SMs that the emulator pretends to have, for one CTA each (132)\n";
  return text + "\nArrays:\n"
                "  --arg NAME=SPEC        an argument, by the parameter's name or position; SPEC is @FILE.npy,\n"
                "                         TYPE:@FILE.npy (bits of a type that NumPy lacks), TYPE:VALUE, or\n"
                "                         'TYPE[DIMxDIM]:FILL' with FILL zeros, ones, iota, nan, rand(SEED) or\n"
                "                         randint(SEED,LO,HI); brackets need quotes in a shell\n"
                "  --save NAME=FILE.npy   writes an array after the run\n"
                "  --expect NAME=SPEC     compares an array after the run; exit status 1 if it differs\n"
                "  --rtol R, --atol A     an element agrees if |got - expected| <= A + R * |expected|; both 0\n"
                "\nTimes:\n"
                "  --bench                times the kernel on the device\n"
                "  --warmups=N            launches before the timed ones (3)\n"
                "  --repeats=N            timed launches (20)\n";
}

//===----------------------------------------------------------------------===//
// Inputs
//===----------------------------------------------------------------------===//

static std::nullopt_t fail(std::string *error, std::string message) {
  if (error)
    *error = std::move(message);
  return std::nullopt;
}

static std::string listParams(const PlanKernel &kernel) {
  std::string text;
  for (size_t i = 0; i < kernel.params.size(); ++i)
    text += (i ? ", " : "") + (kernel.params[i].name.empty() ? std::to_string(i) : kernel.params[i].name);
  return text;
}

const PlanKernel *tilewright::selectKernel(const LaunchPlan &plan, const RunOptions &options, std::string *error) {
  std::string names;
  for (const PlanKernel &kernel : plan.kernels)
    names += (names.empty() ? "" : ", ") + kernel.name;
  if (options.kernel.empty() && plan.kernels.size() == 1)
    return &plan.kernels.front();
  const PlanKernel *kernel = options.kernel.empty() ? nullptr : plan.findKernel(options.kernel);
  // One host function is what the others are there for.
  if (options.kernel.empty())
    for (const PlanKernel &host : plan.kernels)
      if (host.isHostFunction()) {
        size_t numHosts = std::count_if(plan.kernels.begin(), plan.kernels.end(),
                                        [](const PlanKernel &other) { return other.isHostFunction(); });
        kernel = numHosts == 1 ? &host : nullptr;
        break;
      }
  if (!kernel)
    fail(error, plan.kernels.empty()     ? "there is no kernel in the file"
                : options.kernel.empty() ? "several kernels are in the file; choose one with --kernel: " + names
                                         : "there is no kernel '" + options.kernel + "'; there are: " + names);
  return kernel;
}

/// Splits NAME=VALUE and finds the parameter.
static std::optional<std::pair<size_t, std::string>> splitForParam(const PlanKernel &kernel, const std::string &text,
                                                                   const char *option, std::string *error) {
  std::optional<std::pair<std::string, std::string>> parts = splitNamedSpec(text, option, error);
  if (!parts)
    return std::nullopt;
  std::optional<size_t> index = findParam(kernel, parts->first);
  if (!index)
    return fail(error, std::string(option) + ": kernel '" + kernel.name + "' has no parameter '" + parts->first +
                           "'; it has: " + listParams(kernel));
  return std::pair(*index, std::move(parts->second));
}

static std::optional<HostArg> makeArg(const std::string &text, std::string *error) {
  std::optional<ArgSpec> spec = parseArgSpec(text, error);
  return spec ? makeHostArg(*spec, error) : std::nullopt;
}

std::optional<RunInputs> tilewright::makeRunInputs(const PlanKernel &kernel, const RunOptions &options,
                                                   std::string *error) {
  RunInputs inputs;
  std::vector<std::optional<HostArg>> args(kernel.params.size());
  for (const std::string &text : options.args) {
    auto named = splitForParam(kernel, text, "--arg", error);
    if (!named)
      return std::nullopt;
    if (args[named->first])
      return fail(error, "--arg: " + describeParam(kernel, named->first) + " is given twice");
    std::string reason;
    args[named->first] = makeArg(named->second, &reason);
    if (!args[named->first])
      return fail(error, describeParam(kernel, named->first) + ": " + reason);
    // NumPy has no index type; it is a 64-bit integer like any other.
    HostArg &arg = *args[named->first];
    if (!arg.isScalar && arg.type == ScalarType::I64 && kernel.params[named->first].type == ScalarType::Index)
      arg.type = arg.array.type = ScalarType::Index;
  }
  for (size_t i = 0; i < args.size(); ++i) {
    if (!args[i])
      return fail(error, "kernel '" + kernel.name + "': " + describeParam(kernel, i) + " has no argument; give --arg " +
                             (kernel.params[i].name.empty() ? std::to_string(i) : kernel.params[i].name) + "=SPEC");
    inputs.args.push_back(std::move(*args[i]));
  }
  for (const std::string &text : options.saves) {
    auto named = splitForParam(kernel, text, "--save", error);
    if (!named)
      return std::nullopt;
    if (inputs.args[named->first].isScalar)
      return fail(error, "--save: " + describeParam(kernel, named->first) + " is a scalar");
    inputs.saves.push_back(std::move(*named));
  }
  for (const std::string &text : options.expects) {
    auto named = splitForParam(kernel, text, "--expect", error);
    if (!named)
      return std::nullopt;
    const HostArg &arg = inputs.args[named->first];
    if (arg.isScalar)
      return fail(error, "--expect: " + describeParam(kernel, named->first) + " is a scalar");
    std::string reason;
    std::optional<HostArg> expected = makeArg(named->second, &reason);
    if (expected && expected->isScalar)
      reason = "an array is expected, '" + named->second + "' is a scalar";
    else if (expected && expected->array.shape != arg.array.shape)
      reason = "the shape is " + printShape(arg.array.shape) + ", but the reference has " +
               printShape(expected->array.shape);
    if (!reason.empty())
      return fail(error, "--expect: " + describeParam(kernel, named->first) + ": " + reason);
    inputs.expects.emplace_back(named->first, std::move(expected->array));
  }
  return inputs;
}

BackendResult tilewright::createRunBackend(const RunOptions &options) {
  if (options.backend != "auto")
    return createBackend(options.backend, options.backendOptions);
  BackendResult result = createBackend("cuda", options.backendOptions);
  if (result.status == BackendStatus::NoDevice && hasBackendFactory("emulator"))
    return createBackend("emulator", options.backendOptions);
  return result;
}

//===----------------------------------------------------------------------===//
// The run
//===----------------------------------------------------------------------===//

static std::string printGrid(const uint64_t grid[3]) {
  return std::to_string(grid[0]) + "x" + std::to_string(grid[1]) + "x" + std::to_string(grid[2]);
}

static std::string describeDecision(const PlanKernel &kernel, const PlanDecision &decision) {
  if (kernel.isHostFunction())
    return "host function " + kernel.name + ": launches " + std::to_string(kernel.steps.size()) +
           (decision.isEmpty ? "\n  all grids are empty, so nothing was launched\n" : "\n");
  const PlanVariant &variant = kernel.variants[decision.variant];
  std::string text = "kernel " + kernel.name + ": variant " + std::to_string(decision.variant) + " of " +
                     std::to_string(kernel.variants.size()) + " (" + variant.symbol + "), grid " +
                     printGrid(decision.grid) + ", " + counted(variant.numThreads, "thread");
  for (const std::string &assumption : variant.assumptions)
    text += "\n  assumes " + assumption;
  return text + (decision.isEmpty ? "\n  the grid is empty, so nothing was launched\n" : "\n");
}

static std::string describeTimes(std::vector<double> seconds, uint64_t argumentBytes) {
  std::sort(seconds.begin(), seconds.end());
  size_t middle = seconds.size() / 2;
  double median = seconds.size() % 2 ? seconds[middle] : (seconds[middle - 1] + seconds[middle]) / 2;
  char text[256];
  std::snprintf(text, sizeof(text), "time: median %.3f us, min %.3f us over ", median * 1e6, seconds.front() * 1e6);
  std::string result = text + counted(static_cast<int64_t>(seconds.size()), "launch", "launches");
  if (median > 0 && argumentBytes > 0) {
    std::snprintf(text, sizeof(text), "; the arrays' %llu bytes once: %.3f GB/s",
                  static_cast<unsigned long long>(argumentBytes), static_cast<double>(argumentBytes) / median * 1e-9);
    result += text;
  }
  return result + "\n";
}

RunStatus tilewright::runKernel(const LaunchPlan &plan, const PlanKernel &kernel, Backend &backend,
                                const RunOptions &options, RunInputs &inputs, std::string *output, std::string *error) {
  std::vector<LaunchArg> args;
  uint64_t argumentBytes = 0;
  for (HostArg &input : inputs.args) {
    LaunchArg arg;
    arg.type = input.type;
    arg.value = input.value;
    if (!input.isScalar) {
      arg.kind = LaunchArg::Kind::HostArray;
      arg.rank = static_cast<uint32_t>(input.array.rank());
      arg.data = input.array.data;
      arg.sizes = input.array.shape.data();
      arg.strides = input.array.strides.data();
      argumentBytes += static_cast<uint64_t>(input.array.numElements()) * input.array.elementBytes();
    }
    args.push_back(arg);
  }
  *output += "backend: " + backend.name() + ", " + backend.describeDevice() + "\n";
  KernelLauncher launcher(backend, plan, kernel);
  PlanDecision decision;
  if (!launcher.launch(args.data(), args.size(), &decision, error))
    return kRunBadInput;
  *output += describeDecision(kernel, decision);

  RunStatus status = kRunOk;
  for (auto &[index, expected] : inputs.expects) {
    const HostArray &got = inputs.args[index].array;
    std::optional<CompareResult> result = compareArrays(got, expected, options.tolerance, error);
    if (!result)
      return kRunBadInput;
    *output += "expect " + describeParam(kernel, index) + ": " + describeComparison(*result, got) + "\n";
    if (!result->isOk())
      status = kRunCheckFailed;
  }
  for (const auto &[index, path] : inputs.saves)
    if (!writeNpyFile(path, inputs.args[index].array, error))
      return kRunBadInput;
  if (options.isBench && !decision.isEmpty) {
    std::vector<double> seconds;
    if (!launcher.measure(args.data(), args.size(), options.numWarmups, options.numRepeats, &seconds, &decision, error))
      return kRunBadInput;
    *output += describeTimes(std::move(seconds), argumentBytes);
  }
  if (status == kRunCheckFailed && error)
    *error = "the result differs from the reference";
  return status;
}

RunStatus tilewright::runBundle(const Bundle &bundle, const RunOptions &options, std::string *output,
                                std::string *error) {
  const PlanKernel *kernel = selectKernel(bundle.plan, options, error);
  if (!kernel)
    return kRunBadInput;
  std::optional<RunInputs> inputs = makeRunInputs(*kernel, options, error);
  if (!inputs)
    return kRunBadInput;
  BackendResult made = createRunBackend(options);
  if (made.status != BackendStatus::Ok) {
    fail(error, made.error);
    return made.status == BackendStatus::NoDevice ? kRunNoDevice : kRunBadInput;
  }
  if (!made.backend->load(bundle, error))
    return kRunBadInput;
  return runKernel(bundle.plan, *kernel, *made.backend, options, *inputs, output, error);
}
