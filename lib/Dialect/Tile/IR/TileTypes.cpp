// SPDX-License-Identifier: Apache-2.0
#include "tilewright/Dialect/Tile/IR/Tile.h"

#include "mlir/IR/DialectImplementation.h"

using namespace mlir;
using namespace tilewright::tile;

static bool isNumber(Type type) {
  if (auto integer = dyn_cast<IntegerType>(type))
    return integer.isSignless() && llvm::is_contained({1u, 4u, 8u, 16u, 32u, 64u}, integer.getWidth());
  return isa<Float16Type, BFloat16Type, FloatTF32Type, Float32Type, Float64Type, Float8E4M3FNType, Float8E5M2Type,
             Float8E8M0FNUType, Float6E2M3FNType, Float6E3M2FNType, Float4E2M1FNType>(type);
}

bool tilewright::tile::isElementType(Type type) { return isNumber(type) || isa<PtrType>(type); }

bool tilewright::tile::isTileType(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || tensor.getRank() == 0 || !isElementType(tensor.getElementType()))
    return false;
  // The product must stay far from overflow, or every size computed from a tile could wrap.
  int64_t count = 1;
  for (int64_t extent : tensor.getShape()) {
    if (extent < 1 || extent > (int64_t(1) << 31) || count > (int64_t(1) << 40) / extent)
      return false;
    count *= extent;
  }
  return true;
}

bool tilewright::tile::isPermutationOf(ArrayRef<int64_t> order, int64_t rank) {
  SmallVector<bool> seen(rank, false);
  for (int64_t dim : order) {
    if (dim < 0 || dim >= rank || seen[dim])
      return false;
    seen[dim] = true;
  }
  return static_cast<int64_t>(order.size()) == rank;
}

LogicalResult PtrType::verify(function_ref<InFlightDiagnostic()> emitError, Type pointee) {
  if (!isNumber(pointee))
    return emitError() << "expected a pointer to an element type, found " << pointee;
  return success();
}

static ParseResult parseExtent(AsmParser &parser, int64_t &extent) {
  if (succeeded(parser.parseOptionalQuestion())) {
    extent = ShapedType::kDynamic;
    return success();
  }
  SMLoc loc = parser.getCurrentLocation();
  if (failed(parser.parseInteger(extent)))
    return failure();
  // The number that stands for `?` must not slip in as a number.
  if (ShapedType::isDynamic(extent))
    return parser.emitError(loc) << "expected a stride above the least 64-bit number";
  return success();
}

Type ViewType::parse(AsmParser &parser) {
  SmallVector<int64_t> shape, strides;
  Type element;
  SMLoc loc = parser.getCurrentLocation();
  if (failed(parser.parseLess()) || failed(parser.parseDimensionList(shape)) || failed(parser.parseType(element)) ||
      failed(parser.parseComma()) || failed(parser.parseKeyword("strides")) || failed(parser.parseEqual()) ||
      failed(parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                            [&] {
                                              strides.push_back(0);
                                              return parseExtent(parser, strides.back());
                                            })) ||
      failed(parser.parseGreater()))
    return {};
  return getChecked([&] { return parser.emitError(loc); }, parser.getContext(), ArrayRef<int64_t>(shape), element,
                    ArrayRef<int64_t>(strides));
}

void ViewType::print(AsmPrinter &printer) const {
  printer << '<';
  printer.printDimensionList(getShape());
  printer << 'x' << getElementType() << ", strides = [";
  llvm::interleaveComma(getStrides(), printer, [&](int64_t stride) {
    if (ShapedType::isDynamic(stride))
      printer << '?';
    else
      printer << stride;
  });
  printer << "]>";
}

LogicalResult ViewType::verify(function_ref<InFlightDiagnostic()> emitError, ArrayRef<int64_t> shape, Type element,
                               ArrayRef<int64_t> strides) {
  if (shape.empty() || shape.size() > kMaxViewRank)
    return emitError() << "expected a view of rank 1 to " << kMaxViewRank << ", found rank " << shape.size();
  if (strides.size() != shape.size())
    return emitError() << "expected " << shape.size() << " strides, one per size, found " << strides.size();
  if (!isNumber(element))
    return emitError() << "expected a view of numbers, found elements of " << element;
  for (int64_t size : shape)
    if (size < 0 && !ShapedType::isDynamic(size))
      return emitError() << "expected sizes of 0 or more, found " << size;
  return success();
}

int64_t ViewType::getNumDynamicSizes() const { return llvm::count_if(getShape(), ShapedType::isDynamic); }
int64_t ViewType::getNumDynamicStrides() const { return llvm::count_if(getStrides(), ShapedType::isDynamic); }
