// SPDX-License-Identifier: Apache-2.0
/// \file
/// A page of SVG that grids are drawn on: lines of text and cells, below one another. Apart from the pictures because
/// it knows no layout.
#ifndef TILEWRIGHT_LIB_LAYOUT_SVG_H
#define TILEWRIGHT_LIB_LAYOUT_SVG_H

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace tilewright::layout {

/// "#rrggbb". `hue` of `hues` equal steps around the colour circle; `strength` from 0 (white) to 255 (full).
std::string colour(int64_t hue, int64_t hues, unsigned strength);

/// A grid of equal cells with a label each, and headers.
struct SvgGrid {
  struct Cell {
    std::string label; ///< empty: no text
    std::string fill;  ///< empty: nothing is drawn
  };
  std::string heading;
  std::vector<std::string> columnHeaders, rowHeaders;
  std::vector<std::vector<Cell>> rows; ///< [row][column]
};

/// Collects a page from the top down.
class SvgPage {
public:
  void addTitle(const std::string &text);
  void addLine(const std::string &text);
  void addGrid(const SvgGrid &grid);
  /// The whole file.
  std::string str() const;

private:
  void addText(int64_t x, int64_t baseline, const std::string &text, const char *attributes);
  std::string body;
  int64_t width = 0, height = 8;
};

} // namespace tilewright::layout

#endif // TILEWRIGHT_LIB_LAYOUT_SVG_H
