// SPDX-License-Identifier: Apache-2.0
/// \file
/// Remarks as plain data. Passes report their decisions through MLIR's remark engine; whoever compiles collects them
/// here and prints, filters or serialises them in source order, which is the same in every run.
#ifndef TILEWRIGHT_DRIVER_REMARKS_H
#define TILEWRIGHT_DRIVER_REMARKS_H

#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/raw_ostream.h"

#include <memory>
#include <string>
#include <vector>

namespace tilewright {

/// One decision of a pass.
struct RemarkRecord {
  /// "passed", "missed", "failed" or "analysis".
  std::string kind;
  std::string pass, name, function, file, message;
  /// Counted from 1; 0 where the place is not known.
  int64_t line = 0, column = 0;
};

/// Which remarks to show: kinds, and a regular expression that the pass's flag must contain.
struct RemarkFilter {
  bool passed = false, missed = false, failed = false, analysis = false;
  std::string passPattern;

  bool isEmpty() const { return !passed && !missed && !failed && !analysis; }
  bool accepts(const RemarkRecord &record) const;
};

/// Reads "none", "all", or a list of kinds with commas, and maybe ":REGEX" after it. Returns false and sets `error`
/// else.
bool parseRemarkFilter(llvm::StringRef text, RemarkFilter &filter, std::string &error);

/// Collects every remark that is emitted in a context while this lives. One at a time per context; a remark engine that
/// was there before is gone afterwards.
class RemarkCollector {
public:
  explicit RemarkCollector(mlir::MLIRContext &context);
  ~RemarkCollector();
  RemarkCollector(const RemarkCollector &) = delete;
  RemarkCollector &operator=(const RemarkCollector &) = delete;

  /// What came so far, by file, line, column, and then in the order in which it came.
  std::vector<RemarkRecord> take();

private:
  struct Store;
  std::shared_ptr<Store> store;
  mlir::MLIRContext &context;
};

/// "k.mlir:7:10: remark: [missed] tile-specialize: text", one line per accepted record.
void printRemarks(const std::vector<RemarkRecord> &records, const RemarkFilter &filter, llvm::raw_ostream &stream);

} // namespace tilewright

#endif // TILEWRIGHT_DRIVER_REMARKS_H
