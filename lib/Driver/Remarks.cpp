// SPDX-License-Identifier: Apache-2.0
#include "tilewright/Driver/Remarks.h"

#include "mlir/IR/Location.h"
#include "mlir/IR/Remarks.h"
#include "llvm/Support/Regex.h"

#include <mutex>
#include <numeric>
#include <tuple>

using namespace mlir;
using namespace tilewright;

struct RemarkCollector::Store {
  std::mutex mutex;
  std::vector<RemarkRecord> records;
};

namespace {
/// Hands remarks to a store that outlives the engine.
class Streamer : public remark::detail::MLIRRemarkStreamerBase {
public:
  Streamer(std::function<void(RemarkRecord)> sink) : sink(std::move(sink)) {}
  void streamOptimizationRemark(const remark::detail::Remark &remark) override;

private:
  std::function<void(RemarkRecord)> sink;
};
} // namespace

static FileLineColLoc findPlace(Location loc) {
  FileLineColLoc place;
  loc->walk([&](Location inner) {
    place = dyn_cast<FileLineColLoc>(inner);
    return place ? WalkResult::interrupt() : WalkResult::advance();
  });
  return place;
}

void Streamer::streamOptimizationRemark(const remark::detail::Remark &remark) {
  RemarkRecord record;
  switch (remark.getRemarkType()) {
  case llvm::remarks::Type::Passed:
    record.kind = "passed";
    break;
  case llvm::remarks::Type::Missed:
    record.kind = "missed";
    break;
  case llvm::remarks::Type::Failure:
    record.kind = "failed";
    break;
  default:
    record.kind = "analysis";
    break;
  }
  record.pass = remark.getCombinedCategoryName().str();
  record.name = remark.getRemarkName().str();
  record.function = remark.getFunction().str();
  if (FileLineColLoc place = findPlace(remark.getLocation())) {
    record.file = place.getFilename().str();
    record.line = place.getLine();
    record.column = place.getColumn();
  }
  // Plain text stands alone; everything else is "key: value", with the keys that MLIR gives to reasons in lower case.
  for (const remark::detail::Remark::Arg &arg : remark.getArgs()) {
    if (!record.message.empty())
      record.message += "; ";
    if (arg.key != "Remark")
      record.message += StringRef(arg.key).lower() + ": ";
    record.message += arg.val;
  }
  sink(std::move(record));
}

RemarkCollector::RemarkCollector(MLIRContext &context) : store(std::make_shared<Store>()), context(context) {
  remark::RemarkCategories everything;
  everything.passed = everything.missed = everything.failed = everything.analysis = ".*";
  auto engine = std::make_unique<remark::detail::RemarkEngine>(/*printAsEmitRemarks=*/false, everything);
  std::shared_ptr<Store> shared = store;
  auto sink = [shared](RemarkRecord record) {
    std::lock_guard<std::mutex> lock(shared->mutex);
    shared->records.push_back(std::move(record));
  };
  std::string ignored;
  (void)engine->initialize(std::make_unique<Streamer>(sink), std::make_unique<remark::RemarkEmittingPolicyAll>(),
                           &ignored);
  context.setRemarkEngine(std::move(engine));
}

RemarkCollector::~RemarkCollector() { context.setRemarkEngine(nullptr); }

std::vector<RemarkRecord> RemarkCollector::take() {
  std::lock_guard<std::mutex> lock(store->mutex);
  std::vector<RemarkRecord> records = std::move(store->records);
  store->records.clear();
  std::vector<size_t> order(records.size());
  std::iota(order.begin(), order.end(), size_t(0));
  llvm::sort(order, [&](size_t a, size_t b) {
    const RemarkRecord &x = records[a], &y = records[b];
    // Functions are worked on side by side; within one the order is that of the passes.
    return std::tie(x.file, x.line, x.column, x.function, a) < std::tie(y.file, y.line, y.column, y.function, b);
  });
  std::vector<RemarkRecord> sorted;
  for (size_t index : order)
    sorted.push_back(std::move(records[index]));
  return sorted;
}

bool RemarkFilter::accepts(const RemarkRecord &record) const {
  bool isKind = (passed && record.kind == "passed") || (missed && record.kind == "missed") ||
                (failed && record.kind == "failed") || (analysis && record.kind == "analysis");
  return isKind && (passPattern.empty() || llvm::Regex(passPattern).match(record.pass));
}

bool tilewright::parseRemarkFilter(StringRef text, RemarkFilter &filter, std::string &error) {
  auto [kinds, pattern] = text.split(':');
  filter = RemarkFilter();
  if (!pattern.empty() && !llvm::Regex(pattern).isValid(error)) {
    error = "expected a regular expression after ':', found '" + pattern.str() + "': " + error;
    return false;
  }
  filter.passPattern = pattern.str();
  SmallVector<StringRef> names;
  kinds.split(names, ',');
  for (StringRef name : names) {
    bool isAll = name == "all";
    if (!isAll && name != "none" && name != "passed" && name != "missed" && name != "failed" && name != "analysis") {
      error = "unknown kind of remark '" + name.str() + "': expected all, none, passed, missed, failed or analysis";
      return false;
    }
    filter.passed |= isAll || name == "passed";
    filter.missed |= isAll || name == "missed";
    filter.failed |= isAll || name == "failed";
    filter.analysis |= isAll || name == "analysis";
  }
  return true;
}

void tilewright::printRemarks(const std::vector<RemarkRecord> &records, const RemarkFilter &filter,
                              llvm::raw_ostream &stream) {
  for (const RemarkRecord &record : records) {
    if (!filter.accepts(record))
      continue;
    if (record.line > 0)
      stream << record.file << ':' << record.line << ':' << record.column << ": ";
    stream << "remark: [" << record.kind << "] " << record.pass << ": " << record.message << '\n';
  }
}
