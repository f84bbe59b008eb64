// SPDX-License-Identifier: Apache-2.0
/// \file
/// The boxes and the swizzle of a tensor map, from the layout of the tile that threads read from shared memory (or write to it):
/// the choice that the accesses of a warp conflict least on. TmaRules.h has what is legal.
///
/// A tile larger than a box lies in shared memory box behind box, the boxes along the innermost dimension first. In a
/// box, rows of the innermost dimension follow each other. A swizzle needs rows of exactly its span, so a wide tile is
/// cut into columns of boxes.
///
/// Example. 128x64 f16 that lanes read as fragments, eight rows at a time: rows of 128 bytes put these eight into the
/// same banks; with the swizzle of 128 bytes each row starts in banks of its own. One box of 64x128.
#ifndef TILEWRIGHT_LAYOUT_TMABOX_H
#define TILEWRIGHT_LAYOUT_TMABOX_H

#include "tilewright/Layout/DistributedLayout.h"
#include "tilewright/Support/TmaRules.h"

namespace tilewright::layout {

struct TmaBoxChoice {
  TmaSwizzle swizzle = TmaSwizzle::None;
  /// Per tile dimension; divides the extent.
  std::vector<uint32_t> box;
  int64_t numBoxes = 1;
  /// Bank conflicts of an average access of a warp, over all layouts.
  double conflicts = 0;
};

/// Byte offset of the element at `coord` in boxes of `box`, with `order` naming the tile dimensions innermost first. Each box
/// begins at a multiple of 1024 bytes, which every swizzle is content with.
int64_t tmaOffsetBytes(const Coord &coord, const std::vector<int64_t> &shape, const std::vector<uint32_t> &box,
                       const std::vector<unsigned> &order, TmaSwizzle swizzle, unsigned elementBytes);

/// The choice for a tile whose dimensions lie in memory as `order` says, innermost first, and which threads hold as each of
/// `layouts`, all of one shape. Fewest conflicts win, then fewest boxes, then the narrowest swizzle. Nullopt where no box is
/// legal.
std::optional<TmaBoxChoice> chooseTmaBox(const std::vector<DistributedLayout> &layouts,
                                         const std::vector<unsigned> &order, unsigned elementBytes);

} // namespace tilewright::layout

#endif // TILEWRIGHT_LAYOUT_TMABOX_H
