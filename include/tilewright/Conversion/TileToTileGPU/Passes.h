// SPDX-License-Identifier: Apache-2.0
/// \file
/// Passes from the `tile` level to tiles with layouts and shared-memory buffers.
#ifndef TILEWRIGHT_CONVERSION_TILETOTILEGPU_PASSES_H
#define TILEWRIGHT_CONVERSION_TILETOTILEGPU_PASSES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"
#include "tilewright/Dialect/TileGPU/IR/TileGPU.h"

namespace tilewright {
#define GEN_PASS_DECL
#include "tilewright/Conversion/TileToTileGPU/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "tilewright/Conversion/TileToTileGPU/Passes.h.inc"
} // namespace tilewright

#endif // TILEWRIGHT_CONVERSION_TILETOTILEGPU_PASSES_H
