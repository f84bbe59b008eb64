// SPDX-License-Identifier: Apache-2.0
/// \file
/// Turns MLIR's diagnostics into those of the C interface. Apart from the compiler's functions because it is the one
/// place that knows how a location tree becomes one file, line and column.
#ifndef TILEWRIGHT_CAPI_DIAGNOSTICS_H
#define TILEWRIGHT_CAPI_DIAGNOSTICS_H

#include "tilewright-c/Compiler.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"

namespace tilewright::capi {

/// Hands every diagnostic of a context to a C handler for as long as it lives; with no handler set they are dropped.
class DiagnosticForwarder {
public:
  explicit DiagnosticForwarder(mlir::MLIRContext &context);
  ~DiagnosticForwarder();
  DiagnosticForwarder(const DiagnosticForwarder &) = delete;
  DiagnosticForwarder &operator=(const DiagnosticForwarder &) = delete;

  void setHandler(TwDiagnosticHandler newHandler, void *newUserData) {
    handler = newHandler;
    userData = newUserData;
  }

  /// The errors since the last call.
  unsigned takeErrorCount();

private:
  void forward(const mlir::Diagnostic &diagnostic);

  mlir::MLIRContext &context;
  mlir::DiagnosticEngine::HandlerID id;
  TwDiagnosticHandler handler = nullptr;
  void *userData = nullptr;
  unsigned errorCount = 0;
};

/// The file, line and column that a location tree stands for: the first one found in it, callees before callers.
struct SourcePlace {
  std::string file;
  int64_t line = 0, column = 0;
};
SourcePlace findSourcePlace(mlir::Location loc);

} // namespace tilewright::capi

#endif // TILEWRIGHT_CAPI_DIAGNOSTICS_H
