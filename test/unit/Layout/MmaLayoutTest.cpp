// SPDX-License-Identifier: Apache-2.0
// Fragments against the tables of the PTX ISA, and matrix loads against what `ldmatrix` does.
#include "LoadMatrix.h"
#include "tilewright/Layout/Conversion.h"
#include "tilewright/Layout/MmaLayout.h"

#include <gtest/gtest.h>

#include <set>

using namespace tilewright::layout;

namespace {

struct Case {
  std::vector<int64_t> shape;
  int64_t extentK;
  unsigned numWarps, elementBytes;
  bool warpsAlongM;
};

std::vector<Case> cases() {
  std::vector<Case> all;
  const std::vector<std::vector<int64_t>> shapes = {{16, 8},   {64, 64},   {128, 128}, {128, 48}, {48, 96},  {112, 208},
                                                    {17, 100}, {1, 1},     {8, 8},     {192, 64}, {4, 32, 32}, {3, 16, 24},
                                                    {2, 2, 64, 16}};
  for (const std::vector<int64_t> &shape : shapes)
    for (int64_t extentK : {16, 48, 64, 7})
      for (unsigned numWarps : {1u, 3u, 4u, 8u})
        for (unsigned bytes : {1u, 2u, 4u})
          for (bool along : {false, true})
            all.push_back({shape, extentK, numWarps, bytes, along});
  return all;
}

std::string describe(const Case &c) {
  std::string text = "shape";
  for (int64_t extent : c.shape)
    text += " " + std::to_string(extent);
  return text + ", K " + std::to_string(c.extentK) + ", warps " + std::to_string(c.numWarps) + ", bytes " +
         std::to_string(c.elementBytes) + (c.warpsAlongM ? ", along M" : "");
}

/// The register whose offset is `offset`; -1 if there is none.
int64_t findRegister(const DistributedLayout &layout, const Coord &offset) {
  for (int64_t reg = 0; reg < layout.registersPerThread(); ++reg)
    if (layout.registerOffset(reg) == offset)
      return reg;
  return -1;
}

TEST(MmaLayout, AccumulatorIsThatOfThePtxTables) {
  for (const Case &c : cases()) {
    SCOPED_TRACE(describe(c));
    std::string error;
    auto acc = tryMakeMmaAccumulator(c.shape, c.numWarps, c.warpsAlongM, &error);
    ASSERT_TRUE(acc) << error;
    EXPECT_EQ(acc->numWarps(), c.numWarps);
    unsigned m = c.shape.size() - 2, n = m + 1;
    for (unsigned lane = 0; lane < 32; ++lane)
      for (int64_t i = 0; i < 4; ++i) {
        Coord offset(c.shape.size(), 0);
        offset[m] = 8 * (i >> 1);
        offset[n] = i & 1;
        int64_t reg = findRegister(*acc, offset);
        ASSERT_GE(reg, 0);
        Coord coord = acc->coordinates(reg, lane, 0);
        EXPECT_EQ(coord[m], (lane >> 2) + 8 * (i >> 1));
        EXPECT_EQ(coord[n], 2 * (lane & 3) + (i & 1));
      }
  }
}

TEST(MmaLayout, OperandsAreThoseOfThePtxTables) {
  for (const Case &c : cases()) {
    SCOPED_TRACE(describe(c));
    auto acc = tryMakeMmaAccumulator(c.shape, c.numWarps, c.warpsAlongM);
    unsigned m = c.shape.size() - 2, n = m + 1, perWord = 4 / c.elementBytes;
    for (unsigned operand : {0u, 1u}) {
      std::string error;
      auto layout = tryMakeMmaOperand(*acc, operand, c.extentK, c.elementBytes, &error);
      ASSERT_TRUE(layout) << error;
      unsigned kept = operand == 0 ? m : n, k = operand == 0 ? n : m;
      EXPECT_EQ(layout->shape()[k], c.extentK);
      EXPECT_EQ(layout->shape()[kept], c.shape[kept]);
      for (unsigned word = 0; word < (operand == 0 ? 4u : 2u); ++word)
        for (unsigned i = 0; i < perWord; ++i) {
          unsigned half = operand == 0 ? word & 1 : 0, step = operand == 0 ? word >> 1 : word;
          Coord offset(c.shape.size(), 0);
          offset[kept] = 8 * half;
          offset[k] = (16 * step) / c.elementBytes + i;
          int64_t reg = findRegister(*layout, offset);
          ASSERT_GE(reg, 0);
          for (unsigned lane = 0; lane < 32; ++lane) {
            Coord coord = layout->coordinates(reg, lane, 0);
            EXPECT_EQ(coord[kept], (lane >> 2) + 8 * half);
            EXPECT_EQ(coord[k], (4 * (lane & 3) + 16 * step) / c.elementBytes + i);
          }
        }
      // Each warp holds the rows (or columns) of its sums, and all of K.
      for (unsigned warp = 0; warp < c.numWarps; ++warp) {
        std::set<Coord> wanted, held;
        auto cut = [&](Coord coord, unsigned gone) {
          coord[gone] = 0;
          return coord;
        };
        for (int64_t reg = 0; reg < acc->registersPerThread(); ++reg)
          for (unsigned lane = 0; lane < 32; ++lane)
            wanted.insert(cut(acc->coordinates(reg, lane, warp), k));
        std::set<int64_t> steps;
        for (int64_t reg = 0; reg < layout->registersPerThread(); ++reg)
          for (unsigned lane = 0; lane < 32; ++lane) {
            Coord coord = layout->coordinates(reg, lane, warp);
            held.insert(cut(coord, k));
            if (coord[k] < c.extentK)
              steps.insert(coord[k]);
          }
        EXPECT_EQ(held, wanted);
        EXPECT_EQ(int64_t(steps.size()), c.extentK);
      }
    }
  }
}

TEST(MmaLayout, MatrixLoadsFillOperands) {
  unsigned found = 0, transposed = 0, refused = 0;
  for (const Case &c : cases()) {
    SCOPED_TRACE(describe(c));
    auto acc = tryMakeMmaAccumulator(c.shape, c.numWarps, c.warpsAlongM);
    for (unsigned operand : {0u, 1u}) {
      auto layout = tryMakeMmaOperand(*acc, operand, c.extentK, c.elementBytes);
      ASSERT_TRUE(layout);
      for (unsigned fastest = 0; fastest < c.shape.size(); ++fastest) {
        std::optional<MatrixAccess> access = findMatrixAccess(*layout, fastest, c.elementBytes);
        unsigned k = c.shape.size() - 1 - operand, kept = c.shape.size() - 2 + operand;
        bool isK = fastest == k, isKept = fastest == kept;
        EXPECT_EQ(access.has_value(), !layout->isRagged() && (isK || (isKept && c.elementBytes == 2)));
        if (!access) {
          ++refused;
          continue;
        }
        ++found;
        transposed += access->isTransposed;
        EXPECT_EQ(access->isTransposed, isKept);
        for (unsigned warp = 0; warp < c.numWarps; ++warp)
          for (unsigned lane = 0; lane < 32; ++lane)
            for (int64_t reg = 0; reg < layout->registersPerThread(); ++reg) {
              RowPlace from = sourceOf(*access, c.elementBytes, reg, lane);
              ASSERT_EQ(access->rows.coordinates(from.reg, from.lane, warp), layout->coordinates(reg, lane, warp));
            }
      }
    }
  }
  EXPECT_GT(found, 200u);
  EXPECT_GT(transposed, 50u);
  EXPECT_GT(refused, 200u);
}

TEST(MmaLayout, SumsBecomeLeftOperandsInRegisters) {
  // A chain of products: the sum of one, as 16-bit elements, is the left operand of the next.
  auto scores = tryMakeMmaAccumulator({64, 64}, 4, /*warpsAlongM=*/true);
  auto next = tryMakeMmaAccumulator({64, 128}, 4, /*warpsAlongM=*/true);
  auto operand = tryMakeMmaOperand(*next, 0, 64, 2);
  ASSERT_TRUE(scores && next && operand);
  EXPECT_EQ(planConversion(*scores, *operand, 2).kind, ConversionPlan::Kind::None);
}

TEST(MmaLayout, OperandsTravelWithoutBankConflicts) {
  // As a matmul loads them: eight 16-bit elements per thread along the contiguous dimension.
  for (unsigned numWarps : {4u, 8u})
    for (int64_t extentK : {32, 64, 128})
      for (unsigned operand : {0u, 1u})
        for (unsigned fastest : {0u, 1u}) {
          auto acc = tryMakeMmaAccumulator({128, 128}, numWarps, false);
          auto layout = tryMakeMmaOperand(*acc, operand, extentK, 2);
          std::vector<int64_t> perThread = {1, 1};
          perThread[fastest] = 8;
          DistributedLayout loaded = makeBlocked(layout->shape(), perThread, {fastest, 1 - fastest}, numWarps);
          ConversionPlan plan = planConversion(loaded, *layout, 2);
          ASSERT_EQ(plan.kind, ConversionPlan::Kind::Shared);
          EXPECT_TRUE(plan.shared->writer.isConflictFree()) << operand << fastest << extentK;
          EXPECT_TRUE(plan.shared->reader.isConflictFree()) << operand << fastest << extentK;
          EXPECT_EQ(plan.shared->writer.vector, 8);
          EXPECT_EQ(plan.shared->reader.vector, 8);
        }
}

} // namespace
