// SPDX-License-Identifier: Apache-2.0
/// \file
/// Loops that do not end. Upstream's canonicalization takes some of them for loops without a trip, so what constants tell is
/// looked at before it, and once more behind it, when more are known.
#ifndef TILEWRIGHT_LIB_DIALECT_TILE_TRANSFORMS_LOOPENDS_H
#define TILEWRIGHT_LIB_DIALECT_TILE_TRANSFORMS_LOOPENDS_H

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tilewright {

/// Refuses a loop that cannot end, as far as constants tell: one whose step is not positive, or whose variable is not yet at
/// the upper bound when it overflows. A loop that does not run ends. One error at the loop.
mlir::LogicalResult checkEnds(mlir::scf::ForOp loop);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_DIALECT_TILE_TRANSFORMS_LOOPENDS_H
