// SPDX-License-Identifier: Apache-2.0
#include "LowerToBuffers.h"
#include "tilewright/Conversion/TileToTileGPU/LayoutMoves.h"
#include "tilewright/Conversion/TileToTileGPU/Passes.h"
#include "tilewright/Dialect/Tile/Transforms/DotChoice.h"
#include "tilewright/Layout/Conversion.h"
#include "llvm/ADT/TypeSwitch.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Remarks.h"

namespace tilewright {
#define GEN_PASS_DEF_LOWERTOBUFFERSPASS
#include "tilewright/Conversion/TileToTileGPU/Passes.h.inc"
} // namespace tilewright

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile_gpu;

/// Most bytes of tiles that wait in shared memory for a read that they share a barrier for: two programs with as much fit on an
/// SM of every target. A barrier costs some thirty cycles, a program less on an SM far more.
static constexpr int64_t kMaxBytesReadTogether = 48 * 1024;

bool tilewright::fitsBuffer(Type element) {
  int64_t bytes = getElementBytes(element);
  return bytes >= 1 && bytes <= 8;
}

Value tilewright::makeBuffer(OpBuilder &builder, Location loc, RankedTensorType tile,
                             const layout::SharedLayout &shared) {
  return LocalAllocOp::create(builder, loc,
                              MemDescType::get(builder.getContext(), tile.getShape(), tile.getElementType(),
                                               SharedAttr::get(builder.getContext(), shared)),
                              IntegerAttr());
}

void tilewright::explainTrip(Operation *op, Value buffer, StringRef why) {
  buffer.getDefiningOp<LocalAllocOp>()->setAttr(kReasonAttr, StringAttr::get(op->getContext(), why));
  auto func = op->getParentOfType<func::FuncOp>();
  remark::analysis(op->getLoc(), remark::RemarkOpts::name("SharedTrip")
                                     .category("tile-lower-to-buffers")
                                     .function(func.getSymName()))
      << remark::add("a tile goes through {0} bytes of shared memory: {1}",
                     cast<MemDescType>(buffer.getType()).getSizeInBytes(), why.str());
}

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
    // Reductions and scans first: they leave layout conversions behind.
    func.walk([&](Operation *op) {
      if (isa<tile::ReduceOp, tile::ScanOp>(op))
        work.push_back(op);
    });
    for (Operation *op : work) {
      auto reduce = dyn_cast<tile::ReduceOp>(op);
      if (failed(reduce ? lowerReduce(reduce) : lowerScan(cast<tile::ScanOp>(op))))
        return signalPassFailure();
    }
    work.clear();
    func.walk([&](Operation *op) {
      if (isAtomicAccess(op))
        work.push_back(op);
    });
    for (Operation *op : work)
      if (failed(lowerAtomic(op)))
        return signalPassFailure();
    work.clear();
    func.walk([&](Operation *op) {
      if (isa<tile::DotOp, tile::ReshapeOp, tile::ConcatOp, tile::ExtractOp, tile::InsertOp, ConvertLayoutOp>(op))
        work.push_back(op);
    });
    for (Operation *op : work) {
      LogicalResult result = llvm::TypeSwitch<Operation *, LogicalResult>(op)
                                 .Case<tile::DotOp>([&](auto dot) { return lowerDot(dot); })
                                 .Case<tile::ReshapeOp>([&](auto reshape) { return lowerReshape(reshape); })
                                 .Case<tile::ConcatOp>([](auto concat) { return lowerConcat(concat); })
                                 .Case<tile::ExtractOp>([](auto extract) { return lowerExtract(extract); })
                                 .Case<tile::InsertOp>([](auto insert) { return lowerInsert(insert); })
                                 .Case<ConvertLayoutOp>([&](auto convert) { return lowerConvert(convert); });
      if (failed(result))
        return signalPassFailure();
    }
  }

private:
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

  /// For reports.
  static void keepChoice(tile::DotOp from, Operation *to) {
    if (Attribute choice = from->getAttr(tile::kDotChoiceAttr))
      to->setAttr(kKeptDotChoiceAttr, choice);
  }

  LogicalResult lowerDot(tile::DotOp op) {
    OpBuilder builder(op);
    unsigned rank = tileType(op.getAcc()).getRank();
    if (recordedFamily(op) == MmaFamily::MmaSync) {
      auto dot = DotMmaOp::create(builder, op.getLoc(), op.getAcc().getType(), op.getLhs(), op.getRhs(), op.getAcc(),
                                  op.getLhsUnsigned(), op.getRhsUnsigned());
      keepChoice(op, dot);
      op.getResult().replaceAllUsesWith(dot.getResult());
      op.erase();
      return success();
    }
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
    keepChoice(op, dot);
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
    explainTrip(op, buffer, "an operand of a product on the multiply-add units");
    return buffer;
  }

  //===- Moves ---------------------------------------------------------------------------------------------------===//

  /// Bytes of shared memory that lowering what stands between `from` and `to` may take, at most: each tile that may move.
  static int64_t bytesBetween(Operation *from, Operation *to) {
    int64_t bytes = 0;
    auto add = [&](Value tile) {
      RankedTensorType type = tileType(tile);
      bytes += type.getNumElements() * std::max<int64_t>(getElementBytes(type.getElementType()), 1);
    };
    for (Operation *between = from->getNextNode(); between && between != to; between = between->getNextNode())
      between->walk([&](Operation *op) {
        if (isa<ConvertLayoutOp, tile::ReshapeOp, tile::ConcatOp, tile::ExtractOp, tile::InsertOp>(op))
          add(op->getResult(0));
        else if (auto dot = dyn_cast<tile::DotOp>(op); dot && recordedFamily(dot) == MmaFamily::Fma) {
          add(dot.getLhs());
          add(dot.getRhs());
        }
      });
    return bytes;
  }

  /// Reads `buffer` for the users of `op`, which it stands for. The read is put where the first of them is, so that
  /// several tiles written side by side share one barrier, unless so many bytes would then be held at a time that other
  /// programs no longer fit beside this one. Operands of products are read for each product of the block on its
  /// own: kept in registers they would be the largest values between the two.
  static void readWhereUsed(OpBuilder &builder, ConvertLayoutOp op, Value buffer) {
    Block *block = op->getBlock();
    auto isOperand = [&](OpOperand &use) {
      return use.getOwner()->getBlock() == block && isa<tile::DotOp, DotMmaOp>(use.getOwner()) &&
             use.getOperandNumber() < 2;
    };
    bool isUnused = op.getResult().use_empty();
    Operation *first = nullptr;
    for (OpOperand &use : llvm::make_early_inc_range(op.getResult().getUses())) {
      if (isOperand(use)) {
        builder.setInsertionPoint(use.getOwner());
        use.set(LocalLoadOp::create(builder, op.getLoc(), op.getResult().getType(), buffer));
        continue;
      }
      Operation *ancestor = block->findAncestorOpInBlock(*use.getOwner());
      if (ancestor && (!first || ancestor->isBeforeInBlock(first)))
        first = ancestor;
    }
    if (op.getResult().use_empty() && !isUnused)
      return;
    int64_t ownBytes = cast<MemDescType>(buffer.getType()).getSizeInBytes();
    if (first && ownBytes + bytesBetween(op, first) > kMaxBytesReadTogether)
      first = nullptr;
    builder.setInsertionPoint(first ? first : op.getOperation());
    op.getResult().replaceAllUsesWith(LocalLoadOp::create(builder, op.getLoc(), op.getResult().getType(), buffer));
  }

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
    readWhereUsed(builder, op, buffer);
    explainTrip(op, buffer, plan->reason);
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
    explainTrip(op, buffer, "a reshape that is not linear over the layout's bits");
    op.getResult().replaceAllUsesWith(loaded);
    op.erase();
    return success();
  }
};

} // namespace
