// SPDX-License-Identifier: Apache-2.0
#include "Svg.h"

#include <algorithm>
#include <map>

using namespace tilewright::layout;

// Pixels. The font is monospaced; its characters are six tenths of its size wide.
constexpr int64_t kMargin = 8, kLineHeight = 15, kCellHeight = 16, kFontSize = 10;

static int64_t textWidth(const std::string &text, int64_t fontSize) { return int64_t(text.size()) * fontSize * 6 / 10; }

/// For XML; what no XML may contain becomes a question mark.
static std::string escape(const std::string &text) {
  std::string result;
  for (char c : text)
    switch (c) {
    case '&':
      result += "&amp;";
      break;
    case '<':
      result += "&lt;";
      break;
    case '>':
      result += "&gt;";
      break;
    case '"':
      result += "&quot;";
      break;
    default:
      result += (unsigned char)c < 0x20 || c == 0x7f ? '?' : c;
    }
  return result;
}

std::string tilewright::layout::colour(int64_t hue, int64_t hues, unsigned strength) {
  int64_t position = hues > 0 ? hue * 1536 / hues % 1536 : 0, rise = position % 256, fall = 255 - rise;
  const int64_t pure[6][3] = {{255, rise, 0}, {fall, 255, 0}, {0, 255, rise},
                              {0, fall, 255}, {rise, 0, 255}, {255, 0, fall}};
  std::string text = "#";
  for (int64_t channel : pure[position / 256]) {
    int64_t mixed = 255 - (255 - channel) * int64_t(strength) / 255;
    text += "0123456789abcdef"[mixed / 16];
    text += "0123456789abcdef"[mixed % 16];
  }
  return text;
}

void SvgPage::addText(int64_t x, int64_t baseline, const std::string &text, const char *attributes) {
  body += "<text x=\"" + std::to_string(x) + "\" y=\"" + std::to_string(baseline) + "\"" + attributes + ">" +
          escape(text) + "</text>\n";
}

void SvgPage::addTitle(const std::string &text) {
  addText(kMargin, height + kLineHeight - 2, text, " font-size=\"13\" font-weight=\"bold\"");
  width = std::max(width, kMargin + textWidth(text, 13));
  height += kLineHeight + 4;
}

void SvgPage::addLine(const std::string &text) {
  addText(kMargin, height + kLineHeight - 4, text, "");
  width = std::max(width, kMargin + textWidth(text, kFontSize));
  height += kLineHeight;
}

void SvgPage::addGrid(const SvgGrid &grid) {
  height += 6;
  if (!grid.heading.empty())
    addLine(grid.heading);
  int64_t headerWidth = 0, cellWidth = 12;
  for (const std::string &header : grid.rowHeaders)
    headerWidth = std::max(headerWidth, textWidth(header, kFontSize));
  for (const std::string &header : grid.columnHeaders)
    cellWidth = std::max(cellWidth, textWidth(header, kFontSize) + 6);
  for (const auto &row : grid.rows)
    for (const SvgGrid::Cell &cell : row)
      cellWidth = std::max(cellWidth, textWidth(cell.label, kFontSize) + 6);
  int64_t left = kMargin + headerWidth + 6, columns = grid.columnHeaders.size();
  auto centre = [&](int64_t column) { return left + column * cellWidth + cellWidth / 2; };

  body += "<g class=\"headers\" fill=\"#555555\" text-anchor=\"middle\">\n";
  for (size_t column = 0; column < grid.columnHeaders.size(); ++column)
    addText(centre(column), height + kCellHeight - 5, grid.columnHeaders[column], "");
  body += "</g>\n<g class=\"headers\" fill=\"#555555\" text-anchor=\"end\">\n";
  height += kCellHeight;
  for (size_t row = 0; row < grid.rowHeaders.size(); ++row)
    addText(left - 4, height + int64_t(row + 1) * kCellHeight - 5, grid.rowHeaders[row], "");
  body += "</g>\n";

  // One path per colour keeps the file small.
  std::map<std::string, std::string> paths;
  for (size_t row = 0; row < grid.rows.size(); ++row)
    for (size_t column = 0; column < grid.rows[row].size(); ++column) {
      columns = std::max(columns, int64_t(column) + 1);
      const std::string &fill = grid.rows[row][column].fill;
      if (!fill.empty())
        paths[fill] += "M" + std::to_string(left + int64_t(column) * cellWidth) + " " +
                       std::to_string(height + int64_t(row) * kCellHeight) + "h" + std::to_string(cellWidth) + "v" +
                       std::to_string(kCellHeight) + "h-" + std::to_string(cellWidth) + "z";
    }
  body += "<g class=\"cells\" stroke=\"#888888\" stroke-width=\"0.5\">\n";
  for (const auto &[fill, path] : paths)
    body += "<path fill=\"" + fill + "\" d=\"" + path + "\"/>\n";
  body += "</g>\n<g class=\"labels\" text-anchor=\"middle\">\n";
  for (size_t row = 0; row < grid.rows.size(); ++row)
    for (size_t column = 0; column < grid.rows[row].size(); ++column)
      if (!grid.rows[row][column].label.empty())
        addText(centre(column), height + int64_t(row + 1) * kCellHeight - 5, grid.rows[row][column].label, "");
  body += "</g>\n";
  width = std::max(width, left + columns * cellWidth);
  height += int64_t(grid.rows.size()) * kCellHeight;
}

std::string SvgPage::str() const {
  std::string w = std::to_string(width + kMargin), h = std::to_string(height + kMargin);
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + w + "\" height=\"" + h + "\" viewBox=\"0 0 " + w + " " +
         h + "\" font-family=\"monospace\" font-size=\"" + std::to_string(kFontSize) +
         "\">\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n" + body + "</svg>\n";
}
