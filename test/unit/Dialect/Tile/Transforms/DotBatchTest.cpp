// SPDX-License-Identifier: Apache-2.0
#include "tilewright/Dialect/Tile/Transforms/DotBatch.h"
#include "ParsedModule.h"

#include <gtest/gtest.h>

using namespace tilewright;
using plantest::ParsedModule;

static BatchQuery queryOf(ScalarType operand, ScalarType sum, MmaShape extents, unsigned count, unsigned warps) {
  BatchQuery query;
  query.dot.lhs = query.dot.rhs = operand;
  query.dot.sum = sum;
  query.dot.extents = extents;
  query.dot.warps = warps;
  query.count = query.lhsCount = query.rhsCount = count;
  int64_t bytes = operand == ScalarType::F32 ? 4 : 2;
  query.lhsBytes = extents[0] * extents[2] * bytes;
  query.rhsBytes = extents[2] * extents[1] * bytes;
  query.sumBytes = extents[0] * extents[1] * 4;
  return query;
}

static BatchCost costOf(const BatchQuery &query, const char *target) {
  const Target &gpu = *findTarget(target);
  std::optional<BatchCost> cost = weighBatch(query, planDot(query.dot, gpu).chosen, gpu);
  EXPECT_TRUE(cost);
  return cost.value_or(BatchCost());
}

// The worked example of the header: a step whose sums stay stacked, and the last one.
TEST(DotBatch, TwoStepsOfBlocks) {
  BatchQuery query = queryOf(ScalarType::F32, ScalarType::F32, {16, 16, 16}, 2, 4);
  query.splitsSums = false;
  EXPECT_EQ(costOf(query, "sm_90a").apart, 2 * (32 + 116 + 116));
  EXPECT_EQ(costOf(query, "sm_90a").together, 64 + 132 + 132);
  query.splitsSums = true;
  EXPECT_EQ(costOf(query, "sm_90a").together, 64 + 132 + 132 + 2 * 116);
  query.joinsSums = true;
  EXPECT_EQ(costOf(query, "sm_90a").together, 64 + 132 + 132 + 2 * 116 + 132);
}

// An operand that both products have is moved once as it is, but stacked twice.
TEST(DotBatch, SharedOperands) {
  BatchQuery query = queryOf(ScalarType::F32, ScalarType::F32, {16, 16, 16}, 2, 4);
  query.rhsCount = 1;
  EXPECT_EQ(costOf(query, "sm_90a").apart, 2 * 32 + 3 * 116);
  EXPECT_EQ(costOf(query, "sm_90a").together, 64 + 132 + 132 + 2 * 116);
}

// Warps without an instruction of their own repeat what others do, and schedulers without a warp do nothing.
TEST(DotBatch, IdleWarps) {
  const Target &gpu = *findTarget("sm_80");
  for (auto [batch, warps, clocks] : {std::tuple(1, 0, 4), {1, 1, 16}, {1, 2, 8}, {1, 4, 8}, {1, 8, 16}, {2, 1, 32},
                                      {2, 2, 16}, {2, 4, 8}, {2, 8, 16}, {4, 8, 16}, {8, 8, 32}, {1, 32, 64}}) {
    DotQuery query = queryOf(ScalarType::F16, ScalarType::F32, {16, 16, 16}, 2, warps).dot;
    query.batch = batch;
    EXPECT_EQ(clocksWithIdleWarps(query, fitFamily(query, gpu, MmaFamily::MmaSync)), clocks) << batch << " " << warps;
  }
}

// More products never pay less, as long as they are of one size, and never for large sums.
TEST(DotBatch, Pays) {
  for (const char *target : {"sm_80", "sm_90a", "sm_100a"})
    for (unsigned warps : {1, 4, 8})
      for (int64_t extent : {8, 16, 32, 64, 128}) {
        bool paid = false;
        for (unsigned count = 2; count <= 16; ++count) {
          BatchCost cost =
              costOf(queryOf(ScalarType::F32, ScalarType::F32, {extent, extent, extent}, count, warps), target);
          EXPECT_TRUE(!paid || cost.together < cost.apart) << target << " " << warps << " " << extent << " " << count;
          paid = cost.together < cost.apart;
        }
        EXPECT_EQ(paid, extent <= 32) << target << " " << warps << " " << extent;
      }
}

// Families that pay from 32 rows and columns on take several small products as blocks of a diagonal.
TEST(DotBatch, Diagonals) {
  auto diagonalOf = [](MmaShape extents, unsigned count, const char *target) {
    const Target &gpu = *findTarget(target);
    BatchQuery query = queryOf(ScalarType::F16, ScalarType::F32, extents, count, 4);
    return planDiagonal(query, planDot(query.dot, gpu).chosen, gpu);
  };
  std::optional<DiagonalProduct> diagonal = diagonalOf({16, 16, 16}, 2, "sm_100a");
  ASSERT_TRUE(diagonal);
  EXPECT_EQ(diagonal->fit.family, MmaFamily::Tcgen05);
  EXPECT_EQ(diagonal->fit.padded, (MmaShape{64, 32, 16}));
  EXPECT_EQ(diagonal->cost.apart, 2 * (8 + 108 + 108));
  EXPECT_EQ(diagonal->cost.together, 16 + 116 + 116 + 132);
  EXPECT_FALSE(diagonalOf({16, 16, 16}, 2, "sm_90a"));  // wgmma takes every multiple of its instruction
  EXPECT_FALSE(diagonalOf({32, 32, 16}, 2, "sm_100a")); // large enough alone
  EXPECT_FALSE(diagonalOf({8, 16, 16}, 2, "sm_100a"));  // too small together
  EXPECT_TRUE(diagonalOf({8, 16, 16}, 4, "sm_100a"));
}

static std::string functionOf(const std::string &body) {
  return R"(func.func @f(%a: tensor<16x16xf32>, %b: tensor<16x16xf32>, %c: tensor<16x16xf32>, %d: tensor<16x16xf32>)
      -> (tensor<16x16xf32>, tensor<16x16xf32>) {
      %zero = arith.constant dense<0.0> : tensor<16x16xf32>
      )" +
         body + "\n return %x, %y : tensor<16x16xf32>, tensor<16x16xf32>\n}";
}

static std::string dot(const char *result, const char *lhs, const char *rhs, const char *acc = "%zero") {
  return std::string(result) + " = tile.dot " + lhs + ", " + rhs + ", " + acc +
         " : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>\n";
}

/// Counts of products, of each step of each group.
static std::vector<std::vector<size_t>> groupsOf(const std::string &body) {
  ParsedModule parsed(functionOf(body));
  std::vector<std::vector<size_t>> counts;
  for (const DotBatch &batch : planDotBatches(parsed.func(), *findTarget("sm_90a"), 4)) {
    counts.emplace_back();
    for (auto &step : batch.steps)
      counts.back().push_back(step.size());
  }
  return counts;
}

TEST(DotBatch, Groups) {
  using Counts = std::vector<std::vector<size_t>>;
  EXPECT_EQ(groupsOf(dot("%x", "%a", "%b") + dot("%y", "%c", "%d")), (Counts{{2}}));
  // One needs the other: as operand, as sum, and through something else.
  EXPECT_EQ(groupsOf(dot("%x", "%a", "%b") + dot("%y", "%c", "%x")), Counts{});
  EXPECT_EQ(groupsOf(dot("%x", "%a", "%b") + dot("%y", "%c", "%d", "%x")), Counts{});
  EXPECT_EQ(groupsOf(dot("%x", "%a", "%b") + "%n = arith.negf %x : tensor<16x16xf32>\n" + dot("%y", "%n", "%d")),
            Counts{});
  // Two steps: sums that go on product by product stay stacked; used in another order or elsewhere, too, they are cut.
  std::string first = dot("%p", "%a", "%b") + dot("%q", "%c", "%d");
  EXPECT_EQ(groupsOf(first + dot("%x", "%a", "%p") + dot("%y", "%b", "%q")), (Counts{{2, 2}}));
  EXPECT_EQ(groupsOf(first + dot("%x", "%a", "%q") + dot("%y", "%b", "%p")), (Counts{{2}, {2}}));
  EXPECT_EQ(groupsOf(first + dot("%x", "%a", "%p") + dot("%y", "%q", "%b")), (Counts{{2}, {2}}));
  EXPECT_EQ(groupsOf(first + dot("%x", "%p", "%p") + dot("%y", "%q", "%q")), (Counts{{2}, {2}}));
  // A product between two that do not need it.
  EXPECT_EQ(groupsOf(dot("%p", "%a", "%b") + dot("%x", "%p", "%d") + dot("%y", "%c", "%d")), (Counts{{2}}));
}
