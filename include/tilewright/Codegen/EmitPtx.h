// SPDX-License-Identifier: Apache-2.0
/// \file
/// From the LLVM dialect to PTX, in process: translation to LLVM IR, LLVM's optimiser, its NVPTX backend. Whatever LLVM
/// cannot do becomes a diagnostic, also where LLVM would end the process.
#ifndef TILEWRIGHT_CODEGEN_EMITPTX_H
#define TILEWRIGHT_CODEGEN_EMITPTX_H

#include "mlir/IR/BuiltinOps.h"
#include "tilewright/Target/Target.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <string>

namespace tilewright {

/// What `emitPtx` is asked for.
struct EmitPtxOptions {
  const Target *target = nullptr;
  /// LLVM IR instead of PTX: after the optimiser.
  bool wantsLlvmIr = false;
  /// Told the seconds of each phase: "translate", "optimize", "codegen".
  llvm::function_ref<void(llvm::StringRef, double)> onPhase = nullptr;
};

/// Makes the translations to LLVM IR known to `registry`.
void registerLlvmTranslations(mlir::DialectRegistry &registry);

/// Compiles a module of the LLVM dialect, as convert-simt-to-nvvm makes it, to PTX text. The same module gives the same
/// bytes. Emits one error and fails where that is impossible. The module is left alone. Thread-safe.
mlir::FailureOr<std::string> emitPtx(mlir::ModuleOp module, const EmitPtxOptions &options);

/// Runs `work`; a fatal error of LLVM in it (report_fatal_error) ends `work`, not the process, and gives its message.
/// What `work` had allocated by then leaks. Returns true if all went well.
bool runCatchingFatalErrors(llvm::function_ref<void()> work, std::string &message);

} // namespace tilewright

#endif // TILEWRIGHT_CODEGEN_EMITPTX_H
