// SPDX-License-Identifier: Apache-2.0
/// \file
/// A tile program from text, with the dialects that plans look at.
#ifndef TILEWRIGHT_TEST_UNIT_DIALECT_TILE_TRANSFORMS_PARSEDMODULE_H
#define TILEWRIGHT_TEST_UNIT_DIALECT_TILE_TRANSFORMS_PARSEDMODULE_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "tilewright/Dialect/Tile/IR/Tile.h"

namespace plantest {

struct ParsedModule {
  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;

  explicit ParsedModule(llvm::StringRef text) {
    context.loadDialect<mlir::arith::ArithDialect, mlir::func::FuncDialect, mlir::scf::SCFDialect, mlir::ub::UBDialect,
                        tilewright::tile::TileDialect>();
    module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  }

  mlir::func::FuncOp func() { return *module->getOps<mlir::func::FuncOp>().begin(); }
  template <typename OpTy> OpTy first() {
    OpTy found;
    module->walk([&](OpTy op) {
      if (!found)
        found = op;
    });
    return found;
  }
};

} // namespace plantest

#endif // TILEWRIGHT_TEST_UNIT_DIALECT_TILE_TRANSFORMS_PARSEDMODULE_H
