// SPDX-License-Identifier: Apache-2.0
/// \file
/// The options of a compilation, the same for tile-compile, tile-run and the C interface, so that one page documents
/// them and one function reads them.
#ifndef TILEWRIGHT_DRIVER_COMPILEOPTIONS_H
#define TILEWRIGHT_DRIVER_COMPILEOPTIONS_H

#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace tilewright {

/// How far down to go.
enum class EmitLevel { Tile, Gpu, Simt, LlvmDialect, Llvm, Ptx, Cubin, Bundle };

struct CompileOptions {
  std::string target = "sm_90a";
  /// Warps of kernels that do not say it themselves; 0 lets the compiler choose.
  unsigned numWarps = 0;
  /// Most variants of one kernel; 0 is the compiler's limit, 1 leaves each kernel alone.
  unsigned maxVariants = 0;
  /// Rows of tiles to walk together in kernels that do not say; 0 lets the compiler choose.
  unsigned gridGroup = 0;
  /// Parts in which products are stored by kernels that do not say; 0 lets the compiler choose.
  unsigned epilogueParts = 0;
  /// Loops over the tiles in kernels that do not say: auto, always or never.
  std::string persistent = "auto";
  /// How loops lose their bounds checks: auto, guard (variants alone) or peel (a last iteration of its own alone).
  std::string evenK = "auto";
  /// Tensor maps: auto where they are proved to be legal, guard also where a variant can test it.
  std::string tma = "auto";
  /// Classes of tile dimensions to resize, "CLASS:N" each.
  std::vector<std::string> extents;
  std::vector<std::string> disabledPasses;
  /// Only this kernel and its variants; empty for all.
  std::string kernel;
  /// PTX in a bundle; the emulator needs none.
  bool wantsPtx = true;
  /// Machine code in a bundle.
  bool wantsCubin = false;
  /// A bundle for the emulator alone, with tile programs that it lowers one by one, each at its first launch.
  bool isLazy = false;
  /// Programs to use instead of those that are found.
  std::string ptxasPath, nvdisasmPath;

  /// The options in one line and in a fixed order, as a bundle records them.
  std::string toString() const;
};

/// Sets the option called `key`, spelled as on the command line without dashes. Returns false and sets `error` to one
/// message if there is no such option or the value is not one of its.
bool setCompileOption(CompileOptions &options, llvm::StringRef key, llvm::StringRef value, std::string &error);

/// One line of help per key: its name, what it takes, what it does, and the heading under which it belongs. Keys of one
/// group are neighbours.
struct CompileOptionHelp {
  const char *key, *value, *help, *group;
};
llvm::ArrayRef<CompileOptionHelp> compileOptionHelp();

/// Reads "ptx" and its kind; returns false and sets `error` otherwise.
bool parseEmitLevel(llvm::StringRef text, EmitLevel &level, std::string &error);

} // namespace tilewright

#endif // TILEWRIGHT_DRIVER_COMPILEOPTIONS_H
