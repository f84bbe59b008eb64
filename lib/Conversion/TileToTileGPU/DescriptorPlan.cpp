// SPDX-License-Identifier: Apache-2.0
#include "tilewright/Conversion/TileToTileGPU/DescriptorPlan.h"
#include "tilewright/Conversion/TileToTileGPU/LayoutPlan.h"
#include "tilewright/Dialect/Tile/Transforms/TmaPlan.h"
#include "tilewright/Layout/TmaBox.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile_gpu;

/// The layouts in which threads read what `load` gives: those behind conversions, by registers or by a buffer.
static std::vector<layout::DistributedLayout> findReaders(Value loaded) {
  std::vector<layout::DistributedLayout> readers;
  auto add = [&](Value tile) {
    layout::DistributedLayout layout = layoutOf(tile.getType()).toLayout();
    if (layout.shape() == tileType(loaded).getShape().vec() && !llvm::is_contained(readers, layout))
      readers.push_back(layout);
  };
  for (Operation *user : loaded.getUsers()) {
    if (auto convert = dyn_cast<ConvertLayoutOp>(user))
      add(convert.getResult());
    else if (auto store = dyn_cast<LocalStoreOp>(user))
      for (Operation *reader : store.getBuffer().getUsers())
        if (auto read = dyn_cast<LocalLoadOp>(reader))
          add(read.getResult());
  }
  if (readers.empty())
    add(loaded);
  return readers;
}

static FailureOr<DescriptorSpec> planDescriptor(Operation *access, const AlignmentAnalysis &alignment) {
  auto refuse = [&](const Twine &why) { return access->emitOpError() << "is marked tile.tma, but " << why; };
  std::optional<TmaShape> shape = TmaShape::of(access, alignment);
  assert(shape && "checkTmaMarks lets none through");
  auto load = dyn_cast<tile::LoadOp>(access);
  Value tile = load ? load.getResult() : cast<tile::StoreOp>(access).getValue();
  // The order of the tile's own dimensions; those of the view that it does not walk have boxes of one element.
  std::vector<unsigned> order;
  for (unsigned dim : shape->order)
    if (const int64_t *walked = llvm::find(shape->walked, static_cast<int64_t>(dim)); walked != shape->walked.end())
      order.push_back(walked - shape->walked.begin());
  std::vector<layout::DistributedLayout> layouts =
      load ? findReaders(tile) : std::vector{layoutOf(tile.getType()).toLayout()};
  std::optional<layout::TmaBoxChoice> choice =
      layout::chooseTmaBox(layouts, order, elementBytes(tileType(tile).getElementType()));
  if (!choice || !llvm::is_contained(shape->walked, static_cast<int64_t>(shape->order[0])))
    return refuse("no box of the tile has rows of a multiple of 16 bytes");
  DescriptorSpec spec;
  spec.access = access;
  spec.view = shape->view;
  spec.swizzle = choice->swizzle;
  for (unsigned dim : shape->order) {
    spec.order.push_back(dim);
    const int64_t *walked = llvm::find(shape->walked, static_cast<int64_t>(dim));
    spec.box.push_back(walked == shape->walked.end() ? 1 : choice->box[walked - shape->walked.begin()]);
  }
  spec.memory = describeMemory(shape->view);
  return spec;
}

FailureOr<std::vector<DescriptorSpec>> tilewright::planDescriptors(func::FuncOp func, const Target &target) {
  SmallVector<Operation *> accesses;
  func.walk([&](Operation *op) {
    if (op->hasAttr("tile.tma"))
      accesses.push_back(op);
  });
  std::vector<DescriptorSpec> specs;
  if (accesses.empty())
    return specs;
  if (failed(checkTmaMarks(func, target)))
    return failure();
  AlignmentAnalysis alignment(func);
  for (Operation *access : accesses) {
    FailureOr<DescriptorSpec> spec = planDescriptor(access, alignment);
    if (failed(spec))
      return failure();
    specs.push_back(std::move(*spec));
  }
  return specs;
}
