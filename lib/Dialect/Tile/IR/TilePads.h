// SPDX-License-Identifier: Apache-2.0
/// \file
/// Which pads an element type has: what the verifiers of block accesses share.
#ifndef TILEWRIGHT_LIB_DIALECT_TILE_IR_TILEPADS_H
#define TILEWRIGHT_LIB_DIALECT_TILE_IR_TILEPADS_H

#include "tilewright/Dialect/Tile/IR/Tile.h"

namespace tilewright::tile {
/// Whether `type` has the value that `pad` names; integers have none and zero.
bool hasPad(mlir::Type type, Pad pad);
} // namespace tilewright::tile

#endif // TILEWRIGHT_LIB_DIALECT_TILE_IR_TILEPADS_H
