// SPDX-License-Identifier: Apache-2.0
/// \file
/// The `tile` dialect: programs on tiles of tensors in global memory.
#ifndef TILEWRIGHT_DIALECT_TILE_IR_TILE_H
#define TILEWRIGHT_DIALECT_TILE_IR_TILE_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypeInterfaces.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferIntRangeInterface.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace tilewright::tile {
/// Largest number of dimensions of a view. Source: docs/Rationale.md.
constexpr int64_t kMaxViewRank = 8;
/// Whether tiles and views may hold elements of `type` (tiles also pointers).
bool isElementType(mlir::Type type);
/// Whether `type` is a tensor of static shape, rank 1 or more, extents of 1 or more and legal elements. Any encoding is
/// fine.
bool isTileType(mlir::Type type);
/// Whether `order` names each of `rank` dimensions once.
bool isPermutationOf(llvm::ArrayRef<int64_t> order, int64_t rank);
/// Reads and writes a view type with its `!tile.` prefix: formats would leave it out where only one type can stand.
mlir::ParseResult parseFullType(mlir::OpAsmParser &parser, mlir::Type &type);
void printFullType(mlir::OpAsmPrinter &printer, mlir::Operation *op, mlir::Type type);
/// Reads and writes the pointer type of an access; that of its value, and of mask and other where there are any, follow.
using OptionalOperand = std::optional<mlir::OpAsmParser::UnresolvedOperand>;
mlir::ParseResult parsePtrAccess(mlir::OpAsmParser &parser, mlir::Type &pointer, mlir::Type &value,
                                 const OptionalOperand &mask, mlir::Type &maskType);
mlir::ParseResult parsePtrAccess(mlir::OpAsmParser &parser, mlir::Type &pointer, mlir::Type &value,
                                 const OptionalOperand &mask, mlir::Type &maskType, const OptionalOperand &other,
                                 mlir::Type &otherType);
template <typename... Others>
void printPtrAccess(mlir::OpAsmPrinter &printer, mlir::Operation *, mlir::Type pointer, Others...) {
  printer << pointer;
}
/// Global memory as tile programs see it.
struct GlobalMemoryResource : public mlir::SideEffects::Resource::Base<GlobalMemoryResource> {
  mlir::StringRef getName() final { return "tile.global"; }
};
} // namespace tilewright::tile

#include "tilewright/Dialect/Tile/IR/TileDialect.h.inc"
#include "tilewright/Dialect/Tile/IR/TileEnums.h.inc"
#define GET_TYPEDEF_CLASSES
#include "tilewright/Dialect/Tile/IR/TileTypes.h.inc"
#define GET_OP_CLASSES
#include "tilewright/Dialect/Tile/IR/TileOps.h.inc"

#endif // TILEWRIGHT_DIALECT_TILE_IR_TILE_H
