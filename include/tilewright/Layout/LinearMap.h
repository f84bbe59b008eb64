// SPDX-License-Identifier: Apache-2.0
/// \file
/// Linear maps over F2, the field with the two elements 0 and 1 in which addition is exclusive or.
///
/// A number of n bits is a vector of F2^n, and `x ^ y` is the sum of two vectors. A map f is *linear* when
/// `f(x ^ y) == f(x) ^ f(y)`. It is then known from its values on single bits: the map is a matrix whose column j
/// is `f(1 << j)`, and `f(x)` is the exclusive or of the columns of the bits set in x. Where threads put powers of
/// two of elements side by side, and where shared memory is swizzled by exclusive or, "which element is where" is
/// such a map; composition, inversion and solving of these small matrices then answer every question about
/// layouts, so none of them needs a case of its own.
///
/// Example. Two input bits (lane), two output bits (column), columns {1, 3}: f(0)=0, f(1)=1, f(2)=3, f(3)=1^3=2.
/// The lanes 0..3 hold columns 0, 1, 3, 2: a Gray code. The map is regular; its inverse has the columns {1, 3} too.
///
/// Maps over integers modulo 2^n (strides) are the neighbour that was not chosen: they express padding, but no swizzle.
#ifndef TILEWRIGHT_LAYOUT_LINEARMAP_H
#define TILEWRIGHT_LAYOUT_LINEARMAP_H

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tilewright::layout {

/// Linear map over F2. Column j is the image of input bit j, as a bit mask over at most 64 output bits.
class LinearMap {
public:
  /// The zero map between spaces of `inBits` and `outBits` bits, both at most 64.
  LinearMap(unsigned inBits, unsigned outBits);
  /// The identity on `bits` bits.
  static LinearMap identity(unsigned bits);
  /// The map that sends everything to zero.
  static LinearMap zero(unsigned inBits, unsigned outBits) { return LinearMap(inBits, outBits); }

  unsigned inBits() const { return columns.size(); }
  unsigned outBits() const { return numOutBits; }
  /// Image of input bit `bit`.
  uint64_t column(unsigned bit) const;
  /// Sets the image of input bit `bit`; `image` must fit the output bits.
  void setColumn(unsigned bit, uint64_t image);

  /// Image of `x`, which must fit the input bits.
  uint64_t apply(uint64_t x) const;
  /// Dimension of the image: it has 2^rank() elements.
  unsigned rank() const;
  /// True if no two inputs share an image.
  bool isInjective() const { return rank() == inBits(); }
  /// True if every output has an input.
  bool isSurjective() const { return rank() == outBits(); }
  bool isIdentity() const;

  /// Returns this after inner: x -> this(inner(x)). `inner.outBits()` must equal `inBits()`.
  LinearMap compose(const LinearMap &inner) const;
  /// Returns some x with apply(x) == y, nullopt if y is outside the image. Free input bits are zero, so the
  /// answer uses the lowest independent columns.
  std::optional<uint64_t> solve(uint64_t y) const;
  /// Returns some X with this∘X == rhs, column by column as solve() gives it; nullopt if there is none.
  std::optional<LinearMap> solve(const LinearMap &rhs) const;
  /// Returns the inverse; nullopt unless the map is square and regular.
  std::optional<LinearMap> inverse() const;
  /// Returns some r with this∘r = id; nullopt unless the map is surjective.
  std::optional<LinearMap> rightInverse() const;
  /// Block diagonal: this on the low input and output bits, `high` on the bits above them.
  LinearMap product(const LinearMap &high) const;
  /// Undoes product: returns q with `tile.product(q) == *this`, nullopt if the map is no such product.
  std::optional<LinearMap> divideLeft(const LinearMap &tile) const;
  /// Basis of { x : apply(x) == 0 }, as input masks, each with a highest bit that no other one has.
  std::vector<uint64_t> kernelBasis() const;
  /// Input bits whose column depends linearly on the columns of lower bits (zero included), as a mask. The other
  /// bits index the image without repetition.
  uint64_t redundantInputs() const;

  bool operator==(const LinearMap &other) const { return numOutBits == other.numOutBits && columns == other.columns; }
  bool operator!=(const LinearMap &other) const { return !(*this == other); }
  /// For example `[1, 3] -> 2 bits`.
  std::string str() const;

private:
  std::vector<uint64_t> columns;
  unsigned numOutBits;
};

} // namespace tilewright::layout

#endif // TILEWRIGHT_LAYOUT_LINEARMAP_H
