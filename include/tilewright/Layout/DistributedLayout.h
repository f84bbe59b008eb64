// SPDX-License-Identifier: Apache-2.0
/// \file
/// Distributed layouts: which element of a tile is held by which register of which thread.
///
/// A *place* is (register, lane, warp, block). A layout maps each place to the coordinates of the element it holds.
/// Write the numbers in binary: bit j of the lane contributes a fixed coordinate vector, its *basis*, and the core
/// coordinates of a place are the exclusive or of the bases of all bits set in it (see LinearMap.h). An extent that is
/// no power of two adds *outer digits*: 192 = 3 x 64 is a core of 64 and a digit with radix 3 and stride 64,
/// whose value (0, 1 or 2) times 64 is added. A digit is *placed*: it extends the register, warp or block index
/// beyond its bits: `register = coreRegister + 2^registerBits * (first digit + radix of first * (second digit + ..))`.
///
/// Example. Shape 4x16, one warp, two elements side by side per thread:
///     register bases {(0,1)}, lane bases {(0,2), (0,4), (0,8), (1,0), (2,0)}.
/// Lane 13 = 0b01101 holds row 1 (bit 3) and columns 2 ^ 8 = 10 and, in register 1, 10 ^ 1 = 11.
/// With shape 12x16 a digit {dim 0, radix 3, stride 4, Register} is added: register 5 = 1 + 2*2 has core register 1
/// and digit value 2, so lane 13 holds row 1 + 2*4 = 9, column 11 there.
///
/// Several places may hold the same element (*replicas*: a zero or dependent basis), and places may lie outside the
/// shape (*ragged*: extent 17 in a core of 32). Every element of the shape is held by at least one place.
///
/// Shape operations act on coordinates only: they move no data, and that they are right is one line of algebra each.
#ifndef TILEWRIGHT_LAYOUT_DISTRIBUTEDLAYOUT_H
#define TILEWRIGHT_LAYOUT_DISTRIBUTEDLAYOUT_H

#include "tilewright/Layout/LinearMap.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace tilewright::layout {

/// One entry per tile dimension.
using Coord = std::vector<int64_t>;
/// One coordinate vector per input bit.
using Bases = std::vector<std::vector<int64_t>>;

/// Lanes of a warp.
constexpr unsigned kWarpSize = 32;

/// One digit of a non-power-of-two extent: value v in [0, radix) adds v*stride to coordinate `dim`. A warp or block
/// digit with stride 0 (then dim is 0) makes replicas, for warp counts that are no power of two.
struct OuterDigit {
  /// The index that the digit extends.
  enum class Place { Register, Warp, Block };
  unsigned dim;
  int64_t radix;
  int64_t stride;
  Place place;

  bool operator==(const OuterDigit &other) const {
    return dim == other.dim && radix == other.radix && stride == other.stride && place == other.place;
  }
  bool operator!=(const OuterDigit &other) const { return !(*this == other); }
};

/// How register numbers change when an operation merges registers that hold the same element.
struct RegisterMap {
  /// For each new register one old register that holds the same element.
  std::vector<int64_t> newToOld;
  /// For each old register the new register that holds the same element (after the operation on coordinates).
  std::vector<int64_t> oldToNew;
};

/// Maps places to elements: an F2 core (bases of register, lane, warp, block bits; coordinates XOR together) plus outer
/// digits (added). Immutable.
class DistributedLayout {
public:
  /// Limits that create() enforces, so that no attribute text can make the compiler allocate without bound.
  static constexpr unsigned kMaxRank = 8, kMaxRegisterBits = 16, kMaxWarps = 32, kMaxBlocks = 32;
  static constexpr int64_t kMaxRegisters = int64_t(1) << kMaxRegisterBits, kMaxElements = int64_t(1) << 31;

  /// Checks everything, since untrusted attribute text comes through here: ranks, exactly five lane bases, the core
  /// onto its box of power-of-two extents, per dimension digit strides that continue the core extent as a mixed radix
  /// number, each element of `shape` covered, sizes bounded. Returns nullopt and, if `error` is given, the reason.
  static std::optional<DistributedLayout> create(std::vector<int64_t> shape, Bases reg, Bases lane, Bases warp,
                                                 Bases block, std::vector<OuterDigit> digits,
                                                 std::string *error = nullptr);

  const std::vector<int64_t> &shape() const { return tileShape; }
  unsigned rank() const { return tileShape.size(); }
  const Bases &registerBases() const { return regBases; }
  const Bases &laneBases() const { return lnBases; }
  const Bases &warpBases() const { return wpBases; }
  const Bases &blockBases() const { return blBases; }
  const std::vector<OuterDigit> &digits() const { return outerDigits; }

  unsigned numWarps() const;
  unsigned numBlocks() const;
  unsigned numThreads() const { return numWarps() * kWarpSize; }
  /// 2^registerBits * product of the radices of register digits.
  int64_t registersPerThread() const;

  /// Coordinates of the element in a place; may lie outside the shape (ragged padding).
  Coord coordinates(int64_t reg, unsigned lane, unsigned warp, unsigned block = 0) const;
  /// coordinates(reg, 0, 0): what is added to (if registersAddTo) or combined with the thread's part.
  Coord registerOffset(int64_t reg) const;
  /// True if the coordinates lie inside the shape.
  bool isInside(const Coord &coord) const;
  /// True if some place lies outside the shape (in dimension `dim`).
  bool isRagged() const;
  bool isRagged(unsigned dim) const;
  /// Power of two of the core in `dim`; core and digits together reach paddedExtent(dim) >= shape()[dim].
  int64_t coreExtent(unsigned dim) const;
  int64_t paddedExtent(unsigned dim) const;
  /// True if in `dim` the register bits and the lane, warp and block bits reach disjoint coordinate bits, so that
  /// coordinate = thread part + registerOffset(reg) (always so for the digits).
  bool registersAddTo(unsigned dim) const;
  /// Power of two of elements along `dim` that consecutive registers (from a multiple of it) hold in consecutive
  /// coordinates from a multiple of it, in every thread: the widest vector an access along `dim` may use. Where
  /// the layout is ragged a run may end outside the shape, unless the run divides the extent.
  int64_t contiguousPerThread(unsigned dim) const;

  /// Lane, warp and block bits (of the core) that make replicas: their basis depends on the bases of the registers and
  /// of lower bits (zero included). The places whose redundant bits are all zero hold each element of the core once.
  uint32_t freeLaneMask() const;
  uint32_t freeWarpMask() const;
  uint32_t freeBlockMask() const;
  /// The same for register bits: registers that hold what a lower register of the thread holds.
  uint64_t freeRegisterMask() const;
  /// Bit i is set if lane/warp/block i owns its elements. A store, an atomic or a reduction is done by owners only;
  /// digits that replicate are included here.
  uint32_t ownerLanes() const;
  uint32_t ownerWarps() const;
  uint32_t ownerBlocks() const;
  /// True for exactly one place of each element of the padded box.
  bool isOwner(int64_t reg, unsigned lane, unsigned warp, unsigned block = 0) const;
  /// True if each basis lies either along `dim` or across it, so that reducing `dim` needs only the bits along it.
  bool separates(unsigned dim) const;

  /// The core as a map from the bits of (block : warp : lane : register), register lowest, to the concatenated
  /// coordinate bits, last dimension lowest, log2(coreExtent) bits each.
  LinearMap coreMap() const;

  // Shape operations; none moves data.

  /// Result of a reduction over `dim`: removes that coordinate. Register bits and digits that hold nothing new after
  /// it go (`map` tells which register is which); lanes and warps stay as replicas.
  DistributedLayout dropDim(unsigned dim, RegisterMap *map = nullptr) const;
  /// Adds a dimension of extent 1 before dimension `dim` (or at the end).
  DistributedLayout insertDim(unsigned dim) const;
  /// Dimension i of the result is dimension order[i] of this.
  DistributedLayout permute(const std::vector<unsigned> &order) const;
  /// The source of a broadcast to this layout: in dimensions where `shape` has extent 1 the coordinate becomes 0.
  /// Registers merge as in dropDim: register r of this reads register map->oldToNew[r] of the result. Nullopt if
  /// `shape` has another rank or an extent that is neither 1 nor that of this.
  std::optional<DistributedLayout> restrictTo(const std::vector<int64_t> &shape, RegisterMap *map = nullptr) const;
  /// The layout with each element keeping its place and its row-major index; nullopt if the result is no layout:
  /// digits or padding that the new extents cut.
  std::optional<DistributedLayout> reshape(const std::vector<int64_t> &newShape) const;

  bool operator==(const DistributedLayout &other) const;
  bool operator!=(const DistributedLayout &other) const { return !(*this == other); }
  size_t hash() const;
  /// For example `[4, 16] reg=[[0, 1]] lane=[...] warp=[] block=[] digits=[0: 3 x 4 register]`.
  std::string str() const;

private:
  DistributedLayout() = default;
  const Bases &bases(unsigned place) const;
  uint64_t redundantBits() const;
  DistributedLayout mergeRegisters(RegisterMap *map) const;

  std::vector<int64_t> tileShape;
  Bases regBases, lnBases, wpBases, blBases;
  std::vector<OuterDigit> outerDigits;
  std::vector<unsigned> coreBits; ///< log2 of the core extent of each dimension
};

/// Blocked layout of any shape with extents >= 1. Each thread holds `sizePerThread` (powers of two; cut to what divides
/// the extent) contiguous elements; lanes, then warps, then registers are spread along `order` (fastest dimension
/// first) in multiples that waste little: 192 becomes 3 x 64, 100 is ragged. What a small tile leaves over of lanes
/// and warps replicates. numWarps is 1 to 32, not only a power of two. Nullopt and the reason if the tile or the warps
/// exceed the limits of DistributedLayout (65536 registers per thread: far beyond what any target can hold).
std::optional<DistributedLayout> tryMakeBlocked(const std::vector<int64_t> &shape,
                                                const std::vector<int64_t> &sizePerThread,
                                                const std::vector<unsigned> &order, unsigned numWarps,
                                                std::string *error = nullptr);
/// The same for a tile that is known to be within the limits (asserted).
DistributedLayout makeBlocked(const std::vector<int64_t> &shape, const std::vector<int64_t> &sizePerThread,
                              const std::vector<unsigned> &order, unsigned numWarps);

/// Accumulator of a dot on FMA units; the last two dimensions are M and N, leading ones are batch dimensions. A thread
/// holds blocks of 4x4 (less for small tiles), a warp 4x8 of them (M x N), so that operands are read from
/// shared memory as conflict-free 16-byte vectors and each is used four times per block. Nullopt as above, and for a
/// rank below 2.
std::optional<DistributedLayout> tryMakeFmaAccumulator(const std::vector<int64_t> &shape, unsigned numWarps,
                                                       std::string *error = nullptr);
/// The same for a tile that is known to be within the limits (asserted).
DistributedLayout makeFmaAccumulator(const std::vector<int64_t> &shape, unsigned numWarps);

} // namespace tilewright::layout

template <> struct std::hash<tilewright::layout::DistributedLayout> {
  size_t operator()(const tilewright::layout::DistributedLayout &layout) const { return layout.hash(); }
};

#endif // TILEWRIGHT_LAYOUT_DISTRIBUTEDLAYOUT_H
