// SPDX-License-Identifier: Apache-2.0
// The stock MLIR test case reducer with our dialects and passes.
#include "tilewright/InitAll.h"

#include "mlir/Tools/mlir-reduce/MlirReduceMain.h"

int main(int argc, char **argv) {
  tilewright::hideLibraryOptions();
  mlir::DialectRegistry registry;
  tilewright::registerAllDialects(registry);
  tilewright::registerAllPasses();
  mlir::MLIRContext context(registry);
  return mlir::failed(mlir::mlirReduceMain(argc, argv, context));
}
