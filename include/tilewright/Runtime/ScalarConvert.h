// SPDX-License-Identifier: Apache-2.0
/// \file
/// Elements in memory to and from numbers, for every element type. Written out in integers and exact scaling so that
/// it needs no compiler support for narrow floats and gives the same bits everywhere.
///
/// A narrow float with e exponent bits, m mantissa bits and bias b stands for (1 + M / 2^m) * 2^(E - b), or
/// M / 2^m * 2^(1 - b) where E = 0. Rounding scales the value so that one unit in the last place is 1, rounds to the
/// nearest integer, ties to even, and lets a carry run into the exponent. Example: 0.3 as f8E4M3FN (m = 3, b = 7)
/// lies in [2^-2, 2^-1); 0.3 * 2^5 = 9.6 rounds to 10 = 8 + 2, so M = 2, E = -2 + 7 = 5, i.e. 0x2a = 0.3125.
#ifndef TILEWRIGHT_RUNTIME_SCALARCONVERT_H
#define TILEWRIGHT_RUNTIME_SCALARCONVERT_H

#include "tilewright/Support/ScalarType.h"

#include <string>

namespace tilewright {

/// The value of an element as a double: exact for every type but i64 and index beyond 2^53. The address need not be
/// aligned. An i1 is 1 if its byte is not zero. The packed types read the low nibble.
double loadAsDouble(ScalarType type, const void *element, bool isUnsigned = false);

/// The value of an integer element, sign-extended (zero-extended if `isUnsigned`).
int64_t loadAsInteger(ScalarType type, const void *element, bool isUnsigned = false);

/// Stores a value, rounded to nearest, ties to even. Integers are truncated and saturate; NaN becomes 0. A float out
/// of range becomes infinity, or NaN where the format has no infinity, or the largest value where it has neither.
void storeFromDouble(ScalarType type, void *element, double value);

/// Stores the low bits of an integer, or the nearest float.
void storeFromInteger(ScalarType type, void *element, int64_t value);

/// True if the type is a float that can hold NaN.
bool hasNan(ScalarType type);

/// Checks that an integer fits `type`, read as signed or unsigned, and brings it into the form of
/// ExprOp::ArgScalar (sign-extended, i1 zero-extended). On failure `error` says the value and the type.
bool canonicalizeInteger(ScalarType type, int64_t value, uint64_t *result, std::string *error);

/// The bits of a float scalar in the form of ExprOp::ArgScalar: zero-extended.
uint64_t encodeFloat(ScalarType type, double value);

} // namespace tilewright

#endif // TILEWRIGHT_RUNTIME_SCALARCONVERT_H
