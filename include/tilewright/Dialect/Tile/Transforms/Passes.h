// SPDX-License-Identifier: Apache-2.0
/// \file
/// Passes from tile programs to better tile programs.
#ifndef TILEWRIGHT_DIALECT_TILE_TRANSFORMS_PASSES_H
#define TILEWRIGHT_DIALECT_TILE_TRANSFORMS_PASSES_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Pass/Pass.h"
#include "tilewright/Dialect/Tile/IR/Tile.h"

namespace tilewright {
#define GEN_PASS_DECL
#include "tilewright/Dialect/Tile/Transforms/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "tilewright/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilewright

#endif // TILEWRIGHT_DIALECT_TILE_TRANSFORMS_PASSES_H
