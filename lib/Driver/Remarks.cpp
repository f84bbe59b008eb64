// SPDX-License-Identifier: Apache-2.0
#include "tilewright/Driver/Remarks.h"

#include "mlir/IR/Location.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/Regex.h"

#include <map>
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
  // Plain text and reasons stand alone; everything else is "key: value".
  for (const remark::detail::Remark::Arg &arg : remark.getArgs()) {
    if (!record.message.empty())
      record.message += "; ";
    if (arg.key != "Remark" && arg.key != "Reason")
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
    record.sequence = shared->records.size();
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

/// The passes of `records` in the order of the pipeline, as far as the records show it: in those of one function they
/// follow one another. A pass that only some functions met stands in front of the one that follows it there.
static llvm::StringMap<size_t> rankPasses(const std::vector<RemarkRecord> &records) {
  std::map<std::string, std::map<size_t, StringRef>> functions; // By what came first.
  for (const RemarkRecord &record : records)
    functions[record.function][record.sequence] = record.pass;
  std::vector<StringRef> passes;
  auto isKnown = [&](StringRef pass) { return llvm::is_contained(passes, pass); };
  for (const auto &[function, sequence] : functions) {
    std::vector<StringRef> own;
    for (const auto &entry : sequence)
      if (!llvm::is_contained(own, entry.second))
        own.push_back(entry.second);
    for (size_t i = 0; i < own.size(); ++i) {
      if (isKnown(own[i]))
        continue;
      auto next = std::find_if(own.begin() + i, own.end(), isKnown);
      passes.insert(next == own.end() ? passes.end() : llvm::find(passes, *next), own[i]);
    }
  }
  llvm::StringMap<size_t> ranks;
  for (size_t rank = 0; rank < passes.size(); ++rank)
    ranks[passes[rank]] = rank;
  return ranks;
}

std::vector<RemarkStory> tilewright::tellStory(const std::vector<RemarkRecord> &records, const RemarkFilter &filter) {
  llvm::StringMap<size_t> ranks = rankPasses(records);
  auto place = [](const RemarkRecord &r) { return std::tie(r.file, r.line, r.column); };
  std::vector<size_t> order(records.size());
  std::iota(order.begin(), order.end(), size_t(0));
  llvm::sort(order, [&](size_t a, size_t b) {
    const RemarkRecord &x = records[a], &y = records[b];
    return std::tuple(place(x), ranks[x.pass], a) < std::tuple(place(y), ranks[y.pass], b);
  });
  std::vector<RemarkStory> stories;
  size_t first = 0; // Of this place.
  llvm::SmallSetVector<StringRef, 8> present;
  auto finishPlace = [&] {
    for (size_t i = first; i < stories.size(); ++i)
      if (stories[i].functions.size() == present.size())
        stories[i].functions.clear();
    first = stories.size();
    present.clear();
  };
  for (size_t i = 0; i < order.size(); ++i) {
    const RemarkRecord &record = records[order[i]];
    if (i > 0 && place(records[order[i - 1]]) != place(record))
      finishPlace();
    present.insert(record.function);
    if (!filter.accepts(record))
      continue;
    auto same = std::find_if(stories.begin() + first, stories.end(), [&](const RemarkStory &story) {
      return std::tie(story.record.kind, story.record.pass, story.record.message) ==
             std::tie(record.kind, record.pass, record.message);
    });
    if (same == stories.end())
      same = stories.insert(stories.end(), {record, {}});
    if (!llvm::is_contained(same->functions, record.function))
      same->functions.push_back(record.function);
  }
  finishPlace();
  return stories;
}

void tilewright::printRemarks(const std::vector<RemarkRecord> &records, const RemarkFilter &filter,
                              llvm::raw_ostream &stream, const llvm::MemoryBuffer *source) {
  SmallVector<StringRef> lines;
  if (source)
    source->getBuffer().split(lines, '\n');
  int64_t shown = 0;
  for (const RemarkStory &story : tellStory(records, filter)) {
    const RemarkRecord &record = story.record;
    if (record.line > 0) {
      bool isInSource = source && record.file == source->getBufferIdentifier() && record.line <= int64_t(lines.size());
      if (isInSource && record.line != shown) {
        stream << llvm::format("%5lld | ", static_cast<long long>(record.line)) << lines[record.line - 1].rtrim() << '\n';
        shown = record.line;
      }
      stream << record.file << ':' << record.line << ':' << record.column << ": ";
    }
    stream << "remark: [" << record.kind << "] " << record.pass << ": " << record.message;
    if (!story.functions.empty())
      stream << " (in " << llvm::join(story.functions, ", ") << ')';
    stream << '\n';
  }
}
