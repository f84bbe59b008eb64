// SPDX-License-Identifier: Apache-2.0
/// \file
/// Element types as the host sees them: launch plans, host arrays and bundles name types by this enum, because
/// they live where no MLIR type exists. Like MLIR's, the integer types carry no sign.
#ifndef TILEWRIGHT_SUPPORT_SCALARTYPE_H
#define TILEWRIGHT_SUPPORT_SCALARTYPE_H

#include <cstdint>
#include <optional>
#include <string_view>

namespace tilewright {

/// The element types of the tile language; spelled as MLIR spells them (`scalarTypeName`).
enum class ScalarType : uint8_t {
  I1, ///< One byte in memory: 0 or 1 when stored, "not zero" when loaded.
  I4, ///< Two per byte, the low nibble first.
  I8,
  I16,
  I32,
  I64,
  Index, ///< 64 bits, signed.
  F16,
  BF16,
  TF32, ///< Four bytes in memory, the low 13 bits are zero.
  F32,
  F64,
  F8E4M3FN,
  F8E5M2,
  F8E8M0FNU,
  F6E2M3FN, ///< One byte in memory, in the low six bits.
  F6E3M2FN, ///< One byte in memory, in the low six bits.
  F4E2M1FN, ///< Two per byte, the low nibble first.
};

/// How many enumerators `ScalarType` has.
inline constexpr unsigned kNumScalarTypes = 18;

/// The spelling in MLIR text, e.g. "f8E4M3FN" or "index".
std::string_view scalarTypeName(ScalarType type);

/// The inverse of `scalarTypeName`; nothing for an unknown spelling.
std::optional<ScalarType> parseScalarType(std::string_view name);

/// The number of value bits: 1 for i1, 19 for tf32, 64 for index.
unsigned scalarTypeBits(ScalarType type);

/// The bytes that one element takes in memory; 0 for the types that are packed two per byte (i4, f4E2M1FN).
unsigned scalarTypeBytes(ScalarType type);

/// True for i1 to i64 and index.
bool isIntegerType(ScalarType type);

/// True for every floating-point type, the 4-, 6- and 8-bit ones included.
inline bool isFloatType(ScalarType type) { return !isIntegerType(type); }

} // namespace tilewright

#endif // TILEWRIGHT_SUPPORT_SCALARTYPE_H
