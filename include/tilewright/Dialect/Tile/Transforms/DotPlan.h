// SPDX-License-Identifier: Apache-2.0
/// \file
/// Which instructions compute one product: the decision behind `tile-select-dot`, in plain numbers.
///
/// Every family of the target is tried, fastest first, against the rows of `Target/MmaTable.h`; each rule that it breaks is a
/// *gate* with the value that broke it. Worked example, sm_90a, f16 with sums in f32, 128x256x64, four warps: wgmma has rows of
/// 64 and takes every multiple of 8 up to 256 columns, so m64n256k16 fits, 2 * 1 * 4 instructions, 1024 clocks of an SM at 2048
/// multiply-add steps each. With 96 rows the gate is "M is 96, not a multiple of 64" and the product goes to mma.sync.
#ifndef TILEWRIGHT_DIALECT_TILE_TRANSFORMS_DOTPLAN_H
#define TILEWRIGHT_DIALECT_TILE_TRANSFORMS_DOTPLAN_H

#include "tilewright/Target/MmaTable.h"

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace tilewright {

/// M, N, K in elements.
using MmaShape = std::array<int64_t, 3>;

/// "m64n128k16".
std::string stringify(const MmaShape &shape);

/// What is asked of a product.
struct DotQuery {
  /// F32 where the products must keep all bits, TF32 where they may be rounded to it.
  ScalarType lhs, rhs, sum;
  /// All at least 1. `batch` counts matrices.
  int64_t batch = 1;
  MmaShape extents;
  MmaMajor lhsMajor = MmaMajor::Any, rhsMajor = MmaMajor::Any;
  /// Whether an operand is computed in registers, rather than loaded as it is.
  bool isLhsComputed = false, isRhsComputed = false;
  /// Warps of the program; 0 while that is open, when a legal count is taken for granted.
  unsigned warps = 0;
};

/// How one family computes a product, or why it does not.
struct FamilyFit {
  MmaFamily family = MmaFamily::Fma;
  /// Rules that the product breaks, each with its value; the family cannot compute it if there are any.
  std::vector<std::string> gates;
  /// Operands that are not contiguous along the dimension that the family wants, where it can turn them on their way.
  std::vector<std::string> turned;
  /// Set by `planDot` where the family can, but the product is too small for it or padding costs more than a slower family: why,
  /// with the values.
  std::string costGate;
  /// One instruction, and the product rounded up to whole ones.
  MmaShape shape{}, padded{};
  /// Clocks of one SM that the padded product takes at the family's best.
  int64_t clocks = 0;
  bool isLowered = false;
  /// The majorness that the instruction is given.
  MmaMajor lhsMajor = MmaMajor::Any, rhsMajor = MmaMajor::Any;
  std::string_view lhsSource, rhsSource, sumPlace;

  bool canCompute() const { return gates.empty(); }
  /// All gates in one line; empty if the family is to be taken.
  std::string obstacle() const;
};

/// Tries one family that `target` need not have.
FamilyFit fitFamily(const DotQuery &query, const Target &target, MmaFamily family);

struct DotPlan {
  FamilyFit chosen;
  /// Why no faster family of the target; empty for its fastest.
  std::string reason;
  /// The fastest family that fits, if it is not lowered yet.
  std::optional<FamilyFit> wanted;
};

/// The fastest family that fits and is lowered. Needs a product of types that the language has: fma computes all of those.
DotPlan planDot(const DotQuery &query, const Target &target);

} // namespace tilewright

#endif // TILEWRIGHT_DIALECT_TILE_TRANSFORMS_DOTPLAN_H
