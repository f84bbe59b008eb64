// SPDX-License-Identifier: Apache-2.0
// The attributes that the dialect puts on functions, arguments and loops. Each has one meaning, and a name that is not
// known is an error: a misspelt hint must not be a silent one. These checks run before the op that carries the
// attribute has been verified, so they look at nothing of the op that could be missing.
#include "tilewright/Dialect/Tile/IR/DotRecord.h"
#include "tilewright/Dialect/Tile/IR/Tile.h"
#include "tilewright/Dialect/Tile/IR/UnrollLimit.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace tilewright::tile;

/// Most warps of a CTA. Source: CUDA Programming Guide, compute capabilities (1024 threads).
static constexpr int64_t kMaxWarps = 32;
/// Most stages of a pipeline, CTAs per SM, and cycles of a hint; more is a mistake.
static constexpr int64_t kMaxSmallHint = 64;
/// Most rows of tiles that are walked together; more is a mistake.
static constexpr int64_t kMaxGridGroup = 1 << 16;
/// Most parts of a store; more are narrower than any tile has columns for.
static constexpr int64_t kMaxEpilogueParts = 16;

namespace {
/// Where an attribute may stand.
enum class Place { Function, Kernel, Loop, LoopOrKernel, LoopOrLaunch, StoreOrKernel, Dot, Block, Anywhere };
/// What an attribute holds.
enum class Content { Unit, Bool, Symbol, Texts, Count, CountOrFull, DotFamily, DotChoice };
/// One known attribute of operations.
struct Rule {
  Place place;
  Content content;
  int64_t most = 0;
};
} // namespace

static std::optional<Rule> ruleOf(StringRef name) {
  return llvm::StringSwitch<std::optional<Rule>>(name)
      .Case("tile.kernel", Rule{Place::Function, Content::Unit})
      .Cases({"tile.grid", "tile.guard", "tile.requires", "tile.variant_of"}, Rule{Place::Kernel, Content::Symbol})
      .Case("tile.messages", Rule{Place::Function, Content::Texts})
      .Case("tile.num_warps", Rule{Place::Kernel, Content::Count, kMaxWarps})
      .Case("tile.occupancy", Rule{Place::Kernel, Content::Count, kMaxSmallHint})
      .Case("tile.grid_group", Rule{Place::Kernel, Content::Count, kMaxGridGroup})
      .Case("tile.epilogue_parts", Rule{Place::StoreOrKernel, Content::Count, kMaxEpilogueParts})
      .Case("tile.persistent", Rule{Place::Kernel, Content::Bool})
      .Case("tile.num_stages", Rule{Place::LoopOrKernel, Content::Count, kMaxSmallHint})
      .Case("tile.latency", Rule{Place::Anywhere, Content::Count, kMaxSmallHint})
      .Case("tile.unroll", Rule{Place::Loop, Content::CountOrFull, kMaxUnroll})
      .Cases({"tile.flatten", "tile.specialize"}, Rule{Place::Loop, Content::Unit})
      .Case("tile.independent", Rule{Place::LoopOrLaunch, Content::Unit})
      .Case(kMmaAttr, Rule{Place::Dot, Content::DotFamily})
      .Case(kDotChoiceAttr, Rule{Place::Dot, Content::DotChoice})
      .Case("tile.tma", Rule{Place::Block, Content::Unit})
      .Case("tile.ftz", Rule{Place::Anywhere, Content::Unit})
      .Default(std::nullopt);
}

/// The value of a signless integer attribute that 64 bits hold.
static std::optional<int64_t> integerOf(Attribute attr) {
  auto value = dyn_cast<IntegerAttr>(attr);
  if (!value || !value.getType().isSignlessIntOrIndex() || !value.getValue().isSignedIntN(64))
    return std::nullopt;
  return value.getValue().getSExtValue();
}

LogicalResult TileDialect::verifyOperationAttribute(Operation *op, NamedAttribute attr) {
  StringRef name = attr.getName();
  std::optional<Rule> rule = ruleOf(name);
  if (!rule)
    return emitError(op->getLoc()) << "does not know the attribute " << name;

  bool isFunction = isa<func::FuncOp>(op), isKernel = isFunction && op->hasAttr("tile.kernel");
  bool isLoop = isa<LoopLikeOpInterface>(op);
  auto expectPlace = [&](bool holds, StringRef where) -> LogicalResult {
    if (holds)
      return success();
    return emitError(op->getLoc()) << "expected " << name << " on " << where << " only";
  };
  switch (rule->place) {
  case Place::Function:
    if (failed(expectPlace(isFunction, "a func.func")))
      return failure();
    break;
  case Place::Kernel:
    if (failed(expectPlace(isKernel, "a function with tile.kernel")))
      return failure();
    break;
  case Place::Loop:
    if (failed(expectPlace(isLoop, "a loop")))
      return failure();
    break;
  case Place::LoopOrLaunch:
    if (failed(expectPlace(isLoop || isa<LaunchOp>(op), "a loop or tile.launch")))
      return failure();
    break;
  case Place::LoopOrKernel:
    if (failed(expectPlace(isLoop || isKernel, "a loop or a function with tile.kernel")))
      return failure();
    break;
  case Place::StoreOrKernel:
    if (failed(expectPlace(isa<StoreOp>(op) || isKernel, "tile.store or a function with tile.kernel")))
      return failure();
    break;
  case Place::Dot:
    if (failed(expectPlace(isa<DotOp>(op), "tile.dot")))
      return failure();
    break;
  case Place::Block:
    if (failed(expectPlace(isa<LoadOp, StoreOp>(op), "tile.load or tile.store")))
      return failure();
    break;
  case Place::Anywhere:
    break;
  }

  auto complain = [&]() -> InFlightDiagnostic { return emitError(op->getLoc()) << "expected " << name << " to be "; };
  std::optional<int64_t> count = integerOf(attr.getValue());
  bool isCount = count && *count >= 1 && *count <= rule->most;
  switch (rule->content) {
  case Content::Unit:
    if (!isa<UnitAttr>(attr.getValue()))
      return complain() << "a unit attribute, found " << attr.getValue();
    return success();
  case Content::Bool:
    if (!isa<BoolAttr>(attr.getValue()))
      return complain() << "true or false, found " << attr.getValue();
    return success();
  case Content::Symbol:
    if (!isa<FlatSymbolRefAttr>(attr.getValue()))
      return complain() << "the name of a function, found " << attr.getValue();
    return success();
  case Content::Texts: {
    auto list = dyn_cast<ArrayAttr>(attr.getValue());
    auto isText = [](Attribute text) { return isa<StringAttr>(text) && !cast<StringAttr>(text).getValue().empty(); };
    if (!list || !llvm::all_of(list, isText))
      return complain() << "a list of texts, found " << attr.getValue();
    return success();
  }
  case Content::Count:
    if (!isCount)
      return complain() << "an integer of 1 to " << rule->most << ", found " << attr.getValue();
    return success();
  case Content::DotFamily: {
    auto text = dyn_cast<StringAttr>(attr.getValue());
    if (!text || !tilewright::parseMmaFamily(text.getValue()))
      return complain() << "one of " << tilewright::quotedMmaFamilies() << ", found " << attr.getValue();
    return success();
  }
  case Content::DotChoice: {
    std::string rule;
    if (!parseDotRecord(attr.getValue(), &rule))
      return complain() << rule << ", found " << attr.getValue();
    return success();
  }
  case Content::CountOrFull: {
    auto text = dyn_cast<StringAttr>(attr.getValue());
    if (!isCount && !(text && text.getValue() == "full"))
      return complain() << "\"full\" or an integer of 1 to " << rule->most << ", found " << attr.getValue();
    return success();
  }
  }
  return success();
}

LogicalResult TileDialect::verifyRegionArgAttribute(Operation *op, unsigned, unsigned argIndex, NamedAttribute attr) {
  StringRef name = attr.getName();
  auto func = dyn_cast<FunctionOpInterface>(op);
  if (!func)
    return emitError(op->getLoc()) << "expected " << name << " on arguments of functions only";
  Type type = func.getArgumentTypes()[argIndex];
  auto view = dyn_cast<ViewType>(type);
  bool isInteger = type.isSignlessIntOrIndex();
  auto complain = [&]() -> InFlightDiagnostic {
    return emitError(op->getLoc()) << "expected " << name << " of argument " << argIndex << " ";
  };
  if (name == "tile.name") {
    auto text = dyn_cast<StringAttr>(attr.getValue());
    if (!text || text.getValue().empty())
      return complain() << "to be a name, found " << attr.getValue();
    return success();
  }
  if (name == "tile.noalias") {
    if (!isa<UnitAttr>(attr.getValue()) || !isa<PtrType, ViewType>(type))
      return complain() << "to be a unit attribute on a pointer or view, found " << attr.getValue() << " on " << type;
    return success();
  }
  if (name == "tile.div_by") {
    std::optional<int64_t> value = integerOf(attr.getValue());
    if (!value || *value < 1)
      return complain() << "to be an integer of 1 or more, found " << attr.getValue();
    if (!isInteger && !isa<PtrType, ViewType>(type))
      return complain() << "on an integer, a pointer or a view, found " << type;
    return success();
  }
  if (name == "tile.min" || name == "tile.max") {
    std::optional<int64_t> value = integerOf(attr.getValue());
    if (!isInteger)
      return complain() << "on an integer, found " << type;
    unsigned width = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
    if (!value || (width < 64 && !llvm::isIntN(width, *value)))
      return complain() << "to be an integer that " << type << " holds, found " << attr.getValue();
    std::optional<int64_t> max;
    if (Attribute other = func.getArgAttr(argIndex, "tile.max"))
      max = integerOf(other);
    if (name == "tile.min" && max && *value > *max)
      return complain() << "to be at most tile.max (" << *max << "), found " << *value;
    return success();
  }
  if (name == "tile.sizes_div_by" || name == "tile.strides_div_by") {
    auto list = dyn_cast<DenseI64ArrayAttr>(attr.getValue());
    if (!view)
      return complain() << "on a view, found " << type;
    if (!list || list.size() != view.getRank() ||
        llvm::any_of(list.asArrayRef(), [](int64_t factor) { return factor < 1; }))
      return complain() << "to be array<i64> of " << view.getRank() << " factors of 1 or more, one per view dim, found "
                        << attr.getValue();
    return success();
  }
  return emitError(op->getLoc()) << "does not know the argument attribute " << name;
}

LogicalResult TileDialect::verifyRegionResultAttribute(Operation *op, unsigned, unsigned, NamedAttribute attr) {
  return emitError(op->getLoc()) << "does not know the result attribute " << attr.getName().getValue();
}
