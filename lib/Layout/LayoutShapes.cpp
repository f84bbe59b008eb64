// SPDX-License-Identifier: Apache-2.0
// Shape operations of distributed layouts: they rewrite coordinates and move no data.
#include "tilewright/Layout/DistributedLayout.h"

#include <algorithm>
#include <cassert>

using namespace tilewright::layout;

using Place = OuterDigit::Place;

/// Removes register bits that depend on lower ones and register digits that add nothing.
DistributedLayout DistributedLayout::mergeRegisters(RegisterMap *map) const {
  unsigned outBits = 0;
  for (unsigned bits : coreBits)
    outBits += bits;
  LinearMap core = coreMap(), registers(regBases.size(), outBits);
  for (unsigned bit = 0; bit < regBases.size(); ++bit)
    registers.setColumn(bit, core.column(bit));
  uint64_t redundant = registers.redundantInputs();

  DistributedLayout result = *this;
  result.regBases.clear();
  std::vector<unsigned> keptBits;
  for (unsigned bit = 0; bit < regBases.size(); ++bit)
    if (!(redundant >> bit & 1)) {
      keptBits.push_back(bit);
      result.regBases.push_back(regBases[bit]);
    }
  auto isMerged = [](const OuterDigit &digit) { return digit.place == Place::Register && digit.stride == 0; };
  result.outerDigits.erase(std::remove_if(result.outerDigits.begin(), result.outerDigits.end(), isMerged),
                           result.outerDigits.end());
  if (!map)
    return result;

  LinearMap kept(keptBits.size(), outBits);
  for (unsigned bit = 0; bit < keptBits.size(); ++bit)
    kept.setColumn(bit, registers.column(keptBits[bit]));
  LinearMap toNew = *kept.solve(registers);
  map->newToOld.assign(result.registersPerThread(), -1);
  map->oldToNew.assign(registersPerThread(), -1);
  uint64_t coreMask = (uint64_t(1) << regBases.size()) - 1;
  for (int64_t reg = 0, count = registersPerThread(); reg < count; ++reg) {
    int64_t rest = reg >> regBases.size(), digitPart = 0, weight = 1;
    for (const OuterDigit &digit : outerDigits) {
      if (digit.place != Place::Register)
        continue;
      if (!isMerged(digit)) {
        digitPart += rest % digit.radix * weight;
        weight *= digit.radix;
      }
      rest /= digit.radix;
    }
    int64_t target = int64_t(toNew.apply(reg & coreMask)) + (digitPart << keptBits.size());
    map->oldToNew[reg] = target;
    // The first register wins: its redundant bits and merged digits are zero.
    if (map->newToOld[target] < 0)
      map->newToOld[target] = reg;
  }
  return result;
}

DistributedLayout DistributedLayout::dropDim(unsigned dim, RegisterMap *map) const {
  assert(dim < rank() && "dimension exists");
  DistributedLayout result = *this;
  result.tileShape.erase(result.tileShape.begin() + dim);
  result.coreBits.erase(result.coreBits.begin() + dim);
  for (Bases *bases : {&result.regBases, &result.lnBases, &result.wpBases, &result.blBases})
    for (std::vector<int64_t> &basis : *bases)
      basis.erase(basis.begin() + dim);
  for (OuterDigit &digit : result.outerDigits) {
    if (digit.stride == 0)
      continue;
    if (digit.dim == dim)
      digit.dim = digit.stride = 0;
    else if (digit.dim > dim)
      --digit.dim;
  }
  return result.mergeRegisters(map);
}

DistributedLayout DistributedLayout::insertDim(unsigned dim) const {
  assert(dim <= rank() && "dimension exists or is the next one");
  DistributedLayout result = *this;
  result.tileShape.insert(result.tileShape.begin() + dim, 1);
  result.coreBits.insert(result.coreBits.begin() + dim, 0);
  for (Bases *bases : {&result.regBases, &result.lnBases, &result.wpBases, &result.blBases})
    for (std::vector<int64_t> &basis : *bases)
      basis.insert(basis.begin() + dim, 0);
  for (OuterDigit &digit : result.outerDigits)
    if (digit.stride != 0 && digit.dim >= dim)
      ++digit.dim;
  return result;
}

DistributedLayout DistributedLayout::permute(const std::vector<unsigned> &order) const {
  assert(order.size() == rank() && "one source dimension for each dimension");
  DistributedLayout result = *this;
  std::vector<unsigned> position(rank());
  for (unsigned dim = 0; dim < rank(); ++dim) {
    position[order[dim]] = dim;
    result.tileShape[dim] = tileShape[order[dim]];
    result.coreBits[dim] = coreBits[order[dim]];
  }
  for (unsigned place = 0; place < 4; ++place) {
    Bases *targets[] = {&result.regBases, &result.lnBases, &result.wpBases, &result.blBases};
    for (size_t bit = 0; bit < bases(place).size(); ++bit)
      for (unsigned dim = 0; dim < rank(); ++dim)
        (*targets[place])[bit][dim] = bases(place)[bit][order[dim]];
  }
  for (OuterDigit &digit : result.outerDigits)
    if (digit.stride != 0)
      digit.dim = position[digit.dim];
  return result;
}

std::optional<DistributedLayout> DistributedLayout::restrictTo(const std::vector<int64_t> &shape,
                                                               RegisterMap *map) const {
  if (shape.size() != rank())
    return std::nullopt;
  DistributedLayout result = *this;
  for (unsigned dim = 0; dim < rank(); ++dim) {
    if (shape[dim] == tileShape[dim])
      continue;
    if (shape[dim] != 1)
      return std::nullopt;
    result.tileShape[dim] = 1;
    result.coreBits[dim] = 0;
    for (Bases *bases : {&result.regBases, &result.lnBases, &result.wpBases, &result.blBases})
      for (std::vector<int64_t> &basis : *bases)
        basis[dim] = 0;
    for (OuterDigit &digit : result.outerDigits)
      if (digit.stride != 0 && digit.dim == dim)
        digit.dim = digit.stride = 0;
  }
  return result.mergeRegisters(map);
}

//===----------------------------------------------------------------------===//
// Reshape
//===----------------------------------------------------------------------===//

namespace {
/// A factor of a row-major index: one core bit or (part of) one digit of an old dimension.
struct Atom {
  int64_t radix;
  unsigned dim;
  unsigned bit;   ///< core bit of `dim`, if digit < 0
  int digit = -1; ///< index into the digits
};
/// Where one core bit went.
struct BitTarget {
  unsigned dim = 0, bit = 0;
};
/// Reshape of a whole layout, filled group by group.
struct Reshaper {
  const DistributedLayout &layout;
  const std::vector<int64_t> &newShape;
  std::vector<std::vector<BitTarget>> bitTargets;  ///< [old dim][bit]
  std::vector<std::vector<OuterDigit>> digitParts; ///< [old digit] parts, fastest first
  std::vector<unsigned> newCoreBits;

  Reshaper(const DistributedLayout &layout, const std::vector<int64_t> &newShape)
      : layout(layout), newShape(newShape), bitTargets(layout.rank()), digitParts(layout.digits().size()),
        newCoreBits(newShape.size(), 0) {
    for (unsigned dim = 0; dim < layout.rank(); ++dim)
      for (int64_t extent = 1; extent < layout.coreExtent(dim); extent *= 2)
        bitTargets[dim].push_back({});
  }

  /// Digits of `dim`, by stride.
  std::vector<unsigned> digitsOf(unsigned dim) const {
    std::vector<unsigned> found;
    for (unsigned i = 0; i < layout.digits().size(); ++i)
      if (layout.digits()[i].dim == dim && layout.digits()[i].stride != 0)
        found.push_back(i);
    std::sort(found.begin(), found.end(),
              [&](unsigned a, unsigned b) { return layout.digits()[a].stride < layout.digits()[b].stride; });
    return found;
  }

  /// One old dimension becomes one new dimension of the same extent, padding included.
  void carry(unsigned oldDim, unsigned newDim) {
    for (unsigned bit = 0; bit < bitTargets[oldDim].size(); ++bit)
      bitTargets[oldDim][bit] = {newDim, bit};
    newCoreBits[newDim] = bitTargets[oldDim].size();
    for (unsigned index : digitsOf(oldDim)) {
      OuterDigit digit = layout.digits()[index];
      digit.dim = newDim;
      digitParts[index] = {digit};
    }
  }

  /// Old dimensions [oldBegin, oldEnd) become [newBegin, newEnd), with equal products of extents.
  bool regroup(unsigned oldBegin, unsigned oldEnd, unsigned newBegin, unsigned newEnd) {
    std::vector<Atom> atoms; // fastest first
    for (unsigned dim = oldEnd; dim-- > oldBegin;) {
      if (layout.isRagged(dim))
        return false;
      for (unsigned bit = 0; bit < bitTargets[dim].size(); ++bit)
        atoms.push_back({2, dim, bit});
      for (unsigned index : digitsOf(dim))
        atoms.push_back({layout.digits()[index].radix, dim, 0, int(index)});
    }
    size_t next = 0;
    for (unsigned dim = newEnd; dim-- > newBegin;) {
      int64_t done = 1;
      bool hasDigit = false;
      while (done < newShape[dim]) {
        Atom &atom = atoms[next];
        int64_t missing = newShape[dim] / done;
        if (newShape[dim] % done != 0)
          return false;
        if (atom.digit < 0) {
          if (hasDigit || missing % 2 != 0)
            return false; // a core bit above a digit would not be a bit of the coordinate
          bitTargets[atom.dim][atom.bit] = {dim, newCoreBits[dim]++};
          done *= 2;
          ++next;
          continue;
        }
        hasDigit = true;
        int64_t part = std::min(atom.radix, missing);
        if (atom.radix % part != 0 || missing % part != 0)
          return false;
        digitParts[atom.digit].push_back({dim, part, done, layout.digits()[atom.digit].place});
        done *= part;
        atom.radix /= part;
        next += atom.radix == 1;
      }
    }
    return true;
  }

  Bases moveBits(const Bases &bases) const {
    Bases result;
    for (const std::vector<int64_t> &basis : bases) {
      result.emplace_back(newShape.size(), 0);
      for (unsigned dim = 0; dim < layout.rank(); ++dim)
        for (unsigned bit = 0; bit < bitTargets[dim].size(); ++bit)
          if (basis[dim] >> bit & 1)
            result.back()[bitTargets[dim][bit].dim] |= int64_t(1) << bitTargets[dim][bit].bit;
    }
    return result;
  }
};
} // namespace

std::optional<DistributedLayout> DistributedLayout::reshape(const std::vector<int64_t> &newShape) const {
  if (newShape.size() > kMaxRank)
    return std::nullopt;
  for (int64_t extent : newShape)
    if (extent < 1 || extent > kMaxElements)
      return std::nullopt;
  Reshaper reshaper(*this, newShape);
  // Cut both shapes into the shortest groups of equal products, which can be regrouped independently.
  unsigned oldEnd = 0, newEnd = 0;
  while (oldEnd < rank() || newEnd < newShape.size()) {
    unsigned oldBegin = oldEnd, newBegin = newEnd;
    int64_t oldProduct = oldEnd < rank() ? tileShape[oldEnd++] : 1;
    int64_t newProduct = newEnd < newShape.size() ? newShape[newEnd++] : 1;
    while (oldProduct != newProduct) {
      if (oldProduct < newProduct) {
        if (oldEnd == rank())
          return std::nullopt;
        oldProduct *= tileShape[oldEnd++];
      } else {
        if (newEnd == newShape.size())
          return std::nullopt;
        newProduct *= newShape[newEnd++];
      }
      if (oldProduct > kMaxElements || newProduct > kMaxElements)
        return std::nullopt;
    }
    // Dimensions of extent 1 in front hold nothing, unless they are padded.
    auto skipOnes = [](const std::vector<int64_t> &shape, unsigned begin, unsigned end) {
      while (begin + 1 < end && shape[begin] == 1)
        ++begin;
      return begin;
    };
    unsigned oldFirst = skipOnes(tileShape, oldBegin, oldEnd), newFirst = skipOnes(newShape, newBegin, newEnd);
    bool onesArePadded = false;
    for (unsigned dim = oldBegin; dim < oldFirst; ++dim)
      onesArePadded |= isRagged(dim);
    if (!onesArePadded && oldEnd - oldFirst == 1 && newEnd - newFirst == 1)
      reshaper.carry(oldFirst, newFirst);
    else if (!reshaper.regroup(oldBegin, oldEnd, newBegin, newEnd))
      return std::nullopt;
  }

  DistributedLayout result;
  result.tileShape = newShape;
  result.regBases = reshaper.moveBits(regBases);
  result.lnBases = reshaper.moveBits(lnBases);
  result.wpBases = reshaper.moveBits(wpBases);
  result.blBases = reshaper.moveBits(blBases);
  result.coreBits = reshaper.newCoreBits;
  for (unsigned i = 0; i < outerDigits.size(); ++i) {
    if (outerDigits[i].stride == 0)
      result.outerDigits.push_back(outerDigits[i]);
    result.outerDigits.insert(result.outerDigits.end(), reshaper.digitParts[i].begin(), reshaper.digitParts[i].end());
  }
  return result;
}
