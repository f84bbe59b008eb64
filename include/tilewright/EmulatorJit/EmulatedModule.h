// SPDX-License-Identifier: Apache-2.0
/// \file
/// Compiles kernels for the host, so that the emulator's engine can call them. This is apart from the engine because
/// it needs LLVM and MLIR, which the engine does not.
#ifndef TILEWRIGHT_EMULATORJIT_EMULATEDMODULE_H
#define TILEWRIGHT_EMULATORJIT_EMULATEDMODULE_H

#include "tilewright/Emulator/Engine.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Support/LLVM.h"

#include <memory>

namespace tilewright {

/// How the host code is made.
struct HostCodeOptions {
  /// 0: straight to code, for the shortest compile. 1: cheap optimisations first. More pays nowhere: large register
  /// tiles make the optimiser slower than the kernels that it would speed up.
  unsigned optLevel = 1;
};

/// Adds what `EmulatedModule::compile` needs of a context: the LLVM dialect and its translation to LLVM IR.
void registerEmulatedModuleDialects(mlir::DialectRegistry &registry);

/// Host code of all kernels of one module. The code lives as long as this object.
class EmulatedModule {
public:
  ~EmulatedModule();
  EmulatedModule(const EmulatedModule &) = delete;
  EmulatedModule &operator=(const EmulatedModule &) = delete;

  /// Compiles a module in the LLVM dialect, as convert-simt-to-emulator makes it: kernels are functions
  /// `void @kernel(ptr thread, ptr slots)` that call the functions of Emulator/Abi.h; the module's attribute
  /// `tile_gpu.locations` lists the places that calls name by number. The module is not changed. Whatever code may
  /// call besides is the C library's mathematics and memory functions; another external symbol is an error.
  /// Fails with one diagnostic at the module.
  static mlir::FailureOr<std::unique_ptr<EmulatedModule>> compile(mlir::ModuleOp module,
                                                                  const HostCodeOptions &options = {});

  /// The kernel of that name, or null.
  const KernelCode *lookup(llvm::StringRef name) const;

private:
  struct Impl;
  explicit EmulatedModule(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl;
};

} // namespace tilewright

#endif // TILEWRIGHT_EMULATORJIT_EMULATEDMODULE_H
