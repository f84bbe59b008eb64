// SPDX-License-Identifier: Apache-2.0
#include "BlockNumbers.h"
#include "ExtentClasses.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilewright;

static std::optional<int64_t> constantOf(Value value) {
  APInt number;
  if (matchPattern(value, m_ConstantInt(&number)) && number.isSignedIntN(64))
    return number.getSExtValue();
  return std::nullopt;
}

/// Indices of blocks are taken to fit integers of this width or more.
static constexpr unsigned kIndexBits = 32;
static bool isWideEnough(Type type) {
  Type element = getElementTypeOrSelf(type);
  return element.isIndex() || element.getIntOrFloatBitWidth() >= kIndexBits;
}

static bool isIndexLike(Type type) { return getElementTypeOrSelf(type).isSignlessIntOrIndex(); }

ViewSize tilewright::resolveViewSize(Value view, unsigned dim) {
  while (true) {
    auto type = cast<tile::ViewType>(view.getType());
    if (!ShapedType::isDynamic(type.getShape()[dim]))
      return {{}, type.getShape()[dim], view, dim};
    if (auto permute = view.getDefiningOp<tile::PermuteViewOp>()) {
      dim = permute.getOrder()[dim];
      view = permute.getView();
      continue;
    }
    if (auto make = view.getDefiningOp<tile::MakeViewOp>()) {
      unsigned place = llvm::count_if(type.getShape().take_front(dim), ShapedType::isDynamic);
      return {make.getSizes()[place], -1, view, dim};
    }
    return {{}, -1, view, dim};
  }
}

unsigned BlockNumbers::intern(const Twine &key) {
  return interned.try_emplace(key.str(), interned.size() + 1).first->second;
}

unsigned BlockNumbers::numberOfSize(Value view, unsigned dim) {
  ViewSize size = resolveViewSize(view, dim);
  if (size.scalar)
    return numberOf(size.scalar);
  if (size.constant >= 0)
    return intern("constant " + Twine(size.constant));
  return intern("size " + Twine(numberOf(size.view)) + " " + Twine(size.dim));
}

/// Numbers the integer results of an op, and views.
void BlockNumbers::number(Operation *op) {
  for (Value result : op->getResults()) {
    if (!result.getType().isSignlessIntOrIndex() && !isa<tile::ViewType, tile::PtrType>(result.getType()))
      continue;
    unsigned &number = numbers[result];
    if (std::optional<int64_t> value = constantOf(result)) {
      number = intern("constant " + Twine(*value));
      continue;
    }
    if (auto query = dyn_cast<tile::ViewSizeOp>(op)) {
      number = numberOfSize(query.getView(), query.getDim());
      continue;
    }
    auto isWide = [](Type type) { return type.isIndex() || type.isInteger(64); };
    bool isSame = isa<tile::AssumeOp>(op) ||
                  (isa<arith::IndexCastOp>(op) && isWide(op->getOperand(0).getType()) && isWide(result.getType()));
    if (isSame) {
      number = numberOf(op->getOperand(0));
      continue;
    }
    std::string key;
    if (isa<arith::ArithDialect, tile::TileDialect>(op->getDialect()) && isMemoryEffectFree(op) &&
        op->getNumRegions() == 0 && op->getNumResults() == 1) {
      llvm::raw_string_ostream text(key);
      text << op->getName() << " " << result.getType() << " " << op->getPropertiesAsAttribute();
      for (Value operand : op->getOperands())
        text << " " << numberOf(operand);
    } else {
      key = "value " + std::to_string(interned.size());
    }
    number = intern(key);
  }
}

/// The factors of a product, from left to right.
SmallVector<CountFactor> BlockNumbers::factor(Value product) const {
  SmallVector<Value> values{product};
  for (size_t i = 0; i < values.size() && values.size() < 16;) {
    auto multiply = values[i].getDefiningOp<arith::MulIOp>();
    if (!multiply) {
      ++i;
      continue;
    }
    values[i] = multiply.getLhs();
    values.insert(values.begin() + i + 1, multiply.getRhs());
  }
  SmallVector<CountFactor> factors;
  for (Value value : values) {
    CountFactor factor{value, numberOf(value), {}, 0};
    if (Operation *op = value.getDefiningOp(); op && op->getNumOperands() == 2) {
      std::optional<int64_t> extent = constantOf(op->getOperand(1));
      if (extent && *extent > 1 && isa<arith::CeilDivSIOp, arith::CeilDivUIOp>(op)) {
        factor.size = op->getOperand(0);
        factor.extent = *extent;
      } else if (extent && *extent > 1 && isa<arith::DivSIOp, arith::DivUIOp, arith::FloorDivSIOp>(op)) {
        auto sum = op->getOperand(0).getDefiningOp<arith::AddIOp>();
        if (sum && constantOf(sum.getRhs()) == *extent - 1) {
          factor.size = sum.getLhs();
          factor.extent = *extent;
        }
      }
    }
    factors.push_back(factor);
  }
  return factors;
}

void BlockNumbers::addBlockNumber(unsigned atom, ArrayRef<CountFactor> factors, OpOperand &product, scf::ForOp loop,
                                  bool isInGrid) {
  CountUse use{&product, SmallVector<CountFactor>(factors), {}};
  for (const CountFactor &factor : factors) {
    use.walks.push_back(factor.size ? int(walks.size()) : -1);
    if (factor.size)
      walks.push_back({loop, factor.extent, factor.size, isInGrid, intern("base " + Twine(walks.size())), {}});
  }
  blockNumbers[atom] = use.walks;
  factorsOf[atom] = use.factors;
  if (llvm::any_of(use.walks, [](int walk) { return walk >= 0; }))
    counts.push_back(std::move(use));
}

void BlockNumbers::addGrid(func::FuncOp grid) {
  for (auto [i, argument] : llvm::enumerate(grid.getArguments()))
    numbers[argument] = intern("argument " + Twine(i));
  for (Operation &op : grid.front())
    number(&op);
  for (auto [axis, operand] : llvm::enumerate(grid.front().getTerminator()->getOpOperands()))
    addBlockNumber(intern("program_id " + Twine(axis)), factor(operand.get()), operand, {}, /*isInGrid=*/true);
}

/// A loop over blocks, by their first index or by their number.
void BlockNumbers::addLoop(scf::ForOp loop) {
  Value variable = loop.getInductionVar();
  unsigned atom = numbers[variable] = intern("value " + Twine(interned.size()));
  forms[variable].terms[atom] = 1;
  std::optional<int64_t> step = constantOf(loop.getStep());
  if (!step)
    return;
  if (*step > 1) {
    OpOperand &operand = loop.getStepMutable();
    walks.push_back({loop, *step, loop.getUpperBound(), false, atom, {&operand}});
  } else if (constantOf(loop.getLowerBound()) == 0) {
    addBlockNumber(atom, factor(loop.getUpperBound()), loop.getUpperBoundMutable(), loop, /*isInGrid=*/false);
  }
}

/// Divides a block number by a product of its factors.
bool BlockNumbers::addDivision(Operation *op) {
  bool isQuotient = isa<arith::DivSIOp, arith::DivUIOp, arith::FloorDivSIOp>(op);
  if (!isQuotient && !isa<arith::RemSIOp, arith::RemUIOp>(op))
    return false;
  const IndexForm *dividend = formOf(op->getOperand(0));
  if (!dividend || dividend->terms.size() != 1 || dividend->constant != 0 || dividend->cap ||
      dividend->terms.begin()->second != 1)
    return false;
  auto known = blockNumbers.find(dividend->terms.begin()->first);
  if (known == blockNumbers.end())
    return false;
  SmallVector<CountFactor> left = factorsOf[known->first];
  SmallVector<int> leftWalks = known->second;
  CountUse use{&op->getOpOperand(1), factor(op->getOperand(1)), {}};
  for (const CountFactor &factor : use.factors) {
    // The last of equal ones: tiles are numbered along the last dimension first.
    size_t place = left.size();
    while (place > 0 && left[place - 1].number != factor.number)
      --place;
    if (place == 0)
      return false;
    use.walks.push_back(leftWalks[place - 1]);
    left.erase(left.begin() + place - 1);
    leftWalks.erase(leftWalks.begin() + place - 1);
  }
  Value result = op->getResult(0);
  unsigned atom = numbers[result] = intern("value " + Twine(interned.size()));
  forms[result].terms[atom] = 1;
  blockNumbers[atom] = isQuotient ? leftWalks : use.walks;
  factorsOf[atom] = isQuotient ? left : use.factors;
  if (llvm::any_of(use.walks, [](int walk) { return walk >= 0; }))
    counts.push_back(std::move(use));
  divisions.insert(op);
  return true;
}

static bool accumulate(IndexForm &into, const IndexForm &from, int64_t times) {
  int64_t product;
  auto add = [&](int64_t &sum, int64_t value) {
    return !__builtin_mul_overflow(value, times, &product) && !__builtin_add_overflow(sum, product, &sum);
  };
  for (auto [atom, coefficient] : from.terms) {
    if (!add(into.terms[atom], coefficient))
      return false;
    if (into.terms[atom] == 0)
      into.terms.erase(atom);
  }
  into.steps.resize(std::max(into.steps.size(), from.steps.size()), 0);
  for (auto [sum, step] : llvm::zip(into.steps, from.steps))
    if (!add(sum, step))
      return false;
  return add(into.constant, from.constant);
}

/// The form of the op's one result from those of its operands; false where there is none.
bool BlockNumbers::addForm(Operation *op) {
  Value result = op->getResult(0);
  auto tile = dyn_cast<RankedTensorType>(result.getType());
  IndexForm form;
  form.steps.assign(tile ? tile.getRank() : 0, 0);
  auto operand = [&](unsigned i) { return formOf(op->getOperand(i)); };
  bool isMade =
      llvm::TypeSwitch<Operation *, bool>(op)
          .Case<arith::ConstantOp>([&](arith::ConstantOp x) {
            Attribute value = x.getValue();
            if (auto splat = dyn_cast<SplatElementsAttr>(value))
              value = splat.getSplatValue<Attribute>();
            auto integer = dyn_cast<IntegerAttr>(value);
            if (!integer || !integer.getValue().isSignedIntN(64))
              return false;
            form.constant = integer.getValue().getSExtValue();
            return true;
          })
          .Case<arith::AddIOp, arith::SubIOp>([&](auto) {
            if (!operand(0) || !operand(1) || operand(0)->cap || operand(1)->cap)
              return false;
            return accumulate(form, *operand(0), 1) && accumulate(form, *operand(1), isa<arith::AddIOp>(op) ? 1 : -1);
          })
          .Case<arith::MulIOp>([&](arith::MulIOp x) {
            for (unsigned i : {1u, 0u}) {
              const IndexForm *times = operand(i), *other = operand(1 - i);
              if (!times || !other || times->cap || other->cap || !times->terms.empty() ||
                  llvm::any_of(times->steps, [](int64_t step) { return step != 0; }))
                continue;
              // A block number times its extent is the first index of a block.
              if (!tile && other->terms.size() == 1 && other->constant == 0 && other->terms.begin()->second == 1) {
                ArrayRef<int> counted = walksCounted(other->terms.begin()->first);
                if (counted.size() == 1 && counted[0] >= 0 && walks[counted[0]].extent == times->constant &&
                    matchPattern(x->getOperand(i), m_Constant())) {
                  walks[counted[0]].numbers.push_back(&x->getOpOperand(i));
                  form.terms[walks[counted[0]].base] = 1;
                  return true;
                }
              }
              return accumulate(form, *other, times->constant);
            }
            return false;
          })
          .Case<arith::MinSIOp>([&](arith::MinSIOp x) {
            if (tile || !operand(0) || operand(0)->cap || !constantOf(x.getRhs()))
              return false;
            form = *operand(0);
            form.cap = &x->getOpOperand(1);
            return true;
          })
          .Case<arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp>([&](auto) {
            if (!operand(0) || !isWideEnough(op->getOperand(0).getType()) || !isWideEnough(result.getType()))
              return false;
            form = *operand(0);
            return true;
          })
          .Case<tile::SplatOp>([&](auto) {
            if (!operand(0))
              return false;
            form = *operand(0);
            form.steps.assign(tile.getRank(), 0);
            return true;
          })
          .Case<tile::IotaOp>([&](tile::IotaOp x) {
            form.steps[0] = 1;
            form.constant = x.getStart().value_or(0);
            return true;
          })
          .Case<tile::BroadcastOp>([&](auto) {
            if (!operand(0))
              return false;
            form = *operand(0);
            auto source = cast<RankedTensorType>(op->getOperand(0).getType());
            for (unsigned dim = 0; dim < tile.getRank(); ++dim)
              if (source.getDimSize(dim) == 1)
                form.steps[dim] = 0;
            return true;
          })
          .Case<tile::ReshapeOp>([&](tile::ReshapeOp x) {
            if (!operand(0))
              return false;
            ArrayRef<int64_t> from = x.getSource().getType().getShape();
            SmallVector<int64_t> old(operand(0)->steps.begin(), operand(0)->steps.end());
            form = *operand(0);
            form.steps.assign(tile.getRank(), 0);
            for (auto [f, t] : matchReshapedDims(from, tile.getShape())) {
              form.steps[t] = old[f];
              old[f] = 0;
            }
            for (auto [dim, step] : llvm::enumerate(old))
              if (step != 0 && from[dim] != 1)
                return false;
            return true;
          })
          .Case<tile::PermuteOp>([&](tile::PermuteOp x) {
            if (!operand(0))
              return false;
            form = *operand(0);
            for (auto [dim, source] : llvm::enumerate(x.getOrder()))
              form.steps[dim] = operand(0)->steps[source];
            return true;
          })
          .Default([](Operation *) { return false; });
  if (isMade)
    forms[result] = std::move(form);
  return isMade;
}

void BlockNumbers::addFunction(func::FuncOp func) {
  for (auto [i, argument] : llvm::enumerate(func.getArguments())) {
    numbers[argument] = intern("argument " + Twine(i));
    if (argument.getType().isSignlessIntOrIndex())
      forms[argument].terms[numberOf(argument)] = 1;
  }
  func.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op == func)
      return;
    number(op);
    if (auto loop = dyn_cast<scf::ForOp>(op))
      addLoop(loop);
    if (op->getNumResults() != 1 || !isIndexLike(op->getResult(0).getType()) || addDivision(op))
      return;
    if (auto id = dyn_cast<tile::ProgramIdOp>(op))
      numbers[id] = intern("program_id " + Twine(unsigned(id.getAxis())));
    if (addForm(op)) {
      passing.insert(op);
      return;
    }
    if (isa<RankedTensorType>(op->getResult(0).getType()))
      return;
    forms[op->getResult(0)].terms[numberOf(op->getResult(0))] = 1;
  });
}

BlockNumbers::BlockNumbers(func::FuncOp kernel, func::FuncOp grid) {
  if (grid)
    addGrid(grid);
  addFunction(kernel);
}

const IndexForm *BlockNumbers::formOf(Value value) const {
  auto it = forms.find(value);
  return it == forms.end() ? nullptr : &it->second;
}

IndexForm BlockNumbers::formOfEnd(const BlockWalk &walk) const {
  if (const IndexForm *form = formOf(walk.size))
    return *form;
  IndexForm form; // Numbers of the grid function have no form of their own.
  if (std::optional<int64_t> constant = constantOf(walk.size))
    form.constant = *constant;
  else
    form.terms[numberOf(walk.size)] = 1;
  return form;
}

int BlockNumbers::walkOfBase(unsigned atom) const {
  for (auto [i, walk] : llvm::enumerate(walks))
    if (walk.base == atom)
      return i;
  return -1;
}

ArrayRef<int> BlockNumbers::walksCounted(unsigned atom) const {
  auto it = blockNumbers.find(atom);
  return it == blockNumbers.end() ? ArrayRef<int>() : ArrayRef<int>(it->second);
}
