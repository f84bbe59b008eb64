// SPDX-License-Identifier: Apache-2.0
#include "tilewright/InitAll.h"
#include "tilewright/Conversion/ExpandMath/Passes.h"
#include "tilewright/Conversion/SIMTToLLVM/Passes.h"
#include "tilewright/Conversion/TileToSIMT/Passes.h"
#include "tilewright/Conversion/TileToTileGPU/Passes.h"
#include "tilewright/Dialect/Tile/IR/Tile.h"
#include "tilewright/Dialect/Tile/Transforms/Passes.h"
#include "tilewright/Dialect/TileGPU/IR/TileGPU.h"
#include "tilewright/Pipelines/TilePipeline.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/Extensions/InlinerExtension.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Index/IR/IndexDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Support/CommandLine.h"

using namespace mlir;

void tilewright::registerAllDialects(DialectRegistry &registry) {
  registry.insert<tile::TileDialect, tile_gpu::TileGPUDialect, arith::ArithDialect, cf::ControlFlowDialect,
                  func::FuncDialect, index::IndexDialect, LLVM::LLVMDialect, NVVM::NVVMDialect, math::MathDialect,
                  scf::SCFDialect, ub::UBDialect, vector::VectorDialect>();
  func::registerInlinerExtension(registry);
}

void tilewright::registerAllPasses() {
  registerTransformsPasses();
  registerLiftControlFlowToSCFPass();
  arith::registerArithPasses();
  registerTileTransformsPasses();
  registerTileToTileGPUPasses();
  registerTileToSIMTPasses();
  registerExpandMathPasses();
  registerSIMTToLLVMPasses();
  registerTilePipeline();
}

void tilewright::hideLibraryOptions() {
  for (auto &[name, option] : llvm::cl::getRegisteredOptions())
    if (llvm::is_contained(option->Categories, &llvm::cl::getGeneralCategory()))
      option->setHiddenFlag(llvm::cl::Hidden);
}
