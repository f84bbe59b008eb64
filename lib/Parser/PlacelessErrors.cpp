// SPDX-License-Identifier: Apache-2.0
#include "tilewright/Parser/PlacelessErrors.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"

using namespace mlir;

bool tilewright::hasPlace(Location loc) {
  return loc
      ->walk([](Location inner) {
        auto file = dyn_cast<FileLineColLoc>(inner);
        return file && file.getLine() > 0 ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// The file that a location is about as a whole; empty if there is none.
static StringRef findFile(Location loc) {
  StringRef name;
  loc->walk([&](Location inner) {
    if (auto file = dyn_cast<FileLineColLoc>(inner))
      name = file.getFilename().getValue();
    return name.empty() ? WalkResult::advance() : WalkResult::interrupt();
  });
  return name;
}

static StringRef severityName(DiagnosticSeverity severity) {
  switch (severity) {
  case DiagnosticSeverity::Error:
    return "error";
  case DiagnosticSeverity::Warning:
    return "warning";
  case DiagnosticSeverity::Note:
    return "note";
  case DiagnosticSeverity::Remark:
    return "remark";
  }
  llvm_unreachable("a severity");
}

void tilewright::printPlacelessErrors(MLIRContext &context, std::string tool) {
  context.getDiagEngine().registerHandler([tool = std::move(tool)](Diagnostic &diagnostic) {
    if (hasPlace(diagnostic.getLocation()))
      return failure();
    StringRef file = findFile(diagnostic.getLocation());
    llvm::errs() << (file.empty() ? StringRef(tool) : file) << ": " << severityName(diagnostic.getSeverity()) << ": "
                 << diagnostic << '\n';
    for (Diagnostic &note : diagnostic.getNotes())
      llvm::errs() << note.getLocation() << ": note: " << note << '\n';
    return success();
  });
}
