// SPDX-License-Identifier: Apache-2.0
#include "tilewright/Layout/LinearMap.h"

#include <cassert>

using namespace tilewright::layout;

static uint64_t lowBits(unsigned bits) { return bits >= 64 ? ~uint64_t(0) : (uint64_t(1) << bits) - 1; }

static unsigned lowestBit(uint64_t x) { return __builtin_ctzll(x); }

namespace {
/// Columns in echelon form. Each row remembers which inputs it is the sum of.
struct Echelon {
  struct Row {
    uint64_t image, inputs;
  };
  std::vector<Row> rows; ///< lowest set bits of the images are distinct
  std::vector<uint64_t> kernel;
  uint64_t redundant = 0;

  /// Removes from `row` what the rows found so far can express.
  void reduce(Row &row) const {
    for (const Row &pivot : rows)
      if (row.image >> lowestBit(pivot.image) & 1) {
        row.image ^= pivot.image;
        row.inputs ^= pivot.inputs;
      }
  }

  explicit Echelon(const LinearMap &map) {
    for (unsigned bit = 0; bit < map.inBits(); ++bit) {
      Row row{map.column(bit), uint64_t(1) << bit};
      reduce(row);
      if (row.image) {
        rows.push_back(row);
      } else {
        kernel.push_back(row.inputs);
        redundant |= uint64_t(1) << bit;
      }
    }
  }
};
} // namespace

LinearMap::LinearMap(unsigned inBits, unsigned outBits) : columns(inBits, 0), numOutBits(outBits) {
  assert(inBits <= 64 && outBits <= 64 && "at most 64 bits on either side");
}

LinearMap LinearMap::identity(unsigned bits) {
  LinearMap map(bits, bits);
  for (unsigned bit = 0; bit < bits; ++bit)
    map.columns[bit] = uint64_t(1) << bit;
  return map;
}

uint64_t LinearMap::column(unsigned bit) const {
  assert(bit < inBits() && "input bit exists");
  return columns[bit];
}

void LinearMap::setColumn(unsigned bit, uint64_t image) {
  assert(bit < inBits() && "input bit exists");
  assert((image & ~lowBits(numOutBits)) == 0 && "image fits the output bits");
  columns[bit] = image;
}

uint64_t LinearMap::apply(uint64_t x) const {
  assert((x & ~lowBits(inBits())) == 0 && "input fits the input bits");
  uint64_t y = 0;
  for (; x; x &= x - 1)
    y ^= columns[lowestBit(x)];
  return y;
}

unsigned LinearMap::rank() const { return Echelon(*this).rows.size(); }

bool LinearMap::isIdentity() const { return inBits() == numOutBits && *this == identity(numOutBits); }

LinearMap LinearMap::compose(const LinearMap &inner) const {
  assert(inner.outBits() == inBits() && "the inner map ends where this one starts");
  LinearMap map(inner.inBits(), numOutBits);
  for (unsigned bit = 0; bit < inner.inBits(); ++bit)
    map.columns[bit] = apply(inner.columns[bit]);
  return map;
}

std::optional<uint64_t> LinearMap::solve(uint64_t y) const {
  Echelon::Row row{y, 0};
  Echelon(*this).reduce(row);
  if (row.image)
    return std::nullopt;
  return row.inputs;
}

std::optional<LinearMap> LinearMap::solve(const LinearMap &rhs) const {
  assert(rhs.outBits() == outBits() && "both maps end in the same space");
  Echelon echelon(*this);
  LinearMap map(rhs.inBits(), inBits());
  for (unsigned bit = 0; bit < rhs.inBits(); ++bit) {
    Echelon::Row row{rhs.columns[bit], 0};
    echelon.reduce(row);
    if (row.image)
      return std::nullopt;
    map.columns[bit] = row.inputs;
  }
  return map;
}

std::optional<LinearMap> LinearMap::inverse() const {
  if (inBits() != numOutBits)
    return std::nullopt;
  return rightInverse();
}

std::optional<LinearMap> LinearMap::rightInverse() const { return solve(identity(numOutBits)); }

LinearMap LinearMap::product(const LinearMap &high) const {
  LinearMap map(inBits() + high.inBits(), numOutBits + high.numOutBits);
  for (unsigned bit = 0; bit < inBits(); ++bit)
    map.columns[bit] = columns[bit];
  for (unsigned bit = 0; bit < high.inBits(); ++bit)
    map.columns[inBits() + bit] = high.columns[bit] == 0 ? 0 : high.columns[bit] << numOutBits;
  return map;
}

std::optional<LinearMap> LinearMap::divideLeft(const LinearMap &tile) const {
  if (tile.inBits() > inBits() || tile.outBits() > numOutBits)
    return std::nullopt;
  LinearMap quotient(inBits() - tile.inBits(), numOutBits - tile.outBits());
  for (unsigned bit = 0; bit < tile.inBits(); ++bit)
    if (columns[bit] != tile.columns[bit])
      return std::nullopt;
  for (unsigned bit = 0; bit < quotient.inBits(); ++bit) {
    uint64_t image = columns[tile.inBits() + bit];
    if (image & lowBits(tile.outBits()))
      return std::nullopt;
    quotient.columns[bit] = tile.outBits() >= 64 ? 0 : image >> tile.outBits();
  }
  return quotient;
}

std::vector<uint64_t> LinearMap::kernelBasis() const { return Echelon(*this).kernel; }

uint64_t LinearMap::redundantInputs() const { return Echelon(*this).redundant; }

std::string LinearMap::str() const {
  std::string text = "[";
  for (unsigned bit = 0; bit < inBits(); ++bit)
    text += (bit ? ", " : "") + std::to_string(columns[bit]);
  return text + "] -> " + std::to_string(numOutBits) + " bits";
}
