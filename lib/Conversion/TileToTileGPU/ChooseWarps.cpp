// SPDX-License-Identifier: Apache-2.0
#include "tilewright/Analysis/LiveTiles.h"
#include "tilewright/Conversion/TileToTileGPU/LayoutPlan.h"
#include "tilewright/Dialect/Tile/Transforms/DotChoice.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tilewright;

/// Warps of a kernel that nothing tells otherwise, and the most that are chosen.
static constexpr int64_t kUsualWarps = 4, kMostWarps = 16;
/// Fewer warps than usual have to save so much of a kernel's estimated cycles: less is within the error of the
/// estimate. On an H200 triangular_inverse_16, estimated at 0.78 with one warp, takes 0.79 of the time of four.
static constexpr double kLeastGain = 0.125;
/// Registers of a thread for tiles: operands and addresses need the rest of 255.
static constexpr int64_t kMostRegisters = 200;

/// Whether a product on tensor cores reads `tile` byte by byte: matrix loads bring words that run along K, and
/// transpose pairs of bytes, no single ones.
static bool isReadByBytes(Value tile, const AccessShape &access) {
  RankedTensorType type = tileType(tile);
  return tile_gpu::getElementBytes(type.getElementType()) == 1 && llvm::any_of(tile.getUses(), [&](OpOperand &use) {
           auto dot = dyn_cast<tile::DotOp>(use.getOwner());
           if (!dot || use.getOperandNumber() > 1 || recordedFamily(dot) != MmaFamily::MmaSync)
             return false;
           return access.contiguousDim != type.getRank() - 1 - use.getOperandNumber();
         });
}

/// 32-bit registers that the tiles which `block` loads take in all threads together. What comes element by element, or
/// is read so by a product, has a register each, however narrow.
static int64_t loadedRegisters(Block &block, const AccessShapes &access) {
  int64_t registers = 0;
  for (Operation &op : block)
    for (Value result : op.getResults())
      if (isa<tile::LoadOp, tile::LoadPtrOp>(op) && isTile(result)) {
        RankedTensorType type = tileType(result);
        int64_t bytes = std::max<int64_t>(tile_gpu::getElementBytes(type.getElementType()), 1);
        AccessShape shape = access.lookup(&op);
        bool isPacked = shape.vectorElements * bytes >= 4 && !isReadByBytes(result, shape);
        registers += type.getNumElements() * (isPacked ? bytes : std::max<int64_t>(bytes, 4)) / 4;
      }
  return registers;
}

/// Warps by products alone, from `usual` on.
static int64_t warpsForProducts(func::FuncOp func, const AccessShapes &access, int64_t usual) {
  // Tensor cores read each operand once per warp tile: the larger the tile, the less there is to read. On an H200 a
  // 128x128 tile takes 0.45 ms by 4 warps and 0.69 ms by 8 for 4096^3 in bf16 (docs/benchmarks).
  constexpr int64_t kFmaSums = 64, kMmaSums = 128;
  int64_t warps = usual;
  func.walk([&](tile::DotOp dot) {
    RankedTensorType type = tileType(dot.getAcc());
    int64_t words = std::max<int64_t>(tile_gpu::getElementBytes(type.getElementType()), 4) / 4;
    int64_t sums = type.getNumElements() * words, loads = loadedRegisters(*dot->getBlock(), access);
    bool isFma = recordedFamily(dot) == MmaFamily::Fma;
    auto fits = [&] {
      int64_t threads = warps * layout::kWarpSize;
      return sums <= threads * (isFma ? kFmaSums : kMmaSums) && (isFma || sums + loads <= threads * kMostRegisters);
    };
    while (warps < kMostWarps && !fits())
      warps *= 2;
  });
  return warps;
}

/// Loops that reduce or scan tiles and touch no memory: nothing but their own steps and barriers make a trip long.
/// Where a loop reads or writes, more warps have more accesses under way.
static SmallVector<scf::ForOp> findClosedLoops(func::FuncOp func) {
  SmallVector<scf::ForOp> loops;
  func.walk([&](scf::ForOp loop) {
    WalkResult found = loop.walk([](Operation *op) {
      return isa<tile::ReduceOp, tile::ScanOp>(op) ? WalkResult::interrupt() : WalkResult::advance();
    });
    if (found.wasInterrupted() && isMemoryEffectFree(loop))
      loops.push_back(loop);
  });
  return loops;
}

unsigned tilewright::pickWarps(ArrayRef<WarpEstimate> estimates) {
  const WarpEstimate *best = &estimates.front();
  double most = (1 - kLeastGain) * best->cycles;
  for (const WarpEstimate &estimate : estimates.drop_front())
    if (estimate.registers <= kMostRegisters && estimate.cycles <= most && estimate.cycles < estimates.front().cycles &&
        (best == &estimates.front() || estimate.cycles < best->cycles))
      best = &estimate;
  return best->warps;
}

WarpChoice tilewright::chooseWarps(func::FuncOp func, const AccessShapes &access, unsigned wanted) {
  if (auto pinned = func->getAttrOfType<IntegerAttr>("tile.num_warps"))
    return {static_cast<unsigned>(pinned.getInt()), {}};
  if (wanted != 0)
    return {wanted, {}};
  int64_t usual = warpsForProducts(func, access, kUsualWarps);
  SmallVector<scf::ForOp> loops = findClosedLoops(func);
  if (usual > kUsualWarps || loops.empty())
    return {static_cast<unsigned>(usual), {}};
  WarpChoice choice;
  for (int64_t warps = usual; warps > 0; warps /= 2) {
    if (warps != usual && warpsForProducts(func, access, warps) != warps)
      break;
    int64_t registers = 0;
    for (scf::ForOp loop : loops)
      registers = std::max(registers, measureLiveTiles(loop).registers(/*copies=*/1, warps * layout::kWarpSize));
    choice.estimates.push_back({unsigned(warps), planLayouts(func, access, warps).cyclesAfter, registers});
  }
  choice.warps = pickWarps(choice.estimates);
  return choice;
}
