// SPDX-License-Identifier: Apache-2.0
/// \file
/// Conversions of floats that have no LLVM type, by integer arithmetic on their patterns.
#ifndef TILEWRIGHT_LIB_CONVERSION_EXPANDMATH_SMALLFLOAT_H
#define TILEWRIGHT_LIB_CONVERSION_EXPANDMATH_SMALLFLOAT_H

#include "Emit.h"

namespace tilewright::expand {

/// Whether `type` is a float of eight bits or less that the conversions below know.
bool isSmallFloat(mlir::Type type);

/// The value of a small float as f32, exactly.
Flt extendSmall(Flt x);

/// An f32 as the nearest number of the small float type `element`, ties to even. f8E5M2 overflows to infinity, f8E4M3FN
/// to NaN, f4 and f6 to their largest number, which stands for NaN, too. f8E8M0FNU takes the exponent: it rounds
/// towards zero and drops the sign.
Flt truncateSmall(Flt x, mlir::Type element);

/// An f64 as f32, rounded to odd: a second rounding to 22 bits or less then gives what one rounding would have.
Flt truncateToOdd(Flt x);

} // namespace tilewright::expand

#endif // TILEWRIGHT_LIB_CONVERSION_EXPANDMATH_SMALLFLOAT_H
