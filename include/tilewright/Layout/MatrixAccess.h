// SPDX-License-Identifier: Apache-2.0
/// \file
/// Reading shared memory by `ldmatrix`: eight rows of 16 bytes, each named by a lane, are handed out to all lanes of a
/// warp. With lane l, g = l >> 2 and t = l & 3, a lane gets bytes 4t to 4t + 3 of row g, or with `.trans` the 16-bit
/// elements g of the rows 2t and 2t + 1. Source: PTX ISA 9.1, 9.7.14.5.15.
#ifndef TILEWRIGHT_LAYOUT_MATRIXACCESS_H
#define TILEWRIGHT_LAYOUT_MATRIXACCESS_H

#include "tilewright/Layout/DistributedLayout.h"

namespace tilewright::layout {

/// Bytes of one row of a matrix that `ldmatrix` reads.
constexpr int64_t kMatrixRowBytes = 16;

/// How `ldmatrix` fills the registers of a layout from shared memory.
struct MatrixAccess {
  /// As if each lane read whole rows of 16 bytes: lane 8j + i reads row i of matrix j, and one run of 16 bytes in the
  /// registers stands for one instruction. What the instruction then exchanges between lanes gives the layout asked for,
  /// `words` 32-bit words per instruction in order of their registers.
  DistributedLayout rows;
  /// 1, 2 or 4: the instruction's count of matrices.
  unsigned words;
  /// `.trans`: elements of 2 bytes, the fastest dimension in memory along lane bits 2 to 4.
  bool isTransposed;
};
/// The way to read `layout` by `ldmatrix` where dimension `fastest` is contiguous in shared memory; nullopt if its
/// lanes do not hold what the instruction hands out, or where it is ragged (rows would lie outside the tile).
std::optional<MatrixAccess> findMatrixAccess(const DistributedLayout &layout, unsigned fastest, unsigned elementBytes);

} // namespace tilewright::layout

#endif // TILEWRIGHT_LAYOUT_MATRIXACCESS_H
