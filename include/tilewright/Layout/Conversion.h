// SPDX-License-Identifier: Apache-2.0
/// \file
/// The cheapest way from one distributed layout of a tile to another.
///
/// A conversion asks, for each destination place, for a source place that holds the same element. Writing A and B for
/// the cores of source and destination, that is A x = B y: a linear system over F2. Its solution y -> x shows what has
/// to move. If x differs from y in the register only, registers are renamed. If lanes differ but not warps, values
/// are shuffled: lane and register of the source are then linear in lane and register of the destination, and the
/// register that a lane sends or receives may be exclusive-ored with bits of its own lane. All else goes through
/// shared memory.
///
/// Example. Source: register basis {1}, lane bases {2, 4, ..}; destination: register basis {2}, lane bases {1, 4, ..}:
/// register bit and lane bit 0 swap. Destination (r, l0) wants source register l0 of lane bit r. Two rounds do it:
/// in round k each lane sends register k ^ l0, reads from the lane whose bit 0 is l0 ^ k and stores register k ^ l0.
#ifndef TILEWRIGHT_LAYOUT_CONVERSION_H
#define TILEWRIGHT_LAYOUT_CONVERSION_H

#include "tilewright/Layout/SharedLayout.h"

#include <array>

namespace tilewright::layout {

/// Shuffles of a conversion. To lower it:
///   1. permute the source registers: for each lane bit j with sendXor[j] != 0: `s[r] = bit j of lane ? s[r ^
///      sendXor[j]] : s[r]` for all r at once;
///   2. for each round: `t[dstRegister] = shfl.idx(s[srcRegister], laneConst ^ XOR of laneXor[j] over lane bits j)`;
///   3. permute the results: for each lane bit j with receiveXor[j] != 0: `t[r] = bit j ? t[r ^ receiveXor[j]] : t[r]`.
struct ShufflePlan {
  struct Round {
    int64_t srcRegister; ///< after step 1
    int64_t dstRegister; ///< before step 3
    uint32_t laneConst;  ///< source lane of lane 0
  };
  std::vector<Round> rounds; ///< one per destination register
  std::array<uint32_t, 5> laneXor{};
  std::array<int64_t, 5> sendXor{};
  std::array<int64_t, 5> receiveXor{};

  /// Lane that `lane` reads from in `round`.
  unsigned sourceLane(const Round &round, unsigned lane) const;
};

/// Cycles of a trip through shared memory besides its accesses: store, barrier, load, and the barrier that frees the
/// buffer. A rough number, as those in Conversion.cpp.
constexpr double kSharedTripLatency = 100;

/// The way from one layout to another.
struct ConversionPlan {
  enum class Kind {
    None,      ///< register i of the source is register i of the destination in every thread
    Registers, ///< destination register i is source register sourceRegister[i] of the same thread
    Shuffle,   ///< inside warps, see ShufflePlan
    Shared,    ///< owners store to shared memory, barrier, load
  };
  Kind kind = Kind::None;
  /// Registers: -1 where the destination register lies outside the shape in every thread (any value will do).
  std::vector<int64_t> sourceRegister;
  /// Shuffle only.
  ShufflePlan shuffle;
  /// Shared only: layout, vector widths (elements) and conflicts of both sides. Owners store (isOwner: lanes, warps and
  /// registers without replicas); places outside the shape neither store nor load.
  std::optional<SharedChoice> shared;
  /// Estimated issue cycles of one SM for the whole CTA; 0 for None and Registers.
  double cost = 0;
  /// Why this kind, in words, for remarks.
  std::string reason;
};

/// Plans the cheapest conversion of a tile of `elementBytes` (1, 2, 4, 8, 16) wide elements. Both layouts need the
/// same shape, warps and blocks, and a tile that crosses blocks keeps its block part; otherwise nullopt and `error`.
/// `allowMatrix` is that of chooseShared().
std::optional<ConversionPlan> tryPlanConversion(const DistributedLayout &src, const DistributedLayout &dst,
                                                unsigned elementBytes, std::string *error = nullptr,
                                                bool allowMatrix = false);
/// The same where the caller knows the precondition to hold (asserted).
ConversionPlan planConversion(const DistributedLayout &src, const DistributedLayout &dst, unsigned elementBytes,
                              bool allowMatrix = false);

} // namespace tilewright::layout

#endif // TILEWRIGHT_LAYOUT_CONVERSION_H
