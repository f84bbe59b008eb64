// SPDX-License-Identifier: Apache-2.0
#include "tilewright/Support/TmaRules.h"
#include "tilewright/Support/Counted.h"

#include <algorithm>
#include <cstdio>

using namespace tilewright;

/// In the order of the enumerators.
static constexpr std::string_view kSwizzleNames[] = {"none", "32B", "64B", "128B"};
static constexpr std::string_view kFillNames[] = {"zero", "nan"};

std::string_view tilewright::tmaSwizzleName(TmaSwizzle swizzle) { return kSwizzleNames[static_cast<unsigned>(swizzle)]; }

std::optional<TmaSwizzle> tilewright::parseTmaSwizzle(std::string_view name) {
  for (unsigned i = 0; i < kNumTmaSwizzles; ++i)
    if (name == kSwizzleNames[i])
      return static_cast<TmaSwizzle>(i);
  return std::nullopt;
}

uint32_t tilewright::tmaSwizzleSpanBytes(TmaSwizzle swizzle) {
  return swizzle == TmaSwizzle::None ? 0 : 16u << static_cast<unsigned>(swizzle);
}

std::string_view tilewright::tmaFillName(TmaFill fill) { return kFillNames[static_cast<unsigned>(fill)]; }

std::optional<TmaFill> tilewright::parseTmaFill(std::string_view name) {
  for (unsigned i = 0; i < 2; ++i)
    if (name == kFillNames[i])
      return static_cast<TmaFill>(i);
  return std::nullopt;
}

/// "is 7" where the number is known, else "is not known to be".
static std::string isOrIsNotKnown(bool isUnknown, const std::string &value, const std::string &needed) {
  return isUnknown ? " is not known to be " + needed : " is " + value + ", needs " + needed;
}

static std::string inBytes(int64_t elements, int64_t elementBytes) {
  int64_t bytes = 0;
  if (__builtin_mul_overflow(elements, elementBytes, &bytes))
    return counted(elements, "element");
  return counted(bytes, "byte");
}

std::string tilewright::describeTmaFinding(const TmaTensor &tensor, const TmaFinding &finding) {
  int64_t bytes = scalarTypeBytes(tensor.type);
  const TmaDim &dim = tensor.dims[finding.dim];
  std::string type(scalarTypeName(tensor.type)), name = " of dim " + std::to_string(dim.name);
  std::string value = std::to_string(finding.found), align = std::to_string(TmaLimits::kAlignBytes);
  switch (finding.rule) {
  case TmaRule::Rank:
    return "the rank is " + value + ", needs 1 to " + std::to_string(TmaLimits::kRank);
  case TmaRule::ElementType:
    return "elements of " + type + " are packed two per byte, needs whole bytes";
  case TmaRule::Address: {
    char hex[32];
    std::snprintf(hex, sizeof(hex), "0x%llx", static_cast<unsigned long long>(finding.found));
    return "the address" + isOrIsNotKnown(finding.isUnknown, hex, "a multiple of " + align);
  }
  case TmaRule::Size:
    return "the size" + name + isOrIsNotKnown(finding.isUnknown, value, "1 to " + std::to_string(TmaLimits::kSize));
  case TmaRule::UnitStride:
    return "the stride" + name + isOrIsNotKnown(finding.isUnknown, value, "1");
  case TmaRule::StrideRange:
    return "the stride" + name +
           isOrIsNotKnown(finding.isUnknown, inBytes(finding.found, bytes),
                          "1 to " + std::to_string(TmaLimits::kStrideBytes - 1) + (finding.isUnknown ? " bytes" : ""));
  case TmaRule::StrideDivisor:
    return "the stride" + name +
           isOrIsNotKnown(finding.isUnknown, inBytes(finding.found, bytes),
                          "a multiple of " + align + (finding.isUnknown ? " bytes" : ""));
  case TmaRule::BoxExtent:
    return "the box extent" + name + " is " + value + ", needs 1 to " + std::to_string(TmaLimits::kBoxExtent);
  case TmaRule::InnerBox:
    return "the inner box is " + value + " bytes, needs a multiple of " + align;
  case TmaRule::SwizzleSpan:
    return "the inner box is " + value + " bytes, needs at most the " +
           std::to_string(tmaSwizzleSpanBytes(tensor.swizzle)) + " of its swizzle";
  case TmaRule::Fill:
    return "the fill is nan, needs a float type, found " + type;
  }
  return "";
}

std::string tilewright::explainTma(const TmaTensor &tensor) {
  std::string text;
  checkTma(tensor, [&](const TmaFinding &finding) {
    if (text.empty())
      text = describeTmaFinding(tensor, finding);
  });
  return text;
}

uint32_t tilewright::chooseTmaBoxExtent(int64_t extent, int64_t unit, int64_t most) {
  most = std::min({most, extent, int64_t(TmaLimits::kBoxExtent)});
  for (int64_t box = unit > 0 ? most / unit * unit : 0; box >= 1; box -= unit)
    if (extent % box == 0)
      return static_cast<uint32_t>(box);
  return 0;
}
