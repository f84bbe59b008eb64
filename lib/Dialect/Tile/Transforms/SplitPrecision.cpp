// SPDX-License-Identifier: Apache-2.0
#include "tilewright/Dialect/Tile/IR/Tile.h"
#include "tilewright/Dialect/Tile/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Remarks.h"

namespace tilewright {
#define GEN_PASS_DEF_SPLITPRECISIONPASS
#include "tilewright/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilewright

using namespace mlir;
using namespace tilewright;

namespace {

/// How a product of f32 becomes products of narrow parts.
struct Split {
  bool isTf32;    ///< Parts are tf32, else bf16.
  unsigned parts; ///< Of each operand, the most significant first.
  /// Pairs (part of the left, part of the right), the smallest first.
  SmallVector<std::pair<unsigned, unsigned>> terms;
};

std::optional<Split> planSplit(tile::DotOp dot) {
  switch (dot.getPrecision().value_or(tile::Precision::ieee)) {
  case tile::Precision::tf32x3:
    return Split{true, 2, {{1, 0}, {0, 1}, {0, 0}}};
  case tile::Precision::bf16x3:
    return Split{false, 2, {{1, 0}, {0, 1}, {0, 0}}};
  case tile::Precision::bf16x6:
    return Split{false, 3, {{2, 0}, {0, 2}, {1, 1}, {1, 0}, {0, 1}, {0, 0}}};
  default:
    return std::nullopt;
  }
}

/// Cuts an f32 tile into parts whose sum it is, but for what the last part rounds off. All but the last are the leading bits,
/// cut off, so that none overflows. What is not finite is the last part alone, and the first is 1 with its sign: the
/// last part meets only the first part of the other operand, so an infinity times a number is an infinity, and
/// times zero NaN, as in one product.
SmallVector<Value> cutInParts(OpBuilder &b, Location loc, Value value, const Split &split) {
  auto type = cast<RankedTensorType>(value.getType());
  RankedTensorType bitsType = type.clone(b.getI32Type());
  Type narrow = split.isTf32 ? Type(FloatTF32Type::get(b.getContext())) : Type(b.getBF16Type());
  auto number = [&](float x) -> Value {
    return arith::ConstantOp::create(b, loc, DenseElementsAttr::get(type, x));
  };
  auto integer = [&](uint32_t x) -> Value {
    return arith::ConstantOp::create(b, loc, DenseElementsAttr::get(bitsType, APInt(32, x)));
  };
  constexpr uint32_t kInfinity = 0x7f800000, kMagnitude = 0x7fffffff, kSign = 0x80000000, kOne = 0x3f800000;
  uint32_t leading = split.isTf32 ? 0xffffe000 : 0xffff0000; // Sign, exponent and 10 or 7 bits behind the point.
  auto bitsOf = [&](Value x) -> Value { return arith::BitcastOp::create(b, loc, bitsType, x); };
  Value bits = bitsOf(value);
  Value magnitude = arith::AndIOp::create(b, loc, bits, integer(kMagnitude));
  Value isFinite = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, magnitude, integer(kInfinity));

  SmallVector<Value> parts;
  Value rest = value;
  for (unsigned i = 0; i + 1 < split.parts; ++i) {
    Value cut = arith::AndIOp::create(b, loc, bitsOf(rest), integer(leading));
    Value part = arith::BitcastOp::create(b, loc, type, cut);
    rest = arith::SubFOp::create(b, loc, rest, part); // Exact.
    Value instead = number(0);
    if (i == 0) {
      Value sign = arith::AndIOp::create(b, loc, bits, integer(kSign));
      instead = arith::BitcastOp::create(b, loc, type, arith::OrIOp::create(b, loc, sign, integer(kOne)));
    }
    parts.push_back(arith::SelectOp::create(b, loc, isFinite, part, instead));
  }
  parts.push_back(arith::SelectOp::create(b, loc, isFinite, rest, value));
  for (Value &part : parts)
    part = arith::TruncFOp::create(b, loc, type.clone(narrow), part);
  return parts;
}

struct SplitPrecision : public tilewright::impl::SplitPrecisionPassBase<SplitPrecision> {
  using SplitPrecisionPassBase::SplitPrecisionPassBase;

  void runOnOperation() override {
    func::FuncOp func = getOperation();
    SmallVector<tile::DotOp> dots;
    func.walk([&](tile::DotOp dot) {
      if (planSplit(dot))
        dots.push_back(dot);
    });
    for (tile::DotOp dot : dots) {
      Split split = *planSplit(dot);
      OpBuilder b(dot);
      SmallVector<Value> lhs = cutInParts(b, dot.getLoc(), dot.getLhs(), split);
      SmallVector<Value> rhs = cutInParts(b, dot.getLoc(), dot.getRhs(), split);
      Value sum = dot.getAcc();
      for (auto [left, right] : split.terms) {
        auto term = tile::DotOp::create(b, dot.getLoc(), lhs[left], rhs[right], sum, tile::PrecisionAttr(),
                                        /*lhs_unsigned=*/false, /*rhs_unsigned=*/false, IntegerAttr());
        for (NamedAttribute attr : dot->getDiscardableAttrs())
          term->setAttr(attr.getName(), attr.getValue());
        sum = term;
      }
      remark::passed(dot.getLoc(),
                     remark::RemarkOpts::name("SplitPrecision").category(getArgument()).function(func.getSymName()))
          << remark::metric("products", split.terms.size()) << remark::metric("element", split.isTf32 ? "tf32" : "bf16");
      dot.getResult().replaceAllUsesWith(sum);
      dot.erase();
    }
  }
};

} // namespace
