// SPDX-License-Identifier: Apache-2.0
// Extents that are no powers of two, such as real models have: every builder, and every conversion between what they
// make.
#include "RandomLayout.h"
#include "tilewright/Layout/Conversion.h"
#include "tilewright/Layout/ElementPlaces.h"
#include "tilewright/Layout/MmaLayout.h"

#include <gtest/gtest.h>

using namespace tilewright::layout;
using namespace tilewright::layout::test;

namespace {

const int64_t kExtents[] = {48, 96, 112, 192, 208};

/// Largest power of two that divides `x`, as its exponent.
unsigned twos(int64_t x) { return __builtin_ctzll(x); }

/// Every seventh element, which meets all residues of powers of two, is where its owner is said to be.
void expectCovered(const DistributedLayout &layout) {
  PlaceFinder finder(layout);
  int64_t columns = layout.shape()[1], elements = layout.shape()[0] * columns;
  for (int64_t index = 0; index < elements; index += 7) {
    Coord coord = {index / columns, index % columns};
    ElementPlace place = finder.ownerOf(coord);
    ASSERT_EQ(layout.coordinates(place.reg, place.lane, place.warp, place.block), coord) << layout.str();
  }
}

// Where lanes, warps and vectors are no more than the powers of two in the extents, digits do without padding. A run of
// neighbouring lanes may lose half of its length for that, not more.
TEST(OddExtents, BlockedLayoutsAreNotNeedlesslyRagged) {
  for (unsigned warpBits : {0u, 1u, 2u, 3u})
    for (int64_t rows : kExtents)
      for (int64_t columns : kExtents)
        for (unsigned vectorBits : {0u, 1u, 2u, 3u}) {
          DistributedLayout layout = makeBlocked({rows, columns}, {1, 1 << vectorBits}, {1, 0}, 1u << warpBits);
          EXPECT_EQ(layout.contiguousPerThread(1) % (1 << vectorBits), 0) << layout.str();
          if (vectorBits + 5 + warpBits <= twos(rows) + twos(columns) && twos(columns) >= 4)
            EXPECT_FALSE(layout.isRagged()) << layout.str();
        }
}

TEST(OddExtents, FmaAccumulatorsAreNotNeedlesslyRagged) {
  for (unsigned warpBits : {0u, 1u, 2u, 3u})
    for (int64_t m : kExtents)
      for (int64_t n : kExtents) {
        DistributedLayout layout = makeFmaAccumulator({m, n}, 1u << warpBits);
        // At least two neighbours along N, lanes and warps.
        if (1 + 5 + warpBits <= twos(m) + twos(n))
          EXPECT_FALSE(layout.isRagged()) << layout.str();
        EXPECT_EQ(layout.ownerLanes(), ~0u) << "no lane computes what another one does: " << layout.str();
      }
}

// The instruction divides all of these extents: only warps can pad.
TEST(OddExtents, MmaAccumulatorsAreNotNeedlesslyRagged) {
  for (unsigned warpBits : {0u, 1u, 2u, 3u})
    for (int64_t m : kExtents)
      for (int64_t n : kExtents)
        for (bool alongM : {false, true}) {
          std::optional<DistributedLayout> acc = tryMakeMmaAccumulator({m, n}, 1u << warpBits, alongM);
          ASSERT_TRUE(acc);
          if (warpBits <= twos(m / kMmaM) + twos(n / kMmaN))
            EXPECT_FALSE(acc->isRagged()) << acc->str();
          for (int64_t k : kExtents)
            for (unsigned bytes : {1u, 2u, 4u})
              for (unsigned operand : {0u, 1u}) {
                std::optional<DistributedLayout> layout = tryMakeMmaOperand(*acc, operand, k, bytes);
                ASSERT_TRUE(layout);
                if (k * bytes % kMmaKBytes == 0)
                  EXPECT_FALSE(layout->isRagged(operand == 0 ? 1 : 0)) << layout->str();
              }
        }
}

/// All layouts that builders make of a tile of this shape for so many warps.
std::vector<DistributedLayout> builderLayouts(int64_t rows, int64_t columns, unsigned numWarps) {
  std::vector<DistributedLayout> layouts = {
      makeBlocked({rows, columns}, {1, 4}, {1, 0}, numWarps), makeBlocked({rows, columns}, {8, 1}, {0, 1}, numWarps),
      makeBlocked({rows, columns}, {1, 1}, {1, 0}, numWarps), makeFmaAccumulator({rows, columns}, numWarps)};
  auto add = [&](const std::optional<DistributedLayout> &layout) {
    EXPECT_TRUE(layout);
    if (layout)
      layouts.push_back(*layout);
  };
  std::optional<DistributedLayout> acc = tryMakeMmaAccumulator({rows, columns}, numWarps, /*warpsAlongM=*/false);
  add(acc);
  // As the left operand the tile is [M, K], as the right one [K, N].
  add(tryMakeMmaOperand(*tryMakeMmaAccumulator({rows, 96}, numWarps, false), 0, columns, 2));
  add(tryMakeMmaOperand(*tryMakeMmaAccumulator({96, columns}, numWarps, false), 1, rows, 2));
  return layouts;
}

TEST(OddExtents, BuildersCoverTheTile) {
  for (unsigned numWarps : {1u, 2u, 3u, 4u, 6u, 8u})
    for (int64_t rows : {48, 112, 208})
      for (int64_t columns : {48, 208})
        for (const DistributedLayout &layout : builderLayouts(rows, columns, numWarps))
          expectCovered(layout);
}

// No pair is refused. Two layouts without padding convert by one of the three ways, and their buffers hold no more than
// a sixth above the tile.
TEST(OddExtents, AllPairsConvert) {
  for (unsigned numWarps : {1u, 3u, 4u, 8u})
    for (int64_t rows : kExtents)
      for (int64_t columns : {48, 112, 208}) {
        std::vector<DistributedLayout> layouts = builderLayouts(rows, columns, numWarps);
        for (const DistributedLayout &src : layouts)
          for (const DistributedLayout &dst : layouts) {
            std::string error;
            std::optional<ConversionPlan> plan = tryPlanConversion(src, dst, 2, &error);
            ASSERT_TRUE(plan) << error;
            if (src == dst)
              EXPECT_EQ(plan->kind, ConversionPlan::Kind::None);
            if (plan->shared)
              EXPECT_LE(plan->shared->layout.allocatedElements() * 6, rows * columns * 7) << plan->shared->layout.str();
          }
      }
}

} // namespace
