// SPDX-License-Identifier: Apache-2.0
#include "tilewright/Conversion/TileToTileGPU/Passes.h"
#include "tilewright/Target/Target.h"

#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/Support/MathExtras.h"

namespace tilewright {
#define GEN_PASS_DEF_ALLOCATESHAREDPASS
#include "tilewright/Conversion/TileToTileGPU/Passes.h.inc"
} // namespace tilewright

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile_gpu;

namespace {

/// Widest bank row: buffers that start on it keep the bank pattern that their layout was chosen for.
constexpr int64_t kAlignBytes = 128;
/// Warps of an SM that can still take turns: two for each of its four schedulers.
constexpr int64_t kWarpsToTakeTurns = 8;

struct Buffer {
  LocalAllocOp alloc;
  int64_t sizeBytes = 0, offsetBytes = -1;
  unsigned first = 0, last = 0; ///< Live range, in numbers of ops in program order.
};

/// Numbers of ops in program order.
class Order {
public:
  explicit Order(func::FuncOp func) { number(func); }

  /// First and last number in `op`, nested ones included.
  std::pair<unsigned, unsigned> of(Operation *op) const { return span.lookup(op); }

private:
  DenseMap<Operation *, std::pair<unsigned, unsigned>> span;
  unsigned next = 0;

  void number(Operation *op) {
    unsigned first = next++;
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (Operation &inner : block)
          number(&inner);
    span[op] = {first, next++};
  }
};

Buffer measure(LocalAllocOp alloc, const Order &order) {
  Buffer buffer{alloc, alloc.getResult().getType().getSizeInBytes()};
  std::tie(buffer.first, buffer.last) = order.of(alloc);
  SmallVector<Value> aliases{alloc.getResult()};
  for (size_t i = 0; i < aliases.size(); ++i)
    for (Operation *user : aliases[i].getUsers()) {
      if (isa<MemDescViewOp, MemDescBlockOp>(user))
        aliases.push_back(user->getResult(0));
      // A use in a loop that does not hold the buffer keeps it alive for the whole loop.
      Operation *holder = user;
      for (Operation *up = user; up && up->getBlock() != alloc->getBlock(); up = up->getParentOp())
        if (isa<LoopLikeOpInterface>(up->getParentOp()))
          holder = up->getParentOp();
      buffer.first = std::min(buffer.first, order.of(holder).first);
      buffer.last = std::max(buffer.last, order.of(holder).second);
    }
  return buffer;
}

SmallVector<Buffer *> sortedBySize(MutableArrayRef<Buffer> buffers) {
  SmallVector<Buffer *> bySize;
  for (Buffer &buffer : buffers)
    bySize.push_back(&buffer);
  llvm::stable_sort(bySize, [](Buffer *a, Buffer *b) { return a->sizeBytes > b->sizeBytes; });
  return bySize;
}

/// Gives each buffer its offset, the largest first, and returns the bytes that all take.
int64_t place(MutableArrayRef<Buffer> buffers) {
  SmallVector<Buffer *> bySize = sortedBySize(buffers);
  int64_t total = 0;
  for (size_t i = 0; i < bySize.size(); ++i) {
    Buffer &buffer = *bySize[i];
    // Placed buffers that live at the same time, by offset; the first gap that is wide enough wins.
    SmallVector<Buffer *> rivals;
    for (size_t j = 0; j < i; ++j)
      if (bySize[j]->first <= buffer.last && buffer.first <= bySize[j]->last)
        rivals.push_back(bySize[j]);
    llvm::stable_sort(rivals, [](Buffer *a, Buffer *b) { return a->offsetBytes < b->offsetBytes; });
    int64_t offset = 0;
    for (Buffer *rival : rivals) {
      if (offset + buffer.sizeBytes <= rival->offsetBytes)
        break;
      offset = std::max<int64_t>(offset, llvm::alignTo(rival->offsetBytes + rival->sizeBytes, kAlignBytes));
    }
    buffer.offsetBytes = offset;
    total = std::max(total, offset + buffer.sizeBytes);
  }
  return total;
}

/// What fills `alloc` if each trip of the loop whose body it is in fills it with the same tile, and only reads it besides.
LocalStoreOp refilledBy(LocalAllocOp alloc) {
  auto loop = dyn_cast<LoopLikeOpInterface>(alloc->getParentOp());
  LocalStoreOp fills;
  for (Operation *user : alloc.getResult().getUsers()) {
    if (isa<LocalLoadOp, DotFmaOp>(user))
      continue;
    auto store = dyn_cast<LocalStoreOp>(user);
    if (!store || fills || store->getBlock() != alloc->getBlock())
      return {};
    fills = store;
  }
  return loop && fills && loop.isDefinedOutsideOfLoop(fills.getValue()) ? fills : LocalStoreOp();
}

struct AllocateShared : public tilewright::impl::AllocateSharedPassBase<AllocateShared> {
  using AllocateSharedPassBase::AllocateSharedPassBase;

  /// Programs that find room on an SM side by side. What an SM has is what a program may have and what the driver keeps of it.
  int64_t residents(int64_t bytes) const {
    int64_t reserved = Target::kReservedSharedBytesPerBlock;
    return (limitBytes + reserved) / (llvm::alignTo(bytes, kAlignBytes) + reserved);
  }

  static int64_t wantedPrograms(func::FuncOp kernel) {
    auto occupancy = kernel->getAttrOfType<IntegerAttr>("tile.occupancy");
    return occupancy ? occupancy.getInt() : 1;
  }

  /// Buffers that each trip of a loop fills with the same tile are filled once, in front of it: the tile then needs no
  /// registers in the loop. They live longer for that, so not where too few programs would be left on an SM.
  void fillOnce(func::FuncOp func) {
    SmallVector<LocalAllocOp> allocs;
    func.walk<WalkOrder::PreOrder>([&](LocalAllocOp alloc) { allocs.push_back(alloc); });
    auto warps = func->getAttrOfType<IntegerAttr>("tile.num_warps");
    for (LocalAllocOp alloc : allocs)
      while (LocalStoreOp fills = refilledBy(alloc)) {
        Operation *loop = alloc->getParentOp();
        Order order(func);
        SmallVector<Buffer> buffers;
        for (LocalAllocOp each : allocs)
          buffers.push_back(measure(each, order));
        int64_t before = place(buffers);
        for (Buffer &buffer : buffers)
          if (buffer.alloc == alloc)
            std::tie(buffer.first, buffer.last) = order.of(loop);
        int64_t after = place(buffers);
        bool leavesRoom = residents(after) >= residents(before) ||
                          residents(after) * (warps ? warps.getInt() : 1) >= kWarpsToTakeTurns;
        bool isAsPromised = residents(after) >= std::min(wantedPrograms(func), residents(before));
        bool fits = after <= limitBytes && leavesRoom && isAsPromised;
        auto options = remark::RemarkOpts::name("FilledOnce").category(getArgument()).function(func.getSymName());
        if (!fits) {
          remark::missed(alloc.getLoc(), options)
              << remark::reason("filled again by every trip of a loop: kept through it, {0} bytes instead of {1} would be "
                                "needed, of {2}",
                                after, before, int64_t(limitBytes));
          break;
        }
        remark::passed(alloc.getLoc(), options)
            << remark::reason("every trip of a loop would fill it with the same tile") << remark::metric("bytes", after)
            << remark::metric("bytes before", before);
        alloc->moveBefore(loop);
        fills->moveBefore(loop);
      }
  }

  void runOnOperation() override {
    func::FuncOp func = getOperation();
    if (!func->hasAttr("tile.kernel"))
      return;
    fillOnce(func);
    Order order(func);
    SmallVector<Buffer> buffers;
    func.walk<WalkOrder::PreOrder>([&](LocalAllocOp alloc) { buffers.push_back(measure(alloc, order)); });
    int64_t total = place(buffers);
    if (total > limitBytes) {
      InFlightDiagnostic diag = emitError(func.getLoc(), "kernel needs ")
                                << total << " bytes of shared memory, the target has " << int64_t(limitBytes);
      if (const Target *first = findFirstTarget([&](const Target &t) { return t.maxSharedBytesPerBlock >= total; }))
        diag << "; " << first->name << " is the first target that has as much";
      for (Buffer *buffer : ArrayRef<Buffer *>(sortedBySize(buffers)).take_front(3))
        diag.attachNote(buffer->alloc.getLoc()) << "a buffer of " << buffer->sizeBytes << " bytes is needed here";
      return signalPassFailure();
    }
    int64_t programs = wantedPrograms(func);
    if (programs > 1 && residents(total) < programs) {
      emitError(func.getLoc(), "tile.occupancy asks for ")
          << programs << " programs on an SM, each of which needs " << total << " bytes of shared memory and "
          << Target::kReservedSharedBytesPerBlock << " for the system, but an SM has "
          << limitBytes + Target::kReservedSharedBytesPerBlock;
      return signalPassFailure();
    }
    Builder builder(&getContext());
    for (Buffer &buffer : buffers)
      buffer.alloc.setOffsetAttr(builder.getI64IntegerAttr(buffer.offsetBytes));
    func->setAttr("tile_gpu.shared_bytes", builder.getI64IntegerAttr(total));
  }
};

} // namespace
