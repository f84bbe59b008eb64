// SPDX-License-Identifier: Apache-2.0
/// \file
/// Remarks as plain data. Passes report their decisions through MLIR's remark engine; whoever compiles collects them
/// here and prints, filters or serialises them in source order, which is the same in every run.
#ifndef TILEWRIGHT_DRIVER_REMARKS_H
#define TILEWRIGHT_DRIVER_REMARKS_H

#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/MemoryBuffer.h"
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
  /// Counts the remarks of a collector as they came.
  size_t sequence = 0;
};

/// What was decided at one place, once for all versions of a kernel that share it.
struct RemarkStory {
  RemarkRecord record;
  /// The versions that it is about; none where it is about all that any remark at this place is about.
  std::vector<std::string> functions;
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

/// What `filter` accepts, in source order, and at one place in the order of the passes.
std::vector<RemarkStory> tellStory(const std::vector<RemarkRecord> &records, const RemarkFilter &filter);

/// "k.mlir:7:10: remark: [missed] tile-specialize: text (in k__v0)", a line for each part of the story. Where a place is
/// in `source`, its line comes in front of what was decided there.
void printRemarks(const std::vector<RemarkRecord> &records, const RemarkFilter &filter, llvm::raw_ostream &stream,
                  const llvm::MemoryBuffer *source = nullptr);

} // namespace tilewright

#endif // TILEWRIGHT_DRIVER_REMARKS_H
