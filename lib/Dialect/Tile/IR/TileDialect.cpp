// SPDX-License-Identifier: Apache-2.0
#include "tilewright/Dialect/Tile/IR/Tile.h"

#include "TileKernels.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Transforms/InliningUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilewright::tile;

#include "tilewright/Dialect/Tile/IR/TileDialect.cpp.inc"
#include "tilewright/Dialect/Tile/IR/TileEnums.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "tilewright/Dialect/Tile/IR/TileTypes.cpp.inc"
#define GET_OP_CLASSES
#include "tilewright/Dialect/Tile/IR/TileOps.cpp.inc"

namespace {
/// Tile code may be inlined anywhere: ops do not depend on the function that they sit in.
struct TileInliner : public DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;
  bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const final { return true; }
  bool isLegalToInline(Region *, Region *, bool, IRMapping &) const final { return true; }
};
} // namespace

void TileDialect::initialize() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "tilewright/Dialect/Tile/IR/TileTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "tilewright/Dialect/Tile/IR/TileOps.cpp.inc"
      >();
  addInterfaces<TileInliner>();
  attachKernelVerifier(getContext());
}

Operation *TileDialect::materializeConstant(OpBuilder &builder, Attribute value, Type type, Location loc) {
  return arith::ConstantOp::materialize(builder, value, type, loc);
}
