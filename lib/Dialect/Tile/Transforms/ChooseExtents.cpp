// SPDX-License-Identifier: Apache-2.0
#include "GridRewrite.h"
#include "HostSlice.h"
#include "tilewright/Analysis/InBounds.h"
#include "tilewright/Dialect/Tile/Transforms/ExtentPlan.h"
#include "tilewright/Dialect/Tile/Transforms/Passes.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"

namespace tilewright {
#define GEN_PASS_DEF_CHOOSEEXTENTSPASS
#include "tilewright/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilewright

using namespace mlir;
using namespace tilewright;

/// New extents, one per class; 0 for a class that stays.
using Choice = SmallVector<int64_t>;

//===----------------------------------------------------------------------===//
// The rewrite
//===----------------------------------------------------------------------===//

static Value createNumber(OpBuilder &builder, Location loc, Type type, int64_t value) {
  return arith::ConstantOp::create(builder, loc, builder.getIntegerAttr(type, value));
}

static void retype(const ExtentClass &extentClass, int64_t extent) {
  for (auto [tile, dim] : extentClass.dims) {
    auto type = cast<RankedTensorType>(tile.getType());
    SmallVector<int64_t> shape(type.getShape());
    shape[dim] = extent;
    auto resized = RankedTensorType::get(shape, type.getElementType());
    tile.setType(resized);
    if (auto constant = tile.getDefiningOp<arith::ConstantOp>())
      constant.setValueAttr(cast<DenseElementsAttr>(constant.getValue()).resizeSplat(resized));
  }
}

/// `ceildiv(size, extent)` as it was written, for another extent.
static Value createCount(OpBuilder &builder, Value count, int64_t extent) {
  Operation *op = builder.clone(*count.getDefiningOp());
  builder.setInsertionPoint(op);
  Type type = count.getType();
  if (!isa<arith::CeilDivSIOp, arith::CeilDivUIOp>(op)) { // (size + extent - 1) / extent
    Operation *sum = builder.clone(*op->getOperand(0).getDefiningOp());
    op->setOperand(0, sum->getResult(0));
    builder.setInsertionPoint(sum);
    sum->setOperand(1, createNumber(builder, sum->getLoc(), type, extent - 1));
  }
  op->setOperand(1, createNumber(builder, op->getLoc(), type, extent));
  builder.setInsertionPointAfter(op);
  return op->getResult(0);
}

static void rebuildProduct(const ExtentProduct &product, const Choice &choice) {
  auto isChanged = [&](const ExtentProduct::Factor &factor) {
    return factor.extentClass >= 0 && choice[factor.extentClass] != 0;
  };
  if (llvm::none_of(product.factors, isChanged))
    return;
  OpBuilder builder(product.operand->getOwner());
  Value result;
  for (const ExtentProduct::Factor &factor : product.factors) {
    Value value = isChanged(factor) ? createCount(builder, factor.value, choice[factor.extentClass]) : factor.value;
    result = result ? arith::MulIOp::create(builder, value.getLoc(), result, value) : value;
  }
  product.operand->set(result);
}

/// Accesses to dimensions of the class check again: their author promised for the old extent.
static void dropPromises(const ExtentClass &extentClass) {
  for (auto [op, dim] : extentClass.promises) {
    std::optional<ViewAccess> access = ViewAccess::of(op);
    access->inBounds[dim] = false;
    access->setInBounds(access->inBounds);
  }
}

static std::string describeSize(func::FuncOp kernel, Value view, unsigned dim) {
  ViewSize size = resolveViewSize(view, dim);
  auto argument = dyn_cast<BlockArgument>(size.scalar ? size.scalar : size.view);
  if (size.scalar && size.scalar.getDefiningOp<tile::ViewSizeOp>()) {
    auto query = size.scalar.getDefiningOp<tile::ViewSizeOp>();
    return describeSize(kernel, query.getView(), query.getDim());
  }
  if (!argument)
    return "a view that is made in the kernel";
  auto name = kernel.getArgAttrOfType<StringAttr>(argument.getArgNumber(), "tile.name");
  std::string text = name ? name.getValue().str() : "parameter " + std::to_string(argument.getArgNumber());
  return size.scalar ? text : "dim " + std::to_string(size.dim) + " of " + text;
}

static Value asIndex(OpBuilder &builder, Value number) {
  if (number.getType().isIndex())
    return number;
  return arith::IndexCastOp::create(builder, number.getLoc(), builder.getIndexType(), number);
}

static Value endsWithWalk(OpBuilder &builder, const ExtentRequirement &requirement, ValueRange arguments) {
  Value size = asIndex(builder, cloneHostSize(builder, requirement.view, requirement.dim, arguments));
  Value walked = asIndex(builder, cloneHostNumber(builder, requirement.walked, arguments));
  return arith::CmpIOp::create(builder, requirement.op->getLoc(), arith::CmpIPredicate::sle, size, walked);
}

/// Whether each program of a launch walks blocks of the extent that the class was written with, and no part of one.
static Value walksWholeBlocks(OpBuilder &builder, const ExtentClass &extentClass, ValueRange arguments) {
  Location loc = extentClass.end.getLoc();
  Type index = builder.getIndexType();
  Value isWhole;
  // The conditions of a launch ask for it only where there is one.
  SmallVector<HostResidue> residues = *residuesOfWalk(extentClass.begin, extentClass.end, extentClass.extent);
  for (const HostResidue &residue : residues) {
    if (residue.isAlwaysZero())
      continue;
    Value sum;
    for (auto [number, isSubtracted] : residue.terms) {
      Value term = asIndex(builder, cloneHostNumber(builder, number, arguments));
      if (isSubtracted)
        sum = arith::SubIOp::create(builder, loc, sum ? sum : createNumber(builder, loc, index, 0), term);
      else
        sum = sum ? arith::AddIOp::create(builder, loc, sum, term).getResult() : term;
    }
    Value zero = createNumber(builder, loc, index, 0);
    // There is nothing to walk where the end is in front of the begin.
    if (residue.isNumber)
      sum = arith::MaxSIOp::create(builder, loc, sum, zero);
    Value left = arith::RemSIOp::create(builder, loc, sum, createNumber(builder, loc, index, extentClass.extent));
    Value fits = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, left, zero);
    isWhole = isWhole ? arith::AndIOp::create(builder, loc, isWhole, fits).getResult() : fits;
  }
  return isWhole;
}

/// Adds a function that says whether the sizes of a launch meet the requirements, with a message for each.
static void addRequirements(func::FuncOp kernel, ArrayRef<std::pair<const ExtentClass *, int64_t>> resized,
                            SymbolTable &symbols) {
  OpBuilder builder(kernel.getContext());
  SmallVector<Value> conditions;
  SmallVector<Attribute> messages;
  func::FuncOp requires_;
  auto start = [&] {
    std::string name = freeName((kernel.getSymName() + "_requires").str(), symbols);
    builder.setInsertionPointAfter(kernel);
    requires_ =
        func::FuncOp::create(builder, kernel.getLoc(), name, builder.getFunctionType(kernel.getArgumentTypes(), {}));
    requires_.setPrivate();
    symbols.insert(requires_);
    builder.setInsertionPointToStart(requires_.addEntryBlock());
    // What was required before stays required.
    if (auto old = kernel->getAttrOfType<FlatSymbolRefAttr>("tile.requires")) {
      auto func = symbols.lookup<func::FuncOp>(old.getValue());
      llvm::append_range(conditions, inlineHost(builder, func, requires_.getArguments()));
      llvm::append_range(messages, func->getAttrOfType<ArrayAttr>("tile.messages"));
    }
  };
  for (auto [extentClass, extent] : resized)
    for (const LaunchCondition &needed : launchConditions(*extentClass, extent)) {
      if (!requires_)
        start();
      ValueRange arguments = requires_.getArguments();
      Value whole = needed.orWhole ? walksWholeBlocks(builder, *extentClass, arguments) : Value();
      Value fits = needed.requirement ? endsWithWalk(builder, *needed.requirement, arguments) : whole;
      bool isEither = needed.requirement && whole;
      conditions.push_back(isEither ? arith::OrIOp::create(builder, fits.getLoc(), fits, whole).getResult() : fits);
      std::string walked = "what is walked along " + extentClass->names.front();
      std::string multiple = "a multiple of " + std::to_string(extentClass->extent);
      std::string text = walked + " must be " + multiple;
      if (needed.requirement)
        text = "the size of " + describeSize(kernel, needed.requirement->view, needed.requirement->dim) +
               " must be at most " + walked + (isEither ? ", or that " + multiple : "");
      messages.push_back(builder.getStringAttr(text + ", whose extent was set to " + Twine(extent)));
    }
  if (!requires_)
    return;
  func::ReturnOp::create(builder, kernel.getLoc(), conditions);
  requires_.setFunctionType(builder.getFunctionType(kernel.getArgumentTypes(), ValueRange(conditions).getTypes()));
  requires_->setAttr("tile.messages", builder.getArrayAttr(messages));
  kernel->setAttr("tile.requires", FlatSymbolRefAttr::get(requires_.getSymNameAttr()));
}

static void resize(func::FuncOp kernel, const KernelExtents &extents, const Choice &choice, SymbolTable &symbols) {
  SmallVector<std::pair<const ExtentClass *, int64_t>> resized;
  for (auto [extentClass, extent] : llvm::zip(extents.classes, choice))
    if (extent != 0)
      resized.push_back({&extentClass, extent});
  addRequirements(kernel, resized, symbols);
  for (const ExtentProduct &product : extents.products)
    rebuildProduct(product, choice);
  for (auto [extentClass, extent] : resized) {
    retype(*extentClass, extent);
    if (extentClass->extent % extent != 0)
      dropPromises(*extentClass);
    for (OpOperand *operand : extentClass->numbers) {
      OpBuilder builder(operand->getOwner());
      operand->set(createNumber(builder, operand->getOwner()->getLoc(), operand->get().getType(), extent));
    }
  }
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
struct ChooseExtents : public tilewright::impl::ChooseExtentsPassBase<ChooseExtents> {
  using ChooseExtentsPassBase::ChooseExtentsPassBase;

  void runOnOperation() override {
    // Without a request there is only something to say.
    if (extents.empty() && !getContext().getRemarkEngine())
      return;
    ModuleOp module = getOperation();
    SmallVector<std::pair<StringRef, int64_t>> requests;
    for (const std::string &text : extents) {
      std::optional<std::pair<StringRef, int64_t>> request = parseExtentRequest(text);
      if (!request) {
        emitError(module.getLoc()) << "option 'extents': expected CLASS:N with N from 1 to " << kMaxExtent
                                   << ", found '" << text << "'";
        return signalPassFailure();
      }
      requests.push_back(*request);
    }
    SymbolTable symbols(module);
    SmallVector<func::FuncOp> kernels;
    for (auto func : module.getOps<func::FuncOp>())
      if (func->hasAttr("tile.kernel") && !func.isExternal())
        kernels.push_back(func);
    SmallVector<KernelExtents> plans;
    SmallVector<std::pair<Operation *, Operation *>> copies;
    for (func::FuncOp kernel : kernels) {
      llvm::append_range(copies, splitSharedTiles(kernel));
      plans.push_back(planExtents(kernel, findGrid(kernel)));
      explain(kernel, plans.back());
    }
    bool isDone = succeeded(checkNames(requests, plans));
    for (auto [kernel, plan] : llvm::zip(kernels, plans))
      isDone = isDone && succeeded(apply(kernel, plan, requests, symbols));
    mergeSharedTiles(copies);
    if (!isDone)
      signalPassFailure();
  }

private:
  remark::RemarkOpts optionsFor(func::FuncOp kernel) {
    return remark::RemarkOpts::name("ChooseExtents").category(getArgument()).function(kernel.getSymName());
  }

  static std::string describe(const ExtentClass &extentClass) {
    return llvm::join(extentClass.names, " = ") + " has the extent " + std::to_string(extentClass.extent);
  }
  static std::string describe(const ExtentReason &reason) {
    return reason.op->getName().getStringRef().str() + " " + reason.text;
  }

  void explain(func::FuncOp kernel, const KernelExtents &plan) {
    for (const ExtentClass &extentClass : plan.classes) {
      if (extentClass.pin)
        remark::missed(extentClass.pin.op->getLoc(), optionsFor(kernel))
            << remark::reason("{0}, which stays: {1}", describe(extentClass), describe(extentClass.pin));
      else if (extentClass.onlyDivisors)
        remark::analysis(extentClass.onlyDivisors.op->getLoc(), optionsFor(kernel)) << remark::add(
            "{0}, which divisors can replace: {1}", describe(extentClass), describe(extentClass.onlyDivisors));
      else
        remark::analysis(kernel.getLoc(), optionsFor(kernel))
            << remark::add("{0}, which any can replace", describe(extentClass));
    }
  }

  LogicalResult checkNames(ArrayRef<std::pair<StringRef, int64_t>> requests, ArrayRef<KernelExtents> plans) {
    llvm::SmallSetVector<StringRef, 16> known;
    for (const KernelExtents &plan : plans)
      for (const ExtentClass &extentClass : plan.classes)
        known.insert(extentClass.names.begin(), extentClass.names.end());
    for (auto [name, extent] : requests)
      if (!known.contains(name)) {
        InFlightDiagnostic error = emitError(getOperation().getLoc())
                                   << "option 'extents': no kernel has a class of tile dimensions called '" << name
                                   << "'; expected one of " << llvm::join(known, ", ");
        return error;
      }
    return success();
  }

  LogicalResult apply(func::FuncOp kernel, KernelExtents &plan, ArrayRef<std::pair<StringRef, int64_t>> requests,
                      SymbolTable &symbols) {
    Choice choice(plan.classes.size(), 0);
    SmallVector<StringRef> askedBy(plan.classes.size());
    for (auto [name, extent] : requests)
      for (auto [i, extentClass] : llvm::enumerate(plan.classes)) {
        if (!extentClass.hasName(name))
          continue;
        if (!askedBy[i].empty() && choice[i] != extent)
          return emitError(kernel.getLoc())
                 << "option 'extents': " << askedBy[i] << " and " << name << " are one class, but " << choice[i]
                 << " and " << extent << " were asked for";
        if (ExtentReason reason = reasonAgainst(extentClass, extent)) {
          bool isPin = extentClass.pin.op == reason.op && extentClass.pin.text == reason.text;
          return emitError(reason.op->getLoc())
                 << "extent " << extent << " was asked for " << name
                 << (name == extentClass.names.front() ? "" : " (" + extentClass.names.front() + ")") << " of kernel '"
                 << kernel.getSymName() << "', but only " << (isPin ? "" : "divisors of ") << extentClass.extent
                 << " can be: " << describe(reason);
        }
        // A launcher checks what the kernel requires, not what its variants do.
        if (kernel->hasAttr("tile.variant_of") && !launchConditions(extentClass, extent).empty())
          return emitError(extentClass.requirements.empty() ? extentClass.onlyDivisors.op->getLoc()
                                                            : extentClass.requirements.front().op->getLoc())
                 << "extent " << extent << " was asked for " << name << " of variant '" << kernel.getSymName()
                 << "', which only a kernel can have: it requires something of each launch";
        askedBy[i] = name;
        choice[i] = extent;
      }
    for (auto [i, extentClass] : llvm::enumerate(plan.classes))
      if (choice[i] == extentClass.extent)
        choice[i] = 0;
    if (llvm::all_of(choice, [](int64_t extent) { return extent == 0; }))
      return success();
    if (func::FuncOp grid = lookupGrid(kernel, symbols)) {
      // A kernel whose grid function others use, too, gets its own one.
      if (takeGrid(kernel, grid, symbols) != grid)
        plan = planExtents(kernel, findGrid(kernel));
    }
    for (auto [i, extentClass] : llvm::enumerate(plan.classes)) {
      if (choice[i] == 0)
        continue;
      bool isDivisor = extentClass.extent % choice[i] == 0;
      remark::passed(kernel.getLoc(), optionsFor(kernel)) << remark::add(
          "{0}, {1} now, as asked: {2} launch requirements, {3} dropped promises", describe(extentClass), choice[i],
          launchConditions(extentClass, choice[i]).size(), isDivisor ? 0 : extentClass.promises.size());
    }
    resize(kernel, plan, choice, symbols);
    return success();
  }
};
} // namespace
