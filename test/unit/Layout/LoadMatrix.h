// SPDX-License-Identifier: Apache-2.0
/// \file
/// `ldmatrix` as the PTX ISA describes it.
#ifndef TILEWRIGHT_TEST_UNIT_LAYOUT_LOADMATRIX_H
#define TILEWRIGHT_TEST_UNIT_LAYOUT_LOADMATRIX_H

#include "tilewright/Layout/MatrixAccess.h"

namespace tilewright::layout {

/// A place of MatrixAccess::rows.
struct RowPlace {
  int64_t reg;
  unsigned lane;
};

/// Where in the rows the instruction finds what lane `lane` gets as register `reg`.
inline RowPlace sourceOf(const MatrixAccess &access, unsigned elementBytes, int64_t reg, unsigned lane) {
  int64_t run = kMatrixRowBytes / elementBytes, perWord = 4 / elementBytes;
  int64_t inWord = reg % perWord, word = reg / perWord, matrix = word % access.words;
  int64_t first = word / access.words * run;
  unsigned g = lane >> 2, t = lane & 3;
  if (access.isTransposed)
    return {first + g, unsigned(8 * matrix + 2 * t + inWord)};
  return {first + perWord * t + inWord, unsigned(8 * matrix + g)};
}

} // namespace tilewright::layout

#endif // TILEWRIGHT_TEST_UNIT_LAYOUT_LOADMATRIX_H
