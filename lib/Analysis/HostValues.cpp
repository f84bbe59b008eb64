// SPDX-License-Identifier: Apache-2.0
#include "tilewright/Analysis/HostValues.h"
#include "tilewright/Analysis/Alignment.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tilewright;

ViewOrigin ViewOrigin::of(Value view) {
  ViewOrigin origin;
  origin.dims = llvm::to_vector(llvm::seq<int64_t>(0, cast<tile::ViewType>(view.getType()).getRank()));
  while (auto permute = view.getDefiningOp<tile::PermuteViewOp>()) {
    for (int64_t &dim : origin.dims)
      dim = permute.getOrder()[dim];
    view = permute.getView();
  }
  origin.view = view;
  return origin;
}

static bool isHostInteger(Type type) {
  return type.isIndex() || (type.isSignlessInteger() && type.getIntOrFloatBitWidth() <= 64);
}

static bool isParameter(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  return argument && argument.getOwner()->isEntryBlock() && isa<func::FuncOp>(argument.getOwner()->getParentOp());
}

bool tilewright::hasHostExpression(Operation *op) {
  // A query of a view that is made folds to what it was made of.
  if (isa<tile::ViewSizeOp, tile::ViewStrideOp, tile::ViewBaseOp>(op))
    return isParameter(ViewOrigin::of(op->getOperand(0)).view);
  if (auto add = dyn_cast<tile::PtrAddOp>(op)) {
    auto pointer = dyn_cast<tile::PtrType>(add.getPtr().getType());
    return pointer && elementBytes(pointer.getPointee()) != 0;
  }
  if (isa<tile::PtrCastOp>(op))
    return !isa<ShapedType>(op->getResult(0).getType());
  if (!llvm::all_of(op->getOperandTypes(), [](Type type) { return isHostInteger(type) || isa<tile::PtrType>(type); }) ||
      !llvm::all_of(op->getResultTypes(), [](Type type) { return isHostInteger(type) || isa<tile::PtrType>(type); }))
    return false;
  if (auto compare = dyn_cast<arith::CmpIOp>(op)) {
    auto predicate = static_cast<unsigned>(compare.getPredicate());
    return !compare.getLhs().getType().isInteger(1) || predicate < 2 || predicate > 5;
  }
  return isa<arith::ConstantOp, arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::DivSIOp, arith::DivUIOp,
             arith::RemSIOp, arith::RemUIOp, arith::FloorDivSIOp, arith::CeilDivSIOp, arith::CeilDivUIOp,
             arith::MinSIOp, arith::MaxSIOp, arith::MinUIOp, arith::MaxUIOp, arith::AndIOp, arith::OrIOp,
             arith::XOrIOp, arith::ShLIOp, arith::ShRSIOp, arith::ShRUIOp, arith::SelectOp, arith::ExtSIOp,
             arith::ExtUIOp, arith::TruncIOp, arith::IndexCastOp, arith::IndexCastUIOp, tile::AssumeOp,
             tile::DeviceInfoOp>(op);
}

std::optional<std::string> tilewright::whyNotOnHost(Value origin) {
  if (isParameter(origin))
    return std::nullopt;
  auto make = origin.getDefiningOp<tile::MakeViewOp>();
  if (!make)
    return "the view is chosen by a branch or carried by a loop";
  llvm::SetVector<Value> values(make->operand_begin(), make->operand_end());
  for (size_t i = 0; i < values.size(); ++i) { // Grows while it is walked.
    if (isParameter(values[i]))
      continue;
    Operation *op = values[i].getDefiningOp();
    if (!op)
      return "the view is made from what a loop carries";
    std::string name = op->getName().getStringRef().str();
    if (!hasHostExpression(op))
      return "the view is made from " + name + ", which no host knows before the launch";
    bool isConditional = !isa<func::FuncOp>(op->getParentOp());
    bool mayTrap = isa<tile::AssumeOp, arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp,
                       arith::FloorDivSIOp, arith::CeilDivSIOp, arith::CeilDivUIOp>(op);
    if (isConditional && mayTrap)
      return "the view is made from " + name + " inside of a branch or a loop, which need not be run";
    if (!isa<tile::ViewSizeOp, tile::ViewStrideOp, tile::ViewBaseOp>(op))
      values.insert(op->operand_begin(), op->operand_end());
  }
  return std::nullopt;
}

static Value dynamicOperand(ArrayRef<int64_t> extents, OperandRange operands, int64_t dim) {
  if (!ShapedType::isDynamic(extents[dim]))
    return {};
  return operands[llvm::count_if(extents.take_front(dim), ShapedType::isDynamic)];
}

Value tilewright::sizeOperand(tile::MakeViewOp make, int64_t dim) {
  return dynamicOperand(make.getType().getShape(), make.getSizes(), dim);
}

Value tilewright::strideOperand(tile::MakeViewOp make, int64_t dim) {
  return dynamicOperand(make.getType().getStrides(), make.getStrides(), dim);
}
