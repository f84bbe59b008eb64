// SPDX-License-Identifier: Apache-2.0
#ifndef TILEWRIGHT_DIALECT_TILE_IR_TILEOPS_TD
#define TILEWRIGHT_DIALECT_TILE_IR_TILEOPS_TD

include "tilewright/Dialect/Tile/IR/TileAtomicOps.td"
include "tilewright/Dialect/Tile/IR/TileMathOps.td"
include "tilewright/Dialect/Tile/IR/TileMemoryOps.td"
include "tilewright/Dialect/Tile/IR/TileScanOps.td"
include "tilewright/Dialect/Tile/IR/TileGatherOps.td"
include "tilewright/Dialect/Tile/IR/TileShapeOps.td"

#endif
