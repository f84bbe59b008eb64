// SPDX-License-Identifier: Apache-2.0
#include "tilewright/EmulatorJit/EmulatorBackend.h"
#include "tilewright/Conversion/SIMTToLLVM/Passes.h"
#include "tilewright/Dialect/Tile/IR/Tile.h"
#include "tilewright/Dialect/TileGPU/IR/TileGPU.h"
#include "tilewright/Parser/ParseProgram.h"
#include "tilewright/Target/Target.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Index/IR/IndexDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Pass/PassManager.h"

#include <algorithm>
#include <map>

using namespace mlir;
using namespace tilewright;

namespace {

/// Host code of one module of a bundle.
struct LoadedModule {
  std::unique_ptr<EmulatedModule> code;
  /// What each kernel needs, by name: known after lowering, so that a plan need not.
  llvm::StringMap<uint32_t> sharedBytes;
};

class EmulatorBackend : public Backend {
public:
  explicit EmulatorBackend(const EmulatorBackendOptions &options)
      : options(options), engine(options.engine), context(MLIRContext::Threading::DISABLED) {
    DialectRegistry registry;
    registry.insert<tile::TileDialect, tile_gpu::TileGPUDialect, arith::ArithDialect, cf::ControlFlowDialect,
                    func::FuncDialect, index::IndexDialect, math::MathDialect, scf::SCFDialect, ub::UBDialect,
                    vector::VectorDialect>();
    registerEmulatedModuleDialects(registry);
    context.appendDialectRegistry(registry);
    context.printOpOnDiagnostic(false);
    pretend(*findTarget("sm_90a"));
  }
  ~EmulatorBackend() override {
    for (uint64_t address : allocated)
      memory.release(address);
  }

  std::string name() const override { return "emulator"; }
  std::string describeDevice() const override { return "emulator (" + targetName + ")"; }
  DeviceInfoValues deviceInfo() const override { return info; }

  bool allocate(uint64_t bytes, const std::string &label, uint64_t *address, std::string *error) override;
  bool mapHost(void *host, uint64_t bytes, const std::string &label, bool isWritten, uint64_t *address) override;
  void release(uint64_t address) override;
  bool upload(uint64_t address, const void *source, uint64_t bytes, std::string *error) override;
  bool download(void *target, uint64_t address, uint64_t bytes, std::string *error) override;
  bool fill(uint64_t address, uint8_t byte, uint64_t bytes, std::string *error) override;
  bool load(const Bundle &bundle, std::string *error) override;
  void unload(const Bundle &bundle) override;
  bool launch(const PlanKernel &kernel, const PlanVariant &variant, const uint64_t *slots, const uint64_t grid[3],
              std::string *error) override;
  bool ctasPerSm(const PlanKernel &kernel, const PlanVariant &variant, int64_t *count, std::string *error) override;

private:
  void pretend(const Target &target);
  /// The bundle whose plan holds this kernel, or null.
  const Bundle *findBundle(const PlanKernel &kernel) const;
  /// Host code of one module of a bundle, compiled on first use; null and an error if that fails.
  const LoadedModule *getModule(const Bundle &bundle, const std::string &name, std::string *error);
  /// Where the host finds a range of device memory; null and an error if it is not inside one buffer.
  char *findRange(uint64_t address, uint64_t bytes, const char *what, std::string *error);

  EmulatorBackendOptions options;
  DeviceInfoValues info = {};
  std::string targetName;
  DeviceMemory memory;
  std::vector<uint64_t> allocated;
  Engine engine;
  MLIRContext context;
  std::vector<const Bundle *> bundles;
  std::map<std::pair<const Bundle *, std::string>, LoadedModule> modules;
};

} // namespace

static bool setError(std::string *error, const std::string &message) {
  if (error)
    *error = message;
  return false;
}

void EmulatorBackend::pretend(const Target &target) {
  targetName = std::string(target.name);
  info[size_t(DeviceInfoKind::SmCount)] = options.smCount;
  info[size_t(DeviceInfoKind::MaxSharedBytesPerCta)] = target.maxSharedBytesPerBlock;
  info[size_t(DeviceInfoKind::MaxThreadsPerCta)] = Target::kMaxThreadsPerBlock;
  info[size_t(DeviceInfoKind::ComputeCapability)] = target.computeCapability;
  info[size_t(DeviceInfoKind::L2Bytes)] = options.l2Bytes;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

bool EmulatorBackend::allocate(uint64_t bytes, const std::string &label, uint64_t *address, std::string *error) {
  *address = memory.allocate(bytes, label, error);
  if (*address)
    allocated.push_back(*address);
  return *address != 0;
}

/// Smaller arrays are copied: what a kernel leaves of them is then seen only if its launch succeeds.
static constexpr uint64_t kMapBytes = uint64_t(64) << 20;
/// The widest access of one thread; an array that is aligned to less would refuse launches that a copy allows.
static constexpr uint64_t kMapAlignment = 16;

bool EmulatorBackend::mapHost(void *host, uint64_t bytes, const std::string &label, bool isWritten, uint64_t *address) {
  bool isFit = bytes >= kMapBytes && reinterpret_cast<uintptr_t>(host) % kMapAlignment == 0;
  *address = isFit ? memory.adopt(static_cast<char *>(host), bytes, isWritten, label, nullptr) : 0;
  if (*address)
    allocated.push_back(*address);
  return *address != 0;
}

void EmulatorBackend::release(uint64_t address) {
  if (memory.release(address))
    allocated.erase(std::find(allocated.begin(), allocated.end(), address));
}

char *EmulatorBackend::findRange(uint64_t address, uint64_t bytes, const char *what, std::string *error) {
  char *host = memory.find(address, bytes);
  if (!host)
    setError(error,
             std::string("cannot ") + what + " " + std::to_string(bytes) + " bytes " + memory.describe(address, bytes));
  return host;
}

bool EmulatorBackend::upload(uint64_t address, const void *source, uint64_t bytes, std::string *error) {
  char *host = findRange(address, bytes, "upload", error);
  if (host)
    std::memcpy(host, source, bytes);
  return host != nullptr;
}

bool EmulatorBackend::download(void *target, uint64_t address, uint64_t bytes, std::string *error) {
  char *host = findRange(address, bytes, "download", error);
  if (host)
    std::memcpy(target, host, bytes);
  return host != nullptr;
}

bool EmulatorBackend::fill(uint64_t address, uint8_t byte, uint64_t bytes, std::string *error) {
  char *host = findRange(address, bytes, "fill", error);
  if (host)
    std::memset(host, byte, bytes);
  return host != nullptr;
}

//===----------------------------------------------------------------------===//
// Code
//===----------------------------------------------------------------------===//

bool EmulatorBackend::load(const Bundle &bundle, std::string *error) {
  std::string unknown;
  const Target *target = findTarget(bundle.plan.target, &unknown);
  if (!target)
    return setError(error, "cannot emulate a bundle for " + bundle.plan.target + ": " + unknown);
  pretend(*target);
  if (llvm::find(bundles, &bundle) == bundles.end())
    bundles.push_back(&bundle);
  return true;
}

void EmulatorBackend::unload(const Bundle &bundle) {
  Backend::unload(bundle);
  llvm::erase(bundles, &bundle);
  for (auto it = modules.begin(); it != modules.end();)
    it = it->first.first == &bundle ? modules.erase(it) : std::next(it);
}

const Bundle *EmulatorBackend::findBundle(const PlanKernel &kernel) const {
  for (const Bundle *bundle : bundles)
    for (const PlanKernel &other : bundle->plan.kernels)
      if (&other == &kernel)
        return bundle;
  return nullptr;
}

/// "k.mlir:3:7: message" for a place in a file, else the message alone.
static std::string describe(Diagnostic &diagnostic) {
  std::string text;
  diagnostic.getLocation()->walk([&](Location inner) {
    auto file = dyn_cast<FileLineColLoc>(inner);
    if (!file)
      return WalkResult::advance();
    text = (file.getFilename().getValue() + ":" + Twine(file.getLine()) + ":" + Twine(file.getColumn()) + ": ").str();
    return WalkResult::interrupt();
  });
  return text + diagnostic.str();
}

const LoadedModule *EmulatorBackend::getModule(const Bundle &bundle, const std::string &name, std::string *error) {
  LoadedModule &loaded = modules[{&bundle, name}];
  if (loaded.code)
    return &loaded;
  const BundleSection *section = bundle.find(SectionKind::Simt, name);
  const BundleSection *tiles = section ? nullptr : bundle.find(SectionKind::Tile, name);
  if (!section && (!tiles || !options.lowerTiles)) {
    setError(error, "the bundle has no SIMT section '" + name + "', which the emulator needs" +
                        (tiles ? ": this program cannot lower tiles" : ""));
    return nullptr;
  }
  std::string diagnostics;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
      diagnostics += (diagnostics.empty() ? "" : "; ") + describe(diagnostic);
    return success();
  });
  auto fail = [&] {
    setError(error, diagnostics + " (module '" + name + "')");
    return nullptr;
  };
  OwningOpRef<ModuleOp> module = parseProgram((section ? section : tiles)->data, name, &context);
  if (!module || (tiles && failed(options.lowerTiles(*module, bundle.plan))))
    return fail();
  PassManager manager(&context);
  manager.addPass(createConvertSIMTToEmulatorPass());
  if (failed(manager.run(*module)))
    return fail();
  for (auto func : module->getOps<LLVM::LLVMFuncOp>())
    if (auto bytes = func->getAttrOfType<IntegerAttr>("tile_gpu.shared_bytes"))
      loaded.sharedBytes[func.getSymName()] = static_cast<uint32_t>(bytes.getInt());
  FailureOr<std::unique_ptr<EmulatedModule>> made = EmulatedModule::compile(*module, options.hostCode);
  if (failed(made))
    return fail();
  loaded.code = std::move(*made);
  return &loaded;
}

bool EmulatorBackend::launch(const PlanKernel &kernel, const PlanVariant &variant, const uint64_t *slots,
                             const uint64_t grid[3], std::string *error) {
  const Bundle *bundle = findBundle(kernel);
  if (!bundle)
    return setError(error, "kernel '" + kernel.name + "' is of no bundle that is loaded");
  const LoadedModule *module = getModule(*bundle, variant.module, error);
  if (!module)
    return false;
  const KernelCode *code = module->code->lookup(variant.symbol);
  if (!code)
    return setError(error, "module '" + variant.module + "' has no kernel '" + variant.symbol + "'");
  LaunchShape shape;
  shape.grid = {grid[0], grid[1], grid[2]};
  shape.numThreads = variant.numThreads;
  shape.dynamicSharedBytes = std::max(variant.dynamicSharedBytes, module->sharedBytes.lookup(variant.symbol));
  RunReport report = engine.run(*code, shape, slots, memory);
  return report.isOk() || setError(error, report.message);
}

bool EmulatorBackend::ctasPerSm(const PlanKernel &kernel, const PlanVariant &variant, int64_t *count,
                                std::string *error) {
  if (options.ctasPerSm > 0) {
    *count = options.ctasPerSm;
    return true;
  }
  const Bundle *bundle = findBundle(kernel);
  if (!bundle)
    return setError(error, "kernel '" + kernel.name + "' is of no bundle that is loaded");
  std::string unknown;
  const Target *target = findTarget(bundle->plan.target, &unknown);
  const LoadedModule *module = target ? getModule(*bundle, variant.module, error) : nullptr;
  if (!module)
    return target ? false : setError(error, unknown);
  uint32_t shared = std::max(variant.dynamicSharedBytes, module->sharedBytes.lookup(variant.symbol));
  *count = blocksPerSm(*target, variant.numThreads, /*registersPerThread=*/0, shared);
  return true;
}

std::unique_ptr<Backend> tilewright::createEmulatorBackend(const EmulatorBackendOptions &options) {
  return std::make_unique<EmulatorBackend>(options);
}

void tilewright::registerEmulatorBackend(const EmulatorBackendOptions &given) {
  registerBackendFactory("emulator", [given](const BackendOptions &options) {
    EmulatorBackendOptions emulator = given;
    emulator.engine.seed = options.seed;
    if (options.smCount > 0)
      emulator.smCount = options.smCount, emulator.ctasPerSm = 1;
    return BackendResult{BackendStatus::Ok, createEmulatorBackend(emulator), ""};
  });
}
