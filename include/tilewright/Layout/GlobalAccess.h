// SPDX-License-Identifier: Apache-2.0
/// \file
/// What it costs to move a tile between global memory and registers of a layout: a number that ranks layouts, with which
/// a conversion can be weighed against a load or store that is less wide or less coalesced.
#ifndef TILEWRIGHT_LAYOUT_GLOBALACCESS_H
#define TILEWRIGHT_LAYOUT_GLOBALACCESS_H

#include "tilewright/Layout/DistributedLayout.h"

namespace tilewright::layout {

/// All accesses of the warps of one program to one tile.
struct GlobalAccessCost {
  int64_t vector = 1;   ///< elements per access of a thread
  int64_t accesses = 0; ///< warp-wide accesses, all warps together
  double lines = 0;     ///< different lines of 128 bytes that one access touches
  double sectors = 0;   ///< different sectors of 32 bytes that one access touches

  /// Estimated cycles of one SM. A load looks one line up per cycle; sectors that it leaves half read wait in the first
  /// level of the cache. A store sends sectors on, two per cycle, full or not.
  double loadCycles() const;
  double storeCycles() const;
};

/// Computes it for elements of `elementBytes` of which up to `vectorElements` along `contiguousDim` may move at once;
/// other dimensions count as far apart. Looks at the first access of the first warp that has any element. If `ownersOnly`,
/// warps, lanes and registers that hold replicas take no part (a store).
GlobalAccessCost globalAccessCost(const DistributedLayout &layout, unsigned contiguousDim, int64_t vectorElements,
                                  unsigned elementBytes, bool ownersOnly);

} // namespace tilewright::layout

#endif // TILEWRIGHT_LAYOUT_GLOBALACCESS_H
