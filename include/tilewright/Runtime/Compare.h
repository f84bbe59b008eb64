// SPDX-License-Identifier: Apache-2.0
/// \file
/// Compares a kernel's output with a reference.
#ifndef TILEWRIGHT_RUNTIME_COMPARE_H
#define TILEWRIGHT_RUNTIME_COMPARE_H

#include "tilewright/Runtime/HostArray.h"

namespace tilewright {

/// An element agrees if |got - expected| <= atol + rtol * |expected|. NaN agrees with NaN only, an infinity with the
/// same infinity only. Integers are subtracted exactly.
struct Tolerance {
  double rtol = 0, atol = 0;
};

struct CompareResult {
  int64_t numElements = 0, numMismatches = 0;
  /// Row-major numbers of the first mismatch and of the largest error; -1 if there is none.
  int64_t firstMismatch = -1, worst = -1;
  /// |got - expected| where it is largest; infinite where a NaN or infinity meets something else.
  double largestError = 0;
  /// Both values at the first mismatch.
  double got = 0, expected = 0;

  bool isOk() const { return numMismatches == 0; }
};

/// Compares two arrays of one shape; the element types may differ. Nothing and `error` if the shapes differ.
std::optional<CompareResult> compareArrays(const HostArray &got, const HostArray &expected, Tolerance tolerance,
                                           std::string *error);

/// One line, e.g. "3 of 128 elements differ, first at [0, 3]: got 1.5, expected 1.25; largest error 0.25 at [0, 3]".
std::string describeComparison(const CompareResult &result, const HostArray &got);

/// A double with the fewest digits that give it back.
std::string printDouble(double value);

} // namespace tilewright

#endif // TILEWRIGHT_RUNTIME_COMPARE_H
