// SPDX-License-Identifier: Apache-2.0
/// \file
/// NumPy's `.npy` files, versions 1.0 to 3.0, in C and Fortran order. The format: the bytes 93 "NUMPY", a version, the
/// size of the header, the header (a Python dict literal with descr, fortran_order and shape), the elements. The
/// header is read by a parser for exactly that dict; nothing is ever evaluated.
/// Source: numpy/lib/format.py, "NEP 1 - A simple file format for NumPy arrays".
#ifndef TILEWRIGHT_RUNTIME_NPY_H
#define TILEWRIGHT_RUNTIME_NPY_H

#include "tilewright/Runtime/HostArray.h"

#include <string_view>

namespace tilewright {

/// What a header says.
struct NpyHeader {
  ScalarType type = ScalarType::F32;
  bool isUnsigned = false;
  bool isFortranOrder = false;
  std::vector<int64_t> shape;
  /// Where the elements begin, and how many bytes they are.
  uint64_t dataOffset = 0, dataBytes = 0;
};

/// Headers larger than this are refused; NumPy itself writes some 120 bytes.
inline constexpr uint64_t kMaxNpyHeaderBytes = 1 << 20;

/// Parses the header of untrusted bytes, which may end anywhere behind it. Types: bool, 8 to 64-bit integers and
/// 16 to 64-bit floats, little-endian.
std::optional<NpyHeader> parseNpyHeader(std::string_view bytes, std::string *error);

/// Parses a whole file. Its size must be exact. The array owns its memory.
std::optional<HostArray> parseNpy(std::string_view bytes, std::string *error);

/// Reads a file; messages begin with its path.
std::optional<HostArray> readNpyFile(const std::string &path, std::string *error);

/// The bytes of a file: Fortran order if the array is contiguous in that order only, else C order. Types that NumPy
/// lacks are written as unsigned integers of their size (tf32 as f4).
std::string printNpy(const HostArray &array);

/// Writes a file; messages begin with its path.
bool writeNpyFile(const std::string &path, const HostArray &array, std::string *error);

/// Reads the bits of an array as another type, without copying: the way in for types that NumPy lacks. The array's own
/// type must be that type, or an integer of the same size, or f32 for tf32.
std::optional<HostArray> viewBits(HostArray array, ScalarType type, std::string *error);

} // namespace tilewright

#endif // TILEWRIGHT_RUNTIME_NPY_H
