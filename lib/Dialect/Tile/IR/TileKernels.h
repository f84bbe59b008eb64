// SPDX-License-Identifier: Apache-2.0
/// \file
/// What the dialect's set-up needs from the checks between a kernel and its host functions; no other room sees it.
#ifndef TILEWRIGHT_LIB_DIALECT_TILE_IR_TILEKERNELS_H
#define TILEWRIGHT_LIB_DIALECT_TILE_IR_TILEKERNELS_H

namespace mlir {
class MLIRContext;
} // namespace mlir

namespace tilewright::tile {
/// Makes the verifier of each module check the kernels in it against their grids, guards and originals.
void attachKernelVerifier(mlir::MLIRContext *context);
} // namespace tilewright::tile

#endif // TILEWRIGHT_LIB_DIALECT_TILE_IR_TILEKERNELS_H
