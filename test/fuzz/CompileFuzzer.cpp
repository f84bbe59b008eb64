// SPDX-License-Identifier: Apache-2.0
// Tile programs: the input is MLIR text. It is parsed, verified, compiled to PTX with its launch plan, and written as a
// bundle. Whatever the text, the end is a result without an error or an error with a message. Programs that are large
// for a fuzzer, in text, tiles or ops, are left out.
#include "Require.h"
#include "TokenMutator.h"
#include "tilewright/Driver/Compile.h"
#include "tilewright/Driver/Remarks.h"
#include "tilewright/InitAll.h"
#include "tilewright/Parser/ParseProgram.h"

#include "mlir/IR/Diagnostics.h"

#include <algorithm>
#include <memory>

using namespace mlir;
using namespace tilewright;

extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t maxSize);

static constexpr size_t kMaxTextBytes = 6000;
static constexpr int64_t kMaxTileElements = 2048;
static constexpr unsigned kMaxOps = 120;
/// The context keeps every type and attribute that it has seen.
static constexpr unsigned kInputsPerContext = 200;

static bool isLarge(ModuleOp module) {
  unsigned numOps = 0;
  WalkResult all = module.walk([&](Operation *op) {
    auto isLargeTile = [](Type type) {
      auto tile = dyn_cast<RankedTensorType>(type);
      return tile && tile.hasStaticShape() && tile.getNumElements() > kMaxTileElements;
    };
    bool isTooLarge = ++numOps > kMaxOps || llvm::any_of(op->getResultTypes(), isLargeTile);
    return isTooLarge ? WalkResult::interrupt() : WalkResult::advance();
  });
  return all.wasInterrupted();
}

static MLIRContext &getContext() {
  static std::unique_ptr<MLIRContext> context;
  static unsigned numInputs = 0;
  if (!context || ++numInputs % kInputsPerContext == 0) {
    DialectRegistry registry;
    registerAllDialects(registry);
    context = std::make_unique<MLIRContext>(registry, MLIRContext::Threading::DISABLED);
    context->printOpOnDiagnostic(false);
  }
  return *context;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t maxSize, unsigned seed) {
  if (seed % 16 == 0)
    return LLVMFuzzerMutate(data, size, maxSize);
  std::minstd_rand random(seed);
  std::string text = mutateTokens(std::string(reinterpret_cast<char *>(data), size), random);
  size_t kept = std::min(text.size(), maxSize);
  std::copy_n(text.data(), kept, data);
  return kept;
}

extern "C" size_t LLVMFuzzerCustomCrossOver(const uint8_t *first, size_t firstSize, const uint8_t *second,
                                            size_t secondSize, uint8_t *out, size_t maxOutSize, unsigned seed) {
  std::minstd_rand random(seed);
  std::string text = crossLines(std::string(reinterpret_cast<const char *>(first), firstSize),
                                std::string(reinterpret_cast<const char *>(second), secondSize), random);
  size_t kept = std::min(text.size(), maxOutSize);
  std::copy_n(text.data(), kept, out);
  return kept;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size > kMaxTextBytes)
    return 0;
  std::string text(reinterpret_cast<const char *>(data), size);
  MLIRContext &context = getContext();
  unsigned numErrors = 0;
  bool hasText = true;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() == DiagnosticSeverity::Error) {
      ++numErrors;
      hasText &= !diagnostic.str().empty();
    }
    return success();
  });
  OwningOpRef<ModuleOp> module = parseProgram(text, "fuzz.mlir", &context);
  if (!module || isLarge(*module))
    return 0;
  CompileOptions options;
  options.maxVariants = 2;
  RemarkCollector remarks(context);
  FailureOr<CompileResult> result = compileModule(*module, options);
  remarks.take();
  require(hasText, "an error has a message");
  require(failed(result) == (numErrors > 0), "a compilation fails with an error, and only then");
  if (failed(result))
    return 0;
  std::string error;
  std::optional<std::string> bytes = writeBundle(result->bundle, &error);
  require(bytes.has_value(), "what is compiled can be written: " + error);
  require(readBundle(*bytes, &error).has_value(), "what is written can be read: " + error);
  return 0;
}
