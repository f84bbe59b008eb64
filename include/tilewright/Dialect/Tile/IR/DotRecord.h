// SPDX-License-Identifier: Apache-2.0
/// \file
/// The attributes of a product that say which instructions compute it: `tile.mma`, the wish of an author, and
/// `tile.dot_choice`, what was chosen for one target.
#ifndef TILEWRIGHT_DIALECT_TILE_IR_DOTRECORD_H
#define TILEWRIGHT_DIALECT_TILE_IR_DOTRECORD_H

#include "mlir/IR/BuiltinAttributes.h"
#include "tilewright/Target/MmaTable.h"

#include <array>
#include <optional>

namespace tilewright::tile {

/// A string: the family that a product must use. Impossible wishes are errors.
inline constexpr llvm::StringLiteral kMmaAttr = "tile.mma";
/// A dictionary: the choice, as below.
inline constexpr llvm::StringLiteral kDotChoiceAttr = "tile.dot_choice";

/// What `tile.dot_choice` holds. As text:
/// `{family = "mma.sync", shape = array<i64: 16, 8, 16>, lhs = "registers k", rhs = "registers n", sum = "registers"}`, and for
/// a tile that is padded to whole instructions `padded = array<i64: M, N, K>`, and `reason = "..."` where a faster family of
/// the target was passed over.
struct DotRecord {
  MmaFamily family = MmaFamily::Fma;
  /// M, N and K of one instruction.
  std::array<int64_t, 3> shape{1, 1, 1};
  /// M, N and K of the whole product in whole instructions, where they differ from its own.
  std::optional<std::array<int64_t, 3>> padded;
  /// Where each operand comes from and along which dimension it is contiguous there: "shared k", "registers m", "tensor k".
  std::string lhs, rhs;
  /// Where the sum stays.
  std::string sum;
  std::string reason;
};

mlir::DictionaryAttr toAttribute(mlir::MLIRContext *context, const DotRecord &record);
/// The record that `attr` holds; nothing and the broken rule in `*error` where it holds none.
std::optional<DotRecord> parseDotRecord(mlir::Attribute attr, std::string *error = nullptr);

} // namespace tilewright::tile

#endif // TILEWRIGHT_DIALECT_TILE_IR_DOTRECORD_H
