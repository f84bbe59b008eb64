// SPDX-License-Identifier: Apache-2.0
#include "tilewright/Conversion/TileToTileGPU/LayoutPlan.h"
#include "tilewright/Conversion/TileToTileGPU/Passes.h"
#include "tilewright/Dialect/Tile/IR/Tile.h"
#include "llvm/ADT/TypeSwitch.h"
#include "tilewright/Layout/Conversion.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Remarks.h"

namespace tilewright {
#define GEN_PASS_DEF_LOWERTOBUFFERSPASS
#include "tilewright/Conversion/TileToTileGPU/Passes.h.inc"
} // namespace tilewright

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile_gpu;

namespace {

struct LowerToBuffers : public tilewright::impl::LowerToBuffersPassBase<LowerToBuffers> {
  using LowerToBuffersPassBase::LowerToBuffersPassBase;

  void runOnOperation() override {
    func::FuncOp func = getOperation();
    if (!func->hasAttr("tile.kernel"))
      return;
    WalkResult checked = func.walk([](Operation *op) {
      for (Value value : op->getResults())
        if (isTile(value) && !layoutOf(value.getType())) {
          op->emitOpError("has a tile without a layout; run tile-assign-layouts first");
          return WalkResult::interrupt();
        }
      return WalkResult::advance();
    });
    if (checked.wasInterrupted())
      return signalPassFailure();
    SmallVector<Operation *> work;
    // Reductions first: they leave layout conversions behind.
    func.walk([&](tile::ReduceOp op) { work.push_back(op); });
    for (Operation *op : work)
      if (failed(lowerReduce(cast<tile::ReduceOp>(op))))
        return signalPassFailure();
    work.clear();
    func.walk([&](Operation *op) {
      if (isa<tile::DotOp, tile::ReshapeOp, ConvertLayoutOp>(op))
        work.push_back(op);
    });
    for (Operation *op : work) {
      LogicalResult result = llvm::TypeSwitch<Operation *, LogicalResult>(op)
                                 .Case<tile::DotOp>([&](auto dot) { return lowerDot(dot); })
                                 .Case<tile::ReshapeOp>([&](auto reshape) { return lowerReshape(reshape); })
                                 .Case<ConvertLayoutOp>([&](auto convert) { return lowerConvert(convert); });
      if (failed(result))
        return signalPassFailure();
    }
  }

private:
  /// What a buffer's element is: tf32 and i1 take their memory form, pointers are addresses.
  static bool fitsBuffer(Type element) {
    int64_t bytes = getElementBytes(element);
    return bytes >= 1 && bytes <= 8;
  }

  Value makeBuffer(OpBuilder &builder, Location loc, RankedTensorType tile, const layout::SharedLayout &shared) {
    return LocalAllocOp::create(builder, loc,
                                MemDescType::get(builder.getContext(), tile.getShape(), tile.getElementType(),
                                                 SharedAttr::get(builder.getContext(), shared)),
                                IntegerAttr());
  }

  void explainTrip(Operation *op, MemDescType buffer, StringRef why) {
    auto func = op->getParentOfType<func::FuncOp>();
    remark::analysis(op->getLoc(),
                     remark::RemarkOpts::name("SharedTrip").category(getArgument()).function(func.getSymName()))
        << remark::reason("{0}", why.str()) << remark::metric("bytes", buffer.getSizeInBytes());
  }

  //===- Reductions ----------------------------------------------------------------------------------------------===//

  LogicalResult lowerReduce(tile::ReduceOp op) {
    OpBuilder builder(op);
    unsigned dim = op.getDim();
    auto first = tileType(op.getSources()[0]);
    LayoutAttr source = layoutOf(first);
    SmallVector<Value> values(op.getSources());

    LayoutAttr partial = partialLayout(source, dim);
    if (!partial)
      return op.emitOpError("expects warps in rising order along dim ") << dim << " of a ragged layout, found " << source;
    values = partialReduce(builder, op, values, partial);
    int64_t warps = partial.getShape()[dim];
    if (warps > 1) {
      // All warps see all partial results, side by side in registers.
      LayoutAttr gathered = gatheredLayout(partial, dim);
      for (Value &value : values)
        value = ConvertLayoutOp::create(builder, op.getLoc(), withLayout(tileType(value), gathered), value);
      values = partialReduce(builder, op, values, partialLayout(gathered, dim));
    }
    for (auto [result, value] : llvm::zip(op.getResults(), values)) {
      Value reduced = value;
      if (auto type = dyn_cast<RankedTensorType>(result.getType())) {
        LayoutAttr shrunk = dropDim(layoutOf(value.getType()), dim);
        reduced = tile::ReshapeOp::create(builder, op.getLoc(), withLayout(type, shrunk), value);
        if (shrunk != layoutOf(type))
          reduced = ConvertLayoutOp::create(builder, op.getLoc(), type, reduced);
      } else {
        reduced = tile::ToScalarOp::create(builder, op.getLoc(), result.getType(), value);
      }
      result.replaceAllUsesWith(reduced);
    }
    op.erase();
    return success();
  }

  /// The layout after each warp has reduced what it holds along `dim`: what differs by lane or register there is gone, what
  /// differs by warp becomes position 0, 1, 2... Null where padding would lie between positions that have elements.
  static LayoutAttr partialLayout(LayoutAttr layout, unsigned dim) {
    layout::DistributedLayout from = layout.toLayout();
    auto without = [&](layout::Bases bases, bool dropZero) {
      layout::Bases kept;
      for (layout::Coord &basis : bases) {
        basis[dim] = 0;
        if (!dropZero || llvm::any_of(basis, [](int64_t x) { return x != 0; }))
          kept.push_back(basis);
      }
      return kept;
    };
    layout::Bases warp = from.warpBases();
    std::vector<int64_t> shape = from.shape();
    // Where each position begins in the source: one that begins outside of the tile has no element, and is left outside
    // of the result too.
    SmallVector<int64_t> begins{0};
    auto repeat = [&](int64_t radix, int64_t stride) {
      SmallVector<int64_t> all;
      for (int64_t value = 0; value < radix; ++value)
        for (int64_t begin : begins)
          all.push_back(begin + value * stride);
      begins = all;
    };
    shape[dim] = 1;
    for (layout::Coord &basis : warp)
      if (basis[dim] != 0) {
        repeat(2, basis[dim]);
        basis[dim] = shape[dim];
        shape[dim] *= 2;
      }
    std::vector<layout::OuterDigit> digits;
    for (const layout::OuterDigit &digit : from.digits()) {
      if (digit.dim != dim || digit.stride == 0) { // Stride 0: warps that hold copies.
        digits.push_back(digit);
      } else if (digit.place == layout::OuterDigit::Place::Warp) {
        repeat(digit.radix, digit.stride);
        digits.push_back({dim, digit.radix, shape[dim], digit.place});
        shape[dim] *= digit.radix;
      }
    }
    // Where positions rise with the coordinates that they begin at, those with elements come first.
    if (!llvm::is_sorted(begins) && *llvm::max_element(begins) >= from.shape()[dim])
      return {};
    shape[dim] = llvm::count_if(begins, [&](int64_t begin) { return begin < from.shape()[dim]; });
    std::string error;
    auto result = layout::DistributedLayout::create(shape, without(from.registerBases(), true),
                                                    without(from.laneBases(), false), warp, from.blockBases(), digits,
                                                    &error);
    assert(result && "what is left of a layout is a layout");
    return LayoutAttr::get(layout.getContext(), *result);
  }

  /// `partial` with the warps' positions along `dim` side by side in the registers of every warp.
  static LayoutAttr gatheredLayout(LayoutAttr partial, unsigned dim) {
    layout::DistributedLayout from = partial.toLayout();
    layout::Bases reg = from.registerBases(), warp = from.warpBases();
    for (layout::Coord &basis : warp)
      if (basis[dim] != 0) {
        layout::Coord moved(basis.size(), 0);
        moved[dim] = basis[dim];
        basis[dim] = 0;
        reg.push_back(moved);
      }
    std::vector<layout::OuterDigit> digits;
    for (const layout::OuterDigit &digit : from.digits()) {
      bool moves = digit.dim == dim && digit.stride != 0 && digit.place == layout::OuterDigit::Place::Warp;
      digits.push_back(moves ? layout::OuterDigit{0, digit.radix, 0, digit.place} : digit); // Stride 0: copies.
      if (moves)
        digits.push_back({dim, digit.radix, digit.stride, layout::OuterDigit::Place::Register});
    }
    std::string error;
    auto result = layout::DistributedLayout::create(from.shape(), reg, from.laneBases(), warp, from.blockBases(),
                                                    digits, &error);
    assert(result && "moving bases keeps a layout a layout");
    return LayoutAttr::get(partial.getContext(), *result);
  }

  SmallVector<Value> partialReduce(OpBuilder &builder, tile::ReduceOp op, ValueRange sources, LayoutAttr layout) {
    SmallVector<Type> types;
    for (Value source : sources)
      types.push_back(RankedTensorType::get(layout.getShape(), tileType(source).getElementType(), layout));
    auto partial = PartialReduceOp::create(builder, op.getLoc(), types, sources, op.getDim(), op.getIdentityAttr());
    IRMapping mapping;
    op.getBody().cloneInto(&partial.getBody(), mapping);
    Operation *yield = partial.getBody().front().getTerminator();
    OpBuilder inner(yield);
    YieldOp::create(inner, yield->getLoc(), yield->getOperands());
    yield->erase();
    return SmallVector<Value>(partial.getResults());
  }

  //===- Products ------------------------------------------------------------------------------------------------===//

  LogicalResult lowerDot(tile::DotOp op) {
    OpBuilder builder(op);
    unsigned rank = tileType(op.getAcc()).getRank();
    if (op.getPrecision() && static_cast<int>(*op.getPrecision()) != 0) {
      auto func = op->getParentOfType<func::FuncOp>();
      remark::missed(op.getLoc(), remark::RemarkOpts::name("Precision").category(getArgument()).function(func.getSymName()))
          << remark::reason("the plain multiply-add units compute f32 products exactly rounded; a relaxed precision "
                            "buys nothing here");
    }
    // The fastest dimension is the one that a thread reads several neighbours of: M of the left, N of the right.
    FailureOr<Value> lhs = stage(builder, op, op.getLhs(), rank - 2);
    FailureOr<Value> rhs = stage(builder, op, op.getRhs(), rank - 1);
    if (failed(lhs) || failed(rhs))
      return failure();
    auto dot = DotFmaOp::create(builder, op.getLoc(), op.getAcc().getType(), *lhs, *rhs, op.getAcc(),
                                op.getLhsUnsigned(), op.getRhsUnsigned());
    op.getResult().replaceAllUsesWith(dot.getResult());
    op.erase();
    return success();
  }

  FailureOr<Value> stage(OpBuilder &builder, tile::DotOp op, Value operand, unsigned fastest) {
    RankedTensorType type = tileType(operand);
    if (!fitsBuffer(type.getElementType()))
      return op.emitOpError() << "is not lowered for operands of " << type.getElementType() << " yet";
    int64_t bytes = getElementBytes(type.getElementType());
    std::vector<unsigned> order{fastest};
    for (unsigned dim = type.getRank(); dim-- > 0;)
      if (dim != fastest)
        order.push_back(dim);
    std::vector<int64_t> allocated = type.getShape().vec();
    // Rows start on 16 bytes, so that reads along them stay wide; one such step of padding where a row would
    // otherwise end on the bank that it began on keeps a column's writes apart.
    int64_t step = std::max<int64_t>(16 / bytes, 1);
    allocated[fastest] = llvm::alignTo(allocated[fastest], step);
    bool pad = allocated[fastest] * bytes % 128 == 0;
    layout::Padding padding;
    if (pad)
      padding = {allocated[fastest], step};
    std::string error;
    auto shared = layout::SharedLayout::create(type.getShape().vec(), allocated, order, {}, std::nullopt, padding,
                                               &error);
    if (!shared)
      return op.emitOpError() << "cannot hold " << type << " in shared memory: " << error;
    Value buffer = makeBuffer(builder, op.getLoc(), type, *shared);
    LocalStoreOp::create(builder, op.getLoc(), operand, buffer);
    explainTrip(op, cast<MemDescType>(buffer.getType()), "an operand of a product on the multiply-add units");
    return buffer;
  }

  //===- Moves ---------------------------------------------------------------------------------------------------===//

  LogicalResult lowerConvert(ConvertLayoutOp op) {
    RankedTensorType from = tileType(op.getSource()), to = tileType(op.getResult());
    if (!fitsBuffer(from.getElementType()))
      return op.emitOpError() << "cannot move elements of " << from.getElementType() << " between threads yet";
    int64_t bytes = getElementBytes(from.getElementType());
    std::string error;
    std::optional<layout::ConversionPlan> plan =
        layout::tryPlanConversion(layoutOf(from).toLayout(), layoutOf(to).toLayout(), bytes, &error);
    if (!plan)
      return op.emitOpError() << "has no conversion: " << error;
    if (plan->kind != layout::ConversionPlan::Kind::Shared)
      return success(); // Registers and shuffles: the step to one thread's program knows how.
    OpBuilder builder(op);
    Value buffer = makeBuffer(builder, op.getLoc(), from, plan->shared->layout);
    LocalStoreOp::create(builder, op.getLoc(), op.getSource(), buffer);
    Value loaded = LocalLoadOp::create(builder, op.getLoc(), to, buffer);
    explainTrip(op, cast<MemDescType>(buffer.getType()), plan->reason);
    op.getResult().replaceAllUsesWith(loaded);
    op.erase();
    return success();
  }

  /// A reshape that is not linear over the bits of the layouts goes through memory, where row-major order is kept.
  LogicalResult lowerReshape(tile::ReshapeOp op) {
    RankedTensorType from = tileType(op.getSource()), to = tileType(op.getResult());
    LayoutAttr free = reshapeLayout(layoutOf(from), to.getShape());
    if (free == layoutOf(to))
      return success();
    if (!fitsBuffer(from.getElementType()))
      return op.emitOpError() << "cannot move elements of " << from.getElementType() << " between threads yet";
    OpBuilder builder(op);
    auto plainLayout = [](RankedTensorType type) {
      std::vector<unsigned> order;
      for (unsigned dim = type.getRank(); dim-- > 0;)
        order.push_back(dim);
      return layout::SharedLayout::makeRowMajor(type.getShape().vec(), order);
    };
    if (!plainLayout(from) || !plainLayout(to))
      return op.emitOpError() << "is too large for shared memory";
    auto plain = [&](RankedTensorType type) { return *plainLayout(type); };
    Value buffer = makeBuffer(builder, op.getLoc(), from, plain(from));
    LocalStoreOp::create(builder, op.getLoc(), op.getSource(), buffer);
    Value view = MemDescViewOp::create(builder, op.getLoc(),
                                       MemDescType::get(op.getContext(), to.getShape(), to.getElementType(),
                                                        SharedAttr::get(op.getContext(), plain(to))),
                                       buffer);
    Value loaded = LocalLoadOp::create(builder, op.getLoc(), to, view);
    explainTrip(op, cast<MemDescType>(buffer.getType()), "a reshape that is not linear over the layout's bits");
    op.getResult().replaceAllUsesWith(loaded);
    op.erase();
    return success();
  }
};

} // namespace
