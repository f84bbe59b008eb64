// SPDX-License-Identifier: Apache-2.0
#ifndef TILEWRIGHT_DIALECT_TILEGPU_IR_TILEGPUOPS_TD
#define TILEWRIGHT_DIALECT_TILEGPU_IR_TILEGPUOPS_TD

include "mlir/Interfaces/ControlFlowInterfaces.td"
include "tilewright/Dialect/TileGPU/IR/TileGPUAtomicOps.td"
include "tilewright/Dialect/TileGPU/IR/TileGPUBufferOps.td"
include "tilewright/Dialect/TileGPU/IR/TileGPUInstructionOps.td"

#endif
