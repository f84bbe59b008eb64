// SPDX-License-Identifier: Apache-2.0
// The rule of each op, dimension by dimension. Arithmetic is exact first; where it may leave the width of its type,
// `wrapFacts` keeps what survives.
#include "AlignmentSolver.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilewright;

namespace {
/// One op with the facts of its operands.
class Transfer {
public:
  Transfer(Operation *op, ArrayRef<AlignmentFacts> operands, const RangeQuery &ranges)
      : op(op), in(operands), ranges(ranges), result(AlignmentFacts::ofType(op->getResult(0).getType())) {}

  AlignmentFacts run();

private:
  static unsigned widthOf(Value value) {
    Type element = getElementTypeOrSelf(value.getType());
    return element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 64;
  }
  int64_t extent(unsigned dim) const {
    auto tile = dyn_cast<RankedTensorType>(op->getResult(0).getType());
    return tile ? tile.getDimSize(dim) : 1;
  }
  std::optional<int64_t> constant(unsigned operand) const { return constantIn(ranges(op->getOperand(operand))); }
  bool isNonNegative(unsigned operand) const {
    std::optional<ConstantIntRanges> range = ranges(op->getOperand(operand));
    return range && range->smin().getBitWidth() > 0 && range->smin().isNonNegative();
  }

  /// Applies `rule` to the facts of each dimension of the operands.
  template <typename Rule> AlignmentFacts unary(Rule rule) {
    for (auto [d, dim] : llvm::enumerate(result.dims))
      dim = rule(in[0].dims[d]);
    return result;
  }
  template <typename Rule> AlignmentFacts binary(Rule rule) {
    for (auto [d, dim] : llvm::enumerate(result.dims))
      dim = rule(in[0].dims[d], in[1].dims[d]);
    return result;
  }
  /// As `binary`, exact if the op says so or ranges prove it, else wrapped to the result's width.
  template <typename Rule> AlignmentFacts arithmetic(Rule rule) {
    bool wraps = mayWrap();
    unsigned width = widthOf(op->getResult(0));
    return binary([&](const DimFacts &a, const DimFacts &b) {
      DimFacts exact = rule(a, b);
      return wraps ? wrapFacts(exact, width) : exact;
    });
  }
  /// As `binary` for unsigned ops: operands that may be negative are read as unsigned first, and the result as signed.
  template <typename Rule> AlignmentFacts unsignedBinary(Rule rule) {
    bool isSafe = isNonNegative(0) && isNonNegative(1);
    unsigned width = widthOf(op->getResult(0));
    return binary([&](const DimFacts &a, const DimFacts &b) {
      return isSafe ? rule(a, b) : wrapFacts(rule(wrapFacts(a, width), wrapFacts(b, width)), width);
    });
  }
  bool mayWrap() const;
  AlignmentFacts convert(bool isUnsigned);
  AlignmentFacts compare(arith::CmpIOp cmp);
  AlignmentFacts assume(tile::AssumeOp assume);
  AlignmentFacts makeView(tile::MakeViewOp make);
  AlignmentFacts reshape(tile::ReshapeOp reshape);

  Operation *op;
  ArrayRef<AlignmentFacts> in;
  const RangeQuery &ranges;
  AlignmentFacts result;
};
} // namespace

bool Transfer::mayWrap() const {
  if (auto flags = dyn_cast<arith::ArithIntegerOverflowFlagsInterface>(op))
    if (bitEnumContainsAny(flags.getOverflowAttr().getValue(), arith::IntegerOverflowFlags::nsw))
      return false;
  std::optional<ConstantIntRanges> a = ranges(op->getOperand(0)), b = ranges(op->getOperand(1));
  if (!a || !b)
    return true;
  bool overflow = false, any = false;
  auto check = [&](const APInt &x, const APInt &y) {
    if (isa<arith::AddIOp>(op))
      (void)x.sadd_ov(y, overflow);
    else if (isa<arith::SubIOp>(op))
      (void)x.ssub_ov(y, overflow);
    else if (isa<arith::MulIOp>(op))
      (void)x.smul_ov(y, overflow);
    else if (isa<arith::ShLIOp>(op))
      (void)x.sshl_ov(y, overflow);
    else
      overflow = true;
    any |= overflow;
  };
  // Each of the four is monotone in each operand (a shift by a negative amount is undefined), so the corners decide.
  if (isa<arith::ShLIOp>(op) && b->smin().isNegative())
    return true;
  for (const APInt &x : {a->smin(), a->smax()})
    for (const APInt &y : {b->smin(), b->smax()})
      check(x, y);
  return any;
}

AlignmentFacts Transfer::convert(bool isUnsigned) {
  unsigned from = widthOf(op->getOperand(0)), to = widthOf(op->getResult(0));
  bool widens = to >= from;
  // A signed extension keeps the number; so does an unsigned one of a number that is not negative. An i1 counts as 0 or
  // 1 here and has divisor 1, which every extension keeps.
  bool isExact = widens && (!isUnsigned || isNonNegative(0));
  return unary([&](const DimFacts &dim) { return isExact ? dim : wrapFacts(dim, std::min(from, to)); });
}

AlignmentFacts Transfer::compare(arith::CmpIOp cmp) {
  using Predicate = arith::CmpIPredicate;
  Predicate predicate = cmp.getPredicate();
  bool isUnsigned = predicate >= Predicate::ult;
  bool isSafe = !isUnsigned || (isNonNegative(0) && isNonNegative(1));
  unsigned width = widthOf(cmp.getLhs());
  return binary([&](const DimFacts &lhs, const DimFacts &rhs) {
    DimFacts a = isSafe ? lhs : wrapFacts(lhs, width), b = isSafe ? rhs : wrapFacts(rhs, width);
    switch (predicate) {
    case Predicate::slt:
    case Predicate::ult:
      return orderFacts(OrderPredicate::LessThan, a, b);
    case Predicate::sle:
    case Predicate::ule:
      return orderFacts(OrderPredicate::LessEqual, a, b);
    case Predicate::sgt:
    case Predicate::ugt:
      return orderFacts(OrderPredicate::GreaterThan, a, b);
    case Predicate::sge:
    case Predicate::uge:
      return orderFacts(OrderPredicate::GreaterEqual, a, b);
    default:
      return elementwiseFacts(a, b);
    }
  });
}

AlignmentFacts Transfer::assume(tile::AssumeOp assume) {
  auto entry = [](std::optional<ArrayRef<int64_t>> list, unsigned d) { return list ? (*list)[d] : 1; };
  std::optional<ArrayRef<int64_t>> every = assume.getEvery();
  result = in[0];
  for (auto [d, dim] : llvm::enumerate(result.dims)) {
    DimFacts promised{entry(assume.getContiguous(), d), 1, entry(assume.getSame(), d)};
    dim = meetFacts(dim, promised, result.unit);
    // The divisor is about elements that begin a group in every dimension; one dimension can use it if all others
    // have groups of one.
    bool othersAreOne = true;
    for (unsigned other = 0; other < result.dims.size(); ++other)
      othersAreOne &= other == d || entry(every, other) == 1;
    if (assume.getDivBy() && othersAreOne && dim.contiguity % entry(every, d) == 0)
      dim.divisor = combineDivisors(dim.divisor, *assume.getDivBy());
  }
  return result;
}

AlignmentFacts Transfer::makeView(tile::MakeViewOp make) {
  result.base = in[0].divisor();
  auto fill = [&](unsigned operand, int64_t &divisor, std::optional<int64_t> &value) {
    divisor = in[operand].divisor();
    value = constant(operand);
  };
  unsigned operand = 1;
  for (auto [d, size] : llvm::enumerate(make.getType().getShape()))
    if (ShapedType::isDynamic(size))
      fill(operand++, result.sizeDivisors[d], result.sizes[d]);
  for (auto [d, stride] : llvm::enumerate(make.getType().getStrides()))
    if (ShapedType::isDynamic(stride))
      fill(operand++, result.strideDivisors[d], result.strides[d]);
  return result;
}

AlignmentFacts Transfer::reshape(tile::ReshapeOp reshape) {
  ArrayRef<int64_t> from = reshape.getSource().getType().getShape(), to = reshape.getType().getShape();
  int64_t unit = result.unit, all = in[0].divisor();
  for (DimFacts &dim : result.dims)
    dim = {1, all, 1};
  // Both shapes are cut into the shortest pieces of equal element count. Within a piece, the elements in row-major
  // order have the runs of its last dimension.
  size_t i = 0, j = 0;
  while (i < from.size() || j < to.size()) {
    size_t firstI = i, firstJ = j;
    int64_t left = 1, right = 1;
    do {
      if (j < to.size() && (right <= left || i == from.size()))
        right *= to[j++];
      else
        left *= from[i++];
    } while (left != right || (i == firstI && i < from.size()));
    if (i == firstI)
      continue; // Extents of 1 at the end.
    // The last dimension of the source's piece that is longer than 1 carries its runs.
    size_t last = i - 1;
    while (last > firstI && from[last] == 1)
      --last;
    const DimFacts &runs = in[0].dims[last];
    int64_t stride = 1;
    for (size_t k = j; k-- > firstJ; stride *= to[k]) {
      if (stride == 1 && to[k] != 1)
        result.dims[k] = blockFacts(runs, to[k], unit);
      else if (to[k] != 1 && runs.constancy % stride == 0)
        result.dims[k].constancy = std::gcd(runs.constancy / stride, to[k]);
      if (to[k] == 1)
        result.dims[k] = {1, combineDivisors(all, divisorAt(runs, 1, unit)), 1};
    }
  }
  return result;
}

AlignmentFacts Transfer::run() {
  if (result.dims.empty() && result.sizes.empty())
    return result;
  return llvm::TypeSwitch<Operation *, AlignmentFacts>(op)
      .Case([&](arith::AddIOp) {
        return arithmetic([](const DimFacts &a, const DimFacts &b) { return addFacts(a, b); });
      })
      .Case([&](arith::SubIOp) { return arithmetic(subFacts); })
      .Case([&](arith::MulIOp) {
        return arithmetic(
            [&](const DimFacts &a, const DimFacts &b) { return mulFacts(a, b, constant(0), constant(1)); });
      })
      .Case([&](arith::ShLIOp) {
        std::optional<int64_t> amount = constant(1);
        return arithmetic([&](const DimFacts &a, const DimFacts &b) {
          if (!amount || *amount < 0 || *amount > 62)
            return shiftLeftFacts(a, b);
          int64_t factor = int64_t(1) << *amount;
          DimFacts by = b;
          by.divisor = factor;
          return mulFacts(a, by, std::nullopt, factor);
        });
      })
      .Case([&](arith::FloorDivSIOp) {
        return binary([&](const DimFacts &a, const DimFacts &b) { return floorDivFacts(a, b, constant(1)); });
      })
      .Case<arith::DivSIOp>([&](auto) {
        bool floors = isNonNegative(0);
        return binary([&](const DimFacts &a, const DimFacts &b) {
          return floors ? floorDivFacts(a, b, constant(1)) : roundedDivFacts(a, b, constant(1));
        });
      })
      .Case([&](arith::CeilDivSIOp) {
        return binary([&](const DimFacts &a, const DimFacts &b) { return roundedDivFacts(a, b, constant(1)); });
      })
      .Case([&](arith::DivUIOp) {
        std::optional<int64_t> by = isNonNegative(1) ? constant(1) : std::nullopt;
        return unsignedBinary([&](const DimFacts &a, const DimFacts &b) { return floorDivFacts(a, b, by); });
      })
      .Case([&](arith::CeilDivUIOp) {
        std::optional<int64_t> by = isNonNegative(1) ? constant(1) : std::nullopt;
        return unsignedBinary([&](const DimFacts &a, const DimFacts &b) { return roundedDivFacts(a, b, by); });
      })
      .Case([&](arith::RemSIOp) {
        bool floors = isNonNegative(0);
        return binary([&](const DimFacts &a, const DimFacts &b) {
          return floors ? floorRemFacts(a, b, constant(1)) : truncRemFacts(a, b);
        });
      })
      .Case([&](arith::RemUIOp) {
        std::optional<int64_t> by = isNonNegative(1) ? constant(1) : std::nullopt;
        return unsignedBinary([&](const DimFacts &a, const DimFacts &b) { return floorRemFacts(a, b, by); });
      })
      .Case<arith::ShRSIOp, arith::ShRUIOp>([&](Operation *shift) {
        std::optional<int64_t> amount = constant(1);
        if (!amount || *amount < 0 || *amount > 62 || *amount >= widthOf(shift->getResult(0)) - 1)
          return binary(elementwiseFacts);
        int64_t divisor = int64_t(1) << *amount;
        auto rule = [&](const DimFacts &a, const DimFacts &b) { return floorDivFacts(a, b, divisor); };
        return isa<arith::ShRSIOp>(shift) ? binary(rule) : unsignedBinary(rule);
      })
      .Case([&](arith::AndIOp) {
        std::optional<int64_t> mask = constant(1), other = constant(0);
        return binary([&](const DimFacts &a, const DimFacts &b) {
          return mask || !other ? andFacts(a, b, mask) : andFacts(b, a, other);
        });
      })
      .Case<arith::OrIOp, arith::XOrIOp>([&](auto) { return binary(orXorFacts); })
      .Case<arith::MinSIOp, arith::MaxSIOp, arith::MinUIOp, arith::MaxUIOp>([&](auto) { return binary(minMaxFacts); })
      .Case([&](arith::CmpIOp cmp) { return compare(cmp); })
      .Case([&](arith::SelectOp select) {
        if (!result.sizes.empty())
          return AlignmentFacts::join(in[1], in[2]);
        bool isTile = isa<RankedTensorType>(select.getCondition().getType());
        for (auto [d, dim] : llvm::enumerate(result.dims)) {
          DimFacts condition = isTile ? in[0].dims[d] : uniformFacts(1, extent(d));
          dim = selectFacts(condition, in[1].dims[d], in[2].dims[d], result.unit);
        }
        return result;
      })
      .Case<arith::ExtSIOp, arith::IndexCastOp, arith::TruncIOp>([&](auto) { return convert(/*isUnsigned=*/false); })
      .Case<arith::ExtUIOp, arith::IndexCastUIOp>([&](auto) { return convert(/*isUnsigned=*/true); })
      .Case([&](tile::SplatOp) {
        for (auto [d, dim] : llvm::enumerate(result.dims))
          dim = uniformFacts(in[0].divisor(), extent(d));
        return result;
      })
      .Case([&](tile::ToScalarOp) {
        result.dims[0].divisor = in[0].divisor();
        return result;
      })
      .Case([&](tile::IotaOp iota) {
        result.dims[0] = iotaFacts(iota.getStart().value_or(0), extent(0), widthOf(iota.getResult()));
        return result;
      })
      .Case([&](tile::BroadcastOp broadcast) {
        int64_t all = in[0].divisor();
        for (auto [d, dim] : llvm::enumerate(result.dims))
          dim =
              broadcast.getSource().getType().getDimSize(d) == extent(d) ? in[0].dims[d] : uniformFacts(all, extent(d));
        return result;
      })
      .Case([&](tile::ReshapeOp op) { return reshape(op); })
      .Case([&](tile::PermuteOp permute) {
        for (auto [d, from] : llvm::enumerate(permute.getOrder()))
          result.dims[d] = in[0].dims[from];
        return result;
      })
      .Case([&](tile::AssumeOp op) { return assume(op); })
      .Case([&](tile::PtrAddOp add) {
        // Elements below a byte: only what a whole number of bytes would give is unknown.
        if (elementBytes(cast<tile::PtrType>(getElementTypeOrSelf(add.getPtr().getType())).getPointee()) == 0)
          return result;
        return binary(
            [&](const DimFacts &p, const DimFacts &i) { return addFacts(p, scaleFacts(i, result.unit), result.unit); });
      })
      .Case([&](tile::PtrCastOp) {
        return unary([&](const DimFacts &dim) {
          bool keepsRuns = in[0].unit == result.unit;
          return keepsRuns ? dim : DimFacts{1, divisorAt(dim, 1, in[0].unit), dim.constancy};
        });
      })
      .Case([&](tile::MakeViewOp make) { return makeView(make); })
      .Case([&](tile::PermuteViewOp permute) {
        result.base = in[0].base;
        for (auto [d, from] : llvm::enumerate(permute.getOrder())) {
          result.sizeDivisors[d] = in[0].sizeDivisors[from];
          result.strideDivisors[d] = in[0].strideDivisors[from];
          result.sizes[d] = in[0].sizes[from];
          result.strides[d] = in[0].strides[from];
        }
        return result;
      })
      .Case([&](tile::ViewSizeOp size) {
        result.dims[0].divisor = in[0].sizeDivisors[size.getDim()];
        return result;
      })
      .Case([&](tile::ViewStrideOp stride) {
        result.dims[0].divisor = in[0].strideDivisors[stride.getDim()];
        return result;
      })
      .Case([&](tile::ViewBaseOp) {
        result.dims[0].divisor = in[0].base;
        return result;
      })
      .Default([&](Operation *) { return result; });
}

AlignmentFacts tilewright::transferAlignment(Operation *op, ArrayRef<AlignmentFacts> operands,
                                             const RangeQuery &ranges) {
  return Transfer(op, operands, ranges).run();
}
