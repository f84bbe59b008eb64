// SPDX-License-Identifier: Apache-2.0
// `mlir-opt` for tile programs: each pass by itself, or any list of them.
#include "tilewright/InitAll.h"

#include "mlir/Tools/mlir-opt/MlirOptMain.h"

#include <cstdlib>
#include <unistd.h>

/// All tools give status 2 for bad input. LLVM's command line ends the process with 1 where an option or pass is not
/// known, and there is no way to ask it for another number; nothing here means 1 by itself.
static void giveStatusTwo(int status, void *) {
  if (status == 1)
    _exit(2);
}

int main(int argc, char **argv) {
  on_exit(giveStatusTwo, nullptr);
  mlir::DialectRegistry registry;
  tilewright::registerAllDialects(registry);
  tilewright::registerAllPasses();
  return mlir::failed(mlir::MlirOptMain(argc, argv, "Tilewright optimizer driver\n", registry)) ? 2 : 0;
}
