// SPDX-License-Identifier: Apache-2.0
#include "RandomLayout.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

using namespace tilewright::layout;
using namespace tilewright::layout::test;

using Place = OuterDigit::Place;

static const Bases kRowLanes = {{0, 2}, {0, 4}, {0, 8}, {1, 0}, {2, 0}};

TEST(DistributedLayout, ExampleOfTheHeader) {
  std::string error;
  std::optional<DistributedLayout> small = DistributedLayout::create({4, 16}, {{0, 1}}, kRowLanes, {}, {}, {}, &error);
  ASSERT_TRUE(small) << error;
  EXPECT_EQ(small->coordinates(0, 13, 0), (Coord{1, 10}));
  EXPECT_EQ(small->coordinates(1, 13, 0), (Coord{1, 11}));
  EXPECT_EQ(small->contiguousPerThread(1), 2);
  EXPECT_EQ(small->contiguousPerThread(0), 1);
  std::optional<DistributedLayout> large =
      DistributedLayout::create({12, 16}, {{0, 1}}, kRowLanes, {}, {}, {{0, 3, 4, Place::Register}}, &error);
  ASSERT_TRUE(large) << error;
  EXPECT_EQ(large->registersPerThread(), 6);
  EXPECT_EQ(large->coordinates(5, 13, 0), (Coord{9, 11}));
  EXPECT_FALSE(large->isRagged());
  EXPECT_EQ(large->str(), "[12, 16] reg=[[0, 1]] lane=[[0, 2], [0, 4], [0, 8], [1, 0], [2, 0]] warp=[] block=[] "
                          "digits=[0: 3 x 4 register]");
}

/// The reason that create() gives.
static std::string whyNot(std::vector<int64_t> shape, Bases reg, Bases lane, Bases warp, Bases block,
                          std::vector<OuterDigit> digits) {
  std::string error;
  EXPECT_FALSE(DistributedLayout::create(shape, reg, lane, warp, block, digits, &error));
  EXPECT_FALSE(DistributedLayout::create(shape, reg, lane, warp, block, digits)) << "without an error string";
  return error;
}

TEST(DistributedLayout, CreateRejects) {
  const Bases none, zero1 = {{0}, {0}, {0}, {0}, {0}}, lanes32 = {{1}, {2}, {4}, {8}, {16}};
  EXPECT_EQ(whyNot(std::vector<int64_t>(9, 1), none, zero1, none, none, {}),
            "layout expects a rank of at most 8, found 9");
  EXPECT_EQ(whyNot({0}, none, zero1, none, none, {}), "layout expects extents of at least 1, found 0");
  EXPECT_EQ(whyNot({-3}, none, zero1, none, none, {}), "layout expects extents of at least 1, found -3");
  EXPECT_EQ(whyNot({int64_t(1) << 40, int64_t(1) << 40}, none, zero1, none, none, {}),
            "layout expects at most 2^31 elements, found shape [1099511627776, 1099511627776]");
  EXPECT_EQ(whyNot({1}, none, {{0}}, none, none, {}), "layout expects 5 lane bases, found 1");
  EXPECT_EQ(whyNot({1}, Bases(17, {0}), zero1, none, none, {}), "layout expects at most 16 register bases, found 17");
  EXPECT_EQ(whyNot({1}, none, zero1, Bases(6, {0}), none, {}), "layout expects at most 5 warp bases, found 6");
  EXPECT_EQ(whyNot({1}, none, zero1, none, Bases(6, {0}), {}), "layout expects at most 5 block bases, found 6");
  EXPECT_EQ(whyNot({1}, {{0, 1}}, zero1, none, none, {}), "layout expects register bases of rank 1, found [0, 1]");
  EXPECT_EQ(whyNot({1}, {{-1}}, zero1, none, none, {}),
            "layout expects register bases with entries from 0 to 2^31 - 1, found [-1]");
  EXPECT_EQ(whyNot({1}, {{int64_t(1) << 62}}, zero1, none, none, {}),
            "layout expects register bases with entries from 0 to 2^31 - 1, found [4611686018427387904]");
  EXPECT_EQ(whyNot({32}, none, lanes32, none, none, {{0, 1, 32, Place::Register}}),
            "layout expects digits with a radix from 2 to 65536, found 1");
  EXPECT_EQ(whyNot({32}, none, lanes32, none, none, {{1, 3, 32, Place::Register}}),
            "layout expects digits in one of 1 dimensions, found dimension 1");
  EXPECT_EQ(whyNot({32}, none, lanes32, none, none, {{1, 3, 0, Place::Warp}}),
            "layout expects digits in one of 1 dimensions, found dimension 1 with stride 0");
  EXPECT_EQ(whyNot({32}, none, lanes32, none, none, {{0, 3, 0, Place::Register}}),
            "layout expects register digits with a stride other than 0");
  EXPECT_EQ(whyNot({32}, none, lanes32, none, none, {{0, 33, 32, Place::Warp}}),
            "layout expects at most 32 warps, found more");
  EXPECT_EQ(whyNot({32}, none, lanes32, none, none, {{0, 33, 32, Place::Block}}),
            "layout expects at most 32 blocks, found more");
  EXPECT_EQ(whyNot({32}, {{0}}, lanes32, none, none, {{0, 65536, 32, Place::Register}}),
            "layout expects at most 65536 registers, found more");
  EXPECT_EQ(whyNot({96}, none, lanes32, none, none, {{0, 3, 64, Place::Register}}),
            "layout expects a digit of dimension 0 to have stride 32, found 64");
  EXPECT_EQ(whyNot({96}, none, lanes32, none, none, {{0, 3, 32, Place::Register}, {0, 2, 32, Place::Warp}}),
            "layout expects a digit of dimension 0 to have stride 64, found 32")
      << "two digits overlap";
  EXPECT_EQ(whyNot({33}, none, lanes32, none, none, {}), "layout expects to cover extent 33 of dimension 0, covers 32");
  EXPECT_EQ(whyNot({8}, none, {{7}, {0}, {0}, {0}, {0}}, none, none, {}),
            "layout expects 3 independent bases to cover its core, found 1");
  EXPECT_EQ(whyNot({64}, none, {{63}, {0}, {0}, {0}, {0}}, none, none, {}),
            "layout expects at least 6 bases to cover its core, found 5");
  EXPECT_EQ(whyNot({int64_t(1) << 31}, {{(int64_t(1) << 31) - 1}}, lanes32, none, none,
                   {{0, 2, int64_t(1) << 31, Place::Warp}}),
            "layout expects at most 2^31 elements in dimension 0");
}

TEST(DistributedLayout, RankZero) {
  Bases lanes(5);
  std::optional<DistributedLayout> layout = DistributedLayout::create({}, {}, lanes, {{}}, {}, {});
  ASSERT_TRUE(layout);
  EXPECT_EQ(layout->registersPerThread(), 1);
  EXPECT_TRUE(layout->isOwner(0, 0, 0));
  EXPECT_FALSE(layout->isOwner(0, 1, 0));
  EXPECT_EQ(layout->ownerLanes(), 1u);
  EXPECT_EQ(layout->ownerWarps(), 1u);
  EXPECT_EQ(layout->reshape({1, 1})->shape(), (std::vector<int64_t>{1, 1}));
}

/// Brute-force check of every query of one layout.
static void checkQueries(const DistributedLayout &layout) {
  SCOPED_TRACE(layout.str());
  std::map<Coord, unsigned> owners;
  std::set<Coord> covered;
  std::vector<bool> outside(layout.rank(), false);
  std::vector<int64_t> largest(layout.rank(), 0);
  forEachPlace(layout, [&](int64_t reg, unsigned lane, unsigned warp, unsigned block) {
    Coord coord = layout.coordinates(reg, lane, warp, block);
    covered.insert(coord);
    owners[coord] += layout.isOwner(reg, lane, warp, block);
    for (unsigned dim = 0; dim < layout.rank(); ++dim) {
      outside[dim] = outside[dim] || coord[dim] >= layout.shape()[dim];
      largest[dim] = std::max(largest[dim], coord[dim]);
    }
  });
  int64_t padded = 1;
  for (unsigned dim = 0; dim < layout.rank(); ++dim) {
    padded *= layout.paddedExtent(dim);
    EXPECT_EQ(layout.isRagged(dim), outside[dim]);
    EXPECT_EQ(layout.paddedExtent(dim), largest[dim] + 1);
    EXPECT_GE(layout.paddedExtent(dim), layout.shape()[dim]);
  }
  EXPECT_EQ(int64_t(covered.size()), padded) << "each element of the padded box is somewhere";
  for (const auto &[coord, count] : owners)
    ASSERT_EQ(count, 1u) << "one owner each";

  for (unsigned dim = 0; dim < layout.rank(); ++dim) {
    int64_t run = layout.contiguousPerThread(dim), widest = run;
    bool adds = layout.registersAddTo(dim);
    auto holds = [&](int64_t width) {
      bool all = layout.registersPerThread() % width == 0;
      if (all)
        forEachPlace(layout, [&](int64_t reg, unsigned lane, unsigned warp, unsigned block) {
          Coord expected = layout.coordinates(reg / width * width, lane, warp, block);
          all = all && expected[dim] % width == 0;
          expected[dim] += reg % width;
          all = all && layout.coordinates(reg, lane, warp, block) == expected;
        });
      return all;
    };
    EXPECT_TRUE(holds(run)) << "dim " << dim;
    if (layout.digits().empty())
      EXPECT_FALSE(holds(2 * widest)) << "dim " << dim;
    forEachPlace(layout, [&](int64_t reg, unsigned lane, unsigned warp, unsigned block) {
      if (adds)
        ASSERT_EQ(layout.coordinates(reg, lane, warp, block)[dim],
                  layout.coordinates(0, lane, warp, block)[dim] + layout.registerOffset(reg)[dim]);
    });
  }
}

TEST(DistributedLayout, QueriesAgreeWithCoordinates) {
  RandomLayouts layouts(10);
  RandomOptions options;
  options.maxCoreBits = 6;
  options.blockBits = 1;
  for (int i = 0; i < 80; ++i)
    checkQueries(layouts.make(options));
}

TEST(DistributedLayout, RegistersAddOnlyWhereBitsAreDisjoint) {
  // Register and lane 0 share coordinate bit 0: 3 ^ 1 is no sum.
  auto layout = DistributedLayout::create({32}, {{1}}, {{3}, {2}, {4}, {8}, {16}}, {}, {}, {});
  ASSERT_TRUE(layout);
  EXPECT_FALSE(layout->registersAddTo(0));
  EXPECT_EQ(layout->contiguousPerThread(0), 1);
}

TEST(DistributedLayout, Separates) {
  auto layout = DistributedLayout::create({4, 16}, {{0, 1}}, kRowLanes, {}, {}, {});
  EXPECT_TRUE(layout->separates(0) && layout->separates(1));
  Bases mixed = kRowLanes;
  mixed[3] = {1, 2};
  layout = DistributedLayout::create({4, 16}, {{0, 1}}, mixed, {}, {}, {});
  EXPECT_FALSE(layout->separates(0) || layout->separates(1));
}

static Coord without(Coord coord, unsigned dim) {
  coord.erase(coord.begin() + dim);
  return coord;
}

/// Checks that registers merged right: `project` is what the operation does to coordinates.
template <typename Fn>
static void checkMerge(const DistributedLayout &before, const DistributedLayout &after, const RegisterMap &map,
                       Fn project) {
  ASSERT_TRUE(isValid(after)) << after.str();
  ASSERT_EQ(int64_t(map.newToOld.size()), after.registersPerThread());
  ASSERT_EQ(int64_t(map.oldToNew.size()), before.registersPerThread());
  EXPECT_EQ(after.freeRegisterMask(), 0u);
  EXPECT_EQ(after.numWarps(), before.numWarps());
  for (int64_t reg = 0; reg < after.registersPerThread(); ++reg)
    ASSERT_EQ(map.oldToNew[map.newToOld[reg]], reg);
  forEachPlace(before, [&](int64_t reg, unsigned lane, unsigned warp, unsigned block) {
    ASSERT_EQ(after.coordinates(map.oldToNew[reg], lane, warp, block),
              project(before.coordinates(reg, lane, warp, block)));
  });
}

TEST(DistributedLayout, ShapeOperationsAgreeWithCoordinates) {
  RandomLayouts layouts(11);
  RandomOptions options;
  for (int i = 0; i < 80; ++i) {
    DistributedLayout layout = layouts.make(options);
    SCOPED_TRACE(layout.str());
    unsigned dim = layouts.below(layout.rank());

    RegisterMap map;
    DistributedLayout dropped = layout.dropDim(dim, &map);
    EXPECT_EQ(dropped.shape(), without(layout.shape(), dim));
    EXPECT_EQ(dropped, layout.dropDim(dim)) << "without a map";
    checkMerge(layout, dropped, map, [&](const Coord &coord) { return without(coord, dim); });

    std::vector<int64_t> restricted = layout.shape();
    restricted[dim] = 1;
    std::optional<DistributedLayout> source = layout.restrictTo(restricted, &map);
    ASSERT_TRUE(source);
    EXPECT_EQ(source->shape(), restricted);
    checkMerge(layout, *source, map, [&](Coord coord) {
      if (layout.shape()[dim] != 1)
        coord[dim] = 0;
      return coord;
    });
    restricted[dim] = layout.shape()[dim] + 1;
    EXPECT_FALSE(layout.restrictTo(restricted));
    restricted.push_back(1);
    EXPECT_FALSE(layout.restrictTo(restricted));

    unsigned where = layouts.below(layout.rank() + 1);
    DistributedLayout inserted = layout.insertDim(where);
    ASSERT_TRUE(isValid(inserted));
    std::vector<unsigned> order(layout.rank());
    for (unsigned d = 0; d < layout.rank(); ++d)
      order[d] = d;
    std::shuffle(order.begin(), order.end(), layouts.random);
    DistributedLayout permuted = layout.permute(order);
    ASSERT_TRUE(isValid(permuted));
    forEachPlace(layout, [&](int64_t reg, unsigned lane, unsigned warp, unsigned block) {
      Coord coord = layout.coordinates(reg, lane, warp, block), expected = coord;
      expected.insert(expected.begin() + where, 0);
      ASSERT_EQ(inserted.coordinates(reg, lane, warp, block), expected);
      Coord moved = permuted.coordinates(reg, lane, warp, block);
      for (unsigned d = 0; d < layout.rank(); ++d)
        ASSERT_EQ(moved[d], coord[order[d]]);
    });
    for (unsigned d = 0; d < layout.rank(); ++d)
      ASSERT_EQ(permuted.shape()[d], layout.shape()[order[d]]);
    // Adding a dimension and dropping it is the identity but for registers that were replicas before.
    if (layout.freeRegisterMask() == 0)
      EXPECT_EQ(inserted.dropDim(where), layout);
  }
}

/// Splits `elements` into random factors.
static std::vector<int64_t> randomFactors(RandomLayouts &layouts, int64_t elements) {
  std::vector<int64_t> shape(1 + layouts.below(4), 1);
  for (int64_t factor = 2; elements > 1; ++factor)
    for (; elements % factor == 0; elements /= factor)
      shape[layouts.below(shape.size())] *= factor;
  return shape;
}

TEST(DistributedLayout, ReshapeKeepsRowMajorIndex) {
  RandomLayouts layouts(12);
  RandomOptions options;
  unsigned done = 0, refused = 0;
  for (int i = 0; i < 800; ++i) {
    options.digits = i % 2;
    options.ragged = i % 4 == 3;
    DistributedLayout layout = layouts.make(options);
    int64_t elements = 1;
    for (int64_t extent : layout.shape())
      elements *= extent;
    std::vector<int64_t> shape = randomFactors(layouts, elements);
    std::optional<DistributedLayout> result = layout.reshape(shape);
    if (!options.digits && !options.ragged)
      ASSERT_TRUE(result) << "powers of two always reshape: " << layout.str();
    if (!result) {
      ++refused;
      continue;
    }
    ++done;
    SCOPED_TRACE(layout.str() + " to " + result->str());
    ASSERT_EQ(result->shape(), shape);
    ASSERT_TRUE(isValid(*result));
    ASSERT_EQ(result->registersPerThread(), layout.registersPerThread());
    forEachPlace(layout, [&](int64_t reg, unsigned lane, unsigned warp, unsigned block) {
      Coord before = layout.coordinates(reg, lane, warp, block), after = result->coordinates(reg, lane, warp, block);
      ASSERT_EQ(layout.isInside(before), result->isInside(after));
      if (layout.isInside(before))
        ASSERT_EQ(rowMajor(before, layout.shape()), rowMajor(after, shape));
    });
    std::optional<DistributedLayout> back = result->reshape(layout.shape());
    ASSERT_TRUE(back);
    forEachPlace(layout, [&](int64_t reg, unsigned lane, unsigned warp, unsigned block) {
      ASSERT_EQ(layout.coordinates(reg, lane, warp, block), back->coordinates(reg, lane, warp, block));
    });
  }
  EXPECT_GT(done, 400u);
  EXPECT_GT(refused, 20u);
}

TEST(DistributedLayout, ReshapeCases) {
  DistributedLayout tall = makeBlocked({192}, {1}, {0}, 1); // 3 x 64 after the lanes
  ASSERT_TRUE(tall.reshape({3, 64}));
  EXPECT_EQ(tall.reshape({3, 64})->coreExtent(0), 1);
  EXPECT_TRUE(tall.reshape({1, 3, 1, 64, 1}));
  ASSERT_TRUE(tall.reshape({6, 32}));
  EXPECT_EQ(tall.reshape({6, 32})->coreExtent(0), 2);
  EXPECT_FALSE(tall.reshape({2, 3, 32})) << "3 is above the bit";
  EXPECT_FALSE(makeBlocked({2, 96}, {1, 1}, {1, 0}, 1).reshape({192})) << "a bit above a digit of the same dimension";
  EXPECT_FALSE(tall.reshape({64, 3})) << "cuts the core at 3";
  EXPECT_FALSE(tall.reshape({191}));
  EXPECT_FALSE(tall.reshape({192, 0}));
  EXPECT_FALSE(tall.reshape({}));
  EXPECT_FALSE(tall.reshape(std::vector<int64_t>(9, 1)));
  DistributedLayout ragged = makeBlocked({17, 4}, {1, 1}, {0, 1}, 1);
  ASSERT_TRUE(ragged.isRagged(0));
  EXPECT_TRUE(ragged.reshape({1, 17, 1, 2, 2}));
  EXPECT_FALSE(ragged.reshape({68}));
}

TEST(DistributedLayout, EqualityAndHash) {
  RandomLayouts layouts(13);
  std::set<std::string> texts;
  std::set<size_t> hashes;
  for (int i = 0; i < 500; ++i) {
    DistributedLayout layout = layouts.make({});
    texts.insert(layout.str());
    hashes.insert(layout.hash());
    EXPECT_EQ(layout.insertDim(0).dropDim(0) == layout, layout.freeRegisterMask() == 0);
  }
  EXPECT_EQ(texts.size(), hashes.size());
}
