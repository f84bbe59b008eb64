// SPDX-License-Identifier: Apache-2.0
#include "tilewright/Dialect/Tile/Transforms/DotPlan.h"
#include "tilewright/Dialect/TileGPU/IR/MmaTypes.h"

#include "mlir/IR/Builders.h"
#include "mlir/AsmParser/AsmParser.h"

#include <gtest/gtest.h>

using namespace tilewright;

namespace {
struct Types {
  ScalarType lhs, rhs, sum;
};
} // namespace

/// Every product that the language has; f32 is there as exact and as tf32.
static std::vector<Types> allTypes() {
  using S = ScalarType;
  std::vector<Types> types = {{S::F16, S::F16, S::F16},   {S::F16, S::F16, S::F32},  {S::BF16, S::BF16, S::F32},
                              {S::TF32, S::TF32, S::F32}, {S::F32, S::F32, S::F32},  {S::F64, S::F64, S::F64},
                              {S::I8, S::I8, S::I32}};
  for (S lhs : {S::F8E4M3FN, S::F8E5M2})
    for (S rhs : {S::F8E4M3FN, S::F8E5M2})
      for (S sum : {S::F16, S::F32})
        types.push_back({lhs, rhs, sum});
  return types;
}

static const Target &target(const char *name) { return *findTarget(name); }

/// All types, targets and majornesses, and extents around the borders of every instruction.
static void forEachQuery(llvm::function_ref<void(const DotQuery &, const Target &)> visit) {
  for (const Target &target : allTargets())
    for (const Types &types : allTypes())
      for (MmaMajor lhsMajor : {MmaMajor::Any, MmaMajor::K, MmaMajor::MN})
        for (MmaMajor rhsMajor : {MmaMajor::Any, MmaMajor::K, MmaMajor::MN})
          for (unsigned warps : {0, 2, 4, 8, 12, 16})
            for (int64_t m : {1, 16, 32, 48, 64, 96, 128, 192, 256})
              for (int64_t n : {1, 8, 16, 20, 24, 32, 40, 128, 208, 256, 264, 512})
                for (int64_t k : {8, 16, 20, 32}) {
                  DotQuery query;
                  query.lhs = types.lhs;
                  query.rhs = types.rhs;
                  query.sum = types.sum;
                  query.batch = m == 32 ? 2 : 1;
                  query.extents = {m, n, k};
                  query.lhsMajor = lhsMajor;
                  query.rhsMajor = rhsMajor;
                  query.isLhsComputed = n == 40;
                  query.warps = warps;
                  visit(query, target);
                }
}

// The rules of wgmma in other words than the table's.
static bool canWgmma(const DotQuery &q) {
  auto [m, n, k] = q.extents;
  bool is16 = q.lhs == ScalarType::F16 || q.lhs == ScalarType::BF16, isInt = q.lhs == ScalarType::I8;
  if (q.lhs == ScalarType::F32 || q.lhs == ScalarType::F64 || q.batch > 1 || m % 64 != 0)
    return false;
  if (k * scalarTypeBytes(q.lhs) % 32 != 0 || (q.warps != 0 && (q.warps % 4 != 0 || q.warps > 12)))
    return false;
  if (!is16 && ((q.lhsMajor == MmaMajor::MN && !q.isLhsComputed) || q.rhsMajor == MmaMajor::MN))
    return false;
  int64_t groups = q.warps / 4, blocks = m / 64, parts = 1;
  while (groups != 0 && parts * blocks % groups != 0) // The fewest parts of N such that each group has as much to do.
    ++parts;
  if (n % 8 != 0 || n % parts != 0)
    return false;
  for (int64_t width = 8; width <= 256; width += 8)
    if (n / parts % width == 0 && (!isInt || width <= 32 || width % 16 == 0))
      return true;
  return false;
}

TEST(DotPlan, WgmmaIsTriedByItsRules) {
  forEachQuery([](const DotQuery &query, const Target &target) {
    FamilyFit fit = fitFamily(query, target, MmaFamily::Wgmma);
    bool expected = target.name == "sm_90a" && canWgmma(query);
    ASSERT_EQ(fit.canCompute(), expected) << stringify(query.extents) << ' ' << scalarTypeName(query.lhs) << " warps "
                                          << query.warps << ": " << fit.obstacle();
    if (expected) {
      ASSERT_EQ(fit.padded, query.extents);
      ASSERT_EQ(fit.shape[0], 64);
    }
  });
}

TEST(DotPlan, ChosenIsTheFastestThatIsLoweredAndTheReasonSaysWhy) {
  forEachQuery([](const DotQuery &query, const Target &target) {
    DotPlan plan = planDot(query, target);
    const FamilyFit &chosen = plan.chosen;
    ASSERT_TRUE(chosen.canCompute() && chosen.costGate.empty() && chosen.isLowered);
    ASSERT_TRUE(hasMmaFamily(target, chosen.family));
    bool isFastest = true;
    for (const MmaFamilyRow &row : allMmaFamilies())
      if (row.family > chosen.family && hasMmaFamily(target, row.family)) {
        isFastest = false;
        // Each of them is named, and is not something that could have been emitted.
        ASSERT_NE(plan.reason.find(row.name), std::string::npos) << plan.reason;
        FamilyFit fit = fitFamily(query, target, row.family);
        ASSERT_FALSE(fit.canCompute() && fit.isLowered && row.paysFrom == 1);
      }
    ASSERT_EQ(plan.reason.empty(), isFastest) << plan.reason;
    for (unsigned dim = 0; dim < 3; ++dim) {
      ASSERT_EQ(chosen.padded[dim] % chosen.shape[dim], 0);
      ASSERT_GE(chosen.padded[dim], query.extents[dim]);
    }
    ASSERT_NE(chosen.lhsMajor, MmaMajor::Any);
    ASSERT_NE(chosen.rhsMajor, MmaMajor::Any);
  });
}

// The instructions of tcgen05, padded or not, are legal ones, and padding is never dearer than what it is weighed against.
TEST(DotPlan, TensorMemoryTakesWhatPays) {
  forEachQuery([](const DotQuery &query, const Target &target) {
    if (!hasMmaFamily(target, MmaFamily::Tcgen05))
      return;
    FamilyFit fit = fitFamily(query, target, MmaFamily::Tcgen05);
    if (!fit.canCompute())
      return;
    auto [m, n, k] = fit.shape;
    ASSERT_TRUE(m == 64 || m == 128);
    ASSERT_TRUE(n >= 8 && n <= 256 && n % (m == 128 ? 16 : 8) == 0) << n;
    ASSERT_EQ(k * scalarTypeBytes(query.lhs), 32);
    if (query.rhsMajor == MmaMajor::MN && scalarTypeBytes(query.lhs) == 1)
      ASSERT_EQ(n % 16, 0);
    std::string reason = planDot(query, target).reason;
    bool fits = reason.find("tcgen05 " + stringify(fit.shape) + " fits") != std::string::npos;
    int64_t clocks = fitFamily(query, target, MmaFamily::MmaSync).clocks;
    bool isPadded = fit.padded != query.extents;
    ASSERT_EQ(fits, query.extents[0] >= 32 && query.extents[1] >= 32 && !(isPadded && fit.clocks > clocks)) << reason;
  });
}

// The table and the instruction op agree on what mma.sync multiplies.
TEST(DotPlan, MmaSyncIsWhatTheInstructionOpTakes) {
  mlir::MLIRContext context;
  auto typeOf = [&](ScalarType type) { return mlir::parseType(scalarTypeName(type), &context); };
  unsigned count = 0;
  for (ScalarType lhs : {ScalarType::F16, ScalarType::BF16, ScalarType::TF32, ScalarType::F64, ScalarType::I8,
                         ScalarType::F8E4M3FN, ScalarType::F8E5M2})
    for (ScalarType rhs : {ScalarType::F16, ScalarType::BF16, ScalarType::TF32, ScalarType::F64, ScalarType::I8,
                           ScalarType::F8E4M3FN, ScalarType::F8E5M2})
      for (ScalarType sum : {ScalarType::F16, ScalarType::F32, ScalarType::F64, ScalarType::I32}) {
        DotQuery query;
        query.lhs = lhs;
        query.rhs = rhs;
        query.sum = sum;
        query.extents = {16, 8, 32};
        FamilyFit fit = fitFamily(query, target("sm_90a"), MmaFamily::MmaSync);
        bool isEmitted = tile_gpu::findMmaKind(typeOf(lhs), typeOf(rhs), typeOf(sum), false, false).has_value();
        EXPECT_EQ(fit.canCompute() && fit.isLowered, isEmitted)
            << scalarTypeName(lhs) << ' ' << scalarTypeName(rhs) << ' ' << scalarTypeName(sum);
        count += isEmitted;
      }
  EXPECT_EQ(count, 13u);
}

// The example of the header.
TEST(DotPlan, Example) {
  DotQuery query;
  query.lhs = query.rhs = ScalarType::F16;
  query.sum = ScalarType::F32;
  query.extents = {128, 256, 64};
  query.warps = 4;
  FamilyFit fit = fitFamily(query, target("sm_90a"), MmaFamily::Wgmma);
  EXPECT_EQ(stringify(fit.shape), "m64n256k16");
  EXPECT_EQ(fit.clocks, 1024);
  query.extents[0] = 96;
  EXPECT_EQ(fitFamily(query, target("sm_90a"), MmaFamily::Wgmma).obstacle(), "M is 96, not a multiple of 64");
}

// 128 rows are one instruction rather than two of 64; 64 are not padded to 128.
TEST(DotPlan, RowsOfTensorMemory) {
  DotQuery query;
  query.lhs = query.rhs = ScalarType::BF16;
  query.sum = ScalarType::F32;
  auto rows = [&](int64_t m) {
    query.extents = {m, 128, 64};
    return fitFamily(query, target("sm_100a"), MmaFamily::Tcgen05).shape[0];
  };
  EXPECT_EQ(rows(64), 64);
  EXPECT_EQ(rows(32), 64);
  EXPECT_EQ(rows(128), 128);
  EXPECT_EQ(rows(256), 128);
  EXPECT_EQ(rows(100), 128);
}
