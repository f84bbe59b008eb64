// SPDX-License-Identifier: Apache-2.0
/// \file
/// The `tile_gpu` dialect: layouts as encodings, shared-memory buffers, and one op per PTX instruction.
#ifndef TILEWRIGHT_DIALECT_TILEGPU_IR_TILEGPU_H
#define TILEWRIGHT_DIALECT_TILEGPU_IR_TILEGPU_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferIntRangeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tilewright/Layout/DistributedLayout.h"
#include "tilewright/Layout/SharedLayout.h"

namespace tilewright::tile_gpu {
/// The shared memory of one CTA, as a resource of memory effects.
struct SharedMemoryResource : public mlir::SideEffects::Resource::Base<SharedMemoryResource> {
  mlir::StringRef getName() final { return "tile_gpu.shared"; }
};
/// Global memory as instruction ops see it.
struct GlobalMemoryResource : public mlir::SideEffects::Resource::Base<GlobalMemoryResource> {
  mlir::StringRef getName() final { return "tile_gpu.global"; }
};
/// Things that must keep their place: barriers, shuffles, checked facts.
struct ExecutionResource : public mlir::SideEffects::Resource::Base<ExecutionResource> {
  mlir::StringRef getName() final { return "tile_gpu.execution"; }
};
/// Bytes that one element takes in memory: i1 takes one, pointers and index eight; 0 for sub-byte types.
int64_t getElementBytes(mlir::Type type);
} // namespace tilewright::tile_gpu

#include "tilewright/Dialect/TileGPU/IR/TileGPUDialect.h.inc"
#include "tilewright/Dialect/TileGPU/IR/TileGPUEnums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "tilewright/Dialect/TileGPU/IR/TileGPUAttrs.h.inc"
#define GET_TYPEDEF_CLASSES
#include "tilewright/Dialect/TileGPU/IR/TileGPUTypes.h.inc"
#define GET_OP_CLASSES
#include "tilewright/Dialect/TileGPU/IR/TileGPUOps.h.inc"

#endif // TILEWRIGHT_DIALECT_TILEGPU_IR_TILEGPU_H
