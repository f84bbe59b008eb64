// SPDX-License-Identifier: Apache-2.0
#include "tilewright/Conversion/TileToTileGPU/LayoutMoves.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile_gpu;

using Kind = layout::ConversionPlan::Kind;
using layout::DistributedLayout;
using layout::SharedAccessCost;

std::string LayoutMove::tileStr() const {
  std::string text;
  llvm::raw_string_ostream stream(text);
  auto print = [&](ArrayRef<int64_t> shape, Type element) {
    for (int64_t extent : shape)
      stream << extent << 'x';
    stream << element;
  };
  Type type = op->getResult(0).getType();
  if (auto buffer = dyn_cast<MemDescType>(type))
    print(buffer.getShape(), buffer.getElementType());
  else
    print(cast<RankedTensorType>(type).getShape(), cast<RankedTensorType>(type).getElementType());
  return text;
}

const char *LayoutMove::kindStr() const {
  switch (kind) {
  case Kind::None:
  case Kind::Registers:
    return "registers";
  case Kind::Shuffle:
    return "shuffles";
  case Kind::Shared:
    return "shared memory";
  }
  return "";
}

static std::optional<DistributedLayout> layoutOf(Value tile) {
  auto type = dyn_cast<RankedTensorType>(tile.getType());
  auto attr = type ? dyn_cast_or_null<LayoutAttr>(type.getEncoding()) : LayoutAttr();
  return attr ? std::optional(attr.toLayout()) : std::nullopt;
}

static void addTo(SharedAccessCost &sum, const SharedAccessCost &more, int64_t times = 1) {
  double conflicts = sum.conflicts * double(sum.accesses) + more.conflicts * double(more.accesses * times);
  sum.vector = sum.accesses == 0 ? more.vector : std::min(sum.vector, more.vector);
  sum.accesses += more.accesses * times;
  sum.wavefronts += more.wavefronts * double(times);
  sum.conflicts = sum.accesses ? conflicts / double(sum.accesses) : 0;
}

/// What one operand of a product on the multiply-add units costs to read: each step along K reads the positions along
/// `spaceDim` that the thread's accumulators name.
static void addFmaReads(SharedAccessCost &reads, DotFmaOp dot, MemDescType buffer, unsigned spaceDim) {
  std::optional<DistributedLayout> acc = layoutOf(dot.getAcc());
  if (!acc)
    return;
  unsigned rank = acc->rank(), otherDim = spaceDim == rank - 1 ? rank - 2 : rank - 1;
  DistributedLayout step = acc->dropDim(otherDim).insertDim(otherDim);
  addTo(reads,
        layout::sharedAccessCost(step, buffer.getLayout().toLayout(), buffer.getElementBytes(), /*ownersOnly=*/false),
        buffer.getShape()[otherDim]);
}

/// Where a block begins; one that is known at run time only is taken as the first.
static layout::Coord originOf(ValueRange numbers) {
  layout::Coord origin;
  for (Value number : numbers) {
    APInt known;
    origin.push_back(matchPattern(number, m_ConstantInt(&known)) ? known.getSExtValue() : 0);
  }
  return origin;
}

static LayoutMove measureBuffer(LocalAllocOp alloc) {
  LayoutMove move{alloc, Kind::Shared, 0, alloc.getResult().getType().getSizeInBytes(), {}, {}, false, ""};
  if (auto reason = alloc->getAttrOfType<StringAttr>(kReasonAttr))
    move.reason = reason.getValue().str();
  SmallVector<Value> views{alloc.getResult()};
  for (size_t i = 0; i < views.size(); ++i) {
    auto buffer = cast<MemDescType>(views[i].getType());
    layout::SharedLayout shared = buffer.getLayout().toLayout();
    for (OpOperand &use : views[i].getUses()) {
      Operation *user = use.getOwner();
      if (isa<MemDescViewOp, MemDescBlockOp>(user)) {
        views.push_back(user->getResult(0));
      } else if (auto store = dyn_cast<LocalStoreOp>(user)) {
        if (std::optional<DistributedLayout> from = layoutOf(store.getValue()))
          addTo(move.writes, layout::sharedAccessCost(*from, shared, buffer.getElementBytes(), /*ownersOnly=*/true));
      } else if (auto load = dyn_cast<LocalLoadOp>(user)) {
        if (std::optional<DistributedLayout> to = layoutOf(load.getResult())) {
          auto access = layout::findMatrixAccess(*to, shared, buffer.getElementBytes());
          move.readsMatrices |= access.has_value();
          addTo(move.reads, layout::sharedAccessCost(access ? access->rows : *to, shared, buffer.getElementBytes(),
                                                     /*ownersOnly=*/false));
        }
      } else if (auto store = dyn_cast<LocalStoreBlockOp>(user)) {
        layout::Coord origin = originOf(store.getOrigin());
        if (std::optional<DistributedLayout> from = layoutOf(store.getValue()))
          addTo(move.writes,
                layout::sharedAccessCost(*from, shared, buffer.getElementBytes(), /*ownersOnly=*/true, &origin));
      } else if (auto load = dyn_cast<LocalLoadBlockOp>(user)) {
        layout::Coord origin = originOf(load.getOrigin());
        if (std::optional<DistributedLayout> to = layoutOf(load.getResult()))
          addTo(move.reads,
                layout::sharedAccessCost(*to, shared, buffer.getElementBytes(), /*ownersOnly=*/false, &origin));
      } else if (auto dot = dyn_cast<DotFmaOp>(user)) {
        unsigned rank = buffer.getShape().size();
        addFmaReads(move.reads, dot, buffer, use.getOperandNumber() == 0 ? rank - 2 : rank - 1);
      }
    }
  }
  move.cycles = move.writes.cycles() + move.reads.cycles() + layout::kSharedTripLatency;
  return move;
}

std::vector<LayoutMove> tilewright::collectLayoutMoves(func::FuncOp func) {
  std::vector<LayoutMove> moves;
  func.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (auto alloc = dyn_cast<LocalAllocOp>(op)) {
      moves.push_back(measureBuffer(alloc));
      return;
    }
    auto convert = dyn_cast<ConvertLayoutOp>(op);
    if (!convert)
      return;
    std::optional<DistributedLayout> from = layoutOf(convert.getSource()), to = layoutOf(convert.getResult());
    int64_t bytes = getElementBytes(cast<RankedTensorType>(convert.getResult().getType()).getElementType());
    if (!from || !to)
      return;
    // The same question as convert-tile-to-simt asks.
    std::optional<layout::ConversionPlan> plan = layout::tryPlanConversion(*from, *to, std::max<int64_t>(bytes, 1));
    if (plan && plan->kind != Kind::None)
      moves.push_back({convert, plan->kind, plan->cost, 0, {}, {}, false, plan->reason});
  });
  return moves;
}
