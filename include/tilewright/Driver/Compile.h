// SPDX-License-Identifier: Apache-2.0
/// \file
/// One compilation from a parsed module to whatever is asked for: the text of a level, PTX, machine code, or a bundle
/// with its launch plan. tile-compile, tile-run and the C interface are thin covers of this. Errors are diagnostics of
/// the module's context; the module that is passed in is never changed.
#ifndef TILEWRIGHT_DRIVER_COMPILE_H
#define TILEWRIGHT_DRIVER_COMPILE_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "tilewright/Codegen/CudaTools.h"
#include "tilewright/Driver/CompileOptions.h"
#include "tilewright/Runtime/Bundle.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tilewright {

/// Seconds of each phase, in the order in which they ended.
using PhaseTimes = std::vector<std::pair<std::string, double>>;

/// How one `dot` is computed, for reports: where, by which family of instructions, in which shape ("m16n8k16"), summed in which
/// element type, why by no faster family of the target (empty: it is the fastest), and in which variants it is so, by symbol.
struct DotReport {
  std::string location, family, shape, type, reason;
  std::vector<std::string> variants;
};

/// How one tile gets into another layout, for reports: where, which tile ("64x32xf16"), by "registers", "shuffles" or "shared
/// memory", why, what it costs each time, and in which variants it is so.
struct ConversionReport {
  std::string location, tile, kind, reason;
  /// Estimated issue cycles of one SM for one program.
  double cycles = 0;
  int64_t sharedBytes = 0;
  /// Bank conflicts of an average access of the writers and the readers; 0 but for shared memory.
  double writeConflicts = 0, readConflicts = 0;
  /// Set where a reader uses `ldmatrix`.
  bool readsMatrices = false;
  /// As many that are alike, at one place of one variant.
  unsigned count = 1;
  std::vector<std::string> variants;
};

/// One compiled version of a kernel.
struct CompiledVariant {
  /// Name in the source, entry point, and name of its sections in the bundle.
  std::string kernel, symbol, module;
  uint32_t numThreads = 0, sharedBytes = 0;
  /// Its tile program as MLIR text with source locations, for CompileOptions::isLazy; nothing of what follows is there then.
  std::string tiles;
  /// One thread's program as MLIR text with source locations: what the emulator runs.
  std::string simt;
  /// Only where CompileOptions::wantsPtx.
  std::string ptx;
  /// Only where machine code was asked for.
  std::string cubin;
  std::optional<KernelResources> resources;
  std::vector<std::string> ptxasWarnings;
};

/// Everything that a compilation of a whole tile program produced.
struct CompileResult {
  std::vector<CompiledVariant> variants;
  std::vector<DotReport> dots;
  std::vector<ConversionReport> conversions;
  /// The plan, and the sections of all variants; `writeBundle` makes a file of it.
  Bundle bundle;
  /// The report as JSON: target, tools and, per kernel and variant, what CompiledVariant says.
  std::string report;
};

/// The text of a level above machine code, or the machine code for EmitLevel::Cubin; all kernels in one module.
/// `times`, where given, is appended to. Not for EmitLevel::Bundle.
mlir::FailureOr<std::string> emitLevel(mlir::ModuleOp module, EmitLevel level, const CompileOptions &options,
                                       PhaseTimes *times = nullptr);

/// The module at EmitLevel::Tile, Gpu, Simt or LlvmDialect. A module of one thread's programs passes Simt as it is.
mlir::FailureOr<mlir::OwningOpRef<mlir::ModuleOp>>
lowerModule(mlir::ModuleOp module, EmitLevel level, const CompileOptions &options, PhaseTimes *times = nullptr);

/// Compiles every kernel and variant on its own, and makes plan, report and bundle.
mlir::FailureOr<CompileResult> compileModule(mlir::ModuleOp module, const CompileOptions &options,
                                             PhaseTimes *times = nullptr);

/// A file of `drawLayouts`.
struct LayoutPicture {
  std::string fileName, text;
};

/// Pictures of the layouts of all kernels as SVG, "VARIANT.NN-OP.svg" each, and "index.html", the last, which says what is where.
/// A layout is drawn once for each kernel, for the first variant that has it; a buffer once for each way of writing and
/// reading it. The same module gives the same bytes.
mlir::FailureOr<std::vector<LayoutPicture>> drawLayouts(mlir::ModuleOp module, const CompileOptions &options,
                                                        PhaseTimes *times = nullptr);

/// Lowers a module of one Tile section of a bundle to one thread's programs, in place, by the target and the options that
/// the bundle's plan records. For EmulatorBackendOptions::lowerTiles.
mlir::LogicalResult lowerTileSection(mlir::ModuleOp module, const LaunchPlan &plan);

/// The report for people, one line per fact.
void printReport(const CompileResult &result, llvm::raw_ostream &stream);

} // namespace tilewright

#endif // TILEWRIGHT_DRIVER_COMPILE_H
