// SPDX-License-Identifier: Apache-2.0
// Pictures of the layouts of a program: which are there, where they are used, and what each file is called.
#include "Internal.h"
#include "tilewright/Conversion/TileToTileGPU/LayoutMoves.h"
#include "tilewright/Layout/Draw.h"
#include "tilewright/Support/Counted.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

#include <map>

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile_gpu;

/// Places of use that a picture itself names; the index names all.
static constexpr size_t kNamedUses = 3;

namespace {
/// A value whose layout is drawn.
struct Use {
  std::string variant, location, what;
};

/// One picture: a layout, or a buffer with its writers and readers.
struct Entry {
  std::string fileName, title;
  SmallVector<Use> uses;
  LayoutAttr layout;              ///< null for a buffer
  std::optional<LayoutMove> move; ///< a buffer
};

/// The pictures of one kernel, all variants: a layout is drawn for the first variant that has it.
struct KernelEntries {
  std::string kernel;
  std::vector<Entry> entries;
  /// By layout or buffer type, and by what else tells buffers apart.
  std::map<std::pair<const void *, std::string>, size_t> numberOf;
};
} // namespace

/// Letters, digits and a few signs stay: a file name for every system.
static std::string fileNamePart(StringRef text) {
  std::string part;
  for (char c : text)
    part += llvm::isAlnum(c) || c == '_' || c == '-' ? c : '_';
  return part;
}

static std::string escapeHtml(StringRef text) {
  std::string escaped;
  llvm::raw_string_ostream stream(escaped);
  llvm::printHTMLEscaped(llvm::json::fixUTF8(text), stream);
  // What is left are control characters, which no page may contain.
  for (char &c : escaped)
    if (static_cast<unsigned char>(c) < 0x20)
      c = '?';
  return escaped;
}

static std::string typeStr(RankedTensorType type) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  for (int64_t extent : type.getShape())
    stream << extent << 'x';
  stream << type.getElementType();
  return text;
}

static std::string useStr(const Use &use) { return use.what + (use.location.empty() ? "" : " at " + use.location); }

static std::string numberStr(double number) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%.4g", number);
  return text;
}

namespace {
class PictureCollector {
public:
  void add(func::FuncOp func) {
    std::string kernel = driver::kernelOf(func), variant = func.getSymName().str();
    auto known = llvm::find_if(kernels, [&](const KernelEntries &k) { return k.kernel == kernel; });
    if (known == kernels.end())
      known = kernels.insert(kernels.end(), KernelEntries{kernel, {}, {}});
    llvm::DenseMap<Operation *, LayoutMove> moves;
    for (LayoutMove &move : collectLayoutMoves(func))
      moves.insert({move.op, move});
    func.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (auto alloc = dyn_cast<LocalAllocOp>(op))
        addBuffer(*known, variant, moves.at(op));
      for (Value result : op->getResults())
        addTile(*known, variant, op, result);
      for (Region &region : op->getRegions())
        for (Block &block : region)
          for (BlockArgument argument : block.getArguments())
            addTile(*known, variant, op, argument);
    });
  }

  std::vector<LayoutPicture> draw() const {
    std::vector<LayoutPicture> pictures;
    for (const KernelEntries &kernel : kernels)
      for (const Entry &entry : kernel.entries)
        pictures.push_back({entry.fileName, drawEntry(entry)});
    pictures.push_back({"index.html", makeIndex()});
    return pictures;
  }

private:
  Entry &entryOf(KernelEntries &kernel, const std::string &variant, std::pair<const void *, std::string> key,
                 StringRef shortName) {
    auto [found, isNew] = kernel.numberOf.insert({std::move(key), kernel.entries.size()});
    if (isNew) {
      // Two symbols may make one prefix; they share one count then, so that no file is written twice.
      std::string prefix = fileNamePart(variant);
      unsigned number = ++numbers[prefix];
      Entry &entry = kernel.entries.emplace_back();
      entry.fileName = prefix + llvm::formatv(".{0,0+2}-", number).str() + fileNamePart(shortName) + ".svg";
      entry.title = variant + " " + std::to_string(number);
    }
    return kernel.entries[found->second];
  }

  void addTile(KernelEntries &kernel, const std::string &variant, Operation *op, Value value) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    auto layout = type ? dyn_cast_or_null<LayoutAttr>(type.getEncoding()) : LayoutAttr();
    if (!layout)
      return;
    Entry &entry = entryOf(kernel, variant, {layout.getAsOpaquePointer(), ""}, op->getName().stripDialect());
    entry.layout = layout;
    addUse(entry,
           {variant, driver::describePlace(value.getLoc()),
            op->getName().getStringRef().str() + (isa<BlockArgument>(value) ? ", inside: " : ": ") + typeStr(type)});
  }

  void addBuffer(KernelEntries &kernel, const std::string &variant, const LayoutMove &move) {
    std::string facts;
    llvm::raw_string_ostream(facts) << move.writes.vector << ' ' << move.writes.conflicts << ' ' << move.reads.vector
                                    << ' ' << move.reads.conflicts << ' ' << move.reason;
    Entry &entry = entryOf(kernel, variant, {move.op->getResult(0).getType().getAsOpaquePointer(), facts}, "buffer");
    if (!entry.move)
      entry.move = move;
    addUse(entry, {variant, driver::describePlace(move.op->getLoc()), "buffer: " + move.tileStr()});
  }

  static void addUse(Entry &entry, Use use) {
    for (const Use &other : entry.uses)
      if (std::tie(other.variant, other.location, other.what) == std::tie(use.variant, use.location, use.what))
        return;
    entry.uses.push_back(std::move(use));
  }

  static std::string drawEntry(const Entry &entry) {
    std::vector<std::string> notes;
    SmallVector<std::string> shown;
    for (const Use &use : entry.uses)
      if (std::string text = useStr(use); !llvm::is_contained(shown, text))
        shown.push_back(text);
    for (const std::string &text : ArrayRef<std::string>(shown).take_front(kNamedUses))
      notes.push_back(llvm::json::fixUTF8(text));
    if (shown.size() > kNamedUses)
      notes.push_back("and " + std::to_string(shown.size() - kNamedUses) + " more, see index.html");
    std::string title = llvm::json::fixUTF8(entry.title);
    if (entry.layout) {
      layout::DistributedLayout layout = entry.layout.toLayout();
      return layout::drawLayout(layout, title + ": layout of a " + shapeStr(layout.shape()) + " tile", notes);
    }
    auto buffer = cast<MemDescType>(entry.move->op->getResult(0).getType());
    auto side = [&](const char *name, const layout::SharedAccessCost &cost) {
      notes.push_back(llvm::formatv("{0}: {1} of {2} a thread, {3} bank conflicts in an average one", name,
                                    counted(cost.accesses, "access", "accesses"),
                                    counted(cost.vector * buffer.getElementBytes(), "byte"), numberStr(cost.conflicts))
                          .str());
    };
    if (!entry.move->reason.empty())
      notes.push_back("why: " + entry.move->reason);
    side("written by", entry.move->writes);
    side(entry.move->readsMatrices ? "read by ldmatrix" : "read by", entry.move->reads);
    return layout::drawShared(buffer.getLayout().toLayout(), buffer.getElementBytes(),
                              title + ": buffer of a " + entry.move->tileStr() + " tile", notes);
  }

  static std::string shapeStr(const std::vector<int64_t> &shape) {
    std::string text;
    for (int64_t extent : shape)
      text += (text.empty() ? "" : "x") + std::to_string(extent);
    return text;
  }

  std::string makeIndex() const {
    std::string text;
    llvm::raw_string_ostream stream(text);
    stream << "<!DOCTYPE html>\n<html>\n<head><meta charset=\"utf-8\"/><title>Layouts</title></head>\n<body>\n";
    for (const KernelEntries &kernel : kernels) {
      stream << "<h1>" << escapeHtml(kernel.kernel) << "</h1>\n<table>\n<tr><th>picture</th><th>used by</th></tr>\n";
      for (const Entry &entry : kernel.entries) {
        stream << "<tr><td><a href=\"" << entry.fileName << "\">" << entry.fileName << "</a></td><td>";
        // One line per use, with the variants that have it.
        llvm::MapVector<StringRef, SmallVector<StringRef>> lines;
        std::vector<std::string> texts;
        texts.reserve(entry.uses.size());
        for (const Use &use : entry.uses) {
          texts.push_back(useStr(use));
          lines[texts.back()].push_back(use.variant);
        }
        llvm::interleave(
            lines, stream,
            [&](const auto &line) {
              stream << escapeHtml(line.first) << " (" << escapeHtml(llvm::join(line.second, ", ")) << ")";
            },
            "<br/>\n");
        stream << "</td></tr>\n";
      }
      stream << "</table>\n";
    }
    stream << "</body>\n</html>\n";
    return text;
  }

  std::vector<KernelEntries> kernels;
  std::map<std::string, unsigned> numbers;
};
} // namespace

FailureOr<std::vector<LayoutPicture>> tilewright::drawLayouts(ModuleOp source, const CompileOptions &options,
                                                              PhaseTimes *times) {
  FailureOr<OwningOpRef<ModuleOp>> lowered = lowerModule(source, EmitLevel::Gpu, options, times);
  if (failed(lowered))
    return failure();
  PictureCollector collector;
  for (auto func : (*lowered)->getOps<func::FuncOp>())
    if (func->hasAttr("tile.kernel"))
      collector.add(func);
  return collector.draw();
}
