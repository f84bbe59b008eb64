// SPDX-License-Identifier: Apache-2.0
#include "IndexInterpreter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tilewright/Dialect/Tile/IR/Tile.h"

using namespace mlir;
using namespace tilewright;
using namespace indextest;

__extension__ typedef __int128 Wide;
using Number = std::optional<int64_t>;

static unsigned widthOf(Type type) { return type.isIndex() ? 64 : type.getIntOrFloatBitWidth(); }

/// The low bits of a number, read as signed and as unsigned.
static int64_t readSigned(Wide value, unsigned width) {
  Wide modulus = Wide(1) << width, low = ((value % modulus) + modulus) % modulus;
  return static_cast<int64_t>(low >= modulus / 2 ? low - modulus : low);
}
static Wide readUnsigned(int64_t value, unsigned width) {
  Wide modulus = Wide(1) << width;
  return ((Wide(value) % modulus) + modulus) % modulus;
}
static Wide floorOf(Wide a, Wide b) { return a / b - ((a % b != 0 && (a < 0) != (b < 0)) ? 1 : 0); }

namespace {
/// What an op gives: a number before it is cut to its width, or poison.
struct Outcome {
  Wide value = 0;
  bool isPoison = false;
};
} // namespace

/// Nothing for undefined behaviour.
static std::optional<Outcome> compute(Operation &op, int64_t a, int64_t b, unsigned width) {
  Wide ua = readUnsigned(a, width), ub = readUnsigned(b, width);
  StringRef name = op.getName().stripDialect();
  bool isDivision = name.contains("div") || name.contains("rem");
  bool isSigned = name.ends_with("si");
  if (isDivision && (b == 0 || (isSigned && b == -1 && a == readSigned(Wide(1) << (width - 1), width))))
    return std::nullopt;
  bool isShift = name.starts_with("sh");
  if (isShift && ub >= width)
    return Outcome{0, true};
  Wide wa = a, wb = b;
  if (name == "addi")
    return Outcome{wa + wb};
  if (name == "subi")
    return Outcome{wa - wb};
  if (name == "muli")
    return Outcome{wa * wb};
  if (name == "divsi")
    return Outcome{wa / wb};
  if (name == "floordivsi")
    return Outcome{floorOf(wa, wb)};
  if (name == "ceildivsi")
    return Outcome{-floorOf(-wa, wb)};
  if (name == "remsi")
    return Outcome{wa % wb};
  if (name == "divui")
    return Outcome{ua / ub};
  if (name == "ceildivui")
    return Outcome{-floorOf(-ua, ub)};
  if (name == "remui")
    return Outcome{ua % ub};
  if (name == "shli")
    return Outcome{wa * (Wide(1) << static_cast<unsigned>(ub))};
  if (name == "shrsi")
    return Outcome{floorOf(wa, Wide(1) << static_cast<unsigned>(ub))};
  if (name == "shrui")
    return Outcome{ua / (Wide(1) << static_cast<unsigned>(ub))};
  if (name == "andi")
    return Outcome{wa & wb};
  if (name == "minsi")
    return Outcome{std::min(wa, wb)};
  if (name == "maxsi")
    return Outcome{std::max(wa, wb)};
  if (name == "minui")
    return Outcome{std::min(ua, ub)};
  if (name == "maxui")
    return Outcome{std::max(ua, ub)};
  llvm_unreachable("an op that the test does not know");
}

static bool compare(arith::CmpIPredicate predicate, int64_t a, int64_t b, unsigned width) {
  Wide ua = readUnsigned(a, width), ub = readUnsigned(b, width);
  switch (predicate) {
  case arith::CmpIPredicate::eq:
    return a == b;
  case arith::CmpIPredicate::ne:
    return a != b;
  case arith::CmpIPredicate::slt:
    return a < b;
  case arith::CmpIPredicate::sle:
    return a <= b;
  case arith::CmpIPredicate::sgt:
    return a > b;
  case arith::CmpIPredicate::sge:
    return a >= b;
  case arith::CmpIPredicate::ult:
    return ua < ub;
  case arith::CmpIPredicate::ule:
    return ua <= ub;
  case arith::CmpIPredicate::ugt:
    return ua > ub;
  case arith::CmpIPredicate::uge:
    return ua >= ub;
  }
  return false;
}

bool IndexInterpreter::run(func::FuncOp func) {
  values.clear();
  results.clear();
  steps = 0;
  for (BlockArgument argument : func.getArguments())
    if (argument.getType().isIntOrIndex())
      values[argument] = scalars.lookup(argument.getArgNumber());
  return runBlock(func.front(), results);
}

bool IndexInterpreter::runBlock(Block &block, SmallVector<Number> &yielded) {
  for (Operation &op : block) {
    if (++steps > 1500)
      return false;
    if (op.hasTrait<OpTrait::IsTerminator>()) {
      yielded.clear();
      for (Value operand : op.getOperands())
        yielded.push_back(valueOf(operand));
      return true;
    }
    if (!runOp(op))
      return false;
  }
  return true;
}

Number IndexInterpreter::sizeOf(Value view, int64_t dim) const {
  while (auto permute = view.getDefiningOp<tile::PermuteViewOp>()) {
    dim = permute.getOrder()[dim];
    view = permute.getView();
  }
  ArrayRef<int64_t> shape = cast<tile::ViewType>(view.getType()).getShape();
  if (!ShapedType::isDynamic(shape[dim]))
    return shape[dim];
  if (auto make = view.getDefiningOp<tile::MakeViewOp>())
    return valueOf(make.getSizes()[llvm::count_if(shape.take_front(dim), ShapedType::isDynamic)]);
  return sizes.lookup({cast<BlockArgument>(view).getArgNumber(), dim});
}

bool IndexInterpreter::runOp(Operation &op) {
  auto number = [&](unsigned operand) { return valueOf(op.getOperand(operand)); };
  auto give = [&](Number value) {
    values[op.getResult(0)] = value;
    return true;
  };
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return give(cast<IntegerAttr>(constant.getValue()).getValue().getSExtValue());
  if (auto read = dyn_cast<tile::ProgramIdOp>(op))
    return give(id[static_cast<unsigned>(read.getAxis())]);
  if (auto read = dyn_cast<tile::NumProgramsOp>(op))
    return give(programs[static_cast<unsigned>(read.getAxis())]);
  if (auto size = dyn_cast<tile::ViewSizeOp>(op))
    return give(sizeOf(size.getView(), size.getDim()));
  if (isa<tile::PermuteViewOp, tile::MakeViewOp, tile::ViewBaseOp>(op))
    return true; // Sizes are found where they are asked for.
  if (auto assume = dyn_cast<tile::AssumeOp>(op)) {
    Number value = number(0);
    if (value && ((assume.getMin() && *value < static_cast<int64_t>(*assume.getMin())) ||
                  (assume.getMax() && *value > static_cast<int64_t>(*assume.getMax())) ||
                  (assume.getDivBy() && *value % static_cast<int64_t>(*assume.getDivBy()) != 0)))
      return false;
    return give(value);
  }
  if (auto cmp = dyn_cast<arith::CmpIOp>(op)) {
    Number a = number(0), b = number(1);
    bool isTrue = a && b && compare(cmp.getPredicate(), *a, *b, widthOf(cmp.getLhs().getType()));
    return give(a && b ? Number(isTrue ? -1 : 0) : Number());
  }
  if (isa<arith::SelectOp>(op)) {
    Number condition = number(0);
    return give(condition ? number(*condition ? 1 : 2) : Number());
  }
  if (isa<arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp>(op)) {
    bool isUnsigned = isa<arith::IndexCastUIOp, arith::ExtUIOp>(op);
    Number value = number(0);
    if (!value)
      return give(value);
    Wide wide = isUnsigned ? readUnsigned(*value, widthOf(op.getOperand(0).getType())) : Wide(*value);
    return give(readSigned(wide, widthOf(op.getResult(0).getType())));
  }
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    Number condition = number(0);
    if (!condition)
      return false;
    SmallVector<Number> yielded;
    Region &region = *condition ? branch.getThenRegion() : branch.getElseRegion();
    if (!region.empty() && !runBlock(region.front(), yielded))
      return false;
    for (auto [result, value] : llvm::zip(op.getResults(), yielded))
      values[result] = value;
    return true;
  }
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    Number lower = number(0), upper = number(1), step = number(2);
    unsigned width = widthOf(loop.getInductionVar().getType());
    if (!lower || !upper || !step || (*step <= 0 && !wrapsLoops))
      return false;
    SmallVector<Number> carried;
    for (Value init : loop.getInitArgs())
      carried.push_back(valueOf(init));
    bool isUnsigned = loop.getUnsignedCmp();
    Wide begin = isUnsigned ? readUnsigned(*lower, width) : Wide(*lower);
    Wide end = isUnsigned ? readUnsigned(*upper, width) : Wide(*upper);
    for (Wide i = begin; i < end; i += *step) {
      if (wrapsLoops)
        i = isUnsigned ? readUnsigned(readSigned(i, width), width) : Wide(readSigned(i, width));
      if (i >= end)
        break;
      values[loop.getInductionVar()] = readSigned(i, width);
      for (auto [argument, value] : llvm::zip(loop.getRegionIterArgs(), carried))
        values[argument] = value;
      if (!runBlock(*loop.getBody(), carried))
        return false;
    }
    for (auto [result, value] : llvm::zip(op.getResults(), carried))
      values[result] = value;
    return true;
  }
  if (auto loop = dyn_cast<scf::WhileOp>(op)) {
    SmallVector<Number> carried;
    for (Value init : loop.getInits())
      carried.push_back(valueOf(init));
    while (true) {
      for (auto [argument, value] : llvm::zip(loop.getBeforeArguments(), carried))
        values[argument] = value;
      if (!runBlock(*loop.getBeforeBody(), carried) || !carried[0])
        return false;
      bool goesOn = *carried[0] != 0;
      carried.erase(carried.begin());
      if (!goesOn)
        break;
      for (auto [argument, value] : llvm::zip(loop.getAfterArguments(), carried))
        values[argument] = value;
      if (!runBlock(*loop.getAfterBody(), carried))
        return false;
    }
    for (auto [result, value] : llvm::zip(op.getResults(), carried))
      values[result] = value;
    return true;
  }
  if (!isa_and_nonnull<arith::ArithDialect>(op.getDialect())) {
    probe(&op);
    return true;
  }
  Number a = number(0), b = number(1);
  if (!a || !b) {
    bool isDivision = op.getName().getStringRef().contains("div") || op.getName().getStringRef().contains("rem");
    return isDivision && !b ? false : give(std::nullopt);
  }
  unsigned width = widthOf(op.getResult(0).getType());
  std::optional<Outcome> outcome = compute(op, *a, *b, width);
  if (!outcome)
    return false;
  int64_t value = readSigned(outcome->value, width);
  if (reportsOverflow && width == 64 && value != outcome->value)
    return false;
  auto flags = dyn_cast<arith::ArithIntegerOverflowFlagsInterface>(op);
  bool isPoison = outcome->isPoison || (flags && flags.hasNoSignedWrap() && value != outcome->value);
  return give(isPoison ? Number() : Number(value));
}
