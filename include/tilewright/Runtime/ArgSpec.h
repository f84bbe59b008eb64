// SPDX-License-Identifier: Apache-2.0
/// \file
/// The little language in which a command line describes a kernel's arguments:
///
///     @file.npy              an array as the file holds it
///     TYPE:@file.npy         its bits as a type that NumPy lacks, e.g. bf16:@x.npy from u16
///     TYPE[DIMxDIM...]:FILL  a fresh row-major array, e.g. f16[64x128]:rand(1)
///     TYPE:VALUE             a scalar, e.g. i32:42, index:-1, f32:0.5, f32:nan, i1:true, i64:0xff
///
/// FILL is one of
///
///     zeros, ones
///     iota                   the row-major number of each element; integers wrap
///     nan                    NaN; the bytes 0x55 in types that have none, which no test expects by chance
///     rand(SEED)             floats: about standard normal, within -3.47 .. 3.47
///     randint(SEED,LO,HI)    integers x with LO <= x < HI, as in NumPy; for floats as well
///
/// rand and randint are functions of seed and element number alone, the same on every machine: with
/// h(i) = mix(SEED + (i + 1) * 0x9e3779b97f4a7c15), where mix is the finaliser of SplitMix64, rand is the sum of the
/// four 16-bit fields of h(i), scaled to mean 0 and variance 1, and randint is LO + high 64 bits of h(i) * (HI - LO).
#ifndef TILEWRIGHT_RUNTIME_ARGSPEC_H
#define TILEWRIGHT_RUNTIME_ARGSPEC_H

#include "tilewright/Runtime/HostArray.h"

#include <string_view>
#include <utility>

namespace tilewright {

/// A parsed spec.
struct ArgSpec {
  enum class Kind : uint8_t { File, Array, Scalar };
  enum class Fill : uint8_t { Zeros, Ones, Iota, Nan, Rand, RandInt };
  Kind kind = Kind::Scalar;
  /// Nothing for `@file.npy` without a type.
  std::optional<ScalarType> type;
  /// File: its path.
  std::string path;
  /// Array: shape and content.
  std::vector<int64_t> shape;
  Fill fill = Fill::Zeros;
  uint64_t seed = 0;
  int64_t low = 0, high = 0;
  /// Scalar: the value in the form of ExprOp::ArgScalar.
  uint64_t value = 0;
};

/// An argument in host memory: an array, or a scalar in the form of ExprOp::ArgScalar.
struct HostArg {
  bool isScalar = false;
  ScalarType type = ScalarType::I32;
  uint64_t value = 0;
  HostArray array;
};

/// Parses a spec; the message quotes it.
std::optional<ArgSpec> parseArgSpec(std::string_view text, std::string *error);

/// Splits "NAME=SPEC" at its first '='; neither side may be empty. `option` is what the message calls it, e.g. "--arg".
std::optional<std::pair<std::string, std::string>> splitNamedSpec(std::string_view text, std::string_view option,
                                                                  std::string *error);

/// Reads the file or makes the array or scalar.
std::optional<HostArg> makeHostArg(const ArgSpec &spec, std::string *error);

/// Fills an array of any strides.
bool fillArray(HostArray &array, const ArgSpec &spec, std::string *error);

} // namespace tilewright

#endif // TILEWRIGHT_RUNTIME_ARGSPEC_H
