// SPDX-License-Identifier: Apache-2.0
/// \file
/// Which element types `mma.sync` multiplies, and with which sums. Source: PTX ISA 9.1, 9.7.14.5.
#ifndef TILEWRIGHT_DIALECT_TILEGPU_IR_MMATYPES_H
#define TILEWRIGHT_DIALECT_TILEGPU_IR_MMATYPES_H

#include "mlir/IR/Types.h"
#include "tilewright/Support/MmaElement.h"

#include <optional>

namespace tilewright::tile_gpu {

/// What one instruction multiplies and sums up in.
struct MmaKind {
  MmaElement lhs, rhs;
  MmaSum sum;
  /// fp8 came later than the rest: Target::hasMmaSyncFp8.
  bool needsFp8() const { return isFp8(lhs); }
  /// The first PTX that spells it, as 10 * major + minor. Source: ptxas 13.0, which names it when it refuses an older one.
  unsigned firstPtxVersion() const { return !isFp8(lhs) ? 70 : sum == MmaSum::F16 ? 87 : 84; }
  /// "m16n8k16.row.col.f32.f16.f16.f32": how PTX names it.
  std::string ptxSuffix() const;
};

/// The kind for tiles of these element types; nullopt where `mma.sync` has none. f32 counts as tf32: its low 13 bits
/// are dropped.
std::optional<MmaKind> findMmaKind(mlir::Type lhs, mlir::Type rhs, mlir::Type acc, bool lhsUnsigned, bool rhsUnsigned);

} // namespace tilewright::tile_gpu

#endif // TILEWRIGHT_DIALECT_TILEGPU_IR_MMATYPES_H
