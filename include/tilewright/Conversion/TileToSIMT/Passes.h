// SPDX-License-Identifier: Apache-2.0
/// \file
/// The pass from tiles with layouts to the program of one thread.
#ifndef TILEWRIGHT_CONVERSION_TILETOSIMT_PASSES_H
#define TILEWRIGHT_CONVERSION_TILETOSIMT_PASSES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Pass/Pass.h"
#include "tilewright/Dialect/TileGPU/IR/TileGPU.h"

namespace tilewright {
#define GEN_PASS_DECL
#include "tilewright/Conversion/TileToSIMT/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "tilewright/Conversion/TileToSIMT/Passes.h.inc"
} // namespace tilewright

#endif // TILEWRIGHT_CONVERSION_TILETOSIMT_PASSES_H
