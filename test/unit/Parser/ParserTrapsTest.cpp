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

/// `text` so many times.
static std::string repeat(const std::string &text, int count) {
  std::string all;
  for (int i = 0; i < count; ++i)
    all += text;
  return all;
}

TEST(ParserTrapsTest, DeepNesting) {
  for (const char *bracket : {"(", "[", "{", "tuple<", "module {\n"}) {
    EXPECT_EQ(placeOf(repeat(bracket, 256)), -1);
    EXPECT_EQ(placeOf(repeat(bracket, 257)), int64_t(257 * std::string(bracket).size() - 1 - (bracket[0] == 'm')));
  }
  EXPECT_EQ(findParserTrap(repeat("[", 300))->message,
            "expected at most 256 brackets in one another, found 257 with what aliases stand for");
  EXPECT_EQ(placeOf(repeat("f() -> (tensor<4xf32>) { [] }\n", 1000)), -1);
  EXPECT_EQ(placeOf("\"" + repeat("[", 1000) + "\" // " + repeat("[", 1000)), -1);
  // One level per alias.
  std::string chain = "!a0 = tuple<i32>\n";
  for (int i = 0; i < 300; ++i)
    chain += "!a" + std::to_string(i + 1) + " = tuple<!a" + std::to_string(i) + ">\n";
  EXPECT_NE(placeOf(chain), -1);
  EXPECT_EQ(placeOf(chain.substr(0, chain.find("!a256 ="))), -1);
}

TEST(ParserTrapsTest, LongAffineMaps) {
  EXPECT_EQ(placeOf("affine_map<(d0) -> (" + repeat("d0 + ", 1024) + "d0)>"), -1);
  EXPECT_EQ(placeOf("affine_map<(d0) -> (" + repeat("d0 + ", 1025) + "d0)>"), 20 + 1025 * 5 - 2);
  EXPECT_NE(placeOf("#m = affine_map<(d0) -> (" + repeat("-", 2000) + "d0)>"), -1);
  EXPECT_EQ(placeOf(repeat("affine_map<(d0) -> (d0 + 1 - 2)> [-1, -2]", 2000)), -1);
  EXPECT_EQ(placeOf("affine_map<(d0) -> (d0)> " + repeat("-1, ", 2000)), -1);
}

TEST(ParserTrapsTest, AliasesThatGrow) {
  auto chain = [](int length, const std::string &between) {
    std::string text = "!a0 = tuple<i32,\n i32>\n";
    for (int i = 0; i < length; ++i)
      text += "!a" + std::to_string(i + 1) + " =\n tuple<!a" + std::to_string(i) + ", !a" + std::to_string(i) + ">" + between;
    return text;
  };
  EXPECT_NE(placeOf(chain(40, "\n")), -1);
  EXPECT_NE(placeOf(chain(40, " ")), -1);
  EXPECT_EQ(placeOf(chain(10, "\n")), -1);
  // What follows a definition is no part of it, and size alone is fine.
  std::string modules;
  for (int i = 0; i < 50; ++i)
    modules += "!a" + std::to_string(i + 1) + " = vector<4xf32>\n" + repeat("foo(!a" + std::to_string(i) + ")\n", 100);
  EXPECT_EQ(placeOf(modules), -1);
  EXPECT_EQ(placeOf("#a = dense<[" + repeat("1, ", 2000000) + "1]> : tensor<2000001xi8>\n#b = 1 : i8"), -1);
}

TEST(ParserTrapsTest, TheFirstOfSeveralIsReported) {
  const std::string array = "array<index: 1> ", vector = "vector.from_elements vector<2097152xf32> ";
  EXPECT_EQ(placeOf(array + vector), 6);
  EXPECT_EQ(placeOf(vector + array), 21);
}
