// SPDX-License-Identifier: Apache-2.0
/// \file
/// One dimension of a layout as a mixed radix number: who holds which of its bits and digits.
///
/// A scan must combine elements in the order of one dimension. Where each core bit of its coordinate is one
/// register, lane or warp bit, the coordinate is a number whose places, from the lowest, belong to registers,
/// lanes or warps; runs of places with one owner are then scanned by one means: in order, by shuffles, through memory.
///
/// Example. 256 elements, register bases {1, 2}, lane bases {4, .., 64}, warp base {128}: the factors are two register
/// bits, five lane bits, one warp bit, in this order: four neighbours per thread, 128 per warp.
#ifndef TILEWRIGHT_LAYOUT_AXISFACTORS_H
#define TILEWRIGHT_LAYOUT_AXISFACTORS_H

#include "tilewright/Layout/DistributedLayout.h"

namespace tilewright::layout {

/// One place of the number that a coordinate is.
struct AxisFactor {
  enum class Owner { Register, Lane, Warp };
  Owner owner;
  int64_t radix;  ///< values that it takes
  int64_t stride; ///< what one step adds to the coordinate
  int bit = -1;   ///< number of the lane or warp bit; -1 for registers and digits
};

/// The factors of dimension `dim`, lowest stride first; nullopt where it is no such number: a basis along `dim`
/// touches another dimension or several bits, two bases hold one bit, or blocks share the dimension.
std::optional<std::vector<AxisFactor>> axisFactors(const DistributedLayout &layout, unsigned dim);

/// Whether each warp holds neighbours only along `dim`, and warps hold them in rising order: the factors of warps are
/// the highest, and warp digits lie above warp bits.
bool isScannable(const DistributedLayout &layout, unsigned dim);

/// A layout in which `dim` is scannable: lanes and warps go to the other dimensions as far as these reach, then along
/// `dim`, where each thread holds neighbours. Extents are rounded up to powers of two. Nullopt and the reason where
/// no layout can have so many registers.
std::optional<DistributedLayout> tryMakeScannable(const std::vector<int64_t> &shape, unsigned dim, unsigned numWarps,
                                                  std::string *error = nullptr);

} // namespace tilewright::layout

#endif // TILEWRIGHT_LAYOUT_AXISFACTORS_H
