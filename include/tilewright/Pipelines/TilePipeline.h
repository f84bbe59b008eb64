// SPDX-License-Identifier: Apache-2.0
/// \file
/// The one ordered list of passes from a tile program to one thread's program.
#ifndef TILEWRIGHT_PIPELINES_TILEPIPELINE_H
#define TILEWRIGHT_PIPELINES_TILEPIPELINE_H

#include "mlir/Pass/PassManager.h"

#include <string>
#include <vector>

namespace tilewright {

/// Levels of a program, from the top down.
enum class PipelineStage {
  Source, ///< What a user or a translator wrote.
  Tile,   ///< Tile programs after every choice of the tile level: variants, bounds.
  Gpu,    ///< Tiles with layouts, buffers with offsets, barriers.
  Simt,   ///< One thread's program.
};

struct PipelineOptions {
  /// Name of a row of the target table.
  std::string target = "sm_90a";
  /// Warps of a kernel that does not say; 0 lets the compiler choose.
  unsigned numWarps = 0;
  /// Most variants of one kernel; 0 is the pass's limit, 1 leaves each kernel alone.
  unsigned maxVariants = 0;
  /// Rows of tiles to walk together; 0 lets the compiler choose.
  unsigned gridGroup = 0;
  /// Parts in which products are stored by kernels that do not say; 0 lets the compiler choose.
  unsigned epilogueParts = 0;
  /// Loops over the tiles in kernels that do not say: auto, always or never.
  std::string persistent = "auto";
  /// How loops lose their bounds checks: auto, guard or peel.
  std::string evenK = "auto";
  /// Tensor maps: auto where they are proved to be legal, guard also where a variant can test it.
  std::string tma = "auto";
  /// Classes of tile dimensions to resize, "CLASS:N" each.
  std::vector<std::string> extents;
  std::vector<std::string> disabledPasses;
  /// The list begins behind `from` and ends with `stage`.
  PipelineStage from = PipelineStage::Source;
  PipelineStage stage = PipelineStage::Simt;
};

/// The passes that `disabledPasses` may name.
llvm::ArrayRef<llvm::StringRef> optionalPasses();

/// Adds the passes to `manager`, which runs on a module. Returns false and sets `error` for an unknown target or pass.
bool buildTilePipeline(mlir::OpPassManager &manager, const PipelineOptions &options, std::string &error);

/// Registers `--tile-pipeline`.
void registerTilePipeline();

} // namespace tilewright

#endif // TILEWRIGHT_PIPELINES_TILEPIPELINE_H
