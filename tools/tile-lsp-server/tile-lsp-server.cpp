// SPDX-License-Identifier: Apache-2.0
// The stock MLIR language server with our dialects.
#include "tilewright/InitAll.h"

#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"

int main(int argc, char **argv) {
  tilewright::hideLibraryOptions();
  mlir::DialectRegistry registry;
  tilewright::registerAllDialects(registry);
  return mlir::failed(mlir::MlirLspServerMain(argc, argv, registry));
}
