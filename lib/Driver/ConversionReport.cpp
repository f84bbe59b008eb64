// SPDX-License-Identifier: Apache-2.0
#include "Internal.h"
#include "tilewright/Conversion/TileToTileGPU/LayoutMoves.h"

using namespace mlir;
using namespace tilewright;

static auto factsOf(const ConversionReport &c) {
  return std::tie(c.location, c.tile, c.kind, c.reason, c.cycles, c.sharedBytes, c.writeConflicts, c.readConflicts,
                  c.readsMatrices);
}

std::vector<ConversionReport> driver::collectConversions(ModuleOp module) {
  std::vector<ConversionReport> all;
  for (auto func : module.getOps<func::FuncOp>()) {
    std::vector<ConversionReport> own;
    for (const LayoutMove &move : collectLayoutMoves(func)) {
      ConversionReport facts{describePlace(move.op->getLoc()),
                             move.tileStr(),
                             move.kindStr(),
                             move.reason,
                             move.cycles,
                             move.sharedBytes,
                             move.writes.conflicts,
                             move.reads.conflicts,
                             move.readsMatrices,
                             1,
                             {}};
      auto known = llvm::find_if(own, [&](const ConversionReport &c) { return factsOf(c) == factsOf(facts); });
      if (known == own.end())
        own.push_back(std::move(facts));
      else
        ++known->count;
    }
    for (ConversionReport &facts : own) {
      auto known = llvm::find_if(
          all, [&](const ConversionReport &c) { return factsOf(c) == factsOf(facts) && c.count == facts.count; });
      if (known == all.end())
        known = all.insert(all.end(), std::move(facts));
      known->variants.push_back(func.getSymName().str());
    }
  }
  return all;
}
