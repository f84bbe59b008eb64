// SPDX-License-Identifier: Apache-2.0
#include "tilewright/Codegen/CudaTools.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

#include <dlfcn.h>

using namespace llvm;
using namespace tilewright;

namespace {
/// Temporary files that go away with it. They are made with a name of their own and for this user only.
class TemporaryFiles {
public:
  TemporaryFiles() = default;
  TemporaryFiles(const TemporaryFiles &) = delete;
  TemporaryFiles &operator=(const TemporaryFiles &) = delete;
  ~TemporaryFiles() {
    for (const std::string &path : paths)
      sys::fs::remove(path);
  }
  /// Makes a file with that content; sets `error` and returns an empty path on failure.
  std::string make(StringRef suffix, StringRef content, std::string &error) {
    int descriptor = -1;
    SmallString<128> path;
    if (std::error_code code = sys::fs::createTemporaryFile("tilewright", suffix, descriptor, path)) {
      error = "cannot make a temporary file: " + code.message();
      return "";
    }
    paths.push_back(path.str().str());
    raw_fd_ostream stream(descriptor, /*shouldClose=*/true);
    stream << content;
    stream.close();
    if (stream.has_error()) {
      error = "cannot write " + path.str().str() + ": " + stream.error().message();
      stream.clear_error();
      return "";
    }
    return paths.back();
  }

private:
  std::vector<std::string> paths;
};
} // namespace

static std::string readFile(StringRef path) {
  auto buffer = MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  return buffer ? (*buffer)->getBuffer().str() : std::string();
}

/// Runs a program with its output, both streams together, in `output`. Returns its exit status, or -1 and sets `error`.
static int runProgram(StringRef path, ArrayRef<std::string> arguments, std::string &output, std::string &error) {
  TemporaryFiles files;
  std::string log = files.make("log", "", error);
  if (log.empty())
    return -1;
  SmallVector<StringRef> argv{path};
  for (const std::string &argument : arguments)
    argv.push_back(argument);
  std::optional<StringRef> redirects[] = {StringRef(""), StringRef(log), StringRef(log)};
  std::string why;
  int status = sys::ExecuteAndWait(path, argv, std::nullopt, redirects, 0, 0, &why);
  output = readFile(log);
  if (status < 0)
    error = "cannot run " + path.str() + (why.empty() ? "" : ": " + why);
  return status < 0 ? -1 : status;
}

/// "... release 13.0, V13.0.88": what follows the V.
static std::string parseVersion(StringRef text) {
  size_t at = text.rfind(", V");
  if (at == StringRef::npos)
    return "";
  return text.drop_front(at + 3).take_while([](char c) { return isDigit(c) || c == '.'; }).str();
}

/// The folder of the library or program that this code is in, and that of the program that runs.
static SmallVector<std::string> ownFolders() {
  SmallVector<std::string> folders;
  std::string program = sys::fs::getMainExecutable(nullptr, reinterpret_cast<void *>(&ownFolders));
  folders.push_back(sys::path::parent_path(program).str());
  Dl_info info;
  if (dladdr(reinterpret_cast<void *>(&parsePtxasLog), &info) && info.dli_fname) {
    SmallString<128> library;
    if (!sys::fs::real_path(info.dli_fname, library))
      folders.push_back(sys::path::parent_path(library).str());
  }
  return folders;
}

std::optional<CudaTool> tilewright::findCudaTool(StringRef name, StringRef chosen, std::string &error) {
  SmallVector<std::string> candidates;
  if (!chosen.empty()) {
    candidates.push_back(chosen.str());
  } else {
    for (const std::string &folder : ownFolders())
      for (const char *place : {"", "../bin", "../cuda-tools/bin"}) {
        SmallString<128> path(folder);
        sys::path::append(path, place, name);
        candidates.push_back(path.str().str());
      }
    if (auto found = sys::findProgramByName(name))
      candidates.push_back(*found);
    candidates.push_back(("/usr/local/cuda/bin/" + name).str());
  }
  for (const std::string &path : candidates) {
    if (!sys::fs::can_execute(path) || sys::fs::is_directory(path))
      continue;
    std::string output;
    int status = runProgram(path, {"--version"}, output, error);
    if (status == 0)
      return CudaTool{path, parseVersion(output)};
    if (!chosen.empty()) {
      error = path + " --version fails" + (output.empty() ? "" : ": " + StringRef(output).trim().str());
      return std::nullopt;
    }
  }
  error = chosen.empty() ? "found no " + name.str() +
                               " beside this program, in PATH or in /usr/local/cuda/bin; name one by --" + name.str()
                         : "cannot execute " + chosen.str();
  return std::nullopt;
}

/// The number in front of `what`, e.g. 4 for "bytes stack frame" in "    4 bytes stack frame, 0 bytes ...".
static unsigned numberBefore(StringRef line, StringRef what) {
  size_t at = line.find(what);
  unsigned value = 0;
  if (at == StringRef::npos)
    return value;
  StringRef before = line.take_front(at).rtrim();
  before.take_back(before.size() - before.find_last_not_of("0123456789") - 1).getAsInteger(10, value);
  return value;
}

std::vector<KernelResources> tilewright::parsePtxasLog(StringRef log) {
  std::vector<KernelResources> kernels;
  bool isKernel = false; // The properties of device functions are listed too.
  SmallVector<StringRef> lines;
  log.split(lines, '\n');
  for (StringRef line : lines) {
    if (line.contains("Compiling entry function '")) {
      kernels.emplace_back();
      kernels.back().name = line.split('\'').second.split('\'').first.str();
    } else if (size_t at = line.find("Function properties for "); at != StringRef::npos) {
      isKernel = !kernels.empty() && line.drop_front(at + 24).trim() == kernels.back().name;
    } else if (line.contains("bytes stack frame") && isKernel) {
      kernels.back().stackBytes = numberBefore(line, " bytes stack frame");
      kernels.back().spillStoreBytes = numberBefore(line, " bytes spill stores");
      kernels.back().spillLoadBytes = numberBefore(line, " bytes spill loads");
    } else if (line.contains("Used ") && line.contains(" registers") && !kernels.empty()) {
      kernels.back().registers = numberBefore(line, " registers");
      kernels.back().barriers = numberBefore(line, " barriers");
      kernels.back().staticSharedBytes = numberBefore(line, " bytes smem");
    }
  }
  return kernels;
}

/// "ptxas /tmp/x.ptx, line 12; error   : text" as "ptxas: line 12: text: <that line of PTX>".
static std::string explainPtxasError(StringRef log, StringRef ptx) {
  SmallVector<StringRef> lines, source;
  log.split(lines, '\n');
  ptx.split(source, '\n');
  for (StringRef line : lines) {
    size_t at = line.find("error");
    if (at == StringRef::npos)
      at = line.find("fatal");
    if (at == StringRef::npos)
      continue;
    std::string text = "ptxas: " + line.drop_front(at).split(':').second.trim().str();
    unsigned number = 0;
    if (size_t where = line.find(", line "); where != StringRef::npos && where < at)
      line.drop_front(where + 7).take_while(isDigit).getAsInteger(10, number);
    if (number > 0 && number <= source.size())
      text += ", in line " + std::to_string(number) + " of the PTX: " + source[number - 1].trim().str();
    return text;
  }
  return "ptxas failed" + (log.trim().empty() ? "" : ": " + log.trim().str());
}

std::optional<AssembledPtx> tilewright::assemblePtx(StringRef ptx, const Target &target, const CudaTool &ptxas,
                                                    std::string &error) {
  TemporaryFiles files;
  std::string input = files.make("ptx", ptx, error);
  std::string output = input.empty() ? "" : files.make("cubin", "", error);
  if (output.empty())
    return std::nullopt;
  std::string log;
  int status = runProgram(ptxas.path, {"-v", "-arch=" + std::string(target.name), input, "-o", output}, log, error);
  if (status < 0)
    return std::nullopt;
  if (status != 0) {
    error = explainPtxasError(log, ptx);
    return std::nullopt;
  }
  AssembledPtx result;
  result.cubin = readFile(output);
  if (result.cubin.empty()) {
    error = "ptxas wrote no machine code";
    return std::nullopt;
  }
  result.kernels = parsePtxasLog(log);
  SmallVector<StringRef> lines;
  StringRef(log).split(lines, '\n');
  for (StringRef line : lines)
    if (line.contains("warning") || line.contains("(C7"))
      result.warnings.push_back(line.drop_front(std::min(line.size(), line.find(':') + 1)).trim().str());
  return result;
}

std::vector<MachineCodeAudit> tilewright::parseDisassembly(StringRef text) {
  std::vector<MachineCodeAudit> kernels;
  SmallVector<StringRef> lines;
  text.split(lines, '\n');
  for (StringRef line : lines) {
    line = line.trim();
    if (line.starts_with(".text.") && line.ends_with(":")) {
      kernels.emplace_back();
      kernels.back().name = line.drop_front(6).drop_back().str();
    }
    // An instruction: an address in a comment, maybe a predicate, then the operation.
    if (kernels.empty() || !line.consume_front("/*") || !isHexDigit(line.empty() ? ' ' : line.front()))
      continue;
    StringRef op = line.split("*/").second.trim();
    if (op.consume_front("@"))
      op = op.split(' ').second.trim();
    op = op.take_until([](char c) { return c == ' ' || c == ';'; });
    if (op.empty())
      continue;
    MachineCodeAudit &kernel = kernels.back();
    ++kernel.instructions;
    StringRef name = op.split('.').first;
    bool isGlobal = name == "LDG" || name == "STG";
    kernel.localLoads += name == "LDL";
    kernel.localStores += name == "STL";
    kernel.globalAccesses += isGlobal;
    kernel.wideGlobalAccesses += isGlobal && (op.contains(".128") || op.contains(".256"));
    kernel.tensorOps += name.ends_with("MMA") && name != "FFMA";
    kernel.barriers += name == "BAR";
  }
  return kernels;
}

std::optional<std::vector<MachineCodeAudit>> tilewright::auditCubin(StringRef cubin, const CudaTool &nvdisasm,
                                                                    std::string &error) {
  TemporaryFiles files;
  std::string input = files.make("cubin", cubin, error), text;
  if (input.empty())
    return std::nullopt;
  int status = runProgram(nvdisasm.path, {"-c", input}, text, error);
  if (status < 0)
    return std::nullopt;
  if (status != 0) {
    error = "nvdisasm failed" + (text.empty() ? std::string() : ": " + StringRef(text).trim().str());
    return std::nullopt;
  }
  return parseDisassembly(text);
}
