// SPDX-License-Identifier: Apache-2.0
#include "tilewright/Layout/Blocks.h"

#include <algorithm>
#include <map>

using namespace tilewright::layout;

using Place = OuterDigit::Place;

static bool isPowerOfTwo(int64_t x) { return x > 0 && (x & (x - 1)) == 0; }

std::optional<DistributedLayout> tilewright::layout::blockOf(const DistributedLayout &whole,
                                                             const std::vector<int64_t> &blockShape) {
  unsigned rank = whole.rank();
  if (blockShape.size() != rank)
    return std::nullopt;
  // Per dimension, the core bits below `inner` choose the element in a block, the others the block.
  std::vector<int64_t> inner(rank);
  for (unsigned dim = 0; dim < rank; ++dim) {
    int64_t core = whole.coreExtent(dim), extent = blockShape[dim];
    inner[dim] = core;
    if (extent == whole.shape()[dim])
      continue;
    if (extent < 1 || whole.shape()[dim] % extent != 0 || (core > extent && !isPowerOfTwo(extent)))
      return std::nullopt;
    inner[dim] = std::min(core, extent);
  }
  std::vector<int64_t> reached = inner;
  std::vector<OuterDigit> digits; // In their order, which numbers warps.
  for (OuterDigit digit : whole.digits()) {
    int64_t extent = blockShape[digit.dim];
    if (digit.stride == 0 || extent == whole.shape()[digit.dim]) {
      digits.push_back(digit);
      continue;
    }
    // A digit that reaches beyond the block is two: one inside, one that chooses the block.
    int64_t part = digit.stride < extent ? std::min(digit.radix, extent / digit.stride) : 1;
    if (part > 1 && (extent % digit.stride != 0 || digit.radix % part != 0))
      return std::nullopt;
    if (part < digit.radix && digit.place != Place::Register)
      return std::nullopt;
    reached[digit.dim] *= part;
    if (part > 1)
      digits.push_back({digit.dim, part, digit.stride, digit.place});
  }
  for (unsigned dim = 0; dim < rank; ++dim)
    if (blockShape[dim] != whole.shape()[dim] && reached[dim] != blockShape[dim])
      return std::nullopt;
  auto choosesBlock = [&](const Coord &basis) {
    bool result = false;
    for (unsigned dim = 0; dim < rank; ++dim)
      result |= basis[dim] >= inner[dim];
    return result;
  };
  for (const Bases *bases : {&whole.laneBases(), &whole.warpBases(), &whole.blockBases()})
    for (const Coord &basis : *bases)
      if (choosesBlock(basis))
        return std::nullopt;
  Bases registers;
  for (const Coord &basis : whole.registerBases()) {
    if (!choosesBlock(basis)) {
      registers.push_back(basis);
      continue;
    }
    for (unsigned dim = 0; dim < rank; ++dim)
      if (basis[dim] % inner[dim] != 0)
        return std::nullopt;
  }
  return DistributedLayout::create(blockShape, registers, whole.laneBases(), whole.warpBases(), whole.blockBases(),
                                   digits);
}

std::optional<DistributedLayout> tilewright::layout::stackBlocks(const DistributedLayout &part, unsigned dim,
                                                                 int64_t count) {
  if (dim >= part.rank() || count < 1 || count > DistributedLayout::kMaxRegisters || part.isRagged(dim))
    return std::nullopt;
  std::vector<int64_t> shape = part.shape();
  int64_t stride = shape[dim];
  shape[dim] *= count;
  Bases registers = part.registerBases();
  std::vector<OuterDigit> digits = part.digits();
  // Bits are preferred to digits: more operations on layouts know them. They cannot follow a digit, though.
  if (part.coreExtent(dim) == stride)
    for (; count % 2 == 0; count /= 2, stride *= 2) {
      registers.emplace_back(part.rank(), 0);
      registers.back()[dim] = stride;
    }
  if (count > 1)
    digits.push_back({dim, count, stride, Place::Register});
  return DistributedLayout::create(shape, registers, part.laneBases(), part.warpBases(), part.blockBases(), digits);
}

std::vector<int64_t> tilewright::layout::shiftedRegisters(const DistributedLayout &from, const DistributedLayout &to,
                                                          const Coord &shift) {
  std::map<Coord, int64_t> byOffset;
  for (int64_t reg = 0, end = from.registersPerThread(); reg < end; ++reg)
    byOffset.emplace(from.registerOffset(reg), reg);
  std::vector<int64_t> result;
  for (int64_t reg = 0, end = to.registersPerThread(); reg < end; ++reg) {
    Coord offset = to.registerOffset(reg);
    for (unsigned dim = 0; dim < offset.size(); ++dim)
      offset[dim] += shift[dim];
    auto found = byOffset.find(offset);
    result.push_back(found == byOffset.end() ? -1 : found->second);
  }
  return result;
}
