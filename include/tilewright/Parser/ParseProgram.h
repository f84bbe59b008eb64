// SPDX-License-Identifier: Apache-2.0
/// \file
/// Reads the text of programs. MLIR's parser, which is linked as it is, has errors of its own: some texts end the process
/// where a message was promised. What is known of them is looked for in the text before the parser sees it, and refused.
/// Everything that takes text from outside reads it here.
#ifndef TILEWRIGHT_PARSER_PARSEPROGRAM_H
#define TILEWRIGHT_PARSER_PARSEPROGRAM_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <memory>
#include <optional>
#include <string>

namespace llvm {
class SourceMgr;
} // namespace llvm

namespace tilewright {

/// A place where MLIR's parser would crash or ask for all memory.
struct ParserTrap {
  /// Bytes before it.
  size_t offset;
  /// The rule and the value that breaks it, in one line.
  std::string message;
};

/// Finds the first trap of a program's text. The known ones, of MLIR 22:
/// - A dense array of `index`, as in `array<index: 1>`, also by an alias: the parser asks the type for its width.
/// - A vector of more than 2^20 elements in a program with `vector.from_elements` or `vector.to_elements`: their types are
///   written out, one per element. Such a vector is a trap wherever it is, as no one can tell from the text alone which ops
///   have it.
/// - More than 256 brackets in one another, counting those of what an alias stands for: the parser recurses.
/// - More than 1024 operators in an affine map: so does the arithmetic on its expressions.
/// - An alias that stands for more than 2^20 words, by aliases that name several others each: what walks or prints it never
///   ends.
/// None of them refuses a program that could be of use.
std::optional<ParserTrap> findParserTrap(llvm::StringRef text);

/// Parses the main buffer of `sources`. Returns null after an error through the context's diagnostics. The text must be
/// MLIR's textual form; bytecode is refused.
mlir::OwningOpRef<mlir::ModuleOp> parseProgram(const std::shared_ptr<llvm::SourceMgr> &sources, mlir::MLIRContext *context);

/// The same for text in memory, which is called `name` in messages.
mlir::OwningOpRef<mlir::ModuleOp> parseProgram(llvm::StringRef text, llvm::StringRef name, mlir::MLIRContext *context);

} // namespace tilewright

#endif // TILEWRIGHT_PARSER_PARSEPROGRAM_H
