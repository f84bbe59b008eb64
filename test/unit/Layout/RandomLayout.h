// SPDX-License-Identifier: Apache-2.0
/// \file
/// Random valid layouts for property tests: any assignment of coordinate bits to places, digits, replicas, swizzles.
#ifndef TILEWRIGHT_TEST_UNIT_LAYOUT_RANDOMLAYOUT_H
#define TILEWRIGHT_TEST_UNIT_LAYOUT_RANDOMLAYOUT_H

#include "tilewright/Layout/DistributedLayout.h"

#include <algorithm>
#include <random>
#include <stdexcept>

namespace tilewright::layout::test {

/// What random layouts may contain.
struct RandomOptions {
  unsigned maxRank = 3;
  unsigned maxCoreBits = 9; ///< of all dimensions together
  unsigned warpBits = 1;
  unsigned blockBits = 0;
  bool digits = true;   ///< extents like 3 x 4, and warp counts like 3 x 2
  bool ragged = true;   ///< extents below the padded extent
  bool replicas = true; ///< zero and dependent bases
  bool swizzle = true;  ///< bases with more than one bit
};

class RandomLayouts {
public:
  explicit RandomLayouts(unsigned seed) : random(seed) {}

  int64_t below(int64_t limit) { return int64_t(random() % uint64_t(limit)); }

  /// A shape of `rank` dimensions as its core bits; the caller may fix it to make layouts of one shape.
  std::vector<unsigned> coreBits(const RandomOptions &options) {
    std::vector<unsigned> bits(1 + below(options.maxRank), 0);
    for (unsigned left = below(options.maxCoreBits + 1); left > 0; --left)
      ++bits[below(bits.size())];
    return bits;
  }

  /// A layout with these core extents; with digits, dimension d is extended by digitRadix[d] if that exceeds 1.
  DistributedLayout make(const std::vector<int64_t> &shape, const std::vector<unsigned> &bits,
                         const std::vector<int64_t> &digitRadix, const RandomOptions &options) {
    unsigned rank = shape.size();
    std::vector<std::vector<int64_t>> vectors;
    for (unsigned dim = 0; dim < rank; ++dim)
      for (unsigned bit = 0; bit < bits[dim]; ++bit) {
        vectors.emplace_back(rank, 0);
        vectors.back()[dim] = int64_t(1) << bit;
      }
    if (options.swizzle && vectors.size() > 1)
      for (unsigned i = below(3); i > 0; --i) {
        size_t to = below(vectors.size()), from = below(vectors.size());
        for (unsigned dim = 0; dim < rank && to != from; ++dim)
          vectors[to][dim] ^= vectors[from][dim];
      }
    std::shuffle(vectors.begin(), vectors.end(), random);
    Bases bases[4];
    const size_t limits[4] = {100, 5, options.warpBits, options.blockBits};
    for (const std::vector<int64_t> &vector : vectors) {
      unsigned place = below(4);
      if (bases[place].size() >= limits[place])
        place = 0;
      bases[place].push_back(vector);
    }
    for (unsigned place = 0; place < 4; ++place) {
      auto spare = [&] {
        std::vector<int64_t> vector(rank, 0);
        if (options.replicas && !vectors.empty() && below(2))
          for (unsigned i = 0; i < 2; ++i) {
            const std::vector<int64_t> &other = vectors[below(vectors.size())];
            for (unsigned dim = 0; dim < rank; ++dim)
              vector[dim] ^= other[dim];
          }
        return vector;
      };
      auto insert = [&] { bases[place].insert(bases[place].begin() + below(bases[place].size() + 1), spare()); };
      while (place > 0 && bases[place].size() < limits[place])
        insert();
      if (place == 0 && options.replicas && below(3) == 0)
        insert();
    }
    std::vector<OuterDigit> digits;
    for (unsigned dim = 0; dim < rank; ++dim)
      if (digitRadix[dim] > 1)
        digits.push_back({dim, digitRadix[dim], int64_t(1) << bits[dim],
                          below(3) ? OuterDigit::Place::Register : OuterDigit::Place::Warp});
    if (options.digits && below(8) == 0)
      digits.push_back({0, 3, 0, OuterDigit::Place::Warp});
    std::shuffle(digits.begin(), digits.end(), random);
    int64_t warps = int64_t(1) << bases[2].size();
    for (OuterDigit &digit : digits) {
      if (digit.place == OuterDigit::Place::Warp && warps * digit.radix > 32)
        digit.place = OuterDigit::Place::Register;
      if (digit.place == OuterDigit::Place::Warp)
        warps *= digit.radix;
    }
    digits.erase(std::remove_if(digits.begin(), digits.end(),
                                [](const OuterDigit &digit) {
                                  return digit.stride == 0 && digit.place == OuterDigit::Place::Register;
                                }),
                 digits.end());
    std::string error;
    std::optional<DistributedLayout> layout =
        DistributedLayout::create(shape, bases[0], bases[1], bases[2], bases[3], digits, &error);
    if (!layout)
      throw std::runtime_error("the generator made an invalid layout: " + error);
    return *layout;
  }

  DistributedLayout make(const RandomOptions &options) {
    std::vector<unsigned> bits = coreBits(options);
    std::vector<int64_t> shape, radix;
    for (unsigned bit : bits) {
      radix.push_back(options.digits && below(3) == 0 ? 2 + below(4) : 1);
      int64_t padded = (int64_t(1) << bit) * radix.back();
      shape.push_back(options.ragged && below(3) == 0 ? 1 + below(padded) : padded);
    }
    return make(shape, bits, radix, options);
  }

  std::mt19937_64 random;
};

/// Calls fn(reg, lane, warp, block) for each place.
template <typename Fn> void forEachPlace(const DistributedLayout &layout, Fn fn) {
  for (unsigned block = 0; block < layout.numBlocks(); ++block)
    for (unsigned warp = 0; warp < layout.numWarps(); ++warp)
      for (unsigned lane = 0; lane < kWarpSize; ++lane)
        for (int64_t reg = 0; reg < layout.registersPerThread(); ++reg)
          fn(reg, lane, warp, block);
}

/// True if create() accepts the parts of the layout and gives the same one: nothing else may come out of an operation.
inline bool isValid(const DistributedLayout &layout) {
  std::optional<DistributedLayout> again =
      DistributedLayout::create(layout.shape(), layout.registerBases(), layout.laneBases(), layout.warpBases(),
                                layout.blockBases(), layout.digits());
  if (!again || *again != layout)
    return false;
  for (unsigned dim = 0; dim < layout.rank(); ++dim)
    if (again->coreExtent(dim) != layout.coreExtent(dim))
      return false;
  return true;
}

/// Row-major index of `coord` in `shape`.
inline int64_t rowMajor(const Coord &coord, const std::vector<int64_t> &shape) {
  int64_t index = 0;
  for (size_t dim = 0; dim < shape.size(); ++dim)
    index = index * shape[dim] + coord[dim];
  return index;
}

} // namespace tilewright::layout::test

#endif // TILEWRIGHT_TEST_UNIT_LAYOUT_RANDOMLAYOUT_H
