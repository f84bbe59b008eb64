// SPDX-License-Identifier: Apache-2.0
#include "tilewright/Dialect/TileGPU/IR/TileGPU.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilewright::tile_gpu;

#include "tilewright/Dialect/TileGPU/IR/TileGPUDialect.cpp.inc"
#include "tilewright/Dialect/TileGPU/IR/TileGPUEnums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "tilewright/Dialect/TileGPU/IR/TileGPUAttrs.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "tilewright/Dialect/TileGPU/IR/TileGPUTypes.cpp.inc"
#define GET_OP_CLASSES
#include "tilewright/Dialect/TileGPU/IR/TileGPUOps.cpp.inc"

void TileGPUDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "tilewright/Dialect/TileGPU/IR/TileGPUAttrs.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "tilewright/Dialect/TileGPU/IR/TileGPUTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "tilewright/Dialect/TileGPU/IR/TileGPUOps.cpp.inc"
      >();
}

int64_t tilewright::tile_gpu::getElementBytes(Type type) {
  if (type.isIndex())
    return 8;
  if (type.isInteger(1))
    return 1;
  if (type.isTF32())
    return 4; // Kept as the f32 that it equals.
  if (type.isIntOrFloat())
    return type.getIntOrFloatBitWidth() % 8 == 0 ? type.getIntOrFloatBitWidth() / 8 : 0;
  return 8; // A pointer.
}
