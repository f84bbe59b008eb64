// SPDX-License-Identifier: Apache-2.0
/// \file
/// How the chain from an accumulator to its store is cut into parts, as a decision apart from the rewrite.
///
/// Asking for some columns of a value is a *slice* (value, dimension). Each op answers a slice in one way: an
/// element-wise op computes on slices of its operands, a load reads at an offset, a constant is cut, a broadcast repeats
/// what it repeated, and the *accumulator*, which products made, is cut in registers by `tile.extract`. A part of a
/// store asks for its columns of the value; what those need is computed, converted and stored before the next part is,
/// so that each part goes through shared memory of one part's size, which all parts use in turn.
///
/// Along which dimension: that of the product's columns. A thread holds several columns of a product, while rows are
/// spread over warps, so columns can be cut without moving anything, whichever dimension the memory walks fastest.
///
/// What a chain shares with others stays whole for them. A value that one store can have in parts and another user needs
/// whole is refused: it would be computed, or read, twice.
#ifndef TILEWRIGHT_DIALECT_TILE_TRANSFORMS_EPILOGUEPLAN_H
#define TILEWRIGHT_DIALECT_TILE_TRANSFORMS_EPILOGUEPLAN_H

#include "tilewright/Dialect/Tile/IR/Tile.h"
#include "tilewright/Target/Target.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <string>

namespace tilewright {

/// Columns [begin, begin + extent) of a tile.
struct EpiloguePart {
  int64_t begin = 0, extent = 0;
  bool operator==(const EpiloguePart &other) const { return begin == other.begin && extent == other.extent; }
};

/// Least columns of a part; each part has a multiple of it.
inline constexpr int64_t kEpilogueUnit = 16;

/// Cuts `columns` into `count` parts whose extents differ by as little as multiples of `kEpilogueUnit` allow, wider ones
/// first: 208 in 2 is 112 + 96. Where twice the unit will do it is taken: 192 in 4 is 64 + 64 + 32 + 32, because up to four
/// warps side by side interleave their columns, and a part must have some of each. Empty if `columns` is no multiple of the
/// unit or has fewer than `count` of them.
llvm::SmallVector<EpiloguePart> cutColumns(int64_t columns, int64_t count);

/// What the number of parts is chosen from. Registers are 32-bit words of one thread.
struct EpilogueCost {
  int64_t columns = 0;
  /// Least columns of a part for which its rows are whole lines of memory; the unit where rows are not contiguous.
  int64_t leastColumns = kEpilogueUnit;
  int64_t accumulatorRegisters = 0;
  /// What the chain holds besides, if it is not cut: what is read and what is stored.
  int64_t chainRegisters = 0;
  /// What a thread may have, less what addresses and counters take.
  int64_t registerBudget = 0;
  /// Shared memory through which the uncut tile goes to become rows; 0 where it is stored as it is held.
  int64_t stagingBytes = 0;
  /// Shared memory that the products use before, and that the staging takes over.
  int64_t loopBytes = 0;
};

/// The least of 1, 2 and 4 parts with which the chain fits into the registers and takes no more shared memory than the
/// products did; as many as `leastColumns` allows where that is not enough.
int64_t chooseEpilogueParts(const EpilogueCost &cost);

/// How an op answers for a slice of its result.
enum class SliceAnswer {
  Extract,     ///< An accumulator, cut in registers.
  Constant,    ///< A constant or poison of fewer elements.
  Splat,       ///< One scalar everywhere.
  Iota,        ///< Counts from a later start.
  Broadcast,   ///< A broadcast of what repeats, or of a slice.
  Reshape,     ///< Dimensions of extent 1 come or go.
  Permute,     ///< Other dimensions change places.
  Elementwise, ///< The op runs on slices.
  Load,        ///< A block is read at an offset.
};

/// A slice that a plan asks for. `operands` are the numbers of the slices that the answer needs, one per tile operand
/// that is cut.
struct EpilogueSlice {
  mlir::Value value;
  unsigned dim = 0;
  SliceAnswer answer = SliceAnswer::Extract;
  llvm::SmallVector<unsigned> operands;
  /// Whether neither memory nor a product is behind it: it costs nothing to have it twice.
  bool isFree = false;
  /// Of a load: whether each part is read just before it is needed, because no store between may write it.
  bool isSunk = false;
};

/// What to do with one store whose value comes from a product.
struct EpilogueDecision {
  tile::StoreOp store;
  /// Why it is left whole; empty if it is cut.
  std::string reason;
  /// Whether `reason` says that cutting is needless rather than impossible.
  bool isNeedless = false;
  /// The number of parts that an attribute or the option asks for, and which; 0 for none.
  int64_t asked = 0;
  std::string asker;
  unsigned dim = 0;
  llvm::SmallVector<EpiloguePart> parts;
  /// Number 0 is the stored value.
  llvm::SmallVector<EpilogueSlice> slices;
  EpilogueCost cost;
  /// The first load that stays in front of the stores, and why; null if there is none.
  mlir::Operation *earlyLoad = nullptr;
  std::string earlyReason;

  /// Whether something is asked for that cannot be had; a store is whole as it is, so one part always can.
  bool isImpossible() const { return asked > 1 && !reason.empty(); }
};

/// Decides for each store of `kernel` whose value comes from a product, or that asks for parts itself, in program
/// order. `parts` and `numWarps` are for stores and kernels that do not say, 0 to choose. Changes nothing.
std::vector<EpilogueDecision> planEpilogue(mlir::func::FuncOp kernel, const Target &target, unsigned parts,
                                           unsigned numWarps);

} // namespace tilewright

#endif // TILEWRIGHT_DIALECT_TILE_TRANSFORMS_EPILOGUEPLAN_H
