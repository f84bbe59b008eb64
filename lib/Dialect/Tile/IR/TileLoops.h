// SPDX-License-Identifier: Apache-2.0
/// \file
/// Canonical forms of loops, apart from those of ops because the loops are upstream's.
#ifndef TILEWRIGHT_LIB_DIALECT_TILE_IR_TILELOOPS_H
#define TILEWRIGHT_LIB_DIALECT_TILE_IR_TILELOOPS_H

#include "mlir/IR/PatternMatch.h"

namespace tilewright::tile {
/// Adds patterns that bring loops whose trips upstream's patterns count wrongly into a form that they count rightly,
/// and come before those: upstream subtracts bounds and compares steps with 0 as signed numbers of their type.
void populateLoopPatterns(mlir::RewritePatternSet &patterns);
} // namespace tilewright::tile

#endif // TILEWRIGHT_LIB_DIALECT_TILE_IR_TILELOOPS_H
