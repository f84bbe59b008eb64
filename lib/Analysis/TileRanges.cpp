// SPDX-License-Identifier: Apache-2.0
#include "TileRanges.h"
#include "tilewright/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::dataflow;
using namespace tilewright;

Attribute tilewright::argumentAttribute(Value value, StringRef name) {
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument || !argument.getOwner()->isEntryBlock())
    return {};
  auto func = dyn_cast_or_null<FunctionOpInterface>(argument.getOwner()->getParentOp());
  return func ? func.getArgAttr(argument.getArgNumber(), name) : Attribute();
}

/// `range` cut to [min, max], signed; `range` itself where nothing is left, which only a false promise can cause.
static ConstantIntRanges cutRange(const ConstantIntRanges &range, IntegerAttr min, IntegerAttr max) {
  unsigned width = range.smin().getBitWidth();
  if (width == 0)
    return range;
  auto bound = [&](IntegerAttr attr, const APInt &otherwise) {
    return attr ? APInt(64, attr.getInt(), /*isSigned=*/true).sextOrTrunc(width) : otherwise;
  };
  ConstantIntRanges promised = ConstantIntRanges::fromSigned(bound(min, APInt::getSignedMinValue(width)),
                                                             bound(max, APInt::getSignedMaxValue(width)));
  if (promised.smin().sgt(range.smax()) || promised.smax().slt(range.smin()))
    return range;
  return range.intersection(promised);
}

void TileRangeAnalysis::visitNonControlFlowArguments(Operation *op, const RegionSuccessor &successor,
                                                     ArrayRef<IntegerValueRangeLattice *> arguments,
                                                     unsigned firstIndex) {
  if (auto loop = dyn_cast<scf::ForOp>(op); loop && loop.getUnsignedCmp())
    return SparseForwardDataFlowAnalysis<IntegerValueRangeLattice>::visitNonControlFlowArguments(op, successor,
                                                                                                 arguments, firstIndex);
  IntegerRangeAnalysis::visitNonControlFlowArguments(op, successor, arguments, firstIndex);
}

void TileRangeAnalysis::setToEntryState(IntegerValueRangeLattice *lattice) {
  Value value = lattice->getAnchor();
  auto min = dyn_cast_or_null<IntegerAttr>(argumentAttribute(value, "tile.min"));
  auto max = dyn_cast_or_null<IntegerAttr>(argumentAttribute(value, "tile.max"));
  if (!min && !max)
    return IntegerRangeAnalysis::setToEntryState(lattice);
  ConstantIntRanges whole = IntegerValueRange::getMaxRange(value).getValue();
  propagateIfChanged(lattice, lattice->join(IntegerValueRange(cutRange(whole, min, max))));
}

LogicalResult TileRangeAnalysis::visitOperation(Operation *op, ArrayRef<const IntegerValueRangeLattice *> operands,
                                                ArrayRef<IntegerValueRangeLattice *> results) {
  // Not reached yet; the operand's change brings us back.
  if (isa_and_nonnull<tile::TileDialect>(op->getDialect()) &&
      llvm::any_of(operands,
                   [](const IntegerValueRangeLattice *operand) { return operand->getValue().isUninitialized(); }))
    return success();
  // What an op of ours makes of the ranges of its operands; nothing for an op that is not known here.
  auto range = llvm::TypeSwitch<Operation *, std::optional<ConstantIntRanges>>(op)
                   .Case([&](tile::AssumeOp assume) -> std::optional<ConstantIntRanges> {
                     if (!getElementTypeOrSelf(assume.getResult()).isIntOrIndex())
                       return std::nullopt;
                     return cutRange(operands[0]->getValue().getValue(), assume.getMinAttr(), assume.getMaxAttr());
                   })
                   .Case([&](tile::ViewSizeOp) -> std::optional<ConstantIntRanges> {
                     return ConstantIntRanges::fromSigned(APInt(64, 0), APInt::getSignedMaxValue(64));
                   })
                   .Case([&](tile::IotaOp iota) -> std::optional<ConstantIntRanges> {
                     unsigned width = iota.getResult().getType().getElementTypeBitWidth();
                     uint64_t start = iota.getStart().value_or(0);
                     uint64_t last = start + iota.getResult().getType().getNumElements() - 1;
                     return ConstantIntRanges::fromUnsigned(APInt(64, start).zextOrTrunc(width),
                                                            APInt(64, last).zextOrTrunc(width));
                   })
                   .Case<tile::SplatOp, tile::BroadcastOp, tile::ReshapeOp, tile::PermuteOp, tile::ToScalarOp>(
                       [&](Operation *shape) -> std::optional<ConstantIntRanges> {
                         if (!getElementTypeOrSelf(shape->getResult(0)).isIntOrIndex())
                           return std::nullopt;
                         return operands[0]->getValue().getValue();
                       })
                   .Default([](Operation *) { return std::nullopt; });
  if (!range)
    return IntegerRangeAnalysis::visitOperation(op, operands, results);
  // As upstream: a value that a loop carries goes to the full range when it first grows, or it would climb one by one.
  IntegerValueRange before = results[0]->getValue();
  ChangeResult changed = results[0]->join(IntegerValueRange(*range));
  bool isCarried = llvm::any_of(op->getResult(0).getUsers(),
                                [](Operation *user) { return user->hasTrait<OpTrait::IsTerminator>(); });
  if (isCarried && !before.isUninitialized() && !(results[0]->getValue() == before))
    changed |= results[0]->join(IntegerValueRange::getMaxRange(op->getResult(0)));
  propagateIfChanged(results[0], changed);
  return success();
}
