// SPDX-License-Identifier: Apache-2.0
#include "TileAccess.h"
#include "TilePads.h"
#include "tilewright/Dialect/Tile/IR/Tile.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace tilewright::tile;

using Effects = SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>;

ParseResult tilewright::tile::parseFullType(OpAsmParser &parser, Type &type) {
  SMLoc loc = parser.getCurrentLocation();
  if (failed(parser.parseType(type)))
    return failure();
  if (!isa<ViewType>(type))
    return parser.emitError(loc) << "expected a view, found " << type;
  return success();
}
void tilewright::tile::printFullType(OpAsmPrinter &printer, Operation *, Type type) { printer << type; }

//===- Views -----------------------------------------------------------------------------------------------------===//

LogicalResult MakeViewOp::verify() {
  ViewType type = getResult().getType();
  auto expect = [&](size_t found, int64_t wanted, StringRef what) -> LogicalResult {
    if (static_cast<int64_t>(found) != wanted) // make_view_c1
      return emitOpError() << "expects " << wanted << " " << what << ", one per `?` of the type, found " << found;
    return success();
  };
  if (failed(expect(getSizes().size(), type.getNumDynamicSizes(), "sizes")) ||
      failed(expect(getStrides().size(), type.getNumDynamicStrides(), "strides")))
    return failure();
  if (cast<PtrType>(getBase().getType()).getPointee() != type.getElementType()) // make_view_c2
    return emitOpError() << "expects a base that points at " << type.getElementType() << ", found "
                         << getBase().getType();
  return success();
}

LogicalResult PermuteViewOp::verify() {
  ViewType from = getView().getType(), to = getResult().getType();
  if (!isPermutationOf(getOrder(), from.getRank())) // permute_view_c1
    return emitOpError() << "expects a permutation of the " << from.getRank() << " dims, found [" << getOrder() << "]";
  bool fits = from.getRank() == to.getRank() && from.getElementType() == to.getElementType();
  for (auto [i, dim] : llvm::enumerate(getOrder()))
    fits = fits && to.getShape()[i] == from.getShape()[dim] && to.getStrides()[i] == from.getStrides()[dim];
  if (!fits) // permute_view_c2
    return emitOpError() << "expects the permuted type of " << from << ", found " << to;
  return success();
}

template <typename OpTy> static LogicalResult verifyQuery(OpTy op) {
  int64_t dim = op.getDim(), rank = op.getView().getType().getRank();
  if (dim < 0 || dim >= rank) // view_size_c1, view_stride_c1
    return op.emitOpError() << "expects dim to be below the rank " << rank << ", found " << dim;
  return success();
}
LogicalResult ViewSizeOp::verify() { return verifyQuery(*this); }
LogicalResult ViewStrideOp::verify() { return verifyQuery(*this); }

LogicalResult ViewBaseOp::verify() {
  if (cast<PtrType>(getResult().getType()).getPointee() != getView().getType().getElementType()) // view_base_c1
    return emitOpError() << "expects a pointer to " << getView().getType().getElementType() << ", found "
                         << getResult().getType();
  return success();
}

//===- Block access ----------------------------------------------------------------------------------------------===//

LogicalResult tilewright::tile::verifyBlock(Operation *op, ViewType view, RankedTensorType tile, size_t offsets,
                                            std::optional<ArrayRef<int64_t>> dims,
                                            std::optional<ArrayRef<bool>> inBounds) {
  int64_t rank = view.getRank();
  if (static_cast<int64_t>(offsets) != rank) // load_c1, store_c1, reduce_into_c1
    return op->emitOpError() << "expects " << rank << " offsets, one per view dim, found " << offsets;
  if (!dims && tile.getRank() != rank) // load_c2, store_c2, reduce_into_c2
    return op->emitOpError() << "expects a tile of the view's rank " << rank << " where no dims are given, found "
                             << tile;
  if (dims) {
    if (static_cast<int64_t>(dims->size()) != tile.getRank()) // load_c2, store_c2
      return op->emitOpError() << "expects one entry of dims per tile dim, found " << dims->size() << " for " << tile;
    int64_t previous = -1;
    for (int64_t dim : *dims) {
      if (dim <= previous || dim >= rank) // load_c2, store_c2
        return op->emitOpError() << "expects dims to rise strictly and stay below the rank " << rank << ", found ["
                                 << *dims << "]";
      previous = dim;
    }
  }
  if (tile.getElementType() != view.getElementType()) // load_c3, store_c3, reduce_into_c3
    return op->emitOpError() << "expects elements of " << view.getElementType() << " as in the view, found " << tile;
  if (inBounds && static_cast<int64_t>(inBounds->size()) != rank) // load_c4, store_c4, reduce_into_c4
    return op->emitOpError() << "expects in_bounds to have one flag per view dim, found " << inBounds->size()
                             << " for rank " << rank;
  return success();
}

SmallVector<int64_t> tilewright::tile::walkedDimsOf(std::optional<ArrayRef<int64_t>> dims, ViewType view) {
  if (dims)
    return SmallVector<int64_t>(*dims);
  return llvm::to_vector(llvm::seq<int64_t>(0, view.getRank()));
}
SmallVector<int64_t> LoadOp::walkedDims() { return walkedDimsOf(getDims(), getView().getType()); }
SmallVector<int64_t> StoreOp::walkedDims() { return walkedDimsOf(getDims(), getView().getType()); }

bool tilewright::tile::hasPad(Type type, Pad pad) {
  auto element = dyn_cast<FloatType>(type);
  if (!element || pad == Pad::none)
    return pad == Pad::none || pad == Pad::zero;
  const llvm::fltSemantics &semantics = element.getFloatSemantics();
  switch (pad) {
  case Pad::none:
    return true;
  case Pad::zero:
    return APFloat::semanticsHasZero(semantics);
  case Pad::neg_zero:
    return APFloat::semanticsHasZero(semantics) && APFloat::semanticsHasSignedRepr(semantics);
  case Pad::nan:
    return APFloat::semanticsHasNaN(semantics);
  case Pad::pos_inf:
  case Pad::neg_inf:
    return APFloat::semanticsHasInf(semantics);
  }
  llvm_unreachable("all pads are handled");
}

/// An order goes with a scope, and is one that a read, or a write, can have.
template <typename OpTy> static LogicalResult verifySync(OpTy op, SyncOrder strongest) {
  if (op.getOrder().has_value() != op.getScope().has_value()) // load_c6, store_c5, load_ptr_c3, store_ptr_c2
    return op.emitOpError() << "expects an order and a scope, or neither";
  // load_c6, store_c5, load_ptr_c3, store_ptr_c2
  if (op.getOrder() && *op.getOrder() != SyncOrder::relaxed && *op.getOrder() != strongest)
    return op.emitOpError() << "expects the order relaxed or " << stringifySyncOrder(strongest) << ", found "
                            << stringifySyncOrder(*op.getOrder());
  return success();
}

/// The effects of a read or write; an access with an order is both, so that nothing is moved past it or merged with it.
static void addEffects(Effects &effects, bool reads, bool writes) {
  if (reads)
    effects.emplace_back(MemoryEffects::Read::get(), GlobalMemoryResource::get());
  if (writes)
    effects.emplace_back(MemoryEffects::Write::get(), GlobalMemoryResource::get());
}

LogicalResult LoadOp::verify() {
  auto tile = cast<RankedTensorType>(getResult().getType());
  if (failed(verifyBlock(*this, getView().getType(), tile, getOffsets().size(), getDims(), getInBounds())))
    return failure();
  if (!hasPad(tile.getElementType(), getPad())) // load_c5
    return emitOpError() << "expects a pad that " << tile.getElementType() << " has, found " << stringifyPad(getPad());
  return verifySync(*this, SyncOrder::acquire);
}

void LoadOp::getEffects(Effects &effects) { addEffects(effects, true, getOrder().has_value()); }

LogicalResult StoreOp::verify() {
  if (failed(verifyBlock(*this, getView().getType(), cast<RankedTensorType>(getValue().getType()), getOffsets().size(),
                         getDims(), getInBounds())))
    return failure();
  return verifySync(*this, SyncOrder::release);
}

void StoreOp::getEffects(Effects &effects) { addEffects(effects, getOrder().has_value(), true); }

//===- Access through pointers -----------------------------------------------------------------------------------===//

Type tilewright::tile::pointeeOf(Type type) {
  auto pointer = dyn_cast<PtrType>(getElementTypeOrSelf(type));
  if (!pointer)
    return {};
  if (auto tile = dyn_cast<RankedTensorType>(type))
    return RankedTensorType::get(tile.getShape(), pointer.getPointee(), tile.getEncoding());
  return pointer.getPointee();
}

Type tilewright::tile::maskOf(Type pointers) {
  Type i1 = IntegerType::get(pointers.getContext(), 1);
  if (auto tile = dyn_cast<RankedTensorType>(pointers))
    return RankedTensorType::get(tile.getShape(), i1, tile.getEncoding());
  return i1;
}

LogicalResult LoadPtrOp::verify() {
  Type value = pointeeOf(getPtr().getType());
  if (getResult().getType() != value) // load_ptr_c1
    return emitOpError() << "expects a result of " << value << ", found " << getResult().getType();
  if (getMask() && getMask().getType() != maskOf(getPtr().getType())) // load_ptr_c1
    return emitOpError() << "expects a mask of " << maskOf(getPtr().getType()) << ", found " << getMask().getType();
  if (getOther() && !getMask()) // load_ptr_c2
    return emitOpError() << "expects `mask` beside `other`";
  if (getOther() && getOther().getType() != value) // load_ptr_c1
    return emitOpError() << "expects `other` of " << value << ", found " << getOther().getType();
  return verifySync(*this, SyncOrder::acquire);
}

LogicalResult StorePtrOp::verify() {
  if (getValue().getType() != pointeeOf(getPtr().getType())) // store_ptr_c1
    return emitOpError() << "expects a value of " << pointeeOf(getPtr().getType()) << ", found "
                         << getValue().getType();
  if (getMask() && getMask().getType() != maskOf(getPtr().getType())) // store_ptr_c1
    return emitOpError() << "expects a mask of " << maskOf(getPtr().getType()) << ", found " << getMask().getType();
  return verifySync(*this, SyncOrder::release);
}

void LoadPtrOp::getEffects(Effects &effects) { addEffects(effects, true, getOrder().has_value()); }
void StorePtrOp::getEffects(Effects &effects) { addEffects(effects, getOrder().has_value(), true); }

ParseResult tilewright::tile::parsePtrAccess(OpAsmParser &parser, Type &pointer, Type &value,
                                             const OptionalOperand &mask, Type &maskType) {
  SMLoc loc = parser.getCurrentLocation();
  if (failed(parser.parseType(pointer)))
    return failure();
  value = pointeeOf(pointer);
  if (!value)
    return parser.emitError(loc) << "expected a pointer or a tile of pointers, found " << pointer;
  if (mask)
    maskType = maskOf(pointer);
  return success();
}

ParseResult tilewright::tile::parsePtrAccess(OpAsmParser &parser, Type &pointer, Type &value,
                                             const OptionalOperand &mask, Type &maskType, const OptionalOperand &other,
                                             Type &otherType) {
  if (failed(parsePtrAccess(parser, pointer, value, mask, maskType)))
    return failure();
  if (other)
    otherType = value;
  return success();
}
