// SPDX-License-Identifier: Apache-2.0
/// \file
/// State and services of the walk that rewrites a kernel as the program of one of its threads: which values stand for a
/// tile, where in the tile this thread is, and how addresses and predicates are formed. One source file per op
/// family implements the `emit...` members.
#ifndef TILEWRIGHT_LIB_CONVERSION_TILETOSIMT_THREADPROGRAM_H
#define TILEWRIGHT_LIB_CONVERSION_TILETOSIMT_THREADPROGRAM_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "tilewright/Dialect/Tile/IR/Tile.h"
#include "tilewright/Dialect/TileGPU/IR/TileGPU.h"
#include "tilewright/Layout/Conversion.h"

#include <map>

namespace tilewright::simt {

/// The warps that run a piece of a program together. Lowerings ask it for the warp index and the barrier, never the
/// hardware, so that a warp role is a change of scope.
struct ExecutionScope {
  unsigned firstWarp = 0;
  unsigned warpCount = 4;
  unsigned barrierId = 0;
};

/// What this thread knows about one layout: its own coordinate in each dimension, and what each register adds.
struct LayoutPlace {
  explicit LayoutPlace(layout::DistributedLayout layout) : layout(std::move(layout)) {}

  layout::DistributedLayout layout;
  llvm::SmallVector<mlir::Value> threadCoord;            ///< i32, one per dimension; registers come on top.
  std::vector<layout::Coord> registerOffset;             ///< One coordinate vector per register.
  mlir::Value isOwner;                                   ///< i1: not a replica; null if no thread is one.
  int64_t registers() const { return registerOffset.size(); }
};

/// A view as scalars.
struct ViewParts {
  mlir::Value base;                       ///< i64 address.
  llvm::SmallVector<mlir::Value> sizes;   ///< index, static ones as constants.
  llvm::SmallVector<mlir::Value> strides; ///< index, in elements.
};

class ThreadProgram {
public:
  ThreadProgram(mlir::func::FuncOp kernel, ExecutionScope scope);
  /// Builds the thread's program as a new function in front of the kernel, which takes its name; the kernel is erased. Emits one
  /// diagnostic and returns failure where an op has no such form.
  mlir::LogicalResult run();

private:
  using Value = mlir::Value;
  using Type = mlir::Type;
  using Location = mlir::Location;
  using Operation = mlir::Operation;
  using LogicalResult = mlir::LogicalResult;
  template <typename T> using SmallVector = llvm::SmallVector<T>;
  template <typename T> using ArrayRef = llvm::ArrayRef<T>;

  // Types and values (ThreadProgram.cpp).
  Type elementOf(Type element) const;
  LogicalResult convertType(Type type, llvm::SmallVectorImpl<Type> &result) const;
  mlir::VectorType vectorType(mlir::RankedTensorType tile) const;
  Value get(Value tile) { return parts(tile)[0]; }
  ArrayRef<Value> parts(Value value);
  void set(Value value, llvm::ArrayRef<Value> parts);
  void set(Value value, Value part) { set(value, llvm::ArrayRef<Value>(part)); }
  ViewParts viewParts(Value view);
  /// Valid in the block that the builder is in, from where it stands on.
  const LayoutPlace &place(tile_gpu::LayoutAttr layout);
  bool holdsPlaces();
  const LayoutPlace &place(Type tile);
  Value bitsToCoord(mlir::OpBuilder &at, Location loc, Value index, const layout::Bases &bases, unsigned dim);

  // Small builders.
  Value i32(Location loc, int64_t value);
  Value index(Location loc, int64_t value);
  Value boolean(Location loc, bool value);
  Value both(Location loc, Value a, Value b); ///< Conjunction; null means true.
  Value toIndex(Location loc, Value i32);
  Value splat(Location loc, Value scalar, int64_t count);
  Value pick(Location loc, Value vector, ArrayRef<int64_t> lanes);  ///< vector.shuffle of one vector.
  Value slice(Location loc, Value vector, int64_t first, int64_t count); ///< A scalar where count is 1.
  Value concat(Location loc, ArrayRef<Value> pieces);               ///< Scalars or vectors to one vector.
  /// Coordinate `dim` of register `reg` as i32.
  Value coordinate(Location loc, const LayoutPlace &place, unsigned dim, int64_t offset);
  /// i1 that register coordinates lie in the tile; null if they always do.
  Value inside(Location loc, const LayoutPlace &place, const layout::Coord &offset);

  // Walking.
  LogicalResult emitBlock(mlir::Block &block);
  LogicalResult emit(Operation *op);
  LogicalResult emitElementwise(Operation *op);
  LogicalResult emitControlFlow(Operation *op);

  // Constants and shapes (EmitShape.cpp).
  LogicalResult emitConstant(mlir::arith::ConstantOp op);
  LogicalResult emitIota(tile::IotaOp op);
  LogicalResult emitBroadcast(tile::BroadcastOp op);
  LogicalResult emitReshape(tile::ReshapeOp op);
  LogicalResult emitPermute(tile::PermuteOp op);
  LogicalResult emitConvertLayout(tile_gpu::ConvertLayoutOp op);
  Value emitShuffles(Location loc, Value value, const layout::ShufflePlan &plan);
  LogicalResult emitAssume(tile::AssumeOp op);
  LogicalResult emitTf32(Operation *op);

  // Blocks of tiles in registers, and of buffers (EmitBlocks.cpp).
  void forEachBlock(Location loc, mlir::ValueRange indices, const layout::DistributedLayout &whole,
                    const layout::DistributedLayout &block,
                    llvm::function_ref<void(const layout::Coord &origin, Value isNamed)> visit);
  LogicalResult emitConcat(tile::ConcatOp op);
  LogicalResult emitExtract(tile::ExtractOp op);
  LogicalResult emitInsert(tile::InsertOp op);
  LogicalResult emitMemDescBlock(tile_gpu::MemDescBlockOp op);

  // Global memory (EmitGlobal.cpp).
  struct Reach; ///< Addresses and predicates of one block access.
  LogicalResult emitMakeView(tile::MakeViewOp op);
  LogicalResult emitLoad(tile::LoadOp op);
  LogicalResult emitStore(tile::StoreOp op);
  LogicalResult emitGather(tile::GatherOp op);
  LogicalResult emitScatter(tile::ScatterOp op);
  template <typename OpTy> LogicalResult emitBlockLoad(OpTy op);
  template <typename OpTy> LogicalResult emitBlockStore(OpTy op);
  LogicalResult emitReduceInto(tile::ReduceIntoOp op);
  LogicalResult emitLoadPtr(tile::LoadPtrOp op);
  LogicalResult emitStorePtr(tile::StorePtrOp op);
  LogicalResult emitPtrAdd(tile::PtrAddOp op);
  LogicalResult checkMemoryElement(Operation *op, Type element);
  int64_t vectorWidth(Operation *op, const LayoutPlace &place, int64_t bytes);

  // Global memory that programs share (EmitAtomic.cpp).
  LogicalResult emitAtomicRmw(tile::AtomicRmwOp op);
  LogicalResult emitAtomicCas(tile::AtomicCasOp op);
  /// The register of this thread that holds the element of `reg` already; none if `reg` is the first.
  static std::optional<int64_t> firstReplica(const LayoutPlace &place, int64_t reg);
  /// Emits `one(reg, pred)` for each element, `pred` telling whether this thread performs it; gives the results as a vector, or
  /// null where `one` gives none.
  Value emitForOwners(Location loc, const LayoutPlace &place, Value mask,
                      llvm::function_ref<Value(int64_t reg, Value pred)> one);

  // Shared memory (EmitShared.cpp).
  Value sharedOffset(Location loc, tile_gpu::MemDescType type, Value base, ArrayRef<Value> coords);
  Value sharedOffset(Location loc, tile_gpu::MemDescType type, Value base, const LayoutPlace &place,
                     const layout::Coord &offset);
  // The same as a thread's part and constants (SharedAddress.cpp); nullopt where the two interfere.
  std::optional<Value> splitSharedOffset(Location loc, tile_gpu::MemDescType type, Value base,
                                         const LayoutPlace &place, const layout::Coord &offset);
  Value threadSharedOffset(tile_gpu::MemDescType type, const LayoutPlace &place);
  bool holdsSharedOffsets();
  LogicalResult emitLocalStore(tile_gpu::LocalStoreOp op);
  LogicalResult emitLocalLoad(tile_gpu::LocalLoadOp op);
  struct BlockReach; ///< Where the registers of a tile lie in a buffer for one block of it.
  LogicalResult emitLocalStoreBlock(tile_gpu::LocalStoreBlockOp op);
  LogicalResult emitLocalLoadBlock(tile_gpu::LocalLoadBlockOp op);
  LogicalResult emitDotFma(tile_gpu::DotFmaOp op);

  // Tensor cores (EmitMma.cpp).
  void deferOrLoadMatrices(tile_gpu::LocalLoadOp op, const layout::MatrixAccess &access);
  void emitLoadMatrices(tile_gpu::LocalLoadOp op, const layout::MatrixAccess &access);
  /// Instruction number `group` of the load: `access.words` words, a vector.
  Value emitLoadMatrix(tile_gpu::LocalLoadOp op, const layout::MatrixAccess &access, int64_t group);
  Value zeroOutside(Location loc, Value vector, const LayoutPlace &where, unsigned dim);
  LogicalResult emitDotMma(tile_gpu::DotMmaOp op);

  // Reductions (EmitReduce.cpp).
  LogicalResult emitPartialReduce(tile_gpu::PartialReduceOp op);
  SmallVector<Value> combine(mlir::Block &body, ArrayRef<Value> accs, ArrayRef<Value> elems, int64_t count);
  SmallVector<Value> combineEach(mlir::Block &body, ArrayRef<Value> accs, ArrayRef<Value> elems, int64_t count);
  /// Failure, with an error, if the combiner of `op` holds what no thread can run.
  LogicalResult checkCombiner(Operation *op);
  Value shuffleBits(Location loc, tile_gpu::ShuffleMode mode, Value vector, Value lane);

  // Scans (EmitScan.cpp).
  struct Part; ///< What a run of elements comes to, and whether it has any.
  Part joinParts(Location loc, mlir::Block &body, const Part &before, const Part &after, int64_t count);
  Part choosePart(Location loc, Value condition, const Part &yes, const Part &no);
  LogicalResult emitPartialScan(tile_gpu::PartialScanOp op);
  LogicalResult emitAddPrefix(tile_gpu::AddPrefixOp op);

  mlir::func::FuncOp kernel;
  ExecutionScope scope;
  mlir::OpBuilder builder;
  mlir::OpBuilder entry; ///< Inserts where everything below is dominated: thread coordinates live there.
  llvm::DenseMap<Value, SmallVector<Value>> values;
  /// By layout and block; null: the entry, which dominates all.
  std::map<std::pair<const void *, mlir::Block *>, std::unique_ptr<LayoutPlace>> places;
  std::optional<bool> arePlacesHeld;
  using OffsetKey = std::pair<std::pair<mlir::Block *, const LayoutPlace *>, std::pair<mlir::Attribute, int64_t>>;
  llvm::DenseMap<OffsetKey, Value> sharedOffsets; ///< By block (null: the entry), layout, buffer's layout, bytes.
  std::optional<bool> holdsOffsets;
  llvm::DenseMap<Value, layout::MatrixAccess> deferredLoads; ///< Loads that a product issues as it needs them.
  Value lane, warp;
};

} // namespace tilewright::simt

#endif // TILEWRIGHT_LIB_CONVERSION_TILETOSIMT_THREADPROGRAM_H
