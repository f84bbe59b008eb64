// SPDX-License-Identifier: Apache-2.0
#include "tilewright/Driver/CompileOptions.h"
#include "tilewright/Dialect/Tile/Transforms/ExtentPlan.h"
#include "tilewright/Target/Target.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringExtras.h"

using namespace tilewright;
using llvm::StringRef;

/// Groups of options in help texts.
static constexpr char kWhat[] = "What to compile", kChoices[] = "Choices that the compiler makes where nobody asks",
                      kMachineCode[] = "Machine code and bundles";

static constexpr CompileOptionHelp kHelp[] = {
    {"kernel", "NAME", "compile only this kernel", kWhat},
    {"target", "NAME", "GPU to compile for: sm_80, sm_86, sm_89, sm_90a (default), sm_100a, sm_103a, sm_120a", kWhat},
    {"num-warps", "N", "warps per program of kernels that do not say, 1 to 32", kChoices},
    {"num-stages", "N", "buffers per pipelined load; only 1 so far", kChoices},
    {"cluster", "XxY", "programs per cluster; only 1x1 so far", kChoices},
    {"extents", "CLASS:N,...",
     "resize tile dimensions, e.g. M:128,N:256; --remarks=all:tile-choose-extents lists the classes", kChoices},
    {"max-variants", "N", "most variants of one kernel, 1 to 64; 1 leaves kernels alone", kChoices},
    {"grid-group", "N", "rows of tiles to walk together in kernels that do not say, 1 to 65536", kChoices},
    {"epilogue-parts", "N", "parts in which products are stored by kernels that do not say, 1 to 16", kChoices},
    {"persistent", "MODE", "loops over the tiles in kernels that do not say: auto (default), always or never",
     kChoices},
    {"even-k", "MODE", "how loops lose bounds checks: auto (default), guard (variants alone) or peel (peeling alone)",
     kChoices},
    {"tma", "MODE", "tensor maps: auto (default) where proved to be legal, guard also in a variant that tests it",
     kChoices},
    {"disable-pass", "NAME", "leave an optimisation out; may be given several times", kChoices},
    {"cubin", "BOOL", "put machine code by ptxas into a bundle: true, or false (default)", kMachineCode},
    {"lazy", "BOOL",
     "make a bundle for the emulator, which lowers a variant at its first launch: true, or false (default)",
     kMachineCode},
    {"ptxas", "PATH", "use this ptxas instead of the one that is found", kMachineCode},
    {"nvdisasm", "PATH", "use this nvdisasm instead of the one that is found", kMachineCode},
};

llvm::ArrayRef<CompileOptionHelp> tilewright::compileOptionHelp() { return kHelp; }

static bool refuse(std::string &error, StringRef key, StringRef expected, StringRef value) {
  error = ("option '" + key + "': expected " + expected + ", found '" + value + "'").str();
  return false;
}

static bool readNumber(StringRef value, unsigned least, unsigned most, unsigned &result) {
  return !value.getAsInteger(10, result) && result >= least && result <= most;
}

bool tilewright::setCompileOption(CompileOptions &options, StringRef key, StringRef value, std::string &error) {
  unsigned number = 0;
  if (key == "target") {
    if (!findTarget(std::string_view(value.data(), value.size()), &error))
      return false;
    options.target = value.str();
  } else if (key == "num-warps") {
    if (!readNumber(value, 1, 32, number))
      return refuse(error, key, "a number from 1 to 32", value);
    options.numWarps = number;
  } else if (key == "num-stages") {
    if (!readNumber(value, 1, 1, number))
      return refuse(error, key, "1, because no pass pipelines loops yet", value);
  } else if (key == "cluster") {
    if (value != "1" && value != "1x1" && value != "1x1x1")
      return refuse(error, key, "1x1, because no pass forms clusters yet", value);
  } else if (key == "extents") {
    llvm::SmallVector<StringRef> requests;
    value.split(requests, ',');
    for (StringRef request : requests) {
      if (!parseExtentRequest(request))
        return refuse(error, key, "CLASS:N,... with N from 1 to " + std::to_string(kMaxExtent), value);
      options.extents.push_back(request.str());
    }
  } else if (key == "max-variants") {
    if (!readNumber(value, 1, 64, number))
      return refuse(error, key, "a number from 1 to 64", value);
    options.maxVariants = number;
  } else if (key == "grid-group") {
    if (!readNumber(value, 1, 1 << 16, number))
      return refuse(error, key, "a number from 1 to 65536", value);
    options.gridGroup = number;
  } else if (key == "epilogue-parts") {
    if (!readNumber(value, 1, 16, number))
      return refuse(error, key, "a number from 1 to 16", value);
    options.epilogueParts = number;
  } else if (key == "persistent") {
    if (value != "auto" && value != "always" && value != "never")
      return refuse(error, key, "auto, always or never", value);
    options.persistent = value.str();
  } else if (key == "even-k") {
    if (value != "auto" && value != "guard" && value != "peel")
      return refuse(error, key, "auto, guard or peel", value);
    options.evenK = value.str();
  } else if (key == "tma") {
    if (value != "auto" && value != "guard")
      return refuse(error, key, "auto or guard", value);
    options.tma = value.str();
  } else if (key == "disable-pass") {
    if (value.empty())
      return refuse(error, key, "the name of a pass", value);
    options.disabledPasses.push_back(value.str());
  } else if (key == "kernel") {
    options.kernel = value.str();
  } else if (key == "cubin") {
    if (value != "true" && value != "false")
      return refuse(error, key, "true or false", value);
    options.wantsCubin = value == "true";
  } else if (key == "lazy") {
    if (value != "true" && value != "false")
      return refuse(error, key, "true or false", value);
    options.isLazy = value == "true";
  } else if (key == "ptxas") {
    options.ptxasPath = value.str();
  } else if (key == "nvdisasm") {
    options.nvdisasmPath = value.str();
  } else {
    error = ("unknown option '" + key + "': expected one of").str();
    for (const CompileOptionHelp &help : kHelp)
      error += std::string(&help == kHelp ? " " : ", ") + help.key;
    return false;
  }
  return true;
}

std::string CompileOptions::toString() const {
  std::string text;
  auto add = [&](StringRef key, StringRef value) { text += (text.empty() ? "" : " ") + key.str() + "=" + value.str(); };
  if (numWarps)
    add("num-warps", std::to_string(numWarps));
  if (!extents.empty())
    add("extents", llvm::join(extents, ","));
  if (maxVariants)
    add("max-variants", std::to_string(maxVariants));
  if (gridGroup)
    add("grid-group", std::to_string(gridGroup));
  if (epilogueParts)
    add("epilogue-parts", std::to_string(epilogueParts));
  if (persistent != "auto")
    add("persistent", persistent);
  if (evenK != "auto")
    add("even-k", evenK);
  if (tma != "auto")
    add("tma", tma);
  for (const std::string &pass : disabledPasses)
    add("disable-pass", pass);
  return text;
}

bool tilewright::parseEmitLevel(StringRef text, EmitLevel &level, std::string &error) {
  static constexpr std::pair<const char *, EmitLevel> kLevels[] = {
      {"tile", EmitLevel::Tile},   {"gpu", EmitLevel::Gpu},
      {"simt", EmitLevel::Simt},   {"llvm-dialect", EmitLevel::LlvmDialect},
      {"llvm", EmitLevel::Llvm},   {"ptx", EmitLevel::Ptx},
      {"cubin", EmitLevel::Cubin}, {"bundle", EmitLevel::Bundle}};
  for (const auto &[name, value] : kLevels)
    if (text == name) {
      level = value;
      return true;
    }
  error = "unknown level '" + text.str() + "': expected tile, gpu, simt, llvm-dialect, llvm, ptx, cubin or bundle";
  return false;
}
