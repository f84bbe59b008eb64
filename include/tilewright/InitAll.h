// SPDX-License-Identifier: Apache-2.0
/// \file
/// Registration of everything that the tools know: our dialects and those that we build on, our passes and the
/// upstream ones that the pipeline uses.
#ifndef TILEWRIGHT_INITALL_H
#define TILEWRIGHT_INITALL_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace tilewright {
/// Adds our dialects, and the upstream ones that may appear beside them, with their interfaces.
void registerAllDialects(mlir::DialectRegistry &registry);
/// Registers our passes, `--tile-pipeline`, and the upstream passes that it uses. Call once.
void registerAllPasses();
/// Hides the options that LLVM's libraries bring along from `--help`; `--help-hidden` shows them. Call first, before a
/// tool adds its own.
void hideLibraryOptions();
} // namespace tilewright

#endif // TILEWRIGHT_INITALL_H
