// SPDX-License-Identifier: Apache-2.0
/// \file
/// What both ways out of one thread's program share: the type converter's rules, the upstream patterns, the walk over
/// kernels. The two ways differ only in the patterns for `tile_gpu` instruction ops and in what a kernel's function
/// looks like.
#ifndef TILEWRIGHT_LIB_CONVERSION_SIMTTOLLVM_SIMTTOLLVM_H
#define TILEWRIGHT_LIB_CONVERSION_SIMTTOLLVM_SIMTTOLLVM_H

#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "tilewright/Dialect/TileGPU/IR/TileGPU.h"

namespace tilewright::simt {

/// What a kernel's attributes say, read before they are dropped.
struct KernelFacts {
  int32_t numThreads = 0;
  int64_t sharedBytes = 0;
  int32_t minCtas = 0; ///< CTAs that one SM must hold, which caps registers; 0: nothing is asked.
};

/// Erases host functions, reads and drops the kernels' attributes, and expands math, so that both ways out compute with the
/// same operations. One diagnostic and failure where a kernel has no attributes or an op no expansion.
mlir::FailureOr<llvm::MapVector<mlir::StringAttr, KernelFacts>> prepareKernels(mlir::ModuleOp module);

/// Converts everything in `module`; `addPatterns` adds those for instruction ops.
mlir::LogicalResult
convertModule(mlir::ModuleOp module,
              llvm::function_ref<void(mlir::LLVMTypeConverter &, mlir::RewritePatternSet &)> addPatterns);

/// Makes integer divisions that are undefined give some value, and floats that are no narrow integer some narrow integer.
/// What arith leaves undefined for one element must not change another: places outside of a ragged tile hold numbers that
/// mean nothing, and kernels select among results of which one is undefined.
void containUndefined(mlir::ModuleOp module);
/// Freezes integers that are narrower than a register where they are packed into words: one poisoned element would
/// poison the word. For LLVM's dialect.
void freezePackedElements(mlir::ModuleOp module);

/// The type of a value in memory: i1 takes one byte; everything else is itself.
mlir::Type memoryType(mlir::Type llvmType);
/// To and from that type: not zero when loaded, 0 or 1 when stored.
mlir::Value fromMemory(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value, mlir::Type llvmType);
mlir::Value toMemory(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value);
/// Bytes of a scalar or vector in memory.
int64_t bytesOf(mlir::Type llvmType);
mlir::Value constantOf(mlir::OpBuilder &builder, mlir::Location loc, mlir::Type type, int64_t value);

/// The constant that `value` is, if it is one.
std::optional<bool> constantBool(mlir::Value value);

/// Runs `then` only where `pred` (null: always) is true; gives its value, or `other` (null for none). A branch of its own.
mlir::Value guarded(mlir::ConversionPatternRewriter &builder, mlir::Location loc, mlir::Value pred, mlir::Value other,
                    llvm::function_ref<mlir::Value()> then);

/// The patterns of atomic accesses on a GPU; `hasBf16Add` says whether it can add to a bf16 in memory in one instruction.
void populateAtomicToNVVMPatterns(mlir::LLVMTypeConverter &converter, mlir::RewritePatternSet &patterns,
                                  bool hasBf16Add);

} // namespace tilewright::simt

#endif // TILEWRIGHT_LIB_CONVERSION_SIMTTOLLVM_SIMTTOLLVM_H
