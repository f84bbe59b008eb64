// SPDX-License-Identifier: Apache-2.0
#include "tilewright/Layout/SharedLayout.h"
#include "RandomLayout.h"

#include <gtest/gtest.h>

#include <set>

using namespace tilewright::layout;
using namespace tilewright::layout::test;

/// Calls fn(coord) for each coordinate of `shape`.
template <typename Fn> static void forEachCoord(const std::vector<int64_t> &shape, Fn fn) {
  Coord coord(shape.size(), 0);
  for (;;) {
    fn(coord);
    size_t dim = shape.size();
    while (dim > 0 && ++coord[dim - 1] == shape[dim - 1])
      coord[--dim] = 0;
    if (dim == 0)
      return;
  }
}

static SharedLayout make(std::vector<int64_t> shape, std::vector<int64_t> allocated, std::vector<unsigned> order,
                         Swizzle swizzle = {}, std::optional<LinearMap> matrix = std::nullopt, Padding padding = {}) {
  std::string error;
  std::optional<SharedLayout> layout = SharedLayout::create(shape, allocated, order, swizzle, matrix, padding, &error);
  if (!layout)
    throw std::runtime_error(error);
  return *layout;
}

/// The reason that create() gives.
static std::string whyNot(std::vector<int64_t> shape, std::vector<int64_t> allocated, std::vector<unsigned> order,
                          Swizzle swizzle = {}, std::optional<LinearMap> matrix = std::nullopt, Padding padding = {}) {
  std::string error;
  EXPECT_FALSE(SharedLayout::create(shape, allocated, order, swizzle, matrix, padding, &error));
  EXPECT_FALSE(SharedLayout::create(shape, allocated, order, swizzle, matrix, padding)) << "without an error string";
  return error;
}

TEST(SharedLayout, CreateRejects) {
  EXPECT_EQ(whyNot(std::vector<int64_t>(9, 1), std::vector<int64_t>(9, 1), {}),
            "shared layout expects a rank of at most 8, found 9");
  EXPECT_EQ(whyNot({4}, {4, 4}, {0}), "shared layout expects an allocated shape of rank 1, found [4, 4]");
  EXPECT_EQ(whyNot({0}, {4}, {0}), "shared layout expects extents of at least 1, found 0");
  EXPECT_EQ(whyNot({8}, {4}, {0}), "shared layout expects an allocated extent of at least 8 in dimension 0, found 4");
  EXPECT_EQ(whyNot({4, 4}, {4, int64_t(1) << 23}, {1, 0}),
            "shared layout expects at most 2^24 elements, found [4, 8388608]");
  EXPECT_EQ(whyNot({4, 4}, {4, 4}, {1, 1}),
            "shared layout expects the order to be a permutation of 2 dimensions, found [1, 1]");
  EXPECT_EQ(whyNot({4, 4}, {4, 4}, {1, 2}),
            "shared layout expects the order to be a permutation of 2 dimensions, found [1, 2]");
  EXPECT_EQ(whyNot({4, 4}, {4, 4}, {1}),
            "shared layout expects the order to be a permutation of 2 dimensions, found [1]");
  EXPECT_EQ(whyNot({4, 64}, {4, 64}, {1, 0}, {3, 1, 2}),
            "shared layout expects swizzle parts to be powers of two, found 3");
  EXPECT_EQ(whyNot({4, 64}, {4, 64}, {1, 0}, {8, 0, 2}),
            "shared layout expects swizzle parts to be powers of two, found 0");
  EXPECT_EQ(whyNot({4, 48}, {4, 48}, {1, 0}, {8, 1, 4}),
            "shared layout expects swizzle vec * maxPhase (32) to divide the row of 48 elements");
  EXPECT_EQ(whyNot({64, 1}, {64, 1}, {1, 0}, {8, 1, 8}),
            "shared layout expects swizzle vec * maxPhase (64) to divide the row of 1 element");
  EXPECT_EQ(whyNot({4, 4}, {4, 4}, {1, 0}, {1, 1, 2}, LinearMap::identity(2)),
            "shared layout expects a swizzle or a matrix, found both");
  EXPECT_EQ(whyNot({4, 4}, {4, 4}, {1, 0}, {}, LinearMap::zero(2, 2)),
            "shared layout expects a regular square matrix, found [0, 0] -> 2 bits");
  EXPECT_EQ(whyNot({4, 3}, {4, 3}, {1, 0}, {}, LinearMap::identity(3)),
            "shared layout expects 2^3, the period of the matrix, to divide 12 elements");
  EXPECT_EQ(whyNot({4}, {4}, {0}, {}, std::nullopt, {0, 1}),
            "shared layout expects a positive padding interval and no negative amount, found 0 and 1");
  EXPECT_EQ(whyNot({4}, {4}, {0}, {}, std::nullopt, {1, -1}),
            "shared layout expects a positive padding interval and no negative amount, found 1 and -1");
  EXPECT_EQ(whyNot({1024}, {1024}, {0}, {}, std::nullopt, {1, int64_t(1) << 40}),
            "shared layout expects at most 2^24 elements with padding, found more");
}

TEST(SharedLayout, ExampleOfTheHeader) {
  SharedLayout layout = make({8, 64}, {8, 64}, {1, 0}, {8, 1, 8});
  EXPECT_EQ(layout.offsetOf({3, 20}), 204);
  std::set<int64_t> groups;
  for (int64_t row = 0; row < 8; ++row)
    groups.insert(layout.offsetOf({row, 20}) * 2 / 16 % 8);
  EXPECT_EQ(groups.size(), 8u);
  EXPECT_EQ(layout.str(), "[8, 64] order=[1, 0] swizzle={8, 1, 8}");
}

/// Checks that offsets are distinct and in bounds, that contiguous() is true and, unless the row is the whole tile,
/// that twice as much would not be.
static void checkLayout(const SharedLayout &layout) {
  SCOPED_TRACE(layout.str());
  std::set<int64_t> offsets;
  forEachCoord(layout.allocatedShape(), [&](const Coord &coord) {
    int64_t offset = layout.offsetOf(coord);
    ASSERT_GE(offset, 0);
    ASSERT_LT(offset, layout.allocatedElements());
    ASSERT_TRUE(offsets.insert(offset).second) << "two elements at " << offset;
  });
  if (layout.rank() > 0)
    EXPECT_EQ(*offsets.rbegin() + 1, layout.allocatedElements());
  for (unsigned dim = 0; dim < layout.rank(); ++dim) {
    auto holds = [&](int64_t width) {
      bool all = layout.allocatedShape()[dim] % width == 0;
      if (all)
        forEachCoord(layout.allocatedShape(), [&](const Coord &coord) {
          Coord first = coord;
          first[dim] = coord[dim] / width * width;
          int64_t start = layout.offsetOf(first);
          all = all && start % width == 0 && layout.offsetOf(coord) == start + coord[dim] % width;
        });
      return all;
    };
    EXPECT_TRUE(holds(layout.contiguous(dim))) << "dim " << dim;
    if (dim == layout.fastestDim())
      EXPECT_FALSE(holds(2 * layout.contiguous(dim))) << "dim " << dim;
  }
  if (std::optional<LinearMap> map = layout.toLinearMap()) {
    EXPECT_TRUE(map->inverse());
    forEachCoord(layout.allocatedShape(), [&](const Coord &coord) {
      ASSERT_EQ(int64_t(map->apply(rowMajor(coord, layout.allocatedShape()))), layout.offsetOf(coord));
    });
  }
}

TEST(SharedLayout, OffsetsAreDistinctAndRunsAreTrue) {
  for (std::vector<int64_t> allocated : {std::vector<int64_t>{8, 64}, {64, 8}, {16, 16}, {12, 48}, {5, 24}, {7, 3}})
    for (std::vector<unsigned> order : {std::vector<unsigned>{1, 0}, {0, 1}})
      for (Padding padding : {Padding{}, Padding{allocated[order[0]], 8}, Padding{16, 1}, Padding{24, 4}}) {
        checkLayout(make(allocated, allocated, order, {}, std::nullopt, padding));
        for (int64_t vec : {1, 2, 8})
          for (int64_t perPhase : {1, 2})
            for (int64_t maxPhase : {2, 4, 8})
              if (allocated[order[0]] % (vec * maxPhase) == 0)
                checkLayout(make({4, 3}, allocated, order, {vec, perPhase, maxPhase}, std::nullopt, padding));
      }
  checkLayout(make({3, 4, 6}, {3, 4, 8}, {2, 0, 1}, {2, 1, 4}));
  checkLayout(make({3, 1, 5}, {3, 1, 5}, {1, 2, 0}));
  checkLayout(make({}, {}, {}));
  checkLayout(make({1}, {1}, {0}));
}

TEST(SharedLayout, MatricesPermuteOffsets) {
  RandomLayouts layouts(30);
  for (int i = 0; i < 200; ++i) {
    LinearMap matrix = LinearMap::identity(6);
    for (int step = 0; step < 3; ++step) {
      unsigned to = layouts.below(6), from = layouts.below(6);
      if (to != from)
        matrix.setColumn(to, matrix.column(to) ^ matrix.column(from));
    }
    SharedLayout layout = make({12, 16}, {12, 16}, {1, 0}, {}, matrix);
    std::set<int64_t> offsets;
    forEachCoord(layout.allocatedShape(), [&](const Coord &coord) { offsets.insert(layout.offsetOf(coord)); });
    EXPECT_EQ(offsets.size(), 192u);
    EXPECT_EQ(*offsets.rbegin(), 191);
    int64_t width = layout.contiguous(1);
    forEachCoord(layout.allocatedShape(), [&](const Coord &coord) {
      Coord first = {coord[0], coord[1] / width * width};
      ASSERT_EQ(layout.offsetOf(coord), layout.offsetOf(first) + coord[1] % width) << layout.str();
      ASSERT_EQ(layout.offsetOf(first) % width, 0) << layout.str();
    });
  }
}

TEST(SharedLayout, SwizzleEqualsItsMatrix) {
  // The 128-byte swizzle: bits 3..5 of the offset (vectors of 8 f16) are exclusive-ored with bits 6..8 (rows).
  LinearMap matrix = LinearMap::identity(9);
  for (unsigned bit = 6; bit < 9; ++bit)
    matrix.setColumn(bit, uint64_t(1) << bit | uint64_t(1) << (bit - 3));
  SharedLayout byMatrix = make({16, 64}, {16, 64}, {1, 0}, {}, matrix);
  SharedLayout bySwizzle = make({16, 64}, {16, 64}, {1, 0}, {8, 1, 8});
  EXPECT_EQ(*byMatrix.toLinearMap(), *bySwizzle.toLinearMap());
  EXPECT_EQ(byMatrix.contiguous(1), 8);
  EXPECT_EQ(bySwizzle.contiguous(1), 8);
  EXPECT_NE(byMatrix, bySwizzle);
  EXPECT_NE(byMatrix.hash(), bySwizzle.hash());
}

TEST(SharedLayout, NonesAreEqual) {
  EXPECT_EQ(make({4, 8}, {4, 8}, {1, 0}, {4, 2, 1}, LinearMap::identity(3), {7, 0}),
            *SharedLayout::makeRowMajor({4, 8}, {1, 0}));
  EXPECT_FALSE(SharedLayout::makeRowMajor({4, 8}, {1, 1}));
}

TEST(SharedAccess, VectorsNeverStraddleTheShape) {
  // 18 columns held in runs of 4: the last run would end outside, so runs of 2 are used.
  auto ragged =
      DistributedLayout::create({4, 18}, {{0, 1}, {0, 2}}, {{0, 4}, {0, 8}, {0, 16}, {1, 0}, {2, 0}}, {}, {}, {});
  ASSERT_TRUE(ragged);
  SharedLayout shared = make({4, 18}, {4, 20}, {1, 0});
  EXPECT_EQ(shared.contiguous(1), 4);
  EXPECT_EQ(sharedVectorWidth(*ragged, shared, 4), 2);
  DistributedLayout whole = makeBlocked({4, 64}, {1, 16}, {1, 0}, 1);
  SharedLayout rows = make({4, 64}, {4, 64}, {1, 0});
  EXPECT_EQ(sharedVectorWidth(whole, rows, 1), 16);
  EXPECT_EQ(sharedVectorWidth(whole, rows, 2), 8) << "16 bytes at most";
  EXPECT_EQ(sharedVectorWidth(whole, rows, 4), 4);
  EXPECT_EQ(sharedVectorWidth(whole, rows, 16), 1);
  EXPECT_EQ(sharedVectorWidth(whole, make({4, 64}, {4, 64}, {0, 1}), 2), 1) << "the other dimension is fastest";
}

TEST(SharedAccess, CountsColumnReadsAsConflicts) {
  // Lanes along a column of a row-major 32x32 f32 tile: 32-way.
  DistributedLayout column = *DistributedLayout::create({32, 32}, {{0, 16}, {0, 8}, {0, 4}, {0, 2}, {0, 1}},
                                                        {{1, 0}, {2, 0}, {4, 0}, {8, 0}, {16, 0}}, {}, {}, {});
  SharedAccessCost plain = sharedAccessCost(column, *SharedLayout::makeRowMajor({32, 32}, {1, 0}), 4, false);
  EXPECT_EQ(plain.vector, 1);
  EXPECT_EQ(plain.accesses, 32);
  EXPECT_EQ(plain.conflicts, 31);
  EXPECT_EQ(plain.wavefronts, 1024);
  SharedAccessCost padded =
      sharedAccessCost(column, make({32, 32}, {32, 32}, {1, 0}, {}, std::nullopt, {32, 1}), 4, false);
  EXPECT_TRUE(padded.isConflictFree());
  EXPECT_EQ(padded.wavefronts, 32);
  SharedAccessCost swizzled = sharedAccessCost(column, make({32, 32}, {32, 32}, {1, 0}, {1, 1, 32}), 4, false);
  EXPECT_TRUE(swizzled.isConflictFree());
}

TEST(SharedAccess, OnlyOwnersStore) {
  DistributedLayout replicated = makeBlocked({32}, {1}, {0}, 4);
  SharedLayout row = make({32}, {32}, {0});
  EXPECT_EQ(sharedAccessCost(replicated, row, 4, true).accesses, 1);
  EXPECT_EQ(sharedAccessCost(replicated, row, 4, false).accesses, 4);
}

TEST(SharedAccess, UniformAccessesAreSampledRight) {
  // One sample stands for all where everything is linear: compare with padding 2^20, which pads nothing but is not
  // linear.
  RandomLayouts layouts(31);
  RandomOptions options;
  options.digits = options.ragged = false;
  for (int i = 0; i < 100; ++i) {
    std::vector<unsigned> bits = {3, 4};
    DistributedLayout dist = layouts.make({8, 16}, bits, {1, 1}, options);
    SharedLayout shared = make({8, 16}, {8, 16}, {1, 0}, {2, 1, 4});
    SharedLayout opaque = make({8, 16}, {8, 16}, {1, 0}, {2, 1, 4}, std::nullopt, {1 << 20, 1 << 20});
    if (dist.registersPerThread() * dist.numWarps() > 8)
      continue;
    SharedAccessCost one = sharedAccessCost(dist, shared, 4, false), all = sharedAccessCost(dist, opaque, 4, false);
    EXPECT_EQ(one.wavefronts, all.wavefronts) << dist.str();
    EXPECT_EQ(one.conflicts, all.conflicts) << dist.str();
  }
}

TEST(ChooseShared, TransposesAreConflictFree) {
  // Writer with lanes along rows, reader with lanes along columns, for all element sizes.
  for (unsigned elementBytes : {1u, 2u, 4u, 8u})
    for (std::vector<int64_t> shape : {std::vector<int64_t>{32, 32}, {64, 64}, {128, 64}, {64, 128}}) {
      DistributedLayout writer = makeBlocked(shape, {1, 16 / elementBytes}, {1, 0}, 4);
      DistributedLayout reader = makeBlocked(shape, {1, 1}, {0, 1}, 4);
      SharedChoice choice = chooseShared(writer, reader, elementBytes, shape, 1, /*allowMatrix=*/true);
      SCOPED_TRACE(choice.layout.str() + " bytes " + std::to_string(elementBytes));
      EXPECT_TRUE(choice.writer.isConflictFree()) << choice.writer.conflicts;
      EXPECT_TRUE(choice.reader.isConflictFree()) << choice.reader.conflicts;
      // Never worse than the plain layout, and no more memory than an eighth above it.
      SharedAccessCost plain =
          sharedAccessCost(reader, *SharedLayout::makeRowMajor(shape, {1, 0}), elementBytes, false);
      EXPECT_LE(choice.reader.wavefronts, plain.wavefronts);
      EXPECT_LE(choice.layout.allocatedElements(), shape[0] * shape[1] * 9 / 8 * (elementBytes == 1 ? 2 : 1));
    }
}

TEST(ChooseShared, HalfRowWriterColumnReader) {
  // 64x64 f16 between global rows and 8-element columns per thread (a transpose of 8x8 blocks): both sides
  // conflict-free.
  DistributedLayout writer = makeBlocked({64, 64}, {1, 8}, {1, 0}, 4);
  DistributedLayout reader = makeBlocked({64, 64}, {1, 8}, {0, 1}, 4);
  SharedChoice choice = chooseShared(writer, reader, 2, {64, 64});
  EXPECT_EQ(choice.writer.vector, 8);
  EXPECT_EQ(choice.reader.vector, 8);
  EXPECT_TRUE(choice.writer.isConflictFree() && choice.reader.isConflictFree()) << choice.layout.str();
  EXPECT_EQ(choice.layout.allocatedElements(), 64 * 64) << "a swizzle needs no memory";
  EXPECT_EQ(choice.layout.swizzle().maxPhase, 8);
}

TEST(ChooseShared, ExtentsThatAreNoPowersOfTwo) {
  for (std::vector<int64_t> shape : {std::vector<int64_t>{96, 96}, {192, 160}, {100, 100}, {17, 33}, {5, 3}, {1, 7}}) {
    DistributedLayout writer = makeBlocked(shape, {1, 4}, {1, 0}, 4);
    DistributedLayout reader = makeBlocked(shape, {1, 1}, {0, 1}, 4);
    SharedChoice choice = chooseShared(writer, reader, 4, shape);
    SCOPED_TRACE(choice.layout.str());
    checkLayout(choice.layout);
    SharedAccessCost plain = sharedAccessCost(reader, *SharedLayout::makeRowMajor(shape, {1, 0}), 4, false);
    EXPECT_LE(choice.reader.wavefronts, plain.wavefronts);
    EXPECT_LE(choice.reader.conflicts, 1);
  }
}

TEST(ChooseShared, FmaOperandsAreBroadcastVectors) {
  // The B operand of an FMA dot: stored by rows, read as 4 columns per lane, eight lanes apart.
  DistributedLayout accumulator = makeFmaAccumulator({128, 128}, 8);
  DistributedLayout writer = makeBlocked({128, 128}, {1, 4}, {1, 0}, 8);
  SharedChoice choice = chooseShared(writer, accumulator, 4, {128, 128});
  EXPECT_EQ(choice.reader.vector, 4);
  EXPECT_EQ(choice.writer.vector, 4);
}

TEST(ChooseShared, AnyTwoLinearLayoutsOfWordsAreConflictFree) {
  // With 4-byte accesses on both sides, two spaces of lanes always have a common complement.
  RandomLayouts layouts(32);
  RandomOptions options;
  options.digits = options.ragged = options.replicas = false;
  for (int i = 0; i < 60; ++i) {
    DistributedLayout writer = layouts.make({16, 32}, {4, 5}, {1, 1}, options);
    DistributedLayout reader = layouts.make({16, 32}, {4, 5}, {1, 1}, options);
    SharedChoice choice = chooseShared(writer, reader, 4, {16, 32}, 1, /*allowMatrix=*/true);
    EXPECT_FALSE(chooseShared(writer, reader, 4, {16, 32}).layout.matrix()) << "only on request";
    SCOPED_TRACE(writer.str() + " -> " + reader.str() + ": " + choice.layout.str());
    double best = 2 * 16 * 32 / 32; // wavefronts, if each moves 128 bytes
    if (writer.freeLaneMask() | writer.freeWarpMask() | reader.freeLaneMask() | reader.freeWarpMask())
      continue; // fewer lanes store, or several load the same
    EXPECT_LE(choice.cost, best + 0.25 * 2 * 16 * 32 / 32) << "never worse than conflict-free words";
    checkLayout(choice.layout);
  }
}

TEST(SharedAccess, PlaceToOffsetAgrees) {
  RandomLayouts layouts(33);
  RandomOptions options;
  options.digits = options.ragged = false;
  for (int i = 0; i < 40; ++i) {
    DistributedLayout dist = layouts.make({8, 16}, {3, 4}, {1, 1}, options);
    SharedLayout shared = make({8, 16}, {8, 16}, {0, 1}, {2, 1, 4});
    std::optional<LinearMap> map = placeToOffset(dist, shared);
    ASSERT_TRUE(map);
    unsigned regBits = dist.registerBases().size();
    forEachPlace(dist, [&](int64_t reg, unsigned lane, unsigned warp, unsigned) {
      ASSERT_EQ(int64_t(map->apply(uint64_t(reg) | uint64_t(lane | warp << 5) << regBits)),
                shared.offsetOf(dist.coordinates(reg, lane, warp)));
    });
  }
  DistributedLayout digits = makeBlocked({96}, {1}, {0}, 1), whole = makeBlocked({8, 16}, {1, 1}, {1, 0}, 1);
  EXPECT_FALSE(placeToOffset(digits, make({96}, {96}, {0})));
  EXPECT_FALSE(placeToOffset(whole, make({8, 16}, {16, 16}, {1, 0})));
  EXPECT_FALSE(placeToOffset(whole, make({8, 16}, {8, 16}, {1, 0}, {}, std::nullopt, {16, 1})));
}

TEST(ChooseShared, RowsHaveMoreThanOneElement) {
  // A last dimension of extent 1, and lane 0 replicates: a row is taken from another dimension.
  DistributedLayout writer = makeBlocked({32, 32, 1}, {1, 4, 1}, {2, 1, 0}, 1);
  DistributedLayout reader =
      *DistributedLayout::create({32, 32, 1}, {{0, 2, 0}, {0, 1, 0}, {0, 4, 0}, {0, 8, 0}, {0, 16, 0}, {16, 0, 0}},
                                 {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {4, 0, 0}, {8, 0, 0}}, {}, {}, {});
  SharedChoice choice = chooseShared(writer, reader, 4, {32, 32, 1});
  EXPECT_NE(choice.layout.order()[0], 2u) << choice.layout.str();
  EXPECT_EQ(choice.layout.order()[2], 2u) << choice.layout.str();
  EXPECT_TRUE(choice.reader.isConflictFree()) << choice.layout.str();
}

TEST(ChooseShared, WeightsTheReader) {
  DistributedLayout rows = makeBlocked({64, 64}, {1, 4}, {1, 0}, 1);
  DistributedLayout columns = makeBlocked({64, 64}, {4, 1}, {0, 1}, 1);
  SharedChoice once = chooseShared(rows, columns, 4, {64, 64}, 1), often = chooseShared(rows, columns, 4, {64, 64}, 16);
  EXPECT_EQ(often.layout.order()[0], 0u) << "suits the reader";
  EXPECT_LE(often.reader.wavefronts, once.reader.wavefronts);
  EXPECT_GT(often.cost, once.cost);
}

// A block costs what its own accesses cost: here row 5, which one of two warps holds, each lane two neighbours of it.
TEST(SharedAccess, BlocksOfATile) {
  DistributedLayout tile = makeBlocked({8, 64}, {1, 2}, {1, 0}, 2);
  SharedLayout row = *SharedLayout::makeRowMajor({1, 64}, {1, 0});
  Coord origin = {5, 0};
  SharedAccessCost whole = sharedAccessCost(tile, *SharedLayout::makeRowMajor({8, 64}, {1, 0}), 4, true);
  SharedAccessCost block = sharedAccessCost(tile, row, 4, true, &origin);
  EXPECT_EQ(block.vector, 2);
  EXPECT_EQ(block.accesses, whole.accesses);
  EXPECT_EQ(block.wavefronts, whole.wavefronts / 8);
  EXPECT_EQ(block.conflicts, 0);
  // A block that begins inside a vector is moved element by element.
  origin = {5, 3};
  SharedLayout part = *SharedLayout::makeRowMajor({1, 32}, {1, 0});
  EXPECT_EQ(sharedAccessCost(tile, part, 4, true, &origin).vector, 1);
}
