// SPDX-License-Identifier: Apache-2.0
/// \file
/// Pictures of layouts: who holds which element of a tile, and which bank holds which element of a buffer.
///
/// A picture is the text of an SVG file: plain rectangles and labels, no scripts, the same bytes for the same layout. A
/// tile is drawn as its last two dimensions; those before are slices, one grid below the other; one dimension alone is
/// wrapped like text. Large tiles are cut, and the picture says so. A buffer is drawn as shared memory is built: 32
/// banks of 4 bytes across, one line per 128 bytes.
///
/// This is apart from the layouts because nothing that compiles needs it.
#ifndef TILEWRIGHT_LAYOUT_DRAW_H
#define TILEWRIGHT_LAYOUT_DRAW_H

#include "tilewright/Layout/SharedLayout.h"

namespace tilewright::layout {

/// How much of a tile or a buffer a picture shows, each at least 1.
struct DrawLimits {
  int64_t rows = 32, columns = 32; ///< of each grid
  int64_t slices = 2;              ///< grids
};

/// Each element once, labelled by the place that owns it: "w0 t5 r3" is register 3 of thread 5 of warp 0; blocks ("b1
/// ") are named where there are several. The colour tells warps by hue and threads by strength. Title and notes, one
/// line each, stand above; what must be valid UTF-8 in them is the caller's care.
std::string drawLayout(const DistributedLayout &layout, const std::string &title,
                       const std::vector<std::string> &notes = {}, const DrawLimits &limits = {});

/// Each bank word (or each element, where it is wider) once, labelled by the coordinates of the elements in it:
/// "3,20-23" are four neighbours of row 3. The colour tells the 16-byte column that the first element belongs to before
/// any swizzle. Swizzle and padding are spelled out. Of the limits only the rows count.
std::string drawShared(const SharedLayout &layout, unsigned elementBytes, const std::string &title,
                       const std::vector<std::string> &notes = {}, const DrawLimits &limits = {});

} // namespace tilewright::layout

#endif // TILEWRIGHT_LAYOUT_DRAW_H
