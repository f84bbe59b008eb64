// SPDX-License-Identifier: Apache-2.0
/// \file
/// The arithmetic of alignment facts on plain integers, apart from any IR so that a unit test can prove every rule
/// by brute force over small ranges.
///
/// Facts are about one dimension of a tile `x` of extent S; `i` is an index along it, all other indices are fixed
/// and arbitrary. Values are read as signed integers and all statements are exact, not modulo 2^width:
///
///   contiguity c   divides S;  x[i] = x[i - i mod c] + (i mod c) * unit
///   constancy k    divides S;  x[i] = x[i - i mod k]
///   divisor d      divides x[i] wherever c divides i; 0 means that those elements are 0
///
/// `unit` is 1 for integers and the element size in bytes for pointers. A scalar is a tile of extent 1.
///
/// Worked example: `iota` of extent 8 has c = 8, k = 1, d = 0 (its first element is 0). A splat of a number that 16
/// divides has c = 1, k = 8, d = 16. Their sum has c = gcd(8, 8) = 8, k = gcd(1, 8) = 1 and, at index 0,
/// d = gcd(0, 16) = 16. Every fourth element of it is divided by `divisorAt(sum, 4)` = gcd(16, 4) = 4.
///
/// Exact contiguity is what a vector access needs: a group that is contiguous only modulo 2^32 is torn apart by a
/// sign extension to 64 bits. Arithmetic that may wrap therefore passes its facts through `wrapFacts`, which keeps
/// what an aligned power of two protects: a group of 4 that starts at a multiple of 4 never straddles 2^31.
#ifndef TILEWRIGHT_ANALYSIS_ALIGNMENTRULES_H
#define TILEWRIGHT_ANALYSIS_ALIGNMENTRULES_H

#include <cstdint>
#include <optional>

namespace tilewright {

/// What is known along one dimension; see the file comment. The default is no knowledge.
struct DimFacts {
  int64_t contiguity = 1;
  int64_t divisor = 1;
  int64_t constancy = 1;

  bool operator==(const DimFacts &other) const {
    return contiguity == other.contiguity && divisor == other.divisor && constancy == other.constancy;
  }
  bool operator!=(const DimFacts &other) const { return !(*this == other); }
};

/// Order comparisons of integers. Equality is not here: nothing follows for it beyond constancy.
enum class OrderPredicate { LessThan, LessEqual, GreaterThan, GreaterEqual };

/// The largest divisor in use that divides `value`: |value|, or 2^62 for the smallest 64-bit integer.
int64_t divisorOfConstant(int64_t value);

/// The largest power of two up to 2^62 that divides `divisor`; 2^62 for 0.
int64_t powerOfTwoPart(int64_t divisor);

/// A divisor of the product of a multiple of `a` and a multiple of `b`; their product unless that overflows.
int64_t multiplyDivisors(int64_t a, int64_t b);

/// A number that any two divisors of one value both divide, i.e. their least common multiple unless it overflows.
int64_t combineDivisors(int64_t a, int64_t b);

/// A divisor of every element whose index is a multiple of `step`.
int64_t divisorAt(const DimFacts &facts, int64_t step, int64_t unit = 1);

/// Facts of a tile whose elements all are `value`, or one of unknown value that `divisor` divides.
DimFacts uniformFacts(int64_t divisor, int64_t extent);

/// Facts of `start, start + 1, ...` in integers of `width` bits that wrap.
DimFacts iotaFacts(int64_t start, int64_t extent, unsigned width);

/// Facts that hold for whichever of the two tiles is taken as a whole.
DimFacts joinFacts(const DimFacts &a, const DimFacts &b, int64_t unit = 1);

/// Facts of a tile for which both are known to hold.
DimFacts meetFacts(const DimFacts &a, const DimFacts &b, int64_t unit = 1);

/// What is left of exact facts when each element is reduced to `width` bits, read as signed or as unsigned.
DimFacts wrapFacts(const DimFacts &facts, unsigned width);

/// Exact sum, difference and product; a known value of an operand sharpens the product.
DimFacts addFacts(const DimFacts &a, const DimFacts &b, int64_t unit = 1);
DimFacts subFacts(const DimFacts &a, const DimFacts &b);
DimFacts mulFacts(const DimFacts &a, const DimFacts &b, std::optional<int64_t> aValue, std::optional<int64_t> bValue);

/// Product with `factor` where a step of one becomes a step of `factor`, as in pointer arithmetic: the result has
/// unit `factor`.
DimFacts scaleFacts(const DimFacts &facts, int64_t factor);

/// Quotient rounded to minus infinity; `bValue` is the divisor where it is known.
DimFacts floorDivFacts(const DimFacts &a, const DimFacts &b, std::optional<int64_t> bValue);

/// Quotient in any rounding, e.g. towards zero or upwards.
DimFacts roundedDivFacts(const DimFacts &a, const DimFacts &b, std::optional<int64_t> bValue);

/// Remainder with the sign of the divisor, for a known positive divisor; otherwise as `truncRemFacts`.
DimFacts floorRemFacts(const DimFacts &a, const DimFacts &b, std::optional<int64_t> bValue);

/// Remainder with the sign of the dividend.
DimFacts truncRemFacts(const DimFacts &a, const DimFacts &b);

/// Bitwise operations; a known mask sharpens `and`.
DimFacts andFacts(const DimFacts &a, const DimFacts &b, std::optional<int64_t> bValue);
DimFacts orXorFacts(const DimFacts &a, const DimFacts &b);

/// Left shift that does not wrap by an unknown amount that is not negative.
DimFacts shiftLeftFacts(const DimFacts &a, const DimFacts &b);

/// Minimum or maximum, signed or unsigned: each element is that of one of the two.
DimFacts minMaxFacts(const DimFacts &a, const DimFacts &b);

/// Element-wise choice by a tile of conditions.
DimFacts selectFacts(const DimFacts &condition, const DimFacts &a, const DimFacts &b, int64_t unit = 1);

/// The truth of an order comparison, signed or (for values after `wrapFacts`) unsigned. Only its constancy is known.
DimFacts orderFacts(OrderPredicate predicate, const DimFacts &a, const DimFacts &b);

/// Constancy of any function of two tiles, element by element.
DimFacts elementwiseFacts(const DimFacts &a, const DimFacts &b);

/// Blocks of extent `extent` cut out of, or concatenated to, a longer tile at multiples of their extent.
DimFacts blockFacts(const DimFacts &facts, int64_t extent, int64_t unit = 1);

} // namespace tilewright

#endif // TILEWRIGHT_ANALYSIS_ALIGNMENTRULES_H
