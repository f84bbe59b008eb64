// SPDX-License-Identifier: Apache-2.0
#include "tilewright/Parser/ParseProgram.h"

#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace tilewright;

OwningOpRef<ModuleOp> tilewright::parseProgram(const std::shared_ptr<llvm::SourceMgr> &sources, MLIRContext *context) {
  unsigned main = sources->getMainFileID();
  const llvm::MemoryBuffer *buffer = sources->getMemoryBuffer(main);
  StringRef name = buffer->getBufferIdentifier();
  if (isBytecode(*buffer)) {
    emitError(FileLineColLoc::get(context, name, 1, 1)) << "expected the text of a program, found MLIR bytecode";
    return nullptr;
  }
  if (std::optional<ParserTrap> trap = findParserTrap(buffer->getBuffer())) {
    auto [line, column] =
        sources->getLineAndColumn(llvm::SMLoc::getFromPointer(buffer->getBufferStart() + trap->offset), main);
    emitError(FileLineColLoc::get(context, name, line, column)) << trap->message;
    return nullptr;
  }
  return parseSourceFile<ModuleOp>(sources, ParserConfig(context));
}

OwningOpRef<ModuleOp> tilewright::parseProgram(StringRef text, StringRef name, MLIRContext *context) {
  auto sources = std::make_shared<llvm::SourceMgr>();
  sources->AddNewSourceBuffer(llvm::MemoryBuffer::getMemBuffer(text, name, /*RequiresNullTerminator=*/false), llvm::SMLoc());
  return parseProgram(sources, context);
}
