// SPDX-License-Identifier: Apache-2.0
/// \file
/// NVIDIA's ptxas and nvdisasm as processes: found, run, and their words turned into numbers and messages. They are
/// optional; who needs one says where it was looked for.
#ifndef TILEWRIGHT_CODEGEN_CUDATOOLS_H
#define TILEWRIGHT_CODEGEN_CUDATOOLS_H

#include "tilewright/Target/Target.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>
#include <vector>

namespace tilewright {

/// A program that was found.
struct CudaTool {
  std::string path;
  /// E.g. "13.0.88"; empty if it did not say.
  std::string version;
};

/// Finds `name` ("ptxas"): `chosen` if it is not empty and nothing else; beside the running program or this library, in
/// the `cuda-tools/bin` of their build folder, in PATH, in /usr/local/cuda/bin. Sets `error` to one message otherwise.
std::optional<CudaTool> findCudaTool(llvm::StringRef name, llvm::StringRef chosen, std::string &error);

/// What ptxas -v says of one kernel.
struct KernelResources {
  std::string name;
  unsigned registers = 0, barriers = 0;
  unsigned stackBytes = 0, spillStoreBytes = 0, spillLoadBytes = 0, staticSharedBytes = 0;
};

/// Reads the output of ptxas -v; kernels in the order in which it names them.
std::vector<KernelResources> parsePtxasLog(llvm::StringRef log);

/// Machine code and what ptxas said about it.
struct AssembledPtx {
  std::string cubin;
  std::vector<KernelResources> kernels;
  /// Lines with warnings and advice (C75xx), without the paths of temporary files.
  std::vector<std::string> warnings;
};

/// Assembles PTX. Sets `error` to ptxas's first complaint, with the line of PTX that it is about. Leaves no files.
std::optional<AssembledPtx> assemblePtx(llvm::StringRef ptx, const Target &target, const CudaTool &ptxas,
                                        std::string &error);

/// Counts in the machine code of one kernel, by nvdisasm.
struct MachineCodeAudit {
  std::string name;
  unsigned instructions = 0;
  /// Accesses of local memory: spills, or arrays that did not fit into registers.
  unsigned localLoads = 0, localStores = 0;
  /// Accesses of global memory by their width in bits, 8 to 256.
  unsigned globalAccesses = 0, wideGlobalAccesses = 0;
  /// Instructions of tensor cores: HMMA, IMMA, DMMA, QMMA, HGMMA, UTCHMMA and so on.
  unsigned tensorOps = 0, barriers = 0;
};

/// Reads the text of `nvdisasm -c`.
std::vector<MachineCodeAudit> parseDisassembly(llvm::StringRef text);

/// Disassembles and counts.
std::optional<std::vector<MachineCodeAudit>> auditCubin(llvm::StringRef cubin, const CudaTool &nvdisasm,
                                                        std::string &error);

} // namespace tilewright

#endif // TILEWRIGHT_CODEGEN_CUDATOOLS_H
