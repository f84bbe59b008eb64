// SPDX-License-Identifier: Apache-2.0
#include "tilewright/Dialect/TileGPU/IR/MmaTypes.h"
#include "tilewright/Dialect/TileGPU/IR/TileGPU.h"
#include "tilewright/Layout/MmaLayout.h"

#include "mlir/IR/DialectImplementation.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile_gpu;

using Effects = SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>;

//===- !tile_gpu.memdesc -----------------------------------------------------------------------------------------===//

Type MemDescType::parse(AsmParser &parser) {
  SmallVector<int64_t> shape;
  Type element;
  SharedAttr layout;
  SMLoc loc = parser.getCurrentLocation();
  if (failed(parser.parseLess()) || failed(parser.parseDimensionList(shape, /*allowDynamic=*/false)) ||
      failed(parser.parseType(element)) || failed(parser.parseComma()) || failed(parser.parseAttribute(layout)) ||
      failed(parser.parseGreater()))
    return {};
  return getChecked([&] { return parser.emitError(loc); }, parser.getContext(), ArrayRef<int64_t>(shape), element,
                    layout);
}

void MemDescType::print(AsmPrinter &printer) const {
  printer << '<';
  printer.printDimensionList(getShape());
  printer << 'x' << getElementType() << ", " << getLayout() << '>';
}

LogicalResult MemDescType::verify(function_ref<InFlightDiagnostic()> emitError, ArrayRef<int64_t> shape, Type element,
                                  SharedAttr layout) {
  ArrayRef<int64_t> allocated = layout.getAllocatedShape();
  if (shape.empty() || shape.size() != allocated.size())
    return emitError() << "expected the allocated shape to have rank " << shape.size() << ", found "
                       << allocated.size();
  for (auto [dim, pair] : llvm::enumerate(llvm::zip(shape, allocated)))
    if (std::get<0>(pair) < 1 || std::get<0>(pair) > std::get<1>(pair))
      return emitError() << "expected the extent of dim " << dim << " to be 1 to the allocated "
                         << std::get<1>(pair) << ", found " << std::get<0>(pair);
  if (tile_gpu::getElementBytes(element) == 0 || tile_gpu::getElementBytes(element) > 8)
    return emitError() << "expected elements of 1 to 8 whole bytes, found " << element;
  return success();
}

int64_t MemDescType::getElementBytes() const { return tile_gpu::getElementBytes(getElementType()); }

int64_t MemDescType::getSizeInBytes() const { return getLayout().toLayout().allocatedElements() * getElementBytes(); }

//===- Ops -------------------------------------------------------------------------------------------------------===//

static bool sameTile(RankedTensorType a, RankedTensorType b) {
  return a.getShape() == b.getShape() && a.getElementType() == b.getElementType();
}

static LogicalResult verifyHasLayout(Operation *op, RankedTensorType type) {
  auto layout = dyn_cast_or_null<LayoutAttr>(type.getEncoding());
  if (!layout)
    return op->emitOpError() << "expects a tile with a #tile_gpu.layout, found " << type;
  if (layout.getShape() != type.getShape())
    return op->emitOpError() << "expects the layout to be of the tile's shape, found " << type;
  return success();
}

static LogicalResult verifyTransfer(Operation *op, RankedTensorType tile, MemDescType buffer) {
  if (tile.getShape() != buffer.getShape() || tile.getElementType() != buffer.getElementType())
    return op->emitOpError() << "expects tile and buffer of one shape and element type, found " << tile << " and "
                             << buffer; // local_store_c1, local_load_c1
  return verifyHasLayout(op, tile);     // local_store_c2, local_load_c2
}

LogicalResult ConvertLayoutOp::verify() {
  auto source = cast<RankedTensorType>(getSource().getType()), result = cast<RankedTensorType>(getResult().getType());
  if (!sameTile(source, result)) // convert_layout_c1
    return emitOpError() << "expects source and result to differ in layout only, found " << source << " and " << result;
  if (failed(verifyHasLayout(*this, source))) // convert_layout_c2
    return failure();
  return verifyHasLayout(*this, result);
}

OpFoldResult ConvertLayoutOp::fold(FoldAdaptor) {
  if (getSource().getType() == getResult().getType())
    return getSource();
  if (auto producer = getSource().getDefiningOp<ConvertLayoutOp>()) {
    if (producer.getSource().getType() == getResult().getType())
      return producer.getSource();
    getSourceMutable().assign(producer.getSource());
    return getResult();
  }
  return {};
}

LogicalResult LocalAllocOp::verify() {
  if (getOffset() && (*getOffset() < 0 || *getOffset() % 16 != 0)) // local_alloc_c1
    return emitOpError() << "expects an offset that is a multiple of 16, found " << *getOffset();
  return success();
}

void LocalAllocOp::getEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Allocate::get(), cast<OpResult>(getResult()), SharedMemoryResource::get());
}

static bool isPlain(MemDescType type) {
  SharedAttr layout = type.getLayout();
  if (layout.getAllocatedShape() != type.getShape() || layout.getMaxPhase() != 1 || layout.getPadAmount() != 0)
    return false;
  for (auto [i, dim] : llvm::enumerate(layout.getOrder()))
    if (dim + i + 1 != type.getShape().size())
      return false;
  return true;
}

LogicalResult MemDescViewOp::verify() {
  MemDescType source = getSource().getType(), result = getResult().getType();
  if (source.getElementType() != result.getElementType() || // memdesc_view_c1
      ShapedType::getNumElements(source.getShape()) != ShapedType::getNumElements(result.getShape()))
    return emitOpError() << "expects the same elements on both sides, found " << source << " and " << result;
  if (!isPlain(source) || !isPlain(result)) // memdesc_view_c2
    return emitOpError() << "expects plain row-major buffers, found " << source << " and " << result;
  return success();
}

LogicalResult MemDescBlockOp::verify() {
  MemDescType source = getSource().getType(), result = getResult().getType();
  if (getOrigin().size() != source.getShape().size()) // memdesc_block_c1
    return emitOpError() << "expects one origin per dim (" << source.getShape().size() << "), found "
                         << getOrigin().size();
  bool fits = source.getShape().size() == result.getShape().size() &&
              source.getElementType() == result.getElementType() && source.getLayout() == result.getLayout();
  for (size_t dim = 0; fits && dim < source.getShape().size(); ++dim)
    fits = getOrigin()[dim] >= 0 && result.getShape()[dim] <= source.getShape()[dim] &&
           getOrigin()[dim] <= source.getShape()[dim] - result.getShape()[dim];
  if (!fits) // memdesc_block_c2
    return emitOpError() << "expects a block inside the source, found " << source << " and " << result;
  if (!isPlain(source)) // memdesc_block_c3
    return emitOpError() << "expects a plain row-major buffer, found " << source;
  return success();
}

LogicalResult LocalStoreOp::verify() {
  return verifyTransfer(*this, cast<RankedTensorType>(getValue().getType()), getBuffer().getType());
}
void LocalStoreOp::getEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Write::get(), &getBufferMutable(), SharedMemoryResource::get());
}

LogicalResult LocalLoadOp::verify() {
  return verifyTransfer(*this, cast<RankedTensorType>(getResult().getType()), getBuffer().getType());
}
void LocalLoadOp::getEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), &getBufferMutable(), SharedMemoryResource::get());
}

/// Constraints of ops that move the block at `origin` of `tile`.
static LogicalResult verifyBlockTransfer(Operation *op, RankedTensorType tile, MemDescType buffer, size_t origin) {
  if (static_cast<int64_t>(origin) != tile.getRank()) // local_store_block_c1, local_load_block_c1
    return op->emitOpError() << "expects one origin per dim (" << tile.getRank() << "), found " << origin;
  bool fits = static_cast<int64_t>(buffer.getShape().size()) == tile.getRank() &&
              buffer.getElementType() == tile.getElementType();
  for (int64_t dim = 0; fits && dim < tile.getRank(); ++dim)
    fits = buffer.getShape()[dim] <= tile.getDimSize(dim);
  if (!fits) // local_store_block_c2, local_load_block_c2
    return op->emitOpError() << "expects a buffer for a block of the tile, found " << tile << " and " << buffer;
  return verifyHasLayout(op, tile); // local_store_block_c3, local_load_block_c3
}

LogicalResult LocalStoreBlockOp::verify() {
  return verifyBlockTransfer(*this, cast<RankedTensorType>(getValue().getType()), getBuffer().getType(),
                             getOrigin().size());
}
void LocalStoreBlockOp::getEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Write::get(), &getBufferMutable(), SharedMemoryResource::get());
}

LogicalResult LocalLoadBlockOp::verify() {
  return verifyBlockTransfer(*this, cast<RankedTensorType>(getDest().getType()), getBuffer().getType(),
                             getOrigin().size());
}
void LocalLoadBlockOp::getEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), &getBufferMutable(), SharedMemoryResource::get());
}

/// ..xMxK, ..xKxN and ..xMxN.
static LogicalResult verifyDotShapes(Operation *op, Type lhsType, ArrayRef<int64_t> lhs, Type rhsType,
                                     ArrayRef<int64_t> rhs, RankedTensorType acc) {
  size_t rank = acc.getRank();
  auto fits = [&] {
    if (rank < 2 || lhs.size() != rank || rhs.size() != rank)
      return false;
    for (size_t i = 0; i + 2 < rank; ++i)
      if (lhs[i] != acc.getDimSize(i) || rhs[i] != acc.getDimSize(i))
        return false;
    return lhs[rank - 2] == acc.getDimSize(rank - 2) && rhs[rank - 1] == acc.getDimSize(rank - 1) &&
           lhs[rank - 1] == rhs[rank - 2];
  };
  if (!fits())
    return op->emitOpError() << "expects ..xMxK, ..xKxN and ..xMxN, found " << lhsType << ", " << rhsType << " and "
                             << acc;
  return success();
}

LogicalResult DotFmaOp::verify() {
  auto acc = cast<RankedTensorType>(getAcc().getType());
  MemDescType lhs = getLhs().getType(), rhs = getRhs().getType();
  if (failed(verifyDotShapes(*this, lhs, lhs.getShape(), rhs, rhs.getShape(), acc))) // dot_fma_c1
    return failure();
  return verifyHasLayout(*this, acc); // dot_fma_c2
}
void DotFmaOp::getEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), &getLhsMutable(), SharedMemoryResource::get());
  effects.emplace_back(MemoryEffects::Read::get(), &getRhsMutable(), SharedMemoryResource::get());
}

/// Operands of a reduction or scan within warps: at least one, all of one shape and layout, `dim` below the rank.
template <typename OpTy> static LogicalResult verifySources(OpTy op, ValueRange sources) {
  if (sources.empty())
    return op.emitOpError() << "expects at least one source";
  auto first = cast<RankedTensorType>(sources[0].getType());
  int64_t dim = op.getDim();
  if (dim < 0 || dim >= first.getRank())
    return op.emitOpError() << "expects dim below the rank " << first.getRank() << ", found " << dim;
  for (Value source : sources) {
    auto from = cast<RankedTensorType>(source.getType());
    if (failed(verifyHasLayout(op, from)))
      return failure();
    if (from.getShape() != first.getShape() || from.getEncoding() != first.getEncoding())
      return op.emitOpError() << "expects sources of one shape and layout, found " << first << " and " << from;
  }
  return success();
}

/// `partial` is `whole` but for its layout and its extent along `dim`.
static LogicalResult verifyPartial(Operation *op, Type whole, Type partial, int64_t dim) {
  auto from = cast<RankedTensorType>(whole), to = cast<RankedTensorType>(partial);
  if (failed(verifyHasLayout(op, to)))
    return failure();
  if (to.getRank() != from.getRank() || to.getElementType() != from.getElementType())
    return op->emitOpError() << "expects a result of the source's rank and element type, found " << to;
  for (int64_t i = 0; i < from.getRank(); ++i)
    if (i != dim && from.getDimSize(i) != to.getDimSize(i))
      return op->emitOpError() << "expects only dim " << dim << " to change, found " << from << " and " << to;
  return success();
}

/// A combiner of `sources`: accumulators, then elements.
template <typename OpTy> static LogicalResult verifyCombiner(OpTy op, ValueRange sources) {
  size_t count = sources.size();
  Block &body = op.getBody().front();
  if (body.getNumArguments() != 2 * count)
    return op.emitOpError() << "expects a combiner of " << 2 * count << " arguments, found " << body.getNumArguments();
  for (size_t i = 0; i < 2 * count; ++i)
    if (body.getArgument(i).getType() != cast<RankedTensorType>(sources[i % count].getType()).getElementType())
      return op.emitOpError() << "expects combiner argument " << i << " to be an element of source " << i % count;
  auto yield = dyn_cast<YieldOp>(body.getTerminator());
  if (!yield || yield.getNumOperands() != count)
    return op.emitOpError() << "expects the combiner to yield " << count << " values";
  for (size_t i = 0; i < count; ++i)
    if (yield.getOperand(i).getType() != body.getArgument(i).getType())
      return op.emitOpError() << "expects yielded value " << i << " to be of type " << body.getArgument(i).getType();
  return success();
}

template <typename OpTy> static LogicalResult verifyIdentity(OpTy op) {
  if (!op.getIdentity())
    return success();
  size_t count = op.getSources().size();
  if (op.getIdentity()->size() != count)
    return op.emitOpError() << "expects " << count << " identities, found " << op.getIdentity()->size();
  for (size_t i = 0; i < count; ++i) {
    auto value = dyn_cast<TypedAttr>((*op.getIdentity())[i]);
    Type element = op.getBody().front().getArgument(i).getType();
    if (!value || value.getType() != element)
      return op.emitOpError() << "expects identity " << i << " to be of type " << element;
  }
  return success();
}

LogicalResult DotMmaOp::verify() {
  auto lhs = cast<RankedTensorType>(getLhs().getType()), rhs = cast<RankedTensorType>(getRhs().getType()),
       acc = cast<RankedTensorType>(getAcc().getType());
  if (failed(verifyDotShapes(*this, lhs, lhs.getShape(), rhs, rhs.getShape(), acc))) // dot_mma_c1
    return failure();
  if (!findMmaKind(lhs.getElementType(), rhs.getElementType(), acc.getElementType(), getLhsUnsigned(),
                   getRhsUnsigned())) // dot_mma_c2
    return emitOpError() << "has no instruction for " << lhs.getElementType() << " times " << rhs.getElementType()
                         << " with sums in " << acc.getElementType();
  for (RankedTensorType type : {lhs, rhs, acc})
    if (failed(verifyHasLayout(*this, type))) // dot_mma_c3
      return failure();
  layout::DistributedLayout sums = cast<LayoutAttr>(acc.getEncoding()).toLayout();
  for (unsigned operand : {0u, 1u}) { // dot_mma_c3
    RankedTensorType type = operand == 0 ? lhs : rhs;
    int64_t extentK = lhs.getShape().back(), bytes = getElementBytes(type.getElementType());
    std::optional<layout::DistributedLayout> wanted = layout::tryMakeMmaOperand(sums, operand, extentK, bytes);
    if (!wanted || *wanted != cast<LayoutAttr>(type.getEncoding()).toLayout())
      return emitOpError() << "expects the " << (operand == 0 ? "lhs" : "rhs")
                           << " in the layout that belongs to the accumulator's, found " << type;
  }
  return success();
}

LogicalResult PartialReduceOp::verify() {
  size_t count = getSources().size();
  if (count == 0 || getResults().size() != count)
    return emitOpError() << "expects as many results as sources, at least one, found " << count << " and "
                         << getResults().size();
  if (failed(verifySources(*this, getSources())))
    return failure();
  for (auto [source, result] : llvm::zip(getSources(), getResults()))
    if (failed(verifyPartial(*this, source.getType(), result.getType(), getDim())))
      return failure();
  if (failed(verifyCombiner(*this, getSources())))
    return failure();
  return verifyIdentity(*this);
}

LogicalResult PartialScanOp::verify() {
  size_t count = getSources().size();
  if (count == 0 || getResults().size() != 2 * count)
    return emitOpError() << "expects two results for each source, at least one, found " << count << " and "
                         << getResults().size();
  if (failed(verifySources(*this, getSources())))
    return failure();
  for (size_t i = 0; i < count; ++i) {
    if (getResults()[i].getType() != getSources()[i].getType())
      return emitOpError() << "expects result " << i << " to be of its source's type, found "
                           << getResults()[i].getType();
    if (failed(verifyPartial(*this, getSources()[i].getType(), getResults()[count + i].getType(), getDim())))
      return failure();
  }
  if (failed(verifyCombiner(*this, getSources())))
    return failure();
  return verifyIdentity(*this);
}

LogicalResult AddPrefixOp::verify() {
  size_t count = getResults().size();
  if (count == 0 || getSources().size() != 2 * count)
    return emitOpError() << "expects two sources for each result, at least one, found " << getSources().size()
                         << " and " << count;
  ValueRange scanned = getSources().take_front(count), totals = getSources().drop_front(count);
  if (failed(verifySources(*this, scanned)) || failed(verifySources(*this, totals)))
    return failure();
  for (size_t i = 0; i < count; ++i) {
    if (getResults()[i].getType() != scanned[i].getType())
      return emitOpError() << "expects result " << i << " to be of its source's type, found "
                           << getResults()[i].getType();
    if (failed(verifyPartial(*this, scanned[i].getType(), totals[i].getType(), getDim())))
      return failure();
  }
  return verifyCombiner(*this, scanned);
}

void SyncOp::getEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), SharedMemoryResource::get());
  effects.emplace_back(MemoryEffects::Write::get(), SharedMemoryResource::get());
  effects.emplace_back(MemoryEffects::Read::get(), GlobalMemoryResource::get());
  effects.emplace_back(MemoryEffects::Write::get(), GlobalMemoryResource::get());
}
