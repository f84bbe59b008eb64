// SPDX-License-Identifier: Apache-2.0
#include "tilewright/Layout/BankConflicts.h"

#include <algorithm>
#include <cassert>

using namespace tilewright::layout;

unsigned tilewright::layout::countBankConflicts(const std::vector<int64_t> &offsetsBytes, unsigned accessBytes) {
  constexpr unsigned kBanks = 32, kWordBytes = 4;
  assert(offsetsBytes.size() <= 32 && "at most one offset per lane");
  assert((accessBytes == 1 || accessBytes == 2 || accessBytes == 4 || accessBytes == 8 || accessBytes == 16) &&
         "a width that the hardware has");
  unsigned phases = countPhases(accessBytes), lanesPerPhase = 32 / phases, conflicts = 0;
  std::vector<int64_t> words;
  for (unsigned phase = 0; phase < phases; ++phase) {
    words.clear();
    for (size_t lane = phase * lanesPerPhase; lane < (phase + 1) * lanesPerPhase && lane < offsetsBytes.size(); ++lane)
      for (int64_t byte = offsetsBytes[lane]; byte >= 0 && byte < offsetsBytes[lane] + int64_t(accessBytes);
           byte += kWordBytes)
        words.push_back(byte / kWordBytes);
    std::sort(words.begin(), words.end());
    words.erase(std::unique(words.begin(), words.end()), words.end());
    unsigned load[kBanks] = {}, most = 0;
    for (int64_t word : words)
      most = std::max(most, ++load[word % kBanks]);
    conflicts += most > 1 ? most - 1 : 0;
  }
  return conflicts;
}
