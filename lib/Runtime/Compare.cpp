// SPDX-License-Identifier: Apache-2.0
#include "tilewright/Runtime/Compare.h"
#include "tilewright/Runtime/ScalarConvert.h"
#include "tilewright/Support/Counted.h"

#include <charconv>
#include <cmath>

using namespace tilewright;

/// |got - expected| in the sense of Tolerance.
static double floatError(double got, double expected) {
  if (std::isnan(got) || std::isnan(expected))
    return std::isnan(got) && std::isnan(expected) ? 0 : INFINITY;
  if (got == expected) // also equal infinities, whose difference is NaN
    return 0;
  return std::fabs(got - expected);
}

static __int128 wideInteger(const HostArray &array, const uint8_t *element) {
  int64_t value = loadAsInteger(array.type, element, array.isUnsigned);
  bool isHuge = array.isUnsigned && scalarTypeBits(array.type) == 64;
  return isHuge ? static_cast<__int128>(static_cast<uint64_t>(value)) : value;
}

std::optional<CompareResult> tilewright::compareArrays(const HostArray &got, const HostArray &expected,
                                                       Tolerance tolerance, std::string *error) {
  if (got.shape != expected.shape) {
    if (error)
      *error = "the shape is " + printShape(got.shape) + ", but the reference has " + printShape(expected.shape);
    return std::nullopt;
  }
  CompareResult result;
  result.numElements = got.numElements();
  bool isInteger = isIntegerType(got.type) && isIntegerType(expected.type);
  for (int64_t i = 0; i < result.numElements; ++i) {
    const uint8_t *a = got.element(i), *b = expected.element(i);
    double gotValue = loadAsDouble(got.type, a, got.isUnsigned);
    double expectedValue = loadAsDouble(expected.type, b, expected.isUnsigned);
    double difference = 0;
    if (isInteger) {
      __int128 exact = wideInteger(got, a) - wideInteger(expected, b);
      difference = static_cast<double>(exact < 0 ? -exact : exact);
    } else {
      difference = floatError(gotValue, expectedValue);
    }
    if (difference > result.largestError) {
      result.largestError = difference;
      result.worst = i;
    }
    // An infinite reference must not make its own tolerance infinite.
    double scale = std::isfinite(expectedValue) ? std::fabs(expectedValue) : 0;
    if (difference <= tolerance.atol + tolerance.rtol * scale)
      continue;
    if (result.numMismatches++ == 0) {
      result.firstMismatch = i;
      result.got = gotValue;
      result.expected = expectedValue;
    }
  }
  return result;
}

std::string tilewright::printDouble(double value) {
  char text[64];
  auto [end, status] = std::to_chars(text, text + sizeof(text), value);
  return status == std::errc() ? std::string(text, end) : "?";
}

std::string tilewright::describeComparison(const CompareResult &result, const HostArray &got) {
  std::string text;
  if (result.isOk())
    text = counted(result.numElements, "element agrees", "elements agree");
  else
    text = std::to_string(result.numMismatches) + " of " + counted(result.numElements, "element") +
           (result.numMismatches == 1 ? " differs, first at " : " differ, first at ") +
           printShape(got.unravel(result.firstMismatch)) + ": got " + printDouble(result.got) + ", expected " +
           printDouble(result.expected);
  text += "; largest error " + printDouble(result.largestError);
  if (result.worst >= 0)
    text += " at " + printShape(got.unravel(result.worst));
  return text;
}
