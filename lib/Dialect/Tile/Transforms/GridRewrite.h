// SPDX-License-Identifier: Apache-2.0
/// \file
/// What the passes that change the mapping of work have in common: a grid function is evaluated inside the kernel, and
/// kernel and grid function change together.
#ifndef TILEWRIGHT_LIB_DIALECT_TILE_TRANSFORMS_GRIDREWRITE_H
#define TILEWRIGHT_LIB_DIALECT_TILE_TRANSFORMS_GRIDREWRITE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"

namespace tilewright {

/// The grid function of a kernel; null without `tile.grid`.
mlir::func::FuncOp lookupGrid(mlir::func::FuncOp kernel, mlir::SymbolTable &symbols);

/// Calls `rewrite(kernel, grid)` for each kernel of `module` that has a body and a grid function, in order. The grid is looked
/// up when its kernel's turn comes, as a rewrite before may have changed it.
void forEachKernelWithGrid(mlir::ModuleOp module, mlir::SymbolTable &symbols,
                           llvm::function_ref<void(mlir::func::FuncOp kernel, mlir::func::FuncOp grid)> rewrite);

/// Emits an error for each kernel without a grid function that has the attribute `wish`, which is about grids. True if
/// there is one.
bool refuseWithoutGrid(mlir::ModuleOp module, mlir::SymbolTable &symbols, llvm::StringRef wish);

/// The grid function to rewrite: `grid` if only `kernel` names it, else a private copy under a new name that the kernel
/// names from now on.
mlir::func::FuncOp takeGrid(mlir::func::FuncOp kernel, mlir::func::FuncOp grid, mlir::SymbolTable &symbols);

/// A name that begins with `stem` and that no symbol has.
std::string freeName(llvm::StringRef stem, mlir::SymbolTable &symbols);

/// Clones the body of a host function to where `builder` stands, for `arguments`; gives what it returns.
llvm::SmallVector<mlir::Value> inlineHost(mlir::OpBuilder &builder, mlir::func::FuncOp host,
                                          mlir::ValueRange arguments);

/// The first op of a host function that asks the device; null if there is none. A kernel cannot evaluate such a
/// function.
mlir::Operation *findDeviceQuery(mlir::func::FuncOp host);

/// Why the programs of a kernel may not be arranged otherwise; empty if they may. They must not wait for one another, so
/// there is no access with `sync`, no atomic update with an order and none in a loop that has no trip count; and nothing
/// may ask for its place in the grid where it is not seen, so there are no calls.
std::string findObstacleInBody(mlir::func::FuncOp kernel);

/// Replaces `program_id` and `num_programs` of each axis below `ids.size()` by the given values. Ops that define `ids`
/// are left alone where `keep` holds them.
void replaceGridOps(mlir::func::FuncOp kernel, mlir::ArrayRef<mlir::Value> ids, mlir::ArrayRef<mlir::Value> extents,
                    mlir::Operation *keep);

/// The number of programs of a grid whose extents are constants; nothing else.
std::optional<int64_t> staticPrograms(mlir::func::FuncOp grid);

/// Arithmetic on counts below 2^31, in 32 bits, because a GPU divides 64-bit numbers slowly.
class CountBuilder {
public:
  CountBuilder(mlir::OpBuilder &builder, mlir::Location loc) : builder(builder), loc(loc) {}

  mlir::Value narrow(mlir::Value index);
  mlir::Value widen(mlir::Value count);
  mlir::Value constant(int64_t value);
  mlir::Value add(mlir::Value a, mlir::Value b);
  mlir::Value sub(mlir::Value a, mlir::Value b);
  mlir::Value mul(mlir::Value a, mlir::Value b);
  mlir::Value div(mlir::Value a, mlir::Value b);
  mlir::Value min(mlir::Value a, mlir::Value b);
  /// The remainder of `a` by `b`, whose quotient is `quotient`.
  mlir::Value rem(mlir::Value a, mlir::Value b, mlir::Value quotient) { return sub(a, mul(quotient, b)); }

private:
  mlir::OpBuilder &builder;
  mlir::Location loc;
};

} // namespace tilewright

#endif // TILEWRIGHT_LIB_DIALECT_TILE_TRANSFORMS_GRIDREWRITE_H
