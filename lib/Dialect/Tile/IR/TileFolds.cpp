// SPDX-License-Identifier: Apache-2.0
// Folds and canonical forms: the shapes that later passes may rely on.
#include "TileLoops.h"
#include "tilewright/Dialect/Tile/IR/PermutedBlock.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace tilewright::tile;

/// A splat constant of another type with the same elements; null if `attr` is none.
static Attribute resplat(Attribute attr, Type type) {
  auto dense = dyn_cast_or_null<DenseIntOrFPElementsAttr>(attr);
  return dense && dense.isSplat() ? dense.resizeSplat(cast<ShapedType>(type)) : Attribute();
}

/// Whether `value` comes before `op`. Code that nothing reaches, and regions without an order, may hold cycles of ops;
/// a fold that walked them would never end.
static bool isBehind(Value value, Operation *op) {
  Operation *def = value.getDefiningOp();
  return !def || def->getBlock() != op->getBlock() || def->isBeforeInBlock(op);
}

/// The `OpTy` that makes `value`, an operand of `op`, if a fold of `op` may look through it; null otherwise.
template <typename OpTy> static OpTy lookThrough(Value value, Operation *op) {
  auto inner = value.getDefiningOp<OpTy>();
  return inner && isBehind(value, op) && isBehind(inner->getOperand(0), inner) ? inner : OpTy();
}

//===- Pointers --------------------------------------------------------------------------------------------------===//

OpFoldResult PtrAddOp::fold(FoldAdaptor adaptor) {
  if (matchPattern(adaptor.getOffset(), m_Zero()) && isBehind(getPtr(), *this))
    return getPtr();
  return {};
}

OpFoldResult PtrCastOp::fold(FoldAdaptor) {
  if (getSource().getType() == getResult().getType() && isBehind(getSource(), *this))
    return getSource();
  if (auto inner = lookThrough<PtrCastOp>(getSource(), *this)) {
    if (inner.getSource().getType() == getResult().getType())
      return inner.getSource();
    // i64 to i64 under another encoding is no cast.
    if (!isa<PtrType>(getElementTypeOrSelf(inner.getSource())) && !isa<PtrType>(getElementTypeOrSelf(getResult())))
      return {};
    getSourceMutable().assign(inner.getSource());
    return getResult();
  }
  return {};
}

//===- Shapes ----------------------------------------------------------------------------------------------------===//

OpFoldResult SplatOp::fold(FoldAdaptor adaptor) {
  if (isa_and_nonnull<IntegerAttr, FloatAttr>(adaptor.getSource()))
    return DenseElementsAttr::get(cast<ShapedType>(getResult().getType()), adaptor.getSource());
  return {};
}

OpFoldResult ToScalarOp::fold(FoldAdaptor adaptor) {
  if (auto dense = dyn_cast_or_null<DenseIntOrFPElementsAttr>(adaptor.getSource());
      dense && dense.getNumElements() == 1)
    return *dense.value_begin<Attribute>();
  if (auto splat = lookThrough<SplatOp>(getSource(), *this))
    return splat.getSource();
  return {};
}

OpFoldResult BroadcastOp::fold(FoldAdaptor adaptor) {
  if (getSource().getType() == getResult().getType() && isBehind(getSource(), *this))
    return getSource();
  if (Attribute splat = resplat(adaptor.getSource(), getResult().getType()))
    return splat;
  if (auto inner = lookThrough<BroadcastOp>(getSource(), *this)) {
    getSourceMutable().assign(inner.getSource());
    return getResult();
  }
  return {};
}

OpFoldResult ReshapeOp::fold(FoldAdaptor adaptor) {
  if (getSource().getType() == getResult().getType() && isBehind(getSource(), *this))
    return getSource();
  if (Attribute splat = resplat(adaptor.getSource(), getResult().getType()))
    return splat;
  if (auto inner = lookThrough<ReshapeOp>(getSource(), *this)) {
    getSourceMutable().assign(inner.getSource());
    return getResult();
  }
  return {};
}

OpFoldResult PermuteOp::fold(FoldAdaptor adaptor) {
  if (isIdentityOrder(getOrder()) && getSource().getType() == getResult().getType() && isBehind(getSource(), *this))
    return getSource();
  if (Attribute splat = resplat(adaptor.getSource(), getResult().getType()))
    return splat;
  if (auto inner = lookThrough<PermuteOp>(getSource(), *this)) {
    setOrder(composeOrders(inner.getOrder(), getOrder()));
    getSourceMutable().assign(inner.getSource());
    return getResult();
  }
  return {};
}

OpFoldResult ConcatOp::fold(FoldAdaptor adaptor) {
  if (getSources().size() == 1 && getSources()[0].getType() == getResult().getType() &&
      isBehind(getSources()[0], *this))
    return getSources()[0];
  // Equal splats are one splat.
  auto first = dyn_cast_or_null<DenseElementsAttr>(adaptor.getSources().front());
  if (!first || !first.isSplat())
    return {};
  for (Attribute attr : adaptor.getSources()) {
    auto dense = dyn_cast_or_null<DenseElementsAttr>(attr);
    if (!dense || !dense.isSplat() || dense.getSplatValue<Attribute>() != first.getSplatValue<Attribute>())
      return {};
  }
  return resplat(first, getResult().getType());
}

/// Whether a constant zero stands in each of `indices`.
static bool areZero(ArrayRef<Attribute> indices) {
  return llvm::all_of(indices, [](Attribute attr) {
    auto number = dyn_cast_or_null<IntegerAttr>(attr);
    return number && number.getValue().isZero();
  });
}

OpFoldResult ExtractOp::fold(FoldAdaptor adaptor) {
  // The one block that there is, or poison.
  if (getSource().getType() == getResult().getType() && isBehind(getSource(), *this))
    return getSource();
  if (Attribute splat = resplat(adaptor.getSource(), getResult().getType()))
    return splat;
  auto insert = getSource().getDefiningOp<InsertOp>();
  if (insert && isBehind(insert.getResult(), *this) && isBehind(insert.getSource(), insert) &&
      insert.getSource().getType() == getResult().getType() && insert.getIndices() == getIndices())
    return insert.getSource();
  auto concat = getSource().getDefiningOp<ConcatOp>();
  if (!concat || !isBehind(concat.getResult(), *this))
    return {};
  // Sources of one extent are the blocks.
  SmallVector<Attribute> others(adaptor.getIndices());
  auto number = dyn_cast_or_null<IntegerAttr>(others[concat.getDim()]);
  others.erase(others.begin() + concat.getDim());
  if (!number || !areZero(others) || number.getValue().uge(concat.getSources().size()))
    return {};
  for (Value source : concat.getSources())
    if (source.getType() != getResult().getType())
      return {};
  Value block = concat.getSources()[number.getInt()];
  return isBehind(block, concat) ? OpFoldResult(block) : OpFoldResult();
}

OpFoldResult InsertOp::fold(FoldAdaptor adaptor) {
  // All of it is replaced, or the result is poison.
  if (getSource().getType() == getResult().getType() && isBehind(getSource(), *this))
    return getSource();
  // What is put back where it was taken from.
  auto extract = getSource().getDefiningOp<ExtractOp>();
  if (extract && isBehind(getDest(), *this) && extract.getSource() == getDest() && extract.getIndices() == getIndices())
    return getDest();
  return {};
}

LogicalResult ScanOp::fold(FoldAdaptor, SmallVectorImpl<OpFoldResult> &results) {
  // Prefixes of one element are the elements.
  if (cast<RankedTensorType>(getSources()[0].getType()).getDimSize(getDim()) != 1)
    return failure();
  for (auto [source, result] : llvm::zip(getSources(), getResults()))
    if (source.getType() != result.getType() || !isBehind(source, *this))
      return failure();
  llvm::append_range(results, getSources());
  return success();
}

namespace {
/// A shape op on a splat is a splat.
template <typename OpTy> struct SplatThroughShape : public OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;
  LogicalResult matchAndRewrite(OpTy op, PatternRewriter &rewriter) const override {
    auto splat = op.getSource().template getDefiningOp<SplatOp>();
    if (!splat)
      return rewriter.notifyMatchFailure(op, "source is no splat");
    rewriter.replaceOpWithNewOp<SplatOp>(op, op.getResult().getType(), splat.getSource());
    return success();
  }
};

/// `permute(load(v))` is a load through the permuted view: the transpose costs nothing there.
struct PermuteOfLoad : public OpRewritePattern<PermuteOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(PermuteOp op, PatternRewriter &rewriter) const override {
    auto load = op.getSource().getDefiningOp<LoadOp>();
    if (!load || !load.getResult().hasOneUse())
      return rewriter.notifyMatchFailure(op, "source is no load with this one use");
    if (load.getOrder() || load.getAfter() || load.getDone())
      return rewriter.notifyMatchFailure(op, "the load has its place in an order");
    if (cast<RankedTensorType>(load.getResult().getType()).getEncoding())
      return rewriter.notifyMatchFailure(op, "layouts are fixed already");
    rewriter.replaceOp(op, createPermutedLoad(rewriter, load, op.getOrder()));
    rewriter.eraseOp(load);
    return success();
  }
};

/// `store(permute(x), v)` is a store of x through the view permuted back.
struct StoreOfPermute : public OpRewritePattern<StoreOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(StoreOp op, PatternRewriter &rewriter) const override {
    auto permute = op.getValue().getDefiningOp<PermuteOp>();
    if (!permute)
      return rewriter.notifyMatchFailure(op, "value is no permute");
    if (op.getOrder() || op.getAfter() || op.getDone())
      return rewriter.notifyMatchFailure(op, "the store has its place in an order");
    if (cast<RankedTensorType>(op.getValue().getType()).getEncoding())
      return rewriter.notifyMatchFailure(op, "layouts are fixed already");
    createPermutedStore(rewriter, op, permute.getSource(), inverseOrder(permute.getOrder()));
    rewriter.eraseOp(op);
    return success();
  }
};

/// A pad is what checks give; where nothing is checked, there is none.
struct DropPad : public OpRewritePattern<LoadOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(LoadOp op, PatternRewriter &rewriter) const override {
    if (op.getPad() == Pad::none || !op.getInBounds() || !llvm::all_of(*op.getInBounds(), [](bool b) { return b; }))
      return rewriter.notifyMatchFailure(op, "a dimension is checked, or there is no pad");
    rewriter.modifyOpInPlace(op, [&] { op.setPad(Pad::none); });
    return success();
  }
};

/// Each access has one form: no list where the list says what its absence says.
template <typename OpTy> struct DropDefaults : public OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;
  LogicalResult matchAndRewrite(OpTy op, PatternRewriter &rewriter) const override {
    bool dims = op.getDims() && static_cast<int64_t>(op.getDims()->size()) == op.getView().getType().getRank();
    bool flags = op.getInBounds() && llvm::none_of(*op.getInBounds(), [](bool flag) { return flag; });
    if (!dims && !flags)
      return rewriter.notifyMatchFailure(op, "dims and in_bounds say more than their absence");
    rewriter.modifyOpInPlace(op, [&] {
      if (dims)
        op.removeDimsAttr();
      if (flags)
        op.removeInBoundsAttr();
    });
    return success();
  }
};

/// A mask that is true everywhere is none; a store whose mask is false everywhere does nothing.
template <typename OpTy> struct ConstantMask : public OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;
  LogicalResult matchAndRewrite(OpTy op, PatternRewriter &rewriter) const override {
    if (op.getMask() && matchPattern(op.getMask(), m_One())) {
      rewriter.modifyOpInPlace(op, [&] {
        op.getMaskMutable().clear();
        if constexpr (std::is_same_v<OpTy, LoadPtrOp>)
          op.getOtherMutable().clear();
      });
      return success();
    }
    if constexpr (std::is_same_v<OpTy, StorePtrOp>) {
      if (op.getMask() && matchPattern(op.getMask(), m_Zero()) && !op.getOrder() && !op.getDone()) {
        rewriter.eraseOp(op);
        return success();
      }
    }
    return rewriter.notifyMatchFailure(op, "mask is no constant of one value that helps");
  }
};

/// A permuted view of `make_view` is another `make_view`.
struct PermuteOfMakeView : public OpRewritePattern<PermuteViewOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(PermuteViewOp op, PatternRewriter &rewriter) const override {
    auto made = op.getView().getDefiningOp<MakeViewOp>();
    if (!made)
      return rewriter.notifyMatchFailure(op, "view is no make_view");
    ViewType view = made.getResult().getType();
    // Operand of each dynamic extent of the old type, by dim.
    auto permuted = [&](ArrayRef<int64_t> extents, OperandRange operands) {
      SmallVector<Value> byDim(extents.size());
      size_t next = 0;
      for (auto [dim, extent] : llvm::enumerate(extents))
        if (ShapedType::isDynamic(extent))
          byDim[dim] = operands[next++];
      SmallVector<Value> result;
      for (int64_t dim : op.getOrder())
        if (byDim[dim])
          result.push_back(byDim[dim]);
      return result;
    };
    rewriter.replaceOpWithNewOp<MakeViewOp>(op, op.getResult().getType(), made.getBase(),
                                            permuted(view.getShape(), made.getSizes()),
                                            permuted(view.getStrides(), made.getStrides()));
    return success();
  }
};
} // namespace

void BroadcastOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<SplatThroughShape<BroadcastOp>>(context);
}
void ReshapeOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<SplatThroughShape<ReshapeOp>>(context);
}
void PermuteOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<SplatThroughShape<PermuteOp>, PermuteOfLoad>(context);
}
void LoadOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<DropDefaults<LoadOp>, DropPad>(context);
  // Loops are no ops of ours; the canonicalizer takes the patterns of all ops, whichever it meets.
  populateLoopPatterns(patterns);
}
void StoreOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<DropDefaults<StoreOp>, StoreOfPermute>(context);
}
void ReduceIntoOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<DropDefaults<ReduceIntoOp>>(context);
}
void LoadPtrOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<ConstantMask<LoadPtrOp>>(context);
}
void StorePtrOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<ConstantMask<StorePtrOp>>(context);
}
void PermuteViewOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<PermuteOfMakeView>(context);
}

//===- Views -----------------------------------------------------------------------------------------------------===//

OpFoldResult PermuteViewOp::fold(FoldAdaptor) {
  if (isIdentityOrder(getOrder()) && isBehind(getView(), *this))
    return getView();
  if (auto inner = lookThrough<PermuteViewOp>(getView(), *this)) {
    setOrder(composeOrders(inner.getOrder(), getOrder()));
    getViewMutable().assign(inner.getView());
    return getResult();
  }
  return {};
}

/// The static extent, or the operand of a `make_view`, behind `dim`; looks through permutations.
template <typename Extents, typename Operands>
static OpFoldResult foldQuery(Operation *query, int64_t dim, Extents extentsOf, Operands operandsOf) {
  Value view = query->getOperand(0);
  Operation *user = query;
  while (auto permute = lookThrough<PermuteViewOp>(view, user)) {
    dim = permute.getOrder()[dim];
    view = permute.getView();
    user = permute;
  }
  ArrayRef<int64_t> extents = extentsOf(cast<ViewType>(view.getType()));
  if (!ShapedType::isDynamic(extents[dim]))
    return IntegerAttr::get(IndexType::get(query->getContext()), extents[dim]);
  auto made = lookThrough<MakeViewOp>(view, user);
  if (!made)
    return {};
  Value extent = operandsOf(made)[llvm::count_if(extents.take_front(dim), ShapedType::isDynamic)];
  return isBehind(extent, made) ? OpFoldResult(extent) : OpFoldResult();
}

OpFoldResult ViewSizeOp::fold(FoldAdaptor) {
  return foldQuery(
      *this, getDim(), [](ViewType type) { return type.getShape(); }, [](MakeViewOp op) { return op.getSizes(); });
}
OpFoldResult ViewStrideOp::fold(FoldAdaptor) {
  return foldQuery(
      *this, getDim(), [](ViewType type) { return type.getStrides(); }, [](MakeViewOp op) { return op.getStrides(); });
}
OpFoldResult ViewBaseOp::fold(FoldAdaptor) {
  Value view = getView();
  Operation *user = *this;
  while (auto permute = lookThrough<PermuteViewOp>(view, user)) {
    view = permute.getView();
    user = permute;
  }
  if (auto made = lookThrough<MakeViewOp>(view, user))
    return made.getBase();
  return {};
}
