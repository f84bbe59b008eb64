// SPDX-License-Identifier: Apache-2.0
/// \file
/// Shared-memory layouts: at which offset an element of a tile lies, and the choice of one.
///
/// The offset of an element is found in three steps:
///   1. *linear*: coordinates are numbered over the allocated shape, dimension order[0] fastest;
///   2. *swizzle*: bits of that number are exclusive-ored into lower bits, which permutes elements inside a row so
///      that a column touches all banks;
///   3. *padding*: `offset + offset / interval * amount` leaves gaps, which does the same for any pitch.
/// The swizzle {vec, perPhase, maxPhase} cuts a row into vectors of `vec` elements and numbers rows in phases:
/// `phase = row / perPhase % maxPhase`, `vector' = vector ^ phase`. Any other exclusive-or swizzle is given as a
/// matrix over the low bits of the linear offset.
///
/// Example. 8x64 f16, row-major, swizzle {8, 1, 8}: (3, 20) lies in vector 20 / 8 = 2 of row 3, which moves to vector
/// 2 ^ 3 = 1, so its offset is 3*64 + 1*8 + 20 % 8 = 204. The eight elements (0..7, 20) then lie in eight different
/// groups of four banks. This is the 128-byte swizzle of TMA.
#ifndef TILEWRIGHT_LAYOUT_SHAREDLAYOUT_H
#define TILEWRIGHT_LAYOUT_SHAREDLAYOUT_H

#include "tilewright/Layout/MatrixAccess.h"

namespace tilewright::layout {

/// Exclusive-or swizzle; all members are powers of two; {1, 1, 1} and any maxPhase of 1 is none.
struct Swizzle {
  int64_t vec = 1, perPhase = 1, maxPhase = 1;
  bool isNone() const { return maxPhase == 1; }
  bool operator==(const Swizzle &other) const {
    return vec == other.vec && perPhase == other.perPhase && maxPhase == other.maxPhase;
  }
};

/// After each `interval` elements `amount` elements are skipped; amount 0 is none.
struct Padding {
  int64_t interval = 1, amount = 0;
  bool isNone() const { return amount == 0; }
  bool operator==(const Padding &other) const { return interval == other.interval && amount == other.amount; }
};

/// Maps coordinates of a tile to an element offset in shared memory. Injective on the allocated shape. Immutable.
class SharedLayout {
public:
  /// Elements (padding included) that create() allows: more than any shared memory holds.
  static constexpr int64_t kMaxElements = int64_t(1) << 24;

  /// Checks everything, as attribute text comes through here: `allocated` covers `shape`; `order` is a permutation;
  /// the swizzle's parts are powers of two and vec * maxPhase divides the row, the allocated extent of dimension
  /// order[0]; `matrix`, if given, is square and regular, 2^bits divides the allocated elements, and there is no other
  /// swizzle. Returns nullopt and, if `error` is given, the reason.
  static std::optional<SharedLayout> create(std::vector<int64_t> shape, std::vector<int64_t> allocated,
                                            std::vector<unsigned> order, Swizzle swizzle = {},
                                            std::optional<LinearMap> matrix = std::nullopt, Padding padding = {},
                                            std::string *error = nullptr);
  /// No swizzle, no padding, `order` fastest first; rejects what create() rejects by an empty result.
  static std::optional<SharedLayout> makeRowMajor(const std::vector<int64_t> &shape,
                                                  const std::vector<unsigned> &order);

  const std::vector<int64_t> &shape() const { return tileShape; }
  const std::vector<int64_t> &allocatedShape() const { return allocShape; }
  unsigned rank() const { return tileShape.size(); }
  /// Dimensions, fastest first.
  const std::vector<unsigned> &order() const { return dimOrder; }
  const Swizzle &swizzle() const { return xorSwizzle; }
  const std::optional<LinearMap> &matrix() const { return xorMatrix; }
  const Padding &padding() const { return postPadding; }

  /// Element offset of `coord`, which lies inside the allocated shape.
  int64_t offsetOf(const Coord &coord) const;
  /// Step 1: number of `coord` before swizzle and padding.
  int64_t linearOf(const Coord &coord) const;
  /// Steps 2 and 3: element offset of that number.
  int64_t offsetOfLinear(int64_t linear) const;
  /// The inverse of offsetOf(): coordinates, inside the allocated shape, of the element at `offset`; nullopt in padding
  /// and outside of the allocated elements.
  std::optional<Coord> elementAt(int64_t offset) const;
  /// Elements to allocate, padding included: one more than the largest offset.
  int64_t allocatedElements() const;
  /// Distance in elements, before swizzle and padding, of two neighbours along `dim`.
  int64_t linearStride(unsigned dim) const;
  /// Power of two of elements along `dim` that, from each multiple of it, lie at consecutive offsets starting at a
  /// multiple of it: the widest vector that an access along `dim` may use. 1 for all but the fastest dimension.
  int64_t contiguous(unsigned dim) const;
  /// Fastest dimension whose allocated extent exceeds 1 (order()[0] if there is none; 0 for rank 0).
  unsigned fastestDim() const;
  /// Steps 1 and 2 as a map from the concatenated coordinate bits (last dimension lowest) to offset bits; nullopt if
  /// an allocated extent is no power of two or there is padding.
  std::optional<LinearMap> toLinearMap() const;

  bool operator==(const SharedLayout &other) const;
  bool operator!=(const SharedLayout &other) const { return !(*this == other); }
  size_t hash() const;
  std::string str() const;

private:
  SharedLayout() = default;
  std::vector<int64_t> tileShape, allocShape;
  std::vector<unsigned> dimOrder;
  Swizzle xorSwizzle;
  std::optional<LinearMap> xorMatrix;
  Padding postPadding;
};

/// Where everything is linear (powers of two, no digits, no padding): the map from the place bits of `dist`, as in
/// coreMap(), to offset bits. A thread's offset is then the exclusive or of the columns of its lane and warp
/// bits, and a register's is that exclusive-ored with a constant. Nullopt otherwise.
std::optional<LinearMap> placeToOffset(const DistributedLayout &dist, const SharedLayout &shared);

/// Widest vector, in elements, that one thread may move at once between registers of `dist` and shared memory: at most
/// 16 bytes, contiguous and aligned on both sides, never half outside a ragged shape.
int64_t sharedVectorWidth(const DistributedLayout &dist, const SharedLayout &shared, unsigned elementBytes);

/// What it costs all warps of a CTA to move a tile between registers of a layout and shared memory.
struct SharedAccessCost {
  int64_t vector = 1;    ///< elements per access
  int64_t accesses = 0;  ///< warp-wide accesses, all warps together
  double conflicts = 0;  ///< bank conflicts of an average access
  double wavefronts = 0; ///< steps of shared memory, all accesses together
  bool isConflictFree() const { return conflicts == 0; }
  /// Estimated cycles of one SM: the wavefronts, and a quarter for issuing each access.
  double cycles() const;
};
/// Computes it from the banks, on a sample of the accesses where they are many (exact where all is linear). If
/// `ownersOnly`, warps, lanes and registers that hold replicas take no part (a store). With an `origin`, only the block of
/// the tile that begins there and has the shape of `shared` moves; an access that has no lane in it costs its issue.
SharedAccessCost sharedAccessCost(const DistributedLayout &dist, const SharedLayout &shared, unsigned elementBytes,
                                  bool ownersOnly, const Coord *origin = nullptr);

/// A shared layout with what it costs both sides.
struct SharedChoice {
  SharedLayout layout;
  SharedAccessCost writer, reader;
  double cost; ///< wavefronts of both sides, the reader's weighted
  /// Set where the reader uses `ldmatrix`; `reader` then counts its rows.
  std::optional<MatrixAccess> matrices;
};
/// True if the rows that `access` names lie in one piece, on multiples of 16 bytes, in `shared`.
bool canReadMatrices(const MatrixAccess &access, const SharedLayout &shared, unsigned elementBytes);
/// The matrix loads that read `layout` from `shared`, wherever there are any: what a reader uses.
std::optional<MatrixAccess> findMatrixAccess(const DistributedLayout &layout, const SharedLayout &shared,
                                             unsigned elementBytes);
/// Picks order, swizzle and padding for a tile that `writer` stores and `reader` loads `readerWeight` times, by
/// the least cost, then least memory. Both layouts have the shape `shape`, whose extents need not be powers of two.
/// With `allowMatrix` a general matrix is considered too, which makes any two linear layouts of words conflict-free;
/// it is left out by default because a user must be able to represent and lower what it gets.
SharedChoice chooseShared(const DistributedLayout &writer, const DistributedLayout &reader, unsigned elementBytes,
                          const std::vector<int64_t> &shape, double readerWeight = 1.0, bool allowMatrix = false);

} // namespace tilewright::layout

template <> struct std::hash<tilewright::layout::SharedLayout> {
  size_t operator()(const tilewright::layout::SharedLayout &layout) const { return layout.hash(); }
};

#endif // TILEWRIGHT_LAYOUT_SHAREDLAYOUT_H
