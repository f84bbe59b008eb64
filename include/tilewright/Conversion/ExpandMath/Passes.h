// SPDX-License-Identifier: Apache-2.0
/// \file
/// Elementary functions and narrow float conversions as plain arithmetic. Apart from the lowerings, because the same
/// expansion serves the GPU and the emulator: that is what makes their results equal bit by bit.
#ifndef TILEWRIGHT_CONVERSION_EXPANDMATH_PASSES_H
#define TILEWRIGHT_CONVERSION_EXPANDMATH_PASSES_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Pass/Pass.h"

namespace tilewright {

/// Adds one pattern per expanded op. Each pattern replaces the op by arithmetic whose error docs/Numerics.md states,
/// and fails to match on an element type without an expansion.
void populateExpandMathPatterns(mlir::RewritePatternSet &patterns);

/// What `tile-expand-math` does, to everything below `root`. Fails with one diagnostic, at the first op that is left. The
/// conversions of one thread's program to LLVM begin with it, so no pipeline needs the pass.
mlir::LogicalResult expandMath(mlir::Operation *root);

#define GEN_PASS_DECL
#include "tilewright/Conversion/ExpandMath/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "tilewright/Conversion/ExpandMath/Passes.h.inc"
} // namespace tilewright

#endif // TILEWRIGHT_CONVERSION_EXPANDMATH_PASSES_H
