// SPDX-License-Identifier: Apache-2.0
// Texts that MLIR's parser must not see, however they are written, and their nearest neighbours, which it may.
#include "tilewright/Parser/ParseProgram.h"

#include <gtest/gtest.h>

using namespace tilewright;

/// The offset of the trap, or -1.
static int64_t placeOf(llvm::StringRef text) {
  std::optional<ParserTrap> trap = findParserTrap(text);
  return trap ? int64_t(trap->offset) : -1;
}

TEST(ParserTrapsTest, DenseArraysOfIndex) {
  EXPECT_EQ(placeOf("array<index: 1>"), 6);
  EXPECT_EQ(placeOf("{a = array <\n  index>}"), 15);
  EXPECT_EQ(placeOf("array // of\n < // what\n index : 1>"), 24);
  EXPECT_EQ(placeOf("!i = index\n!j = !i\narray<!j: 1>"), 25);
  EXPECT_EQ(findParserTrap("array<index: 1>")->message,
            "expected a dense array of integers or floating-point numbers, found 'index'");
  for (const char *harmless :
       {"array<i64: 1>", "\"array<index>\"", "// array<index>\n", "memref<index>", "my.array<index>", "@array<index>",
        "array index <", "!i = i64\narray<!i: 1>", "\"\\\"array<index>\"", "array<indexes>", "", "array", "array<"})
    EXPECT_EQ(placeOf(harmless), -1) << harmless;
}

TEST(ParserTrapsTest, EndlessVectors) {
  const std::string op = "%v = vector.from_elements %a : ";
  EXPECT_EQ(placeOf(op + "vector<9223372036854775807xf32>"), int64_t(op.size()));
  EXPECT_EQ(placeOf(op + "vector<1024x1025xf32>"), int64_t(op.size()));
  EXPECT_EQ(placeOf(op + "vector<4294967296x[4294967296]x2xf32>"), int64_t(op.size()));
  EXPECT_EQ(placeOf(op + "vector < 99999999999999999999999 // extent\n x f32>"), int64_t(op.size()));
  EXPECT_EQ(placeOf("!v = vector<2097152xf32>\n" + op + "!v"), 5);
  EXPECT_EQ(placeOf("\"vector.from\\5Felements\"(%a) : (f32) -> vector<2097152xf32>"), 40);
  EXPECT_EQ(placeOf("%a:2 = vector.to_elements %v : vector<2097152xf32>"), 31);
  EXPECT_EQ(findParserTrap(op + "vector<1024x1025xf32>")->message,
            "expected a vector of at most 1048576 elements in a program with 'vector.from_elements', found 1049600");
  EXPECT_EQ(placeOf(op + "vector<1024x1024xf32>"), -1);
  EXPECT_EQ(placeOf(op + "vector<0x9223372036854775807xf32>"), -1);
  EXPECT_EQ(placeOf(op + "tensor<9223372036854775807xf32>"), -1);
  EXPECT_EQ(placeOf("arith.addf %a, %b : vector<9223372036854775807xf32>"), -1);
  EXPECT_EQ(placeOf("// vector.from_elements\nvector<9223372036854775807xf32>"), -1);
}

TEST(ParserTrapsTest, TheFirstOfSeveralIsReported) {
  const std::string array = "array<index: 1> ", vector = "vector.from_elements vector<2097152xf32> ";
  EXPECT_EQ(placeOf(array + vector), 6);
  EXPECT_EQ(placeOf(vector + array), 21);
}
