// SPDX-License-Identifier: Apache-2.0
#include "tilewright/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace tilewright::tile;

/// Both scalars, or both tiles of one shape.
static bool sameShape(Type a, Type b) {
  auto tileA = dyn_cast<RankedTensorType>(a), tileB = dyn_cast<RankedTensorType>(b);
  if (!tileA || !tileB)
    return !tileA && !tileB;
  return tileA.getShape() == tileB.getShape();
}

LogicalResult AssumeOp::verify() {
  if (!getDivBy() && !getEvery() && !getMin() && !getMax() && !getSame() && !getContiguous()) // assume_c1
    return emitOpError() << "expects at least one fact";
  Type element = getElementTypeOrSelf(getSource().getType());
  bool isPointer = isa<PtrType>(element);
  if (!isPointer && !element.isIntOrIndex())
    return emitOpError() << "expects integers or pointers, found " << getSource().getType();
  unsigned width = isPointer || element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
  auto fits = [&](std::optional<int64_t> value) {
    return !value || width >= 64 || (*value >= -(int64_t(1) << (width - 1)) && *value < (int64_t(1) << (width - 1)));
  };
  if (getDivBy() && (*getDivBy() < 1 || !fits(getDivBy()))) // assume_c2
    return emitOpError() << "expects div_by to be 1 or more and to fit " << element << ", found " << *getDivBy();
  for (auto [name, bound] : {std::pair("min", getMin()), std::pair("max", getMax())})
    if (!fits(bound)) // assume_c2
      return emitOpError() << "expects " << name << " to fit " << element << ", found " << *bound;
  if (getMin() && getMax() && *getMin() > *getMax()) // assume_c2
    return emitOpError() << "expects min to be at most max, found " << *getMin() << " and " << *getMax();
  auto tile = dyn_cast<RankedTensorType>(getSource().getType());
  for (auto [name, list] : {std::pair("every", getEvery()), std::pair("same", getSame()),
                            std::pair("contiguous", getContiguous())}) { // assume_c3
    if (!list)
      continue;
    if (!tile || static_cast<int64_t>(list->size()) != tile.getRank())
      return emitOpError() << "expects " << name << " to have one entry per dim of a tile, found " << list->size();
    for (auto [group, extent] : llvm::zip(*list, tile.getShape()))
      if (group < 1 || extent % group != 0)
        return emitOpError() << "expects each entry of " << name << " to divide its extent, found " << group << " for "
                             << extent;
  }
  if (getEvery() && !getDivBy()) // assume_c3
    return emitOpError() << "expects div_by beside every";
  return success();
}

LogicalResult PtrAddOp::verify() {
  if (!sameShape(getPtr().getType(), getOffset().getType())) // ptr_add_c1
    return emitOpError() << "expects pointer and offset to be scalars or tiles of one shape, found "
                         << getPtr().getType() << " and " << getOffset().getType();
  return success();
}

LogicalResult PtrCastOp::verify() {
  Type from = getElementTypeOrSelf(getSource().getType()), to = getElementTypeOrSelf(getResult().getType());
  auto is64Bits = [](Type type) { return isa<PtrType>(type) || type.isInteger(64); };
  if ((!isa<PtrType>(from) && !isa<PtrType>(to)) || !is64Bits(from) || !is64Bits(to)) // ptr_cast_c1
    return emitOpError() << "expects a pointer on one side and a pointer or i64 on the other, found "
                         << getSource().getType() << " and " << getResult().getType();
  if (!sameShape(getSource().getType(), getResult().getType())) // ptr_cast_c2
    return emitOpError() << "expects scalars or tiles of one shape, found " << getSource().getType() << " and "
                         << getResult().getType();
  return success();
}

LogicalResult LaunchOp::verify() {
  auto host = dyn_cast_or_null<func::FuncOp>((*this)->getParentOp());
  if (!host || host->hasAttr("tile.kernel")) // launch_c3
    return emitOpError() << "expects to stand in the body of a host function, a func.func without tile.kernel";
  return success();
}

LogicalResult LaunchOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto kernel = symbols.lookupNearestSymbolFrom<func::FuncOp>(*this, getKernelAttr());
  if (!kernel || !kernel->hasAttr("tile.kernel") || kernel->hasAttr("tile.variant_of")) // launch_c1
    return emitOpError() << "expects a kernel that is no variant, found @" << getKernel();
  if (TypeRange(getArgs()) == TypeRange(kernel.getArgumentTypes()))
    return success();
  InFlightDiagnostic diag = emitOpError() << "expects the kernel's parameters, found " // launch_c2
                                          << getArgs().getTypes();
  diag.attachNote(kernel.getLoc()) << "the kernel takes " << kernel.getArgumentTypes();
  return diag;
}
