// SPDX-License-Identifier: Apache-2.0
// `mlir-opt` for tile programs: each pass by itself, or any list of them.
#include "tilewright/Dialect/Tile/IR/Tile.h"
#include "tilewright/InitAll.h"
#include "tilewright/Parser/ParseProgram.h"
#include "tilewright/Parser/PlacelessErrors.h"

#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/ToolOutputFile.h"

#include <cstdlib>
#include <unistd.h>

/// All tools give status 2 for bad input. LLVM's command line ends the process with 1 where an option or pass is not
/// known, and there is no way to ask it for another number; nothing here means 1 by itself.
static void giveStatusTwo(int status, void *) {
  if (status == 1)
    _exit(2);
}

/// Whether the text is one that the parser must not see; says so.
static bool isTrap(const llvm::MemoryBuffer &file) {
  std::optional<tilewright::ParserTrap> trap = tilewright::findParserTrap(file.getBuffer());
  if (!trap)
    return false;
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBuffer(file.getMemBufferRef()), llvm::SMLoc());
  auto place = llvm::SMLoc::getFromPointer(file.getBufferStart() + trap->offset);
  sources.PrintMessage(llvm::errs(), place, llvm::SourceMgr::DK_Error, trap->message);
  return true;
}

/// Reads, runs and writes as mlir-opt does.
static bool run(const std::string &inputName, const std::string &outputName, mlir::DialectRegistry &registry,
                const mlir::MlirOptMainConfig &config) {
  std::string error;
  std::unique_ptr<llvm::MemoryBuffer> input = mlir::openInputFile(inputName, &error);
  if (input && isTrap(*input))
    return false;
  std::unique_ptr<llvm::ToolOutputFile> output = input ? mlir::openOutputFile(outputName, &error) : nullptr;
  if (!output) {
    llvm::errs() << error << '\n';
    return false;
  }
  if (mlir::failed(mlir::MlirOptMain(output->os(), std::move(input), registry, config)))
    return false;
  output->keep();
  return true;
}

int main(int argc, char **argv) {
  on_exit(giveStatusTwo, nullptr);
  llvm::InitLLVM initialized(argc, argv);
  tilewright::hideLibraryOptions();
  mlir::DialectRegistry registry;
  tilewright::registerAllDialects(registry);
  tilewright::registerAllPasses();
  auto [input, output] = mlir::registerAndParseCLIOptions(argc, argv, "Tilewright optimizer driver\n", registry);
  mlir::MlirOptMainConfig config = mlir::MlirOptMainConfig::createFromCLOptions();
  // These end before any file is read, and mlir-opt does them itself.
  if (config.shouldShowDialects() || config.shouldListPasses())
    return mlir::failed(mlir::MlirOptMain(argc, argv, input, output, registry)) ? 2 : 0;
  // Dialects are loaded behind the handlers of mlir-opt, which makes the context itself. Expected errors are compared
  // there.
  if (!config.shouldVerifyDiagnostics())
    registry.addExtension(+[](mlir::MLIRContext *context, tilewright::tile::TileDialect *) {
      tilewright::printPlacelessErrors(*context, "tile-opt");
    });
  return run(input, output, registry, config) ? 0 : 2;
}
