// SPDX-License-Identifier: Apache-2.0
// What a reduction or scan leaves of a layout once each warp has done its part, and layouts in which it leaves less to others.
#include "LowerToBuffers.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile_gpu;

LayoutAttr tilewright::partialLayout(LayoutAttr layout, unsigned dim) {
  layout::DistributedLayout from = layout.toLayout();
  auto without = [&](layout::Bases bases, bool dropZero) {
    layout::Bases kept;
    for (layout::Coord &basis : bases) {
      basis[dim] = 0;
      if (!dropZero || llvm::any_of(basis, [](int64_t x) { return x != 0; }))
        kept.push_back(basis);
    }
    return kept;
  };
  layout::Bases warp = from.warpBases();
  std::vector<int64_t> shape = from.shape();
  // Where each position begins in the source: one that begins outside of the tile has no element, and is left outside
  // of the result too.
  SmallVector<int64_t> begins{0};
  auto repeat = [&](int64_t radix, int64_t stride) {
    SmallVector<int64_t> all;
    for (int64_t value = 0; value < radix; ++value)
      for (int64_t begin : begins)
        all.push_back(begin + value * stride);
    begins = all;
  };
  shape[dim] = 1;
  for (layout::Coord &basis : warp)
    if (basis[dim] != 0) {
      repeat(2, basis[dim]);
      basis[dim] = shape[dim];
      shape[dim] *= 2;
    }
  std::vector<layout::OuterDigit> digits;
  for (const layout::OuterDigit &digit : from.digits()) {
    if (digit.dim != dim || digit.stride == 0) { // Stride 0: warps that hold copies.
      digits.push_back(digit);
    } else if (digit.place == layout::OuterDigit::Place::Warp) {
      repeat(digit.radix, digit.stride);
      digits.push_back({dim, digit.radix, shape[dim], digit.place});
      shape[dim] *= digit.radix;
    }
  }
  // Where positions rise with the coordinates that they begin at, those with elements come first.
  if (!llvm::is_sorted(begins) && *llvm::max_element(begins) >= from.shape()[dim])
    return {};
  shape[dim] = llvm::count_if(begins, [&](int64_t begin) { return begin < from.shape()[dim]; });
  std::string error;
  auto result = layout::DistributedLayout::create(shape, without(from.registerBases(), true),
                                                  without(from.laneBases(), false), warp, from.blockBases(), digits,
                                                  &error);
  assert(result && "what is left of a layout is a layout");
  return LayoutAttr::get(layout.getContext(), *result);
}

LayoutAttr tilewright::gatheredLayout(LayoutAttr partial, unsigned dim) {
  layout::DistributedLayout from = partial.toLayout();
  layout::Bases reg = from.registerBases(), warp = from.warpBases();
  for (layout::Coord &basis : warp)
    if (basis[dim] != 0) {
      layout::Coord moved(basis.size(), 0);
      moved[dim] = basis[dim];
      basis[dim] = 0;
      reg.push_back(moved);
    }
  std::vector<layout::OuterDigit> digits;
  for (const layout::OuterDigit &digit : from.digits()) {
    bool moves = digit.dim == dim && digit.stride != 0 && digit.place == layout::OuterDigit::Place::Warp;
    digits.push_back(moves ? layout::OuterDigit{0, digit.radix, 0, digit.place} : digit); // Stride 0: copies.
    if (moves)
      digits.push_back({dim, digit.radix, digit.stride, layout::OuterDigit::Place::Register});
  }
  std::string error;
  auto result = layout::DistributedLayout::create(from.shape(), reg, from.laneBases(), warp, from.blockBases(),
                                                  digits, &error);
  assert(result && "moving bases keeps a layout a layout");
  return LayoutAttr::get(partial.getContext(), *result);
}

LayoutAttr tilewright::exchangedLayout(LayoutAttr layout, unsigned dim, RegisterExchange exchange) {
  layout::DistributedLayout from = layout.toLayout();
  layout::Bases reg = from.registerBases(), lane = from.laneBases(), warp = from.warpBases();
  auto isNothing = [&](const layout::Coord &basis) { return llvm::all_of(basis, [](int64_t x) { return x == 0; }); };
  SmallVector<layout::Coord *> given, taken;
  for (layout::Coord &basis : exchange.ofLanes ? lane : warp)
    if (basis[dim] != 0)
      given.push_back(&basis);
  for (layout::Coord &basis : reg)
    if (basis[dim] == 0 && !isNothing(basis))
      taken.push_back(&basis);
  if (exchange.count == 0 || given.size() < exchange.count || taken.size() < exchange.count)
    return {};
  if (exchange.highestFirst)
    std::reverse(taken.begin(), taken.end());
  for (unsigned index = 0; index < exchange.count; ++index)
    std::swap(*given[index], *taken[index]);
  std::optional<layout::DistributedLayout> result =
      layout::DistributedLayout::create(from.shape(), reg, lane, warp, from.blockBases(), from.digits());
  return result ? LayoutAttr::get(layout.getContext(), *result) : LayoutAttr();
}
