// SPDX-License-Identifier: Apache-2.0
#include "Svg.h"
#include "tilewright/Layout/Draw.h"
#include "tilewright/Layout/ElementPlaces.h"
#include "tilewright/Support/Counted.h"

#include <algorithm>

using namespace tilewright::layout;

static std::string listStr(const std::vector<int64_t> &values) {
  std::string text = "[";
  for (size_t i = 0; i < values.size(); ++i)
    text += (i ? ", " : "") + std::to_string(values[i]);
  return text + "]";
}

static std::string basesStr(const Bases &bases) {
  std::string text;
  for (const std::vector<int64_t> &basis : bases)
    text += (text.empty() ? "" : " ") + listStr(basis);
  return text.empty() ? "none" : text;
}

static std::string digitsStr(const std::vector<OuterDigit> &digits) {
  static const char *const names[] = {"register", "warp", "block"};
  std::string text;
  for (const OuterDigit &digit : digits) {
    text += text.empty() ? "" : "; ";
    text += std::string(names[int(digit.place)]) + " digit of " + std::to_string(digit.radix);
    text += digit.stride == 0 ? std::string(", copies")
                              : " x " + std::to_string(digit.stride) + " in dim " + std::to_string(digit.dim);
  }
  return text;
}

/// "rows 0 to 31 of 128", or "all 16 rows".
static std::string shownStr(const char *what, int64_t shown, int64_t all) {
  return shown == all ? "all " + std::to_string(all) + " " + what
                      : what + std::string(" 0 to ") + std::to_string(shown - 1) + " of " + std::to_string(all);
}

namespace {
/// What of a tile is drawn: one grid per slice, rows and columns of each.
struct Window {
  int64_t slices = 1, allSlices = 1;
  int64_t rows = 1, allRows = 1, columns = 1, allColumns = 1;
  bool isWrapped = false; ///< one dimension, cut into rows

  Window(const std::vector<int64_t> &shape, const DrawLimits &limits) {
    size_t rank = shape.size();
    if (rank == 1) {
      isWrapped = true;
      columns = allColumns = std::min(shape[0], limits.columns);
      allRows = (shape[0] + columns - 1) / columns;
    } else if (rank > 1) {
      allRows = shape[rank - 2];
      allColumns = shape[rank - 1];
      for (size_t dim = 0; dim + 2 < rank; ++dim)
        allSlices *= shape[dim];
    }
    rows = std::min(allRows, limits.rows);
    columns = std::min(allColumns, limits.columns);
    slices = std::min(allSlices, limits.slices);
  }

  /// Coordinates of a cell; outside the shape behind the end of a wrapped tile.
  Coord at(const std::vector<int64_t> &shape, int64_t slice, int64_t row, int64_t column) const {
    Coord coord(shape.size(), 0);
    if (isWrapped) {
      coord[0] = row * columns + column;
    } else if (shape.size() > 1) {
      coord[shape.size() - 2] = row;
      coord[shape.size() - 1] = column;
      for (size_t dim = shape.size() - 2; dim-- > 0; slice /= shape[dim])
        coord[dim] = slice % shape[dim];
    }
    return coord;
  }

  std::string str(int64_t elements) const {
    if (isWrapped)
      return rows == allRows ? "drawn: all " + tilewright::counted(elements, "element") + ", wrapped like text"
                             : "drawn: elements 0 to " + std::to_string(rows * columns - 1) + " of " +
                                   std::to_string(elements) + ", wrapped like text";
    std::string text = "drawn: ";
    if (allSlices > 1)
      text += shownStr("slices", slices, allSlices) + "; ";
    return text + shownStr("rows", rows, allRows) + "; " + shownStr("columns", columns, allColumns);
  }
};
} // namespace

std::string tilewright::layout::drawLayout(const DistributedLayout &layout, const std::string &title,
                                           const std::vector<std::string> &notes, const DrawLimits &limits) {
  const std::vector<int64_t> &shape = layout.shape();
  Window window(shape, limits);
  PlaceFinder finder(layout);
  SvgPage page;
  page.addTitle(title);
  for (const std::string &note : notes)
    page.addLine(note);
  page.addLine("w = warp, t = thread of the warp, r = register; bit j of each number adds the coordinates below "
               "(exclusive or)");
  page.addLine("register bits: " + basesStr(layout.registerBases()));
  page.addLine("thread bits: " + basesStr(layout.laneBases()));
  page.addLine("warp bits: " + basesStr(layout.warpBases()));
  if (layout.numBlocks() > 1)
    page.addLine("block bits: " + basesStr(layout.blockBases()));
  if (!layout.digits().empty())
    page.addLine("digits, added: " + digitsStr(layout.digits()));
  std::string facts = tilewright::counted(layout.numWarps(), "warp") + ", " +
                      tilewright::counted(layout.registersPerThread(), "register") + " per thread";
  if (layout.isRagged()) {
    std::vector<int64_t> padded;
    for (unsigned dim = 0; dim < layout.rank(); ++dim)
      padded.push_back(layout.paddedExtent(dim));
    facts += "; ragged: places for " + listStr(padded);
  }
  if (int64_t copies = finder.copies(); copies > 1)
    facts += "; each element is held " + std::to_string(copies) + " times, its owner is shown";
  page.addLine(facts);
  int64_t elements = 1;
  for (int64_t extent : shape)
    elements *= extent;
  page.addLine(window.str(elements));

  for (int64_t slice = 0; slice < window.slices; ++slice) {
    SvgGrid grid;
    if (window.allSlices > 1) {
      Coord first = window.at(shape, slice, 0, 0);
      for (size_t dim = 0; dim + 2 < shape.size(); ++dim)
        grid.heading += (dim ? ", " : "slice [") + std::to_string(first[dim]);
      grid.heading += ", :, :]";
    }
    for (int64_t column = 0; column < window.columns; ++column)
      grid.columnHeaders.push_back(std::to_string(column));
    for (int64_t row = 0; row < window.rows; ++row) {
      grid.rowHeaders.push_back(std::to_string(window.isWrapped ? row * window.columns : row));
      std::vector<SvgGrid::Cell> &cells = grid.rows.emplace_back();
      for (int64_t column = 0; column < window.columns; ++column) {
        Coord coord = window.at(shape, slice, row, column);
        if (!layout.isInside(coord))
          break; // Behind the end of a wrapped tile.
        ElementPlace place = finder.ownerOf(coord);
        std::string label = layout.numBlocks() > 1 ? "b" + std::to_string(place.block) + " " : "";
        label +=
            "w" + std::to_string(place.warp) + " t" + std::to_string(place.lane) + " r" + std::to_string(place.reg);
        // Neighbouring threads differ in strength: 13 steps through 32 of them.
        unsigned strength = 30 + place.lane * 13 % kWarpSize * 3;
        cells.push_back({label, colour(place.block * layout.numWarps() + place.warp,
                                       int64_t(layout.numWarps()) * layout.numBlocks(), strength)});
      }
    }
    page.addGrid(grid);
  }
  return page.str();
}
