// SPDX-License-Identifier: Apache-2.0
#ifndef TILEWRIGHT_CONVERSION_SIMTTOLLVM_PASSES_TD
#define TILEWRIGHT_CONVERSION_SIMTTOLLVM_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConvertSIMTToNVVMPass : Pass<"convert-simt-to-nvvm", "::mlir::ModuleOp"> {
  let summary = "One thread's program to the LLVM dialect, for NVPTX";
  let description = [{
    Kernels become `llvm.func` with `nvvm.kernel` and the thread count that they need; host functions go away, and math is
    expanded as by `tile-expand-math`. Plain accesses become
    loads and stores with their address space and alignment, predicated ones inline PTX, so that no branch is made. Atomic updates are inline PTX too: LLVM 22 drops their order and scope.
    Example: test/Conversion/SIMTToLLVM/instruction-ops.mlir#loads
  }];
  let options = [Option<"target", "target", "std::string", /*default=*/"\"sm_90a\"",
                        "What the code is for: bf16 is updated by a loop of compare-and-swap before sm_90">];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect", "::mlir::scf::SCFDialect",
                           "::mlir::cf::ControlFlowDialect",
                           "::mlir::arith::ArithDialect", "::mlir::math::MathDialect", "::mlir::vector::VectorDialect"];
}

def ConvertSIMTToEmulatorPass : Pass<"convert-simt-to-emulator", "::mlir::ModuleOp"> {
  let summary = "One thread's program to the LLVM dialect, for the emulator";
  let description = [{
    Each kernel becomes `void @kernel(ptr thread, ptr slots)`, where `slots` holds its parameters in eight bytes each; math is
    expanded as by `tile-expand-math`. Each access is a checked
    call (include/tilewright/Emulator/Abi.h) that returns where the bytes are. The call's last argument is an index into the source
    locations that the module's attribute `tile_gpu.locations` lists.
    Example: test/Conversion/SIMTToLLVM/emulator.mlir#loads
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::scf::SCFDialect", "::mlir::cf::ControlFlowDialect",
                           "::mlir::arith::ArithDialect", "::mlir::math::MathDialect", "::mlir::vector::VectorDialect"];
}

#endif
