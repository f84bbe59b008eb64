// SPDX-License-Identifier: Apache-2.0
#include "Svg.h"
#include "tilewright/Layout/Draw.h"
#include "tilewright/Support/Counted.h"

#include <algorithm>

using namespace tilewright::layout;

// Source: CUDA programming guide, shared memory of compute capability 5.x and later.
constexpr int64_t kBanks = 32, kBankBytes = 4;
/// Elements of one colour: what one thread moves at most in one access.
constexpr int64_t kColumnBytes = 16;

static std::string coordStr(const Coord &coord, unsigned runDim, int64_t run) {
  std::string text;
  for (unsigned dim = 0; dim < coord.size(); ++dim) {
    text += (dim ? "," : "") + std::to_string(coord[dim]);
    if (dim == runDim && run > 1)
      text += "-" + std::to_string(coord[dim] + run - 1);
  }
  return text.empty() ? "0" : text; // A tile of rank 0 has one element.
}

/// Coordinates of the elements at `count` offsets from `first` on that lie inside the shape; neighbours along the
/// fastest dimension are one run.
static std::string labelOf(const SharedLayout &layout, int64_t first, int64_t count, std::optional<Coord> &firstCoord) {
  unsigned fastest = layout.fastestDim();
  std::string text;
  std::optional<Coord> begin;
  int64_t run = 0;
  auto flush = [&] {
    if (begin)
      text += (text.empty() ? "" : " ") + coordStr(*begin, fastest, run);
    begin.reset();
  };
  for (int64_t offset = first; offset < first + count; ++offset) {
    std::optional<Coord> coord = layout.elementAt(offset);
    for (unsigned dim = 0; coord && dim < layout.rank(); ++dim)
      if ((*coord)[dim] >= layout.shape()[dim])
        coord.reset();
    if (begin && coord && layout.rank() > 0) {
      Coord next = *begin;
      next[fastest] += run;
      if (next == *coord) {
        ++run;
        continue;
      }
    }
    flush();
    begin = coord;
    run = 1;
    if (coord && !firstCoord)
      firstCoord = coord;
  }
  flush();
  return text;
}

static std::string describe(const SharedLayout &layout) {
  std::string text = "dimensions, fastest first:";
  for (unsigned dim : layout.order())
    text += " " + std::to_string(dim);
  const Swizzle &swizzle = layout.swizzle();
  if (!swizzle.isNone())
    text += "; swizzle: vectors of " + tilewright::counted(swizzle.vec, "element") + ", number xor (row / " +
            std::to_string(swizzle.perPhase) + " mod " + std::to_string(swizzle.maxPhase) + ")";
  else if (layout.matrix())
    text += "; swizzle: matrix " + layout.matrix()->str();
  else
    text += "; no swizzle";
  if (layout.padding().isNone())
    return text + "; no padding";
  return text + "; padding: " + tilewright::counted(layout.padding().amount, "element") + " after each " +
         std::to_string(layout.padding().interval);
}

std::string tilewright::layout::drawShared(const SharedLayout &layout, unsigned elementBytes, const std::string &title,
                                           const std::vector<std::string> &notes, const DrawLimits &limits) {
  int64_t cellBytes = std::max<int64_t>(kBankBytes, elementBytes), perCell = cellBytes / elementBytes;
  int64_t columns = kBanks * kBankBytes / cellBytes;
  int64_t elements = layout.allocatedElements(), bytes = elements * elementBytes;
  int64_t allRows = (elements + columns * perCell - 1) / (columns * perCell), rows = std::min(allRows, limits.rows);
  unsigned fastest = layout.fastestDim();
  int64_t perColumn = std::max<int64_t>(1, kColumnBytes / elementBytes);
  int64_t hues = layout.rank() == 0 ? 1 : (layout.shape()[fastest] + perColumn - 1) / perColumn;
  // More hues than this cannot be told apart; a row of them has 128 bytes.
  hues = std::min<int64_t>(hues, 8);

  SvgPage page;
  page.addTitle(title);
  for (const std::string &note : notes)
    page.addLine(note);
  page.addLine(describe(layout));
  page.addLine(tilewright::counted(bytes, "byte") + "; a column is " +
               (cellBytes == kBankBytes ? std::string("a bank of 4 bytes")
                                        : std::to_string(cellBytes / kBankBytes) + " banks of 4 bytes each") +
               ", a line has 128 bytes; a colour is a column of " + tilewright::counted(perColumn, "element") +
               " of the tile");
  page.addLine("drawn: " + (rows == allRows
                                ? "all " + tilewright::counted(allRows, "line")
                                : "lines 0 to " + std::to_string(rows - 1) + " of " + std::to_string(allRows)));
  SvgGrid grid;
  for (int64_t column = 0; column < columns; ++column)
    grid.columnHeaders.push_back("bank " + std::to_string(column * cellBytes / kBankBytes));
  for (int64_t row = 0; row < rows; ++row) {
    grid.rowHeaders.push_back("byte " + std::to_string(row * kBanks * kBankBytes));
    std::vector<SvgGrid::Cell> &cells = grid.rows.emplace_back();
    for (int64_t column = 0; column < columns; ++column) {
      int64_t first = (row * columns + column) * perCell;
      if (first >= elements)
        break;
      std::optional<Coord> coord;
      std::string label = labelOf(layout, first, perCell, coord);
      int64_t hue = coord && layout.rank() > 0 ? (*coord)[fastest] / perColumn % hues : 0;
      cells.push_back({label, coord ? colour(hue, hues, 90) : "#e8e8e8"});
    }
  }
  page.addGrid(grid);
  return page.str();
}
