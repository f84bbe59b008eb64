// SPDX-License-Identifier: Apache-2.0
/// \file
/// The rules of TMA: when a box of a tensor in memory may be copied by a tensor map. One implementation for the compiler,
/// which knows facts about numbers (a divisor, a range), and for the runtime, which knows the numbers: an exact number is
/// a fact like others. Each rule holds, is broken, or is unknown, i.e. depends on what only the caller knows.
///
/// Source of every number: cuTensorMapEncodeTiled in the CUDA driver API (Tensor Map Object Management), and PTX ISA 9.0,
/// cp.async.bulk.tensor, for coordinates.
///
/// Worked example: 300x511 elements of f16 in rows of 511. The stride of dim 0 is 1022 bytes and breaks the rule "a
/// multiple of 16". In rows of 512 it is 1024 bytes; all rules hold if the address is a multiple of 16, and a box of 64x128
/// (inner extent first) with the swizzle of 128 bytes is legal, because its inner extent is 128 bytes.
#ifndef TILEWRIGHT_SUPPORT_TMARULES_H
#define TILEWRIGHT_SUPPORT_TMARULES_H

#include "tilewright/Support/ScalarType.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tilewright {

struct TmaLimits {
  static constexpr uint32_t kRank = 5, kBoxExtent = 256, kAlignBytes = 16;
  static constexpr int64_t kSize = int64_t(1) << 32;
  /// Of a stride in bytes, which must be less.
  static constexpr int64_t kStrideBytes = int64_t(1) << 40;
  /// A size up to which coordinates, which are signed and have 32 bits, may be saturated: an index beyond them lies
  /// outside of the tensor before and after.
  static constexpr int64_t kCoordinates = INT32_MAX;
  /// Our own: more boxes for one access are more instructions than they save.
  static constexpr int64_t kBoxesPerAccess = 64;
};

/// How the 16-byte units of a box are permuted in shared memory: the address has `(address >> 7) & (units - 1)`
/// exclusive-ored into its bits from 4 on, where the span is 16 * units bytes.
enum class TmaSwizzle : uint8_t { None, Bytes32, Bytes64, Bytes128 };
inline constexpr unsigned kNumTmaSwizzles = 4;
/// "none", "32B", "64B" and "128B"; and the inverse.
std::string_view tmaSwizzleName(TmaSwizzle swizzle);
std::optional<TmaSwizzle> parseTmaSwizzle(std::string_view name);
/// The largest inner extent of a swizzled box in bytes; 0 without a swizzle.
uint32_t tmaSwizzleSpanBytes(TmaSwizzle swizzle);

/// What elements outside of the tensor read as. NaN is one that only a float tensor has.
enum class TmaFill : uint8_t { Zero, NaN };
std::string_view tmaFillName(TmaFill fill);
std::optional<TmaFill> parseTmaFill(std::string_view name);

/// What is known about a number: a divisor (0: it is 0) and bounds.
struct TmaNumber {
  int64_t divisor = 1;
  std::optional<int64_t> min, max;

  static TmaNumber exact(int64_t value) { return {value, value, value}; }
  bool isExact() const { return min && max && *min == *max; }
};

/// One dimension of a tensor and of the boxes copied from it.
struct TmaDim {
  /// In elements.
  TmaNumber size, stride;
  /// Elements of a box.
  uint32_t box = 1;
  /// What messages call the dimension.
  uint32_t name = 0;
};

/// A tensor map, as far as it is known; the innermost dimension first.
struct TmaTensor {
  ScalarType type = ScalarType::I8;
  TmaNumber address;
  /// Only the first kRank dims are looked at.
  uint32_t rank = 0;
  TmaDim dims[TmaLimits::kRank];
  TmaSwizzle swizzle = TmaSwizzle::None;
  TmaFill fill = TmaFill::Zero;
};

enum class TmaRule : uint8_t {
  Rank,
  ElementType,
  Address,
  Size,
  UnitStride,
  StrideRange, ///< Positive, and below 2^40 bytes
  StrideDivisor,
  BoxExtent,
  InnerBox, ///< The bytes of its inner extent
  SwizzleSpan,
  Fill,
};

/// A rule that does not hold.
struct TmaFinding {
  TmaRule rule;
  /// Index into TmaTensor::dims, for rules about a dimension.
  uint32_t dim = 0;
  /// False: broken, whatever the caller passes.
  bool isUnknown = false;
  /// What was found, where one number can say it: that number, or of an unknown multiple the divisor that is known.
  int64_t found = 0;
};

/// Calls `onFinding` for each rule that does not hold, in a fixed order; true if all do. Allocates nothing. A dimension whose
/// size is known to be 1 may have any stride: nothing is ever behind it.
template <typename Callback> bool checkTma(const TmaTensor &tensor, Callback onFinding);

/// The rule and the value in words, e.g. "the stride of dim 0 is 1022 bytes, needs a multiple of 16".
std::string describeTmaFinding(const TmaTensor &tensor, const TmaFinding &finding);

/// The first rule that does not hold, in words; empty if all do.
std::string explainTma(const TmaTensor &tensor);

/// The extent of the boxes that cover `extent` elements without a rest: the largest of at most `most` (and 256) that divides it
/// and is a multiple of `unit`; 0 where there is none.
uint32_t chooseTmaBoxExtent(int64_t extent, int64_t unit, int64_t most = TmaLimits::kBoxExtent);

//===- Implementation --------------------------------------------------------------------------------------------===//

namespace detail {
enum class Truth : uint8_t { Holds, Broken, Unknown };
inline Truth isWithin(const TmaNumber &number, int64_t low, int64_t high) {
  if (number.min && number.max && *number.min >= low && *number.max <= high)
    return Truth::Holds;
  bool isOutside = (number.max && *number.max < low) || (number.min && *number.min > high);
  return isOutside ? Truth::Broken : Truth::Unknown;
}
inline Truth isMultiple(const TmaNumber &number, int64_t divisor) {
  if (number.divisor % divisor == 0)
    return Truth::Holds;
  return number.isExact() ? Truth::Broken : Truth::Unknown;
}
} // namespace detail

template <typename Callback> bool checkTma(const TmaTensor &tensor, Callback onFinding) {
  using detail::Truth;
  bool isLegal = true;
  auto require = [&](Truth truth, TmaRule rule, uint32_t dim, int64_t found) {
    if (truth == Truth::Holds)
      return;
    isLegal = false;
    onFinding(TmaFinding{rule, dim, truth == Truth::Unknown, found});
  };
  auto known = [](bool holds) { return holds ? Truth::Holds : Truth::Broken; };
  require(known(tensor.rank >= 1 && tensor.rank <= TmaLimits::kRank), TmaRule::Rank, 0, tensor.rank);
  int64_t bytes = scalarTypeBytes(tensor.type);
  require(known(bytes != 0), TmaRule::ElementType, 0, 0);
  if (!isLegal)
    return false; // The other rules count dims and bytes.
  require(detail::isMultiple(tensor.address, TmaLimits::kAlignBytes), TmaRule::Address, 0, tensor.address.divisor);
  for (uint32_t d = 0; d < tensor.rank; ++d) {
    const TmaDim &dim = tensor.dims[d];
    require(detail::isWithin(dim.size, 1, TmaLimits::kSize), TmaRule::Size, d, dim.size.min.value_or(0));
    if (dim.size.isExact() && *dim.size.min == 1)
      continue;
    if (d == 0) {
      require(detail::isWithin(dim.stride, 1, 1), TmaRule::UnitStride, d, dim.stride.min.value_or(0));
      continue;
    }
    require(detail::isWithin(dim.stride, 1, (TmaLimits::kStrideBytes - 1) / bytes), TmaRule::StrideRange, d,
            dim.stride.min.value_or(0));
    // Element sizes are powers of two, so a multiple of 16 bytes is one of 16 / bytes elements.
    int64_t unit = bytes >= TmaLimits::kAlignBytes ? 1 : TmaLimits::kAlignBytes / bytes;
    require(detail::isMultiple(dim.stride, unit), TmaRule::StrideDivisor, d, dim.stride.divisor);
  }
  for (uint32_t d = 0; d < tensor.rank; ++d)
    require(known(tensor.dims[d].box >= 1 && tensor.dims[d].box <= TmaLimits::kBoxExtent), TmaRule::BoxExtent, d,
            tensor.dims[d].box);
  int64_t innerBytes = int64_t(tensor.dims[0].box) * bytes;
  require(known(innerBytes % TmaLimits::kAlignBytes == 0), TmaRule::InnerBox, 0, innerBytes);
  uint32_t span = tmaSwizzleSpanBytes(tensor.swizzle);
  require(known(span == 0 || innerBytes <= span), TmaRule::SwizzleSpan, 0, innerBytes);
  require(known(tensor.fill == TmaFill::Zero || isFloatType(tensor.type)), TmaRule::Fill, 0, 0);
  return isLegal;
}

} // namespace tilewright

#endif // TILEWRIGHT_SUPPORT_TMARULES_H
