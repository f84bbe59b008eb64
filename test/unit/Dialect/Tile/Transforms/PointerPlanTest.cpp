// SPDX-License-Identifier: Apache-2.0
#include "tilewright/Dialect/Tile/Transforms/PointerPlan.h"
#include "ParsedModule.h"

#include <gtest/gtest.h>

using namespace tilewright;
using plantest::ParsedModule;

static std::vector<PointerDecision> plan(ParsedModule &parsed) {
  AlignmentAnalysis analysis(parsed.func());
  AffineTiles tiles(analysis);
  return planPointers(parsed.func(), analysis, tiles);
}

// The example of the header: the view begins at p in every iteration.
TEST(PointerPlan, AdvancedPointerUnderWhatIsLeft) {
  ParsedModule parsed(R"(
    func.func @f(%p: !tile.ptr<f32>, %n: i32, %s: i32) {
      %c0 = arith.constant 0 : i32
      %c1 = arith.constant 1 : i32
      %c32 = arith.constant 32 : i32
      %i = tile.iota : tensor<32xi32>
      %ss = tile.splat %s : i32 -> tensor<32xi32>
      %is = arith.muli %i, %ss overflow<nsw> : tensor<32xi32>
      %ps = tile.splat %p : !tile.ptr<f32> -> tensor<32x!tile.ptr<f32>>
      %q0 = tile.ptr_add %ps, %is : tensor<32x!tile.ptr<f32>>, tensor<32xi32>
      %step = arith.muli %s, %c32 overflow<nsw> : i32
      %steps = tile.splat %step : i32 -> tensor<32xi32>
      %x = arith.constant dense<1.0> : tensor<32xf32>
      scf.for %k = %c0 to %n step %c1 iter_args(%q = %q0) -> (tensor<32x!tile.ptr<f32>>) : i32 {
        %done = arith.muli %k, %c32 overflow<nsw> : i32
        %left = arith.subi %n, %done overflow<nsw> : i32
        %ls = tile.splat %left : i32 -> tensor<32xi32>
        %m = arith.cmpi slt, %i, %ls : tensor<32xi32>
        tile.store_ptr %x, %q mask %m : tensor<32x!tile.ptr<f32>>
        %next = tile.ptr_add %q, %steps : tensor<32x!tile.ptr<f32>>, tensor<32xi32>
        scf.yield %next : tensor<32x!tile.ptr<f32>>
      }
      return
    })");
  std::vector<PointerDecision> decisions = plan(parsed);
  ASSERT_EQ(decisions.size(), 1u);
  const PointerDecision &decision = decisions[0];
  ASSERT_TRUE(decision.isRaised) << decision.reason;
  EXPECT_EQ(decision.base, parsed.func().getArgument(0));
  EXPECT_TRUE(decision.offset.isZero());
  ASSERT_EQ(decision.dims.size(), 1u);
  EXPECT_EQ(decision.dims[0].stride.terms.size(), 1u);
  EXPECT_EQ(decision.dims[0].start.terms.begin()->second, 32);
  ASSERT_EQ(decision.dims[0].bounds.size(), 1u);
  EXPECT_EQ(decision.dims[0].bounds[0].terms.begin()->second, 1);
}

/// A load at `start + iota` of i32 under `mask`, with `%n` and `%start` as parameters of the given facts.
static PointerDecision planLoad(const std::string &facts, const std::string &body) {
  ParsedModule parsed("func.func @f(%p: !tile.ptr<f32>, %n: i32 {" + facts + "}, %start: i32 {" + facts + R"(}) {
      %iota = tile.iota : tensor<32xi32>
      %ss = tile.splat %start : i32 -> tensor<32xi32>
      %ns = tile.splat %n : i32 -> tensor<32xi32>
      )" + body + R"(
      %ps = tile.splat %p : !tile.ptr<f32> -> tensor<32x!tile.ptr<f32>>
      %q = tile.ptr_add %ps, %i : tensor<32x!tile.ptr<f32>>, tensor<32xi32>
      %x = tile.load_ptr %q mask %m : tensor<32x!tile.ptr<f32>>
      tile.store_ptr %x, %ps : tensor<32x!tile.ptr<f32>>
      return
    })");
  return plan(parsed)[0];
}

TEST(PointerPlan, NeedsProofsThatRangesCanGive) {
  const char *sum = R"(%i = arith.addi %iota, %ss : tensor<32xi32>
      %m = arith.cmpi slt, %i, %ns : tensor<32xi32>)";
  EXPECT_FALSE(planLoad("", sum).isRaised);
  EXPECT_TRUE(planLoad("tile.min = 0 : i64, tile.max = 1000 : i64", sum).isRaised);
  // Large enough to wrap.
  EXPECT_FALSE(planLoad("tile.min = 0 : i64", sum).isRaised);
  // No wrap, but indices below 0, which the mask lets through and a view would not.
  EXPECT_FALSE(planLoad("tile.min = -5 : i64, tile.max = 1000 : i64", sum).isRaised);
}

TEST(PointerPlan, ComparesInEveryDirection) {
  std::string facts = "tile.min = 0 : i64, tile.max = 1000 : i64";
  for (const char *mask : {"slt, %i, %ns", "sle, %i, %ns", "sgt, %ns, %i", "sge, %ns, %i", "ult, %i, %ns",
                           "ule, %i, %ns", "ugt, %ns, %i", "uge, %ns, %i"}) {
    PointerDecision decision =
        planLoad(facts, std::string("%i = arith.addi %iota, %ss : tensor<32xi32>\n %m = arith.cmpi ") + mask +
                            " : tensor<32xi32>");
    ASSERT_TRUE(decision.isRaised) << mask << ": " << decision.reason;
    ASSERT_EQ(decision.dims[0].bounds.size(), 1u);
    bool allowsEqual = std::string(mask)[2] == 'e';
    EXPECT_EQ(decision.dims[0].bounds[0].terms.count({}), allowsEqual ? 1u : 0u) << mask;
  }
  // Always true: in bounds without a check.
  PointerDecision always = planLoad(facts, "%i = arith.addi %iota, %ss : tensor<32xi32>\n"
                                           "%c = arith.constant dense<5000> : tensor<32xi32>\n"
                                           "%m = arith.cmpi slt, %i, %c : tensor<32xi32>");
  ASSERT_TRUE(always.isRaised) << always.reason;
  EXPECT_FALSE(always.dims[0].isChecked());
}
