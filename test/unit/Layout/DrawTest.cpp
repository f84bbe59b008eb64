// SPDX-License-Identifier: Apache-2.0
#include "tilewright/Layout/Draw.h"
#include "RandomLayout.h"

#include <gtest/gtest.h>

#include <map>
#include <regex>
#include <set>

using namespace tilewright::layout;
using namespace tilewright::layout::test;

namespace {

/// The texts inside `<g class="labels" ..>`, in order.
std::vector<std::string> labelsOf(const std::string &svg) {
  std::vector<std::string> labels;
  static const std::string kOpen = "<g class=\"labels\"";
  for (size_t at = svg.find(kOpen); at != std::string::npos; at = svg.find(kOpen, at + 1)) {
    std::string group = svg.substr(at, svg.find("</g>", at) - at);
    static const std::regex kText("<text [^>]*>([^<]*)</text>");
    for (std::sregex_iterator it(group.begin(), group.end(), kText), end; it != end; ++it)
      labels.push_back((*it)[1]);
  }
  return labels;
}

size_t count(const std::string &text, const std::string &part) {
  size_t found = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++found;
  return found;
}

/// Opened elements are closed, in order, and no stray markup is in texts: what an XML parser would insist on.
void expectBalanced(const std::string &svg) {
  std::vector<std::string> open;
  for (size_t at = svg.find('<'); at != std::string::npos; at = svg.find('<', at + 1)) {
    size_t end = svg.find('>', at);
    ASSERT_NE(end, std::string::npos);
    std::string tag = svg.substr(at + 1, end - at - 1);
    ASSERT_EQ(tag.find('<'), std::string::npos) << tag;
    std::string name = tag.substr(0, tag.find_first_of(" /"));
    if (tag[0] == '/') {
      ASSERT_FALSE(open.empty());
      EXPECT_EQ(open.back(), tag.substr(1));
      open.pop_back();
    } else if (tag.back() != '/') {
      open.push_back(name);
    }
    EXPECT_EQ(count(tag, "\"") % 2, 0u) << tag;
  }
  EXPECT_TRUE(open.empty());
}

std::string labelOf(const DistributedLayout &layout, int64_t reg, unsigned lane, unsigned warp, unsigned block) {
  return (layout.numBlocks() > 1 ? "b" + std::to_string(block) + " " : "") + "w" + std::to_string(warp) + " t" +
         std::to_string(lane) + " r" + std::to_string(reg);
}

// Without limits the labels are the owners of all elements, each once: ragged, digits, replicas, any rank.
TEST(DrawLayout, DrawsEachElementOncePerOwner) {
  RandomLayouts random(5);
  for (int round = 0; round < 120; ++round) {
    RandomOptions options;
    options.maxRank = 8;
    options.maxCoreBits = 7;
    options.blockBits = round % 2;
    DistributedLayout layout = random.make(options);
    const int64_t all = int64_t(1) << 20;
    std::string svg = drawLayout(layout, "tile", {}, {all, all, all});
    std::multiset<std::string> drawn, owners;
    for (const std::string &label : labelsOf(svg))
      drawn.insert(label);
    forEachPlace(layout, [&](int64_t reg, unsigned lane, unsigned warp, unsigned block) {
      if (layout.isOwner(reg, lane, warp, block) && layout.isInside(layout.coordinates(reg, lane, warp, block)))
        owners.insert(labelOf(layout, reg, lane, warp, block));
    });
    ASSERT_EQ(drawn, owners) << layout.str();
    expectBalanced(svg);
  }
}

TEST(DrawLayout, DrawsElementsInRowMajorOrder) {
  auto layout = DistributedLayout::create({12, 16}, {{0, 1}}, {{0, 2}, {0, 4}, {0, 8}, {1, 0}, {2, 0}}, {}, {},
                                          {{0, 3, 4, OuterDigit::Place::Register}});
  ASSERT_TRUE(layout);
  std::string svg = drawLayout(*layout, "the example of the header");
  std::vector<std::string> labels = labelsOf(svg);
  ASSERT_EQ(labels.size(), 12u * 16u);
  EXPECT_EQ(labels[9 * 16 + 11], "w0 t13 r5");
  EXPECT_NE(svg.find("register digit of 3 x 4 in dim 0"), std::string::npos);
  EXPECT_NE(svg.find("drawn: all 12 rows; all 16 columns"), std::string::npos);
}

TEST(DrawLayout, CutsLargeTilesAndSaysSo) {
  DistributedLayout layout = makeBlocked({4, 128, 64}, {1, 1, 4}, {2, 1, 0}, 4);
  std::string svg = drawLayout(layout, "tile");
  EXPECT_EQ(labelsOf(svg).size(), 2u * 32u * 32u);
  EXPECT_NE(svg.find("drawn: slices 0 to 1 of 4; rows 0 to 31 of 128; columns 0 to 31 of 64"), std::string::npos);
  EXPECT_NE(svg.find("slice [1, :, :]"), std::string::npos);
  EXPECT_LT(svg.size(), 200000u);
}

TEST(DrawLayout, WrapsOneDimension) {
  DistributedLayout layout = makeBlocked({100}, {4}, {0}, 1);
  std::string svg = drawLayout(layout, "row", {}, {2, 32, 1});
  EXPECT_EQ(labelsOf(svg).size(), 64u);
  EXPECT_NE(svg.find("drawn: elements 0 to 63 of 100, wrapped like text"), std::string::npos);
  std::string whole = drawLayout(layout, "row");
  EXPECT_EQ(labelsOf(whole).size(), 100u);
  EXPECT_NE(whole.find("ragged: places for [128]"), std::string::npos);
}

TEST(DrawLayout, SaysHowOftenAnElementIsHeld) {
  DistributedLayout layout = makeBlocked({16}, {1}, {0}, 2);
  EXPECT_NE(drawLayout(layout, "few").find("each element is held 4 times"), std::string::npos);
}

TEST(DrawLayout, EscapesTextsAndIsTheSameEachTime) {
  DistributedLayout layout = makeBlocked({16}, {1}, {0}, 1);
  std::string svg = drawLayout(layout, "a<b> & \"c\"\n", {"note <1>"});
  EXPECT_NE(svg.find("a&lt;b&gt; &amp; &quot;c&quot;?"), std::string::npos);
  expectBalanced(svg);
  EXPECT_EQ(svg, drawLayout(layout, "a<b> & \"c\"\n", {"note <1>"}));
}

/// Reads "3,20-23 4,7" back into coordinates.
std::vector<Coord> readLabel(const std::string &label) {
  std::vector<Coord> coords;
  std::stringstream words(label);
  for (std::string word; words >> word;) {
    std::vector<Coord> product = {{}};
    std::stringstream parts(word);
    for (std::string part; std::getline(parts, part, ',');) {
      int64_t first = std::stoll(part), last = first;
      if (size_t dash = part.find('-'); dash != std::string::npos)
        last = std::stoll(part.substr(dash + 1));
      std::vector<Coord> longer;
      for (const Coord &coord : product)
        for (int64_t value = first; value <= last; ++value) {
          longer.push_back(coord);
          longer.back().push_back(value);
        }
      product = longer;
    }
    coords.insert(coords.end(), product.begin(), product.end());
  }
  return coords;
}

// Every element of the shape is in one word, whatever its size, swizzle and padding.
TEST(DrawShared, DrawsEachElementOnce) {
  LinearMap matrix(6, 6);
  for (unsigned bit = 0; bit < 6; ++bit)
    matrix.setColumn(bit, uint64_t(3) << bit & 63);
  std::vector<std::optional<SharedLayout>> layouts = {
      SharedLayout::makeRowMajor({3, 5, 7}, {2, 1, 0}),
      SharedLayout::create({8, 60}, {8, 64}, {1, 0}, {8, 1, 8}),
      SharedLayout::create({16, 24}, {16, 24}, {0, 1}, {2, 2, 4}),
      SharedLayout::create({8, 16}, {8, 16}, {1, 0}, {}, matrix),
      SharedLayout::create({8, 16}, {8, 16}, {1, 0}, {}, std::nullopt, {16, 3}),
      SharedLayout::makeRowMajor({77}, {0}),
      SharedLayout::makeRowMajor({1, 2, 1, 3, 1, 2, 2, 3}, {7, 5, 6, 3, 4, 1, 2, 0}),
  };
  for (const std::optional<SharedLayout> &layout : layouts)
    for (unsigned bytes : {1u, 2u, 4u, 8u, 16u}) {
      ASSERT_TRUE(layout);
      std::string svg = drawShared(*layout, bytes, "buffer", {}, {1 << 20, 1, 1});
      std::map<Coord, int> seen;
      for (const std::string &label : labelsOf(svg))
        for (const Coord &coord : readLabel(label))
          ++seen[coord];
      int64_t elements = 1;
      for (int64_t extent : layout->shape())
        elements *= extent;
      EXPECT_EQ(int64_t(seen.size()), elements) << layout->str() << " of " << bytes;
      for (const auto &[coord, times] : seen) {
        EXPECT_EQ(times, 1);
        for (unsigned dim = 0; dim < layout->rank(); ++dim)
          EXPECT_LT(coord[dim], layout->shape()[dim]);
      }
      expectBalanced(svg);
    }
}

// The example of SharedLayout.h: (3, 20) of 8x64 f16 is element 204, in the upper half of... word 102, line 3, bank 6.
TEST(DrawShared, ShowsTheSwizzle) {
  auto layout = SharedLayout::create({8, 64}, {8, 64}, {1, 0}, {8, 1, 8});
  ASSERT_TRUE(layout);
  std::string svg = drawShared(*layout, 2, "buffer");
  EXPECT_EQ(labelsOf(svg)[102], "3,20-21");
  EXPECT_NE(svg.find("swizzle: vectors of 8 elements, number xor (row / 1 mod 8)"), std::string::npos);
  EXPECT_NE(svg.find("no padding"), std::string::npos);
}

TEST(DrawShared, CutsLargeBuffersAndSaysSo) {
  auto layout = SharedLayout::create({128, 64}, {128, 64}, {1, 0}, {}, std::nullopt, {64, 4});
  ASSERT_TRUE(layout);
  std::string svg = drawShared(*layout, 4, "buffer", {"a note"});
  // Two lines of 32 words and four words of padding per row of 64.
  EXPECT_NE(svg.find("drawn: lines 0 to 31 of 272"), std::string::npos);
  EXPECT_NE(svg.find("padding: 4 elements after each 64"), std::string::npos);
  EXPECT_NE(svg.find("a note"), std::string::npos);
  EXPECT_LT(svg.size(), 120000u);
}

} // namespace
