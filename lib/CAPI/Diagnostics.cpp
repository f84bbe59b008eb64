// SPDX-License-Identifier: Apache-2.0
#include "Diagnostics.h"

#include "mlir/IR/Location.h"

using namespace mlir;

namespace tilewright::capi {

SourcePlace findSourcePlace(Location loc) {
  SourcePlace place;
  loc->walk([&](Location part) {
    auto file = dyn_cast<FileLineColLoc>(LocationAttr(part));
    if (!file)
      return WalkResult::advance();
    place = {file.getFilename().str(), file.getLine(), file.getColumn()};
    return WalkResult::interrupt();
  });
  return place;
}

static TwSeverity convertSeverity(DiagnosticSeverity severity) {
  switch (severity) {
  case DiagnosticSeverity::Error:
    return TW_SEVERITY_ERROR;
  case DiagnosticSeverity::Warning:
    return TW_SEVERITY_WARNING;
  case DiagnosticSeverity::Remark:
    return TW_SEVERITY_REMARK;
  case DiagnosticSeverity::Note:
    return TW_SEVERITY_NOTE;
  }
  llvm_unreachable("every severity is listed");
}

namespace {
/// The text behind one TwDiagnostic.
struct DiagnosticText {
  explicit DiagnosticText(const Diagnostic &diagnostic)
      : place(findSourcePlace(diagnostic.getLocation())), message(diagnostic.str()),
        severity(convertSeverity(diagnostic.getSeverity())) {}

  TwDiagnostic view() const {
    return {severity, place.file.c_str(), place.line, place.column, message.c_str(), 0, nullptr};
  }

  SourcePlace place;
  std::string message;
  TwSeverity severity;
};
} // namespace

DiagnosticForwarder::DiagnosticForwarder(MLIRContext &context) : context(context) {
  id = context.getDiagEngine().registerHandler([this](Diagnostic &diagnostic) { forward(diagnostic); });
}

DiagnosticForwarder::~DiagnosticForwarder() { context.getDiagEngine().eraseHandler(id); }

unsigned DiagnosticForwarder::takeErrorCount() { return std::exchange(errorCount, 0); }

void DiagnosticForwarder::forward(const Diagnostic &diagnostic) {
  if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
    ++errorCount;
  if (!handler)
    return;
  std::vector<DiagnosticText> noteTexts;
  for (const Diagnostic &note : diagnostic.getNotes())
    noteTexts.emplace_back(note);
  std::vector<TwDiagnostic> notes;
  for (const DiagnosticText &text : noteTexts)
    notes.push_back(text.view());
  DiagnosticText text(diagnostic);
  TwDiagnostic whole = text.view();
  whole.noteCount = notes.size();
  whole.notes = notes.data();
  handler(&whole, userData);
}

} // namespace tilewright::capi
