// SPDX-License-Identifier: Apache-2.0
#include "GridRewrite.h"
#include "tilewright/Analysis/KernelAccess.h"
#include "tilewright/Dialect/Tile/Transforms/LaunchBatches.h"
#include "tilewright/Dialect/Tile/Transforms/Passes.h"
#include "tilewright/Support/Counted.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/StringSet.h"

#include <map>

namespace tilewright {
#define GEN_PASS_DEF_BATCHLAUNCHESPASS
#include "tilewright/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilewright

using namespace mlir;
using namespace tilewright;

//===----------------------------------------------------------------------===//
// The new kernel
//===----------------------------------------------------------------------===//

namespace {
/// A kernel for several launches of another one: who has which parameter.
struct BatchedKernel {
  func::FuncOp func;
  /// Per launch, the new parameter of each old one.
  SmallVector<SmallVector<unsigned>> parameterOf;
};
} // namespace

/// The parts of a parameter that a launch passes: itself, or base, dynamic sizes and dynamic strides of a view.
static SmallVector<Value> splitParameter(OpBuilder &builder, Location loc, Value parameter) {
  auto view = dyn_cast<tile::ViewType>(parameter.getType());
  if (!view)
    return {parameter};
  auto pointer = tile::PtrType::get(builder.getContext(), view.getElementType());
  SmallVector<Value> parts{tile::ViewBaseOp::create(builder, loc, pointer, parameter)};
  for (auto [dim, size] : llvm::enumerate(view.getShape()))
    if (ShapedType::isDynamic(size))
      parts.push_back(tile::ViewSizeOp::create(builder, loc, parameter, dim));
  for (auto [dim, stride] : llvm::enumerate(view.getStrides()))
    if (ShapedType::isDynamic(stride))
      parts.push_back(tile::ViewStrideOp::create(builder, loc, parameter, dim));
  return parts;
}

/// The reverse of `splitParameter`.
static Value joinParameter(OpBuilder &builder, Location loc, Type type, ValueRange parts) {
  auto view = dyn_cast<tile::ViewType>(type);
  if (!view)
    return parts.front();
  size_t numSizes = llvm::count_if(view.getShape(), ShapedType::isDynamic);
  return tile::MakeViewOp::create(builder, loc, view, parts.front(), parts.slice(1, numSizes),
                                  parts.drop_front(1 + numSizes));
}

/// The parts of the launch with the number `index` out of `first` to `first + choices.size() - 1`. Each choice is a
/// list of parameters; the branches are taken by all threads of a program alike.
static SmallVector<Value> selectParts(OpBuilder &builder, Location loc, Value index, int64_t first,
                                      ArrayRef<SmallVector<Value>> choices) {
  if (choices.size() == 1) {
    SmallVector<Value> parts;
    for (Value parameter : choices.front())
      llvm::append_range(parts, splitParameter(builder, loc, parameter));
    return parts;
  }
  size_t half = choices.size() / 2;
  Value bound = arith::ConstantIndexOp::create(builder, loc, first + half);
  Value isLow = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, index, bound);
  auto branch = [&](int64_t start, ArrayRef<SmallVector<Value>> some) {
    return [&, start, some](OpBuilder &inner, Location where) {
      scf::YieldOp::create(inner, where, selectParts(inner, where, index, start, some));
    };
  };
  auto result = scf::IfOp::create(builder, loc, isLow, branch(first, choices.take_front(half)),
                                  branch(first + half, choices.drop_front(half)));
  return SmallVector<Value>(result.getResults());
}

/// Attributes of the old parameter for one of its copies, under a name of its own. That copies do not alias one another
/// is not promised.
static DictionaryAttr copyArgAttrs(func::FuncOp kernel, unsigned parameter, std::optional<size_t> launch,
                                   llvm::StringSet<> &names) {
  NamedAttrList attrs(kernel.getArgAttrDict(parameter));
  Builder builder(kernel.getContext());
  if (launch)
    attrs.erase("tile.noalias");
  auto name = kernel.getArgAttrOfType<StringAttr>(parameter, "tile.name");
  if (!name)
    return attrs.getDictionary(kernel.getContext());
  std::string own = name.getValue().str();
  if (launch)
    own += "." + std::to_string(*launch);
  if (names.insert(own).second)
    attrs.set("tile.name", builder.getStringAttr(own));
  else
    attrs.erase("tile.name");
  return attrs.getDictionary(kernel.getContext());
}

/// Parameters for `count` launches of which those in `shared` are passed once.
static void addParameters(BatchedKernel &batched, func::FuncOp kernel, size_t count, const llvm::BitVector &shared,
                          SmallVector<Type> &types, SmallVector<DictionaryAttr> &attrs) {
  llvm::StringSet<> names;
  batched.parameterOf.assign(count, SmallVector<unsigned>(kernel.getNumArguments()));
  for (unsigned p = 0; p < kernel.getNumArguments(); ++p)
    for (size_t i = 0; i < count; ++i) {
      if (i == 0 || !shared[p]) {
        types.push_back(kernel.getArgumentTypes()[p]);
        attrs.push_back(copyArgAttrs(kernel, p, shared[p] ? std::nullopt : std::optional<size_t>(i), names));
      }
      batched.parameterOf[i][p] = types.size() - 1;
    }
}

static SmallVector<Value> argumentsOf(const BatchedKernel &batched, func::FuncOp func, size_t launch) {
  SmallVector<Value> arguments;
  for (unsigned parameter : batched.parameterOf[launch])
    arguments.push_back(func.getArgument(parameter));
  return arguments;
}

/// The largest of the launches' grids, and the number of launches.
static func::FuncOp createGrid(const BatchedKernel &batched, func::FuncOp grid, StringRef name) {
  func::FuncOp kernel = batched.func;
  OpBuilder builder(kernel.getContext());
  builder.setInsertionPointAfter(kernel);
  Location loc = kernel.getLoc();
  unsigned rank = grid.getNumResults();
  SmallVector<Type> results(rank + 1, builder.getIndexType());
  auto host = func::FuncOp::create(builder, loc, name, builder.getFunctionType(kernel.getArgumentTypes(), results));
  host.setPrivate();
  builder.setInsertionPointToStart(host.addEntryBlock());
  SmallVector<Value> largest;
  for (size_t i = 0; i < batched.parameterOf.size(); ++i) {
    SmallVector<Value> extents = inlineHost(builder, grid, argumentsOf(batched, host, i));
    // Programs that a launch does not have end at once, so an empty launch among them is no matter.
    if (largest.empty())
      largest = extents;
    else
      for (unsigned axis = 0; axis < rank; ++axis)
        largest[axis] = arith::MaxSIOp::create(builder, loc, largest[axis], extents[axis]);
  }
  largest.push_back(arith::ConstantIndexOp::create(builder, loc, batched.parameterOf.size()));
  func::ReturnOp::create(builder, loc, largest);
  return host;
}

/// Fills the new kernel: select the arguments, leave where the launch has no such program, else do what the old one
/// does.
static void fillKernel(const BatchedKernel &batched, func::FuncOp kernel, func::FuncOp grid,
                       const llvm::BitVector &shared) {
  func::FuncOp func = batched.func;
  OpBuilder builder(func.getContext());
  builder.setInsertionPointToStart(func.addEntryBlock());
  Location loc = kernel.getLoc();
  unsigned rank = grid.getNumResults();
  Value launch = tile::ProgramIdOp::create(builder, loc, static_cast<tile::Axis>(rank));

  SmallVector<SmallVector<Value>> choices(batched.parameterOf.size());
  for (size_t i = 0; i < choices.size(); ++i)
    for (unsigned p = 0; p < kernel.getNumArguments(); ++p)
      if (!shared[p])
        choices[i].push_back(func.getArgument(batched.parameterOf[i][p]));
  SmallVector<Value> arguments = argumentsOf(batched, func, 0);
  if (!choices.front().empty()) {
    SmallVector<Value> parts = selectParts(builder, loc, launch, 0, choices);
    ValueRange rest = parts;
    for (unsigned p = 0; p < kernel.getNumArguments(); ++p) {
      if (shared[p])
        continue;
      auto view = dyn_cast<tile::ViewType>(kernel.getArgumentTypes()[p]);
      size_t size = view ? 1 + llvm::count_if(view.getShape(), ShapedType::isDynamic) +
                               llvm::count_if(view.getStrides(), ShapedType::isDynamic)
                         : 1;
      arguments[p] = joinParameter(builder, loc, kernel.getArgumentTypes()[p], rest.take_front(size));
      rest = rest.drop_front(size);
    }
  }

  SmallVector<Value> extents = inlineHost(builder, grid, arguments);
  Value exists;
  for (unsigned axis = 0; axis < rank; ++axis) {
    Value id = tile::ProgramIdOp::create(builder, loc, static_cast<tile::Axis>(axis));
    Value below = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, id, extents[axis]);
    exists = exists ? arith::AndIOp::create(builder, loc, exists, below).getResult() : below;
  }
  auto guarded = scf::IfOp::create(builder, loc, exists, /*withElseRegion=*/false);
  func::ReturnOp::create(builder, loc);

  builder.setInsertionPointToStart(guarded.thenBlock());
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0), one = arith::ConstantIndexOp::create(builder, loc, 1);
  extents.resize(3, one);
  IRMapping map;
  map.map(kernel.getArguments(), arguments);
  for (Operation &op : kernel.front().without_terminator())
    builder.clone(op, map);
  guarded.walk([&](Operation *op) {
    Value by;
    if (auto id = dyn_cast<tile::ProgramIdOp>(op); id && static_cast<unsigned>(id.getAxis()) >= rank)
      by = zero;
    else if (auto count = dyn_cast<tile::NumProgramsOp>(op))
      by = extents[static_cast<size_t>(count.getAxis())];
    if (!by)
      return;
    op->getResult(0).replaceAllUsesWith(by);
    op->erase();
  });
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
struct BatchLaunches : public tilewright::impl::BatchLaunchesPassBase<BatchLaunches> {
  using BatchLaunchesPassBase::BatchLaunchesPassBase;

  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    SmallVector<func::FuncOp> hosts;
    for (auto func : getOperation().getOps<func::FuncOp>())
      if (!func.isExternal() && !func.front().getOps<tile::LaunchOp>().empty())
        hosts.push_back(func);
    for (func::FuncOp host : hosts)
      for (LaunchBatch &batch : planLaunchBatches(host, maxBytes, symbols))
        merge(host, batch, symbols);
    made.clear();
  }

private:
  /// New kernels by what they are for.
  std::map<std::pair<std::string, std::vector<bool>>, std::map<size_t, BatchedKernel>> made;

  void merge(func::FuncOp host, LaunchBatch &batch, SymbolTable &symbols) {
    auto opts = remark::RemarkOpts::name("BatchLaunches").category(getArgument()).function(host.getSymName());
    Location loc = batch.launches.front().getLoc();
    std::string kernelName = batch.launches.front().getKernel().str();
    size_t count = batch.launches.size();
    if (!batch.reason.empty()) {
      remark::missed(loc, opts) << remark::reason("{0} of @{1} stay{2}: {3}", counted(count, "launch", "launches"),
                                                  kernelName, count == 1 ? "s" : "", batch.reason);
      return;
    }
    std::string sizes;
    for (size_t size : batch.chunks)
      sizes += (sizes.empty() ? "" : ", ") + std::to_string(size);
    remark::passed(loc, opts) << remark::add(
        "{0} launches of @{1} become {2} ({3}): {4} bytes of parameters each and {5} for all, of {6}", count,
        kernelName, batch.chunks.size(), sizes, batch.bytesPerLaunch, batch.sharedBytes, unsigned(maxBytes));
    auto kernel = symbols.lookup<func::FuncOp>(kernelName);
    size_t first = 0;
    for (size_t size : batch.chunks) {
      ArrayRef<tile::LaunchOp> chunk = ArrayRef<tile::LaunchOp>(batch.launches).slice(first, size);
      first += size;
      if (size > 1)
        mergeChunk(kernel, chunk, batch.shared, symbols);
    }
  }

  void mergeChunk(func::FuncOp kernel, ArrayRef<tile::LaunchOp> chunk, const llvm::BitVector &shared,
                  SymbolTable &symbols) {
    std::vector<bool> mask;
    for (unsigned p = 0; p < shared.size(); ++p)
      mask.push_back(shared[p]);
    BatchedKernel &batched = made[{kernel.getSymName().str(), mask}][chunk.size()];
    if (!batched.func)
      createKernel(batched, kernel, chunk.size(), shared, symbols);
    tile::LaunchOp last = chunk.back();
    SmallVector<Value> arguments(batched.func.getNumArguments());
    for (auto [i, op] : llvm::enumerate(chunk)) {
      tile::LaunchOp launch = op;
      for (auto [p, value] : llvm::enumerate(launch.getArgs()))
        arguments[batched.parameterOf[i][p]] = value;
    }
    OpBuilder builder(last);
    auto merged = tile::LaunchOp::create(builder, last.getLoc(), batched.func.getSymName(), arguments);
    if (llvm::all_of(chunk, [](tile::LaunchOp launch) { return launch->hasAttr("tile.independent"); }))
      merged->setAttr("tile.independent", builder.getUnitAttr());
    for (tile::LaunchOp launch : chunk)
      launch.erase();
  }

  static void createKernel(BatchedKernel &batched, func::FuncOp kernel, size_t count, const llvm::BitVector &shared,
                           SymbolTable &symbols) {
    func::FuncOp grid = lookupGrid(kernel, symbols);
    SmallVector<Type> types;
    SmallVector<DictionaryAttr> attrs;
    addParameters(batched, kernel, count, shared, types, attrs);
    OpBuilder builder(kernel);
    batched.func = func::FuncOp::create(builder, kernel.getLoc(),
                                        freeName((kernel.getSymName() + "_batch" + Twine(count)).str(), symbols),
                                        builder.getFunctionType(types, {}));
    for (NamedAttribute attr : kernel->getDiscardableAttrs())
      batched.func->setAttr(attr.getName(), attr.getValue());
    batched.func.setAllArgAttrs(attrs);
    symbols.insert(batched.func);
    fillKernel(batched, kernel, grid, shared);
    func::FuncOp own = createGrid(batched, grid, freeName((batched.func.getSymName() + "_grid").str(), symbols));
    symbols.insert(own);
    batched.func->setAttr("tile.grid", FlatSymbolRefAttr::get(own.getSymNameAttr()));
  }
};
} // namespace
