// SPDX-License-Identifier: Apache-2.0
#include "tilewright/Dialect/TileGPU/IR/TileGPU.h"

#include "mlir/IR/DialectImplementation.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile_gpu;

//===- Lists in text ---------------------------------------------------------------------------------------------===//

static ParseResult parseInts(AsmParser &parser, SmallVectorImpl<int64_t> &values) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
    int64_t value = 0;
    if (failed(parser.parseInteger(value)))
      return failure();
    values.push_back(value);
    return success();
  });
}

/// Parses `[[a, b], [c, d]]`, each inner list `width` long, into one flat list.
static ParseResult parseRows(AsmParser &parser, size_t width, SmallVectorImpl<int64_t> &values) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&]() -> ParseResult {
    SmallVector<int64_t> row;
    SMLoc loc = parser.getCurrentLocation();
    if (failed(parseInts(parser, row)))
      return failure();
    if (row.size() != width)
      return parser.emitError(loc) << "expected " << width << " numbers, found " << row.size();
    values.append(row.begin(), row.end());
    return success();
  });
}

static void printInts(AsmPrinter &printer, ArrayRef<int64_t> values) {
  printer << '[';
  llvm::interleaveComma(values, printer);
  printer << ']';
}

static void printRows(AsmPrinter &printer, size_t width, ArrayRef<int64_t> values) {
  printer << '[';
  for (size_t i = 0; i < values.size(); i += width) {
    if (i)
      printer << ", ";
    printInts(printer, values.slice(i, width));
  }
  printer << ']';
}

//===- #tile_gpu.layout ------------------------------------------------------------------------------------------===//

Attribute LayoutAttr::parse(AsmParser &parser, Type) {
  SmallVector<int64_t> shape, reg, lane, warp, block, digits;
  SMLoc loc = parser.getCurrentLocation();
  if (failed(parser.parseLess()) || failed(parseInts(parser, shape)))
    return {};
  while (succeeded(parser.parseOptionalComma())) {
    StringRef key;
    SMLoc keyLoc = parser.getCurrentLocation();
    if (failed(parser.parseKeyword(&key)) || failed(parser.parseEqual()))
      return {};
    SmallVectorImpl<int64_t> *list = llvm::StringSwitch<SmallVectorImpl<int64_t> *>(key)
                                         .Case("register", &reg)
                                         .Case("lane", &lane)
                                         .Case("warp", &warp)
                                         .Case("block", &block)
                                         .Case("digits", &digits)
                                         .Default(nullptr);
    if (!list || !list->empty()) {
      parser.emitError(keyLoc) << "expected each of register, lane, warp, block, digits at most once, found '" << key
                               << "'";
      return {};
    }
    if (failed(parseRows(parser, key == "digits" ? 4 : shape.size(), *list)))
      return {};
  }
  if (failed(parser.parseGreater()))
    return {};
  auto list = [](const SmallVectorImpl<int64_t> &values) { return ArrayRef<int64_t>(values); };
  return getChecked([&] { return parser.emitError(loc); }, parser.getContext(), list(shape), list(reg), list(lane),
                    list(warp), list(block), list(digits));
}

void LayoutAttr::print(AsmPrinter &printer) const {
  printer << '<';
  printInts(printer, getShape());
  auto list = [&](StringRef key, ArrayRef<int64_t> values, size_t width) {
    if (values.empty())
      return;
    printer << ", " << key << " = ";
    printRows(printer, width, values);
  };
  size_t rank = getShape().size();
  list("register", getRegisterBases(), rank);
  list("lane", getLaneBases(), rank);
  list("warp", getWarpBases(), rank);
  list("block", getBlockBases(), rank);
  list("digits", getDigits(), 4);
  printer << '>';
}

static layout::Bases toBases(ArrayRef<int64_t> flat, size_t rank) {
  layout::Bases bases;
  for (size_t i = 0; rank && i < flat.size(); i += rank)
    bases.emplace_back(flat.begin() + i, flat.begin() + i + rank);
  return bases;
}

static std::optional<layout::DistributedLayout> build(ArrayRef<int64_t> shape, ArrayRef<int64_t> reg,
                                                      ArrayRef<int64_t> lane, ArrayRef<int64_t> warp,
                                                      ArrayRef<int64_t> block, ArrayRef<int64_t> digits,
                                                      std::string &error) {
  std::vector<layout::OuterDigit> outer;
  for (size_t i = 0; i + 3 < digits.size(); i += 4) {
    if (digits[i] < 0 || digits[i] >= static_cast<int64_t>(shape.size()) || digits[i + 3] < 0 || digits[i + 3] > 2) {
      error = "a digit names dimension " + std::to_string(digits[i]) + " and place " + std::to_string(digits[i + 3]);
      return std::nullopt;
    }
    outer.push_back({static_cast<unsigned>(digits[i]), digits[i + 1], digits[i + 2],
                     static_cast<layout::OuterDigit::Place>(digits[i + 3])});
  }
  size_t rank = shape.size();
  return layout::DistributedLayout::create(shape.vec(), toBases(reg, rank), toBases(lane, rank), toBases(warp, rank),
                                           toBases(block, rank), outer, &error);
}

LogicalResult LayoutAttr::verify(function_ref<InFlightDiagnostic()> emitError, ArrayRef<int64_t> shape,
                                 ArrayRef<int64_t> reg, ArrayRef<int64_t> lane, ArrayRef<int64_t> warp,
                                 ArrayRef<int64_t> block, ArrayRef<int64_t> digits) {
  size_t rank = shape.size();
  if (rank == 0)
    return emitError() << "expected a layout of rank 1 or more";
  for (ArrayRef<int64_t> list : {reg, lane, warp, block})
    if (list.size() % rank != 0)
      return emitError() << "expected coordinate vectors of length " << rank;
  std::string error;
  if (!build(shape, reg, lane, warp, block, digits, error))
    return emitError() << "not a layout: " << error;
  return success();
}

layout::DistributedLayout LayoutAttr::toLayout() const {
  std::string error;
  return *build(getShape(), getRegisterBases(), getLaneBases(), getWarpBases(), getBlockBases(), getDigits(), error);
}

LayoutAttr LayoutAttr::get(MLIRContext *context, const layout::DistributedLayout &layout) {
  auto flatten = [](const layout::Bases &bases) {
    SmallVector<int64_t> flat;
    for (const layout::Coord &basis : bases)
      flat.append(basis.begin(), basis.end());
    return flat;
  };
  SmallVector<int64_t> digits;
  for (const layout::OuterDigit &digit : layout.digits())
    digits.append({static_cast<int64_t>(digit.dim), digit.radix, digit.stride, static_cast<int64_t>(digit.place)});
  SmallVector<int64_t> reg = flatten(layout.registerBases()), lane = flatten(layout.laneBases()),
                       warp = flatten(layout.warpBases()), block = flatten(layout.blockBases());
  return get(context, ArrayRef<int64_t>(layout.shape()), ArrayRef<int64_t>(reg), ArrayRef<int64_t>(lane),
                   ArrayRef<int64_t>(warp), ArrayRef<int64_t>(block), ArrayRef<int64_t>(digits));
}

//===- #tile_gpu.shared ------------------------------------------------------------------------------------------===//

static std::optional<layout::SharedLayout> buildShared(ArrayRef<int64_t> allocated, ArrayRef<unsigned> order,
                                                       int64_t vec, int64_t perPhase, int64_t maxPhase,
                                                       int64_t padInterval, int64_t padAmount, std::string &error) {
  layout::Padding padding;
  if (padAmount != 0)
    padding = {padInterval, padAmount};
  return layout::SharedLayout::create(allocated.vec(), allocated.vec(), order.vec(), {vec, perPhase, maxPhase},
                                      std::nullopt, padding, &error);
}

LogicalResult SharedAttr::verify(function_ref<InFlightDiagnostic()> emitError, ArrayRef<int64_t> allocated,
                                 ArrayRef<unsigned> order, int64_t vec, int64_t perPhase, int64_t maxPhase,
                                 int64_t padInterval, int64_t padAmount) {
  std::string error;
  if (!buildShared(allocated, order, vec, perPhase, maxPhase, padInterval, padAmount, error))
    return emitError() << "not a shared layout: " << error;
  return success();
}

layout::SharedLayout SharedAttr::toLayout() const {
  std::string error;
  return *buildShared(getAllocatedShape(), getOrder(), getVec(), getPerPhase(), getMaxPhase(), getPadInterval(),
                      getPadAmount(), error);
}

SharedAttr SharedAttr::get(MLIRContext *context, const layout::SharedLayout &layout) {
  assert(!layout.matrix() && "a general matrix has no attribute form yet");
  const layout::Padding &padding = layout.padding();
  return get(context, ArrayRef<int64_t>(layout.allocatedShape()), ArrayRef<unsigned>(layout.order()),
                   layout.swizzle().vec, layout.swizzle().perPhase,
                   layout.swizzle().maxPhase, padding.isNone() ? 0 : padding.interval,
                   padding.isNone() ? 0 : padding.amount);
}
