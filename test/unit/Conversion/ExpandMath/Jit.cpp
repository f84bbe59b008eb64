// SPDX-License-Identifier: Apache-2.0
#include "Jit.h"

#include "tilewright/Conversion/ExpandMath/Passes.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/Support/TargetSelect.h"

#include <cstring>

using namespace mlir;
using namespace expandtest;

static std::string replaceVectors(std::string text) {
  for (size_t at; (at = text.find("$V{")) != std::string::npos;) {
    size_t end = text.find('}', at);
    text.replace(at, end + 1 - at, "vector<8x" + text.substr(at + 3, end - at - 3) + ">");
  }
  return text;
}

/// Memory holds whole bytes per element: f4 and f6 travel as i8.
static bool isNarrow(const std::string &type) { return type.rfind("f4E", 0) == 0 || type.rfind("f6E", 0) == 0; }

static std::string loadOf(const std::string &name, const std::string &type) {
  std::string memory = isNarrow(type) || type.rfind("f8E", 0) == 0 ? "i8" : type;
  std::string text = "    %p" + name + " = llvm.getelementptr %a" + name + "[%i] : (!llvm.ptr, i64) -> !llvm.ptr, " +
                     memory + "\n    %m" + name + " = llvm.load %p" + name +
                     " {alignment = 1 : i64} : !llvm.ptr -> vector<8x" + memory + ">\n";
  if (memory == type)
    return text + "    %" + name + " = arith.bitcast %m" + name + " : vector<8x" + type + "> to vector<8x" + type +
           ">\n";
  std::string bits = isNarrow(type) ? "i" + type.substr(1, 1) : "i8";
  if (isNarrow(type))
    text += "    %t" + name + " = arith.trunci %m" + name + " : vector<8xi8> to vector<8x" + bits + ">\n";
  else
    text += "    %t" + name + " = arith.bitcast %m" + name + " : vector<8xi8> to vector<8xi8>\n";
  return text + "    %" + name + " = arith.bitcast %t" + name + " : vector<8x" + bits + "> to vector<8x" + type + ">\n";
}

static std::string storeOf(const std::string &type) {
  std::string text, value = "%r", memory = type;
  if (isNarrow(type)) {
    std::string bits = "i" + type.substr(1, 1);
    text = "    %rb = arith.bitcast %r : vector<8x" + type + "> to vector<8x" + bits +
           ">\n    %rw = arith.extui %rb : vector<8x" + bits + "> to vector<8xi8>\n";
    value = "%rw";
    memory = "i8";
  } else if (type.rfind("f8E", 0) == 0) {
    text = "    %rw = arith.bitcast %r : vector<8x" + type + "> to vector<8xi8>\n";
    value = "%rw";
    memory = "i8";
  }
  return text + "    %pr = llvm.getelementptr %ar[%i] : (!llvm.ptr, i64) -> !llvm.ptr, " + memory +
         "\n    llvm.store " + value + ", %pr {alignment = 1 : i64} : vector<8x" + memory + ">, !llvm.ptr\n";
}

/// What LLVM calls to round to bf16 on an x86 without the instruction; not every libgcc has it.
static __bf16 truncateToBrain(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  uint16_t half =
      uint16_t((bits & 0x7fffffff) > 0x7f800000 ? bits >> 16 | 0x40 : (bits + 0x7fff + (bits >> 16 & 1)) >> 16);
  __bf16 result;
  std::memcpy(&result, &half, sizeof result);
  return result;
}

template <typename T> static T orDie(llvm::Expected<T> value, const char *what) {
  if (!value)
    llvm::report_fatal_error(llvm::Twine(what) + ": " + llvm::toString(value.takeError()));
  return std::move(*value);
}

Kernel::Kernel(const std::string &op, const std::string &x, const std::string &y, const std::string &result,
               const std::string &before) {
  static const bool initialized = !llvm::InitializeNativeTarget() && !llvm::InitializeNativeTargetAsmPrinter();
  (void)initialized;
  std::string text =
      "func.func @f(%ax: !llvm.ptr, %ay: !llvm.ptr, %ar: !llvm.ptr, %n: i64) {\n  %c0 = arith.constant 0 : i64\n"
      "  %c8 = arith.constant 8 : i64\n  scf.for %i = %c0 to %n step %c8 : i64 {\n" +
      loadOf("x", x) + (y.empty() ? "" : loadOf("y", y)) + replaceVectors(before) + "\n    %r = " + replaceVectors(op) +
      "\n" + storeOf(result) + "  }\n  return\n}\n";
  DialectRegistry registry;
  registry.insert<arith::ArithDialect, func::FuncDialect, LLVM::LLVMDialect, math::MathDialect, scf::SCFDialect,
                  vector::VectorDialect>();
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
  if (!module)
    llvm::report_fatal_error("cannot parse:\n" + llvm::Twine(text));
  PassManager passes(&context);
  passes.addPass(tilewright::createExpandMathPass());
  passes.addPass(createSCFToControlFlowPass());
  passes.addPass(createConvertVectorToLLVMPass());
  passes.addPass(createConvertMathToLLVMPass());
  passes.addPass(createArithToLLVMConversionPass());
  passes.addPass(createConvertControlFlowToLLVMPass());
  passes.addPass(createConvertFuncToLLVMPass());
  passes.addPass(createReconcileUnrealizedCastsPass());
  if (failed(passes.run(*module)))
    llvm::report_fatal_error("cannot lower " + llvm::Twine(op));

  auto llvmContext = std::make_unique<llvm::LLVMContext>();
  std::unique_ptr<llvm::Module> llvmModule = translateModuleToLLVMIR(*module, *llvmContext);
  if (!llvmModule)
    llvm::report_fatal_error("cannot translate " + llvm::Twine(op));
  auto machine = orDie(llvm::orc::JITTargetMachineBuilder::detectHost(), "host");
  // As the emulator: these instructions flush subnormal numbers, or are not on every host.
  if (machine.getTargetTriple().isX86())
    machine.addFeatures({"-avx512fp16", "-avx512bf16", "-avxneconvert", "-amx-bf16"});
  jit = orDie(llvm::orc::LLJITBuilder().setJITTargetMachineBuilder(machine).create(), "jit");
  llvm::orc::SymbolMap helpers;
  helpers[jit->mangleAndIntern("__truncsfbf2")] = {llvm::orc::ExecutorAddr::fromPtr(&truncateToBrain),
                                                   llvm::JITSymbolFlags::Exported | llvm::JITSymbolFlags::Callable};
  if (auto error = jit->getMainJITDylib().define(llvm::orc::absoluteSymbols(helpers)))
    llvm::report_fatal_error(std::move(error));
  llvmModule->setDataLayout(jit->getDataLayout());
  llvmModule->setTargetTriple(jit->getTargetTriple());
  if (auto error = jit->addIRModule(llvm::orc::ThreadSafeModule(std::move(llvmModule), std::move(llvmContext))))
    llvm::report_fatal_error(std::move(error));
  function = orDie(jit->lookup("f"), "f").toPtr<void(const void *, const void *, void *, int64_t)>();
}

Kernel::~Kernel() = default;
