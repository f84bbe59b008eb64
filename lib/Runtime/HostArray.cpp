// SPDX-License-Identifier: Apache-2.0
#include "tilewright/Runtime/HostArray.h"

#include <algorithm>
#include <cstdlib>

using namespace tilewright;

static constexpr int64_t kMaxArrayBytes = int64_t(1) << 40;
static constexpr int64_t kMaxRangeBytes = int64_t(1) << 62;

std::optional<ByteRange> tilewright::computeByteRange(const int64_t *sizes, const int64_t *strides, size_t rank,
                                                      unsigned elementBytes) {
  bool isEmpty = false;
  for (size_t d = 0; d < rank; ++d) {
    if (sizes[d] < 0)
      return std::nullopt;
    isEmpty |= sizes[d] == 0;
  }
  if (isEmpty)
    return ByteRange{};
  __int128 low = 0, high = 0;
  for (size_t d = 0; d < rank; ++d) {
    // Both factors fit 63 bits, so the product fits 126.
    __int128 reach = static_cast<__int128>(sizes[d] - 1) * strides[d];
    (reach < 0 ? low : high) += reach;
    if (low < -kMaxRangeBytes || high > kMaxRangeBytes)
      return std::nullopt;
  }
  low *= elementBytes;
  high = (high + 1) * elementBytes;
  if (low < -kMaxRangeBytes || high > kMaxRangeBytes || high - low > kMaxRangeBytes)
    return std::nullopt;
  return ByteRange{static_cast<int64_t>(low), static_cast<int64_t>(high)};
}

std::optional<int64_t> tilewright::countElements(const std::vector<int64_t> &sizes) {
  int64_t count = 1;
  bool isEmpty = false;
  for (int64_t size : sizes) {
    if (size < 0)
      return std::nullopt;
    isEmpty |= size == 0;
    if (size != 0 && __builtin_mul_overflow(count, size, &count))
      return std::nullopt;
  }
  return isEmpty ? 0 : count;
}

std::vector<int64_t> tilewright::rowMajorStrides(const std::vector<int64_t> &sizes) {
  std::vector<int64_t> strides(sizes.size());
  int64_t stride = 1;
  for (size_t d = sizes.size(); d-- > 0;) {
    strides[d] = stride;
    stride *= std::max<int64_t>(sizes[d], 1);
  }
  return strides;
}

std::string tilewright::printShape(const std::vector<int64_t> &shape) {
  std::string text = "[";
  for (size_t i = 0; i < shape.size(); ++i)
    text += (i ? ", " : "") + std::to_string(shape[i]);
  return text + "]";
}

int64_t HostArray::numElements() const { return countElements(shape).value_or(0); }

ByteRange HostArray::byteRange() const {
  return computeByteRange(shape.data(), strides.data(), rank(), elementBytes()).value_or(ByteRange{});
}

std::optional<HostArray> HostArray::create(ScalarType type, std::vector<int64_t> shape, std::string *error) {
  auto fail = [&](const std::string &reason) {
    if (error)
      *error = "an array of " + std::string(scalarTypeName(type)) + " with shape " + printShape(shape) + " " + reason;
    return std::nullopt;
  };
  if (scalarTypeBytes(type) == 0)
    return fail("cannot be made: its elements are packed two per byte");
  std::optional<int64_t> count = countElements(shape);
  if (!count)
    return fail("is not possible");
  int64_t bytes = 0;
  if (__builtin_mul_overflow(*count, static_cast<int64_t>(scalarTypeBytes(type)), &bytes) || bytes > kMaxArrayBytes)
    return fail("is larger than 2^40 bytes");
  void *memory = std::calloc(static_cast<size_t>(std::max<int64_t>(bytes, 1)), 1);
  if (!memory)
    return fail("does not fit the memory");
  HostArray array;
  array.type = type;
  array.strides = rowMajorStrides(shape);
  array.shape = std::move(shape);
  array.owner = std::shared_ptr<void>(memory, std::free);
  array.data = static_cast<uint8_t *>(memory);
  return array;
}

std::vector<int64_t> HostArray::unravel(int64_t linear) const {
  std::vector<int64_t> index(rank());
  for (size_t d = rank(); d-- > 0;) {
    index[d] = linear % shape[d];
    linear /= shape[d];
  }
  return index;
}

uint8_t *HostArray::element(int64_t linear) const {
  int64_t offset = 0;
  for (size_t d = rank(); d-- > 0;) {
    offset += linear % shape[d] * strides[d];
    linear /= shape[d];
  }
  return data + offset * static_cast<int64_t>(elementBytes());
}
