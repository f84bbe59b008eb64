// SPDX-License-Identifier: Apache-2.0
// `tile-opt` with the test passes; never shipped.
#include "tilewright/InitAll.h"

#include "mlir/Tools/mlir-opt/MlirOptMain.h"

namespace tilewright::test {
void registerTestPrintAccess();
void registerTestPrintAlignment();
void registerTestPrintInBounds();
void registerTestPrintLiveTiles();
} // namespace tilewright::test

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  tilewright::registerAllDialects(registry);
  tilewright::registerAllPasses();
  tilewright::test::registerTestPrintAccess();
  tilewright::test::registerTestPrintAlignment();
  tilewright::test::registerTestPrintInBounds();
  tilewright::test::registerTestPrintLiveTiles();
  return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, "Tilewright test driver\n", registry));
}
