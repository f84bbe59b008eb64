// SPDX-License-Identifier: Apache-2.0
// `mlir-opt` for tile programs: each pass by itself, or any list of them.
#include "tilewright/InitAll.h"

#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  tilewright::registerAllDialects(registry);
  tilewright::registerAllPasses();
  // Status 2 is what all tools give for bad input.
  return mlir::failed(mlir::MlirOptMain(argc, argv, "Tilewright optimizer driver\n", registry)) ? 2 : 0;
}
