// SPDX-License-Identifier: Apache-2.0
#include "tilewright/Analysis/Alignment.h"
#include "tilewright/Dialect/Tile/Transforms/Passes.h"
#include "tilewright/Dialect/Tile/Transforms/Promise.h"
#include "tilewright/Support/Counted.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Remarks.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/SetVector.h"

namespace tilewright {
#define GEN_PASS_DEF_SPECIALIZEPASS
#include "tilewright/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilewright

using namespace mlir;
using namespace tilewright;

/// Bytes of the widest access to global memory. Source: PTX ISA, ld and st: .v4.b32.
static constexpr int64_t kAccessBytes = 16;

/// What each access of a function can do, in walk order. Clones of a function have the same accesses.
static SmallVector<VectorAccess> findWidths(func::FuncOp func) {
  AlignmentAnalysis analysis(func);
  SmallVector<VectorAccess> widths;
  func.walk([&](Operation *op) {
    if (auto load = dyn_cast<tile::LoadOp>(op))
      widths.push_back(analysis.maxVectorElements(load, kAccessBytes));
    else if (auto store = dyn_cast<tile::StoreOp>(op))
      widths.push_back(analysis.maxVectorElements(store, kAccessBytes));
    else if (auto gather = dyn_cast<tile::GatherOp>(op))
      widths.push_back(analysis.maxVectorElements(gather, kAccessBytes));
    else if (auto scatter = dyn_cast<tile::ScatterOp>(op))
      widths.push_back(analysis.maxVectorElements(scatter, kAccessBytes));
    else if (auto load = dyn_cast<tile::LoadPtrOp>(op))
      widths.push_back(analysis.maxVectorElements(load, kAccessBytes));
    else if (auto store = dyn_cast<tile::StorePtrOp>(op))
      widths.push_back(analysis.maxVectorElements(store, kAccessBytes));
  });
  return widths;
}

/// Whether some access of the first list is wider than in the second.
static bool isAnyWider(ArrayRef<VectorAccess> first, ArrayRef<VectorAccess> second) {
  return llvm::any_of(llvm::zip(first, second),
                      [](auto pair) { return std::get<0>(pair).elements > std::get<1>(pair).elements; });
}

/// The parameters that addresses, masks, offsets and the sizes and strides of views are computed from.
static llvm::SetVector<Value> findAddressParameters(func::FuncOp kernel) {
  llvm::SetVector<Value> seen;
  auto add = [&](ValueRange values) { seen.insert(values.begin(), values.end()); };
  kernel.walk([&](Operation *op) {
    if (auto load = dyn_cast<tile::LoadPtrOp>(op))
      add(load.getMask() ? ValueRange{load.getPtr(), load.getMask()} : ValueRange{load.getPtr()});
    else if (auto store = dyn_cast<tile::StorePtrOp>(op))
      add(store.getMask() ? ValueRange{store.getPtr(), store.getMask()} : ValueRange{store.getPtr()});
    else if (auto load = dyn_cast<tile::LoadOp>(op))
      add(load->getOperands());
    else if (isa<tile::StoreOp, tile::ScatterOp, tile::ReduceIntoOp>(op))
      add(op->getOperands().drop_front());
    else if (isa<tile::GatherOp>(op))
      add(op->getOperands());
  });
  // Grows while it is walked; loops are followed through their own operands, which include bounds and initial values.
  for (size_t i = 0; i < seen.size(); ++i) {
    if (Operation *op = seen[i].getDefiningOp()) {
      add(op->getOperands());
      if (auto branch = dyn_cast<scf::IfOp>(op); branch && branch.elseBlock())
        for (Block *block : {branch.thenBlock(), branch.elseBlock()})
          add(block->getTerminator()->getOperands());
    } else if (Operation *parent = cast<BlockArgument>(seen[i]).getOwner()->getParentOp(); parent != kernel) {
      add(parent->getOperands());
    }
  }
  return seen;
}

namespace {
struct Specialize : public tilewright::impl::SpecializePassBase<Specialize> {
  using SpecializePassBase::SpecializePassBase;

  void runOnOperation() override {
    SmallVector<func::FuncOp> kernels;
    llvm::DenseSet<StringRef> withVariants;
    for (auto func : getOperation().getOps<func::FuncOp>()) {
      if (auto original = func->getAttrOfType<FlatSymbolRefAttr>("tile.variant_of"))
        withVariants.insert(original.getValue());
      else if (func->hasAttr("tile.kernel") && !func.isExternal())
        kernels.push_back(func);
    }
    if (maxVariants <= 1)
      return;
    for (func::FuncOp kernel : kernels)
      if (!withVariants.contains(kernel.getSymName()))
        specialize(kernel);
  }

private:
  remark::RemarkOpts remarkFor(func::FuncOp kernel) {
    return remark::RemarkOpts::name("Specialize").category(getArgument()).function(kernel.getSymName());
  }

  /// All promises worth trying: unit strides, and what 16-byte accesses may need.
  void findPromises(func::FuncOp kernel, SmallVector<Promise> &units, SmallVector<Promise> &divisors) {
    llvm::SetVector<Value> used = findAddressParameters(kernel);
    for (BlockArgument argument : kernel.getArguments()) {
      unsigned number = argument.getArgNumber();
      if (!used.contains(argument))
        continue;
      if (auto view = dyn_cast<tile::ViewType>(argument.getType()))
        findViewPromises(kernel, argument, view, units, divisors);
      else if (isa<tile::PtrType>(argument.getType()))
        divisors.push_back({Promise::BaseDivisor, number, 0, kAccessBytes});
      // A narrower type could not hold the divisor in the guard.
      else if (argument.getType().isIndex() || argument.getType().isInteger(32) || argument.getType().isInteger(64))
        divisors.push_back({Promise::ValueDivisor, number, 0, kAccessBytes});
    }
  }

  void findViewPromises(func::FuncOp kernel, BlockArgument argument, tile::ViewType view, SmallVector<Promise> &units,
                        SmallVector<Promise> &divisors) {
    unsigned number = argument.getArgNumber();
    // The dimension with stride 1: the one that the type names, else the last.
    ArrayRef<int64_t> strides = view.getStrides();
    const int64_t *last = strides.end();
    while (last != strides.begin() && *(last - 1) != 1)
      --last;
    bool isKnown = last != strides.begin();
    unsigned unit = isKnown ? last - strides.begin() - 1 : strides.size() - 1;
    if (!isKnown) {
      Operation *blocker = nullptr;
      if (!ShapedType::isDynamic(strides[unit]) || !isDimWalked(argument, unit))
        return;
      if (!canRefineView(argument, blocker)) {
        remark::missed(blocker->getLoc(), remarkFor(kernel)) << remark::reason(
            "view parameter {0} keeps its strides unknown: {1} carries it", number, blocker->getName().getStringRef());
        return;
      }
      units.push_back({Promise::UnitStride, number, unit, 1});
    }
    int64_t bytes = elementBytes(view.getElementType());
    if (bytes == 0 || bytes >= kAccessBytes)
      return;
    int64_t elements = kAccessBytes / bytes;
    divisors.push_back({Promise::BaseDivisor, number, 0, kAccessBytes});
    for (unsigned d = 0; d < strides.size(); ++d)
      if (d != unit && ShapedType::isDynamic(strides[d]))
        divisors.push_back({Promise::StrideDivisor, number, d, elements});
    if (ShapedType::isDynamic(view.getShape()[unit]))
      divisors.push_back({Promise::SizeDivisor, number, unit, elements});
  }

  /// The accesses of `kernel` under `promises`, found on a clone that goes away again.
  static SmallVector<VectorAccess> tryPromises(func::FuncOp kernel, ArrayRef<Promise> promises) {
    OwningOpRef<func::FuncOp> clone = kernel.clone();
    applyPromises(*clone, promises);
    return findWidths(*clone);
  }

  /// The weakest promises that keep every access as wide as all do: one after the other is left out, or its divisor, a
  /// power of two, halved.
  static SmallVector<Promise> keepNeeded(func::FuncOp kernel, ArrayRef<Promise> units, ArrayRef<Promise> divisors) {
    SmallVector<Promise> kept(units);
    llvm::append_range(kept, divisors);
    SmallVector<VectorAccess> full = tryPromises(kernel, kept);
    for (size_t i = units.size(); i < kept.size();) {
      SmallVector<Promise> without(kept);
      without.erase(without.begin() + i);
      if (!isAnyWider(full, tryPromises(kernel, without))) {
        kept = std::move(without);
        continue;
      }
      for (int64_t &divisor = kept[i].divisor; divisor > 2;) {
        divisor /= 2;
        if (isAnyWider(full, tryPromises(kernel, kept))) {
          divisor *= 2;
          break;
        }
      }
      ++i;
    }
    return kept;
  }

  void specialize(func::FuncOp kernel) {
    SmallVector<Promise> units, divisors;
    findPromises(kernel, units, divisors);

    // Plan.
    SmallVector<SmallVector<Promise>> variants;
    SmallVector<VectorAccess> general = findWidths(kernel);
    SmallVector<Promise> all = keepNeeded(kernel, units, divisors);
    bool isWider = isAnyWider(tryPromises(kernel, all), tryPromises(kernel, units));
    if (isWider)
      variants.push_back(std::move(all));
    if (!units.empty())
      variants.push_back(units);
    if (variants.empty()) {
      remark::missed(kernel.getLoc(), remarkFor(kernel)) << remark::reason(
          "no promise about the arguments widens any of {0}", counted(general.size(), "access", "accesses"));
      return;
    }
    if (variants.size() >= maxVariants)
      variants.resize(maxVariants - 1);

    // Explain and rewrite.
    SymbolTable symbols(getOperation());
    unsigned number = 0;
    for (ArrayRef<Promise> promises : variants) {
      std::string name;
      auto isTaken = [&](StringRef suffix) { return symbols.lookup(name + suffix.str()) != nullptr; };
      do
        name = (kernel.getSymName() + "__v" + Twine(number++)).str();
      while (isTaken("") || isTaken("_grid") || isTaken("_guard"));
      std::string facts;
      for (const Promise &promise : promises)
        facts += (facts.empty() ? "" : "; ") + describePromise(kernel, promise);
      remark::passed(kernel.getLoc(), remarkFor(kernel)) << remark::add("variant @{0} assumes {1}", name, facts);
      addVariant(kernel, kernel, name, promises, symbols);
    }
  }
};
} // namespace
