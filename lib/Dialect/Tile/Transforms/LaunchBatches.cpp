// SPDX-License-Identifier: Apache-2.0
#include "tilewright/Dialect/Tile/Transforms/LaunchBatches.h"
#include "GridRewrite.h"
#include "tilewright/Analysis/KernelAccess.h"
#include "tilewright/Support/LaunchPlan.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilewright;

/// Bytes of one parameter of a launch: every slot counts as 64 bits.
static constexpr int64_t kSlotBytes = 8;
/// Expressions that a slot of the plan may cost beside the grids, itself included: guards of variants ask whether
/// strides are 1 and what divides addresses, sizes and strides, by at most six operations, and each variant joins the
/// answers anew.
static constexpr int64_t kExprsPerSlot = 8;

SmallVector<size_t> tilewright::splitEvenly(size_t count, size_t most) {
  size_t numChunks = llvm::divideCeil(count, most);
  SmallVector<size_t> chunks;
  for (size_t i = 0; i < numChunks; ++i)
    chunks.push_back(count / numChunks + (i < count % numChunks));
  return chunks;
}

static int64_t slotsOf(Type type) {
  auto view = dyn_cast<tile::ViewType>(type);
  return view ? 1 + llvm::count_if(view.getShape(), ShapedType::isDynamic) +
                    llvm::count_if(view.getStrides(), ShapedType::isDynamic)
              : 1;
}

/// True if two values of a host function cannot lead to the same memory.
static bool areApart(Value a, Value b, func::FuncOp host) {
  BlockArgument first = parameterOf(a, &host.front()), second = parameterOf(b, &host.front());
  if (!first || !second || first == second)
    return false;
  return host.getArgAttr(first.getArgNumber(), "tile.noalias") ||
         host.getArgAttr(second.getArgNumber(), "tile.noalias");
}

/// The parameter by which the first launch may write what the second touches; nothing if there is none.
static std::optional<unsigned> findConflict(tile::LaunchOp first, tile::LaunchOp second,
                                            ArrayRef<ParameterAccess> accesses, func::FuncOp host) {
  auto isMemory = [](Value value) { return isa<tile::PtrType, tile::ViewType>(value.getType()); };
  for (auto [p, written] : llvm::enumerate(first.getArgs()))
    for (auto [q, touched] : llvm::enumerate(second.getArgs()))
      if (isMemory(written) && isMemory(touched) && accesses[p].isWritten &&
          (accesses[q].isWritten || accesses[q].isRead) && !areApart(written, touched, host))
        return p;
  return std::nullopt;
}

/// Why launches of a kernel cannot be merged at all; empty if they can.
static std::string findObstacle(func::FuncOp kernel, func::FuncOp grid) {
  if (!grid)
    return "the kernel has no grid";
  if (grid.getNumResults() == 3)
    return "the grid has three axes, so there is none left to select the launch";
  if (Operation *query = findDeviceQuery(grid))
    return llvm::formatv("the kernel cannot evaluate its grid, which has a {0}", query->getName()).str();
  if (std::string obstacle = findObstacleInBody(kernel); !obstacle.empty())
    return obstacle;
  if (!llvm::hasSingleElement(kernel.getBody()))
    return "the kernel has control flow between blocks";
  if (kernel->hasAttr("tile.requires"))
    return "the kernel requires something of each launch";
  return "";
}

/// Fills in what is shared and how many go together.
static void planChunks(LaunchBatch &batch, func::FuncOp grid, int64_t maxBytes) {
  tile::LaunchOp first = batch.launches.front();
  batch.shared.resize(first.getArgs().size());
  int64_t ownSlots = 0, sharedSlots = 0, ownParams = 0;
  for (auto [p, value] : llvm::enumerate(first.getArgs())) {
    batch.shared[p] = llvm::all_of(
        batch.launches, [&, p = p, value = value](tile::LaunchOp launch) { return launch.getArgs()[p] == value; });
    (batch.shared[p] ? sharedSlots : ownSlots) += slotsOf(value.getType());
    ownParams += !batch.shared[p];
  }
  batch.bytesPerLaunch = ownSlots * kSlotBytes;
  batch.sharedBytes = sharedSlots * kSlotBytes;
  int64_t sharedParams = int64_t(batch.shared.size()) - ownParams;
  auto most = [](int64_t room, int64_t each) { return each == 0 ? room : room / each; };
  int64_t gridOps = std::distance(grid.front().begin(), grid.front().end()) + grid.getNumResults();
  int64_t count =
      std::min({most(maxBytes - batch.sharedBytes, batch.bytesPerLaunch),
                most(int64_t(PlanLimits::kParams) - sharedParams, ownParams),
                most(int64_t(PlanLimits::kLaunchArgs) - sharedSlots, ownSlots),
                most(int64_t(PlanLimits::kExprs) - sharedSlots * kExprsPerSlot, ownSlots * kExprsPerSlot + gridOps),
                // The grid's extents along y and z.
                PlanLimits::kGridZ});
  if (count < 2) {
    batch.reason = llvm::formatv("two need {0} bytes of parameters, at most {1} are allowed",
                                 2 * batch.bytesPerLaunch + batch.sharedBytes, maxBytes)
                       .str();
    return;
  }
  batch.chunks = splitEvenly(batch.launches.size(), count);
}

SmallVector<LaunchBatch> tilewright::planLaunchBatches(func::FuncOp host, int64_t maxBytes, SymbolTable &symbols) {
  SmallVector<LaunchBatch> batches;
  SmallVector<tile::LaunchOp> launches(host.front().getOps<tile::LaunchOp>());
  for (size_t begin = 0; begin < launches.size();) {
    auto kernel = symbols.lookup<func::FuncOp>(launches[begin].getKernel());
    LaunchBatch batch;
    batch.launches.push_back(launches[begin]);
    size_t end = begin + 1;
    if (!kernel || kernel.isExternal()) {
      begin = end;
      continue;
    }
    SmallVector<ParameterAccess> accesses = findParameterAccesses(kernel);
    bool isBeside = writesBesideParameters(kernel);
    std::string conflict;
    for (; end < launches.size() && launches[end].getKernel() == launches[begin].getKernel(); ++end) {
      for (size_t earlier = begin; earlier < end && conflict.empty(); ++earlier) {
        tile::LaunchOp a = launches[earlier], b = launches[end];
        if (a->hasAttr("tile.independent") && b->hasAttr("tile.independent"))
          continue;
        if (isBeside) {
          conflict = llvm::formatv("launches {0} and {1} may touch the same memory by addresses of no known parameter, "
                                   "and are not both marked tile.independent",
                                   earlier - begin, end - begin)
                         .str();
          break;
        }
        std::optional<unsigned> parameter = findConflict(a, b, accesses, host);
        if (!parameter)
          parameter = findConflict(b, a, accesses, host);
        if (parameter)
          conflict =
              llvm::formatv("launches {0} and {1} may touch what parameter {2} of one of them writes, and are not "
                            "both marked tile.independent",
                            earlier - begin, end - begin, *parameter)
                  .str();
      }
      if (!conflict.empty())
        break;
      batch.launches.push_back(launches[end]);
    }
    begin = end;
    if (batch.launches.size() == 1) {
      if (conflict.empty())
        continue;
      batch.reason = conflict;
    } else {
      func::FuncOp grid = lookupGrid(kernel, symbols);
      batch.reason = findObstacle(kernel, grid);
      if (batch.reason.empty())
        planChunks(batch, grid, maxBytes);
    }
    batches.push_back(std::move(batch));
  }
  return batches;
}
