// SPDX-License-Identifier: Apache-2.0
/// \file
/// Layouts that tensor cores impose.
///
/// One instruction of the `mma.sync` family multiplies 16 rows by 8 columns over 32 bytes of K, whatever the element.
/// With lane l, g = l >> 2 and t = l & 3, a thread holds 32-bit words of it:
///   - word r of the left operand (4 words): row g + 8 * (r & 1), bytes 4t + 16 * (r >> 1) of the 32;
///   - word r of the right operand (2 words): column g, bytes 4t + 16r of the 32;
///   - element i of the accumulator (4 elements): row g + 8 * (i >> 1), column 2t + (i & 1).
/// Only the width of an element differs. Source: PTX ISA 9.1, 9.7.14.5.
#ifndef TILEWRIGHT_LAYOUT_MMALAYOUT_H
#define TILEWRIGHT_LAYOUT_MMALAYOUT_H

#include "tilewright/Layout/DistributedLayout.h"

namespace tilewright::layout {

/// Extents of one instruction, M and N in elements, K in bytes.
constexpr int64_t kMmaM = 16, kMmaN = 8, kMmaKBytes = 32;

/// Accumulator of a product on `mma.sync`; the last two dimensions are M and N, leading ones are batch dimensions.
/// Warps go to batch dimensions first, then to the longer side of what each of them computes, so that operands are
/// read least; with `warpsAlongM` to M as long as it lasts, so that a row stays in one warp. Extents that the
/// instruction does not divide are ragged. Nullopt and the reason beyond the limits of DistributedLayout or
/// for a rank below 2.
std::optional<DistributedLayout> tryMakeMmaAccumulator(const std::vector<int64_t> &shape, unsigned numWarps,
                                                       bool warpsAlongM, std::string *error = nullptr);

/// Left (`operand` 0, [batch.., M, K]) or right (1, [batch.., K, N]) operand of the product that `accumulator` is made
/// for, of elements of 1, 2 or 4 bytes. Each warp holds all of K of the rows or columns that it computes.
std::optional<DistributedLayout> tryMakeMmaOperand(const DistributedLayout &accumulator, unsigned operand,
                                                   int64_t extentK, unsigned elementBytes,
                                                   std::string *error = nullptr);

} // namespace tilewright::layout

#endif // TILEWRIGHT_LAYOUT_MMALAYOUT_H
