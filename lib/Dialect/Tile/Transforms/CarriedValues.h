// SPDX-License-Identifier: Apache-2.0
/// \file
/// What loops carry for nothing, apart from the passes that leave such values behind.
#ifndef TILEWRIGHT_LIB_DIALECT_TILE_TRANSFORMS_CARRIEDVALUES_H
#define TILEWRIGHT_LIB_DIALECT_TILE_TRANSFORMS_CARRIEDVALUES_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"

namespace tilewright {

/// Carried values of `loop` that serve only to compute their own next value, and whose last value nothing uses, keep
/// their first value instead. Canonicalisation then drops them.
void freezeUnusedCarried(mlir::RewriterBase &rewriter, mlir::scf::ForOp loop);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_DIALECT_TILE_TRANSFORMS_CARRIEDVALUES_H
