// SPDX-License-Identifier: Apache-2.0
/// \file
/// An n-dimensional array in host memory with any strides: what `.npy` files become, what argument specs describe
/// and what kernels are launched on.
#ifndef TILEWRIGHT_RUNTIME_HOSTARRAY_H
#define TILEWRIGHT_RUNTIME_HOSTARRAY_H

#include "tilewright/Support/ScalarType.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tilewright {

/// The bytes that an array touches, relative to its element 0: [begin, end), begin <= 0 <= end. (0, 0) if it has no
/// elements.
struct ByteRange {
  int64_t begin = 0, end = 0;
  uint64_t size() const { return static_cast<uint64_t>(end - begin); }
};

/// The byte range of an array of `rank` dimensions with strides in elements of `elementBytes` bytes. Nothing if a
/// size is negative or the range does not fit 62 bits.
std::optional<ByteRange> computeByteRange(const int64_t *sizes, const int64_t *strides, size_t rank,
                                          unsigned elementBytes);

/// Sizes multiplied; nothing for a negative size or if the product of the sizes that are not zero overflows 63 bits.
std::optional<int64_t> countElements(const std::vector<int64_t> &sizes);

/// Row-major strides in elements. Zero sizes count as one, as in NumPy. The sizes passed countElements.
std::vector<int64_t> rowMajorStrides(const std::vector<int64_t> &sizes);

/// Shapes in messages: "[3, 4]".
std::string printShape(const std::vector<int64_t> &shape);

struct HostArray {
  ScalarType type = ScalarType::F32;
  /// Only how a file spells the integers: "u2" rather than "i2".
  bool isUnsigned = false;
  /// `strides` is in elements, one per dimension, of any sign; 0 repeats.
  std::vector<int64_t> shape, strides;
  /// Keeps the memory alive; may be empty if somebody else does.
  std::shared_ptr<void> owner;
  /// The address of element 0 (not of the lowest one, where a stride is negative).
  uint8_t *data = nullptr;

  size_t rank() const { return shape.size(); }
  unsigned elementBytes() const { return scalarTypeBytes(type); }
  int64_t numElements() const;
  ByteRange byteRange() const;

  /// A fresh row-major array filled with zero bytes. Nothing and `error` if it is larger than 2^40 bytes or memory, or
  /// the type is packed two per byte.
  static std::optional<HostArray> create(ScalarType type, std::vector<int64_t> shape, std::string *error);

  /// The address of the element with that row-major number, 0 <= linear < numElements().
  uint8_t *element(int64_t linear) const;
  /// The indices of that element.
  std::vector<int64_t> unravel(int64_t linear) const;
};

/// Calls `visit(address)` for each element in row-major order; cheaper than `element` for each.
template <typename Visit> void forEachElement(const HostArray &array, Visit &&visit) {
  if (array.numElements() == 0)
    return;
  size_t rank = array.rank();
  std::vector<int64_t> index(rank);
  int64_t bytes = array.elementBytes();
  int64_t offset = 0;
  while (true) {
    visit(array.data + offset * bytes);
    size_t d = rank;
    for (; d > 0; --d) {
      offset += array.strides[d - 1];
      if (++index[d - 1] < array.shape[d - 1])
        break;
      offset -= array.strides[d - 1] * array.shape[d - 1];
      index[d - 1] = 0;
    }
    if (d == 0)
      return;
  }
}

} // namespace tilewright

#endif // TILEWRIGHT_RUNTIME_HOSTARRAY_H
