// SPDX-License-Identifier: Apache-2.0
/// \file
/// The steps of a compilation, shared by the sources of this room.
#ifndef TILEWRIGHT_LIB_DRIVER_INTERNAL_H
#define TILEWRIGHT_LIB_DRIVER_INTERNAL_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "tilewright/Driver/Compile.h"
#include "tilewright/Pipelines/TilePipeline.h"

namespace tilewright::driver {

/// The name in the source of a kernel or of a variant of one.
std::string kernelOf(mlir::func::FuncOp func);

/// True if the module holds one thread's programs already.
bool isThreadLevel(mlir::ModuleOp module);

/// "k.mlir:7:10": the first place in a file that a location names; empty where there is none.
std::string describePlace(mlir::Location loc);

/// The layout conversions of a buffer-level module in program order. What variants do alike is one entry.
std::vector<ConversionReport> collectConversions(mlir::ModuleOp module);

/// Adds the tensor maps of a buffer-level module to the plan of each version of each kernel. One located diagnostic and failure
/// where there is none for an access that is marked to have one.
mlir::LogicalResult addDescriptors(mlir::ModuleOp module, LaunchPlan &plan, const Target &target);

/// "a, tile.load at k.mlir:7:10: box 64x128 of f16, swizzle 128B, fill zero, 16384 bytes".
std::string describeDescriptor(const PlanDescriptor &descriptor);

/// Whether a function is one that launches kernels.
bool isHostFunction(mlir::func::FuncOp func);

/// The row of the target; emits an error if there is none.
mlir::FailureOr<const Target *> getTarget(mlir::ModuleOp module, const CompileOptions &options);

/// The ptxas to use; emits an error if there is none.
mlir::FailureOr<CudaTool> getPtxas(mlir::ModuleOp module, const CompileOptions &options);

/// Runs the passes between two levels.
mlir::LogicalResult runStages(mlir::ModuleOp module, PipelineStage from, PipelineStage to,
                              const CompileOptions &options, PhaseTimes *times, llvm::StringRef phase);

/// One thread's programs to the LLVM dialect, in place.
mlir::LogicalResult convertToLlvmDialect(mlir::ModuleOp module, const CompileOptions &options, PhaseTimes *times);

/// The LLVM dialect to PTX, or to LLVM IR.
mlir::FailureOr<std::string> compileToPtx(mlir::ModuleOp llvmModule, bool wantsLlvmIr, const CompileOptions &options,
                                          PhaseTimes *times);

/// PTX to machine code; errors are reported at the functions of `module`.
mlir::FailureOr<AssembledPtx> assemble(mlir::ModuleOp module, llvm::StringRef ptx, const CompileOptions &options,
                                       const std::optional<CudaTool> &ptxas, PhaseTimes *times);

/// One function of a module as a module of its own.
mlir::OwningOpRef<mlir::ModuleOp> isolate(mlir::func::FuncOp func);

/// The text of a module for a bundle. It keeps source locations: the emulator reports them.
std::string printWithLocations(mlir::ModuleOp module);

/// A kernel of a tile-level module for CompileOptions::isLazy.
mlir::FailureOr<CompiledVariant> makeTileVariant(mlir::func::FuncOp func, llvm::StringRef kernel,
                                                 const CompileOptions &options);

/// The report of a compilation as JSON text.
std::string makeReport(const CompileResult &result, const CompileOptions &options,
                       const std::optional<CudaTool> &ptxas);

} // namespace tilewright::driver

#endif // TILEWRIGHT_LIB_DRIVER_INTERNAL_H
