// SPDX-License-Identifier: Apache-2.0
#include "tilewright/Conversion/TileToTileGPU/Passes.h"
#include "tilewright/Target/Target.h"

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

struct Buffer {
  LocalAllocOp alloc;
  int64_t sizeBytes = 0, offsetBytes = -1;
  unsigned first = 0, last = 0; ///< Live range, in numbers of ops in program order.
};

struct AllocateShared : public tilewright::impl::AllocateSharedPassBase<AllocateShared> {
  using AllocateSharedPassBase::AllocateSharedPassBase;

  DenseMap<Operation *, std::pair<unsigned, unsigned>> span; ///< First and last number in an op, nested ones included.
  unsigned next = 0;

  void number(Operation *op) {
    unsigned first = next++;
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (Operation &inner : block)
          number(&inner);
    span[op] = {first, next++};
  }

  Buffer measure(LocalAllocOp alloc) {
    Buffer buffer{alloc, alloc.getResult().getType().getSizeInBytes()};
    buffer.first = span[alloc].first;
    buffer.last = span[alloc].second;
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
        buffer.first = std::min(buffer.first, span[holder].first);
        buffer.last = std::max(buffer.last, span[holder].second);
      }
    return buffer;
  }

  void runOnOperation() override {
    func::FuncOp func = getOperation();
    if (!func->hasAttr("tile.kernel"))
      return;
    span.clear();
    next = 0;
    number(func);
    SmallVector<Buffer> buffers;
    func.walk<WalkOrder::PreOrder>([&](LocalAllocOp alloc) { buffers.push_back(measure(alloc)); });
    SmallVector<Buffer *> bySize;
    for (Buffer &buffer : buffers)
      bySize.push_back(&buffer);
    llvm::stable_sort(bySize, [](Buffer *a, Buffer *b) { return a->sizeBytes > b->sizeBytes; });
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
    if (total > limitBytes) {
      InFlightDiagnostic diag = emitError(func.getLoc(), "kernel needs ")
                                << total << " bytes of shared memory, the target has " << int64_t(limitBytes);
      if (const Target *first = findFirstTarget([&](const Target &t) { return t.maxSharedBytesPerBlock >= total; }))
        diag << "; " << first->name << " is the first target that has as much";
      for (Buffer *buffer : ArrayRef<Buffer *>(bySize).take_front(3))
        diag.attachNote(buffer->alloc.getLoc()) << "a buffer of " << buffer->sizeBytes << " bytes is needed here";
      return signalPassFailure();
    }
    Builder builder(&getContext());
    for (Buffer &buffer : buffers)
      buffer.alloc.setOffsetAttr(builder.getI64IntegerAttr(buffer.offsetBytes));
    func->setAttr("tile_gpu.shared_bytes", builder.getI64IntegerAttr(total));
  }
};

} // namespace
