// SPDX-License-Identifier: Apache-2.0
// Which extents can change, as a decision: programs in, classes out.
#include "tilewright/Dialect/Tile/Transforms/ExtentPlan.h"
#include "ParsedModule.h"

#include "llvm/Support/FormatVariadic.h"
#include <gtest/gtest.h>

using namespace tilewright;
using plantest::ParsedModule;

/// One program per block of 32 elements of a view, with `body` on the tile %v at %i.
static std::string blockKernel(const std::string &body, const std::string &grid = "arith.ceildivsi %n, %c32 : index") {
  return R"(
    !v = !tile.view<?xf32, strides = [1]>
    func.func @k(%x: !v {tile.name = "x"}, %y: !v {tile.name = "y"}) attributes {tile.kernel, tile.grid = @g} {
      %c0 = arith.constant 0 : index
      %c32 = arith.constant 32 : index
      %p = tile.program_id x
      %i = arith.muli %p, %c32 : index
      %v = tile.load %x[%i] : !v -> tensor<32xf32>
      )" +
         body + R"(
      return
    }
    func.func @g(%x: !v, %y: !v) -> index {
      %c32 = arith.constant 32 : index
      %n = tile.view_size %x, 0 : !v
      %t = )" +
         grid + R"(
      return %t : index
    })";
}

static KernelExtents planOf(ParsedModule &parsed) {
  mlir::func::FuncOp kernel = parsed.func();
  splitSharedTiles(kernel);
  return planExtents(kernel, parsed.module->lookupSymbol<mlir::func::FuncOp>("g"));
}

TEST(ExtentPlan, OneClassThroughElementwiseOps) {
  ParsedModule parsed(blockKernel(R"(%w = arith.negf %v : tensor<32xf32>
      tile.store %w, %y[%i] : tensor<32xf32>, !v)"));
  KernelExtents plan = planOf(parsed);
  ASSERT_EQ(plan.classes.size(), 1u);
  const ExtentClass &only = plan.classes[0];
  EXPECT_EQ(only.names, (llvm::SmallVector<std::string>{"x.0", "y.0"}));
  EXPECT_EQ(only.extent, 32);
  EXPECT_EQ(only.dims.size(), 2u);
  EXPECT_EQ(only.numbers.size(), 1u);
  EXPECT_EQ(plan.products.size(), 1u);
  // y may be longer than what is walked, which does not matter for divisors where that is whole blocks of 32.
  EXPECT_EQ(only.requirements.size(), 1u);
  for (int64_t extent : {1, 16, 31, 48}) {
    ASSERT_EQ(launchConditions(only, extent).size(), 1u) << extent;
    EXPECT_EQ(launchConditions(only, extent)[0].requirement, &only.requirements[0]);
    EXPECT_EQ(launchConditions(only, extent)[0].orWhole, 32 % extent == 0) << extent;
  }
  EXPECT_TRUE(launchConditions(only, 32).empty());
  for (int64_t extent : {1, 16, 31, 32, 48, 1000})
    EXPECT_FALSE(reasonAgainst(only, extent)) << extent;
}

TEST(ExtentPlan, WhatIsStoredWhereTheWalkEndsNeedsNothing) {
  ParsedModule parsed(blockKernel("tile.store %v, %x[%i] : tensor<32xf32>, !v"));
  KernelExtents plan = planOf(parsed);
  ASSERT_EQ(plan.classes.size(), 1u);
  EXPECT_TRUE(plan.classes[0].requirements.empty());
}

TEST(ExtentPlan, PinsAndDivisors) {
  ParsedModule parsed(blockKernel(R"(%iota = tile.iota : tensor<32xi32>
      %f = arith.sitofp %iota : tensor<32xi32> to tensor<32xf32>
      tile.store %f, %y[%i] : tensor<32xf32>, !v)"));
  KernelExtents plan = planOf(parsed);
  const ExtentClass &last = plan.classes.back();
  ASSERT_TRUE(last.pin);
  EXPECT_EQ(last.pin.op->getName().getStringRef(), "arith.sitofp");
  EXPECT_TRUE(reasonAgainst(last, 16));
  EXPECT_FALSE(reasonAgainst(last, 32)); // What is asked for is what there is.
  ExtentClass divisors;
  divisors.extent = 24;
  divisors.onlyDivisors = {parsed.func(), "says so"};
  for (int64_t extent = 1; extent <= 60; ++extent)
    EXPECT_EQ(bool(reasonAgainst(divisors, extent)), 24 % extent != 0) << extent;
}

// A grid that is no number of blocks of this extent.
TEST(ExtentPlan, GridsThatDoNotCount) {
  for (const char *grid : {"arith.divsi %n, %c32 : index", "arith.addi %n, %c32 : index", "arith.constant 3 : index"}) {
    ParsedModule parsed(blockKernel("tile.store %v, %y[%i] : tensor<32xf32>, !v", grid));
    KernelExtents plan = planOf(parsed);
    ASSERT_EQ(plan.classes.size(), 1u);
    EXPECT_TRUE(plan.classes[0].pin) << grid;
  }
}

TEST(ExtentPlan, CopiesOfSharedTilesAreMerged) {
  ParsedModule parsed(blockKernel(R"(%one = arith.constant dense<1.0> : tensor<32xf32>
      %a = arith.addf %v, %one : tensor<32xf32>
      %b = arith.addf %one, %one : tensor<32xf32>)"));
  auto countConstants = [&] {
    unsigned count = 0;
    parsed.func().walk([&](mlir::arith::ConstantOp op) { count += mlir::isa<mlir::RankedTensorType>(op.getType()); });
    return count;
  };
  auto copies = splitSharedTiles(parsed.func());
  EXPECT_EQ(copies.size(), 2u);
  EXPECT_EQ(countConstants(), 3u);
  mergeSharedTiles(copies);
  EXPECT_EQ(countConstants(), 1u);
}

TEST(ExtentPlan, Requests) {
  auto parse = [](llvm::StringRef text) { return parseExtentRequest(text); };
  EXPECT_EQ(parse("M:128"), std::make_pair(llvm::StringRef("M"), int64_t(128)));
  EXPECT_EQ(parse("x.0#1:7"), std::make_pair(llvm::StringRef("x.0#1"), int64_t(7)));
  for (const char *bad : {"", "M", "M:", ":3", "M:0", "M:-1", "M:x", "M:65537", "M:1 "})
    EXPECT_FALSE(parse(bad)) << bad;
}
