// SPDX-License-Identifier: Apache-2.0
#include "tilewright/Dialect/Tile/Transforms/ExtentPlan.h"
#include "BlockNumbers.h"
#include "ExtentClasses.h"
#include "ExtentFolds.h"
#include "HostSlice.h"
#include "tilewright/Analysis/InBounds.h"
#include "tilewright/Analysis/KernelAccess.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace tilewright;

namespace {
/// One dimension of a tile that an access moves, and the view dimension that it walks.
struct AccessDim {
  Operation *op;
  Value tile;
  unsigned tileDim;
  Value view;
  unsigned viewDim;
  OpOperand *offset;
  bool isPromised;
};

class Planner {
public:
  Planner(func::FuncOp kernel, func::FuncOp grid) : kernel(kernel), dims(kernel), numbers(kernel, grid) {}
  KernelExtents plan();

private:
  func::FuncOp kernel;
  TileDims dims;
  BlockNumbers numbers;
  SmallVector<AccessDim> accesses;
  std::map<int, int> walkOf;               // of each class
  std::map<int, SmallVector<int>> classOf; // of each walk
  KernelExtents result;

  void findAccesses();
  void findWalks();
  void checkUses();
  void checkUse(OpOperand &use);
  void checkForm(const IndexForm &form, Value value, Operation *op);
  void pinRelated(const IndexForm &form, Operation *op, const Twine &reason);
  SmallVector<int> classesOfAtom(unsigned atom);
  void checkCap(OpOperand &use, const IndexForm &form);
  void describeClasses();
  void nameClasses(const std::map<int, unsigned> &place);
  void addProducts(const std::map<int, unsigned> &place);
};
} // namespace

void Planner::findAccesses() {
  kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
    std::optional<ViewAccess> access = ViewAccess::of(op);
    if (!access)
      return;
    auto add = [&](auto x, Value tile) {
      for (auto [tileDim, viewDim] : llvm::enumerate(x.walkedDims()))
        accesses.push_back({op, tile, unsigned(tileDim), access->view, unsigned(viewDim),
                            &op->getOpOperand(x.getOffsets().getBeginOperandIndex() + viewDim),
                            access->inBounds[viewDim]});
    };
    llvm::TypeSwitch<Operation *>(op)
        .Case<tile::LoadOp, tile::GatherOp>([&](auto x) { add(x, x.getResult()); })
        .Case<tile::StoreOp, tile::ScatterOp, tile::ReduceIntoOp>([&](auto x) { add(x, x.getValue()); });
  });
}

/// Finds the one base that each class has, and joins classes that share one.
void Planner::findWalks() {
  std::map<int, int> dimOfWalk;
  SmallVector<std::pair<int, int>> found; // class, walk
  for (const AccessDim &access : accesses) {
    int number = dims.classOf(access.tile, access.tileDim);
    if (number < 0 || isa<RankedTensorType>(access.offset->get().getType()))
      continue;
    int64_t extent = cast<RankedTensorType>(access.tile.getType()).getDimSize(access.tileDim);
    const IndexForm *form = numbers.formOf(access.offset->get());
    int walk = -1;
    unsigned bases = 0;
    if (form && !form->cap)
      for (auto [atom, coefficient] : form->terms)
        if (int w = numbers.walkOfBase(atom); w >= 0 && coefficient == 1 && numbers.walks[w].extent == extent) {
          walk = w;
          ++bases;
        }
    if (bases != 1) {
      std::optional<IntegerAttr> constant;
      if (IntegerAttr attr; matchPattern(access.offset->get(), m_Constant(&attr)))
        constant = attr;
      if (constant)
        dims.pin(number, access.op,
                 llvm::formatv("reads or writes {0} elements at the fixed offset {1} of view dim {2}", extent,
                               constant->getInt(), access.viewDim));
      else
        dims.pin(number, access.op,
                 llvm::formatv("has an offset along view dim {0} that is not known to be a block number times {1}",
                               access.viewDim, extent));
      continue;
    }
    found.push_back({number, walk});
    auto [it, isNew] = dimOfWalk.try_emplace(walk, number);
    if (!isNew)
      dims.unite(it->second, number);
  }
  for (auto [old, walk] : found) {
    int number = dims.rootOf(old);
    auto [it, isNew] = walkOf.try_emplace(number, walk);
    if (!isNew && it->second != walk)
      dims.pin(number, numbers.walks[walk].loop ? numbers.walks[walk].loop.getOperation() : kernel.getOperation(),
               "walks these tiles, and so does something else");
    if (!llvm::is_contained(classOf[walk], number))
      classOf[walk].push_back(number);
  }
  // Positions mean indices only where something walks them.
  for (Value tile : dims.getTiles())
    for (unsigned dim = 0; dim < cast<RankedTensorType>(tile.getType()).getRank(); ++dim)
      if (int number = dims.classOf(tile, dim); number >= 0 && !walkOf.count(number)) {
        Operation *op = tile.getDefiningOp() ? tile.getDefiningOp() : tile.getParentBlock()->getParentOp();
        dims.pin(number, op, "is of no block of a view that a program or a loop walks");
      }
}

/// The classes whose blocks decide the value of an atom.
SmallVector<int> Planner::classesOfAtom(unsigned atom) {
  SmallVector<int> classes;
  if (int walk = numbers.walkOfBase(atom); walk >= 0)
    llvm::append_range(classes, classOf[walk]);
  for (int walk : numbers.walksCounted(atom))
    if (walk >= 0)
      llvm::append_range(classes, classOf[walk]);
  return classes;
}

void Planner::pinRelated(const IndexForm &form, Operation *op, const Twine &reason) {
  for (auto [atom, coefficient] : form.terms)
    for (int number : classesOfAtom(atom))
      dims.pin(number, op, reason);
}

/// A value that is used for more than sums must depend on `base + p` alone, for each class.
void Planner::checkForm(const IndexForm &form, Value value, Operation *op) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  auto positionOf = [&](int number) -> std::optional<int64_t> {
    int dim = dims.dimIn(value, number);
    if (dim == -2)
      return std::nullopt;
    return dim < 0 || form.steps.empty() ? 0 : form.steps[dim];
  };
  for (auto [atom, coefficient] : form.terms) {
    int base = numbers.walkOfBase(atom);
    for (int number : classesOfAtom(atom)) {
      bool isBase = base >= 0 && walkOf[number] == base && !form.cap;
      if (!isBase || positionOf(number) != coefficient)
        dims.pin(number, op,
                 isBase ? "uses the first index of a block without the position" : "uses the number of a block");
    }
  }
  for (unsigned dim = 0; type && dim < form.steps.size(); ++dim) {
    int number = dims.classOf(value, dim);
    if (number < 0 || form.steps[dim] == 0)
      continue;
    auto walk = walkOf.find(number);
    auto term = walk == walkOf.end() ? form.terms.end() : form.terms.find(numbers.walks[walk->second].base);
    if (term == form.terms.end() || term->second != form.steps[dim] || positionOf(number) != form.steps[dim])
      dims.pin(number, op, "uses the position in a block without its first index");
  }
}

/// Without caps.
static IndexForm differenceOf(IndexForm lhs, const IndexForm &rhs) {
  for (auto [atom, coefficient] : rhs.terms)
    if ((lhs.terms[atom] -= coefficient) == 0)
      lhs.terms.erase(atom);
  for (auto [step, other] : llvm::zip(lhs.steps, rhs.steps))
    step -= other;
  return lhs;
}

/// `p < min(end - base, extent)` is `p < end - base`, since p is below the extent; the number follows the extent.
void Planner::checkCap(OpOperand &use, const IndexForm &form) {
  auto compare = dyn_cast<arith::CmpIOp>(use.getOwner());
  const IndexForm *position = compare ? numbers.formOf(compare.getLhs()) : nullptr;
  auto type = compare ? dyn_cast<RankedTensorType>(compare.getLhs().getType()) : RankedTensorType();
  APInt most;
  int dim = -1;
  bool fits = type && use.getOperandNumber() == 1 && compare.getPredicate() == arith::CmpIPredicate::slt && position &&
              position->terms.empty() && position->constant == 0 && !position->cap &&
              matchPattern(form.cap->get(), m_ConstantInt(&most));
  for (unsigned d = 0; fits && d < position->steps.size(); ++d)
    if (position->steps[d] != 0 && type.getDimSize(d) != 1) {
      fits = dim < 0 && position->steps[d] == 1;
      dim = d;
    }
  int number = fits && dim >= 0 ? dims.classOf(compare.getLhs(), dim) : -1;
  auto walk = number < 0 ? walkOf.end() : walkOf.find(number);
  if (walk == walkOf.end() || most.getSExtValue() != type.getDimSize(dim)) {
    pinRelated(form, use.getOwner(), "caps a number of a block");
    if (position)
      checkForm(*position, compare.getLhs(), compare);
    return;
  }
  checkForm(differenceOf(*position, form), compare.getLhs(), compare);
  BlockWalk &of = numbers.walks[walk->second];
  if (!llvm::is_contained(of.numbers, form.cap))
    of.numbers.push_back(form.cap);
}

void Planner::checkUse(OpOperand &use) {
  Operation *op = use.getOwner();
  const IndexForm *form = numbers.formOf(use.get());
  if (!form)
    return;
  if (numbers.passesOn(op) || (numbers.isDivision(op) && use.getOperandNumber() == 0))
    return;
  for (const AccessDim &access : accesses) {
    if (access.offset != &use || isa<RankedTensorType>(use.get().getType()))
      continue;
    int own = dims.classOf(access.tile, access.tileDim);
    for (auto [atom, coefficient] : form->terms)
      for (int number : classesOfAtom(atom))
        if (number != own || coefficient != 1 || form->cap || numbers.walkOfBase(atom) != walkOf[number])
          dims.pin(number, op,
                   llvm::formatv("moves along view dim {0} with the blocks of another dimension", access.viewDim));
    return;
  }
  if (auto compare = dyn_cast<arith::CmpIOp>(op)) {
    const IndexForm *lhs = numbers.formOf(compare.getLhs()), *rhs = numbers.formOf(compare.getRhs());
    if (rhs && rhs->cap) {
      if (use.getOperandNumber() == 1)
        checkCap(use, *rhs);
      return;
    }
    // The order of unsigned numbers does not follow from their difference.
    if (lhs && rhs && !lhs->cap && (compare.getPredicate() < arith::CmpIPredicate::ult)) {
      if (use.getOperandNumber() == 1)
        return;
      return checkForm(differenceOf(*lhs, *rhs), compare.getLhs(), op);
    }
  }
  checkForm(*form, use.get(), op);
}

void Planner::checkUses() {
  kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
    for (OpOperand &use : op->getOpOperands())
      checkUse(use);
    if (auto iota = dyn_cast<tile::IotaOp>(op); iota && iota.getType().getElementType().getIntOrFloatBitWidth() < 32)
      dims.pin(dims.classOf(iota, 0), op, "numbers positions in fewer than 32 bits");
    auto count = dyn_cast<tile::NumProgramsOp>(op);
    if (!count)
      return;
    for (const CountUse &use : numbers.counts)
      if (isa<func::ReturnOp>(use.operand->getOwner()) && use.operand->getOperandNumber() == unsigned(count.getAxis()))
        for (int walk : use.walks)
          if (walk >= 0)
            for (int number : classOf[walk])
              dims.pin(number, op, "asks how many programs there are");
  });
}

//===----------------------------------------------------------------------===//
// The classes as a user sees them
//===----------------------------------------------------------------------===//

/// The parameter that a view is of, and which of its dimensions `dim` is; empty where it is not known.
static std::string nameOfDim(func::FuncOp kernel, Value view, unsigned dim) {
  BlockArgument root = parameterOf(view, &kernel.front());
  if (!root)
    return "";
  while (auto permute = view.getDefiningOp<tile::PermuteViewOp>()) {
    dim = permute.getOrder()[dim];
    view = permute.getView();
  }
  auto name = kernel.getArgAttrOfType<StringAttr>(root.getArgNumber(), "tile.name");
  return (name ? name.getValue().str() : std::to_string(root.getArgNumber())) + "." + std::to_string(dim);
}

void Planner::nameClasses(const std::map<int, unsigned> &place) {
  auto add = [&](int number, const Twine &name) {
    auto it = place.find(number);
    if (it != place.end() && !result.classes[it->second].hasName(name.str()))
      result.classes[it->second].names.push_back(name.str());
  };
  SmallVector<tile::DotOp> dots;
  kernel.walk<WalkOrder::PreOrder>([&](tile::DotOp dot) { dots.push_back(dot); });
  for (size_t i = 0; i < dots.size(); ++i) {
    tile::DotOp dot = dots[i];
    unsigned rank = dot.getAcc().getType().getRank();
    auto addRole = [&](int number, StringRef role) {
      add(number, role);
      if (dots.size() > 1)
        add(number, role + Twine(i));
    };
    addRole(dims.classOf(dot.getAcc(), rank - 2), "M");
    addRole(dims.classOf(dot.getAcc(), rank - 1), "N");
    addRole(dims.classOf(dot.getLhs(), rank - 1), "K");
    if (rank == 3)
      addRole(dims.classOf(dot.getAcc(), 0), "B");
  }
  for (const AccessDim &access : accesses)
    if (std::string name = nameOfDim(kernel, access.view, access.viewDim); !name.empty())
      add(dims.classOf(access.tile, access.tileDim), name);
  for (auto [i, extentClass] : llvm::enumerate(result.classes))
    if (extentClass.names.empty())
      extentClass.names.push_back("tile" + std::to_string(i));
  // Names of one class alone come first; a class without one gets a number.
  std::map<std::string, unsigned> uses, seen;
  for (const ExtentClass &extentClass : result.classes)
    for (const std::string &name : extentClass.names)
      ++uses[name];
  for (ExtentClass &extentClass : result.classes) {
    auto isOwn = [&](const std::string &name) { return uses[name] == 1; };
    if (llvm::none_of(extentClass.names, isOwn)) {
      std::string stem = extentClass.names.front();
      extentClass.names.insert(extentClass.names.begin(), stem + "#" + std::to_string(seen[stem]++));
      uses[extentClass.names.front()] = 1;
    }
    std::stable_partition(extentClass.names.begin(), extentClass.names.end(), isOwn);
  }
}

void Planner::addProducts(const std::map<int, unsigned> &place) {
  for (const CountUse &use : numbers.counts) {
    ExtentProduct product;
    product.operand = use.operand;
    bool isUsed = false;
    for (auto [factor, walk] : llvm::zip(use.factors, use.walks)) {
      int extentClass = -1;
      if (walk >= 0 && !classOf[walk].empty())
        if (auto it = place.find(classOf[walk].front()); it != place.end())
          extentClass = it->second;
      isUsed |= extentClass >= 0;
      product.factors.push_back({factor.value, factor.size, extentClass});
    }
    if (isUsed)
      result.products.push_back(std::move(product));
  }
}

void Planner::describeClasses() {
  std::map<int, unsigned> place;
  for (Value tile : dims.getTiles()) {
    auto type = cast<RankedTensorType>(tile.getType());
    for (unsigned dim = 0; dim < type.getRank(); ++dim) {
      int number = dims.classOf(tile, dim);
      if (number < 0)
        continue;
      auto [it, isNew] = place.try_emplace(number, result.classes.size());
      if (isNew) {
        result.classes.emplace_back();
        result.classes.back().extent = type.getDimSize(dim);
      }
      result.classes[it->second].dims.push_back({tile, dim});
    }
  }
  for (auto [number, index] : place) {
    ExtentClass &extentClass = result.classes[index];
    if (const TileDims::Pin *pin = dims.pinOf(number)) {
      extentClass.pin = {pin->op, pin->reason};
      continue;
    }
    const BlockWalk &walk = numbers.walks[walkOf[number]];
    extentClass.numbers = walk.numbers;
    extentClass.end = walk.size;
    if (scf::ForOp loop = walk.loop; loop && walk.size == loop.getUpperBound())
      extentClass.begin = loop.getLowerBound();
    ExtentFolds(kernel, dims, numbers, number, walk).check(extentClass);
    // Fewer positions behind the end are other results, and nobody could refuse the launch.
    if (extentClass.showsEnd && !extentClass.pin && !residuesOfWalk(extentClass.begin, extentClass.end, extentClass.extent))
      extentClass.pin = {extentClass.onlyDivisors.op,
                         llvm::formatv("{0}, and only the device knows whether whole blocks of {1} are walked",
                                       extentClass.onlyDivisors.text, extentClass.extent)
                             .str()};
    for (const AccessDim &access : accesses) {
      if (dims.classOf(access.tile, access.tileDim) != number)
        continue;
      if (access.isPromised)
        extentClass.promises.push_back({access.op, access.viewDim});
      // A store beside the block that it computes would write other elements for another extent.
      const IndexForm *form = numbers.formOf(access.offset->get());
      bool isBase = form && form->terms.size() == 1 && form->constant == 0;
      if (!isBase && !isa<tile::LoadOp, tile::GatherOp>(access.op) && !extentClass.pin)
        extentClass.pin = {access.op, "writes beside the block that is walked"};
    }
  }
  nameClasses(place);
  addProducts(place);
}

SmallVector<std::pair<Operation *, Operation *>> tilewright::splitSharedTiles(func::FuncOp kernel) {
  SmallVector<Operation *> shared;
  kernel.walk([&](Operation *op) {
    if (isa<arith::ConstantOp, ub::PoisonOp, tile::SplatOp, tile::IotaOp>(op) && !op->use_empty() && !op->hasOneUse() &&
        isa<RankedTensorType>(op->getResult(0).getType()))
      shared.push_back(op);
  });
  SmallVector<std::pair<Operation *, Operation *>> copies;
  OpBuilder builder(kernel.getContext());
  for (Operation *op : shared) {
    SmallVector<OpOperand *> uses;
    for (OpOperand &use : op->getUses())
      uses.push_back(&use);
    builder.setInsertionPointAfter(op);
    for (OpOperand *use : ArrayRef(uses).drop_back()) {
      Operation *copy = builder.clone(*op);
      use->set(copy->getResult(0));
      copies.push_back({copy, op});
    }
  }
  return copies;
}

void tilewright::mergeSharedTiles(ArrayRef<std::pair<Operation *, Operation *>> copies) {
  for (auto [copy, original] : copies) {
    if (copy->getResultTypes() != original->getResultTypes())
      continue;
    copy->getResult(0).replaceAllUsesWith(original->getResult(0));
    copy->erase();
  }
}

KernelExtents Planner::plan() {
  findAccesses();
  findWalks();
  checkUses();
  describeClasses();
  return std::move(result);
}

KernelExtents tilewright::planExtents(func::FuncOp kernel, func::FuncOp grid) { return Planner(kernel, grid).plan(); }

ExtentReason tilewright::reasonAgainst(const ExtentClass &extentClass, int64_t extent) {
  if (extent == extentClass.extent)
    return {};
  if (extentClass.pin)
    return extentClass.pin;
  if (extentClass.extent % extent != 0)
    return extentClass.onlyDivisors;
  return {};
}

SmallVector<LaunchCondition> tilewright::launchConditions(const ExtentClass &extentClass, int64_t extent) {
  bool isDivisor = extentClass.extent % extent == 0;
  SmallVector<LaunchCondition> conditions;
  if (extent == extentClass.extent)
    return conditions;
  std::optional<SmallVector<HostResidue>> residues;
  if (isDivisor && extentClass.end)
    residues = residuesOfWalk(extentClass.begin, extentClass.end, extentClass.extent);
  if (residues && llvm::all_of(*residues, [](const HostResidue &residue) { return residue.isAlwaysZero(); }))
    return conditions;
  if (isDivisor && extentClass.showsEnd) {
    conditions.push_back({nullptr, true});
    return conditions;
  }
  for (const ExtentRequirement &requirement : extentClass.requirements)
    conditions.push_back({&requirement, residues.has_value()});
  return conditions;
}

std::optional<std::pair<StringRef, int64_t>> tilewright::parseExtentRequest(StringRef text) {
  auto [name, number] = text.rsplit(':');
  int64_t extent = 0;
  if (name.empty() || number.getAsInteger(10, extent) || extent < 1 || extent > kMaxExtent)
    return std::nullopt;
  return std::make_pair(name, extent);
}
