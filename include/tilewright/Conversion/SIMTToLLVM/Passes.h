// SPDX-License-Identifier: Apache-2.0
/// \file
/// The passes from one thread's program to the LLVM dialect: this is where the GPU and the emulator part.
#ifndef TILEWRIGHT_CONVERSION_SIMTTOLLVM_PASSES_H
#define TILEWRIGHT_CONVERSION_SIMTTOLLVM_PASSES_H

#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Pass/Pass.h"
#include "tilewright/Dialect/TileGPU/IR/TileGPU.h"

namespace tilewright {
#define GEN_PASS_DECL
#include "tilewright/Conversion/SIMTToLLVM/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "tilewright/Conversion/SIMTToLLVM/Passes.h.inc"
} // namespace tilewright

#endif // TILEWRIGHT_CONVERSION_SIMTTOLLVM_PASSES_H
