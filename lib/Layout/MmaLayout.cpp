// SPDX-License-Identifier: Apache-2.0
#include "tilewright/Layout/MmaLayout.h"
#include "Spread.h"

#include <cassert>

using namespace tilewright::layout;

/// Bytes of one register.
static constexpr int64_t kWordBytes = 4;

std::optional<DistributedLayout> tilewright::layout::tryMakeMmaAccumulator(const std::vector<int64_t> &shape,
                                                                           unsigned numWarps, bool warpsAlongM,
                                                                           std::string *error) {
  std::string wrong = checkRequest(shape, numWarps);
  if (wrong.empty() && shape.size() < 2)
    wrong = "accumulator expects a rank of at least 2, found " + std::to_string(shape.size());
  if (!wrong.empty()) {
    if (error)
      *error = wrong;
    return std::nullopt;
  }
  unsigned rank = shape.size(), m = rank - 2, n = rank - 1;
  Spread spread(shape);
  spread.grow(spread.registers, n);
  for (unsigned bit = 0; bit < 2; ++bit)
    spread.grow(spread.lanes, n);
  for (unsigned bit = 0; bit < 3; ++bit)
    spread.grow(spread.lanes, m);
  spread.grow(spread.registers, m);

  auto [warpBits, oddWarps] = splitWarps(numWarps);
  auto splits = [&](unsigned dim) { return spread.repeats(dim) % 2 == 0; };
  for (unsigned bit = 0; bit < warpBits; ++bit) {
    int best = -1;
    for (unsigned dim = 0; dim < m && best < 0; ++dim)
      if (splits(dim))
        best = dim;
    if (best < 0 && (splits(m) || splits(n))) {
      bool rowsAreLonger = spread.repeats(m) * kMmaM >= spread.repeats(n) * kMmaN;
      best = splits(m) && (!splits(n) || warpsAlongM || rowsAreLonger) ? m : n;
    }
    // Half a step of padding is less than the whole step again in the other warps.
    for (unsigned dim : {m, n})
      if (best < 0 && spread.canGrow(dim))
        best = dim;
    if (best < 0)
      spread.replicate(spread.warps);
    else
      spread.grow(spread.warps, best);
  }
  std::vector<unsigned> order = {n, m};
  for (unsigned dim = m; dim-- > 0;)
    order.push_back(dim);
  return spread.finish(order, oddWarps, error);
}

std::optional<DistributedLayout> tilewright::layout::tryMakeMmaOperand(const DistributedLayout &accumulator,
                                                                       unsigned operand, int64_t extentK,
                                                                       unsigned elementBytes, std::string *error) {
  assert(accumulator.rank() >= 2 && operand < 2 && elementBytes <= kWordBytes && "an operand of a product");
  unsigned rank = accumulator.rank(), m = rank - 2, n = rank - 1;
  unsigned kept = operand == 0 ? m : n, gone = operand == 0 ? n : m; // `gone` becomes K.
  int64_t perWord = kWordBytes / elementBytes;
  std::vector<int64_t> shape = accumulator.shape();
  shape[gone] = extentK;
  auto along = [&](unsigned dim, int64_t step) {
    Coord basis(rank, 0);
    basis[dim] = step;
    return basis;
  };
  /// What an accumulator's basis says about the operand.
  auto without = [&](Coord basis) {
    basis[gone] = 0;
    return basis;
  };
  auto isZero = [](const Coord &basis) {
    return std::all_of(basis.begin(), basis.end(), [](int64_t step) { return step == 0; });
  };

  Bases reg, lane, warp;
  for (int64_t step = 1; step < perWord; step *= 2)
    reg.push_back(along(gone, step));
  lane = {along(gone, perWord), along(gone, 2 * perWord), along(kept, 1), along(kept, 2), along(kept, 4)};
  if (operand == 0)
    reg.push_back(along(kept, kMmaM / 2));
  reg.push_back(along(gone, 4 * perWord));
  int64_t unit = 8 * perWord, steps = ceilDiv(extentK, unit);
  Bases alongK, repeats;
  for (; steps % 2 == 0; steps /= 2, unit *= 2)
    alongK.push_back(along(gone, unit));
  // Repeats of the instruction along what is kept, and batch dimensions: as in the accumulator.
  for (const Coord &basis : accumulator.registerBases()) {
    Coord own = without(basis);
    int64_t atom = operand == 0 ? kMmaM : kMmaN;
    if (!isZero(own) && !(own[kept] != 0 && own[kept] < atom))
      repeats.push_back(own);
  }
  // The left one numbers its registers like the sum of a product before it. Of the right one, neighbouring columns of one
  // step along K come by one matrix load.
  for (const Bases *bases : {operand == 0 ? &alongK : &repeats, operand == 0 ? &repeats : &alongK})
    reg.insert(reg.end(), bases->begin(), bases->end());
  for (const Coord &basis : accumulator.warpBases())
    warp.push_back(without(basis));
  std::vector<OuterDigit> digits;
  if (steps > 1)
    digits.push_back({gone, steps, unit, OuterDigit::Place::Register});
  for (OuterDigit digit : accumulator.digits()) {
    if (digit.dim == gone && digit.stride != 0) {
      if (digit.place == OuterDigit::Place::Register)
        continue;
      digit.dim = 0;
      digit.stride = 0; // Warps that differ by it hold copies.
    }
    digits.push_back(digit);
  }
  return DistributedLayout::create(shape, reg, lane, warp, accumulator.blockBases(), digits, error);
}
