// SPDX-License-Identifier: Apache-2.0
#include "tilewright/Layout/MatrixAccess.h"

using namespace tilewright::layout;

/// Bytes of one register.
static constexpr int64_t kWordBytes = 4;

std::optional<MatrixAccess> tilewright::layout::findMatrixAccess(const DistributedLayout &layout, unsigned fastest,
                                                                 unsigned elementBytes) {
  if (elementBytes > kWordBytes || layout.rank() == 0 || fastest >= layout.rank() || layout.isRagged())
    return std::nullopt;
  int64_t run = kMatrixRowBytes / elementBytes, perWord = kWordBytes / elementBytes;
  unsigned inWord = __builtin_ctz(unsigned(perWord));
  const Bases &reg = layout.registerBases(), &lane = layout.laneBases();
  if (reg.size() < inWord)
    return std::nullopt;
  auto isStep = [&](const Coord &basis, int64_t step) {
    for (unsigned dim = 0; dim < basis.size(); ++dim)
      if (basis[dim] != (dim == fastest ? step : 0))
        return false;
    return true;
  };
  // Everything else moves by whole rows of a matrix.
  auto isAcross = [&](const Coord &basis) { return basis[fastest] % run == 0; };
  bool isPlain = isStep(lane[0], perWord) && isStep(lane[1], 2 * perWord);
  for (unsigned bit = 0; bit < inWord; ++bit)
    isPlain &= isStep(reg[bit], int64_t(1) << bit);
  for (unsigned bit = 2; bit < 5; ++bit)
    isPlain &= isAcross(lane[bit]);
  bool isTransposed = !isPlain && elementBytes == 2 && isAcross(reg[0]) && isAcross(lane[0]) && isAcross(lane[1]);
  for (unsigned bit = 0; bit < 3; ++bit)
    isTransposed &= isStep(lane[bit + 2], int64_t(1) << bit);
  if (!isPlain && !isTransposed)
    return std::nullopt;
  for (size_t bit = inWord; bit < reg.size(); ++bit)
    if (!isAcross(reg[bit]))
      return std::nullopt;
  for (const Coord &basis : layout.warpBases())
    if (!isAcross(basis))
      return std::nullopt;
  for (const OuterDigit &digit : layout.digits())
    if (digit.dim == fastest && digit.stride % run != 0)
      return std::nullopt;

  Bases rowReg, rowLane;
  for (int64_t step = 1; step < run; step *= 2) {
    rowReg.emplace_back(layout.rank(), 0);
    rowReg.back()[fastest] = step;
  }
  if (isPlain)
    rowLane = {lane[2], lane[3], lane[4]};
  else
    rowLane = {reg[0], lane[0], lane[1]};
  // The next two register bits, as far as there are, tell the matrices of one instruction apart.
  unsigned words = 1;
  for (size_t bit = inWord; bit < reg.size(); ++bit)
    if (words < 4) {
      rowLane.push_back(reg[bit]);
      words *= 2;
    } else {
      rowReg.push_back(reg[bit]);
    }
  while (rowLane.size() < 5)
    rowLane.emplace_back(layout.rank(), 0);
  std::optional<DistributedLayout> rows = DistributedLayout::create(
      layout.shape(), rowReg, rowLane, layout.warpBases(), layout.blockBases(), layout.digits());
  if (!rows)
    return std::nullopt;
  return MatrixAccess{*rows, words, isTransposed};
}
