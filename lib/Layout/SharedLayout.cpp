// SPDX-License-Identifier: Apache-2.0
#include "tilewright/Layout/SharedLayout.h"
#include "tilewright/Support/Counted.h"

#include <algorithm>
#include <cassert>

using namespace tilewright::layout;

static bool isPowerOfTwo(int64_t x) { return x > 0 && (x & (x - 1)) == 0; }

/// Largest power of two that divides `x`, which is not zero.
static int64_t powerOfTwoFactor(int64_t x) { return x & -x; }

template <typename T> static std::string listStr(const std::vector<T> &values) {
  std::string text = "[";
  for (size_t i = 0; i < values.size(); ++i)
    text += (i ? ", " : "") + std::to_string(values[i]);
  return text + "]";
}

/// Checks the parts in turn; returns what is wrong, empty if nothing.
static std::string checkParts(const std::vector<int64_t> &shape, const std::vector<int64_t> &allocated,
                              const std::vector<unsigned> &order, const Swizzle &swizzle,
                              const std::optional<LinearMap> &matrix, const Padding &padding) {
  if (shape.size() > DistributedLayout::kMaxRank)
    return "shared layout expects a rank of at most " + std::to_string(DistributedLayout::kMaxRank) + ", found " +
           std::to_string(shape.size());
  if (allocated.size() != shape.size())
    return "shared layout expects an allocated shape of rank " + std::to_string(shape.size()) + ", found " +
           listStr(allocated);
  int64_t elements = 1, pitch = 1;
  for (size_t dim = 0; dim < shape.size(); ++dim) {
    if (shape[dim] < 1)
      return "shared layout expects extents of at least 1, found " + std::to_string(shape[dim]);
    if (allocated[dim] < shape[dim])
      return "shared layout expects an allocated extent of at least " + std::to_string(shape[dim]) + " in dimension " +
             std::to_string(dim) + ", found " + std::to_string(allocated[dim]);
    if (allocated[dim] > SharedLayout::kMaxElements / elements)
      return "shared layout expects at most 2^24 elements, found " + listStr(allocated);
    elements *= allocated[dim];
  }
  std::vector<bool> seen(shape.size(), false);
  for (unsigned dim : order) {
    if (dim >= shape.size() || seen[dim])
      return "shared layout expects the order to be a permutation of " + std::to_string(shape.size()) +
             " dimensions, found " + listStr(order);
    seen[dim] = true;
  }
  if (order.size() != shape.size())
    return "shared layout expects the order to be a permutation of " + std::to_string(shape.size()) +
           " dimensions, found " + listStr(order);
  if (!order.empty())
    pitch = allocated[order[0]];
  for (int64_t part : {swizzle.vec, swizzle.perPhase, swizzle.maxPhase})
    if (!isPowerOfTwo(part) || part > SharedLayout::kMaxElements)
      return "shared layout expects swizzle parts to be powers of two, found " + std::to_string(part);
  if (!swizzle.isNone() && pitch % (swizzle.vec * swizzle.maxPhase) != 0)
    return "shared layout expects swizzle vec * maxPhase (" + std::to_string(swizzle.vec * swizzle.maxPhase) +
           ") to divide the row of " + tilewright::counted(pitch, "element");
  if (matrix) {
    if (!swizzle.isNone())
      return "shared layout expects a swizzle or a matrix, found both";
    if (matrix->inBits() != matrix->outBits() || !matrix->isInjective())
      return "shared layout expects a regular square matrix, found " + matrix->str();
    if (matrix->inBits() > 24 || elements % (int64_t(1) << matrix->inBits()) != 0)
      return "shared layout expects 2^" + std::to_string(matrix->inBits()) + ", the period of the matrix, to divide " +
             tilewright::counted(elements, "element");
  }
  if (padding.interval < 1 || padding.amount < 0)
    return "shared layout expects a positive padding interval and no negative amount, found " +
           std::to_string(padding.interval) + " and " + std::to_string(padding.amount);
  if (padding.amount > 0 &&
      (elements - 1) / padding.interval > (SharedLayout::kMaxElements - elements) / padding.amount)
    return "shared layout expects at most 2^24 elements with padding, found more";
  return "";
}

std::optional<SharedLayout> SharedLayout::create(std::vector<int64_t> shape, std::vector<int64_t> allocated,
                                                 std::vector<unsigned> order, Swizzle swizzle,
                                                 std::optional<LinearMap> matrix, Padding padding, std::string *error) {
  std::string wrong = checkParts(shape, allocated, order, swizzle, matrix, padding);
  if (!wrong.empty()) {
    if (error)
      *error = wrong;
    return std::nullopt;
  }
  SharedLayout layout;
  layout.tileShape = std::move(shape);
  layout.allocShape = std::move(allocated);
  layout.dimOrder = std::move(order);
  layout.xorSwizzle = swizzle.isNone() ? Swizzle{} : swizzle;
  if (matrix && !matrix->isIdentity())
    layout.xorMatrix = std::move(matrix);
  layout.postPadding = padding.isNone() ? Padding{} : padding;
  return layout;
}

std::optional<SharedLayout> SharedLayout::makeRowMajor(const std::vector<int64_t> &shape,
                                                       const std::vector<unsigned> &order) {
  return create(shape, shape, order);
}

unsigned SharedLayout::fastestDim() const {
  for (unsigned dim : dimOrder)
    if (allocShape[dim] > 1)
      return dim;
  return dimOrder.empty() ? 0 : dimOrder[0];
}

int64_t SharedLayout::linearStride(unsigned dim) const {
  int64_t stride = 1;
  for (unsigned next : dimOrder) {
    if (next == dim)
      break;
    stride *= allocShape[next];
  }
  return stride;
}

int64_t SharedLayout::linearOf(const Coord &coord) const {
  assert(coord.size() == rank() && "one coordinate per dimension");
  int64_t linear = 0;
  for (size_t i = dimOrder.size(); i-- > 0;) {
    unsigned dim = dimOrder[i];
    assert(coord[dim] >= 0 && coord[dim] < allocShape[dim] && "inside the allocated shape");
    linear = linear * allocShape[dim] + coord[dim];
  }
  return linear;
}

int64_t SharedLayout::offsetOfLinear(int64_t linear) const {
  if (!xorSwizzle.isNone()) {
    int64_t row = linear / allocShape[dimOrder[0]];
    // A row is a multiple of vec * maxPhase, so these bits of `linear` are those of the column.
    linear ^= row / xorSwizzle.perPhase % xorSwizzle.maxPhase * xorSwizzle.vec;
  }
  if (xorMatrix) {
    int64_t mask = (int64_t(1) << xorMatrix->inBits()) - 1;
    linear = (linear & ~mask) | int64_t(xorMatrix->apply(linear & mask));
  }
  return linear + linear / postPadding.interval * postPadding.amount;
}

int64_t SharedLayout::offsetOf(const Coord &coord) const { return offsetOfLinear(linearOf(coord)); }

std::optional<Coord> SharedLayout::elementAt(int64_t offset) const {
  if (offset < 0 || offset >= allocatedElements())
    return std::nullopt;
  int64_t period = postPadding.interval + postPadding.amount;
  if (offset % period >= postPadding.interval)
    return std::nullopt;
  int64_t linear = offset / period * postPadding.interval + offset % period;
  if (xorMatrix) {
    int64_t mask = (int64_t(1) << xorMatrix->inBits()) - 1;
    linear = (linear & ~mask) | int64_t(*xorMatrix->solve(uint64_t(linear & mask)));
  }
  if (!xorSwizzle.isNone()) // It leaves the row alone, so it undoes itself.
    linear ^= linear / allocShape[dimOrder[0]] / xorSwizzle.perPhase % xorSwizzle.maxPhase * xorSwizzle.vec;
  Coord coord(rank(), 0);
  for (unsigned dim : dimOrder) {
    coord[dim] = linear % allocShape[dim];
    linear /= allocShape[dim];
  }
  return coord;
}

int64_t SharedLayout::allocatedElements() const {
  int64_t elements = 1;
  for (int64_t extent : allocShape)
    elements *= extent;
  return elements + (elements - 1) / postPadding.interval * postPadding.amount;
}

int64_t SharedLayout::contiguous(unsigned dim) const {
  assert(dim < rank() && "dimension exists");
  if (dim != fastestDim())
    return 1;
  int64_t run = powerOfTwoFactor(allocShape[dim]);
  if (!xorSwizzle.isNone())
    run = std::min(run, xorSwizzle.vec);
  if (!postPadding.isNone())
    run = std::min({run, powerOfTwoFactor(postPadding.interval), powerOfTwoFactor(postPadding.amount)});
  if (xorMatrix) {
    unsigned bits = 0;
    while (bits < xorMatrix->inBits() && xorMatrix->column(bits) == uint64_t(1) << bits)
      ++bits;
    for (unsigned bit = bits; bit < xorMatrix->inBits(); ++bit)
      while (xorMatrix->column(bit) & ((uint64_t(1) << bits) - 1))
        --bits;
    if (bits < xorMatrix->inBits())
      run = std::min(run, int64_t(1) << bits);
  }
  return run;
}

std::optional<LinearMap> SharedLayout::toLinearMap() const {
  unsigned bits = 0;
  for (int64_t extent : allocShape) {
    if (!isPowerOfTwo(extent))
      return std::nullopt;
    bits += __builtin_ctzll(extent);
  }
  if (!postPadding.isNone())
    return std::nullopt;
  LinearMap map(bits, bits);
  unsigned column = 0;
  for (unsigned dim = rank(); dim-- > 0;)
    for (int64_t value = 1; value < allocShape[dim]; value *= 2)
      map.setColumn(column++, offsetOfLinear(value * linearStride(dim)));
  return map;
}

bool SharedLayout::operator==(const SharedLayout &other) const {
  return tileShape == other.tileShape && allocShape == other.allocShape && dimOrder == other.dimOrder &&
         xorSwizzle == other.xorSwizzle && xorMatrix == other.xorMatrix && postPadding == other.postPadding;
}

size_t SharedLayout::hash() const { return std::hash<std::string>()(str()); }

std::string SharedLayout::str() const {
  std::string text = listStr(tileShape);
  if (allocShape != tileShape)
    text += " alloc=" + listStr(allocShape);
  text += " order=" + listStr(dimOrder);
  if (!xorSwizzle.isNone())
    text += " swizzle={" + std::to_string(xorSwizzle.vec) + ", " + std::to_string(xorSwizzle.perPhase) + ", " +
            std::to_string(xorSwizzle.maxPhase) + "}";
  if (xorMatrix)
    text += " matrix=" + xorMatrix->str();
  if (!postPadding.isNone())
    text += " padding={" + std::to_string(postPadding.interval) + ", " + std::to_string(postPadding.amount) + "}";
  return text;
}
