// SPDX-License-Identifier: Apache-2.0
#include "tilewright/Layout/Conversion.h"
#include "LoadMatrix.h"
#include "RandomLayout.h"

#include <gtest/gtest.h>

#include <map>

using namespace tilewright::layout;
using namespace tilewright::layout::test;

using Kind = ConversionPlan::Kind;
using Warp = std::vector<std::vector<int64_t>>; ///< [lane][register]

constexpr int64_t kGarbage = -1;

/// What each thread of `layout` holds of a tile whose elements are their row-major index.
static std::vector<Warp> fill(const DistributedLayout &layout, unsigned block) {
  std::vector<Warp> warps(layout.numWarps(), Warp(kWarpSize));
  for (unsigned warp = 0; warp < layout.numWarps(); ++warp)
    for (unsigned lane = 0; lane < kWarpSize; ++lane)
      for (int64_t reg = 0; reg < layout.registersPerThread(); ++reg) {
        Coord coord = layout.coordinates(reg, lane, warp, block);
        warps[warp][lane].push_back(layout.isInside(coord) ? rowMajor(coord, layout.shape()) : kGarbage);
      }
  return warps;
}

/// Executes a shuffle plan as its documentation says.
static Warp runShuffle(const ShufflePlan &plan, const Warp &source, int64_t dstRegisters) {
  Warp values = source, sent(kWarpSize, std::vector<int64_t>(dstRegisters, kGarbage)), result = sent;
  auto permute = [](std::vector<int64_t> &registers, const std::array<int64_t, 5> &masks, unsigned lane) {
    for (unsigned bit = 0; bit < 5; ++bit) {
      std::vector<int64_t> old = registers;
      for (size_t reg = 0; reg < registers.size(); ++reg)
        registers[reg] = lane >> bit & 1 ? old.at(reg ^ size_t(masks[bit])) : old[reg];
    }
  };
  for (unsigned lane = 0; lane < kWarpSize; ++lane)
    permute(values[lane], plan.sendXor, lane);
  for (const ShufflePlan::Round &round : plan.rounds)
    for (unsigned lane = 0; lane < kWarpSize; ++lane)
      sent[lane].at(round.dstRegister) = values.at(plan.sourceLane(round, lane)).at(round.srcRegister);
  for (unsigned lane = 0; lane < kWarpSize; ++lane)
    permute(sent[lane], plan.receiveXor, lane);
  return sent;
}

/// Executes a way through shared memory with the vectors of the plan.
static std::vector<Warp> runShared(const SharedChoice &choice, const DistributedLayout &src,
                                   const DistributedLayout &dst, const std::vector<Warp> &source, unsigned block,
                                   unsigned elementBytes = 4) {
  std::vector<int64_t> memory(choice.layout.allocatedElements(), -7);
  std::vector<Warp> result(dst.numWarps(), Warp(kWarpSize, std::vector<int64_t>(dst.registersPerThread(), kGarbage)));
  auto access = [&](const DistributedLayout &layout, int64_t vector, bool ownersOnly, auto move) {
    forEachPlace(layout, [&](int64_t reg, unsigned lane, unsigned warp, unsigned itsBlock) {
      if (itsBlock != block || reg % vector != 0 || (ownersOnly && !layout.isOwner(reg, lane, warp)))
        return;
      if (!layout.isInside(layout.coordinates(reg, lane, warp, block)))
        return;
      int64_t offset = choice.layout.offsetOf(layout.coordinates(reg, lane, warp, block));
      ASSERT_EQ(offset % vector, 0) << "misaligned vector";
      for (int64_t i = 0; i < vector; ++i) {
        Coord coord = layout.coordinates(reg + i, lane, warp, block);
        ASSERT_TRUE(layout.isInside(coord)) << "half a vector";
        ASSERT_EQ(choice.layout.offsetOf(coord), offset + i) << "vector not contiguous";
        move(memory.at(offset + i), warp, lane, reg + i);
      }
    });
  };
  access(src, choice.writer.vector, true, [&](int64_t &cell, unsigned warp, unsigned lane, int64_t reg) {
    ASSERT_EQ(cell, -7) << "stored twice";
    cell = source[warp][lane][reg];
  });
  auto read = [&](std::vector<Warp> &into) {
    return [&](int64_t &cell, unsigned warp, unsigned lane, int64_t reg) { into[warp][lane][reg] = cell; };
  };
  if (!choice.matrices) {
    access(dst, choice.reader.vector, false, read(result));
    return result;
  }
  const DistributedLayout &rowLayout = choice.matrices->rows;
  std::vector<Warp> rows(dst.numWarps(), Warp(kWarpSize, std::vector<int64_t>(rowLayout.registersPerThread(), kGarbage)));
  access(rowLayout, choice.reader.vector, false, read(rows));
  for (unsigned warp = 0; warp < dst.numWarps(); ++warp)
    for (unsigned lane = 0; lane < kWarpSize; ++lane)
      for (int64_t reg = 0; reg < dst.registersPerThread(); ++reg) {
        RowPlace from = sourceOf(*choice.matrices, elementBytes, reg, lane);
        result[warp][lane][reg] = rows[warp][from.lane].at(from.reg);
      }
  return result;
}

/// Executes the plan on data and compares with the destination layout.
static void checkPlan(const ConversionPlan &plan, const DistributedLayout &src, const DistributedLayout &dst,
                      unsigned elementBytes = 4) {
  SCOPED_TRACE(src.str() + " -> " + dst.str() + ": " + plan.reason);
  EXPECT_FALSE(plan.reason.empty());
  for (unsigned block = 0; block < src.numBlocks(); ++block) {
    std::vector<Warp> source = fill(src, block), wanted = fill(dst, block), result = wanted;
    if (plan.kind == Kind::Shared) {
      ASSERT_TRUE(plan.shared);
      result = runShared(*plan.shared, src, dst, source, block, elementBytes);
    } else {
      for (unsigned warp = 0; warp < dst.numWarps(); ++warp)
        for (unsigned lane = 0; lane < kWarpSize; ++lane)
          for (int64_t reg = 0; reg < dst.registersPerThread(); ++reg) {
            if (plan.kind == Kind::None)
              result[warp][lane][reg] = source[warp][lane].at(reg);
            if (plan.kind == Kind::Registers)
              result[warp][lane][reg] =
                  plan.sourceRegister[reg] < 0 ? kGarbage : source[warp][lane].at(plan.sourceRegister[reg]);
          }
      if (plan.kind == Kind::Shuffle)
        for (unsigned warp = 0; warp < dst.numWarps(); ++warp)
          result[warp] = runShuffle(plan.shuffle, source[warp], dst.registersPerThread());
    }
    for (unsigned warp = 0; warp < dst.numWarps(); ++warp)
      for (unsigned lane = 0; lane < kWarpSize; ++lane)
        for (int64_t reg = 0; reg < dst.registersPerThread(); ++reg)
          if (wanted[warp][lane][reg] != kGarbage)
            ASSERT_EQ(result[warp][lane][reg], wanted[warp][lane][reg])
                << "warp " << warp << " lane " << lane << " register " << reg;
  }
}

/// Plans and checks; returns the kind.
static Kind convert(const DistributedLayout &src, const DistributedLayout &dst, unsigned elementBytes = 4) {
  std::string error;
  std::optional<ConversionPlan> plan = tryPlanConversion(src, dst, elementBytes, &error);
  std::optional<ConversionPlan> general = tryPlanConversion(src, dst, elementBytes, &error, /*allowMatrix=*/true);
  EXPECT_TRUE(plan) << error;
  if (plan && general) {
    EXPECT_LE(general->cost, plan->cost);
    checkPlan(*general, src, dst, elementBytes);
  }
  if (!plan)
    return Kind::None;
  checkPlan(*plan, src, dst, elementBytes);
  return plan->kind;
}

TEST(Conversion, RandomPairsEqualTheIdentity) {
  RandomLayouts layouts(40);
  std::map<Kind, unsigned> kinds;
  for (int i = 0; i < 400; ++i) {
    RandomOptions options;
    options.maxCoreBits = 8;
    options.digits = i % 3 == 0;
    options.ragged = i % 2 == 0;
    options.replicas = i % 5 != 0;
    options.warpBits = layouts.below(3);
    DistributedLayout src = layouts.make(options);
    std::vector<unsigned> bits;
    std::vector<int64_t> radix;
    for (unsigned dim = 0; dim < src.rank(); ++dim) {
      bits.push_back(__builtin_ctzll(src.coreExtent(dim)));
      radix.push_back(src.paddedExtent(dim) / src.coreExtent(dim));
    }
    DistributedLayout dst = layouts.make(src.shape(), bits, radix, options);
    if (dst.numWarps() == src.numWarps())
      ++kinds[convert(src, dst, 1 << layouts.below(5))];
    if (HasFatalFailure())
      return;
  }
  EXPECT_GT(kinds[Kind::Shared], 50u);
  EXPECT_GT(kinds[Kind::Shuffle], 50u);
}

/// `layout` with its register and lane bases dealt out anew (warps keep theirs).
static DistributedLayout dealAgain(RandomLayouts &layouts, const DistributedLayout &layout) {
  Bases all = layout.registerBases(), registers, lanes;
  all.insert(all.end(), layout.laneBases().begin(), layout.laneBases().end());
  for (int i = 0; i < 2; ++i) {
    size_t to = layouts.below(all.size()), from = layouts.below(all.size());
    for (unsigned dim = 0; dim < layout.rank() && to != from; ++dim)
      all[to][dim] ^= all[from][dim];
  }
  std::shuffle(all.begin(), all.end(), layouts.random);
  lanes.assign(all.begin(), all.begin() + 5);
  registers.assign(all.begin() + 5, all.end());
  return *DistributedLayout::create(layout.shape(), registers, lanes, layout.warpBases(), layout.blockBases(),
                                    layout.digits());
}

TEST(Conversion, InsideWarpsShufflesServe) {
  RandomLayouts layouts(41);
  std::map<Kind, unsigned> kinds;
  for (int i = 0; i < 400; ++i) {
    RandomOptions options;
    options.maxCoreBits = 7;
    options.replicas = i % 4 == 0;
    options.blockBits = i % 8 == 1;
    DistributedLayout src = layouts.make(options);
    DistributedLayout dst = dealAgain(layouts, src);
    std::optional<ConversionPlan> plan = tryPlanConversion(src, dst, 4);
    if (!plan) {
      EXPECT_TRUE(src.numBlocks() > 1) << src.str() << " -> " << dst.str();
      continue;
    }
    ++kinds[plan->kind];
    checkPlan(*plan, src, dst);
    if (HasFatalFailure())
      return;
  }
  EXPECT_GT(kinds[Kind::Shuffle], 200u);
  EXPECT_LT(kinds[Kind::Shared], 200u);
}

TEST(Conversion, BlockedPairsEqualTheIdentity) {
  // Layouts as assign-layouts makes them: extents of all kinds, so different digits and padding on both sides.
  RandomLayouts layouts(42);
  std::map<Kind, unsigned> kinds;
  for (int i = 0; i < 300; ++i) {
    std::vector<int64_t> shape = {1 + layouts.below(40), 1 + layouts.below(40)};
    if (i % 3 == 0)
      shape = {int64_t(1) << layouts.below(7), int64_t(1) << layouts.below(7)};
    unsigned numWarps = std::vector<unsigned>{1, 2, 3, 4, 8}[layouts.below(5)];
    auto blocked = [&] {
      unsigned fast = layouts.below(2);
      std::vector<int64_t> size = {1, 1};
      size[fast] = int64_t(1) << layouts.below(4);
      return layouts.below(4) ? makeBlocked(shape, size, {fast, 1 - fast}, numWarps)
                              : makeFmaAccumulator(shape, numWarps);
    };
    ++kinds[convert(blocked(), blocked(), 2)];
    if (HasFatalFailure())
      return;
  }
  EXPECT_GT(kinds[Kind::None], 10u);
  EXPECT_GT(kinds[Kind::Shared], 100u);
}

TEST(Conversion, NoneForTheSameLayout) {
  DistributedLayout layout = makeBlocked({100, 192}, {1, 4}, {1, 0}, 4);
  ConversionPlan plan = planConversion(layout, layout, 4);
  EXPECT_EQ(plan.kind, Kind::None);
  EXPECT_EQ(plan.cost, 0);
  EXPECT_EQ(plan.reason, "each register keeps its element");
}

TEST(Conversion, RegistersForAnotherOrder) {
  Bases lanes = {{0, 4}, {0, 8}, {1, 0}, {2, 0}, {4, 0}};
  DistributedLayout src = *DistributedLayout::create({8, 16}, {{0, 1}, {0, 2}}, lanes, {}, {}, {});
  DistributedLayout dst = *DistributedLayout::create({8, 16}, {{0, 2}, {0, 1}}, lanes, {}, {}, {});
  ConversionPlan plan = planConversion(src, dst, 4);
  EXPECT_EQ(plan.kind, Kind::Registers);
  EXPECT_EQ(plan.sourceRegister, (std::vector<int64_t>{0, 2, 1, 3}));
  EXPECT_EQ(plan.cost, 0);
  checkPlan(plan, src, dst);
}

TEST(Conversion, RegistersBetweenDigitsAndPadding) {
  // 96 as 3 x 32 in registers, and as a core of 128 of which the last quarter is padding.
  Bases lanes = {{1}, {2}, {4}, {8}, {16}};
  DistributedLayout digit =
      *DistributedLayout::create({96}, {}, lanes, {}, {}, {{0, 3, 32, OuterDigit::Place::Register}});
  DistributedLayout padded = *DistributedLayout::create({96}, {{32}, {64}}, lanes, {}, {}, {});
  ConversionPlan plan = planConversion(digit, padded, 4);
  EXPECT_EQ(plan.kind, Kind::Registers);
  EXPECT_EQ(plan.sourceRegister, (std::vector<int64_t>{0, 1, 2, -1}));
  checkPlan(plan, digit, padded);
  EXPECT_EQ(convert(padded, digit), Kind::Registers);
}

TEST(Conversion, ExampleOfTheHeader) {
  DistributedLayout src = *DistributedLayout::create({64}, {{1}}, {{2}, {4}, {8}, {16}, {32}}, {}, {}, {});
  DistributedLayout dst = *DistributedLayout::create({64}, {{2}}, {{1}, {4}, {8}, {16}, {32}}, {}, {}, {});
  ConversionPlan plan = planConversion(src, dst, 4);
  ASSERT_EQ(plan.kind, Kind::Shuffle);
  EXPECT_EQ(plan.shuffle.rounds.size(), 2u);
  EXPECT_EQ(plan.shuffle.sendXor[0], 1);
  EXPECT_EQ(plan.shuffle.receiveXor[0], 1);
  EXPECT_EQ(plan.shuffle.sourceLane(plan.shuffle.rounds[1], 6), 7u);
  EXPECT_EQ(plan.reason, "each element stays in its warp");
  checkPlan(plan, src, dst);
}

TEST(Conversion, ReplicasNeedNoShuffle) {
  // The source holds both columns in each thread, the destination one of them: a select by lane.
  DistributedLayout src =
      *DistributedLayout::create({16, 2}, {{0, 1}}, {{0, 0}, {1, 0}, {2, 0}, {4, 0}, {8, 0}}, {}, {}, {});
  DistributedLayout dst = *DistributedLayout::create({16, 2}, {}, {{0, 1}, {1, 0}, {2, 0}, {4, 0}, {8, 0}}, {}, {}, {});
  ConversionPlan plan = planConversion(src, dst, 4);
  EXPECT_EQ(plan.kind, Kind::Shuffle);
  EXPECT_EQ(plan.reason, "each element stays in its thread, in a register that depends on the lane");
  EXPECT_EQ(plan.shuffle.sourceLane(plan.shuffle.rounds[0], 21), 21u);
  checkPlan(plan, src, dst);
}

TEST(Conversion, SharedAcrossWarps) {
  DistributedLayout rows = makeBlocked({64, 64}, {1, 8}, {1, 0}, 4);
  DistributedLayout columns = makeBlocked({64, 64}, {8, 1}, {0, 1}, 4);
  ConversionPlan plan = planConversion(rows, columns, 2);
  EXPECT_EQ(plan.kind, Kind::Shared);
  EXPECT_EQ(plan.reason, "elements cross warps, or padding and digits differ");
  EXPECT_GT(plan.cost, 0);
  checkPlan(plan, rows, columns);
}

// What shared memory must hold is the tile, however many short dimensions it has.
TEST(Conversion, SharedForManyDimensions) {
  const std::vector<int64_t> shape = {1152, 1, 1, 2, 1};
  DistributedLayout rows = makeBlocked(shape, {1, 1, 1, 1, 1}, {4, 3, 2, 1, 0}, 2);
  DistributedLayout columns = makeBlocked(shape, {4, 1, 1, 1, 1}, {0, 1, 2, 3, 4}, 2);
  ConversionPlan plan = planConversion(rows, columns, 2);
  EXPECT_EQ(plan.kind, Kind::Shared);
  EXPECT_LE(plan.shared->layout.allocatedElements(), 2 * 1152 + 1152);
}

TEST(Conversion, Refuses) {
  auto whyNot = [](const DistributedLayout &src, const DistributedLayout &dst, unsigned elementBytes = 4) {
    std::string error;
    EXPECT_FALSE(tryPlanConversion(src, dst, elementBytes, &error));
    EXPECT_FALSE(tryPlanConversion(src, dst, elementBytes)) << "without an error string";
    return error;
  };
  DistributedLayout one = makeBlocked({32}, {1}, {0}, 1), two = makeBlocked({32}, {1}, {0}, 2);
  EXPECT_EQ(whyNot(one, makeBlocked({64}, {1}, {0}, 1)), "conversion expects two layouts of one shape, found " +
                                                             one.str() + " and " +
                                                             makeBlocked({64}, {1}, {0}, 1).str());
  EXPECT_EQ(whyNot(one, two), "conversion expects equal warp counts, found 1 and 2");
  EXPECT_EQ(whyNot(one, one, 3), "conversion expects elements of 1, 2, 4, 8 or 16 bytes, found 3");
  EXPECT_EQ(whyNot(one, one, 0), "conversion expects elements of 1, 2, 4, 8 or 16 bytes, found 0");
  Bases lanes = {{1}, {2}, {4}, {8}, {16}};
  DistributedLayout blocks = *DistributedLayout::create({64}, {}, lanes, {}, {{32}}, {});
  DistributedLayout whole = *DistributedLayout::create({64}, {{32}}, lanes, {}, {{0}}, {});
  EXPECT_EQ(whyNot(blocks, whole), "conversion expects both layouts to spread the tile over blocks alike, found " +
                                       blocks.str() + " and " + whole.str());
  DistributedLayout warps = *DistributedLayout::create({128}, {}, lanes, {{32}}, {{64}}, {});
  Bases swapped = {{32}, {2}, {4}, {8}, {16}};
  DistributedLayout crossing = *DistributedLayout::create({128}, {}, swapped, {{1}}, {{64}}, {});
  EXPECT_EQ(whyNot(warps, crossing),
            "conversion expects a tile that one block holds in shared memory, found " + warps.str());
}

TEST(Conversion, LargestTilesOfIssueThree) {
  for (unsigned numWarps : {4u, 8u})
    for (std::vector<int64_t> shape : {std::vector<int64_t>{128, 256}, {256, 128}, {192, 208}}) {
      DistributedLayout accumulator = makeFmaAccumulator(shape, numWarps);
      DistributedLayout rows = makeBlocked(shape, {1, 4}, {1, 0}, numWarps);
      convert(accumulator, rows, 4);
    }
}
