// SPDX-License-Identifier: Apache-2.0
// The compiler's C interface: handles around a context, a module and the driver's result. Nothing here decides anything.
#include "tilewright-c/Compiler.h"
#include "Diagnostics.h"
#include "tilewright/Driver/Compile.h"
#include "tilewright/Driver/Remarks.h"
#include "tilewright/EmulatorJit/EmulatorBackend.h"
#include "tilewright/InitAll.h"
#include "tilewright/Parser/ParseProgram.h"
#include "tilewright/Pipelines/TilePipeline.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace tilewright;

//===----------------------------------------------------------------------===//
// Handles
//===----------------------------------------------------------------------===//

// One thread: a handler is called on the thread that called into the library.
struct TwContext {
  TwContext() : context(makeRegistry(), MLIRContext::Threading::DISABLED), forwarder(context) {
    // The place of a message is its location; printing the op would bury it.
    context.printOpOnDiagnostic(false);
  }

  static DialectRegistry makeRegistry() {
    DialectRegistry registry;
    registerAllDialects(registry);
    return registry;
  }

  MLIRContext context;
  capi::DiagnosticForwarder forwarder;
};

struct TwModule {
  TwContext &owner;
  OwningOpRef<ModuleOp> module;
  std::string text;
};

struct TwCompiled {
  CompileResult result;
  std::string bundle, plan, remarks;
};

// Whoever loads this library can ask the runtime for "emulator", before and without a context.
static bool registerEmulator() {
  EmulatorBackendOptions options;
  options.lowerTiles = lowerTileSection;
  registerEmulatorBackend(options);
  return true;
}
[[maybe_unused]] static const bool isEmulatorRegistered = registerEmulator();

const char *twLlvmVersion(void) { return LLVM_VERSION_STRING; }

const char *twOptionalPass(size_t index) {
  // Made of literals, so there is a zero behind each.
  return index < optionalPasses().size() ? optionalPasses()[index].data() : nullptr;
}

//===----------------------------------------------------------------------===//
// Contexts and modules
//===----------------------------------------------------------------------===//

TwContext *twContextCreate(void) { return new TwContext; }
void twContextDestroy(TwContext *context) { delete context; }

void twContextSetDiagnosticHandler(TwContext *context, TwDiagnosticHandler handler, void *userData) {
  context->forwarder.setHandler(handler, userData);
}

/// An error about a whole file: its name and no line.
static TwModule *failFile(TwContext *context, const char *path, const Twine &message) {
  emitError(FileLineColLoc::get(&context->context, path, 0, 0)) << message;
  return nullptr;
}

static TwModule *parseBuffer(TwContext *context, std::unique_ptr<llvm::MemoryBuffer> buffer) {
  std::string name = buffer->getBufferIdentifier().str();
  auto sources = std::make_shared<llvm::SourceMgr>();
  sources->AddNewSourceBuffer(std::move(buffer), SMLoc());
  context->forwarder.takeErrorCount();
  OwningOpRef<ModuleOp> module = parseProgram(sources, &context->context);
  if (module)
    return new TwModule{*context, std::move(module), {}};
  if (context->forwarder.takeErrorCount() == 0)
    return failFile(context, name.c_str(), "the text cannot be parsed");
  return nullptr;
}

TwModule *twParse(TwContext *context, const char *text, size_t size, const char *fileName) {
  // The lexer relies on a zero behind the text, so the text is copied.
  return parseBuffer(context, llvm::MemoryBuffer::getMemBufferCopy(StringRef(text, size), fileName ? fileName : ""));
}

TwModule *twParseFile(TwContext *context, const char *path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return failFile(context, path, "cannot open the file: " + buffer.getError().message());
  return parseBuffer(context, std::move(*buffer));
}

void twModuleDestroy(TwModule *module) { delete module; }

const char *twModulePrint(TwModule *module) {
  module->text.clear();
  llvm::raw_string_ostream stream(module->text);
  module->module->print(stream);
  return module->text.c_str();
}

//===----------------------------------------------------------------------===//
// Compilation
//===----------------------------------------------------------------------===//

static std::string printRemarksAsJson(const std::vector<RemarkRecord> &records) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  llvm::json::OStream json(stream);
  // A name in the source may be any bytes; JSON may not.
  auto attribute = [&](StringRef key, StringRef value) { json.attribute(key, llvm::json::fixUTF8(value)); };
  json.array([&] {
    for (const RemarkRecord &record : records)
      json.object([&] {
        attribute("kind", record.kind);
        attribute("pass", record.pass);
        attribute("name", record.name);
        attribute("function", record.function);
        attribute("file", record.file);
        json.attribute("line", record.line);
        json.attribute("column", record.column);
        attribute("message", record.message);
      });
  });
  return text;
}

TwCompiled *twCompile(TwModule *module, const char *const *keys, const char *const *values, size_t count) {
  MLIRContext &context = module->owner.context;
  Location loc = module->module->getLoc();
  CompileOptions options;
  for (size_t i = 0; i < count; ++i) {
    std::string error;
    if (setCompileOption(options, keys[i], values[i], error))
      continue;
    emitError(UnknownLoc::get(&context)) << error;
    return nullptr;
  }

  module->owner.forwarder.takeErrorCount();
  RemarkCollector remarks(context);
  FailureOr<CompileResult> result = compileModule(*module->module, options);
  if (failed(result)) {
    if (module->owner.forwarder.takeErrorCount() == 0)
      emitError(loc) << "the compilation failed";
    return nullptr;
  }
  auto compiled = std::make_unique<TwCompiled>();
  compiled->result = std::move(*result);
  std::string error;
  std::optional<std::string> bytes = writeBundle(compiled->result.bundle, &error);
  if (!bytes) {
    emitError(loc) << error;
    return nullptr;
  }
  compiled->bundle = std::move(*bytes);
  compiled->plan = printLaunchPlan(compiled->result.bundle.plan);
  compiled->remarks = printRemarksAsJson(remarks.take());
  return compiled.release();
}

void twCompiledDestroy(TwCompiled *compiled) { delete compiled; }

size_t twCompiledKernelCount(const TwCompiled *compiled) { return compiled->result.bundle.plan.kernels.size(); }

const char *twCompiledKernelName(const TwCompiled *compiled, size_t index) {
  const std::vector<PlanKernel> &kernels = compiled->result.bundle.plan.kernels;
  return index < kernels.size() ? kernels[index].name.c_str() : nullptr;
}

/// The code of a variant of a kernel in the order of the plan, or null.
static const CompiledVariant *findVariant(const TwCompiled *compiled, const char *kernel, size_t variant) {
  const PlanKernel *plan = compiled->result.bundle.plan.findKernel(kernel);
  if (!plan || variant >= plan->variants.size())
    return nullptr;
  for (const CompiledVariant &candidate : compiled->result.variants)
    if (candidate.symbol == plan->variants[variant].symbol)
      return &candidate;
  return nullptr;
}

size_t twCompiledVariantCount(const TwCompiled *compiled, const char *kernel) {
  const PlanKernel *plan = compiled->result.bundle.plan.findKernel(kernel);
  return plan ? plan->variants.size() : 0;
}

const char *twCompiledPtx(const TwCompiled *compiled, const char *kernel, size_t variant) {
  const CompiledVariant *found = findVariant(compiled, kernel, variant);
  return found ? found->ptx.c_str() : nullptr;
}

const void *twCompiledBundle(const TwCompiled *compiled, size_t *size) {
  *size = compiled->bundle.size();
  return compiled->bundle.data();
}

const char *twCompiledPlan(const TwCompiled *compiled) { return compiled->plan.c_str(); }
const char *twCompiledReport(const TwCompiled *compiled) { return compiled->result.report.c_str(); }
const char *twCompiledRemarks(const TwCompiled *compiled) { return compiled->remarks.c_str(); }
