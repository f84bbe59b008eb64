// SPDX-License-Identifier: Apache-2.0
/// \file
/// The inverse of a distributed layout: which place owns an element, and how many places hold it.
///
/// A layout maps places to elements. The core is a linear map of place bits onto coordinate bits, so it has a right
/// inverse; the one that uses the lowest independent bits gives the owner, whose redundant bits are all zero. Digits
/// are read off the coordinates one by one. All elements have equally many places, since the map is linear.
///
/// Example. 64 elements, no register bits, lane bases {1, 2, .., 16}, warp bases {32, 0}: element 37 is owned by lane 5
/// of warp 1; warp 3 holds a copy.
#ifndef TILEWRIGHT_LAYOUT_ELEMENTPLACES_H
#define TILEWRIGHT_LAYOUT_ELEMENTPLACES_H

#include "tilewright/Layout/DistributedLayout.h"

namespace tilewright::layout {

/// One register of one thread.
struct ElementPlace {
  int64_t reg;
  unsigned lane, warp, block;
};

/// Finds the places of the elements of one layout, which must outlive it.
class PlaceFinder {
public:
  explicit PlaceFinder(const DistributedLayout &layout);
  /// The place that DistributedLayout::isOwner() names for the element at `coord`, which lies inside the padded
  /// extents.
  ElementPlace ownerOf(const Coord &coord) const;
  /// Places that hold any one element, its owner included.
  int64_t copies() const;

private:
  const DistributedLayout &layout;
  LinearMap inverse;
};

} // namespace tilewright::layout

#endif // TILEWRIGHT_LAYOUT_ELEMENTPLACES_H
