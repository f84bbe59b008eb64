// SPDX-License-Identifier: Apache-2.0
#include "tilewright/Dialect/Tile/Transforms/TransposePlan.h"
#include "ParsedModule.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

using namespace tilewright;
using plantest::ParsedModule;

namespace {
using Numbers = llvm::SmallVector<int64_t>;
/// A tile in row-major order.
struct Tile {
  Numbers shape, elements;
};
} // namespace

static Tile permute(const Tile &tile, llvm::ArrayRef<int64_t> order) {
  Tile result;
  for (int64_t dim : order)
    result.shape.push_back(tile.shape[dim]);
  Numbers strides(tile.shape.size(), 1), index(tile.shape.size(), 0);
  for (size_t dim = tile.shape.size() - 1; dim-- > 0;)
    strides[dim] = strides[dim + 1] * tile.shape[dim + 1];
  while (result.elements.size() < tile.elements.size()) {
    int64_t place = 0;
    for (size_t i = 0; i < order.size(); ++i)
      place += index[i] * strides[order[i]];
    result.elements.push_back(tile.elements[place]);
    for (size_t i = index.size(); i-- > 0 && ++index[i] == result.shape[i];)
      index[i] = 0;
  }
  return result;
}

/// All shapes of `count` elements with at most `rank` dimensions.
static void addShapes(int64_t count, size_t rank, Numbers shape, std::vector<Numbers> &shapes) {
  if (count == 1 && !shape.empty())
    shapes.push_back(shape);
  if (shape.size() == rank)
    return;
  for (int64_t extent = 1; extent <= count; ++extent)
    if (count % extent == 0) {
      Numbers next = shape;
      next.push_back(extent);
      addShapes(count / extent, rank, next, shapes);
    }
}

// permute(reshape(x)) is reshape(permute(x)) in the order that is found, and where none is found there is none.
TEST(TransposePlan, OrderThroughReshapeIsRightAndComplete) {
  for (int64_t count : {6, 8, 12}) {
    std::vector<Numbers> shapes;
    addShapes(count, 3, {}, shapes);
    Tile source, middle;
    source.elements.resize(count);
    std::iota(source.elements.begin(), source.elements.end(), 0);
    middle.elements = source.elements;
    for (const Numbers &from : shapes)
      for (const Numbers &to : shapes) {
        source.shape = from;
        middle.shape = to;
        Numbers order(to.size());
        std::iota(order.begin(), order.end(), 0);
        do {
          Numbers wanted = permute(middle, order).elements;
          std::optional<Numbers> found = orderThroughReshape(from, to, order);
          if (found) {
            EXPECT_EQ(permute(source, *found).elements, wanted);
            continue;
          }
          Numbers any(from.size());
          std::iota(any.begin(), any.end(), 0);
          do
            EXPECT_NE(permute(source, any).elements, wanted);
          while (std::next_permutation(any.begin(), any.end()));
        } while (std::next_permutation(order.begin(), order.end()));
      }
  }
}

// The example of the header: a move in a loop, against half of it for a second load.
TEST(TransposePlan, WeighsSecondLoadsAgainstMoves) {
  ParsedModule parsed(R"(
    !m = !tile.view<?x?xf16, strides = [?, 1]>
    func.func @f(%v: !m, %n: index) -> tensor<64x64xf16> {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %zero = arith.constant dense<0.0> : tensor<64x64xf16>
      %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf16>) {
        %x = tile.load %v[%i, %c0] : !m -> tensor<64x64xf16>
        %t = tile.permute %x [1, 0] : tensor<64x64xf16> -> tensor<64x64xf16>
        %a = arith.addf %t, %x : tensor<64x64xf16>
        %s = arith.addf %acc, %a : tensor<64x64xf16>
        scf.yield %s : tensor<64x64xf16>
      }
      return %r : tensor<64x64xf16>
    })");
  TransposeDecision decision = planTranspose(parsed.first<tile::PermuteOp>());
  EXPECT_EQ(decision.outcome, TransposeOutcome::Folded);
  EXPECT_EQ(decision.savedBytes, 8192 * 16);
  EXPECT_EQ(decision.costBytes, 8192 * 16 / 2);
  EXPECT_EQ(decision.countSecondLoads(), 1u);
  EXPECT_EQ(decision.count(TransposeAnswer::Move), 0u);
}

// Two products in front of one transpose: moving both is dearer than moving their sum.
TEST(TransposePlan, KeepsWhatWouldMoveMore) {
  ParsedModule parsed(R"(
    func.func @f(%a: tensor<16x32xf32>, %b: tensor<16x32xf32>) -> tensor<32x16xf32> {
      %s = arith.addf %a, %b : tensor<16x32xf32>
      %t = tile.permute %s [1, 0] : tensor<16x32xf32> -> tensor<32x16xf32>
      return %t : tensor<32x16xf32>
    })");
  TransposeDecision decision = planTranspose(parsed.first<tile::PermuteOp>());
  EXPECT_EQ(decision.outcome, TransposeOutcome::Kept);
  EXPECT_EQ(decision.reason, "stopped by arith.addf");
  EXPECT_EQ(decision.costBytes, 16 * 32 * 4);
}

// Before a cast to more bits there is less to move.
TEST(TransposePlan, MovesTheSmallerTile) {
  ParsedModule parsed(R"(
    func.func @f(%a: tensor<16x32xf16>) -> tensor<32x16xf32> {
      %s = arith.extf %a : tensor<16x32xf16> to tensor<16x32xf32>
      %t = tile.permute %s [1, 0] : tensor<16x32xf32> -> tensor<32x16xf32>
      return %t : tensor<32x16xf32>
    })");
  TransposeDecision decision = planTranspose(parsed.first<tile::PermuteOp>());
  EXPECT_EQ(decision.outcome, TransposeOutcome::Moved);
  EXPECT_EQ(decision.costBytes, 16 * 32 * 2);
  EXPECT_EQ(decision.savedBytes, 16 * 32 * 4);
}
